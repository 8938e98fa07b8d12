"""How soon a laboratory's charts name a plate that was moved, and how often they name one that was not.

``python -m benchmarks.studies.laboratory_memory`` draws 2 000 virtual laboratories with four plates: 22 charts (place across and
along the walk, turn and gain of each plate; mass, leg length, marker noise, two foot offsets and events of the session). Each value
errs by what its session prints; 30 % of the variance of a plate's error is common to all plates of the session, and 3 % of the
values are mishits of six standard deviations. After 40 sessions one plate is moved. An alarm counts for the move if it is of the
moved number of the moved plate. The table lies beside this module.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from biomech_id import __version__
from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.judgement.laboratory.charts import Charts, chart_session

TABLE = Path(__file__).with_suffix(".md")
SEED, LABORATORIES, HISTORY, WITHOUT_MOVE = 38, 2000, 40, 200
PLATES, OF_PLATE, OF_SESSION = 4, 4, 6
COMMON, MISHITS, MISHIT_SD = 0.3, 0.03, 6.0


@dataclass(frozen=True)
class Move:
    """One plate moved: how far, the error of one session, and within how many sessions it must be named."""

    words: str
    size_mm: float
    error_mm: float
    within: int


#: Moves with a gate, and moves that are reported; errors of one session as `plates.md` has them, y with people left out.
MOVES = (
    Move("10 mm across the walk", 10.0, 3.5, 6),
    Move("10 mm along the walk", 10.0, 4.6, 10),
    Move("15 mm along the walk", 15.0, 4.6, 5),
    Move("15 mm across the walk", 15.0, 3.5, 5),
    Move("20 mm along the walk, people unlike the population", 20.0, 5.9, 5),
    Move("10 mm along the walk, people unlike the population", 10.0, 5.9, 10),
)
GATED = MOVES[:3]
LEAST_SHARE, ALARM_EVERY = 0.88, 200


def drawn(rng: np.random.Generator, laboratories: int, *, mishits: float = MISHITS) -> FloatArray:
    """Values of one session of every laboratory, (laboratories, 22), in errors of one session."""
    own = rng.standard_normal((laboratories, PLATES, OF_PLATE))
    common = rng.standard_normal((laboratories, 1, OF_PLATE))
    plates = np.sqrt(COMMON) * common + np.sqrt(1.0 - COMMON) * own
    values = np.concatenate([plates.reshape(laboratories, -1), rng.standard_normal((laboratories, OF_SESSION))], axis=1)
    missed = rng.random(values.shape) < mishits
    return np.where(missed, MISHIT_SD * rng.choice([-1.0, 1.0], values.shape), values)


def alarms(
    rng: np.random.Generator,
    sessions: int,
    laboratories: int,
    *,
    moved: float = 0.0,
    printed: float = 1.0,
    mishits: float = MISHITS,
) -> BoolArray:
    """(sessions, laboratories, 22); the first chart is moved, in errors of one session, after the history."""
    charts, every = Charts.empty((laboratories, PLATES * OF_PLATE + OF_SESSION)), []
    for session in range(sessions):
        values = drawn(rng, laboratories, mishits=mishits)
        values[:, 0] += moved * (session >= HISTORY)
        charts, charted = chart_session(charts, values, np.full_like(values, printed))
        every.append(charted.alarm)
    return np.array(every)


def named(rng: np.random.Generator, move: Move, laboratories: int = LABORATORIES, sessions: int = 30) -> FloatArray:
    """Sessions until the move is named, (laboratories,); infinite where it is not."""
    alarm = alarms(rng, HISTORY + sessions, laboratories, moved=move.size_mm / move.error_mm)[HISTORY:, :, 0]
    return np.where(alarm.any(axis=0), alarm.argmax(axis=0) + 1.0, np.inf)


def sessions_an_alarm(alarm: BoolArray) -> float:
    """Sessions for one that has an alarm of any chart."""
    return float(1.0 / alarm.any(axis=2).mean())


def main() -> int:
    """Write the table."""
    rng = np.random.default_rng(SEED)
    lines = [
        f"biomech_id {__version__}, {LABORATORIES} laboratories, {HISTORY} sessions of history, seed {SEED}", "",
        "| moved | error of one session, mm | named within 5, 6, 10 sessions, % | sessions until 90 % |", "|---|---|---|---|",
    ]  # fmt: skip
    for move in MOVES:
        until = named(rng, move)
        shares = " / ".join(f"{100.0 * np.mean(until <= within):.1f}" for within in (5, 6, 10))
        ninety = float(np.quantile(until, 0.9, method="higher"))
        lines.append(f"| {move.words} | {move.error_mm:g} | {shares} | {f'{ninety:.0f}' if np.isfinite(ninety) else 'over 30'} |")
    lines += ["", f"| nothing moved, {WITHOUT_MOVE} sessions, 22 charts | sessions for one with a false alarm |", "|---|---|"]
    for words, printed, mishits in (
        ("as drawn", 1.0, MISHITS), ("without mishits", 1.0, 0.0),
        ("printed error 1.5 times too small", 1.0 / 1.5, MISHITS), ("printed error 1.5 times too large", 1.5, MISHITS),
    ):  # fmt: skip
        alarm = alarms(rng, WITHOUT_MOVE, LABORATORIES, printed=printed, mishits=mishits)
        lines.append(f"| {words} | {sessions_an_alarm(alarm):.0f} |")
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
