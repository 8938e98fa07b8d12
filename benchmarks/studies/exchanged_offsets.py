"""Offsets of another person in a walk without a static trial, or with a sign turned: what its own recording says against them.

``python -m benchmarks.studies.exchanged_offsets [C3D_DIR]`` gives one walk of every person whose files store the six offsets of
each leg the offsets of every other one, turns the sign of one kind of offset, and turns a thigh alone, and calibrates and judges it
as a run without a static trial does: with the stored outputs beside it, and stripped of them. Nothing is drawn by chance. The
table lies beside this module.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path

import numpy as np

from benchmarks.studies.cut_gaps import SHARED
from biomech_id import Trial, __version__
from biomech_id.conventions import MM_PER_M, SIDES
from biomech_id.judgement.calibration_evidence import computed_again
from biomech_id.models.conventional.implied_calibration import implied_calibration
from biomech_id.models.conventional.model import stored_conventional_model
from biomech_id.models.conventional.stored_calibration import LEARNT
from biomech_id.readers import read_recording

TABLE = Path(__file__).with_suffix(".md")
#: One walk of each person that stores offsets, outputs and a diameter that its own centres imply.
WALKS = (
    "norm_subjects/NP1002/walkNorm_NP1002a07", "norm_subjects/NP1003/walkNorm_NP1003a09", "norm_subjects/NP1006/walkNorm_NP1006a12",
    "norm_subjects/NP1010/walkNorm_NP1010a15", "norm_subjects/NP1013/walkNorm_NP1013a16", "norm_subjects/NP1022/walkNorm_NP1022a06",
    "norm_subjects/NP1025/walkNorm_NP1025a16", "norm_subjects/NP1027/walkNorm_NP1027a18", "children/HC002D/HC002D06",
    "children/HC030A/HC030A05", "children/HC031A/HC031A06", "children/HC032A/HC032A03", "children/HC033A/HC033A10",
    "children/HC036A/HC036A10", "labs_abroad/device_tuned_rotation/walk03", "swaying_static/PiG_Motion4_noFF_noHO",
    "knee_device/kad/PiGKad_Motion", "knee_device/kad_medial/PiGKadMed_Motion", "plug_in_gait/PiG_Motion3_FF_N18",
)  # fmt: skip
THIGH, ABDUCTION = "thigh_rotation_rad", "ankle_abduction_rad"
#: Least difference, deg, that must be said where outputs are stored: a degree of abduction makes 0.3 degrees of an angle.
LEAST_DEG = {field: 2.0 if field == ABDUCTION else 1.0 for field in LEARNT}
TURNS_DEG = (5.0, 10.0, 15.0, 20.0)
#: What speaks against offsets, and does not merely say that nothing could.
FEET = {"foot-offset-doubtful", "foot-offsets-off"}
AGAINST = {"stored-angles-differ", "thigh-offset-doubtful"} | FEET
Offsets = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Case:
    """One walk with offsets that are not its own: how far each kind is off at most, and whether that was said."""

    off_deg: dict[str, float]
    stored: frozenset[str]
    stripped: frozenset[str]


def walk(path: Path) -> Trial:
    """A walk with the marker diameter that its own outputs imply, which stays where they are stripped."""
    trial = read_recording(path, trust=True).trial
    if trial.subject.marker_diameter_m:
        return trial
    diameter_m = next(leg.diameter_mm for leg in implied_calibration(trial, static=False).values()) / MM_PER_M
    return replace(trial, subject=trial.subject.with_values("its outputs", marker_diameter_m=diameter_m))


def offsets_of(trial: Trial) -> Offsets:
    """Kind -> side -> rad."""
    return {field: {side: getattr(trial.subject, field)[side] for side in SIDES} for field in LEARNT}


def judged(trial: Trial, offsets: Offsets, *, stored: bool = True) -> Case:
    """What is said of a walk with these offsets; ``stored`` False leaves the walk with its outputs out."""
    own = offsets_of(trial)
    off = {field: float(np.rad2deg(max(abs(offsets[field][s] - own[field][s]) for s in SIDES))) for field in LEARNT}
    changed = replace(trial, subject=trial.subject.with_values("another person", **offsets))
    walks = {True: changed, False: replace(changed, model_outputs={})}
    said = {
        kept: AGAINST & {found.rule for found in computed_again(stored_conventional_model([one]), [one])}
        for kept, one in walks.items()
        if stored or not kept
    }
    return Case(off, frozenset(said.get(True, ())), frozenset(said[False]))


def turned(own: Offsets, field: str, by_deg: float) -> Offsets:
    """One kind of offset turned on both sides."""
    return own | {field: {side: value + np.deg2rad(by_deg) for side, value in own[field].items()}}


def signs(trials: Sequence[Trial]) -> Iterator[tuple[str, Case]]:
    """Yield every walk with the sign of one kind of offset turned on both sides."""
    for trial in trials:
        own = offsets_of(trial)
        for field in LEARNT:
            yield field, judged(trial, own | {field: {side: -value for side, value in own[field].items()}})


def share(flags: Sequence[bool]) -> str:
    """ "said / cases (percent)"."""
    return f"{sum(flags)} of {len(flags)} ({100.0 * sum(flags) / max(len(flags), 1):.1f} %)"


def main(folder: Path = SHARED) -> int:
    """Write the table."""
    trials = [walk(folder / f"{name}.c3d") for name in WALKS]
    own = [judged(trial, offsets_of(trial)) for trial in trials]
    pairs = [judged(one, offsets_of(other)) for one, other in permutations(trials, 2)]
    apart = [case for case in pairs if any(case.off_deg[field] >= LEAST_DEG[field] for field in LEARNT)]
    far = [case for case in pairs if max(case.off_deg.values()) >= 10.0]
    thighs = [case for case in pairs if case.off_deg[THIGH] >= 10.0]
    by_sign = list(signs(trials))
    changed = [case for _, case in by_sign if any(case.off_deg[field] >= LEAST_DEG[field] for field in LEARNT)]
    rows = [
        ("as recorded, outputs stored", share([bool(case.stored) for case in own])),
        ("as recorded, stripped", share([bool(case.stripped) for case in own])),
        ("exchanged, any 1 degree off (abduction 2), outputs stored", share([bool(case.stored) for case in apart])),
        ("sign turned, 1 degree off (abduction 2), outputs stored", share([bool(case.stored) for case in changed])),
        ("exchanged, any 10 degrees off, stripped", share([bool(case.stripped) for case in far])),
        ("of these by the foot alone", share([bool(FEET & case.stripped) for case in far])),
        ("of these by both feet alike, a warning", share(["foot-offsets-off" in case.stripped for case in far])),
        ("of these by the shank's length alone", share(["thigh-offset-doubtful" in case.stripped for case in far])),
        ("exchanged, a thigh rotation 10 degrees off, stripped", share([bool(case.stripped) for case in thighs])),
    ]
    for by_deg in TURNS_DEG:
        cases = [judged(t, turned(offsets_of(t), THIGH, s * by_deg), stored=False) for t in trials for s in (1.0, -1.0)]
        rows.append((f"thigh rotation alone {by_deg:.0f} degrees off, stripped", share([bool(case.stripped) for case in cases])))
    for field in LEARNT:
        cases = [case for of, case in by_sign if of == field and case.off_deg[field] >= 10.0]
        rows.append(
            (
                f"sign of {field.removesuffix('_rad').replace('_', ' ')} turned, 10 degrees off, stripped",
                share([bool(c.stripped) for c in cases]),
            )
        )
    lines = [
        f"biomech_id {__version__}, {len(trials)} walks of as many people, {len(pairs)} pairs",
        "",
        "| offsets | said |",
        "|---|---|",
    ]
    TABLE.write_text("\n".join([*lines, *(f"| {words} | {said} |" for words, said in rows)]) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:2])))
