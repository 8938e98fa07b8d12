"""Every way to look at the reference leg's loads: joint coordinate systems, power, observers.

Tolerance: 1e-9 N, N m and W on values up to 900; the file is good to about 1e-12.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.dynamics.expression import jcs_component, jcs_projection
from biomech_id.dynamics.newton_euler import solve
from biomech_id.dynamics.observer import FICTITIOUS, Observer, observe, relative_motion
from biomech_id.dynamics.power import rotational_power, translational_power

TOLERANCE = 1e-9
#: The reference lists joints proximal to distal.
REFERENCE_JOINT = {"thigh": 0, "shank": 1, "foot": 2}


@pytest.mark.parametrize(("function", "key"), [(jcs_projection, "jcs_dot"), (jcs_component, "jcs_components")])
def test_joint_coordinate_system(leg: Any, function: Any, key: str) -> None:
    loads = solve(leg.chain, leg.external)
    for segment, j in REFERENCE_JOINT.items():
        moment = loads.wrench(segment).moment_Nm
        R_parent, R_child = leg.parent(segment).frames.R_lab_seg, leg.motions[segment].frames.R_lab_seg
        np.testing.assert_allclose(function(moment, R_parent, R_child, "zxy"), leg.array(key)[:, j], rtol=0, atol=TOLERANCE)


def test_projections_are_the_generalised_forces(leg: Any) -> None:
    """The moment part of the reference's tau, which comes from another program."""
    loads = solve(leg.chain, leg.external)
    for segment, j in REFERENCE_JOINT.items():
        moment = loads.wrench(segment).moment_Nm
        R_parent, R_child = leg.parent(segment).frames.R_lab_seg, leg.motions[segment].frames.R_lab_seg
        tau = leg.array("tau")[:, j, -3:]
        np.testing.assert_allclose(jcs_projection(moment, R_parent, R_child, "zxy"), tau, rtol=0, atol=TOLERANCE)


def test_powers(leg: Any) -> None:
    loads = solve(leg.chain, leg.external)
    for segment, j in REFERENCE_JOINT.items():
        wrench, distal, proximal = loads.wrench(segment), leg.motions[segment], leg.parent(segment)
        rotation, translation = rotational_power(wrench, distal, proximal), translational_power(wrench, distal, proximal)
        np.testing.assert_allclose(rotation, leg.array("power_rot")[:, j], rtol=0, atol=TOLERANCE)
        np.testing.assert_allclose(translation, leg.array("power_trans")[:, j], rtol=0, atol=TOLERANCE)
        np.testing.assert_allclose(rotation + translation, leg.array("power")[:, j], rtol=0, atol=TOLERANCE)


def test_translational_power_matters_in_moving_joints(chain3d_file: Any) -> None:
    """The reference's knee translates by a few millimetres and loses up to 27 W through it."""
    assert np.abs(chain3d_file["six_dof"]["power_trans"]).max() > 20
    assert np.abs(chain3d_file["ideal"]["power_trans"]).max() < TOLERANCE


def observers(leg: Any) -> dict[str, Observer]:
    """On every segment, attached at its own origin, and on the pelvis."""
    riders = {segment: Observer.on(segment, motion, motion.frames.origin_lab_m) for segment, motion in leg.motions.items()}
    return riders | {"pelvis": Observer.on("pelvis", leg.pelvis, leg.pelvis.frames.origin_lab_m)}


@pytest.mark.parametrize("where", ["pelvis", "thigh", "shank", "foot"])
def test_observers_split_the_balance_as_the_reference_does(leg: Any, where: str) -> None:
    balances = observe(leg.chain, observers(leg)[where], leg.external)
    frames = leg.data["fictitious"]["frame_index"]
    stored = leg.data["fictitious"]["values"]
    for segment in leg.chain.names:
        for part in ("dynamic", *FICTITIOUS):
            wrench = getattr(balances[segment], part)
            ours = np.concatenate([wrench.force_N, wrench.moment_Nm], axis=1)[frames]
            theirs = [values[f"{segment}_in_{where}"][part] for values in stored]
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE, err_msg=f"{part} of {segment} in {where}")


@pytest.mark.parametrize("relative", [False, True])
def test_every_observer_finds_the_same_joint_wrench(leg: Any, relative: bool) -> None:
    loads = solve(leg.chain, leg.external)
    everyone = observers(leg) | {"lab": Observer.at_rest(leg.n)}
    knee = leg.chain.joints_lab_m[1]
    everyone["shank watched from its knee"] = Observer.on("elsewhere", leg.motions["foot"], knee)
    for observer in everyone.values():
        balances = observe(leg.chain, observer, leg.external, relative_rotation=relative)
        for segment, balance in balances.items():
            found = balance.joint.expressed_in("lab")
            expected = loads.wrench(segment)
            np.testing.assert_allclose(found.force_N, expected.force_N, rtol=0, atol=TOLERANCE)
            np.testing.assert_allclose(found.moment_Nm, expected.moment_Nm, rtol=0, atol=TOLERANCE)


def test_the_split_depends_on_the_attachment_point(ideal_leg: Any) -> None:
    motion = ideal_leg.motions["shank"]
    parts = [
        observe(ideal_leg.chain, Observer.on("shank", motion, ideal_leg.chain.joints_lab_m[i]), ideal_leg.external)["shank"]
        for i in (0, 1)
    ]
    assert np.abs(parts[0].dalembert.force_N - parts[1].dalembert.force_N).max() > 1.0


def test_relative_motion_is_the_rate_of_relative_positions(ideal_leg: Any) -> None:
    """Against finite differences of the positions the observer sees, so that nothing is true by construction.

    The reference has 100 frames a second and frequencies up to 2.7 Hz; a seven-point difference is then good to 1e-5 of the
    largest acceleration.
    """
    observer = observers(ideal_leg)["thigh"]
    r, velocity, acceleration = relative_motion(ideal_leg.chain, observer)
    dt = ideal_leg.data["t"][1] - ideal_leg.data["t"][0]
    first = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60 / dt
    second = np.array([2, -27, 270, -490, 270, -27, 2]) / 180 / dt**2
    windows = np.lib.stride_tricks.sliding_window_view(r, 7, axis=0)
    inner = slice(3, -3)
    np.testing.assert_allclose(windows @ first, velocity[inner], rtol=0, atol=1e-5 * np.abs(velocity).max())
    np.testing.assert_allclose(windows @ second, acceleration[inner], rtol=0, atol=1e-5 * np.abs(acceleration).max())


def test_an_observer_at_rest_needs_nothing_fictitious(ideal_leg: Any) -> None:
    balances = observe(ideal_leg.chain, Observer.at_rest(ideal_leg.n), ideal_leg.external)
    for balance in balances.values():
        for part in FICTITIOUS:
            wrench = getattr(balance, part)
            assert not wrench.force_N.any()
            assert not wrench.moment_Nm.any()


def test_supplied_power_is_the_rate_of_mechanical_energy(ideal_leg: Any) -> None:
    """Rigid and noise-free: kinetic and potential energy, differentiated by a seven-point rule, against all power that goes in.

    The rule is good to 1e-5 of the largest power at 100 frames a second and frequencies up to 2.7 Hz (as above).
    """
    chain, gravity = ideal_leg.chain, np.array([0, 0, -9.81])
    loads = solve(chain, ideal_leg.external)
    v, c, R = chain.com_velocity_lab_m_s, chain.com_lab_m, chain.R_lab_seg
    omega_seg = np.einsum("fnji,fnj->fni", R, chain.omega_lab_rad_s)
    spin = np.einsum("fni,nij,fnj->f", omega_seg, chain.inertia_kgm2, omega_seg) / 2
    energy = spin + (chain.mass_kg * ((v**2).sum(axis=2) / 2 - c @ gravity)).sum(axis=1)
    dt = ideal_leg.data["t"][1] - ideal_leg.data["t"][0]
    weights = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60 / dt
    rate = np.lib.stride_tricks.sliding_window_view(energy, 7) @ weights
    power = np.zeros(ideal_leg.n)
    for segment in chain.names:
        wrench, distal, proximal = loads.wrench(segment), ideal_leg.motions[segment], ideal_leg.parent(segment)
        power += rotational_power(wrench, distal, proximal) + translational_power(wrench, distal, proximal)
    hip, pelvis, foot, ground = loads.wrench("thigh"), ideal_leg.pelvis, ideal_leg.motions["foot"], ideal_leg.ground
    power += hip.power(pelvis.velocity_of(hip.point_lab_m), pelvis.omega_lab_rad_s)
    power += ground.power(foot.velocity_of(ground.point_lab_m), foot.omega_lab_rad_s)
    assert np.abs(power).max() > 100
    np.testing.assert_allclose(rate, power[3:-3], rtol=0, atol=1e-5 * np.abs(power).max())
