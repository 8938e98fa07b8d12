"""How good the recording is: every rule with its number, refused cycles with their reason, gaps, plates, events, findings."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, TypedDict

from matplotlib.figure import Figure

from biomech_id.conventions import LAYERS_OF_MEANS, SIDES
from biomech_id.judgement.quality import RULES
from biomech_id.judgement.session_plates import RULE as PLATE_PLACE
from biomech_id.languages import plates_called, worded
from biomech_id.movement.grades import Grade
from biomech_id.report.layout.findings import all_findings, finding_lines, grade_colour
from biomech_id.report.layout.numbers import three_digits, written
from biomech_id.report.layout.reasons import reasons_of
from biomech_id.report.layout.records import records
from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable, widths_for
from biomech_id.report.panels.emg_rows import ChannelLine, muscle_order, muscle_title
from biomech_id.report.panels.page import PageKind, Shows, of_each, register
from biomech_id.session.tables.session_tables import Table, Tables

_RULE = {rule.name: rule for rule in RULES}
_TOP_MM = 23.0
_WIDTH_MM = RIGHT_MM - LEFT_MM
#: Rules about the whole body have a table of their own; of plates off their place a finding says more than a number.
_RESIDUAL = "residual-"
_RESIDUAL_LAST = ("slope-fore-aft", "slope-sideways", "lag")


def quality_pages(tables: Tables, style: Style) -> Iterator[Figure]:
    """Draw the data quality of a session, on as many pages as it takes.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    sheet, y = Sheet(style), _TOP_MM
    for heading, table in _sections(tables, style):
        left: TextTable | None = table
        while left is not None:
            # A heading never stands alone at the foot of a page, and a short table is not torn apart.
            if y + min(22.0, 4.6 + left.height_mm(style)) > BOTTOM_MM:
                yield sheet.figure
                sheet, y = Sheet(style), _TOP_MM
            sheet.heading(LEFT_MM, y + 3.0, heading)
            y, left = left.draw(sheet, LEFT_MM, y + 4.6, room_mm=BOTTOM_MM - y - 4.6)
            y += 6.0
            if left is not None:
                yield sheet.figure
                sheet, y = Sheet(style), _TOP_MM
    yield sheet.figure


def _sections(tables: Tables, style: Style) -> Iterator[tuple[str, TextTable]]:
    yield style.label("quality.rules"), rule_table(tables, style)
    residual = residual_table(tables, style)
    if residual.rows:
        yield style.label("quality.residual"), residual
    yield style.label("quality.refused"), refused_table(tables, style)
    gaps = gap_lines(tables, style)
    findings = finding_lines(all_findings(tables), style)
    findings += [] if gaps else [Cell(style.label("quality.no_gaps"))]
    yield style.label("quality.findings"), TextTable((TableColumn("", _WIDTH_MM),), [[cell] for cell in findings])
    if gaps:
        yield style.label("quality.gaps"), TextTable((TableColumn("", _WIDTH_MM),), [[line] for line in gaps])
    agreement = agreement_table(tables, style)
    if agreement.rows:
        yield style.label("quality.agreement"), agreement
    if tables.channels is not None:
        yield style.label("emg.channels"), channel_table(tables.channels, style)
    plates = plate_lines(tables, style)
    if plates:
        yield style.label("quality.plates"), TextTable((TableColumn("", _WIDTH_MM),), [[line] for line in plates])


def rule_table(tables: Tables, style: Style) -> TextTable:
    """One row per trial, one column per rule; numbers that crossed a limit name it and are coloured and bold.

    The first row holds the limits beyond which a person should look.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    quality = tables.quality
    if not len(quality):
        return TextTable((TableColumn("", _WIDTH_MM),), [[style.label("absent.no_trials")]])
    rules = [rule for rule in dict.fromkeys(quality["rule"]) if not rule.startswith(_RESIDUAL) and rule != PLATE_PLACE]
    units = dict(zip(quality["rule"], quality["unit"], strict=True))
    name_mm, verdict_mm = 30.0, 25.0
    heads = [style.label(f"rule.{rule}") + (f" {style.word(units[rule])}" if units[rule] else "") for rule in rules]
    widths = widths_for(heads, _WIDTH_MM - name_mm - verdict_mm, style)
    columns = (
        TableColumn(style.label("quality.trial"), name_mm),
        *(TableColumn(head, width, "center") for head, width in zip(heads, widths, strict=True)),
        TableColumn(style.label("quality.verdict"), verdict_mm),
    )
    cells = {(row.trial, row.rule): row for row in records(quality)}
    rows: list[list[Cell | str]] = [
        [Cell(style.label("quality.limits"), colour="quiet"), *(Cell(_limit(rule, style), colour="quiet") for rule in rules), ""]
    ]
    for trial in tables.summary.get("trials", ()):
        name = f"{trial['name']}\n{style.label('kind.' + trial['kind'])}"
        numbers = [_number(cells.get((trial["name"], rule)), style) for rule in rules]
        verdict = Cell(style.label(f"verdict.{trial['verdict']}"), colour=grade_colour(trial["verdict"]), bold=True)
        rows.append([name, *numbers, verdict])
    for failed in tables.summary.get("failed", ()):
        rejected = Cell(style.label("verdict.reject"), colour="reject", bold=True)
        rows.append([failed["file"], *[""] * len(rules), rejected])
    return TextTable(columns, rows)


def _limit(name: str, style: Style) -> str:
    """The limit beyond which a person should look, or nothing where a number is only counted."""
    rule = _RULE.get(name)
    if rule is None or not math.isfinite(rule.warn):
        return ""
    return f"{'≥' if rule.low_is_bad else '≤'} {three_digits(rule.warn, style.decimal_mark)}"


def _number(row: RuleLine | None, style: Style) -> Cell:
    # What could not be measured has no number, and passes for nothing.
    if row is None or not math.isfinite(row.value):
        return Cell(style.label("verdict.not measured"), colour="quiet")
    if not Grade(row.verdict).doubted:
        return Cell(three_digits(row.value, style.decimal_mark))
    limit = style.label("quality.limit", limit=three_digits(row.limit, style.decimal_mark))
    return Cell(f"{three_digits(row.value, style.decimal_mark)}\n{limit}", colour=str(row.verdict), bold=True)


def residual_table(tables: Tables, style: Style) -> TextTable:
    """What the whole body's motion leaves unexplained of the plates' force: one row per trial and phase of support.

    Mean and root mean square along the axes of progression; slope and lag of the trial stand in its first row. Numbers beyond a
    limit are coloured and bold.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    heads = ("trial", "phase", "frames", "fore_aft", "sideways", "vertical", "in_space", "moment", "slope_x", "slope_y", "lag")
    widths = (52.0, 36.0, 14.0, 25.0, 25.0, 25.0, 16.0, 20.0, 20.0, 20.0)
    columns = tuple(
        TableColumn(style.label(f"residual.{head}"), width, "left" if head in ("trial", "phase") else "center")
        for head, width in zip(heads, (*widths, _WIDTH_MM - sum(widths)), strict=True)
    )
    judged = {(row.trial, row.rule): row for row in records(tables.quality)}
    limits = [_limit(_RESIDUAL + rule, style) for rule in ("fore-aft", "sideways", "vertical", "single")]
    limits[2] = f"{_limit(_RESIDUAL + 'weight', style)} / {limits[2]}"
    means = [
        style.label("quality.limits"),
        style.label("phase.single"),
        "",
        *limits,
        "",
        *(_limit(_RESIDUAL + r, style) for r in _RESIDUAL_LAST),
    ]
    rows: list[list[Cell | str]] = []
    for trial in tables.summary.get("trials", ()):
        of_trial = {rule.removeprefix(_RESIDUAL): row for (name, rule), row in judged.items() if name == trial["name"]}
        for number, phase in enumerate(trial.get("residual", ())):
            first = [trial["name"] if number == 0 else "", style.label(f"phase.{phase['phase']}"), str(phase["frames"])]
            last = [_number(of_trial.get(rule), style) if number == 0 else "" for rule in _RESIDUAL_LAST]
            rows.append([*first, *_phase_cells(phase, of_trial if phase["phase"] == "single" else {}, style.decimal_mark), *last])
    return TextTable(columns, [[Cell(text, colour="quiet") for text in means], *rows] if rows else [])


def _phase_cells(phase: PhaseEntry, judged: Mapping[str, RuleLine], mark: str) -> Iterator[Cell]:
    """Force along three axes and in space, and moment, of one phase; where these are judged, what was not passed stands out."""
    rules = (("fore-aft",), ("sideways",), ("vertical", "weight"))
    for mean, rms, rules_of in zip(phase["mean_percent"], phase["rms_percent"], rules, strict=True):
        yield _doubted(f"{written(mean, 1, mark)} / {written(rms, 1, mark)}", [judged.get(rule) for rule in rules_of])
    yield _doubted(written(math.hypot(*phase["rms_percent"]), 1, mark), [judged.get("single")])
    yield Cell(written(math.hypot(*phase["moment_Nm_kg"]), 2, mark))


def _doubted(text: str, rows: Sequence[RuleLine | None]) -> Cell:
    """A number, coloured and bold where one of the rules about it was not passed."""
    grades = [Grade(row.verdict) for row in rows if row is not None]
    doubted = next((str(grade) for grade in grades if grade.doubted), None)
    return Cell(text, colour=doubted, bold=True) if doubted else Cell(text)


def refused_table(tables: Tables, style: Style) -> TextTable:
    """Cycles without kinetics or outside the means: one row per trial and reason, with the cycles it holds for.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    one_column = (TableColumn("", _WIDTH_MM),)
    cycles = [cycle for cycle in records(tables.cycle_list) if not _counts(cycle) or cycle.kinetics_valid != "true"]
    if not len(tables.cycle_list):
        return TextTable(one_column, [[style.label("quality.no_cycles")]])
    if not cycles:
        return TextTable(one_column, [[style.label("quality.none_refused")]])
    grouped: dict[tuple[str, bool, str, str], dict[str, list[str]]] = {}
    for cycle in cycles:
        reason = " ".join(reasons_of(cycle, style)) or style.label("quality.as_measured")
        sides = grouped.setdefault((cycle.trial, _counts(cycle), cycle.kinetics_valid, reason), {})
        sides.setdefault(cycle.side, []).append(str(cycle.cycle))
    words = {"true": style.label("common.yes"), "false": style.label("common.no"), "stance_only": style.label("parameter.stance")}
    rows: list[list[Cell | str]] = [
        [trial, "; ".join(style.label("quality.cycle", side=style.label(f"side.{side}"), number=", ".join(numbers))
                          for side, numbers in sides.items()),
         style.label("common.yes" if used else "common.no"), words.get(valid, valid), reason]
        for (trial, used, valid, reason), sides in grouped.items()
    ]  # fmt: skip
    heads, widths = ("trial", "cycles", "in_mean", "kinetics", "reason"), (55.0, 48.0, 20.0, 22.0, _WIDTH_MM - 145.0)
    columns = tuple(TableColumn(style.label(f"quality.{head}"), width) for head, width in zip(heads, widths, strict=True))
    return TextTable(columns, rows)


def _counts(cycle: object) -> bool:
    """Whether a row of the cycles is in the means of its kind of movement, of angles or of loads."""
    return any(bool(getattr(cycle, layer)) for layer in LAYERS_OF_MEANS)


def gap_lines(tables: Tables, style: Style) -> list[str]:
    """One line per trial and way of filling: every marker with the frames it was not seen in.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    grouped: dict[tuple[str, str], dict[str, list[str]]] = {}
    for gap in records(tables.gaps):
        last = f"–{gap.last_frame}" if gap.last_frame > gap.first_frame else ""
        grouped.setdefault((gap.trial, gap.method), {}).setdefault(gap.marker, []).append(f"{gap.first_frame}{last}")
    lines = []
    for (trial, method), markers in grouped.items():
        gaps = "; ".join(f"{marker} {', '.join(frames)}" for marker, frames in markers.items())
        lines.append(style.label("quality.gap", trial=trial, method=style.label(f"gap.{method}"), markers=gaps))
    return lines


class Apart(TypedDict):
    """How far the events of two sources lie apart in one trial, as ``summary.json`` has it."""

    n: int
    median_ms: float
    worst_ms: float


#: Events compared, in the order of the columns: side and kind as in ``summary.json``.
_EVENTS = tuple((side, kind) for kind in ("Foot Strike", "Foot Off") for side in SIDES)


def agreement_table(tables: Tables, style: Style) -> TextTable:
    """How far events of two sources lie apart over all trials: one row per pair of sources, the worst with its trial.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    heads = (style.label("quality.event", side=style.label(f"side.{side}"), kind=style.word(kind)) for side, kind in _EVENTS)
    columns = (
        TableColumn(style.label("quality.compared"), 54.0),
        *(TableColumn(head, (_WIDTH_MM - 54.0) / len(_EVENTS)) for head in heads),
    )
    pairs: dict[tuple[str, str], dict[tuple[str, str], list[tuple[str, Apart]]]] = {}
    trials = tables.summary.get("trials", ())
    for trial in trials:
        for row in trial["event_agreement"]:
            cells = pairs.setdefault((row["source"], row["reference"]), {})
            cells.setdefault((row["side"], row["kind"]), []).append((trial["name"], row))
    rows: list[list[Cell | str]] = [
        [style.label("quality.pair", source=style.label(f"source.{source}"), reference=style.label(f"source.{reference}")),
         *(_apart(cells.get(event, []), style, name_trial=len(trials) > 1) for event in _EVENTS)]
        for (source, reference), cells in pairs.items()
    ]  # fmt: skip
    return TextTable(columns, rows)


def _apart(rows: Sequence[tuple[str, Apart]], style: Style, *, name_trial: bool) -> str:
    """Median of the trials' medians, and the worst of all."""
    if not rows:
        return "–"
    trial, worst = max(rows, key=lambda pair: abs(pair[1]["worst_ms"]))
    median = statistics.median(row["median_ms"] for _, row in rows)
    largest = written(worst["worst_ms"], 0, style.decimal_mark) + (f" ({trial})" if name_trial else "")
    return style.label(
        "quality.apart", median=written(median, 0, style.decimal_mark), worst=largest, n=sum(row["n"] for _, row in rows)
    )


class RuleLine(Protocol):
    """A row of ``quality.csv``."""

    value: float
    limit: float
    verdict: str


class PhaseEntry(TypedDict):
    """The residual in one phase of support, as ``summary.json`` has it."""

    phase: str
    frames: int
    mean_percent: Sequence[float]
    rms_percent: Sequence[float]
    moment_Nm_kg: Sequence[float]


class JudgedLine(ChannelLine, Protocol):
    """A row of ``channels.csv`` with the numbers behind its verdict."""

    rule: str
    burst_ratio: float
    span_ratio: float
    slope: float
    kurtosis: float
    line_hz: float
    line_percent: float
    low_percent: float
    rail_percent: float


def channel_table(channels: Table, style: Style) -> TextTable:
    """One row for each muscle's channel and what it holds, with the trials and the number that decided in the first of them.

    Parameters
    ----------
    channels : Table
        ``channels.csv``.
    style : Style
        Colours, words, scales and units of the report.
    """
    widths = (52.0, 48.0, 30.0, 52.0)
    heads = [style.label(f"emg.{head}") for head in ("channel", "muscle", "holds")]
    heads += [style.label("quality.trial"), style.label("emg.why")]
    columns = tuple(TableColumn(head, width) for head, width in zip(heads, (*widths, _WIDTH_MM - sum(widths)), strict=True))
    grouped: dict[tuple[str, str, str, str], list[JudgedLine]] = {}
    for row in records(channels[channels["verdict"] != "not_emg"]):
        grouped.setdefault((row.label, row.side, row.muscle, row.verdict), []).append(row)
    rows: list[list[Cell | str]] = []
    for (label, side, muscle, verdict), of_channel in sorted(
        grouped.items(), key=lambda item: (muscle_order(item[0][2]), item[0][0])
    ):
        named = " ".join([*([style.label(f"side.{side}")] if side else []), *([muscle_title(muscle, style)] if muscle else [])])
        also = [style.label(f"emg.also_{word}") for word in dict.fromkeys(" ".join(row.also for row in of_channel).split())]
        holds = "; ".join([style.label(f"emg.verdict_{verdict}"), *also])
        rows.append([label, named or "–", holds, ", ".join(row.trial for row in of_channel), _said_of(of_channel[0], style)])
    return TextTable(columns, rows)


def _said_of(channel: JudgedLine, style: Style) -> str:
    """Why a channel is judged as it is, in the report's language: the sentence's values are the table's numbers."""
    values = {
        "burst": channel.burst_ratio, "span": channel.span_ratio, "slope": channel.slope, "kurtosis": channel.kurtosis,
        "line_hz": channel.line_hz, "lines_percent": channel.line_percent, "low_percent": channel.low_percent,
        "rail_percent": channel.rail_percent,
    }  # fmt: skip
    return worded(channel.rule, values, style.language)


def plate_lines(tables: Tables, style: Style) -> list[str]:
    """What each plate is and how it was read: a line per plate, with its baseline over the trials.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    baselines_N: dict[tuple[str, str, str], list[float]] = {}
    for trial in tables.summary.get("trials", ()):
        for plate in trial["plates"]:
            baselines_N.setdefault((plate["name"], plate["kind"], plate["sign"]), []).append(plate["baseline_N"])
    return [
        style.label(
            "quality.plate",
            name=plates_called(name, style.language),
            kind=kind,
            sign=style.label(f"sign.{sign}"),
            baseline=_range(values, style.decimal_mark),
            n=len(values),
        )
        for (name, kind, sign), values in baselines_N.items()
    ]


def _range(values: Sequence[float | None], mark: str) -> str:
    """Smallest and largest known value, or the one value that all share."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    ends = list(dict.fromkeys(three_digits(value, mark) for value in (min(known), max(known)))) if known else ["–"]
    return " – ".join(ends)


register(
    PageKind("quality", 110, lambda content: quality_pages(content.tables, content.style), Shows.SESSION, compare=of_each, sheets=0)
)
