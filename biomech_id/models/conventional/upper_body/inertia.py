"""Mass, centre of mass and inertia of pelvis, thorax, head and arms, and where L5 and the root of the neck lie.

Fractions of body mass, and of lengths from the distal end, after Dempster 1955 (WADC-TR-55-159) as tabled by Winter
(Biomechanics and Motor Control of Human Movement, table 4.1); with thighs, shanks and feet they sum to one. With w the distance
between the hip centres, L5 lies 0.925 w above their middle along the pelvis; the trunk's mass lies on the line from
the root of the neck c to L5, 37 % towards the neck. The head's mass lies between its markers.

Two variants, chosen by kinetics mode, as for the legs:

``textbook`` places every mass where its table has it, with central radii of gyration and lengths that are means over the trial.
c is the mean place of C7 in the thorax.

``vicon`` is what software stores. Radii are those about the proximal end, lengths change in every frame, and c is a mean in the
laboratory carried into the thorax: for a subject who travels it is off by centimetres, differently in each trial. Before version
2.5 the offset of every mass from its segment's origin was divided by the segment's length and taken for millimetres: whole masses
sit at the joint below. ``tests/real`` reproduces both to say how far they are off (docs/whole-body.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.vectors import matvec, matvec_transposed
from biomech_id.anatomy import LEG_SEGMENTS, PELVIS, Part
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, Frames, Segment
from biomech_id.models.conventional.upper_body.placement import HEAD_ORIGIN, UpperBody
from biomech_id.models.triads import into_lab, into_segment, unit
from biomech_id.values import dataclass

#: Segment -> fraction of body mass.
MASS_FRACTION: dict[str, float] = {
    "pelvis": 0.142, "thorax": 0.355, "head": 0.081, "humerus": 0.028, "radius": 0.016, "hand": 0.006,
    "thigh": 0.100, "shank": 0.0465, "foot": 0.0145,
}  # fmt: skip
#: Arm segment -> centre of mass from its distal end (of the hand: from twice as far as its centre), as a fraction of its length.
COM_FROM_DISTAL: dict[str, float] = {"humerus": 0.564, "radius": 0.57, "hand": 0.6205}
#: Radii of gyration as fractions of the length, across the long axis: about the centre of mass, and as software takes them.
RADIUS: dict[str, dict[str, float]] = {
    "textbook": {"humerus": 0.322, "radius": 0.303, "hand": 0.297, "thorax": 0.31, "pelvis": 0.31, "head": 0.495},
    "vicon": {"humerus": 0.542, "radius": 0.526, "hand": 0.44, "thorax": 0.31, "pelvis": 0.31, "head": 0.495},
}
#: Heights of L5 and of the pelvis' centre of mass over the middle of the hips, as fractions of the distance between them.
L5_HEIGHT, PELVIS_COM_HEIGHT = 0.925, 0.895 * 0.925
#: Share of the way from L5 to the root of the neck at which the trunk's mass lies.
TRUNK_COM = 0.37
#: Of the head's length, backwards and down from the middle of its front markers.
HEAD_COM = (-0.32, -0.30)
#: Marker radii by which software shifts C7 forwards.
_VENDOR_C7_RADII = 1.05


class VendorMass(StrEnum):
    """Which of two generations of software stored a centre of mass."""

    FROM_2_5 = "2.5"
    BEFORE_2_5 = "2.2.3"


@dataclass(frozen=True, eq=False)
class Trunk:
    """What pelvis and thorax hang together by.

    Attributes
    ----------
    hips_lab_m : FloatArray
        (n, 3), middle of the hip centres, laboratory axes.
    width_m : FloatArray
        (n,), metres, distance between the hip centres.
    l5_lab_m : FloatArray
        (n, 3), fifth lumbar vertebra, metres, laboratory axes.
    neck_thorax_m : FloatArray
        (3,), root of the neck in thorax axes from the thorax' origin, metres: mean over the trial.
    l5_thorax_m : FloatArray
        (3,), L5 in thorax axes from the thorax' origin, metres: mean over the trial.
    """

    hips_lab_m: FloatArray
    width_m: FloatArray
    l5_lab_m: FloatArray
    neck_thorax_m: FloatArray
    l5_thorax_m: FloatArray


def trunk_of(
    thorax: Frames, pelvis: Frames, hips_lab_m: Mapping[str, FloatArray], c7_lab_m: FloatArray, *, radius_m: float, kinetics: str
) -> Trunk:
    """Return L5, and the root of the neck as the kinetics mode has it.

    Parameters
    ----------
    thorax : Frames
        Pose of the thorax in n frames.
    pelvis : Frames
        Pose of the pelvis in the same frames.
    hips_lab_m : Mapping[str, FloatArray]
        Side -> (n, 3), hip centre, laboratory axes.
    c7_lab_m : FloatArray
        (n, 3), marker on C7, metres, laboratory axes.
    radius_m : float
        Radius of a marker, metres.
    kinetics : str
        "textbook" (the neck's root is fixed in the thorax) or "vicon" (it is fixed in the laboratory).

    Returns
    -------
    Trunk
        Laboratory axes, and means in thorax axes.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.body import Frames
    >>> from biomech_id.models.conventional.upper_body.inertia import trunk_of
    >>> pelvis, thorax = (Frames(np.eye(3)[None], np.array([[0.0, 0.0, z]])) for z in (0.9, 1.3))
    >>> hips = {"L": np.array([[0.0, 0.1, 0.8]]), "R": np.array([[0.0, -0.1, 0.8]])}
    >>> trunk = trunk_of(thorax, pelvis, hips, np.array([[-0.1, 0.0, 1.4]]), radius_m=0.007, kinetics="textbook")
    >>> trunk.l5_lab_m.round(3), trunk.neck_thorax_m.round(3)
    (array([[0.   , 0.   , 0.985]]), array([-0.1,  0. ,  0.1]))
    """
    left, right = (hips_lab_m[side] for side in SIDES)
    middle, width = 0.5 * (left + right), np.linalg.norm(left - right, axis=1)
    l5 = middle + (L5_HEIGHT * width)[:, None] * pelvis.R_lab_seg[:, :, 2]
    R, origin = thorax.R_lab_seg, thorax.origin_lab_m
    seen = np.isfinite(R).all(axis=(1, 2)) & np.isfinite(l5).all(axis=1)
    if kinetics == "vicon":
        shifted = c7_lab_m - _VENDOR_C7_RADII * radius_m * R[:, :, 0]
        c7_lab_m = np.broadcast_to(shifted[seen].mean(axis=0), shifted.shape)
    neck, low = (matvec_transposed(R[seen], point[seen] - origin[seen]).mean(axis=0) for point in (c7_lab_m, l5))
    return Trunk(middle, np.asarray(width), np.asarray(l5), np.asarray(neck), np.asarray(low))


def upper_coms_lab_m(upper: UpperBody, trunk: Trunk, pelvis: Frames) -> dict[Part, FloatArray]:
    """Return the centres of mass above the legs.

    Parameters
    ----------
    upper : UpperBody
        Head, thorax and arms in n frames.
    trunk : Trunk
        What pelvis and thorax hang together by.
    pelvis : Frames
        Pose of the pelvis in every frame.

    Returns
    -------
    dict[Part, FloatArray]
        ("", "pelvis" | "thorax" | "head") and (side, arm segment) -> (n, 3), metres, laboratory axes.
    """
    thorax = upper.frames["", "thorax"]
    mean = TRUNK_COM * trunk.neck_thorax_m + (1 - TRUNK_COM) * trunk.l5_thorax_m
    coms: dict[Part, FloatArray] = {
        ("", "pelvis"): trunk.hips_lab_m + (PELVIS_COM_HEIGHT * trunk.width_m)[:, None] * pelvis.R_lab_seg[:, :, 2],
        ("", "thorax"): into_lab(thorax.R_lab_seg, thorax.origin_lab_m, mean),
    }
    if ("", "head") in upper.frames:
        coms["", "head"] = head_front_lab_m(upper) + upper.head_length_m * _ahead(upper, *HEAD_COM)
    for side, name, distal, proximal in arm_ends(upper):
        coms[side, name] = distal + COM_FROM_DISTAL[name] * (proximal - distal)
    return {part: np.asarray(com) for part, com in coms.items()}


def arm_ends(upper: UpperBody) -> list[tuple[str, str, FloatArray, FloatArray]]:
    """Return the ends of every arm segment.

    Parameters
    ----------
    upper : UpperBody
        Head, thorax and arms in n frames.

    Returns
    -------
    list[tuple[str, str, FloatArray, FloatArray]]
        Side, segment, distal end and proximal end, each (n, 3), metres, laboratory axes.
    """
    segments = []
    for side in (side for side in SIDES if (side, "humerus") in upper.frames):
        shoulder, elbow, wrist = (upper.centres_lab_m[side, joint] for joint in ("shoulder", "elbow", "wrist"))
        tip = upper.frames[side, "hand"].origin_lab_m
        ends = (("humerus", elbow, shoulder), ("radius", wrist, elbow), ("hand", tip, wrist))
        segments += [(side, name, distal, proximal) for name, distal, proximal in ends]
    return segments


def head_front_lab_m(upper: UpperBody) -> FloatArray:
    """Return the middle of the head's front markers.

    Parameters
    ----------
    upper : UpperBody
        Must have a head.

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes.
    """
    from_front = _ahead(upper, *HEAD_ORIGIN)
    return np.asarray(upper.frames["", "head"].origin_lab_m - upper.head_length_m * from_front)


def _ahead(upper: UpperBody, forward: float, up: float) -> FloatArray:
    R = upper.frames["", "head"].R_lab_seg
    return np.asarray(forward * R[:, :, 0] + up * R[:, :, 2])


def old_vendor_coms_lab_m(
    upper: UpperBody, trunk: Trunk, pelvis: Frames, coms_lab_m: Mapping[Part, FloatArray]
) -> dict[Part, FloatArray]:
    """Return where software before version 2.5 put the masses above the legs.

    Parameters
    ----------
    upper : UpperBody
        Head, thorax and arms in n frames.
    trunk : Trunk
        What pelvis and thorax hang together by, "vicon".
    pelvis : Frames
        Pose of the pelvis in every frame.
    coms_lab_m : Mapping[Part, FloatArray]
        Part -> (n, 3), what `upper_coms_lab_m` returns.

    Returns
    -------
    dict[Part, FloatArray]
        Part -> (n, 3), metres, laboratory axes: beside joints.
    """
    mm, thorax = 1e-3, upper.frames["", "thorax"]
    along = unit((trunk.l5_thorax_m - trunk.neck_thorax_m)[None])[0]
    away = (coms_lab_m["", "pelvis"] - pelvis.origin_lab_m) / (L5_HEIGHT * trunk.width_m)[:, None]
    coms: dict[Part, FloatArray] = {
        ("", "pelvis"): pelvis.origin_lab_m + mm * away,
        ("", "thorax"): thorax.origin_lab_m + mm * (1 - TRUNK_COM) * matvec(thorax.R_lab_seg, along),
    }
    if ("", "head") in upper.frames:
        coms["", "head"] = head_front_lab_m(upper) + 0.16 * mm * upper.frames["", "head"].R_lab_seg[:, :, 0]
    for side, name, distal, proximal in arm_ends(upper):
        coms[side, name] = distal + mm * COM_FROM_DISTAL[name] * unit(proximal - distal)
    return coms


def vendor_com_lab_m(generation: VendorMass, upper: UpperBody, trunk: Trunk, pelvis: Frames, body: BodyMotion) -> FloatArray:
    """Return the centre of mass of the whole body that a vendor's software would store.

    Parameters
    ----------
    generation : VendorMass
        Of the software (`track.vendor_mass`).
    upper : UpperBody
        Head, thorax and arms in n frames.
    trunk : Trunk
        What pelvis and thorax hang together by, "vicon".
    pelvis : Frames
        Pose of the pelvis in every frame.
    body : BodyMotion
        With both legs, tracked in "vicon" kinetics.

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes.
    """
    coms = upper_coms_lab_m(upper, trunk, pelvis)
    if generation is VendorMass.BEFORE_2_5:
        coms = {**old_vendor_coms_lab_m(upper, trunk, pelvis, coms), **_old_vendor_legs(body)}
    else:
        coms = {**coms, **{(side, name): body.motions[side, name].com_lab_m for side in SIDES for name in LEG_SEGMENTS}}
    return np.asarray(sum(MASS_FRACTION[name] * com for (_, name), com in coms.items()))


def _old_vendor_legs(body: BodyMotion) -> dict[Part, FloatArray]:
    """Where software before version 2.5 put the masses of the legs: beside knee and ankle."""
    mm, coms = 1e-3, {}
    for side in SIDES:
        hip, knee, ankle = (body.joint_centres_lab_m[side, joint] for joint in ("hip", "knee", "ankle"))
        sole = body.motions[side, "foot"].frames.R_lab_seg[:, :, 2]
        coms[side, "thigh"] = knee + 0.567 * mm * unit(hip - knee)
        coms[side, "shank"] = ankle + 0.567 * mm * unit(knee - ankle)
        coms[side, "foot"] = ankle - 0.5 * mm * sole
    return coms


def vendor_thorax_com_lab_m(upper: UpperBody, trunk: Trunk) -> FloatArray:
    """Return where software before version 2.5 has the thorax' mass in its chain of forces.

    Parameters
    ----------
    upper : UpperBody
        Must have a thorax.
    trunk : Trunk
        What pelvis and thorax hang together by, "vicon".

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes; it forgets the neck's root.
    """
    thorax = upper.frames["", "thorax"]
    return into_lab(thorax.R_lab_seg, thorax.origin_lab_m, (1 - TRUNK_COM) * (trunk.l5_thorax_m - trunk.neck_thorax_m))


def neck_lab_m(upper: UpperBody, trunk: Trunk) -> FloatArray:
    """Return the root of the neck.

    Parameters
    ----------
    upper : UpperBody
        Must have a thorax.
    trunk : Trunk
        What pelvis and thorax hang together by.

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes.
    """
    thorax = upper.frames["", "thorax"]
    return into_lab(thorax.R_lab_seg, thorax.origin_lab_m, trunk.neck_thorax_m)


def upper_segments(
    upper: UpperBody, trunk: Trunk, coms_lab_m: Mapping[Part, FloatArray], *, pelvis: Frames, body_mass_kg: float, kinetics: str
) -> dict[Part, Segment]:
    """Return the inertial parameters of every segment above the legs.

    Parameters
    ----------
    upper : UpperBody
        Head, thorax and arms in n frames.
    trunk : Trunk
        What pelvis and thorax hang together by.
    coms_lab_m : Mapping[Part, FloatArray]
        (side, segment) -> (n, 3), centre of mass, laboratory axes.
    pelvis : Frames
        Pose of the pelvis in every frame.
    body_mass_kg : float
        Mass of the whole subject.
    kinetics : str
        "textbook" (places and lengths are means over the trial) or "vicon" (they change in every frame).

    Returns
    -------
    dict[Part, Segment]
        Part -> parameters in the segment's own axes; per frame in "vicon".
    """
    across = np.array([1.0, 1.0, 0.0])
    lengths: dict[Part, tuple[FloatArray, FloatArray]] = {
        PELVIS: (L5_HEIGHT * trunk.width_m, np.ones(3)),
        ("", "thorax"): (np.full(len(trunk.width_m), np.linalg.norm(trunk.l5_thorax_m - trunk.neck_thorax_m)), across),
    }
    if ("", "head") in upper.frames:
        lengths["", "head"] = (np.linalg.norm(coms_lab_m["", "head"] - neck_lab_m(upper, trunk), axis=1), np.ones(3))
    for side, name, distal, proximal in arm_ends(upper):
        lengths[side, name] = (np.linalg.norm(proximal - distal, axis=1), across)
    segments = {}
    for part, (length, axes) in lengths.items():
        frames = pelvis if part == PELVIS else upper.frames[part]
        com = into_segment(frames.R_lab_seg, frames.origin_lab_m, coms_lab_m[part])
        if kinetics == "textbook":
            length, com = np.asarray(over_seen(np.nanmean, length)), over_seen(np.nanmean, com, axis=0)
        mass = MASS_FRACTION[part[1]] * body_mass_kg
        tensor = mass * (RADIUS[kinetics][part[1]] * length[..., None, None]) ** 2 * np.diag(axes)
        segments[part] = Segment(part[1], mass, com, tensor, "Dempster 1955 as tabled by Winter")
    return segments
