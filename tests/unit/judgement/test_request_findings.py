"""What a request and its recordings say against each other: each oddity once, and silence where nothing is odd."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.errors import Severity
from biomech_id.judgement.check.plates import inspect_mass
from biomech_id.judgement.recorded_twice import copies
from biomech_id.judgement.request_findings import request_findings, steps_findings
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.trial import Subject, Trial

HERE = Path("subject")


@pytest.fixture(scope="module")
def static() -> Trial:
    return bid.virtual_subject().static().trial


@pytest.fixture(scope="module")
def walk() -> Trial:
    return bid.virtual_subject().walk().trial


def rules(job: Job, trials: list[Trial], static: Trial | None, mass_kg: float = 72.0) -> list[str]:
    found = request_findings(job, trials, static, Subject(mass_kg=mass_kg, sources={"mass_kg": "option --mass"}))
    assert all(finding.severity is Severity.WARNING and finding.hint for finding in found)
    return [finding.rule for finding in found]


def test_nothing_odd_is_silence(static: Trial, walk: Trial) -> None:
    assert rules(Job((HERE,)), [static, walk], static) == []
    assert rules(Job((HERE,)), [walk], None) == []


def test_a_walk_named_as_the_static_trial(static: Trial, walk: Trial) -> None:
    assert "static-moves" in rules(Job((HERE,)), [static, walk], walk)


def test_a_mass_that_the_plates_do_not_carry(static: Trial) -> None:
    subject = Subject(mass_kg=72.0 * 2.2046, sources={"mass_kg": "subject.toml"})
    (found,) = request_findings(Job((HERE,)), [static], static, subject)
    assert found.rule == "mass-unlike-weight"
    assert "158.7 kg (subject.toml)" in found.message
    assert "carry 72 kg. Is it in pounds?" in found.message
    assert rules(Job((HERE,)), [static], static, mass_kg=72.0 * 1.08) == []
    (heavy,) = request_findings(Job((HERE,)), [static], static, Subject(mass_kg=90.0))
    assert "pounds" not in heavy.message


@pytest.mark.parametrize(("less_kg", "worn", "said"), [(1.4, False, True), (1.4, True, False), (2.0, True, True)])
def test_a_childs_mass_is_held_against_steps_but_for_what_is_worn(
    static: Trial, walk: Trial, less_kg: float, *, worn: bool, said: bool
) -> None:
    (trial,) = bid.analyse([static, walk], uncertainty=False, budget=False).computed.trials
    light = replace(trial, plates=tuple(replace(plate, force_lab_N=0.28 * plate.force_lab_N) for plate in trial.plates))
    (doubted,) = steps_findings([light], Subject(mass_kg=40.0))
    typed = Subject(mass_kg=doubted.values["steps_kg"] - less_kg)
    assert bool(list(steps_findings([light], typed, worn=worn))) == said


def test_a_mass_is_not_doubted_by_who_stands_with_an_aid(static: Trial) -> None:
    heavy, leaning = Subject(mass_kg=90.0), replace(static, subject=replace(static.subject, aid="crutches", mass_kg=90.0))
    assert [each.rule for each in request_findings(Job((HERE,)), [leaning], leaning, heavy)] == []
    assert [each.rule for each in request_findings(Job((HERE,)), [static], static, replace(heavy, aid="walker"))] == []
    assert list(inspect_mass(leaning)) == []
    alone = replace(leaning, subject=replace(leaning.subject, aid="none"))
    assert [each.rule for each in request_findings(Job((HERE,)), [alone], alone, heavy)] == ["mass-unlike-weight"]
    assert [each.rule for each in inspect_mass(alone)] == ["mass-unlike-weight"]


def test_a_mass_cannot_be_doubted_without_quiet_standing(static: Trial) -> None:
    swaying = [
        replace(plate, force_lab_N=plate.force_lab_N * (1 + 0.2 * np.sin(np.arange(plate.n_samples) / 50.0))[:, None])
        for plate in static.plates
    ]
    assert rules(Job((HERE,)), [static], replace(static, plates=tuple(swaying)), mass_kg=150.0) == []


def test_settings_that_the_model_does_not_read(static: Trial) -> None:
    job = Job((HERE,), recipe=Recipe(inertia_table="dumas-2007", hip_centre="bell"), functional=HERE / "hip.c3d")
    (found,) = request_findings(job, [static], static, Subject())
    assert "does not use functional" in found.message
    six_dof = replace(job, recipe=Recipe(model="six-dof", inertia_table="dumas-2007", hip_centre="bell"))
    assert rules(six_dof, [static], static) == []


def test_a_stance_verdict_for_no_trial_is_said(static: Trial, walk: Trial) -> None:
    job = Job((HERE,), recipe=Recipe(stance_verdicts=(f"{walk.name} L 1 = none", "walk99 L 1.5 s = none")))
    (found,) = request_findings(job, [static, walk], static, Subject(), job.decisions())
    assert "'walk99 L 1.5 s = none' belongs to no trial" in found.message


def test_functional_trials_that_turn_the_knee_axes_are_used(static: Trial) -> None:
    for knee_axis, said in (("functional", []), ("walk", ["setting-unused"])):
        job = Job((HERE,), recipe=Recipe(knee_axis=knee_axis), functional=HERE / "knee.c3d")
        assert rules(job, [static], static) == said


def told_twice(walk: Trial, other: Trial, static: Trial) -> list[tuple[str, str]]:
    return list(copies([static, walk, other]).items())


@pytest.mark.parametrize("change", ["exported anew", "cut", "smoothed"])
def test_copies_of_one_walk_are_named(change: str, static: Trial, walk: Trial) -> None:
    position_m = walk.markers.position_m
    if change == "cut":
        position_m = position_m[60:]
    elif change == "smoothed":
        position_m = (position_m + np.roll(position_m, 1, axis=0) + np.roll(position_m, -1, axis=0)) / 3
    markers = replace(walk.markers, position_m=position_m, filled=None)
    other = Trial("again", markers, subject=walk.subject)
    assert told_twice(walk, other, static) == [("again", "walk")]
    assert told_twice(walk, replace(other, name="walk 2"), static) == [("walk 2", "walk")]
    assert copies([walk, replace(other, name="walk 2")], kept={"walk 2"}) == {}


def test_another_walk_and_standing_twice_are_no_copies(static: Trial, walk: Trial) -> None:
    other = bid.virtual_subject(seed=5, speed_m_s=1.2).walk("walk 2").trial
    assert told_twice(walk, other, static) == []
    assert told_twice(static, replace(static, name="stand again"), static) == []
    few = replace(walk.markers, names=walk.markers.names[:3], position_m=walk.markers.position_m[:, :3], filled=None)
    assert told_twice(walk, Trial("few", few), static) == []
