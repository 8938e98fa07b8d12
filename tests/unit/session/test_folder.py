from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biomech_id.conventions import table_columns
from biomech_id.errors import FileRefusedError, OutputError
from biomech_id.files import atomic
from biomech_id.files.inputs import sha256_of
from biomech_id.pipeline.study.batch import run_study
from biomech_id.request.job import Job
from biomech_id.session.folder.read_write import check_replaceable, damaged_outputs, read_tables, update_output, write_folder
from biomech_id.session.tables.session_tables import Tables, tidy_table


def one_row(name: str) -> pd.DataFrame:
    cells = {"text": "walk", "integer": 3, "number": 1 / 3}
    return pd.DataFrame([{column.name: cells[column.kind] for column in table_columns(name)}])


@pytest.fixture
def tables() -> Tables:
    frames = pd.DataFrame({"frame": [41, 42], "time": [0.4, 0.41], "LHipAngles.X": [1 / 3, np.nan]})
    filled = {name: one_row(name) for name in ("budget", "spatiotemporal", "peaks", "scores", "stances", "gaps", "quality")}
    summary = {"schema": 1, "trials": [{"name": "walk", "cycles": []}], "subject": {"mass_kg": float("nan")}}
    return Tables(
        frames={"walk": frames}, cycles=tidy_table("cycles"), calibration={"schema": 1}, summary=summary,
        manifest={"schema": 1, "command": "biomech-id run .", "outputs": {}}, norm=one_row("norm"), parity=one_row("parity"),
        **filled,
    )  # fmt: skip


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("where", ["out", "nowhere"])
def test_a_link_to_nothing_or_to_itself_takes_no_results(where: str, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(tmp_path / where)
    with pytest.raises(OutputError, match="out is a link that leads nowhere; remove it"):
        check_replaceable(tmp_path / "out")
    with pytest.raises(OutputError, match="out is a link that leads nowhere; remove it"):
        run_study(tmp_path, tmp_path / "out", Job((tmp_path,)))
    (tmp_path / "nowhere").mkdir()
    if where == "nowhere":
        check_replaceable(tmp_path / "out")


@pytest.mark.parametrize("where", ["", ".", "..", "below/.."])
def test_results_replace_a_folder_that_has_a_name(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the whole analysis this was an unexpected error."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError, match="names a folder by where one stands"):
        check_replaceable(Path(where))


def test_what_is_written_reads_back(tables: Tables, tmp_path: Path) -> None:
    written = write_folder(tables, tmp_path / "out")
    back = read_tables(tmp_path / "out")
    pd.testing.assert_frame_equal(back.frames["walk"], tables.frames["walk"], rtol=5e-9)
    for name in ("cycles", "budget", "spatiotemporal", "peaks", "scores", "stances", "gaps", "quality", "norm", "parity"):
        expected = getattr(tables, name)
        assert list(getattr(back, name).columns) == list(expected.columns)
        pd.testing.assert_frame_equal(getattr(back, name), expected, rtol=5e-9, check_dtype=len(expected) > 0)
    assert back.summary["subject"]["mass_kg"] is None
    assert back.manifest == written.manifest


def test_writing_what_was_read_gives_the_same_bytes(tables: Tables, tmp_path: Path) -> None:
    write_folder(tables, tmp_path / "a")
    write_folder(read_tables(tmp_path / "a"), tmp_path / "b")
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")


def test_text_is_utf8_with_lf_and_no_part_file_stays(tables: Tables, tmp_path: Path) -> None:
    write_folder(tables, tmp_path / "out")
    for name, content in bytes_of(tmp_path / "out").items():
        assert b"\r" not in content, name
        content.decode("utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    usual = tmp_path / "usual"
    usual.mkdir()
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)


def test_manifest_hashes_every_other_output_and_knows_when_one_changed(tables: Tables, tmp_path: Path) -> None:
    out = tmp_path / "out"
    written = write_folder(tables, out, extras=[lambda folder: (folder / "report.pdf").write_bytes(b"%PDF") and None])
    listed = written.manifest["outputs"]
    assert set(listed) == set(bytes_of(out)) - {"manifest.json"}
    assert listed["report.pdf"] == sha256_of(out / "report.pdf")
    assert damaged_outputs(out) == ()
    (out / "cycles.csv").write_text("tampered", encoding="utf-8")
    (out / "report.pdf").unlink()
    assert set(damaged_outputs(out)) == {"cycles.csv", "report.pdf"}


def test_an_earlier_run_is_replaced_whole(tables: Tables, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_folder(replace(tables, frames={"old": tables.frames["walk"]}), out)
    (out / ".DS_Store").write_bytes(b"")
    write_folder(tables, out)
    assert [path.name for path in (out / "trials").iterdir()] == ["walk.csv"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_somebody_elses_files_are_never_replaced(tables: Tables, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_folder(tables, out)
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    before = bytes_of(out)
    with pytest.raises(OutputError, match=r"notes\.txt"):
        write_folder(tables, out)
    assert bytes_of(out) == before
    recordings = tmp_path / "recordings"
    recordings.mkdir()
    (recordings / "walk.c3d").write_bytes(b"\x02")
    with pytest.raises(OutputError, match=r"walk\.c3d"):
        write_folder(tables, recordings)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="not a folder"):
        write_folder(tables, tmp_path / "file")


def test_a_folder_of_somebody_else_is_not_searched_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home folder or a whole disk as OUT: two strange files are enough to refuse it."""
    for name in ("a", "b/c", "b/d/e"):
        (tmp_path / "home" / name).mkdir(parents=True)
        (tmp_path / "home" / name / "file").touch()
    seen: list[str] = []
    walk = os.walk
    monkeypatch.setattr(os, "walk", lambda top: (seen.append(base[0]) or base for base in walk(top)))
    with pytest.raises(OutputError, match=r"a/file and more"):
        check_replaceable(tmp_path / "home")
    assert len(seen) < 5


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_in_out_is_somebody_elses_and_is_not_followed(tables: Tables, tmp_path: Path) -> None:
    write_folder(tables, tmp_path / "out")
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "film.avi").touch()
    (tmp_path / "out" / "films").symlink_to(tmp_path / "archive", target_is_directory=True)
    with pytest.raises(OutputError, match=r"\(films\)"):
        write_folder(tables, tmp_path / "out")


def full_disk(_: Path) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupted(_: Path) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(("extra", "raised"), [(full_disk, OutputError), (interrupted, KeyboardInterrupt)])
def test_a_failure_leaves_the_earlier_run_and_nothing_else(
    extra: Any, raised: type[BaseException], tables: Tables, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    write_folder(tables, out)
    before = bytes_of(out)
    with pytest.raises(raised):
        write_folder(replace(tables, frames={}), out, extras=[extra])
    assert bytes_of(out) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failing_rename_puts_the_earlier_run_back(tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    write_folder(tables, out)
    before = bytes_of(out)
    rename = os.replace

    def refuses_the_new_one(source: Path, target: Path) -> None:
        if ".part-" in Path(source).name:
            raise OSError(errno.EACCES, "Permission denied")
        rename(source, target)

    monkeypatch.setattr(atomic.os, "replace", refuses_the_new_one)
    with pytest.raises(OutputError, match="may not write"):
        write_folder(tables, out)
    assert bytes_of(out) == before


def test_full_disk_is_one_clear_sentence(tables: Tables, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="disk is full") as caught:
        write_folder(tables, tmp_path / "out", extras=[full_disk])
    assert not (tmp_path / "out").exists()
    assert caught.value.where == str(tmp_path / "out")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_disk_that_is_really_full(tables: Tables, tmp_path: Path) -> None:
    def onto_full_device(folder: Path) -> None:
        with Path("/dev/full").open("wb") as device:
            device.write(b"x" * 100_000)

    with pytest.raises(OutputError, match="disk is full"):
        write_folder(tables, tmp_path / "out", extras=[onto_full_device])


def test_a_parent_that_is_no_folder_is_one_clear_sentence(tables: Tables, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="cannot be written"):
        write_folder(tables, tmp_path / "file" / "out")


def test_reading_what_is_no_session(tables: Tables, tmp_path: Path) -> None:
    with pytest.raises(FileRefusedError, match=r"no manifest\.json"):
        read_tables(tmp_path)
    out = tmp_path / "out"
    write_folder(tables, out)
    shutil.copytree(out, tmp_path / "lacking")
    (tmp_path / "lacking" / "cycles.csv").unlink()
    with pytest.raises(FileRefusedError, match=r"cycles\.csv"):
        read_tables(tmp_path / "lacking")
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    (out / "manifest.json").write_text(json.dumps(manifest | {"schema": 4}), encoding="utf-8")
    with pytest.raises(FileRefusedError, match="schema 4"):
        read_tables(out)


def test_a_report_drawn_again_takes_its_place_in_the_manifest(tables: Tables, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_folder(tables, out)
    update_output(out, "report.pdf", lambda path: path.write_bytes(b"%PDF 2") and None)
    assert (out / "report.pdf").read_bytes() == b"%PDF 2"
    assert read_tables(out).manifest["outputs"]["report.pdf"] == sha256_of(out / "report.pdf")
    assert damaged_outputs(out) == ()
    before = bytes_of(out)
    with pytest.raises(OutputError, match="disk is full"):
        update_output(out, "report.pdf", full_disk)
    assert bytes_of(out) == before
