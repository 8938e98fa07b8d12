"""Body mass from quiet standing: what the plates carry when somebody stands on them and nowhere else."""

from __future__ import annotations

import numpy as np

from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.errors import MissingInputError
from biomech_id.feet.feet_on_plates import depth_inside
from biomech_id.feet.landmarks import Landmarks, find_landmarks
from biomech_id.trial import Trial

#: Standing is quiet when the force's standard deviation is below this share of its mean; breathing and sway move it by about 1 %.
QUIET_SHARE = 0.02
#: Less than this is not a person (kg), and shorter than this not standing (s).
LEAST_MASS_KG = 3.0
LEAST_DURATION_S = 0.25
#: A foot marker may stand so far beyond a plate's edge (m): markers are worn outside the sole.
BEYOND_EDGE_M = 0.01


def standing_mass_kg(trial: Trial) -> float | None:
    """Return body mass in kg from quiet standing on the plates, or None if the trial does not show it.

    Both feet have to stand wholly on plates, and the sum of the plates' vertical forces has to be steady. The mean of a quiet
    standing trial is the weight to within what breathing moves (about 1 %).

    Parameters
    ----------
    trial : Trial
        Somebody standing still; plates hold the reaction on the subject, laboratory axes, Z up.

    Returns
    -------
    float | None
        Kilograms.
    """
    if not trial.plates or trial.n_frames / trial.rate_hz < LEAST_DURATION_S:
        return None
    weight_N = np.sum([plate.force_lab_N[:, 2] for plate in trial.plates], axis=0)
    mean_N, spread_N = float(weight_N.mean()), float(weight_N.std())
    steady = mean_N > LEAST_MASS_KG * GRAVITY_M_S2 and spread_N < QUIET_SHARE * mean_N
    return mean_N / GRAVITY_M_S2 if steady and _feet_on_plates(trial) else None


def _feet_on_plates(trial: Trial) -> bool:
    """Whether heel and toe of both feet lie over some plate throughout."""
    try:
        landmarks: Landmarks = find_landmarks(trial)
    except MissingInputError:
        return False
    points = [paths[side] for paths in (landmarks.heel_lab_m, landmarks.toe_lab_m) for side in ("L", "R") if side in paths]
    if len(points) < 4:
        return False
    places = [np.nanmean(path, axis=0)[None] if np.isfinite(path).any() else np.full((1, 3), np.nan) for path in points]
    return all(any((depth_inside(plate, place) > -BEYOND_EDGE_M).all() for plate in trial.plates) for place in places)
