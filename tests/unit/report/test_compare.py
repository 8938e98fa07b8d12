"""Two sessions over one another: A solid, B dashed, differences with their sign."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pypdf
import pytest

from biomech_id.conventions import SIDES
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.report import compare_report, unlike
from biomech_id.report.curve_panel import Drawing
from biomech_id.report.kinematics import kinematics_page
from biomech_id.report.layer import Layer
from biomech_id.report.style import load_style


@pytest.fixture
def pair(build):
    return build(code="BEFORE"), build(code="AFTER", seed=1)


def test_both_sessions_are_drawn_a_solid_b_dashed(pair):
    layers = [Layer(tables, "straight", "barefoot", name) for tables, name in zip(pair, "AB", strict=True)]
    figure = kinematics_page(Drawing(layers, load_style()))
    collections = {c.get_gid(): c for axes in figure.axes for c in axes.collections}
    for tables, name, dashed in zip(pair, "AB", (False, True), strict=True):
        for side in SIDES:
            found = collections[f"{name}|{side}|HipAngles.X|mean"]
            expected = tables.curves(side, "HipAngles", "X").mean(axis=0)
            np.testing.assert_allclose(found.get_paths()[0].vertices[:, 1], expected, atol=1e-12)
            assert (found.get_linestyle()[0][1] is not None) is dashed
    markers = {line.get_marker() for axes in figure.axes for line in axes.lines}
    assert markers == {"<", "o"}


def test_tables_hold_a_and_b_and_their_difference(pair, tmp_path):
    path = compare_report(*pair, tmp_path / "a.pdf", pages=["cover", "spatiotemporal", "values"])
    cover, parameters, values, _ = (" ".join(page.extract_text().split()) for page in pypdf.PdfReader(path).pages)
    assert "BEFORE / AFTER" in cover
    assert "Session A: BEFORE, 2024-05-17, barefoot" in cover
    assert "Differences: session B minus session A." in parameters
    a, b = (
        tables.peaks.query("variable == 'HipAngles' and component == 'X' and name == 'max_stance' and side == 'R'")
        for tables in pair
    )
    means = a["value"].mean(), b["value"].mean()
    difference = means[1] - means[0]
    row = f"{means[0]:.1f} {means[1]:.1f} {difference:+.1f}".replace("-", "−")
    assert row in values


def test_what_sets_two_sessions_apart_besides_the_walking_is_said(build):
    one, other = build(code="ANNA"), build(code="ANNA", seed=1)
    assert unlike(one, other) == ()
    six_dof = replace(other, summary={**other.summary, "model": "six-dof", "kinetics": "vicon"})
    model, kinetics = unlike(one, six_dof)
    assert model == "A was computed with the conventional model, B with six-dof: their differences are also those of the model."
    assert "vicon" in kinetics
    assert unlike(one, build(code="BEN")) == ("A is of ANNA, B of BEN: two persons.",)
    assert unlike(one, build(code="")) == ()


def test_every_page_says_which_session_it_shows(pair, tmp_path):
    path = compare_report(*pair, tmp_path / "a.pdf", names=("shod", "barefoot"), pages=["kinematics_mean", "methods"])
    overlaid, first, second = (" ".join(page.extract_text().split()) for page in pypdf.PdfReader(path).pages)
    assert "A, solid: shod" in overlaid
    assert "B, dashed: barefoot" in overlaid
    assert "Methods: shod" in first
    assert "Methods: barefoot" in second


def test_a_session_without_cycles_or_a_norm_of_another_model_is_refused(pair, build, build_norm, tmp_path):
    with pytest.raises(MissingInputError, match="Session B"):
        compare_report(pair[0], build(cycles=0), tmp_path / "a.pdf")
    with pytest.raises(OptionError, match="six-dof"):
        compare_report(*pair, tmp_path / "a.pdf", norm=build_norm(model="six-dof"))
    assert not list(tmp_path.iterdir())
