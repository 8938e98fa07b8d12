"""A laboratory's own sessions before it switches: what is asked of whom, over all of them, and its own repeated sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from biomech_id.languages import table
from biomech_id.session.tables.means import MeanCurves, mean_curves
from biomech_id.session.tables.session_tables import Tables
from biomech_id.statistics.session_error import OwnErrors, own_errors
from biomech_id.values import dataclass

#: Who answers what was noticed: labels, events and measurements; plates and calibration; choices of model and bandwidth.
ANSWERING = ("technician", "physicist", "clinician")


@dataclass(frozen=True)
class Question:
    """One warning over all sessions.

    Attributes
    ----------
    rule : str
        Id of the rule whose warning it is.
    answers : str
        One of `ANSWERING`, as the rule's row says.
    sessions : tuple[str, ...]
        Those that have it.
    example : Mapping[str, Any]
        The first one: rule and values.
    """

    rule: str
    answers: str
    sessions: tuple[str, ...]
    example: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Commissioned:
    """A laboratory's sessions, analysed and held against what its own software stored.

    Attributes
    ----------
    analysed : tuple[str, ...]
        Sessions by their folders.
    silent : tuple[str, ...]
        Those of them whose recordings store no outputs.
    failed : Mapping[str, str]
        Session that could not be analysed -> sentence.
    unread : Mapping[str, str]
        File of an analysed session that could not be -> sentence.
    compared : Tables | None
        Tables of one session with the comparison of all, each trial named with its session; None where none stores outputs.
    questions : tuple[Question, ...]
        Warnings, by who answers them, the most frequent first.
    errors : OwnErrors | None
        What repeated sessions differ by; None where no person has sessions of two examiners.
    """

    analysed: tuple[str, ...]
    silent: tuple[str, ...]
    failed: Mapping[str, str]
    unread: Mapping[str, str]
    compared: Tables | None
    questions: tuple[Question, ...]
    errors: OwnErrors | None


def questions_of(sessions: Mapping[str, Tables]) -> tuple[Question, ...]:
    """Return every warning of some sessions once, by who answers it, the most frequent first.

    Parameters
    ----------
    sessions : Mapping[str, Tables]
        Session -> its tables.
    """
    by_rule: dict[str, dict[str, Mapping[str, Any]]] = {}
    for name, tables in sessions.items():
        for source in (tables.summary, *tables.summary["trials"]):
            for finding in source.get("findings", ()):
                if finding["severity"] != "info":
                    by_rule.setdefault(finding["rule"], {}).setdefault(name, finding)
    rows = table("en")
    asked = (
        Question(rule, rows.get(rule, {}).get("answers", ANSWERING[0]), tuple(by), next(iter(by.values())))
        for rule, by in by_rule.items()
    )
    return tuple(sorted(asked, key=lambda each: (ANSWERING.index(each.answers), -len(each.sessions), each.rule)))


def repeated_sessions(sessions: Mapping[str, Tables]) -> OwnErrors | None:
    """Return what the sessions of people differ by whom two examiners measured; None where nobody was.

    Parameters
    ----------
    sessions : Mapping[str, Tables]
        Session -> its tables, in order; the examiner stands in ``[clinic]`` of ``subject.toml``, the person is known by the code.
    """
    people: dict[str, dict[str, Tables]] = {}
    for tables in sessions.values():
        code, notes = tables.summary["subject"].get("code"), (tables.summary.get("clinic") or {}).get("") or {}
        if code and notes.get("examiner"):
            # Markers of one examiner's further sessions may be the same ones: each examiner counts once, with the first.
            people.setdefault(str(code), {}).setdefault(str(notes["examiner"]), tables)
    return own_errors([_of_one_condition(list(own.values())) for own in people.values() if len(own) > 1])


def _of_one_condition(sessions: Sequence[Tables]) -> list[tuple[MeanCurves, float | None]]:
    """Mean curves of each session in the condition that most of them walked in, and the leg's length."""
    means = [mean_curves(each) for each in sessions]
    walked = Counter(condition for own in means for condition in own)
    shared = max(walked, key=lambda condition: walked[condition], default="")
    return [(own[shared], _leg_m(tables)) for own, tables in zip(means, sessions, strict=True) if shared in own]


def _leg_m(tables: Tables) -> float | None:
    legs = [length for length in (tables.summary["subject"].get("leg_length_m") or {}).values() if length]
    return float(np.mean(legs)) if legs else None
