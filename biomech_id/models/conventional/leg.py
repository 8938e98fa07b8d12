"""Joint centres and axes of one leg of the conventional model, in every frame, from markers and constants of the subject.

Hip: fixed in the pelvis. Knee and ankle: the chord construction. Thigh: z from knee to hip, y from the knee centre through the knee
marker. Shank: z from ankle to knee, y from the ankle centre through the ankle marker. Both y point to the subject's left.

A shank with tibial torsion has two sets of axes about the same z: the ankle's, which carry the foot, and the knee's, turned back by
the torsion, in which knee angles and knee kinetics are expressed (Vicon Nexus 2.10 documentation, "Angle outputs": knee angles
from the untorsioned, ankle angles from the torsioned tibia).
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.rotation import rotation_about
from biomech_id.algebra.vectors import matvec
from biomech_id.conventions import SIDE_SIGN
from biomech_id.dynamics.body import Frames
from biomech_id.models.joint_centres.chord import chord, turned_to_proximal
from biomech_id.models.triads import triad_from_z_and_y
from biomech_id.trial import Markers
from biomech_id.values import dataclass


@dataclass(frozen=True, eq=False)
class LegGeometry:
    """Constants of one leg that turn markers into joint centres.

    Attributes
    ----------
    side : str
        Which side, "L" or "R".
    hip_pelvis_m : FloatArray
        (3,), hip centre in pelvis axes from the mid-ASIS point, metres.
    knee_distance_m : float
        From the knee marker's centre to the joint's, metres: half the knee's width plus the marker's radius.
    ankle_distance_m : float
        From the ankle marker's centre to the joint's, metres: half the ankle's width plus the marker's radius.
    thigh_rotation_rad : float, optional
        Rotation of the knee's axis from the thigh wand, internal positive.
    shank_rotation_rad : float, optional
        Rotation of the ankle's axis from the shank wand, internal positive.
    tibial_torsion_rad : float, optional
        Rotation of the ankle's axis from the knee's, internal positive (external torsion is negative).
    ankle_tilt_rad : float, optional
        By how much the ankle centre is turned about its marker towards the knee centre (the vendor's AnkleAbAdd).
    """

    side: str
    hip_pelvis_m: FloatArray
    knee_distance_m: float
    ankle_distance_m: float
    thigh_rotation_rad: float = 0.0
    shank_rotation_rad: float = 0.0
    tibial_torsion_rad: float = 0.0
    ankle_tilt_rad: float = 0.0


@dataclass(frozen=True, eq=False)
class LegPose:
    """One leg in every frame; points (n, 3), metres, and axes (n, 3, 3), laboratory components.

    ``R_lab_shank`` are the axes of the knee, ``R_lab_shank_ankle`` those of the ankle; they are equal without tibial torsion.

    Attributes
    ----------
    hip_lab_m : FloatArray
        (n, 3), hip centre, metres, laboratory axes.
    knee_lab_m : FloatArray
        (n, 3), knee centre, metres, laboratory axes.
    ankle_lab_m : FloatArray
        (n, 3), ankle centre, metres, laboratory axes.
    R_lab_thigh : FloatArray
        (n, 3, 3), maps thigh components to laboratory components.
    R_lab_shank : FloatArray
        (n, 3, 3), maps shank components to laboratory components; the axes of the knee.
    R_lab_shank_ankle : FloatArray
        (n, 3, 3), the same with the axes of the ankle.
    """

    hip_lab_m: FloatArray
    knee_lab_m: FloatArray
    ankle_lab_m: FloatArray
    R_lab_thigh: FloatArray
    R_lab_shank: FloatArray
    R_lab_shank_ankle: FloatArray


def about_z(side: str, internal_rad: float) -> float:
    """Return the right-handed angle about a proximal axis of a rotation that is positive when internal.

    Parameters
    ----------
    side : str
        Which side, "L" or "R".
    internal_rad : float
        Angle, positive when internal.

    Returns
    -------
    float
        rad, right-handed about the axis that points upwards along the segment.
    """
    return -SIDE_SIGN[side] * internal_rad


def hip_centre(pelvis: Frames, geometry: LegGeometry) -> FloatArray:
    """Return the hip centre.

    Parameters
    ----------
    pelvis : Frames
        Pose of the pelvis in every frame.
    geometry : LegGeometry
        Measurements and learnt angles of the leg.

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes.
    """
    return np.asarray(pelvis.origin_lab_m + matvec(pelvis.R_lab_seg, geometry.hip_pelvis_m))


def place_leg(markers: Markers, pelvis: Frames, geometry: LegGeometry) -> LegPose:
    """Return joint centres and axes of one leg from its markers.

    Parameters
    ----------
    markers : Markers
        With thigh wand, knee, shank wand and ankle markers; laboratory axes.
    pelvis : Frames
        Pose of the pelvis in every frame.
    geometry : LegGeometry
        Measurements and learnt angles of the leg.

    Returns
    -------
    LegPose
        n frames; NaN where a marker is unseen.
    """
    side = geometry.side
    hip = hip_centre(pelvis, geometry)
    knee_marker, ankle_marker = markers.on(side, "lateral_epicondyle"), markers.on(side, "lateral_malleolus")
    knee = knee_centre(markers, geometry, hip)
    ankle = ankle_centre(markers, geometry, knee)
    return leg_from_centres(geometry, hip, knee, ankle, knee_marker, ankle_marker)


def knee_centre(markers: Markers, geometry: LegGeometry, hip_lab_m: FloatArray) -> FloatArray:
    """Return the knee centre from hip centre, knee marker and thigh wand.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    geometry : LegGeometry
        Measurements and learnt angles of the leg.
    hip_lab_m : FloatArray
        (n, 3), hip centre, metres, laboratory axes.

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes.
    """
    side = geometry.side
    return chord(
        hip_lab_m, markers.on(side, "lateral_epicondyle"), markers.on(side, "thigh_wand"), geometry.knee_distance_m,
        wand_rotation_rad=about_z(side, geometry.thigh_rotation_rad),
    )  # fmt: skip


def ankle_centre(markers: Markers, geometry: LegGeometry, knee_lab_m: FloatArray) -> FloatArray:
    """Return the ankle centre from knee centre, ankle marker and shank wand.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    geometry : LegGeometry
        Measurements and learnt angles of the leg.
    knee_lab_m : FloatArray
        (n, 3), knee centre, metres, laboratory axes.

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes.
    """
    side = geometry.side
    marker = markers.on(side, "lateral_malleolus")
    square = chord(
        knee_lab_m, marker, markers.on(side, "shank_wand"), geometry.ankle_distance_m,
        wand_rotation_rad=about_z(side, geometry.shank_rotation_rad),
    )  # fmt: skip
    return turned_to_proximal(knee_lab_m, marker, square, geometry.ankle_tilt_rad) if geometry.ankle_tilt_rad else square


def leg_from_centres(
    geometry: LegGeometry, hip: FloatArray, knee: FloatArray, ankle: FloatArray, knee_marker: FloatArray, ankle_marker: FloatArray
) -> LegPose:
    """Return a leg's axes from its joint centres and the markers beside knee and ankle.

    Parameters
    ----------
    geometry : LegGeometry
        Its side and its tibial torsion are used.
    hip : FloatArray
        (n, 3), hip centre, metres, laboratory axes.
    knee : FloatArray
        (n, 3), knee centre, metres, laboratory axes.
    ankle : FloatArray
        (n, 3), ankle centre, metres, laboratory axes.
    knee_marker : FloatArray
        (n, 3), lateral marker of the knee (or the device's corner), metres, laboratory axes.
    ankle_marker : FloatArray
        (n, 3), lateral marker of the ankle, metres, laboratory axes.

    Returns
    -------
    LegPose
        n frames, with these centres.
    """
    s = SIDE_SIGN[geometry.side]
    thigh = triad_from_z_and_y(hip - knee, s * (knee_marker - knee))
    shank_ankle = triad_from_z_and_y(knee - ankle, s * (ankle_marker - ankle))
    untwist = rotation_about(2, np.array(-about_z(geometry.side, geometry.tibial_torsion_rad)))
    shank = shank_ankle @ untwist if geometry.tibial_torsion_rad else shank_ankle
    return LegPose(hip, knee, ankle, thigh, shank, shank_ankle)
