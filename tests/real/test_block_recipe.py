"""The third document's recipe on recorded walks: its 12x12 and 18x18 systems give the moments that are summed from the tip."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")
RECIPE = Path(__file__).resolve().parents[2] / "pipelines" / "mechanics" / "block_system.py"


@pytest.mark.parametrize(("child", "static", "walk"), [("HC036A", "HC036A01", "HC036A10")])
def test_a_recorded_walk_both_ways(c3d_dir: Path, child: str, static: str, walk: str) -> None:
    folder = c3d_dir / "children" / child
    figure = runpy.run_path(str(RECIPE))["draw"](folder / f"{static}.c3d", folder / f"{walk}.c3d")
    small, large, moment = figure.axes
    for axes, size in ((small, 12), (large, 18)):
        A = axes.images[0].get_array().filled(0)
        np.testing.assert_array_equal(np.triu(A), np.eye(size))
        assert f"{size}x{size}, det = 1.000" in axes.get_title()
    for ours, other in zip(moment.lines[:3], moment.lines[3:], strict=True):
        values = ours.get_ydata()
        assert np.ptp(values[np.isfinite(values)]) > 1
        np.testing.assert_allclose(values, other.get_ydata(), rtol=0, atol=1e-9)
