"""The body's segments and joints, as one tree of data; a further segment is a further row.

A segment hangs on the segment proximal to it by one joint, named after where it is: the shank hangs on the thigh by the knee. The
root hangs on nothing. A place in the body is a `Part`, (side, segment) or (side, joint), whose side is "" in the middle.
"""

from __future__ import annotations

from biomech_id.errors import InvalidValueError
from biomech_id.values import dataclass

#: (side, segment) or (side, joint): ("R", "shank"), ("", "pelvis").
Part = tuple[str, str]
SIDE_WORDS: dict[str, str] = {"L": "left", "R": "right", "": ""}


@dataclass(frozen=True)
class BodySegment:
    """One row of the tree.

    Attributes
    ----------
    name : str
        Name of the segment, "shank".
    joint : str
        The joint that it hangs on, "knee"; "" for the root.
    proximal : str
        The segment it hangs on, "thigh"; "" for the root.
    sided : bool
        Whether there is a left and a right one.
    """

    name: str
    joint: str
    proximal: str
    sided: bool = True


#: Every segment, a proximal one before those that hang on it.
SEGMENTS: tuple[BodySegment, ...] = (
    BodySegment("pelvis", "", "", sided=False),
    BodySegment("thigh", "hip", "pelvis"),
    BodySegment("shank", "knee", "thigh"),
    BodySegment("foot", "ankle", "shank"),
    BodySegment("thorax", "waist", "pelvis", sided=False),
    BodySegment("head", "neck", "thorax", sided=False),
    BodySegment("humerus", "shoulder", "thorax"),
    BodySegment("radius", "elbow", "humerus"),
    BodySegment("hand", "wrist", "radius"),
)
_BY_NAME = {segment.name: segment for segment in SEGMENTS}


def side_of_body(name: str) -> str:
    """Tell the side of a body by the end of its name, as OpenSim's models write it.

    Parameters
    ----------
    name : str
        "femur_r", "hand_left".

    Returns
    -------
    str
        "L", "R", or "" in the middle.
    """
    end = name.lower().rpartition("_")[2]
    return {"l": "L", "left": "L", "r": "R", "right": "R"}.get(end, "")


def limb(end: str) -> tuple[BodySegment, ...]:
    """Segments of one side from ``end`` up to where the sides meet.

    Parameters
    ----------
    end : str
        The most distal segment of the limb: "foot".

    Returns
    -------
    tuple[BodySegment, ...]
        Distal to proximal.

    Examples
    --------
    >>> from biomech_id.anatomy import limb
    >>> [segment.name for segment in limb("foot")]
    ['foot', 'shank', 'thigh']
    """
    segment = _BY_NAME[end]
    return (segment, *limb(segment.proximal)) if segment.sided else ()


#: One leg, distal to proximal: the order of the block system's rows.
LEG_SEGMENTS: tuple[str, ...] = tuple(segment.name for segment in limb("foot"))
JOINTS: tuple[str, ...] = tuple(segment.joint for segment in limb("foot"))
#: One arm, distal to proximal.
ARM_SEGMENTS: tuple[str, ...] = tuple(segment.name for segment in limb("hand"))
ARM_JOINTS: tuple[str, ...] = tuple(segment.joint for segment in limb("hand"))
DISTAL_SEGMENT: dict[str, str] = {segment.joint: segment.name for segment in SEGMENTS if segment.joint}
PROXIMAL_SEGMENT: dict[str, str] = {segment.joint: segment.proximal for segment in SEGMENTS if segment.joint}
#: The root of the tree.
PELVIS: Part = ("", "pelvis")
#: Every part of the body that has a mass of its own, the middle first.
BODY_PARTS: tuple[Part, ...] = (
    *(("", segment.name) for segment in SEGMENTS if not segment.sided),
    *((side, segment.name) for side in ("L", "R") for segment in SEGMENTS if segment.sided),
)


def proximal_part(side: str, joint: str) -> Part:
    """Segment that a joint's distal segment hangs on.

    Parameters
    ----------
    side : str
        "L" or "R", the side of the joint.
    joint : str
        One of the tree's joints: "knee".

    Returns
    -------
    Part
        (side, segment); of ("L", "hip") it is ("", "pelvis").
    """
    proximal = PROXIMAL_SEGMENT[joint]
    return (side if _BY_NAME[proximal].sided else "", proximal)


def part_words(part: Part) -> str:
    """Name a part of the body in words.

    Parameters
    ----------
    part : Part
        (side, segment) or (side, joint).

    Returns
    -------
    str
        "right shank", "pelvis".

    Examples
    --------
    >>> from biomech_id.anatomy import part_words
    >>> part_words(("R", "shank"))
    'right shank'
    """
    return " ".join(filter(None, (SIDE_WORDS[part[0]], part[1])))


def add_segment(segment: BodySegment) -> None:
    """Add a row to the tree, for a model that tracks one more part of the body.

    Parameters
    ----------
    segment : BodySegment
        A segment that hangs on one that is there, under names of its own.

    Raises
    ------
    InvalidValueError
        Its name or its joint's is taken, or it hangs on nothing.
    """
    if segment.name in _BY_NAME or segment.joint in DISTAL_SEGMENT or segment.proximal not in _BY_NAME:
        raise InvalidValueError(
            f"The segment {segment.name} cannot hang on {segment.proximal or 'nothing'} by the joint {segment.joint!r}.",
            value=segment, expected="new names of segment and joint, and a segment that is there to hang on", where="add_segment",
        )  # fmt: skip
    _BY_NAME[segment.name] = segment
    DISTAL_SEGMENT[segment.joint], PROXIMAL_SEGMENT[segment.joint] = segment.name, segment.proximal
