"""Gait events: when a foot strikes the floor and when it leaves it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EventKind(StrEnum):
    """What happened; the values are the labels C3D files use."""

    FOOT_STRIKE = "Foot Strike"
    FOOT_OFF = "Foot Off"
    OTHER = "Event"


@dataclass(frozen=True, order=True)
class Event:
    """One event.

    Attributes
    ----------
    time_s : float
        Absolute seconds on the recording's clock: frame n (counted from 1) is at (n - 1) / rate.
    side : str
        "L", "R", or "" for a general event.
    kind : EventKind
        Foot strike, foot off or other.
    source : str, optional
        Where it comes from: "file", "plate", "marker: <method>".
    label : str, optional
        The file's own label.

    Examples
    --------
    >>> from biomech_id.trial.events import Event, EventKind
    >>> strike = Event(1.25, "L", EventKind.FOOT_STRIKE)
    >>> strike.kind.value
    'Foot Strike'
    """

    time_s: float
    side: str
    kind: EventKind
    source: str = "file"
    label: str = ""
