"""What the five source documents print, number by number and equation by equation, against the functions their pages name."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from biomech_id.algebra.inertia import parallel_axis, rotate_inertia
from biomech_id.dynamics.body import Frames, Segment
from biomech_id.dynamics.observer import Observer, observe, relative_motion
from biomech_id.multibody.examples.limb import Angles, Limb, Link
from biomech_id.multibody.examples.pendulums import double_pendulum
from biomech_id.multibody.examples.planar_arm import HandSpring, PlanarArm
from biomech_id.multibody.forward import simulate

ITEMS = Path(__file__).resolve().parents[2] / "docs" / "documents" / "items.csv"
EXACT = 1e-12
T = np.linspace(0, 2 * np.pi, 17)
LENGTHS, MASSES = (0.8, 0.6, 0.4), (0.7, 0.5, 0.3)
NOTHING = (0.0, 0.0, 0.0)


def same(ours: object, theirs: object, tolerance: float = EXACT) -> None:
    np.testing.assert_allclose(np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float), rtol=0, atol=tolerance)


def columns(*parts: object) -> np.ndarray:
    """Numbers and series over T side by side."""
    return np.stack([np.broadcast_to(np.asarray(part, dtype=float), T.shape) for part in parts], axis=-1)


@pytest.fixture(scope="module")
def limb() -> Limb:
    """The limb of the first document: point masses at half length."""
    return Limb(
        [
            Link(Segment(name, m, np.array([0, l / 2, 0]), np.zeros((3, 3))), (0, l, 0))
            for name, l, m in zip("ABC", LENGTHS, MASSES, strict=True)
        ]
    )


@pytest.fixture(scope="module")
def motions(limb: Limb) -> tuple:
    return limb.motions(Angles.from_functions([lambda t: t, lambda t: 2 * t, lambda t: 4 * t], T))


def about_z(angle: np.ndarray) -> np.ndarray:
    R = np.zeros((len(angle), 3, 3))
    R[:, 0, 0] = R[:, 1, 1] = np.cos(angle)
    R[:, 1, 0] = np.sin(angle)
    R[:, 0, 1] = -R[:, 1, 0]
    R[:, 2, 2] = 1
    return R


def test_what_the_limb_prints_of_its_motion(limb: Limb, motions: tuple) -> None:
    """O1 to O3: 7 rad/s and R(7t) of the last frame; joints and centres of mass along each own y axis."""
    same(motions[2].omega_lab_rad_s, columns(0, 0, 7))
    same(motions[2].frames.R_lab_seg, about_z(7 * T))
    joint = np.zeros((len(T), 3))
    for k, (rate, length) in enumerate(zip((1, 3, 7), LENGTHS, strict=True)):
        along = columns(-length * np.sin(rate * T), length * np.cos(rate * T), 0)
        same(2 * (motions[k].com_lab_m - joint), along)
        joint = joint + along
        same(limb.tip(motions, k), joint)


def test_rotations_between_any_two_frames(motions: tuple) -> None:
    """C6: from any frame to any other, by the angle between them."""
    for k, a in enumerate((1, 3, 7)):
        for m, b in enumerate((1, 3, 7)):
            to, fro = motions[k].frames.R_lab_seg, motions[m].frames.R_lab_seg
            same(np.swapaxes(to, 1, 2) @ fro, about_z((b - a) * T))


def test_accelerations_of_centres_about_their_joints(limb: Limb, motions: tuple) -> None:
    """O4: 2/5, 6/5 and 16/5 m/s2, seen from the frame before, about the joint."""
    at_rest = Observer.at_rest(len(T))
    chain = limb.chain(motions)
    for k, (rate, size) in enumerate(zip((1, 3, 7), (2 / 5, 6 / 5, 16 / 5), strict=True)):
        seen_from = limb.observer(motions, k - 1, at="distal") if k else at_rest
        seen = relative_motion(chain, seen_from)[2][:, 2 - k]
        R = motions[k - 1].frames.R_lab_seg if k else np.broadcast_to(np.eye(3), (len(T), 3, 3))
        same(np.einsum("nij,nj->ni", R, seen), columns(size * np.sin(rate * T), -size * np.cos(rate * T), 0))


def test_inertia_about_a_joint_in_the_laboratory() -> None:
    """O5, E4: 9/200 kg m2 about the joint, turned as a tensor; what is printed, R I, is not even symmetric."""
    about_joint = parallel_axis(np.zeros((3, 3)), 0.5, np.array([0, 0.3, 0]))
    same(about_joint, np.diag([9, 0, 9]) / 200)
    R = about_z(3 * T)
    c, s = np.cos(3 * T), np.sin(3 * T)
    turned = rotate_inertia(R, np.broadcast_to(about_joint, R.shape))
    same(turned[:, 0], columns(9 / 200 * c**2, 9 / 200 * c * s, 0))
    same(turned[:, 1], columns(9 / 200 * c * s, 9 / 200 * s**2, 0))
    assert np.abs((R @ about_joint)[:, 1, 0] - (R @ about_joint)[:, 0, 1]).max() > 0.04


def test_velocity_of_a_centre_as_seen_from_three_frames(limb: Limb, motions: tuple) -> None:
    """O6: the rate of r_OC of link B as components in B, in A and in the laboratory, all written in A."""
    chain, zero = limb.chain(motions), np.zeros((len(T), 3))
    c, s = np.cos(2 * T), np.sin(2 * T)
    still = np.broadcast_to(np.eye(3), (len(T), 3, 3))
    for R, omega, printed in (
        (motions[1].frames.R_lab_seg, motions[1].omega_lab_rad_s, columns(1.6, 0, 0)),
        (motions[0].frames.R_lab_seg, motions[0].omega_lab_rad_s, columns(-3 / 5 * c, -3 / 5 * s, 0)),
        (still, zero, columns(-9 / 10 * c - 4 / 5, -9 / 10 * s, 0)),
    ):
        seen = relative_motion(chain, Observer("at O", Frames(R, zero), omega, zero, zero, zero))[1][:, 1]
        to_A = np.swapaxes(motions[0].frames.R_lab_seg, 1, 2) @ R
        same(np.einsum("nij,nj->ni", to_A, seen), printed)


def test_touching_indices_cancel(limb: Limb, motions: tuple) -> None:
    """E2, E3: the same rate in other axes; an observer's own rate is not zero in its own axes."""
    on_B = limb.observer(motions, 1, at="proximal")
    R_BW = np.swapaxes(motions[1].frames.R_lab_seg, 1, 2)
    v = np.random.default_rng(1).normal(size=(len(T), 3))
    same(on_B.seen(v), np.einsum("nij,nj->ni", R_BW, v))
    same(on_B.seen(on_B.omega_lab_rad_s), columns(0, 0, 3))


def test_the_sample_fictitious_wrench_is_dalemberts(limb: Limb, motions: tuple) -> None:
    """O13: 2/5, 27/10 N and 3/25 N m, of B seen from B, attached at its distal joint, about its proximal one."""
    seen = observe(limb.chain(motions), limb.observer(motions, 1, at="distal"), gravity_lab_m_s2=NOTHING)["B"]
    same(seen.dalembert.force_N, columns(2 / 5 * np.sin(2 * T), 2 / 5 * np.cos(2 * T) + 27 / 10, 0))
    same(seen.dalembert.moment_Nm, columns(0, 0, -3 / 25 * np.sin(2 * T)))
    assert np.abs(seen.centrifugal.force_N - seen.dalembert.force_N).max() > 1


def test_the_terms_of_the_double_pendulum() -> None:
    """Third document, first five equations, typed in; lengths and masses that differ."""
    rng = np.random.default_rng(3)
    (m1, m2), (l1, l2), (M1, M12), g = (1.3, 0.7), (0.9, 1.2), (2.0, -0.8), 9.81
    bars = double_pendulum((m1, m2), (l1, l2), (M1, M12), gravity_m_s2=g)
    q, w = rng.uniform(-3, 3, (2, 20, 2))
    s, c = np.sin(q[:, 0] - q[:, 1]), np.cos(q[:, 0] - q[:, 1])
    drive = np.array([M1 - M12, M12])
    M = np.empty((20, 2, 2))
    M[:, 0, 0], M[:, 1, 1] = m1 * l1**2 / 3 + m2 * l1**2, m2 * l2**2 / 3
    M[:, 0, 1] = M[:, 1, 0] = m2 * l1 * l2 / 2 * c
    C = m2 * l1 * l2 / 2 * np.stack([-(w[:, 1] ** 2) * s, w[:, 0] ** 2 * s], axis=1)
    G = -g * np.stack([(m1 / 2 + m2) * l1 * np.sin(q[:, 0]), m2 / 2 * l2 * np.sin(q[:, 1])], axis=1)
    terms = bars.terms(q, w, np.broadcast_to(drive, q.shape))
    for ours, theirs in ((terms.M, M), (terms.C, C), (terms.G, G), (terms.Q, np.broadcast_to(drive, q.shape)), (terms.E, 0 * G)):
        same(ours, theirs, 1e-11)
    same(terms.accelerations(), np.linalg.solve(M, (C + G + drive)[..., None])[..., 0], 1e-10)
    same(np.stack([bars.drive_forces(0.0, a, b) for a, b in zip(q, w, strict=True)]), np.broadcast_to(drive, q.shape))


def test_what_eulers_steps_cost() -> None:
    """The listing's explicit Euler steps (with its unit lengths, at which its slip in G does no harm) leave the true motion.

    At 0.1 ms the error is 4.3 degrees and 44 degrees/s after 10 s. Here 2 s and longer steps, so that the test is quick.
    """
    bars = double_pendulum((1.0, 1.0), (1.0, 1.0), gravity_m_s2=9.81)
    start, rate = np.array([np.pi / 6, np.pi / 3]), np.array([np.pi, -2 * np.pi])
    true = simulate(bars, start, rate, np.array([0.0, 2.0])).q[-1]

    def euler(step: float) -> float:
        q, u = start.copy(), rate.copy()
        for _ in range(round(2.0 / step)):
            s, c = np.sin(q[0] - q[1]), np.cos(q[0] - q[1])
            f = np.array([-(u[1] ** 2) * s / 2 - 1.5 * 9.81 * np.sin(q[0]), u[0] ** 2 * s / 2 - 9.81 / 2 * np.sin(q[1])])
            acceleration = np.linalg.solve(np.array([[4 / 3, c / 2], [c / 2, 1 / 3]]), f)
            q, u = q + step * u, u + step * acceleration
        return float(np.abs(q - true).max())

    coarse, fine = euler(4e-4), euler(2e-4)
    assert 1.7 < coarse / fine < 2.3
    assert np.degrees(fine) > 0.1


#: The arm whose equations are typed in below: m, l, d, I of three links, and gravity.
ARM = PlanarArm(
    np.array([2.1, 1.2, 0.5]), np.array([0.33, 0.27, 0.19]), np.array([0.15, 0.12, 0.07]), np.array([0.017, 0.008, 0.0013]), 9.81
)


def numbered_equations(a: np.ndarray, v: np.ndarray, w: np.ndarray, F_S: float, d_S: float) -> dict[str, np.ndarray]:
    """Equations (3) to (44) of the fifth document, misprints corrected, d_S from the centre of mass of the hand; each (N,)."""
    (m1, m2, m3), (l1, l2, _), (d1, d2, d3), (I1, I2, I3), g = ARM.mass_kg, ARM.length_m, ARM.com_m, ARM.inertia_kgm2, 9.81
    s, c = np.sin, np.cos
    (a1, a2, a3), (v1, v2, v3), (w1, w2, w3) = a.T, v.T, w.T
    a12, a123, a23 = a1 + a2, a1 + a2 + a3, a2 + a3
    e = {}
    e["3"], e["5"] = d1 * c(a1), d1 * s(a1)
    e["4"], e["6"] = -d1 * (w1 * s(a1) + v1**2 * c(a1)), d1 * (w1 * c(a1) - v1**2 * s(a1))
    e["7"], e["9"] = l1 * c(a1) + d2 * c(a12), l1 * s(a1) + d2 * s(a12)
    e["8"] = (-(l1 * s(a1) + d2 * s(a12)) * w1 - d2 * s(a12) * w2
              - (l1 * c(a1) + d2 * c(a12)) * v1**2 - d2 * c(a12) * (2 * v1 * v2 + v2**2))  # fmt: skip
    e["10"] = ((l1 * c(a1) + d2 * c(a12)) * w1 + d2 * c(a12) * w2
               - (l1 * s(a1) + d2 * s(a12)) * v1**2 - d2 * s(a12) * (2 * v1 * v2 + v2**2))  # fmt: skip
    e["11"], e["13"] = l1 * c(a1) + l2 * c(a12) + d3 * c(a123), l1 * s(a1) + l2 * s(a12) + d3 * s(a123)
    for k, f, h in (("12", s, c), ("14", c, s)):
        sign = -1 if k == "12" else 1
        e[k] = (sign * ((l1 * f(a1) + l2 * f(a12) + d3 * f(a123)) * w1 + (l2 * f(a12) + d3 * f(a123)) * w2 + d3 * f(a123) * w3)
                - (l1 * h(a1) + l2 * h(a12) + d3 * h(a123)) * v1**2 - (l2 * h(a12) + d3 * h(a123)) * v2**2 - d3 * h(a123) * v3**2
                - (l2 * h(a12) + d3 * h(a123)) * 2 * v1 * v2 - d3 * h(a123) * (2 * v1 * v3 + 2 * v2 * v3))  # fmt: skip
    e["15"], e["16"] = m3 * e["12"] + F_S, m3 * e["14"] + m3 * g
    e["18"], e["19"] = m2 * e["8"] + e["15"], m2 * e["10"] + e["16"] + m2 * g
    e["21"], e["22"] = m1 * e["4"] + e["18"], m1 * e["6"] + e["19"] + m1 * g
    e["17"] = I3 * (w1 + w2 + w3) - e["15"] * d3 * s(a123) + e["16"] * d3 * c(a123) - F_S * d_S * s(a123)
    e["20"] = (I2 * (w1 + w2) + e["17"] - e["15"] * (l2 - d2) * s(a12) + e["16"] * (l2 - d2) * c(a12)
               - e["18"] * d2 * s(a12) + e["19"] * d2 * c(a12))  # fmt: skip
    e["23"] = (I1 * w1 + e["20"] - e["18"] * (l1 - d1) * s(a1) + e["19"] * (l1 - d1) * c(a1)
               - e["21"] * d1 * s(a1) + e["22"] * d1 * c(a1))  # fmt: skip
    e["29"] = e["33"] = m3 * (d3**2 + l1 * d3 * c(a23) + l2 * d3 * c(a3)) + I3
    e["32"] = e["34"] = m3 * (d3**2 + l2 * d3 * c(a3)) + I3
    e["35"] = m3 * d3**2 + I3 + 0 * a1
    e["31"] = m2 * d2**2 + I2 + m3 * (l2**2 + d3**2 + 2 * l2 * d3 * c(a3)) + I3
    e["28"] = e["30"] = (m2 * (d2**2 + l1 * d2 * c(a2)) + I2
                         + m3 * (l2**2 + d3**2 + l1 * l2 * c(a2) + l1 * d3 * c(a23) + 2 * l2 * d3 * c(a3)) + I3)  # fmt: skip
    e["27"] = (m1 * d1**2 + I1 + m2 * (l1**2 + d2**2 + 2 * l1 * d2 * c(a2)) + I2
               + m3 * (l1**2 + l2**2 + d3**2 + 2 * l1 * l2 * c(a2) + 2 * l1 * d3 * c(a23) + 2 * l2 * d3 * c(a3)) + I3)  # fmt: skip
    outer = 2 * v1 * v3 + 2 * v2 * v3 + v3**2
    elbow, wrist = (m2 * l1 * d2 + m3 * l1 * l2) * s(a2) + m3 * l1 * d3 * s(a23), m3 * l2 * d3 * s(a3)
    e["36"] = -elbow * (2 * v1 * v2 + v2**2) - (m3 * l1 * d3 * s(a23) + wrist) * outer
    e["37"] = elbow * v1**2 - wrist * outer
    e["38"] = (m3 * l1 * d3 * s(a23) + wrist) * v1**2 + wrist * (2 * v1 * v2 + v2**2)
    e["41"] = m3 * g * d3 * c(a123)
    e["40"] = m2 * g * d2 * c(a12) + m3 * g * l2 * c(a12) + e["41"]
    e["39"] = m1 * g * d1 * c(a1) + m2 * g * (l1 * c(a1) + d2 * c(a12)) + m3 * g * e["11"]
    e["44"] = -F_S * (d3 + d_S) * s(a123)
    e["43"] = -F_S * l2 * s(a12) + e["44"]
    e["42"] = -F_S * l1 * s(a1) + e["43"]
    return e


def test_numbered_equations_of_the_arm() -> None:
    """The call that stands beside each number of the fifth document's page returns that equation; (24) is their sum."""
    rng = np.random.default_rng(4)
    alpha, rate, acceleration = rng.uniform(-2, 2, (3, 30, 3))
    F_S, d_S = 7.0, 0.03
    spring = HandSpring(F_S, d_S, "hand_com")
    names = {"arm": ARM, "alpha": alpha, "rate": rate, "acceleration": acceleration, "spring": spring}
    expected = numbered_equations(alpha, rate, acceleration, F_S, d_S)
    rows = {row["item"]: row["call"] for row in csv.DictReader(ITEMS.open(encoding="utf-8")) if row["document"] == "5"}
    assert len(expected) == 42 - 3  # (24) to (26) name vectors
    for item, theirs in expected.items():
        same(eval(rows[item], {}, names), theirs)
    M = np.stack([np.stack([expected[str(27 + 3 * i + j)] for j in range(3)], axis=1) for i in range(3)], axis=1)
    v, G, T_ext = (np.stack([expected[str(k + j)] for j in range(3)], axis=1) for k in (36, 39, 42))
    total = np.einsum("nij,nj->ni", M, acceleration) + v + G + T_ext
    same(total, np.stack([expected[k] for k in ("23", "20", "17")], axis=1))
    for item in ("24", "24a", "25"):
        same(eval(rows[item], {}, names), total)
