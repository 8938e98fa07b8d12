"""From joint loads to the components a clinician reads, in the axes that the motion's body model says.

Which axes, which sign: `dynamics.joint_axes.ModelAxes`. A motion without axes is refused; no model's are taken by default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import DISTAL_SEGMENT
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.joint_axes import MomentAxes
from biomech_id.dynamics.loads import JointLoad
from biomech_id.models.registry import DEFAULT_MODEL, body_model

#: In words, what the components of a moment are.
MOMENT_AXES: dict[MomentAxes, str] = {
    MomentAxes.DISTAL: "components in the axes of the segment distal to the joint",
    MomentAxes.JOINT: "projections on the axes of the joint coordinate system (ISB)",
}


def moment_axes_of(summary: Mapping[str, Any]) -> MomentAxes:
    """Return what a session's moments are expressed in; folders of schema 1 name the body model only.

    Parameters
    ----------
    summary : Mapping[str, Any]
        What the session's ``summary.json`` holds.

    Raises
    ------
    OptionError
        Neither axes nor a known body model.
    """
    stated = [axes for axes in MomentAxes if axes == summary.get("axes")]
    return stated[0] if stated else body_model(summary.get("model") or DEFAULT_MODEL).axes.moment_axes


def clinical_moment(moment_lab_Nm: FloatArray, motion: BodyMotion, side: str, joint: str) -> FloatArray:
    """Return the clinical components X, Y, Z (n, 3), N m, of a moment about a joint centre.

    Parameters
    ----------
    moment_lab_Nm : FloatArray
        (n, 3), internal moment (of the proximal on the distal segment) about the joint centre, laboratory axes.
    motion : BodyMotion
        Whose segment axes, and whose model's rules, are used.
    side, joint : str
        "L" or "R"; "hip", "knee" or "ankle".

    Raises
    ------
    MissingInputError
        The motion has no model axes.
    """
    return motion.model_axes.moment(joint, side, moment_lab_Nm, *_axes_at(motion, side, joint))


def clinical_force(force_lab_N: FloatArray, motion: BodyMotion, side: str, joint: str) -> FloatArray:
    """Return the clinical components X, Y, Z (n, 3), N, of a joint force given in laboratory axes (see `clinical_moment`).

    Parameters
    ----------
    force_lab_N : FloatArray
        (n, 3), laboratory axes.
    motion : BodyMotion
        Poses of the tracked body, frame by frame.
    side : str
        Side of the joint: "L" or "R".
    joint : str
        "ankle", "knee" or "hip".
    """
    return motion.model_axes.force(joint, side, force_lab_N, _axes_at(motion, side, joint)[1])


def sagittal_power(load: JointLoad, motion: BodyMotion) -> FloatArray:
    """Return the share of a joint's rotational power that its sagittal moment does, (n,), W.

    Parameters
    ----------
    load : JointLoad
        Load of the joint, in every frame.
    motion : BodyMotion
        Of the body it belongs to.
    """
    distal, proximal = motion.motions[load.side, load.distal], motion.parent_of(load.side, load.joint)
    relative = distal.omega_lab_rad_s - proximal.omega_lab_rad_s
    axes = _axes_at(motion, load.side, load.joint)
    return motion.model_axes.sagittal_power(load.joint, load.wrench.moment_Nm, relative, *axes)


def _axes_at(motion: BodyMotion, side: str, joint: str) -> tuple[FloatArray, FloatArray]:
    distal = motion.motions[side, DISTAL_SEGMENT[joint]]
    return motion.parent_of(side, joint).frames.R_lab_seg, distal.frames.R_lab_seg
