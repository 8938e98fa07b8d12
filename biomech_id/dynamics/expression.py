"""One joint moment, several ways to write it down.

A moment is a vector; its components depend on axes that papers often leave unsaid. Besides laboratory and segment axes
(`JointLoad.expressed_in`) there is the joint coordinate system e1 (fixed in the proximal segment), e2 (floating), e3 (fixed in
the distal segment), whose axes are not perpendicular: k = e1 . e3 is the sine of the middle Cardan angle. In it a moment has ::

    projections   tau_k = M . e_k              work-conjugate to the joint angles: M . omega = sum tau_k dq_k/dt
    components    M = sum m_k e_k              m1 = (tau1 - k tau3) / (1 - k2), m2 = tau2, m3 = (tau3 - k tau1) / (1 - k2)

They differ as soon as k is not zero, so each result carries its name. Components blow up where e1 and e3 become parallel.

References: Grood & Suntay (1983) J Biomech Eng 105:136; Desroches, Cheze & Dumas (2010) J Biomech Eng 132:054503.
"""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np

from biomech_id.algebra.arrays import FloatArray, keep_array
from biomech_id.algebra.rotation import jcs_axes
from biomech_id.algebra.vectors import dot
from biomech_id.algebra.wrench import Sense
from biomech_id.errors import BiomechWarning
from biomech_id.values import dataclass

#: Components of the joint coordinate system are missing where its middle angle is this close to 90 degrees.
SINGULAR_WITHIN_RAD = np.deg2rad(1.0)

#: Projection on the axes of the joint coordinate system, or components along them that add up to the vector.
JcsExpression = Literal["jcs_projection", "jcs_component"]


@dataclass(frozen=True, eq=False)
class JcsMoment:
    """A joint moment written along the axes of its joint coordinate system.

    Attributes
    ----------
    components_Nm : FloatArray
        (n, 3), along or onto e1, e2, e3 (see the module).
    expression : JcsExpression
        "jcs_projection" or "jcs_component": which of the two ways of the module the components are.
    sequence : str
        Cardan sequence that defines the axes, proximal to distal, "yxz".
    sense : Sense, optional
        "internal" (action of the proximal on the distal segment) or "external".
    """

    components_Nm: FloatArray
    expression: JcsExpression
    sequence: str
    sense: Sense = "internal"

    def __post_init__(self) -> None:
        keep_array(self, "components_Nm", (None, 3))


def jcs_projection(moment_lab_Nm: FloatArray, R_lab_prox: FloatArray, R_lab_dist: FloatArray, sequence: str) -> FloatArray:
    """Project a joint moment on the axes of its joint coordinate system.

    Parameters
    ----------
    moment_lab_Nm : FloatArray
        (n, 3), about the joint centre, laboratory axes.
    R_lab_prox, R_lab_dist : FloatArray
        (n, 3, 3), segment components to laboratory components.
    sequence : str
        Cardan sequence of the joint, "yxz".

    Returns
    -------
    FloatArray
        (n, 3), N m, M . e1, M . e2, M . e3; finite even where the joint coordinate system is singular.

    Raises
    ------
    InvalidValueError
        For a sequence that is not a permutation of xyz.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.rotation import rotation_about
    >>> from biomech_id.dynamics.expression import jcs_projection
    >>> R_lab_dist = rotation_about(2, np.deg2rad([30.0]))
    >>> jcs_projection(np.array([[0.0, 0.0, 40.0]]), np.eye(3)[None], R_lab_dist, "zxy").round(3) + 0.0
    array([[40.,  0.,  0.]])
    """
    axes = jcs_axes(R_lab_prox, R_lab_dist, sequence)
    return np.stack([dot(moment_lab_Nm, axes[..., k]) for k in range(3)], axis=-1)


def jcs_component(
    moment_lab_Nm: FloatArray, R_lab_prox: FloatArray, R_lab_dist: FloatArray, sequence: str, *, where: str = "joint"
) -> FloatArray:
    """Split a joint moment into oblique components along the axes of its joint coordinate system.

    Parameters and errors as for `jcs_projection`; ``where`` names the joint in the warning.

    Parameters
    ----------
    moment_lab_Nm : FloatArray
        (n, 3), of the proximal on the distal segment, about the joint centre, laboratory axes, N m.
    R_lab_prox : FloatArray
        (n, 3, 3), maps components in proximal axes to laboratory components.
    R_lab_dist : FloatArray
        (n, 3, 3), maps components in distal axes to laboratory components.
    sequence : str
        Cardan sequence of the joint, "zxy".
    where : str, optional
        The joint, for the warning.

    Returns
    -------
    FloatArray
        (n, 3), N m, m1, m2, m3 with M = sum m_k e_k. NaN where the middle angle is within `SINGULAR_WITHIN_RAD` of 90 degrees, with
        one warning that names the frames.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.rotation import cardan_matrix
    >>> from biomech_id.dynamics.expression import jcs_component
    >>> R_lab_dist = cardan_matrix(np.deg2rad([[0.0, 30.0, 0.0]]), "zxy")
    >>> jcs_component(np.array([[0.0, 0.0, 40.0]]), np.eye(3)[None], R_lab_dist, "zxy").round(3) + 0.0
    array([[40.,  0.,  0.]])
    """
    axes = jcs_axes(R_lab_prox, R_lab_dist, sequence)
    k = dot(axes[..., 0], axes[..., 2])
    singular = np.abs(k) > np.cos(SINGULAR_WITHIN_RAD)
    if singular.any():
        frames = ", ".join(_runs(np.flatnonzero(singular)))
        warnings.warn(
            f"The joint coordinate system of the {where} is singular (middle angle within 1 degree of 90) in frames {frames}; "
            "its oblique moment components are missing there. Projections and segment axes are not affected.",
            BiomechWarning,
            stacklevel=2,
        )
    tau = np.stack([dot(moment_lab_Nm, axes[..., j]) for j in range(3)], axis=-1)
    one_minus_k2 = np.where(singular, np.nan, 1 - k**2)
    first = (tau[..., 0] - k * tau[..., 2]) / one_minus_k2
    last = (tau[..., 2] - k * tau[..., 0]) / one_minus_k2
    return np.stack([first, np.where(singular, np.nan, tau[..., 1]), last], axis=-1)


def _runs(frames: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    """Frame numbers as runs: [3, 4, 5, 9] -> ["3-5", "9"]."""
    groups = np.split(frames, np.flatnonzero(np.diff(frames) > 1) + 1)
    return [f"{group[0]}-{group[-1]}" if len(group) > 1 else str(group[0]) for group in groups]
