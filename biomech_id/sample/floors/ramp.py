"""A ramp: one plane, inclined in the direction of the way."""

from __future__ import annotations

from math import tan

from biomech_id.sample.arrays import FloatArray, IntArray
from biomech_id.sample.floors.floor import Floor
from biomech_id.sample.jets import Jet
from biomech_id.values import dataclass


@dataclass(frozen=True)
class Ramp(Floor):
    """A ramp upwards, or downwards with a negative slope.

    Attributes
    ----------
    incline_rad : float
        In the direction of the way, upwards positive.
    """

    incline_rad: float

    @property
    def pattern(self) -> str:
        """Name of the way of moving on it."""
        return "ramp"

    @property
    def slope_rad(self) -> float:
        """Slope of the plane in the direction of the way."""
        return self.incline_rad

    @property
    def flat(self) -> bool:
        """Whether the floor is level everywhere."""
        return False

    def level_m(self, number: IntArray, along_m: FloatArray) -> FloatArray:
        """Height of the plane under footsteps.

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
        return along_m * tan(self.incline_rad)

    def rise_m(self, along_m: Jet, over_m: float, step_m: float) -> Jet:
        """Height of the plane under the body.

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
        return along_m * tan(self.incline_rad)
