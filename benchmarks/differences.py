"""What differs between two folders of results, kind of file by kind of file.

`differences` compares everything that a run leaves behind, byte for byte where nothing was added: tables, JSON, arrays, the report
by what is drawn on its pages, the review page by its data. `numbers` compares what a laboratory computes with, and no more: what
versions that word and judge otherwise have in common.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.pages import report_drawings, review_data

#: Tables of numbers, and the calibration, by pattern of their names below the results.
NUMBERS = ("trials/*.csv", "cycles.csv", "peaks.csv", "spatiotemporal.csv", "budget.csv", "uncertainty.csv", "calibration.json")
#: What tells the rows of a tidy table apart, in the order in which a line names them.
_KEYS = ("trial", "rule", "label", "marker", "muscle", "side", "cycle", "parameter", "name", "variable", "component", "part")
#: What a row measures: one that the earlier version did not know is new, as a new column is one of a wide table.
_MEASURED = ("parameter", "name", "variable", "rule")
#: Columns that judge and do not measure.
_VERDICTS = {"kinetics_valid"}
#: Keys that follow from the version and the packages. Of the manifest's outputs the names count, and their hashes follow.
OF_THE_VERSION: Mapping[str, tuple[str, ...]] = {
    "manifest.json": ("version", "python", "dependencies"),
    "summary.json": ("version",),
}
#: The line by which `opensim-run` knows its own files: a hash of the text, which is compared itself, and of where the setup lies.
_MARK = re.compile(r"(written by biomech-id opensim-run) [0-9a-f]{64}\b")
#: Significant digits of a number in our tables, and decimals of one in OpenSim's.
_TABLE_DIGITS, _STORAGE_DECIMALS = 9, 8


class Difference(NamedTuple):
    """One thing that differs, and whether it was only added."""

    #: Begins with the file and the column, the row or the key: "cycles.csv walk01 L 2 HipMoment X: ...".
    line: str
    added: bool = False


def numbers(before: Path, after: Path) -> list[str]:
    """One line for each number of ``before`` that ``after`` lacks or has otherwise, and for each that only ``after`` has.

    Verdicts, sentences, new columns and rows of what the earlier version did not measure do not count. Frames that had no value and
    have one now differ as well: exceptions are named, never guessed.
    """
    found: list[str] = []
    for path in sorted(path for pattern in NUMBERS for path in before.glob(pattern)):
        name = path.relative_to(before).as_posix()
        twin = after / name
        if not twin.is_file():
            found.append(f"{name}: not there")
        elif path.suffix == ".json":
            leaves = (_leaves(_json(each), ("schema",)) for each in (path, twin))
            found += [f"{name}{each.line}" for each in _of_leaves(*leaves, Ruler(), texts=False) if not each.added]
        else:
            tables = (_table(each, but=_VERDICTS) for each in (path, twin))
            found += [f"{name}{each.line}" for each in _of_tables(*tables, Ruler()) if not each.added]
    return found


def differences(before: Path, after: Path, relative: float = 0.0) -> list[Difference]:
    """Everything that differs between two folders, file by file in the order of their names.

    Parameters
    ----------
    before, after : Path
        Folders; every file in them counts.
    relative : float
        Numbers are the same within this share of the largest of their column, row or list (see `Ruler`); 0 for to the byte.
    """
    found = []
    names = {path.relative_to(folder).as_posix() for folder in (before, after) for path in folder.rglob("*") if path.is_file()}
    for name in sorted(names):
        path, twin = before / name, after / name
        if not path.is_file() or not twin.is_file():
            found.append(Difference(f"{name}: new file", added=True) if twin.is_file() else Difference(f"{name}: not there"))
        elif path.read_bytes() != twin.read_bytes():
            ruler = Ruler(relative)
            compare = _KINDS.get(path.suffix, _of_bytes)
            lines = [*compare(path, twin, ruler)]
            lines += ruler.turned_too_often()
            found += [Difference(f"{name}{each.line}", each.added) for each in lines]
    return found


class Ruler:
    """Decides which numbers are the same.

    Rounding to printed digits turns a last digit where a number lies beside the middle between two: as often as noise of the
    allowed size would turn them, and no more often, a difference of one last digit is none.
    """

    def __init__(self, relative: float = 0.0) -> None:
        self.relative = relative
        self._turned: list[str] = []
        self._expected = 0.0

    def apart(self, before: Sequence[str], after: Sequence[str], about: str, decimals: int | None = None) -> list[tuple[str, str]]:
        """Pairs of printed numbers that differ; ``decimals`` where their number is fixed."""
        pairs = list(zip_longest(before, after, fillvalue="nothing"))
        if before == after or not self.relative:
            return [(a, b) for a, b in pairs if a != b]
        a, b = (np.array([_number(pair[i]) for pair in pairs]) for i in (0, 1))
        exponent = np.floor(np.log10(np.where(np.abs(a) > 0.0, np.abs(a), 1.0)))
        unit = 10.0 ** (exponent - _TABLE_DIGITS + 1) if decimals is None else np.full(len(a), 10.0**-decimals)
        texts = np.array([x != y for x, y in pairs])
        return [pairs[i] for i in np.flatnonzero(texts & (self.beyond(a, b, unit, about) | np.isnan(a) | np.isnan(b)))]

    def beyond(self, a: np.ndarray, b: np.ndarray, unit: np.ndarray, about: str) -> np.ndarray:
        """Where two arrays differ by more than is allowed; a single unit of the last digit is kept for the end of the file."""
        allowed = self.relative * np.max(np.abs(np.nan_to_num(a)), initial=0.0)
        different = ~((np.abs(a - b) <= allowed) | (np.isnan(a) & np.isnan(b)))
        turned = different & (np.abs(a - b) <= 1.01 * unit)
        self._expected += float(np.minimum(allowed / unit, 1.0).sum())
        self._turned += [f"{about}: {a[i]!r} -> {b[i]!r}" for i in np.flatnonzero(turned)]
        return np.asarray(different & ~turned)

    def turned_too_often(self) -> list[Difference]:
        """The last digits that differ, if they are more than noise turns (twice as many as expected, and one)."""
        return [] if len(self._turned) <= 1 + 2 * self._expected else [Difference(line) for line in self._turned]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _first(pairs: Sequence[tuple[object, object]], of: int) -> str:
    return f"{pairs[0][0]!r:.200} -> {pairs[0][1]!r:.200}, {len(pairs)} of {of} differ"


# Tables


class _Table(NamedTuple):
    """A table's columns; of a wide one the rows are frames, of a tidy one what their first columns say."""

    columns: dict[str, list[str]]
    tidy: bool
    decimals: int | None = None


def _table(path: Path, but: Iterable[str] = ()) -> _Table:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return _Table(
        {name: [row[i] for row in rows] for i, name in enumerate(header) if name not in but}, path.parent.name != "trials"
    )


def _of_tables(before: _Table, after: _Table, ruler: Ruler) -> Iterator[Difference]:
    old, new = before.columns, after.columns
    yield from (Difference(f" {name}: no such column") for name in old if name not in new)
    yield from (Difference(f" {name}: new column", added=True) for name in new if name not in old)
    shared = [name for name in old if name in new]
    if [name for name in new if name in old] != shared:
        yield Difference(": columns in another order")
    if not before.tidy:
        for name in shared:
            if differ := ruler.apart(old[name], new[name], f" {name}", before.decimals):
                yield Difference(f" {name}: {_first(differ, max(len(old[name]), len(new[name])))}")
        return
    known = yield from _known(old, new)
    rows = [[*zip(*(columns[name] for name in shared), strict=True)] for columns in (old, known)]
    if rows[0] != rows[1] and not (yield from _of_rows(old, known, shared, ruler)) and sorted(rows[0]) == sorted(rows[1]):
        yield Difference(": rows in another order")


def _of_rows(old: dict[str, list[str]], new: dict[str, list[str]], shared: Sequence[str], ruler: Ruler) -> Iterator[Any]:
    """Yield what differs, one line for all rows about one thing; return whether anything did."""
    values = [name for name in shared if name not in _KEYS]
    keys = [name for name in shared if name in _KEYS]
    one, other = (_grouped(columns, keys, values) for columns in (old, new))
    seen = False
    for key in [*one, *(key for key in other if key not in one)]:
        a, b = one.get(key, []), other.get(key, [])
        if a == b:
            continue
        if len(a) == len(b):
            columns = [ruler.apart(x, y, f" {key}") for x, y in zip(zip(*a, strict=True), zip(*b, strict=True), strict=True)]
            differ: list[tuple[object, object]] = [pair for pairs in columns for pair in pairs]
        else:
            differ = [(x, y) for x, y in zip_longest(a, b, fillvalue="nothing") if x != y]
        if differ:
            seen = True
            yield Difference(f" {key}: {_first(differ, max(len(a), len(b)))}")
    return seen


def _known(before: dict[str, list[str]], after: dict[str, list[str]]) -> Iterator[Any]:
    """Yield what the earlier version did not measure; return the rest."""
    there = {name: set(before[name]) for name in _MEASURED if name in before and name in after}
    for name, words in there.items():
        yield from (Difference(f" {name} {new}: new rows", added=True) for new in dict.fromkeys(after[name]) if new not in words)
    kept = [i for i in range(len(next(iter(after.values())))) if all(after[name][i] in words for name, words in there.items())]
    return {name: [cells[i] for i in kept] for name, cells in after.items()}


def _grouped(columns: dict[str, list[str]], keys: Sequence[str], values: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
    """What the rows of a tidy table are about -> their values, in order."""
    groups: dict[str, list[tuple[str, ...]]] = {}
    n = len(next(iter(columns.values())))
    for i in range(n):
        key = " ".join(filter(None, (columns[name][i] for name in keys)))
        groups.setdefault(key, []).append(tuple(columns[name][i] for name in values))
    return groups


def _of_csv(before: Path, after: Path, ruler: Ruler) -> Iterator[Difference]:
    found = [*_of_tables(_table(before), _table(after), ruler)]
    yield from found
    if not found and not ruler.relative:
        yield from _of_bytes(before, after, ruler)


def _of_storage(before: Path, after: Path, ruler: Ruler) -> Iterator[Difference]:
    """OpenSim's tables: a header of words, then columns."""
    heads, tables = zip(*(_storage(path) for path in (before, after)), strict=True)
    yield from _of_lines(*heads, ruler)
    yield from _of_tables(*tables, ruler)


def _storage(path: Path) -> tuple[list[str], _Table]:
    lines = path.read_text(encoding="utf-8").splitlines()
    end = lines.index("endheader")
    names, rows = lines[end + 1].split("\t"), [line.split() for line in lines[end + 2 :]]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    return lines[:end], _Table(columns, tidy=False, decimals=_STORAGE_DECIMALS)


def _of_xml(before: Path, after: Path, ruler: Ruler) -> Iterator[Difference]:
    yield from _of_lines(*(path.read_text(encoding="utf-8").splitlines() for path in (before, after)), ruler)


def _of_lines(before: Sequence[str], after: Sequence[str], ruler: Ruler) -> Iterator[Difference]:
    """Words to the byte, the numbers of one line by the largest of them; whose the file is, without its hash."""
    texts = ([_MARK.sub(r"\1", line) for line in lines] for lines in (before, after))
    for i, (a, b) in enumerate(zip_longest(*texts, fillvalue="nothing"), start=1):
        if a != b and ruler.apart(re.split(r"([\s<>\"]+)", a), re.split(r"([\s<>\"]+)", b), f" line {i}", 17):
            yield Difference(f" line {i}: {a.strip()!r:.200} -> {b.strip()!r:.200}")


# JSON


class _Literal(str):
    """A number as it is written."""


def _parsed(text: str) -> Any:
    return json.loads(text, parse_float=_Literal, parse_int=_Literal, parse_constant=_Literal)


def _json(path: Path) -> Any:
    return _parsed(path.read_text(encoding="utf-8"))


def _leaves(value: Any, but: Sequence[str] = (), key: str = "") -> dict[str, Any]:
    """Where each leaf stands -> the leaf; of a folder of keys their order, of a list how long it is."""
    if isinstance(value, dict):
        kept = {name: each for name, each in value.items() if name not in but}
        found = {key: tuple(kept)}
        for name, each in kept.items():
            found |= _leaves(each, (), f"{key}.{name}")
        return found
    if isinstance(value, list):
        found = {key: len(value)}
        for i, each in enumerate(value):
            found |= _leaves(each, (), f"{key}[{i}]")
        return found
    return {key: value}


def _of_leaves(before: dict[str, Any], after: dict[str, Any], ruler: Ruler, texts: bool = True) -> Iterator[Difference]:
    """What differs; without ``texts`` numbers only: what a calibration says in words is no number."""
    for key, old in before.items():
        new = after.get(key)
        if isinstance(old, tuple) and isinstance(new, tuple):
            yield from (Difference(f" {key}.{name}: no such key") for name in old if name not in new)
            yield from (Difference(f" {key}.{name}: new key", added=True) for name in new if name not in old)
            if texts and [name for name in new if name in old] != [name for name in old if name in new]:
                yield Difference(f" {key}: keys in another order")
        elif isinstance(old, int) and not isinstance(old, bool) and type(old) is type(new):
            if old != new:
                yield Difference(f" {key}: {old} entries -> {new}")
        elif key not in after or (old == new and type(old) is type(new)):
            continue
        elif isinstance(old, _Literal) and isinstance(new, _Literal):
            if ruler.apart([old], [new], f" {key}"):
                yield Difference(f" {key}: {old} -> {new}")
        elif texts or not isinstance(old, str) or isinstance(old, _Literal):
            yield Difference(f" {key}: {old!r:.200} -> {new!r:.200}")


def _of_json(before: Path, after: Path, ruler: Ruler) -> Iterator[Difference]:
    version = OF_THE_VERSION.get(before.name, ())
    values = [_json(path) for path in (before, after)]
    if before.name == "manifest.json":
        values = [{**value, "outputs": dict.fromkeys(value["outputs"])} for value in values]
    found = [*_of_leaves(*(_leaves(value, version) for value in values), ruler)]
    yield from found
    if not found and not version and not ruler.relative:
        yield from _of_bytes(before, after, ruler)


def _of_json_lines(before: Path, after: Path, ruler: Ruler) -> Iterator[Difference]:
    values = ([_parsed(line) for line in path.read_text(encoding="utf-8").splitlines()] for path in (before, after))
    yield from _of_leaves(*map(_leaves, values), ruler)


# Arrays, pages


def _of_arrays(before: Path, after: Path, ruler: Ruler) -> Iterator[Difference]:
    with np.load(before) as old, np.load(after) as new:
        yield from (Difference(f" {name}: no such array") for name in old.files if name not in new.files)
        yield from (Difference(f" {name}: new array", added=True) for name in new.files if name not in old.files)
        for name in (name for name in old.files if name in new.files):
            a, b = old[name], new[name]
            if (a.dtype, a.shape) != (b.dtype, b.shape):
                yield Difference(f" {name}: {a.dtype} {a.shape} -> {b.dtype} {b.shape}")
            elif a.tobytes() != b.tobytes():
                differ = (a != b) & ~((a != a) & (b != b))
                if ruler.relative and np.issubdtype(a.dtype, np.floating):
                    flat = (each.ravel().astype(float) for each in (a, b, np.spacing(np.abs(a))))
                    differ = ruler.beyond(*flat, f" {name}").reshape(a.shape)
                    if not differ.any():
                        continue
                pairs = [*zip(a[differ].tolist(), b[differ].tolist(), strict=True)] or [("signs of zero or kinds of NaN", "others")]
                yield Difference(f" {name}: {_first(pairs, a.size)}")


def _of_review(before: Path, after: Path, ruler: Ruler) -> Iterator[Difference]:
    """The data of the page: its JSON, and its arrays one by one, wherever they stand in their blocks."""
    yield from _of_leaves(*(_leaves(review_data(path, _parsed)) for path in (before, after)), ruler)


def _of_report(before: Path, after: Path, ruler: Ruler) -> Iterator[Difference]:
    """What a page draws follows from its contents, the text these stand for, and what they name: equal ones are equal pixels."""
    old, new = (report_drawings(path) for path in (before, after))
    if len(old.pages) != len(new.pages):
        yield Difference(f": {len(old.pages)} pages -> {len(new.pages)}")
    for i, (one, other) in enumerate(zip(old.pages, new.pages, strict=False), start=1):
        texts = [(a, b) for a, b in zip_longest(one.text.splitlines(), other.text.splitlines(), fillvalue="nothing") if a != b]
        if texts:
            yield Difference(f" page {i}: {_first(texts, len(one.text.splitlines()))}")
        elif one != other:
            lines = [
                (a, b) for a, b in zip_longest(one.drawn.split(b"\n"), other.drawn.split(b"\n"), fillvalue=b"nothing") if a != b
            ]
            yield Difference(f" page {i}: drawn {_first(lines or [(one.box, other.box)], len(one.drawn.splitlines()))}")
    for name, what in old.named.items():
        if new.named.get(name, "nothing") != what:
            yield Difference(f" {name}: {what!r:.100} -> {new.named.get(name, 'nothing')!r:.100}, which pages draw with")


def _of_bytes(before: Path, after: Path, ruler: Ruler) -> Iterator[Difference]:
    a, b = before.read_bytes(), after.read_bytes()
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    yield Difference(f": other bytes from {at} of {len(a)}")


_KINDS: Mapping[str, Callable[[Path, Path, Ruler], Iterator[Difference]]] = {
    ".csv": _of_csv, ".json": _of_json, ".jsonl": _of_json_lines, ".npz": _of_arrays, ".pdf": _of_report, ".html": _of_review,
    ".sto": _of_storage, ".mot": _of_storage, ".osim": _of_xml, ".xml": _of_xml,
}  # fmt: skip
