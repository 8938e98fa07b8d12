"""Wrenches keep their point and their axes, and refuse to be mixed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.algebra.wrench import Wrench
from biomech_id.errors import FrameMismatchError, ShapeError

RNG = np.random.default_rng(1)
N = 5
F, M, P, Q = (RNG.normal(0, s, (N, 3)) for s in (100, 10, 1, 1))
R = Rotation.random(N, rng=RNG).as_matrix()


def wrench(**changes: object) -> Wrench:
    return Wrench(**({"force_N": F, "moment_Nm": M, "point_lab_m": P} | changes))  # type: ignore[arg-type]


def test_moving_the_point_adds_the_lever() -> None:
    """10 N upwards at x = 2 m turns about the origin by -20 N m about y: r x F with r = (2, 0, 0)."""
    lifted = Wrench(np.array([[0, 0, 10.0]]), np.zeros((1, 3)), np.array([2.0, 0, 0]))
    np.testing.assert_allclose(lifted.about(np.zeros(3)).moment_Nm, [[0, -20, 0]], rtol=0, atol=1e-15)


def test_there_and_back_again() -> None:
    moved = wrench().about(Q).expressed_in("foot", R).about(P).expressed_in("lab")
    np.testing.assert_allclose(moved.force_N, F, rtol=0, atol=1e-12)
    np.testing.assert_allclose(moved.moment_Nm, M, rtol=0, atol=1e-12)
    assert moved.isclose(wrench())


def test_components_in_a_frame_are_those_along_its_axes() -> None:
    seen = wrench().expressed_in("foot", R)
    for k in range(3):
        np.testing.assert_allclose(seen.moment_Nm[:, k], np.einsum("fi,fi->f", M, R[:, :, k]), rtol=0, atol=1e-12)
    assert seen.frame == "foot"


def test_moving_the_point_commutes_with_turning_the_axes() -> None:
    one, other = wrench().about(Q).expressed_in("foot", R), wrench().expressed_in("foot", R).about(Q)
    assert one.isclose(other, atol=1e-12)


def test_power_does_not_depend_on_point_or_frame() -> None:
    velocity, omega = RNG.normal(size=(N, 3)), RNG.normal(size=(N, 3))
    power = wrench().power(velocity, omega)
    moved = wrench().about(Q).power(velocity + np.cross(omega, Q - P), omega)
    turned = wrench().expressed_in("foot", R).power(np.einsum("fji,fj->fi", R, velocity), np.einsum("fji,fj->fi", R, omega))
    np.testing.assert_allclose(moved, power, rtol=0, atol=1e-10)
    np.testing.assert_allclose(turned, power, rtol=0, atol=1e-10)


def test_sum_and_difference() -> None:
    both = wrench() + wrench()
    np.testing.assert_allclose(both.force_N, 2 * F)
    np.testing.assert_allclose((both - wrench()).moment_Nm, M, rtol=0, atol=1e-12)


def test_the_opposite_of_internal_is_external() -> None:
    internal = wrench(sense="internal")
    assert (-internal).sense == "external"
    assert (internal + internal).sense == "internal"
    assert (internal + wrench()).sense == ""
    np.testing.assert_array_equal((-internal).moment_Nm, -M)


def test_different_points_are_not_added() -> None:
    with pytest.raises(FrameMismatchError, match="move one with about"):
        wrench() + wrench(point_lab_m=Q)


def test_different_frames_are_not_added() -> None:
    with pytest.raises(FrameMismatchError, match="lab and foot axes"):
        wrench() + wrench().expressed_in("foot", R)
    with pytest.raises(FrameMismatchError, match="foot and foot axes"):
        wrench().expressed_in("foot", R) - wrench().expressed_in("foot", R[::-1])


def test_different_lengths_name_both_shapes() -> None:
    with pytest.raises(ShapeError, match=r"\(5, 3\) and \(4, 3\)"):
        wrench() + Wrench(F[:4], M[:4], P[:4])
    with pytest.raises(ShapeError, match=r"moment_Nm of Wrench has shape \(4, 3\), expected \(5, 3\)"):
        wrench(moment_Nm=M[:4])


def test_a_number_is_not_a_wrench() -> None:
    with pytest.raises(TypeError):
        wrench() + 1.0  # type: ignore[operator]


def test_named_axes_need_their_rotation() -> None:
    with pytest.raises(FrameMismatchError, match="needs R_lab_frame, the rotation"):
        wrench(frame="foot")


def test_a_fixed_point_serves_all_frames() -> None:
    fixed = wrench(point_lab_m=np.array([1.0, 2.0, 3.0]))
    assert fixed.point_lab_m.shape == (N, 3)
    assert fixed.isclose(wrench(point_lab_m=np.tile([1.0, 2.0, 3.0], (N, 1))))


def test_a_wrench_cannot_be_changed_through_its_source() -> None:
    force = F.copy()
    kept = wrench(force_N=force)
    force[0] = 0
    np.testing.assert_array_equal(kept.force_N, F)
    with pytest.raises(ValueError, match="read-only"):
        kept.force_N[0] = 0


def test_missing_frames_stay_missing_alone() -> None:
    force = F.copy()
    force[2] = np.nan
    moved = wrench(force_N=force).about(Q).expressed_in("foot", R)
    assert np.isnan(moved.moment_Nm[2]).all()
    assert np.isfinite(np.delete(moved.moment_Nm, 2, axis=0)).all()
    assert wrench(force_N=force).isclose(wrench(force_N=force))
    assert not wrench(force_N=force).isclose(wrench())


def test_close_is_within_the_tolerance() -> None:
    assert wrench().isclose(wrench(moment_Nm=M + 0.9e-9))
    assert not wrench().isclose(wrench(moment_Nm=M + 1.1e-9))
