"""The momentum of the whole body, and what the ground leaves unexplained of it.

Summed over every segment i, with m the mass of the body and c its centre of mass, ::

    F_residual = sum F_ground + m g - m c''
    M_residual = sum (M_ground - c x F_ground) - H',   H = sum (r_i - c) x m_i (r_i' - c') + I_i omega_i

moments and the angular momentum H about c. Joints do not appear: their forces cancel in pairs (Newton's third law), so that nothing
but cameras, masses and force plates enters. In an exact world both are zero; in a recording they say how well these three fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray, all_finite
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import cross, dot, matvec, matvec_transposed
from biomech_id.anatomy import Part
from biomech_id.conventions import GRAVITY_LAB_M_S2, SIDES
from biomech_id.dynamics.body import FootContact, Motion, Segment
from biomech_id.dynamics.external import External
from biomech_id.errors import MissingInputError
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass


@compact_repr
@dataclass(frozen=True, eq=False)
class BodyMomentum:
    """Every segment of a body together; vectors in laboratory axes, NaN where any segment is unseen.

    Attributes
    ----------
    mass_kg : float
        Sum over all segments, kilograms.
    com_lab_m : FloatArray
        (n, 3), centre of mass of the whole body.
    com_velocity_lab_m_s : FloatArray
        (n, 3), its velocity. In laboratory axes.
    com_acceleration_lab_m_s2 : FloatArray
        (n, 3), its acceleration, gravity not taken off.
    angular_momentum_lab_kgm2_s : FloatArray
        (n, 3), about the centre of mass.
    angular_rate_lab_Nm : FloatArray
        (n, 3), its rate of change.
    internal_energy_J : FloatArray
        (n,), kinetic energy of the segments' motion relative to the centre of mass, their rotation included.
    """

    mass_kg: float
    com_lab_m: FloatArray
    com_velocity_lab_m_s: FloatArray
    com_acceleration_lab_m_s2: FloatArray
    angular_momentum_lab_kgm2_s: FloatArray
    angular_rate_lab_Nm: FloatArray
    internal_energy_J: FloatArray


def body_momentum(segments: Mapping[Part, Segment], motions: Mapping[Part, Motion]) -> BodyMomentum:
    """Sum all segments of a tracked body to one system.

    Parameters
    ----------
    segments : Mapping[Part, Segment]
        (side, segment) -> its mass and tensor; what is not here does not enter.
    motions : Mapping[Part, Motion]
        The same keys -> how it moves.

    Returns
    -------
    BodyMomentum
        Mass, centre of mass, angular momentum about it and internal energy, n frames; NaN where any segment is unseen.

    Raises
    ------
    MissingInputError
        No segment has a mass.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.body import Frames, Motion, Segment
    >>> from biomech_id.dynamics.momentum import body_momentum
    >>> head = Segment("head", 4.0, np.zeros(3), 0.02 * np.eye(3))
    >>> at, spin, still = np.array([[0.0, 0.0, 1.5]]), np.array([[0.0, 0.0, 2.0]]), np.zeros((1, 3))
    >>> turning = Motion(Frames(np.eye(3)[None], at), spin, still, at, still, still, segment=head)
    >>> body = body_momentum({("", "head"): head}, {("", "head"): turning})
    >>> body.angular_momentum_lab_kgm2_s, body.internal_energy_J
    (array([[0.  , 0.  , 0.04]]), array([0.04]))
    """
    tracked = [(segment, motions[part]) for part, segment in segments.items()]
    mass_kg = sum(segment.mass_kg for segment, _ in tracked)
    if not mass_kg > 0:
        raise MissingInputError(
            "No segment has a mass, and without one there is no momentum.",
            value=[" ".join(part) for part in segments], expected="segments with masses", where="body_momentum",
        )  # fmt: skip
    com, velocity, acceleration = (
        sum(segment.mass_kg * getattr(moved, name) for segment, moved in tracked) / mass_kg
        for name in ("com_lab_m", "com_velocity_lab_m_s", "com_acceleration_lab_m_s2")
    )
    momentum, rate, energy = np.zeros_like(com), np.zeros_like(com), np.zeros(len(com))
    for segment, moved in tracked:
        arm, speed = moved.com_lab_m - com, moved.com_velocity_lab_m_s - velocity
        spin, spin_rate = _spin(segment, moved)
        momentum += segment.mass_kg * cross(arm, speed) + spin
        rate += segment.mass_kg * cross(arm, moved.com_acceleration_lab_m_s2 - acceleration) + spin_rate
        energy += 0.5 * (segment.mass_kg * dot(speed, speed) + dot(moved.omega_lab_rad_s, spin))
    return BodyMomentum(mass_kg, com, velocity, acceleration, momentum, rate, energy)


def _spin(segment: Segment, moved: Motion) -> tuple[FloatArray, FloatArray]:
    """Angular momentum of a segment about its own centre of mass and its rate, (n, 3) each, laboratory axes."""
    R = moved.frames.R_lab_seg
    omega, alpha = (matvec_transposed(R, each) for each in (moved.omega_lab_rad_s, moved.alpha_lab_rad_s2))
    spin = matvec(segment.inertia_kgm2, omega)
    return matvec(R, spin), matvec(R, matvec(segment.inertia_kgm2, alpha) + cross(omega, spin))


@compact_repr
@dataclass(frozen=True, eq=False)
class Ground:
    """The ground's action on both feet together; NaN where the wrench on either is not known.

    Attributes
    ----------
    force_lab_N : FloatArray
        (n, 3), laboratory axes.
    moment_lab_Nm : FloatArray
        (n, 3), about the laboratory's origin, laboratory axes.
    """

    force_lab_N: FloatArray
    moment_lab_Nm: FloatArray

    @property
    def known(self) -> BoolArray:
        """Frames (n,) in which both wrenches are known."""
        return all_finite(self.force_lab_N)

    def with_further(self, extra: Iterable[External]) -> Ground:
        """Add further forces from outside, on whichever segments.

        Parameters
        ----------
        extra : Iterable[External]
            A crutch, a handrail, an exoskeleton that is fixed to the room.

        Returns
        -------
        Ground
            All that acts on the body from outside, about the laboratory's origin.
        """
        force, moment = self.force_lab_N, self.moment_lab_Nm
        for further_N, further_Nm in (load.at_origin() for load in extra):
            force, moment = force + further_N, moment + further_Nm
        return Ground(force, moment)


def ground_of(contacts: Mapping[str, FootContact]) -> Ground:
    """Sum the ground's action on both feet.

    Parameters
    ----------
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench on that foot; of both sides.

    Returns
    -------
    Ground
        (n, 3) force and moment about the laboratory's origin; NaN in frames in which either foot's wrench is not known.

    Raises
    ------
    MissingInputError
        A foot is missing: what it bears is not known.
    """
    if set(contacts) != set(SIDES):
        raise MissingInputError(
            f"The ground's action on the whole body needs both feet, not {', '.join(contacts) or 'none'}.",
            value=sorted(contacts), expected="the contacts of both sides", where="ground_of",
        )  # fmt: skip
    known = np.logical_and(*(contacts[side].known for side in SIDES))[:, None]
    force, moment = (
        np.where(known, sum(getattr(contacts[side], name) for side in SIDES), np.nan) for name in ("force_lab_N", "moment_lab_Nm")
    )
    return Ground(force, moment)


def ground_residual(
    body: BodyMomentum, ground: Ground, *, gravity_lab_m_s2: ArrayLike = GRAVITY_LAB_M_S2
) -> tuple[FloatArray, FloatArray]:
    """What the ground leaves unexplained of the body's momentum (see the module).

    Parameters
    ----------
    body : BodyMomentum
        Momentum of all segments together.
    ground : Ground
        The ground's action on it.
    gravity_lab_m_s2 : ArrayLike, optional
        (3,), laboratory axes, m/s2; points down.

    Returns
    -------
    force_lab_N : FloatArray
        (n, 3), F_residual, N, laboratory axes.
    moment_lab_Nm : FloatArray
        (n, 3), M_residual, N m, about the body's centre of mass, laboratory axes. Both are NaN where the ground's wrench or a
        segment is not known.
    """
    force = ground.force_lab_N + body.mass_kg * (np.asarray(gravity_lab_m_s2) - body.com_acceleration_lab_m_s2)
    moment = ground.moment_lab_Nm - cross(body.com_lab_m, ground.force_lab_N) - body.angular_rate_lab_Nm
    return np.asarray(force), np.asarray(moment)


def com_from_forces(
    body: BodyMomentum, ground: Ground, rate_hz: float, *, gravity_lab_m_s2: ArrayLike = GRAVITY_LAB_M_S2
) -> tuple[FloatArray, FloatArray]:
    """Path of the centre of mass as the ground's forces move it.

    Newton's second law integrated twice over every stretch in which both wrenches are known (Cavagna 1975, J Appl Physiol 39:174).
    The two constants of each stretch, place and velocity, are those with which the path lies nearest to the markers' one, in the
    sense of least squares: the shape is the forces' alone.

    Parameters
    ----------
    body : BodyMomentum
        Mass, and the path from the markers.
    ground : Ground
        The ground's action on it.
    rate_hz : float
        Frames per second of ``body`` and ``ground``.
    gravity_lab_m_s2 : ArrayLike, optional
        (3,), laboratory axes, m/s2; points down.

    Returns
    -------
    com_lab_m : FloatArray
        (n, 3), metres, laboratory axes.
    com_velocity_lab_m_s : FloatArray
        (n, 3), m/s. Both are NaN where the wrenches are not known, and in stretches with fewer than three frames of markers.
    """
    acceleration = ground.force_lab_N / body.mass_kg + np.asarray(gravity_lab_m_s2)
    place, velocity = np.full_like(acceleration, np.nan), np.full_like(acceleration, np.nan)
    for first, last in runs(ground.known):
        time_s = np.arange(last - first) / rate_hz
        gained, way = (
            _integral(each, rate_hz) for each in (acceleration[first:last], _integral(acceleration[first:last], rate_hz))
        )
        gap = body.com_lab_m[first:last] - way
        seen = all_finite(gap)
        if np.count_nonzero(seen) < 3:
            continue
        constants = np.linalg.lstsq(np.stack([np.ones(int(seen.sum())), time_s[seen]], axis=1), gap[seen], rcond=None)[0]
        place[first:last] = way + constants[0] + time_s[:, None] * constants[1]
        velocity[first:last] = gained + constants[1]
    return place, velocity


def _integral(rate: FloatArray, rate_hz: float) -> FloatArray:
    """Integral from the first sample, (n, 3), by the trapezoidal rule."""
    steps = 0.5 * (rate[1:] + rate[:-1]) / rate_hz
    return np.concatenate([np.zeros((1, rate.shape[1])), np.cumsum(steps, axis=0)])
