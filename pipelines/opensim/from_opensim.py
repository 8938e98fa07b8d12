"""From an OpenSim user's folder to joint moments: markers (.trc), forces (.mot), ExternalLoads (.xml) and a subject.toml.

    python from_opensim.py FOLDER

The folder holds ``static.trc`` and a ``.trc`` for each walk, each with the ExternalLoads file that begins with its name. Feet are
those the ExternalLoads name. In a shell: ``biomech-id run FOLDER -o OUT``, with every table and the report.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import biomech_id as bid


def main(arguments: list[str] | None = None) -> None:
    """Analyse and print the largest internal moments."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("folder", type=Path)
    asked = options.parse_args(arguments)
    session = bid.analyse(asked.folder, report=False)
    for trial in session.trials:
        for (side, joint), load in (trial.loads or {}).items():
            moment_Nm = np.linalg.norm(load.wrench.moment_Nm, axis=1)
            if np.isfinite(moment_Nm).any():
                print(f"{trial.name}: {side} {joint} up to {np.nanmax(moment_Nm):.1f} N m")


if __name__ == "__main__":
    main()
