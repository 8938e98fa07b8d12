"""An earlier commit beside this checkout: its program, run with the same Python and the same packages."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The first version, as its users have it.
FIRST_VERSION = "8730afa"
#: Not ``-m``: the folder of the checkout comes first, whatever is installed.
_PROGRAM = "import sys; sys.path.insert(0, sys.argv.pop(1)); from biomech_id.cli import main; main()"


class NoHistoryError(Exception):
    """This copy of the project has no history to take the commit from: no repository, or a clone that was told to leave it out."""


@contextmanager
def checkout(commit: str = FIRST_VERSION) -> Iterator[Path]:
    """Yield a folder that holds the project as of a commit; it is gone afterwards.

    Raises
    ------
    NoHistoryError
        No git, no repository, or a clone without its history. A complete repository without the commit is another matter.
    """
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "before"
        archive = Path(parent) / "before.tar"
        folder.mkdir()
        _git(commit, "archive", "-o", str(archive), commit)
        subprocess.run(["tar", "-xf", str(archive), "-C", str(folder)], check=True)
        yield folder


def full_id(commit: str) -> str:
    """The forty digits of a commit; raises as `checkout` does."""
    return _git(commit, "rev-parse", "--verify", f"{commit}^{{commit}}").strip()


def _git(commit: str, *words: str) -> str:
    try:
        return subprocess.run(["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        if _complete():
            raise
        raise NoHistoryError(f"this copy of the project does not hold commit {commit}") from error


def _complete() -> bool:
    """Whether this is a repository with all of its history."""
    try:
        words = ["git", "-C", str(ROOT), "rev-parse", "--is-shallow-repository"]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip() == "false"
    except (OSError, subprocess.CalledProcessError):
        return False


def environment(source: Path) -> Mapping[str, str]:
    """The environment in which a checkout's own library is imported, with one thread for arithmetic."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **threads, "PYTHONPATH": str(source)}


def program(source: Path, arguments: Sequence[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``biomech-id`` of a checkout, in a folder or else in the checkout's own."""
    words = [sys.executable, "-P", "-c", _PROGRAM, str(source), *arguments]
    return subprocess.run(words, env=environment(source), cwd=folder or source, capture_output=True, text=True, check=False)


def timed_program(source: Path, arguments: Sequence[str]) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run ``biomech-id`` of a checkout; return what became of it, and its processor time with all that it started, seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = program(source, arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
