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

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, matvec
from biomech_id.conventions import BUDGET_PARTS, GRAVITY_LAB_M_S2
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External, check_external, gravity_of
from biomech_id.dynamics.loads import ChainLoads
from biomech_id.dynamics.recursion import Need, inertial_moment, joint_wrenches


def budget_of(
    chain: Chain, external: Iterable[External] = (), *, gravity_lab_m_s2: ArrayLike = GRAVITY_LAB_M_S2
) -> dict[str, ChainLoads]:
    """Part -> joint wrenches caused by that part alone; parameters and errors as for `newton_euler.solve`.

    The parts of `conventions.BUDGET_PARTS` are always there and come first.
    """
    gravity = gravity_of(chain, gravity_lab_m_s2)
    needs = _external_parts(chain, check_external(chain, external))
    angular, gyroscopic = inertial_moment(chain)
    needs["gravity"] = _at_com(chain, -gravity)
    needs["linear_inertia"] = _at_com(chain, chain.com_acceleration_lab_m_s2)
    needs["angular_inertia"] = (_zeros(chain), matvec(chain.R_lab_seg, angular))
    needs["gyroscopic"] = (_zeros(chain), matvec(chain.R_lab_seg, gyroscopic))
    order = (*BUDGET_PARTS, *(part for part in needs if part not in BUDGET_PARTS))
    return {part: ChainLoads(chain, *joint_wrenches(chain, needs[part])) for part in order}


def _external_parts(chain: Chain, external: Iterable[External]) -> dict[str, Need]:
    parts: dict[str, Need] = {"ground_reaction": (_zeros(chain), _zeros(chain))}
    for load in external:
        force, moment = parts.setdefault(load.part, (_zeros(chain), _zeros(chain)))
        i = chain.index(load.segment)
        external_force, external_moment = load.at_origin()
        force[:, i] -= external_force
        moment[:, i] -= external_moment
    return parts


def _at_com(chain: Chain, acceleration: FloatArray) -> Need:
    force = chain.mass_kg[:, None] * (acceleration + _zeros(chain))
    return force, cross(chain.com_lab_m, force)


def _zeros(chain: Chain) -> FloatArray:
    return np.zeros(chain.com_lab_m.shape, order="F")
