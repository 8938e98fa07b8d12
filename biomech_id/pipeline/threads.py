"""How many threads linear algebra uses: one, in every process that the command line starts and in its own.

Matrices of this work are small, so that threads gain nothing, and in a pool of processes they cost. Above all the order of a sum
depends on their number: with one everywhere, ``run``, ``batch`` and ``reproduce`` give the same bytes on a machine of any size.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

#: What the libraries of linear algebra read as they are loaded; unless told otherwise they start a thread per core.
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@contextmanager
def single_threaded() -> Iterator[None]:
    """Let processes started inside use one thread, unless the user has said otherwise; and this one, if numpy is loaded inside."""
    added = [name for name in VARIABLES if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
