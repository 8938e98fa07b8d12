"""What this version costs beside an earlier one: whole commands and public functions, in CPU time, in interleaved pairs.

``python -m benchmarks.before_after [COMMIT [LARGEST_RATIO]]``. Seven pairs of each, one right after the other, the order changing
with every pair; what counts is the median of the seven ratios. CPU time, of the process and those it starts, because other programs
on the machine disturb it least. Needs the recordings beside the project for a child's session.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.before import FIRST_VERSION, ROOT, NoHistoryError, checkout, environment, timed_program

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
PAIRS = 7
#: Later issues add work to a trial and say how much; what was there may cost this much more.
LARGEST_RATIO = 1.05
#: Work inside a process, its imports not counted: what it prints is its CPU time. Names that both versions know.
_READ = """
from biomech_id import read_c3d
def work():
    for _ in range(10):
        for path in sys.argv[1:]:
            read_c3d(path, trust=True)
"""
_SOLVE = """
import biomech_id as bid
trial, model = bid.read_c3d(sys.argv[1]), bid.conventional_model(bid.read_c3d(sys.argv[2]))
def work():
    for _ in range(100):
        motion = model.track(trial)
        bid.solve(motion, bid.assign_plates(trial, motion))
"""
_TRACK = """
import biomech_id as bid
trial, model = bid.read_c3d(sys.argv[1]), bid.six_dof_model(bid.read_c3d(sys.argv[2]))
def work():
    for _ in range(150):
        model.track(trial)
"""
_CLOCK = "import sys, time\n{}\nwork()\nstarted = time.process_time()\nwork()\nprint(time.process_time() - started)"


def command_s(source: Path, arguments: Sequence[str]) -> float:
    """CPU seconds of one command of a checkout, with all that it starts."""
    done, spent = timed_program(source, arguments)
    assert done.returncode in (0, 3), arguments
    return spent


def function_s(source: Path, code: str, arguments: Sequence[str]) -> float:
    """CPU seconds of the second call of ``work`` in a process of its own."""
    words = [sys.executable, "-P", "-c", _CLOCK.format(code), *arguments]
    done = subprocess.run(words, env=environment(source), cwd=source, check=True, capture_output=True, text=True)
    return float(done.stdout)


def works(folder: Path) -> dict[str, Callable[[Path], float]]:
    """Name -> what measures it on a checkout; results go below ``folder``."""
    data = ROOT / "data"
    walk, static = str(data / "walk01.c3d"), str(data / "static.c3d")
    tables = folder / "tables.toml"
    tables.write_text("[output]\nreport = false\n", encoding="utf-8")
    fresh = iter(range(10**6))

    def run(*arguments: str) -> Callable[[Path], float]:
        return lambda source: command_s(source, ["run", *arguments, "-o", str(folder / str(next(fresh)))])

    found: dict[str, Callable[[Path], float]] = {
        "--help": lambda source: command_s(source, ["--help"]),
        "reading, virtual subject": lambda source: function_s(source, _READ, [walk, static]),
        "track, plates and solve": lambda source: function_s(source, _SOLVE, [walk, static]),
        "track, six degrees of freedom": lambda source: function_s(source, _TRACK, [walk, static]),
        "virtual subject to tables": run(str(data), "--recipe", str(tables)),
        "virtual subject, six dof, to tables": run(str(data), "--recipe", str(tables), "--model", "six-dof"),
        "virtual subject with every page": run(str(data)),
    }
    children = sorted((SHARED / "c3d" / "children").glob("*/"))
    if children:
        recordings = sorted(map(str, children[0].glob("*.c3d")))
        found |= {
            "reading, a child": lambda source: function_s(source, _READ, recordings),
            "a child to tables": run(str(children[0]), "--recipe", str(tables)),
            "a child with every page": run(str(children[0])),
            "the doctor on the children": lambda source: command_s(source, ["check", str(children[0].parent)]),
        }
    return found


def ratios(measure: Callable[[Path], float], before: Path) -> list[float]:
    """After over before, pair by pair."""
    found = []
    for pair in range(PAIRS):
        seconds = {source: measure(source) for source in ((before, ROOT) if pair % 2 else (ROOT, before))}
        found.append(seconds[ROOT] / seconds[before])
    return found


def main(arguments: Sequence[str] = ()) -> int:
    """Print the median ratios; 1 if one is too large, 0 where there is no history to compare with."""
    commit, limit = (*arguments, *(FIRST_VERSION, str(LARGEST_RATIO))[len(arguments) :])[:2]
    try:
        with checkout(commit) as before, tempfile.TemporaryDirectory() as folder:
            print(f"CPU time, this version over {commit}: median of {PAIRS} pairs (smallest, largest); limit {limit}")
            missed = 0
            for name, measure in works(Path(folder)).items():
                found = ratios(measure, before)
                median = statistics.median(found)
                met = median <= float(limit)
                missed += not met
                spread = f"({min(found):5.3f}, {max(found):5.3f})"
                print(f"  {name:38} {median:5.3f} {spread}  {'ok' if met else 'MISSED'}")
    except NoHistoryError as error:
        print(f"not measured: {error}")
        return 0
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
