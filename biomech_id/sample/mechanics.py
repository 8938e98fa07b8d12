"""Joint forces and moments from the rate of change of momentum of everything distal to the joint.

For the sub-chain C of rigid segments beyond a joint at P, with p the sum of m c' and h the sum of c x m c' + I omega about a point
fixed in the laboratory, ::

    F_joint = dp/dt - m_C g - F_ground
    M_joint = dh/dt - P x dp/dt - sum (c - P) x m g - (M_ground - P x F_ground)           about P

the action of the proximal on the distal side. Momenta are Taylor series in time, so that their rates are exact; no segment-by-
segment recursion, no frame-by-frame differences and no acceleration formula is involved.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS
from biomech_id.conventions import GRAVITY_LAB_M_S2
from biomech_id.sample.arrays import Array, FloatArray
from biomech_id.sample.body import Inertia, Person
from biomech_id.sample.jets import Jet, jet_cross, matmul, rotate, transpose
from biomech_id.sample.motion import Posture
from biomech_id.values import dataclass


@dataclass(frozen=True, eq=False)
class Momentum:
    """One segment: mass (kg), centre (n, 3), linear momentum (n, 3) and angular momentum about the laboratory's origin (n, 3).

    Attributes
    ----------
    mass_kg : float
        Mass of the segment.
    centre_m : Jet
        (n, 3), centre of mass, laboratory axes.
    linear : Jet
        (n, 3), kg m/s.
    angular : Jet
        (n, 3), about the laboratory's origin, kg m2/s.
    """

    mass_kg: float
    centre_m: Jet
    linear: Jet
    angular: Jet


@dataclass(frozen=True, eq=False)
class JointWrench:
    """Action of the proximal on the distal segment, laboratory axes: force (n, 3) and moment about the joint centre (n, 3).

    Attributes
    ----------
    force_N : Array
        (n, 3), laboratory axes.
    moment_Nm : Array
        (n, 3), about the joint centre, laboratory axes.
    """

    force_N: Array
    moment_Nm: Array


def segment_poses(pose: Posture, side: str) -> Mapping[str, tuple[Jet, Jet]]:
    """Axes and origins of a leg's segments.

    Parameters
    ----------
    pose : Posture
        The body's pose at those times.
    side : str
        Whose leg, "L" or "R".

    Returns
    -------
    Mapping[str, tuple[Jet, Jet]]
        "foot", "shank", "thigh" -> (R_lab_segment, origin as `Person.inertia` counts it).
    """
    leg = pose.legs[side]
    return {
        "foot": (pose.R_lab_foot[side], leg.ankle_m),
        "shank": (leg.R_lab_shank, leg.ankle_m),
        "thigh": (leg.R_lab_thigh, leg.knee_m),
    }


def angular_velocity_of(R: Jet) -> Jet:
    """Angular velocity of axes that turn, from S(omega) = R' R^T.

    Parameters
    ----------
    R : Jet
        (n, 3, 3), maps segment components to laboratory components.

    Returns
    -------
    Jet
        (n, 3), laboratory axes, rad/s, of one order less.
    """
    spin = matmul(R.rate(), transpose(Jet(R.c[:-1])))
    return Jet(np.stack([spin.c[..., 2, 1], spin.c[..., 0, 2], spin.c[..., 1, 0]], axis=-1))


def segment_momentum(body: Person, side: str, segment: str, R: Jet, origin: Jet) -> Momentum:
    """Momentum of one rigid segment of a leg.

    Parameters
    ----------
    body : Person
        Constants of the person.
    side : str
        Whose leg, "L" or "R".
    segment : str
        "foot", "shank" or "thigh".
    R : Jet
        (n, 3, 3), maps segment components to laboratory components.
    origin : Jet
        (n, 3), of the segment, laboratory axes, metres.

    Returns
    -------
    Momentum
        About the laboratory's origin.
    """
    return momentum_of(body.inertia(side, segment), R, origin)


def momentum_of(inertia: Inertia, R: Jet, origin: Jet) -> Momentum:
    """Momentum of a rigid body.

    Parameters
    ----------
    inertia : Inertia
        Mass, centre of mass from ``origin`` and central tensor, in the body's principal axes.
    R : Jet
        (n, 3, 3), maps the body's components to laboratory components.
    origin : Jet
        (n, 3), laboratory axes, metres.

    Returns
    -------
    Momentum
        About the laboratory's origin; one order less than the pose.
    """
    centre = origin + rotate(R, inertia.com_m)
    linear = centre.rate() * inertia.mass_kg
    shorter = Jet(R.c[:-1])
    spin_body = rotate(transpose(shorter), angular_velocity_of(R)) * np.diag(inertia.tensor_kgm2)
    angular = jet_cross(Jet(centre.c[:-1]), linear) + rotate(shorter, spin_body)
    return Momentum(inertia.mass_kg, centre, linear, angular)


def true_joint_wrenches(
    body: Person, pose: Posture, side: str, ground_force_N: Array, ground_moment_Nm: Array
) -> dict[str, JointWrench]:
    """Forces and moments in the joints of one leg.

    Parameters
    ----------
    body : Person
        Constants of the person.
    pose : Posture
        The body's pose at those times.
    side : str
        Whose leg, "L" or "R".
    ground_force_N : Array
        (n, 3), the floor's force on this foot, laboratory axes.
    ground_moment_Nm : Array
        (n, 3), its moment about the laboratory's origin.

    Returns
    -------
    dict[str, JointWrench]
        "ankle", "knee", "hip" -> action of the proximal on the distal segment, about the joint centre.
    """
    points = pose.legs[side].centres_m
    gravity = np.array(GRAVITY_LAB_M_S2)
    poses = segment_poses(pose, side)
    force, moment_origin = -ground_force_N, -ground_moment_Nm
    wrenches = {}
    for joint in JOINTS:
        part = segment_momentum(body, side, DISTAL_SEGMENT[joint], *poses[DISTAL_SEGMENT[joint]])
        weight = part.mass_kg * gravity
        force = force + part.linear.derivative(1) - weight
        # Gathered about the laboratory's origin, where the moments of all parts may be added; moved to the joint at the end.
        moment_origin = moment_origin + part.angular.derivative(1) - np.cross(part.centre_m.value, weight)
        wrenches[joint] = JointWrench(force, moment_origin - np.cross(points[joint], force))
    return wrenches


def joint_powers(pose: Posture, side: str, wrenches: Mapping[str, JointWrench]) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Powers of the joints of one leg.

    Rotational: M . (omega_distal - omega_proximal). Translational: F . (v_distal - v_proximal) of the two material points at the
    joint centre; zero here up to rounding, because every joint centre is fixed in both neighbours.

    Parameters
    ----------
    pose : Posture
        The body's pose at those times.
    side : str
        Whose leg, "L" or "R".
    wrenches : Mapping[str, JointWrench]
        Joint -> action of the proximal on the distal segment.

    Returns
    -------
    dict[str, tuple[FloatArray, FloatArray]]
        Joint -> (rotational, translational), W, (n,) each.
    """
    poses = dict(segment_poses(pose, side)) | {"pelvis": (pose.pelvis.R_lab_pelvis, pose.pelvis.origin_m)}
    points = pose.legs[side].centres_m
    chain = ("foot", "shank", "thigh", "pelvis")
    powers = {}
    for joint, distal, proximal in zip(JOINTS, chain[:-1], chain[1:], strict=True):
        (omega_d, velocity_d), (omega_p, velocity_p) = (_twist_at(*poses[name], points[joint]) for name in (distal, proximal))
        wrench = wrenches[joint]
        rotational = (wrench.moment_Nm * (omega_d - omega_p)).sum(axis=-1)
        translational = (wrench.force_N * (velocity_d - velocity_p)).sum(axis=-1)
        powers[joint] = (rotational, translational)
    return powers


def _twist_at(R: Jet, origin: Jet, point: Array) -> tuple[Array, Array]:
    omega = angular_velocity_of(R).value
    return omega, origin.derivative(1) + np.cross(omega, point - origin.value)
