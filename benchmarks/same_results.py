"""What of the results of two versions differs: every column, key and page that the earlier one wrote, compared to the byte.

``python -m benchmarks.same_results [COMMIT]`` analyses the virtual subject and the children beside the project with both versions.
New columns and keys are allowed; the manifest, which names the version and every setting, is not compared.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pypdf

from benchmarks.before import FIRST_VERSION, ROOT, checkout, program

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
#: Files and keys that say by which version something was made.
_OF_THE_VERSION = {"manifest.json"}
_KEYS_OF_THE_VERSION = {"schema"}


def differences(before: Path, after: Path) -> list[str]:
    """One line for each thing of ``before`` that ``after`` lacks or has otherwise."""
    found: list[str] = []
    for path in sorted(path for path in before.rglob("*") if path.is_file() and path.name not in _OF_THE_VERSION):
        name = path.relative_to(before).as_posix()
        twin = after / name
        found += [f"{name}: {line}" for line in _of_file(path, twin)] if twin.is_file() else [f"{name}: not there"]
    return found


def _of_file(before: Path, after: Path) -> Iterator[str]:
    if before.suffix == ".csv":
        yield from _of_table(_columns(before), _columns(after))
    elif before.suffix == ".json":
        yield from _of_value(json.loads(before.read_text(encoding="utf-8")), json.loads(after.read_text(encoding="utf-8")), "")
    elif before.read_bytes() != after.read_bytes():
        yield from _of_pages(before, after) if before.suffix == ".pdf" else ["other bytes"]


def _columns(path: Path) -> dict[str, list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return {name: [row[i] for row in rows] for i, name in enumerate(header)}


def _of_table(before: dict[str, list[str]], after: dict[str, list[str]]) -> Iterator[str]:
    for name, cells in before.items():
        if name not in after:
            yield f"no column {name}"
        elif cells != after[name]:
            pairs = zip(cells, after[name], strict=False)
            first = next((f"{a!r} -> {b!r}" for a, b in pairs if a != b), f"{len(cells)} -> {len(after[name])} rows")
            yield f"column {name}: {first}"


def _of_value(before: object, after: object, key: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before.keys() - _KEYS_OF_THE_VERSION:
            if name in after:
                yield from _of_value(before[name], after[name], f"{key}.{name}")
            else:
                yield f"no key {key}.{name}"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _of_value(one, other, f"{key}[{i}]")
    elif before != after:
        yield f"{key}: {before!r:.200} -> {after!r:.200}"


def _of_pages(before: Path, after: Path) -> Iterator[str]:
    one, other = pypdf.PdfReader(before).pages, pypdf.PdfReader(after).pages
    if len(one) != len(other):
        yield f"{len(one)} -> {len(other)} pages"
    for number, (a, b) in enumerate(zip(one, other, strict=False), start=1):
        if _drawn(a) != _drawn(b):
            words = zip(a.extract_text().split("\n"), b.extract_text().split("\n"), strict=False)
            yield f"page {number}: " + next((f"{x!r} -> {y!r}" for x, y in words if x != y), "drawn otherwise")


def _drawn(page: pypdf.PageObject) -> bytes:
    contents = page.get_contents()
    return b"" if contents is None else contents.get_data()


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
            runs = {"before": program(before, ["run", *arguments, "-o", f"{out}/before/{name}"]),
                    "after": program(ROOT, ["run", *ours[name], "-o", f"{out}/after/{name}", *more])}  # fmt: skip
            said = [_said(run.stderr, source) for run, source in zip(runs.values(), (before, ROOT), strict=True)]
            found[name] = differences(Path(out, "before", name), Path(out, "after", name))
            found[name] += [f"exit {runs['before'].returncode} -> {runs['after'].returncode}"] * (
                runs["before"].returncode != runs["after"].returncode
            )
            found[name] += [f"printed {a!r} -> {b!r}" for a, b in zip(*said, strict=False) if a != b]
    return found


def _said(text: str, source: Path) -> list[str]:
    """Lines on standard error without progress and without the folder of the version."""
    lines = text.replace(str(source), "").splitlines()
    return [line for line in lines if not line.startswith("[") and "trials: " not in line and "trial: " not in line]


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
