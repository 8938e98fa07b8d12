"""Following segments through a recording by their marker clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS, Part, part_words, proximal_part
from biomech_id.dynamics.body import Frames
from biomech_id.errors import MissingInputError
from biomech_id.models.six_dof.calibration import SegmentTemplate
from biomech_id.models.six_dof.cluster_gaps import bridge_cluster
from biomech_id.models.six_dof.pose import Pose, fit_pose
from biomech_id.models.triads import into_lab
from biomech_id.trial import Markers


@dataclass(frozen=True, eq=False)
class TrackedSegments:
    """Poses of every segment, joint centres carried by the proximal segments, and how well the clusters fit.

    Attributes
    ----------
    frames : Mapping[Part, Frames]
        Part -> pose.
    centres_lab_m : Mapping[Part, FloatArray]
        Part -> (n, 3), proximal joint centre, laboratory axes.
    residual_m : Mapping[Part, FloatArray]
        Part -> (n,), how well the cluster fits.
    """

    frames: Mapping[Part, Frames]
    centres_lab_m: Mapping[Part, FloatArray]
    residual_m: Mapping[Part, FloatArray]


def track_segments(templates: Mapping[Part, SegmentTemplate], sides: Sequence[str], markers: Markers) -> TrackedSegments:
    """Fit every segment's template to a recording's markers (under the set's labels), pelvis first, then down each leg.

    Parameters
    ----------
    templates : Mapping[Part, SegmentTemplate]
        ("", "pelvis") and (side, segment) -> template.
    sides : Sequence[str]
        Sides to track.
    markers : Markers
        The recording's markers; a label that is missing counts as unseen.
    """
    poses: dict[Part, Pose] = {("", "pelvis"): _follow(templates["", "pelvis"], markers, None)}
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
    own = template.markers
    points = np.stack([_path(markers, label) for label in own], axis=1)
    if joint_lab_m is not None and len(own) < len(template.labels):
        points = np.concatenate([points, joint_lab_m[:, None, :]], axis=1)
    return fit_pose(bridge_cluster(points, template.cluster_m, template.weights), template.cluster_m, template.weights)


def _path(markers: Markers, label: str) -> FloatArray:
    return markers[label] if label in markers else np.full((markers.n_frames, 3), np.nan)


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
