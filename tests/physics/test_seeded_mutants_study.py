"""Seeded mistakes: the study's list holds its gates, its rows are of today's code, and a few die as it says."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

pytest.importorskip("resource")  # which limits the processor time of a mutant; Windows has none
from benchmarks.studies import seeded_mutants as study
from benchmarks.studies.seeded_mutants import SURVIVED, Mutant

MUTANTS = study.read_list()
#: Rows of the sample, from 0: a mistake of dynamics, one of multibody and one of judgement.
SAMPLE = (0, 13, 34)


def test_every_mistake_dies_and_what_is_none_says_why() -> None:
    assert len(MUTANTS) == study.N_PHYSICS + study.N_JUDGEMENT
    assert [mutant.died_by for mutant in MUTANTS if not mutant.same_because and mutant.died_by in ("", SURVIVED)] == []
    assert all(mutant.died_by == SURVIVED for mutant in MUTANTS if mutant.same_because)
    assert study.page(MUTANTS) == study.TABLE.read_text(encoding="utf-8")


def test_a_mistake_is_where_its_row_says_and_nowhere_else() -> None:
    source = "def f(a, b):\n    c = a - b\n    return (a - b) * 2.0\n"
    mutant = Mutant("", "f", "operator", "a - b", "a + b", 1)
    assert ast.unparse(ast.parse(study.mutated(source, mutant))) == "def f(a, b):\n    c = a - b\n    return (a + b) * 2.0"
    with pytest.raises(LookupError, match="any more"):
        study.mutated(source.replace("-", "+"), mutant)


@pytest.mark.slow
def test_a_sample_dies_as_the_table_says(tmp_path: Path) -> None:
    study.copy_package(tmp_path)
    for mutant in (MUTANTS[number] for number in SAMPLE):
        assert study.failed_test(tmp_path, [mutant.died_by]) == ""
        assert study.outcome(tmp_path, mutant, [[mutant.died_by]]) == mutant.died_by
