"""Recursive filters as second-order sections: Butterworth and notch designs, run forwards and backwards.

A section is the row (b0, b1, b2, 1, a1, a2) of ::

    H(z) = (b0 + b1 / z + b2 / z^2) / (1 + a1 / z + a2 / z^2).

The designs begin with the analogue Butterworth filter, whose poles p lie evenly on the left half of the unit circle, scale it to
frequencies warped by t = tan(pi f / f_s), and reach the z-plane by z = (1 + s) / (1 - s) ::

    low-pass    s = t p                                    zeros at z = -1
    band-pass   s^2 - (t_2 - t_1) p s + t_1 t_2 = 0        zeros at z = 1 and at z = -1

(Oppenheim and Schafer, Discrete-Time Signal Processing, 3rd ed. 2010, section 7.2; the notch: Orfanidis, Introduction to Signal
Processing, 1996, equation 11.3.7.)

The recursion runs over blocks of samples: within a block the output is a product with the matrix of the impulse response, and only
the state, two numbers a section, is handed from block to block. Values are those of ``scipy.signal.sosfiltfilt`` to 1e-12 of the
largest. SciPy's own is not used because ``scipy.signal`` takes longer to import than a child's session to filter.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray

#: Samples a block: products are large enough to be fast, and few blocks are left to go through one by one.
_BLOCK = 64


def low_pass_sections(rate_hz: float, cutoff_hz: float) -> FloatArray:
    """Return a Butterworth low-pass of order 2.

    Parameters
    ----------
    rate_hz : float
        Samples of the signal per second.
    cutoff_hz : float
        Design frequency: the amplitude of a single pass is 0.707 there.

    Returns
    -------
    FloatArray
        (1, 6), without unit.

    Examples
    --------
    >>> from biomech_id.signal.sections import low_pass_sections
    >>> low_pass_sections(1000.0, 100.0).round(4)
    array([[ 0.0675,  0.1349,  0.0675,  1.    , -1.143 ,  0.4128]])
    """
    t = np.tan(np.pi * cutoff_hz / rate_hz)
    s = -t * np.exp(-0.25j * np.pi)
    return _section(s, t**2, (1.0, 2.0, 1.0))[None]


def band_pass_sections(rate_hz: float, low_hz: float, high_hz: float) -> FloatArray:
    """Return a Butterworth band-pass of order 4 at either edge.

    Parameters
    ----------
    rate_hz : float
        Samples of the signal per second.
    low_hz, high_hz : float
        Design frequencies: the amplitude of a single pass is 0.707 there.

    Returns
    -------
    FloatArray
        (4, 6), without unit.

    Examples
    --------
    >>> from biomech_id.signal.sections import band_pass_sections
    >>> band_pass_sections(1000.0, 20.0, 450.0).shape
    (4, 6)
    """
    t_low, t_high = np.tan(np.pi * np.array([low_hz, high_hz]) / rate_hz)
    width = t_high - t_low
    half = -0.5 * width * np.exp(1j * np.pi * np.array([1.0, 3.0]) / 8.0)
    root = np.sqrt(half**2 - t_low * t_high)
    poles = np.concatenate([half + root, half - root])
    # Slow poles beside zeros at frequency 0, fast ones beside those at half the rate: no section has a high gain by itself.
    poles = poles[np.argsort(np.abs(poles))]
    zeros = ((1.0, -2.0, 1.0), (1.0, -2.0, 1.0), (1.0, 2.0, 1.0), (1.0, 2.0, 1.0))
    return np.stack([_section(s, width, numerator) for s, numerator in zip(poles, zeros, strict=True)])


def notch_section(rate_hz: float, line_hz: float, width_hz: float) -> FloatArray:
    """Return a notch.

    Parameters
    ----------
    rate_hz : float
        Samples of the signal per second.
    line_hz : float
        What is taken out.
    width_hz : float
        Between the frequencies at which the amplitude of a single pass is 0.707.

    Returns
    -------
    FloatArray
        (1, 6), without unit.

    Examples
    --------
    >>> from biomech_id.signal.sections import notch_section
    >>> notch_section(1000.0, 50.0, 2.5).round(4)
    array([[ 0.9922, -1.8873,  0.9922,  1.    , -1.8873,  0.9844]])
    """
    gain = 1.0 / (1.0 + np.tan(np.pi * width_hz / rate_hz))
    middle = -2.0 * gain * np.cos(2.0 * np.pi * line_hz / rate_hz)
    return np.array([[gain, middle, gain, 1.0, middle, 2.0 * gain - 1.0]])


def both_ways(sections: FloatArray, values: FloatArray, extension: int) -> FloatArray:
    """Return signals through some sections, forwards and then backwards: without lag, every gain squared.

    Both ends are continued as an odd function, and each pass starts as if the first value had always been there.

    Parameters
    ----------
    sections : FloatArray
        (k, 6), one section a row.
    values : FloatArray
        (channels, n), finite, any unit.
    extension : int
        Samples by which either end is continued; fewer than n.

    Returns
    -------
    FloatArray
        (channels, n), in the unit of ``values``.
    """
    first, last = values[:, :1], values[:, -1:]
    before = 2.0 * first - values[:, extension:0:-1]
    behind = 2.0 * last - values[:, -2 : -extension - 2 : -1]
    path = np.concatenate([before, values, behind], axis=1)
    for _ in ("forwards", "backwards"):
        path = _one_way(sections, path)[:, ::-1]
    return path[:, extension : extension + values.shape[1]]


def _section(s: complex, gain: float, numerator: tuple[float, float, float]) -> FloatArray:
    """A pair of analogue poles, s and its conjugate, in the z-plane (6,)."""
    z = (1.0 + s) / (1.0 - s)
    b = gain / abs(1.0 - s) ** 2 * np.array(numerator)
    return np.array([*b, 1.0, -2.0 * z.real, (z * z.conjugate()).real])


def _one_way(sections: FloatArray, values: FloatArray) -> FloatArray:
    """Signals (m, n) through some sections, which start in the steady state of the first values."""
    channels, n = values.shape
    step, drive, output, direct = _state_space(sections)
    powers = np.empty((_BLOCK + 1, *step.shape))
    powers[0] = np.eye(len(step))
    for i in range(_BLOCK):
        powers[i + 1] = step @ powers[i]
    response = np.concatenate([[direct], output @ (powers[: _BLOCK - 1] @ drive).T])
    lag = np.subtract.outer(np.arange(_BLOCK), np.arange(_BLOCK)).T
    within = np.where(lag >= 0, response[np.abs(lag)], 0.0)
    n_blocks = -(-n // _BLOCK)
    padded = np.zeros((channels, n_blocks * _BLOCK))
    padded[:, :n] = values
    blocks = padded.reshape(channels, n_blocks, _BLOCK).swapaxes(0, 1)
    # Of every block: its outputs had it begun at rest, and the state it would leave.
    from_rest = blocks @ np.hstack([within, powers[_BLOCK - 1 :: -1] @ drive])
    state = np.empty((n_blocks, channels, len(step)))
    state[0] = values[:, :1] * np.linalg.solve(np.eye(len(step)) - step, drive)
    for i in range(n_blocks - 1):
        state[i + 1] = state[i] @ powers[_BLOCK].T + from_rest[i, :, _BLOCK:]
    out = from_rest[:, :, :_BLOCK] + state @ (output @ powers[:_BLOCK]).T
    return np.asarray(out.swapaxes(0, 1).reshape(channels, -1)[:, :n])


def _state_space(sections: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """A, B, C, D of some sections in a row: state' = A state + B x, y = C state + D x.

    Of each the transposed direct form: y = b_0 x + s_1, s_1' = b_1 x - a_1 y + s_2, s_2' = b_2 x - a_2 y.
    """
    step, drive, output, direct = np.zeros((0, 0)), np.zeros(0), np.zeros(0), 1.0
    for b, a in zip(sections[:, :3], sections[:, 4:], strict=True):
        own, fed = np.array([[-a[0], 1.0], [-a[1], 0.0]]), b[1:] - a * b[0]
        step = np.block([[step, np.zeros((len(step), 2))], [np.outer(fed, output), own]])
        drive, output = np.append(drive, fed * direct), np.append(b[0] * output, [1.0, 0.0])
        direct *= float(b[0])
    return step, drive, output, direct
