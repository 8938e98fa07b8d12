"""From the analog rate to the video rate: what the plates measured at the instant of a video frame.

Sample ``i * ratio`` is taken at the instant of frame ``i``. Two ways are kept: the plain mean that the conventional model's
software uses, and a local parabola, whose value at the frame is the true value of any force that is cubic over the window.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray

#: Analog samples per frame -> samples before and behind the frame in the vendor's mean, where it is not centred.
OFF_CENTRE = {5: (2, 4)}


def window_mean(samples: FloatArray, n_frames: int, ratio: int) -> FloatArray:
    """Plain mean of the samples i*ratio - h .. i*ratio + h, h = floor(ratio / 2), with zeros beyond the ends.

    This is what Vicon's software stores as ground reaction at the video rate (11 samples for a ratio of 10, 9 for 9). For a ratio
    of 5 its window is off centre, from two samples before the frame to four behind it: regressed on two recordings and held on a
    third, no rule known. It is biased by the force's curvature: w^2 f'' / 24 for a window of w seconds.

    Parameters
    ----------
    samples : FloatArray
        (m, ...), any unit.
    n_frames : int
        Number of video frames.
    ratio : int
        Analog samples per video frame.

    Returns
    -------
    FloatArray
        (n_frames, ...), in the unit of ``samples``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.resample import window_mean
    >>> window_mean(np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), 2, 3)
    array([0.33333333, 3.        ])
    """
    before, after = OFF_CENTRE.get(ratio, (ratio // 2, ratio // 2))
    half = max(before, after)
    weights = np.zeros(2 * half + 1)
    weights[half - before : half + after + 1] = 1.0 / (before + after + 1)
    return _weighted(samples, n_frames, ratio, weights, pad="zeros")


def local_quadratic(samples: FloatArray, n_frames: int, ratio: int) -> FloatArray:
    """Value at each frame of the least-squares parabola through the samples within half a frame of it.

    The window is that of `window_mean`, so noise is averaged over the same time, but the fit is exact for forces that are
    polynomials up to the third degree in the window (Savitzky and Golay 1964, Anal Chem 36:1627). With fewer than five samples in
    the window the sample at the frame itself is returned. Beyond the ends the nearest sample is repeated.

    Parameters
    ----------
    samples : FloatArray
        (m, ...), any unit.
    n_frames : int
        Number of video frames.
    ratio : int
        Analog samples per video frame.

    Returns
    -------
    FloatArray
        (n_frames, ...), in the unit of ``samples``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.resample import local_quadratic
    >>> time = np.arange(20.0)
    >>> local_quadratic(time**2, 4, 5).round(6)
    array([  0.,  25., 100., 225.])
    """
    return _weighted(samples, n_frames, ratio, quadratic_weights(ratio), pad="edge")


def quadratic_weights(ratio: int) -> FloatArray:
    """Weights of the samples -h..h, h = floor(ratio / 2), that give a least-squares parabola's value in the middle.

    Parameters
    ----------
    ratio : int
        Analog samples per video frame.

    Returns
    -------
    FloatArray
        (2h + 1,), they add up to one; (1,) for a ratio below four.

    Examples
    --------
    >>> from biomech_id.signal.resample import quadratic_weights
    >>> quadratic_weights(5).round(4)
    array([-0.0857,  0.3429,  0.4857,  0.3429, -0.0857])
    """
    half = ratio // 2
    if half < 2:
        return np.ones(1)
    t = np.arange(-half, half + 1, dtype=np.float64)
    n, s2, s4 = len(t), float((t**2).sum()), float((t**4).sum())
    # Normal equations of f = a + b t + c t^2 on a symmetric grid: a = sum (s4 - s2 t^2) f / (n s4 - s2^2).
    return np.asarray((s4 - s2 * t**2) / (n * s4 - s2**2))


def _weighted(samples: FloatArray, n_frames: int, ratio: int, weights: FloatArray, *, pad: str) -> FloatArray:
    flat = np.asarray(samples, dtype=np.float64).reshape(len(samples), -1)
    half = len(weights) // 2
    centres = np.arange(n_frames) * ratio
    out = np.zeros((n_frames, flat.shape[1]))
    for offset, weight in zip(range(-half, half + 1), weights, strict=True):
        index = centres + offset
        inside = (index >= 0) & (index < len(flat))
        picked = flat[np.clip(index, 0, len(flat) - 1)]
        out += weight * (picked if pad == "edge" else picked * inside[:, None])
    return out.reshape((n_frames, *np.shape(samples)[1:]))
