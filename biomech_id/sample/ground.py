"""What the floor does to each foot, in closed form.

Walking, both feet together carry body weight times 1 + A cos(4 pi (phase - peak)): the centre of mass rises and falls twice a
stride and its mean acceleration is zero. In double support the load glides from the hind foot to the front foot, evenly but for
rounded ends, so that a foot's force begins smoothly at foot strike and ends so at foot off: those are the true events. Running,
each foot in turn carries a single peak of such a height that the mean is body weight.
Each foot's force passes through a point above the pelvis (the virtual pivot point of Maus et al. 2010, Nat Commun 1:70), which
makes braking, propulsion and the medial push; a small constant share keeps the mean forward force zero.
The centre of pressure travels along the footprint from the heel over the ball to the toes, which lie flat on the floor while the
rest of the foot rolls over them.
"""

from __future__ import annotations

from math import pi

import numpy as np

from biomech_id.conventions import GRAVITY_M_S2, SIDE_SIGN
from biomech_id.sample.arrays import Array, FloatArray, IntArray
from biomech_id.sample.footsteps import Footsteps
from biomech_id.sample.jets import Jet, constant, rotate, sin_cos, stack, time_jet
from biomech_id.sample.motion import Gait, Posture
from biomech_id.sample.path import left_of
from biomech_id.sample.pattern import AidTip
from biomech_id.sample.steps import bump, glide, smoothstep
from biomech_id.values import dataclass, field

#: A foot's vertical force reaches this many newtons so long after foot strike (and before foot off).
ONSET_N, ONSET_S = 5.0, 0.0030
#: A rate of loading builds up in no less than this, however light the walker.
SHORTEST_RAMP_S = 0.0005
#: Free moment: largest arm over leg length.
FREE_MOMENT_ARM = 0.006
#: The centre of pressure leaves the ball for the toes at this phase and goes this share of the way to the tip.
TOES_FROM, TOES_SHARE = 0.25, 0.5
#: Smoothness of that path.
COP_N = 3
#: Lateral then medial path of the centre of pressure, over the foot's half width.
COP_LATERAL, COP_MEDIAL = 0.25, 0.60
#: Shares of the time on the floor in which a walking aid takes its load, and gives it up.
AID_RAMP = 0.2


@dataclass(frozen=True, eq=False)
class GroundWrench:
    """The floor's action on one foot, laboratory axes.

    Attributes
    ----------
    force_N : Jet
        (n, 3); zero in swing.
    cop_m : Jet
        (n, 3), where the force acts; on the floor. Meaningless without force.
    free_moment_Nm : Jet
        (n,), couple about the normal of the floor.
    normal : FloatArray, optional
        (3,), of the floor; up.
    """

    force_N: Jet
    cop_m: Jet
    free_moment_Nm: Jet
    normal: FloatArray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))

    def moment_about_origin_Nm(self) -> Array:
        """Moment about the laboratory's origin.

        Returns
        -------
        Array
            (n, 3), laboratory axes, N m.
        """
        moment: Array = np.cross(self.cop_m.value, self.force_N.value)
        return moment + self.free_moment_Nm.value[:, None] * self.normal


def true_ground_wrench(gait: Gait, pose: Posture, time: Jet, side: str, forward_share: float) -> GroundWrench:
    """The floor's action on one foot.

    Parameters
    ----------
    gait : Gait
        The way of moving.
    pose : Posture
        The body's pose at those times.
    time : Jet
        Times at which to evaluate, seconds.
    side : str
        Whose foot, "L" or "R".
    forward_share : float
        Constant added to the forward component of the force's direction (see `mean_forward_share`).

    Returns
    -------
    GroundWrench
        Zero force in swing.
    """
    current = _latest_stance(gait.plan.steps[side], time)
    phase = (time - gait.plan.steps[side].strike_s[current]) / gait.plan.cycle_s
    vertical = vertical_force(gait, time, phase, side)
    cop = true_centre_of_pressure(gait, time, side, phase, current)
    lean = (pose.pelvis.centre_m - cop) / (gait.pattern.pivot * gait.leg_m) + pose.pelvis.heading * forward_share
    force = stack([vertical * lean[..., 0], vertical * lean[..., 1], vertical])
    twist, _ = sin_cos(phase * (2 * pi / gait.pattern.of(side).foot_off))
    free = vertical * twist * (SIDE_SIGN[side] * FREE_MOMENT_ARM * gait.leg_m)
    return GroundWrench(force, cop, free, gait.plan.R_lab_floor[:, 2])


def _latest_stance(steps: Footsteps, time: Jet) -> IntArray:
    """Index (n,) of the stance that began last."""
    begun = time.value[:, None] >= steps.strike_s
    latest: IntArray = np.maximum(begun.sum(axis=1) - 1, 0)
    return latest


def vertical_force(gait: Gait, time: Jet, phase: Jet, side: str) -> Jet:
    """Vertical force of the floor on one foot.

    Parameters
    ----------
    gait : Gait
        The way of moving.
    time : Jet
        Times at which to evaluate, seconds.
    phase : Jet
        (n,), time since the foot's last strike over the gait cycle.
    side : str
        Whose foot, "L" or "R".

    Returns
    -------
    Jet
        (n,), N, zero in swing.
    """
    cycle, pattern = gait.plan.cycle_s, gait.pattern.of(side)
    weight = gait.body.mass_kg * GRAVITY_M_S2
    if pattern.foot_off < 0.5:
        # Running: one foot at a time, and nothing between. The mean of the bump (4u(1-u))^2 is 8/15.
        peak = weight * 0.5 / (pattern.foot_off * 8 / 15)
        return bump(phase / pattern.foot_off, 2) * peak
    _, wave = sin_cos((time / cycle - gait.pattern.load_peak) * (4 * pi))
    both_feet = (wave * gait.pattern.load_swing + 1) * weight
    for tip in gait.pattern.aids:
        both_feet = both_feet - aid_load(gait, time, tip)
    other, handover = "R" if side == "L" else "L", gait.pattern.other_strike(side)
    # Load is taken over until the other foot leaves, and handed over from its next strike on.
    taking, giving = gait.pattern.of(other).foot_off + handover - 1, pattern.foot_off - handover
    taken, given = (
        glide(since / span, 1, (ramp, ramp))
        for since, span in ((phase, taking), (phase - handover, giving))
        for ramp in (onset_ramp_s(weight / (span * cycle)) / (span * cycle),)
    )
    return both_feet * (taken - given)


def aid_load(gait: Gait, time: Jet, tip: AidTip) -> Jet:
    """Vertical force of the floor on one end of a walking aid.

    Parameters
    ----------
    gait : Gait
        The way of moving.
    time : Jet
        Times at which to evaluate, seconds.
    tip : AidTip
        Which end of the walking aid.

    Returns
    -------
    Jet
        (n,), N, zero while it is off the floor.
    """
    start, end = tip.stands
    stride = np.floor(time.value / gait.plan.cycle_s - start)
    since = (time / gait.plan.cycle_s - (stride + start)) / (end - start)
    up, down = smoothstep(since / AID_RAMP, COP_N), smoothstep((since - (1 - AID_RAMP)) / AID_RAMP, COP_N)
    return (up - down) * (tip.share * gait.body.mass_kg * GRAVITY_M_S2)


def true_aid_wrench(gait: Gait, pose: Posture, time: Jet, tip: AidTip) -> GroundWrench:
    """The floor's action on one end of a walking aid, which leans towards the body as the legs do.

    Parameters
    ----------
    gait : Gait
        The way of moving.
    pose : Posture
        The body's pose at those times.
    time : Jet
        Times at which to evaluate, seconds.
    tip : AidTip
        Which end of the walking aid.

    Returns
    -------
    GroundWrench
        Without a free moment; zero force off the floor.
    """
    start, end = tip.stands
    stride = np.floor(time.value / gait.plan.cycle_s - start)
    s = time_jet((stride + (start + end) / 2) * gait.plan.cycle_s * gait.plan.speed_m_s + tip.ahead * gait.leg_m, order=0)
    place = gait.path.point(s) + left_of(gait.path.heading(s)) * (tip.aside * gait.leg_m)
    point = gait.path.carried(constant(0.0, time)[..., None] + place.value, time)
    vertical = aid_load(gait, time, tip)
    lean = (pose.pelvis.centre_m - point) / (gait.pattern.pivot * gait.leg_m)
    return GroundWrench(stack([vertical * lean[..., 0], vertical * lean[..., 1], vertical]), point, constant(0.0, time))


def onset_ramp_s(loading_N_s: float) -> float:
    """How long a foot's rate of loading takes to build up, so that the force is ``ONSET_N`` at ``ONSET_S`` after the event.

    The longer it takes the smoother the force, and the later a threshold sees it. The ramp of `steps.glide` of order 1 gives,
    at time t after its start, the force k ramp (u^3 - u^4/2) with u = t / ramp, or k (t - ramp/2) once it is over.

    Parameters
    ----------
    loading_N_s : float
        k, the rate of loading reached, newtons per second.

    Returns
    -------
    float
        Seconds, at least `SHORTEST_RAMP_S`.
    """
    short, long = SHORTEST_RAMP_S, 10 * ONSET_S
    for _ in range(50):
        ramp = (short + long) / 2
        u = min(ONSET_S / ramp, 1.0)
        force = loading_N_s * (ramp * (u**3 - u**4 / 2) + max(ONSET_S - ramp, 0.0))
        short, long = (ramp, long) if force > ONSET_N else (short, ramp)
    return (short + long) / 2


def true_centre_of_pressure(gait: Gait, time: Jet, side: str, phase: Jet, current: IntArray) -> Jet:
    """Centre of pressure of one foot on the floor.

    Parameters
    ----------
    gait : Gait
        The way of moving.
    time : Jet
        Times at which to evaluate, seconds.
    side : str
        Whose foot, "L" or "R".
    phase : Jet
        (n,), time since the last strike over the gait cycle.
    current : IntArray
        (n,), number of the stance that this strike began.

    Returns
    -------
    Jet
        (n, 3), laboratory axes, m.
    """
    sole, steps, pattern = gait.sole, gait.plan.steps[side], gait.pattern.of(side)
    start, end = pattern.cop_travel
    to_ball = smoothstep((phase - start) / (end - start), COP_N)
    to_toes = smoothstep((phase - TOES_FROM) / (pattern.foot_off - TOES_FROM), COP_N)
    # Who never stands flat has rolled as far over the toes from the first.
    ball = sole.toe_x + sole.toe_radius * pattern.equinus_rad
    x = to_ball * (ball - sole.heel_x) + to_toes * (TOES_SHARE * (sole.tip_x - ball)) + sole.heel_x
    y = (COP_LATERAL - COP_MEDIAL * to_ball * to_ball) * (SIDE_SIGN[side] * sole.half_width)
    cos_yaw, sin_yaw = np.cos(steps.yaw_rad[current]), np.sin(steps.yaw_rad[current])
    place = steps.place_m[current]
    footprint = stack([x * cos_yaw - y * sin_yaw, x * sin_yaw + y * cos_yaw, constant(0.0, time)])
    if not gait.plan.floor.flat:
        footprint = rotate(constant(gait.plan.R_lab_floor, time), footprint)
    return gait.path.carried(footprint + place, time)


def mean_forward_share(gait: Gait, *, samples: int = 400) -> float:
    """The constant that makes the mean forward force over one cycle zero (`true_ground_wrench`).

    Parameters
    ----------
    gait : Gait
        The way of moving.
    samples : int, optional
        Instants in one cycle.

    Returns
    -------
    float
        Share of the vertical force, without unit.
    """
    start = float(gait.plan.steps["L"].strike_s[1])
    time = time_jet(start + np.arange(samples) * gait.plan.cycle_s / samples, order=0)
    pose = gait.pose(time)
    forward = weight = 0.0
    for side in SIDE_SIGN:
        wrench = true_ground_wrench(gait, pose, time, side, 0.0)
        forward += float((wrench.force_N.value * pose.pelvis.heading.value).sum())
        weight += float(wrench.force_N.value[:, 2].sum())
    return -forward / weight
