"""A joint centre in the wrong place, in a body whose segments are drawn from joint to joint.

The centre is the proximal end of one segment and the distal end of the next. If it is off by d, each of the two is drawn
wrongly: with the end it keeps at Q, the end that moves at P and r = P - Q, ::

    turn of its axes        dphi = r x d / r.r               (no turn about its length)
    centre of mass          moves by the share s of d, where s = (c - Q).r / r.r

A model that finds each joint centre from the one before it carries the error on: an `ErrorCoupling` says how far the next centre
goes along, and how far the segment's axes turn about its length.

A segment without a second joint, the foot, moves with the joint and does not turn: its own axes are calibrated on the flat foot.

A *misplaced* centre rides with its segment: d is constant in segment axes, the angular velocities are right, and the centre of mass
is accelerated by s (alpha x d + omega x (omega x d)) too much. A *noisy* centre is drawn anew in each frame; its path is
differentiated, and d, d' and d'' are correlated with the differentiator's Gram matrix (see `biomech_id.uncertainty.recording`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, dot, matvec, matvec_transposed
from biomech_id.dynamics.chain import BASE, Chain
from biomech_id.dynamics.model_errors import NOISY_POINTS, ErrorCoupling
from biomech_id.uncertainty.sources import Effect, ErrorSource, Nominal, move_joint, segment_errors, turned_inertia
from biomech_id.values import dataclass


def misplaced_joint(segment: str, sd_m: float, couplings: Mapping[str, ErrorCoupling] = MappingProxyType({})) -> ErrorSource:
    """Return the error that the proximal joint centre of a segment is off by a constant.

    Parameters
    ----------
    segment : str
        The one distal to the joint; the constant rides in its axes.
    sd_m : float
        Standard deviation along each axis, metres.
    couplings : Mapping[str, ErrorCoupling], optional
        Segment -> how its distal joint follows; a segment that is not named keeps it.

    Returns
    -------
    ErrorSource
        Three parameters: a shift along each axis of the segment.
    """

    def fill(nominal: Nominal, effect: Effect, i: int) -> None:
        _misplace(nominal, effect, i, nominal.directions(segment), couplings)

    return segment_errors(segment, sd_m, 3, fill)


def noisy_points(sd_m: float, gram: FloatArray, gain: FloatArray) -> ErrorSource:
    """Return the white noise on the paths of joint centres and of the foot's tip.

    The leg must be the whole chain.

    Parameters
    ----------
    sd_m : float
        Standard deviation of a raw marker path's samples along each axis, metres.
    gram : FloatArray
        (3, 3), of what turns the raw path into the position, velocity and acceleration used: filter and differentiator (see
        `biomech_id.uncertainty.recording.noise_gram`).
    gain : FloatArray
        (12, 12), covariance of `NOISY_POINTS` per variance of a marker coordinate; three components a point, in the axes of the
        foot (tip, ankle), shank (knee) and thigh (hip). The identity, if each point is as noisy as one marker.

    Returns
    -------
    ErrorSource
        Three parameters a point for position, velocity and acceleration each: 36.
    """

    def effects(nominal: Nominal) -> Iterator[Effect]:
        chain = nominal.chain
        position, velocity, acceleration = (Effect.none_on(chain, 3 * len(NOISY_POINTS)) for _ in range(3))
        for k, point in enumerate(NOISY_POINTS):
            own = slice(3 * k, 3 * k + 3)
            i = max(k - 1, 0)
            d = nominal.directions(chain.names[i])
            if point != "tip":
                move_joint(nominal, position.part(own), i, d)
            for end in _noisy_ends(chain, point, i):
                swing = cross(end.arm, d)
                _place(nominal, position.part(own), end, d)
                velocity.spin[own, :, end.segment] += swing
                _accelerate(nominal, acceleration.part(own), end, d)
                acceleration.moment_com[own, :, end.segment] += nominal.inertia_times(end.segment, swing)
        yield from (position, velocity, acceleration)

    return ErrorSource(np.asarray(np.kron(gram, sd_m**2 * gain), dtype=np.float64), effects)


def _noisy_ends(chain: Chain, point: str, i: int) -> Iterator[_End]:
    """The ends at a point; the foot, whose pose is found in every frame from ankle and toe, is drawn between ankle and tip."""
    ankle = chain.joint_lab_m[:, 0]
    tip = 2.0 * chain.com_lab_m[:, 0] - ankle
    if point == "tip":
        yield _end(chain, 0, moved=tip, kept=ankle)
    elif point == "ankle":
        yield _end(chain, 0, moved=ankle, kept=tip)
        yield from (end for end in _ends(chain, 0) if end.segment != 0)
    else:
        yield from _ends(chain, i)


@dataclass(frozen=True, eq=False)
class _End:
    """An end of a segment at a joint: ``arm`` (N, 3), 1/m, is r / r.r, ``share`` (N,) that of the centre of mass."""

    segment: int
    arm: FloatArray
    share: FloatArray


def _ends(chain: Chain, i: int) -> Iterator[_End]:
    """The ends that meet at the proximal joint of segment ``i``: its own, and its parent's distal one."""
    joint = chain.joint_lab_m[:, i]
    distal = chain.children(i)
    if distal:
        yield _end(chain, i, moved=joint, kept=chain.joint_lab_m[:, distal[0]])
    else:
        yield _End(i, np.zeros_like(joint), np.ones(len(joint)))
    parent = chain.parents[i]
    if parent != BASE:
        yield _end(chain, parent, moved=joint, kept=chain.joint_lab_m[:, parent])


def _end(chain: Chain, segment: int, *, moved: FloatArray, kept: FloatArray) -> _End:
    along = moved - kept
    arm = along / dot(along, along)[:, None]
    return _End(segment, arm, dot(chain.com_lab_m[:, segment] - kept, arm))


def _misplace(nominal: Nominal, effect: Effect, i: int, d: FloatArray, couplings: Mapping[str, ErrorCoupling]) -> None:
    """Add what it does that the proximal joint of segment ``i`` is off by ``d`` (..., N, 3) m, with the joints that follow."""
    chain = nominal.chain
    omega, alpha = chain.omega_lab_rad_s[:, i], chain.alpha_lab_rad_s2[:, i]
    acceleration = cross(alpha, d) + cross(omega, cross(omega, d))
    move_joint(nominal, effect, i, d)
    for end in _ends(chain, i):
        _place(nominal, effect, end, d)
        _accelerate(nominal, effect, end, acceleration)
    coupling = couplings.get(chain.names[i])
    if coupling is not None:
        R, (distal, *_) = chain.R_lab_seg[:, i], chain.children(i)
        d_seg = matvec_transposed(R, d)
        along = chain.joint_lab_m[:, i] - chain.joint_lab_m[:, distal]
        turn = (d_seg @ coupling.turn_rad_m / np.sqrt(dot(along, along)))[..., None] * along
        effect.turn[..., i, :] += turn
        effect.moment_com[..., i, :] += turned_inertia(nominal, i, turn)
        _misplace(nominal, effect, distal, matvec(R, matvec(coupling.shift, d_seg)), couplings)


def _place(nominal: Nominal, effect: Effect, end: _End, d: FloatArray) -> None:
    """Add what drawing a segment to an end off by ``d`` (..., N, 3) m does: axes, tensor and centre of mass move."""
    turn = cross(end.arm, d)
    effect.turn[..., end.segment, :] += turn
    effect.moment_com[..., end.segment, :] += turned_inertia(nominal, end.segment, turn)
    effect.moment_com[..., end.segment, :] += cross(end.share[:, None] * d, nominal.momentum_rate[:, end.segment])


def _accelerate(nominal: Nominal, effect: Effect, end: _End, acceleration: FloatArray) -> None:
    """Add what accelerating an end by (..., N, 3) m/s2 does to the centre of mass."""
    effect.force[..., end.segment, :] += nominal.chain.mass_kg[end.segment] * end.share[:, None] * acceleration
