"""An earlier commit beside this checkout: its program, run with the same Python and the same packages."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
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


#: Reads one command a line, and runs each in a child of its own: what a program imports is imported once for all of them.
_SERVER = """
import importlib, json, os, sys
from contextlib import suppress
sys.path.insert(0, sys.argv.pop(1))
from biomech_id.cli import main
for name in sys.argv[1:]:
    with suppress(ImportError):
        importlib.import_module(name)
for line in sys.stdin:
    words, folder, *streams = json.loads(line)
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        for number, path in enumerate(streams):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
        sys.argv = ["-c", *words]
        sys.exit(main())
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
#: What commands need; a version that has none of a name imports what it needs itself.
_NEEDED = (
    "biomech_id.pipeline.stages", "biomech_id.pipeline.run", "biomech_id.report.book", "biomech_id.report.pdf",
    "biomech_id.pipeline.review_page", "biomech_id.judgement.check", "matplotlib.backends.backend_pdf", "fontTools.subset",
)  # fmt: skip


class Server:
    """``biomech-id`` of a checkout, ready to run one command after the other as `program` does; ends with whoever holds it."""

    def __init__(self, source: Path) -> None:
        words = [sys.executable, "-P", "-c", _SERVER, str(source), *_NEEDED]
        self._source, self._lock = source, threading.Lock()
        self._process = subprocess.Popen(
            words, env=environment(source), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def run(self, arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
        """Run one command in a folder."""
        with self._lock, tempfile.TemporaryDirectory() as place:
            streams = [os.devnull, f"{place}/out", f"{place}/err"]
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            print(json.dumps([list(arguments), str(folder), *streams]), file=self._process.stdin, flush=True)
            code = self._process.stdout.readline()
            if not code:
                raise RuntimeError(f"{self._source} runs no commands: {self._process.wait()}")
            texts = [Path(path).read_text(encoding="utf-8") for path in streams[1:]]
            return subprocess.CompletedProcess(list(arguments), int(code), *texts)


@cache
def server(source: Path) -> Server:
    """The one server of a checkout."""
    return Server(source)


def timed_program(source: Path, arguments: Sequence[str]) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run ``biomech-id`` of a checkout; return what became of it, and its processor time with all that it started, seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = program(source, arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
