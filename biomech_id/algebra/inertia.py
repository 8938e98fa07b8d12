"""Inertia tensors: change of axes, of reference point, and of what they describe.

A tensor is a symmetric 3x3 matrix I with L = I omega; its off-diagonals are matrix entries, I_xy = -integral of xy dm.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import dot
from biomech_id.errors import InvalidValueError


def rotate_inertia(R_to_from: FloatArray, inertia_kgm2: FloatArray) -> FloatArray:
    """Write a tensor in other axes, R I R'.

    Parameters
    ----------
    R_to_from : FloatArray
        (..., 3, 3), maps components in the tensor's axes to components in the new ones.
    inertia_kgm2 : FloatArray
        (..., 3, 3), kg m2, about any point.

    Returns
    -------
    FloatArray
        (..., 3, 3), kg m2, about the same point, in the axes that ``R_to_from`` maps to.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.inertia import rotate_inertia
    >>> from biomech_id.algebra.rotation import rotation_about
    >>> quarter_turn_about_z = rotation_about(2, np.array(np.pi / 2))
    >>> rotate_inertia(quarter_turn_about_z, np.diag([0.1, 0.2, 0.3])).diagonal().round(6)
    array([0.2, 0.1, 0.3])
    """
    rotated: FloatArray = R_to_from @ inertia_kgm2 @ np.swapaxes(R_to_from, -1, -2)
    return rotated


def steiner(mass_kg: FloatArray | float, arm_m: FloatArray) -> FloatArray:
    """Tensor of a point mass, m (r.r 1 - r r').

    Parameters
    ----------
    mass_kg : FloatArray | float
        (...,) or one number, kg.
    arm_m : FloatArray
        (..., 3), from one point to the other, metres; the sign does not matter.

    Returns
    -------
    FloatArray
        (..., 3, 3), kg m2, about the point it is ``arm_m`` away from.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.inertia import steiner
    >>> steiner(2.0, np.array([0.0, 0.0, 0.5]))
    array([[0.5, 0. , 0. ],
           [0. , 0.5, 0. ],
           [0. , 0. , 0. ]])
    """
    outer = arm_m[..., :, None] * arm_m[..., None, :]
    tensor: FloatArray = np.asarray(mass_kg)[..., None, None] * (dot(arm_m, arm_m)[..., None, None] * np.eye(3) - outer)
    return tensor


def parallel_axis(inertia_com_kgm2: FloatArray, mass_kg: FloatArray | float, arm_m: FloatArray) -> FloatArray:
    """Move a tensor from the centre of mass to another point.

    Parameters
    ----------
    inertia_com_kgm2 : FloatArray
        (..., 3, 3), kg m2, about the centre of mass.
    mass_kg : FloatArray | float
        (...,) or one number, kg.
    arm_m : FloatArray
        (..., 3), from one point to the other, metres; the sign does not matter.

    Returns
    -------
    FloatArray
        (..., 3, 3), kg m2, about the point ``arm_m`` from the centre of mass, in the axes of ``inertia_com_kgm2``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.inertia import parallel_axis
    >>> parallel_axis(np.diag([0.01, 0.01, 0.001]), 3.0, np.array([0.0, 0.0, 0.2])).diagonal()
    array([0.13 , 0.13 , 0.001])
    """
    about_point: FloatArray = inertia_com_kgm2 + steiner(mass_kg, arm_m)
    return about_point


def combine(masses_kg: FloatArray, coms_m: FloatArray, inertias_kgm2: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Several rigid bodies as one.

    Parameters
    ----------
    masses_kg : FloatArray
        (k,), masses of the bodies.
    coms_m : FloatArray
        (k, 3), centres of mass in common axes from a common origin, metres.
    inertias_kgm2 : FloatArray
        (k, 3, 3), each about its own centre of mass, in the same axes.

    Returns
    -------
    tuple[float, FloatArray, FloatArray]
        Mass (kg), centre of mass (3,) from the same origin (m), tensor (3, 3) about that centre of mass in the same axes (kg m2).

    Raises
    ------
    InvalidValueError
        If the masses do not add up to more than zero, for then there is no centre of mass.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.inertia import combine
    >>> masses, coms = np.array([1.0, 3.0]), np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.4]])
    >>> mass, com, tensor = combine(masses, coms, np.zeros((2, 3, 3)))
    >>> float(mass), com.round(6), tensor.diagonal().round(6)
    (4.0, array([0. , 0. , 0.3]), array([0.12, 0.12, 0.  ]))
    """
    mass = float(np.sum(masses_kg))
    if not mass > 0:
        raise InvalidValueError(
            f"Bodies of {mass} kg in all have no centre of mass.",
            value=np.asarray(masses_kg).tolist(), expected="a total mass above 0 kg", where="combine",
        )  # fmt: skip
    com: FloatArray = np.asarray(masses_kg) @ np.asarray(coms_m) / mass
    tensor: FloatArray = parallel_axis(np.asarray(inertias_kgm2), np.asarray(masses_kg), com - np.asarray(coms_m)).sum(axis=0)
    return mass, com, tensor
