"""The study's Parquet dataset, read back by pyarrow as other programs would."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biomech_id.conventions import table_columns
from biomech_id.results import SessionTables, write_folder, write_study
from biomech_id.results.tables import tidy_table

dataset = pytest.importorskip("pyarrow.dataset")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    head = {"trial": "walk", "side": "L", "cycle": 1, "parameter": "speed", "unit": "m/s"}
    rows = [{**head, "value": 1.25 + i} for i in range(3)]
    names = ("cycles", "budget", "peaks", "scores", "stances", "gaps", "quality")
    documents = {"calibration": {"schema": 1}, "summary": {"schema": 1, "trials": []}, "manifest": {"schema": 1}}
    tidy = {name: tidy_table(name) for name in names}
    empty = SessionTables(frames={}, spatiotemporal=tidy_table("spatiotemporal", rows), **tidy, **documents)
    root = tmp_path / "results"
    write_folder(empty, root / "b")
    write_folder(replace(empty, spatiotemporal=tidy_table("spatiotemporal", rows[:1])), root / "group 1" / "a")
    return root


def test_dataset_is_partitioned_by_subject(root: Path) -> None:
    out = write_study(root, parquet=True)
    found = dataset.dataset(out / "spatiotemporal", partitioning="hive")
    table = found.to_table().to_pandas()
    assert {column.name for column in table_columns("spatiotemporal")} | {"subject"} == set(table.columns)
    assert sorted(table["subject"].astype(str).tolist()) == ["b", "b", "b", "group 1/a"]
    one = found.to_table(filter=dataset.field("subject") == "group 1/a").to_pandas()
    assert one["value"].tolist() == [1.25]
    assert one["value"].dtype == np.float64


def test_same_study_same_bytes(root: Path) -> None:
    first = {path.relative_to(root): path.read_bytes() for path in write_study(root, parquet=True).rglob("*.parquet")}
    again = {path.relative_to(root): path.read_bytes() for path in write_study(root, parquet=True).rglob("*.parquet")}
    assert first == again
    assert len(first) == 8
