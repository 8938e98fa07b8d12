"""Plates that are mirrored in one of six ways, and plates with other faults: which repair is offered, and whether it is right.

``python -m benchmarks.studies.plate_repairs [C3D_DIR]`` lays faults over all trials of people who were recorded over force plates,
and over a virtual adult: each way of mirroring on one plate that is stood on and on all of them, and every other fault of plates
of ``designed_faults``. A repair is right where the plates, once it is done, have the forces and the centres of
pressure of those as recorded. Nothing may be offered in a session as it is. The table lies beside this module.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import biomech_id as bid
from benchmarks.studies.cut_gaps import SHARED
from benchmarks.studies.designed_faults import FAULTS, SEED, Recording
from biomech_id import __version__
from biomech_id.errors import BiomechError
from biomech_id.gait.ground import centre_of_pressure
from biomech_id.judgement.plate_repairs import MIRRORS
from biomech_id.readers import read_recording
from biomech_id.trial import AnalogChannels, ForcePlate, Trial
from biomech_id.trial.plates import mirrored_plate

TABLE = Path(__file__).with_suffix(".md")
SESSIONS = ("children/*", "norm_subjects/*", "labs_abroad/device_tuned_rotation", "labs_abroad/sacrum_and_medials")
#: Faults of plates that no mirror is; a sign of one channel is one, and the corners' order may be.
OTHERS = tuple(
    name for name in FAULTS
    if name.startswith(("gain of F", "gain of all", "gain of one", "Fx ", "Fy ", "Mx ", "My ", "crosstalk", "plates ", "two plates",
                        "force clipped", "60 N sideways", "corners mirrored", "sign of"))
)  # fmt: skip
#: A repair is right to these: what stays of the force, and of the centre of pressure above `LOADED_N`.
SAME_FORCE_N, SAME_PLACE_M, LOADED_N = 1.0, 0.02, 200.0
RIGHT, PART, NONE, WRONG, REFUSED = "right", "in part", "none", "wrong", "refused"
OUTCOMES = (RIGHT, PART, NONE, WRONG, REFUSED)


def sessions(folder: Path) -> Iterator[tuple[str, list[Trial]]]:
    """Yield name and trials, without analog channels, of everybody who walked over plates."""
    for place in (path for pattern in SESSIONS for path in sorted(folder.glob(pattern))):
        read = [read_recording(path, trust=True).trial for path in sorted(place.glob("*.c3d"))]
        yield place.name, [replace(trial, analog=AnalogChannels()) for trial in read]
    person = bid.virtual_subject(body="adult", plates="steps", seed=SEED, noise_m=0.0003)
    yield "virtual adult", [person.static().trial, person.walk().trial]


def loaded_plates(trials: Sequence[Trial]) -> list[int]:
    """Numbers of plates that somebody steps on."""
    n = max(len(trial.plates) for trial in trials)
    return [
        number for number in range(1, n + 1)
        if any(len(t.plates) >= number and np.nanmax(t.plates[number - 1].force_lab_N[:, 2]) > LOADED_N for t in trials)
    ]  # fmt: skip


def turned(trials: Sequence[Trial], numbers: Sequence[int], axis: str, part: str) -> list[Trial]:
    """The same trials with some plates mirrored."""
    return [
        replace(trial, plates=tuple(mirrored_plate(p, axis, part) if k in numbers else p for k, p in enumerate(trial.plates, 1)))
        for trial in trials
    ]


def faults(trials: Sequence[Trial], rng: np.random.Generator) -> Iterator[tuple[str, list[Trial]]]:
    """Yield each fault with the trials that have it."""
    loaded = loaded_plates(trials)
    one = [int(rng.choice(loaded))]
    for axis, part in MIRRORS:
        for which, numbers in (("one plate", one), ("all plates", loaded)):
            yield f"{part or 'all'} mirrored along {axis}, {which}", turned(trials, numbers, axis, part)
    for name in OTHERS:
        yield name, [FAULTS[name](Recording("", trial, trial), rng).walk if trial.plates else trial for trial in trials]


def offered(trials: Sequence[Trial]) -> list[tuple[int, str, str]] | None:
    """Repairs of plates that the session's findings offer; None where it is refused."""
    try:
        session = bid.analyse(list(trials), uncertainty=False, budget=False)
    except BiomechError:
        return None
    said = [finding for finding in session.session_findings if finding.rule == "plates-mirrored"]
    of_trials = (finding for movement in session.movements for finding in movement.findings)
    said += [finding for finding in of_trials if finding.rule == "plates-sideways-turned"]
    return sorted({tuple(each) for finding in said for each in finding.values["plates"]})


def judged(trials: Sequence[Trial], faulty: Sequence[Trial], repairs: Sequence[tuple[int, str, str]]) -> str:
    """Whether repairs make of faulty plates those that were recorded: all that are stood on, or those alone that are named."""
    if not repairs:
        return NONE
    named = {number for number, *_ in repairs}
    outcome = RIGHT
    for was, now in zip(trials, faulty, strict=True):
        done = list(now.plates)
        for number, axis, part in repairs:
            if len(done) >= number:
                done[number - 1] = mirrored_plate(done[number - 1], axis, part)
        wrong = {number for number, pair in enumerate(zip(was.plates, done, strict=True), 1) if not _same(*pair)}
        if wrong & named:
            return WRONG
        outcome = PART if wrong else outcome
    return outcome


def _same(was: ForcePlate, now: ForcePlate) -> bool:
    on = was.force_lab_N[:, 2] > LOADED_N
    if not on.any():
        return True
    places = [
        centre_of_pressure(each.force_lab_N[on], each.moment_lab_Nm[on], least_force_N=LOADED_N / 2, floor_m=0.0)[0]
        for each in (was, now)
    ]
    force_N = float(np.abs(was.force_lab_N[on] - now.force_lab_N[on]).mean())
    place_m = float(np.nanmean(np.linalg.norm(places[0] - places[1], axis=1)))
    return force_N <= SAME_FORCE_N and place_m <= SAME_PLACE_M


def rows(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield session, fault and what was offered."""
    rng = np.random.default_rng(SEED)
    for name, trials in sessions(folder):
        yield name, "as recorded", judged(trials, trials, offered(trials) or ())
        for fault, faulty in faults(trials, rng):
            repairs = offered(faulty)
            yield name, fault, REFUSED if repairs is None else judged(trials, faulty, repairs)
            print(name, fault, repairs, file=sys.stderr, flush=True)


def main(folder: str | Path = SHARED) -> int:
    """Write the table; 1 where a repair is offered that is not right."""
    counted, people = Counter[tuple[str, str]](), Counter[str]()
    wrong = []
    for name, fault, outcome in rows(Path(folder)):
        counted[fault, outcome] += 1
        people[name] += 1
        wrong += [f"- {name}: {fault}"] if outcome == WRONG else []
    lines = [
        "# Repairs of plates that are offered", "",
        f"biomech_id {__version__}, seed {SEED}, {len(people)} sessions, {counted.total()} analyses.", "",
        f"| fault | {' | '.join(OUTCOMES)} |", "|---|" + len(OUTCOMES) * "---|",
    ]  # fmt: skip
    lines += [
        f"| {fault} | " + " | ".join(str(counted[fault, each]) for each in OUTCOMES) + " |"
        for fault in dict.fromkeys(fault for fault, _ in counted)
    ]
    if wrong:
        lines += ["", "Wrong:", "", *wrong]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:2]))
