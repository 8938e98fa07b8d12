"""The library on other systems, as far as one system can show it: names as Windows writes them, no fork, no POSIX modules.

Windows and macOS have no continuous integration here. What differs there is simulated where the code meets it.
"""

from __future__ import annotations

import ast
import multiprocessing
import ntpath
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

import biomech_id as bid
from tests.parsed import parsed

ROOT = Path(__file__).resolve().parents[2]
#: What Windows does not have; an import of one, or a call, must be inside a try or behind a question.
POSIX_ONLY = ("resource", "fcntl", "pwd", "grp", "termios")
#: A run in a process that has neither fork nor any of POSIX's own modules, as on Windows.
WITHOUT_POSIX = f"""
import sys, os, signal, multiprocessing
for name in {POSIX_ONLY!r}:
    sys.modules[name] = None
def never(*_):
    raise OSError("there is no fork here")
os.fork = never
for name in ("SIGKILL", "SIGSTOP", "SIGALRM", "SIGHUP"):
    if hasattr(signal, name):
        delattr(signal, name)
for name in ("geteuid", "getpgid", "killpg", "setsid", "statvfs", "sched_getaffinity"):
    if hasattr(os, name):
        delattr(os, name)
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn", force=True)
    from biomech_id.cli import main
    sys.argv = ["biomech-id", *sys.argv[1:]]
    main()
"""


def typed(script: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(script), *words], capture_output=True, text=True, check=False, cwd=cwd)


@pytest.mark.slow
def test_the_main_job_and_a_batch_run_without_fork_and_without_posix(tmp_path: Path) -> None:
    """Two folders whose names have blanks and letters beyond ASCII, read in the sandbox, by workers that are spawned."""
    script = tmp_path / "windows.py"
    script.write_text(WITHOUT_POSIX, encoding="utf-8")
    for name in ("Änne Müller", "bo (2)"):
        folder = tmp_path / "study" / name
        folder.mkdir(parents=True)
        for file in ("static.c3d", "walk02.c3d"):
            shutil.copy(ROOT / "data" / file, folder / file.replace(".c3d", ".C3D"))
    done = typed(script, "batch", "study", "-o", "out", "--workers", "2", "--warnings-ok", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("Änne Müller", "bo (2)"):
        assert (tmp_path / "out" / name / "report.pdf").stat().st_size > 10_000


def test_what_is_not_there_is_seen_as_not_there(tmp_path: Path) -> None:
    script = tmp_path / "windows.py"
    script.write_text(WITHOUT_POSIX.replace("from biomech_id.cli import main", "import os; os.fork()"), encoding="utf-8")
    done = typed(script, cwd=tmp_path)
    assert done.returncode == 1
    assert "there is no fork here" in done.stderr


def unguarded(source: str) -> list[str]:
    """Imports of POSIX's own modules that nothing catches."""
    tree = parsed(source)
    inside = {id(node) for each in ast.walk(tree) if isinstance(each, ast.Try) for node in ast.walk(each)}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in inside]
    names = [alias.name for node in found for alias in node.names] + [
        node.module or "" for node in found if isinstance(node, ast.ImportFrom)
    ]
    return sorted({name for name in names if name.partition(".")[0] in POSIX_ONLY})


def test_no_module_of_posix_alone_is_imported_without_a_way_out() -> None:
    found = {path: unguarded(path.read_text(encoding="utf-8")) for path in (ROOT / "biomech_id").rglob("*.py")}
    assert {path: imported for path, imported in found.items() if imported} == {}
    assert unguarded("import resource") == ["resource"]
    assert unguarded("try:\n    import fcntl\nexcept ImportError:\n    fcntl = None") == []


@pytest.mark.parametrize("name", [r"C:\lab\Änne\walk01.c3d", r"\\server\gait\walk01.c3d", r"D:walk01.c3d"])
def test_a_file_that_windows_names_is_read_by_that_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here a backslash is a letter of a name: the file is found, and every sentence, key and table has the whole name, uncut."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "data" / "walk02.c3d", tmp_path / name)
    trial = bid.read_c3d(name)
    assert trial.name == Path(name).stem
    assert ntpath.basename(trial.name + ".c3d") == PureWindowsPath(name).name
    bid.write(trial, tmp_path / "out.c3d")
    assert bid.read_c3d(tmp_path / "out.c3d").n_frames == trial.n_frames


def test_spawn_is_what_a_batch_asks_for_where_there_is_no_fork() -> None:
    assert "spawn" in multiprocessing.get_all_start_methods()
    asked = [line for path in (ROOT / "biomech_id").rglob("*.py") for line in path.read_text(encoding="utf-8").splitlines()
             if re.search(r"get_context\(\s*['\"]fork", line) or re.search(r"\bos\.fork\(", line)]  # fmt: skip
    assert asked == [], os.name
