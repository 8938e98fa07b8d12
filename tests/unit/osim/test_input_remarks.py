"""Odd motions, loads and setups are named; what fits has no sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import FileRefusedError
from biomech_id.multibody.musculoskeletal import (
    ModelBody,
    ModelCoordinate,
    ModelJoint,
    ModelMarker,
    MusculoskeletalModel,
    OffsetFrame,
)
from biomech_id.osim.document.setups import read_setup
from biomech_id.osim.dynamics.external_loads import BodyLoad
from biomech_id.osim.dynamics.inverse_dynamics import generalized_forces
from biomech_id.osim.input_remarks import filter_remarks, load_remarks, motion_remarks, range_remarks, table_remarks
from biomech_id.osim.kinematics.inverse_kinematics import TrackedPose, TrackingTasks, track_markers
from biomech_id.osim.kinematics.pose_remarks import (
    lying_remarks,
    marker_remarks,
    recording_remarks,
    shaking_remarks,
    together_remarks,
    uneven_remarks,
)
from biomech_id.osim.skeleton.skeleton import Skeleton
from tests.unit.osim.test_opensim_run import MODEL, PLACES, POSE

TIME_S = np.arange(60) / 100.0
WEIGHT_N = 2.0 * 9.80665
MOTION = {name: np.sin(TIME_S + k) for k, name in enumerate(MODEL.coordinate_names)}


Change = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]


def remarks_of(change: Change, model: MusculoskeletalModel = MODEL, body: str = "pelvis") -> list[str]:
    """A body that stands on a force through its mass centre, after the force and its point have been changed."""
    skeleton = Skeleton(model)
    q = np.repeat(POSE[:, : len(model.coordinates)], len(TIME_S), axis=0)
    pose = skeleton.pose(q)
    point = pose.points([1], np.array([[0.0, -0.1, 0.0]]))[:, 0]
    force, point = change(np.tile([0.0, WEIGHT_N, 0.0], (len(q), 1)), point)
    loads = (BodyLoad(body, force, np.cross(point, force), point),)
    zero = np.zeros_like(q)
    return list(load_remarks(pose, TIME_S, loads, generalized_forces(skeleton, q, zero, zero, loads).reactions, "loads.xml"))


def test_a_body_that_its_force_carries_has_no_remark() -> None:
    assert remarks_of(lambda force, point: (force, point)) == []


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda force, point: (0.001 * force, point), id="kN"),
        pytest.param(lambda force, point: (0.2248 * force, point), id="pounds"),
        pytest.param(lambda force, point: (-force, point), id="on the ground"),
        pytest.param(lambda force, point: (force[:, [0, 2, 1]], point), id="Z up"),
        pytest.param(lambda force, point: (2.0 * force, point), id="twice"),
    ],
)
def test_forces_of_other_units_or_axes_leave_something_at_the_root(change: Change) -> None:
    (remark,) = remarks_of(change)
    assert "Loads of loads.xml leave" in remark
    assert "N/kg" in remark
    assert "at root" in remark


def test_a_force_that_acts_elsewhere_is_far_from_its_body() -> None:
    far, left = remarks_of(lambda force, point: (force, point + [0.0, 0.0, 0.3]))
    assert "loads.xml has forces on pelvis 0.30 m from its joints" in far
    assert "2.94 N m/kg" in left
    assert remarks_of(lambda force, point: (force, point + [0.0, 0.0, 0.03])) == []


def test_a_body_that_is_never_loaded_has_a_point_anywhere() -> None:
    (left,) = remarks_of(lambda force, point: (0.0 * force, point + 300.0))
    assert "leave 9.81 N/kg" in left


def test_loads_that_move_nothing_are_said() -> None:
    (left,) = remarks_of(lambda force, point: (force, point), body="ground")[-1:]
    assert "loads.xml has a force on ground" in remarks_of(lambda force, point: (force, point), body="ground")[0]
    assert "9.81 N/kg" in left
    pose = Skeleton(MODEL).pose(POSE)
    none = generalized_forces(Skeleton(MODEL), POSE, 0.0 * POSE, 0.0 * POSE)
    (off,) = load_remarks(pose, TIME_S[:1], (), none.reactions, "loads.xml")
    assert off == "loads.xml has no force that is switched on: nothing acts from outside."


def remarks_of_moving(q: FloatArray, force_N: FloatArray, model: MusculoskeletalModel = MODEL) -> list[str]:
    """A pelvis that moves while a vertical force (n,) acts a tenth below its origin."""
    skeleton, time_s = Skeleton(model), np.arange(len(q)) / 100.0
    u = np.gradient(q, time_s, axis=0)
    pose = skeleton.pose(q)
    point = pose.points([1], np.array([[0.0, -0.1, 0.0]]))[:, 0]
    force = force_N[:, None] * np.array([0.0, 1.0, 0.0])
    loads = (BodyLoad("pelvis", force, np.cross(point, force), point),)
    reactions = generalized_forces(skeleton, q, u, np.gradient(u, time_s, axis=0), loads).reactions
    return list(load_remarks(pose, time_s, loads, reactions, "loads.xml"))


@pytest.mark.parametrize(("late_s", "told"), [(0.0, ""), (0.03, "30 ms after"), (-0.03, "30 ms before")])
def test_loads_that_come_late_are_said_with_their_delay(late_s: float, told: str) -> None:
    time_s = np.arange(200) / 100.0
    q = np.repeat(POSE, len(time_s), axis=0)
    q[:, 4] += 0.02 * np.sin(2.0 * np.pi * time_s)
    remarks = remarks_of_moving(q, WEIGHT_N - 2.0 * 0.02 * (2.0 * np.pi) ** 2 * np.sin(2.0 * np.pi * (time_s - late_s)))
    assert [f"come {told} the motion" in remark for remark in remarks] == ([True] if told else [])


@pytest.mark.parametrize(("swing_N", "told"), [(0.0, False), (0.3, False), (0.5, True)])
def test_a_force_on_a_body_that_swings_is_said(swing_N: float, told: bool) -> None:
    """It stands for a second, then goes off at 3 m/s and nothing should act on it."""
    time_s = np.arange(200) / 100.0
    q = np.repeat(POSE, len(time_s), axis=0)
    q[:, 3] += np.where(time_s > 1.0, 3.0 * (time_s - 1.0), 0.0)
    remarks = remarks_of_moving(q, np.where(time_s > 1.0, swing_N, WEIGHT_N))
    assert any("on pelvis while it swings" in remark for remark in remarks) == told
    belt = q + np.outer(time_s, [0.0, 0.0, 0.0, -1.5, 0.0, 0.0])
    assert any("while it swings" in remark for remark in remarks_of_moving(belt, np.where(time_s > 1.0, swing_N, WEIGHT_N))) == told


def test_a_force_that_acts_nearer_to_another_body_is_said() -> None:
    foot = ModelBody("foot", 1.0, np.array([0.0, -0.1, 0.0]), np.eye(3) * 0.01)
    joint = ModelJoint("ankle", "weld", OffsetFrame("pelvis", place_m=np.array([0.0, -0.1, 0.0])), OffsetFrame("foot"), ())
    model = replace(MODEL, bodies=(*MODEL.bodies, foot), joints=(*MODEL.joints, joint))
    still = np.repeat(POSE, 60, axis=0)
    near = "loads.xml has forces on pelvis that act nearer to foot"
    assert not any(near in remark for remark in remarks_of_moving(still, np.full(60, WEIGHT_N), model))
    far = replace(model, bodies=(replace(MODEL.bodies[0], com_m=np.array([0.0, 0.3, 0.0])), replace(foot, com_m=np.zeros(3))))
    assert any(near in remark for remark in remarks_of_moving(still, np.full(60, WEIGHT_N), far))


def test_what_a_fixed_base_carries_is_nothing_odd() -> None:
    """An arm on a wall: the wall's reaction is an answer, not a remainder."""
    model = MusculoskeletalModel(
        "wall", (ModelBody("hand", 2.0, np.array([0.0, -0.1, 0.0]), np.eye(3) * 0.01),),
        (ModelJoint("wall", "weld", OffsetFrame("ground"), OffsetFrame("hand"), ()),), (),
    )  # fmt: skip
    assert remarks_of(lambda force, point: (-5.0 * force, point), model, "hand") == []


def test_a_motion_that_fits_has_no_remark() -> None:
    assert list(motion_remarks(MODEL, TIME_S, MOTION, (-np.inf, np.inf), "walk.mot")) == []
    assert list(motion_remarks(MODEL, TIME_S, MOTION, (0.0, 0.595), "walk.mot")) == []


def test_a_coordinate_without_a_column_is_named() -> None:
    less = {name: values for name, values in MOTION.items() if name != "spin"}
    (remark,) = motion_remarks(MODEL, TIME_S, less, (0.0, 0.59), "walk.mot")
    assert remark == "walk.mot has no column for spin: they stay at their default."


@pytest.mark.parametrize(("row", "size"), [(20, 10.0), (0, 50.0)])
def test_a_number_that_jumps_out_is_named(row: int, size: float) -> None:
    values = MOTION["tilt"].copy()
    values[row] += size
    (remark,) = motion_remarks(MODEL, TIME_S, {**MOTION, "tilt": values}, (0.0, 0.59), "walk.mot")
    assert f"walk.mot jumps in tilt after {max(row - 1, 0) / 100:g} s" in remark


def test_a_whole_turn_is_a_jump_and_rounding_is_none() -> None:
    turned = np.where(TIME_S > 0.3, MOTION["spin"] + 360.0, MOTION["spin"])
    (remark,) = motion_remarks(MODEL, TIME_S, {**MOTION, "spin": turned}, (0.0, 0.59), "walk.mot")
    assert "jumps in spin" in remark
    rounded = np.where(np.arange(60) == 7, 1e-8, 0.0)
    assert list(motion_remarks(MODEL, TIME_S, {**MOTION, "spin": rounded}, (0.0, 0.59), "walk.mot")) == []


@pytest.mark.parametrize(
    ("asked", "told"), [((0.0, 0.59), 0), ((-0.005, 0.595), 0), ((0.0, 0.7), 1), ((-0.1, 0.5), 1), ((20.0, 30.0), 1)]
)
def test_times_that_are_asked_for_and_not_there_are_said(asked: tuple[float, float], told: int) -> None:
    remarks = list(range_remarks(TIME_S, asked, "walk.mot"))
    assert len(remarks) == told
    assert all(f"walk.mot holds 0 to 0.59 s, and {asked[0]:g} to {asked[1]:g} s are asked for" in remark for remark in remarks)


@pytest.mark.parametrize(
    ("time_s", "told"),
    [
        pytest.param(TIME_S, False, id="even"),
        pytest.param(np.round(np.arange(60) / 60.0, 3), False, id="three digits of 60 Hz"),
        pytest.param(np.round(np.arange(60) / 60.0, 2), True, id="two digits of 60 Hz"),
        pytest.param(np.delete(TIME_S, slice(20, 25)), True, id="a hole"),
        pytest.param(20.0 * TIME_S, True, id="another unit"),
        pytest.param(TIME_S + 0.002 * (np.arange(60) == 30), True, id="one stamp"),
    ],
)
def test_uneven_times_are_said(time_s: FloatArray, told: bool) -> None:
    remarks = list(table_remarks(time_s, {}, "walk.mot"))
    assert [remark.startswith("Rows of walk.mot are") for remark in remarks] == [True] * told


def test_forces_need_more_rows_than_movement() -> None:
    assert list(table_remarks(4.0 * TIME_S, {}, "walk.mot")) == []
    (remark,) = table_remarks(4.0 * TIME_S, {}, "loads.sto", spikes_only=True)
    assert remark.startswith("Rows of loads.sto are 0.04 to 0.04 s apart")


def test_rounded_angles_and_odd_filters_are_said() -> None:
    columns = {"tilt": np.rad2deg(MOTION["tilt"]), "fixed": np.zeros(60)}
    files = "setup.xml", "walk.mot"
    assert list(filter_remarks(MODEL, TIME_S, columns, 6.0, files, in_degrees=True)) == []
    assert list(filter_remarks(MODEL, TIME_S, columns, -1.0, files, in_degrees=True)) == []
    (rounded,) = filter_remarks(
        MODEL, TIME_S, {name: np.round(values, 1) for name, values in columns.items()}, 6.0, files, in_degrees=True
    )
    assert "walk.mot holds angles in whole steps of 0.1" in rounded
    for cutoff_hz in (0.0, 1.0, 37.7, 600.0):
        (odd,) = filter_remarks(MODEL, TIME_S, columns, cutoff_hz, files, in_degrees=True)
        assert f"setup.xml asks for a low-pass of {cutoff_hz:g} Hz" in odd


@pytest.mark.parametrize(("cutoff_hz", "told"), [(3.0, 1), (6.0, 0), (12.0, 0)])
def test_a_low_pass_that_takes_movement_is_said(cutoff_hz: float, told: int) -> None:
    """A knee that swings within a third of a second; at 25 rows a second noise and movement cannot be told apart."""
    swing = 60.0 * np.exp(-(((TIME_S - 0.3) / 0.09) ** 2))
    files = "setup.xml", "walk.mot"
    noise = np.random.default_rng(1).normal(0.0, 3.0, 60)

    def taken(values: FloatArray, time_s: FloatArray, cutoff_hz: float) -> list[str]:
        lines = list(filter_remarks(MODEL, time_s, {"tilt": values}, cutoff_hz, files, in_degrees=True))
        return [line for line in lines if line.startswith(f"The low-pass of setup.xml, {cutoff_hz:g} Hz, takes more than 1.8 deg")]

    assert len(taken(swing, TIME_S, cutoff_hz)) == told
    assert taken(swing, 4.0 * TIME_S, cutoff_hz / 4.0) == []
    assert taken(0.2 * swing, TIME_S, cutoff_hz) == []
    assert taken(swing + noise, TIME_S, cutoff_hz) == []


@pytest.mark.parametrize(
    ("rows", "rounding", "told"),
    [
        pytest.param((), 0.0, 0, id="none"),
        pytest.param((20, 21, 22, 23, 24, 25), 0.0, 1, id="zeros"),
        pytest.param((20, 21), 0.0, 0, id="two"),
        pytest.param((), 1.0, 0, id="whole degrees"),
    ],
)
def test_a_value_that_is_held_until_a_jump_is_said(rows: tuple[int, ...], rounding: float, told: int) -> None:
    hip = 20.0 + 20.0 * np.cos(5.0 * TIME_S)
    hip = np.round(hip / rounding) * rounding if rounding else hip
    hip[list(rows)] = 0.0
    remarks = [line for line in table_remarks(TIME_S, {"hip": hip}, "walk.mot") if "jumps in" not in line]
    assert remarks == ["walk.mot holds one value in 6 rows of hip and jumps: look for a gap that was filled."] * told


def test_a_range_that_a_coordinate_keeps_to_is_no_gap() -> None:
    """A knee that comes to its limit and leaves it at its own speed."""
    knee = np.maximum(0.0, 60.0 * np.sin(9.0 * TIME_S))
    assert list(table_remarks(TIME_S, {"knee": knee}, "walk.mot")) == []


@pytest.mark.parametrize(
    ("rate_hz", "falls_in_s", "told"), [(1000.0, 0.0, 1), (1000.0, 0.03, 0), (100.0, 0.0, 1), (100.0, 0.03, 0), (50.0, 0.0, 0)]
)
def test_a_force_that_falls_to_nothing_at_once_is_said(rate_hz: float, falls_in_s: float, told: int) -> None:
    time_s = np.arange(int(rate_hz)) / rate_hz
    force = np.where(time_s < 0.5, 700.0, 700.0 * np.clip(1.0 - (time_s - 0.5) / max(falls_in_s, 1e-9), 0.0, 1.0))
    force[time_s > 0.8] = 0.0
    remarks = list(table_remarks(time_s, {"force 1 on foot": force}, "loads.sto", spikes_only=True))
    assert sum("from 700 N to nothing in force 1 on foot after 0." in line for line in remarks) == told


def tracked(position_m: FloatArray) -> TrackedPose:
    """The pelvis below its markers, in three frames."""
    return track_markers(
        MODEL, tuple(PLACES), np.repeat(position_m, 3, axis=0), TrackingTasks(dict.fromkeys(PLACES, 1.0)), rate_hz=100.0
    )


def test_markers_that_lie_far_from_the_model_are_named() -> None:
    position = Skeleton(MODEL).markers(POSE, tuple(PLACES))
    assert marker_remarks(tracked(position), "walk.trc") == []
    (remark,) = marker_remarks(tracked(5.0 * position), "walk.trc")
    assert remark == "Far from their places on the model in a frame, or in none of those asked for of walk.trc: P1, P2, P3."


def test_a_marker_that_is_nowhere_is_named_and_one_that_is_hidden_at_times_is_not() -> None:
    position = np.repeat(Skeleton(MODEL).markers(POSE, tuple(PLACES)), 3, axis=0)
    tasks = TrackingTasks(dict.fromkeys(PLACES, 1.0))
    hidden, gone = position.copy(), position.copy()
    hidden[1, 2], gone[:, 2] = np.nan, np.nan
    pose = track_markers(MODEL, tuple(PLACES), hidden, tasks, rate_hz=100.0)
    assert marker_remarks(pose, "walk.trc") == []
    (remark,) = marker_remarks(track_markers(MODEL, tuple(PLACES), gone, tasks, rate_hz=100.0), "walk.trc")
    assert remark == "Far from their places on the model in a frame, or in none of those asked for of walk.trc: P3."


def test_markers_that_stand_still_or_have_left_their_body_are_named() -> None:
    names = ("P1", "P2", "P3", "P4")
    places = {**PLACES, "P4": (0.0, -0.1, 0.05)}
    model = replace(MODEL, markers=tuple(ModelMarker(name, "pelvis", np.array(place)) for name, place in places.items()))
    q = np.repeat(POSE, 30, axis=0)
    q[:, 3] += np.linspace(0.0, 0.3, 30)
    position = Skeleton(model).markers(q, names)

    def remarks(changed: FloatArray) -> list[str]:
        tasks = TrackingTasks(dict.fromkeys(names, 1.0))
        return recording_remarks(track_markers(model, names, changed, tasks, rate_hz=100.0), "walk.trc")

    assert remarks(position) == []
    still, left = position.copy(), position.copy()
    still[:, 3], left[:, 3] = position[15, 3], position[:, 3] + [0.3, 0.0, 0.2]
    assert remarks(still)[0] == "Markers of walk.trc stand still while others move: P4."
    assert remarks(left) == ["Markers of walk.trc are not where the model has them among those of their body: P4."]
    filled = position.copy()
    filled[10:16, 3] = position[10, 3]
    assert remarks(filled) == ["Markers of walk.trc stand still while others move: P4."]
    filled[15, 3] = position[15, 3]
    assert remarks(filled) == []
    # A foot stands and leaves from rest, markers that all hold are one row, and who stands quietly holds more than once.
    foot, all_held, quiet = position.copy(), position.copy(), position.copy()
    foot[10:16, 3] = position[10, 3]
    foot[15:, 3] = position[10, 3] + 0.0005 * np.arange(15)[:, None] ** 2 * [0.0, 0.0, 1.0]
    all_held[8:17] = position[8]
    quiet[:15] = position[15] + np.where(np.arange(15) >= 8, 1e-4, 0.0)[:, None, None]
    assert not any("stand still" in remark for remark in remarks(foot))
    assert remarks(all_held) == ["walk.trc repeats one row 8 times: look for a gap that was filled."]
    assert remarks(quiet) == []
    # Of many that are still it names the first.
    everyone = tuple(f"N{k}" for k in range(40))
    crowd = replace(
        MODEL, markers=tuple(ModelMarker(name, "pelvis", np.array([0.01 * k, 0.0, 0.0])) for k, name in enumerate(everyone))
    )
    crowded = Skeleton(crowd).markers(q, everyone)
    crowded[10:16, :15] = crowded[10, :15]
    pose = track_markers(crowd, everyone, crowded, TrackingTasks(dict.fromkeys(everyone, 1.0)), rate_hz=100.0)
    assert "N11 and 3 more." in recording_remarks(pose, "walk.trc")[0]


def test_markers_that_are_off_all_together_are_said() -> None:
    position = Skeleton(MODEL).markers(POSE, tuple(PLACES))
    far = position.mean(axis=1) + 1.4 * (position - position.mean(axis=1))
    (remark,) = marker_remarks(tracked(far), "walk.trc")
    assert remark.startswith("Markers of walk.trc are 57 mm from their places on the model (root mean square)")
    assert marker_remarks(tracked(position.mean(axis=1) + 1.2 * (position - position.mean(axis=1))), "walk.trc") == []
    # One that hardly counts may be anywhere.
    away = position[0, 1] - position[0].mean(axis=0)
    position[0, 1] += 0.12 * away / np.linalg.norm(away)
    light = TrackingTasks({"P1": 1.0, "P2": 1e-4, "P3": 1.0})
    assert marker_remarks(track_markers(MODEL, tuple(PLACES), position, light, rate_hz=100.0), "walk.trc") == []


SHOULDERS = {"Top": (0.0, 0.3, 0.0), "RSHO": (0.0, 0.2, 0.2), "LSHO": (0.0, 0.2, -0.2), "R.Wand": (0.1, 0.0, 0.1)}

UPRIGHT = {
    "Head": (0.0, 0.7, 0.0),
    "RSHO": (0.0, 0.4, 0.2),
    "LSHO": (0.0, 0.4, -0.2),
    "RHEE": (0.0, -0.9, 0.1),
    "LHEE": (0.1, -0.9, -0.1),
}


def of_markers(places: Mapping[str, tuple[float, ...]], lean_rad: tuple[float, float] = (0.0, 0.0)) -> TrackedPose:
    """A body with these markers, leaning forwards and aside."""
    model = replace(MODEL, markers=tuple(ModelMarker(name, "pelvis", np.array(place)) for name, place in places.items()))
    q = np.repeat(np.array([[*lean_rad, 0.0, 0.0, 1.0, 0.0]]), 20, axis=0)
    position = Skeleton(model).markers(q, tuple(places))
    return track_markers(model, tuple(places), position, TrackingTasks(dict.fromkeys(places, 1.0)), rate_hz=100.0)


def of_shoulders(moved: str, by_m: FloatArray) -> TrackedPose:
    """The shoulders, one of whose markers is elsewhere than the model has it."""
    pose = of_markers(SHOULDERS)
    tree, wanted = pose.problem
    measured_m = wanted.measured_m.copy()
    if moved:
        measured_m[:, pose.markers.index(moved)] += by_m
    return replace(pose, problem=(tree, replace(wanted, measured_m=measured_m)))


@pytest.mark.parametrize(
    ("moved", "by_m", "told"),
    [
        ("", (0.0, 0.0, 0.0), False), ("RSHO", (0.0, 0.02, 0.0), False), ("RSHO", (0.0, -0.12, 0.0), True),
        ("LSHO", (0.0, -0.12, 0.0), True), ("R.Wand", (0.0, 0.0, 0.3), False), ("Top", (0.0, 0.15, 0.0), False),
    ],
)  # fmt: skip
def test_a_side_that_is_not_as_on_the_model_is_said(moved: str, by_m: tuple[float, ...], told: bool) -> None:
    """A head that is higher is so for both sides, and a wand has no other one."""
    remarks = uneven_remarks(of_shoulders(moved, np.array(by_m)), "walk.trc")
    assert len(remarks) == told
    assert all("RSHO" in line and "LSHO" in line for line in remarks)


def test_wands_of_two_thighs_may_be_at_two_heights() -> None:
    sides = {"r": 0.1, "l": -0.1}
    thighs = tuple(ModelBody(f"thigh_{side}", 8.0, np.array([0.0, -0.2, 0.0]), 0.1 * np.eye(3)) for side in sides)
    hips = tuple(
        ModelJoint(f"hip_{side}", "weld", OffsetFrame("pelvis", place_m=np.array([0.0, 0.0, z])), OffsetFrame(f"thigh_{side}"), ())
        for side, z in sides.items()
    )
    on_thighs = {
        f"{side.upper()}{name}": (f"thigh_{side}", (0.05, y, 0.0)) for side in sides for name, y in (("THI", -0.2), ("KNE", -0.4))
    }
    markers = (*MODEL.markers, *(ModelMarker(name, body, np.array(place)) for name, (body, place) in on_thighs.items()))
    model = replace(MODEL, bodies=(*MODEL.bodies, *thighs), joints=(*MODEL.joints, *hips), markers=markers)
    names = tuple(marker.name for marker in markers)
    position = np.repeat(Skeleton(model).markers(POSE, names), 3, axis=0)
    position[:, names.index("LTHI"), 1] += 0.1
    pose = track_markers(model, names, position, TrackingTasks(dict.fromkeys(names, 1.0)), rate_hz=100.0)
    assert uneven_remarks(pose, "walk.trc") == []


@pytest.mark.parametrize(("lean_deg", "told"), [(5.0, False), (-15.0, True), (15.0, True)])
def test_who_leans_aside_throughout_is_said(lean_deg: float, told: bool) -> None:
    remarks = lying_remarks(MODEL, of_markers(UPRIGHT, (0.0, np.deg2rad(lean_deg))))
    assert len(remarks) == told
    assert all(line.startswith("The body pelvis and all markers lean aside by 1") for line in remarks)


def test_who_bends_forwards_or_wears_all_markers_on_a_belt_does_not_lean_aside() -> None:
    assert lying_remarks(MODEL, of_markers(UPRIGHT, (-0.4, 0.0))) == ()
    assert lying_remarks(MODEL, of_markers(SHOULDERS, (0.0, 0.26))) == ()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(lambda walk: walk, 0, id="none"),
        pytest.param(lambda walk: np.concatenate((walk[:30], walk[30:60][::-1], walk[60:])), 1, id="a part backwards"),
        pytest.param(lambda walk: np.concatenate((walk[:30], walk[50:])), 1, id="a part left out"),
        pytest.param(lambda walk: np.round(walk, 2), 0, id="whole centimetres"),
        pytest.param(lambda walk: walk[:5], 0, id="five frames"),
        pytest.param(
            lambda walk: np.round(walk[:1], 3) + 0.001 * (np.arange(100) >= 50)[:, None, None], 0, id="a millimetre of rounding"
        ),
        pytest.param(
            lambda walk: np.where(
                np.arange(100)[:, None, None] < 50,
                walk[:1],
                walk[:1] + (walk - walk[50]) * (np.arange(100)[:, None, None] - 50) / 50,
            ),
            0,
            id="goes off",
        ),
        pytest.param(lambda walk: np.full_like(walk, np.nan), 0, id="nothing"),
    ],
)
def test_markers_that_all_jump_are_said(change: Callable[[FloatArray], FloatArray], told: int) -> None:
    time_s = np.arange(100) / 100.0
    body = np.random.default_rng(2).normal(size=(1, 8, 3))
    sway = 0.05 * np.sin(6.0 * time_s)[:, None, None]
    walk = change(body * (1.0 + sway) + np.multiply.outer(1.3 * time_s, [[1.0, 0.0, 0.0]]))
    remarks = list(together_remarks(walk, time_s[: len(walk)], "walk.trc"))
    assert [line.startswith("All markers of walk.trc jump together after") for line in remarks] == [True] * told


@pytest.mark.parametrize(("noise_m", "told"), [(0.001, False), (0.01, True)])
def test_markers_that_shake_are_named(noise_m: float, told: bool) -> None:
    position = 0.3 * np.sin(6.0 * TIME_S)[:, None, None] + np.zeros((1, 2, 3))
    position[:, 1] += np.random.default_rng(1).normal(0.0, noise_m, (60, 3))
    remarks = list(shaking_remarks(("RHEE", "RTOE"), position, TIME_S, "walk.trc"))
    assert remarks == ["Markers of walk.trc shake by more than 5 mm from frame to frame: RTOE."] * told
    assert list(shaking_remarks(("RHEE", "RTOE"), position[:5], TIME_S[:5], "walk.trc")) == []
    assert list(shaking_remarks(("RHEE", "RTOE"), position, 2.5 * TIME_S, "walk.trc")) == []


@pytest.mark.parametrize(("rows", "told"), [(4, 0), (8, 1)])
def test_a_pose_that_is_repeated_is_said_and_one_that_never_changes_is_not(rows: int, told: int) -> None:
    held = {name: np.where((np.arange(60) > 20) & (np.arange(60) < 21 + rows), v[20], v) for name, v in MOTION.items()}
    remarks = [remark for remark in motion_remarks(MODEL, TIME_S, held, (0.0, 0.59), "walk.mot") if "repeats" in remark]
    assert remarks == [f"walk.mot repeats one row {rows} times: look for a gap that was filled."] * told
    assert list(motion_remarks(MODEL, TIME_S, {name: np.ones(60) for name in MOTION}, (0.0, 0.59), "walk.mot")) == []


def test_only_a_pose_that_a_jump_ends_is_a_gap() -> None:
    rows = np.arange(60)
    rest = 0.5 - 0.5 * np.cos(np.pi * np.clip((rows - 15) / 30.0, 0.0, 1.0))
    ramp = np.clip((rows - 15) / 30.0, 0.0, 1.0)
    cut = {name: np.where(rows > 45, values[45], values) for name, values in MOTION.items()}

    def remarks(columns: dict[str, FloatArray]) -> list[str]:
        return list(motion_remarks(MODEL, TIME_S, columns, (0.0, 0.59), "walk.mot"))

    assert remarks(dict.fromkeys(MOTION, rest)) == []
    assert remarks(dict.fromkeys(MOTION, ramp)) == []
    assert remarks(dict.fromkeys(MOTION, np.cumsum(np.select([rows < 35, rows < 45], [0.01, 0.0], 0.05)))) == []
    assert remarks(cut) == ["walk.mot repeats one row 14 times: look for a gap that was filled."]


def test_angles_that_shake_or_leave_their_range_are_named() -> None:
    bend = ModelCoordinate("knee", "knee", "rotational", range=(-0.2, 2.0))
    model = replace(MODEL, coordinates=(*MODEL.coordinates, bend))
    files, knee = ("setup.xml", "walk.mot"), 20.0 + 20.0 * np.sin(6.0 * TIME_S)

    def remarks(values: FloatArray, name: str = "knee") -> list[str]:
        return list(filter_remarks(model, TIME_S, {name: values}, 6.0, files, in_degrees=True))

    assert remarks(knee) == []
    assert remarks(-knee) == ["walk.mot leaves the model's range of knee by more than 15 degrees."]
    assert remarks(knee + 300.0, "spin") == []
    shaken = knee + np.random.default_rng(1).normal(0.0, 3.0, 60)
    assert remarks(shaken) == ["walk.mot shakes from row to row by more than 1 degree in knee."]
    assert list(filter_remarks(model, 4.0 * TIME_S, {"knee": shaken}, 6.0, files, in_degrees=True)) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(lambda force, point: (1.1 * force, point), "9 % too large", id="size"),
        pytest.param(lambda force, point: (0.9 * force, point), "11 % too small", id="size"),
        pytest.param(lambda force, point: (force, point + [0.06, 0.0, 0.0]), "0.06 m beside", id="place"),
    ],
)
def test_loads_that_are_off_by_little_are_said_with_how_they_are_off(change: Change, told: str) -> None:
    (remark,) = remarks_of(change)
    assert remark.startswith(f"By what they leave at root, loads of loads.xml are {told}")


def test_a_second_foot_that_was_not_measured_makes_no_load_too_small() -> None:
    """A foot's plate, and in half of the time up to half of the weight on the other foot."""
    share = np.repeat([1.0, 0.89, 0.5], [70, 70, 28])[:, None]
    skeleton, q = Skeleton(MODEL), np.repeat(POSE, 168, axis=0)
    zero, time_s = np.zeros_like(q), np.arange(168) / 100.0
    pose, force = skeleton.pose(q), share * [0.0, WEIGHT_N, 0.0]
    point = pose.points([1], np.array([[0.0, -0.1, 0.0]]))[:, 0]
    loads = (BodyLoad("pelvis", force, np.cross(point, force), point),)
    reactions = generalized_forces(skeleton, q, zero, zero, loads).reactions
    assert not any("too small" in remark for remark in load_remarks(pose, time_s, loads, reactions, "loads.xml"))


def test_forces_that_are_turned_about_the_vertical_are_said() -> None:
    """A body that slides to and fro by its force from below, which comes from another direction."""
    skeleton, time_s = Skeleton(MODEL), np.arange(200) / 100.0
    q = np.repeat(POSE, 200, axis=0)
    acceleration = np.sin(7.0 * time_s)[:, None] * [1.0, 0.0, 0.0]
    force = 2.0 * (acceleration + [0.0, 9.80665, 0.0])
    udot = np.zeros_like(q)
    udot[:, 3:] = acceleration
    pose = skeleton.pose(q)
    point = pose.points([1], np.array([[0.0, -0.1, 0.0]]))[:, 0]

    def remarks(angle_rad: float) -> list[str]:
        turned = force @ np.array(
            [[np.cos(angle_rad), 0.0, -np.sin(angle_rad)], [0.0, 1.0, 0.0], [np.sin(angle_rad), 0.0, np.cos(angle_rad)]]
        )
        loads = (BodyLoad("pelvis", turned, np.cross(point, turned), point),)
        reactions = generalized_forces(skeleton, q, 0.0 * q, udot, loads).reactions
        return list(load_remarks(pose, time_s, loads, reactions, "loads.xml"))

    assert remarks(0.05) == []
    (remark,) = remarks(0.2)
    assert "are turned by 11 degrees about the vertical" in remark


def test_loads_that_lack_a_foot_are_not_called_late_as_well() -> None:
    """Somebody who stands on a plate with one foot, and then with both."""
    skeleton, time_s = Skeleton(MODEL), np.arange(200) / 100.0
    q = np.repeat(POSE, 200, axis=0)
    point = skeleton.pose(q).points([1], np.array([[0.0, -0.1, 0.0]]))[:, 0]
    share = np.clip(4.0 * (time_s - 1.0), 0.4, 1.0)[:, None]
    force = share * [0.0, 2.0 * 9.80665, 0.0]
    loads = (BodyLoad("pelvis", force, np.cross(point, force), point),)
    reactions = generalized_forces(skeleton, q, 0.0 * q, 0.0 * q, loads).reactions
    (remark,) = load_remarks(skeleton.pose(q), time_s, loads, reactions, "loads.xml")
    assert "a foot whose force was not measured" in remark


@pytest.mark.parametrize(
    ("up_m", "tilt_rad", "told"), [(0.0, 0.0, ""), (0.05, 0.0, "0.05 m above the lowest"), (0.0, 1.4, "on end")]
)
def test_a_foot_that_lies_below_its_force_or_stands_on_end_is_said(up_m: float, tilt_rad: float, told: str) -> None:
    """A foot with a toe, 0.2 m ahead, on a force below its middle."""
    toe = ModelBody("toe", 0.01, np.zeros(3), 1e-5 * np.eye(3))
    joint = ModelJoint("toes", "weld", OffsetFrame("pelvis", place_m=np.array([0.2, 0.0, 0.0])), OffsetFrame("toe"), ())
    foot = ModelBody("pelvis", 2.0, np.array([0.1, 0.0, 0.0]), np.diag([0.001, 0.004, 0.004]))
    model = replace(MODEL, bodies=(foot, toe), joints=(*MODEL.joints, joint), markers=())
    skeleton = Skeleton(model)
    q = np.zeros((60, 6))
    q[:, 0] = tilt_rad
    pose = skeleton.pose(q)
    lowest = pose.points([1, 1], np.array([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0]]))[0, :, 1].min()
    point = pose.points([1], np.array([[0.1, 0.0, 0.0]]))[:, 0]
    point[:, 1] = lowest + up_m
    force = np.tile([0.0, 2.01 * 9.80665, 0.0], (60, 1))
    loads = (BodyLoad("pelvis", force, np.cross(point, force), point),)
    zero = np.zeros_like(q)
    remarks = list(load_remarks(pose, TIME_S, loads, generalized_forces(skeleton, q, zero, zero, loads).reactions, "loads.xml"))
    assert [told in remark for remark in remarks] == ([True] if told else [])


def test_a_time_range_that_ends_before_it_begins_is_refused(tmp_path: Path) -> None:
    setup = tmp_path / "setup.xml"
    setup.write_text(
        "<InverseDynamicsTool><model_file>m.osim</model_file><coordinates_file>q.mot</coordinates_file>"
        "<time_range>2.5 0.5</time_range></InverseDynamicsTool>",
        encoding="utf-8",
    )
    with pytest.raises(FileRefusedError, match=r"The time_range of setup\.xml ends before it begins\."):
        read_setup(setup)


def test_a_pair_of_one_marker_twice_is_refused(tmp_path: Path) -> None:
    setup = tmp_path / "setup.xml"
    setup.write_text(
        "<ScaleTool><GenericModelMaker><model_file>m.osim</model_file></GenericModelMaker><ModelScaler><MeasurementSet><objects>"
        '<Measurement name="thigh"><MarkerPairSet><objects><MarkerPair><markers> RASI RASI </markers></MarkerPair></objects>'
        "</MarkerPairSet></Measurement></objects></MeasurementSet></ModelScaler></ScaleTool>",
        encoding="utf-8",
    )
    with pytest.raises(FileRefusedError, match="names RASI RASI"):
        read_setup(setup)


@pytest.mark.parametrize(
    ("change", "spikes"),
    [
        pytest.param(lambda force: np.where(TIME_S > 0.3, 800.0 + 1500.0 * np.exp((0.31 - TIME_S) / 0.05), 0.0), 0, id="landing"),
        pytest.param(lambda force: np.where(np.arange(60) == 30, 9000.0, force), 1, id="spike"),
        pytest.param(lambda force: np.where((np.arange(60) >= 30) & (np.arange(60) < 50), force + 5000.0, force), 1, id="block"),
        pytest.param(lambda force: np.where(np.arange(60) == 30, np.nan, force), 0, id="gap"),
        pytest.param(
            lambda force: np.where(np.arange(60) == 30, 9000.0, np.where(np.arange(60) == 5, np.nan, force)), 1, id="both"
        ),
        pytest.param(lambda force: np.full(60, np.nan), 0, id="nothing"),
    ],
)
def test_a_landing_is_no_jump_of_a_force_and_a_gap_hides_none(change: Callable[[FloatArray], FloatArray], spikes: int) -> None:
    force = 700.0 + 100.0 * np.sin(7.0 * TIME_S)
    remarks = list(table_remarks(TIME_S, {"force 1 on foot": change(force)}, "loads.sto", spikes_only=True))
    assert remarks == ["loads.sto jumps in force 1 on foot after 0.29 s: look for a wrong number."] * spikes


def test_a_few_angles_in_whole_steps_are_not_rounded() -> None:
    few, many = np.array([0.0, 30.0, 60.0]), np.arange(30) % 12
    files = "setup.xml", "walk.mot"
    assert list(filter_remarks(MODEL, TIME_S, {"knee": few}, -1.0, files, in_degrees=True)) == []
    assert list(filter_remarks(MODEL, TIME_S, {"knee": np.repeat(few, 20)}, -1.0, files, in_degrees=True)) == []
    assert len(list(filter_remarks(MODEL, TIME_S, {"knee": many.astype(float)}, -1.0, files, in_degrees=True))) == 1
