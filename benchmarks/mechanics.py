"""Mechanics for researchers beside hand-written NumPy, pinocchio, and itself one frame at a time.

    pendulum   right-hand side of the 10-pendulum, and a plain closed form written out here
    arm        moments of the three-link arm for 100 000 states, and pinocchio's rnea in a loop
    leg        inverse dynamics of the exoskeleton leg for 1 000 frames at once, and one by one

Rounds are interleaved and the fastest counts; each pair is checked for equality on the same arrays. At the end the cost table of
the closed loops is printed: weighted operations and generation times of three eliminations, beside the published ones.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from biomech_id.multibody.closed_loop import ClosedLoop
from biomech_id.multibody.mechanisms import ExoskeletonLeg, four_bar, planar_segment, sliding_segment
from biomech_id.multibody.pendulums import NPendulum
from biomech_id.multibody.planar_arm import PlanarArm

ROUNDS = 7
PENDULUM_GATE = 1.3
ARM_GATE = 0.2
LEG_GATE = 10.0
N_STATES, N_FRAMES, N_LINKS = 100_000, 1_000, 10
#: Weighted operations of g1 and M1 for TE, DE, IC in the project's own earlier derivation (sympy, no structure used), and of q2.
EARLIER = {
    "four-bar": {"TE": (244, 279), "DE": (364, 301), "IC": (126, 145), "q2": 118},
    "leg with exoskeleton": {"TE": (520, 926), "DE": (552, 928), "IC": (387, 816), "q2": 190},
}


def race(*ways: Callable[[], object]) -> list[float]:
    """Seconds of the fastest round of each way."""
    times: list[list[float]] = [[] for _ in ways]
    for _ in range(ROUNDS):
        for way, took in zip(ways, times, strict=True):
            start = time.perf_counter()
            way()
            took.append(time.perf_counter() - start)
    return [min(took) for took in times]


def verdict(name: str, text: str, met: bool) -> bool:
    print(f"{name:>9}: {text}: {'met' if met else 'NOT MET'}")
    return met


def pendulum() -> bool:
    rng = np.random.default_rng(0)
    mass, length, g = np.full(N_LINKS, 0.01 / N_LINKS), np.full(N_LINKS, 1 / N_LINKS), 9.81
    beyond = np.cumsum(mass[::-1])[::-1]
    mu = np.outer(length, length) * beyond[np.maximum.outer(np.arange(N_LINKS), np.arange(N_LINKS))]
    weight = g * length * beyond

    def by_hand(q: np.ndarray, u: np.ndarray) -> np.ndarray:
        difference = q[:, None] - q
        return np.linalg.solve(mu * np.cos(difference), -(mu * np.sin(difference)) @ u**2 - weight * np.sin(q))

    ours, (q, u) = NPendulum(mass, length), rng.normal(size=(2, N_LINKS))
    apart = np.abs(ours.accelerations(0.0, q, u) - by_hand(q, u)).max() / np.abs(by_hand(q, u)).max()
    calls = range(2000)
    mine, hand = race(lambda: [ours.accelerations(0.0, q, u) for _ in calls], lambda: [by_hand(q, u) for _ in calls])
    text = f"{mine / 2000 * 1e6:.1f} us, by hand {hand / 2000 * 1e6:.1f}, ratio {mine / hand:.2f} (gate {PENDULUM_GATE})"
    text += f"; apart {apart:.0e}"
    return verdict("pendulum", text, mine <= PENDULUM_GATE * hand and apart < 1e-10)


def arm() -> bool:
    try:
        import pinocchio as pin
    except ImportError:
        return verdict("arm", "pinocchio is not installed (pip install pin)", False)
    sizes = ([2.07, 1.16, 0.55], [0.326, 0.269, 0.19], [0.146, 0.117, 0.098], [0.0163, 0.0072, 0.0011])
    limb = PlanarArm(*(np.array(values) for values in sizes))
    model = pin.Model()
    model.gravity.linear = np.array([0, -9.81, 0])
    joint, place = 0, pin.SE3.Identity()
    for i in range(3):
        joint = model.addJoint(joint, pin.JointModelRZ(), place, f"{i}")
        tensor, com = np.diag([0, limb.inertia_kgm2[i], limb.inertia_kgm2[i]]), np.array([limb.com_m[i], 0, 0])
        inertia = pin.Inertia(limb.mass_kg[i], com, tensor)
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        place = pin.SE3(np.eye(3), np.array([limb.length_m[i], 0, 0]))
    data, state = model.createData(), np.random.default_rng(0).normal(size=(3, N_STATES, 3))

    def loop() -> np.ndarray:
        out = np.empty((N_STATES, 3))
        for i, (q, u, a) in enumerate(zip(*state, strict=True)):
            out[i] = pin.rnea(model, data, q, u, a)
        return out

    apart = np.abs(limb.moments(*state).total - loop()).max()
    mine, theirs = race(lambda: limb.moments(*state).total, loop)
    text = f"{mine * 1e3:.1f} ms, rnea in a loop {theirs * 1e3:.1f}, ratio {mine / theirs:.3f} (gate {ARM_GATE})"
    text += f"; apart {apart:.0e} N m"
    return verdict("arm", text, mine <= ARM_GATE * theirs and apart < 1e-10)


def leg_mechanism() -> ClosedLoop:
    """A wearer's leg in an exoskeleton, centres of mass off the lines between joints as on real parts."""
    flat = {
        "thigh": (8.5, (0.18, 0.005), 0.14), "shank": (3.2, (0.175, -0.004), 0.045), "foot": (1.1, (0.06, -0.03), 0.005),
        "crank": (0.35, (0.035, 0.004), 3e-4), "coupler": (0.3, (0.075, -0.006), 7e-4), "cylinder": (0.25, (0.03, 0.0), 1e-4),
    }  # fmt: skip
    segments = {name: planar_segment(name, *numbers) for name, numbers in flat.items()}
    segments["rod"] = sliding_segment("rod", 0.12, -0.04, 5e-5)
    return ExoskeletonLeg(
        thigh_m=0.42, shank_m=0.4, crank_m=0.08, coupler_m=0.15, crank_pivot_m=(0.3, 0.05), coupler_pin_m=(0.04, 0.07),
        strut_pivot_m=(0.28, -0.06), strut_pin_m=(-0.06, 0.01), segments=segments,
        stiffness_N_m=8000, damping_N_s_m=120, rest_m=0.11,
    ).mechanism()  # fmt: skip


def leg() -> bool:
    mechanism, rng = leg_mechanism(), np.random.default_rng(0)
    q1 = np.array([-1.4, -0.5, 1.6]) + rng.uniform(-0.2, 0.2, (N_FRAMES, 3))
    u1, a1 = rng.normal(size=(2, N_FRAMES, 3))

    def at_once() -> np.ndarray:
        return mechanism.inverse(mechanism.configuration(q1), u1, a1)

    def one_by_one() -> np.ndarray:
        frames = (slice(i, i + 1) for i in range(N_FRAMES))
        return np.concatenate([mechanism.inverse(mechanism.configuration(q1[f]), u1[f], a1[f]) for f in frames])

    apart, start = np.abs(at_once() - one_by_one()).max(), time.perf_counter()
    one_by_one()
    slow = time.perf_counter() - start
    (fast,) = race(at_once)
    text = (
        f"{fast * 1e3:.1f} ms, frame by frame {slow * 1e3:.0f}, {slow / fast:.0f} times (gate {LEG_GATE:g}); apart {apart:.0e} N m"
    )
    return verdict("leg", text, slow >= LEG_GATE * fast and apart < 1e-9)


def costs() -> bool:
    from biomech_id.multibody.symbolic.loops import loop_equations

    bars = [
        planar_segment(name, *numbers)
        for name, *numbers in (
            ("crank", 0.3, (0.04, 0.01), 3e-4), ("coupler", 0.45, (0.12, 0.02), 2.1e-3), ("rocker", 0.4, (0.085, -0.008), 1.3e-3),
        )
    ]  # fmt: skip
    met = True
    print("weighted operations (earlier) and generation time; IC with q2 in brackets")
    for name, mechanism in (("four-bar", four_bar((0.08, 0.22, 0.18), 0.25, bars)), ("leg with exoskeleton", leg_mechanism())):
        for method in ("TE", "DE", "IC"):
            found, before = loop_equations(mechanism, method), EARLIER[name]  # type: ignore[arg-type]
            q2 = found.cost_q2.weighted
            cells = []
            for term, earlier in zip(("g1", "M1"), before[method], strict=True):
                cost = found.cost[term].weighted
                met &= cost <= 1.05 * earlier and q2 <= 1.05 * before["q2"]
                whole = f" [{cost + q2}]" if method == "IC" else ""
                cells.append(f"{term} {cost}{whole} ({earlier}), {found.generation_s[term]:.2f} s")
            print(f"  {name:<21} {method}  {';  '.join(cells)};  c1 {found.generation_s['c1']:.2f} s")
    return verdict("costs", "at most the earlier figures plus 5 %", met)


def main() -> int:
    return 0 if all([pendulum(), arm(), leg(), costs()]) else 1


if __name__ == "__main__":
    sys.exit(main())
