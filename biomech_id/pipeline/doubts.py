"""What can be wrong with a trial, and by how much: sources of error of its joint moments, sized for this recording and body."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import MM_PER_M
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.error_sizes import error_sizes
from biomech_id.dynamics.error_sources import ErrorSource
from biomech_id.dynamics.joint_shift import NOISY_POINTS
from biomech_id.dynamics.leg_errors import leg_errors
from biomech_id.dynamics.marker_noise import noise_gram
from biomech_id.pipeline.bodies import Body
from biomech_id.pipeline.recipe import Recipe
from biomech_id.signal.derivatives import quintic_derivatives
from biomech_id.signal.filter_choice import FilterChoice
from biomech_id.signal.filters import lowpass

#: Frames of the unit pulses that a differentiator is measured with: far more than any filter here remembers.
_PULSES = 101


def sources_of_error(
    motion: BodyMotion, body: Body, choice: FilterChoice, recipe: Recipe
) -> dict[str, dict[str, tuple[ErrorSource, ...]]]:
    """Return side -> sources of error of that leg's moments and powers, by the columns of ``uncertainty.csv``.

    Parameters
    ----------
    motion : the trial, tracked.
    body : how it was calibrated: which method found the hip, and what follows a joint centre that is off.
    choice : what was measured of the markers' noise, and whether they were filtered.
    recipe : sizes that differ from `dynamics.error_sizes.ERROR_SIZES`.
    """
    sizes = error_sizes(recipe.error_sizes)
    shown_m = choice.raw_noise_m(motion.rate_hz)
    shows = bool(np.isfinite(shown_m))
    # Noise that does not show was filtered by somebody else, before the recording was stored.
    filtered = choice.apply or not shows
    return {
        side: leg_errors(
            sizes,
            hip_centre_mm=sizes["hip_centre_davis_mm" if _by_davis(body.calibration) else "hip_centre_mm"],
            noise_m=shown_m if shows else sizes["marker_noise_mm"] / MM_PER_M,
            gram=_gram(motion.rate_hz, choice.cutoff_hz if filtered else None),
            gain=body.point_noise.get(side, np.eye(3 * len(NOISY_POINTS))),
            couplings={segment: coupling for (of, segment), coupling in body.couplings.items() if of == side},
        )
        for side in motion.sides
    }


def _by_davis(calibration: Mapping[str, object]) -> bool:
    """Whether the hip centres come from Davis' regression, which misses by more than the others."""
    sides = calibration.get("sides")
    methods = [calibration.get("hip_centre_method")]
    if isinstance(sides, Mapping):
        methods += [side.get("hip_centre_method") for side in sides.values()]
    return any("davis" in str(method).lower() for method in methods)


@lru_cache(maxsize=16)
def _gram(rate_hz: float, cutoff_hz: float | None) -> FloatArray:
    """Covariance of position, velocity and acceleration per variance of white noise on the raw path (see `noise_gram`)."""

    def used_path(raw: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        smooth = raw if cutoff_hz is None else lowpass(raw, rate_hz, cutoff_hz)
        velocity, acceleration = quintic_derivatives(smooth, rate_hz)
        return smooth, velocity, acceleration

    return noise_gram(used_path, _PULSES)
