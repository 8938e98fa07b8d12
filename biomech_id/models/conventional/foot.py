"""The foot of the conventional model: an axis from the toe marker to the ankle, turned by what the static trial taught.

The uncorrected foot U has z along ankle - toe, x = y_shank x z, y = z x x. The static trial gives the plantar flexion p and the
rotation q of the sole's axis (heel to toe) in U, and every other trial uses ::

    R_lab_foot = U Ry(-p) Rx(-s q),            s = +1 left, -1 right,

so that the foot's z axis points from toes to heel, x up through the instep and y to the left (Davis et al. 1991, Hum Mov Sci
10:575).
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.rotation import rotation_about
from biomech_id.algebra.vectors import cross
from biomech_id.conventions import SIDE_SIGN
from biomech_id.models.triads import right_angled, unit


def uncorrected_foot(ankle_lab_m: FloatArray, toe_lab_m: FloatArray, R_lab_shank: FloatArray) -> FloatArray:
    """Return the foot before its static correction.

    Parameters
    ----------
    ankle_lab_m : FloatArray
        (n, 3), joint centre, laboratory axes.
    toe_lab_m : FloatArray
        (n, 3), marker, laboratory axes.
    R_lab_shank : FloatArray
        (n, 3, 3), maps shank components to laboratory components.

    Returns
    -------
    FloatArray
        U, (n, 3, 3), maps components of the uncorrected foot to laboratory components.
    """
    return corrected_axes(ankle_lab_m - toe_lab_m, R_lab_shank)


def corrected_axes(toe_to_heel_lab: FloatArray, R_lab_shank: FloatArray) -> FloatArray:
    """Return axes with z along the sole and y near the shank's.

    Parameters
    ----------
    toe_to_heel_lab : FloatArray
        (n, 3), any length, laboratory axes.
    R_lab_shank : FloatArray
        (n, 3, 3), maps shank components to laboratory components.

    Returns
    -------
    FloatArray
        (n, 3, 3), columns are the axes, y as near to the shank's as a right angle allows.
    """
    z = unit(toe_to_heel_lab)
    x = unit(cross(R_lab_shank[:, :, 1], z))
    return right_angled(x, cross(z, x), z)


def corrected_foot(
    uncorrected: FloatArray, side: str, plantar_flexion_rad: FloatArray | float, rotation_rad: FloatArray | float
) -> FloatArray:
    """Return the foot from U and its static offsets (equation of the module).

    Parameters
    ----------
    uncorrected : FloatArray
        U (n, 3, 3), maps components of the uncorrected foot to laboratory components.
    side : str
        Which side, "L" or "R".
    plantar_flexion_rad : FloatArray | float
        Plantar flexion p of the sole's axis in U, one for all frames or (n,).
    rotation_rad : FloatArray | float
        Rotation q of the sole's axis in U, one for all frames or (n,).

    Returns
    -------
    FloatArray
        R_lab_foot, (n, 3, 3).
    """
    p, q = np.asarray(plantar_flexion_rad), np.asarray(rotation_rad)
    correction = rotation_about(1, -p) @ rotation_about(0, -SIDE_SIGN[side] * q)
    return np.asarray(uncorrected @ correction)
