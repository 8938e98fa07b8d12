"""Does what was computed obey the physics that a recording is silent about? Plates against the body that stands on them.

C3D files have no checksum, and a plate whose sign, gain or channels are wrong is as smooth as one that is right. But the floor's
force on a foot points near the body's centre of mass: otherwise the body would tumble. Seen from the middle between the hips, the
slope of its direction on the body's, 1 were the hips the centre of mass and the force aimed at it, is 0.55 to 0.9 fore and aft over
a stance of walking whatever the speed, 1.2 to 1.35 of running. Nothing is asked of the person: who limps, stiffens or waddles
does not tumble either.

* A slope that is negative has a sign turned; one that is far too large or small, a gain, a dead or an exchanged channel, or a
  centre of pressure that is elsewhere.
* Sideways both are small and the hips lie off the centre of mass; from the left foot to the right one, though, the force's
  direction changes with the body's, and by less.
* The free moment about the vertical is what shoe and floor can hold by friction, about 0.1 N m/kg.
* One foot alone carries the body's weight and what the hips accelerate upwards with.

Limits stand beside the names they belong to; each says what recorded trials have. ``benchmarks/studies/designed_faults.md`` holds
what they find.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, over_seen
from biomech_id.conventions import GRAVITY_M_S2, SIDES
from biomech_id.errors import Finding
from biomech_id.gait.movements import TrialKind
from biomech_id.gait.stance import Stance
from biomech_id.results.session.ground import centre_of_pressure, floor_of, pressure_threshold_N
from biomech_id.results.session.values import TrialResult
from biomech_id.signal.filters import lowpass
from biomech_id.signal.runs import runs
from biomech_id.trial import EventKind

#: Movements in which a foot rolls from behind the body to before it; a run's force aims above the hips.
ROLLING = (TrialKind.STRAIGHT, TrialKind.TURN, TrialKind.TREADMILL)
#: Frames in which a foot carries at least this share of the weight are looked at, and so many of them at least.
LEAST_SHARE, FEWEST_FRAMES = 0.3, 8
#: The body's direction as seen from the foot has to sweep this far (horizontal over vertical): 0.5 and more in whole stances.
LEAST_SWEEP = 0.45
#: Slope of the force's direction on the body's, fore and aft; 124 stances of walks: 0.54 to 0.90, and four that plates explain.
FORE_AFT_SLOPE = (0.48, 1.12)
#: Mean by which the force points before (positive) or behind the hips; -0.09 to 0.05 in these stances.
LARGEST_LEAN = 0.13
#: From left to right feet: change of the force's direction sideways over the body's; 0.4 to 0.92 in straight walks.
SIDEWAYS_RATIO = (0.15, 1.1)
#: In one stance the force points this much beside the hips at most: 0.05.
LARGEST_BESIDE = 0.085
#: Free moment, N m/kg: 0.15 at most in walks, 0.29 in a run.
LARGEST_FREE_MOMENT: Mapping[TrialKind, float] = dict.fromkeys(ROLLING, 0.25) | {TrialKind.RUN: 0.45}
#: Mean vertical force of one foot alone, above weight and what lifts the hips, % of body weight: -8 to 8. A walker or a rail takes
#: a quarter of it from a foot, and nothing adds to it.
LARGEST_MORE_PERCENT, LARGEST_LESS_PERCENT = 13.0, 30.0
#: Both sides of that comparison hold nothing above this (Hz).
RISE_CUTOFF_HZ = 6.0
#: One foot alone for less than this (s) says nothing of weight.
LEAST_ALONE_S = 0.15
#: Lowest foot marker above the surface of the plate it stands on, m: 0.01 to 0.09.
LOWEST_MARKER_M, HIGHEST_MARKER_M = -0.02, 0.115
#: A force that stays at its largest value (N) for so many samples, and so long (s), is cut off.
LEAST_CLIPPED_N, CLIPPED_SAMPLES, LEAST_CLIPPED_S = 15.0, 5, 0.01
#: A load of a step lasts this long (s), and reaches this share of body weight.
LEAST_STEP_S, STEP_SHARE = 0.25, 0.75
#: Reasons for which a foot that is on a plate has no kinetics, and nothing is wrong: it is partly beside it, or shares it.
BESIDE_THE_PLATE = (
    "foot-half-on",
    "foot-beyond-plate",
    "other-foot-on-plate",
    "foot-too-light",
    "stance-cut",
    "no-loaded-plate-cut",
)


@dataclass(frozen=True)
class MovementLimits:
    """What no joint of a movement goes beyond, with markers and plates filtered alike, and with plates as recorded.

    Attributes
    ----------
    moment : float
        N m/kg.
    power : float
        W/kg.
    moment_raw : float
        N m/kg, of plates as recorded.
    power_raw : float
        W/kg, of plates as recorded.
    """

    moment: float
    power: float
    moment_raw: float
    power_raw: float


#: Movement -> limits; kinds that are not named have those of jumps. 45 recorded walks have 2.2 N m/kg and 6.6 W/kg at most, a run
#: at 3.5 m/s 2.7 and 13, three drop jumps 2.9 and 27: well below them, so that a sprint or a stiff knee stays below them too.
MOVEMENT_LIMITS: Mapping[TrialKind, MovementLimits] = {
    **dict.fromkeys(ROLLING, MovementLimits(3.5, 15.0, 5.0, 25.0)), TrialKind.RUN: MovementLimits(9.0, 120.0, 9.0, 120.0),
}  # fmt: skip
JUMP_LIMITS = MovementLimits(7.0, 60.0, 9.0, 90.0)


@dataclass(frozen=True, eq=False)
class StanceForce:
    """Directions of the body and of the force as one foot sees them, horizontal over vertical, in axes of its own progression.

    Attributes
    ----------
    stance : Stance
        Which stance.
    body : FloatArray
        (n, 2), forward and to the left, from the centre of pressure to the hips.
    force : FloatArray
        (n, 2), the same of the floor's force.
    free_moment_Nm_kg : float
        Largest, either way.
    """

    stance: Stance
    body: FloatArray
    force: FloatArray
    free_moment_Nm_kg: float

    @property
    def sweep(self) -> float:
        """How far the body's direction goes fore and aft."""
        return float(np.ptp(self.body[:, 0]))

    @property
    def slope(self) -> float:
        """Slope of the force's direction on the body's, fore and aft."""
        body, force = (values[:, 0] - values[:, 0].mean() for values in (self.body, self.force))
        return float((body * force).sum() / (body * body).sum())

    @property
    def lean(self) -> tuple[float, float]:
        """Mean by which the force points before, and to the left of, the hips."""
        forward, left = (self.force - self.body).mean(axis=0)
        return float(forward), float(left)


def force_directions(result: TrialResult) -> Iterator[StanceForce]:
    """Yield how force and body lie in each accepted stance of a trial.

    Parameters
    ----------
    result : TrialResult
        Solved.
    """
    hips = _hips(result)
    if hips is None or result.mass_kg is None or result.assignment is None:
        return
    weight_N, time_s = result.mass_kg * GRAVITY_M_S2, result.motion.time_s
    for stance in result.assignment.stances:
        contact = result.shown_contacts.get(stance.side)
        if contact is None or not stance.verdict.accepted:
            continue
        least_N = pressure_threshold_N(result.mass_kg)
        floor = floor_of(result.surfaces_m, stance.side)
        cop, free = centre_of_pressure(contact.force_lab_N, contact.moment_lab_Nm, least_force_N=least_N, floor_m=floor)
        firm = (contact.force_lab_N[:, 2] > LEAST_SHARE * weight_N) & contact.known & np.isfinite(hips).all(axis=1)
        rows = np.flatnonzero(firm & _during(stance, time_s))
        if len(rows) < FEWEST_FRAMES:
            continue
        to_hips, force = (hips - cop)[rows], contact.force_lab_N[rows]
        axes = _progression(result, hips[rows])
        body, pointing = (vector[:, :2] @ axes.T / vector[:, 2:] for vector in (to_hips, force))
        yield StanceForce(stance, body, pointing, float(np.abs(free[rows]).max()) / result.mass_kg)


def _hips(result: TrialResult) -> FloatArray | None:
    """Middle between the hip centres (n, 3), laboratory axes, metres."""
    centres = result.motion.joint_centres_lab_m
    if not all((side, "hip") in centres for side in SIDES):
        return None
    return np.asarray(0.5 * (centres["L", "hip"] + centres["R", "hip"]))


def _during(stance: Stance, time_s: FloatArray) -> BoolArray:
    """Frames (n,) of a stance; without a strike, or an off, it reaches to the recording's end."""
    return ~(time_s < stance.start_s) & ~(time_s >= stance.end_s)


def _progression(result: TrialResult, path_m: FloatArray) -> FloatArray:
    """Rows forward and to the left (2, 2), laboratory components: where the hips go, or on a belt where the trial does."""
    way = (path_m[-1] - path_m[0])[:2]
    if result.belts or np.linalg.norm(way) < 0.1:
        way = result.motion.progression_R_lab[0, :2]
    forward = way / np.linalg.norm(way)
    return np.array([forward, [-forward[1], forward[0]]])


def plausibility_findings(result: TrialResult) -> Iterator[Finding]:
    """Yield what of a trial's plates and loads its own movement speaks against.

    Parameters
    ----------
    result : TrialResult
        Solved.
    """
    seen = list(force_directions(result)) if result.kind in (*ROLLING, TrialKind.RUN) else []
    if result.kind in ROLLING:
        yield from _directions(result, seen)
        yield from _sideways(result, seen)
        yield from _weight(result)
    largest = max(seen, key=lambda each: each.free_moment_Nm_kg, default=None)
    if largest is not None and largest.free_moment_Nm_kg > LARGEST_FREE_MOMENT[result.kind]:
        said = {"value": largest.free_moment_Nm_kg, "limit": LARGEST_FREE_MOMENT[result.kind], **_place(largest.stance)}
        yield Finding("free-moment-large", said, result.name)
    yield from _heights(result)
    yield from _clipped(result)
    yield from _expected(result)
    if result.kind in ROLLING:
        yield from _orphans(result)
    yield from _beyond_limits(result)


def _place(stance: Stance) -> dict[str, object]:
    return {"side": stance.side, "start_s": stance.start_s, "plates": stance.plates}


def _directions(result: TrialResult, seen: list[StanceForce]) -> Iterator[Finding]:
    for each in (each for each in seen if each.sweep >= LEAST_SWEEP):
        slope, (forward, left) = each.slope, each.lean
        place = _place(each.stance)
        if not FORE_AFT_SLOPE[0] <= slope <= FORE_AFT_SLOPE[1]:
            said = {"slope": slope, "least": FORE_AFT_SLOPE[0], "most": FORE_AFT_SLOPE[1], "turned": slope < 0, **place}
            yield Finding("force-slope", said, result.name)
        elif abs(forward) > LARGEST_LEAN or abs(left) > LARGEST_BESIDE:
            worst = forward if abs(forward) / LARGEST_LEAN > abs(left) / LARGEST_BESIDE else left
            limit = LARGEST_LEAN if worst == forward else LARGEST_BESIDE
            said = {"percent": 100.0 * abs(worst), "limit_percent": 100.0 * limit, "fore_aft": worst == forward, **place}
            yield Finding("force-beside-body", said, result.name)


def _sideways(result: TrialResult, seen: list[StanceForce]) -> Iterator[Finding]:
    """Left feet against right ones: what lies off the middle of the body drops out."""
    if result.kind is TrialKind.TURN:
        return
    whole = [each for each in seen if np.isfinite([each.stance.start_s, each.stance.end_s]).all()]
    means = {
        side: np.mean([(each.body[:, 1].mean(), each.force[:, 1].mean()) for each in whole if each.stance.side == side], axis=0)
        for side in SIDES
        if any(each.stance.side == side for each in whole)
    }
    if len(means) < len(SIDES):
        return
    body, force = means["R"] - means["L"]
    if body > 0.05 and not SIDEWAYS_RATIO[0] <= force / body <= SIDEWAYS_RATIO[1]:
        said = {"ratio": force / body, "least": SIDEWAYS_RATIO[0], "most": SIDEWAYS_RATIO[1], "turned": force < 0}
        yield Finding("force-sideways", said, result.name)


def _weight(result: TrialResult) -> Iterator[Finding]:
    """One foot alone on the floor, on a plate: its force against the weight and what lifts the hips."""
    hips, rate_hz = _hips(result), result.motion.rate_hz
    if hips is None or result.mass_kg is None or rate_hz <= 2 * RISE_CUTOFF_HZ or result.assignment is None:
        return
    up = lowpass(np.gradient(np.gradient(hips[:, 2])) * rate_hz**2, rate_hz, RISE_CUTOFF_HZ)
    weight_N, expected_N = result.mass_kg * GRAVITY_M_S2, result.mass_kg * (GRAVITY_M_S2 + up)
    for stance in result.assignment.stances:
        contact = result.shown_contacts.get(stance.side)
        if contact is None or not stance.verdict.accepted:
            continue
        alone = _alone(result, stance) & contact.known & np.isfinite(expected_N)
        if np.count_nonzero(alone) < max(FEWEST_FRAMES, LEAST_ALONE_S * rate_hz):
            continue
        percent = 100.0 * float((contact.force_lab_N[alone, 2] - expected_N[alone]).mean()) / weight_N
        limit = LARGEST_MORE_PERCENT if percent > 0 else LARGEST_LESS_PERCENT
        if abs(percent) > limit:
            said = {"percent": abs(percent), "limit": limit, "more": "more" if percent > 0 else "less", **_place(stance)}
            yield Finding("force-unlike-weight", said, result.name)


def _alone(result: TrialResult, stance: Stance) -> BoolArray:
    """Frames (n,) of a stance between the other foot's off and its next strike, both of which have been seen."""
    end_s = np.nan_to_num(stance.end_s, nan=np.inf)
    time_s, other = result.motion.time_s, [event for event in result.events if event.side != stance.side]
    offs = [event.time_s for event in other if event.kind is EventKind.FOOT_OFF and event.time_s < end_s]
    off_s = max(offs, default=np.inf)
    strikes = [event.time_s for event in other if event.kind is EventKind.FOOT_STRIKE and event.time_s > off_s]
    strike_s = min(strikes, default=-np.inf)
    return _during(stance, time_s) & (time_s >= off_s) & (time_s < strike_s)


def _heights(result: TrialResult) -> Iterator[Finding]:
    """Markers of a foot above the surface of the plate that it stands on."""
    markers, roles = result.markers, result.motion.roles
    plates = {plate.name: plate for plate in result.plates}
    for stance in result.assignment.stances if result.assignment and markers is not None else ():
        names = [roles.get((stance.side, role)) for role in ("heel", "toe", "metatarsal_1", "metatarsal_2", "metatarsal_5")]
        paths = [markers[name] for name in names if name is not None and name in markers.names] if markers is not None else []
        if not paths or not stance.plates or not stance.verdict.accepted or stance.plates[0] not in plates:
            continue
        rows = _during(stance, result.motion.time_s)
        heights = over_seen(np.nanmin, np.stack([path[rows, 2] for path in paths], axis=1), axis=1)
        middle = heights[len(heights) // 4 : -len(heights) // 4 or None]
        known = middle[np.isfinite(middle)]
        if not len(known):
            continue
        plate = plates[stance.plates[0]]
        if np.ptp(plate.corners_m[:, 2]) > 0.02:
            continue
        above_m = float(np.median(known)) - float(plate.centre_m[2])
        if not LOWEST_MARKER_M <= above_m <= HIGHEST_MARKER_M:
            said = {"height_mm": 1000.0 * above_m, "least_mm": 1000.0 * LOWEST_MARKER_M, "most_mm": 1000.0 * HIGHEST_MARKER_M}
            yield Finding("foot-above-plate", said | _place(stance), result.name)


def _clipped(result: TrialResult) -> Iterator[Finding]:
    """Components along a plate's axes that stay at their largest value while a foot pushes, sample for sample."""
    for plate in result.plates:
        c = plate.corners_m
        x, z = c[0] - c[1], np.cross(c[0] - c[1], c[0] - c[3])
        axes = [axis / np.linalg.norm(axis) for axis in (x, np.cross(z, x), z)]
        for axis in axes:
            force = plate.force_lab_N @ axis + float(np.asarray(plate.baseline_N) @ axis)
            top = max((1.0, -1.0), key=lambda sign: float(np.nanmax(sign * force, initial=0.0)))
            largest = float(np.nanmax(top * force, initial=0.0))
            flat = [b - a for a, b in runs(np.asarray(top * force >= largest * (1.0 - 1e-6)))]
            if largest > LEAST_CLIPPED_N and max(flat, default=0) >= max(CLIPPED_SAMPLES, LEAST_CLIPPED_S * plate.rate_hz):
                said = {"plate": plate.name, "force_N": largest, "ms": 1000.0 * max(flat) / plate.rate_hz}
                yield Finding("force-clipped", said | {"vertical": abs(axis[2]) > 0.7}, result.name)


def _orphans(result: TrialResult) -> Iterator[Finding]:
    """Loads as heavy as a step on plates that no foot's stance is on."""
    if result.assignment is None or result.mass_kg is None:
        return
    weight_N = result.mass_kg * GRAVITY_M_S2
    owned = [(stance.plates, stance.start_s, stance.end_s) for stance in result.assignment.stances]
    for plate in result.plates:
        with np.errstate(invalid="ignore"):
            loads = runs(np.asarray(plate.force_lab_N[:, 2] > LEAST_SHARE * weight_N))
        for first, last in loads:
            start_s, end_s = (plate.first_time_s + sample / plate.rate_hz for sample in (first, last))
            peak = float(plate.force_lab_N[first:last, 2].max()) / weight_N
            step = end_s - start_s > LEAST_STEP_S and peak > STEP_SHARE
            if step and not any(plate.name in names and not (end_s <= a or start_s >= b) for names, a, b in owned):
                said = {"plate": plate.name, "start_s": start_s, "end_s": end_s, "percent": 100.0 * peak}
                yield Finding("load-without-foot", said, result.name)


def _expected(result: TrialResult) -> Iterator[Finding]:
    """Feet that stand on loaded plates in a trial none of whose stances is accepted."""
    stances = result.assignment.stances if result.assignment and result.mass_kg and result.kind in ROLLING else ()
    refused = [stance for stance in stances if stance.plates and stance.reason.rule not in BESIDE_THE_PLATE]
    if refused and not any(stance.verdict.accepted for stance in stances):
        yield Finding("kinetics-expected", {"n": len(refused), "why": refused[0].reason}, result.name)


def _beyond_limits(result: TrialResult) -> Iterator[Finding]:
    """The largest moment, and the largest power, beyond what the movement has been seen with."""
    if result.loads is None or result.mass_kg is None:
        return
    limits = MOVEMENT_LIMITS.get(result.kind, JUMP_LIMITS)
    raw = result.bandwidth == "as recorded"
    moment, power = (limits.moment_raw, limits.power_raw) if raw else (limits.moment, limits.power)
    for kind, limit in (("Moment", moment), ("Power", power)):
        found = {
            name: float(np.nanmax(np.abs(result.frames[name])))
            for side in SIDES
            for joint in ("Hip", "Knee", "Ankle")
            for name in result.frames.columns
            if name.partition(".")[0] == f"{side}{joint}{kind}" and np.isfinite(result.frames[name]).any()
        }
        worst = max(found, key=lambda name: found[name], default="")
        if worst and found[worst] > limit:
            frame = int(np.nanargmax(np.abs(result.frames[worst]))) + result.motion.first_frame
            said = {"variable": worst, "value": found[worst], "limit": limit, "power": kind == "Power", "frame": frame}
            yield Finding("beyond-movement", said, result.name)
