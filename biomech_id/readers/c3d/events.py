"""Events of a C3D file: from the EVENT group, or else from the header."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.readers.c3d.file import C3DFile
from biomech_id.readers.source import FileFindings
from biomech_id.trial import Event, EventKind
from biomech_id.trial.events import LONGEST_S
from biomech_id.values import dataclass

SIDE_OF_CONTEXT = {"left": "L", "right": "R"}
STRIKE_WORDS = ("strike", "initial contact", "heel contact", "foot contact", "foot down", "touch down", "heel on")
OFF_WORDS = ("foot off", "toe off", "toeoff", "lift off", "foot up")
#: Header labels have four characters: side, then an abbreviation.
HEADER_KINDS = dict.fromkeys(("HS", "IC", "FS"), EventKind.FOOT_STRIKE) | dict.fromkeys(("TO", "FO"), EventKind.FOOT_OFF)


@dataclass(frozen=True, order=True)
class StoredEvent:
    """An event and the subject it belongs to (EVENT:SUBJECTS), "" when the file does not say.

    Attributes
    ----------
    event : Event
        Time in seconds from frame 1 of the original recording, not from the first frame kept.
    subject : str, optional
        Name in EVENT:SUBJECTS; "" when the file does not say.
    """

    event: Event
    subject: str = ""


def stored_events(file: C3DFile, findings: FileFindings) -> tuple[StoredEvent, ...]:
    """Return every event the file holds, from the EVENT group or else from the header.

    Parameters
    ----------
    file : C3DFile
        The file, opened by `open_c3d`.
    findings : FileFindings
        Takes events without label or time, and events that only the header holds.

    Returns
    -------
    tuple[StoredEvent, ...]
        By time, seconds: frame n (from 1) is at (n - 1) / rate.
    """
    events = _from_group(file, findings)
    if not events:
        events = [
            StoredEvent(_header_event(event.label, event.time_s))
            for event in file.header.events
            if event.label and _possible(event.time_s)
        ]
        if events:
            labels = [stored.event.label for stored in events]
            findings.add("events-in-header", labels=labels)
    return tuple(sorted(stored for stored in events if np.isfinite(stored.event.time_s)))


def events_of(subject: str, others: Iterable[str], stored: Iterable[StoredEvent], file: C3DFile) -> tuple[Event, ...]:
    """Return the events of one subject: all but those that name another subject whose markers are in the file.

    Parameters
    ----------
    subject : str
        Label prefix of the chosen subject, without colon. SUBJECTS:NAMES may call it otherwise; SUBJECTS:LABEL_PREFIXES says which
        name goes with which prefix.
    others : Iterable[str]
        Label prefixes of all subjects in the file, without colon.
    stored : Iterable[StoredEvent]
        Every event of the file.
    file : C3DFile
        Opened by `open_c3d`; its SUBJECTS group is asked.

    Returns
    -------
    tuple[Event, ...]
        In the order stored; events that name nobody, or an unknown subject, belong to everybody.
    """
    names = file.parameters.strings("SUBJECTS", "NAMES")
    prefixes = file.parameters.strings("SUBJECTS", "LABEL_PREFIXES")
    called = {name: prefix.rstrip(":") for name, prefix in zip(names, prefixes, strict=False) if prefix}
    strangers = set(others) - {subject}
    return tuple(s.event for s in stored if called.get(s.subject, s.subject) not in strangers)


def events_inside(events: tuple[Event, ...], file: C3DFile, findings: FileFindings) -> tuple[Event, ...]:
    """Return the events inside the recording.

    Parameters
    ----------
    events : tuple[Event, ...]
        At absolute times, seconds from frame 1.
    file : C3DFile
        Opened by `open_c3d`; gives rate, first frame and number of frames.
    findings : FileFindings
        Takes one that lists the events outside, where there are any.

    Returns
    -------
    tuple[Event, ...]
        Those between first and last frame, with half a frame of grace at both ends.
    """
    layout = file.layout
    half_frame_s = 0.5 / layout.rate_hz
    first_s = (layout.first_frame - 1) / layout.rate_hz - half_frame_s
    last_s = (layout.first_frame + layout.n_frames - 2) / layout.rate_hz + half_frame_s
    outside = [event for event in events if not first_s <= event.time_s <= last_s]
    if not outside:
        return events
    findings.add(
        "events-outside", n=len(outside), first_s=first_s + half_frame_s, last_s=last_s - half_frame_s,
        events=[(event.label, event.time_s) for event in outside],
    )  # fmt: skip
    return tuple(event for event in events if event not in outside)


def _from_group(file: C3DFile, findings: FileFindings) -> list[StoredEvent]:
    parameters = file.parameters
    labels = file.joined_strings("EVENT", "LABELS")
    contexts = file.joined_strings("EVENT", "CONTEXTS")
    subjects = file.joined_strings("EVENT", "SUBJECTS")
    times_s = _times(file)
    used = parameters.unsigned("EVENT", "USED")
    count = len(times_s) if used is None else min(used, len(times_s))
    finite = np.isfinite(times_s[:count])
    if count and (len(labels) < count or not finite.all() or (used is not None and used > len(times_s))):
        findings.add("events-incomplete", stated=used, labels=len(labels), times=int(finite.sum()))
    rows = zip_longest(labels[:count], contexts[:count], subjects[:count], times_s[:count].tolist(), fillvalue=None)
    return [
        StoredEvent(_event(label, context or "", float(time)), subject or "")
        for label, context, subject, time in rows
        if label is not None and time is not None and np.isfinite(time) and (label or time >= 0)
    ]


def _times(file: C3DFile) -> FloatArray:
    """EVENT:TIMES in seconds: pairs of minutes and seconds, as [2, n] or flat."""
    values = file.joined_numbers("EVENT", "TIMES")
    pairs = values[: values.size // 2 * 2].reshape(-1, 2)
    times_s = np.asarray(60.0 * pairs[:, 0] + pairs[:, 1])
    return np.where(_possible(times_s), times_s, np.nan)


def _possible(time_s: FloatArray | float) -> Any:
    """Whether a time can lie in a recording at all; false for NaN."""
    with np.errstate(invalid="ignore"):
        return np.abs(time_s) <= LONGEST_S


def _kind(label: str) -> EventKind:
    word = label.lower().replace("-", " ").replace("_", " ")
    kinds = {EventKind.FOOT_STRIKE: STRIKE_WORDS, EventKind.FOOT_OFF: OFF_WORDS}
    return next((kind for kind, words in kinds.items() if any(each in word for each in words)), EventKind.OTHER)


def _event(label: str, context: str, time_s: float) -> Event:
    side = SIDE_OF_CONTEXT.get(context.lower(), "")
    # Some software writes the header's abbreviations (LHS, RTO) into the group, without a side.
    return Event(time_s, side, _kind(label), label=label) if side else _header_event(label, time_s)


def _header_event(label: str, time_s: float) -> Event:
    side, kind = label[:1].upper(), HEADER_KINDS.get(label[1:].upper())
    if side in ("L", "R") and kind is not None:
        return Event(time_s, side, kind, label=label)
    return Event(time_s, "", _kind(label), label=label)
