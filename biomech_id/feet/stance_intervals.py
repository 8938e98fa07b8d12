"""When each foot is on the floor, and when nobody can say: intervals between events, and masks over video frames."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.trial import Event, EventKind, EventSource
from biomech_id.values import dataclass

#: A foot off from markers lies within this of the force in nearly all steps (seven laboratories: 95 % within 23 ms). Strikes need
#: no such margin: they lie within 17 ms, and early rather than late, which errs on the safe side.
MARKER_OFF_UNCERTAINTY_S = 0.03
#: Beyond the first and the last event of a side a phase is believed to go on for this share of its usual duration, no further.
BELIEVED_SHARE = 1.0
#: Usual duration of a swing where a trial shows none, seconds: a free walk's (Perry 1992: 38 % of 1.1 s).
USUAL_SWING_S = 0.42


@dataclass(frozen=True)
class Interval:
    """One stance as the events give it.

    Attributes
    ----------
    side : str
        Foot that stands: "L" or "R".
    start_s : float
        Strike and off, absolute seconds; NaN where the event is missing (most often cut by the trial's ends).
    end_s : float
        Strike and off, absolute seconds; NaN where the event is missing (most often cut by the trial's ends).
    lower_s : float
        The same where known, else the furthest the stance can reach.
    upper_s : float
        The same where known, else the furthest the stance can reach.
    off_uncertainty_s : float
        By how much later than ``upper_s`` the foot may still carry load, seconds: nothing where a file or a plate says when it
        left, `MARKER_OFF_UNCERTAINTY_S` where markers do.
    """

    side: str
    start_s: float
    end_s: float
    lower_s: float
    upper_s: float
    off_uncertainty_s: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether both its strike and its off are known."""
        return bool(np.isfinite(self.start_s) and np.isfinite(self.end_s))

    @property
    def missing(self) -> str:
        """What is not known of it: "strike", "off", "both", or "" of a complete one."""
        if np.isnan(self.start_s):
            return "both" if np.isnan(self.end_s) else "strike"
        return "off" if np.isnan(self.end_s) else ""


def stance_intervals(events: Sequence[Event], side: str, first_s: float, last_s: float) -> tuple[Interval, ...]:
    """Pair strikes and offs of one side into stances, in order of time.

    An off without a strike before it, or a strike without an off after it, yields a stance with NaN there: it reaches back to the
    side's previous event (or the trial's begin), or forward to the next one (or the trial's end).

    Parameters
    ----------
    events : Sequence[Event]
        Of the trial; other sides are ignored.
    side : str
        Foot whose stances are wanted: "L" or "R".
    first_s, last_s : float
        Absolute times of the first and the last video frame.

    Returns
    -------
    tuple[Interval, ...]
        One for each stance of that side; a start or end outside the trial is NaN.

    Examples
    --------
    >>> from biomech_id.feet.stance_intervals import stance_intervals
    >>> from biomech_id.trial.events import Event, EventKind
    >>> strike, off = Event(0.5, "L", EventKind.FOOT_STRIKE), Event(1.1, "L", EventKind.FOOT_OFF)
    >>> [(stance.start_s, stance.end_s) for stance in stance_intervals([strike, off], "L", 0.4, 1.2)]
    [(0.5, 1.1)]
    """
    of_side = sorted(e for e in events if e.side == side and e.kind in (EventKind.FOOT_STRIKE, EventKind.FOOT_OFF))
    intervals = []
    for before, event, after in zip([None, *of_side], of_side, [*of_side[1:], None], strict=False):
        strike = event.kind is EventKind.FOOT_STRIKE
        if strike:
            paired = after is not None and after.kind is EventKind.FOOT_OFF
            upper = last_s if after is None else after.time_s
            off_s = after.time_s if after is not None and paired else float("nan")
            intervals.append(Interval(side, event.time_s, off_s, event.time_s, upper, _doubt_s(after)))
        elif before is None or before.kind is EventKind.FOOT_OFF:
            lower = first_s if before is None else before.time_s
            intervals.append(Interval(side, float("nan"), event.time_s, lower, event.time_s, _doubt_s(event)))
    # A stance that lies wholly outside the trial has nothing to judge.
    return tuple(i for i in intervals if i.upper_s >= first_s and i.lower_s <= last_s)


def _doubt_s(event: Event | None) -> float:
    return MARKER_OFF_UNCERTAINTY_S if event is not None and event.source == EventSource.MARKER else 0.0


def frames_within(time_s: FloatArray, start_s: float, end_s: float) -> BoolArray:
    """Frames (n,) whose time lies in the closed interval [start, end].

    Parameters
    ----------
    time_s : FloatArray
        (n,), of the frames, seconds.
    start_s, end_s : float
        Both ends of the interval, on the frames' clock, seconds.

    Returns
    -------
    BoolArray
        (n,), true in the interval, its ends included.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.feet.stance_intervals import frames_within
    >>> frames_within(np.array([0.0, 0.1, 0.2, 0.3]), 0.1, 0.2)
    array([False,  True,  True, False])
    """
    return np.asarray((time_s >= start_s) & (time_s <= end_s))


def frames_between(time_s: FloatArray, start_s: float, end_s: float) -> slice:
    """Where the frames of `frames_within` lie: of a long recording only these need be looked at.

    Parameters
    ----------
    time_s : FloatArray
        (n,), of the frames, increasing, seconds.
    start_s, end_s : float
        Seconds; NaN where there are none.

    Returns
    -------
    slice
        Half-open; empty where no frame lies in the interval.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.feet.stance_intervals import frames_between
    >>> frames_between(np.array([0.0, 0.1, 0.2, 0.3]), 0.1, 0.2)
    slice(1, 3, None)
    """
    if np.isnan(start_s) or np.isnan(end_s):
        return slice(0, 0)
    first, stop = int(np.searchsorted(time_s, start_s, side="left")), int(np.searchsorted(time_s, end_s, side="right"))
    return slice(first, max(first, stop))


def unknown_frames(events: Sequence[Event], side: str, time_s: FloatArray) -> BoolArray:
    """Frames (n,) too far from any event of this side to say whether the foot is on the floor.

    Before the first strike the foot swings, but no longer than a swing lasts; after the last off likewise. Whether it swings or
    stands beyond that no event says.

    Parameters
    ----------
    events : Sequence[Event]
        In order of time.
    side : str
        Foot that is asked about: "L" or "R".
    time_s : FloatArray
        (n,), of the frames, seconds.

    Returns
    -------
    BoolArray
        (n,), true where nobody can say; everywhere without any event of this side.
    """
    of_side = sorted(e for e in events if e.side == side)
    if not of_side:
        return np.ones(len(time_s), dtype=np.bool_)
    swing = _longest_swing(of_side)
    unknown = np.zeros(len(time_s), dtype=np.bool_)
    if of_side[0].kind is EventKind.FOOT_STRIKE:
        unknown |= time_s < of_side[0].time_s - swing
    if of_side[-1].kind is EventKind.FOOT_OFF:
        unknown |= time_s > of_side[-1].time_s + swing
    return unknown


def _longest_swing(of_side: Sequence[Event]) -> float:
    swings = [b.time_s - a.time_s for a, b in pairwise(of_side) if a.kind is EventKind.FOOT_OFF and b.kind is EventKind.FOOT_STRIKE]
    return BELIEVED_SHARE * max(swings, default=USUAL_SWING_S)
