"""A norm of sessions in one call."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pandas as pd

from biomech_id.arguments import Kind, a_str, or_none, takes
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.session.session import Session
from biomech_id.session.tables.means import WALKING


def _all_sessions(value: Any) -> bool:
    several = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return bool(several) and all(isinstance(each, Session) for each in several)


@takes(
    "norm",
    sessions=Kind("Sessions, or a sequence of Session,", _all_sessions, hint="analyse(folder) returns one"),
    source=a_str(),
    condition=or_none(a_str()),
    movement=a_str(),
)
def norm_of_sessions(
    sessions: Mapping[str, Session] | Iterable[Session],
    source: str = "own sessions",
    *,
    condition: str | None = None,
    ages: tuple[float, float] | None = None,
    without: Collection[str] = (),
    movement: str = WALKING,
) -> pd.DataFrame:
    """Make a norm: mean and standard deviation of what people do, curve by curve and number by number.

    Parameters
    ----------
    sessions : Mapping[str, Session] | Iterable[Session]
        What `analyse_many` or several ``analyse`` returned.
    source : str, optional
        Who made the norm, from what.
    condition : str | None, optional
        Of the trials to take; needed when the sessions hold several.
    ages : tuple[float, float] | None, optional
        Youngest and oldest on the day of the session, years; others are left out.
    without : Collection[str], optional
        Codes of subjects who are left out.
    movement : str, optional
        A norm of straight walks, "walk", or of another movement that is averaged.

    Returns
    -------
    pd.DataFrame
        Rows of ``norm.csv``, with its contributors.

    Raises
    ------
    OptionError
        Sessions that do not go together, or without a cycle.
    """
    several = sessions.values() if isinstance(sessions, Mapping) else sessions
    tables = (session.tables() for session in several)
    chosen: dict[str, Any] = {"condition": condition, "ages": ages, "without": without, "movement": movement}
    return norm_from_sessions(tables, source=source, **chosen)
