"""The floor's force on a foot beside the body that stands on it: directions, impulses and weight, stance by stance.

Everything is seen from the middle between the hips, which every marker set shows. It is not the centre of mass: fore and aft it
goes along with it, sideways it sways farther.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.conventions import GRAVITY_M_S2, SIDE_SIGN, SIDES
from biomech_id.dynamics.body import FootContact
from biomech_id.gait.ground import centre_of_pressure, floor_of, pressure_threshold_N
from biomech_id.movement.stance import Stance
from biomech_id.session.solved import Solved
from biomech_id.signal.filters import lowpass
from biomech_id.trial import EventKind
from biomech_id.values import dataclass

#: Frames in which a foot carries at least this share of the weight are looked at, and so many of them at least.
LEAST_SHARE, FEWEST_FRAMES = 0.3, 8
#: What the hips do is looked at below this (Hz).
HIPS_CUTOFF_HZ = 6.0
#: One foot alone for less than this (s) says nothing of weight or impulse.
LEAST_ALONE_S = 0.15
#: A swing whose beginning the recording does not hold is taken to have begun no longer before its end (s), and the other way.
LONGEST_CUT_SWING_S = 0.4


@dataclass(frozen=True, eq=False)
class StanceForce:
    """Directions of the body and of the force as one foot sees them, horizontal over vertical, in axes of its own progression.

    Attributes
    ----------
    stance : Stance
        The stance whose frames these are.
    body : FloatArray
        (n, 2), forward and to the left, from the centre of pressure to the hips.
    force : FloatArray
        (n, 2), the same of the floor's force.
    free_moment_Nm_kg : FloatArray
        (n,), about the vertical, N m per kg of body mass; positive as a left foot turns on its toes outwards, for both feet.
    pressure_speed_m_s : float
        Of the centre of pressure, the largest.
    pressure_forward_m : float
        How far the centre of pressure goes forward from the first of these frames to the last.
    """

    stance: Stance
    body: FloatArray
    force: FloatArray
    free_moment_Nm_kg: FloatArray
    pressure_speed_m_s: float
    pressure_forward_m: float

    @property
    def whole(self) -> bool:
        """Whether the recording holds the stance from strike to off."""
        return bool(np.isfinite([self.stance.start_s, self.stance.end_s]).all())

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

    @property
    def free_moment_falls(self) -> float:
        """Mean free moment of the first half less that of the second, N m per kg."""
        half = len(self.free_moment_Nm_kg) // 2
        return float(self.free_moment_Nm_kg[:half].mean() - self.free_moment_Nm_kg[half:].mean())


def force_directions(result: Solved) -> Iterator[StanceForce]:
    """Yield how force and body lie in each accepted stance of a trial.

    Parameters
    ----------
    result : Solved
        The trial as solved, with plates and stances.
    """
    for stance, contact in known_contacts(result):
        at = during(stance, result.motion.time_s)
        seen = _as_seen(result, stance, contact.force_lab_N[at], contact.moment_lab_Nm[at], contact.known[at])
        if seen is not None:
            yield seen


def plate_directions(result: Solved, stance: Stance) -> StanceForce | None:
    """Return how body and whole force of a plate lie in a stance without kinetics; None with too little of either.

    Parameters
    ----------
    result : Solved
        The trial as solved, with plates and stances.
    stance : Stance
        A stance that is on one plate.
    """
    plate = next(plate for plate in result.plates if plate.name == stance.plates[0])
    at = during(stance, result.motion.time_s)
    rows = np.round((result.motion.time_s[at] - plate.first_time_s) * plate.rate_hz).astype(int)
    inside = (rows >= 0) & (rows < plate.n_samples)
    rows = np.clip(rows, 0, plate.n_samples - 1)
    moment = plate.moment_lab_Nm[rows] + np.cross(plate.centre_m, plate.force_lab_N[rows])
    return _as_seen(result, stance, plate.force_lab_N[rows], moment, inside)


def _as_seen(result: Solved, stance: Stance, force: FloatArray, moment: FloatArray, known: BoolArray) -> StanceForce | None:
    """How body and force lie in a stance; force (k, 3), N, moment (k, 3), N m, and where they are known (k,), of its frames."""
    frames = during(stance, result.motion.time_s)
    hips = middle_of_hips(result, frames)
    if hips is None or result.mass_kg is None:
        return None
    floor, least_N = floor_of(result.surfaces_m, stance.side), pressure_threshold_N(result.mass_kg)
    floor = floor[frames] if isinstance(floor, np.ndarray) else floor
    time_s = result.motion.time_s[frames]
    cop, free = centre_of_pressure(force, moment, least_force_N=least_N, floor_m=floor)
    firm = force[:, 2] > LEAST_SHARE * result.mass_kg * GRAVITY_M_S2
    rows = np.flatnonzero(firm & known & np.isfinite(hips).all(axis=1))
    if len(rows) < FEWEST_FRAMES:
        return None
    axes = hips_progression(result, hips[rows])
    body, pointing = (vector[:, :2] @ axes.T / vector[:, 2:] for vector in ((hips - cop)[rows], force[rows]))
    speed = np.linalg.norm(np.diff(cop[rows], axis=0), axis=1) / np.diff(time_s[rows])
    turning = SIDE_SIGN[stance.side] * free[rows] / result.mass_kg
    forward_m = float(axes[0] @ (cop[rows[-1]] - cop[rows[0]])[:2])
    return StanceForce(stance, body, pointing, turning, float(speed[1:-1].max()), forward_m)


def known_contacts(result: Solved) -> Iterator[tuple[Stance, FootContact]]:
    """Yield every stance that has kinetics, be it in part, with the force on its foot.

    Parameters
    ----------
    result : Solved
        The trial as solved, with plates and stances.
    """
    for stance in result.assignment.stances if result.assignment else ():
        contact = result.shown_contacts.get(stance.side)
        if contact is not None and stance.verdict.solved:
            yield stance, contact


def middle_of_hips(result: Solved, frames: slice = slice(None)) -> FloatArray | None:
    """Return the middle between the hip centres (n, 3), laboratory axes, metres; None where one is not tracked.

    Parameters
    ----------
    result : Solved
        The trial as tracked, with or without loads.
    frames : slice, optional
        Those that are asked for, all unless given.
    """
    centres = result.motion.joint_centres_lab_m
    if not all((side, "hip") in centres for side in SIDES):
        return None
    return np.asarray(0.5 * (centres["L", "hip"][frames] + centres["R", "hip"][frames]))


def during(stance: Stance, time_s: FloatArray) -> slice:
    """Return where the frames of a stance lie; without a strike, or an off, it reaches to the recording's end.

    Parameters
    ----------
    stance : Stance
        A stance of either foot.
    time_s : FloatArray
        (n,), absolute seconds of the frames.
    """
    first = 0 if np.isnan(stance.start_s) else int(np.searchsorted(time_s, stance.start_s))
    stop = len(time_s) if np.isnan(stance.end_s) else int(np.searchsorted(time_s, stance.end_s))
    return slice(first, max(first, stop))


def hips_progression(result: Solved, path_m: FloatArray) -> FloatArray:
    """Return rows forward and to the left (2, 2), laboratory components: where the hips go, or on a belt where the trial does.

    Parameters
    ----------
    result : Solved
        The trial as tracked, with or without loads.
    path_m : FloatArray
        (n, 3), the hips' way, laboratory axes, metres.
    """
    way = (path_m[-1] - path_m[0])[:2]
    if result.belts or np.linalg.norm(way) < 0.1:
        way = result.motion.progression_R_lab[0, :2]
    forward = way / np.linalg.norm(way)
    return np.array([forward, [-forward[1], forward[0]]])


def alone(result: Solved, side: str) -> BoolArray:
    """Return the frames (n,) in which the other foot than this one swings.

    Parameters
    ----------
    result : Solved
        The trial with its events.
    side : str
        Of the foot that stands: "L" or "R".

    Notes
    -----
    A swing lies between an off and the next strike; of one that the recording cuts, what is near the event that it holds.
    """
    time_s = result.motion.time_s
    other = sorted((event.time_s, event.kind) for event in result.events if event.side != side)
    swings = [(off, strike) for (off, a), (strike, b) in pairwise(other) if (a, b) == (EventKind.FOOT_OFF, EventKind.FOOT_STRIKE)]
    if other and other[0][1] is EventKind.FOOT_STRIKE:
        swings.append((other[0][0] - LONGEST_CUT_SWING_S, other[0][0]))
    if other and other[-1][1] is EventKind.FOOT_OFF:
        swings.append((other[-1][0], other[-1][0] + LONGEST_CUT_SWING_S))
    swinging = np.zeros(len(time_s), dtype=bool)
    for off_s, strike_s in swings:
        first, stop = np.searchsorted(time_s, (off_s, strike_s))
        swinging[first:stop] = True
    return swinging


def weight_excess(result: Solved) -> Iterator[tuple[Stance, float, bool]]:
    """Yield each accepted stance, the mean force beyond weight and the hips' rise, % of body weight, and whether one foot bears it.

    Parameters
    ----------
    result : Solved
        The trial as solved, with plates and stances.

    Notes
    -----
    It is looked at while that foot is alone; in a stance that the recording cuts and that is hardly ever alone, both feet count.
    """
    hips, rate_hz = middle_of_hips(result), result.motion.rate_hz
    if hips is None or result.mass_kg is None or rate_hz <= 2 * HIPS_CUTOFF_HZ:
        return
    up = lowpass(np.gradient(np.gradient(hips[:, 2])) * rate_hz**2, rate_hz, HIPS_CUTOFF_HZ)
    contacts, fewest = result.shown_contacts, max(FEWEST_FRAMES, LEAST_ALONE_S * rate_hz)
    by_itself = {side: alone(result, side) for side in contacts}
    for stance, contact in known_contacts(result):
        at = during(stance, result.motion.time_s)
        seen, force_N, rising = by_itself[stance.side][at] & contact.known[at], contact.force_lab_N[at, 2], up[at]
        one = bool(np.count_nonzero(seen & np.isfinite(rising)) >= fewest)
        if not one and not np.isfinite([stance.start_s, stance.end_s]).all() and len(contacts) == len(SIDES):
            seen = contacts["L"].known[at] & contacts["R"].known[at]
            force_N = contacts["L"].force_lab_N[at, 2] + contacts["R"].force_lab_N[at, 2]
        seen = seen & np.isfinite(rising)
        if np.count_nonzero(seen) >= fewest:
            share = force_N[seen] / (result.mass_kg * GRAVITY_M_S2) - rising[seen] / GRAVITY_M_S2
            yield stance, 100.0 * float(share.mean() - 1.0), one


def sideways_impulses(result: Solved) -> Iterator[tuple[Stance, float, float]]:
    """Yield each stance with what its force and what its hips say of the change of sideways speed while that foot is alone, m/s.

    Parameters
    ----------
    result : Solved
        The trial as solved, with plates and stances.

    Notes
    -----
    Both are positive away from that foot: a body that stands on one foot falls towards the other one. Impulse per kilogram first.
    """
    speed = _change_of_hips(result, 1)
    for stance, force_N, mass_kg, rows, axes in _pushes_alone(result, speed):
        across = -SIDE_SIGN[stance.side] * axes[1]
        pushed = float((force_N @ across).sum()) / result.motion.rate_hz / mass_kg
        yield stance, pushed, float(across @ (speed[min(rows[-1] + 1, len(speed) - 1)] - speed[rows[0]])[:2])


def thrusts(result: Solved) -> Iterator[tuple[Stance, float]]:
    """Yield each stance with the slope of its fore-aft force, per kilogram, on the hips' acceleration while that foot is alone.

    Parameters
    ----------
    result : Solved
        The trial as solved, with plates and stances.
    """
    gains = _change_of_hips(result, 2)
    for stance, force_N, mass_kg, rows, axes in _pushes_alone(result, gains):
        gained, pushed = (values - values.mean() for values in (gains[rows, :2] @ axes[0], force_N @ axes[0]))
        yield stance, float((gained * pushed).sum() / (gained * gained).sum()) / mass_kg


def _change_of_hips(result: Solved, times: int) -> FloatArray:
    """Derivative (n, 3) of the middle between the hips, below `HIPS_CUTOFF_HZ`, m/s or m/s2; empty where it cannot be had."""
    hips, rate_hz = middle_of_hips(result), result.motion.rate_hz
    if hips is None or rate_hz <= 2 * HIPS_CUTOFF_HZ:
        return np.empty((0, 3))
    smooth = lowpass(hips, rate_hz, HIPS_CUTOFF_HZ)
    for _ in range(times):
        smooth = np.gradient(smooth, axis=0) * rate_hz
    return smooth


def _pushes_alone(result: Solved, change: FloatArray) -> Iterator[tuple[Stance, FloatArray, float, IntArray, FloatArray]]:
    """Each stance that is alone long enough: horizontal force (k, 2), N, body mass, the frames (k,), and the axes of progression.

    Frames are those in which ``change`` is known too.
    """
    hips, rate_hz = middle_of_hips(result), result.motion.rate_hz
    if hips is None or result.mass_kg is None or not len(change):
        return
    by_itself = {side: alone(result, side) for side in result.shown_contacts}
    for stance, contact in known_contacts(result):
        at = during(stance, result.motion.time_s)
        rows = at.start + np.flatnonzero(by_itself[stance.side][at] & contact.known[at] & np.isfinite(change[at]).all(axis=1))
        if len(rows) >= max(FEWEST_FRAMES, LEAST_ALONE_S * rate_hz):
            axes = hips_progression(result, hips[at][np.isfinite(hips[at]).all(axis=1)])
            yield stance, contact.force_lab_N[rows, :2], result.mass_kg, rows, axes
