"""The tables of a study: every session's tables as one, with the subject in front, readable lazily.

With pyarrow each table is a Parquet dataset of one file per subject (see `study.parquet`), otherwise one CSV each, which of a large
study is thinned (see `session.output.thinning`): ``study.json`` says which, and by how much. A session is copied piece by piece, so
that memory depends neither on how many there are nor on how long one of them is; and in the order of their names, so that the bytes
do not depend on who finished first.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

from biomech_id.conventions import SCHEMA, Column
from biomech_id.errors import FileRefusedError, OptionError
from biomech_id.files.atomic import whole_folder
from biomech_id.files.json_text import json_text, read_json
from biomech_id.languages import Sentence
from biomech_id.pipeline.study.parquet import write_subject_part
from biomech_id.pipeline.study.source import SourceFile, check_header, source_files, study_columns
from biomech_id.session.folder.read_write import MANIFEST
from biomech_id.session.output.manifest import package_version
from biomech_id.session.output.thinning import thinning_step
from biomech_id.session.tables.csv_text import header_line, header_of

#: Tables of a study: the frame tables, and the tidy tables of that name.
STUDY_TABLES = ("frames", "cycles", "spatiotemporal", "quality")
STUDY_FOLDER = "study"
#: Those of them that can be thinned, and the column that counts their rows.
ROW_COUNTERS = {"frames": "frame", "cycles": "percent"}
#: Characters of a session's table that are copied at a time.
_PIECE = 1 << 20


def session_folders(root: Path) -> tuple[Path, ...]:
    """Return the folders of finished sessions at and below a folder, sorted by their relative path; hidden ones are left out.

    Parameters
    ----------
    root : Path
        Folder of a study, or of one session.
    """
    folders = [path.parent for path in root.rglob(MANIFEST)]
    seen = [folder for folder in folders if not any(part.startswith(".") for part in folder.relative_to(root).parts)]
    return tuple(sorted(seen, key=lambda folder: folder.relative_to(root).as_posix()))


def write_study(
    root: Path,
    folders: Sequence[Path] | None = None,
    *,
    parquet: bool | None = None,
    out: Path | None = None,
    large: str = "auto",
) -> Path:
    """Write the tables of a study below ``root/study``, whole or not at all, and return that folder.

    Parameters
    ----------
    root : Path
        The study's results; a subject is named by the path of its folder relative to it.
    folders : Sequence[Path] | None, optional
        Of the sessions; default all at and below ``root``.
    parquet : bool | None, optional
        True for Parquet, False for CSV; default Parquet where pyarrow is installed.
    out : Path | None, optional
        Folder that takes the tables; None for ``root/study``.
    large : str, optional
        One of `session.output.thinning.LARGE_TABLES`: "thinned" thins tables of too many rows, "auto" only where they are CSV,
        "parts" asks for Parquet, "whole" thins none.

    Returns
    -------
    Path
        The folder that holds the tables.

    Raises
    ------
    OptionError
        "parts" without pyarrow.
    FileRefusedError
        A session's table is missing or damaged; names the file.
    OutputError
        The tables cannot be written.
    """
    folders = session_folders(root) if folders is None else folders
    subjects = {_subject(root, folder): folder for folder in sorted(folders, key=lambda folder: _subject(root, folder))}
    check_parts(large)
    as_parquet = large == "parts" or (find_spec("pyarrow") is not None if parquet is None else parquet)
    thin = large == "thinned" or (large == "auto" and not as_parquet)
    steps = {table: step for table in ROW_COUNTERS if thin and (step := thinning_step(_rows_of(subjects, table))) > 1}
    out = out or root / STUDY_FOLDER
    with whole_folder(out) as part:
        for table in STUDY_TABLES:
            columns = study_columns(table, subjects)
            if as_parquet:
                (part / table).mkdir()
                for subject, session in subjects.items():
                    write_subject_part(part / table, subject, _sources(subject, session, table, steps), columns)
            else:
                sources = (each for subject, session in subjects.items() for each in _sources(subject, session, table, steps))
                _write_one_csv(part / f"{table}.csv", sources, columns)
        about = {**about_study(as_parquet), "large_tables": large, "thinned": steps, "subjects": list(subjects)}
        (part / "study.json").write_text(json_text(about), encoding="utf-8", newline="\n")
    return out


def check_parts(large: str) -> None:
    """Refuse Parquet parts without pyarrow.

    Parameters
    ----------
    large : str
        How large tables are written: one of `session.output.thinning.LARGE_TABLES`.

    Raises
    ------
    OptionError
        "parts", and pyarrow is not installed.
    """
    if large == "parts" and find_spec("pyarrow") is None:
        raise OptionError(
            "large_tables = \"parts\" writes Parquet, for which pyarrow is not installed: pip install pyarrow.",
            value=large, expected="pyarrow, or auto, thinned, whole", where="large_tables",
        )  # fmt: skip


def told_of_study(out: Path) -> tuple[Sentence, ...]:
    """Return one sentence for each table of a study that was thinned.

    Parameters
    ----------
    out : Path
        The folder that `write_study` returned.
    """
    about = read_json(out / "study.json")
    return tuple(
        Sentence("study-thinned", {"table": table, "step": step, "of": ROW_COUNTERS[table], "format": about["format"]})
        for table, step in about["thinned"].items()
    )


def _rows_of(subjects: Mapping[str, Path], table: str) -> int:
    """How many rows a table of the study would have."""
    files = [source.path for subject, session in subjects.items() for source in source_files(subject, session, table)]
    return sum(_lines_of(path) - 1 for path in files if path.is_file())


def _lines_of(path: Path) -> int:
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(_PIECE), b""))


def _sources(subject: str, session: Path, table: str, steps: Mapping[str, int]) -> Iterator[SourceFile]:
    kept = (ROW_COUNTERS[table], steps[table]) if table in steps else None
    yield from (source._replace(kept=kept) for source in source_files(subject, session, table))


def about_study(parquet: bool) -> dict[str, Any]:
    """Return what ``study.json`` says of any study's tables: the bytes of Parquet depend on who writes them.

    Parameters
    ----------
    parquet : bool
        Whether pyarrow is installed.
    """
    kind = {"format": "parquet" if parquet else "csv", "dependencies": {"pyarrow": package_version("pyarrow")} if parquet else {}}
    return {"schema": SCHEMA, **kind, "tables": STUDY_TABLES}


def _subject(root: Path, folder: Path) -> str:
    relative = folder.relative_to(root).as_posix()
    return root.name if relative == "." else relative


def _write_one_csv(path: Path, sources: Iterator[SourceFile], columns: Sequence[Column]) -> None:
    names = [column.name for column in columns]
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(header_line(names))
        for source in sources:
            check_header(source, columns)
            as_it_is = source.kept is None and header_of(source.path) == names[len(source.front) :]
            if as_it_is and not _has_quotes(source.path):
                _copy_rows(source, out)
            else:
                _rearrange_rows(source, names, out)


def _has_quotes(path: Path) -> bool:
    """Whether a cell is quoted, and so may hold a line break."""
    with path.open("rb") as file:
        return any(b'"' in piece for piece in iter(lambda: file.read(_PIECE), b""))


def _copy_rows(source: SourceFile, out: TextIO) -> None:
    """Copy rows as they are, with cells put in front of each."""
    front = header_line(source.front.values()).rstrip("\n") + ","
    with source.path.open(encoding="utf-8", newline="") as file:
        next(file)
        while rows := file.readlines(_PIECE):
            if not rows[-1].endswith("\n"):
                raise FileRefusedError(
                    f"{source.path} ends in the middle of a row; analyse the subject again.",
                    value=rows[-1], expected="whole rows", where=str(source.path),
                )  # fmt: skip
            out.write(front + front.join(rows))


def _rearrange_rows(source: SourceFile, names: Sequence[str], out: TextIO) -> None:
    """Copy rows cell by cell, for a table whose columns are not all of the study's, whose cells are quoted, or that is thinned."""
    with source.path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, restval="")
        writer = csv.DictWriter(out, names, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writerows({**row, **source.front} for row in rows if source.kept is None or _is_kept(row, *source.kept))


def _is_kept(row: Mapping[str, str], column: str, step: int) -> bool:
    return int(float(row[column])) % step == 0
