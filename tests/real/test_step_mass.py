"""Mass from one step over plates, against the reference table of recordings of ten laboratories."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sessions import Sessions

import biomech_id as bid
from biomech_id.feet.feet import find_feet
from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.events import search_events
from biomech_id.gait.step_mass import StepMass, StepWindow, mean_stance_times_s, session_mass, step_masses
from biomech_id.judgement.request_findings import UNLIKE_STEPS_SHARE, steps_findings
from biomech_id.movement.feet import TrialKind
from biomech_id.trial import Subject

pytestmark = pytest.mark.real
#: Walk -> ratio to the file's mass by three contacts: off, strike, mid.
THREE = {
    "NP1003/walkNorm_NP1003a09": (1.005, 0.997, 1.000), "NP1006/walkNorm_NP1006a12": (0.999, 1.000, 1.001),
    "NP1010/walkNorm_NP1010a15": (1.002, 1.000, 0.995), "NP1013/walkNorm_NP1013a16": (1.006, 1.005, 1.006),
    "NP1022/walkNorm_NP1022a05": (0.991, 0.998, 0.996), "NP1025/walkNorm_NP1025a16": (0.994, 0.995, 0.994),
    "NP1027/walkNorm_NP1027a18": (0.989, 0.993, 0.989), "NP1002/walkNorm_NP1002a07": (1.179, 1.182, 1.182),
    "NP1002/walkNorm_NP1002a12": (1.177, 1.172, 1.183),
}  # fmt: skip
#: Walk -> mass in kg by two plates.
TWO = {
    "labs_abroad/device_tuned_rotation/walk03": 1.004 * 53.5, "labs_abroad/device_tuned_rotation/walk05": 1.004 * 53.5,
    "children/HC030A/HC030A05": 0.991 * 45.8, "children/HC030A/HC030A22": 0.997 * 45.8, "children/HC032A/HC032A03": 0.989 * 60.3,
    "children/HC033A/HC033A10": 0.985 * 51.5, "children/HC002D/HC002D06": 0.942 * 32.1, "children/HC036A/HC036A10": 1.027 * 33.0,
    "labs_abroad/examined_child/walk04": 34.2, "leardini/trial02": 59.8, "leardini/trial03": 59.6,
}  # fmt: skip
#: Without spines (a cluster on the pelvis, and a trunk): any middle of a body's upper part does, less closely.
WITHOUT_SPINES = dict(zip((f"five_walks_emg/Gait0{i}" for i in range(1, 6)), (70.4, 71.0, 70.7, 70.4, 69.8), strict=True))


@cache
def steps_of(path: Path) -> tuple[tuple[StepMass, ...], dict[str, float], TrialKind, float | None]:
    trial = bid.read_c3d(path)
    feet = find_feet(trial)
    events = search_events(trial, feet=feet).events
    assignment = assign_plates(trial, events=events, feet=feet)
    steps = step_masses(trial.plates, assignment, events, trial.markers)
    return steps, mean_stance_times_s(assignment.stances), feet.travel.kind, trial.subject.mass_kg


@pytest.mark.parametrize("walk", THREE)
def test_three_contacts_weigh_to_half_a_percent(walk: str, c3d_dir: Path) -> None:
    steps, _, _, mass_kg = steps_of(c3d_dir / "norm_subjects" / f"{walk}.c3d")
    assert mass_kg is not None
    ratio = {step.window: step.mass_kg / mass_kg for step in steps}
    windows = (StepWindow.OFF, StepWindow.STRIKE, StepWindow.MID)
    assert [ratio[window] for window in windows] == pytest.approx(THREE[walk], abs=0.005)


@pytest.mark.parametrize(("walk", "share"), [*((walk, 0.01) for walk in TWO), *((walk, 0.02) for walk in WITHOUT_SPINES)])
def test_two_plates_weigh_to_a_percent(walk: str, share: float, c3d_dir: Path) -> None:
    steps, *_ = steps_of(c3d_dir / f"{walk}.c3d")
    found = [step.mass_kg for step in steps if step.window is StepWindow.TWO_PLATES]
    expected_kg = (TWO | WITHOUT_SPINES)[walk]
    assert min(found, key=lambda kg: abs(kg - expected_kg)) == pytest.approx(expected_kg, rel=share)


def test_whole_strides_on_a_belt_weigh_a_runner(c3d_dir: Path) -> None:
    (strides,), *_ = steps_of(c3d_dir / "treadmill_run" / "RBDS001runT35.c3d")
    assert strides.window is StepWindow.STRIDES
    assert strides.mass_kg == pytest.approx(60.3, rel=0.005)


def of_sessions(c3d_dir: Path) -> dict[str, float]:
    """Session -> ratio of what its steps weigh to the file's mass, of level straight walks."""
    homes = [
        *(c3d_dir / "norm_subjects").iterdir(),
        *(c3d_dir / "children").iterdir(),
        c3d_dir / "labs_abroad/device_tuned_rotation",
    ]
    ratios = {}
    for home in homes:
        found = [steps_of(path) for path in sorted(home.glob("*.c3d")) if path.stem != "static"]
        level = {str(i): of for i, of in enumerate(found) if of[2] is TrialKind.STRAIGHT}
        times = {side: float(np.mean([of[1][side] for of in level.values() if side in of[1]])) for side in "LR"}
        weighed = session_mass({name: of[0] for name, of in level.items()}, times)
        masses = {of[3] for of in level.values()} - {None}
        if weighed is not None and masses:
            ratios[home.name] = weighed.mass_kg / masses.pop()
    return ratios


def test_only_the_child_whose_file_is_wrong_is_said_and_ten_percent_nearly_always(c3d_dir: Path) -> None:
    ratios = of_sessions(c3d_dir)
    assert len(ratios) >= 14
    assert [name for name, ratio in ratios.items() if abs(1.0 - ratio) > UNLIKE_STEPS_SHARE] == ["NP1002"]
    right = [ratio for name, ratio in ratios.items() if name != "NP1002"]
    for typed in (0.9, 1.1):
        said = [abs(1.0 - ratio / typed) > UNLIKE_STEPS_SHARE for ratio in right]
        assert np.mean(said) >= 0.9
    assert np.std(right) < 0.02


def test_a_session_says_it_and_an_aid_or_shoes_silence_it(sessions: Sessions) -> None:
    said = [finding for finding in sessions["norm_subjects/NP1002"].result.findings if finding.rule == "mass-unlike-steps"]
    assert [round(finding.values["steps_kg"], 1) for finding in said] == [pytest.approx(28.5, abs=0.3)]
    trials = sessions["norm_subjects/NP1002"].result.trials
    assert len(list(steps_findings(trials, Subject(mass_kg=24.2)))) == 1
    assert not list(steps_findings(trials, Subject(mass_kg=24.2), aided=True))
    assert not list(steps_findings(trials, Subject(mass_kg=27.2)))
    light = [replace(trial, plates=tuple(replace(p, force_lab_N=p.force_lab_N * 0.5) for p in trial.plates)) for trial in trials]
    assert list(steps_findings(light, Subject(mass_kg=15.4)))
    assert not list(steps_findings(light, Subject(mass_kg=15.4), worn=True))
