"""What somebody put right of the recordings themselves (``[[repair]]`` of review.toml), applied where they are read.

A repair is never applied by itself: a finding offers it, a person decides, and every trial that it touched says so and is at best
"with limits". Copies of one movement are the one thing that is left out unasked; a repair brings them back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from biomech_id.files.kept_values import KeptValues, made_once
from biomech_id.gait.repairs import REPAIRS, refuse_repair
from biomech_id.gait.review import Repair
from biomech_id.judgement.recorded_twice import copies
from biomech_id.request.intake import is_functional
from biomech_id.request.job import Job
from biomech_id.request.subject_file import statics_of
from biomech_id.trial import Trial


def with_static(job: Job, repairs: Sequence[Repair]) -> Job:
    """Return the job with the static trial that a repair chooses.

    Parameters
    ----------
    job : Job
        The job before anything of its review is applied.
    repairs : Sequence[Repair]
        Every repair that the session's review holds.
    """
    chosen = [Path(str(repair.what[0])) for repair in repairs if repair.kind == "static"]
    return replace(job, static=chosen[-1]) if chosen else job


def repaired(trials: Sequence[Trial], repairs: Sequence[Repair]) -> tuple[Trial, ...]:
    """Return recordings with everything that somebody put right in them; each that was touched says so in its history.

    Parameters
    ----------
    trials : Sequence[Trial]
        As read, in the order of their names.
    repairs : Sequence[Repair]
        Every repair that the session's review holds.

    Raises
    ------
    OptionError
        A repair names a trial, a marker, a channel or a plate that is not there.
    """
    names = [trial.name for trial in trials]
    for repair in repairs:
        for name in repair.named:
            if name not in names:
                refuse_repair(repair, name, names, "the session")
    return tuple(_put_right(trial, [each for each in repairs if each.concerns(trial.name, names)]) for trial in trials)


def _put_right(trial: Trial, repairs: Sequence[Repair]) -> Trial:
    for repair in repairs:
        if repair.kind != "copy" or trial.name in repair.what:
            put_right = REPAIRS.named(repair.kind, str(repair)).put_right
            trial = (put_right(trial, repair) if put_right else trial).after(repair.said)
    return trial


def copies_among(job: Job, trials: Sequence[Trial], repairs: Sequence[Repair], memory: KeptValues | None = None) -> dict[str, str]:
    """Return the names of recordings that show a movement once more -> the one that counts; never one that somebody named.

    Parameters
    ----------
    job : Job
        What is asked for.
    trials : Sequence[Trial]
        With markers, in the order of their names.
    repairs : Sequence[Repair]
        Of the review: some may count all the same.
    memory : KeptValues | None, optional
        Where the copies lie that another run found among the same recordings.
    """
    kept = {str(name) for repair in repairs if repair.kind == "copy" for name in repair.what}
    kept |= {Path(name).stem for name in (job.recipe.emg_reference, job.static, *statics_of(job.subject_toml).values()) if name}
    moving = [trial for trial in trials if not is_functional(trial, job)]
    given = [(trial.name, trial.rate_hz, trial.markers.names, trial.markers.position_m) for trial in moving]
    return made_once(memory, partial(copies, moving, kept), "copies", given, kept)
