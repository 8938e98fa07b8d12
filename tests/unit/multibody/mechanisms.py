"""The reference's mechanisms from its file, and three of our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.dynamics.body import Segment
from biomech_id.multibody.closures import circle_intersection, pin
from biomech_id.multibody.closures import gears as rolling_gears
from biomech_id.multibody.examples.mechanisms import (
    ExoskeletonLeg,
    four_bar,
    in_plane,
    planar_segment,
    sliding_segment,
)
from biomech_id.multibody.joints import prismatic, revolute
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.parts import Body, denavit_hartenberg
from biomech_id.multibody.springs import Spring
from biomech_id.multibody.system import System

DOWN = (0.0, -9.81, 0.0)
#: Turns a joint's z axis into the parent's x axis: for a joint that slides along x.
_ALONG_X = denavit_hartenberg(gamma_rad=np.pi / 2, alpha_rad=np.pi / 2)


def reference_four_bar(file: Any) -> System:
    p = file["fourbar"]["parameters"]
    bodies = [
        planar_segment(n, p["bodies"][n]["m"], p["bodies"][n]["com"], p["bodies"][n]["I"]) for n in ("crank", "coupler", "rocker")
    ]
    return four_bar((p["a"], p["b"], p["c"]), p["ground"], bodies, gravity_m_s2=DOWN, branch=1)


def reference_leg(file: Any) -> ExoskeletonLeg:
    p = file["leg_exo"]["parameters"]
    bodies = {n: planar_segment(n, b["m"], b["com"], b["I"]) for n, b in p["bodies"].items() if n != "rod"}
    rod = p["bodies"]["rod"]
    bodies["rod"] = sliding_segment("rod", rod["m"], rod["com_from_end"], rod["I"])
    places = (tuple(p[name]) for name in ("A_thigh", "C_shank", "D_shank", "E_foot"))
    spring = p["spring"]
    return ExoskeletonLeg(
        p["lt"], p["ls"], p["crank_a"], p["coupler_b"], *places, bodies, spring["k"], spring["d"], spring["L0"], branch=1
    )


def small_four_bar() -> System:
    bodies = [
        planar_segment("crank", 0.3, (0.04, 0.01), 3e-4),
        planar_segment("coupler", 0.45, (0.12, 0.02), 2.1e-3),
        planar_segment("rocker", 0.4, (0.085, -0.008), 1.3e-3),
    ]
    return four_bar((0.08, 0.22, 0.18), 0.25, bodies, gravity_m_s2=DOWN)


def two_loops() -> System:
    bodies = [*(body.segment for body in small_four_bar().bodies)]
    bodies += [planar_segment("second coupler", 0.3, (0.1, 0.01), 1e-3), planar_segment("second rocker", 0.35, (0.08, 0.0), 9e-4)]
    return driven_four_bars((0.08, 0.22, 0.18), 0.25, 0.1, (0.2, 0.17), 0.5, bodies, gravity_m_s2=DOWN)


def piston(damping: float = 3.0) -> System:
    bodies = [
        planar_segment("crank", 1.2, (0.03, 0.0), 2e-3),
        planar_segment("rod", 0.6, (0.1, 0.0), 3e-3),
        sliding_segment("slider", 0.9, 0.0, 1e-3),
    ]
    return slider_crank(0.1, 0.3, bodies, Spring("x", 150.0, damping, 0.3), gravity_m_s2=DOWN)


def gears() -> System:
    bodies = [
        planar_segment("carrier", 0.5, (0.07, 0.01), 2e-3),
        planar_segment("sun", 0.8, (0.01, 0.0), 3e-3),
        planar_segment("planet", 0.4, (0.005, 0.002), 5e-4),
    ]
    return gear_pair(0.08, 0.05, bodies, gravity_m_s2=DOWN)


def driven_four_bars(
    lengths_m: tuple[float, float, float],
    ground_m: float,
    arm_m: float,
    second_lengths_m: tuple[float, float],
    second_ground_m: float,
    segments: Sequence[Segment],
    *,
    gravity_m_s2: ArrayLike,
    branches: tuple[int, int] = (1, 1),
) -> System:
    """A four-bar whose rocker, at ``arm_m`` along it, drives the coupler and rocker of a second loop."""
    first = four_bar(lengths_m, ground_m, segments[:3], gravity_m_s2=gravity_m_s2, branch=branches[0])
    coupler, rocker = second_lengths_m
    names = [segment.name for segment in segments]
    bodies = [
        *first.bodies,
        Body(segments[3], revolute("eta_2"), names[2], (arm_m, 0.0, 0.0)),
        Body(segments[4], revolute("psi_2"), GROUND, (second_ground_m, 0.0, 0.0)),
    ]

    def closure(m: Any, q1: Sequence[Any]) -> Sequence[Any]:
        assert first.closed_form is not None
        eta, psi = first.closed_form(m, q1)
        tip = (ground_m + arm_m * psi[1], arm_m * psi[0])
        x, y = circle_intersection(m, tip, coupler, (second_ground_m, 0), rocker, branches[1], of="second coupler and rocker")
        along, across = (x - tip[0]) / coupler, (y - tip[1]) / coupler
        turned = (across * psi[1] - along * psi[0], along * psi[1] + across * psi[0])
        return [eta, psi, turned, (y / rocker, (x - second_ground_m) / rocker)]

    pins = [*first.closures, pin(names[3], (coupler, 0, 0), names[4], (rocker, 0, 0), plane_of=GROUND)]
    return System(bodies, first.gravity_lab_m_s2, pins, ["theta"], closed_form=closure)


def slider_crank(
    crank_m: float,
    rod_m: float,
    segments: Sequence[Segment],
    spring: Spring | None = None,
    *,
    gravity_m_s2: ArrayLike,
    branch: int = 1,
) -> System:
    """Crank, rod, and a slider along x through the crank's pivot: coordinates theta (free), eta (rod on crank), x."""
    names = [segment.name for segment in segments]
    bodies = [
        Body(segments[0], revolute("theta")),
        Body(segments[1], revolute("eta"), names[0], (crank_m, 0.0, 0.0)),
        Body(segments[2], prismatic("x"), GROUND, **_ALONG_X),
    ]

    def closure(m: Any, q1: Sequence[Any]) -> Sequence[Any]:
        cosine, sine = m.cos(q1[0]), m.sin(q1[0])
        across = -crank_m / rod_m * sine
        along = branch * m.sqrt(1 - across * across)
        return [(across * cosine - along * sine, along * cosine + across * sine), crank_m * cosine + rod_m * along]

    pins = [pin(names[1], (rod_m, 0, 0), names[2], (0, 0, 0), plane_of=GROUND)]
    return System(bodies, in_plane(gravity_m_s2), pins, ["theta"], [spring] if spring else [], closed_form=closure)


def gear_pair(radius_m: float, other_radius_m: float, segments: Sequence[Segment], *, gravity_m_s2: ArrayLike) -> System:
    """A gear that rolls around another on a carrier: coordinates carrier and central gear (free), planet on the carrier."""
    distance = radius_m + other_radius_m
    names = [segment.name for segment in segments]
    bodies = [
        Body(segments[0], revolute("carrier")),
        Body(segments[1], revolute("sun")),
        Body(segments[2], revolute("planet"), names[0], (distance, 0.0, 0.0)),
    ]
    cut = System(bodies, in_plane(gravity_m_s2))
    rolling = rolling_gears(cut.layout, names[1], names[2], names[0], radius_m, other_radius_m)
    ratio = radius_m / other_radius_m

    def closure(m: Any, q1: Sequence[Any]) -> Sequence[Any]:
        return [ratio * (q1[0] - q1[1])]

    return replace(cut, closures=[rolling], free=["carrier", "sun"], closed_form=closure)
