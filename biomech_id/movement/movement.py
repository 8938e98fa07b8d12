"""A trial in which a calibrated body model was placed: what was recorded, how the body moved, and what that says of its feet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.anatomy import Part
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.dynamics.model_errors import ModelErrors
from biomech_id.dynamics.window import Window
from biomech_id.errors import Finding
from biomech_id.movement.events import EventSearch
from biomech_id.movement.feet import Feet
from biomech_id.movement.stance import Assignment
from biomech_id.trial import Event, Subject, Trial
from biomech_id.values import dataclass, field, fields, replace


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
            The recording under its file's own labels.
        """

    def track(self, trial: Trial, *, kinetics: str = "textbook") -> BodyMotion:
        """Return the motion of the whole body in a trial, with the model's axes.

        Parameters
        ----------
        trial : Trial
            The recording, its markers named as the model knows them.
        kinetics : str, optional
            One of the model's kinetics modes: "textbook".
        """


@compact_repr
@dataclass(frozen=True, eq=False, kw_only=True)
class Movement(BodyMotion):
    """A trial in which a calibrated model was placed; it is the motion of the body, and knows where that came from.

    Attributes
    ----------
    trial : Trial
        What was recorded, as it was tracked.
    calibrated_model : CalibratedModel | None, optional
        The model that was placed in it; None for a motion that somebody made without one.
    feet : Feet | None, optional
        Outlines of the feet, loads under them and travel; None until `find_events` or `assign_plates` has found them.
    search : EventSearch | None, optional
        The events and how they were found; None until then.
    assignment : Assignment | None, optional
        Stances, and the ground's wrench on each foot; None until `assign_plates`.
    """

    trial: Trial
    calibrated_model: CalibratedModel | None = field(default=None, repr=False)  # its name is ``model``
    feet: Feet | None = None
    search: EventSearch | None = field(default=None, repr=False)
    assignment: Assignment | None = None

    @classmethod
    def of(cls, motion: BodyMotion, trial: Trial, model: CalibratedModel | None = None) -> Movement:
        """Return a body's motion with its trial and model, as every ``track`` of the library returns it.

        Parameters
        ----------
        motion : BodyMotion
            Poses of the tracked body, frame by frame.
        trial : Trial
            The recording that was tracked; its identity is kept.
        model : CalibratedModel | None, optional
            What it was tracked with.

        Returns
        -------
        Movement
            The same arrays; a movement keeps what it knows of feet, events and plates.
        """
        if isinstance(motion, Movement):
            return replace(motion, trial=trial, calibrated_model=model)
        held: dict[str, Any] = {each.name: getattr(motion, each.name) for each in fields(motion)}
        return cls(**held, trial=trial, calibrated_model=model)

    @property
    def events(self) -> tuple[Event, ...] | None:
        """Foot strikes and foot offs in order of time; None where nobody has looked for them."""
        return None if self.search is None else self.search.events

    @property
    def contacts(self) -> Mapping[str, FootContact] | None:
        """Side -> the ground's wrench on that foot; None where plates have not been given to feet."""
        return None if self.assignment is None else self.assignment.contacts

    @property
    def body_mass_kg(self) -> float | None:
        """Mass of the model's subject, else of the recording's, kg; None where nobody knows it."""
        known = None if self.calibrated_model is None else self.calibrated_model.subject.mass_kg
        return self.trial.subject.mass_kg if known is None else known

    @property
    def window(self) -> Window:
        """Which frames of which recording it is."""
        return Window(self.name, self.trial.identity, self.first_frame, self.n_frames)


def window_of(trial: Trial) -> Window:
    """Return which recording, and which frames of it, a trial is.

    Parameters
    ----------
    trial : Trial
        The recording, or a stretch of it.

    Returns
    -------
    Window
        Equal for what was made of these frames, however it was filtered or named.
    """
    return Window(trial.name, trial.identity, trial.first_frame, trial.n_frames)
