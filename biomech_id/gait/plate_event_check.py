"""Which plate contacts may say when a foot struck or left: those of stances that would be accepted.

A foot that lands half beside its plate loads it late; one that steps off it, or shares it with the other foot, ends its load at
another time than its stance. Such a load says neither when its foot struck nor when it left, and must not teach the markers their
delay: one late onset would make every step of that side look late. So the rules that decide about kinetics decide about events too.
"""

from __future__ import annotations

from collections.abc import Sequence

from biomech_id.conventions import SIDES
from biomech_id.errors import Finding
from biomech_id.feet.feet import Feet
from biomech_id.feet.stance_intervals import Interval, stance_intervals
from biomech_id.gait.event_merging import merged_events
from biomech_id.gait.verdict import Scene, loads_under, objection
from biomech_id.languages import Sentence
from biomech_id.trial import Event, Trial
from biomech_id.values import dataclass


@dataclass(frozen=True)
class RejectedEvent:
    """A plate event that is not that foot's: which, and what a technician may see.

    Attributes
    ----------
    event : Event
        The event as the plate has it.
    reason : Sentence
        What a technician may see.
    """

    event: Event
    reason: Sentence

    def finding(self, where: str) -> Finding:
        """Return which event is meant, and why it is not used.

        Parameters
        ----------
        where : str
            The file or trial concerned, for the error message.

        Returns
        -------
        Finding
            Under the trial's name, with the rule that refused it.
        """
        event = self.event
        values = {"side": event.side, "kind": event.kind, "time_s": event.time_s, "why": self.reason}
        return Finding("plate-event-distrusted", values, where)


def rejected_plate_events(trial: Trial, feet: Feet, plates: Sequence[Event], markers: Sequence[Event]) -> tuple[RejectedEvent, ...]:
    """Name the plate events whose stance the rules of `gait.verdict` refuse, in order of time.

    A stance that the trial's begin or end cuts is judged by what is seen of it.

    Parameters
    ----------
    trial : Trial
        The recording that the feet and the events are of.
    feet : Feet
        Its feet, the loads on its plates, and the mass that says what is too light to be a whole foot.
    plates, markers : Sequence[Event]
        Events from these loads (`gait.plate_events`), and from markers, which stand in where no plate saw any.

    Returns
    -------
    tuple[RejectedEvent, ...]
        In order of time.
    """
    mass_kg = trial.subject.mass_kg if feet.body_mass_kg is None else feet.body_mass_kg
    joined, time_s = merged_events(plates, markers), feet.landmarks.time_s
    intervals = {side: stance_intervals(joined, side, float(time_s[0]), float(time_s[-1])) for side in SIDES}
    scene = Scene(trial, feet.landmarks, feet.loads, intervals, mass_kg)
    doubts = []
    by_time: dict[tuple[str, float], list[int]] = {}
    for place, event in enumerate(plates):
        by_time.setdefault((event.side, event.time_s), []).append(place)
    for side in SIDES:
        for interval in intervals[side]:
            edges_s = dict.fromkeys((interval.start_s, interval.end_s))
            of_stance = [plates[place] for place in sorted(place for edge in edges_s for place in by_time.get((side, edge), ()))]
            reason = _objection(scene, interval) if of_stance else None
            doubts += [RejectedEvent(event, reason) for event in of_stance if reason]
    return tuple(sorted(doubts, key=lambda doubt: doubt.event))


def _objection(scene: Scene, interval: Interval) -> Sentence | None:
    """What speaks against a stance, or nothing."""
    loads = loads_under(scene, interval)
    return objection(scene, interval, loads) if loads else Sentence("foot-half-on")
