"""What the floor does to each foot, in closed form.

Both feet together carry body weight times 1 + A cos(4 pi (phase - peak)): the centre of mass rises and falls twice a stride and
its mean acceleration is zero. In double support the load glides from the hind foot to the front foot, at constant speed but for
rounded ends, so that a foot's force begins quadratically at foot strike and ends so at foot off: those are the true events.
Each foot's force passes through a point above the pelvis (the virtual pivot point of Maus et al. 2010, Nat Commun 1:70), which
makes braking, propulsion and the medial push; a small constant share keeps the mean forward force zero.
The centre of pressure is the point under the rounded heel, then moves along the sole, then is the point under the rounded toe.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from biomech_id.conventions import GRAVITY_M_S2, SIDE_SIGN
from biomech_id.sample.arrays import Array
from biomech_id.sample.feet import FootMotion
from biomech_id.sample.footsteps import phase_since
from biomech_id.sample.jets import Jet, constant, rotate, sin_cos, stack, time_jet
from biomech_id.sample.motion import Gait, Pose
from biomech_id.sample.steps import glide, smoothstep

#: A foot's vertical force reaches this many newtons so long after foot strike (and before foot off).
ONSET_N, ONSET_S = 5.0, 0.0024
#: Free moment: largest arm over leg length.
FREE_MOMENT_ARM = 0.006
#: Lateral then medial path of the centre of pressure, over the foot's half width.
COP_LATERAL, COP_MEDIAL = 0.25, 0.60


@dataclass(frozen=True, eq=False)
class GroundWrench:
    """The floor's action on one foot, laboratory axes.

    Attributes
    ----------
    force_N : (n, 3); zero in swing.
    cop_m : (n, 3), where the force acts; on the floor. Meaningless without force.
    free_moment_Nm : (n,), couple about the vertical.
    """

    force_N: Jet
    cop_m: Jet
    free_moment_Nm: Jet

    def moment_about_origin_Nm(self) -> Array:
        """Moment about the laboratory's origin, (n, 3)."""
        moment: Array = np.cross(self.cop_m.value, self.force_N.value)
        moment[:, 2] += self.free_moment_Nm.value
        return moment


def ground_wrench(gait: Gait, pose: Pose, time: Jet, side: str, forward_share: float) -> GroundWrench:
    """Return the floor's action on one foot.

    Parameters
    ----------
    forward_share : constant added to the forward component of the force's direction (see `mean_forward_share`).
    """
    vertical, phase = vertical_force(gait, time, side)
    cop = centre_of_pressure(gait, pose.soles[side], side, phase)
    heading = pose.pelvis.R_lab_pelvis[..., 0]
    lean = (pose.pelvis.centre_m - cop) / (gait.pattern.pivot * gait.leg_m)
    forward = stack([heading[..., 0], heading[..., 1], constant(0.0, time)])
    lean = lean + forward * forward_share
    force = stack([vertical * lean[..., 0], vertical * lean[..., 1], vertical])
    twist, _ = sin_cos(phase * (2 * pi / gait.pattern.foot_off))
    return GroundWrench(force, cop, vertical * twist * (SIDE_SIGN[side] * FREE_MOMENT_ARM * gait.leg_m))


def vertical_force(gait: Gait, time: Jet, side: str) -> tuple[Jet, Jet]:
    """Return a foot's vertical force (n,), N, and the phase of its current stance (n,): 0 at strike, ``foot_off`` at foot off."""
    cycle, pattern = gait.plan.cycle_s, gait.pattern
    weight = gait.body.mass_kg * GRAVITY_M_S2
    _, wave = sin_cos((time / cycle - pattern.load_peak) * (4 * pi))
    both_feet = (wave * pattern.load_swing + 1) * weight
    double_support = pattern.foot_off - 0.5
    ramp = onset_ramp_s(weight, double_support * cycle) / (double_support * cycle)
    share, phase = constant(0.0, time), constant(0.0, time)
    for strike in gait.plan.steps[side].strike_s:
        taken = glide(phase_since(time, strike, cycle, (0.0, double_support)), 0, (ramp, ramp))
        given = glide(phase_since(time, strike, cycle, (0.5, pattern.foot_off)), 0, (ramp, ramp))
        share = share + (taken - given)
        since = (time - strike) / cycle
        standing = (since.value >= 0) & (since.value <= pattern.foot_off)
        phase = phase + Jet(since.c * standing.astype(int))
    return both_feet * share, phase


def onset_ramp_s(weight_N: float, double_support_s: float) -> float:
    """Return how long the rate of loading takes to build up, so that the force is ``ONSET_N`` at ``ONSET_S`` after the event."""
    return weight_N / double_support_s * ONSET_S**2 / (2 * ONSET_N)


def centre_of_pressure(gait: Gait, foot: FootMotion, side: str, phase: Jet) -> Jet:
    """Return the centre of pressure (n, 3), laboratory axes, on the floor."""
    sole = gait.sole
    start, end = gait.pattern.cop_travel
    along = smoothstep((phase - start) / (end - start), 2)
    lateral = (COP_LATERAL - COP_MEDIAL * along * along) * (SIDE_SIGN[side] * sole.half_width)
    x = along * (sole.toe_x - sole.heel_x) + sole.heel_x
    radius = along * (sole.toe_radius - sole.heel_radius) + sole.heel_radius
    point = foot.origin_m + rotate(foot.R_lab_sole, stack([x, lateral, radius]))
    return stack([point[..., 0], point[..., 1], constant(0.0, phase)])


def mean_forward_share(gait: Gait, *, samples: int = 400) -> float:
    """Return the constant that makes the mean forward force over one cycle zero (`ground_wrench`)."""
    start = float(gait.plan.steps["L"].strike_s[1])
    time = time_jet(start + np.arange(samples) * gait.plan.cycle_s / samples, order=0)
    pose = gait.pose(time)
    forward = 0.0
    for side in SIDE_SIGN:
        wrench = ground_wrench(gait, pose, time, side, 0.0)
        forward += float((wrench.force_N.value * _forward(pose)).sum())
    return -forward / (samples * gait.body.mass_kg * GRAVITY_M_S2)


def _forward(pose: Pose) -> Array:
    heading = pose.pelvis.R_lab_pelvis.value[..., 0].copy()
    heading[:, 2] = 0.0
    return heading
