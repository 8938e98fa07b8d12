"""The charts of a laboratory's memory: a page for each plate and one for the session, values above cumulative sums."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import numpy as np

from biomech_id._version import __version__
from biomech_id.errors import MissingInputError
from biomech_id.judgement.laboratory.charts import LIMIT
from biomech_id.judgement.laboratory.memory import ChartedLab
from biomech_id.judgement.laboratory.values import CHARTS
from biomech_id.languages import plates_called
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.panels.page import Page
from biomech_id.report.pdf import no_collector, stamp, write_pdf

#: Two columns of charts; of each the values, and below them the sums.
_TOP_MM, _PITCH_MM, _HEIGHT_MM, _SUMS_MM, _SUMS_BELOW_MM = 44.0, 50.0, 24.0, 9.0, 28.0
_MARGIN_MM, _WIDTH_MM, _COLUMN_MM = 14.0, 118.0, 139.0
_MOST_NUMBERS = 20
#: Of an alarm's diamond, points squared.
_ALARM_AREA = 22.0
#: Scale of each unit; wider where a session asks for it.
_SCALES = {
    "mm": Scale(-30.0, 30.0, 10.0), "deg": Scale(-10.0, 10.0, 5.0), "%": Scale(-10.0, 10.0, 5.0), "ms": Scale(-20.0, 40.0, 20.0),
}  # fmt: skip
#: Marker noise is the logarithm of a jerk and has no zero of its own.
_FREE = ("marker noise",)
_SUMS = Scale(0.0, 8.0, 4.0)


def draw_lab_chart(lab: ChartedLab, path: Path, style: Style | str | Path | None = None) -> Path:
    """Draw the charts of a laboratory, and return the file.

    Parameters
    ----------
    lab : ChartedLab
        Charts over all sessions of the laboratory.
    path : Path
        The PDF file; an existing one is replaced.
    style : Style | str | Path | None, optional
        A `Style`, or a laboratory's style file.

    Raises
    ------
    MissingInputError
        No session says anything that is charted.
    OutputError
        The PDF cannot be written.
    """
    if not lab.keys:
        raise MissingInputError(
            f"None of {len(lab.sessions)} sessions says anything that is charted.",
            value=len(lab.sessions), expected="results of walks over force plates, of this version", where=str(path),
        )  # fmt: skip
    look = style if isinstance(style, Style) else load_style(style)
    with mpl.rc_context(look.rc), no_collector():
        pages = list(lab_pages(lab, look))
        known = [session.date for session in lab.sessions if session.date]
        stamp(pages, look, code="", session=f"{known[0]} - {known[-1]}" if known else "", version=__version__)
        return write_pdf(pages, path, look, title=look.label("lab.title"))


def lab_pages(lab: ChartedLab, style: Style) -> Iterator[Page]:
    """Yield a page for the session, where it has charts, then one for each plate.

    Parameters
    ----------
    lab : ChartedLab
        Charts over all sessions of the laboratory.
    style : Style
        How pages look.
    """
    for of in dict.fromkeys(of for _, of in lab.keys):
        sheet = Sheet(style)
        sheet.note(style.label("lab.how", sessions=len(lab.sessions)), 22.0, right_mm=RIGHT_MM)
        for place, at in enumerate(at for at, key in enumerate(lab.keys) if key[1] == of):
            row, column = divmod(place, 2)
            _chart(sheet, lab, at, LEFT_MM + _MARGIN_MM + column * _COLUMN_MM, _TOP_MM + row * _PITCH_MM)
        key = ", ".join(f"{at + 1} {lab.sessions[at].name}" for at in _named(lab, of))
        sheet.note(key, 192.0, right_mm=RIGHT_MM, most=2)
        title = style.label("lab.of_plate", plate=plates_called(of, style.language)) if of else style.label("lab.of_session")
        yield Page(f"lab-{of or 'session'}", title, sheet.figure)


def _named(lab: ChartedLab, of: str) -> list[int]:
    """Places of the sessions that a page names: all that fit, else first and last, alarms, and those that cannot use the plate."""
    n = len(lab.sessions)
    if n <= _MOST_NUMBERS:
        return list(range(n))
    alarms = {at for at, key, _, _ in lab.alarms() if key[1] == of}
    return sorted({0, n - 1} | alarms | {at for at, session in enumerate(lab.sessions) if of in session.not_usable})


def _chart(sheet: Sheet, lab: ChartedLab, at: int, left_mm: float, top_mm: float) -> None:
    quantity, of = lab.keys[at]
    n = len(lab.sessions)
    x = Scale(0.0, n + 1.0, float(max(1, -(-n // _MOST_NUMBERS))))
    values, bars, mean, sd = lab.values[:, at], 1.96 * lab.sd[:, at], lab.mean[:, at], 1.96 * lab.deviation_sd[:, at]
    number, there = np.arange(1.0, n + 1.0), np.isfinite(values)
    low, high = float(np.nanmin(values - bars)), float(np.nanmax(values + bars))
    scale = _SCALES.get(CHARTS[quantity].unit, Scale(low, high, high - low))
    if quantity in _FREE:
        middle = 10.0 * round(0.1 * float(np.nanmedian(values)))
        scale = Scale(middle - 50.0, middle + 50.0, 50.0)
    panel = sheet.panel(left_mm, top_mm, _WIDTH_MM, _HEIGHT_MM)
    panel.frame(x, scale.holding(low, high), x_numbers=False)
    panel.outside(0.0, _HEIGHT_MM + 1.5, sheet.style.label(f"lab.{quantity}"), size="small")
    panel.band(number[there], (mean - sd)[there], (mean + sd)[there], colour="norm", opacity=0.3, zorder=1.0, gid="band")
    panel.polylines([np.column_stack([number, mean])], colour="quiet", width=0.8, gid="mean")
    ends = zip(number[there], (values - bars)[there], (values + bars)[there], strict=True)
    panel.polylines([np.array([[place, least], [place, most]]) for place, least, most in ends], colour="ink", width=0.5, gid="bars")
    alarm = np.array([charted.alarm[at] for charted in lab.charted])
    for flagged, colour, marker, area in ((False, "ink", "o", 7.0), (True, "reject", "D", _ALARM_AREA)):
        drawn = there & (alarm == flagged)
        panel.scatter(
            number[drawn], values[drawn], s=area, marker=marker, color=sheet.style.colour(colour), zorder=4.0, linewidths=0.0
        )
    refused = number[[of in session.not_usable for session in lab.sessions]]
    foot = panel.get_ylim()[0]
    panel.scatter(
        refused, np.full(refused.size, foot), s=16.0, marker="x", color=sheet.style.colour("reject"), clip_on=False, zorder=5.0
    )
    _sums(sheet.panel(left_mm, top_mm + _SUMS_BELOW_MM, _WIDTH_MM, _SUMS_MM), lab, at, x, alarm)


def _sums(panel: Panel, lab: ChartedLab, at: int, x: Scale, alarm: np.ndarray) -> None:
    """Both cumulative sums of a chart, with the limit."""
    sums, number = lab.sums[:, :, at], np.arange(1.0, len(lab.sessions) + 1.0)
    panel.frame(x, _SUMS.holding(0.0, float(sums.max())), x_numbers=True)
    panel.outside(-_MARGIN_MM + 1.0, _SUMS_MM / 2.0, panel.style.label("lab.sums"), size="tiny", va="center_baseline")
    panel.polylines([np.array([[x.low, LIMIT], [x.high, LIMIT]])], colour="warn", width=0.7, dashes=(0.0, (4.0, 2.0)), gid="limit")
    for way, dashes in ((0, (0.0, None)), (1, (0.0, (3.0, 1.5)))):
        panel.polylines([np.column_stack([number, sums[:, way]])], colour="ink", width=0.9, dashes=dashes, gid=f"sum {way}")
    top = sums.max(axis=1)[alarm]
    panel.scatter(number[alarm], top, s=_ALARM_AREA, marker="D", color=panel.style.colour("reject"), zorder=4.0, linewidths=0.0)
