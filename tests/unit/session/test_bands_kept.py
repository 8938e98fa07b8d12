"""Bands are the dearest part of a trial: what is judged of a cycle after they were computed does not compute them again."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from biomech_id.conventions import Aspect
from biomech_id.deprecation import BiomechDeprecationWarning
from biomech_id.errors import MissingInputError
from biomech_id.movement.cycle import KineticsValid
from biomech_id.session import trial_tables
from biomech_id.session.bands.band_values import _vertex
from biomech_id.session.bands.bands import _leg_changes
from biomech_id.session.solved import Solved
from biomech_id.session.trial_tables import bands, keep_tables, kept, kept_tables, uncertainty_rows, with_kept_bands
from biomech_id.uncertainty.recording import LegErrors


def copies(errors: Mapping[str, LegErrors]) -> dict[str, LegErrors]:
    """The same errors of each leg, of which no bands were computed yet."""
    return {side: replace(of_leg) for side, of_leg in errors.items()}


def refuse(*args: object, **kwargs: object) -> None:
    raise AssertionError("computed again")


def test_bands_outlive_what_is_judged_of_their_cycles(trial: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    # The errors keep the bands last computed with them: those of its own, as other tests cut the cycles of this trial elsewhere.
    first = replace(trial, errors=copies(trial.errors))
    before = bands(first)
    monkeypatch.setattr(trial_tables, "cycle_bands", refuse)
    judged = replace(first, cycles=tuple(replace(cycle, refused=(Aspect.KINEMATICS,), steady=False) for cycle in first.cycles))
    assert len(before) == 3
    for ours, theirs in zip(bands(judged), before, strict=True):
        assert ours.cycle.refused
        assert ours.cycle in judged.cycles
        np.testing.assert_array_equal(ours.changes, theirs.changes)


def test_bands_of_another_run_are_read_once_they_are_asked_for(trial: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    first = replace(trial, errors=copies(trial.errors))
    before, asked = bands(first), list[str]()
    tables, of_legs = kept_tables(first)

    def read() -> Mapping[str, Any]:
        asked.append("read")
        return of_legs

    monkeypatch.setattr(trial_tables, "cycle_bands", refuse)
    again = with_kept_bands(trial, tables, read)
    keep_tables(again, tables)
    assert uncertainty_rows(again) is tables["uncertainty_rows"]
    assert not asked
    assert [band.cycle for band in bands(again)] == [band.cycle for band in before]
    assert bands(replace(again))[0].changes is before[0].changes
    assert asked == ["read"]


@pytest.mark.parametrize("change", [{"start_s": 0.62}, {"kinetics_valid": KineticsValid.FALSE}, {"number": 7}])
def test_bands_of_a_cycle_that_is_cut_elsewhere_are_others(trial: Solved, change: dict[str, Any]) -> None:
    first, *others = trial.cycles
    assert len(bands(trial)) == 3
    moved = replace(trial, cycles=(replace(first, **change), *others))
    fresh = replace(moved, errors=copies(trial.errors))
    assert [band.cycle for band in bands(moved)] == [band.cycle for band in bands(fresh)]
    for ours, theirs in zip(bands(moved), bands(fresh), strict=True):
        np.testing.assert_array_equal(ours.changes, theirs.changes)


@pytest.mark.parametrize("held", [1, 150])
def test_bands_worked_off_in_blocks_of_cycles_are_the_same(trial: Solved, monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    whole = bands(trial)
    asked: list[int] = []

    def told(*of: Any) -> Any:
        asked.append(len(of[4]))
        return _leg_changes(*of)

    monkeypatch.setattr("biomech_id.session.bands.bands.HELD_FRAMES", held)
    monkeypatch.setattr("biomech_id.session.bands.bands._leg_changes", told)
    blocks = bands(replace(trial, errors=copies(trial.errors)))
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


@dataclass(frozen=True)
class Number:
    value: float


def test_what_is_kept_with_a_value_is_computed_once_and_neither_replaced_nor_pickled() -> None:
    asked: list[float] = []

    @kept
    def doubled(number: Number) -> float:
        """Twice the number."""
        asked.append(number.value)
        return 2.0 * number.value

    two = Number(2.0)
    assert (doubled(two), doubled(two), asked) == (4.0, 4.0, [2.0])
    assert (doubled(replace(two, value=3.0)), asked) == (6.0, [2.0, 3.0])
    again = pickle.loads(pickle.dumps(two))
    assert again == two
    assert (doubled(again), asked) == (4.0, [2.0, 3.0, 2.0])
    assert doubled.__doc__ == "Twice the number."


def test_a_trial_has_its_tables_as_attributes_until_they_go(trial: Solved) -> None:
    with pytest.warns(BiomechDeprecationWarning, match=r"write biomech_id\.session\.trial_tables\.frames\(trial\) instead"):
        assert trial.frames is trial_tables.frames(trial)


def test_a_trial_is_light() -> None:
    """Its module alone loads no table."""
    code = "import sys, biomech_id.session.solved; print('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_solved_trial_is_the_mapping_of_its_joint_loads(trial: Solved) -> None:
    assert trial.loads is not None
    assert dict(trial) == dict(trial.loads)
    assert trial["R", "knee"] is trial.loads["R", "knee"]
    bare = replace(trial, loads=None)
    assert (len(bare), list(bare)) == (0, [])
    with pytest.raises(MissingInputError, match="kinematics only"):
        _ = bare["R", "knee"]
    assert trial == trial != replace(trial)
