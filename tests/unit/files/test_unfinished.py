"""What killed processes leave behind is cleared; what a living one is at work on is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from biomech_id.files.atomic import whole_file, whole_folder
from biomech_id.files.unfinished import ABANDONED_S, clear_unfinished, is_unfinished, old_of, unfinished_of

WRITE_AND_DIE = """
import os, sys
from pathlib import Path
from biomech_id.files.unfinished import old_of, unfinished_of
root = Path(sys.argv[1])
for folder in (old_of(root / "ben"), unfinished_of(root / "ben"), old_of(root / "carl")):
    folder.mkdir()
    (folder / "manifest.json").write_text("{}")
unfinished_of(root / "verdicts.csv").write_text("half")
os._exit(1)
"""


@pytest.mark.skipif(os.name != "posix", reason="whether a process lives is not known here")
def test_what_a_dead_process_left_is_cleared_and_a_folder_gets_its_name_back(tmp_path: Path) -> None:
    (tmp_path / ".keep").write_text("mine", encoding="utf-8")
    (tmp_path / "carl").mkdir()
    subprocess.run([sys.executable, "-c", WRITE_AND_DIE, str(tmp_path)], check=False)
    assert len(list(tmp_path.iterdir())) == 6
    clear_unfinished(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".keep", "ben", "carl"]
    assert (tmp_path / "ben" / "manifest.json").is_file()


def test_what_a_living_process_is_at_work_on_stays(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "out") as part:
        (part / "cycles.csv").write_text("half", encoding="utf-8")
        clear_unfinished(tmp_path)
    assert (tmp_path / "out" / "cycles.csv").read_text(encoding="utf-8") == "half"


def test_another_machines_work_is_cleared_once_nobody_has_touched_it_for_long(tmp_path: Path) -> None:
    part = tmp_path / ".part-another1-77-0123abcd"
    part.mkdir()
    file = part / "cycles.csv"
    file.write_text("half", encoding="utf-8")
    long_ago = file.stat().st_mtime - 2 * ABANDONED_S
    os.utime(part, (long_ago, long_ago))
    clear_unfinished(tmp_path)
    # Its folder is old, but somebody is still writing into it.
    assert file.is_file()
    os.utime(file, (long_ago, long_ago))
    os.utime(part, (long_ago, long_ago))
    clear_unfinished(tmp_path)
    assert not part.exists()


def test_two_writers_of_one_name_do_not_meet(tmp_path: Path) -> None:
    names = {unfinished_of(tmp_path / "out").name for _ in range(20)}
    assert len(names) == 20
    assert all(map(is_unfinished, (*names, old_of(tmp_path / "a.b").name)))
    assert not any(map(is_unfinished, ("report.pdf", ".part-of-me", ".old-files", ".keep")))
    with whole_file(tmp_path / "a.csv") as first, whole_file(tmp_path / "a.csv") as second:
        assert first != second
        assert first.suffix == ".csv"
        first.write_text("first", encoding="utf-8")
        second.write_text("second", encoding="utf-8")
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]
