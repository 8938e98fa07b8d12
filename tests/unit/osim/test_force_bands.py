"""Bands of muscle forces on random problems: optimum against another solver, linear response against draws, ends at their limit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from biomech_id.osim.forces.force_bands import MORE_EFFORT, EffortProblem, ForceErrors, linear_response, near_optimal
from biomech_id.osim.forces.least_effort import LeastEffort, least_effort

Bounds = tuple[np.ndarray, np.ndarray]


def random_problems(
    N: int, m: int, n: int, *, seed: int, reserves: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Bounds]:
    """Moment arms of ``n`` muscles, and a weak motor on each coordinate: G, strength, tau, muscles, bounds."""
    rng = np.random.default_rng(seed)
    arms = 0.03 * rng.normal(size=(1, m, n)) + 0.004 * rng.normal(size=(N, m, n))
    strength = rng.uniform(300, 2500, size=(N, n))
    tau = (arms * strength[:, None] @ rng.uniform(0.01, 0.5, size=(N, n))[..., None])[..., 0]
    low, high = np.full(n, 0.01), np.ones(n)
    if not reserves:
        return arms * strength[:, None], strength, tau, np.ones(n, bool), (low, high)
    G = np.concatenate([arms * strength[:, None], np.broadcast_to(np.eye(m), (N, m, m))], axis=2)
    free = np.full(m, np.inf)
    bounds = np.append(low, -free), np.append(high, free)
    return G, np.append(strength, np.ones((N, m)), axis=1), tau, np.arange(n + m) < n, bounds


@pytest.fixture(scope="module")
def problem() -> EffortProblem:
    G, strength, tau, muscles, bounds = random_problems(12, 4, 14, seed=3)
    answer = least_effort(G, tau, *bounds)
    return EffortProblem(G, tau, strength, bounds, answer.controls, answer.multipliers, muscles, np.arange(len(muscles)))


def each_force(problem: EffortProblem) -> np.ndarray:
    n = problem.G.shape[2]
    return np.broadcast_to(np.eye(n), (len(problem.G), n, n))


def polished(G: np.ndarray, tau: np.ndarray, bounds: Bounds) -> np.ndarray:
    """The optimum by scipy's sequential quadratic programming, solved once more with the bounds that it says are met."""
    low, high = bounds
    scale = np.abs(G).max()
    rows = [{"type": "eq", "fun": lambda a: (G @ a - tau) / scale, "jac": lambda a: G / scale}]
    limits = list(zip(low, high, strict=True))
    found = minimize(lambda a: a @ a, np.full(len(low), 0.3), jac=lambda a: 2 * a, method="SLSQP", bounds=limits, constraints=rows,
                     options={"ftol": 1e-15, "maxiter": 300})  # fmt: skip
    a = np.where(found.x < low + 1e-7, low, np.where(found.x > high - 1e-7, high, found.x))
    free = (a > low) & (a < high)
    a[free] = np.linalg.lstsq(G[:, free], tau - G[:, ~free] @ a[~free], rcond=None)[0]
    return a


def test_five_hundred_optima_are_those_of_another_solver() -> None:
    G, _, tau, _, bounds = random_problems(500, 3, 9, seed=1, reserves=False)
    answer = least_effort(G, tau, *bounds)
    assert not answer.infeasible.any()
    theirs = np.array([polished(G[k], tau[k], bounds) for k in range(500)])
    np.testing.assert_allclose(answer.controls, theirs, atol=1e-9)
    met = (answer.controls <= bounds[0]) | (answer.controls >= bounds[1])
    assert 0.1 < met.mean() < 0.9
    assert kkt(G, bounds, answer) < 1e-8
    assert np.abs((G @ answer.controls[..., None])[..., 0] - tau).max() < 1e-9


def kkt(G: np.ndarray, bounds: Bounds, answer: LeastEffort) -> float:
    a, (low, high) = answer.controls, bounds
    slope = 2 * a - (G.swapaxes(1, 2) @ answer.multipliers[..., None])[..., 0]
    return float(np.abs(np.where(a <= low, np.minimum(slope, 0), np.where(a >= high, np.maximum(slope, 0), slope))).max())


@pytest.mark.parametrize("errors", [ForceErrors(0.01, 0, 0), ForceErrors(0, 0.01, 0), ForceErrors(0, 0, 0.01)])
def test_linear_response_is_what_draws_scatter(problem: EffortProblem, errors: ForceErrors) -> None:
    # Small errors, so that few muscles meet or leave a bound; a batch of draws of all rows.
    p, rng, draws = problem, np.random.default_rng(7), 250
    N, m, n = p.G.shape
    strength = 1 + errors.strength * p.muscles * rng.normal(size=(draws, N, n))
    arms = 1 + errors.arm * p.muscles * rng.normal(size=(draws, N, m, n))
    tau = p.tau + errors.moment * np.abs(p.tau).max(axis=0) * rng.normal(size=(draws, N, m))
    G = p.G * strength[:, :, None] * arms
    answer = least_effort(G.reshape(-1, m, n), tau.reshape(-1, m), *p.bounds)
    forces = answer.controls.reshape(draws, N, n) * strength * p.strength
    scatter, sd = np.std(forces, axis=0), linear_response(p, each_force(p), errors)
    ratio = (sd / np.where(scatter > 0, scatter, np.nan))[(p.controls > 0.05) & p.muscles]
    assert 0.9 < np.median(ratio) < 1.1
    assert (np.quantile(ratio, [0.1, 0.9]) - 1 < [0.0, 0.25]).all()
    # Of a sum, errors that go together: not the root of squares of its parts.
    both = np.zeros((N, 1, n))
    both[:, 0, :6] = 1.0
    total = np.std(forces[:, :, :6].sum(axis=2), axis=0)
    assert 0.9 < np.median(linear_response(p, both, errors)[:, 0] / total) < 1.1


@pytest.mark.parametrize("errors", [ForceErrors(0.1, 0, 0), ForceErrors(0, 0.05, 0), ForceErrors(0, 0, 0.03)])
def test_linear_response_is_the_sum_of_squares_of_every_slope(problem: EffortProblem, errors: ForceErrors) -> None:
    p, row, h = problem, 4, 1e-6
    m, n = p.G.shape[1:]
    K = int(p.muscles.sum())
    # Relative changes of every strength, every moment arm, every moment, one at a time.
    strength, arms, tau = np.ones((2 * K, n)), np.ones((2 * m * K, m, n)), np.tile(p.tau[row], (2 * m, 1))
    for sign, half in ((h, 0), (-h, 1)):
        strength[half * K : (half + 1) * K][np.arange(K), np.arange(K)] += sign
        arms[half * m * K : (half + 1) * m * K].reshape(m, K, m, n)[
            np.arange(m)[:, None], np.arange(K), np.arange(m)[:, None], np.arange(K)
        ] += sign
        tau[half * m : (half + 1) * m] += sign * np.diag(np.abs(p.tau).max(axis=0))
    total = np.zeros(n)
    for size, scaled, G, moments in (
        (errors.strength, strength, p.G[row] * strength[:, None], np.tile(p.tau[row], (2 * K, 1))),
        (errors.arm, np.ones((len(arms), n)), p.G[row] * arms, np.tile(p.tau[row], (2 * m * K, 1))),
        (errors.moment, np.ones((len(tau), n)), np.tile(p.G[row], (2 * m, 1, 1)), tau),
    ):
        force = least_effort(G, moments, *p.bounds).controls * scaled * p.strength[row]
        up, down = np.split(force, 2)
        total += ((size * (up - down) / (2 * h)) ** 2).sum(axis=0)
    np.testing.assert_allclose(linear_response(p, each_force(p), errors)[row], np.sqrt(total), rtol=1e-4, atol=1e-3)


def test_near_optimal_ends_balance_the_motion_and_spend_what_is_allowed(problem: EffortProblem) -> None:
    p = problem
    least, most, ends = near_optimal(p, each_force(p))
    forces = p.controls * p.strength
    assert (least <= forces + 1e-6).all()
    assert (most >= forces - 1e-6).all()
    balance = np.einsum("imn,isen->isem", p.G, ends) - p.tau[:, None, None]
    assert np.abs(balance).max() < 1e-8
    assert ((ends >= p.bounds[0]) & (ends <= p.bounds[1])).all()
    allowed = MORE_EFFORT * (p.controls**2 * p.muscles).sum(axis=1)[:, None, None]
    spent = ((ends**2).sum(axis=3) - (p.controls**2).sum(axis=1)[:, None, None]) / allowed
    assert spent.max() < 1 + 1e-6
    # A muscle at its least control has nowhere to go down to; all others reach the limit.
    low = np.isclose(p.controls, p.bounds[0])
    short = spent < 1 - 1e-6
    assert not short[:, :, 1].any()
    own = ends[:, np.arange(ends.shape[1]), 0, np.arange(ends.shape[1])]
    np.testing.assert_allclose(own[short[:, :, 0]], p.bounds[0][0], atol=1e-12)
    assert short[:, :, 0][low].all()
    assert short.mean() < 0.3


def test_near_optimal_ends_are_the_furthest(problem: EffortProblem) -> None:
    p = problem
    least, most, _ = near_optimal(p, each_force(p), 0.1)
    limits = [(low if np.isfinite(low) else None, high if np.isfinite(high) else None) for low, high in zip(*p.bounds, strict=True)]
    for row, k, sign in ((0, 1, 1.0), (3, 5, -1.0), (7, 9, 1.0)):
        scale, a = np.abs(p.G[row]).max(), p.controls[row]
        G, tau = p.G[row] / scale, p.tau[row] / scale
        limit = a @ a + 0.1 * (a[p.muscles] @ a[p.muscles])
        along = -sign * np.eye(len(a))[k]
        found = minimize(
            lambda x, along=along: along @ x, a, jac=lambda x, along=along: along, method="SLSQP", bounds=limits,
            options={"ftol": 1e-8, "maxiter": 500},
            constraints=[
                {"type": "eq", "fun": lambda x, G=G, tau=tau: G @ x - tau, "jac": lambda x, G=G: G},
                {"type": "ineq", "fun": lambda x, limit=limit: 1 - x @ x / limit, "jac": lambda x, limit=limit: -2 * x / limit},
            ],
        )  # fmt: skip
        ours = (most if sign > 0 else least)[row, k] / p.strength[row, k]
        assert found.success
        assert ours == pytest.approx(found.x[k], abs=1e-6)
