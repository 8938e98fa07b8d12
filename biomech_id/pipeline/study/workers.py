"""Processes that work through a study: started clean, one BLAS thread each, and gone when their parent is gone."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from types import FrameType
from typing import ParamSpec, TypeVar

from biomech_id.pipeline.threads import single_threaded
from biomech_id.plugins import import_plugins, plugin_modules

_P = ParamSpec("_P")
_T = TypeVar("_T")


class ProcessPool:
    """A pool of fresh processes that can be ended at once.

    They are spawned, not forked, so that they behave alike on every system and inherit no lock. Each holds one end of a pipe, the
    lifeline, and ends within a second of its closing, whatever it was doing: when `end` is called, and when this process dies,
    however that happens. Results are renamed into place when they are complete, so that an end at any instant leaves nothing under
    a final name.

    Parameters
    ----------
    workers : int
        Number of processes; they start as tasks come.
    """

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._held = ExitStack()
        # A process inherits the environment of the moment it starts, which is any moment while tasks come.
        self._held.enter_context(single_threaded())
        far_end, self._lifeline = context.Pipe(duplex=False)
        self._held.enter_context(far_end)
        self._held.enter_context(self._lifeline)
        self._pool = ProcessPoolExecutor(workers, mp_context=context, initializer=end_with_parent, initargs=(far_end,))

    def submit(self, function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Hand out a task (see `concurrent.futures.Executor.submit`).

        Parameters
        ----------
        function : Callable[_P, _T]
            What is to be called.
        *args : _P.args
            Its arguments.
        kwargs : _P.kwargs
            Its arguments.
        """
        with _deaf_to_interruption():
            return self._pool.submit(function, *args, **kwargs)

    def end(self) -> None:
        """End every process at once, whatever it is doing; what was under way leaves hidden unfinished folders only."""
        self._lifeline.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._held.close()


@contextmanager
def _deaf_to_interruption() -> Iterator[None]:
    """Keep Ctrl-C off while processes are started: this one hears it afterwards, those never, not even while they still import.

    The mask alone is not enough, since a new process inherits it but this one has other threads, any of which can receive the
    signal for the main one. Were that to break off a start, the new process would find its instructions missing.
    Windows has no such mask: a process interrupted at its very start shows a traceback there, and nothing else happens.
    """
    with _late_interruption():
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _late_interruption() -> Iterator[None]:
    """Hold back what this process does on Ctrl-C, or when asked to end, until the end of the block. Only the main thread does."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    own = {number: handler for number, handler in handlers.items() if callable(handler)}
    if threading.current_thread() is not threading.main_thread() or not own:
        yield
        return
    received: list[tuple[int, FrameType | None]] = []
    for number in own:
        signal.signal(number, lambda number, frame: received.append((number, frame)))
    try:
        yield
    finally:
        for number, handler in own.items():
            signal.signal(number, handler)
        if received:
            own[signal.Signals(received[-1][0])](*received[-1])


def end_with_parent(lifeline: Connection) -> None:
    """End this process when the other end of the lifeline closes; an interruption from the keyboard is the parent's to handle.

    Parameters
    ----------
    lifeline : Connection
        Its other end is held by the parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_wait_and_exit, args=(lifeline,), daemon=True).start()
    import_plugins(plugin_modules())


def _wait_and_exit(lifeline: Connection) -> None:
    multiprocessing.connection.wait([lifeline])
    os._exit(1)
