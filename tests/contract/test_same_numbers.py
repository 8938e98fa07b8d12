"""The first version's numbers, tables and pages stay what they were, to the byte, but for the named changes.

The earlier program is taken from the project's history and run beside this one on the same recordings, so that nothing depends on
the machine. A copy without history skips and says so.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pypdf
import pytest

from benchmarks.before import ROOT, program
from benchmarks.same_results import compared, differences

pytestmark = pytest.mark.slow
VIRTUAL = ["virtual", "virtual-vicon", "virtual-six-dof"]


@pytest.mark.parametrize("name", VIRTUAL)
def test_the_virtual_subject_is_as_in_the_first_version(first_version: Path, name: str) -> None:
    assert compared(first_version, [name]) == {name: []}


@pytest.mark.real
def test_children_are_as_in_the_first_version(first_version: Path, shared_dir: Path) -> None:
    children = sorted(path.name for path in (shared_dir / "c3d" / "children").glob("*/"))
    assert children
    found = compared(first_version, [*children, f"{children[0]}-vicon", f"{children[0]}-six-dof"])
    assert len(found) == len(children) + 2
    assert found == {name: [] for name in found}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("results") / "out"
    assert program(ROOT, ["run", str(ROOT / "data"), "-o", str(out)]).returncode == 0
    return out


@pytest.mark.parametrize("file", ["peaks.csv", "summary.json", "report.pdf", "trials/walk01.csv"])
def test_one_changed_digit_is_seen(results: Path, tmp_path: Path, file: str) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(results, changed)
    assert differences(results, changed) == []
    if file.endswith(".pdf"):
        pages = pypdf.PdfWriter(clone_from=changed / file)
        pages.pages[3].rotate(180)
        pages.pages[3].transfer_rotation_to_content()
        pages.write(changed / file)
    else:
        text = (changed / file).read_text(encoding="utf-8")
        at = max(i for i, letter in enumerate(text) if letter.isdigit())
        (changed / file).write_text(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :], encoding="utf-8")
    assert [line.partition(":")[0] for line in differences(results, changed)] == [file]
