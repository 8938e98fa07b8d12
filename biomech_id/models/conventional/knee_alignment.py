"""Static trials in which a device or medial markers show the knee axis, and no wand is trusted with it.

The device clamps the knee and carries three markers KAX, KD1 and KD2 at equal distances, along three perpendicular directions,
from a point on the flexion axis, which stands for the knee marker (the markers form an equilateral triangle, the point is the
corner of the cube they belong to). KAX lies on the axis itself, farther out. The device decides wherever its three markers are
seen, although software writes the corner into the processed file under the knee marker's name. With the device the static trial
needs no knee marker, and it teaches the rotation of the thigh and shank wands, which every other trial then applies to the wands
it has. A marker on the medial malleolus beside it teaches the ankle's axis: tibial torsion, and the tilt of the axis.

Where the laboratory says so, markers on the medial epicondyles and malleoli do the same without a device: the joint's centre lies
in the plane of the centre above it and of the joint's two markers, at a right angle as everywhere in this model.

Davis & DeLuca 1996 (in: Harris & Smith, Human Motion Analysis, IEEE Press); Vicon Plug-in Gait Reference Guide, "Knee alignment
device". ``tests/real`` holds the offsets against those that clinical software stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.vectors import cross, dot, matvec_transposed
from biomech_id.conventions import SIDE_SIGN, SIDES
from biomech_id.dynamics.body import Frames
from biomech_id.errors import MissingInputError
from biomech_id.models.conventional.leg import (
    LegGeometry,
    LegPose,
    about_z,
    ankle_centre,
    hip_centre,
    knee_centre,
    leg_from_centres,
)
from biomech_id.models.joint_centres.chord import chord, wand_rotation
from biomech_id.models.triads import triad_from_z_and_y, unit
from biomech_id.trial import Markers

DEVICE_ROLES: tuple[str, str, str] = ("knee_device_axis", "knee_device_1", "knee_device_2")


def has_device(markers: Markers, side: str) -> bool:
    """Whether the trial shows a knee alignment device on this side: all three of its markers, a knee marker beside them or not.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    side : str
        Which side, "L" or "R".
    """
    return all(markers.shows(side, role) for role in DEVICE_ROLES)


def refuse_part_of_a_device(markers: Markers, where: str) -> None:
    """Refuse a static trial that shows a knee device in part: it was worn, and without all of it the knee axis would be guessed.

    KAX alone is no device: it also names a marker on the knee's axis.

    Parameters
    ----------
    markers : Markers
        Markers of the recording with their roles, laboratory axes.
    where : str
        Name of the trial, for the message.

    Raises
    ------
    MissingInputError
        One or two of the three markers are there; the message names those that are not.
    """
    for side in SIDES:
        seen = [role for role in DEVICE_ROLES if markers.shows(side, role)]
        if set(seen) - {"knee_device_axis"} and not has_device(markers, side):
            shown, missing = (
                ", ".join(markers.label(side, role) for role in DEVICE_ROLES if (role in seen) is there) for there in (True, False)
            )
            raise MissingInputError(
                f"{where} shows {shown} of a knee alignment device and lacks {missing}: without all three it cannot say where "
                "the knee's axis is. Label them all, or delete those that are there.",
                value=shown, expected="all three markers of the device, or none", where=where,
            )  # fmt: skip


def device_origin(markers: Markers, side: str) -> FloatArray:
    """Return the point in which the device's three arms meet: it replaces the knee marker.

    The three markers are corners of a cube next to that point, which lies e / sqrt(6) from the middle of their triangle of edge e
    (the root mean square of its three), on the body's side of it.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    side : str
        Which side, "L" or "R".

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes; NaN where one of its markers is unseen.
    """
    axis_end, first, second = (markers.on(side, role) for role in DEVICE_ROLES)
    middle = (axis_end + first + second) / 3.0
    edges = np.stack([axis_end - first, first - second, second - axis_end])
    edge = np.sqrt((edges**2).sum(axis=(0, 2)) / 3.0)
    normal = unit(cross(first - axis_end, second - axis_end))
    # All three arms, and so the normal of their triangle, point away from the body: KAX straight out, the others across.
    outward = SIDE_SIGN[side] * (markers.on("L", "asis") - markers.on("R", "asis"))
    inward = -np.sign(dot(normal, outward))[:, None] * normal
    return np.asarray(middle + edge[:, None] / np.sqrt(6.0) * inward)


def with_virtual_knees(markers: Markers) -> Markers:
    """Return markers in which the corner of each knee device stands for the knee marker.

    Parameters
    ----------
    markers : Markers
        Markers of the recording with their roles, laboratory axes.

    Returns
    -------
    Markers
        The same markers where there is no device; a knee marker beside one is replaced.
    """
    for side in SIDES:
        if has_device(markers, side):
            name, origin = markers.label(side, "lateral_epicondyle"), device_origin(markers, side)[:, None]
            kept = [i for i, each in enumerate(markers.names) if each != name]
            filled = None if markers.filled is None else np.pad(markers.filled[:, kept], ((0, 0), (0, 1)))
            markers = replace(
                markers,
                names=(*(markers.names[i] for i in kept), name),
                position_m=np.concatenate([markers.position_m[:, kept], origin], axis=1),
                filled=filled,
            )
    return markers


def aligned_leg(markers: Markers, pelvis: Frames, geometry: LegGeometry) -> tuple[LegPose, LegGeometry]:
    """Return the leg of a static trial with a device.

    The knee axis points to KAX. The ankle centre lies on the line to the medial malleolus where that has a marker, and in the
    plane that KAX shows (turned by a tibial torsion that was typed in) where it has none.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    pelvis : Frames
        Pose of the pelvis in every frame.
    geometry : LegGeometry
        Measurements of the leg; a torsion that was typed in counts where no medial malleolus is shown.

    Returns
    -------
    pose : LegPose
        Joint centres and axes, n frames.
    geometry : LegGeometry
        With the rotations that the device shows, means over the frames.
    """
    side = geometry.side
    hip, origin, axis_end = hip_centre(pelvis, geometry), device_origin(markers, side), markers.on(side, "knee_device_axis")
    ankle_marker = markers.on(side, "lateral_malleolus")
    knee = chord(hip, origin, axis_end, geometry.knee_distance_m)
    if markers.shows(side, "medial_malleolus"):
        ankle = ankle_marker + geometry.ankle_distance_m * unit(markers.on(side, "medial_malleolus") - ankle_marker)
        geometry = replace(
            geometry,
            tibial_torsion_rad=_torsion(side, knee, ankle, origin, ankle_marker),
            ankle_tilt_rad=float(over_seen(np.nanmean, np.arcsin(-dot(unit(knee - ankle), unit(ankle_marker - ankle))))),
        )
    else:
        ankle = chord(
            knee, ankle_marker, axis_end, geometry.ankle_distance_m,
            wand_rotation_rad=about_z(side, geometry.tibial_torsion_rad),
        )  # fmt: skip
        geometry = replace(geometry, ankle_tilt_rad=0.0)
    thigh = wand_rotation(hip, knee, origin, markers.on(side, "thigh_wand"))
    shank = wand_rotation(knee, ankle, ankle_marker, markers.on(side, "shank_wand"))
    learnt = replace(
        geometry,
        thigh_rotation_rad=about_z(side, float(over_seen(np.nanmean, thigh))),
        shank_rotation_rad=about_z(side, float(over_seen(np.nanmean, shank))),
    )
    return leg_from_centres(learnt, hip, knee, ankle, origin, ankle_marker), learnt


MEDIAL_ROLES: tuple[str, str] = ("medial_epicondyle", "medial_malleolus")


def require_medial_markers(markers: Markers, sides: Sequence[str], where: str) -> None:
    """Refuse a static trial without the medial markers that are to show its joints' axes; both legs take the same.

    Parameters
    ----------
    markers : Markers
        Markers of the recording with their roles, laboratory axes.
    sides : Sequence[str]
        "L", "R" or both, those of the model.
    where : str
        Name of the trial, for the message.

    Raises
    ------
    MissingInputError
        None of them is seen, or one leg shows what the other does not; the message names what is missing.
    """
    wanted = [role for role in MEDIAL_ROLES if any(markers.shows(side, role) for side in sides)] or MEDIAL_ROLES
    missing = [markers.label(side, role) for side in sides for role in wanted if not markers.shows(side, role)]
    if missing:
        raise MissingInputError(
            f"medial_markers says that medial markers show the axes of knees and ankles, and {where} lacks {', '.join(missing)}: "
            "both legs need the same ones. A marker set names them if they are called otherwise.",
            value=missing, expected="medial markers of knees, ankles, or both", where=where,
        )  # fmt: skip


def leg_between_markers(markers: Markers, pelvis: Frames, geometry: LegGeometry) -> tuple[LegPose, LegGeometry]:
    """Return the leg of a static trial with medial markers.

    A joint without a medial marker is placed by its wand, with the rotation and torsion that were typed in.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    pelvis : Frames
        Pose of the pelvis in every frame.
    geometry : LegGeometry
        Measurements of the leg, with what was typed in.

    Returns
    -------
    pose : LegPose
        Joint centres and axes, n frames.
    geometry : LegGeometry
        With the rotations and the torsion that the markers show, means over the frames.
    """
    side, hip = geometry.side, hip_centre(pelvis, geometry)
    knee_marker, ankle_marker = markers.on(side, "lateral_epicondyle"), markers.on(side, "lateral_malleolus")
    knee = knee_centre(markers, geometry, hip)
    if markers.shows(side, "medial_epicondyle"):
        knee = chord(hip, knee_marker, 2.0 * knee_marker - markers.on(side, "medial_epicondyle"), geometry.knee_distance_m)
        turn = wand_rotation(hip, knee, knee_marker, markers.on(side, "thigh_wand"))
        geometry = replace(geometry, thigh_rotation_rad=about_z(side, float(over_seen(np.nanmean, turn))))
    ankle = ankle_centre(markers, geometry, knee)
    if markers.shows(side, "medial_malleolus"):
        ankle = chord(knee, ankle_marker, 2.0 * ankle_marker - markers.on(side, "medial_malleolus"), geometry.ankle_distance_m)
        turn = wand_rotation(knee, ankle, ankle_marker, markers.on(side, "shank_wand"))
        geometry = replace(
            geometry,
            shank_rotation_rad=about_z(side, float(over_seen(np.nanmean, turn))),
            tibial_torsion_rad=_torsion(side, knee, ankle, knee_marker, ankle_marker),
            ankle_tilt_rad=0.0,
        )
    return leg_from_centres(geometry, hip, knee, ankle, knee_marker, ankle_marker), geometry


def _torsion(side: str, knee: FloatArray, ankle: FloatArray, knee_marker: FloatArray, ankle_marker: FloatArray) -> float:
    """Mean angle, rad, internal positive, from the knee's axis to the ankle's, seen along the shank."""
    s = SIDE_SIGN[side]
    R_lab_shank = triad_from_z_and_y(knee - ankle, s * (knee_marker - knee))
    axis = matvec_transposed(R_lab_shank, s * (ankle_marker - ankle))
    return float(over_seen(np.nanmean, s * np.arctan2(axis[:, 0], axis[:, 1])))
