"""Stages that look at all trials together: muscle signals, and what steps tell of the plates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from biomech_id.errors import MissingInputError
from biomech_id.judgement.calibration_evidence import with_other_offsets
from biomech_id.judgement.grade import without_too_short
from biomech_id.judgement.plate_repairs import plate_repairs
from biomech_id.judgement.request_findings import settings_without_effect
from biomech_id.judgement.session_plates import plate_findings, tell_plates, with_plate_places
from biomech_id.models.conventional.implied_calibration import implied_calibration
from biomech_id.models.registry import DEFAULT_MODEL
from biomech_id.pipeline.emg import analyse_emg, emg_findings
from biomech_id.pipeline.stage.analysis import Analysis
from biomech_id.plates.records import read_population
from biomech_id.privacy.pseudonym import left_out_finding
from biomech_id.request.job import Job
from biomech_id.request.subject_file import clinic_of
from biomech_id.session.solved import Solved


def find_muscle_signals(session: Analysis, job: Job) -> Analysis:
    """Judge and process muscle signals, of trials without markers or gait too."""
    movements = tuple(walk.result for walk in session.walks if walk.result is not None)
    return replace(session, movements=movements, emg=analyse_emg(session.recordings, movements, session.recipe, session.reuse))


def judge_plates(session: Analysis, job: Job) -> Analysis:
    """Judge the plates by the steps of all trials, and say what muscle signals and settings show."""
    assert session.emg is not None
    recipe = session.recipe
    population = recipe.plate_population
    plates = tell_plates(session.movements, read_population(Path(population)) if population else None)
    judged = without_too_short(with_plate_places(_with_other_offsets(session), plates))
    movements, of_emg = emg_findings(session.emg, judged)
    given = {"written": session.written, "muscles": bool(session.emg.trials), "norm": session.norm is not None}
    given |= {"feet": any(group.feet for group in session.groups)}
    without_effect = settings_without_effect(recipe, movements, **given)
    findings = (*session.findings, *of_emg, *plate_findings(plates), *plate_repairs(movements), *without_effect)
    return replace(session, movements=tuple(movements), plates=plates, findings=findings)


def _with_other_offsets(session: Analysis) -> Sequence[Solved]:
    """The trials graded for thigh rotations that somebody tuned behind the static trial, where the static's are used."""
    results: Sequence[Solved] = session.movements
    for group in session.groups:
        static, recipe = group.static, group.job.recipe
        if static is not None and recipe.model == DEFAULT_MODEL and recipe.offsets == "static":
            implied = {trial.name: implied_calibration(trial, static=trial is static) for trial in group.trials}
            results = with_other_offsets(results, implied, static.name)
    return results


def leave_out(session: Analysis, job: Job) -> Analysis:
    """Refuse a session none of whose trials could be analysed; say what a code leaves out of the results.

    Raises
    ------
    MissingInputError
        Every trial failed; the message has each reason once.
    """
    if session.refused and not session.movements:
        raise MissingInputError(
            " ".join(["No trial could be analysed.", *dict.fromkeys(refused.sentence for refused in session.refused)]),
            value=[refused.path.name for refused in session.refused], expected="at least one trial the model can be placed in",
            where=str(session.own_job.folder),
        )  # fmt: skip
    own, conditions = session.groups[0].job, [each.condition for each in session.movements]
    left_out = left_out_finding(own, clinic_of(session.own_job.subject_toml), session.review, conditions)
    return replace(session, findings=(*session.findings, *left_out))
