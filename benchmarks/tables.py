"""Tables of one session: built, written and read back; and the CSV text against pandas' own, byte for byte.

Claims: building and writing the tables of the virtual subject's session takes less than a quarter of a second a trial (half a
second for a child's two walks), and our CSV text less time than `pandas.DataFrame.to_csv` with the same float format. Best of
several interleaved runs, on whatever machine this is.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from biomech_id.pipeline.analyse import analyse
from biomech_id.session.folder.read_write import read_tables, write_folder
from biomech_id.session.tables.csv_text import FLOAT_FORMAT, csv_text

DATA = Path(__file__).resolve().parents[1] / "data"
REPEATS = 5
LONGEST_S_PER_TRIAL = 0.25


def best_s(*works: Callable[[], object]) -> list[float]:
    """Best time of each piece of work, run in turn."""
    times = [[] for _ in works]
    for _ in range(REPEATS):
        for work, found in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            found.append(time.perf_counter() - start)
    return [min(found) for found in times]


def main() -> int:
    """Print the times; return 1 if a claim does not hold."""
    session = analyse(DATA)
    tables = session.tables()
    walks = len(session.movements)
    every = [*tables.frames.values(), tables.cycles, tables.budget, tables.peaks]

    def ours() -> list[str]:
        return [csv_text(table) for table in every]

    def pandas_own() -> list[str]:
        return [table.to_csv(index=False, float_format=FLOAT_FORMAT, lineterminator="\n") for table in every]

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        # A trial keeps its frames and curves once built: fresh values every time, or nothing would be measured.
        build_s, write_s, read_s = best_s(
            lambda: replace(session, movements=tuple(replace(trial) for trial in session.movements)).tables(),
            lambda: write_folder(tables, out),
            lambda: read_tables(out),
        )
    ours_s, pandas_s = best_s(ours, pandas_own)
    same = ours() == pandas_own()
    print(f"{walks} trials, {len(tables.cycles)} rows of cycles, {len(tables.budget)} of budget")
    print(f"build {1e3 * build_s:.0f} ms, write {1e3 * write_s:.0f} ms, read {1e3 * read_s:.0f} ms")
    print(f"CSV text {1e3 * ours_s:.0f} ms, pandas {1e3 * pandas_s:.0f} ms: {pandas_s / ours_s:.2f} times; same bytes: {same}")
    return 0 if same and ours_s < pandas_s and build_s + write_s < walks * LONGEST_S_PER_TRIAL else 1
