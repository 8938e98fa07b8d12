"""The middle of the first page: what differs most from the norm, in words, or why no sentence stands there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.interpretation.criteria import PHASE_WINDOWS
from biomech_id.interpretation.deviations import LIMIT_SD, PatternDeviation, small_norm_factor
from biomech_id.interpretation.measuring import TermNorm, limit_value
from biomech_id.interpretation.published_speeds import published_means
from biomech_id.interpretation.rules import PatternRule
from biomech_id.languages import WRITTEN
from biomech_id.report.first.facts import SessionFacts
from biomech_id.report.first.profile import beyond_norm
from biomech_id.report.first.thumbnails import draw_thumbnail
from biomech_id.report.layout.numbers import written
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import MM_PER_POINT, width_mm, wrapped
from biomech_id.report.panels.layer import ROWS
from biomech_id.report.panels.small_title import small_title
from biomech_id.values import dataclass, replace

#: At most so many sentences, and with this many the row of curves below keeps its place.
_MOST_SAID, _WITH_OVERVIEW = 8, 5
_MOST_COVERED = 2
_THUMBNAIL_MM, _INDENT_MM = 40.0, 6.0
_CURVES_MM, _CURVES_IN_ROW = 24.0, 4
#: Rows of curves that fill what sentences leave free.
CURVE_ROWS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("PelvisAngles", "X"), ("HipAngles", "X"), ("KneeAngles", "X"), ("AnkleAngles", "X")),
    (("PelvisAngles", "Y"), ("HipAngles", "Y"), ("HipAngles", "Z"), ("FootProgressAngles", "Z")),
    (("HipMoment", "X"), ("KneeMoment", "X"), ("AnkleMoment", "X"), ("AnklePower", "")),
    (("PelvisAngles", "Z"), ("KneeAngles", "Y"), ("HipPower", ""), ("KneePower", "")),
)
#: Published means that stand beside a speed out of the norm's range.
_PUBLISHED = ("knee", "hip", "dorsiflexion", "tilt", "power")
#: Decimals of a value on this page, by its unit.
_DECIMALS = {"deg": 0, "%": 0}


def value_text(value: float, unit: str, style: Style, *, extra: int = 0) -> str:
    """Return a value with its unit, as this page prints both.

    Parameters
    ----------
    value : float
        What was measured, in the unit that is printed.
    unit : str
        As the sign table writes it.
    style : Style
        Colours, words, scales and units of the report.
    extra : int, optional
        Decimals more than usual.
    """
    number = written(value, _DECIMALS.get(unit, 2) + extra, style.decimal_mark)
    return f"{number}°" if unit == "deg" else number if unit == "1" else f"{number} {style.word(unit)}"


def draw_patterns(sheet: Sheet, facts: SessionFacts, left_mm: float, top_mm: float, right_mm: float, bottom_mm: float) -> None:
    """Draw the sentences with their thumbnails, what is smaller in one grey line, and curves where room is left.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : SessionFacts
        The session, judged.
    left_mm, top_mm, right_mm, bottom_mm : float
        Millimetres from the sheet's left and top.
    """
    style = sheet.style
    sheet.heading(left_mm, top_mm, style.label("first.differs"))
    sheet.text(right_mm, top_mm, style.label("first.by_size"), size="tiny", colour="quiet", ha="right")
    y = top_mm + 2.2
    for text, colour in openings(facts):
        weight = "normal" if colour == "quiet" else "bold"
        lines = wrapped(text, right_mm - left_mm, style.size("small"), weight=weight)
        y = sheet.paragraph(left_mm, y, lines, size="small", colour=colour, weight=weight) + 0.8
    groups, last = facts.groups[:_MOST_SAID], bottom_mm - 7.5
    heights, room_mm, shown = [block_mm(facts, *group, right_mm - left_mm) for group in groups], last - y, 0
    # A row of curves keeps its place below few sentences, unless one of them would lose its own.
    if len(groups) <= _WITH_OVERVIEW and sum(heights) <= room_mm - _CURVES_MM - 4.0:
        room_mm -= _CURVES_MM + 4.0
    for number, ((rule, sides), needed) in enumerate(zip(groups, heights, strict=True), 1):
        if needed > room_mm:
            break
        sheet.rule(left_mm, y + 0.4, right_mm, y + 0.4, colour="grid", width=0.6)
        _draw_sentence(sheet, facts, number, rule, sides, (left_mm, y + 0.9, right_mm, needed - 1.3))
        y, room_mm, shown = y + needed, room_mm - needed, number
    rest = _rest(facts, shown)
    if rest:
        lines = wrapped(rest, right_mm - left_mm, style.size("tiny"), most=3)
        sheet.rule(left_mm, y + 0.4, right_mm, y + 0.4, colour="grid", width=0.6)
        y = sheet.paragraph(left_mm, y + 1.0, lines, size="tiny", colour="quiet", spacing=1.2)
    _draw_curves(sheet, facts, (left_mm, y + 5.0, right_mm, bottom_mm))


def openings(facts: SessionFacts) -> Iterator[tuple[str, str]]:
    """Yield sentences above all others, each with its colour: sides of too few cycles, class, speed, and why nothing is said.

    Parameters
    ----------
    facts : SessionFacts
        The session, judged.
    """
    style = facts.style
    for side in facts.silent_sides:
        n = facts.counts[side]
        label = "first.no_cycle" if not n else "first.one_cycle" if n == 1 else "first.few_cycles"
        yield style.label(label, side=style.label(f"side.{side}"), n=n), "warn"
    yield from _class_words(facts)
    if facts.hemiplegia is not None:
        side, name, patterns = facts.hemiplegia
        listed = ", ".join(f"{rule_words(facts.rules[each.pattern], style)[1]} ({each.pattern})" for each in patterns)
        yield style.label("first.hemiplegia", side=style.label(f"side.{side}"), type=name, patterns=listed), "ink"
    yield from _pace(facts)
    if facts.left_out is not None:
        yield facts.left_out.text(style.language), "warn"
    if not facts.groups and (facts.angles_compared or _silence(facts) != "nothing"):
        unnamed = beyond_norm(facts) if _silence(facts) == "nothing" else {}
        if unnamed:
            scores = "; ".join(f"{style.word(ROWS[name].title)} {_scores(of_sides, style)}" for name, of_sides in unnamed.items())
            yield style.label("first.why_no_rule", scores=scores), "ink"
        else:
            yield style.label(f"first.why_{_silence(facts)}"), "ink"


def _scores(of_sides: Mapping[str, float], style: Style) -> str:
    return ", ".join(f"{style.label(f'first.side_{side}')} {value_text(value, 'deg', style)}" for side, value in of_sides.items())


def _class_words(facts: SessionFacts) -> Iterator[tuple[str, str]]:
    """The sagittal class where one may be named; and how far knee and ankle are off the norm in midstance, where that is far."""
    style = facts.style
    names = {each.side: rule_words(facts.rules[each.named.pattern], style)[0] for each in facts.classes if each.named is not None}
    if len(names) == len(SIDES) and len(set(names.values())) == 1:
        yield style.label("first.class_both", name=names[SIDES[0]]), "ink"
    elif names:
        of_sides = ", ".join(f"{style.label(f'side.{side}')} {name}" for side, name in sorted(names.items()))
        yield style.label("first.class_apart" if len(names) == len(SIDES) else "first.class_side", names=of_sides), "ink"
    if any(each.beyond or each.named is not None for each in facts.classes):
        knee, ankle = (
            " ".join(
                f"{style.label(f'first.side_{each.side}')} {written(getattr(each, axis), 1, style.decimal_mark)}"
                for each in sorted(facts.classes, key=lambda each: each.side)
            )
            for axis in ("knee_sd", "ankle_sd")
        )
        yield style.label("first.midstance" if names else "first.midstance_no_class", knee=knee, ankle=ankle), "quiet"


def _silence(facts: SessionFacts) -> str:
    """Why no sentence stands on the page."""
    if facts.norm is None:
        return "no_norm"
    if not facts.norm.people:
        return "no_people"
    if facts.lacks_bands and len(facts.silent_sides) < 2:
        return "no_bands"
    return "nothing" if len(facts.silent_sides) < 2 else "few"


def _pace(facts: SessionFacts) -> Iterator[tuple[str, str]]:
    """The speed where it leaves the norm's two SDs, as it changes curves by itself; and published means at such a speed."""
    if True not in facts.artefacts.get("speed", ()) or facts.norm is None or "speed_dimensionless" not in facts.norm.scalars:
        return
    mean, sd = facts.norm.scalars["speed_dimensionless"]
    own = float(np.nanmean([side.mean.numbers["speed_dimensionless"][0] for side in facts.sides.values()]))
    mark = facts.style.decimal_mark
    numbers = {"own": written(own, 2, mark), "mean": written(mean, 2, mark), "sd": written(sd, 2, mark)}
    yield "▲ " + facts.style.label("first.slow" if own < mean else "first.fast", **numbers), "warn"
    row = published_means(own)
    means = {name: written(float(row[name]), 2 if name == "power" else 0, mark) for name in _PUBLISHED}
    yield facts.style.label("first.published", pace=facts.style.label(f"first.pace_{row['pace']}"), **means), "quiet"


def block_mm(facts: SessionFacts, rule: PatternRule, sides: Sequence[PatternDeviation], width: float) -> float:
    """Return how high a sentence is with its thumbnail.

    Parameters
    ----------
    facts : SessionFacts
        The session, judged.
    rule : PatternRule
        Of the sentence.
    sides : Sequence[PatternDeviation]
        Deviation of each side that the sentence names.
    width : float
        Of the column, mm.
    """
    lines = _lines(facts, rule, sides, width - _THUMBNAIL_MM - _INDENT_MM - 3.0)
    return max(6.4 + sum(_pitch(facts.style, line.size) for line in lines) + 1.0, 19.0)


def _pitch(style: Style, size: str) -> float:
    return style.size(size) * MM_PER_POINT * 1.25


@dataclass(frozen=True)
class _Line:
    """A line of a sentence: what is written, and how."""

    text: str
    size: str = "small"
    colour: str = "ink"
    weight: str = "normal"


def _lines(facts: SessionFacts, rule: PatternRule, sides: Sequence[PatternDeviation], room_mm: float) -> Iterator[_Line]:
    """Lines below the numbers of a sentence."""
    style = facts.style
    warnings, quiet = artefact_words(facts, sides)
    paragraphs = [
        *([] if _norm_fits(rule, sides, style, room_mm) else [_Line(_norm_text(rule, sides[0], style), "tiny", "quiet")]),
        _Line(named_words(rule, style), "body", weight="bold"),
        *(_Line(text) for text in _of_both_sides(facts, rule)),
        _Line(_measured(rule, sides, style), "tiny", "quiet"),
        *(_Line(text) for text in _covered(facts, sides)),
        *(_Line(warning, colour="warn", weight="bold") for warning in warnings),
        *([_Line(quiet, "tiny", "quiet")] if quiet else []),
    ]
    for line in paragraphs:
        for text in wrapped(line.text, room_mm, style.size(line.size), weight=line.weight):
            yield replace(line, text=text)


def rule_words(rule: PatternRule, style: Style) -> tuple[str, str]:
    """Return what a pattern is and its name, in the report's language; in English where the rules have no other.

    Parameters
    ----------
    rule : PatternRule
        The rule.
    style : Style
        Colours, words, scales and units of the report.
    """
    language = style.language if style.language in rule.names else WRITTEN
    return rule.names[language], rule.short[language]


def shown_words(rule: PatternRule, style: Style) -> str:
    """Return what a rule measures, in the report's language: "least knee flexion in single support"; of walks and steps, its name.

    Parameters
    ----------
    rule : PatternRule
        The rule.
    style : Style
        Colours, words, scales and units of the report.
    """
    quantity = rule.shown.quantity
    stat = style.labels.get(f"shown.{quantity.stat}")
    if stat is None or quantity.drawn not in ROWS:
        return rule_words(rule, style)[0]
    curve = style.word(ROWS[quantity.drawn].title)
    ends = {name: str(end) for name, end in (("start", quantity.start), ("end", quantity.end))}
    named = next((name for name, phase in PHASE_WINDOWS.items() if phase == (quantity.start, quantity.end)), "")
    key = named or "-".join(dict.fromkeys(ends.values()))
    ends = {name: style.labels.get(f"shown.{end}", f"{end} %") for name, end in ends.items()}
    phase = style.labels.get(f"shown.in_{key}", style.label("shown.in_part", **ends))
    # A name that is no noun of its own in the middle of English words.
    return stat.format(curve=curve[:1].lower() + curve[1:] if style.language == WRITTEN else curve, phase=phase).strip()


def named_words(rule: PatternRule, style: Style) -> str:
    """Return what a rule measures with its pattern's name in brackets, as it stands below the numbers.

    Parameters
    ----------
    rule : PatternRule
        The rule.
    style : Style
        Colours, words, scales and units of the report.
    """
    words, short = shown_words(rule, style), rule_words(rule, style)[1]
    return f"{words[:1].upper()}{words[1:]}" + (f" ({short})" if short != words else "")


def row_words(facts: SessionFacts, each: PatternDeviation) -> str:
    """Return a row of ``deviations.csv`` as this page would say it: number, what it is, norm, error, cycles, size and rule.

    Parameters
    ----------
    facts : SessionFacts
        The session, judged.
    each : PatternDeviation
        The row; its side stands elsewhere.
    """
    rule, style, alone = facts.rules[each.pattern], facts.style, [replace(each, side="")]
    words = f"{_values(alone, style)}: {named_words(rule, style)}"
    return "; ".join((words, _norm_text(rule, each, style), _measured(rule, alone, style)))


def artefact_words(facts: SessionFacts, sides: Sequence[PatternDeviation]) -> tuple[list[str], str]:
    """Return what could make a pattern without it being there: warnings, and which tests had none or could not run, in one line.

    Parameters
    ----------
    facts : SessionFacts
        The session, judged.
    sides : Sequence[PatternDeviation]
        One pattern, of one side or both.
    """
    style, (warned, silent, lacking) = facts.style, _tests(facts, sides)
    quiet = [
        style.label(label, tests=", ".join(style.label(f"artefact.{artefact}") for artefact in tests))
        for label, tests in (("first.no_warning", silent), ("first.not_run", lacking)) if tests
    ]  # fmt: skip
    return [f"▲ {style.label(f'warns.{artefact}')}" for artefact in warned], "; ".join(quiet)


def _tests(facts: SessionFacts, sides: Sequence[PatternDeviation]) -> tuple[list[str], list[str], list[str]]:
    """Artefacts of a sentence: those that warn on a side, those that warn on none, and those that could not be asked."""
    results: dict[str, list[bool | None]] = {}
    for each in sides:
        for test in facts.tests(each):
            results.setdefault(test.artefact, []).append(test.warns)
    results.pop("few-cycles", None)  # a sentence has enough
    warned = [name for name, outcomes in results.items() if True in outcomes]
    silent = [name for name, outcomes in results.items() if True not in outcomes and False in outcomes]
    return warned, silent, [name for name, outcomes in results.items() if set(outcomes) == {None}]


def _measured(rule: PatternRule, sides: Sequence[PatternDeviation], style: Style) -> str:
    """Error, cycles and size of a sentence, and its rule."""
    cycles = [
        (f"{style.label(f'first.side_{each.side}')} " if each.side else "")
        + style.label("first.of_cycles", shown=each.cycles_shown, n=each.cycles)
        for each in sides
    ]
    return style.label(
        "first.measured",
        band=value_text(max(each.band for each in sides), sides[0].unit, style, extra=0),
        cycles=", ".join(cycles),
        size=written(max(each.size for each in sides), 1, style.decimal_mark),
        rule=rule.pattern,
    )


def _of_both_sides(facts: SessionFacts, rule: PatternRule) -> Iterator[str]:
    """Where two sides differ, what each has: which of them is the smaller."""
    quantity = rule.shown.quantity
    if quantity.stat != "asym":
        return
    table = facts.tables.spatiotemporal
    unit = str(table.loc[table["parameter"] == quantity.variable, "unit"].iloc[0])
    values = {side: float(facts.sides[side].mean.numbers[quantity.variable][0]) for side in SIDES}
    yield facts.style.label("first.both_sides", **{side: value_text(value, unit, facts.style) for side, value in values.items()})


def _covered(facts: SessionFacts, sides: Sequence[PatternDeviation]) -> Iterator[str]:
    """What stands in a sentence of other patterns: at most two, each with its numbers."""
    by_pattern: dict[str, list[PatternDeviation]] = {}
    for side in sides:
        for each in facts.covered(side):
            by_pattern.setdefault(each.pattern, []).append(each)
    for pattern, covered in list(by_pattern.items())[:_MOST_COVERED]:
        name = shown_words(facts.rules[pattern], facts.style)
        yield facts.style.label(
            "first.with", values=_values(_sided(facts.rules[pattern], covered), facts.style), name=name, rule=pattern
        )


def _sided(rule: PatternRule, sides: Sequence[PatternDeviation]) -> Sequence[PatternDeviation]:
    """Without their side where it is a range of the pelvis, whose left and right are one and listed once."""
    one = rule.joint == "pelvis" and rule.shown.quantity.stat == "range" and len(sides) == 1
    return [replace(each, side="") for each in sides] if one else sides


def _values(sides: Sequence[PatternDeviation], style: Style) -> str:
    pairs = [(each.side, value_text(each.value, each.unit, style)) for each in sides]
    return " ".join(f"{style.label(f'first.side_{side}')} {value}" if side else value for side, value in pairs)


def _norm_text(rule: PatternRule, each: PatternDeviation, style: Style) -> str:
    norm = TermNorm(each.norm_mean, each.norm_sd, each.norm_n)
    limit = limit_value(rule.shown.limit, norm, k=LIMIT_SD, w=small_norm_factor(norm.n))
    mean = written(norm.mean, _DECIMALS.get(each.unit, 2), style.decimal_mark)
    return style.label(
        "first.norm_limit", mean=mean, sd=value_text(norm.sd, each.unit, style), limit=value_text(limit, each.unit, style)
    )


def _number_mm(each: PatternDeviation, style: Style) -> float:
    """How far right of a side's number the next text begins."""
    return width_mm(_values([each], style), style.size("number"), weight="bold") + 3.0


def _norm_fits(rule: PatternRule, sides: Sequence[PatternDeviation], style: Style, room_mm: float) -> bool:
    """Whether the norm has room beside the numbers; otherwise it stands on a line of its own."""
    numbers_mm = sum(_number_mm(each, style) for each in sides)
    return numbers_mm + width_mm(_norm_text(rule, sides[0], style), style.size("tiny")) <= room_mm


def _draw_sentence(
    sheet: Sheet, facts: SessionFacts, number: int, rule: PatternRule, sides: Sequence[PatternDeviation],
    place_mm: tuple[float, float, float, float],
) -> None:  # fmt: skip
    style, (left, top, right, height) = sheet.style, place_mm
    x, y = left + _INDENT_MM, top + 4.6
    sheet.text(left, y, str(number), size="heading", colour="quiet", weight="bold")
    for each in _sided(rule, sides):
        sheet.text(x, y, _values([each], style), size="number", colour=each.side or "ink", weight="bold")
        x += _number_mm(each, style)
    room_mm = right - left - _THUMBNAIL_MM - _INDENT_MM - 3.0
    if _norm_fits(rule, sides, style, room_mm):
        sheet.text(x, y, _norm_text(rule, sides[0], style), size="tiny", colour="quiet")
    y += 0.8
    for line in _lines(facts, rule, sides, room_mm):
        points = style.size(line.size)
        sheet.text(left + _INDENT_MM, y + points * MM_PER_POINT, line.text, size=line.size, colour=line.colour, weight=line.weight)
        y += _pitch(style, line.size)
    quantity = rule.shown.quantity
    if quantity.drawn in ROWS:
        ends = [
            [facts.sides[each.side].mean.place(end)[0] for end in (quantity.start, quantity.end)] for each in sides if each.side
        ]
        start, end = np.nanmean(ends, axis=0).tolist() if ends else (0.0, 100.0)
        place = (right - _THUMBNAIL_MM, top + 0.4, _THUMBNAIL_MM, min(height - 0.8, 24.0))
        draw_thumbnail(sheet, facts, quantity.drawn, place, (start, end))


def _rest(facts: SessionFacts, shown: int) -> str:
    """What is smaller or within error, and what found no room, in one line."""
    style = facts.style
    crowded = [(rule, sides) for rule, sides in facts.groups[shown:]]
    parts = [f"{_values(_sided(rule, sides), style)} {rule_words(rule, style)[1]} ({rule.pattern})" for rule, sides in crowded]
    sentences = [style.label("first.more", patterns="; ".join(parts))] if parts else []
    smaller: dict[str, list[PatternDeviation]] = {}
    for each in facts.unsaid:
        smaller.setdefault(each.pattern, []).append(each)
    in_order = {name: sorted(sides, key=lambda each: each.side) for name, sides in smaller.items()}
    small = [
        f"{_values(_sided(facts.rules[name], sides), style)} {rule_words(facts.rules[name], style)[1]} ({name})"
        for name, sides in in_order.items()
    ]
    sentences += [style.label("first.smaller", patterns="; ".join(small))] if small else []
    return " ".join([*sentences, style.label("first.all_rows")]) if sentences else ""


def _draw_curves(sheet: Sheet, facts: SessionFacts, place_mm: tuple[float, float, float, float]) -> None:
    """Rows of curves in the room that is left: sagittal first."""
    left, top, right, bottom = place_mm
    measured = [names for names in CURVE_ROWS if any(_has_curve(facts, name) for name in names)]
    rows = min(len(measured), int((bottom - top + 2.0) // _CURVES_MM))
    if rows < 1:
        return
    style = sheet.style
    sheet.heading(left, top, style.label("first.curves"))
    legend = style.label("first.curves_key" if facts.norm is not None else "first.curves_key_no_norm")
    sheet.text(right, top, legend, size="tiny", colour="quiet", ha="right")
    width, height = (right - left) / _CURVES_IN_ROW, min((bottom - top - 1.5) / rows, 34.0)
    for number, names in enumerate(measured[:rows]):
        lines = max(len(small_title(ROWS[name], style, width - 1.0)) for name in names)
        for column, name in enumerate(names):
            place = (left + column * width, top + 1.5 + number * height, width - 1.0, height)
            draw_thumbnail(sheet, facts, name, place, title_lines=lines)


def _has_curve(facts: SessionFacts, name: tuple[str, str]) -> bool:
    return any(np.isfinite(facts.layer.mean(side, ROWS[name], facts.style).mean).any() for side in SIDES)
