"""Coordinates, speeds and accelerations of OpenSim's joints against finite differences and virtual work; forces and the checker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import biomech_id as bid
from biomech_id.algebra.rotation import cardan_matrix
from biomech_id.algebra.wrench import Wrench
from biomech_id.cli.app import app
from biomech_id.errors import BiomechError, InvalidValueError, Severity
from biomech_id.exports.opensim.check import check_folder
from biomech_id.exports.opensim.joints import BodyState, generalised_forces, joint_state, joints_of
from biomech_id.exports.opensim.loads import GroundLoad, ground_table
from biomech_id.exports.opensim.model import subject_model
from biomech_id.exports.opensim.motion import model_motion
from biomech_id.pipeline.opensim import hand_over
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe

ROOT = Path(__file__).resolve().parents[4]
STEP_S = 1e-4


def smooth(n: int, seed: int) -> BodyState:
    """A body whose pose is closed-form in time: sums of sines for three angles and three positions."""
    rng = np.random.default_rng(seed)
    size, rate, phase = rng.uniform(0.1, 0.4, 6), rng.uniform(2.0, 6.0, 6), rng.uniform(0.0, 6.0, 6)
    t = (np.arange(n) * STEP_S)[:, None]
    x, v, a = (size * rate**k * np.sin(rate * t + phase + k * np.pi / 2) for k in range(3))
    R = cardan_matrix(x[:, :3], "xyz")
    # omega = A(x) v for the sequence xyz, columns e1, R1 e2, R1 R2 e3
    first = cardan_matrix(np.column_stack([x[:, 0], 0 * x[:, 0], 0 * x[:, 0]]), "xyz")
    e1, e2, e3 = np.broadcast_to([1.0, 0, 0], (n, 3)), first[:, :, 1], R[:, :, 2]
    omega = v[:, :1] * e1 + v[:, 1:2] * e2 + v[:, 2:3] * e3
    w1, w2 = v[:, :1] * e1, v[:, :1] * e1 + v[:, 1:2] * e2
    alpha = (
        a[:, :1] * e1 + a[:, 1:2] * e2 + a[:, 2:3] * e3 + v[:, 1:2] * np.cross(w1, e2) + v[:, 2:3] * np.cross(w2, e3)
    )  # fmt: skip
    return BodyState(R, x[:, 3:], v[:, 3:], a[:, 3:], omega, alpha)


@pytest.mark.parametrize("number", range(7))
def test_speeds_and_accelerations_are_the_derivatives_of_the_coordinates(number: int) -> None:
    joint = joints_of(("L", "R"))[number]
    state = joint_state(joint, smooth(5, 1), smooth(5, 2), np.array([0.1, -0.4, 0.05]))
    speed = (state.q[3] - state.q[1]) / (2 * STEP_S)
    np.testing.assert_allclose(state.u[2], speed, rtol=0, atol=2e-6)  # the central difference errs by h^2 q''' / 6, 1e-6
    acceleration = (state.u[3] - state.u[1]) / (2 * STEP_S)
    np.testing.assert_allclose(state.du[2], acceleration, rtol=0, atol=2e-5)


def test_generalised_forces_do_the_wrench_s_work() -> None:
    joint, n = joints_of(("L", "R"))[2], 5
    parent, child = smooth(n, 4), smooth(n, 5)
    rng = np.random.default_rng(6)
    force, moment, point = (rng.normal(size=(n, 3)) for _ in range(3))
    state = joint_state(joint, parent, child, np.zeros(3))
    found = generalised_forces(state, parent, child, Wrench(force, moment, point))
    # relative to the parent, the child's material point under the wrench moves with
    omega = child.omega_rad_s - parent.omega_rad_s
    at_point = child.velocity_m_s + np.cross(child.omega_rad_s, point - child.origin_m)
    carried = parent.velocity_m_s + np.cross(parent.omega_rad_s, point - parent.origin_m)
    power = ((at_point - carried) * force).sum(axis=1) + (omega * moment).sum(axis=1)
    np.testing.assert_allclose((found * state.u).sum(axis=1), power, rtol=1e-12, atol=1e-12)


def test_signs_are_those_of_opensims_models() -> None:
    """A bent right knee, adducted and internally rotated hips of both sides: all positive, but the knee of gait2392."""
    n = 1
    still = np.zeros((n, 3))

    def posed(z: float, x: float, y: float) -> BodyState:
        return BodyState(cardan_matrix(np.array([[z, x, y]]), "zxy"), still, still, still, still, still)

    upright = posed(0, 0, 0)
    flexion = {joint.name: joint for joint in joints_of(("L", "R"), "flexion")}
    extension = {joint.name: joint for joint in joints_of(("L", "R"), "extension")}
    # Z points right: a shank turned about it by a negative angle has its foot behind it
    assert joint_state(flexion["knee_r"], upright, posed(-0.5, 0, 0), np.zeros(3)).q[0, 0] == pytest.approx(0.5)
    assert joint_state(extension["knee_r"], upright, posed(-0.5, 0, 0), np.zeros(3)).q[0, 0] == pytest.approx(-0.5)
    for side, inwards in (("r", 1.0), ("l", -1.0)):
        # the right thigh's lower end goes to the left by a positive turn about X forward
        q = joint_state(flexion[f"hip_{side}"], upright, posed(0.4, 0.2 * inwards, 0.1 * inwards), np.zeros(3)).q
        np.testing.assert_allclose(q[0, :3], [0.4, 0.2, 0.1], atol=1e-12)


def table_of(force: np.ndarray, moment: np.ndarray) -> np.ndarray:
    R = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    time_s = np.arange(len(force)) / 100.0
    table = ground_table("t", time_s, (GroundLoad("r", force, moment),), R, floor_m=0.0, pressure_from_N=30.0)
    assert table.columns[0] == "ground_force_r_vx"
    return table.values


def test_point_and_torque_give_the_wrench_back_and_swing_is_zero() -> None:
    rng = np.random.default_rng(8)
    force = np.column_stack([rng.normal(size=20) * 20, rng.normal(size=20) * 20, np.r_[np.zeros(5), 3.0, np.linspace(40, 700, 14)]])
    force[:5] = 0.0
    pressed = np.array([0.3, 0.2, 0.0]) + rng.normal(size=(20, 3)) * [0.05, 0.02, 0.0]
    moment = np.cross(pressed, force) + np.column_stack([np.zeros(20), np.zeros(20), rng.normal(size=20) * 3])
    moment[:5] = 0.0
    values = table_of(force, moment)
    assert (values[:5] == 0.0).all()
    F, p, T = values[:, :3], values[:, 3:6], values[:, 6:]
    R = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    np.testing.assert_allclose(F, force @ R.T, atol=1e-12)
    np.testing.assert_allclose(T + np.cross(p, F), moment @ R.T, rtol=0, atol=1e-10)
    np.testing.assert_allclose(p[6:], pressed[6:] @ R.T, atol=1e-12)  # the true centre of pressure, and only a vertical torque
    np.testing.assert_allclose(T[6:, [0, 2]], 0.0, atol=1e-10)
    np.testing.assert_array_equal(p[5], p[6])  # 3 N have none of their own


def test_a_force_that_is_not_a_number_is_refused() -> None:
    force = np.zeros((4, 3))
    force[2, 1] = np.nan
    with pytest.raises(InvalidValueError, match=r"not a number at 0\.02 s"):
        table_of(force, np.zeros((4, 3)))


@pytest.fixture(scope="module")
def handed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("hand") / "over"
    quick = Recipe().replaced(report=False, budget=False)
    outcome = hand_over(Job((ROOT / "data",), recipe=quick, exclude=("walk0[13]*", "turn*")), out)
    assert outcome.n_trials == 1
    return out


def test_what_we_hand_over_leaves_nothing_to_complain_about(handed: Path) -> None:
    assert check_folder(handed) == ()
    names = {path.name for path in handed.iterdir()}
    for word in (
        "grf.mot",
        "external_loads.xml",
        "coordinates.mot",
        "inverse_dynamics.sto",
        "ik_setup.xml",
        "id_setup.xml",
        "plates.mot",
    ):
        assert f"walk02_{word}" in names
    assert {"subject.osim", "scale_setup.xml", "static.trc", "walk02.trc", "README.md"} <= names
    assert "not known" in (handed / "walk02_grf.mot").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "rule"),
    [
        ("walk02_external_loads.xml", "calcn_r", "foot_r", "opensim-body-missing"),
        ("walk02_external_loads.xml", "calcn_r", "calcn_l", "opensim-unreadable"),
        ("walk02_external_loads.xml", "ground_force_r_v", "ground_force_v", "opensim-column-missing"),
        ("walk02_external_loads.xml", "walk02_grf.mot", "walk_grf.mot", "opensim-file-missing"),
        ("walk02_id_setup.xml", "subject.osim", "model.osim", "opensim-file-missing"),
        ("walk02.trc", "\tm\t", "\tmm\t", "opensim-unreadable"),
        ("walk02_grf.mot", "\n3.5\t0\t0", "\n3.5\tnan\t0", "opensim-nan"),
        ("walk02_grf.mot", "\n3.5\t", "\n3.6\t", "opensim-unreadable"),
        ("subject.osim", "<mass>", "<mass>-", "opensim-mass"),
        ("subject.osim", "<mass>", "<mass>a", "opensim-mass"),
    ],
)
def test_the_checker_finds_what_is_spoilt(handed: Path, file: str, old: str, new: str, rule: str) -> None:
    path = handed / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    try:
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        found = check_folder(handed)
        result = CliRunner().invoke(app, ["check-opensim", str(handed)])
    finally:
        path.write_text(text, encoding="utf-8")
    assert rule in {finding.rule for finding in found if finding.severity is Severity.ERROR}
    assert result.exit_code == 1
    assert file in result.output


def test_a_folder_without_files_of_opensim_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["check-opensim", str(tmp_path)])
    assert result.exit_code == 1
    assert "none of OpenSim's files" in result.output


def test_the_vendors_kinetics_cannot_be_handed_over(tmp_path: Path) -> None:
    quick = Recipe().replaced(report=False, budget=False, kinetics="vicon")
    with pytest.raises(BiomechError, match="textbook"):
        hand_over(Job((ROOT / "data",), recipe=quick, exclude=("walk0[13]*", "turn*")), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_missing_frames_shorten_the_table_and_are_not_made_up() -> None:
    person = bid.virtual_subject()
    static, walk = person.static().trial, person.walk().trial
    body = bid.conventional_model(static)
    position = walk.markers.position_m.copy()
    position[50:53, walk.markers.names.index("LTOE")] = np.nan
    gappy = replace(walk, markers=walk.markers.with_positions(position))
    model = subject_model("x", body.track(static), static.markers, {})
    moved = model_motion(model, body.track(gappy))
    table = moved.coordinates()
    assert table.time_s[0] == pytest.approx(walk.first_time_s + 53 / walk.rate_hz)
    assert np.isfinite(table.values).all()
