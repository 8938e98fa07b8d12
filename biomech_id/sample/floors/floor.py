"""What the virtual subject walks on: the level under every footstep, its slope, and the rise that the body follows."""

from __future__ import annotations

import numpy as np

from biomech_id.sample.arrays import FloatArray, IntArray
from biomech_id.sample.jets import Jet, sqrt
from biomech_id.values import dataclass


@dataclass(frozen=True)
class Floor:
    """A level floor, and what other floors say otherwise.

    Footsteps are counted along the way: even numbers are left ones, odd numbers right ones, 0 the left one that strikes at time 0.
    """

    @property
    def flat(self) -> bool:
        """Whether the floor is level everywhere."""
        return True

    @property
    def endless(self) -> bool:
        """Whether one stride is like the next."""
        return True

    @property
    def step_m(self) -> float | None:
        """Length of a step that the floor imposes; None leaves it to the walker."""
        return None

    @property
    def pattern(self) -> str:
        """Name of the way of moving on it, where nobody asks for another."""
        return "walk"

    @property
    def slope_rad(self) -> float:
        """Slope of every surface that a foot stands on, in the direction of the way, upwards positive."""
        return 0.0

    def level_m(self, number: IntArray, along_m: FloatArray) -> FloatArray:
        """Height of the surface under footsteps.

        Parameters
        ----------
        number : IntArray
            (k,), numbers of the footsteps, even ones left.
        along_m : FloatArray
            (k,), where they are along the way.

        Returns
        -------
        FloatArray
            (k,), m.
        """
        return np.zeros(len(number))

    def rise_m(self, along_m: Jet, over_m: float, step_m: float) -> Jet:
        """Height that the body follows.

        Parameters
        ----------
        along_m : Jet
            (n,), how far the body has come.
        over_m : float
            How far it has come when it passes over footstep 0.
        step_m : float
            From one footstep to the next.

        Returns
        -------
        Jet
            (n,), m.
        """
        return along_m * 0.0


def bent_line(u: Jet, width_m: float) -> Jet:
    """A line that is 0 far below u = 0 and u far above it, bent within some ``width_m`` of it.

    Parameters
    ----------
    u : Jet
        (n,), distance from the bend, m.
    width_m : float
        Size of the bend, metres.

    Returns
    -------
    Jet
        (n,), m.

    Examples
    --------
    >>> from biomech_id.sample.floors.floor import bent_line
    >>> from biomech_id.sample.jets import time_jet
    >>> bent_line(time_jet([-2.0, 0.0, 2.0]), 0.2).value.round(3)
    array([0.005, 0.1  , 2.005])
    """
    return (u + sqrt(u * u + width_m**2)) / 2
