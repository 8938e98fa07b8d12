"""``uncertainty.csv``: how far every variable can be off, over every cycle and by source (see `session.bands.bands`)."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import accumulate, islice
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from threading import Lock
from typing import IO, Any
from weakref import finalize

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import ERROR_SOURCES, table_columns
from biomech_id.errors import OutputError
from biomech_id.session.bands.bands import CycleBand
from biomech_id.session.tables.cycle_table import Curves
from biomech_id.session.tables.session_tables import CURVE_POINTS, LateTable, block_table
from biomech_id.values import dataclass

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


#: What rows of a table of curves have in common, one mapping a curve, and column -> (101 n_curves,).
BandBlock = tuple[list[dict[str, Any]], dict[str, FloatArray]]
#: The same while its numbers lie elsewhere: column -> what each curve has in common, where they begin, and which columns they are.
LaidBlock = tuple[dict[str, tuple[Any, ...]], int, tuple[str, ...]]
#: Bytes of a table's rows that are held in memory.
HELD_BYTES = 24 << 20


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


class LaidRows:
    """Rows of a table of curves that wait to be written, up to 6 kB a frame: in a temporary file where there are many.

    Parameters
    ----------
    table : str
        Name of the table: "cycles", "budget", "uncertainty".

    Attributes
    ----------
    blocks : list[LaidBlock]
        In the order of the table.
    """

    def __init__(self, table: str) -> None:
        self._table = table
        self.blocks: list[LaidBlock] = []
        self._file: IO[bytes] = BytesIO()
        self._end = 0
        self._shared: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._one_at_a_time = Lock()

    def add(self, block: BandBlock) -> None:
        """Put the rows of a trial, or of a cycle, behind those that wait.

        Parameters
        ----------
        block : BandBlock
            As of `band_block`, or of `Curves.block`.
        """
        self.blocks.append(self.lay(block))

    def lay(self, block: BandBlock) -> LaidBlock:
        """Put the rows of a trial, or of a cycle, where they wait.

        Parameters
        ----------
        block : BandBlock
            As for `add`.

        Returns
        -------
        LaidBlock
            What `blocks` takes, when it is its turn.

        Raises
        ------
        OutputError
            The disk for temporary files is full, or there is none.
        """
        heads, columns = block
        start, numbers = self._end, np.stack(list(columns.values())).tobytes() if heads else b""
        self._end += len(numbers)
        try:
            if isinstance(self._file, BytesIO) and self._end > HELD_BYTES:
                held, self._file = self._file, TemporaryFile()  # noqa: SIM115 - open as long as the rows are asked for
                finalize(self, self._file.close)
                self._file.write(held.getbuffer())
            self._file.seek(start)
            self._file.write(numbers)
            self._file.flush()
        except OSError as error:
            words = f"Rows that wait to be written do not fit {gettempdir()} ({error.strerror}): free some space, or set TMPDIR."
            raise OutputError.at(Path(gettempdir()), words, "room for temporary files") from error
        common = (tuple(head[name] for head in heads) for name in (heads[0] if heads else ()))
        # One cycle's curves are named like the next one's: their names are held once.
        shared = (self._shared.setdefault(column, column) for column in common)
        return dict(zip(heads[0] if heads else (), shared, strict=True)), start, tuple(columns)

    def late(self) -> LateTable:
        """Return the table, before its rows are made."""
        self.blocks = [block for block in self.blocks if block[0]]
        self._ends = list(accumulate(_curves_of(common) for common, *_ in self.blocks))
        return LateTable(self._ends[-1] if self._ends else 0, CURVE_POINTS, len(table_columns(self._table)), self._rows)

    def _rows(self, some: slice) -> pd.DataFrame:
        """The rows of some curves."""
        first, last, _ = some.indices(self._ends[-1] if self._ends else 0)
        number = bisect_right(self._ends, first)
        own = self.blocks[number : bisect_left(self._ends, last) + 1]
        before = first - (self._ends[number - 1] if number else 0)
        rows = (row for common, *_ in own for row in zip(*common.values(), strict=True))
        names = tuple(own[0][0]) if own else ()
        heads = [dict(zip(names, row, strict=True)) for row in islice(rows, before, before + last - first)]
        at = slice(CURVE_POINTS * before, CURVE_POINTS * (before + len(heads)))
        numbers = {name: column[at] for name, column in _joined([self._columns(*block) for block in own]).items()}
        return block_table(self._table, heads, CURVE_POINTS, {"percent": np.tile(np.arange(CURVE_POINTS), len(heads)), **numbers})

    def _columns(self, common: Mapping[str, tuple[Any, ...]], start: int, names: Sequence[str]) -> dict[str, FloatArray]:
        numbers = np.frombuffer(self._read(start, 8 * len(names) * CURVE_POINTS * _curves_of(common)))
        return dict(zip(names, numbers.reshape(len(names), -1), strict=True))

    def _read(self, start: int, length: int) -> bytes:
        """Bytes where they lie, for threads and forked processes side by side; Windows forks no process."""
        if hasattr(os, "pread") and not isinstance(self._file, BytesIO):
            return os.pread(self._file.fileno(), length, start)
        with self._one_at_a_time:
            self._file.seek(start)
            return self._file.read(length)


def _curves_of(common: Mapping[str, tuple[Any, ...]]) -> int:
    return len(next(iter(common.values())))


def _joined(parts: Sequence[Mapping[str, FloatArray]]) -> dict[str, FloatArray]:
    return {name: np.concatenate([columns[name] for columns in parts]) for name in (parts[0] if parts else ())}
