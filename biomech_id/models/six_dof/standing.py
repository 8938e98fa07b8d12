"""Legs without their motion: static trials beside each other, each calibrated by itself, and any trial as it is tracked.

What moved markers do to a model is seen in many copies of a few frames, whose rates of change mean nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import JOINTS, LEG_SEGMENTS, PELVIS
from biomech_id.anthropometry.table import INERTIAL_TABLES, load_table
from biomech_id.dynamics.body import Frames
from biomech_id.models.joint_centres.anatomical import pelvis_size
from biomech_id.models.joint_centres.hip_regressions import REGRESSIONS, hip_centre_by_regression
from biomech_id.models.landmarks import BodyPoints
from biomech_id.models.six_dof.calibrate import FunctionalJoints, leg_points, place_pelvis, stand_leg
from biomech_id.models.six_dof.calibration import SixDofCalibration
from biomech_id.models.six_dof.tracking import track_segments
from biomech_id.models.table_inertia import centre_of_mass_m
from biomech_id.models.triads import into_lab, into_segment
from biomech_id.trial import Markers, Subject


def six_dof_standing(
    markers: Markers, copies: int, calibration: SixDofCalibration, subject: Subject
) -> Mapping[str, tuple[FloatArray, FloatArray]] | None:
    """Return where the legs stand in static trials that are each calibrated by itself.

    Parameters
    ----------
    markers : Markers
        Static trials of equally many frames, one behind the other, under the set's labels.
    copies : int
        Number of trials in ``markers``.
    calibration : SixDofCalibration
        Of one of them: what was decided and measured, which is the same in all.
    subject : Subject
        Measurements; widths may differ from those that ``calibration`` was made with.

    Returns
    -------
    Mapping[str, tuple[FloatArray, FloatArray]] | None
        Side -> points (n, 6, 3) and axes (n, 4, 3, 3) of `models.model.StandsByItself`; None where a hip centre is not of a
        regression, or the inertial table not a shipped one.
    """
    methods = {side: str(method) for side, method in calibration.hip_methods.items()}
    if not set(methods.values()) <= set(REGRESSIONS) or calibration.table not in INERTIAL_TABLES:
        return None
    table = load_table(calibration.table).for_subject(sex=subject.sex, age_years=subject.age_years)
    points, radius_m = BodyPoints(markers, calibration.markerset, {}), calibration.marker_radius_m
    trials = [replace(markers, position_m=position_m, filled=None) for position_m in np.split(markers.position_m, copies)]
    of_trials = [BodyPoints(trial, calibration.markerset, {}) for trial in trials]
    pelvis = place_pelvis(points)
    legs = {}
    for side, method in methods.items():
        sizes = [pelvis_size(side, of_trial, subject, radius_m) for of_trial in of_trials]
        hips = np.stack([hip_centre_by_regression(method, side, size) for size in sizes]).repeat(trials[0].n_frames, axis=0)
        leg = stand_leg(
            side, pelvis, hips, points, subject, FunctionalJoints(), flat=calibration.foot_flat, marker_radius_m=radius_m
        )  # fmt: skip
        frames, ends = [leg.frames[name] for name in LEG_SEGMENTS], leg_points(leg, points, radius_m)
        coms_m = []
        for name, at in zip(LEG_SEGMENTS, frames, strict=True):
            of_segment = {end: into_segment(at.R_lab_seg, at.origin_lab_m, path) for end, path in ends[name].items()}
            coms_m.append(centre_of_mass_m(table[name], side, of_segment))
        legs[side] = _stacked([leg.ankle.centre_lab_m, leg.knee.centre_lab_m, leg.hip_lab_m], [*frames, pelvis], coms_m)
    return legs


def six_dof_places(markers: Markers, calibration: SixDofCalibration) -> Mapping[str, tuple[FloatArray, FloatArray]]:
    """Return where the legs are in any trial, as the model is calibrated.

    Parameters
    ----------
    markers : Markers
        All frames of the trial, under the set's labels.
    calibration : SixDofCalibration
        What the static trial taught.

    Returns
    -------
    Mapping[str, tuple[FloatArray, FloatArray]]
        As `six_dof_standing`; NaN where a segment shows too few markers.
    """
    tracked = track_segments(calibration.templates, calibration.sides, markers)
    legs = {}
    for side in calibration.sides:
        joints = [tracked.centres_lab_m[side, joint] for joint in JOINTS]
        frames = [*(tracked.frames[side, name] for name in LEG_SEGMENTS), tracked.frames[PELVIS]]
        legs[side] = _stacked(joints, frames, [calibration.segments[side, name].com_m for name in LEG_SEGMENTS])
    return legs


def _stacked(
    joints_lab_m: Sequence[FloatArray], frames: Sequence[Frames], coms_m: Sequence[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    coms = [into_lab(at.R_lab_seg, at.origin_lab_m, com_m) for at, com_m in zip(frames, coms_m, strict=False)]
    return np.stack([*joints_lab_m, *coms], axis=1), np.stack([at.R_lab_seg for at in frames], axis=1)
