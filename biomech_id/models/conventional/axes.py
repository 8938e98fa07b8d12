"""In which axes the conventional model expresses angles, moments and forces.

Segment axes are x anterior, y to the subject's LEFT on both sides, z proximal; the foot's z axis points from toe to ankle and its x
axis upwards, which is why a right angle separates its flexion from the others'. For every joint
R_proximal_lab R_lab_distal = Ry(a) Rx(b) Rz(c), and with s = +1 left, -1 right the clinical components are ::

    pelvis (progression axes to pelvis)   ( a,        s b,  -s c)
    hip                                   (-a,       -s b,  -s c)
    knee                                  ( a,       -s b,  -s c)
    ankle (shank to foot)                 (-a - 90°, -s c,  -s b)
    foot progress (progression to foot)   ( a,        s c,  -s b)

Kadaba et al. 1990, J Orthop Res 8:383. The moment about a joint centre and the force are written in the axes of the segment distal
to the joint; words and signs are rows of `conventions.SIGN_TABLE`.
"""

from __future__ import annotations

import numpy as np

from biomech_id.dynamics.joint_axes import R_ISB_PROGRESSION, AngleRule, ModelAxes, MomentAxes, rules

_LONG = R_ISB_PROGRESSION.T
_ALONG_DISTAL = rules((0, 1.0, False), (1, 1.0, False), (2, 1.0, False))

CONVENTIONAL_AXES = ModelAxes(
    moment_axes=MomentAxes.DISTAL,
    angles={
        "pelvis": AngleRule("yxz", rules((0, 1.0, False), (1, 1.0, True), (2, -1.0, True))),
        "hip": AngleRule("yxz", rules((0, -1.0, False), (1, -1.0, True), (2, -1.0, True))),
        "knee": AngleRule("yxz", rules((0, 1.0, False), (1, -1.0, True), (2, -1.0, True))),
        "ankle": AngleRule("yxz", rules((0, -1.0, False), (2, -1.0, True), (1, -1.0, True)), -np.pi / 2, wrapped=True),
        "foot_progress": AngleRule("yxz", rules((0, 1.0, False), (2, 1.0, True), (1, -1.0, True))),
    },
    moments={
        "ankle": rules((1, 1.0, False), (2, -1.0, True), (0, 1.0, True)),
        "knee": rules((1, -1.0, False), (0, 1.0, True), (2, 1.0, True)),
        "hip": rules((1, 1.0, False), (0, 1.0, True), (2, 1.0, True)),
    },
    forces={
        "ankle": rules((0, -1.0, False), (1, 1.0, False), (2, -1.0, False)),
        "knee": _ALONG_DISTAL,
        "hip": _ALONG_DISTAL,
    },
    segment_axes="x anterior, y to the subject's left on both sides, z proximal; of the foot x up, z from the toes to the ankle",
    R_seg_isb={
        "pelvis": _LONG,
        "thigh": _LONG,
        "shank": _LONG,
        "foot": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]]),
    },
)
