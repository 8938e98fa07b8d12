"""Events of one trial from several sources, joined into one sequence in which a side's strikes and offs alternate."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from biomech_id.conventions import SIDES
from biomech_id.gait.plate_events import SAME_EVENT_S
from biomech_id.trial import Event, EventKind


class EventsByTime:
    """Events that are looked up by side, kind and time, however many there are.

    Parameters
    ----------
    events : Iterable[Event]
        In any order; of two that are equally near the first one is the nearest.

    Examples
    --------
    >>> from biomech_id.gait.event_merging import EventsByTime
    >>> from biomech_id.trial import Event, EventKind
    >>> strikes = EventsByTime([Event(0.50, "L", EventKind.FOOT_STRIKE), Event(1.60, "L", EventKind.FOOT_STRIKE)])
    >>> strike = strikes.nearest(Event(1.57, "L", EventKind.FOOT_STRIKE), 0.05)
    >>> strike and strike.time_s
    1.6
    """

    def __init__(self, events: Iterable[Event]) -> None:
        unsorted: dict[tuple[str, EventKind], list[tuple[float, int, Event]]] = {}
        for place, event in enumerate(events):
            unsorted.setdefault((event.side, event.kind), []).append((event.time_s, place, event))
        self._events = {key: sorted(entries, key=lambda entry: entry[:2]) for key, entries in unsorted.items()}
        self._times_s = {key: [entry[0] for entry in entries] for key, entries in self._events.items()}

    def nearest(self, event: Event, within_s: float) -> Event | None:
        """The event of the same side and kind nearest in time, if it is within reach.

        Parameters
        ----------
        event : Event
            Event whose side, kind and time are looked for.
        within_s : float
            Largest distance in time, seconds.

        Returns
        -------
        Event | None
            The nearest one; None where none is within reach.
        """
        times_s = self._times_s.get((event.side, event.kind))
        if times_s is None:
            return None
        first, stop = bisect_left(times_s, event.time_s - within_s), bisect_right(times_s, event.time_s + within_s)
        near = [entry for entry in self._events[event.side, event.kind][first:stop] if abs(entry[0] - event.time_s) < within_s]
        return min(near, key=lambda entry: (abs(entry[0] - event.time_s), entry[1]))[2] if near else None


def merged_events(leading: Sequence[Event], others: Sequence[Event]) -> tuple[Event, ...]:
    """The leading events, and those of the others that no leading one stands for.

    Parameters
    ----------
    leading : Sequence[Event]
        Events that stand whatever the others say.
    others : Sequence[Event]
        Events that fill in.

    Returns
    -------
    tuple[Event, ...]
        In order of time.

    Examples
    --------
    >>> from biomech_id.gait.event_merging import merged_events
    >>> from biomech_id.trial import Event, EventKind
    >>> plate = [Event(0.50, "L", EventKind.FOOT_STRIKE)]
    >>> markers = [Event(0.48, "L", EventKind.FOOT_STRIKE), Event(1.60, "L", EventKind.FOOT_STRIKE)]
    >>> [event.time_s for event in merged_events(plate, markers)]
    [0.5, 1.6]
    """
    known = EventsByTime(leading)
    return tuple(sorted([*leading, *(e for e in others if known.nearest(e, SAME_EVENT_S) is None)]))


def completed_events(stored: Sequence[Event], detected: Sequence[Event]) -> tuple[Event, ...]:
    """Stored events, with what they leave out; strikes and offs must alternate wherever something joins.

    Between two stored events of one kind the missing one is taken from those found; before the first and after the last of a side,
    all that was found, if the stored one has its place in that sequence. A side without stored events takes all that was found.

    Parameters
    ----------
    stored : Sequence[Event]
        Events of the file, which stay as they are.
    detected : Sequence[Event]
        By plates or markers, these at the times that the stored ones show.

    Returns
    -------
    tuple[Event, ...]
        In order of time; every stored one is among them, unchanged.
    """
    events: list[Event] = []
    for side in SIDES:
        kept, others = (sorted(e for e in source if e.side == side) for source in (stored, detected))
        if not kept:
            events += others
            continue
        events += [*_beyond(kept[0], others)[0], *kept, *_beyond(kept[-1], others)[1]]
        times_s = [e.time_s for e in others]
        for a, b in pairwise(kept):
            between = others[bisect_right(times_s, a.time_s + SAME_EVENT_S) : bisect_left(times_s, b.time_s - SAME_EVENT_S)]
            events += between if a.kind is b.kind and _alternate([a, *between, b]) else []
    return tuple(sorted(events))


def _beyond(stored: Event, detected: Sequence[Event]) -> tuple[Sequence[Event], Sequence[Event]]:
    """What was found of a side before and after a stored event, each only where the stored one has its place in the sequence."""
    before = [e for e in detected if e.time_s < stored.time_s - SAME_EVENT_S]
    after = [e for e in detected if e.time_s > stored.time_s + SAME_EVENT_S]
    seen = any(e.kind is stored.kind for e in detected[len(before) : len(detected) - len(after)])
    earlier, later = _alternate([*before[-1:], stored]), _alternate([stored, *after[:1]])
    return before if earlier and (seen or later) else [], after if later and (seen or earlier) else []


def _alternate(events: Sequence[Event]) -> bool:
    return all(a.kind is not b.kind for a, b in pairwise(events))
