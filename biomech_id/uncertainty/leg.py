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
from biomech_id.uncertainty.sources import Effect, ErrorSource, Nominal, inertia, mass, turned_inertia

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
    """Return every source of error of one leg (see `newton_euler.leg_at`), grouped by the columns of ``uncertainty.csv``.

    Parameters
    ----------
    sizes : name -> standard deviation (see `sizes.error_sizes`).
    hip_centre_mm : standard deviation of the hip centre along each axis, for the method that found it.
    noise_m : standard deviation of the white noise on a raw marker path along each axis, metres.
    gram : (3, 3), of what turns raw paths into the positions, velocities and accelerations used.
    gain : (12, 12), what the body model makes of that noise in joint centres and toes (see `joint_shift.noisy_points`).
    couplings : "thigh", "shank" -> how its distal joint centre follows its proximal one; a segment not named keeps it.
    """
    foot, shank, thigh = LEG_SEGMENTS
    return {
        "hip_centre": (misplaced_joint(thigh, hip_centre_mm / MM_PER_M, name="hip centre", couplings=couplings),),
        "knee_centre": (misplaced_joint(shank, sizes["knee_centre_mm"] / MM_PER_M, name="knee centre", couplings=couplings),),
        "ankle_centre": (misplaced_joint(foot, sizes["ankle_centre_mm"] / MM_PER_M, name="ankle centre"),),
        "segment_axes": (
            turned_about_length(thigh, np.deg2rad(sizes["thigh_rotation_deg"])),
            turned_about_length(shank, np.deg2rad(sizes["shank_rotation_deg"])),
            turned_axes(foot, np.deg2rad(sizes["foot_axes_deg"])),
        ),
        "inertia": tuple(source for segment in LEG_SEGMENTS for source in _inertia(segment, sizes)),
        "force_plates": (
            ground_place(foot, sizes["plate_place_mm"] / MM_PER_M),
            ground_force(foot, _PERCENT * sizes["plate_force_percent"]),
        ),
        "marker_noise": (noisy_points(noise_m, gram, gain, name="marker noise"),),
    }


def _inertia(segment: str, sizes: Mapping[str, float]) -> Iterator[ErrorSource]:
    yield mass(segment, _PERCENT * sizes[f"{segment}_mass_percent"])
    yield com_along_segment(segment, _PERCENT * sizes[f"{segment}_com_percent"])
    yield inertia(segment, _PERCENT * sizes["tensor_percent"])


def turned_about_length(segment: str, sd_rad: float) -> ErrorSource:
    """The axes of a segment are turned by a constant about the line between its joints.

    Joint centres and centre of mass stay; a rotation that is constant in the segment leaves its angular velocity alone.
    """

    def effects(nominal: Nominal) -> Iterator[Effect]:
        i = nominal.chain.index(segment)
        along = _along(nominal.chain, i)
        effect = Effect.none_on(nominal.chain)
        effect.turn[:, i] = along / np.sqrt(dot(along, along))[:, None]
        effect.moment_com[:, i] = turned_inertia(nominal, i, effect.turn[:, i])
        yield effect

    return ErrorSource(f"{segment} rotation", "bias", np.array([[sd_rad**2]]), effects)


def turned_axes(segment: str, sd_rad: float) -> ErrorSource:
    """The axes of a segment are turned by a constant about each of themselves; joint centres and centre of mass stay."""

    def effects(nominal: Nominal) -> Iterator[Effect]:
        i, turn = nominal.chain.index(segment), nominal.directions(segment)
        effect = Effect.none_on(nominal.chain, 3)
        effect.turn[..., i, :] = turn
        effect.moment_com[..., i, :] = turned_inertia(nominal, i, turn)
        yield effect

    return ErrorSource(f"{segment} axes", "bias", sd_rad**2 * np.eye(3), effects)


def com_along_segment(segment: str, sd_of_length: float) -> ErrorSource:
    """The centre of mass of a segment lies further along it, by a fraction of its length.

    A foot counts as twice as long as the way from its ankle to its centre of mass. The point rides with the segment, so that
    its acceleration is off as well.
    """

    def effects(nominal: Nominal) -> Iterator[Effect]:
        chain, i = nominal.chain, nominal.chain.index(segment)
        along, omega, alpha = _along(chain, i), chain.omega_lab_rad_s[:, i], chain.alpha_lab_rad_s2[:, i]
        effect = Effect.none_on(chain)
        effect.force[:, i] = chain.mass_kg[i] * (cross(alpha, along) + cross(omega, cross(omega, along)))
        effect.moment_com[:, i] = cross(along, nominal.momentum_rate[:, i])
        yield effect

    return ErrorSource(f"{segment} centre of mass", "bias", np.array([[sd_of_length**2]]), effects)


def ground_place(foot: str, sd_m: float) -> ErrorSource:
    """The ground's force acts beside where the plates say, by a constant along each laboratory axis, metres."""

    def effects(nominal: Nominal) -> Iterator[Effect]:
        force, _ = nominal.loads.external[0].at_origin()
        effect = Effect.none_on(nominal.chain, 3)
        effect.moment_com[..., nominal.chain.index(foot), :] = -cross(nominal.directions("lab"), force)
        yield effect

    return ErrorSource("place of the ground force", "bias", sd_m**2 * np.eye(3), effects)


def ground_force(foot: str, sd_of_size: float) -> ErrorSource:
    """Each component of the ground's force on a foot is off by a fraction of the force's size, laboratory axes.

    The error acts where the force does: at the point of its line nearest to the ankle.
    """

    def effects(nominal: Nominal) -> Iterator[Effect]:
        chain, i = nominal.chain, nominal.chain.index(foot)
        force, moment = nominal.loads.external[0].at_origin()
        ankle = chain.joint_lab_m[:, i]
        square = dot(force, force)[:, None]
        loaded = np.where(square > 0.0, square, 1.0)
        point = ankle + cross(force, moment - cross(ankle, force)) / loaded
        error = np.sqrt(square) * nominal.directions("lab")
        effect = Effect.none_on(chain, 3)
        effect.force[..., i, :] = -error
        effect.moment_com[..., i, :] = -cross(point - chain.com_lab_m[:, i], error)
        yield effect

    return ErrorSource("ground force", "bias", sd_of_size**2 * np.eye(3), effects)


def _along(chain: Chain, i: int) -> FloatArray:
    """The way (N, 3), m, laboratory axes, along a segment: between its joints, or twice that to the foot's centre of mass."""
    distal = chain.children(i)
    proximal = chain.joint_lab_m[:, i]
    return chain.joint_lab_m[:, distal[0]] - proximal if distal else 2.0 * (chain.com_lab_m[:, i] - proximal)
