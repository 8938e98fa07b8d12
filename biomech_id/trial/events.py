"""Gait events: when a foot strikes the floor and when it leaves it."""

from __future__ import annotations

from enum import StrEnum

from biomech_id.arguments import a_quantity, a_str, holds, member, or_none
from biomech_id.conventions import Side
from biomech_id.errors import InvalidValueError
from biomech_id.languages import Sentence
from biomech_id.values import dataclass, field

#: Longest recording, s: a day. A time in milliseconds lies beyond it, or beyond its trial.
LONGEST_S = 86400.0

#: An event whose standard deviation is larger than this, ms, cuts curves of angles, and nothing else.
LARGEST_TIMING_SD_MS = 40.0


class EventKind(StrEnum):
    """What happened; the values are the labels C3D files use."""

    FOOT_STRIKE = "Foot Strike"
    FOOT_OFF = "Foot Off"
    OTHER = "Event"


class EventSource(StrEnum):
    """Who says that an event happened, and when."""

    FILE = "file"
    PLATE = "plate"
    MARKER = "marker"
    HAND = "hand"


@holds(
    time_s=a_quantity(-LONGEST_S, LONGEST_S, "s"), label=a_str(), method=a_str(),
    shifted_ms=or_none(a_quantity(-1000.0, 1000.0, "ms")), sd_ms=or_none(a_quantity(0.0, 1000.0, "ms")),
)  # fmt: skip
@dataclass(frozen=True, order=True)
class Event:
    """One event.

    Attributes
    ----------
    time_s : float
        Absolute seconds on the recording's clock: frame n (counted from 1) is at (n - 1) / rate.
    side : str
        "L", "R", or "" for a general event; kept as a `Side`.
    kind : EventKind
        Foot strike, foot off or other; a text with a member's value, "foot strike", names it.
    source : EventSource, optional
        Where it comes from, likewise.
    label : str, optional
        The file's own label.
    method : str, optional
        How markers found it; empty otherwise.
    shifted_ms : float, optional
        By how much it was moved to where the plates would see it, milliseconds; None where no plate showed by how much.
    sd_ms : float | None, optional
        Standard deviation of its time, milliseconds; None where it is not known, as of events set by hand.

    Raises
    ------
    WrongTypeError, InvalidValueError
        A time that is no number, or none of a recording's: without a file's label, one before zero.
    OptionError
        Another side, kind or source; the message lists those there are.

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
    source: EventSource = EventSource.FILE
    label: str = ""
    method: str = field(default="", compare=False)
    shifted_ms: float | None = field(default=None, compare=False)
    sd_ms: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name, kind in (("side", Side), ("kind", EventKind), ("source", EventSource)):
            object.__setattr__(self, name, member(kind, getattr(self, name), name, "Event"))
        # A file may label an event before its frame 1 (readers leave it out and say so), and a marker's may be moved there.
        if self.time_s < 0 and not self.label and self.source in (EventSource.FILE, EventSource.HAND):
            raise InvalidValueError(
                f"Event has a time_s of {self.time_s:g} s, before the recording's frame 1.",
                value=self.time_s, expected="seconds from frame 1, 0 or later", where="Event",
            )  # fmt: skip

    @property
    def timed(self) -> bool:
        """Whether its time is known well enough for loads and durations, not for curves of angles alone."""
        return self.sd_ms is None or self.sd_ms <= LARGEST_TIMING_SD_MS

    @property
    def origin(self) -> Sentence:
        """Source, method and shift, to be read."""
        return Sentence("event-origin", {"source": self.source, "method": self.method, "shifted_ms": self.shifted_ms})
