"""A limb of n links whose joint angles are given: joint wrenches up the chain, in any frame and for any observer.

A link's frame sits in its proximal joint; the next link hangs at ``tip_m`` of it. Joints turn about z ("z", a planar limb) or about
z, then x, then y ("zxy", a Cardan joint). Kinematics are those of a `System` (`Limb.system`), loads those of the general solver.

The question, an n-link limb with wrenches in every frame, is that of F. Mielke's notebook on fictitious wrenches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.body import Motion, Segment
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.loads import ChainLoads
from biomech_id.dynamics.newton_euler import solve
from biomech_id.dynamics.observer import Observer
from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.multibody.joints import cardan, revolute
from biomech_id.multibody.parts import serial
from biomech_id.multibody.system import System
from biomech_id.signal.derivatives import quintic_derivatives
from biomech_id.values import dataclass

#: Steps of the derivatives of functions: complex, and real. Tenth-order quotients of the exact first derivative are off by h^10.
_COMPLEX_STEP, _STEP_S = 1e-30, 5e-3
_TENTH_ORDER = {1: 5 / 6, 2: -5 / 21, 3: 5 / 84, 4: -5 / 504, 5: 1 / 1260}


@dataclass(frozen=True, eq=False)
class Link:
    """One link: its inertia in its own frame, where the next one hangs on it (3,), m, and how its proximal joint turns.

    Attributes
    ----------
    segment : Segment
        Mass, centre of mass and inertia in the link's own frame.
    tip_m : tuple[float, float, float]
        Where the next link hangs, in the link's frame, metres.
    joint : str, optional
        "z" for a hinge about z, three letters ("zxy") for a ball joint with Cardan angles in that order.
    """

    segment: Segment
    tip_m: tuple[float, float, float]
    joint: str = "z"


@dataclass(frozen=True, eq=False)
class Angles:
    """Joint angles of a limb in time, one column for every axis of every joint, base to tip; each (N, k).

    Attributes
    ----------
    q_rad : FloatArray
        (N, k), joint angles, rad.
    rate_rad_s : FloatArray
        (N, k), their rates, rad/s.
    acceleration_rad_s2 : FloatArray
        (N, k), their second derivatives, rad/s2.
    """

    q_rad: FloatArray
    rate_rad_s: FloatArray
    acceleration_rad_s2: FloatArray

    @classmethod
    def from_samples(cls, q_rad: FloatArray, rate_hz: float) -> Angles:
        """From samples (N, k), by quintic splines.

        Parameters
        ----------
        q_rad : FloatArray
            (N, k), sampled joint angles, rad.
        rate_hz : float
            Samples per second, even.

        Returns
        -------
        Angles
            Angles with two derivatives at the samples.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.examples.limb import Angles
        >>> time_s = np.arange(101) / 100.0
        >>> knee = Angles.from_samples(time_s[:, None] ** 2, 100.0)
        >>> float(knee.rate_rad_s[50, 0].round(6)), float(knee.acceleration_rad_s2[50, 0].round(3))
        (1.0, 2.0)
        """
        rate, acceleration = quintic_derivatives(q_rad, rate_hz)
        return cls(np.asarray(q_rad, dtype=np.float64), rate, acceleration)

    @classmethod
    def from_functions(cls, functions: Sequence[Callable[[FloatArray], FloatArray]], t_s: FloatArray) -> Angles:
        """From k analytic functions of time made of NumPy's, which must take complex arguments; a constant may be one number.

        The first derivative comes from a complex step and is exact; the second from differences of it, exact to about 1e-13 for
        motions up to some 10 rad/s.

        Parameters
        ----------
        functions : Sequence[Callable[[FloatArray], FloatArray]]
            One of time (s) for each angle (rad).
        t_s : FloatArray
            (m,), times, rising, seconds.

        Returns
        -------
        Angles
            Angles with two derivatives at ``t_s``.

        Raises
        ------
        InvalidValueError
            A function that drops the imaginary part, such as one with an absolute value in it.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.examples.limb import Angles
        >>> knee = Angles.from_functions([lambda t: 0.5 * np.sin(2 * t)], np.array([0.0]))
        >>> float(knee.rate_rad_s[0, 0].round(9))
        1.0
        """
        t = np.asarray(t_s, dtype=np.float64)

        def rate(function: Callable[[FloatArray], FloatArray], at: FloatArray) -> FloatArray:
            value = np.asarray(function(at + 1j * _COMPLEX_STEP))  # type: ignore[arg-type]
            if value.ndim == 0 and not np.iscomplexobj(value):
                return np.zeros_like(t)  # one number whatever the time: a joint that does not turn
            if not np.iscomplexobj(value):
                raise InvalidValueError(
                    "A function of time is not analytic: it returns real values for complex time.",
                    value=getattr(function, "__name__", "function"), expected="NumPy functions of t, without abs or real",
                    where="Angles.from_functions",
                )  # fmt: skip
            return np.broadcast_to(value.imag / _COMPLEX_STEP, t.shape)

        q = np.stack([np.broadcast_to(f(t), t.shape) for f in functions], axis=1)
        u = np.stack([rate(f, t) for f in functions], axis=1)
        differences = [
            sum(
                (w * (rate(f, t + k * _STEP_S) - rate(f, t - k * _STEP_S)) for k, w in _TENTH_ORDER.items()), start=np.zeros_like(t)
            )
            for f in functions
        ]
        return cls(q, u, np.stack(differences, axis=1) / _STEP_S)


@dataclass(frozen=True, eq=False)
class Limb:
    """Links from the base to the tip.

    Attributes
    ----------
    links : Sequence[Link]
        From the base to the tip.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.body import Segment
    >>> from biomech_id.multibody.examples.limb import Angles, Limb, Link
    >>> sizes = {"thigh": (0.4, 7.0), "shank": (0.4, 3.0)}
    >>> limb = Limb([Link(Segment(k, m, np.array([0, l / 2, 0]), np.zeros((3, 3))), (0, l, 0)) for k, (l, m) in sizes.items()])
    >>> down = Angles(np.array([[np.pi, 0.0]]), np.zeros((1, 2)), np.zeros((1, 2)))
    >>> limb.tip(limb.motions(down)).round(6) + 0.0
    array([[ 0. , -0.8,  0. ]])
    """

    links: Sequence[Link]

    def system(self, gravity_lab_m_s2: ArrayLike) -> System:
        """The limb as a `System`; the coordinate of a hinge is its link's name, those of a Cardan joint end in its axes' letters.

        Parameters
        ----------
        gravity_lab_m_s2 : ArrayLike
            (3,), laboratory axes, m/s2.

        Returns
        -------
        System
            Links that hang one on the other, the first on the base.

        Raises
        ------
        InvalidValueError
            A joint of neither "z" nor a sequence of x, y and z.
        """
        segments, tips = [link.segment for link in self.links], [link.tip_m for link in self.links]
        names = [(segment.name, link.joint) for segment, link in zip(segments, self.links, strict=True)]
        joints = [revolute(name) if kind == "z" else cardan([f"{name}.{axis}" for axis in kind], kind) for name, kind in names]
        return System(serial(segments, joints, tips), gravity_lab_m_s2)

    @cached_property
    def _weightless(self) -> System:
        return self.system((0.0, 0.0, 0.0))

    def motions(self, angles: Angles, base: Motion | None = None) -> tuple[Motion, ...]:
        """Motion of every link, base to tip, in its own axes; ``base`` moves what the first link hangs on.

        Parameters
        ----------
        angles : Angles
            Of all joints, base to tip.
        base : Motion | None, optional
            What the base moves with; None is the laboratory.

        Returns
        -------
        tuple[Motion, ...]
            One for each link, laboratory axes; centres of mass in m, m/s, m/s2.

        Raises
        ------
        ShapeError
            Another number of angles than the joints have axes.
        """
        system = self._weightless
        if np.shape(angles.q_rad)[1:] != (len(system.speeds),):
            raise ShapeError(
                f"{np.shape(angles.q_rad)} angles came for joints of {len(system.speeds)} axes.",
                value=np.shape(angles.q_rad), expected=f"(any, {len(system.speeds)})", where="Limb",
            )  # fmt: skip
        return tuple(system.motions(system.kinematics(angles.q_rad, angles.rate_rad_s, angles.acceleration_rad_s2, base=base)))

    def chain(self, motions: Sequence[Motion]) -> Chain:
        """The limb as the `Chain` that solver and observers take.

        Parameters
        ----------
        motions : Sequence[Motion]
            One of each link, base to tip.

        Returns
        -------
        Chain
            Distal to proximal: the tip first.
        """
        joints = [motion.frames.origin_lab_m for motion in motions]
        return Chain([link.segment for link in self.links][::-1], list(motions)[::-1], joints[::-1])

    def tip(self, motions: Sequence[Motion], link: int = -1) -> FloatArray:
        """Where the next link hangs on a link, or the limb's end.

        Parameters
        ----------
        motions : Sequence[Motion]
            One of each link, base to tip.
        link : int, optional
            Index from the base; negative ones count from the tip.

        Returns
        -------
        FloatArray
            (N, 3), m, laboratory axes.
        """
        frames = motions[link].frames
        return np.asarray(frames.origin_lab_m + frames.R_lab_seg @ np.asarray(self.links[link].tip_m))

    def solve(self, motions: Sequence[Motion], external: Iterable[External] = (), *, gravity_lab_m_s2: ArrayLike) -> ChainLoads:
        """Joint wrenches of the general solver, by link name; a tip wrench or friction is an `External`.

        Parameters
        ----------
        motions : Sequence[Motion]
            One of each link, base to tip.
        external : Iterable[External], optional
            Further wrenches on the bodies, by name.
        gravity_lab_m_s2 : ArrayLike
            (3,) or (N, 3), laboratory axes, m/s2; points down, and has to be said.

        Returns
        -------
        ChainLoads
            Forces, N, and moments, N m, of the proximal on the distal link, laboratory axes.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.dynamics.body import Segment
        >>> from biomech_id.multibody.examples.limb import Angles, Limb, Link
        >>> limb = Limb([Link(Segment("arm", 4.0, np.array([0.0, 0.3, 0.0]), np.zeros((3, 3))), (0.0, 0.6, 0.0))])
        >>> held_out = Angles(np.full((1, 1), -np.pi / 2), np.zeros((1, 1)), np.zeros((1, 1)))
        >>> shoulder = limb.solve(limb.motions(held_out), gravity_lab_m_s2=(0.0, -9.81, 0.0)).wrench("arm")
        >>> shoulder.moment_Nm.round(3) + 0.0
        array([[ 0.   ,  0.   , 11.772]])
        """
        return solve(self.chain(motions), external, gravity_lab_m_s2=gravity_lab_m_s2)

    def observer(self, motions: Sequence[Motion], link: int, at: Literal["proximal", "distal"] = "proximal") -> Observer:
        """Someone who sits on a link, at its proximal joint or at its tip.

        Parameters
        ----------
        motions : Sequence[Motion]
            One of each link, base to tip.
        link : int
            Index from the base; negative ones count from the tip.
        at : Literal["proximal", "distal"], optional
            Which end of the link.

        Returns
        -------
        Observer
            Moves and turns with the link, from the point that was chosen.
        """
        point = motions[link].frames.origin_lab_m if at == "proximal" else self.tip(motions, link)
        return Observer.on(self.links[link].segment.name, motions[link], point)
