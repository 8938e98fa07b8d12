"""One description of a multibody system, as data, and the dynamics of its tree.

::

    M u' + c + g + s = tau + E + J^T lambda,   q' = Y(q) u

left what motion, gravity and springs take: c velocity terms, g = -sum J_v^T m gravity, s springs and dampers; right what is
given: tau the drives (each the power partner of a speed), E the wrenches that act ON bodies, lambda the forces in closed loops.
The terms by name are those of the matrix formalism, **M u' = C + G + Q + E**: C = -c, G = -g, Q = tau - s (`System.terms`).

Gravity has no default. Coordinates and speeds are known by name; their order is that of the joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray, float_array, readonly
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.arguments import a, a_str, an_array, each, holds, or_none
from biomech_id.dynamics.body import Frames, Motion
from biomech_id.dynamics.chain import BASE, Chain
from biomech_id.dynamics.external import LARGEST_GRAVITY_M_S2, External
from biomech_id.errors import InvalidValueError, MissingInputError, ShapeError
from biomech_id.multibody.closures import LoopClosure
from biomech_id.multibody.elimination import matching
from biomech_id.multibody.impossible import check_numbers, check_state
from biomech_id.multibody.joints import names_of
from biomech_id.multibody.kinematics import GROUND, Kinematics, TreeLayout, check_lengths, move, rates
from biomech_id.multibody.masses import Masses
from biomech_id.multibody.parts import Body, Drive, Terms, check_tree
from biomech_id.multibody.springs import LineSpring, Spring
from biomech_id.multibody.tree_code import generated_results, nothing_missing
from biomech_id.values import dataclass

#: Entries of a loop's Jacobian smaller than this, relative to its largest, are zero in every configuration.
STRUCTURAL = 1e-12
#: From free coordinates to dependent ones, in closed form: for a turn (sine, cosine), for any other its value. It takes what knows
#: sin, cos, sqrt and atan2 of its numbers, and one number for each free coordinate.
ClosedForm = Callable[[Any, Sequence[Any]], Sequence[Any]]


@holds(
    bodies=each(a(Body)), gravity_lab_m_s2=or_none(an_array()), free=each(a_str()), springs=each(a((Spring, LineSpring))),
    drives=each(a(Drive)),
)  # fmt: skip
@compact_repr
@dataclass(frozen=True, eq=False)
class System:
    """Bodies and joints, what closes their loops, springs and drives.

    Attributes
    ----------
    bodies : Sequence[Body]
        Bodies with their joints, parents before children.
    gravity_lab_m_s2 : ArrayLike
        (3,), laboratory axes; has to be said, (0, 0, 0) too.
    closures : Sequence[LoopClosure], optional
        Relations that close loops, one equation or more each.
    free : Sequence[str], optional
        Names of the coordinates that stay free; the others follow from the closures. None given: all are.
    springs : Sequence[Spring | LineSpring], optional
        Springs and dampers, along coordinates or between points.
    drives : Sequence[Drive], optional
        Torques by law, for simulation and audit.
    closed_form : ClosedForm | None, optional
        Dependent coordinates from free ones, if there is a formula; its branch is the mechanism's.

    Raises
    ------
    MissingInputError
        Gravity that is not said.
    InvalidValueError
        Two bodies with one name, a parent that is no earlier body, or fewer equations than dependent coordinates.
    UnknownNameError
        A body or coordinate that is not there.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.body import Segment
    >>> from biomech_id.multibody.joints import revolute
    >>> from biomech_id.multibody.parts import Body
    >>> from biomech_id.multibody.system import System
    >>> rod = Segment("rod", 2.0, np.array([0.5, 0.0, 0.0]), np.diag([0.0, 1 / 6, 1 / 6]))
    >>> pendulum = System([Body(rod, revolute("angle"))], gravity_lab_m_s2=(0.0, -9.81, 0.0))
    >>> held = np.zeros((1, 1))
    >>> pendulum.inverse(held, held, held).round(3)
    array([[9.81]])
    """

    bodies: Sequence[Body]
    gravity_lab_m_s2: ArrayLike = None  # type: ignore[assignment]
    closures: Sequence[LoopClosure] = ()
    free: Sequence[str] = ()
    springs: Sequence[Spring | LineSpring] = ()
    drives: Sequence[Drive] = ()
    closed_form: ClosedForm | None = None

    def __post_init__(self) -> None:
        if self.gravity_lab_m_s2 is None:
            raise MissingInputError(
                "Gravity is not said.", value=None, expected="gravity_lab_m_s2=(x, y, z), three zeros where there is none",
                where="System",
            )  # fmt: skip
        gravity = readonly(self.gravity_lab_m_s2, (3,), name="gravity_lab_m_s2", where="System")
        if not np.abs(gravity).max() <= LARGEST_GRAVITY_M_S2:
            raise InvalidValueError(
                f"The gravity_lab_m_s2 of System is {gravity.tolist()}: these are no m/s2.", value=gravity.tolist(),
                expected=f"m/s2, at most {LARGEST_GRAVITY_M_S2:g}", where="System",
            )  # fmt: skip
        object.__setattr__(self, "gravity_lab_m_s2", gravity)
        for name in ("bodies", "closures", "springs", "drives"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.bodies:
            raise MissingInputError("The bodies of System are none.", value=[], expected="one Body or more", where="System")
        check_tree(self.bodies)
        object.__setattr__(self, "free", self._expanded() or (() if self.closures else self.coordinates))
        self._check_names()
        self._check_loops()

    def _expanded(self) -> tuple[str, ...]:
        """Free coordinates, the name of a rotation standing for its quaternion."""
        fours = [[self.coordinates[k] for k in four] for four, _ in self.layout.quaternions]
        fours_by_name = {names[0].removesuffix(".w"): names for names in fours}
        return tuple(name for given in self.free for name in fours_by_name.get(given, [given]))

    def _check_names(self) -> None:
        for name in self.free:
            self.coordinate(name)
        for part in (*self.closures, *self.springs):
            names = [value for value in vars(part).values() if isinstance(value, str)]
            numbers = {name: value for name, value in vars(part).items() if isinstance(value, float | int | tuple)}
            check_numbers(" ".join([type(part).__name__, *names]), **numbers)
        for spring in self.springs:
            spring.check(self.layout)
        for drive in self.drives:
            for name in drive.speeds:
                self.speed(name)

    def _check_loops(self) -> None:
        if len(set(self.free)) < len(self.free):
            raise InvalidValueError(
                f"A coordinate is free twice: {self.free}.", value=self.free, expected="different names", where="System"
            )
        if not self.closures:
            if len(self.free) not in (0, len(self.coordinates)):
                raise InvalidValueError(
                    "Some coordinates are not free, but nothing closes a loop.", value=self.free,
                    expected="closures, or no list of free coordinates", where="System",
                )  # fmt: skip
            return
        for closure in self.closures:
            if not isinstance(closure, LoopClosure):
                raise InvalidValueError(
                    f"{type(closure).__name__} is no relation of coordinates that closes a loop.", value=closure,
                    expected="closures of positions; what only binds speeds: simulate(rolling=...), or kane()", where="System",
                )  # fmt: skip
        rows, wanted = sum(closure.size for closure in self.closures), len(self.dependent)
        if self.layout.quaternions and set(self.dependent) & {self.coordinates[k] for q, _ in self.layout.quaternions for k in q}:
            raise InvalidValueError(
                "A quaternion cannot follow from a loop: its four numbers are not independent.", value=self.dependent,
                expected="turns (a cardan joint) where a loop determines the attitude", where="System",
            )  # fmt: skip
        if rows < wanted:
            raise InvalidValueError(
                f"{rows} equations cannot determine {wanted} dependent coordinates: {', '.join(self.dependent)}.",
                value=rows, expected=f"{wanted} equations or more", where="System",
            )  # fmt: skip
        row_of = matching(self.loop_pattern)
        left = [name for name, row in zip(self.dependent, row_of, strict=True) if row is None]
        if left:
            raise InvalidValueError(
                f"The closures leave {', '.join(left)} undetermined in every configuration.",
                value=left, expected="closures that tie each dependent coordinate; choose other free coordinates", where="System",
            )  # fmt: skip

    @cached_property
    def loop_sizes(self) -> FloatArray:
        """(k, n), how large the derivatives of the closures' equations by the speeds are: by two attitudes at random."""
        rng = np.random.default_rng(0)
        q = rng.uniform(0.3, 1.2, (2, len(self.coordinates)))
        for four, _ in self.layout.quaternions:
            q[:, four] /= np.linalg.norm(q[:, four], axis=1, keepdims=True)
        return np.asarray(np.abs(self.loop_jacobian(q, self.kinematics(q))).max(axis=0))

    @cached_property
    def loop_pattern(self) -> BoolArray:
        """(k, n2), which equation of the closures depends on which dependent coordinate."""
        wide: BoolArray = self.loop_sizes[:, [self.speed(name) for name in self.dependent]] > STRUCTURAL * self.loop_sizes.max()
        return wide

    def loop_residual(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """All equations of the closures, in their order.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Of the same states.

        Returns
        -------
        FloatArray
            h (N, k), m or rad; zeros where loops are closed.
        """
        return np.concatenate([closure.residual(q, moving) for closure in self.closures], axis=1)

    def loop_jacobian(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """Derivative of the closures' equations by the speeds.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Of the same states.

        Returns
        -------
        FloatArray
            J (N, k, n), with h' = J u.
        """
        return np.concatenate([closure.jacobian(q, moving) for closure in self.closures], axis=1)

    def loop_drift(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """What is left of h'' in a motion with u' = 0.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Of the same states, without accelerations.

        Returns
        -------
        FloatArray
            (N, k).
        """
        return np.concatenate([closure.drift(q, moving) for closure in self.closures], axis=1)

    @cached_property
    def layout(self) -> TreeLayout:
        """The tree as indices and constants."""
        coordinates, speeds = names_of([step for body in self.bodies for step in body.joint])
        names = tuple(body.name for body in self.bodies)
        return TreeLayout(
            names,
            tuple((GROUND, *names).index(body.parent) for body in self.bodies),
            tuple(body.joint for body in self.bodies),
            np.array([body.R_parent_joint for body in self.bodies]),
            np.array([body.place_m for body in self.bodies]),
            tuple(coordinates),
            tuple(speeds),
        )

    @cached_property
    def masses(self) -> Masses:
        """The bodies' masses as arrays."""
        of = [body.segment for body in self.bodies]
        return Masses(*(np.array([getattr(segment, name) for segment in of]) for name in ("mass_kg", "com_m", "inertia_kgm2")))

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of q, in order."""
        return self.layout.coordinates

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of u, in order; of a coordinate whose rate it is, the same name."""
        return self.layout.speeds

    @property
    def dependent(self) -> tuple[str, ...]:
        """Names of the coordinates that are not free, in order."""
        return tuple(name for name in self.coordinates if name not in self.free)

    @cached_property
    def free_speeds(self) -> tuple[str, ...]:
        """Names of the speeds of the free coordinates, in their order (of all, in order, where there are no loops)."""
        if not self.closures:
            return self.speeds
        dependent = set(self.dependent)
        return tuple(dict.fromkeys([*(n for n in self.free if n in self.speeds), *(n for n in self.speeds if n not in dependent)]))

    def index(self, name: str) -> int:
        """Number of a body; 0 is the base.

        Parameters
        ----------
        name : str
            Of a body, or `GROUND`.

        Returns
        -------
        int
            From 1 for a body, in the order of ``bodies``.
        """
        return self.layout.index(name)

    def body(self, name: str) -> Body:
        """Find a body by its name.

        Parameters
        ----------
        name : str
            Name of a body other than the base.

        Returns
        -------
        Body
            With its joint and segment.
        """
        return self.bodies[self.layout.index(name) - 1]

    def coordinate(self, name: str) -> int:
        """Column of a coordinate in q.

        Parameters
        ----------
        name : str
            Name of a coordinate.

        Returns
        -------
        int
            Index from 0.
        """
        return self.layout.coordinate(name)

    def speed(self, name: str) -> int:
        """Column of a speed in u, and of its power partner in tau.

        Parameters
        ----------
        name : str
            Name of a speed.

        Returns
        -------
        int
            Index from 0.
        """
        return self.layout.speed(name)

    def at_zero(self, **values: float) -> FloatArray:
        """A state of zeros (quaternions without rotation), but for coordinates given by name.

        Parameters
        ----------
        **values : float
            Values of coordinates, by their names.

        Returns
        -------
        FloatArray
            q (1, nq), rad or m.
        """
        q = self.layout.at_zero()
        for name, value in values.items():
            q[0, self.coordinate(name)] = value
        return q

    # Motion.

    def kinematics(
        self, q: ArrayLike, u: ArrayLike | None = None, a: ArrayLike | None = None, *, base: Motion | None = None
    ) -> Kinematics:
        """Motion of all bodies.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), coordinates, rad or m.
        u, a : ArrayLike | None, optional
            (N, n), speeds and their rates; None are zeros.
        base : Motion | None, optional
            Motion of the frame that the roots hang on (N frames); None is the laboratory.

        Returns
        -------
        Kinematics
            Of base and bodies, laboratory axes.

        Raises
        ------
        ShapeError
            Arrays that do not fit.
        InvalidValueError
            A quaternion that is not of length 1.
        """
        q, u, a = self._checked(q, u, a)
        results = generated_results(self, "kinematics", base, q, u, a)
        return move(self.layout, q, u, a, base) if results is None else Kinematics(self.layout, **results)

    def rates(self, q: FloatArray, u: FloatArray) -> FloatArray:
        """Rates of the coordinates at given speeds.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        u : FloatArray
            (N, n), speeds, rad/s or m/s.

        Returns
        -------
        FloatArray
            q' (N, nq), rad/s or m/s; of a quaternion 1/s.
        """
        return rates(self.layout, q, u)

    def jacobian(self, q: FloatArray, body: str, place_m: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """How speeds move a point of a body and turn the body.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        body : str
            Name of a body, or `GROUND`.
        place_m : ArrayLike
            (3,), in the body's axes.

        Returns
        -------
        tuple[FloatArray, FloatArray]
            J_v and J_w, (N, 3, n) each, laboratory axes.
        """
        moving, index = self.kinematics(q), self.index(body)
        return moving.jacobian(index, moving.point(index, place_m)[0])

    # Forces.

    def inverse(
        self, q: ArrayLike, u: ArrayLike, a: ArrayLike, external: Iterable[External] = (), *, base: Motion | None = None
    ) -> FloatArray:
        """What the joints have to supply for a motion, M u' + c + g + s - E, loops cut.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), coordinates, rad or m.
        u, a : ArrayLike
            (N, n), speeds and their rates.
        external : Iterable[External], optional
            Wrenches ON bodies, by name.
        base : Motion | None, optional
            What the roots hang on, if it moves.

        Returns
        -------
        FloatArray
            tau (N, n), N or N m.
        """
        q, u, a = self._checked(q, u, a)
        results = generated_results(self, "inverse", base, q, u, a)
        if results is not None:
            return results["required"] - self._load(q, u, external)
        moving = move(self.layout, q, u, a, base)
        return (
            self.masses.inertial_forces(moving, self.gravity_lab_m_s2)
            + self.spring_forces(q, moving)
            - self.external_forces(moving, external)
        )

    def _load(self, q: FloatArray, u: FloatArray, external: Iterable[External]) -> FloatArray:
        loads = tuple(external)
        return self.external_forces(self.kinematics(q, u), loads) if loads else np.zeros_like(u)

    def terms(
        self,
        q: ArrayLike,
        u: ArrayLike,
        tau: ArrayLike | None = None,
        external: Iterable[External] = (),
        *,
        base: Motion | None = None,
    ) -> Terms:
        """M, C, G, Q, E of M u' = C + G + Q + E, of the tree (loops cut).

        Parameters
        ----------
        q : ArrayLike
            (N, nq), coordinates, rad or m.
        u : ArrayLike
            (N, n), speeds, rad/s or m/s.
        tau : ArrayLike | None, optional
            (N, n), drives; None are zeros.
        external : Iterable[External], optional
            Wrenches ON bodies, by name.
        base : Motion | None, optional
            What the roots hang on, if it moves.

        Returns
        -------
        Terms
            Each part for N states, N or N m.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.dynamics.body import Segment
        >>> from biomech_id.multibody.joints import revolute
        >>> from biomech_id.multibody.parts import Body
        >>> from biomech_id.multibody.system import System
        >>> rod = Segment("rod", 2.0, np.array([0.5, 0.0, 0.0]), np.diag([0.0, 1 / 6, 1 / 6]))
        >>> pendulum = System([Body(rod, revolute("angle"))], gravity_lab_m_s2=(0.0, -9.81, 0.0))
        >>> parts = pendulum.terms(np.zeros((1, 1)), np.zeros((1, 1)))
        >>> parts.M.round(4), parts.G.round(3)
        (array([[[0.6667]]]), array([[-9.81]]))
        """
        q, u, drive = self._checked(q, u, tau, "tau")
        results = generated_results(self, "terms", base, q, u)
        if results is not None:
            M, c, g, s = results.values()
            return Terms(M, -c, -g, drive - s, self._load(q, u, external), self.layout)
        moving = move(self.layout, q, u, np.zeros_like(u), base)
        return Terms(
            self.masses.mass_matrix(moving),
            -self.masses.inertial_forces(moving, (0.0, 0.0, 0.0)),
            self.masses.gravity_forces(moving, self.gravity_lab_m_s2),
            drive - self.spring_forces(q, moving),
            self.external_forces(moving, external),
            self.layout,
        )

    def forward(
        self, q: ArrayLike, u: ArrayLike, tau: ArrayLike, external: Iterable[External] = (), *, base: Motion | None = None
    ) -> FloatArray:
        """Accelerations of the tree, loops cut; those of closed loops come from `biomech_id.multibody.reduction`.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), coordinates, rad or m.
        u, tau : ArrayLike
            (N, n), speeds, and drives at their joints.
        external : Iterable[External], optional
            Wrenches ON bodies, by name.
        base : Motion | None, optional
            What the roots hang on, if it moves.

        Returns
        -------
        FloatArray
            u' (N, n).

        Raises
        ------
        InvalidValueError
            A state in which a joint, or several together, move no mass.
        """
        q, u, tau = self._checked(q, u, tau, "tau")
        external = tuple(external)
        results = generated_results(self, "forward", base, q, u, tau + self._load(q, u, external))
        if results is not None:
            return results["a1"]
        return self.terms(q, u, tau, external, base=base).accelerations()

    def spring_forces(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """Forces that springs and dampers add to what the joints must supply.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Of the same states.

        Returns
        -------
        FloatArray
            s (N, n), N or N m.
        """
        total = np.zeros(moving.u.shape, dtype=moving.R_lab_body.dtype)
        for spring in self.springs:
            total += spring.pull(q, moving).forces
        return total

    def external_forces(self, moving: Kinematics, external: Iterable[External]) -> FloatArray:
        """Share of wrenches on bodies in each speed.

        Parameters
        ----------
        moving : Kinematics
            Of the states asked for.
        external : Iterable[External]
            By names of bodies.

        Returns
        -------
        FloatArray
            E (N, n), N or N m.
        """
        total = np.zeros(moving.u.shape, dtype=moving.R_lab_body.dtype)
        for load in external:
            a(External).check(load, "external", "System")
            if len(load.wrench) not in (1, len(moving.u)):
                raise ShapeError(
                    f"The wrench on the {load.segment} has {len(load.wrench)} frames, the motion {len(moving.u)} states.",
                    value=len(load.wrench), expected=f"1 or {len(moving.u)}", where=load.segment,
                )  # fmt: skip
            force, moment = load.at_origin()
            J_v, J_w = moving.jacobian(self.index(load.segment), np.zeros((len(moving.u), 3)))
            total += np.einsum("nij,ni->nj", J_v, np.broadcast_to(force, (len(J_v), 3)))
            total += np.einsum("nij,ni->nj", J_w, np.broadcast_to(moment, (len(J_v), 3)))
        return total

    def drive_forces(self, t: float, q: FloatArray, u: FloatArray) -> FloatArray:
        """Forces of the drives in one state.

        Parameters
        ----------
        t : float
            Time at which laws are asked, s.
        q : FloatArray
            (nq,), coordinates of the state.
        u : FloatArray
            (n,), speeds of the state.

        Returns
        -------
        FloatArray
            tau (n,), N or N m.
        """
        tau = np.zeros(len(self.speeds), dtype=np.result_type(q, u))
        for drive, columns in zip(self.drives, self._driven, strict=True):
            values = drive.torque(t, q, u)
            try:
                tau[columns] += np.asarray(values)
            except (TypeError, ValueError) as reason:
                raise ShapeError(
                    f"The drive of {', '.join(drive.speeds)} gives {values!r} at {t:g} s.",
                    value=repr(values), expected=f"{len(columns)} numbers, N or N m", where="torque",
                ) from reason  # fmt: skip
        if not np.isfinite(tau).all() and np.isfinite(q).all() and np.isfinite(u).all():
            check_state(self.speeds, tau, argument=f"The drive at {t:g} s", where="torque")
        return tau

    @cached_property
    def _driven(self) -> list[list[int]]:
        return [[self.speed(name) for name in drive.speeds] for drive in self.drives]

    def energy(self, q: ArrayLike, u: ArrayLike) -> FloatArray:
        """Kinetic, gravitational (zero at the laboratory's origin) and spring energy together.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), coordinates, rad or m.
        u : ArrayLike
            (N, n), speeds, rad/s or m/s.

        Returns
        -------
        FloatArray
            (N,), J.
        """
        q, u, zero = self._checked(q, u, None)
        moving = move(self.layout, q, u, zero)
        return self.masses.energy(moving, self.gravity_lab_m_s2) + sum(spring.pull(q, moving).energy for spring in self.springs)

    def damping_power(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """Power of the dampers on the bodies.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Of the same states.

        Returns
        -------
        FloatArray
            (N,), W, never positive.
        """
        return sum((spring.pull(q, moving).damping_power for spring in self.springs), start=np.zeros(len(q)))

    def chain(self, q: ArrayLike, u: ArrayLike, a: ArrayLike, *, base: Motion | None = None) -> Chain:
        """The tree in motion as the `Chain` that the general Newton-Euler solver takes, distal to proximal.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), coordinates, rad or m.
        u, a : ArrayLike
            (N, n), speeds and their rates.
        base : Motion | None, optional
            What the roots hang on, if it moves.

        Returns
        -------
        Chain
            Of N states, laboratory axes.
        """
        moving = self.kinematics(q, u, a, base=base)
        motions = self.motions(moving)
        last = len(self.bodies) - 1
        parents = tuple(BASE if p == 0 else last - (p - 1) for p in reversed(self.layout.parents))
        origins = [moving.origin_m[:, k + 1] for k in range(last + 1)]
        return Chain([body.segment for body in reversed(self.bodies)], motions[::-1], origins[::-1], parents)

    def motions(self, moving: Kinematics) -> list[Motion]:
        """Motion of every body as the rest of the library knows it.

        Parameters
        ----------
        moving : Kinematics
            Motion of the states asked for, accelerations in it.

        Returns
        -------
        list[Motion]
            One for each body, in order, laboratory axes; about its centre of mass.
        """
        com = self.masses.centres(moving)
        return [
            Motion(
                Frames(moving.R_lab_body[:, k], moving.origin_m[:, k]), moving.omega_rad_s[:, k], moving.alpha_rad_s2[:, k],
                *(values[:, k - 1] for values in com)
            )
            for k in range(1, len(self.bodies) + 1)
        ]  # fmt: skip

    def _checked(
        self, q: ArrayLike, u: ArrayLike | None, a: ArrayLike | None, third: str = "a"
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        n = len(self.speeds)
        out: list[FloatArray] = []
        for name, size, given in (("q", len(self.coordinates), q), ("u", n, u), (third, n, a)):
            if given is None and out:
                values = np.zeros((len(out[0]), size))
            elif isinstance(given, np.ndarray) and given.dtype.kind in "fc":
                values = given
            else:
                values = float_array(given, name=name, where="System")  # type: ignore[arg-type]
            if values.ndim != 2 or values.shape[1] != size or (out and len(values) != len(out[0])):
                raise ShapeError(
                    f"{name} has shape {values.shape}, for {', '.join(self.coordinates if name == 'q' else self.speeds)}.",
                    value=values.shape, expected=f"({len(out[0]) if out else 'any'}, {size})", where="System",
                )  # fmt: skip
            if not nothing_missing(values) and np.isinf(values).any():
                raise InvalidValueError(
                    f"{name} is infinite in state {int(np.argwhere(np.isinf(values))[0, 0])}.", value=name,
                    expected="numbers; NaN where a value is missing", where="System",
                )  # fmt: skip
            out.append(values)
        check_lengths(self.layout, out[0])
        return out[0], out[1], out[2]
