"""``verdicts.csv`` and ``left_out.csv`` of a study: what became of every subject's folder, and what of it no mean holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from biomech_id.session.tables.csv_text import write_csv
from biomech_id.session.tables.omissions import Omission
from biomech_id.session.tables.session_tables import tidy_table

#: One row per subject: folder, "done" | "warnings" | "failed", number of trials analysed, and what was complained about.
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


def write_left_out(left_out: Iterable[Omission], out: Path) -> Path:
    """Write ``left_out.csv`` into the folder of a study's results, whole or not at all, and return its path.

    Parameters
    ----------
    left_out : Iterable[Omission]
        Every subject, trial and cycle that no mean holds, or no mean of kinetics.
    out : Path
        Folder of the results.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    path = out / "left_out.csv"
    write_csv(tidy_table("left_out", [row for each in left_out for row in each.rows()]), path)
    return path
