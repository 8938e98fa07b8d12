"""A marker that is elsewhere from one frame to the next, or stands still: found before a filter spreads it.

Seen from the other markers of its segment a marker moves smoothly. Its second difference against their mean, ``|x(t+1) - 2 x(t) +
x(t-1)|``, is a few millimetres (walks, jumps and runs of 60 to 300 Hz: 7 mm at most at 100 Hz and above, 15 mm at 60 Hz, and at
most twice its own 95th percentile); a marker that is mistaken for a reflection, or put back by hand, shows its whole step there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, over_seen
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass

#: A step is larger than this (m), and than so many times what four in five of the marker's own frames stay below.
LEAST_STEP_M, TIMES_USUAL, USUAL_PERCENT = 0.009, 6.0, 80.0
#: Steps that a filter leaves smaller than this (m) are noise: raw recordings hold spikes of a frame or two by the dozen.
LEAST_LEFT_M = 0.015
#: What goes this far (m) is no noise, though a filter leave as little as this of it.
LEAST_GHOST_M, LEAST_GHOST_LEFT_M = 0.025, 0.006
#: A marker that does not move at all for so many frames, and so long (s), while its segment's others do by this (m), was not seen:
#: recorded walks hold the same place for three frames at most.
FROZEN_FRAMES, LEAST_FROZEN_S, LEAST_MATES_M = 8, 0.05, 1e-4
#: A marker that is back within this time (s) was away; later it has been put elsewhere.
LONGEST_AWAY_S = 0.5
#: Neighbours of a second difference that are at least this part of it belong to the same spike, a marker away for one frame.
SPIKE_SHARE = 0.35
#: Slower recordings (Hz) show every swing of a foot as a step; of fewer frames nothing is usual.
LEAST_RATE_HZ, FEWEST_FRAMES = 45.0, 20
#: Trend of the distance between two markers of a segment over a recording, m: 9 mm at most in walks, 13 mm in jumps.
LARGEST_SLIDE_M = 0.014
#: Steps this many frames apart are one.
TOGETHER_FRAMES = 3


@dataclass(frozen=True)
class MarkerJump:
    """One marker that leaves its place on its segment from one frame to the next.

    Attributes
    ----------
    name : str
        Label of the marker.
    size_m : float
        How far it goes at most, against the segment's other markers, m.
    frames : tuple[int, ...]
        Frames in which it leaves or comes back, in the recording's own numbering; the first of each step.
    """

    name: str
    size_m: float
    frames: tuple[int, ...]


def find_marker_jumps(
    paths_m: Mapping[str, FloatArray],
    groups: Iterable[Sequence[str]],
    rate_hz: float,
    *,
    first_frame: int = 1,
    cutoff_hz: float | None = None,
) -> tuple[MarkerJump, ...]:
    """Find the markers that jump against the others of their segment.

    Parameters
    ----------
    paths_m : Mapping[str, FloatArray]
        Label -> (n, 3), laboratory axes, metres, as recorded; NaN where missing.
    groups : Iterable[Sequence[str]]
        Labels of the markers of each segment.
    rate_hz : float
        Frames per second of the recording.
    first_frame : int, optional
        The recording's own number of the first frame.
    cutoff_hz : float | None, optional
        Of the filter that the markers are given, Hz; None where they stay as they are.

    Returns
    -------
    tuple[MarkerJump, ...]
        The largest step first; empty for recordings slower than `LEAST_RATE_HZ`.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.marker_jumps import find_marker_jumps
    >>> paths = {"KNE": np.zeros((50, 3)), "THI": np.full((50, 3), 0.1), "HIP": np.full((50, 3), 0.3)}
    >>> paths["KNE"][20:30, 0] += 0.03
    >>> [(jump.name, jump.frames) for jump in find_marker_jumps(paths, [("KNE", "THI", "HIP")], 100.0)]
    [('KNE', (21, 31))]
    """
    if rate_hz < LEAST_RATE_HZ:
        return ()
    steps: dict[str, FloatArray] = {}
    for name, step in _assigned_steps([_large_steps(paths_m, names) for names in _present(groups, paths_m)]):
        steps[name] = np.fmax(steps[name], step) if name in steps else step
    jumps = []
    for name, step in steps.items():
        sizes = _sizes(step, rate_hz, cutoff_hz)
        if sizes:
            # The first second difference of a step is that of the last frame before it.
            jumps.append(MarkerJump(name, max(sizes.values()), tuple(first_frame + 2 + at for at in sizes)))
    return tuple(sorted(jumps, key=lambda jump: -jump.size_m))


def _present(groups: Iterable[Sequence[str]], paths_m: Mapping[str, FloatArray]) -> list[list[str]]:
    """The labels of each segment that the recording has."""
    return [[name for name in group if name in paths_m] for group in groups]


def _sizes(step: FloatArray, rate_hz: float, cutoff_hz: float | None) -> dict[int, float]:
    """Where each run of second differences begins -> how far the marker goes, m; without those of which a filter leaves little."""
    sizes: dict[int, float] = {}
    together = runs(np.asarray(np.convolve(step > 0, np.ones(TOGETHER_FRAMES), mode="same") > 0))
    begins = [first + int(np.argmax(step[first:last] > 0)) for first, last in together]
    for at, (first, last) in zip(begins, together, strict=True):
        span = int(np.flatnonzero(step[first:last])[-1]) + first - at
        size, away = float(step[first:last].max()), np.inf
        if span >= 2:
            size, away = 0.5 * size, span - 1
        else:
            nearest = min((abs(other - at) for other in begins if other != at), default=np.inf)
            away = nearest if nearest <= LONGEST_AWAY_S * rate_hz else np.inf
        left = size if cutoff_hz is None else size * min(1.0, 2.0 * cutoff_hz * away / rate_hz)
        if left >= LEAST_LEFT_M or (size >= LEAST_GHOST_M and left >= LEAST_GHOST_LEFT_M):
            sizes[at] = size
    return sizes


def _large_steps(paths_m: Mapping[str, FloatArray], names: Sequence[str]) -> dict[str, FloatArray]:
    """Every label seen -> second differences (n-2,), m, where that marker jumps; 0 elsewhere. Of several the largest counts."""
    seen = [name for name in names if np.count_nonzero(np.isfinite(paths_m[name][:, 0])) >= FEWEST_FRAMES]
    if len(seen) < 2:
        return {}
    stack = np.stack([paths_m[name] for name in seen], axis=1)
    rest = (stack.sum(axis=1, keepdims=True) - stack) / (len(seen) - 1)
    step = np.linalg.norm(np.diff(stack - rest, n=2, axis=0), axis=2)
    usual = over_seen(partial(np.nanpercentile, q=USUAL_PERCENT), step, axis=0)
    step, usual = np.where(np.isfinite(step), step, 0.0), np.nan_to_num(usual)
    jumps = (step > np.maximum(LEAST_STEP_M, TIMES_USUAL * usual)) & (step >= step.max(axis=1, keepdims=True) - 1e-12)
    return {name: _with_neighbours(step[:, k], jumps[:, k]) for k, name in enumerate(seen)}


def _assigned_steps(groups: Sequence[Mapping[str, FloatArray]]) -> Iterator[tuple[str, FloatArray]]:
    """Yield each marker of each group with its second differences (n-2,), m; 0 where a partner that moves just as far is the one.

    Two markers of a segment see each other jump by the same. The one that stays in place on its other segment did not jump; the one
    that jumps there too did.
    """
    for own in groups:
        jumps = {name: step > 0 for name, step in own.items()}
        others = {name: [group[name] > 0 for group in groups if group is not own and name in group] for name in own}
        nowhere = np.zeros(len(next(iter(own.values()), ())), dtype=bool)
        leaves = {name: np.any([nowhere, *seen], axis=0) for name, seen in others.items()}
        stays = {name: ~leaves[name] if seen else nowhere for name, seen in others.items()}
        for name, step in own.items():
            mates = [jumps[mate] & ~stays[mate] for mate in own if mate != name]
            surer = [jumps[mate] & leaves[mate] for mate in own if mate != name]
            some, sure = (np.any([nowhere, *each], axis=0) for each in (mates, surer))
            yield name, np.where((stays[name] & some) | (~leaves[name] & sure), 0.0, step)


def _with_neighbours(step: FloatArray, jumps: BoolArray) -> FloatArray:
    """Second differences (n,) where there is a jump, and beside it where a spike has its two shoulders; 0 elsewhere."""
    kept = jumps.copy()
    inner = np.flatnonzero(jumps[1:-1]) + 1
    spikes = inner[np.minimum(step[inner - 1], step[inner + 1]) > SPIKE_SHARE * step[inner]]
    kept[spikes - 1] = kept[spikes + 1] = True
    return np.where(kept, step, 0.0)


@dataclass(frozen=True)
class MarkerSlide:
    """Two markers of one segment whose distance changes steadily from the beginning of a recording to its end.

    Attributes
    ----------
    first : str
        Label of the one.
    second : str
        Label of the other.
    change_m : float
        By how much, m; positive apart.
    """

    first: str
    second: str
    change_m: float


def find_marker_slides(paths_m: Mapping[str, FloatArray], groups: Iterable[Sequence[str]]) -> tuple[MarkerSlide, ...]:
    """Find the pairs of markers of one segment that slide against each other.

    Parameters
    ----------
    paths_m : Mapping[str, FloatArray]
        Label -> (n, 3), laboratory axes, metres, as recorded; NaN where missing.
    groups : Iterable[Sequence[str]]
        Labels of the markers of each segment.

    Returns
    -------
    tuple[MarkerSlide, ...]
        The farthest first.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.marker_jumps import find_marker_slides
    >>> wand = np.zeros((100, 3))
    >>> wand[:, 0] = np.linspace(0.2, 0.25, 100)
    >>> [(slide.first, slide.second) for slide in find_marker_slides({"KNE": np.zeros((100, 3)), "THI": wand}, [("THI", "KNE")])]
    [('THI', 'KNE')]
    """
    slides: dict[tuple[str, str], MarkerSlide] = {}
    for names in _present(groups, paths_m):
        for first, second in combinations(names, 2):
            apart = np.linalg.norm(paths_m[first] - paths_m[second], axis=1)
            at = np.flatnonzero(np.isfinite(apart))
            if len(at) >= FEWEST_FRAMES:
                change_m = float(np.polyfit(at, apart[at], 1)[0]) * (at[-1] - at[0])
                if abs(change_m) > LARGEST_SLIDE_M:
                    slides[first, second] = MarkerSlide(first, second, change_m)
    return tuple(sorted(slides.values(), key=lambda slide: -abs(slide.change_m)))


@dataclass(frozen=True)
class FrozenMarker:
    """A marker that stays in one place to the last digit while the others of its segment move.

    Attributes
    ----------
    name : str
        Label of the marker.
    first_frame : int
        First frame of the stretch, in the recording's own numbering.
    last_frame : int
        Last frame of the stretch, inclusive.
    """

    name: str
    first_frame: int
    last_frame: int


def find_frozen_markers(
    paths_m: Mapping[str, FloatArray], groups: Iterable[Sequence[str]], rate_hz: float, *, first_frame: int = 1
) -> tuple[FrozenMarker, ...]:
    """Find where markers stand still to the last digit while others of each of their segments move.

    Parameters
    ----------
    paths_m : Mapping[str, FloatArray]
        Label -> (n, 3), laboratory axes, metres, as recorded; NaN where missing.
    groups : Iterable[Sequence[str]]
        Labels of the markers of each segment.
    rate_hz : float
        Frames per second of the recording.
    first_frame : int, optional
        The recording's own number of the first frame.

    Returns
    -------
    tuple[FrozenMarker, ...]
        The longest stretch first.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.marker_jumps import find_frozen_markers
    >>> knee = np.linspace(0.0, 1.0, 60)[:, None] * np.ones(3)
    >>> ankle = knee + 0.4
    >>> ankle[20:40] = ankle[20]
    >>> find_frozen_markers({"KNE": knee, "ANK": ankle}, [("KNE", "ANK")], 100.0)
    (FrozenMarker(name='ANK', first_frame=21, last_frame=40),)
    """
    fewest = max(FROZEN_FRAMES, LEAST_FROZEN_S * rate_hz)
    segments = _present(groups, paths_m)
    markers = []
    for name in sorted({name for names in segments for name in names}):
        others = [[paths_m[mate] for mate in names if mate != name] for names in segments if name in names]
        for first, last in runs(np.asarray((np.diff(paths_m[name], axis=0) == 0.0).all(axis=1))):
            frames = slice(first, last + 1)
            # A foot that rests has all its markers in one place; an ankle that rests with it still moves against the knee.
            if last - first + 1 >= fewest and all(_moves(paths, frames) for paths in others):
                markers.append(FrozenMarker(name, first_frame + first, first_frame + last))
    return tuple(sorted(markers, key=lambda frozen: frozen.first_frame - frozen.last_frame))


def _moves(paths_m: Iterable[FloatArray], frames: slice) -> bool:
    """Whether the farthest of some markers moves in some frames."""
    return max((np.ptp(path[frames], axis=0).max() for path in paths_m), default=0.0) > LEAST_MATES_M
