"""Texts and axes of pages cost less than matplotlib's own and look the same."""

from __future__ import annotations

import io
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.axis import XAxis
from matplotlib.backends.backend_pdf import PdfPages, RendererPdf
from matplotlib.figure import Figure
from matplotlib.text import Text

from biomech_id.report.layout import words
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.pdf_pages import written_pages
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.style import load_style
from biomech_id.report.layout.words import Words

PLACES = [(ha, va) for ha in ("left", "right", "center") for va in ("baseline", "top", "bottom", "center", "center_baseline")]
TEXTS = ("Sprunggelenk 12,5°", "-10", "zwei\nZeilen", "Ägypten gj")


def drawn(kind: type[Text], **how: Any) -> bytes:
    """A page of texts of one kind, each twice, as a PDF without date."""
    figure = Figure(figsize=(8.0, 6.0))
    for number, (ha, va) in enumerate(PLACES * 2):
        for angle in (0.0, 90.0):
            for at, text in enumerate(TEXTS):
                place = 0.1 + 0.027 * number, 0.1 + 0.2 * at
                each = kind(*place, text, ha=ha, va=va, rotation=angle, transform=figure.transFigure, parse_math=False, **how)
                each.set_figure(figure)
                figure.texts.append(each)
    content = io.BytesIO()
    figure.savefig(content, format="pdf", metadata={"CreationDate": None})
    return content.getvalue()


@pytest.mark.parametrize(
    "how", [{}, {"weight": "bold"}, {"fontsize": 6.5}, {"rotation_mode": "anchor"}, {"bbox": {"facecolor": "white", "pad": 1.0}}]
)
def test_texts_are_written_to_the_same_bytes_as_matplotlibs(how: dict[str, Any]) -> None:
    assert drawn(Words, **how) == drawn(Text, **how)


def pages_of_texts() -> list[Figure]:
    """Two pages that say the same in all directions, sizes and weights, with a formula, a link, a picture and something faint."""
    figures: list[Figure] = []
    looks: tuple[dict[str, Any], ...] = (
        {},
        {"weight": "bold"},
        {"rotation": 90.0},
        {"fontsize": 6.5},
        {"color": "red", "alpha": 0.5},
    )
    for shift in (0.0, 0.003):
        figure = Figure(figsize=(8.0, 6.0), dpi=110)
        for number, text in enumerate((*TEXTS, "AVATAR fi", r"$x^2$", "\u2265 5 \u2192")):
            for at, how in enumerate(looks):
                figure.text(0.1 + 0.15 * at + shift, 0.1 + 0.12 * number, text, **how)
        if mpl.__version_info__ >= (3, 11):
            figure.text(0.4, 0.95, "AVATAR fi").set_fontfeatures(["-kern"] if shift else ["kern"])
        figure.text(0.5, 0.02, "linked", url="https://example.org")
        figure.add_axes((0.85, 0.85, 0.1, 0.1)).imshow(np.eye(3))
        figures.append(figure)
    return figures


def test_pages_are_the_bytes_that_matplotlib_writes() -> None:
    metadata = {"CreationDate": None, "Title": "texts"}
    ours, theirs = io.BytesIO(), io.BytesIO()
    assert list(written_pages(ours, pages_of_texts(), metadata)) == [1, 2]
    with PdfPages(theirs, metadata=metadata) as pdf:
        for figure in pages_of_texts():
            pdf.savefig(figure)
    assert ours.getvalue() == theirs.getvalue()


def test_a_text_that_stands_on_many_pages_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    once = RendererPdf.draw_text

    def noted(self: RendererPdf, gc: Any, x: float, y: float, s: str, *rest: Any, **how: Any) -> None:
        asked.append(s)
        once(self, gc, x, y, s, *rest, **how)

    monkeypatch.setattr(RendererPdf, "draw_text", noted)
    sheets = [Sheet(load_style()) for _ in range(3)]
    for sheet in sheets:
        sheet.text(50.0, 60.0, "12,5", ha="right")
        sheet.text(50.0, 80.0, "12,5", weight="bold")
    list(written_pages(io.BytesIO(), [sheet.figure for sheet in sheets], {}))
    assert asked == ["12,5", "12,5"]


def test_a_layout_is_worked_out_once_for_texts_that_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    once = Text._get_layout  # type: ignore[attr-defined]

    def noted(self: Text, renderer: Any) -> Any:
        asked.append(self.get_text())
        return once(self, renderer)

    monkeypatch.setattr(Text, "_get_layout", noted)
    monkeypatch.setattr(words, "_KEPT", {})
    sheet = Sheet(load_style())
    for y_mm in range(20, 120, 10):
        sheet.text(50.0, y_mm, "12,5", ha="right")
        sheet.text(50.0, y_mm, f"a line {y_mm}")
    sheet.figure.savefig(io.BytesIO(), format="pdf")
    assert asked == ["12,5"]


def test_a_text_that_changes_has_the_extent_of_its_new_letters() -> None:
    sheet = Sheet(load_style())
    written = sheet.text(50.0, 50.0, "1")
    narrow = written.get_window_extent()
    written.set_text("1000000")
    assert written.get_window_extent().width > 4 * narrow.width
    written.set_fontsize(2 * written.get_fontsize())
    assert written.get_window_extent().width > 8 * narrow.width


def test_a_panel_makes_no_tick_until_one_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bool] = []
    once = XAxis._get_tick  # type: ignore[attr-defined]

    def noted(self: XAxis, major: bool) -> Any:
        made.append(major)
        return once(self, major)

    monkeypatch.setattr(XAxis, "_get_tick", noted)
    sheet = Sheet(load_style())
    panel = sheet.panel(20.0, 30.0, 60.0, 40.0)
    panel.frame(Scale(0.0, 100.0, 20.0), Scale(-1.0, 1.0, 0.5), x_numbers=True)
    sheet.figure.savefig(io.BytesIO(), format="pdf")
    assert made == []
    assert len(panel.xaxis.get_major_ticks()) > 2
    assert made


def test_a_panel_whose_axes_are_turned_on_looks_like_any_axes() -> None:
    """Ticks made late have the look that was asked for before, and grid lines can be turned on and off."""
    pictures = []
    with mpl.rc_context({"axes.grid": True}):
        for ours in (True, False):
            figure = Figure(figsize=(4.0, 3.0))
            place = (0.2, 0.2, 0.7, 0.7)
            style = load_style()
            axes = figure.add_axes(Panel(figure, place, size_mm=(60.0, 40.0), style=style) if ours else Axes(figure, place))
            axes.set_axis_on()
            axes.tick_params(axis="x", direction="in", labelsize=5.0)
            axes.set(xlim=(0.0, 7.0), ylim=(-3.0, 2.0))
            axes.grid(visible=False, axis="y")
            content = io.BytesIO()
            figure.savefig(content, format="rgba", dpi=100)
            pictures.append(np.frombuffer(content.getvalue(), dtype=np.uint8).astype(int))
    # The end of the first grid line lies on the frame; clipped there or not, it differs by some levels of 255.
    assert np.abs(pictures[0] - pictures[1]).max() <= 8
    assert np.ptp(pictures[0]) == 255
