"""``biomech-id release``: results that may leave the house."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biomech_id.cli.guard import DONE, WARNINGS, Debug, Version, WarningsOk, print_error, print_line
from biomech_id.cli.progress import ProgressAs, ProgressKind, TerminalLanguage, shown_progress
from biomech_id.cli.run import key_written
from biomech_id.languages import WRITTEN


def release(
    outs: Annotated[list[Path], typer.Argument(help="Folders written by `biomech-id run` or `batch`.", show_default=False)],
    folder: Annotated[Path, typer.Option("-o", "--out", help="Folder for what is released.", show_default=False)],
    key: Annotated[
        Path,
        typer.Option("--key", help="The laboratory's key, of which codes and shifts of days are made; written if there is none."),
    ],
    *,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="A key of [clinic] to keep (diagnosis, side, ...), treatment, or examination; may be repeated."),
    ] = None,
    no_days: Annotated[
        bool, typer.Option("--no-days", help="Leave days out; otherwise all of a person's are moved by one shift.")
    ] = False,
    without_markers: Annotated[
        bool, typer.Option("--without-markers", help="The stronger release: no markers, places, segment lengths and masses.")
    ] = False,
    report: Annotated[bool, typer.Option("--report", help="Draw each session's report anew, from what is released.")] = False,
    language: TerminalLanguage = WRITTEN,
    warnings_ok: WarningsOk = False,
    progress: ProgressKind = ProgressAs.TEXT,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Write results anew for people outside: codes, moved days, whole years, no free text, no hash without the key; says k.

    Example: biomech-id release results/anna -o for-the-study --key lab.key
    """
    from biomech_id.errors import Severity
    from biomech_id.pipeline.release import release_results

    with key_written(key), shown_progress(progress, logged=False, language=language):
        made = release_results(outs, folder, key, keep=keep or (), days=not no_days, body=not without_markers, report=report)
    for source, name in made.folders.items():
        print_line(f"{source} -> {folder / name}: k = {made.k[name]}")
    for finding in made.findings:
        tell = print_line if finding.severity is Severity.INFO else print_error
        tell(finding.text(language))
    return WARNINGS if any(finding.severity is not Severity.INFO for finding in made.findings) else DONE
