"""Uninterrupted stretches of a recording: where a path may be differentiated, filtered or filled."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray

#: Samples of some channels that are worked on together; one channel is, however long it is.
HELD_SAMPLES = 1 << 18


def runs(present: BoolArray) -> list[tuple[int, int]]:
    """Half-open ranges of frames in which a condition holds.

    Parameters
    ----------
    present : BoolArray
        (n,), where it holds.

    Returns
    -------
    list[tuple[int, int]]
        [start, stop) of each range, from 0, in order.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.runs import runs
    >>> runs(np.array([False, True, True, False, True]))
    [(1, 3), (4, 5)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate(([False], present, [False])).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]


def few_at_a_time(channels: BoolArray, length: int) -> Iterator[IntArray]:
    """Yield the chosen channels in turn, so many at a time as `HELD_SAMPLES` hold: a spectrum takes ten times its channels' memory.

    Parameters
    ----------
    channels : BoolArray
        (m,), True for the channels that are chosen.
    length : int
        Samples of each.

    Yields
    ------
    IntArray
        (k,), numbers of the next channels, at least one.
    """
    chosen = np.flatnonzero(channels)
    yield from np.array_split(chosen, min(len(chosen), -(-len(chosen) * length // HELD_SAMPLES)))


def channel_runs(values: FloatArray, shortest: int) -> Iterator[tuple[BoolArray, int, int]]:
    """Find the finite stretches of the channels of an array, together for channels that are present in the same frames.

    Each stretch can so be treated for all of them at once: a recording has few such patterns (one per marker with gaps), however
    many channels it has.

    Parameters
    ----------
    values : FloatArray
        (n, m), missing is NaN.
    shortest : int
        Frames; shorter stretches are left out.

    Yields
    ------
    channels : BoolArray
        (m,), True for the channels that are present and absent in the same frames.
    start : int
        First frame of the stretch.
    stop : int
        Frame behind its last.
    """
    finite = np.isfinite(values)
    whole: BoolArray = np.asarray(finite.all(axis=0))
    if whole.any() and len(values) >= shortest:
        yield whole, 0, len(values)
    rest = np.flatnonzero(~whole)
    if not rest.size:
        return
    patterns, which = np.unique(finite[:, rest], axis=1, return_inverse=True)
    for index in range(patterns.shape[1]):
        channels = np.zeros(values.shape[1], dtype=np.bool_)
        channels[rest[which.reshape(-1) == index]] = True
        for start, stop in runs(patterns[:, index]):
            if stop - start >= shortest:
                yield channels, start, stop
