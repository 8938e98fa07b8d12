"""The table of recomputed items: no row twice, each an item of its document, and each with a case that runs."""

from __future__ import annotations

import csv
from importlib import import_module
from pathlib import Path

import pytest

from tests.physics.recomputed.table import DOCUMENTS, identity, rows

ITEMS = Path(__file__).resolve().parents[3] / "docs" / "documents" / "items.csv"
#: How many items of each document are derived a second time.
COUNTS = {"1": 39, "2": 18, "3": 24, "4": 29, "5": 47}


def test_every_row_is_an_item_once() -> None:
    known = {(row["document"], row["item"]): row for row in csv.DictReader(ITEMS.open(encoding="utf-8"))}
    keys = [(row["document"], row["item"]) for row in rows()]
    assert len(set(keys)) == len(keys) == sum(COUNTS.values())
    assert {document: len(rows(document)) for document in COUNTS} == COUNTS
    for key, row in zip(keys, rows(), strict=True):
        assert (row["kind"], row["what"]) == (known[key]["kind"], known[key]["what"])
        assert row["second_method"]
        assert row["tool"] in ("SymPy", "mpmath", "complex numbers", "NumPy", "SciPy")
    assert len(keys) >= 100
    assert len({identity(row) for row in rows()}) == len(keys)


@pytest.mark.parametrize("document", COUNTS)
def test_every_row_runs(document: str) -> None:
    """Its module has a case for each row, none without one, and runs them all."""
    pytest.importorskip("sympy")
    module = import_module(f"tests.physics.recomputed.test_{DOCUMENTS[document]}")
    items = [row["item"] for row in rows(document)]
    assert sorted(module.CASES) == sorted(items)
    (mark,) = module.test_recomputed.pytestmark
    assert mark.name == "parametrize"
    assert [parameter.values[0]["item"] for parameter in mark.args[1]] == items
