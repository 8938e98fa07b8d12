"""How inverse kinematics finds the minimum of every frame without a step for every frame.

One frame is found from the model's default pose, and where that was hard from others too. Keys along the recording follow, a few at
a time from the last one before them; between keys every frame begins on a cubic, and all go to their minimum together. Where two
neighbours end far apart, each is tried from the other's place, and the lower one holds: a limb does not stay in a minimum that its
neighbours have left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.multibody.musculoskeletal import SURROUNDINGS
from biomech_id.osim.kinematics.least_squares import Minimum, Wanted, minimise
from biomech_id.osim.skeleton.tree import Tree

#: Root mean square of the markers' distances, m, above which other beginnings are tried.
FAR_OFF_M = 0.05
#: Frames this far apart, s, are found one after the other; the rest begins between them.
KEY_STEP_S = 0.1
#: Frames of those that are found together, from the last one before them.
KEYS_TOGETHER = 7
#: Steps after which a frame on the way is near enough, rad or m, and how many a beginning gets.
ON_THE_WAY = 0.1
FIRST_STEPS = 15
#: Neighbours further apart than this, rad or m, are tried from each other's place.
JUMP = 0.5
#: The same between keys.
KEY_JUMP = 1.2
#: A minimum has to be lower by this share to be taken instead.
LOWER = 1e-6
#: How far coordinates are moved for further beginnings, rad, and how many of those there are.
SCATTER_RAD, BEGINNINGS = 0.6, 5


def hard_limits(tree: Tree) -> tuple[FloatArray, FloatArray]:
    """The bounds of each free coordinate.

    Parameters
    ----------
    tree : Tree
        The model's tree, compiled.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        Least and largest value, (F,) each, rad or m: the range of a coordinate that is clamped, else infinite.

    Examples
    --------
    >>> from biomech_id.osim.kinematics.pose_search import hard_limits
    >>> from biomech_id.osim.skeleton.tree import Tree
    >>> from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
    >>> hard_limits(Tree(MusculoskeletalModel("still", (), (), ())))
    (array([], dtype=float64), array([], dtype=float64))
    """
    ranges = [c.range if c.clamped else (-np.inf, np.inf) for c in tree.model.coordinates]
    low, high = np.array(ranges, dtype=float).reshape(-1, 2)[tree.free].T
    return low, high


class PoseSearch:
    """The way to each frame's minimum.

    Parameters
    ----------
    tree : Tree
        The model's tree, compiled.
    wanted : Wanted
        Markers and targets of N frames.
    step : int
        Frames from one key to the next.
    """

    def __init__(self, tree: Tree, wanted: Wanted, step: int) -> None:
        self.tree, self.wanted, self.bounds = tree, wanted, hard_limits(tree)
        self.n = len(wanted.weight)
        seen = (wanted.weight > 0).sum(axis=1)
        anchor = int(np.argmax(seen))
        keys = {anchor, 0, self.n - 1, *range(anchor, self.n, step), *range(anchor, -1, -step)}
        self.keys = np.array(sorted(keys))
        self.anchor = int(np.searchsorted(self.keys, anchor))

    def run(self, start: FloatArray | None) -> Minimum:
        """Find the minimum in every frame.

        Parameters
        ----------
        start : FloatArray | None
            (nq,), where to begin; the default pose, and others where that is not enough, for None.

        Returns
        -------
        Minimum
            Of N frames.
        """
        keys = self.keys
        q = np.empty((len(keys), len(self.tree.model.coordinates)))
        cost = np.empty(len(keys))
        q[self.anchor], cost[self.anchor] = self._first(start)
        for way in (range(self.anchor, len(keys)), range(self.anchor, -1, -1)):
            for at in range(0, len(way) - 1, KEYS_TOGETHER):
                together = np.array(way[at + 1 : at + 1 + KEYS_TOGETHER])
                minimum = self._minimum(keys[together], np.repeat(q[way[at], None], len(together), axis=0), near=ON_THE_WAY)
                q[together], cost[together] = minimum.q, minimum.cost
        self._settle(keys, q, cost, near=ON_THE_WAY, apart=KEY_JUMP)
        begin = _between(keys, q, self.n)
        minimum = minimise(self.tree, self.wanted, begin, self.bounds)
        q, cost, converged = minimum.q, minimum.cost, minimum.converged
        converged |= self._settle(np.arange(self.n), q, cost)
        return Minimum(q, cost, converged, minimum.steps)

    def _minimum(self, frames: IntArray, begin: FloatArray, **how: Any) -> Minimum:
        return minimise(self.tree, self.wanted.at(frames), begin, self.bounds, **how)

    def _first(self, start: FloatArray | None) -> tuple[FloatArray, float]:
        """The anchor frame from the default pose; where that was hard, from several beginnings."""
        frame = self.keys[[self.anchor]]
        default = np.array([c.default for c in self.tree.model.coordinates])
        first = self._minimum(frame, (default if start is None else start)[None])
        if start is not None or self._easy(first):
            return first.q[0], first.cost[0]
        starts = _beginnings(self.tree, default)
        tried = self._minimum(np.repeat(frame, len(starts)), starts, near=ON_THE_WAY, most=FIRST_STEPS)
        best = np.argsort(np.where(np.isfinite(tried.cost), tried.cost, np.inf), kind="stable")[:3]
        more = self._minimum(np.repeat(frame, len(best)), tried.q[best])
        q, cost = np.concatenate([first.q, more.q]), np.concatenate([first.cost, more.cost])
        lowest = int(np.flatnonzero(cost <= np.nanmin(cost) * (1 + LOWER))[0])
        return self._within_a_turn(q[lowest], default), cost[lowest]

    def _easy(self, minimum: Minimum) -> bool:
        """Whether the first minimum was reached straight on, holds no coordinate at its bound and leaves no marker far away."""
        x, (low, high) = minimum.q[0, self.tree.free], self.bounds
        straight = minimum.converged[0] and minimum.steps[0] <= FIRST_STEPS and ((x > low) & (x < high)).all()
        return bool(straight and 2 * minimum.cost[0] < FAR_OFF_M**2)

    def _within_a_turn(self, q: FloatArray, default: FloatArray) -> FloatArray:
        """Angles brought within half a turn of the default, where a whole turn changes nothing."""
        coordinates = self.tree.model.coordinates
        whole = np.array([c.motion == "rotational" and not c.clamped for c in coordinates]) & (self.wanted.stiffness == 0)
        return np.where(whole, q - 2 * np.pi * np.round((q - default) / (2 * np.pi)), q)

    def _settle(self, frames: IntArray, q: FloatArray, cost: FloatArray, *, near: float = 0.0, apart: float = JUMP) -> BoolArray:
        """Frames tried from a far neighbour's place, in place, as long as that makes one lower; which ones (N,) were."""
        free, changed = self.tree.free, np.zeros(len(frames), bool)
        tried: set[tuple[int, int, float]] = set()
        improved = True
        while improved:
            improved = False
            for side in (-1, 1):
                off = np.flatnonzero(np.abs(np.diff(q[:, free], axis=0)).max(axis=1, initial=0.0) > apart)
                new = {(int(k), side, float(cost[k + side])) for k in off + (side < 0)} - tried
                tried |= new
                to = np.array(sorted(k for k, _, _ in new), dtype=int)
                if not len(to):
                    continue
                minimum = self._minimum(frames[to], q[to + side], near=near)
                lower = minimum.cost < cost[to] * (1 - LOWER)
                q[to[lower]], cost[to[lower]], changed[to[lower]] = minimum.q[lower], minimum.cost[lower], minimum.converged[lower]
                improved |= bool(lower.any())
        return changed


def _between(keys: IntArray, q: FloatArray, n: int) -> FloatArray:
    """Coordinates (n, nq) in every frame, on cubics through the keys with the slopes of their neighbours."""
    if len(keys) == 1:
        return np.repeat(q, n, axis=0)
    frames = np.arange(n)
    after = np.clip(np.searchsorted(keys, frames, side="right"), 1, len(keys) - 1)
    width = (keys[after] - keys[after - 1])[:, None]
    t = (frames[:, None] - keys[after - 1][:, None]) / width
    slope, a, b = np.gradient(q, keys, axis=0), q[after - 1], q[after]
    bend = (1 - t) * slope[after - 1] * width - t * slope[after] * width - (1 - 2 * t) * (b - a)
    return np.asarray((1 - t) * a + t * b + t * (1 - t) * bend)


def _beginnings(tree: Tree, default: FloatArray) -> FloatArray:
    """Poses (K, nq) to begin from: limbs moved, the body turned."""
    model = tree.model
    turning = np.array([c.motion == "rotational" and not c.locked for c in model.coordinates])
    rooted = {j.name for j in model.joints if j.parent.body == SURROUNDINGS}
    at_root = np.array([c.joint in rooted for c in model.coordinates])
    rng = np.random.default_rng(0)
    limbs = turning & ~at_root
    starts = [default + limbs * rng.uniform(-SCATTER_RAD, SCATTER_RAD, len(default)) for _ in range(BEGINNINGS)]
    for k in np.flatnonzero(turning & at_root):
        starts += [default + quarter * np.pi / 2 * (np.arange(len(default)) == k) for quarter in (1, 2, 3)]
    return np.array(starts)
