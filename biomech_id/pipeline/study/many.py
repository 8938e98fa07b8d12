"""Many subjects' folders as values in one call, and their tables joined."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from biomech_id.arguments import Kind, a_count, a_path, a_str, a_switch, each, takes
from biomech_id.errors import BiomechError, OptionError
from biomech_id.files.settings import refuse_unknown_options
from biomech_id.pipeline.analyse import analyse
from biomech_id.request.recipe import Settings
from biomech_id.session.session import ByName, Session, read_folder

#: Width of the bar that tells how far it is, letters.
BAR_LETTERS = 20
_FOLDERS = each(a_path("name the subjects' folders"))


class Sessions(ByName[Session]):
    """Sessions by their folder's name: ``sessions["anna"]``, ``for name in sessions``.

    Parameters
    ----------
    sessions : Mapping[str, Session]
        Name of a session's folder -> the session.
    failed : Mapping[str, str], optional
        Name of a folder that could not be analysed -> why, in a sentence.
    """

    def __init__(self, sessions: Mapping[str, Session], failed: Mapping[str, str] | None = None) -> None:
        super().__init__(sessions, "session")
        self.failed = dict(failed or {})

    @takes(name=a_str())
    def table(self, name: str) -> pd.DataFrame:
        """Join one table of all sessions.

        Parameters
        ----------
        name : str
            "cycles", "spatiotemporal", "peaks", "findings" or another table of a session.

        Returns
        -------
        pd.DataFrame
            Its rows, one session after the other, behind a column ``subject``; sessions without that table have none.

        Raises
        ------
        OptionError
            A session has no table of that name.
        """
        tables = {key: getattr(session, name, None) for key, session in self.items()}
        if self and not any(isinstance(table, pd.DataFrame) for table in tables.values()):
            words = f"The name {name} of Sessions.table is no table of these sessions."
            raise OptionError(words, value=name, expected="cycles, spatiotemporal, peaks, ...", where="Sessions.table")
        present = {key: table for key, table in tables.items() if isinstance(table, pd.DataFrame)}
        joined = [table.assign(subject=key)[["subject", *table.columns]] for key, table in present.items()]
        units = next((table.attrs for table in present.values()), {})
        result = pd.concat(joined, ignore_index=True) if joined else pd.DataFrame({"subject": []})
        result.attrs = dict(units)
        return result

    def __repr__(self) -> str:
        failed = f", failed={list(self.failed)}" if self.failed else ""
        return f"Sessions({', '.join(map(repr, self))}{failed})"


@takes(folders=Kind("a sequence of folders", _FOLDERS.of_type, lambda v: bool(v) and _FOLDERS.fits(v)), workers=a_count(1, 256),
       progress=a_switch())  # fmt: skip
def analyse_many(folders: Iterable[str | PathLike[str]], *, workers: int = 1, progress: bool = False, **settings: Any) -> Sessions:
    """Analyse several subjects' folders; one that cannot be analysed stops no other.

    Parameters
    ----------
    folders : Iterable[str | PathLike[str]]
        A folder for each subject; their names tell them apart.
    workers : int, optional
        Processes that work at a time. With several, sessions hold what a folder of results holds, their tables, and a script has to
        call this below ``if __name__ == "__main__":``.
    progress : bool, optional
        Whether a bar on standard error, in a notebook below the cell, tells how far it is.
    settings : Any
        What ``analyse`` takes beside the folder.

    Returns
    -------
    Sessions
        Folder's name -> its session, with ``table(name)`` for all of them and ``failed`` for those that failed.

    Raises
    ------
    OptionError
        Two folders of one name.
    """
    refuse_unknown_options(settings, [*signature(analyse).parameters, *Settings.__annotations__], where="analyse_many")
    paths = {Path(folder).name: Path(folder) for folder in folders}
    if len(paths) < len(list(folders)):
        words = f"Several folders of analyse_many have one name; there are {', '.join(paths)}."
        raise OptionError(words, value=[str(folder) for folder in folders], expected="different names", where="analyse_many")
    longest = max(map(len, paths))
    sessions: dict[str, Session] = {}
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for number, (name, result) in enumerate(_results(paths, workers, Path(scratch), settings), start=1):
            if isinstance(result, Session):
                sessions[name] = result
            else:
                failed[name] = result
            if progress:
                bar = "#" * round(BAR_LETTERS * number / len(paths))
                line = f"\ranalyse_many [{bar:<{BAR_LETTERS}}] {number} of {len(paths)} {name:<{longest}}"
                sys.stderr.write(line + "\n" * (number == len(paths)))
                sys.stderr.flush()
    return Sessions(sessions, failed)


def _results(
    paths: Mapping[str, Path], workers: int, scratch: Path, settings: Mapping[str, Any]
) -> Iterator[tuple[str, Session | str]]:
    if workers == 1:
        yield from ((name, _tried(partial(analyse, path, **settings))) for name, path in paths.items())
        return
    with ProcessPoolExecutor(workers) as pool:
        jobs = {name: pool.submit(_written, path, scratch / name, dict(settings)) for name, path in paths.items()}
        for name, job in jobs.items():
            yield name, job.result() or read_folder(scratch / name)


def _tried(call: Callable[[], Session]) -> Session | str:
    try:
        return call()
    except BiomechError as error:
        return error.message


def _written(folder: Path, out: Path, settings: Mapping[str, Any]) -> str:
    """Analyse a folder and write its session; the sentence of what failed, or nothing."""
    result = _tried(partial(analyse, folder, **settings))
    if isinstance(result, str):
        return result
    result.write(out)
    return ""
