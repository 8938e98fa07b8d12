"""Joint angles of a whole body from the poses of its segments, in a model's own axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS, PELVIS, Part, proximal_part
from biomech_id.dynamics.body import Motion
from biomech_id.dynamics.joint_axes import ModelAxes


def clinical_angles(
    axes: ModelAxes, sides: Sequence[str], motions: Mapping[Part, Motion], progression: FloatArray
) -> dict[Part, FloatArray]:
    """Return the clinical angles of a whole body.

    Parameters
    ----------
    axes : ModelAxes
        The model's axes; say in which sequence and with which signs angles come out.
    sides : Sequence[str]
        "L" and "R", or one of them.
    motions : Mapping[Part, Motion]
        Part -> motion, of the pelvis and of all segments of those legs; n frames each.
    progression : FloatArray
        (3, 3), rows are X forward, Y to the left and Z up, laboratory components.

    Returns
    -------
    dict[Part, FloatArray]
        (side, joint) and (side, "pelvis" or "foot_progress") -> (n, 3), rad, clinical components X, Y, Z; NaN where a pose is
        missing.
    """
    R = {key: motion.frames.R_lab_seg for key, motion in motions.items()}
    angles: dict[Part, FloatArray] = {}
    standing = axes.standing(progression)
    for side in sides:
        angles[side, "pelvis"] = axes.angle("pelvis", side, standing, R[PELVIS])
        for joint in reversed(JOINTS):
            R_proximal_lab = np.swapaxes(R[proximal_part(side, joint)], -1, -2)
            angles[side, joint] = axes.angle(joint, side, R_proximal_lab, R[side, DISTAL_SEGMENT[joint]])
        angles[side, "foot_progress"] = axes.angle("foot_progress", side, standing, R[side, "foot"])
    return angles
