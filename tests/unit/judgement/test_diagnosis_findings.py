"""A diagnosis among the findings of a run: asked for by the recipe, in both languages, and no curve moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.errors import Finding, MissingInputError, Severity
from biomech_id.judgement.diagnosis import CAUSES, Diagnosis, Found, likely_causes
from biomech_id.judgement.diagnosis.blocks import blocks_of, further
from biomech_id.judgement.diagnosis.causes import possible
from biomech_id.judgement.diagnosis.exchanges import exchanges
from biomech_id.judgement.diagnosis.gaits import AID, GAIT, gaits
from biomech_id.judgement.diagnosis.likely_causes import diagnosis_findings
from biomech_id.judgement.diagnosis.recorded import recorded_walk
from biomech_id.judgement.diagnosis.residuals import residuals
from biomech_id.languages import table
from biomech_id.pipeline.stage.trial import SOLVING, muscle_forces
from biomech_id.pipeline.stages import STAGES, Of
from biomech_id.trial import Trial

RULES = ("likely-cause", "likely-cause-known", "not-diagnosed", "aid-not-stated", "residuals-unexplained")


@pytest.fixture(scope="module")
def trials() -> tuple[Trial, Trial]:
    person = bid.virtual_subject()
    return person.static().trial, person.walk().trial


def of_diagnosis(static: Trial, walk: Trial, **settings: object) -> list[Finding]:
    session = bid.analyse([static, walk], budget=False, uncertainty=False, diagnose=True, **settings)
    return [finding for trial in session.computed.trials for finding in trial.findings if finding.rule in RULES]


def found(warns: bool, *, by_curves: bool = True, group: str = "thigh axis", size: float = 36.0, **moves: float) -> Found:
    sd = size / 7.0
    return Found(
        "LTHI forward, since",
        group,
        "mm",
        size,
        sd,
        9.0,
        (),
        {},
        (),
        moves,
        100.0,
        "",
        warns,
        "{}THI forward, since",
        "L",
        by_curves,
    )


def findings_of(likely: Found, trials: tuple[Trial, Trial], monkeypatch: pytest.MonkeyPatch, **unexplained: float) -> list[Finding]:
    static, walk = trials
    far = {(name, "L"): sds for name, sds in unexplained.items()}
    answer = Diagnosis("walk", {}, {}, 200.0, 140, (likely,), {}, far)
    monkeypatch.setattr(likely_causes, "diagnose", lambda *args, **more: answer)
    return list(diagnosis_findings(walk, bid.conventional_model(static), ""))


@pytest.mark.parametrize(
    ("likely", "rule"),
    [
        (found(True, knee=6.0), "likely-cause"),
        (found(False, knee=6.0), "likely-cause-known"),
        (found(True), "likely-cause-known"),
        (found(True, by_curves=False), "likely-cause"),
    ],
    ids=["moves a curve", "a way of walking explains it", "moves no curve", "no curve can show it"],
)
def test_somebody_has_to_act_only_where_a_curve_moves_and_nothing_else_explains_it(
    trials: tuple[Trial, Trial], monkeypatch: pytest.MonkeyPatch, likely: Found, rule: str
) -> None:
    (finding,) = findings_of(likely, trials, monkeypatch)
    assert finding.rule == rule
    assert finding.severity is (Severity.WARNING if rule == "likely-cause" else Severity.INFO)
    assert "LTHI forward, since the static trial (+36 ± 5.1 mm)" in finding.message
    assert "LTHI nach vorn, seit der Standmessung (+36 ± 5,1 mm)" in finding.text("de")


def test_a_way_of_walking_is_no_finding(trials: tuple[Trial, Trial], monkeypatch: pytest.MonkeyPatch) -> None:
    assert findings_of(found(False, group=GAIT, knee=6.0), trials, monkeypatch) == []


def test_an_aid_that_nobody_states_is_asked_for(trials: tuple[Trial, Trial], monkeypatch: pytest.MonkeyPatch) -> None:
    (finding,) = findings_of(found(False, group=AID, knee=6.0), trials, monkeypatch)
    assert (finding.rule, finding.severity) == ("aid-not-stated", Severity.INFO)


def test_what_no_cause_explains_is_named_the_furthest_first(trials: tuple[Trial, Trial], monkeypatch: pytest.MonkeyPatch) -> None:
    far = {"a": -9.51, "b": 9.0, "c": 8.0, "d": 7.0, "e": 6.5, "f": 6.1}
    _, finding = findings_of(found(True, knee=6.0), trials, monkeypatch, **far)
    assert (finding.rule, finding.severity) == ("residuals-unexplained", Severity.WARNING)
    assert finding.values == {
        "residuals": "'a L' (-9.5 SD); 'b L' (+9.0 SD); 'c L' (+8.0 SD); 'd L' (+7.0 SD); 'e L' (+6.5 SD)",
        "n": 6,
    }


def test_a_large_size_is_no_power_of_ten(trials: tuple[Trial, Trial], monkeypatch: pytest.MonkeyPatch) -> None:
    (finding,) = findings_of(found(True, size=2481.0, knee=6.0), trials, monkeypatch)
    assert "(+2480 ± 350 mm)" in finding.message


def test_what_cannot_be_solved_ends_no_run(trials: tuple[Trial, Trial], monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*args: object, **more: object) -> Diagnosis:
        raise np.linalg.LinAlgError("Singular matrix")

    static, walk = trials
    monkeypatch.setattr(likely_causes, "diagnose", breaks)
    assert [finding.rule for finding in diagnosis_findings(walk, bid.conventional_model(static), "")] == ["not-diagnosed"]


def test_a_trial_that_is_solved_again_goes_through_the_same_stages() -> None:
    of_trials = [stage.function for stage in STAGES if stage.of is Of.TRIAL]
    assert list(SOLVING) == of_trials[: of_trials.index(muscle_forces) + 1]


@pytest.mark.slow
def test_a_plate_without_its_load_has_to_be_looked_at(trials: tuple[Trial, Trial]) -> None:
    static, walk = trials
    plate = walk.plates[0]
    silent = replace(plate, force_lab_N=0.0 * plate.force_lab_N, moment_lab_Nm=0.0 * plate.moment_lab_Nm)
    told = of_diagnosis(static, replace(walk, plates=(silent, *walk.plates[1:])))
    assert ("likely-cause", "plate silent") in [(finding.rule, finding.values["class"]) for finding in told]


def test_a_walk_that_cannot_be_diagnosed_says_so_and_goes_on(trials: tuple[Trial, Trial], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*args: object, **more: object) -> Diagnosis:
        raise MissingInputError("walk holds no whole stride.", value=0, expected="a stride", where="walk")

    static, walk = trials
    monkeypatch.setattr(likely_causes, "diagnose", refuses)
    assert [finding.rule for finding in diagnosis_findings(walk, bid.conventional_model(static), "")] == ["not-diagnosed"]


def test_another_model_has_no_diagnosis(trials: tuple[Trial, Trial]) -> None:
    assert [finding.rule for finding in of_diagnosis(*trials, model="six-dof")] == ["not-diagnosed"]


def test_every_cause_has_german_words(trials: tuple[Trial, Trial]) -> None:
    static, walk = trials
    judged = residuals(recorded_walk(walk, bid.conventional_model(static)))
    every = [*possible(judged.session, set(judged.values)), *gaits(judged.session, judged.values), *further(judged.session)]
    kinds = {one.kind for one in every if one.kind} | set(CAUSES.keys())
    kinds |= {one.kind for one in blocks_of(every, judged.session)} | {one.kind for one in exchanges(judged.session)}
    assert len(kinds) > 130
    assert kinds <= set(table("de")["words"]["likeliest"])


@pytest.mark.slow
def test_a_thigh_wand_aside_is_a_finding_and_moves_no_curve(trials: tuple[Trial, Trial]) -> None:
    static, walk = trials
    position_m = walk.markers.position_m.copy()
    position_m[:, walk.markers.names.index("LTHI"), 0] += 0.04
    moved = replace(walk, markers=walk.markers.with_positions(position_m))
    assert "thigh axis" in [finding.values["class"] for finding in of_diagnosis(static, moved) if finding.rule == "likely-cause"]
    asked, bare = (bid.analyse([static, moved], diagnose=asked).tables() for asked in (True, False))
    for name in ("cycles", "spatiotemporal", "peaks", "scores", "stances", "gaps", "quality"):
        assert getattr(asked, name).equals(getattr(bare, name)), name


@pytest.mark.slow
def test_an_untouched_walk_warns_of_nothing(trials: tuple[Trial, Trial]) -> None:
    assert [finding.rule for finding in of_diagnosis(*trials) if finding.rule == "likely-cause"] == []
