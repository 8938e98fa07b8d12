"""Motion of a foot: rolling over the heel, standing flat, rolling over the toes, swinging to the next place.

The sole is a rigid body with a rounded heel and a rounded toe, circles of a radius r whose lowest points lie at x_c on the flat
sole. Rolling without slip by a pitch angle theta (toes down positive) moves the circle's centre by
r theta, hence the sole's origin by ::

    forward:  x_c (1 - cos theta) + r (theta - sin theta)
    upward:   r (1 - cos theta) + x_c sin theta

(for the toe x_c > 0 and theta > 0, for the heel both are negative, so that "upward" is never negative). In stance only one of the
two angles differs from zero; in swing both motions add up smoothly, with a glide to the next place and a lift.
"""

from __future__ import annotations

import numpy as np

from biomech_id.sample.arrays import Array, FloatArray
from biomech_id.sample.footsteps import Footsteps, Plan, Walk, phase_since
from biomech_id.sample.jets import Jet, constant, matmul, rotate, sin_cos, stack
from biomech_id.sample.pattern import GaitPattern
from biomech_id.sample.steps import bump, glide, smoothstep
from biomech_id.values import dataclass

#: Smoothness of pitch and travel (number of continuous derivatives of the angle and the speed).
PITCH_N, TRAVEL_N = 4, 3


@dataclass(frozen=True)
class Sole:
    """Where the foot meets the floor, metres in sole axes.

    Attributes
    ----------
    heel_x : float
        Lowest point of the rounded heel along the flat sole, m; negative.
    toe_x : float
        Lowest point of the rounded toe along the flat sole, m.
    heel_radius : float
        Radius of the heel's rounding, m.
    toe_radius : float
        Radius of the toe's rounding, m; large, because real toes bend.
    half_width : float
        Half the width of the foot at the ball, m.
    back_x : float
        Hind end of the foot's outline, m.
    tip_x : float
        Front end of the foot's outline, m.
    """

    heel_x: float
    toe_x: float
    heel_radius: float
    toe_radius: float
    half_width: float
    back_x: float
    tip_x: float

    def outline_m(self) -> FloatArray:
        """Outline of the foot on the floor, in order around it.

        Returns
        -------
        FloatArray
            (6, 3), sole axes, m.
        """
        w = self.half_width
        corners = [(self.back_x, -0.6 * w), (self.back_x, 0.6 * w), (0.45 * self.tip_x, w),
                   (self.tip_x, 0.6 * w), (self.tip_x, -0.6 * w), (0.45 * self.tip_x, -w)]  # fmt: skip
        return np.array([(x, y, 0.0) for x, y in corners])


def make_sole(height_m: float) -> Sole:
    """Make the sole of a person of given stature.

    Parameters
    ----------
    height_m : float
        Stature of the person.

    Returns
    -------
    Sole
        All lengths in m, in proportion to stature.
    """
    h = height_m
    return Sole(
        heel_x=-0.018 * h,
        toe_x=0.0655 * h,
        heel_radius=0.018 * h,
        toe_radius=0.060 * h,
        half_width=0.027 * h,
        back_x=-0.038 * h,
        tip_x=0.110 * h,
    )


@dataclass(frozen=True, eq=False)
class FootMotion:
    """Pose of the sole: ``R_lab_sole`` (n, 3, 3) and ``origin_m`` (n, 3), and the pitch (n,) that turned it.

    Attributes
    ----------
    R_lab_sole : Jet
        (n, 3, 3), maps sole components to laboratory components.
    origin_m : Jet
        (n, 3), laboratory axes.
    heel_pitch_rad : Jet
        (n,), heel rocker's angle.
    toe_pitch_rad : Jet
        (n,), toe rocker's angle.
    """

    R_lab_sole: Jet
    origin_m: Jet
    heel_pitch_rad: Jet
    toe_pitch_rad: Jet


def foot_motion(time: Jet, walk: Walk, side: str, sole: Sole) -> FootMotion:
    """Motion of one foot as a closed form of time.

    Parameters
    ----------
    time : Jet
        Times at which to evaluate, seconds.
    walk : Walk
        Strikes of the foot and where it stands, and the shape of the gait.
    side : str
        Whose foot, "L" or "R".
    sole : Sole
        Where the foot meets the floor.

    Returns
    -------
    FootMotion
        Rotation and origin of the sole, laboratory axes, and its rockers' angles.
    """
    plan, pattern = walk.plan, walk.pattern.of(side)
    steps, cycle_s = plan.steps[side], plan.cycle_s
    heel, toe = pitch_angles(time, steps.strike_s, cycle_s, pattern)
    forward_h, up_h = _roll(heel, sole.heel_x, sole.heel_radius)
    forward_t, up_t = _roll(toe, sole.toe_x, sole.toe_radius)
    x, y, yaw = (_travel(time, steps, cycle_s, pattern, values) for values in (*steps.place_m.T[:2], steps.yaw_rad))
    lift = sum(
        (bump(phase_since(time, t, cycle_s, pattern.lift), pattern.lift_smoothness) for t in steps.strike_s), constant(0.0, time)
    )
    sin_yaw, cos_yaw = sin_cos(yaw)
    forward = forward_h + forward_t
    origin = stack([x + forward * cos_yaw, y + forward * sin_yaw, up_h + up_t + lift * (pattern.lift_height * walk.leg_m)])
    sin_pitch, cos_pitch = sin_cos(heel + toe)
    zero = constant(0.0, time)
    R = stack([
        stack([cos_yaw * cos_pitch, sin_yaw * cos_pitch, -sin_pitch]),
        stack([-sin_yaw, cos_yaw, zero]),
        stack([cos_yaw * sin_pitch, sin_yaw * sin_pitch, cos_pitch]),
    ])  # fmt: skip
    if not plan.floor.flat:
        place = stack([x, y, zero])
        origin = place + rotate(constant(plan.R_lab_floor, time), origin - place) + _climb(time, steps, plan, pattern)
        R = matmul(constant(plan.R_lab_floor, time), R)
    return FootMotion(R, walk.path.carried(origin, time), heel, toe)


def _climb(time: Jet, steps: Footsteps, plan: Plan, pattern: GaitPattern) -> Jet:
    """Level (n, 3) of the floor under the foot: along a slope as the foot travels, up a step before, down one after."""
    level = steps.place_m[:, 2]
    along = np.linalg.norm(np.diff(steps.place_m[:, :2], axis=0), axis=1) * np.tan(plan.floor.slope_rad)
    height = _travel(time, steps, plan.cycle_s, pattern, np.concatenate([[level[0]], level[0] + np.cumsum(along)]))
    for strike, change in zip(steps.strike_s, np.diff(level) - along, strict=False):
        span = pattern.climb if change > 0 else pattern.drop
        height = height + smoothstep(phase_since(time, strike, plan.cycle_s, span), PITCH_N) * change
    still = constant(0.0, time)
    return stack([still, still, height])


def pitch_angles(time: Jet, strike_s: Array, cycle_s: float, pattern: GaitPattern) -> tuple[Jet, Jet]:
    """Angles of the heel and toe rockers.

    Parameters
    ----------
    time : Jet
        Times at which to evaluate, seconds.
    strike_s : Array
        Every strike of the foot, seconds: each rolls over the heel after it, and over the toe before the next.
    cycle_s : float
        Duration of the gait cycle, seconds.
    pattern : GaitPattern
        When and how far the foot rolls in one cycle, as shares of the cycle and angles.

    Returns
    -------
    tuple[Jet, Jet]
        The heel's (never positive) and the toe's (never negative), (n,) each, rad, toes down positive.
    """
    heel, toe = constant(0.0, time), constant(pattern.equinus_rad, time)
    for t in strike_s:
        heel = heel - _up_and_down(time, t, cycle_s, pattern.heel_rise, pattern.heel_fall) * pattern.heel_pitch_rad
        toe = toe + _up_and_down(time, t, cycle_s, pattern.toe_rise, pattern.toe_fall) * pattern.toe_pitch_rad
    return heel, toe


def _up_and_down(time: Jet, strike_s: float, cycle_s: float, rise: tuple[float, float], fall: tuple[float, float]) -> Jet:
    up = smoothstep(phase_since(time, strike_s, cycle_s, rise), PITCH_N)
    return up * (1 - smoothstep(phase_since(time, strike_s, cycle_s, fall), PITCH_N))


def _roll(pitch: Jet, x_c: float, r: float) -> tuple[Jet, Jet]:
    sine, cosine = sin_cos(pitch)
    return (1 - cosine) * x_c + (pitch - sine) * r, (1 - cosine) * r + sine * x_c


def _travel(time: Jet, steps: Footsteps, cycle_s: float, pattern: GaitPattern, values: Array) -> Jet:
    """Carry a coordinate from each stance's value to the next one's."""
    total = constant(values[0], time)
    for strike, change in zip(steps.strike_s, np.diff(values), strict=False):
        total = total + glide(phase_since(time, strike, cycle_s, pattern.swing), TRAVEL_N, pattern.swing_ramps) * change
    return total
