"""Moments near a singular joint coordinate system, and work between instants."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.algebra.rotation import cardan_matrix, jcs_axes
from biomech_id.dynamics.expression import jcs_component, jcs_projection
from biomech_id.dynamics.power import work
from biomech_id.errors import BiomechWarning, InvalidValueError, ShapeError

RNG = np.random.default_rng(8)
N = 8
#: Middle angles, degrees: frames 2, 3, 4 and 6 lie within one degree of +-90, frames 1 and 5 just outside.
MIDDLE = np.array([10.0, 88.9, 89.1, 90.0, 90.9, 91.1, -89.5, 120.0])
M = RNG.normal(0, 50, (N, 3))
PROXIMAL = Rotation.random(N, rng=RNG).as_matrix()
DISTAL = PROXIMAL @ cardan_matrix(np.deg2rad(np.stack([RNG.uniform(-60, 60, N), MIDDLE, RNG.uniform(-60, 60, N)], axis=1)), "yxz")
SINGULAR = [2, 3, 4, 6]


def test_components_are_missing_near_the_singularity_with_one_warning_naming_the_frames() -> None:
    with pytest.warns(BiomechWarning, match="L knee is singular.* in frames 2-4, 6;") as caught:
        components = jcs_component(M, PROXIMAL, DISTAL, "yxz", where="L knee")
    assert len(caught) == 1
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(components).all(axis=1)), SINGULAR)
    axes = jcs_axes(PROXIMAL, DISTAL, "yxz")
    rest = np.setdiff1d(np.arange(N), SINGULAR)
    rebuilt = np.einsum("fik,fk->fi", axes, components)
    # Just outside, 1 - k2 is 3e-4 and costs three to four of sixteen digits.
    np.testing.assert_allclose(rebuilt[rest], M[rest], rtol=0, atol=1e-9)


def test_projections_stay_finite_and_are_the_scalar_products() -> None:
    projections = jcs_projection(M, PROXIMAL, DISTAL, "yxz")
    assert np.isfinite(projections).all()
    np.testing.assert_allclose(projections[:, 0], np.einsum("fi,fi->f", M, PROXIMAL[:, :, 1]), rtol=0, atol=1e-11)
    np.testing.assert_allclose(projections[:, 2], np.einsum("fi,fi->f", M, DISTAL[:, :, 2]), rtol=0, atol=1e-11)
    axes = jcs_axes(PROXIMAL, DISTAL, "yxz")
    np.testing.assert_allclose(projections[:, 1], np.einsum("fi,fi->f", M, axes[:, :, 1]), rtol=0, atol=1e-11)


def test_away_from_the_singularity_nothing_is_said() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jcs_component(M[:2], PROXIMAL[:2], DISTAL[:2], "yxz")


def test_projection_and_component_differ_by_the_angle_between_the_axes() -> None:
    k = np.sin(np.deg2rad(MIDDLE[:2]))
    tau, m = jcs_projection(M[:2], PROXIMAL[:2], DISTAL[:2], "yxz"), jcs_component(M[:2], PROXIMAL[:2], DISTAL[:2], "yxz")
    # "yxz" is an anti-cyclic sequence: its outer axes enclose minus the sine.
    np.testing.assert_allclose(tau[:, 0], m[:, 0] - k * m[:, 2], rtol=0, atol=1e-9)
    np.testing.assert_allclose(tau[:, 1], m[:, 1], rtol=0, atol=1e-12)


def test_work_of_a_sine_wave() -> None:
    """One period of sin has 2 J of positive and -2 J of negative work at unit angular frequency."""
    t = np.linspace(0, 2 * np.pi, 20_001)
    done = work(np.sin(t), t, 0.0, 2 * np.pi)
    assert done.positive_J == pytest.approx(2, abs=1e-7)  # trapezoids: (2 pi / 20 000)^2 / 12 per unit
    assert done.negative_J == pytest.approx(-2, abs=1e-7)
    assert done.net_J == pytest.approx(0, abs=1e-9)


def test_work_is_exact_for_piecewise_linear_power() -> None:
    """From -1 W to 3 W in 4 s: a triangle of -1/2 J, then one of 9/2 J, whatever the samples and the ends."""
    t = np.array([0.0, 4.0])
    p = np.array([-1.0, 3.0])
    done = work(p, t, 0.0, 4.0)
    assert (done.positive_J, done.negative_J) == pytest.approx((4.5, -0.5), abs=1e-15)
    phases = {"absorb": (0.0, 1.0), "generate": (1.0, 4.0), "nothing": (2.0, 2.0)}
    halves = {name: work(p, t, *phase) for name, phase in phases.items()}
    assert (halves["absorb"].positive_J, halves["absorb"].negative_J) == pytest.approx((0, -0.5), abs=1e-15)
    assert (halves["generate"].positive_J, halves["generate"].negative_J) == pytest.approx((4.5, 0), abs=1e-15)
    assert halves["nothing"].net_J == 0


def test_work_over_a_gap_is_not_known() -> None:
    t = np.arange(6.0)
    p = np.array([1, 1, np.nan, 1, 1, 1.0])
    assert np.isnan(work(p, t, 0.0, 5.0).positive_J)
    assert work(p, t, 3.0, 5.0).positive_J == pytest.approx(2.0)


def test_work_outside_the_recording_is_refused() -> None:
    t = np.arange(3.0)
    with pytest.raises(InvalidValueError, match="does not lie within the recording"):
        work(t, t, 1.0, 3.0)
    with pytest.raises(InvalidValueError, match="does not lie within"):
        work(t, t, 2.0, 1.0)
    with pytest.raises(ShapeError, match=r"\(3,\), time \(4,\)"):
        work(t, np.arange(4.0), 0.0, 1.0)
