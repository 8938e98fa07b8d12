"""How far joint wrenches can be off: first-order propagation of measurement and model errors.

With the loads x given by A(theta) x = b(theta), an error in parameter theta_j changes them by

    dx/dtheta_j = A^-1 (db/dtheta_j - dA/dtheta_j x)

The bracket is a force and a moment that act as if one were added to each segment; A^-1 is the same sum up the chain that
solved for x. The covariance of x in one frame is J S J' with the covariance S of the parameters.

Noise is drawn anew in every frame. A bias - a misplaced joint centre, a wrong mass - is one draw for all frames: it shifts
whole curves and does not average out, so it must be kept apart (`Uncertainty.sd_of_mean`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, matvec_transposed
from biomech_id.dynamics.loads import ChainLoads
from biomech_id.dynamics.recursion import joint_wrenches
from biomech_id.errors import InvalidValueError
from biomech_id.uncertainty.sources import Effect, ErrorSource, Nominal


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Covariance of the joint wrenches of a chain, and where it comes from.

    Unknowns are ordered as in the block system: force (laboratory axes, N) and moment about the joint centre (axes of the
    segment distal to the joint, N m) of each joint, distal to proximal.

    Attributes
    ----------
    sources : what was propagated.
    jacobians : name of a source -> (N, 6n, p), change of the unknowns per unit of each of its p parameters.
    """

    sources: Mapping[str, ErrorSource]
    jacobians: Mapping[str, FloatArray]

    def covariance_from(self, source: str) -> FloatArray:
        """Covariance (N, 6n, 6n) that one source causes within each frame."""
        J = self.jacobians[source]
        return np.asarray(J @ self.sources[source].covariance @ np.swapaxes(J, -1, -2))

    @property
    def covariance(self) -> FloatArray:
        """Covariance (N, 6n, 6n) of the unknowns within each frame, from all sources."""
        return np.asarray(sum(self.covariance_from(name) for name in self.sources))

    def sd_from(self, source: str) -> FloatArray:
        """Standard deviation (N, 6n) that one source causes: N and N m."""
        return _diagonal_root(self.covariance_from(source))

    @property
    def sd(self) -> FloatArray:
        """Standard deviation (N, 6n) from all sources: N and N m."""
        return _diagonal_root(self.covariance)

    def share(self, source: str) -> FloatArray:
        """Part (N, 6n) of the variance, 0 to 1, that one source causes; NaN where there is no variance."""
        total = self.sd**2
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(total > 0, self.sd_from(source) ** 2 / total, np.nan))

    def covariance_between(self, first: int, second: int) -> FloatArray:
        """Covariance (6n, 6n) of the unknowns of two frames: biases tie them together, noise does so only within a frame."""
        total = np.zeros((self._n_unknowns, self._n_unknowns))
        for name, source in self.sources.items():
            if source.kind == "bias" or first == second:
                J, covariance = self.jacobians[name], source.covariance
                total += J[first] @ (covariance if covariance.ndim == 2 else covariance[first]) @ J[second].T
        return total

    def sd_of_mean(self, weights: FloatArray) -> FloatArray:
        """Standard deviation (6n,) of a weighted sum over frames, with ``weights`` (N,): noise averages down, a bias does not."""
        variance = np.zeros(self._n_unknowns)
        for name, source in self.sources.items():
            if source.kind == "bias":
                J = np.einsum("f,fup->up", weights, self.jacobians[name])
                variance += np.einsum("up,pq,uq->u", J, source.covariance, J)
            else:
                variance += np.einsum("f,fuu->u", weights**2, self.covariance_from(name))
        return np.asarray(np.sqrt(variance))

    @property
    def _n_unknowns(self) -> int:
        return int(next(iter(self.jacobians.values())).shape[1])


def propagate_errors(loads: ChainLoads, sources: Sequence[ErrorSource]) -> Uncertainty:
    """First-order uncertainty of solved joint wrenches.

    Parameters
    ----------
    loads : the solution.
    sources : independent of each other, each with its own covariance (see `biomech_id.uncertainty.sources`).

    Raises
    ------
    InvalidValueError : no sources, two of one name, or one that names a segment the chain does not have.
    """
    names = [source.name for source in sources]
    if not names or len(set(names)) < len(names):
        raise InvalidValueError(
            f"Sources of error need different names, and there must be one at least: {names}.",
            value=names, expected="one or more sources with different names", where="propagate_errors",
        )  # fmt: skip
    nominal = Nominal(loads)
    jacobians = {}
    for source in sources:
        columns = [_columns(nominal, effect) for effect in source.effects(nominal)]
        jacobians[source.name] = np.concatenate(columns, axis=-1)
    return Uncertainty({source.name: source for source in sources}, jacobians)


def response(nominal: Nominal, effect: Effect) -> tuple[FloatArray, FloatArray]:
    """Change of the joint forces and moments from the forces and moments that an error seems to add.

    Returns
    -------
    force (..., N, n, 3), N, and moment (..., N, n, 3), N m, about the joint centres, laboratory axes: of the joint proximal to each
    segment; leading axes as in ``effect``.
    """
    chain = nominal.chain
    need = effect.force.copy(order="F"), effect.moment_com + cross(chain.com_lab_m, effect.force)
    return joint_wrenches(chain, need)


def _columns(nominal: Nominal, effect: Effect) -> FloatArray:
    """Change of the unknowns (N, 6n, p) by the p errors of an effect."""
    chain = nominal.chain
    force, moment = response(nominal, effect)
    # A segment that seems turned reads the moment in turned axes.
    moment = matvec_transposed(chain.R_lab_seg, moment - cross(effect.turn, nominal.moment))
    return np.moveaxis(np.stack([force, moment], axis=-2).reshape(-1, chain.n_frames, 6 * chain.n_segments), 0, -1)


def _diagonal_root(covariance: FloatArray) -> FloatArray:
    return np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
