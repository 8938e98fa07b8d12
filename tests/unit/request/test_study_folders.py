"""Which folders of a study are subjects', whatever a laboratory, a disk or another system has put there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biomech_id.errors import MissingInputError, OptionError
from biomech_id.pipeline.study.batch import analyse_subject
from biomech_id.request.job import Job
from biomech_id.request.study_folders import find_subjects, recordings_of, subject_names


@pytest.fixture
def lab(tmp_path: Path) -> Callable[..., Path]:
    def made(*files: str) -> Path:
        for file in files:
            path = tmp_path / "lab" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"")
        return tmp_path / "lab"

    return made


def found(study: Path, **options: Any) -> list[str]:
    return [folder.relative_to(study).as_posix() for folder in find_subjects(study, **options)]


def test_hidden_folders_results_and_exports_are_no_subjects(lab: Callable[..., Path]) -> None:
    study = lab(
        "anna/walk.C3D", "anna/._walk.c3d", "ben/._walk.c3d", ".snapshot/anna/walk.c3d", "carl/notes.txt", "carl/opensim/walk.trc",
        "old results/anna/manifest.json", "old results/anna/summary.json", "old results/anna/c3d/walk.c3d", "out/anna/c3d/walk.c3d",
    )  # fmt: skip
    assert found(study, out=study / "out") == ["anna"]


def test_opensims_files_serve_where_the_study_has_no_others(lab: Callable[..., Path]) -> None:
    study = lab("anna/walk.trc", "ben/day 1/walk.TRC", "carl/walk.mot")
    assert found(study) == ["anna", "ben/day 1"]


def test_nothing_to_analyse_is_said(lab: Callable[..., Path]) -> None:
    with pytest.raises(MissingInputError, match="holds no folder with C3D files"):
        find_subjects(study := lab("carl/notes.txt"))
    with pytest.raises(MissingInputError, match=r"There is no folder .*nowhere"):
        find_subjects(study / "nowhere")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_links_are_followed_and_never_in_circles(lab: Callable[..., Path], tmp_path: Path) -> None:
    study = lab("anna/walk.c3d", "zoe/notes.txt")
    archive = tmp_path / "archive"
    archive.mkdir()
    (archive / "walk.c3d").write_bytes(b"")
    (study / "zoe" / "circle").symlink_to(study)
    (study / "Latest").symlink_to(study / "anna")
    (study / "ben").symlink_to(archive)
    (study / "gone").symlink_to(tmp_path / "nowhere")
    assert found(study) == ["anna", "ben"]


def test_every_folder_is_looked_into_once_however_many_are_empty(lab: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    study = lab("anna/walk.c3d")
    for number in range(100):
        (study / "empty" / f"{number:03d}" / "deeper").mkdir(parents=True)
    listed: list[str] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda folder: listed.append(str(folder)) or scandir(folder))
    assert found(study) == ["anna"]
    assert len(listed) == len(set(listed)) == 203


def test_a_folder_that_may_not_be_looked_into_has_a_verdict(lab: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    study = lab("anna/walk.c3d", "locked/walk.c3d")
    scandir, listdir = os.scandir, os.listdir

    def refusing(system: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def call(folder: Any) -> Any:
            if Path(folder).name == "locked":
                raise PermissionError(13, "Permission denied")
            return system(folder)

        return call

    # Whoever runs this test may be allowed to look into every folder.
    monkeypatch.setattr(os, "scandir", refusing(scandir))
    monkeypatch.setattr(os, "listdir", refusing(listdir))
    assert found(study) == ["anna", "locked"]
    verdict = analyse_subject("locked", Job((study / "locked",)), str(study.parent / "out"), False)
    assert verdict.failed
    assert verdict.sentence == f"{study / 'locked'} cannot be looked into: Permission denied."


def test_names_that_differ_only_in_capitals_get_results_of_their_own() -> None:
    root = Path("lab")
    folders = [root / "Anna/1", root / "BEN", root / "anna/1", root / "ben", root / "ben_"]
    names = list(subject_names(folders, root))
    assert names == ["Anna/1", "BEN", "anna/1_", "ben_", "ben__"]
    assert len({name.casefold() for name in names}) == len(folders)


def test_no_name_lies_inside_another_and_each_leads_back(lab: Callable[..., Path]) -> None:
    study = lab(
        "walk.c3d", "anna/walk.c3d", "anna/2020/walk.c3d", "anna/anna/walk.c3d", "study/walk.c3d", "study_/walk.c3d", "lab/walk.c3d"
    )
    names = subject_names(find_subjects(study), study)
    assert len(names) == 7
    assert not [(a, b) for a in names for b in names if a != b and f"{b}/".startswith(f"{a}/")]
    assert not {name.partition("/")[0] for name in names} & {"study", "verdicts.csv"}
    assert recordings_of(list(names), study) == names


@pytest.mark.skipif(sys.platform != "linux", reason="other systems make no such names")
def test_a_folder_whose_name_is_no_text_is_named_before_anything_is_computed(lab: Callable[..., Path]) -> None:
    study = lab("anna/walk.c3d", os.fsdecode(b"M\xfcller/walk.c3d"))
    with pytest.raises(OptionError, match=r"The name of M\?ller holds .* rename it"):
        find_subjects(study)
