"""How far a misplaced joint centre of the conventional model misplaces the next one.

The knee centre is found in the plane of hip centre, knee marker and wand, the ankle centre in that of knee centre, ankle marker
and wand (see `joint_centres.chord`). A hip centre that is off turns the first plane about the line from wand to knee marker, and
the knee centre, half a knee's width inside that line, goes along for a good part of the way; so does the axis from it through its
marker. The ratio depends on where the wand sits on this subject, and is measured by moving the centre and finding the next one
again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.skew import unskew
from biomech_id.algebra.vectors import matvec_transposed
from biomech_id.conventions import SIDE_SIGN
from biomech_id.dynamics.model_errors import ErrorCoupling
from biomech_id.models.conventional.calibration import ConventionalCalibration
from biomech_id.models.conventional.foot import uncorrected_foot
from biomech_id.models.conventional.leg import LegGeometry, ankle_centre, knee_centre, place_leg
from biomech_id.models.conventional.pelvis import pelvis_frames
from biomech_id.models.landmarks import with_roles
from biomech_id.models.triads import triad_from_z_and_y
from biomech_id.trial import Markers

#: Step of the differences, metres: small against 5 cm from marker to centre, large against rounding.
_STEP_M = 1e-5


def chord_couplings(markers: Markers, calibration: ConventionalCalibration) -> dict[tuple[str, str], ErrorCoupling]:
    """Return what a shift of each segment's proximal joint centre does to its distal one.

    Parameters
    ----------
    markers : Markers
        Of the static trial, laboratory axes, metres.
    calibration : ConventionalCalibration
        Of the subject, with the same markers.

    Returns
    -------
    dict[tuple[str, str], ErrorCoupling]
        (side, "thigh" or "shank") -> coupling, mean over the static frames.
    """
    markers = with_roles(markers)
    pelvis = pelvis_frames(markers)
    couplings = {}
    for side in calibration.sides:
        geometry = calibration.geometry[side]
        pose = place_leg(markers, pelvis, geometry)
        for segment, proximal, R in (
            ("thigh", pose.hip_lab_m, pose.R_lab_thigh), ("shank", pose.knee_lab_m, pose.R_lab_shank)
        ):  # fmt: skip
            couplings[side, segment] = _coupling(markers, geometry, segment, proximal, R)
    return couplings


def point_noise(markers: Markers, calibration: ConventionalCalibration) -> dict[str, FloatArray]:
    """Return how noise of the markers shows in a leg's points (see `joint_shift.noisy_points`).

    Every coordinate of every marker is moved in the mean static pose, one "frame" each, and all are placed at once.

    Parameters
    ----------
    markers : Markers
        Of the static trial, laboratory axes, metres.
    calibration : ConventionalCalibration
        Of the subject, with the same markers.

    Returns
    -------
    dict[str, FloatArray]
        Side -> (12, 12), covariance of toe, ankle, knee and hip in segment axes, per variance of a marker coordinate.
    """
    mean = over_seen(np.nanmean, markers.position_m, axis=0)
    steps = _STEP_M * np.eye(mean.size).reshape(mean.size, *mean.shape)
    moved = replace(with_roles(markers), position_m=np.concatenate([mean + steps, mean - steps]), filled=None)
    pelvis = pelvis_frames(moved)
    noise = {}
    for side in calibration.sides:
        pose = place_leg(moved, pelvis, calibration.geometry[side])
        R_lab_foot = uncorrected_foot(pose.ankle_lab_m, moved.on(side, "toe"), pose.R_lab_shank_ankle)
        points = (
            (moved.on(side, "toe"), R_lab_foot), (pose.ankle_lab_m, R_lab_foot),
            (pose.knee_lab_m, pose.R_lab_shank), (pose.hip_lab_m, pose.R_lab_thigh),
        )  # fmt: skip
        ahead_behind = [matvec_transposed(R[0], point).reshape(2, mean.size, 3) for point, R in points]
        J = np.concatenate([(each[0] - each[1]).T / (2 * _STEP_M) for each in ahead_behind])
        noise[side] = J @ J.T
    return noise


def _coupling(markers: Markers, geometry: LegGeometry, segment: str, proximal: FloatArray, R: FloatArray) -> ErrorCoupling:
    """Central differences along the segment's own axes, mean over the static frames."""
    shift, turn = np.zeros((3, 3)), np.zeros(3)
    for k in range(3):
        step = _STEP_M * R[:, :, k]
        (ahead, R_ahead), (behind, R_behind) = (_next_centre(markers, geometry, segment, proximal + d) for d in (step, -step))
        shift[:, k] = over_seen(np.nanmean, matvec_transposed(R, ahead - behind), axis=0) / (2 * _STEP_M)
        turned = matvec_transposed(R, unskew(R_ahead @ np.swapaxes(R_behind, -1, -2)))
        turn[k] = over_seen(np.nanmean, turned[:, 2]) / (2 * _STEP_M)
    return ErrorCoupling(shift, turn)


def _next_centre(markers: Markers, geometry: LegGeometry, segment: str, proximal: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The distal joint centre (n, 3) and the segment's axes (n, 3, 3) for a proximal centre (n, 3)."""
    find, role = (knee_centre, "lateral_epicondyle") if segment == "thigh" else (ankle_centre, "lateral_malleolus")
    distal = find(markers, geometry, proximal)
    outward = SIDE_SIGN[geometry.side] * (markers.on(geometry.side, role) - distal)
    return distal, triad_from_z_and_y(proximal - distal, outward)
