"""A laboratory's charts: the sums by hand, what a session without a value leaves alone, and a start from nothing after an alarm."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from biomech_id.judgement.laboratory.charts import FILLING, Charted, Charts, chart_session


def charted(values: Sequence[Sequence[float]], sd: float = 1.0) -> tuple[Charts, list[Charted]]:
    """Charts after all sessions, and what each session was."""
    charts, every = Charts.empty((len(values[0]),)), []
    for session in values:
        charts, one = chart_session(charts, np.array(session, float), np.full(len(session), sd))
        every.append(one)
    return charts, every


def by_hand(values: Sequence[float], sd: float) -> list[tuple[float, float, float]]:
    """z, C+ and C- of every session of one chart, in plain sums over the clipped values so far."""
    taken: list[float] = []
    up = down = 0.0
    found = []
    for x in values:
        z = 0.0
        if taken:
            m = sum(taken) / len(taken)
            s = ((10 * sd**2 + sum((each - m) ** 2 for each in taken)) / (10 + len(taken) + 1 - 2)) ** 0.5
            wide = s * (1 + 1 / len(taken)) ** 0.5
            z = max(-2.5, min(2.5, (x - m) / wide))
            x = m + z * wide
        if len(taken) >= 10:
            up, down = max(0.0, up + z - 0.75), max(0.0, down - z - 0.75)
        taken.append(x)
        found.append((z, up, down))
    return found


def test_the_sums_are_those_of_plain_arithmetic() -> None:
    values = np.random.default_rng(3).normal(20.0, 3.0, 60)
    values[33] += 30.0
    _, every = charted([[x] for x in values], sd=2.5)
    expected = by_hand(values.tolist(), 2.5)
    assert not any(one.alarm[0] for one in every)
    assert [one.sums[:, 0].tolist() for one in every] == [pytest.approx([up, down]) for _, up, down in expected]
    assert [one.z[0] for one in every[1:]] == pytest.approx([z for z, _, _ in expected[1:]])
    assert every[33].z[0] == 2.5


def test_the_first_sessions_only_fill() -> None:
    _, every = charted([[0.0]] * (FILLING - 5) + [[9.0]] * 5)
    assert not any(one.sums.any() for one in every)
    _, more = charted([[0.0]] * FILLING + [[9.0]])
    assert more[-1].sums[:, 0].tolist() == [1.75, 0.0]


def test_a_session_without_a_value_counts_for_no_sum() -> None:
    values = np.random.default_rng(4).normal(size=30)
    plain, _ = charted([[x] for x in values])
    with_gaps, every = charted([[x] for value in values for x in (np.nan, value)])
    for name in ("count", "mean", "squares", "sums", "rising", "away"):
        assert np.array_equal(getattr(plain, name), getattr(with_gaps, name)), name
    assert np.isnan(every[0].z[0])
    assert not every[0].alarm[0]


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_change_is_named_with_its_size_and_the_chart_starts_again(way: float) -> None:
    quiet = [0.5, -0.5] * 10
    charts, every = charted([[x, x] for x in quiet] + [[way * 4.0, 0.0]] * 3)
    assert [one.alarm.tolist() for one in every[-3:]] == [[False, False], [False, False], [True, False]]
    assert (every[-1].size[0], every[-1].sessions[0]) == (pytest.approx(way * 4.0, abs=0.6), 3)
    assert np.isnan(every[-1].size[1])
    assert charts.count.tolist() == [0.0, 23.0]
    assert charts.sums[:, 0].tolist() == [0.0, 0.0]
