"""Rows of the tables that have no band, and why: the source of the data dictionary's list (``without_band.csv``)."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from biomech_id.values import dataclass


@dataclass(frozen=True)
class RowsWithoutBand:
    """Some rows of a table, and why nobody says how far they can be off.

    Attributes
    ----------
    table : str
        Its name, without ``.csv``.
    rows : tuple[str, ...]
        Patterns, as in a shell, of what the row is called: variable, parameter, score or name of a peak.
    why : str
        What is not known.
    """

    table: str
    rows: tuple[str, ...]
    why: str


def _listed() -> Iterator[RowsWithoutBand]:
    """The rows of ``without_band.csv``: one reason for several tables is one row of each."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for table in row["table"].split():
                yield RowsWithoutBand(table, tuple(row["rows"].split()), row["why"])


#: Every row without a band, table by table.
WITHOUT_BAND: tuple[RowsWithoutBand, ...] = tuple(_listed())


def why_no_band(table: str, row: str) -> str | None:
    """Return why a row of a table has no band, or in which sessions it has none; None where it always has one, or ought to.

    Parameters
    ----------
    table : str
        Name of the table, without ``.csv``.
    row : str
        What the row is called: variable, parameter, score or name of a peak.

    Examples
    --------
    >>> from biomech_id.uncertainty.without_band import why_no_band
    >>> why_no_band("budget", "KneeMoment")
    'one error moves several parts against each other: their sum, the joint moment, has the band'
    >>> why_no_band("cycles", "KneeMoment") is None
    True
    >>> why_no_band("scores", "GPS")
    'only where a cycle in the mean has no band, of a leg whose errors nobody knows'
    """
    return next((one.why for one in WITHOUT_BAND if one.table == table and any(fnmatchcase(row, p) for p in one.rows)), None)
