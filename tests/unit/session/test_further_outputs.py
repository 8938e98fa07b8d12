"""A variable and a table plugged in from outside: computed, written, hashed, read back, and there for a page that needs it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from biomech_id.conventions import CYCLE_ROWS, Column, SignRow, TableRow
from biomech_id.errors import OptionError
from biomech_id.session.folder.read_write import read_tables, write_folder
from biomech_id.session.output import further_tables
from biomech_id.session.output.further_tables import FurtherTable, register_table
from biomech_id.session.session import Session
from biomech_id.session.tables.variables import ADDED_VARIABLES, OutputVariable, register_variable

HEIGHTS = TableRow("heights", "one trial", (
    Column("trial", "text", "stem"), Column("n", "integer", "frames"), Column("pelvis_m", "number", "mean height", "m"),
))  # fmt: skip


HEIGHT_ROW = SignRow("PelvisHeight", "", "Pelvic height", "Up", "Down", "scalar", "pelvis", "laboratory axes", own_unit="m")


def pelvis_m(trial, side=""):
    return trial.motion.motions["", "pelvis"].frames.origin_lab_m[:, 2]


def heights(session):
    for trial in session.trials:
        yield {"trial": trial.name, "n": trial.motion.n_frames, "pelvis_m": float(np.nanmean(pelvis_m(trial)))}


@pytest.fixture
def registered() -> Iterator[None]:
    register_variable(OutputVariable((HEIGHT_ROW,), pelvis_m))
    register_table(FurtherTable(HEIGHTS, heights))
    yield
    del ADDED_VARIABLES["PelvisHeight"], CYCLE_ROWS["PelvisHeight", ""]
    del further_tables.FURTHER_TABLES["heights"]


def fresh(session: Session) -> Session:
    """The same session without the tables it may have made before."""
    return dataclasses.replace(session, movements=tuple(map(dataclasses.replace, session.movements)))


@pytest.mark.usefixtures("registered")
def test_they_are_computed_written_and_read_back(session: Session, tmp_path: Path) -> None:
    tables = fresh(session).tables()
    trial = session.movements[0]
    frames = tables.frames[trial.name]
    assert list(frames.columns[-2:]) == ["LPelvisHeight", "RPelvisHeight"]
    np.testing.assert_array_equal(frames["LPelvisHeight"], pelvis_m(trial))
    assert tables.further["heights"]["n"].tolist() == [t.motion.n_frames for t in session.movements]
    written = write_folder(tables, tmp_path / "out")
    assert "heights.csv" in written.manifest["outputs"]
    again = read_tables(tmp_path / "out")
    np.testing.assert_allclose(again.further["heights"]["pelvis_m"], tables.further["heights"]["pelvis_m"], rtol=1e-8)
    assert dict(again.further["heights"].dtypes) == dict(tables.further["heights"].dtypes)
    np.testing.assert_allclose(again.frames[trial.name]["LPelvisHeight"], frames["LPelvisHeight"], rtol=1e-8)


def test_without_them_the_outputs_are_the_librarys_own(session: Session) -> None:
    tables = fresh(session).tables()
    assert not tables.further
    assert "LPelvisHeight" not in tables.frames[session.movements[0].name]


@pytest.mark.usefixtures("registered")
def test_a_folder_of_another_laboratory_is_read_without_its_tables(session: Session, tmp_path: Path) -> None:
    write_folder(fresh(session).tables(), tmp_path / "out")
    kept = further_tables.FURTHER_TABLES.pop("heights")
    try:
        assert not read_tables(tmp_path / "out").further
    finally:
        further_tables.FURTHER_TABLES["heights"] = kept


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("name", ["heights", "peaks", "norm"])
def test_a_table_has_a_name_of_its_own(name: str) -> None:
    with pytest.raises(OptionError, match=name):
        register_table(FurtherTable(TableRow(name, "", ()), heights))


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("name", ["PelvisHeight", "HipAngles", "FreeMoment"])
def test_a_variable_has_a_name_of_its_own(name: str) -> None:
    with pytest.raises(OptionError, match=name):
        register_variable(OutputVariable((dataclasses.replace(HEIGHT_ROW, variable=name),), pelvis_m))


def test_the_rows_of_a_variable_share_a_name() -> None:
    with pytest.raises(OptionError, match="share one name"):
        register_variable(OutputVariable((HEIGHT_ROW, dataclasses.replace(HEIGHT_ROW, variable="Other")), pelvis_m))


@pytest.mark.usefixtures("registered")
def test_a_variable_has_curves_in_every_cycle_kinetics_or_not(session: Session) -> None:
    cycles = fresh(session).tables().cycles
    mine = cycles[cycles["variable"] == "PelvisHeight"]
    kinematic = cycles[(cycles["variable"] == "KneeAngles") & (cycles["component"] == "X")]
    assert len(mine) == len(kinematic) > 0
    assert mine["value"].between(0.3, 1.5).all()
