"""The virtual subject moves and is moved as bodies are: on the floor, not through it; energy and momentum accounted for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.sample import VirtualSubject, virtual_subject
from biomech_id.sample.jets import Jet, jet_dot, rotate, time_jet, transpose
from biomech_id.sample.mechanics import angular_velocity_of, segment_poses

G = 9.81
WALKS: list[dict[str, Any]] = [
    {},
    {"direction": "turn"},
    {"direction": "+Y", "body": "child", "speed_m_s": 0.9},
    {"direction": "-X", "lead": "L", "speed_m_s": 1.6},
]
BELT: dict[str, Any] = {"belt": True, "plates": "belt"}


@pytest.fixture(scope="module", params=[*WALKS, BELT], ids=str)
def person(request: pytest.FixtureRequest) -> VirtualSubject:
    return virtual_subject(**request.param)


def _fine_times(person: VirtualSubject, n: int = 300) -> tuple[np.ndarray, Jet]:
    cycle = person.gait.plan.cycle_s
    times = np.linspace(-1.2 * cycle, 1.2 * cycle, n)
    return times, time_jet(times, order=2)


def test_a_planted_foot_neither_slips_nor_sinks(person: VirtualSubject) -> None:
    """Sliding of the sole's material under the rounded heel, the flat sole and the rounded toe while it carries load."""
    _, time = _fine_times(person)
    mover, sole, plan = person.mover(), person.sole, person.gait.plan
    pose = mover.pose(time)
    belt = np.array([*person.gait.path.first, 0.0]) * person.gait.path.belt_m_s
    for side in "LR":
        foot = pose.soles[side]
        for strike, off in zip(plan.steps[side].strike_s, plan.steps[side].off_s, strict=True):
            stance = (time.value > strike) & (time.value < off)
            if stance.sum() < 10:
                continue
            for x, radius, rolling in (
                (sole.heel_x, sole.heel_radius, foot.heel_pitch_rad),
                (sole.toe_x, sole.toe_radius, foot.toe_pitch_rad),
            ):
                other = foot.toe_pitch_rad if rolling is foot.heel_pitch_rad else foot.heel_pitch_rad
                mine = stance & (np.abs(other.value) < 1e-12)
                centre = foot.origin_m + rotate(foot.R_lab_sole, np.array([x, 0.0, radius]))
                # Rolling without slip: the circle's centre moves by radius x pitch, so this point stays where it is.
                forward = foot.R_lab_sole.value[..., 0] * np.array([1.0, 1.0, 0.0])
                forward /= np.linalg.norm(forward, axis=1, keepdims=True)
                anchor = centre.value - radius * rolling.value[:, None] * forward + time.value[:, None] * belt
                drift = np.linalg.norm((anchor - anchor[mine][len(anchor[mine]) // 2])[mine][:, :2], axis=1)
                assert drift.max() < 1e-3
                assert np.abs(centre.value[mine, 2] - radius).max() < 2e-4


def test_nothing_is_ever_below_the_floor(person: VirtualSubject) -> None:
    _, time = _fine_times(person)
    pose = person.mover().pose(time)
    for side in "LR":
        foot = pose.soles[side]
        for x, radius in ((person.sole.heel_x, person.sole.heel_radius), (person.sole.toe_x, person.sole.toe_radius)):
            centre = foot.origin_m.value + rotate(foot.R_lab_sole, np.array([x, 0.0, radius])).value
            assert (centre[:, 2] - radius).min() > -1e-9
    walk = person.walk()
    assert walk.trial.markers.position_m[..., 2].min() > 0.0


def test_centre_of_pressure_stays_inside_the_foot_outline(person: VirtualSubject) -> None:
    """Inside the outline of the rigid foot as it hangs over the floor at that instant, seen from above."""
    _, time = _fine_times(person)
    mover, outline = person.mover(), person.sole.outline_m()
    pose = mover.pose(time)
    for side in "LR":
        wrench = mover.ground(pose, time, side)
        foot = pose.soles[side]
        corners = (foot.origin_m.value[:, None] + np.einsum("nij,kj->nki", foot.R_lab_sole.value, outline))[..., :2]
        edges = np.roll(corners, -1, axis=1) - corners
        to_cop = wrench.cop_m.value[:, None, :2] - corners
        turn = edges[..., 0] * to_cop[..., 1] - edges[..., 1] * to_cop[..., 0]
        inside = (turn > 0).all(axis=1) | (turn < 0).all(axis=1)
        loaded = wrench.force_N.value[:, 2] > 0.02 * mover.body.mass_kg * G
        assert np.abs(wrench.cop_m.value[:, 2]).max() == 0.0
        assert loaded.sum() > 100
        assert inside[loaded].all()


def test_force_crosses_five_newtons_within_half_a_frame_of_the_true_event(person: VirtualSubject) -> None:
    walk = person.walk()
    ratio = 50  # fine sampling of the force itself, not of a plate
    times = np.arange(walk.truth.time_s[0], walk.truth.time_s[-1], 1 / (person.rate_hz * ratio))
    mover = person.mover()
    time = time_jet(times - walk.clock_zero_s, order=0)
    pose = mover.pose(time)
    half_frame_s = 0.5 / person.rate_hz
    for side in "LR":
        above = mover.ground(pose, time, side).force_N.value[:, 2] > 5.0
        edges = np.flatnonzero(np.diff(above.astype(int)))
        crossings = times[edges]
        events = np.array([e.time_s for e in walk.truth.events if e.side == side])
        assert len(crossings) == len(events)
        assert np.abs(crossings - events).max() < half_frame_s


def test_energy_of_a_leg_changes_as_fast_as_work_is_done_on_it(person: VirtualSubject) -> None:
    """d/dt (kinetic + potential) of thigh, shank and foot = powers at ankle and knee + hip wrench and ground on the leg."""
    walk, mover = person.walk(), person.mover()
    truth = walk.truth
    pose = mover.pose(time_jet(truth.time_s - walk.clock_zero_s, order=2))
    for side in "LR":
        energy_rate = np.zeros(len(truth.time_s))
        for segment, (R, origin) in segment_poses(pose, side).items():
            part = mover.body.inertia(side, segment)
            velocity = (origin + rotate(R, part.com_m)).rate()
            spin = rotate(transpose(Jet(R.c[:-1])), angular_velocity_of(R))
            kinetic = jet_dot(velocity, velocity) * (part.mass_kg / 2) + jet_dot(spin * np.diag(part.tensor_kgm2), spin) * 0.5
            energy_rate += kinetic.derivative(1) + part.mass_kg * G * velocity.value[:, 2]
        leg = pose.legs[side]
        hip_velocity, ankle_velocity = leg.hip_m.derivative(1), leg.ankle_m.derivative(1)
        from_pelvis = _power(truth.joint_force_lab_N[side, "hip"], hip_velocity) + _power(
            truth.joint_moment_lab_Nm[side, "hip"], truth.omega_lab_rad_s["", "pelvis"]
        )
        force = truth.ground_force_lab_N[side]
        couple = truth.ground_moment_lab_Nm[side] - np.cross(leg.ankle_m.value, force)
        from_ground = _power(force, ankle_velocity) + _power(couple, truth.omega_lab_rad_s[side, "foot"])
        joints = sum(truth.power_rotational_W[side, j] + truth.power_translational_W[side, j] for j in ("ankle", "knee", "hip"))
        np.testing.assert_allclose(energy_rate, from_pelvis + joints + from_ground, rtol=0, atol=1e-9)


def _power(effort: np.ndarray, flow: np.ndarray) -> np.ndarray:
    return (effort * flow).sum(axis=1)


def test_joints_are_ideal(person: VirtualSubject) -> None:
    truth = person.walk().truth
    for power in truth.power_translational_W.values():
        assert np.abs(power).max() < 1e-9


def test_the_floor_carries_the_body_and_neither_speeds_nor_slows_it(person: VirtualSubject) -> None:
    cycle = person.gait.plan.cycle_s
    times = np.arange(2000) / 2000 * cycle
    mover = person.mover()
    time = time_jet(times, order=0)
    pose = mover.pose(time)
    total = sum(mover.ground(pose, time, side).force_N.value for side in "LR")
    weight = mover.body.mass_kg * G
    assert total[:, 2].mean() == pytest.approx(weight, rel=1e-6)
    if person.direction != "turn":
        forward = total[:, :2] @ person.gait.path.first
        sideways = total[:, :2] @ np.array([-person.gait.path.first[1], person.gait.path.first[0]])
        assert abs(forward.mean()) < 1e-4 * weight
        assert abs(sideways.mean()) < 0.01 * weight  # toes turned out by unequal angles leave a trace
