"""The whole body's momentum: against the joint loads of the same segments, against Euler's top, and against paths known exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.algebra.rotation import rotation_about
from biomech_id.conventions import GRAVITY_M_S2, SIDES
from biomech_id.dynamics.body import BodyMotion, FootContact, Frames, Motion, Segment
from biomech_id.dynamics.momentum import Ground, body_momentum, com_from_forces, ground_of, ground_residual
from biomech_id.dynamics.newton_euler import solve_body
from biomech_id.errors import MissingInputError


@pytest.mark.parametrize("per_frame", [False, True])
def test_what_the_ground_leaves_over_of_two_legs_is_what_the_hips_transmit(
    make_body: Callable[..., BodyMotion], make_contacts: Callable[..., dict[str, FootContact]], per_frame: bool
) -> None:
    motion, contacts = make_body(per_frame=per_frame), make_contacts()
    body = body_momentum(motion.segments, motion.motions)
    force, moment = ground_residual(body, ground_of(contacts))
    loads = solve_body(motion, contacts)
    hips = [loads[side, "hip"].expressed_in("lab") for side in SIDES]
    assert np.abs(force + sum(hip.force_N for hip in hips)).max() < 1e-9
    centres = [motion.joint_centres_lab_m[side, "hip"] for side in SIDES]
    about_com = sum(
        hip.moment_Nm + np.cross(centre - body.com_lab_m, hip.force_N) for hip, centre in zip(hips, centres, strict=True)
    )
    assert np.abs(moment + about_com).max() < 1e-9


def top(time_s: np.ndarray) -> tuple[Segment, Motion, np.ndarray]:
    """A symmetric top that nothing acts on, in closed form: it turns about its own axis, which turns about H."""
    across, along, tilt, about_H = 0.3, 0.1, 0.4, 2.0
    H = across * about_H
    own = H * np.cos(tilt) * (1 / along - 1 / across)
    R = rotation_about(2, about_H * time_s) @ rotation_about(1, np.full(len(time_s), tilt)) @ rotation_about(2, own * time_s)
    z = R[:, :, 2]
    omega = about_H * np.array([0.0, 0.0, 1.0]) + own * z
    alpha = own * np.cross([0.0, 0.0, about_H], z)
    segment = Segment("top", 2.0, np.zeros(3), np.diag([across, across, along]))
    fall = np.outer(time_s**2, [0.0, 0.0, -GRAVITY_M_S2 / 2])
    speed = np.outer(time_s, [0.0, 0.0, -GRAVITY_M_S2])
    down = np.tile([0.0, 0.0, -GRAVITY_M_S2], (len(time_s), 1))
    return segment, Motion(Frames(R, fall), omega, alpha, fall, speed, down, segment=segment), np.array([0.0, 0.0, H])


def test_a_top_in_free_fall_keeps_its_angular_momentum_and_needs_no_ground() -> None:
    segment, moved, H = top(np.linspace(0.0, 2.0, 50))
    body = body_momentum({("", "top"): segment}, {("", "top"): moved})
    assert np.abs(body.angular_momentum_lab_kgm2_s - H).max() < 1e-12
    assert np.abs(body.angular_rate_lab_Nm).max() < 1e-12
    air = np.zeros((50, 3))
    force, moment = ground_residual(body, Ground(air, air))
    assert np.abs(force).max() < 1e-12
    assert np.abs(moment).max() < 1e-12


def test_one_rigid_body_in_two_pieces_moves_like_one() -> None:
    rng = np.random.default_rng(3)
    R, omega, alpha = Rotation.random(5, rng=rng).as_matrix(), rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    at, velocity, acceleration = (rng.normal(size=(5, 3)) for _ in range(3))

    def piece(name: str, mass: float, arm_m: np.ndarray, tensor: np.ndarray) -> tuple[Segment, Motion]:
        arm = R @ arm_m
        moved = Motion(
            Frames(R, at + arm), omega, alpha, at + arm, velocity + np.cross(omega, arm),
            acceleration + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm)),
        )  # fmt: skip
        return Segment(name, mass, np.zeros(3), tensor), moved

    arm = np.array([0.0, 0.0, 0.3])
    halves = {("", "a"): piece("a", 2.0, arm, 0.05 * np.eye(3)), ("", "b"): piece("b", 2.0, -arm, 0.05 * np.eye(3))}
    steiner = 4.0 * (arm @ arm * np.eye(3) - np.outer(arm, arm)) + 0.1 * np.eye(3)
    one = {("", "c"): piece("c", 4.0, np.zeros(3), steiner)}
    two_bodies, one_body = (
        body_momentum({part: segment for part, (segment, _) in parts.items()}, {part: moved for part, (_, moved) in parts.items()})
        for parts in (halves, one)
    )
    for name in (
        "com_lab_m",
        "com_acceleration_lab_m_s2",
        "angular_momentum_lab_kgm2_s",
        "angular_rate_lab_Nm",
        "internal_energy_J",
    ):
        assert np.abs(getattr(two_bodies, name) - getattr(one_body, name)).max() < 1e-12, name


def test_forces_move_the_centre_of_mass_where_it_went() -> None:
    """Whatever the cameras' own path looks like in between: of it only a straight line enters."""
    rate_hz, mass_kg = 200.0, 60.0
    time_s = np.arange(400) / rate_hz
    com = np.stack([1.3 * time_s, 0.03 * np.sin(6 * time_s), 0.9 + 0.02 * np.cos(12 * time_s)], axis=1)
    bend = np.stack([0 * time_s, -0.03 * 36 * np.sin(6 * time_s), -0.02 * 144 * np.cos(12 * time_s)], axis=1)
    force = mass_kg * (bend + [0.0, 0.0, GRAVITY_M_S2])
    force[:50] = np.nan
    zero = np.zeros_like(com)
    segment = Segment("all", mass_kg, np.zeros(3), np.eye(3))
    still = Motion(Frames(np.tile(np.eye(3), (400, 1, 1)), com), zero, zero, com, zero, zero)
    body = body_momentum({("", "all"): segment}, {("", "all"): still})
    place, velocity = com_from_forces(body, Ground(force, zero), rate_hz)
    assert np.isnan(place[:50]).all()
    assert np.abs(place[50:] - com[50:]).max() < 5e-5
    wobble = replace(body, com_lab_m=com + 0.01 * np.random.default_rng(1).normal(size=com.shape))
    again, _ = com_from_forces(wobble, Ground(force, zero), rate_hz)
    shape = again[50:] - com[50:]
    assert np.abs(shape).max() < 3e-3
    assert np.abs(np.diff(shape, 2, axis=0)).max() < 1e-6
    assert velocity[60, 0] == pytest.approx(1.3, abs=1e-3)


def test_a_foot_that_nobody_measured_leaves_the_whole_unknown(make_contacts: Callable[..., dict[str, FootContact]]) -> None:
    ground = ground_of(make_contacts(unknown={"L": [3], "R": [5, 6]}))
    assert np.flatnonzero(~ground.known).tolist() == [3, 5, 6]
    with pytest.raises(MissingInputError, match="needs both feet, not R"):
        ground_of({"R": make_contacts()["R"]})


def test_a_body_without_masses_has_no_momentum() -> None:
    with pytest.raises(MissingInputError, match="No segment has a mass"):
        body_momentum({}, {})
