"""Values as JSON text a person can read and a program can compare: nine significant digits, null for NaN."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.conventions import READABLE_SCHEMAS
from biomech_id.errors import FileRefusedError
from biomech_id.files.text import read_problem, read_text

#: Nine significant digits: more than the float32 of a C3D file holds, and short.
FLOAT_FORMAT = "%.9g"
#: An innermost list, spread over lines by the indentation. Strings hold no line break in JSON, so none can look like one.
_INNERMOST_LIST = re.compile(r"\[\n\s+([^\[\]{}]*?)\n\s*\]")


def jsonable(value: Any) -> Any:
    """Turn a value into what JSON knows.

    NumPy arrays and tuples become lists, numbers are rounded to nine significant digits, NaN and infinities become None.

    Parameters
    ----------
    value : Any
        Any value; what JSON does not know becomes its text.

    Returns
    -------
    Any
        A dict, list, str, bool, int, float or None.
    """
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(FLOAT_FORMAT % value) if math.isfinite(value) else None
    return value if value is None else str(value)


def json_text(value: Mapping[str, Any]) -> str:
    """Write a mapping as indented JSON text.

    Parameters
    ----------
    value : Mapping[str, Any]
        Its keys and values go through `jsonable`.

    Returns
    -------
    str
        It ends with a line break; innermost lists stand on one line.
    """
    text = json.dumps(jsonable(value), indent=1, ensure_ascii=False, allow_nan=False)
    return _INNERMOST_LIST.sub(lambda match: "[" + re.sub(r"\n\s+", " ", match[1]) + "]", text) + "\n"


def read_json(path: Path) -> dict[str, Any]:
    """Read one of this package's JSON files.

    Parameters
    ----------
    path : Path
        A JSON file of this package's own.

    Returns
    -------
    dict[str, Any]
        Its content, as it is written.

    Raises
    ------
    FileRefusedError
        The file is missing, is no JSON object, or has another schema than this version writes.
    """
    try:
        content = json.loads(read_text(path))
    except (OSError, ValueError) as error:
        raise FileRefusedError(
            f"{path} cannot be read: {read_problem(error)}.",
            value=str(path), expected="a JSON file written by this program", where=str(path),
        ) from error  # fmt: skip
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema not in READABLE_SCHEMAS:
        readable = " and ".join(map(str, READABLE_SCHEMAS))
        raise FileRefusedError(
            f"{path} has schema {schema}; this version reads schema {readable}. Run the analysis again.",
            value=schema, expected=f"schema {readable}", where=str(path),
        )  # fmt: skip
    return dict(content)
