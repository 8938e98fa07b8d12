"""The first page: who, when, how, the verdict in one line, and room for a signature."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.image import imread

from biomech_id.anatomy import JOINTS
from biomech_id.conventions import SIDES, method_name
from biomech_id.errors import OptionError
from biomech_id.files.text import read_problem
from biomech_id.languages import worded
from biomech_id.movement.grades import Grade
from biomech_id.report.layout.change_table import LETTERS
from biomech_id.report.layout.findings import (
    all_findings,
    count_by_side,
    cycle_counts,
    finding_lines,
    grade_colour,
    rules_not_passed,
    session_sentence,
    with_kinetics,
)
from biomech_id.report.layout.numbers import digits, mean_sd, written
from biomech_id.report.layout.sheet import HEIGHT_MM, LEFT_MM, RIGHT_MM, WIDTH_MM, Sheet
from biomech_id.report.layout.style import NO_STRIDES, Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.layout.typography import MISSING_GLYPH, MM_PER_POINT, shortened, wrapped
from biomech_id.report.panels.curve_panel import SESSION_DASHES, session_colour
from biomech_id.report.panels.labelled_values import method_words
from biomech_id.report.panels.layer import Layer, layers_of
from biomech_id.report.panels.norm import Norm
from biomech_id.report.panels.page import Content, PageKind, Shows, register
from biomech_id.report.panels.session_differences import session_differences
from biomech_id.session.tables.means import RUNNING, averaged_cycles, counted
from biomech_id.session.tables.session_tables import Table, Tables
from biomech_id.session.values.norm import CLINICAL_SUBJECTS

_MIDDLE_MM = 152.0
_FINDINGS_END_MM = 158.0
#: Where the list of trials ends at the latest where there is something to be aware of, which then keeps its place.
_TRIALS_END_MM = 134.0
_MOST_FINDINGS = 5
#: Width of the last column of the list of trials.
_VERDICT_MM = 84.0


def cover_page(tables: Tables, style: Style, norm: Norm | None) -> Figure:
    """Draw the cover of one session.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        The norm to be shown; None for none.
    """
    sheet = Sheet(style)
    summary = tables.summary
    _logo(sheet)
    top = draw_verdict(sheet, summary, 22.0, head=style.label("cover.verdict"))
    left = draw_facts(sheet, LEFT_MM, top, _MIDDLE_MM - 8.0, style.label("cover.subject"), subject_facts(summary, style))
    right = draw_facts(sheet, _MIDDLE_MM, top, RIGHT_MM, style.label("cover.analysis"), analysis_facts(tables, style, norm))
    below = max(left, right) + 5.0
    # Notes are for the technician, on the next page; here stands what changes how the numbers are read.
    lines = finding_lines([f for f in all_findings(tables) if f["severity"] != "info"], style)
    below = _trials(sheet, tables, below, _TRIALS_END_MM if lines else _FINDINGS_END_MM - 4.0)
    _findings(sheet, lines, below + 6.0, _FINDINGS_END_MM)
    if summary.get("verdicts"):
        draw_layers(sheet, summary, 163.0)
    else:
        draw_signature(sheet, 163.0, 33.0)
    _missing_letters(sheet)
    return sheet.figure


def draw_layers(sheet: Sheet, summary: Mapping[str, Any], top_mm: float) -> None:
    """Draw the verdict of each layer, side by side, with the cycles in its means and why others are not.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    summary : Mapping[str, Any]
        As in ``summary.json``, with its ``verdicts``.
    top_mm : float
        From the sheet's top.
    """
    style = sheet.style
    sheet.heading(LEFT_MM, top_mm, style.label("layer.heading"))
    columns = [TableColumn(style.label("layer.name"), 44.0)]
    for side in SIDES:
        columns += [TableColumn(style.label("layer.verdict", side=style.label(f"side.{side}")), 30.0)]
        columns += [TableColumn(style.label("layer.cycles"), 33.0, "right")]
    columns.append(TableColumn(style.label("layer.reasons"), RIGHT_MM - LEFT_MM - 170.0))
    rows: list[list[Cell | str]] = []
    for layer, sides in summary["verdicts"].items():
        row: list[Cell | str] = [style.label(f"layer.{layer}")]
        for side in SIDES:
            grade = Grade(sides[side]["verdict"])
            row.append(Cell(style.label(f"first.grade_{grade.name.lower()}"), colour=grade_colour(grade), bold=grade.doubted))
            row.append(str(sides[side]["cycles"]))
        first = [worded(why["rule"], why.get("values", {}), style.language) for side in SIDES for why in sides[side]["reasons"][:1]]
        row.append(shortened("; ".join(dict.fromkeys(first)), 2 * (RIGHT_MM - LEFT_MM - 176.0), style.size("small")) or "–")
        rows.append(row)
    TextTable(tuple(columns), rows).draw(sheet, LEFT_MM, top_mm + 1.6)


def recorded(value: object, style: Style) -> str:
    """A value as text, or the words for "not recorded".

    Parameters
    ----------
    value : object
        None is not recorded.
    style : Style
        Colours, words, scales and units of the report.
    """
    return style.label("common.not_recorded") if value in (None, "", {}) else str(value)


def session_line(tables: Tables, style: Style) -> str:
    """Session date from the files or the subject file, never today's.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    date = recorded(tables.summary.get("subject", {}).get("session_date"), style)
    return style.label("common.session_date", date=date)


#: Finding about a static trial that is not quiet standing -> what the cover says beside its name.
_UNSTILL = {"static-sways": "sway", "static-moves": "sway", "static-one-frame": "one_frame"}


def subject_facts(summary: Mapping[str, Any], style: Style) -> list[tuple[str, str]]:
    """Label and value of everything the cover says about the subject.

    Parameters
    ----------
    summary : Mapping[str, Any]
        As in ``summary.json``.
    style : Style
        Colours, words, scales and units of the report.
    """
    subject = summary.get("subject", {})
    age = subject.get("age_years")
    sex = subject.get("sex")
    conditions = ", ".join(c for c in summary.get("conditions", ()) if c)
    known = [
        ("code", recorded(subject.get("code"), style)),
        (
            "age",
            style.label("cover.years", years=digits(age, ".1f", style.decimal_mark)) if age is not None else recorded(None, style),
        ),
        ("birth_date", recorded(subject.get("birth_date"), style)),
        ("sex", style.labels.get(f"sex.{str(sex).lower()}", str(sex)) if sex else recorded(None, style)),
        ("mass", _measure(subject.get("mass_kg"), 1.0, "kg", 1, style) + _mass_origin(summary.get("findings", ()), style)),
        ("height", _measure(subject.get("height_m"), 100.0, "cm", 0, style)),
        ("leg_length", _pair(subject.get("leg_length_m"), style)),
        ("knee_width", _pair(subject.get("knee_width_m"), style)),
        ("ankle_width", _pair(subject.get("ankle_width_m"), style)),
        ("condition", recorded(conditions, style)),
    ]
    return [(style.label(f"cover.{name}"), text) for name, text in known]


def analysis_facts(tables: Tables, style: Style, norm: Norm | None, *, cycles: Table | None = None) -> list[tuple[str, str]]:
    """Label and value of everything the cover says about how the session was analysed.

    ``cycles`` are rows of ``tables.cycle_list`` where only some of them are shown.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        The norm to be shown; None for none.
    cycles : Table | None, optional
        Rows of the cycles; None for all.
    """
    summary = tables.summary
    model, kinetics = str(summary.get("model", "")), str(summary.get("kinetics", ""))
    static = summary.get("static") or {}
    stood = str(static.get("file") or "")
    for key, label in (("calibrated_from_walk", "cover.from_walk"), ("offsets_stored", "cover.from_stored")):
        if not stood and tables.calibration.get(key):
            stood = style.label(label, trial=tables.calibration.get("static", "?"))
    return [
        (style.label("common.session"), recorded(summary.get("subject", {}).get("session_date"), style)),
        (style.label("cover.model"), style.label(f"model.{model}") if model else recorded(None, style)),
        (style.label("cover.kinetics"), style.label(f"model.{kinetics}") if kinetics else recorded(None, style)),
        (style.label("cover.static"), recorded(stood, style) + _how_still(summary.get("findings", ()), style)),
        *(
            (style.label("cover.static_of", condition=condition or "–"), recorded(own.get("static_file"), style))
            for condition, own in tables.calibration.get("conditions", {}).items()
        ),
        *unlike_legs(tables.calibration, style),
        (style.label("cover.in_means"), cycles_in_means(tables.cycle_list if cycles is None else cycles, style)),
        *by_hand(tables, style),
        *pace(tables, style),
        (style.label("cover.version"), style.label("page.version", version=summary.get("version", "?"))),
        (style.label("cover.norm"), norm_line(norm, style)),
    ]


def unlike_legs(calibration: Mapping[str, Any], style: Style) -> Iterator[tuple[str, str]]:
    """Say which joint centres of the two legs stand on different methods.

    Parameters
    ----------
    calibration : Mapping[str, Any]
        As in ``calibration.json``.
    style : Style
        Colours, words, scales and units of the report.
    """
    legs = [calibration.get("sides", {}).get(side, {}) for side in SIDES]
    for joint in JOINTS:
        methods = [method_words(method_name(str(leg.get(f"{joint}_centre_method", ""))), style) for leg in legs]
        if all(methods) and methods[0] != methods[1]:
            sentence = style.label("cover.unlike_legs", left=methods[0], right=methods[1])
            yield style.label(f"joint.{joint}"), sentence


def cycles_in_means(cycles: Table, style: Style) -> str:
    """How many of these cycles of each side the means are taken over, and how many of those have kinetics.

    Means are those of straight walking, and where nobody walks straight those of each kind of movement, named.

    Parameters
    ----------
    cycles : Table
        Rows of the cycles.
    style : Style
        Colours, words, scales and units of the report.
    """
    kind = RUNNING if (cycles["kind"] == RUNNING).all() else "straight"
    of_kind = cycles[cycles["kind"] == kind]
    if len(counted(of_kind)):
        return cycle_counts(counted(of_kind), style)
    others = counted(cycles)
    if len(others) and not len(of_kind):
        kinds = dict.fromkeys(others["kind"])
        return "; ".join(f"{style.label(f'kind.{each}')}: {cycle_counts(others[others['kind'] == each], style)}" for each in kinds)
    why = "no_means" if len(of_kind) else "no_straight" if len(cycles) else "no_strides"
    return style.label(f"cover.{why}", n=len(of_kind))


def pace(tables: Tables, style: Style) -> Iterator[tuple[str, str]]:
    """Walking speed and cadence over the cycles in the means, of each condition; nothing where no cycle is in one.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    used = averaged_cycles(tables)
    rows = tables.spatiotemporal.merge(used[["trial", "side", "cycle", "condition"]], on=["trial", "side", "cycle"])
    texts = []
    for condition, of_condition in rows.groupby("condition", sort=False):
        values = {name: of_condition.loc[of_condition["parameter"] == name, "value"].tolist() for name in ("speed", "cadence")}
        if any(map(len, values.values())):
            speed, cadence = (mean_sd(values[name], number, style.decimal_mark) for name, number in (("speed", 2), ("cadence", 0)))
            texts.append(style.label("cover.pace_said", speed=speed, cadence=cadence) + (f" ({condition!s})" if condition else ""))
    if texts:
        yield style.label("cover.pace"), "; ".join(texts)


def by_hand(tables: Tables, style: Style) -> Iterator[tuple[str, str]]:
    """How many cycles somebody left out or put in, and which file says so.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    review = tables.summary.get("review") or {}
    used, by_rules = (tables.cycle_list[name].astype(bool) for name in ("used", "used_by_rules"))
    counts = {"out": int((by_rules & ~used).sum()), "in": int((used & ~by_rules).sum())}
    changed = {
        kind: sum(said["decision"] == kind for said in review.get("decisions", ()))
        for kind in ("event", "verdict", "repair", "placement")
    }
    said = [style.label(f"cover.by_hand_{what}", n=n) for what, n in (counts | changed).items() if n]
    if said:
        yield style.label("cover.by_hand"), ", ".join(said) + f" ({review.get('file') or style.label('cover.recipe')})"


def norm_line(norm: Norm | None, style: Style) -> str:
    """What the grey band is, or that there is none and how to make one.

    Parameters
    ----------
    norm : Norm | None
        The norm to be shown; None for none.
    style : Style
        Colours, words, scales and units of the report.
    """
    if norm is None:
        return style.label("cover.no_norm")
    about = norm.note
    low, high = about["age_min_y"], about["age_max_y"]
    known = all(age is not None and math.isfinite(age) for age in (low, high))
    ages = (
        style.label("cover.ages", low=digits(low, "g", style.decimal_mark), high=digits(high, "g", style.decimal_mark))
        if known
        else style.label("cover.ages_unknown")
    )
    line = style.label(
        "cover.norm_line_run" if about.get("movement") == RUNNING else "cover.norm_line",
        n=norm.n,
        ages=ages,
        model=style.label(f"choice.{about['model']}"),
        kinetics=style.label(f"choice.{about['kinetics']}"),
        source=about["source"],
    )
    remarks = [] if norm.n >= CLINICAL_SUBJECTS else [style.label("cover.not_clinical")]
    remarks += [finding.text(style.language) for finding in about.get("said", ())]
    return " ".join([f"{line.rstrip('. ')}." if remarks else line, *remarks])


def _values_said(findings: Iterable[Mapping[str, object]], rule: str) -> Mapping[str, object] | None:
    """Values of the session's first finding by a rule; None where there is none."""
    stated = (finding.get("values") for finding in findings if finding.get("rule") == rule)
    return next((values for values in stated if isinstance(values, Mapping)), None)


def _mass_origin(findings: Iterable[Mapping[str, object]], style: Style) -> str:
    """What tells the body mass where nobody recorded it."""
    values = _values_said(findings, "mass-from-plates")
    return style.label(f"cover.mass_from_{values['how']}", trial=values["trial"]) if values else ""


def _how_still(findings: Sequence[Mapping[str, object]], style: Style) -> str:
    """How far somebody moves who does not stand still in the static trial, or that only one frame shows it."""
    stated = ((label, _values_said(findings, rule)) for rule, label in _UNSTILL.items())
    return next((style.label(f"cover.{label}", **values) for label, values in stated if values is not None), "")


def _measure(value: float | None, factor: float, unit: str, decimals: int, style: Style) -> str:
    return recorded(None, style) if value is None else f"{written(value * factor, decimals, style.decimal_mark)} {unit}"


def _pair(values: Mapping[str, float] | None, style: Style) -> str:
    values = values or {}
    if not values:
        return recorded(None, style)
    return ", ".join(f"{values[s] * 1000:.0f}" if s in values else "–" for s in SIDES) + " mm"


def _logo(sheet: Sheet) -> None:
    path = sheet.style.settings["laboratory"]["logo"]
    address = sheet.style.settings["laboratory"]["address"]
    if address:
        sheet.text(LEFT_MM, 20.6, address.replace("\n", " · "), size="tiny", colour="quiet")
    if not path:
        return
    try:
        picture = imread(path)
    except (OSError, SyntaxError, ValueError) as error:
        why = str(error) if isinstance(error, SyntaxError) else read_problem(error)
        raise OptionError(
            f"The logo {path} cannot be read: {why}. It must be a PNG or JPEG file.",
            value=path, expected="a PNG or JPEG file", where=str(Path(path).name),
        ) from error  # fmt: skip
    height = 11.0
    width = min(60.0, height * picture.shape[1] / picture.shape[0])
    left = (LEFT_MM + RIGHT_MM - width) / 2
    place = (left / WIDTH_MM, 1 - (4.5 + height) / HEIGHT_MM, width / WIDTH_MM, height / HEIGHT_MM)
    axes = sheet.figure.add_axes(place)
    axes.set_axis_off()
    axes.imshow(picture, interpolation="none")


def draw_verdict(sheet: Sheet, summary: Mapping[str, Any], top_mm: float, *, head: str) -> float:
    """Draw the verdict of a session in one line, in a box with its colour; return where the next thing may begin.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    summary : Mapping[str, Any]
        As in ``summary.json``.
    top_mm : float
        From the sheet's top.
    head : str
        First line, in bold.
    """
    verdict = str(summary.get("verdict", "warn"))
    sentence = f"{head}: {sheet.style.label(f'verdict.{verdict}')}"
    return draw_banner(sheet, top_mm, sentence, session_sentence(summary, sheet.style), colour=grade_colour(verdict))


def draw_banner(sheet: Sheet, top_mm: float, head: str, sentence: str, *, colour: str) -> float:
    """Draw a headline and a sentence in a box with a coloured edge; return where the next thing may begin.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    top_mm : float
        From the sheet's top.
    head : str
        First line, in bold.
    sentence : str
        What is written.
    colour : str
        A colour as matplotlib takes it.
    """
    lines = wrapped(sentence, RIGHT_MM - LEFT_MM - 8.0, sheet.style.size("heading"))
    height = 8.5 + 4.4 * len(lines)
    sheet.box(LEFT_MM, top_mm, RIGHT_MM - LEFT_MM, height, face="shade", edge=None)
    sheet.box(LEFT_MM, top_mm, 2.0, height, face=colour, edge=None)
    sheet.text(LEFT_MM + 5.0, top_mm + 5.2, head, size="heading", colour=colour, weight="bold")
    sheet.paragraph(LEFT_MM + 5.0, top_mm + 7.2, lines, size="heading")
    return top_mm + height + 7.0


def draw_facts(sheet: Sheet, left: float, top: float, right: float, heading: str, facts: list[tuple[str, str]]) -> float:
    """Draw labels and values below a heading; return where they end.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    left : float
        From the sheet's left, millimetres.
    top : float
        From the sheet's top, millimetres.
    right : float
        From the sheet's left, millimetres.
    heading : str
        What is written above them.
    facts : list[tuple[str, str]]
        Word and value of each line.
    """
    sheet.heading(left, top, heading, to_mm=right)
    style, y = sheet.style, top + 6.2
    size = style.size("body")
    for label, text in facts:
        lines = wrapped(text, right - left - 36.0, size)
        sheet.text(left, y, label, size="body", colour="quiet")
        sheet.text(left + 36.0, y, lines[0], size="body")
        for line in lines[1:]:
            y += size * MM_PER_POINT * 1.25
            sheet.text(left + 36.0, y, line, size="body")
        y += 4.9
    return y


def _trials(sheet: Sheet, tables: Tables, top_mm: float, bottom_mm: float) -> float:
    style = sheet.style
    sheet.heading(LEFT_MM, top_mm, style.label("cover.trials"))
    heads = ("file", "kind", "condition", "cycles", "with_kinetics", "trial_verdict")
    widths = (60.0, 34.0, 45.0, 20.0, 30.0, _VERDICT_MM)
    columns = tuple(TableColumn(style.label(f"cover.{head}"), width) for head, width in zip(heads, widths, strict=True))
    rows = trial_rows(tables, style)
    if not rows:
        sheet.text(LEFT_MM, top_mm + 6.0, style.label("absent.no_trials"), size="small")
        return top_mm + 8.0
    y, left = TextTable(columns, rows).draw(sheet, LEFT_MM, top_mm + 1.6, room_mm=bottom_mm - top_mm)
    if left is not None:
        more = style.label("cover.more", n=len(left.rows), page=style.label("page.quality"))
        sheet.text(LEFT_MM, y + 3.6, more, size="small", colour="quiet")
        y += 4.0
    return y


def trial_rows(tables: Tables, style: Style) -> list[list[Cell | str]]:
    """One row per trial: file, kind, condition, cycles, cycles with kinetics, verdict and the rules behind it.

    What could not be read comes first, then straight walks, then the rest; of these what needs a look, so that a long session
    cannot hide it: rejected trials, then those with warnings.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    rows: list[list[Cell | str]] = []
    for failed in tables.summary.get("failed", ()):
        error = style.label("cover.failed", error=failed["error"])
        # Three lines: a sentence that names fifty markers would hide the trials that were analysed; the terminal has all of it.
        error = shortened(error, 3 * (_VERDICT_MM - 6.0), style.size("small"))
        rows.append([failed["file"], "–", "–", "–", "–", Cell(error, colour="reject")])
    order = (Grade.REJECT, Grade.WARN, Grade.NOT_MEASURED, Grade.NOT_JUDGED, Grade.ACCEPT)
    trials = tables.summary.get("trials", ())
    for trial in sorted(trials, key=lambda trial: (trial["kind"] != "straight", order.index(trial["verdict"]))):
        cycles = tables.cycle_list[tables.cycle_list["trial"] == trial["name"]]
        counts = [", ".join(map(str, count_by_side(own).values())) for own in (cycles, with_kinetics(cycles))]
        if trial["kind"] in NO_STRIDES:
            counts = ["–", "–"]
        verdict, why = trial["verdict"], rules_not_passed(trial["name"], tables, style)
        why += [] if trial.get("kinetics", True) else [style.label("sentence.bare")]
        rows.append([
            trial["file"], style.label(f"kind.{trial['kind']}"), trial["condition"] or "–", *counts,
            Cell(": ".join(filter(None, (style.label(f"verdict.{verdict}"), ", ".join(why)))),
                 colour=grade_colour(verdict), bold=verdict != Grade.ACCEPT),
        ])  # fmt: skip
    return rows


def _missing_letters(sheet: Sheet) -> None:
    """Say what an empty square stands for, where one had to be drawn."""
    style = sheet.style
    if any(MISSING_GLYPH in text.get_text() for text in sheet.figure.texts):
        sentence = style.label("cover.missing_letters", square=MISSING_GLYPH, family=style.family)
        sheet.text(LEFT_MM, 199.2, sentence, size="tiny", colour="quiet")


def _findings(sheet: Sheet, lines: list[Cell], top_mm: float, bottom_mm: float) -> None:
    style = sheet.style
    if not lines or top_mm + 10.0 > bottom_mm:
        return
    sheet.heading(LEFT_MM, top_mm, style.label("cover.findings"), to_mm=RIGHT_MM)
    size, y = style.size("small"), top_mm + 5.6
    pitch = size * MM_PER_POINT * 1.3
    for number, cell in enumerate(lines):
        broken = wrapped(cell.text, RIGHT_MM - LEFT_MM, size, most=2)
        if number >= _MOST_FINDINGS or y + pitch * (len(broken) + 1) > bottom_mm + pitch:
            more = style.label("cover.more", n=len(lines) - number, page=style.label("page.quality"))
            sheet.text(LEFT_MM, y, more, size="small", colour="quiet")
            return
        for line in broken:
            sheet.text(LEFT_MM, y, line, size="small", colour=cell.colour)
            y += pitch


def draw_signature(sheet: Sheet, top_mm: float, height_mm: float) -> None:
    """Leave room for comments, name, date and signature, and say what this software is not.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    top_mm : float
        From the sheet's top.
    height_mm : float
        Height.
    """
    style = sheet.style
    sheet.text(LEFT_MM, top_mm - 1.2, style.label("cover.comments"), size="small", colour="quiet")
    sheet.box(LEFT_MM, top_mm, 160.0, height_mm, face=None, edge="zero")
    left = LEFT_MM + 170.0
    for number, name in enumerate(("name", "date", "signature")):
        y = top_mm + height_mm * (0.27 + 0.36 * number)
        sheet.text(left, y, style.label(f"cover.{name}"), size="small", colour="quiet")
        sheet.rule(left + 24.0, y + 0.6, RIGHT_MM, y + 0.6, colour="ink", width=0.6)
    sheet.text(RIGHT_MM, top_mm - 1.2, style.label("cover.disclaimer"), size="body", weight="bold", ha="right")


def _reservations(layers: Sequence[Layer], style: Style) -> Iterator[str]:
    """What a reader must know before believing a difference."""
    first = layers[0]
    for letter, layer in zip(LETTERS[1:], layers[1:], strict=False):
        yield from session_differences(first.tables, layer.tables, letters=f"A{letter}")
    if len({layer.kind for layer in layers}) > 1:
        yield style.label("compare.other_movement")
    shown = [(layer.tables.summary, layer.condition) for layer in layers]
    for letter, layer in zip(LETTERS, layers, strict=False):
        shown_conditions = {condition for summary, condition in shown if summary == layer.tables.summary}
        others = [other.condition for other in layers_of(layer.tables) if other.condition not in shown_conditions]
        if others and len(shown_conditions) == 1:
            names = ", ".join(dict.fromkeys(others))
            yield style.label("compare.not_shown", session=style.label("compare.session", letter=letter), names=names)


def compared_cover(layers: Sequence[Layer], style: Style, norm: Norm | None) -> Iterator[Figure]:
    """Draw the cover of a comparison: what to know before believing a difference, and all sessions, two beside one another.

    Parameters
    ----------
    layers : Sequence[Layer]
        What is compared.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        The norm to be shown; None for none.
    """
    sheet = Sheet(style)
    middle = (LEFT_MM + RIGHT_MM) / 2
    sheet.text(LEFT_MM, 22.5, style.label("compare.drawn"), size="body")
    top = 27.0
    for doubt in dict.fromkeys(_reservations(layers, style)):
        lines = wrapped(doubt, RIGHT_MM - LEFT_MM, style.size("body"), weight="bold")
        top = sheet.paragraph(LEFT_MM, top - 2.5, lines, size="body", colour="warn", weight="bold") + 2.5
    for letter, layer in zip(LETTERS, layers, strict=False):
        session = style.label("compare.session", letter=letter)
        head = style.label("movement.title", title=session, kind=layer.name)
        # As its curves are drawn.
        colour, (start, gaps) = session_colour(LETTERS.index(letter)), SESSION_DASHES[LETTERS.index(letter)]
        dashes = (start, gaps) if gaps else None
        sheet.rule(RIGHT_MM - 32.0, top + 5.0, RIGHT_MM - 6.0, top + 5.0, colour=colour, width=2.2, dashes=dashes)
        top = draw_verdict(sheet, layer.tables.summary, top, head=head) - 2.0
    # Facts of two sessions fit below the verdicts; those of more stand on sheets of their own.
    for number in range(0, len(layers), 2):
        if number or len(layers) > 2:
            yield sheet.figure
            sheet, top = Sheet(style), 22.0
        ends = []
        for left, right, layer in zip((LEFT_MM, middle + 4), (middle - 4, RIGHT_MM), layers[number : number + 2], strict=False):
            summary = layer.tables.summary
            facts = [*subject_facts(summary, style), *analysis_facts(layer.tables, style, norm, cycles=layer.cycles)[1:]]
            ends.append(draw_facts(sheet, left, top + 5.0, right, layer.name, facts))
    yield sheet.figure


def _compare(kind: PageKind, content: Content) -> Iterator[tuple[str, Figure]]:
    for figure in compared_cover(content.layers, content.style, content.norm):
        yield content.style.label("compare.title"), figure


register(PageKind("session", 10, lambda c: [cover_page(c.tables, c.style, c.norm)], Shows.SESSION, compare=_compare, sheets=1))
