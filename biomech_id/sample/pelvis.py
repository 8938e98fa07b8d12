"""Motion of the pelvis: along the path, swaying, rising and falling with the step; every term a sine of the stride."""

from __future__ import annotations

from math import pi

import numpy as np

from biomech_id.sample.body import Person
from biomech_id.sample.footsteps import Walk
from biomech_id.sample.jets import Jet, constant, matmul, rotate, sin_cos, stack
from biomech_id.sample.path import left_of
from biomech_id.values import dataclass


@dataclass(frozen=True, eq=False)
class PelvisMotion:
    """Pose of the pelvis (origin between the ASIS markers), middle of the hips and direction of the path, (n, 3) each.

    Attributes
    ----------
    R_lab_pelvis : Jet
        (n, 3, 3), maps pelvis components to laboratory components.
    origin_m : Jet
        (n, 3), between the ASIS markers, laboratory axes.
    centre_m : Jet
        (n, 3), middle of the hips, laboratory axes.
    heading : Jet
        (n, 3), unit vector along the path.
    """

    R_lab_pelvis: Jet
    origin_m: Jet
    centre_m: Jet
    heading: Jet


def pelvis_motion(time: Jet, body: Person, walk: Walk, *, height_m: float) -> PelvisMotion:
    """Motion of the pelvis along a path.

    Parameters
    ----------
    time : Jet
        Times at which to evaluate, seconds.
    body : Person
        Constants of the person.
    walk : Walk
        Shape, path and timing of the gait.
    height_m : float
        Mean height of the middle of the hips above the floor.

    Returns
    -------
    PelvisMotion
        Rotation, origin and middle of the hips, laboratory axes.
    """
    pattern, path, plan, leg_m = walk.pattern, walk.path, walk.plan, walk.leg_m
    stride = time * (2 * pi / plan.cycle_s)
    sin_1, cos_1 = sin_cos(stride)
    sin_2, cos_2 = 2 * sin_1 * cos_1, cos_1 * cos_1 - sin_1 * sin_1
    sin_4, cos_4 = 2 * sin_2 * cos_2, cos_2 * cos_2 - sin_2 * sin_2

    sin_6, cos_6 = sin_4 * cos_2 + cos_4 * sin_2, cos_4 * cos_2 - sin_4 * sin_2
    basis = (cos_2, sin_2, cos_4, sin_4, cos_6, sin_6)

    def harmonics(shares: tuple[float, ...]) -> Jet:
        return sum((wave * (share * leg_m) for wave, share in zip(basis, shares, strict=True)), constant(0.0, time))

    s = time * plan.speed_m_s + harmonics(pattern.surge)
    heading = path.heading(s)
    # Left stance is the first half of the stride: the body sways to the left in it.
    sway = sin_1 * (pattern.sway * leg_m)
    up = constant(np.array([0.0, 0.0, 1.0]), time)
    centre = path.point(s) + left_of(heading) * sway[..., None] + up * (harmonics(pattern.height) + height_m)[..., None]
    if not plan.floor.flat:
        centre = centre + up * plan.rise_m(time * plan.speed_m_s)[..., None]
    centre = path.carried(centre, time)
    tilt = cos_2 * pattern.tilt_swing_rad + pattern.tilt_rad
    obliquity = sin_1 * pattern.obliquity_rad
    rotation = cos_1 * (-pattern.rotation_rad)
    R = matmul(stack([heading, left_of(heading), up]), cardan_yxz(tilt, obliquity, rotation))
    return PelvisMotion(R, centre - rotate(R, body.middle_of_hips_m), centre, heading)


def cardan_yxz(a: Jet, b: Jet, c: Jet) -> Jet:
    """Rotation by three Cardan angles, Ry(a) Rx(b) Rz(c).

    Parameters
    ----------
    a : Jet
        (n,), first angle, about y, rad.
    b : Jet
        (n,), second angle, about x, rad.
    c : Jet
        (n,), third angle, about z, rad.

    Returns
    -------
    Jet
        (n, 3, 3), turned components to those before.
    """
    (sa, ca), (sb, cb), (sc, cc) = sin_cos(a), sin_cos(b), sin_cos(c)
    return stack([
        stack([ca * cc + sa * sb * sc, cb * sc, -sa * cc + ca * sb * sc]),
        stack([-ca * sc + sa * sb * cc, cb * cc, sa * sc + ca * sb * cc]),
        stack([sa * cb, -sb, ca * cb]),
    ])  # fmt: skip
