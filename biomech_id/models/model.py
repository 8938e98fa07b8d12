"""What a body model is to everything that uses one.

A model is one `BodyModel`: plain facts, and the function that calibrates it on a session. What calibration returns is a
`CalibratedModel`. Another laboratory's model enters by `registry.register`, without an edit of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast, runtime_checkable

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import Part
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.joint_axes import ModelAxes
from biomech_id.dynamics.model_errors import ModelErrors
from biomech_id.errors import Finding, OptionError
from biomech_id.markersets.marker_set import MarkerSet
from biomech_id.trial import Markers, Subject, Trial


class Calibration(Protocol):
    """What a model learnt about a subject."""

    def to_dict(self) -> dict[str, Any]:
        """Return what ``calibration.json`` says."""


class CalibratedModel(Protocol):
    """A body model of one subject."""

    @property
    def subject(self) -> Subject:
        """Measurements used."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was assumed or noticed on the way."""

    @property
    def calibration(self) -> Calibration:
        """What was learnt."""

    @property
    def static(self) -> Trial | None:
        """The static trial it was calibrated on, under the model's labels; None where a walk had to serve."""

    @property
    def marker_names(self) -> tuple[str, ...]:
        """Markers the model uses."""

    @property
    def marker_groups(self) -> Mapping[Part, tuple[str, ...]]:
        """Segment -> markers that move with it."""

    @property
    def errors(self) -> ModelErrors:
        """How the model's own errors hang together."""

    def named(self, trial: Trial) -> Trial:
        """Return a trial with its markers under the labels that the model knows.

        Parameters
        ----------
        trial : Trial
            The recording.
        """

    def track(self, trial: Trial, *, kinetics: str = "textbook") -> BodyMotion:
        """Return the motion of the whole body in a trial, with the model's axes.

        Parameters
        ----------
        trial : Trial
            The recording.
        kinetics : str, optional
            One of the model's kinetics modes: "textbook".
        """


@runtime_checkable
class StandsByItself(Protocol):
    """A model that says where its legs stand in many static trials at once, each of them calibrated by itself."""

    def standing(
        self, markers: Markers, copies: int, subject: Subject | None = None
    ) -> Mapping[str, tuple[FloatArray, FloatArray]] | None:
        """Return side -> points (n, 6, 3), m, and axes (n, 4, 3, 3); None where calibration follows further rules than these.

        Points are ankle, knee and hip centre, and the centres of mass of foot, shank and thigh; axes those of foot, shank, thigh
        and pelvis, of a static trial as it is tracked by the model that was calibrated on it. Every frame is calibrated by
        itself, but for the distances that place a hip centre, which are those of its trial.

        Parameters
        ----------
        markers : Markers
            Of equally many frames each, one behind the other.
        copies : int
            How many.
        subject : Subject | None, optional
            Other measurements than the model's own: a wider knee.
        """

    def places(self, markers: Markers) -> Mapping[str, tuple[FloatArray, FloatArray]] | None:
        """Return the same of a trial as `CalibratedModel.track` has it, without what moving segments have besides; None: track it.

        Parameters
        ----------
        markers : Markers
            Of the trial.
        """


class Expressible(CalibratedModel, Protocol):
    """A model that can be expressed in other axes."""

    def expressed_in(self, axes: ModelAxes, name: str) -> CalibratedModel:
        """Return the model with other axes, under another name.

        Parameters
        ----------
        axes : ModelAxes
            Which axes results are expressed in.
        name : str
            "conventional".
        """


@dataclass(frozen=True, eq=False)
class CalibrationInput:
    """What a session offers to calibrate a model on.

    Attributes
    ----------
    trials : Sequence[Trial]
        Every trial of the session that could be read.
    subject : Subject
        Measurements in force.
    static : Trial | None
        The trial in which the subject stands.
    functional : Sequence[Trial]
        Those in which hips circle or knees bend.
    foot_flat : bool | None
        Whether the feet stood flat; None leaves it to the subject's measurements and the model.
    marker_set : str | MarkerSet | None
        A set, its name or path; None leaves the choice to what the file's labels fit best.
    inertia_table : str
        Name or path of a table, name of a method; "auto" leaves the choice to the model.
    hip_centre : str
        Name or path of a table, name of a method; "auto" leaves the choice to the model.
    where : str
        The folder, for sentences.
    with_mass : bool
        Whether the body mass is needed: for joint loads, not for kinematics alone.
    knee_axis : str
        "markers", "walk" for the axes that leave the knees the least varus in the walks, or "functional" for those of SARA.
    """

    trials: Sequence[Trial]
    subject: Subject
    static: Trial | None = None
    functional: Sequence[Trial] = ()
    foot_flat: bool | None = None
    marker_set: str | MarkerSet | None = None
    inertia_table: str = "auto"
    hip_centre: str = "auto"
    where: str = ""
    with_mass: bool = True
    knee_axis: str = "markers"

    @property
    def walks(self) -> tuple[Trial, ...]:
        """Every trial without a purpose of its own."""
        special = (self.static, *self.functional)
        return tuple(trial for trial in self.trials if not any(trial is other for other in special))


@dataclass(frozen=True, eq=False)
class BodyModel:
    """A body model, before it knows anybody.

    Attributes
    ----------
    name : str
        As recipes, ``--model`` and ``summary.json`` spell it.
    title : str
        In words.
    kinetics : tuple[str, ...]
        Kinetics modes that it has, of "textbook" and "vicon".
    axes : ModelAxes
        In which its angles, moments and forces are expressed; its motions carry them.
    roles : tuple[str, ...]
        Anatomical points that must have a marker, by their names in marker sets.
    calibrate : Callable
        Returns the model of one subject, or refuses in one sentence that names all that is missing.
    wears_markers : Callable
        Whether a trial holds the markers that the model is calibrated with.
    settings : frozenset[str]
        Which of `CalibrationInput`'s inertia_table, hip_centre, knee_axis and functional it heeds.

    Raises
    ------
    OptionError
        No axes; nobody's are taken in their place.
    """

    name: str
    title: str
    kinetics: tuple[str, ...]
    axes: ModelAxes
    roles: tuple[str, ...]
    calibrate: Callable[[CalibrationInput], CalibratedModel]
    wears_markers: Callable[[Trial], bool] = lambda trial: bool(trial.markers.names)
    settings: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if not isinstance(self.axes, ModelAxes):
            raise OptionError(
                f"The body model {self.name} has no axes: in which axes its angles and moments are expressed belongs to a model.",
                value=self.axes, expected="BodyModel(axes=ModelAxes(...))", where="body model",
            )  # fmt: skip


def in_other_axes(model: BodyModel, axes: ModelAxes, *, name: str, title: str) -> BodyModel:
    """Return a body model that differs from another in its axes only: another angle convention, other moment components.

    Parameters
    ----------
    model : BodyModel
        The model to calibrate and track with; what it calibrates has ``expressed_in``, as the library's own models have.
    axes : ModelAxes
        The other axes.
    name, title : str
        By which recipes and people call it.
    """

    def calibrated(given: CalibrationInput) -> CalibratedModel:
        return cast(Expressible, model.calibrate(given)).expressed_in(axes, name)

    return replace(model, name=name, title=title, axes=axes, calibrate=calibrated)
