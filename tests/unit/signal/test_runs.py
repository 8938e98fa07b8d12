"""Stretches of a recording."""

from __future__ import annotations

import numpy as np

from biomech_id.signal.runs import channel_runs, runs


def test_runs_are_half_open_and_in_order() -> None:
    assert runs(np.array([True, True, False, True, False, False, True])) == [(0, 2), (3, 4), (6, 7)]
    assert runs(np.zeros(3, dtype=bool)) == []
    assert runs(np.zeros(0, dtype=bool)) == []


def test_channels_with_the_same_gaps_are_yielded_together() -> None:
    values = np.zeros((10, 5))
    values[4, [1, 3]] = np.nan
    values[:, 4] = np.nan
    found = {(tuple(np.flatnonzero(channels)), start, stop) for channels, start, stop in channel_runs(values, 1)}
    assert found == {((0, 2), 0, 10), ((1, 3), 0, 4), ((1, 3), 5, 10)}
    assert {(start, stop) for _, start, stop in channel_runs(values, 5)} == {(0, 10), (5, 10)}
