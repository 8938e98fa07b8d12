"""``uncertainty.csv``: its shape, what its columns add up to, and what becomes of it in a mean over cycles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biomech_id.anatomy import JOINTS
from biomech_id.conventions import ERROR_SOURCES, MOMENT_VARIABLE, NOISE_SOURCES, POWER_VARIABLE, table_columns
from biomech_id.errors import OptionError
from biomech_id.session.bands.mean_uncertainty import mean_uncertainty
from biomech_id.session.folder.read_write import read_tables, write_folder
from biomech_id.session.session import Session
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables
from biomech_id.uncertainty.sizes import ERROR_SIZES, error_sizes


@pytest.fixture(scope="module")
def tables(session: Session) -> Tables:
    return session.tables()


@pytest.fixture(scope="module")
def table(tables: Tables) -> pd.DataFrame:
    assert tables.uncertainty is not None
    return tables.uncertainty


def test_every_moment_and_power_with_kinetics_has_a_curve(tables: Tables, table: pd.DataFrame) -> None:
    assert list(table.columns) == [column.name for column in table_columns("uncertainty")]
    wanted = {(MOMENT_VARIABLE[joint], axis) for joint in JOINTS for axis in "XYZ"} | {
        (POWER_VARIABLE[joint], "") for joint in JOINTS
    }
    wanted |= {("GroundReactionForce", axis) for axis in "XYZ"} | {("FootCentreOfPressure", axis) for axis in "XY"}
    keys = ["trial", "side", "cycle", "kinetics_valid", "variable", "component"]
    kinetic = tables.cycles[[key in wanted for key in zip(tables.cycles["variable"], tables.cycles["component"], strict=True)]]
    assert set(map(tuple, table[keys].to_numpy())) == set(map(tuple, kinetic[keys].to_numpy()))
    assert (table["percent"].to_numpy().reshape(-1, CURVE_POINTS) == np.arange(CURVE_POINTS)).all()


def test_it_is_known_exactly_where_the_moment_is(tables: Tables, table: pd.DataFrame) -> None:
    keys = ["trial", "side", "cycle", "variable", "component", "percent"]
    both = table.merge(tables.cycles, on=keys, validate="one_to_one")
    assert len(both) == len(table) > 0
    assert (both["total"].isna() == both["value"].isna())[both["variable"] != "FootCentreOfPressure"].all()


def test_the_total_is_the_root_of_the_sum_of_squares(table: pd.DataFrame) -> None:
    sources = table[list(ERROR_SOURCES)].fillna(0.0).where(table["total"].notna(), float("nan"), axis=0).to_numpy()
    assert (sources[~np.isnan(sources)] >= 0).all()
    np.testing.assert_allclose(table["total"], np.sqrt((sources**2).sum(axis=1)), rtol=1e-12)


def test_no_error_of_the_hip_reaches_a_joint_below_it_without_a_coupling(table: pd.DataFrame) -> None:
    ankle = table[table["variable"] == "AnkleMoment"]
    assert ankle["hip_centre"].abs().max() == 0.0
    assert ankle["knee_centre"].abs().max() == 0.0
    assert ankle["ankle_centre"].max() > 0.0


def test_a_larger_error_shows_in_its_own_column_alone(session: Session, table: pd.DataFrame) -> None:
    from biomech_id.uncertainty.leg import leg_errors
    from biomech_id.uncertainty.recording import LegErrors

    (trial,) = session.movements
    sizes = error_sizes(["plate_place_mm = 6", "plate_force_percent=1.0", "plate_yaw_deg = 0.6"])
    more_of = {"hip_centre_mm": 8.0, "noise_m": 3e-4, "gram": np.eye(3), "gain": np.eye(12)}
    twice = {s: LegErrors(leg_errors(sizes, **more_of)) for s in trial.errors}
    other = {s: LegErrors(leg_errors(error_sizes(), **more_of)) for s in trial.errors}
    more, less = (replace(session, movements=(replace(trial, errors=e),)).tables().uncertainty for e in (twice, other))
    assert more is not None
    assert less is not None
    np.testing.assert_allclose(more["force_plates"], 2 * less["force_plates"], rtol=1e-9)
    for source in set(ERROR_SOURCES) - {"force_plates"}:
        np.testing.assert_allclose(more[source], less[source], rtol=1e-12)


def test_it_is_written_and_read_back_and_missing_where_nobody_asked(session: Session, tables: Tables, tmp_path: Path) -> None:
    write_folder(tables, tmp_path / "out")
    back = read_tables(tmp_path / "out").uncertainty
    assert back is not None
    assert tables.uncertainty is not None
    pd.testing.assert_frame_equal(back, tables.uncertainty, rtol=5e-9, atol=0)
    without = replace(session, movements=tuple(replace(trial, errors={}) for trial in session.movements), error_sizes={}).tables()
    write_folder(without, tmp_path / "plain")
    assert not (tmp_path / "plain" / "uncertainty.csv").exists()
    assert read_tables(tmp_path / "plain").uncertainty is None


def test_a_mean_keeps_its_biases_and_loses_noise(tables: Tables, table: pd.DataFrame) -> None:
    """Four cycles alike: the biases stay as they are, noise halves."""
    head = table[(table["variable"] == "KneeMoment") & (table["component"] == "X") & (table["side"] == "L")].iloc[:CURVE_POINTS]
    four = replace(tables, uncertainty=pd.concat([head.assign(cycle=number) for number in range(1, 5)], ignore_index=True))
    cycles = pd.DataFrame({"trial": head["trial"].iloc[0], "side": "L", "cycle": [1, 2, 3, 4]})
    mean = mean_uncertainty(four, "L", "KneeMoment", "X", cycles)
    for source in (source for source in ERROR_SOURCES if source in mean):
        share = 0.5 if source in NOISE_SOURCES else 1.0
        np.testing.assert_allclose(mean[source], share * head[source].to_numpy(), rtol=1e-12)
    assert mean_uncertainty(four, "R", "KneeMoment", "X", cycles) == {}
    assert mean_uncertainty(replace(tables, uncertainty=None), "L", "KneeMoment", "X", cycles) == {}


def test_every_size_counts_to_a_column_and_says_why() -> None:
    assert {size.source for size in ERROR_SIZES} == {*ERROR_SOURCES, "events"}
    assert all((size.kind == "noise") == (size.source in NOISE_SOURCES) and size.why for size in ERROR_SIZES)


@pytest.mark.parametrize(
    ("change", "said"),
    [("hip_center_mm = 6", "Did you mean 'hip_centre_mm'?"), ("hip_centre_mm", "''"), ("hip_centre_mm = -1", "'-1'"),
     ("hip_centre_mm = nan", "'nan'"), ("hip_centre_mm = 6 mm", "'6 mm'")],
)  # fmt: skip
def test_a_size_that_is_none_is_refused(change: str, said: str) -> None:
    with pytest.raises(OptionError) as refused:
        error_sizes([change])
    assert said in str(refused.value)
