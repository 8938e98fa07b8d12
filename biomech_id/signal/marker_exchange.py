"""Two markers whose labels changed places, for some frames or throughout: found and proposed, never put right by itself.

*For some frames.* Where labels change places, each marker leaves its path and goes on along the other's, from one frame to the
next: the two together continue far better crossed than straight. Between two such frames of one pair, or from one to an end of the
recording, the labels are exchanged; which of the stretches are the wrong ones is shown by another recording of the same markers,
else by the smaller number of frames.

*Throughout.* No path is left; but a marker keeps its distances to the markers of its own segment, and those are the other one's of
another recording, the static trial as a rule. Distances count by how steady they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, all_finite, over_seen
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass

#: Markers nearer to each other than this are not kept apart, metres.
NEAREST_M = 0.02
#: Root mean square departures from the paths, crossed over straight, below which two markers have changed places.
CROSSED_SHARE = 0.3
#: Unseen for longer, a marker has gone along with the body, and not on along its path.
SHORTLY_UNSEEN = 5
#: Frames looked at together, for the sake of memory; frames that medians of distances are taken from at most.
CHUNK, SAMPLED = 64, 60
#: Steadiest distances of a marker that may show where it belongs, how many must, and how unsteady each is taken to be at least (m).
MATES, FEWEST_MATES, UNSTEADY_M = 10, 2, 0.01
#: A distance shows it where it differs by more than this between the two markers, metres.
DISTINCT_M = 0.012
#: Distances that are off by more than this (m), and by less than that share of it when exchanged, show an exchange throughout.
OFF_M, EXCHANGED_SHARE = 0.012, 0.45


@dataclass(frozen=True)
class Exchange:
    """Two markers that carry each other's label.

    Attributes
    ----------
    first : str
        Label of the one.
    second : str
        Label of the other.
    first_frame : int
        First frame in which they are exchanged, in the recording's own numbering.
    last_frame : int
        Last frame in which they are, inclusive.
    throughout : bool
        Whether that is the whole recording.
    """

    first: str
    second: str
    first_frame: int
    last_frame: int
    throughout: bool


def find_exchanges(
    position_m: FloatArray, names: Sequence[str], *, first_frame: int = 1, reference_m: FloatArray | None = None
) -> tuple[Exchange, ...]:
    """Find the pairs of markers whose labels changed places.

    Parameters
    ----------
    position_m : FloatArray
        (n_frames, n_markers, 3), laboratory axes, metres; missing is NaN.
    names : Sequence[str]
        Label of each marker of ``position_m``.
    first_frame : int, optional
        The recording's number of the first frame.
    reference_m : FloatArray | None, optional
        (m, n_markers, 3), another recording of the same markers in the same order, NaN for those that it lacks; None where there is
        none, and exchanges throughout cannot be seen.

    Returns
    -------
    tuple[Exchange, ...]
        By first frame; one for each stretch of frames.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.marker_exchange import find_exchanges
    >>> position_m = np.zeros((50, 2, 3))
    >>> position_m[:, :, 0] = 0.01 * np.arange(50)[:, None] + [0.0, 0.1]
    >>> position_m[20:30] = position_m[20:30, ::-1]
    >>> [(pair.first, pair.second, pair.first_frame, pair.last_frame) for pair in find_exchanges(position_m, ("RTHI", "RKNE"))]
    [('RTHI', 'RKNE', 21, 30)]
    """
    n = len(position_m)
    exchanged: dict[tuple[int, int], BoolArray] = {}
    expected = _expected(position_m)
    for pair, frames in _crossings(position_m, expected).items():
        handed_over = _handed_over(position_m, expected, pair) if len(frames) % 2 else []
        exchanged[pair] = _alternating(sorted([*frames, *handed_over]), n)
    straight = position_m.copy()
    for (a, b), wrong in exchanged.items():
        straight[wrong, a], straight[wrong, b] = straight[wrong, b], straight[wrong, a]
    for pair in _throughout(straight, reference_m) if reference_m is not None else ():
        exchanged[pair] = ~exchanged.get(pair, np.zeros(n, dtype=bool))
    exchanges = []
    for (a, b), wrong in exchanged.items():
        for start, stop in runs(wrong):
            last_frame = first_frame + stop - 1
            exchanges.append(Exchange(names[a], names[b], first_frame + start, last_frame, stop - start == n))
    return tuple(sorted(exchanges, key=lambda each: (each.first_frame, each.first)))


def _crossings(position_m: FloatArray, expected: FloatArray) -> dict[tuple[int, int], list[int]]:
    """Pair of columns -> frames from which on the two go on along each other's path."""
    crossings: dict[tuple[int, int], list[int]] = {}
    # Where no marker is far from its path, none crosses another's: all but a few frames.
    off_m = np.linalg.norm(position_m - expected, axis=2)
    frames = np.flatnonzero((off_m > 0.99 * NEAREST_M).any(axis=1))
    for start in range(0, len(frames), CHUNK):
        now = frames[start : start + CHUNK]
        # |p - q|^2 = |p|^2 + |q|^2 - 2 p.q, about a point near both, so that digits last.
        about = np.nan_to_num(over_seen(np.nanmean, position_m[now], axis=1))[:, None]
        p, q = position_m[now] - about, expected[now] - about
        squares_p, squares_q = (p**2).sum(axis=2), (q**2).sum(axis=2)
        step = squares_p[:, :, None] + squares_q[:, None, :] - 2 * p @ np.swapaxes(q, 1, 2)
        own = np.einsum("fii->fi", step)
        straight, crossed = own[:, :, None] + own[:, None, :], step + np.swapaxes(step, 1, 2)
        with np.errstate(invalid="ignore"):
            hits = np.argwhere((crossed < CROSSED_SHARE**2 * straight) & (straight > 2 * NEAREST_M**2))
        for frame, a, b in hits:
            if a < b:
                crossings.setdefault((int(a), int(b)), []).append(int(now[frame]))
    return crossings


def _expected(position_m: FloatArray) -> FloatArray:
    """Where each marker goes on to, (n, k, 3): on along its path; unseen for longer, along with the body. NaN: unknown."""
    seen = all_finite(position_m)
    expected = np.full_like(position_m, np.nan)
    expected[1:] = position_m[:-1] + np.nan_to_num(np.diff(position_m, axis=0, prepend=position_m[:1])[:-1])
    for column in range(seen.shape[1]):
        for start, stop in runs(~seen[:, column]):
            if start == 0 or stop == len(seen):
                continue
            last, back = position_m[start - 1, column], stop
            if stop - start <= SHORTLY_UNSEEN:
                expected[back, column] = last + (expected[start, column] - last) * (stop - start + 1)
            else:
                expected[back, column] = last + over_seen(np.nanmedian, position_m[back] - position_m[start - 1], axis=0)
    return expected


def _handed_over(position_m: FloatArray, expected: FloatArray, pair: tuple[int, int]) -> list[int]:
    """The frame at which one label best goes on along the path of the other, which is then unseen; none where none does."""
    candidates: list[tuple[float, int]] = []
    for old, new in (pair, pair[::-1]):
        lost, shown = (np.diff(all_finite(position_m[:, column]).astype(int)) for column in (old, new))
        frames = 1 + np.flatnonzero((lost < 0) & (shown > 0))
        off, own = (np.linalg.norm(position_m[frames, new] - expected[frames, column], axis=1) for column in (old, new))
        fits = (off < NEAREST_M) & ~(off > CROSSED_SHARE * own)
        candidates += zip(off[fits].tolist(), frames[fits].tolist(), strict=True)
    return [min(candidates)[1]] if candidates else []


def _alternating(frames: list[int], n: int) -> BoolArray:
    """Frames (n,) that are exchanged, of two labels that change places at some frames: the fewer ones."""
    wrong = np.zeros(n, dtype=bool)
    for k, (start, stop) in enumerate(pairwise((0, *frames, n))):
        wrong[start:stop] = k % 2 == 1
    return wrong if 2 * wrong.sum() <= n else np.asarray(~wrong)


def _throughout(position_m: FloatArray, reference_m: FloatArray) -> list[tuple[int, int]]:
    """Pairs of columns that another recording has the other way round, the clearest first; each marker once."""
    here, there = _distances(position_m), _distances(reference_m)
    order = np.arange(position_m.shape[1])
    pairs: list[tuple[int, int]] = []
    while True:
        middle, spread = (each[np.ix_(order, order)] for each in here)
        straight, crossed = _departures((middle, spread), there)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where((straight > OFF_M) & (crossed < EXCHANGED_SHARE * straight), crossed / straight, np.inf)
        used = [column for pair in pairs for column in pair]
        share[used] = share[:, used] = np.inf
        share[np.tril_indices(len(share))] = np.inf
        if not share.size or not np.isfinite(share.min()):
            return pairs
        a, b = divmod(int(np.argmin(share)), len(share))
        pairs.append((a, b))
        order[[a, b]] = order[[b, a]]


def _distances(position_m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Medians (k, k) of the distances between markers, and how far they spread (median absolute deviation as a standard one)."""
    frames = np.unique(np.linspace(0, len(position_m) - 1, SAMPLED).round().astype(int))
    points = position_m[frames]
    distance = np.linalg.norm(points[:, :, None] - points[:, None], axis=3)
    middle = over_seen(np.nanmedian, distance, axis=0)
    return middle, 1.4826 * over_seen(np.nanmedian, np.abs(distance - middle), axis=0)


def _departures(here: tuple[FloatArray, FloatArray], there: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """How far (k, k), metres, two markers' distances are off those of another recording: as labelled, and exchanged."""
    (middle, spread), (middle_there, spread_there) = here, there
    # (one, other, mate): how unsteady the mate's distance is, there to whichever of the two it belongs to.
    unsteady = spread[:, None] ** 2 + np.fmin(spread_there[:, None], spread_there[None]) ** 2 + UNSTEADY_M**2
    own, others = middle[:, None] - middle_there[:, None], middle[:, None] - middle_there[None]
    itself = np.eye(len(middle), dtype=bool)
    usable = np.isfinite(own) & np.isfinite(others) & ~itself[:, None] & ~itself[None]
    usable &= np.abs(own - others) > DISTINCT_M
    unsteady = np.where(usable, unsteady, np.inf)
    mates = np.argpartition(unsteady, min(MATES, len(middle)) - 1, axis=2)[:, :, :MATES]
    unsteady, own, others = (np.take_along_axis(values, mates, axis=2) for values in (unsteady, own, others))
    weight = 1.0 / unsteady
    sums = [np.nansum(weight * square, axis=2) for square in (np.ones_like(weight), own**2, others**2)]
    enough = np.isfinite(unsteady).sum(axis=2) >= FEWEST_MATES
    total, straight, crossed = (np.where(enough & enough.T, each + each.T, np.nan) for each in sums)
    return np.sqrt(straight / total), np.sqrt(crossed / total)
