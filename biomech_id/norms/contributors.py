"""Who is in a norm: what a norm's file tells of each contributor, so that a norm can be made anew without somebody, or of some.

In ``norm.csv`` every row has, beside mean and SD, the values they were made of in the column ``contributors``, one a contributor in
one order, separated by semicolons, empty where somebody lacks it.  Rows whose variable begins with ``contributor.`` have nothing
else: age, sex, mass, height, leg length and walking speed of each, and what each side of theirs does, curves and numbers.  Nobody's
name is in it, nor a hash of one, which whoever knows some names could try: people are known again by their recordings, by the first
twelve digits of the SHA-256 of each one's, and under a code by the code's as well, which is nobody's name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.errors import OptionError
from biomech_id.files.json_text import FLOAT_FORMAT
from biomech_id.session.output.manifest import UNVERIFIED
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables
from biomech_id.session.values.norm import CONTRIBUTOR, NormSample

#: Numbers that are told of each contributor: attribute of `NormSample` -> name after `CONTRIBUTOR`.
_NUMBERS = {
    "age_years": "age_years", "mass_kg": "mass_kg", "height_m": "height_m", "leg_length_m": "leg_length_m",
    "speed": "speed_dimensionless",
}  # fmt: skip
#: Inputs of a session that are no recordings.
_NO_RECORDING = frozenset({".toml", ".csv"})
_DIGITS = 12


def mark(text: str) -> str:
    """Return by what a code, or a recording's SHA-256, is known again.

    Parameters
    ----------
    text : str
        The code, or the hash as in ``manifest.json``.

    Returns
    -------
    str
        The first hexadecimal digits of its SHA-256.

    Examples
    --------
    >>> from biomech_id.norms.contributors import mark
    >>> mark("Anna") == mark("Anna"), mark("Anna") == mark("Ben"), len(mark("Anna"))
    (True, False, 12)
    """
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:_DIGITS]


def known_by(code: str, inputs: Mapping[str, str], files: Iterable[str]) -> frozenset[str]:
    """Return by what a session's person is looked for among a norm's contributors; older norms know people by their names.

    Parameters
    ----------
    code : str
        Of the subject; empty where there is none.
    inputs : Mapping[str, str]
        File -> SHA-256, as in ``manifest.json``.
    files : Iterable[str]
        Recordings among them that show the person.

    Returns
    -------
    frozenset[str]
        Marks of the code and of every recording that the session shows; of files whose hash nobody verified none.
    """
    shown = {PurePosixPath(file).name for file in files if file} - {""}
    known = {path: sha for path, sha in inputs.items() if sha != UNVERIFIED}
    kept = (sha for path, sha in known.items() if (at := PurePosixPath(path)).name in shown and at.suffix not in _NO_RECORDING)
    return frozenset(mark(text) for text in (code, *kept) if text)


def marks_of(tables: Tables, marks: frozenset[str]) -> frozenset[str]:
    """Return what a norm's file tells of who somebody is: of `known_by` all that is not made of a name.

    Parameters
    ----------
    tables : Tables
        Tables of the session that contributes.
    marks : frozenset[str]
        What its person is known by, as of `known_by`.

    Returns
    -------
    frozenset[str]
        Of a session under a code all, of another one those of its recordings.
    """
    return marks if tables.manifest.get("coded") else marks - {mark(str(tables.summary["subject"].get("code") or ""))}


#: Rows of a table, column by column: an array or a list, or one cell for all of them; "n" is never one cell.
Rows = Mapping[str, Any]


def contributor_rows(samples: Sequence[NormSample]) -> list[Rows]:
    """Return the rows of a norm's table that tell of each contributor, and nothing else.

    Parameters
    ----------
    samples : Sequence[NormSample]
        What each subject contributes, in the norm's order.

    Returns
    -------
    list[Rows]
        Rows with some of the norm's columns; variables bear a prefix that no curve has.
    """
    columns = {"marks": [" ".join(sorted(sample.marks)) for sample in samples], "sex": [sample.sex for sample in samples]}
    columns |= {name: [_number(getattr(sample, attribute)) for sample in samples] for attribute, name in _NUMBERS.items()}
    parts: list[Rows] = [
        {"variable": f"{CONTRIBUTOR}{name}", "component": "", "percent": np.nan,
         "contributors": [";".join(texts)], "n": [sum(map(bool, texts))]}
        for name, texts in columns.items()
    ]  # fmt: skip
    for name in dict.fromkeys(name for sample in samples for name in sample.sides):
        points = next(len(sample.sides[name]) for sample in samples if name in sample.sides)
        curves = np.stack([sample.sides.get(name, np.full(points, np.nan)) for sample in samples])
        side, variable, component = name
        parts.append({
            "variable": f"{CONTRIBUTOR}{side}.{variable}", "component": component,
            "percent": np.arange(float(points)) if points == CURVE_POINTS else np.nan,
            "contributors": told_values(curves), "n": np.isfinite(curves).sum(axis=0),
        })  # fmt: skip
    return parts


def one_table(parts: Sequence[Rows]) -> pd.DataFrame:
    """Return rows one below the other; a column that some lack is missing there.

    Parameters
    ----------
    parts : Sequence[Rows]
        At least one. A table of each, put together, would take a hundred times as long.
    """

    def cells(part: Rows, name: str) -> Sequence[object]:
        value = part.get(name, np.nan)
        if isinstance(value, np.ndarray):
            listed: list[object] = value.tolist()
            return listed
        return value if isinstance(value, list) else [value] * len(part["n"])

    names = dict.fromkeys(name for part in parts for name in part)
    return pd.DataFrame({name: [cell for part in parts for cell in cells(part, name)] for name in names})


def told_values(values: FloatArray) -> list[str]:
    """Return the cells of the column ``contributors``.

    Parameters
    ----------
    values : FloatArray
        (contributors, points), NaN where somebody lacks it.

    Returns
    -------
    list[str]
        One for each point: a number for each subject, between semicolons, empty where it is missing.
    """
    return [";".join(map(_number, column)) for column in values.T.tolist()]


def samples_of(norm: pd.DataFrame, *, where: str = "norm") -> tuple[NormSample, ...]:
    """Return what each contributor of a norm has contributed; empty for a norm that does not tell.

    Parameters
    ----------
    norm : pd.DataFrame
        A whole norm, with or without contributors.
    where : str, optional
        The file, for the error message.

    Returns
    -------
    tuple[NormSample, ...]
        In the order of the norm's contributors.

    Raises
    ------
    OptionError
        Rows that tell of different numbers of people, or of something that is no number.
    """
    # Who reads a norm's file without saying what is text has NaN in an empty cell.
    cells = norm["contributors"].to_numpy(object) if "contributors" in norm else [""] * len(norm)
    rows = norm[[isinstance(text, str) and text != "" for text in cells]]
    if rows.empty:
        return ()
    rows = rows.sort_values(["percent"], kind="stable") if not _in_order(rows["percent"].to_numpy(np.float64)) else rows
    names = list(zip(rows["variable"].to_numpy(object), rows["component"].to_numpy(object), strict=True))
    split = [text.split(";") for text in rows["contributors"].to_numpy(object)]
    count = len(split[0])
    uneven = next((at for at, texts in enumerate(split) if len(texts) != count), None)
    if uneven is not None:
        raise OptionError(
            f"The norm {where} tells of {count} contributors, and at {' '.join(names[uneven]).strip()} of {len(split[uneven])}.",
            value=rows.iloc[uneven]["contributors"], expected=f"{count} values", where=where,
        )  # fmt: skip
    places: dict[tuple[str, str], list[int]] = {}
    for at, name in enumerate(names):
        places.setdefault(name, []).append(at)
    columns = {name.removeprefix(CONTRIBUTOR): split[at[0]] for (name, _), at in places.items() if name in _TEXTS}
    curves = {
        name: _numbers([split[place] for place in at], " ".join(name).strip(), where)
        for name, at in places.items()
        if name[0] not in _TEXTS
    }
    has = {name: np.asarray(np.isfinite(values).any(axis=1)) for name, values in curves.items()}
    return tuple(
        _sample(number, columns, {name: values[number] for name, values in curves.items() if has[name][number]})
        for number in range(count)
    )


def _in_order(percent: FloatArray) -> bool:
    """Whether every curve's rows follow each other from 0 to 100 percent."""
    return not ((np.diff(percent) < 0.0) & (percent[1:] > 0.0)).any()


#: Side -> how a row of the norm begins that tells of each contributor's.
_OF_SIDES = {side: f"{CONTRIBUTOR}{side}." for side in SIDES}
_TEXTS = {f"{CONTRIBUTOR}{name}" for name in ("marks", "sex")}


def _sample(number: int, texts: Mapping[str, list[str]], known: Mapping[tuple[str, str], FloatArray]) -> NormSample:
    """One contributor of a table that has been taken apart: every curve (points,) that is known of them."""
    about: dict[str, Any] = {
        attribute: float(known.get((f"{CONTRIBUTOR}{name}", ""), np.array([np.nan]))[0]) for attribute, name in _NUMBERS.items()
    }
    sides = {
        (side, variable.removeprefix(of_side), component): values
        for side, of_side in _OF_SIDES.items()
        for (variable, component), values in known.items()
        if variable.startswith(of_side)
    }
    values = {name: curve for name, curve in known.items() if not name[0].startswith(CONTRIBUTOR)}
    marks = frozenset(texts.get("marks", [""] * (number + 1))[number].split())
    return NormSample(values, marks=marks, sex=texts.get("sex", [""] * (number + 1))[number], sides=sides, **about)


def _numbers(cells: Sequence[Sequence[str]], name: str, where: str) -> FloatArray:
    """(contributors, points) of the cells of each point."""
    try:
        return np.array([[float(text or "nan") for text in cell] for cell in cells]).T
    except ValueError as error:
        raise OptionError(
            f"The norm {where} tells something of a contributor's {name} that is no number ({error}).",
            value=name, expected="numbers separated by semicolons", where=where,
        ) from error  # fmt: skip


def _number(value: float) -> str:
    return FLOAT_FORMAT % value if isfinite(value) else ""
