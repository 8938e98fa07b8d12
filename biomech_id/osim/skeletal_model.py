"""A scaled OpenSim model as the body model of one subject: constant bones, joints that only turn as the model lets them.

What a trial's markers do, inverse kinematics tells the model's coordinates; the body then moves as the model does. Segments are the
model's bodies: pelvis, femur, tibia, and the foot with everything beyond the ankle, which is taken as rigid with the heel bone; a
patella belongs to the thigh. Joint centres are the origins of femur, tibia and talus. Masses are the model's own. The axes of these
bodies in OpenSim's models are ISB's: X anterior, Y proximal, Z to the right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import matvec
from biomech_id.anatomy import Part, proximal_part
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, Frames, Motion, Segment, WholeBody
from biomech_id.dynamics.joint_axes import ModelAxes
from biomech_id.dynamics.model_errors import CentreError, ModelErrors
from biomech_id.errors import Finding, MissingInputError, OptionError
from biomech_id.markersets.detect import SMALLEST_SHARE, propose
from biomech_id.models.clinical_angles import clinical_angles
from biomech_id.models.progression import progression_axes
from biomech_id.models.segment_motion import differentiate
from biomech_id.models.segment_record import segment_record
from biomech_id.models.six_dof.axes import SIX_DOF_AXES
from biomech_id.movement.movement import Movement
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel, OffsetFrame
from biomech_id.osim.kinematics.inverse_kinematics import TrackedPose, TrackingTasks, soft_tissue_weights, track_markers
from biomech_id.osim.muscles.clinic_muscles import ClinicPaths
from biomech_id.osim.skeleton.tree import Tree
from biomech_id.signal.derivatives import quintic_derivatives
from biomech_id.trial import Subject, Trial
from biomech_id.values import dataclass, field, replace

#: Rows are laboratory axes (X forward where the model's is, Z up) in the axes of a model's surroundings (Y up).
R_LAB_SURROUNDINGS = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
#: Words in names of bodies -> the segment that they make up; the first body of a segment carries its frame.
BODIES_OF_SEGMENT: Mapping[str, tuple[str, ...]] = {
    "thigh": ("femur", "thigh", "patella"),
    "shank": ("tibia", "shank", "fibula"),
    "foot": ("calcn", "foot", "talus", "toes"),
}
#: Whose origin is the joint above a segment, where it is not the segment's own.
_JOINT_BODY = {"foot": "talus"}
#: Of a fitted model's hip: its error is one with those of sizes and markers.
FITTED_CENTRE = CentreError(0.0, "what the fit of the model is not sure of")
_JOINT_ABOVE = {"thigh": "hip", "shank": "knee", "foot": "ankle"}


@dataclass(frozen=True, eq=False)
class SkeletalCalibration:
    """What a scaled model says of a subject.

    Attributes
    ----------
    model : str
        Name of the OpenSim model.
    markers : tuple[str, ...]
        Names of the model's markers that are followed.
    weights : Mapping[str, float]
        Weight of each of those markers, by its name.
    segments : Mapping[Part, Segment]
        Mass, centre and tensor.
    bodies : Mapping[Part, tuple[str, ...]]
        Which bodies make up a segment.
    fit : Mapping[str, Any], optional
        What a session keeps of the fit that the model comes of (see `osim.fit.kept.kept_fit`); empty where it comes of none.
    """

    model: str
    markers: tuple[str, ...]
    weights: Mapping[str, float]
    segments: Mapping[Part, Segment]
    bodies: Mapping[Part, tuple[str, ...]]
    fit: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Give the calibration as ``calibration.json`` holds it.

        Returns
        -------
        dict[str, Any]
            Lengths in mm, masses in kg, tensors in kg m2 about the centre of mass, by segment and side.
        """
        return {
            "osim": self.model,
            "axes": SIX_DOF_AXES.segment_axes,
            "followed_markers": list(self.markers),
            "marker_weights": dict(self.weights),
            "bodies": {" ".join(part).strip(): list(names) for part, names in self.bodies.items()},
            "sides": {side: {"segments": self._of_side(side)} for side in SIDES},
            **({"fit": self.fit} if self.fit else {}),
        }

    def _of_side(self, side: str) -> dict[str, Any]:
        return {name: segment_record(segment, None) for (of, name), segment in self.segments.items() if of == side}


@compact_repr
@dataclass(frozen=True, eq=False)
class SkeletalModel:
    """A subject's scaled OpenSim model, ready to track trials.

    Attributes
    ----------
    osim : MusculoskeletalModel
        The scaled model, with the recordings' markers.
    calibration : SkeletalCalibration
        What it says of the subject.
    tasks : TrackingTasks
        Weights of markers and coordinates.
    subject : Subject, optional
        Mass and height of the subject, as far as known.
    findings : tuple[Finding, ...], optional
        How the model fits the subject, for report and summary.
    static : Trial | None, optional
        None: a scaled model needs none.
    axes : ModelAxes, optional
        In which angles, moments and forces are expressed.
    name : str, optional
        Name under which results give the model.
    naming : Callable[[Trial], Trial] | None, optional
        Gives a trial the labels of the model's markers; None where it has them.
    fit_root : FloatArray | None, optional
        What the fit that the model comes of is not sure of (see `osim.fit.kept.fit_beside`); None where it comes of none.
    """

    osim: MusculoskeletalModel
    calibration: SkeletalCalibration
    tasks: TrackingTasks
    subject: Subject = field(default_factory=Subject)
    findings: tuple[Finding, ...] = ()
    static: Trial | None = None
    axes: ModelAxes = SIX_DOF_AXES
    name: str = "opensim"
    naming: Callable[[Trial], Trial] | None = None
    fit_root: FloatArray | None = None

    def expressed_in(self, axes: ModelAxes, name: str) -> SkeletalModel:
        """The same model, its results in other axes.

        Parameters
        ----------
        axes : ModelAxes
            Which axes results are expressed in.
        name : str
            Name under which results give the model.

        Returns
        -------
        SkeletalModel
            With the same bones and markers.
        """
        return replace(self, axes=axes, name=name)

    @property
    def marker_names(self) -> tuple[str, ...]:
        """Markers that are followed."""
        return self.calibration.markers

    @property
    def marker_groups(self) -> dict[Part, tuple[str, ...]]:
        """Segment -> the markers on its bodies."""
        followed = [marker for marker in self.osim.markers if marker.name in self.marker_names]
        groups = {part: tuple(m.name for m in followed if m.body in names) for part, names in self.calibration.bodies.items()}
        return {part: names for part, names in groups.items() if names}

    @property
    def errors(self) -> ModelErrors:
        """No joint centre is found in a recording; they are the model's. Of a fitted model the fit says how sure they are."""
        return ModelErrors(hip_errors={} if self.fit_root is None else dict.fromkeys(SIDES, FITTED_CENTRE))

    def named(self, trial: Trial) -> Trial:
        """Give a trial's markers the model's labels.

        Parameters
        ----------
        trial : Trial
            The recording, under its laboratory's labels.

        Returns
        -------
        Trial
            The trial itself where it has them.
        """
        return self.naming(trial) if self.naming else trial

    def coordinates(self, trial: Trial) -> TrackedPose:
        """Find the model's coordinates in every frame of a trial.

        Parameters
        ----------
        trial : Trial
            The recording, laboratory axes with Z up.

        Returns
        -------
        TrackedPose
            Coordinates (N, nq), rad or m, NaN in a frame without markers, and what is left of each marker, m.

        Raises
        ------
        MissingInputError
            The recording and the model have no marker in common.
        """
        position_ground_m = trial.markers.position_m @ R_LAB_SURROUNDINGS
        return track_markers(self.osim, trial.markers.names, position_ground_m, self.tasks, rate_hz=trial.rate_hz)

    def track(self, trial: Trial, *, kinetics: str = "textbook") -> Movement:
        """Track pelvis and legs in every frame of a trial.

        Parameters
        ----------
        trial : Trial
            Markers of the subject, under the model's names.
        kinetics : str, optional
            The only mode of this model, "textbook".

        Returns
        -------
        BodyMotion
            Frames, angles (rad), centres of mass and their derivatives, laboratory axes, m; NaN in frames without markers.

        Raises
        ------
        MissingInputError
            The recording and the model have no marker in common.
        OptionError
            Another kinetics mode.
        """
        if kinetics != "textbook":
            raise OptionError(
                f"An OpenSim model has no kinetics mode {kinetics!r}.", value=kinetics, expected="textbook", where="kinetics"
            )
        return Movement.of(self.motion(trial, self.coordinates(trial)), trial, self)

    def motion(self, trial: Trial, pose: TrackedPose) -> BodyMotion:
        """Make the motion of pelvis and legs of the model's coordinates.

        Parameters
        ----------
        trial : Trial
            The recording that the coordinates are of.
        pose : TrackedPose
            Coordinates that `coordinates` found in it.

        Returns
        -------
        BodyMotion
            As `track` returns it.
        """
        tree = Tree(self.osim)
        place = tree.posture(pose.q, rows=False).place
        R_lab, origin_lab = R_LAB_SURROUNDINGS @ place[..., :3, :3], place[..., :3, 3] @ R_LAB_SURROUNDINGS.T
        index = {part: tree.skeleton.body_index(names[0]) for part, names in self.calibration.bodies.items()}
        pelvis = Frames(R_lab[:, index["", "pelvis"]], origin_lab[:, index["", "pelvis"]])
        motions, centres = {("", "pelvis"): differentiate(pelvis, pelvis.origin_lab_m, trial.rate_hz)}, {}
        for part, segment in self.calibration.segments.items():
            joint = origin_lab[:, self._joint_body(tree, part)]
            frames = Frames(R_lab[:, index[part]], joint)
            com = joint + np.einsum("nij,j->ni", frames.R_lab_seg, segment.com_m)
            motions[part] = differentiate(frames, com, trial.rate_hz, segment=segment)
            centres[part[0], _JOINT_ABOVE[part[1]]] = joint
        progression = progression_axes(pelvis.origin_lab_m, pelvis.R_lab_seg)
        joints = _joint_points(self.osim)
        bodies, places_m = tree.skeleton.marker_places(pose.markers)
        numbers = [*bodies, *(tree.skeleton.body_index(point.body) for point in joints.values())]
        arms_m = np.concatenate([places_m, [point.place_m for point in joints.values()]])
        points_lab_m = np.moveaxis(origin_lab[:, numbers] + matvec(R_lab[:, numbers], arms_m), 1, 0)
        return BodyMotion(
            name=trial.name, rate_hz=trial.rate_hz, first_frame=trial.first_frame, motions=motions,
            segments=self.calibration.segments, joint_centres_lab_m=centres,
            joint_angles_rad=clinical_angles(self.axes, SIDES, motions, progression), progression_R_lab=progression,
            model=self.name, axes=self.axes, fit_residual_m=self._residuals(pose),
            roles=_roles(trial), whole=self._whole(tree, R_lab, origin_lab, motions, trial.rate_hz),
            joint_slides_lab_m_s=self._slides(tree, pose.q, trial.rate_hz),
            muscles=self._paths.measured(pose, self._standing, trial.rate_hz),
            model_markers_lab_m=dict(zip(pose.markers, points_lab_m, strict=False)),
            model_joints_lab_m=dict(zip(joints, points_lab_m[len(bodies) :], strict=True)),
        )  # fmt: skip

    @cached_property
    def _paths(self) -> ClinicPaths:
        return ClinicPaths(self.osim)

    @cached_property
    def _standing(self) -> TrackedPose | None:
        return None if self.static is None else self.coordinates(self.static)

    def _slides(self, tree: Tree, q: FloatArray, rate_hz: float) -> dict[Part, FloatArray]:
        """Velocity of each joint centre in the segment above, as the joint's functions and the rates of its coordinates have it."""
        posture = tree.posture(q)
        (rates,) = quintic_derivatives(q, rate_hz, (1,))
        by_row = posture.slope * (rates[:, tree.free] @ tree.by_coordinate.T)
        slides = {}
        for part in self.calibration.segments:
            below = self._joint_body(tree, part)
            above = tree.skeleton.body_index(self.calibration.bodies[proximal_part(part[0], _JOINT_ABOVE[part[1]])][0])
            between = np.flatnonzero(tree.beyond[:, below] & ~tree.beyond[:, above])
            centre = posture.place[:, None, below, :3, 3]
            moved = np.cross(posture.turn[:, between], centre) + posture.shift[:, between]
            slides[part[0], _JOINT_ABOVE[part[1]]] = (moved * by_row[:, between, None]).sum(axis=1) @ R_LAB_SURROUNDINGS.T
        return slides

    def _joint_body(self, tree: Tree, part: Part) -> int:
        return joint_body(tree, self.calibration.bodies[part], part[1])

    def _whole(
        self, tree: Tree, R_lab: FloatArray, origin_lab: FloatArray, legs: Mapping[Part, Motion], rate_hz: float
    ) -> WholeBody:
        """Every mass of the model: what its motion leaves of the ground's forces is the residual at the root."""
        segments, motions = dict(self.calibration.segments), {part: legs[part] for part in self.calibration.segments}
        of_legs = {name for part, names in self.calibration.bodies.items() if part[0] for name in names}
        pelvis = self.calibration.bodies["", "pelvis"][0]
        for body in self.osim.bodies:
            if body.name in of_legs or body.mass_kg <= 0.0:
                continue
            k, part = tree.skeleton.body_index(body.name), ("", "pelvis" if body.name == pelvis else body.name)
            segments[part] = Segment(part[1], body.mass_kg, body.com_m, body.inertia_kgm2, self.osim.name)
            frames = Frames(R_lab[:, k], origin_lab[:, k])
            com = frames.origin_lab_m + np.einsum("nij,j->ni", frames.R_lab_seg, body.com_m)
            motions[part] = differentiate(frames, com, rate_hz, segment=segments[part])
        shares = {part: segment.mass_kg / sum(each.mass_kg for each in segments.values()) for part, segment in segments.items()}
        paths = ("com_lab_m", "com_velocity_lab_m_s", "com_acceleration_lab_m_s2")
        mean = (np.sum([share * getattr(motions[part], path) for part, share in shares.items()], axis=0) for path in paths)
        return WholeBody(segments, motions, *mean)

    def _residuals(self, pose: TrackedPose) -> dict[Part, FloatArray]:
        """Root mean square distance (n,) of each segment's markers from the model's, m."""
        squares, residuals = (pose.residual_m**2).sum(axis=2), {}
        for part, names in self.marker_groups.items():
            columns = [pose.markers.index(name) for name in names if name in pose.markers]
            there = np.isfinite(squares[:, columns])
            total = np.where(there, squares[:, columns], 0.0).sum(axis=1)
            with np.errstate(invalid="ignore", divide="ignore"):
                residuals[part] = np.sqrt(total / there.sum(axis=1))
        return residuals


def _roles(trial: Trial) -> dict[Part, str]:
    """Which marker has which role: as the recording says, else by the marker set that fits its labels best."""
    markers = trial.markers
    if not markers.roles:
        seen = [name for name in markers.names if markers.present(name)]
        best = propose(seen)[0]
        if best.share >= SMALLEST_SHARE:
            markers = markers.with_roles(best.markerset.roles, best.markerset.renamed(markers.names, markers.position_m))
    return dict(markers.roles)


def _joint_points(osim: MusculoskeletalModel) -> dict[tuple[str, str], OffsetFrame]:
    """(body, body that it bears) -> the joint between the two; (body, "") of one that bears none -> its centre of mass."""
    bearing = {joint.parent.body for joint in osim.joints}
    ends = {(body.name, ""): OffsetFrame(body.name, body.com_m) for body in osim.bodies if body.name not in bearing}
    return {(joint.parent.body, joint.child.body): joint.child for joint in osim.joints} | ends


def joint_body(tree: Tree, bodies: tuple[str, ...], segment: str) -> int:
    """Find the body whose origin is the joint above a segment.

    Parameters
    ----------
    tree : Tree
        The model's tree, compiled.
    bodies : tuple[str, ...]
        Those of the segment.
    segment : str
        Name of the segment: "pelvis", "thigh", "shank" or "foot".

    Returns
    -------
    int
        Its index in the tree: the talus for a foot that has one, else the segment's first body.
    """
    word = _JOINT_BODY.get(segment, "")
    return tree.skeleton.body_index(next((name for name in bodies if word and word in name.lower()), bodies[0]))


def skeletal_model(
    osim: MusculoskeletalModel, subject: Subject | None = None, *, tasks: TrackingTasks | None = None
) -> SkeletalModel:
    """Make the body model of a subject whose scaled OpenSim model is at hand.

    Parameters
    ----------
    osim : MusculoskeletalModel
        The scaled model, with the markers of the recordings.
    subject : Subject | None, optional
        Measurements; the mass is the model's where none is given.
    tasks : TrackingTasks | None, optional
        Weights; those of `soft_tissue_weights` by default.

    Returns
    -------
    SkeletalModel
        Ready to track trials whose markers have the model's labels.

    Raises
    ------
    MissingInputError
        A pelvis, thigh, shank or foot that none of the model's bodies is; the message names them all.
    """
    bodies, subject = bodies_of_segments(osim), subject or Subject()
    if subject.mass_kg is None:
        subject = subject.with_values(f"the model {osim.name}", mass_kg=osim.mass_kg)
    tasks = tasks or TrackingTasks(soft_tissue_weights(osim))
    weights = {name: weight for name, weight in tasks.marker_weights.items() if weight > 0}
    followed = tuple(marker.name for marker in osim.markers if marker.name in weights)
    tree = Tree(osim)
    place = tree.default_place
    segments = {part: _merged(osim, tree, place, part, names) for part, names in bodies.items() if part[0]}
    calibration = SkeletalCalibration(osim.name, followed, weights, segments, bodies)
    return SkeletalModel(osim, calibration, tasks, subject)


def bodies_of_segments(osim: MusculoskeletalModel) -> dict[Part, tuple[str, ...]]:
    """Find the bodies that make up pelvis and legs.

    Parameters
    ----------
    osim : MusculoskeletalModel
        The model; its bodies are found by words in their names.

    Returns
    -------
    dict[Part, tuple[str, ...]]
        (side, segment) -> names of its bodies, the one that carries its frame first.

    Raises
    ------
    MissingInputError
        A pelvis, thigh, shank or foot that none of the model's bodies is; the message names them all.
    """
    names = [body.name for body in osim.bodies]
    by_part: dict[Part, tuple[str, ...]] = {("", "pelvis"): tuple(name for name in names if "pelvis" in name.lower())[:1]}
    for side in SIDES:
        ends = (f"_{side.lower()}", f"_{'left' if side == 'L' else 'right'}")
        own = [name for name in names if name.lower().endswith(ends)]
        for segment, words in BODIES_OF_SEGMENT.items():
            by_part[side, segment] = tuple(name for word in words for name in own if word in name.lower())
    missing = [" ".join(part).strip() for part, bodies in by_part.items() if not bodies]
    if missing:
        raise MissingInputError(
            f"The model {osim.name} has no body for the {', '.join(missing)}.", value=missing,
            expected=f"bodies such as pelvis, femur_r, tibia_r, calcn_r; it has {', '.join(names)}", where=osim.source or osim.name,
        )  # fmt: skip
    return by_part


def _merged(osim: MusculoskeletalModel, tree: Tree, place: FloatArray, part: Part, names: tuple[str, ...]) -> Segment:
    """The bodies of a segment as one, as they lie in the default pose, about the joint above it, axes of the first body."""
    origin = place[joint_body(tree, names, part[1]), :3, 3]
    R_ground_seg = place[tree.skeleton.body_index(names[0]), :3, :3]
    masses, centres, tensors = [], [], []
    for name in names:
        body, at = osim.body(name), place[tree.skeleton.body_index(name)]
        turn = R_ground_seg.T @ at[:3, :3]
        masses.append(body.mass_kg)
        centres.append(R_ground_seg.T @ (at[:3, :3] @ body.com_m + at[:3, 3] - origin))
        tensors.append(turn @ body.inertia_kgm2 @ turn.T)
    mass, com = sum(masses), np.average(centres, axis=0, weights=masses)
    tensor = np.zeros((3, 3))
    for m, c, own in zip(masses, centres, tensors, strict=True):
        arm = c - com
        tensor += own + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Segment(part[1], mass, com, tensor, osim.name)
