"""Twenty tasks of researchers in at most four lines and one import beyond ``bid``, each beside SciPy or a result by hand."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import biomech_id as bid

DATA = Path(__file__).resolve().parents[2] / "data"
#: Largest departure from the independent result, in its unit.
EQUAL = 1e-6
RNG = np.random.default_rng(11)


@pytest.fixture(scope="module")
def given() -> SimpleNamespace:
    """What the researcher has before the task."""
    person = bid.virtual_subject()
    static, walk = person.static().trial, person.walk().trial
    movement = bid.assign_plates(bid.conventional_model(static).track(walk))
    R = [Rotation.random(30, rng=RNG).as_matrix() for _ in range(2)]
    points = RNG.normal(size=(3, 30, 3))
    time_s = np.arange(200) / 100.0
    return SimpleNamespace(
        static=static, walk=walk, movement=movement, solved=bid.solve(movement), R=R, points=points, time_s=time_s,
        noisy=np.sin(2 * np.pi * time_s) + 0.1 * np.sin(2 * np.pi * 25 * time_s), result=bid.analyse(DATA),
    )  # fmt: skip


def own_frames(g: Any) -> tuple[Any, Any]:
    mine = bid.frame_from_points(*g.points, order="xy").R_lab_seg
    x = g.points[1] - g.points[0]
    z = np.cross(x, g.points[2] - g.points[0])
    axes = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (x, np.cross(z, x), z)]
    return mine, np.stack(axes, axis=-1)


def joint_angles(g: Any) -> tuple[Any, Any]:
    mine = bid.joint_angles(*g.R, sequence="YXZ")
    return mine, Rotation.from_matrix(np.swapaxes(g.R[0], 1, 2) @ g.R[1]).as_euler("YXZ")


def fixed_axes(g: Any) -> tuple[Any, Any]:
    mine = bid.joint_angles(*g.R, sequence="zxy")
    return mine, Rotation.from_matrix(np.swapaxes(g.R[0], 1, 2) @ g.R[1]).as_euler("zxy")


def own_arrays(g: Any) -> tuple[Any, Any]:
    still = np.tile(np.eye(3), (30, 1, 1)), np.zeros((30, 3)), np.tile([0.0, 0.0, 0.1], (30, 1))
    foot: Any = {"rate_hz": 100.0, "mass_kg": 1.0, "com_m": [0.0, 0.02, 0.05], "inertia_kgm2": 0.01 * np.eye(3)}
    mine = bid.inverse_dynamics(*still, **foot)["segment"].moment_Nm[15]
    return mine, -np.cross([0.0, 0.02, -0.05], [0.0, 0.0, -9.81])


def cop_arrays(g: Any) -> tuple[Any, Any]:
    force, cop, free = np.tile([30.0, -20.0, 700.0], (40, 1)), np.tile([0.7, 0.3, 0.0], (40, 1)), np.full(40, 4.0)
    plate = bid.ForcePlate.from_cop(force, cop, free, rate_hz=1000.0, corners_m=g.walk.plates[0].corners_m)
    arm = cop[0] - g.walk.plates[0].corners_m.mean(axis=0)
    return plate.moment_lab_Nm[0], np.cross(arm, force[0]) + [0, 0, 4.0]


def wrench_about_a_point(g: Any) -> tuple[Any, Any]:
    force, moment = np.tile([30.0, -20.0, 700.0], (40, 1)), np.tile([1.0, 2.0, 3.0], (40, 1))
    plate = bid.ForcePlate.from_wrench(force, moment, [0.0, 0.0, 0.0], rate_hz=1000.0, corners_m=g.walk.plates[0].corners_m)
    return plate.moment_lab_Nm[0], moment[0] - np.cross(plate.corners_m.mean(axis=0), force[0])


def other_centre(g: Any) -> tuple[Any, Any]:
    wrench = g.solved["R", "knee"].wrench
    mine = wrench.about(wrench.point_lab_m + [0.0, 0.01, 0.0]).moment_Nm
    return mine, wrench.moment_Nm + np.cross([0.0, -0.01, 0.0], wrench.force_N)


def joint_work(g: Any) -> tuple[Any, Any]:
    power = g.solved["R", "ankle"].power_rotational_W
    mine = np.trapezoid(power[np.isfinite(power)], dx=1 / g.walk.rate_hz)
    shank, foot = (g.movement.motions["R", name].omega_lab_rad_s for name in ("shank", "foot"))
    by_hand = (g.solved["R", "ankle"].wrench.moment_Nm * (foot - shank)).sum(axis=1)
    known = np.isfinite(by_hand)
    return mine, ((by_hand[known][1:] + by_hand[known][:-1]) / 2 / g.walk.rate_hz).sum()


def height_normalised(g: Any) -> tuple[Any, Any]:
    mine = g.result.curves("R", "KneeMoment.X", normalise="mass*height")
    rows = g.result.cycles.query("side == 'R' and variable == 'KneeMoment' and component == 'X'")
    return mine, rows["value"].to_numpy().reshape(-1, 101) / g.result.subject["height_m"]


def own_cutoff(g: Any) -> tuple[Any, Any]:
    mine = bid.lowpass(g.noisy, 100.0, 6.0)
    odd = np.concatenate([g.noisy[:-1] - _line(g.noisy)[:-1], -(g.noisy - _line(g.noisy))[:0:-1]])
    ratio = np.tan(np.pi * np.fft.rfftfreq(len(odd)) * (1 - 1e-15)) / np.tan(np.pi * 0.06)
    gain = 1 / (1 + (np.sqrt(2) - 1) * ratio**4)
    return mine, _line(g.noisy) + np.fft.irfft(np.fft.rfft(odd) * gain, n=len(odd))[: len(g.noisy)]


def _line(path: Any) -> Any:
    return np.linspace(path[0], path[-1], len(path))


def filled_gap(g: Any) -> tuple[Any, Any]:
    path = np.stack([g.time_s**3, g.time_s**2, g.time_s], axis=1)
    broken = np.where((np.arange(200) > 90)[:, None] & (np.arange(200) < 99)[:, None], np.nan, path)
    return bid.fill_gaps(bid.Trial.from_arrays({"A": broken}, 100.0)).markers["A"], path


def export_for_r(g: Any) -> tuple[Any, Any]:
    table = bid.to_dataframe(g.walk)
    return table["RHEE.Z"].to_numpy(), g.walk.markers.position_m[:, g.walk.markers.names.index("RHEE"), 2]


def labelled_arrays(g: Any) -> tuple[Any, Any]:
    plate = bid.to_xarray(g.walk)["force_lab_N"].sel(plate="plate 1", axis="Z").to_numpy()
    return plate, g.walk.plates[0].force_lab_N[:, 2]


def own_detector(g: Any) -> tuple[Any, Any]:
    strikes = [bid.Event(t, "R", bid.EventKind.FOOT_STRIKE) for t in (0.5, 1.5)]
    made = bid.Trial.from_arrays({"A": np.ones((200, 3))}, 100.0, events=strikes)
    return [event.time_s for event in made.events], [0.5, 1.5]


def margin_of_stability(g: Any) -> tuple[Any, Any]:
    whole = g.movement.motions["", "pelvis"]
    x = whole.com_lab_m + whole.com_velocity_lab_m_s / np.sqrt(9.81 / whole.com_lab_m[:, 2:])
    omega = np.sqrt(9.81 / whole.com_lab_m[:, 2])
    return x[:, 0], whole.com_lab_m[:, 0] + whole.com_velocity_lab_m_s[:, 0] / omega


def double_pendulum(g: Any) -> tuple[Any, Any]:
    system = bid.mechanics.n_pendulum([1.0, 1.0], [1.0, 1.0], gravity_m_s2=9.81)
    run = bid.simulate(system, [0.5, 0.2], [0.0, 0.0], np.linspace(0.0, 1.0, 11))

    def by_hand(_: float, y: Any) -> Any:
        # Point masses on rods of 1 m, absolute angles a, b from the vertical.
        a, b, da, db = y
        c, s = np.cos(a - b), np.sin(a - b)
        right = [-s * db**2 - 2 * 9.81 * np.sin(a), s * da**2 - 9.81 * np.sin(b)]
        return [da, db, *np.linalg.solve([[2.0, c], [c, 1.0]], right)]

    start = [0.5, 0.2, 0.0, 0.0]
    return run.q, solve_ivp(by_hand, (0, 1), start, "DOP853", np.linspace(0, 1, 11), rtol=1e-12, atol=1e-12).y.T[:, :2]


def linearised(g: Any) -> tuple[Any, Any]:
    model = bid.linearise(bid.mechanics.n_pendulum([1.0], [0.5], gravity_m_s2=9.81), [0.0], [0.0], [0.0])
    return model.A, [[0.0, 1.0], [-9.81 / 0.5, 0.0]]


def equation_of_motion(g: Any) -> tuple[Any, Any]:
    program = bid.equations(bid.mechanics.n_pendulum([2.0], [0.5], gravity_m_s2=9.81), ("M1", "g1"))
    values = bid.mechanics.generate(program, "python").one([0.3, 0.0])
    return values, [2.0 * 0.5**2, 2.0 * 9.81 * 0.5 * np.sin(0.3)]


def joined_subjects(g: Any) -> tuple[Any, Any]:
    table = bid.analyse_many([DATA]).table("spatiotemporal")
    assert set(table["subject"]) == {"data"}
    return table["value"].to_numpy(), g.result.spatiotemporal["value"].to_numpy()


def two_sessions(g: Any) -> tuple[Any, Any]:
    table = bid.compare(g.result, g.result)
    return table["difference"].to_numpy(), np.zeros(len(table))


TASKS: Mapping[str, Callable[[Any], tuple[Any, Any]]] = {
    each.__name__: each
    for each in (
        own_frames, joint_angles, fixed_axes, own_arrays, cop_arrays, wrench_about_a_point, other_centre, joint_work,
        height_normalised, own_cutoff, filled_gap, export_for_r, labelled_arrays, own_detector, margin_of_stability,
        double_pendulum, linearised, equation_of_motion, joined_subjects, two_sessions,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", TASKS)
def test_a_task_gives_the_independent_result(given: Any, name: str) -> None:
    mine, independent = TASKS[name](given)
    mine, independent = np.asarray(mine, dtype=float), np.asarray(independent, dtype=float)
    assert mine.shape == independent.shape
    assert mine.size
    assert np.isfinite(mine).any()
    np.testing.assert_allclose(mine, independent, atol=EQUAL, rtol=0)


def test_every_task_is_short_and_needs_no_further_import() -> None:
    for task in TASKS.values():
        (function,) = ast.parse(inspect.getsource(task)).body
        own = [line for line in inspect.getsource(task).splitlines()[1:] if "bid." in line]
        assert isinstance(function, ast.FunctionDef)
        assert len(own) <= 4, task.__name__
    assert len(TASKS) == 20
