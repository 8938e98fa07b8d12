"""What movements with flight are measured by, from a solved trial: runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biomech_id.gait.landmarks import Landmarks
from biomech_id.gait.movements import TrialKind
from biomech_id.gait.running import Runner, VerticalForce, running_parameters
from biomech_id.gait.travel import Travel
from biomech_id.results.session.values import TrialResult
from biomech_id.trial import ForcePlate


def with_running(result: TrialResult, landmarks: Landmarks, travel: Travel, leg_length_m: float | None) -> TrialResult:
    """Return a run with its measures among the parameters; any other movement as it is.

    Parameters
    ----------
    result : TrialResult
        Solved and cut into cycles.
    landmarks : Landmarks
        Its pelvis and feet.
    travel : Travel
        How it moves through the laboratory.
    leg_length_m : float | None
        Mean of both legs.
    """
    if result.kind is not TrialKind.RUN:
        return result
    whole = result.motion.whole
    centre = landmarks.pelvis_lab_m if whole is None else whole.com_lab_m
    first_s = float(result.motion.time_s[0])
    runner = Runner(
        landmarks, travel, centre, result.shown_contacts, vertical_force(result.plates, first_s), result.mass_kg, leg_length_m,
        result.floor_m,
    )  # fmt: skip
    # What a walk is measured by has other names here.
    kept = tuple(row for row in result.parameters if row.parameter not in ("cadence", "cadence_dimensionless", "stance_time"))
    return replace(result, parameters=(*kept, *running_parameters(runner, result.cycles)))


def vertical_force(plates: Sequence[ForcePlate], first_s: float) -> VerticalForce | None:
    """Return the vertical force of all plates together, as recorded; None without plates.

    Parameters
    ----------
    plates : Sequence[ForcePlate]
        Of one trial.
    first_s : float
        Time of their first sample, absolute seconds.
    """
    if not plates:
        return None
    rate_hz = plates[0].rate_hz
    force = np.sum([plate.force_lab_N[:, 2] for plate in plates], axis=0)
    return VerticalForce(first_s + np.arange(len(force)) / rate_hz, force, rate_hz)
