"""What the sentinel of plates costs: the steps of a child's session, their fit and what is said of it, in processor time.

Needs the recordings beside the project. The parts are timed inside of whole analyses without bands, after one that is not counted.
The limit is a twentieth of the session's analysis: nobody should have a reason to switch it off.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

from biomech_id.pipeline.stage import assemble, judgement, measure

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[2] / "shared"))
REPEATS = 7
LIMIT = 0.05
#: The sentinel's functions, where the pipeline calls them.
PARTS = {
    "with_plate_steps": measure, "tell_plates": judgement, "plate_findings": judgement, "with_plate_places": judgement,
    "plates_summary": assemble,
}  # fmt: skip


def timed(function: Callable[..., Any], name: str, spent_s: dict[str, float]) -> Callable[..., Any]:
    """The same function, its processor time added up; what it yields is taken within it."""

    def run(*given: object) -> object:
        started = time.process_time()
        found = function(*given)
        found = list(found) if name == "plate_findings" else found
        spent_s[name] += time.process_time() - started
        return found

    return run


def session_s(folder: Path) -> tuple[float, dict[str, float]]:
    """Processor seconds of a session's analysis, and of each of the sentinel's parts in it."""
    from biomech_id import analyse

    spent_s = dict.fromkeys(PARTS, 0.0)
    with ExitStack() as patched:
        for name, module in PARTS.items():
            patched.enter_context(mock.patch.object(module, name, timed(getattr(module, name), name, spent_s)))
        started = time.process_time()
        assert analyse(folder, uncertainty=False, budget=False).computed.trials
        return time.process_time() - started, spent_s


def main() -> int:
    """Print the medians; 1 if the sentinel takes more than its share, or there are no recordings."""
    folders = [SHARED / "c3d" / "children" / "HC030A", SHARED / "c3d" / "norm_subjects" / "NP1010"]
    if not all(folder.is_dir() for folder in folders):
        print(f"skipped: no recordings in {SHARED}")
        return 1
    missed = False
    for folder in folders:
        rounds = [session_s(folder) for _ in range(REPEATS + 1)][1:]
        whole_s = statistics.median(whole for whole, _ in rounds)
        parts_s = {name: statistics.median(spent[name] for _, spent in rounds) for name in PARTS}
        share = sum(parts_s.values()) / whole_s
        missed |= share > LIMIT
        listed = ", ".join(f"{name} {1e3 * value:.1f}" for name, value in parts_s.items())
        verdict = "ok" if share <= LIMIT else "MISSED"
        print(f"{folder.name}: analysis {1e3 * whole_s:.0f} ms, sentinel {1e3 * sum(parts_s.values()):.1f} ms ({listed}), ", end="")
        print(f"{100 * share:.1f} % (limit {100 * LIMIT:.0f}), {verdict}")
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
