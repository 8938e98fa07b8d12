"""ISB axes of pelvis, thigh, shank and foot from anatomical points.

X anterior, Y proximal (up), Z to the subject's right, on both sides (Wu and Cavanagh 1995, J Biomech 28:1257; Wu et al. 2002,
J Biomech 35:543). ``outward`` points from medial to lateral; it is turned to point right, so that both legs have Z to the right.

::

    pelvis  Z from left to right ASIS; X forward in the plane of the ASIS and the midpoint of the PSIS; origin mid-ASIS
    thigh   Y from knee to hip centre; Z in the plane of Y and the epicondyles; origin hip centre
    shank   Y from ankle to knee centre; Z in the plane of Y and the malleoli; origin knee centre
    foot    X from heel to second metatarsal head; Z as near to the shank's Z as a right angle allows; origin ankle centre

The shank's long axis runs between the joint centres, as in Cappozzo et al. 1995 and in the inertial tables; Wu et al. 2002 lay
its Z through the malleoli instead. X of the two is the same. Every origin of a leg segment is the joint centre proximal to it,
because inertial tables count from there.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross
from biomech_id.conventions import SIDE_SIGN
from biomech_id.models.triads import triad, unit

UP = np.array([0.0, 0.0, 1.0])


def pelvis_axes(left_asis_m: FloatArray, right_asis_m: FloatArray, posterior_m: FloatArray) -> FloatArray:
    """Return R_lab_pelvis (n, 3, 3) from the ASIS and the middle of the posterior spines (or the sacrum), (n, 3) each.

    Parameters
    ----------
    left_asis_m, right_asis_m, posterior_m : FloatArray
        (n, 3), laboratory axes.
    """
    z = unit(right_asis_m - left_asis_m)
    y = unit(cross(z, 0.5 * (left_asis_m + right_asis_m) - posterior_m))
    return triad(cross(y, z), y, z)


def long_bone_axes(side: str, proximal_m: FloatArray, distal_m: FloatArray, outward: FloatArray) -> FloatArray:
    """Return R_lab_seg (n, 3, 3) of thigh or shank from the joint centres at its ends and the direction from medial to lateral.

    Parameters
    ----------
    side : str
        "L" or "R".
    proximal_m, distal_m : FloatArray
        (n, 3), joint centre, laboratory axes.
    outward : FloatArray
        (n, 3), from medial to lateral, laboratory axes.
    """
    y = unit(proximal_m - distal_m)
    x = unit(cross(y, -SIDE_SIGN[side] * outward))
    return triad(x, y, cross(x, y))


def foot_axes(heel_m: FloatArray, forefoot_m: FloatArray, R_lab_shank: FloatArray, *, flat: bool) -> FloatArray:
    """Return R_lab_foot (n, 3, 3); ``flat`` takes the line from heel to forefoot as level, whatever the markers' heights.

    Parameters
    ----------
    heel_m, forefoot_m : FloatArray
        (n, 3), laboratory axes.
    R_lab_shank : FloatArray
        (n, 3, 3), maps shank components to laboratory components.
    flat : bool
        Whether the foot is taken to be level.
    """
    forward = forefoot_m - heel_m
    x = unit(forward * (1.0 - UP) if flat else forward)
    y = unit(cross(R_lab_shank[:, :, 2], x))
    return triad(x, y, cross(x, y))
