"""How repeatable curves are: standard errors that were put in come out, and the CMC by its published formula."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.statistics.reliability import reliability


def test_the_errors_that_were_put_in_come_out() -> None:
    """400 sessions of 4 trials with 5, 3, 4 and 6 cycles: SD 2 of a cycle, 3 of a trial, over a wave of 20."""
    rng = np.random.default_rng(5)
    wave = 20.0 * np.sin(np.linspace(0.0, 2 * np.pi, 51))
    found = [reliability([wave + rng.normal(0.0, 3.0) + rng.normal(0.0, 2.0, (n, 1)) for n in (5, 3, 4, 6)]) for _ in range(400)]
    assert np.sqrt(np.mean([each.cycle_sem**2 for each in found])) == pytest.approx(2.0, abs=0.1)
    assert np.sqrt(np.mean([each.group_sem**2 for each in found])) == pytest.approx(3.0, abs=0.2)


def test_groups_that_differ_by_their_cycles_alone_have_hardly_an_error_of_their_own() -> None:
    rng = np.random.default_rng(6)
    found = [reliability([rng.normal(0.0, 2.0, (6, 51)) for _ in range(3)]).group_sem for _ in range(50)]
    assert max(found) < 0.5 * 2.0 / np.sqrt(6.0)  # the SD of three such means is twice that
    assert min(found) == 0.0


def test_the_coefficient_of_multiple_correlation_is_kadabas() -> None:
    """Kadaba et al. 1989, within-day: written out sum by sum."""
    rng = np.random.default_rng(7)
    curves = 10.0 * np.sin(np.linspace(0.0, 6.0, 21)) + rng.normal(0.0, 3.0, (4, 21))
    n, t = curves.shape
    about_mean = sum((curves[j, i] - curves[:, i].mean()) ** 2 for j in range(n) for i in range(t)) / (t * (n - 1))
    about_all = sum((curves[j, i] - curves.mean()) ** 2 for j in range(n) for i in range(t)) / (n * t - 1)
    assert reliability([curves[:1], curves[1:]]).cmc == pytest.approx(np.sqrt(1 - about_mean / about_all))


def test_what_nobody_can_know_is_not_a_number() -> None:
    one = np.zeros((1, 11)) + np.arange(11.0)
    assert reliability([]).n_cycles == 0
    assert np.isnan([reliability([one]).cycle_sem, reliability([one]).group_sem, reliability([one]).cmc]).all()
    assert np.isnan(reliability([one, one]).group_sem)  # one cycle each: nobody knows what a cycle scatters by
    assert np.isnan(reliability([np.concatenate([one, one + 1.0])]).group_sem)
    flat = reliability([np.array([[1.0] * 11, [-1.0] * 11])])
    assert np.isnan(flat.cmc)  # nothing but scatter
