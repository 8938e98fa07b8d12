"""Rows of ``statistics.csv``: every statistic by name, each a function of a session's tables and the norm they are compared with.

A statistic's own code is loaded when a session has a norm. A laboratory adds one of its own before the session is analysed.

>>> from biomech_id.session.output.statistics_rows import _STATISTICS, Statistic, register_statistic, statistic_names
>>> nothing: Statistic = lambda tables, norm: []
>>> register_statistic("mine", nothing)
>>> statistic_names()
('against-norm', 'mine')
>>> del _STATISTICS["mine"]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import pandas as pd

from biomech_id.plugins import Registry
from biomech_id.session.tables.session_tables import Tables, tidy_table
from biomech_id.session.values.norm import NormSample

#: Tables of a session and the norm -> rows of ``statistics.csv``, each with a cell for every column.
Statistic: TypeAlias = Callable[[Tables, "pd.DataFrame"], Iterable[Mapping[str, object]]]
#: Name -> the statistic, in the order of their rows.
_STATISTICS: Registry[str, Statistic] = Registry("statistic", {"against-norm": "biomech_id.statistics.against_norm:against_norm"})


def register_statistic(name: str, statistic: Statistic) -> None:
    """Add a statistic: its rows stand in every session's ``statistics.csv`` behind those of the others.

    Parameters
    ----------
    name : str
        A name of its own.
    statistic : Statistic
        Tables of a session and the norm -> rows.

    Raises
    ------
    OptionError
        There is a statistic of that name.
    """
    _STATISTICS.add(name, statistic)


def statistic_names() -> tuple[str, ...]:
    """Return the names of all statistics, in the order of their rows."""
    return tuple(_STATISTICS)


#: What rules say of a session: tables, the norm's people, a laboratory's own rules -> rows of ``deviations.csv``.
_DEVIATIONS: Registry[str, Callable[[Tables, Sequence[NormSample], str], Iterable[Mapping[str, object]]]] = Registry(
    "judgement of patterns", {"patterns": "biomech_id.interpretation.deviations:deviation_rows"}
)


def with_deviations(tables: Tables, people: Sequence[NormSample], patterns: str = "") -> Tables:
    """Return a session with its ``deviations.csv``: every rule of gait patterns that is met.

    Parameters
    ----------
    tables : Tables
        Tables of the session, with its means.
    people : Sequence[NormSample]
        Who is in the norm, as made for this person.
    patterns : str, optional
        File of a laboratory's own rules; empty for those that are shipped.
    """
    rows = [row for judge in _DEVIATIONS.values() for row in judge(tables, people, patterns)]
    return tables.with_others(deviations=tidy_table("deviations", rows))


def with_statistics(tables: Tables, norm: pd.DataFrame) -> Tables:
    """Return a session with its ``statistics.csv``: the rows of every statistic.

    Parameters
    ----------
    tables : Tables
        Tables of the session, with its means.
    norm : pd.DataFrame
        What it is compared with.
    """
    rows = [row for statistic in _STATISTICS.values() for row in statistic(tables, norm)]
    return tables.with_others(statistics=tidy_table("statistics", rows))
