"""A hash of any value that is data: equal for equal numbers, texts and fields, whatever process asks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence, Set
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
    parts = _Parts()
    _add(values, parts)
    return parts.hexdigest()


class _Parts:
    """What is to be hashed: short pieces are gathered, for one long text is hashed sooner than thousands of short ones."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self._short: list[bytes] = []
        self.add = self._short.append

    def add_long(self, piece: memoryview) -> None:
        """Hash a piece where it lies, behind all that came before."""
        self._sha256.update(b"".join(self._short))
        self._short.clear()
        self._sha256.update(piece)

    def hexdigest(self) -> str:
        """All pieces' hash."""
        self._sha256.update(b"".join(self._short))
        return self._sha256.hexdigest()


#: What a type writes before its values, and the names of its fields where it is a dataclass.
_Head = tuple[bytes, tuple[tuple[str, bytes], ...] | None]
_HEADS: dict[type, _Head] = {}


def _head(kind: type) -> _Head:
    names = tuple((each.name, each.name.encode() + b"\0") for each in fields(kind)) if is_dataclass(kind) else None
    return f"{kind.__module__}.{kind.__qualname__}\0".encode(), names


_PLAIN = (str, bytes, int, float, complex, Path, np.generic)


def _add(value: Any, parts: _Parts) -> None:
    kind = type(value)
    head, names = _HEADS.get(kind) or _HEADS.setdefault(kind, _head(kind))
    add = parts.add
    add(head)
    if isinstance(value, Enum):
        add(value.name.encode() + b"\0")
    elif value is None or isinstance(value, _PLAIN):
        text = repr(value).encode("utf-8", "surrogatepass")
        add(b"%d:%b" % (len(text), text))
    elif isinstance(value, np.ndarray) and value.dtype != object:
        add(f"{value.dtype.str}{value.shape}".encode())
        parts.add_long(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
    elif names is not None:
        for name, written in names:
            add(written)
            _add(getattr(value, name), parts)
    elif isinstance(value, Mapping):
        _add_all((part for item in value.items() for part in item), len(value), parts)
    elif isinstance(value, Set):
        _add_all(sorted(map(digest, value)), len(value), parts)
    elif isinstance(value, Sequence | np.ndarray):
        _add_all(value, len(value), parts)
    elif callable(value) and "<" not in getattr(value, "__qualname__", "<"):
        add(f"{value.__module__}.{value.__qualname__}\0".encode())
    elif kind.__module__.startswith(__name__.partition(".")[0]) and hasattr(value, "__dict__"):
        _add({name: each for name, each in vars(value).items() if not name.startswith("_kept")}, parts)
    else:
        raise TypeError(f"{kind.__qualname__} is no data that could be hashed.")


def _add_all(values: Iterable[object], count: int, parts: _Parts) -> None:
    parts.add(f"{count}:".encode())
    for each in values:
        _add(each, parts)
