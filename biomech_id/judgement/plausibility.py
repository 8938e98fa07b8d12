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
* The free moment about the vertical is what shoe and floor can hold by friction, about 0.1 N m/kg, and runs from the one side to
  the other as the pelvis goes round the foot.
* One foot alone carries the body's weight and what the hips accelerate upwards with; sideways its impulse pushes the body to the
  other foot, where the hips go.
* A plate that a foot stands wholly on carries it, from strike to off (`gait.silent_plates`).

Limits stand beside the names they belong to; each says what recorded trials have. ``benchmarks/studies/designed_faults.md`` holds
what they find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import GRAVITY_M_S2, LAYERS_OF_MEANS, SIDES, Aspect
from biomech_id.errors import Finding
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.repairs import REPAIRS
from biomech_id.judgement.body_limits import angle_findings, sliding_findings
from biomech_id.judgement.foot_forces import (
    LEAST_SHARE,
    StanceForce,
    during,
    force_directions,
    middle_of_hips,
    plate_directions,
    sideways_impulses,
    weight_excess,
)
from biomech_id.judgement.plate_signals import friction_findings, mean_lean_findings, plate_signal_findings
from biomech_id.judgement.sideways_turned import sideways_turned
from biomech_id.languages import Sentence
from biomech_id.movement.stance import Stance
from biomech_id.plugins import Registry
from biomech_id.session.solved import Solved
from biomech_id.session.trial_tables import frames
from biomech_id.signal.runs import runs
from biomech_id.trial import EventKind
from biomech_id.trial.worn import bears_weight
from biomech_id.values import dataclass

#: Movements in which a foot rolls from behind the body to before it; a run's force aims above the hips.
ROLLING = (TrialKind.STRAIGHT, TrialKind.TURN, TrialKind.TREADMILL)
#: Those in which nothing turns to one side.
AHEAD = (TrialKind.STRAIGHT, TrialKind.TREADMILL)
#: The body's direction as seen from the foot has to sweep this far (horizontal over vertical): 0.5 and more in whole stances.
LEAST_SWEEP = 0.45
#: Slope of the force's direction on the body's, fore and aft; 124 stances of walks: 0.54 to 0.90, and four that plates explain.
FORE_AFT_SLOPE = (0.48, 1.12)
#: The same of slow steps and of parts of stances, that sweep at least so far; of these stances any part: 0.34 to 1.20.
LEAST_SHORT_SWEEP, SHORT_SLOPE = 0.35, (0.2, 1.45)
#: In parts of stances shorter than that, which have the body well before or behind the foot: the force points before or behind it
#: too, so many times as far; any part of these stances: 0.05 to 1.16.
LEAST_BEFORE, POINTING = 0.12, (0.0, 1.4)
#: Mean by which the force points before (positive) or behind the hips; -0.09 to 0.05 in these stances.
LARGEST_LEAN = 0.13
#: From left to right feet: change of the force's direction sideways over the body's; 0.4 to 0.92 in straight walks.
SIDEWAYS_RATIO = (0.15, 1.1)
#: In one stance the force points this much beside the hips at most: 0.05.
LARGEST_BESIDE = 0.085
#: Free moment, N m/kg: 0.15 at most in walks, 0.29 in a run.
LARGEST_FREE_MOMENT: Mapping[TrialKind, float] = dict.fromkeys(ROLLING, 0.25) | {TrialKind.RUN: 0.45}
#: Mean over a walk's stances of the free moment's first half less its second, N m/kg, feet alike: it turns from the one side to the
#: other as the pelvis goes round the foot, -0.035 to 0.11 in 60 walks.
LEAST_FREE_MOMENT_FALL = -0.055
#: Speed of the centre of pressure, m/s, as long as the foot is firmly down: 1.8 at most.
LARGEST_PRESSURE_SPEED_M_S = 3.0
#: While one foot is alone: the force's sideways impulse over what speed the hips gain. It is on their side (who stands on a foot
#: falls to the other side), and smaller: the hips sway farther than the centre of mass does. 0.23 to 1.08, 0.14 once.
IMPULSE_RATIO, LEAST_GAIN_M_S = (0.05, 1.35), 0.08
#: Slope of the sideways force on mass times acceleration of the whole body: 0.5 to 1.12.
LARGEST_SIDEWAYS_SLOPE = 1.35
#: Mean change of a joint's rotation about its segment's long axis from the first strike and off of a foot to its last, deg: 11 at
#: most.
LARGEST_DRIFT_DEG = 14.0
#: Mean vertical force of one foot alone, above weight and what lifts the hips, % of body weight: -8 to 8. A walker or a rail takes
#: a quarter of it from a foot, and nothing adds to it.
LARGEST_MORE_PERCENT, LARGEST_LESS_PERCENT = 13.0, 30.0
#: The same of both feet, in a part of a stance: -11 to 15.
LARGEST_BOTH_PERCENT = 19.0
#: Lowest foot marker above the surface of the plate it stands on, m: 0.01 to 0.09.
LOWEST_MARKER_M, HIGHEST_MARKER_M = -0.02, 0.115
#: A force that stays at its largest value (N) for so many samples, and so long (s), is cut off.
LEAST_CLIPPED_N, CLIPPED_SAMPLES, LEAST_CLIPPED_S = 15.0, 5, 0.01
#: A load of a step lasts this long (s), and reaches this share of body weight.
LEAST_STEP_S, STEP_SHARE = 0.25, 0.75
#: What `Solved.bandwidth` says of plates that were not given the markers' response.
RAW = "as recorded"
#: Reasons for which a foot that is on a plate has no kinetics, and nothing is wrong: it is partly beside it, or shares it.
BESIDE_THE_PLATE = (
    "foot-half-on",
    "foot-beyond-plate",
    "other-foot-on-plate",
    "foot-too-light",
    "stance-cut",
    "no-loaded-plate-cut",
)
#: Reasons that speak against a plate even where another foot's stance has kinetics.
AGAINST_THE_PLATE = ("force-beside-foot", "loaded-after-off")
#: A force beside its foot may be that of a crutch on the same plate. Then it aims at the body all the same: slope, from this
#: sweep on, and means of direction before and beside the hips. Exchanged channels have slopes of 0.5 and less, or miss the body.
AID_SLOPE, LEAST_AID_SWEEP, AID_LEAN = (0.6, 1.1), 0.2, (0.1, 0.05)
#: Above this speed (m/s) a run is a sprint: distance runners stay below it, and joint powers double from here to 9 m/s (Schache et
#: al. 2011, Med Sci Sports Exerc 43:1260).
SPRINT_M_S = 6.0


@dataclass(frozen=True)
class MovementLimits:
    """What no joint of a movement goes beyond, with markers and plates filtered alike, and with plates as recorded.

    Attributes
    ----------
    moment : float
        Largest joint moment, N m/kg, of plates filtered as the markers.
    power : float
        Largest joint power, W/kg, of plates filtered as the markers.
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
    **dict.fromkeys(ROLLING, MovementLimits(3.5, 15.0, 5.0, 25.0)), TrialKind.RUN: MovementLimits(6.0, 45.0, 8.5, 75.0),
}  # fmt: skip
SPRINT_LIMITS = MovementLimits(9.0, 120.0, 12.0, 160.0)
JUMP_LIMITS = MovementLimits(7.0, 60.0, 9.0, 90.0)


@dataclass(frozen=True)
class PlausibilityRule:
    """One thing that plates and loads are asked.

    Attributes
    ----------
    check : Callable[[Solved, Sequence[StanceForce]], Iterable[Finding]]
        Solved trial, and the forces of its stances where a foot rolls over a plate -> what speaks against it. The words of a
        finding stand in the tables of `languages`; `languages.add_sentences` adds a laboratory's.
    kinds : tuple[TrialKind, ...], optional
        Movements that are asked; empty for all.
    layers : tuple[Aspect, ...], optional
        What its findings speak against; of one side, where a finding has a "side" or a "variable" of one.
    """

    check: Callable[[Solved, Sequence[StanceForce]], Iterable[Finding]]
    kinds: tuple[TrialKind, ...] = ()
    layers: tuple[Aspect, ...] = (Aspect.KINETICS,)


def register_plausibility(name: str, rule: PlausibilityRule) -> None:
    """Ask every solved trial one more thing; what is found counts in the trial's verdict.

    Parameters
    ----------
    name : str
        A name of its own.
    rule : PlausibilityRule
        Asked behind the others.

    Raises
    ------
    OptionError
        There is a rule of that name.
    """
    PLAUSIBILITY_RULES.add(name, rule)


def plausibility_findings(result: Solved) -> Iterator[Finding]:
    """Yield what of a trial's plates and loads its own movement speaks against.

    Parameters
    ----------
    result : Solved
        The trial as solved, with plates and stances.
    """
    return (finding for _, finding in with_rules(result))


def with_rules(result: Solved) -> Iterator[tuple[PlausibilityRule, Finding]]:
    """Yield the same findings, each with the rule that found it.

    Parameters
    ----------
    result : Solved
        The trial as solved, with plates and stances.
    """
    seen = list(force_directions(result)) if result.kind in (*ROLLING, TrialKind.RUN) else []
    by_rule: list[tuple[PlausibilityRule, Finding]] = []
    for name, rule in PLAUSIBILITY_RULES.items():
        if bears_weight(result.aid) and name in OF_WEIGHT:
            continue
        if not rule.kinds or result.kind in rule.kinds:
            by_rule += ((rule, finding) for finding in rule.check(result, seen))
    cause = sideways_turned(result, [finding for _, finding in by_rule], IMPULSE_RATIO, LEAST_GAIN_M_S)
    if cause is not None:
        yield PLAUSIBILITY_RULES["force-sideways"], cause[0]
        by_rule = [(rule, finding) for rule, finding in by_rule if finding.rule not in cause[1]]
    yield from by_rule


def _repaired(doubts: str) -> Callable[[Solved, Sequence[StanceForce]], Iterator[Finding]]:
    """What says that somebody put something right in a recording: a layer that was repaired is at best usable with limits."""

    def repaired(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
        for line in result.history:
            if isinstance(line, Sentence) and line.rule == "repaired" and REPAIRS[str(line.values["kind"])].doubts == doubts:
                yield Finding(line.rule, line.values, result.name)

    return repaired


def _large_free_moment(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    largest = max(seen, key=_free_moment, default=None)
    if largest is not None and _free_moment(largest) > LARGEST_FREE_MOMENT[result.kind]:
        values = {"value": _free_moment(largest), "limit": LARGEST_FREE_MOMENT[result.kind], **_place(largest.stance)}
        yield Finding("free-moment-large", values, result.name)


def _place(stance: Stance) -> dict[str, object]:
    return {"side": stance.side, "start_s": stance.start_s, "plates": stance.plates}


def _free_moment(each: StanceForce) -> float:
    return float(np.abs(each.free_moment_Nm_kg).max())


def _directions(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    for each in seen:
        least, most = FORE_AFT_SLOPE if each.sweep >= LEAST_SWEEP else SHORT_SLOPE
        slope, (forward, left), place = each.slope, each.lean, _place(each.stance)
        before = float(each.body[:, 0].mean())
        if each.sweep < LEAST_SHORT_SWEEP:
            ratio = float(each.force[:, 0].mean()) / before
            if abs(before) >= LEAST_BEFORE and not POINTING[0] <= ratio <= POINTING[1]:
                values = {"ratio": ratio, "least": POINTING[0], "most": POINTING[1], "turned": ratio < 0, **place}
                yield Finding("force-points-elsewhere", values, result.name)
        elif not least <= slope <= most:
            values = {"slope": slope, "least": least, "most": most, "turned": slope < 0, **place}
            yield Finding("force-slope", values, result.name)
        elif each.sweep >= LEAST_SWEEP and (abs(forward) > LARGEST_LEAN or abs(left) > LARGEST_BESIDE):
            worst = forward if abs(forward) / LARGEST_LEAN > abs(left) / LARGEST_BESIDE else left
            limit = LARGEST_LEAN if worst == forward else LARGEST_BESIDE
            values = {"percent": 100.0 * abs(worst), "limit_percent": 100.0 * limit, "fore_aft": worst == forward, **place}
            yield Finding("force-beside-body", values, result.name)


def _sideways(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    """Left feet against right ones: what lies off the middle of the body drops out."""
    if result.kind is TrialKind.TURN:
        return
    whole = [each for each in seen if each.whole]
    means = {
        side: np.mean([(each.body[:, 1].mean(), each.force[:, 1].mean()) for each in whole if each.stance.side == side], axis=0)
        for side in SIDES
        if any(each.stance.side == side for each in whole)
    }
    if len(means) < len(SIDES):
        return
    body, force = means["R"] - means["L"]
    if body > 0.05 and not SIDEWAYS_RATIO[0] <= force / body <= SIDEWAYS_RATIO[1]:
        values = {"ratio": force / body, "least": SIDEWAYS_RATIO[0], "most": SIDEWAYS_RATIO[1], "turned": force < 0}
        yield Finding("force-sideways", values, result.name)


def _impulses(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    """Sideways: the impulse of one foot alone against what the hips gain, and the whole body's acceleration where it is tracked."""
    for stance, pushed_m_s, gained_m_s in sideways_impulses(result):
        least, most = IMPULSE_RATIO
        if gained_m_s >= LEAST_GAIN_M_S and not least <= pushed_m_s / gained_m_s <= most:
            values = {"pushed_m_s": pushed_m_s, "gained_m_s": gained_m_s, "least": least, "most": most, "turned": pushed_m_s < 0}
            yield Finding("impulse-sideways", values | _place(stance), result.name)
    test = result.whole_body.test if result.whole_body else None
    if result.kind is TrialKind.STRAIGHT and test is not None and test.slope[1] > LARGEST_SIDEWAYS_SLOPE:
        yield Finding("force-unlike-acceleration", {"slope": test.slope[1], "most": LARGEST_SIDEWAYS_SLOPE}, result.name)


def _free_moment_turned(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    """The free moment of both feet runs the other way than a pelvis that goes round them makes it."""
    falls = [each.free_moment_falls for each in seen if each.whole]
    if falls and np.mean(falls) < LEAST_FREE_MOMENT_FALL:
        values = {"value": float(-np.mean(falls)), "limit": -LEAST_FREE_MOMENT_FALL, "n": len(falls)}
        yield Finding("free-moment-turned", values, result.name)


def _pressure_speed(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    """The fastest centre of pressure under a foot that is firmly down; plates as recorded ring at every strike."""
    if result.bandwidth == RAW:
        return
    fastest = max(seen, key=lambda each: each.pressure_speed_m_s, default=None)
    if fastest is not None and fastest.pressure_speed_m_s > LARGEST_PRESSURE_SPEED_M_S:
        values = {"speed_m_s": fastest.pressure_speed_m_s, "limit_m_s": LARGEST_PRESSURE_SPEED_M_S, **_place(fastest.stance)}
        yield Finding("pressure-fast", values, result.name)


def _drifts(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    """The largest steady change of a rotation about a long axis, which a marker that slides across its segment makes."""
    table = frames(result)
    drifts = {
        f"{side}{joint}Angles.Z": _drift(result, side, np.asarray(table[f"{side}{joint}Angles.Z"]))
        for side in SIDES
        for joint in ("Hip", "Knee", "Ankle")
        if f"{side}{joint}Angles.Z" in table.columns
    }
    worst = max(drifts, key=lambda name: abs(drifts[name]), default="")
    if worst and abs(drifts[worst]) > LARGEST_DRIFT_DEG:
        values = {"variable": worst, "change_deg": drifts[worst], "limit_deg": LARGEST_DRIFT_DEG}
        yield Finding("angle-drifts", values, result.name)


def _drift(result: Solved, side: str, angle_deg: FloatArray) -> float:
    """Mean change from the first to the last strike, and from the first to the last off, of a side; 0 where one does not repeat."""
    changes = []
    for kind in (EventKind.FOOT_STRIKE, EventKind.FOOT_OFF):
        at = [event.time_s for event in result.events if (event.side, event.kind) == (side, kind)]
        there = np.interp(at, result.motion.time_s, angle_deg)
        there = there[np.isfinite(there)]
        changes.append(float(there[-1] - there[0]) if len(there) > 1 else 0.0)
    return float(np.mean(changes)) if changes[0] * changes[1] > 0 else 0.0


def _weight(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    """One foot alone on the floor, on a plate: its force against the weight and what lifts the hips."""
    for stance, percent, one in weight_excess(result):
        limit = LARGEST_LESS_PERCENT if percent < 0 else LARGEST_MORE_PERCENT if one else LARGEST_BOTH_PERCENT
        if abs(percent) > limit:
            more = "more" if percent > 0 else "less"
            values = {"percent": abs(percent), "limit": limit, "more": more, "one": one, **_place(stance)}
            yield Finding("force-unlike-weight", values, result.name)


def _heights(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    """Markers of a foot above the surface of the plate that it stands on."""
    markers, roles = result.markers, result.motion.roles
    plates = {plate.name: plate for plate in result.plates}
    for stance in result.assignment.stances if result.assignment and markers is not None else ():
        names = [roles.get((stance.side, role)) for role in ("heel", "toe", "metatarsal_1", "metatarsal_2", "metatarsal_5")]
        paths = [markers[name] for name in names if name is not None and name in markers.names] if markers is not None else []
        if not paths or not stance.plates or not stance.verdict.accepted or stance.plates[0] not in plates:
            continue
        rows = during(stance, result.motion.time_s)
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
            values = {"height_mm": 1000.0 * above_m, "least_mm": 1000.0 * LOWEST_MARKER_M, "most_mm": 1000.0 * HIGHEST_MARKER_M}
            yield Finding("foot-above-plate", values | _place(stance), result.name)


def _clipped(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
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
                values = {"plate": plate.name, "force_N": largest, "ms": 1000.0 * max(flat) / plate.rate_hz}
                yield Finding("force-clipped", values | {"vertical": abs(axis[2]) > 0.7}, result.name)


def _orphans(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    """Loads as heavy as a step on plates that no foot's stance is on."""
    if result.assignment is None or result.mass_kg is None:
        return
    weight_N = result.mass_kg * GRAVITY_M_S2
    stances = result.assignment.stances
    begins_s, ends_s = (np.array([getattr(s, name) for s in stances]) for name in ("start_s", "end_s"))
    for plate in result.plates:
        with np.errstate(invalid="ignore"):
            loads = runs(np.asarray(plate.force_lab_N[:, 2] > LEAST_SHARE * weight_N))
        on_plate = np.array([plate.name in stance.plates for stance in stances], dtype=bool)
        for first, last in loads:
            start_s, end_s = (plate.first_time_s + sample / plate.rate_hz for sample in (first, last))
            peak = float(plate.force_lab_N[first:last, 2].max()) / weight_N
            step = end_s - start_s > LEAST_STEP_S and peak > STEP_SHARE
            if step and not (on_plate & ~(end_s <= begins_s) & ~(start_s >= ends_s)).any():
                values = {"plate": plate.name, "start_s": start_s, "end_s": end_s, "percent": 100.0 * peak}
                yield Finding("load-without-foot", values, result.name)


def _expected(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    """Feet that stand on loaded plates and have no kinetics: all of a trial's, or for a reason that speaks against their plate."""
    stances = result.assignment.stances if result.assignment and result.mass_kg and result.kind in ROLLING else ()
    # Of a stance under which a plate is silent a finding of its own says more.
    silent = [
        (reason.values["side"], reason.values["start_s"]) for reason in (result.assignment.silent if result.assignment else ())
    ]
    refused = [
        stance
        for stance in stances
        if stance.plates and stance.reason.rule not in BESIDE_THE_PLATE and (stance.side, stance.start_s) not in silent
    ]
    aided = [stance for stance in refused if _borne_by_an_aid(result, stance)]
    # Beside an aid a stance that the recording cuts is no riddle.
    refused = [stance for stance in refused if stance not in aided and not (aided and stance.verdict.solved)]
    if any(stance.verdict.accepted for stance in stances):
        refused = [stance for stance in refused if stance.reason.rule in AGAINST_THE_PLATE]
    if refused:
        yield Finding("kinetics-expected", {"n": len(refused), "why": refused[0].reason}, result.name)


def _borne_by_an_aid(result: Solved, stance: Stance) -> bool:
    """Whether the whole force of a plate, beside its foot, aims at the body, as foot and crutch do together; no wrong one does."""
    seen = plate_directions(result, stance) if stance.reason.rule == "force-beside-foot" else None
    if seen is None:
        return False
    (least, most), (forward, left) = AID_SLOPE, seen.lean
    turns = seen.sweep < LEAST_AID_SWEEP or least <= seen.slope <= most
    return turns and abs(forward) <= AID_LEAN[0] and abs(left) <= AID_LEAN[1]


def movement_limits(result: Solved) -> tuple[float, float]:
    """Return the moment (N m/kg) and the power (W/kg) that no joint of a trial's movement goes beyond.

    Parameters
    ----------
    result : Solved
        The trial, with its kind and bandwidth.
    """
    limits = MOVEMENT_LIMITS.get(result.kind, JUMP_LIMITS)
    if result.kind is TrialKind.RUN and _speed_m_s(result) > SPRINT_M_S:
        limits = SPRINT_LIMITS
    raw = result.bandwidth == RAW
    return (limits.moment_raw, limits.power_raw) if raw else (limits.moment, limits.power)


def _speed_m_s(result: Solved) -> float:
    """Median speed of the cycles, over ground or over a belt; of a run without any, that of the hips; 0 where neither is known."""
    speeds = [float(each.value) for each in result.parameters if each.parameter == "speed" and np.isfinite(each.value)]
    if speeds:
        return float(np.median(speeds))
    hips = middle_of_hips(result)
    seen = np.flatnonzero(np.isfinite(hips).all(axis=1)) if hips is not None else np.empty(0, dtype=int)
    if hips is None or len(seen) < 2:
        return 0.0
    return float(np.linalg.norm((hips[seen[-1]] - hips[seen[0]])[:2])) * result.motion.rate_hz / float(seen[-1] - seen[0])


def _beyond_limits(result: Solved, seen: Sequence[StanceForce]) -> Iterator[Finding]:
    """The largest moment, and the largest power, beyond what the movement has been seen with."""
    if result.loads is None or result.mass_kg is None:
        return
    table = frames(result)
    moment, power = movement_limits(result)
    for kind, limit in (("Moment", moment), ("Power", power)):
        extremes = {
            name: float(np.nanmax(np.abs(table[name])))
            for side in SIDES
            for joint in ("Hip", "Knee", "Ankle")
            for name in table.columns
            if name.partition(".")[0] == f"{side}{joint}{kind}" and np.isfinite(table[name]).any()
        }
        worst = max(extremes, key=lambda name: extremes[name], default="")
        if worst and extremes[worst] > limit:
            frame = int(np.nanargmax(np.abs(table[worst]))) + result.motion.first_frame
            values = {"variable": worst, "value": extremes[worst], "limit": limit, "power": kind == "Power", "frame": frame}
            yield Finding("beyond-movement", values, result.name)


#: Of these, what takes the feet to bear the whole body: nothing is said by them of who walks with an aid.
OF_WEIGHT = frozenset({"force-unlike-weight", "mean-lean", "impulses"})
#: What plates and loads are asked, in this order: name -> rule.
PLAUSIBILITY_RULES: Registry[str, PlausibilityRule] = Registry("plausibility rule", {
    "force-directions": PlausibilityRule(_directions, ROLLING),
    "force-sideways": PlausibilityRule(_sideways, ROLLING),
    "force-unlike-weight": PlausibilityRule(_weight, ROLLING),
    "pressure-fast": PlausibilityRule(_pressure_speed, ROLLING),
    "friction": PlausibilityRule(lambda result, seen: friction_findings(result), ROLLING),
    "mean-lean": PlausibilityRule(mean_lean_findings, (TrialKind.STRAIGHT,)),
    "sliding": PlausibilityRule(lambda result, seen: sliding_findings(result), (TrialKind.STRAIGHT,), (Aspect.KINEMATICS,)),
    "impulses": PlausibilityRule(_impulses, AHEAD),
    "free-moment-turned": PlausibilityRule(_free_moment_turned, AHEAD),
    "angle-drifts": PlausibilityRule(_drifts, AHEAD, (Aspect.KINEMATICS,)),
    "free-moment-large": PlausibilityRule(_large_free_moment),
    "foot-above-plate": PlausibilityRule(_heights),
    "force-clipped": PlausibilityRule(_clipped),
    "plate-signals": PlausibilityRule(lambda result, seen: plate_signal_findings(result)),
    "angles": PlausibilityRule(lambda result, seen: angle_findings(result), layers=(Aspect.KINEMATICS,)),
    "silent-plates": PlausibilityRule(lambda result, seen: result.assignment.silent if result.assignment else ()),
    "kinetics-expected": PlausibilityRule(_expected),
    "load-without-foot": PlausibilityRule(_orphans, ROLLING),
    "beyond-movement": PlausibilityRule(_beyond_limits),
    "markers-repaired": PlausibilityRule(_repaired("markers"), layers=LAYERS_OF_MEANS),
    "plate-repaired": PlausibilityRule(_repaired("plates")),
    "channels-repaired": PlausibilityRule(_repaired("channels"), layers=(Aspect.EMG,)),
})  # fmt: skip
