"""The study's Parquet dataset, read lazily by the programs that researchers read such datasets with."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biomech_id.conventions import table_columns
from biomech_id.errors import FileRefusedError, OutputError
from biomech_id.pipeline.study.tables import write_study
from biomech_id.session.folder.read_write import write_folder
from biomech_id.session.tables.session_tables import Tables, tidy_table

dataset = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")
polars = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")

#: Names that a reader could take for a number, a date, a key, a pattern or something hidden; and the same number twice.
SUBJECTS = ("001", "1", "2020-01-31", "_anna", "a=b [x]*", "group 1/Zoë")


def session(number: int) -> Tables:
    """A session whose values tell whose it is; the first has no rows at all, the second numbers that are all missing."""
    head = {"trial": "walk, fast", "side": "L", "cycle": 1, "parameter": "speed", "unit": "m/s"}
    rows = [{**head, "value": np.nan if number == 1 else 10.0 * number + i} for i in range(2 * bool(number))]
    frames = pd.DataFrame({"frame": [7, 8], "time": [0.06, 0.07], "LHipMoment.X": [np.nan, 0.5 + number]})
    if number == 2:
        frames["LExtra.X"] = 1.5
    names = ("cycles", "budget", "peaks", "scores", "stances", "gaps", "quality")
    trials = [{"name": "walk"}] if number else []
    documents = {"calibration": {"schema": 1}, "summary": {"schema": 1, "trials": trials}, "manifest": {"schema": 1}}
    tidy = {name: tidy_table(name) for name in names}
    own = {"walk": frames} if number else {}
    return Tables(frames=own, spatiotemporal=tidy_table("spatiotemporal", rows), **tidy, **documents)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("study") / "results"
    for number, subject in enumerate(SUBJECTS):
        write_folder(session(number), root / subject)
    write_study(root, parquet=True)
    return root


def by_pandas(table: Path, subject: str) -> list[float]:
    return pd.read_parquet(table, columns=["value"], filters=[("subject", "==", subject)])["value"].tolist()


def by_polars(table: Path, subject: str) -> list[float]:
    rows = polars.scan_parquet(table).filter(polars.col("subject") == subject).select("value").collect()
    return [np.nan if value is None else value for value in rows["value"]]


def by_duckdb(table: Path, subject: str) -> list[float]:
    rows = duckdb.execute("SELECT value FROM read_parquet(?) WHERE subject = ?", [f"{table}/**/*.parquet", subject]).fetchall()
    return [np.nan if value is None else value for (value,) in rows]


@pytest.mark.parametrize("read", [by_pandas, by_polars, by_duckdb])
def test_every_subject_is_found_by_its_name(root: Path, read: Callable[[Path, str], list[float]]) -> None:
    for number, subject in enumerate(SUBJECTS):
        expected = [np.nan if number == 1 else 10.0 * number + i for i in range(2 * bool(number))]
        np.testing.assert_array_equal(read(root / "study" / "spatiotemporal", subject), expected, err_msg=subject)


def test_the_scans_of_polars_and_duckdb_are_lazy(root: Path) -> None:
    """The choice of a subject reaches the reader of the files, and only the columns that are asked for are read."""
    table = root / "study" / "spatiotemporal"
    plan = polars.scan_parquet(table).filter(polars.col("subject") == "1").select("value").explain()
    assert "SELECTION" in plan
    assert "PROJECT 2/" in plan or "PROJECT 1/" in plan
    told = duckdb.sql(f"EXPLAIN SELECT value FROM read_parquet('{table}/**/*.parquet') WHERE subject = '1'").fetchall()[0][1]
    assert "Filters" in told
    assert "Projections" in told


def test_every_file_of_a_table_has_one_schema(root: Path) -> None:
    """A table without rows, one whose numbers are all missing, and one that lacks a column have the types of all others."""
    for table in ("frames", "cycles", "spatiotemporal", "quality"):
        schemas = [parquet.read_schema(path) for path in sorted((root / "study" / table).rglob("*.parquet"))]
        assert len(schemas) == len(SUBJECTS)
        assert all(schema.equals(schemas[0], check_metadata=True) for schema in schemas)
        assert schemas[0].metadata == {b"biomech_id.schema": b"3"}
    kinds = {"text": "string", "integer": "int64", "number": "double"}
    found = {field.name: str(field.type) for field in parquet.read_schema(next((root / "study/spatiotemporal").rglob("*.parquet")))}
    assert found == {"subject": "string", **{c.name: kinds[c.kind] for c in table_columns("spatiotemporal")}}
    frames = parquet.read_schema(next((root / "study/frames").rglob("*.parquet")))
    assert frames.names == ["subject", "trial", "frame", "time", "LHipMoment.X", "LExtra.X"]
    assert frames.field("time").metadata[b"unit"] == b"s"


def test_frames_of_all_sessions_are_one_table(root: Path) -> None:
    rows = polars.scan_parquet(root / "study" / "frames").collect().to_pandas()
    assert sorted(rows["LHipMoment.X"].dropna()) == [0.5 + number for number in range(1, len(SUBJECTS))]
    assert rows.groupby("subject")["LExtra.X"].count().to_dict() == {s: 2 * (n == 2) for n, s in enumerate(SUBJECTS) if n}
    assert set(rows["trial"]) == {"walk"}


def test_parquet_and_csv_say_the_same(root: Path, tmp_path: Path) -> None:
    for number, subject in enumerate(SUBJECTS):
        write_folder(session(number), tmp_path / subject)
    plain = pd.read_csv(write_study(tmp_path, parquet=False) / "spatiotemporal.csv", dtype={"subject": str})
    lazily = polars.scan_parquet(root / "study" / "spatiotemporal").sort("subject", maintain_order=True).collect().to_pandas()
    assert lazily.columns.tolist() == plain.columns.tolist()
    assert lazily["subject"].tolist() == plain["subject"].tolist()
    np.testing.assert_array_equal(lazily["value"].to_numpy(), plain["value"].to_numpy())


def test_same_study_same_bytes(root: Path) -> None:
    first = {path.relative_to(root): path.read_bytes() for path in (root / "study").rglob("*.parquet")}
    again = {path.relative_to(root): path.read_bytes() for path in write_study(root, parquet=True).rglob("*.parquet")}
    assert first == again
    assert len(first) == 4 * len(SUBJECTS)


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    write_folder(replace(session(3)), tmp_path / "anna")
    table = tmp_path / "anna" / "spatiotemporal.csv"
    table.write_text(table.read_text(encoding="utf-8").replace("30", "thirty"), encoding="utf-8")
    with pytest.raises(FileRefusedError, match=r"spatiotemporal\.csv is not the table it should be"):
        write_study(tmp_path, parquet=True)
    assert not (tmp_path / "study").exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="small file systems are made with Linux's mount")
def test_a_full_disk_is_one_sentence_and_the_old_tables_stay(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"a file system may not be mounted here: {made.stderr.strip()}")
    try:
        for number, subject in enumerate(SUBJECTS):
            write_folder(session(number), disk / subject)
        write_study(disk, parquet=True)
        before = {path: path.read_bytes() for path in (disk / "study").rglob("*") if path.is_file()}
        (disk / "filler").write_bytes(b"x" * (shutil.disk_usage(disk).free - 40_000))
        with pytest.raises(OutputError, match=r"study cannot be written: the disk is full; free some space"):
            write_study(disk, parquet=True)
        assert {path: path.read_bytes() for path in (disk / "study").rglob("*") if path.is_file()} == before
        assert not list(disk.glob(".*"))
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


PEAK = """
import resource, sys
from pathlib import Path
from biomech_id.pipeline.study.tables import write_study
write_study(Path(sys.argv[1]), parquet=sys.argv[2] == "parquet")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10))
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_memory_does_not_grow_with_the_study(tmp_path: Path, kind: str) -> None:
    """Peak memory of the step for 24 and for 96 sessions: the same but for what the allocator happens to keep (MB)."""
    pytest.importorskip("resource")
    n = 40_000
    head = {"trial": "walk", "side": "L", "cycle": 1, "parameter": "speed", "unit": "m/s"}
    rows = pd.DataFrame({**head, "value": np.arange(n) / 7.0, "sd": 0.1})
    large = replace(session(3), spatiotemporal=rows[[column.name for column in table_columns("spatiotemporal")]])
    peaks = []
    for count in (24, 96):
        root = tmp_path / str(count)
        for number in range(count):
            write_folder(large, root / f"s{number}")
        told = subprocess.run([sys.executable, "-c", PEAK, str(root), kind], check=True, capture_output=True, text=True).stdout
        peaks.append(float(told))
    # The tables of 72 sessions are 72 * 40 000 rows, 200 MB as values.
    assert peaks[1] - peaks[0] < 30.0, peaks
