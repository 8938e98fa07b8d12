"""What can be trusted of a session, layer by layer and plane by plane, and what could not have been said of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.interpretation.deviations import LEAST_SAID_CYCLES, MOST_UNSAID, could_not_have_been_said
from biomech_id.languages import worded
from biomech_id.models.joint_centres.knee_axis_walk import HEALTHY_SLOPE
from biomech_id.movement.grades import Grade
from biomech_id.report.first.facts import SessionFacts
from biomech_id.report.first.patterns import rule_words, value_text
from biomech_id.report.first.profile import band_of
from biomech_id.report.layout.findings import grade_colour
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.style import NO_STRIDES, Style
from biomech_id.report.layout.typography import MM_PER_POINT, width_mm, wrapped
from biomech_id.session.tables.session_tables import Table, Tables, tidy_table
from biomech_id.session.values.norm import CLINICAL_SUBJECTS
from biomech_id.trial.worn import NOT_STATED
from biomech_id.values import dataclass

#: Grade -> its shape, so that no colour is needed; what was not measured or judged is an empty ring.
SHAPES: dict[Grade, str] = {Grade.ACCEPT: "●", Grade.WARN: "▲", Grade.REJECT: "✕"}
_RING = "○"
#: Plane -> the angles whose errors are printed.
_PLANES: dict[str, tuple[tuple[str, tuple[str, str]], ...]] = {
    "sagittal": (("hip", ("HipAngles", "X")), ("knee", ("KneeAngles", "X")), ("ankle", ("AnkleAngles", "X"))),
    "frontal": (("pelvis", ("PelvisAngles", "Y")), ("hip", ("HipAngles", "Y")), ("knee", ("KneeAngles", "Y"))),
    "transverse": (("pelvis", ("PelvisAngles", "Z")), ("hip", ("HipAngles", "Z")), ("foot", ("FootProgressAngles", "Z"))),
}
_LIVE, _QUIET, _MOST_LOST = "live", "quiet", 3
#: Ways to a knee's axis that a wand's place does not decide.
_CARRIES_AXIS = ("device", "functional", "midpoint of the medial")


@dataclass(frozen=True)
class LayerTrust:
    """How far one layer can be trusted.

    Attributes
    ----------
    layer : str
        "sagittal", "forces", "emg" ...
    grade : Grade
        Good, with limits, not usable; not measured.
    details : tuple[str, ...]
        Why, in words with their numbers.
    """

    layer: str
    grade: Grade
    details: tuple[str, ...]


def trusted(facts: SessionFacts) -> tuple[LayerTrust, ...]:
    """Return the grade of each layer with its reasons, angles plane by plane.

    Parameters
    ----------
    facts : SessionFacts
        One condition of the session, and the norm.
    """
    if facts.layer.kind in NO_STRIDES:
        by_verdict = {"angles": "kinematics", "forces": "kinetics"}
        of_layers = [LayerTrust(name, _of_layer(facts, each), tuple(_reasons(facts, each))) for name, each in by_verdict.items()]
        return (*of_layers, _muscle_signals(facts), _norm(facts))
    return (*_angles(facts), _forces(facts), _muscle_signals(facts), _events(facts), _norm(facts))


def _worst(*grades: Grade) -> Grade:
    return max(grades, key=list(Grade).index)


def _of_layer(facts: SessionFacts, layer: str) -> Grade:
    """The worse side's verdict of a layer over the trials; old tables say nothing by layer."""
    sides = (facts.tables.summary.get("verdicts") or {}).get(layer)
    if sides is None:
        return Grade(facts.tables.summary.get("verdict", Grade.NOT_JUDGED))
    return _worst(*(Grade(one["verdict"]) for one in sides.values()))


def _counts_text(facts: SessionFacts, counts: Mapping[str, int], label: str) -> str:
    return facts.style.label(label, left=counts["L"], right=counts["R"])


def _angles(facts: SessionFacts) -> Iterator[LayerTrust]:
    style, grade = facts.style, _of_layer(facts, "kinematics")
    if min(facts.counts.values()) < LEAST_SAID_CYCLES:
        grade = _worst(grade, Grade.WARN)
    carried = any(word in _knee_axes(facts) for word in _CARRIES_AXIS)
    for plane, names in _PLANES.items():
        details, own = [], grade
        if plane == "sagittal":
            details.append(_counts_text(facts, facts.counts, "first.cycles"))
            if facts.tables.calibration_of(facts.layer.condition).get("foot_flat") is not True:
                details.append(style.label("first.no_flat_static"))
        elif not carried:
            own = _worst(own, Grade.WARN)
            details += [style.label("first.wands"), *_turned(facts)] if plane == "transverse" else []
        errors = [
            style.label("first.error", name=style.label(f"first.of_{joint}"), band=value_text(band, "deg", style))
            for joint, name in names if np.isfinite(band := band_of(facts, name))
        ]  # fmt: skip
        yield LayerTrust(plane, own, (*details, ", ".join(errors) if errors else style.label("first.no_errors")))


def _knee_axes(facts: SessionFacts) -> str:
    """Words of the calibration about how the knees' axes came about."""
    calibration = facts.tables.calibration_of(facts.layer.condition)
    legs = [leg.get("knee_centre_method", "") for leg in calibration.get("sides", {}).values()]
    return " ".join(map(str, [calibration.get("knee_and_ankle_centre_method", ""), *legs]))


def _turned(facts: SessionFacts) -> Iterator[str]:
    """What varus in swing shows of each knee's axis: its slope, which proves nothing where it is small."""
    style, legs = facts.style, facts.tables.calibration_of(facts.layer.condition).get("sides", {})
    slopes = {side: slope for side in SIDES if (slope := legs.get(side, {}).get("knee_varus_slope")) is not None}
    if slopes:
        large = any(abs(slope) >= HEALTHY_SLOPE for slope in slopes.values())
        words = (f"{style.label(f'first.side_{side}')} {value_text(slope, '1', style)}" for side, slope in slopes.items())
        yield style.label("first.slope_large" if large else "first.slope", slopes=", ".join(words))


def _forces(facts: SessionFacts) -> LayerTrust:
    style, grade = facts.style, _of_layer(facts, "kinetics")
    details = [_counts_text(facts, facts.loaded, "first.cycles_loaded"), *worn_words(facts, ("none", "barefoot"))]
    if not any(facts.loaded.values()):
        measured = any(trial["plates"] for trial in facts.layer.trials)
        grade = _worst(grade, Grade.REJECT) if measured else Grade.NOT_MEASURED
    elif min(facts.loaded.values()) < LEAST_SAID_CYCLES:
        grade = _worst(grade, Grade.WARN)
    if min(facts.loaded.values()) < LEAST_SAID_CYCLES:
        details += (style.label("first.other_cycles", why=why) for why in _reasons(facts, "kinetics"))
    return LayerTrust("forces", grade, tuple(details))


def worn_words(facts: SessionFacts, besides: Sequence[str] = ()) -> Iterator[str]:
    """Yield what the walks of this page were walked in and with, in words.

    Parameters
    ----------
    facts : SessionFacts
        One condition of the session, and the norm.
    besides : Sequence[str], optional
        Of `biomech_id.trial.worn`, what is not worth a word.
    """
    for name in ("footwear", "aid"):
        stated = dict.fromkeys(str(trial.get(name, "")) for trial in facts.layer.trials)
        words = (word for word in stated if word not in ("", NOT_STATED, *besides))
        labels = facts.style.labels
        yield from (facts.style.label(f"first.{name}", what=labels.get(word) or labels.get(f"worn.{word}", word)) for word in words)


def _reasons(facts: SessionFacts, layer: str) -> Iterator[str]:
    """The commonest reason why cycles of a layer do not count."""
    sides = (facts.tables.summary.get("verdicts") or {}).get(layer, {})
    reasons = [why for one in sides.values() for why in one["reasons"][:1]]
    yield from (worded(why["rule"], why.get("values", {}), facts.style.language) for why in reasons[:1])


def muscle_channels(tables: Tables) -> Table:
    """Return the rows of ``channels.csv`` that are muscles; none where no channel is.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    """
    channels = tidy_table("channels") if tables.channels is None else tables.channels
    muscles: Table = channels[channels["verdict"] != "not_emg"]
    return muscles


def _muscle_signals(facts: SessionFacts) -> LayerTrust:
    style, own = facts.style, muscle_channels(facts.tables)
    if not len(own):
        return LayerTrust("emg", Grade.NOT_MEASURED, (style.label("first.no_emg"),))
    names = ["label", "side", "muscle"]
    live = own[own["verdict"] == _LIVE].drop_duplicates(names)
    every = own.drop_duplicates(names)
    # A muscle at rest in the static trial is not lost.
    dead = own[(own["verdict"] != _LIVE) & ~((own["verdict"] == _QUIET) & own["label"].isin(live["label"]))]
    notes = [style.label("first.channels", live=len(live), n=len(every))]
    lost = dict(zip(dead["label"], dead["verdict"], strict=True))
    notes += [f"{label}: {style.label(f'emg.verdict_{verdict}')}" for label, verdict in list(lost.items())[:_MOST_LOST]]
    if not set(SIDES) & set(own["side"]):
        # Measured, but of no leg: the verdicts of both sides know of no signal.
        return LayerTrust("emg", Grade.NOT_JUDGED, (*notes, style.label("first.channels_of_no_side")))
    return LayerTrust("emg", _of_layer(facts, "emg"), tuple(notes))


def _events(facts: SessionFacts) -> LayerTrust:
    style = facts.style
    events = [event for trial in facts.layer.trials for event in trial["events"]]
    kinds = list(dict.fromkeys(str(event.get("source_kind", event.get("source", ""))) for event in events))
    if not kinds:
        return LayerTrust("events", Grade.NOT_JUDGED, ())
    grade = Grade.WARN if "marker" in kinds else Grade.ACCEPT
    return LayerTrust("events", grade, (", ".join(style.label(f"first.events_{kind}") for kind in kinds),))


def _norm(facts: SessionFacts) -> LayerTrust:
    style, norm = facts.style, facts.norm
    if norm is None:
        return LayerTrust("norm", Grade.NOT_MEASURED, (style.label("first.norm_none"),))
    notes = [style.label("first.norm_people", n=facts.people)]
    few = facts.people < CLINICAL_SUBJECTS
    warns = {name: True in facts.artefacts.get(name, ()) for name in ("norm-age", "footwear", "aid")}
    warns["norm-age"] |= norm.is_of_other_ages(facts.tables)
    unfit = [name for name, warned in warns.items() if warned]
    notes += [style.label("first.orientation")] if few else []
    notes += [style.label(f"warns.{name}") for name in unfit]
    notes += [style.label("first.orientation_age")] if warns["norm-age"] and not few else []
    never = [style.label(f"artefact.{name}") for name, warnings in facts.artefacts.items() if warnings == {None}]
    notes += [style.label("first.not_tested", tests=", ".join(never))] if never else []
    return LayerTrust("norm", Grade.WARN if few or unfit else Grade.ACCEPT, tuple(notes))


def draw_trust(sheet: Sheet, layers: Sequence[LayerTrust], left_mm: float, right_mm: float, top_mm: float) -> float:
    """Draw the layers with shape, grade and reasons; return where they end.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    layers : Sequence[LayerTrust]
        As of `trusted`.
    left_mm, right_mm, top_mm : float
        Millimetres from the sheet's left and top.
    """
    style = sheet.style
    sheet.heading(left_mm, top_mm, style.label("first.trust"))
    y = top_mm + 1.4
    for each in layers:
        sheet.text(left_mm, y + 3.0, SHAPES.get(each.grade, _RING), size="body", colour=grade_colour(each.grade))
        judged, details = layer_words(each, style)
        sheet.text(left_mm + 5.0, y + 3.0, judged, size="small", weight="bold")
        lines = wrapped(details, right_mm - left_mm - 5.0, style.size("tiny"), most=3)
        y = sheet.paragraph(left_mm + 5.0, y + 3.4, lines, size="tiny", colour="quiet", spacing=1.2) + 0.4
    return y


def layer_words(each: LayerTrust, style: Style) -> tuple[str, str]:
    """Return a layer with its grade in words, and why.

    Parameters
    ----------
    each : LayerTrust
        The layer.
    style : Style
        Colours, words, scales and units of the report.
    """
    return f"{style.label(f'first.layer_{each.layer}')}: {grade_word(each.grade, style)}", "; ".join(filter(None, each.details))


def grade_word(grade: Grade, style: Style) -> str:
    """Return a grade as this page names it.

    Parameters
    ----------
    grade : Grade
        Worst grade of a layer's rules.
    style : Style
        Colours, words, scales and units of the report.
    """
    return style.label(f"first.grade_{grade.name.lower()}")


def draw_layer_line(sheet: Sheet, layers: Sequence[LayerTrust], left_mm: float, y_mm: float) -> None:
    """Draw the session's verdict by layer in one line: which layers are good, with limits, not usable.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    layers : Sequence[LayerTrust]
        As of `trusted`.
    left_mm : float
        Where the first of the three parts begins; each other one follows the one before it, so that none is cut.
    y_mm : float
        Baseline, from the sheet's top.
    """
    style, size = sheet.style, sheet.style.size("small")
    x = left_mm
    for grade in SHAPES:
        names = [style.label(f"first.short_{each.layer}") for each in layers if each.grade == grade]
        head, text = f"{grade_word(grade, style)}: ", ", ".join(names) or style.label("first.none")
        after = x + 4.0 + width_mm(head, size, weight="bold")
        sheet.text(x, y_mm, SHAPES[grade], size="body", colour=grade)
        sheet.text(x + 4.0, y_mm, head, size="small", weight="bold")
        sheet.text(after, y_mm, text, size="small")
        x = after + width_mm(text, size) + 8.0


def draw_unsayable(sheet: Sheet, facts: SessionFacts, left_mm: float, top_mm: float, right_mm: float) -> float:
    """Draw what could not have been said of this session, however far it had been from the norm; return where it ends.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : SessionFacts
        The session, judged.
    left_mm, top_mm, right_mm : float
        Millimetres from the sheet's left and top.
    """
    style, text = sheet.style, unsayable_words(facts)
    if not text:
        return top_mm
    lines = wrapped(text, right_mm - left_mm - 7.0, style.size("small"))
    height = 7.0 + len(lines) * style.size("small") * MM_PER_POINT * 1.25
    sheet.box(left_mm, top_mm, right_mm - left_mm, height, face="shade", edge=None)
    sheet.box(left_mm, top_mm, 1.4, height, face="quiet", edge=None)
    sheet.text(left_mm + 4.0, top_mm + 4.4, style.label("first.unsayable"), size="body", weight="bold")
    sheet.paragraph(left_mm + 4.0, top_mm + 5.4, lines, size="small", spacing=1.25)
    return top_mm + height


def unsayable_words(facts: SessionFacts) -> str:
    """Return what could not have been said, in words; empty where everything could.

    Parameters
    ----------
    facts : SessionFacts
        The session, judged.
    """
    sides, rows = unsayable(facts)
    rows = [facts.style.label("first.unsayable_text", rows=", ".join(rows))] if rows else []
    return " ".join([*(f"{side}." for side in sides), *rows])


def unsayable(facts: SessionFacts) -> tuple[list[str], list[str]]:
    """Return what could not have been said: sides of too few cycles, and rows with the least deviation that could; five at most.

    Parameters
    ----------
    facts : SessionFacts
        The session, judged.
    """
    style = facts.style
    sides = [
        style.label(label, side=style.label(f"side.{side}"), n=counts[side])
        for side in SIDES
        for counts, label in ((facts.counts, "first.side_few"), (facts.loaded, "first.loads_few"))
        if counts[side] < LEAST_SAID_CYCLES and (counts is facts.counts or facts.counts[side] >= LEAST_SAID_CYCLES)
    ]
    if facts.lacks_bands and len(facts.silent_sides) < len(SIDES):
        sides.append(style.label("first.nothing_without_errors"))
    rows = [
        style.label(
            "first.unsayable_row" if np.isfinite(each.least_sayable) else "first.unsayable_turned",
            words=rule_words(facts.rules[each.pattern], style)[1],
            side=each.side,
            least=value_text(each.least_sayable, each.unit, style),
            pattern=each.pattern,
        )
        for each in could_not_have_been_said(facts.judged, facts.rules)
    ]
    return sides, rows[: max(0, MOST_UNSAID - len(sides))]
