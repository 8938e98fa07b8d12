"""Items of the source documents that are derived a second time, from the documents' text alone: the table, and how its rows run.

A row of ``items.csv`` is one equation, figure, table, listing or printed result, with the second method and its tool. The module of
its document has a case for it, which returns what the library says and what the second method says. The second method never calls
the library: SymPy or mpmath from position vectors, energies and momenta that are written in the test.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TABLE = Path(__file__).with_name("items.csv")
#: Number of a document -> its page, and the module that derives its items again.
DOCUMENTS = {"1": "n_link_limb", "2": "closed_loops", "3": "matrix_formalism", "4": "symbolic_multibody", "5": "planar_arm"}
KINDS = {"equation": "eq", "formula": "eq", "figure": "fig"}
#: Of the largest value, and at least this much of 1: rounding of double precision in both ways.
RELATIVE = 1e-11

#: What the library says, what the second method says, and a tolerance of its own where rounding is not what limits it.
Pair = tuple[Any, Any] | tuple[Any, Any, float]
Case = Callable[[], Pair | list[Pair]]


def rows(document: str = "") -> list[dict[str, str]]:
    """Rows of a document, or all."""
    with TABLE.open(encoding="utf-8", newline="") as stream:
        return [row for row in csv.DictReader(stream) if document in ("", row["document"])]


def identity(row: dict[str, str]) -> str:
    """``planar-arm-eq-27``: document, kind and number."""
    item = row["item"].removeprefix("Fig ").removeprefix("Table ").removeprefix("In ").removeprefix("Sec ")
    number = item[1:] if item[:1] in "CEFO" and item[1:].isdigit() else "unnumbered" if item == "-" else item
    return f"{DOCUMENTS[row['document']].replace('_', '-')}-{KINDS.get(row['kind'], row['kind'])}-{number}"


def parameters(document: str, slow: Iterable[str] = ()) -> list[Any]:
    """Rows of a document for ``parametrize``, named; some of them slow."""
    marks = dict.fromkeys(slow, (pytest.mark.slow,))
    return [pytest.param(row, id=identity(row), marks=marks.get(row["item"], ())) for row in rows(document)]


class Cases(dict[str, Case]):
    """Item -> its case; calls register: ``@case("E7")``."""

    def __call__(self, *items: str) -> Callable[[Case], Case]:
        def register(function: Case) -> Case:
            for item in items:
                assert item not in self, item
                self[item] = function
            return function

        return register


def check(found: Pair | list[Pair]) -> None:
    """Every pair is equal, has the same shape, and is not all zeros."""
    pairs: Iterable[Pair] = found if isinstance(found, list) else [found]
    largest = 0.0
    for ours, theirs, *own in pairs:
        ours, theirs = (np.asarray(side, dtype=float) for side in (ours, theirs))
        assert ours.shape == theirs.shape
        assert ours.size > 0
        scale = float(np.abs(theirs).max())
        largest = max(largest, scale)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=own[0] if own else RELATIVE * max(1.0, scale))
    assert largest > 1e-3
