"""The first page of a comparison put together, and where its numbers stand as tables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from matplotlib.figure import Figure

from biomech_id.conventions import Aspect
from biomech_id.report.comparison.beside import (
    MARKS,
    draw_differences,
    draw_examinations,
    draw_trust_of_both,
    examined_in,
    norms_apart,
    trust_of,
)
from biomech_id.report.comparison.curves import draw_overview, draw_profiles
from biomech_id.report.comparison.facts import Comparison
from biomech_id.report.comparison.headline import draw_headline
from biomech_id.report.comparison.middle import draw_changes
from biomech_id.report.layout.numbers import digits
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.typography import shortened, width_mm, wrapped
from biomech_id.report.panels.axes_label import axes_label
from biomech_id.session.tables.csv_text import write_csv
from biomech_id.session.tables.session_tables import tidy_table
from biomech_id.session.values.norm import CLINICAL_SUBJECTS, norm_called
from biomech_id.trial.worn import NOT_STATED

_LEFT_END_MM, _MIDDLE_MM, _MIDDLE_END_MM, _RIGHT_MM = 114.0, 120.0, 229.0, 235.0
_TOP_MM, _END_MM, _FOOT_MM = 34.0, 193.0, 197.6
_PROFILE_MM, _OVERVIEW_MM = 20.0, 22.5


def what_changed_page(facts: Comparison) -> Figure:
    """Draw the page.

    Parameters
    ----------
    facts : Comparison
        What is compared.
    """
    sheet = Sheet(facts.style)
    _head(sheet, facts)
    _verdicts(sheet, facts)
    y = draw_headline(sheet, facts, LEFT_MM, _TOP_MM, _LEFT_END_MM)
    draw_profiles(sheet, facts, LEFT_MM, y + 4.5, _LEFT_END_MM, _PROFILE_MM)
    top, overview = y + _PROFILE_MM + 20.0, _END_MM - _OVERVIEW_MM - 2.0
    middle = LEFT_MM + 58.0 if examined_in(facts) else LEFT_MM
    if middle > LEFT_MM:
        draw_examinations(sheet, facts, LEFT_MM, top, middle - 4.0, overview - 4.0)
    draw_differences(sheet, facts, middle, top, _LEFT_END_MM, overview - 4.0)
    draw_overview(sheet, facts, LEFT_MM, overview, _LEFT_END_MM, _OVERVIEW_MM)
    for x in (_LEFT_END_MM + 3.0, _MIDDLE_END_MM + 3.0):
        sheet.rule(x, _TOP_MM - 3.0, x, _END_MM, colour="zero", width=0.5)
    draw_changes(sheet, facts, _MIDDLE_MM, _TOP_MM, _MIDDLE_END_MM, _END_MM)
    y = draw_trust_of_both(sheet, facts, _RIGHT_MM, _TOP_MM, RIGHT_MM)
    y = _how_to_read(sheet, y + 2.0)
    _signature(sheet, y + 4.0)
    _foot(sheet, facts)
    return sheet.figure


def _head(sheet: Sheet, facts: Comparison) -> None:
    style, person = sheet.style, facts.second.tables.summary.get("subject", {})
    parts = [str(person.get("code") or style.label("common.no_code"))]
    if person.get("age_years") is not None:
        parts.append(style.label("cover.years", years=digits(person["age_years"], "g", style.decimal_mark)))
    parts += [style.labels.get(f"sex.{str(person['sex']).lower()}", str(person["sex"]))] if person.get("sex") else []
    parts += [
        f"{digits(person[key], '.3g', style.decimal_mark)} {unit}"
        for key, unit in (("height_m", "m"), ("mass_kg", "kg"))
        if person.get(key)
    ]
    before, after = (_condition(facts, at) for at in (0, 1))
    unstated = style.label("common.not_recorded")
    parts.append(before if before == after else f"{before or unstated} → {after or unstated}")
    dates = [str(layer.tables.summary.get("subject", {}).get("session_date") or "") for layer in facts.layers]
    parts += [" → ".join(date or style.label("common.not_recorded") for date in dates)] if any(dates) else []
    names = [layer.name for layer in facts.layers]
    parts += [" → ".join(names)] if names[0] != names[1] and not any(dates) else []
    norm = _norm_words(facts)
    room = RIGHT_MM - LEFT_MM - width_mm(norm[0], style.size("small"), weight="bold") - 6.0
    sheet.text(LEFT_MM, 22.0, shortened(" · ".join(filter(None, parts)), room, style.size("body")), size="body")
    sheet.text(RIGHT_MM, 21.0, norm[0], size="small", weight="bold", ha="right")
    sheet.text(RIGHT_MM, 24.2, norm[1], size="tiny", colour="quiet", ha="right")


def _condition(facts: Comparison, at: int) -> str:
    layer = facts.layers[at]
    worn = {str(trial.get(key, NOT_STATED)) for trial in layer.trials for key in ("footwear", "aid")} - {NOT_STATED, ""}
    words = [layer.condition, *(facts.style.label(f"worn.{word}") for word in sorted(worn) if word != layer.condition)]
    return ", ".join(filter(None, words))


def _norm_words(facts: Comparison) -> tuple[str, str]:
    style, norm = facts.style, facts.norm
    if norm is None:
        return style.label("changed.no_norm_short"), ""
    both = norms_apart(facts)
    around_mm = width_mm(_judged_by(facts, ""), style.size("small"), weight="bold")
    name = shortened(norm_called(norm.note) or "–", 110.0 - around_mm, style.size("small"), weight="bold")
    below = "; ".join(both) if both else style.label("changed.not_clinical") if norm.n < CLINICAL_SUBJECTS else ""
    return _judged_by(facts, name), below


def _judged_by(facts: Comparison, name: str) -> str:
    n = facts.norm.n if facts.norm is not None else 0
    return facts.style.label("changed.judged_by", norm=facts.style.label("changed.norm_called", source=name, n=n))


def _verdicts(sheet: Sheet, facts: Comparison) -> None:
    """Good, with limits and not usable layers in one line between rules."""
    style, layers = sheet.style, list(trust_of(facts))
    sheet.rule(LEFT_MM, 25.6, RIGHT_MM, 25.6, colour="zero", width=0.4)
    sheet.rule(LEFT_MM, 30.2, RIGHT_MM, 30.2, colour="zero", width=0.4)
    x = LEFT_MM
    for grade, (mark, colour) in MARKS.items():
        sheet.text(x, 28.8, mark, size="small", colour=colour, weight="bold")
        head = f"{style.label(f'changed.grade_{grade}')}:"
        sheet.text(x + 4.0, 28.8, head, size="small", weight="bold")
        names = ", ".join(style.label(f"changed.layer_{each.layer}") for each in layers if each.grade == grade)
        start = 5.2 + width_mm(head, style.size("small"), weight="bold")
        names = names or style.label("changed.grade_none")
        sheet.text(x + start, 28.8, names, size="small")
        x += start + width_mm(names, style.size("small")) + 8.0


def _how_to_read(sheet: Sheet, top_mm: float) -> float:
    style = sheet.style
    sheet.heading(_RIGHT_MM, top_mm, style.label("changed.how"))
    lines = wrapped(style.label("changed.how_text"), RIGHT_MM - _RIGHT_MM, style.size("tiny"))
    return sheet.paragraph(_RIGHT_MM, top_mm + 1.2, lines, size="tiny", colour="quiet", spacing=1.2)


def _signature(sheet: Sheet, top_mm: float) -> None:
    sheet.heading(_RIGHT_MM, top_mm, sheet.style.label("changed.signature"))
    y = top_mm + 8.0
    while y < _END_MM - 3.0:
        sheet.rule(_RIGHT_MM, y, RIGHT_MM, y, colour="grid")
        y += 6.0
    sheet.text(_RIGHT_MM, _END_MM - 0.4, sheet.style.label("changed.name_role_date"), size="tiny", colour="quiet")


def _foot(sheet: Sheet, facts: Comparison) -> None:
    style = sheet.style
    model = style.label(f"model.{facts.second.tables.summary.get('model', '')}")
    counts = facts.counts(Aspect.KINEMATICS)
    both = {side: " + ".join(map(str, counts[side])) for side in counts}
    lines = [
        axes_label(style, "kinetics.note", facts.second.tables),
        style.label("changed.foot", model=model, rules=facts.rules.version, left=both["L"], right=both["R"]),
    ]
    for number, line in enumerate(lines):
        text = shortened(line, RIGHT_MM - LEFT_MM, style.size("tiny"))
        sheet.text(LEFT_MM, _FOOT_MM + 2.6 * number, text, size="tiny", colour="quiet")


def write_changes(comparisons: Iterable[Comparison], path: Path) -> Path:
    """Write ``changes.csv``: every pattern text of one of two sessions, of each session that is compared with the first.

    Parameters
    ----------
    comparisons : Iterable[Comparison]
        Each later session beside the first, as of `comparisons_of`.
    path : Path
        The CSV file; an existing one is replaced.
    """
    rows = [{"session": facts.letter, **each.row} for facts in comparisons for each in facts.changes]
    write_csv(tidy_table("changes", rows), path)
    return path
