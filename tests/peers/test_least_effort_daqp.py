"""Muscle controls of least effort against DAQP, a solver of quadratic programs by another method, on random problems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.osim.forces.least_effort import least_effort

daqp: Any = pytest.importorskip("daqp", reason="needs the daqp wheel: pip install 'biomech-id[peers]'")

#: DAQP's words: solved, without an answer; and its mark of a row that is an equation.
SOLVED, NO_ANSWER, EQUATION = 1, -1, 5
N = 500


def random_problems(m: int, n: int, *, seed: int, reserves: bool, asked: float) -> tuple[FloatArray, ...]:
    """G, tau and bounds of ``n`` muscles of 300 to 2500 N over ``m`` coordinates, with a motor of 1 N m on each or none."""
    rng = np.random.default_rng(seed)
    arms = 0.03 * rng.normal(size=(1, m, n)) + 0.004 * rng.normal(size=(N, m, n))
    G = arms * rng.uniform(300, 2500, size=(N, 1, n))
    tau = asked * (G @ rng.uniform(0.01, 0.6, size=(N, n))[..., None])[..., 0]
    low, high = np.full(n, 0.01), np.ones(n)
    if reserves:
        G = np.concatenate([G, np.broadcast_to(np.eye(m), (N, m, m))], axis=2)
        low, high = np.append(low, np.full(m, -np.inf)), np.append(high, np.full(m, np.inf))
    return G, tau, low, high


def theirs(G: FloatArray, tau: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, int]:
    """DAQP's controls, and its word for them: least a . a with the balance, in N m over the largest entry, as equations."""
    n, scale = len(low), np.abs(G).max()
    sense = np.append(np.zeros(n), np.full(len(tau), EQUATION)).astype(np.int32)
    most, least = (np.append(np.clip(bound, -1e9, 1e9), tau / scale) for bound in (high, low))
    a, _, word, _ = daqp.solve(
        2 * np.eye(n), np.zeros(n), np.ascontiguousarray(G / scale), most, least, sense, primal_tol=1e-12, dual_tol=1e-13
    )
    return np.asarray(a), int(word)


@pytest.mark.parametrize(("m", "n", "reserves"), [(3, 9, False), (6, 20, False), (6, 20, True), (10, 43, True)])
def test_five_hundred_optima_are_those_of_daqp(m: int, n: int, *, reserves: bool) -> None:
    G, tau, low, high = random_problems(m, n, seed=m + n, reserves=reserves, asked=1.0)
    ours = least_effort(G, tau, low, high)
    assert not ours.infeasible.any()
    both = [theirs(G[k], tau[k], low, high) for k in range(N)]
    assert {word for _, word in both} == {SOLVED}
    np.testing.assert_allclose(ours.controls, [a for a, _ in both], atol=1e-9)
    met = (ours.controls <= low) | (ours.controls >= high)
    assert 0.1 < met[:, :n].mean() < 0.9


def test_rows_without_an_answer_are_those_of_daqp() -> None:
    # Three times what could be done is asked for: some muscles can do it, others cannot.
    G, tau, low, high = random_problems(4, 10, seed=3, reserves=False, asked=3.0)
    without = np.array([theirs(G[k], tau[k], low, high)[1] for k in range(N)]) == NO_ANSWER
    assert 0.1 < without.mean() < 0.9
    np.testing.assert_array_equal(least_effort(G, tau, low, high).infeasible, without)
