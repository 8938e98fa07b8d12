"""Hip centres from motion: a sphere fit and the symmetrical centre of rotation estimation.

Sphere fit (Gamage and Lasenby 2002, J Biomech 35:87). Seen from the pelvis, every marker p of the thigh moves on a sphere about
the hip centre m. Minimising sum_p sum_k (``|v_pk - m|^2`` - r_p^2)^2 over m and all radii leaves A m = b with ::

    A = 2 sum_p (<v v'> - <v><v>'),     b = sum_p (<v v.v> - <v><v.v>),        <> = mean over frames.

White noise of variance s^2 in each coordinate adds 2 s^2 P 1 to A and 2 s^2 sum_p <v> to b (their expectations, P markers), which
pulls the centre towards the markers; Halvorsen (2003, J Biomech 36:999) takes it out again. Here s^2 is the variance of the
distances to the fitted centre, and solving and estimating alternate until the centre rests.

SCoRE (Ehrig et al. 2006, J Biomech 39:2798). The centre is the point c of the pelvis and d of the thigh that stay nearest to each
other: with poses (R, t) and (S, u), the least-squares solution of R_k c + t_k = S_k d + u_k over all frames k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.dynamics.body import Frames
from biomech_id.errors import InvalidValueError

#: Singular value, relative to the largest, below which the motion does not fix a centre (a hinge, or no motion).
_UNDETERMINED = 1e-3
#: Markers that spread less than this about their means have not moved, whatever noise makes of it.
_SMALLEST_SPREAD_M = 0.01
_STEPS = 100


@dataclass(frozen=True, eq=False)
class JointCentre:
    """A functional joint centre.

    Attributes
    ----------
    in_proximal_m : FloatArray
        (3,), metres, in the axes and from the origin of either segment (the sphere fit gives only the proximal one; the distal one
        is then the mean over frames).
    in_distal_m : FloatArray
        (3,), metres, in the axes and from the origin of either segment (the sphere fit gives only the proximal one; the distal one
        is then the mean over frames).
    residual_m : float
        Root mean square, metres: distance between the two images of the centre (SCoRE), or departure of the markers from their
        spheres (sphere fit).
    method : str
        In words, with its source.
    """

    in_proximal_m: FloatArray
    in_distal_m: FloatArray
    residual_m: float
    method: str


def score(proximal: Frames, distal: Frames) -> JointCentre:
    """Return the centre of rotation between two segments by SCoRE (see the module); frames with a missing pose take no part.

    Parameters
    ----------
    proximal, distal : Frames
        Poses of the two segments, n frames each.

    Raises
    ------
    InvalidValueError
        The motion does not fix a centre.
    """
    seen = np.isfinite(proximal.R_lab_seg).all(axis=(1, 2)) & np.isfinite(distal.R_lab_seg).all(axis=(1, 2))
    R, S = proximal.R_lab_seg[seen], distal.R_lab_seg[seen]
    gap = (distal.origin_lab_m - proximal.origin_lab_m)[seen]
    system = np.concatenate([R, -S], axis=2).reshape(-1, 6)
    _check_motion(np.linalg.svd(system, compute_uv=False) if len(system) >= 6 else np.zeros(6), int(seen.sum()))
    solution, *_ = np.linalg.lstsq(system, gap.reshape(-1), rcond=None)
    miss = (system @ solution).reshape(-1, 3) - gap
    residual = float(np.sqrt((miss**2).sum(axis=1).mean()))
    return JointCentre(solution[:3], solution[3:], residual, "functional, SCoRE, Ehrig et al. 2006 (J Biomech 39:2798)")


def sphere_fit(markers_lab_m: FloatArray, proximal: Frames, distal: Frames) -> JointCentre:
    """Return the centre of the spheres on which the distal segment's markers move, by the bias-corrected fit of the module.

    Parameters
    ----------
    markers_lab_m : FloatArray
        (n, k, 3), markers of the distal segment, metres, laboratory axes; frames in which one is missing take no part.
    proximal, distal : Frames
        Poses of both segments; the distal one only serves to express the centre in it.

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


def _check_motion(singular: FloatArray, n_frames: int) -> None:
    if n_frames < 10 or singular[-1] <= _UNDETERMINED * singular[0]:
        raise InvalidValueError(
            "The functional trial does not fix a joint centre: the segments hardly move against each other, or about one "
            "axis only.",
            value=(n_frames, singular.tolist()),
            expected="at least 10 frames of motion about several axes", where="functional trial",
        )  # fmt: skip
