"""The controls of least effort that balance given moments, of all rows of a trial at once.

Of each row ::

    min sum |a|^p   with   G a = tau,   low <= a <= high

For p = 2 the multipliers lambda of the balance give the controls, a = clip(G^T lambda / 2, low, high), and the rest of the balance,
tau - G a, is the slope of a concave function of lambda: Newton's method, with the second derivative over the controls that are
strictly inside, and a search along each step. For p > 2 the effort is replaced by a weighted square about a point, again and again.
Below 2 the effort has no second derivative at 0, and is refused. Every 16th row is solved from nothing, every 4th and then all from
their neighbours' multipliers.

The conditions of Karush, Kuhn and Tucker are the test: the slope of the effort less G^T lambda is 0 inside, not negative at
``low``, not positive at ``high``. lambda is what a newton metre costs.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.errors import OptionError
from biomech_id.values import dataclass

#: What is left of the balance at the end, of the size of the moments, and what may be left once rounding stops it from falling.
BALANCED, STALLED = 1e-12, 1e-10
#: Distance between the rows that are solved from nothing, and from their neighbours.
_STRIDES = (16, 4, 1)
#: Newton's steps of a row, and rounds of the search along one; 36 and a few are the most that were seen.
_MOST_STEPS, _MOST_ROUNDS = 150, 60
#: After so many steps, and again, it is asked whether a row can have an answer at all.
_CHECKED = 8
#: The search ends where the slope is this share of its start.
_FLAT = 0.3
#: Least weight of a control in the squares that stand for a higher exponent.
_LEAST_WEIGHT = 1e-4
#: Share of a control at its bound in the second derivative.
_OF_BOUND = 1e-7
#: Squares that stand for a higher exponent; 20 are usual.
_MOST_SQUARES = 80
#: Share of the effort by which rounding may raise it.
_SAME_EFFORT = 1e-12
#: Change of a control at which those end.
_SETTLED = 1e-10
#: A moment beyond what all controls could make along some direction, of the size of both: more than rounding.
_BEYOND = 1e-9
#: What a missing newton metre counts as a control for, dearer and dearer; the last is 1e4 times dearer than a muscle.
_DEAR_NM = (10.0, 1.0, 0.1, 0.01)


@compact_repr
@dataclass(frozen=True, eq=False)
class LeastEffort:
    """Controls of least effort.

    Attributes
    ----------
    controls : FloatArray
        (N, n), without unit.
    multipliers : FloatArray
        (N, m), what a newton metre (a newton) more would cost.
    missing : FloatArray
        (N, m), N m or N that no allowed controls make, in the least square; 0 in rows with an answer.
    infeasible : BoolArray
        (N,), rows without an answer, whose controls say nothing.
    """

    controls: FloatArray
    multipliers: FloatArray
    missing: FloatArray
    infeasible: BoolArray


@dataclass(frozen=True, eq=False)
class _Rows:
    """G (N, m, n), tau (N, m) and bounds (n,); weights and centres (N, n) of squares w (a - c)^2 / 2."""

    G: FloatArray
    tau: FloatArray
    low: FloatArray
    high: FloatArray
    weight: FloatArray
    centre: FloatArray

    def of(self, rows: IntArray) -> _Rows:
        return _Rows(self.G[rows], self.tau[rows], self.low, self.high, self.weight[rows], self.centre[rows])

    def controls(self, multipliers: FloatArray) -> FloatArray:
        wanted = self.centre + _product(self.G.swapaxes(1, 2), multipliers) / self.weight
        return np.clip(wanted, self.low, self.high)


def least_effort(G: FloatArray, tau: FloatArray, low: FloatArray, high: FloatArray, exponent: float = 2.0) -> LeastEffort:
    """Find the controls of least effort.

    Parameters
    ----------
    G : FloatArray
        (N, m, n), N m (N) of each coordinate for a control of 1.
    tau : FloatArray
        (N, m), N m (N) that has to come of them.
    low, high : FloatArray
        (n,), bounds of the controls; infinite for none.
    exponent : float, optional
        Of the effort, from 2.

    Returns
    -------
    LeastEffort
        Of every row; balanced to `BALANCED` where there is an answer.

    Raises
    ------
    OptionError
        An exponent below 2.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.forces.least_effort import least_effort
    >>> G, tau = np.array([[[40.0, 30.0]]]), np.array([[10.0]])
    >>> answer = least_effort(G, tau, np.full(2, 0.01), np.ones(2))
    >>> answer.controls.round(3), (G @ answer.controls[..., None])[..., 0].round(9)
    (array([[0.16, 0.12]]), array([[10.]]))
    >>> least_effort(G, np.array([[80.0]]), np.full(2, 0.01), np.ones(2)).missing.round(3)
    array([[10.]])
    """
    if not exponent >= 2:
        raise OptionError(
            f"An activation exponent of {exponent:g} has no smooth optimum; take 2, or a larger one.",
            value=exponent, expected="at least 2", where="activation_exponent",
        )  # fmt: skip
    N, m, n = G.shape
    rows = _Rows(G, tau, low, high, np.full((N, n), 2.0), np.zeros((N, n)))
    multipliers, done = _by_neighbours(rows)
    missing = np.zeros((N, m))
    hard = np.flatnonzero(~done)
    if len(hard):
        missing[hard] = _least_missing(rows.of(hard))
        multipliers[hard], done[hard] = _newton(rows.of(hard), 2 * missing[hard] / _DEAR_NM[-1] ** 2)
    missing[done] = 0.0
    controls, solved = rows.controls(multipliers), np.flatnonzero(done)
    if exponent > 2 and len(solved):
        controls[solved], multipliers[solved] = _higher(rows.of(solved), exponent, multipliers[solved])
    return LeastEffort(controls, multipliers, missing, ~done)


def least_effort_along(
    G: FloatArray, tau: FloatArray, bounds: tuple[FloatArray, FloatArray], slope: FloatArray, start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Find the controls that go as far along a direction as it is worth: least sum a^2 - slope a.

    Parameters
    ----------
    G, tau : FloatArray
        (N, m, n) and (N, m), as of `least_effort`; every row has an answer.
    bounds : tuple[FloatArray, FloatArray]
        Least and largest controls (n,).
    slope : FloatArray
        (N, n), what each control is worth.
    start : FloatArray
        (N, m), multipliers to begin with.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        Controls (N, n) that balance ``tau``, and their multipliers (N, m).
    """
    rows = _Rows(G, tau, *bounds, np.full(slope.shape, 2.0), slope / 2)
    multipliers, _ = _newton(rows, start)
    return rows.controls(multipliers), multipliers


def _least_missing(rows: _Rows) -> FloatArray:
    """The least square of what is missing (N, m), N m or N: motors that are dear carry it."""
    N, m, _ = rows.G.shape
    free, missing = np.full(m, np.inf), np.zeros((N, m))
    low, high = np.concatenate([rows.low, -free]), np.concatenate([rows.high, free])
    weight, centre = np.append(rows.weight, np.full((N, m), 2.0), axis=1), np.append(rows.centre, np.zeros((N, m)), axis=1)
    for dear in _DEAR_NM:
        G = np.append(rows.G, np.broadcast_to(dear * np.eye(m), (N, m, m)), axis=2)
        missing = dear**2 / 2 * _newton(_Rows(G, rows.tau, low, high, weight, centre), 2 * missing / dear**2)[0]
    return missing


def _by_neighbours(rows: _Rows) -> tuple[FloatArray, BoolArray]:
    """Multipliers (N, m) of all rows, those between others from theirs; and which rows balance."""
    N, m, _ = rows.G.shape
    multipliers, done, before = np.zeros((N, m)), np.zeros(N, bool), np.empty(0, dtype=int)
    for stride in _STRIDES:
        chosen = np.arange(0, N, stride)
        if len(before):
            start = np.column_stack([np.interp(chosen, before, multipliers[before, k]) for k in range(m)])
        else:
            start = np.zeros((len(chosen), m))
        multipliers[chosen], done[chosen] = _newton(rows.of(chosen), start)
        before = chosen[done[chosen]]
    return multipliers, done


def _newton(rows: _Rows, start: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Multipliers that balance each row, and whether they do."""
    multipliers, left = start.copy(), np.arange(len(start))
    enough = 1 + np.linalg.norm(rows.tau, axis=1)
    last, done = np.full(len(start), np.inf), np.ones(len(start), bool)
    for number in range(1, _MOST_STEPS + 1):
        here = rows.of(left)
        controls = here.controls(multipliers[left])
        rest = here.tau - _product(here.G, controls)
        size = np.linalg.norm(rest, axis=1) / enough[left]
        going = (size > BALANCED) & ((size > STALLED) | (size < 0.5 * last[left]))
        last[left] = size
        left, here, controls, rest = left[going], here.of(np.flatnonzero(going)), controls[going], rest[going]
        if not len(left):
            break
        inside = (controls > here.low) & (controls < here.high)
        # Controls at a bound count a little, so that a row without any that is free has a way to go.
        weighed = here.G * (np.where(inside, 1.0, _OF_BOUND) / here.weight)[:, None]
        H = weighed @ here.G.swapaxes(1, 2)
        trace = np.trace(H, axis1=1, axis2=2) + np.finfo(float).tiny
        H[:, np.arange(H.shape[1]), np.arange(H.shape[1])] += (1e-15 * trace)[:, None]
        step = np.linalg.solve(H, rest[..., None])[..., 0]
        multipliers[left] += _along(here, multipliers[left], step, rest)[:, None] * step
        if number % _CHECKED == 0:
            hopeless = _beyond_all(here, step) | _beyond_all(here, multipliers[left])
            done[left[hopeless]] = False
            left = left[~hopeless]
    done[left] = False
    return multipliers, done


def _beyond_all(rows: _Rows, direction: FloatArray) -> BoolArray:
    """Whether the moments reach further along a direction than any controls: then there is no answer."""
    # What moves a motor without bounds leads nowhere.
    endless = rows.G * (np.isinf(rows.low) & np.isinf(rows.high))
    onwards = direction - _product(endless, _product(np.asarray(np.linalg.pinv(endless), dtype=float), direction))
    led = np.linalg.norm(onwards, axis=1) > _BEYOND * np.linalg.norm(direction, axis=1)
    across = _product(rows.G.swapaxes(1, 2), onwards)
    across = np.where(np.abs(across) > _BEYOND * np.abs(across).max(axis=1, keepdims=True), across, 0.0)
    bound = np.where(across > 0, rows.high, rows.low)
    most = across * np.where(across == 0, 0.0, bound)
    wanted = (onwards * rows.tau).sum(axis=1)
    return np.asarray(led & (wanted - most.sum(axis=1) > _BEYOND * (np.abs(wanted) + np.abs(most).sum(axis=1))))


def _along(rows: _Rows, multipliers: FloatArray, step: FloatArray, rest: FloatArray) -> FloatArray:
    """How far to go along each step: the slope of the concave function falls from its start to nearly 0."""
    first = np.maximum((step * rest).sum(axis=1), 0.0)
    across, target = _product(rows.G.swapaxes(1, 2), step), (step * rows.tau).sum(axis=1)
    wanted = rows.centre + _product(rows.G.swapaxes(1, 2), multipliers) / rows.weight
    change = across / rows.weight
    t, low, high = np.ones(len(step)), np.zeros(len(step)), np.full(len(step), np.inf)
    for _ in range(_MOST_ROUNDS):
        slope = target - (across * np.clip(wanted + t[:, None] * change, rows.low, rows.high)).sum(axis=1)
        going = np.abs(slope) > _FLAT * first
        if not going.any():
            break
        low, high = np.where(slope > 0, t, low), np.where(slope > 0, high, t)
        t = np.where(going, np.where(np.isfinite(high), (low + high) / 2, 2 * t), t)
    return t


def _higher(rows: _Rows, p: float, multipliers: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Controls and multipliers for an exponent above 2, from those for 2."""
    controls, left = rows.controls(multipliers), np.arange(len(multipliers))
    multipliers = multipliers.copy()
    for _ in range(_MOST_SQUARES):
        a = controls[left]
        slope = p * np.abs(a) ** (p - 1) * np.sign(a)
        weight = np.maximum(p * (p - 1) * np.abs(a) ** (p - 2), _LEAST_WEIGHT)
        square = _Rows(rows.G[left], rows.tau[left], rows.low, rows.high, weight, a - slope / weight)
        at, _ = _newton(square, multipliers[left])
        change = square.controls(at) - a
        effort, t = (np.abs(a) ** p).sum(axis=1), np.ones(len(left))
        for _ in range(_MOST_ROUNDS):
            more = (np.abs(a + t[:, None] * change) ** p).sum(axis=1) > effort * (1 + _SAME_EFFORT)
            if not more.any():
                break
            t = np.where(more, t / 2, t)
        controls[left], multipliers[left] = a + t[:, None] * change, at
        left = left[np.abs(change).max(axis=1) > _SETTLED]
        if not len(left):
            break
    return controls, multipliers


def _product(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    return np.asarray((matrix @ vector[..., None])[..., 0])
