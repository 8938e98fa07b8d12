"""A study on a real dask.distributed cluster: a scheduler and two workers on the loopback, and the same bytes as one process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.pipeline.study.batch import run_study
from biomech_id.pipeline.study.cluster import cluster_executor
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample import virtual_subject, write_c3d
from biomech_id.session.values.step import Step

pytest.importorskip("distributed")

QUICK = Recipe(report=False, budget=False)
SUBJECTS = 6
#: Seconds for processes that import dask to come up on a busy machine.
PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Subjects of different mass, and one broken file."""
    root = tmp_path_factory.mktemp("lab") / "archive"
    for number in range(SUBJECTS):
        folder = root / f"subject {number}"
        folder.mkdir(parents=True)
        person = virtual_subject(code=f"S{number}", mass_kg=60.0 + 5.0 * number, lead="LR"[number % 2])
        write_c3d(person.static("static"), folder / "static.c3d")
        write_c3d(person.walk("walk01"), folder / "walk01.c3d")
    (root / "subject 3" / "walk02.c3d").write_bytes(b"no recording" * 100)
    return root


def files_of(out: Path) -> dict[str, bytes]:
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def alone(study: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("alone") / "out"
    run_study(study, out, Job((study,), recipe=QUICK), workers=1)
    return files_of(out)


class Cluster:
    """A scheduler and its workers, each a process of its own in a folder of its own."""

    def __init__(self, folder: Path, held: ExitStack) -> None:
        self._folder, self._held = folder, held
        self._file = folder / "scheduler.json"
        local = ["--host", "127.0.0.1"]
        self._start("scheduler", "--scheduler-file", str(self._file), "--port", "0", *local, "--no-dashboard", "--no-show")
        self._until(self._file.is_file)
        self.address = json.loads(self._file.read_text(encoding="utf-8"))["address"]
        words = ("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", *local, self.address)
        self.workers = [self._start(*words) for _ in range(2)]
        from distributed import Client

        with Client(self.address) as client:
            client.wait_for_workers(2, timeout=PATIENCE_S)

    def _start(self, kind: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words]
        process = subprocess.Popen(command, cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._held.callback(process.wait, PATIENCE_S)
        self._held.callback(process.kill)
        return process

    @staticmethod
    def _until(ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not ready():
            assert time.monotonic() < deadline, "the scheduler did not start"
            time.sleep(0.05)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as held:
        (tmp_path / "cluster").mkdir()
        yield Cluster(tmp_path / "cluster", held)


def test_a_cluster_gives_the_same_bytes(study: Path, cluster: Cluster, tmp_path: Path, alone: dict[str, bytes]) -> None:
    recipe = tmp_path / "quick.toml"
    recipe.write_text("[output]\nreport = false\nbudget = false\n", encoding="utf-8")
    # Relative paths, as people type them: the workers have other working folders.
    study, out = (Path(os.path.relpath(path)) for path in (study, tmp_path / "out"))
    words = ["batch", str(study), "-o", str(out), "--scheduler", cluster.address, "--recipe", str(recipe)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 3, result.output
    assert "walk02.c3d" in result.stderr
    assert files_of(out) == alone


def test_a_worker_killed_in_the_middle_changes_no_byte(
    study: Path, cluster: Cluster, tmp_path: Path, alone: dict[str, bytes]
) -> None:
    ended: list[str] = []

    def kill_one(step: Step) -> None:
        if not ended:
            # Tasks of both workers are under way.
            cluster.workers[0].send_signal(signal.SIGKILL)
            cluster.workers[0].wait()
        ended.append(step.trial)

    with cluster_executor(cluster.address) as executor:
        run_study(study, tmp_path / "out", Job((study,), recipe=QUICK), executor=executor, progress=kill_one)
    assert len(ended) == SUBJECTS
    assert cluster.workers[1].poll() is None
    finished = {name: content for name, content in files_of(tmp_path / "out").items() if "/." not in f"/{name}"}
    assert finished == alone


def test_nobody_at_the_address_is_one_sentence(study: Path, tmp_path: Path) -> None:
    # Port 9 is for discarding; no scheduler listens there.
    words = [sys.executable, "-c", "from biomech_id.cli import main; main()", "batch", str(study), "-o", str(tmp_path / "out")]
    result = subprocess.run([*words, "--scheduler", "tcp://127.0.0.1:9"], capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr.strip() == "biomech-id: No dask scheduler answers at tcp://127.0.0.1:9."
    assert not (tmp_path / "out").exists()
