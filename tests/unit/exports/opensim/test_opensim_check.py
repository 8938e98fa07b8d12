"""What ``check-opensim`` finds in files that can be read and are wrong all the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biomech_id.errors import Finding, Severity
from biomech_id.exports.opensim.check import check_folder
from biomech_id.exports.opensim.loads import GroundLoad, ground_table, write_external_loads
from biomech_id.osim.document.writing import element, properties, write_document
from biomech_id.readers.opensim.storage import StorageTable
from biomech_id.readers.opensim.trc import MarkerTable
from biomech_id.writers.opensim_text import write_storage, write_trc

TIME_S = np.arange(5) / 100.0
TO_GROUND = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])


def rules(folder: Path) -> dict[str, Finding]:
    return {finding.rule: finding for finding in check_folder(folder)}


def markers(folder: Path, position_m: np.ndarray, first_frame: int = 1) -> None:
    names = tuple("ABC"[: position_m.shape[1]])
    write_trc(folder / "walk.trc", MarkerTable(names, position_m, 100.0, first_frame, TIME_S, "m"))


def test_markers_unseen_or_stored_as_zeros_and_a_frame_before_the_first(tmp_path: Path) -> None:
    position = 1.0 + 0.01 * np.arange(5)[:, None, None] + 0.3 * np.arange(3)[None, :, None] * np.ones((5, 3, 3))
    markers(tmp_path, position)
    assert rules(tmp_path) == {}
    position[:, 0] = np.nan
    position[2, 1] = 0.0
    markers(tmp_path, position, first_frame=0)
    found = rules(tmp_path)
    assert set(found) == {"opensim-marker-unseen", "opensim-marker-zero", "opensim-first-frame"}
    assert "never seen: A." in found["opensim-marker-unseen"].message
    assert found["opensim-marker-unseen"].severity is Severity.WARNING
    assert found["opensim-marker-zero"].message.startswith("1 positions")


def forces(folder: Path, upward_N: float) -> None:
    force = np.tile([10.0, 0.0, upward_N], (5, 1))
    load = GroundLoad("r", force, np.zeros((5, 3)))
    write_storage(folder / "grf.mot", ground_table("grf", TIME_S, (load,), TO_GROUND, floor_m=0.0, pressure_from_N=30.0))
    write_external_loads(folder / "loads.xml", "grf.mot", {"R": load})


def test_a_ground_that_pulls(tmp_path: Path) -> None:
    forces(tmp_path, 700.0)
    assert rules(tmp_path) == {}
    forces(tmp_path, -700.0)
    assert set(rules(tmp_path)) == {"opensim-force-down"}


def test_a_force_that_acts_on_nobody(tmp_path: Path) -> None:
    """Switched off, never named, or measured by plates in a table beside the one that OpenSim takes."""
    forces(tmp_path, 700.0)
    loads = tmp_path / "loads.xml"
    text = loads.read_text(encoding="utf-8")
    loads.write_text(text.replace("<appliesForce>true", "<appliesForce>false"), encoding="utf-8")
    found = rules(tmp_path)["opensim-force-lost"]
    assert found.severity is Severity.WARNING
    assert found.values == {"table": "grf.mot", "percent": 100.0, "lost_Ns": 35.0, "first_s": 0.0, "last_s": 0.04}
    loads.write_text(text, encoding="utf-8")
    force = np.tile([10.0, 0.0, 700.0], (5, 1))
    given, measured = GroundLoad("r", force * [[1], [1], [0], [0], [0]], np.zeros((5, 3))), GroundLoad("1", force, np.zeros((5, 3)))
    for word, load in (("grf", given), ("plates", measured)):
        table = ground_table(word, TIME_S, (load,), TO_GROUND, floor_m=0.0, pressure_from_N=30.0)
        write_storage(tmp_path / f"walk_{word}.mot", table)
    write_external_loads(tmp_path / "walk_loads.xml", "walk_grf.mot", {"R": given})
    found = rules(tmp_path)["opensim-force-lost"]
    assert (found.where, found.values["table"]) == ("walk_loads.xml", "walk_plates.mot")
    assert found.values["percent"] == 60.0
    assert (found.values["first_s"], found.values["last_s"]) == (0.02, 0.04)


def angles(folder: Path, name: str) -> None:
    values = np.ones((5, 2))
    values[3] = np.nan
    write_storage(folder / name, StorageTable("angles", ("hip_flexion_r", "knee_angle_r"), TIME_S, values, True))


def test_numbers_may_be_missing_where_nobody_computes_with_them(tmp_path: Path) -> None:
    """Angles of a marker that was not seen are a result; as the coordinates of a setup they would make every moment NaN."""
    angles(tmp_path, "walk_joint_angles.mot")
    angles(tmp_path, "walk_inverse_dynamics.sto")
    assert rules(tmp_path) == {}
    tool = element("InverseDynamicsTool", *properties(coordinates_file="walk_coordinates.mot"), name="walk")
    write_document(tmp_path / "setup.xml", tool)
    angles(tmp_path, "walk_coordinates.mot")
    (found,) = check_folder(tmp_path)
    assert (found.rule, found.where) == ("opensim-nan", "walk_coordinates.mot")
    assert "2 values are not numbers, in hip_flexion_r, knee_angle_r." in found.message


def test_a_gap_in_time(tmp_path: Path) -> None:
    write_storage(tmp_path / "x.sto", StorageTable("x", ("a",), np.array([0.0, 0.01, 0.02, 0.2]), np.ones((4, 1))))
    (found,) = check_folder(tmp_path)
    assert "gap of 0.18 s" in found.message
