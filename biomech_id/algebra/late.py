"""Values that are worked out when somebody asks for them, and kept by nobody: all of them at once would take too much memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

V = TypeVar("V")


class LateMapping(Mapping[str, V]):
    """Name -> value, made anew each time; a dictionary once it is pickled.

    Parameters
    ----------
    names : tuple[str, ...]
        In their order.
    make : Callable[[str], V]
        Name -> its value.
    """

    def __init__(self, names: tuple[str, ...], make: Callable[[str], V]) -> None:
        self._names, self._make = names, make

    def __getitem__(self, name: str) -> V:
        """Return the value of a name.

        Raises
        ------
        KeyError
            There is none of that name.
        """
        if name not in self._names:
            raise KeyError(name)
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
