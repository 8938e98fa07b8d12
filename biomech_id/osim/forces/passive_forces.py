"""What acts in a model without being driven: limits of coordinates, springs, bushings, ligaments, contacts; OpenSim's laws.

A limit of a coordinate q, with s the step 10 x^3 - 15 x^4 + 6 x^5 from 0 to 1 over its transition ::

    f = K_low s_low (q_low - q) - K_up s_up (q - q_up) - c (s_up + s_low) u

A bushing between two frames goes by the turns about x, y and z, each following the one before, that lead from the first frame to
the second, and by the place of the second in the first. Its moments belong to the rates of those turns; what it does to the bodies
follows by virtual work.

Contacts are those of Hunt and Crossley (Sherman, Seth and Delp 2011, Simbody's manual): of a sphere with a half-space or a sphere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.rotation import cardan_angles
from biomech_id.algebra.vectors import cross, dot, matvec, matvec_transposed
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, OffsetFrame
from biomech_id.osim.dynamics.external_loads import BodyLoad
from biomech_id.osim.dynamics.inverse_dynamics import SkeletonMotion, angular_velocity_matrix, exerted_by
from biomech_id.osim.skeleton.skeleton import Skeleton, SkeletonPose
from biomech_id.values import dataclass, field, replace

if TYPE_CHECKING:
    from biomech_id.osim.muscles.muscle_paths import MusclePaths

#: Tension (N,), N, of a length (N,), m, and its rate (N,), m/s.
TensionLaw = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class PassiveAction:
    """What one force does in N states.

    Attributes
    ----------
    name : str
        The force, as the document calls it.
    on_coordinates : tuple[tuple[int, FloatArray], ...], optional
        Column of a coordinate, and (N,) what acts on it directly, N m or N.
    on_bodies : tuple[BodyLoad, ...], optional
        Wrenches, axes of the surroundings.
    contact : bool, optional
        Whether surfaces touch, as a foot's and the floor's that a plate measures.
    """

    name: str
    on_coordinates: tuple[tuple[int, FloatArray], ...] = ()
    on_bodies: tuple[BodyLoad, ...] = ()
    contact: bool = False


@dataclass(frozen=True, eq=False)
class PassiveState:
    """A skeleton in motion, as passive forces see it.

    Attributes
    ----------
    skeleton : Skeleton
        The model's tree.
    q, u : FloatArray
        (N, nq), coordinates, rad or m, and OpenSim's speeds.
    motion : SkeletonMotion
        Of its frames.
    compat : bool, optional
        Whether OpenSim's slips are made: over cylinders, and in contacts of several surfaces.
    """

    skeleton: Skeleton
    q: FloatArray
    u: FloatArray
    motion: SkeletonMotion
    compat: bool = False

    @cached_property
    def pose(self) -> SkeletonPose:
        """Places of all bodies."""
        return self.skeleton.pose_in(self.motion.places)

    @cached_property
    def twists(self) -> tuple[FloatArray, FloatArray]:
        """(N, B + 1, 3) each: angular velocities, rad/s, and velocities of the bodies' points at the surroundings' origin, m/s."""
        places, turning = self.motion.places, self.skeleton.turning
        own = (places.axis * self.motion.rates.rate[:, None]).transpose(2, 0, 1)
        beyond = self.skeleton.beyond.astype(float)
        shift = np.where(turning[:, None], cross(places.at.transpose(2, 0, 1), own), own)
        return (beyond * turning) @ own, beyond @ shift

    def frame(self, frame: OffsetFrame) -> tuple[FloatArray, FloatArray]:
        """Place a frame.

        Parameters
        ----------
        frame : OffsetFrame
            On a body of the model.

        Returns
        -------
        tuple[FloatArray, FloatArray]
            Axes (N, 3, 3), to those of the surroundings, and origin (N, 3), m.
        """
        body = self.skeleton.body_index(frame.body)
        R = self.pose.R_ground_body[:, body]
        return R @ np.asarray(frame.R_body_frame), self.pose.origin_m[:, body] + R @ np.asarray(frame.place_m)

    def velocity(self, body: str, point_m: FloatArray) -> FloatArray:
        """Velocity of the point of a body that is at a place.

        Parameters
        ----------
        body : str
            Name of a body, or "ground".
        point_m : FloatArray
            (N, 3), axes of the surroundings, m.

        Returns
        -------
        FloatArray
            (N, 3), m/s.
        """
        (omega, shift), number = self.twists, self.skeleton.body_index(body)
        return shift[:, number] + cross(omega[:, number], point_m)


def _pair(
    first: str, second: str, point_m: FloatArray, force_N: FloatArray, moment_Nm: FloatArray | float = 0.0
) -> tuple[BodyLoad, ...]:
    """A force at a point and a free moment on the second body, and the opposite on the first."""
    about_origin = cross(point_m, force_N) + moment_Nm
    return BodyLoad(first, -force_N, -about_origin, point_m), BodyLoad(second, force_N, about_origin, point_m)


class PassiveForce(Protocol):
    """A force, or forces, that nobody drives."""

    def actions(self, state: PassiveState) -> Iterator[PassiveAction]:
        """Yield what they do, one for each force.

        Parameters
        ----------
        state : PassiveState
            N states.

        Yields
        ------
        Iterator[PassiveAction]
            Of N states.
        """
        ...


@dataclass(frozen=True)
class CoordinateLimit:
    """What holds a coordinate within limits.

    Attributes
    ----------
    name, coordinate : str
        The force, and what it limits.
    lower, upper : tuple[float, float]
        Limit, rad or m, and stiffness beyond it, N m/rad or N/m.
    damping : float
        Beyond the limits, N m s/rad or N s/m.
    transition : float
        Way beyond a limit over which the stiffness rises, rad or m.
    """

    name: str
    coordinate: str
    lower: tuple[float, float]
    upper: tuple[float, float]
    damping: float
    transition: float

    def actions(self, state: PassiveState) -> Iterator[PassiveAction]:
        """Yield what the limit does to its coordinate.

        Parameters
        ----------
        state : PassiveState
            N states.

        Yields
        ------
        Iterator[PassiveAction]
            One, of nothing within the limits.
        """
        column = state.skeleton.model.index(self.coordinate)
        below, above = self.lower[0] - state.q[:, column], state.q[:, column] - self.upper[0]
        low, up = (_step(beyond / self.transition) for beyond in (below, above))
        force = self.lower[1] * low * below - self.upper[1] * up * above - self.damping * (low + up) * state.u[:, column]
        yield PassiveAction(self.name, ((column, force),))


def _step(x: FloatArray) -> FloatArray:
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x**3 * (10.0 + x * (6.0 * x - 15.0)))


@dataclass(frozen=True)
class CoordinateSpring:
    """A spring and a damper of a coordinate.

    Attributes
    ----------
    name, coordinate : str
        The force, and what it acts on.
    stiffness : float
        N m/rad or N/m.
    rest : float
        Where it does nothing, rad or m.
    damping : float
        N m s/rad or N s/m.
    """

    name: str
    coordinate: str
    stiffness: float
    rest: float
    damping: float

    def actions(self, state: PassiveState) -> Iterator[PassiveAction]:
        """Yield what the spring does to its coordinate.

        Parameters
        ----------
        state : PassiveState
            N states.

        Yields
        ------
        Iterator[PassiveAction]
            One.
        """
        column = state.skeleton.model.index(self.coordinate)
        force = -self.stiffness * (state.q[:, column] - self.rest) - self.damping * state.u[:, column]
        yield PassiveAction(self.name, ((column, force),))


@dataclass(frozen=True, eq=False)
class Bushing:
    """What holds two frames together.

    Attributes
    ----------
    name : str
        The force.
    first, second : OffsetFrame
        The frames.
    law : Callable[[FloatArray], FloatArray]
        Three turns, rad, and three slides, m, (N, 6) -> moments, N m, and forces, N, (N, 6), with which it pulls back.
    damping : FloatArray
        (6,), N m s/rad and N s/m.
    """

    name: str
    first: OffsetFrame
    second: OffsetFrame
    law: Callable[[FloatArray], FloatArray]
    damping: FloatArray

    def actions(self, state: PassiveState) -> Iterator[PassiveAction]:
        """Yield what the bushing does to both bodies.

        Parameters
        ----------
        state : PassiveState
            N states.

        Yields
        ------
        Iterator[PassiveAction]
            One.
        """
        (R, first_m), (R_second, second_m) = state.frame(self.first), state.frame(self.second)
        numbers = [state.skeleton.body_index(frame.body) for frame in (self.first, self.second)]
        omega = np.diff(state.twists[0][:, numbers], axis=1)[:, 0]
        slide = state.velocity(self.second.body, second_m) - state.velocity(self.first.body, second_m)
        angles = cardan_angles(np.swapaxes(R, 1, 2) @ R_second, "xyz")
        E, _ = angular_velocity_matrix(angles, np.zeros_like(angles))
        turned = np.linalg.solve(E, matvec_transposed(R, omega)[..., None])[..., 0]
        way = np.column_stack([angles, matvec_transposed(R, second_m - first_m)])
        back = self.law(way) + np.column_stack([turned, matvec_transposed(R, slide)]) * self.damping
        moment = np.linalg.solve(np.swapaxes(E, 1, 2), back[:, :3, None])[..., 0]
        pair = _pair(self.first.body, self.second.body, second_m, -matvec(R, back[:, 3:]), -matvec(R, np.asarray(moment)))
        yield PassiveAction(self.name, on_bodies=pair)


@dataclass(frozen=True)
class PointSpring:
    """A spring between two points.

    Attributes
    ----------
    name : str
        The force.
    first, second : OffsetFrame
        The points: the frames' origins.
    stiffness_N_m, rest_m : float
        Stiffness, and the length at which it does nothing.
    """

    name: str
    first: OffsetFrame
    second: OffsetFrame
    stiffness_N_m: float
    rest_m: float

    def actions(self, state: PassiveState) -> Iterator[PassiveAction]:
        """Yield what the spring does to both bodies.

        Parameters
        ----------
        state : PassiveState
            N states.

        Yields
        ------
        Iterator[PassiveAction]
            One.
        """
        (_, first_m), (_, second_m) = state.frame(self.first), state.frame(self.second)
        way = second_m - first_m
        length = np.linalg.norm(way, axis=1, keepdims=True)
        force = -self.stiffness_N_m * (length - self.rest_m) * way / length
        yield PassiveAction(self.name, on_bodies=_pair(self.first.body, self.second.body, second_m, force))


@dataclass(frozen=True, eq=False)
class PassivePaths:
    """Ligaments and springs along paths.

    Attributes
    ----------
    paths : MusclePaths
        Of a model without couplings, whose muscles they are.
    laws : tuple[TensionLaw, ...]
        One for each of ``paths.names``.
    """

    paths: MusclePaths
    laws: tuple[TensionLaw, ...]

    def actions(self, state: PassiveState) -> Iterator[PassiveAction]:
        """Yield what each path does to the bodies that it touches.

        Parameters
        ----------
        state : PassiveState
            N states.

        Yields
        ------
        Iterator[PassiveAction]
            One for each path, in their order.
        """
        pulls = self.paths.tensions(state.q, wrapping="opensim" if state.compat else "drawn")
        omega, shift = (each[:, pulls.body] for each in state.twists)
        # A tension pulls inwards: its power is minus the rate of the length.
        power = dot(pulls.moment_m, omega) + dot(pulls.force, shift)
        for k, (name, law) in enumerate(zip(self.paths.names, self.laws, strict=True)):
            own = np.flatnonzero(pulls.muscle == k)
            tension = law(pulls.length_m[:, k], -power[:, own].sum(axis=1))[:, None]
            loads = (
                BodyLoad(state.skeleton.body_names[pulls.body[j]], tension * pulls.force[:, j], tension * pulls.moment_m[:, j])
                for j in own
            )
            yield PassiveAction(name, on_bodies=tuple(loads))


@dataclass(frozen=True, eq=False)
class ContactSurface:
    """A surface that others may touch.

    Attributes
    ----------
    frame : OffsetFrame
        A half-space is what lies at positive x of it; a sphere has its centre at the origin.
    radius_m : float
        Of a sphere; infinite for a half-space.
    stiffness : float
        Of the plane strain, N/m2.
    dissipation_s_m : float
        Of the normal force.
    friction : tuple[float, float, float]
        Static, dynamic, without unit, and viscous, s/m.
    """

    frame: OffsetFrame
    radius_m: float
    stiffness: float
    dissipation_s_m: float
    friction: tuple[float, float, float]


@dataclass(frozen=True)
class HuntCrossley:
    """Contacts of spheres and half-spaces, each with each.

    Attributes
    ----------
    name : str
        The force.
    surfaces : tuple[ContactSurface, ...]
        Those that touch.
    transition_m_s : float
        Slip at which friction is largest.
    """

    name: str
    surfaces: tuple[ContactSurface, ...]
    transition_m_s: float

    def actions(self, state: PassiveState) -> Iterator[PassiveAction]:
        """Yield what all contacts do to bodies.

        Parameters
        ----------
        state : PassiveState
            N states.

        Yields
        ------
        Iterator[PassiveAction]
            One; nothing where no two surfaces touch.
        """
        pairs = [pair for pair in combinations(self.surfaces, 2) if np.isfinite([each.radius_m for each in pair]).any()]
        contacts = [self._between(state, *sorted(pair, key=lambda surface: -surface.radius_m)) for pair in pairs]
        if state.compat and contacts:
            reached = self._reached(state, pairs, np.column_stack([contact.parts for contact in contacts]))
            contacts = [
                replace(contact, force_N=contact.force_N * own[:, None]) for contact, own in zip(contacts, reached.T, strict=True)
            ]
        yield PassiveAction(self.name, on_bodies=tuple(load for contact in contacts for load in contact.loads()), contact=True)

    def _between(self, state: PassiveState, one: ContactSurface, two: ContactSurface) -> _Contact:
        """Contact of a half-space or sphere with a sphere."""
        (R, first_m), (_, centre_m) = state.frame(one.frame), state.frame(two.frame)
        if np.isfinite(one.radius_m):
            way = centre_m - first_m
            distance = np.linalg.norm(way, axis=1, keepdims=True)
            normal = way / np.where(distance > 0, distance, 1.0)
            depth = (one.radius_m + two.radius_m - distance)[:, 0]
            radius = one.radius_m * two.radius_m / (one.radius_m + two.radius_m)
        else:
            normal, radius = -R[..., 0], two.radius_m
            depth = two.radius_m - dot(centre_m - first_m, normal)
        depth = np.maximum(depth, 0.0)
        stiff = [surface.stiffness ** (2.0 / 3.0) for surface in (one, two)]
        share = stiff[1] / sum(stiff)
        k, c = stiff[0] * share, one.dissipation_s_m * share + two.dissipation_s_m * (1.0 - share)
        point = centre_m - normal * (two.radius_m - (1.0 - share) * depth)[:, None]
        slip = state.velocity(one.frame.body, point) - state.velocity(two.frame.body, point)
        closing = dot(slip, normal)
        size = 4.0 / 3.0 * k * depth * np.sqrt(radius * k * depth) * np.maximum(1.0 + 1.5 * c * closing, 0.0)
        slip = slip - closing[:, None] * normal
        speed = np.linalg.norm(slip, axis=1)
        friction = self._friction(one, two, speed) / np.where(speed > 0, speed, 1.0)
        force = size[:, None] * (normal + friction[:, None] * slip)
        return _Contact(one.frame.body, two.frame.body, point, force, (depth > 0) & (size == 0))

    def _friction(self, one: ContactSurface, two: ContactSurface, slip_m_s: FloatArray) -> FloatArray:
        """Friction coefficient (N,) of two surfaces."""
        static, dynamic, viscous = (
            2.0 * a * b / (a + b) if a + b else 0.0 for a, b in zip(one.friction, two.friction, strict=True)
        )
        relative = slip_m_s / self.transition_m_s
        dry = np.minimum(relative, 1.0) * (dynamic + 2.0 * (static - dynamic) / (1.0 + relative**2))
        return np.asarray(dry + viscous * slip_m_s)

    def _reached(self, state: PassiveState, pairs: Sequence[tuple[ContactSurface, ContactSurface]], parts: BoolArray) -> BoolArray:
        """Which contacts (N, P) OpenSim computes: it goes through them along an axis, and ends at the first that pulls apart."""
        centre = np.stack([state.frame(surface.frame)[1] for surface in self.surfaces], axis=1)
        along = np.abs(centre - centre.mean(axis=1, keepdims=True)).sum(axis=1).argmax(axis=1)
        start = np.take_along_axis(centre, along[:, None, None], axis=2)[..., 0] - [each.radius_m for each in self.surfaces]
        rank = start.argsort(axis=1, kind="stable").argsort(axis=1)
        of_pairs = np.sort(rank[:, [[self.surfaces.index(each) for each in pair] for pair in pairs]], axis=2)
        turn = of_pairs[..., 0] * len(self.surfaces) + of_pairs[..., 1]
        end = np.where(parts, turn, turn.max() + 1).min(axis=1, keepdims=True)
        return np.asarray(turn < end)


@dataclass(frozen=True, eq=False)
class _Contact:
    """A contact of two bodies: the force on the second (N, 3), and when they part faster than it springs back (N,)."""

    first: str
    second: str
    point_m: FloatArray
    force_N: FloatArray
    parts: BoolArray

    def loads(self) -> tuple[BodyLoad, ...]:
        return _pair(self.first, self.second, self.point_m, self.force_N)


@dataclass(frozen=True, eq=False)
class PassiveForces:
    """What acts in a model without being driven.

    Attributes
    ----------
    forces : tuple[PassiveForce, ...]
        Those that are computed.
    remarks : tuple[str, ...]
        One sentence for what is not.
    """

    forces: tuple[PassiveForce, ...] = ()
    remarks: tuple[str, ...] = ()

    def exert(self, state: PassiveState) -> PassiveEffect:
        """Compute what all forces do.

        Parameters
        ----------
        state : PassiveState
            N states.

        Returns
        -------
        PassiveEffect
            Of N states, force by force.
        """
        return PassiveEffect(state, tuple(action for force in self.forces for action in force.actions(state)))


@dataclass(frozen=True, eq=False)
class PassiveEffect:
    """What passive forces do in N states.

    Attributes
    ----------
    state : PassiveState
        The states.
    actions : Sequence[PassiveAction]
        What each force does.
    """

    state: PassiveState
    actions: Sequence[PassiveAction] = field(default_factory=tuple)

    @property
    def loads(self) -> tuple[BodyLoad, ...]:
        """Wrenches on bodies of all forces."""
        return tuple(load for action in self.actions for load in action.on_bodies)

    @property
    def on_coordinates(self) -> FloatArray:
        """(N, nq), what acts on coordinates directly, without a body between, N m or N."""
        total = np.zeros_like(self.state.q)
        for action in self.actions:
            for column, force in action.on_coordinates:
                total[:, column] += force
        return total

    def counted_twice(self, measured: Sequence[BodyLoad], file: str) -> list[str]:
        """Name contacts that press on a body on which a measured force acts too.

        Parameters
        ----------
        measured : Sequence[BodyLoad]
            What was measured.
        file : str
            Name of its document, for the sentences.

        Returns
        -------
        list[str]
            One for each contact and body.
        """
        bodies = {load.segment for load in measured if load.force_N.any()} - {SURROUNDINGS}
        return [
            f"{action.name} presses on {body}, on which {file} has a measured force too: both count; switch one off."
            for action in self.actions if action.contact
            for body in sorted({load.segment for load in action.on_bodies if load.force_N.any()} & bodies)
        ]  # fmt: skip

    def table(self, labels: Sequence[str]) -> tuple[list[str], FloatArray]:
        """Generalised forces that each force exerts on each coordinate that it can move.

        Parameters
        ----------
        labels : Sequence[str]
            (nq,), what coordinates are called in the columns.

        Returns
        -------
        tuple[list[str], FloatArray]
            "force|label" of each column, and the columns (N, C), N m or N.
        """
        skeleton, names, columns = self.state.skeleton, list[str](), [np.empty((len(self.state.q), 0))]
        for action in self.actions:
            tau = exerted_by(skeleton, self.state.motion.places, action.on_bodies)
            moved = self._moved({load.segment for load in action.on_bodies})
            for column, force in action.on_coordinates:
                tau[:, column] += force
                moved[column] = True
            order = [k for k in skeleton.tree_order if moved[k]]
            names += [f"{action.name}|{labels[k]}" for k in order]
            columns.append(tau[:, order])
        return names, np.concatenate(columns, axis=1)

    def _moved(self, bodies: set[str]) -> BoolArray:
        """(nq,), which coordinates move some of the bodies, but not all of them."""
        skeleton = self.state.skeleton
        by_row = skeleton.beyond[[skeleton.body_index(body) for body in sorted(bodies)]]
        moved = np.zeros(len(skeleton.coordinates), dtype=bool)
        moved[[skeleton.row_coordinate[row] for row in np.flatnonzero(by_row.any(axis=0) & ~by_row.all(axis=0))]] = True
        return moved
