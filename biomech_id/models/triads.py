"""Right-handed triads of segment axes from directions; x anterior, y to the subject's left, z proximal."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, matvec


def unit(vectors: FloatArray) -> FloatArray:
    """Return (..., 3) ``vectors`` scaled to length one; a vector without a direction becomes NaN.

    Parameters
    ----------
    vectors : FloatArray
        Any unit; any axes.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled: FloatArray = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return scaled


def triad(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    """Return R_lab_seg (n, 3, 3) whose columns are the unit axes x, y, z (n, 3), laboratory components.

    Parameters
    ----------
    x, y, z : FloatArray
        (n, 3), unit vectors at right angles, laboratory axes.
    """
    return np.stack([x, y, z], axis=-1)


def triad_from_z_and_y(z: FloatArray, towards_y: FloatArray) -> FloatArray:
    """Return R_lab_seg (n, 3, 3) with z along ``z`` and y as near to ``towards_y`` as a right angle allows; both (n, 3).

    Parameters
    ----------
    z, towards_y : FloatArray
        (n, 3), any length.
    """
    z = unit(z)
    x = unit(cross(towards_y, z))
    return triad(x, cross(z, x), z)


def into_segment(R_lab_seg: FloatArray, origin_lab_m: FloatArray, point_lab_m: FloatArray) -> FloatArray:
    """Return points (n, 3) in segment axes from the segment's origin, metres.

    Parameters
    ----------
    R_lab_seg : FloatArray
        (n, 3, 3), maps segment components to laboratory components.
    origin_lab_m : FloatArray
        (n, 3), origin of the segment, laboratory axes.
    point_lab_m : FloatArray
        (n, 3), laboratory axes, metres.
    """
    return np.asarray(np.einsum("nji,nj->ni", R_lab_seg, point_lab_m - origin_lab_m))


def into_lab(R_lab_seg: FloatArray, origin_lab_m: FloatArray, point_seg_m: FloatArray) -> FloatArray:
    """Return the path (n, 3), metres, laboratory axes, of a point (3,) fixed in the segment, or of one (n, 3) that is not.

    Parameters
    ----------
    R_lab_seg : FloatArray
        (n, 3, 3), maps segment components to laboratory components.
    origin_lab_m : FloatArray
        (n, 3), origin of the segment, laboratory axes.
    point_seg_m : FloatArray
        (3,) or (n, 3), in segment axes from the segment's origin, metres.
    """
    along = R_lab_seg @ point_seg_m if point_seg_m.ndim == 1 else matvec(R_lab_seg, point_seg_m)
    return np.asarray(along + origin_lab_m)
