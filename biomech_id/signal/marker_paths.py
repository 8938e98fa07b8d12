"""What recorded paths of markers show of how they were written: frames written twice, a marker that shakes, two labels of one path.

Cameras never see the same scene twice to the last digit, skin does not shake from frame to frame, and what was measured is no
polynomial.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, all_finite
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass

#: Between frames a body in motion goes on by this (m): median of its markers, before and after frames that are written twice.
LEAST_MOTION_M = 5e-4
#: So many markers have to be seen for a frame to be compared with the one before.
FEWEST_MARKERS = 3
#: Frames in a row that repeat one; more of them are a subject who stands.
LONGEST_REPEAT = 12
#: Shaking, standard deviation from frame to frame (m): 0.53 mm at most in walks, runs and jumps of 60 to 300 Hz.
LARGEST_SHAKE_M = 2e-3
#: Slower recordings (Hz) show movement as shaking.
LEAST_RATE_HZ, FEWEST_FRAMES = 45.0, 20
#: A gap that a recording program has filled counts from this length (s), as one that it has left (rule ``gap-largest``).
LEAST_FILLED_S = 0.1
#: Differences of these orders vanish where a path is a polynomial of third or fifth degree, as gaps are filled with.
_POLYNOMIAL = (4, 6)
#: Differences beside a filled stretch are so many times what rounding to single precision makes of them, or nothing can be told.
_TIMES_ROUNDING = 20.0
#: Whoever rests may be as smooth as a polynomial: a stretch counts in which the marker moves by this (m).
_LEAST_TRAVEL_M = 0.02
#: Differences in a row that vanish: fewer do so by chance where few frames a second or few digits are written.
_FEWEST_DIFFERENCES = 8
#: Numbers are written in steps if those that lie side by side are whole multiples of the smallest, to this share of it.
_WHOLE = 0.02
#: Median length of the third difference of white noise in space, over its standard deviation along one axis.
_OF_NOISE = 1.54 * 20.0**0.5


def find_repeated_frames(paths_m: Mapping[str, FloatArray], *, first_frame: int = 1) -> tuple[int, ...]:
    """Find the frames that hold the one before once more while the body moves on before and after them.

    Parameters
    ----------
    paths_m : Mapping[str, FloatArray]
        Label -> (n, 3), laboratory axes, metres, as recorded; NaN where missing.
    first_frame : int, optional
        The recording's own number of the first frame.

    Returns
    -------
    tuple[int, ...]
        In the recording's own numbering, in order; empty for recordings of fewer than `FEWEST_FRAMES`.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.marker_paths import find_repeated_frames
    >>> walk = np.linspace(0.0, 1.0, 60)[:, None] * np.ones(3)
    >>> walk[20] = walk[19]
    >>> find_repeated_frames({name: walk + k for k, name in enumerate(("HIP", "KNE", "ANK"))})
    (21,)
    """
    if not paths_m or len(next(iter(paths_m.values()))) < FEWEST_FRAMES:
        return ()
    step = np.abs(np.diff(np.stack(list(paths_m.values()), axis=1), axis=0)).max(axis=2)
    seen: BoolArray = np.asarray(np.isfinite(step))
    enough = seen.sum(axis=1) >= FEWEST_MARKERS
    same = enough & np.where(seen, step == 0.0, True).all(axis=1)
    goes = np.zeros(len(step), dtype=bool)
    goes[enough] = np.nanmedian(np.where(seen, step, np.nan)[enough], axis=1) > LEAST_MOTION_M
    frames: list[int] = []
    for first, last in runs(np.asarray(same)):
        if first > 0 and last < len(step) and last - first <= LONGEST_REPEAT and goes[first - 1] and goes[last]:
            frames += range(first_frame + 1 + first, first_frame + 1 + last)
    return tuple(frames)


def find_shaking_markers(paths_m: Mapping[str, FloatArray], rate_hz: float) -> tuple[tuple[str, float], ...]:
    """Find the markers that shake from frame to frame.

    Parameters
    ----------
    paths_m : Mapping[str, FloatArray]
        Label -> (n, 3), laboratory axes, metres, as recorded; NaN where missing.
    rate_hz : float
        Frames per second; nothing is looked for below `LEAST_RATE_HZ`.

    Returns
    -------
    tuple[tuple[str, float], ...]
        Label and standard deviation along one axis, metres; the worst first.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.marker_paths import find_shaking_markers
    >>> knee = np.linspace(0.0, 1.0, 200)[:, None] * np.ones(3)
    >>> shaken = knee + np.random.default_rng(0).normal(0.0, 0.005, (200, 3))
    >>> [(name, round(1000.0 * sd_m)) for name, sd_m in find_shaking_markers({"KNE": shaken, "ANK": knee}, 100.0)]
    [('KNE', 5)]
    """
    shaking = []
    for name, path in paths_m.items() if rate_hz >= LEAST_RATE_HZ else ():
        third = np.diff(path, n=3, axis=0)
        known = third[all_finite(third)]
        sd_m = float(np.median(np.linalg.norm(known, axis=1))) / _OF_NOISE if len(known) >= FEWEST_FRAMES else 0.0
        if sd_m > LARGEST_SHAKE_M:
            shaking.append((name, sd_m))
    return tuple(sorted(shaking, key=lambda row: -row[1]))


def find_twin_paths(paths_m: Mapping[str, FloatArray]) -> tuple[tuple[str, str], ...]:
    """Find the pairs of labels of one and the same path.

    Parameters
    ----------
    paths_m : Mapping[str, FloatArray]
        Label -> (n, 3), laboratory axes, metres, as recorded; NaN where missing.

    Returns
    -------
    tuple[tuple[str, str], ...]
        In the order of ``paths_m``; markers seen in fewer than `FEWEST_FRAMES` do not count.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.marker_paths import find_twin_paths
    >>> heel, toe = np.zeros((30, 3)), np.ones((30, 3))
    >>> find_twin_paths({"HEE": heel, "ANK": heel.copy(), "TOE": toe})
    (('HEE', 'ANK'),)
    """
    seen = [name for name, path in paths_m.items() if np.count_nonzero(np.isfinite(path[:, 0])) >= FEWEST_FRAMES]
    return tuple((a, b) for a, b in combinations(seen, 2) if np.array_equal(paths_m[a], paths_m[b], equal_nan=True))


@dataclass(frozen=True)
class FilledStretch:
    """Frames in which the path of a marker was not measured, but made by the program that recorded it.

    Attributes
    ----------
    name : str
        The marker.
    first_frame, last_frame : int
        In the recording's own numbering.
    like : str, optional
        The marker whose path it repeats at a distance: one of the two was filled from the other; empty for a polynomial.
    """

    name: str
    first_frame: int
    last_frame: int
    like: str = ""


def find_filled_stretches(paths_m: Mapping[str, FloatArray], rate_hz: float, *, first_frame: int = 1) -> tuple[FilledStretch, ...]:
    """Find moving markers that follow a polynomial, or another marker, to the last digit.

    Paths that were smoothed after they were filled do not show it.

    Parameters
    ----------
    paths_m : Mapping[str, FloatArray]
        Label -> (n, 3), laboratory axes, metres, as recorded; NaN where missing.
    rate_hz : float
        Frames per second.
    first_frame : int, optional
        The recording's own number of the first frame.

    Returns
    -------
    tuple[FilledStretch, ...]
        Of `LEAST_FILLED_S` and more, the longest first; one a marker and way of filling at each place.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.marker_paths import find_filled_stretches
    >>> knee = np.linspace(0.0, 2.0, 200)[:, None] + np.random.default_rng(0).normal(0.0, 3e-4, (200, 3))
    >>> knee[100:120] = np.linspace(knee[99], knee[120], 22)[1:-1]
    >>> [(one.name, one.first_frame, one.last_frame) for one in find_filled_stretches({"KNE": knee}, 100.0)]
    [('KNE', 101, 120)]
    """
    step_m = {name: _resolution_m(path) for name, path in paths_m.items()}
    filled = [
        FilledStretch(name, first_frame + first, first_frame + last)
        for name, path in paths_m.items()
        for first, last in max((list(_vanishing(path, path, (rate_hz, step_m[name]), o)) for o in _POLYNOMIAL), key=_n_frames)
    ]
    names = list(paths_m)
    for one, other in _in_step(list(paths_m.values()), (rate_hz, max(step_m.values(), default=0.0))):
        first_path, second_path = paths_m[names[one]], paths_m[names[other]]
        step = max(step_m[names[one]], step_m[names[other]])
        for first, last in _vanishing(first_path - second_path, first_path, (rate_hz, step), 2):
            own = np.abs(np.diff(first_path[first - 1 : last + 2], n=2, axis=0)).max(axis=1)
            if np.median(own) > _TIMES_ROUNDING * 2.0 * step:  # who keeps still keeps in step with everything that does
                filled.append(FilledStretch(names[one], first_frame + first, first_frame + last, names[other]))
    return tuple(sorted(filled, key=lambda each: each.first_frame - each.last_frame))


def _n_frames(stretches: list[tuple[int, int]]) -> int:
    return sum(last + 1 - first for first, last in stretches)


def _resolution_m(path_m: FloatArray) -> float:
    """Step of the numbers of a path: that of single precision, or the coarser one that they are written in."""
    known = path_m[all_finite(path_m)]
    steps = [np.finfo(np.float32).eps * np.abs(known).max(initial=0.0)]
    for axis in known.T:
        apart = np.diff(np.sort(axis))
        apart = apart[apart > steps[0] / 2.0]
        smallest = apart[apart < 1.5 * apart.min()].mean() if apart.size else 0.0
        multiples = apart[apart < 50.0 * smallest] / max(smallest, steps[0])
        if multiples.size and np.abs(multiples - np.round(multiples)).max() < _WHOLE:
            steps.append(float(smallest))
    return float(max(steps))


def _fewest(rate_hz: float, order: int) -> int:
    """Differences in a row that vanish in a stretch of `LEAST_FILLED_S` with the measured frames at its two ends."""
    return max(_FEWEST_DIFFERENCES, int(np.ceil(LEAST_FILLED_S * rate_hz - 1e-9)) + 2 - order)


def _vanishing(values_m: FloatArray, path_m: FloatArray, written: tuple[float, float], order: int) -> Iterator[tuple[int, int]]:
    """First and last frame of each stretch, its measured ends left out, whose differences are rounding, and no others are.

    ``written``: frames per second, and the step of the numbers in metres.
    """
    rate_hz, step_m = written
    differences, rounding = np.abs(np.diff(values_m, n=order, axis=0)).max(axis=1), 2.0 ** (order - 1) * step_m
    fewest, inside = _fewest(rate_hz, order), np.asarray(differences < rounding)

    def are_measured(others: FloatArray) -> bool:
        known = others[np.isfinite(others)]
        return known.size > 0 and bool(np.median(known) > _TIMES_ROUNDING * rounding)

    for first, stop in runs(inside) if are_measured(differences) else ():
        beside = [each for each in (differences[:first][-fewest:], differences[stop:][:fewest]) if len(each) == fewest]
        travel_m = np.linalg.norm(np.ptp(path_m[first : stop + order], axis=0))
        if stop - first >= fewest and travel_m > _LEAST_TRAVEL_M and beside and all(map(are_measured, beside)):
            yield first + 1, stop + order - 2


def _in_step(paths_m: list[FloatArray], written: tuple[float, float]) -> Iterator[tuple[int, int]]:
    """Pairs of markers whose speeds change alike along the first axis often enough to be looked at."""
    second = np.diff(np.stack([path[:, 0] for path in paths_m], axis=1), n=2, axis=0) if len(paths_m) > 1 else np.empty((0, 1))
    rate_hz, rounding = written[0], 2.0 * written[1]
    for one in range(second.shape[1] - 1):
        alike = np.count_nonzero(np.abs(second[:, one + 1 :] - second[:, one, None]) < rounding, axis=0)
        yield from ((one, one + 1 + int(other)) for other in np.flatnonzero(alike >= _fewest(rate_hz, 2)))
