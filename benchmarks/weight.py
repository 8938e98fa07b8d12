"""Weight of the library: syntax nodes, by room. ``python benchmarks/weight.py [FOLDER]``.

A node is one of Python's syntax tree, without annotations, docstrings and load or store contexts: neither line breaks nor types nor
words change the weight, and a dense line weighs what the same steps on three lines weigh.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "biomech_id"
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def nodes(source: str) -> int:
    """Count the syntax nodes of a module, without annotations, docstrings and contexts."""
    return sum(1 for _ in _counted(ast.parse(source)))


def _counted(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "ctx"):
            # An annotated assignment keeps one node where its annotation was.
            if name == "annotation" and isinstance(node, ast.AnnAssign):
                yield node
            continue
        children = value if isinstance(value, list) else [value]
        if name == "body" and isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            # A body of nothing but words is a pass.
            children = children[1:] or [ast.Pass()]
        for child in children:
            if isinstance(child, ast.AST):
                yield from _counted(child)


def by_room(package: Path = PACKAGE) -> Counter[str]:
    """Count the nodes of each room of a package: what lies in one folder, or one module beside the folders."""
    counted: Counter[str] = Counter()
    for module in sorted(package.rglob("*.py")):
        counted[module.relative_to(package).parts[0].removesuffix(".py")] += nodes(module.read_text(encoding="utf-8"))
    return counted


if __name__ == "__main__":
    rooms = by_room(*map(Path, sys.argv[1:]))
    for room, weight in rooms.most_common():
        print(f"{weight:7d}  {room}")
    print(f"{rooms.total():7d}  in all")
