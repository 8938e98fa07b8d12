"""The direction of progression is one of four laboratory axes."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.models.progression import progression_axes

FACING_X = np.tile(np.eye(3), (30, 1, 1))
BACK_TO_X = np.tile(np.diag([-1.0, -1.0, 1.0]), (30, 1, 1))


def path(dx: float, dy: float) -> np.ndarray:
    t = np.linspace(0, 1, 30)[:, None]
    return np.hstack([dx * t, dy * t, 0.1 * np.sin(9 * t) + 1.0])


@pytest.mark.parametrize(
    ("dx", "dy", "forward"),
    [(2.0, 0.4, (1, 0, 0)), (-2.0, 1.9, (-1, 0, 0)), (0.3, 1.4, (0, 1, 0)), (0.0, -3.0, (0, -1, 0))],
)
def test_walks_progress_along_the_axis_of_their_largest_displacement(dx: float, dy: float, forward: tuple[int, ...]) -> None:
    axes = progression_axes(path(dx, dy), FACING_X)
    assert axes[0].tolist() == list(forward)
    assert axes[2].tolist() == [0, 0, 1]
    assert np.linalg.det(axes) == pytest.approx(1.0)


def test_standing_and_treadmill_look_where_the_pelvis_looks() -> None:
    assert progression_axes(path(0.01, 0.02), BACK_TO_X)[0].tolist() == [-1, 0, 0]
    assert progression_axes(path(-0.49, 0.0), FACING_X)[0].tolist() == [1, 0, 0]


def test_only_visible_frames_count() -> None:
    hidden = path(2.0, 0.0)
    hidden[:20] = np.nan
    assert progression_axes(hidden, BACK_TO_X)[0].tolist() == [1, 0, 0]  # still 0.66 m
    assert np.array_equal(progression_axes(np.full((5, 3), np.nan), FACING_X), np.eye(3))
