"""From joint loads to the components a clinician reads: which axes, which sign, per body model.

Conventional model: the moment about the joint centre is written in the axes of the segment distal to the joint and its components
are picked, signed and mirrored by `conventions.MOMENT_RULES` (force: `conventions.FORCE_RULES`), so that one word fits both legs.
All of it is linear in the wrench; the parts of a moment budget therefore pass through the same functions and still add up.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import DISTAL_SEGMENT, FORCE_RULES, MOMENT_RULES, SIDE_SIGN, ComponentRule
from biomech_id.dynamics.body import BodyMotion

#: (vector in laboratory axes (n, 3), motion, side, joint) -> clinical components X, Y, Z (n, 3).
Expression = Callable[[FloatArray, BodyMotion, str, str], FloatArray]


def clinical_moment(moment_lab_Nm: FloatArray, motion: BodyMotion, side: str, joint: str) -> FloatArray:
    """Return the clinical components X, Y, Z (n, 3), N m, of a moment about a joint centre.

    Parameters
    ----------
    moment_lab_Nm : (n, 3), internal moment (of the proximal on the distal segment) about the joint centre, laboratory axes.
    motion : whose segment axes, and whose model's rules, are used.
    side, joint : "L" or "R"; "hip", "knee" or "ankle".
    """
    return _MOMENT[motion.model](moment_lab_Nm, motion, side, joint)


def clinical_force(force_lab_N: FloatArray, motion: BodyMotion, side: str, joint: str) -> FloatArray:
    """Return the clinical components X, Y, Z (n, 3), N, of a joint force given in laboratory axes (see `clinical_moment`)."""
    return _picked(_distal(force_lab_N, motion, side, joint), FORCE_RULES[joint], side)


def _distal(vector_lab: FloatArray, motion: BodyMotion, side: str, joint: str) -> FloatArray:
    R_lab_distal = motion.motions[side, DISTAL_SEGMENT[joint]].frames.R_lab_seg
    components: FloatArray = np.einsum("nji,nj->ni", R_lab_distal, vector_lab)
    return components


def _picked(components: FloatArray, rules: tuple[ComponentRule, ...], side: str) -> FloatArray:
    axes = [axis for axis, _, _ in rules]
    signs = [factor * (SIDE_SIGN[side] if mirrored else 1.0) for _, factor, mirrored in rules]
    picked: FloatArray = components[:, axes] * np.array(signs)
    return picked


def _distal_axes(moment_lab_Nm: FloatArray, motion: BodyMotion, side: str, joint: str) -> FloatArray:
    return _picked(_distal(moment_lab_Nm, motion, side, joint), MOMENT_RULES[joint], side)


#: How each body model expresses its moments.
_MOMENT: dict[str, Expression] = {"conventional": _distal_axes}
