"""The stages of one trial, for whoever has a calibrated model and one recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.external import External
from biomech_id.gait.review import Review
from biomech_id.models.marker_response import Carried
from biomech_id.movement.movement import CalibratedModel
from biomech_id.pipeline.stage.analysis import TrialAnalysis
from biomech_id.pipeline.stage.measure import cycles, grade, measure_steps
from biomech_id.pipeline.stage.trial import solve_again
from biomech_id.request.recipe import Recipe
from biomech_id.session.solved import Solved
from biomech_id.trial import Subject, Trial


def solve_trial(
    trial: Trial,
    model: CalibratedModel,
    subject: Subject,
    recipe: Recipe,
    *,
    condition: str = "",
    review: Review | None = None,
    extra: Sequence[External] = (),
    carried: Carried = MappingProxyType({}),
) -> TrialAnalysis:
    """Fill, filter, place, find events, assign feet to plates and solve; cycles are not cut yet.

    Parameters
    ----------
    trial : Trial
        Recording as read, unfilled and unfiltered.
    model : CalibratedModel
        The body model, calibrated on this subject.
    subject : Subject
        Measurements of the person, after files and options.
    recipe : Recipe
        Settings of the main job.
    condition : str, optional
        Of the trials: "barefoot".
    review : Review | None, optional
        What was decided by hand; None takes the recipe's verdicts.
    extra : Sequence[External], optional
        Further wrenches on its segments.
    carried : Carried, optional
        What markers that are off in the static trial carry into this one (`models.marker_response`).

    Returns
    -------
    TrialAnalysis
        For `cut_and_grade`; its ``result`` has everything but cycles, measures and grades.

    Raises
    ------
    BiomechError
        The trial lacks something that kinematics need.
    """
    return solve_again(TrialAnalysis(trial, model, subject, condition, review, extra, carried), recipe)


def cut_and_grade(
    solved: TrialAnalysis, model: CalibratedModel, static_motion: BodyMotion | None, mean_cycle_s: Mapping[str, float]
) -> Solved:
    """Cut a solved trial into cycles, measure its steps and grade it.

    Parameters
    ----------
    solved : TrialAnalysis
        Trial with its loads, as `solve_trial` returned it.
    model : CalibratedModel
        For the static trial, with which markers and bones are compared.
    static_motion : BodyMotion | None
        For the static trial, with which markers and bones are compared.
    mean_cycle_s : Mapping[str, float]
        Side -> mean cycle time of the session, for stances whose next strike lies outside the trial.
    """
    walk = replace(solved, model=model, stood=static_motion, mean_cycle_s=mean_cycle_s)
    for stage in (cycles, measure_steps, grade):
        walk = stage(walk, Recipe())
    assert walk.result is not None
    return walk.result
