"""What has no size: labels, channels, signs, plates and events exchanged. It is taken back and compared, never fitted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.judgement.diagnosis.of_legs import LEG_LABELS
from biomech_id.judgement.diagnosis.put import edge_axes
from biomech_id.judgement.diagnosis.recorded import Recorded
from biomech_id.trial import ForcePlate, Markers
from biomech_id.trial.events import EventKind
from biomech_id.values import dataclass, replace

#: What a plate's channels become, in its own axes: rows of force and moment.
_X_Y = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
_ONE = np.eye(3)
_CHANNELS: tuple[tuple[str, FloatArray, FloatArray], ...] = (
    ("Fx and Fy exchanged", _X_Y, _ONE), ("Mx and My exchanged", _ONE, _X_Y),
    ("Fx with the other sign", np.diag([-1.0, 1.0, 1.0]), _ONE), ("Fy with the other sign", np.diag([1.0, -1.0, 1.0]), _ONE),
    ("Mx with the other sign", _ONE, np.diag([-1.0, 1.0, 1.0])), ("My with the other sign", _ONE, np.diag([1.0, -1.0, 1.0])),
)  # fmt: skip
#: Class of exchanged labels.
EXCHANGED_LABELS = "labels"
_OTHER = {"L": "R", "R": "L"}
_KIND = {EventKind.FOOT_STRIKE: EventKind.FOOT_OFF, EventKind.FOOT_OFF: EventKind.FOOT_STRIKE}


@dataclass(frozen=True, eq=False)
class TakenBack:
    """One exchange taken back.

    Attributes
    ----------
    name : str
        What was exchanged: "labels LHEE and LTOE exchanged".
    group : str
        Its class.
    session : Recorded
        The session without it.
    kind : str
        Its name without what it is of: "labels exchanged".
    of : str, optional
        Of what: both labels, or numbers of plates.
    """

    name: str
    group: str
    session: Recorded
    kind: str
    of: str = ""


def exchanges(session: Recorded) -> Iterator[TakenBack]:
    """Yield the session with one exchange taken back after the other.

    Parameters
    ----------
    session : Recorded
        The session in memory.

    Yields
    ------
    TakenBack
        Labels first, then plates and their channels, then events.
    """
    every = {side + label: _OTHER[side] + label for side in SIDES for label in LEG_LABELS}
    pairs = [{side + a: side + b, side + b: side + a} for side in SIDES for a, b in combinations(LEG_LABELS, 2)]
    for names in (every, *pairs):
        first, second = sorted(names)[:2]
        name, kind, of = (
            ("left and right labels exchanged", "left and right labels exchanged", "") if names is every else
            (f"labels {first} and {second} exchanged", "labels exchanged", f"{first}, {second}")
        )  # fmt: skip
        walk = replace(session, markers=_renamed(session.markers, names))
        yield TakenBack(name, EXCHANGED_LABELS, walk, kind, of)
        if session.standing is not None:
            both = replace(walk, standing=_renamed(session.standing, names))
            yield TakenBack(f"{name}, static too", EXCHANGED_LABELS, both, f"{kind}, static too", of)
    for i, plate in enumerate(session.plates):
        number = str(i + 1)
        for quarter in (1, 2, 3):
            turned = _with_plates(session, {i: plate.moved(0.0, 0.0, quarter * np.pi / 2)})
            yield TakenBack(f"plate {number} corners", "channels", turned, "plate {} corners", number)
        for words, force, moment in _CHANNELS:
            changed = _with_plates(session, {i: _channels(plate, force, moment)})
            yield TakenBack(f"plate {number} {words}", "channels", changed, f"plate {{}} {words}", number)
    for i, j in combinations(range(len(session.plates)), 2):
        one, other = session.plates[i], session.plates[j]
        if one.force_lab_N.shape == other.force_lab_N.shape:
            crossed = _with_plates(session, {i: _loaded_as(one, other), j: _loaded_as(other, one)})
            yield TakenBack(f"plates {i + 1} and {j + 1} exchanged", "channels", crossed, "plates exchanged", f"{i + 1}, {j + 1}")
    if session.events:
        sides = tuple(replace(event, side=_OTHER.get(event.side, event.side)) for event in session.events)
        kinds = tuple(replace(event, kind=_KIND.get(event.kind, event.kind)) for event in session.events)
        for name, events in (("sides of events exchanged", sides), ("strikes and offs exchanged", kinds)):
            yield TakenBack(name, "events", replace(session, events=events), name)


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
