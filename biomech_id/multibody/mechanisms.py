"""Planar mechanisms with closed loops, ready to use: four-bars, a slider-crank, rolling gears, a leg in an exoskeleton.

All lie in the x-y plane of the laboratory. Lengths in metres; a link's frame has its origin in its joint and x along the link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.body import Segment
from biomech_id.dynamics.chain import BASE
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.closed_loop import ClosedLoop, SpringDamper
from biomech_id.multibody.closures import circle_intersection
from biomech_id.multibody.loop_constraints import Coupling, Pin, rolling_gears
from biomech_id.multibody.tree import TableBody, Tree

#: Turns a joint's z axis into the parent's x axis:
#: for a joint that slides along x.
_ALONG_X = {"gamma_rad": np.pi / 2, "alpha_rad": np.pi / 2}


def planar_segment(name: str, mass_kg: float, com_m: Sequence[float], inertia_kgm2: float) -> Segment:
    """A flat body: centre of mass (x, y) in its frame, moment of inertia about the axis out of the plane.

    Parameters
    ----------
    name : str
        Of the segment.
    mass_kg : float
        More than zero.
    com_m : Sequence[float]
        (x, y) of the centre of mass in the body's frame, metres.
    inertia_kgm2 : float
        About the centre of mass and the axis out of the plane.

    Examples
    --------
    >>> from biomech_id.multibody.mechanisms import planar_segment
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
        Of the segment.
    mass_kg : float
        More than zero.
    com_along_m : float
        Of the centre of mass, along the direction of sliding, metres.
    inertia_kgm2 : float
        About the centre of mass and the axis out of the plane.
    """
    tensor = np.diag([inertia_kgm2 / 2, inertia_kgm2, inertia_kgm2 / 2])
    return Segment(name, mass_kg, np.array([0.0, 0.0, com_along_m]), tensor, "planar mechanism")


def four_bar(lengths_m: tuple[float, float, float], ground_m: float, segments: Sequence[Segment], *, branch: int = 1) -> ClosedLoop:
    """Crank, coupler and rocker on a ground link along x: coordinates theta, eta (coupler on crank), psi (rocker); theta is free.

    Parameters
    ----------
    lengths_m : tuple[float, float, float]
        Of crank, coupler, rocker.
    ground_m : float
        From the crank's pivot to the rocker's, along x, metres.
    segments : Sequence[Segment]
        Their inertias.
    branch : int, optional
        +1 has the joint of coupler and rocker to the left of the line from the crank's tip to the rocker's pivot.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.mechanisms import four_bar
    >>> from biomech_id.multibody.mechanisms import planar_segment
    >>> rods = [planar_segment(name, 1.0, (0.5, 0.0), 1 / 12) for name in ("crank", "coupler", "rocker")]
    >>> square = four_bar((1.0, 1.0, 1.0), 1.0, rods)
    >>> np.rad2deg(square.configuration(np.array([[np.pi / 2]]))).round(6) + 0.0
    array([[ 90., -90.,  90.]])
    """
    crank, coupler, rocker = lengths_m
    tree = Tree([TableBody(segments[0]), TableBody(segments[1], 0, d_m=crank), TableBody(segments[2], BASE, d_m=ground_m)])

    def closure(m: Any, q1: Sequence[Any]) -> Sequence[Any]:
        cosine, sine = m.cos(q1[0]), m.sin(q1[0])
        tip = (crank * cosine, crank * sine)
        x, y = circle_intersection(m, tip, coupler, (ground_m, 0), rocker, branch)
        along, across = (x - tip[0]) / coupler, (y - tip[1]) / coupler
        return [(across * cosine - along * sine, along * cosine + across * sine), (y / rocker, (x - ground_m) / rocker)]

    return ClosedLoop(tree, [Pin(1, (coupler, 0, 0), 2, (rocker, 0, 0))], (0,), closure)


def driven_four_bars(
    lengths_m: tuple[float, float, float],
    ground_m: float,
    arm_m: float,
    second_lengths_m: tuple[float, float],
    second_ground_m: float,
    segments: Sequence[Segment],
    *,
    branches: tuple[int, int] = (1, 1),
) -> ClosedLoop:
    """A four-bar whose rocker, at ``arm_m`` along it, drives the coupler and rocker of a second loop.

    Coordinates: theta, eta, psi of the first; eta_2 (second coupler on the first rocker), psi_2. ``second_ground_m`` is where the
    second rocker's pivot lies on the x axis; five segments in the coordinates' order.

    Parameters
    ----------
    lengths_m : tuple[float, float, float]
        Crank, coupler, rocker, metres.
    ground_m : float
        From the crank's pivot to the rocker's, along x, metres.
    arm_m : float
        Along the rocker, to the pin of the second coupler, metres.
    second_lengths_m : tuple[float, float]
        Second coupler and second rocker, metres.
    second_ground_m : float
        From the crank's pivot to the second rocker's, along x, metres.
    segments : Sequence[Segment]
        One for each body, in the order of the coordinates.
    branches : tuple[int, int], optional
        +1 or -1, of the first and of the second loop.
    """
    first = four_bar(lengths_m, ground_m, segments[:3], branch=branches[0])
    coupler, rocker = second_lengths_m
    second = [TableBody(segments[3], 2, d_m=arm_m), TableBody(segments[4], BASE, d_m=second_ground_m)]

    def closure(m: Any, q1: Sequence[Any]) -> Sequence[Any]:
        assert first.closure is not None
        eta, psi = first.closure(m, q1)
        tip = (ground_m + arm_m * psi[1], arm_m * psi[0])
        x, y = circle_intersection(m, tip, coupler, (second_ground_m, 0), rocker, branches[1])
        along, across = (x - tip[0]) / coupler, (y - tip[1]) / coupler
        turned = (across * psi[1] - along * psi[0], along * psi[1] + across * psi[0])
        return [eta, psi, turned, (y / rocker, (x - second_ground_m) / rocker)]

    pins = [*first.constraints, Pin(3, (coupler, 0, 0), 4, (rocker, 0, 0))]
    return ClosedLoop(Tree([*first.tree.bodies, *second]), pins, (0,), closure)


def slider_crank(
    crank_m: float,
    rod_m: float,
    segments: Sequence[Segment],
    spring: SpringDamper | None = None,
    *,
    branch: int = 1,
) -> ClosedLoop:
    """Crank, rod, and a slider along x through the crank's pivot: coordinates theta (free), eta (rod on crank), x.

    ``branch`` +1 keeps the slider on the side of x > 0. The slider's segment is a `sliding_segment`; a spring sits on coordinate 2.

    Parameters
    ----------
    crank_m : float
        Length of the crank, metres.
    rod_m : float
        Length of the rod, metres.
    segments : Sequence[Segment]
        One for each body, in the order of the coordinates.
    spring : SpringDamper | None, optional
        None for none.
    branch : int, optional
        +1 or -1.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.mechanisms import planar_segment, sliding_segment
    >>> from biomech_id.multibody.mechanisms import slider_crank
    >>> parts = [planar_segment("crank", 1.0, (0.1, 0.0), 0.01), planar_segment("rod", 1.0, (0.2, 0.0), 0.02)]
    >>> engine = slider_crank(0.2, 0.5, [*parts, sliding_segment("piston", 0.5, 0.0, 0.001)])
    >>> float(engine.configuration(np.array([[1e-9]]))[0, 2].round(6))
    0.7
    """
    slider = TableBody(segments[2], BASE, "prismatic", **_ALONG_X)
    tree = Tree([TableBody(segments[0]), TableBody(segments[1], 0, d_m=crank_m), slider])

    def closure(m: Any, q1: Sequence[Any]) -> Sequence[Any]:
        cosine, sine = m.cos(q1[0]), m.sin(q1[0])
        across = -crank_m / rod_m * sine
        along = branch * m.sqrt(1 - across * across)
        return [(across * cosine - along * sine, along * cosine + across * sine), crank_m * cosine + rod_m * along]

    return ClosedLoop(tree, [Pin(1, (rod_m, 0, 0), 2, (0, 0, 0))], (0,), closure, (spring,) if spring else ())


def gear_pair(radius_m: float, other_radius_m: float, segments: Sequence[Segment]) -> ClosedLoop:
    """A gear that rolls around another on a carrier: coordinates carrier and central gear (free), planet on the carrier.

    Parameters
    ----------
    radius_m : float
        Pitch radius of the central gear, metres.
    other_radius_m : float
        Pitch radius of the planet, metres.
    segments : Sequence[Segment]
        One for each body, in the order of the coordinates.
    """
    distance = radius_m + other_radius_m
    tree = Tree([TableBody(segments[0]), TableBody(segments[1]), TableBody(segments[2], 0, d_m=distance)])
    rolling: Coupling = rolling_gears(tree, 1, 2, 0, radius_m, other_radius_m)
    ratio = radius_m / other_radius_m

    def closure(m: Any, q1: Sequence[Any]) -> Sequence[Any]:
        return [ratio * (q1[0] - q1[1])]

    return ClosedLoop(tree, [rolling], (0, 1), closure)


@dataclass(frozen=True, eq=False)
class ExoskeletonLeg:
    """A leg in the sagittal plane, with a driven four-bar at the knee and a strut with spring and damper at the ankle.

    The thigh hangs on the hip at the laboratory's origin (or on a moving base), the foot on the ankle; coordinates are the relative
    angles of hip, knee, ankle (free), the crank on the thigh, the coupler on the crank, the strut's direction on
    the shank, its length.

    Attributes
    ----------
    thigh_m : float
        Lengths.
    shank_m : float
        Lengths.
    crank_m : float
        Of the four-bar; its other two sides are thigh and shank.
    coupler_m : float
        Of the four-bar; its other two sides are thigh and shank.
    crank_pivot_m : tuple[float, float]
        (x, y) on the thigh. coupler_pin_m : on the shank. strut_pivot_m : on the shank. strut_pin_m : on the foot.
    coupler_pin_m : tuple[float, float]
        Of the coupler, in the shank's frame (x, y), metres.
    strut_pivot_m : tuple[float, float]
        Of the strut, in the shank's frame (x, y), metres.
    strut_pin_m : tuple[float, float]
        Of the strut, in the foot's frame (x, y), metres.
    segments : Mapping[str, Segment]
        Thigh, shank, foot, crank, coupler, cylinder (`planar_segment`) and rod (`sliding_segment`).
    stiffness_N_m : float
        Of the strut.
    damping_N_s_m : float
        Of the strut.
    rest_m : float
        Of the strut.
    branch : int, optional
        Of the four-bar.
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

    def mechanism(self) -> ClosedLoop:
        """The leg as a `ClosedLoop`."""
        s, (ax, ay), (dx, dy) = self.segments, self.crank_pivot_m, self.strut_pivot_m
        to_crank, to_strut = _polar(ax, ay), _polar(dx, dy)
        bodies = [
            TableBody(s["thigh"]),
            TableBody(s["shank"], 0, d_m=self.thigh_m),
            TableBody(s["foot"], 1, d_m=self.shank_m),
            TableBody(s["crank"], 0, gamma_rad=to_crank[1], d_m=to_crank[0], theta_rad=-to_crank[1]),
            TableBody(s["coupler"], 3, d_m=self.crank_m),
            TableBody(s["cylinder"], 1, gamma_rad=to_strut[1], d_m=to_strut[0], theta_rad=-to_strut[1]),
            TableBody(s["rod"], 5, "prismatic", **_ALONG_X),
        ]
        pins = [
            Pin(4, (self.coupler_m, 0, 0), 1, (*self.coupler_pin_m, 0)),
            Pin(6, (0, 0, 0), 2, (*self.strut_pin_m, 0)),
        ]
        strut = SpringDamper(6, self.stiffness_N_m, self.damping_N_s_m, self.rest_m)
        return ClosedLoop(Tree(bodies), pins, (0, 1, 2), self._closure, (strut,))

    def _closure(self, m: Any, q1: Sequence[Any]) -> Sequence[Any]:
        _, knee, ankle = q1
        pin = _turned(m, knee, self.coupler_pin_m, (self.thigh_m, 0))
        elbow = circle_intersection(m, self.crank_pivot_m, self.crank_m, pin, self.coupler_m, self.branch)
        crank = ((elbow[1] - self.crank_pivot_m[1]) / self.crank_m, (elbow[0] - self.crank_pivot_m[0]) / self.crank_m)
        along, across = (pin[0] - elbow[0]) / self.coupler_m, (pin[1] - elbow[1]) / self.coupler_m
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


def assist_knee(mechanism: ClosedLoop, q: FloatArray, tau1: FloatArray, share: float) -> Assistance:
    """Torque of the crank's motor of an `ExoskeletonLeg` that supplies a share of the knee's moment.

    Power is what crank and knee have in common: torque . crank speed = share . moment . knee speed.

    Parameters
    ----------
    mechanism : ClosedLoop
        Made by an `ExoskeletonLeg`.
    q : FloatArray
        (N, 7), closed configurations. tau1 : (N, 3), what the motion needs (`ClosedLoop.inverse`).
    tau1 : FloatArray
        (N, n1), what the free coordinates need, N m.
    share : float
        0 leaves all to the wearer, 1 nothing.

    Raises
    ------
    InvalidValueError
        A crank that does not move with the knee (a dead centre), where no torque of the motor reaches it.
    """
    W = mechanism.projection(q, np.zeros((len(q), 3)))[0]
    ratio = W[:, 3, 1]
    if np.abs(ratio).min() < 1e-6:
        frame = int(np.argmin(np.abs(ratio)))
        raise InvalidValueError(
            f"In frame {frame} the crank stands still while the knee moves: its motor cannot help.",
            value=float(ratio[frame]), expected="crank and knee that move together", where=f"frame {frame}",
        )  # fmt: skip
    knee = tau1[:, 1]
    torque = share * knee / ratio
    return Assistance(knee, torque, knee - torque * ratio, ratio)


def _polar(x: float, y: float) -> tuple[float, float]:
    return float(np.hypot(x, y)), float(np.arctan2(y, x))


def _turned(m: Any, angle: Any, place: Sequence[float], origin: Sequence[float]) -> tuple[Any, Any]:
    cosine, sine = m.cos(angle), m.sin(angle)
    return origin[0] + place[0] * cosine - place[1] * sine, origin[1] + place[0] * sine + place[1] * cosine
