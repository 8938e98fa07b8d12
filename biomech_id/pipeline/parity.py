"""An analysed folder against the outputs that the vendor's software stored in the same recordings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from biomech_id.errors import MissingInputError
from biomech_id.pipeline.redraw import redraw
from biomech_id.readers import read
from biomech_id.session.folder.read_write import read_tables, update_output
from biomech_id.session.tables.csv_text import write_csv
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.step import Progress
from biomech_id.statistics.parity import ParityRow, head_offset_parity, offset_parity, parity_rows, parity_table


class NothingStoredError(MissingInputError):
    """No recording stores outputs of other software: there is nothing to compare with."""


def parity_of(out: Path, subject_dir: Path) -> tuple[ParityRow, ...]:
    """Compare every analysed trial with what its file stores.

    Parameters
    ----------
    out : Path
        A folder written by ``biomech-id run``.
    subject_dir : Path
        The folder with the recordings it was made from.

    Raises
    ------
    FileRefusedError
        ``out`` is no such folder, or a recording cannot be read.
    MissingInputError
        A recording is not there.
    NothingStoredError
        None of the recordings stores model outputs.
    """
    return parity_of_tables(read_tables(out), subject_dir)


def parity_of_tables(tables: Tables, subject_dir: Path) -> tuple[ParityRow, ...]:
    """Compare a session's tables with what its recordings store.

    Parameters
    ----------
    tables : Tables
        Tables of the session, fresh or read back.
    subject_dir : Path
        The folder with the recordings they were made from.

    Raises
    ------
    FileRefusedError, MissingInputError, NothingStoredError
        As of `parity_of`.
    """
    rows: list[ParityRow] = []
    static_file = tables.summary["static"]["file"]
    if static_file and "sides" in tables.calibration:
        rows += offset_parity(tables.calibration["sides"], read(_recording(subject_dir, static_file)))
    if tables.summary.get("kinetics") != "vicon":
        # Vicon kinetics take the stored one.
        rows += head_offset_parity(tables.calibration, tables.summary["static"]["name"])
    passes = tables.manifest["recipe"].get("foot", {}).get("foot_heel_passes", 1)
    for trial in tables.summary["trials"]:
        recorded = read(_recording(subject_dir, trial["file"]))
        rows += parity_rows(tables.frames[trial["name"]], recorded, straight=trial["kind"] == "straight", heel_passes=passes)
    if not any(row.n_frames for row in rows):
        words = f"The recordings in {subject_dir} store no model outputs to compare with."
        raise NothingStoredError.at(subject_dir, words, "C3D files with Plug-in Gait outputs")
    return tuple(rows)


def kinetics_of(out: Path) -> str:
    """Return the kinetics mode that a folder was made with.

    Parameters
    ----------
    out : Path
        A folder written by ``biomech-id run``.
    """
    return str(read_tables(out).summary.get("kinetics", ""))


def _recording(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.is_file():
        raise MissingInputError(
            f"{folder} does not hold {name}, from which the results were made.", value=name, expected=name, where=str(folder)
        )
    return path


def write_parity(rows: Sequence[ParityRow], path: Path) -> None:
    """Write a comparison as CSV, whole or not at all.

    Parameters
    ----------
    rows : Sequence[ParityRow]
        The comparison, row by row.
    path : Path
        CSV file to write; an existing one is replaced.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    write_csv(parity_table(rows), path)


def add_parity(rows: Sequence[ParityRow], out: Path) -> None:
    """Write a comparison into the folder of results as ``parity.csv``.

    Parameters
    ----------
    rows : Sequence[ParityRow]
        The comparison, row by row.
    out : Path
        Folder of the results.

    Raises
    ------
    BiomechError
        The folder cannot be written to; its old files are then still there.
    """
    update_output(out, "parity.csv", lambda path: write_parity(rows, path))


def keep_parity(rows: Sequence[ParityRow], out: Path, *, progress: Progress | None = None) -> Path:
    """Write a comparison into the folder of results as ``parity.csv``, and draw its report again with the comparison at its end.

    Parameters
    ----------
    rows : Sequence[ParityRow]
        The comparison, row by row.
    out : Path
        Folder of the results.
    progress : Progress | None, optional
        Called with what is being done, which one it is and how many there are; None for nobody.

    Returns
    -------
    Path
        The report's path.

    Raises
    ------
    BiomechError
        The folder cannot be written to; its old files are then still there.
    """
    add_parity(rows, out)
    return redraw(out, progress=progress)
