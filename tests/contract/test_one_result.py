"""What `analyse` returns and what `read_folder` reads back are the same type, with the same attributes, words and numbers."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import biomech_id as bid
from biomech_id.errors import MissingInputError, UnknownNameError
from biomech_id.session.session import Session, SessionTrial

ROOT = Path(__file__).resolve().parents[2]
QUICK: dict[str, Any] = {"report": False, "uncertainty": False, "budget": False}
#: Attributes that only a session in memory has; they are there in both and one says why it has none.
IN_MEMORY = {"computed", "motion", "loads", "markers", "analog"}
#: What of a session only memory has: its fields, and what follows from them.
FIELDS = {"grade", "fingerprint", "computed", *(field.name for field in dataclasses.fields(Session))} - {"model", "kinetics"}


def attributes(kind: type) -> list[str]:
    return sorted(name for name in dir(kind) if name[0] != "_" and name not in IN_MEMORY | FIELDS | {"session", "held"})


def differences(one: Any, other: Any, place: str = "") -> list[str]:
    """Where two results differ: keys, shapes, text, units; numbers by more than 5e-9 relative."""
    if type(one) is not type(other):
        return [f"{place}: {type(one).__name__} against {type(other).__name__}"]
    if isinstance(one, pd.DataFrame):
        try:
            pd.testing.assert_frame_equal(one, other, rtol=5e-9, atol=0.0)
        except AssertionError as error:
            return [f"{place}: {error}"]
        return differences(one.attrs, other.attrs, f"{place}.attrs")
    if isinstance(one, np.ndarray):
        alike = one.shape == other.shape and np.allclose(one, other, rtol=5e-9, atol=0.0, equal_nan=True)
        return [] if alike else [f"{place}: other numbers"]
    if hasattr(one, "keys"):
        if list(one.keys()) != list(other.keys()):
            return [f"{place}: keys {set(one.keys()) ^ set(other.keys())}"]
        return [said for key in one.keys() for said in differences(one[key], other[key], f"{place}[{key}]")]  # noqa: SIM118
    if isinstance(one, list | tuple):
        if len(one) != len(other):
            return [f"{place}: {len(one)} against {len(other)}"]
        return [said for n, (a, b) in enumerate(zip(one, other, strict=True)) for said in differences(a, b, f"{place}[{n}]")]
    if isinstance(one, SessionTrial):
        return [
            said
            for name in attributes(SessionTrial)
            for said in differences(*(getattr(t, name) for t in (one, other)), f"{place}.{name}")
        ]
    if callable(one):
        return []
    return [] if one == other else [f"{place}: {one!r} against {other!r}"]


def session_differences(one: Session, other: Session) -> list[str]:
    names = [*attributes(Session), "model", "kinetics"]
    assert {"trials", "frames", "cycles", "peaks", "summary", "manifest"} <= set(names)
    return [said for name in names for said in differences(getattr(one, name), getattr(other, name), name)]


@pytest.fixture(scope="module")
def fresh() -> Session:
    return bid.analyse(ROOT / "data", report=False, exclude=("turn*", "walk0[13]*"))


@pytest.fixture(scope="module")
def stored(fresh: Session, tmp_path_factory: pytest.TempPathFactory) -> Session:
    return bid.read_folder(fresh.write(tmp_path_factory.mktemp("one") / "out"))


def test_the_virtual_subject_reads_back_the_same(fresh: Session, stored: Session) -> None:
    assert type(fresh) is type(stored)
    assert session_differences(fresh, stored) == []


def test_a_difference_is_seen(fresh: Session, stored: Session) -> None:
    tables = stored.tables()
    peaks = tables.peaks.assign(value=tables.peaks["value"] * (1 + 1e-7))
    assert any("peaks" in said for said in session_differences(fresh, Session.of_tables(dataclasses.replace(tables, peaks=peaks))))
    summary = {**tables.summary, "model": "other"}
    assert any(
        "model" in said for said in session_differences(fresh, Session.of_tables(dataclasses.replace(tables, summary=summary)))
    )


def test_kinematics_only_reads_back_the_same(tmp_path: Path) -> None:
    person = bid.virtual_subject()
    trials = [dataclasses.replace(each, plates=()) for each in (person.static().trial, person.walk().trial)]
    fresh = bid.analyse(trials, **QUICK)
    assert fresh.trials["walk"].frames["LKneeMoment.X"].isna().all()
    assert session_differences(fresh, bid.read_folder(fresh.write(tmp_path / "out"))) == []


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize(
    ("folder", "settings"),
    [("children/HC031A", {}), ("norm_subjects/NP1003", {"model": "six-dof", "mass_kg": 60.0})],
    ids=["child", "six-dof"],
)
def test_recordings_read_back_the_same(c3d_dir: Path, tmp_path: Path, folder: str, settings: dict[str, Any]) -> None:
    fresh = bid.analyse(c3d_dir / folder, report=False, budget=False, **settings)
    assert session_differences(fresh, bid.read_folder(fresh.write(tmp_path / "out"))) == []


def test_trials_by_name_or_place(fresh: Session) -> None:
    trial = fresh.trials["walk02"]
    assert trial is fresh.trials[0]
    assert [each.name for each in fresh.trials] == fresh.trials.keys() == ["walk02"]
    assert trial.frames.attrs["units"]["LKneeMoment.X"] == "N m/kg"
    assert trial.cycles.attrs["units"]["KneeMoment"] == "N m/kg"
    assert len(trial.time_s) == trial.n_frames == len(trial.frames)
    np.testing.assert_array_equal(fresh.frames("walk02")["LHipAngles.X"], trial.frames["LHipAngles.X"])
    assert fresh.frames("walk02").rate_hz == trial.rate_hz


def test_what_only_memory_has_says_so(fresh: Session, stored: Session) -> None:
    assert fresh.trials["walk02"].loads is fresh.computed.trials[0].loads
    for name in IN_MEMORY:
        with pytest.raises(MissingInputError, match="read from its folder"):
            getattr(stored.trials["walk02"], name)
    for name in FIELDS:
        getattr(fresh, name)
        with pytest.raises(MissingInputError, match="read from its folder"):
            getattr(stored, name)
    with pytest.raises(AttributeError, match="walked"):
        _ = fresh.walked


def test_what_was_computed_has_its_old_names(fresh: Session, stored: Session) -> None:
    computed = fresh.computed
    assert computed.trials is fresh.movements
    assert (computed.subject, computed.emg, computed.verdict) == (fresh.person, fresh.muscle_signals, fresh.grade)
    assert computed.trial("walk02") is fresh.movements[0]
    assert computed.tables() is fresh.tables()
    assert pickle.loads(pickle.dumps(stored)).tables().summary == stored.tables().summary
    assert stored.held is stored.tables()


@pytest.mark.parametrize(("asked", "near"), [("walk2", "walk02"), ("walk", "walk02")])
def test_a_trial_nobody_recorded_is_answered_with_the_nearest(fresh: Session, asked: str, near: str) -> None:
    with pytest.raises(UnknownNameError, match=f"Did you mean '{near}'"):
        fresh.trials[asked]
    with pytest.raises(UnknownNameError, match=f"Did you mean '{near}'"):
        fresh.frames[asked]


def test_a_curve_nobody_computed_is_answered_with_the_nearest(fresh: Session) -> None:
    assert fresh.curves("R", "KneeMoment.X").shape[1] == 101
    for asked in ("RKneeMoment", "KneMoment.X", "KneeMoment"):
        with pytest.raises(UnknownNameError, match=r"Did you mean 'KneeMoment\.X'"):
            fresh.curves("R", asked)


def test_a_notebook_shows_tables_and_curves(fresh: Session) -> None:
    for value in (fresh, fresh.trials[0]):
        html = value._repr_html_()
        assert html.startswith("<div>")
        assert "<table>" in html
        assert "<polyline" in html


def test_kinetics_of_a_cycle_is_a_category_beside_the_text(fresh: Session) -> None:
    table = fresh.cycles
    assert list(table["kinetics"].cat.categories) == ["whole", "stance", "none"]
    assert set(table["kinetics_valid"]) >= {"true", "false"}
    assert ((table["kinetics_valid"] == "true") == (table["kinetics"] == "whole")).all()
    assert ((table["kinetics_valid"] == "false") == (table["kinetics"] == "none")).all()


def test_findings_of_all_trials_are_one_table_and_a_warning_says_why(fresh: Session) -> None:
    assert "doubts" not in repr(fresh)
    files = [ROOT / "data" / name for name in ("static.c3d", "walk01.c3d")]
    heavy = bid.analyse(files, mass_kg=95.0, report=False, uncertainty=False)
    table = heavy.findings
    assert list(table.columns) == ["trial", "layer", "severity", "rule", "reason", "hint"]
    assert "walk01" in set(table["trial"])
    doubts = table[table["severity"] != "info"]["reason"]
    assert f"{len(doubts)} doubts: {doubts.iloc[0]}" in repr(heavy)
