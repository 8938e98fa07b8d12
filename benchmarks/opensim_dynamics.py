"""Inverse dynamics of OpenSim's models beside OpenSim's own tool: whole runs, reading and writing included, CPU time of one core.

    ours     `biomech_id.osim.run.run_setup` on the setup of a filtered motion with its loads
    tool     ``opensim.InverseDynamicsTool`` on the same setup
    solving  ours without reading and writing: filter, splines, kinematics, loads, forces

Rounds are interleaved and their shortest compared; the files are compared entry by entry. Without the reference data or the opensim
wheel nothing is run.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.osim.document.model import read_osim
from biomech_id.osim.document.setups import InverseDynamicsSetup, read_setup
from biomech_id.osim.dynamics.external_loads import loads_in_pose
from biomech_id.osim.dynamics.inverse_dynamics import forces_in, skeleton_motion
from biomech_id.osim.dynamics.recorded_motion import recorded_motion
from biomech_id.osim.run import coordinates_in, outer_forces, run_setup
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.readers.opensim.storage import read_storage

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[2] / "shared"))
CASES = ("gait2392", "gait10dof18musc", "rajagopal_walk", "arm26")
SETUP = "setup_id_filtered.xml"
ROUNDS = 7
GATE = 20.0  # times the tool's speed
AGREEMENT = 1e-6


def cpu_s(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def solving(setup: InverseDynamicsSetup) -> Callable[[], object]:
    """What lies between reading and writing."""
    model = read_osim(setup.model_file, muscles=False, markers=False)
    skeleton, table = Skeleton(model), read_storage(setup.coordinates_file)
    columns = coordinates_in(table, model)
    outer = outer_forces(setup.external_loads_file) if setup.external_loads_file else ()

    def solve() -> object:
        motion = recorded_motion(
            model, table.time_s, columns, in_degrees=table.in_degrees, cutoff_hz=setup.cutoff_hz, time_range_s=setup.time_range_s
        )
        moving = skeleton_motion(skeleton, motion.q, motion.rate, motion.second, compat=True)
        return forces_in(skeleton, moving, loads_in_pose(outer, skeleton.pose_in(moving.places), motion.time_s))

    return solve


def compare(case: str, osim: object, folder: Path) -> bool:
    for file in (SHARED / "opensim_refs" / case).iterdir():
        shutil.copy(file, folder)
    setup_file = folder / SETUP
    setup = read_setup(setup_file)
    assert isinstance(setup, InverseDynamicsSetup)
    solve = solving(setup)
    ways: dict[str, Callable[[], object]] = {
        "tool": lambda: osim.InverseDynamicsTool(str(setup_file)).run(),  # type: ignore[attr-defined]
        "ours": lambda: run_setup(setup_file, folder / "ours", compat=True),
        "solving": solve,
    }
    times = {
        name: min(row)
        for name, row in zip(ways, zip(*([cpu_s(way) for way in ways.values()] for _ in range(ROUNDS)), strict=True), strict=True)
    }
    ours, tool = (read_storage(path / setup.output_forces) for path in (folder / "ours", folder))
    apart = float(np.abs(ours.values - tool.values).max())
    ratio = times["tool"] / times["ours"]
    print(
        f"{case:16s} {len(tool.values):4d} rows  tool {times['tool'] * 1e3:7.1f} ms  ours {times['ours'] * 1e3:6.1f} ms "
        f"({ratio:5.1f} times)  solving {times['solving'] * 1e3:5.1f} ms ({times['tool'] / times['solving']:5.1f} times)  "
        f"apart {apart:.0e}"
    )
    return apart < AGREEMENT and ratio >= GATE


def beside_tool(cases: Iterable[str], compare: Callable[[str, Any, Path], bool]) -> bool | None:
    """Whether every case meets its gate beside OpenSim; None, with a sentence, where there is nothing to compare with."""
    try:
        import opensim
    except ImportError:
        print("The opensim wheel is not installed: nothing to compare with.")
        return None
    if not (SHARED / "opensim_refs").is_dir():
        print(f"{SHARED / 'opensim_refs'} is not there: nothing to run on.")
        return None
    opensim.Logger.setLevelString("Off")
    here, met = Path.cwd(), []
    for case in cases:
        with tempfile.TemporaryDirectory() as name:
            os.chdir(name)  # the tool writes where it runs
            try:
                met.append(compare(case, opensim, Path(name)))
            finally:
                os.chdir(here)
    return all(met)


def main() -> int:
    met = beside_tool(CASES, compare)
    if met is not None:
        print(f"gate: {GATE:g} times the tool's speed, whole runs, files equal to {AGREEMENT:g}: {'met' if met else 'not met'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
