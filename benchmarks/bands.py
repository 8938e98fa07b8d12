"""What bands cost: a child's session analysed with and without them, to the tables, in seconds of processor time.

Needs the recordings beside the project. The limit is 60 % of the analysis of the same session at commit 8730afa without its bands.
With ``BIOMECH_ID_BEFORE`` naming a checkout of that commit it is measured in the same rounds, in a process of its own, so that a
busy machine is busy for both; else the limit is that of an idle one. Before, after, with and without take turns; the first round is
not counted.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from biomech_id.pipeline.threads import VARIABLES

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[2] / "shared"))
BEFORE = os.environ.get("BIOMECH_ID_BEFORE", "")
REPEATS = 7
#: Seconds of the analysis of the same session at commit 8730afa on an idle machine, and the part of it that bands may take.
BEFORE_S, LIMIT = 0.24, 0.6
#: The same session at the other commit, once for every line it is sent.
_OTHER = """
import sys, time
from biomech_id import analyse
for line in sys.stdin:
    folder, model, bands = line.rstrip().split("|")
    started = time.process_time()
    analyse(folder, model=model, uncertainty=bands == "True").tables()
    print(time.process_time() - started, flush=True)
"""


def session_s(folder: Path, model: str, *, bands: bool) -> float:
    """Processor seconds of this process for analysing a session and making its tables; files are read by another process."""
    from biomech_id import analyse

    started = time.process_time()
    analyse(folder, model=model, uncertainty=bands).computed.tables()
    return time.process_time() - started


class Before:
    """The other commit at work; without a checkout of it, what it took on an idle machine."""

    def __init__(self) -> None:
        self.process = None
        if BEFORE:
            environment = os.environ | {"PYTHONPATH": BEFORE}
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
            self.process = subprocess.Popen([sys.executable, "-c", _OTHER], cwd=BEFORE, env=environment, **pipes)

    def session_s(self, folder: Path, model: str, *, bands: bool) -> float:
        """Processor seconds of the same session, to the tables."""
        if self.process is None:
            return float("nan") if bands else BEFORE_S
        print(folder, model, bands, sep="|", file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())


def main() -> int:
    """Print medians with and without bands for both models; 1 if the conventional model's bands take more than the limit."""
    children = sorted((SHARED / "c3d" / "children").glob("HC030A"))
    if not children:
        print(f"skipped: no recordings in {SHARED}")
        return 1
    (folder,) = children
    for name in VARIABLES:  # as every process of the command line: a pool of threads that waits costs processor time
        os.environ[name] = "1"
    before, missed = Before(), False
    print(f"bands of {folder.name}, two walks, processor seconds, median of {REPEATS}; limit {LIMIT:.0%} of 'before'")
    for model in ("conventional", "six-dof"):
        rounds = []
        for _ in range(REPEATS + 1):
            others = [before.session_s(folder, model, bands=bands) for bands in (False, True)]
            rounds.append((*others, *(session_s(folder, model, bands=bands) for bands in (False, True))))
        old, old_with, without, with_bands = (statistics.median(column) for column in zip(*rounds[1:], strict=True))
        extra = statistics.median(each[3] - each[2] for each in rounds[1:])
        if model == "conventional":
            missed = extra > LIMIT * old
        print(
            f"  {model:14} before {old:5.2f} (with its bands {old_with:5.2f})   without {without:5.2f}   with {with_bands:5.2f}   "
            f"bands {extra:5.2f} = {extra / old:4.0%} of before, {extra / without:4.0%} of without   "
            f"{'ok' if extra <= LIMIT * old else 'MISSED'}"
        )
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
