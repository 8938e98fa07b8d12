"""Functional joint centres of a subject from the trials that move them.

Each functional trial is tracked with the templates of the first calibration. A hip that moves in it by 30 degrees or more, and by
15 about a second axis, gets its centre by SCoRE, a knee that bends by 30 degrees or more its axis by SARA; of several trials the
one with the most movement counts. The knee's centre is the point of its axis nearest to the marker-based centre. Where the thigh
has two markers only, its pose leans on the very centre that is looked for: then the markers' spheres tell the hip, unless SCoRE is
asked for.

What is less sure than the markers is refused, with the number that decided: a movement too small, images of the centre (or
distances to it) that scatter by more than 12 mm, a centre more than 30 mm from every regression. Both legs take the same method:
where one has no functional centre, the other goes without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.skew import unskew
from biomech_id.anatomy import DISTAL_SEGMENT, Part, proximal_part
from biomech_id.conventions import MM_PER_M, SIDE_SIGN
from biomech_id.dynamics.body import Frames
from biomech_id.errors import Finding
from biomech_id.markersets.marker_set import MarkerSet
from biomech_id.models.joint_centres.functional import MOST_RESIDUAL_M, JointAxis, JointCentre, sara, score, sphere_fit
from biomech_id.models.landmarks import under_set_labels
from biomech_id.models.six_dof.calibrate import FunctionalJoints, StandingLeg
from biomech_id.models.six_dof.calibration import PARENT_POINT, SegmentTemplate
from biomech_id.models.six_dof.tracking import track_segments
from biomech_id.models.triads import into_segment
from biomech_id.trial import Markers, Trial

#: Smallest ranges (deg) of the largest and of the second largest component of the rotation between two segments.
LEAST_RANGE_DEG: Mapping[str, tuple[float, float]] = {"hip": (30.0, 15.0), "knee": (30.0, 0.0)}
#: Largest distance of a hip centre from the nearest regression, metres.
FARTHEST_M = 0.03


def find_functional_joints(
    trials: Sequence[Trial],
    markerset: MarkerSet,
    templates: Mapping[Part, SegmentTemplate],
    legs: Mapping[str, StandingLeg],
    *,
    hip: str = "auto",
    regressions_m: Mapping[str, Mapping[str, FloatArray]] | None = None,
) -> tuple[FunctionalJoints, tuple[Finding, ...]]:
    """Return the joints that functional trials fix.

    Parameters
    ----------
    trials : Sequence[Trial]
        Trials in which hips circle or knees bend, with the markers of the clusters.
    markerset : MarkerSet
        Labels of the templates.
    templates : Mapping[Part, SegmentTemplate]
        First calibration: ("", "pelvis") and (side, segment) -> template.
    legs : Mapping[str, StandingLeg]
        Side -> the leg in the reference trial, for the knee's marker-based centre.
    hip : str, optional
        "score", "sphere", or "auto" to let the thigh's markers decide.
    regressions_m : Mapping[str, Mapping[str, FloatArray]] | None, optional
        Side -> regression -> hip centre in pelvis axes, (3,), metres; None compares with none.

    Returns
    -------
    joints : FunctionalJoints
        Those that are surer than the markers'; either of both legs or of none.
    findings : tuple[Finding, ...]
        What was refused, with the number that decided.
    """
    recordings = [under_set_labels(trial.markers, markerset) for trial in trials]
    tracked = [track_segments(templates, tuple(legs), markers).frames for markers in recordings]
    where = ", ".join(trial.name for trial in trials)
    joints: dict[Part, JointCentre | JointAxis] = {}
    findings = []
    for side, joint in ((side, joint) for joint in LEAST_RANGE_DEG for side in legs):
        proximal, distal = proximal_part(side, joint), (side, DISTAL_SEGMENT[joint])
        ranges_deg = [np.rad2deg(_ranges(frames[proximal], frames[distal])) for frames in tracked]
        # What matters of a hip's movement is its second axis, of a knee's its first.
        best = int(np.argmax([each[1 if joint == "hip" else 0] for each in ranges_deg]))
        values: dict[str, object] = {"side": side, "joint": joint}
        small = _too_small(joint, ranges_deg[best])
        if small is not None:
            findings.append(Finding("functional-too-small", {**values, **small}, where))
            continue
        around = tracked[best][proximal], tracked[best][distal]
        one = _hip(recordings[best], templates[distal], *around, hip) if joint == "hip" else sara(*around)
        doubt = _doubt(one, (regressions_m or {}).get(side, {}))
        if doubt is None:
            joints[side, joint] = one
        else:
            findings.append(Finding("functional-refused", {**values, **doubt}, trials[best].name))
    for joint in LEAST_RANGE_DEG:
        alone = [side for side in legs if (side, joint) in joints]
        if 0 < len(alone) < len(legs):
            findings.append(Finding("functional-one-side", {"side": alone[0], "joint": joint}, where))
            del joints[alone[0], joint]
    hips = {side: one.in_proximal_m for (side, _), one in joints.items() if isinstance(one, JointCentre)}
    knees = {side: _knee_in_reference(one, side, legs[side]) for (side, _), one in joints.items() if isinstance(one, JointAxis)}
    methods = {part: f"{one.method}, residual {1e3 * one.residual_m:.1f} mm" for part, one in joints.items()}
    return FunctionalJoints(hips, knees, methods), tuple(findings)


def _hip(markers: Markers, thigh: SegmentTemplate, pelvis: Frames, femur: Frames, how: str) -> JointCentre:
    if how == "score" or (how == "auto" and PARENT_POINT not in thigh.markers):
        return score(pelvis, femur)
    cluster_m = [markers[label] for label in thigh.markers if markers.present(label)]
    return sphere_fit(np.stack(cluster_m, axis=1), pelvis, femur)


def _too_small(joint: str, ranges_deg: FloatArray) -> dict[str, float] | None:
    """What a movement lacks: its range and the least one, of the largest component, else of the second; None where nothing."""
    for range_deg, least in zip(ranges_deg, LEAST_RANGE_DEG[joint], strict=False):
        if range_deg < least:
            return {"range_deg": float(range_deg), "least_deg": least}
    return None


def _doubt(joint: JointCentre | JointAxis, regressions_m: Mapping[str, FloatArray]) -> dict[str, object] | None:
    """Why a centre or axis is not taken, with the number and its limit; None where it is."""
    if joint.residual_m > MOST_RESIDUAL_M:
        return {"why": "residual", "value_mm": MM_PER_M * joint.residual_m, "limit_mm": MM_PER_M * MOST_RESIDUAL_M}
    if isinstance(joint, JointCentre) and regressions_m:
        nearest_m = min(float(np.linalg.norm(joint.in_proximal_m - centre)) for centre in regressions_m.values())
        if nearest_m > FARTHEST_M:
            return {"why": "distance", "value_mm": MM_PER_M * nearest_m, "limit_mm": MM_PER_M * FARTHEST_M}
    return None


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
    towards = into_segment(thigh.R_lab_seg, thigh.origin_lab_m, leg.knee.centre_lab_m)
    centre = axis.point_proximal_m + ((towards - axis.point_proximal_m) @ along)[:, None] * along
    centre_lab = np.einsum("nij,nj->ni", thigh.R_lab_seg, centre) + thigh.origin_lab_m
    return centre_lab, np.einsum("nij,j->ni", thigh.R_lab_seg, along)
