"""A marker that comes and goes: its place is kept in the axes of the others."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from biomech_id.models.six_dof.pose import fit_pose
from biomech_id.models.six_dof.tracking import bridge_cluster

CLUSTER = np.array([[0.05, -0.15, 0.08], [-0.03, -0.20, 0.09], [0.06, -0.28, 0.06], [-0.02, -0.33, 0.02]])
WEIGHTS = np.ones(4)


def soft_motion() -> np.ndarray:
    """Markers (100, 4, 3) of a turning cluster whose first marker sits 8 mm off its template and drifts by 2 mm."""
    time = np.linspace(0, 1, 100)
    R = Rotation.from_euler("z", time[:, None]).as_matrix()
    place = np.broadcast_to(CLUSTER, (100, 4, 3)).copy()
    place[:, 0, 0] += 8e-3 + 2e-3 * time
    return np.einsum("nij,nkj->nki", R, place) + np.stack([time, 0 * time, 0 * time], axis=1)[:, None, :]


def test_a_gap_is_bridged_where_the_marker_was() -> None:
    whole = soft_motion()
    gappy = whole.copy()
    gappy[40:60, 0] = np.nan
    filled = bridge_cluster(gappy, CLUSTER, WEIGHTS)
    np.testing.assert_allclose(filled, whole, atol=1e-9)  # the drift is linear in time, as the interpolation is
    jump = np.abs(fit_pose(gappy, CLUSTER).R_lab_seg - fit_pose(whole, CLUSTER).R_lab_seg)[40:60].max()
    assert jump > 1e-2  # what is avoided


def test_beyond_its_first_and_last_sight_a_marker_is_held() -> None:
    whole = soft_motion()
    gappy = whole.copy()
    gappy[:30, 0] = np.nan
    filled = bridge_cluster(gappy, CLUSTER, WEIGHTS)
    assert np.isfinite(filled).all()
    assert np.linalg.norm(filled[:30, 0] - whole[:30, 0], axis=1).max() < 1e-3


def test_too_few_markers_stay_missing() -> None:
    gappy = soft_motion()
    gappy[40:60, :2] = np.nan
    filled = bridge_cluster(gappy, CLUSTER, WEIGHTS)
    assert np.isnan(filled[40:60, :2]).all()
    three = gappy[:, 1:]
    assert bridge_cluster(three, CLUSTER[1:], WEIGHTS[1:]) is three
