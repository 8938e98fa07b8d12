"""From the values of a session to its tables: one function a table, in the order of `Tables`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from itertools import compress
from typing import Any

import pandas as pd

from biomech_id.conventions import LAYERS_OF_MEANS, MM_PER_M, SCHEMA
from biomech_id.feet.movements import TrialKind
from biomech_id.models.registry import body_model
from biomech_id.session import trial_tables
from biomech_id.session.bands.bands import CycleBand
from biomech_id.session.bands.uncertainty import LaidRows
from biomech_id.session.output.emg_tables import emg_tables
from biomech_id.session.output.further_tables import FURTHER_TABLES
from biomech_id.session.output.manifest import build_manifest
from biomech_id.session.output.scores_table import score_rows
from biomech_id.session.output.statistics_rows import with_deviations, with_statistics
from biomech_id.session.output.thinning import with_large_tables
from biomech_id.session.output.whole_body import whole_body_table
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved
from biomech_id.session.tables.means import WALKING, mean_curves
from biomech_id.session.tables.muscle_forces import force_tables
from biomech_id.session.tables.muscles import muscles_table
from biomech_id.session.tables.session_tables import LateTables, Tables, tidy_in_pieces, tidy_table
from biomech_id.session.values.norm import movement_of
from biomech_id.session.values.summary import session_summary


def session_tables(session: Session) -> Tables:
    """Return every table and document of a session.

    Parameters
    ----------
    session : Session
        The session after judging, before it is written.
    """
    trials = session.movements
    # Curves and bands of a long trial pass by once: while peaks are picked, and rows of other tables are laid aside.
    laid = {name: LaidRows(name) for name in ("cycles", "budget", "uncertainty")}
    peaks = tidy_in_pieces("peaks", (row for trial in trials for row in trial_tables.peak_rows(trial, laid)))
    late: dict[str, Any] = {name: rows.late() for name, rows in laid.items()}
    if not any(trial.errors for trial in trials):
        late["uncertainty"] = None
    tables = Tables(
        frames=LateTables({trial.name: trial_tables.frames(trial).late() for trial in trials}),
        **late,
        spatiotemporal=tidy_table("spatiotemporal", [row for trial in trials for row in trial_tables.spatiotemporal_rows(trial)]),
        peaks=peaks,
        scores=tidy_table("scores"),
        stances=tidy_table("stances", [row for trial in trials for row in _stances(trial)]),
        gaps=tidy_table("gaps", [row for trial in trials for row in _gaps(trial)]),
        quality=tidy_table("quality", [row for trial in trials for row in _quality(trial)]),
        calibration=_calibration(session),
        summary=session_summary(session),
        manifest=build_manifest(
            command=session.command,
            recipe=session.recipe,
            inputs=session.inputs,
            in_memory=session.in_memory,
            coded=session.coded,
            memory=session.memory,
        ),
        norm=session.norm_table,
        **emg_tables(session.muscle_signals),
        muscles=muscles_table([(trial.motion, trial.cycles) for trial in trials]),
        **force_tables(trials),
        whole_body=_whole_body(trials),
        examination=_examination(session),
        further={
            name: tidy_table(name, list(further.rows(session.computed)), further.table.columns)
            for name, further in FURTHER_TABLES.items()
        },
    )
    tables = with_large_tables(tables, session.recipe.get("output", {}).get("large_tables", "auto"))
    norm = session.fitted_norm.table if session.fitted_norm is not None else None
    if norm is None:
        return tables
    scores = score_rows(mean_curves(tables), norm, bands=_used_bands(trials))
    if session.review.cycles:
        scores += score_rows(mean_curves(tables, by_rules=True), norm, cycles="all", bands=_used_bands(trials, by_rules=True))
    tables = with_statistics(tables.with_others(scores=tidy_table("scores", scores)), norm)
    walked = movement_of(norm) == WALKING
    return with_deviations(tables, session.fitted_norm.people if session.fitted_norm is not None and walked else ())


def _used_bands(trials: Iterable[Solved], *, by_rules: bool = False) -> Mapping[str, list[CycleBand]]:
    """Condition -> bands of the cycles in its means."""
    used: dict[str, list[CycleBand]] = {}
    for trial in trials:
        if trial.kind is TrialKind.STRAIGHT:
            bands = trial_tables.bands(trial)
            counts = [any(trial.counts(band.cycle, layer, by_rules=by_rules) for layer in LAYERS_OF_MEANS) for band in bands]
            used.setdefault(trial.condition, []).extend(compress(bands, counts))
    return used


def _gaps(trial: Solved) -> Iterable[Mapping[str, Any]]:
    for gap in trial.gaps:
        row = dataclasses.asdict(gap)
        yield {"trial": trial.name, **row, "error_mm": MM_PER_M * row.pop("error_m")}


def _quality(trial: Solved) -> Iterable[Mapping[str, Any]]:
    for row in trial.quality:
        yield {
            "trial": row.trial, "rule": row.rule, "value": row.value, "unit": row.unit, "limit": row.limit, "verdict": row.verdict,
            "layer": " ".join(row.layers),
        }  # fmt: skip


def _whole_body(trials: Iterable[Solved]) -> pd.DataFrame | None:
    shown = [(t.name, t.motion.time_s, t.whole_body, t.feet_on_floor) for t in trials if t.whole_body is not None]
    return whole_body_table(shown) if shown else None


def _examination(session: Session) -> pd.DataFrame | None:
    rows = [vars(one) for one in session.person.examination]
    return tidy_table("examination", rows) if rows else None


def _stances(trial: Solved) -> Iterable[Mapping[str, Any]]:
    for stance in trial.assignment.stances if trial.assignment else ():
        yield {
            "trial": trial.name, "side": stance.side, "start_s": stance.start_s, "end_s": stance.end_s,
            "plate": " + ".join(stance.plates), "verdict": stance.verdict, "reason": str(stance.reason), "rule": stance.reason.rule,
        }  # fmt: skip


def _calibration(session: Session) -> dict[str, Any]:
    axes = body_model(session.model).axes.segment_axes
    head = {
        "schema": SCHEMA,
        "model": session.model,
        "segment_axes": axes,
        "kinetics": session.kinetics,
        "static_file": session.static_file,
    }
    return {**head, **session.calibration_record}
