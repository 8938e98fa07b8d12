"""Products of 3-vectors and 3x3 matrices, for all frames at once.

The last axes hold the components; whatever comes before (frames, segments) broadcasts. Results are stored column-major, so
that one component over all frames lies contiguous in memory: on a thousand frames NumPy is bound by the number of calls and
on a hundred thousand by memory traffic, and inner loops over frames serve both better than inner loops over three components
(see ``benchmarks/dynamics.py``). A NaN touches its own frame only.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cross product a x b.

    Parameters
    ----------
    a, b : FloatArray
        (..., 3), in the same axes.

    Returns
    -------
    FloatArray
        (..., 3), in the axes both are written in, column-major; its unit is the product of theirs.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.vectors import cross
    >>> arm_m, force_N = np.array([[0.0, 0.1, 0.0]]), np.array([[0.0, 0.0, 700.0]])
    >>> cross(arm_m, force_N)
    array([[70.,  0.,  0.]])
    """
    shape = a.shape if a.shape == b.shape else np.broadcast_shapes(a.shape, b.shape)
    out = np.empty(shape, np.result_type(a, b), order="F")
    a_x, a_y, a_z = a[..., 0], a[..., 1], a[..., 2]
    b_x, b_y, b_z = b[..., 0], b[..., 1], b[..., 2]
    np.subtract(a_y * b_z, a_z * b_y, out=out[..., 0])
    np.subtract(a_z * b_x, a_x * b_z, out=out[..., 1])
    np.subtract(a_x * b_y, a_y * b_x, out=out[..., 2])
    return out


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Scalar product a . b.

    Parameters
    ----------
    a, b : FloatArray
        (..., 3), in the same axes.

    Returns
    -------
    FloatArray
        (...,), its unit is the product of theirs.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.vectors import dot
    >>> moment_Nm, omega_rad_s = np.array([[0.0, 40.0, 0.0]]), np.array([[0.0, 3.0, 1.0]])
    >>> dot(moment_Nm, omega_rad_s)
    array([120.])
    """
    product: FloatArray = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
    return product


def matvec(matrix: FloatArray, v: FloatArray) -> FloatArray:
    """Product A v: ``matvec(R_lab_seg, v_seg)`` is v in the laboratory.

    Parameters
    ----------
    matrix : FloatArray
        (..., 3, 3), any unit: a rotation, a tensor.
    v : FloatArray
        (..., 3), in the axes that the matrix maps from.

    Returns
    -------
    FloatArray
        (..., 3), in the axes that the matrix maps to.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.rotation import rotation_about
    >>> from biomech_id.algebra.vectors import matvec
    >>> R_lab_seg = rotation_about(2, np.deg2rad([0.0, 90.0]))
    >>> matvec(R_lab_seg, np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])).round(6)
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    # einsum takes the longest contiguous axis as its inner loop, so column-major stacks run over frames, not over 3 x 3.
    product: FloatArray = np.einsum("...ij,...j->...i", matrix, v)
    return product


def matvec_transposed(matrix: FloatArray, v: FloatArray) -> FloatArray:
    """Product A' v: ``matvec_transposed(R_lab_seg, v_lab)`` is v in segment axes.

    Parameters
    ----------
    matrix : FloatArray
        (..., 3, 3), any unit: a rotation, a tensor.
    v : FloatArray
        (..., 3), in the axes that the matrix maps to.

    Returns
    -------
    FloatArray
        (..., 3), in the axes that the matrix maps from.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.rotation import rotation_about
    >>> from biomech_id.algebra.vectors import matvec_transposed
    >>> R_lab_seg = rotation_about(2, np.deg2rad([90.0]))
    >>> matvec_transposed(R_lab_seg, np.array([[0.0, 1.0, 0.0]])).round(6)
    array([[1., 0., 0.]])
    """
    product: FloatArray = np.einsum("...ji,...j->...i", matrix, v)
    return product
