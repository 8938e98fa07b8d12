"""A norm for one person: without their own sessions, of people of that age, or at that walking speed; never beyond its people.

Whatever cannot be had honestly is not made: then the norm stays that of everybody in it, and a finding says why.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import Aspect
from biomech_id.errors import Finding, OptionError
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.measures.scores import GAIT_VARIABLES, gait_scores
from biomech_id.norms.comparable import comparable_norm
from biomech_id.norms.contributors import known_by, samples_of
from biomech_id.norms.samples import at_speed, norm_at_speed, norm_from_samples
from biomech_id.session.output.scores_table import GPS, GPS_OVERALL, GVS
from biomech_id.session.session import Session
from biomech_id.session.tables.means import RUNNING, WALKING, averaged_cycles, mean_of_known
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.fingerprint import fingerprint_of
from biomech_id.session.values.norm import (
    NORM_CHOICES,
    FittedNorm,
    NormPerson,
    NormSample,
    movement_of,
    stated_by,
    without_contributors,
)
from biomech_id.session.values.step import begin

#: Who is of an age: within this share of it (7.5 to 12.5 years for a child of 10, 30 to 50 for an adult of 40).
AGE_SHARE = 0.25
#: Fewer people of an age say nothing of how much they differ; and a line through fewer leaves too little beside it.
LEAST_OF_AGE, LEAST_AT_SPEED = 5, 10
#: Conditions walked at speeds farther apart than this (dimensionless, 0.15 m/s of an adult) have no speed in common.
SAME_SPEED = 0.05
SPEED = "speed_dimensionless"
_ABOUT = ("model", "kinetics", "source", "hip_centre", "bandwidth", "movement", "name", "version", "date")


#: A norm's table or none, what was found in choosing it, and who is in it.
_Chosen: TypeAlias = tuple["pd.DataFrame | None", list[Finding], Sequence[NormSample]]


def person_of(tables: Tables, movement: str = WALKING) -> NormPerson:
    """Return whom a session is of.

    Parameters
    ----------
    tables : Tables
        Tables of the person's session.
    movement : str, optional
        Whose speed is taken, one of `session.tables.means.AVERAGED`.

    Returns
    -------
    NormPerson
        Age in years (NaN where it is not recorded), condition -> dimensionless walking speed, and marks.
    """
    summary = tables.summary
    subject = summary.get("subject") or {}
    files = [(summary.get("static") or {}).get("file") or "", *(trial.get("file") or "" for trial in summary.get("trials", ()))]
    used = averaged_cycles(tables, movement)
    rows = tables.spatiotemporal[tables.spatiotemporal["parameter"] == SPEED]
    speed_rows = rows.merge(used[["trial", "side", "cycle", "condition"]], on=["trial", "side", "cycle"])
    speeds = {str(condition): float(values.mean()) for condition, values in speed_rows.groupby("condition", sort=False)["value"]}
    age = subject.get("age_years")
    return NormPerson(
        age_years=float("nan") if age is None else float(age),
        speeds={condition: speed for condition, speed in speeds.items() if np.isfinite(speed)},
        marks=known_by(str(subject.get("code") or ""), tables.manifest.get("inputs") or {}, files),
    )


def norm_for_session(session: Session) -> FittedNorm | None:
    """Return a session's norm as it is made for its person, by the recipe's ``norm_for`` (see `fit_norm`); None without a norm.

    Parameters
    ----------
    session : Session
        The session, analysed; its own recordings are known by its ``inputs``.

    Returns
    -------
    FittedNorm | None
        Table, findings and people; None without a norm.
    """
    if session.norm_table is None:
        return None
    speeds_m_s: dict[str, list[float]] = {}
    runs = movement_of(session.norm_table) == RUNNING
    for trial in session.movements:
        own = trial.cycles if trial.kind is (TrialKind.RUN if runs else TrialKind.STRAIGHT) else ()
        used = {(cycle.side, cycle.number) for cycle in own if trial.counts(cycle, Aspect.KINEMATICS)}
        for row in trial.parameters:
            if row.parameter == SPEED and (row.side, row.cycle) in used:
                speeds_m_s.setdefault(trial.condition, []).append(row.value)
    age, code = session.person.age_years, str(session.person.code or "")
    person = NormPerson(
        float("nan") if age is None else age,
        {condition: float(np.mean(speeds)) for condition, speeds in speeds_m_s.items()},
        known_by(code, session.inputs, [session.static_file, *(trial.file for trial in session.movements)]),
    )
    output = session.recipe.get("output", {})
    trials = [{"kind": str(trial.kind), "bandwidth": trial.bandwidth} for trial in session.movements]
    computed = fingerprint_of({**session.fingerprint, "trials": trials}, movement_of(session.norm_table))
    choice = str(output.get("norm_for") or NORM_CHOICES[0])
    return fit_norm(session.norm_table, person, choice, computed=computed, mix=output.get("mix", ()))


def fit_norm(
    norm: pd.DataFrame,
    person: NormPerson,
    choice: str = "everybody",
    *,
    computed: Mapping[str, str] = MappingProxyType({}),
    mix: Collection[str] = (),
    where: str = "norm",
) -> FittedNorm:
    """Return a norm made for one person.

    What was computed otherwise than the session is left out (see `norms.comparable`), and so are the person's own sessions. By age,
    people within `AGE_SHARE` of the person's make it; by speed, everybody's values are read at the person's on a straight line over
    dimensionless speed. Neither goes beyond the norm's people.

    Parameters
    ----------
    norm : pd.DataFrame
        A whole norm, of any number of bandwidths.
    person : NormPerson
        Whom it is for.
    choice : str, optional
        Whom of the norm to take: one of `NORM_CHOICES`.
    computed : Mapping[str, str], optional
        How the person's session was computed, as of `fingerprint.fingerprint_of`; what it does not say rules nothing out.
    mix : Collection[str], optional
        Keys of `fingerprint.FINGERPRINT` in which norm and session may differ.
    where : str, optional
        The norm's file, for messages.

    Returns
    -------
    FittedNorm
        The table without contributors, what was found in making it, and who is in it; everybody's norm where the choice cannot be
        had.

    Raises
    ------
    OptionError
        What the norm tells of its contributors cannot be read.
    """
    norm, apart = comparable_norm(norm, computed, mix=mix, where=where)
    if not len(without_contributors(norm)):
        return FittedNorm(None, apart)
    everybody = samples_of(norm, where=where)
    own = [sample for sample in everybody if sample.marks & person.marks]
    others = [sample for sample in everybody if not sample.marks & person.marks]
    findings = list(apart)
    if own and not others:
        return FittedNorm(None, (*apart, Finding("norm-own-only", {"own": len(own)}, where)))
    if own:
        findings.append(Finding("norm-own-session", {"own": len(own), "n": len(others)}, where))
    about = {name: stated_by(norm, name) for name in _ABOUT} | {"movement": movement_of(norm)}
    whole = scored_norm(others, about) if own else norm
    table, more, people = _CHOOSE[choice](others, person, about, where)
    findings += more
    if table is None:
        findings += _beyond(whole, person, where)
    return FittedNorm(without_contributors(whole if table is None else table), tuple(findings), tuple(people))


def fit_given_norm(
    norm: pd.DataFrame,
    person: NormPerson,
    choice: str = "everybody",
    *,
    computed: Mapping[str, str] = MappingProxyType({}),
    mix: Collection[str] = (),
    where: str = "norm",
) -> FittedNorm:
    """Return a norm that somebody named, made for one person (see `fit_norm`); one of nobody else is refused.

    Parameters
    ----------
    norm : pd.DataFrame
        A whole norm, of any number of bandwidths.
    person : NormPerson
        Whom it is for.
    choice : str, optional
        Whom of the norm to take: one of `NORM_CHOICES`.
    computed : Mapping[str, str], optional
        How the person's session was computed, as of `fingerprint.fingerprint_of`; what it does not say rules nothing out.
    mix : Collection[str], optional
        Keys of `fingerprint.FINGERPRINT` in which norm and session may differ.
    where : str, optional
        The norm's file, for messages.

    Returns
    -------
    FittedNorm
        As of `fit_norm`.

    Raises
    ------
    OptionError
        As for `fit_norm`, and where nobody but the person is in it.
    """
    fitted = fit_norm(norm, person, choice, computed=computed, mix=mix, where=where)
    if any(finding.rule == "norm-own-only" for finding in fitted.findings):
        raise OptionError(
            f"The norm {where} holds nobody but this person: nobody is compared with himself.",
            value=1, expected="a norm of other people", where=where,
        )  # fmt: skip
    return fitted


def _everybody(others: Sequence[NormSample], _person: NormPerson, _about: Mapping[str, str], _where: str) -> _Chosen:
    return None, [], others


def _of_age(others: Sequence[NormSample], person: NormPerson, about: Mapping[str, str], where: str) -> _Chosen:
    """The norm of who is of the person's age, or None and why not."""
    age = person.age_years
    ages = [sample.age_years for sample in others if np.isfinite(sample.age_years)]
    of_age = [sample for sample in others if abs(sample.age_years - age) <= AGE_SHARE * age]
    if not others:
        return None, [_not_chosen("age", "nobody_told", where)], others
    if not np.isfinite(age):
        return None, [_not_chosen("age", "unknown_age", where)], others
    if not ages or not min(ages) <= age <= max(ages):
        ends = (min(ages), max(ages)) if ages else (float("nan"),) * 2
        return None, [_not_chosen("age", "beyond_ages", where, value=age, low=ends[0], high=ends[1])], others
    if len(of_age) < LEAST_OF_AGE:
        return None, [_not_chosen("age", "few_of_age", where, value=age, n=len(of_age), least=LEAST_OF_AGE)], others
    theirs = [sample.age_years for sample in of_age]
    values = {"age_years": age, "n": len(of_age), "of": len(others), "low": min(theirs), "high": max(theirs)}
    return scored_norm(of_age, about), [Finding("norm-of-an-age", values, where)], of_age


def _at_speed(others: Sequence[NormSample], person: NormPerson, about: Mapping[str, str], where: str) -> _Chosen:
    """The norm at the person's speed, or None and why not."""
    known = [sample for sample in others if np.isfinite(sample.speed)]
    speeds, theirs = list(person.speeds.values()), [sample.speed for sample in known]
    if not others:
        return None, [_not_chosen("speed", "nobody_told", where)], others
    if not speeds:
        return None, [_not_chosen("speed", "unknown_speed", where)], others
    if max(speeds) - min(speeds) > SAME_SPEED:
        return None, [_not_chosen("speed", "several_speeds", where, low=min(speeds), high=max(speeds))], others
    if len(known) < LEAST_AT_SPEED:
        return None, [_not_chosen("speed", "few_at_speed", where, n=len(known), least=LEAST_AT_SPEED)], others
    speed = float(np.mean(speeds))
    if not min(theirs) <= speed <= max(theirs):
        return None, [_not_chosen("speed", "beyond_speeds", where, value=speed, low=min(theirs), high=max(theirs))], others
    values = {"speed": speed, "n": len(known), "low": min(theirs), "high": max(theirs)}
    moved = at_speed(known, speed, LEAST_AT_SPEED)
    return scored_norm(known, about, speed=speed), [Finding("norm-at-a-speed", values, where)], moved


_CHOOSE = {"everybody": _everybody, "age": _of_age, "speed": _at_speed}


def _not_chosen(choice: str, why: str, where: str, **values: float) -> Finding:
    blank = dict.fromkeys(("value", "low", "high", "n", "least"), float("nan"))
    return Finding("norm-not-chosen", {"choice": choice, "why": why, **blank, **values}, where)


def _beyond(norm: pd.DataFrame, person: NormPerson, where: str) -> list[Finding]:
    """That the person is younger or older than everybody in a norm which was not made for an age."""
    low, high = (float(norm.iloc[0][name]) for name in ("age_min_y", "age_max_y"))
    if not low <= person.age_years <= high and np.isfinite([low, high, person.age_years]).all():
        return [Finding("norm-of-other-ages", {"age_years": person.age_years, "low": low, "high": high}, where)]
    return []


def scored_norm(samples: Sequence[NormSample], about: Mapping[str, str], *, speed: float | None = None) -> pd.DataFrame:
    """Return the norm of some subjects, and how far they themselves lie from it: the norm of the scores.

    Parameters
    ----------
    samples : Sequence[NormSample]
        What each subject contributes.
    about : Mapping[str, str]
        ``model kinetics source hip_centre bandwidth movement name version date`` of all of them; runs have no scores.
    speed : float | None, optional
        Dimensionless, at which their values are read; None for their mean.

    Returns
    -------
    pd.DataFrame
        Rows of ``norm.csv``, those of scores last; of runs no scores.
    """
    begin("means")
    if speed is None:
        norm = norm_from_samples(samples, **about)
    else:
        samples = at_speed(samples, speed, LEAST_AT_SPEED)
        norm = norm_at_speed(samples, speed, LEAST_AT_SPEED, about)
    begin("scores")
    walks = about.get("movement", WALKING) == WALKING
    scored = [_scored(sample, _others_mean(samples, number) if walks else {}) for number, sample in enumerate(samples)]
    if not any(sample.values for sample in scored):
        return norm
    return pd.concat([norm, without_contributors(norm_from_samples(scored, **about))], ignore_index=True)


def _others_mean(samples: Sequence[NormSample], number: int) -> dict[tuple[str, str], FloatArray]:
    """Mean curves of everybody but one, who lies too near a mean that holds him; of one who is alone his own."""
    others = [sample.values for other, sample in enumerate(samples) if other != number or len(samples) == 1]
    theirs = {name: [values[name] for values in others if name in values] for name in GAIT_VARIABLES}
    return {name: mean_of_known(np.stack(curves)) for name, curves in theirs.items() if curves}


def _scored(sample: NormSample, normal: Mapping[tuple[str, str], FloatArray]) -> NormSample:
    """The same person with scores against a norm in place of every value."""
    scores = gait_scores(sample.sides, normal)
    sides = {(side, f"{GVS}.{variable}", component): value for (side, variable, component), value in scores.variables.items()}
    sides |= {(side, GPS, ""): value for side, value in scores.sides.items()}
    by_name: dict[tuple[str, str], list[float]] = {}
    for (_, *name), value in sides.items():
        by_name.setdefault((name[0], name[1]), []).append(value)
    if np.isfinite(scores.overall):
        by_name[GPS_OVERALL, ""] = [scores.overall]
    values = {name: np.array([np.mean(both)]) for name, both in by_name.items()}
    return replace(sample, values=values, sides={name: np.array([value]) for name, value in sides.items()})
