"""Conditions with static trials of their own: barefoot, in shoes, with an orthosis, each with its markers placed anew.

``[statics]`` of ``subject.toml`` names them. Each such condition is calibrated by itself, with its own trials alone; everything
else is one group with the static trial that is found or named with ``--static``. All are analysed with one body model.

Markers may be stuck on anew within a session too: a ``[[placement]]`` of the review divides its trials, and means with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from biomech_id.errors import Finding, MissingInputError, OptionError, did_you_mean
from biomech_id.gait.review import Placement
from biomech_id.pipeline.choose_model import ChosenModel, choose_model
from biomech_id.pipeline.emg import is_emg_reference_alone
from biomech_id.request.intake import is_functional, stands_still
from biomech_id.request.job import Job
from biomech_id.request.subject_file import condition_of, statics_of
from biomech_id.trial import Trial


def choose_models(job: Job, trials: Sequence[Trial], placements: Sequence[Placement] = ()) -> tuple[ChosenModel, ...]:
    """Calibrate the session, once for each static trial that ``subject.toml`` or the review names and once for what is left.

    Parameters
    ----------
    job : Job
        What is asked for.
    trials : Sequence[Trial]
        Recordings with markers, in the order of their names.
    placements : Sequence[Placement], optional
        Of the review: since when markers were stuck on anew.

    Returns
    -------
    tuple[ChosenModel, ...]
        What is left first, if there is something; each holds the trials that it is for.

    Raises
    ------
    MissingInputError
        One cannot be calibrated, or its static trial is not among the recordings.
    OptionError
        A condition with a static trial that no trial has; a placement since a trial that is not there; several trials that could
        be the static one of what is left.
    """
    if not placements:
        return _by_condition(job, trials)
    names = [trial.name for trial in trials]
    starts = sorted(((_since(placement, names), placement) for placement in placements), key=lambda start: start[0])
    standing = [_static_named(placement.static, trials, "review.toml", placement.since) for _, placement in starts]
    ends = [*(start for start, _ in starts[1:]), len(trials)]
    # A static trial that is named with --static comes last of all, and is that of the first placement.
    named = [trial for trial in trials if job.static is not None and Path(trial.path) == job.static]
    before = [trial for trial in trials if trial not in standing and (trial in named or trial in trials[: starts[0][0]])]
    models = list(_by_condition(job, before)) if _walked(before, job) else []
    mark = ""
    for number, (static, (start, placement), end) in enumerate(zip(standing, starts, ends, strict=True), start=2):
        group = [static, *(trial for trial in trials[start:end] if trial not in [*standing, *named])]
        mark = mark if placement.one_mean else f"({number})"
        values: dict[str, Any] = {"since": placement.since, "markers": placement.markers, "static": static.name, "mark": mark}
        values |= {"apart": not placement.one_mean, "author": placement.author, "reason": placement.reason}
        chosen = _with_static(job, static, _in_order(trials, group), models)
        findings = (Finding("placed-anew", values, placement.since), *chosen.findings)
        models.append(replace(chosen, findings=findings, placement=mark))
    return tuple(models)


def _since(placement: Placement, names: Sequence[str]) -> int:
    """Which trial a placement begins with.

    Raises
    ------
    OptionError
        There is none of that name.
    """
    if placement.since not in names:
        raise OptionError(
            f"The {placement} names a trial that the session does not have.{did_you_mean(placement.since, names)}",
            value=placement.since, expected=", ".join(names), where="review.toml",
        )  # fmt: skip
    return names.index(placement.since)


def _walked(trials: Iterable[Trial], job: Job) -> bool:
    """Whether any of some trials is there to be analysed."""
    return any(
        not (stands_still(trial) or is_functional(trial, job) or is_emg_reference_alone(trial, job.recipe)) for trial in trials
    )


def _with_static(job: Job, static: Trial, group: Sequence[Trial], before: Sequence[ChosenModel]) -> ChosenModel:
    """Calibrate some trials on a static trial of their own, with the body model of those before."""
    own = replace(job, static=Path(static.path))
    if before:
        own = replace(own, recipe=own.recipe.replaced(model=before[0].job.recipe.model))
    chosen = choose_model(own, group)
    return replace(chosen, job=replace(chosen.job, static=job.static))


def _by_condition(job: Job, trials: Sequence[Trial]) -> tuple[ChosenModel, ...]:
    """One calibration for each condition with a static trial of its own, and one for what is left."""
    statics = statics_of(job.subject_toml)
    if not statics:
        return (choose_model(job, trials),)
    condition = condition_of(job.subject_toml)
    called = {id(trial): condition(_stem(trial)) for trial in trials}
    standing = {of: _static_named(name, trials, _file(job), of) for of, name in statics.items()}
    special = {id(static): static for static in standing.values()}
    walks = [trial for trial in trials if id(trial) not in special]
    for of in statics:
        _refuse_unused(of, [called[id(trial)] for trial in walks], job)
    by_condition: list[ChosenModel] = []
    rest = [trial for trial in walks if called[id(trial)] not in statics]
    if _walked(rest, job):
        by_condition.append(choose_model(job, rest))
    for static in special.values():
        conditions = [of for of, its in standing.items() if its is static]
        group = [static, *(trial for trial in walks if called[id(trial)] in conditions or _serves_all(trial, called, job))]
        by_condition.append(_with_static(job, static, _in_order(trials, group), by_condition))
    return tuple(by_condition)


def _stem(trial: Trial) -> str:
    return Path(trial.path).stem


def _serves_all(trial: Trial, called: Mapping[int, str], job: Job) -> bool:
    """Whether a trial shows joint centres for every condition: it belongs to none."""
    return is_functional(trial, job) and not called[id(trial)]


def _in_order(trials: Sequence[Trial], group: Iterable[Trial]) -> tuple[Trial, ...]:
    identities = {id(trial) for trial in group}
    return tuple(trial for trial in trials if id(trial) in identities)


def _static_named(name: str, trials: Sequence[Trial], file: str, condition: str) -> Trial:
    """The trial of a name, with or without its ending.

    Raises
    ------
    MissingInputError
        There is none.
    """
    for trial in trials:
        if name in (trial.name, _stem(trial), Path(trial.path).name):
            return trial
    names = [_stem(trial) for trial in trials]
    raise MissingInputError(
        f"{file} names {name!r} as the static trial of {condition!r}, and no recording that can be used is called so."
        f"{did_you_mean(name, names)}",
        value=name, expected=", ".join(names), where="statics",
    )  # fmt: skip


def _refuse_unused(condition: str, conditions: Sequence[str], job: Job) -> None:
    """Refuse a static trial for a condition that no trial has: a slip of the pen would analyse its trials with another static.

    Raises
    ------
    OptionError
        There is no such condition.
    """
    if condition not in conditions:
        known = sorted({name for name in conditions if name})
        raise OptionError(
            f"{_file(job)} gives the condition {condition!r} a static trial, and no trial has that condition; "
            f"there are {', '.join(map(repr, known)) or 'none'}.{did_you_mean(condition, known)}",
            value=condition, expected=", ".join(known) or "a section [conditions]", where="statics",
        )  # fmt: skip


def _file(job: Job) -> str:
    return job.subject_toml.name if job.subject_toml else "subject.toml"


def in_order(groups: Sequence[ChosenModel], trials: Sequence[Trial]) -> Iterator[tuple[Trial, ChosenModel]]:
    """Yield every trial but the static ones with what it is analysed with, in the order of the files.

    Parameters
    ----------
    groups : Sequence[ChosenModel]
        As of `choose_models`; a functional trial may be in several, and comes with the first.
    trials : Sequence[Trial]
        All recordings with markers, in their order.
    """
    by_name = {trial.name: (trial, chosen) for chosen in reversed(groups) for trial in chosen.trials if trial is not chosen.static}
    yield from (by_name[trial.name] for trial in trials if trial.name in by_name)
