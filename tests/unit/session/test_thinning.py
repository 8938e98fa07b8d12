"""Tables of too many rows: what is written, what is said, and what is read back; with a limit far below two million."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biomech_id.errors import OptionError
from biomech_id.files.json_text import read_json
from biomech_id.pipeline.study import tables as study_tables
from biomech_id.pipeline.study.tables import told_of_study, write_study
from biomech_id.session.folder.read_write import read_tables, write_folder
from biomech_id.session.output import thinning
from biomech_id.session.output.thinning import CURVE_TABLES, thinned, with_large_tables
from biomech_id.session.session import Session
from biomech_id.session.tables.session_tables import Tables


@pytest.fixture
def tables(session: Session) -> Tables:
    return session.tables()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, tables: Tables) -> int:
    """A limit that a fifth of the session's curves would pass."""
    limit = len(tables.cycles) // 4
    monkeypatch.setattr(thinning, "TOO_MANY_ROWS", limit)
    return limit


def test_a_session_below_the_limit_is_whole(tables: Tables) -> None:
    assert with_large_tables(tables, "auto") is tables


def test_a_table_of_too_many_rows_is_thinned_said_and_read_back(tables: Tables, few: int, tmp_path: Path) -> None:
    large = with_large_tables(tables, "auto")
    said = {each["values"]["table"]: each for each in large.summary["findings"] if each["rule"] == "table-thinned"}
    assert "cycles" in said
    assert said["cycles"]["message"] == (
        f"cycles.csv would have {len(tables.cycles)} rows: of the percents of each cycle one in 5 is written."
    )
    write_folder(large, tmp_path / "out")
    for name in set(said) & set(CURVE_TABLES):
        assert len(pd.read_csv(tmp_path / "out" / f"{name}.csv")) <= few
    read = read_tables(tmp_path / "out")
    assert read.summary["thinned"]["cycles"] == 5
    assert len(read.cycles) == len(tables.cycles)
    kept = np.arange(len(tables.cycles)) % 101 % 5 == 0
    np.testing.assert_allclose(read.cycles["value"][kept], tables.cycles["value"][kept], rtol=1e-8, atol=1e-9)
    pd.testing.assert_frame_equal(read.cycles.drop(columns="value"), tables.cycles.drop(columns="value"))
    angles = tables.cycles["variable"] == "KneeAngles"
    assert np.abs(read.cycles["value"][angles] - tables.cycles["value"][angles]).max() < 0.5
    assert read.uncertainty is not None
    assert (read.uncertainty["total"].dropna() >= 0).all()


def test_who_asks_for_everything_gets_it(tables: Tables, few: int) -> None:
    assert with_large_tables(tables, "whole") is tables
    assert len(tables.cycles) > few


def test_frames_are_thinned_by_instants() -> None:
    table = pd.DataFrame({"trial": list("aaaabb"), "time_s": [0.0, 0.0, 0.1, 0.2, 5.0, 5.1], "value": np.arange(6.0)})
    assert thinned(table, 2)["value"].tolist() == [0.0, 1.0, 3.0, 4.0]


def test_a_study_is_thinned_and_says_so(tables: Tables, few: int, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_folder(replace(tables, summary=dict(tables.summary)), tmp_path / name)
    out = write_study(tmp_path, parquet=False)
    cycles = pd.read_csv(out / "cycles.csv")
    assert set(cycles["percent"]) == set(range(0, 101, 10))
    assert cycles["subject"].value_counts().to_dict() == dict.fromkeys("ab", len(tables.cycles) // 101 * 11)
    every_tenth = tables.cycles["value"][tables.cycles["percent"] % 10 == 0]
    np.testing.assert_allclose(cycles["value"][: len(cycles) // 2], every_tenth, rtol=1e-7)
    assert read_json(out / "study.json")["thinned"] == {"cycles": 10}
    (said,) = told_of_study(out)
    assert str(said) == (
        "study/cycles would have more than two million rows: of the percents of each cycle one in 10 is written; "
        "pip install pyarrow writes all of it, in parts."
    )
    assert len(pd.read_csv(write_study(tmp_path, parquet=False, large="whole") / "cycles.csv")) == 2 * len(tables.cycles)


def test_parts_without_parquet_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_tables, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match=r"pyarrow is not installed: pip install pyarrow\.$"):
        write_study(tmp_path, large="parts")
