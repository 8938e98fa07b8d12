"""What a run changed: numbers of the results before it and of its own, each a mean over the cycles that count."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from biomech_id.conventions import rows_of
from biomech_id.files.json_text import read_json
from biomech_id.languages import terms_of

#: Table -> its columns that say what a number is.
_NAMED = {"spatiotemporal.csv": ("parameter",), "peaks.csv": ("name", "variable", "component")}
#: Standard deviations that 95 % of a normal distribution lie within.
_COVERAGE = 1.96


def result_changes(before: Path, after: Path, language: str = "en") -> list[dict[str, Any]]:
    """Return every number that two runs of one visit have otherwise, the largest change in bands first.

    Parameters
    ----------
    before, after : Path
        Folders with the results of the earlier run and of the later one.
    language : str, optional
        Of ``what``, one of `LANGUAGES`.

    Returns
    -------
    list[dict[str, Any]]
        ``what``, ``side``, ``old`` and ``new`` (as texts with six digits, "" where there is none), ``unit``, and whether the change
        is ``beyond`` the 95 % band of one cycle.
    """
    rows = []
    for table, named in _NAMED.items():
        old, new = (_means(folder, table, named) for folder in (before, after))
        for key in sorted(old.keys() | new.keys()):
            first, second = old.get(key), new.get(key)
            if first is None or second is None or f"{first[0]:.6g}" != f"{second[0]:.6g}":
                rows.append({"what": _named(key[1:], language), **_row(key, first, second)})
    return sorted(rows, key=lambda row: -row.pop("bands"))


def _row(key: tuple[str, ...], old: tuple[float, float, str] | None, new: tuple[float, float, str] | None) -> dict[str, Any]:
    known = new or old
    assert known is not None  # it is a key of one of the two
    change = abs(new[0] - old[0]) if old and new else math.inf
    bands = change / (_COVERAGE * known[1]) if known[1] > 0.0 else math.inf
    texts = {name: f"{each[0]:.6g}" if each else "" for name, each in (("old", old), ("new", new))}
    return {"side": key[0], **texts, "unit": known[2], "beyond": bands > 1.0, "bands": bands}


def _named(key: tuple[str, ...], language: str) -> str:
    """What a number is, in the report's words: a parameter, or a value of a curve."""
    terms = terms_of(language, "report")
    if len(key) == 1:
        return str(terms.get(f"parameter.{key[0]}", key[0]))
    value, variable, component = key
    title = next((row.title for row in rows_of(variable) if row.component == component), f"{variable} {component}".strip())
    return f"{terms.get(title, title)}: {terms.get(f'values.{value}', value)}"


def _means(folder: Path, table: str, named: Iterable[str]) -> dict[tuple[str, ...], tuple[float, float, str]]:
    """Side and name -> mean over cycles in use, mean of their SD, and unit."""
    path = folder / table
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    used = _used(read_json(folder / "summary.json"))
    values: dict[tuple[str, ...], list[tuple[float, float, str]]] = {}
    for row in csv.DictReader(lines):
        if row["value"] and (row["trial"], row["side"], row["cycle"]) in used:
            number = (float(row["value"]), float(row.get("sd") or 0.0), row["unit"])
            values.setdefault((row["side"], *(row[name] for name in named)), []).append(number)
    return {key: (_mean(v for v, _, _ in each), _mean(sd for _, sd, _ in each), each[0][2]) for key, each in values.items()}


def _mean(values: Iterable[float]) -> float:
    each = list(values)
    return sum(each) / len(each)


def _used(summary: Mapping[str, Any]) -> set[tuple[str, str, str]]:
    """Trial, side and number of the cycles that enter means."""
    return {
        (trial["name"], cycle["side"], str(cycle["cycle"]))
        for trial in summary["trials"]
        for cycle in trial["cycles"]
        if cycle["used"]
    }
