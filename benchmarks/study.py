"""A study of many subjects: trials a minute, what a second worker gains, the parent's memory, and the same bytes whoever computes.

``python -m benchmarks study`` takes a minute; ``python benchmarks/study.py --subjects 100 --walks 9`` is the full size, a
thousand trials. Every subject has a body, a speed, a direction and plates of its own; one file in twenty is deliberately broken.
Limits, on two idle cores and without reports: 600 trials a minute of compute on two workers, parallel efficiency 0.85, 400 MB in
the parent. They hold at full size. Starting processes costs about a second each, which is most of a small study: there the same
limits hold from when every worker has had time to start, and what includes the start is printed beside them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

#: Directions of walking, each subject's walks in turn.
DIRECTIONS = ("+X", "-X", "+Y", "-Y")
#: Laboratories: two plates, plates of types 1 to 4, two plates that meet under a foot.
LAYOUTS = ("two", "types", "split")
#: One file in so many is broken.
BROKEN_ONE_IN = 20
#: Files from which on the start of the processes is part of what is limited.
FULL_SIZE = 1000
TRIALS_PER_MINUTE, EFFICIENCY, PARENT_MB = 600.0, 0.85, 400.0

BATCH = """
import json, resource, sys, time
from pathlib import Path
from biomech_id.pipeline.study.batch import run_study
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
if __name__ == "__main__":
    study, out, workers = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    ends = []
    job = Job((study,), recipe=Recipe(report=False))
    started = time.perf_counter()
    outcome = run_study(study, out, job, workers=workers, progress=lambda *_: ends.append(time.perf_counter() - started))
    whole = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    # On Linux that peak begins with what the starting process held; this one begins with this process.
    status = Path("/proc/self/status")
    peak = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM")] if status.exists() else []
    memory = int(peak[0]) / 2**10 if peak else memory
    trials = sum(verdict.trials for verdict in outcome.verdicts)
    told = {"ends_s": ends, "whole_s": whole, "cpu_s": used.ru_utime + used.ru_stime, "parent_MB": memory}
    print(json.dumps({**told, "trials": trials, "subjects": len(outcome.verdicts), "failed": len(outcome.failed)}))
"""


def write_lab(root: Path, subjects: int, walks: int) -> int:
    """Write a study of virtual subjects and return its number of files."""
    from biomech_id.sample import virtual_subject, write_c3d

    rng = np.random.default_rng(11)
    files: list[Path] = []
    for number in range(subjects):
        folder = root / f"group {number % 4}" / f"subject {number:04d}" / "session 1"
        folder.mkdir(parents=True)
        child = number % 3 == 0
        person = virtual_subject(
            body="child" if child else "adult",
            code=f"S{number:04d}",
            height_m=float(rng.uniform(1.2, 1.4) if child else rng.uniform(1.55, 1.95)),
            mass_kg=float(rng.uniform(22, 36) if child else rng.uniform(50, 105)),
            plates=LAYOUTS[number % len(LAYOUTS)],
            noise_m=2e-4,
            seed=number,
        )
        files.append(write_c3d(person.static("static"), folder / "static.c3d"))
        for walk in range(walks):
            changed = {"direction": DIRECTIONS[walk % 4], "lead": "LR"[walk % 2], "seed": 1000 * number + walk}
            speed_m_s = float(person.speed * rng.uniform(0.85, 1.1))
            trial = person.walk(f"walk{walk + 1:02d}", speed_m_s=speed_m_s, **changed)
            files.append(write_c3d(trial, folder / f"walk{walk + 1:02d}.c3d"))
    for path in rng.choice(np.array(files), len(files) // BROKEN_ONE_IN, replace=False):
        content = bytearray(path.read_bytes())
        path.write_bytes(content[: len(content) // 3] if rng.random() < 0.5 else b"\0" * 512 + content[512:])
    return len(files)


def run_batch(study: Path, out: Path, workers: int) -> dict[str, Any]:
    """Run the study in a process of its own, and return what it says of itself (a script, so that its workers can import it)."""
    script = out.with_suffix(".py")
    script.write_text(BATCH, encoding="utf-8")
    words = [sys.executable, str(script), str(study), str(out), str(workers)]
    told: dict[str, Any] = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return told


def subjects_per_s(ends_s: Sequence[float], workers: int, *, started: bool) -> float:
    """Return how many subjects are done a second, from the first on or from when every worker has started.

    Parameters
    ----------
    ends_s : when each subject was done, from the start of the study.
    workers : number of processes.
    started : leave out the first two subjects for each worker, in whose time all of them have started.
    """
    skipped = 2 * workers if started else 0
    return (len(ends_s) - skipped) / (ends_s[-1] - (ends_s[skipped - 1] if skipped else 0.0))


def contents(out: Path) -> dict[str, str]:
    """Every file below a folder with its SHA-256."""
    files = (path for path in sorted(out.rglob("*")) if path.is_file())
    return {path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def main(arguments: list[str] | None = None) -> int:
    """Print what was measured beside the limits; 1 if one is missed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--subjects", type=int, default=12)
    options.add_argument("--walks", type=int, default=4)
    asked = options.parse_args(arguments or [])
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        started = time.perf_counter()
        files = write_lab(root / "study", asked.subjects, asked.walks)
        in_bytes = sum(path.stat().st_size for path in (root / "study").rglob("*.c3d"))
        print(
            f"{asked.subjects} subjects, {files} files, {in_bytes / 2**20:.0f} MB, written in {time.perf_counter() - started:.0f} s"
        )
        one, two = (run_batch(root / "study", root / f"out{workers}", workers) for workers in (1, 2))
        equal = contents(root / "out1") == contents(root / "out2")
        out_bytes = sum(path.stat().st_size for path in (root / "out2").rglob("*") if path.is_file())
    analysed = max(two["trials"], 1)
    for workers, told in ((1, one), (2, two)):
        print(
            f"  {workers} worker(s): {told['trials']} trials of {told['subjects'] - told['failed']} subjects, "
            f"compute {told['ends_s'][-1]:.1f} s, with tables of the study {told['whole_s']:.1f} s, "
            f"{told['cpu_s'] / analysed:.3f} CPU s a trial"
        )
    print(f"  {out_bytes / analysed / 2**20:.2f} MB of results a trial, study tables included")
    gates = [
        ("parent's memory, MB", two["parent_MB"], two["parent_MB"] <= PARENT_MB, f"<= {PARENT_MB:g}"),
        ("same bytes with one and two workers", float(equal), equal, "= 1"),
    ]
    large = files >= FULL_SIZE
    for started in (False, True):
        alone, together = (subjects_per_s(told["ends_s"], n, started=started) for n, told in ((1, one), (2, two)))
        rate, efficiency = 60.0 * together * two["trials"] / two["subjects"], together / alone / 2
        when = "once started" if started else "start included"
        # The start counts where it should not matter any more, and only there.
        held = started is not large
        gates += [
            (
                f"trials a minute, {when}",
                rate,
                rate >= TRIALS_PER_MINUTE or not held,
                f">= {TRIALS_PER_MINUTE:g}" if held else "none",
            ),
            (
                f"parallel efficiency, {when}",
                efficiency,
                efficiency >= EFFICIENCY or not held,
                f">= {EFFICIENCY:g}" if held else "none",
            ),
        ]
    for name, value, met, limit in gates:
        print(f"  {name:38} {value:8.2f}   limit {limit:8} {'ok' if met else 'MISSED'}")
    return int(not all(met for _, _, met, _ in gates))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
