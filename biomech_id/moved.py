"""Import paths of earlier versions: ``moved.csv`` says what is where now, and a finder that is asked last follows it.

A row is ``old,new,since``: a module or folder (``biomech_id.feet.landmarks``; everything below a folder moves with it, the longest
row decides), or one name of a module (``biomech_id.gait.measures.peaks:Peak``). The old path gives the very module that the new one
gives, so that registries are one and instances are of one class, and warns once. Nothing is read until a module of the package is
missing.

A module that is still there and lost a name to another one has one line, ``__getattr__ = moved_names(__name__)``.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

_PACKAGE = __name__.partition(".")[0]
_TABLE = __file__.rpartition(".")[0] + ".csv"
#: Files whose frames stand between an import statement and this module.
_IMPORTING = frozenset({__file__, importlib.__file__, "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>"})


@cache
def moved() -> Mapping[str, tuple[str, str]]:
    """Return the rows of ``moved.csv``: old name -> new name, and the version that moved it."""
    with open(_TABLE, encoding="utf-8") as table:
        rows = [line.strip().split(",") for line in table if line.strip()]
    return {old: (new, since) for old, new, since in rows[1:]}


def new_place(name: str) -> tuple[str, str] | None:
    """Return where a module is now, and whose row says so: its own, or that of the nearest folder above it.

    Parameters
    ----------
    name : str
        Dotted name of earlier versions.

    Returns
    -------
    tuple of str, or None
        New dotted name, and the old name of the row; None where no row is about it.
    """
    above = name
    while above and above not in moved():
        above = above.rpartition(".")[0]
    return (moved()[above][0] + name[len(above) :], above) if above else None


def moved_names(module: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module that lost names to other modules.

    Parameters
    ----------
    module : str
        Its dotted name: ``__name__``, or that of earlier versions.

    Returns
    -------
    Callable
        Takes a name, returns what has it now; an ordinary AttributeError where no row is about it.
    """

    def attribute(name: str) -> Any:
        row = f"{module}:{name}"
        if name.startswith("__") or row not in moved():
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
        place, _, new = moved()[row][0].partition(":")
        _warn(f"{module}.{name}", f"{place}.{new}", row)
        return getattr(importlib.import_module(place), new)

    return attribute


_warned: set[tuple[str, str, int]] = set()


def _warn(old: str, new: str, row: str) -> None:
    """Warn the line that imports; one line is told once of one row, however many folders lie on its path."""
    from biomech_id.deprecation import BiomechDeprecationWarning

    frame = sys._getframe(1)
    while frame.f_code.co_filename in _IMPORTING and (importing := frame.f_back):
        frame = importing
    line = (row, frame.f_code.co_filename, frame.f_lineno)
    if line not in _warned:
        _warned.add(line)
        known = frame.f_globals.setdefault("__warningregistry__", {})
        warning = BiomechDeprecationWarning(old, moved()[row][1], new)
        warnings.warn_explicit(warning, type(warning), *line[1:], module=frame.f_globals.get("__name__"), registry=known)


class _Elsewhere:
    """Loads a module by giving the one that stands at its new place."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        if any(name.startswith(f"{spec.name}:") for name in moved()):
            self.module.__dict__.setdefault("__getattr__", moved_names(spec.name))
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system wrote the old name's over it

    def get_code(self, name: str) -> CodeType | None:
        """Code that ``python -m`` with the old name runs."""
        loader: Any = self.spec and self.spec.loader
        code: CodeType | None = loader.get_code(self.module.__name__)
        return code


class _Emptied:
    """Loads what is left of a folder or module whose contents are elsewhere."""

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__getattr__"] = moved_names(module.__name__)


class _Finder:
    """Asked last, when nobody finds a module."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(f"{_PACKAGE}."):
            return None
        place = new_place(name)
        loader: Any
        if place is None:
            loader, folder = _Emptied(), any(old.startswith((f"{name}.", f"{name}:")) for old in moved())
            return ModuleSpec(name, loader, is_package=True) if folder else None
        new, row = place
        try:
            module = importlib.import_module(new)
        except ModuleNotFoundError as error:
            if f"{new}.".startswith(f"{error.name}."):
                return None  # the old path is as wrong as the new one
            raise
        _warn(name, new, row)
        if hasattr(module, "__path__") and _BELOW not in sys.meta_path:
            sys.meta_path.insert(0, _BELOW)
        loader = _Elsewhere(module)
        return ModuleSpec(name, loader, is_package=hasattr(module, "__path__"))


class _Below:
    """Asked first, once a folder was imported by its old name: its files would be found there, and loaded a second time."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        above = name.rpartition(".")[0]
        elsewhere = above.startswith(f"{_PACKAGE}.") and above in sys.modules and sys.modules[above].__name__ != above
        return FINDER.find_spec(name, path, target) if elsewhere else None


FINDER, _BELOW = _Finder(), _Below()


def follow() -> None:
    """Let import paths of earlier versions work in this process; a second call does nothing."""
    if FINDER not in sys.meta_path:
        sys.meta_path.append(FINDER)
