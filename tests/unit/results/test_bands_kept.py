"""Bands are the dearest part of a trial: what is judged of a cycle after they were computed does not compute them again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from biomech_id.gait.cycle import KineticsValid
from biomech_id.results.session import values
from biomech_id.results.session.values import TrialResult
from biomech_id.results.tables.band_values import _vertex
from biomech_id.results.tables.bands import _leg_changes


def refuse(*args: object, **kwargs: object) -> None:
    raise AssertionError("computed again")


def test_bands_outlive_what_is_judged_of_their_cycles(trial: TrialResult, monkeypatch: pytest.MonkeyPatch) -> None:
    known = trial.with_bands()
    monkeypatch.setattr(values, "cycle_bands", refuse)
    judged = replace(known, cycles=tuple(replace(cycle, refused=True, steady=False) for cycle in known.cycles))
    assert len(judged.bands) == len(known.bands) == 3
    for before, after in zip(known.bands, judged.bands, strict=True):
        assert after.cycle.refused
        assert after.cycle in judged.cycles
        np.testing.assert_array_equal(after.changes, before.changes)


@pytest.mark.parametrize("change", [{"start_s": 0.62}, {"kinetics_valid": KineticsValid.FALSE}, {"number": 7}])
def test_bands_of_a_cycle_that_is_cut_elsewhere_are_others(trial: TrialResult, change: dict[str, Any]) -> None:
    first, *others = trial.cycles
    moved = replace(trial.with_bands(), cycles=(replace(first, **change), *others))
    fresh = replace(moved, banded=None)
    assert [band.cycle for band in moved.bands] == [band.cycle for band in fresh.bands]
    for ours, theirs in zip(moved.bands, fresh.bands, strict=True):
        np.testing.assert_array_equal(ours.changes, theirs.changes)


@pytest.mark.parametrize("held", [1, 150])
def test_bands_worked_off_in_blocks_of_cycles_are_the_same(trial: TrialResult, monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    whole = trial.bands
    asked: list[int] = []

    def told(*of: Any) -> Any:
        asked.append(len(of[4]))
        return _leg_changes(*of)

    monkeypatch.setattr("biomech_id.results.tables.bands.HELD_FRAMES", held)
    monkeypatch.setattr("biomech_id.results.tables.bands._leg_changes", told)
    blocks = replace(trial, banded=None).bands
    assert len(asked) == (3 if held == 1 else 2)
    assert [band.cycle for band in blocks] == [band.cycle for band in whole]
    for ours, theirs in zip(blocks, whole, strict=True):
        np.testing.assert_allclose(ours.changes, theirs.changes, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(ours.noise, theirs.noise, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(("word", "sign"), [("max", 1.0), ("min", -1.0)])
def test_a_level_top_that_rounding_makes_uneven_has_a_place(word: str, sign: float) -> None:
    """A clipped force, interpolated: its neighbours differ by the last bit, and the parabola through them does not bend."""
    level = np.array([[0.5, np.nextafter(top, 0.0), top, top, 0.3] for top in (1.0, 7.3, 740.0, 1e-300)])
    with np.errstate(divide="raise", invalid="raise"):
        value, place = _vertex(sign * level, word)
    np.testing.assert_array_equal(value, sign * np.array([1.0, 7.3, 740.0, 0.5]))
    assert place[:3] == pytest.approx(2.0, abs=0.5)
    assert place[3] == 0.0
