"""How many pages reports and comparisons have: the table of every session keeps its limits, and a sample agrees with it."""

from __future__ import annotations

import re

import pytest
from sessions import Sessions

from benchmarks.studies.page_counts import MOST, MOST_COMPARED, OPTIONAL, TABLE, compared, compared_line, report_of

pytestmark = pytest.mark.slow

#: One of each kind; nothing of the first could be analysed.
SESSIONS = ("pycgm", "children/HC002D", "helen_hayes", "drop_jump")


def rows() -> list[list[str]]:
    """Cells of every row of both tables."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [row for row in cells if re.fullmatch(r"\d+|refused|-", row[-1])]


def test_the_table_keeps_its_limits_for_every_session_that_runs(sessions: Sessions) -> None:
    reports = [row for row in rows() if len(row) == 5]
    for name, alone, beside, optional, most in reports:
        models = [] if optional == "-" else optional.split(", ")
        assert set(models) <= OPTIONAL, name
        assert int(most) == MOST + len(models), name
        assert max(int(pages) for pages in (alone, beside) if pages != "-") <= int(most), name
    own = {name for name in sessions if not name.startswith("own/")}
    assert {name for name, *_ in reports} <= own
    assert [name for name in own - {name for name, *_ in reports} if sessions[name].ran] == []


def test_the_table_keeps_its_limits_for_every_comparison() -> None:
    comparisons = [row for row in rows() if len(row) == 3]
    assert {int(number) for number, *_ in comparisons} == set(MOST_COMPARED)
    assert len(comparisons) > 30
    for number, names, pages in comparisons:
        assert len(names.split(", ")) == int(number)
        assert pages == "refused" or int(pages) <= MOST_COMPARED[int(number)], names


@pytest.mark.parametrize("name", SESSIONS)
def test_a_report_has_the_pages_that_stand_in_the_table(sessions: Sessions, name: str) -> None:
    drawn = report_of(name, sessions[name].tables, None)
    (row,) = [row for row in rows() if row[0] == name and len(row) == 5]
    assert (str(drawn.alone), ", ".join(drawn.optional) or "-") == (row[1], row[3])
    assert not drawn.beyond


@pytest.mark.parametrize("number", MOST_COMPARED)
def test_a_comparison_has_the_pages_that_stand_in_the_table(sessions: Sessions, number: int) -> None:
    """Of the norm's people, who are recorded alike."""
    names = tuple(name for name in sessions if name.startswith("norm_subjects/"))[:number]
    drawn = compared({name: sessions[name].tables for name in names}, names)
    assert compared_line(drawn) in TABLE.read_text(encoding="utf-8").splitlines()
    assert not drawn.beyond
