"""Forward dynamics against high-precision references, and its own energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.multibody.examples.pendulums import double_pendulum, n_pendulum
from biomech_id.multibody.forward import simulate

SECONDS = np.arange(0.0, 11.0)
BARS = double_pendulum([1.0, 1.0], [1.0, 1.0], gravity_m_s2=9.81)


def test_double_pendulum_for_ten_seconds(reference: Any) -> None:
    """Against 45-digit states: 1e-8 after 10 s of a chaotic motion, and 1e-9 J."""
    file = reference("dpend")
    start = file["s0"]
    run = simulate(BARS, np.array(start[2:]), np.array(start[:2]), SECONDS)
    for second in (1, 2, 5, 10):
        ours = np.concatenate([run.u[second], run.q[second]])
        np.testing.assert_allclose(ours, file["reference_mp45"]["states"][str(second)], rtol=0, atol=1e-8)
    assert run.energy_J[0] == pytest.approx(file["E0_J"], abs=1e-12)
    assert run.energy_drift_J < 1e-9
    assert run.evaluations > 1000


@pytest.mark.parametrize("n", [4, 10])
def test_n_pendulum(reference: Any, n: int) -> None:
    file = reference("npendulum")[f"n{n}"]
    pendulum = n_pendulum(np.full(n, 0.01 / n), np.full(n, 1 / n), gravity_m_s2=9.81)
    for state in file["random_states"]:
        y, theirs = np.array(state["y"]), np.array(state["udot"])
        ours = pendulum.forward(y[None, :n], y[None, n:], np.zeros((1, n)))[0]
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())
    run = simulate(pendulum, np.arange(n) * 0.01, np.zeros(n), SECONDS)
    for second, states in file["reference"]["states"].items():
        ours = np.concatenate([run.q[int(second)], run.u[int(second)]])
        np.testing.assert_allclose(ours, states, rtol=0, atol=1e-9)


def test_lengths_that_differ_keep_their_energy() -> None:
    """With l_1 = l_2 the document's slip in gravity's first row would go unseen."""
    bars = double_pendulum([1.0, 0.6], [0.7, 1.1], gravity_m_s2=9.81)
    run = simulate(bars, np.array([1.0, 2.0]), np.array([0.5, -1.0]), np.linspace(0, 2, 9))
    assert np.ptp(run.u[:, 0]) > 1
    assert run.energy_drift_J < 1e-9


def test_work_of_the_drives_is_the_energy_gained() -> None:
    bars = double_pendulum([1.0, 0.6], [0.7, 1.1], [2.0, -0.7], gravity_m_s2=9.81)
    run = simulate(bars, np.array([0.1, 0.2]), np.zeros(2), np.linspace(0, 1, 5))
    # Each moment times the angle that it turns by.
    turned = run.q - run.q[0]
    np.testing.assert_allclose(run.work_J, 2.0 * turned[:, 0] - 0.7 * (turned[:, 1] - turned[:, 0]), rtol=0, atol=1e-10)
    assert np.abs(run.work_J).max() > 0.5
    assert run.energy_drift_J < 1e-9


def test_events_are_found_and_end_the_run() -> None:
    """A small simple pendulum passes the vertical a quarter period after its release: pi/2 sqrt(l/g) (1 + theta0^2 / 16)."""
    theta0 = 1e-3
    pendulum = n_pendulum([1.0], [1.0], gravity_m_s2=9.81)
    run = simulate(
        pendulum, np.array([theta0]), np.zeros(1), np.linspace(0, 3, 31), events={"down": lambda t, q, u: q[0]}, stop_at="down"
    )
    quarter = np.pi / 2 / np.sqrt(9.81) * (1 + theta0**2 / 16)
    assert run.events_s["down"] == pytest.approx([quarter], abs=1e-9)
    assert run.t_s[-1] <= quarter


def test_refusals() -> None:
    with pytest.raises(ShapeError, match="u0 of shape"):
        simulate(BARS, np.zeros(2), np.zeros(3), SECONDS)
    with pytest.raises(InvalidValueError, match="increase"):
        simulate(BARS, np.zeros(2), np.zeros(2), np.array([0.0, 0.0]))
    with pytest.raises(InvalidValueError, match="no event"):
        simulate(BARS, np.zeros(2), np.zeros(2), SECONDS, stop_at="noon")
