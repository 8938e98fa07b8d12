"""How big the markers are: as measured, else as the file's own joint centres tell, else as most laboratories' are.

A marker's diameter decides where joint centres lie, and files that were processed seldom hold it. A stored knee centre tells it:
the joint is half a knee's width and a marker's radius away from the knee marker.
"""

from __future__ import annotations

import numpy as np

from biomech_id.conventions import MM_PER_M, SIDES
from biomech_id.errors import Finding
from biomech_id.models.joint_centres.anatomical import DEFAULT_MARKER_DIAMETER_M
from biomech_id.trial import Subject, Trial

#: Marker diameters that laboratories use; a distance that implies another is not a marker's radius. They come in half millimetres.
DIAMETERS_M = (0.004, 0.030)
DIAMETER_STEP_M = 0.0005
#: Stored centres whose distance from the knee marker varies by more than this were not computed from these markers.
STEADY_M = 0.0005


def marker_radius_m(trial: Trial, subject: Subject) -> tuple[float, tuple[Finding, ...]]:
    """Return the markers' radius.

    Parameters
    ----------
    trial : Trial
        The one that calibrates, with the markers' roles.
    subject : Subject
        The marker diameter and the knee widths are asked.

    Returns
    -------
    radius_m : float
        As measured, else as stored centres imply, else 7 mm.
    findings : tuple[Finding, ...]
        What was assumed, or contradicts the measured one.
    """
    given, implied = subject.marker_diameter_m, implied_diameter_m(trial, subject)
    if given is None and implied is None:
        values = {"diameter_mm": DEFAULT_MARKER_DIAMETER_M * MM_PER_M, "widths_measured": True}
        return DEFAULT_MARKER_DIAMETER_M / 2, (Finding("marker-diameter-assumed", values, trial.name),)
    if given is None and implied is not None:
        return implied / 2, (Finding("marker-diameter-from-outputs", {"diameter_mm": implied * MM_PER_M}, trial.name),)
    assert given is not None
    if implied is None or abs(implied - given) <= DIAMETER_STEP_M:
        return given / 2, ()
    values = {"given_mm": given * MM_PER_M, "implied_mm": implied * MM_PER_M}
    return given / 2, (Finding("marker-diameter-contradicted", values, trial.name),)


def implied_diameter_m(trial: Trial, subject: Subject) -> float | None:
    """Return the marker diameter with which the trial's stored knee centres were computed.

    Parameters
    ----------
    trial : Trial
        With the markers' roles; stored knee centres are ``LFEO`` and ``RFEO``, millimetres.
    subject : Subject
        The knee widths are asked.

    Returns
    -------
    float | None
        Metres, to half a millimetre; None where no centres are stored or they fit no marker.
    """
    diameters_m = []
    for side in SIDES:
        centre, width = trial.model_outputs.get(f"{side}FEO"), subject.knee_width_m.get(side)
        if centre is None or width is None or not trial.markers.shows(side, "lateral_epicondyle"):
            continue
        distance = np.linalg.norm(trial.markers.on(side, "lateral_epicondyle") - centre / MM_PER_M, axis=1)
        distance = distance[np.isfinite(distance)]
        if distance.size and np.ptp(np.percentile(distance, [5, 95])) < STEADY_M:
            diameters_m.append(2 * (float(np.median(distance)) - width / 2))
    if not diameters_m or np.ptp(diameters_m) > DIAMETER_STEP_M or not DIAMETERS_M[0] <= diameters_m[0] <= DIAMETERS_M[1]:
        return None
    return round(float(np.mean(diameters_m)) / DIAMETER_STEP_M) * DIAMETER_STEP_M
