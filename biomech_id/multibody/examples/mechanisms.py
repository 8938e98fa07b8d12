"""Planar mechanisms with closed loops, ready to use: a four-bar, a leg in an exoskeleton.

All lie in the x-y plane of the laboratory, and so does gravity, which is always said. Lengths in metres; a link's frame has its
origin in its joint and x along the link. Each function returns a `System`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, readonly
from biomech_id.dynamics.body import Segment
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.closures import circle_intersection, pin
from biomech_id.multibody.joints import prismatic, revolute
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.parts import Body, denavit_hartenberg
from biomech_id.multibody.reduction import projection
from biomech_id.multibody.springs import Spring
from biomech_id.multibody.system import System
from biomech_id.values import dataclass, replace

#: Turns a joint's z axis into the parent's x axis: for a joint that slides along x.
_ALONG_X = denavit_hartenberg(gamma_rad=np.pi / 2, alpha_rad=np.pi / 2)
_FLAT = 1e-9


def in_plane(gravity_m_s2: ArrayLike) -> FloatArray:
    """Refuse gravity that leaves the plane of a planar mechanism.

    Parameters
    ----------
    gravity_m_s2 : ArrayLike
        (3,), laboratory axes, m/s2.

    Returns
    -------
    FloatArray
        (3,), m/s2, laboratory axes, read-only.

    Raises
    ------
    InvalidValueError
        Gravity that leaves the x-y plane: it would do nothing here, in silence.
    """
    gravity = readonly(gravity_m_s2, (3,), name="gravity_m_s2", where="planar mechanism")
    if abs(gravity[2]) > _FLAT:
        raise InvalidValueError(
            f"Gravity {gravity.tolist()} leaves the plane of the mechanism.", value=gravity.tolist(),
            expected="no z component; in three dimensions a System of its own", where="planar mechanism",
        )  # fmt: skip
    return gravity


def planar_segment(name: str, mass_kg: float, com_m: Sequence[float], inertia_kgm2: float) -> Segment:
    """A flat body: centre of mass (x, y) in its frame, moment of inertia about the axis out of the plane.

    Parameters
    ----------
    name : str
        Name of the body.
    mass_kg : float
        Mass, more than zero.
    com_m : Sequence[float]
        (x, y) of the centre of mass in the body's frame, metres.
    inertia_kgm2 : float
        About the centre of mass and the axis out of the plane.

    Returns
    -------
    Segment
        Its two other moments of inertia are half that out of the plane.

    Examples
    --------
    >>> from biomech_id.multibody.examples.mechanisms import planar_segment
    >>> planar_segment("rod", 1.0, (0.5, 0.0), 1 / 12).com_m
    array([0.5, 0. , 0. ])
    """
    tensor = np.diag([inertia_kgm2 / 2, inertia_kgm2 / 2, inertia_kgm2])
    return Segment(name, mass_kg, np.array([*com_m, 0.0]), tensor, "planar mechanism")


def sliding_segment(name: str, mass_kg: float, com_along_m: float, inertia_kgm2: float) -> Segment:
    """A flat body that slides along its own z axis, which lies in the plane; its y axis is the one out of the plane.

    Parameters
    ----------
    name : str
        Name of the body.
    mass_kg : float
        Mass, more than zero.
    com_along_m : float
        Of the centre of mass, along the direction of sliding, metres.
    inertia_kgm2 : float
        About the centre of mass and the axis out of the plane.

    Returns
    -------
    Segment
        Its two other moments of inertia are half that out of the plane.
    """
    tensor = np.diag([inertia_kgm2 / 2, inertia_kgm2, inertia_kgm2 / 2])
    return Segment(name, mass_kg, np.array([0.0, 0.0, com_along_m]), tensor, "planar mechanism")


def four_bar(
    lengths_m: tuple[float, float, float], ground_m: float, segments: Sequence[Segment], *, gravity_m_s2: ArrayLike, branch: int = 1
) -> System:
    """Crank, coupler and rocker on a ground link along x: coordinates theta, eta (coupler on crank), psi (rocker); theta is free.

    Parameters
    ----------
    lengths_m : tuple[float, float, float]
        Of crank, coupler, rocker.
    ground_m : float
        From the crank's pivot to the rocker's, along x, metres.
    segments : Sequence[Segment]
        Crank, coupler and rocker, each with its origin in its first joint.
    gravity_m_s2 : ArrayLike
        (3,), in the x-y plane.
    branch : int, optional
        +1 has the joint of coupler and rocker to the left of the line from the crank's tip to the rocker's pivot.

    Returns
    -------
    System
        With a closed form, so that ``configuration`` needs no guess.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.examples.mechanisms import four_bar
    >>> from biomech_id.multibody.examples.mechanisms import planar_segment
    >>> rods = [planar_segment(name, 1.0, (0.5, 0.0), 1 / 12) for name in ("crank", "coupler", "rocker")]
    >>> from biomech_id.multibody.reduction import configuration
    >>> square = four_bar((1.0, 1.0, 1.0), 1.0, rods, gravity_m_s2=(0.0, -9.81, 0.0))
    >>> np.rad2deg(configuration(square, np.array([[np.pi / 2]]))).round(6) + 0.0
    array([[ 90., -90.,  90.]])
    """
    crank, coupler, rocker = lengths_m
    names = [segment.name for segment in segments]
    bodies = [
        Body(segments[0], revolute("theta")),
        Body(segments[1], revolute("eta"), names[0], (crank, 0.0, 0.0)),
        Body(segments[2], revolute("psi"), GROUND, (ground_m, 0.0, 0.0)),
    ]

    def closure(m: Any, q1: Sequence[Any]) -> Sequence[Any]:
        cosine, sine = m.cos(q1[0]), m.sin(q1[0])
        tip = (crank * cosine, crank * sine)
        x, y = circle_intersection(m, tip, coupler, (ground_m, 0), rocker, branch, of="coupler and rocker")
        along, across = (x - tip[0]) / coupler, (y - tip[1]) / coupler
        return [(across * cosine - along * sine, along * cosine + across * sine), (y / rocker, (x - ground_m) / rocker)]

    pins = [pin(names[1], (coupler, 0, 0), names[2], (rocker, 0, 0), plane_of=GROUND)]
    return System(bodies, in_plane(gravity_m_s2), pins, ["theta"], closed_form=closure)


@dataclass(frozen=True, eq=False)
class ExoskeletonLeg:
    """A leg in the sagittal plane, with a driven four-bar at the knee and a strut with spring and damper at the ankle.

    The thigh hangs on the hip at the laboratory's origin (or on a moving base), the foot on the ankle; coordinates are the relative
    angles of hip, knee, ankle (free), the crank on the thigh, the coupler on the crank, the strut's direction on
    the shank, its length.

    Attributes
    ----------
    thigh_m : float
        From hip to knee, m.
    shank_m : float
        From knee to ankle, m.
    crank_m : float
        Crank of the four-bar; its other two sides are thigh and shank.
    coupler_m : float
        From the crank's tip to the pin on the shank, m.
    crank_pivot_m : tuple[float, float]
        (x, y) in the thigh's frame, m.
    coupler_pin_m : tuple[float, float]
        Of the coupler, in the shank's frame (x, y), metres.
    strut_pivot_m : tuple[float, float]
        Of the strut, in the shank's frame (x, y), metres.
    strut_pin_m : tuple[float, float]
        Of the strut, in the foot's frame (x, y), metres.
    segments : Mapping[str, Segment]
        Thigh, shank, foot, crank, coupler, cylinder (`planar_segment`) and rod (`sliding_segment`).
    stiffness_N_m : float
        Stiffness of the strut, N/m.
    damping_N_s_m : float
        Damping of the strut, N s/m.
    rest_m : float
        Length at which the strut does not push or pull, m.
    branch : int, optional
        +1 or -1, the side on which the four-bar's joint lies.
    """

    thigh_m: float
    shank_m: float
    crank_m: float
    coupler_m: float
    crank_pivot_m: tuple[float, float]
    coupler_pin_m: tuple[float, float]
    strut_pivot_m: tuple[float, float]
    strut_pin_m: tuple[float, float]
    segments: Mapping[str, Segment]
    stiffness_N_m: float
    damping_N_s_m: float
    rest_m: float
    branch: int = 1

    def scaled(self, size: float, **changes: Any) -> ExoskeletonLeg:
        """The same mechanism in another size: lengths, stiffness, damping by ``size``, masses by size^3, inertias by size^5.

        Parameters
        ----------
        size : float
            1 leaves it as it is.
        **changes : Any
            Fields that are not scaled but given: a wearer's lengths and segments.

        Returns
        -------
        ExoskeletonLeg
            A copy; this one stays as it is.

        Examples
        --------
        >>> from biomech_id.multibody.examples.mechanisms import ExoskeletonLeg
        >>> crank_pivot, coupler_pin, strut_pivot, strut_pin = (0.3, 0.05), (0.04, 0.07), (0.28, -0.06), (-0.06, 0.01)
        >>> adult = ExoskeletonLeg(
        ...     0.42, 0.4, 0.08, 0.15, crank_pivot, coupler_pin, strut_pivot, strut_pin, {}, 8000.0, 120.0, 0.11
        ... )
        >>> adult.scaled(0.5, shank_m=0.21).crank_m, adult.scaled(0.5, shank_m=0.21).shank_m
        (0.04, 0.21)
        """
        lengths = ("thigh_m", "shank_m", "crank_m", "coupler_m", "rest_m", "stiffness_N_m", "damping_N_s_m")
        places = ("crank_pivot_m", "coupler_pin_m", "strut_pivot_m", "strut_pin_m")
        made: dict[str, Any] = {name: getattr(self, name) * size for name in lengths}
        made |= {name: tuple(x * size for x in getattr(self, name)) for name in places}
        made["segments"] = {
            key: replace(s, mass_kg=s.mass_kg * size**3, com_m=s.com_m * size, inertia_kgm2=s.inertia_kgm2 * size**5)
            for key, s in self.segments.items()
        }
        made["segments"] |= changes.pop("segments", {})
        return replace(self, **(made | changes))

    def mechanism(self, gravity_m_s2: ArrayLike) -> System:
        """The leg as a `System` with the coordinates hip, knee, ankle (free), crank, coupler, strut, length.

        Parameters
        ----------
        gravity_m_s2 : ArrayLike
            (3,), in the x-y plane.

        Returns
        -------
        System
            Closed at the four-bar's pin and the strut's end, with a closed form.
        """
        s, (ax, ay), (dx, dy) = self.segments, self.crank_pivot_m, self.strut_pivot_m
        name = {key: segment.name for key, segment in s.items()}
        bodies = [
            Body(s["thigh"], revolute("hip")),
            Body(s["shank"], revolute("knee"), name["thigh"], (self.thigh_m, 0.0, 0.0)),
            Body(s["foot"], revolute("ankle"), name["shank"], (self.shank_m, 0.0, 0.0)),
            Body(s["crank"], revolute("crank"), name["thigh"], (ax, ay, 0.0)),
            Body(s["coupler"], revolute("coupler"), name["crank"], (self.crank_m, 0.0, 0.0)),
            Body(s["cylinder"], revolute("strut"), name["shank"], (dx, dy, 0.0)),
            Body(s["rod"], prismatic("length"), name["cylinder"], **_ALONG_X),
        ]
        pins = [
            pin(name["coupler"], (self.coupler_m, 0, 0), name["shank"], (*self.coupler_pin_m, 0), plane_of=name["thigh"]),
            pin(name["rod"], (0, 0, 0), name["foot"], (*self.strut_pin_m, 0), plane_of=name["shank"]),
        ]
        strut = Spring("length", self.stiffness_N_m, self.damping_N_s_m, self.rest_m)
        free = ["hip", "knee", "ankle"]
        return System(bodies, in_plane(gravity_m_s2), pins, free, [strut], closed_form=self._closure)

    def _closure(self, m: Any, q1: Sequence[Any]) -> Sequence[Any]:
        _, knee, ankle = q1
        end = _turned(m, knee, self.coupler_pin_m, (self.thigh_m, 0))
        elbow = circle_intersection(m, self.crank_pivot_m, self.crank_m, end, self.coupler_m, self.branch, of="crank and coupler")
        crank = ((elbow[1] - self.crank_pivot_m[1]) / self.crank_m, (elbow[0] - self.crank_pivot_m[0]) / self.crank_m)
        along, across = (end[0] - elbow[0]) / self.coupler_m, (end[1] - elbow[1]) / self.coupler_m
        coupler = (across * crank[1] - along * crank[0], along * crank[1] + across * crank[0])
        end = _turned(m, ankle, self.strut_pin_m, (self.shank_m, 0))
        x, y = end[0] - self.strut_pivot_m[0], end[1] - self.strut_pivot_m[1]
        length = m.sqrt(x * x + y * y)
        return [crank, coupler, (y / length, x / length), length]


@dataclass(frozen=True, eq=False)
class Assistance:
    """Who supplies the knee's moment; each (N,).

    Attributes
    ----------
    knee_moment_Nm : FloatArray
        What the motion needs in the knee's coordinate, mechanism carried along.
    actuator_torque_Nm : FloatArray
        Of the motor on the crank.
    wearer_moment_Nm : FloatArray
        What is left to the wearer's knee.
    crank_per_knee : FloatArray
        How fast the crank turns for each unit of knee speed.
    """

    knee_moment_Nm: FloatArray
    actuator_torque_Nm: FloatArray
    wearer_moment_Nm: FloatArray
    crank_per_knee: FloatArray


def assist_knee(mechanism: System, q: FloatArray, tau1: FloatArray, share: float) -> Assistance:
    """Torque of the crank's motor of an `ExoskeletonLeg` that supplies a share of the knee's moment.

    Power is what crank and knee have in common: torque . crank speed = share . moment . knee speed.

    Parameters
    ----------
    mechanism : System
        Made by an `ExoskeletonLeg`.
    q : FloatArray
        (N, 7), closed configurations. tau1 : (N, 3), what the motion needs
        (`biomech_id.multibody.reduction.inverse_dynamics`).
    tau1 : FloatArray
        (N, n1), what the free coordinates need, N m.
    share : float
        0 leaves all to the wearer, 1 nothing.

    Returns
    -------
    Assistance
        Moments and torque (N,), N m, of the motor and of the wearer.

    Raises
    ------
    InvalidValueError
        A crank that does not move with the knee (a dead centre), where no torque of the motor reaches it.
    """
    W = projection(mechanism, q, np.zeros((len(q), 3)))[0]
    ratio = W[:, mechanism.speed("crank"), 1]
    if np.abs(ratio).min() < 1e-6:
        frame = int(np.argmin(np.abs(ratio)))
        raise InvalidValueError(
            f"In frame {frame} the crank stands still while the knee moves: its motor cannot help.",
            value=float(ratio[frame]), expected="crank and knee that move together", where=f"frame {frame}",
        )  # fmt: skip
    knee = tau1[:, 1]
    torque = share * knee / ratio
    return Assistance(knee, torque, knee - torque * ratio, ratio)


def _turned(m: Any, angle: Any, place: Sequence[float], origin: Sequence[float]) -> tuple[Any, Any]:
    cosine, sine = m.cos(angle), m.sin(angle)
    return origin[0] + place[0] * cosine - place[1] * sine, origin[1] + place[0] * sine + place[1] * cosine
