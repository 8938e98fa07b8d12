"""The PDF as a file: pages, fonts, text, size, sameness, and what happens with poor input."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pypdf
import pytest

from biomech_id.conventions import SIDES
from biomech_id.errors import Finding, OptionError, OutputError, ShapeError
from biomech_id.languages import LANGUAGES, Sentence
from biomech_id.movement.stance import Verdict
from biomech_id.report import draw_report
from biomech_id.report.book import page_names, session_pages
from biomech_id.report.layout.panel import Hundredths, Panel
from biomech_id.report.layout.style import load_style
from biomech_id.report.layout.text_table import Cell, TextTable
from biomech_id.report.pages.cover import norm_line
from biomech_id.report.pages.quality import agreement_table, gap_lines
from biomech_id.report.pages.spatiotemporal import flagged
from biomech_id.report.pages.values import PADDING_MM, VALUE_COLUMNS, NamedValues, _rows, beyond
from biomech_id.report.panels.layer import layers_of
from biomech_id.report.panels.norm import Norm
from biomech_id.session.tables.session_tables import tidy_table

#: Of a report of one child, with all pages (issue F).
#: Each page that draws every cycle of a session of forty a side has 0.3 MB; there are six of them.
MOST_BYTES = 3_000_000


def text_of(path) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(path).pages]


def plain(texts) -> str:
    """All pages as one text in which line breaks do not matter."""
    return " ".join(" ".join(texts).split())


@pytest.fixture(scope="module")
def pdf(session, tmp_path_factory):
    return draw_report(session, tmp_path_factory.mktemp("report") / "report.pdf")


@pytest.fixture(scope="module")
def texts(pdf):
    return text_of(pdf)


def test_every_page_carries_code_date_and_number(texts):
    assert len(texts) == 13
    for number, text in enumerate(texts, 1):
        assert "WAVE-01" in text
        assert "Session date: 2024-05-17" in text
        assert f"Page {number} / 13" in text
        assert "Research software, not a medical device." in text


def test_pages_say_units_and_that_moments_are_internal(texts):
    text = plain(texts)
    for word in ("N m/kg", "W/kg", "%BW", "deg", "Internal moments", "expressed in the axes of the distal segment"):
        assert word in text
    assert "biomech-id norm OUT... -o norm.csv" in texts[0]


def test_page_is_landscape_a4(pdf):
    box = pypdf.PdfReader(pdf).pages[0].mediabox
    # Half a point: A4 is 297 x 210 mm, 841.9 x 595.3 points.
    assert float(box.width) == pytest.approx(841.9, abs=0.5)
    assert float(box.height) == pytest.approx(595.3, abs=0.5)


def test_all_fonts_are_embedded_as_outlines(pdf):
    fonts = set()
    for page in pypdf.PdfReader(pdf).pages:
        for font in page["/Resources"]["/Font"].values():
            for descendant in font.get_object()["/DescendantFonts"]:
                descriptor = descendant.get_object()["/FontDescriptor"].get_object()
                assert "/FontFile2" in descriptor, descriptor
                fonts.add(descriptor["/FontName"])
    assert fonts
    assert all("DejaVuSans" in name for name in fonts)


def test_no_raster_image_and_small(pdf):
    assert pdf.stat().st_size < MOST_BYTES
    for page in pypdf.PdfReader(pdf).pages:
        kinds = {x.get_object()["/Subtype"] for x in page["/Resources"].get("/XObject", {}).values()}
        assert "/Image" not in kinds


@pytest.mark.slow
def test_the_same_tables_give_the_same_bytes_in_another_process(tmp_path, pdf):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from conftest import make_session; "
        "from biomech_id.report import draw_report; draw_report(make_session(), sys.argv[2])"
    )
    here = str(__file__).rpartition("/")[0]
    env = {"PYTHONHASHSEED": "7", "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code, here, str(tmp_path / "again.pdf")], check=True, env=env)
    assert (tmp_path / "again.pdf").read_bytes() == pdf.read_bytes()
    assert "/CreationDate" not in (pypdf.PdfReader(pdf).metadata or {})


def panels_without_a_word(tables, norm=None):
    """Titles of panels that show neither a curve nor a sentence."""
    style = load_style()
    empty = []
    for page in session_pages(tables, style, norm, page_names()):
        for panel in (a for a in page.figure.axes if isinstance(a, Panel)):
            data = [
                c
                for c in panel.collections
                if c.get_gid() and "|" in str(c.get_gid()) and not str(c.get_gid()).endswith("foot off")
            ]
            sentence = [t for t in panel.texts if t.get_bbox_patch() is not None and len(t.get_text()) > 20]
            if not data and not sentence:
                empty.append((page.name, [t.get_text() for t in panel.texts][-4:]))
    return empty


slow = pytest.mark.slow
POOR = [{"sides": "R", "kinetics": False}, {"cycles": 0}]
POORER = [{}, {"kinetics": False, "plates": False}, {"sides": "L"}, {"cycles": 1}, {"turn": True}, {"budget": False}]


@pytest.mark.parametrize("options", [*POOR, *(pytest.param(o, marks=slow) for o in POORER)], ids=str)
def test_no_panel_is_blank_without_a_reason(build, options):
    assert panels_without_a_word(build(**options)) == []


def test_the_search_for_blank_panels_finds_one(session):
    page = next(p for p in session_pages(session, load_style(), None, ["kinematics_mean"]))
    panel = next(a for a in page.figure.axes if isinstance(a, Panel))
    for collection in [c for c in panel.collections if c.get_gid()]:
        collection.remove()
    data = [c for c in panel.collections if c.get_gid()]
    assert not data
    assert not [t for t in panel.texts if t.get_bbox_patch() is not None]


def test_without_kinetics_every_kinetic_panel_gives_the_reason(build, tmp_path):
    texts = text_of(draw_report(build(kinetics=False), tmp_path / "a.pdf", pages=["kinetics_mean", "ground_reaction", "values"]))
    assert all("no kinetics" in plain([text]) for text in texts)
    assert plain(texts).count("The other foot touched the plate.") > 12
    texts = text_of(draw_report(build(kinetics=False, plates=False), tmp_path / "b.pdf", pages=["kinetics_mean"]))
    assert "recorded without force plates" in plain(texts)


def test_one_side_only_says_so_and_draws_the_other(build, tmp_path):
    text = plain(text_of(draw_report(build(sides="L"), tmp_path / "a.pdf", pages=["kinematics_mean"])))
    # Once for the page, above curves that it must not cover, and "R 0" beside each panel's name.
    assert text.count("No complete right gait cycle") == 1
    assert (text.count("R 0"), text.count("L 3")) == (12, 12)


def test_no_word_covers_a_curve_of_the_side_that_has_one(build):
    for page in session_pages(build(sides="L"), load_style(), None, ["kinematics_mean", "kinetics_mean"]):
        for panel in (a for a in page.figure.axes if isinstance(a, Panel)):
            backed = [t.get_text() for t in panel.texts if t.get_bbox_patch() is not None]
            # A number off the scale may stand there, three or four letters at the edge.
            assert not [text for text in backed if text[0] not in "▲▼"]


REFUSED = (
    (Sentence("no-loaded-plate"), Sentence("turns", {"turn_deg": 90.0})),
    (Sentence("foot-beyond-plate", {"beyond_mm": 20.0, "plates": ("plate 1",)}),),
)


def with_reasons(tables):
    for cycle, reasons in zip(tables.summary["trials"][0]["cycles"], REFUSED, strict=False):
        cycle["reasons"] = [reason.to_dict() for reason in reasons]
        cycle["reason"] = "never printed"
    return tables


def test_reasons_are_words_and_not_identifiers(build, tmp_path):
    tables = with_reasons(build(kinetics=False))
    text = plain(text_of(draw_report(tables, tmp_path / "a.pdf", pages=["quality", "kinetics_mean"])))
    assert "No plate: no loaded plate is under the foot. The walk turns by 90 deg." in text
    assert "Over the plate's edge: the foot reaches 20 mm beyond plate 1: part of its load is not measured." in text
    assert "never printed" not in text


def test_reasons_and_findings_are_said_in_the_reports_language(build, tmp_path):
    tables = with_reasons(build(kinetics=False))
    finding = Finding("events-disagree", {"side": "L", "kind": "Foot Strike", "apart_ms": 62.4}, "walk1")
    stored = {**finding.to_dict(), "severity": "info", "message": "never printed", "hint": "never printed", "where": "walk1"}
    tables.summary["trials"][0]["findings"] = [stored]
    german = load_style(language="de")
    text = plain(text_of(draw_report(tables, tmp_path / "a.pdf", pages=["quality", "kinetics_mean"], style=german)))
    assert "keine belastete Platte ist unter dem Fuß. Der Gang wendet um 90 Grad." in text
    assert "Ein gespeichertes Ereignis „Fußkontakt“ links liegt 62 ms von der Kraft entfernt." in text
    assert "never printed" not in text


def test_the_first_versions_reasons_are_printed_as_it_printed_them(build, tmp_path):
    tables = build(kinetics=False)
    tables.summary["trials"][0]["cycles"][0]["reason"] = "no_plate: in words; of long ago"
    text = plain(text_of(draw_report(tables, tmp_path / "a.pdf", pages=["quality"])))
    assert "No plate: in words. Of long ago." in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_verdict_on_a_stance_has_words(language):
    style = load_style(language=language)
    assert {f"stance.{verdict}" for verdict in Verdict if verdict not in (Verdict.CLEAN, Verdict.TWO_PLATES)} <= style.labels.keys()


def test_gaps_and_events_stand_in_one_line_per_trial(build):
    gaps = [("LASI", 1, 40, "left open"), ("LASI", 90, 99, "left open"), ("RTOE", 7, 7, "left open"), ("RHEE", 3, 5, "spline")]
    rows = [
        dict(zip(("marker", "first_frame", "last_frame", "method"), gap, strict=True)) | {"trial": "walk1", "error_mm": 1.0}
        for gap in gaps
    ]
    tables = replace(build(), gaps=tidy_table("gaps", rows))
    apart = {"source": "marker", "reference": "plate", "n": 2, "median_ms": -12.4, "worst_ms": -21.6}
    tables.summary["trials"][0]["event_agreement"] = [{"side": "R", "kind": "Foot Off", **apart}]
    assert gap_lines(tables, load_style()) == [
        "walk1, left open, frames: LASI 1–40, 90–99; RTOE 7",
        "walk1, filled by spline, frames: RHEE 3–5",
    ]
    assert agreement_table(tables, load_style()).rows == [["markers minus force plate", "–", "–", "–", "−12, worst −22, n = 2"]]


def test_one_cycle_has_a_mean_without_a_band(build):
    (page,) = session_pages(build(cycles=1), load_style(), None, ["kinematics_mean"])
    gids = [str(c.get_gid()) for a in page.figure.axes for c in a.collections]
    assert "|L|HipAngles.X|mean" in gids
    assert not [gid for gid in gids if gid.endswith("|sd")]


@pytest.mark.slow
def test_forty_cycles_a_side_are_a_report(build, tmp_path):
    path = draw_report(build(cycles=40), tmp_path / "forty.pdf")
    assert path.stat().st_size < MOST_BYTES
    assert "L 40" in plain(text_of(path))


def test_places_on_the_page_move_by_less_than_any_printer_shows():
    places = np.random.default_rng(1).uniform(0.0, 800.0, (1000, 2))
    moved = np.abs(Hundredths().transform(places) - places)
    # Half a hundredth of a point, and the rounding of a double near 800.
    assert 0.004 < moved.max() <= 0.005 + 1e-12


def test_a_long_code_is_whole_on_the_cover_and_shortened_in_the_header(build, tmp_path):
    code = "PATIENT-" + "0123456789" * 5 + "-X"
    assert len(code) == 60
    first, second = text_of(draw_report(build(code=code), tmp_path / "a.pdf", pages=["cover", "spatiotemporal"]))
    assert code in first.replace("\n", "")
    assert code not in second.replace("\n", "")
    assert "PATIENT-0123456789" in second
    assert "…" in second


def test_code_with_signs_of_mathematics_is_printed_as_it_is(build, tmp_path):
    (text,) = text_of(draw_report(build(code="$x_1$ & {a}"), tmp_path / "a.pdf", pages=["cover"]))
    assert "$x_1$ & {a}" in text


@pytest.mark.filterwarnings("error")
def test_letters_that_the_font_lacks_are_squares_and_the_cover_says_so(build, tmp_path):
    """DejaVu Sans has Latin, Greek and Cyrillic letters, and no Chinese or Japanese ones."""
    (text,) = text_of(draw_report(build(code="Łukasz Юля 歩行"), tmp_path / "a.pdf", pages=["cover"]))
    assert "Łukasz Юля □□" in text
    assert "□: a letter that the font DejaVu Sans does not have" in plain([text])
    (text,) = text_of(draw_report(build(code="Łukasz Юля"), tmp_path / "b.pdf", pages=["cover"]))
    assert "□" not in text


def test_a_date_that_is_not_recorded_is_not_todays(build, tmp_path):
    (text,) = text_of(draw_report(build(date=None), tmp_path / "a.pdf", pages=["cover"]))
    assert "Session date: not recorded" in text


def test_a_session_without_any_cycle_is_still_a_report(build, tmp_path):
    empty = build(cycles=0)
    time_s = 0.01 * np.arange(150)
    knees = {f"{side}KneeAngles.X": 30.0 + 25.0 * np.sin(5.0 * time_s + turn) for side, turn in (("L", 0.0), ("R", 2.0))}
    events = [{"time_s": at, "side": side, "kind": kind} for at, side, kind in ((0.2, "L", "Foot Strike"), (0.9, "R", "Foot Off"))]
    (first, *others) = empty.summary["trials"]
    seen = replace(
        empty, frames={first["name"]: pd.DataFrame({"frame": np.arange(1, 151), "time": time_s, **knees})},
        summary={**empty.summary, "trials": [{**first, "events": events}, *others]},
    )  # fmt: skip
    texts = text_of(draw_report(seen, tmp_path / "a.pdf"))
    # Instead of pages of cycles that would be empty, what was computed over time.
    assert "no complete cycle, so every curve is drawn over time" in plain(texts)
    assert "No trial has a complete cycle" not in plain(texts)
    assert sum(text.startswith(("Kinematics", "Gait scores")) for text in texts) == 0
    assert len(texts) <= 6
    # Who asks for a page gets it.
    asked = text_of(draw_report(seen, tmp_path / "b.pdf", pages=["kinematics_mean"]))
    assert "No trial has a complete cycle" in plain(asked)
    (page,) = session_pages(seen, load_style(), None, ["course"])
    drawn = {artist.get_gid(): artist for artist in page.figure.findobj(lambda artist: bool(artist.get_gid()))}
    for side in "LR":
        path = drawn[f"{side}|KneeAngles.X|{first['name']}"].get_paths()[0].vertices
        np.testing.assert_allclose(path, np.stack([time_s, knees[f"{side}KneeAngles.X"]], axis=1))
    assert drawn["event L Foot Strike"].get_paths()[0].vertices[:, 0] == pytest.approx(0.2)
    assert drawn["event R Foot Off"].get_paths()[0].vertices[:, 0] == pytest.approx(0.9)


def test_pages_can_be_chosen(session, tmp_path):
    texts = text_of(draw_report(session, tmp_path / "a.pdf", pages=["methods", "kinetics-mean"]))
    assert len(texts) == 2
    assert "Page 1 / 2" in texts[0]
    with pytest.raises(OptionError, match="no report page kinetcs"):
        draw_report(session, tmp_path / "b.pdf", pages=["kinetcs"])
    assert not (tmp_path / "b.pdf").exists()


def test_every_page_has_its_bookmark_and_the_file_a_title_and_a_language(build, tmp_path):
    path = draw_report(build(code="Zoë 歩"), tmp_path / "a.pdf", pages=["cover", "kinetics_mean", "methods"])
    reader = pypdf.PdfReader(path, strict=True)
    assert reader.metadata.title == "Gait analysis: Zoë 歩"
    assert reader.metadata.creation_date is None
    assert reader.root_object["/Lang"] == "en"
    marked = [(mark.title, reader.get_destination_page_number(mark)) for mark in reader.outline]
    texts = text_of(path)
    assert [number for _, number in marked] == list(range(len(texts)))
    assert [title for title, _ in marked][:2] == ["Session and quality by layer", "Kinetics, mean ± SD"]
    for title, number in marked:
        assert title in plain([texts[number]])


def test_progress_counts_the_pages(session, tmp_path):
    seen = []
    draw_report(session, tmp_path / "a.pdf", pages=["cover", "methods"], progress=seen.append)
    assert [(step.stage, step.trial, step.done, step.total) for step in seen] == [
        ("draw", "Session and quality by layer", 1, 2), ("draw", "Methods", 2, 2),
    ]  # fmt: skip


def test_a_folder_that_cannot_be_written_is_one_sentence(session, tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(OutputError):
        draw_report(session, tmp_path / "file" / "report.pdf", pages=["cover"])
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_norm_of_the_wrong_shape_is_refused(session, build_norm, tmp_path):
    norm = build_norm()
    path = tmp_path / "a.pdf"
    with pytest.raises(ShapeError, match="lacks the columns sd"):
        draw_report(session, path, norm=norm.drop(columns="sd"))
    knee = (norm["variable"] == "KneeAngles") & (norm["component"] == "X") & (norm["percent"] == 50)
    with pytest.raises(OptionError, match="KneeAngles X at 100 places"):
        draw_report(session, path, norm=norm[~knee])
    assert not path.exists()


def test_a_small_norm_is_called_not_clinical(session, build_norm, tmp_path):
    (few,) = text_of(draw_report(session, tmp_path / "a.pdf", norm=build_norm(n=7), pages=["cover"]))
    (many,) = text_of(draw_report(session, tmp_path / "b.pdf", norm=build_norm(n=24), pages=["cover"]))
    assert "Not a clinical norm" in few
    assert "n = 24" in plain([many])
    assert "Not a clinical norm" not in many


def test_flags_are_explained_where_there_can_be_some_and_cycles_counted(session, build, build_norm, tmp_path):
    with_norm, _ = text_of(draw_report(session, tmp_path / "a.pdf", norm=build_norm(), pages=["values"]))
    without, _ = text_of(draw_report(session, tmp_path / "b.pdf", pages=["values"]))
    assert "by more than 2 SD of the norm and more than 1.96 SD of the measurement" in plain([with_norm])
    assert "yet within error" in plain([with_norm])
    assert "more than 2 SD" not in plain([without])
    left, right = (sum(session.cycle_list["used"] & (session.cycle_list["side"] == side)) for side in "LR")
    assert (left, right) == (3, 3)
    # Angles and loads are counted apart, as a cycle may count in one of them alone.
    assert f"cycles in the means: kinematics {left} left, {right} right; kinetics 3 left, 3 right" in plain([without])
    bare = text_of(draw_report(build(kinetics=False), tmp_path / "c.pdf", pages=["values"]))
    assert f"cycles in the means: kinematics {left} left, {right} right; kinetics 0 left, 0 right" in plain(bare)


def test_a_value_is_flagged_beyond_the_larger_of_the_norms_spread_and_the_measurements():
    """2 SD of the norm are 4, 1.96 SD of the measurement 9.8: a distance of 6 leaves the one and not the other."""
    assert beyond(16.0, (10.0, 2.0), float("nan")) == pytest.approx(1.5)
    assert beyond(16.0, (10.0, 2.0), 5.0) == pytest.approx(6.0 / 9.8)
    assert beyond(0.0, (10.0, 2.0), 5.0) == pytest.approx(-10.0 / 9.8)
    assert beyond(16.0, None, 5.0) == 0.0
    assert beyond(float("nan"), (10.0, 2.0), 5.0) == 0.0


def text_in(rows: list[list[Cell | str]]) -> list[list[str]]:
    return [[cell.text if isinstance(cell, Cell) else cell for cell in row] for row in rows]


def test_values_stand_beside_the_norms_own_with_their_place_and_what_is_within_error(build):
    """Left 4.0, 4.2, 4.4 deg at 20, 21, 22 %; a norm of 2 +- 0.3 leaves it, one of 2 +- 0.3 with an error of 2 deg does not."""
    tables, style, key = build(), load_style(), ("KneeAngles", "X")
    (layer,) = layers_of(tables)
    named = {("max_stance.KneeAngles", "X"): (2.0, 0.3, 24), ("percent_of_max_stance.KneeAngles", "X"): (19.0, 2.0, 24)}
    norm = Norm({}, {}, {"n": 24}, named=named)

    def cells(sd: float) -> list[list[str]]:
        values = NamedValues(layer, style, norm)
        values._of = {(*key, "L", "max_stance"): [(4.0, 20.0), (4.2, 21.0), (4.4, 22.0)]}
        values._sd = {(*key, side): np.full(101, sd) for side in SIDES}
        return text_in(list(_rows(values, key, "max_stance")))

    assert cells(0.1) == [["Max stance", "▲4.2 ± 0.2", "–", "2.0 ± 0.3"], [" at % of cycle", "21 ± 1", "–", "19 ± 2"]]
    assert cells(2.0)[0] == ["Max stance", "≈4.2 ± 0.2", "–", "2.0 ± 0.3"]


def test_what_the_printed_decimals_do_not_show_is_no_flag_and_a_contact_of_zero_no_row(build):
    tables, style, key = build(), load_style(), ("HipMoment", "X")
    (layer,) = layers_of(tables)

    def row(mean: float, name: str = "max_swing", found: float = 0.012) -> list[list[str]]:
        values = NamedValues(layer, style, Norm({}, {}, {"n": 24}, named={(f"{name}.HipMoment", "X"): (mean, 0.001, 24)}))
        values._of = {(*key, side, name): [(found, float("nan"))] for side in SIDES}
        values._sd = {(*key, side): None for side in SIDES}
        return text_in(list(_rows(values, key, name)))

    assert row(0.008)[0][1:] == ["0.01", "0.01", "0.01 ± 0.00"]  # both read 0.01
    assert row(0.002)[0][1:] == ["0.01", "0.01", "0.00 ± 0.00"]  # ten SD apart, yet one printed step
    assert row(0.002, found=0.016)[0][1:] == ["▲0.02", "▲0.02", "0.00 ± 0.00"]
    assert row(0.008, "value_contact", 0.001) == []


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(("value", "spread"), [(-1.234, 0.021), (-2.65, 0.32), (1.4, 0.12), (-0.21, 0.0)])
def test_a_flagged_value_and_its_spread_stand_on_one_line(build, language, value, spread):
    """Rows of two lines push the last ones off the sheet."""
    tables, style, key, name = build(), load_style(language=language), ("HipMoment", "X"), "max_stance"
    values = NamedValues(layers_of(tables)[0], style, Norm({}, {}, {"n": 24}, named={(f"{name}.HipMoment", "X"): (9.0, 0.1, 24)}))
    values._of = {(*key, side, name): [(value - spread, 5.0), (value, 5.0), (value + spread, 5.0)] for side in SIDES}
    values._sd = {(*key, side): None for side in SIDES}
    row, place = list(_rows(values, key, name))
    assert row[1].bold
    assert row[1].text.startswith("▼")
    table = TextTable(VALUE_COLUMNS, [row, place], size="tiny", padding_mm=PADDING_MM)
    assert {len(lines) for each in table.rows for lines in table._broken(each, style)} == {1}


def test_a_parameter_is_no_flag_by_a_printed_step_or_less():
    assert flagged("1.21", [1.21], (1.20, 0.001), 2) == Cell("1.21")  # ten SD apart
    assert flagged("1.22", [1.22], (1.20, 0.001), 2) == Cell("▲ 1.22", bold=True)
    assert flagged("1.22", [1.22], (1.20, 0.02), 2) == Cell("1.22")


def test_values_outside_two_sd_are_flagged(session, build_norm, tmp_path):
    norm = build_norm()
    # The norm's speed is 1.20 +- 0.06: the left side's 1.34 lies beyond two SD above, the right side's 1.10 within two SD below.
    (text,) = text_of(draw_report(session, tmp_path / "a.pdf", norm=norm, pages=["spatiotemporal"]))
    assert "▲ 1.34 ± 0.01" in plain([text])
    assert "▼ 1.10" not in plain([text])
    assert "1.10 ± 0.01" in plain([text])
    (text,) = text_of(draw_report(session, tmp_path / "b.pdf", pages=["spatiotemporal"]))
    assert "▲" not in text


@pytest.mark.slow
def test_many_trials_and_findings_go_on_over_pages(build, tmp_path):
    session = build()
    first = session.summary["trials"][0]
    finding = {"rule": "x", "severity": "warning", "message": "Something long to say about this trial.", "hint": "", "where": ""}
    for number in range(60):
        session.summary["trials"].append(
            {**first, "name": f"walk{number + 2}", "file": f"walk{number + 2}.c3d", "findings": [finding]}
        )
    texts = text_of(draw_report(session, tmp_path / "a.pdf", pages=["cover", "quality"]))
    assert len(texts) > 3
    assert all("Data quality (continued)" in text for text in texts[2:])
    assert all(f"walk{n}" in plain(texts[1:]) for n in range(2, 62))


def test_statistics_leave_out_what_is_missing():
    from biomech_id.report.panels.layer import statistics

    curves = np.tile(np.arange(101.0), (3, 1)) + np.array([[0.0], [1.0], [5.0]])
    curves[1, 60:] = np.nan
    curves[:, 90] = np.nan
    found = statistics(curves)
    np.testing.assert_allclose(found.mean[:60], np.arange(60) + 2.0)
    np.testing.assert_allclose(found.sd[:60], np.std([0, 1, 5], ddof=1))
    assert found.mean[70] == pytest.approx(72.5)
    assert np.isnan(found.mean[90])
    assert found.n == 3


def test_a_norm_without_ages_says_so_in_words() -> None:
    note = {"model": "conventional", "kinetics": "textbook", "source": "us", "clinical": False}
    style = load_style()
    for ages, words in (((float("nan"), float("nan")), "ages not recorded"), ((6.0, 12.0), "6 to 12 years")):
        norm = Norm({}, {}, {**note, "n": 5, "age_min_y": ages[0], "age_max_y": ages[1]})
        assert words in norm_line(norm, style)
        assert "nan" not in norm_line(norm, style)


def test_an_extremum_that_reads_zero_has_no_place(build):
    """Left 0.001, -0.002 and 0.000 N m/kg, right 0.001 and once 0.006: what rounding decides stands nowhere."""
    tables, style, key = build(), load_style(), ("HipMoment", "X")
    values = NamedValues(layers_of(tables)[0], style, None)
    found = {"L": [(0.001, 70.0), (-0.002, 95.0), (0.0, 80.0)], "R": [(0.001, 70.0), (0.006, 72.0)]}
    values._of = {(*key, side, "max_swing"): pairs for side, pairs in found.items()}
    assert text_in(list(_rows(values, key, "max_swing")))[1][:3] == [" at % of cycle", "–", "71 ± 1"]
