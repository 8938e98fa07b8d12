"""``verdicts.csv`` of a study: what became of every subject's folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from biomech_id.results.tables.csv_text import write_csv

#: One row per subject:
#: folder, "done" | "warnings" | "failed", number of trials analysed, and what was complained about.
VERDICT_COLUMNS = ("subject", "verdict", "trials", "sentence")


def write_verdicts(rows: Sequence[tuple[str, str, int, str]], out: Path) -> Path:
    """Write ``verdicts.csv`` into the folder of a study's results, whole or not at all, and return its path.

    Parameters
    ----------
    rows : Sequence[tuple[str, str, int, str]]
        One for each subject.
    out : Path
        Folder of the results.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    path = out / "verdicts.csv"
    write_csv(pd.DataFrame(list(rows), columns=list(VERDICT_COLUMNS)), path)
    return path
