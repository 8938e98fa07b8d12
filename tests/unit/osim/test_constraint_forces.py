"""What constraints of a model carry in a motion: wrenches on bodies beside drives, what is open, and what cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import BiomechError
from biomech_id.multibody.joints import PolynomialFunction
from biomech_id.multibody.musculoskeletal import CoordinateCoupling, MusculoskeletalModel
from biomech_id.osim.dynamics.constraint_forces import constraint_forces
from biomech_id.osim.dynamics.external_loads import BodyLoad
from biomech_id.osim.dynamics.inverse_dynamics import generalized_forces
from biomech_id.osim.run import run_setup
from biomech_id.osim.skeleton.closing import Closing
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.readers.opensim.storage import read_storage
from tests.peers.chain_documents import chain_document
from tests.peers.constraint_documents import (
    CHAIN,
    COUNT,
    ID_SETUP,
    UNDRIVEN,
    model_of,
    tied_document,
    tied_motion,
    write_motion,
)

TIME_S = np.linspace(0.0, 1.0, 11)


def in_motion(model: MusculoskeletalModel) -> tuple[Skeleton, tuple[FloatArray, FloatArray, FloatArray], FloatArray]:
    """Coordinates that keep the constraints, any rates, and the moments of the open tree."""
    skeleton, rng = Skeleton(model), np.random.default_rng(7)
    q = tied_motion(model, TIME_S) if model.constraints else rng.uniform(-0.5, 0.5, (len(TIME_S), COUNT))
    motion = (skeleton.completed(q), rng.uniform(-1.0, 1.0, q.shape), rng.uniform(-1.0, 1.0, q.shape))
    return skeleton, motion, generalized_forces(skeleton, *motion).tau


@pytest.mark.parametrize("kind", UNDRIVEN)
def test_with_its_forces_as_loads_drives_are_what_is_left(kind: str) -> None:
    skeleton, motion, tau = in_motion(model_of(tied_document(kind)))
    shared = constraint_forces(skeleton, motion[0], tau, UNDRIVEN[kind])
    idle = [skeleton.model.index(name) for name in UNDRIVEN[kind]]
    assert (shared.drives[:, idle] == 0.0).all()
    assert shared.undetermined == ()
    pose, loads = skeleton.pose(motion[0]), []
    for first in (0, 6):
        body = shared.columns[first].split("_")[1]
        force, moment = shared.values[:, first : first + 3], shared.values[:, first + 3 : first + 6]
        origin = pose.origin_m[:, skeleton.body_index(body)]
        loads.append(BodyLoad(body, force, moment + np.cross(origin, force)))
    np.testing.assert_allclose(generalized_forces(skeleton, *motion, loads).tau, shared.drives, atol=1e-8)
    assert np.abs(tau - shared.drives).max() > 1.0


def test_a_coupler_hands_its_moment_to_what_leads() -> None:
    model = model_of(chain_document(CHAIN, 3))
    follows = CoordinateCoupling("cam", "q3_0", "q2_0", PolynomialFunction((0.1, 0.4, 0.3)))
    skeleton, (q, *_), tau = in_motion(replace(model, couplings=(follows,)))
    shared = constraint_forces(skeleton, q, tau)
    led, leads = model.index("q3_0"), model.index("q2_0")
    slope = 0.4 + 0.6 * q[:, leads]
    assert shared.columns == ("cam_q2_0_moment", "cam_q3_0_moment")
    np.testing.assert_allclose(shared.values, np.column_stack([-slope * tau[:, led], tau[:, led]]), atol=1e-12)
    np.testing.assert_allclose(shared.drives[:, leads], tau[:, leads] + slope * tau[:, led], atol=1e-12)
    assert (shared.drives[:, led] == 0.0).all()


def test_what_is_open_is_nan() -> None:
    skeleton, (q, *_), tau = in_motion(model_of(tied_document("point")))
    all_driven = constraint_forces(skeleton, q, tau)
    assert np.isnan(all_driven.values).all()
    assert all_driven.undetermined == ("tie",)
    # Where the tie's bodies hang is no matter of the tie.
    outside = [skeleton.model.index(name) for name in ("q0_0", "q0_1", "q0_2")]
    np.testing.assert_array_equal(np.isfinite(all_driven.drives), np.isin(np.arange(COUNT), outside)[None].repeat(len(q), 0))
    np.testing.assert_allclose(all_driven.drives[:, outside], tau[:, outside], atol=1e-9)
    # A second tie of the same points may take over any of its force, and changes no drive.
    (tie,) = skeleton.model.constraints
    twice = Skeleton(replace(skeleton.model, constraints=(tie, replace(tie, name="again"))))
    both, alone = (constraint_forces(each, q, tau, UNDRIVEN["point"]) for each in (twice, skeleton))
    np.testing.assert_allclose(both.drives, alone.drives, atol=1e-8)
    assert both.undetermined == ("tie", "again")
    assert np.isnan(both.values).all()


@pytest.mark.parametrize("off", [np.nan, 1.0])
def test_a_frame_without_a_pose_that_keeps_them_is_nan(off: float) -> None:
    text = tied_document("distance")
    text = text if np.isnan(off) else text.replace("<constant_distance>", "<constant_distance>9")
    skeleton, (q, *_), tau = in_motion(model_of(tied_document("distance")))
    q[3, 2] *= off
    shared = constraint_forces(Skeleton(model_of(text)), q, tau, UNDRIVEN["distance"])
    without = np.asarray(np.isnan(shared.values).all(axis=1))
    assert without[3]
    assert without.all() == (off == 1.0)
    assert np.isnan(np.delete(shared.drives, skeleton.model.index(UNDRIVEN["distance"][0]), axis=1)[without]).all()
    assert np.isfinite(shared.values[~without]).all()
    assert (shared.closed == ~without).all()
    assert shared.undetermined == ()


@pytest.mark.parametrize(
    ("open_frames", "said"),
    [
        ([3], "In 1 of 11 frames no pose keeps the constraints: their rows are empty."),
        (range(11), "in none of 11 frames a pose keeps the constraints, and what they carry is not known."),
    ],
)
def test_frames_without_a_pose_are_counted(
    open_frames: Sequence[int], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.osim").write_text(tied_document("distance"), encoding="utf-8")
    skeleton, (q, *_), _ = in_motion(model_of(tied_document("distance")))
    (tmp_path / "id.xml").write_text(ID_SETUP, encoding="utf-8")
    write_motion(tmp_path / "motion.sto", skeleton.coordinates, TIME_S, q)
    closed = ~np.isin(np.arange(len(q)), open_frames)
    monkeypatch.setattr(Closing, "closed", lambda _, q, *__: (q, closed))
    outcome = run_setup(tmp_path / "id.xml", tmp_path / "out", undriven=UNDRIVEN["distance"])
    assert outcome.remarks[-1].endswith(said)
    assert not any("--undriven" in remark for remark in outcome.remarks)
    assert len(outcome.written) == 1 + closed.any()
    assert not closed.any() or (np.isnan(read_storage(outcome.written[1]).values).all(axis=1) == ~closed).all()


@pytest.mark.parametrize(
    ("undriven", "said"),
    [
        (("q0_1",), "without a drive, in 11 of 11 frames, frame 0 the first: q0_1."),
        (("q2_0", "q2_1", "q3_0", "q4_1"), "The constraints of chain do not carry .* frame 0 the first: q2_0, q2_1, q3_0, q4_1."),
        (("q9",), "has no coordinate 'q9'"),
    ],
)
def test_what_no_constraint_carries_is_refused(undriven: tuple[str, ...], said: str) -> None:
    skeleton, (q, *_), tau = in_motion(model_of(tied_document("point")))
    # A motion that hardly keeps the tie, in which it all but holds what is not in the loop, is no way around that.
    for motion in (q, q + 1e-3):
        with pytest.raises(BiomechError, match=said):
            constraint_forces(skeleton, motion, tau, undriven)


def test_a_setup_writes_them_where_they_are_determined(tmp_path: Path) -> None:
    (tmp_path / "model.osim").write_text(tied_document("weld"), encoding="utf-8")
    skeleton, (q, *_), _ = in_motion(model_of(tied_document("weld")))
    write_motion(tmp_path / "motion.sto", skeleton.coordinates, TIME_S, q)
    (tmp_path / "id.xml").write_text(ID_SETUP, encoding="utf-8")
    outcome = run_setup(tmp_path / "id.xml", tmp_path / "open")
    assert [path.name for path in outcome.written] == ["id.sto"]
    assert any("what the constraints tie carry of them depends" in remark and "q4_1" in remark for remark in outcome.remarks)
    with pytest.raises(BiomechError, match=r"frame 0 the first: q0_0\."):
        run_setup(tmp_path / "id.xml", tmp_path / "none", undriven=("q0_0",))
    assert [path.name for path in (tmp_path / "none").iterdir()] == ["id.sto"]
    outcome = run_setup(tmp_path / "id.xml", tmp_path / "shared", undriven=UNDRIVEN["weld"])
    assert [path.name for path in outcome.written] == ["id.sto", "id_constraint_forces.sto"]
    moments, table = (read_storage(path) for path in outcome.written)
    expected = constraint_forces(skeleton, q, moments.values, UNDRIVEN["weld"])
    assert table.columns == (*moments.columns, *expected.columns)
    np.testing.assert_allclose(table.values, np.hstack([expected.drives, expected.values]), atol=1e-6)
    pose = "<model_file>model.osim</model_file><marker_file>a.trc</marker_file><output_motion_file>ik.mot</output_motion_file>"
    (tmp_path / "ik.xml").write_text(
        f'<OpenSimDocument Version="40500"><InverseKinematicsTool name="ik">{pose}</InverseKinematicsTool></OpenSimDocument>'
    )
    with pytest.raises(BiomechError, match="computes no moments"):
        run_setup(tmp_path / "ik.xml", tmp_path / "pose", undriven=("q0_0",))
