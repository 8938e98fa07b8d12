"""Gaps that a spline may not fill, filled from the other markers; and for every fill how far off it can be.

A body part's markers move together. Which of the others keep the steadiest distance to the missing one is seen in the frames that
show it; its place among them is learnt there by ridge regression and taken in the gap, in two ways: from the three steadiest
(*segment mates*), or from the twelve steadiest, taken by their principal movements (*principal movements*; Federolf 2013, J Biomech
46:2173; Gløersen and Federolf 2016, PLoS ONE 11:e0152616). Positions are turned into the body's own heading first, so that a turn
of the way costs nothing. What the rule misses at both ends of the gap is carried across it, linearly.

How far off is not guessed: gaps of the same length are cut where the marker was seen, spread over the trial, and filled in the same
way without those frames. The best of the ways there is taken, and the error that it stays below in about nineteen of twenty gaps
is its own error (`Gap.error_m`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, all_finite, over_seen
from biomech_id.signal.gaps import FILLERS, LEFT_OPEN, SPLINE_NEEDS, Gap, mates_of
from biomech_id.signal.gaps import MATES as MATES
from biomech_id.signal.gaps import MOVEMENTS as MOVEMENTS
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass, replace

#: A fill that can be farther off than this is not made, metres.
LARGEST_ERROR_M = 0.015
#: Ways to learn a marker from others: name, how many others, most principal components, and ridge (share of the features' power).
WAYS: tuple[tuple[str, int, int, float], ...] = (
    (MATES, 3, 9, 1e-6), (MATES, 3, 9, 1e-3), (MOVEMENTS, 12, 24, 1e-6), (MOVEMENTS, 12, 24, 1e-4), (MOVEMENTS, 24, 40, 1e-6),
)  # fmt: skip
#: Others that a place is learnt from at most, and at least; how many of them are its origin.
MOST_MATES, FEWEST_MATES, ORIGIN_MATES = 24, 3, 3
#: Of the frames that show the marker, those in which a mate must be seen too.
MATE_SEEN = 0.9
#: Other frames, in number of unknowns, without which nothing can be learnt.
FEWEST_TO_LEARN = 40
#: Gaps cut for the error, and the fewest that show one.
CUTS, FEWEST_CUTS = 24, 6
#: The error stays below this multiple of the root mean square over the cuts in about nineteen of twenty gaps.
COVERAGE_FACTOR = 2.0
#: Distances (m) below which one mate is as steady as another.
STEADINESS_M = 0.003

#: Fills frames [start, stop) of a marker's path without using what is there; None where it cannot.
Filler = Callable[[int, int], FloatArray | None]


def repair_gaps(
    position_m: FloatArray,
    names: Sequence[str],
    filled_m: FloatArray,
    gaps: Sequence[Gap],
    *,
    longest: int,
    first_frame: int = 1,
    groups: Sequence[Sequence[str]] = (),
) -> tuple[FloatArray, tuple[Gap, ...]]:
    """Fill what `fill_gaps` left open from the other markers, take back what is too uncertain, and say every fill's error.

    Parameters
    ----------
    position_m : FloatArray
        (n_frames, n_markers, 3), as measured, laboratory axes with Z up, metres; missing is NaN. All markers of the recording: they
        are the mates.
    names : Sequence[str]
        Label of each marker of ``position_m``.
    filled_m : FloatArray
        The same after `fill_gaps`.
    gaps : Sequence[Gap]
        What `fill_gaps` found and did, for those markers that matter.
    longest : int
        Longest gap that is filled from other markers, frames; 0 fills none.
    first_frame : int, optional
        The recording's number of the first frame.
    groups : Sequence[Sequence[str]], optional
        Names of the markers fixed to each segment, as for `fill_gaps`.

    Returns
    -------
    position_m : FloatArray
        (n_frames, n_markers, 3), filled; measured values are untouched.
    gaps : tuple[Gap, ...]
        Every gap with what was done at last, and its error.
    """
    seen = all_finite(position_m)
    index = {name: i for i, name in enumerate(names)}
    result, repaired, known = filled_m.copy(), [], dict[tuple[str, int, str], float]()
    for gap in gaps:
        marker, start = index[gap.marker], gap.first_frame - first_frame
        stop = start + gap.frames
        done = gap
        if gap.filled:
            key = (gap.marker, gap.frames, gap.method)
            if key not in known:
                known[key] = _error_as_filled(position_m, seen, gap, marker, mates_of(gap.marker, index, groups))
            done = replace(gap, error_m=known[key])
        if (not gap.filled and gap.frames <= longest) or done.error_m > LARGEST_ERROR_M:
            # What is too far off by a spline is taken back, also where the others do not show it any better.
            result[start:stop, marker], done = np.nan, replace(gap, method=LEFT_OPEN)
            known_m = np.where(seen[:, :, None], position_m, filled_m)
            fill = _from_others(known_m, seen, marker, start, stop) if gap.frames <= longest else None
            if fill is not None and fill.error_m <= LARGEST_ERROR_M:
                result[start:stop, marker] = fill.values_m
                done = replace(gap, method=fill.method, error_m=fill.error_m)
        repaired.append(done)
    return result, tuple(repaired)


def cut_errors_m(path_m: FloatArray, seen: BoolArray, length: int, filler: Filler) -> FloatArray:
    """Errors of a filler on gaps of one length, cut where the marker was seen.

    Parameters
    ----------
    path_m : FloatArray
        (n, 3), the marker.
    seen : BoolArray
        (n,), where it was measured.
    length : int
        Frames of each gap.
    filler : Filler
        Fills one without using it.

    Returns
    -------
    FloatArray
        (k,), root mean square error of each cut gap that could be filled, metres; at most `CUTS`.
    """
    errors = []
    for start in cut_places(seen, length):
        stop = start + length
        values = filler(start, stop)
        if values is not None:
            errors.append(np.sqrt(((values - path_m[start:stop]) ** 2).sum(axis=1).mean()))
    return np.asarray(errors, dtype=np.float64)


def cut_places(seen: BoolArray, length: int) -> list[int]:
    """Choose where gaps of a length can be cut, spread over the trial.

    Parameters
    ----------
    seen : BoolArray
        (n,), where it was measured.
    length : int
        Frames of each gap.

    Returns
    -------
    list[int]
        First frames of up to `CUTS` gaps; empty where the marker is nowhere seen for long enough.
    """
    free: list[int] = []
    for start, stop in runs(seen):
        free += range(start + SPLINE_NEEDS, stop - SPLINE_NEEDS - length + 1)
    if not free:
        return []
    return [free[at] for at in np.unique(np.linspace(0, len(free) - 1, CUTS).round().astype(int))]


def stated_error_m(errors_m: FloatArray) -> float:
    """Error that fills stay below in about nineteen of twenty gaps.

    Parameters
    ----------
    errors_m : FloatArray
        (k,), root mean square error of each cut.

    Returns
    -------
    float
        Metres; NaN for fewer than `FEWEST_CUTS` cuts.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.gap_repair import stated_error_m
    >>> stated_error_m(np.full(12, 0.002))
    0.004
    """
    if len(errors_m) < FEWEST_CUTS:
        return float("nan")
    return COVERAGE_FACTOR * float(np.sqrt((errors_m**2).mean()))


def _error_as_filled(position_m: FloatArray, seen: BoolArray, gap: Gap, marker: int, together: list[list[int]]) -> float:
    """The error of a fill by one of `FILLERS`."""

    def filled(start: int, stop: int) -> FloatArray | None:
        cut = seen.copy()
        cut[start:stop, marker] = False
        return FILLERS[gap.method](position_m, cut, marker, start, stop, together)

    return stated_error_m(cut_errors_m(position_m[:, marker], seen[:, marker], gap.frames, filled))


@dataclass(frozen=True, eq=False)
class _Fill:
    """A gap filled from other markers: values (n, 3) and error, metres, and by which way."""

    values_m: FloatArray
    error_m: float
    method: str


def _from_others(position_m: FloatArray, seen: BoolArray, marker: int, start: int, stop: int) -> _Fill | None:
    """The gap filled from other markers in the way that fills cuts of this length best; None where none can."""
    there = seen[:, marker]
    if min(there[:start].sum(), there[stop:].sum()) < SPLINE_NEEDS or not (there[start - 1] and there[stop]):
        return None
    mates, steadiness_m = _steadiest(position_m, there, marker, start, stop)
    if len(mates) < FEWEST_MATES:
        return None
    use = there & all_finite(position_m[:, mates], (1, 2))
    best: _Fill | None = None
    for name, n_mates, n_components, ridge in WAYS:
        if name == MOVEMENTS and len(mates) <= FEWEST_MATES:
            continue
        way = _learn(position_m, marker, mates[:n_mates], steadiness_m[:n_mates], use, (n_components, ridge))
        error_m = stated_error_m(cut_errors_m(position_m[:, marker], use, stop - start, way))
        if np.isfinite(error_m) and (best is None or error_m < best.error_m):
            values = way(start, stop)
            best = best if values is None else _Fill(values, error_m, name)
    return best


def _steadiest(position_m: FloatArray, there: BoolArray, marker: int, start: int, stop: int) -> tuple[list[int], FloatArray]:
    """Columns of the mates, and the standard deviation (m) of their distances to the marker, steadiest first."""
    finite = all_finite(position_m)
    often = (finite & there[:, None]).sum(axis=0) >= MATE_SEEN * there.sum()
    columns = np.flatnonzero(finite[start:stop].all(axis=0) & often)
    columns = columns[columns != marker]
    distance = np.linalg.norm(position_m[there][:, columns] - position_m[there, marker, None], axis=2)
    spread = over_seen(np.nanstd, distance, axis=0)
    # A marker that lies on another one is the same marker twice.
    order = np.argsort(spread)[:MOST_MATES]
    return columns[order].tolist(), spread[order]


def _learn(
    position_m: FloatArray, marker: int, mates: list[int], steadiness_m: FloatArray, use: BoolArray, how: tuple[int, float]
) -> Filler:
    """The way to place a marker by its mates, which leaves out the frames that it is asked for."""
    n_components, ridge = how
    finite = all_finite(position_m[:, mates], (1, 2))
    origin_m = position_m[:, mates[:ORIGIN_MATES]].mean(axis=1)
    R = _heading(position_m[:, mates], finite)
    among = np.einsum("nij,nkj->nki", R, position_m[:, mates] - origin_m[:, None]) / (steadiness_m + STEADINESS_M)[:, None]
    target = np.einsum("nij,nj->ni", R, position_m[:, marker] - origin_m)
    features = _principal(among.reshape(len(among), -1), finite, n_components)
    gram, moments = features[use].T @ features[use], features[use].T @ target[use]
    penalty = ridge * use.sum() * np.eye(len(gram))
    penalty[-1, -1] = 0.0

    def fill(start: int, stop: int) -> FloatArray | None:
        without = np.zeros(len(use), dtype=bool)
        without[start:stop] = True
        kept, left_out = use & ~without, use & without
        before, after = np.flatnonzero(kept[:start])[-1:], np.flatnonzero(kept[stop:])[:1] + stop
        if kept.sum() < FEWEST_TO_LEARN or not len(before) or not len(after):
            return None
        own = gram - features[left_out].T @ features[left_out] + penalty
        weights = np.linalg.solve(own, moments - features[left_out].T @ target[left_out])
        # What the rule misses at both ends is carried across.
        missed = [target[end] - features[end] @ weights for end in (before, after)]
        share = ((np.arange(start, stop) - before) / (after - before))[:, None]
        local_m = features[start:stop] @ weights + (1 - share) * missed[0] + share * missed[1]
        return np.asarray(np.einsum("nji,nj->ni", R[start:stop], local_m) + origin_m[start:stop])

    return fill


def _heading(points_m: FloatArray, finite: BoolArray) -> FloatArray:
    """Rotations (n, 3, 3) about Z that lay the points, seen from above, over those of a middle frame; unseen: 1."""
    flat = points_m[finite][..., :2]
    flat = flat - flat.mean(axis=1, keepdims=True)
    reference = flat[len(flat) // 2]
    along = (flat * reference).sum(axis=(1, 2))
    across = (flat[..., 0] * reference[:, 1] - flat[..., 1] * reference[:, 0]).sum(axis=1)
    size = np.maximum(np.hypot(along, across), np.finfo(float).tiny)
    c, s = along / size, across / size
    R = np.tile(np.eye(3), (len(points_m), 1, 1))
    R[finite, 0, 0], R[finite, 0, 1], R[finite, 1, 0], R[finite, 1, 1] = c, -s, s, c
    return R


def _principal(features: FloatArray, finite: BoolArray, most: int) -> FloatArray:
    """Principal components (n, k + 1) of features, of unit power together, and a column of ones; NaN where one is unseen."""
    centred = features[finite] - features[finite].mean(axis=0)
    _, singular, Vt = np.linalg.svd(centred, full_matrices=False)
    k = min(most, int((singular > 1e-6 * singular[0]).sum())) if singular[0] > 0 else 0
    components = np.full((len(features), k + 1), np.nan)
    unit_power = np.sqrt(len(centred)) / max(singular[0], np.finfo(float).tiny)
    components[finite, :k] = centred @ Vt[:k].T * unit_power
    components[finite, k] = 1.0
    return components
