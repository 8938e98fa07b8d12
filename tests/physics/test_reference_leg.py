"""The solver against a 3-D leg on a moving base whose loads were found by other programs and in 60-digit arithmetic.

Tolerance: 1e-9 N and N m on values up to 900 N m; the file itself is good to about 1e-12.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.dynamics.block_system import block_system
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.newton_euler import solve

TOLERANCE = 1e-9


@pytest.mark.parametrize("method", ["recursive", "block"])
def test_joint_wrenches(leg: Any, method: Any) -> None:
    loads = solve(leg.chain, leg.external, method=method)
    np.testing.assert_allclose(loads.force_lab_N, leg.of("F_G"), rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(loads.moment_lab_Nm, leg.of("M_G"), rtol=0, atol=TOLERANCE)


def test_components_in_segment_axes(leg: Any) -> None:
    loads = solve(leg.chain, leg.external)
    for i, segment in enumerate(leg.chain.names):
        wrench = loads.wrench(segment).expressed_in(segment, leg.motions[segment].frames.R_lab_seg)
        np.testing.assert_allclose(wrench.force_N, leg.of("F_seg")[:, i], rtol=0, atol=TOLERANCE)
        np.testing.assert_allclose(wrench.moment_Nm, leg.of("M_seg")[:, i], rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("frame", [0, 100, 237])
def test_the_assembled_system_is_the_stored_one(ideal_leg: Any, chain3d_file: Any, n: int, frame: int) -> None:
    stored = chain3d_file["block_system"][f"frame{frame}_{6 * n}x{6 * n}"]
    whole = ideal_leg.chain
    chain = Chain(whole.segments[:n], whole.motions[:n], whole.joints_lab_m[:n])
    system = block_system(chain, ideal_leg.external)
    np.testing.assert_allclose(system.A[frame], stored["A"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(system.b[frame], np.ravel(stored["b"]), rtol=0, atol=TOLERANCE)


def test_the_matrix_is_unit_triangular_and_well_conditioned(ideal_leg: Any) -> None:
    system = block_system(ideal_leg.chain, ideal_leg.external)
    np.testing.assert_allclose(np.linalg.det(system.A), 1.0, rtol=0, atol=1e-12)
    condition = np.linalg.cond(system.A)
    assert 5.0 < condition.min() <= condition.max() < 5.3  # the reference measured 5.08 to 5.24
