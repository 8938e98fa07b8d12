"""A page plugged in from outside: it takes its place, is asked for by name, needs what it says it needs, and joins comparisons."""

from __future__ import annotations

import pypdf
import pytest

from biomech_id.errors import OptionError
from biomech_id.report import compare_report, draw_report
from biomech_id.report.book import ReportPart, page_names, session_pages, wanted_pages
from biomech_id.report.layout.sheet import LEFT_MM, Sheet
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels import page
from biomech_id.report.panels.page import Content, PageKind, Shows, of_each, register


def sway(content: Content):
    for number in range(2):
        sheet = Sheet(content.style)
        sheet.text(LEFT_MM, 30.0, f"Sway {number} of {content.layers[0].condition}, {len(content.layers[0].used)} cycles")
        yield sheet.figure


@pytest.fixture
def registered():
    page_names()  # loads the shipped pages, which stay
    before = dict(page.PAGE_KINDS)
    yield register
    page.PAGE_KINDS.clear()
    page.PAGE_KINDS.update(before)


def names(tables, wanted):
    return [(made.name, made.title) for made in session_pages(tables, load_style(), None, wanted_pages(wanted))]


def test_a_page_takes_its_place_and_is_asked_for_by_name(build, registered, drawing_only, tmp_path):
    registered(PageKind("sway", 6, sway))
    assert page_names()[:6] == ("first", "running", "jumps", "squats", "rises", "sway")
    assert [title for _, title in names(build(), ["sway"])] == ["Sway", "Sway (continued)"]
    drawing_only("sway")
    text = " ".join(sheet.extract_text() for sheet in pypdf.PdfReader(draw_report(build(), tmp_path / "a.pdf")).pages)
    assert "Sway 1 of barefoot" in text
    with pytest.raises(OptionError, match=r"There is no report page swai.*sway"):
        wanted_pages(["swai"])


def test_a_page_is_left_out_of_a_whole_report_without_what_it_needs(build, build_norm, registered, drawing_only):
    registered(PageKind("sway", 15, sway, needs=("norm",)))
    drawing_only("sway")
    assert "sway" not in [name for name, _ in names(build(), None)]
    assert [name for name, _ in names(build(), ["sway"])] == ["sway", "sway"]
    tables = build()
    content = Content(tables, [], load_style(), None)
    assert PageKind("a", 1, sway, needs=("scores",)).lacks(content)
    assert not PageKind("a", 1, sway, needs=("peaks",)).lacks(content)


def test_a_page_of_the_session_is_drawn_once_and_of_other_movements_for_each(build, registered):
    shown = {}

    def noted(name):
        def draw(content: Content):
            shown.setdefault(name, []).append([layer.kind for layer in content.layers])
            return sway(content)

        return draw

    for name, shows in (("whole", Shows.SESSION), ("walks", Shows.MOVEMENT), ("turns", Shows.OTHER_MOVEMENT)):
        registered(PageKind(name, 16, noted(name), shows))
    made = names(build(turn=True), ["whole", "walks", "turns"])
    assert shown == {"whole": [["straight", "turn"]], "walks": [["straight"]], "turns": [["turn"]]}
    assert [title for _, title in made][4] == "Turns: Turn, barefoot"


def test_a_page_joins_a_comparison_if_it_says_how(build, registered, tmp_path):
    registered(PageKind("sway", 15, sway, compare=of_each))
    registered(PageKind("alone", 16, sway))
    pair = build(code="BEFORE"), build(code="AFTER", seed=1)
    path = compare_report(pair, tmp_path / "a.pdf", pages=["sway", "alone"])
    texts = [" ".join(sheet.extract_text().split()) for sheet in pypdf.PdfReader(path).pages]
    assert [("BEFORE," in text, "AFTER," in text) for text in texts] == [(True, False)] * 2 + [(False, True)] * 2


@pytest.mark.parametrize(("sheets", "standard", "appendix"), [(None, [0, 1], []), (1, [0], [1]), (0, [], [0, 1])])
def test_sheets_that_the_report_leaves_out_stand_in_the_appendix(build, registered, drawing_only, sheets, standard, appendix):
    registered(PageKind("sway", 12, sway, sheets=sheets))
    drawing_only("sway")
    titles = ["Sway", "Sway (continued)"]
    for part, numbers in ((ReportPart.STANDARD, standard), (ReportPart.APPENDIX, appendix), (ReportPart.WHOLE, [0, 1])):
        drawn = session_pages(build(), load_style(), None, page_names(), part)
        assert [page.title for page in drawn if page.name == "sway"] == [titles[number] for number in numbers]


def test_the_report_has_at_most_fourteen_pages_and_the_appendix_its_own_numbers(build, tmp_path):
    standard = draw_report(build(turn=True), tmp_path / "a.pdf")
    appendix = draw_report(build(turn=True), tmp_path / "b.pdf", appendix=True)
    assert len(pypdf.PdfReader(standard).pages) <= 14
    pages = pypdf.PdfReader(appendix).pages
    assert all(f"Page A{number} / A{len(pages)}" in page.extract_text() for number, page in enumerate(pages, 1))
    with pytest.raises(OptionError, match="do not go together"):
        draw_report(build(), tmp_path / "c.pdf", pages=["values"], appendix=True)


def test_a_name_is_taken_once(registered):
    with pytest.raises(OptionError, match="session"):
        registered(PageKind("session", 5, sway))
