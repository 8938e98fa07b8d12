"""A recording's own force plates as the loads of ``biomech-id fit``: feet are put on plates by the rules of every analysis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomech_id.errors import Finding, MissingInputError
from biomech_id.gait.tracked import with_plates
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.dynamics.external_loads import OuterForce
from biomech_id.osim.skeletal_model import R_LAB_SURROUNDINGS, skeletal_model
from biomech_id.pipeline.prepare import prepare
from biomech_id.request.recipe import Recipe
from biomech_id.trial import Trial


def plate_forces(model: MusculoskeletalModel, trial: Trial) -> tuple[tuple[OuterForce, ...], tuple[Finding, ...]]:
    """Find what the plates of a recording do to the feet.

    Parameters
    ----------
    model : MusculoskeletalModel
        Fitted to the person, with the recording's markers.
    trial : Trial
        A recording with force plates.

    Returns
    -------
    tuple[tuple[OuterForce, ...], tuple[Finding, ...]]
        One force for each foot, N and N m about the origin of the model's surroundings, zero wherever the foot's load is not known;
        and which contacts are left out.

    Raises
    ------
    MissingInputError
        The recording has no plates, or the model no legs.
    """
    if not trial.plates:
        raise MissingInputError(
            f"{trial.name} has no force plates, so there are no loads to fit to. Name a recording with plates, or their file.",
            value=0, expected="a recording with force plates", where=trial.path or trial.name,
        )  # fmt: skip
    body = skeletal_model(replace(model, muscles=(), wrap_objects=()))
    prepared = prepare(trial, body, Recipe()).trial
    movement = with_plates(body.track(prepared), body_mass_kg=model.mass_kg)
    assert movement.assignment is not None
    forces = []
    for side, contact in movement.assignment.contacts.items():
        wrench = contact.force_lab_N, contact.moment_lab_Nm
        force, moment = (np.where(contact.known[:, None], each, 0.0) @ R_LAB_SURROUNDINGS for each in wrench)
        forces.append(OuterForce(body.calibration.bodies[side, "foot"][0], movement.time_s, force, moment, np.zeros_like(force)))
    stances = movement.assignment.stances
    left_out = [(each.side, float(np.nanmin([each.start_s, each.end_s]))) for each in stances if not each.verdict.solved]
    values = {"n": len(left_out), "of": len(stances), "contacts": left_out}
    return tuple(forces), (Finding("fit-contacts-left-out", values, trial.name),) if left_out else ()
