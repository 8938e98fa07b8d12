"""A body model, calibrated on a subject: the conventional one or the six-degree-of-freedom one, behind one face."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.model_errors import HipCentreMethod, ModelErrors
from biomech_id.errors import Finding, MissingInputError
from biomech_id.models.conventional.needs import (
    marker_groups,
    marker_names,
    missing_markers,
    missing_measurements,
    sides_with_markers,
)
from biomech_id.pipeline.recipe import Recipe
from biomech_id.trial import Markers, Subject, Trial

FOOT_FLAT: dict[str, bool | None] = {"auto": None, "yes": True, "no": False}


class Model(Protocol):
    """What both models can do."""

    @property
    def subject(self) -> Subject:
        """Measurements used."""
        ...

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was assumed or noticed on the way."""
        ...

    @property
    def calibration(self) -> Any:
        """What was learnt; has ``to_dict()``."""
        ...

    def track(self, trial: Trial, *, kinetics: str = "textbook") -> BodyMotion:
        """Motion of the whole body in a trial."""
        ...


@dataclass(frozen=True, eq=False)
class Body:
    """A calibrated model and what the pipeline must know about its markers.

    Attributes
    ----------
    model : the calibrated model.
    static : the trial it was calibrated on; None where a walk had to serve.
    marker_names : markers the model uses.
    marker_groups : segment -> markers that move with it.
    kinetics : mode in which the static trial is tracked for comparison.
    named : returns a trial with its markers under the labels that the model knows.
    errors : how the model's own errors hang together.
    """

    model: Model
    static: Trial | None
    marker_names: tuple[str, ...]
    marker_groups: Mapping[str, tuple[str, ...]]
    kinetics: str
    named: Callable[[Trial], Trial] = lambda trial: trial
    errors: ModelErrors = field(default_factory=ModelErrors)

    def track(self, trial: Trial, *, kinetics: str) -> BodyMotion:
        """Place the segments in every frame of a trial and differentiate (see the models' ``track``)."""
        return self.model.track(trial, kinetics=kinetics)

    @property
    def static_markers(self) -> Markers | None:
        """Markers of the static trial."""
        return None if self.static is None else self.static.markers

    @cached_property
    def static_motion(self) -> BodyMotion | None:
        """The body in the static trial, to compare bone lengths with."""
        return None if self.static is None else self.track(self.static, kinetics=self.kinetics)

    @property
    def calibration(self) -> dict[str, Any]:
        """What the model's calibration says of itself."""
        told: dict[str, Any] = self.model.calibration.to_dict()
        return told


def wears_markers(recipe: Recipe) -> Callable[[Trial], bool]:
    """Return a test whether a trial holds the markers that the recipe's model is calibrated with."""
    if recipe.model == "conventional":
        return lambda trial: not missing_markers(trial.markers, sides_with_markers(trial.markers, static=True), static=True)
    return lambda trial: bool(trial.markers.names)


def calibrate(
    recipe: Recipe, static: Trial | None, trials: Sequence[Trial], subject: Subject, functional: Trial | None, *, where: str
) -> Body:
    """Calibrate the recipe's model.

    Raises
    ------
    MissingInputError : the static trial, markers or measurements are missing; one sentence names them all.
    """
    if recipe.model == "conventional":
        return _conventional(recipe, static, trials, subject, where)
    return _six_dof(recipe, static, trials, subject, functional)


def _conventional(recipe: Recipe, static: Trial | None, trials: Sequence[Trial], subject: Subject, where: str) -> Body:
    if static is None:
        raise _no_static(trials, subject, where)
    if subject.mass_kg is None:
        raise _no_mass(static)
    from biomech_id.models.conventional.chord_coupling import chord_couplings, point_noise
    from biomech_id.models.conventional.model import conventional_model

    model = conventional_model(static, subject, foot_flat=FOOT_FLAT[recipe.foot_flat])
    groups, names = marker_groups(static.markers), marker_names(static.markers)
    if not recipe.uncertainty:
        return Body(model, static, names, groups, recipe.kinetics)
    errors = ModelErrors(
        dict.fromkeys(model.calibration.sides, HipCentreMethod.DAVIS),
        chord_couplings(static.markers, model.calibration),
        point_noise(static.markers, model.calibration),
    )
    return Body(model, static, names, groups, recipe.kinetics, errors=errors)


def _no_static(trials: Sequence[Trial], subject: Subject, where: str) -> MissingInputError:
    """Say in one sentence everything that keeps the conventional model from being used on these recordings."""
    lacking = min((missing_markers(t.markers, sides_with_markers(t.markers, static=True), static=True) for t in trials), key=len)
    measures = missing_measurements(subject, ("L", "R"))
    parts = ["a static trial (nobody stands still with all markers in any file; name one with --static)"]
    parts += [f"the markers {', '.join(lacking)}"] * bool(lacking)
    parts += [f"{', '.join(measures)} (give them in subject.toml)"] * bool(measures)
    return MissingInputError(
        f"{where} cannot be analysed with the conventional model: it lacks {', and '.join(parts)}.",
        value=[*lacking, *measures], expected="a static trial with the model's markers and measurements", where=where,
    )  # fmt: skip


def _no_mass(static: Trial) -> MissingInputError:
    return MissingInputError(
        f"The body mass is not recorded, and {static.name} does not show quiet standing on force plates; "
        "give it with --mass KG or in subject.toml.",
        value=None, expected="a body mass in kg", where=static.name,
    )  # fmt: skip


def _six_dof(recipe: Recipe, static: Trial | None, trials: Sequence[Trial], subject: Subject, functional: Trial | None) -> Body:
    from biomech_id.models.landmarks import under_set_labels
    from biomech_id.models.six_dof.model import six_dof_model

    model = six_dof_model(
        static,
        subject,
        markerset=recipe.chosen_marker_set,
        walks=[trial for trial in trials if trial is not static and trial is not functional],
        functional=[] if functional is None else [functional],
        hip=recipe.hip_centre,
        inertia=recipe.inertia_table,
        foot_flat=FOOT_FLAT[recipe.foot_flat],
    )
    templates = model.calibration.templates
    groups = {f"{side} {segment}".strip(): template.markers for (side, segment), template in templates.items()}
    names = tuple(dict.fromkeys(label for labels in groups.values() for label in labels))
    markerset = model.calibration.markerset

    def named(trial: Trial) -> Trial:
        return replace(trial, markers=under_set_labels(trial.markers, markerset))

    methods = {side: model.calibration.hip_methods[side] for side in model.calibration.sides}
    return Body(model, None if static is None else named(static), names, groups, recipe.kinetics, named, ModelErrors(methods))
