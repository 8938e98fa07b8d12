"""What the tables say by rule and values, in the report's language; the first version left words only, printed as it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, Protocol, TypedDict

from biomech_id.conventions import Aspect
from biomech_id.languages import WRITTEN, worded
from biomech_id.movement.cycle import layers_taken
from biomech_id.movement.stance import DECIDES
from biomech_id.report.layout.style import Style


class Said(TypedDict):
    """A sentence as JSON holds it; older ones have no values."""

    rule: str
    values: NotRequired[Mapping[str, object]]


class Reasoned(Protocol):
    """A row of `Tables.cycle_list`."""

    reason: str
    reasons: Sequence[Said]


def in_language(sentence: Said, part: str, stored: str, style: Style) -> str:
    """Return a sentence of the tables (``"text"`` or ``"hint"``) in the report's language; ``stored`` is its English one.

    Parameters
    ----------
    sentence : Said
        A reason as ``summary.json`` holds it.
    part : str
        Which reason of the cycle.
    stored : str
        The English sentence as the tables have it.
    style : Style
        Colours, words, scales and units of the report.
    """
    return (
        worded(sentence["rule"], sentence["values"], style.language, part)
        if "values" in sentence and style.language != WRITTEN
        else stored
    )


def reasons_of(cycle: Reasoned, style: Style, layer: Aspect | None = None) -> tuple[str, ...]:
    """Why a cycle has no kinetics or is in no mean; that of a stance after its verdict.

    Parameters
    ----------
    cycle : Reasoned
        Row of the cycles.
    style : Style
        Colours, words, scales and units of the report.
    layer : Aspect | None, optional
        The layer that the reasons are wanted of; None for all.
    """
    own = [why for why in cycle.reasons if layer is None or layer in layers_taken(why["rule"])]
    reasons = [_after_verdict(why, style) for why in own] if cycle.reasons else _of_first_version(cycle.reason, style)
    return tuple(f"{words[:1].upper()}{words[1:].rstrip('.')}." for words in reasons)


def _after_verdict(why: Said, style: Style) -> str:
    words, verdict = worded(why["rule"], why.get("values", {}), style.language), DECIDES.get(why["rule"])
    return f"{style.label(f'stance.{verdict}')}: {words}" if verdict else words


def _of_first_version(reason: str, style: Style) -> list[str]:
    """Reasons of tables that have words only, whose wording is fixed: a verdict's name may stand before each."""
    parts = []
    for part in filter(None, reason.split("; ")):
        verdict, colon, words = part.partition(": ")
        parts.append(f"{style.label(f'stance.{verdict}')}: {words}" if colon and verdict in set(DECIDES.values()) else part)
    return parts


def passed_self_check(step: Said, line: str) -> bool:
    """Whether a line of a history is a self-check that passed; tables of the first version have only its words."""
    if "values" not in step:
        return line.startswith("self-check: ") and line.endswith("passed")
    return step["rule"] == "self-check" and step["values"]["verdict"] == "passed"
