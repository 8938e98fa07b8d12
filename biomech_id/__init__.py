"""biomech_id: from C3D files to joint loads by 3-D inverse dynamics, and to a gait report.

Names are imported when first used, so that ``import biomech_id`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from biomech_id._version import __version__

#: Public name -> where it lives. One line per name keeps the import lazy and the list readable.
_PUBLIC: dict[str, str] = {}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'biomech_id' has no attribute {name!r}")
    module, _, attribute = _PUBLIC[name].partition(":")
    found = import_module(module)
    value = getattr(found, attribute) if attribute else found
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])


__all__ = ["__version__"]
