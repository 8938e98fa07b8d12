"""The sum of squares that inverse kinematics makes least, its gradient and its exact second derivatives, all frames at once.

In each frame, over the markers that are there ::

    cost = sum_m w_m |p_m(q) - y_m|^2 / (2 sum_m w_m)  +  sum_c w_c (q_c - target_c)^2 / 2

A row of the tree moves a marker beyond it by ``turn x p + shift``, so both derivatives need no Jacobian of every marker by every
coordinate: sums over the markers beyond a row of w, w p, w p p^T, w r and w p r^T (r = p - y) are enough, as a body's mass, centre
and inertia are enough for its kinetic energy.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.vectors import cross
from biomech_id.osim.skeleton.closing import BOUND, bound_directions
from biomech_id.osim.skeleton.tree import Tree
from biomech_id.values import dataclass, replace

#: Step of the differences that second derivatives of constraints are taken from, rad or m.
DIFFERENCE = 1e-6
#: States that constraints are differenced in together.
STATES_AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class Wanted:
    """What coordinates are to come near to, frame by frame.

    Attributes
    ----------
    body : IntArray
        (M,), bodies of the markers.
    place_m : FloatArray
        (M, 3), in the bodies' frames.
    measured_m : FloatArray
        (N, M, 3), in the axes of the surroundings; anything where the weight is zero, but finite.
    weight : FloatArray
        (N, M), of the markers, already divided by each frame's sum; zero where a marker is missing.
    target : FloatArray
        (N, nq), of the coordinates.
    stiffness : FloatArray
        (nq,), weights of the coordinates.
    low, high : FloatArray
        (nq,), beyond which a coordinate costs `soft`.
    soft : float
        Weight of the square beyond those.
    """

    body: IntArray
    place_m: FloatArray
    measured_m: FloatArray
    weight: FloatArray
    target: FloatArray
    stiffness: FloatArray
    low: FloatArray
    high: FloatArray
    soft: float = 0.0

    def cost(self, off_m: FloatArray, q: FloatArray) -> FloatArray:
        """The sum of squares in each frame, as OpenSim counts it, halved.

        Parameters
        ----------
        off_m : FloatArray
            (N, M, 3), the model's markers minus the measured ones.
        q : FloatArray
            (N, nq), all coordinates.

        Returns
        -------
        FloatArray
            (N,), m^2.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.osim.kinematics.least_squares import Wanted
        >>> none, one = np.zeros((1, 1)), np.ones(1)
        >>> w = Wanted(np.array([0]), np.zeros((1, 3)), np.zeros((1, 1, 3)), np.ones((1, 1)), none, 2 * one, -one, one)
        >>> w.cost(np.array([[[0.0, 0.03, 0.04]]]), np.array([[0.1]])).round(6)
        array([0.01125])
        """
        squares = np.einsum("nm,nmc,nmc->n", self.weight, off_m, off_m) + ((q - self.target) ** 2) @ self.stiffness
        if self.soft:
            squares += self.soft * (np.maximum(q - self.high, 0.0) ** 2 + np.maximum(self.low - q, 0.0) ** 2).sum(axis=1)
        return np.asarray(0.5 * squares)

    def at(self, frames: IntArray) -> Wanted:
        """The same problem in some of the frames.

        Parameters
        ----------
        frames : IntArray
            Indices of the frames, each at most once or several times.

        Returns
        -------
        Wanted
            Of as many frames as were named.
        """
        return replace(self, measured_m=self.measured_m[frames], weight=self.weight[frames], target=self.target[frames])


@dataclass(frozen=True, eq=False)
class Expansion:
    """Cost and derivatives by the free coordinates, in N frames.

    Attributes
    ----------
    cost : FloatArray
        (N,), the halved sum of squares, m^2.
    gradient : FloatArray
        (N, F), first derivatives.
    hessian : FloatArray
        (N, F, F): second derivatives, with or without what second derivatives of the markers add.
    """

    cost: FloatArray
    gradient: FloatArray
    hessian: FloatArray

    def at(self, frames: IntArray) -> Expansion:
        """The same of some of the frames.

        Parameters
        ----------
        frames : IntArray
            Indices of the frames wanted.

        Returns
        -------
        Expansion
            Of as many frames as were named.
        """
        return Expansion(self.cost[frames], self.gradient[frames], self.hessian[frames])

    def put(self, frames: IntArray, other: Expansion, of_other: BoolArray) -> None:
        """Write some frames of another one over those of this one.

        Parameters
        ----------
        frames : IntArray
            Indices of the frames that are overwritten.
        other : Expansion
            Where the new values are from.
        of_other : BoolArray
            (K,), which frames of ``other`` are taken; as many as ``frames``.
        """
        for name in ("cost", "gradient", "hessian"):
            getattr(self, name)[frames] = getattr(other, name)[of_other]


def expand(tree: Tree, wanted: Wanted, q: FloatArray, exact: BoolArray) -> Expansion:
    """Cost, gradient and second derivatives at given coordinates.

    Parameters
    ----------
    tree : Tree
        The model's tree, compiled.
    wanted : Wanted
        Markers and targets of N frames.
    q : FloatArray
        (N, nq), all coordinates, completed.
    exact : BoolArray
        (N,), whether second derivatives of the markers count.

    Returns
    -------
    Expansion
        (N,), (N, F) and (N, F, F), by the F free coordinates.
    """
    posture = tree.posture(q)
    points = posture.points(wanted.body, wanted.place_m)
    off, w, weight = points - wanted.measured_m, wanted.weight[..., None], exact.astype(float)[:, None]
    w_off = w * off
    origin = points.mean(axis=1, keepdims=True)
    p = points - origin
    wp = w * p
    sums = tree.beyond[:, wanted.body].astype(float) @ _features(w, p, wp, w_off, weight[..., None])
    turn, slope = posture.turn, posture.slope[..., None]
    shift = posture.shift + cross(turn, origin)
    by_row = (turn * sums[..., 1:4]).sum(axis=-1) + (shift * sums[..., 4:7]).sum(axis=-1)
    by, free = tree.by_coordinate, np.arange(len(tree.free))
    half = tree.before * _products(turn * slope, shift * slope, sums, weight[..., None])
    gathered = by.T @ (half @ by)
    hessian = gathered + gathered.swapaxes(1, 2)
    hessian[:, free, free] += weight * ((posture.curvature * by_row) @ by)
    return _with_targets(tree, wanted, q, Expansion(wanted.cost(off, q), (posture.slope * by_row) @ by, hessian), weight[:, 0])


def _features(w: FloatArray, p: FloatArray, wp: FloatArray, w_off: FloatArray, exact: FloatArray) -> FloatArray:
    """What is summed over markers (N, M, 19): w, p x w r, w r, w p, and p (w r - w p)^T, r only where exact."""
    features = np.empty((*w.shape[:2], 19))
    features[..., :1], features[..., 1:4], features[..., 4:7], features[..., 7:10] = w, cross(p, w_off), w_off, wp
    features[..., 10:] = (p[..., :, None] * (exact * w_off - wp)[..., None, :]).reshape(*w.shape[:2], 9)
    return features


def _products(turn: FloatArray, shift: FloatArray, sums: FloatArray, exact: FloatArray) -> FloatArray:
    """Second derivatives (N, S, S) by amounts of rows, right where the first row is not behind the second one."""
    n, s = turn.shape[:2]
    mass, first, force = sums[..., :1], sums[..., 7:10], sums[..., 4:7]
    second = sums[..., 10:].reshape(n, s, 3, 3)
    trace = second[..., 0, 0] + second[..., 1, 1] + second[..., 2, 2]
    right = np.empty((n, s, 6))
    right[..., :3] = (second @ turn[..., None])[..., 0] - trace[..., None] * turn + cross(shift, exact * force - first)
    right[..., 3:] = cross(turn, first) + mass * shift
    return np.concatenate([turn, shift], axis=2) @ right.swapaxes(1, 2)


def _with_targets(tree: Tree, wanted: Wanted, q: FloatArray, of_markers: Expansion, exact: FloatArray) -> Expansion:
    """With the coordinates' own terms; one that follows another passes its term on."""
    off, stiffness = q - wanted.target, np.broadcast_to(wanted.stiffness, q.shape)
    pull = stiffness * off
    if wanted.soft:
        beyond = np.where(q > wanted.high, q - wanted.high, np.minimum(q - wanted.low, 0.0))
        pull = pull + wanted.soft * beyond
        stiffness = stiffness + wanted.soft * (beyond != 0)
    free, diagonal = tree.free, np.arange(len(tree.free))
    gradient, hessian = of_markers.gradient, of_markers.hessian
    gradient += pull[:, free]
    hessian[:, diagonal, diagonal] += stiffness[:, free]
    if tree.following and pull[:, [k for k, _ in tree.following]].any():
        slope, curvature = tree.coupled(q)
        for k, f in tree.following:
            gradient[:, f] += pull[:, k] * slope[:, k]
            hessian[:, f, f] += stiffness[:, k] * slope[:, k] ** 2 + exact * pull[:, k] * curvature[:, k]
    return Expansion(of_markers.cost, gradient, hessian)


def multipliers(jacobian: FloatArray, gradient: FloatArray, held: BoolArray) -> FloatArray:
    """Forces of constraints that come nearest to balancing a gradient.

    Parameters
    ----------
    jacobian : FloatArray
        (N, k, F), derivatives of the constraints' k equations by the free coordinates.
    gradient : FloatArray
        (N, F), of the cost.
    held : BoolArray
        (N, F), coordinates that something else holds.

    Returns
    -------
    FloatArray
        (N, k): the gradient and J^T times these add up to what is left.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.kinematics.least_squares import multipliers
    >>> multipliers(np.array([[[0.0, 2.0]]]), np.array([[1.0, 6.0]]), np.array([[False, False]]))
    array([[-3.]])
    """
    inverse = np.linalg.pinv(np.where(held[:, None], 0.0, jacobian), rcond=BOUND)
    return np.asarray(-(gradient[:, None] @ inverse)[:, 0])


def within_constraints(tree: Tree, q: FloatArray, here: Expansion, held: BoolArray, exact: BoolArray) -> Expansion:
    """Restrict derivatives of the cost to the directions in which a model's constraints go on holding.

    Parameters
    ----------
    tree : Tree
        The model's tree, compiled.
    q : FloatArray
        (N, nq), coordinates in which the constraints hold.
    here : Expansion
        Cost and derivatives there; returned as it is for a model without such constraints.
    held : BoolArray
        (N, F), coordinates that something else holds.
    exact : BoolArray
        (N,), whether second derivatives of the constraints count.

    Returns
    -------
    Expansion
        With a gradient along those directions; across them the cost rises as steeply as on average.
    """
    if tree.closing is None:
        return here
    jacobian = tree.closing.jacobian(q)
    force = multipliers(jacobian, here.gradient, held) * exact[:, None]
    hessian = here.hessian.copy()
    moving, several = np.flatnonzero(tree.closing.moving), 1 + STATES_AT_ONCE // (1 + len(q))
    for first in range(0, len(moving), several) if exact.any() else ():
        some = moving[first : first + several]
        ahead = np.repeat(q[None], len(some), axis=0)
        ahead[np.arange(len(some)), :, tree.free[some]] += DIFFERENCE
        there = tree.closing.jacobian(tree.skeleton.completed(ahead.reshape(-1, q.shape[1])))
        change = there.reshape(len(some), *jacobian.shape) - jacobian
        hessian[:, some] += (force[:, None] @ change)[:, :, 0].swapaxes(0, 1) / DIFFERENCE
    bound = bound_directions(np.where(held[:, None], 0.0, jacobian))
    along = np.eye(len(tree.free)) - bound
    across = np.trace(here.hessian, axis1=1, axis2=2)[:, None, None] / max(1, len(tree.free)) * bound
    gradient = (along @ here.gradient[..., None])[..., 0]
    return Expansion(here.cost, gradient, along @ (0.5 * (hessian + hessian.swapaxes(1, 2))) @ along + across)


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where the cost is least.

    Attributes
    ----------
    q : FloatArray
        (N, nq), all coordinates.
    cost : FloatArray
        (N,), the halved sum of squares there, m^2.
    converged : BoolArray
        (N,), whether it was reached before steps ran out.
    steps : IntArray
        (N,), how many were tried.
    """

    q: FloatArray
    cost: FloatArray
    converged: BoolArray
    steps: IntArray


#: A Newton step below this, rad or m, is the last one: what is left is of the order of its square.
LAST = 1e-5
#: Above a step of this size, rad or m, second derivatives of the markers are left out: far from the minimum they mislead.
FAR = 0.1
#: Damping after a step that made it worse, and the factor by which it grows and shrinks.
DAMPING, GROWTH = 1e-3, 10.0
#: Least stiffness of a coordinate relative to the stiffest, so that what no marker moves stays where it is.
FLOOR = 1e-13
#: A cost that is larger by less than this share is not larger; a step below this, rad or m, is none.
SAME, NO_STEP = 1e-13, 1e-12


def minimise(
    tree: Tree, wanted: Wanted, start: FloatArray, bounds: tuple[FloatArray, FloatArray], *, near: float = 0.0, most: int = 200
) -> Minimum:
    """Damped Newton steps within bounds, in all frames at once, until each has arrived.

    A frame whose step made it worse goes back and tries a shorter one, without the markers' second derivatives at first.

    Parameters
    ----------
    tree : Tree
        The model's tree, compiled.
    wanted : Wanted
        Markers and targets of N frames.
    start : FloatArray
        (N, nq), where to begin.
    bounds : tuple[FloatArray, FloatArray]
        Least and largest value of each free coordinate, (F,).
    near : float, optional
        Size of a step, rad or m, after which a frame is near enough; 0 for the minimum itself.
    most : int, optional
        Steps after which a frame that has not arrived is given up.

    Returns
    -------
    Minimum
        Of N frames; the last place on the way where ``most`` steps were not enough.
    """
    state = _Descent(tree, wanted, start, bounds)
    for _ in range(most):
        state.step(near)
        if not len(state.left):
            break
    converged = np.isfinite(state.here.cost)
    converged[state.left] = False
    return Minimum(state.q, state.here.cost, converged, state.steps)


class _Descent:
    """Where all frames are on their way down, and which still go."""

    def __init__(self, tree: Tree, wanted: Wanted, start: FloatArray, bounds: tuple[FloatArray, FloatArray]) -> None:
        self.tree, self.wanted, self.bounds, self.free = tree, wanted, bounds, tree.free
        self.n, q = len(start), start.copy()
        q[:, self.free] = np.minimum(np.maximum(q[:, self.free], bounds[0]), bounds[1])
        self.q, closed = self._closed(q)
        self.exact = np.ones(self.n, bool)
        self.here = expand(tree, wanted, self.q, self.exact)
        self.here.cost[~closed] = np.inf
        self.damping, self.steps = np.zeros(self.n), np.zeros(self.n, dtype=int)
        self.left: IntArray = np.flatnonzero(np.isfinite(self.here.cost))

    def _closed(self, q: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Coordinates with those that follow, moved to where constraints hold; and in which frames they do."""
        closing = self.tree.closing
        return (self.tree.skeleton.completed(q), np.ones(len(q), bool)) if closing is None else closing.closed(q, *self.bounds)

    def step(self, near: float) -> None:
        left, (low, high) = self.left, self.bounds
        now = self.here if len(left) == self.n else self.here.at(left)
        q = self.q[left]
        x = q[:, self.free]
        pull, exact = now.gradient, self.exact[left]
        if self.tree.closing is not None:
            J = self.tree.closing.jacobian(q)
            pull = pull + (multipliers(J, pull, (x <= low) | (x >= high))[:, None] @ J)[:, 0]
        bound = ((x <= low) & (pull > 0)) | ((x >= high) & (pull < 0))
        now = within_constraints(self.tree, q, now, bound, exact)
        step = _step(now, bound, self.damping[left])
        q[:, self.free] = np.minimum(np.maximum(x + step, low), high)
        q, closed = self._closed(q)
        moved = np.abs(q[:, self.free] - x).max(axis=1)
        wrong = ~closed | (exact & ~(((step * now.gradient).sum(axis=1) <= 0) & (moved < FAR)))
        self.steps[left] += 1
        last = ~wrong & (((moved < LAST) & exact) | (moved < NO_STEP))
        self.q[left[last]] = q[last]
        rest = ~last
        if rest.any():
            better = self._tried(left[rest], q[rest], moved[rest], wrong[rest])
            last[rest] = better & (moved[rest] < near)
        self.left = left[~last]

    def _tried(self, frames: IntArray, q: FloatArray, moved: FloatArray, wrong: BoolArray) -> BoolArray:
        """Look where steps lead, take those that go down, make the others' next one shorter."""
        some = self.wanted if len(frames) == self.n else self.wanted.at(frames)
        exact = moved < FAR
        trial = expand(self.tree, some, q, exact)
        better = (trial.cost <= self.here.cost[frames] * (1 + SAME)) & ~wrong
        rows = frames[better]
        self.q[rows], self.exact[rows] = q[better], exact[better]
        self.here.put(rows, trial, better)
        misled = frames[~better & self.exact[frames]]
        _damp(self.damping, frames, better, self.exact[frames])
        if len(misled):
            self.exact[misled] = False
            part = expand(self.tree, self.wanted.at(misled), self.q[misled], self.exact[misled])
            self.here.put(misled, part, np.ones(len(misled), bool))
        return better


def _damp(damping: FloatArray, frames: IntArray, better: BoolArray, exact: BoolArray) -> None:
    """Damp less after a good step, more after a bad one that did without second derivatives already, in place."""
    now = damping[frames]
    less = np.where(now > DAMPING * 1e-6, now / GROWTH, 0.0)
    damping[frames] = np.where(better, less, np.where(exact, now, np.maximum(now * GROWTH, DAMPING)))


def _step(now: Expansion, bound: BoolArray, damping: FloatArray) -> FloatArray:
    """Steps (N, F) down, zero where a bound holds."""
    diagonal = np.arange(now.gradient.shape[1])
    matrix, gradient = now.hessian.copy(), now.gradient
    if bound.any():
        matrix[bound[:, :, None] | bound[:, None, :]] = 0.0
        gradient = np.where(bound, 0.0, gradient)
    own = matrix[:, diagonal, diagonal]
    matrix[:, diagonal, diagonal] = own + damping[:, None] * np.abs(own) + FLOOR * np.abs(own).max(axis=1, keepdims=True) + bound
    return np.asarray(-np.linalg.solve(matrix, gradient[..., None])[..., 0])
