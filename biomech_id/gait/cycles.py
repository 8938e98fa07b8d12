"""Cutting a trial into gait cycles: from each foot strike to the next of the same side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import SIDES
from biomech_id.gait.cycle import Cycle, KineticsValid
from biomech_id.gait.landmarks import Landmarks
from biomech_id.gait.stance import Assignment, Stance
from biomech_id.gait.travel import Travel
from biomech_id.sentences import Sentence
from biomech_id.trial import Event, EventKind, Trial

#: A stride shorter or longer than this is not one stride:
#: an event is missing or invented.
STRIDE_LIMITS_S = (0.25, 4.0)
#: A cycle whose duration or speed differs from the trial's median by more than this share is flagged:
#: a start, a stop, a stumble.
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
        How the subject moved (`gait.travel.describe_travel`); cycles of turns, runs and unsteady trials are flagged.
    landmarks : Landmarks | None, optional
        Pelvis and feet, to flag cycles of another speed or direction than the trial's.
    mean_cycle_s : Mapping[str, float] | None, optional
        Mean cycle time per side, for ``stance_only`` cycles; default is this trial's, the other side's if need be.
    """
    cycles: list[Cycle] = []
    for side in SIDES:
        strikes = [e.time_s for e in events if e.side == side and e.kind is EventKind.FOOT_STRIKE]
        for start_s, end_s in pairwise(strikes):
            if STRIDE_LIMITS_S[0] <= end_s - start_s <= STRIDE_LIMITS_S[1]:
                number = sum(c.side == side for c in cycles) + 1
                cycles.append(_whole_cycle(trial, events, assignment, side, number, start_s=start_s, end_s=end_s))
    means = dict(_mean_times(cycles)) | dict(mean_cycle_s or {})
    whole = tuple(_flagged(cycle, cycles, travel, landmarks) for cycle in cycles)
    extra = tuple(_stance_only(trial, events, assignment, whole, means, travel)) if assignment is not None else ()
    return tuple(sorted((*whole, *extra), key=lambda c: (c.side, c.start_s)))


def mean_cycle_times(cycles: Sequence[Cycle]) -> dict[str, float]:
    """Mean duration of the whole steady cycles of each side, seconds, over any number of trials of one condition.

    Parameters
    ----------
    cycles : Sequence[Cycle]
        Of one condition.
    """
    return _mean_times([c for c in cycles if c.steady and c.kinetics_valid is not KineticsValid.STANCE_ONLY])


def _mean_times(cycles: Sequence[Cycle]) -> dict[str, float]:
    times = {side: [c.duration_s for c in cycles if c.side == side] for side in SIDES}
    return {side: float(np.mean(values)) for side, values in times.items() if values}


def _whole_cycle(
    trial: Trial, events: Sequence[Event], assignment: Assignment | None, side: str, number: int, *, start_s: float, end_s: float
) -> Cycle:
    other = "R" if side == "L" else "L"
    foot_off = _first(events, side, EventKind.FOOT_OFF, start_s, end_s)
    opposite_off = _first(events, other, EventKind.FOOT_OFF, start_s, end_s)
    opposite_strike = _first(events, other, EventKind.FOOT_STRIKE, start_s, end_s)
    valid, reasons = _kinetics(trial, assignment, side, start_s, end_s)
    return Cycle(trial.name, side, number, start_s, end_s, foot_off, opposite_off, opposite_strike, valid, True, reasons)


def _kinetics(
    trial: Trial, assignment: Assignment | None, side: str, start_s: float, end_s: float
) -> tuple[KineticsValid, tuple[Sentence, ...]]:
    if assignment is None or not trial.plates:
        return KineticsValid.FALSE, (Sentence("no-plates"),)
    stance = _stance_at(assignment, side, start_s)
    if stance is None:
        return KineticsValid.FALSE, (Sentence("no-stance"),)
    if not stance.verdict.accepted:
        return KineticsValid.FALSE, (stance.reason,)
    time_s = trial.first_time_s + np.arange(trial.n_frames) / trial.rate_hz
    known = assignment.contacts[side].known
    # The frame at the very end already belongs to the next stance; in vicon mode frames at a strike may lack their force.
    swing = (time_s > stance.end_s + 1.5 / trial.rate_hz) & (time_s < end_s - 0.5 / trial.rate_hz)
    if not known[swing].all():
        return KineticsValid.FALSE, (Sentence("touch-in-swing"),)
    return KineticsValid.TRUE, ()


def _stance_only(
    trial: Trial,
    events: Sequence[Event],
    assignment: Assignment,
    whole: Sequence[Cycle],
    mean_cycle_s: Mapping[str, float],
    travel: Travel | None,
) -> list[Cycle]:
    """Accepted stances that open no whole cycle."""
    cycles: list[Cycle] = []
    for stance in assignment.stances:
        side = stance.side
        opens = any(c.side == side and abs(c.start_s - stance.start_s) < 0.5 / trial.rate_hz for c in whole)
        if not stance.verdict.accepted or opens:
            continue
        other = "R" if side == "L" else "L"
        length_s = mean_cycle_s.get(side, mean_cycle_s.get(other))
        if length_s is None:
            continue
        number = sum(c.side == side for c in (*whole, *cycles)) + 1
        cycle = Cycle(
            trial.name, side, number, stance.start_s, stance.start_s + length_s, stance.end_s,
            _first(events, other, EventKind.FOOT_OFF, stance.start_s, stance.end_s),
            _first(events, other, EventKind.FOOT_STRIKE, stance.start_s, stance.end_s),
            KineticsValid.STANCE_ONLY, True, (Sentence("next-strike-outside"),),
        )  # fmt: skip
        cycles.append(_flagged(cycle, [cycle], travel, None))
    return cycles


def _flagged(cycle: Cycle, cycles: Sequence[Cycle], travel: Travel | None, landmarks: Landmarks | None) -> Cycle:
    """Mark a cycle that must stay out of means, with the reason."""
    if travel is not None and not travel.kind.steady:
        return _unsteady(cycle, travel.reason)
    typical = float(np.median([c.duration_s for c in cycles]))
    if len(cycles) > 2 and abs(cycle.duration_s / typical - 1.0) > LARGEST_DEVIATION:
        return _unsteady(cycle, Sentence("other-duration", {"duration_s": cycle.duration_s, "typical_s": typical}))
    if landmarks is None or travel is None:
        return cycle
    belt = travel.belt_lab_m_s
    velocities = {c: _velocity(landmarks, c) - belt for c in cycles}
    speeds = {c: float(np.linalg.norm(v)) for c, v in velocities.items()}
    typical = float(over_seen(np.nanmedian, list(speeds.values())))
    if abs(speeds[cycle] / typical - 1.0) > LARGEST_DEVIATION:
        return _unsteady(cycle, Sentence("other-speed", {"speed_m_s": speeds[cycle], "typical_m_s": typical}))
    heading = velocities[cycle] @ travel.direction_lab / max(speeds[cycle], 1e-9)
    if heading < np.cos(LARGEST_CYCLE_TURN_RAD):
        off_deg = float(np.rad2deg(np.arccos(np.clip(heading, -1, 1))))
        return _unsteady(cycle, Sentence("other-direction", {"off_deg": off_deg}))
    return cycle


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


def _stance_at(assignment: Assignment, side: str, start_s: float) -> Stance | None:
    near = [s for s in assignment.stances if s.side == side and abs(s.start_s - start_s) < 1e-9]
    return near[0] if near else None


def _first(events: Sequence[Event], side: str, kind: EventKind, after_s: float, before_s: float) -> float:
    times = [e.time_s for e in events if e.side == side and e.kind is kind and after_s < e.time_s < before_s]
    return min(times, default=float("nan"))
