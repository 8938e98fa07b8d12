"""Stages that choose and calibrate the body model, and line up the trials that it is placed in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from biomech_id.errors import Finding, MissingInputError
from biomech_id.judgement.request_findings import request_findings, static_findings
from biomech_id.judgement.static_choice import static_of_another_visit
from biomech_id.models.marker_response import calibration_responses
from biomech_id.pipeline.choose_model import known_markers
from biomech_id.pipeline.conditions import choose_models, in_order
from biomech_id.pipeline.emg import analyse_emg, is_emg_reference_alone
from biomech_id.pipeline.extra_forces import forces_of
from biomech_id.pipeline.stage.analysis import Analysis, TrialAnalysis
from biomech_id.pipeline.worn import refuse_unlike_footwear
from biomech_id.request.intake import is_functional, only_frame
from biomech_id.request.job import Job
from biomech_id.request.subject_file import condition_of, worn_in
from biomech_id.trial import Trial


def calibrate_models(session: Analysis, job: Job) -> Analysis:
    """Choose a body model and calibrate it, once for each condition with a static trial of its own.

    Raises
    ------
    MissingInputError
        The recordings allow no model, and muscle signals alone are not there either.
    """
    try:
        groups = choose_models(session.own_job, session.intake.trials, session.own_review.placements)
    except MissingInputError as error:
        named = job.recipe.chosen_marker_set is not None
        if named or known_markers(session.intake.trials) or not analyse_emg(session.recordings, (), session.recipe).trials:
            raise
        # Nobody knows what the markers lie on; what the muscles did is known all the same.
        # Results hold no absolute path, and no sentence begins with the one that stands for it.
        folder = str(session.own_job.folder)
        refusal = error.message.replace(f"{folder} cannot", "The folder cannot").replace(folder, ".")
        unknown = Finding("muscles-without-model", {"refusal": refusal}, ".")
        return replace(session, emg_only=True, findings=(unknown,))
    chosen = tuple(finding for group in groups for finding in group.findings)
    return replace(session, groups=groups, findings=(*session.findings, *chosen))


def expect(session: Analysis, job: Job) -> Analysis:
    """Say of settings, decisions and static trials what does not fit the recordings."""
    first, others = session.groups[0], session.groups[1:]
    every = tuple(trial for group in session.groups for trial in group.trials)
    asked = request_findings(first.job, every, first.static, first.subject, session.own_review)
    statics = (finding for group in others for finding in static_findings(group.static, group.subject))
    unlike = (finding for group in session.groups for finding in static_of_another_visit(group.model, group.static, group.trials))
    return replace(session, findings=(*session.findings, *asked, *statics, *unlike))


def line_up(session: Analysis, job: Job) -> Analysis:
    """List the trials to be analysed, each with its model, condition, footwear, further forces and errors of calibration."""
    own, called = session.groups[0].job, session.names
    pairs = [pair for pair in in_order(session.groups, session.intake.trials) if not _has_a_purpose(pair[0], own)]
    condition = condition_of(own.subject_toml)
    extra = forces_of(own, [trial for trial, _ in pairs], called=called.trial)
    carried = {
        id(group): calibration_responses(group.model, group.recalibrate) if own.recipe.uncertainty else {}
        for group in session.groups
    }
    refuse_unlike_footwear(pairs, condition)
    whole = (own.recipe.report and session.drawn) or own.recipe.review_page or session.norm is not None or session.reuse is not None
    walks = [
        TrialAnalysis(
            trial, group.model, group.subject, review=session.own_review, extra=extra.get(trial.name, ()),
            condition=f"{called.condition(condition(Path(trial.path).stem))} {group.placement}".strip(), carried=carried[id(group)],
            worn=worn_in(trial, group.subject, condition(Path(trial.path).stem)), static=group.static.name if group.static else "",
            foot_models=group.feet, whole=whole,
        )
        for trial, group in pairs
    ]  # fmt: skip
    return replace(session, walks=tuple(walks))


def _has_a_purpose(trial: Trial, job: Job) -> bool:
    """Whether a trial was recorded for something else than to be analysed: joint centres, contractions, one frame of standing."""
    return only_frame(trial) is not None or is_functional(trial, job) or is_emg_reference_alone(trial, job.recipe)
