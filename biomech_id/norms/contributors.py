"""Who is in a norm: what a norm's file tells of each contributor, so that a norm can be made anew without somebody, or of some.

In ``norm.csv`` every row has, beside mean and SD, the values they were made of in the column ``contributors``, one a contributor in
one order, separated by semicolons, empty where somebody lacks it.  Rows whose variable begins with ``contributor.`` have nothing
else: age, sex, mass, height, leg length and walking speed of each, and their curves of each side that scores are made of.  Nobody's
name is in it, nor a hash of one, which whoever knows some names could try: people are known again by their recordings, by the first
twelve digits of the SHA-256 of each one's, and under a code by the code's as well, which is nobody's name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import OptionError
from biomech_id.files.json_text import FLOAT_FORMAT
from biomech_id.gait.measures.scores import GAIT_VARIABLES
from biomech_id.session.output.manifest import UNVERIFIED
from biomech_id.session.tables.means import MeanCurves
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables
from biomech_id.session.values.norm import CONTRIBUTOR

#: Numbers that are told of each contributor: attribute of `NormSample` -> name after `CONTRIBUTOR`.
_NUMBERS = {
    "age_years": "age_years", "mass_kg": "mass_kg", "height_m": "height_m", "leg_length_m": "leg_length_m",
    "speed": "speed_dimensionless",
}  # fmt: skip
#: Inputs of a session that are no recordings.
_NO_RECORDING = frozenset({".toml", ".csv"})
_DIGITS = 12


@dataclass(frozen=True, eq=False)
class NormSample:
    """What one subject contributes: curve or scalar name -> their mean (101,) or (1,), left and right averaged.

    Attributes
    ----------
    values : dict[tuple[str, str], FloatArray]
        (variable, component) -> mean (101,), or (1,) for a scalar.
    age_years : float
        On the day of the session; NaN where it is not recorded.
    speed : float
        Walking speed, dimensionless.
    marks : frozenset[str], optional
        By which the person is known again: `mark` of every recording, and under a code of the code (see `marks_of`).
    sex : str, optional
        "female" or "male"; empty where it is not recorded.
    mass_kg, height_m, leg_length_m : float, optional
        Of the body; NaN where it is not recorded. Legs left and right averaged.
    sides : MeanCurves, optional
        (side, variable, component) -> mean curve (101,) of what scores are made of.
    """

    values: dict[tuple[str, str], FloatArray]
    age_years: float
    speed: float
    marks: frozenset[str] = frozenset()
    sex: str = ""
    mass_kg: float = float("nan")
    height_m: float = float("nan")
    leg_length_m: float = float("nan")
    sides: MeanCurves = field(default_factory=dict)


def mark(text: str) -> str:
    """Return by what a code, or a recording's SHA-256, is known again.

    Parameters
    ----------
    text : str
        The code, or the hash as in ``manifest.json``.

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
        The session.
    marks : frozenset[str]
        As of `known_by`.
    """
    return marks if tables.manifest.get("coded") else marks - {mark(str(tables.summary["subject"].get("code") or ""))}


def contributor_rows(samples: Sequence[NormSample]) -> pd.DataFrame:
    """Return the rows of a norm's table that tell of each contributor, and nothing else.

    Parameters
    ----------
    samples : Sequence[NormSample]
        One per subject.
    """
    told = {"marks": [" ".join(sorted(sample.marks)) for sample in samples], "sex": [sample.sex for sample in samples]}
    told |= {name: [_number(getattr(sample, attribute)) for sample in samples] for attribute, name in _NUMBERS.items()}
    parts = [pd.DataFrame({"variable": [f"{CONTRIBUTOR}{name}"], "component": [""], "percent": [np.nan],
                           "contributors": [";".join(texts)], "n": [sum(map(bool, texts))]})
             for name, texts in told.items()]  # fmt: skip
    for name in dict.fromkeys(name for sample in samples for name in sample.sides):
        curves = np.stack([sample.sides.get(name, np.full(CURVE_POINTS, np.nan)) for sample in samples])
        side, variable, component = name
        parts.append(pd.DataFrame({
            "variable": f"{CONTRIBUTOR}{side}.{variable}", "component": component, "percent": np.arange(float(CURVE_POINTS)),
            "contributors": told_values(curves), "n": np.isfinite(curves).sum(axis=0),
        }))  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def told_values(values: FloatArray) -> list[str]:
    """Return the cells of the column ``contributors``.

    Parameters
    ----------
    values : FloatArray
        (contributors, points), NaN where somebody lacks it.
    """
    return [";".join(map(_number, column)) for column in values.T]


def samples_of(norm: pd.DataFrame, *, where: str = "norm") -> tuple[NormSample, ...]:
    """Return what each contributor of a norm has contributed; empty for a norm that does not tell.

    Parameters
    ----------
    norm : pd.DataFrame
        As in ``norm.csv``.
    where : str, optional
        The file, for the error message.

    Raises
    ------
    OptionError
        Rows that tell of different numbers of people, or of something that is no number.
    """
    # Who reads a norm's file without saying what is text has NaN in an empty cell.
    cells = norm["contributors"].tolist() if "contributors" in norm else [""] * len(norm)
    rows = norm[[isinstance(text, str) and text != "" for text in cells]]
    if rows.empty:
        return ()
    split = [text.split(";") for text in rows["contributors"]]
    count = len(split[0])
    uneven = next((at for at, texts in enumerate(split) if len(texts) != count), None)
    if uneven is not None:
        name = " ".join(rows.iloc[uneven][["variable", "component"]]).strip()
        raise OptionError(
            f"The norm {where} tells of {count} contributors, and at {name} of {len(split[uneven])}.",
            value=rows.iloc[uneven]["contributors"], expected=f"{count} values", where=where,
        )  # fmt: skip
    told: dict[str, list[str]] = {}
    curves: dict[tuple[str, str], FloatArray] = {}
    for (variable, component), group in rows.assign(split=split).groupby(["variable", "component"], sort=False):
        cells = group.sort_values("percent", kind="stable")["split"].tolist()
        if variable in _TEXTS:
            told[str(variable).removeprefix(CONTRIBUTOR)] = cells[0]
        else:
            curves[str(variable), str(component)] = _numbers(cells, f"{variable} {component}".strip(), where)
    return tuple(_sample(number, told, curves) for number in range(count))


_TEXTS = {f"{CONTRIBUTOR}{name}" for name in ("marks", "sex")}


def _sample(number: int, told: Mapping[str, list[str]], curves: Mapping[tuple[str, str], FloatArray]) -> NormSample:
    """One contributor of a table that has been taken apart: curves (contributors, points)."""
    known = {name: values[number] for name, values in curves.items() if np.isfinite(values[number]).any()}
    about: dict[str, Any] = {
        attribute: float(known.get((f"{CONTRIBUTOR}{name}", ""), np.array([np.nan]))[0]) for attribute, name in _NUMBERS.items()
    }
    sides = {
        (side, variable, component): known[name]
        for side in "LR"
        for variable, component in GAIT_VARIABLES
        if (name := (f"{CONTRIBUTOR}{side}.{variable}", component)) in known
    }
    values = {name: curve for name, curve in known.items() if not name[0].startswith(CONTRIBUTOR)}
    marks = frozenset(told.get("marks", [""] * (number + 1))[number].split())
    return NormSample(values, marks=marks, sex=told.get("sex", [""] * (number + 1))[number], sides=sides, **about)


def _numbers(cells: Sequence[Sequence[str]], name: str, where: str) -> FloatArray:
    """(contributors, points) of the cells of each point."""
    try:
        return np.array([[float(text) if text else np.nan for text in cell] for cell in cells]).T
    except ValueError as error:
        raise OptionError(
            f"The norm {where} tells something of a contributor's {name} that is no number ({error}).",
            value=name, expected="numbers separated by semicolons", where=where,
        ) from error  # fmt: skip


def _number(value: float) -> str:
    return FLOAT_FORMAT % value if np.isfinite(value) else ""
