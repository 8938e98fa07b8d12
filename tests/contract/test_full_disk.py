"""Disks that are full or may not be written to: one sentence, and what was there before is there afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from biomech_id.cli.app import app
from biomech_id.pipeline.study.batch import run_study
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample import virtual_subject, write_c3d

QUICK = Recipe(report=False, budget=False)
SUBJECTS = ("anna", "ben", "carl")
MB = 1 << 20


def biomech_id(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones and what is half-written included."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lab") / "study"
    person = virtual_subject()
    for subject in SUBJECTS:
        (root / subject).mkdir(parents=True)
        write_c3d(person.static("static"), root / subject / "static.c3d")
        write_c3d(person.walk("walk01"), root / subject / "walk01.c3d")
    return root


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recipe") / "quick.toml"
    path.write_text("[output]\nreport = false\nbudget = false\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def finished(study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What becomes of the study where there is room."""
    out = tmp_path_factory.mktemp("finished") / "out"
    assert not run_study(study, out, Job((study,), recipe=QUICK)).failed
    return out


class Disk:
    """A small file system of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def fill(self, *, leave: int) -> None:
        """Use up all room but so many bytes."""
        (self.root / "filler").unlink(missing_ok=True)
        with (self.root / "filler").open("wb") as filler:
            os.posix_fallocate(filler.fileno(), 0, shutil.disk_usage(self.root).free - leave)

    def free(self) -> None:
        (self.root / "filler").unlink()

    def lock(self) -> None:
        """Make it read-only."""
        subprocess.run(["mount", "-o", "remount,ro", str(self.root)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    root = tmp_path / "disk"
    root.mkdir()
    mount = shutil.which("mount")
    if mount is None or not sys.platform.startswith("linux"):
        pytest.skip("small file systems are made with Linux's mount")
    made = subprocess.run([mount, "-t", "tmpfs", "-o", f"size={64 * MB}", "tmpfs", str(root)], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"a file system may not be mounted here: {made.stderr.strip()}")
    yield Disk(root)
    subprocess.run(["umount", "--lazy", str(root)], check=True)


def test_a_run_on_a_full_disk_leaves_the_earlier_one(disk: Disk, study: Path, recipe: Path, finished: Path) -> None:
    out = disk.root / "anna"
    shutil.copytree(finished / "anna", out)
    disk.fill(leave=MB // 4)
    ran = biomech_id("run", study / "anna", "-o", out, "--recipe", recipe, "--kinetics", "vicon")
    assert ran.exit_code == 1
    assert ran.stderr.splitlines()[-1] == (
        f"biomech-id: {out} cannot be written: the disk is full; free some space or name another folder."
    )
    assert "Traceback" not in ran.output
    disk.free()
    assert files_of(disk.root / "anna") == files_of(finished / "anna")
    assert [path.name for path in disk.root.iterdir()] == ["anna"]


def test_a_batch_keeps_what_was_finished_before_the_disk_was_full(
    disk: Disk, study: Path, recipe: Path, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Parquet would find room where CSV does not.
    monkeypatch.setattr("biomech_id.pipeline.study.tables.find_spec", lambda _: None)
    out = disk.root / "out"
    one = sum(map(len, files_of(finished / "anna").values()))
    # Room for one subject and for half of the study's tables of one.
    tables = sum(len(content) for name, content in files_of(finished).items() if name.startswith("study/"))
    disk.fill(leave=one + tables // len(SUBJECTS) // 2)
    ran = biomech_id("batch", study, "-o", out, "--recipe", recipe, "--workers", "1")
    assert ran.exit_code == 1
    complaints = [line for line in ran.stderr.splitlines() if line.startswith("biomech-id: ")]
    assert len(complaints) == 3, ran.stderr
    for complaint, subject in zip(complaints, SUBJECTS[1:], strict=False):
        assert complaint.startswith(f"biomech-id: {subject}: {out / subject} cannot be written: the disk is full")
    assert "Traceback" not in ran.output
    assert files_of(out) == {f"anna/{name}": content for name, content in files_of(finished / "anna").items()} | {
        name: (out / name).read_bytes() for name in ("verdicts.csv", "left_out.csv")
    }
    disk.free()
    again = biomech_id("batch", study, "-o", out, "--recipe", recipe, "--workers", "1", "--resume")
    assert again.exit_code in (0, 3), again.output
    subjects = {name: content for name, content in files_of(finished).items() if name.startswith(SUBJECTS)}
    assert {name: content for name, content in files_of(out).items() if name.startswith(SUBJECTS)} == subjects
    assert (out / "study" / "cycles.csv").is_file()


def test_a_disk_that_fills_up_while_tables_of_the_study_are_written(disk: Disk, study: Path, finished: Path) -> None:
    out = disk.root / "out"
    shutil.copytree(finished, out)
    before = files_of(out)
    disk.fill(leave=MB // 8)
    outcome = run_study(study, out, Job((study,), recipe=QUICK), resume=True)
    assert [verdict.verdict for verdict in outcome.verdicts] == ["done"] * 3
    assert outcome.complaint == f"{out / 'study'} cannot be written: the disk is full; free some space or name another folder."
    assert {**files_of(out), "verdicts.csv": b""} == {**before, "verdicts.csv": b""}


#: What writes one file or folder -> its words, where {out} is a finished session and {target} what is written.
WRITERS = {
    "report": ("report {out} --pages cover", "{out}/report.pdf"),
    "norm": ("norm {out} -o {target}", "norm.csv"),
    "compare": ("compare {out} {out} -o {target}", "compare.pdf"),
    "opensim": ("opensim {study}/anna -o {target}", "opensim"),
    "run": ("run {study}/anna -o {target} --recipe {recipe}", "new"),
    "subject": ("subject {recordings}", "{recordings}/subject.toml"),
    "demo": ("demo -o {target}", "demo"),
}


@pytest.fixture
def prepared(disk: Disk, study: Path, recipe: Path, finished: Path) -> Callable[[str], tuple[list[str], Path]]:
    """Return what prepares a command on the disk: its words and its target, with an earlier file where there can be one."""
    shutil.copytree(finished / "anna", disk.root / "anna")
    shutil.copytree(study / "anna", disk.root / "recordings")

    def words_of(command: str) -> tuple[list[str], Path]:
        words, target = WRITERS[command]
        places = {"out": disk.root / "anna", "study": study, "recipe": recipe, "recordings": disk.root / "recordings"}
        path = disk.root / target.format(**places)
        if path.suffix in (".csv", ".pdf"):
            path.write_bytes(b"earlier")
        return words.format(**places, target=path).split(), path

    return words_of


@pytest.mark.parametrize("command", WRITERS)
def test_a_full_disk_is_one_sentence_and_nothing_is_lost(
    command: str, disk: Disk, prepared: Callable[[str], tuple[list[str], Path]]
) -> None:
    words, target = prepared(command)
    before = files_of(disk.root)
    disk.fill(leave=0)
    ran = biomech_id(*words)
    assert ran.exit_code == 1
    written = target / "subject" if command == "demo" else target
    assert ran.stderr == f"biomech-id: {written} cannot be written: the disk is full; free some space or name another folder.\n"
    disk.free()
    assert files_of(disk.root) == before


@pytest.mark.parametrize("command", ["report", "norm", "compare", "opensim"])
@pytest.mark.slow
def test_a_disk_that_fills_up_in_the_middle_of_a_file(
    command: str, disk: Disk, prepared: Callable[[str], tuple[list[str], Path]]
) -> None:
    """There was room when it began: what was there is there, and nothing hidden stays."""
    words, target = prepared(command)
    before = files_of(disk.root)
    disk.fill(leave=8192)
    ran = biomech_id(*words)
    assert ran.exit_code == 1
    assert ran.stderr.splitlines()[-1].startswith(f"biomech-id: {target} cannot be written: the disk is full")
    assert "Traceback" not in ran.output
    disk.free()
    assert files_of(disk.root) == before


@pytest.mark.parametrize("command", WRITERS)
def test_a_read_only_disk_is_said_before_anything_is_computed(
    command: str, disk: Disk, prepared: Callable[[str], tuple[list[str], Path]]
) -> None:
    words, _ = prepared(command)
    disk.lock()
    ran = biomech_id(*words)
    assert ran.exit_code == 1
    # One line: no progress was made before it.
    assert len(ran.stderr.splitlines()) == 1, ran.stderr
    assert "cannot be written: it lies on a read-only disk; name another folder." in ran.stderr


def test_results_on_a_disk_of_their_own_lie_in_a_folder_there(disk: Disk, study: Path, recipe: Path) -> None:
    """The top of a disk cannot be replaced as a whole; a study's results can lie there."""
    refused = biomech_id("run", study / "anna", "-o", disk.root, "--recipe", recipe)
    assert refused.exit_code == 1
    assert refused.stderr.endswith(f"name a folder in it, such as {disk.root / 'results'}.\n")
    assert len(refused.stderr.splitlines()) == 1
    ran = biomech_id("batch", study, "-o", disk.root, "--recipe", recipe, "--workers", "1")
    assert ran.exit_code in (0, 3), ran.output


LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
from biomech_id.cli import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="needs limits of POSIX")
def test_a_file_that_may_not_grow_is_one_sentence(study: Path, recipe: Path, finished: Path, tmp_path: Path) -> None:
    """For where nothing may be mounted: the system breaks off the first large table."""
    out = Path(shutil.copytree(finished / "anna", tmp_path / "out"))
    words = [sys.executable, "-c", LIMITED, "run", str(study / "anna"), "-o", str(out), "--recipe", str(recipe)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1] == f"biomech-id: {out} cannot be written: File too large."
    assert "Traceback" not in ran.stderr
    assert files_of(out) == files_of(finished / "anna")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["recipe"], ["check", "--json", "{study}"], ["check", "{study}"]])
def test_what_is_printed_into_a_file_on_a_full_disk(words: list[str], study: Path) -> None:
    code = "from biomech_id.cli import main; main()"
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-c", code, *(word.format(study=study) for word in words)],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert ran.returncode == 1
    told = "What the command prints cannot be written: the disk is full; free some space or name another folder."
    assert ran.stderr == f"biomech-id: {told}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_log_that_cannot_be_written_does_not_stop_the_work(study: Path, recipe: Path, tmp_path: Path) -> None:
    code = "from biomech_id.cli import main; main()"
    words = ["run", str(study / "anna"), "-o", str(tmp_path / "out"), "--recipe", str(recipe)]
    # Where Python holds back what it prints, the end of the process tries once more.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=full, text=True, check=False, env=environment
        )
    assert ran.returncode in (0, 3)
    assert (tmp_path / "out" / "manifest.json").is_file()


def test_files_beside_a_hand_over_to_opensim_are_not_replaced_with_it(study: Path, tmp_path: Path) -> None:
    """What OpenSim computed from it lies there too, as a rule."""
    out = tmp_path / "opensim"
    assert biomech_id("opensim", study / "anna", "-o", out).exit_code in (0, 3)
    assert biomech_id("opensim", study / "anna", "-o", out).exit_code in (0, 3)
    (out / "inverse_dynamics.sto").write_text("a day of work", encoding="utf-8")
    refused = biomech_id("opensim", study / "anna", "-o", out)
    assert refused.exit_code == 1
    assert "holds files this program did not write (inverse_dynamics.sto)" in refused.stderr
    assert (out / "inverse_dynamics.sto").read_text(encoding="utf-8") == "a day of work"


def test_a_file_in_place_of_a_folder_is_said_first(study: Path, recipe: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    for out in (tmp_path / "file", tmp_path / "file" / "out", tmp_path / "file" / "deep" / "out"):
        ran = biomech_id("run", study / "anna", "-o", out, "--recipe", recipe)
        assert ran.exit_code == 1
        assert len(ran.stderr.splitlines()) == 1, ran.stderr
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_a_norm_that_cannot_be_used_is_said_first(study: Path, recipe: Path, tmp_path: Path) -> None:
    (tmp_path / "norm.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    absent = tmp_path / "absent.csv"
    for norm, why in ((tmp_path / "norm.csv", "norm.csv lacks the columns variable"), (absent, f"There is no file {absent}")):
        ran = biomech_id("run", study / "anna", "-o", tmp_path / "out", "--recipe", recipe, "--norm", norm)
        assert ran.exit_code == 1
        # One line: nothing was read or analysed before it.
        assert ran.stderr.startswith(f"biomech-id: {why}")
        assert len(ran.stderr.splitlines()) == 1, ran.stderr
