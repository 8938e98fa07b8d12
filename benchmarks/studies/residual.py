"""What the whole body's residual finds: every recorded walk on plates as it is, and with one fault of plates, masses or clocks.

``python -m benchmarks.studies.residual [FOLDER]`` analyses every full-body session beside the project (``../shared``, or
``BIOMECH_ID_SHARED``), tables the residual of each walk, and then changes one thing at a time: the gain of all plates, the body
mass, the sign of one horizontal or of the vertical force, the time of the plates. A fault is found where
`gait.measures.residual.judge_residual` names a cause that it did not name before, and is named right where the first cause is its
own.
Nothing is random. The table lies beside this module.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import biomech_id as bid
from biomech_id import __version__
from biomech_id.algebra.vectors import matvec
from biomech_id.dynamics.momentum import BodyMomentum, Ground
from biomech_id.gait.measures.residual import ResidualTest, judge_residual
from biomech_id.session.solved import Solved

TABLE = Path(__file__).with_suffix(".md")
Array = NDArray[np.float64]
ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("c3d/children", "c3d/norm_subjects")
#: What a prototype found of the same laboratories: median root mean square in space, %, in single and in double support.
SHEET = {"children": (8.0, 9.1), "norm_subjects": (6.7, 8.2)}
#: Walks that are wrong as they are, and the likely cause.
STAND_OUT = {
    "walkNorm_NP1002a07": "body mass: 28.7 kg would fit, 24.2 kg is stored",
    "walkNorm_NP1002a12": "body mass: 28.7 kg would fit, 24.2 kg is stored",
    "HC002D25": "less weight than the body's on the plates of a turn, in double support too: a plate, or a foot beside it",
}


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong: factors of the ground's force along the axes of progression, of the mass, and seconds too late."""

    name: str
    cause: str
    least: float
    factor: tuple[float, float, float] = (1.0, 1.0, 1.0)
    mass: float = 1.0
    late_s: float = 0.0


FAULTS = (
    Fault("gain 1.15", "weight", 0.9, (1.15, 1.15, 1.15)),
    Fault("gain 0.85", "weight", 0.9, (0.85, 0.85, 0.85)),
    Fault("mass 15 % too large", "weight", 0.9, mass=1.15),
    Fault("mass 15 % too small", "weight", 0.9, mass=0.85),
    Fault("sign turned fore-aft", "sign-fore_aft", 0.9, (-1.0, 1.0, 1.0)),
    Fault("sign turned vertically", "sign-vertical", 0.9, (1.0, 1.0, -1.0)),
    Fault("sign turned sideways", "sign-sideways", 0.7, (1.0, -1.0, 1.0)),
    Fault("plates 50 ms late", "clock", 0.9, late_s=0.05),
    Fault("plates 50 ms early", "clock", 0.9, late_s=-0.05),
)


@dataclass(frozen=True, eq=False)
class Walk:
    """What of an analysed walk the residual is judged from."""

    name: str
    group: str
    kind: str
    body: BodyMomentum
    ground: Ground
    on_floor: dict[str, Any]
    R_progression_lab: Array
    rate_hz: float

    @classmethod
    def of(cls, trial: Solved, group: str) -> Walk | None:
        """The walk of a trial; None where nothing can be judged."""
        whole = trial.whole_body
        if whole is None or whole.ground is None or whole.test is None:
            return None
        on_floor = dict(trial.feet_on_floor)
        R, rate = whole.R_progression_lab, whole.rate_hz
        return cls(trial.name, group, str(trial.kind), whole.momentum, whole.ground, on_floor, R, rate)

    def judged(self, fault: Fault | None = None) -> ResidualTest | None:
        """The residual's verdict, with a fault or as it is."""
        body, ground = self.body, self.ground
        if fault is not None:
            R, force = self.R_progression_lab, ground.force_lab_N
            force = matvec(R.T, np.asarray(fault.factor) * matvec(R, force))
            ground = replace(ground, force_lab_N=later(force, round(fault.late_s * self.rate_hz)))
            body = replace(body, mass_kg=body.mass_kg * fault.mass)
        return judge_residual(body, ground, self.on_floor, self.R_progression_lab, self.rate_hz)


def later(values: Array, frames: int) -> Array:
    """Values that come some frames later (n, 3); NaN where nothing was recorded."""
    moved = np.full_like(values, np.nan)
    if frames >= 0:
        moved[frames:] = values[: len(values) - frames]
    else:
        moved[:frames] = values[-frames:]
    return moved


def recorded_walks(shared: Path, folders: Sequence[str] = FOLDERS) -> Iterator[Walk]:
    """Every walk of every session of these folders that can be judged."""
    for folder in folders:
        for session in sorted(path for path in (shared / folder).iterdir() if path.is_dir()):
            for trial in bid.analyse(session).computed.trials:
                walk = Walk.of(trial, Path(folder).name)
                if walk is not None:
                    yield walk


@dataclass(frozen=True)
class Found:
    """How often one fault was found, and named."""

    fault: Fault
    found: int
    named: int
    judged: int

    @property
    def share(self) -> float:
        """Share of the walks in which it is found."""
        return self.found / self.judged


def detections(walks: Iterable[Walk], faults: Sequence[Fault] = FAULTS) -> list[Found]:
    """Every fault in every walk that does not stand out as it is."""
    plain = [walk for walk in walks if walk.name not in STAND_OUT]
    before = {walk.name: _causes(walk.judged()) for walk in plain}
    rows = []
    for fault in faults:
        causes = [(walk.name, _causes(walk.judged(fault))) for walk in plain]
        found = sum(bool(set(new) - set(before[name])) for name, new in causes)
        named = sum(new[:1] == (fault.cause,) for _, new in causes)
        rows.append(Found(fault, found, named, len(plain)))
    return rows


def _causes(test: ResidualTest | None) -> tuple[str, ...]:
    return test.causes if test else ()


HEADS = ("walk", "kind", "frames", "mean: fore-aft, sideways, vertical", "root mean square", "in space", "double support",
         "moment, N m/kg", "slope", "lag, ms", "accused")  # fmt: skip


def table(walks: Sequence[Walk]) -> str:
    """The study's table as Markdown."""
    judged = {walk.name: test for walk in walks if (test := walk.judged())}
    plain = [walk.name for walk in walks if walk.name not in STAND_OUT]
    flagged = [name for name in plain if judged[name].causes]
    sections = [
        ["# What the residual of the whole body finds", "",
         f"biomech_id {__version__}; {len(walks)} walks on plates; no random numbers. Force in % of body weight, below 6 Hz.",
         "The limits were chosen on these walks.", ""],
        [*_heads(HEADS), *(_walk_line(walk, judged[walk.name]) for walk in walks), ""],
        [*_heads(("group", "walks", "single support, median", "double support, median", "a prototype's")),
         *(_group_line(group, [judged[walk.name] for walk in walks if walk.group == group]) for group in SHEET), ""],
        ["Walks that stand out as they are:", "", *(f"- {name}: {cause}." for name, cause in STAND_OUT.items()), ""],
        [f"Of the {len(plain)} others as they are, {len(flagged)} are accused{': ' if flagged else ''}{', '.join(flagged)}.", ""],
        [*_heads(("fault", "found", "named right", "gate")),
         *(f"| {row.fault.name} | {row.found} of {row.judged} | {row.named} | {100 * row.fault.least:.0f} % |"
           for row in detections(walks))],
    ]  # fmt: skip
    return "\n".join(line for section in sections for line in section) + "\n"


def _heads(names: Sequence[str]) -> list[str]:
    return ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]


def _walk_line(walk: Walk, test: ResidualTest) -> str:
    single, double = test.single, test.phases.get("double")
    cells = (
        walk.name, walk.kind, str(single.frames), _three(single.mean_percent), _three(single.rms_percent),
        f"{single.size_percent:.1f}", f"{double.size_percent:.1f}" if double else "-", f"{np.linalg.norm(single.moment_Nm_kg):.2f}",
        _three(test.slope, 2), f"{1000 * test.lag_s:.1f}", ", ".join(test.causes) or "-",
    )  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _group_line(group: str, tests: Sequence[ResidualTest]) -> str:
    single = np.median([test.single.size_percent for test in tests])
    double = np.median([test.phases["double"].size_percent for test in tests if "double" in test.phases])
    return f"| {group} | {len(tests)} | {single:.1f} | {double:.1f} | {SHEET[group][0]}, {SHEET[group][1]} |"


def _three(values: Sequence[float], decimals: int = 1) -> str:
    return ", ".join(f"{value:.{decimals}f}" for value in values)


def main(words: Sequence[str] = ()) -> int:
    """Analyse, write the table, and say whether every gate holds."""
    shared = Path(words[0]) if words else Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
    if not (shared / FOLDERS[0]).is_dir():
        print(f"no recordings in {shared}; the table stays as it is")
        return 0
    walks = list(recorded_walks(shared))
    TABLE.write_text(table(walks), encoding="utf-8", newline="\n")
    rows = detections(walks)
    for row in rows:
        print(f"{row.fault.name}: {100 * row.share:.0f} %")
    return int(any(row.share < row.fault.least for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
