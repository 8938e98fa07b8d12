"""A model's tree as arrays: where every body is, and how each coordinate moves it, for all states at once.

A *row* is one turn or slide of a joint that a free coordinate drives, through a function and, for coordinates that follow others,
through their coupling. A row moves everything beyond its joint: a point p by ``turn x p + shift`` for a unit of the row's amount.
All joints' own transforms are made at once, and multiplied along the tree depth by depth: the number of NumPy calls depends on how
deep the tree is, not on how many bodies there are. That is what a single state costs: a third of `Skeleton.pose`, which says the
same for any kind of number.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.vectors import cross
from biomech_id.multibody.functions import ConstantFunction
from biomech_id.multibody.joints import AxisFunction, PolynomialFunction
from biomech_id.multibody.musculoskeletal import ModelJoint, MusculoskeletalModel, OffsetFrame, TransformAxis
from biomech_id.osim.skeleton.closing import Closing
from biomech_id.osim.skeleton.function_bank import FunctionBank
from biomech_id.osim.skeleton.joint_steps import constant_value
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.values import dataclass

_SLOTS = 6


@dataclass(frozen=True, eq=False)
class TreePose:
    """Bodies and rows in N states, all in the axes of the surroundings.

    Attributes
    ----------
    place : FloatArray
        (N, B + 1, 4, 4), from each body's frame; 0 is the surroundings.
    turn, shift : FloatArray
        (N, S, 3), of each row: a point p beyond it moves by turn x p + shift.
    slope, curvature : FloatArray
        (N, S), of each row's amount by its free coordinate.
    """

    place: FloatArray
    turn: FloatArray
    shift: FloatArray
    slope: FloatArray
    curvature: FloatArray

    def points(self, body: IntArray, place_m: FloatArray) -> FloatArray:
        """Place points that are fixed in bodies.

        Parameters
        ----------
        body : IntArray
            (K,), indices; 0 is the surroundings.
        place_m : FloatArray
            (K, 3) or (N, K, 3), in the bodies' frames.

        Returns
        -------
        FloatArray
            (N, K, 3), axes of the surroundings, m.
        """
        chosen = self.place[:, body]
        turned: FloatArray = (chosen[..., :3, :3] @ place_m[..., None])[..., 0] + chosen[..., :3, 3]
        return turned


class Tree:
    """A model's tree, compiled.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model whose tree is compiled.
    held : Sequence[str], optional
        Coordinates that are not free, beside those that follow others.

    Attributes
    ----------
    skeleton : Skeleton
        The model's tree in the words of `biomech_id.multibody`.
    free : IntArray
        (F,), columns of the coordinates that are free.
    row_free : IntArray
        (S,), which of the free coordinates drives each row.
    turning : BoolArray
        (S,), rows that turn.
    beyond : BoolArray
        (S, B + 1), which bodies each row moves.
    before : FloatArray
        (S, S), 1 where the first row moves the second one's axis, 1/2 on the diagonal, else 0.
    """

    def __init__(self, model: MusculoskeletalModel, held: Sequence[str] = ()) -> None:
        self.model = model
        names = model.coordinate_names
        self.skeleton = Skeleton(model)
        self.couplings = [
            (dependent, independent, model.couplings[k].function) for dependent, independent, k in self.skeleton.couplings
        ]
        follows = {c.dependent for c in model.couplings}
        self.free: IntArray = np.array([k for k, name in enumerate(names) if name not in follows and name not in held], dtype=int)
        joints = {joint.child.body: joint for joint in model.joints}
        self._joints = tuple(joints[body.name] for body in model.bodies)
        self._parents = np.array([self.skeleton.body_index(joint.parent.body) for joint in self._joints])
        self._levels = self._by_depth()
        self._constants()
        self._functions()
        self._rows()

    def root_column(self, column: int) -> int:
        """Column of the coordinate that another one follows in the end.

        Parameters
        ----------
        column : int
            Column of the coordinate that follows.

        Returns
        -------
        int
            Its own column for a coordinate that follows none.
        """
        return self._root[column]

    def _by_depth(self) -> list[tuple[IntArray, IntArray]]:
        """Bodies that can be placed together, each with its parent."""
        depth = {0: 0}
        while len(depth) <= len(self._joints):
            depth |= {k + 1: depth[p] + 1 for k, p in enumerate(self._parents) if p in depth}
        levels = [np.array([k for k in depth if depth[k] == d]) for d in range(1, max(depth.values()) + 1)]
        return [(level, self._parents[level - 1]) for level in levels]

    def _constants(self) -> None:
        self._parent_frame = np.array([frame_matrix(joint.parent) for joint in self._joints]).reshape(-1, 4, 4)
        self._from_child = np.linalg.inv(np.array([frame_matrix(joint.child) for joint in self._joints]).reshape(-1, 4, 4))
        axes = np.array([[_axis_of(joint, slot).axis for slot in range(_SLOTS)] for joint in self._joints], dtype=float)
        axes = axes.reshape(-1, _SLOTS, 3)
        self._turn_axis, self._slide_axis = axes[:, :3], axes[:, 3:]
        a = self._turn_axis
        self._skew = np.cross(np.eye(3), a[..., None, :])
        self._along = a[..., :, None] * a[..., None, :]
        self._across = np.eye(3) - self._along
        self._radii = np.array([joint.radii_m or (0.0, 0.0, 0.0) for joint in self._joints]).reshape(-1, 3)

    def _functions(self) -> None:
        """Amounts of all steps: constants, what goes by a coordinate in proportion, and the rest one by one."""
        constant, factor = np.zeros((2, len(self._joints), _SLOTS))
        driver = np.full(constant.shape, -1)
        curved: list[tuple[int, int]] = []
        for j, joint in enumerate(self._joints):
            for slot in range(_SLOTS):
                step = _axis_of(joint, slot)
                straight = _straight(step.function)
                same = constant_value(step.function)
                if same is not None or not step.coordinate:
                    constant[j, slot] = same if same is not None else float(step.function.value(0.0))
                elif straight is not None:
                    constant[j, slot], factor[j, slot] = straight
                    driver[j, slot] = self.model.index(step.coordinate)
                else:
                    driver[j, slot] = self.model.index(step.coordinate)
                    curved.append((j, slot))
        self._constant, self._driver, self._factor = constant, driver, factor
        self._curved = tuple(np.array(curved, dtype=int).reshape(-1, 2).T)
        self._bank = FunctionBank([_axis_of(self._joints[j], slot).function for j, slot in curved])

    def _rows(self) -> None:
        root = {int(k): int(k) for k in range(len(self.model.coordinates))}
        for dependent, independent, _ in self.couplings:
            root[dependent] = root[independent]
        self._root = root
        place = {int(k): f for f, k in enumerate(self.free)}
        #: Columns of coordinates that follow a free one, and which.
        self.following = [(dependent, place[root[dependent]]) for dependent, _, _ in self.couplings if root[dependent] in place]
        joints = [int(k) - 1 for level, _ in self._levels for k in level]
        order = [(j, slot) for j in joints for slot in (3, 4, 5, 0, 1, 2)]
        rows = [(j, slot) for j, slot in order if self._driver[j, slot] >= 0 and root[self._driver[j, slot]] in place]
        self._row_joint = np.array([j for j, _ in rows], dtype=int)
        self._row_slot = np.array([slot for _, slot in rows], dtype=int)
        self._row_driver = self._driver[self._row_joint, self._row_slot]
        self.row_free: IntArray = np.array([place[root[k]] for k in self._row_driver], dtype=int)
        curved = list(zip(*self._curved, strict=True))
        curved_rows = [(curved.index(step), row) for row, step in enumerate(rows) if step in curved]
        self._curved_rows = tuple(np.array(curved_rows, dtype=int).reshape(-1, 2).T)
        self.turning: BoolArray = self._row_slot < 3
        self.beyond: BoolArray = self._ancestors()[self._row_joint]
        s = len(rows)
        self.before: FloatArray = np.triu(self.beyond[:, self._row_joint + 1].astype(float).reshape(s, s), 1) + 0.5 * np.eye(s)

    def _ancestors(self) -> BoolArray:
        """(J, B + 1): which bodies hang on each joint."""
        hangs = np.zeros((len(self._joints), len(self._joints) + 1), bool)
        for k in range(len(self._joints)):
            at = k + 1
            while at:
                hangs[at - 1, k + 1] = True
                at = int(self._parents[at - 1])
        return hangs

    @cached_property
    def closing(self) -> Closing | None:
        """Constraints that no coupling of two coordinates is, as equations of the free coordinates; None for a model without."""
        return Closing(self.skeleton, self.free.tolist()) if self.model.constraints else None

    @cached_property
    def by_coordinate(self) -> FloatArray:
        """(S, F), 1 where a row goes by a free coordinate."""
        return np.asarray(self.row_free[:, None] == np.arange(len(self.free)), dtype=float)

    def coupled(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Derivatives of every coordinate by the one it follows in the end.

        Parameters
        ----------
        q : FloatArray
            (N, nq), all coordinates, completed, rad or m.

        Returns
        -------
        tuple[FloatArray, FloatArray]
            First and second derivative, (N, nq) each; 1 and 0 for free coordinates.
        """
        slope, curvature = np.ones_like(q), np.zeros_like(q)
        for dependent, independent, function in self.couplings:
            first, second = function.slope(q[:, independent]), function.curvature(q[:, independent])
            slope[:, dependent] = first * slope[:, independent]
            curvature[:, dependent] = second * slope[:, independent] ** 2 + first * curvature[:, independent]
        return slope, curvature

    def completed_motion(
        self, still: FloatArray, q: FloatArray, u: FloatArray, a: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Motion of all coordinates from that of the free ones.

        Parameters
        ----------
        still : FloatArray
            (nq,), coordinates of which those are taken that are neither free nor follow any, rad or m.
        q, u, a : FloatArray
            (N, F), free coordinates and their two derivatives in time.

        Returns
        -------
        tuple[FloatArray, FloatArray, FloatArray, FloatArray]
            Coordinates, their two derivatives in time, and their derivative by the free one that they follow, (N, nq) each.
        """
        whole = np.repeat(still[None], len(q), axis=0)
        whole[:, self.free] = q
        whole = self.skeleton.completed(whole)
        slope, curvature = self.coupled(whole)
        rate, second = np.zeros_like(whole), np.zeros_like(whole)
        for k, f in (*((int(k), f) for f, k in enumerate(self.free)), *self.following):
            rate[:, k] = slope[:, k] * u[:, f]
            second[:, k] = slope[:, k] * a[:, f] + curvature[:, k] * u[:, f] ** 2
        return whole, rate, second, slope

    def posture(self, q: FloatArray, *, rows: bool = True) -> TreePose:
        """Place all bodies, and find how coordinates move them.

        Parameters
        ----------
        q : FloatArray
            (N, nq), all coordinates of the model, completed; rad and m.
        rows : bool, optional
            Whether rows are wanted too.

        Returns
        -------
        TreePose
            Of N states, axes of the surroundings, m; without rows its ``turn``, ``shift``, ``slope`` and ``curvature`` are empty.
        """
        n, joints = len(q), len(self._joints)
        amount, slope, curvature = self._amounts(q, rows)
        c, s = np.cos(amount[..., :3, None, None]), np.sin(amount[..., :3, None, None])
        turns = c * self._across + s * self._skew + self._along
        two = turns[:, :, 0] @ turns[:, :, 1]
        local = np.zeros((n, joints, 4, 4))
        local[..., :3, :3] = two @ turns[:, :, 2]
        local[..., :3, 3] = (amount[..., None, 3:] @ self._slide_axis)[..., 0, :]
        if self._radii.any():
            local[..., :3, 3] += self._radii * local[..., :3, 2]
        local[..., 3, 3] = 1.0
        inner = self._parent_frame @ local
        steps = inner @ self._from_child
        place = np.empty((n, joints + 1, 4, 4))
        place[:, 0] = np.eye(4)
        for level, parents in self._levels:
            place[:, level] = place[:, parents] @ steps[:, level - 1]
        if not rows:
            none = np.empty((n, 0, 3))
            return TreePose(place, none, none, slope, curvature)
        return self._with_rows(place, inner, (turns, two), (slope, curvature))

    @cached_property
    def default_place(self) -> FloatArray:
        """Bodies (B + 1, 4, 4) in the default pose, from each body's frame to the axes of the surroundings."""
        return np.asarray(self.posture(self.skeleton.default_q()[None], rows=False).place[0])

    def _with_rows(
        self, place: FloatArray, inner: FloatArray, turns: tuple[FloatArray, FloatArray], derived: tuple[FloatArray, FloatArray]
    ) -> TreePose:
        j, slot = self._row_joint, self._row_slot
        n = len(place)
        axes = np.empty((n, len(self._joints), _SLOTS, 3))
        axes[:, :, 0], axes[:, :, 3:] = self._turn_axis[:, 0], self._slide_axis
        axes[:, :, 1] = (turns[0][:, :, 0] @ self._turn_axis[:, 1, :, None])[..., 0]
        axes[:, :, 2] = (turns[1] @ self._turn_axis[:, 2, :, None])[..., 0]
        parent = place[:, self._parents]
        frame = parent[..., :3, :3] @ self._parent_frame[:, :3, :3]
        at = (parent[..., :3, :3] @ inner[..., :3, 3:])[..., 0] + parent[..., :3, 3]
        axis = (frame[:, j] @ axes[:, j, slot][..., None])[..., 0]
        turning = self.turning[:, None]
        shift = np.where(turning, cross(at[:, j], axis), axis)
        if self._radii.any():
            rolled = cross(axes[:, j, slot], inner_column(self._parent_frame, inner)[:, j]) * self._radii[j]
            shift = shift + np.where(turning, (frame[:, j] @ rolled[..., None])[..., 0], 0.0)
        return TreePose(place, np.where(turning, axis, 0.0), shift, *derived)

    def _amounts(self, q: FloatArray, rows: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Amounts (N, J, 6) of all steps, and both derivatives (N, S) of the rows' by their free coordinates."""
        if not q.shape[1]:  # welds alone: every factor is zero
            q = np.zeros((len(q), 1))
        amount = self._constant + self._factor * q[:, self._driver]
        j, slot = self._curved
        if not rows:
            amount[:, j, slot] = self._bank.values(q[:, self._driver[j, slot]])
            return amount, np.empty((len(q), 0)), np.empty((len(q), 0))
        slope = np.repeat(self._factor[None, self._row_joint, self._row_slot], len(q), axis=0)
        curvature = np.zeros_like(slope)
        if len(j):
            amount[:, j, slot], slopes, bends = self._bank.all(q[:, self._driver[j, slot]])
            curved, row = self._curved_rows
            slope[:, row], curvature[:, row] = slopes[:, curved], bends[:, curved]
        if self.couplings:
            first, second = (values[:, self._row_driver] for values in self.coupled(q))
            slope, curvature = slope * first, curvature * first**2 + slope * second
        return amount, slope, curvature


def inner_column(parent_frame: FloatArray, inner: FloatArray) -> FloatArray:
    """Third axis of each joint's child frame in the joint's frame of its parent.

    Parameters
    ----------
    parent_frame : FloatArray
        (J, 4, 4), from the joint's frame to its parent's.
    inner : FloatArray
        (N, J, 4, 4), from the joint's child frame to its parent's.

    Returns
    -------
    FloatArray
        (N, J, 3), unit vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.skeleton.tree import inner_column
    >>> inner_column(np.eye(4)[None], np.eye(4)[None, None])
    array([[[0., 0., 1.]]])
    """
    third: FloatArray = (np.swapaxes(parent_frame[:, :3, :3], 1, 2) @ inner[..., :3, 2:3])[..., 0]
    return third


def _axis_of(joint: ModelJoint, slot: int) -> TransformAxis:
    """Turn 0 to 2 or slide 3 to 5 of a joint; what it does not have is nothing."""
    steps = joint.rotations if slot < 3 else joint.translations
    nothing = TransformAxis("", ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))[slot % 3], ConstantFunction(0.0))
    return steps[slot % 3] if slot % 3 < len(steps) else nothing


def _straight(function: AxisFunction) -> tuple[float, float] | None:
    """Constant and factor of a function that is a straight line; None for any other."""
    if isinstance(function, PolynomialFunction) and len(function.coefficients) <= 2:
        constant, factor = (*function.coefficients, 0.0)[:2]
        return constant, factor
    return None


def frame_matrix(frame: OffsetFrame) -> FloatArray:
    """A frame's axes and origin in its body, as one matrix.

    Parameters
    ----------
    frame : OffsetFrame
        Fixed in a body.

    Returns
    -------
    FloatArray
        (4, 4), from the frame's axes to the body's, m.
    """
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = frame.R_body_frame, frame.place_m
    return place
