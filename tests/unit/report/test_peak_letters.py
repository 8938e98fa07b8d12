"""The names of power peaks touch neither a curve nor one another, and stay inside their frame."""

from __future__ import annotations

import itertools
import re

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.transforms import Bbox

from biomech_id.report.book import session_pages
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.style import load_style

DPI = 100.0


def letters_and_curves(panel, renderer):
    letters = [(t.get_text(), t.get_window_extent(renderer)) for t in panel.texts if re.fullmatch("[AKH][1-4]", t.get_text())]
    drawn = [c for c in panel.collections if str(c.get_gid()).endswith("|mean")]
    curves = [panel.transData.transform(path.vertices) for c in drawn for path in c.get_paths()]
    return letters, curves


def touches(box: Bbox, curve: np.ndarray) -> bool:
    """Whether a polyline passes through a box; a hundred points between any two are enough for boxes of several pixels."""
    share = np.linspace(0.0, 1.0, 100)[:, None, None]
    dense = ((1 - share) * curve[:-1] + share * curve[1:]).reshape(-1, 2)
    inside = (dense[:, 0] > box.x0) & (dense[:, 0] < box.x1) & (dense[:, 1] > box.y0) & (dense[:, 1] < box.y1)
    return bool(inside.any())


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_names_of_peaks_touch_no_curve_and_no_other_name(build, seed):
    style = load_style()
    with mpl.rc_context(style.rc):
        (page,) = session_pages(build(seed=seed), style, None, ["kinetics_mean"])
        page.figure.set_dpi(DPI)
        renderer = FigureCanvasAgg(page.figure).get_renderer()
        found = 0
        for panel in (axes for axes in page.figure.axes if isinstance(axes, Panel)):
            letters, curves = letters_and_curves(panel, renderer)
            found += len(letters)
            frame = panel.get_window_extent(renderer)
            for name, box in letters:
                assert frame.x0 < box.x0
                assert box.x1 < frame.x1
                # The box of a text holds room for descenders, which capitals do not use.
                letter = Bbox.from_extents(box.x0, box.y0 + 0.22 * box.height, box.x1, box.y1)
                assert frame.y0 < letter.y0
                assert letter.y1 < frame.y1
                assert not any(touches(letter, curve) for curve in curves), name
            for (_, one), (_, other) in itertools.combinations(letters, 2):
                across, up = min(one.x1, other.x1) - max(one.x0, other.x0), min(one.y1, other.y1) - max(one.y0, other.y0)
                assert across <= 0 or up <= 0.25 * one.height
        assert found == 12  # two names for each of three joints and two sides
