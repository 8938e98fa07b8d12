"""The tables of a study: those of its sessions, one below the other, with the subject in front.

``study/`` holds ``frames``, ``cycles``, ``spatiotemporal`` and ``quality``. With pyarrow each is a Parquet dataset partitioned by
subject (``cycles/subject=<subject>/part.parquet``), which pandas, Polars and DuckDB read lazily; without it each is one CSV file.
Sessions are taken one after the other, so that memory does not grow with the study, and in the order of their names, so that the
bytes do not depend on who finished first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import pandas as pd

from biomech_id.conventions import SCHEMA, table_columns
from biomech_id.results.atomic import whole_folder
from biomech_id.results.csv_text import csv_text, header_of, read_csv, read_frames_csv
from biomech_id.results.folder import MANIFEST
from biomech_id.results.json_text import json_text, read_json

#: Tables of a study: the frame tables, and the tidy tables of that name.
STUDY_TABLES = ("frames", "cycles", "spatiotemporal", "quality")
STUDY_FOLDER = "study"


def session_folders(root: Path) -> tuple[Path, ...]:
    """Return the folders of finished sessions at and below a folder, sorted by their relative path; hidden ones are left out."""
    found = [path.parent for path in root.rglob(MANIFEST)]
    seen = [folder for folder in found if not any(part.startswith(".") for part in folder.relative_to(root).parts)]
    return tuple(sorted(seen, key=lambda folder: folder.relative_to(root).as_posix()))


def write_study(root: Path, folders: Sequence[Path] | None = None, *, parquet: bool | None = None) -> Path:
    """Write the tables of a study below ``root/study``, whole or not at all, and return that folder.

    Parameters
    ----------
    root : the study's results; a subject is named by the path of its folder relative to it.
    folders : of the sessions; default all at and below ``root``.
    parquet : True for Parquet, False for CSV; default Parquet where pyarrow is installed.

    Raises
    ------
    FileRefusedError : a session's table is missing or damaged; names the file.
    OutputError : the tables cannot be written.
    """
    folders = session_folders(root) if folders is None else folders
    subjects = {_subject(root, folder): folder for folder in sorted(folders, key=lambda folder: _subject(root, folder))}
    as_parquet = find_spec("pyarrow") is not None if parquet is None else parquet
    out = root / STUDY_FOLDER
    with whole_folder(out) as part:
        for table in STUDY_TABLES:
            if as_parquet:
                _write_dataset(part / table, table, subjects)
            else:
                _write_one_csv(part / f"{table}.csv", table, subjects)
        about = {"schema": SCHEMA, "format": "parquet" if as_parquet else "csv", "tables": STUDY_TABLES, "subjects": list(subjects)}
        (part / "study.json").write_text(json_text(about), encoding="utf-8", newline="\n")
    return out


def _subject(root: Path, folder: Path) -> str:
    relative = folder.relative_to(root).as_posix()
    return root.name if relative == "." else relative


def _files(session: Path, table: str) -> list[tuple[str, Path]]:
    """The files of one session that make one table of the study, each with its trial; the tidy tables name theirs in their rows."""
    if table != "frames":
        return [("", session / f"{table}.csv")]
    names = [trial["name"] for trial in read_json(session / "summary.json")["trials"]]
    return [(name, session / "trials" / f"{name}.csv") for name in names]


def _rows_of(path: Path, table: str, head: Mapping[str, str]) -> pd.DataFrame:
    """The rows of one file, with the columns of ``head`` in front."""
    rows = read_frames_csv(path) if table == "frames" else read_csv(path, table_columns(table))
    return pd.concat([pd.DataFrame(dict(head), index=rows.index, dtype="str"), rows], axis=1)


def _write_dataset(folder: Path, table: str, subjects: Mapping[str, Path]) -> None:
    for subject, session in subjects.items():
        # The names of partitions are URL-encoded, as readers of such datasets expect: a subject may lie in nested folders.
        place = folder / f"subject={quote(subject, safe='')}"
        place.mkdir(parents=True)
        parts = [_rows_of(path, table, {"trial": trial} if trial else {}) for trial, path in _files(session, table)]
        rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"trial": pd.Series(dtype="str")})
        rows.to_parquet(place / "part.parquet", engine="pyarrow", index=False)


def _write_one_csv(path: Path, table: str, subjects: Mapping[str, Path]) -> None:
    head = ["subject", "trial"] if table == "frames" else ["subject"]
    files = [(subject, *found) for subject, session in subjects.items() for found in _files(session, table)]
    if table == "frames":
        # Points of the foot's outline differ between marker sets: every column of any session.
        columns = list(dict.fromkeys(["frame", "time", *(name for *_, found in files for name in header_of(found))]))
    else:
        columns = [column.name for column in table_columns(table)]
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.write(csv_text(pd.DataFrame(columns=[*head, *columns])))
        for subject, trial, found in files:
            front = dict(zip(head, (subject, trial), strict=False))
            out.write(_copied(found, columns, front) or _rewritten(found, table, [*head, *columns], front))


def _copied(path: Path, columns: list[str], front: Mapping[str, str]) -> str | None:
    """Text of the rows with cells put in front of each; None where that takes more than copying."""
    head, _, rows = path.read_text(encoding="utf-8").partition("\n")
    if head.split(",") != columns or '"' in rows:
        # Other columns, or a quoted cell that may hold a line break.
        return None
    start = csv_text(pd.DataFrame([front], dtype="str")).partition("\n")[2].rstrip("\n") + ","
    return start + rows[:-1].replace("\n", "\n" + start) + "\n" if rows else ""


def _rewritten(path: Path, table: str, columns: list[str], front: Mapping[str, str]) -> str:
    """Text of the rows read and written again, for tables whose columns differ between sessions."""
    return csv_text(_rows_of(path, table, front).reindex(columns=columns)).partition("\n")[2]
