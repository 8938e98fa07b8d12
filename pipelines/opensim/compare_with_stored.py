"""Our joint moments on an OpenSim folder's walk beside those OpenSim stored, and the distance between them in N m.

    python compare_with_stored.py FOLDER STORED.sto -o FIGURE.png --recipe gait10-recipe.toml --mass 72.6

FOLDER holds ``static.trc`` and ``walk.trc`` with the walk's ExternalLoads; STORED is what OpenSim's InverseDynamicsTool wrote.
The two differ by more than rounding: our hip centre is a regression, our legs move freely in all directions, and the masses are a
table's.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from biomech_id.exports.opensim.folder import session_model
from biomech_id.exports.opensim.motion import model_motion
from biomech_id.pipeline.analyse import analyse_job
from biomech_id.readers.opensim.storage import StorageTable, read_storage
from biomech_id.request.job import Job
from biomech_id.request.recipe import read_recipe

JOINTS = ("hip_flexion", "knee_angle", "ankle_angle")
SIDES = {"r": "#c03030", "l": "#3050c0"}  # as OpenSim's coordinate names end


def main() -> None:
    """Analyse, compare, draw."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("stored", type=Path)
    options.add_argument("-o", "--out", type=Path, required=True)
    options.add_argument("--recipe", type=Path, required=True)
    options.add_argument("--mass", type=float, required=True)
    asked = options.parse_args()
    recipe = read_recipe(asked.recipe).replaced(report=False, budget=False)
    session = analyse_job(Job((asked.folder,), recipe=recipe, mass_kg=asked.mass))
    trial = session.trials[0]
    # gait10dof18musc counts knee extension positive
    model = session_model(session, knee="extension")
    ours = model_motion(model, trial.motion, trial.loads).joint_forces()
    draw(ours, read_storage(asked.stored), asked.out)


def distance_Nm(ours: StorageTable, stored: StorageTable, column: str) -> tuple[float, float, float]:
    """Root mean square difference where ours is known, the stored curve's range there, and the correlation."""
    theirs = np.interp(ours.time_s, stored.time_s, stored[column])
    known = np.isfinite(ours[column])
    difference = ours[column][known] - theirs[known]
    correlation = float(np.corrcoef(ours[column][known], theirs[known])[0, 1])
    return float(np.sqrt(np.mean(difference**2))), float(np.ptp(theirs[known])), correlation


def draw(ours: StorageTable, stored: StorageTable, out: Path) -> None:
    """Draw three joints over two sides, ours and the stored moments, with the distance in each panel's title."""
    figure = Figure(figsize=(10, 8), layout="constrained")
    axes = figure.subplots(3, 2, sharex=True, sharey="row")
    for row, joint in zip(axes, JOINTS, strict=True):
        for axis, (side, colour) in zip(row, SIDES.items(), strict=True):
            column = f"{joint}_{side}_moment"
            apart, size, correlation = distance_Nm(ours, stored, column)
            axis.plot(stored.time_s, stored[column], color="0.5", label="OpenSim, stored")
            axis.plot(ours.time_s, ours[column], color=colour, label="biomech-id")
            axis.axhline(0.0, color="0.8", linewidth=0.5)
            axis.set_title(f"{column}: RMS difference {apart:.1f} of {size:.0f} N m, r = {correlation:.3f}", fontsize=9)
            axis.set_ylabel("N m")
            print(f"{column}: {apart:.1f} N m of {size:.0f} N m, r = {correlation:.3f}")
    axes[0, 0].legend(fontsize=8)
    for axis in axes[-1]:
        axis.set_xlabel("time, s")
    figure.savefig(out, dpi=110)


if __name__ == "__main__":
    main()
