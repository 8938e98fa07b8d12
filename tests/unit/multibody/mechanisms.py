"""The reference's mechanisms from its file, and three of our own."""

from __future__ import annotations

from typing import Any

from biomech_id.multibody.mechanisms import (
    ExoskeletonLeg,
    driven_four_bars,
    four_bar,
    gear_pair,
    planar_segment,
    slider_crank,
    sliding_segment,
)
from biomech_id.multibody.springs import Spring
from biomech_id.multibody.system import System

DOWN = (0.0, -9.81, 0.0)


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
