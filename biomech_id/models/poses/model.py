"""The body of a markerless recording: every segment as the file poses it, joint centres where its segments begin.

Nothing is fitted: R and origin of pelvis, thigh, shank and foot are the file's, turned into ISB's axes by the table of its system
(`models.poses.pose_set`) and made orthonormal to the last digit. Angles, moments and signs are those of the six-degree-of-freedom
model. Masses come from the file where it brings shares of body mass, else from an inertial table scaled by the distances of the
joint centres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.rotation import nearest_rotations
from biomech_id.algebra.vectors import matvec, matvec_transposed
from biomech_id.anatomy import LEG_SEGMENTS, PELVIS, Part
from biomech_id.conventions import MM_PER_M, SIDES
from biomech_id.dynamics.body import BodyMotion, Frames, Segment
from biomech_id.dynamics.joint_axes import ModelAxes
from biomech_id.dynamics.model_errors import ModelErrors
from biomech_id.errors import Finding, MissingInputError, OptionError
from biomech_id.models.clinical_angles import clinical_angles
from biomech_id.models.foot_outline import METATARSAL_SHARE, OUTLINE_NAMES, outline_foot_m, outline_lab_m
from biomech_id.models.model import BodyModel, CalibrationInput
from biomech_id.models.poses.points import foot_points_m, with_pose_points
from biomech_id.models.poses.pose_set import PoseSet, pose_set_of, refuse_other_axes
from biomech_id.models.progression import progression_axes
from biomech_id.models.segment_motion import differentiate
from biomech_id.models.segment_record import segment_record
from biomech_id.models.six_dof.axes import SIX_DOF_AXES
from biomech_id.models.table_inertia import choose_table, foot_end_points, scale
from biomech_id.movement.movement import Movement
from biomech_id.trial import Subject, Trial
from biomech_id.trial.rotations import Rotations, SegmentShare
from biomech_id.values import dataclass, replace

_PROXIMAL_END = {"thigh": "hip_centre", "shank": "knee_centre", "foot": "ankle_centre"}
_DISTAL = {"thigh": "shank", "shank": "foot"}
_JOINT_ABOVE = {"thigh": "hip", "shank": "knee", "foot": "ankle"}
#: Rows are laboratory axes (X forward, Z up) in the axes of a foot that stands.
_R_LAB_STANDING_FOOT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


@compact_repr
@dataclass(frozen=True, eq=False)
class PoseCalibration:
    """What a markerless recording says of a subject.

    Attributes
    ----------
    reference : str
        Name of the recording that masses and soles come from.
    pose_set : PoseSet
        Which pose is which segment.
    labels : tuple[str, ...]
        All poses of the recording.
    segments : Mapping[Part, Segment]
        (side, segment) -> inertial parameters.
    outline_foot_m : Mapping[str, FloatArray]
        Side -> (k, 3), outline of the sole in foot axes from the ankle centre, metres.
    foot_points_m : Mapping[str, Mapping[str, FloatArray]]
        Side -> "heel" and "toe" -> (3,), foot axes from the ankle centre, metres.
    """

    reference: str
    pose_set: PoseSet
    labels: tuple[str, ...]
    segments: Mapping[Part, Segment]
    outline_foot_m: Mapping[str, FloatArray]
    foot_points_m: Mapping[str, Mapping[str, FloatArray]]

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides that have a whole leg."""
        return tuple(side for side in SIDES if (side, "foot") in self.segments)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``calibration.json`` says.

        Returns
        -------
        dict[str, Any]
            Plain values: mm, masses in kg, tensors in kg m2 about the centre of mass.
        """
        sides = {side: {n: segment_record(self.segments[side, n], None) for n in LEG_SEGMENTS} for side in self.sides}
        points = {
            side: {name: (MM_PER_M * place).tolist() for name, place in self.foot_points_m[side].items()} for side in self.sides
        }
        return {
            "reference": self.reference,
            "system": self.pose_set.title,
            "axes": SIX_DOF_AXES.segment_axes,
            "R_file_isb": self.pose_set.R_file_isb.tolist(),
            "poses": {label: self.pose_set.words(label) or "not known" for label in self.labels},
            "sides": {side: {"segments": sides[side], "foot_points_mm": points[side]} for side in self.sides},
        }


@compact_repr
@dataclass(frozen=True, eq=False)
class PoseModel:
    """A subject whose segments' poses are measured.

    Attributes
    ----------
    calibration : PoseCalibration
        Which pose is which segment, with masses and soles.
    subject : Subject
        Measurements used; a mass of None leaves the segments without mass.
    findings : tuple[Finding, ...], optional
        What was assumed or noticed.
    static : Trial | None, optional
        Always None, for poses need no static trial.
    axes : ModelAxes, optional
        In which angles, moments and forces are expressed.
    name : str, optional
        What motions say they come from.
    """

    calibration: PoseCalibration
    subject: Subject
    findings: tuple[Finding, ...] = ()
    static: Trial | None = None
    axes: ModelAxes = SIX_DOF_AXES
    name: str = "poses"

    def expressed_in(self, axes: ModelAxes, name: str) -> PoseModel:
        """Return the model with other axes.

        Parameters
        ----------
        axes : ModelAxes
            Which axes results are expressed in.
        name : str
            What its motions then say they come from.

        Returns
        -------
        PoseModel
            The same calibration under another name.
        """
        return replace(self, axes=axes, name=name)

    @property
    def marker_names(self) -> tuple[str, ...]:
        """The points that stand in for markers."""
        return tuple(name for names in self.marker_groups.values() for name in names)

    @property
    def marker_groups(self) -> dict[Part, tuple[str, ...]]:
        """Segment -> the points that its pose shows."""
        groups: dict[Part, tuple[str, ...]] = {PELVIS: ("L pelvis", "R pelvis")}
        for side in self.calibration.sides:
            groups[side, "thigh"] = (f"{side} hip centre",)
            groups[side, "shank"] = (f"{side} knee centre",)
            groups[side, "foot"] = (f"{side} ankle centre", f"{side} heel", f"{side} toe")
        return groups

    @property
    def errors(self) -> ModelErrors:
        """No joint centre is found here; they are the file's."""
        return ModelErrors()

    def named(self, trial: Trial) -> Trial:
        """Return a trial with the points that its poses show among its markers.

        Parameters
        ----------
        trial : Trial
            A recording with poses of the same system.

        Returns
        -------
        Trial
            See `with_pose_points`.
        """
        return with_pose_points(trial)

    def track(self, trial: Trial, *, kinetics: str = "textbook") -> Movement:
        """Return the motion of pelvis and legs in every frame of a trial.

        Parameters
        ----------
        trial : Trial
            A recording of the same system.
        kinetics : str, optional
            "textbook", the only mode that poses have.

        Returns
        -------
        BodyMotion
            Poses as the file has them, orthonormal, at the video rate; NaN where one is missing.

        Raises
        ------
        MissingInputError
            The trial lacks the pose of a segment.
        InvalidValueError
            Axes that are not the system's.
        OptionError
            Another kinetics mode.
        """
        if kinetics != "textbook":
            raise OptionError(
                f"Poses of segments have no kinetics mode {kinetics!r}.", value=kinetics, expected="textbook", where="kinetics"
            )
        calibration, known = self.calibration, self.calibration.pose_set
        labels = _labels(known, trial)
        refuse_other_axes(known, trial.rotations, trial.name)
        frames = {part: _frames(trial, label, known) for part, label in labels.items() if part[0] in ("", *calibration.sides)}
        pelvis = frames[PELVIS]
        progression = progression_axes(pelvis.origin_lab_m, pelvis.R_lab_seg)
        motions = {PELVIS: differentiate(pelvis, pelvis.origin_lab_m, trial.rate_hz)}
        for part, segment in calibration.segments.items():
            com = frames[part].origin_lab_m + matvec(frames[part].R_lab_seg, segment.com_m)
            motions[part] = differentiate(frames[part], com, trial.rate_hz, segment=segment)
        outlines = {side: outline_lab_m(frames[side, "foot"], sole) for side, sole in calibration.outline_foot_m.items()}
        body = BodyMotion(
            name=trial.name, rate_hz=trial.rate_hz, first_frame=trial.first_frame, motions=motions,
            segments=calibration.segments, axes=self.axes, model=self.name, kinetics=kinetics, progression_R_lab=progression,
            joint_centres_lab_m={(side, _JOINT_ABOVE[n]): frames[side, n].origin_lab_m for side, n in calibration.segments},
            joint_angles_rad=clinical_angles(self.axes, calibration.sides, motions, progression),
            foot_outline_lab_m=outlines,
            foot_outline_names=OUTLINE_NAMES, roles=dict(with_pose_points(trial).markers.roles),
        )  # fmt: skip
        return Movement.of(body, trial, self)


def pose_model(trial: Trial, subject: Subject | None = None, *, inertia: str = "auto") -> PoseModel:
    """Return the body model of a subject whose segments' poses were measured.

    Parameters
    ----------
    trial : Trial
        A recording with poses of segments.
    subject : Subject | None, optional
        Measurements; default is what the file holds.
    inertia : str, optional
        "auto" for the file's own shares of body mass where it brings them, else the name or path of an inertial table.

    Returns
    -------
    PoseModel
        With the findings of masses and soles that had to be estimated.

    Raises
    ------
    MissingInputError
        No table knows the recording's poses, or a leg is incomplete.
    InvalidValueError
        Axes that are not the system's.
    """
    subject = trial.subject if subject is None else subject
    known = _known(trial)
    labels, rotations = _labels(known, trial), trial.rotations
    refuse_other_axes(known, rotations, trial.name)
    sides = tuple(side for side in SIDES if all((side, name) in labels for name in LEG_SEGMENTS))
    points = {side: foot_points_m(known, rotations, side) for side in sides}
    soles = {side: _sole(side, points[side][0]) for side in sides}
    own = inertia == "auto" and all(labels[side, name] in rotations.shares for side in sides for name in LEG_SEGMENTS)
    findings: Sequence[Finding]
    if own:
        segments, findings = _file_segments(known, rotations, labels, sides, subject)
    else:
        segments, findings = _table_segments(rotations, labels, {s: points[s][0] for s in sides}, subject, inertia)
    guessed = [side for side in sides if points[side][1]]
    noticed = [Finding("foot-points-estimated", {"sides": len(guessed), "system": known.title}, trial.name)] if guessed else []
    calibration = PoseCalibration(trial.name, known, rotations.names, segments, soles, {side: points[side][0] for side in sides})
    return PoseModel(calibration, subject, (*noticed, *findings))


def poses_of(motion: BodyMotion, body_mass_kg: float) -> Rotations:
    """Return the poses of a body's segments as a file of poses keeps them.

    Parameters
    ----------
    motion : BodyMotion
        Of a model whose segments' axes are known (`ModelAxes.R_seg_isb`).
    body_mass_kg : float
        Mass of the whole body; shares are of it.

    Returns
    -------
    Rotations
        ISB axes from the joint centres, laboratory components, metres, with shares of body mass and points of the feet.
    """
    axes = motion.model_axes.R_seg_isb
    legs = [(side, name) for side in motion.sides for name in reversed(LEG_SEGMENTS)]
    pelvis = motion.motions[PELVIS].frames
    turned, origins, shares = [pelvis.R_lab_seg @ axes["pelvis"]], [pelvis.origin_lab_m], {}
    for side, name in legs:
        moved, segment, turn = motion.motions[side, name], motion.segments[side, name], axes[name]
        turned.append(moved.frames.R_lab_seg @ turn)
        origins.append(motion.joint_centres_lab_m[side, _JOINT_ABOVE[name]])
        com = over_seen(np.nanmean, matvec_transposed(turned[-1], moved.com_lab_m - origins[-1]), axis=0)
        tensor = over_seen(np.nanmean, segment.inertia_kgm2.reshape(-1, 3, 3), axis=0)
        share = SegmentShare(segment.mass_kg / body_mass_kg, com, turn.T @ tensor @ turn / segment.mass_kg)
        shares[" ".join((side, name))] = {"": share}
    names = ("pelvis", *(" ".join(part) for part in legs))
    points = {(f"{side} foot", name): place for side in motion.sides for name, place in _outline_points(motion, side).items()}
    return Rotations(names, np.stack(turned, axis=1), np.stack(origins, axis=1), motion.rate_hz, shares, points)


def _outline_points(motion: BodyMotion, side: str) -> dict[str, FloatArray]:
    """Heel and forefoot of a foot's outline, ISB axes from the ankle centre; none where the body has no outline."""
    foot, ankle = motion.motions[side, "foot"].frames, motion.joint_centres_lab_m[side, "ankle"]
    turned, points_m = foot.R_lab_seg @ motion.model_axes.R_seg_isb["foot"], {}
    for name, label in (("heel", "HeelOutline"), ("toe", "ToeOutline")):
        if label in motion.foot_outline_names:
            path = motion.foot_outline_lab_m[side][:, motion.foot_outline_names.index(label)]
            points_m[name] = over_seen(np.nanmean, matvec_transposed(turned, path - ankle), axis=0)
    if len(points_m) == 2:  # the outline's front is the tip of the toes, the forefoot's point lies on the metatarsal heads
        points_m["toe"] = points_m["heel"] + METATARSAL_SHARE * (points_m["toe"] - points_m["heel"])
    return points_m


def _known(trial: Trial) -> PoseSet:
    known = pose_set_of(trial.rotations)
    if known is None:
        raise MissingInputError(
            f"{trial.name} has no poses of pelvis, thigh, shank and foot that a known system names.",
            value=list(trial.rotations.names), expected="the labels of Theia3D, or of a registered PoseSet", where=trial.name,
        )  # fmt: skip
    return known


def _labels(known: PoseSet, trial: Trial) -> dict[Part, str]:
    labels = known.labels(trial.rotations.names)
    if PELVIS not in labels:
        raise MissingInputError(
            f"{trial.name} has no pose of the pelvis.",
            value=list(trial.rotations.names), expected=known.segments[PELVIS], where=trial.name,
        )  # fmt: skip
    return labels


def _frames(trial: Trial, label: str, known: PoseSet) -> Frames:
    """A segment's pose at the video rate, in ISB axes, orthonormal to the last digit (the nearest rotation)."""
    ratio = round(trial.rotations.rate_hz / trial.rate_hz)
    turned, origin = trial.rotations.of(label)
    return Frames(nearest_rotations(turned[::ratio]) @ known.R_file_isb, origin[::ratio])


def _sole(side: str, points_m: Mapping[str, FloatArray]) -> FloatArray:
    """The outline of the sole, drawn under a foot that stands level on its lower point."""
    heel, toe = (_R_LAB_STANDING_FOOT @ points_m[name] for name in ("heel", "toe"))
    return outline_foot_m(
        side, heel[None], toe[None], np.zeros((1, 3)), _R_LAB_STANDING_FOOT[None], marker_radius_m=0.0,
        floor_lab_m=float(min(heel[2], toe[2])),
    )  # fmt: skip


def _file_segments(
    known: PoseSet, rotations: Rotations, labels: Mapping[Part, str], sides: Sequence[str], subject: Subject
) -> tuple[dict[Part, Segment], list[Finding]]:
    """Segments from the file's shares of body mass; where it has women's and men's and the sex is not known, their mean."""
    mass_kg, turn = subject.mass_kg or 0.0, known.R_file_isb
    findings: list[Finding] = []
    segments: dict[Part, Segment] = {}
    sex = {"f": "female", "m": "male"}.get((subject.sex or "")[:1].lower(), "")
    for part in ((side, name) for side in sides for name in LEG_SEGMENTS):
        of_sex = rotations.shares[labels[part]]
        chosen = [of_sex[sex]] if sex in of_sex else list(of_sex.values())
        share = np.mean([each.mass_share for each in chosen])
        com = turn.T @ np.mean([each.com_m for each in chosen], axis=0)
        tensor = mass_kg * share * turn.T @ np.mean([each.tensor_m2 for each in chosen], axis=0) @ turn
        segments[part] = Segment(
            part[1], mass_kg * float(share), com, 0.5 * (tensor + tensor.T), f"{known.title}, in the recording"
        )
        if len(chosen) > 1 and not findings:
            findings.append(Finding("inertia-of-both-sexes", {"system": known.title}))
    return segments, findings


def _table_segments(
    rotations: Rotations, labels: Mapping[Part, str], points_m: Mapping[str, Mapping[str, FloatArray]], subject: Subject, name: str
) -> tuple[dict[Part, Segment], Sequence[Finding]]:
    """Segments from an inertial table, scaled by the distances of the joint centres."""
    table, findings = choose_table(name, subject)
    segments = {}
    for side, foot in points_m.items():
        zero, forward = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0]])
        ends = {n: p[0] for n, p in foot_end_points(foot["heel"][None], foot["toe"][None], zero, forward, 0.0).items()}
        for part in LEG_SEGMENTS:
            points = {_PROXIMAL_END[part]: np.zeros(3), "lateral_malleolus": np.zeros(3), **ends}
            if part in _DISTAL:
                below = rotations.of(labels[side, _DISTAL[part]])[1] - rotations.of(labels[side, part])[1]
                length = float(over_seen(np.nanmedian, np.linalg.norm(below, axis=1)))
                points = {_PROXIMAL_END[part]: np.zeros(3), _PROXIMAL_END[_DISTAL[part]]: np.array([0.0, -length, 0.0])}
            segments[side, part] = scale(table[part], side, subject.mass_kg or 0.0, points).segment
    return segments, findings


def _calibrated(given: CalibrationInput) -> PoseModel:
    posed = [trial for trial in given.trials if pose_set_of(trial.rotations) is not None]
    if not posed:
        raise MissingInputError(
            f"{given.where or 'The session'} holds no poses of pelvis and legs.",
            value=[trial.name for trial in given.trials], expected="recordings of a markerless system", where=given.where,
        )  # fmt: skip
    return pose_model(posed[0], given.subject, inertia=given.inertia_table)


POSES = BodyModel(
    name="poses",
    title="Measured poses of segments",
    kinetics=("textbook",),
    axes=SIX_DOF_AXES,
    roles=(),
    calibrate=_calibrated,
    wears_markers=lambda trial: False,
    settings=frozenset({"inertia_table"}),
)
