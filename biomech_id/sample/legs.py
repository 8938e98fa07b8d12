"""Inverse kinematics of a leg in closed form: from the hip centre and the foot to shank and thigh.

The ankle of the conventional model has two axes: the shank's lateral axis y stays perpendicular to the dorsal axis x of the foot.
With the turn kappa of that axis about the foot's x prescribed, ::

    y_shank = cos(kappa) y_foot + sin(kappa) z_foot                      (axes of the uncorrected foot)

the knee lies in the plane through the ankle perpendicular to y_shank, at the two bones' lengths from ankle and hip: with D the
hip's distance from that plane and h' its foot in it, a triangle with sides shank, sqrt(thigh^2 - D^2) and ``|h' - ankle|``. Of the
two solutions the knee bends forward. The thigh's turn about its own axis follows from the prescribed knee rotation gamma: for
R_thigh_shank = Ry(a) Rx(b) Rz(gamma) the thigh's long axis seen from the shank, turned by gamma, is ::

    Rz(gamma) z_thigh = (-sin a, cos a sin b, cos a cos b).
"""

from __future__ import annotations

import numpy as np

from biomech_id.sample.arrays import Array
from biomech_id.sample.jets import Jet, constant, jet_cross, jet_dot, jet_unit, matmul, rotate, sin_cos, sqrt, stack, transpose
from biomech_id.values import dataclass


@dataclass(frozen=True, eq=False)
class LegMotion:
    """Joint centres (n, 3) and axes (n, 3, 3) of one leg, laboratory.

    Attributes
    ----------
    hip_m : Jet
        (n, 3), joint centre, laboratory axes.
    knee_m : Jet
        (n, 3), joint centre, laboratory axes.
    ankle_m : Jet
        (n, 3), joint centre, laboratory axes.
    R_lab_thigh : Jet
        (n, 3, 3), maps segment components to laboratory components.
    R_lab_shank : Jet
        (n, 3, 3), maps segment components to laboratory components.
    """

    hip_m: Jet
    knee_m: Jet
    ankle_m: Jet
    R_lab_thigh: Jet
    R_lab_shank: Jet

    @property
    def centres_m(self) -> dict[str, Array]:
        """Joint centres (n, 3) by "ankle", "knee" and "hip", laboratory axes."""
        return {"ankle": self.ankle_m.value, "knee": self.knee_m.value, "hip": self.hip_m.value}


def leg_motion(
    hip_m: Jet, ankle_m: Jet, shank_y: Jet, bones_m: tuple[float, float], knee_rotation: Jet, *, deep: bool = False
) -> LegMotion:
    """Place knee, shank and thigh.

    Parameters
    ----------
    hip_m : Jet
        (n, 3), hip centre, laboratory axes, m.
    ankle_m : Jet
        (n, 3), ankle centre, laboratory axes, m.
    shank_y : Jet
        (n, 3) unit vector, the shank's axis to the left.
    bones_m : tuple[float, float]
        From hip to knee centre, and from knee to ankle centre, m.
    knee_rotation : Jet
        (n,) last angle of the knee's Cardan sequence, radians.
    deep : bool, optional
        Count it about the thigh's own axis instead, from where the thigh's lateral axis lies nearest to the shank's.

    Returns
    -------
    LegMotion
        Joint centres and rotations of thigh and shank, laboratory axes.
    """
    thigh_m, shank_m = bones_m
    knee = _knee(hip_m, ankle_m, shank_y, thigh_m, shank_m)
    shank_z = (knee - ankle_m) / shank_m
    R_lab_shank = stack([jet_cross(shank_y, shank_z), shank_y, shank_z])
    thigh_z = (hip_m - knee) / thigh_m
    if deep:
        return LegMotion(hip_m, knee, ankle_m, _about_thigh(shank_y, thigh_z, knee_rotation), R_lab_shank)
    R_lab_thigh = matmul(R_lab_shank, transpose(_knee_rotation(rotate(transpose(R_lab_shank), thigh_z), knee_rotation)))
    return LegMotion(hip_m, knee, ankle_m, R_lab_thigh, R_lab_shank)


def _about_thigh(shank_y: Jet, thigh_z: Jet, gamma: Jet) -> Jet:
    """R_lab_thigh (n, 3, 3) whose lateral axis is the shank's, made perpendicular to the thigh and turned about it by -gamma."""
    y = jet_unit(shank_y - thigh_z * jet_dot(shank_y, thigh_z)[..., None])
    x = jet_cross(y, thigh_z)
    sine, cosine = (part[..., None] for part in sin_cos(gamma))
    return stack([x * cosine - y * sine, x * sine + y * cosine, thigh_z])


def _knee(hip: Jet, ankle: Jet, normal: Jet, thigh: float, shank: float) -> Jet:
    reach = hip - ankle
    aside = jet_dot(reach, normal)
    in_plane = reach - normal * aside[..., None]
    distance = sqrt(jet_dot(in_plane, in_plane))
    along = in_plane / distance[..., None]
    forward = jet_cross(normal, along)
    # Law of cosines in the plane; the thigh is seen shortened by its lean out of it.
    cosine = (distance * distance + (shank**2 - thigh**2) + aside * aside) / (distance * (2 * shank))
    sine = sqrt(1 - cosine * cosine)
    return ankle + (along * cosine[..., None] + forward * sine[..., None]) * shank


def _knee_rotation(thigh_z_shank: Jet, gamma: Jet) -> Jet:
    """R_thigh_shank from the thigh's long axis in shank axes and the last Cardan angle."""
    sin_c, cos_c = sin_cos(gamma)
    x, y, z = (thigh_z_shank[..., i] for i in range(3))
    wx, wy = cos_c * x - sin_c * y, sin_c * x + cos_c * y
    cos_a = sqrt(wy * wy + z * z)
    sin_a, sin_b, cos_b = -wx, wy / cos_a, z / cos_a
    zero = constant(0.0, gamma)
    one = constant(1.0, gamma)
    R_a = stack([stack([cos_a, zero, -sin_a]), stack([zero, one, zero]), stack([sin_a, zero, cos_a])])
    R_b = stack([stack([one, zero, zero]), stack([zero, cos_b, sin_b]), stack([zero, -sin_b, cos_b])])
    R_c = stack([stack([cos_c, sin_c, zero]), stack([-sin_c, cos_c, zero]), stack([zero, zero, one])])
    return matmul(matmul(R_a, R_b), R_c)


def shank_axis(R_lab_uncorrected_foot: Jet, turn: Jet, roll_rad: float = 0.0) -> Jet:
    """The shank's axis to the left, from the foot's axes.

    Parameters
    ----------
    R_lab_uncorrected_foot : Jet
        (n, 3, 3), conventional foot axes before the static offsets.
    turn : Jet
        (n,), kappa, turn of the axis about the foot's x, rad.
    roll_rad : float, optional
        Tilts the axis out of the foot's y-z plane, as a free ankle would; 0 obeys the conventional model.

    Returns
    -------
    Jet
        (n, 3), unit vectors, laboratory axes.
    """
    sine, cosine = sin_cos(turn)
    x, y, z = (R_lab_uncorrected_foot[..., i] for i in range(3))
    side = z * float(np.cos(roll_rad)) + x * float(np.sin(roll_rad))
    return jet_unit(y * cosine[..., None] + side * sine[..., None])
