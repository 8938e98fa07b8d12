"""The whole body of a virtual subject in balance with the floor: what is left over is rounding, whichever way it is computed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.dynamics.body import FootContact
from biomech_id.dynamics.momentum import body_momentum, ground_of, ground_residual
from biomech_id.sample import SampleTrial, write_c3d
from biomech_id.session.session import Session

#: N and N m from C3D files: 32-bit floats, and what splines at 100 Hz lose of accelerations.
FORCE_N, MOMENT_NM = 0.5, 0.3


@pytest.fixture(scope="module")
def person() -> tuple[SampleTrial, SampleTrial]:
    subject = bid.virtual_subject(upper_body=True, balanced=True)
    return subject.static(), subject.walk()


@pytest.fixture(scope="module")
def folder(person: tuple[SampleTrial, SampleTrial], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("balanced")
    for sample, name in zip(person, ("static", "walk"), strict=True):
        write_c3d(sample, folder / f"{name}.c3d")
    return folder


@pytest.fixture(scope="module")
def session(folder: Path) -> Session:
    return bid.analyse(folder).computed


def test_from_c3d_files_the_residual_is_rounding(person: tuple[SampleTrial, SampleTrial], folder: Path) -> None:
    truth = person[1].truth
    motion = bid.conventional_model(bid.read_c3d(folder / "static.c3d")).track(bid.read_c3d(folder / "walk.c3d"))
    assert motion.whole is not None
    assert truth.upper is not None
    body = body_momentum(motion.whole.segments, motion.whole.motions)
    known = np.ones(len(truth.time_s), dtype=bool)
    feet = {s: FootContact(s, truth.ground_force_lab_N[s], truth.ground_moment_lab_Nm[s], known) for s in "LR"}
    force, moment = ground_residual(body, ground_of(feet))
    assert np.isfinite(force).all(axis=1).sum() > 0.9 * len(force)
    assert np.nanmax(np.abs(force)) < FORCE_N
    assert np.nanmax(np.abs(moment)) < MOMENT_NM
    assert 1000.0 * np.nanmax(np.abs(body.com_lab_m - truth.upper.com_lab_m)) < 0.01
    assert np.nanmax(np.abs(body.angular_momentum_lab_kgm2_s - truth.upper.angular_momentum_lab_kgm2_s)) < 0.05


def test_the_main_job_says_so_and_accuses_nobody(session: Session) -> None:
    (trial,) = session.trials
    assert trial.whole_body is not None
    test = trial.whole_body.test
    assert test is not None
    assert test.causes == ()
    assert test.single.size_percent < 1.0
    assert test.slope == pytest.approx((1.0, 1.0, 1.0), abs=0.03)
    assert abs(test.lag_s) < 1e-3
    assert {row.verdict for row in trial.quality if row.rule.startswith("residual-")} <= {"accept", "not judged"}
    names = {row.parameter for row in trial.parameters}
    assert {"margin_of_stability_sideways_ankle_strike", "energy_recovery", "trunk_lean_pelvis", "arm_swing"} <= names
    # The forces alone, integrated twice, see the same centre of mass.
    from_forces = trial.whole_body.com_from_forces_lab_m()
    assert from_forces is not None
    assert 1000.0 * np.nanmax(np.abs(from_forces - trial.whole_body.momentum.com_lab_m)) < 0.5


def test_what_is_left_out_is_said_once(person: tuple[SampleTrial, SampleTrial], tmp_path: Path) -> None:
    arms = [name for name in person[1].trial.markers.names if name[1:] in ("SHO", "ELB", "WRA", "WRB", "FIN", "UPA", "FRM")]
    assert len(arms) >= 10
    for sample, name in zip(person, ("static", "walk"), strict=True):
        markers = sample.trial.markers
        kept = [i for i, label in enumerate(markers.names) if label not in arms]
        fewer = replace(
            markers, names=tuple(markers.names[i] for i in kept), position_m=markers.position_m[:, kept], filled=None, roles={}
        )  # fmt: skip
        write_c3d(replace(sample, trial=replace(sample.trial, markers=fewer)), tmp_path / f"{name}.c3d")
    result = bid.analyse(tmp_path).computed
    (finding,) = [each for each in result.findings if each.rule == "no-whole-body"]
    assert finding.message == "no arms: residual, centre of mass and margins of stability not computed."
    assert result.trials[0].whole_body is None
    assert not any(row.rule.startswith("residual-") for row in result.trials[0].quality)
    # The trunk is measured without arms.
    assert {"trunk_lean_laboratory", "trunk_sway_pelvis"} <= {row.parameter for row in result.trials[0].parameters}


@pytest.mark.parametrize(("aid", "plates"), [("crutches", "steps"), ("crutches", "two"), ("walker", "two")])
def test_who_leans_on_an_aid_has_no_margin_of_stability(tmp_path: Path, aid: str, plates: str) -> None:
    subject = bid.virtual_subject(pattern=aid, plates=plates, upper_body=True)
    write_c3d(subject.static(), tmp_path / "static.c3d")
    write_c3d(subject.walk(), tmp_path / "walk.c3d")
    (trial,) = bid.analyse(tmp_path).computed.trials
    assert trial.whole_body is not None
    assert trial.whole_body.stability is None
    assert not any(row.parameter.startswith("margin_of_stability") for row in trial.parameters)
    test = trial.whole_body.test
    if plates == "two":
        # The aid bears a fifth of the body: nothing else is accused.
        assert test is not None
        assert test.causes == ("weight",)
        assert -35.0 < test.single.mean_percent[2] < -15.0


def test_a_crutch_is_part_of_what_acts_on_the_body(person: tuple[SampleTrial, SampleTrial]) -> None:
    """The recording is in balance without it: what a crutch is said to bear is left over, to the newton, and nothing else moves."""
    static, walk = (sample.trial for sample in person)
    quick: dict[str, bool] = {"report": False, "uncertainty": False, "budget": False}
    push = bid.Wrench(np.tile([10.0, 0.0, 80.0], (walk.n_frames, 1)), np.zeros((walk.n_frames, 3)), np.array([0.3, 0.4, 0.9]))
    plain = bid.analyse([static, walk], **quick).computed.trials[0]
    held = bid.analyse([static, walk], extra={walk.name: bid.External("R hand", push)}, **quick).computed.trials[0]
    bodies = [trial.whole_body for trial in (plain, held)]
    force, moment = np.subtract(*(ground_residual(body.momentum, body.ground) for body in reversed(bodies) if body and body.ground))
    known = np.isfinite(force).all(axis=1)
    assert np.count_nonzero(known) > 30
    np.testing.assert_allclose(force[known], np.tile([10.0, 0.0, 80.0], (np.count_nonzero(known), 1)), atol=1e-9)
    assert bodies[0] is not None
    arm = np.array([0.3, 0.4, 0.9]) - bodies[0].momentum.com_lab_m[known]
    np.testing.assert_allclose(moment[known], np.cross(arm, [10.0, 0.0, 80.0]), atol=1e-9)
    # Who leans on a crutch is no pendulum over the feet.
    assert {row.parameter for row in plain.parameters if row.parameter.startswith("margin")}
    assert not {row.parameter for row in held.parameters if row.parameter.startswith("margin")}
