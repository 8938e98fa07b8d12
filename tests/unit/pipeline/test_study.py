from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biomech_id.conventions import table_columns
from biomech_id.errors import FileRefusedError
from biomech_id.files.json_text import read_json
from biomech_id.pipeline.study.tables import session_folders, write_study
from biomech_id.session.folder.difference import folder_differences
from biomech_id.session.folder.read_write import write_folder
from biomech_id.session.session import Session
from biomech_id.session.tables.session_tables import Tables


@pytest.fixture(scope="module")
def tables(session: Session) -> Tables:
    return session.tables()


@pytest.fixture
def study(tables: Tables, tmp_path: Path) -> Path:
    """Two subjects in nested folders; the second one's feet have an outline point more, and one's name needs quoting."""
    root = tmp_path / "study results"
    write_folder(tables, root / "b, second" / "day 1")
    frames = {"walk": tables.frames["walk"].assign(**{"LExtra.X": 1.5})}
    write_folder(replace(tables, frames=frames), root / "a")
    (root / ".part-host-77-0123abcd").mkdir()
    (root / ".part-host-77-0123abcd" / "manifest.json").write_text("{}", encoding="utf-8")
    return root


def test_finished_sessions_are_found_in_order(study: Path) -> None:
    assert [path.relative_to(study).as_posix() for path in session_folders(study)] == ["a", "b, second/day 1"]


def test_one_csv_a_table_with_the_subject_in_front(study: Path, tables: Tables) -> None:
    out = write_study(study, parquet=False)
    assert sorted(path.name for path in out.iterdir()) == [
        "cycles.csv",
        "frames.csv",
        "quality.csv",
        "spatiotemporal.csv",
        "study.json",
    ]
    cycles = pd.read_csv(out / "cycles.csv", keep_default_na=False, na_values={"value": [""]})
    assert list(cycles.columns) == ["subject", *(column.name for column in table_columns("cycles"))]
    assert cycles["subject"].unique().tolist() == ["a", "b, second/day 1"]
    for _, rows in cycles.groupby("subject"):
        np.testing.assert_allclose(rows["value"], tables.cycles["value"], rtol=5e-9)
    frames = pd.read_csv(out / "frames.csv")
    assert list(frames.columns[:4]) == ["subject", "trial", "frame", "time"]
    extra = frames.groupby("subject")["LExtra.X"].agg(["count", "size"])
    assert extra["count"].tolist() == [160, 0]
    assert read_json(out / "study.json")["subjects"] == ["a", "b, second/day 1"]


def test_the_bytes_do_not_depend_on_the_order_of_arrival(study: Path) -> None:
    first = {path.name: path.read_bytes() for path in write_study(study, parquet=False).iterdir()}
    again = write_study(study, list(reversed(session_folders(study))), parquet=False)
    assert {path.name: path.read_bytes() for path in again.iterdir()} == first


def test_a_damaged_session_is_named_and_the_old_study_stays(study: Path) -> None:
    out = write_study(study, parquet=False)
    before = (out / "cycles.csv").read_bytes()
    (study / "a" / "cycles.csv").write_text("spoilt\n", encoding="utf-8")
    with pytest.raises(FileRefusedError, match=r"cycles\.csv"):
        write_study(study, parquet=False)
    assert (out / "cycles.csv").read_bytes() == before
    assert not list(study.glob(".study*"))


def test_equal_folders_do_not_differ(tables: Tables, tmp_path: Path) -> None:
    write_folder(tables, tmp_path / "a")
    write_folder(tables, tmp_path / "b")
    assert folder_differences(tmp_path / "a", tmp_path / "b") == ()


def test_the_largest_difference_of_each_table_is_told(tables: Tables, tmp_path: Path) -> None:
    cycles = tables.cycles.copy()
    cycles.loc[7, "value"] += 1e-3
    cycles.loc[300, "value"] -= 2e-3
    cycles.loc[301, "value"] = np.nan
    changed = replace(
        tables,
        cycles=cycles,
        peaks=tables.peaks.assign(percent=tables.peaks["percent"] + 3.0),
        stances=tables.stances.assign(verdict="light"),
        quality=tables.quality.iloc[:0],
        frames={"run": tables.frames["walk"]},
    )
    write_folder(tables, tmp_path / "a")
    write_folder(changed, tmp_path / "b")
    found = {difference.name: difference for difference in folder_differences(tmp_path / "a", tmp_path / "b")}
    assert set(found) == {"cycles.csv", "peaks.csv", "stances.csv", "quality.csv", "trials/walk.csv", "trials/run.csv"}
    assert found["cycles.csv"].largest == pytest.approx(2e-3, rel=1e-4)
    assert "column value, row 301" in found["cycles.csv"].what
    assert "1 cell is empty in one of them only" in found["cycles.csv"].what
    assert "at most 3 (column percent" in found["peaks.csv"].what
    assert "other text in column verdict" in found["stances.csv"].what
    assert "1 rows against 0" in found["quality.csv"].what
    assert "missing" in found["trials/run.csv"].what


def test_copied_and_rewritten_rows_say_the_same(study: Path, tables: Tables) -> None:
    """A quoted cell somewhere takes the slow way; its neighbours must not notice."""
    plain = (write_study(study, parquet=False) / "spatiotemporal.csv").read_text(encoding="utf-8")
    path = study / "a" / "spatiotemporal.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("walk", '"walk"'), encoding="utf-8")
    assert (write_study(study, parquet=False) / "spatiotemporal.csv").read_text(encoding="utf-8") == plain


def test_a_study_without_trials_has_empty_tables(tables: Tables, tmp_path: Path) -> None:
    write_folder(replace(tables, frames={}, summary={**tables.summary, "trials": []}), tmp_path / "a")
    out = write_study(tmp_path, parquet=False)
    assert (out / "frames.csv").read_text(encoding="utf-8") == "subject,trial,frame,time\n"
