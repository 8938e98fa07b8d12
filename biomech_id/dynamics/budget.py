"""Where a joint moment comes from: the same equations, one right-hand side for each cause.

The system is linear in its right-hand side, so gravity, inertia and each external wrench contribute separately:

    external          -F_ext, -M_ext                       (by `External.part`; the ground is "ground_reaction")
    gravity           -m g                                 at the centre of mass
    linear_inertia     m a                                 at the centre of mass
    angular_inertia    I alpha
    gyroscopic         omega x I omega

The parts sum to the joint wrench; each is itself a force and a moment about the joint centre.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, matvec
from biomech_id.conventions import BUDGET_PARTS
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.loads import ChainLoads
from biomech_id.dynamics.recursion import Need, joint_wrenches, subtract_external, sum_up


def budget_of(chain: Chain, external: Sequence[External], gravity: FloatArray, inertial: Need) -> dict[str, ChainLoads]:
    """Part -> joint wrenches caused by that part alone.

    The parts of `conventions.BUDGET_PARTS` are always there and come first, in that order.

    Parameters
    ----------
    chain, external : as for `newton_euler.solve`.
    gravity : broadcasts over (N, n, 3), m/s2, laboratory axes.
    inertial : I alpha and omega x I omega, as from `recursion.inertial_moments`.
    """
    angular, gyroscopic = inertial
    parts = {
        "gravity": _caused_by_forces(chain, -gravity),
        "linear_inertia": _caused_by_forces(chain, chain.com_acceleration_lab_m_s2),
        "angular_inertia": _caused_by_moments(chain, angular),
        "gyroscopic": _caused_by_moments(chain, gyroscopic),
    }
    for part in dict.fromkeys(["ground_reaction", *(load.part for load in external)]):
        parts[part] = _caused_from_outside(chain, [load for load in external if load.part == part])
    order = (*BUDGET_PARTS, *(part for part in parts if part not in BUDGET_PARTS))
    return {part: parts[part] for part in order}


def _caused_by_forces(chain: Chain, acceleration: FloatArray) -> ChainLoads:
    """Of forces m x acceleration at the centres of mass."""
    force = np.empty(chain.com_lab_m.shape, order="F")
    np.multiply(chain.mass_kg[:, None], acceleration, out=force)
    return ChainLoads(chain, *joint_wrenches(chain, (force, cross(chain.com_lab_m, force))))


def _caused_by_moments(chain: Chain, moment_seg: FloatArray) -> ChainLoads:
    """Of moments in segment axes; a moment needs no force and is the same about any point."""
    moment = matvec(chain.R_lab_seg, moment_seg)
    sum_up(chain, moment)
    moment.flags.writeable = False
    return ChainLoads(chain, 0.0 * moment, moment)  # zero, and missing where the moment is


def _caused_from_outside(chain: Chain, external: Sequence[External]) -> ChainLoads:
    need = np.zeros(chain.com_lab_m.shape, order="F"), np.zeros(chain.com_lab_m.shape, order="F")
    subtract_external(chain, external, need)
    return ChainLoads(chain, *joint_wrenches(chain, need))
