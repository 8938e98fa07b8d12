"""Processes that work through a study: started clean, one BLAS thread each, and gone when their parent is gone."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager

#: Libraries that start a thread per core unless told otherwise; in a pool of processes that costs more than it gains.
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def process_pool(workers: int) -> Executor:
    """Return a pool of ``workers`` fresh processes.

    They are spawned, not forked, so that they behave alike on every system and inherit no lock; each watches its parent and
    ends within a second of its death, whatever it was doing. Results are renamed into place when they are complete, so that
    an end at any instant leaves nothing under a final name.
    """
    with single_threaded():
        pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"), initializer=end_with_parent)
        # Processes start with the first task; starting them here lets them inherit the thread limits.
        pool.submit(os.getpid).result()
    return pool


@contextmanager
def single_threaded() -> Iterator[None]:
    """Let processes started inside use one thread for linear algebra, unless the user has said otherwise."""
    added = [name for name in _THREAD_VARIABLES if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def end_with_parent() -> None:
    """End this process when the one that started it ends, however that happens."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_wait_and_exit, args=(parent.sentinel,), daemon=True).start()


def _wait_and_exit(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)
