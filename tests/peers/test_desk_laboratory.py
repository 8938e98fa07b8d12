"""The laboratory's screen in a real browser: charts, a norm of ticked visits, a version that does not verify; all as by hand."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.studies.desk_folders import DATA
from benchmarks.studies.desk_morning import hashes_below, opened_desk
from biomech_id.desk.archive import Archive
from biomech_id.desk.index import LookCache
from biomech_id.desk.versions import sign
from tests.peers.browser import browser

VISITS = ("P1/one", "P2/<img src=x onerror=alert(1)>", "P3/one")
RECORDINGS = ("static.c3d", "walk01.c3d")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three people whose results stand, of one run; the second one's signed report was changed."""
    root = tmp_path_factory.mktemp("laboratory") / "archive"
    desk = root.parent / "archive desk" / "visits"
    for number, visit in enumerate(VISITS):
        (root / visit).mkdir(parents=True)
        for name in RECORDINGS:
            shutil.copy(DATA / name, root / visit)
        results = desk / visit / "results"
        if number == 0:
            subprocess.run([sys.executable, "-m", "biomech_id", "run", str(root / visit), "-o", str(results)], check=True)
        else:
            shutil.copytree(desk / VISITS[0] / "results", results)
        summary, manifest = (json.loads((results / name).read_text()) for name in ("summary.json", "manifest.json"))
        summary["subject"] |= {"code": f"P{number}", "session_date": f"2026-01-0{number + 1}", "age_years": 20.0 + number}
        manifest["inputs"] = {name: hashlib.sha256(f"{visit} {name}".encode()).hexdigest() for name in manifest["inputs"]}
        (results / "summary.json").write_text(json.dumps(summary))
        manifest["outputs"]["summary.json"] = hashlib.sha256((results / "summary.json").read_bytes()).hexdigest()
        (results / "manifest.json").write_text(json.dumps(manifest))
        if number < 2:
            sign(desk / visit, name="Dr. A. Example", role="physician", statement="seen", seen=["all"])
    spoilt = desk / VISITS[1] / "versions" / "1" / "report.pdf"
    os.chmod(spoilt, 0o600)
    spoilt.write_bytes(b"%PDF another")
    return root


def by_hand(command: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "biomech_id", *shlex.split(command)[1:]], capture_output=True, check=False)


def test_the_laboratory(archive: Path, chromium: Any) -> None:
    before, desk, complained = hashes_below(archive), archive.parent / "archive desk", list[str]()
    with opened_desk(archive, chromium, complained) as (page, _):
        page.get_by_test_id("who").fill("M. Head")
        page.get_by_test_id("tab-laboratory").focus()
        page.keyboard.press("Enter")
        # What was never asked is asked by itself: plates over sessions, and signed versions; nothing is green that only learns.
        rows = page.get_by_test_id("plate-row")
        rows.first.wait_for()
        assert {(row.get_attribute("data-plate"), row.get_attribute("data-state")) for row in rows.all()} == {
            ("plate 1", "learns"),
            ("plate 2", "learns"),
        }
        assert page.get_by_test_id("measure-row").count() >= 4
        flaw = page.get_by_test_id("signature-flaw")
        flaw.wait_for()
        assert (flaw.count(), flaw.get_attribute("data-visit")) == (1, VISITS[1])
        assert "report.pdf of version 1" in flaw.inner_text()
        red = flaw.evaluate("(e) => getComputedStyle(e).color")
        assert red == page.locator(".bad").first.evaluate("(e) => getComputedStyle(e).color")
        assert page.get_by_test_id("signatures-hold").count() == 0
        page.get_by_test_id("lab-pdf").wait_for()
        # A norm of the ticked visits: dead until it has people and a name; who is in it is named afterwards.
        build = page.get_by_test_id("norm-build")
        assert build.is_disabled()
        for visit in VISITS[:2]:
            page.locator(f"[data-testid=norm-tick][data-visit='{visit}']").check()
        assert build.is_disabled()
        page.get_by_test_id("norm-name").fill("Adults 2026")
        page.locator("[data-testid=norm-build]:enabled").wait_for()
        typed = page.get_by_test_id("norm-command").inner_text()
        build.click()
        norm = page.get_by_test_id("norm-row")
        norm.wait_for()
        norm.locator("summary").click()
        who = page.get_by_test_id("norm-who")
        assert {each.get_attribute("data-visit") for each in who.all()} == set(VISITS[:2])
        assert "people: 2" in norm.inner_text()
        commands = {kind: page.get_by_test_id(f"{kind}-command").text_content() for kind in ("lab", "verify")}
        for size in ({"width": 1280, "height": 720}, {"width": 1920, "height": 1080}):
            page.set_viewport_size(size)
            assert page.locator("main").evaluate("(e) => e.scrollWidth - e.clientWidth") == 0
        page.get_by_test_id("language").select_option("de")
        page.get_by_role("heading", name="Kraftmessplatten und Messwerte, Messung für Messung").wait_for()
        assert complained == []
        # A norm that was built can be chosen for a visit.
        page.get_by_test_id("tab-today").click()
        page.locator(f"[data-testid=visit-row][data-visit='{VISITS[2]}']").get_by_test_id("open-visit").click()
        page.get_by_test_id("cure-norm-option").select_option(label="Adults 2026")
        page.get_by_test_id("command").filter(has_text="--norm").wait_for()
    assert hashes_below(archive) == before
    # The same by hand: byte for byte.
    logs = LookCache(Archive(archive).root, None).path.with_suffix("") / "laboratory"
    charts = (desk / "laboratory.pdf").read_bytes()
    assert by_hand(commands["lab"]).stdout == (logs / "lab.out").read_bytes()
    assert (desk / "laboratory.pdf").read_bytes() == charts
    assert by_hand(commands["verify"]).stdout == (logs / "verify.out").read_bytes()
    built = desk / "norms" / "Adults 2026.csv"
    assert shlex.split(typed)[-1] == json.loads((desk / "journal.jsonl").read_text())["command"].split()[-1]
    kept = built.read_bytes()
    built.unlink()
    by_hand(typed)
    assert built.read_bytes() == kept
