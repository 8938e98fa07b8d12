"""Trees of bodies with one coordinate a joint, from coordinates to motion, mass matrix and joint forces.

A tree is described as robotics does, by a modified Denavit-Hartenberg table that allows branches (Khalil & Kleinfinger 1986, IEEE
ICRA 3:1174). Frame j follows from its antecedent by ::

    Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)

and its joint turns about (revolute: q adds to theta) or slides along (prismatic: q adds to r) its z axis. The equations of motion

::

    M(q) q'' + c(q, q') + g(q) = tau

come from Jacobians here; `Tree.inverse` sends the same motion through the general Newton-Euler solver instead: two ways to one tau.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.inertia import rotate_inertia
from biomech_id.algebra.rotation import rotation_about
from biomech_id.algebra.skew import skew
from biomech_id.algebra.vectors import cross, dot
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.chain import BASE, Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.newton_euler import solve
from biomech_id.errors import InvalidValueError, OptionError, ShapeError

#: A joint that turns about its axis, or slides along it.
JointKind = Literal["revolute", "prismatic"]


@dataclass(frozen=True, eq=False)
class TableBody:
    """One row of the table: a body and the joint it hangs by.

    Attributes
    ----------
    segment : Segment
        Mass, centre of mass and tensor in the body's frame j, whose origin is on the joint's axis.
    parent : int, optional
        Index of the antecedent body, or `BASE`; always an earlier row.
    kind : JointKind, optional
        "revolute" or "prismatic".
    gamma_rad : float, optional
        The constants of the table; q adds to theta or r.
    b_m : float, optional
        The constants of the table; q adds to theta or r.
    alpha_rad : float, optional
        The constants of the table; q adds to theta or r.
    d_m : float, optional
        The constants of the table; q adds to theta or r.
    theta_rad : float, optional
        The constants of the table; q adds to theta or r.
    r_m : float, optional
        The constants of the table; q adds to theta or r.
    """

    segment: Segment
    parent: int = BASE
    kind: JointKind = "revolute"
    gamma_rad: float = 0.0
    b_m: float = 0.0
    alpha_rad: float = 0.0
    d_m: float = 0.0
    theta_rad: float = 0.0
    r_m: float = 0.0


@dataclass(frozen=True, eq=False)
class TreeMotion:
    """Motion of every body, laboratory axes, each (N, n, 3) unless said.

    Attributes
    ----------
    R_lab_body : FloatArray
        (N, n, 3, 3); its third column is the joint's axis.
    origin_m : FloatArray
        Of the body's frame, a point fixed in the body.
    origin_velocity_m_s : FloatArray
        Of the body's frame, a point fixed in the body.
    origin_acceleration_m_s2 : FloatArray
        Of the body's frame, a point fixed in the body.
    omega_rad_s : FloatArray
        Angular velocity and acceleration.
    alpha_rad_s2 : FloatArray
        Angular velocity and acceleration.
    """

    R_lab_body: FloatArray
    origin_m: FloatArray
    origin_velocity_m_s: FloatArray
    origin_acceleration_m_s2: FloatArray
    omega_rad_s: FloatArray
    alpha_rad_s2: FloatArray

    def point(self, body: int, place_m: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position, velocity, acceleration (N, 3), laboratory, of the point ``place_m`` (3,) of a body's frame.

        Parameters
        ----------
        body : int
            Index of the body; `BASE` for the base.
        place_m : ArrayLike
            (3,), in the body's frame, from its origin, metres.
        """
        arm = self.R_lab_body[:, body] @ np.asarray(place_m, dtype=np.float64)
        omega, alpha = self.omega_rad_s[:, body], self.alpha_rad_s2[:, body]
        spin = cross(omega, arm)
        return (
            self.origin_m[:, body] + arm,
            self.origin_velocity_m_s[:, body] + spin,
            self.origin_acceleration_m_s2[:, body] + cross(alpha, arm) + cross(omega, spin),
        )


@dataclass(frozen=True, eq=False)
class Tree:
    """Bodies on a base, each hanging by one joint; coordinates q (N, n) in the order of the rows.

    Attributes
    ----------
    bodies : Sequence[TableBody]
        n rows, parents before children.

    Raises
    ------
    InvalidValueError
        A parent that is no earlier row, or two bodies with one name.
    OptionError
        An unknown kind of joint.

    Examples
    --------
    >>> from biomech_id.multibody.mechanisms import planar_segment
    >>> from biomech_id.multibody.tree import TableBody, Tree
    >>> thigh = TableBody(planar_segment("thigh", 7.0, (0.2, 0.0), 0.1))
    >>> shank = TableBody(planar_segment("shank", 3.0, (0.2, 0.0), 0.05), parent=0, d_m=0.4)
    >>> Tree([thigh, shank]).names
    ('thigh', 'shank')
    """

    bodies: Sequence[TableBody]
    _ancestors: tuple[tuple[int, ...], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", tuple(self.bodies))
        names = self.names
        if len(set(names)) < len(names):
            raise InvalidValueError(f"Two bodies share a name: {names}.", value=names, expected="different names", where="Tree")
        paths: list[tuple[int, ...]] = []
        for j, body in enumerate(self.bodies):
            if body.kind not in ("revolute", "prismatic"):
                raise OptionError(
                    f"The joint of the {names[j]} is {body.kind!r}.",
                    value=body.kind, expected="'revolute' or 'prismatic'", where=names[j],
                )  # fmt: skip
            if not BASE <= body.parent < j:
                raise InvalidValueError(
                    f"The {names[j]}, row {j}, hangs on row {body.parent}.",
                    value=body.parent, expected=f"-1 for the base, or a row before {j}", where=names[j],
                )  # fmt: skip
            paths.append((*(paths[body.parent] if body.parent != BASE else ()), j))
        object.__setattr__(self, "_ancestors", tuple(paths))

    @cached_property
    def _turns(self) -> BoolArray:
        """(n,), which joints are revolute."""
        return np.array([body.kind == "revolute" for body in self.bodies])

    @property
    def names(self) -> tuple[str, ...]:
        """The bodies' names, in order."""
        return tuple(body.segment.name for body in self.bodies)

    def __len__(self) -> int:
        return len(self.bodies)

    def path(self, body: int) -> tuple[int, ...]:
        """Joints between the base and a body, its own last.

        Parameters
        ----------
        body : int
            Index of the body; `BASE` for the base.

        Examples
        --------
        >>> from biomech_id.multibody.mechanisms import planar_segment
        >>> from biomech_id.multibody.tree import TableBody, Tree
        >>> thigh = TableBody(planar_segment("thigh", 7.0, (0.2, 0.0), 0.1))
        >>> rods = [thigh, TableBody(planar_segment("shank", 3.0, (0.2, 0.0), 0.05), 0, d_m=0.4)]
        >>> Tree(rods).path(1)
        (0, 1)
        """
        return self._ancestors[body]

    def motion(
        self, q: FloatArray, u: FloatArray | None = None, a: FloatArray | None = None, *, base: Motion | None = None
    ) -> TreeMotion:
        """Motion of all bodies from coordinates, speeds and accelerations (N, n), rad or m and their rates.

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        u, a : FloatArray | None, optional
            Left out, they are zero.
        base : Motion | None, optional
            Motion of the frame the tree hangs on (N frames), if it moves; its centre of mass is not used.

        Raises
        ------
        ShapeError
            Unless all are (N, n).

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.mechanisms import planar_segment
        >>> from biomech_id.multibody.tree import TableBody, Tree
        >>> thigh = TableBody(planar_segment("thigh", 7.0, (0.2, 0.0), 0.1))
        >>> rods = [thigh, TableBody(planar_segment("shank", 3.0, (0.2, 0.0), 0.05), 0, d_m=0.4)]
        >>> bent = Tree(rods).motion(np.deg2rad([[90.0, -90.0]]))
        >>> ankle_m, velocity, acceleration = bent.point(1, (0.4, 0.0, 0.0))
        >>> ankle_m.round(6) + 0.0
        array([[0.4, 0.4, 0. ]])
        """
        q, u, a = self._checked(q, u, a)
        N, n = q.shape
        R = np.empty((N, n, 3, 3))
        p, v, w, acc, al = (np.zeros((N, n, 3)) for _ in range(5))
        root = _base_state(base, N)
        for j, body in enumerate(self.bodies):
            R_0, p_0, v_0, a_0, w_0, al_0 = root if body.parent == BASE else (x[:, body.parent] for x in (R, p, v, acc, w, al))
            turn, shift = _placement(body, q[:, j])
            R[:, j] = R_0 @ turn
            arm, axis = _apply(R_0, shift), R_0 @ turn[..., 2] if turn.ndim == 2 else _apply(R_0, turn[..., 2])
            spin = cross(w_0, arm)
            p[:, j], v[:, j] = p_0 + arm, v_0 + spin
            acc[:, j] = a_0 + cross(al_0, arm) + cross(w_0, spin)
            w[:, j], al[:, j] = w_0, al_0
            along, across = axis * u[:, j, None], axis * a[:, j, None]
            if body.kind == "revolute":
                w[:, j] += along
                al[:, j] += across + cross(w_0, along)
            else:
                v[:, j] += along
                acc[:, j] += across + 2 * cross(w_0, along)
        return TreeMotion(R, p, v, acc, w, al)

    def jacobians(self, motion: TreeMotion, body: int, place_m: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """How speeds move a point of a body and turn it: (N, 3, n) each, and the body's rotation second; laboratory axes.

        Parameters
        ----------
        motion : TreeMotion
            The tree's motion in the states asked for.
        body : int
            Index of the body; `BASE` for the base.
        place_m : ArrayLike
            (3,), in the body's frame, from its origin, metres.
        """
        path, turns = list(self.path(body)), self._turns[list(self.path(body)), None]
        axis = motion.R_lab_body[..., 2][:, path]
        arm = motion.point(body, place_m)[0][:, None] - motion.origin_m[:, path]
        return self._spread(path, np.where(turns, cross(axis, arm), axis)), self._spread(path, np.where(turns, axis, 0.0))

    def jacobian_rates(self, motion: TreeMotion, body: int, place_m: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Rates of change of `jacobians` along the motion, (N, 3, n) each, laboratory axes; for a base at rest.

        Parameters
        ----------
        motion : TreeMotion
            The tree's motion in the states asked for.
        body : int
            Index of the body; `BASE` for the base.
        place_m : ArrayLike
            (3,), in the body's frame, from its origin, metres.
        """
        path, turns = list(self.path(body)), self._turns[list(self.path(body)), None]
        point, velocity, _ = motion.point(body, place_m)
        axis = motion.R_lab_body[..., 2][:, path]
        d_axis = cross(motion.omega_rad_s[:, path], axis)
        arm, d_arm = point[:, None] - motion.origin_m[:, path], velocity[:, None] - motion.origin_velocity_m_s[:, path]
        moving = np.where(turns, cross(d_axis, arm) + cross(axis, d_arm), d_axis)
        return self._spread(path, moving), self._spread(path, np.where(turns, d_axis, 0.0))

    def _spread(self, path: list[int], columns: FloatArray) -> FloatArray:
        """Columns (N, k, 3) of the joints on a path as a Jacobian (N, 3, n)."""
        J = np.zeros((len(columns), 3, len(self)))
        J[:, :, path] = columns.transpose(0, 2, 1)
        return J

    def equations(
        self, q: FloatArray, u: FloatArray, *, gravity_lab_m_s2: ArrayLike = (0.0, 0.0, 0.0), motion: TreeMotion | None = None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mass matrix M (N, n, n), matrix C (N, n, n) with c = C u, and gravity's g (N, n): M q'' + C u + g = tau.

        C is the one that makes dM/dt - 2 C skew: power never comes from c. Gravity (3,) or (N, 3), laboratory axes. ``motion``
        spares work if that of q and u is at hand already.

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        u : FloatArray
            (N, n), speeds: rates of the coordinates.
        gravity_lab_m_s2 : ArrayLike, optional
            (3,) or (N, 3), laboratory axes, m/s2; points down.
        motion : TreeMotion | None, optional
            The tree's motion in ``q`` and ``u``, if it is at hand already.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.mechanisms import planar_segment
        >>> from biomech_id.multibody.tree import TableBody, Tree
        >>> rod = Tree([TableBody(planar_segment("rod", 2.0, (0.5, 0.0), 1 / 6))])
        >>> M, C, g = rod.equations(np.zeros((1, 1)), np.zeros((1, 1)), gravity_lab_m_s2=(0.0, -9.81, 0.0))
        >>> M.round(4), g.round(3)
        (array([[[0.6667]]]), array([[9.81]]))
        """
        motion = motion or self.motion(q, u)
        N, n = motion.origin_m.shape[:2]
        M, C, g = np.zeros((N, n, n)), np.zeros((N, n, n)), np.zeros((N, n))
        gravity = np.broadcast_to(np.asarray(gravity_lab_m_s2, dtype=np.float64), (N, 3))[..., None]
        for j, body in enumerate(self.bodies):
            segment = body.segment
            J_v, J_w = self.jacobians(motion, j, segment.com_m)
            dJ_v, dJ_w = self.jacobian_rates(motion, j, segment.com_m)
            R = motion.R_lab_body[:, j]
            inertia = rotate_inertia(R, segment.inertia_kgm2)
            J_vT, J_wT = segment.mass_kg * J_v.transpose(0, 2, 1), J_w.transpose(0, 2, 1)
            M += J_vT @ J_v + J_wT @ inertia @ J_w
            C += J_vT @ dJ_v + J_wT @ (inertia @ dJ_w + skew(motion.omega_rad_s[:, j]) @ inertia @ J_w)
            g -= (J_vT @ gravity)[..., 0]
        return M, C, g

    def chain(self, q: FloatArray, u: FloatArray, a: FloatArray, *, base: Motion | None = None) -> Chain:
        """The tree in motion as the `Chain` that the general solver takes.

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        u : FloatArray
            (N, n), speeds: rates of the coordinates.
        a : FloatArray
            (N, n), accelerations: rates of the speeds.
        base : Motion | None, optional
            What the base moves with; None is the laboratory.
        """
        return self.chain_of(self.motion(q, u, a, base=base))

    def chain_of(self, motion: TreeMotion) -> Chain:
        """A motion of this tree as a `Chain`; order and indices reversed, since chains go distal to proximal.

        Parameters
        ----------
        motion : TreeMotion
            The tree's motion in the states asked for.
        """
        n = len(self)
        motions = []
        for j, body in enumerate(self.bodies):
            com = motion.point(j, body.segment.com_m)
            frames = Frames(motion.R_lab_body[:, j], motion.origin_m[:, j])
            motions.append(Motion(frames, motion.omega_rad_s[:, j], motion.alpha_rad_s2[:, j], *com))
        return Chain(
            [body.segment for body in reversed(self.bodies)],
            motions[::-1],
            [motion.origin_m[:, j] for j in reversed(range(n))],
            tuple(BASE if body.parent == BASE else n - 1 - body.parent for body in reversed(self.bodies)),
        )

    def inverse(
        self,
        q: FloatArray,
        u: FloatArray,
        a: FloatArray,
        external: Iterable[External] = (),
        *,
        gravity_lab_m_s2: ArrayLike = (0.0, 0.0, 0.0),
        base: Motion | None = None,
    ) -> FloatArray:
        """Generalised forces tau (N, n), N m or N, of a motion: joint wrenches of the general solver along the joints' axes.

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        u : FloatArray
            (N, n), speeds: rates of the coordinates.
        a : FloatArray
            (N, n), accelerations: rates of the speeds.
        external : Iterable[External], optional
            Further wrenches on the bodies, by name.
        gravity_lab_m_s2 : ArrayLike, optional
            (3,) or (N, 3), laboratory axes, m/s2; points down.
        base : Motion | None, optional
            What the base moves with; None is the laboratory.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.mechanisms import planar_segment
        >>> from biomech_id.multibody.tree import TableBody, Tree
        >>> rod = Tree([TableBody(planar_segment("rod", 2.0, (0.5, 0.0), 1 / 6))])
        >>> rod.inverse(*np.zeros((3, 1, 1)), gravity_lab_m_s2=(0.0, -9.81, 0.0)).round(3)
        array([[9.81]])
        """
        motion = self.motion(q, u, a, base=base)
        loads = solve(self.chain_of(motion), external, gravity_lab_m_s2=gravity_lab_m_s2)
        axes = motion.R_lab_body[:, :, :, 2]
        tau: FloatArray = (np.where(self._turns[:, None], loads.moment_lab_Nm[:, ::-1], loads.force_lab_N[:, ::-1]) * axes).sum(
            axis=-1
        )
        return tau

    def forward(
        self, q: FloatArray, u: FloatArray, tau: FloatArray, *, gravity_lab_m_s2: ArrayLike = (0.0, 0.0, 0.0)
    ) -> FloatArray:
        """Accelerations q'' (N, n) under generalised forces ``tau`` (N, n): the inverse of `inverse` on a base at rest.

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        u : FloatArray
            (N, n), speeds: rates of the coordinates.
        tau : FloatArray
            (N, n), drives at the joints, N m or N.
        gravity_lab_m_s2 : ArrayLike, optional
            (3,) or (N, 3), laboratory axes, m/s2; points down.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.mechanisms import planar_segment
        >>> from biomech_id.multibody.tree import TableBody, Tree
        >>> rod = Tree([TableBody(planar_segment("rod", 2.0, (0.5, 0.0), 1 / 6))])
        >>> rod.forward(np.zeros((1, 1)), np.zeros((1, 1)), np.array([[2.0]]), gravity_lab_m_s2=(0.0, 0.0, 0.0)).round(3)
        array([[3.]])
        """
        M, C, g = self.equations(q, u, gravity_lab_m_s2=gravity_lab_m_s2)
        need = (tau - g)[..., None] - C @ u[..., None]
        return np.asarray(np.linalg.solve(M, need)[..., 0], dtype=np.float64)

    def energy(self, q: FloatArray, u: FloatArray, *, gravity_lab_m_s2: ArrayLike = (0.0, 0.0, 0.0)) -> FloatArray:
        """Kinetic and gravitational energy (N,), J; the latter is zero at the laboratory's origin.

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        u : FloatArray
            (N, n), speeds: rates of the coordinates.
        gravity_lab_m_s2 : ArrayLike, optional
            (3,) or (N, 3), laboratory axes, m/s2; points down.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.mechanisms import planar_segment
        >>> from biomech_id.multibody.tree import TableBody, Tree
        >>> rod = Tree([TableBody(planar_segment("rod", 2.0, (0.5, 0.0), 1 / 6))])
        >>> rod.energy(np.zeros((1, 1)), np.ones((1, 1)), gravity_lab_m_s2=(0.0, 0.0, 0.0)).round(4)
        array([0.3333])
        """
        motion, gravity = self.motion(q, u), np.asarray(gravity_lab_m_s2, dtype=np.float64)
        of_bodies = []
        for j, body in enumerate(self.bodies):
            point, velocity, _ = motion.point(j, body.segment.com_m)
            spin = np.einsum("nij,ni->nj", motion.R_lab_body[:, j], motion.omega_rad_s[:, j])
            turning = np.einsum("ni,ij,nj->n", spin, body.segment.inertia_kgm2, spin)
            kinetic = (body.segment.mass_kg * (velocity**2).sum(axis=1) + turning) / 2
            of_bodies.append(kinetic - body.segment.mass_kg * dot(point, gravity))
        return np.asarray(np.sum(of_bodies, axis=0))

    def _checked(self, q: FloatArray, u: FloatArray | None, a: FloatArray | None) -> tuple[FloatArray, FloatArray, FloatArray]:
        shape = (len(q), len(self))
        checked = [np.zeros(shape) if x is None else np.asarray(x, dtype=np.float64) for x in (q, u, a)]
        for name, values in zip(("q", "u", "a"), checked, strict=True):
            if values.shape != shape:
                raise ShapeError(
                    f"{name} of a tree of {len(self)} joints has shape {values.shape}, expected {shape}.",
                    value=values.shape, expected=str(shape), where="Tree",
                )  # fmt: skip
        return checked[0], checked[1], checked[2]


def _base_state(base: Motion | None, N: int) -> tuple[FloatArray, ...]:
    """Rotation, and position, velocity, acceleration of the origin, omega, alpha of the frame the tree hangs on."""
    zero = np.zeros((N, 3))
    if base is None:
        return np.broadcast_to(np.eye(3), (N, 3, 3)), zero, zero, zero, zero, zero
    omega, alpha = base.omega_lab_rad_s, base.alpha_lab_rad_s2
    arm = base.frames.origin_lab_m - base.com_lab_m
    acceleration = base.com_acceleration_lab_m_s2 + cross(alpha, arm) + cross(omega, cross(omega, arm))
    origin = base.frames.origin_lab_m
    return base.frames.R_lab_seg, origin, base.velocity_of(origin), acceleration, omega, alpha


def _placement(body: TableBody, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rotation (N, 3, 3) and shift (N, 3) of a body's frame in its antecedent's, for coordinates (N,)."""
    revolute = body.kind == "revolute"
    to_axis = rotation_about(2, np.array(body.gamma_rad)) @ rotation_about(0, np.array(body.alpha_rad))
    turn = to_axis @ rotation_about(2, body.theta_rad + (q if revolute else np.zeros_like(q)))
    slide = body.r_m + (np.zeros_like(q) if revolute else q)
    cosine, sine = np.cos(body.gamma_rad), np.sin(body.gamma_rad)
    fixed = np.array([cosine * body.d_m, sine * body.d_m, body.b_m])
    return turn, fixed + slide[:, None] * to_axis[:, 2]


def _apply(R: FloatArray, v: FloatArray) -> FloatArray:
    return np.asarray((R @ v[..., None])[..., 0])
