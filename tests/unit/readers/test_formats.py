"""A laboratory's own file format, plugged in from outside the library: one door reads it, and the main job takes a folder of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import biomech_id as bid
from biomech_id.errors import FileRefusedError, OptionError
from biomech_id.readers import Format, formats, read, register
from biomech_id.readers.formats import companions_of, recordings_among
from biomech_id.request.job import Job
from biomech_id.request.study_folders import find_subjects

DATA = Path(__file__).resolve().parents[3] / "data"


def read_lab(path: Path, /, *, trust: bool) -> bid.Trial:
    """A file that names a recording and, in its second line, whose it is."""
    recording, code = path.read_text(encoding="utf-8").split()
    trial = bid.read_c3d(DATA / recording, trust=trust)
    return replace(trial, name=path.stem, path=str(path), subject=replace(trial.subject, code=code))


@pytest.fixture
def lab() -> Iterator[None]:
    before = dict(formats.FORMATS)
    register(Format(".lab", read_lab, companions=lambda path: [path.with_suffix(".notes")]))
    yield
    formats.FORMATS.clear()
    formats.FORMATS.update(before)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    folder = tmp_path / "subject"
    folder.mkdir()
    for name in ("static", "walk01"):
        (folder / f"{name}.lab").write_text(f"{name}.c3d ANNA", encoding="utf-8")
        (folder / f"{name}.notes").write_text("shod", encoding="utf-8")
    (folder / "walk01.trc").write_text("an export of the same walk", encoding="utf-8")
    return folder


@pytest.mark.usefixtures("lab")
def test_a_registered_format_is_read_by_the_one_door(session: Path) -> None:
    trial = bid.read(session / "walk01.lab", trust=True)
    assert (trial.name, trial.subject.code) == ("walk01", "ANNA")
    assert (trial.markers.position_m == bid.read(DATA / "walk01.c3d", trust=True).markers.position_m).all()


@pytest.mark.usefixtures("lab")
def test_the_main_job_takes_a_folder_of_it_and_hashes_what_belongs_to_it(session: Path) -> None:
    (session / "walk01.trc").unlink()
    result = bid.analyse(session).computed
    assert [trial.name for trial in result.trials] == ["walk01"]
    assert result.static_file == "static.lab"
    assert list(result.inputs) == ["static.lab", "walk01.lab", "static.notes", "walk01.notes"]
    assert find_subjects(session.parent) == (session,)


@pytest.mark.usefixtures("lab")
def test_the_first_format_of_the_registry_serves_a_folder(session: Path) -> None:
    assert [path.name for path in Job((session,)).files()] == ["walk01.trc"]
    (session / "walk02.C3D").write_bytes(b"")
    (session / ".hidden.c3d").write_bytes(b"")
    assert [path.name for path in Job((session,)).files()] == ["walk02.C3D"]


def test_without_it_such_a_file_is_refused(session: Path) -> None:
    with pytest.raises(FileRefusedError, match=r"walk01\.lab"):
        read(session / "walk01.lab", trust=True)
    assert recordings_among([session / "walk01.lab"]) == []


def test_companions_that_cannot_be_used_are_none(tmp_path: Path) -> None:
    (tmp_path / "walk.trc").write_text("", encoding="utf-8")
    (tmp_path / "walk.xml").write_text("no document", encoding="utf-8")
    assert companions_of(tmp_path / "walk.trc") == ()


@pytest.mark.parametrize("suffix", [".c3d", "lab", ".LAB"])
def test_a_suffix_is_registered_once_and_as_it_is_looked_up(suffix: str) -> None:
    with pytest.raises(OptionError, match=suffix):
        register(Format(suffix, read_lab))
