"""Ways of walking as causes: what the diagnosis says of virtual patients in degrees, bodies and on sides of their own.

``python -m benchmarks.studies.gait_causes signatures`` writes ``gaits.csv`` beside the diagnosis, each virtual patient less the
virtual walker without a disorder, and the column ``gait_sd`` of ``spread.csv``. ``python -m benchmarks.studies.gait_causes N`` puts
N draws of each patient, none of which a signature was made of, before the diagnosis and writes the table beside this file.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import biomech_id as bid
from biomech_id.errors import BiomechError
from biomech_id.judgement.diagnosis import Diagnosis, diagnose
from biomech_id.judgement.diagnosis.recorded import Recorded, recorded_walk
from biomech_id.judgement.diagnosis.residuals import residuals
from biomech_id.judgement.diagnosis.spread import HERE, package_spread
from biomech_id.judgement.diagnosis.stances import find_stances
from biomech_id.sample.pattern import GaitPattern
from biomech_id.sample.patterns.patients import HEALTHY, PATIENTS
from biomech_id.sample.subject import BODIES, VirtualSubject

TABLE = Path(__file__).with_suffix(".md")
#: Virtual patient -> what the cause is called.
NAMES = {
    "toe walker": "toe walking", "drop foot": "drop foot", "steppage": "steppage", "crouch": "crouch", "stiff knee": "stiff knee",
    "shuffle": "shuffling", "hemiplegic": "hemiplegic gait", "crutches": "crutches", "walker": "walker",
}  # fmt: skip
#: Residuals that no way of walking changes: filters, measurements, stored events, the static trial, mid-walk.
NOT_OF_GAIT = (
    "jerk", "straight run", "stored", "level unloaded", "load without", "foot at rest", "ankle width", "knee width",
    "leg length / height", "ASIS width, markers", "step of",
)  # fmt: skip
#: Residuals that Newton's law holds to nothing however somebody walks: patients add the pelvis in place of the body's centre.
OF_WEIGHT = ("single support / weight", "impulse of the foot / half weight")
#: What moved since the static trial is no way of walking, and keeps its spread.
SINCE_STATIC = ("walk / static", "walk - static")
#: Smaller changes than this share of the residual's own SD are left out.
LEAST_SHARE = 0.1
#: Field of the pattern -> one SD of a patient's degree, as a share.
DEGREES = {
    "heel_pitch_rad": 0.12, "toe_pitch_rad": 0.08, "equinus_rad": 0.25, "lift_height": 0.15, "least_knee_flexion_rad": 0.20,
    "tilt_rad": 0.25, "obliquity_rad": 0.20, "rotation_rad": 0.20, "knee_rotation_rad": 0.20, "froude_speed": 0.10,
    "load_swing": 0.10,
}  # fmt: skip
#: SD of body height (share), of the wand and of the foot's turn; noise of the markers.
HEIGHT, WAND_RAD, TURN_RAD, NOISE_M = 0.05, 0.05, 0.06, 0.0003
#: What is said of the pelvis and of both legs is the left leg's.
_OF_BOTH = (
    "stride", "froude_speed", "place", "height", "surge", "sway", "tilt_rad", "tilt_swing_rad", "obliquity_rad", "rotation_rad",
    "least_knee_flexion_rad", "load_swing", "load_peak", "pivot", "aids",
)  # fmt: skip


def _person(pattern: GaitPattern, **other: Any) -> VirtualSubject:
    """Who walks so, with markers and measurements as they ought to be and a plate under every footstep."""
    clean: dict[str, Any] = {"knee_width_error_m": 0.0, "ankle_roll_rad": 0.0, "wand_offset_rad": 0.0}
    return bid.virtual_subject(pattern=pattern, plates="steps", variant="violating", **(clean | other))


def _walk_of(person: VirtualSubject) -> Recorded:
    return recorded_walk(person.walk().trial, bid.conventional_model(person.static().trial))


def _by_leg(session: Recorded) -> dict[tuple[str, str], float]:
    """(residual, "L" | "R" | "") -> value, plates under the foot that they carry."""
    feet = {str(number): stance.side for number, stance in find_stances(session)}
    every: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (name, unit), value in residuals(session).values.items():
        if not name.startswith(NOT_OF_GAIT) and not name.endswith(("in mid-walk", "height, static")):
            every[name, feet.get(unit, unit)].append(value)
    return {key: float(np.mean(values)) for key, values in every.items() if key[1] in ("L", "R", "")}


def signature_rows() -> Iterator[tuple[str, str, str, float]]:
    """Yield way of walking, residual, of which leg, and what it adds; a leg of a symmetric one adds half to the session."""
    spread = package_spread()
    sd = dict(zip(spread.names, np.sqrt(spread.between + spread.within), strict=True))
    healthy = _by_leg(_walk_of(_person(HEALTHY)))
    for patient, gait in NAMES.items():
        pattern = PATIENTS[patient]
        shown = _by_leg(_walk_of(_person(pattern)))
        change = {key: value - healthy[key] for key, value in shown.items() if key in healthy}
        for name in dict.fromkeys(name for name, _ in change):
            left, right, session = (change.get((name, unit)) for unit in ("L", "R", ""))
            if pattern.right is None:
                sides = [value for value in (left, right) if value is not None]
                adds = {"own": float(np.mean(sides)) if sides else None, "": None if session is None else 0.5 * session}
            else:
                adds = {"own": right, "other": left, "": session}
            for of, value in adds.items():
                if value is not None and abs(value) > LEAST_SHARE * sd[name]:
                    yield gait, name, of, value


def write_signatures() -> None:
    """Write what ways of walking add to residuals, and to the SDs of those that people on two feet differ in."""
    rows = list(signature_rows())
    with (HERE / "gaits.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("gait", "residual", "of", "adds"))
        writer.writerows((gait, name, of, f"{value:.4g}") for gait, name, of, value in rows)
    most: dict[tuple[str, str], float] = defaultdict(float)
    for gait, name, of, value in rows:
        # Of a symmetric way of walking each leg has half of what the session shows.
        whole = value if of or PATIENTS[patient_of(gait)].right else 2.0 * value
        most[name, gait] = max(most[name, gait], abs(whole))
    on_feet = [gait for patient, gait in NAMES.items() if not PATIENTS[patient].aids]
    with (HERE / "spread.csv").open(encoding="utf-8", newline="") as file:
        spread = list(csv.DictReader(file))
    for row in spread:
        sd = np.sqrt(np.mean([most[row["residual"], gait] ** 2 for gait in on_feet]))
        kept = row["residual"] in OF_WEIGHT or row["residual"].endswith(SINCE_STATIC)
        row["gait_sd"] = "" if kept or not sd else f"{sd:.4g}"
    with (HERE / "spread.csv").open("w", encoding="utf-8", newline="") as file:
        writer_of_rows = csv.DictWriter(file, list(spread[0]), lineterminator="\n")
        writer_of_rows.writeheader()
        writer_of_rows.writerows(spread)


def patient_of(gait: str) -> str:
    """The virtual patient that a cause is made of."""
    return next(patient for patient, name in NAMES.items() if name == gait)


def mirrored(pattern: GaitPattern) -> GaitPattern:
    """The same patient with the other side affected."""
    if pattern.right is None:
        return pattern
    both = {name: getattr(pattern, name) for name in _OF_BOTH}
    return replace(pattern.right, **both, right=replace(pattern, right=None, aids=()), right_strike=1.0 - pattern.right_strike)


def drawn(patient: str, seed: int) -> VirtualSubject:
    """A patient in a degree, with a body and on a side of their own."""
    rng = np.random.default_rng([seed, *patient.encode()])
    shares = {name: float(np.clip(1.0 + sd * rng.standard_normal(), 0.6, 1.4)) for name, sd in DEGREES.items()}
    pattern = PATIENTS[patient]
    legs = [replace(leg, **{k: getattr(leg, k) * v for k, v in shares.items()}) for leg in (pattern, pattern.right) if leg]
    pattern = replace(legs[0], right=legs[1]) if len(legs) > 1 else legs[0]
    taller, turn = 1.0 + HEIGHT * float(np.clip(rng.standard_normal(), -2, 2)), TURN_RAD * float(rng.standard_normal())
    mass_kg, height_m, age_years = BODIES["adult"]
    return _person(
        mirrored(pattern) if rng.random() < 0.5 else pattern, noise_m=NOISE_M, seed=seed,
        mass_kg=mass_kg * taller**3, height_m=height_m * taller, age_years=age_years, toe_out_rad=(0.105 + turn, 0.140 + turn),
        wand_offset_rad=WAND_RAD * float(np.clip(rng.standard_normal(), -2, 2)),
    )  # fmt: skip


def diagnosed(person: VirtualSubject) -> Diagnosis:
    """What the diagnosis says of a walk."""
    return diagnose(person.walk().trial, bid.conventional_model(person.static().trial), sizes=False)


def main(draws: int) -> int:
    """Write the table."""
    rows, total = [], Counter[str]()
    for patient in NAMES:
        walks, accused, causes = 0, 0, Counter[str]()
        seed = 0
        while walks < draws and seed < 5 * draws:
            seed += 1
            try:
                answer = diagnosed(drawn(patient, seed))
            except BiomechError:  # a leg does not reach the floor in this degree
                continue
            walks, warned = walks + 1, [one.cause for one in answer.likely if one.warns]
            accused += bool(warned)
            causes.update(warned)
        total.update(walks=walks, accused=accused)
        rows.append(f"| {patient} | {walks} | {accused} | {', '.join(f'{c} {n}' for c, n in causes.most_common())} |")
        sys.stdout.write(rows[-1] + "\n")
    head = f"biomech_id {bid.__version__}, {draws} draws of each virtual patient"
    lines = [head, "", "| patient | walks | accused of something | of what |", "|---|---|---|---|", *rows]
    lines.append(f"| all | {total['walks']} | {total['accused']} | |")
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["signatures"]:
        write_signatures()
    else:
        sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 10))
