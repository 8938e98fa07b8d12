"""The demo: the virtual subject's files, and the main job on them."""

from __future__ import annotations

from pathlib import Path

from biomech_id.files.atomic import check_writable
from biomech_id.pipeline.run import Outcome, run_job
from biomech_id.request.job import Job
from biomech_id.sample.write import patient, write_subject
from biomech_id.session.folder.read_write import check_replaceable
from biomech_id.session.values.step import Progress


def run_demo(out: Path, *, pattern: str | None = None, progress: Progress | None = None) -> Outcome:
    """Write the virtual subject into ``out/subject`` and its analysis into ``out/results``.

    Parameters
    ----------
    out : Path
        Folder to be made.
    pattern : str | None, optional
        Way of moving of the virtual subject (`sample.write.patient`); None is a healthy adult's walk.
    progress : Progress | None, optional
        Called with what is being done, which one it is and how many there are; None for nobody.

    Raises
    ------
    OutputError
        ``out`` cannot be written to.
    OptionError
        No such pattern.
    """
    person = None if pattern is None else patient(pattern)
    folder, results = out / "subject", out / "results"
    check_writable(folder)
    check_replaceable(results)
    write_subject(folder, person)
    return run_job(Job((folder,)), results, progress=progress)
