"""``biomech-id desk`` and ``verify``: the local application, and signed versions held against their chain."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from biomech_id.cli.guard import DONE, FAILED, Debug, Version, print_error, print_line
from biomech_id.errors import MissingInputError


def desk(
    archive: Annotated[Path, typer.Argument(help="Folder of patients and visits; recordings are only read.", show_default=False)],
    *,
    folder: Annotated[
        Path | None, typer.Option("--desk", help="Where the desk writes; a sibling of the archive otherwise.", show_default=False)
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the link instead of opening a browser.")] = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Open a gait laboratory's day in a browser on this machine: look, cure, run, review, sign. Ctrl+C ends it.

    Nothing leaves this machine, and nobody else can reach it.

    Example: biomech-id desk patients
    """
    if not archive.is_dir():
        raise MissingInputError.at(archive, f"There is no folder {archive}.", "a folder with patients and their visits")
    try:
        from biomech_id.desk.web.serve import serve
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        raise MissingInputError(
            "The desk needs two more packages: pip install starlette uvicorn",
            value=error.name, expected="starlette and uvicorn", where="desk",
        ) from error  # fmt: skip
    from biomech_id.desk.command import desk_folder

    archive = archive.resolve()
    serve(archive, (folder or desk_folder(archive)).resolve(), browser=not no_browser, say=print_line)
    return DONE


def verify(
    folder: Annotated[Path, typer.Argument(help="A desk's folder, or a signed version.", show_default=False)],
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print every chain and its flaws as one JSON list, instead of sentences.")
    ] = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Hold signed versions against their chain of hashes; exit 1 where anything was changed, and it is named.

    Example: biomech-id verify "patients desk"
    """
    from biomech_id.desk.office import every_flaw
    from biomech_id.desk.versions import chains_below, signatures_of

    if not folder.is_dir():
        raise MissingInputError.at(folder, f"There is no folder {folder}.", "a desk's folder, or a signed version")
    chains = chains_below(folder.resolve())
    if not chains:
        raise MissingInputError.at(folder, f"{folder} holds no signed version.", "a folder with signatures.toml below it")
    checked = every_flaw(chains)
    if as_json:
        rows = [
            {"versions": Path(os.path.relpath(chain, folder)).as_posix(), "flaws": [flaw.to_dict() for flaw in flaws]}
            for chain, flaws in checked
        ]
        print_line(json.dumps(rows))
    for chain, flaws in () if as_json else checked:
        for flaw in flaws:
            print_error(str(flaw))
        if not flaws:
            last = signatures_of(chain)[-1]
            print_line(f"{chain}: {last.values['version']} signed, unchanged, {last.code}")
    return FAILED if any(flaws for _, flaws in checked) else DONE
