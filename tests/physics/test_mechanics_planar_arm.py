"""The planar arm in closed form against symbolic reference states, and against the general Newton-Euler solver.

Tolerance 1e-12 N, N m, m/s2 on values up to 75: the reference's own two ways differ by 2e-14.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.dynamics.newton_euler import solve
from biomech_id.errors import InvalidValueError, OptionError, ShapeError
from biomech_id.multibody.examples.planar_arm import (
    ARM,
    HandSpring,
    PlanarArm,
    alpha_of_beta,
    alpha_of_theta,
    beta_of_alpha,
    theta_of_alpha,
)

TOLERANCE = 1e-12


def of_parameters(p: Any) -> PlanarArm:
    return PlanarArm(*(np.array([p[f"{letter}{i}"] for i in (1, 2, 3)]) for letter in "mldI"), p["g"])


class Cases:
    """All reference states side by side."""

    def __init__(self, file: Any) -> None:
        self.file, self.arm = file["cases"], of_parameters(file["meta"]["parameters"])
        self.state = [self.of(name) for name in ("alpha", "alpha_dot", "alpha_ddot")]
        self.spring = HandSpring(self.of("F_S"), self.of("d_s_from_wrist"))

    def of(self, name: str) -> np.ndarray:
        return np.array([case[name] for case in self.file])


@pytest.fixture(scope="module")
def cases(reference: Any) -> Cases:
    return Cases(reference("threelink"))


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE)


def test_terms_of_the_equation_of_motion(cases: Cases) -> None:
    alpha, rate, _ = cases.state
    assert len(cases.file) >= 10
    close(cases.arm.mass_matrix(alpha), cases.of("M"))
    close(cases.arm.velocity_moments(alpha, rate), cases.of("v"))
    close(cases.arm.gravity_moments(alpha), cases.of("G"))
    close(cases.arm.spring_moments(alpha, cases.spring), cases.of("Text"))
    close(cases.arm.moments(*cases.state, cases.spring).total, cases.of("T"))


def test_accelerations_by_closed_form_and_by_jacobians(cases: Cases) -> None:
    alpha, rate, acceleration = cases.state
    close(cases.arm.com_accelerations(*cases.state), cases.of("a_com_xy"))
    J, J_rate = cases.arm.com_jacobians(alpha), cases.arm.com_jacobian_rates(alpha, rate)
    close(J_rate @ rate[:, None, :, None] + J @ acceleration[:, None, :, None], cases.of("a_com_xy")[..., None])


def test_joint_reactions(cases: Cases) -> None:
    close(cases.arm.reactions(*cases.state, cases.spring), cases.of("F_xy_joint_1_2_3"))


def test_the_general_solver_finds_the_same(cases: Cases) -> None:
    chain = cases.arm.chain(*cases.state)
    loads = solve(chain, [cases.arm.spring_load(cases.state[0], cases.spring)], gravity_lab_m_s2=(0, -9.81, 0))
    moments = np.stack([loads.wrench(name).moment_Nm[:, 2] for name in ARM], axis=1)
    forces = np.stack([loads.wrench(name).force_N[:, :2] for name in ARM], axis=1)
    close(moments, cases.of("T"))
    close(forces, cases.of("F_xy_joint_1_2_3"))


def test_the_springs_two_distances_name_one_point(cases: Cases) -> None:
    alpha, d3 = cases.state[0], cases.arm.com_m[2]
    from_com = HandSpring(cases.spring.force_N, np.asarray(cases.spring.distance_m) - d3, "hand_com")
    close(cases.arm.spring_moments(alpha, from_com), cases.of("Text"))
    mistaken = HandSpring(cases.spring.force_N, cases.spring.distance_m, "hand_com")
    off = cases.arm.spring_moments(alpha, mistaken) - cases.of("Text")
    expected = -cases.of("F_S") * d3 * np.sin(alpha.sum(axis=1))
    assert np.abs(expected).max() > 0.1
    close(off, np.repeat(expected[:, None], 3, axis=1))


def test_moments_do_the_work(cases: Cases) -> None:
    """Without gravity and spring the moments' power is the rate of kinetic energy, along a motion with its own derivatives."""
    arm = PlanarArm(cases.arm.mass_kg, cases.arm.length_m, cases.arm.com_m, cases.arm.inertia_kgm2, 0.0)
    rates, h = np.array([1.3, 2.1, 3.2]), 1e-3

    def state(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.sin(rates * t), rates * np.cos(rates * t), -(rates**2) * np.sin(rates * t)

    def energy(t: float) -> float:
        alpha, rate, _ = state(t)
        return float(rate @ arm.mass_matrix(alpha) @ rate / 2)

    slope = (8 * (energy(0.4 + h) - energy(0.4 - h)) - (energy(0.4 + 2 * h) - energy(0.4 - 2 * h))) / (12 * h)
    power = arm.moments(*state(0.4)).total @ state(0.4)[1]
    assert abs(power) > 0.1
    assert power == pytest.approx(slope, abs=1e-9)  # W; the difference quotient's own error is h^4 * 5th derivative


def test_angles_between_their_three_systems() -> None:
    alpha = np.array([[0.3, 0.5, -0.2], [1.0, -0.4, 0.1]])
    close(theta_of_alpha(alpha), np.array([[0.3, 0.8, 0.6], [1.0, 0.6, 0.7]]))
    close(beta_of_alpha(alpha), np.array([[0.3, np.pi - 0.5, np.pi + 0.2], [1.0, np.pi + 0.4, np.pi - 0.1]]))
    close(alpha_of_theta(theta_of_alpha(alpha)), alpha)
    close(alpha_of_beta(beta_of_alpha(alpha)), alpha)


def test_refusals(cases: Cases) -> None:
    with pytest.raises(OptionError, match="elbow"):
        HandSpring(1.0, 0.1, "elbow")  # type: ignore[arg-type]
    with pytest.raises(InvalidValueError, match="mass_kg"):
        PlanarArm([-1.0, 1, 1], [1.0, 1, 1], [0.5, 0.5, 0.5], [0.1, 0.1, 0.1], 9.81)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="length_m"):
        PlanarArm([1.0, 1, 1], [1.0, 1], [0.5, 0.5, 0.5], [0.1, 0.1, 0.1], 9.81)  # type: ignore[arg-type]
