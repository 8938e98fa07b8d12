"""The report drawn again from finished tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from biomech_id.files.atomic import check_writable
from biomech_id.pipeline.job import sha256_of_input
from biomech_id.results.folder.read_write import read_folder, update_output


def redraw(
    out: Path,
    *,
    norm: Path | None = None,
    pages: Sequence[str] | None = None,
    style: Path | None = None,
    mix: Sequence[str] = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> Path:
    """Draw ``report.pdf`` in a folder of results and renew its hash in the manifest; return its path.

    Parameters
    ----------
    out : Path
        Folder of the results.
    norm : Path | None, optional
        File of a norm; None for the session's own.
    pages : Sequence[str] | None, optional
        Names of the pages wanted; None for all.
    style : Path | None, optional
        A style file; None for the default.
    mix : Sequence[str], optional
        In what norm and session may differ: "bandwidth", say.
    progress : Callable[[str, int, int], None] | None, optional
        Called with what is being done, which one it is and how many there are; None for nobody.

    Raises
    ------
    BiomechError
        The folder, norm, page names or style cannot be used; the old report is then still there.
    """
    from biomech_id.report import draw_report

    tables = read_folder(out)
    check_writable(out / "report.pdf")

    def draw(path: Path) -> None:
        draw_report(tables, path, norm=norm, pages=pages, style=style, mix=mix, progress=progress)

    update_output(out, "report.pdf", draw, noted={"drawn": _drawn_with(norm, style, pages, mix)})
    return out / "report.pdf"


def _drawn_with(norm: Path | None, style: Path | None, pages: Sequence[str] | None, mix: Sequence[str]) -> dict[str, Any]:
    """What the manifest says of a report drawn with more than the session's own tables; empty for one that was not."""
    files = {"norm": norm, "style": style}
    drawn: dict[str, Any] = {
        what: {"name": path.name, "sha256": sha256_of_input(path)} for what, path in files.items() if path is not None
    }
    return drawn | ({"pages": list(pages)} if pages else {}) | ({"mix": list(mix)} if mix else {})
