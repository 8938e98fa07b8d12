"""A batch of 40 virtual subjects on two workers, to the tables, beside the same at commit 8730afa: it keeps 60 % of its speed.

``BIOMECH_ID_BEFORE`` names a checkout of that commit; without one there is nothing to compare with. Speed is by processor time,
which a busy machine hardly changes; the time by the clock is printed beside it and says something on an idle machine alone. Bands
are on in both, wide ones now, those of joint loads alone then. Both take turns.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.study import BATCH

BEFORE = os.environ.get("BIOMECH_ID_BEFORE", "")
SUBJECTS, WORKERS, ROUNDS, LIMIT = 40, 2, 2, 0.6


def write_lab(root: Path) -> None:
    """Write a static trial and a walk of every subject; sizes and weights differ."""
    from biomech_id.sample import virtual_subject, write_c3d

    for number in range(SUBJECTS):
        folder = root / f"V{number:02d}"
        folder.mkdir(parents=True)
        person = virtual_subject(height_m=1.6 + 0.005 * number, mass_kg=60 + 0.5 * number, code=folder.name)
        write_c3d(person.static("static"), folder / "static.c3d")
        write_c3d(person.walk("walk01"), folder / "walk01.c3d")


def batch_s(checkout: str, lab: Path, root: Path) -> tuple[float, float]:
    """Seconds of the workers' processors and by the clock; raises where a subject fails."""
    script = root / "run.py"
    script.write_text(BATCH, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": checkout, "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory(dir=root) as out:
        words = [sys.executable, str(script), str(lab), str(Path(out) / "out"), str(WORKERS)]
        done = subprocess.run(words, cwd=root, env=environment, check=True, capture_output=True, text=True)
    told = json.loads(done.stdout)
    if told["failed"] or told["subjects"] != SUBJECTS:
        raise SystemExit(f"{told['failed']} of {told['subjects']} subjects failed at {checkout}")
    return told["cpu_s"], told["whole_s"]


def main() -> int:
    """Print medians of both; 1 if less than the limit of the speed is kept."""
    if not BEFORE:
        print("skipped: BIOMECH_ID_BEFORE names no checkout of commit 8730afa")
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        write_lab(root / "lab")
        here = str(Path(__file__).resolve().parents[1])
        rounds = [[batch_s(checkout, root / "lab", root) for checkout in (BEFORE, here)] for _ in range(ROUNDS)]
    print(f"{SUBJECTS} subjects, {WORKERS} workers, median of {ROUNDS} rounds")
    kept = []
    for which, name in enumerate(("processor", "clock")):
        before, now = (statistics.median(each[i][which] for each in rounds) for i in (0, 1))
        kept.append(statistics.median(each[0][which] / each[1][which] for each in rounds))
        print(f"  {name:9} before {before:6.1f} s   now {now:6.1f} s   speed kept {kept[-1]:4.0%}")
    print(f"  limit {LIMIT:.0%} of the speed by processor time   {'ok' if kept[0] >= LIMIT else 'MISSED'}")
    return int(kept[0] < LIMIT)


if __name__ == "__main__":
    raise SystemExit(main())
