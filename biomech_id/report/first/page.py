"""Page 1 of a session: head, numbers and examination, what differs, and what can be trusted, on one landscape sheet."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from biomech_id.report.first.examination import draw_examination
from biomech_id.report.first.facts import SessionFacts
from biomech_id.report.first.numbers import draw_numbers
from biomech_id.report.first.patterns import draw_patterns
from biomech_id.report.first.profile import draw_profile
from biomech_id.report.first.trust import draw_layer_line, draw_trust, draw_unsayable, trusted, worn_words
from biomech_id.report.layout.numbers import digits, written
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, SIGNATURE, Sheet
from biomech_id.report.layout.typography import shortened, width_mm, wrapped
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.page import Content
from biomech_id.session.values.norm import CLINICAL_SUBJECTS, norm_called

#: Left and right edge of the three columns, and between which heights they stand.
_LEFT, _MIDDLE, _RIGHT = (LEFT_MM, 80.0), (86.0, 206.0), (212.0, RIGHT_MM)
_TOP_MM, _BOTTOM_MM = 37.5, 193.0
#: Movements whose page is a session's first, the foremost first; where their content begins; what stands below it, in two columns
#: that need this height.
_FOREMOST = ("run", "jump", "squat", "rise")
OWN_TOP_MM = 37.5
_OWN_BELOW_MM, _LEAST_BELOW_MM = ((LEFT_MM, 92.0), (98.0, 174.0)), 45.0


def walking_layer(content: Content) -> Layer | None:
    """Return the straight walks that the first page is of: the first condition; None where nothing was walked.

    Parameters
    ----------
    content : Content
        What pages are drawn from.
    """
    return next((layer for layer in content.layers if layer.kind == "straight"), None)


def first_of(content: Content, kind: str) -> SessionFacts | None:
    """Return what a page of runs, jumps, squats or rises says as a session's first one; None where another page is the first.

    Parameters
    ----------
    content : Content
        What pages are drawn from.
    kind : str
        The movement that the page is of.
    """
    trials = {str(trial["kind"]): trial for trial in reversed(content.tables.summary.get("trials", ()))}
    foremost = next((each for each in _FOREMOST if each in trials), "")
    if walking_layer(content) is not None or kind != foremost:
        return None
    layer = Layer(content.tables, kind, str(trials[kind]["condition"]))
    return SessionFacts(layer, content.style, content.norm.behind(kind) if content.norm is not None else None)


def draw_as_first(sheet: Sheet, facts: SessionFacts, below_mm: float) -> None:
    """Add to a page of another movement what a first page says: who, which layers are good, what can be trusted, signature.

    Parameters
    ----------
    sheet : Sheet
        With the page's own content from ``OWN_TOP_MM`` on.
    facts : SessionFacts
        As `first_of` returns them.
    below_mm : float
        Where the page's own content ends on its left.
    """
    layers, (left, right) = trusted(facts), _OWN_BELOW_MM
    _draw_head(sheet, facts)
    draw_layer_line(sheet, layers, LEFT_MM, 30.2)
    if below_mm < _BOTTOM_MM - _LEAST_BELOW_MM:
        draw_trust(sheet, layers, *left, below_mm)
        _draw_below(sheet, facts, right, below_mm)
    _draw_foot(sheet, facts)


def first_page(content: Content) -> Figure:
    """Draw page 1 of a session with walks.

    Parameters
    ----------
    content : Content
        What pages are drawn from.
    """
    layer, style = walking_layer(content), content.style
    sheet = Sheet(style)
    if layer is None:
        sheet.text(LEFT_MM, 30.0, style.label("first.no_walk"), size="heading")
        return sheet.figure
    facts = SessionFacts(layer, style, content.norm)
    layers = trusted(facts)
    _draw_head(sheet, facts)
    draw_layer_line(sheet, layers, LEFT_MM, 30.2)
    for left, right in ((_LEFT[1], _MIDDLE[0]), (_MIDDLE[1], _RIGHT[0])):
        sheet.rule((left + right) / 2, _TOP_MM - 3.0, (left + right) / 2, _BOTTOM_MM, colour="grid", width=0.8)
    y = draw_numbers(sheet, facts, _LEFT[0], _TOP_MM, _LEFT[1])
    y = draw_profile(sheet, facts, _LEFT[0], y + 5.0, _LEFT[1])
    draw_examination(sheet, facts, _LEFT[0], y + 5.0, _LEFT[1], _BOTTOM_MM)
    draw_patterns(sheet, facts, _MIDDLE[0], _TOP_MM, _MIDDLE[1], _BOTTOM_MM)
    y = draw_trust(sheet, layers, *_RIGHT, _TOP_MM)
    y = draw_unsayable(sheet, facts, _RIGHT[0], y + 2.0, _RIGHT[1])
    _draw_below(sheet, facts, _RIGHT, y + 5.5)
    _draw_foot(sheet, facts)
    return sheet.figure


def _draw_head(sheet: Sheet, facts: SessionFacts) -> None:
    """Who walked how, and the norm."""
    style, norm = sheet.style, facts.norm
    room, size = 90.0, style.size("small")
    norm_text = style.label("first.no_norm")
    if norm is not None:
        # Of a long name the end is left out, never the number of people.
        around_mm = width_mm(style.label("first.norm", name="", n=facts.people), size, weight="bold")
        name = shortened(norm_called(norm.note), room - around_mm, size, weight="bold")
        norm_text = style.label("first.norm", name=name, n=facts.people)
    sheet.text(RIGHT_MM, 21.6, norm_text, size="small", weight="bold", ha="right")
    if norm is not None and facts.people < CLINICAL_SUBJECTS:
        sheet.text(RIGHT_MM, 25.0, style.label("first.not_clinical"), size="tiny", colour="quiet", ha="right")
    lines = wrapped(" · ".join(_who(facts)), RIGHT_MM - LEFT_MM - room - 4.0, style.size("body"), most=2)
    sheet.paragraph(LEFT_MM, 18.6, lines, size="body", spacing=1.25)
    sheet.rule(LEFT_MM, 26.6, RIGHT_MM, 26.6, colour="zero")
    sheet.rule(LEFT_MM, 32.0, RIGHT_MM, 32.0, colour="zero")


def _who(facts: SessionFacts) -> Iterator[str]:
    style, subject = facts.style, facts.tables.summary.get("subject", {})
    mark = style.decimal_mark
    age, sex = subject.get("age_years"), subject.get("sex")
    yield style.label("cover.years", years=digits(age, ".0f", mark)) if age is not None else style.label("first.no_age")
    yield style.labels.get(f"sex.{str(sex).lower()}", str(sex)) if sex else style.label("first.no_sex")
    height, mass = (subject.get(name) for name in ("height_m", "mass_kg"))
    yield f"{written(height, 2, mark)} m" if height is not None else style.label("first.no_height")
    yield f"{written(mass, 1, mark)} kg" if mass is not None else style.label("first.no_mass")
    legs = {side: written(leg, 2, mark) for side, leg in sorted((subject.get("leg_length_m") or {}).items())}
    if legs:
        lengths = set(legs.values())
        each = (f"{style.label(f'first.side_{side}')} {leg}" for side, leg in legs.items())
        yield style.label("first.leg", leg=" ".join(lengths if len(legs) == 2 and len(lengths) == 1 else each))
    yield from worn_words(facts)
    if facts.tables.diagnosis:
        yield style.label("first.diagnosis", words=facts.tables.diagnosis)
    if facts.layer.condition:
        yield style.labels.get(f"worn.{facts.layer.condition}", facts.layer.condition)
    others = dict.fromkeys(c for c in facts.tables.summary.get("conditions", ()) if c and c != facts.layer.condition)
    if others:
        yield style.label("first.other_conditions", names=", ".join(others))


def _draw_below(sheet: Sheet, facts: SessionFacts, edges_mm: tuple[float, float], top_mm: float) -> None:
    """What was not measured, how to read the page of a walk, and room for comment and signature."""
    style, (left, right) = sheet.style, edges_mm
    y = top_mm
    lacking = [f"– {text}" for text in _not_measured(facts)]
    if lacking:
        sheet.heading(left, y, style.label("first.not_measured"))
        lines = [line for text in lacking for line in wrapped(text, right - left, style.size("tiny"))]
        y = sheet.paragraph(left, y + 1.2, lines, size="tiny", colour="quiet", spacing=1.25) + 5.0
    how = wrapped(style.label("first.how" if facts.norm is not None else "first.how_no_norm"), right - left, style.size("tiny"))
    signature_mm = _BOTTOM_MM - 19.0
    if facts.walks and y + 2.0 + 2.8 * len(how) < signature_mm:
        sheet.heading(left, y, style.label("first.how_to_read"))
        sheet.paragraph(left, y + 1.2, how, size="tiny", colour="quiet", spacing=1.2)
    sheet.heading(left, signature_mm, style.label("first.comment"))
    for below in (7.0, 13.5):
        sheet.rule(left, signature_mm + below, right, signature_mm + below, colour="zero", width=0.5)
    sheet.text(left, _BOTTOM_MM - 1.0, style.label("first.sign"), size="tiny", colour="quiet").set_label(SIGNATURE)


def _not_measured(facts: SessionFacts) -> Iterator[str]:
    """What this session has not, so that nobody looks for it."""
    style, tables = facts.style, facts.tables
    measured = set(tables.cycles["variable"].unique())
    if not {"ThoraxAngles", "SpineAngles"} & measured:
        yield style.label("first.no_trunk")
    if not any(trial["plates"] for trial in facts.layer.trials):
        yield style.label("first.no_plates")
    if tables.channels is None:
        yield style.label("first.no_signals")
    yield style.label("first.never_here")
    if facts.walks and facts.norm is not None:
        untested = [rule for rule in facts.rules.rows if not rule.tested]
        yield style.label("first.untested", n=len(untested))


def _draw_foot(sheet: Sheet, facts: SessionFacts) -> None:
    """Conventions, model, versions and the intended use, in two lines."""
    style, summary = sheet.style, facts.tables.summary
    sheet.rule(LEFT_MM, _BOTTOM_MM + 1.0, RIGHT_MM, _BOTTOM_MM + 1.0, colour="grid")
    model, kinetics = (str(summary.get(name, "")) for name in ("model", "kinetics"))
    words = [style.label(f"model.{name}") for name in (model, kinetics) if name]
    if facts.walks:
        words += [style.label("first.rules", version=facts.rules.version), style.label("first.sources")]
    for y, text in ((_BOTTOM_MM + 3.9, style.label("first.conventions")), (_BOTTOM_MM + 6.6, " · ".join(words))):
        sheet.text(LEFT_MM, y, shortened(text, RIGHT_MM - LEFT_MM, style.size("tiny")), size="tiny", colour="quiet")
