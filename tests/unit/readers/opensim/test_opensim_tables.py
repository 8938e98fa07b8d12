"""OpenSim's tables and marker files: what is read is what was written, and what is wrong is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biomech_id.errors import BiomechError, FileRefusedError, InvalidValueError, MissingInputError
from biomech_id.readers.opensim.storage import StorageTable, even_rate_hz, read_storage
from biomech_id.readers.opensim.trc import MarkerTable, read_trc
from biomech_id.writers.opensim_text import write_storage, write_trc

OLD_HEADER = "name walk\ndatacolumns 3\ndatarows 2\nrange 0 0.01\nendheader\n"
NEW_HEADER = "inDegrees=yes\nversion=3\nOpenSimVersion=4.5\nendheader\n"
ROWS = "time\tknee_angle_r\tpelvis_tx\n0\t-5.5\t0.1\n0.01\t-6.25\t0.125\n"


def test_old_and_new_headers(tmp_path: Path) -> None:
    path = tmp_path / "walk.mot"
    for header, degrees in ((OLD_HEADER, True), (NEW_HEADER, True), ("Coordinates\nnRows=2\ninDegrees = no\nendheader\n", False)):
        path.write_text(header + ROWS, encoding="utf-8")
        table = read_storage(path)
        assert table.columns == ("knee_angle_r", "pelvis_tx")
        assert table.in_degrees is degrees
        np.testing.assert_array_equal(table["knee_angle_r"], [-5.5, -6.25])
        np.testing.assert_array_equal(table.time_s, [0.0, 0.01])


def test_every_table_of_the_example_survives_a_round_trip(shared_dir: Path, tmp_path: Path) -> None:
    files = sorted((shared_dir / "opensim").rglob("*.mot")) + sorted((shared_dir / "opensim").rglob("*.sto"))
    assert len(files) >= 3
    for path in files:
        first = read_storage(path)
        again = read_storage(write_storage(tmp_path / path.name, first))
        assert (again.name, again.columns, again.in_degrees) == (first.name, first.columns, first.in_degrees)
        np.testing.assert_array_equal(again.values, first.values)
        np.testing.assert_array_equal(again.time_s, first.time_s)
        assert len(first.time_s) > 100
        assert np.isfinite(first.values).all()


def test_every_marker_file_of_the_example_survives_a_round_trip(shared_dir: Path, tmp_path: Path) -> None:
    files = sorted((shared_dir / "opensim").rglob("*.trc"))
    assert len(files) >= 2
    for path in files:
        first = read_trc(path)
        again = read_trc(write_trc(tmp_path / path.name, first))
        assert (again.names, again.rate_hz, again.first_frame, again.unit) == (first.names, first.rate_hz, first.first_frame, "mm")
        # mm -> m -> mm -> m: the last bit may turn
        np.testing.assert_allclose(again.position_m, first.position_m, rtol=4e-16, atol=0)
        assert first.rate_hz == 60.0
        assert "R.ASIS" in first.names


def test_random_tables_survive_a_round_trip_to_the_last_bit(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-12, 12, size=(40, 3))
    values[7, 1] = np.nan
    table = StorageTable("random", ("a", "b", "c"), np.arange(40) / 120.0, values, True, ("a note",))
    again = read_storage(write_storage(tmp_path / "random.sto", table))
    np.testing.assert_array_equal(again.values, values)
    assert again.notes == ("a note",)
    position = rng.uniform(-2, 2, size=(10, 4, 3))
    position[3, 2] = np.nan
    position[9, 3] = np.nan  # the very last cells of the file
    markers = MarkerTable(("A", "B", "C", "D"), position, 100.0, 287, np.arange(286, 296) / 100.0, "m")
    back = read_trc(write_trc(tmp_path / "random.trc", markers))
    np.testing.assert_array_equal(back.position_m, position)
    assert back.first_frame == 287


def test_the_rate_of_rounded_times_is_the_stated_one() -> None:
    # 152 and 1502 samples end on a rounded time: the mean step gives 59.99 and 600.01 Hz
    assert even_rate_hz(np.round(np.arange(152) / 60.0, 3), "walk") == 60.0
    assert even_rate_hz(np.round(np.arange(1502) / 600.0, 4), "walk") == 600.0
    assert even_rate_hz(np.arange(100) / 59.94, "walk") == pytest.approx(59.94, rel=1e-9)
    assert even_rate_hz(np.round(np.arange(20) / 59.94, 6), "walk") == pytest.approx(59.94, rel=1e-5)


def test_a_gap_in_time_is_named() -> None:
    time_s = np.arange(100) / 100.0
    with pytest.raises(InvalidValueError, match=r"gap of 0\.06 s after 0\.49 s"):
        even_rate_hz(np.delete(time_s, range(50, 55)), "walk.mot")
    with pytest.raises(InvalidValueError, match="do not rise"):
        even_rate_hz(time_s[::-1], "walk.mot")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("time\ta\n0\t1\n", "endheader"),
        ("x\nendheader\nframe\ta\n0\t1\n", "not time"),
        ("x\nendheader\ntime\ta\tb\n0\t1\t2\n0.1\t1\n", "Line 5"),
        ("x\nendheader\ntime\ta\n0\tone\n", "Line 4"),
        ("", "endheader"),
    ],
)
def test_what_is_not_a_table_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.mot"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileRefusedError, match=said):
        read_storage(path)


def test_a_missing_column_lists_those_there_are() -> None:
    table = StorageTable("walk", ("a", "b"), np.zeros(1), np.zeros((1, 2)))
    with pytest.raises(MissingInputError, match="a, b"):
        table["c"]
    twice = StorageTable("walk", ("a", "a", "b"), np.zeros(1), np.array([[1.0, 2.0, 3.0]]))
    assert twice["b"].tolist() == [3.0]
    with pytest.raises(InvalidValueError, match="more than one column named a"):
        twice["a"]


def test_an_identifier_is_what_three_columns_begin_with() -> None:
    table = StorageTable("forces", ("f1x", "f1y", "f1z", "1_F_ap", "1_F_up", "1_F_ml"), np.zeros(1), np.arange(6.0)[None])
    assert table.vector("f1").tolist() == [[0.0, 1.0, 2.0]]
    assert table.vector("1_F_").tolist() == [[3.0, 4.0, 5.0]]
    with pytest.raises(MissingInputError, match="no column gx"):
        table.vector("g")


def trc_text(unit: str, scale: float, frames: tuple[int, ...] = (1, 2, 3), rate: float = 100.0) -> str:
    rows = "".join(f"{f}\t{(f - 1) / rate}\t{0.1 * scale}\t{1.0 * scale}\t0\t{0.3 * scale}\t{0.1 * scale}\t0\n" for f in frames)
    return (
        "PathFileType\t4\t(X/Y/Z)\tx.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"
        f"{rate}\t{rate}\t{len(frames)}\t2\t{unit}\nFrame#\tTime\tA\t\t\tB\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n{rows}"
    )


def test_units_and_blank_cells(tmp_path: Path) -> None:
    path = tmp_path / "x.trc"
    for unit, scale in (("m", 1.0), ("mm", 1000.0), ("cm", 100.0)):
        path.write_text(trc_text(unit, scale), encoding="utf-8")
        np.testing.assert_allclose(read_trc(path).position_m[1], [[0.1, 1.0, 0.0], [0.3, 0.1, 0.0]], rtol=1e-15)
    text = trc_text("m", 1.0).replace("2\t0.01\t0.1\t1.0\t0\t", "2\t0.01\t\t\t\t")
    path.write_text(text, encoding="utf-8")
    position = read_trc(path).position_m
    assert np.isnan(position[1, 0]).all()
    assert np.isfinite(position[1, 1]).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (trc_text("m", 1000.0), "they look like mm"),
        (trc_text("mm", 1.0), "they look like m"),
        (trc_text("inch", 1.0), "inch"),
        (trc_text("m", 1.0, frames=(1, 2, 5)), "from frame 2 to 5"),
        (trc_text("m", 1.0).replace("3\t0.02\t", "3\tzero\t"), "Line 9"),
        (trc_text("m", 1.0).replace("100.0\t100.0", "60.0\t60.0"), "states 60 Hz"),
        ("hello", "PathFileType"),
    ],
)
def test_what_is_wrong_with_markers_is_said(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "x.trc"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BiomechError, match=said) as caught:
        read_trc(path)
    assert "x.trc" in caught.value.message
