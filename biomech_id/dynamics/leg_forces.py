"""Muscle forces and contact forces of one leg of a tracked body, values that a body model with muscles makes, and how."""

from __future__ import annotations

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.values import dataclass

#: How strong muscles are: scaled by mass over length (`osim.forces.leg_forces.scaled_actuators`), or as the model's file says.
STRENGTHS = ("mass-length", "model")


@dataclass(frozen=True)
class ForceOptions:
    """How muscle forces are found.

    Attributes
    ----------
    exponent : float, optional
        Of the effort, from 2; bands are known for 2.
    reserve_Nm : float, optional
        Moment of a reserve at a control of 1, N m; 0 for none on what muscles move.
    strength : str, optional
        Table of muscle strengths, one of `STRENGTHS`.
    knee_cost : float, optional
        What a body weight in a knee costs beside the activations; 0 for nothing.
    """

    exponent: float = 2.0
    reserve_Nm: float = 1.0
    strength: str = "mass-length"
    knee_cost: float = 0.0


@compact_repr
@dataclass(frozen=True, eq=False)
class Banded:
    """Curves in n frames with an error band and a near-optimal range; NaN where nothing is known.

    Attributes
    ----------
    value : FloatArray
        (n, K), newtons; NaN in frames without a solution.
    sd : FloatArray
        (n, K), one standard deviation, N; NaN for another effort than squares of activations.
    least, most : FloatArray
        (n, K), ends of what 5 % more effort of the leg's muscles allows, N; NaN as ``sd``.
    """

    value: FloatArray
    sd: FloatArray
    least: FloatArray
    most: FloatArray


@compact_repr
@dataclass(frozen=True, eq=False)
class LegForces:
    """Forces of least effort in one leg, n frames, K muscles, J joints; NaN in frames in which the leg's loads are not known.

    Attributes
    ----------
    muscles : tuple[str, ...]
        Names of the leg's muscles in the model.
    activation : FloatArray
        (n, K), without unit.
    at_limit : BoolArray
        (n, K), whether a muscle's activation is at its largest.
    force : Banded
        (n, K), along the tendon.
    joints : tuple[str, ...]
        "hip", "knee", "ankle".
    contact_N : FloatArray
        (n, J, 3), contact force ON the bone below, in the axes of that bone: X anterior, Y proximal, Z to the right.
    contact : Banded
        (n, J), its size; range along its own direction.
    intersegmental_N : FloatArray
        (n, J), size of the force of inverse dynamics, without muscles.
    reserve_share : FloatArray
        (n, J), largest part that reserves carry of a moment of the joint, over the largest size of that moment in the trial.
    residual_N : FloatArray
        (n,), size of the force that nothing explains at the model's root; NaN where a foot's load is not known.
    weight_N : float
        Weight of the model.
    """

    muscles: tuple[str, ...]
    activation: FloatArray
    at_limit: BoolArray
    force: Banded
    joints: tuple[str, ...]
    contact_N: FloatArray
    contact: Banded
    intersegmental_N: FloatArray
    reserve_share: FloatArray
    residual_N: FloatArray
    weight_N: float
