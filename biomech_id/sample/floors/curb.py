"""A curb: level ground, one step up or down, level ground."""

from __future__ import annotations

import numpy as np

from biomech_id.sample.arrays import FloatArray, IntArray
from biomech_id.sample.floors.floor import Floor, bent_line
from biomech_id.sample.jets import Jet
from biomech_id.values import dataclass

#: Share of a step within which the body begins and ends to rise.
CURB_BEND = 0.4
#: By this share of a step the body rises after the leading foot, and goes down before it: the legs reach no further.
AFTER_UP, BEFORE_DOWN = 0.5, 0.75


@dataclass(frozen=True)
class Curb(Floor):
    """A curb upwards, or downwards with a negative height: footstep 1 is the first one beyond it.

    Attributes
    ----------
    height_m : float
        Of the ground beyond it.
    """

    height_m: float

    @property
    def flat(self) -> bool:
        """Whether the floor is level everywhere."""
        return False

    @property
    def pattern(self) -> str:
        """Name of the way of moving over it."""
        return "curb"

    @property
    def endless(self) -> bool:
        """Whether one stride is like the next."""
        return False

    def level_m(self, number: IntArray, along_m: FloatArray) -> FloatArray:
        """Height of the ground under footsteps.

        Parameters
        ----------
        number : IntArray
            (k,), numbers of the footsteps, even ones left.
        along_m : FloatArray
            (k,), where they are along the way.

        Returns
        -------
        FloatArray
            (k,), m, 0 before the curb.
        """
        return np.where(number > 0, self.height_m, 0.0)

    def rise_m(self, along_m: Jet, over_m: float, step_m: float) -> Jet:
        """Height that the body follows: from the last footstep before the curb to the first one beyond it.

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
        late_m = (AFTER_UP if self.height_m > 0 else -BEFORE_DOWN) * step_m
        u, width_m = along_m - (over_m + late_m), CURB_BEND * step_m
        return (bent_line(u, width_m) - bent_line(u - step_m, width_m)) * (self.height_m / step_m)
