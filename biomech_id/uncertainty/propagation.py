"""How far joint moments can be off: first-order propagation of measurement and model errors.

With the loads x given by A(theta) x = b(theta), an error in parameter theta_j changes them by ::

    dx/dtheta_j = A^-1 (db/dtheta_j - dA/dtheta_j x)

The bracket is a force and a moment that act as if one were added to each segment; A^-1 is the same sum up the chain that
solved for x. Errors of a covariance S = L L' are as good as independent errors of one standard deviation along the columns of L,
so that the variance of whatever follows linearly from x is the sum of their squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import NamedTuple

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross
from biomech_id.dynamics.recursion import joint_wrenches
from biomech_id.uncertainty.sources import Effect, ErrorSource, Nominal


class Deviation(NamedTuple):
    """What p independent errors of one standard deviation do to every joint of a chain; (p, N, n, 3), laboratory axes.

    ``moment`` is N m about the joint centres, ``turn`` rad, ``spin`` rad/s; the last two belong to the segments, and with (p, N, 3)
    to the base.
    """

    moment: FloatArray
    turn: FloatArray
    spin: FloatArray
    base_turn: FloatArray
    base_spin: FloatArray


def deviation(nominal: Nominal, sources: Sequence[ErrorSource]) -> Deviation:
    """Return what the errors of several independent sources do.

    Parameters
    ----------
    nominal : Nominal
        The solution that errors are added to.
    sources : Sequence[ErrorSource]
        Each independent of the others.

    Returns
    -------
    Deviation
        One standard deviation each, one after the other.
    """
    units = unit_deviation(nominal, unit_effects(nominal, sources))
    return Deviation(*(np.moveaxis(independent(sources, np.moveaxis(unit, 0, -1)), -1, 0) for unit in units))


def unit_effects(nominal: Nominal, sources: Sequence[ErrorSource]) -> Effect:
    """Return what a unit of every parameter of several sources seems to add.

    Parameters
    ----------
    nominal : Nominal
        The solution that errors are added to.
    sources : Sequence[ErrorSource]
        The sources whose parameters are meant.

    Returns
    -------
    Effect
        Its leading axis counts the parameters, source after source.
    """
    each = [effect for source in sources for effect in source.effects(nominal)]
    return Effect(*(np.concatenate([getattr(effect, field.name) for effect in each]) for field in fields(Effect)))


def unit_deviation(nominal: Nominal, effects: Effect) -> Deviation:
    """Return what unit errors do, all at once.

    Parameters
    ----------
    nominal : Nominal
        The solution that errors are added to.
    effects : Effect
        What `unit_effects` returned for some sources.

    Returns
    -------
    Deviation
        Its leading axis counts the errors as ``effects`` does.
    """
    moment = response(nominal, effects)[1]
    return Deviation(moment, effects.turn, effects.spin, effects.base_turn, effects.base_spin)


def independent(sources: Sequence[ErrorSource], changes: FloatArray) -> FloatArray:
    """Return changes by correlated errors as changes by independent ones.

    Each matrix is small, and so is summed in one order whatever the number of threads.

    Parameters
    ----------
    sources : Sequence[ErrorSource]
        Whose parameters the p are, one after the other.
    changes : FloatArray
        (..., p), by a unit of each parameter.

    Returns
    -------
    FloatArray
        (..., p), by independent errors of one standard deviation.
    """
    independent_changes = changes * np.sqrt(np.concatenate([np.diag(source.covariance) for source in sources]))
    first = 0
    for source in sources:
        part = slice(first, first + len(source.covariance))
        first = part.stop
        if not np.array_equal(source.covariance, np.diag(np.diag(source.covariance))):
            size, axes = np.linalg.eigh(source.covariance)
            independent_changes[..., part] = changes[..., part] @ (axes * np.sqrt(np.maximum(size, 0.0)))
    return np.asarray(independent_changes)


def response(nominal: Nominal, effect: Effect) -> tuple[FloatArray, FloatArray]:
    """Change of the joint forces and moments from the forces and moments that an error seems to add.

    Parameters
    ----------
    nominal : Nominal
        The solution that errors are added to.
    effect : Effect
        What an error seems to add.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        Force (..., N, n, 3), N, and moment (..., N, n, 3), N m, about the joint centres, laboratory axes: of the joint proximal to
        each segment; leading axes as in ``effect``.
    """
    chain = nominal.chain
    need = effect.force.copy(order="F"), effect.moment_com + cross(chain.com_lab_m, effect.force)
    return joint_wrenches(chain, need)
