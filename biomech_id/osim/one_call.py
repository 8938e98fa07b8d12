"""A model of OpenSim in one call each: scaled to a person, and following a recording's markers."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from numpy.typing import ArrayLike

from biomech_id.arguments import a, a_quantity, a_switch, or_none, takes
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.kinematics.inverse_kinematics import R_lab_model, TrackedPose, TrackingTasks, track_markers
from biomech_id.osim.scaling import scaled_model
from biomech_id.trial import Trial

_MODEL = a((MusculoskeletalModel, str, PathLike), "bid.osim.read_osim(path) reads one")


@takes("scale", model=_MODEL, factors=a(Mapping), mass_kg=or_none(a_quantity(0.1, 1000, "kg")), keep_mass_shares=a_switch())
def scale_model(
    model: MusculoskeletalModel | str | PathLike[str],
    factors: Mapping[str, ArrayLike],
    *,
    mass_kg: float | None = None,
    keep_mass_shares: bool = True,
) -> MusculoskeletalModel:
    """Scale a model of OpenSim body by body (see `osim.scaling.scaled_model`).

    Parameters
    ----------
    model : MusculoskeletalModel | str | PathLike[str]
        The generic model, or its ``.osim`` file.
    factors : Mapping[str, ArrayLike]
        Body -> one number or three, along its axes; bodies that are not named stay as they are.
    mass_kg : float | None, optional
        Of the whole body; None leaves what the bodies' masses add up to.
    keep_mass_shares : bool, optional
        Whether each body keeps its share of the mass; otherwise masses first follow the volumes.

    Returns
    -------
    MusculoskeletalModel
        A new model; the one given stays as it is.

    Raises
    ------
    UnknownNameError
        A factor of a body that the model does not have.
    InvalidValueError
        A factor that is no size.
    """
    return scaled_model(_read(model), factors, mass_kg=mass_kg, keep_mass_shares=keep_mass_shares)


@takes(model=_MODEL, trial=a(Trial, "read(path) returns it"), weights=or_none(a(Mapping)), coordinate_weights=or_none(a(Mapping)))
def inverse_kinematics(
    model: MusculoskeletalModel | str | PathLike[str],
    trial: Trial,
    *,
    weights: Mapping[str, float] | None = None,
    coordinate_weights: Mapping[str, float] | None = None,
) -> TrackedPose:
    """Find the coordinates of a model of OpenSim that bring its markers nearest to a recording's, whichever axis is up in it.

    Parameters
    ----------
    model : MusculoskeletalModel | str | PathLike[str]
        A model scaled to the subject, with its markers, or its ``.osim`` file.
    trial : Trial
        The recording, its markers called as the model's.
    weights : Mapping[str, float] | None, optional
        Marker -> weight; 1 for each of the model's markers unless given.
    coordinate_weights : Mapping[str, float] | None, optional
        Coordinate -> weight with which it is drawn to its default; none unless given.

    Returns
    -------
    TrackedPose
        ``coordinates``, their values ``q`` (n_frames, nq) in rad and m, and how far each marker is off.

    Raises
    ------
    MissingInputError
        No marker that model and recording have in common.
    InvalidValueError
        The model has no markers.
    UnknownNameError
        A weight of a coordinate that the model does not have.
    """
    model = _read(model)
    if weights is None and not model.markers:
        raise InvalidValueError(
            f"The model {model.name} of inverse_kinematics has no markers.", value=model.name,
            expected="a model with its marker set", where="inverse_kinematics",
        )  # fmt: skip
    tasks = TrackingTasks({marker.name: 1.0 for marker in model.markers} if weights is None else weights, coordinate_weights or {})
    position_m = trial.markers.position_m @ R_lab_model(model)
    return track_markers(model, trial.markers.names, position_m, tasks, rate_hz=trial.rate_hz)


def _read(model: MusculoskeletalModel | str | PathLike[str]) -> MusculoskeletalModel:
    return model if isinstance(model, MusculoskeletalModel) else read_osim(Path(model))
