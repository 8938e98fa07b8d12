"""The hand-over, judged by OpenSim itself: it loads every file, and from them finds our joint moments, forces and markers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from biomech_id.anatomy import JOINTS, LEG_SEGMENTS
from biomech_id.exports.opensim.folder import session_model, write_opensim
from biomech_id.exports.opensim.joints import Joint, R_ground_lab, body_name, joints_of
from biomech_id.exports.opensim.model import write_model
from biomech_id.pipeline.analyse import analyse_job
from biomech_id.readers.opensim.storage import StorageTable, read_storage
from biomech_id.readers.opensim.trc import read_trc
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe, read_recipe
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved

osim = pytest.importorskip("opensim", reason="needs the opensim wheel: pip install 'biomech-id[peers]'")
osim.Logger.setLevelString("error")

ROOT = Path(__file__).resolve().parents[2]
MASS_KG = 70.0  # as a user would write it in subject.toml; the recording with clusters does not say
CASES = ("virtual", "virtual six-dof", "child", "six-dof", "cut stances")
EVERY = 5  # frames: solving all of them shows no more


@dataclass(frozen=True)
class HandOver:
    folder: Path
    session: Session

    def table(self, trial: Solved, word: str) -> StorageTable:
        return read_storage(self.folder / f"{trial.name}_{word}")


def job_of(case: str, request: pytest.FixtureRequest) -> Job:
    quick = Recipe().replaced(report=False, budget=False, model="six-dof" if "six-dof" in case else None)
    if case.startswith("virtual"):
        return Job((ROOT / "data",), recipe=quick, exclude=("walk01*", "walk03*"))
    recordings: Path = request.getfixturevalue("c3d_dir")
    if case == "cut stances":
        example, pipeline = recordings.parent / "opensim" / "gait10dof18musc" / "ExperimentalData", ROOT / "pipelines" / "opensim"
        recipe = read_recipe(pipeline / "gait10-recipe.toml").replaced(report=False, budget=False)
        return Job((example,), recipe=recipe.replaced(marker_set=str(pipeline / "gait10-markers.toml")), mass_kg=72.6)
    if case == "child":
        return Job((recordings / "children" / "HC030A",), recipe=quick)
    return Job((recordings / "walking" / "bmc_gait.c3d",), recipe=quick, mass_kg=MASS_KG)


@pytest.fixture(scope="module", params=CASES)
def handed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> HandOver:
    session = analyse_job(job_of(request.param, request))
    assert session.movements
    folder = tmp_path_factory.mktemp("opensim")
    write_opensim(session, folder, analog=True, knee="extension" if request.param == "child" else "flexion")
    return HandOver(folder, session)


@pytest.fixture
def inside(handed: HandOver) -> Iterator[HandOver]:
    """OpenSim's programs take paths from the working directory."""
    before = Path.cwd()
    os.chdir(handed.folder)
    yield handed
    os.chdir(before)


def with_loads(handed: HandOver, trial: Solved) -> tuple[osim.Model, osim.State, osim.ExternalLoads]:
    model = osim.Model(str(handed.folder / "subject.osim"))
    loads = osim.ExternalLoads(f"{trial.name}_external_loads.xml", True)
    model.addModelComponent(loads)
    return model, model.initSystem(), loads


def test_the_plates_wrench_arrives_at_every_sample(inside: HandOver) -> None:
    for trial in inside.session.movements:
        _model, _state, loads = with_loads(inside, trial)
        R = R_ground_lab(trial.motion)
        time_s = inside.table(trial, "grf.mot").time_s
        assert len(time_s) == trial.motion.n_frames
        for i in range(loads.getSize()):
            load = osim.ExternalForce.safeDownCast(loads.get(i))
            contact = trial.contacts[load.get_applied_to_body()[-1].upper()]
            known = contact.known[:, None]
            force = np.where(known, contact.force_lab_N, 0.0) @ R.T
            moment = np.where(known, contact.moment_lab_Nm, 0.0) @ R.T
            given = np.array([
                [f(t).to_numpy() for f in (load.getForceAtTime, load.getPointAtTime, load.getTorqueAtTime)] for t in time_s.tolist()
            ])  # fmt: skip
            np.testing.assert_allclose(given[:, 0], force, rtol=0, atol=1e-6 * max(np.abs(force).max(), 1.0))
            about_origin = given[:, 2] + np.cross(given[:, 1], given[:, 0])
            np.testing.assert_allclose(about_origin, moment, rtol=0, atol=1e-6 * max(np.abs(moment).max(), 1.0))


def speed_order(model: osim.Model, state: osim.State) -> list[str]:
    """Names of the coordinates in the order of the system's speeds, found by moving one after the other."""
    names = [""] * model.getNumCoordinates()
    for coordinate in model.getCoordinateSet():
        before = state.getU().to_numpy().copy()
        coordinate.setSpeedValue(state, before.max() + 1.0)
        names[int(np.abs(state.getU().to_numpy() - before).argmax())] = coordinate.getName()
        coordinate.setSpeedValue(state, 0.0)
    assert all(names)
    return names


def axes_in_ground(model: osim.Model, state: osim.State, joint: Joint) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Axes of the joint's rotations and of its translations, as rows, and the child's origin: OpenSim's geometry, not ours."""
    assert joint.parent is not None
    parent, child = (model.getBodySet().get(body_name(key)).getTransformInGround(state) for key in (joint.parent, joint.child))
    R_parent, R_child = (np.array([[t.R().get(i, j) for j in range(3)] for i in range(3)]) for t in (parent, child))
    first, last = R_parent[:, 2], R_child[:, 1]
    middle = np.cross(last, first)
    rotations = np.stack([first, middle / np.linalg.norm(middle), last]) * np.array(joint.signs)[:, None]
    return rotations, R_parent.T, child.p().to_numpy()


def test_the_solver_finds_our_joint_moments_and_forces(inside: HandOver) -> None:
    compared = 0
    for trial in inside.session.movements:
        model, state, _loads = with_loads(inside, trial)
        solver = osim.InverseDynamicsSolver(model)
        order = speed_order(model, state)
        knee = "extension" if "extension" in (inside.folder / "README.md").read_text(encoding="utf-8") else "flexion"
        joints = [joint for joint in joints_of(trial.motion.sides, knee) if joint.parent is not None]
        q, u, du = (inside.table(trial, word) for word in ("coordinates.mot", "speeds.sto", "accelerations.sto"))
        R = R_ground_lab(trial.motion)
        assert trial.loads is not None
        for row in range(0, len(du.time_s), EVERY):
            time = float(du.time_s[row])
            state.setTime(time)
            at = int(np.argmin(np.abs(q.time_s - time)))
            for name in order:
                coordinate = model.getCoordinateSet().get(name)
                turns = coordinate.getMotionType() == osim.Coordinate.Rotational
                coordinate.setValue(state, float(np.deg2rad(q[name][at]) if turns else q[name][at]), False)
                coordinate.setSpeedValue(state, float(u[name][row]))
            acceleration = osim.Vector(len(order), 0.0)
            for k, name in enumerate(order):
                acceleration.set(k, float(du[name][row]))
            found = dict(zip(order, solver.solve(state, acceleration).to_numpy(), strict=True))
            frame = trial.motion.first_frame
            index = round(time * trial.motion.rate_hz) - (frame - 1)
            for joint in joints:
                side, name = joint.child[0], next(j for j in JOINTS if joint.name.startswith(j))
                rotations, translations, origin = axes_in_ground(model, state, joint)
                wrench = trial.loads[side, name].wrench.about(R.T @ origin)
                moment, force = R @ wrench.moment_Nm[index], R @ wrench.force_N[index]
                if not np.isfinite(moment).all():
                    continue
                np.testing.assert_allclose([found[c] for c in joint.rotations], rotations @ moment, rtol=0, atol=1e-6)  # N m
                np.testing.assert_allclose([found[c] for c in joint.translations], translations @ force, rtol=0, atol=1e-6)  # N
                compared += 1
    assert compared > 100


def test_our_table_of_joint_moments_is_what_opensim_computes_from_our_setup(inside: HandOver) -> None:
    """OpenSim differentiates the coordinates with splines of its own: 2 % of each moment's peak, root mean square."""
    for trial in inside.session.movements:
        assert osim.InverseDynamicsTool(f"{trial.name}_id_setup.xml").run()
        theirs = read_storage(Path("opensim_results") / f"{trial.name}_inverse_dynamics.sto")
        ours = inside.table(trial, "inverse_dynamics.sto")
        rows = [int(np.argmin(np.abs(ours.time_s - time))) for time in theirs.time_s]
        np.testing.assert_allclose(ours.time_s[rows], theirs.time_s, atol=1e-6)
        moments = [column for column in ours.columns if column.endswith("_moment")]
        assert len(moments) == 9 * len(trial.motion.sides)
        seen = 0
        for column in moments:
            difference, own = theirs[column] - ours[column][rows], ours[column][rows]
            known = np.isfinite(own)
            if known.any():
                seen += 1
                assert np.sqrt(np.mean(difference[known] ** 2)) < 0.02 * np.abs(own[known]).max(), column
        assert seen >= 9


def test_inverse_kinematics_from_our_setup_find_our_markers(inside: HandOver) -> None:
    """The virtual subject is rigid: 1 mm. Skin moves on people: there markers stay within two centimetres of the skeleton."""
    trial = inside.session.movements[0]
    assert osim.InverseKinematicsTool(f"{trial.name}_ik_setup.xml").run()
    (errors,) = Path().rglob(f"{trial.name}*marker_errors.sto")
    rms_m = read_storage(errors)["marker_error_RMS"]
    assert len(rms_m) == len(inside.table(trial, "coordinates.mot").time_s)
    assert rms_m.max() < (1e-3 if inside.session.person.code == "VIRTUAL" else 20e-3)


def test_opensim_reads_the_same_numbers(inside: HandOver) -> None:
    for trial in inside.session.movements:
        for path in sorted(Path().glob(f"{trial.name}_*.mot")) + sorted(Path().glob(f"{trial.name}_*.sto")):
            ours, theirs = read_storage(path), osim.TimeSeriesTable(str(path))
            assert theirs.getColumnLabels() == ours.columns
            np.testing.assert_allclose(theirs.getIndependentColumn(), ours.time_s, rtol=0, atol=1e-12)
            np.testing.assert_allclose(theirs.getMatrix().to_numpy(), ours.values, rtol=1e-12, atol=1e-12)
        ours_trc, theirs_trc = read_trc(Path(f"{trial.name}.trc")), osim.TimeSeriesTableVec3(f"{trial.name}.trc")
        assert theirs_trc.getColumnLabels() == ours_trc.names
        flat = theirs_trc.flatten()  # kept, for its matrix is only a view
        seen = flat.getMatrix().to_numpy().reshape(ours_trc.position_m.shape)
        np.testing.assert_allclose(seen, ours_trc.position_m, rtol=0, atol=1e-12)


def test_the_model_weighs_what_the_subject_weighs(inside: HandOver) -> None:
    model = osim.Model("subject.osim")
    state = model.initSystem()
    assert model.getTotalMass(state) == pytest.approx(inside.session.person.mass_kg, rel=1e-12)
    trial = inside.session.movements[0]
    legs = {key: part for key, part in trial.motion.segments.items() if key[1] in LEG_SEGMENTS}
    assert len(legs) == 6
    for (side, segment), part in legs.items():
        assert model.getBodySet().get(body_name((side, segment))).getMass() == pytest.approx(part.mass_kg, rel=1e-12)


def test_a_tilted_tensor_arrives_whole(inside: HandOver, tmp_path: Path) -> None:
    """The subjects' own tensors have no products of inertia worth the name; a table's or a user's may."""
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    ours = session_model(inside.session)
    tilted = {
        key: replace(part, inertia_kgm2=turn @ np.diag([0.02, 0.05, 0.06]) @ turn.T, com_m=np.array([0.01, -0.02, 0.03]))
        for key, part in ours.segments.items()
    }
    model = osim.Model(str(write_model(tmp_path / "tilted.osim", replace(ours, segments=tilted))))
    for key, part in tilted.items():
        body, R = model.getBodySet().get(body_name(key)), ours.axes.R_seg_isb[key[1]]
        moments, (xy, xz, yz) = body.getInertia().getMoments().to_numpy(), body.getInertia().getProducts().to_numpy()
        theirs = np.diag(moments) + np.array([[0, xy, xz], [xy, 0, yz], [xz, yz, 0]])
        assert np.abs([xy, xz, yz]).min() > 1e-3
        np.testing.assert_allclose(theirs, R.T @ part.inertia_kgm2 @ R, rtol=0, atol=1e-15)
        np.testing.assert_allclose(body.getMassCenter().to_numpy(), R.T @ part.com_m, rtol=0, atol=1e-15)


def test_scaling_runs_from_our_setup(inside: HandOver) -> None:
    if inside.session.static_motion is None:
        assert not Path("scale_setup.xml").exists()
    else:
        assert osim.ScaleTool("scale_setup.xml").run()
