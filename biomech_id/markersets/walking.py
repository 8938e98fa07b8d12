"""What markers lie on whose labels are all foreign, by how they move in a walk: a tree of distances, from the spines to the feet.

A static trial does not tell it: a thigh's cluster marker is as good a knee as the knee. In a walk the distance between two markers
varies little on one segment and much across joints; mean vectors between neighbours, how much their distance varies, heights and
ways fore and aft are held against those of named walks (``walking.csv``), and the cheapest reading of the whole is found exactly.
Each name has a margin: how much worse the best reading without it is. Nothing is analysed by such names unasked.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, over_seen
from biomech_id.conventions import SIDES
from biomech_id.markersets.marker_set import MarkerKey
from biomech_id.signal.filters import lowpass
from biomech_id.values import dataclass, field

#: Where a walk goes on (m/s) in one direction (degrees), for so long (s); so many frames of it are looked at.
GOES_ON_M_S, HEADING_DEG, LEAST_WALK_S, MOST_FRAMES = 0.25, 25.0, 0.3, 80
#: A marker is seen in this share of those frames, and goes this share of the median marker's way: what stays belongs to the room.
WALKED_SHARE, WAY_SHARE = 0.5, 0.3
#: Height of the spines that is tried (m): equal ratios.
HEIGHTS_M = np.geomspace(0.42, 1.15, 28)
#: What a foot's marker, and a leaf, costs that is not there.
NO_FOOT, NO_LEAF = 22.0, 16.0
#: Readings that cost more are no names; names of less margin are perhaps.
MOST_COST, OFFERED_MARGIN = 100.0, 4.0
#: Child -> parent of the core of a leg; the spines are joined across.
PARENTS: Mapping[str, str] = {
    "lateral_epicondyle": "asis", "lateral_malleolus": "lateral_epicondyle", "heel": "lateral_malleolus",
    "toe": "lateral_malleolus",
}  # fmt: skip
#: Further points -> the point of the core beside which they are looked for; the sacrum beside the left spine.
LEAVES: Mapping[str, str] = {
    "psis": "asis", "trochanter": "asis", "thigh_wand": "lateral_epicondyle", "medial_epicondyle": "lateral_epicondyle",
    "tibial_tubercle": "lateral_epicondyle", "fibula_head": "lateral_epicondyle", "shank_wand": "lateral_malleolus",
    "medial_malleolus": "lateral_malleolus", "metatarsal_1": "toe", "metatarsal_5": "toe", "sacrum": "asis",
}  # fmt: skip
#: The core of a leg, and what the spines are joined across by.
TREE = ("asis", *PARENTS)
ROOT = "across"
_CUTOFF_HZ = 2.0


@dataclass(frozen=True, eq=False)
class WalkShape:
    """How the markers of a walk lie and move against each other, in axes of walking (forward, left, up).

    Attributes
    ----------
    names : tuple[str, ...]
        Of the markers that walk along.
    vector_m : FloatArray
        (k, k, 3), mean from the first to the second.
    spread : FloatArray
        (k, k), logarithm of the distance's standard deviation, mm, and one.
    height_m : FloatArray
        (k,), mean above the lowest markers.
    fore_aft_m : FloatArray
        (k,), standard deviation of the place along the walk against the median marker's.
    """

    names: tuple[str, ...]
    vector_m: FloatArray
    spread: FloatArray
    height_m: FloatArray
    fore_aft_m: FloatArray


@dataclass(frozen=True)
class TreePart:
    """What named walks have of one point or one pair: medians and spreads, lengths as shares of the spines' height."""

    median: tuple[float, ...]
    spread: tuple[float, ...]


WalkTemplate = Mapping[tuple[str, str], TreePart]


@dataclass(frozen=True, eq=False)
class WalkNames:
    """What markers of a walk lie on.

    Attributes
    ----------
    cost : float
        Of the reading, in squared spreads.
    labels : Mapping[MarkerKey, str]
        (side, role) -> label; empty where the reading costs too much.
    margin : Mapping[MarkerKey, float]
        How much worse the best reading without a name is.
    """

    cost: float
    labels: Mapping[MarkerKey, str] = field(default_factory=dict)
    margin: Mapping[MarkerKey, float] = field(default_factory=dict)

    def offered(self) -> dict[MarkerKey, str]:
        """Names of enough margin."""
        return {key: label for key, label in self.labels.items() if self.margin[key] >= OFFERED_MARGIN}


def walk_shape(names: Sequence[str], position_m: FloatArray, rate_hz: float) -> WalkShape | None:
    """Return how the markers of a walk lie and move; None where nobody goes on in one direction.

    Parameters
    ----------
    names : Sequence[str]
        (k,), labels; they are not read.
    position_m : FloatArray
        (n, k, 3), laboratory axes, Z up, metres.
    rate_hz : float
        Frames per second.
    """
    middle = over_seen(np.nanmedian, position_m, axis=1)
    known = np.isfinite(middle).all(axis=1)
    if known.sum() < max(LEAST_WALK_S * rate_hz, 16):
        return None
    first, stop = np.flatnonzero(known)[[0, -1]] + [0, 1]
    way = np.stack([np.interp(np.arange(first, stop), np.flatnonzero(known), middle[known, axis]) for axis in range(2)], axis=1)
    way = lowpass(way, rate_hz, _CUTOFF_HZ)
    velocity = np.gradient(way, axis=0) * rate_hz
    speed = np.linalg.norm(velocity, axis=1)
    heading = velocity / np.maximum(speed, 1e-9)[:, None]
    moving = speed > GOES_ON_M_S
    if not moving.any():
        return None
    mean = heading[moving].mean(axis=0)
    along = (heading @ mean) > np.cos(np.radians(HEADING_DEG)) * np.linalg.norm(mean)
    frames = np.flatnonzero(moving & along)
    if len(frames) < LEAST_WALK_S * rate_hz:
        return None
    frames = frames[np.unique(np.linspace(0, len(frames) - 1, MOST_FRAMES).round().astype(int))]
    part, ahead = position_m[first + frames], heading[frames]
    went = np.array([_way_m(part[:, i]) for i in range(part.shape[1])])
    seen = np.isfinite(part).all(axis=2)
    kept = (seen.mean(axis=0) >= WALKED_SHARE) & (went >= WAY_SHARE * float(np.nanmedian(went)))
    if kept.sum() < len(TREE):
        return None
    return _shape([name for name, keep in zip(names, kept, strict=True) if keep], part[:, kept], seen[:, kept], ahead)


def _way_m(path_m: FloatArray) -> float:
    seen = path_m[np.isfinite(path_m).all(axis=1)]
    return float(np.linalg.norm((seen[-1] - seen[0])[:2])) if len(seen) > 1 else 0.0


def _shape(names: Sequence[str], part_m: FloatArray, seen: BoolArray, ahead: FloatArray) -> WalkShape:
    R = np.zeros((len(part_m), 3, 3))
    R[:, 0, :2], R[:, 1, 0], R[:, 1, 1], R[:, 2, 2] = ahead, -ahead[:, 1], ahead[:, 0], 1.0
    local = np.einsum("nij,nkj->nki", R, part_m)
    apart = local[:, None, :, :] - local[:, :, None, :]
    distance = np.linalg.norm(apart, axis=3)
    with np.errstate(invalid="ignore"):
        spread = np.log(1000.0 * over_seen(np.nanstd, distance, axis=0) + 1.0)
    middle = over_seen(np.nanmedian, local[:, :, 0], axis=1)
    fore_aft = over_seen(np.nanstd, local[:, :, 0] - middle[:, None], axis=0)
    floor_m = float(np.nanpercentile(part_m[:, :, 2], 1))
    height = over_seen(np.nanmean, part_m[:, :, 2], axis=0) - floor_m
    return WalkShape(tuple(names), over_seen(np.nanmean, apart, axis=0), spread, height, fore_aft)


# The template.


@cache
def shipped_template() -> WalkTemplate:
    """Return the template of the walks that were at hand: numbers of the file ``walking.csv``."""
    with Path(__file__).with_name("walking.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    numbers = {(child, parent): [float(value) for value in values if value] for child, parent, *values in rows}
    return {key: TreePart(tuple(each[: len(each) // 2]), tuple(each[len(each) // 2 :])) for key, each in numbers.items()}


# The reading.


def name_walk(shape: WalkShape, template: WalkTemplate | None = None) -> WalkNames:
    """Find what the markers of a walk lie on.

    Parameters
    ----------
    shape : WalkShape
        How the markers lie and move, as of `walk_shape`.
    template : WalkTemplate | None, optional
        Of named walks; None for the shipped one.

    Returns
    -------
    WalkNames
        No names where the cheapest reading costs more than `MOST_COST`.
    """
    parts = shipped_template() if template is None else template
    readings = (_Reading(shape, parts, float(height)) for height in HEIGHTS_M)
    best = min(readings, key=lambda reading: reading.cost)
    if best.cost > MOST_COST:
        return WalkNames(best.cost)
    labels, margin = best.core()
    leaves, leaf_margin = best.leaves(labels)
    chosen, apart = {**labels, **leaves}, {**margin, **leaf_margin}
    for index in set(chosen.values()):
        rivals = [key for key, at in chosen.items() if at == index]
        for key in rivals:
            if key != max(rivals, key=lambda each: apart[each]):
                del chosen[key]
    return WalkNames(best.cost, {key: shape.names[at] for key, at in chosen.items()}, {key: apart[key] for key in chosen})


class _Reading:
    """The cheapest reading of a walk for one height of the spines, from the feet to the spines and back."""

    def __init__(self, shape: WalkShape, parts: WalkTemplate, height_m: float) -> None:
        self.shape, self.parts, self.height_m = shape, parts, height_m
        self.up: dict[MarkerKey, FloatArray] = {}
        for side in SIDES:
            for role in ("heel", "toe", "lateral_malleolus", "lateral_epicondyle", "asis"):
                own = self.node(role)
                for child in (child for child, parent in PARENTS.items() if parent == role):
                    own = own + self.message(side, child)
                self.up[side, role] = own
        self.across = self.edge("asis", ROOT, "L")
        total = self.up["L", "asis"][:, None] + self.up["R", "asis"][None, :] + self.across
        self.total = total
        self.cost = float(total.min())

    def node(self, role: str) -> FloatArray:
        """(k,), of each marker in a role."""
        part = self.parts[role, ""]
        seen = np.stack([self.shape.height_m, self.shape.fore_aft_m], axis=1) / self.height_m
        return np.asarray((((seen - part.median) / part.spread) ** 2).sum(axis=1))

    def edge(self, child: str, parent: str, side: str) -> FloatArray:
        """(k, k), of each pair, the parent first; no marker is beside itself."""
        part = self.parts[child, parent]
        mirror = np.array([1.0, 1.0 if side == "L" else -1.0, 1.0])
        seen = np.concatenate([self.shape.vector_m / self.height_m * mirror, self.shape.spread[:, :, None]], axis=2)
        cost = (((seen - part.median) / part.spread) ** 2).sum(axis=2)
        np.fill_diagonal(cost, np.inf)
        return np.where(np.isfinite(cost), cost, np.inf)

    def table(self, side: str, child: str) -> FloatArray:
        """(k, k), of each parent with each child and all that hangs on it."""
        return self.edge(child, PARENTS[child], side) + self.up[side, child][None, :]

    def message(self, side: str, child: str) -> FloatArray:
        """(k,), of the best child of each parent; a foot's marker may be missing."""
        best = self.table(side, child).min(axis=1)
        return np.asarray(np.minimum(best, NO_FOOT) if child in ("heel", "toe") else best)

    def core(self) -> tuple[dict[MarkerKey, int], dict[MarkerKey, float]]:
        """Markers of the core, and how much worse the best reading with another one is."""
        down: dict[MarkerKey, FloatArray] = {
            ("L", "asis"): (self.total - self.up["L", "asis"][:, None]).min(axis=1),
            ("R", "asis"): (self.total - self.up["R", "asis"][None, :]).min(axis=0),
        }
        chosen: dict[MarkerKey, int] = {}
        margin: dict[MarkerKey, float] = {}
        chosen["L", "asis"], chosen["R", "asis"] = (int(i) for i in np.unravel_index(int(self.total.argmin()), self.total.shape))
        for side in SIDES:
            margin[side, "asis"] = self._margin(self.up[side, "asis"] + down[side, "asis"], chosen[side, "asis"], np.inf)
            for child, parent in PARENTS.items():
                if (side, parent) not in chosen:
                    continue
                beyond = down[side, parent] + self.up[side, parent] - self.message(side, child)
                table = self.table(side, child)
                down[side, child] = (beyond[:, None] + table - self.up[side, child][None, :]).min(axis=0)
                without = float((beyond + NO_FOOT).min()) if child in ("heel", "toe") else np.inf
                row = table[chosen[side, parent]]
                if child in ("heel", "toe") and row.min() > NO_FOOT:
                    continue
                chosen[side, child] = int(row.argmin())
                margin[side, child] = self._margin(self.up[side, child] + down[side, child], chosen[side, child], without)
        return chosen, margin

    def _margin(self, marginal: FloatArray, chosen: int, without: float) -> float:
        return float(min(np.delete(marginal, chosen).min(initial=np.inf), without) - self.cost)

    def leaves(self, core: Mapping[MarkerKey, int]) -> tuple[dict[MarkerKey, int], dict[MarkerKey, float]]:
        """Further points beside those of the core, by one assignment."""
        from scipy.optimize import linear_sum_assignment

        free = [i for i in range(len(self.shape.names)) if i not in set(core.values())]
        keys, rows = list[MarkerKey](), list[FloatArray]()
        for role, beside in LEAVES.items():
            for side in ("",) if role == "sacrum" else SIDES:
                anchor = core.get((side or "L", beside))
                if anchor is not None and (role, beside) in self.parts:
                    keys.append((side, role))
                    rows.append((self.node(role) + self.edge(role, beside, side or "L")[anchor])[free])
        if not keys or not free:
            return {}, {}
        table = np.concatenate([np.minimum(np.stack(rows), 1e6), np.full((len(keys), len(keys)), NO_LEAF)], axis=1)
        where, column = linear_sum_assignment(table)
        total = float(table[where, column].sum())
        chosen, margin = dict[MarkerKey, int](), dict[MarkerKey, float]()
        for row, at in zip(where.tolist(), column.tolist(), strict=True):
            if at < len(free):
                other = table.copy()
                other[row, at] = 1e6
                again = linear_sum_assignment(other)
                chosen[keys[row]], margin[keys[row]] = free[at], float(other[again].sum()) - total
        return chosen, margin


def name_markers(names: Sequence[str], position_m: FloatArray, rate_hz: float) -> tuple[WalkShape | None, WalkNames | None]:
    """Find what the markers of a recording lie on, if somebody walks in it.

    Parameters
    ----------
    names : Sequence[str]
        (k,), labels; they are not read.
    position_m : FloatArray
        (n, k, 3), laboratory axes, Z up, metres.
    rate_hz : float
        Frames per second.

    Returns
    -------
    shape : WalkShape | None
        None where nobody goes on in one direction.
    named : WalkNames | None
        What they lie on.
    """
    seen = np.flatnonzero(np.isfinite(position_m).all(axis=2).any(axis=0))
    shape = walk_shape([names[int(i)] for i in seen], position_m[:, seen], rate_hz)
    return shape, None if shape is None else name_walk(shape)
