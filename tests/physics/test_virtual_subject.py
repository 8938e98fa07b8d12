"""The main chain against exact truth: from the virtual subject's C3D files to joint centres, angles, moments and powers.

The truth shares no code with the chain. Left out at each end are 6 frames: the natural spline's end condition (third and fourth
derivative zero) is not the subject's, and its error dies away by a factor of about 20 every two frames.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.sample import SampleTrial, VirtualSubject, virtual_subject, write_c3d

ENDS = 6
#: A plate sample this light belongs to the edge of a contact.
EDGE_N = 20.0
#: Limits of the product: mm, deg, N m/kg (root mean square per axis), W/kg (largest).
CENTRE_MM, ANGLE_DEG, MOMENT_NM_KG, POWER_W_KG = 0.01, 0.01, 2e-3, 0.02

WALKS = {
    "adult +X": ({}, {}),
    "adult -X": ({}, {"direction": "-X", "first_frame": 287}),
    "adult +Y": ({}, {"direction": "+Y"}),
    "adult turn": ({}, {"direction": "turn"}),
    "adult left first": ({}, {"lead": "L"}),
    "child": ({"body": "child"}, {}),
    "child with a sacral marker": ({"body": "child", "sacrum": True}, {}),
    "slow": ({}, {"speed_m_s": 0.9}),
}


def tracked(person: VirtualSubject, static: bid.Trial, walk: bid.Trial) -> tuple[BodyMotion, JointLoads]:
    subject = person.static().trial.subject
    movement = bid.assign_plates(bid.conventional_model(static, subject).track(walk))
    return movement, bid.solve(movement)


def from_c3d(sample: SampleTrial, folder: Path) -> bid.Trial:
    return bid.read_c3d(write_c3d(sample, folder / f"{sample.trial.name}.c3d"), trust=True)


def moment_errors(
    sample: SampleTrial, loads: JointLoads, ends: int = ENDS, *, edges: bool = True
) -> dict[tuple[str, str], np.ndarray]:
    """(side, joint) -> (k, 3), N m/kg, in the frames whose contact is known."""
    mass = sample.trial.subject.mass_kg
    errors = {}
    for key in ((side, joint) for side in SIDES for joint in JOINTS):
        known = loads[key].known.copy()
        known[:ends] = known[-ends:] = False
        if not edges:
            force_N = np.linalg.norm(sample.truth.ground_force_lab_N[key[0]], axis=1)
            known &= (force_N == 0.0) | (force_N > EDGE_N)
        ours = loads[key].expressed_in("distal").moment_Nm
        errors[key] = (ours - sample.truth.joint_moment_distal_Nm[key])[known] / mass
    return errors


@pytest.mark.parametrize(("options", "walking"), WALKS.values(), ids=WALKS.keys())
def test_every_walk_and_side_from_its_c3d_files(options: dict, walking: dict, tmp_path: Path) -> None:
    person = virtual_subject(**options)
    sample = person.walk(**walking)
    motion, loads = tracked(person, from_c3d(person.static(), tmp_path), from_c3d(sample, tmp_path))
    truth, mass = sample.truth, sample.trial.subject.mass_kg
    errors = moment_errors(sample, loads)
    stance_frames = 0
    for side in SIDES:
        for joint in JOINTS:
            key = (side, joint)
            centre = motion.joint_centres_lab_m[key] - truth.joint_centres_lab_m[key]
            assert np.linalg.norm(centre, axis=1).max() * 1e3 < CENTRE_MM, key
            angle = np.rad2deg(motion.joint_angles_rad[key] - truth.joint_angles_rad[key])
            assert np.abs(angle).max() < ANGLE_DEG, key
            assert np.sqrt((errors[key] ** 2).mean(axis=0)).max() < MOMENT_NM_KG, key
            known = loads[key].known.copy()
            known[:ENDS] = known[-ENDS:] = False
            power = (loads[key].power_rotational_W - truth.power_rotational_W[key])[known] / mass
            assert np.abs(power).max() < POWER_W_KG, key
        loaded = np.linalg.norm(truth.ground_force_lab_N[side], axis=1) > 100.0
        stance_frames += int((loaded & loads[side, "hip"].known).sum())
    # The comparison must include a whole stance on a plate, not swing alone: about 60 frames at 100 Hz.
    assert stance_frames > 45


@pytest.mark.slow
def test_in_memory_the_error_shrinks_as_the_rate_doubles() -> None:
    """Quintic splines are of fourth order in the second derivative: doubling the rate must divide the error by at least eight.

    The edges of contact are left out: a load below one newton counts as none, whatever the rate, which costs up to 3e-4 N m/kg.
    """
    worst = {}
    for rate_hz in (100.0, 200.0, 400.0):
        person = virtual_subject(rate_hz=rate_hz)
        sample = person.walk()
        _, loads = tracked(person, person.static().trial, sample.trial)
        ends = round(ENDS * rate_hz / 100.0)
        worst[rate_hz] = max(np.sqrt((e**2).mean(axis=0)).max() for e in moment_errors(sample, loads, ends, edges=False).values())
    assert worst[200.0] < worst[100.0] / 8
    assert worst[400.0] < worst[200.0] / 8


def test_a_subject_who_breaks_the_models_rules_is_not_recovered_and_by_how_much() -> None:
    """Knee width, wand and ankle errors of the violating variant show in the results: the test that recovery is not automatic."""
    person = virtual_subject(variant="violating")
    sample = person.walk()
    motion, loads = tracked(person, person.static().trial, sample.trial)
    knee = np.linalg.norm(motion.joint_centres_lab_m["L", "knee"] - sample.truth.joint_centres_lab_m["L", "knee"], axis=1).max()
    errors = moment_errors(sample, loads)
    worst = max(np.sqrt((e**2).mean(axis=0)).max() for e in errors.values())
    assert knee * 1e3 > 1.0
    assert worst > 5 * MOMENT_NM_KG
