"""The untouched walks that the spread of residuals is learnt from: 39 of 18 people of three laboratories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.studies.cut_gaps import SHARED
from benchmarks.studies.designed_faults import Recording
from benchmarks.studies.unseen_faults import legs_of, lined_up
from biomech_id.judgement.diagnosis.recorded import Recorded, recorded_walk
from biomech_id.models.conventional.model import stored_conventional_model
from biomech_id.readers import read_recording
from biomech_id.trial import Trial

#: Person -> static trial, walks; the first one stands for the person without its static trial too.
CHILDREN = {
    "HC002D": ("02", "06", "25"), "HC030A": ("01", "05", "22"), "HC031A": ("01", "06", "23"), "HC032A": ("01", "03", "18"),
    "HC033A": ("01", "10", "22"), "HC036A": ("01", "10", "23"),
}  # fmt: skip
TUNED = "labs_abroad/device_tuned_rotation"
ADULTS = (
    ("device", "knee_device/kad/PiGKad_Calibration", ("knee_device/kad/PiGKad_Motion",), False),
    ("device", "knee_device/kad_medial/PiGKadMed_Calibration", ("knee_device/kad_medial/PiGKadMed_Motion",), False),
    ("tuned", f"{TUNED}/static", (f"{TUNED}/walk03", f"{TUNED}/walk05"), False),
    ("third", "plug_in_gait/PiG_Calibration3_FF", ("plug_in_gait/PiG_Motion3_FF",), True),
    ("fourth", "swaying_static/PiG_Calibration4", ("swaying_static/PiG_Motion4_noFF_noHO",), True),
)  # fmt: skip
#: Diameter of the markers of those whose files do not say it, metres.
DIAMETER_M = 0.014


def untouched_walks(folder: Path = SHARED) -> Iterator[tuple[str, Recorded]]:
    """Yield person and walk, 39 of 18 people.

    Parameters
    ----------
    folder : Path, optional
        With the recordings.
    """
    children = [
        (child, f"children/{child}/{child}{static}", tuple(f"children/{child}/{child}{walk}" for walk in walks), True)
        for child, (static, *walks) in CHILDREN.items()
    ]
    for person, static, walks, without in (*children, *ADULTS):
        trials = [_read(folder, walk) for walk in walks]
        for trial in trials:
            walk = lined_up(Recording(trial.name, _read(folder, static), trial))
            assert walk is not None, trial.name
            yield person, recorded_walk(*walk)
        if without:
            yield person, recorded_walk(trials[0], stored_conventional_model([trials[0]]))
    for path in sorted((folder / "norm_subjects").glob("*/*.c3d")):
        trial = legs_of(read_recording(path, trust=True).trial)
        trial = replace(trial, subject=trial.subject.with_values("study", marker_diameter_m=DIAMETER_M))
        yield path.parent.name, recorded_walk(trial, stored_conventional_model([trial]))


def _read(folder: Path, name: str) -> Trial:
    return legs_of(read_recording(folder / f"{name}.c3d", trust=True).trial)
