"""The axes in which a body model's joint angles, moments and forces are expressed, as one value that its motions carry.

Angles are Cardan angles q of the distal segment's axes in the proximal one's. Moments are, by `MomentAxes`, ::

    components of M in the axes of the distal segment, or projections M . e_k on the axes of the joint coordinate system
    (Grood and Suntay 1983, J Biomech Eng 105:136), which are work-conjugate to the angles' rates

and forces components in the axes of the distal segment. Tables of rules pick, sign and mirror these numbers, so that one word of
the sign table fits both legs and every model. All of it is linear in the wrench; the parts of a moment budget therefore pass
through the same functions and still add up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.rotation import cardan_angles, jcs_axes
from biomech_id.algebra.vectors import cross, dot
from biomech_id.conventions import SIDE_SIGN

#: Rows of progression axes (X forward, Y left, Z up) in the order X forward, Y up, Z right:
#: ISB's, of a person who stands upright.
R_ISB_PROGRESSION: FloatArray = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


class MomentAxes(StrEnum):
    """What the components of a joint moment are; ``axes`` of ``summary.json``."""

    DISTAL = "distal-segment"
    JOINT = "joint-coordinate-system"


class ComponentRule(NamedTuple):
    """A clinical component: which of three numbers, by what factor, and whether that is mirrored (times +1 left, -1 right)."""

    which: int
    factor: float
    mirrored: bool


#: The rules of X, Y and Z.
Rules = tuple[ComponentRule, ComponentRule, ComponentRule]


class AngleRule(NamedTuple):
    """Clinical angles from Cardan angles: their sequence, the rules of X, Y and Z, and what is added to X, rad.

    ``wrapped`` keeps the shifted X within half a turn of zero.
    """

    sequence: str
    components: Rules
    offset_rad: float = 0.0
    wrapped: bool = False


def rules(*components: tuple[int, float, bool]) -> Rules:
    """Return the rules of X, Y and Z from plain tuples (index, factor, mirrored).

    Parameters
    ----------
    *components : tuple[int, float, bool]
        Index of the number, factor, and whether it is mirrored on the left.
    """
    x, y, z = (ComponentRule(*component) for component in components)
    return x, y, z


@dataclass(frozen=True, eq=False)
class ModelAxes:
    """The axes of one body model.

    Attributes
    ----------
    moment_axes : MomentAxes
        What the components of a moment are.
    angles : Mapping[str, AngleRule]
        "pelvis", "hip", "knee", "ankle", "foot_progress" -> its rule.
    moments : Mapping[str, Rules]
        Joint -> rules on the three numbers that `MomentAxes` names; of a force, on its components in the distal segment.
    forces : Mapping[str, Rules]
        Joint -> rules on the three numbers that `MomentAxes` names; of a force, on its components in the distal segment.
    R_seg_isb : Mapping[str, FloatArray]
        Segment -> (3, 3), components in ISB axes (X anterior, Y proximal, Z right) to components in the model's segment axes.
    segment_axes : str
        What those are, in words.
    sequence : str
        Cardan sequence that defines the joint coordinate system; of no use to a model that does not project on it.
    """

    moment_axes: MomentAxes
    angles: Mapping[str, AngleRule]
    moments: Mapping[str, Rules]
    forces: Mapping[str, Rules]
    R_seg_isb: Mapping[str, FloatArray]
    segment_axes: str
    sequence: str = "zxy"

    def standing(self, progression_R_lab: FloatArray) -> FloatArray:
        """Return (3, 3), laboratory components to the axes that the pelvis of a person who stands facing the progression has.

        Parameters
        ----------
        progression_R_lab : FloatArray
            (3, 3), rows X forward, Y left, Z up.
        """
        return np.asarray(self.R_seg_isb["pelvis"] @ R_ISB_PROGRESSION @ progression_R_lab)

    def angle(self, name: str, side: str, R_proximal_lab: FloatArray, R_lab_distal: FloatArray) -> FloatArray:
        """Return clinical components X, Y, Z (n, 3), rad.

        Parameters
        ----------
        name, side : str
            A key of ``angles``; "L" or "R".
        R_proximal_lab : FloatArray
            (n, 3, 3), laboratory components to the proximal segment's; for the pelvis and the foot's progress `standing` axes.
        R_lab_distal : FloatArray
            (n, 3, 3), axes of the distal segment.
        """
        rule = self.angles[name]
        angles = clinical_components(cardan_angles(R_proximal_lab @ R_lab_distal, rule.sequence), rule.components, side)
        if rule.offset_rad:
            angles[..., 0] += rule.offset_rad
        if rule.wrapped:
            angles[..., 0] = (angles[..., 0] + np.pi) % (2 * np.pi) - np.pi
        return angles

    def moment(
        self, joint: str, side: str, moment_lab_Nm: FloatArray, R_lab_proximal: FloatArray, R_lab_distal: FloatArray
    ) -> FloatArray:
        """Return clinical components X, Y, Z (n, 3), N m.

        Parameters
        ----------
        joint, side : str
            "hip", "knee" or "ankle"; "L" or "R".
        moment_lab_Nm : FloatArray
            (n, 3), moment of the proximal on the distal segment about the joint centre, laboratory axes.
        R_lab_proximal, R_lab_distal : FloatArray
            (n, 3, 3), axes of the segments at the joint.
        """
        if self.moment_axes is MomentAxes.DISTAL:
            return clinical_components(_components(moment_lab_Nm, R_lab_distal), self.moments[joint], side)
        axes = jcs_axes(R_lab_proximal, R_lab_distal, self.sequence)
        return clinical_components(np.einsum("nik,ni->nk", axes, moment_lab_Nm), self.moments[joint], side)

    def moment_jacobian(
        self, joint: str, side: str, moment_lab_Nm: FloatArray, R_lab_proximal: FloatArray, R_lab_distal: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return what a clinical moment changes by, (n, 3, 3) each: X, Y, Z by laboratory components.

        Per change of the moment, and per small turn (rad) of the axes of the proximal and of the distal segment. With t a turn,
        M . (t x e) = t . (e x M); the floating axis e2 is e3 x e1, made a unit vector, and turns with both others.

        Parameters
        ----------
        joint, side : str
            "hip", "knee" or "ankle"; "L" or "R".
        moment_lab_Nm : FloatArray
            (n, 3), moment of the proximal on the distal segment about the joint centre, laboratory axes.
        R_lab_proximal, R_lab_distal : FloatArray
            (n, 3, 3), axes of the segments at the joint.
        """
        moment = moment_lab_Nm[:, None]
        if self.moment_axes is MomentAxes.DISTAL:
            axes = np.swapaxes(R_lab_distal, -1, -2)
            by_proximal, by_distal = np.zeros_like(axes), cross(axes, moment)
        else:
            axes = np.swapaxes(jcs_axes(R_lab_proximal, R_lab_distal, self.sequence), -1, -2)
            e1, e2, e3 = (axes[:, k] for k in range(3))
            normal = cross(e3, e1)
            across = moment_lab_Nm - dot(moment_lab_Nm, e2)[:, None] * e2
            per_e2 = across / dot(normal, e2)[:, None]
            zero = np.zeros_like(e1)
            by_proximal = np.stack([cross(e1, moment_lab_Nm), cross(e1, cross(per_e2, e3)), zero], axis=1)
            by_distal = np.stack([zero, cross(e3, cross(e1, per_e2)), cross(e3, moment_lab_Nm)], axis=1)
        by_moment, by_proximal, by_distal = (
            np.swapaxes(clinical_components(np.swapaxes(rows, 1, 2), self.moments[joint], side), 1, 2)
            for rows in (axes, by_proximal, by_distal)
        )
        return by_moment, by_proximal, by_distal

    def force(self, joint: str, side: str, force_lab_N: FloatArray, R_lab_distal: FloatArray) -> FloatArray:
        """Return clinical components X, Y, Z (n, 3), N, of a force (n, 3) in laboratory axes (see `moment`).

        Parameters
        ----------
        joint : str
            "ankle", "knee" or "hip".
        side : str
            "L" or "R".
        force_lab_N : FloatArray
            (N, n, 3), of the proximal on the distal segment, laboratory axes, N.
        R_lab_distal : FloatArray
            (n, 3, 3), maps components in the distal segment's axes to laboratory components.
        """
        return clinical_components(_components(force_lab_N, R_lab_distal), self.forces[joint], side)

    def sagittal_power(
        self,
        joint: str,
        moment_lab_Nm: FloatArray,
        relative_omega_lab_rad_s: FloatArray,
        R_lab_proximal: FloatArray,
        R_lab_distal: FloatArray,
    ) -> FloatArray:
        """Return the share of a joint's rotational power that its sagittal moment does, (n,), W.

        In the distal segment's axes: moment times relative angular velocity along the axis of the moment's X. On the joint
        coordinate system: the projection of the moment on the flexion axis e1 times the flexion rate, which is the part of the
        relative angular velocity along e1 in the oblique axes of the joint, omega . (e2 x e3) / (e1 . (e2 x e3)).

        Parameters
        ----------
        joint : str
            "hip", "knee" or "ankle".
        moment_lab_Nm, relative_omega_lab_rad_s : FloatArray
            (n, 3), moment on the distal segment and its angular velocity relative to the proximal one, laboratory axes.
        R_lab_proximal, R_lab_distal : FloatArray
            (n, 3, 3), axes of the segments at the joint.
        """
        if self.moment_axes is MomentAxes.DISTAL:
            mediolateral = R_lab_distal[..., self.moments[joint][0].which]
            return np.asarray(dot(moment_lab_Nm, mediolateral) * dot(relative_omega_lab_rad_s, mediolateral))
        axes = jcs_axes(R_lab_proximal, R_lab_distal, self.sequence)
        e1, dual = axes[..., 0], np.cross(axes[..., 1], axes[..., 2])
        power = dot(moment_lab_Nm, e1) * dot(relative_omega_lab_rad_s, dual) / dot(e1, dual)
        return power


def _components(vector_lab: FloatArray, R_lab_segment: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("...ji,...j->...i", R_lab_segment, vector_lab))


def clinical_components(numbers: FloatArray, picked: Rules, side: str) -> FloatArray:
    """Return components X, Y, Z (..., 3) of three numbers (..., 3), by their rules.

    Parameters
    ----------
    numbers : FloatArray
        (..., 3), any unit.
    picked : Rules
        Which number, factor and mirroring of each component.
    side : str
        "L" or "R".

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.joint_axes import clinical_components, rules
    >>> clinical_components(np.array([1.0, 2.0, 3.0]), rules((1, 1.0, False), (0, -1.0, True), (2, 1.0, False)), "R")
    array([2., 1., 3.])
    """
    signs = [factor * (SIDE_SIGN[side] if mirrored else 1.0) for _, factor, mirrored in picked]
    return np.asarray(numbers[..., [rule.which for rule in picked]] * np.array(signs))
