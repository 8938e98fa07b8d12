"""t values over the cycle and their limits against spm1d, by its authors' own implementation of random field theory."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from benchmarks.studies.whole_curves import curves
from biomech_id.statistics.random_field import chance_above, curve_limit
from biomech_id.statistics.two_recordings import cycles_against_cycles

pytestmark = pytest.mark.peers
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    spm1d = pytest.importorskip("spm1d")


@pytest.mark.parametrize("n", [5, 7, 12, 30])
@pytest.mark.parametrize("fwhm", [6.0, 15.0, 40.0])
def test_t_and_limit_are_those_of_spm1d(n: int, fwhm: float) -> None:
    rng = np.random.default_rng(n)
    first, second = curves(rng, n, fwhm), curves(rng, n + 2, fwhm) + 0.5
    theirs = spm1d.stats.ttest2(second, first, equal_var=True)
    inferred = theirs.inference(alpha=0.05, two_tailed=True)
    ours = cycles_against_cycles(first, second)
    assert ours is not None
    np.testing.assert_allclose(ours.t, theirs.z, atol=1e-6)
    assert ours.fwhm == pytest.approx(theirs.fwhm, abs=1e-6)
    assert ours.limit == pytest.approx(inferred.zstar, abs=1e-6)


@pytest.mark.parametrize("df", [4, 13, 59])
@pytest.mark.parametrize("fwhm", [0.5, 5.0, 40.0])
def test_chances_are_those_of_spm1d(df: int, fwhm: float) -> None:
    rft1d = spm1d.rft1d
    for height in (2.5, 3.5, 5.0):
        theirs = rft1d.t.sf(height, df, 101, fwhm, withBonf=True)
        assert chance_above(height, df, points=101, fwhm=fwhm) == pytest.approx(float(theirs), abs=1e-9)
    theirs = rft1d.t.isf(0.025, df, 101, fwhm, withBonf=True)
    assert curve_limit(df, points=101, fwhm=fwhm) == pytest.approx(float(np.ravel(theirs)[0]), abs=1e-6)
