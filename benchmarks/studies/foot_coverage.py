"""How often 95 % bands of angles inside the foot hold what they should: markers moved at random, the foot model run on each copy.

``python -m benchmarks.studies.foot_coverage [SHARED]`` moves every marker of pelvis, legs and feet of three children, on the wrong
spot in static trial and walk and on skin that moves in the walk, widens knees and ankles, with sizes of ``coverage_sizes.toml``,
and calibrates and places the Oxford foot anew: 100 times each. What comes out is held against the bands that the program prints
for the files as they are, as in ``coverage.py``. The table lies beside this module.

The static trial calibrates: what the walks' files store of another day's markers would hide that PCA and D1M are placed anew.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import biomech_id as bid
from benchmarks.studies.coverage import (
    BAND,
    CHILDREN,
    HEADS,
    OFF,
    PERCENT,
    ROOT,
    SEED,
    SIZES,
    Array,
    Cell,
    Group,
    Person,
    Recording,
    by_kind,
    child,
    line,
    outside,
)
from biomech_id import __version__
from biomech_id.conventions import AXES, FOOT_TABLE
from biomech_id.models.foot_models import FootSession, calibrated_feet
from biomech_id.session import trial_tables
from biomech_id.trial import Subject, Trial

TABLE = Path(__file__).with_suffix(".md")
N_DRAWS = 100
MODEL = "oxford foot"
#: Of the printed standard deviation over the observed one.
LEAST_RATIO, LARGEST_RATIO = 0.85, 1.15
#: One marker cannot define the hallux' second and third angle: they are not drawn.
NAMES = tuple(
    (row.variable, row.component)
    for row in FOOT_TABLE
    if row.quantity == "angle" and (row.variable, row.component) not in {("HalluxForefootAngles", axis) for axis in AXES[1:]}
)
ROWS: Mapping[str, Sequence[str]] = {**SIZES["markers"], **SIZES["foot_markers"]}
SETTINGS: Mapping[str, Any] = {"source": "static", "flat": "yes", "floor": "no"}


def kind_of_marker(label: str) -> str:
    """A marker's label without its side, as ``coverage_sizes.toml`` has it; empty for one that no error is put on."""
    return next((name for name in (label, label[1:]) if name in ROWS), "")


@dataclass(frozen=True, eq=False)
class Printed:
    """Cycles, side and times of each, and of each angle the curve and its standard deviation, (cycles, names, 101)."""

    cycles: Sequence[tuple[str, float, float, float]]
    values: Array
    sd: Array


@dataclass(frozen=True, eq=False)
class Child:
    """A child who wears the foot model."""

    person: Person

    @cached_property
    def trials(self) -> tuple[Trial, Trial]:
        """Static trial and walk as read."""
        return bid.read_c3d(self.person.static_path), bid.read_c3d(self.person.walk_path)

    @cached_property
    def subject(self) -> Subject:
        """Measurements in force."""
        return bid.conventional_model(self.trials[0]).subject

    def printed(self) -> Printed:
        """What the program prints of the files as they are."""
        files = [self.person.static_path, self.person.walk_path]
        chosen = {"foot_calibration": SETTINGS["source"], "foot_hindfoot_flat": "yes", "foot_forefoot_floor": "no"}
        session = bid.analyse(files, static=files[0], model="conventional", error_sizes=OFF, **chosen)
        bands = [band for band in trial_tables.bands(session.computed.trials[0]) if np.isfinite(band.cycle.foot_off_s)]
        cycles = [(str(b.cycle.side), b.cycle.start_s, b.cycle.end_s, b.cycle.foot_off_s) for b in bands]
        sd = np.stack([band.total[[band.names.index(name) for name in NAMES]] for band in bands])
        return Printed(cycles, self.curves(*self.trials, cycles), sd)

    def curves(self, static: Trial, walk: Trial, cycles: Sequence[tuple[str, float, float, float]]) -> Array:
        """(cycles, names, 101) of a walk, calibrated by a static trial."""
        columns, _ = calibrated_feet(FootSession(static, [walk], self.subject, SETTINGS))["oxford"].track(walk)
        time_s = walk.first_time_s + np.arange(walk.n_frames) / walk.rate_hz
        return np.array([
            [np.interp(start + PERCENT * (end - start), time_s, columns[f"{side}{name}.{axis}"]) for name, axis in NAMES]
            for side, start, end, _ in cycles
        ])  # fmt: skip

    def drawn(self, number: int, printed: Printed, scale: float = 1.0) -> Array:
        """One draw's curves."""
        rng = np.random.default_rng((SEED, sum(map(ord, self.person.name)), number))
        labels = sorted({label for trial in self.trials for label in trial.markers.names if kind_of_marker(label)})
        placed, tissue = {}, {}
        for label in labels:
            _, place, skin = ROWS[kind_of_marker(label)]
            placed[label] = scale * rng.normal(0.0, 1.0, 3) * (SIZES["placement_mm"][place] if place else 0.0)
            tissue[label] = scale * SIZES["tissue_mm"][skin] / np.sqrt(2.0) * rng.normal(0.0, 1.0, (2, 3))
        widths = {side + name: scale * rng.normal(0.0, sd) for side in "LR" for name, sd in SIZES["width_mm"].items()}
        static, walk = (
            _moved(trial, recording, placed, tissue if moving else {}, widths)
            for trial, recording, moving in zip(self.trials, self.person.recordings, (False, True), strict=True)
        )
        return self.curves(static, walk, printed.cycles)


def _moved(
    trial: Trial, recording: Recording, placed: Mapping[str, Array], tissue: Mapping[str, Array], widths: Mapping[str, float]
) -> Trial:
    position_m = trial.markers.position_m.copy()
    for i, label in enumerate(trial.markers.names):
        if label not in placed:
            continue
        segment = ROWS[kind_of_marker(label)][0]
        R = recording.R_lab_isb["" if segment == "pelvis" else label[0], segment]
        shift_mm = np.broadcast_to(placed[label], (len(R), 3))
        if label in tissue:
            shift_mm = shift_mm + recording.functions["L" if segment == "pelvis" else label[0]] @ tissue[label]
        shift_m = 1e-3 * np.einsum("nij,nj->ni", R, shift_mm)
        position_m[:, i] += np.where(np.isfinite(shift_m), shift_m, 0.0)
    stored = {**trial.stored_numbers, **{name: trial.stored_numbers[name] + more for name, more in widths.items()}}
    return trial.after("moved", markers=trial.markers.with_positions(position_m), stored_numbers=stored)


def cells(printed: Printed, draws: Sequence[Array]) -> list[Cell]:
    """Coverage of every angle in stance and swing."""
    foot_off = np.array([(off - start) / (end - start) for _, start, end, off in printed.cycles])
    stance = foot_off[:, None] >= PERCENT
    off = np.stack(draws) - printed.values
    found = []
    for j, (name, axis) in enumerate(NAMES):
        for phase, here in (("stance", stance), ("swing", ~stance)):
            sd, change = printed.sd[:, j][here], off[:, :, j][:, here]
            held = 100.0 * float(np.mean(np.abs(change) <= BAND * sd, where=np.isfinite(change)))
            observed = float(np.sqrt(np.nanmean(change**2)))
            ratio = float(np.sqrt(np.mean(sd**2))) / observed
            found.append(Cell(f"{name}.{axis}", "angle", phase, held, ratio, observed))
    return found


def children(shared: Path) -> dict[str, Child]:
    """The children of the study."""
    return {name: Child(replace(child(shared, name, Path()), norm=None)) for name in CHILDREN}


def table(judged: Mapping[str, Sequence[Cell]]) -> str:
    """The study's table as Markdown."""
    lines = ["# How often 95 % bands of angles inside the foot hold", "",
             f"biomech_id {__version__}; seed {SEED}; {N_DRAWS} draws of each child, two feet. Coverage: share of draws and "
             "percents in which the angle of moved markers lies within the band printed for the files as they are.", "",
             "| " + " | ".join(HEADS) + " |", "|" + "---|" * len(HEADS)]  # fmt: skip
    for name, found in judged.items():
        lines += [line(Group(name, MODEL, 1.0), N_DRAWS, kind, of_kind) for kind, of_kind in by_kind(found).items()]
    lines += ["", "## Every angle", "", "Mean over the children: coverage, %, and observed spread, deg (printed over observed).",
              "", "| angle | stance | swing |", "|---|---|---|"]  # fmt: skip
    for name, axis in NAMES:
        of = [[c for found in judged.values() for c in found if (c.quantity, c.phase) == (f"{name}.{axis}", phase)]
              for phase in ("stance", "swing")]  # fmt: skip
        seen = [f"{np.mean([c.coverage for c in each]):.1f}; {np.mean([c.observed for c in each]):.1f} "
                f"({np.mean([c.ratio for c in each]):.2f})" for each in of]  # fmt: skip
        lines.append(f"| {name}.{axis} | {' | '.join(seen)} |")
    missed = [f"{name} {c.quantity} {c.phase} {c.coverage:.1f}" for name, found in judged.items() for c in found if outside(c)]
    beyond = [f"{name} {c.quantity} {c.phase} {c.ratio:.2f}" for name, found in judged.items() for c in found
              if not LEAST_RATIO <= c.ratio <= LARGEST_RATIO]  # fmt: skip
    said = {"Outside the gate": missed, f"Printed over observed outside {LEAST_RATIO} to {LARGEST_RATIO}": beyond}
    for what, which in said.items():
        lines += ["", f"{what}: {'; '.join(which) or 'none'}."]
    return "\n".join([*lines, ""])


def main(words: Sequence[str] = ()) -> int:
    """Make the draws, write the table, and say whether every gate holds."""
    shared = Path(words[0]) if words else Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
    judged = {}
    for name, who in children(shared).items():
        printed = who.printed()
        judged[name] = cells(printed, [who.drawn(number, printed) for number in range(N_DRAWS)])
    TABLE.write_text(table(judged), encoding="utf-8", newline="\n")
    missed = sum(outside(cell) for found in judged.values() for cell in found)
    print(f"{missed} cells outside their gate")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
