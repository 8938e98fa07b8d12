"""A plate that comes and goes: plate 3 of eight walkers' sessions is sound in some people and cannot be used in two."""

from __future__ import annotations

from pathlib import Path

import pytest

from biomech_id.judgement.laboratory.left_behind import SLOPE, left_behind
from biomech_id.judgement.laboratory.memory import charted_lab, lab_findings
from biomech_id.judgement.laboratory.values import SessionValues, session_values
from biomech_id.pipeline.stage.analysis import Analysis
from biomech_id.pipeline.stages import analysed
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe

pytestmark = pytest.mark.real

QUICK = Recipe(model="conventional", uncertainty=False, budget=False)


@pytest.fixture(scope="module")
def lab(shared_dir: Path) -> list[SessionValues]:
    sessions = []
    for folder in sorted((shared_dir / "c3d" / "norm_subjects").iterdir()):
        walks = analysed(Job((folder,), QUICK), Analysis(), until="line_up").walks
        trials = [{"name": walk.trial.name, "residuals": left_behind(walk.trial, walk.model)} for walk in walks]
        sessions.append(session_values({"subject": {"code": folder.name}, "trials": trials}, folder.name))
    return sessions


def test_every_walk_of_two_people_names_plate_3_and_no_other_walk_a_plate(lab: list[SessionValues]) -> None:
    assert sum(len(session.not_usable) for session in lab) == 2
    refused = {session.name: session.not_usable["plate 3"] for session in lab if session.not_usable}
    assert refused == {
        "NP1010": ("walkNorm_NP1010a15", "walkNorm_NP1010a17"), "NP1013": ("walkNorm_NP1013a06", "walkNorm_NP1013a16"),
    }  # fmt: skip
    sound = [session.name for session in lab if "plate 3" in session.plates and not session.not_usable]
    assert sound == ["NP1003", "NP1006", "NP1022", "NP1025"]


def test_the_laboratory_is_told_which_sessions(lab: list[SessionValues]) -> None:
    (finding,) = lab_findings(charted_lab(lab))
    assert (finding.rule, finding.values["names"], finding.where) == ("lab-plate-comes-and-goes", ("NP1010", "NP1013"), "plate 3")


def test_other_laboratories_accuse_no_plate(shared_dir: Path) -> None:
    for folder in ("children/HC030A", "children/HC032A", "labs_abroad/device_tuned_rotation", "knee_device/kad_medial"):
        walks = analysed(Job((shared_dir / "c3d" / folder,), QUICK), Analysis(), until="line_up").walks
        trials = [{"name": walk.trial.name, "residuals": left_behind(walk.trial, walk.model)} for walk in walks]
        assert any(SLOPE in trial["residuals"] for trial in trials), folder  # type: ignore[operator]
        assert session_values({"subject": {}, "trials": trials}).not_usable == {}, folder
