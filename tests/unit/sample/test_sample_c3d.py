"""C3D files of the virtual subject, read back by ezc3d alone."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.errors import OutputError
from biomech_id.readers import read_c3d
from biomech_id.sample import SampleTrial, virtual_subject, write_c3d, write_subject
from biomech_id.sample.c3d import write_trial
from biomech_id.sample.write import INDEX, write_index
from biomech_id.trial import Markers, Trial

ezc3d = pytest.importorskip("ezc3d")
DATA = Path(__file__).resolve().parents[3] / "data"
#: float32 holds 24 bits: positions of up to 4000 mm to 0.25 um, moments of up to 4e5 N mm to 0.02 N mm.
POSITION_MM, FORCE_N, MOMENT_NMM = 2.5e-4, 1e-4, 0.05


@pytest.fixture(scope="module")
def walk() -> SampleTrial:
    return virtual_subject(plates="types").walk(first_frame=287, gaps=(("LTOE", 300, 310),))


@pytest.fixture(scope="module")
def path(walk: SampleTrial, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_c3d(walk, tmp_path_factory.mktemp("c3d") / "walk.c3d", model_outputs=True, unlabelled=240)


@pytest.fixture(scope="module")
def written(path: Path) -> Any:
    return ezc3d.c3d(str(path), extract_forceplat_data=True)


def _labels(c3d: Any) -> list[str]:
    point = c3d["parameters"]["POINT"]
    return [*point["LABELS"]["value"], *point["LABELS2"]["value"]]


def test_markers_survive(walk: SampleTrial, written: Any) -> None:
    labels = _labels(written)
    assert len(labels) > 255
    assert len(written["parameters"]["POINT"]["LABELS"]["value"]) == 255
    for name in walk.trial.markers.names:
        stored = written["data"]["points"][:3, labels.index(name), :].T
        np.testing.assert_allclose(stored, walk.trial.markers[name] * 1000, atol=POSITION_MM, equal_nan=True)
    gap = np.isnan(written["data"]["points"][0, labels.index("LTOE"), :])
    assert np.array_equal(np.flatnonzero(gap) + 287, np.arange(300, 311))


def test_a_missing_point_is_zeros_with_a_negative_residual_in_the_file_itself(walk: SampleTrial, written: Any, path: Path) -> None:
    """Read from the bytes: word 9 of the header is the first data block; a frame is 4 floats a point and then the analogs."""
    raw = path.read_bytes()
    start = (int.from_bytes(raw[16:18], "little") - 1) * 512
    labels = _labels(written)
    words = 4 * len(labels) + sum(8 if p.kind == 3 else 6 for p in walk.trial.plates) * 10
    frames = np.frombuffer(raw, "<f4", count=walk.trial.n_frames * words, offset=start).reshape(-1, words)
    toe = frames[:, 4 * labels.index("LTOE") : 4 * labels.index("LTOE") + 4]
    missing = np.arange(300, 311) - 287
    assert not toe[missing, :3].any()
    assert (toe[missing, 3] == -1.0).all()
    assert (np.delete(toe, missing, axis=0)[:, 3] >= 0.0).all()


def test_stored_model_outputs_are_the_truth(walk: SampleTrial, written: Any) -> None:
    labels = _labels(written)
    angles = written["parameters"]["POINT"]["ANGLES"]["value"]
    assert {"LKneeAngles", "RAnkleAngles", "LPelvisAngles", "RFootProgressAngles"} <= set(angles)
    stored = written["data"]["points"][:3, labels.index("LKneeAngles"), :].T
    np.testing.assert_allclose(stored, np.degrees(walk.truth.joint_angles_rad["L", "knee"]), atol=1e-5)
    stored = written["data"]["points"][:3, labels.index("RAJC"), :].T
    np.testing.assert_allclose(stored, walk.truth.joint_centres_lab_m["R", "ankle"] * 1000, atol=POSITION_MM)


def test_four_plate_types_give_back_their_wrench(walk: SampleTrial, written: Any) -> None:
    assert [plate.kind for plate in walk.trial.plates] == [1, 2, 3, 4]
    for plate, stored in zip(walk.trial.plates, written["data"]["platform"], strict=True):
        assert np.abs(plate.force_lab_N).max() > 600
        np.testing.assert_allclose(stored["force"].T, plate.force_lab_N, atol=FORCE_N)
        sign = -1.0 if plate.kind == 1 else 1.0  # ezc3d's moment of type 1 has the opposite sign
        np.testing.assert_allclose(sign * stored["moment"].T, plate.moment_lab_Nm * 1000, atol=MOMENT_NMM)


def test_events_are_stored_as_minutes_and_seconds(walk: SampleTrial, written: Any) -> None:
    event = written["parameters"]["EVENT"]
    times = event["TIMES"]["value"]
    np.testing.assert_allclose(times[0] * 60 + times[1], [e.time_s for e in walk.truth.events], atol=1e-6)
    assert event["LABELS"]["value"] == [e.kind.value for e in walk.truth.events]
    assert event["CONTEXTS"]["value"] == [{"L": "Left", "R": "Right"}[e.side] for e in walk.truth.events]


def test_subject_and_first_frame(walk: SampleTrial, written: Any) -> None:
    processing = {k: v["value"] for k, v in written["parameters"]["PROCESSING"].items() if k != "__METADATA__"}
    assert processing["Bodymass"][0] == pytest.approx(72.0)
    assert processing["Height"][0] == pytest.approx(1750.0)
    assert processing["LKneeWidth"][0] == pytest.approx(1000 * walk.trial.subject.knee_width_m["L"], abs=1e-3)
    assert processing["RStaticPlantFlex"][0] == pytest.approx(walk.truth.static_plantar_flexion_rad["R"], abs=1e-7)
    assert written["header"]["points"]["first_frame"] == 286  # ezc3d counts from 0
    assert written["parameters"]["SUBJECTS"]["NAMES"]["value"] == ["VIRTUAL"]


@pytest.mark.parametrize("name", ["walk.C3D", "walk", "missing/walk.c3d"])
def test_a_path_that_cannot_be_written_is_refused(walk: SampleTrial, tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match=r"\.c3d"):
        write_c3d(walk, tmp_path / name)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_subject(tmp_path_factory.mktemp("session"))


def test_the_same_subject_gives_the_same_bytes(session: list[Path], tmp_path: Path) -> None:
    again = write_subject(tmp_path)
    assert [path.name for path in again] == [path.name for path in session]
    for first, second in zip(session, again, strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_the_stored_session_is_what_the_generator_writes(session: list[Path], tmp_path: Path) -> None:
    """Values, not bytes: another release of ezc3d may pad a file differently."""
    files = session
    index = {row["file"]: row for row in csv.DictReader((DATA / INDEX).open(encoding="utf-8"))}
    assert set(index) == {path.name for path in files} == {path.name for path in DATA.glob("*.c3d")}
    for path in files:
        stored = DATA / path.name
        assert hashlib.sha256(stored.read_bytes()).hexdigest() == index[path.name]["sha256"]
        ours, theirs = ezc3d.c3d(str(path)), ezc3d.c3d(str(stored))
        np.testing.assert_allclose(theirs["data"]["points"], ours["data"]["points"], atol=POSITION_MM)
        np.testing.assert_allclose(theirs["data"]["analogs"], ours["data"]["analogs"], atol=MOMENT_NMM)
    assert sum(path.stat().st_size for path in DATA.glob("*.c3d")) < 6_000_000
    assert write_index(tmp_path, files).read_text(encoding="utf-8").count("\n") == len(files) + 1


@pytest.mark.parametrize("n_frames", [400, 70_000])
def test_more_frames_than_sixteen_bits_hold_are_read_back(tmp_path: Path, n_frames: int) -> None:
    trial = Trial(markers=Markers(("A",), np.zeros((n_frames, 1, 3)), 100.0), name="long")
    assert read_c3d(write_trial(trial, tmp_path / "long.c3d"), trust=True).n_frames == n_frames
