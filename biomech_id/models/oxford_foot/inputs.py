"""What the Oxford foot model takes of a recording: markers by label, measurements, and what is missing of one foot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import MM_PER_M, SIDES
from biomech_id.models.oxford_foot.calibration import FOREFOOT, HINDFOOT, STORED_HEEL
from biomech_id.models.oxford_foot.options import FootOptions
from biomech_id.models.oxford_foot.shank import LegSizes
from biomech_id.trial import Subject, Trial

#: Markers of one foot that no leg model has; who puts on half of them means the foot model.
OWN = ("LCA", "STL", "CPG", "P1M", "P5M", "D5M")
#: Field of `Subject` -> its name in PROCESSING.
_SIDED = {
    "leg_length_m": "LegLength", "knee_width_m": "KneeWidth", "ankle_width_m": "AnkleWidth",
    "asis_trochanter_distance_m": "AsisTrocanterDistance",
    "thigh_rotation_rad": "ThighRotation", "shank_rotation_rad": "ShankRotation",
}  # fmt: skip
#: Of markers whose diameter nobody knows, m.
_USUAL_DIAMETER_M = 0.014


def foot_markers(trial: Trial) -> dict[str, FloatArray]:
    """Return the markers of a recording that it shows.

    Parameters
    ----------
    trial : Trial
        With markers under their Plug-in Gait names.

    Returns
    -------
    dict[str, FloatArray]
        Label -> (n, 3), metres, laboratory axes with Z up; the heel that older software smoothed is among them as LHE1, RHE1.
    """
    markers = {name: trial.markers[name] for name in trial.markers.names if trial.markers.present(name)}
    for name in (side + STORED_HEEL for side in SIDES):
        if name not in markers and name in trial.model_outputs:
            markers[name] = trial.model_outputs[name] / MM_PER_M
    return markers


def is_worn(labels: Mapping[str, object], side: str) -> bool:
    """Whether somebody meant the foot model on one side.

    Parameters
    ----------
    labels : Mapping[str, object]
        Labels of a recording.
    side : str
        Foot that is asked about, "L" or "R".
    """
    return 2 * sum(side + name in labels for name in OWN) >= len(OWN)


def lacking_labels(labels: Mapping[str, object], side: str) -> tuple[str, ...]:
    """Return what a recording lacks of one foot.

    Parameters
    ----------
    labels : Mapping[str, object]
        Labels of a recording.
    side : str
        Foot whose markers are looked for, "L" or "R".

    Returns
    -------
    tuple[str, ...]
        Labels of hindfoot and forefoot that are not there.
    """
    return tuple(side + name for name in (*HINDFOOT, *FOREFOOT) if side + name not in labels)


def leg_sizes(trial: Trial, subject: Subject, side: str, options: FootOptions) -> LegSizes:
    """Return the measurements of one leg as the foot model takes them.

    What somebody typed beats the file; of the file its own numbers are taken, unrounded and whatever they are, and the markers'
    diameter is always the file's.

    Parameters
    ----------
    trial : Trial
        A recording whose file may hold measurements.
    subject : Subject
        Who was measured, with what somebody typed.
    side : str
        Leg whose measurements are wanted, "L" or "R".
    options : FootOptions
        Whether widths are means of both sides.

    Returns
    -------
    LegSizes
        In metres and radians; NaN where nobody measured.
    """
    stored = trial.stored_numbers
    both = {field: _both(subject, stored, field, name) for field, name in _SIDED.items()}

    def mean(field: str, of: str) -> float:
        values = [both[field][each] for each in of if each in both[field]]
        return float(np.mean(values)) if values else float("nan")

    of = side if options.widths == "own" else "LR"
    diameter_mm, between_mm = stored.get("MarkerDiameter"), stored.get("InterAsisDistance")
    between = subject.inter_asis_distance_m
    if between_mm and (between is None or _of_file(subject, "inter_asis_distance_m")):
        between = between_mm / MM_PER_M
    return LegSizes(
        mean("leg_length_m", "LR"), mean("knee_width_m", of), mean("ankle_width_m", of),
        diameter_mm / MM_PER_M if diameter_mm else subject.marker_diameter_m or _USUAL_DIAMETER_M,
        between, both["asis_trochanter_distance_m"], both["thigh_rotation_rad"], both["shank_rotation_rad"],
    )  # fmt: skip


def _both(subject: Subject, stored: Mapping[str, float], field: str, name: str) -> dict[str, float]:
    """Side -> one measurement of both legs, m or rad."""
    known: Mapping[str, Any] = getattr(subject, field)
    values = dict(known)
    if not values or _of_file(subject, field):
        unit = 1.0 if field.endswith("_rad") else MM_PER_M
        values |= {side: stored[side + name] / unit for side in SIDES if side + name in stored}
    return values


def _of_file(subject: Subject, field: str) -> bool:
    return subject.sources.get(field, "").startswith("PROCESSING")
