"""Gaps in marker paths: found, filled up to a stated length, and never silently.

Two fillers, the better one first. *Rigid body*: markers of one segment keep their distances, so three others show where the
missing one is; the segment's rotation and translation from the last complete frame before the gap (and from the first one after
it) follow by least squares (Kabsch 1976, Acta Cryst A32:922), and both predictions are blended linearly across the gap, so that
the path joins both ends. *Spline*: a cubic spline through the frames around the gap; it needs frames on both sides, because beyond
the last measured frame a spline is a guess. `register_gap_filler` adds one from outside, which is asked before both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, all_finite
from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.plugins import Registry
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass, replace

SPLINE = "spline"
RIGID_BODY = "rigid body"
LEFT_OPEN = "left open"
#: Fillers of `gap_repair`, of gaps that are left open.
MATES = "segment mates"
MOVEMENTS = "principal movements"

#: Frames on each side of a gap that a spline passes through, and the fewest it needs there.
SPLINE_REACH, SPLINE_NEEDS = 10, 3
#: A cluster this much wider than its line (second singular value, metres) has a direction in every plane.
THINNEST_CLUSTER_M = 0.01
FEWEST_MARKERS = 3


@dataclass(frozen=True)
class Gap:
    """One stretch of frames without one marker, and what became of it.

    Attributes
    ----------
    marker : str
        Label of the marker.
    first_frame : int
        First missing frame, in the recording's own numbering.
    last_frame : int
        Last missing frame, inclusive, in the recording's own numbering.
    method : str, optional
        Name of the filler: "spline", "rigid body", one of outside, or "left open"; `gap_repair` adds "segment mates" and "principal
        movements".
    error_m : float, optional
        Root mean square error that the fill stays below in about nineteen of twenty such gaps, metres; NaN where there is no fill
        or no estimate (`gap_repair`).
    """

    marker: str
    first_frame: int
    last_frame: int
    method: str = LEFT_OPEN
    error_m: float = float("nan")

    @property
    def frames(self) -> int:
        """Number of missing frames."""
        return self.last_frame - self.first_frame + 1

    @property
    def filled(self) -> bool:
        """Whether the gap was filled."""
        return self.method != LEFT_OPEN


def find_gaps(position_m: FloatArray, names: Sequence[str], *, first_frame: int = 1) -> tuple[Gap, ...]:
    """Find every gap of every marker that is seen at least once.

    Parameters
    ----------
    position_m : FloatArray
        (n_frames, n_markers, 3), missing is NaN.
    names : Sequence[str]
        Label of each marker of ``position_m``.
    first_frame : int, optional
        The recording's number of the first frame.

    Returns
    -------
    tuple[Gap, ...]
        By marker, then by frame; all left open. Gaps at the ends of the recording are among them.

    Raises
    ------
    ShapeError
        Names and positions do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.gaps import find_gaps
    >>> position_m = np.zeros((6, 1, 3))
    >>> position_m[2:4] = np.nan
    >>> [(gap.marker, gap.first_frame, gap.last_frame) for gap in find_gaps(position_m, ("RHEE",), first_frame=1)]
    [('RHEE', 3, 4)]
    """
    seen = _seen(position_m, names)
    gaps: list[Gap] = []
    for name, there in zip(names, seen.T, strict=True):
        missing = runs(~there) if there.any() else []
        gaps += [Gap(name, first_frame + start, first_frame + stop - 1) for start, stop in missing]
    return tuple(gaps)


def fill_gaps(
    position_m: FloatArray,
    names: Sequence[str],
    *,
    longest: int,
    first_frame: int = 1,
    groups: Sequence[Sequence[str]] = (),
) -> tuple[FloatArray, BoolArray, tuple[Gap, ...]]:
    """Fill gaps of up to ``longest`` frames.

    Parameters
    ----------
    position_m : FloatArray
        (n_frames, n_markers, 3), laboratory axes, metres; missing is NaN.
    names : Sequence[str]
        Label of each marker of ``position_m``.
    longest : int
        Longest gap to be filled, frames; 0 fills none.
    first_frame : int, optional
        The recording's number of the first frame, for the report.
    groups : Sequence[Sequence[str]], optional
        Names of the markers fixed to each segment, for filling by rigid body; a marker may belong to several.

    Returns
    -------
    position_m : FloatArray
        (n_frames, n_markers, 3), filled; measured values are untouched.
    filled : BoolArray
        (n_frames, n_markers), True where a value was filled in.
    gaps : tuple[Gap, ...]
        Every gap, with what was done.

    Raises
    ------
    InvalidValueError
        ``longest`` is negative.
    ShapeError
        Names and positions do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.gaps import fill_gaps
    >>> position_m = np.arange(8.0)[:, None, None] * np.ones((1, 1, 3)) * 0.01
    >>> position_m[3:5] = np.nan
    >>> filled_m, filled, gaps = fill_gaps(position_m, ("RHEE",), longest=10)
    >>> filled_m[3:5, 0, 0].round(6), gaps[0].method
    (array([0.03, 0.04]), 'spline')
    """
    if longest < 0:
        raise InvalidValueError(
            f"Gaps of up to {longest} frames cannot be filled.", value=longest, expected="0 or more frames", where="longest"
        )
    seen = _seen(position_m, names)
    result = np.array(position_m, dtype=np.float64)
    index = {name: i for i, name in enumerate(names)}
    gaps = []
    for gap in find_gaps(position_m, names, first_frame=first_frame):
        start, stop = gap.first_frame - first_frame, gap.last_frame - first_frame + 1
        marker = index[gap.marker]
        method = LEFT_OPEN
        together = mates_of(gap.marker, index, groups)
        for name, fill in reversed([*FILLERS.items()]) if gap.frames <= longest else ():
            values = fill(position_m, seen, marker, start, stop, together)
            if values is not None:
                result[start:stop, marker], method = values, name
                break
        gaps.append(replace(gap, method=method))
    return result, all_finite(result) & ~seen, tuple(gaps)


def _seen(position_m: FloatArray, names: Sequence[str]) -> BoolArray:
    if position_m.ndim != 3 or position_m.shape[1:] != (len(names), 3):
        raise ShapeError(
            f"Positions of shape {position_m.shape} do not fit {len(names)} marker names.",
            value=position_m.shape, expected=f"(any, {len(names)}, 3)", where="gaps",
        )  # fmt: skip
    return all_finite(position_m)


def mates_of(marker: str, index: Mapping[str, int], groups: Sequence[Sequence[str]]) -> list[list[int]]:
    """Columns of the other markers of each segment that a marker is on.

    Parameters
    ----------
    marker : str
        Label of the marker.
    index : Mapping[str, int]
        Label of a marker -> its column.
    groups : Sequence[Sequence[str]]
        Names of the markers fixed to each segment.

    Returns
    -------
    list[list[int]]
        One list a segment; a segment with fewer than `FEWEST_MARKERS` others is left out.
    """
    together = [[index[n] for n in members if n in index and n != marker] for members in groups if marker in members]
    return [others for others in together if len(others) >= FEWEST_MARKERS]


def spline(path: FloatArray, seen: BoolArray, start: int, stop: int) -> FloatArray | None:
    """Fill a gap by a cubic spline through the frames around it.

    Parameters
    ----------
    path : FloatArray
        (n, 3), the marker.
    seen : BoolArray
        (n,), where it was measured; frames of the gap are not looked at.
    start, stop : int
        The gap, half open.

    Returns
    -------
    FloatArray | None
        (stop - start, 3), in the unit of ``path``; None when a side has too few frames.
    """
    earliest = max(0, start - SPLINE_REACH)
    before = np.flatnonzero(seen[earliest:start]) + earliest
    after = np.flatnonzero(seen[stop : stop + SPLINE_REACH]) + stop
    if min(len(before), len(after)) < SPLINE_NEEDS:
        return None
    from scipy.interpolate import CubicSpline

    knots = np.concatenate([before, after])
    return np.asarray(CubicSpline(knots, path[knots])(np.arange(start, stop)))


def rigid_body(position_m: FloatArray, seen: BoolArray, marker: int, start: int, stop: int, others: list[int]) -> FloatArray | None:
    """Fill a gap from the segment's other markers, which keep their distances.

    Parameters
    ----------
    position_m : FloatArray
        (n, n_markers, 3), metres.
    seen : BoolArray
        (n, n_markers), where each was measured.
    marker : int
        Column of the missing one.
    start, stop : int
        The gap, half open.
    others : list[int]
        Columns of the segment's other markers.

    Returns
    -------
    FloatArray | None
        (stop - start, 3), metres, laboratory axes; None when fewer than three others are seen throughout the gap, or they lie on a
        line.
    """
    # Those of the others that are there throughout the gap.
    others = [other for other in others if seen[start:stop, other].all()]
    if len(others) < FEWEST_MARKERS:
        return None
    complete: BoolArray = np.asarray(seen[:, [marker, *others]].all(axis=1))
    before, after = np.flatnonzero(complete[:start]), np.flatnonzero(complete[stop:]) + stop
    ends = [int(frames[k]) for frames, k in ((before, -1), (after, 0)) if len(frames)]
    carried = [_carried(position_m, marker, others, end, start, stop) for end in ends]
    predictions = [values for values in carried if values is not None]
    if not predictions:
        return None
    if len(predictions) == 1:
        return predictions[0]
    weight = ((np.arange(start, stop) - ends[0]) / (ends[1] - ends[0]))[:, None]
    return np.asarray((1.0 - weight) * predictions[0] + weight * predictions[1])


def _carried(position_m: FloatArray, marker: int, others: list[int], end: int, start: int, stop: int) -> FloatArray | None:
    """The marker carried along by the others from frame ``end``, (stop - start, 3); None when they lie on a line."""
    reference = position_m[end, others]
    origin = reference.mean(axis=0)
    if np.linalg.svd(reference - origin, compute_uv=False)[1] < THINNEST_CLUSTER_M:
        return None
    moved = position_m[start:stop, others]
    moved_origin = moved.mean(axis=1)
    u, _, vt = np.linalg.svd(np.einsum("nki,kj->nij", moved - moved_origin[:, None], reference - origin))
    # A reflection would fit a flat cluster as well as a rotation.
    u[:, :, 2] *= np.sign(np.linalg.det(u @ vt))[:, None]
    return np.asarray(moved_origin + (u @ vt) @ (position_m[end, marker] - origin))


def _by_spline(
    position_m: FloatArray, seen: BoolArray, marker: int, start: int, stop: int, together: list[list[int]]
) -> FloatArray | None:
    return spline(position_m[:, marker], seen[:, marker], start, stop)


def _by_rigid_body(
    position_m: FloatArray, seen: BoolArray, marker: int, start: int, stop: int, together: list[list[int]]
) -> FloatArray | None:
    fills = (rigid_body(position_m, seen, marker, start, stop, others) for others in together)
    return next((values for values in fills if values is not None), None)


#: ``fill(position_m, seen, marker, start, stop, together)``: the marker in frames start to stop (n, 3), metres, or None. Positions
#: (n_frames, n_markers, 3) count where ``seen`` (n_frames, n_markers) says so; ``together`` lists the columns of the other markers
#: of each segment that it is on.
GapFiller = Callable[[FloatArray, BoolArray, int, int, int, list[list[int]]], FloatArray | None]
#: The last one is asked first.
FILLERS: Registry[str, GapFiller] = Registry(
    "gap filler", {SPLINE: _by_spline, RIGID_BODY: _by_rigid_body}, (LEFT_OPEN, MATES, MOVEMENTS)
)


def register_gap_filler(name: str, fill: GapFiller) -> None:
    """Add a way to fill gaps, which is asked before the others; how far off it can be is found like theirs, on gaps that are cut.

    Parameters
    ----------
    name : str
        What ``gaps.csv`` calls it.
    fill : GapFiller
        Fills one gap, or returns None.

    Raises
    ------
    OptionError
        The name is taken.
    """
    FILLERS.add(name, fill)
