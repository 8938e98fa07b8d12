"""What differs between two folders of results that should be the same: for ``biomech-id reproduce``."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from biomech_id.files.inputs import sha256_of
from biomech_id.files.json_text import read_json
from biomech_id.session.folder.read_write import MANIFEST
from biomech_id.values import dataclass


@dataclass(frozen=True)
class Difference:
    """One output that is not byte for byte the same.

    Attributes
    ----------
    name : str
        The output, relative to its folder.
    what : str
        In words: missing, another shape, the largest difference and where it is.
    largest : float, optional
        Largest absolute difference of any number, in the table's own units; NaN where numbers cannot be compared.
    """

    name: str
    what: str
    largest: float = float("nan")


#: What two folders are called where nobody says.
CALLED = ("the first folder", "the second folder")


def folder_differences(first: Path, second: Path, *, called: tuple[str, str] = CALLED) -> tuple[Difference, ...]:
    """Compare every output of two sessions by content; empty if all of them are the same bytes.

    Outputs are those of either manifest; the manifests themselves are not compared.

    Parameters
    ----------
    first, second : Path
        Folders written by ``run``.
    called : tuple[str, str], optional
        What the two are in words.

    Raises
    ------
    FileRefusedError
        One of them has no readable manifest.
    """
    return _differences({*read_json(first / MANIFEST)["outputs"], *read_json(second / MANIFEST)["outputs"]}, first, second, called)


def file_differences(first: Path, second: Path, *, called: tuple[str, str] = CALLED) -> tuple[Difference, ...]:
    """Compare every file below two folders by content; empty if all of them are the same bytes.

    Parameters
    ----------
    first, second : Path
        The two folders, with the same files or not.
    called : tuple[str, str], optional
        What the two folders are called.
    """
    names = {path.relative_to(root).as_posix() for root in (first, second) for path in root.rglob("*") if path.is_file()}
    return _differences(names, first, second, called)


def _differences(names: set[str], first: Path, second: Path, called: tuple[str, str]) -> tuple[Difference, ...]:
    compared = (_difference(first / name, second / name, name, called) for name in sorted(names))
    return tuple(difference for difference in compared if difference is not None)


def _difference(first: Path, second: Path, name: str, called: tuple[str, str]) -> Difference | None:
    for path, which in zip((first, second), called, strict=True):
        if not path.is_file():
            return Difference(name, f"missing in {which}")
    if sha256_of(first) == sha256_of(second):
        return None
    if first.suffix != ".csv":
        return Difference(name, "other content")
    return _table_difference(pd.read_csv(first), pd.read_csv(second), name)


def _table_difference(first: pd.DataFrame, second: pd.DataFrame, name: str) -> Difference:
    if list(first.columns) != list(second.columns):
        return Difference(name, "other columns")
    if len(first) != len(second):
        return Difference(name, f"{len(first)} rows against {len(second)}")
    largest, where, emptied = 0.0, "", 0
    for column in first.columns:
        a, b = first[column], second[column]
        if not all(pd.api.types.is_numeric_dtype(c) and not pd.api.types.is_bool_dtype(c) for c in (a, b)):
            if not a.equals(b):
                return Difference(name, f"other text in column {column}")
            continue
        emptied += int((a.isna() != b.isna()).sum())
        distance = (a - b).abs()
        if distance.max() > largest:
            largest, where = float(distance.max()), f"column {column}, row {int(distance.argmax()) + 1}"
    sentences = [f"numbers differ by at most {largest:.3g} ({where})"] * bool(where)
    sentences += [f"{emptied} cell{'s are' if emptied > 1 else ' is'} empty in one of them only"] * bool(emptied)
    return Difference(name, ", ".join(sentences) or "other formatting", largest)
