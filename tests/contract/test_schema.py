"""The machine-readable schema in the wheel is what the dictionary says, and results fit it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import biomech_id as bid
from biomech_id.conventions import TABLES
from biomech_id.schema.documents import SCHEMA_FOLDER
from docs.generate.schemas import data_package, schema_files

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", sorted(schema_files()))
def test_committed_file_is_current(name: str) -> None:
    committed = (SCHEMA_FOLDER / name).read_text(encoding="utf-8")
    assert committed == schema_files()[name], "run: python -m docs.generate.schemas"


def test_no_other_file_lies_there_and_the_wheel_takes_them() -> None:
    assert {path.name for path in SCHEMA_FOLDER.iterdir()} == set(schema_files())
    assert "biomech_id.schema = schemas/*.json" in (ROOT / "setup.cfg").read_text(encoding="utf-8")


def unknown_keys(value: Any, schema: dict[str, Any], place: str = "") -> list[str]:
    """Keys of a document that its schema does not know; below a key that is described as a whole nothing is asked."""
    if isinstance(value, list):
        return (
            [said for each in value for said in unknown_keys(each, schema.get("items", {}), f"{place}[]")]
            if "items" in schema
            else []
        )
    if not isinstance(value, dict) or not {"properties", "additionalProperties"} & set(schema):
        return []
    found = []
    for key, inner in value.items():
        known = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
        found += [f"{place}.{key}"] if known is None else unknown_keys(inner, known, f"{place}.{key}")
    return found


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    session = bid.analyse(ROOT / "data", exclude=("turn*", "walk0[13]*"))
    return session.write(tmp_path_factory.mktemp("schema") / "out")


# calibration.json holds what each body model says of itself beside the keys described.
@pytest.mark.parametrize("name", ["summary", "manifest"])
def test_documents_have_only_keys_that_are_described(out: Path, name: str) -> None:
    schema = json.loads((SCHEMA_FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    document = json.loads((out / f"{name}.json").read_text(encoding="utf-8"))
    assert unknown_keys(document, schema) == []
    assert unknown_keys({**document, "surprise": 1}, schema) == [".surprise"]


def test_tables_have_the_fields_in_order(out: Path) -> None:
    fields = {
        resource["path"]: [field["name"] for field in resource["schema"]["fields"]] for resource in data_package()["resources"]
    }
    compared = 0
    for table in TABLES:
        path = out / f"{table.name}.csv"
        if path.is_file():
            assert path.read_text(encoding="utf-8").partition("\n")[0].split(",") == fields[path.name]
            compared += 1
    assert compared >= 8
    frames = (out / "trials" / "walk02.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")
    assert frames[: len(fields["trials/*.csv"])] == fields["trials/*.csv"]
