"""A language made of the English tables: Latin letters become Cyrillic ones, so that each Latin word left is a leak."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from biomech_id.languages import LANGUAGES

#: What no language changes: blanks, commands, options and files.
KEPT = re.compile(r"(\{[^}]*\}|`[^`]*`|--[\w-]+|\b[\w-]+\.(?:toml|csv|html|pdf|trc)\b|\b(?:OUT|FILE|DIR|SUBJECT_DIR)\b)")
LETTERS = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "абцдефгхийклмнопярстувщчызАБЦДЕФГХИЙКЛМНОПЯРСТУВЩЧЫЗ",
)


def toyed(text: str) -> str:
    """Return a text in the toy language."""
    return "".join(part if place % 2 else part.translate(LETTERS) for place, part in enumerate(KEPT.split(text)))


def _toyed(value: Any, key: str = "") -> Any:
    if isinstance(value, Mapping):
        return {name: _toyed(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_toyed(each) for each in value]
    return toyed(value) if isinstance(value, str) and key != "of" else value


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(str(key))} = {_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return str(value).lower()


def write_toy_language(folder: Path, *, without: Mapping[str, str] | None = None) -> Path:
    """Write every table of English in the toy language; ``without`` names a key of a table to leave out."""
    for file in LANGUAGES["en"].rglob("*.toml"):
        table = _toyed(tomllib.loads(file.read_text(encoding="utf-8")))
        if file.stem == "language":
            table["decimal_mark"] = "·"
        name = file.relative_to(LANGUAGES["en"])
        left_out = (without or {}).get(name.with_suffix("").as_posix())
        if left_out:
            section, _, key = left_out.rpartition(".")
            del (table[section] if section else table)[key]
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{_toml(key)} = {_toml(each)}\n" for key, each in table.items()), encoding="utf-8")
    return folder
