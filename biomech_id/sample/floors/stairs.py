"""A staircase, one footstep on each tread."""

from __future__ import annotations

import numpy as np

from biomech_id.sample.arrays import FloatArray, IntArray
from biomech_id.sample.floors.floor import Floor
from biomech_id.sample.jets import Jet
from biomech_id.values import dataclass


@dataclass(frozen=True)
class Stairs(Floor):
    """Stairs upwards, or downwards with a negative riser.

    Attributes
    ----------
    riser_m : float
        From one tread up to the next one in the direction of the way.
    tread_m : float
        From one tread to the next one, horizontally.
    """

    riser_m: float
    tread_m: float

    @property
    def flat(self) -> bool:
        """Whether the floor is level everywhere."""
        return False

    @property
    def step_m(self) -> float | None:
        """Length of a step:
        a tread.
        """
        return self.tread_m

    @property
    def pattern(self) -> str:
        """Name of the way of moving on it."""
        return "stairs up" if self.riser_m > 0 else "stairs down"

    def level_m(self, number: IntArray, along_m: FloatArray) -> FloatArray:
        """Height of the treads under footsteps.

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
        return np.asarray(number * self.riser_m, dtype=np.float64)

    def rise_m(self, along_m: Jet, over_m: float, step_m: float) -> Jet:
        """Height that the body follows: a straight line through the treads.

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
        return (along_m - over_m) * (self.riser_m / self.tread_m)
