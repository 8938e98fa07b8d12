"""A researcher's script of version 0.1.0, as its README and its pages taught; ``python first_version_script.py FOLDER``."""

import json
import sys
from pathlib import Path

import numpy as np
from biomech_id.pipeline.batch import run_study
from biomech_id.pipeline.job import Job
from biomech_id.pipeline.recipe import Recipe

import biomech_id as bid


def main(folder: Path) -> None:
    """One trial step by step, the whole job as values, and a study."""
    trial = bid.read_c3d(str(folder / "walk01.c3d"))
    model = bid.conventional_model(bid.read_c3d(str(folder / "static.c3d")))
    motion = model.track(trial)
    assignment = bid.assign_plates(trial, motion)
    loads = bid.solve(motion, assignment)
    moment_Nm = loads["R", "knee"].expressed_in("shank").moment_Nm
    accepted = [stance.side for stance in assignment.stances if stance.verdict.accepted]
    events = bid.find_events(trial, motion)
    seen = bid.Trial("again", bid.Markers(trial.markers.names, trial.markers.position_m, trial.markers.rate_hz))
    quick = Recipe(report=False, uncertainty=False)
    result = bid.analyse([folder / "static.c3d", folder / "walk01.c3d"], recipe=quick)
    table = result.frames("walk01").to_dataframe()
    run_study(folder.parent, Path("study"), Job((folder.parent,), recipe=quick))
    written = bid.read_folder(Path("study") / folder.name)
    numbers = {
        "knee_Nm": float(np.nanmax(np.abs(moment_Nm))),
        "accepted": accepted,
        "events": len(events),
        "frames": seen.n_frames,
        "columns": "LKneeAngles.X" in table,
        "cycles": len(written.cycles),
    }
    print(json.dumps(numbers))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
