"""A study: the main job for every subject's folder, in processes; one bad file, subject or worker never stops the rest."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, replace
from pathlib import Path

from biomech_id.errors import BiomechError, MissingInputError
from biomech_id.pipeline.job import Job
from biomech_id.pipeline.workers import process_pool

Progress = Callable[[str, int, int], None]

#: Tasks handed out ahead per worker: enough to keep it busy, few enough that memory does not grow with the study.
TASKS_AHEAD = 2


@dataclass(frozen=True)
class SubjectVerdict:
    """What became of one subject's folder.

    Attributes
    ----------
    subject : see `subject_name`.
    verdict : "done", "warnings", "failed", or "kept" where an earlier result was still valid.
    trials : number of trials analysed.
    sentence : what was complained about, in one line; empty if nothing was.
    """

    subject: str
    verdict: str
    trials: int = 0
    sentence: str = ""

    @property
    def failed(self) -> bool:
        """Whether there is no result for the subject."""
        return self.verdict == "failed"


def find_subjects(study: Path) -> tuple[Path, ...]:
    """Return every folder below ``study`` (and itself) that holds C3D files, sorted by relative path.

    Raises
    ------
    MissingInputError : no such folder, or no C3D file anywhere in it.
    """
    folders = {path.parent for path in study.rglob("*") if path.suffix.lower() == ".c3d"} if study.is_dir() else set()
    if not folders:
        raise MissingInputError(
            f"{study} holds no folder with C3D files.", value=str(study), expected="folders with .c3d files", where=str(study)
        )
    return tuple(sorted(folders, key=lambda folder: folder.relative_to(study).as_posix()))


def run_subjects(
    folders: Sequence[Path],
    study: Path,
    out: Path,
    template: Job,
    *,
    resume: bool = False,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> tuple[SubjectVerdict, ...]:
    """Analyse every folder and return the verdicts in the order of ``folders``.

    Parameters
    ----------
    folders, study, out : subjects' folders below ``study``; results go to the same relative path below ``out``.
    template : the job whose recipe and options hold for every subject; its paths are replaced.
    resume : keep results whose inputs, recipe and versions have not changed, by content.
    executor : any `concurrent.futures.Executor` (MPI, dask, ...); it is not shut down. None starts ``workers`` processes.
    progress : called with the subject that has ended, how many have, and how many there are.
    """
    tasks = [_Task(i, subject_name(folder, study), replace(template, paths=(folder,))) for i, folder in enumerate(folders)]
    verdicts: dict[int, SubjectVerdict] = {}
    crew = _Crew(executor, workers)
    try:
        for task, verdict in crew.work_through(tasks, out, resume):
            verdicts[task.number] = verdict
            if progress:
                progress(f"{verdict.subject}: {verdict.verdict}", len(verdicts), len(tasks))
    finally:
        crew.close()
    return tuple(verdicts[i] for i in range(len(tasks)))


@dataclass(frozen=True)
class _Task:
    number: int
    subject: str
    job: Job


class _Crew:
    """Workers that are replaced when one of them dies."""

    def __init__(self, executor: Executor | None, workers: int) -> None:
        self._given = executor
        self._workers = workers
        self._pool = executor or process_pool(workers)

    def work_through(self, tasks: Sequence[_Task], out: Path, resume: bool) -> Iterator[tuple[_Task, SubjectVerdict]]:
        """Yield each task with its verdict as it ends."""
        waiting = deque(tasks)
        running: dict[Future[SubjectVerdict], _Task] = {}
        suspects: list[_Task] = []
        while waiting or running:
            while waiting and len(running) < self._workers * TASKS_AHEAD and not suspects:
                task = waiting.popleft()
                running[self._pool.submit(analyse_subject, task.subject, task.job, str(out), resume)] = task
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task = running.pop(future)
                try:
                    yield task, future.result()
                except BrokenExecutor:
                    suspects.append(task)
            if suspects and not running:
                yield from self._one_by_one(suspects, out, resume)
                suspects = []

    def _one_by_one(self, suspects: Sequence[_Task], out: Path, resume: bool) -> Iterator[tuple[_Task, SubjectVerdict]]:
        """Run tasks that were under way when a worker died each alone, so that only the guilty one is blamed."""
        self._renew()
        for task in sorted(suspects, key=lambda task: task.number):
            try:
                yield task, self._pool.submit(analyse_subject, task.subject, task.job, str(out), resume).result()
            except BrokenExecutor:
                sentence = f"The process that analysed {task.subject} died twice (out of memory, or killed)."
                yield task, SubjectVerdict(task.subject, "failed", 0, sentence)
                self._renew()

    def _renew(self) -> None:
        if self._given is None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = process_pool(self._workers)

    def close(self) -> None:
        if self._given is None:
            self._pool.shutdown(wait=True, cancel_futures=True)


def analyse_subject(subject: str, job: Job, out: str, resume: bool) -> SubjectVerdict:
    """Run the main job on one folder in this process; never raises for a fault of the data.

    Only small values come back: the tables are on disk already.
    """
    from biomech_id.pipeline.resume import still_valid
    from biomech_id.pipeline.single import run_job

    target = target_of(Path(out), subject)
    try:
        if resume:
            kept = still_valid(job, target)
            if kept is not None:
                return SubjectVerdict(subject, "kept", kept)
        outcome = run_job(job, target)
    except BiomechError as error:
        return SubjectVerdict(subject, "failed", 0, error.message)
    except Exception as error:  # noqa: BLE001 - a fault in one subject must not stop the study; it is named in the table
        return SubjectVerdict(subject, "failed", 0, f"Unexpected {type(error).__name__}: {error}.")
    verdict = "failed" if outcome.failed else "warnings" if outcome.complaints else "done"
    return SubjectVerdict(subject, verdict, outcome.n_trials, " ".join(outcome.complaints))


@dataclass(frozen=True)
class StudyOutcome:
    """What became of a study: a verdict for every subject, in order of their names."""

    verdicts: tuple[SubjectVerdict, ...]

    @property
    def failed(self) -> tuple[SubjectVerdict, ...]:
        """Subjects without a result."""
        return tuple(verdict for verdict in self.verdicts if verdict.failed)


def run_study(
    study: Path,
    out: Path,
    template: Job,
    *,
    resume: bool = False,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> StudyOutcome:
    """Analyse every subject of a study, then write ``verdicts.csv`` and the tables of the study.

    Parameters are those of `run_subjects`; with ``resume`` what an interrupted run left half-done is cleared first.

    Raises
    ------
    MissingInputError : no folder holds C3D files.
    OutputError : ``out`` cannot be written to.
    """
    from biomech_id.results import write_study, write_verdicts

    folders = find_subjects(study)
    if resume:
        clear_unfinished(out)
    verdicts = run_subjects(folders, study, out, template, resume=resume, executor=executor, workers=workers, progress=progress)
    done = [target_of(out, verdict.subject) for verdict in verdicts if not verdict.failed]
    if done:
        write_study(out, done)
    write_verdicts([(v.subject, v.verdict, v.trials, v.sentence) for v in verdicts], out)
    return StudyOutcome(verdicts)


def subject_name(folder: Path, study: Path) -> str:
    """Name of a subject in a study: the path of the folder, with forward slashes; the study's own name for files at its top."""
    relative = folder.relative_to(study).as_posix()
    return study.resolve().name if relative == "." else relative


def target_of(out: Path, subject: str) -> Path:
    """Folder of one subject's results."""
    return out.joinpath(*subject.split("/"))


def clear_unfinished(out: Path) -> None:
    """Remove the hidden folders and files that a killed run left below ``out``; finished results have no such names."""
    for path in sorted(out.rglob(".*.part-*"), reverse=True) if out.is_dir() else ():
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
