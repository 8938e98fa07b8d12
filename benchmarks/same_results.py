"""What of the numbers of two versions differs: every table of numbers that the earlier one wrote, compared to the byte.

``python -m benchmarks.same_results [COMMIT]`` analyses the virtual subject and the children beside the project with both versions.
Compared is what a laboratory computes with: the tables of numbers and the numbers of the calibration. New columns and rows of
what the earlier version did not measure are allowed; verdicts, sentences and pages have tests of their own.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from benchmarks.before import FIRST_VERSION, ROOT, checkout, program

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
#: Tables of numbers, and the calibration, by pattern of their names below the results.
NUMBERS = ("trials/*.csv", "cycles.csv", "peaks.csv", "spatiotemporal.csv", "budget.csv", "uncertainty.csv", "calibration.json")
#: What tells the rows of a tidy table apart, in the order in which a line names them.
_KEYS = ("trial", "side", "cycle", "parameter", "name", "variable", "component", "part")
#: What a row measures: one that the earlier version did not know is new, as a new column is one of a wide table.
_MEASURED = ("parameter", "name", "variable")
#: Columns that judge and do not measure.
_VERDICTS = {"kinetics_valid"}
_KEYS_OF_THE_VERSION = {"schema"}
#: Exit codes of a run that wrote results: done, done with warnings.
_FINISHED = (0, 3)


def differences(before: Path, after: Path) -> list[str]:
    """One line for each number of ``before`` that ``after`` lacks or has otherwise, and for each that only ``after`` has.

    A line begins with the file and the column, or the file and the row ("cycles.csv walk01 L 2 HipMoment X: ..."). Frames that had
    no value and have one now differ as well: exceptions are named, never guessed.
    """
    found: list[str] = []
    for path in sorted(path for pattern in NUMBERS for path in before.glob(pattern)):
        name = path.relative_to(before).as_posix()
        twin = after / name
        found += [f"{name}{line}" for line in _of_file(path, twin)] if twin.is_file() else [f"{name}: not there"]
    return found


def _of_file(before: Path, after: Path) -> Iterator[str]:
    if before.suffix == ".json":
        yield from _of_value(json.loads(before.read_text(encoding="utf-8")), json.loads(after.read_text(encoding="utf-8")), "")
    elif before.parent.name == "trials":
        yield from _of_columns(_columns(before), _columns(after))
    else:
        yield from _of_rows(_columns(before), _columns(after))


def _columns(path: Path) -> dict[str, list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return {name: [row[i] for row in rows] for i, name in enumerate(header)}


def _of_columns(before: dict[str, list[str]], after: dict[str, list[str]]) -> Iterator[str]:
    for name, cells in before.items():
        if name not in after:
            yield f" {name}: no such column"
        elif cells != after[name]:
            yield f" {name}: {_first(cells, after[name])}"


def _of_rows(before: dict[str, list[str]], after: dict[str, list[str]]) -> Iterator[str]:
    missing = [name for name in before if name not in after and name not in _VERDICTS]
    yield from (f" {name}: no such column" for name in missing)
    values = [name for name in before if name not in {*_KEYS, *_VERDICTS, *missing}]
    old, new = (_grouped(columns, values) for columns in (before, _known(before, after)))
    for key in [*old, *(key for key in new if key not in old)]:
        if old.get(key) != new.get(key):
            yield f" {key}: {_first(old.get(key, []), new.get(key, []))}"


def _known(before: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, list[str]]:
    """Without the rows of what the earlier version did not measure."""
    there = {name: set(before[name]) for name in _MEASURED if name in before}
    kept = [i for i in range(len(next(iter(after.values())))) if all(after[name][i] in there[name] for name in there)]
    return {name: [cells[i] for i in kept] for name, cells in after.items()}


def _grouped(columns: dict[str, list[str]], values: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
    """What the rows of a tidy table are about -> their values, in order."""
    groups: dict[str, list[tuple[str, ...]]] = {}
    about = zip(*(columns[name] for name in _KEYS if name in columns), strict=True)
    for key, row in zip(about, zip(*(columns[name] for name in values), strict=True), strict=True):
        groups.setdefault(" ".join(filter(None, key)), []).append(row)
    return groups


def _first(before: Sequence[object], after: Sequence[object]) -> str:
    pairs = list(zip_longest(before, after, fillvalue="nothing"))
    different = [(a, b) for a, b in pairs if a != b]
    return f"{different[0][0]!r} -> {different[0][1]!r}, {len(different)} of {len(pairs)} differ"


def _of_value(before: object, after: object, key: str) -> Iterator[str]:
    """Numbers only: what a calibration says in words is no number."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before.keys() - _KEYS_OF_THE_VERSION:
            if name in after:
                yield from _of_value(before[name], after[name], f"{key}.{name}")
            else:
                yield f" {key}.{name}: no such key"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _of_value(one, other, f"{key}[{i}]")
    elif before != after and not isinstance(before, str):
        yield f" {key}: {before!r:.200} -> {after!r:.200}"


def sessions(source: Path) -> dict[str, list[str]]:
    """Name -> arguments of ``run``, without ``-o``: the virtual subject of a checkout in every model and mode, and each child."""
    data = str(source / "data")
    found = {"virtual": [data], "virtual-vicon": [data, "--kinetics", "vicon"], "virtual-six-dof": [data, "--model", "six-dof"]}
    children = sorted((SHARED / "c3d" / "children").glob("*/"))
    found |= {child.name: [str(child)] for child in children}
    if children:
        found |= {f"{children[0].name}-{word}": [str(children[0]), option, word] for option, word in
                  (("--kinetics", "vicon"), ("--model", "six-dof"))}  # fmt: skip
    return found


def compared(before: Path, names: Sequence[str] = (), more: Sequence[str] = ()) -> dict[str, list[str]]:
    """Session -> what differs between the version in ``before`` and this one; every session, or those named.

    Parameters
    ----------
    before : Path
        Folder of the earlier version.
    names : Sequence[str]
        Sessions; all if empty.
    more : Sequence[str]
        Options that this version takes beside, to do as the earlier one did.
    """
    found = {}
    with tempfile.TemporaryDirectory() as out:
        ours = sessions(ROOT)
        for name, arguments in sessions(before).items():
            if names and name not in names:
                continue
            for where, arguments_of, options in ((before, arguments, ()), (ROOT, ours[name], more)):
                folder = Path(out, name, "before" if where is before else "after")
                done = program(where, ["run", *arguments_of, "-o", str(folder), *options])
                if done.returncode not in _FINISHED:
                    raise RuntimeError(f"{name}: {done.stderr}")
            found[name] = differences(Path(out, name, "before"), Path(out, name, "after"))
    return found


def main(arguments: Sequence[str] = ()) -> int:
    """Print what differs from a commit; 1 if anything does."""
    commit = arguments[0] if arguments else FIRST_VERSION
    with checkout(commit) as before:
        found = compared(before)
    for name, lines in found.items():
        print(f"{name}: {'same' if not lines else f'{len(lines)} differences'}")
        print("".join(f"    {line}\n" for line in lines[:20]), end="")
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
