"""The main job on one subject, as one flat list of named stages.

read, check, calibrate; and for each trial: fill, filter, place segments and differentiate, find events, assign feet to plates,
solve, cut cycles, measure, grade; then express and normalise, write, report. Each verb is one public function of one room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Unpack

import numpy as np

from biomech_id.arguments import Kind, a, a_path, a_str, one_or_several, or_none, takes
from biomech_id.conventions import MM_PER_M
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.external import External
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.segment_energy import energy_sentences
from biomech_id.dynamics.selfcheck import self_checks
from biomech_id.dynamics.upper_loads import solve_upper_body
from biomech_id.emg.findings import record_findings
from biomech_id.errors import BiomechError, Finding, MissingInputError, OptionError, OutputError
from biomech_id.exports.c3d.write import write_results
from biomech_id.feet.feet import find_feet
from biomech_id.feet.floor import find_belts
from biomech_id.feet.movements import TrialKind
from biomech_id.files.inputs import InputsRead, reading_once
from biomech_id.files.json_text import json_text
from biomech_id.files.settings import refuse_unknown_options
from biomech_id.files.surroundings import surroundings
from biomech_id.files.unfinished import clear_beside
from biomech_id.gait.cycles import cut_cycles, mean_cycle_times
from biomech_id.gait.events import search_events
from biomech_id.gait.measures.spatiotemporal import gait_parameters
from biomech_id.gait.review import Review, apply_cycles, corrected
from biomech_id.gait.tracked import solve_movement, with_plates
from biomech_id.judgement.calibration_evidence import computed_again, other_offsets, with_other_offsets
from biomech_id.judgement.grade import grade_trial, kinetics_finding
from biomech_id.judgement.knee_axis import judge_knee_axes, knee_axis_findings, with_knee_axes
from biomech_id.judgement.plate_peaks import peaks_finding
from biomech_id.judgement.request_findings import request_findings, settings_without_effect, static_findings, steps_findings
from biomech_id.judgement.session_plates import PlatesTold, plate_findings, plates_summary, tell_plates, with_plate_places
from biomech_id.languages import Sentence
from biomech_id.markersets import load_markerset
from biomech_id.models.conventional.implied_calibration import implied_calibration
from biomech_id.models.conventional.upper_body.track import upper_body_findings
from biomech_id.models.landmarks import with_roles
from biomech_id.models.marker_response import Carried, calibration_responses, leg_responses
from biomech_id.models.registry import DEFAULT_MODEL, registered_name
from biomech_id.models.still_window import stillest_window
from biomech_id.movement.cycle import Cycle
from biomech_id.movement.movement import CalibratedModel, Movement
from biomech_id.norms.comparable import fingerprint_of_norm
from biomech_id.norms.contributors import samples_of
from biomech_id.norms.fit import norm_for_session
from biomech_id.pipeline.airborne import with_jumps, with_running, with_squats
from biomech_id.pipeline.attest import attested, noting
from biomech_id.pipeline.choose_model import ChosenModel, known_markers
from biomech_id.pipeline.conditions import choose_models, in_order
from biomech_id.pipeline.emg import analyse_emg, emg_findings, is_emg_reference_alone, muscles_alone
from biomech_id.pipeline.extra_forces import forces_of, split_forces
from biomech_id.pipeline.long_recordings import out_of_memory, require_any_room, require_room
from biomech_id.pipeline.prepare import prepare
from biomech_id.pipeline.repairs import copies_among, repaired, with_static
from biomech_id.pipeline.review_page import REVIEW_PAGE, write_own_page
from biomech_id.pipeline.second_forces import with_forces_beside
from biomech_id.pipeline.whole_body import whole_body_findings, with_plate_steps, with_trunk_and_arms, with_whole_body
from biomech_id.pipeline.worn import refuse_unlike_footwear, with_worn, worn_in
from biomech_id.plates.records import read_population
from biomech_id.privacy.last_scan import last_scan
from biomech_id.privacy.pseudonym import Pseudonym, check_code, left_out_finding, pseudonym
from biomech_id.readers import read, read_recording
from biomech_id.readers.vertical import ROTATION_TO_Z_UP
from biomech_id.request.in_memory import InMemory, forces_by_trial, named_trial, own_functions, trials_in_memory
from biomech_id.request.input_hashes import make_key
from biomech_id.request.intake import Intake, Refused, is_functional, one_subject, only_frame, read_all, subject_of, with_markers
from biomech_id.request.job import Job, refuse_alike
from biomech_id.request.plate_types import with_plates_placed
from biomech_id.request.recipe import Recipe, Settings
from biomech_id.request.review_file import verdict_from
from biomech_id.request.subject_file import clinic_of, condition_of
from biomech_id.session.folder.read_write import check_replaceable, read_back, write_folder
from biomech_id.session.folder.replay import write_replays
from biomech_id.session.output.from_session import session_tables
from biomech_id.session.session import Session
from biomech_id.session.solved import Failure, Solved
from biomech_id.session.tables.means import RUNNING
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.trial_tables import frames
from biomech_id.session.values.emg import SessionEmg, envelopes_at
from biomech_id.session.values.fingerprint import not_recorded
from biomech_id.session.values.norm import movement_of, read_norm
from biomech_id.session.values.step import Progress, Step, stage
from biomech_id.session.values.summary import complaints_of, verdict_sentence
from biomech_id.trial import Subject, Trial
from biomech_id.trial.subject import BODY_MASS
from biomech_id.trial.worn import NOT_STATED, Footwear, bears_weight
from biomech_id.uncertainty.recording import sources_of_error
from biomech_id.uncertainty.sizes import error_sizes


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind for whoever started it.

    Attributes
    ----------
    headline : str
        One line: what was written where, and the verdict.
    complaints : tuple[str, ...]
        One sentence for each thing that makes the exit code 3.
    n_trials : int
        Number of trials analysed.
    """

    headline: str
    complaints: tuple[str, ...]
    n_trials: int


def run_job(job: Job, out: Path, *, progress: Progress | None = None, report: bool = True) -> Outcome:
    """Analyse one subject and write its folder: every table, and the report.

    Parameters
    ----------
    job : Job
        What is to be analysed, and how.
    out : Path
        Folder of the results.
    progress : Progress | None, optional
        Told of every step; None for nobody.
    report : bool, optional
        Whether the report that the recipe asks for is drawn now; otherwise `pipeline.redraw.redraw` draws it, the same bytes.

    Raises
    ------
    BiomechError
        Nothing could be analysed, or nothing could be written; ``out`` is then as it was.
    """
    clear_beside(out)
    check_replaceable(out)
    make_key(job.key, coded=bool(job.code), out=out)
    session, nameless = analyse_named(job, progress=progress, written=True)
    with stage("tabulate"):
        tables = session.tables()
    printed, undrawn = list[str](), list[str]()
    extras: list[Callable[[Path], None]] = [partial(write_replays, trials=session.movements)]
    if job.recipe.report and report:
        draw = partial(_draw_written, manifest=tables.manifest, printed=printed, code=job.code, progress=progress)
        extras.append(partial(_drawn, draw=draw, name="report.pdf", undrawn=undrawn))
    if job.recipe.write_c3d:
        extras.append(partial(_write_back, session=session, job=job))
    if job.recipe.review_page:
        extras.append(partial(_drawn, draw=partial(write_own_page, tables=tables), name=REVIEW_PAGE, undrawn=undrawn))
    if job.code:
        extras.append(partial(last_scan, words=nameless.words, printed=printed, also=json_text(tables.manifest)))
    with stage("write"):
        write_folder(tables, out, extras=extras, owner_only=job.recipe.owner_only)
    return _outcome(session, out, undrawn=[nameless.of(said) for said in undrawn])


def analyse_job(job: Job, *, progress: Progress | None = None, trust: bool = False, written: bool = False) -> Session:
    """Analyse one subject and return everything as values; nothing is written.

    Parameters
    ----------
    job : Job
        What is to be analysed, and how.
    progress : Progress | None, optional
        Told of every step; None for nobody.
    trust : bool, optional
        Whether the files are read in this process, without the sandbox.
    written : bool, optional
        Whether the results will be written to a folder.

    Raises
    ------
    BiomechError
        Nothing could be analysed; the sentence says what is missing and what to do.
    """
    return analyse_named(job, progress=progress, trust=trust, written=written)[0]


def analyse_named(
    job: Job, *, progress: Progress | None = None, trust: bool = False, written: bool = False
) -> tuple[Session, Pseudonym]:
    """Analyse one subject, and say what everything is called under its code (see `analyse_job`).

    Parameters
    ----------
    job : Job
        What is to be analysed, and how.
    progress : Progress | None, optional
        Told of every step; None for nobody.
    trust : bool, optional
        Whether the files are read in this process, without the sandbox.
    written : bool, optional
        Whether the results will be written to a folder.

    Raises
    ------
    BiomechError
        As for `analyse_job`.
    """
    if job.code:
        check_code(job.code)
    with reading_once() as seen:
        return _analyse_noted(job, seen, progress=progress, trust=trust, written=written)


def _analyse_noted(
    job: Job, seen: InputsRead, *, progress: Progress | None, trust: bool, written: bool
) -> tuple[Session, Pseudonym]:
    norm, review = _norm(job), job.decisions()
    job = with_static(job, review.repairs)
    files, marker_set = job.files(), job.recipe.chosen_marker_set
    before = job.input_files(files)
    seen.expect(before.values())
    if marker_set is not None:
        load_markerset(marker_set)  # refused once, and not with every file
    reader = noting(partial(read, trust=trust, marker_set=marker_set, plates=job.recipe.declared_plates), seen)
    with stage("read"):
        intake = Intake(job.given.trials, ()) if job.given.trials else read_all(files, reader, progress)
        if not job.given.trials:
            intake = replace(intake, trials=with_forces_beside(intake.trials, reader))
    require_any_room()
    nameless = pseudonym(job, files, intake)
    try:
        one_subject(intake.trials)
        session = _analyse_read(job, intake, nameless, norm, review, progress=progress, written=written)
        hashes, changed = attested(before, job.input_files(files), seen)
        inputs = job.manifest_inputs(hashes, {name: nameless.input(name) for name in hashes})
        # By their inputs recordings of the same person are known again, whatever code they bear.
        session = replace(session, inputs=inputs)
        session = replace(session, fitted_norm=norm_for_session(session))
        noticed = map(nameless.of_finding, (*_compared(session, job), *changed))
        return replace(session, session_findings=(*session.session_findings, *noticed)), nameless
    except BiomechError as error:
        error.under_code = nameless.of(error.message) if job.code else ""
        raise


def analyse_intake(job: Job, intake: Intake, *, progress: Progress | None = None) -> Session:
    """Analyse recordings that were read already; nothing is written, and no norm is asked for.

    Parameters
    ----------
    job : Job
        What is to be analysed, and how; without a code.
    intake : Intake
        Its recordings, and the files that could not be read.
    progress : Progress | None, optional
        Told of every step; None for nobody.

    Returns
    -------
    Session
        As of `analyse_job`, without hashes of its inputs.

    Raises
    ------
    BiomechError
        Nothing could be analysed; its ``cures`` say what somebody can do about it.
    """
    refuse_alike(Path(trial.path) for trial in intake.trials)
    reader = partial(read, marker_set=job.recipe.chosen_marker_set)
    intake = replace(intake, trials=with_forces_beside(intake.trials, reader))
    one_subject(intake.trials)
    return _analyse_read(job, intake, Pseudonym(), None, job.decisions(), progress=progress, written=True)


def _analyse_read(
    job: Job, intake: Intake, nameless: Pseudonym, norm: Any, review: Review, *, progress: Progress | None, written: bool
) -> Session:
    """Analyse recordings that were read; under a code everything in the session bears the names that are made here."""
    marker_set = job.recipe.chosen_marker_set
    everything, job = tuple(map(nameless.of_trial, intake.trials)), nameless.of_job(job)
    # A decision may name a trial as its file is called, or as a code has it.
    review, found = nameless.of_review(review), review
    everything = repaired(everything, review.repairs)
    everything = tuple(with_plates_placed(trial, job.recipe.plate_places) for trial in everything)
    if muscles_alone(everything, job.recipe):
        return _without_movement(job, nameless, replace(intake, trials=everything))
    trials, markerless = with_markers(everything)
    twice = copies_among(job, trials, review.repairs)
    trials, everything = (tuple(trial for trial in each if trial.name not in twice) for each in (trials, everything))
    intake = replace(intake, trials=trials)
    try:
        with stage("calibrate"):
            asked, groups = job, choose_models(job, intake.trials, review.placements)
    except MissingInputError as error:
        if marker_set is not None or known_markers(trials) or not analyse_emg(everything, (), job.recipe).trials:
            raise
        # Nobody knows what the markers lie on; what the muscles did is known all the same.
        # Results hold no absolute path, and no sentence begins with the one that stands for it.
        refusal = error.message.replace(f"{job.folder} cannot", "The folder cannot").replace(str(job.folder), ".")
        unknown = Finding("muscles-without-model", {"refusal": refusal}, ".")
        return _without_movement(job, nameless, replace(intake, trials=everything), (unknown,))
    job, static, subject = groups[0].job, groups[0].static, groups[0].subject
    worn = [pair for pair in in_order(groups, intake.trials) if not _has_a_purpose(pair[0], job)]
    every = tuple(trial for chosen in groups for trial in chosen.trials)
    noticed = (
        *markerless,
        *([Finding("recorded-twice", {"pairs": tuple(twice.items())}, "trials")] if twice else []),
        *(finding for chosen in groups for finding in chosen.findings),
    )
    noticed = (*noticed, *request_findings(job, every, static, subject, review))
    noticed = (*noticed, *(said for chosen in groups[1:] for said in static_findings(chosen.static, chosen.subject)))
    with stage("analyse"):
        statics, results, failed = _analysed(groups, worn, review, nameless, progress=progress)
    with stage("judge"):
        emg = analyse_emg(everything, results, job.recipe)
        own = job.recipe.plate_population
        plates = tell_plates(results, read_population(Path(own)) if own else None)
        results, told = emg_findings(emg, with_plate_places(_with_other_offsets(groups, results), plates))
        told = (
            *told,
            *plate_findings(plates),
            *settings_without_effect(job.recipe, results, written=written, muscles=bool(emg.trials), norm=norm is not None),
        )
    if failed and not results:
        raise MissingInputError(
            " ".join(["No trial could be analysed.", *dict.fromkeys(refused.sentence for refused in failed)]),
            value=[refused.path.name for refused in failed], expected="at least one trial the model can be placed in",
            where=str(job.folder),
        )  # fmt: skip
    clinic = clinic_of(asked.subject_toml)
    left_out = left_out_finding(job, clinic, found, [result.condition for result in results])
    shown = [*everything, *(chosen.model.static for chosen in groups if chosen.model.static is not None)]
    worn_roles = [*(trial.markers.roles for trial in shown), *(each.markers.roles for each in results if each.markers is not None)]
    nameless = nameless.with_labels(
        everything, worn_roles, [channel.input for one in emg.trials for channel in one.record.channels]
    )
    session = _session(
        asked, norm, nameless, groups, statics, results=results, refused=(*intake.refused, *failed),
        noticed=(*noticed, *told, *left_out), emg=emg, review=review, plates=plates,
    )  # fmt: skip
    return nameless.throughout(replace(session, clinic=nameless.of_clinic(clinic)))


def _without_movement(job: Job, nameless: Pseudonym, intake: Intake, noticed: Sequence[Finding] = ()) -> Session:
    """The session of recordings that hold muscle signals and nothing else: no model, no trial, but their tables and pages."""
    emg = analyse_emg(intake.trials, (), job.recipe)
    _, told = emg_findings(emg, ())
    found = tuple(finding for one in emg.trials for finding in record_findings(one.record, one.trial))
    recipe, clinic = job.recipe, clinic_of(job.subject_toml)
    nameless = nameless.with_labels(intake.trials, (), [channel.input for one in emg.trials for channel in one.record.channels])
    stated = nameless.told(job)
    session = Session(
        session_tables, model=recipe.known_model or DEFAULT_MODEL, kinetics=recipe.kinetics,
        person=nameless.of_subject(subject_of(job, intake.trials, None)), recipe=stated.settings(), command=stated.command(),
        failures=tuple(Failure(nameless.file(r.path), nameless.of(r.sentence), r.names_file) for r in intake.refused),
        session_findings=(*noticed, *found, *told, *left_out_finding(job, clinic, Review(), ())),
        muscle_signals=emg, in_memory=job.given.record(), coded=bool(job.code),
    )  # fmt: skip
    return nameless.throughout(session)


_RECORDING = Kind(
    "a str, PathLike or Trial", lambda v: isinstance(v, str | PathLike | Trial), hint="give a file's path, or a Trial"
)
_RECORDINGS = Kind(
    "a folder, recordings or Trials",
    one_or_several(_RECORDING).of_type,
    hint="give the subject's folder, its recordings, or Trials",
)


@takes(
    folder=_RECORDINGS, recipe=or_none(a(Recipe)),
    static=or_none(_RECORDING), functional=one_or_several(_RECORDING), extra=or_none(a((Mapping, Sequence, External))),
    exclude=one_or_several(a_str()), subject_file=or_none(a_path("name a subject.toml")), mass_kg=or_none(BODY_MASS),
    norm=or_none(a_path("name a norm.csv")), code=or_none(a_str()), review=or_none(a_path("name a review.toml")),
    key=or_none(a_path("name the file of the laboratory's key")),
)  # fmt: skip
def analyse(
    folder: str | Path | Trial | Sequence[str | Path | Trial],
    *,
    recipe: Recipe | None = None,
    static: str | Path | Trial | None = None,
    functional: str | Path | Trial | Sequence[str | Path | Trial] = (),
    extra: Mapping[str, External | Sequence[External]] | Sequence[External] | External | None = None,
    exclude: str | Sequence[str] = (),
    subject_file: str | Path | None = None,
    mass_kg: float | None = None,
    norm: str | Path | None = None,
    code: str | None = None,
    review: str | Path | None = None,
    key: str | Path | None = None,
    **settings: Unpack[Settings],
) -> Session:
    """Analyse a subject's folder: the whole main job, as values.

    Parameters
    ----------
    folder : str | Path | Trial | Sequence[str | Path | Trial]
        Holds the session's C3D files; or the files themselves; or trials in memory, one or several, without any file.
    recipe : Recipe, optional
        Settings to start from; the default recipe unless given.
    static : str | Path | Trial | None, optional
        The static trial; found unless given.
    functional : str | Path | Trial | Sequence[str | Path | Trial], optional
        Trials in which hips circle or knees bend, for functional joint centres: one, or one for each joint.
    extra : Mapping[str, External | Sequence[External]] | Sequence[External] | External | None, optional
        Name of a trial -> further wrenches on segments ("R shank", "R hand"), one row a video frame: a crutch, a handrail, an
        exoskeleton, a prosthesis. Without a name where there is one trial to be analysed.
    exclude : str | Sequence[str], optional
        Str or sequence of str Patterns of file names to leave out.
    subject_file : str | Path | None, optional
        Path, optional A subject.toml in place of the folder's own.
    mass_kg : float, optional
        Body mass (kg) that beats every file.
    norm : str | Path | None, optional
        Path, optional A norm file.
    code : str, optional
        Replaces the subject's name everywhere.
    review : str | Path | None, optional
        A review.toml in place of the folder's own.
    key : str | Path | None, optional
        The laboratory's key for hashes under a code of what somebody typed; written where there is no such file. Without it the
        manifest has no such hashes.
    settings : Settings
        Fields of `Recipe` by name: ``kinetics="vicon"``, ``cutoff_hz=6.0``, ... Three may be functions of your own:
        ``lowpass(values, rate_hz, cutoff_hz)``, ``event_source(trial, motion)`` that returns events, and
        ``hip_centre(side, pelvis_size)`` that returns (3,) metres from mid-ASIS in the pelvis' ISB axes.

    Raises
    ------
    OptionError
        A setting that does not exist, or a value that does not fit.
    BiomechError
        See `analyse_job`.

    Examples
    --------
    >>> import biomech_id as bid
    >>> person = bid.virtual_subject()
    >>> result = bid.analyse([person.static().trial, person.walk().trial])
    >>> result.trials["walk"].verdict
    'accept'
    """
    refuse_unknown_options(settings, [*Job.__dataclass_fields__, *Settings.__annotations__], where="analyse")
    several = (folder,) if isinstance(folder, str | PathLike | Trial) else tuple(folder)
    trials = trials_in_memory([each for each in several if isinstance(each, Trial)])
    if not several or 0 < len(trials) < len(several):
        words = "an empty sequence" if not several else "trials and paths together"
        raise MissingInputError(
            f"analyse takes a folder, recordings or Trials as its folder, not {words}.",
            value=[str(each)[:60] for each in several], expected="a path or several, or a Trial or several", where="analyse",
        )  # fmt: skip
    functional = (functional,) if isinstance(functional, str | PathLike | Trial) else tuple(functional)
    named: dict[str, Any] = {"static": static, "functional": functional}
    if trials:
        named = {"static": named_trial(static, trials, "static")}
        named["functional"] = tuple(named_trial(each, trials, "functional") for each in functional)
    # A job takes paths and patterns as people write them.
    named |= {"exclude": exclude, "subject_file": subject_file, "norm": norm, "review": review, "key": key}
    make_key(None if key is None else Path(key), coded=bool(code))
    paths = tuple(Path(each.path) for each in trials) or tuple(Path(each) for each in several if not isinstance(each, Trial))
    with own_functions(settings) as (by_name, functions):
        forces = {} if extra is None else forces_by_trial(extra, [path.stem for path in paths if path != named["static"]])
        chosen = (recipe or Recipe()).replaced(**by_name)
        given = InMemory(trials, forces, functions)
        return analyse_job(Job(paths, recipe=chosen, mass_kg=mass_kg, code=code, given=given, **named))


class Uncut(NamedTuple):
    """One trial with its loads, before cycles are cut: the result so far, the movement with its feet, decisions by hand."""

    result: Solved
    movement: Movement
    review: Review


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
) -> Uncut:
    """Fill, filter, place, find events, assign feet to plates and solve; cycles are not cut yet.

    Parameters
    ----------
    trial : Trial
        The recording.
    model : CalibratedModel
        The body model, calibrated on this subject.
    subject : Subject
        Who was measured.
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

    Raises
    ------
    BiomechError
        The trial lacks something that kinematics need.
    """
    _require_movement(trial)
    prepared = prepare(trial, model, recipe)
    trial = prepared.trial
    # A plug-in's model may return a plain motion, or a movement of the model that it stands on.
    tracked = Movement.of(model.track(trial, kinetics=recipe.kinetics), trial, model)
    feet = find_feet(trial, tracked, body_mass_kg=subject.mass_kg, contact_N=recipe.contact_N)
    search = search_events(trial, tracked, source=recipe.event_source, feet=feet)
    by_hand = (review or Review(tuple(map(verdict_from, recipe.stance_verdicts)))).of_trial(trial.name)
    search = corrected(trial, search, by_hand)
    movement = replace(tracked, feet=feet, search=search)
    loads, as_recorded, errors = None, None, {}
    on_legs, above = split_forces(movement, extra)
    if trial.plates:
        given: dict[str, Any] = {"kinetics": recipe.kinetics, "verdicts": by_hand.verdicts, "body_mass_kg": subject.mass_kg}
        movement = with_plates(movement, feet=feet, **given)
        loads = solve_movement(movement, extra=on_legs, budget=recipe.budget)
        if any(plate.spread_s for plate in trial.wrench_plates or ()) and movement.assignment:
            as_recorded = solve_movement(movement, movement.assignment.recorded, extra=on_legs)
    if recipe.uncertainty:
        responses = leg_responses(model, trial, movement, carried)
        errors = sources_of_error(movement, model.errors, prepared.filter, error_sizes(recipe.error_sizes), responses)
    upper_loads = solve_upper_body(movement, loads, extra=above) if movement.pelvis_mass is not None else None
    assignment = movement.assignment
    result = Solved(
        name=trial.name,
        file=Path(trial.path).name,
        kind=feet.travel.kind,
        condition=condition,
        motion=movement,
        loads=loads,
        assignment=assignment,
        events=search.events,
        agreement=search.agreement,
        gaps=prepared.gaps,
        plates=trial.plates,
        errors=errors,
        mass_kg=subject.mass_kg,
        history=(*trial.history, *(_checks(loads, subject.mass_kg) if loads else ())),
        findings=(
            *trial.findings,
            *search.findings,
            *(assignment.findings if assignment else ()),
            *upper_body_findings(movement, with_roles(trial.markers), trial.name),
        ),
        as_recorded=as_recorded,
        bandwidth=prepared.plate_filter.words if trial.plates else "",
        markers=trial.markers,
        analog=trial.analog,
        belts=find_belts(feet.landmarks, search.events, feet.travel),
        upper_loads=upper_loads,
        extra=tuple(extra),
    )
    return Uncut(result, movement, by_hand)


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


def cut_and_grade(
    solved: Uncut, model: CalibratedModel, static_motion: BodyMotion | None, mean_cycle_s: Mapping[str, float]
) -> Solved:
    """Cut a solved trial into cycles, measure its steps and grade it.

    Parameters
    ----------
    solved : Uncut
        What `solve_trial` returned.
    model : CalibratedModel
        For the static trial, with which markers and bones are compared.
    static_motion : BodyMotion | None
        For the static trial, with which markers and bones are compared.
    mean_cycle_s : Mapping[str, float]
        Side -> mean cycle time of the session, for stances whose next strike lies outside the trial.
    """
    result, movement, review = solved
    trial, feet = movement.trial, movement.feet
    assert feet is not None  # solve_trial has found them
    landmarks, travel = feet.landmarks, feet.travel
    cycles = cut_cycles(trial, result.events, result.assignment, travel=travel, landmarks=landmarks, mean_cycle_s=mean_cycle_s)
    cycles = apply_cycles(cycles, review.cycles)
    leg_length_m = _leg_length_m(model.subject)
    parameters = gait_parameters(landmarks, result.events, cycles, travel=travel, leg_length_m=leg_length_m)
    result = with_trunk_and_arms(with_whole_body(replace(result, cycles=cycles, parameters=parameters), landmarks, travel))
    result = with_plate_steps(result, landmarks, travel)
    result = with_squats(with_jumps(with_running(result, landmarks, travel, leg_length_m), landmarks), landmarks)
    peaks = result.as_recorded and peaks_finding(result, result.as_recorded)
    if peaks:
        result = replace(result, findings=(*result.findings, peaks))
    return grade_trial(result, trial.markers, model, static_motion)


def _has_a_purpose(trial: Trial, job: Job) -> bool:
    """Whether a trial was recorded for something else than to be analysed: joint centres, contractions, one frame of standing."""
    return only_frame(trial) is not None or is_functional(trial, job) or is_emg_reference_alone(trial, job.recipe)


def _analysed(
    groups: Sequence[ChosenModel],
    walks: Sequence[tuple[Trial, ChosenModel]],
    review: Review,
    nameless: Pseudonym,
    *,
    progress: Progress | None,
) -> tuple[list[BodyMotion | None], list[Solved], list[Refused]]:
    """Analyse every trial and place the static ones, to compare with; a trial that fails is recorded and the others go on."""
    job = groups[0].job
    condition = condition_of(job.subject_toml)
    extra = forces_of(job, [trial for trial, _ in walks], called=nameless.trial)
    told = job.recipe.uncertainty
    carried = {id(chosen): calibration_responses(chosen.model, chosen.recalibrate) if told else {} for chosen in groups}
    refuse_unlike_footwear(walks, condition)
    solved: list[tuple[Uncut, ChosenModel]] = []
    refused: list[Refused] = []
    for number, (trial, chosen) in enumerate(walks, start=1):
        if progress:
            progress(Step("analyse", trial.name, number, len(walks)))
        try:
            called = f"{nameless.condition(condition(Path(trial.path).stem))} {chosen.placement}".strip()
            given: dict[str, Any] = {"condition": called, "review": review, "extra": extra.get(trial.name, ())}
            require_room(trial, bands=told)
            made = solve_trial(trial, chosen.model, chosen.subject, job.recipe, carried=carried[id(chosen)], **given)
            worn = worn_in(trial, chosen.subject, condition(Path(trial.path).stem))
            solved.append((made._replace(result=with_worn(made.result, worn)), chosen))
        except BiomechError as error:
            refused.append(Refused.by(error, Path(trial.path)))
        except MemoryError:
            refused.append(Refused.by(out_of_memory(trial), Path(trial.path)))
    means = _mean_cycles([each for each, _ in solved])
    placed: dict[int, BodyMotion | None] = {}
    for chosen in groups:
        stood = chosen.model.static
        placed[id(chosen)] = None if stood is None else chosen.model.track(stood, kinetics=job.recipe.kinetics)
    results = []
    for number, (each, chosen) in enumerate(solved, start=1):
        if progress:
            progress(Step("cycles", each.result.name, number, len(solved)))
        try:
            made_of = cut_and_grade(each, chosen.model, placed[id(chosen)], means.get(each.result.condition, {}))
            results.append(replace(made_of, static=chosen.static.name if chosen.static else ""))
        except OptionError as error:  # a cycle that a review names and the trial has not
            refused.append(Refused.by(error, Path(each.movement.trial.path)))
    return list(placed.values()), results, refused


def _mean_cycles(solved: Sequence[Uncut]) -> dict[str, dict[str, float]]:
    """Condition -> side -> mean time of the whole straight cycles of all trials, seconds."""
    cycles: dict[str, list[Cycle]] = {}
    for result, movement, _ in solved:
        if result.kind is TrialKind.STRAIGHT:
            cycles.setdefault(result.condition, []).extend(cut_cycles(movement.trial, result.events))
    return {condition: mean_cycle_times(found) for condition, found in cycles.items()}


def _norm(job: Job) -> Any:
    """Read the norm as a DataFrame, None without one; before anything else, so that what is wrong with it is said at once."""
    job.check_named()
    if job.norm is None:
        return None
    norm = read_norm(job.norm)
    samples_of(norm, where=str(job.norm))
    return norm


def _session(
    job: Job,
    norm: Any,
    nameless: Pseudonym,
    groups: Sequence[ChosenModel],
    statics: Sequence[BodyMotion | None],
    *,
    results: Sequence[Solved],
    refused: Sequence[Refused],
    noticed: Sequence[Finding],
    emg: SessionEmg,
    review: Review,
    plates: PlatesTold | None,
) -> Session:
    recipe, static, model = job.recipe, groups[0].static, groups[0].model
    calibration, axes = _calibrations(groups, results, nameless)
    stated = nameless.told(job)
    return Session(
        session_tables,
        person=nameless.of_subject(model.subject),
        model=registered_name(groups[0].job.recipe.model),
        kinetics=recipe.kinetics,
        static_name=static.name if static else "",
        static_file=nameless.file(Path(static.path)) if static else "",
        static_frames=static.n_frames if static else 0,
        calibration_record=calibration,
        movements=tuple(replace(result, file=nameless.of(result.file)) for result in results),
        failures=tuple(Failure(nameless.file(r.path), nameless.of(r.sentence), r.names_file) for r in refused),
        session_findings=(
            *(finding for chosen in groups for finding in chosen.model.findings),
            *noticed,
            *axes,
            *kinetics_finding(results),
            *whole_body_findings(results),
            # Standing on the plates has said it already.
            *(
                ()
                if any(each.rule == "mass-unlike-weight" for each in noticed)
                else steps_findings(
                    results,
                    model.subject,
                    aided=any(bears_weight(each.aid) for each in results),
                    worn=any(each.footwear not in (NOT_STATED, Footwear.BAREFOOT) for each in results),
                )
            ),
        ),
        recipe=stated.settings(),
        error_sizes=error_sizes(recipe.error_sizes) if recipe.uncertainty else {},
        command=stated.command(),
        in_memory=job.given.record(),
        norm_table=norm,
        static_motion=statics[0],
        static_markers=None if model.static is None else model.static.markers,
        marker_groups=model.marker_groups,
        muscle_signals=emg,
        review=review,
        plates=plates_summary(plates),
        coded=bool(job.code),
    )


def _calibrations(
    groups: Sequence[ChosenModel], results: Sequence[Solved], nameless: Pseudonym
) -> tuple[dict[str, Any], list[Finding]]:
    """What ``calibration.json`` says, and what is noticed of the knees' axes; further static trials stand under "conditions"."""
    records: list[tuple[str, dict[str, Any]]] = []
    noticed: list[Finding] = []
    for chosen in groups:
        static = chosen.static
        mine = [result for result in results if result.static == (static.name if static else "")]
        judged = judge_knee_axes(mine)
        noticed += knee_axis_findings(judged, static.name if static else "walks")
        said = with_knee_axes(chosen.model.calibration.to_dict(), judged)
        said |= {"static_file": nameless.file(Path(static.path)) if static else ""}
        if static is not None:
            window = stillest_window(static.markers)
            said |= {"static_window_s": window.length_s, "static_sway_mm": MM_PER_M * window.sway_m}
        implied = {t.name: implied_calibration(t, static=t is static) for t in chosen.trials}
        said |= {"trials": {name: {side: leg.to_dict() for side, leg in legs.items()} for name, legs in implied.items() if legs}}
        if static is not None and chosen.job.recipe.model == DEFAULT_MODEL:
            noticed += other_offsets(implied, static.name, chosen.job.recipe.offsets)
        if said.get("offsets_stored"):
            noticed += computed_again(chosen.model, [trial for trial in chosen.trials if trial is not static])
        records += [(condition, said) for condition in dict.fromkeys([result.condition for result in mine] or [""])]
    first = {key: value for key, value in records[0][1].items() if key != "static_file"}
    own = {condition: record for condition, record in records if record["static_file"] != records[0][1]["static_file"]}
    return first | ({"conditions": own} if own else {}), noticed


def _with_other_offsets(groups: Sequence[ChosenModel], results: Sequence[Solved]) -> Sequence[Solved]:
    """The trials graded for thigh rotations that somebody tuned behind the static trial, where the static's are used."""
    for chosen in groups:
        if chosen.static is not None and chosen.job.recipe.model == DEFAULT_MODEL and chosen.job.recipe.offsets == "static":
            implied = {trial.name: implied_calibration(trial, static=trial is chosen.static) for trial in chosen.trials}
            results = with_other_offsets(results, implied, chosen.static.name)
    return results


def _compared(session: Session, job: Job) -> Iterator[Finding]:
    """Say what cannot be compared with a norm, and of which bandwidths a session is."""
    norm, fitted = session.norm_table, session.fitted_norm
    if norm is not None and fitted is not None:
        movement, known = movement_of(norm), fingerprint_of_norm(norm)
        yield from fitted.findings
        if session.movements and not _has(session, movement):
            yield Finding("norm-of-other-movement", {"movement": movement}, "norm")
        if job.norm is not None and not_recorded(known):
            yield Finding("norm-not-told", {"norm": job.norm.name, "lacks": not_recorded(known)})
    by_width: dict[str, list[str]] = {}
    for trial in session.movements:
        by_width.setdefault(trial.bandwidth, []).append(trial.name)
    by_width.pop("", None)
    if len(by_width) > 1:
        yield Finding("bandwidth-mixed", {"trials": [(words, " ".join(names)) for words, names in by_width.items()]})


def _has(session: Session, movement: str) -> bool:
    """Whether some trial of a session shows what a norm is of: runs, or steps of any walk."""
    runs = {trial.kind is TrialKind.RUN for trial in session.movements if trial.kind is TrialKind.RUN or trial.kind.walking}
    return (movement == RUNNING) in runs


def _outcome(session: Session, out: Path, *, undrawn: Sequence[str]) -> Outcome:
    return Outcome(f"{out}: {verdict_sentence(session)}", (*complaints_of(session), *undrawn), len(session.movements))


def _drawn(folder: Path, *, draw: Callable[[Path], object], name: str, undrawn: list[str]) -> None:
    """Draw something from the tables; where that fails, the tables stand without it, and it is said.

    Raises
    ------
    OutputError
        Nothing more can be written: a disk is full.
    """
    try:
        with stage("draw"):
            draw(folder)
    except OutputError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever is wrong with a drawing, the numbers are not lost over it
        (folder / name).unlink(missing_ok=True)
        why = (surroundings(error) or "").rstrip(".") or f"{type(error).__name__}: {error}"
        undrawn.append(f"{name} could not be drawn ({why}); every table is there.")


def _draw_written(
    folder: Path, *, manifest: Mapping[str, Any], printed: list[str], code: str | None, progress: Progress | None
) -> None:
    """Draw the report from what was written, so that `redraw` draws the same."""
    draw_own_report(folder, tables=read_back(folder, manifest), printed=printed, code=code, progress=progress)


def draw_own_report(
    folder: Path,
    *,
    tables: Tables,
    printed: list[str],
    code: str | None = None,
    progress: Progress | None = None,
    pages: Sequence[str] | None = None,
) -> None:
    """Draw ``report.pdf`` of a run, as every run does.

    Parameters
    ----------
    folder : Path
        That takes it.
    tables : Tables
        The session's tables.
    printed : list[str]
        Takes every text of the pages where there is a code, for the last look for names; stays empty without one.
    code : str | None, optional
        What replaces the subject's name.
    progress : Progress | None, optional
        Told of every page.
    pages : Sequence[str] | None, optional
        Names out of `report.book.page_names`; None draws all of them.
    """
    from biomech_id.report.pdf import draw_report

    # Going through the texts of all pages takes a third of what drawing them takes.
    gathered = printed if code else None
    draw_report(tables, folder / "report.pdf", pages=pages, progress=progress, printed=gathered)


def _write_back(folder: Path, *, session: Session, job: Job) -> None:
    """Write results into copies of the recordings, below ``c3d/``."""
    (folder / "c3d").mkdir()
    recording = {path.name: path for path in job.files()}
    for trial in session.movements:
        source = recording[trial.file]
        table, analysed = frames(trial), session.inputs[job.relative(source)]
        turned = ROTATION_TO_Z_UP[read_recording(source, marker_set=job.recipe.chosen_marker_set).facts.vertical]
        muscles = envelopes_at(session.muscle_signals, trial.name, trial.motion.time_s)
        write_results(
            source,
            folder / "c3d" / source.name,
            {name: table[name] for name in table.columns},
            scalars=muscles,
            R_lab_file=turned,
            sha256=analysed,
        )


def _leg_length_m(subject: Subject) -> float | None:
    lengths = tuple(subject.leg_length_m.values())
    return sum(lengths) / len(lengths) if lengths else None
