"""A functional trial: standing on one leg, the other draws a star and bends the knee; then the other way round.

The free leg swings out and back three times, forwards, halfway and sideways (the star), then bends the knee twice. The legs hang
from the pelvis by forward kinematics: hip Ry(-flexion) Rx(s abduction), knee Ry(flexion), the sole parallel to the shank's axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi, sin

import numpy as np

from biomech_id.conventions import GRAVITY_M_S2, SIDE_SIGN, SIDES
from biomech_id.sample.body import Person
from biomech_id.sample.feet import FootMotion, Sole
from biomech_id.sample.ground import GroundWrench
from biomech_id.sample.jets import Jet, constant, matmul, rotate, stack
from biomech_id.sample.legs import LegMotion
from biomech_id.sample.motion import Posture, leg_scale_m, times_constant
from biomech_id.sample.pelvis import PelvisMotion, cardan_yxz
from biomech_id.sample.steps import bump, smoothstep
from biomech_id.values import dataclass

#: Largest angles of hip and knee, and the hip flexion that keeps the foot off the floor while the knee bends.
HIP_RAD, KNEE_RAD, HELD_RAD = pi / 6, pi / 3, pi / 7
#: When each leg moves, over the trial's duration; the weight is shifted in between.
ACTIVE: Mapping[str, tuple[float, float]] = {"L": (0.08, 0.46), "R": (0.54, 0.92)}
#: Arms of the star: start and end over a leg's active time, direction from forwards to sideways.
STAR = ((0.0, 0.22, 0.0), (0.22, 0.44, pi / 4), (0.44, 0.66, pi / 2))
BENDS = ((0.66, 0.83), (0.83, 1.0))


@dataclass(frozen=True, eq=False)
class StarArc:
    """A person who performs the functional trial at a place in the laboratory, facing +X.

    Attributes
    ----------
    body : Person
        Constants of the person.
    sole : Sole
        Where a foot meets the floor.
    duration_s : float
        Of the whole trial, which starts at the motion's time 0.
    place_m : tuple[float, float]
        (2,), the point midway between the ankles.
    """

    body: Person
    sole: Sole
    duration_s: float
    place_m: tuple[float, float]

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
        up = constant(np.array([0.0, 0.0, 1.0]), time)
        ahead = constant(np.array([1.0, 0.0, 0.0]), time)
        upright = constant(np.eye(3), time)
        centre = constant(np.array([*self.place_m, 0.0]), time) + up * leg_scale_m(self.body)
        pelvis = PelvisMotion(upright, centre - self.body.middle_of_hips_m, centre, ahead)
        soles, legs, feet = {}, {}, {}
        for side in SIDES:
            legs[side] = self._leg(time, pelvis, side)
            foot = self.body.feet[side]
            R_sole = legs[side].R_lab_shank
            still = constant(0.0, time)
            soles[side] = FootMotion(R_sole, legs[side].ankle_m - rotate(R_sole, foot.ankle_m), still, still)
            feet[side] = times_constant(R_sole, foot.R_sole_foot)
        return Posture(pelvis, legs, soles, feet)

    def _leg(self, time: Jet, pelvis: PelvisMotion, side: str) -> LegMotion:
        flexion, abduction, knee_flexion = self._angles(time, side)
        still = constant(0.0, time)
        hip = pelvis.origin_m + rotate(pelvis.R_lab_pelvis, self.body.hip_in_pelvis_m[side])
        R_thigh = matmul(pelvis.R_lab_pelvis, cardan_yxz(-flexion, abduction * SIDE_SIGN[side], still))
        R_shank = matmul(R_thigh, cardan_yxz(knee_flexion, still, still))
        knee = hip - R_thigh[..., 2] * self.body.thigh_m[side]
        return LegMotion(hip, knee, knee - R_shank[..., 2] * self.body.shank_m[side], R_thigh, R_shank)

    def _angles(self, time: Jet, side: str) -> tuple[Jet, Jet, Jet]:
        """Flexion and abduction of the hip and flexion of the knee, (n,) radians."""
        start, end = (part * self.duration_s for part in ACTIVE[side])
        own = (time - start) / (end - start)
        flexion = abduction = knee = constant(0.0, time)
        for first, last, direction in STAR:
            out = bump((own - first) / (last - first), 3) * HIP_RAD
            flexion, abduction = flexion + out * cos(direction), abduction + out * sin(direction)
        for first, last in BENDS:
            bend = bump((own - first) / (last - first), 3)
            flexion, knee = flexion + bend * HELD_RAD, knee + bend * KNEE_RAD
        return flexion, abduction, knee

    def ground(self, pose: Posture, time: Jet, side: str) -> GroundWrench:
        """The floor's action on one foot: the weight is on the leg that does not move.

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
        whole = self.body.mass_kg * GRAVITY_M_S2
        (left_start, left_end), (right_start, right_end) = ACTIVE["L"], ACTIVE["R"]
        u = time / self.duration_s
        off_left = smoothstep(u / left_start, 2) * 0.5
        to_left = smoothstep((u - left_end) / (right_start - left_end), 2)
        back = smoothstep((u - right_end) / (1.0 - right_end), 2) * 0.5
        on_left = 0.5 - off_left + to_left - back
        vertical = (on_left if side == "L" else 1.0 - on_left) * whole
        still = constant(0.0, time)
        under = (self.sole.heel_x + self.sole.toe_x) / 2
        point = pose.soles[side].origin_m + rotate(pose.soles[side].R_lab_sole, np.array([under, 0.0, 0.0]))
        cop = stack([point[..., 0], point[..., 1], still])
        return GroundWrench(stack([still, still, vertical]), cop, still)
