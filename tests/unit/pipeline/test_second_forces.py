"""Forces of a second file: put on the markers' clock by feet and forces or by time stamps, refused where neither is certain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.gait.force_lag import find_force_lag
from biomech_id.pipeline.second_forces import cut_frames, with_second_forces
from biomech_id.readers import read
from biomech_id.readers.formats import companions_of, forces_beside, recordings_among
from biomech_id.readers.opensim.force_columns import force_columns
from biomech_id.readers.opensim.trc import MarkerTable
from biomech_id.readers.vertical import ROTATION_TO_Z_UP
from biomech_id.trial import ForcePlate, Trial
from biomech_id.writers.opensim_text import write_trc

GROUND = ROTATION_TO_Z_UP["+Y"].T


@pytest.fixture(scope="module")
def walk() -> Trial:
    return bid.virtual_subject(analog_ratio=5).walk("walk").trial


def late(plates: tuple[ForcePlate, ...], by_s: float) -> list[ForcePlate]:
    """The same plates whose clock shows less by so much: their samples belong to later instants."""
    moved = [replace(plate) for plate in plates]
    for plate in moved:
        object.__setattr__(plate, "first_time_s", plate.first_time_s - by_s)
    return moved


def written(folder: Path, walk: Trial, by_s: float, *, first: int = 0) -> Path:
    """Markers as ``walk.trc`` and forces as ``walk_forces.mot``, whose clock shows less by ``by_s``."""
    table = MarkerTable(walk.markers.names, walk.markers.position_m @ GROUND.T, walk.rate_hz, 1, walk.time_s, "m")
    write_trc(folder / "walk.trc", table)
    names, columns = ["time"], [walk.first_time_s + np.arange(walk.plates[0].n_samples) / walk.plates[0].rate_hz - by_s]
    for number, plate in enumerate(walk.plates, start=1):
        force, moment = plate.force_lab_N, plate.moment_lab_Nm
        loaded = force[:, 2] > 5.0
        cop = np.repeat(plate.corners_m.mean(axis=0)[None], len(force), axis=0)
        cop[loaded, 0] -= moment[loaded, 1] / force[loaded, 2]
        cop[loaded, 1] += moment[loaded, 0] / force[loaded, 2]
        free = moment - np.cross(cop - plate.corners_m.mean(axis=0), force)
        for stem, vector in (("v", force), ("p", cop), ("m", np.where(loaded[:, None], free, 0.0))):
            names += [f"ground_force_{number}_{stem}{axis}" for axis in "xyz"]
            columns += list((np.where(loaded[:, None], vector, 0.0 if stem != "p" else cop) @ GROUND.T).T)
    rows = np.stack(columns, axis=1)[first:]
    text = [f"nRows={len(rows)}", f"nColumns={len(names)}", "endheader", "\t".join(names)]
    text += ["\t".join(f"{value:.7g}" for value in row) for row in rows]
    (folder / "walk_forces.mot").write_text("\n".join(text) + "\n", encoding="utf-8")
    return folder / "walk.trc"


@pytest.mark.parametrize("by_s", [-0.4567, 0.0, 0.1234, 0.95])
def test_a_known_lag_is_found_within_a_frame(walk: Trial, by_s: float) -> None:
    found = find_force_lag(walk, late(walk.plates, by_s))
    assert found.certain
    assert found.n == 2
    assert abs(found.lag_s - by_s) < 1.0 / walk.rate_hz
    assert abs(found.lag_s - by_s) < 3.0 * found.sd_s < 0.03


def test_what_is_not_certain_is_no_lag(walk: Trial) -> None:
    nobody = [replace(plate, force_lab_N=0.0 * plate.force_lab_N, moment_lab_Nm=0.0 * plate.moment_lab_Nm) for plate in walk.plates]
    assert find_force_lag(walk, nobody).why == "unloaded"
    aside = [plate.moved(0.0, 3.0, 0.0) for plate in walk.plates]
    assert find_force_lag(walk, aside).why == "elsewhere"
    bare = replace(walk, markers=replace(walk.markers, names=tuple(f"p{i}" for i in range(len(walk.markers.names))), roles={}))
    assert find_force_lag(bare, walk.plates).why == "feet"
    standing = bid.virtual_subject().static().trial
    assert not find_force_lag(standing, standing.plates or walk.plates).certain


def test_steps_on_the_spot_fit_a_stride_later_alike(walk: Trial) -> None:
    """Feet that come down at the same places a second later, as on a belt: two lags fit, and neither is taken."""
    again = np.concatenate([walk.markers.position_m, walk.markers.position_m])
    twice = Trial("twice", replace(walk.markers, position_m=again, filled=None))
    found = find_force_lag(twice, walk.plates)
    assert found.why == "ambiguous"
    assert abs(found.other_s - found.lag_s) == pytest.approx(walk.n_frames / walk.rate_hz, abs=0.1)


def test_columns_say_what_they_are() -> None:
    def named(*stems: str) -> tuple[str, ...]:
        return tuple(stem + axis for stem in stems for axis in "xyz")

    (left,) = force_columns(named("L_ground_force_v", "L_ground_force_p", "L_ground_torque_"))
    assert (left.force, left.point, left.torque, left.body) == (
        "L_ground_force_v",
        "L_ground_force_p",
        "L_ground_torque_",
        "calcn_l",
    )
    (first,) = force_columns(named("ground_force_1_v", "ground_force_1_p", "ground_force_1_m"))
    assert (first.torque, first.body) == ("ground_force_1_m", "")
    (right,) = force_columns(named("ground_force_r_v", "ground_force_r_p", "ground_torque_r_"))
    assert (right.torque, right.body) == ("ground_torque_r_", "calcn_r")
    assert force_columns(named("pelvis_t", "hip_v")) == ()


def test_time_stamps_count_unless_the_feet_contradict_them(walk: Trial, tmp_path: Path) -> None:
    path = written(tmp_path, walk, 0.0)
    assert forces_beside(path) == tmp_path / "walk_forces.mot"
    assert companions_of(path) == (tmp_path / "walk_forces.mot",)
    trial = with_second_forces(read(path), read)
    (said,) = trial.findings
    assert (said.rule, said.values["how"], said.values["n"]) == ("second-forces", "stamps", 2)
    assert len(trial.plates) == 2
    for mine, theirs in zip(trial.plates, walk.plates, strict=True):
        assert {mine.foot} <= {"L", "R"}
        n = min(mine.n_samples, theirs.n_samples)
        np.testing.assert_allclose(mine.force_lab_N[:n], theirs.force_lab_N[:n], atol=6.0)
    path = written(tmp_path, walk, 0.25)
    trial = with_second_forces(read(path), read)
    (said,) = trial.findings
    assert (said.rule, said.values["how"]) == ("second-forces", "against_stamps")
    assert said.values["lag_ms"] == pytest.approx(250.0, abs=10.0)
    assert "contradict" in said.message


def test_frames_without_forces_are_left_out_and_said(walk: Trial, tmp_path: Path) -> None:
    path = written(tmp_path, walk, 0.0, first=100)
    trial = with_second_forces(read(path), read)
    (said,) = trial.findings
    rate = walk.plates[0].rate_hz / walk.rate_hz
    assert said.values["left_out"] == 100 / rate
    assert (trial.n_frames, trial.first_frame) == (walk.n_frames - 20, 21)
    assert "20 frames without forces" in said.message


def test_forces_that_cannot_be_used_are_refused_and_the_recording_goes_on(walk: Trial, tmp_path: Path) -> None:
    path = written(tmp_path, walk, 0.0)
    forces = tmp_path / "walk_forces.mot"
    forces.write_text(forces.read_text(encoding="utf-8").replace("_v", "_w"), encoding="utf-8")
    trial = with_second_forces(read(path), read)
    (said,) = trial.findings
    assert (said.rule, said.values["why"], trial.plates) == ("second-forces-refused", "unreadable", ())
    assert "none" not in said.message
    assert "no columns are named as a force" in said.message
    beside = replace(read(written(tmp_path, walk, 0.0)))
    beside = with_second_forces(
        replace(beside, markers=replace(beside.markers, position_m=beside.markers.position_m + (0, 3, 0))), read
    )
    assert (beside.findings[-1].values["why"], beside.plates) == ("elsewhere", ())
    own = with_second_forces(replace(walk, path=str(path)), read)
    assert own.findings[-1].values["why"] == "own"
    assert own.plates == walk.plates


def test_a_second_c3d_file_has_no_common_clock_and_is_no_recording_of_its_own(tmp_path: Path) -> None:
    from biomech_id.sample.c3d import write_c3d

    person = bid.virtual_subject(analog_ratio=5)
    sample = person.walk("walk")
    write_c3d(person.static("static"), tmp_path / "static.c3d")
    write_c3d(sample, tmp_path / "walk_forces.c3d")
    markers = bid.read_c3d(tmp_path / "walk_forces.c3d")
    markers = replace(markers, plates=(), name="walk", path=str(tmp_path / "walk.c3d"))
    (tmp_path / "walk.c3d").write_bytes((tmp_path / "walk_forces.c3d").read_bytes())
    assert [path.name for path in recordings_among(sorted(tmp_path.iterdir()))] == ["static.c3d", "walk.c3d"]
    # The markers' recording began a quarter of a second later than the forces'.
    cut = replace(cut_frames(markers, 25, markers.n_frames), first_frame=1, events=())
    trial = with_second_forces(cut, read)
    (said,) = (found for found in trial.findings if found.rule.startswith("second-forces"))
    assert (said.rule, said.values["how"]) == ("second-forces", "feet")
    assert said.values["lag_ms"] == pytest.approx(-250.0, abs=10.0)
    assert all(plate.foot == "" for plate in trial.plates)
    behind = with_second_forces(replace(cut, markers=replace(cut.markers, position_m=cut.markers.position_m + (0, 4.0, 0))), read)
    assert behind.plates == ()
    assert behind.findings[-1].values["why"] == "elsewhere"
