"""Sessions over one another: a colour each, left and right on their own pages, changes with what they must leave."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pypdf
import pytest
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D

from biomech_id.conventions import SIDES
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.report import compare_report, session_differences
from biomech_id.report.layout.change_table import change_cell, change_cells
from biomech_id.report.layout.style import load_style
from biomech_id.report.layout.typography import wrapped
from biomech_id.report.pages.cover import compared_cover
from biomech_id.report.pages.kinematics import kinematics_page
from biomech_id.report.pages.statistics import _changes
from biomech_id.report.panels.curve_panel import Drawing, session_colour
from biomech_id.report.panels.layer import Layer, layers_of
from biomech_id.session.output.scores_table import scores_against
from biomech_id.session.tables.means import mean_curves
from biomech_id.statistics.sessions import ComparedCycles, change_of_curve, change_of_parameter, session_sd
from biomech_id.statistics.two_recordings import ScalarChange


@pytest.fixture
def pair(build):
    return build(code="BEFORE"), build(code="AFTER", seed=1)


def test_each_session_is_drawn_in_its_colour_on_a_page_for_each_side(build):
    sessions = [build(code=letter, seed=seed) for seed, letter in enumerate("ABC")]
    layers = [Layer(tables, "straight", "barefoot", tables.summary["subject"]["code"]) for tables in sessions]
    style = load_style()
    for side, other in (SIDES, SIDES[::-1]):
        figure = kinematics_page(Drawing(layers, style, side=side))
        collections = {c.get_gid(): c for axes in figure.axes for c in axes.collections}
        assert not [gid for gid in collections if f"|{other}|" in str(gid)]
        for number, tables in enumerate(sessions):
            found = collections[f"{'ABC'[number]}|{side}|HipAngles.X|mean"]
            expected = tables.curves(side, "HipAngles", "X").mean(axis=0)
            np.testing.assert_allclose(found.get_paths()[0].vertices[:, 1], expected, atol=1e-12)
            assert to_hex(found.get_edgecolor()[0]) == style.colour(session_colour(number))
    assert len({style.colour(session_colour(number)) for number in range(6)}) == 6


def test_bars_stand_where_a_session_has_changed_and_nowhere_else(build):
    """Five degrees of knee flexion in swing are seen beyond the markers' error, and nothing else is."""
    before = build(code="ONE")
    rows = before.cycles
    swing = (rows["variable"] == "KneeAngles") & (rows["component"] == "X") & (rows["side"] == "L") & (rows["percent"] > 60)
    noise = np.random.default_rng(2).normal(0.0, 0.3, len(rows))
    before = replace(before, cycles=rows.assign(value=rows["value"] + noise))
    after = replace(before, cycles=rows.assign(value=rows["value"] + noise[::-1] + 12.0 * swing))
    after = replace(after, summary={**after.summary, "subject": {**after.summary["subject"], "session_date": "2025-01-01"}})
    layers = [Layer(tables, "straight", "barefoot", name) for tables, name in zip((before, after), "AB", strict=True)]
    figure = kinematics_page(Drawing(layers, load_style(), side="L"))
    bars = {c.get_gid(): c for axes in figure.axes for c in axes.collections if str(c.get_gid()).endswith("|changed")}
    assert list(bars) == ["B|L|KneeAngles.X|changed"]
    change = change_of_curve(*(ComparedCycles(layer.tables, layer.used) for layer in layers), ("L", "KneeAngles", "X"))
    assert change.changed[61:].all()
    assert not change.changed[:60].any()


def test_two_conditions_of_one_session_share_their_markers(two_conditions):
    layers = [layer for layer in layers_of(two_conditions) if layer.kind == "straight"]
    first, second = (ComparedCycles(layer.tables, layer.used) for layer in layers[:2])
    sd, _ = session_sd(first, second, "KneeAngles", "X")
    assert not sd.any()
    another = replace(two_conditions, summary={**two_conditions.summary, "version": "later"})
    sd, limit = session_sd(first, ComparedCycles(another, layers[1].used), "KneeAngles", "X")
    assert sd.min() > 1.0
    assert 2.0 < limit < 3.0


def test_what_markers_make_of_a_parameter_is_no_change(two_conditions):
    layers = [layer for layer in layers_of(two_conditions) if layer.kind == "straight"]
    legs = {**two_conditions.summary["subject"], "leg_length_m": {"L": 0.5, "R": 0.5}}
    other = replace(two_conditions, summary={**two_conditions.summary, "version": "later", "subject": legs})
    first, second = ComparedCycles(two_conditions, layers[0].used), ComparedCycles(other, layers[1].used)
    values = np.array([0.60, 0.6001, 0.6002, 0.6003])

    def change(parameter: str, by: float, after: ComparedCycles = second) -> ScalarChange:
        return change_of_parameter(first, after, parameter, (values, values + by))

    assert not change("step_length", 0.007).changed
    assert change("step_length", 0.010).changed
    # 7 mm are 1.4 % of a leg of half a metre, with dimension or without.
    assert not change("step_length_dimensionless", 0.014).changed
    assert change("step_length_dimensionless", 0.020).changed
    assert change("stride_time_dimensionless", 0.014).changed
    # How far a trunk leans hangs on its markers, and nobody has measured how much.
    for parameter in ("trunk_lean_pelvis", "arm_swing", "centre_of_mass_vertical"):
        assert not change(parameter, 9.0).changed
        assert np.isnan(change(parameter, 9.0).carried)
        assert change(parameter, 9.0, ComparedCycles(two_conditions, layers[1].used)).changed


def test_tables_hold_each_session_and_what_changed(pair, tmp_path):
    path = compare_report(pair, tmp_path / "a.pdf", pages=["cover", "spatiotemporal", "values"])
    pages = [" ".join(page.extract_text().split()) for page in pypdf.PdfReader(path).pages]
    cover, left, right = pages[:3]
    assert "BEFORE / AFTER" in cover
    assert "Session A: BEFORE, 2024-05-17, barefoot" in cover
    assert "B − A" in left
    assert "what two visits differ by without any change" in left
    assert "two persons" in cover
    assert "1.34 ± 0.01" in left  # speed with its spread over the cycles
    assert "Time and distance: Right" in right
    a, b = (
        tables.peaks.query("variable == 'HipAngles' and component == 'X' and name == 'max_stance' and side == 'R'")
        for tables in pair
    )
    means = a["value"].mean(), b["value"].mean()
    values = " ".join(pages[3:])
    assert f"{means[1]:.1f} {means[1] - means[0]:+.1f} (".replace("-", "−") in values


def test_what_sets_two_sessions_apart_besides_the_walking_is_said(build):
    one, other = build(code="ANNA"), build(code="ANNA", seed=1)
    assert session_differences(one, other) == ()
    six_dof = replace(other, summary={**other.summary, "model": "six-dof", "kinetics": "vicon"})
    model, kinetics = session_differences(one, six_dof)
    assert model == "A was computed with the conventional model, B with six-dof: their differences are also those of the model."
    assert "vicon" in kinetics
    assert session_differences(one, build(code="BEN")) == ("A is of ANNA, B of BEN: two persons.",)
    assert session_differences(one, build(code="")) == ()


def test_every_page_says_which_session_it_shows(pair, tmp_path):
    path = compare_report(pair, tmp_path / "a.pdf", names=("shod", "barefoot"), pages=["kinematics_mean", "methods"])
    left, right, first, second = (" ".join(page.extract_text().split()) for page in pypdf.PdfReader(path).pages)
    for side, page in (("Left", left), ("Right", right)):
        assert f"Kinematics, means: {side}" in page
        assert "A: shod" in page
        assert "B: barefoot" in page
    assert "Methods: shod" in first
    assert "Methods: barefoot" in second


def test_a_session_without_cycles_is_refused(pair, build, tmp_path):
    with pytest.raises(MissingInputError, match="Session B"):
        compare_report([pair[0], build(cycles=0)], tmp_path / "a.pdf")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def two_conditions(build):
    """One session, walked barefoot and with an orthosis."""
    barefoot, orthosis = build(code="ONE"), build(code="ONE", seed=1)
    second = {**orthosis.summary["trials"][0], "name": "walk9", "file": "walk9.c3d", "condition": "orthosis"}
    summary = {**barefoot.summary, "conditions": ["barefoot", "orthosis"], "trials": [*barefoot.summary["trials"], second]}
    renamed = {name: getattr(orthosis, name).assign(trial="walk9") for name in ("cycles", "budget", "peaks", "spatiotemporal")}
    together = {name: pd.concat([getattr(barefoot, name), table], ignore_index=True) for name, table in renamed.items()}
    return replace(barefoot, summary=summary, **together)


def first_page(path) -> str:
    return " ".join(pypdf.PdfReader(path).pages[0].extract_text().split())


def test_a_session_with_itself_compares_its_conditions(two_conditions, tmp_path):
    text = first_page(compare_report([two_conditions, two_conditions], tmp_path / "a.pdf", pages=["cover"]))
    assert "Session A: ONE, 2024-05-17, barefoot" in text
    assert "Session B: ONE, 2024-05-17, orthosis" in text
    assert "more conditions" not in text
    path = compare_report([two_conditions, two_conditions], tmp_path / "b.pdf", pages=["quality", "methods"])
    assert len(pypdf.PdfReader(path).pages) == 2


def test_conditions_that_both_have_are_compared_unless_others_are_asked_for(two_conditions, build, tmp_path):
    other = build(code="ONE", seed=2)
    for letter, pair in (("A", (two_conditions, other)), ("B", (other, two_conditions))):
        text = first_page(compare_report(pair, tmp_path / "a.pdf", pages=["cover"]))
        assert "Session A: ONE, 2024-05-17, barefoot" in text
        assert "Session B: ONE, 2024-05-17, barefoot" in text
        assert f"Session {letter} was walked under more conditions than the one shown here: orthosis." in text
    text = first_page(compare_report([two_conditions, other], tmp_path / "a.pdf", pages=["cover"], conditions=("orthosis", None)))
    assert "Session A: ONE, 2024-05-17, orthosis" in text
    with pytest.raises(MissingInputError, match=r"Session B \(ONE\) has no gait cycle of the condition 'shod'; it has 'barefoot'"):
        compare_report([two_conditions, other], tmp_path / "b.pdf", conditions=(None, "shod"))


def test_models_that_differ_tell_the_sessions_apart(build, tmp_path):
    one, other = build(code="ONE"), build(code="ONE", seed=1)
    other = replace(other, summary={**other.summary, "model": "six-dof"})
    with pytest.raises(OptionError, match=r"body model of session A \(ONE\) is conventional, of session B \(ONE\) six-dof"):
        compare_report([one, other], tmp_path / "a.pdf", pages=["cover"])
    text = first_page(compare_report([one, other], tmp_path / "a.pdf", pages=["cover"], mix=["model"]))
    assert "Session A: ONE, 2024-05-17, barefoot, conventional" in text
    assert "Session B: ONE, 2024-05-17, barefoot, six degrees of freedom" in text
    assert "their differences are also those of the model" in text


def test_two_bandwidths_are_not_compared_unless_it_is_asked_for_by_name(pair, build, tmp_path):
    """A loss of plantarflexor power that nobody has must not appear between two visits."""
    first, second = pair
    told = {**second.summary["fingerprint"], "bandwidth": "as recorded"}
    second = replace(second, summary={**second.summary, "fingerprint": told})
    with pytest.raises(OptionError, match="bandwidth of the plates") as refused:
        compare_report([first, second], tmp_path / "a.pdf", pages=["cover"])
    assert refused.value.value == {"bandwidth": ["like the markers", "as recorded"]}
    with pytest.raises(OptionError, match="bandwidth"):
        compare_report([first, second], tmp_path / "a.pdf", pages=["cover"], mix=["hip_centre"])
    with pytest.raises(OptionError, match=r"mix names 'bandwith'.*bandwidth"):
        compare_report([first, second], tmp_path / "a.pdf", pages=["cover"], mix=["bandwith"])
    assert not list(tmp_path.iterdir())
    compare_report([first, second], tmp_path / "a.pdf", pages=["cover"], mix=["bandwidth"])
    (said,) = [line for line in session_differences(first, second) if "bandwidth" in line]
    assert "like the markers, of B as recorded" in said


def test_a_session_that_does_not_say_how_it_was_computed_is_named(pair):
    older = replace(pair[1], summary={key: value for key, value in pair[1].summary.items() if key != "fingerprint"})
    lines = [line for line in session_differences(pair[0], older) if "does not say" in line]
    assert [line.split(":")[0] for line in lines] == ["B does not say its hip centre", "B does not say its bandwidth of the plates"]
    assert session_differences(older, older)[-1].startswith("B does not say")
    assert session_differences(older, older, language="de")[-1].startswith("B nennt die Bandbreite der Platten nicht")


def test_scores_are_those_of_the_norm_that_is_shown(pair, build_norm, tmp_path):
    """Sessions computed without a norm have no scores in their tables."""
    bare = [replace(tables, scores=tables.scores.iloc[:0], norm=None) for tables in pair]
    norm = build_norm()
    path = compare_report(bare, tmp_path / "a.pdf", pages=["scores"], norm=norm)
    (page,) = (" ".join(page.extract_text().split()) for page in pypdf.PdfReader(path).pages)
    overall = []
    for tables in bare:
        (curves,) = mean_curves(tables).values()
        overall.append(f"{scores_against(curves, norm).overall:.1f}")
    assert f"Gait profile score Overall {overall[0]} {overall[1]}" in page
    assert "1.6 deg" in page


def test_six_sessions_are_compared_and_seven_refused(build, tmp_path):
    sessions = [build(code="ONE", seed=seed) for seed in range(7)]
    path = compare_report(sessions[:6], tmp_path / "a.pdf", pages=["spatiotemporal"], names=list("uvwxyz"))
    text = pypdf.PdfReader(path).pages[0].extract_text()
    assert all(f"{letter} − A" in text for letter in "BCDEF")
    for wrong in (sessions, sessions[:1]):
        with pytest.raises(OptionError, match="cannot be compared"):
            compare_report(wrong, tmp_path / "b.pdf")
    with pytest.raises(OptionError, match="3 conditions named"):
        compare_report(sessions[:2], tmp_path / "b.pdf", conditions=["barefoot"] * 3)


def test_six_sessions_say_their_dates_once_and_each_change_on_one_line(build, tmp_path):
    sessions = [build(code="SIX", seed=seed, date=f"202{seed}-05-17") for seed in range(6)]
    path = compare_report(sessions, tmp_path / "six.pdf", pages=["cover", "statistics"], names=["walk with shoes"] * 6)
    reader = pypdf.PdfReader(path)
    for page in reader.pages:
        assert page.extract_text().count("Session date:") == 1
        assert "2020-05-17 / 2021-05-17" in page.extract_text()
    layers = [Layer(tables, "straight", "barefoot", letter) for letter, tables in zip("ABCDEF", sessions, strict=True)]
    style = load_style()
    table = _changes(layers, style, "L")
    assert len(table.rows) > 10
    for row in table.rows:
        for cell, column in list(zip(row, table.columns, strict=True))[2:]:
            text, bold = (cell, False) if isinstance(cell, str) else (cell.text, cell.bold)
            room = column.width_mm - 2 * table.padding_mm
            assert len(wrapped(text, room, style.size(table.size), weight="bold" if bold else "normal")) == 1, text


def test_the_cover_shows_how_each_session_is_drawn(build):
    layers = [Layer(build(code=letter, seed=seed), "straight", "barefoot", letter) for seed, letter in enumerate("ABC")]
    style = load_style()
    first = next(iter(compared_cover(layers, style, None)))
    drawn = [to_hex(line.get_color()) for line in first.findobj(Line2D) if line.get_linewidth() > 2]
    assert drawn == [style.colour(session_colour(number)) for number in range(3)]


def test_without_scores_there_is_one_page_about_them(pair, tmp_path):
    path = compare_report(pair, tmp_path / "a.pdf", pages=["scores"])
    assert len(pypdf.PdfReader(path).pages) == 1


def test_a_difference_that_the_decimals_do_not_show_has_no_sign():
    assert change_cell(ScalarChange(0.001, 0.0, 0.0, 1.0), 2, load_style()).text == "0.00 (0.00)"
    assert change_cell(ScalarChange(0.9, 0.1, float("nan"), 0.001), 1, load_style()).text == "+0.9"


def test_only_a_change_beyond_both_is_bold():
    sure, within, scattered = (
        ScalarChange(3.0, 1.0, 2.0, 0.001),
        ScalarChange(3.0, 1.0, 4.0, 0.001),
        ScalarChange(3.0, 1.0, 2.0, 0.2),
    )
    cells = change_cells([[1.0, 1.2], [4.0], [4.0], [4.0]], [sure, within, scattered], 1, load_style())
    assert [cells[at].bold for at in (2, 4, 6)] == [True, False, False]
    assert cells[0] == "1.1 ± 0.1"
