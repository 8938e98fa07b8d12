"""A room as a door: its public names are imported when they are first used, and the rest of the room stays closed until then."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


class _NotYet(ModuleType):
    """A library that is loaded when something of it is used, and has all of its names from then on."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            sys.modules.pop(self.__name__, None)
        library = import_module(self.__name__)
        self.__dict__.update(library.__dict__)
        return getattr(library, name)


def at_first_use(library: str) -> None:
    """Let a library be loaded when something of it is used: what imports it, and may never use it, does not wait for it.

    The standard library's ``LazyLoader`` would load it where it is imported, for an import looks at the module's own record.

    Parameters
    ----------
    library : str
        Its name; one that is loaded already stays as it is.
    """
    if library not in sys.modules:
        sys.modules[library] = _NotYet(library)


def door(room: str, places: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a room that shows some names.

    Parameters
    ----------
    room : str
        Name of the package, its ``__name__``.
    places : Mapping[str, str]
        Public name -> "module:name" that it stands for, the module as seen from the room; the name alone where both are one.

    Returns
    -------
    tuple[Callable[[str], Any], Callable[[], list[str]]]
        Both, to be named in the package.
    """

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        module, _, attribute = places[name].partition(":")
        return getattr(import_module(f".{module}", room), attribute or name)

    return get, lambda: sorted(places)
