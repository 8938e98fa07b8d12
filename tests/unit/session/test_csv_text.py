from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biomech_id.conventions import Column
from biomech_id.errors import FileRefusedError
from biomech_id.session.tables.csv_text import csv_text, read_csv, read_frames_csv

COLUMNS = (Column("who", "text", "a name"), Column("count", "integer", "a count"), Column("value", "number", "a number"))


@pytest.fixture
def table() -> pd.DataFrame:
    numbers = [1.0, np.nan, -2.5e-7, 1 / 3, 123456789012.0]
    return pd.DataFrame({"who": ["plain", "", 'say "yes"', "a, b", "Zoë"], "count": [1, 2, 3, 4, -5], "value": numbers})


def test_text_is_what_pandas_writes_with_nine_digits(table: pd.DataFrame) -> None:
    assert csv_text(table) == table.to_csv(index=False, float_format="%.9g", lineterminator="\n")


def test_text_of_an_empty_table_is_its_header() -> None:
    assert csv_text(pd.DataFrame({"a": [], "b": []})) == "a,b\n"


def test_reading_back_gives_the_same_table_to_nine_digits(table: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(csv_text(table), encoding="utf-8", newline="\n")
    back = read_csv(path, COLUMNS)
    # 5e-9 relative is half a unit of the ninth digit.
    pd.testing.assert_frame_equal(back, table, rtol=5e-9, atol=0.0, check_exact=False)
    assert csv_text(back) == csv_text(table)


def test_an_empty_integer_cell_is_missing_not_zero(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("who,count,value\na,,1\nb,3,\n", encoding="utf-8")
    back = read_csv(path, COLUMNS)
    assert np.isnan(back["count"][0])
    assert back["count"][1] == 3.0
    assert np.isnan(back["value"][1])


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b"who,value\na,1\n", "count"),
        (b"who,count,value\na,1,much\n", "much"),
        (b"who,count,value\na,1,2,3,4\n", "not the table"),
        (b"\xff\xfe\x00", "cannot be read"),
        (b"", "count"),
    ],
)
def test_a_damaged_table_is_refused_by_name(content: bytes, names: str, tmp_path: Path) -> None:
    path = tmp_path / "spoilt.csv"
    path.write_bytes(content)
    with pytest.raises(FileRefusedError, match=names) as caught:
        read_csv(path, COLUMNS)
    assert "spoilt.csv" in caught.value.where


def test_frames_must_begin_with_frame_and_time(tmp_path: Path) -> None:
    path = tmp_path / "walk.csv"
    path.write_text("frame,time,LHipPower\n41,0.4,\n42,0.41,1.5\n", encoding="utf-8")
    frames = read_frames_csv(path)
    assert frames["frame"].tolist() == [41, 42]
    assert frames["frame"].dtype == np.int64
    assert np.isnan(frames["LHipPower"][0])
    path.write_text("time,frame\n", encoding="utf-8")
    with pytest.raises(FileRefusedError, match="frame and time"):
        read_frames_csv(path)


def test_a_table_that_a_spreadsheet_has_saved(table: pd.DataFrame, tmp_path: Path) -> None:
    """With a byte order mark it reads as before; with semicolons it says what to change."""
    file = tmp_path / "norm.csv"
    file.write_bytes(csv_text(table).replace("\n", "\r\n").encode("utf-8-sig"))
    pd.testing.assert_frame_equal(read_csv(file, COLUMNS), table, rtol=1e-8)
    file.write_text(csv_text(table).replace(",", ";"), encoding="utf-8")
    with pytest.raises(FileRefusedError, match="separated by semicolons; save it with commas"):
        read_csv(file, COLUMNS)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"), ("@SUM(A1)", "'@SUM(A1)"), ("+49 30", "'+49 30"), ("-1+2", "'-1+2"), ("'=1", "''=1"),
        ("'''+a", "''''+a"), ("-", "-"), ("-90.5", "-90.5"), ("+1e-3", "+1e-3"), ("'quoted'", "'quoted'"), ("a=b", "a=b"), ("", ""),
        ('=1,"x"', '"\'=1,""x"""'),
    ],
)  # fmt: skip
def test_no_cell_is_run_as_a_formula_and_all_are_read_as_they_were(text: str, written: str, tmp_path: Path) -> None:
    made = csv_text(pd.DataFrame({"name": [text], "value": [-1.5]}))
    assert made == f"name,value\n{written},-1.5\n"
    path = tmp_path / "table.csv"
    path.write_text(made, encoding="utf-8", newline="\n")
    back = read_csv(path, [Column("name", "text", ""), Column("value", "number", "")])
    assert (back["name"].tolist(), back["value"].tolist()) == ([text], [-1.5])
