"""Commands at work: one process of the operating system each, started as its very command line, one after the other or several."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from biomech_id.values import dataclass, field

#: Kinds of tasks, the most urgent first: looks wait behind runs.
URGENCY = {"run": 0, "page": 1, "compare": 2, "export": 2, "norm": 2, "lab": 3, "verify": 3, "look": 4}
#: How long (s) a command that was asked to end may take to clear up.
CLEARING_S = 10.0
#: How often (s) a log is read.
READING_S = 0.1
#: Exit codes of a command that did its work.
_DID = {"look": (0, 1, 3), "verify": (0, 1)}
_DONE = (0, 3)
#: Commands that tell how far they are.
TELLING_COMMANDS = ("run", "check", "review", "compare", "norm")
_THREADS = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass
class Task:
    """One command, waiting, at work or ended.

    Attributes
    ----------
    number : int
        Counted from 1.
    kind : str
        One of `URGENCY`.
    visit : str
        Identifier of the visit; "" where it is about several.
    words : tuple[str, ...]
        What stands behind ``biomech-id`` on the command line.
    logs : Path
        Folder where its output is kept.
    state : str
        "waits", "runs", "ending", "done", "failed" or "cancelled".
    stage, trial : str
        How far it is, as it says itself.
    share : float
        Part of the command that is done, 0 to 1.
    code : int | None
        Exit code of the command; None until it has ended.
    taken_s : float
        How long it took.
    process : int
        Number of its process, 0 before it has one.
    """

    number: int
    kind: str
    visit: str
    words: tuple[str, ...]
    logs: Path
    state: str = "waits"
    stage: str = ""
    trial: str = ""
    share: float = 0.0
    code: int | None = None
    taken_s: float = 0.0
    process: int = 0
    aside: list[str] = field(default_factory=list)

    @property
    def output(self) -> Path:
        """File of its standard output."""
        return self.logs / f"{self.kind}.out"

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self.state in ("done", "failed", "cancelled")

    def to_dict(self) -> dict[str, Any]:
        """Return it as the page has it."""
        plain = {name: getattr(self, name) for name in ("number", "kind", "visit", "state", "stage", "trial", "share", "code")}
        return {**plain, "lines": self.aside[-12:], "taken_s": round(self.taken_s, 1)}


class Queue:
    """Tasks in the order of their urgency, some at a time.

    Parameters
    ----------
    tell : Callable[[Task], None]
        Told of every change of a task, from the thread that it is worked on in.
    ended : Callable[[Task, str], str]
        Called with a task and its outcome once its process is over, returns the outcome that stands; until then it is at work.
    workers : int
        How many at a time.
    """

    def __init__(self, tell: Callable[[Task], None], ended: Callable[[Task, str], str], workers: int) -> None:
        self._tell, self._end = tell, ended
        self._numbers = 0
        self.tasks: dict[int, Task] = {}
        self._last: dict[tuple[str, str], Task] = {}
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for thread in self._threads:
            thread.start()

    def add(self, kind: str, visit: str, words: Sequence[str], logs: Path) -> Task:
        """Put a command into the queue.

        Parameters
        ----------
        kind : str
            One of `URGENCY`.
        visit : str
            Identifier of the visit.
        words : Sequence[str]
            Behind ``biomech-id``.
        logs : Path
            Folder where its output is kept.
        """
        with self._changed:
            self._numbers += 1
            task = self.tasks[self._numbers] = Task(self._numbers, kind, visit, tuple(words), logs)
            self._last[visit, kind] = task
            self._changed.notify()
        self._tell(task)
        return task

    def of(self, visit: str, kind: str = "run") -> Task | None:
        """Return the last task of a kind about a visit.

        Parameters
        ----------
        visit : str
            Its identifier.
        kind : str, optional
            One of `URGENCY`.
        """
        return self._last.get((visit, kind))

    def at_work(self, visit: str, kind: str = "run") -> Task | None:
        """Return the task of a kind about a visit that is not over.

        Parameters
        ----------
        visit : str
            Its identifier.
        kind : str, optional
            One of `URGENCY`.
        """
        task = self.of(visit, kind)
        return None if task is None or task.ended else task

    def cancel(self, number: int) -> None:
        """Take a task out of the queue, or ask its process to clear up and end.

        Parameters
        ----------
        number : int
            Of the task.
        """
        with self._changed:
            task = self.tasks[number]
            if task.ended:
                return
            if task.state == "waits":
                task.state = "cancelled"
            else:
                task.state = "ending"
        self._tell(task)

    def forget(self, number: int) -> None:
        """Take a task that is over off the list.

        Parameters
        ----------
        number : int
            Of the task.
        """
        with self._changed:
            task = self.tasks.get(number)
            if task is not None and task.ended:
                del self.tasks[number]
                if self._last.get((task.visit, task.kind)) is task:
                    del self._last[task.visit, task.kind]

    def close(self) -> None:
        """Take nothing more up; what is at work goes on without the desk."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _next(self) -> Task | None:
        with self._changed:
            while not self._closed:
                waiting = [task for task in self.tasks.values() if task.state == "waits"]
                if waiting:
                    task = min(waiting, key=lambda each: (URGENCY[each.kind], each.number))
                    task.state = "runs"
                    return task
                self._changed.wait()
        return None

    def _work(self) -> None:
        while (task := self._next()) is not None:
            began = time.monotonic()
            try:
                self._tell(task)
                task.code = self._run(task)
                task.state = self._end(task, _state_after(task))
            except Exception as error:  # noqa: BLE001 - whatever becomes of one command, the queue goes on
                task.state = "failed"
                task.aside.append(str(error))
            task.taken_s = time.monotonic() - began
            self._tell(task)

    def _run(self, task: Task) -> int:
        task.logs.mkdir(parents=True, exist_ok=True)
        log = task.logs / f"{task.kind}.log"
        with open(log, "wb") as told, open(task.output, "wb") as output:
            telling = ["--progress", "json"] if task.words[0] in TELLING_COMMANDS else []
            process = started(["biomech_id", *task.words, *telling], told, output)
        task.process = process.pid
        self._tell(task)
        asked_s = 0.0
        with open(log, encoding="utf-8", errors="replace") as lines:
            rest = ""
            while True:
                over = process.poll() is not None
                rest = self._read(task, rest + lines.read())
                if over:
                    return int(process.returncode)
                if task.state == "ending" and (not asked_s or time.monotonic() - asked_s > CLEARING_S):
                    end_process(process, kill=bool(asked_s))
                    asked_s = time.monotonic()
                time.sleep(READING_S)

    def _read(self, task: Task, text: str) -> str:
        *lines, rest = text.split("\n")
        for line in lines:
            read_progress(task, line)
        if lines:
            self._tell(task)
        return rest


def _state_after(task: Task) -> str:
    if task.state == "ending":
        return "cancelled"
    return "done" if task.code in _DID.get(task.kind, _DONE) else "failed"


def read_progress(task: Task, line: str) -> None:
    """Note what a command says on standard error: how far it is, or a sentence.

    Parameters
    ----------
    task : Task
        Of the command.
    line : str
        One line that the command printed.
    """
    try:
        step = json.loads(line)
        task.stage, task.trial, task.share = str(step["stage"]), str(step["trial"]), max(task.share, float(step["share"]))
    except (ValueError, TypeError, KeyError):
        if line.strip():
            task.aside.append(line.removeprefix("biomech-id: ").strip())


def started(module: Sequence[str], told: Any, output: Any) -> subprocess.Popen[bytes]:
    """Start a module of Python in a group of its own, without a shell and without what the desk alone may know.

    Parameters
    ----------
    module : Sequence[str]
        Name and words.
    told, output : Any
        Files of its standard error and output.
    """
    own_group: dict[str, Any] = (
        {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)} if os.name == "nt" else {"start_new_session": True}
    )
    return subprocess.Popen(
        [sys.executable, "-m", *module],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=told,
        env={**os.environ, **_THREADS},
        **own_group,
    )


def end_process(process: subprocess.Popen[bytes], *, kill: bool) -> None:
    """Ask a process and its group to end, or end it.

    Parameters
    ----------
    process : subprocess.Popen[bytes]
        Of a task.
    kill : bool
        Whether it had its time to clear up.
    """
    with suppress(OSError):
        if os.name == "nt":
            if kill:
                process.kill()
            else:
                process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))
        else:
            os.killpg(process.pid, signal.SIGKILL if kill else signal.SIGTERM)
