"""A study: the main job for every subject's folder, in processes; one bad file, subject or worker never stops the rest."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path

from biomech_id.errors import BiomechError, on_command_line
from biomech_id.files.atomic import check_writable, refuse_lost_link
from biomech_id.files.json_text import read_json
from biomech_id.files.output_names import refuse_outside
from biomech_id.files.surroundings import LACKS, surroundings
from biomech_id.files.unfinished import clear_unfinished
from biomech_id.languages import Sentence
from biomech_id.pipeline.run import run_job
from biomech_id.pipeline.study.crew import Crew
from biomech_id.pipeline.study.resume import still_valid
from biomech_id.pipeline.study.tables import check_parts, told_of_study, write_study
from biomech_id.pipeline.study.verdicts import write_left_out, write_verdicts
from biomech_id.privacy.codes import coded_sentence, coded_subjects
from biomech_id.request.input_hashes import make_key
from biomech_id.request.job import Job
from biomech_id.request.study_folders import check_apart, find_subjects, subject_names, target_of
from biomech_id.session.tables.omissions import Omission, omissions_of
from biomech_id.session.values.norm import read_norm
from biomech_id.session.values.step import Progress, Step
from biomech_id.values import dataclass, replace


@dataclass(frozen=True)
class SubjectVerdict:
    """What became of one subject's folder.

    Attributes
    ----------
    subject : str
        Name of the subject in the study, as of `study_folders.subject_names`.
    verdict : str
        "done", "warnings" or "failed".
    trials : int, optional
        Number of trials analysed.
    sentence : str, optional
        What was complained about, in one line; empty if nothing was.
    kept : bool, optional
        Whether an earlier result was still valid; everything else is then as it was.
    """

    subject: str
    verdict: str
    trials: int = 0
    sentence: str = ""
    kept: bool = False

    @property
    def failed(self) -> bool:
        """Whether there is no result for the subject."""
        return self.verdict == "failed"


def run_subjects(
    subjects: Mapping[str, Path],
    out: Path,
    template: Job,
    *,
    coded: bool = False,
    resume: bool = False,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> tuple[SubjectVerdict, ...]:
    """Analyse every subject and return the verdicts in the order of ``subjects``.

    Parameters
    ----------
    subjects : Mapping[str, Path]
        Name -> folder with recordings; results go to the path ``name`` below ``out``.
    out : Path
        Folder of the results.
    template : Job
        The job whose recipe and options hold for every subject; its paths are replaced.
    coded : bool, optional
        Whether the names are codes, which stand in place of every other name.
    resume : bool, optional
        Keep results whose inputs, recipe and versions have not changed, by content.
    executor : Executor | None, optional
        Any `concurrent.futures.Executor` (MPI, dask, ...); it is not shut down. Its workers must see the same folders under the
        same absolute names. None starts ``workers`` processes; these import the calling script, whose own work must therefore stand
        below ``if __name__ == "__main__":``.
    workers : int, optional
        Processes that are started; without effect where an executor is given.
    progress : Progress | None, optional
        Called with the subject that has ended, how many have, and how many there are.
    """
    files = {name: str(_absolute(path)) for name, path in template.setting_files.items()}
    norm, key = (_absolute(path) if path else None for path in (template.norm, template.key))
    template = replace(template, norm=norm, key=key, recipe=template.recipe.replaced(**files))
    jobs = (
        (name, replace(template, paths=(_absolute(folder),), code=name if coded else None)) for name, folder in subjects.items()
    )
    tasks = [_Task(name, job, str(_absolute(out)), resume) for name, job in jobs]
    verdicts: dict[str, SubjectVerdict] = {}
    with Crew(executor, workers) as crew:
        for verdict in crew.work_through(tasks, _analyse, _lost):
            verdicts[verdict.subject] = verdict
            if progress:
                outcome = f"{verdict.verdict}, kept" if verdict.kept else verdict.verdict
                progress(Step("analyse", f"{verdict.subject}: {outcome}", len(verdicts), len(tasks)))
    return tuple(verdicts[task.subject] for task in tasks)


def _absolute(path: Path) -> Path:
    """The path as any process can use it: workers of a cluster have working folders of their own."""
    return Path(os.path.abspath(path))


@dataclass(frozen=True)
class _Task:
    subject: str
    job: Job
    out: str
    resume: bool


def _analyse(task: _Task) -> SubjectVerdict:
    return analyse_subject(task.subject, task.job, task.out, task.resume)


def _lost(task: _Task, why: str) -> SubjectVerdict:
    return SubjectVerdict(task.subject, "failed", 0, f"The work on {task.subject} was lost ({why}); run again with --resume.")


def analyse_subject(subject: str, job: Job, out: str, resume: bool) -> SubjectVerdict:
    """Run the main job on one folder in this process; never raises for a fault of the data.

    Only small values come back: the tables are on disk already.

    Parameters
    ----------
    subject : str
        Its name in the study.
    job : Job
        What is to be analysed, and how.
    out : str
        Folder of its results.
    resume : bool
        Whether results that are still valid are kept.
    """
    target = target_of(Path(out), subject)
    try:
        refuse_outside(Path(out), target.parent)
        if resume:
            kept = still_valid(job, target)
            if kept is not None:
                return _judged(subject, *kept, kept=True)
        with on_command_line():
            outcome = run_job(job, target)
    except Exception as error:  # noqa: BLE001 - a fault in one subject must not stop the study; it is named in the table
        return SubjectVerdict(subject, "failed", 0, _sentence_of(error, job))
    return _judged(subject, outcome.n_trials, outcome.complaints)


def _sentence_of(error: Exception, job: Job) -> str:
    """Why there is no result; under a code without anything that could name somebody."""
    lacking = surroundings(error)
    if lacking in LACKS or (lacking and not job.code):
        return lacking
    if isinstance(error, BiomechError):
        return coded_sentence(error, job) if job.code else error.message
    return f"Unexpected {type(error).__name__}{'' if job.code else f': {error}'}."


def _judged(subject: str, n_trials: int, complaints: Sequence[str], *, kept: bool = False) -> SubjectVerdict:
    return SubjectVerdict(subject, "warnings" if complaints else "done", n_trials, " ".join(complaints), kept)


@dataclass(frozen=True)
class StudyOutcome:
    """What became of a study.

    Attributes
    ----------
    verdicts : tuple[SubjectVerdict, ...]
        One for every subject, in order of their names.
    complaint : str, optional
        Why the study's own tables could not be written, although subjects' results may be there; empty otherwise.
    left_out : tuple[Omission, ...], optional
        Every subject, trial and cycle that no mean holds, or no mean of kinetics, and why.
    told : tuple[Sentence, ...], optional
        What was done to tables of too many rows.
    """

    verdicts: tuple[SubjectVerdict, ...]
    complaint: str = ""
    left_out: tuple[Omission, ...] = ()
    told: tuple[Sentence, ...] = ()

    @property
    def failed(self) -> tuple[SubjectVerdict, ...]:
        """Subjects without a result."""
        return tuple(verdict for verdict in self.verdicts if verdict.failed)


def run_study(
    study: Path,
    out: Path,
    template: Job,
    *,
    codes: Mapping[str, str] | None = None,
    resume: bool = False,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> StudyOutcome:
    """Analyse every subject of a study, then write ``verdicts.csv``, ``left_out.csv`` and the tables of the study.

    Parameters are those of `run_subjects`; with ``resume`` what an interrupted run left half-done is cleared first.

    Parameters
    ----------
    study : Path
        Folder of the study.
    out : Path
        Folder of the results.
    template : Job
        The job of every subject, but for its folder.
    codes : Mapping[str, str] | None, optional
        Folder of a subject, relative to the study -> code that stands in place of every name; None keeps the names.
    resume : bool, optional
        Whether results that are still valid are kept.
    executor : Executor | None, optional
        Hands out the work; None works in processes of its own.
    workers : int, optional
        Processes that are started; without effect where an executor is given.
    progress : Progress | None, optional
        Told of every step; None for nobody.

    Returns
    -------
    StudyOutcome
        Verdict of every subject, those that failed too; a subject that fails ends nothing.

    Raises
    ------
    MissingInputError
        No folder holds C3D files, or a file that options or settings name is not there.
    OptionError
        ``out`` is the study itself, a subject has no code, or the key of the codes would lie in ``out``.
    OutputError
        ``out`` cannot be written to; said before anything is computed.
    """
    refuse_lost_link(out)
    check_apart(study, out)
    subjects = subject_names(find_subjects(study, out=out), study)
    subjects = subjects if codes is None else coded_subjects(subjects, study, codes)
    _check_once(template)
    make_key(template.key, coded=codes is not None, out=out)
    check_writable(out)
    if resume:
        clear_unfinished(out)
    try:
        verdicts = run_subjects(
            subjects, out, template, coded=codes is not None, resume=resume, executor=executor, workers=workers, progress=progress
        )
    except KeyboardInterrupt:
        if executor is None:
            clear_unfinished(out)
        raise
    # Sentences name files as seen from the study, so that the table of verdicts does not depend on where the study lies.
    above = f"{_absolute(study)}{os.sep}"
    verdicts = tuple(replace(verdict, sentence=verdict.sentence.replace(above, "")) for verdict in verdicts)
    try:
        left_out = tuple(_left_out(verdicts, out))
    except BiomechError as error:
        return StudyOutcome(verdicts, error.message)
    complaint, notes = _write_tables(verdicts, left_out, out, template.recipe.large_tables)
    return StudyOutcome(verdicts, complaint, left_out, notes)


def _check_once(template: Job) -> None:
    """Look at what all subjects share: what is wrong with it would be wrong for every one of them."""
    template.check_named()
    check_parts(template.recipe.large_tables)
    if template.norm is not None:
        read_norm(template.norm)


def _left_out(verdicts: Sequence[SubjectVerdict], out: Path) -> Iterator[Omission]:
    """What of each subject no mean holds; of one without a result, all."""
    for verdict in verdicts:
        if verdict.failed:
            yield Omission(verdict.subject, "", "", (), "means", Sentence("not-analysed", {"error": verdict.sentence.rstrip(".")}))
        else:
            yield from omissions_of(verdict.subject, read_json(target_of(out, verdict.subject) / "summary.json"))


def _write_tables(
    verdicts: Sequence[SubjectVerdict], left_out: Sequence[Omission], out: Path, large: str
) -> tuple[str, tuple[Sentence, ...]]:
    """Write the tables of the study and return what to say of them.

    The first is the sentence if that fails, for the subjects' results are finished and stay.
    """
    done = [target_of(out, verdict.subject) for verdict in verdicts if not verdict.failed]
    try:
        write_verdicts([(v.subject, v.verdict, v.trials, v.sentence) for v in verdicts], out)
        write_left_out(left_out, out)
        if done:
            return "", told_of_study(write_study(out, done, large=large))
    except BiomechError as error:
        return error.message, ()
    return "", ()
