"""What is known of a subject's upper body before a trial is placed: measures of the arms, and how the head's markers are tipped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import over_seen
from biomech_id.algebra.rotation import cardan_angles
from biomech_id.conventions import MM_PER_M, SIDES
from biomech_id.models.conventional.upper_body.placement import HEAD_ROLES, ArmMeasures, arm_measures, raw_head_axes
from biomech_id.models.progression import progression_axes
from biomech_id.trial import Markers, Subject
from biomech_id.values import dataclass, field

#: Measurement of an arm -> what files call it.
_MEASURES: dict[str, str] = {
    "shoulder_offset_m": "ShoulderOffset", "elbow_width_m": "ElbowWidth", "hand_thickness_m": "HandThickness",
}  # fmt: skip
#: How the source of a measurement begins that the recording's software stored.
_STORED = "PROCESSING"


@dataclass(frozen=True, eq=False)
class UpperCalibration:
    """What calibration teaches of the upper body.

    Attributes
    ----------
    radius_m : float
        Radius of a marker, metres.
    arms : Mapping[str, ArmMeasures], optional
        Side -> distances of an arm that was measured.
    head_offset_rad : float, optional
        By how much the head's markers are tipped.
    stored_head_offset_rad : float | None, optional
        The same as the recording's software stored it.
    lacks : Mapping[str, tuple[str, ...]], optional
        Side -> measurements of the arm that nobody took, as files call them.
    """

    radius_m: float
    arms: Mapping[str, ArmMeasures] = field(default_factory=dict)
    head_offset_rad: float = 0.0
    stored_head_offset_rad: float | None = None
    lacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def head_offset_in(self, kinetics: str) -> float:
        """Return the head's offset in a kinetics mode.

        Parameters
        ----------
        kinetics : str
            "textbook", or "vicon" for what software stored where it stored any.

        Returns
        -------
        float
            rad, about the head's lateral axis.
        """
        stored = self.stored_head_offset_rad
        return stored if kinetics == "vicon" and stored is not None else self.head_offset_rad

    def of_head(self) -> dict[str, Any]:
        """Return what ``calibration.json`` says of the head.

        Returns
        -------
        dict[str, Any]
            Degrees; empty where no marker and no file shows an offset.
        """
        stored = self.stored_head_offset_rad
        if stored is None and not self.head_offset_rad:
            return {}
        own = {"head_offset_deg": float(np.rad2deg(self.head_offset_rad))}
        return own if stored is None else {**own, "stored_head_offset_deg": float(np.rad2deg(stored))}

    def of_side(self, side: str) -> dict[str, Any]:
        """Return what ``calibration.json`` says of an arm.

        Parameters
        ----------
        side : str
            Which side, "L" or "R".

        Returns
        -------
        dict[str, Any]
            mm; empty for an arm that was not measured.
        """
        if side not in self.arms:
            return {}
        arm = self.arms[side]
        return {
            "shoulder_marker_to_centre_mm": arm.shoulder_m * MM_PER_M,
            "elbow_marker_to_centre_mm": arm.elbow_m * MM_PER_M,
            "wrist_marker_to_centre_mm": arm.wrist_m * MM_PER_M,
            "hand_marker_to_centre_mm": arm.hand_m * MM_PER_M,
        }


def calibrate_upper_body(static: Markers | None, subject: Subject, radius_m: float) -> UpperCalibration:
    """Return what measurements and the static trial say of the upper body.

    The head's offset is what was written by hand, else what its markers show while the subject stands and looks ahead, else what
    the recording's software stored, else none.

    Parameters
    ----------
    static : Markers | None
        The subject standing, with roles, laboratory axes; None where no static trial was recorded.
    subject : Subject
        Measurements of the arms, and the head's offset if one is recorded.
    radius_m : float
        Radius of a marker, metres.

    Returns
    -------
    UpperCalibration
        Distances of the arms that were measured, and the head's offset.

    Examples
    --------
    >>> from biomech_id.models.conventional.upper_body.calibration import calibrate_upper_body
    >>> from biomech_id.trial import Subject
    >>> anna = Subject().with_values("subject.toml", shoulder_offset_m={"L": 0.04}, head_offset_rad=0.1)
    >>> learnt = calibrate_upper_body(None, anna, 0.007)
    >>> learnt.head_offset_rad, learnt.lacks["L"]
    (0.1, ('LElbowWidth', 'LHandThickness'))
    """
    given = subject.head_offset_rad
    by_hand = given is not None and not subject.sources.get("head_offset_rad", "").startswith(_STORED)
    seen = None if by_hand or static is None else head_offset_rad(static)
    lacks = {
        side: tuple(f"{side}{words}" for name, words in _MEASURES.items() if getattr(subject, name).get(side) is None)
        for side in SIDES
    }
    return UpperCalibration(
        radius_m, arm_measures(subject, radius_m), (given if seen is None else seen) or 0.0, None if by_hand else given, lacks
    )


def head_offset_rad(static: Markers) -> float | None:
    """Return by how much the head's markers are tipped while the subject stands.

    Parameters
    ----------
    static : Markers
        The static trial, with roles, laboratory axes.

    Returns
    -------
    float | None
        rad, minus the mean tip about the lateral axis; None where a head marker is not seen.
    """
    if not all(static.shows(side, role) for side in SIDES for role in HEAD_ROLES):
        return None
    R_lab_head = raw_head_axes(static)
    facing = progression_axes(static.on("L", "head_front"), R_lab_head)
    tip = -float(over_seen(np.nanmean, cardan_angles(facing @ R_lab_head, "yxz")[:, 0]))
    return tip if np.isfinite(tip) else None
