"""Stages before a body model: the norm, the recordings, their names under a code, repairs and copies."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from biomech_id.errors import Finding
from biomech_id.files.inputs import InputsRead
from biomech_id.files.surroundings import require_any_room
from biomech_id.markersets import load_markerset
from biomech_id.norms.contributors import samples_of
from biomech_id.pipeline.attest import noting
from biomech_id.pipeline.emg import muscles_alone
from biomech_id.pipeline.repairs import copies_among, repaired
from biomech_id.pipeline.second_forces import with_forces_beside
from biomech_id.pipeline.stage.analysis import Analysis
from biomech_id.pipeline.stage.reuse import kept_reader
from biomech_id.privacy.pseudonym import pseudonym
from biomech_id.readers import read as read_file
from biomech_id.request.intake import Intake, one_subject, read_all, with_markers
from biomech_id.request.job import Job
from biomech_id.request.plate_types import with_plates_placed
from biomech_id.session.values.norm import read_norm


def read_given_norm(session: Analysis, job: Job) -> Analysis:
    """Read the norm, before anything that takes longer, so that what is wrong with it is said at once."""
    if job.norm is None:
        return session
    table = read_norm(job.norm)
    samples_of(table, where=str(job.norm))
    return replace(session, norm=table)


def list_inputs(session: Analysis, job: Job) -> Analysis:
    """List the recordings and every other file that can change a number."""
    files = job.files()
    inputs = job.input_files(files)
    seen = session.read or InputsRead()
    seen.expect(inputs.values())
    if job.recipe.chosen_marker_set is not None:
        load_markerset(job.recipe.chosen_marker_set)  # refused once, and not with every file
    return replace(session, files=files, inputs=inputs, read=seen)


def read_recordings(session: Analysis, job: Job) -> Analysis:
    """Read every recording, in a process of its own, and forces that lie in a second file beside it."""
    if job.given.trials:
        return replace(session, intake=Intake(job.given.trials, ()))
    options: dict[str, Any] = {"marker_set": job.recipe.chosen_marker_set, "plates": job.recipe.declared_plates}
    marker_set = None if options["marker_set"] is None else load_markerset(options["marker_set"])
    given = (session.trust, marker_set, job.recipe.declared_plates)
    reader = kept_reader(session.reuse, partial(read_file, trust=session.trust, **options), *given)
    reader = noting(reader, session.read or InputsRead())
    intake = read_all(session.files, reader, session.progress)
    return replace(session, intake=replace(intake, trials=with_forces_beside(intake.trials, reader)))


def names(session: Analysis, job: Job) -> Analysis:
    """Say what everything is called under the job's code; recordings of two people are refused."""
    require_any_room()
    return replace(session, pseudonym=pseudonym(job, session.files, session.intake))


def rename(session: Analysis, job: Job) -> Analysis:
    """Give recordings and decisions the names of the code."""
    one_subject(session.intake.trials)
    called = session.names
    trials = tuple(map(called.of_trial, session.intake.trials))
    return replace(session, recordings=trials, asked=called.of_job(job), own_review=called.of_review(session.review))


def repair(session: Analysis, job: Job) -> Analysis:
    """Put right what somebody found wrong in the recordings, and place plates that the recipe places."""
    trials = repaired(session.recordings, session.own_review.repairs)
    trials = tuple(with_plates_placed(trial, session.recipe.plate_places) for trial in trials)
    intake = replace(session.intake, trials=trials)
    return replace(session, recordings=trials, intake=intake, emg_only=muscles_alone(trials, session.recipe))


def once(session: Analysis, job: Job) -> Analysis:
    """Take recordings with markers alone, each once; what is left out is said."""
    trials, findings = with_markers(session.recordings)
    twice = copies_among(session.own_job, trials, session.own_review.repairs, session.reuse)
    if twice:
        findings = (*findings, Finding("recorded-twice", {"pairs": tuple(twice.items())}, "trials"))
    kept, every = (tuple(trial for trial in each if trial.name not in twice) for each in (trials, session.recordings))
    return replace(session, recordings=every, intake=replace(session.intake, trials=kept), findings=tuple(findings))
