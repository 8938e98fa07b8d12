"""Long recordings: memory and processor time for reading 20 000 and 100 000 frames and 3 000 labels, and for analysing a belt walk.

Each measurement is a process of its own. Reading has the gates: 1 GB for 100 000 frames, and as much time a frame as for 20 000,
half as much again at most. The analysis has none that it meets: what does not fit the memory is refused in one sentence
(`pipeline.long_recordings`); what is printed says how far it is from linear.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import biomech_id as bid
from biomech_id.sample.c3d import write_c3d, write_trial
from biomech_id.trial import AnalogChannels

FRAMES, MOST_MB, SLOWER = (20_000, 100_000), 1000.0, 1.5
LABELS, ANALYSED = 3_000, (2_500, 5_000, 10_000)
MEASURE = """
import sys, time
from pathlib import Path
from biomech_id import analyse
from biomech_id.readers import read_c3d
what, path = sys.argv[1:]
started = time.process_time()
if what == "read":
    read_c3d(path, trust=True)
else:
    analyse(Path(path), uncertainty=False).computed.tables()
status = Path("/proc/self/status").read_text()
peak = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
print(time.process_time() - started, int(peak) / 1024)
"""


def measured(what: str, path: Path) -> tuple[float, float]:
    """Processor seconds, and the largest memory of the process in MB."""
    told = subprocess.run([sys.executable, "-c", MEASURE, what, str(path)], capture_output=True, text=True, check=True).stdout
    seconds, peak_MB = told.split()
    return float(seconds), float(peak_MB)


def long_walk(trial: bid.Trial, n_frames: int) -> bid.Trial:
    """A walk, over and over, until there are so many frames."""
    times = -(-n_frames // trial.n_frames)
    position_m = np.tile(trial.markers.position_m, (times, 1, 1))[:n_frames]
    plates = []
    for plate in trial.plates:
        samples = n_frames * round(plate.rate_hz / trial.rate_hz)
        force, moment = (np.tile(values, (times, 1))[:samples] for values in (plate.force_lab_N, plate.moment_lab_Nm))
        plates.append(replace(plate, force_lab_N=force, moment_lab_Nm=moment))
    markers = replace(trial.markers, position_m=position_m, filled=None)
    return replace(trial, markers=markers, plates=tuple(plates), events=(), analog=AnalogChannels())


def labelled(n_labels: int) -> bid.Trial:
    """500 frames of so many markers."""
    position_m = np.random.default_rng(0).normal(size=(500, n_labels, 3))
    return bid.Trial(markers=bid.Markers(tuple(f"M{k}" for k in range(n_labels)), position_m, 100.0), name="labels")


def main() -> int:
    """Print the table; 1 if reading needs more memory than allowed, or more time a frame the longer the file."""
    if not Path("/proc/self/status").exists():
        print("long_recordings: this system does not tell a process's largest memory; nothing measured")
        return 0
    with tempfile.TemporaryDirectory() as place:
        walk = bid.virtual_subject().walk().trial
        print("reading                      MB file   s CPU   MB peak   us a frame")
        per_frame_us, peaks_MB = [], []
        for name, trial in [(f"{n} frames", long_walk(walk, n)) for n in FRAMES] + [(f"{LABELS} labels", labelled(LABELS))]:
            path = write_trial(trial, Path(place) / "long.c3d")
            seconds, peak_MB = measured("read", path)
            per_frame_us.append(1e6 * seconds / trial.n_frames)
            peaks_MB.append(peak_MB)
            print(f"  {name:22} {path.stat().st_size / 1e6:10.0f} {seconds:7.2f} {peak_MB:9.0f} {per_frame_us[-1]:12.1f}")
        print("analysis and tables, without bands, on a belt")
        for n in ANALYSED:
            folder = Path(place) / str(n)
            folder.mkdir()
            person = bid.virtual_subject(belt=True, plates="belt", duration_s=n / 100.0)
            write_c3d(person.static(), folder / "static.c3d")
            write_c3d(person.walk(), folder / "walk.c3d")
            seconds, peak_MB = measured("analyse", folder)
            print(f"  {f'{n} frames':33} {seconds:7.2f} {peak_MB:9.0f} {1e6 * seconds / n:12.1f}")
    met = peaks_MB[1] <= MOST_MB and per_frame_us[1] <= SLOWER * per_frame_us[0]
    print(f"reading {FRAMES[1]} frames: at most {MOST_MB:.0f} MB, {SLOWER} times the time a frame: {'ok' if met else 'MISSED'}")
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
