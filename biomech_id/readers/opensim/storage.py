"""OpenSim's tables: ``.mot`` and ``.sto``, with old and new headers and either unit of angle.

A header of ``key=value`` lines in any order ends with ``endheader``; a row of column names and rows of numbers follow.
``inDegrees`` speaks of rotational coordinates only, and which columns those are the file does not say: values are kept as they
stand. Files from before that word (no ``version`` of 1 or more, as SIMM's with ``datacolumns`` and ``datarows``) hold degrees where
they end in ``.mot``; every other file that does not say holds radians. So does OpenSim 4.6 take them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray, median_seen, readonly
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.errors import FileRefusedError, InvalidValueError, MissingInputError
from biomech_id.files.inputs import read_input
from biomech_id.values import dataclass

END_OF_HEADER = "endheader"
#: Version of the first files whose header says whether they are in degrees.
FIRST_VERSION = 1.0
#: A step between samples that is longer than the file's usual one by this share is a gap; rounding of printed times stays below.
GAP_SHARE = 0.5
#: Decimals beyond which a time counts as unrounded, and what a program's clock may drift over a file, s.
MOST_DECIMALS = 9
CLOCK_S = 2e-6


@compact_repr
@dataclass(frozen=True, eq=False)
class StorageTable:
    """One table of numbers over time.

    Attributes
    ----------
    name : str
        First line of the file.
    columns : tuple[str, ...]
        Names of the columns, without ``time``.
    time_s : FloatArray
        (n,), as written: possibly rounded, never to be differentiated (see `even_rate_hz`).
    values : FloatArray
        (n, k), in the file's units.
    in_degrees : bool, optional
        Whether rotational coordinates are in degrees: what the header says of them, else what OpenSim takes such a file for.
    notes : tuple[str, ...], optional
        Further lines of the header.
    unit_stated : bool, optional
        Whether the header says it.
    """

    name: str
    columns: tuple[str, ...]
    time_s: FloatArray
    values: FloatArray
    in_degrees: bool = False
    notes: tuple[str, ...] = ()
    unit_stated: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "time_s", readonly(self.time_s, (None,), name="time_s", where=self.name))
        shape = (len(self.time_s), len(self.columns))
        object.__setattr__(self, "values", readonly(self.values, shape, name="values", where=self.name))

    def __contains__(self, column: object) -> bool:
        return column in self.columns

    def __getitem__(self, column: str) -> FloatArray:
        """Return one column (n,).

        Raises
        ------
        MissingInputError
            There is no such column; the message lists those there are.
        InvalidValueError
            Two columns have the name.
        """
        if column not in self.columns:
            raise MissingInputError(
                f"{self.name} has no column {column}; it has {', '.join(self.columns)}.",
                value=column, expected=", ".join(self.columns), where=self.name,
            )  # fmt: skip
        if self.columns.count(column) > 1:
            raise InvalidValueError(
                f"{self.name} has more than one column named {column}, and it is asked for.",
                value=column, expected="column names that differ", where=self.name,
            )  # fmt: skip
        return self.values[:, self.columns.index(column)]

    def vector(self, stem: str) -> FloatArray:
        """Return the columns stem + x, y, z as (n, 3), else the three that begin with the stem.

        Parameters
        ----------
        stem : str
            What the three names begin with: "ground_force_v".

        Returns
        -------
        FloatArray
            (n, 3), in the file's units.

        Raises
        ------
        MissingInputError
            One of them is not there.
        """
        names = [stem + axis for axis in "xyz"]
        if not all(name in self for name in names):
            # As OpenSim takes an identifier: whatever begins with it, if that is three columns.
            begun = [name for name in self.columns if name.startswith(stem)]
            names = begun if len(begun) == len(names) else names
        return np.column_stack([self[name] for name in names])


def read_storage(path: Path) -> StorageTable:
    """Read a ``.mot`` or ``.sto`` file.

    Parameters
    ----------
    path : Path
        The ``.mot`` or ``.sto`` file.

    Returns
    -------
    StorageTable
        Numbers in the file's units.

    Raises
    ------
    FileRefusedError
        It cannot be read, has no ``endheader``, or a row does not fit its column names; the message names the line.
    """
    lines = text_lines(path)
    end = next((i for i, line in enumerate(lines) if line.strip().lower() == END_OF_HEADER), None)
    if end is None or end + 1 >= len(lines):
        raise FileRefusedError(
            f"{path.name} is not an OpenSim table: no line says {END_OF_HEADER}.",
            value=lines[0][:80] if lines else "", expected=f"a header that ends with {END_OF_HEADER}", where=str(path),
        )  # fmt: skip
    header = [line.strip() for line in lines[:end]]
    names = [name.strip() for name in lines[end + 1].strip().split("\t")]
    if len(names) == 1:
        names = lines[end + 1].split()
    if not names or names[0].lower() != "time":
        raise FileRefusedError(
            f"The first column of {path.name} is {names[0] if names else 'missing'}, not time.",
            value=names[:1], expected="time", where=str(path),
        )  # fmt: skip
    rows = _rows(path, lines, end + 2, len(names))
    name, notes, stated, version = _header(header, path)
    in_degrees = (version < FIRST_VERSION and path.suffix.lower() == ".mot") if stated is None else stated
    return StorageTable(name, tuple(names[1:]), rows[:, 0], rows[:, 1:], in_degrees, notes, stated is not None)


def even_rate_hz(time_s: FloatArray, where: str) -> float:
    """Return the sampling rate that a column of times is the rounding of.

    Parameters
    ----------
    time_s : FloatArray
        (n,), as written, possibly rounded, seconds.
    where : str
        The file or trial concerned, for the error message.

    Returns
    -------
    float
        Samples per second; a whole number where the times are the rounding of one.

    Raises
    ------
    InvalidValueError
        Fewer than two samples, times that do not rise, or a gap; the message says when.
    """
    steps = np.diff(time_s)
    if not steps.size or not np.isfinite(time_s).all() or steps.min() <= 0:
        at = float(time_s[int(np.argmin(steps))]) if steps.size else float("nan")
        raise InvalidValueError(
            f"The times of {where} do not rise steadily (after {at:g} s).", value=at, expected="rising times", where=where
        )
    usual = float(time_s[-1] - time_s[0]) / len(steps)
    longest = int(np.argmax(steps))
    if steps[longest] > (1.0 + GAP_SHARE) * max(usual, float(median_seen(steps))) + 1e-9:
        raise InvalidValueError(
            f"{where} has a gap of {steps[longest]:.4g} s after {time_s[longest]:.6g} s; its samples are {usual:.4g} s apart. "
            "Export the recording again without the gap, or cut it there.",
            value=float(steps[longest]), expected="evenly spaced samples", where=where,
        )  # fmt: skip
    # Times printed to a millisecond give 59.988 for 60 Hz: a whole rate that the column is the rounding of is the rate.
    whole = float(round(1.0 / usual))
    if whole > 0:
        departure_s = np.abs(time_s - time_s[0] - np.arange(len(time_s)) / whole).max()
        if departure_s <= max(_printed_to_s(time_s), CLOCK_S):
            return whole
    return 1.0 / usual


def _printed_to_s(time_s: FloatArray) -> float:
    """The unit of the last printed decimal, with room for the rounding of two times; 0 for times of full precision."""
    for decimals in range(MOST_DECIMALS):
        if np.abs(np.round(time_s, decimals) - time_s).max() < 10.0**-MOST_DECIMALS:
            return 1.01 * 10.0**-decimals
    return 0.0


def text_lines(path: Path) -> list[str]:
    """Return the lines of a text file.

    Parameters
    ----------
    path : Path
        A text file in UTF-8, with any line ends.

    Returns
    -------
    list[str]
        Without line ends.

    Raises
    ------
    FileRefusedError
        It cannot be opened, or is not text.
    """
    try:
        return read_input(path).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise FileRefusedError(
            f"{path.name} cannot be read: {reason}.", value=str(path), expected="a text file", where=str(path)
        ) from error


def _header(lines: list[str], path: Path) -> tuple[str, tuple[str, ...], bool | None, float]:
    """Name, notes, ``inDegrees`` (None where nothing is said) and version; counts are not believed, as rows can be counted."""
    counted = ("nrows", "ncolumns", "datarows", "datacolumns", "range", "datatype", "opensimversion")
    known = (*counted, "version", "indegrees")
    name, notes, stated, version = path.stem, [], None, 0.0
    for number, line in enumerate(lines):
        key, equals, value = line.partition("=")
        if not equals:
            parts = line.split(None, 1)
            key, value = (parts[0], parts[1]) if len(parts) == 2 and parts[0].lower() in (*known, "name") else ("", "")
        key = key.strip().lower()
        if key == "indegrees":
            stated = value.strip().lower() in ("yes", "y", "true", "1")
        elif key == "version":
            version = _number(value)
        elif key == "name" or (number == 0 and key not in known):
            name = value.strip() if key == "name" else line
        elif line and key not in known:
            notes.append(line)
    return name, tuple(notes), stated, version


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _rows(path: Path, lines: list[str], first: int, n_columns: int) -> FloatArray:
    """Numbers (n, n_columns); all at once where every line has as many tabs as the names, else line by line."""
    plain = [line for line in lines[first:] if line and not line.isspace()]
    tabs = n_columns - 1
    if plain and all(line.count("\t") == tabs for line in plain):
        try:
            numbers = np.fromstring("\t".join(plain), sep="\t")
        except ValueError:
            numbers = np.empty(0)
        if numbers.size == len(plain) * n_columns:
            return np.asarray(numbers.reshape(len(plain), n_columns))
    rows = []
    for number, line in enumerate(lines[first:], start=first + 1):
        if not line.strip():
            continue
        words = line.split()
        try:
            row = [float(word) for word in words]
        except ValueError:
            row = []
        if len(row) != n_columns:
            raise FileRefusedError(
                f"Line {number} of {path.name} does not hold {n_columns} numbers, one for each column.",
                value=line[:80], expected=f"{n_columns} numbers", where=f"{path}, line {number}",
            )  # fmt: skip
        rows.append(row)
    return np.array(rows, dtype=np.float64).reshape(len(rows), n_columns)
