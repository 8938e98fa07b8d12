"""Nothing changed, nothing said: markers placed anew on one gait, seeded changes, and healthy people who are asked for patterns.

``python -m benchmarks.studies.nothing_changed`` walks virtual patients in five ways, puts every marker on another spot 20 times
each (errors of a trained examiner, `session_error`) and compares each placement with the next: 100 pairs, in which no pattern may
be called changed. Then one curve of each pair is moved by twice the band of a pattern that is said of it: that must be named,
and the way it went. 20 healthy walkers of two ages and three speeds are judged by a norm of ten others. The table lies beside this
module.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

import biomech_id as bid
from benchmarks.studies.session_error import Curves, Person
from biomech_id import __version__
from biomech_id.interpretation.changes import ChangeDirection, PatternChange, Visit, changes_between
from biomech_id.interpretation.criteria import LEVELS
from biomech_id.interpretation.deviations import deviations_of
from biomech_id.interpretation.rules import shipped_rules
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.pipeline.analyse import analyse_job
from biomech_id.report.panels.norm import load_norm
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample import VirtualSubject, write_c3d
from biomech_id.sample.walkers import walkers
from biomech_id.session.output.from_session import session_tables
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables
from biomech_id.session.values.norm import NormSample

TABLE = Path(__file__).with_suffix(".md")
GAITS = ("crouch", "toe walker", "steppage", "stiff knee", "hemiplegic")
N_PLACED, N_HEALTHY, N_NORM, SEED = 20, 50, 10, 43
#: Healthy walkers: of a comfortable speed so much, as adults and as children, aged 40 and 6.
SPEEDS = (0.85, 1.0, 1.15)
BODIES: dict[Literal["adult", "child"], float] = {"adult": 40.0, "child": 6.0}
SEEDED_BANDS = 2.0


def analysed(person: VirtualSubject, *, uncertainty: bool) -> Tables:
    """The tables of a session of one static trial and one walk."""
    with tempfile.TemporaryDirectory() as folder:
        write_c3d(person.static("static"), Path(folder) / "static.c3d")
        write_c3d(person.walk("walk"), Path(folder) / "walk.c3d")
        return session_tables(analyse_job(Job((Path(folder),), recipe=Recipe(uncertainty=uncertainty))))


def healthy(count: int, seed: int) -> list[VirtualSubject]:
    """Walkers of both bodies and all speeds."""
    halves = {body: walkers(count // 2, seed=seed + i, body=body, speeds=SPEEDS) for i, body in enumerate(BODIES)}
    return [replace(person, age_years=BODIES[body]) for body, people in halves.items() for person in people]


@cache
def norm() -> pd.DataFrame:
    """Ten walkers who are in no other part of the study."""
    sessions = [analysed(replace(person, code=f"norm {n}"), uncertainty=False) for n, person in enumerate(healthy(N_NORM, 1))]
    return norm_from_sessions(sessions, source="virtual walkers")


def people_for(tables: Tables) -> tuple[NormSample, ...]:
    """Who is in the norm, as it is made for one person."""
    fitted = load_norm(norm(), tables)
    return () if fitted is None else fitted.people


@dataclass(frozen=True, eq=False)
class Patient:
    """One gait: its tables with their bands, and the same walk with its markers on other spots."""

    tables: Tables
    placed: Sequence[Curves]
    people: tuple[NormSample, ...]

    def visit(self, number: int, seeded: Curves | None = None) -> Visit:
        """The session with one placement, and curves moved on top."""
        tables = moved(self.tables, self.placed[number])
        tables = moved(tables, seeded) if seeded else tables
        subject = {**tables.summary["subject"], "session_date": f"2026-01-{number + 1:02d}"}
        return Visit(replace(tables, summary={**tables.summary, "subject": subject}), "", self.people)


def moved(tables: Tables, by: Curves) -> Tables:
    """Tables whose cycles are moved by a curve for each side and variable."""
    rows = tables.cycles
    heads = rows.iloc[::CURVE_POINTS]
    values = rows["value"].to_numpy(np.float64).reshape(-1, CURVE_POINTS).copy()
    for at, name in enumerate(zip(heads["side"], heads["variable"], heads["component"], strict=True)):
        if name in by:
            values[at] += by[name]
    return replace(tables, cycles=rows.assign(value=values.ravel()))


def patient(gait: str, placements: int, seed: int = SEED) -> Patient:
    """A virtual patient."""
    person = bid.virtual_subject(pattern=gait, plates="steps")
    static, walk = person.static().trial, person.walk().trial
    tables = analysed(person, uncertainty=True)
    return Patient(tables, Person(static, walk, walk.subject).draws(placements, seed), people_for(tables))


def called_changed(changes: Sequence[PatternChange]) -> list[PatternChange]:
    """Those that are called changed."""
    return [each for each in changes if each.direction is not ChangeDirection.WITHIN_ERROR]


@dataclass(frozen=True)
class Counts:
    """What was counted of one gait: pairs, pairs in which something changed, seeded changes, those named, those named wrongly."""

    pairs: int
    false: int
    seeded: int
    named: int
    wrong: int


def of_patient(someone: Patient, seed: int = SEED) -> Counts:
    """Compare each placement with the next, without a change and with a seeded one."""
    rng, n = np.random.default_rng(seed), len(someone.placed)
    false = seeded = named = wrong = 0
    for number in range(n):
        first = someone.visit(number)
        changes = changes_between(first, someone.visit((number + 1) % n))
        false += bool(called_changed(changes))
        levels = [each for each in changes if shipped_rules()[each.pattern].shown.quantity.stat in LEVELS]
        if not levels:
            continue
        target = levels[int(rng.integers(len(levels)))]
        quantity, sign = shipped_rules()[target.pattern].shown.quantity, float(rng.choice((-1.0, 1.0)))
        name = (target.side, quantity.variable, quantity.component)
        second = someone.visit((number + 1) % n, {name: np.full(CURVE_POINTS, sign * SEEDED_BANDS * target.band)})
        after = {(each.side, each.pattern): each for each in changes_between(first, second)}.get((target.side, target.pattern))
        seeded += 1
        if after is not None and called_changed([after]):
            named += 1
            wrong += bool(np.sign(after.change) != sign)
    return Counts(n, false, seeded, named, wrong)


def healthy_sentences(count: int, seed: int = 100) -> Iterator[list[str]]:
    """Patterns that are said of each healthy walker."""
    for person in healthy(count, seed):
        tables = analysed(person, uncertainty=True)
        yield [f"{each.pattern} {each.side}".strip() for each in deviations_of(tables, people_for(tables)) if each.marked]


def main() -> None:
    """Write the table."""
    rows = []
    for gait in GAITS:
        counts = of_patient(patient(gait, N_PLACED))
        rows.append((gait, counts))
        print(gait, counts, flush=True)
    sentences = list(healthy_sentences(N_HEALTHY))
    with_one = sum(bool(each) for each in sentences)
    total = Counts(*(sum(getattr(c, name) for _, c in rows) for name in ("pairs", "false", "seeded", "named", "wrong")))
    lines = [
        "# Nothing changed, nothing said", "",
        f"Version {__version__}; {N_PLACED} placements of the markers of each gait, each against the next; seeded by "
        f"{SEEDED_BANDS:g} bands; a norm of {N_NORM} virtual walkers; {N_HEALTHY} healthy virtual walkers, aged "
        f"{' and '.join(f'{age:g}' for age in BODIES.values())}, at {', '.join(f'{speed:g}' for speed in SPEEDS)} of a "
        f"comfortable speed. "
        f"{os.cpu_count()} cores. `python -m benchmarks.studies.nothing_changed` writes this.", "",
        "| gait | pairs | something called changed | seeded changes | named | direction wrong |", "|---|---|---|---|---|---|",
        *(f"| {name} | {c.pairs} | {c.false} | {c.seeded} | {c.named} | {c.wrong} |" for name, c in [*rows, ("all", total)]), "",
        f"Healthy walkers of whom a pattern is said: {with_one} of {len(sentences)}"
        f" ({', '.join(sorted({name for each in sentences for name in each})) or 'none'}).", "",
    ]  # fmt: skip
    TABLE.write_text("\n".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
