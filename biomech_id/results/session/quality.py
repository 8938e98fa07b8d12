"""How good is this trial? Named rules with a number, a unit and a limit, and the verdict that follows from them.

A rule has two limits: beyond the first a person should look (warn), beyond the second the trial should not be used (reject).
The limits are judgements, not physics; each says in ``why`` what it is based on. A rule without a value is neither passed nor
failed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from biomech_id.errors import InvalidValueError


class Grade(StrEnum):
    """Verdict of a rule, a trial or a session; from best to worst."""

    ACCEPT = "accept"
    WARN = "warn"
    REJECT = "reject"


_ORDER = (Grade.ACCEPT, Grade.WARN, Grade.REJECT)


@dataclass(frozen=True)
class QualityRule:
    """One rule.

    Attributes
    ----------
    name : str
        Stable identifier, lower-case words joined by hyphens.
    title : str
        What a report's column head says.
    unit : str
        Of the value and the limits.
    warn : float
        Values beyond these get that grade; ``inf`` (``-inf`` for a rule where low is bad) never does.
    reject : float
        Values beyond these get that grade; ``inf`` (``-inf`` for a rule where low is bad) never does.
    why : str
        Where the limits come from.
    low_is_bad : bool, optional
        Whether "beyond" means below.
    """

    name: str
    title: str
    unit: str
    warn: float
    reject: float
    why: str
    low_is_bad: bool = False

    def grade(self, value: float) -> Grade:
        """Grade one value; a missing value (NaN) is accepted, for nothing speaks against it.

        Parameters
        ----------
        value : float
            What was measured, in the rule's unit.
        """
        sign = -1.0 if self.low_is_bad else 1.0
        if np.isnan(value) or sign * value <= sign * self.warn:
            return Grade.ACCEPT
        return Grade.WARN if sign * value <= sign * self.reject else Grade.REJECT

    def limit(self, grade: Grade) -> float:
        """The limit that decided a grade; NaN where no finite limit exists.

        Parameters
        ----------
        grade : Grade
            The verdict.
        """
        limit = self.reject if grade is Grade.REJECT else self.warn
        return limit if np.isfinite(limit) else float("nan")


#: Every rule by which a trial is graded, in the order they are reported.
RULES: tuple[QualityRule, ...] = (
    QualityRule("gap-largest", "Largest gap", "ms", 100.0, 500.0,
                "ten frames at 100 Hz, the longest gap filled by default; half a second is half a gait cycle"),
    QualityRule("gap-filled", "Filled", "%", 2.0, 20.0, "share of marker samples that were interpolated and not measured"),
    QualityRule("frames-untracked", "Untracked frames", "%", 2.0, 50.0,
                "share of frames between the first and the last tracked one in which a joint angle is missing"),
    QualityRule("marker-rigidity", "Marker rigidity", "mm", 10.0, 25.0,
                "root mean square change of the distances within a segment against the static trial; skin moves by about 10 mm"),
    QualityRule("centre-drift", "Joint-centre drift", "mm", 10.0, 25.0,
                "mean change of the distance between neighbouring joint centres against the static trial"),
    QualityRule("plate-baseline", "Plate baseline", "N", 10.0, 50.0,
                "force of the unloaded plate before it was removed; above 5 % of a child's weight it shifts the contact"),
    QualityRule("cop-inside-foot", "CoP inside foot", "%", 95.0, 70.0,
                "share of loaded samples whose centre of pressure lies within 20 mm of the foot's outline", low_is_bad=True),
    QualityRule("event-lag", "Kinematic to force events", "ms", 30.0, 100.0,
                "median absolute lag; stored foot offs lie within 14 ms of the force's, detected ones within two frames"),
    QualityRule("cycles-used", "Cycles used", "", 1.0, float("-inf"), "a trial without a usable cycle adds nothing",
                low_is_bad=True),
    QualityRule("cycles-refused", "Cycles refused", "", float("inf"), float("inf"), "counted; the reasons are listed"),
    QualityRule("stances-on-plate", "Stances with kinetics", "", float("-inf"), float("-inf"),
                "counted for the reader; kinematics do not need a plate", low_is_bad=True),
)  # fmt: skip
_RULE = {rule.name: rule for rule in RULES}


@dataclass(frozen=True)
class QualityRow:
    """One rule applied to one trial: a row of ``quality.csv``.

    Attributes
    ----------
    trial : str
        Name of the trial.
    rule : str
        Name of the rule.
    value : float
        What was measured, in the rule's unit.
    unit : str
        Unit of value and limit.
    limit : float
        The limit that decided; NaN where none exists.
    verdict : Grade
        What the rule says.
    """

    trial: str
    rule: str
    value: float
    unit: str
    limit: float
    verdict: Grade


def graded(trial: str, rule: str, value: float) -> QualityRow:
    """Apply one rule of `RULES` to a value measured in one trial.

    Parameters
    ----------
    trial : str
        Name of the trial.
    rule : str
        Name of the rule.
    value : float
        What was measured, in the rule's unit.

    Raises
    ------
    InvalidValueError
        There is no such rule, or the value is infinite.
    """
    if rule not in _RULE or np.isinf(value):
        raise InvalidValueError(
            f"{trial}: the quality rule {rule} cannot be applied to {value}.",
            value=value, expected=f"a finite value for one of {', '.join(_RULE)}", where=trial,
        )  # fmt: skip
    found = _RULE[rule]
    grade = found.grade(value)
    return QualityRow(trial, rule, float(value), found.unit, found.limit(grade), grade)


def worst(grades: Iterable[Grade]) -> Grade:
    """Return the worst of some grades; accept if there is none.

    Parameters
    ----------
    grades : Iterable[Grade]
        Any number.
    """
    return max(grades, key=_ORDER.index, default=Grade.ACCEPT)


def rule_sentence(row: QualityRow) -> str:
    """Say in one sentence why a rule was not passed; empty for an accepted one.

    Parameters
    ----------
    row : QualityRow
        One rule applied to one trial.
    """
    if row.verdict is Grade.ACCEPT:
        return ""
    rule = _RULE[row.rule]
    unit = f" {rule.unit}" if rule.unit else ""
    word = "below" if rule.low_is_bad else "above"
    return f"{rule.title} {row.value:.3g}{unit}, {word} the limit of {row.limit:g}{unit}"
