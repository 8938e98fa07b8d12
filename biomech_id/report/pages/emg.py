"""Muscle signals over the gait cycle: the raw ones of every cycle one below the other, and mean envelopes over the norm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.figure import Figure

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import EMG_VARIABLE, SIDES, Aspect
from biomech_id.emg.timing import TIMING_SOURCES, normal_bands
from biomech_id.report.layout.numbers import digits, three_digits
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.records import records
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.panels.curve_panel import CYCLE, PERCENT
from biomech_id.report.panels.emg_rows import EmgView, MuscleRow, draw_active, draw_trace, muscle_title, row_heading
from biomech_id.report.panels.layer import Layer, statistics
from biomech_id.report.panels.norm import Norm
from biomech_id.report.panels.page import Content, PageKind, of_each, register
from biomech_id.session.tables.means import counted

_TOP_MM, _GAP_MM, _GUTTER_MM = 36.0, 6.0, 12.0
_MOST_ROWS, _MOST_CYCLES, _TALLEST_MM = 8, 8, 26.0
_WIDTH_MM = (RIGHT_MM - LEFT_MM - _GUTTER_MM) / 2
#: Envelopes: a grid of panels, the same scale in each.
_COLUMNS, _ENVELOPE_GUTTER_MM, _MARGIN_MM, _ENVELOPE_MM, _PITCH_MM = 4, 14.0, 8.0, 30.0, 43.0
_PERCENT_OF_PEAK = Scale(0.0, 150.0, 50.0)
_BAND_OPACITY = 0.35


class CycleLine(Protocol):
    """A row of `Tables.cycle_list`, as far as this page reads it."""

    trial: str
    side: str
    cycle: int
    start_s: float
    end_s: float
    kinetics_valid: str
    emg: bool


def _view(layer: Layer) -> EmgView:
    return EmgView(layer.tables, tuple(trial["name"] for trial in layer.trials))


def muscle_view(layer: Layer) -> tuple[EmgView, list[MuscleRow]]:
    """Return the muscle signals of a layer, and the muscles of which somebody says the side.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    """
    view = _view(layer)
    return view, [row for row in view.rows if set(row.labels) & set(SIDES)]


def cycle_pages(layer: Layer, style: Style) -> Iterator[Figure]:
    """Draw the raw signal of every cycle, one below the other, with on and off and the normal band, on as many sheets as it takes.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, words, scales and units of the report.
    """
    view, rows = muscle_view(layer)
    for first in range(0, max(1, len(rows)), _MOST_ROWS):
        sheet = Sheet(style)
        some = rows[first : first + _MOST_ROWS]
        sources = "; ".join(f"{letter}: {style.label(f'emg.timing_{letter}')}" for letter in TIMING_SOURCES)
        sheet.note(
            style.label("emg.cycles_note", half=digits(view.scale, "g", style.decimal_mark), unit=view.unit, sources=sources), 20.0
        )
        if not some:
            sheet.text(LEFT_MM, 40.0, style.label("emg.no_sides"), size="body")
        pitch = min(_TALLEST_MM + _GAP_MM, (BOTTOM_MM - 6.0 - _TOP_MM) / max(1, len(some)))
        for number, row in enumerate(some):
            for column, side in enumerate(SIDES):
                left = LEFT_MM + column * (_WIDTH_MM + _GUTTER_MM)
                panel = sheet.panel(left, _TOP_MM + number * pitch, _WIDTH_MM, pitch - _GAP_MM)
                draw_cycles(panel, view, layer, row, side, x_numbers=number == len(some) - 1)
        yield sheet.figure


def draw_cycles(panel: Panel, view: EmgView, layer: Layer, row: MuscleRow, side: str, *, x_numbers: bool) -> None:
    """Fill a panel with the raw signals of one muscle of one side, a line for each cycle.

    Parameters
    ----------
    panel : Panel
        Where to draw.
    view : EmgView
        The muscle signals of its trials.
    layer : Layer
        Cycles of one movement and one condition.
    row : MuscleRow
        The muscle.
    side : str
        "L" or "R".
    x_numbers : bool
        Whether numbers stand at the axis.
    """
    style, label = panel.style, row.labels.get(side)
    cycles = [] if label is None else _cycles_of(view, layer, label, side)
    shown = cycles[:_MOST_CYCLES]
    panel.frame(CYCLE, Scale(-len(shown) * 2.3 or -1.0, 0.0, 100.0), x_numbers=x_numbers, y_numbers=False)
    if label is None:
        return
    refusal = view.refusal(label, style)
    counted = style.label("emg.cycles" if len(shown) == len(cycles) else "emg.some_cycles", shown=len(shown), n=len(cycles))
    row_heading(panel, f"{style.label(f'side.{side}')} {muscle_title(row.name, style)}", [] if refusal else [counted])
    if refusal:
        panel.notice(style.label("emg.not_shown", verdict=refusal))
        return
    _draw_band(panel, row.name, layer.foot_off_percent(side))
    for number, cycle in enumerate(shown):
        middle = -1.1 - 2.3 * number
        trace = view.raw(cycle.trial, label)
        inside = trace[(trace[:, 0] >= cycle.start_s) & (trace[:, 0] <= cycle.end_s)]
        percent = 100.0 * (inside[:, 0] - cycle.start_s) / (cycle.end_s - cycle.start_s)
        draw_trace(panel, inside, view.scale, colour=side if cycle.emg else "norm", x=percent, middle=middle)
        draw_active(panel, view.active(cycle.trial, label, int(cycle.cycle)), middle - 1.05, colour="ink")
    _foot_off(panel, side, layer.foot_off_percent(side))


def _cycles_of(view: EmgView, layer: Layer, label: str, side: str) -> list[CycleLine]:
    """Cycles of a side in trials where the channel is live, whole ones only."""
    return [
        cycle for cycle in records(layer.cycles)
        if cycle.side == side and cycle.kinetics_valid != "stance_only"
        and (line := view.channel(cycle.trial, label)) is not None and line.verdict == "live"
    ]  # fmt: skip


def _draw_band(panel: Panel, muscle: str, foot_off_percent: float) -> None:
    """Shade when the muscle is usually on, stretched to the patient's own foot off: no limit, and no verdict."""
    low, high = panel.get_ylim()
    for on, off in normal_bands(muscle, foot_off_percent):
        x = np.array([on, off])
        panel.band(x, np.full(2, low), np.full(2, high), colour="norm", opacity=_BAND_OPACITY, zorder=0.4, gid=None)


def _foot_off(panel: Panel, side: str, percent: float) -> None:
    if np.isfinite(percent):
        low, high = panel.get_ylim()
        panel.polylines(
            [np.array([[percent, low], [percent, high]])], colour=side, width=0.8, dashes=panel.style.dashes(side), zorder=4
        )


def envelope_pages(layers: Sequence[Layer], style: Style, norm: Norm | None) -> Iterator[Figure]:
    """Draw mean envelopes with their spread, left and right over each other, on as many sheets as it takes.

    Parameters
    ----------
    layers : Sequence[Layer]
        One, or two to compare; of the second only means are drawn.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        What stands behind the curves, or None.
    """
    layer, (view, rows) = layers[0], muscle_view(layers[0])
    per_sheet = _COLUMNS * int((BOTTOM_MM - _TOP_MM) // _PITCH_MM)
    width = (RIGHT_MM - LEFT_MM - _MARGIN_MM - (_COLUMNS - 1) * _ENVELOPE_GUTTER_MM) / _COLUMNS
    for first in range(0, max(1, len(rows)), per_sheet):
        sheet = Sheet(style)
        named = (
            style.label("common.norm_named", n=norm.n) if norm is not None and _has_norm(norm, rows) else style.label("emg.no_norm")
        )
        sheet.note(style.label("emg.envelope_note", norm=named, scaled=_scaled(layer, style)), 20.0)
        if not rows:
            sheet.text(LEFT_MM, 40.0, style.label("emg.no_sides"), size="body")
        for number, row in enumerate(rows[first : first + per_sheet]):
            line, column = divmod(number, _COLUMNS)
            left = LEFT_MM + _MARGIN_MM + column * (width + _ENVELOPE_GUTTER_MM)
            panel = sheet.panel(left, _TOP_MM + line * _PITCH_MM, width, _ENVELOPE_MM)
            draw_envelopes(panel, layer, view, row, norm, y_numbers=column == 0)
        yield sheet.figure


def _scaled(layer: Layer, style: Style) -> str:
    """What amplitudes are a percentage of, and what that cannot show."""
    reference = layer.tables.manifest.get("recipe", {}).get("emg", {}).get("emg_reference", "")
    if not reference:
        return style.label("emg.by_peak")
    moves = Path(reference).stem in {trial["name"] for trial in layer.tables.summary["trials"]}
    return style.label("emg.by_movement" if moves else "emg.by_reference", name=reference)


def _has_norm(norm: Norm, rows: Sequence[MuscleRow]) -> bool:
    return any((EMG_VARIABLE.format(muscle=row.name), "") in norm.curves for row in rows)


def draw_envelopes(
    panel: Panel, layer: Layer, view: EmgView, row: MuscleRow, norm: Norm | None, *, y_numbers: bool = True, counted: bool = True
) -> None:
    """Fill a panel with the mean envelopes of one muscle, left and right, over the norm.

    Parameters
    ----------
    panel : Panel
        Where to draw.
    layer : Layer
        Cycles of one movement and one condition.
    view : EmgView
        The muscle signals of its trials.
    row : MuscleRow
        The muscle.
    norm : Norm | None
        What stands behind the curves, or None.
    y_numbers : bool, optional
        Whether numbers stand at the vertical axis.
    counted : bool, optional
        Whether cycles are counted above the panel, and missing sides explained below it.
    """
    style, counts, absent = panel.style, [], []
    panel.frame(CYCLE, _PERCENT_OF_PEAK, x_numbers=True, y_numbers=y_numbers)
    normal = norm.curves.get((EMG_VARIABLE.format(muscle=row.name), "")) if norm is not None else None
    if normal is not None:
        mean, sd = normal
        panel.band(PERCENT, mean - sd, mean + sd, colour="norm", opacity=0.5, zorder=1.0, gid=None)
    for side in SIDES:
        label = row.labels.get(side)
        if label is None:
            continue
        curves = used_envelopes(layer, label)
        refusal = view.refusal(label, style)
        if refusal:
            absent.append(style.label("emg.side_not_shown", side=style.label(f"side.{side}"), verdict=refusal))
        elif not len(curves):
            why = "side_no_signal" if layer.count(side, Aspect.KINEMATICS) else "side_no_cycle"
            absent.append(style.label(f"emg.{why}", side=style.label(f"side.{side}")))
        else:
            drawn = statistics(curves)
            spread = np.nan_to_num(drawn.sd)
            panel.band(PERCENT, drawn.mean - spread, drawn.mean + spread, colour=side, opacity=0.2, zorder=2.0, gid=None)
            panel.polylines(
                [np.column_stack([PERCENT, drawn.mean])], colour=side, width=style.width("mean"), dashes=style.dashes(side)
            )
            counts.append(f"{side} {drawn.n}: {_peak(view, label, style.decimal_mark)}")
        _foot_off(panel, side, layer.foot_off_percent(side))
        for on, off in normal_bands(row.name, layer.foot_off_percent(side)):
            level = 147.0 if side == "L" else 142.0
            panel.polylines([np.array([[on, level], [off, level]])], colour="zero", width=1.6, zorder=2.5)
    row_heading(panel, muscle_title(row.name, style))
    if counted:
        panel.outside(panel.size_mm[0], panel.size_mm[1] + 4.0, "   ".join(counts), size="tiny", colour="quiet", ha="right")
    for number, sentence in enumerate(absent if counted else ()):
        panel.outside(panel.size_mm[0] / 2, -6.4 - 2.6 * number, sentence, size="tiny", colour="quiet", ha="center")


def used_envelopes(layer: Layer, label: str) -> FloatArray:
    """Return the envelopes of one channel over the cycles in its mean, (n, 101), percent of its peak.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    label : str
        Of the channel.
    """
    table = layer.tables.emg
    if table is None:
        return np.empty((0, len(PERCENT)))
    names = [trial["name"] for trial in layer.trials]
    of_channel = table[(table["label"] == label) & table["trial"].isin(names)]
    # A cycle in which the channel failed is in no mean of its muscle.
    straight = layer.kind == "straight"
    averaged = counted(layer.cycles, Aspect.EMG)
    wanted = set(zip(averaged["trial"], averaged["side"], averaged["cycle"], strict=True))
    inside = [cycle in wanted for cycle in zip(of_channel["trial"], of_channel["side"], of_channel["cycle"], strict=True)]
    of_channel = of_channel[
        np.asarray(inside, dtype=bool) & (of_channel["used"] == "true" if straight else of_channel["verdict"] == "live")
    ]
    return np.asarray(of_channel["percent_peak"].to_numpy(dtype=float).reshape(-1, len(PERCENT)))


def _peak(view: EmgView, label: str, mark: str) -> str:
    """What 100 % is, with its unit."""
    first = next((row for trial in view.trials if (row := view.channel(trial, label)) is not None and np.isfinite(row.peak)), None)
    return "–" if first is None else f"100 % = {three_digits(first.peak, mark)} {'µV' if first.unit == 'uV' else first.unit}"


def _or_none(content: Content, pages: Iterator[Figure]) -> Iterator[Figure]:
    """The pages, or the one that says that the session has no muscle signals."""
    if content.tables.channels is not None:
        yield from pages
        return
    sheet = Sheet(content.style)
    sheet.text(LEFT_MM, 30.0, content.style.label("emg.none"), size="heading")
    yield sheet.figure


def _draw_cycles(content: Content) -> Iterator[Figure]:
    return _or_none(content, cycle_pages(content.layers[0], content.style))


def _draw_envelopes(content: Content) -> Iterator[Figure]:
    return _or_none(content, envelope_pages(content.layers, content.style, content.norm))


register(PageKind("emg_cycles", 112, _draw_cycles, needs=("channels",), compare=of_each, sheets=0))
register(PageKind("emg", 76, _draw_envelopes, needs=("channels",), compare=of_each, sheets=1))
