"""Events of one trial from several sources, joined into one sequence in which a side's strikes and offs alternate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.gait.plate_events import SAME_EVENT_S
from biomech_id.trial import Event, EventSource


def nearest_event(events: Iterable[Event], event: Event, within_s: float) -> Event | None:
    """The event of the same side and kind nearest in time, if it is within reach.

    Parameters
    ----------
    events : Iterable[Event]
        In any order.
    event : Event
        The event.
    within_s : float
        Largest distance in time, seconds.

    Examples
    --------
    >>> from biomech_id.gait.event_merging import nearest_event
    >>> from biomech_id.trial import Event, EventKind
    >>> strikes = [Event(0.50, "L", EventKind.FOOT_STRIKE), Event(1.60, "L", EventKind.FOOT_STRIKE)]
    >>> nearest_event(strikes, Event(1.57, "L", EventKind.FOOT_STRIKE), 0.05).time_s
    1.6
    """
    same = [e for e in events if e.side == event.side and e.kind is event.kind and abs(e.time_s - event.time_s) < within_s]
    return min(same, key=lambda e: abs(e.time_s - event.time_s)) if same else None


def merged_events(leading: Sequence[Event], others: Sequence[Event]) -> tuple[Event, ...]:
    """The leading events, and those of the others that no leading one stands for.

    Parameters
    ----------
    leading : Sequence[Event]
        Events that stand.
    others : Sequence[Event]
        Events that fill in.

    Examples
    --------
    >>> from biomech_id.gait.event_merging import merged_events
    >>> from biomech_id.trial import Event, EventKind
    >>> plate = [Event(0.50, "L", EventKind.FOOT_STRIKE)]
    >>> markers = [Event(0.48, "L", EventKind.FOOT_STRIKE), Event(1.60, "L", EventKind.FOOT_STRIKE)]
    >>> [event.time_s for event in merged_events(plate, markers)]
    [0.5, 1.6]
    """
    return tuple(sorted([*leading, *(e for e in others if nearest_event(leading, e, SAME_EVENT_S) is None)]))


def completed_events(stored: Sequence[Event], found: Sequence[Event]) -> tuple[Event, ...]:
    """Stored events, with what they leave out; strikes and offs must alternate wherever something joins.

    Between two stored events of one kind the missing one is taken from those found; before the first and after the last of a side,
    what was found as far as plates saw steps. A side without stored events takes all that was found.

    Parameters
    ----------
    stored : Sequence[Event]
        Of the file.
    found : Sequence[Event]
        By plates or markers.
    """
    events: list[Event] = []
    for side in SIDES:
        mine, others = ([e for e in source if e.side == side] for source in (stored, found))
        if not mine:
            events += others
            continue
        on_plates = [e.time_s for e in others if e.source == EventSource.PLATE]
        first_s, last_s = min(on_plates, default=np.inf), max(on_plates, default=-np.inf)
        before = [e for e in others if first_s <= e.time_s < mine[0].time_s - SAME_EVENT_S]
        after = [e for e in others if mine[-1].time_s + SAME_EVENT_S < e.time_s <= last_s]
        events += before if _alternate([*before, mine[0]]) else []
        events += after if _alternate([mine[-1], *after]) else []
        events += mine
        for a, b in pairwise(mine):
            between = [e for e in others if a.time_s + SAME_EVENT_S < e.time_s < b.time_s - SAME_EVENT_S]
            events += between if a.kind is b.kind and _alternate([a, *between, b]) else []
    return tuple(sorted(events))


def _alternate(events: Sequence[Event]) -> bool:
    return all(a.kind is not b.kind for a, b in pairwise(events))
