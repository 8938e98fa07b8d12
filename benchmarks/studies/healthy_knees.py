"""Varus and flexion of healthy knees in swing: how far a knee's varus follows its flexion where nobody has a gait disorder.

``BIOMECH_ID_SHARED=... python -m benchmarks.studies.healthy_knees`` analyses the healthy children and adolescents of the recordings
beside the project with the conventional model, each on the placement of the markers that its laboratory made, and writes the table
beside this module, from which `models.joint_centres.knee_axis_walk.HEALTHY_SLOPE` comes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import biomech_id as bid
from biomech_id import __version__
from biomech_id.conventions import SIDES
from biomech_id.judgement.knee_axis import judge_knee_axes
from biomech_id.models.joint_centres.knee_axis_walk import CLOSE_CORRELATION, HEALTHY_SLOPE, WIDE_DEG, KneeEvidence

TABLE = Path(__file__).with_suffix(".md")
#: Folders of healthy people, a folder each: one laboratory has a static trial of everybody, the other's files store its offsets.
LABORATORIES = ("children", "norm_subjects")
#: Share of legs that the limit lets pass.
SHARE = 0.95


@dataclass(frozen=True)
class Leg:
    """One leg's swing in all straight walks of its session."""

    who: str
    side: str
    slope: float
    correlation: float
    varus_range_deg: float
    flexion_deg: float
    turn_deg: float
    error_deg: float
    evidence: str

    @property
    def row(self) -> str:
        return (
            f"| {self.who} | {self.side} | {self.slope:.3f} | {self.correlation:.2f} | {self.varus_range_deg:.1f} | "
            f"{self.flexion_deg:.0f} | {self.turn_deg:.1f} | {self.error_deg:.1f} | {self.evidence} |"
        )


def legs_of(folder: Path) -> Iterator[Leg]:
    """Both legs of one person."""
    judged = judge_knee_axes(bid.analyse(folder, model="conventional", uncertainty=False).computed.trials)
    for side in SIDES:
        if side in judged:
            said = judged[side]
            yield Leg(
                folder.name, side, said["knee_varus_slope"], said["knee_varus_correlation"], said["knee_varus_range_deg"],
                said["knee_flexion_in_swing_deg"], said["knee_axis_turn_deg"], said["knee_axis_turn_error_deg"],
                said["knee_axis_evidence"],
            )  # fmt: skip


def limit(legs: Sequence[Leg]) -> float:
    """The least slope of these that at least `SHARE` of them do not exceed."""
    slopes = sorted(abs(leg.slope) for leg in legs)
    return slopes[-(-len(slopes) * round(100 * SHARE) // 100) - 1]


def table(legs: Sequence[Leg]) -> str:
    """The legs, and what follows from them."""
    named, wider, follow = (
        [leg for leg in legs if leg.evidence == kind] for kind in (KneeEvidence.TURNED, KneeEvidence.WIDE, KneeEvidence.FOLLOWS)
    )
    close = sum(abs(leg.correlation) > CLOSE_CORRELATION for leg in legs)
    wide = sum(leg.varus_range_deg > 10.0 for leg in legs)
    return "\n".join([
        "# Healthy knees in swing", "",
        f"biomech_id {__version__}; conventional model; {len(legs)} legs of {len({leg.who for leg in legs})} healthy children and "
        "adolescents.", "",
        "| person | side | slope of varus on flexion, deg a deg | correlation | range of varus, deg | largest flexion, deg "
        "| turn, deg | its error | evidence |",
        "|---|---|---|---|---|---|---|---|---|", *(leg.row for leg in legs), "",
        f"{wide} of {len(legs)} legs range over more than 10 degrees, {close} have a correlation above {CLOSE_CORRELATION:g}. "
        f"{100 * SHARE:.0f} % do not exceed a slope of {limit(legs):.3f}; the limit is {HEALTHY_SLOPE:g} together with that "
        f"correlation, and {len(named)} of {len(legs)} ({100 * len(named) / len(legs):.1f} %) are named by it: "
        f"{', '.join(f'{leg.who} {leg.side}' for leg in named) or 'none'}. Above {WIDE_DEG:g} degrees range "
        f"{len(wider)}; {len(follow)} ({100 * len(follow) / len(legs):.0f} %) are worth a line: "
        f"{', '.join(f'{leg.who} {leg.side}' for leg in follow) or 'none'}.",
        "",
    ])  # fmt: skip


def main(_arguments: Sequence[str] = ()) -> int:
    """Write the table; it needs the recordings beside the project."""
    shared = Path(os.environ.get("BIOMECH_ID_SHARED", "/nowhere")) / "c3d"
    folders = [folder for name in LABORATORIES if (shared / name).is_dir() for folder in sorted((shared / name).iterdir())]
    if not folders:
        print("healthy_knees: no recordings beside the project (BIOMECH_ID_SHARED); the table stays as it is")
        return 0
    TABLE.write_text(table([leg for folder in folders if folder.is_dir() for leg in legs_of(folder)]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
