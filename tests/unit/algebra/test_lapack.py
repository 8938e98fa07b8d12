"""Banded systems against SciPy's own solver, and what solving them loads."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import linalg

from biomech_id.algebra.lapack import lapack, solve_banded
from biomech_id.errors import InvalidValueError


@pytest.mark.parametrize(("below", "above"), [(4, 4), (2, 1), (3, 0)])
def test_every_bit_is_that_of_scipy(below: int, above: int) -> None:
    rng = np.random.default_rng(5)
    band, right = rng.normal(size=(below + above + 1, 30)), rng.normal(size=(30, 7))
    assert np.array_equal(solve_banded(below, band, right), linalg.solve_banded((below, above), band, right))


def test_a_singular_system_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="singular"):
        solve_banded(1, np.zeros((3, 4)), np.ones((4, 1)))


def test_the_rest_of_scipy_linalg_stays_out_and_comes_later() -> None:
    code = (
        "import sys; from biomech_id.algebra.lapack import lapack; before = lapack(); "
        "assert 'scipy.linalg' not in sys.modules; import scipy.linalg; assert scipy.linalg.lapack.dgbsv is before.dgbsv"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_where_scipy_keeps_it_elsewhere_all_of_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "scipy.linalg.lapack")
    monkeypatch.setattr("biomech_id.algebra.lapack._COMPILED", "scipy.linalg._elsewhere")
    assert lapack.__wrapped__().dgbsv is linalg.lapack.dgbsv
