"""Tasks handed out to processes that are replaced when one of them dies."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from types import TracebackType
from typing import Any, Self, TypeVar

from biomech_id.pipeline.study.workers import ProcessPool

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

#: Tasks handed out ahead per process of our own: enough to keep it busy, and few are suspect when one of them dies.
TASKS_AHEAD = 2
#: Tasks handed out ahead to somebody else's executor, whose workers may come and go: more than any cluster has, and still small.
TASKS_AHEAD_OF_A_CLUSTER = 1000
#: Why a task was lost whose process died when it was at work on that task alone.
DIED_TWICE = "its process died twice: out of memory, or killed"


class Crew:
    """Workers that are replaced when one of them dies; leaving the block ends them.

    Parameters
    ----------
    executor : Executor | None
        Hands out the work, and is not shut down; None works in processes of its own.
    workers : int
        Processes that are started; without effect where an executor is given.
    """

    def __init__(self, executor: Executor | None, workers: int) -> None:
        self._workers = workers
        self._pool = executor or ProcessPool(workers)
        self._ahead = workers * TASKS_AHEAD if executor is None else TASKS_AHEAD_OF_A_CLUSTER
        self._running: dict[Future[Any], int] = {}

    def work_through(
        self, tasks: Sequence[_Task], work: Callable[[_Task], _Result], lost: Callable[[_Task, str], _Result]
    ) -> Iterator[_Result]:
        """Yield what becomes of each task, as it ends.

        Parameters
        ----------
        tasks : Sequence[_Task]
            The tasks; they go to other processes.
        work : Callable[[_Task], _Result]
            A function of a module, which does a task and raises nothing.
        lost : Callable[[_Task, str], _Result]
            What stands for the result of a task that has none, and why it has none.

        Yields
        ------
        _Result
            One for each task.
        """
        waiting = deque(range(len(tasks)))
        suspects: list[int] = []
        while waiting or self._running:
            while waiting and len(self._running) < self._ahead and not suspects:
                number = waiting.popleft()
                try:
                    self._running[self._pool.submit(work, tasks[number])] = number
                except BrokenExecutor:
                    # A worker died between two tasks; those handed out before will tell.
                    suspects.append(number)
            for future in wait(self._running, return_when=FIRST_COMPLETED).done:
                number = self._running.pop(future)
                try:
                    yield _result_of(future, tasks[number], lost)
                except BrokenExecutor:
                    suspects.append(number)
            if suspects and not self._running:
                yield from self._one_by_one([tasks[number] for number in sorted(suspects)], work, lost)
                suspects = []

    def _one_by_one(
        self, suspects: Sequence[_Task], work: Callable[[_Task], _Result], lost: Callable[[_Task, str], _Result]
    ) -> Iterator[_Result]:
        """Run tasks that were under way when a worker died each alone, so that only the guilty one is blamed."""
        self._renew()
        for task in suspects:
            try:
                yield _result_of(self._pool.submit(work, task), task, lost)
            except BrokenExecutor:
                yield lost(task, DIED_TWICE)
                self._renew()

    def _renew(self) -> None:
        if isinstance(self._pool, ProcessPool):
            self._pool.end()
            self._pool = ProcessPool(self._workers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Take back what was handed out and has not begun; end our own processes."""
        for future in self._running:
            future.cancel()
        if isinstance(self._pool, ProcessPool):
            self._pool.end()


def _result_of(future: Future[_Result], task: _Task, lost: Callable[[_Task, str], _Result]) -> _Result:
    """Wait for a result; an executor that gives up on the task makes it lost. `BrokenExecutor` is left to who can renew it."""
    try:
        return future.result()
    except BrokenExecutor:
        raise
    except Exception as error:  # noqa: BLE001 - clusters have exceptions of their own (killed worker, lost scheduler)
        return lost(task, f"{type(error).__name__}: {error}")
