"""Foot models by name: each computes angles inside the foot beside whichever leg model a session has, and changes nothing of it.

Light to import: a model's own code is loaded when somebody asks for it. A laboratory's own one is registered as the library's
(``docs/extending.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import CYCLE_ROWS, SignRow
from biomech_id.errors import Finding
from biomech_id.plugins import Registry
from biomech_id.trial import Subject, Trial
from biomech_id.values import dataclass, field


@dataclass(frozen=True, eq=False)
class FootSession:
    """What a foot model is calibrated on.

    Attributes
    ----------
    static : Trial | None
        The static trial, with markers under the leg model's labels.
    walks : Sequence[Trial]
        The other recordings, likewise, as read.
    subject : Subject
        Measurements of the person, after files and options.
    options : Mapping[str, Any], optional
        What the recipe says of feet: names of its ``[foot]`` settings without their beginning.
    error_sizes : Mapping[str, float], optional
        Name -> standard deviation of every assumed error; empty where nobody asks how far angles can be off.
    """

    static: Trial | None
    walks: Sequence[Trial]
    subject: Subject
    options: Mapping[str, Any] = field(default_factory=dict)
    error_sizes: Mapping[str, float] = field(default_factory=dict)


class CalibratedFeet(Protocol):
    """A foot model of one person.

    One that knows how far its angles can be off has a method ``errors`` too, of the columns that `track` returned (`errors_of`).
    """

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was assumed, asked or noticed."""

    @property
    def record(self) -> Mapping[str, Any]:
        """What was learnt, as ``calibration.json`` holds it."""

    def track(self, trial: Trial) -> tuple[Mapping[str, FloatArray], tuple[Finding, ...]]:
        """Return column of ``trials/<stem>.csv`` -> (n_frames,), in the unit of its row, and what was noticed.

        Parameters
        ----------
        trial : Trial
            A recording, gaps and all, with markers under the leg model's labels.
        """


def errors_of(feet: CalibratedFeet, columns: Mapping[str, FloatArray]) -> Mapping[str, Mapping[str, FloatArray]]:
    """Return how far the angles of a foot model can be off in a recording.

    Parameters
    ----------
    feet : CalibratedFeet
        The foot model of one person.
    columns : Mapping[str, FloatArray]
        What it computed of the recording.

    Returns
    -------
    Mapping[str, Mapping[str, FloatArray]]
        Column -> source of error -> (n_frames,), standard deviation in the unit of its row; empty where the model does not say.
    """
    errors: Callable[[Mapping[str, FloatArray]], Mapping[str, Mapping[str, FloatArray]]] | None = getattr(feet, "errors", None)
    return {} if errors is None else errors(columns)


@dataclass(frozen=True)
class FootModel:
    """A foot model.

    Attributes
    ----------
    name : str
        By which ``calibration.json`` calls it.
    rows : tuple[SignRow, ...]
        Its variables: titles, words for both ends, quantity and unit.
    calibrate : Callable[[FootSession], CalibratedFeet | None]
        Session -> the model of this person; None where nobody wears its markers.
    """

    name: str
    rows: tuple[SignRow, ...]
    calibrate: Callable[[FootSession], CalibratedFeet | None]


#: Name -> foot model.
FOOT_MODELS: Registry[str, FootModel] = Registry("foot model", {"oxford": "biomech_id.models.oxford_foot.model:OXFORD_FOOT"})


def register_foot_model(model: FootModel) -> None:
    """Add a foot model: every session whose recordings show its markers has its columns.

    Parameters
    ----------
    model : FootModel
        Names the markers that it needs and the columns that it fills.

    Raises
    ------
    OptionError
        There is one of that name.
    """
    FOOT_MODELS.add(model.name, model)
    CYCLE_ROWS.update({(row.variable, row.component): row for row in model.rows})


def calibrated_feet(session: FootSession) -> dict[str, CalibratedFeet]:
    """Return every foot model that somebody wears, calibrated.

    Parameters
    ----------
    session : FootSession
        Recordings of one placement of the markers.

    Returns
    -------
    dict[str, CalibratedFeet]
        Name -> model of this person.
    """
    made = {name: model.calibrate(session) for name, model in FOOT_MODELS.items()}
    return {name: feet for name, feet in made.items() if feet is not None}
