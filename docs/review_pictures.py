"""The gallery of the review page: the virtual subject's page as a file, and eight views of it in a browser.

``python -m docs.review_pictures`` writes both into ``docs/gallery/review``; needs a browser and Playwright (``[peers]``).
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from PIL import Image

from biomech_id.pipeline.review_page import write_review
from biomech_id.pipeline.run import run_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from tests.peers.browser import Page, browser, open_page

HERE = Path(__file__).resolve().parent / "gallery" / "review"
DATA = HERE.parents[2] / "data"
FILE = "virtual-subject.html"


def percent(page: Page) -> None:
    """Angles over the cycle."""
    page.show("angles", "percent")


def moments(page: Page) -> None:
    """Moments with their 95 % bands, seen from the side."""
    page.show("moments", "percent")
    page.page.click("#camera-side")


def powers_in_time(page: Page) -> None:
    """Powers over time, seen from the front."""
    page.show("powers", "time")
    page.page.click("#camera-front")
    page.scrub(205)


def ground_from_above(page: Page) -> None:
    """Ground reaction over time, seen from above."""
    page.show("ground", "time")
    page.page.click("#camera-top")


def muscles_in_german(page: Page) -> None:
    """Raw muscle signals, in German."""
    page.page.select_option("#language", "de")
    page.show("emg", "time")


def dark_with_axes(page: Page) -> None:
    """Dark, with segment axes and one marker picked out."""
    page.page.click("#theme")
    page.show("angles", "time")
    page.page.check("#axes")
    page.page.select_option("#marker", label="LHEE")


def two_trials(page: Page) -> None:
    """Two walks beside one another."""
    page.page.select_option("#beside", "0:1")
    page.page.wait_for_timeout(300)
    page.show("moments", "percent")


def decisions(page: Page) -> None:
    """A cycle left out, a strike moved by five frames, a stance without kinetics."""
    page.page.fill("#author", "AB")
    page.decide("cycle L 1").click()
    for _ in range(5):
        page.decide("event 2 +1").click()
    page.decide("stance 3").click()
    page.tab("decided")
    page.page.locator("#panel-decided details").evaluate("(each) => { each.open = true; }")


#: Name of a view -> how a page that has just been opened comes to show it.
VIEWS: Mapping[str, Callable[[Page], None]] = {
    "angles": percent, "moments": moments, "powers": powers_in_time, "ground": ground_from_above, "muscles": muscles_in_german,
    "dark": dark_with_axes, "beside": two_trials, "decisions": decisions,
}  # fmt: skip


def write_page(folder: Path) -> Path:
    """Write the virtual subject's page, of two walks, into a folder."""
    with tempfile.TemporaryDirectory() as work:
        out = Path(work) / "results"
        run_job(
            Job(tuple(DATA / f"{name}.c3d" for name in ("static", "walk01", "walk02")), Recipe(report=False, budget=False)), out
        )
        return write_review(out, folder / FILE)


def picture(page: Page) -> Image.Image:
    """What the window shows."""
    page.settle()
    return Image.open(io.BytesIO(page.page.screenshot())).convert("RGB")


def main() -> None:
    """Write the page and the pictures."""
    path = write_page(HERE)
    with browser() as opened:
        for name, show in VIEWS.items():
            page = open_page(opened, path)
            page.page.wait_for_timeout(300)
            show(page)
            picture(page).quantize(128, dither=Image.Dither.NONE).save(HERE / f"{name}.png", optimize=True)
    sys.stdout.write(f"Wrote {len(VIEWS)} views and {path}\n")


if __name__ == "__main__":
    main()
