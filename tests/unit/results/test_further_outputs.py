"""A column and a table plugged in from outside: computed, written, hashed, read back, and there for a page that needs it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from biomech_id.conventions import Column, TableRow
from biomech_id.errors import OptionError
from biomech_id.results import SessionResult, read_folder, write_folder
from biomech_id.results.tables import frame_table, further_tables
from biomech_id.results.tables.frame_table import FrameColumn, register_column
from biomech_id.results.tables.further_tables import FurtherTable, register_table

HEIGHTS = TableRow("heights", "one trial", (
    Column("trial", "text", "stem"), Column("n", "integer", "frames"), Column("pelvis_m", "number", "mean height", "m"),
))  # fmt: skip


def pelvis_m(motion, loads):
    return motion.motions["", "pelvis"].frames.origin_lab_m[:, 2]


def heights(session):
    for trial in session.trials:
        yield {"trial": trial.name, "n": trial.motion.n_frames, "pelvis_m": float(np.nanmean(pelvis_m(trial.motion, None)))}


@pytest.fixture
def registered() -> Iterator[None]:
    register_column(FrameColumn("PelvisHeight", pelvis_m))
    register_table(FurtherTable(HEIGHTS, heights))
    yield
    del frame_table.FURTHER_COLUMNS["PelvisHeight"], further_tables.FURTHER_TABLES["heights"]


def fresh(session: SessionResult) -> SessionResult:
    """The same session without the tables it may have made before."""
    return dataclasses.replace(session, trials=tuple(map(dataclasses.replace, session.trials)))


@pytest.mark.usefixtures("registered")
def test_they_are_computed_written_and_read_back(session: SessionResult, tmp_path: Path) -> None:
    tables = fresh(session).tables()
    trial = session.trials[0]
    frames = tables.frames[trial.name]
    assert frames.columns[-1] == "PelvisHeight"
    np.testing.assert_array_equal(frames["PelvisHeight"], pelvis_m(trial.motion, None))
    assert tables.further["heights"]["n"].tolist() == [t.motion.n_frames for t in session.trials]
    written = write_folder(tables, tmp_path / "out")
    assert "heights.csv" in written.manifest["outputs"]
    again = read_folder(tmp_path / "out")
    np.testing.assert_allclose(again.further["heights"]["pelvis_m"], tables.further["heights"]["pelvis_m"], rtol=1e-8)
    assert dict(again.further["heights"].dtypes) == dict(tables.further["heights"].dtypes)
    np.testing.assert_allclose(again.frames[trial.name]["PelvisHeight"], frames["PelvisHeight"], rtol=1e-8)


def test_without_them_the_outputs_are_the_librarys_own(session: SessionResult) -> None:
    tables = fresh(session).tables()
    assert not tables.further
    assert "PelvisHeight" not in tables.frames[session.trials[0].name]


@pytest.mark.usefixtures("registered")
def test_a_folder_of_another_laboratory_is_read_without_its_tables(session: SessionResult, tmp_path: Path) -> None:
    write_folder(fresh(session).tables(), tmp_path / "out")
    kept = further_tables.FURTHER_TABLES.pop("heights")
    try:
        assert not read_folder(tmp_path / "out").further
    finally:
        further_tables.FURTHER_TABLES["heights"] = kept


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("name", ["heights", "peaks", "norm"])
def test_a_table_has_a_name_of_its_own(name: str) -> None:
    with pytest.raises(OptionError, match=name):
        register_table(FurtherTable(TableRow(name, "", ()), heights))


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("name", ["PelvisHeight", "LHipAngles.X", "time"])
def test_a_column_has_a_name_of_its_own(name: str) -> None:
    with pytest.raises(OptionError, match=name):
        register_column(FrameColumn(name, pelvis_m))
