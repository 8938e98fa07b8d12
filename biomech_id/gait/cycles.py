"""Cutting a trial into gait cycles: from each foot strike to the next of the same side."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import SIDES
from biomech_id.feet.landmarks import Landmarks
from biomech_id.feet.travel import Travel
from biomech_id.languages import Sentence
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.movement.stance import Assignment, Stance
from biomech_id.trial import Event, EventKind, Trial
from biomech_id.trial.events import LARGEST_TIMING_SD_MS
from biomech_id.values import dataclass, replace

#: A stride shorter or longer than this is not one stride: an event is missing or invented.
STRIDE_LIMITS_S = (0.25, 4.0)
#: A cycle whose duration or speed differs from the trial's median by more than this share is flagged: a start, a stop, a stumble.
LARGEST_DEVIATION = 0.20
#: A straight cycle does not change direction by more than this.
LARGEST_CYCLE_TURN_RAD = np.deg2rad(25.0)


def cut_cycles(
    trial: Trial,
    events: Sequence[Event],
    assignment: Assignment | None = None,
    *,
    travel: Travel | None = None,
    landmarks: Landmarks | None = None,
    mean_cycle_s: Mapping[str, float] | None = None,
) -> tuple[Cycle, ...]:
    """Cut a trial into cycles, left ones first, numbered from 1 on each side.

    A cycle has kinetics when the stance it begins with was accepted and the side's contact is known until the next strike. An
    accepted stance whose next strike lies outside the trial still gives kinetics, from 0 % to foot off (``stance_only``): its
    length is the mean cycle time of its side; where nothing gives that there is no percent, and no cycle.

    Parameters
    ----------
    trial : Trial
        The recording and its events, every source.
    events : Sequence[Event]
        The recording and its events, every source.
    assignment : Assignment | None, optional
        Verdicts on its stances; without it no cycle has kinetics.
    travel : Travel | None, optional
        How the subject moved (`feet.travel.describe_travel`); cycles of turns, runs and unsteady trials are flagged.
    landmarks : Landmarks | None, optional
        Pelvis and feet, to flag cycles of another speed or direction than the trial's.
    mean_cycle_s : Mapping[str, float] | None, optional
        Mean cycle time per side, for ``stance_only`` cycles; default is this trial's, the other side's if need be.

    Returns
    -------
    tuple[Cycle, ...]
        From strike to next strike of one foot, with the other foot's events in between; reasons say why a cycle has no kinetics.
    """
    times, cycles = _Times(trial, events, assignment), list[Cycle]()
    for side in SIDES:
        strikes = [e.time_s for e in events if e.side == side and e.kind is EventKind.FOOT_STRIKE]
        strides = [pair for pair in pairwise(strikes) if STRIDE_LIMITS_S[0] <= pair[1] - pair[0] <= STRIDE_LIMITS_S[1]]
        cycles += [_whole_cycle(times, side, number, *pair) for number, pair in enumerate(strides, start=1)]
    means = dict(_mean_times(cycles)) | dict(mean_cycle_s or {})
    whole = _flagged(cycles, travel, landmarks)
    extra = tuple(_stance_only(times, assignment, whole, means, travel)) if assignment is not None else ()
    return tuple(sorted((*whole, *extra), key=lambda c: (c.side, c.start_s)))


def mean_cycle_times(cycles: Sequence[Cycle]) -> dict[str, float]:
    """Mean duration of the whole steady cycles of each side, seconds, over any number of trials of one condition.

    Parameters
    ----------
    cycles : Sequence[Cycle]
        Cycles of one condition, of any number of trials and of both sides.

    Returns
    -------
    dict[str, float]
        Side -> seconds; a side without a whole steady cycle is left out.
    """
    return _mean_times([c for c in cycles if c.steady and c.kinetics_valid is not KineticsValid.STANCE_ONLY])


def _mean_times(cycles: Sequence[Cycle]) -> dict[str, float]:
    times = {side: [c.duration_s for c in cycles if c.side == side] for side in SIDES}
    return {side: float(np.mean(values)) for side, values in times.items() if values}


@dataclass(frozen=True, eq=False)
class _Times:
    """A trial with its events and stances, looked up by time."""

    trial: Trial
    events: Sequence[Event]
    assignment: Assignment | None

    @cached_property
    def _at_s(self) -> dict[tuple[str, EventKind], list[float]]:
        times_s: dict[tuple[str, EventKind], list[float]] = {}
        for event in self.events:
            if event.timed:
                times_s.setdefault((event.side, event.kind), []).append(event.time_s)
        return {key: sorted(times) for key, times in times_s.items()}

    def first(self, side: str, kind: EventKind, after_s: float, before_s: float) -> float:
        """Time of the first event between two instants; NaN without one whose time is known well enough."""
        times = self._at_s.get((side, kind), [])
        place = bisect_right(times, after_s)
        return times[place] if place < len(times) and times[place] < before_s else float("nan")

    def uncertain(self, side: str, *times_s: float) -> Event | None:
        """The event of a side at one of these instants that cuts angles alone; None without one."""
        return next((event for event in self._untimed if event.side == side and event.time_s in times_s), None)

    @cached_property
    def _untimed(self) -> list[Event]:
        return [event for event in self.events if not event.timed]

    @cached_property
    def _starts(self) -> dict[str, tuple[list[Stance], FloatArray]]:
        stances = self.assignment.stances if self.assignment is not None else ()
        by_side = {side: [stance for stance in stances if stance.side == side] for side in SIDES}
        return {side: (of_side, np.array([stance.start_s for stance in of_side])) for side, of_side in by_side.items()}

    def stance_at(self, side: str, start_s: float) -> Stance | None:
        """The stance that begins at an instant; None without one."""
        stances, starts_s = self._starts[side]
        near = np.flatnonzero(np.abs(starts_s - start_s) < 1e-9)
        return stances[near[0]] if near.size else None

    @cached_property
    def frames_s(self) -> FloatArray:
        """Absolute time of every frame, (n,), seconds."""
        return np.asarray(self.trial.first_time_s + np.arange(self.trial.n_frames) / self.trial.rate_hz)


def _whole_cycle(times: _Times, side: str, number: int, start_s: float, end_s: float) -> Cycle:
    trial, other = times.trial, "R" if side == "L" else "L"
    foot_off = times.first(side, EventKind.FOOT_OFF, start_s, end_s)
    opposite_off = times.first(other, EventKind.FOOT_OFF, start_s, end_s)
    opposite_strike = times.first(other, EventKind.FOOT_STRIKE, start_s, end_s)
    valid, reasons = _kinetics(times, side, start_s, end_s)
    return Cycle(trial.name, side, number, start_s, end_s, foot_off, opposite_off, opposite_strike, valid, True, reasons)


def _kinetics(times: _Times, side: str, start_s: float, end_s: float) -> tuple[KineticsValid, tuple[Sentence, ...]]:
    trial, assignment = times.trial, times.assignment
    if assignment is None or not trial.plates:
        return KineticsValid.FALSE, (Sentence("no-plates"),)
    loose = times.uncertain(side, start_s, end_s)
    if loose is not None:
        values = {"time_s": loose.time_s, "sd_ms": loose.sd_ms, "limit_ms": LARGEST_TIMING_SD_MS}
        return KineticsValid.FALSE, (Sentence("event-uncertain", values),)
    stance = times.stance_at(side, start_s)
    if stance is None:
        return KineticsValid.FALSE, (Sentence("no-stance"),)
    if not stance.verdict.accepted:
        return KineticsValid.FALSE, (stance.reason,)
    # The frame at the very end already belongs to the next stance; in vicon mode frames at a strike may lack their force.
    first = np.searchsorted(times.frames_s, stance.end_s + 1.5 / trial.rate_hz, side="right")
    stop = np.searchsorted(times.frames_s, end_s - 0.5 / trial.rate_hz, side="left")
    if not assignment.contacts[side].known[first:stop].all():
        return KineticsValid.FALSE, (Sentence("touch-in-swing"),)
    return KineticsValid.TRUE, ()


def _stance_only(
    times: _Times, assignment: Assignment, whole: Sequence[Cycle], mean_cycle_s: Mapping[str, float], travel: Travel | None
) -> list[Cycle]:
    """Accepted stances that open no whole cycle."""
    trial, cycles = times.trial, list[Cycle]()
    begun_s = {side: np.array([c.start_s for c in whole if c.side == side]) for side in SIDES}
    numbers = {side: len(begun_s[side]) for side in SIDES}
    for stance in assignment.stances:
        side = stance.side
        opens = bool((np.abs(begun_s[side] - stance.start_s) < 0.5 / trial.rate_hz).any())
        if not stance.verdict.accepted or opens or times.uncertain(side, stance.start_s, stance.end_s):
            continue
        other = "R" if side == "L" else "L"
        length_s = mean_cycle_s.get(side, mean_cycle_s.get(other))
        if length_s is None:
            continue
        numbers[side] += 1
        cycle = Cycle(
            trial.name, side, numbers[side], stance.start_s, stance.start_s + length_s, stance.end_s,
            times.first(other, EventKind.FOOT_OFF, stance.start_s, stance.end_s),
            times.first(other, EventKind.FOOT_STRIKE, stance.start_s, stance.end_s),
            KineticsValid.STANCE_ONLY, True, (Sentence("next-strike-outside"),),
        )  # fmt: skip
        cycles += _flagged([cycle], travel, None)
    return cycles


def _flagged(cycles: Sequence[Cycle], travel: Travel | None, landmarks: Landmarks | None) -> tuple[Cycle, ...]:
    """Mark cycles that must stay out of means, with the reason."""
    if travel is not None and not travel.kind.steady:
        return tuple(_unsteady(cycle, travel.reason) for cycle in cycles)
    if not cycles:
        return ()
    typical_s, velocities, speeds, typical_m_s = float(np.median([c.duration_s for c in cycles])), [], [], float("nan")
    if landmarks is not None and travel is not None:
        velocities = [_velocity(landmarks, cycle) - travel.belt_lab_m_s for cycle in cycles]
        speeds = [float(np.linalg.norm(velocity)) for velocity in velocities]
        typical_m_s = float(over_seen(np.nanmedian, speeds))
    flagged = []
    for index, cycle in enumerate(cycles):
        reason = None
        if len(cycles) > 2 and abs(cycle.duration_s / typical_s - 1.0) > LARGEST_DEVIATION:
            reason = Sentence("other-duration", {"duration_s": cycle.duration_s, "typical_s": typical_s})
        elif travel is not None and velocities:
            reason = _other_way(velocities[index], speeds[index], typical_m_s, travel)
        flagged.append(cycle if reason is None else _unsteady(cycle, reason))
    return tuple(flagged)


def _other_way(velocity_m_s: FloatArray, speed_m_s: float, typical_m_s: float, travel: Travel) -> Sentence | None:
    """Why a cycle of another speed or direction than the trial's stays out of means; None of one that is like the others."""
    if abs(speed_m_s / typical_m_s - 1.0) > LARGEST_DEVIATION:
        return Sentence("other-speed", {"speed_m_s": speed_m_s, "typical_m_s": typical_m_s})
    heading = velocity_m_s @ travel.direction_lab / max(speed_m_s, 1e-9)
    if heading < np.cos(LARGEST_CYCLE_TURN_RAD):
        return Sentence("other-direction", {"off_deg": float(np.rad2deg(np.arccos(np.clip(heading, -1, 1))))})
    return None


def _unsteady(cycle: Cycle, reason: Sentence) -> Cycle:
    return replace(cycle, steady=False, reasons=(*cycle.reasons, reason))


def _velocity(landmarks: Landmarks, cycle: Cycle) -> FloatArray:
    """Mean horizontal velocity (2,) of the pelvis over a cycle, m/s, laboratory axes; NaN where it is not seen."""
    frames = np.clip(np.round((np.array([cycle.start_s, cycle.end_s]) - landmarks.first_time_s) * landmarks.rate_hz), 0, None)
    first, last = (min(int(f), landmarks.n_frames - 1) for f in frames)
    velocity: FloatArray = (
        (landmarks.pelvis_lab_m[last, :2] - landmarks.pelvis_lab_m[first, :2]) * landmarks.rate_hz / max(last - first, 1)
    )
    return velocity
