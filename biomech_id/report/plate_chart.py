"""The control chart of a laboratory's force plates: a page for each plate, its place and turn over the sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np

from biomech_id._version import __version__
from biomech_id.conventions import MM_PER_M
from biomech_id.judgement.plate_log import PlateLog, log_findings
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.panels.page import Page
from biomech_id.report.pdf import no_collector, stamp, write_pdf

_TOP_MM, _HEIGHT_MM, _PITCH_MM, _MARGIN_MM = 46.0, 36.0, 49.0, 22.0
_MOST_NUMBERS = 20
#: Scale of place (mm) and of turn (degrees); wider where a session asks for it.
_SCALES = (Scale(-30.0, 30.0, 10.0), Scale(-30.0, 30.0, 10.0), Scale(-10.0, 10.0, 5.0))


def draw_plate_chart(logs: Sequence[PlateLog], path: Path, style: Style | str | Path | None = None) -> Path:
    """Draw the control chart, and return the file.

    Parameters
    ----------
    logs : Sequence[PlateLog]
        One log for each plate of the laboratory.
    path : Path
        The PDF file; an existing one is replaced.
    style : Style | str | Path | None, optional
        A `Style`, or a laboratory's style file.

    Raises
    ------
    OutputError
        The PDF cannot be written.
    """
    look = style if isinstance(style, Style) else load_style(style)
    with mpl.rc_context(look.rc), no_collector():
        pages = list(_pages(logs, look))
        dates = [log.dates for log in logs if any(log.dates)]
        known = sorted(date for each in dates for date in each if date)
        stamp(pages, look, code="", session=f"{known[0]} - {known[-1]}" if known else "", version=__version__)
        return write_pdf(pages, path, look, title=look.label("plates.title"))


def _pages(logs: Sequence[PlateLog], style: Style) -> Iterator[Page]:
    for log, finding in zip(logs, log_findings(logs), strict=True):
        sheet = Sheet(style)
        sheet.note(finding.text(style.language), 22.0, right_mm=RIGHT_MM)
        sheet.note(style.label("plates.how", sessions=len(log.sessions), people=log.people), 33.0, right_mm=RIGHT_MM)
        for row, name in enumerate(("x", "y", "turn")):
            _panel(sheet, log, row, style.label(f"plates.{name}"), _TOP_MM + row * _PITCH_MM)
        key = ", ".join(f"{at} {name}" for at, name in enumerate(log.sessions, 1))
        sheet.note(key, 194.0, right_mm=RIGHT_MM, most=2)
        yield Page(f"plates-{log.plate}", style.label("plates.of", plate=log.plate), sheet.figure)


def _panel(sheet: Sheet, log: PlateLog, row: int, title: str, top_mm: float) -> None:
    n = len(log.sessions)
    unit = (MM_PER_M, MM_PER_M, float(np.degrees(1.0)))[row]
    values, sd, limits = (unit * each[:, row] for each in (log.of_sessions, 1.96 * log.of_sessions_sd, log.limits))
    middle, at = unit * float(log.middle[row]), np.arange(1.0, n + 1.0)
    step = float(max(1, -(-n // _MOST_NUMBERS)))
    y = _SCALES[row].holding(float((values - sd).min()), float((values + sd).max()))
    panel = sheet.panel(LEFT_MM + _MARGIN_MM, top_mm, RIGHT_MM - LEFT_MM - _MARGIN_MM - 4.0, _HEIGHT_MM)
    panel.frame(Scale(0.0, n + 1.0, step), y, x_numbers=True)
    panel.outside(0.0, _HEIGHT_MM + 1.5, title, size="small")
    edge = [np.stack([at, middle + sign * limits], axis=1) for sign in (-1.0, 1.0)]
    panel.polylines(edge, colour="warn", width=0.7, dashes=(0.0, (4.0, 2.0)), gid="limits")
    panel.polylines([np.array([[0.0, middle], [n + 1.0, middle]])], colour="quiet", width=0.8, gid="middle")
    bars = [np.array([[x, low], [x, high]]) for x, low, high in zip(at, values - sd, values + sd, strict=True)]
    panel.polylines(bars, colour="ink", width=0.6, gid="bars")
    off = log.off[:, row]
    for flagged, colour in ((False, "ink"), (True, "reject")):
        of_kind = off == flagged
        panel.scatter(at[of_kind], values[of_kind], s=9.0, color=sheet.style.colour(colour), zorder=4.0, linewidths=0.0)
