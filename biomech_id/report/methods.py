"""The last page: everything needed to doubt the numbers, and to get them again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from matplotlib.figure import Figure

from biomech_id.conventions import SIDES
from biomech_id.report.numbers import brief
from biomech_id.report.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.style import Style
from biomech_id.report.typography import MM_PER_POINT, wrapped
from biomech_id.results.tables import SessionTables

_COLUMNS, _GUTTER_MM, _TOP_MM = 3, 6.0, 25.0
_COLUMN_MM = (RIGHT_MM - LEFT_MM - (_COLUMNS - 1) * _GUTTER_MM) / _COLUMNS


def methods_pages(tables: SessionTables, style: Style) -> Iterator[Figure]:
    """Set the methods in three columns, on as many pages as they take."""
    pitch = style.size("small") * MM_PER_POINT * 1.28
    sheet, column, y = Sheet(style), 0, _TOP_MM
    for heading, lines in _sections(tables, style):
        broken = [piece for line in lines for piece in _broken(line, style)]
        for number, line in enumerate(broken):
            needed = pitch * (3 if number == 0 else 1)
            if y + needed > BOTTOM_MM:
                column, y = column + 1, _TOP_MM
                if column == _COLUMNS:
                    yield sheet.figure
                    sheet, column = Sheet(style), 0
            x = LEFT_MM + column * (_COLUMN_MM + _GUTTER_MM)
            if number == 0:
                sheet.heading(x, y, heading, to_mm=x + _COLUMN_MM)
                y += pitch + 1.8
            sheet.text(x, y, line, size="small")
            y += pitch
        y += pitch
    yield sheet.figure


def _broken(line: str, style: Style) -> list[str]:
    """Break a line to the column's width; what follows the first break is indented, unless the line is prose."""
    size = style.size("small")
    first, *rest = wrapped(line, _COLUMN_MM, size)
    if not rest or line.endswith("."):
        return [first, *rest]
    remainder = line[len(first) :].lstrip()
    return [first, *(f"   {piece}" for piece in wrapped(remainder, _COLUMN_MM - 3.0, size))]


def _sections(tables: SessionTables, style: Style) -> Iterator[tuple[str, list[str]]]:
    summary, calibration, manifest = tables.summary, tables.calibration, tables.manifest
    model, kinetics = str(summary.get("model", "")), str(summary.get("kinetics", ""))
    six_dof = model == "six-dof"
    yield style.label("methods.command"), [str(manifest.get("command", "–"))]
    yield style.label("methods.model"), [style.label(f"model.{model}"), style.label(f"model.{kinetics}")]
    yield style.label("methods.kinetics"), [style.label("methods.equations_six_dof" if six_dof else "methods.equations")]
    yield style.label("methods.conventions"), [style.label("methods.convention_text")]
    told = {"schema", "model", "kinetics", "segments"}
    yield style.label("methods.offsets"), list(flattened({k: v for k, v in calibration.items() if k not in told}))
    segments = list(segment_lines(calibration.get("segments")))
    if segments:
        yield style.label("methods.segments"), segments
    sources = summary.get("subject", {}).get("sources", {})
    if sources:
        yield style.label("methods.sources"), [f"{field}: {where}" for field, where in sources.items()]
    yield style.label("methods.recipe"), list(flattened(manifest.get("recipe", {})))
    for trial in summary.get("trials", ()):
        if trial["history"]:
            yield f"{style.label('methods.processing')}: {trial['name']}", [str(step) for step in trial["history"]]
    versions = {"biomech_id": manifest.get("version"), "python": manifest.get("python"), **manifest.get("dependencies", {})}
    yield style.label("methods.versions"), [", ".join(f"{name} {version}" for name, version in versions.items() if version)]
    yield style.label("methods.inputs"), [f"{path} {digest}" for path, digest in manifest.get("inputs", {}).items()] or ["–"]


def flattened(values: Any, name: str = "") -> Iterator[str]:
    """Nested settings as lines ``section.name: value``; short lists of plain values stand on one line."""
    if isinstance(values, Mapping) and values and set(values) <= set(SIDES) and name:
        yield from _side_by_side(values, name)
    elif isinstance(values, Mapping):
        for key, value in values.items():
            yield from flattened(value, f"{name}.{key}" if name else str(key))
    elif isinstance(values, (list, tuple)) and any(isinstance(item, Mapping) for item in values):
        for number, item in enumerate(values, 1):
            yield from flattened(item, f"{name} {number}")
    elif isinstance(values, (list, tuple)):
        nested = any(isinstance(item, (list, tuple)) for item in values)
        yield f"{name}: {('; ' if nested else ', ').join(_plain(item) for item in values) or '–'}"
    elif values != "":
        yield f"{name}: {_plain(values)}"


def _side_by_side(values: Mapping[str, Any], name: str) -> Iterator[str]:
    """Lines of both sides, merged: ``knee_width_mm: L 102; R 104``, or the value alone where the sides agree."""
    found: dict[str, dict[str, str]] = {}
    for side, value in values.items():
        for line in flattened(value, name):
            key, _, text = line.partition(": ")
            found.setdefault(key, {})[side] = text
    for key, texts in found.items():
        same = len(texts) == len(SIDES) and len(set(texts.values())) == 1
        yield f"{key}: " + (next(iter(texts.values())) if same else "; ".join(f"{side} {text}" for side, text in texts.items()))


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_plain(item) for item in value)
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return brief(value) if isinstance(value, float) else str(value)


def segment_lines(segments: Any) -> Iterator[str]:
    """One line per segment of the calibration: mass, centre of mass, source, and whatever else is said of it."""
    if isinstance(segments, Mapping):
        for name, segment in segments.items():
            yield f"{name}: " + "; ".join(flattened(segment)) if isinstance(segment, Mapping) else f"{name}: {_plain(segment)}"
    elif isinstance(segments, (list, tuple)):
        for segment in segments:
            yield "; ".join(flattened(segment))
