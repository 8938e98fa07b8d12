"""From a session's C3D files to OpenSim's own answer: hand over, then run OpenSim's inverse dynamics on every walk.

    python to_opensim.py SUBJECT_DIR -o OUT

Without the ``opensim`` package (``pip install opensim``) the files are written and nothing is run; ``opensim-cmd run-tool
WALK_id_setup.xml`` does the same. In a shell: ``biomech-id opensim SUBJECT_DIR -o OUT``.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
from pathlib import Path

from biomech_id.exports.opensim.check import check_folder
from biomech_id.pipeline.opensim import hand_over
from biomech_id.request.job import Job


def main(arguments: list[str] | None = None) -> None:
    """Hand over, check, and let OpenSim compute."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("subject", type=Path)
    options.add_argument("-o", "--out", type=Path, required=True)
    asked = options.parse_args(arguments)
    print(hand_over(Job((asked.subject,)), asked.out).headline)
    for finding in check_folder(asked.out):
        print(finding.where, finding.message)
    if importlib.util.find_spec("opensim") is not None:
        run_inverse_dynamics(asked.out)


def run_inverse_dynamics(folder: Path) -> None:
    """Run OpenSim's InverseDynamicsTool from every setup file; results go to ``opensim_results``."""
    import opensim

    os.chdir(folder)
    for setup in sorted(Path().glob("*_id_setup.xml")):
        opensim.InverseDynamicsTool(str(setup)).run()


if __name__ == "__main__":
    main()
