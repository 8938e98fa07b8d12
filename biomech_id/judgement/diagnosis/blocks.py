"""Blocks: causes of several numbers at once, from causes of the dictionary and further ways of the markers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from biomech_id.conventions import SIDES
from biomech_id.judgement.diagnosis import put
from biomech_id.judgement.diagnosis.causes import Cause, Possible
from biomech_id.judgement.diagnosis.gaits import AID, BESIDE_FEET, GAIT, gait_changes
from biomech_id.judgement.diagnosis.recorded import Recorded
from biomech_id.values import dataclass

#: Marker -> segment whose axes it is moved along, and its ways that stand in blocks alone: with those of the dictionary three. The
#: measured distance of the anterior spines speaks for the third way of their markers.
ASIDE: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "KNE": ("thigh", ()), "ANK": ("shank", ("up",)), "THI": ("thigh", ("lateral", "up")), "TIB": ("shank", ("lateral", "up")),
    "HEE": ("foot", ("forward",)), "TOE": ("foot", ("forward",)), "ASI": ("pelvis", ()),
}  # fmt: skip
#: When a marker came to lie aside.
WHEN = ("whole", "since", "mid")
#: Scopes of the causes that one plate does not fit by.
OF_PLATE = ("plate", "stance")
#: Block -> how the names of its causes begin, and its class.
SEVERAL: Mapping[str, tuple[tuple[str, ...], str]] = {
    "measurements of another visit": (
        ("mass", "L leg length", "R leg length", "knee widths", "ankle widths", "ASIS distance", "height"), "measurements"),
    "stored offsets of another day": (tuple(f"{side} stored" for side in SIDES), "offsets"),
    "cameras and plates without common origin": (
        ("all plates dx", "all plates dy", "all plates dz", "all plates yaw", "cameras tilted"), "cameras"),
    "feet not flat in the static trial": (("both heels", "both forefeet"), "feet not flat"),
    "an aid that nobody states": (("aid, ",), AID),
    "an aid on the plates that nobody states": (("aid",), AID),
    "an aid beside the feet that nobody states": ((BESIDE_FEET,), AID),
}  # fmt: skip


def further(session: Recorded) -> list[Possible]:
    """Return the ways of markers that stand in blocks alone.

    Parameters
    ----------
    session : Recorded
        The session in memory.

    Returns
    -------
    list[Possible]
        Together with the dictionary's they make three ways of every marker.
    """
    several = [
        Possible(f"{side}{label} {way}, {when}", side, _aside(label, f"{segment}:{way}", when))
        for side in SIDES for label, (segment, ways) in ASIDE.items() for way in ways for when in WHEN
    ]  # fmt: skip
    return [one for one in several if one.into(session, 0.0) is not None]


def _aside(label: str, along: str, when: str) -> Cause:
    return Cause("leg", "mm", 20.0, "", partial(put.aside, label, along, when))


@dataclass(frozen=True)
class CauseBlock:
    """Several causes at once.

    Attributes
    ----------
    kind : str
        What it is called, with "{}" for its side or plate.
    group : str
        Its class.
    places : Sequence[int]
        Of its causes among all.
    of : str, optional
        "L", "R" or the number of a plate.
    """

    kind: str
    group: str
    places: Sequence[int]
    of: str = ""

    @property
    def name(self) -> str:
        """What it is called: "LKNE aside, whole"."""
        return self.kind.format(self.of)


def blocks_of(causes: Sequence[Possible], session: Recorded) -> list[CauseBlock]:
    """Return the blocks of a session.

    Parameters
    ----------
    causes : Sequence[Possible]
        The dictionary's and `further`.
    session : Recorded
        The session in memory.

    Returns
    -------
    list[CauseBlock]
        Those of two causes and more.
    """
    made = [
        CauseBlock(name, group, [i for i, one in enumerate(causes) if one.name.startswith(begins)])
        for name, (begins, group) in SEVERAL.items()
    ]
    for side in SIDES:
        for label in ASIDE:
            for when in WHEN:
                places = [
                    i for i, one in enumerate(causes) if one.name.startswith(f"{side}{label} ") and one.name.endswith(f", {when}")
                ]
                made.append(CauseBlock(f"{{}}{label} aside, {when}", f"{label} aside", places, side))
    for gait in gait_changes():
        places = [i for i, one in enumerate(causes) if one.row.group == GAIT and one.name.endswith(f" {gait}")]
        made.append(CauseBlock(gait, GAIT, places))
    if session.standing is not None:
        since = [i for i, one in enumerate(causes) if one.name.endswith(", since")]
        made.append(CauseBlock("static of another day", "static", since))
    for number in {one.unit for one in causes if one.row.scope == "plate"}:
        places = [i for i, one in enumerate(causes) if one.row.scope in OF_PLATE and one.unit == number and one.row.put]
        made.append(CauseBlock("plate {} does not fit", "plate", places, number))
    return [block for block in made if len(block.places) > 1]
