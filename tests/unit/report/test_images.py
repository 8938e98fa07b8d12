"""Pages of the virtual subject as pictures, against stored ones.

Pictures are small and grey-level differences are averaged over blocks, so that antialiasing does not count and a moved curve does.
To renew them after a wanted change: ``BIOMECH_ID_NEW_IMAGES=1 pytest tests/unit/report/test_images.py`` and look at every one.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import biomech_id as bid
from biomech_id.sample import write_subject
from biomech_id.session.tables.session_tables import Tables
from reports.rebuild import draw_page_images

BASELINE = Path(__file__).parent / "baseline"
PAGES = ("kinematics_cycles", "kinematics_mean", "kinetics_mean", "ground_reaction", "budget")
DPI = 50.0
BLOCK = 8
#: Difference of a block's mean (8 x 8 pixels, 4 mm on paper), of 255 levels per colour. The same code on the same data gives 0;
#: left and right swapped changes some block of each page below by 19 and more; half of that leaves room for another rasteriser.
TOLERANCE = 10.0
#: Pages on which the virtual subject's left and right differ; what the ground sees of the two feet is nearly the same.
ASYMMETRIC = ("kinematics_cycles", "kinematics_mean", "kinetics_mean")

pytestmark = pytest.mark.slow


def worst_block(one: Path, other: Path) -> float:
    """Largest block-averaged difference of two pictures, over all colours."""
    a, b = (np.asarray(Image.open(path).convert("RGB"), dtype=float) for path in (one, other))
    assert a.shape == b.shape
    rows, columns = (size // BLOCK * BLOCK for size in a.shape[:2])
    # Averages first, then differences: a letter drawn half a pixel to the side leaves its block's average alone.
    blocks = [x[:rows, :columns].reshape(rows // BLOCK, BLOCK, columns // BLOCK, BLOCK, 3).mean(axis=(1, 3)) for x in (a, b)]
    return float(np.abs(blocks[0] - blocks[1]).max())


def swapped(tables: Tables) -> Tables:
    """The same session with left and right exchanged."""
    other = {"L": "R", "R": "L"}

    def exchange(table):
        return table.assign(side=table["side"].map(other).astype(table["side"].dtype))

    trials = [{**t, "cycles": [{**c, "side": other[c["side"]]} for c in t["cycles"]]} for t in tables.summary["trials"]]
    frames = {
        name: table.rename(columns={c: other[c[0]] + c[1:] for c in table.columns if c[0] in other})
        for name, table in tables.frames.items()
    }
    return replace(
        tables, cycles=exchange(tables.cycles), budget=exchange(tables.budget), peaks=exchange(tables.peaks), frames=frames,
        summary={**tables.summary, "trials": trials},
    )  # fmt: skip


@pytest.fixture(scope="module")
def virtual(tmp_path_factory) -> Tables:
    folder = tmp_path_factory.mktemp("virtual") / "subject"
    write_subject(folder)
    return bid.analyse(folder).tables()


@pytest.fixture(scope="module")
def pictures(virtual, tmp_path_factory) -> dict[str, Path]:
    paths = draw_page_images(virtual, tmp_path_factory.mktemp("pages"), pages=PAGES, dpi=DPI)
    return {path.stem.partition("-")[2]: path for path in paths}


@pytest.mark.parametrize("page", PAGES)
def test_pages_look_as_they_did(pictures, page):
    stored = BASELINE / f"{page}.png"
    if os.environ.get("BIOMECH_ID_NEW_IMAGES"):
        BASELINE.mkdir(exist_ok=True)
        Image.open(pictures[page]).convert("RGB").save(stored, optimize=True)
    assert worst_block(pictures[page], stored) < TOLERANCE


def test_left_and_right_swapped_is_rejected(virtual, tmp_path):
    paths = draw_page_images(swapped(virtual), tmp_path, pages=ASYMMETRIC, dpi=DPI)
    differences = {
        path.stem.partition("-")[2]: worst_block(path, BASELINE / f"{path.stem.partition('-')[2]}.png") for path in paths
    }
    assert all(differences[page] > TOLERANCE for page in ASYMMETRIC), differences
