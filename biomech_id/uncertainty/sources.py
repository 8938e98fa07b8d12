"""What can be wrong in an inverse dynamics, each as the force and moment it seems to add to a segment.

A source of error has p parameters with a joint covariance. For each parameter it states its first-order `Effect`: the change of
db/dtheta - dA/dtheta x (see `biomech_id.uncertainty.propagation`), a force and a moment about the centre of mass for every segment.
Whether it is a bias, one draw for all frames, or noise, drawn anew in each, is said of its column of ``uncertainty.csv`` (see
`biomech_id.conventions.NOISE_SOURCES`).

Directions are laboratory axes or the axes of a segment: a joint centre misplaced in the pelvis turns with the pelvis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.skew import skew
from biomech_id.algebra.vectors import cross, matvec
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.loads import ChainLoads
from biomech_id.values import dataclass, fields


@dataclass(frozen=True, eq=False)
class Nominal:
    """The solution around which errors are propagated.

    Attributes
    ----------
    loads : ChainLoads
        Joint wrenches of the chain, solved without any error.
    """

    loads: ChainLoads

    @property
    def chain(self) -> Chain:
        """The chain."""
        return self.loads.chain

    @property
    def force(self) -> FloatArray:
        """Joint forces (N, n, 3), N, laboratory axes."""
        return self.loads.force_lab_N

    @property
    def moment(self) -> FloatArray:
        """Joint moments (N, n, 3), N m, about the joint centres, laboratory axes."""
        return self.loads.moment_lab_Nm

    @cached_property
    def momentum_rate(self) -> FloatArray:
        """M (a - g) (N, n, 3), N, laboratory axes:
        the sum of joint and external forces on each segment.
        """
        total = self.force + 0.0
        for i, parent in enumerate(self.chain.parents):
            if parent >= 0:
                total[:, parent] -= self.force[:, i]
        for load in self.loads.external:
            total[:, self.chain.index(load.segment)] += load.at_origin()[0]
        return total

    @cached_property
    def inertia_lab_kgm2(self) -> FloatArray:
        """Tensors (N, n, 3, 3), kg m2, about the centres of mass, laboratory axes."""
        R = self.chain.R_lab_seg
        half = np.einsum("...ij,...jk->...ik", R, self.chain.inertia_kgm2)
        return np.asarray(np.einsum("...ik,...lk->...il", half, R))

    @cached_property
    def angular_momentum(self) -> FloatArray:
        """I omega (N, n, 3), kg m2/s, laboratory axes."""
        return matvec(self.inertia_lab_kgm2, self.chain.omega_lab_rad_s)

    @cached_property
    def inertia_alpha(self) -> FloatArray:
        """I alpha (N, n, 3), N m, laboratory axes."""
        return matvec(self.inertia_lab_kgm2, self.chain.alpha_lab_rad_s2)

    @cached_property
    def inertia_turning(self) -> FloatArray:
        """T (N, n, 3, 3), N m, laboratory axes:
        turning a tensor by a small dphi changes I alpha + omega x I omega by T dphi.

        With dI = S(dphi) I - I S(dphi) that is T = I S(alpha) - S(I alpha) + S(omega) (I S(omega) - S(I omega)).
        """
        inertia, omega = self.inertia_lab_kgm2, skew(self.chain.omega_lab_rad_s)
        spinning = inertia @ omega - skew(self.angular_momentum)
        return np.asfortranarray(inertia @ skew(self.chain.alpha_lab_rad_s2) - skew(self.inertia_alpha) + omega @ spinning)

    def inertia_times(self, i: int, v_lab: FloatArray) -> FloatArray:
        """Return the tensor of a segment times vectors.

        Parameters
        ----------
        i : int
            Index of the segment in the chain.
        v_lab : FloatArray
            (..., N, 3), laboratory axes.

        Returns
        -------
        FloatArray
            I v, (..., N, 3), laboratory axes.
        """
        return matvec(self.inertia_lab_kgm2[:, i], v_lab)

    def directions(self, axes: str) -> FloatArray:
        """Return unit vectors along the axes of "lab" or of a segment.

        Parameters
        ----------
        axes : str
            "lab" or the name of a segment.

        Returns
        -------
        FloatArray
            (3, N, 3), laboratory components; the first axis counts them.
        """
        if axes == "lab":
            return np.stack([np.broadcast_to(unit, (self.chain.n_frames, 3)) for unit in np.eye(3)])
        return np.stack([self.chain.R_lab_seg[:, self.chain.index(axes), :, k] for k in range(3)])


@dataclass(frozen=True, eq=False)
class Effect:
    """What a unit error seems to add to every segment; several errors at once have a leading axis that counts them.

    Attributes
    ----------
    force : FloatArray
        (N, n, 3), N, laboratory axes.
    moment_com : FloatArray
        (N, n, 3), N m, about each centre of mass, laboratory axes.
    turn : FloatArray
        (N, n, 3), rad, by which each segment's axes seem turned, laboratory axes.
    spin : FloatArray
        (N, n, 3), rad/s, by which each segment's angular velocity seems changed, laboratory axes.
    base_turn : FloatArray
        (N, 3), rad, by which the base that the chain hangs on seems turned, laboratory axes.
    base_spin : FloatArray
        (N, 3), rad/s, by which the base's angular velocity seems changed, laboratory axes.
    """

    force: FloatArray
    moment_com: FloatArray
    turn: FloatArray
    spin: FloatArray
    base_turn: FloatArray
    base_spin: FloatArray

    @classmethod
    def none_on(cls, chain: Chain, *errors: int) -> Effect:
        """Return effects that are all zero, to be filled in.

        Parameters
        ----------
        chain : Chain
            Segments and frames that give the shape.
        *errors : int
            Number of errors at once, as leading axis; none for a single one.

        Returns
        -------
        Effect
            (errors, N, n, 3), of the base (errors, N, 3), with as many leading axes as numbers were given.
        """
        segments = (np.zeros((*errors, *chain.com_lab_m.shape), order="F") for _ in range(4))
        return cls(*segments, *(np.zeros((*errors, chain.n_frames, 3), order="F") for _ in range(2)))

    def part(self, errors: slice) -> Effect:
        """Return some of several errors.

        Parameters
        ----------
        errors : slice
            Which of the leading axis.

        Returns
        -------
        Effect
            Views: what is added to the part is added to the whole.
        """
        return Effect(*(getattr(self, field.name)[errors] for field in fields(self)))


@dataclass(frozen=True, eq=False)
class ErrorSource:
    """One cause of error.

    Attributes
    ----------
    covariance : FloatArray
        (p, p) of its parameters.
    effects : Callable[[Nominal], Iterator[Effect]]
        The first-order effect of a unit of each parameter on a solution, one by one or several at once.
    """

    covariance: FloatArray
    effects: Callable[[Nominal], Iterator[Effect]]


def equal_errors(sd: float, errors: int, fill: Callable[[Nominal, Effect], None]) -> ErrorSource:
    """Return a source of independent errors of one size.

    Parameters
    ----------
    sd : float
        Standard deviation of each error.
    errors : int
        How many there are, the p of the source.
    fill : Callable[[Nominal, Effect], None]
        Adds the effects of a unit of each error to an `Effect` that is zero, whose leading axis counts them.

    Returns
    -------
    ErrorSource
        Covariance sd^2 times the identity.
    """

    def effects(nominal: Nominal) -> Iterator[Effect]:
        effect = Effect.none_on(nominal.chain, errors)
        fill(nominal, effect)
        yield effect

    return ErrorSource(sd**2 * np.eye(errors), effects)


def segment_errors(segment: str, sd: float, errors: int, fill: Callable[[Nominal, Effect, int], None]) -> ErrorSource:
    """Return a source of independent errors of one size that belong to a segment.

    Parameters
    ----------
    segment : str
        Name of the segment in the chain.
    sd : float
        Standard deviation of each error.
    errors : int
        How many there are, the p of the source.
    fill : Callable[[Nominal, Effect, int], None]
        As of `equal_errors`; takes besides the index of the segment.

    Returns
    -------
    ErrorSource
        Covariance sd^2 times the identity.
    """
    return equal_errors(sd, errors, lambda nominal, effect: fill(nominal, effect, nominal.chain.index(segment)))


def turned_inertia(nominal: Nominal, i: int, turn: FloatArray) -> FloatArray:
    """Return by how much turning a segment's tensor changes I alpha + omega x I omega.

    Parameters
    ----------
    nominal : Nominal
        The solution that errors are added to.
    i : int
        Index of the segment in the chain.
    turn : FloatArray
        (..., N, 3), rad, laboratory axes.

    Returns
    -------
    FloatArray
        (..., N, 3), N m, laboratory axes.
    """
    return matvec(nominal.inertia_turning[:, i], turn)


def move_joint(nominal: Nominal, effect: Effect, i: int, shift: FloatArray) -> None:
    """Add to an effect that of moving the proximal joint centre of a segment.

    Parameters
    ----------
    nominal : Nominal
        The solution that errors are added to.
    effect : Effect
        Filled in place: moments of the segment and of its parent.
    i : int
        Index of the segment in the chain.
    shift : FloatArray
        (..., N, 3), m, laboratory axes.
    """
    lever = cross(shift, nominal.force[:, i])
    effect.moment_com[..., i, :] -= lever
    parent = nominal.chain.parents[i]
    if parent >= 0:
        effect.moment_com[..., parent, :] += lever
