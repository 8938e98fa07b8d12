"""Everything that can be wrong in the inverse dynamics of a leg, as sources of error of the sizes in `uncertainty.sizes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, dot
from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.conventions import MM_PER_M
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.model_errors import ErrorCoupling
from biomech_id.uncertainty.joint_shift import misplaced_joint, noisy_points
from biomech_id.uncertainty.sources import Effect, ErrorSource, Nominal, segment_errors, turned_inertia

_PERCENT = 0.01


def leg_errors(
    sizes: Mapping[str, float],
    *,
    hip_centre_mm: float,
    noise_m: float,
    gram: FloatArray,
    gain: FloatArray,
    couplings: Mapping[str, ErrorCoupling] = MappingProxyType({}),
) -> dict[str, tuple[ErrorSource, ...]]:
    """Return every source of error of one leg (see `newton_euler.leg_at`).

    Parameters
    ----------
    sizes : Mapping[str, float]
        Name -> standard deviation (see `sizes.error_sizes`).
    hip_centre_mm : float
        Standard deviation of the hip centre along each axis, for the method that found it.
    noise_m : float
        Standard deviation of the white noise on a raw marker path along each axis, metres.
    gram : FloatArray
        (3, 3), of what turns raw paths into the positions, velocities and accelerations used.
    gain : FloatArray
        (12, 12), what the body model makes of that noise in joint centres and toes (see `joint_shift.noisy_points`).
    couplings : Mapping[str, ErrorCoupling], optional
        "thigh", "shank" -> how its distal joint centre follows its proximal one; a segment not named keeps it.

    Returns
    -------
    dict[str, tuple[ErrorSource, ...]]
        Column of ``uncertainty.csv`` -> its sources.
    """
    foot, shank, thigh = LEG_SEGMENTS
    return {
        "hip_centre": (misplaced_joint(thigh, hip_centre_mm / MM_PER_M, couplings),),
        "knee_centre": (misplaced_joint(shank, sizes["knee_centre_mm"] / MM_PER_M, couplings),),
        "ankle_centre": (misplaced_joint(foot, sizes["ankle_centre_mm"] / MM_PER_M),),
        "segment_axes": (
            turned_about_length(thigh, np.deg2rad(sizes["thigh_rotation_deg"])),
            turned_about_length(shank, np.deg2rad(sizes["shank_rotation_deg"])),
            turned_axes(foot, np.deg2rad(sizes["foot_axes_deg"])),
        ),
        "inertia": tuple(source for segment in LEG_SEGMENTS for source in _inertia(segment, sizes)),
        "force_plates": (
            ground_place(foot, sizes["plate_place_mm"] / MM_PER_M),
            ground_force(foot, _PERCENT * sizes["plate_force_percent"]),
            ground_yaw(foot, np.deg2rad(sizes["plate_yaw_deg"])),
        ),
        "marker_noise": (noisy_points(noise_m, gram, gain),),
    }


def _inertia(segment: str, sizes: Mapping[str, float]) -> Iterator[ErrorSource]:
    yield mass(segment, _PERCENT * sizes[f"{segment}_mass_percent"])
    yield com_along_segment(segment, _PERCENT * sizes[f"{segment}_com_percent"])
    yield inertia(segment, _PERCENT * sizes["tensor_percent"])


def mass(segment: str, sd_of_mass: float) -> ErrorSource:
    """Return the error that the mass of a segment is off by a fraction of it.

    Parameters
    ----------
    segment : str
        Name of the segment in the chain.
    sd_of_mass : float
        Standard deviation, fraction of the mass.

    Returns
    -------
    ErrorSource
        One parameter, a bias.
    """

    def fill(nominal: Nominal, effect: Effect, i: int) -> None:
        effect.force[..., i, :] = nominal.momentum_rate[:, i]

    return segment_errors(segment, sd_of_mass, 1, fill)


def inertia(segment: str, sd_of_tensor: float) -> ErrorSource:
    """Return the error that the inertia tensor of a segment is off by a fraction, all of it by one factor.

    Parameters
    ----------
    segment : str
        Name of the segment in the chain.
    sd_of_tensor : float
        Standard deviation, fraction of the tensor.

    Returns
    -------
    ErrorSource
        One parameter, a bias.
    """

    def fill(nominal: Nominal, effect: Effect, i: int) -> None:
        gyroscopic = cross(nominal.chain.omega_lab_rad_s[:, i], nominal.angular_momentum[:, i])
        effect.moment_com[..., i, :] = nominal.inertia_alpha[:, i] + gyroscopic

    return segment_errors(segment, sd_of_tensor, 1, fill)


def turned_about_length(segment: str, sd_rad: float) -> ErrorSource:
    """Return the error that the axes of a segment are turned about the line between its joints.

    Joint centres and centre of mass stay; a rotation that is constant in the segment leaves its angular velocity alone.

    Parameters
    ----------
    segment : str
        Name of the segment in the chain; not the foot, which has one joint.
    sd_rad : float
        Standard deviation of the angle.

    Returns
    -------
    ErrorSource
        One parameter, constant in the segment.
    """

    def fill(nominal: Nominal, effect: Effect, i: int) -> None:
        along = _along(nominal.chain, i)
        _turn(nominal, effect, i, along / np.sqrt(dot(along, along))[:, None])

    return segment_errors(segment, sd_rad, 1, fill)


def turned_axes(segment: str, sd_rad: float) -> ErrorSource:
    """Return the error that the axes of a segment are turned about each of themselves.

    Joint centres and centre of mass stay.

    Parameters
    ----------
    segment : str
        Name of the segment in the chain.
    sd_rad : float
        Standard deviation of each of the three angles.

    Returns
    -------
    ErrorSource
        Three parameters, constant in the segment.
    """

    def fill(nominal: Nominal, effect: Effect, i: int) -> None:
        _turn(nominal, effect, i, nominal.directions(segment))

    return segment_errors(segment, sd_rad, 3, fill)


def com_along_segment(segment: str, sd_of_length: float) -> ErrorSource:
    """Return the error that the centre of mass of a segment lies further along it, by a fraction of its length.

    A foot counts as twice as long as the way from its ankle to its centre of mass. The point rides with the segment, so that
    its acceleration is off as well.

    Parameters
    ----------
    segment : str
        Name of the segment in the chain.
    sd_of_length : float
        Standard deviation, fraction of the segment's length.

    Returns
    -------
    ErrorSource
        One parameter, constant in the segment.
    """

    def fill(nominal: Nominal, effect: Effect, i: int) -> None:
        chain = nominal.chain
        along, omega, alpha = _along(chain, i), chain.omega_lab_rad_s[:, i], chain.alpha_lab_rad_s2[:, i]
        effect.force[..., i, :] = chain.mass_kg[i] * (cross(alpha, along) + cross(omega, cross(omega, along)))
        effect.moment_com[..., i, :] = cross(along, nominal.momentum_rate[:, i])

    return segment_errors(segment, sd_of_length, 1, fill)


def ground_place(foot: str, sd_m: float) -> ErrorSource:
    """Return the error that the ground's force acts beside where the plates say.

    Parameters
    ----------
    foot : str
        Name of the foot in the chain.
    sd_m : float
        Standard deviation along each axis, metres.

    Returns
    -------
    ErrorSource
        Three parameters: a constant shift along each laboratory axis.
    """

    def fill(nominal: Nominal, effect: Effect, i: int) -> None:
        force, _ = nominal.loads.external[0].at_origin()
        effect.moment_com[..., i, :] = -cross(nominal.directions("lab"), force)

    return segment_errors(foot, sd_m, 3, fill)


def ground_force(foot: str, sd_of_size: float) -> ErrorSource:
    """Return the error that the ground's force on a foot is off by a fraction of its size.

    The error acts where the force does: at the point of its line nearest to the ankle.

    Parameters
    ----------
    foot : str
        Name of the foot in the chain.
    sd_of_size : float
        Standard deviation, fraction of the force's size.

    Returns
    -------
    ErrorSource
        Three parameters: a force along each laboratory axis.
    """

    def fill(nominal: Nominal, effect: Effect, i: int) -> None:
        force, moment = nominal.loads.external[0].at_origin()
        _act(nominal, effect, i, (force, moment), np.sqrt(dot(force, force))[:, None] * nominal.directions("lab"))

    return segment_errors(foot, sd_of_size, 3, fill)


def ground_yaw(foot: str, sd_rad: float) -> ErrorSource:
    """Return the error that the axes of a plate are turned about the vertical.

    So is the ground's force on a foot, about the point where it acts. That a turn about the plate's middle also moves the point, by
    a millimetre or two, is part of its place.

    Parameters
    ----------
    foot : str
        Name of the foot in the chain.
    sd_rad : float
        Standard deviation of the angle.

    Returns
    -------
    ErrorSource
        One parameter, a bias.
    """

    def fill(nominal: Nominal, effect: Effect, i: int) -> None:
        force, moment = nominal.loads.external[0].at_origin()
        _act(nominal, effect, i, (force, moment), cross(np.array([0.0, 0.0, 1.0]), force))

    return segment_errors(foot, sd_rad, 1, fill)


def line_point(force_N: FloatArray, moment_Nm: FloatArray, near_m: FloatArray) -> FloatArray:
    """Return the point of a force's line that is nearest to another point.

    Parameters
    ----------
    force_N : FloatArray
        (N, 3), laboratory axes.
    moment_Nm : FloatArray
        (N, 3), about the laboratory's origin, laboratory axes.
    near_m : FloatArray
        (N, 3), the other point, metres, laboratory axes.

    Returns
    -------
    FloatArray
        (N, 3), metres, laboratory axes; ``near_m`` itself without force.
    """
    square = dot(force_N, force_N)[:, None]
    arm = cross(force_N, moment_Nm - cross(near_m, force_N)) / np.where(square > 0.0, square, 1.0)
    return np.asarray(near_m + arm)


def _act(nominal: Nominal, effect: Effect, i: int, ground: tuple[FloatArray, FloatArray], error: FloatArray) -> None:
    """Let the ground's force be off by ``error``, N, where it acts: on its line, nearest to the ankle."""
    chain = nominal.chain
    point = line_point(*ground, chain.joint_lab_m[:, i])
    effect.force[..., i, :] = -error
    effect.moment_com[..., i, :] = -cross(point - chain.com_lab_m[:, i], error)


def _turn(nominal: Nominal, effect: Effect, i: int, turn: FloatArray) -> None:
    effect.turn[..., i, :] = turn
    effect.moment_com[..., i, :] = turned_inertia(nominal, i, turn)


def _along(chain: Chain, i: int) -> FloatArray:
    """The way (N, 3), m, laboratory axes, along a segment: between its joints, or twice that to the foot's centre of mass."""
    distal = chain.children(i)
    proximal = chain.joint_lab_m[:, i]
    return chain.joint_lab_m[:, distal[0]] - proximal if distal else 2.0 * (chain.com_lab_m[:, i] - proximal)
