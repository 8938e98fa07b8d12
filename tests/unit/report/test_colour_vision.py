"""Left, right, norm and budget parts stay apart for colour-blind eyes and in grey print."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from biomech_id.conventions import BUDGET_PARTS
from biomech_id.report.layout.style import load_style
from reports.colour_vision import KINDS, simulate_colour_vision

#: CIELAB distance: 2.3 is just noticeable, 10 is told apart at a glance, side by side and in a legend.
AT_A_GLANCE = 10.0


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB of an sRGB colour under D65 (CIE 15)."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = linear @ np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]).T / [0.9505, 1.0, 1.089]
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(kind: str, one: str, other: str) -> float:
    a, b = (lab(simulate_colour_vision(kind, np.array(to_rgb(load_style().colour(name))))) for name in (one, other))
    return float(np.linalg.norm(a - b))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("one", "other"), [("L", "R"), ("L", "norm"), ("R", "norm")])
def test_sides_and_norm_stay_apart(kind, one, other):
    assert distance(kind, one, other) > AT_A_GLANCE


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "grey"])
def test_budget_parts_stay_apart(kind):
    for one, other in itertools.combinations(BUDGET_PARTS, 2):
        assert distance(kind, one, other) > AT_A_GLANCE, (one, other)


def test_simulation_keeps_grey_and_confuses_what_the_eye_confuses():
    grey = np.array([[0.2, 0.2, 0.2], [0.7, 0.7, 0.7]])
    for kind in KINDS:
        # 1e-3: the published matrices' rows add up to 1 within rounding of six digits.
        np.testing.assert_allclose(simulate_colour_vision(kind, grey), grey, atol=1e-3)
    red_green = [lab(simulate_colour_vision("deuteranopia", np.array(c))) for c in ([0.62, 0.35, 0.1], [0.35, 0.46, 0.1])]
    red_green_seen = [lab(np.array(c)) for c in ([0.62, 0.35, 0.1], [0.35, 0.46, 0.1])]
    assert np.linalg.norm(red_green[0] - red_green[1]) < 0.4 * np.linalg.norm(red_green_seen[0] - red_green_seen[1])
