"""What could not have been said of a session, tried: hip rotation is moved to just below and just beyond what page 1 prints.

``python -m benchmarks.studies.could_not_be_said`` takes virtual patients of five gaits and leaves little to say of each in eight
ways: sides of few cycles, few cycles with kinetics, a turned knee axis on one side or both, no bands. Of each of the 40 sessions
page 1 must say so, and it must be true: of a row with a number a hip turned by a little less than that is not called turned, one
turned by a little more is; of a side or a plane of which nothing can be said, a hip turned by 90 degrees is not. The table lies
beside this module.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import biomech_id as bid
from benchmarks.studies.nothing_changed import GAITS, analysed, moved, norm
from biomech_id import __version__
from biomech_id.conventions import SIDES, Aspect
from biomech_id.interpretation.deviations import (
    LEAST_SAID_CYCLES,
    PatternDeviation,
    could_not_have_been_said,
    deviations_of,
)
from biomech_id.report.first.facts import SessionFacts
from biomech_id.report.first.trust import unsayable
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.norm import load_norm
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables

TABLE = Path(__file__).with_suffix(".md")
#: Shares of the printed least that a hip is turned by: not said, said. Its band hangs on the cycles' scatter, which stays.
LESS, MORE = 0.98, 1.02
#: Far beyond any least, degrees.
FAR_DEG = 90.0
HIP = ("HipAngles", "Z")
#: Patterns of a hip turned out and in, and which way that is.
TURNED = {"HT1": -1.0, "HT2": 1.0}
#: A knee axis that varus follows in swing, as the page's own test asks (slope, correlation and range, degrees).
TURNED_AXIS = {"knee_varus_slope": 0.5, "knee_varus_correlation": 0.95, "knee_varus_range_deg": 20.0}


def of_few_cycles(tables: Tables, sides: Sequence[str], left: int, layers: Sequence[Aspect] = tuple(Aspect)) -> Tables:
    """Only the first cycles of a side count, in some layers or all."""
    summary = copy.deepcopy(dict(tables.summary))
    seen = dict.fromkeys(SIDES, 0)
    for cycle in (cycle for trial in summary["trials"] for cycle in trial["cycles"]):
        side = cycle["side"]
        seen[side] += bool(cycle[layers[0]]["counts"])
        if side in sides and seen[side] > left:
            for layer in layers:
                cycle[layer] = {**cycle[layer], "counts": False, "by_rules": False}
            cycle["used"] = cycle["used"] and Aspect.KINEMATICS not in layers
    return replace(tables, summary=summary)


def of_turned_axis(tables: Tables, sides: Sequence[str]) -> Tables:
    """The knee axes of some sides are turned, so that nothing is said outside the sagittal plane."""
    axes = {side: {**known, **(TURNED_AXIS if side in sides else {})} for side, known in tables.calibration["sides"].items()}
    return replace(tables, calibration={**tables.calibration, "sides": axes})


#: What is done -> the session, the sides whose hips can still be called turned, and words that page 1 must then have.
FAULTS: dict[str, tuple[Callable[[Tables], Tables], str, tuple[str, ...]]] = {
    "left: two cycles": (lambda tables: of_few_cycles(tables, "L", 2), "R", ("Left: nothing (cycles: 2)",)),
    "left: one cycle": (lambda tables: of_few_cycles(tables, "L", 1), "R", ("Left: nothing (cycles: 1)",)),
    "right: no cycle": (lambda tables: of_few_cycles(tables, "R", 0), "L", ("Right: nothing (cycles: 0)",)),
    "both: two cycles": (
        lambda tables: of_few_cycles(tables, "LR", 2), "", ("Left: nothing (cycles: 2)", "Right: nothing (cycles: 2)"),
    ),
    "left: two cycles with kinetics": (
        lambda tables: of_few_cycles(tables, "L", 2, (Aspect.KINETICS,)), "LR",
        ("Left: no moment, no power (cycles with kinetics: 2)",),
    ),
    "left knee axis turned": (lambda tables: of_turned_axis(tables, "L"), "R", ("L at any size",)),
    "both knee axes turned": (lambda tables: of_turned_axis(tables, "LR"), "", ("at any size",)),
    "no bands": (lambda tables: replace(tables, uncertainty=None), "", ("No angle",)),
}  # fmt: skip


@dataclass(frozen=True)
class Counts:
    """Of one fault: sessions, those in which page 1 has its words, hips that were turned, and those called as they must be."""

    sessions: int = 0
    there: int = 0
    turned: int = 0
    right: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, name) + getattr(other, name) for name in ("sessions", "there", "turned", "right")))


def patients(gaits: Sequence[str] = GAITS) -> Iterator[tuple[str, Tables]]:
    """Virtual patients of four and more cycles a side, each analysed with its bands."""
    for gait in gaits:
        yield gait, analysed(bid.virtual_subject(pattern=gait, plates="steps", duration_s=6.5), uncertainty=True)


def facts_of(tables: Tables) -> SessionFacts:
    """What page 1 is drawn from."""
    return SessionFacts(
        Layer(tables, "straight", tables.summary["trials"][0]["condition"]), load_style(), load_norm(norm(), tables)
    )


def is_called_turned(facts: SessionFacts, row: PatternDeviation, off_norm_deg: float) -> bool:
    """Whether a hip whose mean rotation is put so far off the norm's is said to be turned that way."""
    people = () if facts.norm is None else facts.norm.people
    by = row.norm_mean + TURNED[row.pattern] * off_norm_deg - row.value
    turned = moved(facts.tables, {(row.side, *HIP): np.full(CURVE_POINTS, by)})
    rule = replace(facts.rules, rows=(facts.rules[row.pattern],))
    return any(each.marked for each in deviations_of(turned, people, rule) if each.side == row.side)


def of_session(tables: Tables, fault: str) -> Counts:
    """Do one thing to a session, read what could not have been said of it, and try that."""
    change, sayable, words = FAULTS[fault]
    facts = facts_of(change(tables))
    sides, rows = unsayable(facts)
    there = all(any(each in said for said in (*sides, *rows)) for each in words)
    hips = [each for each in could_not_have_been_said(facts.judged) if each.pattern in TURNED]
    there &= bool(hips) == any("rotation" in row for row in rows)
    printed = [each.least_sayable for each in hips if np.isfinite(each.least_sayable)]
    asked = []
    for row in (each for each in facts.judged if each.pattern in TURNED):
        if row.side not in sayable:
            asked.append(not is_called_turned(facts, row, FAR_DEG))
        elif np.isfinite(row.least_sayable):
            asked.append(is_called_turned(facts, row, MORE * max([row.least_sayable, *printed])))
            if row.least_sayable in printed:
                asked.append(not is_called_turned(facts, row, LESS * row.least_sayable))
    return Counts(1, there, len(asked), sum(asked))


def main() -> None:
    """Write the table."""
    counts = dict.fromkeys(FAULTS, Counts())
    for gait, tables in patients():
        few = tables.cycle_list.groupby("side")["used"].sum().min()
        assert few >= LEAST_SAID_CYCLES + 1, gait
        for fault in FAULTS:
            counts[fault] += of_session(tables, fault)
        print(gait, *counts.values(), flush=True)
    total = sum(counts.values(), Counts())
    lines = [
        "# What could not have been said, tried", "",
        f"Version {__version__}; {len(GAITS)} virtual patients, each with {len(FAULTS)} faults: {total.sessions} sessions. "
        f"\"There\": page 1 has the words. Hips turned to {LESS:g} and {MORE:g} of the least that the page prints, or by "
        f"{FAR_DEG:g} degrees where nothing can be said. {os.cpu_count()} cores. "
        "`python -m benchmarks.studies.could_not_be_said` writes this.", "",
        "| what is left out | sessions | there | hips turned | called as they must be |", "|---|---|---|---|---|",
        *(f"| {name} | {c.sessions} | {c.there} | {c.turned} | {c.right} |" for name, c in [*counts.items(), ("all", total)]), "",
    ]  # fmt: skip
    TABLE.write_text("\n".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
