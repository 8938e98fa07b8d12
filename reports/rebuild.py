"""Rebuild the reference report: the main job on the virtual subject in ``data/``, its PDF and appendix, and pictures of all pages.

``python -m reports.rebuild`` (or ``make report``) writes ``reports/virtual-subject.pdf``, ``virtual-subject-appendix.pdf`` and
``reports/pages/*.png``. The same code and the same wheels give the same bytes; a test holds the committed PDFs to what this
module draws.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from biomech_id.pipeline.parity import keep_parity, parity_of
from biomech_id.pipeline.redraw import redraw
from biomech_id.pipeline.run import run_job
from biomech_id.report.book import session_pages, wanted_pages
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.panels.norm import NormSource
from biomech_id.report.pdf import file_names, pages_of
from biomech_id.request.job import Job
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.tables.session_tables import Tables
from reports.colour_vision import KINDS, simulate_colour_vision

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "data"
PDF, APPENDIX = "virtual-subject.pdf", "virtual-subject-appendix.pdf"
#: A page as colour-blind eyes see it, and in grey.
VISION = "colour-vision.png"
#: Dots per inch of the page images: readable in a browser, and small.
DPI = 100.0


def rebuild(folder: Path, *, images: bool = True) -> Path:
    """Write the report, and its pages as images, into a folder; return the path of the PDF."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        out = Path(work) / "results"
        run_job(Job((DATA,)), out)
        drawn = keep_parity(parity_of(out, DATA), out)
        shutil.copyfile(drawn, folder / PDF)
        shutil.copyfile(redraw(out, appendix=True), folder / APPENDIX)
        if images:
            shutil.rmtree(folder / "pages", ignore_errors=True)
            for appendix in (False, True):
                for path in draw_page_images(read_tables(out), folder / "pages", appendix=appendix, dpi=DPI):
                    few_colours(path)
            draw_vision_image(read_tables(out), folder / VISION)
    return folder / PDF


def draw_page_images(
    tables: Tables,
    folder: str | Path,
    *,
    norm: NormSource = None,
    pages: Iterable[str] | None = None,
    appendix: bool = False,
    style: Style | str | Path | None = None,
    dpi: float = 100.0,
) -> list[Path]:
    """Write each page of a session's report as ``<number>-<page>.png`` and return the paths in order.

    Parameters
    ----------
    tables : Tables
        As for `draw_report`.
    folder : str | Path
        Made if it is not there.
    norm : NormSource, optional
        As for `draw_report`.
    pages : Iterable[str] | None, optional
        As for `draw_report`.
    appendix : bool, optional
        As for `draw_report`; the files are then ``A<number>-<page>.png``.
    style : Style | str | Path | None, optional
        As for `draw_report`.
    dpi : float, optional
        Dots per inch; a page is 11.7 by 8.3 inches.

    Raises
    ------
    OptionError, ShapeError, FileRefusedError
        As for `draw_report`.
    """
    made, look, _ = pages_of(tables, norm=norm, pages=pages, appendix=appendix, style=style)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with mpl.rc_context(look.rc):
        for name, page in zip(file_names(made, appendix=appendix), made, strict=True):
            path = folder / f"{name}.png"
            # No software version in the file: the same page gives the same picture.
            page.figure.savefig(path, dpi=dpi, metadata={"Software": None})
            written.append(path)
    return written


def draw_vision_image(tables: Tables, path: str | Path, *, page: str = "kinematics_mean", dpi: float = 90.0) -> Path:
    """Write the upper half of a page as it is, as colour-blind eyes see it, and in grey: five pictures below one another.

    Parameters
    ----------
    tables : Tables
        The session.
    path : str | Path
        PNG to write.
    page : str, optional
        Which page; its first sheet is taken.
    dpi : float, optional
        Dots per inch of each picture.
    """
    look = load_style()
    with mpl.rc_context(look.rc):
        figure = next(session_pages(tables, look, None, wanted_pages([page]))).figure
        figure.set_dpi(dpi)
        canvas: Any = FigureCanvasAgg(figure)
        canvas.draw()
    width, height = canvas.get_width_height()
    picture = np.frombuffer(canvas.print_to_buffer()[0], dtype=np.uint8).reshape(height, width, 4)[: height // 2, :, :3] / 255.0
    seen = [picture, *(simulate_colour_vision(kind, picture) for kind in KINDS)]
    levels = np.rint(255.0 * np.clip(np.concatenate(seen), 0.0, 1.0)).astype(np.uint8)
    Image.fromarray(levels).save(path, optimize=True)
    return Path(path)


def few_colours(path: Path) -> None:
    """Store a picture with a palette: pages have few colours, and files a third of the size."""
    Image.open(path).convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


if __name__ == "__main__":
    rebuild(HERE)
    sys.stdout.write(f"Wrote {HERE / PDF}\n")
