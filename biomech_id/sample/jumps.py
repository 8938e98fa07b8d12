"""Somebody who jumps: counter-movement jumps, and jumps out of a drop, whose heights, times and forces are known exactly.

The feet stay level and the knees bend by a smooth course of the hips above the soles; the whole body's centre then follows. While
the feet are on the floor the ground gives exactly what the body's momentum asks for. At the instant when that is nothing they leave
it: from there the centre falls freely and the feet follow from the posture. Landing is a take-off run backwards, so that no
velocity jumps: of the same take-off (equal posture), or of another one that reaches the same height (a crouched landing).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from biomech_id.conventions import GRAVITY_M_S2, SIDES
from biomech_id.sample.arrays import BoolArray, FloatArray
from biomech_id.sample.body import Person
from biomech_id.sample.ground import GroundWrench
from biomech_id.sample.jets import Jet, constant, rotate, stack, time_jet
from biomech_id.sample.mechanics import segment_poses
from biomech_id.sample.motion import Posture
from biomech_id.sample.standing import Standing
from biomech_id.sample.steps import smoothstep
from biomech_id.sample.upper_body import momenta, needed_wrench, upper_person, upper_pose
from biomech_id.values import dataclass, replace

#: Smoothness of the hips' course, time to go down before a push (s), and rounds that put the body's centre above one point.
_SMOOTH, _DOWN_S, _ROUNDS = 3, 0.6, 4


@dataclass(frozen=True)
class PushOff:
    """How a pair of legs pushes off.

    Attributes
    ----------
    depth_m : float
        How far the hips go down first.
    push_s : float
        From the lowest point to where the legs are straight again.
    """

    depth_m: float = 0.30
    push_s: float = 0.32


@dataclass(frozen=True)
class _Leaving:
    """Where a push-off leaves the floor: time before the legs are straight, centre's height and speed there."""

    before_straight_s: float
    centre_m: float
    speed_m_s: float

    @property
    def top_m(self) -> float:
        return self.centre_m + self.speed_m_s**2 / (2 * GRAVITY_M_S2)

    @property
    def rise_s(self) -> float:
        return self.speed_m_s / GRAVITY_M_S2


@dataclass(frozen=True, eq=False)
class Jumper:
    """Somebody who jumps on the spot; time 0 is the top of the last flight.

    Attributes
    ----------
    standing : Standing
        The person, and the place and height of standing.
    take_off : PushOff
        Legs before the last flight.
    landing : PushOff
        Legs after it; equal ones land in the posture of the take-off.
    drop : bool, optional
        Whether the jump follows a drop from a box, as high as the jump, and no counter-movement.
    """

    standing: Standing
    take_off: PushOff
    landing: PushOff
    drop: bool = False

    @property
    def body(self) -> Person:
        """Constants of the person."""
        return self.standing.body

    def pose(self, time: Jet) -> Posture:
        """The body's pose at given times.

        Parameters
        ----------
        time : Jet
            Times at which to evaluate, seconds; 0 at the top of the last flight.

        Returns
        -------
        Posture
            Pelvis, legs and feet, laboratory axes.
        """
        low = self._level(time, self._hips(time))
        centre = self._centre(low, time)[..., 2]
        lift = constant(0.0, time)
        for start_s, end_s, top_s in self._flights:
            free = (time - top_s) * (time - top_s) * (-0.5 * GRAVITY_M_S2) + self._off.top_m
            lift = _where((time.value > start_s) & (time.value < end_s), free - centre, lift)
        if self.drop:
            resting = constant(self._off.top_m, time) - centre
            lift = _where(time.value <= self._flights[0][2], resting, lift)
        return _raised(low, lift)

    def ground(self, pose: Posture, time: Jet, side: str) -> GroundWrench:
        """The floor's action on one foot: half of what the body asks for, under its middle; nothing in flight.

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
        half = 0.5 * self._force_N(pose, time)
        sole, foot = self.standing.sole, pose.soles[side]
        under = np.array([(sole.heel_x + sole.toe_x) / 2, 0.0, 0.0])
        place = foot.origin_m.value + foot.R_lab_sole.value @ under
        place[:, 2] = 0.0
        return GroundWrench(Jet(half[None]), Jet(place[None]), Jet(np.zeros((1, len(half)))))

    def _force_N(self, pose: Posture, time: Jet) -> FloatArray:
        """What the body asks of the floor, (n, 3); computed once for both feet."""
        key = time.value.tobytes()
        if key not in self._known:
            second = time if time.order >= 2 else time_jet(time.value, 2)
            whole = pose if time.order >= 2 else self.pose(second)
            upper = upper_person(self.body)
            force, _ = needed_wrench(momenta(upper, whole, upper_pose(upper, whole, second, None)))
            self._known[key] = np.where(self.in_air(time.value)[:, None], 0.0, force)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[bytes, FloatArray]:
        return {}

    def in_air(self, time_s: FloatArray) -> BoolArray:
        """In which instants no foot is on the floor; on the box is not on the floor.

        Parameters
        ----------
        time_s : FloatArray
            (n,), seconds; 0 at the top of the last flight.

        Returns
        -------
        BoolArray
            (n,), true in flight, and before a drop.
        """
        inside: BoolArray = np.zeros(len(time_s), dtype=np.bool_)
        for start_s, end_s, _ in self._flights:
            inside |= (time_s > start_s) & (time_s < end_s)
        return inside | ((time_s < self._flights[0][1]) if self.drop else False)

    def truth(self) -> dict[str, float]:
        """What is known of the last jump.

        Returns
        -------
        dict[str, float]
            Take-off and landing, s, take-off velocity, m/s, and heights, m, by name.
        """
        start_s, end_s, _ = self._flights[-1]
        speed = self._off.speed_m_s
        return {
            "take_off_s": start_s, "landing_s": end_s, "take_off_velocity_m_s": speed,
            "height_m": speed**2 / (2 * GRAVITY_M_S2), "flight_height_m": GRAVITY_M_S2 * (end_s - start_s) ** 2 / 8,
            "landing_below_take_off_m": self._off.centre_m - self._down.centre_m,
            "first_landing_s": self._flights[0][1],
        }  # fmt: skip

    @cached_property
    def _off(self) -> _Leaving:
        return self._leaving(self.take_off)

    @cached_property
    def _down(self) -> _Leaving:
        return self._leaving(self.landing)

    @cached_property
    def _flights(self) -> tuple[tuple[float, float, float], ...]:
        """Start, end and top of every flight; that of a drop begins as the box is left, at its top."""
        last = (-self._off.rise_s, self._down_s, 0.0)
        if not self.drop:
            return (last,)
        top = 2 * self._bottom_s
        return (top, top + self._off.rise_s, top), last

    @property
    def _down_s(self) -> float:
        """When the last flight ends: the centre has fallen from the top to where the landing begins."""
        return float(np.sqrt(2 * (self._off.top_m - self._down.centre_m) / GRAVITY_M_S2))

    @property
    def _bottom_s(self) -> float:
        """The lowest point before the last flight."""
        return -(self._straight_s(self._off) + self.take_off.push_s)

    @staticmethod
    def _straight_s(leaving: _Leaving) -> float:
        """From the top to where the legs begin to bend."""
        return leaving.rise_s - leaving.before_straight_s

    def _hips(self, time: Jet) -> Jet:
        """Hips over where they are in standing, (n,)."""
        after = self._course(self.landing, self._down, time)
        before = self._course(self.take_off, self._off, time * -1.0)
        if self.drop:  # the landing before is the take-off run backwards about the lowest point
            straight_s, legs = self._straight_s(self._off), self.take_off
            late, early = (
                smoothstep((away - straight_s) / legs.push_s, _SMOOTH) * -legs.depth_m
                for away in (time * -1.0, time - 2 * self._bottom_s)
            )
            before = _where(time.value > self._bottom_s, late, early)
        return _where(time.value > 0, after, before)

    def _course(self, legs: PushOff, leaving: _Leaving, away: Jet) -> Jet:
        """Hips so long ``away`` from the top: straight, down, and up to standing again."""
        start = self._straight_s(leaving)
        down = smoothstep((away - start) / legs.push_s, _SMOOTH)
        rest = smoothstep((away - (start + legs.push_s)) / _DOWN_S, _SMOOTH)
        return (rest - down) * legs.depth_m

    def _leaving(self, legs: PushOff) -> _Leaving:
        """Where the ground's force ends: there the centre slows down by gravity alone."""
        time = time_jet(np.linspace(0.0, legs.push_s, 401), 2)
        low = self._level(time, smoothstep(time / legs.push_s, _SMOOTH) * -legs.depth_m)
        centre = self._centre(low, time)[..., 2]
        excess = centre.derivative(2) + GRAVITY_M_S2
        last = int(np.flatnonzero(excess <= 0)[-1])
        share = excess[last] / (excess[last] - excess[last + 1])
        at, height, speed = (
            float(v[last] + share * (v[last + 1] - v[last])) for v in (time.value, centre.value, -centre.derivative(1))
        )
        return _Leaving(at, height, speed)

    def _level(self, time: Jet, rise: Jet) -> Posture:
        """The pose with both soles on the floor, hips moved up by ``rise``, and the body's centre above one point."""
        rest = self.standing.hips_m
        place = [constant(rest[0], time), constant(rest[1], time)]
        for _ in range(_ROUNDS):
            pose = self.standing.posed(time, stack([*place, rise + rest[2]]), deep=True)
            centre = self._centre(pose, time)
            place = [place[k] - (centre[..., k] - rest[k]) for k in range(2)]
        return pose

    def _centre(self, pose: Posture, time: Jet) -> Jet:
        """Centre of mass (n, 3) of the whole body."""
        upper = upper_person(self.body)
        above = upper_pose(upper, pose, time, None).poses
        parts = [(upper.inertia(part[1]), *placed) for part, placed in above.items()]
        for side in SIDES:
            parts += [(self.body.inertia(side, name), *placed) for name, placed in segment_poses(pose, side).items()]
        mass = sum(inertia.mass_kg for inertia, *_ in parts)
        total = constant(np.zeros(3), time)
        for inertia, R, origin in parts:
            total = total + (origin + rotate(R, inertia.com_m)) * (inertia.mass_kg / mass)
        return total


def landing_lower(jumper: Jumper, depth_m: float) -> Jumper:
    """The jumper with a crouched landing: legs of another depth, as fast as the same height asks for.

    Parameters
    ----------
    jumper : Jumper
        Who lands as he took off.
    depth_m : float
        How far the hips go down after landing; legs that go further down touch the floor more bent.

    Returns
    -------
    Jumper
        A copy with another landing.
    """
    fast, slow = 0.5 * jumper.take_off.push_s, 2.0 * jumper.take_off.push_s
    for _ in range(20):
        push_s = 0.5 * (fast + slow)
        crouched = replace(jumper, landing=PushOff(depth_m, push_s))
        fast, slow = (push_s, slow) if crouched._down.top_m > jumper._off.top_m else (fast, push_s)
    return crouched


def _where(chosen: BoolArray, one: Jet, other: Jet) -> Jet:
    return Jet(np.where(chosen, one.c, other.c))


def _raised(pose: Posture, lift: Jet) -> Posture:
    """The same posture, higher by ``lift`` (n,)."""
    zero = lift * 0.0
    up = stack([zero, zero, lift])
    pelvis = replace(pose.pelvis, origin_m=pose.pelvis.origin_m + up, centre_m=pose.pelvis.centre_m + up)
    legs = {
        side: replace(leg, hip_m=leg.hip_m + up, knee_m=leg.knee_m + up, ankle_m=leg.ankle_m + up)
        for side, leg in pose.legs.items()
    }
    soles = {side: replace(sole, origin_m=sole.origin_m + up) for side, sole in pose.soles.items()}
    return replace(pose, pelvis=pelvis, legs=legs, soles=soles)
