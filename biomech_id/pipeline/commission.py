"""A folder of a laboratory's recordings, analysed and held against the outputs that its own software stored in them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from biomech_id.errors import MissingInputError
from biomech_id.judgement.commissioning import Commissioned, questions_of, repeated_sessions
from biomech_id.pipeline.parity import NothingStoredError, parity_of_tables
from biomech_id.pipeline.study.batch import run_study
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.request.study_folders import recordings_of
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.step import Progress
from biomech_id.statistics.parity import ParityRow, parity_table


def commissioned(folder: Path, recipe: Recipe, *, workers: int = 1, progress: Progress | None = None) -> Commissioned:
    """Analyse every session below a folder, and hold all of them against their stored outputs.

    Parameters
    ----------
    folder : Path
        Folders with recordings, however deep; nothing is written there.
    recipe : Recipe
        Settings of the analysis.
    workers : int, optional
        How many processes share the sessions.
    progress : Progress | None, optional
        Told of every step; None for nobody.

    Raises
    ------
    MissingInputError
        No folder holds C3D files, or none of them could be analysed.
    """
    with TemporaryDirectory() as space:
        out = Path(space) / "results"
        outcome = run_study(folder, out, Job((folder,), recipe.replaced(report=False)), workers=workers, progress=progress)
        failed = {each.subject: each.sentence for each in outcome.failed}
        sessions = {each.subject: read_tables(out / each.subject) for each in outcome.verdicts if each.subject not in failed}
        if not sessions:
            words = f"No session below {folder} could be analysed: {'; '.join(failed.values())}"
            raise MissingInputError.at(folder, words, "folders of recordings that `biomech-id run` can analyse")
        recorded = recordings_of(list(sessions), folder)
        rows = {name: _compared(tables, recorded[name], name) for name, tables in sessions.items()}
        every = [row for own in rows.values() for row in own]
        unread = {f"{name}/{lost['file']}": lost["error"] for name, tables in sessions.items() for lost in tables.summary["failed"]}
        return Commissioned(
            tuple(sessions), tuple(name for name, own in rows.items() if not own), failed, unread,
            _together(next(iter(sessions.values())), every), questions_of(sessions), repeated_sessions(sessions),
        )  # fmt: skip


def _compared(tables: Tables, recordings: Path, session: str) -> list[ParityRow]:
    try:
        return [replace(row, trial=f"{session}/{row.trial}") for row in parity_of_tables(tables, recordings)]
    except NothingStoredError:
        return []


def _together(tables: Tables, rows: list[ParityRow]) -> Tables | None:
    return replace(tables, parity=parity_table(rows)) if rows else None
