"""A room as a door: its public names are imported when they are first used, and the rest of the room stays closed until then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


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
