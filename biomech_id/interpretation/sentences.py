"""Deviations and changes in words, made of ids and numbers, in every language."""

from __future__ import annotations

from biomech_id.interpretation.changes import PatternChange
from biomech_id.interpretation.deviations import PatternDeviation
from biomech_id.interpretation.rules import PatternRules
from biomech_id.languages import WRITTEN, Sentence


def deviation_sentence(each: PatternDeviation, rules: PatternRules, language: str = WRITTEN) -> str:
    """Return what is said of a pattern: number first, what was measured, its short name in brackets, norm, error and cycles.

    Parameters
    ----------
    each : PatternDeviation
        The pattern, judged.
    rules : PatternRules
        The rules it was judged by.
    language : str, optional
        One of `LANGUAGES`; the rules' names stand in English and German.
    """
    numbers = {name: getattr(each, name) for name in ("value", "norm_mean", "norm_sd", "band", "cycles_shown", "cycles", "size")}
    return Sentence("pattern-said", {**_named(each, rules, language), **numbers, "unit": each.unit}).text(language)


def change_sentence(each: PatternChange, rules: PatternRules, language: str = WRITTEN) -> str:
    """Return what is said of a change.

    Parameters
    ----------
    each : PatternChange
        The change.
    rules : PatternRules
        The rules it was judged by.
    language : str, optional
        One of `LANGUAGES`; the rules' names stand in English and German.
    """
    numbers = {name: getattr(each, name) for name in ("before", "after", "change", "band")}
    values = {**_named(each, rules, language), **numbers, "unit": rules[each.pattern].shown.quantity.unit}
    return Sentence("pattern-changed", {**values, "direction": each.direction}).text(language)


def _named(each: PatternDeviation | PatternChange, rules: PatternRules, language: str) -> dict[str, object]:
    rule = rules[each.pattern]
    own = language if language in rule.names else WRITTEN
    return {"side": each.side, "pattern": each.pattern, "name": rule.names[own], "short": rule.short[own]}
