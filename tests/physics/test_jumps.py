"""Heights of jumps by three methods against the virtual jumper, whose take-off velocity is known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.gait.jumps import Jump, JumpRecord, find_jumps
from biomech_id.gait.movements import TrialKind
from biomech_id.gait.travel import classify


@cache
def recorded(kind: str):
    """A jump, and what it is found in: plates at the analog rate, the body's true centre at the video rate."""
    person = bid.virtual_subject(upper_body=True, analog_ratio=5)
    given = {"crouched": {"landing_depth_m": 0.55}, "drop": {"drop": True}, "equal": {}}[kind]
    sample = person.jump(kind, **given)
    plates, truth, trial = sample.trial.plates, sample.truth, sample.trial
    force = np.sum([plate.force_lab_N[:, 2] for plate in plates], axis=0)
    time = trial.first_time_s + np.arange(len(force)) / plates[0].rate_hz
    feet = {side: truth.ground_force_lab_N[side][:, 2] for side in "LR"}
    record = JumpRecord(time, force, truth.time_s, truth.upper.com_lab_m[:, 2], trial.subject.mass_kg, feet)
    return sample, record


def only(kind: str) -> tuple[Jump, dict]:
    sample, record = recorded(kind)
    (jump,) = find_jumps(record)
    return jump, sample.truth.spatiotemporal


@pytest.mark.parametrize("kind", ["equal", "drop"])
def test_methods_agree_within_5_mm_where_the_landing_is_as_the_take_off(kind: str) -> None:
    jump, known = only(kind)
    heights = [jump.height_flight_m, jump.height_centre_m]
    if kind == "equal":
        heights.append(jump.height_impulse_m)
    else:  # who drops onto the plate has not stood there before
        assert np.isnan(jump.height_impulse_m)
        assert jump.contact_s == pytest.approx(known["take_off_s"] - known["first_landing_s"], abs=0.004)
        assert jump.stiffness_kN_m_kg > 0
    assert np.ptp(heights) < 0.005
    assert heights == pytest.approx([known["height_m"]] * len(heights), abs=0.005)
    assert jump.cause == ""
    assert jump.take_off_s - known["top_s"] == pytest.approx(known["take_off_s"], abs=0.006)
    assert jump.landing_s - known["top_s"] == pytest.approx(known["landing_s"], abs=0.006)
    assert abs(jump.landing_asymmetry_percent) < 0.1


def test_after_a_crouched_landing_the_flight_time_says_more_and_why() -> None:
    jump, known = only("crouched")
    assert known["landing_below_take_off_m"] > 0.02
    assert jump.height_impulse_m == pytest.approx(known["height_m"], abs=0.005)
    assert jump.height_centre_m == pytest.approx(known["height_m"], abs=0.005)
    assert jump.height_flight_m == pytest.approx(known["flight_height_m"], abs=0.005)
    assert jump.height_flight_m > known["height_m"] + 0.005
    assert jump.lower_m == pytest.approx(known["landing_below_take_off_m"], abs=0.005)
    assert jump.cause == "lower"


def test_a_jump_is_called_one_and_its_forces_are_those_of_a_falling_body() -> None:
    sample, _ = recorded("equal")
    assert classify(sample.trial) is TrialKind.JUMP
    truth, mass = sample.truth, sample.trial.subject.mass_kg
    step = 1.0 / sample.trial.rate_hz
    acceleration = np.diff(truth.upper.com_lab_m[:, 2], 2) / step**2
    force = (truth.ground_force_lab_N["L"] + truth.ground_force_lab_N["R"])[1:-1, 2]
    assert np.median(np.abs(mass * (acceleration + GRAVITY_M_S2) - force)) < 1.0
    flying = force == 0
    assert 20 < flying.sum() < 60
    assert np.abs(acceleration[flying][1:-1] + GRAVITY_M_S2).max() < 1e-6
    # Nobody pushes sideways against the air.
    assert np.ptp(truth.upper.com_lab_m[:, :2], axis=0).max() < 1e-4


def test_blips_and_steps_off_the_plate_are_no_jumps() -> None:
    _, record = recorded("equal")
    (jump,) = find_jumps(record)
    inside = (record.time_s > jump.take_off_s + 0.1) & (record.time_s < jump.take_off_s + 0.12)
    (same,) = find_jumps(replace(record, force_N=np.where(inside, 60.0, record.force_N)))
    assert same.landing_s == jump.landing_s
    stepping = replace(record, centre_m=np.full_like(record.centre_m, 0.95))
    assert find_jumps(stepping) == ()
    assert find_jumps(replace(record, force_N=np.full_like(record.force_N, 700.0))) == ()
