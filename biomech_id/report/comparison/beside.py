"""Beside what changed: whether both sessions can be trusted, what else differs between them, and the examinations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

import numpy as np

from biomech_id.conventions import SIDES, Aspect
from biomech_id.interpretation.artefacts import ArtefactTests
from biomech_id.interpretation.changes import knee_axis_of
from biomech_id.interpretation.deviations import small_norm_factor
from biomech_id.models.joint_centres.knee_axis_walk import beyond_healthy
from biomech_id.movement.grades import Grade
from biomech_id.report.comparison.facts import Comparison
from biomech_id.report.first.trust import muscle_channels
from biomech_id.report.layout.numbers import written
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import MM_PER_POINT, shortened, wrapped
from biomech_id.report.panels.clinic import examined_words
from biomech_id.report.panels.layer import Layer
from biomech_id.request.subject_file import LEGS, TREATMENT_SECTION
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.norm import CLINICAL_SUBJECTS, norm_called, people_in
from biomech_id.trial.events import EventSource
from biomech_id.trial.examination import Examined
from biomech_id.trial.worn import NOT_STATED
from biomech_id.values import dataclass

#: From the best grade to the worst, with its mark and colour.
_ORDER = (Grade.ACCEPT, Grade.WARN, Grade.NOT_JUDGED, Grade.NOT_MEASURED, Grade.REJECT)
MARKS = {Grade.ACCEPT: ("●", "accept"), Grade.WARN: ("▲", "warn"), Grade.REJECT: ("✕", "reject")}
_NO_MARK = ("○", "quiet")
#: Ways to a knee axis that do not hang on where a thigh marker is put; an axis from markers is "with limits" at best.
_MARKERS = "markers"
_LINE_MM, _MOST_EXAMINED = 2.6, 9
#: What differs is said from this on: kg, share of the mass, m of a leg.
_MASS_SHARE, _LEG_M = 0.02, 0.004
_CHILD_YEARS = 18.0


@dataclass(frozen=True)
class Trust:
    """How far one layer of both sessions can be trusted.

    Attributes
    ----------
    layer : str
        Of its label.
    grade : Grade
        The worse of the two.
    reason : str
        Why the layer has that grade, in the report's language.
    """

    layer: str
    grade: Grade
    reason: str


def _worst(grades: Iterator[str] | list[str]) -> Grade:
    return max((Grade(grade) for grade in grades), key=_ORDER.index, default=Grade.NOT_JUDGED)


def trust_of(facts: Comparison) -> Iterator[Trust]:
    """Yield the layers in their order, each by the worse of the two sessions.

    Parameters
    ----------
    facts : Comparison
        What is compared.
    """
    style = facts.style
    angles = [_grade_of(layer.tables, Aspect.KINEMATICS) for layer in facts.layers]
    static = (
        "flat"
        if all(layer.tables.calibration_of(layer.condition).get("foot_flat") is True for layer in facts.layers)
        else "unknown"
    )
    yield Trust(
        "sagittal", _worst([*angles, Grade.ACCEPT if static == "flat" else Grade.WARN]),
        _limits(facts, ("KneeAngles.X", "AnkleAngles.X", "HipAngles.X"), style.label(f"changed.static_{static}")),
    )  # fmt: skip
    turned = any(_turned(layer) for layer in facts.layers)
    crosstalk = Grade.WARN if turned else Grade.ACCEPT
    yield Trust("frontal", _worst([*angles, crosstalk]), _limits(facts, ("HipAngles.Y", "PelvisAngles.Y", "KneeAngles.Y")))
    by_markers = all(knee_axis_of(layer.tables, layer.condition)[0] == _MARKERS for layer in facts.layers)
    evidence = style.label(f"changed.axis_{'turned' if turned else 'markers' if by_markers else 'shown'}")
    limited = Grade.WARN if by_markers or turned else Grade.ACCEPT
    yield Trust("transverse", _worst([*angles, limited]), _limits(facts, ("HipAngles.Z",), evidence))
    for key, aspect in (("forces", Aspect.KINETICS), ("emg", Aspect.EMG)):
        grade = _worst([_grade_of(layer.tables, aspect) for layer in facts.layers])
        counts = facts.counts(aspect)
        numbers = {side: " + ".join(map(str, counts[side])) for side in SIDES}
        measured = style.label("changed.cycles_both", left=numbers["L"], right=numbers["R"])
        if key == "emg" and grade is Grade.NOT_MEASURED:
            # Measured, but of no leg: the verdicts of both sides know of no signal.
            sides = {side for layer in facts.layers for side in muscle_channels(layer.tables)["side"]}
            unnamed = bool(sides) and not sides & set(SIDES)
            grade = Grade.NOT_JUDGED if unnamed else grade
            measured = style.label("first.channels_of_no_side" if unnamed else "first.no_emg")
        yield Trust(key, grade, measured)
    estimated = [_estimated(layer) for layer in facts.layers]
    yield Trust(
        "events",
        Grade.WARN if any(estimated) else Grade.ACCEPT,
        style.label("changed.events_true" if any(estimated) else "changed.events_false"),
    )
    yield _trust_of_norm(facts)


def _trust_of_norm(facts: Comparison) -> Trust:
    style, norm = facts.style, facts.norm
    if norm is None:
        return Trust("norm", Grade.NOT_MEASURED, style.label("changed.no_norm_short"))
    wider = written(100.0 * (small_norm_factor(norm.n) - 1.0), 0, style.decimal_mark) if norm.n > 1 else "–"
    lines = [style.label("changed.norm_people", n=norm.n, percent=wider)]
    lines += [style.label("changed.norm_age")] if _age_warns(facts) else []
    few = norm.n < CLINICAL_SUBJECTS
    lines += [style.label("changed.orientation")] if few or len(lines) > 1 else []
    return Trust("norm", Grade.WARN if len(lines) > 1 else Grade.ACCEPT, " ".join(lines))


def _age_warns(facts: Comparison) -> bool:
    norm = facts.norm
    if norm is None:
        return False
    sessions = [layer.tables for layer in facts.layers]
    return any(
        ArtefactTests(tables, {}, lambda _: None, {}, norm.people).norm_age() or norm.is_of_other_ages(tables)
        for tables in sessions
    )


def _grade_of(tables: Tables, aspect: Aspect) -> Grade:
    """The worse of both sides of one layer; older folders do not say."""
    verdicts = (tables.summary.get("verdicts") or {}).get(str(aspect), {})
    return _worst([verdicts[side]["verdict"] for side in SIDES if side in verdicts])


def _turned(layer: Layer) -> bool:
    sides = layer.tables.calibration_of(layer.condition).get("sides", {}).values()
    known = [side for side in sides if "knee_varus_slope" in side]
    return any(beyond_healthy(side["knee_varus_slope"], side["knee_varus_correlation"]) for side in known)


def _estimated(layer: Layer) -> bool:
    straight = [trial for trial in layer.trials if any(cycle["used"] for cycle in trial["cycles"])]
    return any(event.get("source_kind") == EventSource.MARKER for trial in straight for event in trial.get("events", ()))


def _limits(facts: Comparison, names: tuple[str, ...], *more: str) -> str:
    """From which change on an angle counts."""
    style, parts = facts.style, []
    for name in names:
        variable, _, component = name.partition(".")
        least = facts.least_change(variable, component)
        if np.isfinite(least):
            parts.append(f"{style.label(f'changed.short_{name}')} ±{written(least, 0, style.decimal_mark)}°")
    limits = [style.label("changed.counts_from", parts=", ".join(parts))] if parts else []
    return " ".join([*more, *limits])


def draw_trust_of_both(sheet: Sheet, facts: Comparison, left_mm: float, top_mm: float, right_mm: float) -> float:
    """Draw the layers with their marks and reasons; return where they end.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : Comparison
        What is compared.
    left_mm, top_mm, right_mm : float
        Millimetres from the sheet's left and top.
    """
    style = sheet.style
    sheet.heading(left_mm, top_mm, style.label("changed.trust"))
    y = top_mm + 4.8
    for each in trust_of(facts):
        mark, colour = MARKS.get(each.grade, _NO_MARK)
        sheet.text(left_mm, y, mark, size="small", colour=colour, weight="bold")
        words = style.label(f"changed.grade_{str(each.grade).replace(' ', '_')}")
        sheet.text(left_mm + 4.5, y, f"{style.label(f'changed.layer_{each.layer}')}: {words}", size="small", weight="bold")
        lines = wrapped(each.reason, right_mm - left_mm - 4.5, style.size("tiny"), most=4)
        y = sheet.paragraph(left_mm + 4.5, y + 0.4, lines, size="tiny", colour="quiet", spacing=1.15) + 3.6
    return y


def draw_differences(sheet: Sheet, facts: Comparison, left_mm: float, top_mm: float, right_mm: float, bottom_mm: float) -> None:
    """List what else differs between the two sessions.

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
    sheet.heading(left_mm, top_mm, style.label("changed.differs"))
    y = top_mm + 2.2
    for text in other_differences(facts):
        lines = wrapped(text, right_mm - left_mm - 3.0, style.size("tiny"), most=3)
        if y + _LINE_MM * len(lines) > bottom_mm:
            sheet.text(left_mm, y + 2.2, "…", size="tiny")
            return
        sheet.text(left_mm, y + style.size("tiny") * MM_PER_POINT, "–", size="tiny", colour="quiet")
        y = sheet.paragraph(left_mm + 3.0, y, lines, size="tiny", colour="quiet", spacing=1.2) + 0.5


def other_differences(facts: Comparison) -> Iterator[str]:
    """Yield a line for each thing that differs, or that nobody stated, besides the walking itself.

    Parameters
    ----------
    facts : Comparison
        What is compared.
    """
    style, mark = facts.style, facts.style.decimal_mark
    first, second = (layer.tables for layer in facts.layers)
    people = [tables.summary.get("subject", {}) for tables in (first, second)]
    for each in treatments_between(facts):
        words = [each.get("date"), each.get("kind"), _side_word(each.get("side", ""), style), each.get("level")]
        yield style.label("changed.treatment", what=", ".join(word for word in words if word))
    codes = [str(person.get("code") or "") for person in people]
    if all(codes) and codes[0] != codes[1]:
        yield style.label("changed.two_persons", before=codes[0], after=codes[1])
    if (days := _days_apart([str(person.get("session_date") or "") for person in people])) is not None:
        yield style.label("changed.months" if days >= 60 else "changed.days", n=round(days / 30.44) if days >= 60 else days)
    masses = [float(person.get("mass_kg") or np.nan) for person in people]
    if abs(masses[1] - masses[0]) > _MASS_SHARE * masses[0]:
        yield style.label("changed.mass", before=written(masses[0], 1, mark), after=written(masses[1], 1, mark))
    legs = [np.mean(list((person.get("leg_length_m") or {}).values()) or [np.nan]) for person in people]
    if abs(legs[1] - legs[0]) > _LEG_M:
        key = "grown" if (people[0].get("age_years") or _CHILD_YEARS) < _CHILD_YEARS else "leg"
        yield style.label(f"changed.{key}", before=written(legs[0], 3, mark), after=written(legs[1], 3, mark))
    for key in ("bandwidth", "kinetics"):
        both = [str(tables.summary.get("fingerprint", {}).get(key) or "–") for tables in (first, second)]
        if both[0] != both[1]:
            yield style.label(f"changed.other_{key}", before=style.word(both[0]), after=style.word(both[1]))
    for key in ("footwear", "aid"):
        if any(NOT_STATED in {trial.get(key, NOT_STATED) for trial in layer.trials} for layer in facts.layers):
            yield style.label(f"changed.unstated_{key}")
    yield style.label("changed.same_markers" if facts.one_placement else "changed.markers_anew")
    if not examined_in(facts):
        yield style.label("changed.no_examination")
    yield from _two_norms(facts)


def _side_word(side: str, style: Style) -> str:
    return style.label(f"side.{LEGS[side]}").lower() if side in LEGS else style.label("changed.both") if side else ""


def treatments_between(facts: Comparison) -> list[Mapping[str, str]]:
    """Return the treatments that either session's subject file names, each once, those after the second session left out.

    Parameters
    ----------
    facts : Comparison
        What is compared.
    """
    named: dict[tuple[str, ...], Mapping[str, str]] = {}
    for layer in facts.layers:
        sections = layer.tables.summary.get("clinic") or {}
        for each in (keys for name, keys in sections.items() if name.startswith(f"{TREATMENT_SECTION} ")):
            named.setdefault(tuple(str(value) for value in each.values()), each)
    last = str(facts.second.tables.summary.get("subject", {}).get("session_date") or "9999")
    first = str(facts.first.tables.summary.get("subject", {}).get("session_date") or "")
    between = (each for each in named.values() if not each.get("date") or first <= str(each["date"]) <= last)
    return sorted(between, key=lambda each: str(each.get("date", "")))


def _days_apart(days: list[str]) -> int | None:
    if not all(days) or days[0] == days[1]:
        return None
    return abs((date.fromisoformat(days[1]) - date.fromisoformat(days[0])).days)


def norms_apart(facts: Comparison) -> tuple[str, str] | None:
    """Return what the two sessions' own norms are called where they were analysed with different ones; else None.

    Parameters
    ----------
    facts : Comparison
        What is compared.
    """
    notes = [layer.tables.summary.get("norm") or {} for layer in facts.layers]
    if not all(notes):
        return None
    names = [facts.style.label("changed.norm_called", source=norm_called(note) or "–", n=people_in(note)) for note in notes]
    return (names[0], names[1]) if names[0] != names[1] else None


def _two_norms(facts: Comparison) -> Iterator[str]:
    if (names := norms_apart(facts)) is not None:
        yield facts.style.label("changed.two_norms", before=names[0], after=names[1])


def examined_in(facts: Comparison) -> list[tuple[str, str, dict[str, tuple[str, str]]]]:
    """Return joint, test, and side -> value before and after as written, of what either session examined on a side.

    Parameters
    ----------
    facts : Comparison
        What is compared.
    """
    tests: dict[tuple[str, str], dict[str, list[str]]] = {}
    for number, layer in enumerate(facts.layers):
        table = layer.tables.examination
        for row in () if table is None else table.to_dict("records"):
            if row["side"] in SIDES and Examined(raw=row["raw"]).seen:
                name = examined_words(facts.style, row["test"], row["muscle"], row["position"])
                values = tests.setdefault((row["joint"], name), {}).setdefault(row["side"], ["–", "–"])
                values[number] = row["raw"]
    order = ("pelvis", "hip", "knee", "ankle", "foot")
    rows = sorted(tests.items(), key=lambda item: order.index(item[0][0]) if item[0][0] in order else len(order))
    return [(joint, name, {side: (v[0], v[1]) for side, v in sides.items()}) for (joint, name), sides in rows]


def draw_examinations(sheet: Sheet, facts: Comparison, left_mm: float, top_mm: float, right_mm: float, bottom_mm: float) -> None:
    """Draw the examination before and after, what changed first where there is no room for all.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : Comparison
        What is compared.
    left_mm, top_mm, right_mm, bottom_mm : float
        Millimetres from the sheet's left and top.
    """
    style, rows = sheet.style, examined_in(facts)
    sheet.heading(left_mm, top_mm, style.label("changed.examination"))
    at = {"L": right_mm - 17.0, "R": right_mm}
    for side, x in at.items():
        sheet.text(x, top_mm + 3.6, style.label(f"side.{side}").lower(), size="tiny", colour=side, weight="bold", ha="right")
    most = min(_MOST_EXAMINED, int((bottom_mm - top_mm - 5.0) // 3.0) - 1)
    changed = [row for row in rows if any(before != after for before, after in row[2].values())]
    shown = rows if len(rows) <= most else [row for row in rows if row in (changed + rows)[:most]][:most]
    y, last = top_mm + 3.9, ""
    for joint, name, sides in shown:
        y += 3.0
        words = f"{examined_words(style, joint)} {name}" if joint != last else name
        last = joint
        sheet.text(left_mm, y, shortened(words, at["L"] - 17.0 - left_mm, style.size("tiny")), size="tiny")
        for side, (before, after) in sorted(sides.items()):
            text = f"{before} → {after}" if before != after else before
            sheet.text(at[side], y, text, size="tiny", ha="right", weight="bold" if before != after else "normal")
    if len(rows) > len(shown):
        sheet.text(left_mm, y + 3.0, style.label("changed.more_examined", n=len(rows) - len(shown)), size="tiny", colour="quiet")
