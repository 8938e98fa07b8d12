"""A dask.distributed cluster as an executor; the scheduler and its workers are somebody else's to start."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from biomech_id.errors import MissingInputError, OptionError

#: Seconds to wait for a scheduler to answer.
PATIENCE_S = 10


@contextmanager
def cluster_executor(address: str | None) -> Iterator[Executor | None]:
    """Give an executor that works on the cluster at ``address``; None for no address.

    Parameters
    ----------
    address : str | None
        Address of the scheduler; None for no cluster.

    Raises
    ------
    MissingInputError
        The extra ``[cluster]`` is not installed.
    OptionError
        Nobody answers at the address.
    """
    if address is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise MissingInputError(
            "Clusters need dask.distributed: pip install distributed.",
            value=None, expected="the package distributed", where="--scheduler",
        ) from None  # fmt: skip
    try:
        client = Client(address, timeout=PATIENCE_S)
    except (OSError, ValueError, TimeoutError) as error:
        words, expected = f"No dask scheduler answers at {address}.", "tcp://host:port of a scheduler"
        raise OptionError(words, value=address, expected=expected, where="--scheduler") from error
    with client:
        # The work is not a pure function: it writes files, and a repeated run must not be answered from a cache.
        yield client.get_executor(pure=False)
