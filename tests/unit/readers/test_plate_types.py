"""Plates of every type against one truth: a force applied at a known point of the floor, written as each type stores it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from c3d_builder import C3D, CORNERS_MM, FRAMES, RATIO, healthy

from biomech_id.readers import read_c3d, read_recording

N = FRAMES * RATIO
#: What acts on the subject: force (N), point of application (m, from the plate's centre), free moment (N m); laboratory axes.
FORCE_N = np.array([30.0, -20.0, 650.0])
POINT_M = np.array([0.12, -0.07, 0.0])
FREE_MOMENT_NM = np.array([0.0, 0.0, 4.0])
MOMENT_NM = np.cross(POINT_M, FORCE_N) + FREE_MOMENT_NM
#: The builder's plate: x along the laboratory's, y and z against.
R_LAB_PLATE = np.diag([1.0, -1.0, -1.0])
DEPTH_MM = 40.0


def stored_by_type(kind: int) -> tuple[np.ndarray, dict[str, object]]:
    """One sample of the channels, and what the FORCE_PLATFORM group says of them. Written from the user guide's definitions."""
    force, moment = R_LAB_PLATE.T @ FORCE_N, R_LAB_PLATE.T @ MOMENT_NM * 1000.0
    if kind == 1:
        point = R_LAB_PLATE.T @ POINT_M * 1000.0
        return np.array([*force, point[0], point[1], (R_LAB_PLATE.T @ FREE_MOMENT_NM)[2] * 1000.0]), {}
    # From the surface centre down to the sensors' origin is +DEPTH along the plate's z.
    below = np.array([0.0, 0.0, DEPTH_MM])
    at_sensors = moment - np.cross(below, force)
    origin = {"ORIGIN": [[0.0, 0.0, -DEPTH_MM]]}
    if kind == 2:
        return np.array([*force, *at_sensors]), origin
    if kind == 4:
        matrix = np.array([[2.0, 0.1, 0, 0, 0, 0], [0, 3.0, 0, 0, 2e-4, 0], [0, 0, 1.5, 0, 0, 0]] + np.eye(6)[3:].tolist())
        matrix[3, 0], matrix[5, 4] = 0.3, -0.4
        # A C3D matrix is stored column by column.
        return np.linalg.solve(matrix, [*force, *at_sensors]), origin | {"CAL_MATRIX": [matrix.T.tolist()]}
    a, b = 200.0, 120.0
    z = np.linalg.solve(
        [[1, 1, 1, 1], [b, b, -b, -b], [-a, a, a, -a], [1, -1, 1, -1]], [force[2], at_sensors[0], at_sensors[1], 0.0]
    )
    # Mz = b (-x12 + x34) + a (y14 - y23), with y split evenly.
    half_difference = at_sensors[2] / (2 * b)
    x12, x34 = force[0] / 2 - half_difference, force[0] / 2 + half_difference
    return np.array([x12, x34, force[1] / 2, force[1] / 2, *z]), {"ORIGIN": [[a, b, -DEPTH_MM]]}


def standing(kind: int) -> C3D:
    """The healthy file with a constant load on a plate of another type."""
    file = healthy()
    sample, described = stored_by_type(kind)
    channels = len(sample)
    file.analog = np.tile(sample, (N, 1))
    file.groups["FORCE_PLATFORM"] |= {"TYPE": [kind], "CHANNEL": [list(range(1, channels + 1))], **described}
    units = ["N"] * channels if kind == 3 else file.groups["ANALOG"]["UNITS"]
    file.groups["ANALOG"] |= {
        "USED": channels, "SCALE": [1.0] * channels, "OFFSET": [0] * channels, "UNITS": units,
        "LABELS": [f"C{i}" for i in range(channels)],
    }  # fmt: skip
    return file


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_force_and_moment_about_the_surface_centre(kind: int, tmp_path: Path) -> None:
    plate = read_c3d(standing(kind).write(tmp_path / "p.c3d"), trust=True).plates[0]
    # float32 of numbers up to 8e4 N mm: 4e-6 N m after the sums.
    np.testing.assert_allclose(plate.force_lab_N[0], FORCE_N, atol=1e-4)
    np.testing.assert_allclose(plate.moment_lab_Nm[0], MOMENT_NM, atol=5e-5)
    assert (plate.kind, plate.sign) == (kind, "reaction")
    np.testing.assert_allclose(plate.centre_m, np.mean(CORNERS_MM, axis=0) / 1000.0, atol=1e-9)


@pytest.mark.parametrize("kind", [2, 4])
def test_an_origin_above_the_surface_is_turned_below(kind: int, tmp_path: Path) -> None:
    file = standing(kind)
    file.groups["FORCE_PLATFORM"]["ORIGIN"] = [[0.0, 0.0, DEPTH_MM]]
    plate = read_c3d(file.write(tmp_path / "p.c3d"), trust=True).plates[0]
    np.testing.assert_allclose(plate.moment_lab_Nm[0], MOMENT_NM, atol=5e-5)


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_a_plate_that_stores_the_applied_force_is_turned_whole(kind: int, tmp_path: Path) -> None:
    file = standing(kind)
    file.analog = -file.analog
    recording = read_recording(file.write(tmp_path / "p.c3d"), trust=True)
    plate = recording.trial.plates[0]
    assert plate.sign == "applied"
    np.testing.assert_allclose(plate.force_lab_N[0], FORCE_N, atol=1e-4)
    np.testing.assert_allclose(plate.moment_lab_Nm[0], MOMENT_NM, atol=5e-5)
    assert recording.facts.plates[0].lowest_vertical_N == pytest.approx(-FORCE_N[2], abs=1e-3)


def test_eight_forces_without_the_sensors_places_give_no_moment(tmp_path: Path) -> None:
    """ORIGIN of zero: the force is known and shown, but a load at the plate's centre would be an invention."""
    file = standing(3)
    file.groups["FORCE_PLATFORM"]["ORIGIN"] = [[0.0, 0.0, 0.0]]
    recording = read_recording(file.write(tmp_path / "p.c3d"), trust=True)
    assert recording.trial.plates == ()
    (facts,) = recording.facts.plates
    assert (facts.kind, facts.sign) == (3, "reaction")
    assert facts.peak_vertical_N == pytest.approx(FORCE_N[2], abs=1e-3)
    assert "moments are unknown" in str(facts.problem)
    assert [f.rule for f in recording.trial.findings if "moments are unknown" in f.message] == ["plate-broken"]


def test_moments_stated_in_newton_metres(tmp_path: Path) -> None:
    file = standing(2)
    file.analog[:, 3:] /= 1000.0
    file.groups["ANALOG"]["UNITS"] = ["N", "N", "N", "Nm", "Nm", "Nm"]
    trial = read_c3d(file.write(tmp_path / "p.c3d"), trust=True)
    np.testing.assert_allclose(trial.plates[0].moment_lab_Nm[0], MOMENT_NM, atol=5e-5)
    assert "plate-moment-unit" not in {finding.rule for finding in trial.findings}


def test_plates_in_any_orientation(tmp_path: Path) -> None:
    """Turned by 30 deg and moved: the stored signals stay, force and moment turn with the plate."""
    angle = np.radians(30.0)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    file = standing(2)
    file.groups["FORCE_PLATFORM"]["CORNERS"] = [(np.array(CORNERS_MM) @ turn.T + [400.0, 300.0, -12.0]).tolist()]
    plate = read_c3d(file.write(tmp_path / "p.c3d"), trust=True).plates[0]
    np.testing.assert_allclose(plate.force_lab_N[0], turn @ FORCE_N, atol=1e-4)
    np.testing.assert_allclose(plate.moment_lab_Nm[0], turn @ MOMENT_NM, atol=5e-5)
    np.testing.assert_allclose(plate.centre_m, [0.4, 0.3, -0.012], atol=1e-7)


BASELINE = np.array([2.0, -1.0, -15.0, 300.0, -700.0, 50.0])


def test_a_baseline_is_measured_where_nobody_is_near(tmp_path: Path) -> None:
    clean = read_c3d(healthy().write(tmp_path / "clean.c3d"), trust=True).plates[0]
    file = healthy()
    file.analog = file.analog + BASELINE
    trial = read_c3d(file.write(tmp_path / "p.c3d"), trust=True)
    plate = trial.plates[0]
    np.testing.assert_allclose(plate.baseline_N, R_LAB_PLATE @ BASELINE[:3], atol=1e-4)
    np.testing.assert_allclose(plate.force_lab_N, clean.force_lab_N, atol=1e-3)
    np.testing.assert_allclose(plate.moment_lab_Nm, clean.moment_lab_Nm, atol=1e-3)
    assert any("baseline of" in str(step) for step in plate.history)


def test_no_baseline_is_taken_from_somebody_who_stands_there(tmp_path: Path) -> None:
    """ZERO names the first ten frames, and the plate is loaded in them: nothing may be subtracted."""
    file = standing(2)
    file.points[..., 0] -= file.points[:, :1, 0]  # the body stays over the plate
    file.groups["FORCE_PLATFORM"]["ZERO"] = [1, 10]
    plate = read_c3d(file.write(tmp_path / "p.c3d"), trust=True).plates[0]
    assert plate.baseline_N is not None
    assert not plate.baseline_N.any()
    np.testing.assert_allclose(plate.force_lab_N[0], FORCE_N, atol=1e-4)


def test_a_hand_on_a_rail_is_no_baseline(tmp_path: Path) -> None:
    """Somebody stands over the plate and loads it with 30 N only: small as it is, it is a load and stays."""
    file = standing(2)
    file.points[..., 0] -= file.points[:, :1, 0]
    file.analog *= 30.0 / FORCE_N[2]
    plate = read_c3d(file.write(tmp_path / "p.c3d"), trust=True).plates[0]
    assert plate.baseline_N is not None
    assert not plate.baseline_N.any()
    np.testing.assert_allclose(plate.force_lab_N[0], FORCE_N * 30.0 / FORCE_N[2], atol=1e-4)


def test_no_baseline_is_taken_while_feet_are_unseen(tmp_path: Path) -> None:
    file = healthy()
    file.analog = file.analog + BASELINE
    for name in ("LHEE", "LTOE", "LANK", "RANK", "RHEE", "RTOE", "LTIB", "RTIB"):
        column = file.labels().index(name)
        file.points[[i for i in range(FRAMES) if i != 50], column, 3] = -1.0
    plate = read_c3d(file.write(tmp_path / "p.c3d"), trust=True).plates[0]
    assert plate.baseline_N is not None
    assert not plate.baseline_N.any(), "a foot nobody sees may stand anywhere"
