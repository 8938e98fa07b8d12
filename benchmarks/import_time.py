"""How long ``import biomech_id`` takes beside ``import numpy``: the gate is one and a half times as long.

Each import in a fresh interpreter, in turns, the interpreter's own start taken away; the least of many is what the import costs.
"""

from __future__ import annotations

import subprocess
import sys
import time

GATE = 1.5
TURNS = 15
#: What is timed; the first is what all of them begin with.
LINES = {"nothing": "pass", "numpy": "import numpy", "biomech_id": "import biomech_id"}


def seconds(line: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", line], check=True)
    return time.perf_counter() - started


def least(turns: int = TURNS) -> dict[str, float]:
    """The least time of each import, seconds; the first turn warms the caches and does not count."""
    timed = [{name: seconds(line) for name, line in LINES.items()} for _ in range(turns + 1)][1:]
    return {name: min(each[name] for each in timed) for name in LINES}


def main() -> int:
    found = least()
    numpy_s, ours_s = (found[name] - found["nothing"] for name in ("numpy", "biomech_id"))
    print(
        f"import numpy {1e3 * numpy_s:.0f} ms, import biomech_id {1e3 * ours_s:.0f} ms: {ours_s / numpy_s:.2f} times (gate {GATE})"
    )
    return int(ours_s > GATE * numpy_s)
