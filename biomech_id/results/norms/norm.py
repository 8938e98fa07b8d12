"""The norm: what people without a gait disorder do, as a documented CSV.

A norm is made with this program from analysed subjects, so that it has the same model and kinetics as the patient it is compared
with; one of another model or kinetics mode is refused.  Each subject counts once: the mean of their used cycles, left and right
averaged, is one sample, and ``sd`` is the standard deviation between subjects (n - 1 in the denominator).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import EMG_VARIABLE, table_columns
from biomech_id.errors import OptionError
from biomech_id.files.settings import Section, Setting, must_fit
from biomech_id.results.norms.contributors import CONTRIBUTOR, NormSample, contributor_rows, told_values, without_contributors
from biomech_id.results.norms.fingerprint import check_mix
from biomech_id.results.statistics.one_person import Spread, whole_curve_sd
from biomech_id.results.tables.csv_text import read_csv, write_csv
from biomech_id.results.tables.means import AVERAGED, WALKING
from biomech_id.results.tables.session_tables import CURVE_POINTS

#: Below this number of subjects a norm is printed as "not a clinical norm".
CLINICAL_SUBJECTS = 20
#: From this number of subjects on percentiles are given, and which.
PERCENTILE_SUBJECTS, PERCENTILES = 40, (5, 50, 95)


#: What a norm at a speed leaves as it is: speed over speed is a line without spread.
SPEEDS = frozenset({"speed", "speed_dimensionless"})
#: Before the name of a parameter: its left-right asymmetry, percent, signed.
ASYMMETRY = "asymmetry."
#: Before the name of a variable: a named value of its curve, or where in the cycle that lies.
NAMED = re.compile(r"(percent_of_)?((value|max|min|mean)_\w+|range|[AKH][1-4])\.")


def read_norm(path: Path, *, model: str | None, kinetics: str, mix: Collection[str] = ()) -> pd.DataFrame:
    """Read a norm and check that it may be compared with a session.

    Parameters
    ----------
    path : Path
        The CSV file.
    model : str | None
        Of the session; None where it is not known yet, which leaves the comparison to `fingerprint.refuse_mixture`.
    kinetics : str
        Of the session.
    mix : Collection[str], optional
        Keys of `fingerprint.FINGERPRINT` in which norm and session may differ.

    Raises
    ------
    FileRefusedError
        The file cannot be read, or lacks a column.
    OptionError
        Another model or kinetics mode; a curve without all of 0 to 100 percent; a negative standard deviation.
    """
    norm = read_csv(path, table_columns("norm"))
    check_norm(norm, where=str(path))
    check_comparable(norm, model=model, kinetics=kinetics, mix=mix, where=str(path))
    return norm


def movement_of(norm: pd.DataFrame) -> str:
    """Return what the cycles of a norm are of, one of `results.tables.means.AVERAGED`; older norms are of walks.

    Parameters
    ----------
    norm : pd.DataFrame
        A norm table.
    """
    return _movement(norm["movement"].iloc[0]) if "movement" in norm and len(norm) else WALKING


def _movement(word: object) -> str:
    """What a cell says; older norms, and tables whose empty cells are NaN, say nothing."""
    return word if isinstance(word, str) and word else WALKING


def check_norm(norm: pd.DataFrame, *, where: str) -> None:
    """Check that a norm table is whole.

    Parameters
    ----------
    norm : pd.DataFrame
        A norm table.
    where : str
        The file or trial concerned, for the error message.

    Raises
    ------
    OptionError
        It is empty, mixes models or movements, a curve lacks a percent or has one twice, or a mean or spread is impossible.
    """
    everything, norm = norm, norm[~norm["variable"].str.startswith(CONTRIBUTOR)]
    curves = everything.groupby(["variable", "component"], sort=False)
    impossible = norm[~np.isfinite(norm["mean"]) | (norm["sd"] < 0) | (norm["n"] < 1)]
    said = {
        "rows": len(norm),
        **{column: sorted(norm[column].unique()) for column in ("model", "kinetics")},
        "movement": sorted({_movement(word) for word in (norm["movement"].unique() if "movement" in norm else [""])}),
        "curves": {f"{variable} {component}": rows["percent"].tolist() for (variable, component), rows in curves},
        "values": [
            f"mean {x['mean']:g}, sd {x['sd']:g}, n {x['n']:g} for {x['variable']} {x['component']}"
            for _, x in impossible.iterrows()
        ],
    }
    must_fit(_NORM, said, where)


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
#: What a norm may say:
#: its columns are those of `table_columns`.
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


def check_comparable(norm: pd.DataFrame, *, model: str | None, kinetics: str, mix: Collection[str] = (), where: str) -> None:
    """Check that a norm was made with the session's model and kinetics mode.

    Parameters
    ----------
    norm : pd.DataFrame
        A norm table.
    model : str | None
        Name of the body model; None where it is not known yet.
    kinetics : str
        Kinetics mode: "textbook".
    mix : Collection[str], optional
        Keys of `fingerprint.FINGERPRINT` in which norm and session may differ.
    where : str
        The file or trial concerned, for the error message.

    Raises
    ------
    OptionError
        It was not.
    """
    check_mix(mix)
    made = (str(norm["model"].iloc[0]), str(norm["kinetics"].iloc[0]))
    own = (made[0] if model is None else model, kinetics)
    alike = tuple(mine if key in mix else theirs for key, theirs, mine in zip(("model", "kinetics"), made, own, strict=True))
    comparable = Setting(f"({model}, {kinetics})", lambda v: v == own, said=lambda at: (
        f"The norm {where} was made with the {made[0]} model and {made[1]} kinetics, this session with {model} and {kinetics}; "
        "comparing them would show the difference of the models. Make a norm with `biomech-id norm` from runs of this kind."
    ))  # fmt: skip
    must_fit(comparable, alike, where)


def write_norm(norm: pd.DataFrame, path: Path) -> None:
    """Write a norm as CSV.

    Parameters
    ----------
    norm : pd.DataFrame
        A norm table.
    path : Path
        The file.

    Raises
    ------
    OptionError
        The table is no whole norm (see `check_norm`).
    OutputError
        The file cannot be written.
    """
    check_norm(norm, where=str(path))
    write_csv(norm, path)


@dataclass(frozen=True, eq=False)
class NormBand:
    """Mean and standard deviation of one variable: arrays (101,) over the cycle, or floats for a scalar.

    Attributes
    ----------
    mean, sd : FloatArray
        (101,) over the cycle, or one number.
    n : int
        Number of subjects.
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
    rows = norm[(norm["variable"] == variable) & (norm["component"] == component)].sort_values("percent")
    if rows.empty:
        return None
    reach_sd = float(rows["whole_curve_sd"].iloc[0]) if "whole_curve_sd" in rows else float("nan")
    n = int(rows["n"].min())
    fitted = "leverage" in rows and np.isfinite(rows["leverage"]).all()
    spread = Spread(float(rows["leverage"].max()), int(rows["freedom"].min())) if fitted else None
    return NormBand(rows["mean"].to_numpy(np.float64), rows["sd"].to_numpy(np.float64), n, reach_sd, spread)


def norm_bands(norm: pd.DataFrame) -> dict[tuple[str, str], NormBand]:
    """Return (variable, component) -> the norm of every curve and scalar.

    Parameters
    ----------
    norm : pd.DataFrame
        A norm table.
    """
    parts = norm.groupby(["variable", "component"], sort=False)
    names = {(str(variable), str(component)): rows for (variable, component), rows in parts}
    bands = {name: norm_band(rows, *name) for name, rows in names.items()}
    return {name: band for name, band in bands.items() if band is not None}


def norm_note(norm: pd.DataFrame | None) -> dict[str, Any] | None:
    """Return what ``summary.json`` says of the norm; None without one.

    Parameters
    ----------
    norm : pd.DataFrame | None
        A norm table; None for none.
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
    ranges = {name: float(first[name]) for name in ("age_min_y", "age_max_y", "speed_min", "speed_max")}
    return {"n": n, **note, "movement": movement_of(norm), "clinical": n >= CLINICAL_SUBJECTS, **ranges}


def fewer_subjects(norm: pd.DataFrame) -> dict[int, tuple[str, ...]]:
    """Return number of subjects -> curves and parameters that only so many have, where others have more.

    Named values of curves are left out: who has a burst of power and who has none is told by the table.

    Parameters
    ----------
    norm : pd.DataFrame
        A norm table.
    """
    plain = norm[~norm["variable"].str.startswith(CONTRIBUTOR) & ~norm["variable"].str.match(NAMED)]
    least = plain.groupby(["variable", "component"], sort=False)["n"].min()
    found: dict[int, list[str]] = {}
    for (variable, component), count in least[least < least.max()].items():
        found.setdefault(int(count), []).append(f"{variable} {component}".strip())
    return {count: tuple(found[count]) for count in sorted(found)}


def norm_from_samples(
    samples: Sequence[NormSample],
    *,
    model: str,
    kinetics: str,
    source: str,
    hip_centre: str = "",
    bandwidth: str = "",
    movement: str = WALKING,
) -> pd.DataFrame:
    """Return the norm of some subjects as a table; where only some of them have a value ``n`` is smaller.

    Parameters
    ----------
    samples : Sequence[NormSample]
        One per subject.
    model, kinetics : str
        Of all of them.
    source : str
        Who made the norm, from what.
    hip_centre, bandwidth : str, optional
        Hip centre method and bandwidth of the plates of all of them; empty where nobody recorded it.
    movement : str, optional
        What their cycles are of, one of `results.tables.means.AVERAGED`.

    Raises
    ------
    OptionError
        There is no subject.
    """
    if not samples:
        raise OptionError(
            "There is no subject to make a norm from.", value=0, expected="at least one analysed subject", where="norm"
        )
    names = dict.fromkeys(name for sample in samples for name in sample.values)
    about = {"model": model, "kinetics": kinetics, "source": source, "hip_centre": hip_centre, "bandwidth": bandwidth}
    about["movement"] = movement
    parts = [_rows(name, samples) for name in names]
    return _table([*parts, contributor_rows(samples)], samples, about)


def norm_at_speed(samples: Sequence[NormSample], speed: float, least: int, about: Mapping[str, str]) -> pd.DataFrame:
    """Return the norm of some subjects at one walking speed: of every value a straight line over their speeds, read there.

    ``sd`` is that of the subjects about the line. What fewer than ``least`` subjects have, and speed itself, is a plain mean.

    Parameters
    ----------
    samples : Sequence[NormSample]
        One per subject, of known speed, brought to this speed by `at_speed`.
    speed : float
        Dimensionless.
    least : int
        Number of subjects who make a line.
    about : Mapping[str, str]
        Columns that say how all of them were computed.
    """
    names = dict.fromkeys(name for sample in samples for name in sample.values)
    return _table([_rows(name, samples, speed, least) for name in names], samples, about)


def at_speed(samples: Sequence[NormSample], speed: float, least: int) -> tuple[NormSample, ...]:
    """Return subjects as they would walk at one speed, each moved along the straight line of all of them.

    Parameters
    ----------
    samples : Sequence[NormSample]
        One per subject, of known speed.
    speed : float
        Dimensionless.
    least : int
        Number of subjects who make a line.
    """
    slopes: dict[tuple[str, str], FloatArray] = {}
    for name in dict.fromkeys(name for sample in samples for name in sample.values):
        theirs = [sample for sample in samples if name in sample.values]
        if len(theirs) >= least and name[0] not in SPEEDS:
            slopes[name] = _slope(np.array([x.speed for x in theirs]), np.stack([x.values[name] for x in theirs]))

    def moved(sample: NormSample) -> NormSample:
        by = sample.speed - speed
        values = {name: curve - slopes[name] * by if name in slopes else curve for name, curve in sample.values.items()}
        sides = {name: curve - slopes[name[1:]] * by if name[1:] in slopes else curve for name, curve in sample.sides.items()}
        return replace(sample, values=values, sides=sides)

    return tuple(map(moved, samples))


def _slope(speed: FloatArray, values: FloatArray) -> FloatArray:
    """Slopes (points,) of (n, points) over speeds (n,), each over those who have a value there; 0 where these do not differ."""
    known = np.isfinite(values)
    n = np.maximum(known.sum(axis=0), 1)
    across = np.where(known, speed[:, None], 0.0)
    across = np.where(known, across - across.sum(axis=0) / n, 0.0)
    squares = (across**2).sum(axis=0)
    return np.asarray((across * np.where(known, values, 0.0)).sum(axis=0) / np.where(squares > 0, squares, np.inf))


def _table(parts: Sequence[pd.DataFrame], samples: Sequence[NormSample], about: Mapping[str, str]) -> pd.DataFrame:
    """The rows with what is said of all of them."""
    ages, speeds = [sample.age_years for sample in samples], [sample.speed for sample in samples]
    ranges = {
        "age_min_y": _extreme(np.nanmin, ages), "age_max_y": _extreme(np.nanmax, ages),
        "speed_min": _extreme(np.nanmin, speeds), "speed_max": _extreme(np.nanmax, speeds),
    }  # fmt: skip
    norm = pd.concat(parts, ignore_index=True).assign(**ranges, **about)
    fitted = [name for name in ("leverage", "freedom") if name in norm]
    return norm.reindex(columns=[*(column.name for column in table_columns("norm")), *fitted])


def _rows(name: tuple[str, str], samples: Sequence[NormSample], speed: float = float("nan"), least: int = 0) -> pd.DataFrame:
    """One variable at each percent; at a speed the subjects have been brought to it, which has spent one more degree of freedom."""
    theirs = [sample for sample in samples if name in sample.values]
    stacked = np.stack([sample.values[name] for sample in theirs])
    points = stacked.shape[1]
    known = np.isfinite(stacked)
    n = known.sum(axis=0)
    total = np.where(known, stacked, 0.0).sum(axis=0)
    mean = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    spread = _spread(theirs, speed) if np.isfinite(speed) and len(theirs) >= least and name[0] not in SPEEDS else None
    spent = 1 if spread is None else 2
    # One subject has no spread; the cell stays empty rather than claiming that nobody differs.
    squares = np.where(known, (stacked - mean) ** 2, 0.0).sum(axis=0)
    sd = np.where(n > spent, np.sqrt(squares / np.maximum(n - spent, 1)), np.nan)
    percent = np.arange(points, dtype=np.float64) if points == CURVE_POINTS else np.full(points, np.nan)
    # Percentiles of a few people are those people.
    ranks = np.nanpercentile(stacked, PERCENTILES, axis=0) if n.min() >= PERCENTILE_SUBJECTS else np.full((3, points), np.nan)
    whole = stacked[known.all(axis=1)]
    told = {"contributors": told_values(_everybody(name, samples, points))} if spread is None and not np.isfinite(speed) else {}
    fitted = {} if spread is None else {"leverage": spread.leverage, "freedom": spread.freedom}
    return pd.DataFrame({
        "variable": name[0], "component": name[1], "percent": percent, "mean": mean, "sd": sd, "n": n,
        "whole_curve_sd": whole_curve_sd(whole, spread=spread) if points == CURVE_POINTS else np.nan,
        **{f"percentile_{rank}": values for rank, values in zip(PERCENTILES, ranks, strict=True)}, **told, **fitted,
    })  # fmt: skip


def _everybody(name: tuple[str, str], samples: Sequence[NormSample], points: int) -> FloatArray:
    """(contributors, points), NaN of who has no such value."""
    return np.stack([sample.values.get(name, np.full(points, np.nan)) for sample in samples])


def _spread(samples: Sequence[NormSample], speed: float) -> Spread:
    """How well a straight line over these speeds is known at one of them."""
    speeds = np.array([sample.speed for sample in samples])
    squares = float(((speeds - speeds.mean()) ** 2).sum())
    away = (speed - float(speeds.mean())) ** 2
    return Spread(1.0 / len(speeds) + (away / squares if squares > 0 else 0.0), len(speeds) - 2)


def _extreme(pick: Any, values: Sequence[float]) -> float:
    finite = [value for value in values if np.isfinite(value)]
    return float(pick(finite)) if finite else float("nan")
