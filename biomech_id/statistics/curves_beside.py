"""Two sessions beside each other, curve by curve, as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from biomech_id.arguments import a, takes
from biomech_id.errors import MissingInputError
from biomech_id.session.session import Session
from biomech_id.session.tables.means import averaged_cycles

#: What tells curves apart.
_CURVE = ("side", "variable", "component")
_SESSION = a(Session, "analyse(folder) and read_folder(folder) return one")


@takes("compare", first=_SESSION, second=_SESSION)
def compare_sessions(first: Session, second: Session) -> pd.DataFrame:
    """Set the mean curves of two sessions beside each other.

    Parameters
    ----------
    first, second : Session
        What is compared, and with what; means are over the cycles of straight walks that are used, of all conditions.

    Returns
    -------
    pd.DataFrame
        ``side variable component percent first second difference sd_first sd_second n_first n_second``, 101 rows a curve that
        both have. ``difference`` is the second mean minus the first, in the unit of ``cycles``; standard deviations are between
        cycles.

    Raises
    ------
    MissingInputError
        They have no curve in common.
    """
    means = [_means(session) for session in (first, second)]
    both = means[0].merge(means[1], on=[*_CURVE, "percent"], suffixes=("_first", "_second"))
    if both.empty:
        raise MissingInputError(
            "The first and the second session of compare have no curve in common.",
            value=[len(each) for each in means], expected="two sessions with used cycles", where="compare",
        )  # fmt: skip
    both = both.rename(columns={"mean_first": "first", "mean_second": "second"})
    both["difference"] = both["second"] - both["first"]
    return both[[*_CURVE, "percent", "first", "second", "difference", "sd_first", "sd_second", "n_first", "n_second"]]


def _means(session: Session) -> pd.DataFrame:
    used = averaged_cycles(session.tables())[["trial", "side", "cycle"]]
    rows = session.cycles.merge(used, on=["trial", "side", "cycle"])
    value = rows["value"].groupby([rows[name] for name in (*_CURVE, "percent")], sort=False)
    table = pd.DataFrame({"mean": value.mean(), "sd": value.std(), "n": value.count()})
    known: pd.DataFrame = table[np.isfinite(table["mean"])].reset_index()
    return known
