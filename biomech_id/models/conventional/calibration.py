"""Everything the static trial taught about a subject, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.conventions import MM_PER_M
from biomech_id.dynamics.body import Segment
from biomech_id.models.conventional.knee_axis import AxisTurn
from biomech_id.models.conventional.leg import LegGeometry
from biomech_id.models.conventional.pelvis import DAVIS_HIP, OWN_HIP
from biomech_id.models.conventional.static_offsets import FootOffsets
from biomech_id.models.conventional.upper_body.calibration import UpperCalibration
from biomech_id.models.joint_centres.anatomical import hip_method
from biomech_id.models.joint_centres.functional import SARA
from biomech_id.models.joint_centres.hip_regressions import HIP_CENTRES, REGRESSIONS, HipCentreWay
from biomech_id.models.joint_centres.knee_axis_walk import KneeTurn
from biomech_id.models.segment_record import segment_record
from biomech_id.values import dataclass, field

#: How hip centres are found unless another method is asked for, for people.
HIP_METHOD = "regression, Davis et al. 1991 (Hum Mov Sci 10:575)"
CENTRE_METHOD = "chord construction, Kadaba et al. 1990 (J Orthop Res 8:383)"


@compact_repr
@dataclass(frozen=True, eq=False)
class ConventionalCalibration:
    """What a static trial fixes for every other trial of the subject.

    Attributes
    ----------
    static : str
        Name of the static trial.
    n_frames : int
        Static frames with every marker seen.
    sides : tuple[str, ...]
        Sides that were calibrated.
    marker_radius_m : float
        Radius of the markers as used, metres.
    inter_asis_m : float
        Distance between the anterior spines as used, metres.
    asis_trochanter_m : Mapping[str, float]
        Side -> distance as used, metres.
    geometry : Mapping[str, LegGeometry]
        Side -> constants of the leg.
    foot_flat : bool | None
        Whether the foot was set flat for the offsets; None where the offsets were stored by other software.
    offsets : Mapping[str, FootOffsets]
        Side -> static offsets of the foot.
    knee_device : bool
        Whether knee alignment devices showed the knee axes.
    length_m : Mapping[tuple[str, str], float]
        (side, segment) -> static length, metres.
    segments : Mapping[tuple[str, str], Segment]
        (side, segment) -> inertial parameters of the textbook mode, or of the table.
    outline_foot_m : Mapping[str, FloatArray]
        Side -> (k, 3) outline of the sole in foot axes from the ankle centre, metres.
    upper : UpperCalibration
        What is known of arms and head.
    table : str, optional
        The inertial table that was chosen; "" for the model's own parameters.
    stored : bool, optional
        Whether offsets that other software stored stand in for a static trial.
    medial : tuple[str, ...], optional
        Points whose markers showed the joints' axes: "medial_epicondyle", "medial_malleolus".
    knee_turn : Mapping[str, KneeTurn], optional
        Side -> what the walks showed of the knee's axis, where it was taken from them.
    knee_movement : Mapping[str, AxisTurn], optional
        Side -> what a functional movement showed of it, where it was taken from that.
    hip : str, optional
        Method of the hip centres, as a recipe names it.
    """

    static: str
    n_frames: int
    sides: tuple[str, ...]
    marker_radius_m: float
    inter_asis_m: float
    asis_trochanter_m: Mapping[str, float]
    geometry: Mapping[str, LegGeometry]
    foot_flat: bool | None
    offsets: Mapping[str, FootOffsets]
    knee_device: bool
    length_m: Mapping[tuple[str, str], float]
    segments: Mapping[tuple[str, str], Segment]
    outline_foot_m: Mapping[str, FloatArray]
    upper: UpperCalibration
    table: str = ""
    stored: bool = False
    medial: tuple[str, ...] = ()
    knee_turn: Mapping[str, KneeTurn] = field(default_factory=dict)
    knee_movement: Mapping[str, AxisTurn] = field(default_factory=dict)
    hip: str = OWN_HIP

    def to_dict(self) -> dict[str, Any]:
        """Return what ``calibration.json`` says.

        Returns
        -------
        dict[str, Any]
            Plain values: mm and degrees, masses in kg, tensors in kg m2 about the centre of mass.
        """
        return {
            "static": self.static,
            "static_frames": self.n_frames,
            "hip_centre": dict.fromkeys(self.sides, self.hip_way.name),
            "hip_centre_method": self._hip_words(),
            "knee_and_ankle_centre_method": CENTRE_METHOD + self._knee_axes(),
            "marker_diameter_mm": 2 * self.marker_radius_m * MM_PER_M,
            "inter_asis_distance_mm": self.inter_asis_m * MM_PER_M,
            "foot_flat": self.foot_flat,
            **({"inertial_table": self.table} if self.table else {}),
            **({"offsets_stored": True} if self.stored else {}),
            **self.upper.of_head(),
            "sides": {side: self._side(side) | self.upper.of_side(side) for side in self.sides},
        }

    @property
    def hip_way(self) -> HipCentreWay:
        """How every hip centre is found, and how far it can be off."""
        # A function of one run is known within that run alone.
        return HIP_CENTRES.get("davis" if self.hip in DAVIS_HIP else self.hip, HipCentreWay("own", self.hip, None))

    def _hip_words(self) -> str:
        if self.hip in DAVIS_HIP:
            return HIP_METHOD
        return hip_method(self.hip) if self.hip in REGRESSIONS else self.hip_way.words

    def _knee_axes(self) -> str:
        """Where the knees' axes come from, if not from the thigh markers as they sit."""
        if self.knee_turn:
            varus = (f"{side} {t.varus_range_deg:.1f} to {t.varus_range_then_deg:.1f} deg" for side, t in self.knee_turn.items())
            return f", knee axes from the walks by least varus, Baker et al. 1999 (Hum Mov Sci 18:655), range {', '.join(varus)}"
        if self.knee_movement:
            movements = (f"{t.side} {t.flexion_deg:.0f} deg in {t.trial}" for t in self.knee_movement.values())
            return f", knee axes {SARA}, {', '.join(movements)}"
        if self.medial:
            return f", axes by markers on {' and '.join(point.replace('_', ' ') for point in self.medial)}"
        return ", knee axes from alignment devices" if self.knee_device else ""

    def _side(self, side: str) -> dict[str, Any]:
        geometry, offsets = self.geometry[side], self.offsets[side]
        angles_rad = {
            "thigh_rotation": geometry.thigh_rotation_rad, "shank_rotation": geometry.shank_rotation_rad,
            "tibial_torsion": geometry.tibial_torsion_rad, "ankle_tilt": geometry.ankle_tilt_rad,
            "static_plantar_flexion": offsets.plantar_flexion_rad, "static_rotation_offset": offsets.rotation_rad,
        }  # fmt: skip
        return {
            "asis_trochanter_distance_mm": self.asis_trochanter_m[side] * MM_PER_M,
            "hip_centre_in_pelvis_mm": (geometry.hip_pelvis_m * MM_PER_M).tolist(),
            "knee_marker_to_centre_mm": geometry.knee_distance_m * MM_PER_M,
            "ankle_marker_to_centre_mm": geometry.ankle_distance_m * MM_PER_M,
            **{f"{name}_deg": float(np.rad2deg(angle_rad)) for name, angle_rad in angles_rad.items()},
            "segments": {name: segment_record(self.segments[side, name], self.length_m[side, name]) for name in LEG_SEGMENTS},
        }
