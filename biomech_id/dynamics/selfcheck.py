"""Checks that every run can make of its own dynamics, each one line to print.

The loads are found twice (recursion and block system), put back into the equations they came from, and asked for their power:
what joints, ground and base supply must equal the rate of change of the segments' mechanical energy, ::

    sum m v . (a - g) + omega . (I alpha + omega x I omega) = sum of joint powers + power at the base + power of the ground

which holds in every frame whatever the quality of the recording, because both sides take the same motion.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, dot, matvec
from biomech_id.dynamics.block_system import block_system
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.loads import ChainLoads, JointLoads
from biomech_id.dynamics.recursion import inertial_moments
from biomech_id.languages import Sentence
from biomech_id.values import dataclass

#: Rounding of double precision on forces of 1 kN and moments of 1 kN m is about 1e-12; a thousandfold is a mistake.
LIMIT_N_OR_NM = 1e-9
LIMIT_POWER = 1e-9
#: Coefficients of the block system that are held at a time: a long recording is checked in stretches of frames.
HELD_COEFFICIENTS = 4_000_000


@dataclass(frozen=True)
class SelfCheck:
    """One check and what came out.

    Attributes
    ----------
    name : str
        What was checked, in words.
    value : float
        The largest discrepancy found; NaN if there was nothing to check.
    unit : str
        Unit of ``value`` and ``limit``.
    limit : float
        The largest value that passes.
    """

    name: str
    value: float
    unit: str
    limit: float

    @property
    def verdict(self) -> str:
        """One of "passed", "failed" and "nothing to check"."""
        if np.isnan(self.value):
            return "nothing to check"
        return "passed" if self.value <= self.limit else "failed"

    @property
    def sentence(self) -> Sentence:
        """The check, for the history of a trial."""
        return Sentence("self-check", {**vars(self), "verdict": self.verdict})


def self_checks(loads: JointLoads) -> tuple[SelfCheck, ...]:
    """Run every check that the loads of a trial allow.

    Parameters
    ----------
    loads : JointLoads
        The solution of a trial.

    Returns
    -------
    tuple[SelfCheck, ...]
        Two of the block system and one of energy; empty if the body has no leg.
    """
    if loads.chain_loads is None:
        return ()
    return (*block_checks(loads.chain_loads), energy_check(loads))


def block_checks(loads: ChainLoads) -> tuple[SelfCheck, SelfCheck]:
    """Residual of the block system, and the loads against its direct solution.

    Parameters
    ----------
    loads : ChainLoads
        A chain and the joint wrenches solved for it.

    Returns
    -------
    tuple[SelfCheck, SelfCheck]
        Largest residual, and largest difference between the two solutions, N or N m.
    """
    chain = loads.chain
    step = max(1, HELD_COEFFICIENTS // (6 * chain.n_segments) ** 2)
    residuals, differences = [], []
    for first in range(0, chain.n_frames, step):
        frames = slice(first, first + step)
        system = block_system(chain, loads.external, gravity_lab_m_s2=loads.gravity_lab_m_s2, frames=frames)
        held = loads.force_lab_N[frames], loads.moment_lab_Nm[frames]
        residuals.append(_largest(system.residual(*held)))
        differences.append(_largest(np.stack(system.solve()) - held))
    return (
        SelfCheck("residual of the block system", _largest(np.array(residuals)), "N or N m", LIMIT_N_OR_NM),
        SelfCheck("recursion against block system", _largest(np.array(differences)), "N or N m", LIMIT_N_OR_NM),
    )


def energy_check(loads: JointLoads) -> SelfCheck:
    """Rate of mechanical energy of the legs against all power that goes into them.

    Parameters
    ----------
    loads : JointLoads
        The solution of a trial.

    Returns
    -------
    SelfCheck
        Largest gap over all frames, as a share of the largest power (at least 1 W); NaN without legs.
    """
    chain_loads = loads.chain_loads
    name = "rate of mechanical energy against sum of powers"
    if chain_loads is None:
        return SelfCheck(name, np.nan, "of the largest power", LIMIT_POWER)
    supplied = [load.power_rotational_W + load.power_translational_W for load in loads.values()]
    supplied += [_power_at_base(loads, side) for side in loads.motion.sides]
    supplied += [power_of_external(chain_loads, k) for k in range(len(chain_loads.external))]
    rate = energy_rate(chain_loads.chain, chain_loads.gravity_lab_m_s2)
    largest = max(_largest(np.stack(supplied)), _largest(rate))
    gap = _largest(np.sum(supplied, axis=0) - rate.sum(axis=1))
    return SelfCheck(name, gap / max(largest, 1.0), "of the largest power", LIMIT_POWER)


def energy_rate(chain: Chain, gravity: FloatArray) -> FloatArray:
    """Rate of change of every segment's kinetic and potential energy.

    Parameters
    ----------
    chain : Chain
        The segments, distal to proximal.
    gravity : FloatArray
        Broadcasts over (N, n, 3), laboratory axes, m/s2.

    Returns
    -------
    FloatArray
        (N, n), W.
    """
    angular, gyroscopic = inertial_moments(chain)
    torque = matvec(chain.R_lab_seg, angular + gyroscopic)
    linear = chain.mass_kg * dot(chain.com_velocity_lab_m_s, chain.com_acceleration_lab_m_s2 - gravity)
    return linear + dot(chain.omega_lab_rad_s, torque)


def _power_at_base(loads: JointLoads, side: str) -> FloatArray:
    hip, pelvis = loads[side, "hip"], loads.motion.motions["", "pelvis"]
    return hip.wrench.power(pelvis.velocity_of(hip.wrench.point_lab_m), pelvis.omega_lab_rad_s)


def power_of_external(loads: ChainLoads, k: int) -> FloatArray:
    """Power of an external wrench on the segment it acts on.

    Parameters
    ----------
    loads : ChainLoads
        The solution that holds the wrench and the chain.
    k : int
        Index of the wrench in ``loads.external``.

    Returns
    -------
    FloatArray
        (n,), W, positive where it supplies the segment with energy.
    """
    # About the origin: the twist of the segment is taken there too.
    chain, load = loads.chain, loads.external[k]
    motion = chain.motions[chain.index(load.segment)]
    force, moment = load.at_origin()
    velocity = motion.com_velocity_lab_m_s + cross(motion.omega_lab_rad_s, -motion.com_lab_m)
    return dot(force, velocity) + dot(moment, motion.omega_lab_rad_s)


def _largest(values: FloatArray) -> float:
    """Largest absolute value; NaN if none is finite."""
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else float("nan")
