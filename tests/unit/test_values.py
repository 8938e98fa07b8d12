"""A value is a dataclass as the standard library makes it, whatever is asked of it."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import typing
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from biomech_id import values
from biomech_id.arguments import a_quantity, holds
from biomech_id.errors import InvalidValueError

Decorator = Callable[..., Any]
#: How a class is declared.
WAYS: tuple[dict[str, bool], ...] = ({"frozen": True}, {"frozen": True, "eq": False}, {"frozen": True, "kw_only": True}, {})


def declared(decorator: Decorator, how: dict[str, bool]) -> Any:
    """A class with a field of each kind."""

    @decorator(**how)
    class Segment:
        """A segment."""

        name: str
        mass_kg: float = 1.0
        markers: list[str] = dataclasses.field(default_factory=list, compare=False)
        note: str = dataclasses.field(default="", repr=False, hash=False)
        _known: dict[str, int] = dataclasses.field(default_factory=dict, init=False, repr=False, compare=False)
        side: str = dataclasses.field(default="L", kw_only=True)
        floors: typing.ClassVar[int] = 3

        def __post_init__(self) -> None:
            self._known[self.name] = 1

    return Segment


def asked(cls: Any) -> dict[str, object]:
    """What Python, `inspect` and the standard library say of the class and of its values."""
    one, same, other = cls(name="shank"), cls(name="shank", note="x"), cls(name="foot", mass_kg=0.5, side="R")
    again = cls(name="shank")
    told: dict[str, object] = {
        "signature": str(inspect.signature(cls)), "repr": [repr(each) for each in (one, same, other)],
        "equal": [one == again, one == same, one == other, one == "shank", one != again],
        "fields": [(each.name, each.type, each.init, each.kw_only) for each in dataclasses.fields(cls)],
        "dict": dataclasses.asdict(other), "vars": [list(vars(each)) for each in (one, other)], "match": cls.__match_args__,
        "replaced": repr(dataclasses.replace(other, name="thigh")), "default": cls.mass_kg, "copy": repr(copy.deepcopy(other)),
        "doc": cls.__doc__, "name": cls.__init__.__qualname__, "hints": typing.get_type_hints(cls.__init__),
        "eq": "__eq__" in vars(cls), "hash": getattr(cls.__hash__, "__name__", None) if cls.__hash__ is None else "hashed",
    }  # fmt: skip
    if cls.__hash__ is not None:
        told["hash equal"] = [hash(one) == hash(again), hash(one) == hash(same)]
    changes = [lambda: setattr(one, "name", "y"), lambda: delattr(one, "mass_kg"), lambda: setattr(one, "colour", "red")]
    for wrong in (lambda: cls(), lambda: cls(nam="x"), *changes):
        try:
            wrong()
        except (TypeError, AttributeError) as error:
            told[f"refused {len(told)}"] = (type(error), str(error))
    return told


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_as_the_standard_library(how: dict[str, bool]) -> None:
    assert asked(declared(values.dataclass, how)) == asked(declared(dataclasses.dataclass, how))


def test_its_own_methods_stay() -> None:
    @values.dataclass(frozen=True)
    class Angle:
        """An angle."""

        rad: float

        def __repr__(self) -> str:
            return "angle"

        def __eq__(self, other: object) -> bool:
            return True

    assert repr(Angle(1.0)) == "angle"
    assert Angle(1.0) == Angle(2.0)
    assert hash(Angle(1.0)) == hash((1.0,))


@values.dataclass(frozen=True)
class Point:
    """A point of the laboratory."""

    x_m: float
    y_m: float = 0.0


@pytest.mark.parametrize("decorator", [values.dataclass, dataclasses.dataclass])
def test_another_is_derived_from_it(decorator: Decorator) -> None:
    @decorator(frozen=True)
    class Named(Point):
        """A point with a name."""

        name: str = ""

    named = Named(1.0, name="LANK")
    assert (repr(named).endswith("Named(x_m=1.0, y_m=0.0, name='LANK')"), named == Named(1.0, 0.0, "LANK")) == (True, True)
    with pytest.raises(dataclasses.FrozenInstanceError, match="x_m"):
        named.x_m = 2.0
    with pytest.raises(TypeError, match="non-frozen"):
        decorator(type("Loose", (Point,), {"__annotations__": {"z_m": "float"}}))


def test_a_class_below_without_fields_of_its_own_takes_attributes() -> None:
    class Marked(Point):
        pass

    marked: Any = Marked(1.0)
    marked.colour = "red"
    del marked.colour
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x_m'"):
        marked.x_m = 2.0


def test_read_back_before_any_was_made() -> None:
    point = pickle.loads(pickle.dumps(Point(1.0, 2.0)))
    fresh = pickle.loads(pickle.dumps(point))
    assert fresh == point
    assert {point: 1}[fresh] == 1


def test_two_threads_make_the_first() -> None:
    for _ in range(20):
        cls = declared(values.dataclass, {"frozen": True})
        with ThreadPoolExecutor(4) as pool:
            assert len(set(pool.map(cls, ["shank"] * 8))) == 1


def test_what_a_field_may_be_is_checked() -> None:
    @holds(mass_kg=a_quantity(2, 400, "kg"))
    @values.dataclass(frozen=True)
    class Body:
        """A body."""

        mass_kg: float

    assert Body(70.0).mass_kg == 70.0
    with pytest.raises(InvalidValueError, match="mass_kg"):
        Body(70000.0)


def test_nothing_is_compiled_before_a_value_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[type] = []
    make = values._compiled_init
    monkeypatch.setattr(values, "_compiled_init", lambda cls: compiled.append(cls) or make(cls))
    cls = declared(values.dataclass, {"frozen": True})
    assert compiled == []
    assert cls("a") != cls("b")
    assert compiled == [cls]
