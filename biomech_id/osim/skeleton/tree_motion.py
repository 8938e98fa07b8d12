"""Motion of a skeleton's frames in all states at once, quickly: states are the last axis, every sum along the tree is one product.

Frames are placed joint by joint. Velocities and accelerations need no walk: each elementary turn or slide (a row) adds to what
lies beyond it, so that angular velocities are a matrix of ones and zeros times the rows' own, and so on.
`biomech_id.multibody.kinematics` says the same for quaternions and moving bases too.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.multibody.joints import Axis, Orientation, Slide, X, Y, Z
from biomech_id.multibody.kinematics import TreeLayout
from biomech_id.values import dataclass

#: Two axes that a turn about x, y, z mixes: the first goes towards the second.
_MIXED = {X: (1, 2), Y: (2, 0), Z: (0, 1)}


@dataclass(frozen=True, eq=False)
class TreePlaces:
    """Where frames and rows are in N states; vectors are (3, N) along the last two axes.

    Attributes
    ----------
    columns : FloatArray
        (B + 1, 3, 3, N), the axes of each frame, x first; 0 is the surroundings.
    origin : FloatArray
        (B + 1, 3, N), m.
    axis, at : FloatArray
        (S, 3, N), of each row, and a point of it, m.
    amount, slope : FloatArray
        (S, N), how far each row has gone, and goes for a unit of its coordinate.
    """

    columns: FloatArray
    origin: FloatArray
    axis: FloatArray
    at: FloatArray
    amount: FloatArray
    slope: FloatArray


@dataclass(frozen=True, eq=False)
class TreeRates:
    """How frames move; vectors are (3, N) along the last two axes.

    Attributes
    ----------
    rate : FloatArray
        (S, N), of each row's amount.
    omega, alpha, acceleration : FloatArray
        (B + 1, 3, N), of each frame, and of its origin; 0 is the surroundings.
    """

    rate: FloatArray
    omega: FloatArray
    alpha: FloatArray
    acceleration: FloatArray


class TreeMotion:
    """A layout, compiled.

    Parameters
    ----------
    layout : TreeLayout
        A tree of turns and slides, without quaternions, on a base that stands still.
    """

    def __init__(self, layout: TreeLayout) -> None:
        self.layout = layout
        self.steps = tuple(step for joint in layout.joints for step in joint)
        assert not any(isinstance(step, Orientation) for step in self.steps)
        self.driver = np.array([coordinate for _, _, coordinate in layout.rows], dtype=np.intp)
        self.body = np.array([body for body, _, _ in layout.rows], dtype=np.intp)
        self._curved = [(k, step.function) for k, step in enumerate(self.steps) if step.function is not None]  # type: ignore[union-attr]
        self._turned = [_basis(step.axis) for step in self.steps]  # type: ignore[union-attr]
        self._still = [bool((np.eye(3) == R).all()) for R in layout.R_parent_joint]

    @cached_property
    def _onwards(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(S, S) turns at or before each row, (B + 1, S) turns that carry a frame, (B + 1, B + 1) frames on the way to one."""
        beyond, turning = self.layout.beyond, self.layout.turning
        S = len(self.steps)
        earlier = np.tri(S, dtype=bool) & beyond[self.body]
        way = np.eye(len(beyond), dtype=bool)
        for body, parent in enumerate(self.layout.parents, 1):
            way[body] |= way[parent]
        return (earlier & turning).astype(float), (beyond & turning).astype(float), way.astype(float)

    def places(self, q: FloatArray) -> TreePlaces:
        """Place all frames and rows.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m; complex ones too.

        Returns
        -------
        TreePlaces
            Of N states, axes of the surroundings, m.
        """
        layout, N, S = self.layout, len(q), len(self.steps)
        amount = np.ascontiguousarray(q.T[self.driver])
        slope = np.ones_like(amount)
        for k, function in self._curved:
            driven = amount[k].copy()
            amount[k], slope[k] = function.value(driven), function.slope(driven)
        cosine, sine = np.cos(amount), np.sin(amount)
        columns = np.empty((len(layout.parents) + 1, 3, 3, N), q.dtype)
        origin = np.zeros((len(columns), 3, N), q.dtype)
        axis, at = np.empty((2, S, 3, N), q.dtype)
        columns[0] = np.eye(3)[:, :, None]
        row = 0
        for b, parent in enumerate(layout.parents, 1):
            flat = columns[parent].reshape(3, -1)
            place = origin[parent] + (layout.place_m[b - 1] @ flat).reshape(3, N)
            C = columns[parent] if self._still[b - 1] else (layout.R_parent_joint[b - 1].T @ flat).reshape(3, 3, N)
            for step in layout.joints[b - 1]:
                at[row] = place
                basis, first, second, third = self._turned[row]
                along = C[third] if basis is None else (np.asarray(step.axis) @ C.reshape(3, -1)).reshape(3, N)  # type: ignore[union-attr]
                axis[row] = along
                if isinstance(step, Slide):
                    place = place + along * amount[row]
                else:
                    C = _turned(C, basis, (first, second, third), cosine[row], sine[row])
                row += 1
            columns[b], origin[b] = C, place
        return TreePlaces(columns, origin, axis, at, amount, slope)

    def rates(self, places: TreePlaces, q: FloatArray, u: FloatArray, a: FloatArray) -> TreeRates:
        """Find how all frames move.

        Parameters
        ----------
        places : TreePlaces
            In the states ``q``.
        q, u, a : FloatArray
            (N, nq), coordinates and their first and second derivatives in time.

        Returns
        -------
        TreeRates
            Angular velocities, rad/s, angular accelerations, rad/s2, and accelerations of origins, m/s2, axes of the surroundings.
        """
        speed, second = u.T[self.driver], a.T[self.driver]
        rate, second = places.slope * speed, places.slope * second
        for k, function in self._curved:
            second[k] += function.curvature(q[:, self.driver[k]]) * speed[k] ** 2
        at_row, at_frame, on_way = self._onwards
        turning = self.layout.turning[:, None, None]
        own = places.axis * rate[:, None]
        # Turns carry the axes beyond them; omega and alpha of a row are those of the frame that it starts from.
        omega = _times(at_row, own) - np.where(turning, own, 0.0)
        across = places.axis * second[:, None] + np.where(turning, 1.0, 2.0) * cross_last(omega, own)
        frame_omega, frame_alpha = _times(at_frame, own), _times(at_frame, across)
        parents = np.array(self.layout.parents, dtype=np.intp)
        first = self._first_points(places)
        edge = np.zeros_like(places.origin)
        edge[1:] = carried(frame_omega[parents], frame_alpha[parents], first - places.origin[parents])
        slides = np.flatnonzero(~self.layout.turning)
        alpha = _times(at_row[slides], across)
        moved = across[slides] + carried(omega[slides], alpha, places.axis[slides] * places.amount[slides, None])
        for k, row in enumerate(slides):
            edge[self.body[row]] += moved[k]
        return TreeRates(rate, frame_omega, frame_alpha, _times(on_way, edge))

    def _first_points(self, places: TreePlaces) -> FloatArray:
        """Places (B, 3, N) of the joints in their parents."""
        layout = self.layout
        parents = np.array(layout.parents, dtype=np.intp)
        B, N = len(parents), places.origin.shape[-1]
        moved = (layout.place_m[:, None] @ places.columns[parents].reshape(B, 3, 3 * N)).reshape(B, 3, N)
        return places.origin[parents] + moved


def _basis(axis: Axis) -> tuple[FloatArray | None, int, int, int]:
    """None and three axes in turn for a turn about one of them; else axes (3, 3), in rows, whose third is the turn's."""
    if axis in _MIXED:
        first, second = _MIXED[axis]
        return None, first, second, (X, Y, Z).index(axis)
    third = np.asarray(axis)
    first_row = np.cross(third, np.eye(3)[int(np.argmin(np.abs(third)))])
    first_row /= np.linalg.norm(first_row)
    return np.array([first_row, np.cross(third, first_row), third]), 0, 1, 2


def _turned(
    C: FloatArray, basis: FloatArray | None, order: tuple[int, int, int], cosine: FloatArray, sine: FloatArray
) -> FloatArray:
    """Axes of a frame after a turn."""
    if basis is not None:
        C = (basis @ C.reshape(3, -1)).reshape(C.shape)
    first, second, third = order
    out = np.empty_like(C)
    out[first] = cosine * C[first] + sine * C[second]
    out[second] = cosine * C[second] - sine * C[first]
    out[third] = C[third]
    return out if basis is None else (basis.T @ out.reshape(3, -1)).reshape(C.shape)


def _times(matrix: FloatArray, vectors: FloatArray) -> FloatArray:
    """(m, k) times (k, 3, N)."""
    N = vectors.shape[-1]
    return (matrix @ vectors.reshape(len(vectors), 3 * N)).reshape(len(matrix), 3, N)


def cross_last(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cross product of vectors along the last but one axis.

    Parameters
    ----------
    a : FloatArray
        (..., 3, N), first factors.
    b : FloatArray
        (..., 3, N), second factors, of a shape that broadcasts with the first.

    Returns
    -------
    FloatArray
        (..., 3, N), a x b.
    """
    out = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a, b))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.multiply(a[..., j, :], b[..., k, :], out=out[..., i, :])
        out[..., i, :] -= a[..., k, :] * b[..., j, :]
    return out


def carried(omega: FloatArray, alpha: FloatArray, arm: FloatArray) -> FloatArray:
    """Acceleration of the end of an arm that turns with its frame, relative to its beginning.

    Parameters
    ----------
    omega, alpha, arm : FloatArray
        (..., 3, N), rad/s, rad/s2 and m.

    Returns
    -------
    FloatArray
        (..., 3, N), alpha x arm + omega x (omega x arm), m/s2.
    """
    return cross_last(alpha, arm) + cross_last(omega, cross_last(omega, arm))
