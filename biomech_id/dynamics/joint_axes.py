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
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.rotation import cardan_angles, jcs_axes
from biomech_id.algebra.vectors import cross, dot
from biomech_id.conventions import SIDE_SIGN
from biomech_id.values import dataclass

#: Rows of progression axes (X forward, Y left, Z up) in the order X forward, Y up, Z right: ISB's, of a person who stands upright.
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
    """Make the rules of X, Y and Z from plain tuples.

    Parameters
    ----------
    *components : tuple[int, float, bool]
        Index of the number, factor, and whether it changes sign on the right.

    Returns
    -------
    Rules
        Three `ComponentRule`, in the order of the arguments.
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
        Joint -> rules on the three numbers that `MomentAxes` names.
    forces : Mapping[str, Rules]
        Joint -> rules on the components of the joint force in the distal segment's axes.
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
        """Axes that the pelvis of a person has who stands upright and faces the progression.

        Parameters
        ----------
        progression_R_lab : FloatArray
            (3, 3), rows X forward, Y left, Z up.

        Returns
        -------
        FloatArray
            (3, 3), laboratory components to components in those axes.
        """
        return np.asarray(self.R_seg_isb["pelvis"] @ R_ISB_PROGRESSION @ progression_R_lab)

    def angle(self, name: str, side: str, R_proximal_lab: FloatArray, R_lab_distal: FloatArray) -> FloatArray:
        """Clinical angles of a joint, or of a segment in the laboratory.

        Parameters
        ----------
        name, side : str
            A key of ``angles``; "L" or "R".
        R_proximal_lab : FloatArray
            (n, 3, 3), laboratory components to the proximal segment's; for the pelvis and the foot's progress `standing` axes.
        R_lab_distal : FloatArray
            (n, 3, 3), axes of the distal segment.

        Returns
        -------
        FloatArray
            (n, 3), clinical components X, Y, Z, rad.
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
        """Clinical components of a joint moment.

        Parameters
        ----------
        joint, side : str
            "hip", "knee" or "ankle"; "L" or "R".
        moment_lab_Nm : FloatArray
            (n, 3), moment of the proximal on the distal segment about the joint centre, laboratory axes.
        R_lab_proximal, R_lab_distal : FloatArray
            (n, 3, 3), axes of the segments at the joint.

        Returns
        -------
        FloatArray
            (n, 3), X, Y, Z, N m, in the axes of ``moment_axes``.
        """
        if self.moment_axes is MomentAxes.DISTAL:
            return clinical_components(_components(moment_lab_Nm, R_lab_distal), self.moments[joint], side)
        axes = jcs_axes(R_lab_proximal, R_lab_distal, self.sequence)
        return clinical_components(np.einsum("nik,ni->nk", axes, moment_lab_Nm), self.moments[joint], side)

    def moment_jacobian(
        self, joint: str, side: str, moment_lab_Nm: FloatArray, R_lab_proximal: FloatArray, R_lab_distal: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Derivatives of a clinical moment by the laboratory moment and by small turns of the two segments' axes.

        With t a turn, M . (t x e) = t . (e x M); the floating axis e2 is e3 x e1, made a unit vector, and turns with both others.

        Parameters
        ----------
        joint, side : str
            "hip", "knee" or "ankle"; "L" or "R".
        moment_lab_Nm : FloatArray
            (n, 3), moment of the proximal on the distal segment about the joint centre, laboratory axes.
        R_lab_proximal, R_lab_distal : FloatArray
            (n, 3, 3), axes of the segments at the joint.

        Returns
        -------
        by_moment : FloatArray
            (n, 3, 3), rows X, Y, Z, columns laboratory components of the moment; N m per N m.
        by_proximal : FloatArray
            (n, 3, 3), columns laboratory components of a turn of the proximal axes; N m per rad.
        by_distal : FloatArray
            (n, 3, 3), the same of the distal axes.
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
        """Clinical components of a joint force.

        Parameters
        ----------
        joint : str
            "ankle", "knee" or "hip".
        side : str
            "L" or "R"; decides the mirrored components.
        force_lab_N : FloatArray
            (n, 3), of the proximal on the distal segment, laboratory axes, N.
        R_lab_distal : FloatArray
            (n, 3, 3), maps components in the distal segment's axes to laboratory components.

        Returns
        -------
        FloatArray
            (n, 3), X, Y, Z, N, from components in the distal segment's axes.
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
        """Share of a joint's rotational power that its sagittal moment does.

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

        Returns
        -------
        FloatArray
            (n,), W, positive where the joint generates.
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
    """Pick, scale and mirror three numbers by the rules of X, Y and Z.

    Parameters
    ----------
    numbers : FloatArray
        (..., 3), any unit.
    picked : Rules
        Which number, factor and mirroring of each component.
    side : str
        "L" or "R"; mirrored components change their sign on the right.

    Returns
    -------
    FloatArray
        (..., 3), X, Y, Z, in the unit of ``numbers``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.joint_axes import clinical_components, rules
    >>> clinical_components(np.array([1.0, 2.0, 3.0]), rules((1, 1.0, False), (0, -1.0, True), (2, 1.0, False)), "R")
    array([2., 1., 3.])
    """
    signs = [factor * (SIDE_SIGN[side] if mirrored else 1.0) for _, factor, mirrored in picked]
    return np.asarray(numbers[..., [rule.which for rule in picked]] * np.array(signs))
