"""Types of gait in hemiplegia (Winters et al. 1987) as sums of patterns on one side: rows of ``hemiplegia_types.csv``.

``needs`` holds groups joined by " & ": of each one pattern of "A|B" is said in words, and of "!A|B" none is met.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from biomech_id.conventions import SIDES
from biomech_id.interpretation.deviations import LEAST_SAID_CYCLES, PatternDeviation


@cache
def hemiplegia_types() -> dict[str, tuple[tuple[bool, frozenset[str]], ...]]:
    """Return type -> its groups, each with whether one of its patterns is said or none is met; the least affected type first."""
    with Path(__file__).with_name("hemiplegia_types.csv").open(encoding="utf-8") as lines:
        groups = {row["type"]: row["needs"].split(" & ") for row in csv.DictReader(lines)}
    return {name: tuple((text[0] != "!", frozenset(text.strip("!").split("|"))) for text in of) for name, of in groups.items()}


def hemiplegia_type(judged: Iterable[PatternDeviation]) -> tuple[str, str, tuple[PatternDeviation, ...]] | None:
    """Return the side of a type, the type and the patterns it is a sum of; None where the other side has one of them too.

    It names no cause: only with the diagnosis hemiplegia may it be said at all.

    Parameters
    ----------
    judged : Iterable[PatternDeviation]
        Every rule on both sides under one condition.
    """
    types = hemiplegia_types()
    rows = [each for each in judged if any(each.pattern in group for groups in types.values() for _, group in groups)]
    met = [each for each in rows if each.met]
    if (
        {each.side for each in rows} != set(SIDES)
        or len({each.side for each in met}) != 1
        or any(each.cycles < LEAST_SAID_CYCLES for each in rows)
    ):
        return None

    def holds(wanted: bool, group: frozenset[str]) -> bool:
        return any(each.pattern in group and (each.marked or not wanted) for each in met) == wanted

    fits = [name for name, groups in types.items() if all(holds(*group) for group in groups)]
    if not fits:
        return None
    needed = frozenset().union(*(group for wanted, group in types[fits[-1]] if wanted))
    return met[0].side, fits[-1], tuple(each for each in met if each.marked and each.pattern in needed)
