"""Somebody who squats, or rises from a seat, whose instants, depths and forces are known exactly.

Both feet stay flat. A squatter's hips go down and up again by smooth courses, the whole body's centre above one point. Who rises
sits with the hips behind and low; they come forward and up, and from an instant on the seat carries less and less of the body until
it carries nothing. The floor gives what the body's momentum asks for less what the seat gives, under the middle of the feet, each
foot its share: vertical forces are exact, where the floor's moment acts is not.
"""

from __future__ import annotations

import numpy as np

from biomech_id.sample.arrays import BoolArray, FloatArray
from biomech_id.sample.ground import GroundWrench
from biomech_id.sample.jets import Jet, constant, stack
from biomech_id.sample.jumps import Jumper
from biomech_id.sample.motion import Posture
from biomech_id.sample.steps import smoothstep
from biomech_id.values import dataclass

#: Smoothness of the hips' course.
_SMOOTH = 3


@dataclass(frozen=True, eq=False)
class Squatter(Jumper):
    """Somebody who goes down at time 0, stays there for a moment, and comes up again.

    Attributes
    ----------
    depth_m : float
        How far the hips go down.
    down_s : float
        How long that takes, and how long coming up again does.
    left_share : float
        Of the floor's force, what the left foot carries.
    """

    depth_m: float = 0.40
    down_s: float = 1.0
    left_share: float = 0.5

    def pose(self, time: Jet) -> Posture:
        """The body's pose at given times.

        Parameters
        ----------
        time : Jet
            Times at which to evaluate, seconds; 0 where the hips begin to go down.

        Returns
        -------
        Posture
            Pelvis, legs and feet, laboratory axes.
        """
        down = smoothstep(time / self.down_s, _SMOOTH)
        up = smoothstep((time - self.down_s) / self.down_s, _SMOOTH)
        return self._level(time, (up - down) * self.depth_m)

    def ground(self, pose: Posture, time: Jet, side: str) -> GroundWrench:
        """The floor's action on one foot: its share of what the floor carries, under its middle.

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
            Values without derivatives.
        """
        share = self.left_share if side == "L" else 1.0 - self.left_share
        half = super().ground(pose, time, side)
        carried = np.asarray(2.0 * share * self.floor_share(time.value))[:, None]
        return GroundWrench(Jet(half.force_N.c * carried), half.cop_m, half.free_moment_Nm)

    def floor_share(self, time_s: FloatArray) -> FloatArray:
        """What part of what the body asks for the floor gives; a seat gives the rest.

        Parameters
        ----------
        time_s : FloatArray
            (n,), times on the motion's own clock, s.

        Returns
        -------
        FloatArray
            (n,), from 0 to 1.
        """
        return np.ones(len(time_s))

    def in_air(self, time_s: FloatArray) -> BoolArray:
        """In which instants no foot is on the floor: in none.

        Parameters
        ----------
        time_s : FloatArray
            (n,), times on the motion's own clock, s.

        Returns
        -------
        BoolArray
            (n,), all false.
        """
        return np.zeros(len(time_s), dtype=np.bool_)

    def truth(self) -> dict[str, float]:
        """What is known of the squat.

        Returns
        -------
        dict[str, float]
            When it is lowest, s, how far the hips go down, m, and what the left foot carries, by name.
        """
        return {"lowest_s": self.down_s, "depth_m": self.depth_m, "left_share": self.left_share}


@dataclass(frozen=True, eq=False)
class Riser(Squatter):
    """Somebody who sits, and from time 0 on rises.

    Attributes
    ----------
    behind_m : float
        How far the hips are behind where they stand.
    seat_off_s : float
        When the seat carries nothing any more; it carries less from 0 on.
    """

    depth_m: float = 0.36
    down_s: float = 1.4
    behind_m: float = 0.32
    seat_off_s: float = 0.5

    def pose(self, time: Jet) -> Posture:
        """The body's pose at given times.

        Parameters
        ----------
        time : Jet
            Times at which to evaluate, seconds; 0 where the body begins to rise.

        Returns
        -------
        Posture
            Pelvis, legs and feet, laboratory axes.
        """
        rest = self.standing.hips_m
        up = smoothstep(time / self.down_s, _SMOOTH)
        zero = constant(0.0, time)
        course = [(up - 1.0) * self.behind_m + rest[0], zero + rest[1], (up - 1.0) * self.depth_m + rest[2]]
        return self.standing.posed(time, stack(course), deep=True)

    def floor_share(self, time_s: FloatArray) -> FloatArray:
        """What part of what the body asks for the floor gives: a fifth in sitting, all after the seat is left.

        Parameters
        ----------
        time_s : FloatArray
            (n,), times on the motion's own clock, s.

        Returns
        -------
        FloatArray
            (n,), from 0.2 to 1.
        """
        share = np.clip(time_s / self.seat_off_s, 0.0, 1.0)
        return 0.2 + 0.8 * np.asarray(share)

    def truth(self) -> dict[str, float]:
        """What is known of the rise.

        Returns
        -------
        dict[str, float]
            When the seat is left and standing reached, s, how far the hips go up, m, and what the left foot carries, by name.
        """
        return {"seat_off_s": self.seat_off_s, "end_s": self.down_s, "height_m": self.depth_m, "left_share": self.left_share}
