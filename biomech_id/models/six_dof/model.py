"""The six-degree-of-freedom model: segments follow their own marker clusters, joints may open.

Calibrated on a static trial, or on the window of a walk in which the anatomical points are seen; tracked by weighted least squares
(`pose.fit_pose`). Axes are ISB's (`six_dof.calibrate`), clinical angles, moments and signs those of `six_dof.axes`.
Each joint centre is carried by the segment proximal to it: the hip by the pelvis, the knee by the thigh, the ankle by the shank.
A segment with two markers takes that joint centre as its third point. Frames that show fewer than three points are missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.anatomy import JOINTS, LEG_SEGMENTS, PELVIS, SIDE_WORDS, Part
from biomech_id.arguments import Kind, a, a_path, a_str, a_switch, each, or_none, takes
from biomech_id.conventions import SIDES, method_name
from biomech_id.dynamics.body import BodyMotion, Frames
from biomech_id.dynamics.joint_axes import ModelAxes
from biomech_id.dynamics.model_errors import HipCentreMethod, ModelErrors
from biomech_id.errors import Finding, MissingInputError, OptionError
from biomech_id.markersets.detect import detect
from biomech_id.markersets.marker_set import MarkerSet, load_markerset
from biomech_id.models.clinical_angles import clinical_angles
from biomech_id.models.conventional.axes import CONVENTIONAL_AXES
from biomech_id.models.conventional.upper_body.calibration import calibrate_upper_body
from biomech_id.models.conventional.upper_body.track import with_upper_body
from biomech_id.models.foot_outline import OUTLINE_NAMES, outline_lab_m, plates_floor_m
from biomech_id.models.joint_centres.anatomical import DEFAULT_MARKER_DIAMETER_M, hip_candidates, hip_method, pelvis_size
from biomech_id.models.joint_centres.hip_regressions import HIP_CENTRES, REGRESSIONS, own_hip
from biomech_id.models.landmarks import BodyPoints, anatomical_points, under_set_labels
from biomech_id.models.model import BodyModel, CalibrationInput
from biomech_id.models.progression import progression_axes
from biomech_id.models.segment_motion import differentiate_together
from biomech_id.models.six_dof import calibrate
from biomech_id.models.six_dof.axes import SIX_DOF_AXES
from biomech_id.models.six_dof.calibrate import FunctionalJoints, StandingLeg
from biomech_id.models.six_dof.calibration import SegmentTemplate, SixDofCalibration
from biomech_id.models.six_dof.functional_joints import find_functional_joints
from biomech_id.models.six_dof.rigid_markers import ROUNDS, with_rigid_markers
from biomech_id.models.six_dof.standing import six_dof_places, six_dof_standing
from biomech_id.models.six_dof.tracking import require_clusters, track_segments
from biomech_id.models.table_inertia import choose_table, scale
from biomech_id.models.triads import into_lab
from biomech_id.movement.movement import Movement
from biomech_id.trial import Markers, Subject, Trial
from biomech_id.values import dataclass, replace

#: Order of preference of hip centres when nobody chooses: from motion, stored in the file, by regression on the pelvis, on the leg.
HIP_PREFERENCE: tuple[str, ...] = ("stored", "harrington", "hara", "bell", "davis")
#: Methods that need functional trials, and every method that can be asked for.
FUNCTIONAL_HIPS: tuple[str, ...] = ("score", "sphere")
#: Ways to find a hip centre.
HIP_METHODS: tuple[str, ...] = ("auto", *FUNCTIONAL_HIPS, "stored", *REGRESSIONS)
_HIP = Kind(
    f"one of {', '.join(map(repr, HIP_METHODS))}", lambda v: isinstance(v, str),
    lambda v: v in HIP_METHODS or own_hip(v) is not None, choices=HIP_METHODS,
)  # fmt: skip


@compact_repr
@dataclass(frozen=True, eq=False)
class SixDofModel:
    """A subject's six-degree-of-freedom model.

    Attributes
    ----------
    calibration : SixDofCalibration
        What the static trial, or a window of a walk, taught.
    subject : Subject
        Measurements used, with the body mass.
    findings : tuple[Finding, ...], optional
        What was assumed or noticed on the way.
    static : Trial | None, optional
        The static trial under the marker set's labels; None where a walk had to serve.
    axes : ModelAxes, optional
        In which angles, moments and forces are expressed.
    name : str, optional
        Name of the model in the registry.
    """

    calibration: SixDofCalibration
    subject: Subject
    findings: tuple[Finding, ...] = ()
    static: Trial | None = None
    axes: ModelAxes = SIX_DOF_AXES
    name: str = "six-dof"

    def expressed_in(self, axes: ModelAxes, name: str) -> SixDofModel:
        """Return the model with other axes.

        Parameters
        ----------
        axes : ModelAxes
            Which axes results are expressed in.
        name : str
            What its motions then say they come from.

        Returns
        -------
        SixDofModel
            The same calibration under another name.
        """
        return replace(self, axes=axes, name=name)

    @property
    def marker_names(self) -> tuple[str, ...]:
        """Markers of all clusters."""
        return tuple(dict.fromkeys(label for labels in self.marker_groups.values() for label in labels))

    @property
    def marker_groups(self) -> dict[Part, tuple[str, ...]]:
        """Segment -> its cluster."""
        return {part: template.markers for part, template in self.calibration.templates.items()}

    @property
    def errors(self) -> ModelErrors:
        """Which method found each hip; a joint centre that is off takes no other one along."""
        ways = self.calibration.hip_methods
        return ModelErrors(ways, hip_errors={side: HIP_CENTRES[way].error for side, way in ways.items() if way in HIP_CENTRES})

    def standing(
        self, markers: Markers, copies: int, subject: Subject | None = None
    ) -> Mapping[str, tuple[FloatArray, FloatArray]] | None:
        """Return where legs stand in several static trials, each calibrated by itself.

        Parameters
        ----------
        markers : Markers
            Of equally many frames each, one behind the other.
        copies : int
            Number of trials in ``markers``.
        subject : Subject | None, optional
            Other measurements than the model's own; None for those.

        Returns
        -------
        Mapping[str, tuple[FloatArray, FloatArray]] | None
            See `models.model.StandsByItself`.
        """
        return six_dof_standing(
            under_set_labels(markers, self.calibration.markerset), copies, self.calibration, subject or self.subject
        )

    def places(self, markers: Markers) -> Mapping[str, tuple[FloatArray, FloatArray]] | None:
        """Return where legs are in a trial, as `track` has them.

        Parameters
        ----------
        markers : Markers
            All frames of the trial, laboratory axes.

        Returns
        -------
        Mapping[str, tuple[FloatArray, FloatArray]] | None
            See `models.model.StandsByItself`.
        """
        return six_dof_places(under_set_labels(markers, self.calibration.markerset), self.calibration)

    def named(self, trial: Trial) -> Trial:
        """Return a trial with its markers under the marker set's labels.

        Parameters
        ----------
        trial : Trial
            A recording of the subject.

        Returns
        -------
        Trial
            The same paths under the marker set's labels, with its roles.
        """
        return replace(trial, markers=under_set_labels(trial.markers, self.calibration.markerset))

    @takes(trial=a(Trial, "read_c3d(path) returns it"), kinetics=a_str())
    def track(self, trial: Trial, *, kinetics: str = "textbook") -> Movement:
        """Return the motion of pelvis, legs, and what is seen above them, in every frame of a trial.

        Parameters
        ----------
        trial : Trial
            Markers of the same subject; frames in which a segment shows too few markers are NaN.
        kinetics : str, optional
            "textbook"; the vendor's conventions exist for the conventional model only.

        Returns
        -------
        BodyMotion
            n frames; NaN where a segment shows too few markers.

        Raises
        ------
        WrongTypeError
            Something else than a trial.
        MissingInputError
            A segment has too few markers in the whole trial; the message names them all.
        OptionError
            Another kinetics mode.
        """
        if kinetics != "textbook":
            raise OptionError(
                f"The six-degree-of-freedom model has no kinetics mode {kinetics!r}.",
                value=kinetics, expected="textbook", where="kinetics",
            )  # fmt: skip
        calibration = self.calibration
        labels = calibration.markerset.renamed(trial.markers.names, trial.markers.position_m)
        own = dict(zip(labels, trial.markers.names, strict=True))
        markers = trial.markers.with_roles(calibration.markerset.roles, labels)
        require_clusters(calibration.templates, markers, trial.name)
        tracked = track_segments(calibration.templates, calibration.sides, markers)
        frames, centres = tracked.frames, tracked.centres_lab_m
        pelvis = frames["", "pelvis"]
        progression = progression_axes(pelvis.origin_lab_m, pelvis.R_lab_seg)
        coms = {key: into_lab(frames[key].R_lab_seg, frames[key].origin_lab_m, s.com_m) for key, s in calibration.segments.items()}
        moving = {key: frames[key] for key in (PELVIS, *coms)}
        at = {PELVIS: pelvis.origin_lab_m, **coms}
        motions = differentiate_together(moving, at, trial.rate_hz, kinetics, calibration.segments)
        outlines = {side: outline_lab_m(frames[side, "foot"], sole) for side, sole in calibration.outline_foot_m.items()}
        body = BodyMotion(
            name=trial.name, rate_hz=trial.rate_hz, first_frame=trial.first_frame,
            motions=motions, segments=calibration.segments, joint_centres_lab_m=centres,
            joint_angles_rad=clinical_angles(self.axes, calibration.sides, motions, progression),
            foot_outline_lab_m=outlines,
            foot_outline_names=OUTLINE_NAMES, progression_R_lab=progression, model=self.name, kinetics=kinetics, axes=self.axes,
            fit_residual_m=tracked.residual_m, roles={key: own.get(label, label) for key, label in markers.roles.items()},
        )  # fmt: skip
        turned = pelvis.R_lab_seg @ self.axes.R_seg_isb["pelvis"] @ CONVENTIONAL_AXES.R_seg_isb["pelvis"].T
        upright = Frames(turned, pelvis.origin_lab_m)
        return Movement.of(with_upper_body(body, upright, trial, markers, calibration.upper, self.subject.mass_kg), trial, self)


@takes(
    static=or_none(a(Trial, "read_c3d(path) returns one")), subject=or_none(a(Subject)),
    markerset=or_none(a((MarkerSet, str, PathLike))), walks=each(a(Trial, "read_c3d(path) returns one")),
    functional=each(a(Trial, "read_c3d(path) returns one")),
    hip=_HIP,
    inertia=a_path("give the name of an inertial table, or of its CSV file"), foot_flat=or_none(a_switch()),
    with_mass=a_switch(),
)  # fmt: skip
def six_dof_model(
    static: Trial | None,
    subject: Subject | None = None,
    *,
    markerset: MarkerSet | str | None = None,
    walks: Sequence[Trial] = (),
    functional: Sequence[Trial] = (),
    hip: str = "auto",
    inertia: str = "auto",
    foot_flat: bool | None = None,
    with_mass: bool = True,
) -> SixDofModel:
    """Return a subject's six-degree-of-freedom model.

    Parameters
    ----------
    static : Trial | None
        The subject standing; None calibrates on the walk that shows all anatomical points in most frames.
    subject : Subject | None, optional
        Measurements; default is what the reference trial's file holds.
    markerset : MarkerSet | str | None, optional
        A set, its name or the path of its TOML; the best match by default.
    walks : Sequence[Trial], optional
        Walking trials, used for calibration where there is no static trial.
    functional : Sequence[Trial], optional
        Trials in which hips circle or knees bend, for functional joint centres.
    hip : str, optional
        "auto" (SCoRE on functional trials, else stored, else Harrington, Hara, Bell, Davis), or one of `HIP_METHODS`.
    inertia : str, optional
        Name or path of an inertial table, or "auto" (see `table_inertia.choose_table`).
    foot_flat : bool | None, optional
        Whether heel and forefoot stood level; default is the subject's setting, else yes.
    with_mass : bool, optional
        Whether the body mass is needed: for joint loads, not for kinematics alone.

    Returns
    -------
    SixDofModel
        With what was assumed on the way among its findings.

    Raises
    ------
    WrongTypeError
        Something else than a trial.
    MissingInputError
        Markers or measurements are missing; the message names them all.
    InvalidValueError
        The anatomical points are never seen together with the clusters.
    OptionError
        An unknown marker set, table or hip method.
    """
    reference = _reference(static, walks, markerset)
    subject = reference.subject if subject is None else subject
    chosen, why = _marker_set(markerset, reference)
    landmarks = anatomical_points(reference, chosen)
    sides = calibrate.usable_sides(landmarks, subject, reference.name, with_mass=with_mass)
    table, findings = choose_table(inertia, subject)
    calibrator = _Calibrator(reference, static is None, landmarks, subject, sides, hip, foot_flat)
    if static is not None and (markerset in (None, "auto") or chosen.recognised):
        calibrator = calibrator.with_rigid_markers([walk for walk in walks if walk is not static])
        further = tuple(label for label in calibrator.landmarks.markerset.labels if label not in chosen.labels)
        chosen = calibrator.landmarks.markerset
        if further:
            findings = (*findings, Finding("further-markers", {"n": len(further), "markers": further}, reference.name))
    joints = FunctionalJoints()
    noticed: tuple[Finding, ...] = ()
    if functional:
        first = calibrator.place(None)
        joints, noticed = find_functional_joints(
            functional,
            chosen,
            first.templates,
            first.legs,
            hip=hip if hip in FUNCTIONAL_HIPS else "auto",
            regressions_m={side: _by_regression(centres_m) for side, centres_m in first.hips_m.items()},
        )
    placed = calibrator.place(joints)
    mass_kg, legs = subject.mass_kg or 0.0, [(side, name) for side in sides for name in LEG_SEGMENTS]
    scaled = {(side, name): scale(table[name], side, mass_kg, placed.templates[side, name].points_m) for side, name in legs}
    calibration = SixDofCalibration(
        reference=reference.name, from_walk=static is None,
        n_frames=int(np.logical_or.reduce([leg.seen for leg in placed.legs.values()]).sum()),
        markerset=chosen, why=why, sides=sides, templates=placed.templates,
        segments={part: each.segment for part, each in scaled.items()},
        length_m={part: each.length_m for part, each in scaled.items()},
        table=table.name, methods=placed.methods, hip_methods=placed.hip_methods, hip_candidates_m=placed.hips_m,
        foot_flat=calibrator.flat, marker_radius_m=calibrator.radius_m, outline_foot_m=placed.soles_m,
        upper=calibrate_upper_body(None if static is None else landmarks.markers, subject, calibrator.radius_m),
    )  # fmt: skip
    named = None if static is None else replace(static, markers=landmarks.markers)
    noticed = (*noticed, *_unlike_legs(calibration))
    return SixDofModel(calibration, subject, (*calibrator.findings(), *findings, *noticed), named)


def _by_regression(centres_m: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    return {name: centre for name, centre in centres_m.items() if name in REGRESSIONS}


def _unlike_legs(calibration: SixDofCalibration) -> Iterator[Finding]:
    """Name every joint whose centre was found in one way on the left and in another on the right."""
    for joint in JOINTS if len(calibration.sides) > 1 else ():
        left, right = (calibration.methods[side, joint] for side in SIDES)
        if method_name(left) != method_name(right):
            yield Finding("joint-methods-differ", {"joint": joint, "left": left, "right": right}, calibration.reference)


def _calibrated(given: CalibrationInput) -> SixDofModel:
    return six_dof_model(
        given.static,
        given.subject,
        markerset=given.marker_set,
        walks=given.walks,
        functional=given.functional,
        hip=given.hip_centre,
        inertia=given.inertia_table,
        foot_flat=given.foot_flat,
        with_mass=given.with_mass,
    )


SIX_DOF = BodyModel(
    name="six-dof",
    title="Six-degree-of-freedom model",
    kinetics=("textbook",),
    axes=SIX_DOF_AXES,
    roles=("asis", "lateral_epicondyle", "lateral_malleolus", "heel", "toe"),
    calibrate=_calibrated,
    settings=frozenset({"inertia_table", "hip_centre", "functional"}),
    leftovers=True,
)


@dataclass(frozen=True, eq=False)
class _Placed:
    """The reference trial, placed: templates, legs, and how the joints were found."""

    templates: Mapping[Part, SegmentTemplate]
    legs: Mapping[str, StandingLeg]
    methods: Mapping[Part, str]
    hip_methods: Mapping[str, str]
    hips_m: Mapping[str, Mapping[str, FloatArray]]
    soles_m: Mapping[str, FloatArray]


@dataclass(frozen=True, eq=False)
class _Calibrator:
    """Everything calibration works on; ``place`` may run again when motion has found better joints."""

    reference: Trial
    from_walk: bool
    landmarks: BodyPoints
    subject: Subject
    sides: tuple[str, ...]
    hip: str
    foot_flat: bool | None

    @property
    def radius_m(self) -> float:
        """Marker radius, metres."""
        return (self.subject.marker_diameter_m or DEFAULT_MARKER_DIAMETER_M) / 2

    @property
    def flat(self) -> bool:
        """Whether heel and forefoot are taken as level."""
        chosen = self.subject.foot_flat if self.foot_flat is None else self.foot_flat
        return True if chosen is None else chosen

    def place(self, joints: FunctionalJoints | None) -> _Placed:
        """Place the reference trial and learn the templates; None before motion has been looked at."""
        pelvis = calibrate.place_pelvis(self.landmarks)
        hips, legs, methods, hip_methods, soles = {}, {}, {}, {}, {}
        templates: dict[Part, SegmentTemplate] = {}
        for side in self.sides:
            size = pelvis_size(side, self.landmarks, self.subject, self.radius_m)
            hips[side] = hip_candidates(side, pelvis.R_lab_seg, pelvis.origin_lab_m, self.landmarks, size)
            centre, hip_methods[side], methods[side, "hip"] = self._hip(side, hips[side], joints)
            leg = calibrate.stand_leg(
                side, pelvis, centre, self.landmarks, self.subject, joints or FunctionalJoints(),
                flat=self.flat, marker_radius_m=self.radius_m,
            )  # fmt: skip
            methods[side, "knee"], methods[side, "ankle"] = leg.knee.method, leg.ankle.method
            legs[side] = leg
            learnt = calibrate.leg_templates(leg, self.landmarks, from_walk=self.from_walk, marker_radius_m=self.radius_m)
            templates |= {(side, name): template for name, template in learnt.items()}
            rest = calibrate.resting(side, self.landmarks) if self.from_walk else None
            soles[side] = calibrate.sole(leg, self.landmarks, plates_floor_m(self.reference), self.radius_m, rest)
        points = {f"{side} hip_centre": leg.hip_lab_m for side, leg in legs.items()}
        templates["", "pelvis"] = calibrate.learn(
            self.landmarks.markerset.tracking["", "pelvis"],
            pelvis,
            self.landmarks,
            points,
            parent_lab_m=None,
            use=None,
            where="pelvis",
        )
        return _Placed(templates, legs, methods, hip_methods, hips, soles)

    def _hip(self, side: str, candidates: Mapping[str, FloatArray], joints: FunctionalJoints | None) -> tuple[FloatArray, str, str]:
        own = own_hip(self.hip)
        if own is not None:
            size = pelvis_size(side, self.landmarks, self.subject, self.radius_m)
            return own(side, size), HIP_CENTRES[self.hip].name, HIP_CENTRES[self.hip].words
        functional = self.hip in FUNCTIONAL_HIPS
        if joints is not None and side in joints.hip_pelvis_m and (functional or self.hip == "auto"):
            return joints.hip_pelvis_m[side], HipCentreMethod.FUNCTIONAL, joints.methods[side, "hip"]
        # Before motion has been looked at, any hip will do to follow the segments.
        wanted = HIP_PREFERENCE if self.hip == "auto" or (functional and joints is None) else (self.hip,)
        name = next((name for name in wanted if name in candidates), None)
        if name is None:
            raise MissingInputError(
                f"{self.reference.name}: the {SIDE_WORDS[side]} hip centre cannot be found ({self.hip}).",
                value=sorted(candidates), where=self.reference.name,
                expected="a functional trial that moves the hip, a stored hip centre, pelvis markers or a leg length",
            )  # fmt: skip
        return candidates[name], name, hip_method(name)

    def with_rigid_markers(self, walks: Sequence[Trial]) -> _Calibrator:
        """The same with further markers that move with a segment (`rigid_markers`), in a few rounds: they place it better."""
        wider = self
        for _ in range(ROUNDS):
            markerset = wider.landmarks.markerset
            paths = [under_set_labels(walk.markers, markerset) for walk in walks]
            templates = wider.place(None).templates
            further = with_rigid_markers(markerset, templates, self.sides, wider.landmarks.markers, paths)
            if further is markerset:
                break
            wider = replace(wider, landmarks=replace(wider.landmarks, markerset=further))
        return wider

    def findings(self) -> tuple[Finding, ...]:
        """What was assumed."""
        where, findings = self.reference.name, []
        if not self.subject.marker_diameter_m:
            values = {"diameter_mm": 1e3 * DEFAULT_MARKER_DIAMETER_M, "widths_measured": False}
            findings.append(Finding("marker-diameter-assumed", values, where))
        if self.from_walk:
            findings.append(Finding("calibrated-from-walk", {"trial": where}, where))
        return tuple(findings)


def _reference(static: Trial | None, walks: Sequence[Trial], wanted: MarkerSet | str | None) -> Trial:
    """The static trial, or the walk that shows all anatomical points in most frames."""
    if static is not None:
        return static
    if not walks:
        raise MissingInputError(
            "There is neither a static trial nor a walk to calibrate on.",
            value=None, expected="a static trial or a walk", where="calibration",
        )  # fmt: skip
    return walks[0] if len(walks) == 1 else max(walks, key=lambda walk: _frames_with_all_points(walk, wanted))


def _frames_with_all_points(walk: Trial, wanted: MarkerSet | str | None) -> int:
    try:
        markerset, _ = _marker_set(wanted, walk)
    except MissingInputError:
        return -1
    landmarks = anatomical_points(walk, markerset)
    paths = [path for side, name in markerset.landmarks if (path := landmarks.get(side, name)) is not None]
    missing = sum(landmarks.get(side, name) is None for side, name in markerset.landmarks)
    return int(np.isfinite(np.stack(paths)).all(axis=(0, 2)).sum()) - missing * walk.n_frames if paths else -1


def _marker_set(wanted: MarkerSet | str | None, reference: Trial) -> tuple[MarkerSet, str]:
    if isinstance(wanted, MarkerSet):
        return wanted, "chosen"
    if wanted is not None and wanted != "auto":
        return load_markerset(wanted), "chosen by name"
    seen = [name for name in reference.markers.names if reference.markers.present(name)]
    return detect(seen, stored=tuple(reference.model_outputs), model=SIX_DOF.name)
