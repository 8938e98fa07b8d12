"""The first version's numbers stay what they were, to the byte, but for the named exceptions.

The earlier program is taken from the project's history and run beside this one on the same recordings, so that nothing depends on
the machine. A copy without history skips and says so. What is compared: the tables of numbers and the calibration
(`benchmarks.same_results`). Verdicts, sentences and pages have tests of their own.
"""

from __future__ import annotations

import re
import shutil
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import pytest

from benchmarks.before import ROOT, program
from benchmarks.same_results import compared, differences

pytestmark = pytest.mark.slow
VIRTUAL = ["virtual", "virtual-vicon", "virtual-six-dof"]


class Changed(NamedTuple):
    """A number that was changed on purpose, as its line in the changelog ("Scientific changes") says."""

    #: Of lines "session/file row or column: ...", as the test prints them; * stands for anything.
    pattern: str
    #: Issue and case, and why, in one line.
    reason: str


#: One row for each change; a row that nothing needs any more fails the test that would have needed it.
EXCEPTIONS: tuple[Changed, ...] = (
    Changed(
        "HC036A/*HC036A23*",
        "issue V, events of patients: the one trial without stored events, a turn; its marker events move by up to 23 ms",
    ),
    Changed("*/uncertainty.csv *", "issue R, soft tissue that moves, markers one by one: other errors, so other bands"),
)


def unexplained(found: dict[str, list[str]]) -> list[str]:
    """Lines that no exception explains, and exceptions for these sessions that explain nothing."""
    lines = [f"{session}/{line}" for session, differing in found.items() for line in differing]
    mine = [each for each in EXCEPTIONS if any(fnmatchcase(name, each.pattern.partition("/")[0]) for name in found)]
    stale = [f"no longer needed: {each.pattern}" for each in mine if not any(fnmatchcase(x, each.pattern) for x in lines)]
    return [x for x in lines if not any(fnmatchcase(x, each.pattern) for each in mine)] + stale


@pytest.mark.parametrize("name", VIRTUAL)
def test_the_virtual_subject_is_as_in_the_first_version(first_version: Path, name: str) -> None:
    assert unexplained(compared(first_version, [name])) == []


@pytest.mark.real
def test_children_are_as_in_the_first_version(first_version: Path, shared_dir: Path, tmp_path: Path) -> None:
    """Their markers are smooth: the first version left the plates alone, as the recipe can still ask for and vicon kinetics do."""
    children = sorted(path.name for path in (shared_dir / "c3d" / "children").glob("*/"))
    assert children
    raw = tmp_path / "raw.toml"
    raw.write_text('[filter]\nplate_cutoff_hz = "raw"\n', encoding="utf-8")
    found = compared(first_version, children, ["--recipe", str(raw)])
    # Where the marker set is named, no further markers help to follow segments.
    named = tmp_path / "named.toml"
    named.write_text(raw.read_text(encoding="utf-8") + '[model]\nmarker_set = "plug-in-gait-sacrum"\n', encoding="utf-8")
    found |= compared(first_version, [f"{children[0]}-six-dof"], ["--recipe", str(named)])
    found |= compared(first_version, [f"{children[0]}-vicon"])
    assert len(found) == len(children) + 2
    assert unexplained(found) == []


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("results") / "out"
    assert program(ROOT, ["run", str(ROOT / "data"), "-o", str(out)]).returncode == 0
    return out


@pytest.mark.parametrize("file", ["peaks.csv", "budget.csv", "calibration.json", "trials/walk01.csv"])
def test_one_changed_digit_is_seen(results: Path, tmp_path: Path, file: str) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(results, changed)
    assert differences(results, changed) == []
    text = (changed / file).read_text(encoding="utf-8")
    # In a calibration many digits are of words: one that ends a line is of a number.
    at = max(found.start() for found in re.finditer(r"\d(?=,?\n)" if file.endswith(".json") else r"\d", text))
    (changed / file).write_text(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :], encoding="utf-8")
    assert [line.partition(" ")[0] for line in differences(results, changed)] == [file]


def test_rows_that_come_or_go_are_named(results: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(results, changed)
    header, *rows = (results / "spatiotemporal.csv").read_text(encoding="utf-8").splitlines()
    trial, side, cycle, parameter = rows[-1].split(",")[:4]
    (changed / "spatiotemporal.csv").write_text("\n".join([header, *rows[:-1]]) + "\n", encoding="utf-8")
    gone, back = differences(results, changed), differences(changed, results)
    assert len(gone) == len(back) == 1
    assert gone[0].startswith(f"spatiotemporal.csv {trial} {side} {cycle} {parameter}: ")


def test_what_no_exception_explains_is_left_and_what_explains_nothing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (Changed("HC*/cycles.csv * L 2 *", "case 1: refused"), Changed("HC*/peaks.csv *", "case 2: not needed"))
    monkeypatch.setattr(sys.modules[__name__], "EXCEPTIONS", rows)
    found = {"HC001": ["cycles.csv walk L 2 HipMoment X: 1 -> 2", "cycles.csv walk R 1 HipMoment X: 1 -> 2"], "HC002": []}
    assert unexplained(found) == ["HC001/cycles.csv walk R 1 HipMoment X: 1 -> 2", "no longer needed: HC*/peaks.csv *"]
