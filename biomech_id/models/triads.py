"""Right-handed triads of segment axes from directions; x anterior, y to the subject's left, z proximal."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, readonly
from biomech_id.algebra.vectors import cross, matvec
from biomech_id.arguments import a_word, takes
from biomech_id.dynamics.body import ORTHONORMAL_TOLERANCE, Frames
from biomech_id.errors import InvalidValueError

#: Sine of the angle at the origin below which three points lie on one line.
LEAST_SINE = 1e-6


def unit(vectors: FloatArray) -> FloatArray:
    """Return vectors scaled to length one.

    Parameters
    ----------
    vectors : FloatArray
        (..., 3), any unit, any axes.

    Returns
    -------
    FloatArray
        (..., 3), the same axes; NaN for a vector without a direction.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled: FloatArray = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return scaled


def triad(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    """Return the rotation whose columns are three axes.

    Parameters
    ----------
    x, y, z : FloatArray
        (n, 3), unit vectors at right angles, laboratory axes.

    Returns
    -------
    FloatArray
        R_lab_seg, (n, 3, 3).

    Raises
    ------
    InvalidValueError
        Axes that are not at right angles, of another length than one, or left-handed; the message names frame and departure.
    """
    departure = np.abs(np.cross(x, y) - z).max(axis=-1) + np.abs((x * y).sum(axis=-1)) + np.abs((x * x).sum(axis=-1) - 1.0)
    wrong = np.flatnonzero(departure > ORTHONORMAL_TOLERANCE)
    if wrong.size:
        raise InvalidValueError(
            f"The axes x, y, z of triad are no right-handed unit vectors at right angles in frame {wrong[0]}: off by "
            f"{departure.flat[wrong[0]]:.3g}.",
            value=float(departure.flat[wrong[0]]), expected=f"z = x cross y within {ORTHONORMAL_TOLERANCE:g}", where="triad",
        )  # fmt: skip
    return right_angled(x, y, z)


def right_angled(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    """Segment axes side by side, of axes that were made at right angles: nothing is checked here, for `Frames` checks it.

    Parameters
    ----------
    x, y, z : FloatArray
        (..., 3), right-handed unit axes, laboratory components.

    Returns
    -------
    FloatArray
        (..., 3, 3), as of `triad`.
    """
    return np.stack([x, y, z], axis=-1)


@takes(order=a_word(tuple("".join(pair) for pair in permutations("xyz", 2))))
def frame_from_points(origin_lab_m: ArrayLike, axis_lab_m: ArrayLike, plane_lab_m: ArrayLike, order: str = "zy") -> Frames:
    """Axes of a segment from three points.

    Parameters
    ----------
    origin_lab_m : ArrayLike
        (n, 3), origin of the axes, metres, laboratory axes.
    axis_lab_m : ArrayLike
        (n, 3), point that the first axis of ``order`` runs to from the origin.
    plane_lab_m : ArrayLike
        (n, 3), point on the positive side of the second axis, which lies in the plane of all three points.
    order : str, optional
        Which axes these are: "zy" for z and y, "xy", ...; the third makes them right-handed.

    Returns
    -------
    Frames
        ``R_lab_seg`` (n, 3, 3), segment components to laboratory components, and ``origin_lab_m``; NaN in frames without a point.

    Raises
    ------
    ShapeError
        Points of different length.
    InvalidValueError
        Three points on one line.

    Examples
    --------
    >>> import biomech_id as bid
    >>> shank = bid.frame_from_points([[0.0, 0.0, 0.1]], [[0.0, 0.0, 0.5]], [[0.0, 0.1, 0.3]], order="zy")
    >>> shank.R_lab_seg[0].round(3) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    origin = readonly(origin_lab_m, (None, 3), name="origin_lab_m", where="frame_from_points")
    given = {"axis_lab_m": axis_lab_m, "plane_lab_m": plane_lab_m}
    first, second = (readonly(v, origin.shape, name=name, where="frame_from_points") - origin for name, v in given.items())
    normal = cross(first, second)
    size = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    flat = np.flatnonzero(np.linalg.norm(normal, axis=1) <= LEAST_SINE * size)
    if flat.size:
        raise InvalidValueError(
            f"The origin_lab_m, axis_lab_m and plane_lab_m of frame_from_points lie on one line (parallel) in frame {flat[0]}.",
            value=int(flat[0]), expected="three points that span a plane", where="frame_from_points",
        )  # fmt: skip
    a, b = ("xyz".index(axis) for axis in order)
    axes = [unit(first)] * 3
    third = unit(normal)
    axes[b], axes[3 - a - b] = cross(third, axes[a]), third * (1.0 if (b - a) % 3 == 1 else -1.0)
    return Frames(np.stack(axes, axis=-1), origin)


def triad_from_z_and_y(z: FloatArray, towards_y: FloatArray) -> FloatArray:
    """Return the rotation with z along one direction and y near another.

    Parameters
    ----------
    z : FloatArray
        (n, 3), any length: direction kept.
    towards_y : FloatArray
        (n, 3), any length: y comes as near to it as a right angle allows.

    Returns
    -------
    FloatArray
        R_lab_seg, (n, 3, 3); NaN where the two are parallel or missing.
    """
    z = unit(z)
    x = unit(cross(towards_y, z))
    return right_angled(x, cross(z, x), z)


def into_segment(R_lab_seg: FloatArray, origin_lab_m: FloatArray, point_lab_m: FloatArray) -> FloatArray:
    """Return points in a segment's axes.

    Parameters
    ----------
    R_lab_seg : FloatArray
        (n, 3, 3), maps segment components to laboratory components.
    origin_lab_m : FloatArray
        (n, 3), origin of the segment, laboratory axes.
    point_lab_m : FloatArray
        (n, 3), laboratory axes, metres.

    Returns
    -------
    FloatArray
        (n, 3), metres, segment axes from the segment's origin.
    """
    return np.asarray(np.einsum("nji,nj->ni", R_lab_seg, point_lab_m - origin_lab_m))


def into_lab(R_lab_seg: FloatArray, origin_lab_m: FloatArray, point_seg_m: FloatArray) -> FloatArray:
    """Return the path of a point of a segment.

    Parameters
    ----------
    R_lab_seg : FloatArray
        (n, 3, 3), maps segment components to laboratory components.
    origin_lab_m : FloatArray
        (n, 3), origin of the segment, laboratory axes.
    point_seg_m : FloatArray
        (3,) for a point fixed in the segment, (n, 3) for one that moves; segment axes from its origin, metres.

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes.
    """
    along = R_lab_seg @ point_seg_m if point_seg_m.ndim == 1 else matvec(R_lab_seg, point_seg_m)
    return np.asarray(along + origin_lab_m)
