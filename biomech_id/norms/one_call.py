"""A norm of sessions in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from biomech_id.arguments import Kind, a_str, takes
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.session.session import Session


def _all_sessions(value: Any) -> bool:
    several = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return bool(several) and all(isinstance(each, Session) for each in several)


@takes(
    sessions=Kind("Sessions, or a sequence of Session, as its", _all_sessions, hint="analyse(folder) returns one"), source=a_str()
)
def norm(sessions: Mapping[str, Session] | Iterable[Session], source: str = "own sessions", **choices: Any) -> pd.DataFrame:
    """Make a norm: mean and standard deviation of what people do, curve by curve and number by number.

    Parameters
    ----------
    sessions : Mapping[str, Session] | Iterable[Session]
        What `analyse_many` or several `analyse` returned.
    source : str, optional
        Who made the norm, from what.
    choices : Any
        ``condition``, ``ages``, ``without``, ``movement`` ... of `norms.from_sessions.norm_from_sessions`.

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
    return norm_from_sessions((session.tables() for session in several), source=source, **choices)
