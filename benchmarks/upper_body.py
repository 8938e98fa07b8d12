"""What the upper body adds to the analysis of a trial: CPU seconds with and without its markers, in pairs.

Needs the recordings beside the project. One trial goes from its markers to joint loads, its table at the video rate and its curves;
once as recorded, once with every marker above the pelvis taken off. Gate: at most 40 % more in the default mode, median of pairs.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

from biomech_id.models.conventional.model import conventional_model
from biomech_id.models.landmarks import with_roles
from biomech_id.models.model import CalibratedModel
from biomech_id.pipeline.one_trial import cut_and_grade, solve_trial
from biomech_id.readers import read_c3d
from biomech_id.request.recipe import Recipe
from biomech_id.session.trial_tables import curves, frames, peaks, trial_budget
from biomech_id.trial import Markers, Trial

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[2] / "shared"))
MOST, PAIRS = 0.40, 9
ABOVE = ("clavicle", "sternum", "c7", "t10", "head_front", "head_back", "shoulder", "lateral_elbow", "wrist_radial", "wrist_ulnar",
         "finger")  # fmt: skip


def without_upper_body(trial: Trial) -> Trial:
    """The trial as if nobody had worn markers above the pelvis."""
    markers = with_roles(trial.markers)
    off = {label for (_, role), label in markers.roles.items() if role in ABOVE}
    kept = [i for i, name in enumerate(markers.names) if name not in off]
    names = tuple(markers.names[i] for i in kept)
    return replace(trial, markers=Markers(names, markers.position_m[:, kept], markers.rate_hz))


def cpu_s(trial: Trial, model: CalibratedModel, recipe: Recipe) -> float:
    """CPU seconds from the recording's values to its tables."""
    started = time.process_time()
    result = cut_and_grade(solve_trial(trial, model, model.subject, recipe), model, None, {})
    _ = [table(result) for table in (frames, curves, trial_budget, peaks)]
    return time.process_time() - started


def main() -> int:
    """Print the pairs of each kinetics mode beside the gate; 1 if one is missed."""
    folders = sorted((SHARED / "c3d" / "children").glob("*"))
    if not folders:
        print(f"skipped: no recordings in {SHARED}")
        return 1
    static, walk = (read_c3d(path, trust=True) for path in sorted(folders[0].glob("*.c3d"))[:2])
    missed = False
    for kinetics in ("textbook", "vicon"):
        recipe = Recipe().replaced(kinetics=kinetics)
        cases = [(walk, conventional_model(static)), (without_upper_body(walk), conventional_model(without_upper_body(static)))]
        pairs = [tuple(cpu_s(*case, recipe) for case in cases) for _ in range(PAIRS + 1)][1:]
        added = statistics.median(whole / legs - 1 for whole, legs in pairs)
        times = ", ".join(f"{statistics.median(column):.3f} s" for column in zip(*pairs, strict=True))
        print(f"{kinetics:9} with and without: {times}; added {100 * added:.0f} % (at most {100 * MOST:.0f} %)")
        # Vicon kinetics smooth every path on their own, as the software does that they reproduce: told, not gated.
        missed |= added > MOST and kinetics == "textbook"
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
