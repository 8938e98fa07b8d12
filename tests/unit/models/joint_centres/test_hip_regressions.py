"""Hip regressions against examples worked by hand from the printed equations, to the digits they are printed with."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.errors import MissingInputError, OptionError
from biomech_id.models.joint_centres.hip_regressions import REGRESSIONS, PelvisSize, hip_centre_by_regression

#: Inter-ASIS 240 mm, pelvic depth 150 mm, leg length 880 mm, no marker radius. Millimetres, right side, X anterior, Y up, Z right.
SIZE = PelvisSize(inter_asis_m=0.240, depth_m=0.150, leg_length_m=0.880)
BY_HAND = {
    # C = 0.115 * 880 - 15.3 = 85.9; t = 0.1288 * 880 - 48.56 = 64.784; cos 28.4 = .879649, sin 28.4 = .475624,
    # cos 18 = .951057, sin 18 = .309017: X = 85.9 * .879649 * .309017 - 64.784 * .951057 = 23.350 - 61.613,
    # Y = -85.9 * .879649 * .951057 - 64.784 * .309017 = -71.864 - 20.019, Z = 120 - 85.9 * .475624 = 120 - 40.856.
    "davis": (-38.3, -91.9, 79.1),
    # X = -.19 * 240, Y = -.30 * 240, Z = .36 * 240.
    "bell": (-45.6, -72.0, 86.4),
    # X = -.24 * 150 - 9.9, Y = -.30 * 240 - 10.9, Z = .33 * 240 + 7.3.
    "harrington": (-45.9, -82.9, 86.5),
    # X = 11 - .063 * 880, Y = -9 - .078 * 880, Z = 8 + .086 * 880.
    "hara": (-44.4, -77.6, 83.7),
}


@pytest.mark.parametrize("method", REGRESSIONS)
def test_worked_examples(method: str) -> None:
    right = 1e3 * hip_centre_by_regression(method, "R", SIZE)
    np.testing.assert_allclose(right, BY_HAND[method], atol=0.051)  # mm: the examples' last digit
    left = 1e3 * hip_centre_by_regression(method, "L", SIZE)
    np.testing.assert_array_equal(left, right * [1, 1, -1])


@pytest.mark.parametrize(
    ("method", "moved_mm"),
    [
        ("davis", (-7 * 0.951057, -7 * 0.309017, 0.0)),  # the radius adds to t
        ("bell", (0.0, 0.0, 0.0)),
        ("harrington", (-7 + 0.24 * 14, 0.0, 0.0)),  # mid-ASIS moves back by r, the depth shrinks by 2 r
        ("hara", (-7.0, 0.0, 0.0)),
    ],
)
def test_the_marker_radius_is_treated_as_the_source_needs(method: str, moved_mm: tuple[float, ...]) -> None:
    with_radius = PelvisSize(0.240, 0.150, 0.880, marker_radius_m=0.007)
    moved = hip_centre_by_regression(method, "R", with_radius) - hip_centre_by_regression(method, "R", SIZE)
    np.testing.assert_allclose(1e3 * moved, moved_mm, atol=1e-5)  # mm


def test_a_measured_trochanter_distance_beats_the_regression() -> None:
    measured = PelvisSize(0.240, leg_length_m=0.880, asis_trochanter_m=0.064784 + 0.010)
    moved = hip_centre_by_regression("davis", "R", measured) - hip_centre_by_regression("davis", "R", SIZE)
    np.testing.assert_allclose(1e3 * moved, (-9.51057, -3.09017, 0.0), atol=1e-4)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(MissingInputError, match="leg_length_m"):
        hip_centre_by_regression("hara", "L", PelvisSize(0.24))
    with pytest.raises(MissingInputError, match="depth_m"):
        hip_centre_by_regression("harrington", "L", PelvisSize(0.24, leg_length_m=0.9))
    with pytest.raises(OptionError, match="no way to a hip centre 'seidel'"):
        hip_centre_by_regression("seidel", "L", SIZE)
