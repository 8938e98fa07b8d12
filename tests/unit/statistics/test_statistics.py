"""Statistics for one person: heights of whole curves, one number against a norm, two recordings of one person."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies import whole_curves
from biomech_id.errors import OptionError, ShapeError
from biomech_id.norms.contributors import NormSample
from biomech_id.norms.samples import norm_from_samples
from biomech_id.session.values.norm import norm_band, read_norm, write_norm
from biomech_id.statistics.one_person import crawford_howell, curve_against, whole_curve_sd
from biomech_id.statistics.random_field import chance_above, curve_fwhm, curve_limit
from biomech_id.statistics.two_recordings import (
    curve_change,
    cycles_against_cycles,
    power_of_change,
    scalar_change,
)

STUDY = Path(whole_curves.__file__).with_suffix(".md")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.mark.parametrize(("height", "df", "fwhm", "p"), [(3.5, 8, 15.0, 0.06994292613774), (4.2, 20, 8.0, 0.008337823941430)])
def test_the_chance_of_a_height_is_that_of_the_published_package(height: float, df: int, fwhm: float, p: float) -> None:
    """rft1d.t.sf of spm1d 0.4.55."""
    assert chance_above(height, df, points=101, fwhm=fwhm) == pytest.approx(p, rel=1e-9)


def test_the_limit_is_that_of_the_published_package() -> None:
    """rft1d.t.isf(0.025, 30, 101, 20.0) of spm1d 0.4.55; its search stops within 1e-9."""
    assert curve_limit(30, points=101, fwhm=20.0) == pytest.approx(3.105856432309952, abs=1e-6)


def test_a_limit_lies_between_that_of_one_point_and_that_of_all() -> None:
    one, all_points = 2.0422724563012373, 3.96
    assert curve_limit(30, points=101, fwhm=1e9) == pytest.approx(one, abs=1e-5)
    assert one < curve_limit(30, points=101, fwhm=20.0) < curve_limit(30, points=101, fwhm=0.5) < all_points


def test_smoothness_is_found_again(rng: np.random.Generator) -> None:
    for fwhm in (8.0, 25.0):
        drawn = whole_curves.curves(rng, 400, fwhm)
        assert curve_fwhm(drawn - drawn.mean(axis=0)) == pytest.approx(fwhm, rel=0.05)


def test_one_number_against_a_small_norm() -> None:
    """By hand: (1.6 - 1.2) / (0.15 sqrt(1.1)) = 2.5426; beyond it on both sides lies 3.16 % of t with 9 degrees of freedom."""
    found = crawford_howell(1.6, 1.2, 0.15, 10)
    assert found.t == pytest.approx(2.5426, abs=1e-4)
    assert found.p == pytest.approx(0.0316, abs=1e-4)
    assert found.limit == pytest.approx(2.2622, abs=1e-4)
    assert found.outside
    assert not crawford_howell(1.5, 1.2, 0.15, 10).outside
    with pytest.raises(OptionError, match="0 cannot be compared"):
        crawford_howell(1.0, 1.0, 0.0, 10)


def test_study_of_whole_curves_holds_its_gates() -> None:
    text = STUDY.read_text(encoding="utf-8")
    totals = [float(line.split("|")[-2]) for line in text.splitlines() if re.match(r"\| (new|false)", line)]
    inside, few, many = totals
    assert 94.0 <= inside <= 96.0
    assert 2.0 <= few <= 6.5
    assert 3.5 <= many <= 6.5
    powers = [[float(cell) for cell in line.split("|")[-3:-1]] for line in text.splitlines() if re.match(r"\| \d", line)]
    assert len(powers) == 4
    assert all(abs(found - said) <= 5.0 for found, said in powers)


def test_a_sample_agrees_with_the_study() -> None:
    inside = np.array([part for *_, part in whole_curves.inside(150, seed=3)])
    assert inside.mean() == pytest.approx(0.95, abs=3.0 * inside.std() / np.sqrt(len(inside)) + 0.001)
    alarms = np.mean([seen for *_, seen in whole_curves.false_alarms(300, whole_curves.MANY, seed=4)])
    assert alarms == pytest.approx(0.05, abs=0.04)
    found, said = whole_curves.found_changes(600, change=5.0, cycle_sd=2.0, session_sd=1.5, n=6, seed=8)
    assert found == pytest.approx(said, abs=0.06)


def test_the_usual_band_holds_far_fewer_whole_curves(rng: np.random.Generator) -> None:
    known, new = whole_curves.curves(rng, 20, 15.0), whole_curves.curves(rng, 300, 15.0)
    outside = np.abs(new - known.mean(axis=0)) > 2.0 * known.std(axis=0, ddof=1)
    assert outside.any(axis=1).mean() > 0.2


def norm_of(curves: np.ndarray) -> object:
    samples = [NormSample({("HipAngles", "X"): curve, ("speed", ""): curve[:1]}, 8.0, 0.4) for curve in curves]
    return norm_from_samples(samples, model="m", kinetics="k", source="s")


def test_a_norm_says_how_far_whole_curves_reach(rng: np.random.Generator, tmp_path: Path) -> None:
    curves = whole_curves.curves(rng, 16, 20.0)
    norm = norm_of(curves)
    write_norm(norm, tmp_path / "norm.csv")
    band = norm_band(read_norm(tmp_path / "norm.csv"), "HipAngles", "X")
    assert band is not None
    assert band.reach_sd == pytest.approx(whole_curve_sd(curves), rel=1e-8)
    found = curve_against(curves[0] + 6.0, band.mean, band.sd, n=band.n, reach_sd=band.reach_sd)
    assert found is not None
    assert found.outside
    assert found.outside_percent > 50.0
    # The chance comes from the limit alone, and is that of the curves' own smoothness.
    fwhm = curve_fwhm(curves - curves.mean(axis=0))
    assert found.p == pytest.approx(2.0 * chance_above(abs(found.t), 15, points=101, fwhm=fwhm), rel=1e-5)
    inside = curve_against(band.mean + 0.5 * band.sd, band.mean, band.sd, n=band.n, reach_sd=band.reach_sd)
    assert inside is not None
    assert not inside.outside
    assert norm["percentile_5"].isna().all()


def test_percentiles_from_forty_subjects_on(rng: np.random.Generator) -> None:
    curves = whole_curves.curves(rng, 40, 20.0)
    norm = norm_of(curves)
    rows = norm[norm["variable"] == "HipAngles"]
    np.testing.assert_allclose(rows["percentile_50"], np.median(curves, axis=0))
    assert norm_of(curves[:39])["percentile_50"].isna().all()


def test_an_older_norm_and_a_small_one_reach_nowhere(rng: np.random.Generator, tmp_path: Path) -> None:
    norm = norm_of(whole_curves.curves(rng, 16, 20.0))
    assert norm_of(whole_curves.curves(rng, 4, 20.0))["whole_curve_sd"].isna().all()
    write_norm(norm.drop(columns=["whole_curve_sd"]), tmp_path / "old.csv")
    band = norm_band(read_norm(tmp_path / "old.csv"), "HipAngles", "X")
    assert band is not None
    assert curve_against(band.mean + 100.0, band.mean, band.sd, n=band.n, reach_sd=band.reach_sd) is None


def test_a_difference_of_cycles_is_no_change_while_markers_could_have_made_it(rng: np.random.Generator) -> None:
    before, after = whole_curves.curves(rng, 8, 20.0), whole_curves.curves(rng, 8, 20.0) + 4.0
    within = curve_change(before, after, np.zeros(101), 2.8)
    assert within.test is not None
    assert within.test.p < 0.05
    assert within.changed.any()
    between = curve_change(before, after, np.full(101, 3.0), 2.8)
    assert between.test is not None
    assert between.test.p < 0.05
    assert not between.changed.any()
    assert curve_change(before[:2], after, np.zeros(101), 2.8).test is None
    assert not curve_change(before[:2], after, np.zeros(101), 2.8).changed.any()


def test_one_number_changes_only_beyond_both() -> None:
    before, after = np.array([60.0, 61.0, 62.0]), np.array([66.0, 67.0, 68.0])
    assert scalar_change(before, after, 1.0).changed
    assert not scalar_change(before, after, 3.0).changed
    assert not scalar_change(before, after, float("nan")).changed
    few = scalar_change(before[:2], after, 0.0)
    assert not few.changed
    assert np.isnan(few.carried)  # not 0: how much cycles scatter is not known
    assert power_of_change(20.0, cycle_sd=1.0, session_sd=1.0, cycles=(8, 8)) == pytest.approx(1.0, abs=1e-6)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ShapeError, match="points"):
        cycles_against_cycles(np.zeros((4, 101)), np.zeros((4, 51)))
    with pytest.raises(ShapeError, match="smoothness"):
        curve_fwhm(np.zeros((1, 101)))
    with pytest.raises(OptionError, match="0 degrees of freedom"):
        curve_limit(0, points=101, fwhm=10.0)
