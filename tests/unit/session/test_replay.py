"""What a trial looked like is kept as it was analysed, in the same bytes every time, and is refused where it is damaged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from biomech_id import read_c3d
from biomech_id.errors import FileRefusedError
from biomech_id.files.inputs import sha256_of
from biomech_id.pipeline.run import run_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.folder.replay import REPLAY_ARRAYS, Replay, read_replay

DATA = Path(__file__).parents[3] / "data"
WALK = "walk01"
QUICK = Recipe(report=False, uncertainty=False, budget=False)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replay") / "out"
    run_job(Job(tuple(DATA / f"{name}.c3d" for name in ("static", WALK)), QUICK), folder)
    return folder


@pytest.fixture(scope="module")
def replay(out: Path) -> Replay:
    found = read_replay(out, WALK)
    assert found is not None
    return found


def test_markers_are_those_of_the_recording(replay: Replay) -> None:
    recorded = read_c3d(DATA / f"{WALK}.c3d").markers
    assert replay.marker_names == recorded.names
    assert (replay.rate_hz, replay.n_frames) == (recorded.rate_hz, recorded.n_frames)
    np.testing.assert_allclose(replay.marker_lab_m, recorded.position_m, atol=1e-6)


def test_joints_are_those_of_the_table_and_poses_are_rotations(out: Path, replay: Replay) -> None:
    frames = read_tables(out).frames[WALK]
    for side in "LR":
        for joint, column in (("hip", "HJC"), ("knee", "KJC"), ("ankle", "AJC")):
            mine = replay.joint_centre_lab_m[:, replay.joint_names.index(f"{side} {joint}")]
            table = frames[[f"{side}{column}.{axis}" for axis in "XYZ"]].to_numpy() / 1000.0
            np.testing.assert_allclose(mine, table, atol=1e-6)
    turned = np.einsum("nsij,nskj->nsik", replay.R_lab_segment, replay.R_lab_segment)
    np.testing.assert_allclose(turned, np.broadcast_to(np.eye(3), turned.shape), atol=1e-6)
    assert replay.segment_names[0] == "pelvis"
    assert replay.segment_origin_lab_m.shape == (replay.n_frames, len(replay.segment_names), 3)


def test_plates_push_as_the_tables_say_and_where_they_lie(out: Path, replay: Replay) -> None:
    tables = read_tables(out)
    frames = tables.frames[WALK]
    mass_kg = tables.summary["subject"]["mass_kg"]
    feet = sum(frames[f"{side}GroundReactionForce.Z"].fillna(0.0).to_numpy() for side in "LR") * mass_kg
    plates = replay.plate_force_lab_N[..., 2].sum(axis=1)
    assert feet.max() > 500.0
    np.testing.assert_allclose(plates[feet > 50.0], feet[feet > 50.0], atol=0.5)
    for plate, corners in enumerate(replay.plate_corners_lab_m):
        pressure = replay.plate_pressure_lab_m[:, plate]
        seen = np.isfinite(pressure[:, 0])
        assert seen.any()
        assert replay.plate_force_lab_N[seen, plate, 2].min() > 0.05 * mass_kg * 9.8, "an unloaded plate has no centre of pressure"
        assert (pressure[seen] >= corners.min(axis=0) - 0.01).all()
        assert (pressure[seen] <= corners.max(axis=0) + 0.01).all()


def test_the_same_run_gives_the_same_bytes_and_the_manifest_knows_them(out: Path, tmp_path: Path) -> None:
    name = f"replay/{WALK}.npz"
    again = tmp_path / "out"
    run_job(Job(tuple(DATA / f"{stem}.c3d" for stem in ("static", WALK)), QUICK), again)
    assert (again / name).read_bytes() == (out / name).read_bytes()
    assert json.loads((out / "manifest.json").read_text(encoding="utf-8"))["outputs"][name] == sha256_of(out / name)


def test_every_array_is_documented_and_of_single_precision(out: Path) -> None:
    with np.load(out / "replay" / f"{WALK}.npz") as file:
        of_a_model = {name for name in REPLAY_ARRAYS if name.startswith("model_")}
        assert set(file.files) | of_a_model == set(REPLAY_ARRAYS) == set(Replay.__dataclass_fields__)
        assert not of_a_model & set(file.files), "bytes of a session without an OpenSim model are those of before"
        assert {file[name].dtype for name in file.files if name.endswith(("_m", "_N", "segment"))} == {np.dtype(np.float32)}


def test_older_folders_have_none_and_damaged_files_are_refused(out: Path, tmp_path: Path) -> None:
    assert read_replay(tmp_path, WALK) is None
    (tmp_path / "replay").mkdir()
    whole = (out / "replay" / f"{WALK}.npz").read_bytes()
    for damaged in (b"", b"nothing", whole[:500], whole[:-200], whole.replace(b"marker_lab_m", b"marker_lab_x")):
        (tmp_path / "replay" / f"{WALK}.npz").write_bytes(damaged)
        with pytest.raises(FileRefusedError, match=rf"{WALK}\.npz cannot be read"):
            read_replay(tmp_path, WALK)
