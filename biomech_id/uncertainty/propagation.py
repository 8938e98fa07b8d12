"""How far joint moments can be off: first-order propagation of measurement and model errors.

With the loads x given by A(theta) x = b(theta), an error in parameter theta_j changes them by ::

    dx/dtheta_j = A^-1 (db/dtheta_j - dA/dtheta_j x)

The bracket is a force and a moment that act as if one were added to each segment; A^-1 is the same sum up the chain that
solved for x. Errors of a covariance S = L L' are as good as independent errors of one standard deviation along the columns of L,
so that the variance of whatever follows linearly from x is the sum of their squares.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """Return what the errors of several independent sources do, one after the other.

    Parameters
    ----------
    nominal : Nominal
        The solution that errors are added to.
    sources : Sequence[ErrorSource]
        Independent of each other.
    """
    each = [_deviation(nominal, source) for source in sources]
    return Deviation(*(np.concatenate(arrays) for arrays in zip(*each, strict=True)))


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


def _deviation(nominal: Nominal, source: ErrorSource) -> Deviation:
    shape = nominal.chain.com_lab_m.shape
    shapes = (*[shape] * 3, *[(shape[0], 3)] * 2)
    responses = [
        (response(nominal, e)[1], e.turn, e.spin, e.base_turn, e.base_spin) for e in source.effects(nominal)
    ]  # fmt: skip
    together = (
        np.concatenate([array.reshape(-1, *shape) for array in arrays])
        for shape, arrays in zip(shapes, zip(*responses, strict=True), strict=True)
    )
    return Deviation(*(_independent(source.covariance, array) for array in together))


def _independent(covariance: FloatArray, changes: FloatArray) -> FloatArray:
    """Changes (p, ...) by unit errors of a covariance (p, p), as changes by independent errors of one standard deviation.

    Summed without a library for linear algebra, whose order of adding depends on its number of threads.
    """
    sd = np.sqrt(np.diag(covariance))
    if np.array_equal(covariance, np.diag(np.diag(covariance))):
        return sd.reshape(-1, *[1] * (changes.ndim - 1)) * changes
    size, axes = np.linalg.eigh(covariance)
    return np.asarray(np.einsum("pq,p...->q...", axes * np.sqrt(np.maximum(size, 0.0)), changes, optimize=False))
