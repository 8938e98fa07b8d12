"""Body mass from periodic steps: what the floor carried while plates saw all of it.

From one foot's off to the other's lies one whole step. Over it the floor's upward impulse is m (g T + dv), with what the body's
vertical speed changed by, which the pelvis shows; in steady gait it is next to nothing. Where nobody knows when the foot before
left the floor, two stances one after the other, a left and a right one, carry the body for one stride time T: m g T.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.errors import BiomechError
from biomech_id.feet.feet import find_feet
from biomech_id.feet.landmarks import path_velocity
from biomech_id.feet.stance_intervals import frames_within
from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.events import search_events
from biomech_id.gait.standing_mass import LEAST_MASS_KG
from biomech_id.movement.stance import Assignment, Stance, Verdict
from biomech_id.trial import Event, EventKind, Trial

#: How long steps and strides of walking and running take (s).
STEP_S, STRIDE_S = (0.2, 1.2), (0.4, 2.2)
#: The pelvis' vertical speed changes over a step by this (m/s) at most: on stairs and in jumps no step is periodic.
STEADY_M_S = 0.35
#: A foot that is off within this of a window's end carries nothing worth counting there (s).
OFF_EDGE_S = 0.04
#: Strides are periodic when their times, and the impulses of the two feet, differ by these shares at most.
SAME_TIME, SAME_IMPULSE = 0.06, 0.12
#: Masses of several steps that differ from their median by more do not tell the mass.
SPREAD_SHARE = 0.05


def step_mass_kg(trials: Sequence[Trial]) -> tuple[float, str] | None:
    """Return body mass in kg and the trial with most of the steps that tell it, or None where none does.

    Parameters
    ----------
    trials : Sequence[Trial]
        Recordings with plates that hold the reaction on the subject, laboratory axes with Z up; feet by their markers' roles.
    """
    told = {trial.name: told for trial in trials if trial.plates and (told := _told_by(trial))}
    for masses in ({name: one[i] for name, one in told.items()} for i in range(2)):
        everything = np.array([mass for of_trial in masses.values() for mass in of_trial])
        if len(everything):
            middle = float(np.median(everything))
            near = np.abs(everything / middle - 1.0) <= SPREAD_SHARE
            return (middle, max(masses, key=lambda name: len(masses[name]))) if near.mean() >= 0.75 else None
    return None


def _told_by(trial: Trial) -> tuple[list[float], list[float]]:
    """Masses by steps from off to off, and by pairs of stances."""
    try:
        feet = find_feet(trial)
        events = search_events(trial, feet=feet).events
        assignment = assign_plates(trial, events=events, feet=feet)
    except BiomechError:  # no feet are seen, or none of them steps: nothing to learn here
        return [], []
    up_N = np.sum([np.nan_to_num(contact.force_lab_N[:, 2]) for contact in assignment.contacts.values()], axis=0)
    rise_m_s = path_velocity(feet.landmarks.pelvis_lab_m, trial.rate_hz)[:, 2]
    steps = list(_from_off_to_off(events, assignment, feet.landmarks.time_s, up_N, rise_m_s))
    return steps, list(_by_pairs(events, assignment, feet.landmarks.time_s, trial.rate_hz))


def _from_off_to_off(
    events: Sequence[Event], assignment: Assignment, time_s: FloatArray, up_N: FloatArray, rise_m_s: FloatArray
) -> Iterator[float]:
    offs = sorted((event for event in events if event.kind is EventKind.FOOT_OFF), key=lambda event: event.time_s)
    for first, last in pairwise(offs):
        length_s = last.time_s - first.time_s
        at = np.flatnonzero(frames_within(time_s, first.time_s, last.time_s))
        if first.side == last.side or not STEP_S[0] < length_s < STEP_S[1] or len(at) < 5:
            continue
        inside = (first.time_s + OFF_EDGE_S, last.time_s - OFF_EDGE_S)
        bearing = [stance for stance in assignment.stances if _overlaps(stance, *inside)]
        change_m_s = float(rise_m_s[at[-1]] - rise_m_s[at[0]])
        seen = all(_seen(stance, assignment, frames_within(time_s, *inside)) for stance in bearing)
        if seen and abs(change_m_s) < STEADY_M_S:
            mass_kg = float(up_N[at].mean()) / (GRAVITY_M_S2 + change_m_s / length_s)
            yield from [mass_kg] * (mass_kg > LEAST_MASS_KG)


def _overlaps(stance: Stance, start_s: float, end_s: float) -> bool:
    """Whether a stance lies on any of a window; one whose strike or off nobody knows reaches to the trial's end."""
    return not (stance.end_s <= start_s or stance.start_s >= end_s)


def _seen(stance: Stance, assignment: Assignment, window: BoolArray) -> bool:
    """Whether plates tell all that a foot carried in some frames: in a whole stance, or where the wrench of a part is certain."""
    if stance.verdict is Verdict.PART:
        return bool(assignment.contacts[stance.side].known[window].all())
    return stance.verdict is Verdict.CLEAN


def _by_pairs(events: Sequence[Event], assignment: Assignment, time_s: FloatArray, rate_hz: float) -> Iterator[float]:
    whole = sorted((s for s in assignment.stances if s.verdict is Verdict.CLEAN), key=lambda stance: stance.start_s)
    for pair in pairwise(whole):
        strides_s = [length for stance in pair for length in _strides_s(events, stance)]
        if pair[0].side == pair[1].side or pair[1].start_s - pair[0].start_s > STEP_S[1] or not strides_s:
            continue
        forces = [(assignment.contacts[s.side].force_lab_N[:, 2], frames_within(time_s, s.start_s, s.end_s)) for s in pair]
        impulses_Ns = [float(np.nansum(force[inside])) / rate_hz for force, inside in forces]
        mean_s, mean_Ns = float(np.mean(strides_s)), float(np.mean(impulses_Ns))
        if np.ptp(strides_s) <= SAME_TIME * mean_s and np.ptp(impulses_Ns) <= SAME_IMPULSE * mean_Ns:
            mass_kg = 2.0 * mean_Ns / (GRAVITY_M_S2 * mean_s)
            yield from [mass_kg] * (mass_kg > LEAST_MASS_KG)


def _strides_s(events: Sequence[Event], stance: Stance) -> Iterator[float]:
    """Times from a stance's strike and off to the same foot's next and last ones."""
    for kind, time_s in ((EventKind.FOOT_STRIKE, stance.start_s), (EventKind.FOOT_OFF, stance.end_s)):
        times = np.array([event.time_s for event in events if event.side == stance.side and event.kind is kind])
        apart = np.abs(times - time_s)
        nearest = apart[(apart > STRIDE_S[0]) & (apart < STRIDE_S[1])]
        yield from map(float, nearest[nearest < 1.5 * nearest.min()] if len(nearest) else ())
