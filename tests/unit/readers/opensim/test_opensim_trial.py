"""A folder of OpenSim's files as the input of a run: the same results as from the C3D files it was made of."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.errors import BiomechError
from biomech_id.exports.opensim.folder import write_opensim
from biomech_id.files.inputs import reading_once, sha256_of
from biomech_id.movement.stance import Verdict
from biomech_id.pipeline.analyse import analyse_job
from biomech_id.readers.formats import companions_of, read
from biomech_id.readers.opensim.trial import read_opensim_trial
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.request.subject_file import subject_toml
from biomech_id.session.session import Session

ROOT = Path(__file__).resolve().parents[4]
#: Events from the plates in both, for OpenSim's files hold none.
QUICK = Recipe().replaced(report=False, budget=False, event_source="plates")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, Session, Path]:
    """A session from its C3D files and from the files handed over, with one subject.toml."""
    recorded, handed = tmp_path_factory.mktemp("c3d"), tmp_path_factory.mktemp("opensim")
    for name in ("static.c3d", "walk02.c3d", "turn01.c3d"):
        shutil.copy(ROOT / "data" / name, recorded)
    person = analyse_job(Job((recorded,), recipe=QUICK)).person
    for folder in (recorded, handed):
        (folder / "subject.toml").write_text(subject_toml(person), encoding="utf-8")
    original = analyse_job(Job((recorded,), recipe=QUICK))
    write_opensim(original, handed)
    return original, analyse_job(Job((handed,), recipe=QUICK)), handed


def test_joint_moments_are_the_same_in_every_frame(both: tuple[Session, Session, Path]) -> None:
    original, again, _ = both
    assert [trial.name for trial in again.movements] == [trial.name for trial in original.movements]
    for trial in original.movements:
        other = again.trial(trial.name)
        assert trial.loads is not None
        assert other.loads is not None
        for (side, joint), load in trial.loads.items():
            # a trial's ground has X along its progression, so laboratory components turn; a segment's do not
            ours, theirs = (x.expressed_in("distal") for x in (load, other.loads[side, joint]))
            known, also = (np.isfinite(x.moment_Nm).all(axis=1) for x in (ours, theirs))
            # a load's beginning and end are seen to a sample of the plate, or to a frame of the table
            assert np.count_nonzero(known != also) <= 6
            assert np.count_nonzero(known & also) > 100
            np.testing.assert_allclose(theirs.moment_Nm[known & also], ours.moment_Nm[known & also], rtol=0, atol=1e-6)
            np.testing.assert_allclose(theirs.force_N[known & also], ours.force_N[known & also], rtol=0, atol=1e-6)


def test_feet_are_taken_from_the_file(both: tuple[Session, Session, Path]) -> None:
    original, again, _ = both
    for trial in original.movements:
        used, taken = (
            [(s.side, s.verdict) for s in t.assignment.stances if s.verdict.accepted]
            for t in (trial, again.trial(trial.name))
            if t.assignment
        )
        assert used
        assert [side for side, _ in taken] == [side for side, _ in used]
        assert {verdict for _, verdict in taken} == {Verdict.CLEAN}


def test_every_file_that_was_read_is_in_the_manifest(both: tuple[Session, Session, Path]) -> None:
    inputs = both[1].inputs
    assert {"walk02.trc", "walk02_grf.mot", "walk02_external_loads.xml", "subject.toml", "static.trc"} <= set(inputs)


def test_a_table_is_opened_once_for_its_numbers_and_its_hash(
    both: tuple[Session, Session, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, opened = Path.open, list[str]()

    def counted(path: Path, *args: Any, **kwargs: Any) -> Any:
        opened.append(path.name)
        return real(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", counted)
    monkeypatch.setattr(Path, "read_bytes", lambda path: counted(path, "rb").read())
    with reading_once() as seen:
        trial = read(both[2] / "walk02.trc")
        companions_of(both[2] / "walk02.trc")
    # every document is looked into, for the forces may be in any of them
    assert {name: opened.count(name) for name in opened} == dict.fromkeys(opened, 1)
    assert {"walk02.trc", "walk02_grf.mot", "walk02_external_loads.xml"} <= set(opened)
    assert trial.sha256 == seen.sha256(both[2] / "walk02.trc") == sha256_of(both[2] / "walk02.trc")
    opened.clear()
    forces = read(both[2] / "walk02_grf.mot")
    assert opened.count("walk02_grf.mot") == 1
    assert forces.sha256 == sha256_of(both[2] / "walk02_grf.mot")


def spoil(file: str, change: Callable[[str], str]) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        path = folder / file
        before = path.read_text(encoding="utf-8")
        after = change(before)
        assert after != before
        path.write_text(after, encoding="utf-8")

    return act


def hastened(text: str, factor: float) -> str:
    """A table whose times run faster than they were recorded."""
    head, end, body = text.partition("endheader\n")
    names, *rows = body.rstrip("\n").split("\n")
    times = [float(row.partition("\t")[0]) for row in rows]
    faster = (f"{times[0] + (t - times[0]) / factor!r}\t{row.partition(chr(9))[2]}" for t, row in zip(times, rows, strict=True))
    return head + end + "\n".join([names, *faster]) + "\n"


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (spoil("walk02_grf.mot", lambda s: s.replace("\n3.5\t0\t", "\n3.5\tnan\t")), "is not a number at 3.5 s"),
        (spoil("walk02_grf.mot", lambda s: "\n".join(line for line in s.split("\n") if not line.startswith("3.5"))), "gap of"),
        (spoil("walk02_grf.mot", lambda s: "\n".join(s.split("\n")[:200])), "the markers from"),
        (spoil("walk02_grf.mot", lambda s: hastened(s, 1.5)), "at 150 Hz, no whole multiple of the markers' 100 Hz"),
        (spoil("walk02.trc", lambda s: s.replace("\tm\t", "\tmm\t")), "look like m"),
        (spoil("walk02_external_loads.xml", lambda s: s.replace("calcn_r", "pelvis")), "which is no foot"),
        (spoil("walk02_external_loads.xml", lambda s: s.replace("calcn_r", "calcn_l")), "both act on calcn_l"),
        (spoil("walk02_external_loads.xml", lambda s: s.replace("calcn_r", "Unassigned")), "names no body"),
        (spoil("walk02_external_loads.xml", lambda s: s.replace("_grf.mot", ".mot")), "which is not beside it"),
        (spoil("walk02_external_loads.xml", lambda s: s.replace(">ground<", ">calcn_r<", 1)), "expressed in ground"),
        (spoil("walk02_external_loads.xml", lambda s: s.replace("ground_force_r_p", "cop_r_")), "no column cop_r_x"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    both: tuple[Session, Session, Path], tmp_path: Path, act: Callable[[Path], None], said: str
) -> None:
    for path in both[2].glob("walk02*"):
        shutil.copy(path, tmp_path)
    act(tmp_path)
    with pytest.raises(BiomechError) as caught:
        read_opensim_trial(tmp_path / "walk02.trc")
    whole = f"{caught.value.message} {caught.value.expected}"
    assert said in whole
    assert caught.value.where


def test_the_example_of_the_documents_can_be_read(shared_dir: Path) -> None:
    """Markers at 60 Hz, forces at 600 Hz whose times are rounded to a tenth of a millisecond, names that begin with a digit."""
    (path,) = (shared_dir / "opensim").rglob("subject01_walk.trc")
    trial = read_opensim_trial(path)
    assert (trial.rate_hz, trial.n_frames, len(trial.markers.names)) == (60.0, 151, 41)
    assert [(plate.foot, plate.rate_hz) for plate in trial.plates] == [("R", 600.0), ("L", 600.0)]
    right = trial.plates[0]
    np.testing.assert_allclose(right.force_lab_N[0], [101.5119767, 47.44870554, 745.4661142], rtol=1e-12)
    # up is Z: the head is above the heel, and each foot's force acts near that foot while it carries the body
    assert np.nanmin(trial.markers["Top.Head"][:, 2] - trial.markers["R.Heel"][:, 2]) > 1.0
    for plate, heel, toe in zip(trial.plates, ("R.Heel", "L.Heel"), ("R.Toe.Tip", "L.Toe.Tip"), strict=True):
        loaded = plate.force_lab_N[::10, 2][: trial.n_frames] > 300.0
        moment = plate.moment_lab_Nm[::10][: trial.n_frames] + np.cross(plate.centre_m, plate.force_lab_N[::10][: trial.n_frames])
        force = plate.force_lab_N[::10][: trial.n_frames]
        x = -moment[loaded, 1] / force[loaded, 2]
        between = (x > trial.markers[heel][loaded, 0] - 0.05) & (x < trial.markers[toe][loaded, 0] + 0.05)
        assert between.mean() > 0.95
