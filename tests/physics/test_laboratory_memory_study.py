"""A sample of the study of a laboratory's charts says what its table says, and the table holds the gate."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.studies.laboratory_memory import (
    ALARM_EVERY,
    GATED,
    LEAST_SHARE,
    MOVES,
    TABLE,
    WITHOUT_MOVE,
    Move,
    alarms,
    named,
    sessions_an_alarm,
)  # fmt: skip

SAMPLE = 500
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TABLE.read_text(encoding="utf-8").splitlines()]
TABLED = {row[0]: row[1:] for row in ROWS if len(row) > 1}


def tabled_share(move: Move) -> float:
    return float(TABLED[move.words][1].split(" / ")[(5, 6, 10).index(move.within)]) / 100.0


@pytest.mark.parametrize("move", MOVES, ids=lambda move: move.words)
def test_a_sample_names_moves_as_often_as_the_table(move: Move) -> None:
    expected = tabled_share(move)
    share = np.mean(named(np.random.default_rng(7), move, SAMPLE, sessions=move.within) <= move.within)
    assert share == pytest.approx(expected, abs=3.5 * np.sqrt(expected * (1.0 - expected) / SAMPLE) + 0.003)


def test_a_sample_has_false_alarms_as_often_as_the_table() -> None:
    expected = float(TABLED["as drawn"][0])
    alarm = alarms(np.random.default_rng(8), WITHOUT_MOVE, SAMPLE)
    n = alarm.any(axis=2).sum()
    assert n == pytest.approx(SAMPLE * WITHOUT_MOVE / expected, abs=4.0 * np.sqrt(n))
    assert sessions_an_alarm(alarm) == pytest.approx(expected, rel=0.2)


def test_the_table_holds_the_gate() -> None:
    assert min(map(tabled_share, GATED)) >= LEAST_SHARE
    assert float(TABLED["as drawn"][0]) >= ALARM_EVERY
