"""The foot beyond the leg's model: its pitch from the floor, and foot models that are placed in every trial beside the leg's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import FLAT_PITCH_DEG, FOOT_IN_LABORATORY, FOOT_PITCH, SIDES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.feet.movements import TrialKind
from biomech_id.models.foot_models import FOOT_MODELS, CalibratedFeet, FootSession, calibrated_feet, errors_of
from biomech_id.movement.movement import CalibratedModel
from biomech_id.request.recipe import Recipe
from biomech_id.session.solved import Solved
from biomech_id.trial import Trial
from biomech_id.uncertainty.sizes import error_sizes


def feet_beside(model: CalibratedModel, static: Trial | None, walks: Sequence[Trial], recipe: Recipe) -> dict[str, CalibratedFeet]:
    """Return the foot models that somebody wears.

    Parameters
    ----------
    model : CalibratedModel
        Of the leg: measurements, and the labels of markers.
    static : Trial | None
        The part of the static trial that the leg's model is calibrated on.
    walks : Sequence[Trial]
        Recordings that will be analysed, as read.
    recipe : Recipe
        Its ``[foot]`` settings.

    Returns
    -------
    dict[str, CalibratedFeet]
        Name -> the foot model, calibrated.
    """
    options = {
        "flat": recipe.foot_hindfoot_flat, "floor": recipe.foot_forefoot_floor, "heel_passes": recipe.foot_heel_passes,
        "widths": recipe.foot_widths, "source": recipe.foot_calibration,
    }  # fmt: skip
    named = [model.named(trial) for trial in walks]
    stood = None if static is None else model.named(static)
    sizes = error_sizes(recipe.error_sizes) if recipe.uncertainty else {}
    return calibrated_feet(FootSession(stood, named, model.subject, options, sizes))


def pitch_columns(motion: BodyMotion) -> dict[str, FloatArray | None]:
    """Return foot pitch from the floor, of a model whose static trial stood flat.

    Parameters
    ----------
    motion : BodyMotion
        Angles of the tracked body.

    Returns
    -------
    dict[str, FloatArray | None]
        Column of `conventions.FOOT_PITCH` -> (n_frames,), deg, toes down positive, 0 with the sole on the floor; None where the
        foot was not tracked.
    """
    angles_rad = {side: motion.joint_angles_rad.get((side, "foot_progress")) for side in SIDES}
    return {
        FOOT_PITCH.column(side): None if of_side is None else np.degrees(of_side[:, 0]) - FLAT_PITCH_DEG
        for side, of_side in angles_rad.items()
    }


def with_feet(solved: Solved, recorded: Trial, prepared: Trial, feet: Mapping[str, CalibratedFeet], *, flat: bool) -> Solved:
    """Return a solved trial with foot pitch from the floor and the columns of its foot models.

    Their smoothing fills gaps itself and depends on the whole trial, so that they take markers as recorded; filtered ones where the
    leg's are filtered here.

    Parameters
    ----------
    solved : Solved
        The trial.
    recorded, prepared : Trial
        Its recording before and after gaps were filled and markers filtered, under the leg model's labels.
    feet : Mapping[str, CalibratedFeet]
        Name -> foot model.
    flat : bool
        Whether the leg's model was calibrated on a static trial with flat feet.
    """
    filtered = any(each.rule == "marker-filter" and each.values["filtered"] for each in prepared.findings)
    columns: dict[str, FloatArray | None] = {}
    errors: dict[str, Mapping[str, FloatArray]] = {}
    findings = list(solved.findings)
    for name, foot in feet.items():
        computed, noticed = foot.track(prepared if filtered else recorded)
        findings += noticed
        errors |= errors_of(foot, computed)
        for side in SIDES:
            for row in FOOT_MODELS[name].rows:
                shown = solved.kind is TrialKind.STRAIGHT or row.variable not in FOOT_IN_LABORATORY
                columns[row.column(side)] = computed.get(row.column(side)) if shown else None
    if flat:
        columns |= pitch_columns(solved.motion)
    return replace(solved, foot_columns=columns, foot_errors=errors, findings=tuple(findings)) if columns else solved
