"""The n-link limb: the document's wrenches by numbers and by expressions, in the plane and in space."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.rotation import cardan_matrix
from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.external import External
from biomech_id.dynamics.observer import FICTITIOUS, observe
from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.multibody.examples.limb import Angles, Limb, Link
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.springs import Spring

TOLERANCE = 1e-12  # N, N m on values up to 8
NAMES = "ABC"
NOTHING = (0.0, 0.0, 0.0)


def document(meta: Any) -> tuple[Limb, Angles]:
    links = [
        Link(Segment(name, m, np.array([0, l / 2, 0]), np.zeros((3, 3))), (0.0, l, 0.0))
        for name, m, l in zip(NAMES, meta["m_kg"], meta["l_m"], strict=True)
    ]
    functions = [lambda t, rate=rate: rate * t for rate in meta["joint_rates_rad_s"]]
    return Limb(links), Angles.from_functions(functions, np.array(meta["t_s"]))


def six(wrench: Wrench) -> np.ndarray:
    return np.concatenate([wrench.force_N, wrench.moment_Nm], axis=1)


def test_the_documents_wrenches(reference: Any) -> None:
    file = reference("nlink")
    limb, angles = document(file["meta"])
    motions = limb.motions(angles)
    loads = limb.solve(motions, gravity_lab_m_s2=NOTHING)
    for j, name in enumerate(NAMES):
        for frame, stored in file["joint_wrench"][f"P_{j}"].items():
            R = None if frame == "W" else motions[NAMES.index(frame)].frames.R_lab_seg
            ours = six(loads.wrench(name).expressed_in("lab" if frame == "W" else frame, R))
            np.testing.assert_allclose(ours, stored["samples"], rtol=0, atol=TOLERANCE)
    for key, stored in file["kinetics"].items():
        segment, _, where, at = key.split("_")
        if where != "W":
            observer = limb.observer(motions, NAMES.index(where), "distal" if at == "distal" else "proximal")
            balance = observe(limb.chain(motions), observer, gravity_lab_m_s2=NOTHING)[NAMES[int(segment[-1])]]
            for part in ("dynamic", *FICTITIOUS, "joint"):
                ours, theirs = six(getattr(balance, part)), np.array(stored[part]["samples"])
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE * max(1, np.abs(theirs).max()))


def in_symbols(meta: Any) -> Any:
    from biomech_id.multibody.symbolic.given_motion import GivenMotion, t

    return GivenMotion(
        document(meta)[0].system(NOTHING), {k: rate * t for k, rate in zip(NAMES, meta["joint_rates_rad_s"], strict=True)}
    )


def test_the_documents_wrenches_as_expressions(reference: Any) -> None:
    """The six results that the document prints, minus signs restored; equal as expressions, not as numbers."""
    sp = pytest.importorskip("sympy")
    from biomech_id.multibody.symbolic.given_motion import t

    file = reference("nlink")
    limb = in_symbols(file["meta"])
    printed = [(2, "W"), (2, "C"), (2, "B"), (1, "B"), (1, "A"), (0, "A")]
    for joint, frame in printed:
        ours = limb.wrench(NAMES[joint], GROUND if frame == "W" else frame)
        theirs = [sp.sympify(text, locals={"t": t}) for text in file["joint_wrench"][f"P_{joint}"][frame]["symbolic"]]
        assert [sp.expand(a - b) for a, b in zip(ours, theirs, strict=True)] == [0] * 6
        assert ours[5] != 0


def test_fictitious_wrenches_as_expressions(reference: Any) -> None:
    """As the document prints them for every link and observer, signs restored: equal as expressions."""
    sp = pytest.importorskip("sympy")
    from biomech_id.multibody.symbolic.given_motion import t

    file = reference("nlink")
    limb, tips = in_symbols(file["meta"]), dict(zip(NAMES, file["meta"]["l_m"], strict=True))
    seen = 0
    for key, stored in file["kinetics"].items():
        segment, _, where, at = key.split("_")
        if where != "W":
            found = limb.observed(NAMES[int(segment[-1])], where, (0.0, tips[where] if at == "distal" else 0.0, 0.0))
            for part in ("dynamic", *FICTITIOUS):
                theirs = [sp.sympify(text, locals={"t": t}) for text in stored[part]["symbolic"]]
                assert [sp.expand(a - b) for a, b in zip(found[part], theirs, strict=True)] == [0] * 6, (key, part)
                seen += any(theirs)
    assert seen > 20


def spatial(rng: np.random.Generator) -> Limb:
    links = []
    for name, joint in zip(NAMES, ("zxy", "z", "zxy"), strict=True):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        tensor = turn @ np.diag([0.05, 0.06, 0.03]) @ turn.T
        segment = Segment(name, rng.uniform(1, 3), rng.normal(0, 0.2, 3), (tensor + tensor.T) / 2)
        links.append(Link(segment, tuple(rng.normal(0, 0.3, 3)), joint))  # type: ignore[arg-type]
    return Limb(links)


def turning(rng: np.random.Generator, k: int) -> list[Any]:
    parameters = rng.uniform(0.3, 2, (k, 3))
    return [lambda t, p=p: p[0] * np.sin(p[1] * t + p[2]) for p in parameters]


def test_a_limb_in_space_on_a_moving_base() -> None:
    """Total momentum's rate is the force at the base; kinematics against differences of positions."""
    rng = np.random.default_rng(4)
    limb, functions = spatial(rng), turning(np.random.default_rng(5), 7)
    h = 1e-3
    t = 0.7 + h * np.arange(-3, 4)
    angles = Angles.from_functions(functions, t)
    R = cardan_matrix(np.stack([0.3 + t, 0.5 * t, -t], axis=1), "zxy")
    R_rate = [cardan_matrix(np.stack([0.3 + t + s, 0.5 * (t + s), -(t + s)], axis=1), "zxy") for s in (-1e-4, 1e-4)]
    spin = np.einsum("nij,nkj->nik", (R_rate[1] - R_rate[0]) / 2e-4, R)
    omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    origin = np.stack([np.sin(t), t**2, np.cos(2 * t)], axis=1)
    velocity = np.stack([np.cos(t), 2 * t, -2 * np.sin(2 * t)], axis=1)
    acceleration = np.stack([-np.sin(t), 2 + 0 * t, -4 * np.cos(2 * t)], axis=1)
    weights = np.array([-1, 9, -45, 0, 45, -9, 1]) / (60 * h)
    alpha = np.tile(weights @ omega, (7, 1))
    base = Motion(Frames(R, origin), omega, alpha, origin, velocity, acceleration)
    motions = limb.motions(angles, base)
    for link, motion in zip(limb.links, motions, strict=True):
        quotient = weights @ motion.com_lab_m
        np.testing.assert_allclose(motion.com_velocity_lab_m_s[3], quotient, rtol=0, atol=1e-7)
        np.testing.assert_allclose(motion.com_acceleration_lab_m_s2[3], weights @ motion.com_velocity_lab_m_s, rtol=0, atol=1e-5)
        place = motion.frames.origin_lab_m + motion.frames.R_lab_seg @ link.segment.com_m
        np.testing.assert_allclose(place, motion.com_lab_m, rtol=0, atol=1e-14)
    np.testing.assert_allclose(limb.tip(motions, 0), motions[1].frames.origin_lab_m, rtol=0, atol=1e-14)
    momentum = sum(link.segment.mass_kg * motion.com_velocity_lab_m_s for link, motion in zip(limb.links, motions, strict=True))
    loads = limb.solve(motions, gravity_lab_m_s2=NOTHING)
    np.testing.assert_allclose(loads.wrench("A").force_N[3], weights @ momentum, rtol=0, atol=1e-4)
    assert np.abs(loads.wrench("A").force_N[3]).max() > 1


def test_first_joint_of_a_spatial_limb_turns_by_its_cardan_angles() -> None:
    limb = spatial(np.random.default_rng(4))
    q = np.random.default_rng(1).normal(size=(3, 7))
    motions = limb.motions(Angles(q, 0 * q, 0 * q))
    np.testing.assert_allclose(motions[0].frames.R_lab_seg, cardan_matrix(q[:, :3], "zxy"), rtol=0, atol=1e-14)
    turn = motions[0].frames.R_lab_seg.transpose(0, 2, 1) @ motions[1].frames.R_lab_seg
    np.testing.assert_allclose(turn[:, 0, 0], np.cos(q[:, 3]), rtol=0, atol=1e-14)
    np.testing.assert_allclose(turn[:, 2, 2], 1, rtol=0, atol=1e-14)


def test_friction_is_a_couple_that_takes_power(reference: Any) -> None:
    """A damper along the joint's coordinate: 2 rad/s in that joint; joints before and after need nothing more."""
    limb, angles = document(reference("nlink")["meta"])
    free, motion = limb.system(NOTHING), (angles.q_rad, angles.rate_rad_s, angles.acceleration_rad_s2)
    rubbed = replace(free, springs=[Spring("B", 0.0, 0.4)])
    change = rubbed.inverse(*motion) - free.inverse(*motion)
    np.testing.assert_allclose(change, np.tile([0.0, 0.4 * 2.0, 0.0], (len(change), 1)), rtol=0, atol=1e-12)
    power = rubbed.damping_power(angles.q_rad, rubbed.kinematics(*motion))
    np.testing.assert_allclose(power, -0.4 * 2.0**2, rtol=0, atol=1e-12)


def test_a_tip_wrench_reaches_the_base(reference: Any) -> None:
    limb, angles = document(reference("nlink")["meta"])
    motions = limb.motions(angles)
    n = len(angles.q_rad)
    force = np.tile([1.0, -2.0, 0.5], (n, 1))
    loaded = limb.solve(motions, [External("C", Wrench(force, np.zeros((n, 3)), limb.tip(motions)))], gravity_lab_m_s2=NOTHING)
    free = limb.solve(motions, gravity_lab_m_s2=NOTHING)
    change = loaded.wrench("A").moment_Nm - free.wrench("A").moment_Nm
    np.testing.assert_allclose(change, -np.cross(limb.tip(motions), force), rtol=0, atol=1e-12)


def test_angles_from_functions_and_from_samples_agree() -> None:
    t = np.arange(0, 2, 0.005)
    functions = [lambda t: np.sin(3 * t), lambda t: 0.2 * np.cos(2 * t) + t**2]
    exact = [9 * -np.sin(3 * t), -0.8 * np.cos(2 * t) + 2]
    by_function = Angles.from_functions(functions, t)
    np.testing.assert_allclose(by_function.acceleration_rad_s2, np.stack(exact, axis=1), rtol=0, atol=1e-12)
    sampled = Angles.from_samples(np.stack([f(t) for f in functions], axis=1), 200.0)
    inner = slice(20, -20)
    np.testing.assert_allclose(sampled.acceleration_rad_s2[inner], by_function.acceleration_rad_s2[inner], rtol=0, atol=1e-6)


def test_a_joint_may_stand_still() -> None:
    t = np.linspace(0, 1, 11)
    angles = Angles.from_functions([lambda t: 0.3, lambda t: 0.3 + 0 * t], t)
    np.testing.assert_array_equal(angles.q_rad, 0.3)
    np.testing.assert_array_equal(angles.rate_rad_s, 0.0)
    np.testing.assert_array_equal(angles.acceleration_rad_s2, 0.0)


def test_refusals() -> None:
    segment = Segment("A", 1.0, np.zeros(3), np.eye(3))
    with pytest.raises(InvalidValueError, match="'xyx' does not name"):
        Limb([Link(segment, (0, 0, 0), "xyx")]).system(NOTHING)
    limb = Limb([Link(segment, (0, 0, 0))])
    with pytest.raises(ShapeError, match="1 axes"):
        limb.motions(Angles(np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((3, 2))))
    with pytest.raises(InvalidValueError, match="analytic"):
        Angles.from_functions([lambda t: np.abs(t)], np.arange(3.0))
