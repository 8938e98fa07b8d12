"""Kinematics of a musculoskeletal model: where every body, marker and path point is, and how coordinates move it.

A `Skeleton` is the model's tree as a `TreeLayout` of `biomech_id.multibody`, whose frames are the joints' child frames. Its
coordinates are the model's, in the model's order, each with its rate as its speed. The surroundings are body 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.arguments import a, holds
from biomech_id.errors import ShapeError, UnknownNameError
from biomech_id.multibody.kinematics import TreeLayout, row_columns
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, ModelJoint, MusculoskeletalModel
from biomech_id.osim.skeleton.joint_steps import joint_steps
from biomech_id.osim.skeleton.tree_motion import TreeMotion, TreePlaces
from biomech_id.values import dataclass


@compact_repr
@dataclass(frozen=True, eq=False)
class SkeletonPose:
    """Positions of all bodies in N states, axes of the surroundings.

    Attributes
    ----------
    skeleton : Skeleton
        Whose pose it is.
    R_ground_body : FloatArray
        (N, B + 1, 3, 3); body 0 is the surroundings, the others are in the model's order.
    origin_m : FloatArray
        (N, B + 1, 3).
    axis : FloatArray
        (N, S, 3), of each row: an elementary turn or slide.
    at_m : FloatArray
        (N, S, 3), a point of each row's axis.
    slope : FloatArray
        (N, S), how far each row goes for a unit of its coordinate.
    """

    skeleton: Skeleton
    R_ground_body: FloatArray
    origin_m: FloatArray
    axis: FloatArray
    at_m: FloatArray
    slope: FloatArray

    def points(self, body: Sequence[int], place_m: ArrayLike) -> FloatArray:
        """Place points that are fixed in bodies.

        Parameters
        ----------
        body : Sequence[int]
            (K,), indices of bodies.
        place_m : ArrayLike
            (K, 3), in the bodies' frames.

        Returns
        -------
        FloatArray
            (N, K, 3), axes of the surroundings, m.
        """
        chosen = np.asarray(body, dtype=np.intp)
        arm = self.R_ground_body[:, chosen] @ np.asarray(place_m, dtype=np.float64).reshape(len(chosen), 3, 1)
        return self.origin_m[:, chosen] + arm[..., 0]

    def point_jacobian(self, body: Sequence[int], point_m: FloatArray) -> FloatArray:
        """How coordinates move points of bodies.

        Parameters
        ----------
        body : Sequence[int]
            (K,), indices of bodies.
        point_m : FloatArray
            (N, K, 3), where the points are, axes of the surroundings.

        Returns
        -------
        FloatArray
            (N, K, 3, nq), m/rad or m/m, axes of the surroundings.
        """
        beyond = self.skeleton.beyond[np.asarray(body, dtype=np.intp)]
        return row_columns(self.skeleton.layout, self, beyond, point_m)[0]


@holds(model=a(MusculoskeletalModel, "read_osim(path) reads one"))
@compact_repr
@dataclass(frozen=True, eq=False)
class Skeleton:
    """The tree of a model.

    Attributes
    ----------
    model : MusculoskeletalModel
        What it was made from.
    """

    model: MusculoskeletalModel

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates: columns of every q."""
        return self.model.coordinate_names

    @cached_property
    def joints(self) -> tuple[ModelJoint, ...]:
        """Joints, level by level from the surroundings outwards: the order in which OpenSim's multibody tree holds them."""
        level, ordered = {SURROUNDINGS}, list[ModelJoint]()
        while level:
            carried = [joint for joint in self.model.joints if joint.parent.body in level]
            ordered += carried
            level = {joint.child.body for joint in carried}
        return tuple(ordered)

    @cached_property
    def tree_order(self) -> tuple[int, ...]:
        """Columns of q in the order of OpenSim's multibody tree, in which its dynamics tool writes."""
        return tuple(self.model.index(name) for joint in self.joints for name in joint.coordinates)

    @cached_property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies, the surroundings first."""
        return (SURROUNDINGS, *(body.name for body in self.model.bodies))

    @cached_property
    def _body_number(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.body_names)}

    def body_index(self, name: str) -> int:
        """Number of a body in poses.

        Parameters
        ----------
        name : str
            Name of a body of the model, or "ground".

        Returns
        -------
        int
            Its place in `body_names`; 0 for the surroundings.

        Raises
        ------
        UnknownNameError
            The model has none of that name.
        """
        if name not in self._body_number:
            raise UnknownNameError(
                f"The model {self.model.name} has no body {name!r}.",
                value=name, expected=f"one of {list(self.body_names)}", where=self.model.source or self.model.name,
            )  # fmt: skip
        return self._body_number[name]

    @cached_property
    def layout(self) -> TreeLayout:
        """The tree whose frames are the joints' child frames, in the order of `joints`."""
        names = tuple(joint.child.body for joint in self.joints)
        number = {SURROUNDINGS: 0, **{name: k for k, name in enumerate(names, 1)}}
        steps, R_parent_joint, place = [], [], []
        for joint in self.joints:
            R, p, moves = joint_steps(joint)
            R_before, p_before = self._child_frame(joint.parent.body)
            R_parent = np.asarray(joint.parent.R_body_frame)
            steps.append(moves)
            R_parent_joint.append(R_before.T @ R_parent @ R)
            place.append(R_before.T @ (np.asarray(joint.parent.place_m) + R_parent @ p - p_before))
        return TreeLayout(
            names, tuple(number[joint.parent.body] for joint in self.joints), tuple(steps),
            np.array(R_parent_joint).reshape(-1, 3, 3), np.array(place).reshape(-1, 3), self.coordinates, self.coordinates,
        )  # fmt: skip

    def _child_frame(self, body: str) -> tuple[FloatArray, FloatArray]:
        """Turn and place, in the body, of the child frame of the joint that carries it."""
        for joint in self.model.joints:
            if joint.child.body == body:
                return np.asarray(joint.child.R_body_frame), np.asarray(joint.child.place_m)
        return np.eye(3), np.zeros(3)

    @cached_property
    def _to_bodies(self) -> tuple[list[int], FloatArray, FloatArray]:
        """For each body of the model: number of its frame in the layout, and the body's turn and origin in that frame."""
        child_frames = [self._child_frame(name) for name in self.body_names]
        # By position: a body of a model may be called what `biomech_id.multibody` calls its base.
        order = [0, *(self.layout.bodies.index(name) + 1 for name in self.body_names[1:])]
        return order, np.array([R.T for R, _ in child_frames]), np.array([-(R.T @ p) for R, p in child_frames])

    def in_layout(self, body: str) -> tuple[int, FloatArray, FloatArray]:
        """Where a body is in the frame that the layout has for it.

        Parameters
        ----------
        body : str
            Name of a body of the model, or "ground".

        Returns
        -------
        tuple[int, FloatArray, FloatArray]
            Number of the frame; axes (3, 3) and origin (3,), m, of the body in it.
        """
        order, R_frame_body, place_m = self._to_bodies
        k = self.body_index(body)
        return order[k], R_frame_body[k], place_m[k]

    @cached_property
    def beyond(self) -> BoolArray:
        """(B + 1, S), which rows move a body of the model."""
        return self.layout.beyond[self._to_bodies[0]]

    @property
    def turning(self) -> BoolArray:
        """(S,), which rows turn; the others slide."""
        return self.layout.turning

    @cached_property
    def row_coordinate(self) -> tuple[int, ...]:
        """(S,), the coordinate that each row goes by."""
        return tuple(coordinate for _, _, coordinate in self.layout.rows)

    @cached_property
    def bodies_beyond(self) -> BoolArray:
        """(J, J), which joints' children a joint carries, its own included; in the order of `joints`."""
        J = len(self.joints)
        carried = np.eye(J, dtype=bool)
        for body, parent in reversed(list(enumerate(self.layout.parents, 1))):
            if parent:
                carried[parent - 1] |= carried[body - 1]
        return carried

    @cached_property
    def inertia_in_frames(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mass (J,), centre of mass (J, 3) and tensor about it (J, 3, 3) of each joint's child, in the joint's child frame."""
        mass, com, tensor = [], [], []
        for joint in self.joints:
            body = self.model.body(joint.child.body)
            R, p = np.asarray(joint.child.R_body_frame), np.asarray(joint.child.place_m)
            mass.append(body.mass_kg)
            com.append(R.T @ (body.com_m - p))
            tensor.append(R.T @ body.inertia_kgm2 @ R)
        return np.array(mass), np.array(com).reshape(-1, 3), np.array(tensor).reshape(-1, 3, 3)

    @cached_property
    def tree(self) -> TreeMotion:
        """The layout, compiled."""
        return TreeMotion(self.layout)

    # Coordinates.

    @cached_property
    def couplings(self) -> tuple[tuple[int, int, int], ...]:
        """Dependent and independent coordinate of each coupling, and its number, so that what is needed comes first."""
        left = [(self.model.index(c.dependent), self.model.index(c.independent), k) for k, c in enumerate(self.model.couplings)]
        ordered = list[tuple[int, int, int]]()
        while left:
            waiting = {dependent for dependent, _, _ in left}
            ordered += [row for row in left if row[1] not in waiting]
            left = [row for row in left if row[1] in waiting]
        return tuple(ordered)

    def default_q(self) -> FloatArray:
        """Default coordinates.

        Returns
        -------
        FloatArray
            (nq,), rad or m; coupled ones computed from those they follow.
        """
        return np.asarray(self.completed(np.array([[c.default for c in self.model.coordinates]]))[0])

    def completed(self, q: ArrayLike) -> FloatArray:
        """Compute coupled coordinates from those they follow.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), rad or m; what stands in coupled columns is not looked at.

        Returns
        -------
        FloatArray
            (N, nq), a copy, rad or m.
        """
        q = np.array(self.checked(q))
        for dependent, independent, k in self.couplings:
            q[:, dependent] = self.model.couplings[k].function.value(q[:, independent])
        return q

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """Columns of coordinates that no coupling determines."""
        return tuple(k for k in range(len(self.coordinates)) if k not in {row[0] for row in self.couplings})

    def coupling_jacobian(self, q: FloatArray, columns: Sequence[int]) -> FloatArray:
        """How all coordinates follow some of them.

        Parameters
        ----------
        q : FloatArray
            (N, nq), all coordinates, rad or m.
        columns : Sequence[int]
            Which coordinates are moved; none of them coupled.

        Returns
        -------
        FloatArray
            (N, nq, len(columns)); 1 for a column by itself, the slope of its coupling for one that follows it, else 0.
        """
        J = np.zeros((len(q), len(self.coordinates), len(columns)))
        for k, column in enumerate(columns):
            J[:, column, k] = 1.0
        for dependent, independent, k in self.couplings:
            J[:, dependent] = self.model.couplings[k].function.slope(q[:, independent])[:, None] * J[:, independent]
        return J

    def checked(self, q: ArrayLike) -> FloatArray:
        """Coordinates as an array of numbers, refused where columns are missing.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), rad or m.

        Returns
        -------
        FloatArray
            (N, nq), real or complex.

        Raises
        ------
        ShapeError
            Another number of columns.
        """
        q = np.asarray(q)
        q = q if q.dtype.kind in "fc" else q.astype(np.float64)
        if q.ndim != 2 or q.shape[1] != len(self.coordinates):
            raise ShapeError(
                f"Coordinates of {self.model.name} have shape {q.shape}.",
                value=q.shape, expected=f"(frames, {len(self.coordinates)})", where=self.model.name,
            )  # fmt: skip
        return q

    # Positions.

    def pose(self, q: ArrayLike) -> SkeletonPose:
        """Place all bodies.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), rad or m; coupled coordinates are taken as given (see `completed`).

        Returns
        -------
        SkeletonPose
            Of N states, axes of the surroundings, m.

        Raises
        ------
        ShapeError
            Another number of coordinates.
        """
        return self.pose_in(self.tree.places(self.checked(q)))

    def pose_in(self, places: TreePlaces) -> SkeletonPose:
        """Place all bodies from where the joints' child frames are.

        Parameters
        ----------
        places : TreePlaces
            Of `tree`, in N states.

        Returns
        -------
        SkeletonPose
            As `pose` returns it.
        """
        order, R_frame_body, place_in_frame = self._to_bodies
        B, N = len(order), places.origin.shape[-1]
        flat = places.columns[order].reshape(B, 3, -1)
        columns = (np.swapaxes(R_frame_body, 1, 2) @ flat).reshape(B, 3, 3, N)
        origin = places.origin[order] + (place_in_frame[:, None] @ flat).reshape(B, 3, N)
        # The columns of a frame are the first of its axes; as a matrix they are the second.
        return SkeletonPose(
            self, columns.transpose(3, 0, 2, 1), origin.transpose(2, 0, 1), places.axis.transpose(2, 0, 1),
            places.at.transpose(2, 0, 1), places.slope.T,
        )  # fmt: skip

    def marker_places(self, names: Sequence[str] | None = None) -> tuple[tuple[int, ...], FloatArray]:
        """Where markers are fixed.

        Parameters
        ----------
        names : Sequence[str] | None, optional
            Which markers; None for all of the model, in its order.

        Returns
        -------
        tuple[tuple[int, ...], FloatArray]
            Number (K,) of each marker's body, and its place (K, 3) in the body's axes, m.

        Raises
        ------
        UnknownNameError
            A marker that the model does not have.
        """
        known = {marker.name: marker for marker in self.model.markers}
        missing = [name for name in names or () if name not in known]
        if missing:
            raise UnknownNameError(
                f"The model {self.model.name} has no marker {missing[0]!r}.",
                value=missing, expected=", ".join(known) or "a model with markers", where=self.model.source or self.model.name,
            )  # fmt: skip
        chosen = list(known.values()) if names is None else [known[name] for name in names]
        places = np.array([np.asarray(marker.place_m) for marker in chosen]).reshape(-1, 3)
        return tuple(self.body_index(marker.body) for marker in chosen), places

    def markers(self, q: ArrayLike, names: Sequence[str] | None = None) -> FloatArray:
        """Place the model's markers.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), rad or m.
        names : Sequence[str] | None, optional
            Which markers; None for all of the model, in its order.

        Returns
        -------
        FloatArray
            (N, K, 3), axes of the surroundings, m.
        """
        return self.pose(q).points(*self.marker_places(names))
