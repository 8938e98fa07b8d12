"""OpenSim's models without OpenSim: its tools beside this library's engine, on one core, in one run.

    inverse kinematics    setup file to .mot, the tool at its default accuracy and at 1e-9; ours finds the minimum to rounding
    inverse dynamics      setup file to .sto, filtered, with loads
    lengths, moment arms  of all muscles (all pairs that are not zero), the model read already
    whole process         recording to generalised forces: OpenSim's two tools in a process each, ours in one

CPU seconds of the fastest of a few rounds, rounds interleaved. It needs the wheel ``opensim`` and the reference folders beside the
project (``BIOMECH_ID_SHARED``); without one of them it says so and is not run.
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
DYNAMICS, LENGTHS, ARMS, WHOLE = 20.0, 5.0, 50.0, 5.0
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
    """Recording to generalised forces, start of Python included; in a copy, for OpenSim's tools write over what they find."""
    theirs = [f"import opensim; opensim.{tool}Tool('{setup}').run()" for tool, setup in
              (("InverseKinematics", "setup_ik_default.xml"), ("InverseDynamics", "setup_id_filtered.xml"))]  # fmt: skip
    native = ["from biomech_id.osim.run import run_setup as run; "
              "run('setup_ik_default.xml', 'ours'); run('setup_id_filtered.xml', 'ours')"]  # fmt: skip

    def run(lines: list[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        for line in lines:
            subprocess.run([sys.executable, "-c", line], cwd=copy, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / case
        copy.mkdir()
        for file in folder.iterdir():
            if file.is_file():
                (copy / file.name).write_bytes(file.read_bytes())
        return said(f"{case} whole processes", run(theirs), min(run(native) for _ in range(3)), WHOLE)


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
