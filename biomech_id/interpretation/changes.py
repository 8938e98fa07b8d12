"""What changed of gait patterns between two sessions beyond what markers placed anew can make: ``changes.csv``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from biomech_id.interpretation.deviations import LEAST_SAID_CYCLES, PatternDeviation
from biomech_id.interpretation.rules import PatternRule, PatternRules, shipped_rules
from biomech_id.session.tables.session_tables import Tables


class ChangeDirection(StrEnum):
    """Where a change leads; none within the error of both placements."""

    TOWARDS = "towards norm"
    AWAY = "away from norm"
    PAST = "past the norm"
    WITHIN_ERROR = "within error"


@dataclass(frozen=True)
class PatternChange:
    """One pattern of one side in two sessions: a row of ``changes.csv``.

    Attributes
    ----------
    side, pattern : str
        Of which.
    before, after, change : float
        What the rule shows, in its unit.
    band : float
        What 95 % of changes stay within where nothing changed: both placements and the scatter of cycles.
    direction : ChangeDirection
        Where it leads.
    marked_before, marked_after : bool
        Whether it is said in words of each session.
    """

    side: str
    pattern: str
    before: float
    after: float
    change: float
    band: float
    direction: ChangeDirection
    marked_before: bool
    marked_after: bool


def changes_of(before: Iterable[PatternDeviation], after: Iterable[PatternDeviation]) -> tuple[PatternChange, ...]:
    """Return what is said of the patterns that are marked at one visit at least; sides of fewer than three cycles are left out.

    Parameters
    ----------
    before, after : Iterable[PatternDeviation]
        Every rule judged in each session under one condition, as of `judge_patterns`.
    """
    first = {(each.side, each.pattern): each for each in before}
    pairs = ((first[key], each) for each in after if (key := (each.side, each.pattern)) in first)
    return tuple(
        _change(*pair) for pair in pairs if any(x.marked for x in pair) and min(x.cycles for x in pair) >= LEAST_SAID_CYCLES
    )


def _change(before: PatternDeviation, after: PatternDeviation) -> PatternChange:
    change, band = after.value - before.value, float(np.hypot(before.band, after.band))
    first, second = before.value - before.norm_mean, after.value - after.norm_mean
    direction = ChangeDirection.TOWARDS if abs(second) < abs(first) else ChangeDirection.AWAY
    if first * second < 0.0 and abs(second) > after.norm_sd:
        direction = ChangeDirection.PAST
    if not abs(change) > band:
        direction = ChangeDirection.WITHIN_ERROR
    return PatternChange(
        after.side, after.pattern, before.value, after.value, change, band, direction, before.marked, after.marked
    )  # fmt: skip


def not_comparable(first: Tables, second: Tables, rules: PatternRules | None = None) -> dict[str, str]:
    """Return pattern -> why two sessions may not be compared by it: model, hip-centre, knee-axis or static; what may is left out.

    Parameters
    ----------
    first, second : Tables
        The two.
    rules : PatternRules | None, optional
        The rules; None for those that are shipped.
    """
    whole = next((key for key in ("model", "hip_centre") if _differs(first.summary, second.summary, "fingerprint", key)), "")
    axis = _differs(first.summary["recipe"], second.summary["recipe"], "model", "knee_axis")
    static = first.calibration.get("foot_flat") != second.calibration.get("foot_flat")

    def reasons(rule: PatternRule) -> Iterator[str]:
        if whole:
            yield whole.replace("_", "-")
        if axis and not rule.in_sagittal_plane and rule.joint in ("hip", "knee"):
            yield "knee-axis"
        if static and rule.joint in ("ankle", "foot"):
            yield "static"

    found = {rule.pattern: next(reasons(rule), "") for rule in (rules or shipped_rules()).rows}
    return {pattern: reason for pattern, reason in found.items() if reason}


def _differs(first: Mapping[str, Any], second: Mapping[str, Any], part: str, key: str) -> bool:
    return bool(first.get(part, {}).get(key) != second.get(part, {}).get(key))
