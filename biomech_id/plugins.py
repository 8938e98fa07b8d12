"""What a laboratory adds from outside: modules that register a plate type, a file format, a filter, a page, a body model.

All of these stand in registries of one shape (`Registry`): name, value, and the module that it came from.

An installed package announces its modules under the entry point group ``biomech_id``. The command line imports them before a
command runs, and so does the process that reads files, so that both know what was added. In Python, importing the module is enough
for everything but reading, which happens in that other process unless the file is trusted.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar, cast

from biomech_id.errors import MissingInputError, OptionError, near_miss

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

GROUP = "biomech_id"
#: Modules from outside that have registered a row in any registry.
REGISTERING: set[str] = set()
RowName = TypeVar("RowName", bound=Hashable)
Value = TypeVar("Value")


class Registry(MutableMapping[RowName, Value]):
    """Values by name, in the order in which they came, each with the module that registered it.

    A mapping: what is set replaces what had the name before, what is added must have a name of its own.

    Parameters
    ----------
    kind : str
        What is registered, for sentences: "body model".
    builtin : Mapping[RowName, Value | str], optional
        The library's own. A text "module:attribute" is imported when somebody asks for the value.
    reserved : Collection[RowName], optional
        Names that the library uses without a row; nothing can be added under them.

    Examples
    --------
    >>> from collections.abc import Callable
    >>> from biomech_id.plugins import Registry
    >>> places = {"half": "statistics:median", "plain": "statistics:fmean"}
    >>> means: Registry[str, Callable[[list[float]], float]] = Registry("mean", places)
    >>> means.named("plain", "mean")([1.0, 2.0])
    1.5
    """

    def __init__(
        self, kind: str, builtin: Mapping[RowName, Value | str] = MappingProxyType({}), reserved: Collection[RowName] = ()
    ) -> None:
        self.kind, self.reserved = kind, reserved
        self._rows: dict[RowName, tuple[Value | str, str]] = {name: (value, GROUP) for name, value in builtin.items()}

    def __getitem__(self, name: RowName) -> Value:
        value, origin = self._rows[name]
        if isinstance(value, str):
            module, _, attribute = value.partition(":")
            value = cast("Value", getattr(import_module(module), attribute))
            self._rows[name] = value, origin
        return value

    def __setitem__(self, name: RowName, value: Value) -> None:
        self._rows[name] = value, _registering_module()

    def __delitem__(self, name: RowName) -> None:
        del self._rows[name]

    def __iter__(self) -> Iterator[RowName]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._rows  # without importing the value

    def origin(self, name: RowName) -> str:
        """Return the module that registered a name, "biomech_id" for the library's own.

        Parameters
        ----------
        name : RowName
            A name that is known.

        Returns
        -------
        str
            Dotted name of the module.
        """
        return self._rows[name][1]

    def add(self, name: RowName, value: Value) -> None:
        """Add a value under a name of its own.

        Parameters
        ----------
        name : RowName
            What recipes, commands or files call it.
        value : Value
            What stands under that name.

        Raises
        ------
        OptionError
            The name is taken.
        """
        origin = _registering_module()
        row = (value, origin)
        if name in self.reserved or self._rows.setdefault(name, row) is not row:
            of = GROUP if name in self.reserved else self.origin(name)
            raise OptionError(
                f"There is a {self.kind} {name} already, of {of}; {origin} cannot register another one.",
                value=name, expected="a name of its own", where=origin,
            )  # fmt: skip

    @contextmanager
    def within(self, name: RowName, value: Value) -> Iterator[None]:
        """Know a value until the end of the block.

        Parameters
        ----------
        name : RowName
            Free behind the block.
        value : Value
            What stands under that name.
        """
        self[name] = value
        try:
            yield
        finally:
            self.pop(name, None)

    def named(self, name: RowName, where: str) -> Value:
        """Return the value of a name that somebody typed.

        Parameters
        ----------
        name : RowName
            Name of the row, as somebody typed it.
        where : str
            The setting or option that names it.

        Returns
        -------
        Value
            A built-in one is imported when it is first asked for.

        Raises
        ------
        OptionError
            There is none of that name.
        """
        if name in self:
            return self[name]
        known = [*map(str, self)]
        raise OptionError(
            f"There is no {self.kind} {name!r}; there are {', '.join(known)}.{near_miss(name, known)}",
            value=name, expected=" | ".join(known), where=where,
        )  # fmt: skip


def _registering_module() -> str:
    """The first module on the stack that is not the library's, or the library's own whose import registers."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_name != "<module>" and frame.f_globals["__name__"].startswith((GROUP, "contextlib")):
        frame = frame.f_back
    name = str(frame.f_globals["__name__"])
    if name.partition(".")[0] != GROUP:
        REGISTERING.add(name)
    return name


@cache
def plugin_modules() -> tuple[str, ...]:
    """Find the modules that installed packages announce.

    Returns
    -------
    tuple[str, ...]
        Dotted names, sorted; looked up once.
    """
    return tuple(sorted({point.module for point in _announced()}))


@cache
def plugin_packages() -> tuple[str, ...]:
    """Find the installed packages that announce modules.

    Returns
    -------
    tuple[str, ...]
        Names of the packages, sorted; looked up once.
    """
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
        Dotted names of the modules.

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
