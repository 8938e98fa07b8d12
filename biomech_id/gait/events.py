"""Gait events of a trial: those stored in the file, else from force plates, else from markers; all sources cross-checked.

A side's events alternate: strike, off, strike. Stored events lead, because somebody may have checked them; what they leave out is
completed where the alternation breaks, and before the first and after the last of them: many laboratories store the one strike of
each foot that is on a plate. Without stored events the plates give every event they see, and the markers the rest. Those of
markers are shifted by what those that stand, of the same trial, side and kind, teach about their delay.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from biomech_id.arguments import Kind, a, or_none, takes
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import Finding, InvalidValueError, MissingInputError, OptionError
from biomech_id.feet.contacts import CONTACT
from biomech_id.feet.feet import Feet, find_feet
from biomech_id.feet.movements import TrialKind
from biomech_id.feet.travel import Travel
from biomech_id.gait.event_findings import COMPARED_S, GAIT_KINDS, beside_markers, far_from_force, out_of_order, unlike_feet
from biomech_id.gait.event_merging import EventsByTime, completed_events, merged_events
from biomech_id.gait.marker_events import MarkerTiming, marker_events
from biomech_id.gait.plate_event_check import rejected_plate_events
from biomech_id.gait.plate_events import SAME_EVENT_S, plate_events
from biomech_id.languages import Sentence
from biomech_id.movement.events import Agreement as Agreement
from biomech_id.movement.events import EventSearch as EventSearch
from biomech_id.plugins import Registry
from biomech_id.trial import Event, EventKind, EventSource, Trial
from biomech_id.trial.subject import BODY_MASS

SOURCES = ("auto", "file", "plates", "markers")
#: Finds the events of a trial that was tracked: somebody's own.
Detector = Callable[[Trial, BodyMotion | None], Iterable[Event]]
_DETECTORS: Registry[str, Detector] = Registry("event detector")


def is_source(name: object) -> bool:
    """Whether events can be had from a source of that name, a detector of somebody's own included.

    Parameters
    ----------
    name : object
        "auto", "file", "plates", "markers", or that of a detector.
    """
    return isinstance(name, str) and (name in SOURCES or name in _DETECTORS)


def register_detector(name: str, detector: Detector) -> None:
    """Let recipes name a detector as the source of events.

    Its events lead as stored ones would, and plates and markers check them.

    Parameters
    ----------
    name : str
        What recipes call it, ``event_source = "ours"``.
    detector : Detector
        (trial, motion) -> the trial's foot strikes and foot offs; motion is None where nothing was tracked.

    Raises
    ------
    OptionError
        The name is taken, by another detector or by a source of the library's.
    """
    if name in SOURCES:
        raise OptionError(
            f"There is a source of events {name} already.", value=name, expected="a name of its own", where="register_detector"
        )
    _DETECTORS.add(name, detector)


def detector_as(name: str, detector: Detector) -> AbstractContextManager[None]:
    """Let recipes name a detector of somebody's own as the source of events until the end of the block.

    Parameters
    ----------
    name : str
        What recipes call it.
    detector : Detector
        (trial, motion) -> the trial's foot strikes and foot offs.

    Returns
    -------
    AbstractContextManager[None]
        Recipes know the detector within the block.
    """
    return _DETECTORS.within(name, detector)


SOURCE = Kind(f"one of {', '.join(map(repr, SOURCES))}", lambda v: isinstance(v, str), is_source, choices=SOURCES)
_SEARCH = {
    "trial": a(Trial, "read_c3d(path) returns it"), "motion": or_none(a(BodyMotion, "a model's track(trial) returns it")),
    "source": SOURCE, "body_mass_kg": or_none(BODY_MASS), "contact_N": CONTACT, "timing": or_none(a(MarkerTiming)),
}  # fmt: skip
#: Two stored events of one side and kind closer than this are one event, written twice.
TWICE_S = 0.05


@takes(**_SEARCH)
def find_events(
    trial: Trial,
    motion: BodyMotion | None = None,
    *,
    source: str = "auto",
    body_mass_kg: float | None = None,
    contact_N: float = 0.0,
    timing: MarkerTiming | None = None,
) -> tuple[Event, ...]:
    """Find foot strikes and foot offs of both feet, in order of time (see `search_events`, which also says how).

    Parameters
    ----------
    trial : Trial
        The recording, with markers, plates or stored events.
    motion : BodyMotion | None, optional
        The trial, tracked; None takes the markers alone.
    source : str, optional
        "auto" (file, else plates, else markers), or one of them alone ("plates" still asks the markers which foot it is).
    body_mass_kg : float | None, optional
        Kilograms; None where it is not known.
    contact_N : float, optional
        For the contact threshold, see `feet.contacts.find_contacts`.
    timing : MarkerTiming | None, optional
        Marker delays learnt from other trials of the same subject; the trial's own plates come first.

    Returns
    -------
    tuple[Event, ...]
        Strikes and offs of both feet, absolute seconds, in order of time, each with its source and standard deviation.
    """
    search = search_events(trial, motion, source=source, body_mass_kg=body_mass_kg, contact_N=contact_N, timing=timing)
    return search.events


@takes("find_events", **_SEARCH)
def search_events(
    trial: Trial,
    motion: BodyMotion | None = None,
    *,
    source: str = "auto",
    body_mass_kg: float | None = None,
    contact_N: float = 0.0,
    timing: MarkerTiming | None = None,
    feet: Feet | None = None,
) -> EventSearch:
    """Find foot strikes and foot offs, and compare every source of them.

    Parameters
    ----------
    trial : Trial
        The recording, and what tracking it gave (for the feet's outlines; optional).
    motion : BodyMotion | None, optional
        The recording, and what tracking it gave (for the feet's outlines; optional).
    source : str, optional
        "auto" (file, else plates, else markers), or one of them alone ("plates" still asks the markers which foot it is).
    body_mass_kg : float | None, optional
        For the contact threshold, see `feet.contacts.find_contacts`.
    contact_N : float, optional
        For the contact threshold, see `feet.contacts.find_contacts`.
    timing : MarkerTiming | None, optional
        Marker delays learnt from other trials of the same subject (`learn_timing`); the trial's own plates come first.
    feet : Feet | None, optional
        Feet of the trial where they are known already (`feet.feet.find_feet`).

    Returns
    -------
    EventSearch
        Those used, in order of time, what each source alone says, and the findings.

    Raises
    ------
    WrongTypeError
        Something else than a trial.
    OptionError
        No such source.
    MissingInputError
        "file" without stored events, or markers and plates without any foot to see.
    """
    if source in _DETECTORS:
        # They lead as stored ones would, and plates and markers check them.
        own = (replace(event, source=EventSource.HAND, method=source) for event in _DETECTORS[source](trial, motion))
        trial, source = replace(trial, events=tuple(own)), "file"
    stored = events_in_file(trial)
    if source == "file" and not stored:
        raise MissingInputError(
            f"{trial.name} stores no gait events; let them be found (event_source auto).",
            value=0, expected="foot strikes and foot offs in the file", where=trial.name,
        )  # fmt: skip
    try:
        feet = feet or find_feet(trial, motion, body_mass_kg=body_mass_kg, contact_N=contact_N)
    except MissingInputError as unseen:
        if stored:
            finding = Finding("events-unchecked", {"refusal": unseen.message}, trial.name)
            return EventSearch(stored, {"file": stored}, findings=(finding,))
        raise
    if not feet.travel.kind.stepping:
        return _without_gait(trial, stored, feet.travel)
    return _search(trial, feet, stored, source, timing)


def events_in_file(trial: Trial) -> tuple[Event, ...]:
    """Foot strikes and foot offs stored in the file, with a side; of an event that is stored twice, the first.

    Parameters
    ----------
    trial : Trial
        The recording, with the events that its file stores.

    Returns
    -------
    tuple[Event, ...]
        In the order of the trial's events; empty where the file stores none with a side.
    """
    events: list[Event] = []
    kept_s: dict[tuple[str, EventKind], list[float]] = {}
    for event in trial.events:
        if event.kind not in GAIT_KINDS or event.side not in SIDES:
            continue
        times_s = kept_s.setdefault((event.side, event.kind), [])
        place = bisect_left(times_s, event.time_s)
        if all(abs(each_s - event.time_s) >= TWICE_S for each_s in times_s[max(0, place - 1) : place + 1]):
            times_s.insert(place, event.time_s)
            events.append(event)
    return tuple(events)


def learn_timing(plate: Iterable[Event], marker: Sequence[Event]) -> MarkerTiming:
    """Learn from events that plates and markers both see how early the markers are: the median for each side and kind.

    A side that no plate saw takes over what was learnt from the other one.

    Parameters
    ----------
    plate : Iterable[Event]
        Events of one or several trials, of the same subject.
    marker : Sequence[Event]
        Events of one or several trials, of the same subject.

    Returns
    -------
    MarkerTiming
        (side, kind) -> seconds that markers are early; without events that both see nothing.
    """
    return MarkerTiming(_lent({key: float(np.median(later)) for key, (later, _) in _later(plate, marker).items()}))


def anchored_timing(anchors: Iterable[Event], marker: Sequence[Event]) -> MarkerTiming:
    """Learn from the events that stand how much later than the markers they are, and how certain that is.

    Parameters
    ----------
    anchors : Iterable[Event]
        Stored ones, and those of plates beside them.
    marker : Sequence[Event]
        Of the same trial.

    Returns
    -------
    MarkerTiming
        As `learn_timing` has it; one event teaches no better than markers see it, several no better than they agree.
    """
    seen = _later(anchors, marker)
    sd_s = {}
    for key, (later, seen_sd_s) in seen.items():
        one_s = float(np.hypot.reduce(seen_sd_s)) / len(later) ** 0.5
        sd_s[key] = max(one_s, float(np.std(later))) / len(later) ** 0.5
    return MarkerTiming(_lent({key: float(np.median(later)) for key, (later, _) in seen.items()}), _lent(sd_s))


def _later(anchors: Iterable[Event], marker: Sequence[Event]) -> dict[tuple[str, EventKind], tuple[list[float], list[float]]]:
    """Of every side and kind: how much later than the markers' each event is, and how uncertain the markers' are, s."""
    seen: dict[tuple[str, EventKind], tuple[list[float], list[float]]] = {}
    markers = EventsByTime(marker)
    for event in anchors:
        near = markers.nearest(event, SAME_EVENT_S)
        if near is not None:
            later, sd_s = seen.setdefault((event.side, event.kind), ([], []))
            later.append(event.time_s - near.time_s)
            sd_s.append(1e-3 * (near.sd_ms or 0.0))
    return seen


def _lent(of: dict[tuple[str, EventKind], float]) -> dict[tuple[str, EventKind], float]:
    """What is known of one side alone, for the other one too."""
    for kind in GAIT_KINDS:
        for side, other in (("L", "R"), ("R", "L")):
            if (other, kind) in of:
                of.setdefault((side, kind), of[other, kind])
    return of


def event_agreement(by_source: Mapping[str, Sequence[Event]]) -> tuple[Agreement, ...]:
    """Compare every pair of sources: of the events both have, the median and the largest difference of their times.

    Parameters
    ----------
    by_source : Mapping[str, Sequence[Event]]
        Source -> its events.

    Returns
    -------
    tuple[Agreement, ...]
        One for each pair of sources, side and kind that have an event in common.
    """
    rows = []
    names = [name for name in by_source if by_source[name]]
    for reference, source in combinations(names, 2):
        for side, kind in product(SIDES, GAIT_KINDS):
            pairs = _pairs(by_source[source], by_source[reference], side, kind)
            if pairs:
                worst = max(pairs, key=abs)
                rows.append(Agreement(side, kind, source, reference, len(pairs), float(np.median(pairs)), worst))
    return tuple(rows)


def _without_gait(trial: Trial, stored: tuple[Event, ...], travel: Travel) -> EventSearch:
    """A trial without gait has no events, and says why unless it stands still; stray ones stored in it are named and left aside."""
    if not stored:
        still = travel.kind is TrialKind.STATIC
        return EventSearch((), findings=() if still else (Finding("no-gait", {"travel": travel.reason}, trial.name),))
    finding = Finding("events-without-gait", {"n": len(stored), "travel": travel.reason}, trial.name)
    return EventSearch((), {"file": stored}, findings=(finding,))


def _search(trial: Trial, feet: Feet, stored: tuple[Event, ...], source: str, timing: MarkerTiming | None) -> EventSearch:
    findings = [Finding("foot-not-seen", {"side": side}, trial.name) for side in SIDES if side not in feet.landmarks.sides]
    try:
        markers = marker_events(feet.landmarks, feet.travel)
    except InvalidValueError:  # no walk
        markers = ()
        refusal = Sentence("markers-see-no-walk", {"travel": feet.travel.reason})
        findings.append(Finding("marker-events-refused", {"refusal": refusal}, trial.name))
    plates = plate_events(trial, feet.landmarks, feet.loads, markers)
    by_source = {name: events for name, events in (("file", stored), ("plate", plates), ("marker", markers)) if events}
    # Where markers see no events (a run) a doubtful time is better than a step that vanishes; its stance says what is wrong.
    doubts = rejected_plate_events(trial, feet, plates, markers) if markers else ()
    findings += [doubt.finding(trial.name) for doubt in doubts]
    rejected = tuple(doubt.event for doubt in doubts)
    distrusted = set(rejected)
    trusted = tuple(e for e in plates if e not in distrusted)
    led = source == "auto" and bool(stored)
    anchors = merged_events(stored, trusted) if led else trusted
    learnt = anchored_timing(anchors, markers) if led else learn_timing(trusted, markers)
    delay = learnt if learnt.delay_s else timing or learnt
    shifted = tuple(sorted(delay.corrected(e) for e in markers))
    detected = merged_events(trusted, shifted)
    if source == "markers":
        events = markers
    elif source == "plates":
        events = plates
    elif stored:
        events = completed_events(stored, detected) if led else stored
    else:
        events = detected
    agreement = event_agreement(by_source | {"plate": trusted})
    findings += [*out_of_order(trial, events), *far_from_force(trial, agreement, events), *unlike_feet(trial, stored, markers)]
    if source == "plates":
        stepped = {event.side for event in plates}
        findings += [Finding("plates-show-no-step", {"side": side}, trial.name) for side in SIDES if side not in stepped]
    findings += beside_markers(trial, anchors, markers, events) if source == "auto" else ()
    return EventSearch(events, by_source, agreement, rejected, delay, tuple(findings))


def _pairs(events: Sequence[Event], references: Sequence[Event], side: str, kind: EventKind) -> list[float]:
    own, theirs = ([e for e in each if e.side == side and e.kind is kind] for each in (events, references))
    known = EventsByTime(own)
    near = ((known.nearest(reference, COMPARED_S), reference) for reference in theirs)
    return [nearest.time_s - reference.time_s for nearest, reference in near if nearest is not None]
