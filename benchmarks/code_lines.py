"""Code lines of the library by room: without docstrings, comments and blank lines. ``python benchmarks/code_lines.py [FOLDER]``.

Commit 8730afa, from which the rooms were laid out anew, counts 23 432 lines in this way.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "biomech_id"
#: Definitions that may begin with a docstring.
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(source: str) -> int:
    """Count the lines of a module that are neither blank, nor a comment, nor part of a docstring."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstrings.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines = enumerate(map(str.strip, source.split("\n")), 1)
    return sum(bool(line) and not line.startswith("#") and number not in docstrings for number, line in lines)


def by_room(package: Path = PACKAGE) -> Counter[str]:
    """Count the code lines of each room of a package: what lies in one folder, or one module beside the folders."""
    counted: Counter[str] = Counter()
    for module in sorted(package.rglob("*.py")):
        counted[module.relative_to(package).parts[0].removesuffix(".py")] += code_lines(module.read_text(encoding="utf-8"))
    return counted


if __name__ == "__main__":
    rooms = by_room(*map(Path, sys.argv[1:]))
    for room, lines in rooms.items():
        print(f"{lines:6d}  {room}")
    print(f"{rooms.total():6d}  in all")
