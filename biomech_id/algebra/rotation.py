"""Rotation matrices from and to Cardan angles, and the joint coordinate system they define.

``R_prox_dist = R_a(q1) R_b(q2) R_c(q3)`` for a sequence "abc" of three different axes: intrinsic rotations about the proximal
axis a, the floating axis b and the distal axis c. ``R_prox_dist`` maps distal components to proximal components.

SciPy's ``Rotation`` refuses a missing frame and costs a quarter of a second to import; these few lines keep NaN frames NaN.

References: Grood & Suntay (1983) J Biomech Eng 105:136; Cole et al. (1993) J Biomech Eng 115:344.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray, float_array
from biomech_id.algebra.vectors import cross
from biomech_id.arguments import a_str, takes
from biomech_id.errors import InvalidValueError, ShapeError

#: Below this cosine of the middle angle the floating axis is rounding noise (rotations are orthonormal to about 1e-9).
_LOCKED = 1e-8


def sequence_axes(sequence: str) -> tuple[int, int, int]:
    """Axis numbers of a sequence such as "yxz" (case does not matter).

    Parameters
    ----------
    sequence : str
        Axes in the order of the rotations, "yxz": the first is fixed in the proximal, the last in the distal segment.

    Returns
    -------
    tuple[int, int, int]
        0, 1 or 2 for x, y or z, in the order of the sequence.

    Raises
    ------
    InvalidValueError
        Unless the sequence names each of x, y, z once.

    Examples
    --------
    >>> from biomech_id.algebra.rotation import sequence_axes
    >>> sequence_axes("yxz")
    (1, 0, 2)
    """
    axes = tuple("xyz".find(letter) for letter in sequence.lower())
    if sorted(axes) != [0, 1, 2]:
        raise InvalidValueError(
            f"The rotation sequence {sequence!r} does not name each of x, y and z once.",
            value=sequence, expected="a permutation of xyz", where="rotation sequence",
        )  # fmt: skip
    return axes[0], axes[1], axes[2]


def rotation_about(axis: int, angle_rad: FloatArray) -> FloatArray:
    """Rotation about a coordinate axis, by the right-hand rule.

    Parameters
    ----------
    axis : int
        0, 1 or 2 for x, y or z.
    angle_rad : FloatArray
        (...,), any number of angles, rad.

    Returns
    -------
    FloatArray
        (..., 3, 3), maps components in the turned axes to components in the fixed ones; NaN for a missing angle.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.rotation import rotation_about
    >>> R_lab_seg = rotation_about(2, np.deg2rad(90.0))
    >>> (R_lab_seg @ [1.0, 0.0, 0.0]).round(6)
    array([0., 1., 0.])
    """
    i, j = (axis + 1) % 3, (axis + 2) % 3
    cosine, sine = np.cos(angle_rad), np.sin(angle_rad)
    matrix = np.zeros((*np.shape(angle_rad), 3, 3))
    matrix[..., axis, axis] = np.where(np.isnan(angle_rad), np.nan, 1.0)
    matrix[..., i, i] = matrix[..., j, j] = cosine
    matrix[..., j, i], matrix[..., i, j] = sine, -sine
    return matrix


def cardan_matrix(angles_rad: FloatArray, sequence: str) -> FloatArray:
    """Rotation matrix of Cardan angles.

    Parameters
    ----------
    angles_rad : FloatArray
        (..., 3), rad, in the order of ``sequence``.
    sequence : str
        Axes in the order of the rotations, "yxz": the first is fixed in the proximal, the last in the distal segment.

    Returns
    -------
    FloatArray
        (..., 3, 3), ``R_prox_dist``, distal components to proximal components; NaN where an angle is missing.

    Raises
    ------
    InvalidValueError
        For a sequence that is not a permutation of xyz.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.rotation import cardan_matrix
    >>> R_prox_dist = cardan_matrix(np.deg2rad([30.0, 0.0, 0.0]), "yxz")
    >>> (R_prox_dist @ [0.0, 0.0, 1.0]).round(3)
    array([0.5  , 0.   , 0.866])
    """
    a, b, c = sequence_axes(sequence)
    first, middle, last = (rotation_about(axis, angles_rad[..., k]) for k, axis in enumerate((a, b, c)))
    matrix: FloatArray = first @ middle @ last
    return matrix


def cardan_angles(R_prox_dist: FloatArray, sequence: str) -> FloatArray:
    """Cardan angles of a rotation matrix.

    Parameters
    ----------
    R_prox_dist : FloatArray
        (..., 3, 3), maps components in distal axes to components in proximal axes.
    sequence : str
        Axes in the order of the rotations, "yxz": the first is fixed in the proximal, the last in the distal segment.

    Returns
    -------
    FloatArray
        (..., 3), rad, in the order of the sequence; the middle one within +-pi/2. NaN where the matrix is.

    Raises
    ------
    InvalidValueError
        For a sequence that is not a permutation of xyz.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.rotation import cardan_angles
    >>> from biomech_id.algebra.rotation import cardan_matrix
    >>> R_prox_dist = cardan_matrix(np.deg2rad([30.0, 5.0, -10.0]), "yxz")
    >>> np.rad2deg(cardan_angles(R_prox_dist, "yxz")).round(3)
    array([ 30.,   5., -10.])
    """
    a, b, c = sequence_axes(sequence)
    handed = _handedness(a, b)
    R = R_prox_dist
    sine = handed * R[..., a, c]
    # atan2 of (sine, cosine) keeps its precision near +-pi/2, where arcsin loses half its digits.
    middle = np.arctan2(sine, np.hypot(R[..., a, a], R[..., a, b]))
    first = np.arctan2(-handed * R[..., b, c], R[..., c, c])
    last = np.arctan2(-handed * R[..., a, b], R[..., a, a])
    angles: FloatArray = np.stack([first, middle, last], axis=-1)
    return angles


@takes(sequence=a_str())
def joint_angles(R_lab_prox: ArrayLike, R_lab_dist: ArrayLike, sequence: str = "YXZ") -> FloatArray:
    """Angles of a distal segment in a proximal one, in any order of axes, named as SciPy names it.

    Parameters
    ----------
    R_lab_prox, R_lab_dist : ArrayLike
        (..., 3, 3), segment components to laboratory components; (3, 3) of one counts for all frames of the other.
    sequence : str, optional
        "YXZ": turns about the axes that go along, the first fixed in the proximal and the last in the distal segment. "yxz": about
        the proximal segment's own axes.

    Returns
    -------
    FloatArray
        (..., 3), rad, in the order of the sequence, as ``Rotation.as_euler(sequence)`` gives them. NaN where a pose is.

    Raises
    ------
    InvalidValueError
        A sequence that does not name each of x, y, z once, or mixes small and capital letters.
    ShapeError
        Poses that do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> import biomech_id as bid
    >>> from biomech_id.algebra.rotation import rotation_about
    >>> knee = bid.joint_angles(np.eye(3), rotation_about(1, np.radians(np.array([20.0, 60.0]))), "YXZ")
    >>> np.degrees(knee).round(3) + 0.0
    array([[20.,  0.,  0.],
           [60.,  0.,  0.]])
    """
    both = [float_array(R, name=name, where="joint_angles") for R, name in ((R_lab_prox, "R_lab_prox"), (R_lab_dist, "R_lab_dist"))]
    shapes = [R.shape for R in both]
    if any(shape[-2:] != (3, 3) for shape in shapes) or len({shape for shape in shapes if shape != (3, 3)}) > 1:
        raise ShapeError(
            f"joint_angles has R_lab_prox of shape {shapes[0]} and R_lab_dist of shape {shapes[1]}.",
            value=shapes, expected="(n, 3, 3) each, of the same n", where="joint_angles",
        )  # fmt: skip
    sequence_axes(sequence)
    if not (sequence.isupper() or sequence.islower()):
        raise InvalidValueError(
            f"The sequence {sequence!r} of joint_angles mixes small and capital letters.", value=sequence,
            expected="capitals for axes that go along, small letters for fixed ones", where="joint_angles",
        )  # fmt: skip
    R_prox_dist = np.swapaxes(both[0], -1, -2) @ both[1]
    if sequence.isupper():
        return cardan_angles(R_prox_dist, sequence)
    return np.asarray(cardan_angles(R_prox_dist, sequence[::-1])[..., ::-1])


def jcs_axes(R_lab_prox: FloatArray, R_lab_dist: FloatArray, sequence: str) -> FloatArray:
    """Axes of the joint coordinate system.

    e1 is fixed in the proximal segment, e3 in the distal one, e2 floats perpendicular to both; e1 . e3 is, up to the handedness of
    the sequence, the sine of the middle angle. Where e1 and e3 are parallel the floating axis is not defined and the proximal
    segment's middle axis, which is perpendicular to e1 too, takes its place, so that the axes stay finite.

    Parameters
    ----------
    R_lab_prox : FloatArray
        (..., 3, 3), maps components in proximal axes to laboratory components.
    R_lab_dist : FloatArray
        (..., 3, 3), maps components in distal axes to laboratory components.
    sequence : str
        Axes in the order of the rotations, "yxz": the first is fixed in the proximal, the last in the distal segment.

    Returns
    -------
    FloatArray
        (..., 3, 3), columns e1, e2, e3, unit vectors in laboratory axes.

    Raises
    ------
    InvalidValueError
        For a sequence that is not a permutation of xyz.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.rotation import jcs_axes
    >>> from biomech_id.algebra.rotation import rotation_about
    >>> flexed = rotation_about(2, np.deg2rad(40.0))
    >>> e1, e2, e3 = jcs_axes(np.eye(3), flexed, "zxy").T
    >>> e1.round(3), e3.round(3)
    (array([0., 0., 1.]), array([-0.643,  0.766,  0.   ]))
    """
    a, b, c = sequence_axes(sequence)
    first, last = R_lab_prox[..., a], R_lab_dist[..., c]
    floating = _handedness(a, b) * cross(last, first)
    cosine = np.linalg.norm(floating, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        floating = np.where(cosine > _LOCKED, floating / cosine, R_lab_prox[..., b] + 0.0 * last)
    axes: FloatArray = np.stack([first, floating, last], axis=-1)
    return axes


def _handedness(a: int, b: int) -> float:
    """+1 for a cyclic sequence (xyz, yzx, zxy), -1 for the others."""
    return 1.0 if (b - a) % 3 == 1 else -1.0


def nearest_rotations(matrices: FloatArray) -> FloatArray:
    """Rotations nearest, by least squares, to matrices that almost are ones.

    Parameters
    ----------
    matrices : FloatArray
        (..., 3, 3), such as rotations stored as 32-bit floats, or filtered number by number.

    Returns
    -------
    FloatArray
        (..., 3, 3), right-handed; a matrix with a NaN is all NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.rotation import nearest_rotations
    >>> nearest_rotations(np.diag([1.1, 0.9, 1.0])).round(12)
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    seen: BoolArray = np.asarray(np.isfinite(matrices).all(axis=(-2, -1), keepdims=True))
    left, _, right = np.linalg.svd(np.where(seen, matrices, np.eye(3)))
    # Of the nearest orthonormal matrices the right-handed one: the least certain axis is turned round where need be.
    left[..., 2] *= np.sign(np.linalg.det(left @ right))[..., None]
    return np.asarray(np.where(seen, left @ right, np.nan))
