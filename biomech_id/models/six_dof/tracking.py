"""Following segments through a recording by their marker clusters.

Markers come and go, and skin moves: a cluster's shape differs from its template by millimetres. When a marker disappears, the
least-squares pose of the others lies elsewhere than that of all, and the jump would differentiate to absurd accelerations. So a
missing marker is put where it was in the axes of the others: its place in their pose, interpolated in time from before the gap to
behind it, held beyond its first and last sight. Poses are then fitted to complete clusters, and are continuous.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS, PELVIS, Part, part_words, proximal_part
from biomech_id.dynamics.body import Frames
from biomech_id.errors import MissingInputError
from biomech_id.models.six_dof.calibration import SegmentTemplate
from biomech_id.models.six_dof.pose import Pose, fit_pose
from biomech_id.models.triads import into_lab, into_segment
from biomech_id.trial import Markers
from biomech_id.values import dataclass


def bridge_cluster(points_lab_m: FloatArray, template_m: FloatArray, weights: FloatArray) -> FloatArray:
    """Return a cluster's points with missing markers filled.

    Parameters
    ----------
    points_lab_m : FloatArray
        (n, k, 3), measured markers, metres, laboratory axes, NaN where unseen.
    template_m : FloatArray
        (k, 3), places of the markers in segment axes, metres, as for `fit_pose`.
    weights : FloatArray
        (k,), weights of the markers, as for `fit_pose`.

    Returns
    -------
    FloatArray
        (n, k, 3), metres, laboratory axes; NaN stays in frames that show fewer than three others.
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
        local = into_segment(pose.R_lab_seg, pose.origin_lab_m, points_lab_m[:, marker])
        known = np.flatnonzero(np.isfinite(local).all(axis=1))
        missing = np.flatnonzero(~seen[:, marker] & np.isfinite(pose.residual_m))
        if not known.size or not missing.size:
            continue
        place = np.stack([np.interp(missing, known, local[known, axis]) for axis in range(3)], axis=1)
        filled[missing, marker] = np.einsum("nij,nj->ni", pose.R_lab_seg[missing], place) + pose.origin_lab_m[missing]
    return filled


@dataclass(frozen=True, eq=False)
class TrackedSegments:
    """Poses of every segment, joint centres carried by the proximal segments, and how well the clusters fit.

    Attributes
    ----------
    frames : Mapping[Part, Frames]
        ("", "pelvis") and (side, segment) -> pose in n frames.
    centres_lab_m : Mapping[Part, FloatArray]
        (side, joint) -> (n, 3), metres, laboratory axes, carried by the segment above it.
    residual_m : Mapping[Part, FloatArray]
        Part -> (n,), weighted root mean square distance of the cluster from its template, metres.
    """

    frames: Mapping[Part, Frames]
    centres_lab_m: Mapping[Part, FloatArray]
    residual_m: Mapping[Part, FloatArray]


def track_segments(templates: Mapping[Part, SegmentTemplate], sides: Sequence[str], markers: Markers) -> TrackedSegments:
    """Fit every segment's template to a recording's markers.

    Parameters
    ----------
    templates : Mapping[Part, SegmentTemplate]
        ("", "pelvis") and (side, segment) -> template.
    sides : Sequence[str]
        "L", "R" or both.
    markers : Markers
        The recording's markers under the set's labels; a label that is missing counts as unseen.

    Returns
    -------
    TrackedSegments
        Pelvis first, then down each leg; NaN where a cluster shows fewer than three points.
    """
    poses: dict[Part, Pose] = {PELVIS: _follow(templates[PELVIS], markers, None)}
    centres: dict[Part, FloatArray] = {}
    for side in sides:
        for joint in reversed(JOINTS):
            name = DISTAL_SEGMENT[joint]
            above = proximal_part(side, joint)
            point = f"{side} hip_centre" if joint == "hip" else f"{joint}_centre"
            carrier = poses[above]
            centres[side, joint] = into_lab(carrier.R_lab_seg, carrier.origin_lab_m, templates[above].points_m[point])
            poses[side, name] = _follow(templates[side, name], markers, centres[side, joint])
    return TrackedSegments(
        {key: Frames(pose.R_lab_seg, pose.origin_lab_m) for key, pose in poses.items()},
        centres,
        {key: pose.residual_m for key, pose in poses.items()},
    )


def _follow(template: SegmentTemplate, markers: Markers, joint_lab_m: FloatArray | None) -> Pose:
    """Pose of one segment; a cluster of two markers takes the joint centre above it (the segment's origin) as its third point."""
    own, shape = template.markers, (markers.n_frames, 3)
    points = np.stack([markers[label] if label in markers else np.full(shape, np.nan) for label in own], axis=1)
    if joint_lab_m is not None and len(own) < len(template.labels):
        points = np.concatenate([points, joint_lab_m[:, None, :]], axis=1)
    return fit_pose(bridge_cluster(points, template.cluster_m, template.weights), template.cluster_m, template.weights)


def require_clusters(templates: Mapping[Part, SegmentTemplate], markers: Markers, where: str) -> None:
    """Refuse a recording in which a segment can never be followed, naming every marker that is missing.

    Parameters
    ----------
    templates : Mapping[Part, SegmentTemplate]
        Segment -> its template.
    markers : Markers
        Markers of the recording, laboratory axes.
    where : str
        The file or trial concerned, for the error message.

    Raises
    ------
    MissingInputError
        A cluster with fewer than three markers that are ever seen (two in a cluster of two).
    """
    missing = []
    for (side, name), template in templates.items():
        own = template.markers
        absent = [label for label in own if not markers.present(label)]
        if len(own) - len(absent) < min(3, len(own)):
            missing.append(f"{', '.join(absent)} ({part_words((side, name))})")
    if missing:
        raise MissingInputError(
            f"{where} cannot be tracked; missing: {'; '.join(missing)}.",
            value=missing, expected="at least three markers of every cluster, both of a cluster of two", where=where,
        )  # fmt: skip
