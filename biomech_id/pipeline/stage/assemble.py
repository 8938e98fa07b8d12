"""Stages that make the session: its values under their names, calibrations, inputs, and what a norm can be compared with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from biomech_id.conventions import MM_PER_M
from biomech_id.emg.findings import record_findings
from biomech_id.errors import Finding
from biomech_id.feet.movements import TrialKind
from biomech_id.files.json_text import json_text
from biomech_id.gait.review import Review
from biomech_id.judgement.calibration_evidence import computed_again, other_offsets
from biomech_id.judgement.grade import kinetics_finding, movement_finding
from biomech_id.judgement.knee_axis import LEVEL_WALKING, judge_knee_axes, knee_axis_findings, with_knee_axes
from biomech_id.judgement.laboratory.memory import Memory, memory_findings, read_sessions, remembered
from biomech_id.judgement.laboratory.values import session_values
from biomech_id.judgement.request_findings import steps_findings
from biomech_id.judgement.session_plates import plates_summary
from biomech_id.models.conventional.implied_calibration import implied_calibration
from biomech_id.models.registry import DEFAULT_MODEL, registered_name
from biomech_id.models.still_window import stillest_window
from biomech_id.norms.comparable import fingerprint_of_norm
from biomech_id.norms.fit import norm_for_session
from biomech_id.pipeline.attest import attested
from biomech_id.pipeline.choose_model import ChosenModel
from biomech_id.pipeline.emg import emg_findings
from biomech_id.pipeline.stage.analysis import Analysis
from biomech_id.pipeline.whole_body import whole_body_findings
from biomech_id.privacy.pseudonym import Pseudonym, left_out_finding
from biomech_id.request.intake import subject_of
from biomech_id.request.job import Job
from biomech_id.request.subject_file import clinic_of
from biomech_id.session.output.from_session import session_tables
from biomech_id.session.session import Session
from biomech_id.session.solved import Failure, Solved
from biomech_id.session.tables.means import RUNNING
from biomech_id.session.values.fingerprint import not_recorded
from biomech_id.session.values.norm import movement_of
from biomech_id.session.values.summary import subject_record
from biomech_id.trial.worn import NOT_STATED, Footwear, bears_weight
from biomech_id.uncertainty.sizes import error_sizes


def make_session(session: Analysis, job: Job) -> Analysis:
    """Make the session of what was found, every text under the names of the code."""
    called = _with_labels(session)
    made = _of_muscles(session, called) if session.emg_only else _of_movements(session, called)
    return replace(session, session=called.throughout(made))


def _of_movements(session: Analysis, called: Pseudonym) -> Session:
    asked, first = session.own_job, session.groups[0]
    assert session.emg is not None
    recipe = asked.recipe
    model, static = first.model, first.static
    calibration, of_knees = _calibrations(session.groups, session.movements, called)
    stated = called.told(asked)
    return Session(
        session_tables,
        person=called.of_subject(model.subject),
        model=registered_name(first.job.recipe.model),
        kinetics=recipe.kinetics,
        static_name=static.name if static else "",
        static_file=called.file(Path(static.path)) if static else "",
        static_frames=static.n_frames if static else 0,
        calibration_record=calibration,
        movements=tuple(replace(result, file=called.of(result.file)) for result in session.movements),
        failures=_failures(session, called),
        session_findings=(
            *(finding for group in session.groups for finding in group.model.findings),
            *(finding for group in session.groups for foot in group.feet.values() for finding in foot.findings),
            *session.findings,
            *of_knees,
            *kinetics_finding(session.movements),
            *movement_finding(session.movements),
            *whole_body_findings(session.movements),
            *([Finding("muscle-forces", {}, "session")] if any(each.muscle_forces for each in session.movements) else ()),
            *_of_steps(session),
        ),
        recipe=stated.settings(),
        error_sizes=error_sizes(recipe.error_sizes) if recipe.uncertainty else {},
        command=stated.command(),
        in_memory=asked.given.record(),
        norm_table=session.norm,
        static_motion=session.statics[0],
        static_markers=None if model.static is None else model.static.markers,
        marker_groups=model.marker_groups,
        muscle_signals=session.emg,
        review=session.own_review,
        plates=plates_summary(session.plates),
        coded=bool(asked.code),
        clinic=called.of_clinic(clinic_of(asked.subject_toml)),
    )


def _of_muscles(session: Analysis, called: Pseudonym) -> Session:
    """The session of recordings that hold muscle signals and nothing else: no model, no trial, but their tables and pages."""
    asked, emg = session.own_job, session.emg
    assert emg is not None
    _, of_emg = emg_findings(emg, ())
    of_records = tuple(finding for one in emg.trials for finding in record_findings(one.record, one.trial))
    recipe = asked.recipe
    stated, left_out = called.told(asked), left_out_finding(asked, clinic_of(asked.subject_toml), Review(), ())
    return Session(
        session_tables,
        model=recipe.known_model or DEFAULT_MODEL,
        kinetics=recipe.kinetics,
        person=called.of_subject(subject_of(asked, session.recordings, None)),
        recipe=stated.settings(),
        command=stated.command(),
        failures=_failures(session, called),
        session_findings=(*session.findings, *of_records, *of_emg, *left_out),
        muscle_signals=emg,
        in_memory=asked.given.record(),
        coded=bool(asked.code),
    )


def _with_labels(session: Analysis) -> Pseudonym:
    """The names, with those of markers and channels that tell nobody's."""
    assert session.emg is not None
    channels = [channel.input for one in session.emg.trials for channel in one.record.channels]
    statics = (group.model.static for group in session.groups if group.model.static is not None)
    roles = [trial.markers.roles for trial in (*session.recordings, *statics)]
    roles += [each.markers.roles for each in session.movements if each.markers is not None]
    return session.names.with_labels(session.recordings, () if session.emg_only else roles, channels)


def _failures(session: Analysis, called: Pseudonym) -> tuple[Failure, ...]:
    refused = (*session.intake.refused, *session.refused)
    return tuple(Failure(called.file(each.path), called.of(each.sentence), each.names_file) for each in refused)


def _of_steps(session: Analysis) -> Iterator[Finding]:
    """What steps say of the body mass, unless standing on the plates has said it already."""
    results = session.movements
    if not any(each.rule == "mass-unlike-weight" for each in session.findings):
        aided = any(bears_weight(each.aid) for each in results)
        shod = any(each.footwear not in (NOT_STATED, Footwear.BAREFOOT) for each in results)
        yield from steps_findings(results, session.groups[0].model.subject, aided=aided, worn=shod)


def _calibrations(
    groups: Sequence[ChosenModel], results: Sequence[Solved], called: Pseudonym
) -> tuple[dict[str, Any], list[Finding]]:
    """What ``calibration.json`` says, and what is noticed of the knees' axes; further static trials stand under "conditions"."""
    records: list[tuple[str | None, dict[str, Any]]] = []
    noticed: list[Finding] = []
    for group in groups:
        static = group.static
        own_results = [result for result in results if result.static == (static.name if static else "")]
        judged = judge_knee_axes(own_results)
        noticed += knee_axis_findings(judged, static.name if static else "walks")
        record = with_knee_axes(group.model.calibration.to_dict(), judged)
        record |= {"static_file": called.file(Path(static.path)) if static else ""}
        if group.feet:
            record |= {"foot_models": {name: dict(foot.record) for name, foot in group.feet.items()}}
        if static is not None:
            window = stillest_window(static.markers)
            record |= {"static_window_s": window.length_s, "static_sway_mm": MM_PER_M * window.sway_m}
        implied = {t.name: implied_calibration(t, static=t is static) for t in group.trials}
        record |= {"trials": {name: {side: leg.to_dict() for side, leg in legs.items()} for name, legs in implied.items() if legs}}
        if static is not None and group.job.recipe.model == DEFAULT_MODEL:
            noticed += other_offsets(implied, static.name, group.job.recipe.offsets)
        if record.get("offsets_stored"):
            bare = {r.name for r in own_results if r.kind in LEVEL_WALKING and r.footwear in (NOT_STATED, Footwear.BAREFOOT)}
            noticed += computed_again(group.model, [trial for trial in group.trials if trial is not static], bare)
        named: list[str | None] = [result.condition for result in own_results] or [None]
        records += [(condition, record) for condition in dict.fromkeys(named)]
    first = {key: value for key, value in records[0][1].items() if key != "static_file"}
    others = [(condition, record) for condition, record in records if record["static_file"] != records[0][1]["static_file"]]
    # The static of a group without results speaks for no walk.
    own = {condition: record for condition, record in others if condition is not None}
    return first | ({"conditions": own} if own else {}), noticed


def attest(session: Analysis, job: Job) -> Analysis:
    """Name the inputs by the hashes of what was read, find the norm that fits, and say which inputs changed on the way."""
    assert session.session is not None
    assert session.read is not None
    hashes, changed = attested(session.inputs, job.input_files(session.files), session.read)
    inputs = job.manifest_inputs(hashes, {name: session.names.input(name) for name in hashes})
    # By their inputs recordings of the same person are known again, whatever code they bear.
    made = replace(session.session, inputs=inputs)
    return replace(session, session=replace(made, fitted_norm=norm_for_session(made)), later=changed)


def remember(session: Analysis, job: Job) -> Analysis:
    """Say what the laboratory's memory tells of the session, and keep what was taken from it."""
    made = session.session
    assert made is not None
    if not job.recipe.lab:
        return session
    trials = [
        {
            "name": trial.name, "residuals": trial.residuals,
            "plates": [{"name": plate.name, "corners_mm": MM_PER_M * plate.corners_m} for plate in trial.plates],
        }
        for trial in made.movements
    ]  # fmt: skip
    person = subject_record(made.person)
    own = session_values({"subject": person, "plates": made.plates, "clinic": made.clinic, "trials": trials}, inputs=made.inputs)
    if job.remembered is None:
        past, unread = read_sessions(Path(job.recipe.lab))
        taken = remembered(past, own, len(unread)).to_dict()
    else:
        taken = dict(job.remembered)
    # A manifest holds nine digits: findings are made of what it holds, so that they come out the same from it alone.
    taken = json.loads(json_text(taken))
    noticed = map(session.names.of_finding, memory_findings(Memory.from_dict(taken), own))
    return replace(session, session=replace(made, memory=taken, session_findings=(*made.session_findings, *noticed)))


def compare_with_norm(session: Analysis, job: Job) -> Analysis:
    """Say what cannot be compared with the norm, and what differs between trials."""
    made = session.session
    assert made is not None
    noticed = map(session.names.of_finding, (*_compared(made, job), *session.later))
    return replace(session, session=replace(made, session_findings=(*made.session_findings, *noticed)))


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
