"""The conventional gait model: calibrated on a static trial, placed in every frame of another.

Davis et al. 1991 (Hum Mov Sci 10:575), Kadaba et al. 1990 (J Orthop Res 8:383), in the form that clinical software made common.
``tests/real`` holds it against the outputs stored in clinical recordings, to the rounding of their 32-bit numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.anatomy import PELVIS, Part
from biomech_id.arguments import Kind, a, a_path, a_switch, a_word, or_none, takes
from biomech_id.conventions import SIDES, KineticsName
from biomech_id.dynamics.body import BodyMotion, Segment
from biomech_id.dynamics.joint_axes import ModelAxes
from biomech_id.dynamics.model_errors import ModelErrors
from biomech_id.errors import Cure, Finding, MissingInputError, OptionError, option
from biomech_id.models.conventional import needs
from biomech_id.models.conventional.axes import CONVENTIONAL_AXES
from biomech_id.models.conventional.calibrate import OWN_TABLE, calibrate
from biomech_id.models.conventional.calibration import ConventionalCalibration
from biomech_id.models.conventional.chord_coupling import chord_couplings, point_noise
from biomech_id.models.conventional.knee_alignment import refuse_part_of_a_device, with_virtual_knees
from biomech_id.models.conventional.knee_axis import (
    functional_finding,
    rotations_from_movements,
    rotations_from_walks,
    turned_finding,
)
from biomech_id.models.conventional.pelvis import OWN_HIP, pelvis_frames
from biomech_id.models.conventional.placement import place_side
from biomech_id.models.conventional.standing import conventional_places, conventional_standing
from biomech_id.models.conventional.stored_calibration import LEARNT, calibrate_stored, standing_frame, stored_legs
from biomech_id.models.conventional.upper_body.track import with_upper_body
from biomech_id.models.foot_outline import OUTLINE_NAMES
from biomech_id.models.joint_centres.hip_regressions import LIBRARY_HIPS, REGRESSIONS, own_hip
from biomech_id.models.landmarks import with_roles
from biomech_id.models.model import BodyModel, CalibrationInput
from biomech_id.models.progression import progression_axes
from biomech_id.models.segment_motion import differentiate_together
from biomech_id.movement.movement import Movement
from biomech_id.trial import Markers, Subject, Trial
from biomech_id.values import dataclass, replace

#: Ways to find this model's hip centres; a name of somebody's own function is one while it is known.
HIPS: tuple[str, ...] = (OWN_HIP, *REGRESSIONS)
#: Those of models whose thighs do not lean on the hip centre.
OF_OTHER_MODELS: tuple[str, ...] = LIBRARY_HIPS[len(REGRESSIONS) :]
_Value = TypeVar("_Value")
_HIP = Kind(
    f"one of {', '.join(map(repr, HIPS))}",
    lambda v: isinstance(v, str),
    lambda v: v in HIPS or own_hip(v) is not None,
    choices=HIPS,
)


@compact_repr
@dataclass(frozen=True, eq=False)
class ConventionalModel:
    """A subject's conventional gait model.

    Attributes
    ----------
    calibration : ConventionalCalibration
        Constants that the static trial taught.
    subject : Subject
        Measurements used, with the body mass.
    static : Trial | None
        The static trial; None where stored offsets stand in for it.
    reference : Trial
        What shows the markers on the standing body: the static trial, else one frame of a walk.
    findings : tuple[Finding, ...], optional
        What was assumed or noticed on the way.
    axes : ModelAxes, optional
        In which angles, moments and forces are expressed.
    name : str, optional
        Name of the model in the registry.
    """

    calibration: ConventionalCalibration
    subject: Subject
    static: Trial | None
    reference: Trial
    findings: tuple[Finding, ...] = ()
    axes: ModelAxes = CONVENTIONAL_AXES
    name: str = "conventional"

    @property
    def marker_names(self) -> tuple[str, ...]:
        """Markers the model looks at in a walking trial."""
        return needs.marker_names(self.reference.markers)

    @property
    def marker_groups(self) -> dict[Part, tuple[str, ...]]:
        """Segment -> markers that move with it."""
        return needs.marker_groups(self.reference.markers)

    @cached_property
    def errors(self) -> ModelErrors:
        """How the model's own errors hang together, measured on the static trial."""
        sides, way, markers = self.calibration.sides, self.calibration.hip_way, self.reference.markers
        return ModelErrors(
            dict.fromkeys(sides, way.name), chord_couplings(markers, self.calibration), point_noise(markers, self.calibration),
            dict.fromkeys(sides, way.error),
        )  # fmt: skip

    def expressed_in(self, axes: ModelAxes, name: str) -> ConventionalModel:
        """Return the model with other axes.

        Parameters
        ----------
        axes : ModelAxes
            Which axes results are expressed in.
        name : str
            What its motions then say they come from.

        Returns
        -------
        ConventionalModel
            The same calibration under another name.
        """
        return replace(self, axes=axes, name=name)

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
        return conventional_standing(with_roles(markers), copies, self.calibration, subject or self.subject)

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
        return conventional_places(with_roles(markers), self.calibration)

    def named(self, trial: Trial) -> Trial:
        """Return the trial itself.

        Parameters
        ----------
        trial : Trial
            A recording of the same subject.

        Returns
        -------
        Trial
            Unchanged: the model knows no labels but its own.
        """
        return trial

    @takes(trial=a(Trial, "read_c3d(path) returns it"), kinetics=a_word(tuple(KineticsName)))
    def track(self, trial: Trial, *, kinetics: str = "textbook") -> Movement:
        """Return the motion of pelvis, legs, and what is seen above them, in every frame of a trial.

        Parameters
        ----------
        trial : Trial
            Markers of the same subject, same marker set; their roles are those its reader was told, or Plug-in Gait's.
        kinetics : str, optional
            "textbook" (constant segments, exact rotation kinematics) or "vicon" (the vendor's conventions).

        Returns
        -------
        BodyMotion
            n frames; NaN where a marker is unseen.

        Raises
        ------
        WrongTypeError
            Something else than a trial.
        MissingInputError
            The trial lacks markers; the message names them all.
        OptionError
            Another kinetics mode.
        """
        calibration, markers = self.calibration, with_virtual_knees(with_roles(trial.markers))
        needs.require(markers, None, calibration.sides, static=False, where=trial.name)
        pelvis = pelvis_frames(markers)
        progression = progression_axes(markers.on("L", "asis"), pelvis.R_lab_seg)
        mass = self.subject.mass_kg or 0.0
        frames, coms, segments = {PELVIS: pelvis}, {PELVIS: pelvis.origin_lab_m}, dict[Part, Segment]()
        centres, angles, outlines = dict[Part, FloatArray](), dict[Part, FloatArray](), {}
        for side in calibration.sides:
            leg = place_side(markers, pelvis, progression, calibration, side, kinetics, mass_kg=mass, axes=self.axes)
            frames |= _of_side(side, leg.frames)
            coms |= {(side, name): leg.com_lab_m(name) for name in leg.frames}
            segments |= _of_side(side, leg.segments)
            centres |= _of_side(side, leg.centres_lab_m)
            angles |= _of_side(side, leg.angles_rad)
            outlines[side] = leg.outline_lab_m
        body = BodyMotion(
            name=trial.name, rate_hz=trial.rate_hz, first_frame=trial.first_frame,
            motions=differentiate_together(frames, coms, trial.rate_hz, kinetics, segments),
            segments=segments, joint_centres_lab_m=centres, joint_angles_rad=angles, foot_outline_lab_m=outlines,
            foot_outline_names=OUTLINE_NAMES,
            progression_R_lab=progression, model=self.name, kinetics=kinetics, axes=self.axes, roles=markers.roles,
        )  # fmt: skip
        return Movement.of(with_upper_body(body, pelvis, trial, markers, calibration.upper, self.subject.mass_kg), trial, self)


def _of_side(side: str, values: Mapping[str, _Value]) -> dict[Part, _Value]:
    return {(side, name): value for name, value in values.items()}


@takes(
    static=a(Trial, "read_c3d(path) returns it"), subject=or_none(a(Subject)), foot_flat=or_none(a_switch()),
    inertia=a_path("give the name of an inertial table, or of its CSV file"), hip=_HIP, with_mass=a_switch(),
)  # fmt: skip
def conventional_model(
    static: Trial,
    subject: Subject | None = None,
    *,
    foot_flat: bool | None = None,
    inertia: str = OWN_TABLE,
    hip: str = OWN_HIP,
    with_mass: bool = True,
) -> ConventionalModel:
    """Return a subject's conventional gait model from a static trial.

    Parameters
    ----------
    static : Trial
        The subject standing; every frame counts. Its markers' roles are those its reader was told, or Plug-in Gait's.
    subject : Subject | None, optional
        Measurements; default is what the static trial's file holds.
    foot_flat : bool | None, optional
        Whether the feet stood flat; default is the subject's setting, else what stored offsets show, else yes.
    inertia : str, optional
        Name or path of an inertial table, or "auto" for the model's own parameters.
    hip : str, optional
        Method of the hip centres: "auto" or "davis" for the model's own, "harrington", "hara", "bell".
    with_mass : bool, optional
        Whether the body mass is needed: for joint loads, not for kinematics alone.

    Returns
    -------
    ConventionalModel
        With what was assumed on the way among its findings.

    Raises
    ------
    WrongTypeError
        Something else than a trial.
    MissingInputError
        Markers or measurements are missing; the message names them all.
    InvalidValueError
        The legs cannot be placed in any static frame.
    OptionError, FileRefusedError
        A table that cannot be used (see `load_table`).
    """
    subject = static.subject if subject is None else subject
    refuse_part_of_a_device(with_roles(static.markers), static.name)
    static = replace(static, markers=with_virtual_knees(with_roles(static.markers)))
    calibration, findings = calibrate(static, subject, foot_flat, inertia, hip=hip, with_mass=with_mass)
    return ConventionalModel(calibration, subject, static, static, findings)


def stored_conventional_model(
    walks: Sequence[Trial], subject: Subject | None = None, *, inertia: str = OWN_TABLE, hip: str = OWN_HIP, with_mass: bool = True
) -> ConventionalModel:
    """Return a subject's conventional gait model without a static trial.

    The offsets that clinical software stored in the walks stand in for it.

    Parameters
    ----------
    walks : Sequence[Trial]
        Recordings of one session, with one placement of the markers.
    subject : Subject | None, optional
        Measurements; default is what the first file holds.
    inertia : str, optional
        Name or path of an inertial table, or "auto" for the model's own parameters.
    hip : str, optional
        Method of the hip centres: "auto" or "davis" for the model's own, "harrington", "hara", "bell".
    with_mass : bool, optional
        Whether the body mass is needed: for joint loads, not for kinematics alone.

    Returns
    -------
    ConventionalModel
        Its ``static`` is None.

    Raises
    ------
    MissingInputError
        Markers, measurements, or the diameter of the markers are missing.
    OptionError
        The walks are of two days or store different offsets; a table that cannot be used.
    InvalidValueError
        The legs cannot be placed in any frame.
    """
    subject = walks[0].subject if subject is None else subject
    calibration, findings = calibrate_stored(walks, subject, inertia, hip=hip, with_mass=with_mass)
    first = replace(walks[0], markers=with_roles(walks[0].markers))
    names = [name for name in needs.marker_names(first.markers) if first.markers.present(name)]
    return ConventionalModel(calibration, subject, None, standing_frame(first, names), findings)


def _calibrated(given: CalibrationInput) -> ConventionalModel:
    """Calibrate on a session's static trial.

    Raises
    ------
    MissingInputError
        The static trial, markers or measurements are missing; one sentence names them all. Hip centres that this model cannot have.
    OptionError
        Knee axes of movements are asked for where stored offsets stand in for a static trial.
    """
    if given.hip_centre in OF_OTHER_MODELS:
        raise MissingInputError(
            f"{given.where} cannot be analysed with the conventional model and hip_centre = {given.hip_centre!r}: two markers and "
            "the hip centre itself place its thigh, so that no motion shows the centre. The six-dof model takes it.",
            value=given.hip_centre, expected=f"{_HIP.words}, or model six-dof", where="hip_centre",
        )  # fmt: skip
    _HIP.check(given.hip_centre, "hip_centre", "the conventional model")
    if given.static is None or given.offsets == "trial":
        walks = [trial for trial in given.walks if not _lacking(trial) and stored_legs(trial.subject)]
        if given.offsets == "trial" and not walks:
            raise MissingInputError(
                f"{given.where} cannot be analysed with the offsets of its trials: no walk stores them. Take offsets = \"static\".",
                value=given.offsets, expected="walks with stored offsets", where="offsets",
            )  # fmt: skip
        if not walks or needs.missing_measurements(given.subject, SIDES, with_mass=given.with_mass):
            raise _no_static(given)
        if given.knee_axis != "markers":
            raise OptionError(
                f"knee_axis = {given.knee_axis!r} turns the thighs of a static trial, and {given.where} takes none: the offsets "
                "stored in its files say where the knees' axes are.",
                value=given.knee_axis, expected='"markers", or a static trial', where="knee_axis",
            )  # fmt: skip
        own = {field: getattr(walks[0].subject, field) for field in LEARNT} if given.static is not None else {}
        subject = given.subject.with_values(walks[0].name, **own) if own else given.subject
        return stored_conventional_model(
            walks, subject, inertia=given.inertia_table, hip=given.hip_centre, with_mass=given.with_mass
        )
    static, given_subject = given.static, given.subject

    def remake(subject: Subject) -> ConventionalModel:
        return conventional_model(
            static, subject, foot_flat=given.foot_flat, inertia=given.inertia_table, hip=given.hip_centre, with_mass=given.with_mass
        )

    model = remake(given_subject)
    sides = model.calibration.sides
    learnt: dict[str, Any]
    if given.knee_axis == "functional":
        movements = [trial for trial in given.functional if not needs.missing_markers(trial.markers, sides, static=False)]
        subject, shown = rotations_from_movements(remake, given_subject, movements, sides)
        learnt, finding = {"knee_movement": shown}, functional_finding(shown, given_subject, subject, static.name)
    elif given.knee_axis == "walk":
        walks = [trial for trial in given.walks if not _lacking(trial)]
        subject, turns = rotations_from_walks(remake, given_subject, walks, sides)
        learnt, finding = {"knee_turn": turns}, turned_finding(turns, given_subject, subject, static.name)
    else:
        return model
    model = remake(subject)
    return replace(model, calibration=replace(model.calibration, **learnt), findings=(*model.findings, finding))


def _no_static(given: CalibrationInput) -> MissingInputError:
    """Say in one sentence everything that keeps the conventional model from being used on these recordings."""
    lacking = min((_lacking(trial) for trial in given.trials), key=len)
    measures = needs.missing_measurements(given.subject, SIDES, with_mass=given.with_mass)
    # Offsets stored in a walk stand in for a static trial.
    stored = any(stored_legs(trial.subject) and not _lacking(trial) for trial in given.walks)
    parts = [f"a static trial (nobody stands still with all markers in any file; name one with {option('static')})"] * (not stored)
    parts += [f"the markers {', '.join(lacking)}"] * bool(lacking)
    parts += [f"{', '.join(measures)} (give them in subject.toml)"] * bool(measures)
    return MissingInputError(
        f"{given.where} cannot be analysed with the conventional model: it lacks {', and '.join(parts)}.",
        value=[*lacking, *measures], expected="a static trial with the model's markers and measurements", where=given.where,
    ).cured_by(*([] if stored else [Cure("static")]), *needs.cures_of(lacking, given.subject, SIDES))  # fmt: skip


def _lacking(trial: Trial) -> list[str]:
    return needs.missing_markers(trial.markers, needs.sides_with_markers(trial.markers, static=True), static=True)


CONVENTIONAL = BodyModel(
    name="conventional",
    title="Conventional gait model",
    kinetics=tuple(KineticsName),
    axes=CONVENTIONAL_AXES,
    roles=("asis", "psis", *needs.LEG_ROLES),
    calibrate=_calibrated,
    wears_markers=lambda trial: not _lacking(trial),
    settings=frozenset({"inertia_table", "hip_centre", "knee_axis", "offsets"}),
)
