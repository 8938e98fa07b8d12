"""The tables against the virtual subject's truth: the ground's action as people plot it, in any walking direction."""

from __future__ import annotations

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import SIDE_SIGN, SIDES
from biomech_id.gait.ground import centre_of_pressure, flat_foot, progression_components
from biomech_id.sample import SampleTrial, virtual_subject
from biomech_id.session.tables.cycle_table import trial_direction
from biomech_id.session.tables.frame_table import FrameTable, frame_table

#: Frames loaded by at least this much: the edges of a contact have their own tests.
LOADED_N = 100.0
WALKS = {"+X": {}, "-X": {"direction": "-X", "first_frame": 287}, "+Y": {"direction": "+Y"}}


@pytest.fixture(scope="module", params=WALKS.values(), ids=WALKS.keys())
def walk(request: pytest.FixtureRequest) -> tuple[SampleTrial, bid.BodyMotion, dict, FrameTable]:
    person = virtual_subject()
    sample = person.walk(**request.param)
    subject = person.static().trial.subject
    movement = bid.assign_plates(bid.conventional_model(person.static().trial, subject).track(sample.trial))
    table = frame_table(movement, bid.solve(movement), movement.contacts, mass_kg=subject.mass_kg)
    return sample, movement, dict(movement.contacts), table


def loaded_sides(sample: SampleTrial, contacts: dict) -> dict[str, np.ndarray]:
    """Side -> frames (n,) in which a plate carries it; the plates lie so that every walk loads one with one foot at least."""
    loaded = {side: (sample.truth.ground_force_lab_N[side][:, 2] > LOADED_N) & contacts[side].known for side in SIDES}
    found = {side: frames for side, frames in loaded.items() if frames.sum() > 30}
    assert found
    return found


def test_frames_carry_the_recordings_clock(walk: tuple) -> None:
    sample, _, _, table = walk
    np.testing.assert_allclose(table.time_s, sample.truth.time_s, atol=1e-12)


def test_pressure_and_free_moment_are_where_the_floor_pushes(walk: tuple) -> None:
    sample, _, contacts, table = walk
    for side, loaded in loaded_sides(sample, contacts).items():
        for i, axis in enumerate("XY"):
            error_mm = table[f"{side}CentreOfPressure.{axis}"] - 1000.0 * sample.truth.centre_of_pressure_lab_m[side][:, i]
            # The parabola through half a frame's samples on each side leaves 0.1 N of a load that bends; at 100 N that is 0.5 mm.
            assert np.abs(error_mm[loaded]).max() < 0.5
        contact = contacts[side]
        _, free_Nm = centre_of_pressure(contact.force_lab_N, contact.moment_lab_Nm, least_force_N=LOADED_N / 2)
        assert np.abs(free_Nm - sample.truth.free_moment_Nm[side])[loaded].max() < 0.1  # N m


def test_the_ground_pushes_along_the_path_and_inwards(walk: tuple) -> None:
    sample, motion, contacts, _ = walk
    forward = trial_direction(motion)
    travel = np.diff(sample.truth.origin_lab_m["", "pelvis"][[0, -1]], axis=0)[0] * [1.0, 1.0, 0.0]
    assert np.degrees(np.arccos(np.clip(forward @ travel / np.linalg.norm(travel), -1.0, 1.0))) < 0.01
    for side, loaded in loaded_sides(sample, contacts).items():
        force = progression_components(sample.truth.ground_force_lab_N[side], forward, side)[loaded]
        half = len(force) // 2
        assert force[:half, 0].mean() < 0.0 < force[half:, 0].mean()
        assert force[:, 1].mean() > 0.0


def test_a_flat_foots_axes_are_those_of_the_planted_foot(walk: tuple) -> None:
    sample, motion, contacts, _ = walk
    for side, loaded in loaded_sides(sample, contacts).items():
        middle = sample.truth.time_s[loaded].mean()
        stance = next(s for s in sample.truth.stances if s.side == side and s.strike_s < middle < s.off_s)
        share = (sample.truth.time_s - stance.strike_s) / (stance.off_s - stance.strike_s)
        flat = (share > 0.25) & (share < 0.45)
        foot = flat_foot(motion.foot_outline_lab_m[side], motion.joint_centres_lab_m[side, "ankle"], flat, side)
        assert foot is not None
        heading = np.array([np.cos(stance.yaw_rad), np.sin(stance.yaw_rad), 0.0])
        # The outline's own long axis leans towards the big toe by a few degrees against the line from heel to toe marker.
        turn_deg = np.degrees(np.arcsin(np.cross(heading, foot.forward_lab)[2])) * -SIDE_SIGN[side]
        assert abs(turn_deg) < 6.0
        assert foot.forward_lab @ heading > 0.9
        heel = foot.components(stance.heel_m[None])[0]
        assert np.abs(heel).max() < 0.03  # m: the marker sits behind the heel, on the long axis
