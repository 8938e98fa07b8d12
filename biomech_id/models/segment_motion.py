"""Velocities and accelerations of a segment, in two ways.

``textbook``: the natural quintic spline through the axes' nine components gives R' and R'' at the samples, and with them exact
rotation kinematics, whatever the angle and without a singular one::

    S(omega) = skew part of R' R^T,        S(alpha) = skew part of R'' R^T,

for R'' R^T = S(alpha) + S(omega)^2, whose second term is symmetric. The skew part discards the component by which a spline of an
orthonormal matrix leaves the rotations between samples. The centre of mass, a point fixed in the segment, is splined likewise.

``vicon``: the vendor's stencils, to compare with stored outputs: with columns x, y, z of R_lab_seg, step h and k the frames nearest
to 20 ms (2 at 100 Hz, 3 at 150, 6 at 300), ::

    omega in segment axes = [ y(i+k).z(i-k), z(i+k).x(i-k), x(i+k).y(i-k) ] / 2kh,
    alpha in the laboratory = (omega(i+k) - omega(i-k)) / 2kh,

and for the centre of mass the spline that smooths by generalised cross-validation (`signal.smoothing_spline`): on paths that were
filtered before it is the same as the other. The first stencil is not symmetric, so its error is of the first order of h.

Accelerations have no value in the first and last four frames of a stretch (2k where that is more), where the stencil does not fit
and the spline still shows its end conditions. See docs/decisions/derivatives.md.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.skew import unskew
from biomech_id.algebra.vectors import dot, matvec
from biomech_id.anatomy import Part
from biomech_id.conventions import KineticsName
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.errors import OptionError
from biomech_id.signal.derivatives import central_difference, quintic_derivatives, without_ends
from biomech_id.signal.smoothing_spline import smoothed, smoothed_together

#: Seconds from the middle to either end of the vendor's angular stencil.
STENCIL_S = 0.02


def check_kinetics(kinetics: str) -> None:
    """Refuse a kinetics mode that does not exist.

    Parameters
    ----------
    kinetics : str
        One of the model's kinetics modes: "textbook".

    Raises
    ------
    OptionError
        It is none of `KineticsName`.
    """
    if kinetics not in tuple(KineticsName):
        raise OptionError(
            f"There is no kinetics mode {kinetics!r}; choose {' or '.join(KineticsName)}.",
            value=kinetics, expected=" | ".join(KineticsName), where="kinetics",
        )  # fmt: skip


def differentiate(
    frames: Frames, com_lab_m: FloatArray, rate_hz: float, *, kinetics: str = "textbook", segment: Segment | None = None
) -> Motion:
    """Return the motion of a segment from its pose and the path of its centre of mass.

    Parameters
    ----------
    frames : Frames
        Pose in n frames.
    com_lab_m : FloatArray
        (n, 3), centre of mass, metres, laboratory axes (the frame's origin for a segment without mass).
    rate_hz : float
        Frames per second of the recording.
    kinetics : str, optional
        "textbook" or "vicon", see the module.
    segment : Segment | None, optional
        Whose centre of mass it is.

    Returns
    -------
    Motion
        Velocities and accelerations of rotation and of the centre of mass, laboratory axes; accelerations NaN at the ends of a
        stretch.

    Raises
    ------
    OptionError
        Another kinetics mode.
    """
    check_kinetics(kinetics)
    if kinetics == "textbook":
        omega, alpha = spline_rotation(frames.R_lab_seg, rate_hz)
        alpha = without_ends(alpha)
    else:
        omega, alpha = stencil_rotation(frames.R_lab_seg, rate_hz)
    velocity, acceleration = path_rates(com_lab_m, rate_hz, kinetics)
    return Motion(
        frames=frames,
        omega_lab_rad_s=omega,
        alpha_lab_rad_s2=alpha,
        com_lab_m=com_lab_m,
        com_velocity_lab_m_s=velocity,
        com_acceleration_lab_m_s2=acceleration,
        segment=segment,
    )


def differentiate_together(
    frames: Mapping[Part, Frames],
    com_lab_m: Mapping[Part, FloatArray],
    rate_hz: float,
    kinetics: str,
    segments: Mapping[Part, Segment],
) -> dict[Part, Motion]:
    """Return the motions of several segments at once.

    Parameters
    ----------
    frames : Mapping[Part, Frames]
        Poses in n frames each.
    com_lab_m : Mapping[Part, FloatArray]
        The same parts -> (n, 3), centre of mass, metres, laboratory axes.
    rate_hz : float
        Frames per second of all.
    kinetics : str
        "textbook" or "vicon", see the module.
    segments : Mapping[Part, Segment]
        Part -> its inertial parameters; parts without mass are left out.

    Returns
    -------
    dict[Part, Motion]
        Part -> motion, as `differentiate` has it; one array operation serves them all.
    """
    parts = list(frames)
    paths = np.stack([com_lab_m[part] for part in parts], axis=1)
    if kinetics == "textbook":
        R_lab_seg = np.stack([frames[part].R_lab_seg for part in parts], axis=1)
        omega, alpha = spline_rotation(R_lab_seg, rate_hz)
        alpha = without_ends(alpha)
        velocity, acceleration = quintic_derivatives(paths, rate_hz)
        turning = [(omega[:, i], alpha[:, i]) for i in range(len(parts))]
    else:
        (velocity,) = quintic_derivatives(paths, rate_hz, (1,))
        (acceleration,) = quintic_derivatives(smoothed_together(paths), rate_hz, (2,))
        turning = [stencil_rotation(frames[part].R_lab_seg, rate_hz) for part in parts]
    acceleration = without_ends(acceleration)
    return {
        part: Motion(frames[part], *turning[i], paths[:, i], velocity[:, i], acceleration[:, i], segment=segments.get(part))
        for i, part in enumerate(parts)
    }


def path_rates(path_lab_m: FloatArray, rate_hz: float, kinetics: str) -> tuple[FloatArray, FloatArray]:
    """Return velocity and acceleration of a path as a kinetics mode has them.

    Parameters
    ----------
    path_lab_m : FloatArray
        (n, 3), laboratory axes, metres.
    rate_hz : float
        Frames per second of the recording.
    kinetics : str
        "textbook" or "vicon", see the module.

    Returns
    -------
    velocity : FloatArray
        (n, 3), m/s, laboratory axes.
    acceleration : FloatArray
        (n, 3), m/s2, laboratory axes; NaN at the ends of a stretch.
    """
    if kinetics == "textbook":
        velocity, acceleration = quintic_derivatives(path_lab_m, rate_hz)
    else:
        (velocity,) = quintic_derivatives(path_lab_m, rate_hz, (1,))
        (acceleration,) = quintic_derivatives(smoothed(path_lab_m), rate_hz, (2,))
    return velocity, without_ends(acceleration)


def spline_rotation(R_lab_seg: FloatArray, rate_hz: float) -> tuple[FloatArray, FloatArray]:
    """Return angular velocity and acceleration from the spline of the axes.

    Parameters
    ----------
    R_lab_seg : FloatArray
        (n, 3, 3), maps segment components to laboratory components.
    rate_hz : float
        Frames per second of the recording.

    Returns
    -------
    omega : FloatArray
        (n, 3), rad/s, laboratory axes.
    alpha : FloatArray
        (n, 3), rad/s2, laboratory axes, with the spline's end conditions at its ends.
    """
    first, second = quintic_derivatives(R_lab_seg, rate_hz)
    transposed = np.swapaxes(R_lab_seg, -1, -2)
    return unskew(first @ transposed), unskew(second @ transposed)


def stencil_rotation(R_lab_seg: FloatArray, rate_hz: float) -> tuple[FloatArray, FloatArray]:
    """Return angular velocity and acceleration by the vendor's stencils (see the module).

    Parameters
    ----------
    R_lab_seg : FloatArray
        (n, 3, 3), maps segment components to laboratory components.
    rate_hz : float
        Frames per second of the recording.

    Returns
    -------
    omega : FloatArray
        (n, 3), rad/s, laboratory axes; NaN in the first and last k frames.
    alpha : FloatArray
        (n, 3), rad/s2, laboratory axes; NaN in the first and last 2 k frames.
    """
    k = max(1, round(STENCIL_S * rate_hz))
    omega = np.full((len(R_lab_seg), 3), np.nan)
    if len(R_lab_seg) > 2 * k:
        x, y, z = np.moveaxis(R_lab_seg, -1, 0)
        later, earlier = slice(2 * k, None), slice(None, -2 * k)
        omega_seg = np.stack(
            [dot(y[later], z[earlier]), dot(z[later], x[earlier]), dot(x[later], y[earlier])], axis=-1
        ) * (rate_hz / (2 * k))  # fmt: skip
        omega[k:-k] = matvec(R_lab_seg[k:-k], omega_seg)
    return omega, central_difference(omega, rate_hz, k)
