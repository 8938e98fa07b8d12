"""Marker noise, carried through the fit of a segment's pose and its differentiation.

A rigid cluster of k markers at p_j from its centroid, fitted by least squares, turns white noise of standard deviation s per
coordinate into a pose error

    dt = mean of the noise            covariance s2 / k
    dphi = K^-1 sum p_j x n_j         covariance s2 K^-1,   K = sum (p.p 1 - p p')

independent of each other. A linear differentiator with weights w0, w1, w2 (for position, velocity, acceleration) makes
pose, rate and second rate of these errors correlated with the Gram matrix G_ab = sum w_a w_b. Angular velocity and
acceleration of the turned segment follow from R' = (1 + S(dphi)) R:

    d omega = dphi' + dphi x omega          d alpha = dphi'' + dphi' x omega + dphi x alpha
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray, readonly
from biomech_id.algebra.inertia import steiner
from biomech_id.algebra.vectors import cross, matvec
from biomech_id.errors import InvalidValueError
from biomech_id.uncertainty.sources import Effect, ErrorSource, Nominal, gyroscopic_change, move_joint, turned_inertia

#: Samples (n, m) -> position, velocity, acceleration (n, m) each: a linear differentiator.
Differentiator = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]


def noise_gram(differentiate: Differentiator, n_frames: int) -> FloatArray:
    """Gram matrix (3, 3) of a differentiator's weights in the middle of ``n_frames`` frames.

    Entry (a, b) times the variance of white noise on the samples is the covariance of derivatives a and b, each in the unit
    of the samples per s^a.
    """
    middle = n_frames // 2
    weights = np.stack([result[middle] for result in differentiate(np.eye(n_frames))])
    gram: FloatArray = weights @ weights.T
    return gram


def marker_noise(
    segment: str,
    markers_seg_m: FloatArray,
    sd_m: float,
    gram: FloatArray,
    *,
    carries_joints: Sequence[str],
    name: str = "",
) -> ErrorSource:
    """White noise on the markers of one segment whose pose is a least-squares fit to them.

    Parameters
    ----------
    segment : whose markers they are.
    markers_seg_m : (k, 3), in segment axes from the segment frame's origin, metres; at least three, not on one line.
    sd_m : of each coordinate of each marker.
    gram : (3, 3), of the differentiator that turns poses into rates (see `noise_gram`). Its weights span few frames, over
        which the segment's turning is neglected.
    carries_joints : names of the segments whose proximal joint centre is placed by these markers.

    Raises
    ------
    InvalidValueError : fewer than three markers, or all on one line, leave the orientation undetermined.
    ShapeError : arrays of another shape.
    """
    markers = readonly(markers_seg_m, (None, 3), name="markers_seg_m", where=segment)
    gram = readonly(gram, (3, 3), name="gram", where=segment)
    centroid = markers.mean(axis=0)
    K = steiner(1.0, markers - centroid).sum(axis=0)
    if len(markers) < 3 or np.linalg.cond(K) > _LARGEST_CONDITION:
        raise InvalidValueError(
            f"{len(markers)} markers on the {segment} do not determine its orientation: too few, or on one line.",
            value=markers.tolist(), expected="three markers that span a plane", where=segment,
        )  # fmt: skip
    pose = np.zeros((6, 6))
    pose[:3, :3], pose[3:, 3:] = sd_m**2 * np.linalg.inv(K), sd_m**2 / len(markers) * np.eye(3)

    def effects(nominal: Nominal) -> Iterator[Effect]:
        for level in range(3):
            for k in range(6):
                yield _effect_of_pose(nominal, segment, centroid, carries_joints, level, k)

    covariance: FloatArray = np.kron(gram, pose).astype(np.float64)
    return ErrorSource(name or f"{segment} marker noise", "noise", covariance, effects)


#: Condition of the cluster's tensor beyond which its markers lie on a line (1 mm off a line of 10 cm gives about 1e4).
_LARGEST_CONDITION = 1e6


def _effect_of_pose(
    nominal: Nominal, segment: str, centroid_seg_m: FloatArray, carries_joints: Sequence[str], level: int, k: int
) -> Effect:
    """Effect of a unit turn about segment axis k (k < 3) or shift along it, or of its first or second rate (``level``)."""
    chain, i = nominal.chain, nominal.chain.index(segment)
    frames = chain.motions[i].frames
    omega, alpha = chain.omega_lab_rad_s[:, i], chain.alpha_lab_rad_s2[:, i]
    centroid = frames.origin_lab_m + matvec(frames.R_lab_seg, centroid_seg_m)
    unit, zero = nominal.direction(segment, k % 3), np.zeros_like(omega)
    turn, shift = (unit, zero) if k < 3 else (zero, unit)
    r = chain.com_lab_m[:, i] - centroid
    r_rate = cross(omega, r)
    effect = Effect.none_on(chain)
    if level == 0:
        effect.turn[:, i] = turn
        for other in carries_joints:
            j = chain.index(other)
            move_joint(nominal, effect, j, shift + cross(turn, chain.joint_lab_m[:, j] - centroid))
        d_acceleration = cross(turn, cross(alpha, r) + cross(omega, r_rate))
        d_omega, d_alpha = cross(turn, omega), cross(turn, alpha)
        effect.moment_com[:, i] += turned_inertia(nominal, i, turn)
        effect.moment_com[:, i] += cross(shift + cross(turn, r), nominal.momentum_rate[:, i])
    elif level == 1:
        d_acceleration = 2 * cross(turn, r_rate)
        d_omega, d_alpha = turn, cross(turn, omega)
    else:
        d_acceleration = shift + cross(turn, r)
        d_omega, d_alpha = zero, turn
    effect.spin[:, i] = d_omega
    effect.force[:, i] = chain.mass_kg[i] * d_acceleration
    effect.moment_com[:, i] += nominal.inertia_times(i, d_alpha) + gyroscopic_change(nominal, i, d_omega)
    return effect
