"""``dataclasses`` at a quarter of the price: of a class only ``__init__`` is compiled, all else is code that classes share.

Python compiles six methods for a frozen class, which takes it half a millisecond, and a command declares 400 classes before it does
anything. What a class is and does is the same, to type checkers as well.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, asdict, astuple, field, fields, is_dataclass, replace
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["asdict", "astuple", "dataclass", "field", "fields", "is_dataclass", "replace"]


class _Factory:
    def __repr__(self) -> str:
        return "<factory>"


_FROM_FACTORY = _Factory()


def _declared(cls: type | None = None, /, **options: bool) -> Any:
    """Make a data class of a class; options and what comes out are those of Python's own."""
    if cls is None:
        return partial(_declared, **options)
    if set(options) - {"frozen", "eq", "repr"} or is_dataclass(cls):
        # What mixes with the fields of other classes is left to Python.
        return dataclasses.dataclass(**options)(cls)
    own = vars(cls).copy()
    frozen, eq, shown = options.get("frozen", False), options.get("eq", True), options.get("repr", True)
    cls.__doc__ = cls.__doc__ or cls.__name__
    dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    params: Any = vars(cls)["__dataclass_params__"]
    params.init, params.repr, params.eq, params.frozen = True, shown, eq, frozen
    methods: list[Callable[..., Any]] = [_init(cls)]
    methods += [_repr(cls)] if shown else []
    methods += [_eq(cls)] if eq else []
    methods += _frozen(cls) if frozen else []
    for method in methods:
        if method.__name__ not in own:
            _set(cls, method)
    if eq and (own.get("__hash__") is None if "__eq__" in own else "__hash__" not in own):
        _set(cls, _hash(cls)) if frozen else setattr(cls, "__hash__", None)
    return cls


def _set(cls: type, method: Callable[..., Any]) -> None:
    method.__qualname__, method.__module__ = f"{cls.__qualname__}.{method.__name__}", cls.__module__
    setattr(cls, method.__name__, method)


def _init(cls: type) -> Callable[..., None]:
    """``__init__``, in the module of its class."""
    values: dict[str, Any] = {"_set": object.__setattr__, "_factory": _FROM_FACTORY}
    given, lines = [each for each in fields(cls) if each.init], []
    for each in fields(cls):
        name = each.name
        value = name
        if each.default_factory is not MISSING:
            values[f"_of_{name}"] = each.default_factory
            value = f"_of_{name}() if {name} is _factory else {name}" if each.init else f"_of_{name}()"
        if each.init or each.default_factory is not MISSING:
            lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = []
    for each in given:
        values[f"_default_{each.name}"] = each.default
        default = f"=_default_{each.name}" if each.default is not MISSING else "=_factory" if f"_of_{each.name}" in values else ""
        parameters.append(f"{each.name}{default}")
    body = "\n  ".join(lines or ["pass"])
    text = f"def _made({', '.join(values)}):\n def __init__({', '.join(['self', *parameters])}):\n  {body}\n return __init__"
    scope: dict[str, Any] = {}
    exec(text, vars(sys.modules[cls.__module__]), scope)
    method: Callable[..., None] = scope["_made"](**values)
    method.__annotations__ = {each.name: each.type for each in given} | {"return": None}
    return method


def _repr(cls: type) -> Callable[[Any], str]:
    names = [each.name for each in fields(cls) if each.repr]

    @recursive_repr()
    def __repr__(self: Any) -> str:
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _values(held: list[Field[Any]]) -> Callable[[Any], tuple[Any, ...]]:
    """What returns the values of some fields."""
    names = [each.name for each in held]
    return attrgetter(*names) if len(names) > 1 else lambda self: tuple(getattr(self, name) for name in names)


def _eq(cls: type) -> Callable[[Any, object], bool]:
    values = _values([each for each in fields(cls) if each.compare])

    def __eq__(self: Any, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(cls: type) -> Callable[[Any], int]:
    values = _values([each for each in fields(cls) if (each.compare if each.hash is None else each.hash)])

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _frozen(cls: Any) -> list[Callable[..., None]]:
    names = {each.name for each in fields(cls)}

    def __setattr__(self: Any, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return [__setattr__, __delattr__]


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _declared
