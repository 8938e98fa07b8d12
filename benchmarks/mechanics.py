"""Mechanics for researchers: CPU per state of generated equations, with pinocchio beside it, and what they cost.

    calls      System.inverse and forward of a tree of 12, the ten-pendulum and the leg (loops cut), one state and 1 000 at once,
               compiled and without a compiler; beside each pinocchio's rnea and aba, which take one state a call
    states     exo13 M1 c1 g1 spring1 and q1'', 10-pendulum, leg with exoskeleton, 3-link tree: compiled and by Python's scalars
    arm        moments of the three-link arm for 100 000 states, and pinocchio's rnea in a loop
    leg        inverse dynamics of the exoskeleton leg for 1 000 frames at once, and one by one
    generating time to derive and to compile the exoskeleton of 13 coordinates, and its weighted operations
    driven     CPU of two seconds of the driven exoskeleton, with and without a compiler

CPU time, not the clock's; rounds are interleaved and the fastest counts. That the numbers are right is held by
`tests/physics/test_multibody_code.py`.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial

import numpy as np

from biomech_id.dynamics.body import Segment
from biomech_id.multibody import tree_code
from biomech_id.multibody.examples.exoskeleton import arm_exoskeleton
from biomech_id.multibody.examples.mechanisms import ExoskeletonLeg, four_bar, planar_segment, sliding_segment
from biomech_id.multibody.examples.pendulums import n_pendulum
from biomech_id.multibody.examples.planar_arm import PlanarArm
from biomech_id.multibody.forward import simulate
from biomech_id.multibody.generated import compiler, generate
from biomech_id.multibody.joints import revolute
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.parts import Body, Drive
from biomech_id.multibody.reduction import configuration, inverse_dynamics
from biomech_id.multibody.system import System
from biomech_id.multibody.traced import equations

ROUNDS = 7
ARM_GATE = 0.2
LEG_GATE = 10.0
N_STATES, N_FRAMES = 100_000, 1_000
DOWN = (0.0, -9.81, 0.0)
TERMS = ("M1", "c1", "g1", "spring1")
#: Microseconds of CPU per state, compiled and by Python's scalars.
STATE_GATES = {"exo13 M1 c1 g1 spring1": (3, 250), "exo13 q1''": (3, 250), "10-pendulum u'": (4, 60), "leg M1 c1 g1": (2, 40)}
GENERATION_GATE_S, COMPILING_GATE_S, OPERATIONS_GATE = 1.0, 5.0, {"g1": 1300, "M1": 2250}
DRIVEN_GATES_S = {"c": 3.0, "python": 15.0}
#: What one state, and 1 000 at once, may take relative to pinocchio's call and a loop of it.
CALL_GATES = {"c": (8.0, 2.0), "python": (np.inf, 3.0)}
ONE_STATE_CALLS = 300
#: Published for another geometry of the same topology (Schappler et al. 2019, table 1).
PUBLISHED = {"TE": {"g1": 2343, "M1": 3754}, "DE": {"g1": 2061, "M1": 3899}, "IC": {"g1": 1804, "M1": 4001}}


def race(*ways: Callable[[], object]) -> list[float]:
    """Seconds of the fastest round of each way."""
    times: list[list[float]] = [[] for _ in ways]
    for _ in range(ROUNDS):
        for way, took in zip(ways, times, strict=True):
            start = time.process_time()
            way()
            took.append(time.process_time() - start)
    return [min(took) for took in times]


def verdict(name: str, text: str, met: bool) -> bool:
    print(f"{name:>9}: {text}: {'met' if met else 'NOT MET'}")
    return met


def three_links() -> System:
    """A spatial tree of three hinges about different axes."""
    tensor = np.array([[0.02, 0.003, 0.0], [0.003, 0.1, -0.004], [0.0, -0.004, 0.1]])
    bodies: list[Body] = []
    for k, axis in enumerate(((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))):
        segment = Segment(f"b{k}", 1.0 + k, np.array([0.2, 0.02, 0.1]), tensor)
        parent, place = (bodies[-1].name, (0.4, 0.0, 0.05)) if bodies else (GROUND, (0.0, 0.0, 0.0))
        bodies.append(Body(segment, revolute(f"q{k}", axis), parent, place))
    return System(bodies, DOWN)


def pinocchio_of(system: System) -> tuple[object, ...] | None:
    """The cut tree of a system of hinges and slides along z (or x, y) for pinocchio, or None without it."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model, index = pin.Model(), {GROUND: 0}
    model.gravity.linear = np.asarray(system.gravity_lab_m_s2)
    for body in system.bodies:
        (step,) = body.joint
        letter = "XYZ"[int(np.argmax(np.abs(step.axis)))]  # type: ignore[union-attr]
        kind = getattr(pin, f"JointModel{'R' if type(step).__name__ == 'Turn' else 'P'}{letter}")()
        place = pin.SE3(np.asarray(body.R_parent_joint), np.asarray(body.place_m))
        index[body.name] = model.addJoint(index[body.parent], kind, place, body.name)
        s = body.segment
        inertia = pin.Inertia(s.mass_kg, np.array(s.com_m), np.array(s.inertia_kgm2))
        model.appendBodyToJoint(index[body.name], inertia, pin.SE3.Identity())
    return pin, model, model.createData()


def per_state(call: Callable[[], object], times: int) -> float:
    """Microseconds of CPU of one call, the fastest of some rounds."""
    return race(lambda: [call() for _ in range(times)])[0] / times * 1e6


def states() -> bool:
    exo, met = arm_exoskeleton(DOWN), True
    pendulum, link3 = n_pendulum(np.full(10, 1e-3), np.full(10, 0.1), gravity_m_s2=9.81), three_links()
    cut = dataclasses.replace(exo, closures=(), free=(), closed_form=None)
    asked = {
        "exo13 M1 c1 g1 spring1": (exo, TERMS, cut), "exo13 q1''": (exo, ("a1",), cut), "10-pendulum u'": (pendulum, ("a1",), None),
        "leg M1 c1 g1": (leg_mechanism(), ("M1", "c1", "g1"), None), "3-link forward": (link3, ("a1",), link3),
    }  # fmt: skip
    for name, (system, quantities, tree) in asked.items():
        program = equations(system, quantities)
        x = np.full(len(program.inputs), 0.3)
        x[:3] = [-1.4, -0.5, 1.6] if name.startswith("leg") else [0.2, 0.6, 0.35]
        scalars = generate(program, "python")
        ours = {"python": per_state(lambda code=scalars, x=x: code.one(x), 300)}
        if compiler():
            native = generate(program, "c")
            ours["c"] = per_state(lambda code=native, x=x: code.one(x), 5000)
        theirs, beside = (pinocchio_of(tree) if tree else None), ""
        if theirs:
            pin, *arguments = theirs
            z, forward = np.full(len(tree.speeds), 0.3), name.startswith("3-link")
            peer = per_state(partial(pin.aba if forward else pin.rnea, *arguments, z, z, z), 5000)
            beside = f"; pinocchio {'aba' if forward else 'rnea of the cut tree'} {peer:.2f} us"
            beside += f", ratio {ours.get('c', ours['python']) / peer:.2f}"
            good = not forward or "c" not in ours or ours["c"] <= peer
        gates = STATE_GATES.get(name)
        if gates:
            good = ours.get("c", 0) <= gates[0] and ours["python"] <= gates[1]
        text = ", ".join(f"{language} {value:.2f} us" for language, value in sorted(ours.items())) + beside
        met &= verdict(name, text + (f" (gates {gates[0]}, {gates[1]})" if gates else ""), good)
    return met


def tree_of_12() -> System:
    """A branched tree of twelve hinges with places, masses and tensors at random."""
    rng, bodies = np.random.default_rng(3), list[Body]()
    for k, parent in enumerate((-1, 0, 1, 2, 0, 4, 5, 0, 7, 8, 7, 10)):
        spread, mass = rng.normal(size=(3, 3)), rng.uniform(0.5, 8.0)
        spread = mass * 0.01 * (spread @ spread.T + np.eye(3))
        segment = Segment(f"b{k}", mass, rng.normal(size=3) * 0.1, np.trace(spread) * np.eye(3) - spread)
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        axis = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))[int(rng.integers(3))]
        before = GROUND if parent < 0 else f"b{parent}"
        bodies.append(Body(segment, revolute(f"q{k}", axis), before, rng.normal(size=3) * 0.3, Q * np.linalg.det(Q)))
    return System(bodies, DOWN)


def hinged(system: System) -> System:
    """A pendulum whose angles are taken from the vertical, by angles between its links: as pinocchio can say it."""
    joints = (dataclasses.replace(body, joint=body.joint[-1:]) for body in system.bodies)
    return dataclasses.replace(system, bodies=tuple(joints), free=())


def warm(system: System, asked: str, states: np.ndarray, compiling: bool) -> System:
    """A copy whose method has been asked for often enough to run as it will, compiled or not."""
    system = dataclasses.replace(system)
    quantity = tree_code.TreeCode()
    tree_code._of_systems[system] = defaultdict(tree_code.TreeCode, {asked: quantity})
    while quantity.code is None or (compiling and quantity.code.language != "c"):
        getattr(system, asked)(*states)
    quantity.left = np.inf
    return system


def calls() -> bool:
    met, pendulum = True, n_pendulum(np.full(10, 1e-3), np.full(10, 0.1), gravity_m_s2=9.81)
    leg_tree = dataclasses.replace(leg_mechanism(), closures=(), free=(), closed_form=None, springs=())
    for name, system, peer_system in (
        ("12-body tree", (tree := tree_of_12()), tree), ("ten-pendulum", pendulum, hinged(pendulum)), ("leg", leg_tree, leg_tree),
    ):  # fmt: skip
        peer = pinocchio_of(peer_system)
        if peer is None:
            return verdict("calls", "pinocchio is not installed (pip install pin)", False)
        pin, *model = peer
        n = len(system.speeds)
        states = np.random.default_rng(0).normal(size=(3, N_FRAMES, n)) * 0.4
        theirs = states if system is peer_system else np.diff(states, axis=2, prepend=0.0)
        for asked, function in (("inverse", pin.rnea), ("forward", pin.aba)):
            peers_states = theirs
            if system is not peer_system and asked == "forward":  # each hinge's torque turns all links beyond it
                torque = np.cumsum(states[2][:, ::-1], axis=1)[:, ::-1]
                peers_states = np.array([*theirs[:2], torque])
            met &= _against(name, (system, asked, states), (function, model, peers_states), system is peer_system)
    return met


def _against(name: str, ours: tuple, peers: tuple, alike: bool) -> bool:
    system, asked, states = ours
    function, model, theirs = peers

    def loop() -> np.ndarray:
        out = np.empty(theirs.shape[1:])
        for k, (q, u, third) in enumerate(zip(*theirs, strict=True)):
            out[k] = function(*model, q, u, third)
        return out

    first, alone = theirs[:, 0], states[:, :1].copy()
    found, expected = getattr(system, asked)(*states), loop()
    if not alike:  # torques between links to moments on links, rates between links to rates of links
        expected = -np.diff(expected, axis=1, append=0.0) if asked == "inverse" else np.cumsum(expected, axis=1)
    apart = np.abs(found - expected).max() / np.abs(expected).max()
    good = bool(apart < 1e-9)
    ways = {language: warm(system, asked, states, language == "c") for language in ("c", "python") if language != "c" or compiler()}
    texts = []
    many = {language: (lambda s=s: getattr(s, asked)(*states)) for language, s in ways.items()}
    one = {language: (lambda s=s: [getattr(s, asked)(*alone) for _ in range(ONE_STATE_CALLS)]) for language, s in ways.items()}
    *ours_many, peer_many = race(*many.values(), loop)
    *ours_one, peer_one = race(*one.values(), lambda: [function(*model, *first) for _ in range(ONE_STATE_CALLS)])
    for language, together, single in zip(ways, ours_many, ours_one, strict=True):
        ratios, gates = (single / peer_one, together / peer_many), CALL_GATES[language]
        good &= all(ratio <= gate for ratio, gate in zip(ratios, gates, strict=True))
        text = f"{language} one state {single / ONE_STATE_CALLS * 1e6:.1f} us, {ratios[0]:.1f} times (gate {gates[0]:g}), "
        texts.append(text + f"1 000 in {together * 1e3:.2f} ms, {ratios[1]:.2f} times (gate {gates[1]:g})")
    texts.append(f"pinocchio {peer_one / ONE_STATE_CALLS * 1e6:.1f} us, {peer_many * 1e3:.2f} ms; apart {apart:.0e}")
    return verdict("calls", f"{name} {asked}: " + "; ".join(texts), good)


def generating() -> bool:
    exo, start = arm_exoskeleton(DOWN), time.process_time()
    program = equations(exo, TERMS)
    derived, wall = time.process_time() - start, time.perf_counter()
    if compiler():
        generate(program, "c")
    compiled = time.perf_counter() - wall
    text = f"derived in {derived:.2f} s (gate {GENERATION_GATE_S:g}), compiled in {compiled:.2f} s (gate {COMPILING_GATE_S:g})"
    met = verdict("exo13", text, derived <= GENERATION_GATE_S and compiled <= COMPILING_GATE_S)
    bars = [
        planar_segment(name, *numbers)
        for name, *numbers in (
            ("crank", 0.3, (0.04, 0.01), 3e-4), ("coupler", 0.45, (0.12, 0.02), 2.1e-3), ("rocker", 0.4, (0.085, -0.008), 1.3e-3),
        )
    ]  # fmt: skip
    print("weighted operations (exo13: beside those published for another geometry); IC without finding q2")
    bar = four_bar((0.08, 0.22, 0.18), 0.25, bars, gravity_m_s2=DOWN)
    for name, system in (("exo13", exo), ("four-bar", bar), ("leg with exoskeleton", leg_mechanism())):
        for method in PUBLISHED:
            cost = {term: equations(system, (term,), method).operations.weighted for term in ("g1", "M1")}  # type: ignore[arg-type]
            beside = [f"{term} {cost[term]}" + (f" ({PUBLISHED[method][term]})" if name == "exo13" else "") for term in cost]
            print(f"  {name:<21} {method}  {';  '.join(beside)}")
            if (name, method) == ("exo13", "TE"):
                met &= all(cost[term] <= most for term, most in OPERATIONS_GATE.items())
    return verdict("costs", f"exo13 TE at most {OPERATIONS_GATE}", met)


def driven() -> bool:
    K, D, amplitude, omega = (
        np.array(x) for x in ((40.0, 40, 60, 40, 15), (4.0, 4, 5, 4, 1), (0.3, 0.4, 0.15, 0.25, 0.5), range(2, 7))
    )
    start, exo, met = np.array([0.2, 0.6, 0.35, 0.6, 0.1]), arm_exoskeleton(DOWN), True
    free = [exo.coordinate(name) for name in exo.free]
    law = Drive(exo.free_speeds, lambda t, q, u: K * (start + amplitude * np.sin(omega * t) - q[free]) - D * u[free])
    system, q = dataclasses.replace(exo, drives=[law]), configuration(exo, start[None])[0]
    for language, gate in DRIVEN_GATES_S.items():
        if language == "c" and not compiler():
            continue
        clock = time.process_time()
        run = simulate(system, q, np.array([0.5, -0.4, 0.3, -0.2, 0.8]), np.array([0.0, 2.0]), language=language)  # type: ignore[arg-type]
        took = time.process_time() - clock
        text = f"{language} {took:.1f} s of CPU for 2 s, {run.evaluations} evaluations, energy off by {run.energy_drift_J:.0e} J"
        met &= verdict("driven", f"{text} (gate {gate:g})", took <= gate and run.energy_drift_J <= 1e-10)
    return met


def arm() -> bool:
    try:
        import pinocchio as pin
    except ImportError:
        return verdict("arm", "pinocchio is not installed (pip install pin)", False)
    sizes = ([2.07, 1.16, 0.55], [0.326, 0.269, 0.19], [0.146, 0.117, 0.098], [0.0163, 0.0072, 0.0011])
    limb = PlanarArm(*(np.array(values) for values in sizes), gravity_m_s2=9.81)
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


def leg_mechanism() -> System:
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
    ).mechanism(DOWN)  # fmt: skip


def leg() -> bool:
    mechanism, rng = leg_mechanism(), np.random.default_rng(0)
    q1 = np.array([-1.4, -0.5, 1.6]) + rng.uniform(-0.2, 0.2, (N_FRAMES, 3))
    u1, a1 = rng.normal(size=(2, N_FRAMES, 3))

    def at_once() -> np.ndarray:
        return inverse_dynamics(mechanism, configuration(mechanism, q1), u1, a1)

    def one_by_one() -> np.ndarray:
        frames = (slice(i, i + 1) for i in range(N_FRAMES))
        return np.concatenate([inverse_dynamics(mechanism, configuration(mechanism, q1[f]), u1[f], a1[f]) for f in frames])

    apart, start = np.abs(at_once() - one_by_one()).max(), time.process_time()
    one_by_one()
    slow = time.process_time() - start
    (fast,) = race(at_once)
    text = (
        f"{fast * 1e3:.1f} ms, frame by frame {slow * 1e3:.0f}, {slow / fast:.0f} times (gate {LEG_GATE:g}); apart {apart:.0e} N m"
    )
    return verdict("leg", text, slow >= LEG_GATE * fast and apart < 1e-9)


def main() -> int:
    return 0 if all([generating(), calls(), states(), arm(), leg(), driven()]) else 1


if __name__ == "__main__":
    sys.exit(main())
