"""Right-handed triads of segment axes from directions; x anterior, y to the subject's left, z proximal."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, matvec


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
    """
    return np.stack([x, y, z], axis=-1)


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
    return triad(x, cross(z, x), z)


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
