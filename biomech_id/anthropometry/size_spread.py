"""How much the sizes of people's segments differ, as independent parts of the logarithm of a scale factor.

Rows of ``tables/size_spread.csv``: derived from the public body-size survey ANSUR II (Gordon et al. 2014, 6068 adults), each with
its source, or with the reason where it is chosen. Parts add up: the whole body's size, a segment kind's length (both sides, all
axes), each axis across it (both sides), one side and axis, one bone.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from biomech_id.values import dataclass

_TABLE = Path(__file__).parent / "tables" / "size_spread.csv"


@dataclass(frozen=True)
class SizeSpread:
    """Standard deviation of one part of the logarithm of a scale factor.

    Attributes
    ----------
    segment : str
        Kind of segment, "thigh"; "" for every kind that has no row of its own.
    part : str
        "whole", "length", "across", "side" or "body".
    length_axis : str
        For "across", the body's axis along the segment: "X" or "Y".
    sd_log : float
        Standard deviation of the logarithm, without unit.
    citation : str
        Source, or the reason of a chosen number.
    """

    segment: str
    part: str
    length_axis: str
    sd_log: float
    citation: str


@cache
def size_spreads() -> tuple[SizeSpread, ...]:
    """Read the shipped table.

    Returns
    -------
    tuple[SizeSpread, ...]
        All rows, in the file's order.

    Examples
    --------
    >>> from biomech_id.anthropometry.size_spread import size_spreads
    >>> [row.sd_log for row in size_spreads() if row.segment == "shank"]
    [0.042, 0.05]
    """
    rows = csv.DictReader(_TABLE.read_text(encoding="utf-8").splitlines())
    return tuple(SizeSpread(r["segment"], r["part"], r["length_axis"], float(r["sd_log"]), r["citation"]) for r in rows)
