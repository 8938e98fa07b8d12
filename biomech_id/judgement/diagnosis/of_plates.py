"""Residuals of force plates and events: what forces say of feet, weight, way and clock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import GRAVITY_M_S2, MM_PER_M, SIDES
from biomech_id.judgement.diagnosis.contacts import contacts, nearest_time
from biomech_id.judgement.diagnosis.of_legs import PELVIS_LABELS, ResidualValues
from biomech_id.judgement.diagnosis.recorded import Recorded, changed_labels, smooth
from biomech_id.judgement.diagnosis.stances import PlateStance, at_times, find_stances, loaded, on_plate
from biomech_id.trial.events import EventKind

#: Share of the stance -> where a normal foot's centre of pressure then lies between heel (0) and toe marker (1).
ALONG_FOOT: Mapping[str, tuple[float, float, float]] = {
    "15-35": (0.15, 0.35, 0.42), "40-60": (0.40, 0.60, 0.72), "70-90": (0.70, 0.90, 1.00),
}  # fmt: skip
#: A foot that comes down by less (deg) after its force begins did not land on its heel: 4 to 23 in walks without a disorder, below
#: 1 in virtual toe walkers, drop feet and crouch. One that rises by more than the other has its labels exchanged.
LEAST_LANDING_DEG, MOST_EQUINUS_DEG = 2.0, 10.0
#: Single support begins after the other foot's off and ends before its strike by these (s).
AFTER_OFF_S, BEFORE_STRIKE_S = 0.040, 0.020
#: Cut-offs (Hz): of the shear along the walk, of the peak.
SHEAR_HZ, PEAK_HZ = 15.0, 20.0
#: A load is without a foot above this force (N) and beyond this distance (m) of any heel or toe.
ORPHAN_N, ORPHAN_M = 40.0, 0.08
#: Largest median force (N) of a plate that carries nothing.
LEVEL_N = 15.0
#: A foot at rest moves slower than this share of the walk.
REST_SHARE = 0.25
#: Events of markers further from a stored or a plate's event (s) belong to another step.
FURTHEST_EVENT_S = 0.3
#: Least steps, and their least reach (m), that show the floor's slope.
LEAST_STEPS, LEAST_REACH_M = 4, 0.8
Contacts = Mapping[tuple[str, str], FloatArray]


def of_plates(session: Recorded, before: tuple[Recorded, ResidualValues] | None = None) -> ResidualValues:
    """Return the residuals of force plates, of the floor and of stored events.

    Parameters
    ----------
    session : Recorded
        The session in memory.
    before : tuple[Recorded, ResidualValues] | None, optional
        The session that it was made from, of as many plates, and its residuals: those of plates on which nothing changed are
        taken over.

    Returns
    -------
    ResidualValues
        In the units of ``spread.csv``; what this session cannot say is absent.
    """
    changed = changed_plates(session, before[0]) if before else set(range(1, len(session.plates) + 1))
    same = before is not None and _same_feet(session, before[0]) and session.events is before[0].events
    if before and same and not changed:
        return before[1]
    events = contacts(session)
    each: dict[tuple[str, str], list[float]] = defaultdict(list)
    for number, stance in find_stances(session, changed):
        for part in (
            (_of_clock, _of_jumps) if session.aided else (_of_place, _of_shape, _of_jumps, _of_clock, _of_support, _of_whole)
        ):
            for name, value in part(stance, session, events):
                each[name, str(number)].append(value)
    residuals = {key: float(np.mean(values)) for key, values in each.items()}
    if changed:
        _of_every_plate(session, changed, residuals)
    if before:
        taken = {str(number) for number in range(1, len(session.plates) + 1) if number not in changed} | ({""} if same else set())
        residuals |= {key: value for key, value in before[1].items() if key[1] in taken}
    if not same:
        _of_floor(session, events, residuals)
        _of_events(session, events, residuals)
    return {key: value for key, value in residuals.items() if np.isfinite(value)}


def _of_place(stance: PlateStance, session: Recorded, events: Contacts) -> Iterator[tuple[str, float]]:
    """Where the force acts in the foot, and how high the foot is above the plate."""
    along, length_m = (stance.cop_m - stance.heel_m) @ stance.axis, float((stance.toe_m - stance.heel_m) @ stance.axis)
    across = (stance.cop_m - stance.heel_m) @ stance.foot_medial
    heel_first = not -MOST_EQUINUS_DEG < stance.comes_down_deg < LEAST_LANDING_DEG
    for name, (start, end, share) in ALONG_FOOT.items() if heel_first else ():
        yield f"CoP along foot {name} %", MM_PER_M * float(np.mean(along[stance.part(start, end)]) - share * length_m)
    yield "CoP medial of foot axis", MM_PER_M * float(np.mean(across[stance.part(0.15, 0.90)]))
    late, early = (float(np.mean(across[stance.part(*part)])) for part in ((0.65, 0.90), (0.12, 0.37)))
    yield "CoP medial, late - early", MM_PER_M * (late - early)
    if stance.cut:
        return
    height_m = float(stance.plate.centre_m[2])
    yield "heel above plate", MM_PER_M * (float(stance.heel_m[2]) - height_m)
    yield "toe above plate", MM_PER_M * (float(stance.toe_m[2]) - height_m)


def _of_shape(stance: PlateStance, session: Recorded, events: Contacts) -> Iterator[tuple[str, float]]:
    """The free moment."""
    mean_N = float(np.mean(stance.force_N[:, 2]))
    outwards = stance.free_moment_Nm * (1.0 if stance.side == "L" else -1.0)
    yield "free moment, mean", MM_PER_M * float(np.mean(outwards)) / mean_N
    yield "free moment, range", MM_PER_M * float(np.ptp(np.percentile(outwards, (3, 97)))) / mean_N


def _of_jumps(stance: PlateStance, session: Recorded, events: Contacts) -> Iterator[tuple[str, float]]:
    """The fastest change of the load."""
    if session.subject.mass_kg:
        step = max(1, round(0.004 * stance.plate.rate_hz))
        change_N = np.abs(stance.force_N[step:, 2] - stance.force_N[:-step, 2]).max()
        yield "fastest change in 4 ms", 100.0 * float(change_N) / (session.subject.mass_kg * GRAVITY_M_S2)


def _of_clock(stance: PlateStance, session: Recorded, events: Contacts) -> Iterator[tuple[str, float]]:
    """When the force begins and ends, against the markers."""
    for name, kind, time_s in (("force begins - heel", "strike", stance.time_s[0]), ("force ends - toe", "off", stance.end_s)):
        apart_s = float(time_s) - nearest_time(events[stance.side, kind], float(time_s))
        if abs(apart_s) < FURTHEST_EVENT_S:
            yield name, 1000.0 * apart_s


def _of_support(stance: PlateStance, session: Recorded, events: Contacts) -> Iterator[tuple[str, float]]:
    """Weight and line of force while this foot alone carries the body."""
    other = "R" if stance.side == "L" else "L"
    offs, strikes = events[other, "off"], events[other, "strike"]
    inside = offs[(offs > stance.time_s[0] - FURTHEST_EVENT_S) & (offs < stance.time_s[-1])]
    after = strikes[strikes > (inside[0] if inside.size else np.inf)]
    if not inside.size or not after.size:
        return
    start_s, end_s = inside[0] + AFTER_OFF_S, after[0] - BEFORE_STRIKE_S
    which = (stance.time_s >= start_s) & (stance.time_s <= end_s)
    if which.sum() < 8 or end_s > stance.time_s[-1] + BEFORE_STRIKE_S:
        return
    force, pelvis, cop = stance.force_N[which], stance.pelvis_m[which], stance.cop_m[which]
    if session.subject.mass_kg:
        rate_hz = session.markers.rate_hz
        ends = at_times(session.paths.pelvis_speed_m_s, rate_hz, stance.time_s[which][[0, -1]])[:, 2]
        a_z = (ends[1] - ends[0]) / np.ptp(stance.time_s[which])
        weight_N = session.subject.mass_kg * (GRAVITY_M_S2 + a_z)
        yield "single support / weight", 100.0 * float(np.log(np.mean(force[:, 2]) / weight_N))
    arm_m = pelvis - cop
    if not (np.isfinite(arm_m).all() and force[:, 2].all()):  # in a frame nothing bears the foot: no stance of this plate is asked
        for name in ("slope", "along walk", "medial"):
            yield f"line of force, {name}", np.nan
        return
    height = arm_m[:, 2]
    lean, pull = arm_m @ stance.way / height, force @ stance.way / force[:, 2]
    slope, intercept = np.polyfit(lean, pull, 1)
    yield "line of force, slope", float(slope)
    yield "line of force, along walk", -MM_PER_M * float(intercept * height.mean())
    aside = arm_m @ stance.medial - force @ stance.medial / force[:, 2] * height
    yield "line of force, medial", MM_PER_M * float(np.mean(aside))


def _of_whole(stance: PlateStance, session: Recorded, events: Contacts) -> Iterator[tuple[str, float]]:
    """Shears, peak and impulse of a stance that the recording holds whole."""
    if not stance.whole:
        return
    rate_hz, mass_kg = session.markers.rate_hz, session.subject.mass_kg
    up, mean_N = stance.force_N[:, 2], float(np.mean(stance.force_N[:, 2]))
    along = stance.force_N @ stance.way
    yield "braking + drive, range / vertical", float(np.log(np.ptp(smooth(along, stance.plate.rate_hz, SHEAR_HZ)) / mean_N))
    yield "peak / mean vertical", float(np.log(smooth(up, stance.plate.rate_hz, PEAK_HZ).max() / mean_N))
    yield "shear medial, mean / vertical", 100.0 * float(np.mean(stance.force_N @ stance.medial)) / mean_N
    if not mass_kg:
        return
    ends, duration_s = (
        at_times(session.paths.pelvis_speed_m_s, rate_hz, stance.time_s[[0, -1]]) @ stance.way,
        float(np.ptp(stance.time_s)),
    )
    yield "shear along walk, mean / vertical", 100.0 * float(np.mean(along) - mass_kg * (ends[1] - ends[0]) / duration_s) / mean_N
    strikes = events[stance.side, "strike"]
    begun_s = nearest_time(strikes, float(stance.time_s[0]))
    later = strikes[strikes > begun_s]
    if later.size:
        impulse_Ns, stride_s = float(np.sum(up)) / stance.plate.rate_hz, float(later[0] - stance.time_s[0])
        yield "impulse of the foot / half weight", 100.0 * float(np.log(impulse_Ns / (mass_kg * GRAVITY_M_S2 * stride_s / 2)))


#: Markers that say where feet and pelvis are, which is all that forces are held against.
_PLATE_LABELS = ("LHEE", "LTOE", "RHEE", "RTOE", *PELVIS_LABELS)


def _same_feet(session: Recorded, old: Recorded) -> bool:
    """Whether feet and pelvis are where they were."""
    return changed_labels(session.markers, old.markers).isdisjoint(_PLATE_LABELS)


def changed_plates(session: Recorded, old: Recorded) -> set[int]:
    """Numbers of the plates whose residuals may differ: all where the mass or a marker of feet or pelvis does."""
    same = _same_feet(session, old) and session.subject.mass_kg == old.subject.mass_kg
    return {number for number, plate in enumerate(session.plates, start=1) if not (same and plate is old.plates[number - 1])}


def _of_every_plate(session: Recorded, numbers: Container[int], residuals: ResidualValues) -> None:
    """What plates say while no foot is wholly on them: loads without feet, feet without loads, the level of nothing."""
    rate_hz = session.markers.rate_hz
    feet = np.stack([session.markers[side + label] for side in SIDES for label in ("HEE", "TOE")], axis=1)
    slow = {side: np.maximum(*(session.paths.foot_speed_m_s[side + label] for label in ("HEE", "TOE"))) for side in SIDES}
    for number, plate in enumerate(session.plates, start=1):
        if number not in numbers:
            continue
        at = np.minimum((np.arange(plate.n_samples) / plate.rate_hz * rate_hz).astype(int), session.markers.n_frames - 1)
        near = np.asarray(on_plate(feet, plate, ORPHAN_M).any(axis=1) | ~np.isfinite(feet).all(axis=(1, 2)))
        orphan = (np.linalg.norm(plate.force_lab_N, axis=1) > ORPHAN_N) & ~near[at]
        if not session.aided:  # a crutch's tip is no foot
            residuals["load without a foot", str(number)] = 1000.0 * float(orphan.sum()) / plate.rate_hz
        empty = ~loaded(plate)
        level_N = float(np.median(plate.force_lab_N[empty, 2])) if empty.any() else np.inf
        if session.subject.mass_kg and abs(level_N) < LEVEL_N:
            residuals["level unloaded", str(number)] = 100.0 * level_N / (session.subject.mass_kg * GRAVITY_M_S2)
        rest = 0.0
        for i, side in enumerate(SIDES):
            inside = on_plate(feet[:, 2 * i : 2 * i + 2], plate, 0.0).all(axis=1)
            at_rest = (inside & (slow[side] < REST_SHARE * session.paths.speed_m_s))[at] & empty
            rest += float(at_rest.sum()) / plate.rate_hz
        residuals["foot at rest on a plate that carries nothing", str(number)] = 1000.0 * rest


def _of_floor(session: Recorded, events: Contacts, residuals: ResidualValues) -> None:
    """Whether the feet climb along the walk: tilted cameras."""
    steps = []
    for i, side in enumerate(SIDES):
        for strike_s in events[side, "strike"]:
            offs = events[side, "off"][events[side, "off"] > strike_s]
            if offs.size:
                low, high = (int((strike_s + part * (offs[0] - strike_s)) * session.markers.rate_hz) for part in (0.25, 0.45))
                foot = 0.5 * (session.markers[side + "HEE"] + session.markers[side + "TOE"])[low : high + 1]
                steps.append([float(np.mean(foot @ session.paths.way)), float(np.mean(foot[:, 2])), i, 1 - i])
    table = np.array([step for step in steps if np.isfinite(step).all()]).reshape(-1, 4)
    if len(table) >= LEAST_STEPS and np.ptp(table[:, 0]) >= LEAST_REACH_M:
        slope = np.linalg.lstsq(table[:, [0, 2, 3]], table[:, 1], rcond=None)[0][0]
        residuals["floor slope along the walk", ""] = float(np.rad2deg(np.arctan(slope)))


def _of_events(session: Recorded, events: Contacts, residuals: ResidualValues) -> None:
    """Stored events against those of markers."""
    for name, kind, stored in (("strike", "strike", EventKind.FOOT_STRIKE), ("off", "off", EventKind.FOOT_OFF)):
        apart_s = []
        for event in session.events:
            if event.kind == stored:
                time_s = event.time_s - session.first_s
                apart_s.append(time_s - nearest_time(events[event.side, kind], time_s))
        apart = 1000.0 * np.array([value for value in apart_s if abs(value) < FURTHEST_EVENT_S])
        if apart.size:
            residuals[f"stored {name} - markers", ""] = float(np.median(apart))
            residuals[f"stored {name} - markers, worst", ""] = float(np.abs(apart - np.median(apart)).max())
