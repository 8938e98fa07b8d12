"""Six conditions of the virtual subject drawn over one another: the whole comparison, a process of its own, medians over rounds.

``python -m benchmarks compare`` prints CPU and wall seconds from before matplotlib is imported to the closed file.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import biomech_id as bid
from biomech_id.session.folder.read_write import write_folder

ROUNDS, GATE_S = 3, 8.0
DRAW = """
import sys, time
from pathlib import Path
from biomech_id.session.folder.read_write import read_tables
tables = [read_tables(Path(out)) for out in sys.argv[2:]]
wall, cpu = time.perf_counter(), time.process_time()
from biomech_id.report import compare_report
compare_report(tables, sys.argv[1])
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def main() -> int:
    """Analyse the virtual subject once, draw it six times over, and print how long that takes."""
    root = Path(__file__).resolve().parents[1]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        write_folder(bid.analyse(root / "data").tables(), out)
        words = [sys.executable, "-c", DRAW, str(Path(folder) / "six.pdf"), *[str(out)] * 6]
        rounds = [[float(x) for x in subprocess.check_output(words, text=True).split()] for _ in range(ROUNDS)]
    wall, cpu = (statistics.median(each) for each in zip(*rounds, strict=True))
    # Processor time: what else runs on the machine is not the comparison's.
    print(f"compare, six conditions: {cpu:.1f} s CPU (gate {GATE_S:g} s), {wall:.1f} s wall")
    return 0 if cpu < GATE_S else 1


if __name__ == "__main__":
    sys.exit(main())
