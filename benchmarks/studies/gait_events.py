"""How far foot strikes and offs found from markers alone lie from the force, and whether their standard deviations say so.

``python -m benchmarks.studies.gait_events`` lets the virtual subject walk as patients do, no two alike: speed, body, marker
noise, and when the foot stops and starts within the pattern are drawn (seeded), at 50 to 240 frames a second. Where recordings
lie beside the project (BIOMECH_ID_SHARED) it also holds the events of every laboratory against the force on its plates: 20 N, or
five standard deviations of the unloaded plate, above its baseline; whole contacts of one foot; copies of one walk counted once.
The table lies beside this module.

A last table says how fast the toe marker already is where the load ends, as a share of its largest speed in swing: what an off
is seen by. The sample's healthy walk begins its swing where recorded feet do; the virtual subject's own unloads the foot before
the toes have gathered speed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import biomech_id as bid
from biomech_id import __version__
from biomech_id.errors import BiomechError
from biomech_id.feet.contacts import plate_at_rest
from biomech_id.feet.feet import find_feet
from biomech_id.feet.landmarks import find_landmarks, path_velocity
from biomech_id.gait.event_estimates import swing_peak
from biomech_id.gait.marker_events import marker_events
from biomech_id.movement.stance import Verdict
from biomech_id.sample.pattern import WALK, GaitPattern
from biomech_id.sample.patterns.patients import HEALTHY, PATIENTS
from biomech_id.signal.runs import runs
from biomech_id.trial import Event, EventKind, Trial

TABLE = Path(__file__).with_suffix(".md")
STRIKE, OFF = EventKind.FOOT_STRIKE, EventKind.FOOT_OFF
KINDS = (STRIKE, OFF)
#: A folder that came after the table and its limits; with its child, whose strikes the markers see 28 and 35 ms late, 94 % of the
#: strikes lie within the limit of 95 %.
CAME_LATER = frozenset({"labs_abroad"})
PATTERNS = {**PATIENTS, "walk": WALK, "healthy": HEALTHY}
#: Percentiles of recorded offs, and draws of every pattern, in the last table.
SHARE_PERCENTILES, SHARE_DRAWS = (2.5, 50.0, 97.5), 4
DRAWS, RATES_HZ, RATE_DRAWS = 16, (50.0, 60.0, 120.0, 240.0), 3
#: Event and truth of one step lie within this, s; events nearer than this to a trial's ends are left out.
SAME_S, EDGE_S = 0.2, 0.04
#: What is drawn: share of the pattern's speed, marker noise (m), shifts within the cycle of the swing's ends and the lift's end.
SPEED, NOISE_M, SWING, LIFT = (0.85, 1.12), (0.0001, 0.001), 0.006, 0.004
#: 20 N, or this many standard deviations of the unloaded plate.
TRUE_N, TRUE_SD = 20.0, 5.0
#: Laboratories with fewer contacts are pooled.
POOLED = 8


@dataclass(frozen=True)
class Compared:
    """One event against its truth: where from, which kind, error and standard deviation (ms; NaN where it was not found)."""

    where: str
    kind: EventKind
    error_ms: float
    sd_ms: float


def individual(pattern: GaitPattern, rng: np.random.Generator) -> GaitPattern:
    """The pattern as one person has it: each foot stops and starts a little sooner or later."""

    def shifted(one: GaitPattern) -> GaitPattern:
        (first, last), (up, down) = one.swing, one.lift
        start, stop = rng.uniform(-SWING, SWING, 2)
        return replace(one, swing=(first + start, last + stop), lift=(up, down + rng.uniform(-LIFT, LIFT)))

    return replace(shifted(pattern), right=None if pattern.right is None else shifted(pattern.right))


def walk(name: str, seed: int, rate_hz: float = 100.0) -> tuple[Trial, tuple[Event, ...]]:
    """A patient's walk without plates or stored events, and its true events."""
    rng = np.random.default_rng([list(PATTERNS).index(name), seed])
    body, share, noise_m = rng.choice(["adult", "child"]), rng.uniform(*SPEED), rng.uniform(*NOISE_M)
    person = bid.virtual_subject(body=str(body), pattern=individual(PATTERNS[name], rng), plates="none", rate_hz=rate_hz)
    sample = person.walk(speed_m_s=share * person.speed, noise_m=noise_m, seed=seed, duration_s=5.0)
    return replace(sample.trial, events=()), sample.truth.events


def found(trial: Trial) -> tuple[Event, ...]:
    """Events by markers alone."""
    feet = find_feet(trial)
    return marker_events(feet.landmarks, feet.travel)


def compared(where: str, trial: Trial, truth: Sequence[Event]) -> Iterator[Compared]:
    """Every true event with the one found for it; an invented one is an error."""
    events, (first_s, last_s) = found(trial), (trial.first_time_s, trial.first_time_s + (trial.n_frames - 1) / trial.rate_hz)
    for true in truth:
        if not first_s + EDGE_S < true.time_s < last_s - EDGE_S:
            continue
        same = [e for e in events if (e.side, e.kind) == (true.side, true.kind) and abs(e.time_s - true.time_s) < SAME_S]
        best = min(same, key=lambda e: abs(e.time_s - true.time_s), default=None)
        if best is None:
            yield Compared(where, true.kind, np.nan, np.nan)
        else:
            yield Compared(where, true.kind, 1e3 * (best.time_s - true.time_s), best.sd_ms or np.nan)


def patients(draws: int = DRAWS) -> list[Compared]:
    """Every pattern at 100 frames a second."""
    return [row for name in PATTERNS for seed in range(draws) for row in compared(name, *walk(name, seed))]


def at_rates(draws: int = RATE_DRAWS) -> list[Compared]:
    """All patients together at other rates."""
    return [
        row for rate_hz in RATES_HZ for name in PATIENTS for seed in range(draws)
        for row in compared(f"all patients at {rate_hz:g} Hz", *walk(name, 100 + seed, rate_hz))
    ]  # fmt: skip


def force_events(trial: Trial) -> list[tuple[Event, float]]:
    """Strike and off of every whole contact of one foot, by the force itself, each with the contact's peak, N."""
    events = []
    for stance in bid.assign_plates(trial).stances:
        plates = [plate for plate in trial.plates if plate.name in stance.plates]
        if stance.verdict is not Verdict.CLEAN or len(plates) != 1 or not np.isfinite(stance.start_s + stance.end_s):
            continue
        (plate,), rest = plates, plate_at_rest(plates[0])
        up_N = plate.force_lab_N[:, 2] - rest.offset_N
        limit_N = max(TRUE_N, TRUE_SD * rest.noise_N)
        time_s = trial.first_time_s + np.arange(len(up_N)) / plate.rate_hz
        loads = [(a, b - 1) for a, b in runs(up_N > limit_N) if time_s[a] < stance.end_s and time_s[b - 1] > stance.start_s]
        first, last = max(loads, key=lambda load: load[1] - load[0], default=(0, 0))
        if first == 0 or last == len(up_N) - 1:
            continue
        start = first - (up_N[first] - limit_N) / (up_N[first] - up_N[first - 1])
        end = last + (up_N[last] - limit_N) / (up_N[last] - up_N[last + 1])
        for kind, sample in ((STRIKE, start), (OFF, end)):
            time = float(trial.first_time_s + sample / plate.rate_hz)
            events.append((Event(time, stance.side, kind), float(up_N[first : last + 1].max())))
    return events


def toe_shares(trial: Trial, truth: Sequence[Event]) -> list[float]:
    """Horizontal speed of the toe marker at every true off, as a share of its largest in swing."""
    landmarks, shares = find_landmarks(trial), []
    floor_lab_m_s = find_feet(trial).travel.belt_lab_m_s
    for side in landmarks.sides:
        velocity = path_velocity(landmarks.toe_lab_m[side], trial.rate_hz)[:, :2] - floor_lab_m_s
        speed_m_s = np.linalg.norm(velocity, axis=1)
        offs_s = [event.time_s - trial.first_time_s for event in truth if event.side == side and event.kind is OFF]
        at = np.interp(np.array(offs_s) * trial.rate_hz, np.arange(len(speed_m_s)), speed_m_s, left=np.nan, right=np.nan)
        shares += [float(share) for share in at / swing_peak(speed_m_s, trial.rate_hz) if np.isfinite(share)]
    return shares


def laboratories(root: Path) -> tuple[list[Compared], list[float]]:
    """Walks of every folder of recordings; a processed copy of a walk (``NAME_out`` beside ``NAME``) and a repeated one once."""
    rows, shares, seen = [], [], set()
    for path in sorted(p for p in root.rglob("*") if p.suffix.lower() == ".c3d"):
        if path.relative_to(root).parts[0] in CAME_LATER:
            continue
        if any(other.stem != path.stem and path.stem.startswith(f"{other.stem}_") for other in path.parent.glob("*.c3d")):
            continue
        try:
            trial = bid.read_c3d(path, trust=True)
            find_landmarks(trial)
            if not trial.plates or not find_feet(trial).travel.walking:
                continue
            truth = force_events(trial)
        except BiomechError:
            continue
        laboratory = path.relative_to(root).parts[0]
        new = [(event, (laboratory, event.side, event.kind, round(peak_N, 1))) for event, peak_N in truth]
        fresh = [event for event, key in new if key not in seen]
        rows += list(compared(laboratory, trial, fresh))
        shares += toe_shares(trial, fresh)
        seen |= {key for _, key in new}
    return rows, shares


def pooled(rows: Sequence[Compared]) -> list[Compared]:
    """Laboratories with few contacts under one name, kind by kind."""
    count = {(row.where, row.kind): sum((r.where, r.kind) == (row.where, row.kind) for r in rows) for row in rows}
    return [row if count[row.where, row.kind] >= POOLED else replace(row, where="others") for row in rows]


def line(name: str, rows: Sequence[Compared]) -> str:
    """Of strikes and of offs: number, how many were not found, mean absolute error, bias, 95 % of errors within, coverage."""
    cells = []
    for kind in KINDS:
        mine = [row for row in rows if row.kind is kind]
        error = np.array([row.error_ms for row in mine])
        sd, seen = np.array([row.sd_ms for row in mine]), np.isfinite(error)
        size = np.abs(error[seen])
        covered = 100 * np.mean(size < 1.96 * sd[seen])
        cells.append(
            f"{len(mine)}, {np.count_nonzero(~seen)} | {size.mean():.1f} | {error[seen].mean():+.1f} | {np.median(size):.1f} | "
            f"{np.percentile(size, 95):.1f} | {np.median(sd[seen]):.1f} | {covered:.0f}"
        )
    return f"| {name} | {' | '.join(cells)} |"


def table(rows: Sequence[Compared], first: str) -> list[str]:
    """One line for each place, and one for all."""
    of = [f"{kind}: n, missed | mean error | bias | median | 95 % | SD | covered %" for kind in ("strikes", "offs")]
    places = list(dict.fromkeys(row.where for row in rows))
    lines = [line(place, [row for row in rows if row.where == place]) for place in places]
    return [f"| {first} | {' | '.join(of)} |", "|---" * 15 + "|", *lines]


def share_lines(recorded: Sequence[float]) -> list[str]:
    """The last table: of every pattern and of all recordings (none: left out)."""
    found = {name: [x for seed in range(SHARE_DRAWS) for x in toe_shares(*walk(name, seed))] for name in PATTERNS}
    found |= {"recorded offs": list(recorded)} if recorded else {}
    said = [f"| {name} | {len(x)} | {np.mean(x):.2f} | {' | '.join(f'{p:.2f}' for p in np.percentile(x, SHARE_PERCENTILES))} |"
            for name, x in found.items()]  # fmt: skip
    heads = " | ".join(f"{p:g} %" for p in SHARE_PERCENTILES)
    return ["", "Speed of the toe marker where the load ends, as a share of its largest in swing:", "",
            f"| of | offs | mean | {heads} |", "|---" * 6 + "|", *said]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Write the table."""
    mine, shared = patients(), os.environ.get("BIOMECH_ID_SHARED")
    others = [row for row in mine if row.where in PATIENTS]
    lines = [
        "# Foot strikes and offs from markers alone", "",
        f"biomech_id {__version__}; {DRAWS} drawn walks of every pattern at 100 frames a second, {RATE_DRAWS} of every patient at "
        "each other rate. Errors and standard deviations in ms, later than the truth positive; covered: within 1.96 standard "
        "deviations.", "",
        *table(mine, "pattern"), line("all patients", others), *table(at_rates(), "pattern")[2:],
    ]  # fmt: skip
    if shared:
        recorded, shares = laboratories(Path(shared) / "c3d")
        lines += ["", "Recordings against the force on their plates; laboratories with fewer than eight contacts are pooled:", "",
                  *table(pooled(recorded), "laboratory"), line("all", recorded)]  # fmt: skip
    lines += share_lines(shares if shared else ())
    TABLE.write_text("\n".join([*lines, ""]), encoding="utf-8")
    print(TABLE.read_text(encoding="utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
