"""``uncertainty.csv``: how far every variable can be off, over every cycle and by source (see `session.bands.bands`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import ERROR_SOURCES
from biomech_id.session.bands.bands import CycleBand
from biomech_id.session.tables.cycle_table import Curves
from biomech_id.session.tables.session_tables import CURVE_POINTS, block_table

TOTAL, EVENTS, SHIFT = "total", "events", "hip_centre_shift"


@dataclass(frozen=True, eq=False)
class BandRow:
    """One variable over one cycle: standard deviations (101,) by source, of the events and of all together, and the shift.

    Attributes
    ----------
    band : CycleBand
        Bands of the cycle that the row is of.
    number : int
        Which of its curves.
    columns : Mapping[str, FloatArray]
        Column of ``uncertainty.csv`` -> (101,).
    """

    band: CycleBand
    number: int
    columns: Mapping[str, FloatArray]


def band_rows(bands: Iterable[CycleBand], curves: Curves) -> Iterator[BandRow]:
    """Yield one row for every curve of a trial that has a band.

    Parameters
    ----------
    bands : Iterable[CycleBand]
        Of the trial's cycles.
    curves : Curves
        The curves themselves: what a moved event does to them, their slope says.
    """
    value_of = {(n.side, n.cycle, n.variable, n.component): curves.values[i] for i, n in enumerate(curves.names)}
    for band in bands:
        by_source = {source: band.sd(source) for source in ERROR_SOURCES}
        # What has no curve in cycles.csv has no band either.
        keys = [(band.cycle.side, band.cycle.number, *name) for name in band.names]
        rows = [number for number, key in enumerate(keys) if key in value_of and (band.total[number] > 0.0).any()]
        if not rows:
            continue
        by_events = band.by_events(np.stack([value_of[keys[number]] for number in rows]))
        for number, events in zip(rows, by_events, strict=True):
            columns = {source: sd[number] for source, sd in by_source.items()}
            columns |= {TOTAL: band.total[number], EVENTS: events, SHIFT: band.shift[number]}
            yield BandRow(band, number, columns)


#: What rows of ``uncertainty.csv`` have in common, one mapping a curve, and column -> (101 n_curves,).
BandBlock = tuple[list[dict[str, Any]], dict[str, FloatArray]]


def band_block(bands: Iterable[CycleBand], curves: Curves) -> BandBlock:
    """Return the rows of one trial.

    Parameters
    ----------
    bands : Iterable[CycleBand]
        Of the trial's cycles.
    curves : Curves
        Curves of the trial's cycles, which the bands are of.
    """
    rows = list(band_rows(bands, curves))
    heads = [
        {
            "trial": row.band.cycle.trial, "side": row.band.cycle.side, "cycle": row.band.cycle.number,
            "kinetics_valid": row.band.cycle.kinetics_valid, "variable": row.band.names[row.number][0],
            "component": row.band.names[row.number][1],
        } for row in rows
    ]  # fmt: skip
    return heads, _joined([row.columns for row in rows])


def uncertainty_table(trials: Iterable[BandBlock]) -> pd.DataFrame:
    """Return ``uncertainty.csv``: one row a percent, one column a source.

    Parameters
    ----------
    trials : Iterable[BandBlock]
        As of `band_block`.
    """
    blocks = [block for block in trials if block[0]]
    heads = [head for of_trial, _ in blocks for head in of_trial]
    measured = blocks[0][1] if len(blocks) == 1 else _joined([columns for _, columns in blocks])
    percent = np.tile(np.arange(CURVE_POINTS), len(heads))
    return block_table("uncertainty", heads, CURVE_POINTS, {"percent": percent, **measured})


def _joined(parts: Sequence[Mapping[str, FloatArray]]) -> dict[str, FloatArray]:
    return {name: np.concatenate([columns[name] for columns in parts]) for name in (parts[0] if parts else ())}
