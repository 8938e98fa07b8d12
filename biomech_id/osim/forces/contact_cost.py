"""Muscle forces whose effort counts what joints carry: an option with a name, and never what is computed unasked.

Of each row, with w what a body weight in a joint costs ::

    min sum a^2 + w sum (contact force / body weight)   with   G a = tau,   low <= a <= high

each contact force along the direction that it has at the least effort without it: it is linear in a then, for the same solver. In
one person with a force-measuring knee w = 0.4 brought the second peak from 4.45 to 2.55 body weights (2.0 were measured), and the
activations further from the muscles' signals: it was fitted to that person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biomech_id.arguments import a, a_quantity, a_str, each, takes
from biomech_id.errors import OptionError
from biomech_id.osim.forces.joint_reactions import WEIGHT_OF_KG, size_gradient
from biomech_id.osim.forces.least_effort import least_effort_along
from biomech_id.osim.forces.static_optimisation import MuscleForces


@takes(
    muscle_forces=a(MuscleForces, "static_optimisation returns them"), joints=each(a_str()), weight=a_quantity(0.0, 100.0),
)  # fmt: skip
def with_contact_cost(muscle_forces: MuscleForces, *, joints: Sequence[str], weight: float) -> MuscleForces:
    """Find the muscle forces of least effort anew, with what joints carry in the cost.

    Parameters
    ----------
    muscle_forces : MuscleForces
        With the exponent 2.
    joints : Sequence[str]
        Names of joints whose contact forces count.
    weight : float
        What a body weight in one of them costs; 0 changes nothing.

    Returns
    -------
    MuscleForces
        Of the same rows; ``contact_cost`` is the weight. Bands are not known for them.

    Raises
    ------
    OptionError
        Another exponent than 2.
    UnknownNameError
        A joint that the model does not have.
    """
    if muscle_forces.exponent != 2:
        raise OptionError(
            f"A contact force in the cost is known beside the exponent 2, not beside {muscle_forces.exponent:g}.",
            value=muscle_forces.exponent, expected="2", where="exponent",
        )  # fmt: skip
    eq, rows = muscle_forces.equations, np.flatnonzero(~muscle_forces.infeasible)
    press = size_gradient(muscle_forces, joints)[rows].sum(axis=1) / (WEIGHT_OF_KG * eq.actuated.model.mass_kg)
    strength, controls, price = eq.strength[rows], muscle_forces.activation.copy(), muscle_forces.price.copy()
    controls[rows], price[rows] = least_effort_along(
        eq.arms[rows] * strength[:, None], eq.tau[rows], eq.actuated.bounds, -weight * press * strength, price[rows]
    )
    return replace(muscle_forces, activation=controls, force=controls * eq.strength, price=price, contact_cost=weight)
