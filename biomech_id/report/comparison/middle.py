"""The middle of a comparison's first page: what changed beyond error, what did not, and what could not be compared or seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from biomech_id.conventions import CYCLE_ROWS, SIDES, Aspect
from biomech_id.interpretation.changes import ChangeDirection, PatternChange
from biomech_id.interpretation.rules import PatternRule
from biomech_id.report.comparison.curves import draw_before_after
from biomech_id.report.comparison.facts import Comparison
from biomech_id.report.comparison.headline import speed_change_percent
from biomech_id.report.first.patterns import named_words, rule_words
from biomech_id.report.layout.numbers import DECIMALS, written
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import MM_PER_POINT, shortened, width_mm, wrapped

#: At most so many patterns in words, each at least so high; what finds no room stands in one line.
_MOST, _INDENT_MM, _CURVE_MM = 6, 6.0, 33.0
#: Height of a pattern in words alone, more with the curve beside it, and of each line of text.
_WORDS_MM, _WITH_CURVE_MM, _TALLER_MM = 16.0, 21.0, 1.25

#: Whose least change a page names, hip rotation always.
_NAMED = (
    ("HipAngles", "Z"),
    ("HipAngles", "Y"),
    ("HipAngles", "X"),
    ("KneeAngles", "X"),
    ("AnkleAngles", "X"),
    ("KneeMoment", "X"),
)
_FASTER_PERCENT = 10.0
#: Room for the heads of the boxes, and from line to line in them.
_HEAD_MM, _LINE_MM = 44.0, 3.0


def unit_of(unit: str, style: Style) -> str:
    """Return a unit as it stands behind a number: degrees without a space.

    Parameters
    ----------
    unit : str
        As in the sign table.
    style : Style
        Colours, words, scales and units of the report.
    """
    return {"deg": "°", "1": "", "": ""}.get(unit, f" {style.word(unit)}")


def _number(value: float, unit: str, style: Style) -> str:
    decimals = 0 if unit == "deg" and abs(value) >= 10.0 else DECIMALS.get(unit, 2)
    return written(value, decimals, style.decimal_mark)


def draw_changes(sheet: Sheet, facts: Comparison, left_mm: float, top_mm: float, right_mm: float, bottom_mm: float) -> None:
    """Fill the middle.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : Comparison
        What is compared.
    left_mm, top_mm, right_mm, bottom_mm : float
        Millimetres from the sheet's left and top.
    """
    style = sheet.style
    sheet.heading(left_mm, top_mm, style.label("changed.heading"))
    sheet.text(right_mm, top_mm, style.label("changed.key"), size="tiny", colour="quiet", ha="right")
    boxes = list(_boxes(facts))
    heights = [_box_lines(text, right_mm - left_mm, style) for _, text in boxes]
    low = bottom_mm - sum(_LINE_MM * len(lines) + 4.2 for lines in heights)
    rest = wrapped(_rest(facts), right_mm - left_mm, style.size("small"), most=5)
    low_rest = low - _LINE_MM * len(rest) - 3.0
    y = top_mm + 5.2
    for text, colour, weight in _opening(facts):
        for line in wrapped(text, right_mm - left_mm, style.size("small"), weight=weight, most=2):
            sheet.text(left_mm, y, line, size="small", colour=colour, weight=weight)
            y += style.size("small") * MM_PER_POINT * 1.35
    each = [_height(sides, facts) for sides in facts.groups[:_MOST]]
    shown = sum(sum(each[: number + 1]) <= low_rest - y for number in range(len(each)))
    factor = min(_TALLER_MM, (low_rest - y) / max(1.0, sum(each[:shown])))
    for number, (sides, height) in enumerate(zip(facts.groups[:shown], each, strict=False)):
        _draw_group(sheet, facts, number, sides, (left_mm, y - 1.5, right_mm, factor * height))
        y += factor * height
    if len(facts.groups) > shown:
        more = "; ".join(_in_line(sides, facts) for sides in facts.groups[shown:])
        rest = wrapped(
            f"{style.label('changed.more', patterns=more)} {_rest(facts)}", right_mm - left_mm, style.size("small"), most=5
        )
    sheet.rule(left_mm, low_rest - 0.6, right_mm, low_rest - 0.6, colour="grid")
    sheet.paragraph(left_mm, low_rest, rest, size="small", spacing=1.2)
    for (head, _), lines in zip(boxes, heights, strict=True):
        height = _LINE_MM * len(lines) + 3.0
        sheet.box(left_mm, low, right_mm - left_mm, height, face="shade", edge=None)
        sheet.box(left_mm, low, 1.2, height, face="zero", edge=None)
        sheet.text(left_mm + 3.5, low + 3.8, head, size="small", weight="bold")
        sheet.paragraph(left_mm + _HEAD_MM, low + 1.3, lines, size="small", spacing=1.2)
        low += height + 1.2


def _height(sides: Sequence[PatternChange], facts: Comparison) -> float:
    return _WITH_CURVE_MM if facts.rules[sides[0].pattern].shown.quantity.drawn in CYCLE_ROWS else _WORDS_MM


def _box_lines(text: str, room_mm: float, style: Style) -> list[str]:
    return wrapped(text, room_mm - _HEAD_MM - 2.0, style.size("small"), most=7)


def _opening(facts: Comparison) -> Iterator[tuple[str, str, str]]:
    """How many patterns changed, or why no sentence stands here; another speed."""
    style, n = facts.style, len(facts.groups)
    if facts.refused:
        why = ", ".join(style.label(f"changed.reason_{reason}") for reason in facts.refused)
        yield style.label("changed.nothing_compared", reason=why), "warn", "bold"
    elif facts.norm is None or not facts.visits[0].people:
        yield style.label("changed.no_norm" if facts.norm is None else "changed.norm_without_people"), "quiet", "normal"
    elif n:
        leads = [sides[0].direction for sides in facts.groups]
        parts = [
            style.label(f"changed.count_{key}", n=leads.count(direction))
            for key, direction in (
                ("towards", ChangeDirection.TOWARDS),
                ("away", ChangeDirection.AWAY),
                ("past", ChangeDirection.PAST),
            )
            if direction in leads
        ]
        yield style.label("changed.one" if n == 1 else "changed.several", n=n, leads=", ".join(parts)), "ink", "bold"
    else:
        yield style.label("changed.none"), "ink", "bold"
    faster = speed_change_percent(facts)
    if abs(faster) > _FASTER_PERCENT:
        word = "changed.faster" if faster > 0 else "changed.slower"
        yield style.label(word, percent=written(abs(faster), 0, style.decimal_mark)), "warn", "normal"


def _draw_group(
    sheet: Sheet, facts: Comparison, number: int, sides: Sequence[PatternChange], place_mm: tuple[float, float, float, float]
) -> None:
    """One pattern: numbers of each side, name, where it leads, norm, cycles and rule; its curve beside it."""
    style, (left, top, right, height) = sheet.style, place_mm
    rule = facts.rules[sides[0].pattern]
    quantity = rule.shown.quantity
    with_curve = quantity.drawn in CYCLE_ROWS
    room = right - left - _INDENT_MM - (_CURVE_MM + 2.0 if with_curve else 0.0)
    sheet.rule(left, top, right, top, colour="grid")
    sheet.text(left, top + 4.4, str(number + 1), size="heading", colour="quiet", weight="bold")
    x, y = left + _INDENT_MM, top + 4.2
    for each in sides:
        text, change = change_line(each, style, room)
        sheet.text(x, y, text, size="heading", colour=each.side or "ink", weight="bold")
        sheet.text(x + room, y, change, size="small", ha="right")
        y += 3.9
    y = _name(sheet, named_words(rule, style), x, y - 2.8, room)
    leads = _leads(sides, style)
    sheet.text(x, y + 2.9, shortened(leads, room, style.size("small"), weight="bold"), size="small", weight="bold")
    details_mm = room
    if "speed" in {name for each in sides for name in (*each.first.artefacts, *each.second.artefacts)}:
        at_speed = style.label("changed.at_speed")
        leads_mm = width_mm(leads, style.size("small"), weight="bold")
        beside = leads_mm + width_mm(at_speed, style.size("tiny")) + 2.0 <= room
        if not beside:
            at_speed = style.label("changed.at_speed_short")
            details_mm -= width_mm(at_speed, style.size("tiny")) + 2.0
        sheet.text(x + room, y + (2.9 if beside else 6.0), at_speed, size="tiny", colour="warn", ha="right")
    details = shortened(_details(sides, facts), details_mm, style.size("tiny"))
    sheet.text(x, y + 6.0, details, size="tiny", colour="quiet")
    if with_curve:
        place = (right - _CURVE_MM, top + 0.6, _CURVE_MM, min(height - 1.0, 22.0))
        draw_before_after(sheet, facts, quantity.drawn, place, _phase(facts, rule))


def change_line(each: PatternChange, style: Style, room_mm: float) -> tuple[str, str]:
    """Return the numbers of one side before and after, and the change that stands beside them in small type.

    Parameters
    ----------
    each : PatternChange
        Of one side.
    style : Style
        Colours, words, scales and units of the report.
    room_mm : float
        How wide both together may be.
    """
    unit = each.second.unit
    text = f"{each.side} " if each.side else ""
    text += f"{_number(each.before, unit, style)} → {_number(each.after, unit, style)}"
    words, number = _change_words(each, style), _change_number(each, style)
    # The change has the unit too: where both have no room the numbers before it go without it; then brackets stand for the words.
    short = f"({number})" if each.direction is ChangeDirection.WITHIN_ERROR else number
    looks = [(text + unit_of(unit, style), words), (text, words), (text, short)]
    return next((look for look in looks if _beside_mm(*look, style) <= room_mm), looks[-1])


def _beside_mm(text: str, change: str, style: Style) -> float:
    return width_mm(text, style.size("heading"), weight="bold") + 2.0 + width_mm(change, style.size("small"))


def _name(sheet: Sheet, text: str, x_mm: float, top_mm: float, room_mm: float) -> float:
    lines = wrapped(text, room_mm, sheet.style.size("small"), most=2)
    return sheet.paragraph(x_mm, top_mm, lines, size="small", spacing=1.2)


def _change_words(each: PatternChange, style: Style) -> str:
    within = each.direction is ChangeDirection.WITHIN_ERROR
    return style.label("changed.change_within" if within else "changed.change_of", change=_change_number(each, style))


def _change_number(each: PatternChange, style: Style) -> str:
    unit = each.second.unit
    decimals, mark = DECIMALS.get(unit, 2), style.decimal_mark
    change, band = (written(value, decimals, mark) for value in (each.change, each.band))
    return f"{'+' * (each.change > 0)}{change} ± {band}{unit_of(unit, style)}"


def _leads(sides: Sequence[PatternChange], style: Style) -> str:
    """Where it leads, and whether the rule is still met: of the sides beyond error, text once where they agree."""
    beyond = [each for each in sides if each.direction is not ChangeDirection.WITHIN_ERROR]
    text = {each.side: "; ".join(_ways(each, style)) for each in beyond}
    if len(set(text.values())) == 1:
        return next(iter(text.values()))
    return ". ".join(f"{side}: {words}" for side, words in text.items())


def _ways(each: PatternChange, style: Style) -> Iterator[str]:
    key = {ChangeDirection.TOWARDS: "towards", ChangeDirection.AWAY: "away", ChangeDirection.PAST: "past"}[each.direction]
    yield style.label(f"changed.{key}")
    if each.marked_after and not each.first.met:
        yield style.label("changed.new")
    elif each.second.met is None:
        yield style.label("changed.not_known_now")
    else:
        yield style.label("changed.still" if each.second.met else "changed.no_longer")


def _details(sides: Sequence[PatternChange], facts: Comparison) -> str:
    style, first = facts.style, sides[0]
    unit = first.second.unit
    norm = f"{_number(first.second.norm_mean, unit, style)} ± {_number(first.second.norm_sd, unit, style)}{unit_of(unit, style)}"
    cycles = ", ".join(" ".join(filter(None, (each.side, f"{each.first.cycles}+{each.second.cycles}"))) for each in sides)
    parts = [style.label("changed.details", norm=norm, cycles=cycles), first.pattern]
    also = [f"{rule_words(facts.rules[name], style)[1]}" for name in facts.covered.get(first.pattern, ())[:2]]
    return " · ".join([*parts, *([style.label("changed.with", names=", ".join(also))] if also else [])])


def _phase(facts: Comparison, rule: PatternRule) -> tuple[float, float]:
    """What is judged, percent of the cycle, by the mean events of both sides and sessions."""
    quantity = rule.shown.quantity
    ends = []
    for point in (quantity.start, quantity.end):
        column = f"{point.event}_percent"
        after = [float(layer.used[column].astype(float).mean()) for layer in facts.layers] if point.event else [0.0]
        ends.append(point.percent + float(np.nanmean(after)))
    return ends[0], ends[1]


def _rest(facts: Comparison) -> str:
    """What did not change beyond error and is still there, and what is new."""
    style = facts.style
    by_pattern: dict[str, list[PatternChange]] = {}
    for each in facts.unchanged:
        by_pattern.setdefault(each.pattern, []).append(each)
    still = [sides for sides in by_pattern.values() if any(each.marked_before for each in sides)]
    new = [sides for sides in by_pattern.values() if sides not in still]
    text = [
        style.label(
            "changed.unchanged", patterns="; ".join(_in_line(sides, facts) for sides in still) or style.label("changed.nothing")
        )
    ]
    if new:
        text.append(style.label("changed.new_within", patterns="; ".join(_in_line(sides, facts) for sides in new)))
    return " ".join(text) if facts.visits[0].people and not facts.refused else ""


def _in_line(sides: Sequence[PatternChange], facts: Comparison) -> str:
    style = facts.style
    unit = sides[0].second.unit
    values = [
        " ".join(filter(None, (each.side, f"{_number(each.before, unit, style)} → {_number(each.after, unit, style)}"
                               f"{unit_of(unit, style)} (± {_number(each.band, unit, style)})")))
        for each in sorted(sides, key=lambda each: each.side)
    ]  # fmt: skip
    return f"{rule_words(facts.rules[sides[0].pattern], style)[1]} {', '.join(values)}"


def _boxes(facts: Comparison) -> Iterator[tuple[str, str]]:
    """Head and text of what could not be compared, and of what could not have been seen."""
    style = facts.style
    yield style.label("changed.not_comparable"), " ".join(_not_compared(facts))
    if not facts.refused:
        yield style.label("changed.unseen"), _unseen(facts)


def _not_compared(facts: Comparison) -> Iterator[str]:
    style = facts.style
    for reason in facts.reasons:
        what = style.label(f"changed.what_{reason if reason not in facts.refused else 'all'}")
        yield style.label("changed.refused", what=what, reason=style.label(f"changed.reason_{reason}"))
    for layer, key in ((Aspect.KINEMATICS, "angles"), (Aspect.KINETICS, "loads")):
        for side in facts.silent(layer):
            before, after = facts.counts(layer)[side]
            names = {"side": style.label(f"side.{side}").lower(), "before": before, "after": after}
            yield style.label(f"changed.few_{key}", **names)
    if not facts.reasons:
        few = any(facts.silent(layer) for layer in (Aspect.KINEMATICS, Aspect.KINETICS))
        yield style.label("changed.comparable_else" if few else "changed.comparable")


def _unseen(facts: Comparison) -> str:
    style, parts = facts.style, []
    for variable, component in _NAMED:
        row = CYCLE_ROWS[variable, component]
        if row.kinetic and (not facts.loads_compared or len(facts.silent(Aspect.KINETICS)) == len(SIDES)):
            continue
        least = facts.least_change(variable, component)
        if np.isfinite(least):
            unit = style.unit(row)
            parts.append(
                f"{style.word(row.title)} {written(least, 0 if unit == 'deg' else 2, style.decimal_mark)}{unit_of(unit, style)}"
            )
    if facts.one_placement:
        return style.label("changed.unseen_one_placement")
    return style.label("changed.unseen_below", parts=", ".join(parts)) if parts else style.label("changed.unseen_unknown")
