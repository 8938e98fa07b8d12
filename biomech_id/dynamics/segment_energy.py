"""Segment by segment: the power that comes through its joints and from the ground, against the rate of its energy.

Of every joint the power is taken that such a joint can pass on: the force goes with the joint's centre P, the moment with the
segment, ::

    m v . (a - g) + omega . (I omega)'  =  sum  F . (P' - s) + M . omega  +  power of the ground

s is by how much P slides in the segment, which only the body model knows: zero in every joint whose centre is fixed in both
segments, a knee's translation as a function of its flexion in an OpenSim model. What the two sides differ by is energy without
a source: a segment that changes its length, joint centres that drift in it. `selfcheck.energy_check` holds whatever the pose,
because it takes the velocity of the segment's own point at P; this one does not.

Closure alone says that a pose is consistent, not that it is where the subject was: what the markers are off says that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import dot
from biomech_id.anatomy import JOINTS, Part, proximal_part
from biomech_id.dynamics.loads import ChainLoads, JointLoads
from biomech_id.dynamics.selfcheck import energy_rate, power_of_external
from biomech_id.languages import Sentence
from biomech_id.signal.derivatives import quintic_derivatives


def energy_left_open_W(loads: JointLoads) -> dict[Part, FloatArray]:
    """Rate of energy of each leg segment that power through joints and ground leaves open.

    Parameters
    ----------
    loads : JointLoads
        The solution of a trial; NaN where it knows no load.

    Returns
    -------
    dict[Part, FloatArray]
        (side, segment) -> (n,), W; NaN where a load is not known, empty for a body without legs.
    """
    chain_loads, motion = loads.chain_loads, loads.motion
    if chain_loads is None:
        return {}
    left = _rates(chain_loads, motion.segments)
    for (side, joint), load in loads.items():
        if joint not in JOINTS:
            continue
        wrench = load.wrench
        (velocity,) = quintic_derivatives(np.asarray(wrench.point_lab_m), motion.rate_hz, (1,))
        slide = motion.joint_slides_lab_m_s.get((side, joint), 0.0)
        distal, proximal = (side, load.distal), proximal_part(side, joint)
        turn = {part: dot(wrench.moment_Nm, motion.motions[part].omega_lab_rad_s) for part in (distal, proximal)}
        left[distal] = left[distal] - dot(wrench.force_N, velocity) - turn[distal]
        if proximal in left:
            left[proximal] = left[proximal] + dot(wrench.force_N, velocity - slide) + turn[proximal]
    return left


def _rates(loads: ChainLoads, segments: Mapping[Part, object]) -> dict[Part, FloatArray]:
    """Rate of energy of each segment without what comes from outside, W."""
    rate = energy_rate(loads.chain, loads.gravity_lab_m_s2)
    names = {part: " ".join(part) for part in segments}
    rates = {part: rate[:, loads.chain.index(name)] for part, name in names.items() if name in loads.chain.names}
    for k, load in enumerate(loads.external):
        for part in rates:
            if names[part] == load.segment:
                rates[part] = rates[part] - power_of_external(loads, k)
    return rates


def energy_sentences(loads: JointLoads, body_mass_kg: float | None) -> Iterator[Sentence]:
    """State how much energy is left open in each segment, W/kg, and how far markers are off a fitted model, mm.

    Both are root mean squares over the frames that are known, for the history of a trial.

    Parameters
    ----------
    loads : JointLoads
        The solution of a trial.
    body_mass_kg : float | None
        Of the subject; None where it is not recorded: nothing is stated about energy.

    Yields
    ------
    Sentence
        At most two; none where nothing is known.
    """
    open_W = energy_left_open_W(loads) if body_mass_kg else {}
    known = {part: _rms(values) for part, values in open_W.items() if np.isfinite(values).any()}
    if known and body_mass_kg:
        per_kg = {part: value / body_mass_kg for part, value in known.items()}
        yield Sentence("energy-left-open", {"parts": _each("energy-of-part", per_kg)})
    off = {part: 1000.0 * _rms(values) for part, values in loads.motion.fit_residual_m.items() if np.isfinite(values).any()}
    if known and off:
        yield Sentence("markers-off-model", {"parts": _each("markers-of-part", off)})


def _each(rule: str, values: Mapping[Part, float]) -> tuple[Sentence, ...]:
    return tuple(Sentence(rule, {"side": side, "part": name, "value": value}) for (side, name), value in values.items())


def _rms(values: FloatArray) -> float:
    return float(np.sqrt(np.nanmean(np.square(values))))
