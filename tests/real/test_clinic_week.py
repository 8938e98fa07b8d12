"""A sample of ``benchmarks.studies.clinic_week``, whose table lies beside it and stands in the docs: one session and its fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.studies.clinic_week import OUTCOMES, TABLE, WEEK, line, week

ROOT = Path(__file__).resolve().parents[2]


def rows() -> list[str]:
    return [row for row in TABLE.read_text(encoding="utf-8").splitlines() if row.startswith("| ")][2:]


def test_the_table_has_every_session_of_the_week_and_the_docs_have_the_table() -> None:
    assert [row.split(" | ")[:2] for row in rows()] == [[f"| {visit.name}", visit.fault or "as it is"] for visit in WEEK]
    assert len(WEEK) == 20
    page = (ROOT / "docs" / "intended-use.md").read_text(encoding="utf-8")
    sums = TABLE.read_text(encoding="utf-8").splitlines()[2]
    assert [text for text in (sums, *rows()) if text not in page] == []


def test_nothing_of_the_week_is_wrong() -> None:
    wrong = 5 + OUTCOMES.index("wrong")
    assert [row for row in rows() if row.strip("| ").split(" | ")[wrong] != "0"] == []


@pytest.mark.real
@pytest.mark.slow
def test_a_session_and_its_fault_come_out_as_the_table_says(shared_dir: Path) -> None:
    visits = [visit for visit in WEEK if visit.name == "HC031A"]
    assert [line(came) for came in week(shared_dir / "c3d", visits)] == [row for row in rows() if row.startswith("| HC031A")]
