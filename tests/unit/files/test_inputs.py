"""What an analysis reads is read and hashed once; what changed is seen by its state, or hashed again where that is doubtful."""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from biomech_id.files import inputs
from biomech_id.files.inputs import InputsRead, read_input, reading_once, sha256_of, state_of

ROOT = Path(__file__).resolve().parents[3]


def readings(of: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> tuple[Counter[str], Counter[str]]:
    """How often each file was opened, and how often bytes with each hash were hashed, while something was done."""
    opened: Counter[str] = Counter()
    hashed: Counter[str] = Counter()
    real_digest, real_sha256, real_open = inputs.hashlib.file_digest, inputs.hashlib.sha256, Path.open
    real_bytes, builtin = Path.read_bytes, open

    def counted(found: object) -> object:
        hashed[found.hexdigest()] += 1  # type: ignore[attr-defined]
        return found

    def path_open(path: Path, *args: object, **kwargs: object) -> object:
        opened[path.name] += 1
        return real_open(path, *args, **kwargs)  # type: ignore[call-overload]

    def read_bytes(path: Path) -> bytes:
        opened[path.name] += 1
        return real_bytes(path)

    def plain_open(path: object, *args: object, **kwargs: object) -> object:
        opened[os.path.basename(str(path))] += 1
        return builtin(path, *args, **kwargs)  # type: ignore[call-overload]

    with monkeypatch.context() as patched:
        patched.setattr("hashlib.file_digest", lambda *args: counted(real_digest(*args)))
        patched.setattr("hashlib.sha256", lambda *args, **kwargs: counted(real_sha256(*args, **kwargs)))
        patched.setattr(Path, "open", path_open)
        patched.setattr(Path, "read_bytes", read_bytes)
        patched.setattr("biomech_id.readers.source.open", plain_open, raising=False)
        of()
    return opened, hashed


@pytest.mark.skipif(os.name == "nt", reason="there each file is hashed once more at the end")
@pytest.mark.parametrize("age", ["old", "new"])
def test_an_analysis_opens_and_hashes_every_input_once(age: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from biomech_id.pipeline.analyse import analyse_job
    from biomech_id.request.job import Job
    from biomech_id.request.recipe import Recipe

    subject = tmp_path / "anna"
    subject.mkdir()
    for name in ("static.c3d", "walk01.c3d"):
        shutil.copyfile(ROOT / "data" / name, subject / name)
    (subject / "subject.toml").write_text("mass_kg = 70\n", encoding="utf-8")
    (subject / "review.toml").write_text("schema = 1\n", encoding="utf-8")
    own = {"marker_set": "markersets/plug-in-gait.toml", "inertia_table": "anthropometry/tables/dempster-winter.csv"}
    for path in own.values():
        shutil.copyfile(ROOT / "biomech_id" / path, subject / Path(path).name)
    recipe = Recipe(report=False, budget=False, uncertainty=False).replaced(
        **{name: str(subject / Path(path).name) for name, path in own.items()}
    )
    files = sorted(subject.iterdir())
    if age == "old":
        monkeypatch.setattr(inputs, "COARSEST_CLOCK_S", 0.0)
        time.sleep(0.05)
    job = Job((subject,), recipe)
    opened, hashed = readings(lambda: job.__dict__.update(result=analyse_job(job, trust=True)), monkeypatch)
    times = {"old": 1, "new": 2}[age]
    assert {path.name: opened[path.name] for path in files} == {path.name: times for path in files}
    assert {path.name: hashed[sha256_of(path)] for path in files} == {path.name: times for path in files}
    result = job.__dict__["result"]
    assert result.inputs == {path.name: sha256_of(path) for path in files}
    assert "input-changed" not in {finding.rule for finding in result.session_findings}


def in_place(path: Path) -> None:
    path.write_bytes(b"B" * 100)


def by_another(path: Path) -> None:
    path.with_suffix(".new").write_bytes(b"B" * 100)
    os.replace(path.with_suffix(".new"), path)


@pytest.mark.parametrize("clock_s", [0.0, 100.0], ids=["settled", "undecided"])
@pytest.mark.parametrize("change", [in_place, by_another, Path.unlink])
def test_a_change_that_keeps_size_and_time_is_seen(
    change: Callable[[Path], None], clock_s: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "COARSEST_CLOCK_S", clock_s)
    path = tmp_path / "walk.c3d"
    path.write_bytes(b"A" * 100)
    time.sleep(0.05)
    with reading_once() as seen:
        assert read_input(path) == b"A" * 100
        times = path.stat()
        assert not seen.changed(path)
        change(path)
        if path.exists():
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert seen.changed(path)
        assert read_input(path) == b"A" * 100, "who reads it again reads the same"
    assert not path.exists() or read_input(path) == b"B" * 100


def test_the_same_bytes_written_again_are_no_change(tmp_path: Path) -> None:
    path = tmp_path / "walk.c3d"
    path.write_bytes(b"A" * 100)
    with reading_once() as seen:
        read_input(path)
        path.unlink()
        path.write_bytes(b"A" * 100)
        assert not seen.changed(path)


def test_a_table_too_long_to_be_kept_that_reads_as_another_the_second_time_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "KEPT_BYTES", 10)
    path = tmp_path / "forces.mot"
    path.write_bytes(b"A" * 100)
    with reading_once() as seen:
        first = read_input(path)
        path.write_bytes(b"B" * 100)
        assert read_input(path) != first
        path.write_bytes(b"A" * 100)
        assert seen.changed(path)


def test_what_is_kept_of_all_files_together_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session of OpenSim's tables would hold all of them: a hundred of 5 MB each."""
    monkeypatch.setattr(inputs, "KEPT_BYTES_IN_ALL", 250)
    paths = [tmp_path / f"walk{number}.trc" for number in range(4)]
    with reading_once() as seen:
        for path in paths:
            path.write_bytes(b"A" * 100)
            read_input(path)
        assert [seen.kept(path) is not None for path in paths] == [True, True, False, False]
        assert not any(map(seen.changed, paths))


def test_what_nobody_read_is_judged_from_the_beginning(tmp_path: Path) -> None:
    path, pipe = tmp_path / "walk_grf.mot", tmp_path / "pipe"
    path.write_bytes(b"A" * 100)
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)
    seen = InputsRead()
    seen.expect([path, pipe])
    assert (seen.sha256(path), seen.sha256(pipe)) == (sha256_of(path), "")
    assert not seen.changed(path)
    assert not seen.changed(pipe)
    seen = InputsRead()
    seen.expect([path])
    by_another(path)
    assert seen.sha256(path) == sha256_of(path)
    assert seen.changed(path), "somebody may have read the bytes that were there"
    assert not seen.changed(tmp_path / "never there")
    (tmp_path / "later").touch()
    assert seen.changed(tmp_path / "later")


def test_a_clock_that_may_be_too_coarse_decides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "walk.c3d"
    path.touch()
    state = state_of(path)
    assert state is not None
    assert not state.settled
