"""A walking leg in its sagittal plane: measured motion in three dimensions to the coordinates of a planar mechanism.

The plane's axes are x forward along progression, y up, z to the subject's right; a mechanism put in takes the plane for its
laboratory. Its links lie between the projected joint centres, the foot's from the ankle towards its centre of mass, so that hip,
knee and ankle coordinates are the angle of the thigh from x, of the shank from the thigh and of the foot from the shank.

A leg that tilts out of the plane by z over a length L looks shorter by z^2 / 2L: rigid planar links have the mean projected
length, and `SagittalLeg.joint_centres_m` says where they put the joints. A link that leaves the plane by more than 45 degrees, as
the foot does in a turn, points nowhere in it: its angle may leap, and such a leg is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.wrench import Wrench
from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.dynamics.body import BodyMotion, FootContact, Frames, Motion, Segment
from biomech_id.dynamics.external import External
from biomech_id.errors import InvalidValueError, MissingInputError
from biomech_id.multibody.examples.mechanisms import in_plane
from biomech_id.multibody.joints import revolute
from biomech_id.multibody.parts import serial
from biomech_id.multibody.system import System
from biomech_id.signal.derivatives import quintic_derivatives
from biomech_id.values import dataclass

#: Proximal to distal, the order of the coordinates.
LINKS = LEG_SEGMENTS[::-1]
#: Angle between a link and the plane beyond which the plane does not show it: it would look shorter by 30 %.
LARGEST_TILT_RAD = np.pi / 4


@dataclass(frozen=True, eq=False)
class SagittalLeg:
    """One leg as a planar chain in motion, N frames; vectors in the plane's axes (forward, up, right).

    Attributes
    ----------
    R_plane_lab : FloatArray
        (3, 3), laboratory components to the plane's.
    thigh_m : float
        Mean projected lengths, hip to knee, knee to ankle, ankle to the foot's centre of mass.
    shank_m : float
        Mean projected lengths, hip to knee, knee to ankle, ankle to the foot's centre of mass.
    foot_m : float
        Mean projected lengths, hip to knee, knee to ankle, ankle to the foot's centre of mass.
    q1 : FloatArray
        (N, 3), hip, knee and ankle coordinates, rad, rad/s, rad/s2.
    u1 : FloatArray
        (N, 3), hip, knee and ankle coordinates, rad, rad/s, rad/s2.
    a1 : FloatArray
        (N, 3), hip, knee and ankle coordinates, rad, rad/s, rad/s2.
    hip : Motion
        The moving hip, without rotation: the ``base`` of `biomech_id.multibody.reduction.inverse_dynamics`.
    segments : Mapping[str, Segment]
        "thigh", "shank", "foot": mass, mean projected centre of mass, mean moment of inertia about the plane's normal.
    frames : slice
        Which frames of the trial these are.
    """

    R_plane_lab: FloatArray
    thigh_m: float
    shank_m: float
    foot_m: float
    q1: FloatArray
    u1: FloatArray
    a1: FloatArray
    hip: Motion
    segments: Mapping[str, Segment]
    frames: slice

    def joint_centres_m(self) -> FloatArray:
        """Hip, knee, ankle and the foot's centre of mass as the rigid planar links place them.

        Returns
        -------
        FloatArray
            (N, 4, 2), m, in the plane.
        """
        angle = np.cumsum(self.q1, axis=1)
        links = np.stack([np.cos(angle), np.sin(angle)], axis=-1) * np.array([[self.thigh_m], [self.shank_m], [self.foot_m]])
        hip = self.hip.frames.origin_lab_m[:, None, :2]
        return np.concatenate([hip, hip + np.cumsum(links, axis=1)], axis=1)

    def system(self, gravity_m_s2: ArrayLike) -> System:
        """The leg alone, with the coordinates hip, knee, ankle.

        Parameters
        ----------
        gravity_m_s2 : ArrayLike
            (3,), in the plane: (0, -9.81, 0).

        Returns
        -------
        System
            Three links that hang on a base that moves as the hip does.
        """
        segments, joints = [self.segments[name] for name in LINKS], [revolute(name) for name in ("hip", "knee", "ankle")]
        return System(serial(segments, joints, [(self.thigh_m, 0.0, 0.0), (self.shank_m, 0.0, 0.0)]), in_plane(gravity_m_s2))

    def ground(self, contact: FootContact) -> External:
        """What the ground does to the foot within the plane, in the same frames: in-plane force, moment about the normal.

        Parameters
        ----------
        contact : FootContact
            The ground's action on the foot, laboratory axes.

        Returns
        -------
        External
            Force (N, 3), N, and moment (N, 3), N m, about the plane's origin, axes of the plane.

        Raises
        ------
        MissingInputError
            Frames in which the ground's action is not known.
        """
        if not contact.known[self.frames].all():
            raise MissingInputError(
                f"The ground's action on the {contact.side} foot is not known in every chosen frame.",
                value=int((~contact.known[self.frames]).sum()),
                expected="frames with an accepted force plate or swing; choose others with frames=slice(first, stop)",
                where=f"FootContact {contact.side}",
            )
        force = contact.force_lab_N[self.frames] @ self.R_plane_lab.T * [1, 1, 0]
        moment = contact.moment_lab_Nm[self.frames] @ self.R_plane_lab.T * [0, 0, 1]
        return External("foot", Wrench(force, moment, np.zeros(3)))


def sagittal_leg(motion: BodyMotion, side: str, frames: slice = slice(None)) -> SagittalLeg:
    """A leg's measured motion as coordinates, rates and inertias of a planar chain on a moving hip.

    Parameters
    ----------
    motion : BodyMotion
        Motion of pelvis and legs, of any model.
    side : str
        "L" or "R", the leg that is meant.
    frames : slice, optional
        Which frames to keep; derivatives (natural quintic spline) are taken before the cut, so it has no ends.

    Returns
    -------
    SagittalLeg
        Coordinates, rad, with two derivatives, and the moving hip, in the chosen frames.

    Raises
    ------
    MissingInputError
        A side the motion does not have, or chosen frames in which a part of the leg is missing.
    InvalidValueError
        A leg that leaves the plane by more than 45 degrees in the chosen frames: a turn.
    """
    if side not in motion.sides:
        raise MissingInputError(
            f"{motion.name} has no {side} leg.", value=side, expected=f"one of {list(motion.sides)}", where=motion.name
        )
    forward, up = motion.progression_R_lab[0], motion.progression_R_lab[2]
    R_plane_lab = np.stack([forward, up, np.cross(forward, up)])
    nodes_lab = [motion.joint_centres_lab_m[side, joint] for joint in ("hip", "knee", "ankle")]
    nodes_lab.append(motion.motions[side, "foot"].com_lab_m)
    nodes = np.stack(nodes_lab, axis=1) @ R_plane_lab.T * [1, 1, 0]
    links = np.diff(nodes[..., :2], axis=1)
    angles = _unwrapped(np.arctan2(links[..., 1], links[..., 0]))
    q1 = np.diff(angles, axis=1, prepend=0.0)
    rates = quintic_derivatives(q1, motion.rate_hz)
    hip = [nodes[:, 0], *quintic_derivatives(nodes[:, 0], motion.rate_hz)]
    kept = [values[frames] for values in (q1, *rates, *hip)]
    _check_seen(motion, side, kept)
    _check_tilt(motion, side, np.diff(np.stack(nodes_lab, axis=1), axis=1)[frames] @ R_plane_lab.T)
    thigh, shank, foot = (float(mean) for mean in np.linalg.norm(links[frames], axis=2).mean(axis=0))
    segments = {
        name: _planar(motion, (side, name), R_plane_lab, nodes[frames, i], angles[frames, i], frames)
        for i, name in enumerate(LINKS)
    }
    q1, u1, a1 = kept[:3]
    return SagittalLeg(R_plane_lab, thigh, shank, foot, q1, u1, a1, _translating(*kept[3:]), segments, frames)


def _unwrapped(angle: FloatArray) -> FloatArray:
    """Angles (N, k) without jumps of a turn, gaps passed over."""
    out = angle.copy()
    for column in out.T:
        seen = np.isfinite(column)
        column[seen] = np.unwrap(column[seen])
    return out


def _check_seen(motion: BodyMotion, side: str, values: list[FloatArray]) -> None:
    """Refuse frames in which an array (N, any) is missing, and no frames at all."""
    missing = ~np.all([np.isfinite(array).all(axis=1) for array in values], axis=0)
    if missing.any() or not len(missing):
        raise MissingInputError(
            f"The {side} leg of {motion.name} is missing in {int(missing.sum())} of {len(missing)} chosen frames.",
            value=int(missing.sum()),
            expected="a stretch without gaps; choose it with frames=slice(first, stop)",
            where=motion.name,
        )


def _check_tilt(motion: BodyMotion, side: str, links_m: FloatArray) -> None:
    """Refuse links (N, 3, 3), in the plane's axes, that point out of it."""
    sine = np.abs(links_m[..., 2]) / np.linalg.norm(links_m, axis=2)
    frame, link = np.unravel_index(int(np.argmax(sine)), sine.shape)
    tilt = float(np.arcsin(sine[frame, link]))
    if tilt > LARGEST_TILT_RAD:
        raise InvalidValueError(
            f"The {side} {LINKS[link]} of {motion.name} leaves the plane of progression by {np.degrees(tilt):.0f} degrees in "
            f"chosen frame {frame}: its planar angle means nothing there.",
            value=round(float(np.degrees(tilt)), 1),
            expected=f"at most {np.degrees(LARGEST_TILT_RAD):.0f} degrees: a straight stretch of the walk, or the 3-D solver",
            where=motion.name,
        )


def _translating(position: FloatArray, velocity: FloatArray, acceleration: FloatArray) -> Motion:
    """A frame that moves without turning, its axes those of the plane."""
    zero = np.zeros_like(position)
    frames = Frames(np.tile(np.eye(3), (len(position), 1, 1)), position)
    return Motion(frames, zero, zero, position, velocity, acceleration)


def _planar(
    motion: BodyMotion, part: tuple[str, str], R_plane_lab: FloatArray, joint_m: FloatArray, angle: FloatArray, frames: slice
) -> Segment:
    """A segment's mass in its link's frame: x along the link, origin in its proximal joint; means over the frames."""
    segment, body = motion.segments[part], motion.motions[part]
    arm = (body.com_lab_m[frames] @ R_plane_lab.T - joint_m)[:, :2]
    cosine, sine = np.cos(angle), np.sin(angle)
    x, y = (cosine * arm[:, 0] + sine * arm[:, 1]).mean(), (cosine * arm[:, 1] - sine * arm[:, 0]).mean()
    normal = np.einsum("i,nij->nj", R_plane_lab[2], body.frames.R_lab_seg[frames])  # the plane's normal in segment axes
    tensor = np.broadcast_to(segment.inertia_kgm2, (motion.n_frames, 3, 3))[frames]
    inertia = float(np.einsum("ni,nij,nj->n", normal, tensor, normal).mean())
    flat = np.diag([inertia / 2, inertia / 2, inertia])
    return Segment(part[1], segment.mass_kg, np.array([x, y, 0.0]), flat, segment.source)
