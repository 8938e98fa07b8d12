"""Muscle signals: band-pass, envelope and intervals of 16 channels of 5 s at 1500 Hz, and their share of the main job.

Gates: under 0.2 s, and at most 15 % of a run (of the virtual subject's two walks with electrodes, tables and report included).
Pages are beside that: each sheet of them costs what any page costs.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.emg.onset import activity
from biomech_id.emg.processing import band_pass, envelope
from biomech_id.pipeline.run import run_job
from biomech_id.request.job import Job

DATA = Path(__file__).resolve().parents[1] / "data"
CHANNELS, SECONDS, RATE_HZ = 16, 5.0, 1500.0
MOST_S, MOST_SHARE = 0.2, 0.15


def least_s(work: Callable[[], object], times: int = 5) -> float:
    """Shortest processor time of several."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> int:
    raw = 1e-5 * np.random.default_rng(1).standard_normal((round(SECONDS * RATE_HZ), CHANNELS))

    def process() -> None:
        band = band_pass(raw, RATE_HZ)
        envelope(band, RATE_HZ)
        for channel in range(CHANNELS):
            activity(band[:, channel], RATE_HZ)

    process()
    alone = least_s(process)
    print(f"band-pass, envelope, intervals of {CHANNELS} channels of {SECONDS:g} s: {alone:.3f} s (gate {MOST_S} s)")
    from biomech_id.pipeline.stage import judgement

    walks = tuple(DATA / f"{name}.c3d" for name in ("static", "walk01", "walk02"))
    taken: list[float] = []

    def timed(*arguments: Any) -> Any:
        start = time.process_time()
        found = kept(*arguments)
        taken.append(time.process_time() - start)
        return found

    kept = judgement.analyse_emg
    judgement.analyse_emg = timed
    try:
        with tempfile.TemporaryDirectory() as folder:
            run_job(Job(walks), Path(folder) / "warm")
            taken.clear()
            whole = least_s(lambda: run_job(Job(walks), Path(folder) / "timed"), 3)
    finally:
        judgement.analyse_emg = kept
    share = min(taken) / whole
    print(f"finding, judging and processing in a run of two walks with eight channels: {min(taken):.2f} s of {whole:.2f} s, "
          f"{100 * share:.1f} % (gate 15 %)")  # fmt: skip
    return 0 if alone < MOST_S and share <= MOST_SHARE else 1
