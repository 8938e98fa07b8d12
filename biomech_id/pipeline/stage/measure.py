"""Stages of one solved trial: cut into cycles, measured and graded; before them the times that all trials tell together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from biomech_id.dynamics.body import BodyMotion
from biomech_id.feet.feet import Feet
from biomech_id.feet.movements import ADDED_MOVEMENTS, TrialKind
from biomech_id.gait.cycles import cut_cycles, mean_cycle_times
from biomech_id.gait.measures.spatiotemporal import gait_parameters
from biomech_id.gait.review import apply_cycles
from biomech_id.judgement.grade import grade_trial
from biomech_id.judgement.laboratory.left_behind import left_behind
from biomech_id.judgement.plate_peaks import peaks_finding
from biomech_id.movement.cycle import Cycle
from biomech_id.pipeline.airborne import with_jumps, with_running, with_squats
from biomech_id.pipeline.stage.analysis import Analysis, TrialAnalysis
from biomech_id.pipeline.stage.reuse import settle
from biomech_id.pipeline.whole_body import with_plate_steps, with_trunk_and_arms, with_whole_body
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.solved import Solved
from biomech_id.trial import Subject, Trial


def cycle_times(session: Analysis, job: Job) -> Analysis:
    """Tell every trial the mean cycle times of its condition, and how its model stands in the static trial."""
    by_condition: dict[str, list[Cycle]] = {}
    for walk in session.walks:
        result = _solved(walk)
        if result.kind is TrialKind.STRAIGHT:
            by_condition.setdefault(result.condition, []).extend(cut_cycles(_recorded(walk), result.events))
    means = {condition: mean_cycle_times(of_condition) for condition, of_condition in by_condition.items()}
    stood: dict[int, BodyMotion | None] = {}
    for group in session.groups:
        static = group.model.static
        stood[id(group.model)] = None if static is None else group.model.track(static, kinetics=session.recipe.kinetics)
    walks = (
        replace(walk, mean_cycle_s=means.get(_solved(walk).condition, {}), stood=stood[id(walk.model)]) for walk in session.walks
    )
    return replace(
        session,
        walks=tuple(settle(walk, session.recipe) for walk in walks),
        statics=tuple(stood[id(group.model)] for group in session.groups),
    )


def cycles(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Cut the trial into cycles, and leave out those that somebody left out."""
    result, feet = _solved(walk), _feet(walk)
    given: dict[str, Any] = {"travel": feet.travel, "landmarks": feet.landmarks, "mean_cycle_s": walk.mean_cycle_s}
    added = ADDED_MOVEMENTS.get(result.kind)
    if added and added.cut:
        cut = tuple(added.cut(result, feet.landmarks))
    else:
        cut = cut_cycles(_recorded(walk), result.events, result.assignment, **given)
    return replace(walk, result=replace(result, cycles=apply_cycles(cut, walk.by_hand.cycles)))


def measure_steps(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Measure steps, whole body, trunk and arms, and what runs, jumps and squats have beside them."""
    result, feet, leg_length_m = _solved(walk), _feet(walk), _leg_length_m(walk.model.subject)
    landmarks, travel = feet.landmarks, feet.travel
    added = ADDED_MOVEMENTS.get(result.kind)
    if added and added.measure:
        parameters = tuple(added.measure(result, landmarks))
    else:
        parameters = gait_parameters(landmarks, result.events, result.cycles, travel=travel, leg_length_m=leg_length_m)
    result = with_trunk_and_arms(with_whole_body(replace(result, parameters=parameters), landmarks, travel))
    result = with_plate_steps(result, landmarks, travel)
    result = with_squats(with_jumps(with_running(result, landmarks, travel, leg_length_m), landmarks), landmarks)
    return replace(walk, result=result)


def grade(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Grade the trial by the rules of quality, and keep what a laboratory's charts are made of."""
    result = _solved(walk)
    peaks = result.as_recorded and peaks_finding(result, result.as_recorded)
    if peaks:
        result = replace(result, findings=(*result.findings, peaks))
    result = grade_trial(result, _recorded(walk).markers, walk.model, walk.stood)
    return replace(walk, result=replace(result, static=walk.static, residuals=left_behind(walk.trial, walk.model)))


def _solved(walk: TrialAnalysis) -> Solved:
    assert walk.result is not None  # `describe` comes first
    return walk.result


def _recorded(walk: TrialAnalysis) -> Trial:
    assert walk.movement is not None
    return walk.movement.trial


def _feet(walk: TrialAnalysis) -> Feet:
    assert walk.movement is not None
    assert walk.movement.feet is not None
    return walk.movement.feet


def _leg_length_m(subject: Subject) -> float | None:
    lengths = tuple(subject.leg_length_m.values())
    return sum(lengths) / len(lengths) if lengths else None
