"""The plan of a walk: when and where each foot stands."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from biomech_id.conventions import SIDE_SIGN, SIDES
from biomech_id.sample.arrays import FloatArray
from biomech_id.sample.floors.floor import Floor
from biomech_id.sample.jets import Jet, time_jet
from biomech_id.sample.path import Path, left_of
from biomech_id.sample.pattern import GaitPattern
from biomech_id.values import dataclass


@dataclass(frozen=True, eq=False)
class Footsteps:
    """All stances of one foot, in order.

    Attributes
    ----------
    side : str
        Whose foot, "L" or "R".
    strike_s : FloatArray
        (k,), foot strikes, on the motion's own clock, s.
    off_s : FloatArray
        (k,), foot offs, on the same clock, s.
    place_m : FloatArray
        (k, 3), the sole's origin of the flat foot on the floor, at its level, before a belt carries it.
    yaw_rad : FloatArray
        (k,), direction of the foot, from laboratory x about z; without jumps of a full turn.
    """

    side: str
    strike_s: FloatArray
    off_s: FloatArray
    place_m: FloatArray
    yaw_rad: FloatArray


@dataclass(frozen=True, eq=False)
class Plan:
    """Timing and places of a walk.

    Attributes
    ----------
    cycle_s : float
        Time from one strike to the same foot's next, s.
    speed_m_s : float
        Mean speed along the path's parameter (ground speed relative to the belt).
    steps : Mapping[str, Footsteps]
        Side -> `Footsteps`, covering the wanted time with a stance to spare at either end.
    floor : Floor
        What is walked on.
    base_m : float
        Height of the floor's zero, such that every footstep lies on the laboratory's ground or above it.
    over_m : float
        Curve parameter of the path at which the body passes over footstep 0.
    R_lab_floor : FloatArray
        (3, 3), turns what lies level onto the floor's slope.
    """

    cycle_s: float
    speed_m_s: float
    steps: Mapping[str, Footsteps]
    floor: Floor
    base_m: float
    over_m: float
    R_lab_floor: FloatArray

    def rise_m(self, along_m: Jet) -> Jet:
        """Height that the floor gives to the body.

        Parameters
        ----------
        along_m : Jet
            (n,), curve parameter of the path.

        Returns
        -------
        Jet
            (n,), m, laboratory axes.
        """
        return self.floor.rise_m(along_m, self.over_m, self.speed_m_s * self.cycle_s / 2) + self.base_m


@dataclass(frozen=True, eq=False)
class Walk:
    """What every part of the body moves by.

    Attributes
    ----------
    pattern : GaitPattern
        Shape of the gait.
    path : Path
        Path that the walk goes along.
    plan : Plan
        Timing of the walk, and what it goes on.
    leg_m : float
        Leg length, which every amplitude is scaled with, m.
    """

    pattern: GaitPattern
    path: Path
    plan: Plan
    leg_m: float


@dataclass(frozen=True, eq=False)
class Stride:
    """How long, fast and wide the steps of a walk are.

    Attributes
    ----------
    speed_m_s : float
        Mean speed along the path.
    length_m : float
        From one strike to the same foot's next.
    half_width_m : float
        Distance of each foot from the path.
    toe_out_rad : Mapping[str, float]
        Side -> outward turn of the foot from the path's tangent.
    """

    speed_m_s: float
    length_m: float
    half_width_m: float
    toe_out_rad: Mapping[str, float]


def make_plan(pattern: GaitPattern, path: Path, floor: Floor, stride: Stride, span_s: tuple[float, float]) -> Plan:
    """Lay out every stance between two times.

    Parameters
    ----------
    pattern : GaitPattern
        Shape of the gait.
    path : Path
        Where the walk goes.
    floor : Floor
        What is walked on.
    stride : Stride
        How long, fast and wide the steps are.
    span_s : tuple[float, float]
        First and last time that must be covered; s = 0 of the path is passed at t = 0.

    Returns
    -------
    Plan
        Stances of both feet, one to spare at either end.
    """
    cycle = stride.length_m / stride.speed_m_s
    steps = {}
    for side in SIDES:
        leg, at = pattern.of(side), pattern.strike(side)
        first, last = math.floor(span_s[0] / cycle - at) - 1, math.ceil(span_s[1] / cycle - at) + 1
        strike: FloatArray = (np.arange(first, last + 1, dtype=np.float64) + at) * cycle
        s = time_jet(stride.speed_m_s * (strike + leg.place * cycle), order=0)
        heading, sign = path.heading(s), SIDE_SIGN[side]
        place = (path.point(s) + left_of(heading) * (sign * stride.half_width_m)).value
        number = np.arange(first, last + 1) * 2 + (side == "R")
        place[:, 2] += floor.level_m(number, s.value)
        tangent = np.unwrap(np.arctan2(heading.value[:, 1], heading.value[:, 0]))
        steps[side] = Footsteps(side, strike, strike + leg.foot_off * cycle, place, tangent + sign * stride.toe_out_rad[side])
    base = -min(float(each.place_m[:, 2].min()) for each in steps.values())
    for each in steps.values():
        each.place_m[:, 2] += base
    over = pattern.place * stride.length_m
    return Plan(cycle, stride.speed_m_s, steps, floor, base, over, tilt(path.first, floor.slope_rad))


def tilt(first: FloatArray, slope_rad: float) -> FloatArray:
    """Rotation that turns level ground into ground that rises along a direction.

    Parameters
    ----------
    first : FloatArray
        (2,), horizontal unit vector.
    slope_rad : float
        Slope in that direction, upwards positive.

    Returns
    -------
    FloatArray
        (3, 3), laboratory axes.
    """
    x, y = first
    heading = np.array([[x, -y, 0.0], [y, x, 0.0], [0.0, 0.0, 1.0]])
    c, s = np.cos(slope_rad), np.sin(slope_rad)
    return np.asarray(heading @ np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]]) @ heading.T)


def phase_since(time: Jet, strike_s: float, cycle_s: float, span: tuple[float, float]) -> Jet:
    """How far a span of the cycle after one strike has gone.

    Parameters
    ----------
    time : Jet
        Times at which to evaluate, seconds.
    strike_s : float
        Time of the strike, seconds.
    cycle_s : float
        Duration of the gait cycle.
    span : tuple[float, float]
        Start and end, as shares of the cycle.

    Returns
    -------
    Jet
        (n,), 0 at its start, 1 at its end; beyond these outside.
    """
    return (time - (strike_s + span[0] * cycle_s)) / ((span[1] - span[0]) * cycle_s)
