"""The whole moving body at any instant: pelvis, both legs, both feet, as Taylor series of closed forms."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi, sqrt

import numpy as np

from biomech_id.conventions import GRAVITY_M_S2, SIDE_SIGN, SIDES
from biomech_id.sample.arrays import FloatArray
from biomech_id.sample.body import Person
from biomech_id.sample.feet import FootMotion, Sole, foot_motion
from biomech_id.sample.footsteps import Plan, Walk, phase_since
from biomech_id.sample.jets import Jet, constant, rotate, sin_cos, time_jet
from biomech_id.sample.legs import LegMotion, leg_motion, shank_axis
from biomech_id.sample.path import Path
from biomech_id.sample.pattern import GaitPattern
from biomech_id.sample.pelvis import PelvisMotion, pelvis_motion
from biomech_id.sample.steps import smoothstep
from biomech_id.values import dataclass, replace

#: Distance of a foot from the path, over leg length.
HALF_STEP_WIDTH = 0.052


@dataclass(frozen=True, eq=False)
class Posture:
    """Everything that moves: the pelvis, and per side the leg, the sole and the conventional foot axes (n, 3, 3).

    Attributes
    ----------
    pelvis : PelvisMotion
        Of the same instants.
    legs : Mapping[str, LegMotion]
        Side -> motion of the leg.
    soles : Mapping[str, FootMotion]
        Side -> motion of the sole.
    R_lab_foot : Mapping[str, Jet]
        Side -> (n, 3, 3), maps components in the conventional model's foot axes to laboratory components.
    """

    pelvis: PelvisMotion
    legs: Mapping[str, LegMotion]
    soles: Mapping[str, FootMotion]
    R_lab_foot: Mapping[str, Jet]


@dataclass(frozen=True, eq=False)
class Gait:
    """One way of moving of one body along one path: constants only; `pose` evaluates it.

    Attributes
    ----------
    body : Person
        Constants of the person.
    sole : Sole
        Where a foot meets the floor.
    pattern : GaitPattern
        Shape of the gait.
    path : Path
        Where the walk goes.
    plan : Plan
        Time and place of every stance.
    toe_out_rad : Mapping[str, float]
        Side -> outward turn of the foot.
    pelvis_height_m : float
        Mean height of the middle of the hips.
    ankle_roll_rad : float, optional
        Tilt of the ankle's axis that the conventional model does not allow; 0 for the base subject.
    """

    body: Person
    sole: Sole
    pattern: GaitPattern
    path: Path
    plan: Plan
    toe_out_rad: Mapping[str, float]
    pelvis_height_m: float
    ankle_roll_rad: float = 0.0

    @property
    def leg_m(self) -> float:
        """Leg length that scales the pattern:
        hip to floor.
        """
        return leg_scale_m(self.body)

    def pose(self, time: Jet, soles: Mapping[str, FootMotion] | None = None) -> Posture:
        """The body's pose at given times (a jet of any order).

        Parameters
        ----------
        time : Jet
            Times at which to evaluate, seconds.
        soles : Mapping[str, FootMotion] | None, optional
            Side -> motion of the foot at these times, where it is known already: it does not depend on the pelvis.

        Returns
        -------
        Posture
            Pelvis, legs and feet, laboratory axes.
        """
        walk = Walk(self.pattern, self.path, self.plan, self.leg_m)
        pelvis = pelvis_motion(time, self.body, walk, height_m=self.pelvis_height_m)
        soles = soles or {side: foot_motion(time, walk, side, self.sole) for side in SIDES}
        legs, feet = {}, {}
        for side in SIDES:
            foot = self.body.feet[side]
            ankle = soles[side].origin_m + rotate(soles[side].R_lab_sole, foot.ankle_m)
            hip = pelvis.origin_m + rotate(pelvis.R_lab_pelvis, self.body.hip_in_pelvis_m[side])
            axis = shank_axis(times_constant(soles[side].R_lab_sole, foot.R_sole_uncorrected), self._ankle_turn(time, side),
                              self.ankle_roll_rad)  # fmt: skip
            legs[side] = leg_motion(
                hip, ankle, axis, self.body.bones_m(side), self._knee_rotation(time, side), deep=self.pattern.deep_knees
            )  # fmt: skip
            feet[side] = times_constant(soles[side].R_lab_sole, foot.R_sole_foot)
        return Posture(pelvis, legs, soles, feet)

    def _ankle_turn(self, time: Jet, side: str) -> Jet:
        """Turn the shank back against the foot's toe-out while the foot is flat, and let it go as the heel rises."""
        free, pattern = constant(0.0, time), self.pattern.of(side)
        for t in self.plan.steps[side].strike_s:
            up = smoothstep(phase_since(time, t, self.plan.cycle_s, pattern.ankle_turn_rise), 4)
            free = free + up * (1 - smoothstep(phase_since(time, t, self.plan.cycle_s, pattern.ankle_turn_fall), 4))
        return (1 - free) * (-SIDE_SIGN[side] * self.toe_out_rad[side])

    def _knee_rotation(self, time: Jet, side: str) -> Jet:
        sine, _ = sin_cos(time * (2 * pi / self.plan.cycle_s) - 2 * pi * self.pattern.strike(side))
        return sine * (-SIDE_SIGN[side] * self.pattern.of(side).knee_rotation_rad)


def leg_scale_m(body: Person) -> float:
    """Leg length that scales the gait: ankle height + shank + thigh.

    Parameters
    ----------
    body : Person
        Constants of the person.

    Returns
    -------
    float
        Mean of both sides, m.
    """
    return float(np.mean([body.feet[s].ankle_m[2] + body.shank_m[s] + body.thigh_m[s] for s in SIDES]))


def stride_length_m(pattern: GaitPattern, leg_m: float, speed_m_s: float) -> float:
    """Stride length at a speed: it grows with the square root of speed (Grieve 1968).

    Parameters
    ----------
    pattern : GaitPattern
        Shape of the gait.
    leg_m : float
        Leg length that scales the gait.
    speed_m_s : float
        Mean speed along the path.

    Returns
    -------
    float
        m.
    """
    return pattern.stride * leg_m * sqrt(relative_speed(pattern, leg_m, speed_m_s))


def relative_speed(pattern: GaitPattern, leg_m: float, speed_m_s: float) -> float:
    """A speed over the pattern's own speed for that leg length.

    Parameters
    ----------
    pattern : GaitPattern
        Shape of the gait.
    leg_m : float
        Leg length that scales the gait.
    speed_m_s : float
        Mean speed along the path.

    Returns
    -------
    float
        Without unit; 1 at a comfortable speed.
    """
    return speed_m_s / (pattern.froude_speed * sqrt(GRAVITY_M_S2 * leg_m))


def at_full_height(low: Gait, *, samples: int = 1000, rounds: int = 6) -> Gait:
    """Raise the pelvis as high as the pattern's least knee flexion allows.

    Seen along the shank's lateral axis, the leg is a triangle whose knee must never be straighter than that: at every instant
    it bounds the hip's height above the ankle, and the lowest bound counts: of a cycle, or of the whole plan where a floor makes
    one cycle unlike the next. The bound depends a little on the height itself (through the hip's distance from the leg's plane),
    hence the rounds.

    Parameters
    ----------
    low : Gait
        The gait with the pelvis low enough for every knee to bend.
    samples : int, optional
        Instants in one cycle.
    rounds : int, optional
        Of correction, each of which makes the rest smaller.

    Returns
    -------
    Gait
        The gait with another height of the pelvis.
    """
    strike = low.plan.steps["L"].strike_s
    cycles = 1 if low.plan.floor.endless else len(strike) - 2
    start, count = float(strike[1]), samples * cycles
    time = time_jet(start + np.arange(count) * (cycles * low.plan.cycle_s) / count, order=0)
    gait = low
    # Who walks faster than comfortably keeps the knees more bent: the leg passes its straightest sooner.
    hurry = max(1.0, relative_speed(low.pattern, low.leg_m, low.plan.speed_m_s))
    bend = low.pattern.least_knee_flexion_rad * hurry**2
    soles = gait.pose(time).soles
    for _ in range(rounds):
        rise = min(float(room_above_m(gait.body, side, leg, bend).min()) for side, leg in gait.pose(time, soles).legs.items())
        gait = replace(gait, pelvis_height_m=gait.pelvis_height_m + rise)
    return gait


def room_above_m(body: Person, side: str, leg: LegMotion, least_flexion_rad: float) -> FloatArray:
    """How much higher the hip of one leg could be before the knee is too straight.

    Parameters
    ----------
    body : Person
        Constants of the person.
    side : str
        Whose leg, "L" or "R".
    leg : LegMotion
        The leg as it moves.
    least_flexion_rad : float
        Knee angle that is kept at least.

    Returns
    -------
    FloatArray
        (n,), m, at each instant.
    """
    reach = leg.hip_m.value - leg.ankle_m.value
    aside = (reach * leg.R_lab_shank.value[..., 1]).sum(axis=-1)
    shank, thigh = body.shank_m[side], np.sqrt(body.thigh_m[side] ** 2 - aside**2)
    longest_2 = thigh**2 + shank**2 + 2 * thigh * shank * np.cos(least_flexion_rad)
    return np.asarray(np.sqrt(longest_2 + aside**2 - reach[:, 0] ** 2 - reach[:, 1] ** 2) - reach[:, 2])


def times_constant(R: Jet, constant_matrix: np.ndarray) -> Jet:
    """Product of a jet of matrices and a constant one.

    Parameters
    ----------
    R : Jet
        (n, 3, 3), the first factor.
    constant_matrix : np.ndarray
        (3, 3), C, the second factor.

    Returns
    -------
    Jet
        (n, 3, 3), R C.
    """
    return Jet(np.matmul(R.c, constant_matrix))
