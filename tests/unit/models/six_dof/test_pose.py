"""Rigid pose fits: exact on exact data, equal to singular values, and as noisy as theory says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.models.six_dof.pose import aspect, fit_pose

TEMPLATE = np.array([[0.05, -0.15, 0.08], [-0.03, -0.20, 0.09], [0.06, -0.28, 0.06], [-0.02, -0.33, 0.02]])
WEIGHTS = np.array([1.0, 0.5, 2.0, 1.0])


def motion(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return Rotation.random(n, rng).as_matrix(), rng.uniform(-4, 4, (n, 3))


def moved(template: np.ndarray, R: np.ndarray, origin: np.ndarray) -> np.ndarray:
    return np.einsum("nij,kj->nki", R, template) + origin[:, None, :]


def kabsch(points: np.ndarray, template: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same fit by singular values, frame by frame, written independently."""
    rotations, origins = [], []
    for frame in points:
        mean_a, mean_b = np.average(template, axis=0, weights=weights), np.average(frame, axis=0, weights=weights)
        U, _, Vt = np.linalg.svd((weights[:, None] * (template - mean_a)).T @ (frame - mean_b))
        R = Vt.T @ np.diag([1, 1, np.linalg.det(Vt.T @ U.T)]) @ U.T
        rotations.append(R)
        origins.append(mean_b - R @ mean_a)
    return np.array(rotations), np.array(origins)


@pytest.mark.parametrize("template", [TEMPLATE, TEMPLATE[:3]], ids=["four markers", "three markers"])
def test_exact_markers_give_the_exact_pose(template: np.ndarray) -> None:
    R, origin = motion(5000)
    pose = fit_pose(moved(template, R, origin), template)
    np.testing.assert_allclose(pose.R_lab_seg, R, atol=1e-12)  # float64 of coordinates up to 4 m
    np.testing.assert_allclose(pose.origin_lab_m, origin, atol=1e-12)
    assert pose.residual_m.max() < 1e-12


@pytest.mark.parametrize("width", [1.0, 0.3, 0.1, 0.03, 0.01, 0.003])
def test_noisy_and_nearly_collinear_clusters_equal_singular_values(width: float) -> None:
    centre = TEMPLATE.mean(axis=0)
    template = centre + (TEMPLATE - centre) * [width, 1.0, width]
    R, origin = motion(400)
    points = moved(template, R, origin) + np.random.default_rng(1).normal(0, 5e-4 * width, (400, 4, 3))
    pose = fit_pose(points, template, WEIGHTS)
    expected_R, expected_origin = kabsch(points, template, WEIGHTS)
    np.testing.assert_allclose(pose.R_lab_seg, expected_R, atol=1e-9)
    np.testing.assert_allclose(pose.origin_lab_m, expected_origin, atol=1e-9)
    error = moved(template, expected_R, expected_origin) - points
    residual = np.sqrt(np.average((error**2).sum(axis=2), axis=1, weights=WEIGHTS))
    np.testing.assert_allclose(pose.residual_m, residual, rtol=1e-6)


@pytest.mark.parametrize("noise", [5e-4, 5e-2], ids=["little noise", "noise near the width"])
def test_clusters_that_are_all_but_a_line_equal_singular_values(noise: float) -> None:
    """At 1:3000 the cross products of one axis are 1e-7 of the other's: float64's 16 digits leave about nine less two."""
    width = 3e-4
    centre = TEMPLATE.mean(axis=0)
    template = centre + (TEMPLATE - centre) * [width, 1.0, width]
    R, origin = motion(2000)
    points = moved(template, R, origin) + np.random.default_rng(1).normal(0, noise * width, (2000, 4, 3))
    expected_R, _ = kabsch(points, template, WEIGHTS)
    apart = np.abs(fit_pose(points, template, WEIGHTS).R_lab_seg - expected_R).max(axis=(1, 2))
    assert np.median(apart) < 1e-8
    assert apart.max() < 1e-5  # noise that cancels the width of a frame leaves that frame fewer digits


def test_a_mirrored_cluster_is_not_fitted_by_a_reflection() -> None:
    points = (TEMPLATE * [1, 1, -1])[None] + np.random.default_rng(0).normal(0, 1e-3, (20, 4, 3))
    np.testing.assert_allclose(np.linalg.det(fit_pose(points, TEMPLATE).R_lab_seg), 1.0, atol=1e-12)


def test_a_missing_marker_takes_no_part_and_its_frame_alone_changes() -> None:
    R, origin = motion(50)
    points = moved(TEMPLATE, R, origin) + np.random.default_rng(2).normal(0, 1e-3, (50, 4, 3))
    gaps = points.copy()
    gaps[10, 2, 1] = np.nan
    gaps[20, :2] = np.nan
    pose, whole = fit_pose(gaps, TEMPLATE, WEIGHTS), fit_pose(points, TEMPLATE, WEIGHTS)
    others = np.setdiff1d(np.arange(50), [10, 20])
    np.testing.assert_allclose(pose.R_lab_seg[others], whole.R_lab_seg[others], atol=1e-12)
    three = [0, 1, 3]
    np.testing.assert_allclose(pose.R_lab_seg[10], kabsch(points[10:11, three], TEMPLATE[three], WEIGHTS[three])[0][0], atol=1e-9)
    assert np.isnan(pose.R_lab_seg[20]).all()
    assert np.isnan(pose.origin_lab_m[20]).all()
    assert pose.n_seen[[0, 10, 20]].tolist() == [4, 3, 2]


def test_markers_on_a_line_fix_no_pose() -> None:
    line = np.outer(np.arange(4.0), [0.1, 0.02, 0.0])
    assert aspect(line) < 1e-9
    R, origin = motion(5)
    assert np.isnan(fit_pose(moved(line, R, origin), line).R_lab_seg).all()


@pytest.mark.parametrize("weights", [np.ones(4), WEIGHTS], ids=["equal weights", "unequal weights"])
def test_noise_spreads_the_pose_as_predicted(
    weights: np.ndarray, pose_covariance: Callable[..., tuple[np.ndarray, np.ndarray]]
) -> None:
    noise_m, n = 5e-4, 20000
    R, origin = motion(n)
    points = moved(TEMPLATE, R, origin) + np.random.default_rng(3).normal(0, noise_m, (n, 4, 3))
    pose = fit_pose(points, TEMPLATE, weights)
    error = np.swapaxes(R, 1, 2) @ pose.R_lab_seg
    turn = 0.5 * np.stack(
        [error[:, 2, 1] - error[:, 1, 2], error[:, 0, 2] - error[:, 2, 0], error[:, 1, 0] - error[:, 0, 1]], axis=1
    )
    shift = np.einsum("nji,nj->ni", R, pose.origin_lab_m - origin)
    rotation, place = pose_covariance(TEMPLATE, noise_m, weights)
    # 20 000 draws leave 1 % of a variance; 4 % of the largest covers correlations near zero and the second order.
    np.testing.assert_allclose(np.cov(turn.T), rotation, atol=0.04 * rotation.max())
    np.testing.assert_allclose(np.cov(shift.T), place, atol=0.04 * place.max())


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ShapeError):
        fit_pose(np.zeros((5, 3, 3)), TEMPLATE)
    with pytest.raises(InvalidValueError):
        fit_pose(np.zeros((5, 4, 3)), TEMPLATE, np.array([1.0, 1.0, 1.0, -1.0]))
    assert len(fit_pose(np.zeros((0, 4, 3)), TEMPLATE).R_lab_seg) == 0
