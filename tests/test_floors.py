"""The house keeps its floors: a module imports only from below, and heavy packages only where they are at home."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "biomech_id"
FLOORS = {
    "sentences": -1,  # what errors and findings are said with
    "errors": 0, "conventions": 0, "anatomy": 0, "_version": 0,
    "algebra": 1, "files": 1,
    "plugins": 1,
    "signal": 1.5,  # its arrays are of the types of algebra
    "trial": 2, "anthropometry": 2, "markersets": 2, "dynamics": 2,
    "multibody": 2.5,  # stands on dynamics, see docs/decisions/rooms.md
    "uncertainty": 3, "readers": 3, "models": 3, "gait": 3, "sample": 3,
    "results": 4, "check": 4,
    "report": 5, "exports": 5,
    "pipeline": 6,
    "cli": 7,
}  # fmt: skip
HOMES = {
    "ezc3d": {"readers", "sample", "exports"},
    "pandas": {"results"},
    "pyarrow": {"results"},
    "matplotlib": {"report"},
    "typer": {"cli"},
    "rich": {"cli"},
    "sympy": {"multibody"},
    "distributed": {"pipeline"},
}
SAMPLE_MAY_IMPORT = {"errors", "conventions", "anatomy", "trial", "anthropometry", "markersets", "sample"}
NOT_A_LIBRARY = {"data", "pipelines", "reports", "tests", "benchmarks"}
FORBIDDEN_NAMES = {"utils", "helpers", "common", "misc"}
MODULES = sorted(PACKAGE.rglob("*.py"))


def room_of(module: Path) -> str:
    parts = module.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imports_of(module: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import; write the full name"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def violations(module: Path, imports: list[str]) -> list[str]:
    room = room_of(module)
    if room == "__init__":
        return []
    bad = []
    for name in imports:
        parts = name.split(".")
        if parts[0] == "biomech_id" and len(parts) > 1 and parts[1] != room and parts[1] in FLOORS:
            if FLOORS[parts[1]] >= FLOORS[room]:
                bad.append(f"{room} (floor {FLOORS[room]}) imports {name} (floor {FLOORS[parts[1]]})")
            if room == "sample" and parts[1] not in SAMPLE_MAY_IMPORT and name != "biomech_id.algebra.arrays":
                bad.append(f"the virtual subject shares no code with what it checks, but imports {name}")
        if parts[0] in HOMES and room not in HOMES[parts[0]]:
            bad.append(f"{room} imports {name}, at home in {sorted(HOMES[parts[0]])}")
        if parts[0] in NOT_A_LIBRARY:
            bad.append(f"{room} imports {name}, which is not part of the library")
    return bad


@pytest.mark.parametrize("module", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_module_imports_only_from_below(module: Path) -> None:
    assert violations(module, imports_of(module)) == []


def test_every_room_has_a_floor() -> None:
    rooms = {room_of(module) for module in MODULES} - {"__init__", "__main__"}
    assert rooms <= set(FLOORS), f"rooms without a floor: {rooms - set(FLOORS)}"
    assert not rooms & FORBIDDEN_NAMES
    assert not {module.stem for module in MODULES} & FORBIDDEN_NAMES


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("trial/markers.py", "biomech_id.dynamics.body"),
        ("algebra/skew.py", "biomech_id.trial"),
        ("gait/events.py", "matplotlib.figure"),
        ("sample/walk.py", "biomech_id.dynamics.body"),
        ("report/pages.py", "tests.conftest"),
    ],
)
def test_the_rule_catches_a_violation(module: str, imported: str) -> None:
    assert violations(PACKAGE / module, [imported])


def test_start_up_loads_nothing_heavy() -> None:
    code = (
        "import sys, biomech_id; "
        "heavy = {'scipy.signal', 'pandas', 'matplotlib', 'ezc3d', 'pyarrow', 'sympy', 'typer', 'rich'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
