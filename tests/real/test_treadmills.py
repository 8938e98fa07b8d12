"""Two treadmills: OpenSim's example walk, cut within stances at both ends, and half a minute of running on one plate."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biomech_id.anatomy import JOINTS
from biomech_id.conventions import SIDES
from biomech_id.exports.opensim.check import check_folder
from biomech_id.exports.opensim.folder import write_opensim
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.assignment import assign_plates
from biomech_id.judgement.quality import graded
from biomech_id.movement.grades import Grade
from biomech_id.pipeline.analyse import analyse_job
from biomech_id.plates.pressure_offset import pressure_offset_mm
from biomech_id.readers.opensim.loads import read_external_loads
from biomech_id.readers.opensim.storage import read_storage
from biomech_id.readers.opensim.trial import read_opensim_trial
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe, read_recipe
from biomech_id.session import trial_tables
from biomech_id.session.session import Session
from biomech_id.trial import Markers

ROOT = Path(__file__).resolve().parents[2]
PIPELINE = ROOT / "pipelines" / "opensim"


@pytest.fixture(scope="module")
def example(shared_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Session]:
    folder = tmp_path_factory.mktemp("gait10")
    for path in (shared_dir / "opensim" / "gait10dof18musc" / "ExperimentalData").iterdir():
        shutil.copy(path, folder)
    recipe = read_recipe(PIPELINE / "gait10-recipe.toml")
    recipe = recipe.replaced(report=False, budget=False, marker_set=str(PIPELINE / "gait10-markers.toml"))
    return folder, analyse_job(Job((folder,), recipe=recipe, mass_kg=72.6))


@pytest.fixture(scope="module")
def running(c3d_dir: Path) -> Session:
    folder = c3d_dir / "treadmill_run"
    marker_set = str(ROOT / "tests" / "real" / "markersets" / "running-clusters.toml")
    recipe = Recipe().replaced(report=False, budget=False, uncertainty=False, model="six-dof", marker_set=marker_set)
    return analyse_job(Job((folder / "RBDS001static.c3d", folder / "RBDS001runT35.c3d"), recipe=recipe, mass_kg=64.0))


def value(session: Session, rule: str) -> float:
    return next(row.value for row in session.movements[0].quality if row.rule == rule)


def test_the_example_is_accepted(example: tuple[Path, Session]) -> None:
    """57 % "inside the foot" and rejected while the outline was held still in the laboratory."""
    _, session = example
    (trial,) = session.movements
    assert trial.kind is TrialKind.TREADMILL
    assert session.grade is trial.verdict is Grade.ACCEPT
    assert value(session, "cop-inside-foot") > 95.0
    for side in SIDES:
        # Both belts run at 1.14 m/s, by every marker of the planted feet to 1 %.
        assert np.linalg.norm(trial.belts[side].mean_lab_m_s) == pytest.approx(1.14, abs=0.015)


def test_every_frame_whose_force_the_file_puts_on_a_foot_is_solved(example: tuple[Path, Session]) -> None:
    """66 % while a stance without its strike or off counted as unknown."""
    _, session = example
    (trial,) = session.movements
    assert trial.loads is not None
    for side in SIDES:
        assert trial.contacts[side].known.all()
        for joint in JOINTS:
            assert trial.loads[side, joint].known.mean() >= 0.99
        # Of them the eight frames at both ends are marked, and outside every cycle.
        valid = trial_tables.frames(trial)[f"{side}KineticsValid"]
        assert (valid[4:-4] == 1.0).all()
        assert (np.r_[valid[:4], valid[-4:]] == 0.5).all()


@pytest.mark.parametrize(("first", "last"), [(0, 60), (20, 100), (15, 34), (40, 120), (75, 151), (100, 130)])
def test_wherever_the_file_is_cut_every_loaded_frame_is_known(example: tuple[Path, Session], first: int, last: int) -> None:
    """Cut where it pleases: also where a foot has neither a strike nor an off."""
    folder, session = example
    whole = read_opensim_trial(folder / "subject01_walk.trc", session.person)
    plates = []
    for plate in whole.plates:
        ratio = round(plate.rate_hz / whole.rate_hz)
        kept = slice(first * ratio, last * ratio)
        plates.append(replace(plate, force_lab_N=plate.force_lab_N[kept], moment_lab_Nm=plate.moment_lab_Nm[kept]))
    walked = session.movements[0].markers
    assert walked is not None
    markers = Markers(walked.names, walked.position_m[first:last], whole.rate_hz).with_roles(walked.roles)
    # Walking pace is hard to see in a third of a second, so the events are those of the whole recording.
    begins_s, ends_s = first / whole.rate_hz, (last - 1) / whole.rate_hz
    events = [e for e in session.movements[0].events if begins_s <= e.time_s <= ends_s]
    trial = replace(whole, markers=markers, plates=tuple(plates), first_frame=first + 1)
    contacts = assign_plates(trial, events=events, body_mass_kg=72.6).contacts
    for plate in trial.plates:
        ratio = round(plate.rate_hz / trial.rate_hz)
        loaded = plate.force_lab_N[::ratio, 2] > 20.0
        contact = contacts[plate.foot]
        assert contact.known[loaded].all()
        np.testing.assert_allclose(contact.force_lab_N[loaded, 2], plate.force_lab_N[::ratio, 2][loaded], atol=25.0)


def test_all_of_the_impulse_is_handed_over(example: tuple[Path, Session], tmp_path: Path) -> None:
    """49 % before, and the rest as zero for a false reason."""
    folder, session = example
    (given,) = [read_external_loads(path) for path in folder.glob("*grf.xml")]
    table = read_storage(folder / given.data_file)
    known_Ns = sum(np.trapezoid(table[f"{force.force}y"], table.time_s) for force in given.forces)
    (note,) = write_opensim(session, tmp_path)
    ours = read_storage(tmp_path / f"{note.name}_grf.mot")
    handed_Ns = sum(np.trapezoid(ours[f"ground_force_{side}_vy"], ours.time_s) for side in "rl")
    assert handed_Ns / known_Ns == pytest.approx(1.0, abs=2e-3)
    assert note.handed_percent == pytest.approx(100.0, abs=0.2)
    assert note.unknown == ()
    assert "known throughout" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert check_folder(tmp_path) == ()


def test_force_that_is_lost_is_noticed(example: tuple[Path, Session], tmp_path: Path) -> None:
    """The hand-over as it was: the frames of the cut stances are zero."""
    _, session = example
    (trial,) = session.movements
    assert trial.assignment is not None
    whole = [(s.start_s, s.end_s, s.side) for s in trial.assignment.stances if s.verdict.accepted]
    time_s = trial.motion.time_s
    known = {
        side: np.any([(time_s >= start) & (time_s <= end) for start, end, mine in whole if mine == side], axis=0) for side in SIDES
    }
    contacts = {side: replace(contact, known=known[side]) for side, contact in trial.contacts.items()}
    cut = replace(trial, assignment=replace(trial.assignment, contacts=contacts))
    (note,) = write_opensim(replace(session, movements=(cut,)), tmp_path)
    (found,) = check_folder(tmp_path)
    assert found.rule == "opensim-force-lost"
    assert found.values["percent"] == pytest.approx(51.0, abs=2.0)
    assert note.handed_percent == pytest.approx(49.0, abs=2.0)


def test_a_run_on_one_belt(running: Session) -> None:
    """41 % "inside the foot" and rejected before."""
    (trial,) = running.movements
    assert trial.kind is TrialKind.RUN
    assert value(running, "cop-inside-foot") > 95.0
    assert trial.verdict is not Grade.REJECT
    assert np.linalg.norm(trial.belts["L"].mean_lab_m_s) == pytest.approx(3.5, rel=0.02)  # the file's name says 3.5 m/s
    speeds = [p.value for p in trial.parameters if p.parameter == "speed"]
    assert len(speeds) > 80
    assert np.mean(speeds) == pytest.approx(3.5, rel=0.02)
    assert np.std(speeds) < 0.02 * np.mean(speeds)


@pytest.mark.parametrize("away_m", [(0.04, 0.0, 0.0), (-0.04, 0.0, 0.0), (0.0, 0.04, 0.0), (0.0, -0.04, 0.0)])
def test_a_centre_of_pressure_shifted_by_40_mm_is_rejected(
    running: Session, example: tuple[Path, Session], away_m: tuple[float, float, float]
) -> None:
    """On a belt as over ground: a plate whose place in the file is wrong."""
    for session in (running, example[1]):
        (trial,) = session.movements
        assert graded(trial.name, "cop-offset", value(session, "cop-offset")).verdict is Grade.ACCEPT
        assert trial.mass_kg is not None
        moved = {
            side: replace(c, moment_lab_Nm=c.moment_lab_Nm + np.cross(away_m, c.force_lab_N))
            for side, c in trial.shown_contacts.items()
        }
        how = {"floor_m": trial.surfaces_m, "belts": trial.belts, "running": trial.kind is TrialKind.RUN}
        offset_mm = pressure_offset_mm(trial.motion, moved, mass_kg=trial.mass_kg, **how)
        assert graded(trial.name, "cop-offset", offset_mm).verdict is Grade.REJECT
