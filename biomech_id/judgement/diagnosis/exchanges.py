"""What has no size: labels, channels, signs, plates and events exchanged. It is taken back and compared, never fitted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.judgement.diagnosis.of_legs import LEG_LABELS
from biomech_id.judgement.diagnosis.put import edge_axes
from biomech_id.judgement.diagnosis.recorded import Recorded
from biomech_id.trial import ForcePlate, Markers
from biomech_id.trial.events import EventKind

#: What a plate's channels become, in its own axes: rows of force and moment.
_X_Y = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
_ONE = np.eye(3)
_CHANNELS: tuple[tuple[str, FloatArray, FloatArray], ...] = (
    ("Fx and Fy exchanged", _X_Y, _ONE), ("Mx and My exchanged", _ONE, _X_Y),
    ("Fx with the other sign", np.diag([-1.0, 1.0, 1.0]), _ONE), ("Fy with the other sign", np.diag([1.0, -1.0, 1.0]), _ONE),
    ("Mx with the other sign", _ONE, np.diag([-1.0, 1.0, 1.0])), ("My with the other sign", _ONE, np.diag([1.0, -1.0, 1.0])),
)  # fmt: skip
_OTHER = {"L": "R", "R": "L"}
_KIND = {EventKind.FOOT_STRIKE: EventKind.FOOT_OFF, EventKind.FOOT_OFF: EventKind.FOOT_STRIKE}


def exchanges(session: Recorded) -> Iterator[tuple[str, str, Recorded]]:
    """Yield the session with one exchange taken back after the other.

    Parameters
    ----------
    session : Recorded
        The session in memory.

    Yields
    ------
    tuple[str, str, Recorded]
        What was exchanged, its class, and the session without it.
    """
    every = {side + label: _OTHER[side] + label for side in SIDES for label in LEG_LABELS}
    pairs = [{side + a: side + b, side + b: side + a} for side in SIDES for a, b in combinations(LEG_LABELS, 2)]
    for names in (every, *pairs):
        words = "left and right labels exchanged" if names is every else f"labels {' and '.join(sorted(names))} exchanged"
        yield words, "labels", replace(session, markers=_renamed(session.markers, names))
        if session.standing is not None:
            both = replace(session, markers=_renamed(session.markers, names), standing=_renamed(session.standing, names))
            yield f"{words}, static too", "labels", both
    for i, plate in enumerate(session.plates):
        for quarter in (1, 2, 3):
            turned = plate.moved(0.0, 0.0, quarter * np.pi / 2)
            yield f"plate {i + 1} corners", "channels", _with_plates(session, {i: turned})
        for words, force, moment in _CHANNELS:
            yield f"plate {i + 1} {words}", "channels", _with_plates(session, {i: _channels(plate, force, moment)})
    for i, j in combinations(range(len(session.plates)), 2):
        first, second = session.plates[i], session.plates[j]
        if first.force_lab_N.shape == second.force_lab_N.shape:
            crossed = {i: _loaded_as(first, second), j: _loaded_as(second, first)}
            yield f"plates {i + 1} and {j + 1} exchanged", "channels", _with_plates(session, crossed)
    if session.events:
        sides = tuple(replace(event, side=_OTHER.get(event.side, event.side)) for event in session.events)
        kinds = tuple(replace(event, kind=_KIND.get(event.kind, event.kind)) for event in session.events)
        yield "sides of events exchanged", "events", replace(session, events=sides)
        yield "strikes and offs exchanged", "events", replace(session, events=kinds)


def _renamed(markers: Markers, names: dict[str, str]) -> Markers:
    columns = [markers.names.index(names.get(name, name)) for name in markers.names]
    return markers.with_positions(markers.position_m[:, columns])


def _with_plates(session: Recorded, changed: dict[int, ForcePlate]) -> Recorded:
    return replace(session, plates=tuple(changed.get(i, plate) for i, plate in enumerate(session.plates)))


def _channels(plate: ForcePlate, force: FloatArray, moment: FloatArray) -> ForcePlate:
    R = edge_axes(plate)
    force_N, moment_Nm = (
        values @ R @ change.T @ R.T for values, change in ((plate.force_lab_N, force), (plate.moment_lab_Nm, moment))
    )
    return replace(plate, force_lab_N=force_N, moment_lab_Nm=moment_Nm)


def _loaded_as(place: ForcePlate, load: ForcePlate) -> ForcePlate:
    """One plate with the channels of another, in its own axes."""
    R = edge_axes(place) @ edge_axes(load).T
    return replace(place, force_lab_N=load.force_lab_N @ R.T, moment_lab_Nm=load.moment_lab_Nm @ R.T)
