"""What calibration teaches the six-degree-of-freedom model, as values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.anatomy import LEG_SEGMENTS, Part
from biomech_id.conventions import MM_PER_M
from biomech_id.dynamics.body import Segment
from biomech_id.markersets.marker_set import MarkerSet
from biomech_id.models.conventional.upper_body.calibration import UpperCalibration
from biomech_id.models.segment_record import segment_record
from biomech_id.values import dataclass, field

#: Name of the proximal joint centre in a cluster that has fewer than three markers of its own.
PARENT_POINT = "proximal joint centre"


@compact_repr
@dataclass(frozen=True, eq=False)
class SegmentTemplate:
    """A segment's cluster and anatomical points in its ISB axes.

    Attributes
    ----------
    labels : tuple[str, ...]
        Markers of the cluster, and `PARENT_POINT` where it has fewer than three.
    cluster_m : FloatArray
        (k, 3), their places from the segment's origin, metres.
    weights : FloatArray
        (k,), weights of the pose fit.
    points_m : Mapping[str, FloatArray]
        Name -> (3,) anatomical point, metres: joint centres ("hip_centre"; in the pelvis "L hip_centre", "R hip_centre") and the
        end points of inertial tables.
    spread_m : float
        Root mean square departure of the cluster from this template over the calibration's frames, metres.
    """

    labels: tuple[str, ...]
    cluster_m: FloatArray
    weights: FloatArray
    points_m: Mapping[str, FloatArray]
    spread_m: float

    @property
    def markers(self) -> tuple[str, ...]:
        """Markers of the cluster, without a joint centre that serves as its third point."""
        return tuple(label for label in self.labels if label != PARENT_POINT)


@compact_repr
@dataclass(frozen=True, eq=False)
class SixDofCalibration:
    """Everything a static trial, or a window of a walk, taught about a subject.

    Attributes
    ----------
    reference : str
        Name of the static trial, or of the walk that stands for it.
    from_walk : bool
        Whether that trial was a walk, for want of a static one.
    n_frames : int
        Frames in which a whole leg was seen.
    markerset : MarkerSet
        Says which marker lies on which point, and which follow which segment.
    why : str
        How the marker set was chosen, in words.
    sides : tuple[str, ...]
        "L", "R" or both.
    templates : Mapping[Part, SegmentTemplate]
        ("", "pelvis") and (side, segment) -> template.
    segments : Mapping[Part, Segment]
        (side, segment) -> inertial parameters.
    length_m : Mapping[Part, float]
        (side, segment) -> length the parameters refer to, metres.
    table : str
        Name of the inertial table.
    methods : Mapping[Part, str]
        (side, joint) -> how the joint centre was found, with its source.
    hip_methods : Mapping[str, str]
        Side -> which kind of method found the hip centre.
    hip_candidates_m : Mapping[str, Mapping[str, FloatArray]]
        Side -> method -> (3,) hip centre in pelvis axes from mid-ASIS, metres, by every regression that could be applied, to
        compare.
    foot_flat : bool
        Whether heel and forefoot were taken as level at calibration.
    marker_radius_m : float
        Radius of the markers as used, metres.
    upper : UpperCalibration
        What is known of arms and head.
    outline_foot_m : Mapping[str, FloatArray], optional
        Side -> (k, 3) outline of the sole in foot axes, metres.
    """

    reference: str
    from_walk: bool
    n_frames: int
    markerset: MarkerSet
    why: str
    sides: tuple[str, ...]
    templates: Mapping[Part, SegmentTemplate]
    segments: Mapping[Part, Segment]
    length_m: Mapping[Part, float]
    table: str
    methods: Mapping[Part, str]
    hip_methods: Mapping[str, str]
    hip_candidates_m: Mapping[str, Mapping[str, FloatArray]]
    foot_flat: bool
    marker_radius_m: float
    upper: UpperCalibration
    outline_foot_m: Mapping[str, FloatArray] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``calibration.json`` says.

        Returns
        -------
        dict[str, Any]
            Plain values: mm and degrees, masses in kg, tensors in kg m2 about the centre of mass.
        """
        return {
            "static": self.reference,
            "static_frames": self.n_frames,
            "calibrated_from_walk": self.from_walk,
            "hip_centre": dict(self.hip_methods),
            "marker_set": self.markerset.name,
            "marker_set_why": self.why,
            "inertial_table": self.table,
            "axes": "ISB: X anterior, Y proximal, Z to the right",
            "marker_diameter_mm": 2 * self.marker_radius_m * MM_PER_M,
            "foot_flat": self.foot_flat,
            "pelvis": self._template("", "pelvis"),
            **self.upper.of_head(),
            "sides": {side: self._side(side) | self.upper.of_side(side) for side in self.sides},
        }

    def _side(self, side: str) -> dict[str, Any]:
        hip = self.templates["", "pelvis"].points_m[f"{side} hip_centre"]
        return {
            "hip_centre_method": self.methods[side, "hip"],
            "knee_centre_method": self.methods[side, "knee"],
            "ankle_centre_method": self.methods[side, "ankle"],
            "hip_centre_in_pelvis_mm": (hip * MM_PER_M).tolist(),
            "hip_centre_by_regression_mm": {
                name: (centre * MM_PER_M).tolist() for name, centre in self.hip_candidates_m[side].items()
            },
            "segments": {name: self._segment(side, name) for name in LEG_SEGMENTS},
        }

    def _segment(self, side: str, name: str) -> dict[str, Any]:
        record = segment_record(self.segments[side, name], self.length_m[side, name])
        return {**record, **self._template(side, name)}

    def _template(self, side: str, name: str) -> dict[str, Any]:
        template = self.templates[side, name]
        return {
            "cluster_mm": {
                label: (place * MM_PER_M).tolist() for label, place in zip(template.labels, template.cluster_m, strict=True)
            },
            "cluster_spread_mm": template.spread_m * MM_PER_M if np.isfinite(template.spread_m) else None,
        }
