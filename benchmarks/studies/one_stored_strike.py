"""Where one strike of each foot is stored, as many laboratories do: how far the events that markers complete lie from the others.

``python -m benchmarks.studies.one_stored_strike`` deletes, of walks whose events are known, all but one strike a side, and lets the
rest be found: of the patients of `benchmarks.studies.gait_events` the one in the middle of the walk, at the nearest frame, as a
laboratory stores it; of recordings that lie beside the project (BIOMECH_ID_SHARED) the one that is nearest to a plate's, and once
each other one. The table lies beside this module.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

import biomech_id as bid
from benchmarks.studies.gait_events import EDGE_S, KINDS, PATTERNS, SAME_S, STRIKE, walk
from biomech_id import __version__
from biomech_id.conventions import SIDES
from biomech_id.errors import BiomechError
from biomech_id.feet.feet import find_feet
from biomech_id.gait.cycles import cut_cycles
from biomech_id.gait.events import events_in_file, search_events
from biomech_id.trial import Event, EventKind, EventSource, Trial

TABLE = Path(__file__).with_suffix(".md")
DRAWS = 16
#: Gates, ms: of strikes nine in ten lie within the first, all within the second; offs and the patients' events within the third.
NEAR_MS, FAR_MS, PATIENT_MS = 30.0, 70.0, 40.0
GATED = ("toe walker", "drop foot", "shuffle", "hemiplegic")


@dataclass(frozen=True)
class Completed:
    """One deleted event: where from, which kind, error and standard deviation (ms; NaN where it was not found)."""

    where: str
    kind: EventKind
    error_ms: float
    sd_ms: float


@dataclass(frozen=True)
class Walk:
    """What came of one walk: its rows, cycles by markers alone, and cycles with the strikes that stayed."""

    rows: tuple[Completed, ...]
    by_markers: int
    cycles: int


def middle(events: Sequence[Event]) -> tuple[Event, ...]:
    """Of each side the strike in the middle."""
    strikes = ([e for e in events if e.side == side and e.kind is STRIKE] for side in SIDES)
    return tuple(mine[len(mine) // 2] for mine in strikes if mine)


def nearest_to_plates(events: Sequence[Event], plates: Sequence[Event]) -> tuple[Event, ...]:
    """Of each side the strike that is nearest to a plate's; the one in the middle where no plate saw one."""
    kept = {event.side: event for event in middle(events)}
    for side in kept:
        seen_s = [e.time_s for e in plates if e.side == side and e.kind is STRIKE]
        if seen_s:
            mine = [e for e in events if e.side == side and e.kind is STRIKE]
            kept[side] = min(mine, key=lambda e: min(abs(e.time_s - each_s) for each_s in seen_s))
    return tuple(kept.values())


def completed(where: str, trial: Trial, kept: Sequence[Event], truth: Iterable[Event]) -> Walk:
    """Every deleted event with the one completed for it; a step at the trial's ends, which markers do not show, is none of them."""
    feet = find_feet(replace(trial, events=()))
    search = search_events(replace(trial, events=tuple(kept)), feet=feet)
    markers, rows = search.by_source["marker"], []
    first_s, last_s = trial.first_time_s, trial.first_time_s + (trial.n_frames - 1) / trial.rate_hz
    for true in truth:
        if true in kept or not first_s + EDGE_S < true.time_s < last_s - EDGE_S:
            continue
        same = [e for e in search.events if (e.side, e.kind) == (true.side, true.kind) and abs(e.time_s - true.time_s) < SAME_S]
        best = min(same, key=lambda e: abs(e.time_s - true.time_s), default=None)
        error_ms = np.nan if best is None else 1e3 * (best.time_s - true.time_s)
        rows.append(Completed(where, true.kind, error_ms, np.nan if best is None or best.sd_ms is None else best.sd_ms))
    assert all(e.sd_ms is not None for e in search.events if e.source is not EventSource.FILE)
    return Walk(tuple(rows), len(cut_cycles(trial, markers)), len(cut_cycles(trial, search.events)))


def patient(name: str, seed: int) -> Walk:
    """One drawn walk, with a strike of each foot at the nearest frame."""
    trial, truth = walk(name, seed)
    kept = middle(
        [e for e in truth if trial.first_time_s + EDGE_S < e.time_s < trial.first_time_s + trial.n_frames / trial.rate_hz]
    )
    stored = tuple(replace(e, time_s=round(e.time_s * trial.rate_hz) / trial.rate_hz) for e in kept)
    return completed(name, trial, stored, [e for e in truth if e not in kept])


def stored_walks(root: Path) -> Iterator[tuple[str, Trial, tuple[Event, ...], tuple[Event, ...]]]:
    """Laboratory, trial, stored events and those of plates of every walk that stores more than one strike a side, no copies."""
    for path in sorted(p for p in root.rglob("*") if p.suffix.lower() == ".c3d"):
        if any(other.stem != path.stem and path.stem.startswith(f"{other.stem}_") for other in path.parent.glob("*.c3d")):
            continue
        try:
            trial = bid.read_c3d(path, trust=True)
            stored = events_in_file(trial)
            if len(stored) > len(middle(stored)) and find_feet(trial).travel.walking:
                plates = search_events(replace(trial, events=())).by_source.get("plate", ())
                yield path.relative_to(root).parts[0], trial, stored, plates
        except BiomechError:
            continue


def recorded(root: Path) -> dict[str, list[Walk]]:
    """Line of the table -> its walks: with the strike where the plate is, and with every other one in its place."""
    found: dict[str, list[Walk]] = {}
    for laboratory, trial, stored, plates in stored_walks(root):
        where = laboratory if laboratory == "children" else "other laboratories"
        found.setdefault(where, []).append(completed(where, trial, nearest_to_plates(stored, plates), stored))
        strikes = [[e for e in stored if e.side == side and e.kind is STRIKE] for side in SIDES]
        any_one = f"{where}, any strike"
        found.setdefault(any_one, []).extend(completed(any_one, trial, pair, stored) for pair in product(*filter(None, strikes)))
    return found


def line(name: str, walks: Sequence[Walk]) -> str:
    """Walks, cycles by markers and as completed, and of strikes and of offs: number, missed, errors, coverage."""
    cells = [f"{len(walks)}", f"{sum(each.by_markers for each in walks)}", f"{sum(each.cycles for each in walks)}"]
    for kind in KINDS:
        mine = [row for each in walks for row in each.rows if row.kind is kind]
        error = np.array([row.error_ms for row in mine])
        sd_ms, seen = np.array([row.sd_ms for row in mine]), np.isfinite(error)
        size = np.abs(error[seen])
        cells += [
            f"{len(mine)}, {np.count_nonzero(~seen)}", f"{error[seen].mean():+.1f}", f"{np.median(size):.1f}",
            f"{100 * np.mean(size <= NEAR_MS):.0f}", f"{size.max():.0f}", f"{100 * np.mean(size < 1.96 * sd_ms[seen]):.0f}",
        ]  # fmt: skip
    return f"| {name} | {' | '.join(cells)} |"


def table(of: dict[str, list[Walk]]) -> list[str]:
    """One line for each place."""
    kinds = [f"{kind}: n, missed | bias | median | within {NEAR_MS:g} % | largest | covered %" for kind in ("strikes", "offs")]
    head = f"| of | walks | cycles by markers | cycles | {' | '.join(kinds)} |"
    return [head, "|---" * 16 + "|", *(line(name, walks) for name, walks in of.items())]


def main(argv: Sequence[str] | None = None) -> int:
    """Write the table."""
    walks = {name: [patient(name, seed) for seed in range(DRAWS)] for name in PATTERNS}
    lines = [
        "# Events completed from one stored strike a side", "",
        f"biomech_id {__version__}; {DRAWS} drawn walks of every pattern at 100 frames a second. Errors in ms, later than the "
        "deleted event positive; covered: within 1.96 standard deviations. The walk's own offs come late from markers alone "
        "(`gait_events.md`).", "",
        *table(walks),
    ]  # fmt: skip
    shared = os.environ.get("BIOMECH_ID_SHARED")
    if shared:
        lines += ["", "Recordings, against the stored events that were deleted:", "", *table(recorded(Path(shared) / "c3d"))]
    TABLE.write_text("\n".join([*lines, ""]), encoding="utf-8")
    print(TABLE.read_text(encoding="utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
