"""Static trials with knee alignment devices: where the knee axis is shown by a device and not guessed from a wand.

The device clamps the knee and carries three markers KAX, KD1 and KD2 at equal distances, along three perpendicular directions,
from a point on the flexion axis, which stands for the knee marker (the markers form an equilateral triangle, the point is the
corner of the cube they belong to). KAX lies on the axis itself, farther out. With the device the static trial needs no knee marker,
and it teaches the rotation of the thigh and shank wands, which every other trial then applies to the wands it has.

Davis & DeLuca 1996 (in: Harris & Smith, Human Motion Analysis, IEEE Press); Vicon Plug-in Gait Reference Guide, "Knee alignment
device". No recording at hand used one: tests are synthetic.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, dot
from biomech_id.conventions import SIDE_SIGN
from biomech_id.dynamics.body import Frames
from biomech_id.models.conventional.leg import LegGeometry, LegPose, about_z, hip_centre, leg_from_centres
from biomech_id.models.joint_centres.chord import chord, wand_rotation
from biomech_id.models.triads import unit
from biomech_id.trial import Markers

DEVICE_ROLES: tuple[str, str, str] = ("knee_device_axis", "knee_device_1", "knee_device_2")


def has_device(markers: Markers, side: str) -> bool:
    """Whether the static trial shows a knee alignment device on this side (and therefore no knee marker).

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    side : str
        "L" or "R".
    """
    return all(markers.shows(side, role) for role in DEVICE_ROLES) and not markers.shows(side, "lateral_epicondyle")


def device_origin(markers: Markers, side: str) -> FloatArray:
    """Return the point the device's three arms meet in, (n, 3), metres, laboratory axes: it replaces the knee marker.

    The three markers are corners of a cube next to that point, which lies e / sqrt(6) from the middle of their triangle of edge e,
    on the body's side of it.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    side : str
        "L" or "R".
    """
    axis_end, first, second = (markers.on(side, role) for role in DEVICE_ROLES)
    middle = (axis_end + first + second) / 3.0
    edges = (np.linalg.norm(a - b, axis=1) for a, b in ((axis_end, first), (first, second), (second, axis_end)))
    edge = sum(edges) / 3.0
    normal = unit(cross(first - axis_end, second - axis_end))
    # All three arms, and so the normal of their triangle, point away from the body: KAX straight out, the others across.
    inward = -np.sign(dot(normal, _outward(markers, side)))[:, None] * normal
    return np.asarray(middle + edge[:, None] / np.sqrt(6.0) * inward)


def _outward(markers: Markers, side: str) -> FloatArray:
    """Direction (n, 3) out of the body on this side: from the opposite ASIS to this one."""
    return np.asarray(SIDE_SIGN[side] * (markers.on("L", "asis") - markers.on("R", "asis")))


def place_aligned_leg(markers: Markers, pelvis: Frames, geometry: LegGeometry) -> LegPose:
    """Return the leg of a static trial with a device: knee axis towards KAX, ankle axis turned from it by the tibial torsion.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    pelvis : Frames
        Pose of the pelvis in every frame.
    geometry : LegGeometry
        Measurements and learnt angles of the leg.
    """
    side = geometry.side
    hip = hip_centre(pelvis, geometry)
    knee_marker, ankle_marker = device_origin(markers, side), markers.on(side, "lateral_malleolus")
    knee = chord(hip, knee_marker, markers.on(side, "knee_device_axis"), geometry.knee_distance_m)
    ankle = chord(
        knee, ankle_marker, knee_marker, geometry.ankle_distance_m,
        wand_rotation_rad=about_z(side, geometry.tibial_torsion_rad), axis_tilt_rad=geometry.ankle_tilt_rad,
    )  # fmt: skip
    return leg_from_centres(geometry, hip, knee, ankle, knee_marker, ankle_marker)


def with_learnt_rotations(markers: Markers, leg: LegPose, geometry: LegGeometry) -> LegGeometry:
    """Return the geometry with the rotations of both wands that the aligned static leg shows (means over its frames).

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    leg : LegPose
        The leg in every frame.
    geometry : LegGeometry
        Measurements and learnt angles of the leg.
    """
    side = geometry.side
    thigh = wand_rotation(leg.hip_lab_m, leg.knee_lab_m, device_origin(markers, side), markers.on(side, "thigh_wand"))
    shank = wand_rotation(leg.knee_lab_m, leg.ankle_lab_m, markers.on(side, "lateral_malleolus"), markers.on(side, "shank_wand"))
    return replace(
        geometry,
        thigh_rotation_rad=about_z(side, float(np.nanmean(thigh))),
        shank_rotation_rad=about_z(side, float(np.nanmean(shank))),
    )
