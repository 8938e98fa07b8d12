"""Residuals of legs, pelvis and measurements: what markers say of each other, of the static trial, and of what was typed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray, over_seen
from biomech_id.conventions import MM_PER_M, SIDE_SIGN, SIDES
from biomech_id.dynamics.body import Frames
from biomech_id.judgement.diagnosis.of_paths import of_paths
from biomech_id.judgement.diagnosis.recorded import Recorded, changed_labels
from biomech_id.models.conventional.axes import CONVENTIONAL_AXES
from biomech_id.models.conventional.foot import corrected_foot, uncorrected_foot
from biomech_id.models.conventional.leg import LegPose, place_leg
from biomech_id.models.conventional.pelvis import pelvis_frames
from biomech_id.models.conventional.static_offsets import FootOffsets, foot_offsets, offsets_by_frame
from biomech_id.trial import Markers

#: Pairs of markers of one leg whose distance a segment or a joint's width keeps nearly the same.
PAIRS = (("KNE", "THI"), ("TIB", "ANK"), ("KNE", "TIB"), ("KNE", "ANK"), ("HEE", "TOE"), ("ANK", "HEE"), ("ANK", "TOE"))
#: By how much such a distance differs between the halves of a walk.
STEP_IN_MID_WALK = "{}-{} step in mid-walk"
UP = np.array([0.0, 0.0, 1.0])
LEG_LABELS = ("ASI", "THI", "KNE", "TIB", "ANK", "HEE", "TOE")
PELVIS_LABELS = ("LASI", "RASI", "SACR")
PELVIS_PAIRS = (("LASI", "RASI"), ("LASI", "SACR"), ("RASI", "SACR"))
#: A knee is extended where its flexion is below this percentile of the walk.
EXTENDED_PERCENTILE = 40.0
#: A walk that turns by more has no verdict on what leans on the way it goes, degrees.
LARGEST_TURN_DEG = 25.0
#: What most people's knees, shanks and feet have in common, beside distances of markers as shares of the leg.
GROWN = {
    "thigh by centres / leg length", "shank by centres / leg length", "leg by markers / leg length", "ankle width / knee width",
    "knee width / leg length", "knee varus, extended", "knee rotation, extended", "knee-axis slope", "knee rotation slope",
    "foot rotation in ankle", "knee flexion, least",
}  # fmt: skip
#: Residual, unit (side, plate "1" or "" for the session) -> value.
ResidualValues = dict[tuple[str, str], float]


def of_legs(session: Recorded, before: tuple[Recorded, ResidualValues] | None = None) -> ResidualValues:
    """Return the residuals that need no force plate.

    Parameters
    ----------
    session : Recorded
        The session in memory.
    before : tuple[Recorded, ResidualValues] | None, optional
        The session that it was made from and its residuals: those of a leg on which nothing changed are taken over.

    Returns
    -------
    ResidualValues
        In the units of ``spread.csv``; what this session cannot say is absent.
    """
    residuals: ResidualValues = {}
    sides = changed_sides(session, before[0]) if before else SIDES
    old = before[0] if before else session
    same = session.standing is old.standing and session.subject is old.subject
    angles, stood = _angles(session, residuals, sides, old if same else session)
    for side in sides:
        _of_axes(side, angles[side], residuals)
        if session.standing is not None:
            _against_static(side, angles, stood, session, residuals)
        _of_measurements(side, session, residuals)
        residuals |= of_paths(side, session.markers)
    _of_pelvis(session, angles, residuals)
    residuals |= marker_distances(session, sides)
    for side in sides if session.any_gait else ():
        residuals |= _steps_beside_angles(side, angles[side], session)
    for key in [key for key in residuals if key[1] in session.prostheses and _of_a_grown_leg(key[0])]:
        del residuals[key]
    if turned_deg(session.paths.pelvis_facing_rad) > LARGEST_TURN_DEG:
        for key in [key for key in residuals if key[0] in ("hip rotation", "hip abduction", "pelvis obliquity")]:
            del residuals[key]
    if before:
        residuals |= {key: value for key, value in before[1].items() if key[1] and key[1] not in sides}
    return {key: value for key, value in residuals.items() if np.isfinite(value)}


def changed_sides(session: Recorded, old: Recorded) -> tuple[str, ...]:
    """Legs whose residuals may differ: both where a marker of the pelvis, what was measured or the frames that are looked at do."""
    changed = changed_labels(session.markers, old.markers) | changed_labels(session.standing, old.standing)
    whole = session.subject is not old.subject or not changed.isdisjoint(PELVIS_LABELS)
    if whole or not np.array_equal(session.paths.postures, old.paths.postures):
        return SIDES
    return tuple(side for side in SIDES if any(name[0] == side for name in changed))


def _of_a_grown_leg(residual: str) -> bool:
    """Whether a residual compares knee centre, shank or foot with those of most people."""
    return residual.endswith(" / leg") or residual in GROWN


def turned_deg(facing_rad: FloatArray) -> float:
    """Return by how much the pelvis turns from first to last.

    Parameters
    ----------
    facing_rad : FloatArray
        (n,), as of `WalkPaths.pelvis_facing_rad`.

    Returns
    -------
    float
        Degrees, never negative.
    """
    seen = facing_rad[np.isfinite(facing_rad)]
    return float(np.rad2deg(abs(seen[-1] - seen[0]))) if seen.size else 0.0


def segment_axes(session: Recorded, markers: Markers, side: str, segment: str) -> dict[str, FloatArray]:
    """Return which ways are forward, up, down and lateral for a segment.

    Parameters
    ----------
    session : Recorded
        The session in memory.
    markers : Markers
        Of its walk or of its static trial, n frames.
    side : str
        Which leg, "L" or "R".
    segment : str
        "pelvis", "thigh", "shank" or "foot".

    Returns
    -------
    dict[str, FloatArray]
        Way -> (n, 3), laboratory axes; NaN where a marker is unseen.
    """
    pelvis = pelvis_frames(markers)
    R = pelvis.R_lab_seg
    if segment != "pelvis":
        pose = place_leg(markers, pelvis, session.geometry[side])
        R = pose.R_lab_thigh if segment == "thigh" else pose.R_lab_shank_ankle
        if segment == "foot":
            foot = uncorrected_foot(pose.ankle_lab_m, markers[side + "TOE"], R)
            R = np.stack([-foot[..., 2], foot[..., 1], foot[..., 0]], axis=-1)
    return {"forward": R[..., 0], "lateral": SIDE_SIGN[side] * R[..., 1], "up": R[..., 2], "down": -R[..., 2]}


#: Joint -> names of the three clinical angles.
_ANGLES = {
    "pelvis": ("tilt", "obliquity", "rotation"), "hip": ("flexion", "abduction", "rotation"),
    "knee": ("flexion", "varus", "rotation"), "ankle": ("dorsiflexion", "turn", "rotation"),
}  # fmt: skip


def walking_angles_deg(session: Recorded) -> dict[str, FloatArray]:
    """Return the joint angles of the walk.

    Parameters
    ----------
    session : Recorded
        The session in memory.

    Returns
    -------
    dict[str, FloatArray]
        "L knee rotation" -> (k,), degrees, in the frames of `WalkPaths.postures`.
    """
    return {
        f"{side} {joint} {name}".strip(): angle
        for side, joints in _angles(session, {}, SIDES, session)[0].items()
        for joint, angles in joints.items()
        for name, angle in zip(_ANGLES[joint], angles.T, strict=True)
    }


def _cut(markers: Markers, frames: IntArray) -> Markers:
    return Markers(markers.names, markers.position_m[frames], markers.rate_hz, None, markers.roles)


def _leg_angles(pose: LegPose, pelvis: Frames, side: str) -> dict[str, FloatArray]:
    """Hip and knee of one leg, (n, 3), degrees."""
    chain = {"hip": (pelvis.R_lab_seg, pose.R_lab_thigh), "knee": (pose.R_lab_thigh, pose.R_lab_shank)}
    return {
        joint: np.rad2deg(CONVENTIONAL_AXES.angle(joint, side, proximal.swapaxes(-1, -2), distal))
        for joint, (proximal, distal) in chain.items()
    }


def _angles(
    session: Recorded, residuals: ResidualValues, sides: Sequence[str], stood_as: Recorded
) -> tuple[dict[str, dict[str, FloatArray]], dict[str, dict[str, FloatArray]]]:
    """Angles of pelvis and legs in the walk and in the static trial, in degrees; centres and the foot's offsets on the way.

    ``stood_as`` is a session of the same standing person, for whom the static trial may be worked out already.
    """
    geometry, walk = session.geometry, _cut(session.markers, session.paths.postures)
    pelvis, walking, stood = pelvis_frames(walk), dict[str, dict[str, FloatArray]](), dict[str, dict[str, FloatArray]]()
    for side in sides:
        pose = place_leg(walk, pelvis, geometry[side])
        walking[side] = _leg_angles(pose, pelvis, side)
        used, stood[side] = _standing(stood_as, side)
        uncorrected = uncorrected_foot(pose.ankle_lab_m, walk[side + "TOE"], pose.R_lab_shank)
        p, q = offsets_by_frame(side, uncorrected, walk[side + "HEE"], walk[side + "TOE"], flat=False)
        residuals["foot offset pitch, walk - used", side] = float(np.rad2deg(np.median(p) - used.plantar_flexion_rad))
        residuals["foot offset turn, walk - used", side] = float(np.rad2deg(np.median(q) - used.rotation_rad))
        foot = corrected_foot(uncorrected, side, used.plantar_flexion_rad, used.rotation_rad)
        ankle = CONVENTIONAL_AXES.angle("ankle", side, pose.R_lab_shank_ankle.swapaxes(-1, -2), foot)
        walking[side]["ankle"] = np.rad2deg(ankle)
        residuals["foot rotation in ankle", side] = float(np.median(walking[side]["ankle"][:, 2]))
        leg_m = session.subject.leg_length_m[side]
        for name, start, end in (("thigh", pose.hip_lab_m, pose.knee_lab_m), ("shank", pose.knee_lab_m, pose.ankle_lab_m)):
            residuals[f"{name} by centres / leg length", side] = _ln(_median_m(start, end), leg_m)
    forward = session.paths.way
    R_progression = np.stack([forward, np.cross(UP, forward), UP])
    walking[""] = {"pelvis": np.rad2deg(CONVENTIONAL_AXES.angle("pelvis", "L", R_progression, pelvis.R_lab_seg))}
    return walking, stood


@lru_cache(maxsize=16)
def _standing(session: Recorded, side: str) -> tuple[FootOffsets, dict[str, FloatArray]]:
    """The foot's offsets, of the static trial where there is one, else as learnt before; hip and knee of the static trial."""
    geometry, subject, standing = session.geometry[side], session.subject, session.standing
    if standing is None:
        return FootOffsets(subject.static_plantar_flexion_rad[side], subject.static_rotation_offset_rad[side]), {}
    pelvis = pelvis_frames(standing)
    pose = place_leg(standing, pelvis, geometry)
    uncorrected = uncorrected_foot(pose.ankle_lab_m, standing[side + "TOE"], pose.R_lab_shank_ankle)
    flat = bool(session.calibration.foot_flat)
    delta_m = subject.sole_delta_m.get(side, 0.0)
    offsets = foot_offsets(side, uncorrected, standing[side + "HEE"], standing[side + "TOE"], flat=flat, sole_delta_m=delta_m)
    return offsets, _leg_angles(pose, pelvis, side)


def _extended(flexion_deg: FloatArray) -> BoolArray:
    """Frames in which a knee is extended; all where it has no angle in some, so that a median over them is no number either."""
    return np.asarray(~(flexion_deg >= np.percentile(flexion_deg, EXTENDED_PERCENTILE)))


def _of_axes(side: str, angles: Mapping[str, FloatArray], residuals: ResidualValues) -> None:
    """Whether the knee's axis lies where the walk turns about it, and whether it steps aside in mid-walk."""
    flexion, varus, rotation = angles["knee"].T
    extended = _extended(flexion)
    residuals["knee-axis slope", side], residuals["knee rotation slope", side] = (_slope(flexion, y) for y in (varus, rotation))
    residuals["knee varus, extended", side] = float(np.median(varus[extended]))
    residuals["knee rotation, extended", side] = float(np.median(rotation[extended]))
    residuals["knee flexion, least", side] = float(np.percentile(flexion, 10))
    for name, column in (("hip abduction", 1), ("hip rotation", 2)):
        residuals[name, side] = float(np.median(angles["hip"][:, column]))
    if not np.isfinite(angles["knee"]).all():  # labels exchanged on trial may leave a leg that has no knee
        return
    x = np.deg2rad(flexion)
    half = np.arange(len(x)) >= len(x) / 2
    columns = np.stack([np.ones_like(x), x, x**2, np.sin(2 * x), half], axis=1)
    step_deg = np.linalg.lstsq(columns, np.stack([varus, rotation], axis=1), rcond=None)[0][-1]
    residuals["step of varus in mid-walk", side], residuals["step of knee rotation in mid-walk", side] = map(float, step_deg)


def _against_static(
    side: str, walking: Mapping[str, Mapping[str, FloatArray]], stood: Mapping[str, Mapping[str, FloatArray]], session: Recorded,
    residuals: ResidualValues,
) -> None:  # fmt: skip
    """The standing leg against the extended one, and what the static trial shows of the feet."""
    assert session.standing is not None
    knee, hip = (_median_seen(stood[side][joint]) for joint in ("knee", "hip"))
    flexion = walking[side]["knee"][:, 0]
    extended = _extended(flexion)
    for name, column in (("varus", 1), ("rotation", 2)):
        residuals[f"knee {name}, walk - static", side] = float(np.median(walking[side]["knee"][extended, column]) - knee[column])
    residuals["hip rotation, walk - static", side] = float(np.median(walking[side]["hip"][:, 2]) - hip[2])
    for label in ("HEE", "TOE", "ANK"):
        residuals[f"{label} height, static", side] = MM_PER_M * float(_median_seen(session.standing[side + label][:, 2]))


def _of_measurements(side: str, session: Recorded, residuals: ResidualValues) -> None:
    subject, markers = session.subject, session.markers
    leg_m = subject.leg_length_m[side]
    reach_m = np.linalg.norm(markers[side + "ASI"] - markers[side + "ANK"], axis=1)[session.paths.postures]
    residuals["leg by markers / leg length", side] = _ln(float(np.percentile(reach_m, 95)), leg_m)
    residuals["ankle width / knee width", side] = _ln(subject.ankle_width_m[side], subject.knee_width_m[side])
    residuals["knee width / leg length", side] = _ln(subject.knee_width_m[side], leg_m)


def _of_pelvis(session: Recorded, angles: Mapping[str, Mapping[str, FloatArray]], residuals: ResidualValues) -> None:
    at, m, subject = session.paths.postures, session.markers, session.subject
    tilt_deg, obliquity_deg = np.median(angles[""]["pelvis"], axis=0)[:2]
    residuals["pelvis tilt", ""], residuals["pelvis obliquity", ""] = float(tilt_deg), float(obliquity_deg)
    width_m = _median_m(m["LASI"][at], m["RASI"][at])
    left_m, right_m = (np.linalg.norm(m[side + "ASI"][at] - m["SACR"][at], axis=1) for side in SIDES)
    residuals["ASIS to sacrum, left / right", ""] = _ln(float(np.median(left_m)), float(np.median(right_m)))
    residuals["ASIS to sacrum / leg", ""] = _ln(float(np.median(left_m + right_m)), session.mean_leg_m)
    residuals["ASIS width / leg", ""] = _ln(width_m, session.mean_leg_m)
    if subject.inter_asis_distance_m:
        residuals["ASIS width, markers / stored", ""] = _ln(width_m, subject.inter_asis_distance_m)
    if subject.height_m:
        residuals["leg length / height", ""] = _ln(session.mean_leg_m, subject.height_m)


def marker_distances(session: Recorded, sides: Sequence[str] = SIDES) -> ResidualValues:
    """Return the residuals of distances of markers: against the leg's length, against the static trial, and before against after.

    Parameters
    ----------
    session : Recorded
        The session in memory.
    sides : Sequence[str], optional
        Legs that are asked, beside the pelvis.

    Returns
    -------
    ResidualValues
        In the units of ``spread.csv``; NaN where this session cannot say.
    """
    pairs = [(side, *pair) for side in ("", *sides) for pair in (PAIRS if side else PELVIS_PAIRS)]
    apart_m = _apart_m(session, pairs)
    middle_m, half = np.median(apart_m, axis=0), (len(apart_m) + 1) // 2
    step_m = np.median(apart_m[half:], axis=0) - np.median(apart_m[:half], axis=0)
    stood_m = None if session.standing is None else _median_seen(_apart_m(session, pairs, session.standing))
    residuals: ResidualValues = {}
    for i, (side, first, second) in enumerate(pairs):
        name = f"{first}-{second}"
        if side:
            residuals[f"{name} / leg", side] = _ln(middle_m[i], session.mean_leg_m)
            residuals[STEP_IN_MID_WALK.format(first, second), side] = MM_PER_M * float(step_m[i])
        if stood_m is not None:
            residuals[f"{name}, walk / static", side] = _ln(middle_m[i], stood_m[i])
    return residuals


def _steps_beside_angles(side: str, angles: Mapping[str, FloatArray], session: Recorded) -> ResidualValues:
    """Steps of distances in mid-walk beside a parabola in the angles of knee and ankle; none where an angle is missing.

    A distance over a joint changes with its angle: halves of a walk that hold other parts of a stride differ in
    it although no marker moved.
    """
    knee, ankle = np.deg2rad(angles["knee"][:, 0]), np.deg2rad(angles["ankle"][:, 0])
    if not (np.isfinite(knee).all() and np.isfinite(ankle).all()):
        return {}
    apart_m = _apart_m(session, [(side, *pair) for pair in PAIRS])
    half = np.arange(len(knee)) >= (len(knee) + 1) // 2
    beside = np.stack([half, np.ones(len(knee)), knee, ankle, knee**2, ankle**2, knee * ankle], axis=1)
    steps_m = np.linalg.lstsq(beside, apart_m, rcond=None)[0][0]
    return {(STEP_IN_MID_WALK.format(*pair), side): MM_PER_M * float(step_m) for pair, step_m in zip(PAIRS, steps_m, strict=True)}


def _apart_m(session: Recorded, pairs: Sequence[tuple[str, str, str]], standing: Markers | None = None) -> FloatArray:
    """How far markers lie apart, pairs of side and two labels: (n, pairs), in the postures of the walk or in the static trial."""
    position_m = session.markers.position_m[session.paths.postures] if standing is None else standing.position_m
    column = {name: i for i, name in enumerate(session.markers.names)}
    one, other = ([column[side + labels[end]] for side, *labels in pairs] for end in (0, 1))
    return np.asarray(np.linalg.norm(position_m[:, one] - position_m[:, other], axis=2))


def _median_seen(values: FloatArray) -> FloatArray:
    """Medians of the columns of (n, m) without what is unseen."""
    # The median of numbers alone takes a fraction of the time.
    return np.asarray(np.median(values, axis=0) if np.isfinite(values).all() else over_seen(np.nanmedian, values, axis=0))


def _slope(x: FloatArray, y: FloatArray) -> float:
    centred = x - x.mean()
    return float(centred @ y / (centred @ centred))


def _median_m(first: FloatArray, second: FloatArray) -> float:
    return float(_median_seen(np.linalg.norm(first - second, axis=1)))


def _ln(above: float, below: float) -> float:
    return float(np.log(above / below)) if above > 0 and below > 0 else float("nan")
