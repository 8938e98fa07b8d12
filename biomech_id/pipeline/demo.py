"""The demo: the virtual subject's files, and the main job on them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from biomech_id.files.atomic import check_writable
from biomech_id.pipeline.job import Job
from biomech_id.pipeline.single import Outcome, run_job
from biomech_id.results.folder.read_write import check_replaceable
from biomech_id.sample import write_subject


def run_demo(out: Path, *, progress: Callable[[str, int, int], None] | None = None) -> Outcome:
    """Write the virtual subject into ``out/subject`` and its analysis into ``out/results``.

    Parameters
    ----------
    out : Path
        Folder to be made.
    progress : Callable[[str, int, int], None] | None, optional
        Called with what is being done, which one it is and how many there are; None for nobody.

    Raises
    ------
    OutputError
        ``out`` cannot be written to.
    """
    folder, results = out / "subject", out / "results"
    check_writable(folder)
    check_replaceable(results)
    write_subject(folder)
    return run_job(Job((folder,)), results, progress=progress)
