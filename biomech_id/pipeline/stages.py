"""The main job as a list of stages that can be read aloud, and the one function that goes through it.

A stage is a pure function: of a session it takes what is known and the job, and returns more of what is known; of one trial it
takes the trial on its way and the settings. The list is the order, not the storage: trials go through successive stages one by
one, so that a trial's intermediate arrays are gone when the next one begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Any

from biomech_id.errors import BiomechError, OptionError, did_you_mean
from biomech_id.files.inputs import reading_once
from biomech_id.pipeline.long_recordings import out_of_memory
from biomech_id.pipeline.repairs import with_static
from biomech_id.pipeline.stage import assemble, calibration, judgement, measure, recordings, trial
from biomech_id.pipeline.stage.analysis import Analysis, TrialAnalysis
from biomech_id.pipeline.stage.reuse import take_over
from biomech_id.privacy.pseudonym import check_code
from biomech_id.request.intake import Refused
from biomech_id.request.job import Job
from biomech_id.session.values.step import Step, stage, timed
from biomech_id.values import dataclass, replace


class Of(StrEnum):
    """What a stage is about."""

    SESSION = "session"
    #: Asked of sessions alone that show a movement.
    MOVEMENTS = "movements"
    #: One trial after the other.
    TRIAL = "trial"


@dataclass(frozen=True)
class Stage:
    """One row of ``STAGES``.

    Attributes
    ----------
    name : str
        What ``--until`` and ``--timings`` call it.
    step : str
        What progress calls it, one of `session.values.step.SHARES`; successive stages may be one step.
    function : Callable
        ``function(session, job) -> session``, or of a trial ``function(walk, recipe) -> walk``.
    of : Of, optional
        What it is about.
    """

    name: str
    step: str
    function: Callable[[Any, Any], Any]
    of: Of = Of.MOVEMENTS


STAGES: tuple[Stage, ...] = (
    Stage("norm", "read", recordings.read_given_norm, Of.SESSION),
    Stage("list", "read", recordings.list_inputs, Of.SESSION),
    Stage("read", "read", recordings.read_recordings, Of.SESSION),
    Stage("names", "calibrate", recordings.names, Of.SESSION),
    Stage("rename", "calibrate", recordings.rename, Of.SESSION),
    Stage("repair", "calibrate", recordings.repair, Of.SESSION),
    Stage("once", "calibrate", recordings.once),
    Stage("calibrate", "calibrate", calibration.calibrate_models),
    Stage("expect", "calibrate", calibration.expect),
    Stage("line_up", "analyse", calibration.line_up),
    Stage("take_over", "analyse", take_over),
    Stage("prepare", "analyse", trial.prepare_walk, Of.TRIAL),
    Stage("track", "analyse", trial.track, Of.TRIAL),
    Stage("feet", "analyse", trial.feet, Of.TRIAL),
    Stage("events", "analyse", trial.events, Of.TRIAL),
    Stage("plates", "analyse", trial.put_on_plates, Of.TRIAL),
    Stage("solve", "analyse", trial.solve_joints, Of.TRIAL),
    Stage("errors", "analyse", trial.errors, Of.TRIAL),
    Stage("describe", "analyse", trial.describe_trial, Of.TRIAL),
    Stage("diagnose", "analyse", trial.diagnose_walk, Of.TRIAL),
    Stage("muscle_forces", "analyse", trial.muscle_forces, Of.TRIAL),
    Stage("cycle_times", "cycles", measure.cycle_times),
    Stage("cycles", "cycles", measure.cycles, Of.TRIAL),
    Stage("measure", "cycles", measure.measure_steps, Of.TRIAL),
    Stage("grade", "cycles", measure.grade, Of.TRIAL),
    Stage("muscle_signals", "judge", judgement.find_muscle_signals, Of.SESSION),
    Stage("judge", "judge", judgement.judge_plates),
    Stage("leave_out", "judge", judgement.leave_out),
    Stage("assemble", "judge", assemble.make_session, Of.SESSION),
    Stage("attest", "judge", assemble.attest, Of.SESSION),
    Stage("remember", "judge", assemble.remember),
    Stage("compare", "judge", assemble.compare_with_norm, Of.SESSION),
)
#: Of recordings that somebody has read, without a norm and without hashes.
OF_RECORDINGS = tuple(each for each in STAGES if each.name not in ("norm", "list", "read", "attest", "compare"))


def analysed(job: Job, begun: Analysis, stages: Sequence[Stage] = STAGES, *, until: str = "") -> Analysis:
    """Take a session through its stages.

    Parameters
    ----------
    job : Job
        What is to be analysed, and how.
    begun : Analysis
        What is known before the first stage: recordings that were read already, who is told of every step.
    stages : Sequence[Stage], optional
        Some of ``STAGES``, in their order.
    until : str, optional
        Name of the last stage; all of them unless given.

    Returns
    -------
    Analysis
        ``session`` holds what was asked for; None where ``until`` names an earlier stage.

    Raises
    ------
    BiomechError
        Nothing could be analysed; the sentence says what is missing and what to do. Whatever ``begun.progress`` raises ends the
        analysis too, between two trials.
    """
    if job.code:
        check_code(job.code)
    with reading_once() as seen:
        if not begun.intake.trials:
            job.check_named()
        trial.check_muscles(job)
        session = replace(begun, read=seen, review=job.decisions())
        job = job if begun.intake.trials else with_static(job, session.review.repairs)
        try:
            for step, of_step in groupby(_upto(stages, until), key=lambda each: each.step):
                with stage(step):
                    for of, several in groupby(of_step, key=lambda each: each.of):
                        rows = tuple(several)
                        if of is not Of.TRIAL:
                            for each in rows:
                                if of is Of.SESSION or not session.emg_only:
                                    with timed(each.name):
                                        session = each.function(session, job)
                            continue
                        walks, refused = list[TrialAnalysis](), list[Refused]()
                        for walk in _told(session, step):
                            with _going_on(walk, refused):
                                for each in rows if walk.kept is None else ():
                                    with timed(each.name):
                                        walk = each.function(walk, session.recipe)
                                walks.append(walk)
                        session = replace(session, walks=tuple(walks), refused=(*session.refused, *refused))
        except BiomechError as error:
            if job.code and session.pseudonym:
                error.under_code = session.pseudonym.of(error.message)
            raise
    return session


def stage_names() -> tuple[str, ...]:
    """Return what ``--until`` takes."""
    return tuple(each.name for each in STAGES)


def _upto(stages: Sequence[Stage], until: str) -> Sequence[Stage]:
    """The stages up to one, or all.

    Raises
    ------
    OptionError
        There is no such stage.
    """
    names = [each.name for each in stages]
    if until and until not in names:
        raise OptionError(
            f"There is no stage {until}{did_you_mean(until, names)}; the stages are {', '.join(names)}.",
            value=until, expected=", ".join(names), where="until",
        )  # fmt: skip
    return stages[: names.index(until) + 1] if until else stages


def _told(session: Analysis, step: str) -> Iterator[TrialAnalysis]:
    for number, walk in enumerate(session.walks, start=1):
        if session.progress:
            session.progress(Step(step, walk.trial.name, number, len(session.walks)))
        yield walk


@contextmanager
def _going_on(walk: TrialAnalysis, refused: list[Refused]) -> Iterator[None]:
    """Record a trial that fails; the others go on."""
    path = Path(walk.trial.path)
    try:
        yield
    except BiomechError as error:
        refused.append(Refused.by(error, path))
    except MemoryError:
        refused.append(Refused.by(out_of_memory(walk.trial), path))
