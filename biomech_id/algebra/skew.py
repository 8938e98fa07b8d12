"""The skew-symmetric matrix of a vector: S(v) w = v x w."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray


def skew(v: FloatArray) -> FloatArray:
    """Skew-symmetric matrix S(v) of a vector, with S(v) w = v x w.

    Parameters
    ----------
    v : FloatArray
        (..., 3), any unit, any axes.

    Returns
    -------
    FloatArray
        (..., 3, 3), in the axes and the unit of ``v``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.skew import skew
    >>> omega_rad_s, arm_m = np.array([0.0, 0.0, 2.0]), np.array([0.5, 0.0, 0.0])
    >>> skew(omega_rad_s) @ arm_m
    array([0., 1., 0.])
    """
    matrix = np.zeros((*v.shape, 3), np.result_type(v, np.float64))
    matrix[..., 0, 1], matrix[..., 0, 2] = -v[..., 2], v[..., 1]
    matrix[..., 1, 0], matrix[..., 1, 2] = v[..., 2], -v[..., 0]
    matrix[..., 2, 0], matrix[..., 2, 1] = -v[..., 1], v[..., 0]
    return matrix


def unskew(matrix: FloatArray) -> FloatArray:
    """Vector of the skew-symmetric part of a matrix: the inverse of `skew`.

    With ``Rdot R'`` it gives the angular velocity in laboratory axes, with ``R' Rdot`` in segment axes (rad/s).

    Parameters
    ----------
    matrix : FloatArray
        (..., 3, 3); its symmetric part is ignored.

    Returns
    -------
    FloatArray
        (..., 3), in the axes and the unit of ``matrix``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.skew import skew
    >>> from biomech_id.algebra.skew import unskew
    >>> unskew(skew(np.array([1.0, 2.0, 3.0])))
    array([1., 2., 3.])
    """
    upper = np.stack([matrix[..., 2, 1], matrix[..., 0, 2], matrix[..., 1, 0]], axis=-1)
    lower = np.stack([matrix[..., 1, 2], matrix[..., 2, 0], matrix[..., 0, 1]], axis=-1)
    vector: FloatArray = (upper - lower) / 2
    return vector
