"""The bars of uncertainty are what the tables say, and are not there where nobody asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from biomech_id.anatomy import JOINTS
from biomech_id.conventions import ERROR_SOURCES, MOMENT_VARIABLE, POWER_VARIABLE, SIDES
from biomech_id.errors import OptionError
from biomech_id.report.book import page_names, session_pages
from biomech_id.report.layout.sheet import HEIGHT_MM, LEFT_MM, RIGHT_MM, WIDTH_MM
from biomech_id.report.layout.style import load_style
from biomech_id.report.layout.typography import width_mm
from biomech_id.report.pages.kinematics import kinematics_page
from biomech_id.report.pages.kinetics import kinetics_page
from biomech_id.report.panels.curve_panel import Drawing
from biomech_id.report.panels.fitted_scales import fitted
from biomech_id.report.panels.layer import ROWS, layers_of
from biomech_id.report.panels.norm import load_norm, with_norm
from biomech_id.report.panels.uncertainty_bars import BARS_AT, uncertainty_lines
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables
from tests.older_cycles import as_before

MOMENTS = [(MOMENT_VARIABLE[joint], axis) for joint in JOINTS for axis in "XYZ"]
#: Standard deviation (N m/kg) of each source in every cycle, before it is scaled by joint and percent.
SIZE = dict(zip(ERROR_SOURCES, (0.10, 0.02, 0.01, 0.005, 0.002, 0.03, 0.04, 0.001, 0.003), strict=True))
CYCLES = 4
#: Where the rule above the footer lies.
_FOOTER_MM = 201.0


def with_uncertainty(tables: Tables) -> Tables:
    """Uncertainty that grows along the cycle and from joint to joint."""
    wanted = [*MOMENTS, *((POWER_VARIABLE[joint], "") for joint in JOINTS)]
    curves = tables.cycles[[key in wanted for key in zip(tables.cycles["variable"], tables.cycles["component"], strict=True)]]
    table = curves.drop(columns="value").reset_index(drop=True)
    scale = (1.0 + table["percent"] / 100.0) * table["variable"].map({v: 1.0 + wanted.index((v, c)) for v, c in wanted})
    for source, size in SIZE.items():
        table[source] = size * scale
    table["total"] = np.sqrt((table[list(SIZE)] ** 2).sum(axis=1))
    return replace(tables, uncertainty=table)


def bars(page: Any, side: str, variable: str, component: str) -> np.ndarray:
    """(n, 2, 2): both ends of each bar drawn on one moment, without the caps."""
    gid = f"|{side}|{variable}.{component}|uncertainty"
    (found,) = [c for axes in page.axes for c in axes.collections if c.get_gid() == gid]
    paths = np.array([path.vertices for path in found.get_paths()])
    return paths[: len(paths) // 3]


@pytest.fixture
def tables(build: Any) -> Tables:
    return with_uncertainty(build(cycles=CYCLES))


def page_of(tables: Tables, **how: Any) -> Any:
    return kinetics_page(Drawing(layers_of(tables)[:1], load_style(), **how))


def test_bars_are_the_mean_and_95_percent_of_what_the_tables_say(tables: Tables) -> None:
    page = page_of(tables)
    for side in SIDES:
        for variable, component in MOMENTS:
            drawn = bars(page, side, variable, component)
            mean = tables.curves(side, variable, component).mean(axis=0)
            mine = tables.uncertainty
            assert mine is not None
            mine = mine[(mine["side"] == side) & (mine["variable"] == variable) & (mine["component"] == component)]
            first = mine.iloc[:CURVE_POINTS]
            noise = first["marker_noise"] / np.sqrt(CYCLES)
            sd = np.sqrt(first["total"] ** 2 - first["marker_noise"] ** 2 + noise**2).to_numpy()
            at = np.array(BARS_AT[side])
            np.testing.assert_array_equal(drawn[:, 0, 0], at)
            np.testing.assert_allclose(drawn[:, 0, 1], mean[at] - 1.96 * sd[at], rtol=1e-9)
            np.testing.assert_allclose(drawn[:, 1, 1], mean[at] + 1.96 * sd[at], rtol=1e-9)


def texts(page: Any) -> str:
    return " ".join([text.get_text() for text in page.texts] + [text.get_text() for axes in page.axes for text in axes.texts])


def test_bars_stand_beside_means_only_and_are_explained_where_they_stand(tables: Tables) -> None:
    style = load_style()
    plain = replace(tables, uncertainty=None)
    for page, there in ((page_of(tables), True), (page_of(tables, every_cycle=True), False), (page_of(plain), False)):
        names = [str(c.get_gid()) for axes in page.axes for c in axes.collections]
        assert any(name.endswith("|uncertainty") for name in names) is there
        assert (style.label("common.whiskers") in texts(page)) is there
        assert (style.label("kinetics.how_sure") in texts(page)) is there


def test_a_style_makes_the_measurement_a_band_and_the_cycles_a_pair_of_lines(tables: Tables, tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_text('[lines]\nmeasurement = "band"\n', encoding="utf-8")
    style = load_style(tmp_path / "lab.toml")
    (layer,) = layers_of(tables)
    page = kinetics_page(Drawing([layer], style))
    drawn = {str(c.get_gid()): c for axes in page.axes for c in axes.collections if c.get_gid()}
    name = f"{layer.name}|L|KneeMoment.X"
    row = ROWS["KneeMoment", "X"]
    mean, sd = layer.mean("L", row, style), layer.uncertainty("L", row, style)["total"]
    (outline,) = drawn[f"{name}|uncertainty"].get_paths()
    np.testing.assert_allclose(outline.vertices[:101, 1], mean.mean - 1.96 * sd, rtol=1e-9)
    np.testing.assert_allclose(outline.vertices[101:202, 1], (mean.mean + 1.96 * sd)[::-1], rtol=1e-9)
    low, high = (path.vertices[:, 1] for path in drawn[f"{name}|sd"].get_paths())
    np.testing.assert_allclose(low, mean.mean - mean.sd, rtol=1e-9)
    np.testing.assert_allclose(high, mean.mean + mean.sd, rtol=1e-9)
    said = texts(page)
    assert style.label("common.measured_band") in said
    assert style.label("common.mean_pair") in said
    assert style.label("common.whiskers") not in said
    # Which may be compared with which stands on the page, in both ways of drawing and both languages, within the sheet.
    for language in ("en", "de"):
        for kind in ("measured_band", "whiskers"):
            spoken = load_style(language=language)
            line = spoken.label("common.compare_with", drawn=spoken.label(f"common.{kind}"))
            assert width_mm(line, spoken.size("small")) < RIGHT_MM - LEFT_MM
    (tmp_path / "bad.toml").write_text('[lines]\nmeasurement = "bend"\n', encoding="utf-8")
    with pytest.raises(OptionError, match="measurement"):
        load_style(tmp_path / "bad.toml")


def test_a_style_shows_the_percentiles_of_a_norm_that_has_enough_people(
    session: Tables, build_norm: Callable[..., pd.DataFrame], tmp_path: Path
) -> None:
    (tmp_path / "lab.toml").write_text('[lines]\nnorm = "percentiles"\n', encoding="utf-8")
    style, usual = load_style(tmp_path / "lab.toml"), load_style()
    few = build_norm(n=45)
    many = few.assign(percentile_5=few["mean"] - 3.0, percentile_50=few["mean"] + 0.2, percentile_95=few["mean"] + 5.0)
    row, (layer,) = ROWS["KneeAngles", "X"], layers_of(session)
    # One curve without them, and all panels show mean and SD: no two kinds of band on one page.
    lacking = many.assign(percentile_95=many["percentile_95"].where(many["variable"] != "HipAngles"))
    for table, look, ranked in ((many, style, True), (many, usual, False), (few, style, False), (lacking, style, False)):
        norm = load_norm(table, session)
        assert norm is not None
        page = kinematics_page(Drawing([layer], look, norm))
        drawn = {str(c.get_gid()): c for axes in page.axes for c in axes.collections if c.get_gid()}
        (outline,) = drawn["norm KneeAngles.X"].get_paths()
        mean, sd = norm.curves["KneeAngles", "X"]
        below, above = (mean - 3.0, mean + 5.0) if ranked else (mean - sd, mean + sd)
        np.testing.assert_allclose(outline.vertices[:101, 1], below, rtol=1e-9)
        np.testing.assert_allclose(outline.vertices[101:202, 1], above[::-1], rtol=1e-9)
        assert ("norm middle KneeAngles.X" in drawn) is ranked
        assert (look.label("common.norm_ranked", n=45) in texts(page)) is ranked
        assert (look.label("common.norm_named", n=45) in texts(page)) is not ranked
        if ranked:
            (line,) = drawn["norm middle KneeAngles.X"].get_paths()
            np.testing.assert_allclose(line.vertices[:, 1], mean + 0.2, rtol=1e-9)
            wide = replace(norm, ranks={("KneeAngles", "X"): np.stack([mean - 70.0, mean, mean + 90.0])})
            held = fitted(look, [layer], wide).scale(row)
            assert held.low <= (mean - 70.0).min() < (mean + 90.0).max() <= held.high


def test_words_name_the_largest_sources_with_their_shares(tables: Tables) -> None:
    hip, knee, ankle = uncertainty_lines(layers_of(tables)[0], load_style())
    variance = {source: size**2 for source, size in SIZE.items()}
    variance["marker_noise"] /= CYCLES
    share = {source: 100 * v / sum(variance.values()) for source, v in variance.items()}
    assert f"hip centre {share['hip_centre']:.0f} %, force plates {share['force_plates']:.0f} %" in hip
    assert [line.split(" ")[0] for line in (hip, knee, ankle)] == ["Hip", "Knee", "Ankle"]
    limits = [float(line.split("± ")[1].split(":")[0]) for line in (hip, knee, ankle)]
    assert limits[0] > limits[1] > limits[2] > 0


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_words_beside_the_bars_are_whole_and_stand_on_the_sheet(
    tables: Tables, build_norm: Callable[[], pd.DataFrame], language: str
) -> None:
    """No ellipsis, nothing past the right edge, nothing in the footer; the longest lines are German, beside a norm."""
    style = load_style(language=language)
    with mpl.rc_context(style.rc):
        page = kinetics_page(Drawing(layers_of(tables)[:1], style, with_norm(build_norm(), tables)[1]))
        said = [text for text in (*page.texts, *(text for axes in page.axes for text in axes.texts)) if text.get_text()]
        boxes = {text.get_text(): text.get_window_extent() for text in said}
    together = " ".join(text.get_text() for text in page.texts)
    for line in uncertainty_lines(layers_of(tables)[0], style):
        assert line in together
    width, height = page.bbox.width, page.bbox.height
    assert [text for text, box in boxes.items() if box.x1 > width * (RIGHT_MM + 1.0) / WIDTH_MM or box.x0 < 0.0] == []
    assert [text for text, box in boxes.items() if box.y0 < height * (1.0 - _FOOTER_MM / HEIGHT_MM)] == []


def test_a_cycle_outside_the_means_does_not_count(tables: Tables) -> None:
    """The same lines, whatever is said of cycles that are in no mean."""
    summary = dict(tables.summary)
    trials = [{**trial, "cycles": [as_before(c, used=c["cycle"] != 1) for c in trial["cycles"]]} for trial in summary["trials"]]
    assert tables.uncertainty is not None
    wild: pd.DataFrame = tables.uncertainty.copy()
    first = wild["cycle"] == 1
    wild.loc[first, [*SIZE, "total"]] *= 100.0
    without = list(uncertainty_lines(layers_of(replace(tables, summary={**summary, "trials": trials}))[0], load_style()))
    spoiled = replace(tables, uncertainty=wild, summary={**summary, "trials": trials})
    assert list(uncertainty_lines(layers_of(spoiled)[0], load_style())) == without


@pytest.mark.parametrize("cycles", [1, 2])
def test_one_cycle_has_no_page_of_means_and_its_own_page_says_what_that_would(
    build: Callable[..., Tables], drawing_only: Callable[..., None], cycles: int
) -> None:
    drawing_only("kinematics_mean", "kinetics_mean", "kinetics_cycles")
    tables = with_uncertainty(build(cycles=cycles))
    pages = {page.name: page.figure for page in session_pages(tables, load_style(), None, page_names())}
    alone = cycles == 1
    assert ("kinematics_mean" in pages, "kinetics_mean" in pages) == (not alone, not alone)
    artists = [artist.get_gid() or "" for axes in pages["kinetics_cycles"].axes for artist in axes.collections]
    letters = {text.get_text() for axes in pages["kinetics_cycles"].axes for text in axes.texts}
    assert any(name.endswith("|uncertainty") for name in artists) is alone
    assert ("A2" in letters) is alone
    # Who asks for the page gets it.
    assert [page.name for page in session_pages(tables, load_style(), None, ("kinetics_mean",))] == ["kinetics_mean"]
