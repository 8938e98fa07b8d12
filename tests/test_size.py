"""The library stays light, and its functions are called in words: syntax nodes by one script, at most six arguments by position."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

from tests.parsed import parsed

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted((ROOT / "biomech_id").rglob("*.py"))
#: Syntax nodes that the library may have (`benchmarks/weight.py`). Who raises it says why in the commit.
MOST_NODES = 611_600
MOST_POSITIONAL = 6


def crowded(source: str) -> list[str]:
    """Functions that take more than six arguments by position; self and cls do not count."""
    tree = parsed(source)
    methods = {id(child) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for child in node.body}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
            bound = id(node) in methods and arguments[:1] in (["self"], ["cls"])
            if len(arguments) - bound > MOST_POSITIONAL:
                found.append(node.name)
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_at_most_six_arguments_by_position(module: Path) -> None:
    assert crowded(module.read_text(encoding="utf-8")) == []


def test_crowded_functions_are_seen() -> None:
    assert crowded("def f(a, b, c, d, e, f, g): ...") == ["f"]
    assert crowded("def f(a, b, c, d, e, f, *, g, h): ...") == []
    assert crowded("class A:\n    def f(self, a, b, c, d, e, f): ...") == []
    assert crowded("class A:\n    def f(self, a, b, c, d, e, f, /, g): ...") == ["f"]


def test_nodes_are_counted_without_words_and_types() -> None:
    nodes = runpy.run_path(str(ROOT / "benchmarks" / "weight.py"))["nodes"]
    plain = "def f(a):\n    return a + 1\n"
    assert nodes(plain) == 9
    assert nodes('"""What."""\n\n\ndef f(a: int) -> int:\n    """Add."""\n    # why\n    return (\n        a + 1\n    )\n') == 9
    assert nodes("def f(a):\n    return a + 1 + 1\n") == 12


def test_the_library_stays_light() -> None:
    rooms = runpy.run_path(str(ROOT / "benchmarks" / "weight.py"))["by_room"]()
    assert rooms.total() <= MOST_NODES, dict(rooms)
