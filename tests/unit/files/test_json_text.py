from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from biomech_id.errors import FileRefusedError, Severity
from biomech_id.files.json_text import json_text, jsonable, read_json


def test_everything_becomes_plain_json() -> None:
    value = MappingProxyType(
        {
            "a": np.float64(1 / 3),
            "b": (np.int64(3), np.bool_(True)),
            "c": np.eye(2),
            "d": float("nan"),
            "e": Severity.INFO,
            "f": None,
        }
    )
    expected = {"a": 0.333333333, "b": [3, True], "c": [[1.0, 0.0], [0.0, 1.0]], "d": None, "e": "info", "f": None}
    assert json.loads(json_text(value)) == expected
    assert jsonable(float("-inf")) is None


def test_short_lists_stay_on_one_line_and_strings_stay_themselves() -> None:
    value = {"tensor": [[1, 2], [3, 4]], "words": ["a [b] {c}", "d,\ne"], "empty": []}
    text = json_text(value)
    assert json.loads(text) == value
    assert "[1, 2]" in text
    assert text.endswith("}\n")


def test_another_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_text('{"schema": 99}', encoding="utf-8")
    with pytest.raises(FileRefusedError, match="schema 99"):
        read_json(path)


@pytest.mark.parametrize("content", ["", "[1]", "{", '"text"'])
def test_what_is_no_json_object_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FileRefusedError, match=r"summary\.json"):
        read_json(path)
