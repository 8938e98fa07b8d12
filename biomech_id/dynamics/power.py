"""Power of a joint, and the work done in each phase of a movement.

::

    P = M . (omega_d - omega_p)  +  F . (v_d(P) - v_p(P))

with both velocities those of the material points that are at the joint centre P. The second term is zero for an ideal joint
and not for segments tracked one by one; leaving it out loses energy, so the two are reported separately.

Reference: Buczek et al. (1994) J Biomech 27:1447.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import dot
from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Motion
from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.values import dataclass


def rotational_power(wrench_lab: Wrench, distal: Motion, proximal: Motion) -> FloatArray:
    """Power of a joint's moment, M . (omega_d - omega_p).

    Parameters
    ----------
    wrench_lab : Wrench
        Action of the proximal on the distal segment about the joint centre, laboratory axes.
    distal, proximal : Motion
        Motion of the two segments.

    Returns
    -------
    FloatArray
        (n,), W, positive where the joint generates; NaN where the wrench is not known.
    """
    return dot(wrench_lab.moment_Nm, distal.omega_lab_rad_s - proximal.omega_lab_rad_s)


def translational_power(wrench_lab: Wrench, distal: Motion, proximal: Motion) -> FloatArray:
    """Power of a joint's force, F . (v_d(P) - v_p(P)).

    Parameters
    ----------
    wrench_lab : Wrench
        Of the proximal on the distal segment at the joint centre, laboratory axes.
    distal : Motion
        The segment on which it acts.
    proximal : Motion
        The segment that exerts it.

    Returns
    -------
    FloatArray
        (n,), W; zero in an ideal joint, NaN where the wrench is not known.
    """
    joint = wrench_lab.point_lab_m
    return dot(wrench_lab.force_N, distal.velocity_of(joint) - proximal.velocity_of(joint))


@dataclass(frozen=True)
class Work:
    """Work over one phase, joules; NaN if any power in it is missing.

    Attributes
    ----------
    positive_J : float
        Generated (at least 0).
    negative_J : float
        Absorbed (at most 0).
    """

    positive_J: float
    negative_J: float

    @property
    def net_J(self) -> float:
        """Sum of both."""
        return self.positive_J + self.negative_J


def work(power_W: FloatArray, time_s: FloatArray, start_s: float, end_s: float) -> Work:
    """Positive and negative work between two instants.

    The power is taken as piecewise linear between its samples, which makes the result exact for such a power: samples where
    it changes sign and the two ends are interpolated, not rounded to a frame.

    Parameters
    ----------
    power_W, time_s : FloatArray
        (n,), n at least 2, times increasing.
    start_s, end_s : float
        Begin and end of the phase, within ``time_s``; they need not be samples.

    Returns
    -------
    Work
        Joules; NaN if any power within the phase is missing.

    Raises
    ------
    ShapeError
        Power and time of different length.
    InvalidValueError
        A phase that ends before it starts or leaves the recording.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.power import work
    >>> power_W, time_s = np.array([0.0, 100.0, 0.0, -100.0, 0.0]), np.array([0.0, 0.1, 0.2, 0.3, 0.4])
    >>> work(power_W, time_s, 0.0, 0.4)
    Work(positive_J=10.0, negative_J=-10.0)
    """
    if np.shape(power_W) != np.shape(time_s) or np.ndim(power_W) != 1:
        raise ShapeError(
            f"Power has shape {np.shape(power_W)}, time {np.shape(time_s)}.",
            value=np.shape(power_W), expected=str(np.shape(time_s)), where="work",
        )  # fmt: skip
    if not time_s[0] <= start_s <= end_s <= time_s[-1]:
        raise InvalidValueError(
            f"The phase {start_s:.4g} s to {end_s:.4g} s does not lie within the recording.",
            value=(start_s, end_s), expected=f"start <= end within {time_s[0]:.4g} to {time_s[-1]:.4g} s", where="work",
        )  # fmt: skip
    inner = (time_s > start_s) & (time_s < end_s)
    ends = np.interp([start_s, end_s], time_s, power_W)
    t = np.concatenate([[start_s], time_s[inner], [end_s]])
    p = np.concatenate([ends[:1], power_W[inner], ends[1:]])
    positive = float(integral_of_positive_part(p, t))
    negative = -float(integral_of_positive_part(-p, t))
    return Work(positive, negative)


def integral_of_positive_part(p: FloatArray, t: FloatArray) -> FloatArray:
    """Integrate max(p, 0) for p linear between samples.

    Where p crosses zero the step contributes a triangle, dt high^2 / 2 (high - low).

    Parameters
    ----------
    p : FloatArray
        (..., n), any unit.
    t : FloatArray
        (n,), rising, of the samples.

    Returns
    -------
    FloatArray
        (...), in the unit of ``p`` times that of ``t``; NaN if any sample is.
    """
    high, low = np.maximum(p[..., 1:], p[..., :-1]), np.minimum(p[..., 1:], p[..., :-1])
    dt = np.diff(t)
    crosses = (high > 0) & (low < 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        triangle = np.where(crosses, high * high / (high - low), 0.0)
    trapezoid = np.where(low >= 0, high + low, 0.0)
    area = dt * np.where(np.isnan(high), np.nan, np.where(crosses, triangle, trapezoid)) / 2
    return np.asarray(area.sum(axis=-1))
