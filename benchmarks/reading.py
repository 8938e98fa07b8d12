"""Reading C3D files: ours with plates against ezc3d's plain read without them, and the doctor over a folder of recordings.

Runs alternate between the two readers in one process, the order changing every time; what is compared are medians per file. Before
any timing the positions of both are checked to be equal. Needs the recordings beside the project (BIOMECH_ID_SHARED).
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
RECORDINGS = Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared")) / "c3d"
FOLDERS = ("children", "opensim")
RUNS = 9
LARGEST_RATIO = 1.25
LONGEST_CHECK_S = 30.0


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def compare(path: Path) -> tuple[float, float]:
    """Median seconds of our read with plates and of ezc3d's plain read, the runs interleaved."""
    import ezc3d

    from biomech_id.readers import read_c3d
    from biomech_id.readers.c3d.file import open_c3d
    from biomech_id.readers.source import read_source

    positions, measured = open_c3d(read_source(path)).points()
    theirs = ezc3d.c3d(str(path))["data"]["points"][:3].transpose(2, 1, 0)
    assert np.array_equal(np.where(measured[..., None], positions, np.nan), theirs, equal_nan=True), path
    works = {"ours": lambda: read_c3d(path, trust=True), "ezc3d": lambda: ezc3d.c3d(str(path))}
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for run in range(RUNS):
        for name in sorted(works, reverse=run % 2 == 0):
            seconds[name].append(timed(works[name]))
    return statistics.median(seconds["ours"]), statistics.median(seconds["ezc3d"])


def main() -> int:
    if not RECORDINGS.is_dir():
        print(f"reading: no recordings in {RECORDINGS}; nothing measured")
        return 0
    from biomech_id.judgement.check import iter_check

    print("reading with plates, ours (trust=True) against ezc3d's plain read: ms, ms, ratio")
    worst = 0.0
    for path in sorted(p for folder in FOLDERS for p in (RECORDINGS / folder).rglob("*.c3d")):
        ours, theirs = compare(path)
        worst = max(worst, ours / theirs)
        print(f"  {path.relative_to(RECORDINGS)!s:32} {1e3 * ours:6.1f} {1e3 * theirs:6.1f} {ours / theirs:6.2f}")
    seconds = timed(lambda: [report.to_json() for report in iter_check([RECORDINGS])])
    files = sum(path.suffix.lower() == ".c3d" for path in RECORDINGS.rglob("*"))
    print(
        f"  worst ratio {worst:.2f} (at most {LARGEST_RATIO}); check of {files} files {seconds:.1f} s (at most {LONGEST_CHECK_S:g})"
    )
    return int(worst > LARGEST_RATIO or seconds > LONGEST_CHECK_S)


if __name__ == "__main__":
    sys.exit(main())
