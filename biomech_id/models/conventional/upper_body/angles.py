"""Angles of head, thorax, neck, spine and arms, with the sequences and signs of the conventional model.

Cardan angles (a, b, c) of the distal in the proximal segment, R = Ry(a) Rx(b) Rz(c), and with s = +1 left, -1 right ::

    head (progression axes to head)       (-a,  s b, -s c)      neck (head to thorax)       (-a,  s b, -s c)
    thorax (progression axes to thorax)   ( a,  s b, -s c)      spine (thorax to pelvis)    (-a,  s b, -s c)
    elbow (humerus to radius)             ( a,  0,    0)        wrist (radius to hand)      ( a, -s b, -s c)

and for the shoulder (thorax to humerus), R = Rx(b) Ry(a) Rz(c): (-a, s b, 180 degrees - s c). Progression axes are those of
C7's path. Moments of the arms are (-M_y, -s M_x, -s M_z) in the axes of the segment distal to the joint, whose x axis points
backward and y to the right; of waist and neck (M_y, s M_x, -s M_z) in those of pelvis and thorax.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.rotation import cardan_angles
from biomech_id.anatomy import Part
from biomech_id.conventions import SIDE_SIGN
from biomech_id.dynamics.body import Frames
from biomech_id.dynamics.joint_axes import Rules, clinical_components, rules
from biomech_id.dynamics.loads import JointLoad

#: Angle -> proximal and distal segment ("lab" for progression axes), and the signs of its components, mirrored ones for the left.
_RULES: dict[str, tuple[str, str, tuple[float, float, float]]] = {
    "head": ("lab", "head", (-1.0, 1.0, -1.0)),
    "thorax": ("lab", "thorax", (1.0, 1.0, -1.0)),
    "neck": ("head", "thorax", (-1.0, 1.0, -1.0)),
    "spine": ("thorax", "pelvis", (-1.0, 1.0, -1.0)),
    "elbow": ("humerus", "radius", (1.0, 0.0, 0.0)),
    "wrist": ("radius", "hand", (1.0, -1.0, -1.0)),
}
_ARM = rules((1, -1.0, False), (0, -1.0, True), (2, -1.0, True))
_MIDDLE = rules((1, 1.0, False), (0, 1.0, True), (2, -1.0, True))
#: Joint -> rules of its moment, on components in the axes of the segment that `dynamics.upper_loads` has distal to it.
#: A force is written in those axes as it is.
MOMENT_RULES: dict[str, Rules] = {"wrist": _ARM, "elbow": _ARM, "shoulder": _ARM, "waist": _MIDDLE, "neck": _MIDDLE}
_SIDED = frozenset({"humerus", "radius", "hand"})


def upper_angles_rad(frames: Mapping[Part, Frames], pelvis: Frames, R_progression_lab: FloatArray) -> dict[Part, FloatArray]:
    """Return the angles above the hips whose two segments are there.

    Parameters
    ----------
    frames : Mapping[Part, Frames]
        Segments of the upper body (see `placement.UpperBody`).
    pelvis : Frames
        Pose of the pelvis in every frame, conventional axes.
    R_progression_lab : FloatArray
        (3, 3), rows X forward, Y left, Z up.

    Returns
    -------
    dict[Part, FloatArray]
        (side, angle) -> (n, 3), rad, clinical components.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.rotation import rotation_about
    >>> from biomech_id.dynamics.body import Frames
    >>> from biomech_id.models.conventional.upper_body.angles import upper_angles_rad
    >>> upright = Frames(np.eye(3)[None], np.zeros((1, 3)))
    >>> bent = Frames(rotation_about(1, np.array([0.3])), np.zeros((1, 3)))
    >>> upper_angles_rad({("", "thorax"): bent}, upright, np.eye(3))["L", "thorax"].round(3) + 0.0
    array([[0.3, 0. , 0. ]])
    """
    R_lab: dict[Part, FloatArray] = {part: each.R_lab_seg for part, each in frames.items()}
    R_lab["", "pelvis"], R_lab["", "lab"] = pelvis.R_lab_seg, R_progression_lab.T
    angles: dict[Part, FloatArray] = {}
    for side, s in SIDE_SIGN.items():
        for angle, (proximal, distal, signs) in _RULES.items():
            pair = [(side if name in _SIDED else "", name) for name in (proximal, distal)]
            if all(part in R_lab for part in pair):
                a, b, c = np.moveaxis(cardan_angles(np.swapaxes(R_lab[pair[0]], -1, -2) @ R_lab[pair[1]], "yxz"), -1, 0)
                angles[side, angle] = np.stack([signs[0] * a, s * signs[1] * b, s * signs[2] * c], axis=-1)
        if (side, "humerus") in R_lab:
            R = np.swapaxes(R_lab["", "thorax"], -1, -2) @ R_lab[side, "humerus"]
            b, a, c = np.moveaxis(cardan_angles(R, "xyz"), -1, 0)
            angles[side, "shoulder"] = np.stack([-a, s * b, np.pi - (s * c) % (2 * np.pi)], axis=-1)
    return angles


def upper_moment(load: JointLoad, side: str) -> FloatArray:
    """Return the clinical components of a joint's moment.

    Parameters
    ----------
    load : JointLoad
        Of wrist, elbow, shoulder, waist or neck; about the joint centre.
    side : str
        For which side words are read, "L" or "R"; those of waist and neck are the same load.

    Returns
    -------
    FloatArray
        (n, 3), N m, components X, Y, Z in the axes of the joint's distal segment.
    """
    return clinical_components(load.expressed_in("distal").moment_Nm, MOMENT_RULES[load.joint], side)


def upper_force(load: JointLoad) -> FloatArray:
    """Return the components of a joint's force.

    Parameters
    ----------
    load : JointLoad
        Of wrist, elbow, shoulder, waist or neck.

    Returns
    -------
    FloatArray
        (n, 3), N, components X, Y, Z in the axes of the joint's distal segment.
    """
    return load.expressed_in("distal").force_N
