"""The direction a subject walks in, as the conventional model sees it: one of the four horizontal laboratory axes."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen

#: Standing subjects drift by 14 mm at most in the recordings studied, walking ones move by 1.3 m at least.
SMALLEST_WALK_M = 0.5


def progression_axes(asis_lab_m: FloatArray, R_lab_pelvis: FloatArray) -> FloatArray:
    """Return the laboratory's axes as the subject walks.

    X is the laboratory axis along which the net horizontal displacement of ``asis_lab_m`` (n, 3) from its first to its last
    visible frame is largest; if that is below 0.5 m (standing, treadmill), the axis nearest to the mean anterior axis of
    ``R_lab_pelvis`` (n, 3, 3). Without any visible frame the laboratory's own axes are returned.

    Parameters
    ----------
    asis_lab_m : FloatArray
        (n, 3), between the ASIS markers, laboratory axes, metres.
    R_lab_pelvis : FloatArray
        (n, 3, 3), maps pelvis components to laboratory components.

    Returns
    -------
    FloatArray
        R_progression_lab, (3, 3): rows are X forward, Y to the left and Z up, in laboratory components.
    """
    seen = np.flatnonzero(np.isfinite(asis_lab_m).all(axis=1))
    if not seen.size:
        return np.eye(3)
    forward = (asis_lab_m[seen[-1]] - asis_lab_m[seen[0]])[:2]
    anterior = R_lab_pelvis[:, :2, 0]
    if np.abs(forward).max() < SMALLEST_WALK_M and np.isfinite(anterior).any():
        forward = over_seen(np.nanmean, anterior, axis=0)
    axis = int(np.argmax(np.abs(forward)))
    x = np.zeros(3)
    x[axis] = 1.0 if forward[axis] >= 0 else -1.0
    up = np.array([0.0, 0.0, 1.0])
    return np.stack([x, np.cross(up, x), up])
