"""Further forces on the body beside the plates': a crutch, a handrail, an exoskeleton, a prosthesis' drive.

In a file they are a CSV table: ``trial,segment,time_s,force_x_N,force_y_N,force_z_N,moment_x_Nm,moment_y_Nm,moment_z_Nm,point_x_m,
point_y_m,point_z_m``: the action ON the segment, laboratory axes, the moment about the point. Between two rows of a segment it is
interpolated; before the first and after the last nothing acts.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.wrench import Wrench
from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.external import External
from biomech_id.dynamics.upper_loads import loadable_segments
from biomech_id.errors import FileRefusedError, MissingInputError, OptionError, did_you_mean
from biomech_id.files.text import read_problem, read_text
from biomech_id.request.in_memory import ONLY_TRIAL
from biomech_id.request.job import Job
from biomech_id.trial import Trial

_NUMBERS = (
    "time_s",
    *(f"{what}_{axis}_{unit}" for what, unit in (("force", "N"), ("moment", "Nm"), ("point", "m")) for axis in "xyz"),
)
FORCE_COLUMNS = ("trial", "segment", *_NUMBERS)


def forces_of(job: Job, walks: Sequence[Trial], *, called: Callable[[str], str] = str) -> dict[str, tuple[External, ...]]:
    """Return the further forces on each trial: the recipe's file's, and those given in Python.

    Parameters
    ----------
    job : Job
        What is to be analysed, and how.
    walks : Sequence[Trial]
        The trials that are analysed.
    called : Callable[[str], str], optional
        Name of a recording -> name of its trial, where a code has changed it.

    Raises
    ------
    OptionError
        Forces on a trial that is not among them.
    FileRefusedError
        The recipe's file cannot be read.
    """
    forces = {called(name): tuple(loads) for name, loads in job.given.extra.items()}
    if job.recipe.extra_forces:
        for name, loads in read_forces(Path(job.recipe.extra_forces), walks, called=called).items():
            forces[name] = (*forces.get(name, ()), *loads)
    names = [trial.name for trial in walks]
    if ONLY_TRIAL in forces and len(names) == 1:
        forces[names[0]] = forces.pop(ONLY_TRIAL)
    for name in forces:
        if name == ONLY_TRIAL:
            sentence = f"The extra of analyse names no trial, and {len(names)} are analysed: {', '.join(names) or 'none'}."
            raise OptionError(sentence, value=name, expected='{"walk01": [External("R shank", wrench)]}', where="extra")
        if name not in names:
            sentence = f"There are further forces on {name}, which is not among the trials analysed: {', '.join(names) or 'none'}."
            raise OptionError(sentence + did_you_mean(name, names), value=name, expected=", ".join(names), where="extra")
    return forces


def read_forces(path: Path, walks: Sequence[Trial], *, called: Callable[[str], str] = str) -> dict[str, tuple[External, ...]]:
    """Read further forces from a CSV file (see the module).

    Parameters
    ----------
    path : Path
        The CSV file with the further forces.
    walks : Sequence[Trial]
        The trials that are analysed: forces are wanted at their video frames.
    called : Callable[[str], str], optional
        Name of a recording -> name of its trial.

    Raises
    ------
    FileRefusedError
        It cannot be read, lacks a column, or holds something else than numbers.
    """
    try:
        reader = csv.DictReader(io.StringIO(read_text(path), newline=""))
        missing = [name for name in FORCE_COLUMNS if name not in (reader.fieldnames or ())]
        rows: dict[tuple[str, str], list[list[float]]] = {}
        for row in () if missing else reader:
            rows.setdefault((called(row["trial"]), row["segment"]), []).append([float(row[name]) for name in _NUMBERS])
    except (OSError, UnicodeDecodeError) as error:
        raise FileRefusedError.at(path, f"{path} cannot be read: {read_problem(error)}.", "a readable CSV file in UTF-8") from error
    except (TypeError, ValueError) as error:
        raise FileRefusedError.at(
            path, f"{path.name} holds something else than numbers: {error}.", ", ".join(FORCE_COLUMNS)
        ) from error
    if missing:
        raise FileRefusedError.at(path, f"{path.name} lacks the column {missing[0]}.", ", ".join(FORCE_COLUMNS))
    times = {trial.name: trial.time_s for trial in walks}
    forces: dict[str, tuple[External, ...]] = {}
    for (name, segment), samples in rows.items():
        load = External(segment, _at(times.get(name, np.zeros(1)), np.array(samples)))
        forces[name] = (*forces.get(name, ()), load)
    return forces


def _at(time_s: FloatArray, samples: FloatArray) -> Wrench:
    """The wrench at some times from rows of time, force, moment and point."""
    samples = samples[np.argsort(samples[:, 0], kind="stable")]
    known_s, values = samples[:, 0], samples[:, 1:]
    inside = (time_s >= known_s[0] - 1e-9) & (time_s <= known_s[-1] + 1e-9)
    columns = np.stack([np.interp(time_s, known_s, column) for column in values.T], axis=1)
    columns[~inside, :6] = 0.0
    return Wrench(columns[:, :3], columns[:, 3:6], columns[:, 6:])


def split_forces(motion: BodyMotion, extra: Sequence[External]) -> tuple[list[External], list[External]]:
    """Return the further forces on the legs and those on what is above them.

    Parameters
    ----------
    motion : BodyMotion
        Poses of the tracked body in the trial.
    extra : Sequence[External]
        Further forces on it.

    Raises
    ------
    MissingInputError
        A force on a segment that the model does not track, or that no joint load of it knows; the message lists those there are.
    """
    legs = {f"{side} {name}" for side in motion.sides for name in LEG_SEGMENTS}
    above: Mapping[str, object] = dict.fromkeys(loadable_segments(motion))
    for load in extra:
        if load.segment not in legs and load.segment not in above:
            there = ", ".join(sorted({*legs, *above}))
            raise MissingInputError(
                f"A further force acts on {load.segment!r}, which the model of {motion.name} does not follow; it follows {there}."
                f"{did_you_mean(load.segment, [*legs, *above])}",
                value=load.segment, expected=there, where=motion.name,
            )  # fmt: skip
    return [load for load in extra if load.segment in legs], [load for load in extra if load.segment not in legs]
