"""Values: classes of the standard library's ``dataclasses``, made faster.

A frozen dataclass costs half a millisecond where it is declared, because six methods are written as text and compiled; with three
hundred of them that was a sixth of what a command takes. Here none is compiled at its declaration: comparison, hash and words are
functions over the fields, and ``__init__`` is compiled when the first value is made. To Python, and to who checks types, it is a
dataclass like any other.
"""

from __future__ import annotations

import sys
from dataclasses import MISSING, FrozenInstanceError, asdict, astuple, field, fields, is_dataclass, replace
from dataclasses import dataclass as compiled_dataclass
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["asdict", "astuple", "dataclass", "field", "fields", "is_dataclass", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, **how):
        """As the standard library's; only what is frozen, without an order and not derived from another one is made faster."""
        if cls is None:
            return lambda declared: dataclass(declared, **how)
        derived = any(map(is_dataclass, cls.__mro__))
        if derived or not how.get("frozen") or how.keys() - {"frozen", "eq", "repr", "kw_only"}:
            return compiled_dataclass(cls, **how)
        own = dict(vars(cls))
        compiled_dataclass(cls, init=False, repr=False, eq=False, kw_only=how.get("kw_only", False))
        # Who derives from it with the standard library's dataclass is asked for a frozen one.
        cls.__dataclass_params__.frozen = True
        made = {"__init__": _Init(cls), **_refusals(cls)}
        if how.get("repr", True):
            made["__repr__"] = _repr
        if how.get("eq", True):
            made |= _comparison(cls)
        for name, method in made.items():
            # A method that the class has itself stays; Python makes a hash of None of a comparison without a hash.
            if own.get(name) is None:
                setattr(cls, name, method)
        return cls


class _NotGiven:
    """Stands for an argument that was not given where its default is made anew each time; shown as the standard library does."""

    def __repr__(self) -> str:
        return "<factory>"


class _Init:
    """``__init__`` of a class until somebody asks for it: then it is compiled, and takes this place."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def __get__(self, value: object, _: type | None = None) -> Any:
        method = _compiled_init(self._cls)
        self._cls.__init__ = method  # type: ignore[misc]
        return method.__get__(value, self._cls)


def _compiled_init(cls: Any) -> Any:
    """``__init__`` as the standard library writes it."""
    held = fields(cls)
    by_position, by_name, body = ["self"], ["*"], list[str]()
    given = {"_set": object.__setattr__, "_not_given": _NotGiven()}
    for each in held:
        name, value = each.name, each.name
        default = f"_default_{name}"
        if each.default_factory is not MISSING:
            given[default] = each.default_factory
            value = f"{default}() if {name} is _not_given else {name}" if each.init else f"{default}()"
            argument = f"{name}=_not_given"
        elif each.default is not MISSING:
            given[default] = each.default
            argument = f"{name}={default}"
        else:
            argument = name
        if each.init:
            (by_name if each.kw_only else by_position).append(argument)
        if each.init or each.default_factory is not MISSING:
            body.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    signature = ", ".join(by_position + (by_name if len(by_name) > 1 else []))
    lines = "\n  ".join(body or ["pass"])
    place: dict[str, Any] = {}
    text = f"def within({', '.join(given)}):\n def __init__({signature}):\n  {lines}\n return __init__"
    exec(text, vars(sys.modules[cls.__module__]), place)
    method = place["within"](**given)
    method.__qualname__ = f"{cls.__qualname__}.__init__"
    ordered = sorted((each for each in held if each.init), key=attrgetter("kw_only"))
    method.__annotations__ = {each.name: each.type for each in ordered} | {"return": None}
    return method


def _refusals(cls: Any) -> dict[str, Any]:
    """What refuses to change a value; of a class derived from it, only its own fields."""

    def refusing(name: str, verb: str) -> Any:
        def method(self: object, attribute: str, *value: object) -> None:
            if type(self) is cls or attribute in cls.__dataclass_fields__:
                raise FrozenInstanceError(f"cannot {verb} field {attribute!r}")
            getattr(super(cls, self), name)(attribute, *value)

        return method

    return {"__setattr__": refusing("__setattr__", "assign to"), "__delattr__": refusing("__delattr__", "delete")}


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _comparison(cls: Any) -> dict[str, Any]:
    """Equality of two values of one class, and their hash, over the fields that count."""
    compared = _entries([each.name for each in fields(cls) if each.compare])
    hashed = _entries([each.name for each in fields(cls) if (each.compare if each.hash is None else each.hash)])

    def equal(self: object, other: object) -> Any:
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    return {"__eq__": equal, "__hash__": lambda self: hash(hashed(self))}


def _entries(names: list[str]) -> Any:
    """What makes a tuple of some fields of a value."""
    return attrgetter(*names) if len(names) > 1 else lambda value: tuple(getattr(value, name) for name in names)
