"""Every row of every table has a band, or the data dictionary says why it has none."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import FOOT_TABLE, MUSCLE_TABLE, TABLES
from biomech_id.session.solved import Solved
from biomech_id.session.trial_tables import bands, curves, peaks, spatiotemporal_rows
from biomech_id.uncertainty.without_band import WITHOUT_BAND, why_no_band

#: Tables whose rows have an SD or a band of their own, in whole or in part.
BANDED = {"cycles", "spatiotemporal", "peaks", "scores", "deviations", "changes", "muscles", "muscle_forces", "joint_contact"}
MOVEMENTS = ("walk", "run", "jump", "squat", "rise")


@cache
def analysed(movement: str) -> Solved:
    person = bid.virtual_subject(upper_body=True, balanced=movement == "walk", analog_ratio=5, run=movement == "run")
    recorded = person.walk() if movement in ("walk", "run") else getattr(person, movement)()
    (trial,) = bid.analyse([person.static().trial, recorded.trial], budget=False).computed.trials
    return trial


@cache
def rows(movement: str) -> dict[tuple[str, str], bool]:
    """(table, what a row is called) -> whether every such row has a band, of the tables of one trial."""
    trial = analysed(movement)
    every = [band for of_leg in bands(trial) for band in of_leg.with_upper]
    with_band = {(band.cycle.side, band.cycle.number, *name) for band in every for name in band.names}
    known: dict[tuple[str, str], bool] = {}
    for name in curves(trial).names:
        key = ("cycles", name.variable)
        known[key] = known.get(key, True) and (name.side, name.cycle, name.variable, name.component) in with_band
    for row in spatiotemporal_rows(trial):
        key = ("spatiotemporal", str(row["parameter"]))
        known[key] = known.get(key, True) and bool(np.isfinite(row["sd"]))
    for row in peaks(trial):
        key = ("peaks", f"{row['name']}.{row['variable']}")
        known[key] = known.get(key, True) and bool(np.isfinite(row["sd"]))
    return known


@pytest.mark.parametrize("movement", MOVEMENTS)
def test_a_row_has_a_band_or_a_reason(movement: str) -> None:
    neither = [key for key, known in rows(movement).items() if not known and why_no_band(*key) is None]
    assert neither == []
    both = [key for key, known in rows(movement).items() if known and why_no_band(*key) is not None]
    assert both == []


def test_a_table_has_bands_or_a_reason() -> None:
    names = {table.name for table in TABLES} | {"trials"}
    without = {one.table for one in WITHOUT_BAND if "*" in one.rows}
    assert BANDED | without == names
    assert BANDED & without == set()


def test_reasons_are_of_rows_that_are_there() -> None:
    seen = {key for movement in MOVEMENTS for key in rows(movement)}
    seen |= {("cycles", row.variable) for row in (*MUSCLE_TABLE, *FOOT_TABLE)}
    unused = [
        (one.table, pattern)
        for one in WITHOUT_BAND if one.table in ("cycles", "spatiotemporal", "peaks")
        for pattern in one.rows
        if not any(table == one.table and why_no_band(table, name) == one.why for table, name in seen)
    ]  # fmt: skip
    assert unused == []
