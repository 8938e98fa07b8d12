"""A sample of the study `benchmarks.studies.mutated_opensim`: what its table says of a mutated file is what the command does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.studies.mutated_opensim import SETUPS, TABLE, answers, case_of, contradicts, run, untouched
from benchmarks.studies.mutated_opensim_kinds import KINDS
from benchmarks.studies.mutated_opensim_second import SECOND
from benchmarks.studies.mutated_opensim_unseen import UNSEEN

pytestmark = pytest.mark.slow

#: Every which case is run, about forty.
STEP = 61


def test_a_mutated_file_is_answered_as_the_table_says(tmp_path: Path, shared_dir: Path) -> None:
    page = TABLE.read_text(encoding="utf-8")
    told = list(answers(tmp_path, STEP))
    assert len(told) > 20
    assert [(each.kind.part, each.kind.name, each.case, each.outcome) for each in told if contradicts(each, page)] == []


def test_the_table_has_every_kind_and_no_crash() -> None:
    page = TABLE.read_text(encoding="utf-8")
    assert all(f"| {each.part} | {each.name} |" in page for each in (*KINDS, *SECOND, *UNSEEN))
    assert page.count("| crash | 0 |") == 2
    seen, unseen = re.findall(r"(\d+) cases of (\d+) kinds", page)
    assert int(seen[0]) > 1000
    assert int(unseen[1]) > 60


@pytest.mark.parametrize(("tool", "name"), [(tool, name) for tool, setups in SETUPS.items() for name, _ in setups])
def test_untouched_setups_have_no_word_about_their_input(tool: str, name: str, tmp_path: Path, shared_dir: Path) -> None:
    setup = dict(SETUPS[tool])[name]
    outcome = run(case_of(tool, name, setup), tmp_path / "untouched")
    usual = (" written", "fit the markers as well.")
    assert [line for line in outcome.lines if not line.endswith(usual)] == []
    assert shared_dir / "opensim_refs" / name / setup in set(untouched())
