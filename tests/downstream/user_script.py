"""A researcher's script of this version: ``python user_script.py FOLDER`` prints numbers as JSON."""

import json
import sys
from pathlib import Path

import gait_lab_plugin  # noqa: F401  (its filter and its column)
import numpy as np

import biomech_id as bid


def main(folder: Path) -> None:
    """Joint loads step by step, and a session with the plug-in's filter and column."""
    model = bid.conventional_model(bid.read_c3d(folder / "static.c3d"))
    walk = bid.assign_plates(model.track(bid.read_c3d(folder / "walk01.c3d")))
    moment_Nm = bid.solve(walk)["R", "knee"].expressed_in("shank").moment_Nm
    recipe = bid.Recipe(marker_filter="always", lowpass="three in a row", report=False, uncertainty=False)
    table = bid.analyse([folder / "static.c3d", folder / "walk01.c3d"], recipe=recipe).frames("walk01").to_dataframe()
    numbers = {"knee_Nm": float(np.nanmax(np.abs(moment_Nm))), "ankle_mm": float(np.nanmax(table["RAnkleHeight"]))}
    print(json.dumps(numbers))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
