"""Hostile surroundings: one sentence that blames the machine and not the program or a file."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from biomech_id.cli.streams import shown
from biomech_id.errors import FileRefusedError, OptionError
from biomech_id.files.surroundings import NO_FILES, NO_MEMORY, free_bytes, require_any_room, surroundings
from biomech_id.pipeline.long_recordings import ALWAYS_FRAMES, out_of_memory, require_room
from biomech_id.pipeline.run import run_job
from biomech_id.readers import read_c3d
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe, read_recipe

DATA = Path(__file__).resolve().parents[3] / "data"
COMMAND = [sys.executable, "-c", "from biomech_id.cli import main; main()"]
POSIX = pytest.mark.skipif(os.name == "nt", reason="limits and descriptors of POSIX systems")


def started(*words: object, before: Callable[[], None] | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100, preexec_fn=before, cwd=cwd)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), NO_MEMORY),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), NO_MEMORY),
        (OSError(errno.EMFILE, "Too many open files"), NO_FILES),
        (ImportError("x.so: failed to map segment from shared object"), NO_MEMORY),
        (RuntimeError("can't start new thread"), NO_MEMORY),
        (SystemError("error return without exception set"), NO_MEMORY),
        (RuntimeError("Symlink loop from '/a/b.c3d'"), "/a/b.c3d is a link"),
        (OSError(errno.ELOOP, "Too many levels", "/a/b.c3d"), "/a/b.c3d is a link"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_what_the_machine_lacks_is_no_fault_of_the_program(error: Exception, said: str) -> None:
    assert (surroundings(error) or "").startswith(said)
    later = ValueError("something else")
    later.__cause__ = error
    assert (surroundings(later) or "").startswith(said)


def test_other_errors_are_not_blamed_on_the_machine() -> None:
    assert surroundings(ValueError("wrong")) is None
    assert surroundings(FileNotFoundError(errno.ENOENT, "no such file")) is None
    assert surroundings(ImportError("no module named x")) is None


def test_names_cannot_write_on_the_terminal() -> None:
    assert shown("a\nb\x1b[31m\u202ec\udce4") == "a\\nb\\x1b[31m\\u202ec\\udce4"
    assert shown("Ferse_länks.c3d") == "Ferse_länks.c3d"


@pytest.mark.parametrize(("text", "said"), [("a = " + "[" * 9000, "nested too deep"), ("x = '" + "a" * 5_000_000, "nobody writes")])
def test_endless_toml_is_refused_in_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text(text, encoding="utf-8")
    with pytest.raises(OptionError, match=said):
        read_recipe(tmp_path / "r.toml")


@pytest.mark.parametrize("report", [True, False])
def test_a_report_that_is_drawn_later_needs_no_room_now(report: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr("biomech_id.pipeline.stage.trial.require_room", lambda trial, **how: asked.append(how["whole"]))
    run_job(Job((DATA,), Recipe(report=True)), tmp_path / "out", report=report, until="prepare")
    assert set(asked) == {report}


def test_a_recording_that_does_not_fit_says_how_many_frames_do() -> None:
    trial = read_c3d(DATA / "walk01.c3d", trust=True)
    require_room(trial, bands=True, free=0)  # a short one is always analysed
    long = SimpleNamespace(name="day", n_frames=100_000, markers=trial.markers, plates=())
    with pytest.raises(
        FileRefusedError, match=r"enough for about 8000 of them.*three times as many.*cut it into shorter"
    ) as caught:
        require_room(long, bands=True, free=10**9)  # type: ignore[arg-type]
    assert caught.value.value == 100_000
    with pytest.raises(FileRefusedError, match=r"about 25000 of them \(without report, review page and norm twice as many\):"):
        require_room(long, bands=False, free=10**9)  # type: ignore[arg-type]
    with pytest.raises(FileRefusedError, match=r"about 41666 of them: cut it"):
        require_room(long, bands=True, whole=False, free=10**9)  # type: ignore[arg-type]
    require_room(long, bands=False, whole=False, free=2 * 10**9)  # type: ignore[arg-type]
    with pytest.raises(FileRefusedError, match=r"about 2857 of them \(without uncertainty, .* seven times as many"):
        require_room(long, bands=True, whole=False, opensim=True, free=10**9)  # type: ignore[arg-type]
    require_room(long, bands=True, free=10**11)  # type: ignore[arg-type]
    assert free_bytes() > ALWAYS_FRAMES
    assert "100" in out_of_memory(long).message  # type: ignore[arg-type]
    with pytest.raises(MemoryError):
        require_any_room(free=1)


@POSIX
@pytest.mark.slow
def test_a_link_to_itself(tmp_path: Path) -> None:
    for name in ("static.c3d", "walk01.c3d"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    (tmp_path / "walk02.c3d").symlink_to("walk02.c3d")
    ended = started("run", tmp_path, "-o", tmp_path / "out")
    assert ended.returncode == 1
    assert ended.stderr.strip().splitlines() == [
        f"biomech-id: {tmp_path / 'walk02.c3d'} is a link that leads to itself: remove it, or let it lead to a file."
    ]


@POSIX
@pytest.mark.slow
def test_closed_streams_a_folder_that_is_gone_and_few_descriptors(tmp_path: Path) -> None:
    usual = started("check", DATA / "static.c3d")
    assert usual.returncode in (0, 3)

    def closed_and_gone() -> None:
        for descriptor in (0, 2):
            os.close(descriptor)
        (tmp_path / "gone").mkdir()
        os.chdir(tmp_path / "gone")
        os.rmdir(tmp_path / "gone")

    assert started("check", DATA / "static.c3d", before=closed_and_gone).stdout == usual.stdout
    nobody = started("check", DATA / "static.c3d", before=lambda: os.close(1))
    assert (nobody.returncode, nobody.stdout, nobody.stderr) == (usual.returncode, "", usual.stderr)

    def few() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6))

    poor = started("check", DATA / "static.c3d", before=few)
    assert (poor.returncode, poor.stdout) == (1, "")
    assert poor.stderr.strip().splitlines() == [f"biomech-id: {NO_FILES}"]


@POSIX
@pytest.mark.slow
def test_little_memory(tmp_path: Path) -> None:
    pytest.importorskip("resource")

    def little() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (330 * 1024**2, 330 * 1024**2))

    ended = started("run", DATA, "-o", tmp_path / "out", before=little)
    assert ended.returncode == 1
    assert ended.stderr.strip().splitlines()[-1] == f"biomech-id: {NO_MEMORY}"
    assert not (tmp_path / "out").exists()
