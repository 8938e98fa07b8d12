"""Gaps cut into recordings and filled as the main job fills them: how far off, how sure, and how a spline would do.

``python -m benchmarks.studies.cut_gaps [N] [C3D_DIR]`` cuts N (10) gaps of 0.1, 0.3 and 0.6 s each into every walk and run below a
folder (by default the recordings beside the project), at random markers and places, and fills them by `fill_gaps` and `repair_gaps`
with the default recipe's limits. The table lies beside this module.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.before import ROOT
from biomech_id import __version__
from biomech_id.readers import read_recording
from biomech_id.request.recipe import Recipe
from biomech_id.signal.gap_repair import repair_gaps
from biomech_id.signal.gaps import fill_gaps, find_gaps, spline
from biomech_id.trial import Markers

SEED = 20260302
DURATIONS_S = (0.1, 0.3, 0.6)
#: Frames that must show the marker on either side of a cut.
BESIDE = 10
FEWEST_MARKERS, FEWEST_FRAMES = 12, 100
TABLE = Path(__file__).with_suffix(".md")
SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared")) / "c3d"
#: Walks and runs by eleven laboratories, below the folder of recordings.
MOVING = (
    "children/*/*.c3d", "norm_subjects/*/*.c3d", "five_walks_emg/*.c3d", "leardini/trial0?.c3d", "knee_device/*/*_Motion.c3d",
    "plug_in_gait/PiG_Motion3_FF.c3d", "plug_in_gait/PiG_Motion-*.c3d", "swaying_static/PiG_Motion*.c3d", "opensim/*.c3d",
    "walking/*.c3d",     "helen_hayes/HHMotion.c3d",
    "drop_jump/*Walk*.c3d", "treadmill_run/RBDS001run*.c3d", "others/zoo_ti003.c3d", "nimble/JA1*.c3d", "vendors/Qualisys.c3d",
)  # fmt: skip
#: Where most markers move less than this, somebody stands: the statics among them.
STILL_M = 0.2


@dataclass(frozen=True)
class Cut:
    """One gap that was cut: errors in mm, root mean square; the fill's own error, and what a spline misses."""

    duration_s: float
    method: str
    off_mm: float
    stated_mm: float
    spline_mm: float

    @property
    def made(self) -> bool:
        """Whether it was filled."""
        return bool(np.isfinite(self.off_mm))


def recordings(folder: Path) -> Iterator[Markers]:
    """Yield the markers of every walk and run below a folder that is long enough to be cut."""
    for pattern in MOVING:
        for path in sorted(folder.glob(pattern)):
            markers = read_recording(path, trust=True).trial.markers
            if len(markers.names) >= FEWEST_MARKERS and len(markers.position_m) >= FEWEST_FRAMES and _moves(markers):
                yield markers


def _moves(markers: Markers) -> bool:
    seen = markers.position_m[:, [markers.present(name) for name in markers.names]]
    return float(np.median((np.nanmax(seen, axis=0) - np.nanmin(seen, axis=0)).max(axis=1))) > STILL_M


def cut(markers: Markers, duration_s: float, n: int, rng: np.random.Generator) -> Iterator[Cut]:
    """Yield what became of n gaps of one length, each cut by itself."""
    length = round(duration_s * markers.rate_hz)
    for _ in range(n):
        place = _place(markers, length, rng)
        if place is not None:
            yield one_cut(markers, duration_s, *place)


def one_cut(markers: Markers, duration_s: float, marker: int, start: int) -> Cut:
    """Cut and fill one gap."""
    recipe, length = Recipe(), round(duration_s * markers.rate_hz)
    broken, names = markers.position_m.copy(), markers.names
    broken[start : start + length, marker] = np.nan
    filled, _, _ = fill_gaps(broken[:, [marker]], names[marker : marker + 1], longest=recipe.longest_gap_frames)
    everything = broken.copy()
    everything[:, [marker]] = filled
    method = "spline" if np.isfinite(filled[start]).all() else "left open"
    gaps = [gap for gap in find_gaps(broken[:, [marker]], names[marker : marker + 1]) if gap.first_frame == start + 1]
    gaps = [type(gap)(gap.marker, gap.first_frame, gap.last_frame, method) for gap in gaps]
    longest = round(recipe.longest_repair_s * markers.rate_hz)
    repaired, told = repair_gaps(broken, names, everything, gaps, longest=longest)
    by_spline = spline(broken[:, marker], np.isfinite(broken[:, marker]).all(axis=1), start, start + length)
    truth = markers.position_m[start : start + length, marker]
    off, of_spline = (_rms_mm(values - truth) for values in (repaired[start : start + length, marker], by_spline))
    return Cut(duration_s, told[0].method, off, 1e3 * told[0].error_m, of_spline)


def _rms_mm(off_m: np.ndarray) -> float:
    return 1e3 * float(np.sqrt((off_m**2).sum(axis=1).mean()))


def _place(markers: Markers, length: int, rng: np.random.Generator) -> tuple[int, int] | None:
    """A marker and a first frame, such that it is seen through the gap and beside it; None where chance finds none."""
    seen = np.isfinite(markers.position_m).all(axis=2)
    for _ in range(200):
        marker = int(rng.integers(len(markers.names)))
        start = int(rng.integers(BESIDE, max(BESIDE + 1, len(seen) - length - BESIDE)))
        if start + length + BESIDE <= len(seen) and seen[start - BESIDE : start + length + BESIDE, marker].all():
            return marker, start
    return None


@dataclass(frozen=True)
class Row:
    """What cuts of one length came to."""

    duration_s: float
    cuts: int
    made: int
    median_mm: float
    spline_mm: float
    covered_percent: float

    @property
    def ratio(self) -> float:
        """Median error over a spline's."""
        return self.median_mm / self.spline_mm


def summed(cuts: Sequence[Cut]) -> list[Row]:
    """One row for each length; medians and coverage of the fills that were made, a spline's median of the same gaps."""
    rows = []
    for duration_s in DURATIONS_S:
        mine = [each for each in cuts if each.duration_s == duration_s]
        made = [each for each in mine if each.made]
        covered = [each.off_mm <= each.stated_mm for each in made if np.isfinite(each.stated_mm)]
        medians = (float(np.median([getattr(each, name) for each in made])) for name in ("off_mm", "spline_mm"))
        rows.append(Row(duration_s, len(mine), len(made), *medians, 100.0 * float(np.mean(covered))))
    return rows


def study(n: int, folder: Path, seed: int = SEED) -> tuple[int, list[Cut]]:
    """Number of recordings, and every cut."""
    rng = np.random.default_rng(seed)
    moving = list(recordings(folder))
    return len(moving), [each for markers in moving for duration_s in DURATIONS_S for each in cut(markers, duration_s, n, rng)]


def main(n: int = 10, folder: Path = SHARED) -> int:
    """Write the table."""
    n_recordings, cuts = study(n, folder)
    lines = [
        f"biomech_id {__version__}, {n_recordings} recordings, {n} cuts of each length in each, seed {SEED}", "",
        "| gap, s | cuts | filled | median RMS, mm | a spline's, mm | ratio | fills within their own error, % |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {row.duration_s:g} | {row.cuts} | {row.made} | {row.median_mm:.2f} | {row.spline_mm:.2f} | {row.ratio:.2f} "
            f"| {row.covered_percent:.1f} |"
            for row in summed(cuts)
        ),
    ]  # fmt: skip
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2]), *map(Path, sys.argv[2:3])))
