"""What theory says of a fitted pose, for tests that hold the fit against it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest


@pytest.fixture(scope="session")
def pose_covariance() -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    return _pose_covariance


def _pose_covariance(template_m: np.ndarray, noise_m: float, weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Predict the errors that white marker noise leaves in a fitted pose, to first order.

    With centred template points c_k in segment axes and J = sum w_k (|c_k|^2 1 - c_k c_k'), the small rotation error is
    J^-1 sum w_k c_k x e_k and the error of the weighted centroid is sum w_k e_k / sum w_k.

    Parameters
    ----------
    template_m : (k, 3), markers in segment axes, metres.
    noise_m : standard deviation of each coordinate of each marker, metres.
    weights : (k,); equal by default.

    Returns
    -------
    rotation_rad2 : (3, 3), covariance of the rotation error vector, rad^2, segment axes.
    origin_m2 : (3, 3), covariance of the error of the segment's origin, m^2, segment axes.
    """
    weight = np.ones(len(template_m)) if weights is None else np.asarray(weights, dtype=np.float64)
    centroid = np.average(template_m, axis=0, weights=weight)
    c = template_m - centroid
    spread = np.einsum("ki,ki->k", c, c)[:, None, None] * np.eye(3) - np.einsum("ki,kj->kij", c, c)
    inverse = np.linalg.inv(np.einsum("k,kij->ij", weight, spread))
    rotation = noise_m**2 * inverse @ np.einsum("k,kij->ij", weight**2, spread) @ inverse
    # The origin lies at -centroid from the centroid: its error is the centroid's minus rotation error x centroid.
    # Weights that differ correlate the two errors through sum w^2 c, which vanishes for equal weights.
    x, y, z = centroid
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    mean = noise_m**2 * (weight**2).sum() / weight.sum() ** 2 * np.eye(3)
    lever = (weight[:, None] ** 2 * c).sum(axis=0)
    skew_lever = np.array([[0.0, -lever[2], lever[1]], [lever[2], 0.0, -lever[0]], [-lever[1], lever[0], 0.0]])
    mixed = cross @ (noise_m**2 * inverse @ skew_lever / weight.sum())
    return rotation, mean + cross @ rotation @ cross.T + mixed + mixed.T
