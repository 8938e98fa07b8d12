"""Labels of two markers exchanged for some frames or throughout, in recordings and in the virtual subject's: found, and no more.

``python -m benchmarks.studies.exchanged_markers [N] [C3D_DIR]`` exchanges N (500) pairs of markers that are never nearer than
30 mm, for 5 frames to the whole of a recording (a fifth of them throughout), and counts those of which `find_exchanges` names the
pair with at least one of the two ends right (within two frames), and those with both; a recording full of gaps may hide an end.
Then it counts false alarms in 300 trials as they are: the recordings, and walks of virtual subjects. Another recording of the
person, the static trial where there is one, tells about exchanges throughout. The table lies beside this module.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.studies.cut_gaps import SHARED
from biomech_id import __version__
from biomech_id.readers import read_recording
from biomech_id.sample import virtual_subject
from biomech_id.signal.marker_exchange import Exchange, find_exchanges
from biomech_id.trial import Markers

SEED = 20260303
TABLE = Path(__file__).with_suffix(".md")
#: Folders in each of which one person was recorded more than once, with one placement of the markers.
SAME_PERSON = (
    "children/*", "norm_subjects/*", "drop_jump", "five_walks_emg", "functional", "helen_hayes", "knee_device/kad",
    "knee_device/kad_medial", "leardini", "motionmonitor", "opensim", "swaying_static", "treadmill_run", "vcm",
)  # fmt: skip
#: Exchanged in the files themselves: in the static trial, on the other side or in the same person's other trials the marker of the
#: fifth metatarsal lies some 30 mm nearer to the lateral malleolus than that of the first, here as much farther.
IN_THE_FILES = {("FAILT01_SLDJ02", "LP1MT", "LP5MT"), ("RBDS001runT35", "R.MT1", "R.MT5")}
TRIALS, SHARE_THROUGHOUT, SHORTEST, NEAREST_M, EDGE_FRAMES = 300, 0.2, 5, 0.03, 2
STILL_M, FEWEST_MARKERS, FEWEST_FRAMES = 0.1, 8, 40


@dataclass(frozen=True, eq=False)
class Case:
    """A trial, and another recording of the same markers, in the same order."""

    name: str
    names: tuple[str, ...]
    position_m: np.ndarray
    reference_m: np.ndarray | None

    def found(self, position_m: np.ndarray | None = None) -> tuple[Exchange, ...]:
        """Exchanges in the trial, or in other positions of its markers."""
        return find_exchanges(self.position_m if position_m is None else position_m, self.names, reference_m=self.reference_m)


def case(name: str, markers: Markers, other: Markers | None) -> Case:
    """A trial beside another one's markers, by name."""
    reference = None
    if other is not None:
        reference = np.full((len(other.position_m), len(markers.names), 3), np.nan)
        for column, label in enumerate(markers.names):
            if label in other.names:
                reference[:, column] = other[label]
    return Case(name, markers.names, markers.position_m, reference)


def recorded(folder: Path) -> Iterator[Case]:
    """Yield every recording of people who were recorded more than once."""
    for place in (found for pattern in SAME_PERSON for found in sorted(folder.glob(pattern))):
        read = {path.stem: read_recording(path, trust=True).trial.markers for path in sorted(place.glob("*.c3d"))}
        usable = {name: m for name, m in read.items() if len(m.names) >= FEWEST_MARKERS and len(m.position_m) >= FEWEST_FRAMES}
        for name, markers in usable.items():
            others = {other: m for other, m in usable.items() if other != name}
            still = [m for m in others.values() if _extent_m(m) < STILL_M]
            like = sorted(others.values(), key=lambda m: -len(set(m.names) & set(markers.names)))
            yield case(name, markers, next(iter([*still, *like]), None))


def _extent_m(markers: Markers) -> float:
    seen = markers.position_m[:, [markers.present(name) for name in markers.names]]
    return float(np.median((np.nanmax(seen, axis=0) - np.nanmin(seen, axis=0)).max(axis=1)))


def virtual(n: int, rng: np.random.Generator) -> Iterator[Case]:
    """Yield walks and runs of virtual subjects, each beside its static trial."""
    for number in range(n):
        person = virtual_subject(
            body=("adult", "child")[number % 2], speed_m_s=float(rng.uniform(0.7, 1.6)), noise_m=float(rng.uniform(0, 1e-3)),
            soft_tissue_m=float(rng.uniform(0, 0.02)), clusters=bool(rng.random() < 0.5), sacrum=bool(rng.random() < 0.5),
            direction=str(rng.choice(["+X", "-X", "+Y", "-Y", "turn"])), rate_hz=float(rng.choice([50, 100, 200])),
            seed=int(rng.integers(1 << 30)), plates=(),
        )  # fmt: skip
        yield case(f"virtual {number}", person.walk().trial.markers, person.static().trial.markers)


def exchanged(one: Case, rng: np.random.Generator) -> tuple[np.ndarray, int, int, int, int] | None:
    """Positions with a pair exchanged, its columns, first frame and frame behind the last; None where chance finds no pair."""
    n, seen = len(one.position_m), np.isfinite(one.position_m).all(axis=2)
    for _ in range(300):
        a, b = sorted(int(column) for column in rng.choice(len(one.names), 2, replace=False))
        throughout = rng.random() < SHARE_THROUGHOUT
        told = one.reference_m is not None and bool(np.isfinite(one.reference_m[:, [a, b]]).any(axis=(0, 2)).all())
        if throughout and not told:
            continue
        # Without another recording the longer part is taken for the right one.
        most = n if throughout else int(n * (0.95 if told else 0.45))
        length = n if throughout else int(np.exp(rng.uniform(np.log(SHORTEST), np.log(most))))
        start = int(rng.integers(0, n - length + 1))
        apart = np.linalg.norm(one.position_m[start : start + length, a] - one.position_m[start : start + length, b], axis=1)
        if seen[start : start + length][:, [a, b]].all(axis=1).any() and np.nanmin(apart) >= NEAREST_M:
            changed = one.position_m.copy()
            changed[start : start + length, [a, b]] = changed[start : start + length, [b, a]]
            return changed, a, b, start, start + length
    return None


def judged(one: Case, rng: np.random.Generator) -> tuple[bool, bool, bool] | None:
    """Whether an exchange is throughout, its pair was named with one end right, and with both; None where there is none."""
    drawn = exchanged(one, rng)
    if drawn is None:
        return None
    changed, a, b, start, stop = drawn
    ends = [
        (abs(found.first_frame - 1 - start) <= EDGE_FRAMES, abs(found.last_frame - stop) <= EDGE_FRAMES)
        for found in one.found(changed)
        if {found.first, found.second} == {one.names[a], one.names[b]}
    ]
    return stop - start == len(changed), any(map(any, ends)), any(map(all, ends))


def false_alarms(one: Case) -> list[str]:
    """Exchanges that a trial as it is does not have."""
    return [
        f"{one.name}: {found.first} and {found.second}, frames {found.first_frame} to {found.last_frame}"
        for found in one.found()
        if (one.name, *sorted((found.first, found.second))) not in IN_THE_FILES
    ]


def main(n: int = 500, folder: Path = SHARED) -> int:
    """Write the table."""
    rng = np.random.default_rng(SEED)
    cases = list(recorded(folder))
    n_recorded = len(cases)
    everything = [*cases, *virtual(TRIALS - n_recorded, rng)]
    alarms = [said for one in everything for said in false_alarms(one)]
    results: list[tuple[bool, bool, bool]] = []
    while len(results) < n:
        result = judged(cases[int(rng.integers(n_recorded))], rng)
        results += [result] if result is not None else []
    lines = [
        f"biomech_id {__version__}, {n_recorded} recordings, seed {SEED}", "",
        "| exchanged | pairs | found, % | with both ends, % |", "|---|---|---|---|",
    ]  # fmt: skip
    for words, wanted in (("for some frames", (False,)), ("throughout", (True,)), ("all", (False, True))):
        mine = np.array([result[1:] for result in results if result[0] in wanted])
        lines.append(f"| {words} | {len(mine)} | {100 * mine[:, 0].mean():.1f} | {100 * mine[:, 1].mean():.1f} |")
    lines += [
        "",
        f"False alarms in {len(everything)} trials ({n_recorded} recorded): {len(alarms)}.",
        *(f"- {said}" for said in alarms),
    ]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2]), *map(Path, sys.argv[2:3])))
