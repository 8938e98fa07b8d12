"""Loads of both legs: known where they can be known, missing where they cannot, and each aware of its axes."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.late import LateMapping
from biomech_id.algebra.wrench import Wrench
from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS, LEG_SEGMENTS
from biomech_id.conventions import BUDGET_PARTS, SIDES
from biomech_id.dynamics import newton_euler
from biomech_id.dynamics.body import BodyMotion, FootContact, Motion
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.newton_euler import solve, solve_body
from biomech_id.errors import InvalidValueError, OptionError, ShapeError

METHODS = ("recursive", "block")


def with_missing(body: BodyMotion, key: tuple[str, str], frame: int) -> BodyMotion:
    """The body with one segment's acceleration missing in one frame."""
    motion = body.motions[key]
    acceleration = motion.com_acceleration_lab_m_s2.copy()
    acceleration[frame] = np.nan
    return replace(body, motions=dict(body.motions) | {key: replace(motion, com_acceleration_lab_m_s2=acceleration)})


@pytest.mark.parametrize("per_frame", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_both_legs_at_once_are_two_single_legs(make_body: Any, make_contacts: Any, method: Any, per_frame: bool) -> None:
    body, contacts = make_body(per_frame=per_frame), make_contacts()
    loads = solve_body(body, contacts, method=method)
    assert set(loads) == {(side, joint) for side in SIDES for joint in JOINTS}
    for side in SIDES:
        leg = Chain(
            [body.segments[side, s] for s in LEG_SEGMENTS], [body.motions[side, s] for s in LEG_SEGMENTS],
            [body.joint_centres_lab_m[side, j] for j in JOINTS],
        )  # fmt: skip
        ground = Wrench(contacts[side].force_lab_N, contacts[side].moment_lab_Nm, np.zeros(3))
        alone = solve(leg, [External("foot", ground)])
        for joint in JOINTS:
            assert loads[side, joint].wrench.isclose(alone.wrench(DISTAL_SEGMENT[joint]))


def test_per_frame_inertia_counts_frame_by_frame(make_body: Any, make_contacts: Any) -> None:
    varying = make_body(per_frame=True)
    frame = 5
    fixed = replace(varying, segments={k: replace(s, inertia_kgm2=s.inertia_kgm2[frame]) for k, s in varying.segments.items()})
    one, other = solve_body(varying, make_contacts())["L", "hip"], solve_body(fixed, make_contacts())["L", "hip"]
    np.testing.assert_allclose(one.wrench.moment_Nm[frame], other.wrench.moment_Nm[frame], rtol=0, atol=1e-10)
    assert np.abs(one.wrench.moment_Nm - other.wrench.moment_Nm).max() > 0.1


@pytest.mark.parametrize("method", METHODS)
def test_unknown_contact_leaves_that_leg_missing_and_nothing_else(make_body: Any, make_contacts: Any, method: Any) -> None:
    body = make_body()
    full = solve_body(body, make_contacts(), method=method)
    some = solve_body(body, make_contacts(unknown={"L": [3, 4]}), method=method)
    unknown = np.isin(np.arange(body.n_frames), [3, 4])
    for joint in JOINTS:
        left, right = some["L", joint], some["R", joint]
        np.testing.assert_array_equal(left.known, ~unknown)
        for values in (left.wrench.force_N, left.wrench.moment_Nm):
            assert np.isnan(values[unknown]).all()
        assert np.isnan(left.power_rotational_W[unknown]).all()
        assert right.known.all()
        np.testing.assert_allclose(left.wrench.moment_Nm[~unknown], full["L", joint].wrench.moment_Nm[~unknown], rtol=0, atol=1e-9)
        np.testing.assert_allclose(right.wrench.moment_Nm, full["R", joint].wrench.moment_Nm, rtol=0, atol=1e-9)


def test_a_side_without_contact_is_never_guessed(make_body: Any, make_contacts: Any) -> None:
    contacts = make_contacts()
    del contacts["R"]
    loads = solve_body(make_body(), contacts)
    assert not any(loads["R", joint].known.any() for joint in JOINTS)
    assert all(loads["L", joint].known.all() for joint in JOINTS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("segment", "lost"), [("foot", {"ankle", "knee", "hip"}), ("shank", {"knee", "hip"}), ("thigh", {"hip"})])
def test_a_missing_segment_costs_only_what_is_proximal(
    make_body: Any, make_contacts: Any, method: Any, segment: str, lost: set[str]
) -> None:
    body = make_body()
    full = solve_body(body, make_contacts(), method=method)
    loads = solve_body(with_missing(body, ("R", segment), 7), make_contacts(), method=method)
    others = np.arange(body.n_frames) != 7
    for side, joint in loads:
        load, whole = loads[side, joint].wrench, full[side, joint].wrench
        gone = side == "R" and joint in lost
        assert np.isnan(load.moment_Nm[7]).all() == gone
        rows = others if gone else slice(None)
        np.testing.assert_allclose(load.moment_Nm[rows], whole.moment_Nm[rows], rtol=0, atol=1e-9)


def test_a_missing_frame_leaves_others_bit_equal(make_body: Any, make_contacts: Any) -> None:
    body = make_body()
    others = np.arange(body.n_frames) != 2
    full = solve_body(body, make_contacts())
    loads = solve_body(with_missing(body, ("L", "foot"), 2), make_contacts())
    for key in loads:
        np.testing.assert_array_equal(loads[key].wrench.moment_Nm[others], full[key].wrench.moment_Nm[others])


def test_an_assignment_serves_as_contacts(make_body: Any, make_contacts: Any) -> None:
    @dataclass
    class Assignment:
        contacts: dict[str, FootContact]

    body, contacts = make_body(), make_contacts()
    one, other = solve_body(body, contacts), solve_body(body, Assignment(contacts))
    assert one["L", "hip"].wrench.isclose(other["L", "hip"].wrench)


def test_one_leg_and_no_leg(make_body: Any, make_contacts: Any) -> None:
    assert set(solve_body(make_body(sides=("R",)), make_contacts())) == {("R", joint) for joint in JOINTS}
    assert len(solve_body(make_body(sides=()), {})) == 0


def test_named_axes(make_body: Any, make_contacts: Any) -> None:
    body = make_body()
    knee = solve_body(body, make_contacts())["R", "knee"]
    R = body.motions["R", "shank"].frames.R_lab_seg
    np.testing.assert_allclose(
        knee.expressed_in("shank").moment_Nm, np.einsum("fji,fj->fi", R, knee.wrench.moment_Nm), rtol=0, atol=1e-12
    )
    np.testing.assert_array_equal(knee.expressed_in("distal").moment_Nm, knee.expressed_in("shank").moment_Nm)
    np.testing.assert_array_equal(knee.expressed_in("proximal").moment_Nm, knee.expressed_in("thigh").moment_Nm)
    assert knee.expressed_in("lab") is knee.wrench
    assert knee.expressed_in("proximal").frame == "thigh"
    assert {knee.expressed_in(name).sense for name in knee.frame_names} == {"internal"}
    norms = [np.linalg.norm(knee.expressed_in(name).moment_Nm, axis=1) for name in knee.frame_names]
    np.testing.assert_allclose(norms, np.tile(norms[0], (len(norms), 1)), rtol=1e-12)


def test_unknown_axes_name_the_choices(make_body: Any, make_contacts: Any) -> None:
    with pytest.raises(InvalidValueError, match="R knee load cannot be expressed in 'talus' axes") as caught:
        solve_body(make_body(), make_contacts())["R", "knee"].expressed_in("talus")
    assert "shank" in caught.value.expected


def test_joint_coordinate_system_says_what_it_is(make_body: Any, make_contacts: Any) -> None:
    knee = solve_body(make_body(), make_contacts())["L", "knee"]
    projected, components = knee.jcs_projection("yxz"), knee.jcs_component("yxz")
    assert (projected.expression, components.expression) == ("jcs_projection", "jcs_component")
    assert projected.sense == "internal"
    # The projection on the distal-fixed axis is that segment's own component.
    np.testing.assert_allclose(projected.components_Nm[:, 2], knee.expressed_in("shank").moment_Nm[:, 2], rtol=0, atol=1e-10)
    np.testing.assert_allclose(projected.components_Nm[:, 0], knee.expressed_in("thigh").moment_Nm[:, 1], rtol=0, atol=1e-10)


def test_the_external_convention_is_the_opposite_and_says_so(make_body: Any, make_contacts: Any) -> None:
    knee = solve_body(make_body(), make_contacts())["L", "knee"]
    external = knee.expressed_in("shank", sense="external")
    assert external.sense == "external"
    np.testing.assert_array_equal(external.moment_Nm, -knee.expressed_in("shank").moment_Nm)
    for express in (knee.jcs_projection, knee.jcs_component):
        assert express(sense="external").sense == "external"
        np.testing.assert_array_equal(express(sense="external").components_Nm, -express().components_Nm)
    with pytest.raises(OptionError, match="as its sense, not a str"):
        knee.expressed_in("lab", sense="muscle")


def test_budget_parts_sum_to_the_load(make_body: Any, make_contacts: Any) -> None:
    body, contacts = make_body(), make_contacts(unknown={"R": [0]})
    n = body.n_frames
    brace = External("L shank", Wrench(np.full((n, 3), 20.0), np.full((n, 3), 3.0), np.full(3, 0.4)), part="brace")
    loads = solve_body(body, contacts, extra=[brace], budget=True)
    for key, load in loads.items():
        assert load.budget is not None
        assert tuple(load.budget) == (*BUDGET_PARTS, "brace")
        total = load.budget["gravity"]
        for part in (*BUDGET_PARTS, "brace"):
            total = total if part == "gravity" else total + load.budget[part]
        assert total.isclose(load.wrench), key
    assert loads["L", "ankle"].budget is not None
    assert not loads["L", "ankle"].budget["brace"].moment_Nm.any()
    assert np.abs(loads["L", "knee"].budget_in("shank")["brace"].moment_Nm).max() > 1
    assert solve_body(body, contacts)["L", "knee"].budget is None
    assert solve_body(body, contacts)["L", "knee"].budget_in("shank") == {}


def test_gravity_may_change_over_time(make_body: Any, make_contacts: Any) -> None:
    body, contacts = make_body(), make_contacts()
    g = np.tile([0.0, 0.0, -9.81], (body.n_frames, 1))
    g[4] = 0
    one, other = solve_body(body, contacts, gravity_lab_m_s2=g), solve_body(body, contacts)
    difference = (one["L", "hip"].wrench.force_N - other["L", "hip"].wrench.force_N)[:, 2]
    leg = 1.1 + 3.5 + 8.2
    np.testing.assert_allclose(difference, np.where(np.arange(body.n_frames) == 4, -9.81 * leg, 0), rtol=0, atol=1e-9)


@pytest.mark.parametrize("stretch", [1, 5, 11, 12])
def test_long_recordings_are_worked_off_in_stretches(
    make_body: Any, make_contacts: Any, monkeypatch: pytest.MonkeyPatch, stretch: int
) -> None:
    body, contacts = make_body(per_frame=True), make_contacts(unknown={"L": [6]})
    g = np.random.default_rng(3).normal(0, 5, (body.n_frames, 3))
    whole = solve_body(body, contacts, gravity_lab_m_s2=g, budget=True)
    monkeypatch.setattr("biomech_id.dynamics.problem.STRETCH", stretch)
    pieces = solve_body(body, contacts, gravity_lab_m_s2=g, budget=True)
    for key, load in whole.items():
        assert load.wrench.isclose(pieces[key].wrench, atol=1e-11)
        for part in BUDGET_PARTS:
            assert load.budget is not None
            assert pieces[key].budget is not None
            assert load.budget[part].isclose(pieces[key].budget[part], atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_the_budget_of_a_long_recording_is_worked_out_when_asked_for(
    make_body: Any, make_contacts: Any, monkeypatch: pytest.MonkeyPatch, method: Any
) -> None:
    body, contacts = make_body(), make_contacts(unknown={"L": [6]})
    n = body.n_frames
    brace = External("L shank", Wrench(np.full((n, 3), 20.0), np.full((n, 3), 3.0), np.full(3, 0.4)), part="brace")
    short = solve_body(body, contacts, extra=[brace], method=method, budget=True)
    monkeypatch.setattr(newton_euler, "STRETCH", n - 1)
    long = solve_body(body, contacts, extra=[brace], method=method, budget=True)
    assert long.chain_loads is not None
    assert isinstance(long.chain_loads.budget, LateMapping)
    assert solve_body(body, contacts)["L", "knee"].budget is None
    for key, load in pickle.loads(pickle.dumps(long)).items():
        assert tuple(load.budget) == (*BUDGET_PARTS, "brace")
        assert "muscle" not in load.budget
        for part, wrench in load.budget.items():
            other = short[key].budget[part]
            for name in ("force_N", "moment_Nm", "point_lab_m"):
                np.testing.assert_array_equal(getattr(wrench, name), getattr(other, name))


def test_a_stack_of_motions_takes_no_memory_of_its_own(make_body: Any) -> None:
    legs = make_body().legs
    for i, motion in enumerate(legs.motions):
        assert np.shares_memory(motion.frames.R_lab_seg, legs.R_lab_seg[:, i])
        for name in ("omega_lab_rad_s", "alpha_lab_rad_s2", "com_lab_m", "com_acceleration_lab_m_s2"):
            assert np.shares_memory(getattr(motion, name), getattr(legs, name)[:, i])
            assert not getattr(motion, name).flags.writeable


def test_shapes_that_do_not_fit_are_named(make_body: Any, make_contacts: Any) -> None:
    with pytest.raises(ShapeError, match=r"contact of the L foot has shape \(9, 3\), the motion 12 frames"):
        solve_body(make_body(), make_contacts(n=9))
    with pytest.raises(ShapeError, match=r"gravity_lab_m_s2 of solve has shape \(5, 3\), expected \(12, 3\)"):
        solve_body(make_body(), make_contacts(), gravity_lab_m_s2=np.zeros((5, 3)))
    short = External("L foot", Wrench(np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3)))
    with pytest.raises(ShapeError, match=r"wrench on the L foot has shape \(3, 3\), its centre of mass \(12, 3\)"):
        solve_body(make_body(), make_contacts(), extra=[short])
    with pytest.raises(InvalidValueError, match="no segment 'L arm'"):
        solve_body(make_body(), make_contacts(), extra=[replace(short, segment="L arm")])
    with pytest.raises(OptionError, match="as its method, not a str"):
        solve_body(make_body(), make_contacts(), method="inverse")


def chain_parts(body: BodyMotion) -> tuple[list[Any], list[Motion], list[np.ndarray]]:
    segments = [body.segments["L", s] for s in LEG_SEGMENTS]
    return segments, [body.motions["L", s] for s in LEG_SEGMENTS], [body.joint_centres_lab_m["L", j] for j in JOINTS]


def test_a_chain_refuses_parts_that_do_not_belong_together(make_body: Any) -> None:
    segments, motions, joints = chain_parts(make_body())
    other = make_body(n=7).motions["L", "foot"]
    with pytest.raises(ShapeError, match=r"Motions of \[7, 12, 12\] frames cannot be stacked"):
        Chain(segments, [other, *motions[1:]], joints)
    with pytest.raises(ShapeError, match="3 segments came with"):
        Chain(segments, motions[:2], joints)
    with pytest.raises(ShapeError, match=r"joint of the foot has shape \(7, 3\), expected \(12, 3\)"):
        Chain(segments, motions, [joints[0][:7], *joints[1:]])
    with pytest.raises(InvalidValueError, match="distal before proximal"):
        Chain(segments, motions, joints, parents=(-1, 0, 1))
    with pytest.raises(InvalidValueError, match="share a name"):
        Chain(segments, motions, joints, names=("a", "a", "b"))
    per_frame = replace(segments[1], inertia_kgm2=np.tile(np.eye(3), (5, 1, 1)))
    with pytest.raises(ShapeError, match=r"tensor of the shank has shape \(5, 3, 3\), its motion 12 frames"):
        Chain([segments[0], per_frame, segments[2]], motions, joints)
