"""The quality rules applied to one trial: each number measured, graded and kept."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biomech_id.algebra.arrays import BoolArray
from biomech_id.dynamics.body import BodyMotion
from biomech_id.gait.cycle import KineticsValid
from biomech_id.gait.movements import TrialKind
from biomech_id.models.model import CalibratedModel
from biomech_id.results.session.measures import (
    centre_drift_mm,
    filled_percent,
    largest_gap_ms,
    marker_rigidity_mm,
    plate_baseline_N,
    pressure_inside_percent,
    untracked_percent,
)
from biomech_id.results.session.quality import QualityRow, graded
from biomech_id.results.session.values import TrialResult
from biomech_id.trial import Markers

_MISSING = float("nan")


def grade_trial(
    result: TrialResult, measured: Markers, model: CalibratedModel, static_motion: BodyMotion | None
) -> tuple[QualityRow, ...]:
    """Apply every rule of `results.session.quality.RULES` to a trial.

    Parameters
    ----------
    result : TrialResult
        The trial's results.
    measured : Markers
        Its markers, with what was filled marked.
    model : CalibratedModel
        The calibrated model, and its static trial, which the distances are compared with.
    static_motion : BodyMotion | None
        The calibrated model, and its static trial, which the distances are compared with.
    """
    return tuple(graded(result.name, rule, value) for rule, value in _measures(result, measured, model, static_motion))


def _measures(
    result: TrialResult, markers: Markers, model: CalibratedModel, static_motion: BodyMotion | None
) -> Iterator[tuple[str, float]]:
    names = [name for name in model.marker_names if name in markers]
    columns = [markers.names.index(name) for name in names]
    missing: BoolArray = ~np.asarray(np.isfinite(markers.position_m[:, columns]).all(axis=2))
    if markers.filled is not None:
        missing |= markers.filled[:, columns]
    static = model.static
    rigidity = _MISSING if static is None else marker_rigidity_mm(markers, static.markers, model.marker_groups)
    whole = [cycle for cycle in result.cycles if cycle.kinetics_valid is not KineticsValid.STANCE_ONLY]
    stances = result.assignment.stances if result.assignment else ()

    yield "gap-largest", largest_gap_ms(missing, markers.rate_hz)
    yield "gap-filled", filled_percent(markers, names)
    yield "frames-untracked", untracked_percent(result.motion)
    yield "marker-rigidity", rigidity
    yield "centre-drift", _MISSING if static_motion is None else centre_drift_mm(result.motion, static_motion)
    yield "plate-baseline", plate_baseline_N(result.plates)
    if result.mass_kg is not None:
        yield (
            "cop-inside-foot",
            pressure_inside_percent(
                result.motion, result.shown_contacts, mass_kg=result.mass_kg, floor_m=result.floor_m, belts=result.belts
            ),
        )
    yield "event-lag", _event_lag_ms(result)
    # A turn's or a run's cycles are flagged as such and have pages of their own: only a straight walk must hold steady ones.
    usable = [cycle for cycle in whole if cycle.steady or result.kind is not TrialKind.STRAIGHT]
    yield "cycles-used", float(len(usable))
    yield "cycles-refused", float(len(whole) - len(usable))
    yield "stances-on-plate", float(sum(stance.verdict.accepted for stance in stances))


def _event_lag_ms(result: TrialResult) -> float:
    """Median absolute lag between what cameras and plates say of the same events, ms; NaN where they share none."""
    lags = [abs(row.median_s) for row in result.agreement if {row.source, row.reference} == {"plate", "marker"}]
    return 1000.0 * float(np.median(lags)) if lags else _MISSING
