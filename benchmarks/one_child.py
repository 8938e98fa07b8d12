"""One child, as a laboratory runs it: the whole process, its parts after the imports, and the command's own start-up.

Needs the recordings beside the project. Limits of the product: 8 s for the whole process with all twelve pages, 1 s for reading,
model, dynamics and tables after the imports, 0.3 s for ``--help``; medians on two cores.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[2] / "shared"))
COMMAND = [sys.executable, "-c", "from biomech_id.cli import main; main()"]
REPEATS = 5

IN_PROCESS = """
import sys, time
from pathlib import Path
import matplotlib.figure, pandas, scipy.interpolate, ezc3d
from biomech_id.request.job import Job
from biomech_id.pipeline.analyse import analyse_job
from biomech_id.session.folder.read_write import write_folder
folder, out = map(Path, sys.argv[1:])
analyse_job(Job((folder,)))
started = time.perf_counter()
session = analyse_job(Job((folder,)))
tables = session.tables()
write_folder(tables, out)
print(time.perf_counter() - started)
"""


def whole_process_s(folder: Path) -> float:
    """Seconds of one ``biomech-id run`` with every page, from start to exit."""
    with tempfile.TemporaryDirectory() as out:
        started = time.perf_counter()
        subprocess.run([*COMMAND, "run", str(folder), "-o", f"{out}/results", "--warnings-ok"], check=True, capture_output=True)
        return time.perf_counter() - started


def in_process_s(folder: Path) -> float:
    """Seconds for reading (in a child process), calibrating, analysing and writing the tables, everything imported before."""
    with tempfile.TemporaryDirectory() as out:
        words = [sys.executable, "-c", IN_PROCESS, str(folder), f"{out}/results"]
        return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def help_s() -> float:
    """Seconds of ``biomech-id --help``."""
    started = time.perf_counter()
    subprocess.run([*COMMAND, "--help"], check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> int:
    """Print medians beside the product's limits; 1 if one is missed."""
    children = sorted((SHARED / "c3d" / "children").glob("*"))
    if not children:
        print(f"skipped: no recordings in {SHARED}")
        return 1
    folder = children[0]
    rows = (
        ("whole process, every page", lambda: whole_process_s(folder), 8.0),
        ("read, model, dynamics, tables", lambda: in_process_s(folder), 1.0),
        ("--help", help_s, 0.3),
    )
    print(f"one child ({folder.name}), median of {REPEATS}")
    missed = 0
    for name, measure, limit in rows:
        median = statistics.median(measure() for _ in range(REPEATS))
        missed += median > limit
        print(f"  {name:32} {median:6.2f} s   limit {limit:g} s   {'ok' if median <= limit else 'MISSED'}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
