"""The last page: everything needed to doubt the numbers, and to get them again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from matplotlib.figure import Figure

from biomech_id.report.layout.numbers import three_digits
from biomech_id.report.layout.reasons import Said, in_language, passed_self_check
from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import MM_PER_POINT, wrapped
from biomech_id.report.panels.axes_label import axes_label
from biomech_id.report.panels.labelled_values import calibration_lines, segment_lines, setting_lines, source_lines
from biomech_id.report.panels.page import PageKind, Shows, of_each, register
from biomech_id.session.tables.session_tables import Tables

_COLUMNS, _GUTTER_MM, _TOP_MM = 3, 6.0, 25.0
_COLUMN_MM = (RIGHT_MM - LEFT_MM - (_COLUMNS - 1) * _GUTTER_MM) / _COLUMNS


def methods_pages(tables: Tables, style: Style) -> Iterator[Figure]:
    """Set the methods in three columns, on as many pages as they take.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
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


def processing(histories: Mapping[str, Sequence[str]], style: Style) -> Iterator[tuple[str, list[str]]]:
    """What was done to every trial alike, once, and what was done to single ones, with their names.

    Parameters
    ----------
    histories : Mapping[str, Sequence[str]]
        Trial -> lines of its history.
    style : Style
        Colours, words, scales and units of the report.
    """
    first = next(iter(histories.values()), ())
    alike = [line for line in first if all(line in history for history in histories.values())]
    # Many lines hold their file's name already.
    single = [
        line if name in line else f"{name}: {line}" for name, history in histories.items() for line in history if line not in alike
    ]
    yield style.label("methods.processing_all"), alike
    yield style.label("methods.processing"), single


def history_lines(history: Sequence[str], steps: Sequence[Said], style: Style) -> list[str]:
    """What was done to one trial; self-checks that passed are counted, one that did not is written out.

    Parameters
    ----------
    history : Sequence[str]
        Lines of a trial's history.
    steps : Sequence[Said]
        What was done to the trial, in order.
    style : Style
        Colours, words, scales and units of the report.
    """
    known: Sequence[Said] = steps or [{"rule": ""}] * len(history)
    passed = [passed_self_check(step, line) for step, line in zip(known, history, strict=True)]
    steps_and_lines = zip(known, history, passed, strict=True)
    lines = [in_language(step, "text", line, style) for step, line, is_passed in steps_and_lines if not is_passed]
    return [*lines, style.label("methods.self_checks", n=sum(passed))] if any(passed) else lines


def _broken(line: str, style: Style) -> list[str]:
    """Break a line to the column's width; what follows the first break is indented, unless the line is prose."""
    size = style.size("small")
    first, *rest = wrapped(line, _COLUMN_MM, size)
    if not rest or line.endswith("."):
        return [first, *rest]
    remainder = line[len(first) :].lstrip()
    return [first, *(f"   {piece}" for piece in wrapped(remainder, _COLUMN_MM - 3.0, size))]


def _sections(tables: Tables, style: Style) -> Iterator[tuple[str, list[str]]]:
    summary, calibration, manifest = tables.summary, tables.calibration, tables.manifest
    model, kinetics = str(summary.get("model", "")), str(summary.get("kinetics", ""))
    drawn = [shlex.join([option, word]) for option, words in manifest.get("drawn", {}).items() for word in words]
    again = [" ".join(["biomech-id report OUT", *drawn])] * bool(drawn)
    yield style.label("methods.command"), [str(manifest.get("command", "–")), *again]
    yield style.label("methods.model"), [style.label(f"model.{model}"), style.label(f"model.{kinetics}")]
    yield style.label("methods.kinetics"), [axes_label(style, "methods.equations", tables)]
    yield style.label("methods.conventions"), [style.label("methods.convention_text")]
    yield style.label("methods.offsets"), list(calibration_lines(calibration, style))
    yield style.label("methods.segments"), list(segment_lines(calibration, style))
    yield style.label("methods.sources"), list(source_lines(summary.get("subject", {}).get("sources", {}), style))
    has_feet = any("foot_models" in each for each in (calibration, *calibration.get("conditions", {}).values()))
    sizes = {name: size for name, size in (summary.get("error_sizes") or {}).items() if has_feet or name not in _OF_FEET}
    if sizes:
        yield style.label("methods.uncertainty"), [style.label("methods.uncertainty_note"), *error_size_lines(sizes, style)]
    yield style.label("methods.recipe"), list(setting_lines(manifest.get("recipe", {}), style))
    histories = {
        trial["name"]: history_lines(trial["history"], trial.get("steps", ()), style) for trial in summary.get("trials", ())
    }
    yield from processing(histories, style)
    versions = {"biomech_id": manifest.get("version"), "python": manifest.get("python"), **manifest.get("dependencies", {})}
    yield style.label("methods.versions"), [", ".join(f"{name} {version}" for name, version in versions.items() if version)]
    yield style.label("methods.inputs"), [f"{path} {digest}" for path, digest in manifest.get("inputs", {}).items()] or ["–"]


#: Sizes of foot models alone.
_OF_FEET = ("foot_marker_mm", "foot_angle_deg", "foot_frontal_deg")
#: Sizes that belong together in one line: beginning or end of their names.
_TOGETHER = (("placement", ("_forward_mm", "_up_mm", "_side_mm")), ("tissue", ("tissue_",)))


def error_size_lines(sizes: Mapping[str, float], style: Style) -> Iterator[str]:
    """Yield the sizes of the errors behind the bands, those of markers and of the tissue below them together.

    Parameters
    ----------
    sizes : Mapping[str, float]
        Name -> standard deviation.
    style : Style
        Colours, words, scales and units of the report.
    """
    left = dict(sizes)
    for word, parts in _TOGETHER:
        # A size of zero is a direction in which nothing is off.
        all_sizes = [float(left.pop(name)) for name in [*left] if name.endswith("_mm") and any(part in name for part in parts)]
        nonzero = [size for size in all_sizes if size]
        if nonzero:
            yield style.label(
                f"error_size.{word}",
                low=three_digits(min(nonzero), style.decimal_mark),
                high=three_digits(max(nonzero), style.decimal_mark),
            )
    for name, size in left.items():
        yield style.label(f"error_size.{name}", size=three_digits(float(size), style.decimal_mark))


register(
    PageKind("methods", 100, lambda content: methods_pages(content.tables, content.style), Shows.SESSION, compare=of_each, sheets=1)
)
