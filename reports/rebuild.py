"""Rebuild the reference report: the main job on the virtual subject in ``data/``, its PDF and appendix, and pictures of all pages.

``python -m reports.rebuild`` (or ``make report``) writes ``reports/virtual-subject.pdf``, ``virtual-subject-appendix.pdf`` and
``reports/pages/*.png``. The same code and the same wheels give the same bytes; a test holds the committed PDFs to what this
module draws.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from biomech_id.pipeline.parity import keep_parity, parity_of
from biomech_id.pipeline.redraw import redraw
from biomech_id.pipeline.run import run_job
from biomech_id.report.images import draw_page_images, draw_vision_image
from biomech_id.request.job import Job
from biomech_id.session.folder.read_write import read_tables

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


def few_colours(path: Path) -> None:
    """Store a picture with a palette: pages have few colours, and files a third of the size."""
    from PIL import Image

    Image.open(path).convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


if __name__ == "__main__":
    rebuild(HERE)
    sys.stdout.write(f"Wrote {HERE / PDF}\n")
