"""The technician's morning in a real browser, by clicks alone: cure, run, review, run again, sign; and nothing else is touched."""

from __future__ import annotations

import filecmp
import hashlib
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from biomech_id.desk.versions import flaws_of, signatures_of
from tests.peers.browser import browser

DATA = Path(__file__).parents[2] / "data"
HOSTILE = "<img src=x onerror=alert(1)>"
#: What somebody does between opening the list and the signature of one visit, without its cures.
MOST_CLICKS = 15


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """One visit that is ready, under a hostile name; one with two statics and a file that was cut."""
    root = tmp_path / "archive"
    for visit in (f"P1/{HOSTILE}", "P2/v1"):
        (root / visit).mkdir(parents=True)
        for name in ("static.c3d", "walk01.c3d"):
            shutil.copy(DATA / name, root / visit)
    shutil.copy(DATA / "static.c3d", root / "P2" / "v1" / "standing.c3d")
    (root / "P2" / "v1" / "walk02.c3d").write_bytes((DATA / "walk02.c3d").read_bytes()[:600])
    return root


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@contextmanager
def opened_desk(archive: Path, chromium: Any) -> Iterator[tuple[Any, subprocess.Popen[str], list[str], list[str]]]:
    """A page of a desk, its process, and what the page asked for and complained of."""
    command = [sys.executable, "-m", "biomech_id", "desk", str(archive), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        name, link = process.stdout.readline().split()
        assert name == "desk:"
        context = chromium.new_context(viewport={"width": 1280, "height": 720})
        page = context.new_page()
        page.set_default_timeout(180_000)
        asked, complained = list[str](), list[str]()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: complained.append(str(error)))
        page.on("dialog", lambda dialog: complained.append(dialog.message))
        page.goto(link)
        yield page, process, asked, complained
        context.close()
        own = f"{urlsplit(link).hostname}:{urlsplit(link).port}"
        assert {urlsplit(url).netloc for url in asked if url.startswith(("http", "ws"))} == {own}
        assert complained == []
        assert "#" not in page.url
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def row_of(page: Any, visit: str) -> Any:
    return page.locator(f"[data-testid=visit-row][data-visit='{visit}']")


def at_stage(page: Any, visit: str, stage: str) -> Any:
    row = page.locator(f"[data-testid=visit-row][data-visit='{visit}'][data-stage={stage}]")
    row.wait_for()
    return row


def test_a_morning(archive: Path, chromium: Any) -> None:
    before, desk, clicks = contents(archive), archive.parent / "archive desk", 0

    def click(control: Any) -> None:
        nonlocal clicks
        clicks += 1
        control.click()

    first = f"P1/{HOSTILE}"
    with opened_desk(archive, chromium) as (page, process, _, _):
        # Everything is looked at, and nothing is green that has something open.
        page.get_by_test_id("who").fill("M. Technician")
        for visit in (first, "P2/v1"):
            row_of(page, visit).get_by_test_id("layer-kinematics").wait_for()
        assert row_of(page, "P2/v1").get_by_test_id("action-run").is_disabled()
        # Cures: the static trial, and a file that was cut.
        row_of(page, "P2/v1").get_by_test_id("open-cure-static").click()
        page.locator("[data-testid=cure-static-option][value=standing]").click()
        page.get_by_test_id("cure-unreadable-leave-out").wait_for()
        page.locator("[data-testid=cure-unreadable-leave-out][data-file='walk02.c3d']").click()
        row_of(page, "P2/v1").locator("[data-testid=action-run]:enabled").wait_for()
        command = page.get_by_test_id("command").filter(has_text="walk02.c3d")
        command.wait_for()
        typed = command.inner_text()
        assert shlex.split(typed)[3:] == ["--static", "standing", "--exclude", "walk02.c3d"]
        # Run all; a desk that is killed meanwhile loses nothing.
        page.get_by_test_id("run-all").click()
        at_stage(page, first, "review")
        process.kill()
        process.wait()
    with opened_desk(archive, chromium) as (page, _, _, _):
        page.get_by_test_id("who").fill("M. Technician")
        at_stage(page, first, "review")
        # Review: an event is moved, kept on the disk before the page says so, and followed by the next run.
        click(row_of(page, first).get_by_test_id("action-review"))
        page.wait_for_selector("html[data-shown]", state="attached")
        click(page.get_by_test_id("tab-events"))
        click(page.locator("[data-decide$='+1']:visible").first)
        page.locator("[data-testid=save-state][data-state=saved]").wait_for()
        page.locator("[data-testid=rerun]:enabled").wait_for()
        folder = desk / "visits" / first
        (decided,) = tomllib.loads((folder / "review.toml").read_text())["event"]
        assert decided["author"] == "M. Technician"
        click(page.get_by_test_id("rerun"))
        page.get_by_test_id("change-row").first.wait_for()
        click(page.get_by_test_id("to-sign"))
        # Sign: dead until everything is said.
        button = page.get_by_test_id("sign-button")
        button.wait_for()
        assert button.is_disabled()
        page.get_by_test_id("sign-name").fill("Dr. A. Example")
        page.get_by_test_id("sign-name").press("Enter")
        page.get_by_test_id("sign-role").select_option("physician")
        assert button.is_disabled()
        for tick in page.get_by_test_id("sign-see").all():
            click(tick)
        click(page.get_by_test_id("sign-seen"))
        click(button)
        page.get_by_test_id("signed-version").wait_for()
        assert at_stage(page, first, "signed").get_by_text("version 1").count() == 1
        (entry,) = signatures_of(folder / "versions")
        assert page.get_by_test_id("signed-version").get_attribute("data-code") == entry.code
        assert list(flaws_of(folder / "versions")) == []
        page.get_by_test_id("language").select_option("de")
        page.get_by_role("heading", name="Heute").wait_for()
    assert clicks <= MOST_CLICKS
    assert contents(archive) == before
    # The same by hand: byte for byte.
    by_hand = archive.parent / "by hand"
    subprocess.run([sys.executable, "-m", *run_by_hand(typed), "-o", str(by_hand)], check=False)
    results = desk / "visits" / "P2" / "v1" / "results"
    if results.is_dir():  # the desk was killed while this one was run, or before
        names = [str(path.relative_to(results)) for path in results.rglob("*") if path.is_file()]
        assert filecmp.cmpfiles(results, by_hand, names, shallow=False) == (names, [], [])


def run_by_hand(typed: str) -> list[str]:
    words = shlex.split(typed)
    return ["biomech_id", *words[1:]]
