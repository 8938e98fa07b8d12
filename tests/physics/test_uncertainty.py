"""First-order error propagation against a reference covariance and against Monte Carlo through the full, nonlinear solution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.algebra.skew import unskew
from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.loads import ChainLoads
from biomech_id.dynamics.newton_euler import solve
from biomech_id.errors import InvalidValueError
from biomech_id.uncertainty import sources as err
from biomech_id.uncertainty.marker_noise import marker_noise, noise_gram
from biomech_id.uncertainty.propagation import propagate_errors

LEG = ("foot", "shank", "thigh")


def unknowns(loads: ChainLoads) -> np.ndarray:
    """(N, 6n): forces in laboratory axes, moments in segment axes, distal to proximal."""
    moment = np.einsum("fnji,fnj->fni", loads.chain.R_lab_seg, loads.moment_lab_Nm)
    return np.stack([loads.force_lab_N, moment], axis=2).reshape(loads.chain.n_frames, -1)


def reference_sources(kind: str = "noise") -> list[err.ErrorSource]:
    """The 57 independent inputs of the reference, with the sizes it states."""
    return [
        *(err.joint_centre(s, 0.005, kind=kind) for s in LEG),
        err.external_point(0, (0.005, 0.005, 0), kind=kind),
        err.external_force(0, 5.0, kind=kind),
        err.external_moment(0, (0, 0, 0.5), kind=kind, name="free moment"),
        *(err.mass(s, 0.05, kind=kind) for s in LEG),
        *(err.centre_of_mass(s, 0.01, kind=kind) for s in LEG),
        *(err.inertia(s, 0.1, kind=kind) for s in LEG),
        *(err.acceleration(s, 0.5, kind=kind) for s in LEG),
        *(err.angular_velocity(s, 0.05, kind=kind) for s in LEG),
        *(err.angular_acceleration(s, 2.0, kind=kind) for s in LEG),
    ]  # type: ignore[arg-type]


#: How the reference groups our sources.
GROUPS = {
    "joint centres": " joint centre", "COP": "centre of pressure", "GRF": "external force", "Tz": "free moment",
    "mass": " mass", "COM": "centre of mass", "I": " inertia", "a_com": " acceleration", "omega": "angular velocity",
    "alpha": "angular acceleration",
}  # fmt: skip


def members(group: str, names: list[str]) -> list[str]:
    found = [name for name in names if name.endswith(GROUPS[group])]
    if group == "mass":
        found = [name for name in found if not name.endswith("centre of mass")]
    if group == "a_com":
        found = [name for name in found if not name.endswith("angular acceleration")]
    return found


def test_reference_covariance(ideal_leg: Any, reference: Any) -> None:
    """The reference's own first-order covariance to rounding, its 40 000 Monte Carlo draws within 2 % (the gate)."""
    spread = propagate_errors(solve(ideal_leg.chain, ideal_leg.external), reference_sources())
    for stored in reference("uncertainty")["frames"]:
        f = stored["frame"]
        np.testing.assert_allclose(spread.covariance[f], stored["cov_first_order"], rtol=0, atol=1e-6)  # its values reach 1e3
        np.testing.assert_allclose(spread.sd[f], stored["sd_first_order"], rtol=1e-7)
        np.testing.assert_allclose(spread.sd[f], stored["sd_monte_carlo_40000"], rtol=0.02)


def test_reference_shares_by_source(ideal_leg: Any, reference: Any) -> None:
    spread = propagate_errors(solve(ideal_leg.chain, ideal_leg.external), reference_sources())
    names = list(spread.sources)
    assert sorted(name for group in GROUPS for name in members(group, names)) == sorted(names)
    for stored in reference("uncertainty")["frames"]:
        for group, sd in stored["sd_by_source"].items():
            ours = np.sqrt(sum(spread.sd_from(name)[stored["frame"]] ** 2 for name in members(group, names)))
            np.testing.assert_allclose(ours, sd, rtol=1e-7, atol=1e-9, err_msg=group)
    total = sum(np.nan_to_num(spread.share(name)) for name in names)
    np.testing.assert_allclose(total, 1.0, rtol=0, atol=1e-12)


class Draws:
    """A short stretch of the reference leg whose inputs can be shifted, tiled over draws."""

    def __init__(self, leg: Any, frames: slice, repeat: int = 1) -> None:
        chain, ground = leg.chain, leg.ground
        self.repeat = repeat

        def tiled(values: np.ndarray) -> np.ndarray:
            return np.tile(values[frames], (repeat,) + (1,) * (values.ndim - 1))

        self.R = tiled(chain.R_lab_seg)
        self.origin = tiled(chain.joint_lab_m)
        self.v = {"joint": tiled(chain.joint_lab_m), "c": tiled(chain.com_lab_m), "a": tiled(chain.com_acceleration_lab_m_s2),
                  "w": tiled(chain.omega_lab_rad_s), "al": tiled(chain.alpha_lab_rad_s2)}  # fmt: skip
        self.ground = {"F": tiled(ground.force_N), "p": tiled(ground.point_lab_m), "T": tiled(ground.moment_Nm)}
        self.segments = chain.segments
        self.n_frames = len(self.R)

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


def coverage(error: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Share of draws (first axis) in which the truth lies within the 95 % band, for each frame and unknown."""
    assert (sd > 0).all()
    return (np.abs(error) <= 1.959964 * sd).mean(axis=0)


@pytest.mark.slow
def test_noise_band_holds_the_truth(ideal_leg: Any) -> None:
    """10 000 draws of noise on everything that is measured; the 95 % band must hold the truth in 93 to 97 % of them."""
    draws, frames = 10_000, slice(20, 60, 4)
    rng = np.random.default_rng(3)
    one, many = Draws(ideal_leg, frames), Draws(ideal_leg, frames, draws)
    sizes = {"joint": 0.005, "c": 0.004, "a": 0.5, "w": 0.05, "al": 2.0}
    shifts = {key: rng.normal(0, sd, many.v[key].shape) for key, sd in sizes.items()}
    shifts |= {key: rng.normal(0, sd, (many.n_frames, 3)) for key, sd in (("F", 5.0), ("p", 0.005), ("T", 0.5))}
    sources = [
        *(err.joint_centre(s, 0.005, kind="noise") for s in LEG), *(err.centre_of_mass(s, 0.004, kind="noise") for s in LEG),
        *(err.acceleration(s, 0.5) for s in LEG), *(err.angular_velocity(s, 0.05) for s in LEG),
        *(err.angular_acceleration(s, 2.0) for s in LEG), err.external_force(0, 5.0, kind="noise"),
        err.external_point(0, 0.005, kind="noise"), err.external_moment(0, 0.5, kind="noise"),
    ]  # fmt: skip
    truth = one.solve()
    spread = propagate_errors(truth, sources)
    error = unknowns(many.solve(**shifts)).reshape(draws, one.n_frames, 18) - unknowns(truth)
    held = coverage(error, spread.sd)
    assert 0.93 < held.min() <= held.max() < 0.97


@pytest.mark.slow
def test_bias_band_holds_the_truth_and_bias_does_not_average_out(ideal_leg: Any) -> None:
    """10 000 draws, each one misplaced knee, foot and shank mass, tensor and plate for all frames of a stretch."""
    draws, frames = 10_000, slice(20, 60, 8)
    rng = np.random.default_rng(4)
    one = Draws(ideal_leg, frames)
    sources = [
        err.joint_centre("shank", 0.01, kind="bias", axes="thigh"), err.mass("shank", 0.05), err.inertia("foot", 0.1),
        err.external_point(0, 0.005, kind="bias"), err.external_force(0, 5.0, kind="bias"),
        err.external_moment(0, 0.5, kind="bias"), err.segment_angle("foot", 0.01, kind="bias", axes="foot"),
        err.segment_angle("thigh", 0.01, kind="bias"),
    ]  # fmt: skip
    truth = one.solve()
    spread = propagate_errors(truth, sources)
    nominal, error = unknowns(truth), []
    for _ in range(draws):
        knee, turn_foot, turn_thigh = rng.normal(0, 0.01, 3), rng.normal(0, 0.01, 3), rng.normal(0, 0.01, 3)
        joint = np.zeros_like(one.origin)
        joint[:, 1] = one.R[:, 2] @ knee
        R, c = one.R.copy(), np.zeros_like(one.origin)
        foot, shank, thigh = one.segments
        for i, turn in ((0, one.R[:, 0] @ turn_foot), (2, np.tile(turn_thigh, (one.n_frames, 1)))):
            rotation = Rotation.from_rotvec(turn).as_matrix()
            R[:, i] = rotation @ R[:, i]
            arm = one.v["c"][:, i] - one.origin[:, i]
            c[:, i] = np.einsum("fij,fj->fi", rotation, arm) - arm
        foot = Segment("foot", foot.mass_kg, foot.com_m, foot.inertia_kgm2 * (1 + rng.normal(0, 0.1)))
        shank = Segment("shank", shank.mass_kg * (1 + rng.normal(0, 0.05)), shank.com_m, shank.inertia_kgm2)
        plate = {"F": rng.normal(0, 5.0, 3), "p": rng.normal(0, 0.005, 3), "T": rng.normal(0, 0.5, 3)}
        error.append(unknowns(one.solve(R=R, segments=(foot, shank, thigh), joint=joint, c=c, **plate)) - nominal)
    held = coverage(np.array(error), spread.sd)
    assert 0.93 < held.min() <= held.max() < 0.97
    weights = np.full(one.n_frames, 1 / one.n_frames)
    # 10 000 draws know a standard deviation to 0.7 %; 3 % leaves four of those.
    np.testing.assert_allclose(np.array(error).mean(axis=1).std(axis=0), spread.sd_of_mean(weights), rtol=0.03)
    between = np.einsum("du,dv->uv", np.array(error)[:, 0], np.array(error)[:, 4]) / draws
    scale = np.outer(spread.sd[0], spread.sd[4])
    np.testing.assert_allclose(between / scale, spread.covariance_between(0, 4) / scale, rtol=0, atol=0.05)


def test_noise_averages_down_and_bias_does_not(ideal_leg: Any) -> None:
    loads = solve(ideal_leg.chain, ideal_leg.external)
    weights = np.full(ideal_leg.n, 1 / ideal_leg.n)
    noise = propagate_errors(loads, [err.external_force(0, 5.0, kind="noise")])
    bias = propagate_errors(loads, [err.external_force(0, 5.0, kind="bias")])
    np.testing.assert_allclose(noise.sd_of_mean(weights)[:3], 5.0 / np.sqrt(ideal_leg.n), rtol=1e-12)
    np.testing.assert_allclose(bias.sd_of_mean(weights)[:3], 5.0, rtol=1e-12)
    assert not noise.covariance_between(3, 7).any()
    np.testing.assert_allclose(bias.covariance_between(3, 7)[:3, :3], 25 * np.eye(3), rtol=0, atol=1e-12)


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


CLUSTER = np.array([[0.06, -0.10, 0.02], [-0.04, -0.16, 0.05], [0.02, -0.28, -0.05], [-0.05, -0.30, 0.03]])


def fit(markers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least-squares pose (R, centroid) of the cluster: Arun's singular value method."""
    local = CLUSTER - CLUSTER.mean(axis=0)
    centroid = markers.mean(axis=-2)
    u, _, vt = np.linalg.svd(np.einsum("...ki,kj->...ij", markers - centroid[..., None, :], local))
    sign = np.linalg.det(u @ vt)
    u[..., :, 2] *= sign[..., None]
    return u @ vt, centroid


@pytest.mark.parametrize("frame", [30, 140])
def test_marker_noise_against_refitted_poses(ideal_leg: Any, frame: int) -> None:
    """20 000 noisy copies of three frames, refitted, differentiated and solved anew.

    The draws know a standard deviation to 0.5 %; 3 % also covers second-order effects and the turning of the segment between
    frames that the method neglects.
    """
    draws, sd, dt = 20_000, 2e-4, 0.01
    rng = np.random.default_rng(frame)
    i = 1  # the shank; its markers also place the ankle and the knee
    R = ideal_leg.chain.R_lab_seg[frame - 1 : frame + 2, i]
    origin = ideal_leg.chain.motions[i].frames.origin_lab_m[frame - 1 : frame + 2]
    clean = origin[:, None] + np.einsum("fij,kj->fki", R, CLUSTER)
    centroid = CLUSTER.mean(axis=0)
    ankle_local = R[1].T @ (ideal_leg.chain.joint_lab_m[frame, 0] - origin[1])
    com_local = np.array(ideal_leg.model["com_local"][1])

    def loads_from(markers: np.ndarray) -> ChainLoads:
        """Loads at the middle frame of (m, 3, k, 3) markers."""
        Rs, ts = fit(markers)

        def point(local: np.ndarray) -> np.ndarray:
            return ts + Rs @ (local - centroid)

        rate, second = (Rs[:, 2] - Rs[:, 0]) / 2 / dt, (Rs[:, 2] - 2 * Rs[:, 1] + Rs[:, 0]) / dt**2
        Rt = np.swapaxes(Rs[:, 1], -1, -2)
        com = point(com_local)
        m = len(markers)
        one = Draws(ideal_leg, slice(frame, frame + 1), m)
        one.R[:, i], one.origin[:, i] = Rs[:, 1], point(np.zeros(3))[:, 1]
        one.v["w"][:, i], one.v["al"][:, i] = unskew(rate @ Rt), unskew(second @ Rt)
        one.v["c"][:, i], one.v["a"][:, i] = com[:, 1], (com[:, 2] - 2 * com[:, 1] + com[:, 0]) / dt**2
        one.v["joint"][:, 0], one.v["joint"][:, 1] = point(ankle_local)[:, 1], point(np.zeros(3))[:, 1]
        return one.solve()

    truth = loads_from(clean[None])
    noisy = loads_from(clean + rng.normal(0, sd, (draws, *clean.shape)))
    gram = noise_gram(central_differences(1 / dt), 9)
    source = marker_noise("shank", CLUSTER, sd, gram, carries_joints=("foot", "shank"))
    predicted = propagate_errors(truth, [source]).sd[0]
    measured = unknowns(noisy).std(axis=0)
    assert measured[:3].max() < 1e-9  # nothing of the shank reaches the ankle's force
    np.testing.assert_allclose(predicted[3:], measured[3:], rtol=0.03)


def test_markers_on_a_line_are_refused() -> None:
    line = np.array([[0, 0, 0], [0, 0.1, 0], [0, 0.2, 0.0]])
    with pytest.raises(InvalidValueError, match="do not determine its orientation"):
        marker_noise("shank", line, 1e-3, np.eye(3), carries_joints=())


def test_sources_need_different_names(ideal_leg: Any) -> None:
    loads = solve(ideal_leg.chain, ideal_leg.external)
    with pytest.raises(InvalidValueError, match="different names"):
        propagate_errors(loads, [err.mass("foot", 0.1), err.mass("foot", 0.2)])
    with pytest.raises(InvalidValueError, match="external wrench 3 of 1"):
        propagate_errors(loads, [err.external_force(3, 1.0, kind="bias")])


def rotation(vector: np.ndarray) -> np.ndarray:
    return np.asarray(Rotation.from_rotvec(vector).as_matrix())


@pytest.mark.parametrize("k", range(18))
def test_each_pose_error_has_the_derivative_it_claims(ideal_leg: Any, k: int) -> None:
    """The 18 parameters of a cluster's noise one by one: against finite differences of a perturbed local motion.

    Around one frame the shank moves as R(s) = exp(omega s + alpha s2 / 2) R. A turn and a shift that begin with unit value,
    rate or second rate are put on top, the motion is differentiated numerically over s, and the leg is solved. Five-point
    differences with steps of 4 ms are good to about 1e-6 of the change.
    """
    i, f, level, axis = 1, 47, k // 6, k % 6
    one = Draws(ideal_leg, slice(f, f + 1))
    R0, omega, alpha = one.R[0, i], one.v["w"][0, i], one.v["al"][0, i]
    local = CLUSTER.mean(axis=0)
    t0 = one.origin[0, i] + R0 @ local
    arm = one.v["c"][0, i] - t0
    t2 = one.v["a"][0, i] - np.cross(alpha, arm) - np.cross(omega, np.cross(omega, arm))
    h = 4e-3
    s = h * np.arange(-2, 3)
    first, second = np.array([1, -8, 0, 8, -1]) / 12 / h, np.array([-1, 16, -30, 16, -1]) / 12 / h**2
    unit = R0[:, axis % 3]
    turn, shift = (unit, np.zeros(3)) if axis < 3 else (np.zeros(3), unit)

    def solved(size: float) -> np.ndarray:
        growth = size * np.array([np.ones(5), s, s**2 / 2])[level]
        R = rotation(np.outer(growth, turn)) @ rotation(np.outer(s, omega) + np.outer(s**2 / 2, alpha)) @ R0
        centroid = t0 + np.outer(s**2 / 2, t2) + np.outer(growth, shift)
        com = centroid + R @ (R0.T @ arm)
        rate, rate2 = np.einsum("s,sij->ij", first, R), np.einsum("s,sij->ij", second, R)
        tilted, moved = one.R.copy(), {key: np.zeros_like(one.v[key]) for key in ("w", "al", "c", "a", "joint")}
        tilted[0, i] = R[2]
        moved["w"][0, i] = unskew(rate @ R[2].T) - omega
        moved["al"][0, i] = unskew(rate2 @ R[2].T) - alpha
        moved["c"][0, i], moved["a"][0, i] = com[2] - one.v["c"][0, i], second @ com - one.v["a"][0, i]
        for j in (0, 1):
            place = one.v["joint"][0, j] - t0
            moved["joint"][0, j] = centroid[2] + R[2] @ R0.T @ place - one.v["joint"][0, j]
        return unknowns(one.solve(R=tilted, **moved))[0]

    step = (1e-4, 1e-2, 1.0)[level]
    expected = (solved(step) - solved(-step)) / (2 * step)
    source = marker_noise("shank", CLUSTER, 1.0, np.eye(3), carries_joints=("foot", "shank"))
    claimed = propagate_errors(one.solve(), [source]).jacobians["shank marker noise"][0, :, k]
    np.testing.assert_allclose(claimed, expected, rtol=0, atol=2e-6 * np.abs(expected).max() + 1e-8)  # a rate of shift does nothing


@pytest.mark.parametrize("segment", [0, 1, 2])
@pytest.mark.parametrize("k", [0, 1, 2])
def test_a_turned_segment_has_the_derivative_it_claims(ideal_leg: Any, segment: int, k: int) -> None:
    """Against central differences of the full solution with a step of 1e-5 rad: good to 1e-8 of the change."""
    one = Draws(ideal_leg, slice(0, 300, 25))
    name = LEG[segment]

    def solved(angle: float) -> np.ndarray:
        turn = rotation(angle * one.R[:, segment, :, k])
        R, c = one.R.copy(), np.zeros_like(one.origin)
        R[:, segment] = turn @ R[:, segment]
        arm = one.v["c"][:, segment] - one.origin[:, segment]
        c[:, segment] = np.einsum("fij,fj->fi", turn, arm) - arm
        return unknowns(one.solve(R=R, c=c))

    expected = (solved(1e-5) - solved(-1e-5)) / 2e-5
    source = err.segment_angle(name, 1.0, kind="noise", axes=name)
    claimed = propagate_errors(one.solve(), [source]).jacobians[source.name][:, :, k]
    np.testing.assert_allclose(claimed, expected, rtol=0, atol=1e-7 * np.abs(expected).max())
