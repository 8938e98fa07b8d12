"""Nothing overlaps, nothing is clipped: text boxes measured by the renderer, on every page."""

from __future__ import annotations

import itertools

import matplotlib as mpl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from biomech_id.report.book import page_names, session_pages
from biomech_id.report.layout.numbers import mean_sd, written
from biomech_id.report.layout.style import load_style
from biomech_id.report.layout.typography import shortened, width_mm, wrapped
from biomech_id.report.panels.norm import load_norm
from biomech_id.report.pdf import stamp

#: Fine enough that rounding to pixels does not count.
DPI = 300.0


def boxes(figure):
    """(text, extent) of every visible text, in pixels."""
    figure.set_dpi(DPI)
    renderer = FigureCanvasAgg(figure).get_renderer()
    found = [t for t in figure.findobj(Text) if t.get_text().strip() and t.get_visible()]
    # Notices stand on a backing of their own, over the curves; titles of axes that are switched off are not drawn.
    return [(t.get_text(), t.get_window_extent(renderer)) for t in found]


def pages_of(session, norm, language):
    style = load_style(language=language)
    with mpl.rc_context(style.rc):
        pages = list(session_pages(session, style, load_norm(norm, session), page_names()))
        stamp(pages, style, code="WAVE-01", session="Session date: 2024-05-17", version="0.1.0")
        yield from pages


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de"])
def test_no_text_leaves_the_page_or_covers_another(build, build_norm, language):
    session = build(turn=True, scores=True)
    for page in pages_of(session, build_norm(), language):
        width, height = page.figure.get_size_inches() * DPI
        found = boxes(page.figure)
        assert len(found) > 5
        for text, box in found:
            assert box.x0 > 0, (page.name, text)
            assert box.y0 > 0, (page.name, text)
            assert box.x1 < width, (page.name, text)
            assert box.y1 < height, (page.name, text)
        # Power peaks are written at their place on the curves, where left and right may meet.
        placed = [(t, b) for t, b in found if not (len(t) == 2 and t[0] in "AKH" and t[1].isdigit())]
        for (one, a), (other, b) in itertools.combinations(placed, 2):
            across, up = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            # Three pixels (0.25 mm): boxes of multi-line texts include a little leading.
            assert across <= 3 or up <= 3, (page.name, one, other)


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_width_is_what_the_renderer_finds(weight):
    from matplotlib.figure import Figure

    text = "Ankle dorsiflexion, 12.3 ± 0.4 N m/kg – WAVE"
    figure = Figure(dpi=DPI)
    drawn = figure.text(0, 0, text, fontsize=40, fontweight=weight, fontfamily="DejaVu Sans")
    width = drawn.get_window_extent(FigureCanvasAgg(figure).get_renderer()).width / DPI * 25.4
    # 2 %: kerning and the bearings of the first and last letter.
    assert width_mm(text, 40, weight=weight) == pytest.approx(width, rel=0.02)


def test_wrapped_lines_fit_and_lose_nothing():
    text = "Every stance gets a verdict with its reason\nand 0123456789abcdef0123456789abcdef0123456789abcdef is a hash."
    lines = wrapped(text, 40.0, 7.0)
    assert all(width_mm(line, 7.0) <= 40.0 for line in lines)
    assert len(lines) > 4
    assert "".join("".join(lines).split()) == "".join(text.split())
    few = wrapped(text, 40.0, 7.0, most=2)
    assert len(few) == 2
    assert few[-1].endswith("…")
    assert width_mm(few[-1], 7.0) <= 40.0
    assert shortened("short", 40.0, 7.0) == "short"


def test_numbers_are_written_for_people():
    assert written(-0.004, 2, ".") == "0.00"
    assert written(-1.25, 1, ",") == "−1,2"
    assert written(float("nan"), 1, ".") == "–"
    assert mean_sd([1.0, 2.0, 3.0, float("nan")], 2, ".") == "2.00 ± 1.00"
    assert mean_sd([1.0], 1, ".") == "1.0"
    assert mean_sd([], 1, ".") == "–"
