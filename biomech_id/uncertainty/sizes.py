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

_FIXED_SIZES: tuple[ErrorSize, ...] = (
    ErrorSize("hip_centre_davis_mm", 7.5, "hip_centre", "bias",
              "hip centre by the conventional model's regression, about its mean error",
              "25.0 ± 6.7 mm from the centre in CT of 67 adults, over three axes (Mantovani et al. 2016, Gait Posture 44:48): "
              "its mean is a shift, and told as one"),
    ErrorSize("hip_centre_mm", 8.0, "hip_centre", "bias", "hip centre by another regression or a functional method",
              "Harrington's regression 12.3 ± 5.9 mm in the same study; functional 13.4 mm (Hicks and Richards 2005, "
              "Gait Posture 22:138); over three axes"),
    ErrorSize("knee_centre_mm", 7.0, "knee_centre", "bias", "knee centre, where nobody knows what a marker does to it",
              "assumed: the epicondyle is found to about a centimetre, and its skin slides by as much in walking; half of "
              "either reaches the centre (reviews: Della Croce et al. 2005, Leardini et al. 2005, Gait Posture 21:226 and 212)"),
    ErrorSize("ankle_centre_mm", 4.0, "ankle_centre", "bias", "ankle centre, likewise",
              "assumed: the malleoli are sharper than the epicondyles, and little tissue lies over them (same reviews)"),
    ErrorSize("thigh_rotation_deg", 5.0, "segment_axes", "bias", "axes of the thigh about its length, likewise", _ROTATIONS),
    ErrorSize("shank_rotation_deg", 5.0, "segment_axes", "bias", "axes of the shank about its length, likewise", _ROTATIONS),
    ErrorSize("foot_axes_deg", 3.0, "segment_axes", "bias", "axes of the foot, likewise", _ROTATIONS),
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


#: A trained examiner's placement, mm, forward, up and to the side on the segment of an upright person; markers of both sides.
_EXAMINER = (
    "gives the spread of 2 to 5 deg between sessions of trained examiners (McGinley et al. 2009, Gait Posture 29:360); palpation "
    "of iliac spines alone was put at 15 to 20 mm (Della Croce et al. 2005, Gait Posture 21:226)"
)
_PLACED = {
    "asis": ("pelvis", "the anterior iliac spine", 3.5, 4.9, 4.9),
    "psis": ("pelvis", "the posterior iliac spine or sacrum", 2.8, 5.6, 4.9),
    "wand": ("segment_axes", "its place on thigh or shank, as wand", 4.2, 0.0, 1.4),
    "epicondyle": ("knee_centre", "the epicondyle", 4.2, 4.2, 1.4),
    "malleolus": ("ankle_centre", "the malleolus", 2.8, 2.8, 1.4),
    "heel": ("segment_axes", "the heel", 2.1, 2.8, 2.8),
    "toe": ("segment_axes", "the forefoot", 2.8, 2.1, 2.8),
}
_TISSUE = {
    "pelvis": ("the pelvis", 2.8), "thigh": ("the thigh", 4.9), "shank": ("the shank", 3.5), "malleolus": ("the malleolus", 2.8),
    "heel": ("the heel", 1.05), "toe": ("the forefoot", 1.4),
}  # fmt: skip
_FLUOROSCOPY = (
    "fluoroscopy of few adults and no children: clusters about 18 mm and 7 to 10 deg at most, single markers 4 to 16 mm (six "
    "adults with knee implants); 3 to 54 mm over activities (Fiorentino et al. 2017, eleven adults); with these sizes bones change "
    "their length about as they do in recordings of four children"
)


def _marker_sizes() -> tuple[ErrorSize, ...]:
    placed = [
        ErrorSize(f"{stem}_{way}_mm", value, source, "bias", f"a marker beside {what}, {way}", _EXAMINER)
        for stem, (source, what, *values) in _PLACED.items()
        for way, value in zip(("forward", "up", "side"), values, strict=True)
    ]
    moving = [
        ErrorSize(f"tissue_{stem}_mm", value, "soft_tissue", "bias", f"skin over {what} that moves in walking", _FLUOROSCOPY)
        for stem, (what, value) in _TISSUE.items()
    ]
    return (*placed, *moving)


#: Every error, how large one standard deviation of it is taken to be, and where that comes from.
ERROR_SIZES: tuple[ErrorSize, ...] = (
    *_FIXED_SIZES,
    *_marker_sizes(),
    ErrorSize("tissue_prior_percent", 30.0, "soft_tissue", "bias", "how far tissue of one person moves more or less than of others",
              "assumed; the lengths of a walk's thighs and shanks know it to 28 %; 0 leaves the sizes as they are"),
    ErrorSize("knee_width_mm", 3.0, "knee_centre", "bias", "the knee's width", "assumed: callipers over soft tissue"),
    ErrorSize("ankle_width_mm", 2.0, "ankle_centre", "bias", "the ankle's width", "assumed: callipers over soft tissue"),
    ErrorSize("plate_yaw_deg", 0.3, "force_plates", "bias", "direction of the plates' axes about the vertical",
              "assumed: corners of a plate of half a metre surveyed to 3 mm"),
    ErrorSize("strike_ms", 8.0, "events", "bias", "time of a foot strike by markers",
              "markers against 20 N on the plates in whole contacts of 11 walks: 8.5 ms"),
    ErrorSize("off_ms", 13.0, "events", "bias", "time of a foot off by markers", "in the same walks 13.4 ms"),
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
