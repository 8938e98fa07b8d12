"""Clinical angles, moments and forces of segments with ISB axes.

ISB segment axes (Wu et al. 2002, J Biomech 35:543): X anterior, Y proximal, Z to the subject's right, on both sides. The joint
coordinate system of Grood and Suntay (1983, J Biomech Eng 105:136) has e1 = Z of the proximal segment (flexion), e3 = Y of the
distal segment (rotation) and e2 floating (ab/adduction): R_proximal_distal = Rz(q1) Rx(q2) Ry(q3). With s = +1 left, -1 right,

    hip, ankle angles      ( q1, -s q2, -s q3)   flexion, adduction, internal rotation      (ankle: Y = s q2, eversion)
    knee angles            (-q1, -s q2, -s q3)
    pelvis                 progression axes (X forward, Y up, Z right) to pelvis = Ry(rotation) Rx(obliquity) Rz(tilt)
                           (Baker 2001, Hum Mov Sci 20:653): (-tilt, s obliquity, -s rotation)
    foot progress          the same axes to foot = Rz(pitch) Ry(progression) Rx(roll): (-90 deg - pitch, -s roll, -s progression)

and, for a moment M of the proximal on the distal segment, the projections m_k = M . e_k on the joint's own axes:

    hip, ankle moments     (-m1, s m2, s m3)      knee moments  (m1, s m2, s m3)

Projections are work-conjugate to the angles' rates; they are not components (e1 and e3 are not square to each other), and
their sum of squares is not |M|^2. Forces stay in the axes of the distal segment, as in the conventional model:

    hip, knee forces       (f_x, -f_z, f_y)       ankle forces  (-f_y, -f_z, f_x).

Names, order, words and signs are those of `conventions.SIGN_TABLE`; at neutral they equal the conventional model's.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.rotation import cardan_angles, jcs_axes
from biomech_id.conventions import SIDE_SIGN

#: Flexion about the proximal Z, ab/adduction about the floating axis, rotation about the distal Y.
JCS_SEQUENCE = "zxy"
PELVIS_SEQUENCE = "yxz"
FOOT_PROGRESS_SEQUENCE = "zyx"
#: Clinical angle components X, Y, Z from q1, q2, q3: factor, and whether it is mirrored (times s).
JCS_ANGLE_RULES: Mapping[str, tuple[tuple[float, bool], ...]] = {
    "hip": ((1.0, False), (-1.0, True), (-1.0, True)),
    "knee": ((-1.0, False), (-1.0, True), (-1.0, True)),
    "ankle": ((1.0, False), (1.0, True), (-1.0, True)),
}
#: Clinical moment components X, Y, Z from the projections on e1, e2, e3: factor, and whether it is mirrored (times s).
JCS_MOMENT_RULES: Mapping[str, tuple[tuple[float, bool], ...]] = {
    "hip": ((-1.0, False), (1.0, True), (1.0, True)),
    "knee": ((1.0, False), (1.0, True), (1.0, True)),
    "ankle": ((-1.0, False), (1.0, True), (1.0, True)),
}
#: Clinical force components X, Y, Z: index of the distal segment's ISB axis and factor; forces are not mirrored.
ISB_FORCE_RULES: Mapping[str, tuple[tuple[int, float], ...]] = {
    "hip": ((0, 1.0), (2, -1.0), (1, 1.0)),
    "knee": ((0, 1.0), (2, -1.0), (1, 1.0)),
    "ankle": ((1, -1.0), (2, -1.0), (0, 1.0)),
}
#: Rows of progression axes (X forward, Y left, Z up) in the order X forward, Y up, Z right.
_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def joint_angles(joint: str, side: str, R_lab_proximal: FloatArray, R_lab_distal: FloatArray) -> FloatArray:
    """Return clinical angles (n, 3), rad, of "hip", "knee" or "ankle" from ISB segment axes (n, 3, 3), see the module."""
    relative = np.swapaxes(R_lab_proximal, -1, -2) @ R_lab_distal
    return cardan_angles(relative, JCS_SEQUENCE) * _signs(JCS_ANGLE_RULES[joint], side)


def pelvis_angles(side: str, progression_R_lab: FloatArray, R_lab_pelvis: FloatArray) -> FloatArray:
    """Return tilt, obliquity, rotation (n, 3), rad, of the pelvis against progression axes (3, 3): rows X forward, Y left, Z up."""
    rotation, obliquity, tilt = np.moveaxis(cardan_angles(_Y_UP @ progression_R_lab @ R_lab_pelvis, PELVIS_SEQUENCE), -1, 0)
    s = SIDE_SIGN[side]
    return np.stack([-tilt, s * obliquity, -s * rotation], axis=-1)


def foot_progress_angles(side: str, progression_R_lab: FloatArray, R_lab_foot: FloatArray) -> FloatArray:
    """Return pitch, roll, progression (n, 3), rad, of the foot against progression axes (3, 3): rows X forward, Y left, Z up.

    The pitch is counted like the conventional model's: -90 degrees for a level foot.
    """
    pitch, progression, roll = np.moveaxis(cardan_angles(_Y_UP @ progression_R_lab @ R_lab_foot, FOOT_PROGRESS_SEQUENCE), -1, 0)
    s = SIDE_SIGN[side]
    return np.stack([-np.pi / 2 - pitch, -s * roll, -s * progression], axis=-1)


def joint_moments(
    joint: str, side: str, moment_lab_Nm: FloatArray, R_lab_proximal: FloatArray, R_lab_distal: FloatArray
) -> FloatArray:
    """Return clinical moments (n, 3), N m: projections of ``moment_lab_Nm`` on the joint's axes.

    Parameters
    ----------
    joint, side : "hip", "knee" or "ankle"; "L" or "R".
    moment_lab_Nm : (n, 3), moment of the proximal on the distal segment about the joint centre, laboratory axes (internal moment).
    R_lab_proximal, R_lab_distal : (n, 3, 3), ISB axes of the segments at the joint.
    """
    axes = jcs_axes(R_lab_proximal, R_lab_distal, JCS_SEQUENCE)
    projections = np.einsum("nik,ni->nk", axes, moment_lab_Nm)
    moments: FloatArray = projections * _signs(JCS_MOMENT_RULES[joint], side)
    return moments


def joint_forces(joint: str, force_lab_N: FloatArray, R_lab_distal: FloatArray) -> FloatArray:
    """Return clinical components (n, 3), N, of a force in laboratory axes, by the ISB axes (n, 3, 3) of the distal segment."""
    in_distal = np.einsum("nji,nj->ni", R_lab_distal, force_lab_N)
    return np.stack([factor * in_distal[:, axis] for axis, factor in ISB_FORCE_RULES[joint]], axis=-1)


def _signs(rules: tuple[tuple[float, bool], ...], side: str) -> FloatArray:
    return np.array([factor * (SIDE_SIGN[side] if mirrored else 1.0) for factor, mirrored in rules])
