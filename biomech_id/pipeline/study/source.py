"""Where the rows of a study's tables come from, and which columns they have: the same for every subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from biomech_id.conventions import Column, table_columns
from biomech_id.errors import FileRefusedError
from biomech_id.files.json_text import read_json
from biomech_id.session.tables.csv_text import header_of

_SUBJECT = Column("subject", "text", "the subject: the folder of its results, relative to the study's")
_OF_FRAMES = (
    Column("trial", "text", "name of the trial: the C3D file's stem"),
    Column("frame", "integer", "the recording's own number, counted from 1"),
    Column("time", "number", "(frame - 1) / rate", "s"),
)


class SourceFile(NamedTuple):
    """One file of a session, and the cells that stand in front of each of its rows in the study's table."""

    path: Path
    front: dict[str, str]
    kept: tuple[str, int] | None = None
    """Column and step: rows whose number in that column is a multiple of the step are copied; None copies all."""


def source_files(subject: str, session: Path, table: str) -> Iterator[SourceFile]:
    """Yield the files of one session that make one table of the study; a tidy table names trials in its own rows.

    Parameters
    ----------
    subject : str
        Its name in the study.
    session : Path
        Folder of the session.
    table : str
        Name of the table.

    Raises
    ------
    FileRefusedError
        The session's summary is missing or damaged.
    """
    if table != "frames":
        yield SourceFile(session / f"{table}.csv", {"subject": subject})
        return
    for trial in read_json(session / "summary.json")["trials"]:
        yield SourceFile(session / "trials" / f"{trial['name']}.csv", {"subject": subject, "trial": trial["name"]})


def study_columns(table: str, subjects: Mapping[str, Path]) -> tuple[Column, ...]:
    """Return the columns of one table of a study, the same for every subject.

    Points of the foot's outline differ between marker sets: the frames of a study have every column of any of its sessions.

    Parameters
    ----------
    table : str
        Name of the table.
    subjects : Mapping[str, Path]
        Name -> folder of the session.

    Raises
    ------
    FileRefusedError
        A session's frame table is missing.
    """
    if table != "frames":
        return (_SUBJECT, *table_columns(table))
    known = (_SUBJECT, *_OF_FRAMES)
    names: dict[str, None] = {}
    for subject, session in subjects.items():
        for source in source_files(subject, session, table):
            names.update(dict.fromkeys(header_of(source.path)))
    own = {column.name for column in known}
    return (*known, *(Column(name, "number", "see docs/conventions.md") for name in names if name not in own))


def check_header(source: SourceFile, columns: Sequence[Column]) -> None:
    """Refuse a session's table that lacks a column of the study's; frame tables need only ``frame`` and ``time``.

    Parameters
    ----------
    source : SourceFile
        The file that holds a session's table.
    columns : Sequence[conventions.Column]
        Columns that are expected, in the file's order.

    Raises
    ------
    FileRefusedError
        The file is missing, or a column is.
    """
    present = header_of(source.path)
    needed = ("frame", "time") if "trial" in source.front else [column.name for column in columns if not column.added]
    missing = [name for name in needed if name not in present and name not in source.front]
    if missing:
        raise FileRefusedError(
            f"{source.path} lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}.",
            value=present, expected=", ".join(needed), where=str(source.path),
        )  # fmt: skip
