"""Joint wrenches as a rotating, accelerating observer finds them.

An observer X measures positions r = c - J of centres of mass from a point J fixed in X, and their changes r', r'' in X's own
axes. To balance forces X has to add fictitious wrenches; all at the centre of mass, in X's axes (omega, alpha of X itself)::

    dynamic       m r''                 ; I alpha_S + omega_S x I omega_S      (absolute rotation of the segment S)
    dalembert    -m a_J                 ; 0
    euler        -m alpha x r           ; 0
    centrifugal  -m omega x (omega x r) ; 0
    coriolis     -2 m omega x r'        ; 0

    dynamic = joint + tip + gravity + external + dalembert + euler + centrifugal + coriolis

The joint wrench is the same for every observer and every J; only the split changes, and it changes with J too, so J is an
argument. If the rotation is to be seen from X as well (omega_r = omega_S - omega, alpha_r its rate in X), three moments join::

    euler -I alpha,   centrifugal -omega x I omega,   coriolis -(I (omega x omega_r) + omega x I omega_r + omega_r x I omega)

The question and the names follow F. Mielke's notebooks on fictitious wrenches, with the lost minus signs restored.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, keep_array
from biomech_id.algebra.vectors import cross, matvec, matvec_transposed
from biomech_id.algebra.wrench import Wrench
from biomech_id.conventions import GRAVITY_LAB_M_S2
from biomech_id.dynamics.body import Frames, Motion
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External, check_external, gravity_of
from biomech_id.values import dataclass

FICTITIOUS: tuple[str, str, str, str] = ("dalembert", "euler", "centrifugal", "coriolis")


@dataclass(frozen=True, eq=False)
class Observer:
    """A frame X from which a chain is watched.

    Attributes
    ----------
    name : str
        Name of the frame X: "lab", or that of the segment it sits on.
    frames : Frames
        R_lab_seg maps X components to laboratory components; the origin is the attachment point J.
    omega_lab_rad_s : FloatArray
        (N, 3), angular velocity of X in the laboratory, laboratory axes.
    alpha_lab_rad_s2 : FloatArray
        (N, 3), angular acceleration of X in the laboratory, laboratory axes.
    origin_velocity_lab_m_s : FloatArray
        (N, 3), velocity of J, laboratory axes.
    origin_acceleration_lab_m_s2 : FloatArray
        (N, 3), acceleration of J, laboratory axes.
    """

    name: str
    frames: Frames
    omega_lab_rad_s: FloatArray
    alpha_lab_rad_s2: FloatArray
    origin_velocity_lab_m_s: FloatArray
    origin_acceleration_lab_m_s2: FloatArray

    def __post_init__(self) -> None:
        for name in ("omega_lab_rad_s", "alpha_lab_rad_s2", "origin_velocity_lab_m_s", "origin_acceleration_lab_m_s2"):
            keep_array(self, name, (len(self.frames), 3), where=f"observer {self.name}")

    @classmethod
    def on(cls, name: str, motion: Motion, attachment_lab_m: FloatArray) -> Observer:
        """Sit on a segment, at a point of it.

        Parameters
        ----------
        name : str
            Name for the observer, as a rule the segment's.
        motion : Motion
            Of the segment; its centre of mass must be a point fixed in it.
        attachment_lab_m : FloatArray
            (N, 3), where the point is, metres, laboratory axes: the segment's proximal or distal joint, say.

        Returns
        -------
        Observer
            With the segment's rotation, and the path of its material point at the attachment.
        """
        omega, alpha = motion.omega_lab_rad_s, motion.alpha_lab_rad_s2
        arm = attachment_lab_m - motion.com_lab_m
        acceleration = motion.com_acceleration_lab_m_s2 + cross(alpha, arm) + cross(omega, cross(omega, arm))
        frames = Frames(motion.frames.R_lab_seg, attachment_lab_m)
        return cls(name, frames, omega, alpha, motion.velocity_of(attachment_lab_m), acceleration)

    @classmethod
    def at_rest(cls, n_frames: int) -> Observer:
        """Stand at the laboratory's origin: nothing is fictitious.

        Parameters
        ----------
        n_frames : int
            Number of frames N of the chain that is watched.

        Returns
        -------
        Observer
            Named "lab"; all its velocities and accelerations are zero.

        Examples
        --------
        >>> from biomech_id.dynamics.observer import Observer
        >>> Observer.at_rest(3).name
        'lab'
        """
        zero = np.zeros((n_frames, 3))
        return cls("lab", Frames(np.tile(np.eye(3), (n_frames, 1, 1)), zero), zero, zero, zero, zero)

    def seen(self, v_lab: FloatArray) -> FloatArray:
        """Turn vectors into the observer's axes.

        Parameters
        ----------
        v_lab : FloatArray
            (N, n, 3) or (N, 3), laboratory axes, any unit.

        Returns
        -------
        FloatArray
            The same shape and unit, components in the observer's axes.
        """
        R = self.frames.R_lab_seg
        return matvec_transposed(R[:, None] if v_lab.ndim == 3 else R, v_lab)


@dataclass(frozen=True, eq=False)
class ObservedBalance:
    """The balance of wrenches on one segment; each (N, 3) in the observer's axes, about the segment's proximal joint.

    Attributes
    ----------
    dynamic : Wrench
        Rate of change of momentum as the observer sees it.
    joint : Wrench
        Action of the proximal neighbour on the segment.
    tip : Wrench
        Action of all segments that hang on it.
    gravity : Wrench
        Weight of the segment.
    external : Wrench
        All wrenches from outside on the segment.
    dalembert : Wrench
        Fictitious: the observer's attachment point accelerates.
    euler : Wrench
        Fictitious: the observer's rotation speeds up or slows down.
    centrifugal : Wrench
        Fictitious: the observer rotates.
    coriolis : Wrench
        Fictitious: the segment moves within axes that rotate.
    """

    dynamic: Wrench
    joint: Wrench
    tip: Wrench
    gravity: Wrench
    external: Wrench
    dalembert: Wrench
    euler: Wrench
    centrifugal: Wrench
    coriolis: Wrench


def observe(
    chain: Chain,
    observer: Observer,
    external: Iterable[External] = (),
    *,
    gravity_lab_m_s2: ArrayLike = GRAVITY_LAB_M_S2,
    relative_rotation: bool = False,
) -> dict[str, ObservedBalance]:
    """Solve a chain from an observer's point of view.

    Parameters
    ----------
    chain : Chain
        Segments, motion and joint centres of N frames.
    observer : Observer
        The frame X, of N frames too.
    external : Iterable[External], optional
        Wrenches on segments from outside, of N frames each.
    gravity_lab_m_s2 : ArrayLike, optional
        (3,) or (N, 3), laboratory axes, m/s2; points down.
    relative_rotation : bool, optional
        Take the segments' rotation relative to the observer too; the default takes it relative to the laboratory, which leaves the
        fictitious moments about the centre of mass zero.

    Returns
    -------
    dict[str, ObservedBalance]
        Segment name -> the balance of wrenches on it.

    Raises
    ------
    InvalidValueError, ShapeError
        As for ``solve``.
    """
    external = check_external(chain, external)
    gravity = observer.seen(np.broadcast_to(chain.mass_kg[:, None] * gravity_of(chain, gravity_lab_m_s2), chain.com_lab_m.shape))
    zero = np.zeros_like(gravity)
    forces = _forces(chain, observer)
    moments = _moments(chain, observer, relative_rotation)
    balances: dict[str, ObservedBalance] = {}
    joints: list[Wrench] = []
    for i, name in enumerate(chain.names):
        point = chain.joints_lab_m[i]

        def at_joint(force: FloatArray, moment: FloatArray, i: int = i, point: FloatArray = point) -> Wrench:
            wrench = Wrench(force[:, i], moment[:, i], chain.com_lab_m[:, i], observer.name, observer.frames.R_lab_seg)
            return wrench.about(point)

        observed = {part: at_joint(forces[part], moments[part]) for part in ("dynamic", *FICTITIOUS)}
        nothing = at_joint(zero, zero)
        tip = sum((-joints[k].about(point) for k in chain.children(i)), start=nothing)
        outside = nothing
        for load in external:
            if load.segment == name:
                outside = outside + load.wrench.expressed_in(observer.name, observer.frames.R_lab_seg).about(point)
        weight = at_joint(gravity, zero)
        joint = observed["dynamic"] - tip - weight - outside
        for part in FICTITIOUS:
            joint = joint - observed[part]
        joints.append(joint)
        balances[name] = ObservedBalance(joint=joint, tip=tip, gravity=weight, external=outside, **observed)
    return balances


def relative_motion(chain: Chain, observer: Observer) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Motion of every centre of mass relative to the observer's attachment point.

    Parameters
    ----------
    chain : Chain
        The segments, distal to proximal.
    observer : Observer
        Whose axes and attachment point count.

    Returns
    -------
    r_m : FloatArray
        (N, n, 3), position from the attachment point, metres, observer's axes.
    velocity_m_s : FloatArray
        (N, n, 3), rate of change of those components.
    acceleration_m_s2 : FloatArray
        (N, n, 3), their second rate.
    """
    r = chain.com_lab_m - observer.frames.origin_lab_m[:, None]
    omega, alpha = observer.omega_lab_rad_s[:, None], observer.alpha_lab_rad_s2[:, None]
    velocity = chain.com_velocity_lab_m_s - observer.origin_velocity_lab_m_s[:, None] - cross(omega, r)
    acceleration = (
        chain.com_acceleration_lab_m_s2
        - observer.origin_acceleration_lab_m_s2[:, None]
        - cross(alpha, r)
        - cross(omega, cross(omega, r))
        - 2 * cross(omega, velocity)
    )
    return observer.seen(r), observer.seen(velocity), observer.seen(acceleration)


def _forces(chain: Chain, observer: Observer) -> dict[str, FloatArray]:
    """Inertial and fictitious forces (N, n, 3), N, observer's axes."""
    r, velocity, acceleration = relative_motion(chain, observer)
    omega = observer.seen(observer.omega_lab_rad_s)[:, None]
    alpha = observer.seen(observer.alpha_lab_rad_s2)[:, None]
    attachment = observer.seen(observer.origin_acceleration_lab_m_s2)[:, None]
    m = chain.mass_kg[:, None]
    return {
        "dynamic": m * acceleration,
        "dalembert": -m * (attachment + np.zeros_like(r)),
        "euler": -m * cross(alpha, r),
        "centrifugal": -m * cross(omega, cross(omega, r)),
        "coriolis": -2 * m * cross(omega, velocity),
    }


def _moments(chain: Chain, observer: Observer, relative_rotation: bool) -> dict[str, FloatArray]:
    """Inertial and fictitious moments (N, n, 3), N m, about each centre of mass, observer's axes."""

    def inertia(v_obs: FloatArray) -> FloatArray:
        """I v for a vector in the observer's axes."""
        v_seg = matvec_transposed(chain.R_lab_seg, matvec(observer.frames.R_lab_seg[:, None], v_obs))
        return observer.seen(matvec(chain.R_lab_seg, matvec(chain.inertia_kgm2, v_seg)))

    omega_S, alpha_S = observer.seen(chain.omega_lab_rad_s), observer.seen(chain.alpha_lab_rad_s2)
    moments = dict.fromkeys(FICTITIOUS, np.zeros_like(omega_S))
    if not relative_rotation:
        moments["dynamic"] = inertia(alpha_S) + cross(omega_S, inertia(omega_S))
        return moments
    omega = observer.seen(observer.omega_lab_rad_s)[:, None] + np.zeros_like(omega_S)
    alpha = observer.seen(observer.alpha_lab_rad_s2)[:, None] + np.zeros_like(alpha_S)
    omega_r = omega_S - omega
    alpha_r = alpha_S - alpha - cross(omega, omega_r)
    moments["dynamic"] = inertia(alpha_r) + cross(omega_r, inertia(omega_r))
    moments["euler"] = -inertia(alpha)
    moments["centrifugal"] = -cross(omega, inertia(omega))
    moments["coriolis"] = -(inertia(cross(omega, omega_r)) + cross(omega, inertia(omega_r)) + cross(omega_r, inertia(omega)))
    return moments
