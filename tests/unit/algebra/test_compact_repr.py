"""What an interpreter shows of a value with many numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.algebra.compact_repr import compact_repr

ROOT = Path(__file__).resolve().parents[3]


@compact_repr
@dataclass(frozen=True)
class Inner:
    name: str
    weight: float = 1.0


@compact_repr
@dataclass(frozen=True, eq=False)
class Many:
    name: str
    values: np.ndarray
    place_m: np.ndarray
    parts: tuple[Inner, ...] = ()
    by_side: Mapping[str, object] = field(default_factory=dict)
    secret: int = field(default=3, repr=False)
    note: str | None = None


def test_shapes_counts_and_names_in_place_of_contents() -> None:
    value = Many(
        "x" * 100, np.zeros((500, 3)), np.array([1.0, 0.5, 1 / 3]), tuple(Inner(f"p{i}") for i in range(9)), {"L": {"a": 1}}
    )
    assert repr(value) == (
        f"Many(name='{'x' * 37}...', values=array(500, 3), place_m=[1, 0.5, 0.333333], "
        "parts=(<Inner 'p0'>, <Inner 'p1'>, <Inner 'p2'>, <Inner 'p3'>, ... 9 in all), by_side={'L': <1 entries>})"
    )
    assert "parts=(3 <Inner>)" in repr(Many("x", np.zeros(9), np.zeros(3), (Inner(""),) * 3))
    assert repr(Inner("p", 2.5)) == "Inner(name='p', weight=2.5)"
    assert repr(Many("", np.zeros(0), np.zeros(3))) == "Many(place_m=[0, 0, 0])"


@pytest.mark.parametrize(
    "name", ["trial", "markers", "subject", "model", "motion", "movement", "assignment", "loads", "load", "wrench", "body"]
)
def test_what_a_researcher_holds_fits_on_a_few_lines(name: str) -> None:
    person = bid.virtual_subject()
    model = bid.conventional_model(person.static().trial)
    trial = person.walk().trial
    motion = model.track(trial)
    movement = bid.assign_plates(motion)
    assignment, loads = movement.assignment, bid.solve(movement)
    values = {
        "trial": trial, "markers": trial.markers, "subject": trial.subject, "plate": trial.plates[0], "model": model,
        "motion": motion, "movement": movement,
        "assignment": assignment, "loads": loads, "load": loads["R", "knee"], "wrench": loads["R", "knee"].wrench,
        "body": motion.segments["R", "foot"],
    }  # fmt: skip
    shown = repr(values[name])
    assert shown.startswith(type(values[name]).__name__ + "(")
    assert len(shown) < 1300
    assert "\n" not in shown


def test_a_whole_session_and_its_tables_too() -> None:
    session = bid.analyse(ROOT / "data", exclude=("turn*", "walk0[13]*"))
    for value in (session, session.movements[0], session.tables(), session.frames("walk02")):
        shown = repr(value)
        assert shown.startswith(type(value).__name__ + "(")
        assert len(shown) < 1300
    assert "DataFrame(" in repr(session.tables())
