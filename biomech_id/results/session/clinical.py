"""From joint loads to the components a clinician reads: which axes, which sign, per body model.

Conventional model: the moment about the joint centre is written in the axes of the segment distal to the joint and its components
are picked, signed and mirrored by `conventions.MOMENT_RULES` (force: `conventions.FORCE_RULES`), so that one word fits both legs.

Six-dof model: its segments have ISB axes; moments are projections on the joint coordinate system, forces components in the axes
of the distal segment, with the signs of `models.six_dof.joint_coordinate_system`.

All of it is linear in the wrench; the parts of a moment budget therefore pass through the same functions and still add up.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.rotation import jcs_axes
from biomech_id.algebra.skew import skew
from biomech_id.algebra.vectors import cross, dot
from biomech_id.anatomy import DISTAL_SEGMENT
from biomech_id.conventions import FORCE_RULES, MOMENT_RULES, SIDE_SIGN, ComponentRule
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoad
from biomech_id.models.six_dof.joint_coordinate_system import JCS_SEQUENCE, joint_forces, joint_moments

#: Model -> in words, what the components of its moments are.
MOMENT_AXES: dict[str, str] = {
    "conventional": "components in the axes of the segment distal to the joint",
    "six-dof": "projections on the axes of the joint coordinate system (ISB)",
}


def clinical_moment(moment_lab_Nm: FloatArray, motion: BodyMotion, side: str, joint: str) -> FloatArray:
    """Return the clinical components X, Y, Z (n, 3), N m, of a moment about a joint centre.

    Parameters
    ----------
    moment_lab_Nm : (n, 3), internal moment (of the proximal on the distal segment) about the joint centre, laboratory axes.
    motion : whose segment axes, and whose model's rules, are used.
    side, joint : "L" or "R"; "hip", "knee" or "ankle".
    """
    R_lab_distal = motion.motions[side, DISTAL_SEGMENT[joint]].frames.R_lab_seg
    if motion.model == "six-dof":
        return joint_moments(joint, side, moment_lab_Nm, motion.parent_of(side, joint).frames.R_lab_seg, R_lab_distal)
    return _picked(_components(moment_lab_Nm, R_lab_distal), MOMENT_RULES[joint], side)


def clinical_moment_change(
    model: str,
    side: str,
    joint: str,
    moment_lab_Nm: FloatArray,
    R_lab: tuple[FloatArray, FloatArray],
    change_lab_Nm: FloatArray,
    turn_lab_rad: tuple[FloatArray, FloatArray],
) -> FloatArray:
    """Return by how much a clinical moment (p, n, 3), N m, changes if it and the axes it is written in are off, in p ways.

    Parameters
    ----------
    model, side, joint : "conventional" or "six-dof"; "L" or "R"; "hip", "knee" or "ankle".
    moment_lab_Nm : (n, 3), internal moment about the joint centre, laboratory axes.
    R_lab : axes (n, 3, 3) of the proximal and of the distal segment.
    change_lab_Nm : (p, n, 3), of the moment.
    turn_lab_rad : small rotations (p, n, 3) of the axes of the proximal and of the distal segment, laboratory axes.
    """
    if model != "six-dof":
        change = change_lab_Nm - cross(turn_lab_rad[1], moment_lab_Nm)
        return _picked(_components(change, R_lab[1]), MOMENT_RULES[joint], side)
    turned = [(R + skew(turn) @ R).reshape(-1, 3, 3) for R, turn in zip(R_lab, turn_lab_rad, strict=True)]
    off = joint_moments(joint, side, (moment_lab_Nm + change_lab_Nm).reshape(-1, 3), *turned)
    changes: FloatArray = off.reshape(change_lab_Nm.shape) - joint_moments(joint, side, moment_lab_Nm, *R_lab)
    return changes


def clinical_force(force_lab_N: FloatArray, motion: BodyMotion, side: str, joint: str) -> FloatArray:
    """Return the clinical components X, Y, Z (n, 3), N, of a joint force given in laboratory axes (see `clinical_moment`)."""
    R_lab_distal = motion.motions[side, DISTAL_SEGMENT[joint]].frames.R_lab_seg
    if motion.model == "six-dof":
        return joint_forces(joint, force_lab_N, R_lab_distal)
    return _picked(_components(force_lab_N, R_lab_distal), FORCE_RULES[joint], side)


def _components(vector_lab: FloatArray, R_lab_segment: FloatArray) -> FloatArray:
    components: FloatArray = np.einsum("...ji,...j->...i", R_lab_segment, vector_lab)
    return components


def _picked(components: FloatArray, rules: tuple[ComponentRule, ...], side: str) -> FloatArray:
    axes = [axis for axis, _, _ in rules]
    signs = [factor * (SIDE_SIGN[side] if mirrored else 1.0) for _, factor, mirrored in rules]
    picked: FloatArray = components[..., axes] * np.array(signs)
    return picked


def sagittal_power(load: JointLoad, motion: BodyMotion) -> FloatArray:
    """Return the share of a joint's rotational power that its sagittal moment does, (n,), W.

    Conventional model: moment times relative angular velocity along the distal segment's mediolateral axis (y). Six-dof model:
    the projection of the moment on the flexion axis e1 times the flexion rate, which is the part of the relative angular velocity
    along e1 in the oblique axes of the joint, omega . (e2 x e3) / (e1 . (e2 x e3)).

    Parameters
    ----------
    load : of the joint.
    motion : of the body it belongs to.
    """
    distal, proximal = motion.motions[load.side, load.distal], motion.parent_of(load.side, load.joint)
    relative = distal.omega_lab_rad_s - proximal.omega_lab_rad_s
    moment = load.wrench.moment_Nm
    if motion.model == "six-dof":
        axes = jcs_axes(proximal.frames.R_lab_seg, distal.frames.R_lab_seg, JCS_SEQUENCE)
        e1, dual = axes[..., 0], np.cross(axes[..., 1], axes[..., 2])
        power: FloatArray = dot(moment, e1) * dot(relative, dual) / dot(e1, dual)
        return power
    mediolateral = distal.frames.R_lab_seg[..., 1]
    power = dot(moment, mediolateral) * dot(relative, mediolateral)
    return power
