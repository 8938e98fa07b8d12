"""The virtual subject's trunk, head and arms against the model, and its whole body against Newton.

The truth is made of momenta in closed form and shares no code with the model: what they agree in is right in both, or wrong in two
different ways that are equal to the last digit.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.upper_loads import solve_upper_body
from biomech_id.models.conventional.model import ConventionalModel
from biomech_id.sample import SampleTrial, Truth, write_c3d
from biomech_id.sample.truth import TrueUpperBody
from biomech_id.trial import Markers

CENTRE_MM, COM_MM, AXES = 1e-6, 0.01, 1e-9
#: N/kg, and N m/kg as for the legs (`test_textbook_mode`), which have no gate of forces: those of waist and neck gather every
#: acceleration of the body. What splines at 100 Hz lose of the legs' moments adds up at the neck, which gets twice as much.
FORCE_GATE, MOMENT_GATE, NECK = 5e-3, 2e-3, 2.0


@pytest.fixture(scope="module")
def session() -> tuple[ConventionalModel, SampleTrial]:
    person = bid.virtual_subject(upper_body=True, balanced=True)
    return bid.conventional_model(person.static().trial), person.walk()


def upper(truth: Truth) -> TrueUpperBody:
    assert truth.upper is not None
    return truth.upper


def loads_of(motion: BodyMotion, truth: Truth) -> JointLoads:
    known = np.ones(len(truth.time_s), dtype=bool)
    feet = {side: FootContact(side, truth.ground_force_lab_N[side], truth.ground_moment_lab_Nm[side], known) for side in "LR"}
    return solve_upper_body(motion, bid.solve(motion, feet))


def test_joints_axes_and_the_centre_of_mass_are_the_true_ones(session: tuple[ConventionalModel, SampleTrial]) -> None:
    model, walk = session
    motion, true = model.track(walk.trial), upper(walk.truth)
    assert model.calibration.upper.head_offset_rad == pytest.approx(true.head_offset_rad, abs=1e-12)
    assert motion.lacks == {}
    for joint, centre in true.joint_centres_lab_m.items():
        assert 1e3 * np.abs(motion.joint_centres_lab_m[joint] - centre).max() < CENTRE_MM, joint
    assert motion.whole is not None
    for part, R in true.R_lab_seg.items():
        assert np.abs(motion.whole.motions[part].frames.R_lab_seg - R).max() < AXES, part
        assert motion.whole.segments[part].mass_kg == pytest.approx(true.segment_mass_kg[part], rel=1e-12)
        np.testing.assert_allclose(motion.whole.segments[part].inertia_kgm2, true.segment_inertia_kgm2[part], atol=1e-12)
    assert 1e3 * np.abs(motion.whole.com_lab_m - true.com_lab_m).max() < COM_MM


def test_loads_of_arms_waist_and_neck_are_the_true_ones(session: tuple[ConventionalModel, SampleTrial]) -> None:
    model, walk = session
    true = upper(walk.truth)
    loads = loads_of(model.track(walk.trial), walk.truth)
    assert set(loads) == set(true.joint_force_lab_N)
    mass_kg = walk.trial.subject.mass_kg
    assert mass_kg is not None
    for key, load in loads.items():
        forces = (load.wrench.force_N, true.joint_force_lab_N[key], FORCE_GATE)
        moments = (load.wrench.moment_Nm, true.joint_moment_lab_Nm[key], MOMENT_GATE)
        for found, exact, gate in (forces, moments):
            error = np.abs(found - exact).max(axis=1) / mass_kg
            seen = np.flatnonzero(np.isfinite(error))
            assert len(seen) > 0.9 * len(error)
            assert error[seen].max() < gate * (NECK if key[1] == "neck" else 1.0), key


def test_the_neck_of_a_subject_in_balance_carries_the_head_and_nothing_else(session: tuple[ConventionalModel, SampleTrial]) -> None:
    """The chain runs from the feet to the head: what is left over there is what the head's own momentum asks for."""
    _, walk = session
    true, rate_hz = upper(walk.truth), walk.trial.rate_hz
    weight_N = true.segment_mass_kg["", "head"] * GRAVITY_M_S2
    mean_N = true.joint_force_lab_N["", "neck"].mean(axis=0)
    # The head goes on with the body: over whole strides its mean acceleration is small.
    assert mean_N[2] == pytest.approx(-weight_N, rel=0.15)
    assert rate_hz == 100.0


def test_the_residual_of_a_subject_in_balance_is_zero(session: tuple[ConventionalModel, SampleTrial]) -> None:
    _, walk = session
    true, truth = upper(walk.truth), walk.truth
    assert np.abs(true.residual_force_lab_N).max() < 1e-9
    assert np.abs(true.residual_moment_lab_Nm).max() < 1e-9
    # Independently: the rate of momentum by differences of the truth's own.
    mass_kg = walk.trial.subject.mass_kg
    assert mass_kg is not None
    floor_N = sum(truth.ground_force_lab_N.values()) - np.array([0.0, 0.0, mass_kg * GRAVITY_M_S2])
    rate_N = np.gradient(true.momentum_lab_kg_m_s, truth.time_s, axis=0)
    assert np.abs(rate_N - floor_N)[2:-2].max() < 0.03 * mass_kg * GRAVITY_M_S2
    np.testing.assert_allclose(true.momentum_lab_kg_m_s, mass_kg * np.gradient(true.com_lab_m, truth.time_s, axis=0), atol=0.5)


def test_without_balance_the_residual_is_what_the_floor_lacks() -> None:
    walk = bid.virtual_subject(upper_body=True).walk()
    bare = bid.virtual_subject().walk()
    weight_N = 72.0 * GRAVITY_M_S2
    residual_N = np.sqrt((upper(walk.truth).residual_force_lab_N ** 2).mean(axis=0))
    assert (residual_N < 0.35 * weight_N).all()
    assert residual_N.max() > 0.02 * weight_N
    # The legs and the floor do not know what is worn above them.
    for side in "LR":
        np.testing.assert_array_equal(walk.truth.ground_force_lab_N[side], bare.truth.ground_force_lab_N[side])
        np.testing.assert_array_equal(walk.truth.joint_moment_lab_Nm[side, "knee"], bare.truth.joint_moment_lab_Nm[side, "knee"])
    for name in bare.trial.markers.names:
        np.testing.assert_array_equal(walk.trial.markers[name], bare.trial.markers[name])


def test_noise_of_the_legs_does_not_change_with_what_is_worn_above_them() -> None:
    walks = [bid.virtual_subject(upper_body=worn, noise_m=5e-4).walk(duration_s=0.5).trial for worn in (False, True)]
    for name in walks[0].markers.names:
        np.testing.assert_array_equal(walks[0].markers[name], walks[1].markers[name])
    clean = bid.virtual_subject(upper_body=True).walk(duration_s=0.5).trial
    assert 2e-4 < float(np.std(walks[1].markers["LSHO"] - clean.markers["LSHO"])) < 8e-4


def test_half_a_body_is_no_special_case(session: tuple[ConventionalModel, SampleTrial]) -> None:
    """Markers that are missing leave out what needs them, and say so; everything else stays what it was."""
    model, walk = session
    whole = model.track(walk.trial)
    markers = walk.trial.markers
    for missing, gone in (
        ("LFIN", {("L", "humerus"), ("L", "radius"), ("L", "hand")}),
        ("T10", {("", "thorax"), *((side, name) for side in "LR" for name in ("humerus", "radius", "hand"))}),
        ("RBHD", {("", "head")}),
    ):
        kept = [name for name in markers.names if name != missing]
        position = np.stack([markers[name] for name in kept], axis=1)
        less = Markers(tuple(kept), position, markers.rate_hz)
        motion = model.track(walk.trial.after("taken off", markers=less))
        assert set(motion.lacks) == gone
        assert all(missing in words for words in motion.lacks.values())
        assert motion.whole is None
        loads = loads_of(motion, walk.truth)
        assert {key for key in loads if key[1] in ("wrist", "elbow", "shoulder")} == {
            (side, joint) for side in "LR" if (side, "hand") not in gone for joint in ("wrist", "elbow", "shoulder")
        }
        assert (("", "neck") in loads) is False
        for key, angles in motion.joint_angles_rad.items():
            np.testing.assert_array_equal(angles, whole.joint_angles_rad[key])


def test_from_a_file_the_centre_of_mass_is_within_a_hundredth_of_a_millimetre(tmp_path: Path) -> None:
    person = bid.virtual_subject(upper_body=True, body="child", direction="-X")
    for name, sample in (("static", person.static()), ("walk", walk := person.walk())):
        write_c3d(sample, tmp_path / f"{name}.c3d")
    result = bid.analyse(tmp_path, uncertainty=False).computed
    frames = result.frames("walk")
    com_mm = np.stack([frames[f"CentreOfMass.{axis}"] for axis in "XYZ"], axis=1)
    assert np.abs(com_mm - 1e3 * upper(walk.truth).com_lab_m).max() < COM_MM
    shoulder = np.stack([frames[f"LSJC.{axis}"] for axis in "XYZ"], axis=1)
    assert np.abs(shoulder - 1e3 * upper(walk.truth).joint_centres_lab_m["L", "shoulder"]).max() < COM_MM


def test_the_six_dof_model_wears_the_same_arms() -> None:
    person = bid.virtual_subject(upper_body=True, clusters=True)
    static, walk = person.static(), person.walk()
    motion = bid.six_dof_model(static.trial, markerset="plug-in-gait").track(walk.trial)
    true = upper(walk.truth)
    for joint in ("shoulder", "elbow", "wrist"):
        assert 1e3 * np.abs(motion.joint_centres_lab_m["R", joint] - true.joint_centres_lab_m["R", joint]).max() < CENTRE_MM
    conventional = bid.conventional_model(static.trial).track(walk.trial)
    for name in ("spine", "shoulder", "elbow"):
        np.testing.assert_allclose(
            motion.joint_angles_rad["L", name], conventional.joint_angles_rad["L", name], atol=np.deg2rad(1.0)
        )
    assert motion.whole is not None
