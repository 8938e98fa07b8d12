"""Whether a table's angles are degrees: what we take a header for, and what OpenSim does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biomech_id.readers.opensim.storage import read_storage

osim: Any = pytest.importorskip("opensim", reason="needs the opensim wheel: pip install 'biomech-id[peers]'")
osim.Logger.setLevelString("error")

COUNTS = ("nRows=2", "nColumns=2")
SIMM = ("datacolumns 2", "datarows 2", "range 0 1")
HEADERS = (
    ("walk", *COUNTS), ("walk", *COUNTS, "inDegrees=yes"), ("walk", "version=0", *COUNTS), ("walk", "version=1", *COUNTS),
    ("walk", "version=2", *COUNTS), ("walk", "version 1", *COUNTS), ("walk", "version=1", *COUNTS, "inDegrees=yes"),
    ("walk", "version=1", *COUNTS, "inDegrees=no"), ("walk", "version=1", *COUNTS, "inDegrees = yes"),
    ("walk", "version=1", *COUNTS, "inDegrees yes"), ("walk", "version=1", *COUNTS, "inDegrees=y"),
    ("walk", "inDegrees=yes", "version=1", *COUNTS), ("name walk", *SIMM), ("name walk", *SIMM, "version=1"),
    ("name walk", "version=1", *SIMM, "inDegrees=yes"),
)  # fmt: skip


@pytest.mark.parametrize("ending", [".mot", ".MOT", ".sto"])
@pytest.mark.parametrize("header", HEADERS, ids=" ".join)
def test_degrees_are_what_opensim_takes_for_degrees(header: tuple[str, ...], ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"walk{ending}"
    path.write_text("\n".join([*header, "endheader", "time\tknee_angle_r", "0\t5", "1\t6", ""]), encoding="utf-8")
    assert read_storage(path).in_degrees is osim.Storage(str(path)).isInDegrees()
