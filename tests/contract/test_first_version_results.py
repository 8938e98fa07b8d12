"""Results that the first version wrote (schema 1) are read by this one: drawn again, compared, made into a norm, and reproduced as
far as that goes. The folder is made by the first version itself, taken from the project's history."""

from __future__ import annotations

import json
import shutil
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pypdf
import pytest

import biomech_id as bid
from benchmarks.before import ROOT, program
from benchmarks.differences import NUMBERS, numbers

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def first(first_version: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of the virtual subject as the first version wrote them."""
    out = tmp_path_factory.mktemp("first") / "results"
    done = program(first_version, ["run", str(ROOT / "data"), "-o", str(out)])
    assert done.returncode == 0, done.stderr
    assert json.loads((out / "summary.json").read_text(encoding="utf-8"))["schema"] == 1
    return out


def ours(*words: str) -> subprocess.CompletedProcess[str]:
    return program(ROOT, words)


def test_the_report_is_drawn_again_and_the_numbers_stay(first: Path, tmp_path: Path) -> None:
    shutil.copytree(first, tmp_path / "ours")
    (tmp_path / "ours" / "report.pdf").unlink()
    done = ours("report", str(tmp_path / "ours"))
    assert done.returncode == 0, done.stderr
    assert len(pypdf.PdfReader(tmp_path / "ours" / "report.pdf").pages) > 10
    assert numbers(first, tmp_path / "ours") == []


def test_it_is_compared(first: Path, tmp_path: Path) -> None:
    assert ours("run", str(ROOT / "data"), "-o", str(tmp_path / "new"), "--no-report").returncode == 0
    done = ours("compare", str(first), str(tmp_path / "new"), "-o", str(tmp_path / "compare.pdf"))
    assert done.returncode == 3, done.stderr
    assert "A does not say its hip centre: whether it may be compared cannot be checked" in done.stderr
    assert "A does not say its bandwidth of the plates: whether it may be compared cannot be checked" in done.stderr
    assert (tmp_path / "compare.pdf").stat().st_size > 50_000


def test_a_norm_is_made_of_it(first: Path, tmp_path: Path) -> None:
    done = ours("norm", str(first), "-o", str(tmp_path / "norm.csv"))
    assert done.returncode in (0, 3), done.stderr
    assert "does not say its hip centre nor its bandwidth of the plates" in done.stderr
    assert "KneeAngles" in (tmp_path / "norm.csv").read_text(encoding="utf-8")


def test_it_is_read_as_values(first: Path) -> None:
    tables = bid.read_folder(first)
    assert set(tables.frames) == {"walk01", "walk02", "walk03", "turn01"}
    assert len(tables.cycles)


def test_reproduce_says_what_differs_and_nothing_else(first: Path) -> None:
    done = ours("reproduce", str(first / "manifest.json"), "--input", str(ROOT / "data"))
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    said = (done.stdout + done.stderr).splitlines()
    # What is new since is named: schema and version, columns, keys and verdicts. No number is.
    of_numbers = [line for line in said if any(fnmatchcase(line.strip().partition(":")[0], table) for table in NUMBERS)]
    old = [line for line in of_numbers if "calibration.json" not in line and not line.endswith(": other columns")]
    # Curves of cycles are more by one variable, the pitch of either foot from the floor: 20 cycles of 101 rows.
    assert old == ["  cycles.csv: 54540 rows against 56560"], said
