"""What bands cost: a child's session analysed with and without them, to the tables, in seconds of processor time.

Needs the recordings beside the project. The limit is 60 % on top of the analysis as it was before bands were given to every number
(commit 8730afa, 0.24 s a session for this child, without its bands); measured in turns, after one round that is not counted.
"""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[2] / "shared"))
REPEATS = 7
#: Seconds of the analysis of the same session at commit 8730afa, and the part of it that bands may take.
BEFORE_S, LIMIT = 0.24, 0.6


def session_s(folder: Path, model: str, *, bands: bool) -> float:
    """Processor seconds of this process for analysing a session and making its tables; files are read by another process."""
    from biomech_id import analyse

    started = time.process_time()
    analyse(folder, model=model, uncertainty=bands).computed.tables()
    return time.process_time() - started


def main() -> int:
    """Print medians with and without bands for both models; 1 if the conventional model's bands take more than the limit."""
    children = sorted((SHARED / "c3d" / "children").glob("HC030A"))
    if not children:
        print(f"skipped: no recordings in {SHARED}")
        return 1
    (folder,) = children
    limit_s = LIMIT * BEFORE_S
    print(f"bands of {folder.name}, two walks, processor seconds, median of {REPEATS}; limit {limit_s:.2f} s")
    missed = False
    for model in ("conventional", "six-dof"):
        rounds = [[session_s(folder, model, bands=bands) for bands in (False, True)] for _ in range(REPEATS + 1)][1:]
        without, with_bands = (statistics.median(column) for column in zip(*rounds, strict=True))
        extra = statistics.median(after - before for before, after in rounds)
        missed |= extra > limit_s
        verdict = "ok" if extra <= limit_s else "MISSED"
        print(f"  {model:14} without {without:5.2f}   with {with_bands:5.2f}   bands {extra:5.2f}   {verdict}")
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
