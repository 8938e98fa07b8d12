"""Typical signatures: what causes add to the residuals of most walks, to see which of them a walk has to be asked about.

A row of ``typical.csv`` says what a unit of one cause adds to one residual, the mean over people, with and without a static trial:
of a leg, of a plate under one foot, or of the session. Single plates have none, nor what hangs on where plates and cameras lie.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.judgement.diagnosis.causes import Possible
from biomech_id.judgement.diagnosis.recorded import Recorded
from biomech_id.judgement.diagnosis.spread import HERE
from biomech_id.judgement.diagnosis.stances import find_stances


@cache
def typical_table() -> Mapping[tuple[str, bool], Mapping[tuple[str, str], float]]:
    """Return (cause, whether there is a static trial) -> (residual, of what) -> what a unit of size adds."""
    adds: dict[tuple[str, bool], dict[tuple[str, str], float]] = defaultdict(dict)
    with (HERE / "typical.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            adds[row["cause"], row["static"] == "1"][row["residual"], row["of"]] = float(row["adds"])
    return adds


def typical_units(session: Recorded, keys: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return residuals as ``typical.csv`` names them: those of a plate by the foot that it carries.

    Parameters
    ----------
    session : Recorded
        The session in memory.
    keys : Sequence[tuple[str, str]]
        Residuals and their units.

    Returns
    -------
    list[tuple[str, str]]
        Residual and "L", "R", "", "plate L", "plate R" or "plate".
    """
    feet = {str(number): f"plate {stance.side}" for number, stance in find_stances(session)}
    return [(name, feet.get(unit, "plate") if unit.isdigit() else unit) for name, unit in keys]


def typical_signatures(session: Recorded, causes: Sequence[Possible], keys: Sequence[tuple[str, str]]) -> FloatArray:
    """Return what causes add to the residuals of most walks.

    Parameters
    ----------
    session : Recorded
        The session in memory.
    causes : Sequence[Possible]
        K causes.
    keys : Sequence[tuple[str, str]]
        n residuals and their units.

    Returns
    -------
    FloatArray
        (n, K), residuals' units per unit of size; NaN for a cause that has no typical signature.
    """
    units, static = typical_units(session, keys), session.standing is not None
    signatures = np.full((len(keys), len(causes)), np.nan)
    for column, one in enumerate(causes):
        adds = typical_table().get((one.name, static))
        if adds:
            signatures[:, column] = [adds.get(unit, 0.0) for unit in units]
    return signatures
