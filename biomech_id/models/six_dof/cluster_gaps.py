"""Markers of a cluster that come and go, without a jump of the segment.

Skin moves: a cluster's shape differs from its template by millimetres. When a marker disappears, the least-squares pose of the
others lies elsewhere than that of all, and the jump would differentiate to absurd accelerations. So a missing marker is put where
it was in the axes of the others: its place in their pose, interpolated in time from before the gap to behind it, held beyond its
first and last sight. Poses are then fitted to complete clusters, and are continuous.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.models.six_dof.pose import fit_pose


def bridge_cluster(points_lab_m: FloatArray, template_m: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the points with missing markers filled in frames that show at least three others.

    Parameters
    ----------
    points_lab_m : FloatArray
        (n, k, 3), measured markers, metres, laboratory axes, NaN where unseen.
    template_m, weights : FloatArray
        (k, 3) metres in segment axes, and (k,), as for `fit_pose`.
    """
    seen = np.asarray(np.isfinite(points_lab_m).all(axis=2))
    n_markers = points_lab_m.shape[1]
    if seen.all() or n_markers < 4:
        return points_lab_m
    filled = points_lab_m.copy()
    for marker in range(n_markers):
        others = np.arange(n_markers) != marker
        if seen[:, marker].all() or not seen[:, marker].any():
            continue
        pose = fit_pose(points_lab_m[:, others], template_m[others], weights[others])
        local = np.einsum("nji,nj->ni", pose.R_lab_seg, points_lab_m[:, marker] - pose.origin_lab_m)
        known = np.flatnonzero(np.isfinite(local).all(axis=1))
        missing = np.flatnonzero(~seen[:, marker] & np.isfinite(pose.residual_m))
        if not known.size or not missing.size:
            continue
        place = np.stack([np.interp(missing, known, local[known, axis]) for axis in range(3)], axis=1)
        filled[missing, marker] = np.einsum("nij,nj->ni", pose.R_lab_seg[missing], place) + pose.origin_lab_m[missing]
    return filled
