"""From arrays and other libraries into a trial and out again, and inverse dynamics of somebody's own arrays."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.errors import BiomechError, InvalidValueError, MissingInputError, ShapeError
from biomech_id.exports.opensim.memory import from_opensim, to_opensim
from biomech_id.readers.c3d.from_ezc3d import from_ezc3d
from biomech_id.sample import virtual_subject
from biomech_id.trial import AnalogChannels

ROOT = Path(__file__).resolve().parents[2]
FLOAT32_MM = 1e-3


@pytest.fixture(scope="module")
def walk() -> bid.Trial:
    return virtual_subject(first_frame=41).walk().trial


@pytest.fixture(scope="module")
def motion_and_loads(walk: bid.Trial) -> Any:
    motion = bid.conventional_model(virtual_subject().static().trial).track(walk)
    return motion, bid.solve(bid.assign_plates(motion))


def test_arrays_are_the_trial_they_came_from(walk: bid.Trial) -> None:
    markers = {name: 1000.0 * walk.markers[name] for name in walk.markers.names}
    made = bid.Trial.from_arrays(markers, walk.rate_hz, unit="mm", plates=walk.plates, events=walk.events, first_frame=41)
    np.testing.assert_allclose(made.markers.position_m, walk.markers.position_m, atol=1e-12)
    assert (made.markers.names, made.events, made.first_frame) == (walk.markers.names, walk.events, 41)
    np.testing.assert_array_equal(made.plates[0].time_s, walk.plates[0].time_s)


def test_y_up_is_turned_and_stays_right_handed() -> None:
    axes = {"x": [[1.0, 0, 0]], "y": [[0, 1.0, 0]], "z": [[0, 0, 1.0]]}
    made = bid.Trial.from_arrays({name: 0.5 * np.array(at) for name, at in axes.items()}, 100.0, up="Y").markers.position_m[0]
    np.testing.assert_allclose(made, 0.5 * np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]), atol=0)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"markers": {"A": np.zeros((5, 3)), "B": np.zeros((6, 3))}}, ShapeError),
        ({"markers": {"A": np.full((5, 3), 900.0)}}, InvalidValueError),
        ({"markers": {"A": np.zeros((5, 2))}}, ShapeError),
        ({"markers": {"A": np.zeros((5, 3))}, "unit": "cm"}, BiomechError),
    ],
)
def test_arrays_that_do_not_fit_are_refused(given: dict[str, Any], error: type[BiomechError]) -> None:
    with pytest.raises(error):
        bid.Trial.from_arrays(rate_hz=100.0, **given)


def test_every_time_is_on_the_recordings_clock(walk: bid.Trial, motion_and_loads: Any) -> None:
    motion, loads = motion_and_loads
    expected = (np.arange(walk.n_frames) + 40) / walk.rate_hz
    for value in (walk, walk.markers, motion, loads):
        np.testing.assert_allclose(value.time_s, expected, atol=1e-12)
    for value in walk.plates:
        assert value.time_s[0] == pytest.approx(0.4)
        assert len(value.time_s) == value.n_samples
    assert replace(walk, first_frame=1).plates[0].time_s[0] == 0.0


@pytest.mark.parametrize("suffix", [".c3d", ".trc"])
def test_files_read_back_what_was_written(walk: bid.Trial, tmp_path: Path, suffix: str) -> None:
    back = bid.read(bid.write(walk, tmp_path / f"walk{suffix}"))
    assert (back.markers.names, back.first_frame, back.rate_hz) == (walk.markers.names, 41, walk.rate_hz)
    np.testing.assert_allclose(back.markers.position_m, walk.markers.position_m, atol=1e-6)
    if suffix == ".c3d":
        for mine, theirs in zip(back.plates, walk.plates, strict=True):
            np.testing.assert_allclose(mine.force_lab_N, theirs.force_lab_N, atol=1e-3)
            np.testing.assert_allclose(mine.moment_lab_Nm, theirs.moment_lab_Nm, atol=1e-3)
        assert [e.kind for e in back.events] == [e.kind for e in walk.events]
        assert back.subject.mass_kg == pytest.approx(walk.subject.mass_kg, rel=1e-6)


def test_forces_as_mot_with_the_feet_they_act_on(walk: bid.Trial, tmp_path: Path) -> None:
    feet = replace(walk, plates=tuple(replace(p, foot=foot) for p, foot in zip(walk.plates, "RL", strict=False)))
    back = bid.read(bid.write(feet, tmp_path / "walk.mot"))
    assert {plate.foot for plate in back.plates} == {"R", "L"}
    for plate in back.plates:
        theirs = next(p for p in feet.plates if p.foot == plate.foot)
        np.testing.assert_allclose(plate.force_lab_N, theirs.force_lab_N, atol=1e-9)
        about = theirs.moment_lab_Nm + np.cross(theirs.centre_m - plate.centre_m, theirs.force_lab_N)
        np.testing.assert_allclose(plate.moment_lab_Nm, about, atol=1e-8)
    # Nobody says whose feet: that is found under the feet of the markers they belong to.
    assert {plate.foot for plate in bid.read(bid.write(walk, tmp_path / "nobody.mot")).plates} == {""}
    with pytest.raises(BiomechError, match=r"must end in \.c3d"):
        bid.write(walk, tmp_path / "walk.csv")


def test_a_table_of_pandas_and_a_dataset_of_xarray_and_back(walk: bid.Trial) -> None:
    table = bid.to_dataframe(walk)
    assert table.attrs["units"]["LHEE.Z"] == "m"
    made = bid.from_dataframe(table)
    np.testing.assert_array_equal(made.markers.position_m, walk.markers.position_m)
    assert (made.rate_hz, made.first_frame) == (walk.rate_hz, 41)
    in_mm = table.copy()
    in_mm.iloc[:, 1:] *= 1000.0
    in_mm.attrs = {"units": dict.fromkeys(in_mm.columns, "mm")}
    np.testing.assert_allclose(bid.from_dataframe(in_mm).markers.position_m, walk.markers.position_m, atol=1e-12)
    with pytest.raises(InvalidValueError, match="evenly"):
        bid.from_dataframe(table.drop(index=[5, 6, 7]))
    with pytest.raises(MissingInputError, match="rate_hz"):
        bid.from_dataframe(table.drop(columns="time_s"))


def test_xarray_and_back(walk: bid.Trial, motion_and_loads: Any) -> None:
    pytest.importorskip("xarray")
    data = bid.to_xarray(walk)
    assert data["position_m"].dims == ("time_s", "marker", "axis")
    np.testing.assert_array_equal(bid.from_xarray(data).markers.position_m, walk.markers.position_m)
    np.testing.assert_array_equal(data["force_lab_N"].sel(plate=walk.plates[0].name), walk.plates[0].force_lab_N)
    soleus_V = np.arange(10.0 * walk.n_frames)[:, None]
    more = replace(
        walk, events=(bid.Event(0.5, "L", bid.EventKind.FOOT_STRIKE),), analog=AnalogChannels(("soleus",), ("V",), 1000.0, soleus_V)
    )
    whole = bid.to_xarray(more)
    np.testing.assert_array_equal(whole["analog"].sel(channel="soleus"), soleus_V[:, 0])
    assert (whole["event_time_s"].item(), whole["event_side"].item()) == (0.5, "L")
    motion, loads = motion_and_loads
    power = bid.to_xarray(loads)["power_W"].sel(joint="R ankle").to_numpy()
    np.testing.assert_array_equal(power, loads["R", "ankle"].power_W)
    assert bid.to_xarray(motion)["angle_rad"].attrs["units"] == "rad"


@pytest.mark.peers
def test_opensims_own_tables_and_back(walk: bid.Trial, motion_and_loads: Any) -> None:
    pytest.importorskip("opensim")
    tables = to_opensim(walk)
    assert tables["markers"].getNumColumns() == len(walk.markers.names)
    back = from_opensim(tables["markers"])
    np.testing.assert_allclose(back.markers.position_m, walk.markers.position_m, atol=1e-12)
    assert (back.first_frame, back.rate_hz) == (41, walk.rate_hz)
    assert to_opensim(motion_and_loads[1]).getNumRows() == walk.n_frames


def test_ezc3d_in_memory_is_the_file(tmp_path: Path) -> None:
    ezc3d = pytest.importorskip("ezc3d")
    path = ROOT / "data" / "walk02.c3d"
    made, read = from_ezc3d(ezc3d.c3d(str(path)), name="walk02"), bid.read_c3d(path)
    np.testing.assert_allclose(made.markers.position_m, read.markers.position_m, atol=1e-6)
    assert (made.markers.names, made.first_frame, made.name, made.path) == (read.markers.names, read.first_frame, "walk02", "")
    np.testing.assert_allclose(made.plates[0].force_lab_N, read.plates[0].force_lab_N, atol=1e-3)


@pytest.mark.parametrize("method", ["recursive", "block"])
def test_a_leg_of_arrays_has_the_loads_of_the_leg(motion_and_loads: Any, method: Any) -> None:
    motion, loads = motion_and_loads
    names = ("foot", "shank", "thigh")
    frames, segments = ({n: store["R", n] for n in names} for store in (motion.motions, motion.segments))
    given = {"mass_kg": {n: segments[n].mass_kg for n in names}, "com_m": {n: segments[n].com_m for n in names}}
    contact = loads.contacts["R"]
    found = bid.inverse_dynamics(
        {n: frames[n].frames.R_lab_seg for n in names}, {n: frames[n].frames.origin_lab_m for n in names},
        {n: motion.joint_centres_lab_m["R", joint] for n, joint in zip(names, ("ankle", "knee", "hip"), strict=True)},
        rate_hz=motion.rate_hz, inertia_kgm2={n: segments[n].inertia_kgm2 for n in names},
        forces={"foot": (contact.force_lab_N, contact.moment_lab_Nm)}, method=method, **given,
    )  # fmt: skip
    for name, joint in zip(names, ("ankle", "knee", "hip"), strict=True):
        known = loads["R", joint].known
        assert known.any()
        np.testing.assert_allclose(found[name].force_N[known], loads["R", joint].wrench.force_N[known], atol=1e-8)
        np.testing.assert_allclose(found[name].moment_Nm[known], loads["R", joint].wrench.moment_Nm[known], atol=1e-8)


def test_a_branch_and_names_that_do_not_fit() -> None:
    still = np.tile(np.eye(3), (20, 1, 1))
    two = {"R": {"a": still, "b": still}, "o": {"a": np.zeros((20, 3)), "b": np.ones((20, 3))}}
    body = {"rate_hz": 100.0, "com_m": {"a": np.zeros(3), "b": np.zeros(3)}, "inertia_kgm2": {"a": np.eye(3), "b": np.eye(3)}}
    loads = bid.inverse_dynamics(two["R"], two["o"], two["o"], mass_kg={"a": 1.0, "b": 2.0}, parents={"a": ""}, **body)
    np.testing.assert_allclose(loads["b"].force_N[10, 2], 2 * 9.81)
    hanging = bid.inverse_dynamics(two["R"], two["o"], two["o"], mass_kg={"a": 1.0, "b": 2.0}, **body)
    np.testing.assert_allclose(hanging["b"].force_N[10, 2], 3 * 9.81)
    with pytest.raises(MissingInputError, match="mass_kg"):
        bid.inverse_dynamics(two["R"], two["o"], two["o"], mass_kg={"a": 1.0}, **body)


@pytest.mark.parametrize(
    ("n_frames", "gap", "lost", "why"),
    [
        (30, None, 8, ""),
        (30, 15, 17, "origin_lab_m or joint_lab_m of segment"),
        (8, None, 8, "8 frames are too few"),
    ],
)
def test_frames_lost_to_nan_or_to_shortness_are_counted(n_frames: int, gap: int | None, lost: int, why: str) -> None:
    joint_lab_m = np.tile([0.0, 0.0, 0.1], (n_frames, 1))
    origin_lab_m = np.zeros((n_frames, 3))
    if gap is not None:
        origin_lab_m[gap] = np.nan
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loads = bid.inverse_dynamics(
            np.tile(np.eye(3), (n_frames, 1, 1)), origin_lab_m, joint_lab_m, rate_hz=100.0, mass_kg=1.0, com_m=np.zeros(3),
            inertia_kgm2=np.eye(3),
        )  # fmt: skip
    assert loads.n_lost == lost
    assert [f"{lost} of {n_frames} frames have no loads" in str(each.message) for each in caught] == [True] * bool(why)
    assert all(why in str(each.message) for each in caught)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda walk, loads: walk.markers["LASi"], "Did you mean 'LASI'"),
        (lambda walk, loads: loads["R", "knee"].expressed_in("tibia"), "Did you mean 'shank'"),
        (lambda walk, loads: bid.plot.curve(None or SESSION, "RKneeMoment"), "Did you mean 'KneeMoment.X'"),
    ],
)
def test_what_is_nearly_a_name_is_answered_with_it(walk: bid.Trial, motion_and_loads: Any, ask: Any, said: str) -> None:
    with pytest.raises(BiomechError, match=said):
        ask(walk, motion_and_loads[1])


class _Tables:
    def tables(self) -> None: ...


SESSION = _Tables()
