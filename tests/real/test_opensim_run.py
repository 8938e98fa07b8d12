"""``opensim-run`` on the setup files of OpenSim's own tools, beside what these wrote."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.multibody.musculoskeletal import MovingPoint, MusculoskeletalModel, OffsetFrame
from biomech_id.osim.document.model import read_marker_set, read_osim
from biomech_id.osim.document.setups import ScaleSetup, read_setup
from biomech_id.osim.run import coordinates_in, run_setup
from biomech_id.osim.scaling import with_model_markers, with_placed_markers
from biomech_id.readers.opensim.storage import read_storage
from biomech_id.readers.opensim.trc import read_trc

CASES = ("gait2392", "gait10dof18musc", "arm26", "rajagopal_walk")
#: Case -> setup that places markers.
PLACED = {"gait2392": "setup_scale.xml", "rajagopal_walk": "setup_marker_placer.xml"}


@pytest.fixture
def refs(shared_dir: Path) -> Path:
    return shared_dir / "opensim_refs"


@pytest.mark.parametrize("kind", ["raw", "filtered", "filtered_noloads"])
@pytest.mark.parametrize("case", CASES)
def test_inverse_dynamics_writes_the_tools_file(case: str, kind: str, refs: Path, tmp_path: Path) -> None:
    outcome = run_setup(refs / case / f"setup_id_{kind}.xml", tmp_path, compat=True)
    (written,) = outcome.written
    ours, theirs = read_storage(written), read_storage(refs / case / f"id_{kind}.sto")
    assert (ours.columns, ours.name) == (theirs.columns, theirs.name)
    np.testing.assert_array_equal(ours.time_s, theirs.time_s)
    assert np.abs(ours.values - theirs.values).max() < 1e-6


def test_without_compat_only_knees_that_roll_differ(refs: Path, tmp_path: Path) -> None:
    (written,) = run_setup(refs / "rajagopal_walk" / "setup_id_filtered.xml", tmp_path).written
    ours, theirs = read_storage(written), read_storage(refs / "rajagopal_walk" / "id_filtered.sto")
    apart = np.abs(ours.values - theirs.values).max()
    assert 0.1 < apart < 5.0


@pytest.mark.parametrize(
    ("force", "exit_code"),
    [
        ('<ElasticFoundationForce name="pad"></ElasticFoundationForce>', 3),
        ('<CoordinateLimitForce name="limit"><isDisabled>true</isDisabled></CoordinateLimitForce>', 0),
        ('<SpringGeneralizedForce name="spring"><coordinate>r_elbow_flex</coordinate></SpringGeneralizedForce>', 0),
    ],
)
def test_forces_that_would_act_in_opensim_are_named(force: str, exit_code: int, refs: Path, tmp_path: Path) -> None:
    for name in ("ik_1e-9.mot", "setup_id_raw.xml"):
        shutil.copy(refs / "arm26" / name, tmp_path)
    text = (refs / "arm26" / "arm26.osim").read_text(encoding="utf-8")
    head, mark, tail = text.partition('<Thelen2003Muscle name="TRIlong">')
    assert mark
    (tmp_path / "arm26.osim").write_text(head + force + mark + tail, encoding="utf-8")
    result = CliRunner().invoke(app, ["opensim-run", str(tmp_path / "setup_id_raw.xml")])
    assert result.exit_code == exit_code, result.output
    assert ("ElasticFoundationForce pad would act in OpenSim" in result.output) == (exit_code == 3)
    np.testing.assert_array_equal(
        read_storage(tmp_path / "id_raw.sto").values.shape, read_storage(refs / "arm26" / "id_raw.sto").values.shape
    )


def relative(a: object, b: object) -> float:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return float(np.abs(a - b).max() / np.abs(b).max()) if b.size and b.any() else float(np.abs(a - b).max(initial=0.0))


def frames_apart(a: OffsetFrame, b: OffsetFrame) -> float:
    assert a.body == b.body
    return float(np.abs(np.asarray(a.place_m) - np.asarray(b.place_m)).max())


def check_scaled(ours: MusculoskeletalModel, theirs: MusculoskeletalModel) -> None:
    at = np.linspace(-2.0, 2.0, 41)
    assert ours.name == theirs.name
    for a, b in zip(ours.bodies, theirs.bodies, strict=True):
        assert relative(a.mass_kg, b.mass_kg) < 1e-12
        assert relative(a.com_m, b.com_m) < 1e-12
        assert relative(a.inertia_kgm2, b.inertia_kgm2) < 1e-12
    for i, j in zip(ours.joints, theirs.joints, strict=True):
        assert max(frames_apart(i.parent, j.parent), frames_apart(i.child, j.child)) < 1e-12
        for p, q in zip(i.translations, j.translations, strict=True):
            assert relative(p.function.value(at), q.function.value(at)) < 1e-12
    for v, w in zip(ours.wrap_objects, theirs.wrap_objects, strict=True):
        assert frames_apart(v.frame, w.frame) < 1e-12
        assert relative(v.size_m, w.size_m) < 1e-12
    for m, n in zip(ours.muscles, theirs.muscles, strict=True):
        # Where two cylinders touch, the length follows OpenSim's to 0.02 mm only.
        bound = 1e-4 if len(m.wraps) > 1 else 1e-9
        assert relative(m.optimal_fibre_length_m, n.optimal_fibre_length_m) < bound
        assert relative(m.tendon_slack_length_m, n.tendon_slack_length_m) < bound
        for s, t in zip(m.points, n.points, strict=True):
            if isinstance(s, MovingPoint):
                assert isinstance(t, MovingPoint)
                assert all(relative(f.value(at), g.value(at)) < 1e-12 for f, g in zip(s.functions, t.functions, strict=True))
            else:
                assert relative(s.place_m, t.place_m) < 1e-12  # type: ignore[union-attr]


@pytest.mark.parametrize("case", PLACED)
def test_scaling_writes_the_tools_model(case: str, refs: Path, tmp_path: Path) -> None:
    outcome = run_setup(refs / case / "setup_scale.xml", tmp_path)
    assert {"scaled_only.osim", "scale_factors.xml", "scaled.osim", "static_pose.mot"} <= {p.name for p in outcome.written}
    ours, theirs = (read_osim(folder / "scaled_only.osim") for folder in (tmp_path, refs / case))
    check_scaled(ours, theirs)
    places = {marker.name: marker.place_m for marker in theirs.markers}
    assert max(relative(marker.place_m, places[marker.name]) for marker in ours.markers) < 1e-12
    assert len(places) == len(ours.markers)


@pytest.mark.parametrize("case", PLACED)
def test_markers_are_placed_as_the_tool_places_them_in_its_own_pose(case: str, refs: Path) -> None:
    """The tool's solver stops before its minimum, so that its pose is taken."""
    folder = refs / case
    setup = read_setup(folder / PLACED[case])
    assert isinstance(setup, ScaleSetup)
    assert setup.placer is not None
    assert setup.marker_set_file is not None
    model = with_model_markers(read_osim(folder / "scaled_only.osim", muscles=False), read_marker_set(setup.marker_set_file))
    pose = coordinates_in(read_storage(folder / "static_pose.mot"), model)
    q = np.array([pose[name][0] for name in model.coordinate_names])
    table, (start, end) = read_trc(setup.placer.pose.marker_file), setup.placer.pose.time_range_s
    mean = table.position_m[(table.time_s >= start) & (table.time_s <= end)].mean(axis=0)
    ours = with_placed_markers(model, q, dict(zip(table.names, mean, strict=True)))
    theirs = {marker.name: marker.place_m for marker in read_osim(folder / "scaled.osim", muscles=False).markers}
    assert {marker.name for marker in ours.markers} == set(theirs)
    assert max(np.abs(np.asarray(m.place_m) - np.asarray(theirs[m.name])).max() for m in ours.markers) < 1e-7


@pytest.mark.parametrize(("case", "bound_deg"), [("gait10dof18musc", 6e-5), ("arm26", 6e-5)])
def test_inverse_kinematics_writes_the_tools_motion(case: str, bound_deg: float, refs: Path, tmp_path: Path) -> None:
    (written, *_) = run_setup(refs / case / "setup_ik_1e-9.xml", tmp_path).written
    ours, theirs = read_storage(written), read_storage(refs / case / "ik_1e-9.mot")
    assert (ours.columns, ours.in_degrees) == (theirs.columns, True)
    np.testing.assert_allclose(ours.time_s, theirs.time_s, atol=1e-12)
    assert np.abs(ours.values - theirs.values).max() < bound_deg


def test_files_go_where_the_setup_says_and_replace_its_own_only(refs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "arm"
    folder.mkdir()
    for name in ("arm26.osim", "ik_1e-9.mot", "setup_id_raw.xml"):
        shutil.copy(refs / "arm26" / name, folder)
    (folder / "id_raw.sto").write_text("old", encoding="utf-8")
    refused = CliRunner().invoke(app, ["opensim-run", str(folder / "setup_id_raw.xml")])
    assert refused.exit_code == 1
    assert "id_raw.sto is there already" in refused.stderr
    assert (folder / "id_raw.sto").read_text(encoding="utf-8") == "old"
    (folder / "id_raw.sto").unlink()
    for _ in range(2):
        result = CliRunner().invoke(app, ["opensim-run", str(folder / "setup_id_raw.xml")])
        assert result.exit_code == 0, result.output
        assert len(read_storage(folder / "id_raw.sto").values) == 121
    assert sorted(p.name for p in folder.iterdir()) == ["arm26.osim", "id_raw.sto", "ik_1e-9.mot", "setup_id_raw.xml"]


@pytest.mark.parametrize(
    ("row", "column", "word", "said"),
    [
        (30, 1, "nan", "The coordinate r_shoulder_elev has no value at"),
        (30, 0, "inf", "The 121 times of the motion do not rise steadily."),
        (30, 0, "0.15000001", "s apart, but"),
        (30, 0, "0.1", "The 121 times of the motion do not rise steadily."),
    ],
)
def test_motions_with_holes_are_refused(row: int, column: int, word: str, said: str, refs: Path, tmp_path: Path) -> None:
    for name in ("arm26.osim", "setup_id_filtered.xml", "ik_1e-9.mot"):
        shutil.copy(refs / "arm26" / name, tmp_path)
    lines = (tmp_path / "ik_1e-9.mot").read_text(encoding="utf-8").splitlines()
    cells = lines[row].split("\t")
    cells[column] = word
    lines[row] = "\t".join(cells)
    (tmp_path / "ik_1e-9.mot").write_text("\n".join(lines), encoding="utf-8")
    result = CliRunner().invoke(app, ["opensim-run", str(tmp_path / "setup_id_filtered.xml")])
    assert result.exit_code == 1
    assert said in result.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("InverseDynamicsTool", "CMCTool"), "is the setup of a CMCTool, which is not supported"),
        (("InverseDynamicsTool", "Furniture"), "is no setup file of a tool"),
        (("<model_file>arm26.osim", "<model_file>gone.osim"), "gone.osim cannot be read"),
        (("<coordinates_file>ik_1e-9.mot", "<coordinates_file>"), "names no coordinates_file"),
        (("<time_range> 0 1", "<time_range> soon"), "The time_range of InverseDynamicsTool is 'soon'."),
    ],
)
def test_what_cannot_be_run_is_one_sentence(change: tuple[str, str], said: str, refs: Path, tmp_path: Path) -> None:
    text = (refs / "arm26" / "setup_id_raw.xml").read_text(encoding="utf-8")
    assert change[0] in text
    setup = tmp_path / "setup.xml"
    setup.write_text(text.replace(*change), encoding="utf-8")
    for name in ("arm26.osim", "ik_1e-9.mot"):
        shutil.copy(refs / "arm26" / name, tmp_path)
    result = CliRunner().invoke(app, ["opensim-run", str(setup), "-o", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert said in result.stderr
    assert not (tmp_path / "out").exists()
