"""From the values of a session to its tables: one function a table, in the order of `SessionTables`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from biomech_id.conventions import MM_PER_M, SCHEMA
from biomech_id.models.registry import body_model
from biomech_id.results.folder.manifest import build_manifest
from biomech_id.results.session.summary import session_summary
from biomech_id.results.session.values import SessionValues, TrialResult
from biomech_id.results.statistics.against_norm import with_statistics
from biomech_id.results.tables.bands import CycleBand
from biomech_id.results.tables.cycle_table import stack_curves
from biomech_id.results.tables.emg_tables import emg_tables
from biomech_id.results.tables.further_tables import FURTHER_TABLES
from biomech_id.results.tables.means import mean_curves
from biomech_id.results.tables.muscles import muscles_table
from biomech_id.results.tables.scores_table import score_rows
from biomech_id.results.tables.session_tables import SessionTables, tidy_table
from biomech_id.results.tables.thinning import with_large_tables
from biomech_id.results.tables.uncertainty import uncertainty_table
from biomech_id.results.tables.whole_body import whole_body_table


def session_tables(session: SessionValues) -> SessionTables:
    """Return every table and document of a session.

    Parameters
    ----------
    session : SessionValues
        The session, analysed.
    """
    trials = session.trials
    tables = SessionTables(
        frames={trial.name: trial.frames.to_dataframe() for trial in trials},
        cycles=stack_curves(trial.curves for trial in trials).to_dataframe("cycles"),
        budget=stack_curves(trial.budget for trial in trials).to_dataframe("budget"),
        spatiotemporal=tidy_table("spatiotemporal", [row for trial in trials for row in trial.parameter_rows]),
        peaks=tidy_table("peaks", [row for trial in trials for row in trial.peaks]),
        scores=tidy_table("scores"),
        stances=tidy_table("stances", [row for trial in trials for row in _stances(trial)]),
        gaps=tidy_table("gaps", [row for trial in trials for row in _gaps(trial)]),
        quality=tidy_table("quality", [dataclasses.asdict(row) for trial in trials for row in trial.quality]),
        calibration=_calibration(session),
        summary=session_summary(session),
        manifest=build_manifest(
            command=session.command, recipe=session.recipe, inputs=session.inputs, in_memory=session.in_memory, coded=session.coded
        ),
        norm=session.norm,
        uncertainty=uncertainty_table((t.bands, t.curves) for t in trials) if any(t.errors for t in trials) else None,
        **emg_tables(session.emg),
        muscles=muscles_table([(trial.motion, trial.cycles) for trial in trials]),
        whole_body=_whole_body(trials),
        further={
            name: tidy_table(name, list(further.rows(session)), further.table.columns) for name, further in FURTHER_TABLES.items()
        },
    )
    tables = with_large_tables(tables, session.recipe.get("output", {}).get("large_tables", "auto"))
    norm = session.fitted_norm.table if session.fitted_norm is not None else None
    if norm is None:
        return tables
    scores = score_rows(mean_curves(tables), norm, bands=_used_bands(trials))
    if session.review.cycles:
        scores += score_rows(mean_curves(tables, by_rules=True), norm, cycles="all", bands=_used_bands(trials, by_rules=True))
    return with_statistics(dataclasses.replace(tables, scores=tidy_table("scores", scores)), norm)


def _used_bands(trials: Iterable[TrialResult], *, by_rules: bool = False) -> Mapping[str, list[CycleBand]]:
    """Condition -> bands of the cycles in its means."""
    found: dict[str, list[CycleBand]] = {}
    for trial in trials:
        use = trial.used_by_rules if by_rules else trial.used
        found.setdefault(trial.condition, []).extend(band for band in trial.bands if use(band.cycle))
    return found


def _gaps(trial: TrialResult) -> Iterable[Mapping[str, Any]]:
    for gap in trial.gaps:
        row = dataclasses.asdict(gap)
        yield {"trial": trial.name, **row, "error_mm": MM_PER_M * row.pop("error_m")}


def _whole_body(trials: Iterable[TrialResult]) -> pd.DataFrame | None:
    shown = [(t.name, t.motion.time_s, t.whole_body, t.feet_on_floor) for t in trials if t.whole_body is not None]
    return whole_body_table(shown) if shown else None


def _stances(trial: TrialResult) -> Iterable[Mapping[str, Any]]:
    for stance in trial.assignment.stances if trial.assignment else ():
        yield {
            "trial": trial.name, "side": stance.side, "start_s": stance.start_s, "end_s": stance.end_s,
            "plate": " + ".join(stance.plates), "verdict": stance.verdict, "reason": str(stance.reason), "rule": stance.reason.rule,
        }  # fmt: skip


def _calibration(session: SessionValues) -> dict[str, Any]:
    axes = body_model(session.model).axes.segment_axes
    head = {
        "schema": SCHEMA,
        "model": session.model,
        "segment_axes": axes,
        "kinetics": session.kinetics,
        "static_file": session.static_file,
    }
    return {**head, **session.calibration}
