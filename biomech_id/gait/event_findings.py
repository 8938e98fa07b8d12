"""What is said of a trial's events: stored ones that lie far from force or markers, sequences that do not alternate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.errors import Finding
from biomech_id.gait.event_merging import EventsByTime
from biomech_id.movement.events import Agreement
from biomech_id.trial import Event, EventKind, EventSource, Trial

GAIT_KINDS = (EventKind.FOOT_STRIKE, EventKind.FOOT_OFF)
#: A stored event further than this from the force is worth a look: of those on clean stances all lie within 35 ms.
DISAGREEMENT_S = 0.05
#: So many stored events that lie further (s) than this from the force on average, strikes and offs of each foot half as far at
#: least, are late or early as a whole: in 21 recorded trials of five laboratories the average is 0.015 at most.
LATE_S, FEWEST_ON_PLATES = 0.025, 3
#: Stored events further (s) than this from any such event of the feet's markers, more than half of so many at least, are not the
#: feet's: in recorded walks nine in ten lie within 60 ms.
UNLIKE_FEET_S, FEWEST_STORED = 0.09, 3
#: Markers that complete a foot's events and lie further than this from one that stands disagree with it.
NEIGHBOURS_APART_S = 0.04
#: Two events of one kind closer than this are compared as the same event.
COMPARED_S = 0.2


def far_from_force(trial: Trial, agreement: Sequence[Agreement], used: Sequence[Event]) -> list[Finding]:
    """Name every kind of stored event that lies far from where the plates see it, and whether all of them are late or early.

    Parameters
    ----------
    trial : Trial
        The recording that holds the stored events; findings bear its name.
    agreement : Sequence[Agreement]
        Of the plates with the file.
    used : Sequence[Event]
        Events that were used in the end.

    Returns
    -------
    list[Finding]
        One for each side and kind, and one for all together; empty where all agree.
    """
    rows = [row for row in agreement if (row.source, row.reference) == ("plate", "file")]
    findings = [
        Finding("events-disagree", {"side": row.side, "kind": row.kind, "apart_ms": abs(row.worst_s) * 1e3}, trial.name)
        for row in rows
        if abs(row.worst_s) > DISAGREEMENT_S
    ]
    n, stored = sum(row.n for row in rows), any(event.source is EventSource.FILE for event in used)
    late_s = -sum(row.n * row.median_s for row in rows) / max(n, 1)
    together = stored and all(-row.median_s * np.sign(late_s) > LATE_S / 2.0 for row in rows)
    if n >= FEWEST_ON_PLATES and together and abs(late_s) > LATE_S:
        values = {"n": n, "ms": abs(late_s) * 1e3, "late": late_s > 0.0, "limit_ms": LATE_S * 1e3}
        findings.append(Finding("events-late", values, trial.name))
    return findings


def beside_markers(trial: Trial, anchors: Sequence[Event], markers: Sequence[Event], events: Sequence[Event]) -> Iterator[Finding]:
    """Name events that lie far from where markers, which complete that foot's, see them, and feet that they may not complete.

    Parameters
    ----------
    trial : Trial
        The recording of these events; findings bear its name.
    anchors : Sequence[Event]
        Those that stand: stored, or of plates.
    markers : Sequence[Event]
        As the markers alone have them.
    events : Sequence[Event]
        Events that were used in the end, completed by markers.

    Yields
    ------
    Iterator[Finding]
        One for each side and kind that is far, and one for each foot that stays incomplete.
    """
    known = EventsByTime(markers)
    completed = {event.side for event in events if event.source is EventSource.MARKER}
    for side, kind in product(SIDES, GAIT_KINDS):
        anchored = [event for event in anchors if (event.side, event.kind) == (side, kind)]
        pairs = [(event, near) for event in anchored if (near := known.nearest(event, COMPARED_S)) is not None]
        event, near = max(pairs, key=lambda pair: abs(pair[0].time_s - pair[1].time_s), default=(None, None))
        if side in completed and event and near and abs(event.time_s - near.time_s) > NEIGHBOURS_APART_S:
            apart_ms = 1e3 * abs(event.time_s - near.time_s)
            values = {"side": side, "kind": kind, "time_s": event.time_s, "source": event.source, "apart_ms": apart_ms}
            yield Finding("events-beside-markers", values, trial.name)
    for side in SIDES:
        anchored, seen = [e for e in anchors if e.side == side], [e for e in markers if e.side == side]
        left = [e for e in seen if not any(abs(e.time_s - used.time_s) < COMPARED_S for used in events if used.side == side)]
        if anchored and left:
            yield Finding("events-not-completed", {"side": side, "n": len(left), "of": len(seen)}, trial.name)


def unlike_feet(trial: Trial, stored: Sequence[Event], markers: Sequence[Event]) -> Iterator[Finding]:
    """Name stored events most of which are at no event of the feet: of the other side, of the other kind, or at another time.

    Parameters
    ----------
    trial : Trial
        The recording of these events; findings bear its name.
    stored, markers : Sequence[Event]
        Of the file, and from markers.

    Yields
    ------
    Iterator[Finding]
        At most one, with how many of how many events and the likeliest mistake.
    """
    if not markers:
        return
    first_s, last_s = (end(event.time_s for event in markers) for end in (min, max))
    sides = {event.side for event in markers}
    compared = [e for e in stored if e.side in sides and first_s - UNLIKE_FEET_S <= e.time_s <= last_s + UNLIKE_FEET_S]
    if len(compared) < FEWEST_STORED:
        return
    near = [[m for m in markers if abs(m.time_s - e.time_s) < UNLIKE_FEET_S] for e in compared]
    off = [
        (e, beside)
        for e, beside in zip(compared, near, strict=True)
        if not any((m.side, m.kind) == (e.side, e.kind) for m in beside)
    ]
    if 2 * len(off) <= len(compared):
        return
    same_kind = sum(any(m.kind is e.kind for m in beside) for e, beside in off)
    same_side = sum(any(m.side == e.side for m in beside) for e, beside in off)
    why = "sides" if 2 * same_kind > len(off) else "kinds" if 2 * same_side > len(off) else "times"
    yield Finding(
        "events-unlike-feet", {"n": len(off), "of": len(compared), "apart_ms": 1000.0 * UNLIKE_FEET_S, "why": why}, trial.name
    )


def out_of_order(trial: Trial, events: Sequence[Event]) -> list[Finding]:
    """Name every side whose strikes and offs do not alternate.

    Parameters
    ----------
    trial : Trial
        The recording of these events; findings bear its name.
    events : Sequence[Event]
        Of it, in order of time.

    Returns
    -------
    list[Finding]
        One for each side; empty where all alternate.
    """
    findings = []
    for side in SIDES:
        of_side = [e for e in events if e.side == side]
        twice = [(a, b) for a, b in pairwise(of_side) if a.kind is b.kind]
        if twice:
            a, b = twice[0]
            values = {"side": side, "kind": a.kind, "first_s": a.time_s, "second_s": b.time_s}
            findings.append(Finding("events-out-of-order", values, trial.name))
    return findings
