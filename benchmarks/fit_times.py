"""A model fitted to a person: processor seconds of a static trial and two walks, on one core, beside the most that is allowed.

Synthetic recordings of gait2392, and Rajagopal's recorded static trial and walk, the walk twice. The fastest of a few rounds
counts. It needs the reference folders beside the project (``BIOMECH_ID_SHARED``); without them it says so and is not run.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"

import biomech_id as bid  # noqa: E402
from biomech_id.osim.document.model import read_marker_set, read_osim  # noqa: E402
from biomech_id.osim.scaling import with_model_markers  # noqa: E402

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[2] / "shared"))
#: Case -> folder, model, markers of a file of their own, recordings, and the most processor seconds.
CASES = {
    "gait2392": ("fit/gait2392_101", "model.osim", "", ("static.trc", "walk1.trc", "walk2.trc"), 4.0),
    "Rajagopal": (
        "rajagopal_walk", "Rajagopal2016.osim", "markerset_walk_preScale.xml",
        ("static_walk_1.trc", "motion_capture_walk.trc", "motion_capture_walk.trc"), 10.0,
    ),
}  # fmt: skip
ROUNDS = 3


def fit_s(folder: Path, model_file: str, markers: str, recordings: tuple[str, ...]) -> tuple[float, list[int]]:
    """Processor seconds from the files to the fitted model in the fastest round, and frames of the recordings."""
    took = []
    for _ in range(ROUNDS):
        start = time.process_time()
        model = read_osim(folder / model_file)
        model = with_model_markers(model, read_marker_set(folder / markers)) if markers else model
        trials = [replace(bid.read(folder / name), name=f"trial{k}") for k, name in enumerate(recordings)]
        bid.fit(model, trials)
        took.append(time.process_time() - start)
    return min(took), [trial.markers.n_frames for trial in trials]


def main() -> int:
    """Time all cases and say whether each is within its gate."""
    if not (SHARED / "opensim_refs").is_dir():
        print(f"no recordings in {SHARED}; not run")
        return 1
    late = 0
    for name, (folder, model, markers, recordings, most_s) in CASES.items():
        own_s, frames = fit_s(SHARED / "opensim_refs" / folder, model, markers, recordings)
        late += own_s > most_s
        print(f"  {name:12} {frames} frames {own_s:6.1f} s (gate {most_s:g}) {'' if own_s <= most_s else 'NOT MET'}")
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
