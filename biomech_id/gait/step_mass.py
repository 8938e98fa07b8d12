"""Body mass from walking over force plates: the momentum of one step.

Over any window [a, b] in which plates see every load, m = mean F_z / (g + (v(b) - v(a))/(b - a)), v the vertical speed of the
centre of mass. The middle of the two anterior iliac spines stands in for it: the error is m times the change of their relative
speed over g T, which is zero over a whole step. So the window is a step, and some 30 ms more or less at an end hardly matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import GRAVITY_M_S2, SIDES
from biomech_id.errors import BiomechError
from biomech_id.feet.contacts import plate_at_rest
from biomech_id.feet.feet import find_feet
from biomech_id.feet.landmarks import bridge
from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.events import search_events
from biomech_id.gait.standing_mass import LEAST_MASS_KG
from biomech_id.models.landmarks import with_roles
from biomech_id.movement.stance import Assignment, Stance, Verdict
from biomech_id.signal.filters import lowpass
from biomech_id.trial import Event, EventKind, ForcePlate, Markers, Trial
from biomech_id.values import dataclass, replace

#: Cut-off of the body's height, Hz: where a Butterworth filter of order 2 at 6 Hz, run both ways, lets 0.707 pass.
BODY_CUTOFF_HZ = 4.81
#: Markers above this share of the highest one's height are the highest ones.
HIGH_SHARE = 0.85
#: Whole strides on a belt weigh the body only over this long (s): one second of a run is 5 % off.
LEAST_STRIDES_S = 10.0
#: The body's vertical speed changes over a step by this (m/s) at most; 0.12 is the most seen in walking.
MOST_CHANGE_M_S = 0.35
#: Masses of a session's steps that lie further apart than this share tell no mass.
MOST_APART_SHARE = 0.05
#: Stance times of the two feet that differ by more than this share are an asymmetric gait's: one foot's steps tell no mass.
ASYMMETRIC_SHARE = 0.06


class StepWindow(StrEnum):
    """Where a step begins and ends; the first three have the foot before on a plate too, the last is a belt's."""

    OFF = "off"
    STRIKE = "strike"
    MID = "mid"
    TWO_PLATES = "two plates"
    STRIDES = "strides"


@dataclass(frozen=True)
class StepMass:
    """What one step weighs.

    Attributes
    ----------
    mass_kg : float
        By the momentum equation.
    window : StepWindow
        Where it begins and ends.
    side : str
        "L" or "R": the foot that bears the body alone within it; "" of whole strides.
    start_s : float
        Beginning of the window, absolute seconds.
    end_s : float
        Its end, absolute seconds.
    change_m_s : float
        By how much the body's vertical speed grows over it.
    """

    mass_kg: float
    window: StepWindow
    side: str
    start_s: float
    end_s: float
    change_m_s: float


@dataclass(frozen=True)
class SessionMass:
    """What the steps of a session weigh.

    Attributes
    ----------
    mass_kg : float
        Median of its estimates.
    estimates : int
        How many: a step whose foot before stands on a plate too gives three.
    trial : str
        The trial with most of them.
    """

    mass_kg: float
    estimates: int
    trial: str


def step_masses(
    plates: Sequence[ForcePlate], assignment: Assignment, events: Sequence[Event], markers: Markers
) -> tuple[StepMass, ...]:
    """Weigh every step of a trial that plates see whole.

    Parameters
    ----------
    plates : Sequence[ForcePlate]
        As recorded: the reaction on the subject, laboratory axes with Z up.
    assignment : Assignment
        Stances with their verdicts.
    events : Sequence[Event]
        For the off of a foot that no plate sees.
    markers : Markers
        With their roles: the two anterior iliac spines, else the two posterior ones, else the sacrum.

    Returns
    -------
    tuple[StepMass, ...]
        In order of time, one or more windows of each step.
    """
    if not markers.rate_hz > 2 * BODY_CUTOFF_HZ:
        return ()
    height_m = lowpass(_body_m(with_roles(markers))[:, 2:], markers.rate_hz, BODY_CUTOFF_HZ)[:, 0]
    rise_m_s = np.gradient(height_m) * markers.rate_hz
    by_name = {plate.name: (plate, plate.time_s, plate_at_rest(plate).offset_N) for plate in plates}
    time_s, weighed = markers.time_s, []
    for window, side, start_s, end_s, loaded in _windows(assignment, events):
        change_m_s = float(np.diff(np.interp([start_s, end_s], time_s, rise_m_s))[0])
        up_N = _mean_up_N([by_name[name] for name in dict.fromkeys(n for s in loaded for n in s.plates)], start_s, end_s)
        mass_kg = up_N / (GRAVITY_M_S2 + change_m_s / (end_s - start_s))
        if abs(change_m_s) <= MOST_CHANGE_M_S and mass_kg > LEAST_MASS_KG:
            weighed.append(StepMass(mass_kg, window, side, start_s, end_s, change_m_s))
    return tuple(weighed)


def session_mass(
    steps: Mapping[str, Sequence[StepMass]], stance_times_s: Mapping[str, float], *, aided: bool = False
) -> SessionMass | None:
    """Return what a session's steps weigh together, or None where they do not tell.

    Parameters
    ----------
    steps : Mapping[str, Sequence[StepMass]]
        Trial -> what its steps weigh.
    stance_times_s : Mapping[str, float]
        Side -> mean time of its stances, s: where they differ, steps of one side alone tell nothing.
    aided : bool, optional
        Whether an aid, a rail or a hand may bear a part of the body.

    Returns
    -------
    SessionMass | None
        Median of all steps, kg, their number, and the trial with most of them; None where they do not agree.
    """
    every = [step for of_trial in steps.values() for step in of_trial]
    if aided or not every:
        return None
    masses_kg = np.array([step.mass_kg for step in every])
    middle_kg = float(np.median(masses_kg))
    one_sided = {step.side for step in every} in ({"L"}, {"R"})
    if np.ptp(masses_kg) > MOST_APART_SHARE * middle_kg or (one_sided and _asymmetric(stance_times_s)):
        return None
    return SessionMass(middle_kg, len(every), max(steps, key=lambda trial: len(steps[trial])))


def step_mass_kg(trials: Sequence[Trial], *, aided: bool = False) -> tuple[float, str] | None:
    """Return body mass in kg and the trial with most of the steps that tell it, or None where none does.

    Parameters
    ----------
    trials : Sequence[Trial]
        Recordings with plates that hold the reaction on the subject, laboratory axes with Z up; feet by their markers' roles.
    aided : bool, optional
        Whether an aid, a rail or a hand may bear a part of the body.

    Returns
    -------
    tuple[float, str] | None
        Kilograms, and name of the trial.
    """
    steps: dict[str, tuple[StepMass, ...]] = {}
    stances: list[Stance] = []
    for trial in trials:
        if not trial.plates:
            continue
        try:
            feet = find_feet(trial)
            events = search_events(trial, feet=feet).events
            assignment = assign_plates(trial, events=events, feet=feet)
        except BiomechError:  # no feet are seen, or none of them steps: nothing to learn here
            continue
        stances += assignment.stances
        steps[trial.name] = step_masses(trial.plates, assignment, events, trial.markers)
    mass = session_mass(steps, mean_stance_times_s(stances), aided=aided)
    return None if mass is None else (mass.mass_kg, mass.trial)


def mean_stance_times_s(stances: Sequence[Stance]) -> dict[str, float]:
    """Return the mean time of each side's stances whose strike and off are known, s.

    Parameters
    ----------
    stances : Sequence[Stance]
        Stances of one condition, of both sides and all its trials.

    Returns
    -------
    dict[str, float]
        Side -> seconds; a side without such a stance is left out.
    """
    lengths = {
        side: [s.end_s - s.start_s for s in stances if s.side == side and np.isfinite(s.end_s - s.start_s)] for side in SIDES
    }
    return {side: float(np.mean(of_side)) for side, of_side in lengths.items() if of_side}


def _body_m(markers: Markers) -> FloatArray:
    """Path (n, 3) of what stands in for the centre of mass, laboratory axes, metres, bridged where hidden.

    The middle of the two anterior iliac spines, else of the posterior ones, else the sacrum. Of a body without these the highest
    markers, those of pelvis or trunk: what they gain on the centre of mass within a step they lose again.
    """
    for role in ("asis", "psis"):
        if all(markers.shows(side, role) for side in SIDES):
            return np.asarray(0.5 * sum(bridge(markers.on(side, role), markers.rate_hz) for side in SIDES))
    if markers.shows("", "sacrum"):
        return bridge(markers.on("", "sacrum"), markers.rate_hz)
    heights_m = over_seen(np.nanmean, markers.position_m[:, :, 2], axis=0)
    high = np.flatnonzero(heights_m > HIGH_SHARE * np.nanmax(heights_m))
    return np.asarray(np.mean([bridge(markers.position_m[:, i], markers.rate_hz) for i in high], axis=0))


def _follows(one: Stance, other: Stance) -> bool:
    """Whether the other foot lands while the one still stands."""
    return other.side != one.side and one.start_s < other.start_s < one.end_s < np.inf and one.end_s <= other.end_s


def _whole(stance: Stance) -> bool:
    """Whether plates see all that a foot carries, of a stance that the trial cuts as far as it goes."""
    return stance.verdict in (Verdict.CLEAN, Verdict.TWO_PLATES, Verdict.PART)


#: Window, side, start and end in seconds, and the stances that load plates in it.
_Window = tuple[StepWindow, str, float, float, tuple[Stance, ...]]


def _windows(assignment: Assignment, events: Sequence[Event]) -> Iterator[_Window]:
    """Every window of a trial in which plates see all loads; a stance that the trial cuts reaches beyond its ends."""
    reaching = (
        replace(s, start_s=float(np.nan_to_num(s.start_s, nan=-np.inf)), end_s=float(np.nan_to_num(s.end_s, nan=np.inf)))
        for s in assignment.stances
    )
    stances = sorted(reaching, key=lambda s: s.start_s)
    if len(stances) > 2 and len({stance.plates for stance in stances}) == 1 and all(map(_whole, stances)):
        starts_s = [stance.start_s for stance in stances[1:] if stance.side == stances[1].side]
        if starts_s[-1] - starts_s[0] >= LEAST_STRIDES_S:
            yield StepWindow.STRIDES, "", starts_s[0], starts_s[-1], (stances[0],)
        return
    offs_s = {side: [e.time_s for e in events if e.side == side and e.kind is EventKind.FOOT_OFF] for side in SIDES}
    for number, (bearing, following) in enumerate(pairwise(stances)):
        if _follows(bearing, following) and _whole(bearing):
            earlier = reversed(stances[:number])
            before = next((s for s in earlier if s.side == following.side and _follows(s, bearing)), None)
            yield from _of_step(before, bearing, following, offs_s[following.side])


def _of_step(before: Stance | None, bearing: Stance, following: Stance, offs_s: Sequence[float]) -> Iterator[_Window]:
    side = bearing.side
    seen = before is not None and bool(before.plates)
    off_s = next((time_s for time_s in offs_s if bearing.start_s <= time_s < following.start_s), None)
    if off_s is not None and _whole(following):
        yield StepWindow.OFF if seen else StepWindow.TWO_PLATES, side, off_s, bearing.end_s, (bearing, following)
    if before is not None and _whole(before):
        if following.plates:
            yield StepWindow.STRIKE, side, bearing.start_s, following.start_s, (before, bearing)
        if _whole(following):
            middles_s = 0.5 * (bearing.start_s + before.end_s), 0.5 * (following.start_s + bearing.end_s)
            yield StepWindow.MID, side, *middles_s, (before, bearing, following)


def _mean_up_N(plates: Sequence[tuple[ForcePlate, FloatArray, float]], start_s: float, end_s: float) -> float:
    """Mean vertical force of some plates together between two times, over what each reads at rest, N.

    Each with the times of its samples, s, and what it reads at rest, N: of a long recording these are looked at once.
    """
    total_N = 0.0
    for plate, time_s, rest_N in plates:
        inside = slice(*np.searchsorted(time_s, (start_s, end_s)))
        total_N += float(plate.force_lab_N[inside, 2].copy().mean()) - rest_N
    return total_N


def _asymmetric(stance_times_s: Mapping[str, float]) -> bool:
    times_s = list(stance_times_s.values())
    return len(times_s) == 2 and abs(times_s[0] - times_s[1]) > ASYMMETRIC_SHARE * float(np.mean(times_s))
