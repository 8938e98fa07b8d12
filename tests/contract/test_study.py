"""A study: every subject, however deep; nothing stops the rest; resumed by content; the same numbers again."""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from biomech_id.cli import app as command_line
from biomech_id.cli.app import app
from biomech_id.cli.guard import guarded
from biomech_id.errors import MissingInputError, OutputError
from biomech_id.pipeline.study.batch import run_study, run_subjects
from biomech_id.pipeline.study.workers import ProcessPool
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample import virtual_subject, write_c3d

QUICK = Recipe(report=False, budget=False)
GONE = MissingInputError("It is gone.", value="", expected="a file", where="")
runner = CliRunner()


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three good subjects at different depths, and one whose only file is broken."""
    root = tmp_path_factory.mktemp("lab") / "study"
    for place, body in (("anna/2020", "adult"), ("anna/2021", "child"), ("ben", "adult")):
        folder = root / place
        folder.mkdir(parents=True)
        person = virtual_subject(body=body, code=place.replace("/", "-"))
        write_c3d(person.static("static"), folder / "static.c3d")
        write_c3d(person.walk("walk01"), folder / "walk01.c3d")
    (root / "carl").mkdir()
    (root / "carl" / "broken.c3d").write_bytes(b"no recording" * 200)
    return root


def files_of(out: Path) -> dict[str, bytes]:
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def done(study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study's results: tests look at them, and change copies of them."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    run_study(study, out, Job((study,), recipe=QUICK), workers=1)
    return out


@pytest.fixture(scope="module")
def undisturbed(done: Path) -> dict[str, bytes]:
    return files_of(done)


def test_every_subject_has_its_folder_and_the_broken_one_a_sentence(undisturbed: dict[str, bytes]) -> None:
    for subject in ("anna/2020", "anna/2021", "ben"):
        assert f"{subject}/manifest.json" in undisturbed
    rows = list(csv.DictReader(undisturbed["verdicts.csv"].decode().splitlines()))
    assert [(row["subject"], row["verdict"]) for row in rows if row["verdict"] == "failed"] == [("carl", "failed")]
    assert "broken.c3d" in rows[-1]["sentence"]
    assert {name for name in undisturbed if name.startswith("study/")} >= {"study/study.json"}
    assert not [name for name in undisturbed if "/." in f"/{name}"]


def test_what_is_in_no_mean_is_named_with_its_reason(undisturbed: dict[str, bytes]) -> None:
    rows = list(csv.DictReader(undisturbed["left_out.csv"].decode().splitlines()))
    assert all(row["reason"] and row["rule"] for row in rows)
    assert [row["rule"] for row in rows if row["subject"] == "carl"] == ["not-analysed"]
    for subject in ("anna/2020", "anna/2021", "ben"):
        (trial,) = json.loads(undisturbed[f"{subject}/summary.json"])["trials"]
        missing = {
            (cycle["side"], cycle["cycle"]): "means" if not cycle["used"] else "kinetics"
            for cycle in trial["cycles"]
            if not cycle["used"] or cycle["kinetics_valid"] == "false"
        }
        named = {
            (row["side"], int(row["cycle"])): row["of"] for row in rows if (row["subject"], row["trial"]) == (subject, "walk01")
        }
        assert named == missing
        assert missing


def test_the_number_of_workers_changes_no_byte(study: Path, tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    run_study(study, tmp_path / "out", Job((study,), recipe=QUICK), workers=2)
    assert files_of(tmp_path / "out") == undisturbed


def test_any_executor_will_do(study: Path, tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    with ThreadPoolExecutor(1) as pool:
        run_study(study, tmp_path / "out", Job((study,), recipe=QUICK), executor=pool)
        # It was not ours to close.
        assert pool.submit(lambda: 1).result() == 1
    assert files_of(tmp_path / "out") == undisturbed


def test_resume_computes_only_what_is_missing_or_has_changed(
    study: Path, done: Path, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    own = Path(shutil.copytree(study, tmp_path / "study"))
    out = Path(shutil.copytree(done, tmp_path / "out"))
    job = Job((own,), recipe=QUICK)
    shutil.rmtree(out / "ben")
    (out / "anna/2021/cycles.csv").write_text("spoiled", encoding="utf-8")
    kept = {v.subject: v.kept for v in run_study(own, out, job, resume=True).verdicts}
    assert (kept["anna/2020"], kept["anna/2021"], kept["ben"]) == (True, False, False)
    for name, content in undisturbed.items():
        assert (out / name).read_bytes() == content, name
    # File times do not count, content does.
    os.utime(own / "ben/walk01.c3d")
    assert all(v.kept or v.failed for v in run_study(own, out, job, resume=True).verdicts)
    person = virtual_subject(speed_m_s=1.0, code="ben")
    write_c3d(person.walk("walk01"), own / "ben/walk01.c3d")
    assert not {v.subject: v.kept for v in run_study(own, out, job, resume=True).verdicts}["ben"]


class _DyingPool(Executor):
    """Loses the worker of one subject, as a process pool does: every task under way fails with it."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        from concurrent.futures.process import BrokenProcessPool

        future: Future[Any] = Future()
        if args[0].subject == "ben":
            future.set_exception(BrokenProcessPool("a process died"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_a_dying_worker_is_blamed_on_its_subject_alone(study: Path, tmp_path: Path) -> None:
    subjects = {name: study / name for name in ("anna/2020", "ben", "anna/2021")}
    verdicts = run_subjects(subjects, tmp_path / "out", Job((study,), recipe=QUICK), executor=_DyingPool())
    assert [v.failed for v in verdicts] == [False, True, False]
    assert "died" in verdicts[1].sentence


def workers_of(parent: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == parent and "spawn_main" in (entry / "cmdline").read_text():
                yield int(entry.name)


def gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


#: Instants at which something is killed, as shares of the time from the first worker's start to the end of an undisturbed batch;
#: `benchmarks.studies.killed_runs` has hundreds.
MOMENTS = [hundredths / 100 for hundredths in random.Random(20240229).sample(range(95), k=12)]


class Undisturbed(NamedTuple):
    """A study with enough subjects to be interrupted in, what becomes of it, and how long that takes from the first worker on."""

    study: Path
    files: dict[str, bytes]
    span_s: float


def started_batch(study: Path, out: Path, recipe: Path) -> subprocess.Popen[bytes]:
    """Start a batch with two workers, and return it when the first of them is there."""
    recipe.write_text("[output]\nreport = false\nbudget = false\n", encoding="utf-8")
    code = "from biomech_id.cli import main; main()"
    words = [sys.executable, "-c", code, "batch", str(study), "-o", str(out), "--recipe", str(recipe), "--workers", "2"]
    parent = subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not list(workers_of(parent.pid)):
        assert parent.poll() is None
        time.sleep(0.01)
    return parent


@pytest.fixture(scope="module")
def long_study(study: Path, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Six subjects of one short walk each, so that most of a batch is spent between files, not on one of them."""
    root = tmp_path_factory.mktemp("long")
    own = Path(shutil.copytree(study, root / "study"))
    for walk in own.rglob("walk01.c3d"):
        person = virtual_subject(body="child" if "2021" in walk.parts else "adult", code="-".join(walk.relative_to(own).parts[:-1]))
        write_c3d(person.walk("walk01", duration_s=2.0), walk)
    for number in range(3):
        shutil.copytree(own / "ben", own / f"ben{number}")
    parent = started_batch(own, root / "out", root / "quick.toml")
    started = time.monotonic()
    assert parent.wait() == 3
    return Undisturbed(own, files_of(root / "out"), time.monotonic() - started)


def batch_at(moment: float, usual: Undisturbed, folder: Path) -> tuple[subprocess.Popen[bytes], list[int]]:
    """Return a batch that is under way at a moment, and its workers; earlier where it turns out quicker than usual."""
    while True:
        parent = started_batch(usual.study, folder / "out", folder / "quick.toml")
        time.sleep(moment * usual.span_s)
        workers = list(workers_of(parent.pid))
        if workers and parent.poll() is None:
            return parent, workers
        parent.wait()
        shutil.rmtree(folder / "out")
        moment /= 2


def visible(out: Path) -> dict[str, bytes]:
    files = files_of(out) if out.exists() else {}
    return {name: content for name, content in files.items() if "/." not in f"/{name}"}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc")
@pytest.mark.parametrize("moment", MOMENTS[::2])
def test_killed_at_any_instant_and_resumed(long_study: Undisturbed, tmp_path: Path, moment: float) -> None:
    """SIGKILL of the parent: its workers end within two seconds, nothing is half-written, and resume gives the same bytes."""
    parent, workers = batch_at(moment, long_study, tmp_path)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    ended = time.monotonic() + 2.0
    while time.monotonic() < ended and not all(map(gone, workers)):
        time.sleep(0.05)
    assert all(map(gone, workers))
    out = tmp_path / "out"
    for name, content in visible(out).items():
        assert content == long_study.files[name], f"{name} was half-written"
    run_study(long_study.study, out, Job((long_study.study,), recipe=QUICK), resume=True)
    after = files_of(out)
    after.pop("verdicts.csv")
    assert after == {name: content for name, content in long_study.files.items() if name != "verdicts.csv"}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc")
@pytest.mark.parametrize("moment", MOMENTS[1::2])
def test_a_worker_killed_at_any_instant_changes_no_byte(long_study: Undisturbed, tmp_path: Path, moment: float) -> None:
    """SIGKILL of a worker: what was under way is done again, without anybody's help."""
    parent, workers = batch_at(moment, long_study, tmp_path)
    os.kill(workers[0], signal.SIGKILL)
    # One subject's only file is broken and nothing else is amiss: done, with warnings.
    assert parent.wait(timeout=60) == 3
    assert visible(tmp_path / "out") == long_study.files


def test_a_norm_is_made_from_a_study_and_used(study: Path, done: Path, tmp_path: Path) -> None:
    # One of the sessions had to be filtered, and its plates with it: a norm holds the loads of each unless it is to pool them.
    apart = runner.invoke(app, ["norm", str(done), "-o", str(tmp_path / "apart.csv")])
    assert apart.exit_code == 0, apart.output
    rows = list(csv.DictReader((tmp_path / "apart.csv").open(encoding="utf-8")))
    assert len({row["bandwidth"] for row in rows if row["variable"] == "KneeMoment"}) == 2
    made = runner.invoke(app, ["norm", str(done), "-o", str(tmp_path / "norm.csv"), "--mix", "bandwidth"])
    assert made.exit_code == 0, made.output
    assert "not a clinical norm" in made.output
    asked = ["--norm", str(tmp_path / "norm.csv"), "--recipe", str(tmp_path / "mixed.toml")]
    (tmp_path / "mixed.toml").write_text('[output]\nmix = ["bandwidth"]\nreport = false\nbudget = false\n', encoding="utf-8")
    ran = runner.invoke(app, ["run", str(study / "ben"), "-o", str(tmp_path / "ben"), *asked])
    assert ran.exit_code in (0, 3), ran.output
    assert (tmp_path / "ben" / "norm.csv").is_file()
    scores = list(csv.DictReader((tmp_path / "ben" / "scores.csv").open(encoding="utf-8")))
    assert {row["score"] for row in scores} >= {"GPS"}
    other = runner.invoke(
        app, ["run", str(study / "ben"), "-o", str(tmp_path / "v"), "--kinetics", "vicon", "--norm", str(tmp_path / "norm.csv")]
    )
    # What was computed otherwise is left out, and the report stands.
    assert other.exit_code in (0, 3), other.output
    found = json.loads((tmp_path / "v" / "summary.json").read_text(encoding="utf-8"))["findings"]
    assert "norm-part-left-out" in {each["rule"] for each in found}


def test_no_result_lies_inside_another_and_none_is_lost_to_the_tables(study: Path, tmp_path: Path) -> None:
    """Recordings at the top, in a folder above other sessions, and in folders named like the study's own tables."""
    own = tmp_path / "lab"
    for place in ("", "anna", "anna/2020", "study/a"):
        (own / place).mkdir(parents=True, exist_ok=True)
        for name in ("static.c3d", "walk01.c3d"):
            shutil.copy(study / "ben" / name, own / place / name)
    # Another system's litter and a snapshot of the disk are nobody's recordings.
    (own / "anna" / "._walk01.c3d").write_bytes(b"litter")
    shutil.copytree(study / "ben", own / ".snapshot" / "ben")
    out = own / "results"
    job = Job((own,), recipe=QUICK.replaced(write_c3d=True))
    first = run_study(own, out, job, workers=2)
    assert [(v.subject, v.failed) for v in first.verdicts] == [
        ("lab", False), ("anna/anna", False), ("anna/2020", False), ("study_/a", False),
    ]  # fmt: skip
    assert json.loads((out / "study" / "study.json").read_text(encoding="utf-8"))["subjects"] == [
        "anna/2020", "anna/anna", "lab", "study_/a",
    ]  # fmt: skip
    # The copies of recordings in OUT are not taken for a subject, and every name still means the same folder.
    assert [v.kept for v in run_study(own, out, job, resume=True).verdicts] == [True] * 4
    again = runner.invoke(app, ["reproduce", str(out), "--input", str(own)])
    assert again.exit_code == 0, again.output
    # Four subjects, and the tables of the study.
    assert again.output.count("equal, byte for byte") == 5


def test_one_subject_without_recordings_keeps_no_other_from_being_compared(study: Path, done: Path, tmp_path: Path) -> None:
    own = Path(shutil.copytree(study, tmp_path / "study"))
    shutil.rmtree(own / "anna" / "2020")
    again = runner.invoke(app, ["reproduce", str(done), "--input", str(own)])
    assert again.exit_code == 1
    assert "anna/2020: differs" in again.output
    assert "There is no folder" in again.output
    assert again.output.count("equal, byte for byte") == 3


class _Cluster(Executor):
    """Runs tasks in another working folder, as the workers of a cluster do; gives up on one subject as dask does."""

    def __init__(self, elsewhere: Path, lost: str) -> None:
        self._elsewhere = elsewhere
        self._lost = lost

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if args[0].subject == self._lost:
            future.set_exception(RuntimeError("worker killed three times"))
            return future
        here = Path.cwd()
        os.chdir(self._elsewhere)
        try:
            future.set_result(fn(*args, **kwargs))
        finally:
            os.chdir(here)
        return future


def test_relative_paths_reach_workers_elsewhere_and_a_lost_task_is_one_verdict(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: dict[str, bytes]
) -> None:
    monkeypatch.chdir(study.parent)
    out = Path(os.path.relpath(tmp_path / "out"))
    outcome = run_study(Path("study"), out, Job((Path("study"),), recipe=QUICK), executor=_Cluster(tmp_path, "ben"))
    verdicts = {v.subject: v for v in outcome.verdicts}
    assert [s for s, v in verdicts.items() if v.failed] == ["ben", "carl"]
    assert "lost" in verdicts["ben"].sentence
    # Sentences name files as seen from the study.
    assert "carl/broken.c3d" in verdicts["carl"].sentence
    assert str(study) not in verdicts["carl"].sentence
    kept = files_of(tmp_path / "out")
    assert kept["anna/2021/cycles.csv"] == undisturbed["anna/2021/cycles.csv"]


class _IdleDeath(ProcessPool):
    """Its only worker dies between the first task and the second."""

    deaths = 0

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = super().submit(function, *args, **kwargs)
        if type(self).deaths == 0:
            type(self).deaths = 1
            wait([future])
            wait([super().submit(os._exit, 1)])
        return future


def test_a_worker_that_dies_between_tasks_costs_nothing(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: dict[str, bytes]
) -> None:
    monkeypatch.setattr("biomech_id.pipeline.study.crew.ProcessPool", _IdleDeath)
    run_study(study, tmp_path / "out", Job((study,), recipe=QUICK), workers=1)
    assert _IdleDeath.deaths == 1
    assert files_of(tmp_path / "out") == undisturbed


def threads_variable_after(seconds: float) -> tuple[int, str | None]:
    time.sleep(seconds)
    return os.getpid(), os.environ.get("OMP_NUM_THREADS")


def test_every_worker_has_one_thread_for_linear_algebra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    pool = ProcessPool(2)
    # The second worker starts with the second task, long after the pool.
    first = pool.submit(os.getenv, "OMP_NUM_THREADS").result()
    later = [pool.submit(threads_variable_after, 0.3) for _ in range(2)]
    seen = {future.result() for future in later}
    pool.end()
    assert first == "1"
    assert len({process for process, _ in seen}) == 2
    assert {value for _, value in seen} == {"1"}
    assert "OMP_NUM_THREADS" not in os.environ


PRINTS_ITS_THREADS = """
import os, sys
from biomech_id.cli import app, main
assert "numpy" not in sys.modules
app.typer.Typer.__call__ = lambda self: print(os.environ["OMP_NUM_THREADS"], os.environ["OPENBLAS_NUM_THREADS"])
main()
"""


def test_the_command_itself_adds_up_in_the_order_of_its_workers() -> None:
    """Sums depend on the number of threads in their last digits: `run`, `batch` and `reproduce` must not differ by them."""
    unset = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    for asked, expected in (({}, "1 1"), ({"OMP_NUM_THREADS": "3"}, "3 1")):
        words = [sys.executable, "-c", PRINTS_ITS_THREADS]
        told = subprocess.run(words, capture_output=True, text=True, check=True, env={**unset, **asked}).stdout
        assert told.strip() == expected


@pytest.mark.parametrize(
    "words",
    [
        ["-o", "{study}"],
        ["-o", "{file}/out"],
        ["-o", "{out}", "--norm", "{study}/absent.csv"],
        ["-o", "{out}", "--recipe", "{markers}"],
    ],
)
def test_what_would_fail_for_every_subject_is_said_once_and_first(words: list[str], study: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    out = tmp_path / "out"
    markers = tmp_path / "markers.toml"
    markers.write_text('[model]\nmodel = "six-dof"\nmarker_set = "absent.toml"\n', encoding="utf-8")
    places = {"study": study, "file": file, "out": out, "markers": markers}
    result = runner.invoke(app, ["batch", str(study), *(word.format(**places) for word in words)])
    assert result.exit_code == 1
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert not out.exists()


def test_results_stay_where_the_tables_of_the_study_cannot_be_written(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OutputError("The disk is full.", value=None, expected="room", where="study")

    monkeypatch.setattr("biomech_id.pipeline.study.batch.write_study", full)
    own = tmp_path / "study"
    shutil.copytree(study / "ben", own / "ben")
    outcome = run_study(own, tmp_path / "out", Job((own,), recipe=QUICK))
    assert outcome.complaint == "The disk is full."
    assert (tmp_path / "out/verdicts.csv").is_file()
    assert (tmp_path / "out/ben/manifest.json").is_file()


@pytest.mark.skipif(os.name == "nt", reason="an interruption is sent as a signal")
def test_an_interruption_waits_until_a_process_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread may receive the signal, and a process whose start is broken off shows a traceback of its own."""
    pool = ProcessPool(1)
    begun: list[str] = []

    def interrupted_half_way(self: ProcessPoolExecutor, function: object, *_: object) -> None:
        other = threading.Thread(target=receive_interruption)
        other.start()
        other.join()
        begun.append("the start went on")

    monkeypatch.setattr(ProcessPoolExecutor, "submit", interrupted_half_way)
    # A shell that starts tests in the background lets them ignore interruptions.
    given = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            pool.submit(os.getpid)
        assert begun == ["the start went on"]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, given)
    pool.end()


def receive_interruption() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)


#: A shell that starts tests in the background lets them ignore interruptions, and what they start as well.
#: The program as a terminal starts it; it says from its own first step, not before it, that it can be interrupted.
HEARS_INTERRUPTIONS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from biomech_id.cli import app

first_step = app.open_standard_streams

def step_and_ready():
    print("ready", flush=True)
    first_step()

app.open_standard_streams = step_and_ready
app.main()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="an interruption is sent as a signal")
@pytest.mark.parametrize("command", ["run", "batch"])
@pytest.mark.parametrize("delay_s", [0.0, 0.02, 0.1, 0.5, 1.6])
def test_an_interruption_is_one_sentence_and_130(study: Path, tmp_path: Path, command: str, delay_s: float) -> None:
    """Ctrl-C reaches the whole group of processes, as it does from a terminal."""
    place = study / "ben" if command == "run" else study
    words = [sys.executable, "-c", HEARS_INTERRUPTIONS, command, str(place), "-o", str(tmp_path / "out")]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stderr is not None
    assert process.stdout is not None
    process.stdout.readline()
    first = process.stderr.readline() if command == "run" else ""
    time.sleep(delay_s)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130, first + told
    assert "Traceback" not in told
    assert told.strip().splitlines()[-1] == "biomech-id: Interrupted; nothing was left half-written."
    assert not list(tmp_path.rglob(".*"))


def test_an_interruption_in_the_library_s_own_code_is_the_same_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between the words that are read and the command that runs, Typer's own code is interrupted."""

    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command_line._Program, "invoke", interrupted)
    monkeypatch.setattr(sys, "argv", ["biomech-id", "demo"])
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "biomech-id: Interrupted; nothing was left half-written.\n"


def replaced(error: Exception) -> int:
    try:
        raise KeyboardInterrupt
    finally:
        raise error


def lost(error: Exception) -> int:
    """As CPython 3.11 loses an interruption that comes while it looks for a name to import: nothing of it is left."""
    with suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    raise error


@pytest.mark.parametrize("interruption", [replaced, lost])
@pytest.mark.parametrize("error", [BrokenPipeError(), TypeError("expected a message"), GONE])
def test_what_an_interruption_breaks_is_the_same_sentence(
    error: Exception,
    interruption: Callable[[Exception], int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ctrl-C reaches the workers too: who then writes to one that is gone finds its pipe broken."""

    def interrupted() -> int:
        return interruption(error)

    monkeypatch.setattr(sys, "argv", ["biomech-id", "interrupted"])
    program = typer.Typer(cls=command_line._Program)
    program.callback()(lambda: None)
    program.command("interrupted")(guarded(interrupted))
    monkeypatch.setattr(command_line, "app", program)
    given = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(SystemExit) as ended:
            command_line.main()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, given)
    assert ended.value.code == 130
    assert capsys.readouterr().err == "biomech-id: Interrupted; nothing was left half-written.\n"


def test_a_reader_that_has_read_enough_is_no_error(study: Path) -> None:
    words = [sys.executable, "-c", "from biomech_id.cli import main; main()", "check", "--json", str(study)]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    assert json.loads(process.stdout.readline())["schema"] == 3
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=30)
    assert told == ""
    assert process.returncode == 130
