"""Means and SDs of others as a norm: what must be stated, in which convention, and what cannot be judged with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biomech_id.errors import FileRefusedError, OptionError
from biomech_id.norms.contributors import samples_of
from biomech_id.norms.imported import norm_of_others
from biomech_id.pipeline.norms import import_norm
from biomech_id.session.values.norm import norm_band, norm_note, read_norm

HEAD = {"n": "83", "age_min_y": "4", "age_max_y": "17", "model": "conventional", "moments": "external", "source": "a paper, 2008"}
#: Every second percent.
PERCENT = np.arange(0, 101, 2)


def rows(variable: str, component: str) -> pd.DataFrame:
    table = pd.DataFrame({"variable": variable, "component": component, "percent": PERCENT, "mean": PERCENT * 0.1, "sd": 2.0})
    return table.astype(str)


TABLE = pd.concat([
    rows("KneeAngles", "X"), rows("KneeMoment", "X"),
    pd.DataFrame({"variable": ["speed"], "component": [""], "percent": [""], "mean": ["1.2"], "sd": ["0.1"]}),
])  # fmt: skip


def written(folder: Path, head: dict[str, str] = HEAD, table: pd.DataFrame = TABLE) -> Path:
    lines = "".join(f"# {key}: {value}\n" for key, value in head.items())
    path = folder / "others.csv"
    path.write_text(lines + table.to_csv(index=False), encoding="utf-8")
    return path


def test_means_of_others_are_a_norm_without_people(tmp_path: Path) -> None:
    made = import_norm(written(tmp_path), tmp_path / "norm.csv", name="Published", date="2026-11-28")
    assert (made.n, made.clinical) == (83, True)
    norm = read_norm(tmp_path / "norm.csv")
    assert samples_of(norm) == ()
    note = norm_note(norm)
    assert note is not None
    assert [note[key] for key in ("n", "model", "age_min_y", "age_max_y", "name", "date", "source")] == [
        83, "conventional", 4.0, 17.0, "Published", "2026-11-28", "a paper, 2008",
    ]  # fmt: skip
    angle, moment, speed = (norm_band(norm, *name) for name in (("KneeAngles", "X"), ("KneeMoment", "X"), ("speed", "")))
    assert angle is not None
    assert moment is not None
    assert speed is not None
    np.testing.assert_allclose(angle.mean, np.arange(101) * 0.1, atol=1e-9)
    np.testing.assert_allclose(moment.mean, -np.arange(101) * 0.1, atol=1e-9)  # external there, internal here
    np.testing.assert_allclose([*moment.sd, *speed.mean], [2.0] * 101 + [1.2])


def test_a_workbook_gives_the_same(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    TABLE.assign(**HEAD).to_excel(tmp_path / "others.xlsx", index=False)
    pd.testing.assert_frame_equal(norm_of_others(tmp_path / "others.xlsx")[0], norm_of_others(written(tmp_path))[0])


@pytest.mark.parametrize("key", ["n", "age_min_y", "model"])
def test_what_must_be_said_is_asked_for(tmp_path: Path, key: str) -> None:
    with pytest.raises(FileRefusedError, match=f"does not say {key}"):
        norm_of_others(written(tmp_path, {name: word for name, word in HEAD.items() if name != key}))


def test_who_does_not_know_an_age_says_so(tmp_path: Path) -> None:
    norm, _ = norm_of_others(written(tmp_path, {**HEAD, "age_min_y": "unknown", "model": "unknown"}))
    assert np.isnan(norm["age_min_y"]).all()
    assert set(norm["model"]) == {""}


@pytest.mark.parametrize(
    ("head", "table", "words"),
    [
        ({**HEAD, "moments": ""}, TABLE, "internal or external"),
        ({**HEAD, "n": "many"}, TABLE, "'many' as n, which is no number"),
        (HEAD, TABLE.replace("KneeAngles", "KneeFlexion"), "does not compute: KneeFlexion.X"),
        (HEAD, TABLE[TABLE["percent"] != "50"], "do not lie evenly"),
        (HEAD, TABLE.replace({"sd": {"2.0": "-1"}}), "sd -1"),
        ({**HEAD, "n": "unknown"}, TABLE, "how many people"),
    ],
)
def test_what_cannot_be_a_norm_is_refused(tmp_path: Path, head: dict[str, str], table: pd.DataFrame, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        norm_of_others(written(tmp_path, head, table))


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "norm.txt").write_text("!LeftKnee", encoding="utf-8")
    with pytest.raises(FileRefusedError, match="neither CSV nor a workbook"):
        norm_of_others(tmp_path / "norm.txt")
