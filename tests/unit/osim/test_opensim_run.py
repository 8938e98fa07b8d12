"""Setups of OpenSim's tools on recordings with holes: a marker that a frame lacks counts where it is seen; who lacks is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from biomech_id.errors import MissingInputError
from biomech_id.multibody.joints import PolynomialFunction
from biomech_id.multibody.musculoskeletal import (
    ModelBody,
    ModelCoordinate,
    ModelJoint,
    ModelMarker,
    MusculoskeletalModel,
    OffsetFrame,
    TransformAxis,
)
from biomech_id.osim import run
from biomech_id.osim.document.setups import PlacerSetup, PoseSetup, PoseTask
from biomech_id.osim.kinematics.inverse_kinematics import TrackingTasks, track_markers
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.readers.opensim.storage import StorageTable
from biomech_id.readers.opensim.trc import MarkerTable

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
LINE = PolynomialFunction((0.0, 1.0))
TURNS, SHIFTS = (("tilt", Z), ("list", X), ("spin", Y)), (("tx", X), ("ty", Y), ("tz", Z))
ROOT = ModelJoint(
    "root", "custom", OffsetFrame("ground"), OffsetFrame("pelvis"), tuple(name for name, _ in (*TURNS, *SHIFTS)),
    tuple(TransformAxis(name, axis, LINE) for name, axis in TURNS), tuple(TransformAxis(name, axis, LINE) for name, axis in SHIFTS),
)  # fmt: skip
PLACES = {"P1": (0.1, 0.05, 0.1), "P2": (0.1, 0.05, -0.1), "P3": (-0.15, 0.06, 0.0)}
MODEL = MusculoskeletalModel(
    name="pelvis",
    bodies=(ModelBody("pelvis", 2.0, np.array([0.0, -0.1, 0.0]), np.diag([0.02, 0.01, 0.02])),),
    joints=(ROOT,),
    coordinates=(
        *(ModelCoordinate(name, "root", "rotational") for name, _ in TURNS),
        *(ModelCoordinate(name, "root", "translational") for name, _ in SHIFTS),
    ),
    markers=tuple(ModelMarker(name, "pelvis", np.array(place)) for name, place in PLACES.items()),
)
POSE = np.array([[0.1, -0.05, 0.4, 0.2, 0.9, -0.1]])


def test_a_marker_that_a_frame_lacks_still_tells_the_static_pose(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three markers none can be spared: without one of them a pelvis may turn about the line through the others."""
    position = np.repeat(Skeleton(MODEL).markers(POSE, tuple(PLACES)), 5, axis=0)
    position[2, 2] = np.nan
    table = MarkerTable(tuple(PLACES), position, 100.0, 1, np.arange(5) / 100.0, "m")
    monkeypatch.setattr(run, "read_trc", lambda _: table)
    tasks = tuple(PoseTask(name, 1.0) for name in (*PLACES, "LTOE"))
    setup = PlacerSetup(PoseSetup(tasks, Path("static.trc"), None, (0.0, 0.04)), "", "", "")
    placed, q, said = run._placed(MODEL, setup)
    np.testing.assert_allclose(q, POSE[0], atol=1e-6)
    np.testing.assert_allclose([each.place_m for each in placed.markers], list(PLACES.values()), atol=1e-6)
    assert said == ["Model or static.trc lack markers of the setup's tasks: LTOE."]


@pytest.mark.parametrize(("end_s", "refused"), [(0.40, False), (0.404, False), (0.43, True)])
def test_a_target_is_not_guessed_beyond_its_file(monkeypatch: pytest.MonkeyPatch, end_s: float, refused: bool) -> None:
    """Half a step of rounding is none; a spline that goes on by itself for three frames says nothing of the subject."""
    given_s = np.arange(41) / 100.0
    table = StorageTable("targets", ("tilt",), given_s, np.rad2deg(np.sin(given_s))[:, None], in_degrees=True)
    monkeypatch.setattr(run, "read_storage", lambda _: table)
    setup = PoseSetup((PoseTask("tilt", 1.0, "from_file"),), Path("walk.trc"), Path("targets.mot"), (0.0, 1.0))
    wanted_s = np.linspace(0.1, end_s, 7)
    if refused:
        with pytest.raises(MissingInputError, match=r"holds tilt from 0 to 0\.4 s, and frames from 0\.1 to 0\.43 s"):
            run._from_file(MODEL, setup, "tilt", wanted_s)
    else:
        np.testing.assert_allclose(run._from_file(MODEL, setup, "tilt", wanted_s), np.sin(wanted_s), atol=1e-5)


def test_columns_that_no_force_takes_are_named(tmp_path: Path) -> None:
    """A free moment that the document does not name is lost in OpenSim without a word."""
    force = "<applied_to_body>pelvis</applied_to_body><force_identifier>f</force_identifier>"
    table = "loads\nversion=1\nendheader\ntime\tfx\tfy\tfz\tmx\tmy\tmz\tnote\n"
    rows = "".join(f"{0.01 * k:g}\t0\t20\t0\t0\t3\t0\t1\n" for k in range(9))
    (tmp_path / "loads.sto").write_text(table + rows, encoding="utf-8")

    def remarks(more: str) -> list[str]:
        path = tmp_path / "loads.xml"
        text = f'<ExternalForce name="one">{force}{more}</ExternalForce></objects><datafile>loads.sto</datafile>'
        path.write_text(f"<ExternalLoads><objects>{text}</ExternalLoads>", encoding="utf-8")
        return run._recorded_forces(path, np.arange(9) / 100.0)[1]

    assert remarks("<torque_identifier>m</torque_identifier>") == []
    assert remarks("") == ["The table of loads.xml has numbers that no force takes: my."]


def test_of_two_forces_on_one_body_each_is_looked_at(tmp_path: Path) -> None:
    force = "<ExternalForce><applied_to_body>pelvis</applied_to_body><force_identifier>{}</force_identifier></ExternalForce>"
    rows = "".join(f"{0.01 * k:g}\t0\t{9000 if k == 5 else 700}\t0\t0\t700\t0\n" for k in range(60))
    (tmp_path / "loads.sto").write_text(f"l\nendheader\ntime\tfx\tfy\tfz\tgx\tgy\tgz\n{rows}", encoding="utf-8")
    path = tmp_path / "loads.xml"
    text = force.format("f") + force.format("g")
    path.write_text(f"<ExternalLoads><objects>{text}</objects><datafile>loads.sto</datafile></ExternalLoads>", encoding="utf-8")
    (remark,) = run._recorded_forces(path, np.arange(60) / 100.0)[1]
    assert "jumps in force 1 on pelvis after 0.04 s" in remark


def test_of_two_tasks_of_one_marker_the_first_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So it is in OpenSim 4.6."""
    taken: list[TrackingTasks] = []
    monkeypatch.setattr(run, "track_markers", lambda model, names, position_m, tasks, rate_hz: taken.append(tasks))
    tasks = tuple(PoseTask(name, weight) for name, weight in (("P1", 1.0), ("P2", 2.0), ("P1", 100.0)))
    table = SimpleNamespace(names=("P1", "P2"), rate_hz=100.0)
    run._tracked(MODEL, PoseSetup(tasks, Path("walk.trc"), None, (0.0, 1.0)), table, np.zeros(1), np.zeros((1, 2, 3)))  # type: ignore[arg-type]
    assert taken[0].marker_weights == {"P1": 1.0, "P2": 2.0}


@pytest.mark.parametrize(("frames", "told"), [("ground", False), ("pelvis", False), ("torso", True)])
def test_axes_of_a_third_body_are_named(tmp_path: Path, frames: str, told: bool) -> None:
    force = (
        "<ExternalForce><applied_to_body>pelvis</applied_to_body><force_identifier>f</force_identifier>"
        f"<force_expressed_in_body>{frames}</force_expressed_in_body></ExternalForce>"
    )
    rows = "".join(f"{0.01 * k:g}\t0\t700\t0\n" for k in range(60))
    (tmp_path / "loads.sto").write_text(f"l\nendheader\ntime\tfx\tfy\tfz\n{rows}", encoding="utf-8")
    path = tmp_path / "loads.xml"
    path.write_text(f"<ExternalLoads><objects>{force}</objects><datafile>loads.sto</datafile></ExternalLoads>", encoding="utf-8")
    remarks = run._recorded_forces(path, np.arange(60) / 100.0)[1]
    assert [line.startswith("loads.xml has axes of torso for a force on pelvis") for line in remarks] == [True] * told


@pytest.mark.parametrize(("weight", "told"), [(1e-6, True), (0.1, False), (0.0, False)])
def test_a_marker_that_weighs_next_to_nothing_is_named(weight: float, told: bool) -> None:
    names = tuple(PLACES)
    tasks = tuple(PoseTask(name, weight if name == "P1" else 1.0) for name in names)
    setup = PoseSetup(tasks, Path("walk.trc"), None, (0.0, 1.0))
    position = np.repeat(Skeleton(MODEL).markers(POSE, names), 3, axis=0)
    pose = track_markers(
        MODEL, names, position, TrackingTasks({task.name: max(task.weight, 1e-9) for task in tasks}), rate_hz=100.0
    )
    remarks = run._not_followed(setup, pose)
    assert [line.startswith("Of the setup's tasks these weigh next to nothing: P1.") for line in remarks] == [True] * told


@pytest.mark.parametrize(("off_m", "told"), [(0.1, False), (0.5, True)])
def test_a_marker_that_is_placed_far_from_the_model_is_named(monkeypatch: pytest.MonkeyPatch, off_m: float, told: bool) -> None:
    """A marker that no task follows is placed wherever it stood."""
    places = {**PLACES, "P4": (0.1, 0.1, 0.0)}
    model = replace(MODEL, markers=tuple(ModelMarker(name, "pelvis", np.array(place)) for name, place in places.items()))
    position = np.repeat(Skeleton(model).markers(POSE, tuple(places)), 5, axis=0)
    position[:, 3, 1] += off_m
    table = MarkerTable(tuple(places), position, 100.0, 1, np.arange(5) / 100.0, "m")
    monkeypatch.setattr(run, "read_trc", lambda _: table)
    setup = PlacerSetup(PoseSetup(tuple(PoseTask(name, 1.0) for name in PLACES), Path("s.trc"), None, (0.0, 0.04)), "", "", "")
    remarks = run._placed(model, setup)[2]
    assert remarks == ["s.trc places more than 0.3 m from where the model has them: P4. Compare names and sides."] * told
