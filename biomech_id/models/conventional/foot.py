"""The foot of the conventional model: an axis from the toe marker to the ankle, turned by what the static trial taught.

The uncorrected foot U has z along ankle - toe, x = y_shank x z, y = z x x. The static trial gives the plantar flexion p and the
rotation q of the sole's axis (heel to toe) in U, and every other trial uses

    R_lab_foot = U Ry(-p) Rx(-s q),            s = +1 left, -1 right,

so that the foot's z axis points from toes to heel, x up through the instep and y to the left (Davis et al. 1991, Hum Mov Sci
10:575).
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.rotation import rotation_about
from biomech_id.algebra.vectors import cross, matvec_transposed
from biomech_id.conventions import SIDE_SIGN
from biomech_id.models.triads import triad, unit

#: The toe marker sits over the second metatarsal head, which lies at about this share of the foot's length from the heel, and a
#: foot is this broad for its length; the heel is two thirds as broad (Drillis & Contini 1966, New York University TR 1166.03:
#: length .152, breadth .055 of stature).
METATARSAL_SHARE = 0.73
BREADTH_PER_LENGTH = 0.055 / 0.152
HEEL_BREADTH_SHARE = 2.0 / 3.0
#: Points around the sole in order: share of the foot's length from the heel, and of half its breadth towards the outer side.
OUTLINE: tuple[tuple[str, float, float], ...] = (
    ("Heel", 0.0, 0.0),
    ("HeelLateral", 0.10, HEEL_BREADTH_SHARE),
    ("BallLateral", 0.62, 1.0),
    ("ToesLateral", 0.87, 0.65),
    ("Toe", 1.0, -0.25),
    ("ToesMedial", 0.92, -0.80),
    ("BallMedial", 0.73, -1.0),
    ("HeelMedial", 0.10, -HEEL_BREADTH_SHARE),
)
OUTLINE_NAMES: tuple[str, ...] = tuple(f"{name}Outline" for name, _, _ in OUTLINE)
UP = np.array([0.0, 0.0, 1.0])


def uncorrected_foot(ankle_lab_m: FloatArray, toe_lab_m: FloatArray, R_lab_shank: FloatArray) -> FloatArray:
    """Return U (n, 3, 3), the foot before its static correction, from ankle centre and toe marker (n, 3) and the shank's axes."""
    return foot_axes(ankle_lab_m - toe_lab_m, R_lab_shank)


def foot_axes(toe_to_heel_lab: FloatArray, R_lab_shank: FloatArray) -> FloatArray:
    """Return axes (n, 3, 3) with z along ``toe_to_heel_lab`` (n, 3) and y as near to the shank's y as a right angle allows."""
    z = unit(toe_to_heel_lab)
    x = unit(cross(R_lab_shank[:, :, 1], z))
    return triad(x, cross(z, x), z)


def corrected_foot(uncorrected: FloatArray, side: str, plantar_flexion_rad: float, rotation_rad: float) -> FloatArray:
    """Return R_lab_foot (n, 3, 3) from U and the static offsets p and q (equation above)."""
    correction = rotation_about(1, np.array(-plantar_flexion_rad)) @ rotation_about(0, np.array(-SIDE_SIGN[side] * rotation_rad))
    foot: FloatArray = uncorrected @ correction
    return foot


def foot_length_m(heel_lab_m: FloatArray, toe_lab_m: FloatArray, marker_radius_m: float) -> float:
    """Return the length that scales the foot's inertia: the mean distance from heel to toe marker less a marker radius, metres."""
    return float(np.nanmean(np.linalg.norm(toe_lab_m - heel_lab_m, axis=1)) - marker_radius_m)


def outline_foot_m(
    side: str, heel_lab_m: FloatArray, toe_lab_m: FloatArray, ankle_lab_m: FloatArray, R_lab_foot: FloatArray,
    marker_radius_m: float, floor_lab_m: float,
) -> FloatArray:  # fmt: skip
    """Return the outline of the sole, (k, 3), metres, in foot axes from the ankle centre, learnt from standing frames.

    Drawn on the floor at height ``floor_lab_m`` under heel and toe marker (n, 3): the skin is a marker radius in front of the heel
    marker's centre, and the foot reaches beyond the toe marker, which sits on the metatarsal head. Names are ``OUTLINE_NAMES``.
    """
    forward = (toe_lab_m - heel_lab_m) * (1.0 - UP)
    distance = np.linalg.norm(forward, axis=1, keepdims=True)
    forward = forward / distance
    outward = SIDE_SIGN[side] * cross(UP, forward)
    length = (distance - marker_radius_m) / METATARSAL_SHARE
    heel = heel_lab_m * (1.0 - UP) + UP * floor_lab_m + marker_radius_m * forward
    points = []
    for _, along, across in OUTLINE:
        point_lab = heel + length * (along * forward + across * BREADTH_PER_LENGTH / 2 * outward)
        points.append(np.nanmean(matvec_transposed(R_lab_foot, point_lab - ankle_lab_m), axis=0))
    return np.stack(points)
