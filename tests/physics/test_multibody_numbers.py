"""`System` in numbers against the references: every joint, loops at any attitude, constraints in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.external import External
from biomech_id.dynamics.newton_euler import solve
from biomech_id.errors import InvalidValueError, MissingInputError, ShapeError, UnknownNameError
from biomech_id.multibody import joints
from biomech_id.multibody.closures import Gearing, Rod, coupler, gears, on_plane, pin, slider, spherical
from biomech_id.multibody.examples.exoskeleton import arm_closures, arm_exoskeleton
from biomech_id.multibody.examples.mechanisms import four_bar, planar_segment
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.linear import coriolis_matrix
from biomech_id.multibody.parts import Body, denavit_hartenberg
from biomech_id.multibody.reduction import (
    assemble,
    configuration,
    constrained_accelerations,
    forward_dynamics,
    inverse_dynamics,
    loop_forces,
    projection,
    reduced,
)
from biomech_id.multibody.springs import LineSpring, Spring
from biomech_id.multibody.system import System

TABLE = ("gamma_rad", "b_m", "alpha_rad", "d_m", "theta_rad", "r_m")
DOWN = (0.0, -9.81, 0.0)


def segment(name: str, mass: float, com: Any, tensor: Any) -> Segment:
    """The joints' reference has tensors that no body can have (e3 > e1 + e2 by 2 %); its equations do not mind."""
    made = object.__new__(Segment)
    values = {"name": name, "mass_kg": mass, "com_m": np.array(com, float), "inertia_kgm2": np.array(tensor, float), "source": ""}
    for key, value in values.items():
        object.__setattr__(made, key, value)
    return made


def rod(name: str, mass: float = 1.0) -> Segment:
    return Segment(name, mass, np.array([0.5, 0.02, 0.1]), np.diag([0.02, 0.1, 0.1]) * mass)


def five_bar(file: Any, order: tuple[int, ...] = (0, 1)) -> System:
    m = file["mechanism"]
    bodies = []
    names = [b["name"] for b in m["bodies"]]
    for b, coordinate in zip(m["bodies"], m["coordinates"], strict=True):
        i = b["inertia_com_kgm2"]
        tensor = [[i["xx"], i["xy"], i["xz"]], [i["xy"], i["yy"], i["yz"]], [i["xz"], i["yz"], i["zz"]]]
        parent = GROUND if b["parent"] < 0 else names[b["parent"]]
        place = denavit_hartenberg(**{key: b[key] for key in TABLE})
        bodies.append(Body(segment(b["name"], b["mass_kg"], b["com_m"], tensor), joints.revolute(coordinate), parent, **place))
    g, p = m["gears"][0], m["pins"][0]
    pins = pin(names[p["body_a"]], tuple(p["place_a"]), names[p["body_b"]], tuple(p["place_b"]), plane_of=GROUND)
    closures = [Gearing(g["coefficients"], -g["offset"]), pins]
    return System(bodies, m["gravity_m_s2"], [closures[k] for k in order], m["free"])


class Case:
    """A mechanism and what its reference says, pose by pose."""

    def __init__(self, file: Any, system: System) -> None:
        self.file, self.system = file, system

    def of(self, name: str) -> np.ndarray:
        return np.array([pose[name] for pose in self.file["poses"]])

    @property
    def tau(self) -> np.ndarray:
        tau = np.zeros(self.of("u").shape)
        tau[:, [self.system.speed(name) for name in self.system.free_speeds]] = self.of("tau1")
        return tau


@pytest.fixture(scope="module", params=["exo13", "fivebar"])
def case(request: pytest.FixtureRequest, reference: Any) -> Case:
    file = reference(request.param)
    return Case(file, arm_exoskeleton(DOWN) if request.param == "exo13" else five_bar(file))


def close(ours: np.ndarray, theirs: np.ndarray, atol: float) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=atol)


def test_closed_loops_against_the_reference(case: Case) -> None:
    q, u1, a1 = case.of("q"), case.of("u1"), case.of("a1")
    assert len(q) in (69, 60)
    atol = 1e-11 if len(q) == 69 else 1e-13
    found = reduced(case.system, q, u1)
    for ours, name in (
        (found.W, "W"), (found.W_rate_u, "Wdot_u1"), (found.M1, "M1"), (found.c1, "c1"), (found.g1, "g1"),
        (found.spring1, "spring1"), (found.u, "u"), (inverse_dynamics(case.system, q, u1, a1), "tau1"),
        (case.system.inverse(q, found.u, case.of("a")), "tau_tree"), (case.system.energy(q, found.u), "energy_J"),
    ):  # fmt: skip
        close(ours, case.of(name), atol)
    close(forward_dynamics(case.system, q, u1, case.tau), a1, 1e-9)


def test_forces_in_the_loops_two_ways(case: Case) -> None:
    q, u1 = case.of("q"), case.of("u1")
    close(loop_forces(case.system, q, u1, case.of("a1"), case.tau), case.of("loop_forces"), 1e-9)
    a, forces = constrained_accelerations(case.system, q, case.of("u"), case.tau)
    close(a, case.of("a"), 1e-9)
    close(forces, case.of("loop_forces"), 1e-9)


def test_assembled_by_newton_and_in_closed_form(case: Case) -> None:
    dependent = [case.system.coordinate(name) for name in case.system.dependent]
    close(assemble(case.system, case.of("q1"), case.of("q")[:, dependent] + 0.01), case.of("q"), 1e-12)
    if case.system.closed_form is not None:
        close(configuration(case.system, case.of("q1")), case.of("q"), 1e-14)


def test_any_order_of_the_constraints(reference: Any) -> None:
    """100 random orders of the exoskeleton's closures, both orders of the five-bar's; rows of a pin included."""
    exo, five = Case(reference("exo13"), arm_exoskeleton(DOWN)), Case(reference("fivebar"), five_bar(reference("fivebar"), (1, 0)))
    rng = np.random.default_rng(1)
    rows: list[Any] = []
    for closure in arm_closures():
        split = getattr(closure, "rows", None)
        rows += [closure] if split is None else [type(closure)(*_ends(closure), (row,)) for row in split]
    assert len(rows) == 8
    for k in range(100):
        shuffled = [rows[i] for i in rng.permutation(8)]
        pose = slice(k % 69, k % 69 + 1)
        found = reduced(arm_exoskeleton(DOWN, shuffled), exo.of("q")[pose], exo.of("u1")[pose])
        for name in ("M1", "c1", "g1", "spring1"):
            close(getattr(found, name), exo.of(name)[pose], 1e-11)
    found = reduced(five.system, five.of("q"), five.of("u1"))
    for name in ("M1", "c1", "g1"):
        close(getattr(found, name), five.of(name), 1e-13)


def _ends(gap: Any) -> tuple[Any, ...]:
    return gap.body, gap.place_m, gap.other, gap.other_place_m, gap.seen_from


def test_a_pin_compared_in_the_laboratorys_plane_would_be_wrong(reference: Any) -> None:
    """What an earlier version did: the same pins seen from the base do not even close."""
    case = Case(reference("exo13"), arm_exoskeleton(DOWN))
    laid = [c if isinstance(c, Gearing) else type(c)(*_ends(c)[:4], GROUND, c.rows) for c in arm_closures()]  # type: ignore[union-attr, call-arg]
    with pytest.raises(InvalidValueError, match="does not close"):
        reduced(arm_exoskeleton(DOWN, laid), case.of("q"), case.of("u1"))


class EveryJoint:
    """The tree with a joint of every kind and its states."""

    def __init__(self, file: Any) -> None:
        self.names = [b["name"] for b in file["bodies"]]
        kinds = {
            "free": joints.free("pelvis"), "ball": joints.ball("hip"), "revolute": joints.revolute("knee"),
            "universal": joints.universal("a", "b"), "cylindrical": joints.cylindrical("s", "t"),
            "prismatic": joints.prismatic("l"),
        }  # fmt: skip
        self.bodies = [
            Body(
                segment(b["name"], b["mass_kg"], b["com_m"], b["inertia_com_kgm2"]), kinds[b["joint"]],
                GROUND if b["parent"] < 0 else self.names[b["parent"]], b["p_parent_joint_m"], b["R_parent_joint"],
            ) for b in file["bodies"]
        ]  # fmt: skip
        self.gravity, self.states = file["meta"]["gravity_m_s2"], file["states"]
        self.system = System(self.bodies, self.gravity)
        self.q = np.array([np.concatenate(s["q"]) for s in self.states])

    def of(self, name: str) -> np.ndarray:
        return np.array([s[name] for s in self.states])

    def external(self) -> list[External]:
        """One load in each state, on different bodies: no force on the others."""
        moving = self.system.kinematics(self.q)
        loads = []
        for i, name in enumerate(self.names):
            here = np.array([s["external"]["body"] == i for s in self.states])[:, None]
            force, moment, place = (
                np.array([s["external"][key] for s in self.states]) for key in ("force_lab_N", "moment_lab_Nm", "place_m")
            )
            point = moving.origin_m[:, i + 1] + (moving.R_lab_body[:, i + 1] @ place[..., None])[..., 0]
            loads.append(External(name, Wrench(force * here, moment * here, point)))
        return loads


@pytest.fixture(scope="module")
def every(reference: Any) -> EveryJoint:
    return EveryJoint(reference("joints"))


def test_every_joint_against_the_reference(every: EveryJoint) -> None:
    u, a = every.of("u"), every.of("udot")
    tau = every.system.inverse(every.q, u, a)
    close(tau, every.of("tau"), 1e-11)
    loads = every.external()
    close(every.system.inverse(every.q, u, a, loads), every.of("tau_with_external"), 1e-11)
    assert np.abs(every.of("tau_with_external") - tau).max() > 1
    close(every.system.forward(every.q, u, tau), a, 1e-10)
    terms = every.system.terms(every.q, u, tau, loads)
    close((terms.M @ a[..., None])[..., 0] - terms.C - terms.G - terms.E, every.of("tau_with_external"), 1e-11)


def test_the_general_solver_finds_the_same_wrenches(every: EveryJoint) -> None:
    """Second way: Newton-Euler up the chain; force and moment at the pelvis and about the knee's axis."""
    u, a = every.of("u"), every.of("udot")
    loads = solve(every.system.chain(every.q, u, a), gravity_lab_m_s2=every.gravity)
    R = every.system.kinematics(every.q).R_lab_body[:, 1]
    pelvis = loads.wrench("pelvis")
    close(pelvis.force_N, every.of("tau")[:, :3], 1e-11)
    close(np.einsum("nij,ni->nj", R, pelvis.moment_Nm), every.of("tau")[:, 3:6], 1e-11)


def test_a_moving_base_is_a_prescribed_free_joint(every: EveryJoint) -> None:
    u, a = every.of("u"), every.of("udot")
    moving = every.system.kinematics(every.q, u, a)
    frames = Frames(moving.R_lab_body[:, 1], moving.origin_m[:, 1])
    vectors = (moving.omega_rad_s, moving.alpha_rad_s2, moving.origin_m, moving.velocity_m_s, moving.acceleration_m_s2)
    base = Motion(frames, *(array[:, 1] for array in vectors))
    rest = []
    for body in every.bodies[1:]:
        parent = GROUND if body.parent == "pelvis" else body.parent
        rest.append(Body(body.segment, body.joint, parent, body.place_m, body.R_parent_joint))
    legs = System(rest, every.gravity)
    close(legs.inverse(every.q[:, 7:], u[:, 6:], a[:, 6:], base=base), every.of("tau")[:, 6:], 1e-11)
    close(legs.forward(every.q[:, 7:], u[:, 6:], every.of("tau")[:, 6:], base=base), a[:, 6:], 1e-10)


def test_rates_and_jacobians_are_derivatives(every: EveryJoint) -> None:
    """Complex step along q' = Y u: positions change by J u, to the last digit."""
    u = every.of("u")
    h = 1e-30
    q = every.q + 1j * h * every.system.rates(every.q, u)
    place = (0.1, -0.2, 0.3)
    for name in every.names:
        index = every.system.index(name)
        moved = every.system.kinematics(q).point(index, place)[0].imag / h
        J_v, J_w = every.system.jacobian(every.q, name, place)
        close((J_v @ u[..., None])[..., 0], moved, 1e-12)
        close((J_w @ u[..., None])[..., 0], every.system.kinematics(every.q, u).omega_rad_s[:, index], 1e-12)


def custom(function: joints.AxisFunction) -> System:
    """A knee whose shank glides and turns inwards as it bends, under a thigh on a hinge."""
    glide, roll = (
        joints.Slide("knee", joints.X, function),
        joints.Turn("knee", joints.Y, joints.PolynomialFunction((0.0, 0.1, 0.05))),
    )
    thigh = Body(rod("thigh", 7.0), joints.revolute("hip"))
    shank = Body(rod("shank", 3.0), (joints.Turn("knee"), roll, glide), "thigh", (0.4, 0, 0))
    line = LineSpring("thigh", (0.1, 0.05, 0), "shank", (0.2, 0.05, 0), 800.0, 20.0, 0.3)
    return System([thigh, shank], DOWN, springs=[line, Spring("knee", 5.0, 0.3, 0.1)])


def test_a_custom_joint_obeys_lagranges_equation() -> None:
    """d/dt dT/du - dT/dq + dV/dq + damping, from energies alone: differences of sixth order."""
    system = custom(joints.PolynomialFunction((0.01, -0.02, 0.03, 0.01)))
    q, u, a = np.array([[0.4, 0.7]]), np.array([[1.1, -0.8]]), np.array([[3.0, 5.0]])
    tau, h = system.inverse(q, u, a)[0], 1e-3
    weights, steps = np.array([-1, 9, -45, 45, -9, 1]) / (60 * h), np.array([-3, -2, -1, 1, 2, 3]) * h

    def lagrangian(x: np.ndarray, v: np.ndarray) -> float:
        return float(2 * (system.energy(x, v) - system.energy(x, 0 * v))[0] - system.energy(x, v)[0])

    def momentum(x: np.ndarray, v: np.ndarray, k: int) -> float:
        unit = np.eye(2)[[k]]
        return float(weights @ [lagrangian(x, v + s * unit) for s in steps])

    pull = system.springs[0].pull(q, system.kinematics(q, u))
    speed, J = pull.rate, pull.along
    damping = 20.0 * speed[0] * J[0] + [0.0, 0.3 * u[0, 1]]
    assert np.abs(damping).max() > 0.1
    for k in range(2):
        unit = np.eye(2)[[k]]
        rate = weights @ [momentum(q + s * u + s * s * a / 2, u + s * a, k) for s in steps]
        slope = weights @ [lagrangian(q + s * unit, u) for s in steps]
        assert tau[k] == pytest.approx(rate - slope + damping[k], abs=1e-7)
    assert np.abs(tau).min() > 1


def closed(closures: list[Any], free: tuple[str, ...], kinds: int) -> System:
    """Bodies on a ground in space, to be closed."""
    bodies = [
        Body(rod("a"), joints.cardan(("a1", "a2", "a3"), "zxy")),
        Body(rod("b", 0.7), joints.universal("b1", "b2"), "a", (1.0, 0, 0)),
    ]
    bodies.append(Body(rod("c", 0.5), joints.cylindrical("c0", "c1"), GROUND, (0.6, 0.1, 0.05)))
    return System(bodies[:kinds], (1.0, -9.0, 2.0), closures, free)


#: Each kind of closure in space: closures, free coordinates, bodies, guess of the dependent ones.
KINDS = {
    "spherical": ([spherical("b", (0.7, 0, 0), "c", (0.2, 0.1, 0))], ("a1", "a2", "a3", "c1"), 3, [0.9, -0.4, 0.2]),
    "slider": ([slider("b", (0.6, 0, 0), "c", (0.1, 0, 0.1), (0.2, 0.3, 0.9))], ("a1", "a2", "a3", "c0", "c1"), 3, [0.4, -0.5]),
    "plane": ([on_plane("b", (0.6, 0, 0), GROUND, (0, -0.2, 0), (0, 1.0, 0))], ("a2", "a3", "b1", "b2"), 2, [-0.4]),
    "rod": ([Rod("b", (0.5, 0.1, 0), "c", (0.3, 0, 0), 0.9)], ("a1", "a2", "a3", "b1", "b2", "c1"), 3, [0.4]),
    "coupler": ([coupler("b2", "a1", joints.PolynomialFunction((0.1, 0.5, -0.3, 0.2)))], ("a1", "a2", "a3", "b1"), 2, [0.1]),
}


@pytest.mark.parametrize("name", KINDS)
def test_every_closure_by_derivatives_and_two_ways(name: str) -> None:
    """J and drift are derivatives of h; W and the full system move alike; the loops do no work."""
    system = closed(*KINDS[name][:3])  # type: ignore[arg-type]
    rng = np.random.default_rng(3)
    wild, u = rng.normal(0, 0.6, (5, len(system.coordinates))), rng.normal(size=(5, len(system.speeds)))
    moving, h = system.kinematics(wild, u), 1e-30
    stepped = system.kinematics(wild + 1j * h * u)
    close(
        (system.loop_jacobian(wild, moving) @ u[..., None])[..., 0],
        system.loop_residual(wild + 1j * h * u, stepped).imag / h,
        1e-12,
    )
    rate = (system.loop_jacobian(wild + 1j * h * u, stepped) @ u[..., None])[..., 0].imag / h
    close(system.loop_drift(wild, moving), rate, 1e-11)
    free, guess = 0.2 + 0.05 * rng.normal(size=(5, len(system.free))), np.array(KINDS[name][3])
    q, u1 = assemble(system, free, guess), rng.normal(size=(5, len(system.free)))
    tau = rng.normal(size=(5, len(system.speeds)))
    a1 = forward_dynamics(system, q, u1, tau)
    W, w = projection(system, q, u1)
    a, forces = constrained_accelerations(system, q, (W @ u1[..., None])[..., 0], tau)
    close((W @ a1[..., None])[..., 0] + w, a, 1e-9)
    close(loop_forces(system, q, u1, a1, tau), forces, 1e-9)
    close(inverse_dynamics(system, q, u1, a1), np.einsum("nji,nj->ni", W, tau), 1e-10)


def test_gears_on_turned_axes() -> None:
    """Wheels whose axes point opposite ways roll the same: the sign of a coordinate is not that of the rotation."""
    flipped = np.diag([1.0, -1.0, -1.0])
    bodies = [Body(rod("k"), joints.revolute("k")), Body(rod("a"), joints.revolute("a"), "k"),
              Body(rod("b"), joints.revolute("b"), "k", (0.1, 0, 0), flipped)]  # fmt: skip
    assert gears(System(bodies, DOWN).layout, "a", "b", "k", 0.06, 0.04).coefficients == pytest.approx({"a": 0.06, "b": -0.04})
    tilted = [*bodies[:2], Body(rod("b"), joints.revolute("b", joints.X), "k")]
    with pytest.raises(InvalidValueError, match="one direction"):
        gears(System(tilted, DOWN).layout, "a", "b", "k", 0.06, 0.04)


def test_what_is_refused(case: Case, every: EveryJoint) -> None:
    system, q, u1 = case.system, case.of("q")[:2], case.of("u1")[:2]
    with pytest.raises(MissingInputError, match="Gravity is not said"):
        System(system.bodies)
    off = q + np.eye(q.shape[1])[-1] * 1e-6
    every_way = [
        lambda: reduced(system, off, u1),
        lambda: inverse_dynamics(system, off, u1, u1),
        lambda: forward_dynamics(system, off, u1, 0 * off),
        lambda: constrained_accelerations(system, off, 0 * off, 0 * off),
    ]
    for dynamics in every_way:
        with pytest.raises(InvalidValueError, match="does not close"):
            dynamics()
    with pytest.raises(InvalidValueError, match="speeds that open"):
        constrained_accelerations(system, q, np.ones_like(q), 0 * q)
    with pytest.raises(InvalidValueError, match="cannot determine"):
        System(system.bodies, DOWN, system.closures, system.free[:-1])
    with pytest.raises(InvalidValueError, match="Some coordinates are not free"):
        System(system.bodies, DOWN, (), system.free)
    with pytest.raises(UnknownNameError, match="no coordinate 'knee'"):
        System(system.bodies, DOWN, system.closures, (*system.free[:-1], "knee"))
    with pytest.raises(ShapeError, match="u1 has shape"):
        reduced(system, q, np.zeros((2, 9)))

    class Rolling:
        """Binds speeds only."""

        size = 8

    with pytest.raises(InvalidValueError, match=r"Rolling is no relation of coordinates .*"):
        System(system.bodies, DOWN, [Rolling()], system.free)  # type: ignore[list-item]
    twice = every.q.copy()
    twice[1, 3:7] *= 1.00001
    with pytest.raises(InvalidValueError, match="quaternion pelvis of state 1 has length"):
        every.system.kinematics(twice)
    with pytest.raises(InvalidValueError, match="triangle inequality"):
        Segment("x", 1.0, np.zeros(3), np.diag([0.1, 0.1, 0.3]))
    with pytest.raises(InvalidValueError, match="changes in time"):
        Body(Segment("x", 1.0, np.zeros((5, 3)), np.eye(3)))


def test_loops_that_cannot_be_closed_or_are_singular(reference: Any) -> None:
    system = arm_exoskeleton(DOWN)
    # Nothing ties rho7, so that it cannot be one of those that follow.
    with pytest.raises(InvalidValueError, match="rho7 undetermined"):
        System(system.bodies, DOWN, system.closures, ("rho1", "rho2", "rho4", "rho5", "eta2"))
    with pytest.raises(InvalidValueError, match="do not reach each other"):
        configuration(system, np.array([[0.0, 0.0, 3.0, 0.6, 0.0]]))
    straight = closed([pin("b", (1.0, 0, 0), GROUND, (2.0, 0, 0), plane_of=GROUND)], ("a2", "a3", "b1"), 2)
    with pytest.raises(InvalidValueError, match="is singular"):
        reduced(straight, np.zeros((1, 5)), np.zeros((1, 3)))


def test_what_a_description_itself_cannot_be(every: EveryJoint) -> None:
    """Gravity out of a planar mechanism, loops that leave a coordinate undetermined, quaternions where rates are needed."""
    rods = [planar_segment(name, 1.0, (0.5, 0.0), 1 / 12) for name in ("crank", "coupler", "rocker")]
    with pytest.raises(InvalidValueError, match=r"Gravity .* leaves the plane"):
        four_bar((1.0, 1.0, 1.0), 1.0, rods, gravity_m_s2=(0.0, 0.0, -9.81))
    square = four_bar((1.0, 1.0, 1.0), 1.0, rods, gravity_m_s2=(0.0, -9.81, 0.0))
    ratio = [Gearing({"theta": 1.0, "psi": -1.0}), Gearing({"theta": 1.0, "psi": -2.0})]
    with pytest.raises(InvalidValueError, match=r"leave .* undetermined in every configuration"):
        System(square.bodies, square.gravity_lab_m_s2, ratio, ["theta"])
    with pytest.raises(InvalidValueError, match="free twice"):
        System(square.bodies, square.gravity_lab_m_s2, square.closures, ["theta", "theta"])
    name = every.system.coordinates[every.system.layout.quaternions[0][0][0]]
    rest = [one for one in every.system.coordinates if one != name]
    with pytest.raises(InvalidValueError, match="quaternion cannot follow from a loop"):
        System(every.system.bodies, DOWN, [Gearing({rest[0]: 1.0})], rest)
    with pytest.raises(InvalidValueError, match=r"Christoffel's symbols need speeds that are rates"):
        coriolis_matrix(every.system, every.q[:1], np.zeros((1, len(every.system.speeds))))


def test_lagrange_refuses_a_quaternion() -> None:
    pytest.importorskip("sympy")
    from biomech_id.multibody.symbolic.describe import describe
    from biomech_id.multibody.symbolic.equations import lagrange

    top = System([Body(Segment("top", 1.0, np.array([0.0, 0.0, 0.2]), np.eye(3) / 10), joints.ball("spin"))], DOWN)
    with pytest.raises(InvalidValueError, match="a coordinate for each speed: 4 came for 3"):
        lagrange(describe(top))
