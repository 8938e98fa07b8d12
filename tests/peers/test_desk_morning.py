"""The technician's morning in a real browser: the study's table holds its gates, and one of its visits agrees with it today."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.studies import desk_kills, desk_morning
from benchmarks.studies.desk_folders import DATA, FOLDERS, Folder, virtual
from tests.peers.browser import browser

HOSTILE = "<img src=x onerror=alert(1)>"
#: Of the table: a visit with a decision and a second run.
SAMPLE = FOLDERS[:1]


def rows_of(table: Path) -> dict[str, list[str]]:
    """Cells of a study's table by the first of each row."""
    lines = [line.strip("| ") for line in table.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.split(" | ")] for line in lines[2:])}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


def test_the_tables_hold_their_gates() -> None:
    rows = rows_of(desk_morning.TABLE)
    assert list(rows) == [folder.visit for folder in FOLDERS]
    clicks = sorted(int(row[5]) for row in rows.values() if row[2] == "signed")
    assert clicks[len(clicks) // 2] <= desk_morning.MOST_CLICKS
    for visit, (_, _, end, _, right, _, typed, equal, untouched, elsewhere) in rows.items():
        assert (right, untouched, elsewhere) == ("yes", "yes", "0"), visit
        assert typed.endswith("(0)"), visit
        assert len(set(equal.split(" of "))) == 1, visit
        assert (equal == "none") == (end == "new"), visit
    ended, with_commands, *_, lost = map(int, rows_of(desk_kills.TABLE)["all"])
    assert (ended, with_commands, lost) == (30, 15, 0)


def test_a_visit_agrees_with_the_table(tmp_path: Path, chromium: Any) -> None:
    archive, asked, rows = tmp_path / "archive", list[str](), rows_of(desk_morning.TABLE)
    desk_morning.write_folders(archive, SAMPLE)
    with desk_morning.opened_desk(archive, chromium, asked) as (page, _):
        page.get_by_test_id("who").fill(desk_morning.WHO)
        for folder in SAMPLE:
            desk_morning.open_list(page)
            came = desk_morning.one_visit(page, folder, archive, asked)
            assert (came.wrong, asked) == ([], [])
            assert desk_morning.line(came).strip("| ").split(" | ")[1:] == rows[folder.visit]
        desk_morning.open_list(page)
        page.get_by_test_id("language").select_option("de")
        page.get_by_role("heading", name="Heute").wait_for()
        assert "#" not in page.url


def test_a_name_that_looks_like_markup_is_a_name(tmp_path: Path, chromium: Any) -> None:
    archive, asked = tmp_path / "archive", list[str]()
    folder = Folder(f"P1/{HOSTILE}", "", virtual("static", "walk01"))
    desk_morning.write_folders(archive, [folder])
    (archive / folder.visit / "cut.c3d").write_bytes((DATA / "walk02.c3d").read_bytes()[:600])
    with desk_morning.opened_desk(archive, chromium, asked) as (page, _):
        page.get_by_test_id("who").fill(HOSTILE)
        hand = desk_morning.Hand(page, desk_morning.Came(folder.visit, ""))
        hand.looked().get_by_test_id("open-visit").click()
        page.locator("[data-testid=file-leave-out][data-file='cut.c3d']").wait_for(state="attached")
        words = shlex.split(page.get_by_test_id("command").inner_text())
        assert words == ["biomech-id", "run", str(archive / folder.visit)]
    assert asked == []


@pytest.mark.parametrize("number", range(len(desk_kills.STREAMS)))
def test_a_desk_that_is_killed_agrees_with_the_table(tmp_path: Path, number: int) -> None:
    came = desk_kills.ended(desk_kills.write_archive(tmp_path), number)
    assert came.wrong == []
