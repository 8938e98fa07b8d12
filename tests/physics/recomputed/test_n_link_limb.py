"""The first document's limb from its words alone: places as polynomials of e^(it), and point masses' energies.

Joints turn at 1, 2 and 4 rad/s, so that every place x1 + i x2 is a sum of powers of z = e^(it) with rational coefficients, exactly;
its rate is i z d/dz. Forces are masses times second rates, moments come from momentum about the laboratory's origin, and what an
observer calls fictitious from the product rule. The document's lost minus signs do not come out of this: its printed numbers are
held with signs restored. Formulas in space are held for segments that move by functions of time, differentiated in 50 digits.
"""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sympy")
import mpmath
import sympy as sp
from mpmath import mp

from biomech_id.algebra.inertia import parallel_axis, rotate_inertia, steiner
from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.observer import Observer, observe, relative_motion
from biomech_id.multibody.examples.limb import Angles, Limb, Link
from biomech_id.multibody.kinematics import GROUND
from tests.physics.recomputed.moving import TIMES, Moving, N, cross, numbers, rate, vector
from tests.physics.recomputed.table import Cases, Pair, check, parameters

CASES = Cases()
ROOT = Path(__file__).resolve().parents[3]
T = np.linspace(0.1, 6, 9)
NOTHING = (0.0, 0.0, 0.0)
NAMES = "ABC"
LENGTH, MASS = (0.8, 0.6, 0.4), (0.7, 0.5, 0.3)

# The limb in powers of z = e^(it).

Z = sp.Symbol("z")
L, M = [sp.Rational(str(x)) for x in LENGTH], [sp.Rational(str(x)) for x in MASS]
#: A frame's angle is this many times t: W, A, B, C.
TURNS = {"W": 0, "A": 1, "B": 3, "C": 7}
AXES = dict(zip(NAMES, (1, 3, 7), strict=True))
P = [sp.S.Zero]
for length, power in zip(L, (1, 3, 7), strict=True):
    P.append(P[-1] + length * sp.I * Z**power)
C = [P[k] + L[k] / 2 * sp.I * Z**power for k, power in enumerate((1, 3, 7))]


def d(expression: Any) -> Any:
    """Rate in time."""
    return sp.expand(sp.I * Z * sp.diff(expression, Z))


def conjugate(expression: Any) -> Any:
    return sp.expand(sp.conjugate(expression).subs(sp.conjugate(Z), 1 / Z))


def moment(arm: Any, force: Any) -> Any:
    """About the third axis: the imaginary part of conj(r) F."""
    product = sp.expand(conjugate(arm) * force)
    return sp.expand((product - conjugate(product)) / (2 * sp.I))


def series(expression: Any) -> np.ndarray:
    """Values over T, complex."""
    polynomial = sp.expand(expression)
    return np.broadcast_to(np.asarray(sp.lambdify(Z, polynomial, "numpy")(np.exp(1j * T)), dtype=complex), T.shape)


def vectors(expression: Any) -> np.ndarray:
    """A place or force (9, 3): its parts along the first two axes."""
    values = series(expression)
    return np.stack([values.real, values.imag, 0 * T], axis=1)


def wrench(force: Any, about: Any) -> np.ndarray:
    """Six components (9, 6)."""
    turning = series(about)
    assert np.abs(turning.imag).max() < 1e-13
    return np.concatenate([vectors(force), np.stack([0 * T, 0 * T, turning.real], axis=1)], axis=1)


def joint(k: int) -> tuple[Any, Any]:
    """Force on segment k at its joint, and moment about it, by momentum of all beyond: laboratory axes."""
    force = sum(M[i] * d(d(C[i])) for i in range(k, 3))
    spin = sum(M[i] * moment(C[i], d(C[i])) for i in range(k, 3))
    return sp.expand(force), sp.expand(d(spin) - moment(P[k], force))


def seen(k: int, frame: str) -> dict[str, np.ndarray]:
    """What an observer on a frame, at its distal joint, makes of segment k: product rule of z^n r + J; its axes, about P_k."""
    n = TURNS[frame]
    seat = P[list(TURNS).index(frame)] if n else sp.S.Zero
    r = sp.expand((C[k] - seat) * Z**-n)
    turning = sp.expand(Z**-n * d(d(Z**n)))  # alpha i - omega^2
    euler, centrifugal = (turning - conjugate(turning)) / 2, (turning + conjugate(turning)) / 2
    forces = {
        "dynamic": M[k] * d(d(r)),
        "dalembert": -M[k] * Z**-n * d(d(seat)),
        "euler": -M[k] * euler * r,
        "centrifugal": -M[k] * centrifugal * r,
        "coriolis": -2 * M[k] * Z**-n * d(Z**n) * d(r),
    }
    arm = sp.expand((C[k] - P[k]) * Z**-n)
    return {part: wrench(force, moment(arm, force)) for part, force in forces.items()}


def turned(pair: tuple[Any, Any], frame: str) -> np.ndarray:
    return wrench(sp.expand(pair[0] * Z ** -TURNS[frame]), pair[1])


# The same limb in the library.


@cache
def limb(at: float = 0.5) -> Limb:
    """Point masses at a share of each length."""
    return Limb(
        [
            Link(Segment(name, m, np.array([0, at * l, 0]), np.zeros((3, 3))), (0, l, 0))
            for name, m, l in zip(NAMES, MASS, LENGTH, strict=True)
        ]
    )


@cache
def motions(at: float = 0.5) -> tuple[Motion, ...]:
    return limb(at).motions(Angles.from_functions([lambda t: t, lambda t: 2 * t, lambda t: 4 * t], T))


def on(frame: str, at: float = 0.5) -> Observer:
    return limb(at).observer(motions(at), NAMES.index(frame), at="distal") if frame != "W" else Observer.at_rest(len(T))


def observed(frame: str) -> Any:
    return observe(limb().chain(motions()), on(frame), gravity_lab_m_s2=NOTHING)


def six(one: Wrench) -> np.ndarray:
    return np.concatenate([one.force_N, one.moment_Nm], axis=1)


def solved(name: str, frame: str) -> np.ndarray:
    loads = limb().solve(motions(), gravity_lab_m_s2=NOTHING).wrench(name)
    return six(loads if frame == "W" else loads.expressed_in(frame, motions()[NAMES.index(frame)].frames.R_lab_seg))


def printed(first: str, second: str, third: str) -> np.ndarray:
    """Forces along the first two axes and moment about the third, as the document prints them, lost signs put back."""
    t = sp.Symbol("t")
    values = [np.broadcast_to(sp.lambdify(t, sp.sympify(text), "numpy")(T), T.shape) for text in (first, second, third)]
    zero = np.zeros((len(T), 3))
    return np.concatenate([np.stack([*values[:2], 0 * T], axis=1), zero[:, :2], values[2][:, None]], axis=1)


def about_z(power: int) -> np.ndarray:
    """Rotation matrix whose columns are the images of the axes, 1 -> z^power and i -> i z^power."""
    columns = [vectors(axis * Z**power) for axis in (sp.S.One, sp.I)]
    return np.stack([*columns, np.tile([0.0, 0.0, 1.0], (len(T), 1))], axis=2)


@CASES("C2")
def angles_from_functions() -> list[Pair]:
    """Rates and second rates by SymPy; the library's are steps in the complex plane."""
    t = sp.Symbol("t", real=True)
    functions = [sp.sin(3 * t) / 2, t**2 - sp.cos(2 * t), sp.exp(-t) * sp.sin(t)]
    ours = Angles.from_functions([sp.lambdify(t, f, "numpy") for f in functions], T)
    theirs = [np.stack([sp.lambdify(t, f.diff(t, k), "numpy")(T) for f in functions], axis=1) for k in range(3)]
    found = (ours.q_rad, ours.rate_rad_s, ours.acceleration_rad_s2)
    return [(a, b, 1e-10) for a, b in zip(found, theirs, strict=True)]


@CASES("C3")
def steady_rates() -> list[Pair]:
    """Integrals of 2 pi / T_i, their rates, and those of the rates."""
    t, period = sp.symbols("t T", positive=True)
    angle = sp.integrate(2 * sp.pi / period, t)
    ours = Angles.from_functions([lambda t: t, lambda t: 2 * t, lambda t: 4 * t], T)
    theirs = []
    for k in range(3):
        series = [sp.lambdify(t, angle.diff(t, k).subs(period, 2 * sp.pi / n), "numpy")(T) for n in (1, 2, 4)]
        theirs.append(np.stack([np.broadcast_to(x, T.shape) for x in series], axis=1))
    return [(ours.q_rad, theirs[0]), (ours.rate_rad_s, theirs[1]), (ours.acceleration_rad_s2, theirs[2], 1e-10)]


@CASES("C1")
def generalised_steiner() -> Pair:
    """The tensor whose quadratic form is twice the kinetic energy of a point mass that goes round."""
    rng = np.random.default_rng(1)
    arms, masses = rng.normal(size=(5, 3)), rng.uniform(0.5, 3, 5)
    return steiner(masses, arms), [by_energy([m], [r]) for m, r in zip(masses, arms, strict=True)]


def by_energy(masses: Any, arms: Any) -> np.ndarray:
    """Tensor of point masses about the origin: the form whose half, for any omega, is their kinetic energy."""
    energy = lambda omega: np.asarray(masses) @ (np.cross(omega, arms) ** 2).sum(axis=1) / 2  # noqa: E731
    axes = np.eye(3)
    return np.array([[energy(a + b) - energy(a) - energy(b) for b in axes] for a in axes])


@cache
def cloud() -> tuple[np.ndarray, np.ndarray]:
    """Six masses, and their places from their centre."""
    rng = np.random.default_rng(4)
    masses, places = rng.uniform(0.2, 1, 6), rng.normal(0, 0.3, (6, 3))
    return masses, places - masses @ places / masses.sum()


def a_turn() -> np.ndarray:
    """By Rodrigues, in 50 digits."""
    with mp.workdps(50):
        v = [mp.mpf("0.7"), mp.mpf("-1.1"), mp.mpf("0.4")]
        return np.array(mpmath.expm(mp.matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])).tolist(), dtype=float)


@CASES("E1")
def about_another_point() -> Pair:
    masses, places = cloud()
    shift = np.array([0.3, -0.5, 0.2])
    return parallel_axis(by_energy(masses, places), float(masses.sum()), shift), by_energy(masses, places - shift)


@CASES("C9")
def in_every_frame() -> Pair:
    """R I R', not the R I of the print: the masses themselves are turned."""
    masses, places = cloud()
    return rotate_inertia(a_turn(), by_energy(masses, places)), by_energy(masses, places @ a_turn().T)


@CASES("E4")
def about_the_proximal_joint_in_other_axes() -> Pair:
    masses, places = cloud()
    arm = np.array([-0.2, 0.4, 0.1])
    own = parallel_axis(by_energy(masses, places), float(masses.sum()), arm)
    return rotate_inertia(a_turn(), own), by_energy(masses, (places + arm) @ a_turn().T)


@CASES("O5")
def inertia_of_segment_1_about_its_joint() -> list[Pair]:
    """As a tensor: what is printed is R I. 9/200 kg m2 along the third axis."""
    arms = vectors(C[1] - P[1])
    own = parallel_axis(np.zeros((3, 3)), 0.5, np.array([0, 0.3, 0]))
    ours = rotate_inertia(motions()[1].frames.R_lab_seg, np.broadcast_to(own, (len(T), 3, 3)))
    return [(ours, [by_energy([0.5], [arm]) for arm in arms]), (ours[:, 2, 2], np.full(len(T), 9 / 200))]


@CASES("C5")
def frames_one_after_the_other() -> list[Pair]:
    """Each turns on from the one before, about z: exponentials of matrices."""
    found = []
    for k, name in enumerate(NAMES):
        theirs = []
        for t in T:
            R = mp.eye(3)
            for step in (1, 2, 4)[: k + 1]:
                R = R * mpmath.expm(mp.matrix([[0, -step * t, 0], [step * t, 0, 0], [0, 0, 0]]))
            theirs.append(np.array(R.tolist(), dtype=float))
        found.append((motions()[k].frames.R_lab_seg, theirs))
        assert name == limb().links[k].segment.name
    return found


@CASES("O1")
def angular_velocity_of_the_last_frame() -> list[Pair]:
    """z'/z of its turn: 7 rad/s."""
    theirs = series(d(Z**7) / (sp.I * Z**7)).real
    return [(motions()[2].omega_lab_rad_s, np.stack([0 * T, 0 * T, theirs], axis=1)), (theirs, np.full(len(T), 7.0))]


@CASES("C6")
def rotations_between_any_two_frames() -> list[Pair]:
    axes = {"W": np.broadcast_to(np.eye(3), (len(T), 3, 3))} | {
        k: m.frames.R_lab_seg for k, m in zip(NAMES, motions(), strict=True)
    }
    return [(np.swapaxes(axes[to], 1, 2) @ axes[fro], about_z(TURNS[fro] - TURNS[to])) for to in axes for fro in axes]


@CASES("O2")
def the_printed_rotation() -> Pair:
    """Of the last frame, signs of the sines restored."""
    return motions()[2].frames.R_lab_seg, about_z(7)


@CASES("C7")
def joints_and_their_derivatives_in_every_frame() -> list[Pair]:
    """With the masses in the tips, a segment's centre of mass is the next joint."""
    found: list[Pair] = []
    for frame, n in TURNS.items():
        seat = P[list(TURNS).index(frame)] if n else sp.S.Zero
        ours = relative_motion(limb(1.0).chain(motions(1.0)), on(frame, 1.0))
        for k in range(3):
            r = sp.expand((P[k + 1] - seat) * Z**-n)
            found += [(ours[j][:, 2 - k], vectors(x)) for j, x in enumerate((r, d(r), d(d(r))))]
    return found


@CASES("C8")
def centres_of_mass() -> list[Pair]:
    found: list[Pair] = []
    for k, motion in enumerate(motions()):
        ours = (motion.com_lab_m, motion.com_velocity_lab_m_s, motion.com_acceleration_lab_m_s2)
        found += [*zip(ours, map(vectors, (C[k], d(C[k]), d(d(C[k])))), strict=True)]
    return found


@CASES("O3")
def positions_in_the_world() -> list[Pair]:
    """Joint to joint, and twice the centre of mass from the joint."""
    found: list[Pair] = []
    for k in range(3):
        before = limb().tip(motions(), k - 1) if k else np.zeros((len(T), 3))
        found.append((limb().tip(motions(), k) - before, vectors(P[k + 1] - P[k])))
        found.append((2 * (motions()[k].com_lab_m - before), vectors(2 * (C[k] - P[k]))))
    return found


@CASES("O4")
def accelerations_about_the_joints() -> list[Pair]:
    """Of joint and centre of mass k, seen from the frame before, in the world's axes: nothing, and 2/5, 6/5, 16/5 m/s2."""
    found: list[Pair] = []
    for k, (frame, size) in enumerate(zip("WAB", (sp.Rational(2, 5), sp.Rational(6, 5), sp.Rational(16, 5)), strict=True)):
        n = TURNS[frame]
        theirs = sp.expand(d(d(sp.expand((C[k] - P[k]) * Z**-n))) * Z**n)
        ours = relative_motion(limb().chain(motions()), on(frame))[2][:, 2 - k]
        in_world = np.einsum("nij,nj->ni", about_z(n), ours)
        found += [(in_world, vectors(theirs)), (in_world, vectors(-size * sp.I * Z ** TURNS[NAMES[k]]))]
    return found


@CASES("C10")
def rates_of_components_in_every_frame() -> list[Pair]:
    """Every centre of mass from the origin, in the axes of every frame."""
    zero, found = np.zeros((len(T), 3)), []
    for frame, n in TURNS.items():
        omega = np.tile([0.0, 0.0, n], (len(T), 1))
        ours = relative_motion(limb().chain(motions()), Observer("at O", Frames(about_z(n), zero), omega, zero, zero, zero))
        assert frame in TURNS
        for k in range(3):
            r = sp.expand(C[k] * Z**-n)
            found += [(ours[j][:, 2 - k], vectors(x)) for j, x in enumerate((r, d(r), d(d(r))))]
    return found


@CASES("O6")
def velocity_of_a_centre_as_seen_from_three_frames() -> list[Pair]:
    """C_1 from the origin: rates of its components in B, A and W, written in A; and as printed, signs restored."""
    zero, found = np.zeros((len(T), 3)), []
    c, s = np.cos(2 * T), np.sin(2 * T)
    as_printed = {"B": (1.6, 0), "A": (-3 / 5 * c, -3 / 5 * s), "W": (-9 / 10 * c - 4 / 5, -9 / 10 * s)}
    for frame, (first, second) in as_printed.items():
        n = TURNS[frame]
        observer = Observer("at O", Frames(about_z(n), zero), np.tile([0.0, 0.0, n], (len(T), 1)), zero, zero, zero)
        rates = relative_motion(limb().chain(motions()), observer)[1][:, 1]
        in_A = np.einsum("nij,nj->ni", about_z(n - 1), rates)
        found += [(in_A, vectors(d(sp.expand(C[1] * Z**-n)) * Z ** (n - 1)))]
        found += [(in_A, np.stack([np.broadcast_to(x, T.shape) for x in (first, second, 0)], axis=1))]
    return found


@CASES("C11")
def angular_velocities_and_accelerations() -> list[Pair]:
    """Of every frame in the world, for joints that turn unsteadily: from R' R', by SymPy."""
    t = sp.Symbol("t", real=True)
    functions = [sp.sin(t), t**2 / 5, sp.cos(2 * t)]
    moving = limb().motions(Angles.from_functions([sp.lambdify(t, f, "numpy") for f in functions], T))
    found: list[Pair] = []
    R = sp.eye(3)
    for k, angle in enumerate(functions):
        R = R * sp.rot_axis3(-angle)
        omega = (R.diff(t) * R.T)[1, 0]
        observer = limb().observer(moving, k)
        for ours, theirs in ((observer.omega_lab_rad_s, omega), (observer.alpha_lab_rad_s2, omega.diff(t))):
            about = np.broadcast_to(sp.lambdify(t, theirs, "numpy")(T), T.shape)
            found.append((ours, np.stack([0 * T, 0 * T, about], axis=1), 1e-10))
    return found


@CASES("F1")
def paths_of_the_centres_of_mass() -> list[Pair]:
    """What the recipe draws: 256 places of C_1, shaded by its speed, beside those of the others."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    page = runpy.run_path(str(ROOT / "pipelines" / "mechanics" / "n_link_limb.py"))["draw"]()
    top, side, *_ = page.axes
    z = np.exp(1j * np.linspace(0, 2 * np.pi, 256, endpoint=False))
    places = [sp.lambdify(Z, c, "numpy")(z) for c in C]
    speed = np.abs(sp.lambdify(Z, d(C[1]), "numpy")(z))
    found: list[Pair] = [(top.collections[0].get_array(), speed)]
    for axes, second in ((top, np.imag), (side, lambda x: 0 * x.real)):
        found.append((axes.collections[0].get_offsets(), np.stack([places[1].real, second(places[1])], axis=1)))
        found += [(line.get_data(), [x.real, second(x)]) for line, x in zip(axes.lines, places, strict=True)]
    pyplot.close(page)
    return found


def dynamic(k: int) -> tuple[Any, Any]:
    force = M[k] * d(d(C[k]))
    return force, moment(C[k] - P[k], force)


O7 = printed(
    "6/25*sin(t) + 81/50*sin(3*t) + 147/50*sin(7*t)",
    "-6/25*cos(t) - 81/50*cos(3*t) - 147/50*cos(7*t)",
    "81/250*sin(4*t) + 6/125*sin(6*t)",
)


@CASES("C12")
def dynamic_wrench_in_the_world() -> list[Pair]:
    """Of every segment, moved to its joint."""
    return [(six(observed("W")[name].dynamic), wrench(*dynamic(k))) for k, name in enumerate(NAMES)]


@CASES("O7")
def the_printed_dynamic_wrench() -> list[Pair]:
    ours = six(observed("W")["C"].dynamic)
    return [(ours, wrench(*dynamic(2))), (ours, O7)]


def as_expression(name: str, frame: str) -> np.ndarray:
    from biomech_id.multibody.symbolic.given_motion import GivenMotion, t

    given = GivenMotion(limb().system(NOTHING), dict(zip(NAMES, (t, 2 * t, 4 * t), strict=True)))
    found = given.wrench(name, GROUND if frame == "W" else frame)
    return np.stack([np.broadcast_to(sp.lambdify(t, x, "numpy")(T), T.shape) for x in found], axis=1)


@CASES("C13")
def unknown_joint_wrench() -> list[Pair]:
    """Of the last segment, as an expression of time."""
    return [(as_expression("C", "W"), wrench(*joint(2)))]


@CASES("O8")
def joint_wrench_of_the_last_segment() -> list[Pair]:
    ours = solved("C", "C")
    as_printed = printed(
        "-81/50*sin(4*t) - 6/25*sin(6*t)", "-81/50*cos(4*t) - 6/25*cos(6*t) - 147/50", "81/250*sin(4*t) + 6/125*sin(6*t)"
    )
    return [(ours, turned(joint(2), "C")), (ours, as_printed)]


@CASES("C14")
def kinetics_of_every_segment_from_every_frame() -> list[Pair]:
    """All parts that an observer at a distal joint finds, the joint's wrench and that of the tip."""
    found: list[Pair] = []
    for frame in "WABC":
        ours = observed(frame)
        for k, name in enumerate(NAMES):
            found += [(six(getattr(ours[name], part)), theirs) for part, theirs in seen(k, frame).items()]
            found.append((six(ours[name].joint), turned(joint(k), frame)))
            if k < 2:
                force, about = joint(k + 1)
                tip = (-force, sp.expand(-about - moment(P[k + 1] - P[k], force)))
                found.append((six(ours[name].tip), turned(tip, frame)))
    return found


@CASES("O9")
def the_last_segment_seen_from_b() -> list[Pair]:
    ours, theirs = observed("B")["C"], seen(2, "B")
    as_printed = {
        "dynamic": ("-24/25*sin(4*t)", "24/25*cos(4*t)", "0"),
        "dalembert": ("6/25*sin(2*t)", "6/25*cos(2*t) + 81/50", "-81/250*sin(4*t) - 6/125*sin(6*t)"),
        "euler": ("0", "0", "0"),
        "centrifugal": ("-27/50*sin(4*t)", "27/50*cos(4*t)", "0"),
        "coriolis": ("-36/25*sin(4*t)", "36/25*cos(4*t)", "0"),
    }
    found: list[Pair] = [(six(getattr(ours, part)), theirs[part]) for part in theirs]
    sizes = np.abs([six(getattr(ours, part)) for part in as_printed]), np.abs([printed(*x) for x in as_printed.values()])
    return [*found, sizes]


@CASES("O10")
def joint_wrench_in_both_frames() -> list[Pair]:
    in_B = printed(
        "-6/25*sin(2*t) + 147/50*sin(4*t)", "-6/25*cos(2*t) - 147/50*cos(4*t) - 81/50", "81/250*sin(4*t) + 6/125*sin(6*t)"
    )
    return [(solved("C", "C"), turned(joint(2), "C")), (solved("C", "B"), turned(joint(2), "B")), (solved("C", "B"), in_B)]


@CASES("O11")
def both_ways_are_equal() -> list[Pair]:
    """The joint's wrench by the observer on B, and by the one at rest, turned into the axes of C: nothing is left."""
    by_B, at_rest = (observed(frame)["C"].joint for frame in "BW")
    into_C = motions()[2].frames.R_lab_seg
    ours = [six(one.expressed_in("C", into_C)) for one in (by_B, at_rest)]
    return [(ours[0], turned(joint(2), "C")), (ours[1], turned(joint(2), "C")), (ours[0] - ours[1], np.zeros((len(T), 6)))]


@CASES("O12")
def wrench_of_b() -> list[Pair]:
    ours = as_expression("B", "B")
    as_printed = printed(
        "-16/25*sin(2*t) + 147/50*sin(4*t)",
        "-16/25*cos(2*t) - 147/50*cos(4*t) - 297/100",
        "33/125*sin(2*t) - 36/25*sin(4*t) + 6/125*sin(6*t)",
    )
    return [(ours, turned(joint(1), "B")), (ours, as_printed)]


@CASES("O13")
def sample_fictitious_wrench() -> list[Pair]:
    """D'Alembert's, which the text calls centrifugal."""
    ours = six(observed("B")["B"].dalembert)
    return [(ours, seen(1, "B")["dalembert"]), (ours, printed("2/5*sin(2*t)", "2/5*cos(2*t) + 27/10", "-3/25*sin(2*t)"))]


@CASES("O14")
def wrench_of_a() -> list[Pair]:
    ours = as_expression("A", "A")
    as_printed = printed(
        "297/100*sin(2*t) + 147/50*sin(6*t)",
        "-297/100*cos(2*t) - 147/50*cos(6*t) - 23/25",
        "-264/125*sin(2*t) - 36/25*sin(4*t) - 288/125*sin(6*t)",
    )
    return [(ours, turned(joint(0), "A")), (ours, as_printed)]


# Formulas, for segments in space.

SEAT = (0.2, -0.1, 0.3)


class Space:
    """An observer on the third of four segments, at a point of it, and the library's chain of the same motion."""

    on = 2

    def __init__(self) -> None:
        self.moving = m = Moving()
        place: dict[str, list[Any]] = {key: [] for key in ("omega", "alpha", "com", "velocity", "acceleration", "joint", "R")}
        self.times = [mp.mpf(time) for time in TIMES]
        with mp.workdps(50):
            for i in range(N):
                path = {
                    "com": lambda t, i=i: m.com(i, t),
                    "velocity": lambda t, i=i: rate(lambda x: m.com(i, x), t),
                    "acceleration": lambda t, i=i: rate(lambda x: rate(lambda y: m.com(i, y), x), t),
                    "omega": lambda t, i=i: m.omega(i, t),
                    "alpha": lambda t, i=i: rate(lambda x: m.omega(i, x), t),
                    "joint": lambda t, i=i: m.joint(i, t),
                    "R": lambda t, i=i: m.turn(i, t),
                }
                for key, function in path.items():
                    place[key].append(np.array([numbers(function(t)) for t in self.times]))
        self.place = place
        order = ("omega", "alpha", "com", "velocity", "acceleration")
        self.motions = [Motion(Frames(place["R"][i], place["joint"][i]), *(place[key][i] for key in order)) for i in range(N)]
        segments = [Segment(f"s{i}", m.mass[i], np.zeros(3), m.tensor[i]) for i in range(N)]
        self.chain = Chain(segments, self.motions, place["joint"])
        self.observer = Observer.on("A", self.motions[self.on], place["com"][self.on] + place["R"][self.on] @ np.array(SEAT))

    def seat(self, t: Any) -> Any:
        return self.moving.com(self.on, t) + self.moving.turn(self.on, t) * vector(SEAT)

    def axes(self, t: Any) -> Any:
        return self.moving.turn(self.on, t)

    def seen(self, i: int, t: Any) -> Any:
        """A centre of mass in the observer's axes, from where it sits."""
        return self.axes(t).T * (self.moving.com(i, t) - self.seat(t))

    def parts(self, i: int, t: Any) -> dict[str, Any]:
        """m R'(R r + J)'' by the product rule; R'R'' splits into a skew and a symmetric half."""
        R, m = self.axes(t), mp.mpf(self.moving.mass[i])
        first = rate(self.axes, t)
        second = R.T * rate(lambda x: rate(self.axes, x), t)
        r, r1 = self.seen(i, t), rate(lambda x: self.seen(i, x), t)
        return {
            "dynamic": m * rate(lambda x: rate(lambda y: self.seen(i, y), x), t),
            "dalembert": -m * (R.T * rate(lambda x: rate(self.seat, x), t)),
            "euler": -m / 2 * ((second - second.T) * r),
            "centrifugal": -m / 2 * ((second + second.T) * r),
            "coriolis": -2 * m * (R.T * first * r1),
        }

    def balance(self, part: str) -> list[Pair]:
        """Of all segments: force, and moment about the joint, observer's axes."""
        ours = observe(self.chain, self.observer, gravity_lab_m_s2=NOTHING)
        found: list[Pair] = []
        with mp.workdps(50):
            for i in range(N):
                forces, moments = [], []
                for t in self.times:
                    force, R = self.parts(i, t)[part], self.axes(t)
                    about = cross(R.T * (self.moving.com(i, t) - self.moving.joint(i, t)), force)
                    if part == "dynamic":
                        about += R.T * rate(lambda x, i=i: self.moving.spin(i, x), t)
                    forces.append(numbers(force))
                    moments.append(numbers(about))
                one = getattr(ours[f"s{i}"], part)
                found += [(one.force_N, forces), (one.moment_Nm, moments)]
        return found


@cache
def space() -> Space:
    return Space()


@CASES("E2")
def a_rate_in_other_axes() -> Pair:
    """The second segment's rate in the laboratory, in the observer's axes: its R' R' turned as a matrix, not as a vector."""
    one, theirs = space(), []
    with mp.workdps(50):
        for t in one.times:
            spin = rate(lambda x: one.moving.turn(1, x), t) * one.moving.turn(1, t).T
            inside = one.axes(t).T * spin * one.axes(t)
            theirs.append([float(inside[2, 1]), float(inside[0, 2]), float(inside[1, 0])])
    return one.observer.seen(one.place["omega"][1]), theirs


@CASES("E3")
def an_observers_own_rate_is_not_zero() -> Pair:
    """R' R', of its own axes."""
    one, theirs = space(), []
    with mp.workdps(50):
        for t in one.times:
            inside = one.axes(t).T * rate(one.axes, t)
            theirs.append([float(inside[2, 1]), float(inside[0, 2]), float(inside[1, 0])])
    return one.observer.seen(one.observer.omega_lab_rad_s), theirs


CASES("E5")(lambda: space().balance("dynamic"))
CASES("E7")(lambda: space().balance("dalembert"))
CASES("E8")(lambda: space().balance("euler"))
CASES("E9")(lambda: space().balance("centrifugal"))
CASES("E10")(lambda: space().balance("coriolis"))


@CASES("E6")
def a_wrench_about_another_point_in_other_axes() -> Pair:
    """The same power for every motion of the body: along and about each axis through the new point."""
    rng = np.random.default_rng(6)
    force, about, point, other = rng.normal(size=(4, 4, 3))
    R = a_turn()
    moved = Wrench(force, about, point).about(other).expressed_in("A", np.broadcast_to(R, (4, 3, 3)))
    theirs = np.empty((4, 6))
    for n in range(4):
        for k, axis in enumerate(R.T):
            at_point = sp.Matrix(axis).cross(sp.Matrix(point[n] - other[n]))
            theirs[n, k] = force[n] @ axis
            theirs[n, 3 + k] = force[n] @ np.array(at_point, dtype=float)[:, 0] + about[n] @ axis
    return six(moved), theirs


@CASES("E11")
def gravity_at_the_centres_of_mass() -> list[Pair]:
    """What weights add to each joint: slope of the potential energy of all beyond it, along and about each axis."""
    gravity = np.array([1.2, -9.6, 0.7])
    heavy = limb().solve(motions(), gravity_lab_m_s2=gravity)
    light = limb().solve(motions(), gravity_lab_m_s2=NOTHING)
    shift, turn = sp.symbols("s1:4"), sp.symbols("a1:4")
    found: list[Pair] = []
    for k, name in enumerate(NAMES):
        added = six(heavy.wrench(name)) - six(light.wrench(name))
        theirs = []
        for n in range(3):
            hinge = vectors(P[k])[n]
            energy = sp.S.Zero
            for i in range(k, 3):
                arm = sp.Matrix(vectors(C[i])[n] - hinge)
                energy -= M[i] * sp.Matrix(gravity).dot(sp.Matrix(hinge) + sp.Matrix(shift) + arm + sp.Matrix(turn).cross(arm))
            theirs.append([float(energy.diff(x)) for x in (*shift, *turn)])
        found.append((added[:3], theirs))
    return found


@pytest.mark.parametrize("row", parameters("1"))
def test_recomputed(row: dict[str, str]) -> None:
    check(CASES[row["item"]]())
