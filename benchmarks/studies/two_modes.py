"""What speaks for the textbook mode and what does not: both kinetics modes on the same recordings.

``python -m benchmarks.studies.two_modes [SHARED]`` analyses six children's sessions and two walks each of five more people in the
textbook mode as it is, in the textbook mode without smoothing (markers and plates as recorded), and in the vendor's. Of each it
takes the power that is left open in each segment, what is left over at the root of the whole body, how far the curves of two steps
of one person differ, and in quiet standing the distance from the centre of pressure to the centre of mass. Nothing is random. The
table lies beside this module, and ``docs/textbook-evidence.md`` is about it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import biomech_id as bid
from biomech_id import __version__
from biomech_id.conventions import CYCLE_ROWS, SIDES
from biomech_id.dynamics.momentum import body_momentum
from biomech_id.dynamics.segment_energy import energy_left_open_W
from biomech_id.session import trial_tables
from biomech_id.session.solved import Solved

TABLE = Path(__file__).with_suffix(".md")
ROOT = Path(__file__).resolve().parents[2]
#: Mode -> settings of the analysis.
MODES: Mapping[str, Mapping[str, Any]] = {
    "textbook": {},
    "textbook, not smoothed": {"marker_filter": "never", "plate_cutoff_hz": "raw"},
    "vicon": {"kinetics": "vicon"},
}
#: Child -> its static trial.
CHILDREN = {name: f"{name}0{2 if name == 'HC002D' else 1}" for name in ("HC002D", "HC030A", "HC031A", "HC032A", "HC033A", "HC036A")}
#: People with two walks each.
TWICE = ("NP1002", "NP1003", "NP1010", "NP1013", "NP1022")
SEGMENTS = ("foot", "shank", "thigh")
QUANTITIES = {"moment": "N m/kg", "power": "W/kg"}


@dataclass(frozen=True)
class Figure:
    """One number: of what, of whom or which walk, in which mode."""

    what: str
    whose: str
    mode: str
    value: float


def root_mean_square(values: Any) -> float:
    """Over what is known."""
    return float(np.sqrt(np.nanmean(np.square(values))))


def of_walk(trial: Solved, mode: str) -> Iterator[Figure]:
    """Energy left open in each segment, the worse of both legs, W/kg; force and moment left over at the root."""
    assert trial.loads is not None
    assert trial.mass_kg is not None
    left = energy_left_open_W(trial.loads)
    for segment in SEGMENTS:
        open_W_kg = max(root_mean_square(left[side, segment]) / trial.mass_kg for side in SIDES)
        yield Figure(f"energy left open, {segment}, W/kg", trial.name, mode, open_W_kg)
    if trial.whole_body is not None and trial.whole_body.test is not None:
        single = trial.whole_body.test.single
        yield Figure("force left at the root, % of weight", trial.name, mode, single.size_percent)
        yield Figure("moment left at the root, N m/kg", trial.name, mode, float(np.linalg.norm(single.moment_Nm_kg)))


def of_children(shared: Path, names: Sequence[str] = tuple(CHILDREN)) -> Iterator[Figure]:
    """Walks of the children in every mode, and their quiet standing."""
    for name in names:
        folder = shared / "c3d" / "children" / name
        for mode, settings in MODES.items():
            for trial in bid.analyse(folder, uncertainty=False, **settings).computed.trials:
                if trial.kind == "straight":
                    yield from of_walk(trial, mode)
        yield from standing(folder / f"{CHILDREN[name]}.c3d")


def standing(path: Path) -> Iterator[Figure]:
    """Horizontal distance from the mean centre of pressure to the mean centre of mass of somebody who stands, mm."""
    trial = bid.read_c3d(path)
    model = bid.conventional_model(trial)
    loaded = max(trial.plates, key=lambda plate: float(np.mean(plate.force_lab_N[:, 2])))
    force = np.mean(loaded.force_lab_N, axis=0)
    moment = np.mean(loaded.moment_lab_Nm, axis=0)
    centre = loaded.corners_m.mean(axis=0)
    pressure = centre[:2] + np.array([-moment[1], moment[0]]) / force[2]
    for mode, settings in MODES.items():
        motion = model.track(trial, kinetics=settings.get("kinetics", "textbook"))
        if motion.whole is not None:
            com = np.nanmean(body_momentum(motion.whole.segments, motion.whole.motions).com_lab_m, axis=0)
            distance_mm = 1000.0 * float(np.linalg.norm(com[:2] - pressure))
            yield Figure("centre of mass beside pressure, mm", path.stem, mode, distance_mm)


def of_two_walks(shared: Path, names: Sequence[str] = TWICE) -> Iterator[Figure]:
    """How far any two cycles of one leg of a person differ: root mean square over the cycle, mean over cycles and components."""
    for name in names:
        for mode, settings in MODES.items():
            curves: dict[tuple[str, str, str], list[Any]] = {}
            for trial in bid.analyse(shared / "c3d" / "norm_subjects" / name, uncertainty=False, **settings).computed.trials:
                for key, curve in zip(trial_tables.curves(trial).names, trial_tables.curves(trial).values, strict=True):
                    if np.isfinite(curve).all():
                        curves.setdefault((key.side, key.variable, key.component), []).append(curve)
            for variable, component in (
                ("HipMoment", "X"),
                ("KneeMoment", "X"),
                ("AnkleMoment", "X"),
                ("HipPower", ""),
                ("KneePower", ""),
                ("AnklePower", ""),
            ):
                pairs = [pair for side in SIDES for pair in combinations(curves.get((side, variable, component), ()), 2)]
                if pairs:
                    differ = float(np.mean([root_mean_square(one - other) for one, other in pairs]))
                    unit = QUANTITIES[CYCLE_ROWS[variable, component].quantity]
                    yield Figure(f"{f'{variable} {component}'.strip()} between steps, {unit}", name, mode, differ)


def table(figures: Sequence[Figure]) -> str:
    """Every number, and medians."""
    origin = f"biomech_id {__version__}; no random numbers. Conventional model."
    lines = ["# Both kinetics modes on the same recordings", "", origin, "",
             "| of what | walk or person | " + " | ".join(MODES) + " |", "|" + "---|" * (2 + len(MODES))]  # fmt: skip
    value = {(f.what, f.whose, f.mode): f.value for f in figures}
    for what, whose in dict.fromkeys((f.what, f.whose) for f in figures):
        lines.append(f"| {what} | {whose} | " + " | ".join(f"{value[what, whose, mode]:.3f}" for mode in MODES) + " |")
    lines += [
        "",
        "## Medians",
        "",
        "| of what | n | " + " | ".join(MODES) + " | textbook is smaller in |",
        "|" + "---|" * (3 + len(MODES)),
    ]
    for what, row in medians(figures).items():
        lines.append(f"| {what} | {row.n} | " + " | ".join(f"{row.median[mode]:.3f}" for mode in MODES) + f" | {row.smaller} |")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Median:
    """Of one quantity: how many walks or people, the median of each mode, and in how many textbook is below vicon."""

    n: int
    median: Mapping[str, float]
    smaller: int


def medians(figures: Sequence[Figure]) -> dict[str, Median]:
    """Quantity -> what both modes make of it."""
    found = {}
    for what in dict.fromkeys(f.what for f in figures):
        of_mode = {mode: {f.whose: f.value for f in figures if (f.what, f.mode) == (what, mode)} for mode in MODES}
        smaller = sum(of_mode["textbook"][whose] < of_mode["vicon"][whose] for whose in of_mode["vicon"])
        found[what] = Median(len(of_mode["vicon"]), {m: float(np.median(list(v.values()))) for m, v in of_mode.items()}, smaller)
    return found


def main(words: Sequence[str] = ()) -> int:
    """Analyse and write the table."""
    shared = Path(words[0]) if words else Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
    if not (shared / "c3d" / "children").is_dir():
        print(f"no recordings in {shared}; the table stays as it is")
        return 0
    TABLE.write_text(table([*of_children(shared), *of_two_walks(shared)]), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
