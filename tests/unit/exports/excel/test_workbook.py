"""A session as a workbook: read back with openpyxl it equals the tables, and without openpyxl one sentence says what is missing."""

from __future__ import annotations

import gc
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.errors import MissingInputError, OutputError
from biomech_id.exports.excel import workbook
from biomech_id.exports.excel.workbook import CURVE_HEADS, SHEETS, write_workbook
from biomech_id.session.tables.one_row import session_row
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables, tidy_table

openpyxl = pytest.importorskip("openpyxl")


@pytest.fixture
def tables() -> Tables:
    """Two cycles with two curves, a hole in one of them."""
    names = [("walk", side, number, variable) for side, number in (("L", 1), ("R", 1)) for variable in ("HipAngles", "KneeMoment")]
    curves = [
        {"trial": trial, "side": side, "cycle": number, "kinetics_valid": "true", "percent": percent, "variable": variable,
         "component": "X", "value": np.nan if (side, variable, percent) == ("L", "HipAngles", 7) else 0.1 * percent + at}
        for at, (trial, side, number, variable) in enumerate(names)
        for percent in range(CURVE_POINTS)
    ]  # fmt: skip
    cycles = [
        {"side": side, "cycle": 1, "start_s": 0.0, "end_s": 1.0, "kinetics_valid": "true", "used": True, "reason": ""}
        for side in "LR"
    ]
    trial = {"name": "walk", "kind": "straight", "condition": "barefoot", "cycles": cycles}
    parameters = [
        {"trial": "walk", "side": side, "cycle": 1, "parameter": "speed", "value": value, "unit": "m/s"}
        for side, value in (("L", 1.25), ("R", np.nan))
    ]
    subject = {"code": "=2+3", "age_years": 9.5, "leg_length_m": {"L": 0.7}}
    empty: dict[str, Any] = {name: tidy_table(name) for name in ("budget", "peaks", "scores", "stances", "gaps", "quality")}
    return Tables(
        frames={}, cycles=tidy_table("cycles", curves), spatiotemporal=tidy_table("spatiotemporal", parameters), **empty,
        summary={"subject": subject, "model": "conventional", "conditions": ["barefoot"], "trials": [trial]},
    )  # fmt: skip


def sheet_of(path: Path, name: str) -> list[tuple[Any, ...]]:
    return list(openpyxl.load_workbook(path)[name].iter_rows(values_only=True))


def test_curves_stand_side_by_side_and_equal_the_table(tables: Tables, tmp_path: Path) -> None:
    path = write_workbook(tables, tmp_path / "a.xlsx")
    assert tuple(openpyxl.load_workbook(path).sheetnames) == SHEETS
    rows = sheet_of(path, "curves")
    heads = {row[0]: row[1:] for row in rows[: len(CURVE_HEADS)]}
    assert heads["side"] == ("L", "L", "R", "R")
    assert heads["variable"] == ("HipAngles", "KneeMoment") * 2
    values = rows[len(CURVE_HEADS) + 1 :]
    assert [row[0] for row in values] == list(range(CURVE_POINTS))
    found = np.array([[np.nan if cell is None else cell for cell in row[1:]] for row in values], dtype=float)
    # A cell holds fifteen digits.
    np.testing.assert_allclose(found.T.ravel(), tables.cycles["value"].to_numpy(), rtol=1e-14)


def test_more_curves_than_a_sheet_has_columns_go_on_in_another(
    tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten minutes on a treadmill are more cycles, times curves, than a spreadsheet opens side by side."""
    assert workbook.MOST_COLUMNS == 16384
    monkeypatch.setattr(workbook, "MOST_COLUMNS", 4)
    path = write_workbook(tables, tmp_path / "a.xlsx")
    assert openpyxl.load_workbook(path).sheetnames == ["session", "curves", "curves 2", *SHEETS[2:]]
    first, second = sheet_of(path, "curves"), sheet_of(path, "curves 2")
    assert {len(row) for row in first} == {4}
    assert [row[:2] for row in second[:5]] == [
        ("trial", "walk"), ("side", "R"), ("cycle", 1), ("variable", "KneeMoment"), ("component", "X"),
    ]  # fmt: skip
    assert [row[1] for row in second[6:]] == pytest.approx(tables.cycles["value"].to_numpy()[-CURVE_POINTS:])


def test_numbers_are_numbers_and_what_is_missing_is_empty(tables: Tables, tmp_path: Path) -> None:
    """A German spreadsheet shows a number with its comma; a text that looks like one it would not."""
    rows = sheet_of(write_workbook(tables, tmp_path / "a.xlsx"), "spatiotemporal")
    assert rows[0] == tuple(tables.spatiotemporal.columns)
    assert rows[1] == ("walk", "L", 1, "speed", 1.25, "m/s", None)
    assert rows[2] == ("walk", "R", 1, "speed", None, "m/s", None)
    assert isinstance(rows[1][4], float)


def test_one_row_says_who_and_what_and_no_code_is_a_formula(tables: Tables, tmp_path: Path) -> None:
    row = session_row(tables)
    assert (row["age_years"], row["leg_length_m_L"], row["leg_length_m_R"], row["cycles_L"]) == (9.5, 0.7, None, 1)
    assert (row["speed_L"], row["speed_R"]) == (1.25, None)
    heads, cells = sheet_of(write_workbook(tables, tmp_path / "a.xlsx"), "session")
    written = dict(zip(heads, cells, strict=True))
    assert written["code"] == "'=2+3"
    assert {name: value for name, value in written.items() if name != "code"} == {
        name: value or None if isinstance(value, str) else value for name, value in row.items() if name != "code"
    }


def test_one_row_holds_the_means_of_the_cycles_that_are_in_and_no_others(tables: Tables) -> None:
    """Two left cycles in the means, one that was refused: the row is the mean of two, of parameters, peaks and counts."""
    (trial,) = tables.summary["trials"]
    first = trial["cycles"][0]
    cycles = [{**first, "cycle": number, "used": number < 3} for number in (1, 2, 3)]
    rows = {"trial": "walk", "side": "L"}
    speeds = [
        {**rows, "cycle": n, "parameter": "speed", "value": value, "unit": "m/s"} for n, value in ((1, 1.0), (2, 1.5), (3, 9.0))
    ]
    power = {**rows, "variable": "AnklePower", "component": "", "phase": "stance", "percent": 50.0, "time_s": 1.0, "unit": "W/kg"}
    peaks = [{**power, "cycle": n, "name": "A2", "value": value} for n, value in ((1, 2.0), (2, 4.0), (3, 90.0))]
    peaks += [{**power, "cycle": 1, "name": "value_contact", "value": 7.0}]
    session = replace(
        tables, summary={**tables.summary, "trials": [{**trial, "cycles": cycles}]},
        spatiotemporal=tidy_table("spatiotemporal", speeds), peaks=tidy_table("peaks", peaks),
    )  # fmt: skip
    row = session_row(session)
    assert (row["cycles_L"], row["cycles_R"], row["trials"], row["speed_L"], row["A2_L"]) == (2, 0, 1, 1.25, 3.0)
    assert not [name for name in row if "contact" in name or name == "speed_R"]


def test_without_openpyxl_one_sentence_says_what_to_type(tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingInputError, match="pip install openpyxl"):
        write_workbook(tables, tmp_path / "a.xlsx")
    assert not list(tmp_path.iterdir())


def test_a_workbook_that_cannot_be_written_says_so(tables: Tables, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError):
        write_workbook(tables, tmp_path / "file" / "a.xlsx")


def test_a_folder_is_refused_before_a_sheet_is_begun(tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sheet that is never ended writes a trace of its own when it goes."""
    traces: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", traces.append)
    with pytest.raises(OutputError, match="is a folder; name a file in it"):
        write_workbook(tables, tmp_path)
    gc.collect()
    assert traces == []


def test_a_session_of_several_conditions_has_no_mixed_scores(tables: Tables) -> None:
    row = {"condition": "barefoot", "side": "", "score": "GPS", "variable": "", "component": "", "value": 6.0, "unit": "deg",
           "norm_mean": 5.0, "norm_sd": 1.0, "cycles": "used"}  # fmt: skip
    scored = replace(tables, scores=tidy_table("scores", [row]))
    assert session_row(scored)["GPS"] == 6.0
    assert "GPS" not in session_row(replace(scored, summary={**tables.summary, "conditions": ["barefoot", "shod"]}))
