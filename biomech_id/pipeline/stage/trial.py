"""Stages of one trial: prepared, tracked, its feet and events found, feet put on plates, solved, with its errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.segment_energy import energy_sentences
from biomech_id.dynamics.selfcheck import self_checks
from biomech_id.dynamics.upper_loads import solve_upper_body
from biomech_id.errors import MissingInputError
from biomech_id.feet.feet import find_feet
from biomech_id.feet.floor import find_belts
from biomech_id.feet.stance_intervals import frames_within
from biomech_id.gait.events import search_events
from biomech_id.gait.review import Review, corrected
from biomech_id.gait.tracked import solve_movement, with_plates
from biomech_id.languages import Sentence
from biomech_id.models.body_response import body_markers
from biomech_id.models.conventional.upper_body.track import upper_body_findings
from biomech_id.models.landmarks import with_roles
from biomech_id.models.marker_response import leg_responses
from biomech_id.models.registry import model_file
from biomech_id.movement.movement import Movement
from biomech_id.pipeline.extra_forces import split_forces
from biomech_id.pipeline.inside_feet import with_feet
from biomech_id.pipeline.long_recordings import require_room
from biomech_id.pipeline.prepare import prepare as prepare_trial
from biomech_id.pipeline.stage.analysis import TrialAnalysis
from biomech_id.pipeline.worn import with_worn
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.request.review_file import verdict_from
from biomech_id.session.solved import Solved
from biomech_id.trial import Trial
from biomech_id.trial.worn import bears_weight
from biomech_id.uncertainty.recording import sources_of_error
from biomech_id.uncertainty.sizes import error_sizes


def prepare_walk(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Fill gaps and filter what is raw; a recording without movement, or too long for the memory, is refused."""
    require_room(walk.trial, bands=recipe.uncertainty, whole=walk.whole, opensim=model_file(recipe.model) is not None)
    _require_movement(walk.trial)
    return replace(walk, prepared=prepare_trial(walk.trial, walk.model, recipe))


def track(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Place the body model in every frame."""
    assert walk.prepared is not None
    trial = walk.prepared.trial
    # A plug-in's model may return a plain motion, or a movement of the model that it stands on.
    return replace(walk, movement=Movement.of(walk.model.track(trial, kinetics=recipe.kinetics), trial, walk.model))


def feet(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Find landmarks of the feet, contacts, floor and the way of travel."""
    movement = _placed(walk)
    found = find_feet(movement.trial, movement, body_mass_kg=walk.subject.mass_kg, contact_N=recipe.contact_N)
    return replace(walk, movement=replace(movement, feet=found))


def events(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Find gait events, and follow what somebody decided about them."""
    movement = _placed(walk)
    by_hand = (walk.review or Review(tuple(map(verdict_from, recipe.stance_verdicts)))).of_trial(walk.trial.name)
    search = search_events(movement.trial, movement, source=recipe.event_source, feet=movement.feet)
    return replace(walk, by_hand=by_hand, movement=replace(movement, search=corrected(movement.trial, search, by_hand)))


def put_on_plates(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Put feet on force plates, by rules and by hand."""
    movement = _placed(walk)
    if not movement.trial.plates:
        return walk
    found = with_plates(
        movement, feet=movement.feet, kinetics=recipe.kinetics, verdicts=walk.by_hand.verdicts, body_mass_kg=walk.subject.mass_kg
    )
    return replace(walk, movement=found)


def solve_joints(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Solve the joints from the feet upwards, with the plates as filtered and, where that differs, as recorded; then the arms."""
    movement = _placed(walk)
    trial, assignment = movement.trial, movement.assignment
    on_legs, above = split_forces(movement, walk.extra)
    loads, as_recorded = None, None
    if trial.plates:
        loads = solve_movement(movement, extra=on_legs, budget=recipe.budget)
        if any(plate.spread_s for plate in trial.wrench_plates or ()) and assignment:
            as_recorded = solve_movement(movement, assignment.recorded, extra=on_legs)
    upper_loads = solve_upper_body(movement, loads, extra=above) if movement.pelvis_mass is not None else None
    return replace(walk, loads=loads, as_recorded=as_recorded, upper_loads=upper_loads)


def errors(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """List the sources of error of angles and loads, each with its effect."""
    if not recipe.uncertainty:
        return walk
    movement = _placed(walk)
    assert walk.prepared is not None
    responses = leg_responses(walk.model, movement.trial, movement, walk.carried)
    if getattr(walk.model, "fit_root", None) is not None:
        from biomech_id.osim.fit.errors import with_fit_errors
        from biomech_id.osim.skeletal_model import SkeletalModel

        assert isinstance(walk.model, SkeletalModel)
        responses = {side: with_fit_errors(walk.model, movement.trial, side, each) for side, each in responses.items()}
    body, sizes = body_markers(walk.model, movement.trial, movement), error_sizes(recipe.error_sizes)
    found = sources_of_error(movement, walk.model.errors, walk.prepared.filter, sizes, responses, body)
    return replace(walk, errors=found)


def describe_trial(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Collect what is known of the trial, with what was noticed on the way."""
    movement, prepared = _placed(walk), walk.prepared
    assert prepared is not None
    assert movement.feet is not None
    assert movement.search is not None
    trial, search, assignment, mass_kg = movement.trial, movement.search, movement.assignment, walk.subject.mass_kg
    result = Solved(
        name=trial.name,
        file=Path(trial.path).name,
        kind=movement.feet.travel.kind,
        condition=walk.condition,
        motion=movement,
        loads=walk.loads,
        assignment=assignment,
        events=search.events,
        agreement=search.agreement,
        gaps=prepared.gaps,
        plates=trial.plates,
        errors=walk.errors,
        mass_kg=mass_kg,
        history=(*trial.history, *(_checks(walk.loads, mass_kg) if walk.loads else ())),
        findings=(
            *trial.findings,
            *search.findings,
            *(assignment.findings if assignment else ()),
            *upper_body_findings(movement, with_roles(trial.markers), trial.name),
        ),
        as_recorded=walk.as_recorded,
        bandwidth=prepared.plate_filter.words if trial.plates else "",
        markers=trial.markers,
        analog=trial.analog,
        belts=find_belts(movement.feet.landmarks, search.events, movement.feet.travel),
        upper_loads=walk.upper_loads,
        extra=tuple(walk.extra),
    )
    flat = walk.model.static is not None and walk.model.calibration.to_dict().get("foot_flat") is True
    result = with_feet(result, walk.model.named(walk.trial), trial, walk.foot_models, flat=flat)
    return replace(walk, prepared=None, errors={}, result=with_worn(result, walk.worn) if walk.worn else result)


def diagnose_walk(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Name the likeliest causes of what contradicts itself in the walk, where the recipe asks for it."""
    if not recipe.diagnose:
        return walk
    from biomech_id.judgement.diagnosis.likely_causes import diagnosis_findings

    assert walk.result is not None
    noticed = diagnosis_findings(walk.trial, walk.model, walk.result.aid)
    return replace(walk, result=replace(walk.result, findings=(*walk.result.findings, *noticed)))


def check_muscles(job: Job) -> None:
    """Refuse a model without muscles that could be given a force, before any recording is read.

    Raises
    ------
    FileRefusedError, MissingInputError, InvalidValueError
        As of `read_actuated`.
    """
    if job.recipe.muscle_forces and "model" in job.setting_files:
        from biomech_id.osim.forces.actuators import read_actuated

        read_actuated(job.setting_files["model"]).paths()


def muscle_forces(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Find muscle and contact forces, where that was asked for and the model has muscles at all."""
    if not (recipe.muscle_forces and walk.loads and walk.result):
        return walk
    from biomech_id.osim.forces.leg_forces import implausible, leg_forces
    from biomech_id.osim.skeletal_model import SkeletalModel

    if not isinstance(walk.model, SkeletalModel):
        return walk
    on_legs, _ = split_forces(_placed(walk), walk.extra)
    legs, noticed = leg_forces(walk.model, _placed(walk), walk.loads, recipe.force_options, extra=on_legs)
    if walk.result.kind.walking:
        alone = {side: carrying_alone(walk.result, walk.trial.time_s, side) for side in legs}
        noticed = (*noticed, *implausible(legs, alone, walk.trial.name))
    return replace(walk, result=replace(walk.result, muscle_forces=legs, findings=(*walk.result.findings, *noticed)))


def carrying_alone(result: Solved, time_s: FloatArray, side: str) -> BoolArray:
    """Return the frames (n,) in which one foot alone carries the body; none with an aid, which may bear a part of it.

    Parameters
    ----------
    result : Solved
        Of the trial, with its cycles.
    time_s : FloatArray
        (n,), of the frames.
    side : str
        Side of the foot.
    """
    alone = np.zeros(len(time_s), dtype=bool)
    for cycle in result.cycles if not bears_weight(result.aid) else ():
        if cycle.side == side:
            alone |= frames_within(time_s, cycle.opposite_off_s, cycle.opposite_strike_s)
    return alone


#: What `solve_again` does, in the order of ``pipeline.stages.STAGES``.
SOLVING = (prepare_walk, track, feet, events, put_on_plates, solve_joints, errors, describe_trial, diagnose_walk, muscle_forces)


def solve_again(walk: TrialAnalysis, recipe: Recipe) -> TrialAnalysis:
    """Take one trial through all stages up to its cycles."""
    for stage in SOLVING:
        walk = stage(walk, recipe)
    return walk


def _placed(walk: TrialAnalysis) -> Movement:
    assert walk.movement is not None  # `track` comes first
    return walk.movement


def _checks(loads: JointLoads, mass_kg: float | None) -> Iterator[Sentence]:
    """What the solution says of itself: that the equations hold, and what energy they leave open."""
    yield from (check.sentence for check in self_checks(loads))
    yield from energy_sentences(loads, mass_kg)


def _require_movement(trial: Trial) -> None:
    """Refuse a trial that shows its markers in a single frame.

    Raises
    ------
    MissingInputError
        Nothing moves in it.
    """
    shown = int((np.isfinite(trial.markers.position_m[:, :, 0]).sum(axis=1) > 0).sum())
    if shown < 2:
        cut = "".join(f"{finding.message} " for finding in trial.findings if finding.rule == "data-cut")
        raise MissingInputError(
            f"{cut}{trial.name} shows its markers in {shown} of {trial.n_frames} frames: there is no movement in it.",
            value=shown, expected="a recording of a movement", where=trial.name,
        )  # fmt: skip
