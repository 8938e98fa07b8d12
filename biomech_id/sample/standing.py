"""Quiet standing: the pose of a static trial, with a slight sway."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi

import numpy as np

from biomech_id.conventions import GRAVITY_M_S2, SIDE_SIGN, SIDES
from biomech_id.sample.arrays import FloatArray
from biomech_id.sample.body import Person, rotation_z
from biomech_id.sample.feet import FootMotion, Sole
from biomech_id.sample.ground import GroundWrench
from biomech_id.sample.jets import Jet, constant, rotate, sin_cos, stack, time_jet
from biomech_id.sample.legs import leg_motion, shank_axis
from biomech_id.sample.motion import Posture, leg_scale_m, room_above_m, times_constant
from biomech_id.sample.pelvis import PelvisMotion, cardan_yxz
from biomech_id.values import dataclass, replace

#: Distance of each foot from the middle, over leg length; flexion of the knees; pelvic tilt; sway amplitude and rate.
HALF_WIDTH, KNEE_RAD, TILT_RAD, SWAY_M, SWAY_HZ = 0.10, 0.12, 0.17, 0.002, 0.3
#: The ankles stand this far behind the hips, over leg length: the weight falls through the middle of the feet.
ANKLES_BEHIND = 0.055


@dataclass(frozen=True, eq=False)
class Standing:
    """A person standing quietly at a place in the laboratory, facing +X.

    Attributes
    ----------
    body : Person
        Constants of the person.
    sole : Sole
        Where a foot meets the floor.
    toe_out_rad : Mapping[str, float]
        Side -> toe-out of the foot.
    place_m : tuple[float, float]
        (2,), the point midway between the ankles.
    hip_height_m : float
        Of the middle of the hips; `upright` finds it.
    ankle_roll_rad : float, optional
        Turn of the ankle axis about the foot's x.
    """

    body: Person
    sole: Sole
    toe_out_rad: Mapping[str, float]
    place_m: tuple[float, float]
    hip_height_m: float
    ankle_roll_rad: float = 0.0

    def pose(self, time: Jet) -> Posture:
        """The body's pose at given times.

        Parameters
        ----------
        time : Jet
            Times at which to evaluate, seconds.

        Returns
        -------
        Posture
            Pelvis, legs and feet, laboratory axes.
        """
        sine, cosine = sin_cos(time * (2 * pi * SWAY_HZ))
        return self.posed(time, stack([sine * SWAY_M, cosine * (SWAY_M / 2), constant(0.0, time)]) + self.hips_m)

    @property
    def hips_m(self) -> FloatArray:
        """Where the middle of the hips is at rest, (3,), laboratory axes."""
        return np.array([self.place_m[0] + ANKLES_BEHIND * leg_scale_m(self.body), self.place_m[1], self.hip_height_m])

    def posed(self, time: Jet, centre: Jet, *, deep: bool = False) -> Posture:
        """The body's pose with the middle of the hips at a place and both soles on the floor.

        Parameters
        ----------
        time : Jet
            Times at which to evaluate, seconds.
        centre : Jet
            (n, 3), the middle of the hips, laboratory axes.
        deep : bool, optional
            Whether the knees may bend by a right angle and more (`leg_motion`).

        Returns
        -------
        Posture
            Pelvis, legs and feet, laboratory axes.
        """
        leg = leg_scale_m(self.body)
        zero = constant(0.0, time)
        R_pelvis = cardan_yxz(constant(TILT_RAD, time), zero, zero)
        pelvis = PelvisMotion(
            R_pelvis, centre - rotate(R_pelvis, self.body.middle_of_hips_m), centre, constant(np.array([1.0, 0.0, 0.0]), time)
        )
        soles, legs, feet = {}, {}, {}
        for side in SIDES:
            foot, sign = self.body.feet[side], SIDE_SIGN[side]
            R_sole = constant(rotation_z(sign * self.toe_out_rad[side]), time)
            origin = constant(np.array([self.place_m[0], self.place_m[1] + sign * HALF_WIDTH * leg, 0.0]), time)
            soles[side] = FootMotion(R_sole, origin, zero, zero)
            turn = constant(-sign * self.toe_out_rad[side], time)
            axis = shank_axis(times_constant(R_sole, foot.R_sole_uncorrected), turn, self.ankle_roll_rad)
            hip = pelvis.origin_m + rotate(R_pelvis, self.body.hip_in_pelvis_m[side])
            ankle = origin + rotate(R_sole, foot.ankle_m)
            legs[side] = leg_motion(hip, ankle, axis, self.body.bones_m(side), zero, deep=deep)
            feet[side] = times_constant(R_sole, foot.R_sole_foot)
        return Posture(pelvis, legs, soles, feet)

    def ground(self, pose: Posture, time: Jet, side: str) -> GroundWrench:
        """The floor's action on one foot: half the weight, under the middle of the foot.

        Parameters
        ----------
        pose : Posture
            The body's pose at those times.
        time : Jet
            Times at which to evaluate, seconds.
        side : str
            Whose foot, "L" or "R".

        Returns
        -------
        GroundWrench
            Without a free moment.
        """
        half = constant(0.5 * self.body.mass_kg * GRAVITY_M_S2, time)
        zero = constant(0.0, time)
        middle = (self.sole.heel_x + self.sole.toe_x) / 2
        cop = pose.soles[side].origin_m + rotate(pose.soles[side].R_lab_sole, np.array([middle, 0.0, 0.0]))
        return GroundWrench(stack([zero, zero, half]), cop, zero)


def upright(low: Standing, *, rounds: int = 6) -> Standing:
    """The same person standing as tall as the straighter knee, bent by ``KNEE_RAD``, allows.

    Parameters
    ----------
    low : Standing
        Standing low enough for both knees to bend.
    rounds : int, optional
        Of correction, each of which makes the rest smaller.

    Returns
    -------
    Standing
        With another height of the hips.
    """
    time = time_jet(np.arange(50) / (50 * SWAY_HZ), order=0)
    standing = low
    for _ in range(rounds):
        rise = min(float(room_above_m(low.body, side, leg, KNEE_RAD).min()) for side, leg in standing.pose(time).legs.items())
        standing = replace(standing, hip_height_m=standing.hip_height_m + rise)
    return standing
