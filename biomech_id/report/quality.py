"""How good the recording is: every rule with its number, refused cycles with their reason, gaps, plates, events, findings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure

from biomech_id.conventions import SIDES
from biomech_id.report.cover import all_findings, finding_lines
from biomech_id.report.numbers import brief, written
from biomech_id.report.reasons import in_words
from biomech_id.report.records import records
from biomech_id.report.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.style import Style
from biomech_id.report.text_table import Cell, TableColumn, TextTable
from biomech_id.results.quality import RULES
from biomech_id.results.tables import SessionTables

_TITLES = {rule.name: rule.title for rule in RULES}
_TOP_MM = 23.0
_WIDTH_MM = RIGHT_MM - LEFT_MM


def quality_pages(tables: SessionTables, style: Style) -> Iterator[Figure]:
    """Draw the data quality of a session, on as many pages as it takes."""
    sheet, y = Sheet(style), _TOP_MM
    for heading, table in _sections(tables, style):
        left: TextTable | None = table
        while left is not None:
            # A heading never stands alone at the foot of a page.
            if y + 22.0 > BOTTOM_MM:
                yield sheet.figure
                sheet, y = Sheet(style), _TOP_MM
            sheet.heading(LEFT_MM, y + 3.0, heading)
            y, left = left.draw(sheet, LEFT_MM, y + 4.6, room_mm=BOTTOM_MM - y - 4.6)
            y += 6.0
            if left is not None:
                yield sheet.figure
                sheet, y = Sheet(style), _TOP_MM
    yield sheet.figure


def _sections(tables: SessionTables, style: Style) -> Iterator[tuple[str, TextTable]]:
    yield style.label("quality.rules"), rule_table(tables, style)
    yield style.label("quality.refused"), refused_table(tables, style)
    findings = finding_lines(all_findings(tables), style) or [Cell(style.label("quality.no_findings"))]
    yield style.label("quality.findings"), TextTable((TableColumn("", _WIDTH_MM),), [[cell] for cell in findings])
    gaps = gap_lines(tables, style) or [style.label("quality.no_gaps")]
    yield style.label("quality.gaps"), TextTable((TableColumn("", _WIDTH_MM),), [[line] for line in gaps])
    agreement = agreement_table(tables, style)
    if agreement.rows:
        yield style.label("quality.agreement"), agreement
    plates = plate_lines(tables, style)
    if plates:
        yield style.label("quality.plates"), _lines(plates)


def _lines(lines: list[str]) -> TextTable:
    """Short sentences in two columns."""
    pairs = [[lines[i], lines[i + 1] if i + 1 < len(lines) else ""] for i in range(0, len(lines), 2)]
    return TextTable((TableColumn("", _WIDTH_MM / 2), TableColumn("", _WIDTH_MM / 2)), pairs)


def rule_title(rule: str, style: Style) -> str:
    """Name of a quality rule in the report's language."""
    return style.labels.get(f"rule.{rule}") or _TITLES.get(rule) or style.label(f"rule.{rule}")


def rule_table(tables: SessionTables, style: Style) -> TextTable:
    """One row per trial, one column per rule; numbers that crossed a limit name it and are coloured and bold."""
    quality: Any = tables.quality
    rules = list(dict.fromkeys(quality["rule"]))
    units = dict(zip(quality["rule"], quality["unit"], strict=True))
    name_mm, verdict_mm = 40.0, 20.0
    width = (_WIDTH_MM - name_mm - verdict_mm) / max(1, len(rules))
    heads = (rule_title(rule, style) + (f" {units[rule]}" if units[rule] else "") for rule in rules)
    columns = (
        TableColumn(style.label("quality.trial"), name_mm),
        *(TableColumn(head, width, "center") for head in heads),
        TableColumn(style.label("quality.verdict"), verdict_mm),
    )
    cells = {(row.trial, row.rule): row for row in records(quality)}
    rows: list[list[Cell | str]] = []
    for trial in tables.summary.get("trials", ()):
        name = f"{trial['name']}\n{style.label('kind.' + trial['kind'])}"
        numbers = [_number(cells.get((trial["name"], rule)), style) for rule in rules]
        verdict = Cell(style.label(f"verdict.{trial['verdict']}"), colour=trial["verdict"], bold=True)
        rows.append([name, *numbers, verdict])
    for failed in tables.summary.get("failed", ()):
        rejected = Cell(style.label("verdict.reject"), colour="reject", bold=True)
        rows.append([failed["file"], *[""] * len(rules), rejected])
    return TextTable(columns, rows or [["–"] * len(columns)])


def _number(row: Any, style: Style) -> Cell:
    if row is None:
        return Cell("–")
    if row.verdict == "accept":
        return Cell(brief(row.value))
    limit = style.label("quality.limit", limit=brief(row.limit))
    return Cell(f"{brief(row.value)}\n{limit}", colour=str(row.verdict), bold=True)


def refused_table(tables: SessionTables, style: Style) -> TextTable:
    """Every cycle without kinetics or outside the means, and why."""
    columns = (
        TableColumn(style.label("quality.trial"), 55.0),
        TableColumn("", 32.0),
        TableColumn(style.label("quality.in_mean"), 22.0),
        TableColumn(style.label("quality.kinetics"), 26.0),
        TableColumn(style.label("quality.reason"), _WIDTH_MM - 135.0),
    )
    words = {"true": style.label("common.yes"), "false": style.label("common.no"), "stance_only": style.label("parameter.stance")}
    rows: list[list[Cell | str]] = []
    for cycle in records(tables.cycle_list):
        if cycle.used and cycle.kinetics_valid == "true":
            continue
        name = style.label("quality.cycle", side=style.label(f"side.{cycle.side}"), number=cycle.cycle)
        rows.append([
            cycle.trial, Cell(name, colour=cycle.side), style.label("common.yes" if cycle.used else "common.no"),
            words.get(cycle.kinetics_valid, cycle.kinetics_valid),
            in_words(cycle.reason, style) or style.label(f"kind.{cycle.kind}"),
        ])  # fmt: skip
    failed = tables.summary.get("failed", ())
    rows += [[trial["file"], "–", "–", "–", Cell(str(trial["error"]), colour="reject")] for trial in failed]
    if not rows:
        return TextTable((TableColumn("", _WIDTH_MM),), [[style.label("quality.none_refused")]])
    return TextTable(columns, rows)


def gap_lines(tables: SessionTables, style: Style) -> list[str]:
    """One line per trial and way of filling: every marker with the frames it was not seen in."""
    grouped: dict[tuple[str, str], dict[str, list[str]]] = {}
    for gap in records(tables.gaps):
        last = f"–{gap.last_frame}" if gap.last_frame > gap.first_frame else ""
        grouped.setdefault((gap.trial, gap.method), {}).setdefault(gap.marker, []).append(f"{gap.first_frame}{last}")
    lines = []
    for (trial, method), markers in grouped.items():
        told = "; ".join(f"{marker} {', '.join(frames)}" for marker, frames in markers.items())
        lines.append(style.label("quality.gap", trial=trial, method=style.label(f"gap.{method}"), markers=told))
    return lines


#: Events compared, in the order of the columns: side and kind as in ``summary.json``.
_EVENTS = tuple((side, kind) for kind in ("Foot Strike", "Foot Off") for side in SIDES)


def agreement_table(tables: SessionTables, style: Style) -> TextTable:
    """How far events of two sources lie apart: median and worst, one row per trial and pair of sources."""
    heads = (style.label("quality.event", side=style.label(f"side.{side}"), kind=style.word(kind)) for side, kind in _EVENTS)
    columns = (
        TableColumn(style.label("quality.trial"), 55.0),
        TableColumn(style.label("quality.compared"), 54.0),
        *(TableColumn(head, (_WIDTH_MM - 109.0) / len(_EVENTS)) for head in heads),
    )
    rows: list[list[Cell | str]] = []
    for trial in tables.summary.get("trials", ()):
        pairs: dict[tuple[str, str], dict[tuple[str, str], str]] = {}
        for row in trial["event_agreement"]:
            told = style.label("quality.apart", median=written(row["median_ms"], 0), worst=written(row["worst_ms"], 0), n=row["n"])
            pairs.setdefault((row["source"], row["reference"]), {})[row["side"], row["kind"]] = told
        for (source, reference), cells in pairs.items():
            pair = style.label("quality.pair", source=style.label(f"source.{source}"), reference=style.label(f"source.{reference}"))
            rows.append([trial["name"], pair, *(cells.get(event, "–") for event in _EVENTS)])
    return TextTable(columns, rows)


def plate_lines(tables: SessionTables, style: Style) -> list[str]:
    """What each trial's plates are and how they were read."""
    return [
        style.label(
            "quality.plate",
            trial=trial["name"],
            name=plate["name"],
            kind=plate["kind"],
            sign=plate["sign"],
            baseline=brief(plate["baseline_N"]),
        )
        for trial in tables.summary.get("trials", ())
        for plate in trial["plates"]
    ]
