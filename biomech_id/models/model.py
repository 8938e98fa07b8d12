"""What a body model is to everything that uses one.

A model is one `BodyModel`: plain facts, and the function that calibrates it on a session. What calibration returns is a
`CalibratedModel`. Another laboratory's model enters by `registry.register`, without an edit of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, cast, runtime_checkable

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.joint_axes import ModelAxes
from biomech_id.errors import OptionError
from biomech_id.markersets.marker_set import MarkerSet
from biomech_id.movement.movement import CalibratedModel
from biomech_id.trial import Markers, Subject, Trial
from biomech_id.values import dataclass, field, replace


@runtime_checkable
class StandsByItself(Protocol):
    """A model that says where its legs stand in many static trials at once, each of them calibrated by itself."""

    def standing(
        self, markers: Markers, copies: int, subject: Subject | None = None
    ) -> Mapping[str, tuple[FloatArray, FloatArray]] | None:
        """Return where the legs stand in static trials that are each calibrated by itself.

        Points are ankle, knee and hip centre, and the centres of mass of foot, shank and thigh; axes those of foot, shank, thigh
        and pelvis, of a static trial as it is tracked by the model that was calibrated on it. Every frame is calibrated by
        itself, but for the distances that place a hip centre, which are those of its trial.

        Parameters
        ----------
        markers : Markers
            Static trials of equally many frames each, one behind the other.
        copies : int
            Number of trials in ``markers``.
        subject : Subject | None, optional
            Other measurements than the model's own: a wider knee.

        Returns
        -------
        Mapping[str, tuple[FloatArray, FloatArray]] | None
            Side -> points (n, 6, 3), m, and axes (n, 4, 3, 3), laboratory axes; None where calibration follows further rules than
            these.
        """

    def places(self, markers: Markers) -> Mapping[str, tuple[FloatArray, FloatArray]] | None:
        """Return where the legs are in a trial as `CalibratedModel.track` has them.

        Parameters
        ----------
        markers : Markers
            All frames of the trial, under the model's labels.

        Returns
        -------
        Mapping[str, tuple[FloatArray, FloatArray]] | None
            As of `standing`, without what moving segments have besides; None where only tracking can tell.
        """


class Expressible(CalibratedModel, Protocol):
    """A model that can be expressed in other axes."""

    def expressed_in(self, axes: ModelAxes, name: str) -> CalibratedModel:
        """Return the model with other axes.

        Parameters
        ----------
        axes : ModelAxes
            Which axes results are expressed in.
        name : str
            What the motions then say they come from: "conventional".

        Returns
        -------
        CalibratedModel
            The same calibration under another name.
        """


@dataclass(frozen=True, eq=False)
class CalibrationInput:
    """What a session offers to calibrate a model on.

    Attributes
    ----------
    trials : Sequence[Trial]
        Every trial of the session that could be read, the static one included.
    subject : Subject
        Measurements in force, after subject file and options.
    static : Trial | None
        Trial in which the subject stands; None where the session has none.
    functional : Sequence[Trial]
        Those in which hips circle or knees bend.
    foot_flat : bool | None
        Whether the feet stood flat; None leaves it to the subject's measurements and the model.
    marker_set : str | MarkerSet | None
        A set, its name or path; None leaves the choice to what the file's labels fit best.
    inertia_table : str
        Name or path of an inertial table; "auto" leaves the choice to the model.
    hip_centre : str
        Name of a hip-centre method; "auto" leaves the choice to the model.
    where : str
        The session's folder, for messages.
    with_mass : bool
        Whether the body mass is needed: for joint loads, not for kinematics alone.
    knee_axis : str
        "markers", "walk" for the axes that leave the knees the least varus in the walks, or "functional" for those of SARA.
    offsets : str
        "static" for those of the static trial where there is one, "trial" for those that the walks' own files store.
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
    offsets: str = "static"

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
        Name in words, for reports.
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
        Which of `CalibrationInput`'s inertia_table, hip_centre, knee_axis, offsets and functional it heeds.
    leftovers : bool
        Whether markers that a set leaves over, named by where they are, may calibrate it.

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
    leftovers: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.axes, ModelAxes):
            raise OptionError(
                f"The body model {self.name} has no axes: in which axes its angles and moments are expressed belongs to a model.",
                value=self.axes, expected="BodyModel(axes=ModelAxes(...))", where="body model",
            )  # fmt: skip


def in_other_axes(model: BodyModel, axes: ModelAxes, *, name: str, title: str) -> BodyModel:
    """Return a body model that differs from another in its axes only.

    Parameters
    ----------
    model : BodyModel
        The model to calibrate and track with; what it calibrates has ``expressed_in``, as the library's own models have.
    axes : ModelAxes
        Another angle convention, other moment components.
    name : str
        What recipes and ``--model`` call it.
    title : str
        What reports call it.

    Returns
    -------
    BodyModel
        Not registered yet (see `registry.register`).
    """

    def calibrated(given: CalibrationInput) -> CalibratedModel:
        return cast(Expressible, model.calibrate(given)).expressed_in(axes, name)

    return replace(model, name=name, title=title, axes=axes, calibrate=calibrated)
