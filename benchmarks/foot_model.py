"""What the Oxford foot costs an analysis: CPU seconds of two feet, per trial of 250 frames, angles and bands together.

Measured inside `analyse` of a child's folder, by wrapping the functions that hold the model; its calibration, once a session, is
printed beside them. The median of seven analyses.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import biomech_id as bid

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[2] / "shared"))

CHILD, ROUNDS, FRAMES, MOST_S = "children/HC030A", 7, 250, 0.03
#: Where the functions are called: the model on each trial, its bands on each trial's cycles, its calibration once a session.
WRAPPED = {
    "angles": "biomech_id.pipeline.stage.trial.with_feet",
    "bands": "biomech_id.session.trial_tables.with_foot",
    "calibration": "biomech_id.pipeline.choose_model.feet_beside",
}


def wrapped(function: Callable[..., Any], spent_s: dict[str, float], name: str) -> Callable[..., Any]:
    def call(*given: Any, **named: Any) -> Any:
        start = time.process_time()
        try:
            return function(*given, **named)
        finally:
            spent_s[name] += time.process_time() - start

    return call


def seconds() -> tuple[dict[str, float], int]:
    """CPU seconds of each part in one analysis, tables included, and the frames of its trials."""
    spent_s = dict.fromkeys(WRAPPED, 0.0)
    with contextlib.ExitStack() as stack:
        for name, place in WRAPPED.items():
            module, _, function = place.rpartition(".")
            original = getattr(importlib.import_module(module), function)
            stack.enter_context(mock.patch(place, wrapped(original, spent_s, name)))
        session = bid.analyse(SHARED / "c3d" / CHILD, budget=False)
        session.tables()
    return spent_s, sum(trial.motion.n_frames for trial in session.computed.trials)


def main() -> int:
    if not SHARED.is_dir():
        print("no recordings: nothing is measured")
        return 1
    rounds = [seconds() for _ in range(ROUNDS)]
    frames = rounds[0][1]
    part = {name: statistics.median(spent[name] for spent, _ in rounds) for name in WRAPPED}
    if not all(part.values()):
        print(f"never called: {', '.join(name for name, spent in part.items() if not spent)}")
        return 1
    trial_s = (part["angles"] + part["bands"]) * FRAMES / frames
    print(f"angles and bands of two feet, {FRAMES} frames: {1e3 * trial_s:.1f} ms of CPU (at most {1e3 * MOST_S:g})")
    print(f"calibration, once a session: {1e3 * part['calibration']:.1f} ms; load of the machine {os.getloadavg()[0]:.1f}")
    return 0 if trial_s <= MOST_S else 1


if __name__ == "__main__":
    sys.exit(main())
