"""What closes a loop: a pin, gears that roll on each other, any linear relation of coordinates; and where two links meet.

A constraint is k equations h(q) = 0 with what a `ClosedLoop` needs of them: their value, dh/dq, and J' q', the rate at which
dh/dt changes in a motion with q'' = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.chain import BASE
from biomech_id.multibody.tree import Tree, TreeMotion


class Constraint(Protocol):
    """k scalar equations that the tree's coordinates obey."""

    def residual(self, q: FloatArray, motion: TreeMotion) -> FloatArray:
        """Value of h (N, k).

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        motion : TreeMotion
            The tree's motion in the states asked for.
        """
        ...

    def jacobian(self, tree: Tree, motion: TreeMotion) -> FloatArray:
        """Derivative dh/dq (N, k, n).

        Parameters
        ----------
        tree : Tree
            The mechanism's bodies and joints.
        motion : TreeMotion
            The tree's motion in the states asked for.
        """
        ...

    def drift(self, motion: TreeMotion) -> FloatArray:
        """J' q' (N, k): the rate at which dh/dt changes in a motion with q'' = 0.

        Parameters
        ----------
        motion : TreeMotion
            The tree's motion in the states asked for.
        """
        ...


@dataclass(frozen=True)
class Pin:
    """A pin in the x-y plane that holds a point of one body on a point of another, or of the base.

    Attributes
    ----------
    body : int
        Indices in the tree; ``other`` may be `BASE`.
    place_m : tuple[float, float, float]
        (3,), in the frames of the two, metres; the base's frame is the laboratory.
    other : int
        Indices in the tree; ``other`` may be `BASE`.
    other_place_m : tuple[float, float, float]
        (3,), in the frames of the two, metres; the base's frame is the laboratory.
    """

    body: int
    place_m: tuple[float, float, float]
    other: int
    other_place_m: tuple[float, float, float]

    def residual(self, q: FloatArray, motion: TreeMotion) -> FloatArray:
        """Distance of the points along x and y (N, 2), m.

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        motion : TreeMotion
            The tree's motion in the states asked for.
        """
        there = np.asarray(self.other_place_m) if self.other == BASE else motion.point(self.other, self.other_place_m)[0]
        return np.asarray((motion.point(self.body, self.place_m)[0] - there)[:, :2])

    def jacobian(self, tree: Tree, motion: TreeMotion) -> FloatArray:
        """Derivative (N, 2, n) by the coordinates.

        Parameters
        ----------
        tree : Tree
            The mechanism's bodies and joints.
        motion : TreeMotion
            The tree's motion in the states asked for.
        """
        J = tree.jacobians(motion, self.body, self.place_m)[0]
        if self.other != BASE:
            J = J - tree.jacobians(motion, self.other, self.other_place_m)[0]
        return J[:, :2]

    def drift(self, motion: TreeMotion) -> FloatArray:
        """Relative acceleration (N, 2), m/s2, of the points in a motion with q'' = 0.

        Parameters
        ----------
        motion : TreeMotion
            The tree's motion in the states asked for.
        """
        acceleration = motion.point(self.body, self.place_m)[2]
        if self.other != BASE:
            acceleration = acceleration - motion.point(self.other, self.other_place_m)[2]
        return acceleration[:, :2]


@dataclass(frozen=True)
class Coupling:
    """A linear relation of coordinates, coefficients . q = constant: gears, belts, coupled joints.

    Attributes
    ----------
    coefficients : tuple[float, ...]
        One for each coordinate.
    constant : float, optional
        What the sum is kept at.

    Examples
    --------
    >>> from biomech_id.multibody.loop_constraints import Coupling
    >>> pulleys = Coupling((1.0, -2.0), 0.0)
    >>> pulleys.coefficients
    (1.0, -2.0)
    """

    coefficients: tuple[float, ...]
    constant: float = 0.0

    def residual(self, q: FloatArray, motion: TreeMotion) -> FloatArray:
        """Value (N, 1).

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        motion : TreeMotion
            The tree's motion in the states asked for.
        """
        value: FloatArray = q @ np.asarray(self.coefficients) - self.constant
        return value[:, None]

    def jacobian(self, tree: Tree, motion: TreeMotion) -> FloatArray:
        """The coefficients (N, 1, n).

        Parameters
        ----------
        tree : Tree
            The mechanism's bodies and joints.
        motion : TreeMotion
            The tree's motion in the states asked for.
        """
        return np.broadcast_to(np.asarray(self.coefficients), (len(motion.origin_m), 1, len(tree)))

    def drift(self, motion: TreeMotion) -> FloatArray:
        """Zero (N, 1): linear relations do not drift.

        Parameters
        ----------
        motion : TreeMotion
            The tree's motion in the states asked for.
        """
        return np.zeros((len(motion.origin_m), 1))


def rolling_gears(
    tree: Tree, gear: int, other: int, carrier: int, radius_m: float, other_radius_m: float, *, angle_rad: float = 0.0
) -> Coupling:
    """Two gears that roll on each other outside, their axes parallel and joined by a carrier (an index, or `BASE`).

    Their rims have one velocity at the pitch point: r_a (phi_a - phi_carrier) + r_b (phi_b - phi_carrier) = angle_rad r_a.

    Parameters
    ----------
    tree : Tree
        The mechanism's bodies and joints.
    gear, other : int
        Indices of the two gears.
    carrier : int
        Index of the body on which both turn.
    radius_m, other_radius_m : float
        Pitch radii, metres.
    angle_rad : float, optional
        Of the gear relative to the other's rim, where both coordinates are zero.
    """
    turns = np.zeros((3, len(tree)))
    for row, body in enumerate((gear, other, carrier)):
        for k in tree.path(body) if body != BASE else ():
            turns[row, k] = tree.bodies[k].kind == "revolute"
    coefficients = radius_m * (turns[0] - turns[2]) + other_radius_m * (turns[1] - turns[2])
    return Coupling(tuple(coefficients), angle_rad * radius_m)
