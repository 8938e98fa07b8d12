"""In which axes the six-degree-of-freedom model expresses angles, moments and forces.

ISB segment axes (Wu et al. 2002, J Biomech 35:543): X anterior, Y proximal, Z to the subject's right, on both sides. The joint
coordinate system of Grood and Suntay (1983, J Biomech Eng 105:136) has e1 = Z of the proximal segment (flexion), e3 = Y of the
distal segment (rotation) and e2 floating (ab/adduction): R_proximal_distal = Rz(q1) Rx(q2) Ry(q3). With s = +1 left, -1 right, ::

    hip, ankle angles      ( q1, -s q2, -s q3)   flexion, adduction, internal rotation      (ankle: Y = s q2, eversion)
    knee angles            (-q1, -s q2, -s q3)
    pelvis                 progression axes (X forward, Y up, Z right) to pelvis = Ry(rotation) Rx(obliquity) Rz(tilt)
                           (Baker 2001, Hum Mov Sci 20:653): (-tilt, s obliquity, -s rotation)
    foot progress          the same axes to foot = Rz(pitch) Ry(progression) Rx(roll): (-90 deg - pitch, -s roll, -s progression);
                           the pitch is counted like the conventional model's, -90 degrees for a level foot

and, for a moment M of the proximal on the distal segment, the projections m_k = M . e_k on the joint's own axes::

    hip, ankle moments     (-m1, s m2, s m3)      knee moments  (m1, s m2, s m3)

Projections are work-conjugate to the angles' rates; they are not components (e1 and e3 are not square to each other), and
their sum of squares is not ``|M|^2``. Forces stay in the axes of the distal segment, as in the conventional model::

    hip, knee forces       (f_x, -f_z, f_y)       ankle forces  (-f_y, -f_z, f_x).

Names, order, words and signs are those of `conventions.SIGN_TABLE`; at neutral they equal the conventional model's.
"""

from __future__ import annotations

import numpy as np

from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.dynamics.joint_axes import AngleRule, ModelAxes, MomentAxes, rules

#: Flexion about the proximal Z, ab/adduction about the floating axis, rotation about the distal Y.
JCS_SEQUENCE = "zxy"
_HIP_ANKLE_MOMENT = rules((0, -1.0, False), (1, 1.0, True), (2, 1.0, True))
_HIP_KNEE_FORCE = rules((0, 1.0, False), (2, -1.0, False), (1, 1.0, False))

SIX_DOF_AXES = ModelAxes(
    moment_axes=MomentAxes.JOINT,
    sequence=JCS_SEQUENCE,
    angles={
        "pelvis": AngleRule("yxz", rules((2, -1.0, False), (1, 1.0, True), (0, -1.0, True))),
        "hip": AngleRule(JCS_SEQUENCE, rules((0, 1.0, False), (1, -1.0, True), (2, -1.0, True))),
        "knee": AngleRule(JCS_SEQUENCE, rules((0, -1.0, False), (1, -1.0, True), (2, -1.0, True))),
        "ankle": AngleRule(JCS_SEQUENCE, rules((0, 1.0, False), (1, 1.0, True), (2, -1.0, True))),
        "foot_progress": AngleRule("zyx", rules((0, -1.0, False), (2, -1.0, True), (1, -1.0, True)), -np.pi / 2),
    },
    moments={
        "hip": _HIP_ANKLE_MOMENT,
        "knee": rules((0, 1.0, False), (1, 1.0, True), (2, 1.0, True)),
        "ankle": _HIP_ANKLE_MOMENT,
    },
    forces={
        "hip": _HIP_KNEE_FORCE,
        "knee": _HIP_KNEE_FORCE,
        "ankle": rules((1, -1.0, False), (2, -1.0, False), (0, 1.0, False)),
    },
    segment_axes="ISB: X anterior, Y proximal, Z to the subject's right on both sides",
    R_seg_isb={name: np.eye(3) for name in ("pelvis", *LEG_SEGMENTS)},
)
