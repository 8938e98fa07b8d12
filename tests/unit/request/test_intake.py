from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from biomech_id.errors import FileRefusedError, Finding, MissingInputError, OptionError, on_command_line
from biomech_id.pipeline.manifest_job import job_from_manifest
from biomech_id.request.intake import find_static, one_subject, read_all, stands_still, subject_of
from biomech_id.request.job import Job
from biomech_id.trial import Markers, Subject, Trial

NAMES = ("LASI", "RASI", "LKNE", "RKNE", "LANK", "RANK", "LTOE", "RTOE")


def trial(name: str, *, speed_m_s: float = 0.0, swinging: int = 0, n: int = 200, **fields: object) -> Trial:
    """Markers that drift at a speed; ``swinging`` of them also move to and fro by half a metre."""
    t = np.arange(n) / 100.0
    position = np.zeros((n, len(NAMES), 3))
    position += np.arange(len(NAMES))[None, :, None] * 0.1
    position[:, :, 0] += speed_m_s * t[:, None]
    position[:, len(NAMES) - swinging :, 0] += 0.25 * np.sin(6 * t)[:, None]
    return Trial(name, Markers(NAMES, position, 100.0), path=f"/lab/{name}.c3d", **fields)  # type: ignore[arg-type]


def test_a_walk_a_treadmill_and_a_swinging_leg_are_not_still() -> None:
    assert stands_still(trial("static"))
    assert stands_still(trial("one frame", n=1))
    assert not stands_still(trial("walk", speed_m_s=1.2))
    assert not stands_still(trial("treadmill", swinging=4))
    assert not stands_still(trial("functional", swinging=3))


def test_the_only_still_trial_with_all_markers_is_the_static_one() -> None:
    trials = [trial("walk", speed_m_s=1.2), trial("cal")]
    found = find_static(trials, None, lambda t: True)
    assert found is not None
    assert found.name == "cal"
    assert find_static(trials, None, lambda t: "LHEE" in t.markers) is None
    assert find_static(trials[:1], None, lambda t: True) is None


def test_several_candidates_are_listed_in_one_sentence() -> None:
    trials = [trial("cal1"), trial("cal2")]
    with pytest.raises(OptionError, match=r"cal1\.c3d, cal2\.c3d; .*--static"), on_command_line():
        find_static(trials, None, lambda t: True)
    chosen = find_static(trials, Path("/lab/cal2.c3d"), lambda t: True)
    assert chosen is not None
    assert chosen.name == "cal2"


def test_what_is_left_of_a_recording_that_was_cut_is_no_static_trial() -> None:
    """In a few frames everybody stands still; a static trial of a single frame, which laboratories export, is one all the same."""
    cut = Finding("data-cut", {"file": "walk.c3d", "promised": 340, "held": 3}, "walk.c3d")
    for n in (1, 3, 15):
        for findings in ((cut,), ()) if n == 1 else ((cut,),):
            left = trial("walk", n=n, speed_m_s=0.3, findings=findings)
            found = find_static([left, trial("cal")], None, lambda t: True)
            assert found is not None
            assert found.name == "cal"
        assert find_static([trial("walk", n=n, speed_m_s=0.3, findings=(cut,))], None, lambda t: True) is None
        short = find_static([trial("cal", n=n), trial("walk", speed_m_s=1.2)], None, lambda t: True)
        assert short is not None
        assert short.name == "cal"


def test_a_static_trial_that_is_not_among_the_readable_ones_is_named() -> None:
    with pytest.raises(MissingInputError, match=r"cal9\.c3d could not be read .* or exclude leaves it out"):
        find_static([trial("cal1")], Path("/lab/cal9.c3d"), lambda t: True)


def test_two_subjects_are_listed_with_their_files() -> None:
    trials = [trial("a", subject=Subject(code="Anna")), trial("b", subject=Subject(code="Ben")), trial("c")]
    with pytest.raises(OptionError, match=r"Anna: a; Ben: b"):
        one_subject(trials)
    assert one_subject([trials[0], trials[2]]) == "Anna"


def test_the_subject_is_the_static_trials_completed_and_overruled(tmp_path: Path) -> None:
    static = trial("cal", subject=Subject(code="Anna", mass_kg=30.0, leg_length_m={"L": 0.7, "R": 0.7}))
    walk = trial("walk", subject=Subject(code="Anna", mass_kg=31.0, height_m=1.4), session_date="2020-02-03")
    (tmp_path / "subject.toml").write_text("height_mm = 1410\n", encoding="utf-8")
    subject = subject_of(Job((tmp_path,), mass_kg=29.5, code="P1"), [static, walk], static)
    assert (subject.code, subject.mass_kg, subject.height_m, subject.session_date) == ("P1", 29.5, 1.41, "2020-02-03")
    assert subject.sources["mass_kg"] == "option --mass"
    assert subject.sources["height_m"] == "subject.toml"
    assert subject_of(Job((Path("/nowhere"),)), [static, walk], static).mass_kg == 30.0


def test_the_age_follows_from_birth_and_session_unless_somebody_wrote_it(tmp_path: Path) -> None:
    def aged(text: str) -> Subject:
        (tmp_path / "subject.toml").write_text(text, encoding="utf-8")
        return subject_of(Job((tmp_path,)), [trial("walk")], None)

    grown = aged('birth_date = "2014-02-01"\nsession_date = "2026-08-01"\n')
    assert grown.age_years == pytest.approx(12.5, abs=0.005)  # a day is 0.003 years
    assert grown.sources["age_years"] == "birth date and session date"
    assert aged('birth_date = "2014-02-01"\nsession_date = "2026-08-01"\nage_years = 12\n').age_years == 12.0
    assert aged('birth_date = "2014-02-01"\n').age_years is None
    assert aged('birth_date = "2014-02-01"\nsession_date = "2013-08-01"\n').age_years is None


def test_a_broken_file_is_named_and_the_others_go_on() -> None:
    def reader(path: Path) -> Trial:
        if path.stem == "broken":
            raise FileRefusedError("broken.c3d is cut.", value=1, expected="whole", where="broken.c3d")
        return trial(path.stem)

    intake = read_all([Path("a.c3d"), Path("broken.c3d")], reader)
    assert [t.name for t in intake.trials] == ["a"]
    assert intake.refused[0].sentence == "broken.c3d is cut."
    with pytest.raises(MissingInputError, match=r"broken\.c3d is cut"):
        read_all([Path("broken.c3d")], reader)


def test_a_job_names_what_is_wrong_with_its_files(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="no C3D file"):
        Job((tmp_path,)).files()
    with pytest.raises(MissingInputError, match="no file or folder"):
        Job((tmp_path / "absent",)).files()
    for name in ("b.c3d", "A.C3D", "notes.txt"):
        (tmp_path / name).touch()
    assert [p.name for p in Job((tmp_path,)).files()] == ["A.C3D", "b.c3d"]
    assert [p.name for p in Job((tmp_path,), exclude=("b*",)).files()] == ["A.C3D"]
    (tmp_path / "a.c3d").touch()
    if len(list(tmp_path.iterdir())) == 4:  # a file system that tells upper from lower case
        with pytest.raises(OptionError, match="same name"):
            Job((tmp_path,)).files()


def test_a_folder_a_lost_link_and_a_pipe_among_the_recordings_stop_nothing(tmp_path: Path) -> None:
    (tmp_path / "walk.c3d").write_bytes(b"x")
    (tmp_path / "folder.c3d").mkdir()
    (tmp_path / "link.c3d").symlink_to(tmp_path / "nowhere")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.c3d")
    job = Job((tmp_path,))
    assert "folder" not in {path.stem for path in job.files()}
    assert {path.stem for path in job.files()} >= {"walk", "link"}, "reading them says what is wrong"
    assert set(job.inputs()) == {"walk.c3d"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems make no such names")
def test_a_name_of_another_system_is_refused_in_words_that_can_be_printed(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/M\xfcller.c3d")).touch()
    with pytest.raises(OptionError, match=r"M\?ller\.c3d .*rename") as caught:
        Job((tmp_path,)).files()
    caught.value.message.encode("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="other systems make no such names")
@pytest.mark.parametrize("name", ["wa\\lk.c3d", "C:walk.c3d"])
def test_a_name_that_is_a_path_elsewhere_is_refused_before_anything_is_read(name: str, tmp_path: Path) -> None:
    for each in (name, "walk.c3d", name.replace("c3d", "csv")):
        (tmp_path / each).touch()
    with pytest.raises(OptionError, match="is a path on Windows"):
        Job((tmp_path,)).files()
    with pytest.raises(OptionError, match="is a path on Windows"):
        Job((tmp_path / "walk.c3d",), norm=tmp_path / name.replace("c3d", "csv")).files()
    assert [path.name for path in Job((tmp_path / "walk.c3d",)).files()] == ["walk.c3d"]


def test_what_a_job_refuses_is_named(tmp_path: Path) -> None:
    (tmp_path / "walk.c3d").touch()
    with pytest.raises(MissingInputError, match=r"\* leaves none of the 1 recordings"):
        Job((tmp_path,), exclude=("*",)).files()
    with pytest.raises(MissingInputError, match=r"no file cal\.c3d, which --static names"), on_command_line():
        Job((tmp_path,), static=Path("cal.c3d")).files()
    with pytest.raises(OptionError, match="code is empty"):
        Job((tmp_path,), code=" ")
    with pytest.raises(OptionError, match="70"):
        Job((tmp_path,), mass_kg="70")  # type: ignore[arg-type]


def test_python_may_give_texts_and_name_a_file_twice(tmp_path: Path) -> None:
    for name in ("walk.c3d", "cal.c3d"):
        (tmp_path / name).touch()
    job = Job((tmp_path, tmp_path / "walk.c3d"), static=str(tmp_path / "cal.c3d"), exclude="wa*")  # type: ignore[arg-type]
    assert [path.name for path in job.files()] == ["cal.c3d"]


def test_the_canonical_command_holds_no_absolute_path(tmp_path: Path) -> None:
    job = Job((tmp_path,), static=tmp_path / "cal.c3d", norm=Path("/elsewhere/norm.csv"), mass_kg=30.25)
    command = job.command()
    assert str(tmp_path) not in command
    assert "/elsewhere" not in command
    assert "--static cal.c3d" in command
    assert "--mass 30.25" in command


def test_functional_trials_may_be_several(tmp_path: Path) -> None:
    for name in ("static", "lhip", "rhip"):
        (tmp_path / f"{name}.c3d").touch()
    one = Job((tmp_path,), functional=tmp_path / "lhip.c3d")  # type: ignore[arg-type]
    both = Job((tmp_path,), functional=(tmp_path / "lhip.c3d", tmp_path / "rhip.c3d"))
    assert one.functional == (tmp_path / "lhip.c3d",)
    assert "--functional lhip.c3d --functional rhip.c3d" in both.command()
    assert sorted(path.name for path in both.files()) == ["lhip.c3d", "rhip.c3d", "static.c3d"]
    manifest = {"command": both.command(), "recipe": both.settings(), "inputs": both.inputs()}
    assert job_from_manifest(manifest, tmp_path).functional == both.functional
    with pytest.raises(MissingInputError, match=r"no file nobody\.c3d, which functional names"):
        Job((tmp_path,), functional=(Path("nobody.c3d"),)).files()
