"""What recorded paths of markers show of how they were written: frames written twice, a marker that shakes, two labels of one path.

Cameras never see the same scene twice to the last digit, and skin does not shake from frame to frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, all_finite
from biomech_id.signal.runs import runs

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
