"""Where the walk leads: a straight line, a quarter turn, or a belt that carries the walker back.

The path is a curve p(s) on the floor. A quarter turn is the hyperbola ::

    p(s) = d0 (s - h) + d1 h,    h(s) = (u + sqrt(u^2 + w^2)) / 2,    u = s - bend

whose tangent turns from d0 to d1 within a few w of u = 0; in the bend the walker slows down, as people do.
"""

from __future__ import annotations

import numpy as np

from biomech_id.errors import OptionError
from biomech_id.sample.arrays import FloatArray
from biomech_id.sample.jets import Jet, constant, jet_unit, sqrt, stack
from biomech_id.values import dataclass

#: First and last direction of walking, unit vectors in the laboratory's floor plane.
DIRECTIONS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "+X": ((1.0, 0.0), (1.0, 0.0)),
    "-X": ((-1.0, 0.0), (-1.0, 0.0)),
    "+Y": ((0.0, 1.0), (0.0, 1.0)),
    "-Y": ((0.0, -1.0), (0.0, -1.0)),
    "turn": ((1.0, 0.0), (0.0, 1.0)),
}
#: Size of the bend over leg length.
BEND = 0.9


@dataclass(frozen=True, eq=False)
class Path:
    """A path on the floor.

    Attributes
    ----------
    first : FloatArray
        (2,), unit vector of the first direction, laboratory axes.
    last : FloatArray
        (2,), unit vector of the last direction, laboratory axes.
    bend_m : float
        Size w of the hyperbola's bend, m.
    bend_at_m : float
        Curve parameter of the middle of the bend.
    origin_m : FloatArray
        (2,), added to every point of the path.
    belt_m_s : float, optional
        Speed at which a belt carries everything back along ``first``; 0 on the floor.
    """

    first: FloatArray
    last: FloatArray
    bend_m: float
    bend_at_m: float
    origin_m: FloatArray
    belt_m_s: float = 0.0

    def point(self, s: Jet) -> Jet:
        """The path at curve parameters, at floor height, before the belt is taken away.

        Parameters
        ----------
        s : Jet
            (n,), curve parameter of the path, m.

        Returns
        -------
        Jet
            (n, 3), laboratory axes, m.
        """
        u = s - self.bend_at_m
        h = (u + sqrt(u * u + self.bend_m**2)) / 2
        return _floor((s - h)[..., None] * self.first + h[..., None] * self.last + self.origin_m)

    def heading(self, s: Jet) -> Jet:
        """Direction of the path.

        Parameters
        ----------
        s : Jet
            (n,), curve parameter of the path, m.

        Returns
        -------
        Jet
            (n, 3), unit tangent, laboratory axes.
        """
        u = s - self.bend_at_m
        share = (1 + u / sqrt(u * u + self.bend_m**2)) / 2
        return jet_unit(_floor((1 - share)[..., None] * self.first + share[..., None] * self.last))

    def carried(self, point: Jet, time: Jet) -> Jet:
        """Where a point of the moving belt is at given times.

        Parameters
        ----------
        point : Jet
            (n, 3), of the belt.
        time : Jet
            Times at which to evaluate, seconds.

        Returns
        -------
        Jet
            (n, 3), laboratory axes, m; the point itself without a belt.
        """
        back = np.array([*self.first, 0.0]) * self.belt_m_s
        return point - time[..., None] * back if self.belt_m_s else point


def make_path(direction: str, leg_m: float, *, bend_at_m: float = 0.0, belt_m_s: float = 0.0) -> Path:
    """Make the path of a named direction; a straight one passes the laboratory's origin at s = 0.

    Parameters
    ----------
    direction : str
        "+X", "-X", "+Y", "-Y" or "turn" (from +X to +Y).
    leg_m : float
        Leg length, which the bend is scaled with.
    bend_at_m : float, optional
        Where the turn is, along the path.
    belt_m_s : float, optional
        Speed of the belt.

    Returns
    -------
    Path
        On the floor, carried back by a belt where one is given.

    Raises
    ------
    OptionError
        For a direction that is not known.
    """
    if direction not in DIRECTIONS:
        raise OptionError(
            f"The virtual subject cannot walk in the direction {direction!r}.",
            value=direction, expected=f"one of {', '.join(DIRECTIONS)}", where="direction",
        )  # fmt: skip
    first, last = DIRECTIONS[direction]
    return Path(np.array(first), np.array(last), BEND * leg_m, bend_at_m, np.zeros(2), belt_m_s)


def left_of(heading: Jet) -> Jet:
    """Horizontal direction to the left of a heading.

    Parameters
    ----------
    heading : Jet
        Unit tangent of the path, (n, 3).

    Returns
    -------
    Jet
        (n, 3), unit vectors, laboratory axes.
    """
    x, y = heading[..., 0], heading[..., 1]
    return stack([-y, x, constant(0.0, x)])


def _floor(plane: Jet) -> Jet:
    x = plane[..., 0]
    return stack([x, plane[..., 1], constant(0.0, x)])
