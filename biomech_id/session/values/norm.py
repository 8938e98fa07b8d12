"""The norm: what people without a gait disorder do, as a documented CSV.

A norm is made with this program from analysed subjects, so that it has the same model and kinetics as the patient it is compared
with; what was computed otherwise is left out (`norms.comparable`).  Joint loads of several bandwidths of the plates have rows of
their own.  Each subject counts once in the mean: that of their used cycles, left and right averaged.  A patient is judged by one
side, so ``sd`` is the standard deviation between limbs, and ``n`` counts people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Sized
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import EMG_VARIABLE, table_columns
from biomech_id.errors import Finding
from biomech_id.files.settings import Section, Setting, must_fit
from biomech_id.session.tables.csv_text import read_csv, write_csv
from biomech_id.session.tables.means import AVERAGED, WALKING, MeanCurves
from biomech_id.session.tables.session_tables import CURVE_POINTS
from biomech_id.session.values.step import begin
from biomech_id.values import dataclass, field

#: Below this number of subjects a norm is printed as "not a clinical norm".
CLINICAL_SUBJECTS = 20
#: Percentiles that a norm of many subjects has.
PERCENTILES = (5, 50, 95)
#: For whom a norm may be made: everybody in it, those of the person's age, or at the person's speed.
NORM_CHOICES = ("everybody", "age", "speed")
#: What names one row of a norm.
_CURVE = ("variable", "component", "percent")
#: Numbers of its rows that a band is made of.
_BAND = ("mean", "sd", "n", "whole_curve_sd", "leverage", "freedom")
#: Before the name of what is told of each contributor, and of nobody else.
CONTRIBUTOR = "contributor."
#: Before the name of a parameter: its left-right asymmetry, percent, signed.
ASYMMETRY = "asymmetry."
#: Before the name of a variable: a named value of its curve, or where in the cycle that lies.
NAMED = re.compile(r"(percent_of_)?((value|max|min|mean)_\w+|range|[AKH][1-4])\.")


def read_norm(path: Path) -> pd.DataFrame:
    """Read a norm and check that it is whole.

    Parameters
    ----------
    path : Path
        The CSV file, as `write_norm` writes it.

    Raises
    ------
    FileRefusedError
        The file cannot be read, or lacks a column.
    OptionError
        A curve without all of 0 to 100 percent, or an impossible value (see `check_norm`).
    """
    norm = read_csv(path, table_columns("norm"))
    check_norm(norm, where=str(path))
    return norm


def movement_of(norm: pd.DataFrame) -> str:
    """Return what the cycles of a norm are of, one of `session.tables.means.AVERAGED`; older norms are of walks.

    Parameters
    ----------
    norm : pd.DataFrame
        A norm, with or without a column that says it.
    """
    return _movement(norm["movement"].iloc[0]) if "movement" in norm and len(norm) else WALKING


def stated_by(norm: pd.DataFrame, column: str) -> str:
    """Return what a whole norm says of itself in a column of text; empty where it does not say.

    Parameters
    ----------
    norm : pd.DataFrame
        A norm, of this or an older form.
    column : str
        As "source" or "name".
    """
    word = norm.iloc[0].get(column) if len(norm) else None
    return word if isinstance(word, str) else ""


def norm_called(note: Mapping[str, Any]) -> str:
    """Return what a page calls a norm: name or source, version, date.

    Parameters
    ----------
    note : Mapping[str, Any]
        As of `norm_note`; older ones have a source alone.

    Examples
    --------
    >>> from biomech_id.session.values.norm import norm_called
    >>> norm_called({"name": "Children", "version": "2", "date": "2026-11-28", "source": "us"}), norm_called({"source": "us, 2020"})
    ('Children, 2, 2026-11-28', 'us')
    """
    name = str(note.get("name") or "") or str(note.get("source") or "").partition(",")[0]
    return ", ".join(filter(None, (name, *(str(note.get(key) or "") for key in ("version", "date")))))


def _movement(word: object) -> str:
    """What a cell says; older norms, and tables whose empty cells are NaN, say nothing."""
    return word if isinstance(word, str) and word else WALKING


def check_norm(norm: pd.DataFrame, *, where: str) -> None:
    """Check that a norm table is whole.

    Parameters
    ----------
    norm : pd.DataFrame
        A table that is to be a norm.
    where : str
        The file or trial concerned, for the error message.

    Raises
    ------
    OptionError
        It is empty, mixes models or movements, a curve lacks a percent or has one twice, or a mean or spread is impossible.
    """
    everything, norm = norm, norm[~norm["variable"].str.startswith(CONTRIBUTOR)]
    curves: dict[str, list[float]] = {}
    for words, table in by_bandwidth(everything).items():
        places: dict[tuple[str, str], list[float]] = {}
        # As plain objects: texts of a column are slow to go through one by one.
        for variable, component, percent in zip(*(table[name].to_numpy(object) for name in _CURVE), strict=True):
            places.setdefault((variable, str(component)), []).append(percent)
        for (variable, component), each in places.items():
            curves.setdefault(f"{variable} {component} {words}".rstrip(), []).extend(each)
    impossible = norm[~np.isfinite(norm["mean"]) | (norm["sd"] < 0) | (norm["n"] < 1)]
    stated = {
        "rows": len(norm),
        **{column: sorted(norm[column].unique()) for column in ("model", "kinetics")},
        "movement": sorted({_movement(word) for word in (norm["movement"].unique() if "movement" in norm else [""])}),
        "curves": curves,
        "values": [
            f"mean {x['mean']:g}, sd {x['sd']:g}, n {x['n']:g} for {x['variable']} {x['component']}"
            for _, x in impossible.iterrows()
        ],
    }
    must_fit(_NORM, stated, where)


def by_bandwidth(norm: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the bandwidths of the plates whose joint loads a norm holds -> the rows for each; "" -> all of a norm of one or none.

    Parameters
    ----------
    norm : pd.DataFrame
        A whole norm, as `read_norm` returns it.
    """
    words = norm["bandwidth"].fillna("").astype(str) if "bandwidth" in norm else pd.Series("", norm.index)
    each = [word for word in words.unique() if word]
    return {word: norm[words.isin(["", word])] for word in each} if len(each) > 1 else {"": norm}


def _is_whole(percent: Sequence[float]) -> bool:
    return sorted(percent) == list(range(CURVE_POINTS)) or (len(percent) == 1 and np.isnan(percent[0]))


_ONE_KIND = Setting(
    "one kind",
    lambda v: len(v) == 1,
    said=lambda at: f"The norm {at.where} mixes several kinds of {at.key}: {', '.join(at.value)}.",
)
_PLACES = Setting("101 rows, percent 0 to 100, or one row with an empty percent", _is_whole, said=lambda at: (
    f"The norm {at.where} gives {at.key} at {len(at.value)} places, not at each of 0 to 100 percent."
))  # fmt: skip
_VALUES = Setting(
    "a finite mean, sd of at least 0, n of at least 1", lambda impossible: not impossible,
    said=lambda at: f"{at.where} has {at.value[0]}.",
)  # fmt: skip
#: What a norm may say: its columns are those of `table_columns`.
_NORM = Section({
    "rows": Setting("at least one variable", bool, said=lambda at: f"The norm {at.where} is empty."),
    "model": _ONE_KIND,
    "kinetics": _ONE_KIND,
    "movement": Setting(" | ".join(AVERAGED), lambda v: len(v) == 1 and v[0] in AVERAGED, said=lambda at: (
        f"The norm {at.where} is of {' and '.join(at.value)}: a norm is of walks, or of runs."
    )),
    "curves": Section({}, rest=_PLACES),
    "values": _VALUES,
})  # fmt: skip


def write_norm(norm: pd.DataFrame, path: Path) -> None:
    """Write a norm as CSV.

    Parameters
    ----------
    norm : pd.DataFrame
        A whole norm, with the columns of the data dictionary.
    path : Path
        The CSV file; an existing one is replaced.

    Raises
    ------
    OptionError
        The table is no whole norm (see `check_norm`).
    OutputError
        The file cannot be written.
    """
    begin("check")
    check_norm(norm, where=str(path))
    begin(path.name)
    write_csv(norm, path)


@dataclass(frozen=True)
class Spread:
    """How well the mean and standard deviation of a norm are known that is not simply the mean of n subjects.

    Attributes
    ----------
    leverage : float
        Variance of the mean in those of one subject: 1/n of a mean, more where a line is read away from the subjects' middle.
    freedom : int
        Degrees of freedom of the standard deviation: n - 1 of a mean, n - 2 of a line.
    """

    leverage: float
    freedom: int


@dataclass(frozen=True, eq=False)
class NormBand:
    """Mean and standard deviation of one variable: arrays (101,) over the cycle, or floats for a scalar.

    Attributes
    ----------
    mean, sd : FloatArray
        (101,) over the cycle, or one number.
    n : int
        Number of subjects behind mean and SD.
    reach_sd : float, optional
        How many standard deviations from the mean 95 % of whole curves stay within; NaN where the norm does not say.
    spread : Spread | None, optional
        How well ``mean`` and ``sd`` are known; None for those of n subjects.
    """

    mean: FloatArray
    sd: FloatArray
    n: int
    reach_sd: float = float("nan")
    spread: Spread | None = None


def norm_band(norm: pd.DataFrame | None, variable: str, component: str = "") -> NormBand | None:
    """Return the norm of one curve or scalar; None where there is no norm or it lacks the variable.

    Parameters
    ----------
    norm : pd.DataFrame | None
        A norm table; None for none.
    variable : str
        Its name without the side: "KneeMoment".
    component : str, optional
        "X", "Y", "Z"; "" for a scalar.
    """
    if norm is None:
        return None
    rows = norm[(norm["variable"] == variable) & (norm["component"] == component)].sort_values("percent", kind="stable")
    return None if rows.empty else _band(_numbers_of(rows), np.arange(len(rows)))


def norm_bands(norm: pd.DataFrame) -> dict[tuple[str, str], NormBand]:
    """Return (variable, component) -> the norm of every curve and scalar.

    Parameters
    ----------
    norm : pd.DataFrame
        A whole norm, of one bandwidth.
    """
    numbers = _numbers_of(norm)
    return {name: _band(numbers, rows) for name, rows in norm_places(norm).items()}


def norm_places(norm: pd.DataFrame) -> dict[tuple[str, str], npt.NDArray[np.intp]]:
    """Return (variable, component) -> the rows of each curve and scalar, from 0 to 100 percent.

    Parameters
    ----------
    norm : pd.DataFrame
        A whole norm, of one bandwidth.
    """
    percent = norm["percent"].to_numpy(np.float64)
    parts: Mapping[Any, Any] = norm.groupby(["variable", "component"], sort=False, dropna=False).indices
    ordered = {name: rows[np.argsort(percent[rows], kind="stable")] for name, rows in parts.items()}
    return {(str(variable), str(component)): rows for (variable, component), rows in ordered.items()}


def _numbers_of(norm: pd.DataFrame) -> dict[str, FloatArray]:
    """Columns that a band is made of, of those that the norm has."""
    return {name: norm[name].to_numpy(np.float64) for name in _BAND if name in norm}


def _band(numbers: Mapping[str, FloatArray], rows: npt.NDArray[np.intp]) -> NormBand:
    """The band of one curve or scalar, from its rows of a norm's columns, in their order."""
    own = {name: values[rows] for name, values in numbers.items()}
    fitted = "leverage" in own and np.isfinite(own["leverage"]).all()
    return NormBand(
        own["mean"], own["sd"], int(own["n"].min()),
        float(own["whole_curve_sd"][0]) if "whole_curve_sd" in own else float("nan"),
        Spread(float(own["leverage"].max()), int(own["freedom"].min())) if fitted else None,
    )  # fmt: skip


def without_contributors(norm: pd.DataFrame) -> pd.DataFrame:
    """Return a norm's means and SDs alone.

    Parameters
    ----------
    norm : pd.DataFrame
        A norm, with or without rows of its contributors.
    """
    of_contributors = norm["variable"].str.startswith(CONTRIBUTOR)
    plain = norm[~of_contributors].reset_index(drop=True) if of_contributors.any() else norm
    return plain.assign(contributors="") if "contributors" in plain else plain


def people_in(note: Mapping[str, Any]) -> int:
    """Return how many people a norm has; of means without people, and of older results, the smallest number of any variable.

    Parameters
    ----------
    note : Mapping[str, Any]
        As of `norm_note`.
    """
    return int(note.get("people") or note["n"])


def norm_note(norm: pd.DataFrame | None, people: Sized = ()) -> dict[str, Any] | None:
    """Return what ``summary.json`` says of the norm; None without one.

    Parameters
    ----------
    norm : pd.DataFrame | None
        A norm table; None for none.
    people : Sized, optional
        Who is in it, as made for the session's person.
    """
    if norm is None:
        return None
    norm = without_contributors(norm)
    # Electrodes are worn by some only: what a norm of movement is does not hang on them.
    # Nor on who has a peak of some name: those stand as name.variable.
    named = norm["variable"].str.match(NAMED)
    moved = norm[~norm["variable"].str.startswith(EMG_VARIABLE.format(muscle="")) & ~named]
    n = int((moved if len(moved) else norm)["n"].min())
    first = norm.iloc[0]
    note = {name: first[name] for name in ("model", "kinetics", "source")}
    note |= {name: stated_by(norm, name) for name in ("name", "version", "date")}
    ranges = {name: float(first[name]) for name in ("age_min_y", "age_max_y", "speed_min", "speed_max")}
    return {"n": n, "people": len(people), **note, "movement": movement_of(norm), "clinical": n >= CLINICAL_SUBJECTS, **ranges}


def fewer_subjects(norm: pd.DataFrame) -> dict[int, tuple[str, ...]]:
    """Return number of subjects -> curves and parameters that only so many have, where others have more.

    Named values of curves are left out: who has a burst of power and who has none is told by the table.

    Parameters
    ----------
    norm : pd.DataFrame
        A whole norm, as `read_norm` returns it.
    """
    plain = norm[~norm["variable"].str.startswith(CONTRIBUTOR) & ~norm["variable"].str.match(NAMED)]
    least = plain.groupby(["variable", "component"], sort=False)["n"].min()
    names: dict[int, list[str]] = {}
    for (variable, component), count in least[least < least.max()].items():
        names.setdefault(int(count), []).append(f"{variable} {component}".strip())
    return {count: tuple(names[count]) for count in sorted(names)}


@dataclass(frozen=True)
class NormPerson:
    """Whom a norm is for.

    Attributes
    ----------
    age_years : float, optional
        NaN where it is not recorded.
    speeds : Mapping[str, float], optional
        Condition -> mean speed of the cycles in its means, dimensionless.
    marks : frozenset[str], optional
        By which the person is known again (`norms.contributors.known_by`).
    """

    age_years: float = float("nan")
    speeds: Mapping[str, float] = field(default_factory=dict)
    marks: frozenset[str] = frozenset()


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
        Walking speed, dimensionless: v / sqrt(g l).
    marks : frozenset[str], optional
        By which the person is known again: of every recording, and under a code of the code.
    sex : str, optional
        "female" or "male"; empty where it is not recorded.
    mass_kg, height_m, leg_length_m : float, optional
        Of the body; NaN where it is not recorded. Legs left and right averaged.
    sides : MeanCurves, optional
        (side, variable, component) -> mean curve (101,), or (1,) for a scalar, of that limb: what the SD of limbs is made of.
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


@dataclass(frozen=True, eq=False)
class FittedNorm:
    """A norm made for one person.

    Attributes
    ----------
    table : pd.DataFrame | None
        Means and SDs; None where nobody is left in it.
    findings : tuple[Finding, ...]
        How it was chosen, and what could not be had.
    people : tuple[NormSample, ...], optional
        Who is in it, with what each side of theirs does; empty where the norm does not tell.
    """

    table: pd.DataFrame | None
    findings: tuple[Finding, ...] = ()
    people: tuple[NormSample, ...] = ()
