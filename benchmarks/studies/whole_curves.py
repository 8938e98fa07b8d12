"""Whole curves by chance: how many people leave a norm's simultaneous band, and how many tests of cycles find what is not there.

``python -m benchmarks.studies.whole_curves`` draws curves of known smoothness (white noise through a Gaussian kernel), makes norms
of 14 to 60 people from them and asks whether another curve stays inside; and compares two recordings of 5 to 50 cycles that do not
differ. The table lies beside this module.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biomech_id import __version__
from biomech_id.statistics.one_person import whole_curve_sd
from biomech_id.statistics.two_recordings import cycles_against_cycles, power_of_change, scalar_change

TABLE = Path(__file__).with_suffix(".md")
Array = NDArray[np.float64]
SEED, POINTS, NEW_PEOPLE = 2207, 101, 20
SUBJECTS, WIDTHS, FEW, MANY = (14, 60), (5.0, 40.0), (5, 9), (10, 50)
SD_OF_FWHM = 1.0 / np.sqrt(8.0 * np.log(2.0))


def curves(rng: np.random.Generator, n: int, fwhm: float) -> Array:
    """(n, 101) curves of mean 0 and SD 1, smooth to the kernel of this width."""
    sd = fwhm * SD_OF_FWHM
    reach = int(np.ceil(4.0 * sd))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sd) ** 2)
    kernel /= np.sqrt((kernel**2).sum())
    noise = rng.standard_normal((n, POINTS + 2 * reach))
    size = noise.shape[1] + len(kernel)
    smooth = np.fft.irfft(np.fft.rfft(noise, size) * np.fft.rfft(kernel, size), size)
    return np.asarray(smooth[:, 2 * reach : 2 * reach + POINTS])


def inside(norms: int, seed: int = SEED) -> list[tuple[int, float, float]]:
    """Of each norm: number of people, smoothness, part of new people's whole curves inside its band."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(norms):
        n, fwhm = int(rng.integers(SUBJECTS[0], SUBJECTS[1] + 1)), float(rng.uniform(*WIDTHS))
        drawn = curves(rng, n + NEW_PEOPLE, fwhm)
        known, new = drawn[:n], drawn[n:]
        reach = whole_curve_sd(known) * known.std(axis=0, ddof=1)
        found.append((n, fwhm, float((np.abs(new - known.mean(axis=0)) <= reach).all(axis=1).mean())))
    return found


def false_alarms(tests: int, cycles: tuple[int, int], seed: int = SEED) -> list[tuple[int, float, bool]]:
    """Of each pair of recordings that do not differ: cycles in each, smoothness, whether the test says they do."""
    rng, found = np.random.default_rng(seed + cycles[0]), []
    for _ in range(tests):
        n, fwhm = int(rng.integers(cycles[0], cycles[1] + 1)), float(rng.uniform(*WIDTHS))
        drawn = curves(rng, 2 * n, fwhm)
        test = cycles_against_cycles(drawn[:n], drawn[n:])
        found.append((n, fwhm, test is not None and bool(test.differs.any())))
    return found


def found_changes(
    pairs: int, *, change: float, cycle_sd: float, session_sd: float, n: int, seed: int = SEED
) -> tuple[float, float]:
    """Part of pairs of visits in which a change of one number is found, and the part predicted."""
    rng = np.random.default_rng(seed)
    seen = 0
    for _ in range(pairs):
        visits = rng.normal(0.0, session_sd, 2) + [0.0, change]
        before, after = (rng.normal(visit, cycle_sd, n) for visit in visits)
        seen += scalar_change(before, after, session_sd).changed
    return seen / pairs, power_of_change(change, cycle_sd=cycle_sd, session_sd=session_sd, cycles=(n, n))


def by_width(found: Sequence[tuple[int, float, float | bool]]) -> str:
    """Percent in four classes of smoothness, and of all."""
    edges = [5.0, 10.0, 20.0, 30.0, 40.0]
    parts = [[value for _, fwhm, value in found if low <= fwhm < high] for low, high in pairwise(edges)]
    return " | ".join(f"{100.0 * np.mean(part):.1f}" for part in [*parts, [value for *_, value in found]])


def table(norms: int = 2000, tests: int = 4000) -> str:
    """Everything in percent."""
    lines = [
        f"biomech_id {__version__}; seed {SEED}; curves of {POINTS} points.", "",
        "| percent | FWHM 5-10 | 10-20 | 20-30 | 30-40 | all |", "|---|---|---|---|---|---|",
        f"| new people inside the band of {norms} norms, n {SUBJECTS[0]} to {SUBJECTS[1]}, {NEW_PEOPLE} each "
        f"| {by_width(inside(norms))} |",
        *(
            f"| false alarms, {tests} pairs of {cycles[0]} to {cycles[1]} cycles | {by_width(false_alarms(tests, cycles))} |"
            for cycles in (FEW, MANY)
        ),
        "", "Random field theory is an upper estimate: with few cycles it finds a little less than 5 % where nothing is.", "",
        "| change of one number | SD of a cycle | SD of a session | cycles | found, % | predicted, % |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for change, cycle_sd, session_sd, n in ((5.0, 2.0, 1.5, 6), (5.0, 3.0, 1.0, 5), (5.0, 1.5, 2.5, 10), (0.0, 2.0, 1.5, 6)):
        found, said = found_changes(2000, change=change, cycle_sd=cycle_sd, session_sd=session_sd, n=n)
        lines.append(f"| {change:g} | {cycle_sd:g} | {session_sd:g} | {n} + {n} | {100 * found:.1f} | {100 * said:.1f} |")
    return "\n".join(lines) + "\n"


def main(_arguments: Sequence[str] = ()) -> int:
    """Write the table."""
    TABLE.write_text("# Whole curves by chance\n\n" + table(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
