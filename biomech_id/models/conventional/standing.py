"""Legs without their motion: static trials beside each other, each calibrated by itself, and any trial as it is tracked.

What moved markers do to a model is seen in many copies of a few frames, whose rates of change mean nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import matvec
from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.dynamics.body import Frames, Segment
from biomech_id.models.conventional.calibrate import pelvis_sizes
from biomech_id.models.conventional.calibration import ConventionalCalibration
from biomech_id.models.conventional.foot import corrected_foot, uncorrected_foot
from biomech_id.models.conventional.knee_alignment import has_device
from biomech_id.models.conventional.leg import LegPose, place_leg
from biomech_id.models.conventional.leg_inertia import leg_segments
from biomech_id.models.conventional.pelvis import hip_centre_pelvis_m, pelvis_frames
from biomech_id.models.conventional.placement import leg_lengths
from biomech_id.models.conventional.static_offsets import offsets_by_frame
from biomech_id.models.joint_centres.hip_regressions import PelvisSize
from biomech_id.trial import Markers, Subject

#: Roles of the markers that a pelvis is measured between.
_OF_PELVIS = ("asis", "psis", "sacrum")


def conventional_standing(
    markers: Markers, copies: int, calibration: ConventionalCalibration, subject: Subject
) -> Mapping[str, tuple[FloatArray, FloatArray]] | None:
    """Return where the legs stand in static trials that are each calibrated by itself.

    Parameters
    ----------
    markers : Markers
        Static trials of equally many frames, one behind the other, with the markers' roles.
    copies : int
        Number of trials in ``markers``.
    calibration : ConventionalCalibration
        Of one of them: what was decided and measured, which is the same in all.
    subject : Subject
        Measurements; widths may differ from those that ``calibration`` was made with.

    Returns
    -------
    Mapping[str, tuple[FloatArray, FloatArray]] | None
        Side -> points (n, 6, 3) and axes (n, 4, 3, 3) of `models.model.StandsByItself`; None for a leg with further rules.
    """
    if calibration.knee_device or calibration.medial or calibration.table or subject.medial_markers:
        return None
    pelvis, radius_m, hip = pelvis_frames(markers), calibration.marker_radius_m, calibration.hip
    sizes = _pelvis_sizes(markers, copies, calibration, subject)
    n_frames = markers.n_frames // copies
    legs = {}
    for side in calibration.sides:
        centres = np.stack([hip_centre_pelvis_m(side, size[side], hip) for size in sizes])
        widths = (subject.knee_width_m[side], subject.ankle_width_m[side])
        knee_m, ankle_m = (width / 2 + radius_m for width in widths)
        geometry = replace(calibration.geometry[side], hip_pelvis_m=centres.repeat(n_frames, axis=0))
        leg = place_leg(markers, pelvis, replace(geometry, knee_distance_m=knee_m, ankle_distance_m=ankle_m))
        heel, toe = markers.on(side, "heel"), markers.on(side, "toe")
        learnt = uncorrected_foot(leg.ankle_lab_m, toe, leg.R_lab_shank_ankle)
        flat, delta_m = bool(calibration.foot_flat), subject.sole_delta_m.get(side, 0.0)
        p, q = offsets_by_frame(side, learnt, heel, toe, flat=flat, sole_delta_m=delta_m)
        R_lab_foot = corrected_foot(uncorrected_foot(leg.ankle_lab_m, toe, leg.R_lab_shank), side, p, q)
        lengths = leg_lengths(markers, leg, side, radius_m) | {"foot": np.linalg.norm(toe - heel, axis=1) - radius_m}
        legs[side] = _stacked(leg, R_lab_foot, leg_segments(subject.mass_kg or 0.0, lengths, "textbook"), pelvis)
    return legs


def _pelvis_sizes(
    markers: Markers, copies: int, calibration: ConventionalCalibration, subject: Subject
) -> list[dict[str, PelvisSize]]:
    """Sizes of the pelvis of each copy; most copies have its markers where others have them."""
    names = [name for (_, role), name in markers.roles.items() if role in _OF_PELVIS and name in markers]
    columns = [markers.names.index(name) for name in names]
    known: dict[bytes, dict[str, PelvisSize]] = {}
    sizes = []
    for position_m in np.split(markers.position_m, copies):
        key = position_m[:, columns].tobytes()
        if key not in known:
            copy = replace(markers, position_m=position_m, filled=None)
            known[key] = pelvis_sizes(copy, subject, calibration.sides, calibration.marker_radius_m, calibration.hip)
        sizes.append(known[key])
    return sizes


def conventional_places(
    markers: Markers, calibration: ConventionalCalibration
) -> Mapping[str, tuple[FloatArray, FloatArray]] | None:
    """Return where the legs are in any trial, as the model is calibrated.

    Parameters
    ----------
    markers : Markers
        All frames of the trial, with the markers' roles.
    calibration : ConventionalCalibration
        What the static trial taught.

    Returns
    -------
    Mapping[str, tuple[FloatArray, FloatArray]] | None
        As `conventional_standing`; None with a knee alignment device on.
    """
    if any(has_device(markers, side) for side in calibration.sides):
        return None
    pelvis, legs = pelvis_frames(markers), {}
    for side, geometry in calibration.geometry.items():
        leg, offsets = place_leg(markers, pelvis, geometry), calibration.offsets[side]
        uncorrected = uncorrected_foot(leg.ankle_lab_m, markers.on(side, "toe"), leg.R_lab_shank)
        R_lab_foot = corrected_foot(uncorrected, side, offsets.plantar_flexion_rad, offsets.rotation_rad)
        legs[side] = _stacked(leg, R_lab_foot, {name: calibration.segments[side, name] for name in LEG_SEGMENTS}, pelvis)
    return legs


def _stacked(
    leg: LegPose, R_lab_foot: FloatArray, segments: Mapping[str, Segment], pelvis: Frames
) -> tuple[FloatArray, FloatArray]:
    axes = R_lab_foot, leg.R_lab_shank, leg.R_lab_thigh
    joints = leg.ankle_lab_m, leg.knee_lab_m, leg.hip_lab_m
    coms = [at + matvec(R, segments[name].com_m) for name, R, at in zip(LEG_SEGMENTS, axes, joints, strict=True)]
    return np.stack([*joints, *coms], axis=1), np.stack([*axes, pelvis.R_lab_seg], axis=1)
