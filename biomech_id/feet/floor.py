"""The floor under the feet: when a foot lies flat on it, and how the belts of a treadmill carry it along.

A planted foot moves as its floor does. The slope of a least-squares line through the heel's path in each foot-flat is the velocity
of the belt under it; the median over stances is the belt's. Two feet may stand on two belts, each with a speed of its own, and a
belt may change its speed (self-paced, ramped): both are believed only where the stances say so beyond their own scatter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, readonly
from biomech_id.feet.landmarks import Landmarks
from biomech_id.feet.stance_intervals import frames_within, stance_intervals
from biomech_id.feet.travel import Travel
from biomech_id.movement.stance import FLAT_SHARE
from biomech_id.trial import Event
from biomech_id.values import dataclass

#: Two sides whose belts differ by less than this share of their speed stand on one: a rolling foot's own slope errs by 1 %.
LEAST_SPLIT = 0.05
#: A belt changes its speed where stances show it this many times more clearly than successive ones scatter, by this share at least.
CLEAR_CHANGE = 2.0
LEAST_CHANGE = 0.05
#: Fewer stances than this do not tell a change from scatter.
LEAST_STANCES = 6


@dataclass(frozen=True, eq=False)
class Belt:
    """The horizontal velocity of one belt: one value, or several between which it changes linearly.

    Attributes
    ----------
    time_s : FloatArray
        (k,), absolute seconds, rising.
    velocity_lab_m_s : FloatArray
        (k, 2), laboratory axes; before the first and after the last time it stays.
    """

    time_s: FloatArray
    velocity_lab_m_s: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "time_s", readonly(self.time_s, (None,), name="time_s", where="Belt"))
        velocity = readonly(self.velocity_lab_m_s, (len(self.time_s), 2), name="velocity_lab_m_s", where="Belt")
        object.__setattr__(self, "velocity_lab_m_s", velocity)

    @property
    def mean_lab_m_s(self) -> FloatArray:
        """Mean velocity (2,), laboratory axes."""
        return np.asarray(self.velocity_lab_m_s.mean(axis=0))

    def way_lab_m(self, time_s: FloatArray) -> FloatArray:
        """How far the belt has gone (n, 2), laboratory axes, at times (n,) since the first of its own: the velocity's integral.

        Parameters
        ----------
        time_s : FloatArray
            (n,), absolute seconds; beyond the belt's own times its velocity stays as at their ends.

        Returns
        -------
        FloatArray
            (n, 2), laboratory X and Y, metres; zero at the first of the belt's own times.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.feet.floor import Belt
        >>> Belt(np.array([0.0]), np.array([[-1.2, 0.0]])).way_lab_m(np.array([0.0, 0.5])).tolist()
        [[0.0, 0.0], [-0.6, 0.0]]
        """
        t, v = self.time_s, self.velocity_lab_m_s
        steps = np.diff(t)[:, None]
        reached = np.concatenate([np.zeros((1, 2)), np.cumsum(0.5 * (v[1:] + v[:-1]) * steps, axis=0)])
        # Beyond both ends the velocity stays: a stretch with no change on either side of the knots.
        before = np.searchsorted(t, time_s, side="right") - 1
        k = np.clip(before, 0, len(t) - 1)
        since = (np.asarray(time_s) - t[k])[:, None]
        inside = ((before >= 0) & (before < len(t) - 1))[:, None]
        slope = np.concatenate([np.diff(v, axis=0) / steps, np.zeros((1, 2))])[k]
        return np.asarray(reached[k] + v[k] * since + np.where(inside, 0.5 * slope * since**2, 0.0))

    def carried_back(self, points_lab_m: FloatArray, time_s: FloatArray) -> FloatArray:
        """Points (n, ..., 3), metres, in axes that travel with the belt: a planted foot rests in them.

        Parameters
        ----------
        points_lab_m : FloatArray
            (n, ..., 3) or (n, ..., 2), laboratory axes, metres.
        time_s : FloatArray
            (n,), absolute seconds of these points.

        Returns
        -------
        FloatArray
            Of the points' shape, metres: laboratory axes that travel with the belt.
        """
        moved = points_lab_m.copy()
        way = self.way_lab_m(time_s)
        moved[..., :2] -= way.reshape(len(way), *[1] * (points_lab_m.ndim - 2), 2)
        return moved


#: Side -> the belt under that foot; empty over ground.
Belts = Mapping[str, Belt]
NO_BELTS: Belts = MappingProxyType({})


def carried_back(points_lab_m: FloatArray, time_s: FloatArray, belts: Belts, side: str) -> FloatArray:
    """Points of one foot in axes that travel with its floor; over ground they stay as they are.

    Parameters
    ----------
    points_lab_m : FloatArray
        (n, ..., 3), laboratory axes, metres.
    time_s : FloatArray
        (n,), absolute seconds.
    belts : Belts
        Side -> belt under that foot; empty over ground.
    side : str
        Foot whose points these are: "L" or "R".

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.feet.floor import Belt, carried_back
    >>> belts = {"L": Belt(np.array([0.0]), np.array([[-1.0, 0.0]]))}
    >>> carried_back(np.array([[0.3, 0.1, 0.0], [-0.2, 0.1, 0.0]]), np.array([0.0, 0.5]), belts, "L").tolist()
    [[0.3, 0.1, 0.0], [0.3, 0.1, 0.0]]
    """
    return belts[side].carried_back(points_lab_m, time_s) if side in belts else points_lab_m


def walking_direction_on(belts: Belts) -> FloatArray | None:
    """Horizontal unit vector (3,), laboratory axes, against the belts' way; None over ground.

    Parameters
    ----------
    belts : Belts
        Side -> belt under that foot; empty over ground.

    Returns
    -------
    FloatArray | None
        (3,), horizontal, unit length, laboratory axes; None over ground.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.feet.floor import Belt, walking_direction_on
    >>> print(walking_direction_on({"L": Belt(np.array([0.0]), np.array([[-1.2, 0.0]]))}))
    [1. 0. 0.]
    """
    if not belts:
        return None
    velocity = np.mean([belt.mean_lab_m_s for belt in belts.values()], axis=0)
    return np.asarray(np.array([*-velocity, 0.0]) / np.linalg.norm(velocity) + 0.0)


def find_belts(landmarks: Landmarks, events: Sequence[Event], travel: Travel) -> dict[str, Belt]:
    """Learn from the planted feet how the belt under each of them moves; empty over ground.

    It sharpens `Travel.belt_lab_m_s`, which is found without events, from some ten millimetres a second to rounding.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    events : Sequence[Event]
        In order of time.
    travel : Travel
        How the subject moved.

    Returns
    -------
    dict[str, Belt]
        Side -> belt under that foot, one and the same where both feet are on one; empty over ground.
    """
    if not travel.belt_lab_m_s.any():
        return {}
    slopes: dict[str, list[tuple[float, FloatArray]]] = {side: [] for side in landmarks.sides}
    for side, _, flat in flat_stances(landmarks, events):
        path, time_s = landmarks.heel_lab_m[side][flat, :2], landmarks.time_s[flat]
        if len(time_s) > 2 and np.isfinite(path).all():
            centred = time_s - time_s.mean()
            slopes[side].append((float(time_s.mean()), centred @ path / (centred @ centred)))
    both = sorted((slope for side in slopes for slope in slopes[side]), key=lambda slope: slope[0])
    if not both:
        return dict.fromkeys(landmarks.sides, Belt(landmarks.time_s[:1], travel.belt_lab_m_s[None]))
    if _are_two(slopes):
        return {side: _belt(of_side) for side, of_side in slopes.items()}
    return dict.fromkeys(landmarks.sides, _belt(both))


def flat_stances(landmarks: Landmarks, events: Sequence[Event]) -> Iterator[tuple[str, float, BoolArray]]:
    """Side, strike time and foot-flat frames (n,) of every stance whose strike is known.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    events : Sequence[Event]
        In order of time.

    Yields
    ------
    Iterator[tuple[str, float, BoolArray]]
        Side, time of the strike (absolute seconds), and (n,) the frames in which the foot lies flat.
    """
    time_s = landmarks.time_s
    intervals = [i for s in landmarks.sides for i in stance_intervals(events, s, float(time_s[0]), float(time_s[-1]))]
    usual_s = {side: [i.end_s - i.start_s for i in intervals if i.complete and i.side == side] for side in landmarks.sides}
    of_both = [duration for durations in usual_s.values() for duration in durations] or [np.nan]
    for interval in intervals:
        usual = float(np.median(usual_s[interval.side] or of_both))
        end_s = interval.end_s if np.isfinite(interval.end_s) else interval.start_s + usual
        first, last = (interval.start_s + share * (end_s - interval.start_s) for share in FLAT_SHARE)
        if time_s[0] <= first:
            yield interval.side, interval.start_s, frames_within(time_s, first, last)


def _are_two(slopes: Mapping[str, Sequence[tuple[float, FloatArray]]]) -> bool:
    """Whether the sides stand on belts of different speeds."""
    speeds = [np.linalg.norm(np.median([slope for _, slope in of_side], axis=0)) for of_side in slopes.values() if of_side]
    return len(speeds) == 2 and abs(speeds[0] - speeds[1]) > LEAST_SPLIT * max(speeds)


def _belt(slopes: Sequence[tuple[float, FloatArray]]) -> Belt:
    """One belt from the slopes of the stances on it, in order of time."""
    time_s, velocity = np.array([time for time, _ in slopes]), np.array([slope for _, slope in slopes])
    usual = np.median(velocity, axis=0)
    along = velocity @ usual / np.linalg.norm(usual)
    scatter = np.diff(along).std() / np.sqrt(2.0) if len(along) > 2 else np.inf
    changes = len(along) >= LEAST_STANCES and along.std() > max(CLEAR_CHANGE * scatter, LEAST_CHANGE * along.mean())
    if not changes:
        return Belt(time_s[:1], usual[None])
    # Belts run straight: the rolling foot's own sideways slope is none of theirs.
    return Belt(time_s, along[:, None] * usual / np.linalg.norm(usual))
