"""Joint centres and axes from motion: a sphere fit, and the symmetrical estimations of a centre and of an axis of rotation.

Sphere fit (Gamage and Lasenby 2002, J Biomech 35:87). Seen from the pelvis, every marker p of the thigh moves on a sphere about
the hip centre m. Minimising sum_p sum_k (``|v_pk - m|^2`` - r_p^2)^2 over m and all radii leaves A m = b with ::

    A = 2 sum_p (<v v'> - <v><v>'),     b = sum_p (<v v.v> - <v><v.v>),        <> = mean over frames.

White noise of variance s^2 in each coordinate adds 2 s^2 P 1 to A and 2 s^2 sum_p <v> to b (their expectations, P markers), which
pulls the centre towards the markers; Halvorsen (2003, J Biomech 36:999) takes it out again. Here s^2 is the variance of the
distances to the fitted centre, and solving and estimating alternate until the centre rests.

SCoRE (Ehrig et al. 2006, J Biomech 39:2798). The centre is the point c of the pelvis and d of the thigh that stay nearest to each
other: with poses (R, t) and (S, u), the least-squares solution of R_k c + t_k = S_k d + u_k over all frames k.

SARA (Ehrig et al. 2007, J Biomech 40:2150). If two segments turn about one common axis, every point of it satisfies
R_k c + t_k = S_k d + u_k in all frames, so the solutions form a line: the system's matrix [R_k, -S_k] has one singular value near
zero, whose right singular vector holds the axis' direction in both segments, and the least-squares solution of least norm is a
point on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.dynamics.body import Frames
from biomech_id.errors import InvalidValueError
from biomech_id.values import dataclass

#: Singular value, relative to the largest, below which the motion does not fix a centre (a hinge, or no motion); second smallest
#: one, below which it does not fix an axis.
_NO_CENTRE, _NO_AXIS = 1e-3, 1e-2
#: Frames in which both segments have to be seen.
_LEAST_FRAMES = 10
#: Images of a functional centre or axis that scatter by more (m, root mean square) are refused.
MOST_RESIDUAL_M = 0.012
#: In words, with its source.
SARA = "functional, SARA, Ehrig et al. 2007 (J Biomech 40:2150)"
#: Markers that spread less than this about their means have not moved, whatever noise makes of it.
_SMALLEST_SPREAD_M = 0.01
_STEPS = 100


@dataclass(frozen=True, eq=False)
class JointCentre:
    """A functional joint centre.

    Attributes
    ----------
    in_proximal_m : FloatArray
        (3,), metres, in the proximal segment's axes from its origin.
    in_distal_m : FloatArray
        (3,), metres, in the distal segment's axes from its origin; of a sphere fit the mean over frames.
    residual_m : float
        Root mean square, metres: distance between the two images of the centre (SCoRE), or departure of the markers from their
        spheres (sphere fit).
    method : str
        Name in words, with its source.
    """

    in_proximal_m: FloatArray
    in_distal_m: FloatArray
    residual_m: float
    method: str


def score(proximal: Frames, distal: Frames) -> JointCentre:
    """Return the centre of rotation between two segments by SCoRE (see the module).

    Parameters
    ----------
    proximal : Frames
        Poses of the upper segment, n frames; frames in which either pose is missing take no part.
    distal : Frames
        Poses of the lower segment, the same frames.

    Returns
    -------
    JointCentre
        In both segments, with the distance of its two images.

    Raises
    ------
    InvalidValueError
        The motion does not fix a centre.
    """
    system, gap = _common_points(proximal, distal)
    _check_motion(np.linalg.svd(system, compute_uv=False) if len(system) >= 6 else np.zeros(6), len(system) // 3)
    solution = np.asarray(np.linalg.lstsq(system, gap, rcond=None)[0], dtype=np.float64)
    method = "functional, SCoRE, Ehrig et al. 2006 (J Biomech 39:2798)"
    return JointCentre(solution[:3], solution[3:], _residual_m(system, solution, gap), method)


def _common_points(proximal: Frames, distal: Frames) -> tuple[FloatArray, FloatArray]:
    """System (3 n, 6) and right side (3 n,), metres, whose solution is a point of both segments that stays common."""
    R, S = proximal.R_lab_seg, distal.R_lab_seg
    seen = np.isfinite(R).all(axis=(1, 2)) & np.isfinite(S).all(axis=(1, 2))
    gap = (distal.origin_lab_m - proximal.origin_lab_m)[seen]
    return np.concatenate([R[seen], -S[seen]], axis=2).reshape(-1, 6), gap.reshape(-1)


def _residual_m(system: FloatArray, solution: FloatArray, gap: FloatArray) -> float:
    """Root mean square distance of the two images of a point."""
    miss = (system @ solution - gap).reshape(-1, 3)
    return float(np.sqrt((miss**2).sum(axis=1).mean()))


def sphere_fit(markers_lab_m: FloatArray, proximal: Frames, distal: Frames) -> JointCentre:
    """Return the centre of the spheres on which the distal segment's markers move.

    Parameters
    ----------
    markers_lab_m : FloatArray
        (n, k, 3), markers of the distal segment, metres, laboratory axes; frames in which one is missing take no part.
    proximal : Frames
        Poses of the segment in which the spheres rest, n frames.
    distal : Frames
        Poses of the other one; they only serve to express the centre in it.

    Returns
    -------
    JointCentre
        By the bias-corrected fit of the module.

    Raises
    ------
    InvalidValueError
        The motion does not fix a centre.
    """
    relative = markers_lab_m - proximal.origin_lab_m[:, None, :]
    v = np.einsum("nji,nkj->nki", proximal.R_lab_seg, relative)
    v = v[np.isfinite(v).all(axis=(1, 2))]
    if not len(v):
        _check_motion(np.zeros(3), 0)
    mean = v.mean(axis=0)
    centred = v - mean
    square = np.einsum("nki,nki->nk", v, v)
    A = 2 * np.einsum("nki,nkj->ij", centred, centred) / len(v)
    b = np.einsum("nki,nk->i", centred, square) / len(v)
    spread = np.sqrt(np.linalg.svd(A, compute_uv=False) / (2 * v.shape[1]))
    _check_motion(spread if spread[0] > _SMALLEST_SPREAD_M else 0 * spread, len(v))
    centre, variance = np.linalg.solve(A, b), 0.0
    for _ in range(_STEPS):
        distance = np.linalg.norm(v - centre, axis=2)
        variance = float(((distance - distance.mean(axis=0)) ** 2).mean())
        better = np.linalg.solve(A - 2 * variance * v.shape[1] * np.eye(3), b - 2 * variance * mean.sum(axis=0))
        moved = np.linalg.norm(better - centre)
        centre = better
        if moved < 1e-9:
            break
    lab = np.einsum("nij,j->ni", proximal.R_lab_seg, centre) + proximal.origin_lab_m
    in_distal = over_seen(np.nanmean, np.einsum("nji,nj->ni", distal.R_lab_seg, lab - distal.origin_lab_m), axis=0)
    method = "functional, sphere fit, Gamage and Lasenby 2002 (J Biomech 35:87), bias removed after Halvorsen 2003 (36:999)"
    return JointCentre(centre, in_distal, float(np.sqrt(variance)), method)


def _check_motion(singular: NDArray[np.floating[Any]], n_frames: int) -> None:
    if n_frames < _LEAST_FRAMES or singular[-1] <= _NO_CENTRE * singular[0]:
        raise InvalidValueError(
            "The functional trial does not fix a joint centre: the segments hardly move against each other, or about one "
            "axis only.",
            value=(n_frames, singular.tolist()),
            expected="at least 10 frames of motion about several axes", where="functional trial",
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class JointAxis:
    """A functional joint axis.

    Attributes
    ----------
    point_proximal_m : FloatArray
        (3,), a point on the axis, metres, in the proximal segment's axes from its origin.
    point_distal_m : FloatArray
        (3,), the same point, metres, in the distal segment's axes from its origin.
    direction_proximal : FloatArray
        (3,), unit vector along the axis in the proximal segment's axes; which way along it is left open.
    direction_distal : FloatArray
        (3,), the same direction in the distal segment's axes.
    residual_m : float
        Root mean square distance between the two images of the point, metres.
    method : str, optional
        Name in words, with its source.
    """

    point_proximal_m: FloatArray
    point_distal_m: FloatArray
    direction_proximal: FloatArray
    direction_distal: FloatArray
    residual_m: float
    method: str = SARA


def sara(proximal: Frames, distal: Frames) -> JointAxis:
    """Return the common axis of rotation of two segments.

    Parameters
    ----------
    proximal : Frames
        Poses of the upper segment, n frames; frames in which either pose is missing take no part.
    distal : Frames
        Poses of the lower segment, the same frames.

    Returns
    -------
    JointAxis
        In both segments, with the distance of its two images.

    Raises
    ------
    InvalidValueError
        The motion does not fix an axis.
    """
    system, gap = _common_points(proximal, distal)
    n_frames = len(system) // 3
    U, singular, Vt = np.linalg.svd(system, full_matrices=False)
    if n_frames < _LEAST_FRAMES or singular[4] < _NO_AXIS * singular[0]:
        raise InvalidValueError(
            "The functional trial does not fix the knee's axis: the knee hardly bends in it.",
            value=(n_frames, singular.tolist()),
            expected="at least 10 frames of knee flexion over some 20 degrees", where="functional trial",
        )  # fmt: skip
    solution = Vt[:5].T @ ((U[:, :5].T @ gap) / singular[:5])
    along = Vt[5]
    return JointAxis(
        point_proximal_m=solution[:3], point_distal_m=solution[3:],
        direction_proximal=along[:3] / np.linalg.norm(along[:3]), direction_distal=along[3:] / np.linalg.norm(along[3:]),
        residual_m=_residual_m(system, solution, gap),
    )  # fmt: skip
