"""The knee's axis from motion: the symmetrical axis of rotation approach.

SARA (Ehrig et al. 2007, J Biomech 40:2150). If two segments turn about one common axis, every point of it satisfies
R_k c + t_k = S_k d + u_k in all frames, so the solutions form a line: the system's matrix [R_k, -S_k] has one singular value near
zero, whose right singular vector holds the axis' direction in both segments, and the least-squares solution of least norm is a
point on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.body import Frames
from biomech_id.errors import InvalidValueError

#: In words, with its source.
SARA = "functional, SARA, Ehrig et al. 2007 (J Biomech 40:2150)"
#: Second smallest singular value, relative to the largest, below which the motion does not fix an axis.
_UNDETERMINED = 1e-2
#: Images of a functional centre or axis that scatter by more (m, root mean square) are refused.
MOST_RESIDUAL_M = 0.012


@dataclass(frozen=True, eq=False)
class JointAxis:
    """A functional joint axis.

    Attributes
    ----------
    point_proximal_m : FloatArray
        (3,), a point on the axis in the axes and from the origin of either segment, metres.
    point_distal_m : FloatArray
        (3,), a point on the axis in the axes and from the origin of either segment, metres.
    direction_proximal : FloatArray
        (3,), unit vectors along it in the axes of either segment.
    direction_distal : FloatArray
        (3,), unit vectors along it in the axes of either segment.
    residual_m : float
        Root mean square distance between the two images of the point, metres.
    method : str, optional
        In words, with its source.
    """

    point_proximal_m: FloatArray
    point_distal_m: FloatArray
    direction_proximal: FloatArray
    direction_distal: FloatArray
    residual_m: float
    method: str = SARA


def sara(proximal: Frames, distal: Frames) -> JointAxis:
    """Return the common axis of rotation of two segments; frames with a missing pose take no part.

    Parameters
    ----------
    proximal, distal : Frames
        Poses of the two segments, n frames each.

    Raises
    ------
    InvalidValueError
        The motion does not fix an axis.
    """
    seen = np.isfinite(proximal.R_lab_seg).all(axis=(1, 2)) & np.isfinite(distal.R_lab_seg).all(axis=(1, 2))
    R, S = proximal.R_lab_seg[seen], distal.R_lab_seg[seen]
    gap = (distal.origin_lab_m - proximal.origin_lab_m)[seen].reshape(-1)
    system = np.concatenate([R, -S], axis=2).reshape(-1, 6)
    U, singular, Vt = np.linalg.svd(system, full_matrices=False)
    if len(R) < 10 or singular[4] < _UNDETERMINED * singular[0]:
        raise InvalidValueError(
            "The functional trial does not fix the knee's axis: the knee hardly bends in it.",
            value=(len(R), singular.tolist()),
            expected="at least 10 frames of knee flexion over some 20 degrees", where="functional trial",
        )  # fmt: skip
    solution = Vt[:5].T @ ((U[:, :5].T @ gap) / singular[:5])
    along = Vt[5]
    miss = (system @ solution - gap).reshape(-1, 3)
    return JointAxis(
        point_proximal_m=solution[:3], point_distal_m=solution[3:],
        direction_proximal=along[:3] / np.linalg.norm(along[:3]), direction_distal=along[3:] / np.linalg.norm(along[3:]),
        residual_m=float(np.sqrt((miss**2).sum(axis=1).mean())),
    )  # fmt: skip
