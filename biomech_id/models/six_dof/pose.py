"""Rigid pose of a marker cluster by weighted least squares, for all frames at once.

For template points a_k (segment axes), measured points b_k (laboratory) and weights w_k, the pose R, o that minimises ::

    sum_k w_k |R a_k + o - b_k|^2

is R = the rotation that maximises tr(R S), S = sum_k w_k (a_k - abar)(b_k - bbar)', and o = bbar - R abar, bars being weighted
means (Soderkvist and Wedin 1993, J Biomech 26:1473). With unit quaternions tr(R S) = q' N q for a symmetric 4x4 matrix N made of
the elements of S (Horn 1987, J Opt Soc Am A 4:629), so q is the eigenvector of the largest eigenvalue of N: the largest root of ::

    l^4 - 2 |S|^2 l^2 - 8 det(S) l + det(N) = 0,

which Newton's method reaches from above, starting at (sum w ``|a - abar|^2`` + sum w ``|b - bbar|^2``) / 2 (Theobald 2005, Acta
Cryst A61:478); q is then any column of the adjugate of N - l 1. All of it is arithmetic on whole columns of frames.

The columns lose digits when the markers are nearly on a line: the product of the three gaps between the largest and the other
eigenvalues says how many. Frames where it is small get a Newton step towards the largest tr(R S): with B = R S, the rotation by ::

    d = (tr(B) 1 - (B + B') / 2)^-1 (B12 - B21, B20 - B02, B01 - B10)          (indices from 0)

and where it is smaller still they are solved again by singular value decomposition.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.values import dataclass

#: Product of eigenvalue gaps (relative to the cluster's size cubed) below which quaternion columns keep fewer than about eleven
#: digits (a cluster twenty times longer than wide), and below which the Newton step would start too far away (1:1000).
REFINED, BY_SINGULAR_VALUES = 2e-2, 4e-6
#: Ratio of a cluster's width to its length below which rounding alone hides its rotation about the long axis.
COLLINEAR = 1e-6
#: Value of the characteristic polynomial over its first term that is its rounding: each of its four terms is of that size.
_ROUNDING = 16 * np.finfo(np.float64).eps
#: Newton steps: convergence is quadratic, and from far above the error shrinks by a quarter per step before that.
_NEWTON_STEPS = 50
#: Frames treated together, so that the few dozen columns of work stay in the processor's cache.
_BLOCK = 4096


@dataclass(frozen=True, eq=False)
class Pose:
    """Pose of a segment in every frame, and how well the cluster fits it.

    Attributes
    ----------
    R_lab_seg : FloatArray
        (n, 3, 3), segment to laboratory components; NaN where fewer than three markers, or a line of them, were seen.
    origin_lab_m : FloatArray
        (n, 3), origin of the template's axes, metres, laboratory axes.
    residual_m : FloatArray
        (n,), weighted root mean square distance between fitted and measured markers, metres.
    n_seen : FloatArray
        (n,), number of markers used.
    """

    R_lab_seg: FloatArray
    origin_lab_m: FloatArray
    residual_m: FloatArray
    n_seen: FloatArray


def fit_pose(points_lab_m: FloatArray, template_m: FloatArray, weights: FloatArray | None = None) -> Pose:
    """Fit the pose of a rigid cluster in every frame.

    Parameters
    ----------
    points_lab_m : FloatArray
        (n, k, 3), measured markers, metres, laboratory axes; a marker with any NaN takes no part in that frame.
    template_m : FloatArray
        (k, 3), the same markers in segment axes, metres.
    weights : FloatArray | None, optional
        (k,), non-negative; equal by default.

    Returns
    -------
    Pose
        n frames; NaN where fewer than three markers, or a line of them, were seen.

    Raises
    ------
    ShapeError
        Arrays that do not fit together.
    InvalidValueError
        A weight that is negative or not finite, or a template with missing points.
    """
    points, template, weight = _checked(points_lab_m, template_m, weights)
    n_frames = len(points)
    R = np.full((n_frames, 3, 3), np.nan)
    origin, residual = np.full((n_frames, 3), np.nan), np.full(n_frames, np.nan)
    seen = np.isfinite(points).all(axis=2) & (weight > 0)
    for pattern, frames in _patterns(seen):
        if pattern.sum() >= 3 and aspect(template[pattern], weight[pattern]) > COLLINEAR:
            whole = pattern.all() and len(frames) == n_frames
            some = points if whole else points[np.ix_(frames, pattern)]
            R[frames], origin[frames], residual[frames] = _fit(some, template[pattern], weight[pattern])
    return Pose(R, origin, residual, seen.sum(axis=1).astype(np.float64))


def aspect(template_m: FloatArray, weights: FloatArray | None = None) -> float:
    """Return how wide a cluster is for its length.

    Parameters
    ----------
    template_m : FloatArray
        (k, 3), markers in segment axes.
    weights : FloatArray | None, optional
        (k,), more than zero; None for equal ones.

    Returns
    -------
    float
        Second principal extent over the first: 0 for markers on a line, 1 for a round cluster.
    """
    weight = np.ones(len(template_m)) if weights is None else weights
    centred = template_m - np.average(template_m, axis=0, weights=weight)
    extents = np.linalg.svd(np.sqrt(weight)[:, None] * centred, compute_uv=False)
    return float(extents[1] / extents[0]) if extents[0] > 0 else 0.0


def _checked(points: FloatArray, template: FloatArray, weights: FloatArray | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    template = np.asarray(template, dtype=np.float64)
    points = np.asarray(points, dtype=np.float64)
    weight = np.ones(len(template)) if weights is None else np.asarray(weights, dtype=np.float64)
    if template.ndim != 2 or points.ndim != 3 or points.shape[1:] != template.shape or weight.shape != (len(template),):
        raise ShapeError(
            f"Points {points.shape}, template {template.shape} and weights {weight.shape} do not fit together.",
            value=(points.shape, template.shape, weight.shape), expected="(n, k, 3), (k, 3) and (k,)", where="fit_pose",
        )  # fmt: skip
    if not (np.isfinite(template).all() and np.isfinite(weight).all() and (weight >= 0).all()):
        raise InvalidValueError(
            "A cluster's template has a missing point, or a weight is negative or not finite.",
            value=weight.tolist(), expected="finite template points and weights of at least 0", where="fit_pose",
        )  # fmt: skip
    return points, template, weight


def _patterns(seen: BoolArray) -> list[tuple[BoolArray, NDArray[np.intp]]]:
    """Every pattern of visible markers that occurs, with the frames in which it does."""
    if seen.all():
        return [(seen[0], np.arange(len(seen)))] if len(seen) else []
    patterns, inverse = np.unique(seen, axis=0, return_inverse=True)
    return [(pattern, np.flatnonzero(inverse.ravel() == i)) for i, pattern in enumerate(patterns)]


def _fit(points: FloatArray, template: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Pose of complete frames, block by block."""
    n_frames = len(points)
    R, origin, residual = np.empty((n_frames, 3, 3)), np.empty((n_frames, 3)), np.empty(n_frames)
    share = weight / weight.sum()
    centroid = share @ template
    centred = template - centroid
    for start in range(0, n_frames, _BLOCK):
        block = slice(start, start + _BLOCK)
        R[block], origin[block], residual[block] = _fit_block(points[block], centred, centroid, share)
    return R, origin, residual


def _fit_block(
    points: FloatArray, centred: FloatArray, centroid: FloatArray, share: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    mean = np.einsum("k,nki->ni", share, points)
    b = points - mean[:, None, :]
    size_a = float(share @ np.einsum("ki,ki->k", centred, centred))
    size_b = np.einsum("k,nki,nki->n", share, b, b)
    # S is linear in the measured points: one matrix product for all frames.
    gather = np.einsum("k,kx,yj->kjxy", share, centred, np.eye(3)).reshape(-1, 9)
    S = np.ascontiguousarray((b.reshape(len(b), -1) @ gather).T)
    largest, q, gaps = _quaternion(S, 0.5 * (size_a + size_b))
    scale = largest**3
    weak = np.flatnonzero(gaps < REFINED * scale)
    if weak.size:
        q[:, weak], largest[weak] = _refined(q[:, weak], S[:, weak])
    R = np.stack(_rotation(q), axis=-1).reshape(-1, 3, 3)
    weakest = weak[gaps[weak] < BY_SINGULAR_VALUES * scale[weak]]
    if weakest.size:
        R[weakest], largest[weakest] = _by_svd(S[:, weakest])
    origin = mean - R @ centroid
    residual = np.sqrt(np.maximum(size_a + size_b - 2 * largest, 0.0))
    close = np.flatnonzero(residual < 1e-4 * np.sqrt(size_a))
    if close.size:  # the difference above has lost its digits
        fitted = (R[close].reshape(-1, 3) @ centred.T).reshape(len(close), 3, -1)
        error = fitted - b[close].transpose(0, 2, 1)
        residual[close] = np.sqrt((error * error).sum(axis=1) @ share)
    return R, origin, residual


def _quaternion(S: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Largest eigenvalue (n,), its quaternion (4, n) (w, x, y, z) and the product of the gaps (n,), for S (9, n) row by row."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = S
    n00, n11, n22, n33 = xx + yy + zz, xx - yy - zz, yy - xx - zz, zz - xx - yy
    n01, n02, n03 = yz - zy, zx - xz, xy - yx
    n12, n13, n23 = xy + yx, zx + xz, yz + zy
    # Coefficients of the characteristic polynomial, whose cubic term vanishes with the trace of N.
    c2 = -2.0 * np.einsum("in,in->n", S, S)
    c1 = -8.0 * (xx * (yy * zz - yz * zy) - xy * (yx * zz - yz * zx) + xz * (yx * zy - yy * zx))
    upper = _minors((n00, n01, n02, n03), (n01, n11, n12, n13))
    lower = _minors((n02, n12, n22, n23), (n03, n13, n23, n33))
    c0 = _laplace(upper, lower)
    root = _largest_root(c2, c1, c0, start)
    d0, d1, d2, d3 = n00 - root, n11 - root, n22 - root, n33 - root
    upper = _minors((d0, n01, n02, n03), (n01, d1, n12, n13))
    lower = _minors((n02, n12, d2, n23), (n03, n13, n23, d3))
    adjugate = _adjugate((d0, n01, n02, n03, d1, n12, n13, d2, n23, d3), upper, lower)
    diagonal = np.abs(adjugate[[0, 1, 2, 3], [0, 1, 2, 3]])
    column = np.argmax(diagonal, axis=0)
    q = adjugate[:, column, np.arange(len(column))]
    q /= np.sqrt(np.einsum("in,in->n", q, q))
    return root, q, diagonal.sum(axis=0)


def _largest_root(c2: FloatArray, c1: FloatArray, c0: FloatArray, start: FloatArray) -> FloatArray:
    """Largest root (n,) of l^4 + c2 l^2 + c1 l + c0 by Newton's method from above."""
    root = start.copy()
    for _ in range(_NEWTON_STEPS):
        square = root * root
        slope = 4.0 * square * root + 2.0 * c2 * root + c1
        value = square * square + c2 * square + c1 * root + c0
        root -= value / np.where(slope > 0, slope, np.inf)
        if not (np.abs(value) > _ROUNDING * square * square).any():
            break
    return root


def _minors(a: tuple[FloatArray, ...], b: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    """The six 2x2 minors of two rows of four, for column pairs 01, 02, 03, 12, 13, 23."""
    (a0, a1, a2, a3), (b0, b1, b2, b3) = a, b
    return (a0 * b1 - a1 * b0, a0 * b2 - a2 * b0, a0 * b3 - a3 * b0, a1 * b2 - a2 * b1, a1 * b3 - a3 * b1, a2 * b3 - a3 * b2)


def _laplace(upper: tuple[FloatArray, ...], lower: tuple[FloatArray, ...]) -> FloatArray:
    """Determinant of a 4x4 matrix from the minors of its upper and lower two rows."""
    u, v = upper, lower
    return np.asarray(u[0] * v[5] - u[1] * v[4] + u[2] * v[3] + u[3] * v[2] - u[4] * v[1] + u[5] * v[0])


def _adjugate(elements: tuple[FloatArray, ...], upper: tuple[FloatArray, ...], lower: tuple[FloatArray, ...]) -> FloatArray:
    """Adjugate (4, 4, n) of a symmetric matrix from its ten elements and the minors of its row pairs."""
    d0, n01, n02, n03, d1, n12, n13, d2, n23, d3 = elements
    u, v = upper, lower
    out = np.empty((4, 4, len(d0)))
    out[0, 0] = d1 * v[5] - n12 * v[4] + n13 * v[3]
    out[0, 1] = -n01 * v[5] + n02 * v[4] - n03 * v[3]
    out[0, 2] = n13 * u[5] - n23 * u[4] + d3 * u[3]
    out[0, 3] = -n12 * u[5] + d2 * u[4] - n23 * u[3]
    out[1, 1] = d0 * v[5] - n02 * v[2] + n03 * v[1]
    out[1, 2] = -n03 * u[5] + n23 * u[2] - d3 * u[1]
    out[1, 3] = n02 * u[5] - d2 * u[2] + n23 * u[1]
    out[2, 2] = n03 * u[4] - n13 * u[2] + d3 * u[0]
    out[2, 3] = -n02 * u[4] + n12 * u[2] - n23 * u[0]
    out[3, 3] = n02 * u[3] - n12 * u[1] + d2 * u[0]
    for i in range(3):
        out[i + 1 :, i] = out[i, i + 1 :]
    return out


def _rotation(q: FloatArray) -> tuple[FloatArray, ...]:
    """The nine elements (n,), row by row, of the rotation matrices of unit quaternions (4, n)."""
    w, x, y, z = q
    return (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip


def _refined(q: FloatArray, S: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Quaternions (4, n) nearer to the optimum for S (9, n), by one Newton step of about twice the digits, and tr(R S).

    The trace is that before the step: at an optimum it is flat, so it has twice the digits too.
    """
    R = _rotation(q)
    xx, xy, xz, yx, yy, yz, zx, zy, zz = (
        R[3 * i] * S[j] + R[3 * i + 1] * S[3 + j] + R[3 * i + 2] * S[6 + j] for i in range(3) for j in range(3)
    )
    a, b, c = yy + zz, xx + zz, xx + yy
    f, g, h = -0.5 * (yz + zy), -0.5 * (xz + zx), -0.5 * (xy + yx)
    x, y, z = yz - zy, zx - xz, xy - yx
    # Solution of the symmetric system [[a, h, g], [h, b, f], [g, f, c]] d = (x, y, z) by its adjugate.
    aa, bb, cc = b * c - f * f, a * c - g * g, a * b - h * h
    ab, ac, bc = f * g - h * c, h * f - g * b, g * h - f * a
    determinant = a * aa + h * ab + g * ac
    d = np.stack([aa * x + ab * y + ac * z, ab * x + bb * y + bc * z, ac * x + bc * y + cc * z]) / determinant
    return _turned(q, 0.5 * d), xx + yy + zz


def _turned(q: FloatArray, half: FloatArray) -> FloatArray:
    """Unit quaternions (4, n) followed by small rotations of vector part ``half`` (3, n)."""
    (w, x, y, z), (u, v, t) = q, half
    out = np.stack([w - u * x - v * y - t * z, x + u * w + v * z - t * y, y + v * w + t * x - u * z, z + t * w + u * y - v * x])
    return np.asarray(out / np.sqrt(np.einsum("in,in->n", out, out)))


def _by_svd(S: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rotation (n, 3, 3) and largest eigenvalue (n,) by singular value decomposition of S (9, n) (Kabsch 1976)."""
    U, singular, Vt = np.linalg.svd(S.T.reshape(-1, 3, 3))
    sign = np.linalg.det(U) * np.linalg.det(Vt)
    U[:, :, 2] *= sign[:, None]
    R = (U @ Vt).transpose(0, 2, 1)
    return R, singular[:, 0] + singular[:, 1] + sign * singular[:, 2]
