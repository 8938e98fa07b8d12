"""Floors by name, of a size that suits the walker. A further one is a file with a `Floor` beside this one, and its line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from biomech_id.errors import OptionError
from biomech_id.sample.floors.curb import Curb
from biomech_id.sample.floors.floor import Floor
from biomech_id.sample.floors.ramp import Ramp
from biomech_id.sample.floors.stairs import Stairs

#: Over leg length: riser and tread of stairs (17 by 30 cm for an adult), height of a curb (15 cm).
RISER, TREAD, CURB = 0.18, 0.325, 0.16
#: Of ramps, radians: 8 degrees, as gait laboratories build them.
SLOPE_RAD = 0.14
FLOORS: Mapping[str, Callable[[float], Floor]] = {
    "level": lambda leg_m: Floor(),
    "stairs up": lambda leg_m: Stairs(RISER * leg_m, TREAD * leg_m),
    "stairs down": lambda leg_m: Stairs(-RISER * leg_m, TREAD * leg_m),
    "ramp up": lambda leg_m: Ramp(SLOPE_RAD),
    "ramp down": lambda leg_m: Ramp(-SLOPE_RAD),
    "curb up": lambda leg_m: Curb(CURB * leg_m),
    "curb down": lambda leg_m: Curb(-CURB * leg_m),
}


def floor_named(name: str, leg_m: float) -> Floor:
    """Make one of `FLOORS` for a walker.

    Parameters
    ----------
    name : str
        One of the keys of `FLOORS`.
    leg_m : float
        Leg length of the walker.

    Returns
    -------
    Floor
        Its steps in proportion to leg length.

    Raises
    ------
    OptionError
        For a name that is not known.
    """
    if name not in FLOORS:
        raise OptionError(f"There is no floor named {name!r}.", value=name, expected=f"one of {', '.join(FLOORS)}", where="floor")
    return FLOORS[name](leg_m)
