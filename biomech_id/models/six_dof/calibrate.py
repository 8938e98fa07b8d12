"""Calibration of the six-degree-of-freedom model: from anatomical points to segment templates.

In every frame of the reference trial the anatomical points give each segment its ISB axes; the mean places of its cluster and of
its joint centres in those axes are the template that later trials are fitted with (Cappozzo et al. 1995, Clin Biomech 10:171). A
walk serves as reference where there is no static trial: each segment learns from the frames in which its points are seen, the
foot from those in which it rests on the floor.

ISB axes from anatomical points: X anterior, Y proximal (up), Z to the subject's right, on both sides (Wu and Cavanagh 1995,
J Biomech 28:1257; Wu et al. 2002, J Biomech 35:543). ``outward`` points from medial to lateral; it is turned to point right, so
that both legs have Z to the right.

::

    pelvis  Z from left to right ASIS; X forward in the plane of the ASIS and the midpoint of the PSIS; origin mid-ASIS
    thigh   Y from knee to hip centre; Z in the plane of Y and the epicondyles; origin hip centre
    shank   Y from ankle to knee centre; Z in the plane of Y and the malleoli; origin knee centre
    foot    X from heel to second metatarsal head; Z as near to the shank's Z as a right angle allows; origin ankle centre

The shank's long axis runs between the joint centres, as in Cappozzo et al. 1995 and in the inertial tables; Wu et al. 2002 lay
its Z through the malleoli instead. X of the two is the same. Every origin of a leg segment is the joint centre proximal to it,
because inertial tables count from there.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, over_seen
from biomech_id.algebra.vectors import cross
from biomech_id.anatomy import LEG_SEGMENTS, Part
from biomech_id.conventions import SIDE_SIGN, SIDES
from biomech_id.dynamics.body import Frames
from biomech_id.errors import Cure, InvalidValueError, MissingInputError
from biomech_id.models.foot_outline import floor_under_m, foot_length_m, outline_foot_m
from biomech_id.models.joint_centres.anatomical import Hinge, hinge_needs, place_hinge
from biomech_id.models.landmarks import BodyPoints
from biomech_id.models.six_dof.calibration import PARENT_POINT, SegmentTemplate
from biomech_id.models.six_dof.pose import aspect
from biomech_id.models.table_inertia import foot_end_points
from biomech_id.models.triads import into_lab, into_segment, right_angled, unit
from biomech_id.trial import Subject
from biomech_id.values import dataclass, field

UP = np.array([0.0, 0.0, 1.0])


def pelvis_axes(left_asis_m: FloatArray, right_asis_m: FloatArray, posterior_m: FloatArray) -> FloatArray:
    """Return the pelvis' ISB axes.

    Parameters
    ----------
    left_asis_m : FloatArray
        (n, 3), left anterior spine, metres, laboratory axes.
    right_asis_m : FloatArray
        (n, 3), right anterior spine, metres, laboratory axes.
    posterior_m : FloatArray
        (n, 3), middle of the posterior spines, or the sacrum, metres, laboratory axes.

    Returns
    -------
    FloatArray
        R_lab_pelvis, (n, 3, 3); NaN where a point is unseen.
    """
    z = unit(right_asis_m - left_asis_m)
    y = unit(cross(z, 0.5 * (left_asis_m + right_asis_m) - posterior_m))
    return right_angled(cross(y, z), y, z)


def long_bone_axes(side: str, proximal_m: FloatArray, distal_m: FloatArray, outward: FloatArray) -> FloatArray:
    """Return the ISB axes of thigh or shank.

    Parameters
    ----------
    side : str
        Which side, "L" or "R".
    proximal_m : FloatArray
        (n, 3), joint centre at its upper end, metres, laboratory axes.
    distal_m : FloatArray
        (n, 3), joint centre at its lower end, metres, laboratory axes.
    outward : FloatArray
        (n, 3), from medial to lateral, any length, laboratory axes.

    Returns
    -------
    FloatArray
        R_lab_seg, (n, 3, 3); NaN where a point is missing.
    """
    y = unit(proximal_m - distal_m)
    x = unit(cross(y, -SIDE_SIGN[side] * outward))
    return right_angled(x, y, cross(x, y))


def foot_axes(heel_m: FloatArray, forefoot_m: FloatArray, R_lab_shank: FloatArray, *, flat: bool) -> FloatArray:
    """Return the ISB axes of a foot.

    Parameters
    ----------
    heel_m : FloatArray
        (n, 3), heel marker, metres, laboratory axes.
    forefoot_m : FloatArray
        (n, 3), second metatarsal head or what stands for it, metres, laboratory axes.
    R_lab_shank : FloatArray
        (n, 3, 3), maps shank components to laboratory components.
    flat : bool
        Whether the line from heel to forefoot is taken as level, whatever the markers' heights.

    Returns
    -------
    FloatArray
        R_lab_foot, (n, 3, 3); NaN where a point is missing.
    """
    forward = forefoot_m - heel_m
    x = unit(forward * (1.0 - UP) if flat else forward)
    y = unit(cross(R_lab_shank[:, :, 2], x))
    return right_angled(x, y, cross(x, y))


#: Heel and forefoot slower than this rest on the floor.
RESTING_M_S = 0.15
#: A cluster narrower than this, width over length, turns about its long axis by more than ten times its own noise angle.
NARROWEST = 0.02


@dataclass(frozen=True)
class FunctionalJoints:
    """Joints found from motion, in axes that the reference trial shows too.

    Attributes
    ----------
    hip_pelvis_m : Mapping[str, FloatArray], optional
        Side -> (3,), metres, pelvis axes from mid-ASIS; sides without a functional centre are left out.
    knee_lab : Mapping[str, tuple[FloatArray, FloatArray]], optional
        Side -> (centre, outward), (n, 3) each, laboratory axes, in the reference trial's frames.
    methods : Mapping[Part, str], optional
        (side, joint) -> method in words, with its residual.
    """

    hip_pelvis_m: Mapping[str, FloatArray] = field(default_factory=dict)
    knee_lab: Mapping[str, tuple[FloatArray, FloatArray]] = field(default_factory=dict)
    methods: Mapping[Part, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class StandingLeg:
    """One leg in every frame of the reference trial: poses of its segments, and its hinges.

    Attributes
    ----------
    side : str
        Which side, "L" or "R".
    frames : Mapping[str, Frames]
        "thigh", "shank", "foot" -> pose in n frames.
    hip_lab_m : FloatArray
        (n, 3), hip centre, metres, laboratory axes.
    knee : Hinge
        Centre and outward direction of the knee.
    ankle : Hinge
        Centre and outward direction of the ankle.
    """

    side: str
    frames: Mapping[str, Frames]
    hip_lab_m: FloatArray
    knee: Hinge
    ankle: Hinge

    @property
    def seen(self) -> BoolArray:
        """Frames (n,) in which the whole leg is placed."""
        return np.asarray(np.isfinite(np.stack([f.R_lab_seg for f in self.frames.values()])).all(axis=(0, 2, 3)))


def usable_sides(landmarks: BodyPoints, subject: Subject, where: str, *, with_mass: bool = True) -> tuple[str, ...]:
    """Return the sides that can be calibrated.

    Parameters
    ----------
    landmarks : BodyPoints
        Anatomical points of the recording.
    subject : Subject
        Widths and the body mass are asked.
    where : str
        The file or trial concerned, for the error message.
    with_mass : bool, optional
        Whether the body mass is needed: for joint loads, not for kinematics alone.

    Returns
    -------
    tuple[str, ...]
        "L" and "R", or the one that has markers at all.

    Raises
    ------
    MissingInputError
        Something is missing; the message names everything at once.
    """
    bare = {
        side for side in SIDES if not any(landmarks.has(side, name) for name in ("lateral_epicondyle", "heel", "lateral_malleolus"))
    }
    sides = tuple(side for side in SIDES if side not in bare) or SIDES
    missing = [landmarks.words(side, ["asis"]) for side in SIDES if not landmarks.has(side, "asis")]
    if not landmarks.has_posterior():
        missing.append("both posterior spines or the sacrum")
    for side in sides:
        missing += [hinge_needs(joint, side, landmarks, subject) for joint in ("knee", "ankle")]
        missing += [landmarks.words(side, ["heel"])] * (not landmarks.has(side, "heel"))
        missing += [landmarks.words(side, ["toe"])] * (not landmarks.has_forefoot(side))
    missing += ["body mass"] * (with_mass and not subject.mass_kg)
    missing = [item for item in missing if item]
    if missing:
        raise MissingInputError(
            f"The six-degree-of-freedom model cannot be calibrated on {where}; missing: {', '.join(missing)}.",
            value=missing, expected=f"the points of marker set {landmarks.markerset.name}, and the body mass", where=where,
        ).cured_by(Cure("markers", names=tuple(missing)))  # fmt: skip
    return sides


def place_pelvis(landmarks: BodyPoints) -> Frames:
    """Return the pelvis of the reference trial from its anatomical points.

    Parameters
    ----------
    landmarks : BodyPoints
        Anatomical points of the recording.

    Returns
    -------
    Frames
        ISB axes, origin mid-ASIS, n frames.
    """
    left, right = landmarks.need("L", "asis"), landmarks.need("R", "asis")
    return Frames(pelvis_axes(left, right, landmarks.posterior()), 0.5 * (left + right))


def stand_leg(
    side: str, pelvis: Frames, hip_pelvis_m: FloatArray, landmarks: BodyPoints, subject: Subject, functional: FunctionalJoints,
    *, flat: bool, marker_radius_m: float,
) -> StandingLeg:  # fmt: skip
    """Return one leg of the reference trial from its anatomical points.

    Parameters
    ----------
    side : str
        Which side, "L" or "R".
    pelvis : Frames
        Pose of the pelvis in every frame.
    hip_pelvis_m : FloatArray
        (3,) or (n, 3), hip centre in pelvis axes, metres.
    landmarks : BodyPoints
        Anatomical points of the recording.
    subject : Subject
        Widths of the joints, where a chord places them.
    functional : FunctionalJoints
        Knees found from motion replace the markers' own.
    flat : bool
        Whether heel and forefoot are taken as level.
    marker_radius_m : float
        Radius of a marker, metres.

    Returns
    -------
    StandingLeg
        n frames, with its hinges.
    """
    hip = into_lab(pelvis.R_lab_seg, pelvis.origin_lab_m, hip_pelvis_m)
    knee = place_hinge("knee", side, hip, landmarks, subject, marker_radius_m)
    if side in functional.knee_lab:
        centre, outward = functional.knee_lab[side]
        knee = Hinge(centre, outward, functional.methods[side, "knee"])
    ankle = place_hinge("ankle", side, knee.centre_lab_m, landmarks, subject, marker_radius_m)
    thigh = long_bone_axes(side, hip, knee.centre_lab_m, knee.outward_lab)
    shank = long_bone_axes(side, knee.centre_lab_m, ankle.centre_lab_m, ankle.outward_lab)
    foot = foot_axes(landmarks.need(side, "heel"), landmarks.forefoot(side), shank, flat=flat)
    frames = {"thigh": Frames(thigh, hip), "shank": Frames(shank, knee.centre_lab_m), "foot": Frames(foot, ankle.centre_lab_m)}
    return StandingLeg(side, frames, hip, knee, ankle)


def resting(side: str, landmarks: BodyPoints) -> BoolArray:
    """Return the frames in which a foot rests on the floor.

    Parameters
    ----------
    side : str
        Which side, "L" or "R".
    landmarks : BodyPoints
        Anatomical points of the recording.

    Returns
    -------
    BoolArray
        (n,), True where heel and forefoot are slower than 0.15 m/s.
    """
    points = (landmarks.need(side, "heel"), landmarks.forefoot(side))
    speed = np.stack([np.linalg.norm(np.gradient(path, 1.0 / landmarks.markers.rate_hz, axis=0), axis=1) for path in points])
    with np.errstate(invalid="ignore"):
        return np.asarray((speed < RESTING_M_S).all(axis=0))


def learn(
    labels: tuple[str, ...], frames: Frames, landmarks: BodyPoints, points_lab_m: Mapping[str, FloatArray], *,
    parent_lab_m: FloatArray | None, use: BoolArray | None, where: str,
) -> SegmentTemplate:  # fmt: skip
    """Return a segment's template.

    Parameters
    ----------
    labels : tuple[str, ...]
        Markers of the cluster; those never seen are left out.
    frames : Frames
        The segment's anatomical pose in the reference trial.
    landmarks : BodyPoints
        Anatomical points of the recording.
    points_lab_m : Mapping[str, FloatArray]
        Name -> (n, 3), anatomical points, metres, laboratory axes.
    parent_lab_m : FloatArray | None
        (n, 3), the proximal joint centre: joins a cluster of fewer than three markers.
    use : BoolArray | None
        (n,), frames to learn from; every frame with a pose by default.
    where : str
        The file or trial concerned, for the error message.

    Returns
    -------
    SegmentTemplate
        Mean places of cluster and points in the segment's axes.

    Raises
    ------
    InvalidValueError
        The segment is never placed, a marker of its cluster is never seen while it is, or the cluster is a line.
    """
    present = tuple(label for label in labels if landmarks.markers.present(label))
    paths = {label: landmarks.markers[label] for label in present}
    if len(present) < 3 and parent_lab_m is not None:
        paths[PARENT_POINT] = parent_lab_m
    keep = np.ones(len(frames), dtype=bool) if use is None or not use.any() else use
    places = {name: _mean_place(frames, path, keep) for name, path in {**paths, **points_lab_m}.items()}
    lost = [name for name, place in places.items() if not np.isfinite(place).all()]
    if lost or len(paths) < 3:
        raise InvalidValueError(
            f"{where}: the segment cannot be calibrated, because {', '.join(lost) or 'too few markers'} never appear together "
            "with the points that define it, or its cluster has fewer than three points.",
            value=lost or present, expected="at least three points seen together with the anatomical points", where=where,
        )  # fmt: skip
    cluster = np.stack([places[name] for name in paths])
    if aspect(cluster) < NARROWEST:
        raise InvalidValueError(
            f"{where}: the markers {', '.join(paths)} lie on a line, which does not show how the segment turns about it.",
            value=aspect(cluster), expected=f"a cluster at least {NARROWEST:g} times as wide as long", where=where,
        )  # fmt: skip
    seen = np.stack([into_segment(frames.R_lab_seg, frames.origin_lab_m, path) for path in paths.values()], axis=1)[keep]
    spread = float(np.sqrt(over_seen(np.nanmean, ((seen - cluster) ** 2).sum(axis=2))))
    weights = np.array([landmarks.markerset.weights.get(label, 1.0) for label in paths])
    return SegmentTemplate(tuple(paths), cluster, weights, {name: places[name] for name in points_lab_m}, spread)


def _mean_place(frames: Frames, path_lab_m: FloatArray, use: BoolArray) -> FloatArray:
    local = into_segment(frames.R_lab_seg, frames.origin_lab_m, path_lab_m)[use]
    seen = np.isfinite(local).all(axis=1)
    return np.asarray(local[seen].mean(axis=0) if seen.any() else np.full(3, np.nan))


def leg_templates(
    leg: StandingLeg, landmarks: BodyPoints, *, from_walk: bool, marker_radius_m: float
) -> dict[str, SegmentTemplate]:
    """Return the templates of one leg.

    Parameters
    ----------
    leg : StandingLeg
        The leg as it stands in the reference trial.
    landmarks : BodyPoints
        Anatomical points of the recording.
    from_walk : bool
        Whether the reference is a walk and not a static trial.
    marker_radius_m : float
        Radius of a marker, metres.

    Returns
    -------
    dict[str, SegmentTemplate]
        "thigh", "shank", "foot" -> template.
    """
    side, tracking = leg.side, landmarks.markerset.tracking
    points = leg_points(leg, landmarks, marker_radius_m)
    parents = {"thigh": leg.hip_lab_m, "shank": leg.knee.centre_lab_m, "foot": leg.ankle.centre_lab_m}
    rest = resting(side, landmarks) if from_walk else None
    return {
        name: learn(
            tracking[side, name], leg.frames[name], landmarks, points[name],
            parent_lab_m=parents[name], use=rest if name == "foot" else None, where=f"{side} {name}",
        )
        for name in LEG_SEGMENTS
    }  # fmt: skip


def leg_points(leg: StandingLeg, landmarks: BodyPoints, marker_radius_m: float) -> dict[str, dict[str, FloatArray]]:
    """Return the end points of inertial tables on one leg.

    Parameters
    ----------
    leg : StandingLeg
        The leg as it stands in the reference trial.
    landmarks : BodyPoints
        Anatomical points of the recording.
    marker_radius_m : float
        Radius of a marker, metres.

    Returns
    -------
    dict[str, dict[str, FloatArray]]
        Segment -> end point -> (n, 3), metres, laboratory axes.
    """
    side, knee, ankle = leg.side, leg.knee.centre_lab_m, leg.ankle.centre_lab_m
    malleoli = {name: path for name in ("lateral_malleolus", "medial_malleolus") if (path := landmarks.get(side, name)) is not None}
    return {
        "thigh": {"hip_centre": leg.hip_lab_m, "knee_centre": knee},
        "shank": {"knee_centre": knee, "ankle_centre": ankle, **malleoli},
        "foot": {"ankle_centre": ankle, **malleoli, **_foot_points(leg, landmarks, marker_radius_m)},
    }


def _foot_points(leg: StandingLeg, landmarks: BodyPoints, marker_radius_m: float) -> dict[str, FloatArray]:
    """End points of inertial tables on the foot, (n, 3), metres, laboratory axes; points without a marker are estimated."""
    side, forward = leg.side, leg.frames["foot"].R_lab_seg[:, :, 0]
    marker, front, tip = landmarks.need(side, "heel"), landmarks.forefoot(side), landmarks.get(side, "toe_tip")
    points = foot_end_points(marker, front, leg.ankle.centre_lab_m, forward, marker_radius_m)
    points["metatarsal_heads"] = landmarks.metatarsal_heads(side)
    return points if tip is None else {**points, "toe_tip": tip}


def sole(leg: StandingLeg, landmarks: BodyPoints, floor_lab_m: float, marker_radius_m: float, use: BoolArray | None) -> FloatArray:
    """Return the outline of the sole.

    Parameters
    ----------
    leg : StandingLeg
        The leg as it stands in the reference trial.
    landmarks : BodyPoints
        Anatomical points of the recording.
    floor_lab_m : float
        Height of the floor, metres, laboratory Z.
    marker_radius_m : float
        Radius of a marker, metres.
    use : BoolArray | None
        (n,), frames to learn from; None for all.

    Returns
    -------
    FloatArray
        (k, 3), metres, foot axes from the ankle centre, on the floor the subject stands on.
    """
    side = leg.side
    keep = slice(None) if use is None or not use.any() else use
    heel, front = landmarks.need(side, "heel")[keep], landmarks.forefoot(side)[keep]
    ankle = leg.ankle.centre_lab_m[keep]
    floor = floor_under_m(ankle, foot_length_m(heel, front, marker_radius_m), floor_lab_m)
    R_lab_foot = leg.frames["foot"].R_lab_seg[keep]
    return outline_foot_m(side, heel, front, ankle, R_lab_foot, marker_radius_m=marker_radius_m, floor_lab_m=floor)
