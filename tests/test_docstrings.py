"""What docstrings promise: every argument is named with its type, and what is physics shows an example that runs.

Counted over public functions and methods, classes with a written ``__init__`` and dataclasses. A name counts that has
an entry ``name : type`` in Parameters or Attributes, alone or with others of the same type.
"""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.parsed import parsed

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "biomech_id"

#: Of public functions and methods with arguments, the share whose docstring names all of them.
LEAST_NAMED = 0.90
#: Of public functions and methods of physics, the share that shows an example.
LEAST_SHOWN = 0.15
#: Physics is what takes or returns quantities of motion, forces or bodies, and anything computed from them. Reading and writing
#: files, checking, tables, drawing and the commands are not.
PHYSICS = (
    "algebra", "anatomy", "anthropometry", "conventions", "dynamics", "emg", "gait", "models", "multibody", "signal", "trial",
    "uncertainty", "readers.c3d.plate_wrench", "readers.c3d.units", "readers.vertical",
)  # fmt: skip


@dataclass(frozen=True)
class Callable:
    """A public function, method or class that is made with arguments."""

    where: str
    arguments: tuple[str, ...]
    docstring: str

    @property
    def unnamed(self) -> tuple[str, ...]:
        """Arguments without an entry ``name : type``."""
        entries = re.findall(r"^\s*([\w*, ]+?) : \S", self.docstring.partition("----")[2], flags=re.MULTILINE)
        named = {name.strip().lstrip("*") for entry in entries for name in entry.split(",")}
        return tuple(name for name in self.arguments if name not in named)


def arguments_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    a = function.args
    names = [arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if arg is not None]
    return tuple(name for name in names if name not in ("self", "cls") and not name.startswith("_"))


def of_scope(body: list[ast.stmt], where: str) -> Iterator[Callable]:
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            overloaded = any(getattr(d, "id", getattr(d, "attr", "")) in ("overload", "setter") for d in node.decorator_list)
            if not overloaded:
                yield Callable(f"{where}.{node.name}", arguments_of(node), ast.get_docstring(node) or "")
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            made = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
            text = "\n".join(ast.get_docstring(n) or "" for n in (node, *made))
            if made:
                yield Callable(f"{where}.{node.name}", arguments_of(made[0]), text)
            elif "dataclass" in ast.dump(ast.Module(body=[ast.Expr(d) for d in node.decorator_list], type_ignores=[])):
                yield Callable(f"{where}.{node.name}", tuple(fields_of(node)), text)
            yield from of_scope(node.body, f"{where}.{node.name}")


def fields_of(node: ast.ClassDef) -> Iterator[str]:
    for n in node.body:
        named = isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name) and "ClassVar" not in ast.dump(n.annotation)
        if named and not n.target.id.startswith("_"):
            yield n.target.id


@cache
def public() -> tuple[Callable, ...]:
    found: list[Callable] = []
    for path in sorted(LIBRARY.rglob("*.py")):
        name = ".".join(path.relative_to(LIBRARY).with_suffix("").parts)
        if not any(part.startswith("_") and part != "__init__" for part in name.split(".")) and not name.startswith("cli"):
            found += of_scope(parsed(path.read_text(encoding="utf-8")).body, name.removesuffix(".__init__"))
    return tuple(found)


def is_physics(where: str) -> bool:
    return any(f"{where}.".startswith(f"{room}.") for room in PHYSICS)


def test_arguments_are_named_with_their_types() -> None:
    counted = [c for c in public() if c.arguments]
    missing = [f"{c.where}: {', '.join(c.unnamed)}" for c in counted if c.unnamed]
    share = 1 - len(missing) / len(counted)
    print(f"{share:.1%} of {len(counted)} name all arguments; the others:", *missing, sep="\n")
    assert share >= LEAST_NAMED


def test_physics_is_shown_by_examples() -> None:
    counted = [c for c in public() if is_physics(c.where)]
    shown = [c for c in counted if ">>> " in c.docstring]
    print(f"{len(shown)} of {len(counted)} show an example")
    assert len(shown) >= LEAST_SHOWN * len(counted)


def with_examples() -> list[str]:
    paths = [path for path in sorted(LIBRARY.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]
    return [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths]


@pytest.mark.parametrize("name", with_examples())
def test_examples_run(name: str) -> None:
    result = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert result.attempted
    assert result.failed == 0
