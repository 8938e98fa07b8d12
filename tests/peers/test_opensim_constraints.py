"""Constraints of every kind beside OpenSim: poses that keep them, inverse kinematics, inverse dynamics, scaling."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.dynamics.constraint_forces import constraint_forces
from biomech_id.osim.dynamics.inverse_dynamics import by_speeds, generalized_forces
from biomech_id.osim.kinematics.assembly import assembled_pose
from biomech_id.osim.kinematics.inverse_kinematics import TrackingTasks, track_markers
from biomech_id.osim.run import run_setup
from biomech_id.osim.scaling import scaled_model
from biomech_id.osim.skeleton.closing import Closing
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.readers.opensim.storage import read_storage
from biomech_id.readers.opensim.trc import MarkerTable
from biomech_id.writers.opensim_text import write_trc
from tests.peers import constraint_documents
from tests.peers.constraint_documents import (
    COUNT,
    COUPLED,
    ID_SETUP,
    KINDS,
    LAST,
    UNDRIVEN,
    tied_document,
    tied_motion,
    tied_pose,
    write_motion,
)

osim: Any = pytest.importorskip("opensim", reason="needs the opensim wheel: pip install 'biomech-id[peers]'")
osim.Logger.setLevelString("off")

IK_SETUP = """<OpenSimDocument Version="40500"><InverseKinematicsTool name="ik"><results_directory>.</results_directory>
<model_file>model.osim</model_file><constraint_weight>Inf</constraint_weight><accuracy>1e-9</accuracy><time_range>0 1</time_range>
<marker_file>markers.trc</marker_file><IKTaskSet><objects>{tasks}</objects></IKTaskSet><output_motion_file>ik.mot</output_motion_file>
</InverseKinematicsTool></OpenSimDocument>"""
SCALES = "".join(f"<Scale><scales>1.1 1.2 1.3</scales><segment>b{k}</segment><apply>true</apply></Scale>" for k in (0, 4))
SCALE_SETUP = f"""<OpenSimDocument Version="40500"><ScaleTool name="scaled"><mass>-1</mass><GenericModelMaker><model_file>model.osim
</model_file></GenericModelMaker><ModelScaler><apply>true</apply><scaling_order>manualScale</scaling_order><ScaleSet><objects>{SCALES}
</objects></ScaleSet><preserve_mass_distribution>true</preserve_mass_distribution><output_model_file>scaled.osim</output_model_file>
</ModelScaler><MarkerPlacer><apply>false</apply></MarkerPlacer></ScaleTool></OpenSimDocument>"""


def native(path: Path, q: FloatArray) -> tuple[Any, Any]:
    """OpenSim's model in a pose, which it does not assemble."""
    model = osim.Model(str(path))
    state, coordinates = model.initSystem(), model.getCoordinateSet()
    for k, value in enumerate(q.tolist()):
        coordinates.get(k).setValue(state, value, False)
    model.realizePosition(state)
    return model, state


def written(folder: Path, kind: str) -> Path:
    path = folder / "model.osim"
    path.write_text(tied_document(kind), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_a_pose_that_keeps_it_keeps_opensims(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path, kind)
    model = read_osim(path)
    (q,) = tied_motion(model, np.array([0.37]))
    assert np.abs(q - tied_pose(3)).max() > 0.05
    _, state = native(path, q)
    off = [state.getQErr().get(k) for k in range(state.getQErr().size())]
    assert off
    assert np.abs(off).max() < 1e-11
    # And one that is open is so in OpenSim too.
    _, state = native(path, q + 0.01)
    assert max(abs(state.getQErr().get(k)) for k in range(state.getQErr().size())) > 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_pose_that_keeps_it_is_opensims(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path, kind)
    model, state = native(path, q := tied_pose(3) + np.random.default_rng(1).uniform(-0.1, 0.1, COUNT))
    model.assemble(state)
    theirs = np.array([model.getCoordinateSet().get(k).getValue(state) for k in range(len(q))])
    assert np.abs(theirs - q).max() > 0.03
    # As near as the accuracy that OpenSim assembles with.
    np.testing.assert_allclose(assembled_pose(read_osim(path), q[None])[0], theirs, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_inverse_kinematics_within_it_is_the_tools(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, time_s = written(tmp_path, kind), np.arange(12) / 100
    model = read_osim(path)
    skeleton, names = Skeleton(model), [marker.name for marker in model.markers]
    q = tied_motion(model, time_s)
    position_m = skeleton.markers(q) + 0.01 * np.random.default_rng(2).standard_normal((len(q), len(names), 3))
    ours = track_markers(model, names, position_m, TrackingTasks(dict.fromkeys(names, 1.0)))
    assert ours.converged.all()
    (opening,) = Closing(skeleton, range(COUNT)).openings(ours.q)
    assert max(opening.gap.max(), opening.turn_rad.max()) < 1e-11
    write_trc(tmp_path / "markers.trc", MarkerTable(tuple(names), position_m, 100.0, 1, time_s, "m"))
    tasks = "".join(f'<IKMarkerTask name="{name}"><apply>true</apply><weight>1</weight></IKMarkerTask>' for name in names)
    (tmp_path / "ik.xml").write_text(IK_SETUP.format(tasks=tasks), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert osim.InverseKinematicsTool("ik.xml").run()
    table = read_storage(tmp_path / "ik.mot")
    turning = np.array([c.motion == "rotational" for c in model.coordinates])
    theirs = np.column_stack([table[name] for name in model.coordinate_names])
    np.testing.assert_allclose(ours.q, np.where(turning, np.deg2rad(theirs), theirs), atol=1e-6)
    # Without the constraint the markers lead elsewhere.
    loose = track_markers(replace(model, constraints=()), names, position_m, TrackingTasks(dict.fromkeys(names, 1.0)))
    assert np.abs(loose.q - ours.q).max() > 1e-3


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_inverse_dynamics_is_the_tools(kind: str, kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, time_s = written(tmp_path, kind), np.linspace(0.0, 1.0, 41)
    model = read_osim(path)
    q = tied_motion(model, time_s)
    q[:, model.index(COUPLED)] += 0.0 if kept else 0.1
    write_motion(tmp_path / "motion.sto", model.coordinate_names, time_s, q)
    (tmp_path / "id.xml").write_text(ID_SETUP, encoding="utf-8")
    outcome = run_setup(tmp_path / "id.xml", tmp_path / "ours", compat=True)
    monkeypatch.chdir(tmp_path)
    assert osim.InverseDynamicsTool("id.xml").run()
    ours, theirs = read_storage(tmp_path / "ours" / "id.sto"), read_storage(tmp_path / "id.sto")
    assert ours.columns == theirs.columns
    np.testing.assert_allclose(ours.values, theirs.values, atol=1e-6)
    assert any("does not keep the constraint tie in" in remark for remark in outcome.remarks) != kept
    assert any("open tree" in remark for remark in outcome.remarks)


def driven(path: Path, q: FloatArray, u: FloatArray, drives: FloatArray) -> tuple[FloatArray, dict[str, float]]:
    """OpenSim's accelerations under drives of all coordinates, and what its constraint carries, by its ForceReporter's names."""
    model = osim.Model(str(path))
    for coordinate in (model.getCoordinateSet().get(k) for k in range(COUNT)):
        actuator = osim.CoordinateActuator(coordinate.getName())
        actuator.setOptimalForce(1.0)
        actuator.setName(f"drive_{coordinate.getName()}")
        model.addForce(actuator)
    state = model.initSystem()
    coordinates = [model.getCoordinateSet().get(k) for k in range(COUNT)]
    for coordinate, value in zip(coordinates, q.tolist(), strict=True):
        coordinate.setValue(state, value, False)
    for coordinate, value in zip(coordinates, u.tolist(), strict=True):
        coordinate.setSpeedValue(state, value)
    model.realizeVelocity(state)
    assert max(abs(state.getUErr().get(k)) for k in range(state.getUErr().size())) < 1e-10
    model.setControls(state, osim.Vector.createFromMat(drives))
    model.realizeAcceleration(state)
    constraint = model.getConstraintSet().get(0)
    labels, values = constraint.getRecordLabels(), constraint.getRecordValues(state)
    record = {labels.get(k): values.get(k) for k in range(labels.size())}
    return np.array([coordinate.getAccelerationValue(state) for coordinate in coordinates]), record


@pytest.mark.parametrize("chain", [("Gimbal", "Custom"), ("Ball", "Custom"), ("Gimbal", "Ball")], ids="-".join)
@pytest.mark.parametrize("kind", KINDS)
def test_what_it_carries_is_opensims(kind: str, chain: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenSim under drives gives accelerations and forces; its accelerations give drives and forces back."""
    monkeypatch.setattr(constraint_documents, "CHAIN", [*chain, "Universal", "Pin", "Universal"])
    path = written(tmp_path, kind)
    skeleton, rng = Skeleton(read_osim(path)), np.random.default_rng(4)
    q = tied_motion(skeleton.model, np.array([0.37]))
    J = by_speeds(skeleton, q, Closing(skeleton, range(COUNT)).jacobian(q))[0]
    u, drives = rng.uniform(-1, 1, COUNT), rng.uniform(-20, 20, COUNT)
    u -= np.linalg.pinv(J) @ J @ u
    idle = UNDRIVEN.get(kind, (COUPLED,))
    drives[[skeleton.model.index(name) for name in idle]] = 0.0
    udot, record = driven(path, q[0], u, drives)
    tau = generalized_forces(skeleton, q, u[None], udot[None], compat=True).tau
    ours = constraint_forces(skeleton, q, tau, UNDRIVEN.get(kind, ()))
    np.testing.assert_allclose(ours.drives[0], drives, atol=1e-8)
    assert np.abs(tau[0] - drives).max() > 1.0
    # OpenSim's are on the constraint, in the axes of the innermost body that carries both, here the first.
    theirs = -np.array(list(record.values()))
    if kind in UNDRIVEN:
        assert tuple(record) == ours.columns
        theirs = (theirs.reshape(-1, 3) @ skeleton.pose(q).R_ground_body[0, 1].T).ravel()
    np.testing.assert_allclose(ours.values[0], theirs[theirs != 0], atol=1e-8)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("polynomial", "linear")])
def test_ties_are_scaled_as_opensim_scales_them(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = read_osim(written(tmp_path, kind))
    (tmp_path / "scale.xml").write_text(SCALE_SETUP, encoding="utf-8")
    remarks = run_setup(tmp_path / "scale.xml", tmp_path / "ours").remarks
    assert any("leaves" in remark and "tie" in remark for remark in remarks) == (kind != "weld")
    monkeypatch.chdir(tmp_path)
    osim.ScaleTool("scale.xml").run()
    tags = "location_body_.|translation|point_on_[a-z]*|line_direction_vec|constant_distance"
    numbers = []
    for path in (tmp_path / "ours" / "scaled.osim", tmp_path / "scaled.osim"):
        block = re.search(r"<ConstraintSet.*</ConstraintSet>", path.read_text(encoding="utf-8"), re.S)
        assert block
        numbers.append([float(word) for _, words in re.findall(rf"<({tags})>([^<]*)</", block[0]) for word in words.split()])
    np.testing.assert_allclose(numbers[0], numbers[1], rtol=1e-13, atol=1e-15)
    # The model in memory is the one that is written.
    in_memory = scaled_model(model, dict.fromkeys(("b0", LAST), np.array([1.1, 1.2, 1.3])))
    read_back, q = read_osim(tmp_path / "ours" / "scaled.osim"), tied_pose(3)[None]
    both = [Closing(Skeleton(each), range(COUNT)).residual(q) for each in (in_memory, read_back)]
    np.testing.assert_allclose(both[0], both[1], atol=1e-12)
