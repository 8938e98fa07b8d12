"""What OpenSim would complain about, or get wrong without a word, in a folder of its files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from biomech_id.errors import BiomechError, Finding, MissingInputError, Severity
from biomech_id.readers.opensim.document import read_document
from biomech_id.readers.opensim.loads import read_external_loads
from biomech_id.readers.opensim.storage import StorageTable, even_rate_hz, read_storage
from biomech_id.readers.opensim.trc import read_trc
from biomech_id.signal.runs import runs

#: Elements of OpenSim's setup files that name a file.
FILE_ELEMENTS = ("model_file", "marker_file", "coordinates_file", "external_loads_file", "datafile")
#: What columns of ground reactions are called, whether or not an ``ExternalLoads`` file names them.
FORCE_WORDS = ("_vx", "_vy", "_vz", "_px", "_py", "_pz", "torque")
#: What the column of a vertical ground reaction ends with, in the files of OpenSim's examples and in ours.
VERTICAL = "_vy"
#: Share of the plates' vertical impulse that may act on no body unsaid: contacts begin and end a sample apart.
LARGEST_LOSS = 0.01


def check_folder(folder: Path) -> tuple[Finding, ...]:
    """Look over every ``.trc``, ``.mot``, ``.sto``, ``.osim`` and ``.xml`` file directly in a folder.

    Parameters
    ----------
    folder : Path
        Where the files are.

    Returns
    -------
    tuple[Finding, ...]
        What was found, errors first. An error stops OpenSim or spoils its results; a warning is something to look at.

    Raises
    ------
    MissingInputError
        No such folder, or none of OpenSim's files in it.
    """
    files = sorted(p for p in folder.iterdir() if p.suffix.lower() in CHECKS) if folder.is_dir() else []
    if not files:
        words = f"{folder} holds none of OpenSim's files ({', '.join(CHECKS)})."
        raise MissingInputError.at(folder, words, "a folder of OpenSim's files")
    findings = [finding for path in files for finding in _safely(CHECKS[path.suffix.lower()], path)]
    return tuple(sorted(findings, key=lambda finding: finding.severity is not Severity.ERROR))


def _safely(check: Callable[[Path], Iterable[Finding]], path: Path) -> list[Finding]:
    try:
        return list(check(path))
    except BiomechError as error:
        return [Finding("opensim-unreadable", {"refusal": error.message}, path.name)]


def _markers(path: Path) -> Iterator[Finding]:
    table = read_trc(path)
    if table.first_frame < 1:
        yield Finding("opensim-first-frame", {"frame": table.first_frame}, path.name)
    seen = np.asarray(np.isfinite(table.position_m).all(axis=2))
    never = [name for name, ever in zip(table.names, seen.T, strict=True) if not ever.any()]
    if never:
        yield Finding("opensim-marker-unseen", {"markers": never}, path.name)
    zeros = (table.position_m == 0.0).all(axis=2).sum()
    if zeros:
        yield Finding("opensim-marker-zero", {"n": int(zeros)}, path.name)


def _table(path: Path) -> Iterator[Finding]:
    table = read_storage(path)
    if len(table.time_s) > 1:
        even_rate_hz(table.time_s, path.name)
    missing = ~np.isfinite(table.values)
    columns = [table.columns[k] for k in np.flatnonzero(missing.any(axis=0))]
    # Results say nan where the ground's action is not known, joint angles where a marker was not seen: nobody computes with those.
    if columns and (path.name in _named_files(path.parent) or any(word in c for c in columns for word in FORCE_WORDS)):
        yield Finding("opensim-nan", {"n": int(missing.sum()), "columns": columns}, path.name)


def _loads(path: Path) -> Iterator[Finding]:
    """One of OpenSim's XML documents: the files it names, and for external loads the columns and bodies."""
    root = read_document(path)
    for tag, name in _file_names(root):
        if not (path.parent / name).is_file():
            yield Finding("opensim-file-missing", {"element": tag, "file": name}, path.name)
    if root.find(".//ExternalLoads") is not None:
        yield from _external_loads(path)


def _external_loads(path: Path) -> Iterator[Finding]:
    loads = read_external_loads(path)
    data = path.parent / loads.data_file
    table = read_storage(data) if loads.data_file and data.is_file() else None
    bodies = _bodies(path.parent)
    for force in loads.forces:
        if bodies and force.body not in bodies:
            values = {"force": force.name, "body": force.body, "bodies": bodies}
            yield Finding("opensim-body-missing", values, path.name)
        if table is not None:
            yield from _columns(path, table, force.name, (force.force, force.point, force.torque))
    applied = {f"{force.force}y" for force in loads.forces if force.force}
    if table is not None and applied <= set(table.columns):
        yield from _lost(path, table, data, applied)


def _lost(path: Path, table: StorageTable, data: Path, applied: set[str]) -> Iterator[Finding]:
    """Force that was measured and acts on no body: in columns that no force names, and on plates beside the table."""
    acting = sum((table[column] for column in applied), np.zeros(len(table.time_s)))
    trial, named = data.stem.rpartition("_")[0], _named_files(data.parent)
    beside = [p for p in sorted(data.parent.glob(f"{trial}_*.mot")) if trial and p.name not in named]
    for file, measured in ((data.name, table), *((p.name, read_storage(p)) for p in beside)):
        columns = [column for column in measured.columns if column.endswith(VERTICAL)]
        if not columns or len(measured.time_s) < 2:
            continue
        total = np.nansum([measured[column] for column in columns], axis=0)
        left = np.clip(total - np.nan_to_num(np.interp(measured.time_s, table.time_s, acting)), 0.0, None)
        step_s = float(measured.time_s[-1] - measured.time_s[0]) / (len(measured.time_s) - 1)
        if left.sum() > LARGEST_LOSS * np.clip(total, 0.0, None).sum():
            first, last = max(runs(np.asarray(left > 0.5 * left.max())), key=lambda run: float(left[run[0] : run[1]].sum()))
            values = {
                "table": file, "percent": 100.0 * float(left.sum() / np.clip(total, 0.0, None).sum()),
                "lost_Ns": float(left.sum()) * step_s,
                "first_s": float(measured.time_s[first]), "last_s": float(measured.time_s[last - 1]),
            }  # fmt: skip
            yield Finding("opensim-force-lost", values, path.name)


def _columns(path: Path, table: StorageTable, name: str, stems: tuple[str, ...]) -> Iterator[Finding]:
    missing = [stem + axis for stem in stems if stem for axis in "xyz" if stem + axis not in table]
    if missing:
        yield Finding("opensim-column-missing", {"force": name, "columns": missing, "table": table.name}, path.name)
        return
    vertical = table[stems[0] + "y"] if stems[0] else np.zeros(1)
    if vertical.sum() < 0:
        yield Finding("opensim-force-down", {"force": name}, path.name)


def _file_names(root: Element) -> Iterator[tuple[str, str]]:
    """Every element of a document that names a file, and the name."""
    for tag in FILE_ELEMENTS:
        for element in root.iter(tag):
            name = (element.text or "").strip()
            if name not in ("", "Unassigned"):
                yield tag, name


def _named_files(folder: Path) -> set[str]:
    """Names of the files that documents of a folder take as input; a document that cannot be read is another check's business."""
    names: set[str] = set()
    for path in sorted(folder.glob("*.xml")):
        with suppress(BiomechError):
            names |= {name for _, name in _file_names(read_document(path))}
    return names


def _bodies(folder: Path) -> tuple[str, ...]:
    names: list[str] = []
    for model in sorted(folder.glob("*.osim")):
        names += [element.get("name", "") for element in read_document(model).iter("Body")]
    return tuple(dict.fromkeys(names))


def _model(path: Path) -> Iterator[Finding]:
    for body in read_document(path).iter("Body"):
        word = (body.findtext("mass") or "").strip()
        if not _is_mass(word):
            yield Finding("opensim-mass", {"body": body.get("name"), "mass": word}, path.name)


def _is_mass(word: str) -> bool:
    try:
        return 0.0 <= float(word) < float("inf")
    except ValueError:
        return False


CHECKS: dict[str, Callable[[Path], Iterable[Finding]]] = {
    ".trc": _markers, ".mot": _table, ".sto": _table, ".xml": _loads, ".osim": _model,
}  # fmt: skip
