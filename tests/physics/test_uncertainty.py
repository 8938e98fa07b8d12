"""First-order error propagation against a reference covariance, and against the leg solved anew with the error in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.loads import ChainLoads
from biomech_id.dynamics.newton_euler import solve
from biomech_id.uncertainty import leg as live
from biomech_id.uncertainty.propagation import deviation, response
from biomech_id.uncertainty.recording import noise_gram
from biomech_id.uncertainty.sources import Effect, ErrorSource, Nominal, equal_errors, move_joint

LEG = ("foot", "shank", "thigh")


def unknowns(loads: ChainLoads) -> np.ndarray:
    """(N, 6n): forces in laboratory axes, moments in segment axes, distal to proximal."""
    moment = np.einsum("fnji,fnj->fni", loads.chain.R_lab_seg, loads.moment_lab_Nm)
    return np.stack([loads.force_lab_N, moment], axis=2).reshape(loads.chain.n_frames, -1)


def jacobian(loads: ChainLoads, source: ErrorSource) -> np.ndarray:
    """(N, 6n, p): change of `unknowns` by a unit of each error; a segment that seems turned reads its moment in turned axes."""
    nominal = Nominal(loads)
    (effect,) = source.effects(nominal)
    force, moment = response(nominal, effect)
    moment = np.einsum("fnji,...fnj->...fni", loads.chain.R_lab_seg, moment - np.cross(effect.turn, nominal.moment))
    return np.moveaxis(np.stack([force, moment], axis=-2).reshape(len(force), loads.chain.n_frames, -1), 0, -1)


def covariance(loads: ChainLoads, sources: Sequence[ErrorSource]) -> np.ndarray:
    jacobians = [jacobian(loads, source) for source in sources]
    return np.sum([J @ s.covariance @ np.swapaxes(J, -1, -2) for J, s in zip(jacobians, sources, strict=True)], axis=0)


def measured(segment: str, quantity: str, sd: Sequence[float]) -> ErrorSource:
    """One of the reference's inputs is off along the laboratory axes."""

    def fill(nominal: Nominal, effect: Effect) -> None:
        chain, i, axes = nominal.chain, nominal.chain.index(segment), nominal.directions("lab")
        omega = chain.omega_lab_rad_s[:, i]
        if quantity == "joint centres":
            move_joint(nominal, effect, i, axes)
        elif quantity == "COM":
            effect.moment_com[:, :, i] = np.cross(axes, nominal.momentum_rate[:, i])
        elif quantity == "a_com":
            effect.force[:, :, i] = chain.mass_kg[i] * axes
        elif quantity == "omega":
            gyroscopic = np.cross(omega, nominal.inertia_times(i, axes))
            effect.moment_com[:, :, i] = np.cross(axes, nominal.angular_momentum[:, i]) + gyroscopic
        elif quantity == "alpha":
            effect.moment_com[:, :, i] = nominal.inertia_times(i, axes)
        elif quantity == "GRF":
            effect.force[:, :, i] = -axes
            effect.moment_com[:, :, i] = -np.cross(nominal.loads.external[0].wrench.point_lab_m - chain.com_lab_m[:, i], axes)
        else:
            effect.moment_com[:, :, i] = -axes

    return ErrorSource(np.diag(np.square(sd)), equal_errors(1.0, 3, fill).effects)


#: The 57 independent inputs of the reference, with the sizes it states, grouped as it groups them.
GROUPS = {
    **{name: [measured(s, name, (sd,) * 3) for s in LEG] for name, sd in
       (("joint centres", 0.005), ("COM", 0.01), ("a_com", 0.5), ("omega", 0.05), ("alpha", 2.0))},
    "COP": [ErrorSource(np.diag([0.005**2, 0.005**2, 0.0]), live.ground_place("foot", 1.0).effects)],
    "GRF": [measured("foot", "GRF", (5.0,) * 3)],
    "Tz": [measured("foot", "Tz", (0.0, 0.0, 0.5))],
    "mass": [live.mass(s, 0.05) for s in LEG],
    "I": [live.inertia(s, 0.1) for s in LEG],
}  # fmt: skip


def test_reference_covariance(ideal_leg: Any, reference: Any) -> None:
    """The reference's own first-order covariance to rounding, its 40 000 Monte Carlo draws within 2 % (the gate)."""
    loads = solve(ideal_leg.chain, ideal_leg.external)
    all_of_them = covariance(loads, [source for group in GROUPS.values() for source in group])
    assert sum(np.count_nonzero(source.covariance) for group in GROUPS.values() for source in group) == 57
    for stored in reference("uncertainty")["frames"]:
        ours = all_of_them[stored["frame"]]
        sd = np.sqrt(np.diag(ours))
        np.testing.assert_allclose(ours, stored["cov_first_order"], rtol=0, atol=1e-6)  # its values reach 1e3
        np.testing.assert_allclose(sd, stored["sd_first_order"], rtol=1e-7)
        np.testing.assert_allclose(sd, stored["sd_monte_carlo_40000"], rtol=0.02)


def test_reference_by_source(ideal_leg: Any, reference: Any) -> None:
    loads = solve(ideal_leg.chain, ideal_leg.external)
    for name, group in GROUPS.items():
        variance = np.diagonal(covariance(loads, group), axis1=1, axis2=2)
        for stored in reference("uncertainty")["frames"]:
            ours = np.sqrt(variance[stored["frame"]])
            np.testing.assert_allclose(ours, stored["sd_by_source"][name], rtol=1e-7, atol=1e-9, err_msg=name)


class Leg:
    """A short stretch of the reference leg whose inputs can be shifted."""

    def __init__(self, leg: Any, frames: slice) -> None:
        chain, ground = leg.chain, leg.ground
        self.R = chain.R_lab_seg[frames]
        self.origin = chain.joint_lab_m[frames]
        self.v = {"joint": chain.joint_lab_m[frames], "c": chain.com_lab_m[frames], "a": chain.com_acceleration_lab_m_s2[frames],
                  "w": chain.omega_lab_rad_s[frames], "al": chain.alpha_lab_rad_s2[frames]}  # fmt: skip
        self.ground = {"F": ground.force_N[frames], "p": ground.point_lab_m[frames], "T": ground.moment_Nm[frames]}
        self.segments = chain.segments

    def solve(self, *, R: np.ndarray | None = None, segments: Any = None, **shifts: np.ndarray) -> ChainLoads:
        R = self.R if R is None else R
        v = {key: value + shifts.get(key, 0.0) for key, value in self.v.items()}
        g = {key: value + shifts.get(key, 0.0) for key, value in self.ground.items()}
        motions = [
            Motion(Frames(R[:, i], self.origin[:, i]), v["w"][:, i], v["al"][:, i], v["c"][:, i], 0 * v["c"][:, i], v["a"][:, i])
            for i in range(3)
        ]
        chain = Chain(segments or self.segments, motions, [v["joint"][:, i] for i in range(3)])
        return solve(chain, [External("foot", Wrench(g["F"], g["T"], g["p"]))])


def along(leg: Leg, i: int) -> np.ndarray:
    """From the proximal joint to the distal one; for the foot twice the way to its centre of mass."""
    joint = leg.v["joint"]
    return 2 * (leg.v["c"][:, 0] - joint[:, 0]) if i == 0 else joint[:, i - 1] - joint[:, i]


def on(leg: Leg, i: int, shift: np.ndarray) -> np.ndarray:
    """A shift (N, 3) of one of the three segments."""
    whole = np.zeros_like(leg.origin)
    whole[:, i] = shift
    return whole


def with_segment(leg: Leg, i: int, mass_share: float, tensor_share: float) -> dict[str, Any]:
    s = leg.segments[i]
    other = Segment(s.name, s.mass_kg * (1 + mass_share), s.com_m, s.inertia_kgm2 * (1 + tensor_share))
    return {"segments": (*leg.segments[:i], other, *leg.segments[i + 1 :])}


def turned(leg: Leg, i: int, turn: np.ndarray) -> dict[str, Any]:
    R = leg.R.copy()
    R[:, i] = Rotation.from_rotvec(turn).as_matrix() @ R[:, i]
    return {"R": R}


def com_moved(leg: Leg, i: int, size: float) -> dict[str, Any]:
    r, w, al = size * along(leg, i), leg.v["w"][:, i], leg.v["al"][:, i]
    return {"c": on(leg, i, r), "a": on(leg, i, np.cross(al, r) + np.cross(w, np.cross(w, r)))}


def ground_off(leg: Leg, error: np.ndarray) -> dict[str, Any]:
    """The ground's force is off by ``error``, which acts where the force's line passes the ankle."""
    F, ankle = leg.ground["F"], leg.v["joint"][:, 0]
    square = np.maximum((F * F).sum(axis=1), 1e-300)[:, None]
    at_ankle = leg.ground["T"] + np.cross(leg.ground["p"] - ankle, F)
    nearest = ankle + np.cross(F, at_ankle) / square
    return {"F": error, "T": np.cross(nearest - leg.ground["p"], error)}


#: Source -> for each of its errors, what an error of a size does to the inputs of the solution.
CHANGES: dict[str, tuple[ErrorSource, list[Callable[[Leg, float], dict[str, Any]]]]] = {
    **{f"mass of {s}": (live.mass(s, 1.0), [lambda leg, e, i=i: with_segment(leg, i, e, 0.0)]) for i, s in enumerate(LEG)},
    **{f"tensor of {s}": (live.inertia(s, 1.0), [lambda leg, e, i=i: with_segment(leg, i, 0.0, e)]) for i, s in enumerate(LEG)},
    **{f"COM of {s}": (live.com_along_segment(s, 1.0), [lambda leg, e, i=i: com_moved(leg, i, e)]) for i, s in enumerate(LEG)},
    **{f"axes of {s}": (live.turned_axes(s, 1.0), [
        lambda leg, e, i=i, k=k: turned(leg, i, e * leg.R[:, i, :, k]) for k in range(3)]) for i, s in enumerate(LEG)},
    **{f"rotation of {s}": (live.turned_about_length(s, 1.0), [lambda leg, e, i=i: turned(
        leg, i, e * along(leg, i) / np.linalg.norm(along(leg, i), axis=1)[:, None])]) for i, s in enumerate(LEG)},
    "place of the ground force": (live.ground_place("foot", 1.0), [lambda leg, e, k=k: {"p": e * np.eye(3)[k]} for k in range(3)]),
    "ground force": (live.ground_force("foot", 1.0), [lambda leg, e, k=k: ground_off(
        leg, e * np.linalg.norm(leg.ground["F"], axis=1)[:, None] * np.eye(3)[k]) for k in range(3)]),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_each_source_has_the_derivative_it_claims(ideal_leg: Any, name: str) -> None:
    """Against central differences of the full solution with a step of 1e-5: good to 1e-7 of the change."""
    source, changes = CHANGES[name]
    leg = Leg(ideal_leg, slice(0, 300, 25))
    claimed = jacobian(leg.solve(), source)
    assert claimed.shape[-1] == len(changes) == len(source.covariance)
    for k, change in enumerate(changes):
        expected = (unknowns(leg.solve(**change(leg, 1e-5))) - unknowns(leg.solve(**change(leg, -1e-5)))) / 2e-5
        assert np.abs(expected).max() > 1e-3
        np.testing.assert_allclose(claimed[..., k], expected, rtol=0, atol=2e-7 * np.abs(expected).max())


def test_correlated_errors_as_independent_ones(ideal_leg: Any) -> None:
    """The sum of squares over the independent errors is the variance that the covariance gives."""
    loads = solve(ideal_leg.chain, ideal_leg.external)
    half = np.array([[2.0, 0.0, 0.0], [1.0, 0.5, 0.0], [-0.7, 0.2, 0.3]])
    correlated = ErrorSource(half @ half.T, live.turned_axes("shank", 1.0).effects)
    nominal = Nominal(loads)
    moment = deviation(nominal, [correlated, live.mass("foot", 0.1)]).moment
    (effect,) = correlated.effects(nominal)
    each = response(nominal, effect)[1]
    of_mass = deviation(nominal, [live.mass("foot", 0.1)]).moment
    expected = np.einsum("p...,pq,q...->...", each, correlated.covariance, each) + (of_mass**2).sum(axis=0)
    assert moment.shape[0] == 4
    np.testing.assert_allclose((moment**2).sum(axis=0), expected, rtol=1e-9, atol=1e-9)


def central_differences(rate_hz: float) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    def differentiate(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        first, second = np.zeros_like(x), np.zeros_like(x)
        first[1:-1] = (x[2:] - x[:-2]) * rate_hz / 2
        second[1:-1] = (x[2:] - 2 * x[1:-1] + x[:-2]) * rate_hz**2
        return x, first, second

    return differentiate


def test_gram_of_central_differences() -> None:
    """Weights (0 1 0), (-1 0 1)/2, (1 -2 1) at 1 Hz: worked out by hand."""
    gram = noise_gram(central_differences(1.0), 9)
    np.testing.assert_allclose(gram, [[1, 0, -2], [0, 0.5, 0], [-2, 0, 6]], rtol=0, atol=1e-14)
