"""Healthy people left out of a norm, one after the other: does their whole mean curve stay inside the band of the others?

``BIOMECH_ID_SHARED=... python -m benchmarks.studies.left_out_subjects`` analyses the healthy children and adolescents of the
recordings beside the project with the conventional model, makes a norm of all but one, and asks of every joint angle, moment and
power whether the one who was left out stays inside the simultaneous band that shall hold 95 % of new people. The table beside this
module has each count with its exact binomial interval (Clopper and Pearson 1934, Biometrika 26:404).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import betaincinv

import biomech_id as bid
from biomech_id import __version__
from biomech_id.norms.contributors import NormSample, samples_of
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.statistics.one_person import curve_against, whole_curve_sd

TABLE = Path(__file__).with_suffix(".md")
#: Folders of healthy people, a folder each.
LABORATORIES = ("children", "norm_subjects")
#: Share of new people whose whole curve shall stay inside.
SHALL = 0.95
VARIABLES: tuple[tuple[str, str], ...] = (
    ("PelvisAngles", "X"), ("PelvisAngles", "Y"), ("PelvisAngles", "Z"), ("HipAngles", "X"), ("HipAngles", "Y"), ("HipAngles", "Z"),
    ("KneeAngles", "X"), ("KneeAngles", "Y"), ("KneeAngles", "Z"), ("AnkleAngles", "X"), ("AnkleAngles", "Z"),
    ("FootProgressAngles", "Z"), ("HipMoment", "X"), ("HipMoment", "Y"), ("KneeMoment", "X"), ("KneeMoment", "Y"),
    ("AnkleMoment", "X"), ("HipPower", ""), ("KneePower", ""), ("AnklePower", ""),
)  # fmt: skip


@dataclass(frozen=True)
class Count:
    """How many of the people left out stay inside, of one variable."""

    inside: int
    people: int
    #: Number of people whose mean +- 2 SD holds the whole curve: what a reader's eye would take the grey band for.
    inside_two_sd: int

    @property
    def interval(self) -> tuple[float, float]:
        """Exact 95 % interval of the share, Clopper and Pearson."""
        return exact_interval(self.inside, self.people)


def exact_interval(inside: int, people: int) -> tuple[float, float]:
    """Ends of the exact binomial interval of a share, 95 %."""
    low = float(betaincinv(inside, people - inside + 1, 0.025)) if inside else 0.0
    high = float(betaincinv(inside + 1, people - inside, 0.975)) if inside < people else 1.0
    return low, high


def people_of(sessions: Iterable[bid.Tables]) -> tuple[NormSample, ...]:
    """What each person contributes to a norm, computed as the norm computes it."""
    return samples_of(norm_from_sessions(sessions, source="left out one by one", mix=("hip_centre", "bandwidth")))


def counted(people: Sequence[NormSample], name: tuple[str, str]) -> Count:
    """Each person against the norm of the others."""
    curves = [curve for person in people if (curve := person.values.get(name)) is not None and np.isfinite(curve).all()]
    inside = two_sd = 0
    for at, curve in enumerate(curves):
        others = np.stack(curves[:at] + curves[at + 1 :])
        mean, sd = others.mean(axis=0), others.std(axis=0, ddof=1)
        found = curve_against(curve, mean, sd, n=len(others), reach_sd=whole_curve_sd(others))
        inside += found is not None and not found.outside
        two_sd += bool((np.abs(curve - mean) <= 2.0 * sd).all())
    return Count(inside, len(curves), two_sd)


def table(people: Sequence[NormSample]) -> str:
    """One line a variable, and all together."""
    counts = {name: counted(people, name) for name in VARIABLES}
    whole = Count(
        sum(c.inside for c in counts.values()),
        sum(c.people for c in counts.values()),
        sum(c.inside_two_sd for c in counts.values()),
    )
    lines = [
        "# Healthy people left out of a norm", "",
        f"biomech_id {__version__}; conventional model; {len(people)} healthy children and adolescents of two laboratories, each "
        f"against the norm of the others; mean curves of left and right together. Inside shall be {100 * SHALL:.0f} %.", "",
        "| variable | people | whole curve inside the simultaneous band | share, % | exact 95 % interval, % | inside mean ± 2 SD |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    lines += [_row(" ".join(name).strip(), count) for name, count in counts.items()]
    lines += [
        _row("all", whole), "",
        "The variables of one person are not independent: the interval of all together is narrower than it should be.", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _row(name: str, count: Count) -> str:
    low, high = count.interval
    share = 100.0 * count.inside / count.people
    return (
        f"| {name} | {count.people} | {count.inside} | {share:.1f} | {100 * low:.1f} to {100 * high:.1f} | {count.inside_two_sd} |"
    )


def main(_arguments: Sequence[str] = ()) -> int:
    """Write the table; it needs the recordings beside the project."""
    shared = Path(os.environ.get("BIOMECH_ID_SHARED", "/nowhere")) / "c3d"
    folders = [folder for name in LABORATORIES if (shared / name).is_dir() for folder in sorted((shared / name).iterdir())]
    if not folders:
        print("left_out_subjects: no recordings beside the project (BIOMECH_ID_SHARED); the table stays as it is")
        return 0
    results = (bid.analyse(folder, model="conventional", uncertainty=False).tables() for folder in folders if folder.is_dir())
    TABLE.write_text(table(people_of(results)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
