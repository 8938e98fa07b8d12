"""What changed of gait patterns between two sessions beyond what markers placed anew can make: ``changes.csv``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

import numpy as np

from biomech_id.conventions import CYCLE_ROWS, ERROR_SOURCES
from biomech_id.interpretation.deviations import LEAST_SAID_CYCLES, PatternDeviation, covered, is_mirrored, judge_sides
from biomech_id.interpretation.rules import PatternRule, PatternRules, shipped_rules
from biomech_id.session.tables.means import averaged_cycles
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.norm import NormSample
from biomech_id.statistics.sessions import ComparedCycles
from biomech_id.trial.worn import NOT_STATED
from biomech_id.values import dataclass, replace


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
    first, second : PatternDeviation
        As judged in each.
    band : float
        What 95 % of changes stay within where nothing changed, in the rule's unit: both placements, and the scatter of cycles.
    direction : ChangeDirection
        Towards the norm, away from it, past it, or within the error.
    """

    first: PatternDeviation
    second: PatternDeviation
    band: float
    direction: ChangeDirection

    @property
    def side(self) -> str:
        """Which: L, R, or empty for the whole walk."""
        return self.second.side

    @property
    def pattern(self) -> str:
        """Id of the rule."""
        return self.second.pattern

    @property
    def before(self) -> float:
        """What the rule shows of the first session, in its unit."""
        return self.first.value

    @property
    def after(self) -> float:
        """What it shows of the second."""
        return self.second.value

    @property
    def change(self) -> float:
        """Second less first."""
        return self.after - self.before

    @property
    def marked_before(self) -> bool:
        """Whether it is said in words of the first session."""
        return self.first.marked

    @property
    def marked_after(self) -> bool:
        """Whether it is said in words of the second."""
        return self.second.marked

    @property
    def covered_by(self) -> str:
        """The pattern in whose sentence it stands wherever it is said; empty where it stands alone."""
        covers = {each.covered_by for each in (self.first, self.second) if each.marked}
        return covers.pop() if len(covers) == 1 else ""

    @property
    def row(self) -> dict[str, object]:
        """As ``changes.csv`` holds it."""
        numbers = {name: getattr(self, name) for name in ("side", "pattern", "before", "after", "change", "band", "direction")}
        marks = {name: str(getattr(self, name)).lower() for name in ("marked_before", "marked_after")}
        return {**numbers, "unit": self.second.unit, **marks, "covered_by": self.covered_by}


@dataclass(frozen=True, eq=False)
class Visit:
    """One session under one condition, as it is compared.

    Attributes
    ----------
    tables : Tables
        The session's tables.
    condition : str
        Condition of its trials ("barefoot"); empty where none is named.
    people : Sequence[NormSample]
        Who is in the norm.
    """

    tables: Tables
    condition: str
    people: Sequence[NormSample]

    @property
    def cycles(self) -> ComparedCycles:
        """Its cycles that enter means."""
        used = averaged_cycles(self.tables)
        return ComparedCycles(self.tables, used[used["condition"] == self.condition])

    def judged(self, rules: PatternRules, sources: frozenset[str] | None = None) -> list[PatternDeviation]:
        """Return every rule judged on both sides.

        Parameters
        ----------
        rules : PatternRules
            Rules that are judged on each side.
        sources : frozenset[str] | None, optional
            Errors that the bands are made of; None for all of them.
        """
        judged = judge_sides(self.tables, self.people, rules, sources=sources)
        return [each for each in covered(judged, rules) if each.condition == self.condition]


def changes_between(first: Visit, second: Visit, rules: PatternRules | None = None) -> tuple[PatternChange, ...]:
    """Return what changed of every pattern that is said of one visit at least, largest first in bands; what may be compared only.

    Both placements count in full, with what the two visits share: several patterns are asked of each pair, and bands without that
    would call one of them changed in every other pair in which nothing is (study ``nothing_changed``).

    Parameters
    ----------
    first, second : Visit
        The earlier session and the later one, each under one condition.
    rules : PatternRules | None, optional
        The rules; None for those that are shipped.
    """
    rules = rules or shipped_rules()
    refused = not_comparable(first.tables, second.tables, rules, conditions=(first.condition, second.condition))
    judged = [visit.judged(rules) for visit in (first, second)]
    marked = {each.pattern for rows in judged for each in rows if each.marked} - refused.keys()
    some = replace(rules, rows=tuple(rule for rule in rules.rows if rule.pattern in marked))
    # The same markers on the same spots: nothing but the cycles scatters.
    sources = frozenset() if first.cycles.markers_of(second.cycles) else frozenset(ERROR_SOURCES)
    pairs = []
    for visit, rows in zip((first, second), judged, strict=True):
        bands = {(each.side, each.pattern): each.band for each in visit.judged(some, sources)}
        pairs.append([replace(each, band=bands[each.side, each.pattern]) for each in rows if each.pattern in marked])
    changes = sorted(changes_of(*pairs), key=lambda each: -abs(each.change) / each.band)
    seen = [each.pattern for each in changes if is_mirrored(rules[each.pattern])]
    again = {pattern for pattern in seen if seen.count(pattern) > 1}
    return tuple(
        each for number, each in enumerate(changes)
        if each.pattern not in again or each.pattern not in {earlier.pattern for earlier in changes[:number]}
    )  # fmt: skip


def changes_of(before: Iterable[PatternDeviation], after: Iterable[PatternDeviation]) -> tuple[PatternChange, ...]:
    """Return what is said of the patterns that are marked at one visit at least; sides of fewer than three cycles are left out.

    Parameters
    ----------
    before, after : Iterable[PatternDeviation]
        Every rule judged in each session under one condition; their bands are those that a change must leave.
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
    return PatternChange(before, after, band, direction)


#: What keeps everything from being compared, what angles outside the sagittal plane at hip and knee, and what ankle and foot.
WHOLE_REASONS = ("model", "hip-centre", "footwear", "aid")
KNEE_AXIS, STATIC, KINETICS = "knee-axis", "static", "kinetics"


def reasons_apart(first: Tables, second: Tables, *, conditions: tuple[str, str] = ("", "")) -> tuple[str, ...]:
    """Return why two sessions may not be compared in everything: of `WHOLE_REASONS`, ``KNEE_AXIS``, ``STATIC`` and ``KINETICS``.

    Parameters
    ----------
    first, second : Tables
        Tables of the earlier session and of the later one.
    conditions : tuple[str, str], optional
        Of each one's trials; empty for all of them.
    """
    worn = [
        {key: _worn(tables, condition, key) for key in ("footwear", "aid")}
        for tables, condition in zip((first, second), conditions, strict=True)
    ]
    own, other = (each.calibration_of(condition) for each, condition in zip((first, second), conditions, strict=True))
    apart = {
        "model": _differs(first.summary, second.summary, "fingerprint", "model"),
        "hip-centre": _differs(first.summary, second.summary, "fingerprint", "hip_centre"),
        # What nobody stated differs from nothing: it is said beside the comparison.
        **{key: bool(worn[0][key] and worn[1][key]) and worn[0][key] != worn[1][key] for key in ("footwear", "aid")},
        KNEE_AXIS: knee_axis_of(first, conditions[0]) != knee_axis_of(second, conditions[1]),
        STATIC: own.get("foot_flat") != other.get("foot_flat"),
        KINETICS: _differs(first.summary, second.summary, "fingerprint", "kinetics"),
    }
    return tuple(reason for reason, differs in apart.items() if differs)


def not_comparable(
    first: Tables, second: Tables, rules: PatternRules | None = None, *, conditions: tuple[str, str] = ("", "")
) -> dict[str, str]:
    """Return pattern -> why two sessions may not be compared by it, of `reasons_apart`; what may is left out.

    Parameters
    ----------
    first, second : Tables
        Tables of the earlier session and of the later one.
    rules : PatternRules | None, optional
        The rules; None for those that are shipped.
    conditions : tuple[str, str], optional
        Of each one's trials; empty for all of them.
    """
    reasons = reasons_apart(first, second, conditions=conditions)
    refused = {rule.pattern: next(_refusing(rule, reasons), "") for rule in (rules or shipped_rules()).rows}
    return {pattern: reason for pattern, reason in refused.items() if reason}


def _refusing(rule: PatternRule, reasons: Sequence[str]) -> Iterator[str]:
    row = CYCLE_ROWS.get((rule.shown.quantity.variable, rule.shown.quantity.component))
    concerned = {
        **dict.fromkeys(WHOLE_REASONS, True),
        KNEE_AXIS: not rule.in_sagittal_plane and rule.joint in ("hip", "knee"),
        STATIC: rule.joint in ("ankle", "foot"),
        KINETICS: row is not None and row.kinetic,
    }
    return (reason for reason in reasons if concerned[reason])


def knee_axis_of(tables: Tables, condition: str = "") -> tuple[str, str]:
    """Return how a session's knee axes were found: the recipe's way, and the calibration's method, by device or markers.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    condition : str, optional
        Of the trials, which may have a static of its own.
    """
    way = str((tables.summary.get("recipe") or {}).get("model", {}).get("knee_axis", ""))
    return way, str(tables.calibration_of(condition).get("knee_and_ankle_centre_method") or "")


def _worn(tables: Tables, condition: str, key: str) -> frozenset[str]:
    """What straight walks of a condition were walked with or in; empty where nobody stated it."""
    trials = tables.summary.get("trials", ())
    of = [trial for trial in trials if trial["kind"] == "straight" and condition in ("", trial["condition"])]
    return frozenset(str(trial.get(key, NOT_STATED)) for trial in of) - {NOT_STATED, ""}


def _differs(first: Mapping[str, Any], second: Mapping[str, Any], part: str, key: str) -> bool:
    return bool(first.get(part, {}).get(key) != second.get(part, {}).get(key))
