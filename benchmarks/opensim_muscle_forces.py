"""Muscle forces and joint reactions of OpenSim's models beside OpenSim's own AnalyzeTool, CPU time of one core, setup to files.

    static optimisation  `biomech_id.osim.run.run_setup` and the tool on the same setup (squares of the activations, filtered
                         motion, loads), reading and writing included
    solving              ours without reading and writing: filter, splines, strengths, moment arms, optimum
    whole recording      static optimisation as above, of every row of the recording: the setup's are half a second
    reactions alone      as static optimisation, under the forces of a file: motion and muscles' paths are computed anew
    reactions after it   what they cost behind the optimisation, with their file, beside the tool's own run of reactions

Rounds are interleaved and their shortest compared; gates are those of solving and of reactions after it. Without the reference
data or the opensim wheel nothing is run.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402

from benchmarks.opensim_dynamics import beside_tool, cpu_s  # noqa: E402
from biomech_id.osim.document.setups import AnalyzeSetup, read_setup  # noqa: E402
from biomech_id.osim.forces.actuators import read_actuated  # noqa: E402
from biomech_id.osim.forces.analysed_motion import analysed_motion  # noqa: E402
from biomech_id.osim.forces.joint_reactions import joint_reactions  # noqa: E402
from biomech_id.osim.forces.static_optimisation import MuscleForces, static_optimisation  # noqa: E402
from biomech_id.osim.run import coordinates_in, outer_forces, run_setup  # noqa: E402
from biomech_id.readers.opensim.storage import read_storage  # noqa: E402
from biomech_id.writers.opensim_text import write_tool_table  # noqa: E402

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[2] / "shared"))
#: Case -> how many times the tool's speed solving has to be; 0 where nothing is asked.
CASES = {"gait2392": 80.0, "rajagopal_walk": 60.0, "gait10dof18musc": 0.0}
#: The same of reactions after it.
REACTIONS = 10.0
FORCES_SETUP, REACTIONS_SETUP = "so_setup_default.xml", "so_setup_jr_child.xml"
ROUNDS = 3
#: Our own runs in a round: they are short.
OWN = 5


def solving(setup_file: Path) -> Callable[[], MuscleForces]:
    """What lies between reading and writing."""
    setup = read_setup(setup_file)
    assert isinstance(setup, AnalyzeSetup)
    assert setup.external_loads_file is not None
    actuated, table = read_actuated(setup.model_file, setup.force_sets, compat=True), read_storage(setup.coordinates_file)
    loads, columns = outer_forces(setup.external_loads_file), coordinates_in(table, actuated.model)

    def solve() -> MuscleForces:
        motion = analysed_motion(
            actuated.model, table.time_s, columns, in_degrees=table.in_degrees, cutoff_hz=setup.cutoff_hz,
            time_range_s=setup.time_range_s, mirrored_rows=True,
        )  # fmt: skip
        return static_optimisation(actuated, motion, loads, compat=True)

    return solve


def of_whole_recording(setup_file: Path) -> Path:
    """The setup from the recording's first row to its last, beside it."""
    setup = read_setup(setup_file)
    assert isinstance(setup, AnalyzeSetup)
    time_s = read_storage(setup.coordinates_file).time_s
    text = setup_file.read_text(encoding="utf-8")
    for name, value in (("initial_time", time_s[0]), ("final_time", time_s[-1])):
        text = re.sub(f"<{name}>[^<]*", f"<{name}>{value:.12g}", text)
    whole = setup_file.with_name("so_setup_whole.xml")
    whole.write_text(text, encoding="utf-8")
    return whole


def shortest_s(ways: dict[str, tuple[Callable[[], object], int]], rounds: int) -> dict[str, float]:
    """CPU seconds of the shortest run of each way, rounds interleaved; a way runs so many times in a round."""
    found = dict.fromkeys(ways, np.inf)
    for _ in range(rounds):
        for name, (way, times) in ways.items():
            found[name] = min(found[name], *(cpu_s(way) for _ in range(times)), np.inf)
    return found


def said(case: str, rows: int, what: str, theirs_s: float, ours_s: float, gate: float = 0.0) -> bool:
    ratio, met = theirs_s / ours_s, theirs_s >= gate * ours_s
    asked = f" (gate {gate:g}{'' if met else ', NOT MET'})" if gate else ""
    times = f"tool {1e3 * theirs_s:8.1f} ms  ours {1e3 * ours_s:7.1f} ms {ratio:6.1f} times"
    print(f"{case:16s} {rows:3d} rows  {what:20s} {times}{asked}", flush=True)
    return met


def compare(case: str, osim: Any, folder: Path) -> bool:
    for file in (SHARED / "opensim_refs" / case).iterdir():
        shutil.copy(file, folder)
    forces_setup, reactions_setup = folder / FORCES_SETUP, folder / REACTIONS_SETUP
    solve = solving(forces_setup)
    forces = solve()

    def after() -> None:
        loads = joint_reactions(forces)
        write_tool_table(folder / "after.sto", "Joint Reaction Loads", loads.columns(), loads.time_s, loads.table())

    def tool(setup: Path) -> tuple[Callable[[], object], int]:
        return lambda: osim.AnalyzeTool(str(setup)).run(), 1

    def ours(setup: Path) -> tuple[Callable[[], object], int]:
        return lambda: run_setup(setup, folder / setup.stem, compat=True), OWN

    s = shortest_s({
        "SO tool": tool(forces_setup), "SO": ours(forces_setup), "solving": (solve, OWN), "JR tool": tool(reactions_setup),
        "JR": ours(reactions_setup), "after": (after, OWN),
    }, ROUNDS)  # fmt: skip
    rows, gate = len(forces.time_s), CASES[case]
    said(case, rows, "static optimisation", s["SO tool"], s["SO"])
    met = said(case, rows, "solving", s["SO tool"], s["solving"], gate)
    said(case, rows, "reactions alone", s["JR tool"], s["JR"])
    met &= said(case, rows, "reactions after it", s["JR tool"], s["after"], REACTIONS if gate else 0.0)
    whole = of_whole_recording(forces_setup)
    s = shortest_s({"tool": tool(whole), "ours": ours(whole)}, 1)
    written = len(read_storage(folder / whole.stem / "so_default_StaticOptimization_force.sto").time_s)
    said(case, written, "whole recording", s["tool"], s["ours"])
    return met


def main() -> int:
    met = beside_tool(CASES, compare)
    if met is not None:
        print("every gate is met" if met else "a gate is not met")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
