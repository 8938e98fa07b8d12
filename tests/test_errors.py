"""Every error says what was found, what was expected and where; nothing prints or swallows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.parsed import parsed

PACKAGE = Path(__file__).resolve().parents[1] / "biomech_id"
MODULES = sorted(PACKAGE.rglob("*.py"))
NEEDED = {"value", "expected", "where"}
OURS = {
    "BiomechError", "FileRefusedError", "MissingInputError", "InvalidValueError", "ShapeError",
    "FrameMismatchError", "OptionError", "OutputError", "WrongTypeError", "UnknownNameError",
}  # fmt: skip
#: Raised by protocol, not by a user's mistake.
BY_PROTOCOL = {
    "AttributeError",
    "FrozenInstanceError",
    "KeyError",
    "StopIteration",
    "ImportError",
    "Exit",
    "TypeError",
    "BadParameter",
}


def faults(source: str) -> list[str]:
    found = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.ExceptHandler) and node.type is None:
            found.append(f"line {node.lineno}: bare except")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            found.append(f"line {node.lineno}: print")
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            func = node.exc.func
            if isinstance(func, ast.Attribute) and func.attr == "at" and getattr(func.value, "id", "") in OURS:
                if len(node.exc.args) != 3:
                    found.append(f"line {node.lineno}: path, message and what was expected, in this order")
                continue
            name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
            if name in OURS:
                missing = NEEDED - {keyword.arg for keyword in node.exc.keywords}
                if missing:
                    found.append(f"line {node.lineno}: {name} without {sorted(missing)}")
            elif name[:1].isupper() and name not in BY_PROTOCOL:
                found.append(f"line {node.lineno}: raises {name}")
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_module_raises_as_the_house_asks(module: Path) -> None:
    assert faults(module.read_text(encoding="utf-8")) == []


def test_the_rule_catches_a_fault() -> None:
    assert faults("raise ShapeError('no')")
    assert faults("raise OutputError.at(path, 'no')")
    assert not faults("raise OutputError.at(path, 'no', 'a folder')")
    assert faults("raise Exception('no')")
    assert faults("print('x')")
    assert faults("try:\n    x\nexcept:\n    pass")
