"""Poses that fit as well and that a person can stand in: within ranges, without jumps, at rest where no marker shows anything.

A sum of squares does not care whether an arm turned three times about itself, or which of two bones leans. Poses in which a
coordinate lies far outside its range, or jumps, or in which a direction moves no marker, are therefore looked for anew: within
ranges, from their neighbours, or drawn to the default. The new pose is taken where its markers fit as well within `SAME_FIT_M`.
Where no other pose fits, the minimum stands: what is odd about it is said by ``pose_remarks``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray, median_seen
from biomech_id.multibody.joints import PolynomialFunction
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, CoordinateRelation, MusculoskeletalModel
from biomech_id.osim.kinematics.least_squares import Wanted, expand, minimise, within_constraints
from biomech_id.osim.kinematics.pose_search import PoseSearch, hard_limits
from biomech_id.osim.skeleton.tree import Tree

#: Two poses fit equally well whose mean squares differ by less than the square of this, m: half of a marker's noise.
SAME_FIT_M = 5e-4
#: What nothing determines is taken from the search below as long as the mean square is larger by less than the square of this, m.
MOST_M = 2e-3
#: Of a direction that is not determined: a whole radian moves the markers by less than 0.1 mm; m^2/rad^2.
WEAK = 1e-8
#: Share of a coordinate in such directions from which it counts as undetermined.
WEAK_SHARE = 0.01
#: Beyond its range by more than this, rad or m, a coordinate is looked for anew: real joints pass a model's range by less.
FAR_OUTSIDE = np.deg2rad(5.0)
#: Steps from frame to frame above this, rad or m, are no movement: at 100 frames a second 4 500 degrees a second.
STEP = np.deg2rad(45.0)
#: Pulls to the default, on what is not determined, and back into the ranges, m^2/rad^2; a radian of the first costs as much as 1 mm
#: off at every marker. They are tried in full and with these shares, until the markers fit as well as without.
PULL, PULL_BACK = 1e-6, 1e-5
PULL_SHARES = (1.0, 0.3, 0.1)
#: How often a frame may be put into its neighbour's place, and how many rounds of that there are.
MOST_CHANGES, ROUNDS = 2, 20


def nearer_poses(tree: Tree, wanted: Wanted, q: FloatArray, default: FloatArray, step: int) -> tuple[FloatArray, BoolArray]:
    """Replace poses nobody can stand in by others that fit as well.

    Parameters
    ----------
    tree : Tree
        The model's tree, compiled.
    wanted : Wanted
        Markers and targets of N frames, each with a marker at least.
    q : FloatArray
        (N, nq), the minimum in every frame, rad or m.
    default : FloatArray
        (nq,), where coordinates stand that nothing determines.
    step : int
        Frames from one key of the search to the next.

    Returns
    -------
    tuple[FloatArray, BoolArray]
        Coordinates (N, nq), the given ones wherever nothing is odd; and which are undetermined in which frame, (N, nq).
    """
    search = _Nearer(tree, wanted, _continuous(tree.model, wanted, q, default), default)
    weak = weak_coordinates(tree, wanted, search.q)
    never: BoolArray = np.asarray(weak.all(axis=0))
    if never.any() or (search.outside(search.q) > FAR_OUTSIDE).any():
        search.within_ranges(never, step)
    search.without_steps(never)
    return search.q, weak


def weak_coordinates(tree: Tree, wanted: Wanted, q: FloatArray) -> BoolArray:
    """Find coordinates that markers and targets do not determine, alone or together with others.

    Parameters
    ----------
    tree : Tree
        The model's tree, compiled.
    wanted : Wanted
        Markers and targets of N frames.
    q : FloatArray
        (N, nq), coordinates, rad or m; frames that show the same markers are judged by the one in their middle.

    Returns
    -------
    BoolArray
        (N, nq), true where a direction with a part in the coordinate moves the markers by less than 0.1 mm a radian.
    """
    _, pattern = np.unique(wanted.weight > 0, axis=0, return_inverse=True)
    pattern = pattern.ravel()
    frames = np.array([np.flatnonzero(pattern == k)[(pattern == k).sum() // 2] for k in range(pattern.max() + 1)])
    plain = np.zeros(len(frames), bool)
    here = expand(tree, wanted.at(frames), q[frames], plain)
    here = within_constraints(tree, q[frames], here, np.zeros_like(here.gradient, bool), plain)
    size, direction = np.linalg.eigh(here.hessian)
    share = (direction**2 * (size < WEAK)[:, None]).sum(axis=2)
    weak = np.zeros(q.shape, bool)
    weak[:, tree.free] = (share > WEAK_SHARE)[pattern]
    return weak


def turning_freely(model: MusculoskeletalModel) -> BoolArray:
    """Find coordinates for which a whole turn changes nothing.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model with its joints.

    Returns
    -------
    BoolArray
        (nq,), true for a coordinate that is not clamped, couples with none and drives nothing but turns, one to one.
    """
    coupled = {name for c in model.couplings for name in (c.dependent, c.independent)}
    relations = [each for each in model.constraints if isinstance(each, CoordinateRelation)]
    coupled |= {name for each in relations for name in (each.dependent, *each.independent)}
    plain = {True: set[str](), False: set(coupled)}
    for joint in model.joints:
        for axis in (*joint.rotations, *joint.translations):
            f = axis.function
            one_to_one = isinstance(f, PolynomialFunction) and len(f.coefficients) == 2 and abs(f.coefficients[1]) == 1.0
            plain[one_to_one and axis in joint.rotations and not joint.radii_m].add(axis.coordinate)
    return np.array([c.name in plain[True] - plain[False] and not (c.clamped or c.locked) for c in model.coordinates], dtype=bool)


def _continuous(model: MusculoskeletalModel, wanted: Wanted, q: FloatArray, default: FloatArray) -> FloatArray:
    """Angles without whole turns from frame to frame, and all of them as near the default as whole turns allow."""
    free = turning_freely(model) & (wanted.stiffness == 0)
    jumps = free & (np.abs(np.diff(q, axis=0)) > np.pi).any(axis=0)
    q = np.where(jumps, np.unwrap(q, axis=0), q)
    off = median_seen(q - default)
    return np.where(free & (np.abs(off) > 1.5 * np.pi), q - 2 * np.pi * np.round(off / (2 * np.pi)), q)


class _Nearer:
    """The poses of all frames while they are looked for anew."""

    def __init__(self, tree: Tree, wanted: Wanted, q: FloatArray, default: FloatArray) -> None:
        self.tree, self.wanted, self.q, self.default = tree, wanted, q.copy(), default
        model, self.bounds = tree.model, hard_limits(tree)
        rooted = {joint.name for joint in model.joints if joint.parent.body == SURROUNDINGS}
        self.at_root = np.array([c.joint in rooted for c in model.coordinates], dtype=bool)
        self.frames = np.arange(len(q))
        self.least, self.above = self.cost(self.frames, q), MOST_M**2 / 2
        # Where somebody stands and faces is nobody's range of motion.
        self.low, self.high = np.where(self.at_root, -np.inf, wanted.low), np.where(self.at_root, np.inf, wanted.high)

    def outside(self, q: FloatArray) -> FloatArray:
        """How far (N,) the farthest coordinate of each frame is beyond its range."""
        return np.asarray(np.maximum(q - self.high, self.low - q).max(axis=1, initial=0.0))

    def cost(self, frames: IntArray, q: FloatArray) -> FloatArray:
        some = self.wanted.at(frames)
        off = self.tree.posture(q, rows=False).points(some.body, some.place_m) - some.measured_m
        return some.cost(off, q)

    def held(self, pull: float, never: BoolArray, soft: float) -> Wanted:
        """The problem with a pull to the default on what no marker determines, and one back into the ranges."""
        stiffness = self.wanted.stiffness + pull * never
        return replace(self.wanted, stiffness=stiffness, soft=max(soft, self.wanted.soft), low=self.low, high=self.high)

    def within_ranges(self, never: BoolArray, step: int) -> None:
        """Search again with pulls, the strong ones first, until what fits as well is found; in place."""
        other: FloatArray | None = None
        for share in PULL_SHARES:
            held = self.held(share * PULL, never, share * PULL_BACK)
            if other is None:
                search = PoseSearch(self.tree, held, step)
                at = self.q[search.keys[search.anchor]]
                other = search.run(np.where(never, self.default, np.clip(at, self.low, self.high))).q
            else:
                other = minimise(self.tree, held, other, self.bounds).q
            if self._taken(other, never):
                break

    def _taken(self, other: FloatArray, never: BoolArray) -> bool:
        """Take poses that fit as well, all or those of odd frames; whether there is nothing left to look for."""
        above = self.cost(self.frames, other) - self.least
        if never.any():
            # What is never determined moves on together, in all frames alike.
            mean = float(above.mean())
            if mean < self.above:
                self.q, self.above = other, mean
            return mean <= SAME_FIT_M**2 / 2
        before, after = self.outside(self.q), self.outside(other)
        taken = (above <= SAME_FIT_M**2 / 2) & (before > FAR_OUTSIDE) & (after < before - FAR_OUTSIDE / 2)
        self.q[taken] = other[taken]
        return bool((self.outside(self.q) <= FAR_OUTSIDE).all())

    def without_steps(self, never: BoolArray) -> None:
        """Try frames that lie a step apart from each other's place, in place; equal fits follow their neighbour."""
        drawn, changes = self.held(PULL_SHARES[-1] * PULL, never, self.wanted.soft), np.zeros(len(self.q), dtype=int)
        tried: set[tuple[int, int, bytes]] = set()
        for _ in range(ROUNDS):
            improved = False
            for side in (-1, 1):
                steps = np.abs(np.diff(self.q, axis=0)).max(axis=1, initial=0.0)
                apart = np.flatnonzero(steps > STEP) + (side < 0)
                new = {(int(k), side, self.q[k + side].tobytes()) for k in apart if changes[k] < MOST_CHANGES} - tried
                tried |= new
                to = np.array(sorted(k for k, _, _ in new), dtype=int)
                if not len(to):
                    continue
                other = minimise(self.tree, drawn.at(to), self.q[to + side], self.bounds).q
                fits = self.cost(to, other) <= np.maximum(self.least[to] + SAME_FIT_M**2 / 2, self.cost(to, self.q[to]))
                fits &= np.abs(other - self.q[to + side]).max(axis=1) <= STEP
                fits &= self.outside(other) <= np.maximum(self.outside(self.q[to]), FAR_OUTSIDE)
                self.q[to[fits]] = other[fits]
                changes[to[fits]] += 1
                improved |= bool(fits.any())
            if not improved:
                break
