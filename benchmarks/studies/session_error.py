"""Markers placed anew: how far a session's curves move when nothing else has changed, and how often that is called a change.

``python -m benchmarks.studies.session_error`` puts every marker of the virtual subject on another spot, in its standing and walk
alike, and analyses both again: 200 times, with errors of a trained examiner. From these draws comes
`biomech_id/statistics/session_error.csv`, by which `compare` knows what two visits differ in without any change. Other
draws, and those of a child where recordings lie beside the project, show how many variables are then called changed. The table lies
beside this module.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import biomech_id as bid
from biomech_id import __version__
from biomech_id.conventions import CYCLE_ROWS, SIDES
from biomech_id.pipeline.one_trial import cut_and_grade, solve_trial
from biomech_id.request.recipe import Recipe
from biomech_id.session import trial_tables
from biomech_id.statistics import session_error

TABLE = Path(__file__).with_suffix(".md")
Array = NDArray[np.float64]
Curves = dict[tuple[str, str, str], Array]
#: Standard deviation of where a marker is put, mm: forward, to the side, along the bone (of the pelvis and the foot: up). They give
#: the 2 to 5 degrees by which angles differ between sessions (review: McGinley et al. 2009, Gait Posture 29:360).
PLACED_MM: dict[str, tuple[str, tuple[float, float, float]]] = {
    **dict.fromkeys(("ASI", "PSI", "SACR"), ("pelvis", (3.2, 4.9, 5.2))),
    **dict.fromkeys(("THI", "KNE"), ("thigh", (4.2, 1.4, 4.2))), "TIB": ("shank", (4.2, 1.4, 4.2)),
    "ANK": ("shank", (2.8, 1.4, 2.8)), "HEE": ("foot", (2.1, 2.8, 2.8)), "TOE": ("foot", (2.8, 2.8, 2.1)),
}  # fmt: skip
#: The foot's axes are x up, y to the left, z from the toes to the ankle; the others' x forward, y to the left, z up.
FOOT_AXES = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
WIDTH_MM = {"knee_width_m": 3.0, "ankle_width_m": 2.0}
#: Rounds of a moment that no marker can be blamed for are not what this table is of.
LEFT_OUT = ("point", "ground force", "ground moment")
#: Draws that the table is made from, and others by which it is judged.
N_DRAWS, N_JUDGED, SEED = 100, 200, 22
CHILD, CHILD_STATIC, CHILD_WALK = "children/HC030A", "HC030A01", "HC030A05"
#: Below this (deg, N m/kg, N/kg or W/kg) a curve hangs on no marker.
NO_ERROR = 1e-4


class Person:
    """Somebody's standing and walk, and what is found in them where markers are moved."""

    def __init__(self, static: bid.Trial, walk: bid.Trial, subject: bid.Subject) -> None:
        self.static, self.walk, self.subject = static, walk, subject
        self.model = bid.conventional_model(static, subject=subject)
        self.places = [(trial, self.model.track(trial)) for trial in (static, walk)]
        self.curves = self.analysed(static, walk, subject)

    def analysed(self, static: bid.Trial, walk: bid.Trial, subject: bid.Subject) -> Curves:
        """Mean curves of the steady cycles."""
        model = bid.conventional_model(static, subject=subject)
        result = cut_and_grade(solve_trial(walk, model, subject, Recipe(uncertainty=False)), model, None, {})
        steady = {(cycle.side, cycle.number) for cycle in result.cycles if cycle.steady}
        found: dict[tuple[str, str, str], list[Array]] = {}
        for name, curve in zip(trial_tables.curves(result).names, trial_tables.curves(result).values, strict=True):
            row = CYCLE_ROWS.get((name.variable, name.component))
            if row is not None and row.quantity not in LEFT_OUT and (name.side, name.cycle) in steady and np.isfinite(curve).all():
                found.setdefault((name.side, name.variable, name.component), []).append(curve)
        return {name: np.mean(curves, axis=0) for name, curves in found.items()}

    def placed_anew(self, rng: np.random.Generator) -> Curves:
        """The same walk with every marker on another spot of its segment, the same in standing and walking."""
        offsets, moved = {}, []
        for trial, motion in self.places:
            position_m = trial.markers.position_m.copy()
            for i, name in enumerate(trial.markers.names):
                kind, side = (name, "") if name == "SACR" else (name[1:], name[:1])
                if kind in PLACED_MM and (side in SIDES or name == "SACR"):
                    segment, sd_mm = PLACED_MM[kind]
                    offset = offsets.setdefault(name, rng.normal(0.0, sd_mm) / 1000.0)
                    turned = FOOT_AXES @ offset if segment == "foot" else offset
                    R = motion.motions["" if segment == "pelvis" else side, segment].frames.R_lab_seg
                    position_m[:, i] += R @ turned
            moved.append(replace(trial, markers=trial.markers.with_positions(position_m)))
        widths = {
            field: {side: width + rng.normal(0.0, sd_mm) / 1000.0 for side, width in getattr(self.subject, field).items()}
            for field, sd_mm in WIDTH_MM.items()
        }
        return self.analysed(*moved, replace(self.subject, **widths))

    def draws(self, n: int, seed: int) -> list[Curves]:
        """Differences from the unmoved, one each draw."""
        rng = np.random.default_rng(seed)
        found = [self.placed_anew(rng) for _ in range(n)]
        return [{name: drawn[name] - curve for name, curve in self.curves.items() if name in drawn} for drawn in found]


@cache
def virtual() -> Person:
    """The virtual subject, a plate under every step."""
    subject = bid.virtual_subject(plates="steps")
    static, walk = subject.static().trial, subject.walk().trial
    return Person(static, walk, walk.subject)


def child(shared: Path) -> Person:
    """A child of the recordings."""
    static, walk = (bid.read_c3d(shared / CHILD / f"{stem}.c3d") for stem in (CHILD_STATIC, CHILD_WALK))
    return Person(static, walk, static.subject)


def stacked(draws: Sequence[Curves]) -> dict[tuple[str, str], Array]:
    """Differences of both sides together, (draws, 101) each; of variables that hang on markers of the legs."""
    found: dict[tuple[str, str], list[Array]] = {}
    for drawn in draws:
        for (_, variable, component), curve in drawn.items():
            found.setdefault((variable, component), []).append(curve)
    curves = {name: np.stack(differences) for name, differences in found.items()}
    return {name: each for name, each in curves.items() if each.std(axis=0).max() > NO_ERROR and name[0] != "SpineAngles"}


def rows(draws: Sequence[tuple[Sequence[Curves], float]]) -> pd.DataFrame:
    """The table: of each variable the larger of several persons' errors, angles as of a leg of the reference length."""
    found: dict[tuple[str, str], list[tuple[Array, float]]] = {}
    for each, leg_m in draws:
        for name, curves in stacked(each).items():
            sd = curves.std(axis=0)
            limit = float(np.quantile((np.abs(curves - curves.mean(axis=0)) / np.maximum(sd, NO_ERROR / 10)).max(axis=1), 0.95))
            scale = leg_m / session_error.REFERENCE_LEG_M if CYCLE_ROWS[name].quantity == "angle" else 1.0
            found.setdefault(name, []).append((sd * scale, limit))
    lines = []
    for (variable, component), both in found.items():
        sd = np.max([sd for sd, _ in both], axis=0)
        nodes = [sd[max(0, at - 2) : at + 3].max() for at in session_error.NODES]
        limit = max(limit for _, limit in both)
        sds = {f"sd_{at}": float(f"{value:.3g}") for at, value in zip(session_error.NODES, nodes, strict=True)}
        lines.append({"variable": variable, "component": component, "limit": round(limit, 2)} | sds)
    return pd.DataFrame(lines)


def called_changed(draws: Sequence[Curves], leg_m: float) -> dict[tuple[str, str], float]:
    """Of each variable the share of pairs of placements whose difference leaves what it may."""
    found: dict[tuple[str, str], list[bool]] = {}
    for first, second in pairwise(draws):
        for (side, variable, component), curve in first.items():
            error = session_error.session_error(variable, component, leg_m=leg_m)
            if error is not None:
                leaves = np.abs(second[side, variable, component] - curve) > error.limit * np.sqrt(2.0) * error.sd
                found.setdefault((variable, component), []).append(bool(leaves.any()))
    return {name: float(np.mean(seen)) for name, seen in found.items()}


def leg_of(person: Person) -> float:
    """Mean leg length, m."""
    return float(np.mean(list(person.subject.leg_length_m.values())))


def table(judged: Sequence[tuple[str, dict[tuple[str, str], float]]], n: int) -> str:
    """How often an unchanged walk is called changed."""
    lines = [
        f"biomech_id {__version__}; seed {SEED}; table from {N_DRAWS} placements of each person, judged by {n} others.", "",
        "| person | variables | called changed, % of all | worst variable, % |", "|---|---|---|---|",
    ]  # fmt: skip
    for who, shares in judged:
        worst = max(shares, key=lambda name: shares[name])
        mean = 100.0 * np.mean(list(shares.values()))
        lines.append(f"| {who} | {len(shares)} | {mean:.1f} | {' '.join(worst)} {100 * shares[worst]:.1f} |")
    return "\n".join(lines) + "\n"


def main(_arguments: Sequence[str] = ()) -> int:
    """Write both tables; the child's draws need the recordings beside the project."""
    shared = Path(os.environ.get("BIOMECH_ID_SHARED", "/nowhere")) / "c3d"
    people: list[tuple[str, Person]] = [("virtual adult", virtual())]
    if (shared / CHILD).is_dir():
        people.append(("child HC030A", child(shared)))
        made = rows([(person.draws(N_DRAWS, SEED), leg_of(person)) for _, person in people])
        made.to_csv(session_error.FILE, index=False, lineterminator="\n")
        session_error.session_errors.cache_clear()
    judged = [(who, called_changed(person.draws(N_JUDGED, SEED + 1), leg_of(person))) for who, person in people]
    TABLE.write_text("# Markers placed anew\n\n" + table(judged, N_JUDGED), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
