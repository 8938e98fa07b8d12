"""The likely causes of walks as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from biomech_id.judgement.diagnosis.diagnosis import Diagnosis, Found

#: Columns of ``diagnosis.csv``.
_COLUMNS = ("trial", "rank", "cause", "class", "size", "sd", "unit", "evidence", "alike", "moves", "look", "warns")


def diagnosis_table(walks: Iterable[Diagnosis]) -> pd.DataFrame:
    """Return one row for each likely cause of each walk, the likeliest first.

    Parameters
    ----------
    walks : Iterable[Diagnosis]
        Of one subject.
    """
    rows = [_row(walk, rank, likely) for walk in walks for rank, likely in enumerate(walk.likely, start=1)]
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _row(walk: Diagnosis, rank: int, likely: Found) -> dict[str, Any]:
    moves = "; ".join(f"{curve} {size:.3g}" for curve, size in likely.moves.items())
    return {
        "trial": walk.name, "rank": rank, "cause": likely.cause, "class": likely.group, "size": likely.size, "sd": likely.sd,
        "unit": likely.unit, "evidence": likely.evidence, "alike": "; ".join(likely.alike), "moves": moves, "look": likely.look,
        "warns": str(likely.warns).lower(),
    }  # fmt: skip
