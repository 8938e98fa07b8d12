"""Clinical joint angles of the virtual subject, from its segment axes.

Relative rotation R = R_proximal^T R_distal = Ry(a) Rx(b) Rz(c), and from (a, b, c) the components that clinics call flexion,
adduction and rotation; s = +1 left, -1 right (signs as in `conventions.SIGN_TABLE`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.conventions import SIDE_SIGN, SIDES
from biomech_id.sample.arrays import FloatArray

#: A walk that covers at least this much ground defines the direction of progression; otherwise the pelvis does.
TRAVEL_M = 0.5


def true_joint_angles(
    R_lab_seg: Mapping[tuple[str, str], FloatArray], R_progression_lab: FloatArray
) -> dict[tuple[str, str], FloatArray]:
    """Clinical joint angles from the segments' axes.

    Parameters
    ----------
    R_lab_seg : Mapping[tuple[str, str], FloatArray]
        ("", "pelvis") and (side, "thigh" | "shank" | "foot") -> (n, 3, 3).
    R_progression_lab : FloatArray
        (3, 3), laboratory components to progression components.

    Returns
    -------
    dict[tuple[str, str], FloatArray]
        (side, joint), (side, "pelvis") and (side, "foot_progress") -> (n, 3): flexion, adduction, rotation, rad.
    """
    pelvis = R_lab_seg["", "pelvis"]
    angles = {}
    for side in SIDES:
        s = SIDE_SIGN[side]
        thigh, shank, foot = (R_lab_seg[side, name] for name in ("thigh", "shank", "foot"))
        a, b, c = _cardan(R_progression_lab @ pelvis)
        angles[side, "pelvis"] = np.stack([a, s * b, -s * c], axis=-1)
        a, b, c = _cardan(_relative(pelvis, thigh))
        angles[side, "hip"] = np.stack([-a, -s * b, -s * c], axis=-1)
        a, b, c = _cardan(_relative(thigh, shank))
        angles[side, "knee"] = np.stack([a, -s * b, -s * c], axis=-1)
        a, b, c = _cardan(_relative(shank, foot))
        angles[side, "ankle"] = np.stack([-a - np.pi / 2, -s * c, -s * b], axis=-1)
        a, b, c = _cardan(R_progression_lab @ foot)
        angles[side, "foot_progress"] = np.stack([a, s * c, -s * b], axis=-1)
    return angles


def true_progression_axes(lasi_m: FloatArray, pelvis_x: FloatArray) -> FloatArray:
    """Axes along which the walk goes.

    Parameters
    ----------
    lasi_m : FloatArray
        (n, 3), path of the left ASIS marker, whose largest net displacement decides.
    pelvis_x : FloatArray
        (n, 3), the pelvis's forward axis, which decides when there is hardly any displacement.

    Returns
    -------
    FloatArray
        R_lab_progression (3, 3): x the laboratory axis of progression, z up.
    """
    net = lasi_m[-1, :2] - lasi_m[0, :2]
    direction = net if np.abs(net).max() >= TRAVEL_M else pelvis_x[:, :2].mean(axis=0)
    axis = int(np.argmax(np.abs(direction)))
    x = np.zeros(3)
    x[axis] = np.sign(direction[axis])
    z = np.array([0.0, 0.0, 1.0])
    return np.column_stack([x, np.cross(z, x), z])


def _relative(proximal: FloatArray, distal: FloatArray) -> FloatArray:
    return np.swapaxes(proximal, -1, -2) @ distal


def _cardan(R: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    return np.arctan2(R[:, 0, 2], R[:, 2, 2]), np.arcsin(-R[:, 1, 2]), np.arctan2(R[:, 1, 0], R[:, 1, 1])
