"""What somebody decided about a session after looking at it, and the events and cycles of a trial that follow from it.

A time names the event, or the cycle that begins, nearest to it, within `NEAREST_S`; a decision about nothing is refused, for it was
meant. Verdicts on stances are followed where feet are put on plates (`gait.by_hand`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from biomech_id.errors import Finding, OptionError
from biomech_id.gait.by_hand import NEAREST_S, StanceVerdict
from biomech_id.gait.event_findings import out_of_order
from biomech_id.languages import Sentence
from biomech_id.movement.cycle import Cycle
from biomech_id.movement.events import EventSearch
from biomech_id.trial import Event, EventKind, EventSource, Trial
from biomech_id.values import dataclass, fields, replace


def without_remarks(review: Review) -> Review:
    """Return decisions without comments, reasons and authors: what a person may be known by.

    Parameters
    ----------
    review : Review
        What was decided by hand.

    Returns
    -------
    Review
        The same decisions, with comments gone and texts empty.
    """
    bare = {
        each.name: tuple(replace(decision, reason="", author="") for decision in getattr(review, each.name))
        for each in fields(review)
        if each.name not in ("file", "comments")
    }
    return replace(review, comments=(), file="", **bare)


@dataclass(frozen=True)
class CycleChoice:
    """Whether one cycle enters means, whatever the rules say of it.

    Attributes
    ----------
    trial : str
        Name of the trial.
    side : str
        Foot whose cycle it is: "L" or "R".
    start_s : float
        Strike that opens the cycle, absolute seconds.
    use : bool
        True puts the cycle into the means, False leaves it out.
    reason : str, optional
        Why it was decided; printed with the cycle.
    author : str, optional
        Who decided it, as it was written.
    """

    trial: str
    side: str
    start_s: float
    use: bool
    reason: str = ""
    author: str = ""

    def __str__(self) -> str:
        return f"{self.trial} {self.side} cycle from {self.start_s:.9g} s {'in' if self.use else 'out'}"

    @property
    def said(self) -> Sentence:
        """The decision as a reason of the cycle."""
        return Sentence("cycle-in-by-hand" if self.use else "cycle-out-by-hand", {"author": self.author, "reason": self.reason})


@dataclass(frozen=True)
class EventChange:
    """One foot strike or foot off that is moved, added or taken away.

    Attributes
    ----------
    trial : str
        Name of the trial.
    side : str
        Foot whose event it is: "L" or "R".
    kind : EventKind
        Foot strike or foot off.
    time_s : float
        When it is, absolute seconds.
    new_time_s : float | None, optional
        Where it is moved to; None leaves it there.
    new : bool, optional
        Whether it is added at ``time_s``.
    deleted : bool, optional
        Whether it is taken away.
    reason : str, optional
        Why it was changed; printed with the event.
    author : str, optional
        Who changed it, as it was written.
    """

    trial: str
    side: str
    kind: EventKind
    time_s: float
    new_time_s: float | None = None
    new: bool = False
    deleted: bool = False
    reason: str = ""
    author: str = ""

    def __str__(self) -> str:
        what = "new" if self.new else "deleted" if self.deleted else f"to {self.new_time_s:.9g} s"
        return f"{self.trial} {self.side} {self.kind} at {self.time_s:.9g} s {what}"


@dataclass(frozen=True)
class Comment:
    """What somebody noticed at one moment of a trial.

    Attributes
    ----------
    trial : str
        Name of the trial.
    time_s : float
        Moment that it is about, absolute seconds.
    text : str
        What was noticed; printed in the report.
    reason : str, optional
        Why it was noted.
    author : str, optional
        Who noticed it, as it was written.
    """

    trial: str
    time_s: float
    text: str
    reason: str = ""
    author: str = ""

    def __str__(self) -> str:
        return f"comment on {self.trial} at {self.time_s:.9g} s"

    @property
    def finding(self) -> Finding:
        """What is printed beside the trial's findings."""
        values = {"time_s": self.time_s, "text": self.text, "author": self.author}
        return Finding("comment-by-hand", values, self.trial)


@dataclass(frozen=True)
class Repair:
    """Something of the recordings themselves that somebody puts right, where they are read.

    Attributes
    ----------
    kind : str
        What is put right: one of `gait.repairs.REPAIRS`.
    what : tuple[str | int, ...]
        Two markers or two channels that are exchanged; a plate's number and the axis of its own along which it is mirrored, and
        one of `PLATE_PARTS` where the pressure stays; the file of the static trial; names of copies that count all the same.
    since : str, optional
        The first trial that it is about, in the order of names; empty for the first of all.
    trials : tuple[str, ...], optional
        Trials that it is about; empty for all.
    reason : str, optional
        Why it has to be put right; printed in the history.
    author : str, optional
        Who put it right, as it was written.
    """

    kind: str
    what: tuple[str | int, ...]
    since: str = ""
    trials: tuple[str, ...] = ()
    reason: str = ""
    author: str = ""

    def __str__(self) -> str:
        return f"repair of {self.kind}: {', '.join(map(str, self.what))}"

    def concerns(self, trial: str, names: Sequence[str]) -> bool:
        """Whether a trial is one that it is about.

        Parameters
        ----------
        trial : str
            Name of the trial that is asked about.
        names : Sequence[str]
            Of all trials, in order.

        Returns
        -------
        bool
            True for the trials named, else for all from ``since`` on.
        """
        later = not self.since or names.index(trial) >= names.index(self.since)
        return later and (not self.trials or trial in self.trials)

    @property
    def named(self) -> tuple[str, ...]:
        """Trials that it names."""
        copies = tuple(map(str, self.what)) if self.kind == "copy" else ()
        return (*self.trials, *filter(None, [self.since]), *copies)

    @property
    def said(self) -> Sentence:
        """What is said of a trial that was repaired."""
        return Sentence("repaired", {"kind": self.kind, "what": self.what, "author": self.author, "reason": self.reason})


@dataclass(frozen=True)
class Placement:
    """Markers that were stuck on anew within a session: from a trial on another static trial calibrates.

    Attributes
    ----------
    since : str
        The first trial with the markers as they are now, in the order of names; it may be their static trial.
    markers : tuple[str, ...]
        Which were stuck on anew.
    static : str
        The recording of quiet standing with them, of this session.
    one_mean : bool, optional
        Whether trials before and after may be averaged together, because somebody says so.
    reason : str, optional
        Why they were stuck on anew; the report prints it.
    author : str, optional
        Who decided it; the report prints it.
    """

    since: str
    markers: tuple[str, ...]
    static: str
    one_mean: bool = False
    reason: str = ""
    author: str = ""

    def __str__(self) -> str:
        return f"placement since {self.since}: {', '.join(self.markers)}"


Decision = StanceVerdict | CycleChoice | EventChange | Comment | Repair | Placement


def trials_named(decision: Decision) -> tuple[str, ...]:
    """Return the trials that a decision names.

    Parameters
    ----------
    decision : Decision
        Any kind of decision of a review.

    Returns
    -------
    tuple[str, ...]
        One, of a repair any number.
    """
    if isinstance(decision, Placement):
        return (decision.since, decision.static)
    return decision.named if isinstance(decision, Repair) else (decision.trial,)


@dataclass(frozen=True)
class Review:
    """Everything decided by hand about a session.

    Attributes
    ----------
    verdicts : tuple[StanceVerdict, ...], optional
        On stances; where two mean one stance the later one counts.
    cycles : tuple[CycleChoice, ...], optional
        In means or out of them.
    events : tuple[EventChange, ...], optional
        Moved, added or taken away.
    comments : tuple[Comment, ...], optional
        Printed, and nothing else.
    repairs : tuple[Repair, ...], optional
        Applied where recordings are read, in this order.
    placements : tuple[Placement, ...], optional
        Markers that were stuck on anew, each from a trial on.
    file : str, optional
        Name of the file that says so; empty where a recipe does.
    """

    verdicts: tuple[StanceVerdict, ...] = ()
    cycles: tuple[CycleChoice, ...] = ()
    events: tuple[EventChange, ...] = ()
    comments: tuple[Comment, ...] = ()
    file: str = ""
    repairs: tuple[Repair, ...] = ()
    placements: tuple[Placement, ...] = ()

    def __iter__(self) -> Iterator[Decision]:
        return chain(self.verdicts, self.cycles, self.events, self.comments, self.repairs, self.placements)

    def of_trial(self, name: str) -> Review:
        """Return what is said of one trial.

        Parameters
        ----------
        name : str
            Name of the trial that is asked about.

        Returns
        -------
        Review
            The decisions that name this trial.
        """
        kept: dict[str, Any] = {
            each.name: tuple(decision for decision in getattr(self, each.name) if name in trials_named(decision))
            for each in fields(self)
            if each.name != "file"
        }
        return replace(self, **kept)


def corrected(trial: Trial, search: EventSearch, review: Review) -> EventSearch:
    """Return the events of a trial as somebody wants them, and say of it; comments are said here too.

    Parameters
    ----------
    trial : Trial
        The recording that the events are of.
    search : EventSearch
        Its events as found.
    review : Review
        What is said of this trial.

    Returns
    -------
    EventSearch
        Events in order of time; findings say what was changed by hand.

    Raises
    ------
    OptionError
        See `apply_events`.
    """
    noted = tuple(comment.finding for comment in review.comments)
    if not review.events:
        return replace(search, findings=(*search.findings, *noted))
    events = apply_events(trial, search.events, review.events)
    # Whether strikes and offs alternate is known only now.
    findings = [finding for finding in search.findings if finding.rule != "events-out-of-order"]
    counts = {
        "added": sum(change.new for change in review.events),
        "deleted": sum(change.deleted for change in review.events),
        "moved": sum(change.new_time_s is not None for change in review.events),
    }
    by_hand = Finding("events-by-hand", {**counts, "file": review.file}, trial.name)
    return replace(search, events=events, findings=(*findings, *out_of_order(trial, events), by_hand, *noted))


def apply_events(trial: Trial, events: Sequence[Event], changes: Iterable[EventChange]) -> tuple[Event, ...]:
    """Return a trial's events with those that somebody moved, added or took away, in order of time.

    Every change is about the events as they were found: the order in which changes are written decides nothing.

    Parameters
    ----------
    trial : Trial
        The recording that the events are of.
    events : Sequence[Event]
        Events as found, before anybody changed them.
    changes : Iterable[EventChange]
        Changes that name this trial, in the order written.

    Returns
    -------
    tuple[Event, ...]
        Those that were moved or added have the source ``EventSource.HAND``.

    Raises
    ------
    OptionError
        A change of an event that is not there, or that another change is about already; one that is added where there is one, or
        lies outside the recording.
    """
    left, added = list(events), []
    for change in changes:
        alike = {e.time_s: e for e in events if (e.side, e.kind) == (change.side, change.kind)}
        near = nearest(change.time_s, alike)
        is_there = near is not None and abs(near - change.time_s) <= _REACH_S
        to_s = change.new_time_s if change.new_time_s is not None else change.time_s
        if change.new and is_there:
            _refuse(change, f"but there is one at {near:.3f} s already", "an event that is not there yet")
        elif not change.new and not is_there:
            _refuse(change, "but there is none" + (f"; the nearest is at {near:.3f} s" if near is not None else ""), _EXPECTED)
        if not change.deleted and not trial.first_time_s <= to_s <= trial.first_time_s + (trial.n_frames - 1) / trial.rate_hz:
            _refuse(change, "which lies outside the recording", "a time within the recording")
        if near is not None and not change.new:
            if alike[near] not in left:
                _refuse(change, "but another change is about that event already", "one change for each event")
            left.remove(alike[near])
        if not change.deleted:
            added.append(Event(to_s, change.side, change.kind, EventSource.HAND))
    return tuple(sorted([*left, *added]))


def apply_cycles(cycles: Sequence[Cycle], choices: Iterable[CycleChoice]) -> tuple[Cycle, ...]:
    """Return cycles with what somebody decided about them.

    Parameters
    ----------
    cycles : Sequence[Cycle]
        Cycles of one trial, of both sides.
    choices : Iterable[CycleChoice]
        Of this trial; where two mean one cycle the later one counts.

    Returns
    -------
    tuple[Cycle, ...]
        In their order, with the decision among the reasons of those it is about.

    Raises
    ------
    OptionError
        A choice names no cycle.
    """
    chosen: dict[int, CycleChoice] = {}
    for choice in choices:
        starts = {cycle.start_s: number for number, cycle in enumerate(cycles) if cycle.side == choice.side}
        chosen[starts[meant_start_s(choice, list(starts))]] = choice
    return tuple(
        replace(cycle, chosen=decision.use, reasons=(*cycle.reasons, decision.said)) if (decision := chosen.get(number)) else cycle
        for number, cycle in enumerate(cycles)
    )


def meant_start_s(choice: CycleChoice, starts_s: Sequence[float]) -> float:
    """Return the start of the cycle that a choice is about.

    Parameters
    ----------
    choice : CycleChoice
        Decision that names the cycle by its strike.
    starts_s : Sequence[float]
        Starts of that side's cycles, absolute seconds.

    Returns
    -------
    float
        Absolute seconds, one of ``starts_s``.

    Raises
    ------
    OptionError
        None of them lies within `NEAREST_S`.
    """
    near = nearest(choice.start_s, starts_s)
    if near is None or abs(near - choice.start_s) > _REACH_S:
        where = "has no cycle of that side" if near is None else f"has none there; the nearest begins at {near:.3f} s"
        raise OptionError(
            f"The review names a cycle of {choice.trial}, side {choice.side}, from {choice.start_s:.3f} s, but the trial {where}.",
            value=choice.start_s, expected=_EXPECTED, where=choice.trial,
        )  # fmt: skip
    return near


def nearest(time_s: float, known_s: Iterable[float]) -> float | None:
    """Return the known time that is nearest to one that was written; None where there is none.

    Parameters
    ----------
    time_s : float
        The time that was written, absolute seconds.
    known_s : Iterable[float]
        Absolute seconds; NaN is not known.

    Returns
    -------
    float | None
        Absolute seconds, one of the known times, however far it is.

    Examples
    --------
    >>> from biomech_id.gait.review import nearest
    >>> nearest(1.02, [0.4, 1.0, 1.6])
    1.0
    """
    return min((known for known in known_s if known == known), key=lambda known: abs(known - time_s), default=None)


#: A float's last digit does not decide.
_REACH_S = NEAREST_S + 1e-9
_EXPECTED = f"a time within {NEAREST_S * 1e3:.0f} ms of one that there is"


def _refuse(change: EventChange, but: str, expected: str) -> None:
    what = "adds" if change.new else "deletes" if change.deleted else "moves"
    to = "" if change.new_time_s is None else f" to {change.new_time_s:.3f} s"
    raise OptionError(
        f"The review {what} a {change.kind.lower()} of {change.trial}, side {change.side}, at {change.time_s:.3f} s{to}, {but}.",
        value=change.time_s, expected=expected, where=change.trial,
    )  # fmt: skip


def decision_records(decisions: Iterable[Decision]) -> list[dict[str, Any]]:
    """Return decisions as ``summary.json`` holds them.

    Parameters
    ----------
    decisions : Iterable[Decision]
        Decisions of a review, of any kind.

    Returns
    -------
    list[dict[str, Any]]
        One for each decision: its kind under "decision", and its fields as JSON can hold them.
    """
    kinds = {
        CycleChoice: "cycle", EventChange: "event", Comment: "comment", StanceVerdict: "verdict", Repair: "repair",
        Placement: "placement",
    }  # fmt: skip
    return [{"decision": kinds[type(decision)], **_plain(decision)} for decision in decisions]


def _plain(decision: Decision) -> Mapping[str, Any]:
    values = {each.name: getattr(decision, each.name) for each in fields(decision)}
    return {
        name: list(value) if isinstance(value, tuple) else str(value) if isinstance(value, EventKind) else value
        for name, value in values.items()
    }
