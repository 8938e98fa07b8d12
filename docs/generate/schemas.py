"""What every table and JSON file holds, for machines: a Frictionless data package, and a JSON Schema for each document.

``python -m docs.generate.schemas`` writes them into the package, where the wheel has them; they are generated from the
same rows as the data dictionary, and a test holds the committed files to what this module says.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from biomech_id.conventions import SCHEMA, TABLES, Column, frame_columns
from biomech_id.schema.documents import SCHEMA_FOLDER, Document
from docs.generate.documents import all_documents

_JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
_FRICTIONLESS = {"text": "string", "integer": "integer", "number": "number"}


def data_package() -> dict[str, Any]:
    """Return the tables of a session's folder as a Frictionless data package: names, types, units and meaning of each column."""
    time = (Column("frame", "integer", "the recording's own number of the frame, from 1"), Column("time", "number", "time", "s"))
    signed = (Column(name, "number", f"{row.title}; positive: {row.positive}", row.unit) for name, row in frame_columns())
    tables = [_resource(table.name, f"{table.name}.csv", f"One row is {table.row}.", table.columns) for table in TABLES]
    more = "One row a video frame; further columns are joint centres, points of the foot, and variables that a laboratory adds."
    frames = _resource("frames", "trials/*.csv", more, (*time, *signed))
    return {"name": "biomech_id", "version": str(SCHEMA), "profile": "tabular-data-package", "resources": [*tables, frames]}


def _resource(name: str, path: str, description: str, columns: Iterable[Column]) -> dict[str, Any]:
    fields = [
        {"name": c.name, "type": _FRICTIONLESS[c.kind], "description": c.meaning, **({"unit": c.unit} if c.unit else {})}
        for c in columns
    ]
    schema = {"fields": fields, "missingValues": [""]}
    return {"name": name.replace("/", "-"), "path": path, "description": description, "encoding": "utf-8", "schema": schema}


def document_schema(document: Document) -> dict[str, Any]:
    """Return the JSON Schema of one document: its keys, nested as they are, each with what it means.

    Parameters
    ----------
    document : Document
        One of `all_documents`.
    """
    root: dict[str, Any] = {"type": "object"}
    for key in document.keys:
        place = root
        for word in key.path.split("."):
            name = word.rstrip("[]")
            if name.startswith("<"):
                place = place.setdefault("additionalProperties", {})
            else:
                place = place.setdefault("properties", {}).setdefault(name, {})
            for _ in range(word.count("[]")):
                place = place.setdefault("items", {})
        place["description"] = key.meaning
    return {"$schema": _JSON_SCHEMA, "title": document.name, "description": document.what, **root}


def schema_files() -> dict[str, str]:
    """Return name -> text of every file: ``datapackage.json``, ``summary.schema.json`` and its sisters."""
    found: dict[str, Any] = {"datapackage.json": data_package()}
    for document in all_documents():
        stem = document.name.removesuffix(".json").replace("/", "-")
        found[f"{stem}.schema.json"] = document_schema(document)
    return {name: json.dumps(said, indent=1, ensure_ascii=False) + "\n" for name, said in found.items()}


if __name__ == "__main__":
    for name, text in schema_files().items():
        (SCHEMA_FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
