"""What the residual of the whole body accuses: a walker who obeys Newton, and one fault at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.dynamics.momentum import BodyMomentum, Ground
from biomech_id.gait.measures.residual import ResidualTest, judge_residual

RATE_HZ, MASS_KG, STEP_S = 100.0, 60.0, 0.5
N = 200


def acceleration(time_s: np.ndarray) -> np.ndarray:
    """A walk along y: forward, to its left (-x) and up."""
    step = 2 * np.pi * time_s / STEP_S
    forward, left, up = 1.2 * np.cos(step + 0.3), 0.5 * np.sin(step / 2), 1.8 * np.cos(step)
    return np.stack([-left, forward, up], axis=1)


def walker(mass: float = 1.0, late_s: float = 0.0) -> tuple[BodyMomentum, Ground, dict[str, np.ndarray]]:
    time_s = np.arange(N) / RATE_HZ
    zero = np.zeros((N, 3))
    body = BodyMomentum(MASS_KG * mass, zero, zero, acceleration(time_s), zero, zero, zero[:, 0])
    ground = Ground(MASS_KG * (acceleration(time_s - late_s) + [0.0, 0.0, GRAVITY_M_S2]), zero)
    phase = (time_s % (2 * STEP_S)) / (2 * STEP_S)
    return body, ground, {"L": phase < 0.6, "R": (phase >= 0.5) | (phase < 0.1)}


#: Rows: forward, to the left, up.
ALONG_Y = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def judged(ground_factor: tuple[float, float, float] = (1.0, 1.0, 1.0), mass: float = 1.0, late_s: float = 0.0) -> ResidualTest:
    body, ground, on_floor = walker(mass, late_s)
    factor = ALONG_Y.T @ np.diag(ground_factor) @ ALONG_Y
    found = judge_residual(body, replace(ground, force_lab_N=ground.force_lab_N @ factor.T), on_floor, ALONG_Y, RATE_HZ)
    assert found is not None
    return found


def test_a_walker_who_obeys_newton_leaves_nothing_over() -> None:
    found = judged()
    assert found.causes == ()
    assert max(phase.size_percent for phase in found.phases.values()) < 1e-9
    assert found.slope == pytest.approx((1.0, 1.0, 1.0), abs=1e-9)
    assert found.lag_s == pytest.approx(0.0, abs=1e-6)
    assert set(found.phases) == {"single_L", "single_R", "single", "double"}
    assert found.single.frames == found.phases["single_L"].frames + found.phases["single_R"].frames


@pytest.mark.parametrize(
    ("factor", "mass", "late_s", "cause"),
    [
        ((1.15, 1.15, 1.15), 1.0, 0.0, "weight"),
        ((1.0, 1.0, 1.0), 1.15, 0.0, "weight"),
        ((1.0, 1.0, 1.0), 0.85, 0.0, "weight"),
        ((-1.0, 1.0, 1.0), 1.0, 0.0, "sign-fore_aft"),
        ((1.0, -1.0, 1.0), 1.0, 0.0, "sign-sideways"),
        ((1.0, 1.0, -1.0), 1.0, 0.0, "sign-vertical"),
        ((1.0, 1.0, 1.0), 1.0, 0.05, "clock"),
        ((1.0, 1.0, 1.0), 1.0, -0.05, "clock"),
        ((2.2, 1.0, 1.0), 1.0, 0.0, "size"),
    ],
)
def test_one_fault_is_accused_of_what_it_is(factor: tuple[float, float, float], mass: float, late_s: float, cause: str) -> None:
    assert judged(factor, mass, late_s).causes == (cause,)


def test_numbers_behind_an_accusation_are_the_faults_own() -> None:
    assert judged((1.15,) * 3).single.mean_percent[2] == pytest.approx(15.0, abs=2.5)
    assert judged((1.15,) * 3).slope == pytest.approx((1.15,) * 3, abs=1e-6)
    assert judged(late_s=0.05).lag_s == pytest.approx(0.05, abs=1e-3)
    assert judged(late_s=-0.033).lag_s == pytest.approx(-0.033, abs=1e-3)
    assert judged((-1.0, 1.0, 1.0)).slope[0] == pytest.approx(-1.0, abs=1e-6)


def test_too_little_single_support_is_not_judged() -> None:
    body, ground, on_floor = walker()
    known = np.zeros(N, dtype=bool)
    known[10:35] = True
    hidden = replace(ground, force_lab_N=np.where(known[:, None], ground.force_lab_N, np.nan))
    assert judge_residual(body, hidden, on_floor, ALONG_Y, RATE_HZ) is None
    known[10:70] = True
    hidden = replace(ground, force_lab_N=np.where(known[:, None], ground.force_lab_N, np.nan))
    found = judge_residual(body, hidden, on_floor, ALONG_Y, RATE_HZ)
    assert found is not None
    assert found.causes == ()
