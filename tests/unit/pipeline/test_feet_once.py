"""The feet of a trial are worked out once in an analysis: landmarks, contacts, floor support and travel, counted by wrapping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import biomech_id as bid
from biomech_id.feet import feet, landmarks
from biomech_id.gait import force_lag
from biomech_id.gait.step_mass import step_mass_kg

DATA = Path(__file__).resolve().parents[3] / "data"
#: Of a trial that was tracked; landmarks of its markers alone are asked before there is a model.
ONCE = ("landmarks", "contacts", "support", "travel")


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """(what, trial) -> how often it was worked out; travel and support are told by their number of frames alone."""
    counts: Counter[tuple[str, str]] = Counter()

    def count(module: Any, name: str, key: Callable[..., tuple[str, str]]) -> None:
        function = getattr(module, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            counts[key(*args)] += 1
            return function(*args, **kwargs)

        monkeypatch.setattr(module, name, counted)

    count(landmarks, "_landmarks", lambda trial, motion: ("landmarks" if motion is not None else "of markers", trial.name))
    count(feet, "find_contacts", lambda trial, *_: ("contacts", trial.name))
    count(feet, "floor_support", lambda *_: ("support", ""))
    count(feet, "describe_travel", lambda *_: ("travel", ""))
    count(force_lag, "describe_travel", lambda *_: ("travel", ""))
    return counts


def assert_once(found: Counter[tuple[str, str]], walks: set[str]) -> None:
    assert {name for what, name in found if what == "landmarks"} == walks
    assert {key: n for key, n in found.items() if key[0] in ("landmarks", "contacts", "of markers") and n > 1} == {}
    assert {what: n for what in ONCE if (n := sum(found[key] for key in found if key[0] == what)) != len(walks)} == {}


def test_of_a_folder(found: Counter[tuple[str, str]]) -> None:
    session = bid.analyse(DATA, exclude=("turn*", "walk03*"))
    assert_once(found, {trial.name for trial in session.trials})
    assert {name for what, name in found if what == "of markers"} <= {"static"}


def test_of_somebody_whose_mass_nobody_knows(found: Counter[tuple[str, str]]) -> None:
    """The static trial is asked for the mass, on the plates, and again by what is said of it."""
    person = bid.virtual_subject()
    unknown = replace(person.subject(), mass_kg=None)
    trials = [replace(trial, subject=unknown) for trial in (person.static().trial, person.walk().trial)]
    bid.analyse(trials)
    assert_once(found, {"walk"})
    assert found["of markers", "static"] == 1


def test_of_a_mass_that_steps_tell(found: Counter[tuple[str, str]]) -> None:
    assert step_mass_kg([bid.read_c3d(DATA / "walk01.c3d")])
    assert Counter(what for what, _ in found.elements()) == dict.fromkeys(("of markers", "contacts", "support", "travel"), 1)
