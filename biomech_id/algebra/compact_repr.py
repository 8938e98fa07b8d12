"""One line for a value that holds many numbers: what a person sees who types its name in an interpreter or a notebook."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from enum import Enum
from typing import Any, TypeVar

import numpy as np

_T = TypeVar("_T")

#: Longest text, and most entries of a sequence or numbers of an array, that are shown whole.
LONGEST_TEXT = 40
MOST_SHOWN = 4


def compact_repr(cls: type[_T]) -> type[_T]:
    """Class decorator above ``@dataclass``: arrays are shown by their shape, long sequences by their first entries and length.

    Fields without content (None, empty) are left out.
    """
    cls.__repr__ = _one_line  # type: ignore[method-assign]
    return cls


def _one_line(value: Any) -> str:
    fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value) if field.repr)
    return f"{type(value).__name__}({', '.join(f'{name}={_shown(entry)}' for name, entry in fields if not _bare(entry))})"


def _bare(entry: object) -> bool:
    return entry is None or (isinstance(entry, Collection) and not len(entry))


def _shown(entry: object) -> str:
    if isinstance(entry, np.ndarray):
        short = entry.ndim == 1 and entry.size <= MOST_SHOWN
        return f"[{', '.join(map(_shown, entry.tolist()))}]" if short else f"array{entry.shape}"
    if isinstance(entry, float):
        return f"{entry:.6g}"
    if isinstance(getattr(entry, "shape", None), tuple):  # a table of pandas, which this floor does not know
        return f"{type(entry).__name__}{entry.shape}"  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(entry):
        name = getattr(entry, "name", None)
        return f"<{type(entry).__name__}{f' {name!r}' if isinstance(name, str) and name else ''}>"
    if isinstance(entry, Enum):
        return str(entry.value)
    if isinstance(entry, str):
        return repr(entry if len(entry) <= LONGEST_TEXT else entry[: LONGEST_TEXT - 3] + "...")
    if isinstance(entry, Mapping):
        return "{" + _first(entry, lambda key: f"{key!r}: {_inner(entry[key])}") + "}"
    if isinstance(entry, tuple | list | set | frozenset):
        kinds = {_shown(part) for part in entry if dataclasses.is_dataclass(part)}
        alike = len(kinds) == 1 and len(entry) > 1 and all(map(dataclasses.is_dataclass, entry))
        return f"({len(entry)} {kinds.pop()})" if alike else "(" + _first(entry, _shown) + ")"
    text = repr(entry)
    return text if len(text) <= 2 * LONGEST_TEXT else f"<{type(entry).__name__}>"


def _inner(entry: object) -> str:
    return f"<{len(entry)} entries>" if isinstance(entry, Mapping | tuple | list) and len(entry) else _shown(entry)


def _first(entries: Collection[Any], shown: Callable[[Any], str]) -> str:
    some = [shown(entry) for entry, _ in zip(entries, range(MOST_SHOWN), strict=False)]
    return ", ".join(some) + (f", ... {len(entries)} in all" if len(entries) > MOST_SHOWN else "")
