"""What is not a C3D file, and the process that reads what nobody vouches for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from c3d_builder import healthy

from biomech_id.errors import FileRefusedError
from biomech_id.judgement.check import check_file
from biomech_id.readers import read_c3d, sandbox_child
from biomech_id.readers.sandbox import Sandbox
from biomech_id.readers.source import read_source

#: A hang, not a speed: what hangs other readers must be turned away long before this, on a busy machine too.
AT_ONCE_S = 10.0


def sentence(path: Path) -> str:
    started = time.perf_counter()
    with pytest.raises(FileRefusedError) as caught:
        read_source(path)
    assert time.perf_counter() - started < AT_ONCE_S
    assert "\n" not in caught.value.message
    return caught.value.message


def test_a_directory(tmp_path: Path) -> None:
    assert "is a directory" in sentence(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_nobody_writes_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.c3d")
    assert "is a pipe" in sentence(tmp_path / "pipe.c3d")
    assert not check_file(tmp_path / "pipe.c3d").readable


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_a_device_without_end() -> None:
    assert "is a device" in sentence(Path("/dev/zero"))


def test_two_gigabytes_of_zeros(tmp_path: Path) -> None:
    path = tmp_path / "zeros.c3d"
    with open(path, "wb") as file:
        file.truncate(2 * 1024**3)  # sparse: takes no space
    assert "not a C3D file" in sentence(path)


@pytest.mark.parametrize(("content", "words"), [(b"", "is empty"), (b"\x02P", "only 2 bytes"), (b"text\n" * 400, "not a C3D file")])
def test_empty_short_or_text(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "x.c3d").write_bytes(content)
    assert words in sentence(tmp_path / "x.c3d")


def test_a_missing_file(tmp_path: Path) -> None:
    assert "no such file" in sentence(tmp_path / "gone.c3d").lower()


def test_a_file_that_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = healthy().write(tmp_path / "live.c3d")
    honest = os.fstat

    def later(descriptor: int) -> os.stat_result:
        with open(path, "ab") as file:
            file.write(b"more")
        return honest(descriptor)

    monkeypatch.setattr(os, "fstat", later)
    assert "changed while it was being read" in sentence(path)


@pytest.fixture
def box():  # type: ignore[no-untyped-def]
    sandbox = Sandbox(timeout_s=3.0)
    yield sandbox
    sandbox.close()


def child_of(sandbox: Sandbox) -> subprocess.Popen[bytes]:
    assert sandbox._child is not None
    return sandbox._child


def test_the_child_says_the_same_and_is_reused(tmp_path: Path, box: Sandbox) -> None:
    path = healthy().write(tmp_path / "walk.c3d")
    here, there = read_c3d(path, trust=True), box.read(path).trial
    first = child_of(box).pid
    assert (there.markers.position_m == here.markers.position_m).all()
    assert not there.markers.position_m.flags.writeable
    assert (there.events, there.subject, there.sha256, there.history) == (here.events, here.subject, here.sha256, here.history)
    box.read(path)
    assert child_of(box).pid == first


def test_refusals_cross_the_border_whole(tmp_path: Path, box: Sandbox) -> None:
    (tmp_path / "x.c3d").write_bytes(b"text\n" * 400)
    with pytest.raises(FileRefusedError, match="second byte") as caught:
        box.read(tmp_path / "x.c3d")
    assert caught.value.where == str(tmp_path / "x.c3d")


def test_a_dead_child_is_replaced(tmp_path: Path, box: Sandbox) -> None:
    path = healthy().write(tmp_path / "walk.c3d")
    box.read(path)
    victim = child_of(box)
    victim.kill()
    victim.wait()
    assert box.read(path).trial.n_frames == 100
    assert child_of(box).pid != victim.pid


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot stop a process")
def test_a_child_that_hangs_is_ended_in_time_and_replaced(tmp_path: Path) -> None:
    box = Sandbox(timeout_s=2.0)
    path = healthy().write(tmp_path / "walk.c3d")
    box.read(path)
    victim = child_of(box)
    os.kill(victim.pid, signal.SIGSTOP)
    started = time.perf_counter()
    with pytest.raises(FileRefusedError, match="took more than"):
        box.read(path)
    assert time.perf_counter() - started < AT_ONCE_S
    assert victim.poll() is not None, "no process is left behind"
    assert box.read(path).trial.n_frames == 100
    box.close()


def test_a_child_out_of_memory_is_a_refusal(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    file = healthy()
    file.groups["POINT"]["FRAMES"] = 60_000
    file.points = file.points.repeat(600, axis=0)
    file.analog = file.analog.repeat(600, axis=0)
    path = file.write(tmp_path / "long.c3d")
    box = Sandbox(memory_bytes=300 * 1024**2)
    with pytest.raises(FileRefusedError, match="needs more memory"):
        box.read(path)
    assert box.read(healthy().write(tmp_path / "short.c3d")).trial.n_frames == 100
    box.close()


def test_a_system_without_limits_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, box: Sandbox) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    assert sandbox_child.limit_rights(10**12) is False
    path = healthy().write(tmp_path / "walk.c3d")
    box.read(path)
    box._limited = False
    assert "sandbox-unlimited" in {finding.rule for finding in box.read(path).trial.findings}


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX systems")
def test_a_limit_that_was_there_before_is_kept_and_counts_as_one() -> None:
    """Whoever runs the command under `ulimit -v` is not told that his system has no limits."""
    code = (
        "import resource\nfrom biomech_id.readers.sandbox_child import limit_rights\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))\n"
        "print(limit_rights(2**32), resource.getrlimit(resource.RLIMIT_AS) == (2**31, 2**31))\n"
        "print(limit_rights(2**30), resource.getrlimit(resource.RLIMIT_AS) == (2**30, 2**30))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] * 4


def test_threads_take_turns(tmp_path: Path, box: Sandbox) -> None:
    path = healthy().write(tmp_path / "walk.c3d")
    frames: list[int] = []
    threads = [threading.Thread(target=lambda: frames.append(box.read(path).trial.n_frames)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert frames == [100] * 8


def test_the_child_ends_with_its_parent(tmp_path: Path) -> None:
    path = healthy().write(tmp_path / "walk.c3d")
    code = (
        "import os, sys\nfrom biomech_id.readers import sandbox\n"
        f"sandbox.read_in_sandbox({str(path)!r})\nprint(sandbox._shared._child.pid, flush=True)\nos._exit(1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    pid = int(done.stdout)
    for _ in range(100):
        if not alive(pid):
            return
        time.sleep(0.05)
    pytest.fail("the reading process outlived its parent")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    # A zombie that nobody has collected has ended all the same.
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def test_relative_paths_mean_what_they_mean_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, box: Sandbox) -> None:
    box.read(healthy().write(tmp_path / "elsewhere.c3d"))  # the child runs, in another folder
    healthy().write(tmp_path / "walk.c3d")
    monkeypatch.chdir(tmp_path)
    assert box.read("walk.c3d").trial.path == "walk.c3d"


def test_a_module_in_the_current_folder_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit('planted')")
    healthy().write(tmp_path / "walk.c3d")
    monkeypatch.chdir(tmp_path)
    box = Sandbox()
    assert box.read("walk.c3d").trial.path == "walk.c3d"
    box.close()
