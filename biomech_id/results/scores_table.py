"""``scores.csv``: gait variable and profile scores of each side, from the mean of its used cycles, one condition at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from biomech_id.results.session import TrialResult


def score_rows(trials: Sequence[TrialResult], norm: pd.DataFrame | None) -> list[Mapping[str, Any]]:
    """Return rows of ``scores.csv``; none without a norm."""
    return []
