"""How far untouched sessions lie apart in each residual: mean, variance between sessions and within, correlations.

The rows of ``spread.csv`` are those of 39 walks of 18 people of three laboratories (``docs/diagnosis.md`` says which): each person
weighs 1, values beyond 3 robust SDs count as 3, both variances hold the factor of a prediction and floors where one laboratory was
seen. ``correlation.csv`` is one matrix in the same order: above its diagonal the correlations between sessions, below it those
within, both shrunk.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.values import dataclass, replace

HERE = Path(__file__).parent


@dataclass(frozen=True, eq=False)
class ResidualSpread:
    """Mean, variances and correlations of residuals, m of them, each in its own unit.

    Attributes
    ----------
    names : tuple[str, ...]
        Of the residuals.
    units : tuple[str, ...]
        Unit of each.
    mean : FloatArray
        (m,), of untouched sessions.
    between, within : FloatArray
        (m,), variance between sessions, and of one leg or plate beside the others of its session.
    together, apart : FloatArray
        (m, m), correlations of the two.
    body_sd : FloatArray
        (m,), what a body that differs from most adds to the SD, and a marker that is off does too.
    gait_sd : FloatArray
        (m,), what ways of walking add to the SD, of both legs and all plates alike.
    any_gait : bool, optional
        Whether ways of walking and walking aids are among the causes.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    mean: FloatArray
    between: FloatArray
    within: FloatArray
    together: FloatArray
    apart: FloatArray
    body_sd: FloatArray
    gait_sd: FloatArray
    any_gait: bool = False

    def of_any_body(self) -> ResidualSpread:
        """Return the spread that leaves room for short legs, oblique pelvises, bowed shanks, short feet, and for ways of walking.

        Of bodies half of the variance is common to both sides, half each side's own. Ways of walking change all plates alike: one
        plate beside the others stays as sure as it is.
        """
        half = 0.5 * self.body_sd**2
        return replace(self, between=self.between + half + self.gait_sd**2, within=self.within + half, any_gait=True)

    def expected(self, keys: Sequence[tuple[str, str]]) -> tuple[FloatArray, FloatArray]:
        """Return mean and covariance of residuals of one session.

        Parameters
        ----------
        keys : Sequence[tuple[str, str]]
            Residual and unit ("L", "R", number of a plate, "").

        Returns
        -------
        mean : FloatArray
            (n,).
        covariance : FloatArray
            (n, n): what is common to all units, and what one leg or one plate has for itself.
        """
        at = np.array([self.names.index(name) for name, _ in keys])
        unit = np.array([unit for _, unit in keys])
        common, own = (
            correlation[np.ix_(at, at)] * np.sqrt(np.outer(variance[at], variance[at]))
            for correlation, variance in ((self.together, self.between), (self.apart, self.within))
        )
        return self.mean[at], common + np.where(unit[:, None] == unit[None], own, 0.0)


@cache
def package_spread() -> ResidualSpread:
    """Return the spread that comes with the package."""
    with (HERE / "spread.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    matrix = np.loadtxt(HERE / "correlation.csv", delimiter=",")
    above, below = np.triu(matrix, 1), np.tril(matrix, -1)
    mean, between, within, body, gait = (
        np.array([float(row[column] or 0.0) for row in rows])
        for column in ("mean", "variance_between", "variance_within", "body_sd", "gait_sd")
    )
    names, units = (tuple(row[column] for row in rows) for column in ("residual", "unit"))
    one = np.eye(len(rows))
    return ResidualSpread(names, units, mean, between, within, above + above.T + one, below + below.T + one, body, gait)
