"""What can be wrong in an inverse dynamics, each as the force and moment it seems to add to a segment.

A source has p parameters with a joint covariance and is either "noise", drawn anew in every frame, or a "bias", one draw for
all frames. For each parameter it states its first-order `Effect`: the change of db/dtheta - dA/dtheta x (see
`biomech_id.uncertainty.propagation`), a force and a moment about the centre of mass for every segment.

Directions are laboratory axes or the axes of a segment: a joint centre misplaced in the pelvis turns with the pelvis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.skew import skew
from biomech_id.algebra.vectors import cross, matvec
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.loads import ChainLoads
from biomech_id.errors import InvalidValueError

#: An error drawn anew in each frame, or one that stays.
Kind = Literal["noise", "bias"]


@dataclass(frozen=True, eq=False)
class Nominal:
    """The solution around which errors are propagated.

    Attributes
    ----------
    loads : joint wrenches of the chain.
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
        """M (a - g) (N, n, 3), N, laboratory axes: the sum of joint and external forces on each segment."""
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
        """T (N, n, 3, 3), N m, laboratory axes: turning a tensor by a small dphi changes I alpha + omega x I omega by T dphi.

        With dI = S(dphi) I - I S(dphi) that is T = I S(alpha) - S(I alpha) + S(omega) (I S(omega) - S(I omega)).
        """
        inertia, omega = self.inertia_lab_kgm2, skew(self.chain.omega_lab_rad_s)
        spinning = inertia @ omega - skew(self.angular_momentum)
        return np.asfortranarray(inertia @ skew(self.chain.alpha_lab_rad_s2) - skew(self.inertia_alpha) + omega @ spinning)

    def inertia_times(self, i: int, v_lab: FloatArray) -> FloatArray:
        """I v (..., N, 3) of segment i for vectors in laboratory axes, result in laboratory axes."""
        return matvec(self.inertia_lab_kgm2[:, i], v_lab)

    def direction(self, axes: str, k: int) -> FloatArray:
        """Unit vectors (N, 3), laboratory components, along axis k of "lab" or of a segment."""
        if axes == "lab":
            return np.broadcast_to(np.eye(3)[k], (self.chain.n_frames, 3))
        return self.chain.R_lab_seg[:, self.chain.index(axes), :, k]

    def directions(self, axes: str) -> FloatArray:
        """All three of `direction`, (3, N, 3): the first axis counts them."""
        return np.stack([self.direction(axes, k) for k in range(3)])


@dataclass(frozen=True, eq=False)
class Effect:
    """What a unit error seems to add to every segment; several errors at once have a leading axis that counts them.

    Attributes
    ----------
    force : (N, n, 3), N, laboratory axes.
    moment_com : (N, n, 3), N m, about each centre of mass, laboratory axes.
    turn : (N, n, 3), rad, by which each segment's axes seem turned, laboratory axes.
    spin : (N, n, 3), rad/s, by which each segment's angular velocity seems changed, laboratory axes.
    """

    force: FloatArray
    moment_com: FloatArray
    turn: FloatArray
    spin: FloatArray

    @classmethod
    def none_on(cls, chain: Chain, *errors: int) -> Effect:
        """All zero, to be filled in; with a number of ``errors``, that many at once."""
        return cls(*(np.zeros((*errors, *chain.com_lab_m.shape), order="F") for _ in range(4)))

    def part(self, errors: slice) -> Effect:
        """Some of several errors, as views: what is added to the part is added to the whole."""
        return Effect(self.force[errors], self.moment_com[errors], self.turn[errors], self.spin[errors])


@dataclass(frozen=True, eq=False)
class ErrorSource:
    """One cause of error.

    Attributes
    ----------
    name : for tables: "knee joint centre".
    kind : "noise" or "bias".
    covariance : (p, p) of its parameters, or (N, p, p) for noise whose size changes from frame to frame.
    effects : the first-order effect of a unit of each parameter on a solution, one by one or several at once.
    """

    name: str
    kind: Kind
    covariance: FloatArray
    effects: Callable[[Nominal], Iterator[Effect]]

    def __post_init__(self) -> None:
        if self.kind not in ("noise", "bias") or (self.kind == "bias" and self.covariance.ndim != 2):
            raise InvalidValueError(
                f"The source {self.name!r} is {self.kind!r} with a covariance of shape {self.covariance.shape}.",
                value=self.kind, expected="'noise', or 'bias' with one (p, p) covariance", where=self.name,
            )  # fmt: skip


def joint_centre(segment: str, sd_m: ArrayLike, *, kind: Kind, axes: str = "lab", name: str = "") -> ErrorSource:
    """The proximal joint centre of a segment, (3,) or one standard deviation in metres along ``axes``.

    It enters the moments of both segments that meet there.
    """

    def effects(nominal: Nominal) -> Iterator[Effect]:
        i = nominal.chain.index(segment)
        for k in range(3):
            effect = Effect.none_on(nominal.chain)
            move_joint(nominal, effect, i, nominal.direction(axes, k))
            yield effect

    return ErrorSource(name or f"{segment} joint centre", kind, _diagonal(sd_m, 3), effects)


def centre_of_mass(segment: str, sd_m: ArrayLike, *, kind: Kind, axes: str = "lab", name: str = "") -> ErrorSource:
    """The centre of mass of a segment, metres; its acceleration is a source of its own."""

    def effects(nominal: Nominal) -> Iterator[Effect]:
        i = nominal.chain.index(segment)
        for k in range(3):
            effect = Effect.none_on(nominal.chain)
            effect.moment_com[:, i] = cross(nominal.direction(axes, k), nominal.momentum_rate[:, i])
            yield effect

    return ErrorSource(name or f"{segment} centre of mass", kind, _diagonal(sd_m, 3), effects)


def mass(segment: str, relative_sd: float, *, kind: Kind = "bias", name: str = "") -> ErrorSource:
    """The mass of a segment, as a fraction of it."""

    def effects(nominal: Nominal) -> Iterator[Effect]:
        i = nominal.chain.index(segment)
        effect = Effect.none_on(nominal.chain)
        effect.force[:, i] = nominal.momentum_rate[:, i]
        yield effect

    return ErrorSource(name or f"{segment} mass", kind, _diagonal(relative_sd, 1), effects)


def inertia(segment: str, relative_sd: float, *, kind: Kind = "bias", name: str = "") -> ErrorSource:
    """The inertia tensor of a segment, all of it by one factor, as a fraction."""

    def effects(nominal: Nominal) -> Iterator[Effect]:
        chain, i = nominal.chain, nominal.chain.index(segment)
        effect = Effect.none_on(chain)
        effect.moment_com[:, i] = nominal.inertia_alpha[:, i] + cross(chain.omega_lab_rad_s[:, i], nominal.angular_momentum[:, i])
        yield effect

    return ErrorSource(name or f"{segment} inertia", kind, _diagonal(relative_sd, 1), effects)


def acceleration(segment: str, sd_m_s2: ArrayLike, *, kind: Kind = "noise", name: str = "") -> ErrorSource:
    """The acceleration of a centre of mass, m/s2, laboratory axes."""

    def effects(nominal: Nominal) -> Iterator[Effect]:
        i = nominal.chain.index(segment)
        for k in range(3):
            effect = Effect.none_on(nominal.chain)
            effect.force[:, i] = nominal.chain.mass_kg[i] * nominal.direction("lab", k)
            yield effect

    return ErrorSource(name or f"{segment} acceleration", kind, _diagonal(sd_m_s2, 3), effects)


def angular_velocity(segment: str, sd_rad_s: ArrayLike, *, kind: Kind = "noise", name: str = "") -> ErrorSource:
    """The angular velocity of a segment, rad/s, laboratory axes."""

    def effects(nominal: Nominal) -> Iterator[Effect]:
        i = nominal.chain.index(segment)
        for k in range(3):
            effect = Effect.none_on(nominal.chain)
            effect.spin[:, i] = nominal.direction("lab", k)
            effect.moment_com[:, i] = gyroscopic_change(nominal, i, effect.spin[:, i])
            yield effect

    return ErrorSource(name or f"{segment} angular velocity", kind, _diagonal(sd_rad_s, 3), effects)


def angular_acceleration(segment: str, sd_rad_s2: ArrayLike, *, kind: Kind = "noise", name: str = "") -> ErrorSource:
    """The angular acceleration of a segment, rad/s2, laboratory axes."""

    def effects(nominal: Nominal) -> Iterator[Effect]:
        i = nominal.chain.index(segment)
        for k in range(3):
            effect = Effect.none_on(nominal.chain)
            effect.moment_com[:, i] = nominal.inertia_times(i, nominal.direction("lab", k))
            yield effect

    return ErrorSource(name or f"{segment} angular acceleration", kind, _diagonal(sd_rad_s2, 3), effects)


def segment_angle(segment: str, sd_rad: ArrayLike, *, kind: Kind, axes: str = "lab", name: str = "") -> ErrorSource:
    """The orientation of a segment: it seems turned by a small angle (rad) about ``axes`` through its frame's origin.

    The tensor and the centre of mass turn with it, and so do the axes the joint moment is written in; its joint centres and
    its rates do not.
    """

    def effects(nominal: Nominal) -> Iterator[Effect]:
        i = nominal.chain.index(segment)
        arm = nominal.chain.com_lab_m[:, i] - nominal.chain.motions[i].frames.origin_lab_m
        for k in range(3):
            turn = nominal.direction(axes, k)
            effect = Effect.none_on(nominal.chain)
            effect.turn[:, i] = turn
            effect.moment_com[:, i] = turned_inertia(nominal, i, turn) + cross(cross(turn, arm), nominal.momentum_rate[:, i])
            yield effect

    return ErrorSource(name or f"{segment} angle", kind, _diagonal(sd_rad, 3), effects)


def external_force(index: int, sd_N: ArrayLike, *, kind: Kind, name: str = "external force") -> ErrorSource:
    """The force of an external wrench (its place among those solved with), N, laboratory axes, at the wrench's own point."""

    def effects(nominal: Nominal) -> Iterator[Effect]:
        load = _external(nominal, index, name)
        i = nominal.chain.index(load.segment)
        for k in range(3):
            effect = Effect.none_on(nominal.chain)
            direction = nominal.direction("lab", k)
            effect.force[:, i] = -direction
            effect.moment_com[:, i] = -cross(load.wrench.point_lab_m - nominal.chain.com_lab_m[:, i], direction)
            yield effect

    return ErrorSource(name, kind, _diagonal(sd_N, 3), effects)


def external_point(index: int, sd_m: ArrayLike, *, kind: Kind, name: str = "centre of pressure") -> ErrorSource:
    """The point an external wrench is about, metres, laboratory axes: for a wrench about it, the centre of pressure."""

    def effects(nominal: Nominal) -> Iterator[Effect]:
        load = _external(nominal, index, name)
        i = nominal.chain.index(load.segment)
        force = load.at_origin()[0]
        for k in range(3):
            effect = Effect.none_on(nominal.chain)
            effect.moment_com[:, i] = -cross(nominal.direction("lab", k), force)
            yield effect

    return ErrorSource(name, kind, _diagonal(sd_m, 3), effects)


def external_moment(index: int, sd_Nm: ArrayLike, *, kind: Kind, name: str = "external moment") -> ErrorSource:
    """The moment of an external wrench about its own point, N m, laboratory axes: a plate's free moment, say."""

    def effects(nominal: Nominal) -> Iterator[Effect]:
        i = nominal.chain.index(_external(nominal, index, name).segment)
        for k in range(3):
            effect = Effect.none_on(nominal.chain)
            effect.moment_com[:, i] = -nominal.direction("lab", k)
            yield effect

    return ErrorSource(name, kind, _diagonal(sd_Nm, 3), effects)


def gyroscopic_change(nominal: Nominal, i: int, change: FloatArray) -> FloatArray:
    """Change of omega x I omega (N, 3), N m, laboratory axes, of segment i by a change of omega (N, 3), rad/s."""
    omega = nominal.chain.omega_lab_rad_s[:, i]
    return cross(change, nominal.angular_momentum[:, i]) + cross(omega, nominal.inertia_times(i, change))


def turned_inertia(nominal: Nominal, i: int, turn: FloatArray) -> FloatArray:
    """Change of I alpha + omega x I omega (..., N, 3), N m, laboratory axes, by turning the tensor of segment i (..., N, 3) rad."""
    return matvec(nominal.inertia_turning[:, i], turn)


def move_joint(nominal: Nominal, effect: Effect, i: int, shift: FloatArray) -> None:
    """Add to ``effect`` that of moving the proximal joint centre of segment i by (..., N, 3) m."""
    lever = cross(shift, nominal.force[:, i])
    effect.moment_com[..., i, :] -= lever
    parent = nominal.chain.parents[i]
    if parent >= 0:
        effect.moment_com[..., parent, :] += lever


def _external(nominal: Nominal, index: int, name: str) -> External:
    if not 0 <= index < len(nominal.loads.external):
        raise InvalidValueError(
            f"The source {name!r} asks for external wrench {index} of {len(nominal.loads.external)}.",
            value=index, expected=f"0 to {len(nominal.loads.external) - 1}", where=name,
        )  # fmt: skip
    return nominal.loads.external[index]


def _diagonal(sd: ArrayLike, p: int) -> FloatArray:
    return np.diag(np.broadcast_to(np.asarray(sd, dtype=np.float64), (p,)) ** 2)
