"""Foot strikes and foot offs from force plates: a load begins or ends under a foot.

A load says when, the markers say which foot. Where events from markers exist, a load's beginning is a strike only if that foot
strikes near then: a second foot stepping onto a loaded plate, or a foot sliding off it, begins or ends a load without an event.
Where the foot is hidden just then, it is enough that the load is one foot's from begin to end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from biomech_id.feet.feet_on_plates import PlateLoad, nearest_foot
from biomech_id.feet.landmarks import Landmarks
from biomech_id.feet.stance_intervals import frames_between
from biomech_id.trial import Event, EventKind, EventSource, Trial

#: A load further than this from a foot is not under it. Good files have 8 to 78 mm, wrong corners more than 150 mm.
FOOT_REACH_M = 0.15
#: An event from markers within this time of a load's beginning or end is the same event.
SAME_EVENT_S = 0.13
#: Standard deviation of an event by a plate: a load reaches its threshold some 5 ms after the contact, and falls below it as early.
PLATE_SD_S = 0.005
#: First and last part of a load in which its foot is looked for.
EDGE_SHARE = 0.3


def plate_events(
    trial: Trial, landmarks: Landmarks, loads: Sequence[PlateLoad], from_markers: Sequence[Event] = ()
) -> tuple[Event, ...]:
    """Turn loads into events.

    Parameters
    ----------
    trial : Trial
        The recording, whose plates may name the foot on them.
    landmarks : Landmarks
        Pelvis and feet of the trial.
    loads : Sequence[PlateLoad]
        Every load on its plates, in order of time.
    from_markers : Sequence[Event], optional
        Events from markers that each plate event must agree with to `SAME_EVENT_S`. Without any (a run), and where the foot's
        markers are hidden just then, a load counts when one and the same foot is on it at its beginning and at its end.

    Returns
    -------
    tuple[Event, ...]
        In order of time.
    """
    events = []
    seen_s: dict[tuple[str, EventKind], list[float]] = {}
    for event in sorted(from_markers):
        seen_s.setdefault((event.side, event.kind), []).append(event.time_s)
    for load in loads:
        contact = load.contact
        foot = trial.plates[contact.plate].foot
        first, last = (foot, foot) if foot else edge_feet(landmarks, load)
        for side, time_s, kind in ((first, contact.start_s, EventKind.FOOT_STRIKE), (last, contact.end_s, EventKind.FOOT_OFF)):
            if not side or np.isnan(time_s):
                continue
            unwatched = not from_markers or _hidden(landmarks, side, time_s)
            if _near(seen_s.get((side, kind), ()), time_s) or (unwatched and first == last):
                events.append(Event(time_s, side, kind, EventSource.PLATE, sd_ms=1e3 * PLATE_SD_S))
    return tuple(sorted(_without_repeats(events)))


def edge_feet(landmarks: Landmarks, load: PlateLoad) -> tuple[str, str]:
    """Sides of the feet under the beginning and the end of a load; "" where no foot is within reach.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    load : PlateLoad
        What one plate carried.

    Returns
    -------
    tuple[str, str]
        "L", "R" or "" for each end.
    """
    frames = np.flatnonzero(load.loaded)
    if not frames.size:
        return "", ""
    edge = max(1, round(EDGE_SHARE * frames.size))
    sides = []
    for chosen in (frames[:edge], frames[-edge:]):
        mask = np.zeros_like(load.loaded)
        mask[chosen] = True
        side, distance_m = nearest_foot(landmarks, load, mask)
        sides.append(side if distance_m < FOOT_REACH_M else "")
    return sides[0], sides[1]


def _near(times_s: Sequence[float], time_s: float) -> bool:
    """Whether one of the times, in order, lies within `SAME_EVENT_S` of an instant."""
    place = bisect_left(times_s, time_s)
    return any(abs(each_s - time_s) < SAME_EVENT_S for each_s in times_s[max(0, place - 1) : place + 1])


def _hidden(landmarks: Landmarks, side: str, time_s: float) -> bool:
    """Whether heel or toe of a foot are missing within `SAME_EVENT_S` of a time, so that markers cannot tell an event there."""
    frames = frames_between(landmarks.time_s, time_s - SAME_EVENT_S, time_s + SAME_EVENT_S)
    near = np.abs(landmarks.time_s[frames] - time_s) < SAME_EVENT_S
    return not np.isfinite((landmarks.heel_lab_m[side][frames] + landmarks.toe_lab_m[side][frames])[near]).all()


def _without_repeats(events: list[Event]) -> list[Event]:
    """One event where a foot lands on, or leaves, two plates: the earlier strike and the later off."""
    kept: list[Event] = []
    latest: dict[tuple[str, EventKind], int] = {}
    for event in sorted(events):
        twin = latest.get((event.side, event.kind))
        if twin is None or event.time_s - kept[twin].time_s >= 2 * SAME_EVENT_S:
            latest[event.side, event.kind] = len(kept)
            kept.append(event)
        elif event.kind is EventKind.FOOT_OFF:
            kept[twin] = event
    return kept
