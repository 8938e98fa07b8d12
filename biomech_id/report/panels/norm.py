"""The norm behind the curves: checked once, then asked by variable in the plotted unit."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SignRow, table_columns
from biomech_id.errors import ShapeError
from biomech_id.files.settings import must_fit, one_of
from biomech_id.interpretation.artefacts import age_does_not_fit
from biomech_id.interpretation.criteria import DRAWN_PITCH
from biomech_id.interpretation.deviations import LimbNorm
from biomech_id.norms.fit import fit_given_norm, fit_norm, person_of
from biomech_id.report.layout.style import Style, own_words
from biomech_id.session.output.scores_table import score_rows
from biomech_id.session.output.statistics_rows import with_deviations, with_statistics
from biomech_id.session.tables.means import RUNNING, WALKING, mean_curves
from biomech_id.session.tables.session_tables import CURVE_POINTS, Table, Tables, tidy_table
from biomech_id.session.values.fingerprint import fingerprint_of
from biomech_id.session.values.norm import (
    NAMED,
    NORM_CHOICES,
    PERCENTILES,
    NormSample,
    check_norm,
    movement_of,
    norm_note,
    norm_places,
    people_in,
    read_norm,
)
from biomech_id.values import dataclass, field, replace

#: A norm as it is given: a table as in ``norm.csv``, the path of one, or none.
NormSource: TypeAlias = Table | str | Path | None


@dataclass(frozen=True, eq=False)
class Norm:
    """A norm as the report needs it.

    Attributes
    ----------
    curves : dict[tuple[str, str], tuple[FloatArray, FloatArray]]
        (variable, component) -> (mean, sd), each (101,), in the tables' unit.
    scalars : dict[str, tuple[float, float]]
        Name -> (mean, sd) of spatiotemporal parameters and scores, in the tables' unit.
    note : dict[str, Any]
        What the cover says: n, model, kinetics, source, clinical, ages, speeds, and ``said``, how it was made for this person.
    table : Table
        Rows of ``norm.csv``: mean and SD by variable and percent.
    named : dict[tuple[str, str], tuple[float, float, int]], optional
        (variable, component) -> (mean, sd, n) of named values of curves ("max_stance.KneeAngles", "X"), in the tables' unit.
    counts : dict[tuple[str, str], int], optional
        (variable, component) -> number of subjects of a curve, the smallest over the cycle.
    ranks : dict[tuple[str, str], FloatArray], optional
        (variable, component) -> `PERCENTILES` of its subjects, (3, 101), in the tables' unit; empty unless every curve has them, so
        that no two panels of a page show two kinds of band.
    people : tuple[NormSample, ...], optional
        Who is in it, as made for this person.
    patterns : str, optional
        File of a laboratory's own rules of gait patterns; empty for those that are shipped.
    """

    curves: dict[tuple[str, str], tuple[FloatArray, FloatArray]]
    scalars: dict[str, tuple[float, float]]
    note: dict[str, Any]
    table: Table = field(default_factory=lambda: tidy_table("norm"))
    named: dict[tuple[str, str], tuple[float, float, int]] = field(default_factory=dict)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    ranks: dict[tuple[str, str], FloatArray] = field(default_factory=dict)
    people: tuple[NormSample, ...] = ()
    patterns: str = ""

    def is_of_other_ages(self, tables: Tables) -> bool:
        """Whether a session's person is of none of the norm's ages, which it tells even where it has no people.

        Parameters
        ----------
        tables : Tables
            The session's tables.
        """
        youngest, oldest = (float(self.note.get(name, np.nan)) for name in ("age_min_y", "age_max_y"))
        return age_does_not_fit(tables.summary.get("subject", {}).get("age_years"), youngest, oldest) is True

    def curve(self, row: SignRow, style: Style) -> tuple[FloatArray, FloatArray] | None:
        """Mean and SD of one variable in the plotted unit, (101,) each, or None where the norm does not have it.

        Parameters
        ----------
        row : SignRow
            The variable's row of the sign table.
        style : Style
            Colours, words, scales and units of the report.
        """
        stored = self.curves.get((row.variable, row.component))
        return None if stored is None else (stored[0] * style.factor(row), stored[1] * style.factor(row))

    def band(self, row: SignRow, style: Style) -> tuple[FloatArray, FloatArray, FloatArray | None] | None:
        """Where the grey band of a variable begins and ends, and its middle line, (101,) each in the plotted unit.

        The middle is None where the band is mean and SD; all of it where the norm does not have the variable.

        Parameters
        ----------
        row : SignRow
            The variable's row of the sign table.
        style : Style
            Colours, words, scales and units of the report; its ``[lines] norm`` says which band.
        """
        ranks = self.ranks.get((row.variable, row.component)) if style.norm_as_percentiles else None
        if ranks is not None:
            low, middle, high = ranks * style.factor(row)
            return low, high, middle
        curve = self.curve(row, style)
        return None if curve is None else (curve[0] - curve[1], curve[0] + curve[1], None)

    def behind(self, kind: str) -> Norm | None:
        """Return this norm where a kind of movement is what its cycles are of, else None.

        Parameters
        ----------
        kind : str
            Of the trials that are drawn: "straight", "run", ...
        """
        walks = self.note.get("movement", WALKING) == WALKING
        return self if (not own_words(kind) if walks else kind == RUNNING) else None

    @property
    def n(self) -> int:
        """Number of people in it (`session.values.norm.people_in`); a variable that fewer have says its own number."""
        return people_in(self.note)

    @property
    def foot_off_percent(self) -> float:
        """Mean foot off of the norm, percent of the cycle; NaN where the norm does not say."""
        return self.scalars.get("foot_off", (float("nan"), 0.0))[0]


#: Columns that name a score.
_SCORE = ["condition", "side", "score", "variable", "component"]


def with_norm(
    norm: NormSource, tables: Tables, *, mix: Collection[str] = (), norm_for: str | None = None, patterns: str = ""
) -> tuple[Tables, Norm | None]:
    """Return a session with its scores against a norm, computed from its tables now, and that norm ready for drawing.

    Parameters
    ----------
    norm : NormSource
        As for `load_norm`; None takes the session's own.
    tables : Tables
        The session's tables.
    mix : Collection[str], optional
        As for `load_norm`.
    norm_for : str | None, optional
        As for `load_norm`.
    patterns : str, optional
        File of a laboratory's own rules of gait patterns; empty for those that are shipped.
    """
    loaded = load_norm(tables.norm if norm is None else norm, tables, mix=mix, norm_for=norm_for)
    if loaded is None:
        return replace(tables, scores=tidy_table("scores"), statistics=None, deviations=None), None
    scores = tidy_table("scores", score_rows(mean_curves(tables), loaded.table))
    scored = replace(tables, scores=_with_bands(scores, tables.scores))
    people = loaded.people if loaded.behind("straight") is not None else ()
    return with_deviations(with_statistics(scored, loaded.table), people, patterns), replace(loaded, patterns=patterns)


def _with_bands(scores: Table, own: Table) -> Table:
    """Scores with the bands of the session's own where these are the same: of the same cycles, against the same norm."""
    used = own[own["cycles"] == "used"]
    both = scores[[*_SCORE, "value"]].merge(used, on=_SCORE, how="left", suffixes=("", "_own"))
    # Nine digits are written of a number.
    same = np.isclose(both["value"], both["value_own"], rtol=1e-8)
    return scores.assign(**{name: np.where(same, both[name], np.nan) for name in ("low", "high", "sd")})


def load_norm(
    norm: NormSource,
    tables: Tables,
    *,
    mix: Collection[str] = (),
    norm_for: str | None = None,
    also: Sequence[Tables] = (),
) -> Norm | None:
    """Check a norm against a session, make it for that person, and make it ready for drawing; None where nobody is left in it.

    Parameters
    ----------
    norm : NormSource
        DataFrame as in ``norm.csv``, the path of such a file, or None, which stays None.
    tables : Tables
        The session; what of the norm was computed otherwise is left out.
    mix : Collection[str], optional
        Keys of `session.values.fingerprint.FINGERPRINT` in which the two may differ, besides those of the session's recipe.
    norm_for : str | None, optional
        One of `session.values.norm.NORM_CHOICES`; None takes that of the session's recipe.
    also : Sequence[Tables], optional
        Further sessions that are laid over the same norm: whose they are is left out as well.

    Raises
    ------
    ShapeError
        Columns are missing.
    OptionError
        A curve without all of 0 to 100 percent, an impossible value; nobody in it but the session's own person, unless it is the
        session's own norm.
    FileRefusedError
        The file cannot be read.
    """
    if norm is None:
        return None
    output = tables.summary.get("recipe", {}).get("output", {})
    mix, choice = (*mix, *output.get("mix", ())), norm_for or output.get("norm_for") or NORM_CHOICES[0]
    must_fit(one_of(NORM_CHOICES, "Whose norm."), choice, "norm_for")
    given = norm is not tables.norm
    where = str(norm) if isinstance(norm, (str, Path)) else "norm"
    if isinstance(norm, (str, Path)):
        norm = read_norm(Path(norm))
    else:
        _check_columns(norm)
        check_norm(norm, where="norm")
    computed = fingerprint_of(tables.summary, movement_of(norm))
    person = person_of(tables, movement_of(norm))
    marks = person.marks.union(*(person_of(other).marks for other in also))
    fit = fit_given_norm if given else fit_norm
    fitted = fit(norm, replace(person, marks=marks), choice, computed=computed, mix=mix, where=where)
    if fitted.table is None:
        return None
    norm = fitted.table
    curves, scalars, named, counts, ranks = {}, {}, {}, {}, {}
    columns = [name for name in (f"percentile_{rank}" for rank in PERCENTILES) if name in norm]
    numbers = {name: norm[name].to_numpy(np.float64) for name in ("mean", "sd", "n", *columns)}
    for (variable, component), rows in norm_places(norm).items():
        mean, sd, n = (numbers[name][rows] for name in ("mean", "sd", "n"))
        if len(rows) == CURVE_POINTS:
            curves[variable, component] = (mean, sd)
            counts[variable, component] = int(n.min())
            ranks[variable, component] = np.array([numbers[name][rows] for name in columns])
        elif NAMED.match(variable):
            named[variable, component] = (float(mean[0]), float(sd[0]), int(n[0]))
        elif component == "":
            scalars[variable] = (float(mean[0]), float(sd[0]))
    if DRAWN_PITCH not in curves:
        # People without a flat static trial, and an older norm: their foot is flat where a foot is flat in walking.
        curves |= {name: band for name, band in LimbNorm(fitted.people).curves.items() if name == DRAWN_PITCH}
    note = {**(norm_note(norm, fitted.people) or {}), "said": fitted.findings}
    whole = len(columns) == len(PERCENTILES) and all(np.isfinite(each).all() for each in ranks.values())
    ranks = ranks if whole else {}
    return Norm(
        curves=curves, scalars=scalars, note=note, table=norm, named=named, counts=counts, ranks=ranks, people=fitted.people
    )  # fmt: skip


def _check_columns(norm: Table) -> None:
    wanted = [column.name for column in table_columns("norm") if not column.added]
    columns = [str(name) for name in getattr(norm, "columns", ())]
    missing = [name for name in wanted if name not in columns]
    if missing:
        words = f"The norm lacks the columns {', '.join(missing)}; `biomech-id norm OUT... -o norm.csv` writes all of them."
        raise ShapeError(words, value=columns, expected=", ".join(wanted), where="norm")
