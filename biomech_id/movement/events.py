"""Gait events as values: those of a trial, how its sources agree, and what plates taught about markers; ``gait`` finds them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from biomech_id.errors import Finding
from biomech_id.trial import Event, EventKind
from biomech_id.values import dataclass, field, replace


@dataclass(frozen=True)
class MarkerTiming:
    """How much later than marker events the forces put them; learnt from plates, added to marker events.

    Attributes
    ----------
    delay_s : Mapping[tuple[str, EventKind], float], optional
        (side, kind) -> seconds to add; what is not there is left as it is.
    sd_s : Mapping[tuple[str, EventKind], float], optional
        (side, kind) -> standard deviation of that, seconds, where it is known.
    """

    delay_s: Mapping[tuple[str, EventKind], float] = field(default_factory=dict)
    sd_s: Mapping[tuple[str, EventKind], float] = field(default_factory=dict)

    def corrected(self, event: Event) -> Event:
        """Return the event at the time the plates would put it, by how much it was shifted, and how certain it is then.

        Parameters
        ----------
        event : Event
            An event as the markers have it.

        Returns
        -------
        Event
            Later by what was learnt of its side and kind; unchanged where nothing was.
        """
        delay_s = self.delay_s.get((event.side, event.kind))
        if delay_s is None:
            return event
        sd_ms = event.sd_ms and math.hypot(event.sd_ms, 1e3 * self.sd_s.get((event.side, event.kind), 0.0))
        return replace(event, time_s=event.time_s + delay_s, shifted_ms=delay_s * 1e3, sd_ms=sd_ms)


@dataclass(frozen=True)
class Agreement:
    """How far one source of events lies from another, for one side and kind; seconds, positive when ``source`` is later.

    Attributes
    ----------
    side : str
        Foot whose events are compared: "L" or "R".
    kind : EventKind
        Foot strike or foot off.
    source : str
        The one that is compared.
    reference : str
        The one it is compared with.
    n : int
        Number of events that both have.
    median_s : float
        Median of all differences, s.
    worst_s : float
        Largest difference, with its sign.
    """

    side: str
    kind: EventKind
    source: str
    reference: str
    n: int
    median_s: float
    worst_s: float


@dataclass(frozen=True)
class EventSearch:
    """The events of a trial and how they were found.

    Attributes
    ----------
    events : tuple[Event, ...]
        Those used, in order of time; each names its source.
    by_source : Mapping[str, tuple[Event, ...]], optional
        "file", "plate", "marker" -> what that source alone says (markers without the plates' teaching).
    agreement : tuple[Agreement, ...], optional
        Every pair of sources that see the same events.
    rejected : tuple[Event, ...], optional
        Plate events that are neither used nor learnt from, because the rules refuse their stance.
    timing : MarkerTiming, optional
        What the plates taught about the markers' delay.
    findings : tuple[Finding, ...], optional
        What a user should know.
    """

    events: tuple[Event, ...]
    by_source: Mapping[str, tuple[Event, ...]] = field(default_factory=dict)
    agreement: tuple[Agreement, ...] = ()
    rejected: tuple[Event, ...] = ()
    timing: MarkerTiming = field(default_factory=MarkerTiming)
    findings: tuple[Finding, ...] = ()
