"""A norm from means and SDs that somebody else made: what ``biomech-id norm --import FILE`` reads.

The file has one row for each variable at each percent of the cycle, or one for a number, as ``norm.csv`` has them: ``variable,
component, percent, mean, sd``; or it is a ``.gcd`` file (`norms.gcd`). What holds for all of it stands in a column, or (CSV, gcd)
above the table as ``# key: value``. Such a norm has no people: what needs single curves (sentences about limbs, the scores' own
norm, correlations) is not judged with it.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from biomech_id.conventions import CYCLE_ROWS, table_columns
from biomech_id.errors import BiomechError, FileRefusedError, MissingInputError, OptionError
from biomech_id.norms.gcd import gcd_table
from biomech_id.plugins import Registry
from biomech_id.session.tables.session_tables import CURVE_POINTS
from biomech_id.session.values.norm import check_norm

#: Columns of every row.
_ROWS = ("variable", "component", "percent", "mean", "sd")
_AGES, _SPEEDS = ("age_min_y", "age_max_y"), ("speed_min", "speed_max")
#: What must be said of the whole: how many people, of which ages and with which body model they were computed.
_STATED = ("n", *_AGES, "model")
#: What may be said besides: how they were computed, and what the norm is called.
_COMPUTED = ("kinetics", "hip_centre", "bandwidth", "movement", "source")
_MAY = (*_COMPUTED, *_SPEEDS, "name", "version", "date")
#: Key of the convention of moments, and by what a moment of each is multiplied to be internal.
CONVENTION, _SIGNS = "moments", {"internal": 1.0, "external": -1.0}
#: What somebody writes who does not know.
_UNKNOWN = ("", "unknown", "not stated")
#: A curve has at least so many points, evenly spread from 0 to 100 percent.
_LEAST_POINTS = 11


def norm_of_others(path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read somebody else's means and SDs and return them as a norm; curves of fewer points are read between on straight lines.

    Parameters
    ----------
    path : Path
        A CSV file or a workbook (``.xlsx``, its first sheet), in the units and signs of the data dictionary, or a ``.gcd`` file;
        external moments change their sign.

    Returns
    -------
    norm : pd.DataFrame
        Rows of ``norm.csv``, without people.
    not_taken : tuple[str, ...]
        What a ``.gcd`` file has besides, by its names there.

    Raises
    ------
    FileRefusedError
        It cannot be read as a table, is of another kind, or lacks a column.
    MissingInputError
        A workbook, and openpyxl is not installed.
    OptionError
        Something is not stated, is no number, or is nothing that this program computes.
    """
    cells, not_taken = _table(path)
    table = _stated_everywhere(cells, path)
    unknown = sorted(
        {name for name in zip(table["variable"], table["component"], strict=True) if name[1] and name not in CYCLE_ROWS}
    )
    if unknown:
        names = ", ".join(".".join(name) for name in unknown[:5])
        raise OptionError(
            f"{path.name} has curves that this program does not compute: {names}; they are called as in cycles.csv.",
            value=names, expected="variables and components of cycles.csv", where=str(path),
        )  # fmt: skip
    numbers = {name: _numbers(table, name, path) for name in ("percent", "mean", "sd", "n", *_AGES, *_SPEEDS)}
    if numbers["n"].isna().any():
        raise OptionError(
            f"{path.name} does not say for every row how many people it is of.",
            value="",
            expected="n of at least 1",
            where=str(path),
        )
    table = table.assign(**numbers)
    table["mean"] *= _signs(table, path)
    parts = [_on_the_grid(rows, path) for _, rows in table.groupby(["variable", "component"], sort=False)]
    norm = pd.concat(parts, ignore_index=True)
    norm["n"] = norm["n"].astype(np.int64)
    norm["contributors"] = ""
    norm = norm.reindex(columns=[column.name for column in table_columns("norm")])
    check_norm(norm, where=str(path))
    return norm, not_taken


def register_norm_form(suffix: str, read: NormForm) -> None:
    """Add a form of file in which others write their means and SDs.

    Parameters
    ----------
    suffix : str
        Of the file's name: ".mat".
    read : NormForm
        Reads one.

    Raises
    ------
    OptionError
        The suffix is taken.
    """
    FORMS.add(suffix, read)


def _table(path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Cells as text, with a column for what is stated of all, and what of the file is not among them."""
    kind = path.suffix.lower()
    if kind not in FORMS:
        raise FileRefusedError(
            f"{path.name} is neither CSV nor a workbook (.xlsx) nor a .gcd file: save its means and SDs as one of them.",
            value=kind, expected=" or ".join(FORMS), where=str(path),
        )  # fmt: skip
    try:
        cells, not_taken = FORMS[kind](path)
    except ImportError as error:
        package = "openpyxl" if kind == ".xlsx" else error.name or str(error)
        raise MissingInputError(
            f"{path.name} needs the package {package}, which is not installed: type `pip install {package}`, or save it as CSV.",
            value=package, expected=package, where=str(path),
        ) from error  # fmt: skip
    except BiomechError:
        raise
    except (OSError, ValueError, KeyError) as error:
        raise FileRefusedError(
            f"{path.name} cannot be read as a table of means and SDs: {error}.",
            value=str(path),
            expected="a table",
            where=str(path),
        ) from error
    return cells.astype(str), not_taken


def _workbook(path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    return pd.read_excel(path, dtype=str, keep_default_na=False), ()


def _csv(path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    lines, stated = _lines(path, "strict")
    rows = "\n".join(line for line in lines if not line.startswith("#"))
    return pd.read_csv(io.StringIO(rows), dtype=str, keep_default_na=False).assign(**stated), ()


def _gcd(path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    # A remark in it may be in any code page; its names and numbers are plain.
    lines, stated = _lines(path, "replace")
    table, not_taken = gcd_table(lines, stated, path)
    return table.assign(**stated), not_taken


def _lines(path: Path, errors: str) -> tuple[list[str], dict[str, str]]:
    """Lines of a text, and what ``# key: value`` above them states."""
    lines = path.read_text(encoding="utf-8-sig", errors=errors).splitlines()
    head = [line.lstrip("# ").partition(":") for line in lines if line.startswith("#")]
    return lines, {key.strip(): value.strip() for key, colon, value in head if colon}


#: ``read(path)`` returns a table with a column for each of ``_ROWS`` and ``_STATED``, and names of what it leaves out.
NormForm = Callable[[Path], tuple[pd.DataFrame, tuple[str, ...]]]
#: Suffix of a file -> what reads it.
FORMS: Registry[str, NormForm] = Registry("form of a norm", {".csv": _csv, ".xlsx": _workbook, ".gcd": _gcd})


def _stated_everywhere(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The table with every column there is, where all that must be said is said."""
    missing = [name for name in (*_ROWS, *_STATED) if name not in table]
    if missing:
        raise FileRefusedError(
            f"{path.name} does not say {', '.join(missing)}: a column each, or above the table a line `# {missing[0]}: ...`.",
            value=list(table.columns), expected=", ".join((*_ROWS, *_STATED)), where=str(path),
        )  # fmt: skip
    table = table.assign(**{name: "" for name in (*_MAY, CONVENTION) if name not in table})
    table = table.apply(lambda column: column.str.strip())
    for name in ("model", *_COMPUTED):
        table[name] = table[name].where(~table[name].str.lower().isin(_UNKNOWN), "")
    return table.assign(source=table["source"].where(table["source"] != "", path.name))


def _numbers(table: pd.DataFrame, name: str, path: Path) -> pd.Series[float]:
    """A column's numbers, NaN where nothing is known."""
    known = ~table[name].str.lower().isin(_UNKNOWN)
    numbers = pd.to_numeric(table[name].where(known), errors="coerce")
    wrong = table.loc[known & ~np.isfinite(numbers), name]
    if len(wrong):
        raise OptionError(
            f"{path.name} has {wrong.iloc[0]!r} as {name}, which is no number.",
            value=wrong.iloc[0],
            expected="a number",
            where=name,
        )
    return numbers


def _signs(table: pd.DataFrame, path: Path) -> pd.Series[float]:
    """By what each row's mean is multiplied: moments of the other convention change their sign."""
    moments = {name for name, row in CYCLE_ROWS.items() if row.quantity == "moment"}
    named = zip(table["variable"], table["component"], strict=True)
    are_moments = pd.Series([(str(v).rsplit(".", 1)[-1], c) in moments for v, c in named], table.index)
    stated = table[CONVENTION].str.lower()
    strange = sorted(set(stated[are_moments]) - set(_SIGNS))
    if strange:
        raise OptionError(
            f"{path.name} holds joint moments and does not say whether they are internal or external: `# {CONVENTION}: internal`.",
            value=strange[0], expected=" or ".join(_SIGNS), where=str(path),
        )  # fmt: skip
    signs = [_SIGNS[words] if moment else 1.0 for words, moment in zip(stated, are_moments, strict=True)]
    return pd.Series(signs, table.index)


def _on_the_grid(rows: pd.DataFrame, path: Path) -> pd.DataFrame:
    """One variable at each percent; a scalar as it is."""
    if len(rows) == 1 and np.isnan(rows["percent"].iloc[0]):
        return rows
    rows = rows.sort_values("percent", kind="stable")
    percent = rows["percent"].to_numpy(np.float64)
    steps = np.diff(percent)
    name = ".".join(filter(None, (str(rows["variable"].iloc[0]), str(rows["component"].iloc[0]))))
    if len(percent) < _LEAST_POINTS or percent[0] != 0.0 or percent[-1] != 100.0 or np.ptp(steps) > 1e-6 * steps.max():
        raise OptionError(
            f"{path.name} gives {name} at {len(percent)} places that do not lie evenly from 0 to 100 percent.",
            value=len(percent), expected=f"at least {_LEAST_POINTS} places, evenly from 0 to 100", where=str(path),
        )  # fmt: skip
    grid = np.arange(float(CURVE_POINTS))
    mean, sd = (np.interp(grid, percent, rows[key].to_numpy(np.float64)) for key in ("mean", "sd"))
    fewest = rows.iloc[[int(np.argmin(rows["n"].to_numpy(np.float64)))] * CURVE_POINTS].reset_index(drop=True)
    return fewest.assign(percent=grid, mean=mean, sd=sd)
