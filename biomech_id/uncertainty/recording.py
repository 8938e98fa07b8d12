"""What can be wrong with a trial, and by how much: sources of error of its joint moments, sized for this recording and body."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import MM_PER_M
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.model_errors import NOISY_POINTS, LegResponse, ModelErrors, MovableBody
from biomech_id.signal.derivatives import quintic_derivatives
from biomech_id.signal.filter_choice import FilterChoice
from biomech_id.signal.filters import LowPass
from biomech_id.uncertainty.leg import leg_errors
from biomech_id.uncertainty.marker_errors import MARKER_SOURCES, LegMarkerErrors
from biomech_id.uncertainty.sizes import error_sizes
from biomech_id.uncertainty.sources import ErrorSource
from biomech_id.values import dataclass, field

#: Samples (n, m) -> position, velocity, acceleration (n, m) each: a linear differentiator.
Differentiator = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]
#: Frames of the unit pulses that a differentiator is measured with: far more than any filter here remembers.
_PULSES = 101


@dataclass(frozen=True, eq=False)
class LegErrors:
    """What can be wrong with one leg of a trial.

    Attributes
    ----------
    sources : Mapping[str, Sequence[ErrorSource]]
        Source of ``uncertainty.csv`` -> its errors (see `uncertainty.leg.leg_errors`).
    markers : LegMarkerErrors | None, optional
        Markers that are off; None where nobody knows what they do, and assumed errors of joint centres and axes stand in for them.
    davis_sd_m : float, optional
        Standard deviation of the hip centre about its mean error, where it is that of Davis et al.'s regression; 0 elsewhere.
    sizes : Mapping[str, float], optional
        Name -> standard deviation of every error (see `sizes.error_sizes`).
    hip_sd_m : float, optional
        Standard deviation of the hip centre along each axis, metres.
    body : MovableBody | None, optional
        Markers of the whole body, the same for both legs; None where nothing above the pelvis is tracked.
    """

    sources: Mapping[str, Sequence[ErrorSource]]
    markers: LegMarkerErrors | None = None
    davis_sd_m: float = 0.0
    sizes: Mapping[str, float] = field(default_factory=error_sizes)
    hip_sd_m: float = 0.0
    body: MovableBody | None = None


def sources_of_error(
    motion: BodyMotion,
    model: ModelErrors,
    choice: FilterChoice,
    sizes: Mapping[str, float],
    responses: Mapping[str, LegResponse] = MappingProxyType({}),
    body: MovableBody | None = None,
) -> dict[str, LegErrors]:
    """Return what can be wrong with each leg of a trial.

    Parameters
    ----------
    motion : BodyMotion
        The trial as the body model tracked it.
    model : ModelErrors
        Which method found the hip, and what follows a joint centre that is off.
    choice : FilterChoice
        What was measured of the markers' noise, and whether they were filtered.
    sizes : Mapping[str, float]
        Name -> standard deviation (see `sizes.error_sizes`).
    responses : Mapping[str, LegResponse], optional
        Side -> what the model makes of markers that are off. For a leg not named, errors of its joint centres and axes are assumed.
    body : MovableBody | None, optional
        Markers of the whole body; None where nothing above the pelvis is tracked.

    Returns
    -------
    dict[str, LegErrors]
        Side -> errors, by the columns of ``uncertainty.csv``.
    """
    shown_m = choice.raw_noise_m(motion.rate_hz)
    shows = bool(np.isfinite(shown_m))
    # Noise that does not show was filtered by somebody else, before the recording was stored.
    filtered = choice.apply or not shows
    # A slow recording holds nothing that such a filter would have taken.
    cutoff_hz = choice.cutoff_hz if filtered and choice.cutoff_hz < motion.rate_hz / 2 else None
    errors = {}
    for side in motion.sides:
        hip = model.hip_error(side)
        hip_centre_mm = sizes.get(hip.size, hip.sd_mm)
        sources = leg_errors(
            sizes,
            hip_centre_mm=hip_centre_mm,
            noise_m=shown_m if shows else sizes["marker_noise_mm"] / MM_PER_M,
            gram=_gram(motion.rate_hz, cutoff_hz, choice.lowpass),
            gain=model.point_noise.get(side, np.eye(3 * len(NOISY_POINTS))),
            couplings={segment: coupling for (of, segment), coupling in model.couplings.items() if of == side},
        )
        markers = LegMarkerErrors(responses[side], motion, side, sizes) if side in responses else None
        if markers is not None:
            sources = {group: of_group for group, of_group in sources.items() if group not in MARKER_SOURCES}
        hip_m = hip_centre_mm / MM_PER_M
        errors[side] = LegErrors(sources, markers, hip_m if hip.has_shift else 0.0, sizes, hip_m, body)
    return errors


def noise_gram(differentiate: Differentiator, n_frames: int) -> FloatArray:
    """Return the Gram matrix of a differentiator's weights in the middle of a trial.

    Entry (a, b) times the variance of white noise on the samples is the covariance of derivatives a and b, each in the unit
    of the samples per s^a.

    Parameters
    ----------
    differentiate : Differentiator
        Turns a path into position, velocity and acceleration.
    n_frames : int
        Length of the trial that it is measured in.

    Returns
    -------
    FloatArray
        (3, 3).
    """
    middle = n_frames // 2
    weights = np.stack([result[middle] for result in differentiate(np.eye(n_frames))])
    return np.asarray(weights @ weights.T)


@lru_cache(maxsize=16)
def _gram(rate_hz: float, cutoff_hz: float | None, lowpass: LowPass) -> FloatArray:
    """Covariance of position, velocity and acceleration per variance of white noise on the raw path (see `noise_gram`)."""

    def used_path(raw: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        smooth = raw if cutoff_hz is None else lowpass.apply(raw, rate_hz, cutoff_hz)
        velocity, acceleration = quintic_derivatives(smooth, rate_hz)
        return smooth, velocity, acceleration

    return noise_gram(used_path, _PULSES)
