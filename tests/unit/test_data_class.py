"""Classes of `biomech_id._data_class` beside the same ones of Python's own ``dataclasses``."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from biomech_id._data_class import _declared as dataclass
from biomech_id._data_class import field

PACKAGE = Path(__file__).resolve().parents[2] / "biomech_id"


def _plain() -> type:
    class Walk:
        """With a text of its own."""

        speed_m_s: float
        sides: tuple[str, ...] = ("L", "R")
        strikes_s: list[float] = field(default_factory=list, compare=False)
        number: int = field(default=3, repr=False)
        LONGEST: ClassVar[int] = 7

    return Walk


def _checked() -> type:
    class Checked:
        mass_kg: float
        weight_N: float = field(init=False)
        parts: dict[str, float] = field(init=False, default_factory=dict)

        def __post_init__(self) -> None:
            object.__setattr__(self, "weight_N", 9.81 * self.mass_kg)

    return Checked


def _own_methods() -> type:
    class Own:
        mass_kg: float

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self))

        def __hash__(self) -> int:
            return 5

        def __repr__(self) -> str:
            return "own"

    return Own


def _empty() -> type:
    class Empty:
        pass

    return Empty


BODIES = (_plain, _checked, _own_methods, _empty)
OPTIONS: tuple[dict[str, bool], ...] = (
    {},
    {"frozen": True},
    {"frozen": True, "eq": False},
    {"eq": False, "repr": False},
    {"frozen": True, "order": True},
    {"kw_only": True},
)


def _behaviour(cls: Any) -> dict[str, Any]:
    """What a class is and does, as texts."""

    def tried(action: Callable[[], object]) -> str:
        try:
            return str(action())
        except Exception as error:  # noqa: BLE001 - errors are compared
            return f"{type(error).__name__}: {error}"

    values = {"speed_m_s": 1.5, "mass_kg": 2.0} if dataclasses.fields(cls) else {}
    given = {name: value for name, value in values.items() if name in {each.name for each in dataclasses.fields(cls)}}
    one, other, more = cls(**given), cls(**given), cls(**dict.fromkeys(given, 4.0))
    return {
        "signature": str(inspect.signature(cls)),
        "annotations": tried(lambda: cls.__init__.__annotations__),
        "match": cls.__match_args__,
        "names": (cls.__init__.__qualname__, cls.__init__.__module__),
        "repr": tried(lambda: repr(one) if cls.__repr__ is not object.__repr__ else "an object's"),
        "equal": (one == other, one == more, one == 5),
        "hash": tried(lambda: hash(one) == hash(other)) + tried(lambda: hash(one) == hash(more)),
        "set": tried(lambda: setattr(one, next(iter(given), "x"), 3.0)) + tried(lambda: setattr(one, "other", 3.0)),
        "delete": tried(lambda: delattr(more, next(iter(given), "x"))),
        "held": vars(other),
        "replaced": tried(lambda: vars(dataclasses.replace(other, **dict.fromkeys(given, 6.0)))),
        "less": tried(lambda: one < more),
        "missing": tried(lambda: cls(strange=1)),
        "params": str(vars(cls)["__dataclass_params__"]),
        "of_subclass": tried(lambda: setattr(type("Sub", (cls,), {})(**given), "other", 3.0)),
    }


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("body", BODIES)
def test_a_class_is_and_does_what_pythons_own_does(body: Callable[[], type], options: dict[str, bool]) -> None:
    assert _behaviour(dataclass(**options)(body())) == _behaviour(dataclasses.dataclass(**options)(body()))


def test_classes_inherit_from_either_kind() -> None:
    for first, second in ((dataclass, dataclasses.dataclass), (dataclass, dataclass), (dataclasses.dataclass, dataclass)):

        @first(frozen=True)
        class Base:
            mass_kg: float

        @second(frozen=True)
        class Leg(Base):
            length_m: float = 0.4

        made: Any = Leg
        assert repr(made(2.0)).endswith("Leg(mass_kg=2.0, length_m=0.4)")
        with pytest.raises(dataclasses.FrozenInstanceError):
            made(2.0).mass_kg = 3.0


def test_every_module_takes_the_cheap_one() -> None:
    modules = [module for module in PACKAGE.rglob("*.py") if module.name != "_data_class.py"]
    imports = (
        node for module in modules for node in ast.walk(ast.parse(module.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)
    )
    assert not [node for node in imports if node.module == "dataclasses" and "dataclass" in {each.name for each in node.names}]
