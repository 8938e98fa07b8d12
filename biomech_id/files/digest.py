"""A hash of any value that is data: equal for equal numbers, texts and fields, whatever process asks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np


def digest(*values: object) -> str:
    """Return the SHA-256 of some values as 64 hexadecimal digits.

    Parameters
    ----------
    values : object
        Numbers, texts, arrays, mappings, sequences, sets and dataclasses of such; functions of a module count by their name.

    Raises
    ------
    TypeError
        A value is no data: a function made within another, an open file.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.files.digest import digest
    >>> digest({"a": np.arange(3.0)}) == digest({"a": np.arange(3.0)})
    True
    >>> digest(1) == digest(1.0)
    False
    """
    sha256 = hashlib.sha256()
    _add(values, sha256.update)
    return sha256.hexdigest()


def _add(value: Any, update: Callable[[bytes], object]) -> None:
    kind = type(value)
    update(f"{kind.__module__}.{kind.__qualname__}\0".encode())
    if isinstance(value, Enum):
        update(value.name.encode() + b"\0")
    elif value is None or isinstance(value, str | bytes | int | float | complex | Path | np.generic):
        text = repr(value).encode("utf-8", "surrogatepass")
        update(f"{len(text)}:".encode() + text)
    elif isinstance(value, np.ndarray) and value.dtype != object:
        update(f"{value.dtype.str}{value.shape}".encode())
        update(np.ascontiguousarray(value).tobytes())
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            update(each.name.encode() + b"\0")
            _add(getattr(value, each.name), update)
    elif isinstance(value, Mapping):
        _add_all((part for item in value.items() for part in item), len(value), update)
    elif isinstance(value, Set):
        _add_all(sorted(map(digest, value)), len(value), update)
    elif isinstance(value, Sequence | np.ndarray):
        _add_all(value, len(value), update)
    elif callable(value) and "<" not in getattr(value, "__qualname__", "<"):
        update(f"{value.__module__}.{value.__qualname__}\0".encode())
    elif kind.__module__.startswith(__name__.partition(".")[0]) and hasattr(value, "__dict__"):
        _add({name: each for name, each in vars(value).items() if not name.startswith("_kept")}, update)
    else:
        raise TypeError(f"{kind.__qualname__} is no data that could be hashed.")


def _add_all(parts: Iterable[object], count: int, update: Callable[[bytes], object]) -> None:
    update(f"{count}:".encode())
    for each in parts:
        _add(each, update)
