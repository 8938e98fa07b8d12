"""No decision is taken by reading a sentence: reworded, every number, verdict, rule and exit code stays as it is."""

from __future__ import annotations

import codecs
import dataclasses
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from biomech_id import languages
from biomech_id.cli.run import print_outcome
from biomech_id.files.json_text import jsonable
from biomech_id.judgement.check import iter_check
from biomech_id.models.conventional import calibration
from biomech_id.models.joint_centres import anatomical
from biomech_id.movement import grades
from biomech_id.pipeline.run import run_job
from biomech_id.report.layout import style
from biomech_id.report.layout.records import records
from biomech_id.report.pages.parity import most_left_out
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.folder.read_write import read_tables
from biomech_id.statistics.parity import LeftOut, ParityRow, parity_table

DATA = Path(__file__).resolve().parents[2] / "data"
CHILD = Path(__file__).resolve().parents[3] / "shared" / "c3d" / "children" / "HC002D"
#: Columns and keys that hold words for people.
WORDS = {
    "reason", "message", "hint", "sentence", "error", "history", "reasons", "source", "left_out", "hip_centre_method",
    "knee_and_ankle_centre_method", "knee_centre_method", "ankle_centre_method", "outputs", "drawn", "complaints",
}  # fmt: skip
RECIPES: dict[str, Recipe] = {
    "normal": Recipe(),
    "refused": Recipe(event_source="markers", stance_verdicts=("walk01 L 1 = none",), report=False),
    "six-dof": Recipe(model="six-dof", report=False),
}
SEPARATORS = str.maketrans({";": "|", ":": "~", ",": "^", ".": "!", "(": "<", ")": ">"})


def reworded(text: str) -> str:
    """Other words, other punctuation, another beginning; placeholders stay."""
    parts = []
    for literal, name, spec, conversion in Formatter().parse(text):
        parts.append(codecs.encode(literal, "rot13").translate(SEPARATORS))
        if name is not None:
            parts.append(f"{{{name}{f'!{conversion}' if conversion else ''}{f':{spec}' if spec else ''}}}")
    return "zz " + "".join(parts)


def _reworded_entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("of", "most", "severity", "answers")
    return {
        key: value if key in kept else _reworded_entry(value) if isinstance(value, Mapping) else reworded(value)
        for key, value in entry.items()
    }


@cache
def _reworded_tables(language: str, folders: tuple[Any, ...]) -> dict[str, Any]:
    return {rule: _reworded_entry(entry) for rule, entry in ORIGINAL(language, folders).items()}


ORIGINAL = languages._tables


def speak_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "_tables", _reworded_tables)
    plain = languages.terms_of

    def words(language: str, table: str) -> Mapping[str, Any]:
        return _reworded_entry(plain(language, table)) if table == "report" else plain(language, table)

    for room in (style, grades):
        monkeypatch.setattr(room, "terms_of", words)
    for name in ("HIP_METHOD", "CENTRE_METHOD"):
        monkeypatch.setattr(calibration, name, reworded(getattr(calibration, name)))
    monkeypatch.setattr(anatomical, "STORED", reworded(anatomical.STORED))
    for name, way in list(anatomical.HIP_CENTRES.items()):
        monkeypatch.setitem(anatomical.HIP_CENTRES, name, dataclasses.replace(way, words=reworded(way.words)))


def without_words(value: Any, parent: str = "") -> Any:
    """A JSON value without what is only said."""
    if isinstance(value, Mapping):
        # Of a subject's numbers and a norm the source is data.
        return {k: without_words(v, k) for k, v in value.items() if k not in WORDS or (k == "source" and "rule" in value)}
    return [without_words(item, parent) for item in value] if isinstance(value, list) else value


def spoken(value: Any, keys: set[str]) -> list[str]:
    """Everything that is only said."""
    if isinstance(value, Mapping):
        return [text for k, v in value.items() for text in ([str(v)] if k in keys and v else spoken(v, keys))]
    return [text for item in value for text in spoken(item, keys)] if isinstance(value, list) else []


def everything(folder: Path, recipe: Recipe, out: Path) -> tuple[dict[str, Any], list[str]]:
    """All that other programs may rely on: exit code, tables by column, documents; and the sentences beside it."""
    code = print_outcome(run_job(Job((folder,), recipe=recipe), out))
    tables = read_tables(out)
    found: dict[str, Any] = {"exit code": code, "report": (out / "report.pdf").exists()}
    for csv in sorted(out.rglob("*.csv")):
        rows = [line.split(",") for line in csv.read_text(encoding="utf-8").splitlines()]
        if csv.stem in ("stances", "channels"):
            table = getattr(tables, csv.stem)
            found |= {f"{csv.stem}.{name}": table[name].astype(str).tolist() for name in table if name != "reason"}
        else:
            found[csv.relative_to(out).as_posix()] = rows
    said = [*tables.stances["reason"], *([] if tables.channels is None else tables.channels["reason"])]
    for name in ("summary", "calibration", "manifest"):
        document = jsonable(getattr(tables, name))
        said += spoken(document, {"message", "reason", "history"})
        found[name] = json.dumps(without_words(document), sort_keys=True)
    return found, said


def same_but_for_the_words(folder: Path, recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, said = everything(folder, recipe, tmp_path / "before")
    speak_otherwise(monkeypatch)
    after, said_otherwise = everything(folder, recipe, tmp_path / "after")
    assert len(said) > 10
    assert len(said) == len(said_otherwise)
    assert not set(said) & set(said_otherwise), "not every sentence was reworded"
    for name, value in before.items():
        assert after[name] == value, name
    assert after.keys() == before.keys()


@pytest.mark.parametrize("name", RECIPES)
def test_the_virtual_subject_reworded(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    same_but_for_the_words(DATA, RECIPES[name], tmp_path, monkeypatch)


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.skipif(not CHILD.is_dir(), reason="recordings beside the project")
def test_a_child_reworded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    same_but_for_the_words(CHILD, Recipe(report=False), tmp_path, monkeypatch)


def test_the_doctor_reworded(monkeypatch: pytest.MonkeyPatch) -> None:
    def rules() -> list[Any]:
        return [(r.path, r.readable, [(f.rule, f.severity, f.values, f.where) for f in r.findings]) for r in iter_check([DATA])]

    before = rules()
    speak_otherwise(monkeypatch)
    assert rules() == before


def test_frames_left_out_reworded(monkeypatch: pytest.MonkeyPatch) -> None:
    speak_otherwise(monkeypatch)
    left_out = {LeftOut.NOT_STORED: 3, LeftOut.IN_SWING: 5}
    row = ParityRow("walk", "L", "HipAngles", "X", "deg", 0.0, 0.0, 1.0, 40, 7, left_out, "angle")
    assert most_left_out(list(records(parity_table([row])))) == left_out


def test_rewording_leaves_nothing_but_placeholders() -> None:
    assert reworded("{file} has {n:.2f} gaps; the longest: {name!r}.") == "zz {file} unf {n:.2f} tncf| gur ybatrfg~ {name!r}!"
