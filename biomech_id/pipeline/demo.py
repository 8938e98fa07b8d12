"""The demo: a virtual patient's files and a norm of virtual walkers, and the main job on them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from biomech_id.files.atomic import check_writable
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.pipeline.analyse import analyse_job
from biomech_id.pipeline.run import Outcome, run_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample.c3d import write_c3d
from biomech_id.sample.walkers import walkers
from biomech_id.sample.write import patient, write_subject
from biomech_id.session.folder.read_write import check_replaceable
from biomech_id.session.output.from_session import session_tables
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.norm import write_norm
from biomech_id.session.values.step import Progress, Step

#: How the patient walks unless somebody asks for another way.
PATTERN = "crouch"
#: How the norm is called wherever it is named, and of how many people it is.
NORM_NAME, NORM_PEOPLE = "ten virtual walkers", 10
#: Noise of the cameras on each marker of the patient, SD, m: without it a foot stands still to the last digit.
NOISE_M = 0.0003


def run_demo(out: Path, *, pattern: str | None = None, progress: Progress | None = None) -> Outcome:
    """Write a virtual patient and ten healthy walkers, the norm of these, and the patient's analysis beside it.

    Parameters
    ----------
    out : Path
        Folder to be made: ``subject`` holds the patient's recordings, ``healthy`` those of the walkers, ``norm.csv`` their norm,
        ``results`` the analysis.
    pattern : str | None, optional
        Way of moving of the patient (`sample.write.patient`); None for `PATTERN`, "walk" for a healthy adult's.
    progress : Progress | None, optional
        Called with what is being done, which one it is and how many there are; None for nobody.

    Raises
    ------
    OutputError
        ``out`` cannot be written to.
    OptionError
        No such pattern.
    """
    person = replace(patient(pattern or PATTERN), noise_m=NOISE_M)
    folder, results, norm = out / "subject", out / "results", out / "norm.csv"
    check_writable(folder)
    check_replaceable(results)
    write_subject(folder, person)
    sessions = walkers_sessions(out / "healthy", progress=progress)
    write_norm(norm_from_sessions(sessions, source=NORM_NAME, name=NORM_NAME), norm)
    return run_job(Job((folder,), norm=norm), results, progress=progress)


def walkers_sessions(folder: Path, *, progress: Progress | None = None) -> list[Tables]:
    """Write a static trial and a walk of every healthy walker, and return the tables of each session.

    Parameters
    ----------
    folder : Path
        Where each walker gets a folder: ``walker01`` and so on.
    progress : Progress | None, optional
        Told of every walker; None for nobody.
    """
    sessions = []
    for number, person in enumerate(walkers(NORM_PEOPLE), 1):
        own = folder / f"walker{number:02d}"
        if progress:
            progress(Step("analyse", own.name, number, NORM_PEOPLE))
        own.mkdir(parents=True, exist_ok=True)
        for sample in (person.static(), person.walk()):
            write_c3d(sample, own / f"{sample.trial.name}.c3d")
        sessions.append(session_tables(analyse_job(Job((own,), recipe=Recipe(uncertainty=False)))))
    return sessions
