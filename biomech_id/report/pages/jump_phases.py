"""Jumps laid over one another by phase: angles, moments and reactions of both sides through push-off, flight and landing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from matplotlib.figure import Figure

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.report.layout.numbers import written
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import NO_STRIDES
from biomech_id.report.pages.jumps import Measured, jumps_of
from biomech_id.report.panels.layer import ROWS
from biomech_id.report.panels.page import Content, PageKind, Shows, register
from biomech_id.session.tables.session_tables import Tables
from biomech_id.values import dataclass

#: Push-off begins with the contact before, at most so long before take-off; so much of the landing is shown (s).
BEFORE_S, AFTER_S = 1.0, 0.5
#: What is drawn, top to bottom, with the least distance of its ticks.
_SHOWN = (
    (("HipAngles", "X"), 20.0), (("KneeAngles", "X"), 20.0), (("AnkleAngles", "X"), 20.0), (("KneeMoment", "X"), 1.0),
    (("GroundReactionForce", "Z"), 50.0),
)  # fmt: skip
_TOP_MM, _HEIGHT_MM, _PITCH_MM, _GUTTER_MM = 33.0, 24.0, 32.0, 20.0
_WIDTH_MM = (RIGHT_MM - LEFT_MM - 2 * _GUTTER_MM) / 2
_DASHES: tuple[tuple[float, tuple[float, ...] | None], ...] = (
    (0.0, None),
    (0.0, (5.0, 2.0)),
    (0.0, (2.0, 1.5)),
    (0.0, (6.0, 2.0, 1.5, 2.0)),
)
PhasePaths = list[tuple[str, FloatArray]]


def _of_jump(measured: Measured) -> FloatArray:
    off_s, down_s = measured["jump_take_off_at"][0], measured["jump_landing_at"][0]
    start_s = off_s - min(BEFORE_S, measured.get("jump_contact_time", (BEFORE_S, "s"))[0])
    return np.array([start_s, off_s, down_s, down_s + AFTER_S])


@dataclass(frozen=True)
class Phased:
    """A movement whose trials are laid over one another by phase.

    Attributes
    ----------
    prefix : str
        How its parameters are called.
    needs : tuple[str, ...]
        Parameters without which it has no phases.
    instants_s : Callable[[Mapping[str, tuple[float, str]]], FloatArray]
        Parameters of one -> ends of its phases, absolute seconds; they follow one another along the page, each 100 wide.
    phases : tuple[str, ...]
        Labels of the phases, below those of jumps.
    flight : int
        Number of the phase in which no foot is on the floor; -1 for none.
    """

    prefix: str
    needs: tuple[str, ...]
    instants_s: Callable[[Measured], FloatArray]
    phases: tuple[str, ...]
    flight: int = -1

    def along(self, time_s: FloatArray, measured: Measured) -> FloatArray:
        """Return where each frame lies on the axis of phases, 0 to 100 in the first; NaN outside.

        Parameters
        ----------
        time_s : FloatArray
            (n,), of the frames, absolute seconds.
        measured : Mapping[str, tuple[float, str]]
            Parameter -> value and unit of one.
        """
        ends = 100.0 * np.arange(len(self.phases) + 1)
        return np.asarray(np.interp(time_s, self.instants_s(measured), ends, left=np.nan, right=np.nan))


JUMPING = Phased("jump_", ("jump_take_off_at", "jump_landing_at"), _of_jump, ("push_off", "flight", "landing"), flight=1)


def phase_curves(tables: Tables, variable: tuple[str, str], side: str, factor: float, of: Phased = JUMPING) -> PhasePaths:
    """Return (trial and number, path (n, 2)) of every jump that has the variable on that side, in the plotted unit.

    Parameters
    ----------
    tables : Tables
        Of a session.
    variable : tuple[str, str]
        Name and component of a table of frames.
    side : str
        "L" or "R".
    factor : float
        From the tables' unit to the plotted one.
    of : Phased, optional
        Of which movement.
    """
    curves: PhasePaths = []
    for (trial, number), measured in jumps_of(tables, of.prefix).items():
        frames = tables.frames.get(trial)
        name = f"{side}{variable[0]}.{variable[1]}"
        if frames is None or name not in frames or not set(of.needs) <= set(measured):
            continue
        place = of.along(frames["time"].to_numpy(dtype=float), measured)
        path = np.stack([place, factor * frames[name].to_numpy(dtype=float)], axis=1)[np.isfinite(place)]
        # In flight nothing acts on the foot: kinetics of the flight alone say nothing.
        on_floor = (path[:, 0] // 100.0 != of.flight) if of.flight >= 0 else np.ones(len(path), dtype=bool)
        if np.isfinite(path[on_floor, 1]).any():
            curves.append((f"{trial} {number}", path))
    return curves


def _scale(curves: PhasePaths, step: float) -> Scale:
    values = np.concatenate([path[:, 1] for _, path in curves]) if curves else np.zeros(1)
    low, high = min(0.0, float(np.nanmin(values))), max(step, float(np.nanmax(values)))
    while (high - low) / step > 6:
        step *= 2
    return Scale(step * np.floor(low / step), step * np.ceil(high / step), step)


def _draw(content: Content) -> Iterator[Figure]:
    style = content.style
    before, after = (written(value, 1, style.decimal_mark) for value in (BEFORE_S, AFTER_S))
    yield phases_sheet(content, JUMPING, style.label("jumps.phases_note", before=before, after=after), style.label("jumps.none"))


def phases_sheet(content: Content, of: Phased, note: str, none: str) -> Figure:
    """Return the sheet of a movement's trials laid over one another by phase.

    Parameters
    ----------
    content : Content
        What is drawn, and how.
    of : Phased
        Which movement.
    note : str
        What stands above the panels.
    none : str
        What stands there without any trial.
    """
    style, sheet = content.style, Sheet(content.style)
    names = [f"{trial} {number}" for trial, number in jumps_of(content.tables, of.prefix)]
    if not names:
        sheet.text(LEFT_MM, 30.0, none, size="heading")
        return sheet.figure
    sheet.note(note, 20.5, right_mm=RIGHT_MM)
    for number, (variable, step) in enumerate(_SHOWN):
        factor = style.factor(ROWS[variable])
        curves = {side: phase_curves(content.tables, variable, side, factor, of) for side in SIDES}
        scale = _scale([curve for side in SIDES for curve in curves[side]], step)
        for column, side in enumerate(SIDES):
            left = LEFT_MM + _GUTTER_MM + column * (_WIDTH_MM + _GUTTER_MM)
            panel = sheet.panel(left, _TOP_MM + number * _PITCH_MM, _WIDTH_MM, _HEIGHT_MM)
            panel.frame(Scale(0.0, 100.0 * len(of.phases), 100.0), scale, x_numbers=False)
            _one(panel, variable, side, curves[side], names, 100.0 * len(of.phases))
            if number == len(_SHOWN) - 1:
                for k, phase in enumerate(of.phases):
                    panel.outside(
                        (k + 0.5) * _WIDTH_MM / len(of.phases),
                        -4.0,
                        style.label(f"jumps.{phase}"),
                        size="tiny",
                        colour="quiet",
                        ha="center",
                    )
    return sheet.figure


def _one(panel: Panel, variable: tuple[str, str], side: str, curves: PhasePaths, names: list[str], width: float) -> None:
    style, row = panel.style, ROWS[variable]
    title = style.label("movement.title", title=style.word(row.title), kind=style.label(f"side.{side}"))
    panel.outside(0.0, _HEIGHT_MM + 1.3, f"{title}, {style.word(style.unit(row))}", size="small", weight="bold", colour=side)
    panel.end_words(style.word(row.positive), style.word(row.negative), left_mm=9.5)
    for name, path in curves:
        dashes = _DASHES[names.index(name) % len(_DASHES)]
        panel.polylines([path], colour=side, width=1.0, dashes=dashes, gid=f"{side}|{variable[0]}.{variable[1]}|{name}")
    if not curves:
        panel.notice(style.label("jumps.no_side"))
    elif variable == _SHOWN[0][0]:
        _legend(panel, side, names, width)


def _legend(panel: Panel, side: str, names: list[str], width: float) -> None:
    """Which dash is which jump, above the first panel."""
    right, shown = panel.size_mm[0], names[:6]
    for place, name in enumerate(reversed(shown)):
        at = right - 22.0 * (place + 1)
        if at < 44.0:
            break
        x = np.array([at, at + 5.0]) / panel.size_mm[0] * width
        up = panel.get_ylim()[0] + (panel.size_mm[1] + 2.2) / panel.size_mm[1] * (panel.get_ylim()[1] - panel.get_ylim()[0])
        line = panel.polylines(
            [np.stack([x, [up, up]], axis=1)], colour=side, width=1.0, dashes=_DASHES[names.index(name) % len(_DASHES)]
        )
        line.set_clip_on(False)
        panel.outside(at + 6.0, _HEIGHT_MM + 1.4, name, size="tiny")


register(
    PageKind("jump_phases", 12, _draw, Shows.SESSION, sheets=0, own=NO_STRIDES, spared=lambda content: not jumps_of(content.tables))
)
