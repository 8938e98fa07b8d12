"""Muscle forces of least effort, and what joints carry: conditions of the optimum, Newton's laws, refusals, without any file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from leg_model import MODEL, walk

from biomech_id.errors import (
    BiomechError,
    FileRefusedError,
    InvalidValueError,
    MissingInputError,
    OptionError,
    ShapeError,
    UnknownNameError,
)
from biomech_id.multibody.musculoskeletal import MuscleModel, MusculoskeletalModel, PathPoint
from biomech_id.osim.dynamics.external_loads import OuterForce
from biomech_id.osim.dynamics.inverse_dynamics import forces_in, generalized_forces
from biomech_id.osim.dynamics.recorded_motion import RecordedMotion
from biomech_id.osim.forces.actuators import ActuatedModel, Actuator, read_actuated
from biomech_id.osim.forces.analysed_motion import analysed_motion
from biomech_id.osim.forces.bezier import BezierCurve
from biomech_id.osim.forces.contact_cost import with_contact_cost
from biomech_id.osim.forces.equations import ForceEquations, force_equations
from biomech_id.osim.forces.force_bands import effort_problem, force_bands, near_optimal
from biomech_id.osim.forces.joint_reactions import joint_reactions, reactions_under, size_gradient
from biomech_id.osim.forces.least_effort import LeastEffort, least_effort
from biomech_id.osim.forces.muscle_curves import COMMON, MUSCLE_KINDS, strengths
from biomech_id.osim.forces.static_optimisation import MuscleForces, static_optimisation

FREE = (-np.inf, np.inf)


def muscle(name: str, kind: str, *points: tuple[str, float, float, float], force: float = 900.0) -> tuple[MuscleModel, Actuator]:
    path = tuple(PathPoint(str(k), body, np.array(place)) for k, (body, *place) in enumerate(points))
    lengths = {
        "max_isometric_force": force,
        "optimal_fiber_length": 0.12,
        "tendon_slack_length": 0.3,
        "pennation_angle_at_optimal": 0.2,
    }
    numbers = {**COMMON, **MUSCLE_KINDS[kind][0], **lengths}
    return MuscleModel(name, path), Actuator(name, "muscle", (0.01, 1.0), force, kind, numbers)


PAIRS = [
    muscle(
        "front", "Thelen2003Muscle",
        ("pelvis", 0.05, 0.05, 0.08), ("thigh", 0.04, -0.36, 0.0), ("cap", 0.03, 0.0, 0.0), ("shank", 0.04, -0.07, 0.0),
    ),
    muscle("back", "Millard2012EquilibriumMuscle", ("pelvis", -0.1, -0.08, 0.07), ("shank", -0.04, -0.05, 0.0)),
    muscle("calf", "DeGrooteFregly2016Muscle", ("thigh", -0.03, -0.1, 0.0), ("shank", -0.03, -0.1, 0.01), force=500.0),
    muscle("inside", "Thelen2003Muscle", ("pelvis", 0.0, -0.1, 0.02), ("thigh", 0.0, -0.3, 0.01)),
    muscle("outside", "Thelen2003Muscle", ("pelvis", 0.0, 0.12, 0.12), ("thigh", 0.0, -0.2, 0.06)),
]  # fmt: skip
LEG = ActuatedModel(replace(MODEL, muscles=tuple(path for path, _ in PAIRS)), tuple(actuator for _, actuator in PAIRS))
DRIVEN = LEG.with_reserves(0.5, 100.0)


def motion(n: int = 20) -> RecordedMotion:
    t = np.arange(n) / 50.0
    columns = dict(zip(MODEL.coordinate_names, walk(n).T, strict=True))
    return analysed_motion(MODEL, t, columns, in_degrees=False)


def push(n: int = 20) -> tuple[OuterForce, ...]:
    t = np.arange(n) / 50.0
    force = np.column_stack([20 * np.sin(9 * t), 80 + 5 * t, 3 * np.cos(5 * t)])
    return (OuterForce("shank", t, force, np.column_stack([0 * t, 1 + t, 0 * t]), np.column_stack([1.2 * t, 0 * t, 0.1 + 0 * t])),)


@pytest.fixture(scope="module")
def forces() -> MuscleForces:
    return static_optimisation(DRIVEN, motion(), push())


def off_optimum(
    G: np.ndarray, tau: np.ndarray, bounds: tuple[np.ndarray, np.ndarray], answer: LeastEffort, p: float
) -> tuple[float, float]:
    """How far the conditions of Karush, Kuhn and Tucker, and the balance, are from being met."""
    a, (low, high) = answer.controls, bounds
    slope = p * np.abs(a) ** (p - 1) * np.sign(a) - (G.swapaxes(1, 2) @ answer.multipliers[..., None])[..., 0]
    slope = np.where(a <= low, np.minimum(slope, 0.0), np.where(a >= high, np.maximum(slope, 0.0), slope))
    inside = ((a >= low) & (a <= high)).all()
    return float(np.abs(slope).max()) if inside else np.inf, float(np.abs((G @ a[..., None])[..., 0] - tau).max())


@pytest.mark.parametrize("p", [2.0, 2.5, 3.0, 4.0])
@pytest.mark.parametrize("reserves", [False, True])
def test_random_problems_are_solved_to_the_optimum(p: float, reserves: bool) -> None:
    rng = np.random.default_rng(5)
    N, m, n = 60, 6, 20
    G = 40 * rng.normal(size=(1, m, n)) + 5 * rng.normal(size=(N, m, n))
    low, high = np.full(n, 0.01), np.ones(n)
    if reserves:
        G[:, :, -m:] = np.diag(rng.choice([1.0, 4.0, 50.0], m))
        low[-m:], high[-m:] = FREE
    tau = (G @ rng.uniform(0.01, 0.6, size=(N, n))[..., None])[..., 0]
    answer = least_effort(G, tau, low, high, p)
    assert not answer.infeasible.any()
    slope, balance = off_optimum(G, tau, (low, high), answer, p)
    assert slope < 1e-9
    assert balance < 1e-9


def test_rows_without_an_answer_are_all_named() -> None:
    from scipy.optimize import linprog, lsq_linear

    rng = np.random.default_rng(8)
    G, tau = 10 * rng.normal(size=(16, 3, 6)), 8 * rng.normal(size=(16, 3))
    answer = least_effort(G, tau, np.full(6, 0.01), np.ones(6))
    possible = [linprog(np.zeros(6), A_eq=G[k], b_eq=tau[k], bounds=[(0.01, 1)] * 6).status == 0 for k in range(16)]
    assert answer.infeasible.tolist() == [not each for each in possible]
    assert 0 < answer.infeasible.sum() < 16
    # What is missing is the least square, but for what makes it cost something: below 1e-3 N m here.
    for k in np.flatnonzero(answer.infeasible):
        best = lsq_linear(G[k], tau[k], (0.01, 1.0), method="bvls", tol=1e-14)
        np.testing.assert_allclose(answer.missing[k], tau[k] - G[k] @ best.x, atol=1e-3)


def test_an_exponent_below_two_is_refused() -> None:
    with pytest.raises(OptionError, match="no smooth optimum"):
        least_effort(np.ones((1, 1, 1)), np.ones((1, 1)), np.zeros(1), np.ones(1), 1.5)


def test_curves_run_through_their_knots_with_their_slopes() -> None:
    curve = BezierCurve([(0.0, 0.1, 0.0), (0.4, 0.6, 1.5), (1.0, 1.0, 0.0)], [0.9, 0.9])
    x, h = np.array([0.0, 0.4, 1.0]), 1e-6
    np.testing.assert_allclose(curve(x), [0.1, 0.6, 1.0], atol=1e-15)
    np.testing.assert_allclose((curve(x + h) - curve(x - h)) / (2 * h), [0.0, 1.5, 0.0], atol=1e-5)
    assert (np.diff(curve(np.linspace(-0.2, 1.2, 500))) >= 0).all()


@pytest.mark.parametrize("kind", MUSCLE_KINDS)
def test_strengths_at_rest_and_beyond(kind: str) -> None:
    numbers = {**COMMON, **MUSCLE_KINDS[kind][0], "max_isometric_force": 800.0, "pennation_angle_at_optimal": 0.3}
    at_optimal = 0.2 + 0.1 * np.cos(0.3)

    def strength(length: float, rate: float, *, compat: bool = False) -> float:
        return float(strengths([kind], [numbers], np.array([[length]]), np.array([[rate]]), compat=compat)[0, 0])

    assert strength(at_optimal, 0.0) == pytest.approx(800 * np.cos(0.3), rel=0.02)
    assert strength(at_optimal, -2.0) < 0.01 * 800
    assert strength(0.19, 0.0) == 0.0
    assert strength(at_optimal, -0.3) < strength(at_optimal, 0.0) < strength(at_optimal, 0.3)
    # OpenSim's slips take too large a cosine, or none.
    assert (strength(at_optimal, 0.0, compat=True) > 1.03 * strength(at_optimal, 0.0)) == (kind != "Thelen2003Muscle")


def test_balance_is_that_of_inverse_dynamics() -> None:
    eq = force_equations(DRIVEN, motion(), push())
    m, skeleton = eq.motion, eq.skeleton
    tau = generalized_forces(skeleton, m.q, m.rate, m.second, eq.loads).tau
    follow = skeleton.coupling_jacobian(m.q, [skeleton.model.index(name) for name in eq.coordinates])
    np.testing.assert_allclose(eq.tau, (tau[:, None] @ follow)[:, 0], atol=1e-9)
    mass = np.empty((len(m.q), len(eq.coordinates), len(eq.coordinates)))
    still = RecordedMotion(m.time_s, m.q, np.zeros_like(m.q), np.zeros_like(m.q))
    weight = force_equations(DRIVEN, still).tau
    for k, name in enumerate(eq.coordinates):
        second = np.zeros_like(m.q)
        second[:, skeleton.model.index(name)] = 1.0
        mass[:, :, k] = force_equations(DRIVEN, replace(still, second=second)).tau - weight
    np.testing.assert_allclose(eq.mass_matrix(), mass, atol=1e-9)


def test_forces_balance_the_motion_at_least_effort(forces: MuscleForces) -> None:
    eq = forces.equations
    answer = LeastEffort(forces.activation, forces.price, forces.missing, forces.infeasible)
    slope, balance = off_optimum(eq.arms * eq.strength[:, None], eq.tau, DRIVEN.bounds, answer, 2.0)
    assert slope < 1e-9
    assert balance < 1e-9
    assert (forces.activation[:, :5] > 0.05).any(axis=0).sum() >= 2
    both = forces.reserve + (eq.arms[:, :, :5] @ forces.force[:, :5, None])[..., 0]
    np.testing.assert_allclose(both, eq.tau, atol=1e-9)


def test_a_price_is_what_a_newton_metre_more_costs(forces: MuscleForces) -> None:
    eq, h = forces.equations, 1e-3
    G = eq.arms * eq.strength[:, None]
    for k in (6, 8):
        moved = [eq.tau + sign * h * np.eye(len(eq.coordinates))[k] for sign in (1, -1)]
        more, less = ((least_effort(G, each, *DRIVEN.bounds).controls ** 2).sum(axis=1) for each in moved)
        np.testing.assert_allclose((more - less) / (2 * h), forces.price[:, k], rtol=1e-3, atol=1e-6)


def test_what_nobody_can_carry_is_named_and_not_given() -> None:
    without = ActuatedModel(LEG.model, (*LEG.actuators, *(each for each in DRIVEN.actuators if each.name.endswith("residual"))))
    found = static_optimisation(without, motion(), push())
    assert found.infeasible.all()
    assert np.isnan(found.force).all()
    sentence = found.remarks()[0]
    row, k = np.unravel_index(np.argmax(np.abs(found.missing)), found.missing.shape)
    assert f"{found.missing[row, k]:.3g} N m by {found.equations.coordinates[k]}" in sentence
    assert sentence.startswith("20 of 20 rows have no answer")


def test_what_reserves_carry_and_muscles_at_their_limit_are_said() -> None:
    weak = ActuatedModel(LEG.model, tuple(replace(each, strength=each.strength / 20) for each in LEG.actuators)).with_reserves(
        1.0, 100.0
    )
    found = static_optimisation(weak, motion(), push(), curves=False)
    sentences = found.remarks()
    share = found.reserve_share[found.equations.coordinates.index("knee")]
    assert share > 0.1
    assert any("by knee" in each and f"{100 * share:.0f} %" in each for each in sentences)
    limited = [name for k, name in enumerate(found.names[:5]) if found.at_limit[:, k].any()]
    assert limited
    assert sentences[-1] == f"At their largest control in some rows: {', '.join(limited)}."


def test_forces_at_points_and_moments_of_bodies_do_the_work_of_what_they_move() -> None:
    point = Actuator("point", "point", FREE, 1.0, body="shank", point_m=(0.05, -0.2, 0.03), direction=(0.6, 0.0, 0.8))
    turn = Actuator("turn", "torque", FREE, 1.0, body="shank", against="thigh", direction=(0.0, 0.6, 0.8), direction_in_ground=True)
    eq = force_equations(ActuatedModel(LEG.model, (*LEG.actuators, point, turn)), motion())
    h, q, model = 1e-6, eq.motion.q, LEG.model
    for k, name in enumerate(eq.coordinates):
        ends = []
        for sign in (h, -h):
            moved = q.copy()
            moved[:, model.index(name)] += sign
            ends.append(eq.skeleton.pose(eq.skeleton.completed(moved)))
        body = eq.skeleton.body_index("shank")
        shift = (ends[0].points([body], [[0.05, -0.2, 0.03]]) - ends[1].points([body], [[0.05, -0.2, 0.03]]))[:, 0] / (2 * h)
        along = eq.pose.R_ground_body[:, body] @ np.array([0.6, 0.0, 0.8])
        np.testing.assert_allclose(eq.arms[:, k, -2], (shift * along).sum(axis=1), atol=1e-8)
        relative = 0.0
        for sign, number in ((1.0, body), (-1.0, eq.skeleton.body_index("thigh"))):
            change = (ends[0].R_ground_body[:, number] - ends[1].R_ground_body[:, number]) / (2 * h)
            W = change @ eq.pose.R_ground_body[:, number].swapaxes(1, 2)
            relative = relative + sign * np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1)
        np.testing.assert_allclose(eq.arms[:, k, -1], (relative * [0.0, 0.6, 0.8]).sum(axis=1), atol=1e-8)


def test_without_muscles_joints_carry_what_inverse_dynamics_says() -> None:
    eq = force_equations(DRIVEN, motion(), push())
    theirs = forces_in(eq.skeleton, eq.moving, eq.loads).reactions
    ours = reactions_under(eq, None)
    order = [theirs.joints.index(name) for name in ours.joints]
    np.testing.assert_allclose(ours.force_N, theirs.force_N[:, order], atol=1e-9)
    np.testing.assert_allclose(ours.moment_Nm, theirs.moment_Nm[:, order], atol=1e-9)
    np.testing.assert_allclose(ours.point_m, theirs.point_m[:, order], atol=1e-12)


def test_muscles_press_joints_together_and_newton_holds(forces: MuscleForces) -> None:
    ours = joint_reactions(forces)
    eq = forces.equations
    # Forces that balance the motion keep its accelerations: a joint carries the intersegmental force less what its muscles pull.
    plain, pulled = reactions_under(eq, None), eq.paths.on_bodies(forces.force[:, :5], len(eq.skeleton.body_names))
    body = eq.skeleton.body_index("shank")
    knee = ours.joints.index("knee")
    np.testing.assert_allclose(ours.force_N[:, knee], plain.force_N[:, knee] - pulled[:, body, 3:], atol=1e-8)
    assert ours.size_N[:, knee].max() > 1.5 * plain.size_N[:, knee].max()
    assert np.allclose(ours.size_body_weights * 9.80665 * eq.actuated.model.mass_kg, ours.size_N)
    # Action and reaction, each in any axes, each about its own point.
    other = joint_reactions(forces, on="parent", frame="child", joints=["knee"])
    R = eq.pose.R_ground_body[:, body]
    np.testing.assert_allclose((R @ other.force_N[:, 0, :, None])[..., 0], -ours.force_N[:, knee], atol=1e-9)
    assert other.columns()[0] == "knee_on_thigh_in_shank_fx"
    at = eq.pose.origin_m[:, body] + (R @ other.point_m[:, 0, :, None])[..., 0]
    lever = ours.moment_Nm[:, knee] + np.cross(ours.point_m[:, knee] - at, ours.force_N[:, knee])
    np.testing.assert_allclose((R @ other.moment_Nm[:, 0, :, None])[..., 0], -lever, atol=1e-9)


def test_ends_of_a_contact_force_are_those_of_the_forces_there(forces: MuscleForces) -> None:
    eq = forces.equations
    bands = force_bands(forces, joints=["knee"], share=2.0)
    assert bands.muscles == tuple(forces.names[:5])
    knee = joint_reactions(forces, joints=["knee"])
    np.testing.assert_allclose(bands.contact.value, knee.size_N, atol=1e-9)
    np.testing.assert_allclose(bands.force.value, forces.force[:, :5], atol=1e-9)
    problem = effort_problem(forces)
    press = size_gradient(forces, ["knee"])[:, :, problem.columns]
    least, most, ends = near_optimal(problem, press, 2.0)
    along = knee.force_N[:, 0] / knee.size_N
    for k, end in enumerate((bands.contact.least, bands.contact.most)):
        other = forces.force.copy()
        other[:, problem.columns] = ends[:, 0, k] * problem.strength
        there = reactions_under(eq, other, joints=["knee"]).force_N[:, 0]
        np.testing.assert_allclose((there * along).sum(axis=1), end[:, 0], atol=1e-5)
    assert (most - least > 1.0).sum() > 2
    assert (bands.contact.sd > 0).all()
    with pytest.raises(UnknownNameError, match="no muscle 'elbow'"):
        force_bands(forces, muscles=["elbow"])
    with pytest.raises(OptionError, match=r"exponent 2 and nothing else in the cost, not for 3\."):
        force_bands(replace(forces, exponent=3.0))


def test_a_contact_force_in_the_cost_presses_less_for_more_effort(forces: MuscleForces) -> None:
    eq, weight = forces.equations, 0.4
    found = with_contact_cost(forces, joints=["knee"], weight=weight)
    np.testing.assert_allclose((eq.arms @ found.force[..., None])[..., 0], eq.tau, atol=1e-8)
    assert ((found.activation >= DRIVEN.bounds[0]) & (found.activation <= DRIVEN.bounds[1])).all()
    before, after = (joint_reactions(each, joints=["knee"]) for each in (forces, found))
    along = before.force_N[:, 0] / before.size_N
    pressed = [(each.force_N[:, 0] * along).sum(axis=1) / before.weight_N for each in (before, after)]
    efforts = [(each.activation**2).sum(axis=1) for each in (forces, found)]
    assert (pressed[1] <= pressed[0] + 1e-9).all()
    assert pressed[1].sum() < pressed[0].sum() - 1e-3
    assert (efforts[1] >= efforts[0] - 1e-9).all()
    assert (efforts[1] + weight * pressed[1] <= efforts[0] + weight * pressed[0] + 1e-9).all()
    # Its optimum: slopes of the whole cost are those of the balance, but for controls at their bounds.
    press = size_gradient(forces, ["knee"])[:, 0] * eq.strength / before.weight_N
    slope = 2 * found.activation + weight * press - (found.price[:, None] @ (eq.arms * eq.strength[:, None]))[:, 0]
    low, high = (found.activation <= DRIVEN.bounds[0]), (found.activation >= DRIVEN.bounds[1])
    assert np.abs(np.where(low, np.minimum(slope, 0), np.where(high, np.maximum(slope, 0), slope))).max() < 1e-8
    np.testing.assert_allclose(with_contact_cost(forces, joints=["knee"], weight=0).force, forces.force, atol=1e-6)
    with pytest.raises(OptionError, match="not for 2 and a contact force in the cost"):
        force_bands(found)
    with pytest.raises(OptionError, match="beside the exponent 2, not beside 3"):
        with_contact_cost(replace(forces, exponent=3.0), joints=["knee"], weight=0.4)
    with pytest.raises(UnknownNameError, match="no joint 'elbow'"):
        with_contact_cost(forces, joints=["elbow"], weight=0.4)


def test_forces_that_do_not_balance_change_the_accelerations(forces: MuscleForces) -> None:
    # Nothing holds the root but its residuals: without them it carries nothing, whatever muscles do.
    eq, force = forces.equations, forces.force.copy()
    force[:, :5] *= 1.3
    force[:, 5:] = 0.0
    free = reactions_under(eq, force, joints=["root"])
    assert np.abs(free.force_N).max() < 1e-7
    assert np.abs(free.moment_Nm).max() < 1e-7


def test_reactions_refuse_what_is_not_there(forces: MuscleForces) -> None:
    with pytest.raises(UnknownNameError, match="no joint 'elbow'"):
        joint_reactions(forces, joints=["elbow"])
    with pytest.raises(OptionError, match="on the child or on the parent"):
        joint_reactions(forces, on="both")
    with pytest.raises(ShapeError, match="3 entries for 4 joints"):
        joint_reactions(forces, frame=["ground", "child", "child"])


def test_motions_refuse_what_no_muscle_force_can_come_of() -> None:
    t = np.arange(20) / 50.0
    columns = dict(zip(MODEL.coordinate_names, walk(20).T, strict=True))
    short = {name: values for name, values in columns.items() if name != "knee"}
    with pytest.raises(MissingInputError, match="no column knee"):
        analysed_motion(MODEL, t, short, in_degrees=False)
    for cutoff_hz in (0.0, 25.0):
        with pytest.raises(InvalidValueError, match="low-pass filter"):
            analysed_motion(MODEL, t, columns, in_degrees=False, cutoff_hz=cutoff_hz)
    other = motion()
    with pytest.raises(ShapeError, match="motion is of another model: it has 3 coordinates"):
        static_optimisation(DRIVEN, replace(other, q=other.q[:, :3], rate=other.rate[:, :3], second=other.second[:, :3]))
    # A coordinate that follows another need not be recorded, and follows.
    led = {name: values for name, values in columns.items() if name != "cap_turn"}
    found = force_equations(LEG, analysed_motion(MODEL, t, led, in_degrees=False)).motion
    np.testing.assert_allclose(found.rate[1:-1, -1], np.gradient(found.q[:, -1], t)[1:-1], atol=0.05)


def document(forces: str, version: str = "40000") -> str:
    return f"""<OpenSimDocument Version="{version}"><Model name="rod"><BodySet><objects><Body name="rod"><mass>1</mass>
<inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet><JointSet><objects><PinJoint name="hinge">
<socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/rod</socket_child_frame>
<coordinates><Coordinate name="angle"/></coordinates></PinJoint></objects></JointSet>
<ForceSet><objects>{forces}</objects></ForceSet></Model></OpenSimDocument>"""


def pulling(inside: str = "", tag: str = "Thelen2003Muscle") -> str:
    return f"""<{tag} name="m">{inside}<GeometryPath><PathPointSet><objects>
<PathPoint name="a"><socket_parent_frame>/ground</socket_parent_frame><location>0 0.3 0</location></PathPoint>
<PathPoint name="b"><socket_parent_frame>/bodyset/rod</socket_parent_frame><location>0.1 0 0</location></PathPoint>
</objects></PathPointSet></GeometryPath></{tag}>"""


MOTORS = """<CoordinateActuator name="c"><coordinate>angle</coordinate><optimal_force>7</optimal_force></CoordinateActuator>
<PointActuator name="p"><body>rod</body><point>0.1 0 0</point><direction>0 3 4</direction></PointActuator>
<TorqueActuator name="t"><bodyA>rod</bodyA><bodyB>ground</bodyB></TorqueActuator>"""


def test_actuators_are_read_with_their_defaults(tmp_path: Path) -> None:
    (tmp_path / "rod.osim").write_text(document(pulling("<minimum_activation>0.05</minimum_activation>") + MOTORS))
    (m, c, p, t) = read_actuated(tmp_path / "rod.osim").actuators
    assert (m.bounds, m.strength, m.numbers["Af"]) == ((0.05, 1.0), 1000.0, 0.25)
    assert (c.coordinate, c.bounds, c.strength) == ("angle", FREE, 7.0)
    assert (p.body, p.direction, p.direction_in_ground) == ("rod", (0.0, 0.6, 0.8), False)
    assert (t.body, t.against, t.direction, t.direction_in_ground) == ("rod", "ground", (0.0, 0.0, 1.0), True)
    # In files of old versions a least control of 0 is none.
    zero = pulling("<min_control>0</min_control>")
    for version, least in (("30000", 0.01), ("40000", 0.0)):
        (tmp_path / "old.osim").write_text(document(zero, version))
        assert read_actuated(tmp_path / "old.osim").actuators[0].bounds == (least, 1.0)


def test_a_spring_of_the_model_takes_its_share_of_the_moment(tmp_path: Path) -> None:
    spring = (
        '<SpringGeneralizedForce name="s"><coordinate>angle</coordinate><stiffness>40</stiffness><rest_length>0.1</rest_length>'
    )
    tau = []
    for more in ("", f"{spring}<rest_length>0.1</rest_length><viscosity>3</viscosity></SpringGeneralizedForce>"):
        (tmp_path / "rod.osim").write_text(document(pulling() + more))
        actuated = read_actuated(tmp_path / "rod.osim").with_reserves(1.0, 1.0)
        state = RecordedMotion(np.zeros(1), np.array([[0.4]]), np.array([[2.0]]), np.array([[3.0]]))
        tau.append(force_equations(actuated, state).tau)
    np.testing.assert_allclose(tau[1] - tau[0], 40 * 0.3 + 3 * 2.0, rtol=1e-12)


def test_further_force_sets_stand_behind_or_for_the_own(tmp_path: Path) -> None:
    (tmp_path / "rod.osim").write_text(document(pulling()))
    (tmp_path / "set.xml").write_text(f"<ForceSet><objects>{MOTORS}</objects></ForceSet>")
    assert read_actuated(tmp_path / "rod.osim", [tmp_path / "set.xml"]).names == ["m", "c", "p", "t"]
    with pytest.raises(MissingInputError, match="no muscle"):
        read_actuated(tmp_path / "rod.osim", [tmp_path / "set.xml"], replace=True)


@pytest.mark.parametrize(
    ("forces", "error", "sentence"),
    [
        ("", MissingInputError, "no muscle"),
        (pulling(tag="Schutte1993Muscle"), FileRefusedError, "Schutte1993Muscle m is of a kind that is not supported"),
        (pulling() + pulling(), InvalidValueError, "more than one actuator called m"),
        (pulling() + MOTORS.replace("angle", "turn"), UnknownNameError, "no coordinate 'turn'"),
        (pulling() + MOTORS.replace("<body>rod", "<body>leg"), UnknownNameError, "no body 'leg'"),
    ],
)
def test_models_without_what_is_needed_are_refused(tmp_path: Path, forces: str, error: type[BiomechError], sentence: str) -> None:
    (tmp_path / "rod.osim").write_text(document(forces))
    with pytest.raises(error, match=sentence):
        read_actuated(tmp_path / "rod.osim")


def test_reserves_drive_what_nothing_drives_yet() -> None:
    names = [each.name for each in DRIVEN.actuators[5:]]
    assert names[:2] == ["tilt_residual", "list_residual"]
    assert names[-3:] == ["flexion_reserve", "adduction_reserve", "knee_reserve"]
    assert DRIVEN.with_reserves(1.0, 1.0).names == DRIVEN.names
    assert isinstance(DRIVEN.model, MusculoskeletalModel)
    assert isinstance(force_equations(DRIVEN, motion(5)), ForceEquations)
