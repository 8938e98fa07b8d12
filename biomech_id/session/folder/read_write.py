"""The folder OUT of one session: written whole or not at all, and read back as the same tables.

Everything is written into a hidden sibling of OUT, the manifest last, and the sibling then takes OUT's name. Whoever looks at OUT
sees the old session or the new one, never a mixture; a run that dies leaves a hidden folder that nothing reads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from biomech_id.arguments import a_path, takes
from biomech_id.conventions import SCHEMA, SESSION_TABLES, table_columns
from biomech_id.errors import FileRefusedError, OutputError
from biomech_id.files.atomic import check_writable, keep_private, refuse_lost_link, whole_file, whole_folder
from biomech_id.files.inputs import sha256_of
from biomech_id.files.json_text import json_text, jsonable, read_json
from biomech_id.files.kept_values import KeptValues
from biomech_id.files.output_names import refuse_leading
from biomech_id.files.unfinished import is_unfinished
from biomech_id.session.output.emg_tables import EMG_TABLES
from biomech_id.session.output.further_tables import FURTHER_TABLES
from biomech_id.session.output.thinning import restored, steps_of, thinned
from biomech_id.session.tables.csv_text import csv_bytes, csv_pieces, read_csv, read_frames_csv
from biomech_id.session.tables.session_tables import PIECE_CELLS, LateTable, LateTables, Table, Tables
from biomech_id.session.values.step import begin

JSON_TABLES = ("calibration", "summary")
#: Tables whose rows of a trial follow from that trial alone.
OF_TRIALS = ("cycles", "budget", "uncertainty", "peaks", "spatiotemporal")
#: Tables that a session may have or not.
OPTIONAL_TABLES = (
    "norm", "statistics", "deviations", "parity", "uncertainty", *EMG_TABLES, "muscles", "muscle_forces", "joint_contact",
    "whole_body", "examination",
)  # fmt: skip
MANIFEST = "manifest.json"
#: Files that operating systems leave in every folder somebody has looked into.
_LITTER = {"Thumbs.db", "desktop.ini", ".DS_Store"}

#: Writes further files (the report, C3D copies) into the folder it is given.
Extra = Callable[[Path], None]


def write_folder(
    tables: Tables,
    out: Path,
    *,
    extras: Sequence[Extra] = (),
    owner_only: bool = False,
    kept: KeptValues | None = None,
    rows: Mapping[str, object] | None = None,
) -> Tables:
    """Write a session to its folder, whole or not at all.

    Parameters
    ----------
    tables : Tables
        Tables and documents of the session.
    out : Path
        The folder. If it exists it is replaced, provided that everything in it is this program's own.
    extras : Sequence[Extra], optional
        Called one after the other with the folder under construction; what they write is listed in the manifest too.
    owner_only : bool, optional
        Whether nobody but the owner may read it.
    kept : KeptValues | None, optional
        Where rows lie that another run has written, and those of this one are kept.
    rows : Mapping[str, object] | None, optional
        Trial -> what its own tables follow from, where that is known.

    Returns
    -------
    Tables
        The same tables with ``manifest["outputs"]`` filled in.

    Raises
    ------
    OutputError
        OUT holds files of somebody else, cannot be written, or the disk is full. OUT is then as it was before.
    InvalidValueError
        A trial's name is a path.
    """
    refuse_leading(tables.frames, out)
    check_replaceable(out)
    with whole_folder(out) as folder:
        for name, written in _files(tables, kept, rows or {}):
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            with path.open("wb") as file:
                file.writelines(written)
        for extra in extras:
            extra(folder)
        listed = tables.with_others(manifest={**tables.manifest, "outputs": _hashes(folder)})
        (folder / MANIFEST).write_text(json_text(listed.manifest), encoding="utf-8", newline="\n")
        if owner_only:
            keep_private(folder)
    return listed


@takes(out=a_path("give the folder that analyse or `run` wrote"))
def read_tables(out: str | os.PathLike[str]) -> Tables:
    """Read a session back from its folder.

    Parameters
    ----------
    out : str | os.PathLike[str]
        Folder of the results.

    Returns
    -------
    Tables
        Every table and document of the folder; those that it lacks are None.

    Raises
    ------
    FileRefusedError
        OUT is no such folder, or one of its files is missing, damaged or of another schema; names the file.
    InvalidValueError
        A trial's name is a path.
    """
    out = Path(out)
    if not (out / MANIFEST).is_file():
        words = f"{out} is not a folder written by `biomech-id run`: it has no {MANIFEST}."
        raise FileRefusedError.at(out, words, f"a folder with {MANIFEST}")
    return _tables_in(out, read_json(out / MANIFEST))


def read_back(folder: Path, manifest: Mapping[str, Any]) -> Tables:
    """Read the tables of a folder under construction, as whoever reads it later gets them: with nine digits.

    Parameters
    ----------
    folder : Path
        As an `Extra` is given it.
    manifest : Mapping[str, Any]
        Of the tables that are being written.

    Returns
    -------
    Tables
        What `read_tables` will return, with the outputs of ``manifest``.
    """
    return _tables_in(folder, jsonable(manifest))


def _tables_in(out: Path, manifest: Mapping[str, Any]) -> Tables:
    summary = read_json(out / "summary.json")
    refuse_leading((trial["name"] for trial in summary["trials"]), out / "summary.json")
    steps = steps_of(summary)

    def read(name: str) -> Table:
        return restored(read_csv(out / f"{name}.csv", table_columns(name)), steps.get(name, 1))

    tables = {name: read(begin(name)) for name in SESSION_TABLES}
    optional = {name: out / f"{name}.csv" for name in OPTIONAL_TABLES}
    return Tables(
        frames={trial["name"]: read_frames_csv(out / "trials" / f"{begin(trial['name'])}.csv") for trial in summary["trials"]},
        calibration=read_json(out / "calibration.json"),
        summary=summary,
        manifest=manifest,
        further={
            name: read_csv(out / f"{name}.csv", further.table.columns)
            for name, further in FURTHER_TABLES.items()
            if (out / f"{name}.csv").is_file()
        },
        **{name: read(name) for name, path in optional.items() if path.is_file()},
        **tables,
    )


def update_output(out: Path, name: str, write: Extra, *, noted: Mapping[str, Any] | None = None) -> None:
    """Write one more file into a finished session, or one anew, and its hash into the manifest.

    Parameters
    ----------
    out : Path
        Folder of a finished session.
    name : str
        The file, relative to it.
    write : Extra
        Writes the file at the path it is given.
    noted : Mapping[str, Any] | None, optional
        Keys of the manifest that change along with it; an empty value removes one.

    Raises
    ------
    FileRefusedError
        OUT has no manifest.
    OutputError
        OUT cannot be written, or the disk is full. The old file is then still there.
    """
    manifest = read_json(out / MANIFEST)
    with whole_file(out / name) as part:
        write(part)
        outputs = {**manifest["outputs"], name: sha256_of(part)}
    with whole_file(out / MANIFEST) as part:
        changed = {**manifest, **(noted or {}), "outputs": dict(sorted(outputs.items()))}
        kept = {key: value for key, value in changed.items() if value or key not in (noted or {})}
        part.write_text(json_text(kept), encoding="utf-8", newline="\n")


def damaged_outputs(out: Path) -> tuple[str, ...]:
    """Return the outputs that are missing or differ from the manifest's hash; empty for a whole session.

    Parameters
    ----------
    out : Path
        Folder of the results.

    Returns
    -------
    tuple[str, ...]
        Paths relative to the folder, in the manifest's order.

    Raises
    ------
    FileRefusedError
        OUT has no readable manifest, so that nothing about it is known.
    """
    outputs: Mapping[str, str] = read_json(out / MANIFEST)["outputs"]
    return tuple(name for name, sha in outputs.items() if not (out / name).is_file() or sha256_of(out / name) != sha)


def _files(tables: Tables, kept: KeptValues | None, rows: Mapping[str, object]) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Name and bytes of each file of the tables, piece by piece."""
    steps = steps_of(tables.summary)
    for trial in tables.frames:
        frames = tables.frames.late[trial] if isinstance(tables.frames, LateTables) else tables.frames[trial]
        yield f"trials/{trial}.csv", _csv(frames, 1, kept, {"": ("frames", rows[trial])} if trial in rows else {})
    for name in JSON_TABLES:
        yield f"{name}.json", [json_text(getattr(tables, name)).encode()]
    for name in (*SESSION_TABLES, *OPTIONAL_TABLES):
        table = tables.held(name)
        if table is not None:
            step = steps.get(name, 1)
            own = {trial: (name, step, follows) for trial, follows in rows.items()} if name in OF_TRIALS else {}
            yield f"{name}.csv", _csv(table, step, kept, own)
    for name, table in tables.further.items():
        yield f"{name}.csv", _csv(table, 1, kept, {})


def _csv(table: Table | LateTable, step: int, kept: KeptValues | None, own: Mapping[str, object]) -> Iterable[bytes]:
    if isinstance(table, LateTable):
        if kept is None:
            return csv_pieces(thinned(piece, step) for piece in table.pieces())
        table = table.whole
    table = thinned(table, step)
    if kept is None:
        rows = max(1, PIECE_CELLS // len(table.columns))
        return csv_pieces(table.iloc[first : first + rows] for first in range(0, max(len(table), 1), rows))
    return [csv_bytes(table, kept, own)]


def _files_in(folder: Path) -> Iterator[str]:
    """Every file and link below a folder but litter and what a killed process left half-written.

    One by one and never through a link, for the folder may be a whole disk.
    """
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_unfinished(name))
        above = Path(base).relative_to(folder)
        links = [name for name in folders if os.path.islink(os.path.join(base, name))]
        own = (name for name in sorted([*files, *links]) if name not in _LITTER and not is_unfinished(name))
        yield from ((above / name).as_posix() for name in own)


def list_outputs(folder: Path, listing: str, *, also: Mapping[str, Any] | None = None) -> None:
    """Write a JSON file that lists every file in a folder, for `check_replaceable`.

    Parameters
    ----------
    folder : Path
        Folder whose files are listed, subfolders included.
    listing : str
        Name of the JSON file.
    also : Mapping[str, Any] | None, optional
        Further keys of it.
    """
    text = json_text({"schema": SCHEMA, **(also or {}), "outputs": _hashes(folder)})
    (folder / listing).write_text(text, encoding="utf-8", newline="\n")


def _hashes(folder: Path) -> dict[str, str]:
    return {name: sha256_of(folder / name) for name in sorted(_files_in(folder))}


def check_replaceable(out: Path, *, listing: str = MANIFEST) -> None:
    """Refuse a folder that cannot be written, or that holds more than what was written by an earlier run; before it is computed.

    Parameters
    ----------
    out : Path
        The folder; it need not exist.
    listing : str, optional
        JSON file in it whose ``outputs`` are the files of an earlier run.

    Raises
    ------
    OutputError
        OUT is a file, holds files of somebody else, is named by where one stands, or cannot be written.
    """
    if out == Path() or out.name == "..":
        words = f"{out} names a folder by where one stands, and results replace a folder as a whole; name one, such as results."
        raise OutputError.at(out, words, "a folder by its name")
    if out.is_dir():
        own = {listing, *_outputs_of(out / listing)}
        foreign = list(islice((name for name in _files_in(out) if name not in own), 2))
        if foreign:
            more = " and more" if len(foreign) > 1 else ""
            raise OutputError(
                f"{out} holds files this program did not write ({foreign[0]}{more}); name another folder or move them away.",
                value=foreign, expected="a new folder, an empty one, or one of an earlier run", where=str(out),
            )  # fmt: skip
    elif out.exists():
        raise OutputError.at(out, f"{out} is a file, not a folder.", "a folder")
    if os.path.ismount(out):
        words = f"{out} is a disk of its own, which cannot be replaced as a whole; name a folder in it, such as {out / 'results'}."
        raise OutputError.at(out, words, "a folder on a disk")
    refuse_lost_link(out)
    check_writable(out)


def _outputs_of(listing: Path) -> Mapping[str, Any]:
    try:
        outputs: Mapping[str, Any] = read_json(listing)["outputs"]
    except (FileRefusedError, KeyError):
        return {}
    return outputs
