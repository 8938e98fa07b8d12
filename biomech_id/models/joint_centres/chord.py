"""Joint centres from a proximal centre, a joint marker and a wand: the chord construction.

Kadaba et al. 1990 (J Orthop Res 8:383) and Davis et al. 1991 (Hum Mov Sci 10:575). With P the proximal joint centre, M the marker
beside the joint and W the wand marker, the joint centre J satisfies ::

    |J - M| = d,    angle P-J-M = 90 degrees,    J in the plane of P, M and W, on the side away from W.

With L = ``|P - M|``, u = (P - M) / L and v the unit part of W - M across u, ::

    p = |P - J| = sqrt(L^2 - d^2),   e = (L^2 + d^2 - p^2) / 2L,   f = sqrt(d^2 - e^2),   J = M + e u - f v.

A wand that does not point along the joint's axis has a rotation offset: turning the wand's direction (seen from J, across the long
axis J-P) by ``wand_rotation_rad`` about that axis gives the direction from J to M. Then v is turned about u by phi, where
J(phi) = M + e u - f (v cos phi + (u x v) sin phi) meets that condition. With W - M = a u + b v it reads ::

    b sin(phi) - B tan(beta) cos(phi) = A tan(beta),      A = f (L - a) / p,   B = b (L - e) / p,

which has the closed solution used below. A joint axis that is not square to the long axis (the ankle's ab/adduction offset) turns
the joint found so about its marker, in the plane of P, M and J (`turned_to_proximal`).
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, dot
from biomech_id.models.triads import unit


def chord(
    proximal_lab_m: FloatArray,
    marker_lab_m: FloatArray,
    wand_lab_m: FloatArray,
    distance_m: float,
    *,
    wand_rotation_rad: float = 0.0,
) -> FloatArray:
    """Return the joint centre.

    Parameters
    ----------
    proximal_lab_m, marker_lab_m, wand_lab_m : FloatArray
        P, M, W; (n, 3) metres, laboratory axes.
    distance_m : float
        d, from the centre of the marker to the joint centre: half the joint's width plus the marker's radius.
    wand_rotation_rad : float, optional
        Beta, right-handed about the axis from J to P.

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes; NaN where the marker is nearer to P than the construction allows.
    """
    to_proximal = proximal_lab_m - marker_lab_m
    length = np.linalg.norm(to_proximal, axis=-1)
    u = unit(to_proximal)
    to_wand = wand_lab_m - marker_lab_m
    along = dot(to_wand, u)
    v = unit(to_wand - along[:, None] * u)
    with np.errstate(invalid="ignore"):
        p = np.sqrt(length**2 - distance_m**2)
        e = (length**2 + distance_m**2 - p**2) / (2 * length)
        f = np.sqrt(distance_m**2 - e**2)
    if wand_rotation_rad:
        across, tangent = dot(to_wand, v), np.tan(wand_rotation_rad)
        a, b = f * (length - along) / p, across * (length - e) / p
        amplitude = np.hypot(across, b * tangent)
        with np.errstate(invalid="ignore"):
            # NaN where no plane meets the condition.
            phi = np.arctan2(b * tangent, across) + np.arcsin(a * tangent / amplitude)
        v = np.cos(phi)[:, None] * v + np.sin(phi)[:, None] * cross(u, v)
    return np.asarray(marker_lab_m + e[:, None] * u - f[:, None] * v)


def turned_to_proximal(
    proximal_lab_m: FloatArray, marker_lab_m: FloatArray, joint_lab_m: FloatArray, angle_rad: float
) -> FloatArray:
    """Return the joint centre turned about its marker towards the proximal centre.

    Parameters
    ----------
    proximal_lab_m, marker_lab_m, joint_lab_m : FloatArray
        P, M, J; (n, 3) metres, laboratory axes.
    angle_rad : float
        In the plane of the three; positive opens the angle P-J-M beyond square.

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes, as far from the marker as before.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.models.joint_centres.chord import turned_to_proximal
    >>> knee, marker, ankle = np.array([[[0.0, 0.0, 0.4]], [[0.0, 0.05, 0.0]], [[0.0, 0.0, 0.0]]])
    >>> turned_to_proximal(knee, marker, ankle, 0.1).round(4)
    array([[0.    , 0.0002, 0.005 ]])
    """
    to_joint = joint_lab_m - marker_lab_m
    distance = np.linalg.norm(to_joint, axis=-1)[:, None]
    along = to_joint / distance
    to_proximal = proximal_lab_m - marker_lab_m
    across = unit(to_proximal - dot(to_proximal, along)[:, None] * along)
    return np.asarray(marker_lab_m + distance * (np.cos(angle_rad) * along + np.sin(angle_rad) * across))


def wand_rotation(
    proximal_lab_m: FloatArray, joint_lab_m: FloatArray, marker_lab_m: FloatArray, wand_lab_m: FloatArray
) -> FloatArray:
    """Return the angle from the wand to the joint's axis (inverse of `chord`).

    Parameters
    ----------
    proximal_lab_m : FloatArray
        (n, 3), P, laboratory axes, metres.
    joint_lab_m : FloatArray
        (n, 3), J, laboratory axes, metres.
    marker_lab_m : FloatArray
        (n, 3), M, laboratory axes, metres.
    wand_lab_m : FloatArray
        (n, 3), W, laboratory axes, metres.

    Returns
    -------
    FloatArray
        Beta, (n,), rad, seen along the axis from J to P; NaN where a point is missing.
    """
    z = unit(proximal_lab_m - joint_lab_m)
    axis = marker_lab_m - joint_lab_m
    wand = wand_lab_m - joint_lab_m
    axis = axis - dot(axis, z)[:, None] * z
    sine = dot(cross(wand, axis), z)
    return np.asarray(np.arctan2(sine, dot(wand, axis)))
