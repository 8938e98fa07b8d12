"""What a plate's own signals say against it: read unloaded, component against component, and in the mean of a steady walk.

* A plate that nobody stands on reads nothing: an offset, a drift, hum and noise are left there.
* Six components of one force are never bound to each other: one that is zero throughout, or a moment that is nothing but a lever
  times a force, has lost its channel.
* No foot pushes the same for long: six components that repeat to the last digit were not measured.
* Shoe and floor hold a shear force below the vertical one.
* Over whole stances of both feet the mean direction of the force is that of what the body gains in speed: upright, in a steady
  walk. This is the impulse against the change of velocity, fore and aft and sideways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import GRAVITY_M_S2, SIDES
from biomech_id.errors import Finding
from biomech_id.feet.contacts import plate_at_rest
from biomech_id.judgement.foot_forces import LEAST_SHARE, StanceForce, hips_progression, middle_of_hips
from biomech_id.session.solved import Solved
from biomech_id.signal.runs import runs
from biomech_id.trial import ForcePlate

#: Where the mean over so long (s) is less than that (N) above what the plate at rest reads, and half of it before and after, nobody
#: is on it, however far below: nobody pulls at one; for so long in all (s).
MEAN_OVER_S, UNLOADED_N, LEAST_UNLOADED_S = 0.05, 25.0, 0.3
#: Root mean square of what an unloaded plate reads, N: 4 at most in 83 trials; a belt and its motor shake more.
LARGEST_UNLOADED_N = 10.0
#: A component that is this small a part of the vertical force (per metre for moments) was not measured.
NOTHING_LEFT = 1e-6
#: All components repeat for so long (s), and so many times: on 170 loaded plates at most twice in a row, 2 ms.
LEAST_HELD_S, FEWEST_REPEATS = 0.02, 3
#: Where a larger share of the other loaded samples repeat the one before, forces are written with few digits.
MOST_ALIKE = 0.02
#: Two samples are the same if they differ by this share of the largest: what turning axes does to the last digit.
SAME_DIGITS = 1e-12
#: The surface is at most this far (m) from the origin about which channels have their moments.
LARGEST_DEPTH_M = 0.3
#: Shear over vertical force for so long (s): 0.67 at most in walks, once, in single samples.
LARGEST_FRICTION, LEAST_FRICTION_S = 0.85, 0.003
#: Mean direction of the force beyond what the body gains in speed, horizontal over vertical: fore and aft -0.020 to 0.028, sideways
#: -0.018 to 0.012 in 70 walks and turns; the limit leaves 0.012 for laboratories that are not among them.
LARGEST_MEAN_LEAN = 0.04


def plate_signal_findings(result: Solved) -> Iterator[Finding]:
    """Yield what the signals of the plates that feet stand on speak against, whatever moves.

    Parameters
    ----------
    result : Solved
        The trial as solved, with plates and stances.
    """
    used = {name for stance in (result.assignment.stances if result.assignment else ()) for name in stance.plates}
    for plate in result.plates:
        if plate.name in used:
            reads_N = 0.0 if result.belts else _unloaded_N(plate)
            if reads_N > LARGEST_UNLOADED_N:
                values = {"plate": plate.name, "force_N": reads_N, "limit_N": LARGEST_UNLOADED_N}
                yield Finding("plate-reads-unloaded", values, result.name)
            lost = _lost(plate, result.mass_kg)
            if lost:
                yield Finding("plate-channel-lost", {"plate": plate.name, "components": lost}, result.name)
            held = _held(plate, result.mass_kg)
            if held:
                first, stop = max(held, key=lambda run: run[1] - run[0])
                values = {"plate": plate.name, "ms": 1000.0 * (stop - first) / plate.rate_hz, "others": len(held) - 1}
                values |= {"time_s": plate.first_time_s + first / plate.rate_hz}
                yield Finding("plate-holds-value", values, result.name)


def friction_findings(result: Solved) -> Iterator[Finding]:
    """Yield the plates whose shear force no shoe holds.

    Parameters
    ----------
    result : Solved
        A walk as solved, with plates and stances.
    """
    least_N = LEAST_SHARE * (result.mass_kg or np.inf) * GRAVITY_M_S2
    for plate in result.plates:
        force = plate.force_lab_N
        with np.errstate(invalid="ignore"):
            slips = (force[:, 2] > least_N) & (np.linalg.norm(force[:, :2], axis=1) > LARGEST_FRICTION * force[:, 2])
        long = [(a, b) for a, b in runs(np.asarray(slips)) if b - a >= max(2.0, LEAST_FRICTION_S * plate.rate_hz)]
        if long:
            at = long[0][0] + int(np.argmax(np.linalg.norm(force[slice(*long[0]), :2], axis=1)))
            ratio = float(np.linalg.norm(force[at, :2]) / force[at, 2])
            values = {"plate": plate.name, "ratio": ratio, "limit": LARGEST_FRICTION}
            yield Finding("force-beyond-friction", values | {"time_s": plate.first_time_s + at / plate.rate_hz}, result.name)


def mean_lean_findings(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    """Yield a mean direction of both feet's forces that no change of speed explains.

    Parameters
    ----------
    result : Solved
        A walk straight ahead over ground, solved.
    seen : Sequence[StanceForce]
        Its stances, with their forces.
    """
    whole = [each for each in seen if each.whole]
    sides = [[each.force.mean(axis=0) for each in whole if each.stance.side == side] for side in SIDES]
    gained = _gained(result, whole)
    if not all(sides) or gained is None:
        return
    forward, left = np.mean([np.mean(of_side, axis=0) for of_side in sides], axis=0) - gained
    worst = max((forward, True), (left, False), key=lambda row: abs(row[0]))
    if abs(worst[0]) > LARGEST_MEAN_LEAN:
        values = {"percent": 100.0 * abs(float(worst[0])), "limit_percent": 100.0 * LARGEST_MEAN_LEAN, "fore_aft": worst[1]}
        yield Finding("force-leans", values, result.name)


def _gained(result: Solved, whole: list[StanceForce]) -> FloatArray | None:
    """Mean acceleration of the hips from the first strike to the last off over gravity (2,), forward and to the left."""
    hips = middle_of_hips(result)
    if hips is None or not whole:
        return None
    time_s = result.motion.time_s
    first_s, last_s = min(each.stance.start_s for each in whole), max(each.stance.end_s for each in whole)
    rows = (time_s >= first_s) & (time_s < last_s) & np.isfinite(hips).all(axis=1)
    if np.count_nonzero(rows) < 10:
        return None
    path = hips[rows][:, :2] @ hips_progression(result, hips[rows]).T
    return np.asarray(2.0 * np.polyfit(time_s[rows] - first_s, path, 2)[0] / GRAVITY_M_S2)


def _unloaded_N(plate: ForcePlate) -> float:
    """Root mean square force while nobody is on a plate, N; 0 where that is not for long."""
    n = max(round(MEAN_OVER_S * plate.rate_hz), 1)
    least_N = max(plate_at_rest(plate).offset_N, 0.0)
    mean = np.convolve(np.nan_to_num(plate.force_lab_N[:, 2]), np.full(n, 1.0 / n), mode="same")
    free = np.convolve(mean < least_N + UNLOADED_N, np.ones(2 * n), mode="same") > 2 * n - 0.5
    if np.count_nonzero(free) < LEAST_UNLOADED_S * plate.rate_hz:
        return 0.0
    return float(np.sqrt(np.nanmean((plate.force_lab_N[free] ** 2).sum(axis=1))))


def _loaded(plate: ForcePlate, mass_kg: float | None) -> BoolArray:
    with np.errstate(invalid="ignore"):
        return np.asarray(plate.force_lab_N[:, 2] > LEAST_SHARE * (mass_kg or np.inf) * GRAVITY_M_S2)


def _held(plate: ForcePlate, mass_kg: float | None) -> list[tuple[int, int]]:
    """First sample of each run that a loaded plate repeats, and the one behind it."""
    loaded, wrench = _loaded(plate, mass_kg), np.hstack([plate.force_lab_N, plate.moment_lab_Nm])
    with np.errstate(invalid="ignore"):
        same = (np.abs(np.diff(wrench, axis=0)) <= SAME_DIGITS * np.abs(wrench[1:]).max(axis=1, keepdims=True)).all(axis=1)
    fewest = max(FEWEST_REPEATS, int(np.ceil(LEAST_HELD_S * plate.rate_hz)))
    held = [(first, stop + 1) for first, stop in runs(np.asarray(same & loaded[1:])) if stop - first >= fewest]
    others = loaded[1:].copy()
    for first, stop in held:
        others[first : stop - 1] = False
    return held if others.any() and same[others].mean() < MOST_ALIKE else []


def _lost(plate: ForcePlate, mass_kg: float | None) -> tuple[str, ...]:
    """Components, in the plate's axes, that a loaded plate does not measure."""
    loaded = _loaded(plate, mass_kg)
    if np.count_nonzero(loaded) < 20:
        return ()
    c = plate.corners_m
    x, z = c[0] - c[1], np.cross(c[0] - c[1], c[0] - c[3])
    axes = np.stack([axis / np.linalg.norm(axis) for axis in (x, np.cross(z, x), z)])
    force, moment = plate.force_lab_N[loaded] @ axes.T, plate.moment_lab_Nm[loaded] @ axes.T
    nothing = NOTHING_LEFT * float(np.nanmax(np.abs(force[:, 2])))
    rows = {"Fx": force[:, 0], "Fy": force[:, 1], "Mz": moment[:, 2]}
    # About the origin below the surface a moment is another by depth times shear: of a dead one nothing else is left.
    rows |= {"Mx": _beyond(moment[:, 0], force[:, 1]), "My": _beyond(moment[:, 1], force[:, 0])}
    return tuple(name for name, values in rows.items() if np.nanmax(np.abs(values)) <= nothing)


def _beyond(moment: FloatArray, force: FloatArray) -> FloatArray:
    """What of a moment is no depth times a force."""
    known = np.isfinite(moment) & np.isfinite(force)
    squares = float(force[known] @ force[known])
    depth_m = float(moment[known] @ force[known]) / squares if squares > 0.0 else 0.0
    return np.asarray(moment - np.clip(depth_m, -LARGEST_DEPTH_M, LARGEST_DEPTH_M) * force)
