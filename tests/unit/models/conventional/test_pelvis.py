"""Pelvis axes and the hip regression."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.models.conventional.pelvis import hip_centre_pelvis_m, pelvis_frames
from biomech_id.models.joint_centres.hip_regressions import PelvisSize, asis_trochanter_distance_m
from biomech_id.models.landmarks import with_roles
from biomech_id.trial import Markers

LEVEL = {"LASI": (0.1, 0.12, 1.0), "RASI": (0.1, -0.12, 1.0), "LPSI": (-0.1, 0.05, 1.0), "RPSI": (-0.1, -0.05, 1.0)}


def markers(points: dict[str, tuple[float, ...]]) -> Markers:
    return with_roles(Markers(tuple(points), np.tile(np.array(list(points.values()), dtype=float), (3, 1, 1)), 100.0))


def test_a_level_pelvis_has_the_laboratorys_axes() -> None:
    frames = pelvis_frames(markers(LEVEL))
    assert np.abs(frames.R_lab_seg - np.eye(3)).max() < 1e-15
    assert frames.origin_lab_m[0].tolist() == [0.1, 0.0, 1.0]


def test_posterior_spines_and_a_sacral_marker_between_them_are_the_same() -> None:
    sacral = {k: v for k, v in LEVEL.items() if "PSI" not in k} | {"SACR": (-0.1, 0.0, 1.0)}
    tilted = np.array([[0.96, 0, 0.28], [0, 1, 0], [-0.28, 0, 0.96]])
    both = [pelvis_frames(m.with_positions(m.position_m @ tilted.T)).R_lab_seg for m in (markers(LEVEL), markers(sacral))]
    assert np.abs(both[0] - both[1]).max() < 1e-15
    assert np.abs(both[0][0] - tilted).max() < 1e-15


def test_a_tilted_sacrum_tilts_x_and_leaves_y() -> None:
    low = LEVEL | {"LPSI": (-0.1, 0.05, 0.9), "RPSI": (-0.1, -0.05, 0.9)}
    R = pelvis_frames(markers(low)).R_lab_seg[0]
    assert R[:, 1].tolist() == pytest.approx([0, 1, 0])
    assert R[:, 0] == pytest.approx(np.array([0.2, 0, 0.1]) / np.hypot(0.2, 0.1))


@pytest.mark.parametrize(("side", "mirror"), [("L", 1.0), ("R", -1.0)])
def test_hip_centre_by_hand(side: str, mirror: float) -> None:
    """Leg 900 mm, inter-ASIS 240 mm, trochanter 67.36 mm, radius 7 mm, worked on paper: C = 88.2, t = 74.36."""
    centre = hip_centre_pelvis_m(side, PelvisSize(0.24, None, 0.9, 0.06736, 0.007))
    # 88.2 cos .5 = 77.4028, sin .5 -> 42.2853; sin .314 = .308866, cos .314 = .951106
    expected_mm = [
        77.4028 * 0.308866 - 74.36 * 0.951106,
        mirror * (120.0 - 42.2853),
        -77.4028 * 0.951106 - 74.36 * 0.308866,
    ]
    assert centre * 1e3 == pytest.approx(expected_mm, abs=2e-3)


def test_trochanter_regression() -> None:
    assert asis_trochanter_distance_m(0.9) == pytest.approx(0.1288 * 0.9 - 0.04856)
