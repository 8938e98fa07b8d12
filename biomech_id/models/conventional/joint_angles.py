"""Clinical joint angles of the conventional model.

For every joint R_proximal_lab R_lab_distal = Ry(a) Rx(b) Rz(c), and with s = +1 left, -1 right the clinical components are

    pelvis (laboratory to pelvis)        ( a,        s b,  -s c)
    hip                                  (-a,       -s b,  -s c)
    knee                                 ( a,       -s b,  -s c)
    ankle (shank to foot)                (-a - 90°, -s c,  -s b)
    foot progress (laboratory to foot)   ( a,        s c,  -s b)

The foot's z axis points from toe to ankle, which is why a right angle separates its flexion from the others'.
Kadaba et al. 1990, J Orthop Res 8:383; words and signs are rows of `conventions.SIGN_TABLE`.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.rotation import cardan_angles
from biomech_id.conventions import SIDE_SIGN


def clinical_angles(joint: str, side: str, R_proximal_lab: FloatArray, R_lab_distal: FloatArray) -> FloatArray:
    """Return (n, 3), rad, the clinical components X, Y, Z of "pelvis", "hip", "knee", "ankle" or "foot_progress".

    ``R_proximal_lab`` maps laboratory components to those of the proximal segment (of the progression axes for the pelvis and for
    foot progress), ``R_lab_distal`` those of the distal segment to the laboratory.
    """
    a, b, c = np.moveaxis(cardan_angles(R_proximal_lab @ R_lab_distal, "yxz"), -1, 0)
    s = SIDE_SIGN[side]
    components = {
        "pelvis": (a, s * b, -s * c),
        "hip": (-a, -s * b, -s * c),
        "knee": (a, -s * b, -s * c),
        "ankle": (_wrapped(-a - np.pi / 2), -s * c, -s * b),
        "foot_progress": (a, s * c, -s * b),
    }[joint]
    return np.stack(components, axis=-1)


def _wrapped(angle_rad: FloatArray) -> FloatArray:
    """The same angle within half a turn of zero."""
    wrapped: FloatArray = (angle_rad + np.pi) % (2 * np.pi) - np.pi
    return wrapped
