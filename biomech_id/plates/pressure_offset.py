"""How far the centre of pressure lies beside the feet that make it: whether plates and cameras agree on where things are.

Three things hold for feet whatever their owner's gait. Who lands on the heel has the force under it. Once the heel is up the
forefoot alone is on the floor, and the force acts at 78 % of the foot's length (20 recordings of children and adults, walks and
runs; standard deviation 4 %). And what a foot has of its own across its length, rolling in or out, is not the other foot's towards
the same side of the laboratory. A plate that lies elsewhere than the file says moves all of them alike. So what they have in common
counts, and nothing if they disagree: an outline drawn too long, a landing on the whole foot, a deformed foot.

Where feet press that never land on the heel (toe walkers, crouch, shuffling) nobody has measured: `heel_landings` tells such walks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import MM_PER_M, SIDE_SIGN
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.feet.floor import NO_BELTS, Belts, carried_back
from biomech_id.gait.ground import FlatFoot, FloorHeight, centre_of_pressure, flat_foot, floor_of, pressure_threshold_N
from biomech_id.movement.stance import FLAT_SHARE
from biomech_id.signal.runs import runs

#: Where the force acts with the heel up, as a share of the outline's length; standard deviation over trials 0.04.
FOREFOOT_SHARE = 0.78
#: Where it acts in the first part of a stance that begins on the heel, metres in front of the outline's rear (20 to 56 mm).
LANDING_M = 0.036
LANDING_SHARE = 0.12
#: The heel is up when the outline's rearmost point is this much higher than in foot-flat.
HEEL_UP_M = 0.02
#: A foot lands on its heel when the front of its outline is this much higher, against the rear, than in foot-flat.
TOES_UP_M = 0.005


class PlantedStance(NamedTuple):
    """One whole stance: its frames [start, stop), the foot while flat, and the centre of pressure (n, 3) on a floor at rest."""

    start: int
    stop: int
    planted: FlatFoot
    cop_m: FloatArray
    outline_m: FloatArray


def planted_stances(
    motion: BodyMotion, contact: FootContact, *, mass_kg: float, floor_m: FloorHeight = 0.0, belts: Belts = NO_BELTS
) -> Iterator[PlantedStance]:
    """Each stance of a foot that is loaded and known from begin to end, with its axes while it is flat.

    Parameters
    ----------
    motion : BodyMotion
        Tracked body with ``foot_outline_lab_m``.
    contact : FootContact
        The ground's wrench on that foot.
    mass_kg : float
        Body mass: only frames above a share of its weight are loaded.
    floor_m : FloorHeight, optional
        Height of the floor, laboratory Z.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.

    Yields
    ------
    Iterator[PlantedStance]
        In order of time.
    """
    side = contact.side
    least_N = pressure_threshold_N(mass_kg)
    at_m = floor_of(floor_m, side)
    cop_lab_m, _ = centre_of_pressure(contact.force_lab_N, contact.moment_lab_Nm, least_force_N=least_N, floor_m=at_m)
    at_rest = (motion.foot_outline_lab_m[side], motion.joint_centres_lab_m[side, "ankle"], cop_lab_m)
    outline, ankle, cop = (carried_back(points, motion.time_s, belts, side) for points in at_rest)
    loaded = contact.known & np.isfinite(cop_lab_m[:, 0])
    for start, stop in runs(loaded):
        # Of a stance that the recording cuts nobody sees when the foot is flat.
        if start == 0 or stop == len(loaded) or not contact.known[start - 1 : stop + 1].all():
            continue
        length = stop - start
        flat = slice(start + length // 5, start + max(length // 2, length // 5 + 1))
        planted = flat_foot(outline[flat], ankle[flat], np.ones(flat.stop - flat.start, dtype=np.bool_), side)
        if planted is not None:
            yield PlantedStance(start, stop, planted, cop[start:stop], outline[start:stop])


def pressure_offset_mm(
    motion: BodyMotion,
    contacts: Mapping[str, FootContact],
    *,
    mass_kg: float,
    floor_m: FloorHeight = 0.0,
    belts: Belts = NO_BELTS,
    running: bool = False,
) -> float:
    """Return how far (mm) the centre of pressure lies ahead or behind, and to one side, of where these feet press; NaN unmeasured.

    To the side it is measured with both feet only: one foot's own offset is its owner's.

    Parameters
    ----------
    motion : BodyMotion
        Tracked body with ``foot_outline_lab_m``.
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench on that foot.
    mass_kg : float
        Body mass: only frames above a share of its weight are loaded.
    floor_m : FloorHeight, optional
        Height of the floor, laboratory Z.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.
    running : bool, optional
        Runners land anywhere on the foot: only their push-offs count.

    Returns
    -------
    float
        Millimetres, horizontal, never negative; NaN where no stance shows it.
    """
    ahead: list[float] = []
    leftward: dict[str, list[float]] = {}
    for side, contact in contacts.items():
        if side not in motion.foot_outline_lab_m:
            continue
        for stance in planted_stances(motion, contact, mass_kg=mass_kg, floor_m=floor_m, belts=belts):
            weight = contact.force_lab_N[stance.start : stance.stop, 2]
            place = stance.planted.components(stance.cop_m)
            leftward.setdefault(side, []).append(-SIDE_SIGN[side] * float(np.average(place[:, 1], weights=weight)))
            ahead.append(_ahead_m(stance, place[:, 0], weight, running))
    # What both feet have in common; none of them is to blame for the other.
    aside = float(np.median([*(np.mean(values) for values in leftward.values()), 0.0])) if len(leftward) == 2 else np.nan
    seen = [offset for offset in ahead if np.isfinite(offset)]
    measured = [offset for offset in (float(np.mean(seen)) if seen else np.nan, aside) if np.isfinite(offset)]
    return MM_PER_M * float(np.linalg.norm(measured)) if measured else float("nan")


def heel_landings(
    motion: BodyMotion,
    contacts: Mapping[str, FootContact],
    *,
    mass_kg: float,
    floor_m: FloorHeight = 0.0,
    belts: Belts = NO_BELTS,
) -> float:
    """Share of the whole stances that begin on the heel; NaN without one. Who lands otherwise also pushes off otherwise.

    Parameters
    ----------
    motion : BodyMotion
        Tracked body with ``foot_outline_lab_m``.
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench on that foot.
    mass_kg : float
        Body mass: only frames above a share of its weight are loaded.
    floor_m : FloorHeight, optional
        Height of the floor, laboratory Z.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.

    Returns
    -------
    float
        0 to 1; NaN without a whole stance.
    """
    landings = [
        _lands_on_heel(stance)
        for side, contact in contacts.items()
        if side in motion.foot_outline_lab_m
        for stance in planted_stances(motion, contact, mass_kg=mass_kg, floor_m=floor_m, belts=belts)
    ]
    return float(np.mean(landings)) if landings else float("nan")


def _ahead_m(stance: PlantedStance, along_m: FloatArray, weight: FloatArray, running: bool) -> float:
    """How far forward of where a foot presses one stance's force acts: what its begin and its end have in common; NaN unmeasured.

    An outline drawn too long or too short shows at the end only, a landing on the whole foot at the begin only.
    """
    up = _heel_up(stance)
    if not up.any():
        return float("nan")
    length = float(np.ptp(stance.planted.outline_m[:, 0]))
    late = float(np.average(along_m[up], weights=weight[up])) - FOREFOOT_SHARE * length
    if running or not _lands_on_heel(stance):
        return late
    landing = slice(0, max(1, round(LANDING_SHARE * len(along_m))))
    early = float(np.average(along_m[landing], weights=weight[landing])) - LANDING_M
    return float(np.median([early, late, 0.0]))


def _lands_on_heel(stance: PlantedStance) -> bool:
    """Whether the front of the outline is clearly higher than its rear as the foot begins to carry."""
    front, rear = (int(end(stance.planted.outline_m[:, 0])) for end in (np.argmax, np.argmin))
    pitch_m = stance.outline_m[:, front, 2] - stance.outline_m[:, rear, 2]
    flat_m = float(np.nanmedian(pitch_m[len(pitch_m) // 5 : len(pitch_m) // 2 + 1]))
    return bool(pitch_m[0] - flat_m > TOES_UP_M)


def _heel_up(stance: PlantedStance) -> BoolArray:
    """Frames (n,) of the second half of a stance in which the outline's rearmost point has risen."""
    rear = stance.outline_m[:, int(np.argmin(stance.planted.outline_m[:, 0])), 2]
    length = len(rear)
    first, last = (int(share * length) for share in FLAT_SHARE)
    flat_m = float(np.nanmedian(rear[first : max(last, first + 1)])) if np.isfinite(rear[first : last + 1]).any() else np.nan
    with np.errstate(invalid="ignore"):
        return np.asarray((rear - flat_m > HEEL_UP_M) & (np.arange(length) > length // 2))
