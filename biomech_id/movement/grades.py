"""Grades of what was measured, and one rule's verdict on one trial; the rules themselves are `judgement.quality`'s."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from biomech_id.conventions import Aspect
from biomech_id.languages import WRITTEN, terms_of, worded
from biomech_id.values import dataclass


class Grade(StrEnum):
    """Verdict of a rule, a cycle, a trial or a session; the one vocabulary for it, from what says least to what says worst."""

    NOT_JUDGED = "not judged"
    NOT_MEASURED = "not measured"
    ACCEPT = "accept"
    WARN = "warn"
    REJECT = "reject"

    @property
    def doubted(self) -> bool:
        """Whether a person should look."""
        return self in (Grade.WARN, Grade.REJECT)


_ORDER = tuple(Grade)


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
    low_is_bad : bool
        Whether values below the limit are the bad ones.
    explained_by_findings : bool
        Whether a finding says more than this number does.
    by : Mapping[tuple[Aspect, str], Grade]
        (Layer, side) -> what the rule says of it; nothing of those that it does not judge.
    """

    trial: str
    rule: str
    value: float
    unit: str
    limit: float
    verdict: Grade
    low_is_bad: bool
    explained_by_findings: bool
    by: Mapping[tuple[Aspect, str], Grade]

    @property
    def layers(self) -> tuple[Aspect, ...]:
        """The layers that the rule judges, in the order of `Aspect`."""
        return tuple(layer for layer in Aspect if any(of is layer for of, _ in self.by))


def worst(grades: Iterable[Grade]) -> Grade:
    """Return the worst of some grades; not judged if there is none.

    Parameters
    ----------
    grades : Iterable[Grade]
        Grades of any number of parts, in any order.

    Returns
    -------
    Grade
        Reject before warn before accept.
    """
    return max(grades, key=_ORDER.index, default=Grade.NOT_JUDGED)


def together(grades: Iterable[Grade]) -> Grade:
    """Return the grade of what consists of some parts: bad where every part that was judged is, else a warning as long as one is.

    Parameters
    ----------
    grades : Iterable[Grade]
        Grades of the parts, in any order.

    Returns
    -------
    Grade
        Parts that were not judged or measured do not count while another was.
    """
    each = list(grades)
    judged = [grade for grade in each if grade not in (Grade.NOT_JUDGED, Grade.NOT_MEASURED)]
    if Grade.REJECT in judged and any(grade is not Grade.REJECT for grade in judged):
        return Grade.WARN
    return worst(each)


def rule_sentence(row: QualityRow, language: str = WRITTEN) -> str:
    """Say in one sentence why a rule was not passed; empty where a person need not look.

    Parameters
    ----------
    row : QualityRow
        One rule applied to one trial.
    language : str, optional
        Language of the words: one of `languages.LANGUAGES`.

    Returns
    -------
    str
        One sentence with value, limit and unit, without a full stop; or "".
    """
    if not row.verdict.doubted:
        return ""
    name = f"rule.{row.rule}"
    title = terms_of(language, "report").get(name) or terms_of(WRITTEN, "report")[name]
    values = {"title": title, **{name: getattr(row, name) for name in ("value", "unit", "limit", "low_is_bad")}}
    return worded("rule-not-passed", values, language)
