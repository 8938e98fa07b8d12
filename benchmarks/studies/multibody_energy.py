"""Energy of 200 random systems, 1 to 12 bodies, half of them with loops, over 10 seconds: what springs and dampers leave open.

``python -m benchmarks.studies.multibody_energy [N]`` draws trees of every joint (hinges and slides about any axis, universal,
cylindrical, Cardan, ball and free joints by quaternions, joints whose steps are functions of a coordinate), hangs springs and
dampers into them, closes every second one (gears, couplers, a rod, a four-bar, a slider on a line) and simulates. A loop that runs
into a dead centre ends its run there, is refused by the simulation, and counts until then. Inverse dynamics at the end gives back
the accelerations. The table lies beside this module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from biomech_id import __version__
from biomech_id.dynamics.body import Segment
from biomech_id.errors import InvalidValueError
from biomech_id.multibody import joints
from biomech_id.multibody.closures import Gearing, LoopClosure, Rod, coupler, pin, slider
from biomech_id.multibody.forward import Simulation, simulate
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.parts import Body
from biomech_id.multibody.reduction import assemble, constrained_accelerations, forward_dynamics, inverse_dynamics, projection
from biomech_id.multibody.springs import LineSpring, Spring
from biomech_id.multibody.system import System

TABLE = Path(__file__).with_suffix(".md")
SEED = 20260202
SECONDS = 10.0
GRAVITY = (0.3, -9.81, 0.5)
LOOPS = ("gears", "coupler", "rod", "four-bar", "slider")
BEND = joints.PolynomialFunction((0.0, 0.05, 0.03, -0.02))


def segment(name: str, rng: np.random.Generator) -> Segment:
    """A box of random size in random axes."""
    box, turn = rng.uniform(0.02, 0.1, 3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    tensor = turn @ np.diag([box[1] + box[2], box[0] + box[2], box[0] + box[1]]) @ turn.T
    return Segment(name, float(rng.uniform(0.5, 3)), rng.normal(0, 0.15, 3), (tensor + tensor.T) / 2)


def joint(name: str, rng: np.random.Generator, *, root: bool) -> joints.JointSteps:
    """One of all kinds; a free body only on the base."""
    direction = rng.normal(size=3)
    x, y, z = (float(c) for c in direction / np.linalg.norm(direction))
    a, b, c = (f"{name}{letter}" for letter in "abc")
    makers: list[Callable[[], joints.JointSteps]] = [
        lambda: joints.revolute(a, (x, y, z)), lambda: joints.prismatic(a, (x, y, z)), lambda: joints.universal(a, b),
        lambda: joints.cylindrical(a, b), lambda: joints.cardan((a, b, c), "zxy"), lambda: joints.ball(a),
        lambda: (joints.Turn(a), joints.Slide(a, joints.X, BEND), joints.Turn(a, joints.Y, BEND)), lambda: joints.free(a),
    ]  # fmt: skip
    return makers[int(rng.integers(len(makers) if root else len(makers) - 1))]()


def random_tree(rng: np.random.Generator) -> tuple[list[Body], list[Spring | LineSpring]]:
    """Bodies with branches, a spring with a damper along most coordinates, and lines to the ground."""
    bodies: list[Body] = []
    springs: list[Spring | LineSpring] = []
    for k in range(int(rng.integers(1, 13))):
        parent = [GROUND, *(body.name for body in bodies)][int(rng.integers(k + 1))]
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        steps = joint(f"q{k}", rng, root=parent == GROUND)
        bodies.append(Body(segment(f"b{k}", rng), steps, parent, rng.normal(0, 0.25, 3), turn * np.linalg.det(turn)))
        plain = joints.names_of([step for step in steps if not isinstance(step, joints.Orientation)])[0]
        draws = [(rng.uniform(20, 60), rng.uniform(0, 0.3), rng.normal(0, 0.1)) for _ in plain]
        springs += [Spring(name, *map(float, numbers)) for name, numbers in zip(plain, draws, strict=True)]
        if any(isinstance(step, joints.Orientation) for step in steps):
            springs.append(LineSpring(f"b{k}", (0.1, 0.0, 0.2), GROUND, (0.2, 0.5, 0.1), 60.0, 0.2, 0.2))
    return bodies, springs


def close_loop(kind: str, bodies: list[Body], rng: np.random.Generator) -> tuple[list[LoopClosure], list[str], list[float]]:
    """What closes, which coordinates follow, and where they are near; bodies are added where the loop needs some."""
    hinge, flat = joints.revolute, np.diag([0.01, 0.02, 0.03])
    if kind == "gears":
        bodies += [Body(segment(n, rng), hinge(n), GROUND, rng.normal(0, 0.2, 3)) for n in ("sun", "planet")]
        return [Gearing({"sun": 1.0, "planet": float(rng.uniform(0.5, 2))}, 0.3)], ["planet"], [0.0]
    if kind == "coupler":
        bodies += [Body(segment(n, rng), hinge(n), GROUND) for n in ("cam", "follower")]
        return [coupler("follower", "cam", joints.PolynomialFunction((0.1, 0.4, 0.05)))], ["follower"], [0.1]
    if kind == "slider":
        bodies.append(Body(segment("crank", rng), hinge("crank")))
        bodies.append(Body(segment("link", rng), (joints.Turn("link"),), "crank", (0.1, 0.0, 0.02)))
        return [slider("link", (0.4, 0.0, 0.0), GROUND, (0.0, 0.0, 0.02), (1.0, 0.0, 0.0))][:1], ["link"], [-0.2]
    if kind == "rod":
        bodies.append(Body(Segment("bob", 1.0, np.zeros(3), flat), joints.free("bob")))
        return [Rod("bob", (0.0, 0.0, 0.0), GROUND, (0.0, 0.0, 0.0), 0.8)], ["bob.py"], [-0.8]
    bodies.append(Body(Segment("crank", 0.5, np.array([0.03, 0, 0]), flat / 10), hinge("crank")))
    bodies.append(Body(Segment("coupler", 0.4, np.array([0.1, 0, 0]), flat / 10), hinge("coupler"), "crank", (0.08, 0.0, 0.004)))
    bodies.append(Body(Segment("rocker", 0.6, np.array([0.09, 0, 0]), flat / 10), hinge("rocker"), GROUND, (0.25, 0.0, 0.0)))
    ends = pin("coupler", (0.22, 0.0, 0.003), "rocker", (0.18, 0.0, 0.0), plane_of=GROUND)
    return [ends], ["coupler", "rocker"], [0.6, 1.6]


def draw(number: int) -> tuple[System, np.ndarray, np.ndarray, str]:
    """A system, a state of it, and the kind of its loop."""
    rng = np.random.default_rng([SEED, number])
    bodies, springs = random_tree(rng)
    kind = LOOPS[(number // 2) % len(LOOPS)] if number % 2 else "tree"
    closures, dependent, guess = close_loop(kind, bodies, rng) if number % 2 else ([], [], [])
    if kind == "slider":  # a point in the plane: what lies across it is no equation
        closures = [type(closures[0])(*_ends(closures[0]), ((0.0, 1.0, 0.0),))]  # type: ignore[call-arg, arg-type]
    cut = System(bodies, GRAVITY)
    free = [name for name in cut.coordinates if name not in dependent] if closures else []
    system = System(bodies, GRAVITY, closures, free, springs)
    q = system.at_zero()
    plain = system.layout.plain[0]
    q[:, plain] += rng.normal(0, 0.15, (1, len(plain)))
    if closures:
        q = assemble(system, q[:, [system.coordinate(name) for name in system.free]], np.array(guess))
    return system, q[0], rng.normal(0, 0.5, len(system.free_speeds)), kind


def _ends(gap: LoopClosure) -> tuple[object, ...]:
    return gap.body, gap.place_m, gap.other, gap.other_place_m, gap.seen_from  # type: ignore[union-attr]


def run_of(number: int, seconds: float = SECONDS) -> tuple[str, int, float, float, float]:
    """Kind, bodies, seconds simulated, energy unexplained (J, of the largest energy, at least 1), accelerations not given back."""
    system, q, u1, kind = draw(number)
    lasted, run = seconds, None
    while run is None:
        try:
            run = simulate(system, q, u1, np.linspace(0, lasted, 21), tolerance=1e-12)
        except InvalidValueError:
            lasted /= 2  # a dead centre
            if lasted < 0.05:
                return kind, len(system.bodies), 0.0, np.nan, np.nan
    return kind, len(system.bodies), lasted, run.energy_drift_J / max(1.0, np.abs(run.energy_J).max()), undone(system, run)


def undone(system: System, run: Simulation) -> float:
    """Largest difference of accelerations from torques of accelerations, of the largest, at the end of a run; loops by two ways."""
    q, u = run.q[-1:], run.u[-1:]
    u1 = u[:, [system.speed(name) for name in system.free_speeds]]
    a1 = np.random.default_rng(0).normal(size=u1.shape)
    W, w = projection(system, q, u1)
    tau1 = inverse_dynamics(system, q, u1, a1)
    tau = np.zeros(u.shape)
    tau[:, [system.speed(name) for name in system.free_speeds]] = tau1
    back = forward_dynamics(system, q, u1, tau)
    whole = constrained_accelerations(system, q, u, tau)[0] if system.closures else system.forward(q, u, tau)
    a = (W @ a1[..., None])[..., 0] + w
    return float(max(np.abs(back - a1).max(), np.abs(whole - a).max()) / max(1.0, np.abs(a).max()))


def main(n: int = 200) -> int:
    """Write the table; 0 if every run kept its energy within 1e-8 and every motion came back within 1e-8."""
    runs = [run_of(number) for number in range(n)]
    lines = [
        f"biomech_id {__version__}, {n} systems, seed {SEED}, {SECONDS:g} s at tolerance 1e-12", "",
        "| loop | systems | bodies | ran all 10 s | dead centre | energy unexplained (of the largest) | motion not given back |",
        "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for kind in ("tree", *LOOPS):
        rows = [row for row in runs if row[0] == kind]
        if rows:
            whole = sum(row[2] == SECONDS for row in rows)
            sizes = f"{min(row[1] for row in rows)} to {max(row[1] for row in rows)}"
            worst = [f"{np.nanmax([row[k] for row in rows]):.1e}" for k in (3, 4)]
            lines.append(f"| {kind} | {len(rows)} | {sizes} | {whole} | {len(rows) - whole} | {' | '.join(worst)} |")
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return int(not all(row[3] <= 1e-8 and row[4] <= 1e-8 for row in runs if row[2] > 0))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
