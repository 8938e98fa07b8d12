"""The first page of a session: its numbers are those of the tables, and what cannot be said is said to be so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from biomech_id.interpretation.published_speeds import published_means
from biomech_id.interpretation.rules import shipped_rules
from biomech_id.movement.grades import Grade
from biomech_id.report import draw_report
from biomech_id.report.book import session_pages
from biomech_id.report.first import patterns
from biomech_id.report.first.examination import _distinct
from biomech_id.report.first.facts import SessionFacts
from biomech_id.report.first.patterns import (
    CURVE_ROWS,
    _class_words,
    _of_both_sides,
    _pace,
    _sided,
    named_words,
    openings,
    rule_words,
    shown_words,
)
from biomech_id.report.first.trust import trusted
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels.layer import ROWS, Layer
from biomech_id.report.panels.norm import load_norm
from biomech_id.report.panels.small_title import small_title
from biomech_id.report.pdf import pages_of, texts_on


def printed_on(tables, **options) -> list[str]:
    """Every text of page 1, after the page's title; no file is written."""
    made, _, _ = pages_of(tables, pages=["first"], **options)
    return list(texts_on(made))[1:]


def mean_of(tables, parameter, side=None):
    used = tables.cycle_list[tables.cycle_list["used"].astype(bool) & (tables.cycle_list["kind"] == "straight")]
    rows = tables.spatiotemporal.merge(used[["trial", "side", "cycle"]], on=["trial", "side", "cycle"])
    mine = rows[(rows["parameter"] == parameter) & (rows["side"].isin([side]) if side else True)]
    return float(np.mean(mine["value"]))


def test_its_headline_numbers_are_means_over_the_cycles_that_count(session):
    texts = printed_on(session)
    assert texts[texts.index("Speed, m/s") + 1] == f"{mean_of(session, 'speed'):.2f}"
    off = texts.index("Foot off, %")
    assert texts[off + 1 : off + 3] == [f"{mean_of(session, 'foot_off', side):.1f}" for side in "LR"]


@pytest.mark.parametrize(("cycles", "words"), [(1, "Left: 1 cycle: not judged."), (2, "Right: 2 cycles: not judged.")])
def test_a_side_of_few_cycles_says_so(build, cycles, words):
    assert words in printed_on(build(cycles=cycles))


def test_without_a_norm_or_its_people_it_says_why_no_sentence_stands(build, build_norm):
    alone = " ".join(printed_on(build()))
    assert "No sentence stands here: without a norm of limbs" in alone
    assert "biomech-id norm OUT... -o norm.csv" in alone
    means = " ".join(printed_on(build(), norm=build_norm(n=24)))
    assert "the norm holds means and SDs and no people" in means


@pytest.mark.parametrize(("language", "said"), [
    ("en", "Angles and joint loads are not compared with the norm: its body model is six-dof, this session's conventional."),
    ("de", "Gelenklasten werden nicht mit der Norm verglichen: Körpermodell der Norm: six-dof, dieser Sitzung: conventional."),
])  # fmt: skip
def test_a_norm_of_another_model_is_behind_no_angle_and_the_page_says_why(build, build_norm, language, said):
    style, other = load_style(language=language), build_norm(n=24, model="six-dof").assign(hip_centre="harrington")
    assert said in " ".join(printed_on(build(), style=style, norm=other))
    assert said not in " ".join(printed_on(build(), style=style, norm=build_norm(n=24)))
    facts = SessionFacts(walked(build()), style, load_norm(other, build()))
    assert [facts.angles_compared, facts.left_out.values["key"]] == [False, "model"]
    # Of hip centres the pelvis does not hang on, of bandwidths no angle does.
    elsewhere = load_norm(build_norm(n=24).assign(hip_centre="harrington", bandwidth="as recorded"), build())
    facts = SessionFacts(walked(build()), style, elsewhere)
    assert [facts.angles_compared, facts.left_out.values["key"]] == [True, "hip_centre"]


def opened(scores=(), band_deg=4.0, **values) -> str:
    """What stands above all sentences of a session without one: scores are rows of variable, component, side and value (deg)."""
    head = ("variable", "component", "side", "value")
    table = pd.DataFrame([dict(zip(head, row, strict=True)) for row in scores], columns=head)
    table = table.assign(condition="", norm_mean=5.0, norm_sd=1.0)
    sd = np.full(101, band_deg / 1.96)
    facts = {
        "style": load_style(language="en"),
        "norm": SimpleNamespace(people=("somebody",)),
        "people": 1000,
        "tables": SimpleNamespace(scores=table),
        "layer": SimpleNamespace(condition="", uncertainty=lambda *_: {"total": sd}),
        "silent_sides": (),
        "artefacts": {},
        "groups": (),
        "classes": (),
        "hemiplegia": None,
        "lacks_bands": False,
        "left_out": None,
        "angles_compared": True,
    }
    return " ".join(text for text, _ in openings(SimpleNamespace(**{**facts, **values})))


def test_where_no_angle_was_compared_it_does_not_say_that_nothing_lies_beyond():
    assert "Nothing lies beyond" in opened()
    assert "Nothing lies beyond" not in opened(angles_compared=False)


def test_what_no_rule_has_words_for_is_not_passed_as_nothing():
    """Toes turned in by 17 degrees: no rule is met, the profile stands far outside."""
    turned = [("FootProgressAngles", "Z", side, 17.0) for side in "LR"]
    text = opened(turned)
    assert "Nothing lies beyond" not in text
    assert "Foot progression L 17°, R 17°" in text
    assert "Nothing lies beyond" in opened(turned, band_deg=18.0)  # within the session's own error
    assert "Nothing lies beyond" in opened([("FootProgressAngles", "Z", "L", 6.9)])  # within two SDs


def test_of_two_sides_that_differ_each_has_its_number():
    numbers = {"L": 39.0, "R": 29.0}
    sides = {side: SimpleNamespace(mean=SimpleNamespace(numbers={"single_support": [value]})) for side, value in numbers.items()}
    table = pd.DataFrame({"parameter": ["single_support"], "unit": ["%"]})
    facts = SimpleNamespace(style=load_style(), sides=sides, tables=SimpleNamespace(spatiotemporal=table))
    assert list(_of_both_sides(facts, shipped_rules()["ASS"])) == ["left 39 %, right 29 %"]
    assert not list(_of_both_sides(facts, shipped_rules()["CRS"]))


def test_a_range_of_the_pelvis_has_no_side():
    @dataclass(frozen=True)
    class Row:
        side: str

    assert [row.side for row in _sided(shipped_rules()["PC1"], [Row("R")])] == [""]
    for pattern in ("CRS", "PC2"):  # up on this side: whose, is what it says
        assert [row.side for row in _sided(shipped_rules()[pattern], [Row("R")])] == ["R"]


def with_channels(tables, sides):
    rows = [
        {"trial": "walk", "label": f"ch{n}", "side": side, "muscle": "soleus", "verdict": verdict}
        for n, (side, verdict) in enumerate(zip(sides, ("live", "flat"), strict=True))
    ]
    return replace(tables, channels=pd.DataFrame(rows))


def walked(tables) -> Layer:
    return Layer(tables, "straight", tables.summary["trials"][0]["condition"])


@pytest.mark.parametrize(("key", "stated", "said"), [("aid", "crutches", "aid: "), ("footwear", "orthosis left", "orthosis left")])
def test_what_bears_a_part_stands_beside_forces_and_moments(build, key, stated, said):
    def forces(**worn: str) -> tuple[str, ...]:
        tables = build()
        for trial in tables.summary["trials"]:
            trial.update(worn)
        layer = Layer(tables, "straight", tables.summary["trials"][0]["condition"])
        (of_forces,) = (each.details for each in trusted(SessionFacts(layer, load_style(), None)) if each.layer == "forces")
        return of_forces

    assert any(said in detail for detail in forces(**{key: stated}))
    assert forces(aid="none", footwear="barefoot") == forces()


def of_layer(tables, name: str):
    (one,) = (each for each in trusted(SessionFacts(walked(tables), load_style(), None)) if each.layer == name)
    return one


@pytest.mark.parametrize("verdict", [Grade.ACCEPT, Grade.WARN, Grade.REJECT])
def test_muscle_signals_have_the_verdict_of_their_layer(build, verdict):
    """One predicate: page 2, `check` and this page say the same of a session with a channel at rest."""
    tables = with_channels(build(), sides=("L", "R"))
    tables.summary.setdefault("verdicts", {})["emg"] = {side: {"verdict": str(verdict), "reasons": []} for side in "LR"}
    shown = of_layer(tables, "emg")
    assert shown.grade is verdict
    assert "1 of 2 channels live" in shown.details[0]


def test_channels_of_no_side_are_not_judged_and_that_is_said(build):
    shown = of_layer(with_channels(build(), sides=("", "")), "emg")
    assert shown.grade is Grade.NOT_JUDGED
    assert "no channel names a side" in shown.details


def test_a_channel_that_fails_in_a_walk_is_named_and_one_at_rest_in_another_trial_is_not(build):
    tables = with_channels(build(), sides=("L", "R"))
    more = [
        {"trial": "two", "label": "ch0", "side": "L", "muscle": "soleus", "verdict": each} for each in ("quiet", "intermittent")
    ]
    for row, named in zip(more, (False, True), strict=True):
        channels = pd.concat([tables.channels.query("label == 'ch0'"), pd.DataFrame([row])])
        assert any(detail.startswith("ch0: ") for detail in of_layer(replace(tables, channels=channels), "emg").details) is named


def test_why_other_cycles_have_no_kinetics_is_not_said_of_those_that_have(build):
    tables = build()
    reasons = [{"rule": "next-strike-outside", "values": {}}]
    tables.summary.setdefault("verdicts", {})["kinetics"] = {side: {"verdict": "warn", "reasons": reasons} for side in "LR"}
    few = SessionFacts(walked(tables), load_style(), None)
    vars(few)["loaded"] = {"L": 1, "R": 1}
    (forces,) = (each for each in trusted(few) if each.layer == "forces")
    assert any(detail.startswith("other cycles: ") for detail in forces.details)


def test_rows_that_would_be_cut_to_the_same_words_keep_their_ends():
    names = ["hamstrings, popliteal angle, slow", "hamstrings, popliteal angle, fast", "soleus"]
    first, second, third = _distinct(names, 30.0, 7.0)
    assert (first[0], second[0], third) == ("…", "…", "soleus")
    assert (first[-4:], second[-4:]) == ("slow", "fast")


def test_a_session_without_walks_has_no_such_page_and_says_so_when_asked(build, tmp_path):
    texts: list[str] = []
    draw_report(build(cycles=0), tmp_path / "whole.pdf", printed=texts)
    assert "Gait summary" not in texts
    assert "This session has no straight walk" in printed_on(build(cycles=0))[0]


@pytest.mark.parametrize("language", ["en", "de"])
def test_titles_of_its_curves_are_whole(session, build_norm, language):
    style = load_style(language=language)
    names = {name for row in CURVE_ROWS for name in row}
    texts = printed_on(session, style=style, norm=build_norm(n=24))
    titles = {style.word(ROWS[name].title) for name in names}
    whole = {title for title in titles if any(text == title or text.startswith(f"{title},") for text in texts)}
    assert len(whole) > 8
    assert not [text for text in texts if text.endswith("…") and any(title.startswith(text[:-1]) for title in titles)]
    width = 29.0
    assert {line for name in names for line in small_title(ROWS[name], style, width) if "…" in line} == set()


def test_a_title_of_a_small_panel_has_its_unit_on_a_line_of_its_own_where_one_line_has_no_room():
    style = load_style(language="en")
    assert small_title(ROWS["KneeMoment", "X"], style, 29.0) == ["Knee sagittal moment", "N m/kg"]
    assert small_title(ROWS["KneeMoment", "X"], style, 40.0) == ["Knee sagittal moment, N m/kg"]
    assert small_title(ROWS["PelvisAngles", "X"], style, 29.0)[0].endswith(", °")


def test_it_names_the_norm_with_version_date_and_people(session, build_norm):
    norm = build_norm(n=24).assign(name="Children", version="3", date="2026-11-28")
    assert "Norm: Children, 3, 2026-11-28, n = 24" in printed_on(session, norm=norm)
    long = printed_on(session, norm=norm.assign(name="Children of many laboratories " * 4))
    (said,) = [text for text in long if text.startswith("Norm: Children")]
    assert said.endswith("…, n = 24")


def test_a_norm_of_means_alone_is_not_judged_and_of_other_ages_orientation_only(build, build_norm):
    tables = build()
    tables.summary["subject"]["age_years"] = 40.0
    children = build_norm(n=24).assign(age_min_y=6.0, age_max_y=12.0)
    said = printed_on(tables, norm=children)
    assert "the norm holds means and SDs and no people" in " ".join(said)
    assert any("age does not fit the norm's; orientation only" in text for text in [" ".join(said), "; ".join(said)])
    adults = " ".join(printed_on(tables, norm=build_norm(n=24).assign(age_min_y=30.0, age_max_y=50.0)))
    assert "orientation only" not in adults
    few = " ".join(printed_on(tables, norm=build_norm(n=12).assign(age_min_y=30.0, age_max_y=50.0)))
    assert "below 20 people: orientation only" in few


@pytest.mark.parametrize("language", ["en", "de"])
def test_text_has_seven_points_and_grey_lines_six(build, build_norm, language):
    session, style = build(scores=True), load_style(language=language)
    with mpl.rc_context(style.rc):
        (page,) = session_pages(session, style, load_norm(build_norm(n=24), session), ["first"])
        texts = [text for text in page.figure.findobj(Text) if text.get_visible() and len(text.get_text().strip("▲▼ ")) > 1]
    grey = {to_rgb(style.colour("quiet"))}
    body = {text.get_text(): text.get_fontsize() for text in texts if to_rgb(text.get_color()) not in grey}
    assert len(body) > 30
    assert {words: size for words, size in body.items() if size < 7.0 and not words.replace("−", "").isdigit()} == {}
    assert min(text.get_fontsize() for text in texts) >= 6.0


@pytest.mark.parametrize(("cycles", "n"), [(1, ["n = 1"]), (2, ["n = 2"]), (3, [])])
def test_few_cycles_are_said_beside_the_numbers(build, cycles, n):
    assert {text for text in printed_on(build(cycles=cycles)) if text.startswith("n = ")} == set(n)


@pytest.mark.parametrize(
    ("speed", "pace", "knee"),
    [(0.227, "very_slow", "44.7"), (0.23, "slow", "55.2"), (0.5, "free", "59.1"), (0.7, "very_fast", "61.9")],
)
def test_published_means_are_those_of_the_speed_s_class(speed, pace, knee):
    row = published_means(speed)
    assert (row["pace"], row["knee"]) == (pace, knee)


@pytest.mark.parametrize(("language", "words"), [("en", "slow speed (Schwartz 2008)"), ("de", "langsamem Tempo (Schwartz 2008)")])
def test_a_speed_out_of_the_norm_s_range_stands_beside_published_means_in_grey(language, words):
    def lines(warns: bool) -> list[tuple[str, str]]:
        side = SimpleNamespace(mean=SimpleNamespace(numbers={"speed_dimensionless": [0.3]}))
        norm = SimpleNamespace(scalars={"speed_dimensionless": (0.45, 0.05)})
        facts = SimpleNamespace(artefacts={"speed": {warns}}, norm=norm, sides={"L": side}, style=load_style(language=language))
        return list(_pace(facts))

    (_, first), (published, second) = lines(True)
    assert (first, second) == ("warn", "quiet")
    assert words in published
    assert "55°" in published
    assert "−2°" in published
    assert lines(False) == []


@pytest.mark.parametrize(("language", "pattern", "words"), [
    ("en", "CRS", "Least knee flexion in single support (crouch)"),
    ("de", "CRS", "Minimum: Knieflexion im Einbeinstand (Kauergang)"),
    ("en", "ASWS2", "Mean ankle dorsiflexion from 80 % to 100 % (drop foot)"),
    ("en", "HT1", "Mean hip rotation (external hip rotation)"),
    ("en", "APO", "Largest ankle power from 40 % to foot off (weak push-off)"),
    ("en", "BAS", "Wide base"),
    ("de", "NHS", "Fußkippung beim Auftritt (kein Fersenauftritt)"),
])  # fmt: skip
def test_below_its_numbers_stands_what_was_measured_and_the_pattern_in_brackets(language, pattern, words):
    assert named_words(shipped_rules()[pattern], load_style(language=language)) == words


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_rule_says_what_it_measures(language):
    style = load_style(language=language)
    for rule in shipped_rules().rows:
        if rule.shown.quantity.drawn in ROWS:
            assert shown_words(rule, style) != rule_words(rule, style)[0], rule.pattern
            assert style.word(ROWS[rule.shown.quantity.drawn].title).lower() in shown_words(rule, style).lower()


@pytest.mark.parametrize(("language", "names", "said"), [
    ("en", {"L": "RG4", "R": "RG4"}, ["Sagittal class: crouch gait, both sides.", "L 2.7 R 2.7, dorsiflexion L −2.4 R −2.4."]),
    ("en", {"L": "RG2", "R": "RG4"}, ["Sagittal class: Left jump gait, Right crouch gait; the sides differ (group V).", "R 2.7"]),
    ("en", {"R": "RG2"}, ["Sagittal class: Right jump gait.", "L 2.7 R 2.7"]),
    ("en", {}, ["no sagittal class is named"]),
    ("de", {"L": "RG2", "R": "RG2"}, ["Sagittale Klasse: Sprunggang, beidseits.", "Knieflexion L 2,7 R 2,7"]),
])  # fmt: skip
def test_a_class_stands_above_all_others_and_without_one_the_distances(language, names, said):
    """Where neither knee nor ankle leaves the norm the page is silent about both."""
    sides = [
        SimpleNamespace(side=side, knee_sd=2.7, ankle_sd=-2.4, beyond=True, named=SimpleNamespace(pattern=names[side]))
        if side in names else SimpleNamespace(side=side, knee_sd=2.7, ankle_sd=-2.4, beyond=True, named=None) for side in "RL"
    ]  # fmt: skip
    facts = SimpleNamespace(classes=sides, style=load_style(language=language), rules=shipped_rules())
    lines = list(_class_words(facts))
    assert [colour for _, colour in lines] == (["ink", "quiet"] if names else ["quiet"])
    assert all(words in text for words, (text, _) in zip(said, lines, strict=True))
    for side in sides:
        side.beyond, side.named = False, None
    assert list(_class_words(facts)) == []


def test_a_leg_s_length_stands_with_its_side_whatever_the_file_names_first(build):
    def head(left_m, right_m):
        tables = build()
        tables.summary["subject"]["leg_length_m"] = {"R": right_m, "L": left_m}
        return " ".join(printed_on(tables))

    assert "leg L 0.73 R 0.71 m" in head(0.731, 0.712)
    assert "leg 0.73 m" in head(0.731, 0.729)
    tables = build()
    tables.summary["subject"]["leg_length_m"] = {"L": 0.731}
    assert "leg L 0.73 m" in " ".join(printed_on(tables))


@pytest.mark.parametrize(("left", "said"), [
    (-0.12, "L −0.12, R 0.05 (a small slope proves nothing)"), (-0.45, "L −0.45, R 0.05 (95 % of healthy legs: ±0.35 or less)"),
])  # fmt: skip
def test_only_a_small_slope_is_said_to_prove_nothing(build, left, said):
    tables = build()
    for side, slope in (("L", left), ("R", 0.05)):
        tables.calibration.setdefault("sides", {}).setdefault(side, {})["knee_varus_slope"] = slope
    assert any(detail.endswith(said) for detail in of_layer(tables, "transverse").details)


def test_a_channel_at_rest_in_one_trial_is_not_among_the_lost(build):
    tables = with_channels(build(), sides=("L", "R"))
    resting = tables.channels.iloc[:1].assign(trial="static", verdict="quiet")
    shown = of_layer(replace(tables, channels=pd.concat([resting, tables.channels])), "emg")
    assert [detail.split(":")[0] for detail in shown.details] == ["1 of 2 channels live", "ch1"]


@pytest.mark.parametrize(("height_mm", "curves_mm"), [(20.0, 45.8), (28.0, 5.8)])
def test_a_sentence_goes_before_the_row_of_curves(monkeypatch, height_mm, curves_mm):
    """All five stand on the page where they fit without the curves; where they leave room, curves have it."""
    sheet, left, drawn = Sheet(load_style()), [], []
    for name, made in (
        ("block_mm", lambda *_: height_mm), ("openings", lambda _: ()), ("_rest", lambda _, shown: drawn.append(shown)),
        ("_draw_sentence", lambda *_: None), ("_draw_curves", lambda _sheet, _facts, place: left.append(place[3] - place[1])),
    ):  # fmt: skip
        monkeypatch.setattr(patterns, name, made)
    patterns.draw_patterns(sheet, SimpleNamespace(groups=((None, ()),) * 5), 86.0, 37.5, 206.0, 193.0)
    assert drawn == [5]
    assert left == [pytest.approx(curves_mm + 2.5)]
