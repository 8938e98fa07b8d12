"""Foot models beside the leg's: calibrated with the session, placed in every trial, their columns kept with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import FOOT_IN_LABORATORY, SIDES
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


def with_feet(solved: Solved, recorded: Trial, prepared: Trial, feet: Mapping[str, CalibratedFeet]) -> Solved:
    """Return a solved trial with the columns of its foot models.

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
    return replace(solved, foot_columns=columns, foot_errors=errors, findings=tuple(findings)) if feet else solved
