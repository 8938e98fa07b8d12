"""The page of centre of mass and stability, and the residual on page 2: what is drawn is what the tables hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pypdf
import pytest

from biomech_id.report import draw_report
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.quality import residual_table, rule_table
from biomech_id.report.pages.spatiotemporal import parameter_rows
from biomech_id.report.pages.stability import stability_page, stability_rows, whole_body_curves
from biomech_id.report.panels.layer import Layer, layers_of
from biomech_id.session.tables.session_tables import Tables, tidy_table

TITLES = {"en": "Centre of mass and stability", "de": "Körperschwerpunkt und Stabilität"}
TIME_S = np.arange(500) / 100.0
Build = Callable[..., Tables]


def series(trial: str, variable: str, component: str, values: np.ndarray, unit: str, time_s: np.ndarray = TIME_S) -> pd.DataFrame:
    rows = [
        {"trial": trial, "time_s": t, "variable": variable, "component": component, "value": v, "unit": unit}
        for t, v in zip(time_s, values, strict=True)
    ]
    return tidy_table("whole_body", rows)


@pytest.fixture
def whole(build: Build) -> Tables:
    session = build()
    (trial, *_) = (entry["name"] for entry in session.summary["trials"])
    gap = (TIME_S < 1.7) | (TIME_S > 1.8)
    table = pd.concat([
        series(trial, "CentreOfMass", "X", 1000.0 * TIME_S, "mm"),
        series(trial, "CentreOfMass", "Y", 20.0 * np.sin(TIME_S), "mm"),
        series(trial, "CentreOfMass", "Z", 900.0 + 20.0 * np.cos(TIME_S), "mm"),
        series(trial, "LLegPower", "", 3.0 * np.sin(TIME_S)[gap], "W/kg", TIME_S[gap]),
    ])  # fmt: skip
    first = next(cycle for cycle in session.summary["trials"][0]["cycles"] if cycle["side"] == "L")
    margin = {"trial": trial, "side": "L", "cycle": first["cycle"], "unit": "m"}
    more = tidy_table("spatiotemporal", [{**margin, "parameter": "margin_of_stability_sideways_ankle_strike", "value": 0.063}])
    return replace(session, whole_body=table, spatiotemporal=pd.concat([session.spatiotemporal, more]))


def layer_of(session: Tables) -> Layer:
    return layers_of(session)[0]


def test_curves_are_the_table_at_the_cycles_times(whole: Tables) -> None:
    layer = layer_of(whole)
    starts = layer.used[layer.used["side"] == "L"]
    curves = whole_body_curves(layer, "L", "CentreOfMass", "Z")
    assert len(curves) == len(starts)
    at = starts.iloc[0]["start_s"] + (starts.iloc[0]["end_s"] - starts.iloc[0]["start_s"]) * np.arange(101) / 100.0
    np.testing.assert_allclose(curves[0], 900.0 + 20.0 * np.cos(at), atol=1e-3)
    # The walk goes along x: to its left is y.
    np.testing.assert_allclose(whole_body_curves(layer, "L", "CentreOfMass", "sideways")[0], 20.0 * np.sin(at), atol=1e-3)


def test_what_was_not_measured_is_not_bridged(whole: Tables) -> None:
    layer = layer_of(whole)
    first = layer.used[layer.used["side"] == "L"].iloc[0]
    at = first["start_s"] + (first["end_s"] - first["start_s"]) * np.arange(101) / 100.0
    curve = whole_body_curves(layer, "L", "LLegPower")[0]
    assert np.isnan(curve[(at > 1.7) & (at < 1.8)]).all()
    np.testing.assert_allclose(curve[at < 1.69], 3.0 * np.sin(at)[at < 1.69], atol=1e-3)
    assert len(whole_body_curves(layer, "R", "RLegPower")) == 0


def test_numbers_stand_on_their_own_page_and_not_among_time_and_distance(whole: Tables) -> None:
    style = load_style()
    layer = layer_of(whole)
    (row,) = stability_rows(layer, style)
    assert [getattr(cell, "text", cell) for cell in row][:4] == ["Margin of stability, ankle, at strike", "m", "0.063", "1"]
    words = [getattr(row[0], "text", row[0]) for row in parameter_rows(layer, style, None)]
    assert "Margin of stability, ankle, at strike" not in words
    alone = replace(whole, whole_body=None)
    words = [getattr(row[0], "text", row[0]) for row in parameter_rows(layer_of(alone), style, None)]
    assert "Margin of stability, ankle, at strike" in words


@pytest.mark.parametrize("language", TITLES)
def test_the_page_is_in_the_report_where_the_whole_body_is(whole: Tables, tmp_path: Path, language: str) -> None:
    style = load_style(language=language)
    path = draw_report(whole, tmp_path / "a.pdf", pages=["stability"], style=style)
    (page,) = pypdf.PdfReader(path).pages
    assert TITLES[language] in page.extract_text()
    nothing = draw_report(replace(whole, whole_body=None), tmp_path / "b.pdf", pages=["stability"], style=style)
    assert ("needed" if language == "en" else "nötig") in pypdf.PdfReader(nothing).pages[0].extract_text()


def test_the_residual_has_a_table_of_its_own_on_page_2(build: Build) -> None:
    session, style = build(), load_style()
    phases = [
        {"phase": "single", "frames": 70, "mean_percent": [1.0, -2.0, 18.3], "rms_percent": [3.0, 4.0, 12.0],
         "moment_Nm_kg": [0.3, 0.0, 0.4]},
        {"phase": "double", "frames": 12, "mean_percent": [0.0, 0.0, 0.0], "rms_percent": [1.0, 2.0, 2.0],
         "moment_Nm_kg": [0.0, 0.1, 0.0]},
    ]  # fmt: skip
    assert residual_table(session, style).rows == []
    (first, *others) = session.summary["trials"]
    judged = {"trial": first["name"], "unit": "%BW", "limit": 6.0}
    rows = [
        {**judged, "rule": "residual-weight", "value": 18.3, "verdict": "warn"},
        {**judged, "rule": "residual-lag", "value": 8.0, "verdict": "accept"},
    ]
    session = replace(
        session, summary={**session.summary, "trials": [{**first, "residual": phases}, *others]},
        quality=pd.concat([session.quality, tidy_table("quality", rows)]),
    )  # fmt: skip
    drawn = residual_table(session, style).rows
    texts = [[getattr(cell, "text", cell) for cell in row] for row in drawn]
    assert texts[0][3:6] == ["≤ 8", "≤ 6.5", "≤ 6 / ≤ 12"]
    assert texts[1][:8] == [first["name"], "single support", "70", "1.0 / 3.0", "−2.0 / 4.0", "18.3 / 12.0", "13.0", "0.50"]
    assert texts[2][:3] == ["", "double support", "12"]
    assert (drawn[1][5].colour, drawn[1][4].colour, drawn[2][5].colour) == ("warn", "ink", "ink")
    assert texts[1][-1] == "8"
    heads = [column.head for column in rule_table(session, style).columns]
    assert not any("Residual" in head or "Weight" in head for head in heads)


def test_a_panel_is_as_wide_as_its_curve(whole: Tables) -> None:
    """Leg power of 30 W/kg on a scale made for 6: the line would leave the panel without a word."""
    table = whole.whole_body
    assert table is not None
    big = replace(
        whole, whole_body=table.assign(value=table["value"].where(table["variable"] != "LLegPower", 10.0 * table["value"]))
    )
    figure = stability_page(layer_of(big), load_style())
    (line,) = figure.findobj(lambda artist: str(artist.get_gid()) == "L|LegPower.|mean")
    drawn = line.get_paths()[0].vertices[:, 1]
    low, high = line.axes.get_ylim()
    assert np.nanmax(np.abs(drawn)) > 6.5
    assert low <= np.nanmin(drawn)
    assert np.nanmax(drawn) <= high
