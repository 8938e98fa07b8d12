"""Plates at the video rate: what each window does to constants, polynomials, noise and the ends."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.signal.resample import local_quadratic, quadratic_weights, window_mean


@pytest.mark.parametrize(("ratio", "samples"), [(10, 11), (9, 9), (20, 21), (1, 1)])
def test_window_mean_is_the_plain_mean_of_that_many_samples(ratio: int, samples: int) -> None:
    rng = np.random.default_rng(0)
    analog = rng.normal(size=(30 * ratio, 3))
    half = ratio // 2
    expected = analog[10 * ratio - half : 10 * ratio + half + 1].mean(axis=0)
    assert 2 * half + 1 == samples
    assert np.allclose(window_mean(analog, 30, ratio)[10], expected, rtol=0, atol=1e-15)


def test_window_mean_counts_zeros_before_the_first_sample() -> None:
    out = window_mean(np.ones((40, 1)), 4, 10)
    assert out[:, 0].tolist() == pytest.approx([6 / 11, 1.0, 1.0, 1.0])


@pytest.mark.parametrize("ratio", [4, 5, 9, 10, 20])
def test_local_quadratic_is_exact_for_cubics(ratio: int) -> None:
    t = (np.arange(20 * ratio) - 7 * ratio) / ratio
    cubic = 2.0 - 3.0 * t + 4.0 * t**2 - 5.0 * t**3
    exact = cubic[::ratio]
    # N: rounding of values up to 1e4; the first frame's window reaches beyond the recording.
    assert np.abs(local_quadratic(cubic, 20, ratio) - exact)[1:].max() < 1e-10


def test_window_mean_is_biased_by_curvature_and_local_quadratic_is_not() -> None:
    t = np.linspace(-1, 1, 201)
    bump = 800.0 * np.cos(12.0 * t)
    exact = bump[::10]
    mean, quadratic = window_mean(bump, 20, 10)[1:], local_quadratic(bump, 20, 10)[1:]
    assert np.abs(mean - exact[1:20]).max() > 10 * np.abs(quadratic - exact[1:20]).max()


def test_quadratic_weights_add_to_one_and_have_no_second_moment() -> None:
    weights = quadratic_weights(10)
    t = np.arange(-5, 6)
    assert weights.sum() == pytest.approx(1.0, abs=1e-15)
    assert weights @ t**2 == pytest.approx(0.0, abs=1e-13)
    # White noise is still averaged: its variance falls to the sum of squared weights.
    assert (weights**2).sum() < 0.25


def test_ratio_of_one_returns_the_samples() -> None:
    samples = np.arange(12.0).reshape(6, 2)
    assert np.array_equal(local_quadratic(samples, 6, 1), samples)
    assert np.array_equal(window_mean(samples, 6, 1), samples)
