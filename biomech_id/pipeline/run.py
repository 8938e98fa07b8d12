"""The main job with its folder: every table, the report, and what else the recipe asks for, written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from biomech_id.errors import OptionError, OutputError, option
from biomech_id.exports.c3d.write import write_results
from biomech_id.files.json_text import json_text
from biomech_id.files.kept_values import KeptValues
from biomech_id.files.surroundings import surroundings
from biomech_id.files.unfinished import clear_beside
from biomech_id.languages import WRITTEN, worded
from biomech_id.pipeline.review_page import REVIEW_PAGE, write_own_page
from biomech_id.pipeline.stage.analysis import Analysis
from biomech_id.pipeline.stage.reuse import keep, versions, with_tables
from biomech_id.pipeline.stages import analysed
from biomech_id.privacy.last_scan import last_scan
from biomech_id.readers import read_recording
from biomech_id.readers.vertical import ROTATION_TO_Z_UP
from biomech_id.request.input_hashes import make_key
from biomech_id.request.job import Job
from biomech_id.session.folder.read_write import check_replaceable, read_back, write_folder
from biomech_id.session.folder.replay import write_replays
from biomech_id.session.session import Session
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.trial_tables import frames
from biomech_id.session.values.emg import envelopes_at
from biomech_id.session.values.step import DRAWS, Progress, load, stage
from biomech_id.session.values.summary import complaints_of, verdict_sentence
from biomech_id.values import dataclass


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind for whoever started it.

    Attributes
    ----------
    headline : str
        One line: what was written where, and the verdict.
    complaints : tuple[str, ...]
        One sentence for each thing that makes the exit code 3.
    n_trials : int
        Number of trials analysed.
    taken_over : str, optional
        One line: how many trials another run had kept, and why none; empty where nobody asked for that.
    """

    headline: str
    complaints: tuple[str, ...]
    n_trials: int
    taken_over: str = ""


def run_job(
    job: Job,
    out: Path,
    *,
    progress: Progress | None = None,
    report: bool = True,
    until: str = "",
    reuse: Path | None = None,
    language: str = WRITTEN,
) -> Outcome:
    """Analyse one subject and write its folder: every table, and the report.

    Parameters
    ----------
    job : Job
        What is to be analysed, and how.
    out : Path
        Folder of the results.
    progress : Progress | None, optional
        Told of every step; None for nobody.
    report : bool, optional
        Whether the report that the recipe asks for is drawn now; otherwise `pipeline.redraw.redraw` draws it, the same bytes.
    until : str, optional
        Name of a stage, the last one that is done; nothing is then written.
    reuse : Path | None, optional
        A folder of results, not yet there or of an earlier run: results of trials that were kept beside it are taken over where
        recording, settings, calibration and decisions are the same, and those of this run are kept there for the next one.
    language : str, optional
        Language of what is returned: one of `languages.LANGUAGES`; tables say what they say, and pages speak their style's.

    Raises
    ------
    BiomechError
        Nothing could be analysed, or nothing could be written; ``out`` is then as it was.
    """
    clear_beside(out)
    check_replaceable(out)
    make_key(job.key, coded=bool(job.code), out=out)
    kept = None if reuse is None else _kept_beside(reuse, job)
    anything = kept is not None and kept.folder.is_dir()
    begun = Analysis(progress=progress, written=True, drawn=report, reuse=kept)
    analysis = analysed(job, begun, until=until)
    session, called = analysis.session, analysis.names
    if until or session is None:
        n = len(analysis.walks) or len(analysis.movements)
        return Outcome(worded("not-to-the-end", {"stage": until}, language), tuple(each.sentence for each in analysis.refused), n)
    with stage("tabulate"):
        rows = with_tables(analysis)
        tables = session.tables()
    printed, undrawn = list[str](), list[str]()
    extras: list[Callable[[Path], None]] = [partial(write_replays, trials=session.movements, kept=begun.reuse)]
    if job.recipe.report and report:
        draw = partial(_draw_written, manifest=tables.manifest, printed=printed, code=job.code, progress=progress)
        extras.append(partial(_drawn, draw=draw, name="report.pdf", undrawn=undrawn))
    if job.recipe.write_c3d:
        extras.append(partial(_write_back, session=session, job=job))
    if job.recipe.review_page:
        extras.append(partial(_drawn, draw=partial(write_own_page, tables=tables), name=REVIEW_PAGE, undrawn=undrawn))
    if job.code:
        extras.append(partial(last_scan, words=called.words, printed=printed, also=json_text(tables.manifest)))
    with stage("write"):
        write_folder(tables, out, extras=extras, owner_only=job.recipe.owner_only, kept=begun.reuse, rows=rows)
    keep(analysis)
    over = _taken_over(analysis, reuse, language, anything=anything) if reuse else ""
    complaints = (*complaints_of(session, language), *(called.of(words) for words in undrawn))
    return Outcome(f"{out}: {verdict_sentence(session, language)}", complaints, len(session.movements), over)


def _taken_over(analysis: Analysis, reuse: Path, language: str, *, anything: bool) -> str:
    """How many trials were taken over; ``anything`` says whether anything was kept before this run."""
    taken = sum(walk.kept is not None for walk in analysis.walks)
    values = {"taken": taken, "n": len(analysis.walks), "kept": anything, "folder": str(reuse)}
    return worded("trials-taken-over", values, language)


def _kept_beside(out: Path, job: Job) -> KeptValues:
    """Where results of trials are kept: beside a folder of results, not in it, for they are nobody else's.

    Raises
    ------
    OptionError
        Results under a code: what is kept of recordings may hold the subject's name.
    """
    if job.code:
        raise OptionError(
            f"{option('reuse')} keeps values of recordings, and these may hold the subject's name: it cannot go together with "
            f"{option('code')}.",
            value=job.code, expected=f"one of {option('reuse')} and {option('code')}", where=option("reuse"),
        )  # fmt: skip
    return KeptValues(out.with_name(f".{out.name}.reuse"), versions())


def _drawn(folder: Path, *, draw: Callable[[Path], object], name: str, undrawn: list[str]) -> None:
    """Draw something from the tables; where that fails, the tables stand without it, and it is said.

    Raises
    ------
    OutputError
        Nothing more can be written: a disk is full.
    """
    try:
        with stage("draw"):
            draw(folder)
    except OutputError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever is wrong with a drawing, the numbers are not lost over it
        (folder / name).unlink(missing_ok=True)
        why = (surroundings(error) or "").rstrip(".") or f"{type(error).__name__}: {error}"
        undrawn.append(f"{name} could not be drawn ({why}); every table is there.")


def _draw_written(
    folder: Path, *, manifest: Mapping[str, Any], printed: list[str], code: str | None, progress: Progress | None
) -> None:
    """Draw the report from what was written, so that `redraw` draws the same."""
    draw_own_report(folder, tables=read_back(folder, manifest), printed=printed, code=code, progress=progress)


def draw_own_report(
    folder: Path,
    *,
    tables: Tables,
    printed: list[str],
    code: str | None = None,
    progress: Progress | None = None,
    pages: Sequence[str] | None = None,
) -> None:
    """Draw ``report.pdf`` of a run, as every run does.

    Parameters
    ----------
    folder : Path
        That takes it.
    tables : Tables
        The session's tables.
    printed : list[str]
        Takes every text of the pages where there is a code, for the last look for names; stays empty without one.
    code : str | None, optional
        What replaces the subject's name.
    progress : Progress | None, optional
        Told of every page.
    pages : Sequence[str] | None, optional
        Names out of `report.book.page_names`; None draws all of them.
    """
    load(*DRAWS)
    from biomech_id.report.pdf import draw_report

    # Going through the texts of all pages takes a third of what drawing them takes.
    gathered = printed if code else None
    draw_report(tables, folder / "report.pdf", pages=pages, progress=progress, printed=gathered)


def _write_back(folder: Path, *, session: Session, job: Job) -> None:
    """Write results into copies of the recordings, below ``c3d/``."""
    (folder / "c3d").mkdir()
    recording = {path.name: path for path in job.files()}
    for trial in session.movements:
        source = recording[trial.file]
        table, analysed = frames(trial), session.inputs[job.relative(source)]
        turned = ROTATION_TO_Z_UP[read_recording(source, marker_set=job.recipe.chosen_marker_set).facts.vertical]
        muscles = envelopes_at(session.muscle_signals, trial.name, trial.motion.time_s)
        write_results(
            source,
            folder / "c3d" / source.name,
            {name: table[name] for name in table.columns},
            scalars=muscles,
            R_lab_file=turned,
            sha256=analysed,
        )
