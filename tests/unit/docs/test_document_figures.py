"""Figures of the source documents' pages: the numbers that are drawn, not the ink."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

from biomech_id.multibody.examples.exoskeleton import arm_exoskeleton
from biomech_id.multibody.parts import denavit_hartenberg

ROOT = Path(__file__).resolve().parents[3]
mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.fixture(scope="module")
def sketches() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from docs.documents import figures

        yield figures


def recipe(name: str) -> Any:
    return runpy.run_path(str(ROOT / "pipelines" / "mechanics" / f"{name}.py"))


def test_paths_of_the_limbs_centres_of_mass() -> None:
    """256 places of C_1, 0.8 (-sin t, cos t) + 0.3 (-sin 3t, cos 3t), grey by its speed; the second panel is flat."""
    top, side, *_ = recipe("n_link_limb")["draw"]().axes
    t = np.linspace(0, 2 * np.pi, 256, endpoint=False)
    x, y = -0.8 * np.sin(t) - 0.3 * np.sin(3 * t), 0.8 * np.cos(t) + 0.3 * np.cos(3 * t)
    speed = np.hypot(-0.8 * np.cos(t) - 0.9 * np.cos(3 * t), -0.8 * np.sin(t) - 0.9 * np.sin(3 * t))
    for axes, second in ((top, y), (side, 0 * y)):
        np.testing.assert_allclose(axes.collections[0].get_offsets(), np.stack([x, second], axis=1), rtol=0, atol=1e-12)
        np.testing.assert_allclose(axes.collections[0].get_array(), speed, rtol=0, atol=1e-12)
        assert len(axes.lines) == 3
    np.testing.assert_allclose(np.hypot(*top.lines[0].get_data()), 0.4, rtol=0, atol=1e-12)


def test_the_double_pendulum_and_its_strobe(reference: Any) -> None:
    """Both angles against 45-digit states; two bars of a metre every 0.1 s; Euler's steps 4.3 degrees off at the end."""
    angle, strobe, energy = recipe("double_pendulum")["draw"]().axes
    for second, state in reference("dpend")["reference_mp45"]["states"].items():
        for line, true in zip(angle.lines[:2], state[2:], strict=True):
            assert np.radians(line.get_ydata()[100 * int(second)]) == pytest.approx(true, abs=1e-8)
    at_the_end, by_euler = (np.array([line.get_ydata()[-1] for line in angle.lines[i : i + 2]]) for i in (0, 2))
    assert np.abs(at_the_end - by_euler).max() == pytest.approx(4.27, abs=0.03)
    assert len(strobe.lines) == 200
    for k, line in enumerate(strobe.lines):
        x, y = line.get_data()
        assert np.hypot(*np.diff([x, y])) == pytest.approx(1, abs=1e-12)
        swung = np.radians(angle.lines[k % 2].get_ydata()[10 * (k // 2)])
        assert [x[1] - x[0], y[1] - y[0]] == pytest.approx([np.sin(swung), -np.cos(swung)], abs=1e-12)
    assert np.abs(energy.lines[0].get_ydata()).max() < 1e-9


def test_the_n_pendulums_coordinates_and_speeds() -> None:
    """q and u of 4 links, 1 000 samples of 10 s: u is the rate of q; the start; a legend."""
    pytest.importorskip("sympy")
    coordinates, speeds, ten = recipe("n_pendulum")["draw"]().axes
    assert [len(axes.lines) for axes in (coordinates, speeds, ten)] == [4, 4, 10]
    for k, (q, u) in enumerate(zip(coordinates.lines, speeds.lines, strict=True)):
        t, angle = q.get_data()
        assert (len(t), t[0], t[-1], angle[0]) == (1000, 0, 10, 0.01 * k)
        rate = (angle[2:] - angle[:-2]) / (t[2] - t[0])
        np.testing.assert_allclose(u.get_ydata()[1:-1], rate, rtol=0, atol=2e-3)
    assert [text.get_text() for text in speeds.get_legend().get_texts()] == ["u_0", "u_1", "u_2", "u_3"]


def test_the_arm_at_start_and_target() -> None:
    """Corners of both postures, from angles of -70, 60, 10 and -20, 50, -10 degrees."""
    arm, *_ = recipe("arm_reaching")["draw"]().axes
    for line, alpha in zip(arm.lines, ((-70, 60, 10), (-20, 50, -10)), strict=True):
        theta, at = np.radians(np.cumsum(alpha)), np.zeros(2)
        for length, angle, corner in zip((0.326, 0.269, 0.19), theta, np.transpose(line.get_data())[1:], strict=True):
            at = at + length * np.array([np.cos(angle), np.sin(angle)])
            np.testing.assert_allclose(corner, at, rtol=0, atol=1e-12)
    for text, line in zip(arm.texts, arm.lines, strict=True):  # the spring pulls back, on the hand
        tail, head = np.array(text.xy), np.array(text.get_position())
        assert head[0] < tail[0]
        assert head[1] == tail[1]
        wrist, tip = np.transpose(line.get_data())[2:]
        assert np.hypot(*(tail - wrist)) == pytest.approx(0.098, abs=1e-12)
        assert np.cross(np.append(tail - wrist, 0), np.append(tip - wrist, 0))[2] == pytest.approx(0, abs=1e-12)


def test_the_block_system_of_a_walk() -> None:
    """A leg's 12x12 and 18x18 matrix: ones on the diagonal, nothing right of it, minus ones below; one knee moment both ways."""
    made = recipe("block_system")
    files = made["walk"]()
    page = (ROOT / "docs" / "documents" / "matrix-formalism.md").read_text(encoding="utf-8")
    balance = [line.split() for line in made["letters"](*files).splitlines()[1:]]
    printed = [line.split() for line in page.split("```text\n")[1].split("```")[0].splitlines()[1:]]
    assert [row[:4] for row in balance] == [row[:4] for row in printed]
    numbers, on_page = (np.array([row[4:] for row in rows], dtype=float) for rows in (balance, printed))
    np.testing.assert_allclose(numbers, on_page, rtol=0, atol=0.011)  # a last digit printed, N or N m
    np.testing.assert_allclose(numbers[:, 0], numbers[:, 1:].sum(axis=1), rtol=0, atol=0.021)  # four of them
    assert np.abs(numbers).max(axis=0).min() > 0  # every letter has its share
    small, large, moment = made["draw"](*files).axes
    for axes, size in ((small, 12), (large, 18)):
        A = np.nan_to_num(np.asarray(axes.images[0].get_array().filled(0)))
        assert A.shape == (size, size)
        np.testing.assert_array_equal(np.triu(A), np.eye(size))
        np.testing.assert_array_equal(A[6:9, 0:3], -np.eye(3))
        # The knee's moment row turns the ankle's moment from the foot's axes into the shank's.
        np.testing.assert_allclose(A[9:12, 3:6] @ A[9:12, 3:6].T, np.eye(3), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(large.images[0].get_array()[:12, :12].filled(0), small.images[0].get_array().filled(0))
    for ours, other in zip(moment.lines[:3], moment.lines[3:], strict=True):
        np.testing.assert_allclose(ours.get_ydata(), other.get_ydata(), rtol=0, atol=1e-9)
        assert np.isfinite(ours.get_ydata()).mean() > 0.9
        assert np.ptp(ours.get_ydata()[np.isfinite(ours.get_ydata())]) > 5


def test_the_exoskeleton_is_drawn_where_it_is(sketches: Any) -> None:
    """Hanging and abducted, pins closed; abduction turns the whole mechanism about the forward axis by 90 degrees."""
    down, side, flat, elbow = sketches.exoskeleton().axes
    drawn = [{line.get_label(): np.array(line.get_data_3d()) for line in axes.lines} for axes in (down, side)]
    for lines, across in zip(drawn, (0, 2), strict=True):  # the plane's normal: right when hanging, up when abducted
        assert len(lines) == 10
        assert np.hypot(*np.diff(lines["upper3"][:, [0, 2]], axis=1)[:2, 0]) < 0.31
        for one, k, other, m in (("rod11", 1, "gear12", 0), ("lever10", 2, "crank9", 1)):
            gap = np.abs(lines[one][:, k] - lines[other][:, m])
            assert gap[across] < 0.02  # links lie in layers
            assert np.delete(gap, across).max() < 1e-12
        assert np.linalg.norm(lines["rod11"][:, 1] - lines["rod11"][:, 0]) == pytest.approx(0.29, abs=1e-12)
    for name, hanging in drawn[0].items():  # (right, forward, up) -> (-up, forward, right)
        turned = np.stack([-hanging[2], hanging[1], hanging[0]])
        np.testing.assert_allclose(drawn[1][name], turned, rtol=0, atol=1e-12)
    assert [patch.radius for patch in flat.patches] == [0.03, 0.02, 0.03]
    centres = np.array([patch.center for patch in flat.patches])
    np.testing.assert_allclose(np.linalg.norm(np.diff(centres, axis=0), axis=1), 0.05, rtol=0, atol=1e-12)
    assert [patch.center for patch in elbow.patches] == [patch.center for patch in flat.patches]
    assert {text.get_text() for text in flat.texts} == {"2", "3", "4", "5", "6", "9", "10", "11", "12", "15"}


def test_circles_meet_in_the_pins(sketches: Any) -> None:
    """Both points lie on both circles; radii of the geometry; the closed one is the mechanism's."""
    lower, upper = sketches.crank_levers().axes
    for axes, radii in ((lower, (0.07, 0.29)), (upper, (None, 0.09))):
        points = {text.get_text(): np.array(text.xy) for text in axes.texts}
        letter = "D" if axes is lower else "F"
        for circle, radius in zip(axes.patches, radii, strict=True):
            if radius:
                assert circle.radius == pytest.approx(radius, abs=1e-12)
            for name in (letter, f"{letter}'"):
                assert np.linalg.norm(points[name] - circle.center) == pytest.approx(circle.radius, abs=1e-12)
        assert np.linalg.norm(points[letter] - points[f"{letter}'"]) > 0.05
    # Pin E: the lever's end lies where the crank's does.
    named = {text.get_text(): np.array(text.xy) for text in upper.texts}
    np.testing.assert_allclose(named["E = F"], named["F"], rtol=0, atol=1e-12)


def test_the_table_beside_the_sketch_is_the_mechanisms(sketches: Any) -> None:
    arm, table = arm_exoskeleton((0.0, -9.81, 0.0)), sketches.denavit_hartenberg_table()
    assert len(table) == len(arm.bodies) == 13
    words = {"pi": np.pi, "pi/2": np.pi / 2, "-pi/2": -np.pi / 2}
    for body, (number, name, parent, coordinate, *row) in zip(arm.bodies, table, strict=True):
        assert (body.name, body.parent) == (name, parent)
        assert name.endswith(number)
        assert coordinate in arm.coordinates
        values = [words[cell] if cell in words else float(cell) for cell in row]
        keys = ("gamma_rad", "b_m", "alpha_rad", "d_m", "theta_rad", "r_m")
        for field, placed in denavit_hartenberg(**dict(zip(keys, values, strict=True))).items():
            np.testing.assert_allclose(getattr(body, field), placed, rtol=0, atol=1e-12)


def test_the_pendulums_sketch_has_its_angles_from_the_vertical(sketches: Any) -> None:
    angles = (0.5, 0.9, 0.3)
    (axes,) = sketches.pendulum_sketch(angles).axes
    links = np.diff(np.transpose(axes.lines[0].get_data()), axis=0)
    np.testing.assert_allclose(np.arctan2(links[:, 0], -links[:, 1]), angles, rtol=0, atol=1e-12)
    assert [arc.theta2 - arc.theta1 for arc in axes.patches if hasattr(arc, "theta1")] == pytest.approx(np.degrees(angles))
    assert all(len(set(line.get_xdata())) == 1 for line in axes.lines[1:])
    assert {"q_0", "q_1", "q_2", "a_x", "a_y"} <= {text.get_text() for text in axes.texts}


def test_the_free_body_has_its_four_wrenches(sketches: Any) -> None:
    (axes,) = sketches.segment_of_a_chain().axes
    assert {text.get_text() for text in axes.texts} >= {"F_i", "M_i", "-F_(i-1)", "-M_(i-1)", "m_i g"}
    arrows = [np.subtract(text.xy, text.get_position()) for text in axes.texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == 3
    assert arrows[-1] == pytest.approx([0, -0.45])


def test_cuffs_and_motor_of_the_worn_exoskeleton() -> None:
    """Pulls from both bars' and the limb's places by trigonometry; power from the law of the motor; energy from its integral."""
    parts = recipe("exoskeleton_cuffs")
    system, run = parts["walk"]()
    knees, forces, power = parts["draw"](system, run).axes
    q, t = {name: run.q[:, k] for k, name in enumerate(system.coordinates)}, run.t_s
    np.testing.assert_allclose(knees.lines[1].get_ydata(), np.degrees(q["limb knee"]), rtol=0, atol=1e-12)

    def place(hip: np.ndarray, knee: np.ndarray, thigh_m: float, along_m: float, across_m: float) -> np.ndarray:
        """Of a point of the shank (of the thigh, where the thigh has no length and the knee no angle): x + iy."""
        return np.exp(1j * hip) * (thigh_m + np.exp(1j * knee) * (along_m + 1j * across_m))

    still = np.zeros_like(t)
    thigh = place(q["hip"], still, 0, 0.2, 0.06) - place(q["limb hip"], still, 0, 0.2, 0)
    shank = place(q["hip"], q["knee"], 0.42, 0.2, 0.06) - place(q["limb hip"], q["limb knee"], 0.43, 0.2, 0)
    for line, gap in zip(forces.lines, (thigh, shank), strict=True):
        rate = np.gradient(np.abs(gap), t, edge_order=2)
        pull = 6000 * (np.abs(gap) - 0.06) + 60 * rate
        np.testing.assert_allclose(line.get_ydata()[20:], pull[20:], rtol=0, atol=0.05)  # differences at 5 ms, after the start
        assert 20 < np.abs(line.get_ydata()).max() < 100
    swing, rate = 0.25 * np.sin(2 * np.pi * t), 0.5 * np.pi * np.cos(2 * np.pi * t)
    crank = run.u[:, system.speed("crank")]
    drawn, dampers = (line.get_ydata() for line in power.lines)
    np.testing.assert_allclose(drawn, (60 * (swing - q["crank"] + q["crank"][0]) + 3 * (rate - crank)) * crank, rtol=0, atol=1e-9)
    assert drawn.max() > 5
    assert drawn.min() < -2
    assert dampers.max() <= 0
    work = np.trapezoid(drawn + dampers, t)
    assert work == pytest.approx(run.energy_J[-1] - run.energy_J[0], abs=0.01)
    assert run.energy_drift_J < 1e-10
    assert power.get_title() == f"energy less work: within {run.energy_drift_J:.0e} J"
