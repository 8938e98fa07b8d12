"""The smoothing spline against its definition by dense matrices, and against what it must and must not do."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.signal.smoothing_spline import LEAST, _residual, _traces, best_log10_lambda, smoothed


def influence(n: int, strength: float) -> np.ndarray:
    """I - A of the smoothing spline, written out."""
    Q = np.zeros((n, n - 3))
    for j in range(n - 3):
        Q[j : j + 4, j] = [-1, 3, -3, 1]
    R = sum(np.diag(np.full(n - 3 - abs(k), (66, 26, 1)[abs(k)] / 120), k) for k in range(-2, 3))
    return np.asarray(strength * Q @ np.linalg.solve(R + strength * Q.T @ Q, Q.T))


def path(n: int = 240, noise: float = 0.0) -> np.ndarray:
    t = np.arange(n) / 100.0
    clean = np.stack([np.sin(3 * t), 0.4 * np.cos(5 * t), t], axis=1)
    return np.asarray(clean + noise * np.random.default_rng(3).normal(size=clean.shape))


@pytest.mark.parametrize("strength", [1e-7, 1e-2, 4.0, 1e4])
def test_residual_and_trace_are_those_of_the_dense_matrices(strength: float) -> None:
    values, dense = path(60, 1e-3), influence(60, strength)
    # 1e-11: rounding of matrices of condition 1e6.
    assert _residual(values, strength) == pytest.approx(dense @ values, abs=1e-11)
    assert _traces(60, (float(np.log10(strength)),))[0] == pytest.approx(np.trace(dense), rel=1e-11)


def test_the_best_lambda_is_the_minimum_of_the_score() -> None:
    values = path(120, 2e-3)

    def score(log10_lambda: float) -> float:
        dense = influence(120, 10.0**log10_lambda)
        return float(((dense @ values) ** 2).sum() / np.trace(dense) ** 2)

    best = best_log10_lambda(values)
    # The curve is flat at its minimum: a hundredth of a decade aside it is higher on either side.
    assert score(best) < min(score(best - 0.01), score(best + 0.01))


def test_noise_is_taken_out_and_a_smooth_path_is_left_alone() -> None:
    clean, noisy = path(), path(noise=2e-3)
    assert best_log10_lambda(clean) < -4
    assert np.abs(smoothed(clean) - clean).max() < 1e-8
    left = np.sqrt(np.mean((smoothed(noisy) - clean)[10:-10] ** 2))
    assert left < 0.5 * 2e-3


def test_a_gap_parts_two_paths_and_short_stretches_stay() -> None:
    values = path(noise=1e-3)
    holed = values.copy()
    holed[100:103, 1] = np.nan
    found = smoothed(holed)
    assert np.array_equal(found[:100], smoothed(values[:100]))
    assert np.array_equal(found[103:], smoothed(values[103:]))
    assert np.isnan(found[100:103, 1]).all()
    assert np.array_equal(smoothed(values[:7]), values[:7])
    assert best_log10_lambda(np.zeros((50, 3))) == LEAST
