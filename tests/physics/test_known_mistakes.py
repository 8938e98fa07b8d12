"""The mistakes of the source document, put in on purpose: each must be seen, and cost what the theory sheet says it costs.

`leg_moments` writes the 18 x 18 system down once more, plainly, frame by frame, with one switch for each mistake; it shares no code
with the library. Without a mistake it must agree with the library and with the reference.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.dynamics.newton_euler import solve

G = np.array([0.0, 0.0, -9.81])
#: As the reference file names them.
MISTAKES = (
    "I_F used for the shank",
    "R transposed (R maps segment->global used as global->segment)",
    "omega, alpha left in global",
    "r_A taken as absolute position (not relative to the COM)",
    "omega x I omega dropped",
    "sign of omega x I omega flipped",
    "free vertical moment omitted",
    "r_A relative to the foot COM reused for the shank",
    "sign of -R_S(r x F_A) flipped",
    "M_A not rotated (R_S R_F^-1 dropped)",
)
#: A test that compares with the reference must be at least this tight, and this far below the cheapest mistake (0.05 N m).
TOLERANCE = 1e-9


def S(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def leg_moments(leg: Any, mistake: str = "") -> np.ndarray:
    """Joint moments (n, 3, 3) in segment axes: ankle, knee, hip."""
    solved = [np.linalg.solve(*frame_system(leg, f, mistake)) for f in range(leg.n)]
    return np.array(solved).reshape(leg.n, 3, 2, 3)[:, :, 1]


def frame_system(leg: Any, f: int, mistake: str) -> tuple[np.ndarray, np.ndarray]:
    chain = leg.chain
    wrong = MISTAKES.index(mistake) if mistake else None
    c, P = chain.com_lab_m[f], chain.joint_lab_m[f]
    Q = [chain.R_lab_seg[f, i] if wrong == 1 else chain.R_lab_seg[f, i].T for i in range(3)]
    A, b = np.eye(18), np.zeros(18)
    for i in range(3):
        F, M = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
        arm = P[i] if wrong == 3 else P[i] - c[i]
        A[M, F] = Q[i] @ S(arm)
        if i:
            F0, M0 = slice(6 * i - 6, 6 * i - 3), slice(6 * i - 3, 6 * i)
            distal_arm = P[i - 1] - c[i]
            if wrong == 7:
                distal_arm = P[i - 1] - c[i - 1]
            sign = 1 if wrong == 8 else -1
            A[F, F0] = -np.eye(3)
            A[M, F0] = sign * Q[i] @ S(distal_arm)
            A[M, M0] = -np.eye(3) if wrong == 9 else -Q[i] @ chain.R_lab_seg[f, i - 1]
        tensor = chain.inertia_kgm2[0 if i == 1 and wrong == 0 else i]
        omega, alpha = chain.omega_lab_rad_s[f, i], chain.alpha_lab_rad_s2[f, i]
        if wrong != 2:
            omega, alpha = Q[i] @ omega, Q[i] @ alpha
        gyroscopic = {4: 0, 5: -1}.get(wrong, 1) * np.cross(omega, tensor @ omega)
        b[F] = chain.mass_kg[i] * (chain.com_acceleration_lab_m_s2[f, i] - G)
        b[M] = tensor @ alpha + gyroscopic
    force, free_moment, cop = leg.ground.force_N[f], leg.ground.moment_Nm[f], leg.ground.point_lab_m[f]
    b[:3] -= force
    b[3:6] -= Q[0] @ (np.cross(cop - c[0], force) + (0 if wrong == 6 else free_moment))
    return A, b


def test_without_a_mistake_all_three_agree(ideal_leg: Any) -> None:
    plain = leg_moments(ideal_leg)
    loads = solve(ideal_leg.chain, ideal_leg.external)
    ours = np.einsum("fnji,fnj->fni", ideal_leg.chain.R_lab_seg, loads.moment_lab_Nm)
    np.testing.assert_allclose(plain, ideal_leg.of("M_seg"), rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(ours, plain, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_mistake_is_caught_and_costs_what_it_should(ideal_leg: Any, reference: Any, mistake: str) -> None:
    error = np.abs(leg_moments(ideal_leg, mistake) - ideal_leg.of("M_seg")).max(axis=(0, 2))
    assert error.max() > 1e6 * TOLERANCE
    expected = reference("uncertainty")["meta"]["mutations_max_abs_moment_error_Nm"][mistake]
    np.testing.assert_allclose(error, [expected[joint] for joint in ("ankle", "knee", "hip")], rtol=1e-6, atol=TOLERANCE)
