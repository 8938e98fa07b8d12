"""Pages of a report as pictures for a meeting: PNG and SVG, in a folder that holds nothing else of ours."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path

import matplotlib as mpl

from biomech_id.errors import OutputError
from biomech_id.files.atomic import check_writable, whole_file
from biomech_id.files.inputs import sha256_of
from biomech_id.report.layout.style import Style
from biomech_id.report.panels.norm import NormSource
from biomech_id.report.pdf import file_names, no_collector, pages_of
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.step import Progress, Step

#: What lies in the folder and says which files of it are ours: name -> sha256.
LISTED = "figures.json"
#: Suffix -> what a picture of that kind does not say. No version and no clock: the same page gives the same bytes.
_KINDS: dict[str, dict[str, None]] = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
#: Of a PNG, dots per inch.
_DPI = 200.0


def draw_figures(
    tables: Tables,
    folder: str | Path,
    *,
    norm: NormSource = None,
    pages: Iterable[str] | None = None,
    appendix: bool = False,
    style: Style | str | Path | None = None,
    mix: Collection[str] = (),
    norm_for: str | None = None,
    patterns: str | Path = "",
    progress: Progress | None = None,
) -> list[Path]:
    """Write page 1 and every further page of a session's report as ``<number>-<page>.png`` and ``.svg``.

    Parameters
    ----------
    tables : Tables
        The session, fresh from an analysis or read back from its folder.
    folder : str | Path
        Made if it is not there; nothing is written elsewhere. A picture of an earlier drawing is replaced, any other file never.
    norm, pages, appendix, style, mix, norm_for, patterns, progress
        As for `pdf.draw_report`; names of an appendix begin with A.

    Returns
    -------
    list[Path]
        The pictures, in the order of the pages.

    Raises
    ------
    OptionError, ShapeError, FileRefusedError
        As for `pdf.draw_report`.
    OutputError
        A file that is not ours stands where a picture would be written (nothing is written then), or the folder cannot be written.
    """
    folder = Path(folder)
    check_writable(folder / LISTED)
    made, look, _ = pages_of(
        tables, norm=norm, pages=pages, appendix=appendix, style=style, mix=mix, norm_for=norm_for, patterns=patterns
    )
    names = file_names(made, appendix=appendix)
    listed = _listed(folder)
    _refuse_others(folder, [f"{name}.{kind}" for name in names for kind in _KINDS], listed)
    written: list[Path] = []
    try:
        with mpl.rc_context({**look.rc, "svg.hashsalt": "biomech_id"}), no_collector():
            for number, (name, page) in enumerate(zip(names, made, strict=True), 1):
                if progress is not None:
                    progress(Step("draw", page.title, number, len(names)))
                for kind, without in _KINDS.items():
                    path = folder / f"{name}.{kind}"
                    with whole_file(path) as part:
                        page.figure.savefig(part, format=kind, dpi=_DPI, metadata=without)
                    listed[path.name] = sha256_of(path)
                    written.append(path)
    finally:
        # Also where a disk was full half-way: what stands there is ours.
        with whole_file(folder / LISTED) as part:
            part.write_text(json.dumps(dict(sorted(listed.items())), indent=1) + "\n", encoding="utf-8", newline="\n")
    return written


def _listed(folder: Path) -> dict[str, str]:
    """Pictures that an earlier drawing wrote, with their hashes; what is no list of ours counts as somebody else's file."""
    path = folder / LISTED
    if not path.exists():
        return {}
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        listed = None
    if not isinstance(listed, dict) or not all(isinstance(sha, str) for sha in listed.values()):
        raise OutputError.at(path, f"{path} is no list of figures of this program; name another folder.", "another folder")
    return listed


def _refuse_others(folder: Path, names: Iterable[str], listed: dict[str, str]) -> None:
    """Refuse to replace what somebody else wrote, or changed since."""
    for name in names:
        path = folder / name
        if path.is_symlink() or (path.exists() and (not path.is_file() or listed.get(name) != sha256_of(path))):
            raise OutputError.at(
                path,
                f"{path} was not written by `report --figures`, or has been changed since; name another folder.",
                "another folder",
            )
