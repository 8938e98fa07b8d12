"""Scaling and marker placement beside OpenSim's scale tool, run here, where its given outputs do not show its rules."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.osim.document.model import read_osim
from biomech_id.osim.run import coordinates_in, run_setup, standing_places
from biomech_id.osim.scaling import with_placed_markers
from biomech_id.readers.opensim.storage import read_storage
from biomech_id.readers.opensim.trc import read_trc

osim: Any = pytest.importorskip("opensim", reason="needs the opensim wheel: pip install 'biomech-id[peers]'")
osim.Logger.setLevelString("error")

FILES = ("gait2392_thelen2003muscle.osim", "gait2392_Scale_MarkerSet.xml", "subject01_static.trc", "setup_scale.xml")
#: A femur with products of inertia, so that what becomes of them is seen.
SKEWED = '<Body name="femur_r">', "<inertia>0.1412 0.0351 0.1489 0.01 0.02 0.003</inertia>"


def folder_with(tmp_path: Path, refs: Path, changes: dict[str, str]) -> Path:
    for name in FILES:
        shutil.copy(refs / "gait2392" / name, tmp_path)
    model = tmp_path / FILES[0]
    head, body, tail = model.read_text(encoding="utf-8").partition(SKEWED[0])
    model.write_text(head + body + re.sub(r"<inertia>.*?</inertia>", SKEWED[1], tail, count=1), encoding="utf-8")
    setup = tmp_path / "setup_scale.xml"
    text = setup.read_text(encoding="utf-8")
    for old, new in changes.items():
        text, n = re.subn(old, new, text, flags=re.S)
        assert n, old
    setup.write_text(text, encoding="utf-8")
    return setup


def run_tool(setup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenSim's tool finds its files from where it runs."""
    monkeypatch.chdir(setup.parent)
    osim.ScaleTool(setup.name).run()
    assert (setup.parent / "scaled_only.osim").is_file()


def places_apart(a: Path, b: Path) -> float:
    ours, theirs = (read_osim(path, muscles=False) for path in (a, b))
    at = {marker.name: np.asarray(marker.place_m) for marker in theirs.markers}
    assert set(at) == {marker.name for marker in ours.markers}
    return max(float(np.abs(np.asarray(m.place_m) - at[m.name]).max()) for m in ours.markers)


@pytest.mark.parametrize("keep", ["true", "false"])
@pytest.mark.parametrize("span", ["1.0 1.01", "1.012 1.03", "-1 100"])
def test_bodies_of_uneven_factors_over_odd_ranges(
    keep: str, span: str, shared_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = {
        r"1.14724000       1.14724000       1.14724000": "1.1 1.2 0.9",
        r"<preserve_mass_distribution>.*?</preserve": f"<preserve_mass_distribution>{keep}</preserve",
        r"<time_range>.*?</time_range>": f"<time_range>{span}</time_range>",
        r"<MarkerPlacer.*</MarkerPlacer>": "<MarkerPlacer><apply>false</apply></MarkerPlacer>",
    }
    setup = folder_with(tmp_path, shared_dir / "opensim_refs", changes)
    run_setup(setup, tmp_path / "ours")
    run_tool(setup, monkeypatch)
    ours, theirs = (read_osim(path / "scaled_only.osim") for path in (tmp_path / "ours", tmp_path))
    for a, b in zip(ours.bodies, theirs.bodies, strict=True):
        assert a.mass_kg == pytest.approx(b.mass_kg, rel=1e-12)
        np.testing.assert_allclose(a.com_m, b.com_m, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(a.inertia_kgm2, b.inertia_kgm2, rtol=1e-12, atol=1e-15)
    for m, n in zip(ours.muscles, theirs.muscles, strict=True):
        assert m.optimal_fibre_length_m == pytest.approx(n.optimal_fibre_length_m, rel=1e-11)
    assert places_apart(tmp_path / "ours" / "scaled_only.osim", tmp_path / "scaled_only.osim") < 1e-14


@pytest.mark.parametrize("span", ["1.012 1.03", "1.0 1.01"])
def test_markers_placed_over_odd_ranges_in_the_tools_pose(
    span: str, shared_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = folder_with(
        tmp_path, shared_dir / "opensim_refs", {r"<time_range>.*?</time_range>": f"<time_range>{span}</time_range>"}
    )
    run_tool(setup, monkeypatch)
    scaled = read_osim(tmp_path / "scaled_only.osim", muscles=False)
    pose = coordinates_in(read_storage(tmp_path / "static_pose.mot"), scaled)
    q = np.array([pose[name][0] for name in scaled.coordinate_names])
    start, end = map(float, span.split())
    ours = with_placed_markers(scaled, q, standing_places(read_trc(tmp_path / "subject01_static.trc"), (start, end)))
    theirs = {m.name: np.asarray(m.place_m) for m in read_osim(tmp_path / "scaled.osim", muscles=False).markers}
    assert max(np.abs(np.asarray(m.place_m) - theirs[m.name]).max() for m in ours.markers) < 1e-7


def test_a_scaled_model_opens_and_moves_in_opensim(shared_dir: Path, tmp_path: Path) -> None:
    refs = shared_dir / "opensim_refs" / "rajagopal_walk"
    run_setup(refs / "setup_scale.xml", tmp_path)
    models = [osim.Model(str(folder / "scaled_only.osim")) for folder in (tmp_path, refs)]
    states = [model.initSystem() for model in models]
    assert models[0].getTotalMass(states[0]) == pytest.approx(models[1].getTotalMass(states[1]), rel=1e-12)
    for k in range(models[0].getMuscles().getSize()):
        ours, theirs = (model.getMuscles().get(k).getLength(state) for model, state in zip(models, states, strict=True))
        assert ours == pytest.approx(theirs, abs=1e-9)


OLD = """<OpenSimDocument Version="30000"><Model name="toe"><BodySet><objects><Body name="ground"/><Body name="toes"><mass>1</mass>
<mass_center>0 0 0</mass_center><inertia_xx>0.0123456789</inertia_xx><inertia_yy>0.01</inertia_yy><inertia_zz>0.02</inertia_zz>
<Joint><PinJoint name="mtp"><parent_body>ground</parent_body><location_in_parent>0.123456789 0 0</location_in_parent>
<orientation_in_parent>-3.14159265 0.61990100123 0</orientation_in_parent><location>0 0.987654321 0</location>
<orientation>1.570796326794 0 0</orientation><CoordinateSet><objects><Coordinate name="bend"><default_value>0.3</default_value>
</Coordinate></objects></CoordinateSet></PinJoint></Joint></Body></objects></BodySet><MarkerSet><objects><Marker name="tip">
<body>toes</body><location>0.1234567891 0.2 0.3</location></Marker></objects></MarkerSet></Model></OpenSimDocument>"""


def test_opensim_rounds_joints_of_old_files_and_so_do_we_when_asked(tmp_path: Path) -> None:
    from biomech_id.osim.skeleton.skeleton import Skeleton

    path = tmp_path / "toe.osim"
    path.write_text(OLD, encoding="utf-8")
    model = osim.Model(str(path))
    state = model.initSystem()
    model.realizePosition(state)
    place = model.getMarkerSet().get(0).getLocationInGround(state)
    theirs = np.array([place.get(i) for i in range(3)])
    rounded, written = (Skeleton(read_osim(path, compat=compat)) for compat in (True, False))
    q = rounded.default_q()[None]
    np.testing.assert_allclose(rounded.markers(q)[0, 0], theirs, atol=1e-14)
    apart = np.abs(written.markers(q)[0, 0] - theirs).max()
    assert 1e-7 < apart < 1e-5
    assert rounded.model.bodies[0].inertia_kgm2[0, 0] == model.getBodySet().get(0).get_inertia().get(0)


def test_opensim_reads_what_opensim_run_writes(tmp_path: Path, shared_dir: Path) -> None:
    """The line that tells whose a file is stands in none of its ways."""
    refs = shared_dir / "opensim_refs"
    for setup in (refs / "gait2392" / "setup_scale.xml", refs / "arm26" / "setup_ik_1e-9.xml", refs / "arm26" / "setup_id_raw.xml"):
        for path in run_setup(setup, tmp_path).written:
            assert "written by biomech-id opensim-run" in path.read_text(encoding="utf-8")
            if path.suffix == ".osim":
                assert osim.Model(str(path)).getMarkerSet().getSize() == len(read_osim(path).markers)
            elif path.suffix == ".xml":
                assert len(osim.ScaleSet(str(path)).dump()) > 0 if "scale" in path.name else osim.MarkerSet(str(path)).getSize() > 0
            else:
                table, ours = osim.TimeSeriesTable(str(path)), read_storage(path)
                assert (table.getNumRows(), table.getNumColumns()) == ours.values.shape
                assert osim.Storage(str(path)).isInDegrees() is ours.in_degrees
