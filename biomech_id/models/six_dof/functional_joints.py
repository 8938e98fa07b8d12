"""Functional joint centres of a subject from the trials that move them.

Each functional trial is tracked with the templates of the first calibration. A hip that moves in it by more than 15 degrees about
several axes gets its centre by SCoRE, a knee that bends by more than 20 degrees its axis by SARA; of several trials the one with
the most movement counts. The knee's centre is the point of its axis nearest to the marker-based centre.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.skew import unskew
from biomech_id.anatomy import Part
from biomech_id.conventions import SIDE_SIGN
from biomech_id.dynamics.body import Frames
from biomech_id.errors import Finding
from biomech_id.markersets.marker_set import MarkerSet
from biomech_id.models.joint_centres.functional_hip import JointCentre, score, sphere_fit
from biomech_id.models.joint_centres.functional_knee import JointAxis, sara
from biomech_id.models.landmarks import under_set_labels
from biomech_id.models.six_dof.calibrate import FunctionalJoints, StandingLeg
from biomech_id.models.six_dof.calibration import SegmentTemplate
from biomech_id.models.six_dof.tracking import track_segments
from biomech_id.trial import Trial

#: Smallest range, rad, of the second largest component of the hip's rotation, and of the knee's rotation.
SMALLEST_HIP_RANGE_RAD = np.deg2rad(15.0)
SMALLEST_KNEE_RANGE_RAD = np.deg2rad(20.0)


def find_functional_joints(
    trials: Sequence[Trial],
    markerset: MarkerSet,
    templates: Mapping[Part, SegmentTemplate],
    legs: Mapping[str, StandingLeg],
    *,
    hip: str = "score",
) -> tuple[FunctionalJoints, tuple[Finding, ...]]:
    """Return the joints that functional trials fix, and what was noticed.

    Parameters
    ----------
    trials : Sequence[Trial]
        Functional trials.
    markerset : MarkerSet
        Labels of the templates.
    templates : Mapping[Part, SegmentTemplate]
        First calibration: ("", "pelvis") and (side, segment) -> template.
    legs : Mapping[str, StandingLeg]
        Side -> the leg in the reference trial, for the knee's marker-based centre.
    hip : str, optional
        "score" or "sphere".
    """
    recordings = [under_set_labels(trial.markers, markerset) for trial in trials]
    tracked = [track_segments(templates, tuple(legs), markers).frames for markers in recordings]
    hips, knees, methods, findings = {}, {}, {}, []
    for side, leg in legs.items():
        thigh = (side, "thigh")
        best = _most_moved(tracked, ("", "pelvis"), thigh, rank=1, least=SMALLEST_HIP_RANGE_RAD)
        if best is not None:
            pelvis, femur, markers = tracked[best]["", "pelvis"], tracked[best][thigh], recordings[best]
            cluster_m = [markers[label] for label in templates[thigh].markers if markers.present(label)]
            centre = sphere_fit(np.stack(cluster_m, axis=1), pelvis, femur) if hip == "sphere" else score(pelvis, femur)
            hips[side], methods[side, "hip"] = centre.in_proximal_m, _words(centre)
        bent = _most_moved(tracked, thigh, (side, "shank"), rank=0, least=SMALLEST_KNEE_RANGE_RAD)
        if bent is not None:
            axis = sara(tracked[bent][thigh], tracked[bent][side, "shank"])
            knees[side], methods[side, "knee"] = _knee_in_reference(axis, side, leg), _words(axis)
        still = [joint for joint, found in (("hip", best), ("knee", bent)) if found is None]
        where = ", ".join(trial.name for trial in trials)
        findings += [Finding("functional-too-small", {"side": side, "joint": joint}, where) for joint in still]
    return FunctionalJoints(hips, knees, methods), tuple(findings)


def _words(found: JointCentre | JointAxis) -> str:
    return f"{found.method}, residual {1e3 * found.residual_m:.1f} mm"


def _most_moved(tracked: Sequence[Mapping[Part, Frames]], proximal: Part, distal: Part, *, rank: int, least: float) -> int | None:
    """Index of the trial that moves a joint most, or None when none moves it enough."""
    ranges = [_ranges(frames[proximal], frames[distal])[rank] for frames in tracked]
    best = int(np.argmax(ranges))
    return best if ranges[best] > least else None


def _ranges(proximal: Frames, distal: Frames) -> FloatArray:
    """Ranges (3,), rad, largest first, of the relative rotation along its principal directions."""
    relative = np.swapaxes(proximal.R_lab_seg, -1, -2) @ distal.R_lab_seg
    relative = relative[np.isfinite(relative).all(axis=(1, 2))]
    if len(relative) < 2:
        return np.zeros(3)
    # Axis times sine of the angle from the mean posture: enough to rank movements below a right angle.
    change = relative @ _mean_rotation(relative).T
    sines = unskew(change)
    principal = sines @ np.linalg.svd(sines - sines.mean(axis=0), full_matrices=False)[2].T
    return np.sort(np.ptp(np.arcsin(np.clip(principal, -1, 1)), axis=0))[::-1]


def _mean_rotation(rotations: FloatArray) -> FloatArray:
    U, _, Vt = np.linalg.svd(rotations.mean(axis=0))
    return np.asarray(U @ np.diag([1.0, 1.0, float(np.linalg.det(U @ Vt))]) @ Vt)


def _knee_in_reference(axis: JointAxis, side: str, leg: StandingLeg) -> tuple[FloatArray, FloatArray]:
    """Knee centre and outward direction (n, 3) in the reference trial's frames, laboratory axes."""
    thigh = leg.frames["thigh"]
    outward_sign = -SIDE_SIGN[side]  # ISB's Z points right: outward on the right side
    along = axis.direction_proximal * (1.0 if axis.direction_proximal[2] * outward_sign > 0 else -1.0)
    towards = np.einsum("nji,nj->ni", thigh.R_lab_seg, leg.knee.centre_lab_m - thigh.origin_lab_m)
    centre = axis.point_proximal_m + ((towards - axis.point_proximal_m) @ along)[:, None] * along
    centre_lab = np.einsum("nij,nj->ni", thigh.R_lab_seg, centre) + thigh.origin_lab_m
    return centre_lab, np.einsum("nij,j->ni", thigh.R_lab_seg, along)
