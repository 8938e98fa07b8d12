"""Pages as pictures, for a README and for eyes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl

from biomech_id.report.book import session_pages, wanted_pages
from biomech_id.report.cover import session_line
from biomech_id.report.norm import load_norm
from biomech_id.report.pdf import stamp, subject_code, version_of
from biomech_id.report.style import Style, load_style
from biomech_id.results.tables import SessionTables


def draw_page_images(
    tables: SessionTables,
    folder: str | Path,
    *,
    norm: Any = None,
    pages: Iterable[str] | None = None,
    style: Style | str | Path | None = None,
    dpi: float = 100.0,
) -> list[Path]:
    """Write each page of a session's report as ``<number>-<page>.png`` and return the paths in order.

    Parameters
    ----------
    tables, norm, pages, style : as for `draw_report`.
    folder : made if it is not there.
    dpi : dots per inch; a page is 11.7 by 8.3 inches.

    Raises
    ------
    OptionError, ShapeError, FileRefusedError : as for `draw_report`.
    """
    wanted = wanted_pages(pages)
    look = style if isinstance(style, Style) else load_style(style)
    reference = load_norm(tables.norm if norm is None else norm, tables)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with mpl.rc_context(look.rc):
        made = list(session_pages(tables, look, reference, wanted))
        stamp(made, look, code=subject_code(tables, look), session=session_line(tables.summary, look), version=version_of(tables))
        for number, page in enumerate(made, 1):
            path = folder / f"{number:02d}-{page.name}.png"
            # No software version in the file: the same page gives the same picture.
            page.figure.savefig(path, dpi=dpi, metadata={"Software": None})
            written.append(path)
    return written
