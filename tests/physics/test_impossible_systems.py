"""Systems and states that have no answer: each ends in one sentence that names the body or joint, the value and the cure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Segment
from biomech_id.dynamics.external import External
from biomech_id.errors import BiomechError, InvalidValueError
from biomech_id.multibody.closures import gears, pin
from biomech_id.multibody.examples.pendulums import n_pendulum
from biomech_id.multibody.forward import simulate
from biomech_id.multibody.friction import Friction
from biomech_id.multibody.generated import generate
from biomech_id.multibody.impossible import check_inertia
from biomech_id.multibody.joints import JointSteps, PolynomialFunction, ball, cardan, free, prismatic, revolute
from biomech_id.multibody.laws import WrenchLaw
from biomech_id.multibody.linear import linearised
from biomech_id.multibody.parts import Body, Drive
from biomech_id.multibody.reduction import assemble, constrained_accelerations, forward_dynamics, inverse_dynamics, reduced
from biomech_id.multibody.springs import LineSpring, Spring
from biomech_id.multibody.system import System
from biomech_id.multibody.traced import equations

pytestmark = pytest.mark.filterwarnings("error")
DOWN = (0.0, -9.81, 0.0)
SECOND = np.array([0.0, 1.0])


def rod(name: str, length: float = 1.0, mass: float = 1.0) -> Segment:
    moment = mass * length**2 / 12
    return Segment(name, mass, np.array([length / 2, 0.0, 0.0]), np.diag([0.0, moment, moment]))


def point(name: str, mass: float = 1.0, at: Sequence[float] = (0.5, 0.0, 0.0)) -> Segment:
    return Segment(name, mass, np.array(at), np.zeros((3, 3)))


def chain(*segments: Segment, **more: object) -> System:
    before = ["base", *(segment.name for segment in segments)]
    bodies = [Body(s, revolute(f"q{i}"), before[i], (float(i > 0), 0, 0)) for i, s in enumerate(segments)]
    return System(bodies, DOWN, **more)  # type: ignore[arg-type]


def one(segment: Segment, joint: JointSteps, **more: object) -> System:
    return System([Body(segment, joint)], DOWN, **more)  # type: ignore[arg-type]


def four_bar(crank: float = 0.4, coupler: float = 1.0, rocker: float = 0.8, ground: float = 1.0, mass: float = 1.0) -> System:
    bodies = [
        Body(rod("crank", crank, mass), revolute("a")), Body(rod("coupler", coupler, mass), revolute("b"), "crank", (crank, 0, 0)),
        Body(rod("rocker", rocker, mass), revolute("c"), "base", (ground, 0, 0)),
    ]  # fmt: skip
    closure = pin("coupler", (coupler, 0.0, 0.0), "rocker", (rocker, 0.0, 0.0), plane_of="base")
    return System(bodies, DOWN, [closure], ["a"])


def push(body: str, frames: int = 1) -> list[External]:
    return [External(body, Wrench(np.ones((frames, 3)), np.zeros((frames, 3)), np.zeros(3)))]


def driven(law: Callable[..., object]) -> System:
    return chain(rod("arm"), drives=[Drive(("q0",), law)])  # type: ignore[arg-type]


TWO = chain(rod("upper"), rod("lower"))
TIP = chain(rod("upper"), point("tip", 0.0))
BOB = one(point("bob", 2.0), ball("hip"))
SLANTED = one(point("bob", 2.0, (0.3, 0.2, 0.7)), ball("hip"))
GIMBAL = one(Segment("top", 1.0, np.zeros(3), np.eye(3)), cardan(("flexion", "adduction", "rotation"), "zxy"))
LOCKED = np.array([[0.2, np.pi / 2, -0.4]])
NO, Z = np.zeros((1, 2)), np.zeros((1, 3))
TURNED = np.array([[0.5, 0.5, -0.5, 0.5]])
NAN = float("nan")
LIGHT, CLOSED = four_bar(mass=0.0), assemble(four_bar(), [[0.3]], [0.5, 1.5])

#: What is asked; the words that its sentence has.
IMPOSSIBLE: dict[str, tuple[Callable[[], object], str]] = {
    "massless tip": (
        lambda: TIP.forward(*np.full((3, 4, 2), 0.7)),
        "state 0 no mass resists the joint of the tip along q1.*give the tip",
    ),
    "its simulation": (lambda: simulate(TIP, NO[0], NO[0], SECOND), "joint of the tip along q1"),
    "its equations": (lambda: equations(TIP, ["a1"]), "joint of the tip along q1"),
    "its terms": (lambda: TIP.terms(NO, NO).accelerations(), "joint of the tip along q1"),
    "its linear model": (lambda: linearised(TIP, NO[0], NO[0], NO[0]), "joint of the tip along q1"),
    "pendulum of no mass": (lambda: n_pendulum([1, 0], [1, 1], gravity_m_s2=9.81).forward(NO, NO, NO), "the link 1 along q_1"),
    "pendulum of no length": (lambda: n_pendulum([1, 1], [1, 0], gravity_m_s2=9.81).forward(NO, NO, NO), "the link 1 along q_1"),
    "no mass at all": (lambda: chain(point("a", 0.0), point("b", 0.0)).forward(NO, NO, NO), "no mass resists"),
    "point mass on a ball": (lambda: BOB.forward(TURNED, Z, Z), "the bob along hip.wx.*give the bob"),
    "slanted, on a ball": (
        lambda: SLANTED.forward(TURNED, Z, Z),
        "the bob along hip.wx, hip.wy, hip.wz.*point mass needs an inertia",
    ),
    "simulated on a ball": (lambda: simulate(SLANTED, TURNED[0], Z[0], SECOND), "the bob along hip.wx, hip.wy, hip.wz"),
    "gimbal lock": (lambda: GIMBAL.forward(LOCKED, Z, Z), "the top along flexion, rotation.*fall together"),
    "simulated lock": (lambda: simulate(GIMBAL, LOCKED[0], Z[0], SECOND), "the top along flexion, rotation"),
    "two turns, one axis": (lambda: one(rod("arm"), (*revolute("p"), *revolute("r"))).forward(NO, NO, NO), "the arm along p, r"),
    "loop without masses": (lambda: forward_dynamics(LIGHT, CLOSED, Z[:, :1], Z), "the crank along a"),
    "its full system": (lambda: constrained_accelerations(LIGHT, CLOSED, Z, Z), "the crank along a"),
    "its program": (lambda: equations(LIGHT, ["a1"], "IC"), "equations of a divide by zero"),
    "guess of all coordinates": (lambda: assemble(four_bar(), [[0.0]], Z), r"guess has shape \(1, 3\).*coordinates b, c"),
    "guess of one coordinate": (lambda: assemble(four_bar(), [[0.0]], [[1.0]]), r"guess has shape \(1, 1\).*coordinates b, c"),
    "guess by name": (
        lambda: assemble(four_bar(), [[0.0]], {"b": 1.0}),  # type: ignore[arg-type]
        "assemble takes numbers as guess",
    ),
    "guess of nothing": (lambda: assemble(four_bar(), [[0.0]], [NAN, 1.0]), "guess of the assemble is"),
    "loop that cannot close": (
        lambda: assemble(four_bar(0.4, 0.1, 0.1, 3.0), [[0.0]], [0.1, 0.2]),
        r"'a': 0.0.*closure of coupler and rocker stays .* open"
    ),
    "loop left open": (lambda: reduced(four_bar(), [[0.0, 1.0, 0.0]], [[1.0]]), "closure of coupler and rocker stays 0.86 m"),
    "change point": (lambda: reduced(four_bar(0.4, 1.0, 0.4), Z, [[1.0]]), "'a': 0.0.*singular"),
    "closure with nothing": (lambda: pin_to("hand"), "no body 'hand'"),
    "place of two numbers": (lambda: pin_to("base", (1.0, 0.0)), r"place_m of the PointGap arm base base has shape \(2,\)"),
    "place that is missing": (lambda: pin_to("base", (1.0, NAN, 0.0)), "place_m of the PointGap arm base base is"),
    "negative mass": (lambda: point("shank", -1.0), "0 to 400 kg as its mass_kg, not -1.0"),
    "inertia of no body": (
        lambda: Segment("shank", 1.0, Z[0], np.diag([1.0, 1.0, 3.0])),
        "of the shank.*1, 1, 3 kg m2 break the triangle",
    ),
    "centre of mass missing": (lambda: chain(point("shank", 1.0, (NAN, 0.0, 0.0))), "com_m of the shank is"),
    "joint nowhere": (lambda: Body(rod("shank"), place_m=(NAN, 0.0, 0.0)), "place_m of the shank is"),
    "joint turned by nothing": (lambda: Body(rod("shank"), R_parent_joint=np.full((3, 3), NAN)), "R_parent_joint of the shank is"),
    "turn about no axis": (lambda: revolute("knee", (0, 0, 0)), r"axis \(0, 0, 0\) of 'knee'"),
    "slide along no axis": (lambda: prismatic("seat", (0, 0, 0)), r"axis \(0, 0, 0\) of 'seat'"),
    "joint by a word": (
        lambda: Body(rod("shank"), "revolute"),  # type: ignore[arg-type]
        r"as its joint, not a str \('revolute'\): revolute",
    ),
    "joint of a bare step": (lambda: Body(rod("shank"), revolute("knee")[0]), "as its joint, not a Turn"),  # type: ignore[arg-type]
    "two bodies of a name": (lambda: chain(rod("shank"), rod("shank")), "Two bodies are called 'shank'"),
    "circle of bodies": (lambda: circle("b"), "The a hangs on 'b', which hangs on it in turn: close a loop with pin"),
    "own parent": (lambda: circle("a"), "The a hangs on 'a', which hangs on it in turn"),
    "child before parent": (
        lambda: System([Body(rod("a"), parent="b"), Body(rod("b"))], DOWN),
        "The a hangs on 'b', which comes after",
    ),
    "parent that is not there": (lambda: System([Body(rod("a"), parent="c")], DOWN), "The a hangs on 'c', which is no body"),
    "force on nobody": (lambda: TWO.inverse(NO, NO, NO, push("Lower")), "no body 'Lower'. Did you mean 'lower'"),
    "force of other frames": (
        lambda: TWO.inverse(*np.zeros((3, 5, 2)), push("lower", 3)),
        "on the lower has 3 frames, the motion 5",
    ),
    "force of six numbers": (lambda: TWO.inverse(NO, NO, NO, [np.zeros(6)]), "takes a External"),  # type: ignore[list-item]
    "no step": (lambda: simulate(TWO, NO[0], NO[0], np.zeros(2)), "t_s of simulate do not increase"),
    "endless time": (lambda: simulate(TWO, NO[0], NO[0], np.array([0.0, np.inf])), "finite steps"),
    "no tolerance": (lambda: simulate(TWO, NO[0], NO[0], SECOND, tolerance=0.0), "2.3e-14 to 1 as its tolerance"),
    "three of two coordinates": (lambda: TWO.inverse(Z, NO, NO), r"q has shape \(1, 3\), for q0, q1"),
    "one number": (lambda: TWO.inverse(0.0, NO, NO), r"q has shape \(\), for q0, q1"),
    "no number": (lambda: TWO.inverse(None, NO, NO), "takes numbers as q"),  # type: ignore[arg-type]
    "rows of other length": (lambda: TWO.inverse([[1, 2], [3]], NO, NO), "takes numbers as q"),  # type: ignore[list-item]
    "drives of other length": (lambda: TWO.forward(NO, NO, Z), r"tau has shape \(1, 3\), for q0, q1"),
    "drives of fewer states": (
        lambda: forward_dynamics(TWO, NO, NO, np.zeros((3, 2))),
        r"tau has shape \(3, 2\), for q0, q1 in 1 states",
    ),
    "accelerations too many": (lambda: inverse_dynamics(TWO, NO, NO, Z), r"a1 has shape \(1, 3\), for q0, q1"),
    "linear, too many": (lambda: linearised(TWO, NO[0], NO[0], Z[0]), r"linearise was given tau of shape \(3,\)"),
    "start without a value": (lambda: simulate(TWO, np.array([0.0, NAN]), NO[0], SECOND), "q0 is nan at 'q1'"),
    "speed without a value": (lambda: simulate(TWO, NO[0], np.array([NAN, 0.0]), SECOND), "u0 is nan at 'q0'"),
    "linear about nothing": (lambda: linearised(TWO, np.full(2, NAN), NO[0], NO[0]), "q is nan at 'q0'"),
    "infinite speed": (lambda: TWO.forward(NO, np.full((1, 2), np.inf), NO), "u is infinite in state 0"),
    "gravity in mm": (lambda: System([Body(rod("a"))], (0, -9810, 0)), "no m/s2"),
    "gravity missing": (lambda: System([Body(rod("a"))], (0, NAN, 0)), "no m/s2"),
    "drive without a value": (
        lambda: simulate(driven(lambda t, q, u: [NAN]), NO[0, :1], NO[0, :1], SECOND),
        "drive at 0 s is nan at 'q0'",
    ),
    "drive of two numbers": (lambda: simulate(driven(lambda t, q, u: [1, 2]), NO[0, :1], NO[0, :1], SECOND), "drive of q0 gives"),
    "drive without a law": (lambda: driven(3.0), "as its torque, not 3.0"),  # type: ignore[arg-type]
    "spring of no length": (
        lambda: chain(rod("arm"), springs=[LineSpring("arm", (0, 0, 0), "base", (0, 0, 0), 9.0)]).inverse(*np.zeros((3, 1, 1))),
        "spring between arm and base has no length in state 0",
    ),
    "spring without a value": (lambda: chain(rod("arm"), springs=[Spring("q0", NAN)]), "stiffness of the Spring q0 is nan"),
    "friction below zero": (lambda: Friction(-1.0), "from 0 to 1e.12 N or N m as its kinetic, not -1.0"),
    "friction that holds less": (lambda: Friction(2.0, 1.0), "friction holds 1 at rest and takes 2 while it slips"),
    "friction of nothing": (lambda: rubbed({"knee": Friction(1.0)}), "no speed 'knee'"),
    "friction by a number": (lambda: rubbed({"q0": 0.3}), "takes a mapping of speeds to Friction or None as its friction"),  # type: ignore[arg-type]
    "prescribed by a number": (lambda: given({"q0": 3.0}), "takes a mapping of coordinates to functions of time with both"),
    "prescribed, not there": (lambda: given({"knee": RAMP}), "no free coordinate to prescribe 'knee'"),
    "prescribed with friction": (lambda: given({"q0": RAMP}, {"q0": Friction(1.0)}), "'q0' is both prescribed and has friction"),
    "loads that are none": (
        lambda: simulate(TWO, NO[0], NO[0], SECOND, external=3.0),  # type: ignore[arg-type]
        "takes a function of time that gives loads, or WrenchLaws or None as its external, not 3.0",
    ),
    "prescribed by its loop": (
        lambda: simulate(four_bar(), CLOSED[0], Z[0, :1], SECOND, prescribed={"b": RAMP}),
        "no free coordinate to prescribe 'b'",
    ),
    "prescribed, other rate": (lambda: given({"q0": Slipped((0.0, 1.0, 2.0))}), "'q0' has a rate or an acceleration that"),
    "law of five numbers": (
        lambda: by_law(lambda *state: np.zeros(5)),
        r"law on lower at 0 s of shape \(5,\), for force x, .*moment z",
    ),
    "law without a value": (lambda: by_law(lambda *state: [0, 0, NAN, 0, 0, 0]), "law on lower at 0 s is nan at 'force z'"),
    "law of words": (lambda: by_law(lambda *state: "up"), "WrenchLaw takes numbers as the law on lower at 0 s"),
    "law that is a number": (lambda: by_law(3.0), "as its wrench_lab, not 3.0"),  # type: ignore[arg-type]
    "law on nobody": (lambda: by_law(lambda *state: np.zeros(6), "hand"), "no body 'hand'"),
    "law at no place": (lambda: by_law(lambda *state: np.zeros(6), place=(1.0, NAN, 0.0)), "place_m of the law on lower is"),
    "links and lengths": (lambda: n_pendulum([1, 1], [1], gravity_m_s2=9.81), "2 links came with 1 lengths"),
    "base of other frames": (
        lambda: TWO.kinematics(np.zeros((5, 2)), base=TWO.motions(TWO.kinematics(np.zeros((3, 2))))[0]),
        "base moves for 3 frames.* 5 states"
    ),
}  # fmt: skip


def pin_to(other: str, place: tuple[float, ...] = (1.0, 0.0, 0.0)) -> System:
    bodies = [Body(rod("arm"), (*prismatic("x", (1, 0, 0)), *prismatic("y", (0, 1, 0)), *revolute("r")))]
    return System(bodies, DOWN, [pin("arm", place, other, (0.0, 0.0, 0.0), plane_of="base")], ["r"])  # type: ignore[arg-type]


def by_law(law: Callable[..., object], body: str = "lower", place: tuple[float, ...] = (1.0, 0.0, 0.0)) -> object:
    laws = [WrenchLaw(body, place, "base", (0.0, 0.0, 0.0), law)]  # type: ignore[arg-type]
    return simulate(TWO, NO[0], NO[0], SECOND, external=laws)


RAMP = PolynomialFunction((0.0, 1.0))


class Slipped(PolynomialFunction):
    """A motion whose rate is in other units."""

    def slope(self, q: object) -> object:
        return 57.3 * super().slope(q)


def given(prescribed: dict[str, object], friction: dict[str, Friction] | None = None) -> object:
    return simulate(TWO, NO[0], NO[0], SECOND, prescribed=prescribed, friction=friction)  # type: ignore[arg-type]


def rubbed(friction: dict[str, Friction]) -> object:
    return simulate(TWO, NO[0], NO[0], SECOND, friction=friction)


def circle(parent: str) -> System:
    return System([Body(rod("a"), revolute("r"), parent), Body(rod("b"), revolute("s"), "a")], DOWN)


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_what_is_impossible_gets_its_sentence(case: str) -> None:
    ask, words = IMPOSSIBLE[case]
    with pytest.raises(BiomechError, match=words) as refused:
        ask()
    assert refused.value.expected
    assert refused.value.where


def test_a_point_mass_on_a_ball_is_refused_in_every_attitude() -> None:
    """About its line rounding leaves 1e-34 kg m2, which is no inertia."""
    q = np.random.default_rng(2).normal(size=(40, 1, 4))
    for bob in (BOB, SLANTED):
        for state in q / np.linalg.norm(q, axis=2, keepdims=True):
            with pytest.raises(InvalidValueError, match="no mass resists the joint of the bob"):
                bob.forward(state, Z, Z)
    rounding = 1e-34 * np.array([[1.0, 0.1], [0.1, 1.0]])
    for M in (np.diag([1.0, 1e-34]), rounding + np.diag([1.0, 0.0])):
        with pytest.raises(InvalidValueError, match="joint of the lower along q1"):
            check_inertia(TWO.layout, M[None], TWO.speeds)


def test_what_only_looks_impossible_is_answered() -> None:
    """A phalanx beside a body, a massless link between two rods, a relative chain of 60 links, a gimbal near its lock, no joint."""
    tensor = np.diag([20.0, 20.0, 3.0])
    person = [Body(Segment("trunk", 70.0, np.array([0.0, 0.0, 0.5]), tensor), free("pelvis"))]
    person += [Body(Segment("tip", 5e-3, np.array([0.01, 0, 0]), 1e-7 * np.eye(3)), revolute("finger"), "trunk", (0.5, 0.0, 1.0))]
    whole = System(person, DOWN)
    falling = whole.forward(whole.at_zero(), *np.zeros((2, 1, 7)))
    np.testing.assert_allclose(falling[0], [0, -9.81, 0, 0, 0, 0, 0], atol=1e-9)  # m/s2 and rad/s2: 1e-7 kg m2 beside 90
    middle = chain(rod("upper"), point("middle", 0.0), rod("lower"))
    q, u, a = np.random.default_rng(0).normal(size=(3, 2, 3))
    np.testing.assert_allclose(middle.forward(q, u, middle.inverse(q, u, a)), a, atol=1e-9)
    long = chain(*[rod(f"link {i}", 1.0) for i in range(60)])
    assert np.isfinite(long.forward(*np.zeros((3, 1, 60)))).all()
    assert np.isfinite(GIMBAL.forward(LOCKED - [[0.0, 1e-6, 0.0]], Z, Z)).all()
    fixed = System([Body(rod("arm"))], DOWN)
    assert fixed.forward(*np.zeros((3, 2, 0))).shape == (2, 0)
    np.testing.assert_array_equal(assemble(TWO, NO, np.zeros((1, 0))), NO)


def test_a_gap_in_one_state_stays_there() -> None:
    """A recording has gaps: NaN goes in, NaN comes out, and the other states are answered."""
    q, u, a = np.random.default_rng(1).normal(size=(3, 4, 2))
    q[2, 0] = NAN
    for answer in (TWO.inverse(q, u, a), TWO.forward(q, u, a), forward_dynamics(TWO, q, u, a)):
        np.testing.assert_array_equal(np.isnan(answer).any(axis=1), [False, False, True, False])
    bars, free_angle = four_bar(), np.array([[0.2], [NAN], [0.3]])
    closed = assemble(bars, free_angle, [0.5, 1.5])
    np.testing.assert_array_equal(np.isnan(closed).all(axis=1), [False, True, False])
    assert np.isnan(assemble(bars, [[NAN]], [0.5, 1.5])).all()
    moving = reduced(bars, closed, np.ones((3, 1)))
    np.testing.assert_array_equal(np.isnan(moving.W).any(axis=(1, 2)), [False, True, False])


def test_generated_code_without_a_compiler_divides_by_zero_as_c_does() -> None:
    """First and third turn of z-x-z fall together at zero: a state without an answer is NaN, as C and NumPy hand out."""
    top = one(
        Segment("top", 1.0, np.zeros(3), np.eye(3)), (*revolute("precession"), *revolute("nutation", (1, 0, 0)), *revolute("spin"))
    )
    code = generate(equations(top, ["a1"]), "python")
    state = np.zeros(len(code.program.inputs))
    assert np.isnan(code(state)).all()
    state[1] = 0.3
    assert np.isfinite(code(state)).all()


def test_a_loop_of_gears_names_its_coordinates() -> None:
    bodies = [
        Body(rod("carrier"), revolute("k")),
        Body(rod("a"), revolute("p"), "carrier"),
        Body(rod("b"), revolute("r"), "carrier"),
    ]
    layout = System(bodies, DOWN).layout
    system = System(bodies, DOWN, [gears(layout, "a", "b", "carrier", 0.03, 0.02)], ["k", "p"])
    with pytest.raises(InvalidValueError, match=r"closure of p and r stays .* open"):
        reduced(system, [[0.1, 0.2, 0.3]], NO)
