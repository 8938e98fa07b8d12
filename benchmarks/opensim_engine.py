"""OpenSim's models without OpenSim: its tools beside this library's engine, on one core, in one run.

    inverse kinematics    setup file to .mot, the tool at its default accuracy and at 1e-9; ours finds the minimum to rounding
    inverse dynamics      setup file to .sto, filtered, with loads
    lengths, moment arms  of all muscles (all pairs that are not zero), the model read already
    commands              ``biomech-id opensim-run`` beside a process of each of OpenSim's tools: CPU time as a share of the tool's

CPU seconds of the fastest of a few rounds; of commands the median of interleaved pairs. It needs the wheel ``opensim`` and the
reference folders beside the project (``BIOMECH_ID_SHARED``); without one of them it says so and is not run.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402

from biomech_id.osim.document.model import read_osim  # noqa: E402
from biomech_id.osim.muscles.muscle_paths import MusclePaths  # noqa: E402
from biomech_id.osim.run import run_setup  # noqa: E402
from biomech_id.readers.opensim.storage import read_storage  # noqa: E402

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[2] / "shared"))
#: Case -> how many times faster than the tool at its default accuracy, and at 1e-9, inverse kinematics has to be.
CASES = {"gait2392": (12.0, 25.0), "rajagopal_walk": (10.0, 40.0)}
DYNAMICS, LENGTHS, ARMS = 20.0, 5.0, 50.0
#: Shares of the tool's process that a command takes at most: inverse dynamics alone, and after inverse kinematics.
DYNAMICS_PROCESS, BOTH_PROCESSES = 0.6, {"gait2392": 0.45, "rajagopal_walk": 0.25}
#: States in which OpenSim is asked for moment arms.
ARM_STATES = 8
ROUNDS = 5


def cpu_s(run: Callable[[], object], rounds: int = 1) -> float:
    """CPU seconds of the fastest round."""
    took = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        took.append(time.process_time() - start)
    return min(took)


def said(what: str, theirs_s: float, ours_s: float, gate: float) -> bool:
    good = theirs_s >= gate * ours_s
    times = f"{theirs_s:8.3f} s {1000 * ours_s:8.1f} ms {theirs_s / ours_s:7.1f} x"
    print(f"  {what:32} {times} (gate {gate:g}) {'' if good else 'NOT MET'}")
    return good


def tools(folder: Path, case: str) -> bool:
    """IK and ID, setup file to output file."""
    import opensim

    os.chdir(folder)
    out, met = folder / "ours", True
    for name, gate in zip(("setup_ik_default.xml", "setup_ik_1e-9.xml"), CASES[case], strict=True):
        theirs = cpu_s(lambda name=name: opensim.InverseKinematicsTool(name).run())
        met &= said(f"{case} {name}", theirs, cpu_s(lambda name=name: run_setup(folder / name, out), ROUNDS), gate)
    theirs = cpu_s(lambda: opensim.InverseDynamicsTool("setup_id_filtered.xml").run())
    ours = cpu_s(lambda: run_setup(folder / "setup_id_filtered.xml", out), ROUNDS)
    return said(f"{case} inverse dynamics", theirs, ours, DYNAMICS) & met


def muscles(folder: Path, case: str) -> bool:
    """Lengths in every frame, moment arms in a few."""
    import opensim

    paths, table = MusclePaths(read_osim(folder / "scaled.osim")), read_storage(folder / "ik_1e-9.mot")
    coordinates = paths.model.coordinates
    q = np.stack([table.values[:, table.columns.index(c.name)] for c in coordinates], axis=1)
    q = np.where([c.motion == "rotational" for c in coordinates], np.radians(q), q)
    few = q[np.linspace(0, len(q) - 1, ARM_STATES).astype(int)]
    pairs = [column.split("|") for column in read_storage(folder / "moment_arms.sto").columns]
    model = opensim.Model(str(folder / "scaled.osim"))
    state = model.initSystem()
    own = [model.getCoordinateSet().get(name) for name in paths.model.coordinate_names]
    found = {name: model.getMuscles().get(name) for name in paths.names}

    def place(row: np.ndarray) -> None:
        for coordinate, value in zip(own, row, strict=True):
            coordinate.setValue(state, float(value), False)
        model.realizePosition(state)

    def their_lengths() -> None:
        for row in q:
            place(row)
            for muscle in found.values():
                muscle.getLength(state)

    def their_arms() -> None:
        for row in few:
            place(row)
            for muscle, coordinate in pairs:
                found[muscle].computeMomentArm(state, own[paths.model.index(coordinate)])

    met = said(f"{case} lengths", cpu_s(their_lengths), cpu_s(lambda: paths.lengths(q), ROUNDS), LENGTHS)
    # so many states that a call's own time does not count, as with a recording
    many = np.repeat(few, len(q) // ARM_STATES, axis=0)
    ours = cpu_s(lambda: paths.moment_arms(many), ROUNDS) * len(few) / len(many)
    return said(f"{case} moment arms, {ARM_STATES} states", cpu_s(their_arms), ours, ARMS) & met


def whole_process(folder: Path, case: str) -> bool:
    """Commands as they are typed beside a process of OpenSim's tool each; in copies, for the tools write over what they find."""
    tools = (("InverseKinematics", "setup_ik_default.xml"), ("InverseDynamics", "setup_id_filtered.xml"))
    theirs = [["-c", f"import opensim; opensim.{tool}Tool('{setup}').run()"] for tool, setup in tools]
    native = [["-m", "biomech_id", "opensim-run", setup, "-o", "ours"] for _, setup in tools]
    # As a user's process: compiled modules are kept.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run(words: list[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], cwd=copy, check=False, capture_output=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / case
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("ours"))
        rounds = np.array([[[run(words) for words in pair] for pair in zip(native, theirs, strict=True)] for _ in range(ROUNDS)])
        start_s = min(run(["-c", "import numpy"]) for _ in range(ROUNDS))
        assert {"ik_default.mot", "id_filtered.sto"} <= {file.name for file in (copy / "ours").iterdir()}
    met = True
    for what, gate, (ours, tool) in (
        ("inverse dynamics", DYNAMICS_PROCESS, rounds[:, 1].T),
        ("kinematics and dynamics", BOTH_PROCESSES[case], rounds.sum(axis=1).T),
    ):
        ratio = ours / tool
        low, middle, high = np.quantile(ratio, [0.0, 0.5, 1.0])
        met &= bool(middle <= gate)
        print(
            f"  {case} commands, {what:24} tool {np.median(tool):6.3f} s ours {np.median(ours):6.3f} s {middle:5.2f} of it "
            f"({low:.2f} to {high:.2f}; gate {gate:g}) {'' if middle <= gate else 'NOT MET'}"
        )
    print(f"  starting Python and NumPy alone {start_s:.3f} s; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    return met


def main() -> int:
    if find_spec("opensim") is None or not (SHARED / "opensim_refs").is_dir():
        print("Not run: it needs the wheel opensim and the reference folders.")
        return 1
    import opensim

    opensim.Logger.setLevelString("Off")
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parents[1])
    met = True
    for case in CASES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / case
            folder.mkdir()
            for file in (SHARED / "opensim_refs" / case).iterdir():
                (folder / file.name).write_bytes(file.read_bytes())
            met &= tools(folder, case) & muscles(folder, case) & whole_process(folder, case)
            os.chdir(Path(__file__).parent)
            shutil.rmtree(folder, ignore_errors=True)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
