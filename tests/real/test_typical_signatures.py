"""Asking by typical signatures tells what asking for every signature does, but for what the study's table names."""

from __future__ import annotations

from itertools import islice

import pytest

from benchmarks.studies.typical_signatures import TABLE, Asked, cases, table, text
from benchmarks.studies.untouched_walks import untouched_walks
from biomech_id.judgement.diagnosis.typical import typical_table

pytestmark = pytest.mark.real


def test_a_child_is_told_the_same_by_typical_signatures_of_the_others() -> None:
    person, session = next(islice(untouched_walks(), 3, None))
    made = [*cases(person, session, faults=2)]
    assert [bool(case.fault) for case in made] == [False, True, True]
    differing = TABLE.read_text(encoding="utf-8").rsplit("First cause differs: ", 1)[1].rstrip(".\n").split("; ")
    assert made[0].first
    assert all(case.first or case.fault in differing for case in made[1:])
    assert any(case.told for case in made)


def test_the_shipped_signatures_are_those_of_the_walks() -> None:
    made, shipped = table(), typical_table()
    assert {cause: set(adds) for cause, adds in made.items()} == {cause: set(adds) for cause, adds in shipped.items()}
    for cause, adds in made.items():
        # Three digits are written.
        assert shipped[cause] == pytest.approx(adds, rel=0.006)


def test_a_cause_that_is_missed_stands_in_the_table() -> None:
    missed = Asked("LKNE forward, whole", False, False, True, 0.3, 1.5)
    assert "| with a cause | 1 | 1 | 1 | 1 | 0.30 | 1.50 |" in text([Asked("", True, True, False, 0.2, 1.4), missed])
    assert text([Asked("", True, True, False, 0.2, 1.4), missed]).endswith("First cause differs: LKNE forward, whole.\n")
