from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biomech_id.errors import FileRefusedError, OptionError, OutputError
from biomech_id.norms.contributors import NormSample
from biomech_id.norms.samples import norm_from_samples
from biomech_id.session.tables.csv_text import write_csv
from biomech_id.session.values.norm import norm_band, norm_called, norm_note, read_norm, write_norm

HIP, SPEED = ("HipAngles", "X"), ("speed", "")


def sample(level: float, *, age: float = float("nan"), hip: bool = True) -> NormSample:
    curve = {HIP: level + np.linspace(0.0, 10.0, 101)} if hip else {}
    return NormSample({**curve, SPEED: np.array([level / 10.0])}, age_years=age, speed=0.4 + level / 100.0)


@pytest.fixture
def norm() -> pd.DataFrame:
    samples = [sample(1.0, age=7.0), sample(2.0), sample(6.0, age=12.0)]
    return norm_from_samples(samples, model="conventional", kinetics="textbook", source="three subjects")


def test_mean_and_spread_between_subjects(norm: pd.DataFrame) -> None:
    band = norm_band(norm, *HIP)
    assert band is not None
    assert band.n == 3
    np.testing.assert_allclose(band.mean, 3.0 + np.linspace(0.0, 10.0, 101), rtol=1e-12)
    np.testing.assert_allclose(band.sd, np.sqrt(7.0), rtol=1e-12)  # (4 + 1 + 9) / (3 - 1)
    speed = norm_band(norm, "speed")
    assert speed is not None
    assert speed.mean == pytest.approx([0.3])
    assert norm_band(norm, "KneeAngles", "X") is None
    assert norm_band(None, *HIP) is None


def test_a_variable_that_some_lack_has_its_own_n_and_one_subject_has_no_spread() -> None:
    norm = norm_from_samples([sample(1.0, hip=False), sample(2.0)], model="m", kinetics="k", source="s")
    hip, speed = norm_band(norm, *HIP), norm_band(norm, "speed")
    assert hip is not None
    assert speed is not None
    assert (hip.n, speed.n) == (1, 2)
    assert np.isnan(hip.sd).all()


def test_note_says_whether_it_is_clinical(norm: pd.DataFrame) -> None:
    note = norm_note(norm)
    assert note is not None
    assert note["clinical"] is False
    assert (note["n"], note["age_min_y"], note["age_max_y"]) == (3, 7.0, 12.0)
    assert note["speed_max"] == pytest.approx(0.46)
    big = norm_note(norm_from_samples([sample(float(i)) for i in range(20)], model="m", kinetics="k", source="s"))
    assert big is not None
    assert big["clinical"] is True
    assert norm_note(None) is None


def test_a_norm_has_a_name_a_version_and_a_date(tmp_path: Path) -> None:
    made = norm_from_samples(
        [sample(1.0), sample(2.0)], model="m", kinetics="k", source="us, 2026", name="Children", version="3", date="2026-11-28"
    )
    write_norm(made, tmp_path / "norm.csv")
    read = read_norm(tmp_path / "norm.csv")
    note = norm_note(read)
    assert note is not None
    assert [note[key] for key in ("name", "version", "date")] == ["Children", "3", "2026-11-28"]
    assert norm_called(note) == "Children, 3, 2026-11-28"
    write_csv(read.drop(columns=["name", "version", "date"]), tmp_path / "older.csv")
    older = norm_note(read_norm(tmp_path / "older.csv"))
    assert older is not None
    assert [older[key] for key in ("name", "version", "date")] == ["", "", ""]
    assert norm_called(older) == "us"


def test_written_norm_reads_back(norm: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "norm.csv"
    write_norm(norm, path)
    back = read_norm(path)
    pd.testing.assert_frame_equal(back, norm, rtol=5e-9, check_dtype=False)


def spoilt(norm: pd.DataFrame, how: str) -> pd.DataFrame:
    if how == "short":
        return norm.drop(index=17)
    if how == "twice":
        return pd.concat([norm, norm[norm["variable"] == "speed"]])
    if how == "empty":
        return norm.iloc[:0]
    spoilt = norm.copy()
    column, value = {"mixed": ("model", "six-dof"), "spread": ("sd", -1.0), "mean": ("mean", np.nan), "nobody": ("n", 0)}[how]
    spoilt.loc[spoilt.index[5], column] = value
    return spoilt


@pytest.mark.parametrize("how", ["short", "twice", "empty", "mixed", "spread", "mean", "nobody"])
def test_a_norm_of_the_wrong_shape_is_refused(how: str, norm: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    with pytest.raises(OptionError, match=r"bad\.csv"):
        write_norm(spoilt(norm, how), path)
    assert not path.exists()


def test_a_file_that_is_no_norm_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "norm.csv"
    path.write_text("variable,mean\nHipAngles,3\n", encoding="utf-8")
    with pytest.raises(FileRefusedError, match="component"):
        read_norm(path)


def test_a_norm_that_cannot_be_written_says_so(norm: pd.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="cannot be written"):
        write_norm(norm, tmp_path / "file" / "norm.csv")


def test_nobody_makes_no_norm() -> None:
    with pytest.raises(OptionError, match="no subject"):
        norm_from_samples([], model="m", kinetics="k", source="s")
