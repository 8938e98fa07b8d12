"""What a laboratory adds from outside: modules that register a plate type, a file format, a filter, a page, a body model.

An installed package announces its modules under the entry point group ``biomech_id``. The command line imports them before a
command runs, and so does the process that reads files, so that both know what was added. In Python, importing the module is enough
for everything but reading, which happens in that other process unless the file is trusted.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from biomech_id.errors import MissingInputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

GROUP = "biomech_id"


@cache
def plugin_modules() -> tuple[str, ...]:
    """Return the modules that installed packages announce, sorted."""
    return tuple(sorted({point.module for point in _announced()}))


@cache
def plugin_packages() -> tuple[str, ...]:
    """Return the names of the installed packages that announce modules, sorted."""
    return tuple(sorted({point.dist.name for point in _announced() if point.dist}))


@cache
def _announced() -> EntryPoints:
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def import_plugins(modules: Iterable[str]) -> None:
    """Import modules, which register what they add.

    Parameters
    ----------
    modules : Iterable[str]
        Dotted names.

    Raises
    ------
    MissingInputError
        One cannot be imported.
    """
    for name in modules:
        try:
            import_module(name)
        except ImportError as error:
            raise MissingInputError(
                f"The plug-in {name} cannot be imported: {error}. Mend it, or uninstall the package that announces it.",
                value=name, expected="a module that can be imported", where=name,
            ) from error  # fmt: skip
