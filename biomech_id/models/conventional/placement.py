"""One leg of a calibrated subject placed in every frame of a trial: poses, inertial parameters, joint centres and angles."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import matvec
from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.dynamics.body import Frames, Segment
from biomech_id.dynamics.joint_axes import ModelAxes
from biomech_id.models.conventional.calibration import ConventionalCalibration
from biomech_id.models.conventional.foot import corrected_axes, corrected_foot, uncorrected_foot
from biomech_id.models.conventional.knee_alignment import aligned_leg, has_device
from biomech_id.models.conventional.leg import LegPose, place_leg
from biomech_id.models.conventional.leg_inertia import leg_segments
from biomech_id.models.foot_outline import foot_length_m
from biomech_id.trial import Markers
from biomech_id.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class PlacedLeg:
    """One leg in n frames; lengths in metres, laboratory axes.

    Attributes
    ----------
    frames : Mapping[str, Frames]
        "thigh", "shank", "foot" -> pose; each origin is the segment's proximal joint centre.
    segments : Mapping[str, Segment]
        Segment -> inertial parameters; per frame in "vicon".
    centres_lab_m : Mapping[str, FloatArray]
        "hip", "knee", "ankle" -> (n, 3).
    angles_rad : Mapping[str, FloatArray]
        "pelvis", "hip", "knee", "ankle", "foot_progress" -> (n, 3), clinical components.
    outline_lab_m : FloatArray
        (n, k, 3), outline of the sole.
    """

    frames: Mapping[str, Frames]
    segments: Mapping[str, Segment]
    centres_lab_m: Mapping[str, FloatArray]
    angles_rad: Mapping[str, FloatArray]
    outline_lab_m: FloatArray

    def com_lab_m(self, name: str) -> FloatArray:
        """Return the centre of mass of one segment.

        Parameters
        ----------
        name : str
            Which segment: "foot", "shank" or "thigh".

        Returns
        -------
        FloatArray
            (n, 3), metres, laboratory axes.
        """
        frames = self.frames[name]
        return np.asarray(frames.origin_lab_m + matvec(frames.R_lab_seg, self.segments[name].com_m))


def place_side(
    markers: Markers,
    pelvis: Frames,
    R_progression_lab: FloatArray,
    calibration: ConventionalCalibration,
    side: str,
    kinetics: str,
    *,
    mass_kg: float,
    axes: ModelAxes,
) -> PlacedLeg:
    """Return one leg in every frame of a trial.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    pelvis : Frames
        Pose of the pelvis in every frame.
    R_progression_lab : FloatArray
        (3, 3), maps laboratory components to progression axes.
    calibration : ConventionalCalibration
        What the static trial taught.
    side : str
        Which side, "L" or "R".
    kinetics : str
        "textbook" (constant segments) or "vicon" (segments as long as the joints are apart).
    mass_kg : float
        Mass of the whole body; 0 where nobody knows it.
    axes : ModelAxes
        Which axes results are expressed in.

    Returns
    -------
    PlacedLeg
        n frames; NaN where a marker is unseen.
    """
    geometry, offsets = calibration.geometry[side], calibration.offsets[side]
    if has_device(markers, side):
        leg, R_lab_foot = _standing(markers, aligned_leg(markers, pelvis, geometry)[0], calibration, side)
    else:
        leg = place_leg(markers, pelvis, geometry)
        # The toes' axis turns with the knee's axes, although the offsets were learnt beside the ankle's: the vendor's convention.
        uncorrected = uncorrected_foot(leg.ankle_lab_m, markers.on(side, "toe"), leg.R_lab_shank)
        R_lab_foot = corrected_foot(uncorrected, side, offsets.plantar_flexion_rad, offsets.rotation_rad)
    frames = {
        "thigh": Frames(leg.R_lab_thigh, leg.hip_lab_m),
        "shank": Frames(leg.R_lab_shank, leg.knee_lab_m),
        "foot": Frames(R_lab_foot, leg.ankle_lab_m),
    }
    # A chosen table's segments are constant in either mode; only the vendor's own change with the distance between the joints.
    if kinetics == "textbook" or calibration.table:
        segments = {name: calibration.segments[side, name] for name in LEG_SEGMENTS}
    else:
        segments = leg_segments(mass_kg, leg_lengths(markers, leg, side, calibration.marker_radius_m), kinetics)
    outline = matvec(R_lab_foot[:, None], calibration.outline_foot_m[side][None]) + leg.ankle_lab_m[:, None]
    return PlacedLeg(
        frames=frames,
        segments=segments,
        centres_lab_m={"hip": leg.hip_lab_m, "knee": leg.knee_lab_m, "ankle": leg.ankle_lab_m},
        angles_rad=_angles(axes, side, pelvis.R_lab_seg, leg, R_lab_foot, R_progression_lab),
        outline_lab_m=outline,
    )


def _standing(markers: Markers, leg: LegPose, calibration: ConventionalCalibration, side: str) -> tuple[LegPose, FloatArray]:
    """A static trial with a device: the shank in the ankle's axes, and the foot along its own sole in every frame."""
    heel, toe = markers.on(side, "heel"), markers.on(side, "toe")
    sole = heel - toe
    if calibration.foot_flat:
        sole = sole * [1.0, 1.0, 0.0]
    return replace(leg, R_lab_shank=leg.R_lab_shank_ankle), corrected_axes(sole, leg.R_lab_shank_ankle)


def leg_lengths(markers: Markers, leg: LegPose, side: str, marker_radius_m: float) -> dict[str, FloatArray | float]:
    """Return the lengths of a leg's segments.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    leg : LegPose
        The leg in every frame.
    side : str
        Which side, "L" or "R".
    marker_radius_m : float
        Radius of a marker, metres; taken off the foot.

    Returns
    -------
    dict[str, FloatArray | float]
        Metres: "thigh" and "shank" per frame, (n,); "foot" as a mean over the trial.
    """
    return {
        "thigh": np.linalg.norm(leg.hip_lab_m - leg.knee_lab_m, axis=1),
        "shank": np.linalg.norm(leg.knee_lab_m - leg.ankle_lab_m, axis=1),
        "foot": foot_length_m(markers.on(side, "heel"), markers.on(side, "toe"), marker_radius_m),
    }


def _angles(
    axes: ModelAxes, side: str, R_lab_pelvis: FloatArray, leg: LegPose, R_lab_foot: FloatArray, R_progression_lab: FloatArray
) -> dict[str, FloatArray]:
    chain = {
        "pelvis": (R_progression_lab, R_lab_pelvis),
        "hip": (_transposed(R_lab_pelvis), leg.R_lab_thigh),
        "knee": (_transposed(leg.R_lab_thigh), leg.R_lab_shank),
        "ankle": (_transposed(leg.R_lab_shank_ankle), R_lab_foot),
        "foot_progress": (R_progression_lab, R_lab_foot),
    }
    return {joint: axes.angle(joint, side, proximal, distal) for joint, (proximal, distal) in chain.items()}


def _transposed(R: FloatArray) -> FloatArray:
    return np.swapaxes(R, -1, -2)
