"""Strength of muscles: the force along the tendon that full activation gives, with a tendon that does not stretch.

With L the path's length, V its rate and h = L_opt sin(alpha) the width that fibres keep ::

    along = L - L_slack;  l = hypot(h, along);  phi = asin(h / l);  v = V along / l
    s = F_max f_length(l / L_opt) f_velocity(v / (L_opt v_max)) cos(phi)

Passive forces are left out, as OpenSim's static optimisation does. Curves: Thelen, J Biomech Eng 125 (2003) 70; Millard, Uchida,
Seth and Delp, J Biomech Eng 135 (2013) 021005; De Groote, Kinney, Rao and Fregly, Ann Biomed Eng 44 (2016) 2922.

OpenSim's slips, made on request only: Millard's muscle takes the cosine at the normalised length, asin(h / (l / L_opt)), which is
nearly 1, and De Groote's has none at all. Strengths come out up to 1.29 times too large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.osim.forces.bezier import BezierCurve, Knot
from biomech_id.values import dataclass

#: Curves meet no fibre that stands steeper than this: the cosine of OpenSim's largest pennation.
STEEPEST = 0.1
#: Share of the largest lengthening force beyond which Thelen's curve goes on straight.
_STRAIGHT_FROM = 0.95
#: Numbers that every muscle has, and what OpenSim takes where neither the muscle nor the model's defaults say.
COMMON: Mapping[str, float] = {
    "max_isometric_force": 1000.0, "optimal_fiber_length": 0.1, "tendon_slack_length": 0.2, "pennation_angle_at_optimal": 0.0,
    "max_contraction_velocity": 10.0,
}  # fmt: skip
_LENGTH, _VELOCITY = "ActiveForceLengthCurve/", "ForceVelocityCurve/"
_MILLARD = {
    f"{_LENGTH}min_norm_active_fiber_length": 0.4441, f"{_LENGTH}transition_norm_fiber_length": 0.73,
    f"{_LENGTH}max_norm_active_fiber_length": 1.8123, f"{_LENGTH}shallow_ascending_slope": 0.8616, f"{_LENGTH}minimum_value": 0.1,
    f"{_VELOCITY}concentric_slope_at_vmax": 0.0, f"{_VELOCITY}concentric_slope_near_vmax": 0.25,
    f"{_VELOCITY}isometric_slope": 5.0, f"{_VELOCITY}eccentric_slope_at_vmax": 0.0,
    f"{_VELOCITY}eccentric_slope_near_vmax": 0.15, f"{_VELOCITY}max_eccentric_velocity_force_multiplier": 1.4,
    f"{_VELOCITY}concentric_curviness": 0.6, f"{_VELOCITY}eccentric_curviness": 0.9,
}  # fmt: skip
#: Heights, centres and widths (constant, and by length) of the three bells of De Groote's force-length curve.
_BELLS = (
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)
#: Numbers d1 to d4 of De Groote's force-velocity curve.
_GROOTE_VELOCITY = (-0.3211346127989808, -8.149, -0.374, 0.8825327733249912)


@dataclass(frozen=True, eq=False)
class Fibres:
    """Fibres of some muscles in N states.

    Attributes
    ----------
    length, rate : FloatArray
        (N, K), of optimal length, and of largest velocity; lengthening is positive.
    cosine : FloatArray
        (N, K), of the angle between fibres and tendon.
    width : FloatArray
        (K,), that fibres keep across the tendon, of optimal length.
    optimal_m : FloatArray
        (K,), optimal length, m.
    too_short : BoolArray
        (N, K), fibres that would stand steeper than any.
    """

    length: FloatArray
    rate: FloatArray
    cosine: FloatArray
    width: FloatArray
    optimal_m: FloatArray
    too_short: BoolArray


#: Numbers of each muscle (K,) by name -> strength (N, K) per newton of its largest isometric force.
Strength = Callable[[Mapping[str, FloatArray], Fibres, bool], FloatArray]


def _thelen(numbers: Mapping[str, FloatArray], fibres: Fibres, compat: bool) -> FloatArray:
    slow, most = numbers["Af"], numbers["Flen"]
    x = np.maximum(fibres.rate, -1.0)
    shortening = (1 + x) / (1 - np.minimum(x, 0.0) / slow)
    k = (2 + 2 / slow) / (most - 1)
    edge = (_STRAIGHT_FROM * most - 1) / ((1 - _STRAIGHT_FROM) * most)
    xk = np.clip(x * k, 0.0, edge)
    lengthening = (1 + xk * most) / (1 + xk) + (np.maximum(x * k, edge) - edge) * (most - 1) / (1 + edge) ** 2
    bell = np.exp(-((fibres.length - 1) ** 2) / numbers["KshapeActive"])
    return np.asarray(bell * np.where(x <= 0, shortening, lengthening) * fibres.cosine)


def _millard(numbers: Mapping[str, FloatArray], fibres: Fibres, compat: bool) -> FloatArray:
    out = np.zeros_like(fibres.length)
    rows = np.array([numbers[name] for name in _MILLARD]).T
    for row in np.unique(rows, axis=0):
        which = np.flatnonzero((rows == row).all(axis=1))
        by_length, by_velocity = _millard_curves(tuple(row.tolist()))
        length = fibres.length[:, which]
        pull = by_length(length) * by_velocity(fibres.rate[:, which])
        out[:, which] = np.where(length > by_length.knots[0, 0], pull, 0.0)
    if not compat:
        return out * fibres.cosine
    slipped = np.minimum(fibres.width * fibres.optimal_m / fibres.length, 1.0)
    return np.asarray(out * np.sqrt(1 - slipped**2))


@lru_cache(maxsize=64)
def _millard_curves(numbers: tuple[float, ...]) -> tuple[BezierCurve, BezierCurve]:
    m0, m1, m3, d, y, at_vmax, near_vmax, isometric, far, near, most, concentric, eccentric = numbers
    xs = 0.95
    y1 = 1 - d * (xs - m1)
    length: list[Knot] = [
        (m0, y, 0.0), ((m0 + m1) / 2, y1 / 2, 1.25 * y1 / (m1 - m0)), ((m1 + xs) / 2, (1 + y1) / 2, d), (1.0, 1.0, 0.0),
        ((1.05 + m3) / 2, 0.5, -1 / (m3 - 0.05 - 1.05)), (m3, y, 0.0),
    ]  # fmt: skip
    velocity: list[Knot] = [
        (-1.0, 0.0, at_vmax), (-0.9, 0.05 * (near_vmax + at_vmax), near_vmax), (0.0, 1.0, isometric),
        (0.9, most - 0.05 * (near + far), near), (1.0, most, far),
    ]  # fmt: skip
    bends = [0.1 + 0.8 * concentric] * 2 + [0.1 + 0.8 * eccentric] * 2
    return BezierCurve(length, [0.9] * 5), BezierCurve(velocity, bends)


def _de_groote(numbers: Mapping[str, FloatArray], fibres: Fibres, compat: bool) -> FloatArray:
    x = (fibres.length - 1) / numbers["active_force_width_scale"] + 1
    bells = sum(height * np.exp(-0.5 * ((x - at) / (wide + more * x)) ** 2) for height, at, wide, more in _BELLS)
    d1, d2, d3, d4 = _GROOTE_VELOCITY
    pull = bells * (d1 * np.arcsinh(d2 * fibres.rate + d3) + d4)
    return np.asarray(pull if compat else pull * fibres.cosine)


#: Kind of a muscle, as documents call it -> the numbers that it has beside the common ones, with their defaults, and its strength.
MUSCLE_KINDS: Mapping[str, tuple[Mapping[str, float], Strength]] = {
    "Thelen2003Muscle": ({"KshapeActive": 0.45, "Af": 0.25, "Flen": 1.4}, _thelen),
    "Millard2012EquilibriumMuscle": (_MILLARD, _millard),
    "DeGrooteFregly2016Muscle": ({"active_force_width_scale": 1.0}, _de_groote),
}


def strengths(
    kinds: Sequence[str],
    numbers: Sequence[Mapping[str, float]],
    length_m: FloatArray,
    rate_m_s: FloatArray,
    *,
    compat: bool = False,
) -> FloatArray:
    """Compute the force that each muscle has at full activation.

    Parameters
    ----------
    kinds : Sequence[str]
        Of each of K muscles, one of `MUSCLE_KINDS`.
    numbers : Sequence[Mapping[str, float]]
        Of each muscle, those of `COMMON` and of its kind.
    length_m, rate_m_s : FloatArray
        (N, K), of the paths, m, and their lengthening velocity, m/s.
    compat : bool, optional
        Whether with OpenSim's slips in the cosine.

    Returns
    -------
    FloatArray
        (N, K), N, along the tendon, never negative; 0 for fibres that are too short.
    """
    out = np.zeros_like(length_m)
    for kind, (more, strength) in MUSCLE_KINDS.items():
        which = np.array([k for k, name in enumerate(kinds) if name == kind], dtype=int)
        if len(which):
            own = {name: np.array([numbers[k][name] for k in which]) for name in (*COMMON, *more)}
            fibres = _fibres(own, length_m[:, which], rate_m_s[:, which])
            values = own["max_isometric_force"] * strength(own, fibres, compat)
            out[:, which] = np.where(fibres.too_short, 0.0, np.maximum(values, 0.0))
    return out


def _fibres(numbers: Mapping[str, FloatArray], length_m: FloatArray, rate_m_s: FloatArray) -> Fibres:
    optimal, pennation = numbers["optimal_fiber_length"], numbers["pennation_angle_at_optimal"]
    across = optimal * np.sin(pennation)
    along = length_m - numbers["tendon_slack_length"]
    length = np.hypot(across, along)
    cosine = along / np.where(length > 0, length, 1.0)
    rate = rate_m_s * cosine / (optimal * numbers["max_contraction_velocity"])
    return Fibres(length / optimal, rate, cosine, np.sin(pennation), optimal, cosine < STEEPEST)
