"""Long recordings: memory and processor time for reading and for analysing them, and how both grow with the number of frames.

Each measurement is a process of its own. Reading has the gates: 1 GB for 100 000 frames, and as much time a frame as for 20 000,
half as much again at most. The analysis of a walk on a belt (reading, model, dynamics, and a folder with every table) has gates as
well: from 5 000 frames to a prime number of them near 20 000 its time grows with the frames to the power of 1.1 at most, and
100 000 frames, which ``--longest`` adds, take 1 GB, or 2 GB with bands. What does not fit the memory is refused in one sentence
(`pipeline.long_recordings`), whose bytes a frame are those printed here, rounded up.
The figures of one machine are in ``docs/scale.md``.
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
from biomech_id.trial import AnalogChannels, Markers

FRAMES, MOST_MB, SLOWER = (20_000, 100_000), 1000.0, 1.5
#: The last of the usual ones is prime, and so is half of what its plates' samples are continued to.
LABELS, ANALYSED, LONGEST = 3_000, (5_000, 10_000, 19_997), 100_000
MOST_EXPONENT, MOST_ANALYSED_MB = 1.1, {"analyse": 1000.0, "bands": 2000.0}
MEASURE = """
import sys, tempfile, time
from pathlib import Path
from biomech_id import analyse
from biomech_id.readers import read_c3d
what, path = sys.argv[1:]
def peak_MB():
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) / 1024
started = time.process_time()
if what == "read":
    read_c3d(path, trust=True)
    values_MB = peak_MB()
else:
    session = analyse(Path(path), uncertainty=what == "bands")
    if not session.movements:
        raise SystemExit(f"{path}: nothing was analysed: {session.failures}")
    values_MB = peak_MB()
    with tempfile.TemporaryDirectory() as out:
        session.write(Path(out) / "out")
print(time.process_time() - started, values_MB, peak_MB())
"""


def measured(what: str, path: Path) -> tuple[float, float, float]:
    """Processor seconds, and the largest memory of the process in MB: before its tables are made, and until they are written."""
    told = subprocess.run([sys.executable, "-c", MEASURE, what, str(path)], capture_output=True, text=True, check=True).stdout
    seconds, values_MB, peak_MB = map(float, told.split())
    return seconds, values_MB, peak_MB


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
    return bid.Trial(markers=Markers(tuple(f"M{k}" for k in range(n_labels)), position_m, 100.0), name="labels")


def crowded(trial: bid.Trial, n_labels: int) -> bid.Trial:
    """The trial among so many markers that no model knows, each of which follows one of its own at a distance."""
    markers, g = trial.markers, np.random.default_rng(0)
    chosen = g.integers(0, len(markers.names), n_labels)
    further = markers.position_m[:, chosen] + g.normal(0.0, 0.5, (1, n_labels, 3))
    names = (*markers.names, *(f"X{k:04d}" for k in range(n_labels)))
    position_m = np.concatenate([markers.position_m, further], axis=1)
    return replace(trial, markers=replace(markers, names=names, position_m=position_m, filled=None))


def belt_walk(place: Path, n_frames: int) -> Path:
    """A folder with a static trial of a second, and a walk of so many frames on a belt."""
    folder = place / f"belt{n_frames}"
    if not folder.exists():
        folder.mkdir()
        person = bid.virtual_subject(belt=True, plates="belt", duration_s=n_frames / 100.0)
        write_c3d(person.static(duration_s=1.0), folder / "static.c3d")
        write_c3d(person.walk(), folder / "walk.c3d")
    return folder


def growth(place: Path, what: str, sizes: tuple[int, ...]) -> tuple[float, bool]:
    """Print time and memory of each size.

    Returns
    -------
    float
        By which power of the frames the time grows from the first of the usual sizes to the last.
    bool
        Whether the longest, where it is analysed, takes no more memory than asked.
    """
    taken: dict[int, tuple[float, float, float]] = {}
    for n in sizes:
        taken[n] = seconds, values_MB, peak_MB = measured(what, belt_walk(place, n))
        line = f"  {f'{n} frames':20} {seconds:8.2f} {1e6 * seconds / n:12.0f} {values_MB:12.0f} {peak_MB:12.0f}"
        if n != sizes[0]:
            *_, n0, _ = taken
            seconds0, *before = taken[n0]
            more = ((now - then) * 1e3 / (n - n0) for now, then in zip((values_MB, peak_MB), before, strict=True))
            line += "{:10.2f} {:14.1f} {:14.1f}".format(np.log(seconds / seconds0) / np.log(n / n0), *more)
        print(line, flush=True)
    first, last = ANALYSED[0], ANALYSED[-1]
    exponent = float(np.log(taken[last][0] / taken[first][0]) / np.log(last / first))
    return exponent, LONGEST not in taken or taken[LONGEST][2] <= MOST_ANALYSED_MB[what]


def reading(place: Path) -> bool:
    """Print what reading takes; False where it needs more memory than allowed, or more time a frame the longer the file."""
    walk = bid.virtual_subject().walk().trial
    print("reading                      MB file   s CPU   MB peak   us a frame")
    per_frame_us, peaks_MB = [], []
    for name, trial in [(f"{n} frames", long_walk(walk, n)) for n in FRAMES] + [(f"{LABELS} labels", labelled(LABELS))]:
        path = write_trial(trial, place / "long.c3d")
        seconds, _, peak_MB = measured("read", path)
        per_frame_us.append(1e6 * seconds / trial.n_frames)
        peaks_MB.append(peak_MB)
        print(f"  {name:22} {path.stat().st_size / 1e6:10.0f} {seconds:7.2f} {peak_MB:9.0f} {per_frame_us[-1]:12.1f}", flush=True)
    met = peaks_MB[1] <= MOST_MB and per_frame_us[1] <= SLOWER * per_frame_us[0]
    print(f"reading {FRAMES[1]} frames: at most {MOST_MB:.0f} MB, {SLOWER} times the time a frame: {'ok' if met else 'MISSED'}")
    return met


def labels(place: Path) -> None:
    """Print what the analysis of a walk takes among markers that no model knows."""
    person = bid.virtual_subject(duration_s=5.0)
    print("analysis and folder, 500 frames     s CPU      MB peak")
    for n in (0, LABELS):
        folder = place / f"labels{n}"
        folder.mkdir()
        write_c3d(person.static(duration_s=1.0), folder / "static.c3d")
        write_trial(crowded(person.walk().trial, n), folder / "walk.c3d")
        seconds, _, peak_MB = measured("analyse", folder)
        print(f"  {f'{n} further labels':30} {seconds:8.2f} {peak_MB:12.0f}", flush=True)


def main() -> int:
    """Print the tables; 1 if reading, or the growth of the analysis, misses what is asked."""
    if not Path("/proc/self/status").exists():
        print("long_recordings: this system does not tell a process's largest memory; nothing measured")
        return 0
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        met = reading(place)
        labels(place)
        sizes = (*ANALYSED, LONGEST) if "--longest" in sys.argv else ANALYSED
        for what, words in (("analyse", "without bands"), ("bands", "with bands")):
            print(f"belt walk, {words:14}   s CPU   us a frame  MB analysed   MB written  exponent  kB analysed    kB a frame more")
            exponent, fits = growth(place, what, sizes)
            linear = exponent <= MOST_EXPONENT
            grows = f"{words}: time grows with the frames to the power of {exponent:.2f}"
            print(f"{grows} ({MOST_EXPONENT}): {'ok' if linear else 'MISSED'}")
            if LONGEST in sizes:
                print(f"{words}: {LONGEST} frames in {MOST_ANALYSED_MB[what]:.0f} MB: {'ok' if fits else 'MISSED'}")
            met = met and linear and fits
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
