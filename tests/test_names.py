"""One spelling, one meaning: no public function or class is defined twice, and no public name has two values.

What is left over stands in `TWICE` with its reason, and may only become less.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "biomech_id"
#: Name -> why it may be defined in several modules.
TWICE = {
    # A room's own verb that a registry, or a process, calls by this name: one meaning.
    "register": "each room's registry, and each command that adds itself, is asked by this name",
    "main": "what a process starts",
}


def public_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield every public name that a module defines, with what it is: code of a value, or where a function or class stands."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            # Two definitions are two meanings, even when they read alike.
            yield node.name, f"{type(node).__name__} {id(node)}"
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((target.id, ast.dump(node.value)) for target in targets if isinstance(target, ast.Name))


def meanings(sources: dict[str, str]) -> dict[str, list[str]]:
    """Public name -> modules that define it, of those that have more than one meaning."""
    trees = {module: ast.parse(source) for module, source in sources.items()}
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for module, tree in trees.items():
        for name, meaning in public_names(tree):
            if not name.startswith("_"):
                found[name][module] = meaning
    return {name: sorted(where) for name, where in found.items() if len(set(where.values())) > 1}


@cache
def names_of_the_library() -> dict[str, list[str]]:
    return meanings({str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")})


def test_a_name_means_one_thing() -> None:
    twice = names_of_the_library()
    assert {name: where for name, where in twice.items() if name not in TWICE} == {}


def test_the_list_of_exceptions_only_shrinks() -> None:
    assert sorted(set(TWICE) - set(names_of_the_library())) == [], "take these off the list"
    assert len(TWICE) <= 2


def test_a_second_meaning_is_seen() -> None:
    assert meanings({"a.py": "LEAST = 0.05", "b.py": "LEAST: float = 0.9"}) == {"LEAST": ["a.py", "b.py"]}
    assert meanings({"a.py": "def f(): ...", "b.py": "def f(): ..."}) == {"f": ["a.py", "b.py"]}
    assert meanings({"a.py": "class A: ...", "b.py": "A = int"}) == {"A": ["a.py", "b.py"]}
    assert meanings({"a.py": "_LEAST = 1", "b.py": "_LEAST = 2"}) == {}
    assert meanings({"a.py": "LEAST = 1", "b.py": "LEAST = 1"}) == {}
