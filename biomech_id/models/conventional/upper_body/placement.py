"""Frames and joint centres of head, thorax and arms in every frame of a trial.

Notation of the conventional model: s = +1 left, -1 right; r is a marker's radius; x anterior, y to the subject's left, z proximal;
chord(P, M, W, d) is the joint centre a distance d from marker M (see `joint_centres.chord`).

Thorax: z along (CLAV + C7) / 2 - (STRN + T10) / 2, y across it and (CLAV + STRN) / 2 - (C7 + T10) / 2, its origin a marker's radius
behind CLAV. Head: x from the mean of the back markers to that of the front ones, turned by an offset that the static trial
teaches. The shoulder centre lies the shoulder offset below the acromion marker, the elbow centre half an elbow's width from its
marker along the normal of the arm's plane, the wrist centre half a wrist's width palmwards of the middle of both wrist markers,
the hand's centre half its thickness below the finger marker. Vicon Plug-in Gait Reference Guide, upper body; ``tests/real`` holds
the frames against stored ones.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.rotation import rotation_about
from biomech_id.algebra.vectors import cross
from biomech_id.anatomy import Part
from biomech_id.conventions import SIDE_SIGN, SIDES
from biomech_id.dynamics.body import Frames
from biomech_id.models.joint_centres.chord import chord
from biomech_id.models.triads import right_angled, triad_from_z_and_y, unit
from biomech_id.trial import Markers, Subject
from biomech_id.values import dataclass

#: The head's mesh origin, from the middle of its front markers, in head lengths backwards and down: where software draws it.
HEAD_ORIGIN = (-0.84, -0.30)
#: Roles that each part of the upper body needs, with their side.
THORAX_ROLES: tuple[str, ...] = ("clavicle", "sternum", "c7", "t10")
HEAD_ROLES: tuple[str, ...] = ("head_front", "head_back")
ARM_ROLES: tuple[str, ...] = ("shoulder", "lateral_elbow", "wrist_radial", "wrist_ulnar", "finger")


@dataclass(frozen=True)
class ArmMeasures:
    """Distances of one arm from a marker's centre to a joint's, metres: half the joint's width plus the marker's radius.

    Attributes
    ----------
    shoulder_m : float
        From the marker on the acromion down to the shoulder centre, metres: the whole shoulder offset.
    elbow_m : float
        From the elbow marker to the elbow centre, metres.
    wrist_m : float
        From the middle of both wrist markers to the wrist centre, metres.
    hand_m : float
        From the finger marker to the hand's centre, metres.
    """

    shoulder_m: float
    elbow_m: float
    wrist_m: float
    hand_m: float


def arm_measures(subject: Subject, radius_m: float) -> dict[str, ArmMeasures]:
    """Return the distances of the arms that were measured.

    A wrist that nobody measured has no thickness: its centre is then a marker's radius from the middle of its markers, as clinical
    software has it.

    Parameters
    ----------
    subject : Subject
        Shoulder offset, elbow width and hand thickness are needed, the wrist's width is not.
    radius_m : float
        Radius of a marker, metres.

    Returns
    -------
    dict[str, ArmMeasures]
        Side -> distances; a side without its measurements is left out.

    Examples
    --------
    >>> from biomech_id.models.conventional.upper_body.placement import arm_measures
    >>> from biomech_id.trial import Subject
    >>> anna = Subject(shoulder_offset_m={"L": 0.04}, elbow_width_m={"L": 0.06}, hand_thickness_m={"L": 0.02})
    >>> arm_measures(anna, 0.007)
    {'L': ArmMeasures(shoulder_m=0.047, elbow_m=0.037, wrist_m=0.007, hand_m=0.017)}
    """
    measures = {}
    for side in SIDES:
        shoulder, elbow, hand = (
            lengths.get(side) for lengths in (subject.shoulder_offset_m, subject.elbow_width_m, subject.hand_thickness_m)
        )
        if shoulder is not None and elbow is not None and hand is not None:
            wrist = subject.wrist_width_m.get(side, 0.0)
            measures[side] = ArmMeasures(shoulder + radius_m, elbow / 2 + radius_m, wrist / 2 + radius_m, hand / 2 + radius_m)
    return measures


@dataclass(frozen=True, eq=False)
class UpperBody:
    """Head, thorax and arms in n frames; what lacks a marker is NaN, a part without its markers is absent.

    Attributes
    ----------
    frames : Mapping[Part, Frames]
        ("", "thorax"), ("", "head"), (side, "clavicle" | "humerus" | "radius" | "hand") -> pose; the origin is where software
        puts it: thorax and head as above, the others at their distal joint centre.
    centres_lab_m : Mapping[Part, FloatArray]
        (side, "shoulder" | "elbow" | "wrist" | "hand") -> (n, 3), joint centres; of the hand its own centre.
    head_length_m : float
        Twice the mean distance between the front markers less a marker's diameter; NaN without a head.
    """

    frames: Mapping[Part, Frames]
    centres_lab_m: Mapping[Part, FloatArray]
    head_length_m: float


def place_upper_body(
    markers: Markers, measures: Mapping[str, ArmMeasures], radius_m: float, head_offset_rad: float = 0.0
) -> UpperBody:
    """Return the upper body in every frame.

    Parameters
    ----------
    markers : Markers
        Markers of the recording with their roles, laboratory axes.
    measures : Mapping[str, ArmMeasures]
        Side -> distances; an arm without them is left out.
    radius_m : float
        Radius of a marker, metres.
    head_offset_rad : float, optional
        About the head's lateral axis (see ``head_offset``); 0 where the static trial taught none.

    Returns
    -------
    UpperBody
        As far as its markers go; a part without them is absent.
    """
    frames: dict[Part, Frames] = {}
    centres: dict[Part, FloatArray] = {}
    head_length_m = float("nan")
    if all(markers.shows("", role) for role in THORAX_ROLES):
        frames["", "thorax"] = thorax_frames(markers, radius_m)
        for side, arm in measures.items():
            if all(markers.shows(side, role) for role in ARM_ROLES):
                _place_arm(frames, centres, markers, side, arm)
    if all(markers.shows(side, role) for side in SIDES for role in HEAD_ROLES):
        between = np.linalg.norm(markers.on("L", "head_front") - markers.on("R", "head_front"), axis=1)
        head_length_m = 2 * (float(over_seen(np.nanmean, between)) - 2 * radius_m)
        frames["", "head"] = head_frames(markers, head_length_m, head_offset_rad)
    return UpperBody(frames, centres, head_length_m)


def thorax_frames(markers: Markers, radius_m: float) -> Frames:
    """Return the thorax in every frame.

    Parameters
    ----------
    markers : Markers
        With their roles, laboratory axes.
    radius_m : float
        Radius of a marker, metres.

    Returns
    -------
    Frames
        z up along the trunk, x forward; its origin a marker's radius behind CLAV.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.models.conventional.upper_body.placement import THORAX_ROLES, thorax_frames
    >>> from biomech_id.trial import Markers
    >>> upright = np.array([[[0.1, 0.0, 1.3], [0.1, 0.0, 1.2], [-0.1, 0.0, 1.4], [-0.1, 0.0, 1.1]]])
    >>> markers = Markers(("CLAV", "STRN", "C7", "T10"), upright, 100.0)
    >>> thorax = thorax_frames(markers.with_roles(dict(zip([("", role) for role in THORAX_ROLES], markers.names))), 0.007)
    >>> thorax.R_lab_seg[0].round(3) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    clavicle, sternum, c7, t10 = (markers.on("", role) for role in THORAX_ROLES)
    z = unit(0.5 * (clavicle + c7) - 0.5 * (sternum + t10))
    y = unit(cross(z, 0.5 * (clavicle + sternum) - 0.5 * (c7 + t10)))
    x = cross(y, z)
    return Frames(right_angled(x, y, z), clavicle - radius_m * x)


def raw_head_axes(markers: Markers) -> FloatArray:
    """Return the head's axes before its offset.

    Parameters
    ----------
    markers : Markers
        With their roles, laboratory axes.

    Returns
    -------
    FloatArray
        (n, 3, 3), maps head components to laboratory components.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.models.conventional.upper_body.placement import raw_head_axes
    >>> from biomech_id.trial import Markers
    >>> roles = {(side, f"head_{end}"): side + end for side in "LR" for end in ("front", "back")}
    >>> places = np.array([[[0.1, 0.08, 1.6], [-0.1, 0.08, 1.6], [0.1, -0.08, 1.6], [-0.1, -0.08, 1.6]]])
    >>> raw_head_axes(Markers(tuple(roles.values()), places, 100.0).with_roles(roles))[0].round(3) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    (lf, lb), (rf, rb) = ([markers.on(side, role) for role in HEAD_ROLES] for side in SIDES)
    x = unit(0.5 * (lf + rf) - 0.5 * (lb + rb))
    z = unit(cross(x, 0.5 * (lf + lb) - 0.5 * (rf + rb)))
    return right_angled(x, cross(z, x), z)


def head_frames(markers: Markers, length_m: float, offset_rad: float) -> Frames:
    """Return the head in every frame.

    Parameters
    ----------
    markers : Markers
        With their roles, laboratory axes.
    length_m : float
        Length of the head, metres (`UpperBody.head_length_m`).
    offset_rad : float
        Turn about the head's lateral axis.

    Returns
    -------
    Frames
        x forward, turned by its static offset about y; its origin where software draws it.
    """
    R = np.asarray(raw_head_axes(markers) @ rotation_about(1, np.array(offset_rad)))
    front = 0.5 * (markers.on("L", "head_front") + markers.on("R", "head_front"))
    back, down = HEAD_ORIGIN
    return Frames(R, front + length_m * (back * R[:, :, 0] + down * R[:, :, 2]))


def _place_arm(frames: dict[Part, Frames], centres: dict[Part, FloatArray], markers: Markers, side: str, arm: ArmMeasures) -> None:
    s, thorax = SIDE_SIGN[side], frames["", "thorax"]
    acromion, elbow_marker, radial, ulnar, finger = (markers.on(side, role) for role in ARM_ROLES)
    wrist_marker, origin = 0.5 * (radial + ulnar), thorax.origin_lab_m
    below = s * unit(cross(thorax.R_lab_seg[:, :, 0], unit(acromion - origin)))
    shoulder = chord(origin, acromion, origin + below, arm.shoulder_m)
    normal = unit(cross(shoulder - elbow_marker, wrist_marker - elbow_marker))
    elbow = chord(shoulder, elbow_marker, elbow_marker + s * normal, arm.elbow_m)
    palmar = unit(cross(ulnar - radial, elbow - wrist_marker))
    wrist = wrist_marker - s * arm.wrist_m * palmar
    hand = chord(wrist, finger, wrist_marker, arm.hand_m)
    upper = unit(shoulder - elbow)
    y = unit(cross(upper, elbow - wrist))
    R_humerus = right_angled(cross(y, upper), y, upper)
    R_radius = triad_from_z_and_y(elbow - wrist, y)
    R_hand = triad_from_z_and_y(wrist - hand, s * (ulnar - radial))
    frames[side, "clavicle"] = Frames(triad_from_z_and_y(origin - shoulder, s * below), shoulder)
    frames[side, "humerus"] = Frames(R_humerus, elbow)
    frames[side, "radius"] = Frames(R_radius, wrist)
    frames[side, "hand"] = Frames(R_hand, wrist + 2 * (hand - wrist))
    centres[side, "shoulder"], centres[side, "elbow"] = shoulder, elbow
    centres[side, "wrist"], centres[side, "hand"] = wrist, hand
