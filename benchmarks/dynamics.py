"""Inverse dynamics of one leg (3 segments) side by side with other ways to the same numbers.

Ours is the public ``solve`` of a chain; ``solve_body``, from a tracked body and the ground's wrench to loads that know their
joints, is shown too. The others get their inputs prebuilt as well:

    loop       Python loop over frames that assembles the 18 x 18 system and calls numpy.linalg.solve, as the source document does
    batched    numpy.linalg.solve on (N, 18, 18), assembled beforehand
    pinocchio  Python loop over pinocchio's rnea, external forces built beforehand

Rounds are interleaved; within a round each way runs a few times in a row, as in a program that does nothing else, and medians over
all runs are compared. All results are checked against each other on the same arrays. Both are timed from values that exist:
a body's segments are stacked when they are first used, before the clock starts, as the others' matrices and states are.
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from biomech_id.algebra.wrench import Wrench
from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS
from biomech_id.dynamics.block_system import block_system
from biomech_id.dynamics.body import BodyMotion, FootContact, Frames, Motion, Segment
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.newton_euler import solve, solve_body

GRAVITY = np.array([0.0, 0.0, -9.81])
PROXIMAL_FIRST = ("thigh", "shank", "foot")
LEG = PROXIMAL_FIRST[::-1]
#: frames -> least speed of ours relative to each other way.
#: The long race comes first: once it has freed large arrays, the C library stops handing memory back after every run, which would
#: otherwise cost the short one more than its arithmetic (a program that has read a recording is in the same state).
GATES = {100_000: {"loop": 200, "batched": 6, "pinocchio": 2}, 1_000: {"loop": 250, "batched": 7, "pinocchio": 2}}
#: Frames -> rounds, and runs in a row within a round; the loop takes ten seconds and more at 100 000.
ROUNDS = {1_000: 9, 100_000: 3}
RUNS = {1_000: 5, 100_000: 7}
BUDGET_GATE = 3.0
MEMORY_GATE_MB = 400.0
AGREEMENT = 1e-9


@dataclass
class Leg:
    """One leg over N frames, as the values ours takes and as the bare arrays the others take."""

    n: int
    body: BodyMotion
    contacts: dict[str, FootContact]
    chain: Chain
    external: list[External]
    arrays: dict[str, np.ndarray]
    pin_inputs: Any = None


@dataclass
class Timings:
    """Run times in seconds of each way, round by round."""

    seconds: dict[str, list[float]] = field(default_factory=dict)

    def measure(self, name: str, run: Callable[[], object], times: int = 1) -> None:
        for _ in range(times):
            start = time.perf_counter()
            run()
            self.seconds.setdefault(name, []).append(time.perf_counter() - start)

    def median(self, name: str) -> float:
        return statistics.median(self.seconds[name])


def smooth(rng: np.random.Generator, t: np.ndarray, k: int, size: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """k sums of two sines with first and second derivative, each (n, k)."""
    a, w, p = size * rng.uniform(0.3, 1, (2, k)), rng.uniform(2, 9, (2, k)), rng.uniform(0, 6, (2, k))
    phase = w * t[:, None, None] + p
    return (a * np.sin(phase)).sum(1), (a * w * np.cos(phase)).sum(1), (-a * w**2 * np.sin(phase)).sum(1)


def make_leg(n: int) -> Leg:
    """A leg swinging from a moving pelvis: body-axis angular velocities and a kinematic chain, worked out with NumPy."""
    rng = np.random.default_rng(11)
    t = np.arange(n) / 100.0
    base, base_v, base_a = smooth(rng, t, 3, 0.05)
    mass, size = {"thigh": 8.4, "shank": 3.1, "foot": 1.05}, {"thigh": 0.4, "shank": 0.4, "foot": 0.12}
    segments, motions, joints, local = {}, {}, {}, {}
    origin, v, a = base, base_v, base_a
    for name in PROXIMAL_FIRST:
        R = Rotation.from_rotvec(smooth(rng, t, 3, 0.4)[0]).as_matrix()
        w_seg, al_seg, _ = smooth(rng, t, 3, 2.0)  # any smooth function serves as angular velocity; its rate is exact
        w, al = np.einsum("fij,fj->fi", R, w_seg), np.einsum("fij,fj->fi", R, al_seg)
        com_local, distal_local = np.array([0.01, -0.43 * size[name], 0.005]), np.array([0.0, -size[name], 0.0])
        tensor = mass[name] * size[name] ** 2 * np.array([[0.1, 0.003, 0], [0.003, 0.03, 0.002], [0, 0.002, 0.11]])

        def rigid(r: np.ndarray, v: np.ndarray = v, a: np.ndarray = a, w: np.ndarray = w, al: np.ndarray = al) -> Any:
            return v + np.cross(w, r), a + np.cross(al, r) + np.cross(w, np.cross(w, r))

        r = np.einsum("fij,j->fi", R, com_local)
        com_v, com_a = rigid(r)
        segments["R", name] = Segment(name, mass[name], com_local, tensor)
        motions["R", name] = Motion(Frames(R, origin), w, al, origin + r, com_v, com_a)
        joint = next(j for j, s in DISTAL_SEGMENT.items() if s == name)
        joints["R", joint] = origin
        local[name] = (w_seg, al_seg, R)
        r = np.einsum("fij,j->fi", R, distal_local)
        v, a = rigid(r)
        origin = origin + r
    zero = np.zeros((n, 3))
    motions["", "pelvis"] = Motion(Frames(np.tile(np.eye(3), (n, 1, 1)), base), zero, zero, base, base_v, base_a)
    body = BodyMotion("leg", 100.0, 1, motions, segments, joints, {})
    force, moment = smooth(rng, t, 3, 300.0)[0], smooth(rng, t, 3, 30.0)[0]
    contact = FootContact("R", force, moment, np.ones(n, dtype=bool))
    ordered = [("R", name) for name in LEG]
    chain = Chain([segments[k] for k in ordered], [motions[k] for k in ordered], [joints["R", j] for j in JOINTS])
    external = [External("foot", Wrench(force, moment, np.zeros(3)))]
    arrays = {
        "R": np.stack([motions[k].frames.R_lab_seg for k in ordered], 1), "c": np.stack([motions[k].com_lab_m for k in ordered], 1),
        "P": np.stack([joints["R", j] for j in JOINTS], 1), "F": force, "M": moment,
        "a": np.stack([motions[k].com_acceleration_lab_m_s2 for k in ordered], 1),
        "w": np.stack([motions[k].omega_lab_rad_s for k in ordered], 1),
        "al": np.stack([motions[k].alpha_lab_rad_s2 for k in ordered], 1),
        "m": np.array([segments[k].mass_kg for k in ordered]), "I": np.stack([segments[k].inertia_kgm2 for k in ordered]),
    }  # fmt: skip
    return Leg(n, body, {"R": contact}, chain, external, arrays)


def skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def frame_loop(leg: Leg) -> np.ndarray:
    """Moments in segment axes (N, 3, 3): assemble and solve one frame after the other, as the source document does."""
    x, out, eye = leg.arrays, np.empty((leg.n, 3, 3)), np.eye(3)
    for f in range(leg.n):
        A, b = np.eye(18), np.zeros(18)
        for i in range(3):
            Q, arm = x["R"][f, i].T, x["P"][f, i] - x["c"][f, i]
            A[6 * i + 3 : 6 * i + 6, 6 * i : 6 * i + 3] = Q @ skew(arm)
            if i:
                A[6 * i : 6 * i + 3, 6 * i - 6 : 6 * i - 3] = -eye
                A[6 * i + 3 : 6 * i + 6, 6 * i - 6 : 6 * i - 3] = -Q @ skew(x["P"][f, i - 1] - x["c"][f, i])
                A[6 * i + 3 : 6 * i + 6, 6 * i - 3 : 6 * i] = -Q @ x["R"][f, i - 1]
            w, al = Q @ x["w"][f, i], Q @ x["al"][f, i]
            b[6 * i : 6 * i + 3] = x["m"][i] * (x["a"][f, i] - GRAVITY)
            b[6 * i + 3 : 6 * i + 6] = x["I"][i] @ al + np.cross(w, x["I"][i] @ w)
        b[:3] -= x["F"][f]
        b[3:6] -= x["R"][f, 0].T @ (x["M"][f] - np.cross(x["c"][f, 0], x["F"][f]))
        out[f] = np.linalg.solve(A, b).reshape(3, 2, 3)[:, 1]
    return out


def pinocchio_inputs(leg: Leg) -> Any:
    """Model, states and external forces for rnea: a free-flying pelvis and three ball joints."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pin.Model()
    model.gravity.linear = GRAVITY
    parent = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "pelvis")
    offset = np.zeros(3)
    lengths = {"thigh": 0.4, "shank": 0.4, "foot": 0.12}
    for name in PROXIMAL_FIRST:
        parent = model.addJoint(parent, pin.JointModelSpherical(), pin.SE3(np.eye(3), offset), name)
        s = leg.body.segments["R", name]
        model.appendBodyToJoint(parent, pin.Inertia(s.mass_kg, np.array(s.com_m), np.array(s.inertia_kgm2)), pin.SE3.Identity())
        offset = np.array([0.0, -lengths[name], 0.0])
    q, v, a = _joint_states(leg)
    forces = []
    foot = leg.body.motions["R", "foot"].frames
    at_ankle = leg.arrays["M"] - np.cross(foot.origin_lab_m, leg.arrays["F"])
    force, moment = (np.einsum("fji,fj->fi", foot.R_lab_seg, x) for x in (leg.arrays["F"], at_ankle))
    for f in range(leg.n):
        on_joint = pin.StdVec_Force()
        on_joint.extend([pin.Force.Zero()] * 4)
        on_joint.append(pin.Force(force[f], moment[f]))
        forces.append(on_joint)
    return pin.rnea, model, model.createData(), q, v, a, forces


def _joint_states(leg: Leg) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Generalised coordinates, velocities and accelerations of base and ball joints, from the segments' absolute motion."""
    pelvis = leg.body.motions["", "pelvis"]
    n = leg.n
    q, v, a = [pelvis.com_lab_m, np.tile([0.0, 0, 0, 1], (n, 1))], [pelvis.com_velocity_lab_m_s, np.zeros((n, 3))], []
    a = [pelvis.com_acceleration_lab_m_s2, np.zeros((n, 3))]
    parent = pelvis
    for name in PROXIMAL_FIRST:
        motion = leg.body.motions["R", name]
        R, R_parent = motion.frames.R_lab_seg, parent.frames.R_lab_seg
        relative = motion.omega_lab_rad_s - parent.omega_lab_rad_s
        # Ball-joint rates are in child axes: d/dt (R' w_rel) = R' (alpha_rel - omega x w_rel).
        rate = motion.alpha_lab_rad_s2 - parent.alpha_lab_rad_s2 - np.cross(motion.omega_lab_rad_s, relative)
        q.append(Rotation.from_matrix(np.swapaxes(R_parent, 1, 2) @ R).as_quat())
        v.append(np.einsum("fji,fj->fi", R, relative))
        a.append(np.einsum("fji,fj->fi", R, rate))
        parent = motion
    return np.hstack(q), np.hstack(v), np.hstack(a)


def pinocchio_loop(inputs: Any) -> np.ndarray:
    """Moments in segment axes (N, 3, 3), distal first: the generalised forces of ball joints."""
    rnea, model, data, q, v, a, forces = inputs
    tau = np.empty((len(q), model.nv))
    for f in range(len(q)):
        tau[f] = rnea(model, data, q[f], v[f], a[f], forces[f])
    return tau[:, 6:].reshape(-1, 3, 3)[:, ::-1]


def check_agreement(leg: Leg, system: Any) -> float:
    """Largest difference, N m, between ours and every other way."""
    loads = solve_body(leg.body, leg.contacts)
    ours = np.stack([loads["R", joint].expressed_in("distal").moment_Nm for joint in JOINTS], axis=1)
    chain = np.einsum("fnji,fnj->fni", leg.arrays["R"], solve(leg.chain, leg.external).moment_lab_Nm)
    others = [chain, np.linalg.solve(system.A, system.b[..., None]).reshape(-1, 3, 2, 3)[:, :, 1], frame_loop(leg)]
    if leg.pin_inputs is not None:
        others.append(pinocchio_loop(leg.pin_inputs))
    return max(float(np.abs(ours - other).max()) for other in others)


def race(n: int) -> bool:
    leg = make_leg(n)
    leg.pin_inputs = pinocchio_inputs(leg)
    system = block_system(leg.chain, leg.external)
    difference = check_agreement(leg, system)
    ways: dict[str, Callable[[], object]] = {
        "ours": lambda: solve(leg.chain, leg.external),
        "body": lambda: solve_body(leg.body, leg.contacts),
        "loop": lambda: frame_loop(leg),
        "batched": lambda: np.linalg.solve(system.A, system.b[..., None]),
    }
    if leg.pin_inputs is not None:
        ways["pinocchio"] = lambda: pinocchio_loop(leg.pin_inputs)
    timings = Timings()
    for _ in range(ROUNDS[n]):
        for name, run in ways.items():
            timings.measure(name, run, 1 if name == "loop" else RUNS[n])
    return report(n, timings, difference)


def report(n: int, timings: Timings, difference: float) -> bool:
    ours = timings.median("ours")
    print(f"{n} frames, medians of {ROUNDS[n]} rounds of {RUNS[n]} runs (loop: 1); all agree within {difference:.1e} N m")
    for name in timings.seconds:
        print(f"  {name:10s} {timings.median(name) / n * 1e6:9.3f} us/frame")
    met = difference < AGREEMENT
    for name, gate in GATES[n].items():
        if name not in timings.seconds:
            print(f"  against {name}: not installed")
            continue
        ratio = timings.median(name) / ours
        met &= ratio >= gate
        print(f"  against {name:10s} {ratio:7.1f} times as fast (gate {gate}): {'met' if ratio >= gate else 'NOT MET'}")
    return met


def budget_cost(n: int) -> bool:
    """The moment budget against the plain solution, a few runs of each in turn, before anything else has filled the memory."""
    leg = make_leg(n)
    timings = Timings()
    for _ in range(ROUNDS[n]):
        timings.measure("plain", lambda: solve(leg.chain, leg.external), RUNS[n])
        timings.measure("budget", lambda: solve(leg.chain, leg.external, budget=True), RUNS[n])
    ratio = timings.median("budget") / timings.median("plain")
    verdict = "met" if ratio <= BUDGET_GATE else "NOT MET"
    print(f"{n} frames: the budget costs {ratio:.2f} times the plain solution (gate {BUDGET_GATE:g}): {verdict}")
    return ratio <= BUDGET_GATE


def memory(n: int = 100_000) -> bool:
    leg = make_leg(n)
    tracemalloc.start()
    solve_body(leg.body, leg.contacts)
    plain = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.reset_peak()
    solve_body(leg.body, leg.contacts, budget=True)
    with_budget = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    print(f"peak memory at {n} frames: {plain:.0f} MB, with budget {with_budget:.0f} MB (gate {MEMORY_GATE_MB:g})")
    return max(plain, with_budget) <= MEMORY_GATE_MB


def growth() -> None:
    """Cost per frame as the recording gets longer."""
    costs = []
    for n in (10_000, 100_000, 400_000):
        leg = make_leg(n)
        timings = Timings()
        for _ in range(5):
            timings.measure("ours", lambda leg=leg: solve_body(leg.body, leg.contacts))  # type: ignore[misc]
        costs.append(f"{timings.median('ours') / n * 1e6:.3f} at {n}")
    print(f"cost per frame, us: {', '.join(costs)}")


def main() -> int:
    met = [budget_cost(n) for n in GATES]
    met += [race(n) for n in GATES]
    met.append(memory())
    growth()
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
