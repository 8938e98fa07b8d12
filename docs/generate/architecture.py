"""The picture of the house, drawn from the imports: ``python -m docs.generate.architecture`` writes ``docs/figures/rooms.svg``.

Every room is a box in the row of its floor, every line an import from a room to one further down. A line that goes up, or between
rooms of one floor, would be red; `upward` and `circles` are what the tests ask.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests.parsed import parsed
from tests.test_floors import FLOORS

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "biomech_id"
PICTURE = ROOT / "docs" / "figures" / "rooms.svg"
#: Rooms large enough to have folders with an order of their own.
LARGE_ROOMS = ("report", "judgement")
#: Pictures' measures, in pixels.
WIDTH, ROW_HEIGHT, BOX_HEIGHT, CHARACTER = 1040, 58, 26, 7.6

Graph = dict[str, set[str]]


@cache
def imported_names(module: Path) -> frozenset[str]:
    """Full names of what a module imports from the package, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(parsed(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return frozenset(name for name in names if name.startswith("biomech_id."))


def rooms() -> Graph:
    """Room -> rooms it imports from."""
    graph: Graph = {room: set() for room in FLOORS}
    for module in PACKAGE.rglob("*.py"):
        room = module.relative_to(PACKAGE).with_suffix("").parts[0]
        if room in graph:
            graph[room] |= {name.split(".")[1] for name in imported_names(module)} & set(FLOORS) - {room}
    return graph


def folders(room: str) -> Graph:
    """Folder of a room -> folders of it that it imports from; modules that lie in no folder each stand for themselves."""
    home = PACKAGE / room
    parts = {path.stem if path.is_file() else path.name for path in home.iterdir() if path.suffix == ".py" or path.is_dir()}
    graph: Graph = {part: set() for part in parts - {"__pycache__", "__init__"}}
    for module in home.rglob("*.py"):
        part = module.relative_to(home).with_suffix("").parts[0]
        if part in graph:
            names = [name.split(".") for name in imported_names(module)]
            graph[part] |= {name[2] for name in names if name[1] == room and len(name) > 2} & set(graph) - {part}
    return graph


def upward(graph: Graph, floors: Mapping[str, float]) -> list[tuple[str, str]]:
    """Imports that do not go down: (who, what)."""
    return sorted((room, other) for room, others in graph.items() for other in others if floors[other] >= floors[room])


def circle(graph: Graph) -> tuple[str, ...]:
    """Names along one circle of imports; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return tuple(error.args[1])
    return ()


def picture(graph: Graph, floors: Mapping[str, float]) -> str:
    """Return an SVG of rooms in rows, the highest on top, with a line for each import."""
    rows = sorted(set(floors.values()), reverse=True)
    place: dict[str, tuple[float, float]] = {}
    for row, floor in enumerate(rows):
        here = sorted(room for room in graph if floors[room] == floor)
        step = WIDTH / (len(here) + 1)
        place |= {room: (step * (column + 1), 40.0 + row * ROW_HEIGHT) for column, room in enumerate(here)}
    wrong = set(upward(graph, floors))
    lines = [
        _line(place[room], place[other], red=(room, other) in wrong) for room in sorted(graph) for other in sorted(graph[room])
    ]
    boxes = [_box(room, *place[room]) for room in sorted(place)]
    height = 60 + ROW_HEIGHT * len(rows)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">'
    ground = f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, ground, *lines, *boxes, "</svg>", ""])


def _line(start: tuple[float, float], end: tuple[float, float], *, red: bool) -> str:
    (x1, y1), (x2, y2) = start, end
    look = 'stroke="#c00000" stroke-width="3"' if red else 'stroke="#4a6fa5" stroke-opacity="0.18"'
    middle = (y1 + y2) / 2
    return f'<path d="M{x1:.0f} {y1:.0f} C{x1:.0f} {middle:.0f} {x2:.0f} {middle:.0f} {x2:.0f} {y2:.0f}" fill="none" {look}/>'


def _box(room: str, x: float, y: float) -> str:
    width = CHARACTER * len(room) + 16
    box = f'<rect x="{x - width / 2:.0f}" y="{y - BOX_HEIGHT / 2:.0f}" width="{width:.0f}" height="{BOX_HEIGHT}" rx="4"'
    return f'{box} fill="#eef3f9" stroke="#4a6fa5"/><text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle">{room}</text>'


def problems(large_rooms: Iterable[str] = LARGE_ROOMS) -> list[str]:
    """Every import that goes up and every circle, between rooms and between the folders of the large ones."""
    graph = rooms()
    found = [f"{room} imports {other}, which is no floor below" for room, other in upward(graph, FLOORS)]
    for name, own in {"rooms": graph, **{room: folders(room) for room in large_rooms}}.items():
        if names := circle(own):
            found.append(f"{name}: a circle {' -> '.join(names)}")
    return found


if __name__ == "__main__":
    PICTURE.write_text(picture(rooms(), FLOORS), encoding="utf-8", newline="\n")
