"""How large the errors behind joint moments are assumed to be: one row each, with where the number comes from.

Every size is one standard deviation, of a bias unless its kind says "noise". A laboratory that knows its own numbers says so in the
recipe: ``error_sizes = ["hip_centre_mm = 6"]``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from biomech_id.errors import OptionError


@dataclass(frozen=True)
class ErrorSize:
    """The assumed size of one error.

    Attributes
    ----------
    name : str
        With its unit, "hip_centre_mm".
    value : float
        One standard deviation; of a place along each axis, of a turn about each axis named.
    source : str
        The column of ``uncertainty.csv`` that it counts to.
    kind : Literal["bias", "noise"]
        "bias" or "noise".
    what : str
        What may be wrong.
    why : str
        The measurement, paper or argument behind the number.
    """

    name: str
    value: float
    source: str
    kind: Literal["bias", "noise"]
    what: str
    why: str


_TABLES = "standard deviation between the adult tables that are shipped (Dempster, de Leva 1996, Dumas 2007)"
_ROTATIONS = (
    "joint angles repeat to 2 to 5 deg between sessions and assessors, rotations of hip and knee less well "
    "(review: McGinley et al. 2009, Gait Posture 29:360)"
)

#: Every error, how large one standard deviation of it is taken to be, and where that comes from.
ERROR_SIZES: tuple[ErrorSize, ...] = (
    ErrorSize("hip_centre_davis_mm", 15.0, "hip_centre", "bias", "hip centre by the conventional model's regression",
              "25.0 ± 6.7 mm from the centre in CT of 67 adults, over three axes (Mantovani et al. 2016, Gait Posture 44:48)"),
    ErrorSize("hip_centre_mm", 8.0, "hip_centre", "bias", "hip centre by another regression or a functional method",
              "Harrington's regression 12.3 ± 5.9 mm in the same study; functional 13.4 mm (Hicks and Richards 2005, "
              "Gait Posture 22:138); over three axes"),
    ErrorSize("knee_centre_mm", 7.0, "knee_centre", "bias", "knee centre",
              "assumed: the epicondyle is found to about a centimetre, and its skin slides by as much in walking; half of "
              "either reaches the centre (reviews: Della Croce et al. 2005, Leardini et al. 2005, Gait Posture 21:226 and 212)"),
    ErrorSize("ankle_centre_mm", 4.0, "ankle_centre", "bias", "ankle centre",
              "assumed: the malleoli are sharper than the epicondyles, and little tissue lies over them (same reviews)"),
    ErrorSize("thigh_rotation_deg", 5.0, "segment_axes", "bias", "axes of the thigh about its length", _ROTATIONS),
    ErrorSize("shank_rotation_deg", 5.0, "segment_axes", "bias", "axes of the shank about its length", _ROTATIONS),
    ErrorSize("foot_axes_deg", 3.0, "segment_axes", "bias", "axes of the foot", _ROTATIONS),
    ErrorSize("thigh_mass_percent", 17.0, "inertia", "bias", "mass of the thigh", _TABLES),
    ErrorSize("shank_mass_percent", 5.0, "inertia", "bias", "mass of the shank", _TABLES),
    ErrorSize("foot_mass_percent", 13.0, "inertia", "bias", "mass of the foot", _TABLES),
    ErrorSize("thigh_com_percent", 3.0, "inertia", "bias", "centre of mass of the thigh along its length", _TABLES),
    ErrorSize("shank_com_percent", 2.0, "inertia", "bias", "centre of mass of the shank along its length", _TABLES),
    ErrorSize("foot_com_percent", 10.0, "inertia", "bias", "centre of mass of the foot, of twice its distance from the ankle",
              "assumed: the tables measure feet between different points"),
    ErrorSize("tensor_percent", 25.0, "inertia", "bias", "inertia tensor of each segment", _TABLES + ", the thigh's for all"),
    ErrorSize("plate_place_mm", 3.0, "force_plates", "bias", "where the ground's force acts",
              "below 4 mm in four clinical laboratories (Kaufman et al. 2016, doi 10.1016/j.gaitpost.2016.08.017); 2 to 14 mm on "
              "four plates before, about 1 mm after re-calibration (Cappello et al. 2011, Gait Posture 33:724)"),
    ErrorSize("plate_force_percent", 0.5, "force_plates", "bias", "each component of the ground's force, of its size",
              "3.0, 3.6 and 5.0 N under a person's weight after linear re-calibration (Cappello et al. 2011)"),
    ErrorSize("marker_noise_mm", 0.3, "marker_noise", "noise", "white noise of a raw marker path that does not show it",
              "recordings that show it hold 0.1 to 0.5 mm; smoothed ones are taken to have held this before"),
)  # fmt: skip


def error_sizes(changes: Iterable[str] = ()) -> Mapping[str, float]:
    """Return name -> size of every error of `ERROR_SIZES`, some of them changed.

    Parameters
    ----------
    changes : Iterable[str], optional
        "hip_centre_mm = 6", ...

    Raises
    ------
    OptionError
        A name that is none of them, or a size that is no number of at least zero.
    """
    sizes = {row.name: row.value for row in ERROR_SIZES}
    for change in changes:
        name, _, text = (part.strip() for part in change.partition("="))
        if name not in sizes:
            near = difflib.get_close_matches(name, sizes, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise OptionError(
                f"There is no error called {name!r} to give the size of.{hint}",
                value=change, expected=" | ".join(sizes), where="error_sizes",
            )  # fmt: skip
        sizes[name] = _size(name, text)
    return sizes


def _size(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0.0 <= value < float("inf"):
        raise OptionError(
            f"The size of the error {name} is {text!r}; it must be a number of at least 0.",
            value=text, expected="a number of at least 0", where="error_sizes",
        )  # fmt: skip
    return value
