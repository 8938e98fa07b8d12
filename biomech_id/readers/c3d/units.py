"""Units of a C3D file: which one is meant, and what to do when the file does not say."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.readers.c3d.file import C3DFile
from biomech_id.readers.source import FileFindings
from biomech_id.values import dataclass

#: Metres per unit. Old software cuts words to four characters.
METRES: dict[str, float] = {
    "m": 1.0, "mete": 1.0, "meter": 1.0, "metre": 1.0, "meters": 1.0, "metres": 1.0,
    "cm": 0.01, "cent": 0.01, "centimeter": 0.01, "centimetre": 0.01, "centimeters": 0.01, "centimetres": 0.01,
    "mm": 0.001, "mill": 0.001, "millimeter": 0.001, "millimetre": 0.001, "millimeters": 0.001, "millimetres": 0.001,
    "in": 0.0254, "inch": 0.0254, "inches": 0.0254, "ft": 0.3048, "feet": 0.3048,
}  # fmt: skip
#: Newtons per unit.
NEWTONS: dict[str, float] = {
    **dict.fromkeys(("n", "nt", "newton", "newtons", "newt"), 1.0),
    "kn": 1000.0,
    **dict.fromkeys(("lb", "lbs", "lbf"), 4.4482216),
}
#: What a laboratory's plates and the markers on a person measure, in metres.
PLATE_SIDE_M = (0.15, 3.0)
BODY_EXTENT_M = (0.25, 3.0)


@dataclass(frozen=True)
class LengthUnit:
    """Length unit of points and plates: its name, metres per unit, and whether the file said so.

    Attributes
    ----------
    name : str
        As in the file.
    metres : float
        Metres for one unit.
    stated : bool
        Whether the file said so.
    """

    name: str
    metres: float
    stated: bool


def find_length_unit(file: C3DFile, body_extent: float, plate_sides: FloatArray, findings: FileFindings) -> LengthUnit:
    """Return the file's length unit.

    Parameters
    ----------
    file : C3DFile
        Opened by `open_c3d`; POINT:UNITS is asked.
    body_extent : float
        Typical largest distance between markers of one frame, in file units; NaN when there are no markers.
    plate_sides : FloatArray
        Sides of the plates in file units; may be empty.
    findings : FileFindings
        Takes a unit that was guessed, or sizes that are absurd with it.

    Returns
    -------
    LengthUnit
        As stated, else the one that makes plates or body the right size, else millimetres.
    """
    stated = file.parameters.text("POINT", "UNITS").lower().strip(" .")
    if stated in METRES:
        unit = LengthUnit(stated, METRES[stated], True)
        sizes = {"plate": float(np.median(plate_sides)) if plate_sides.size else np.nan, "markers": body_extent}
        for what, size in sizes.items():
            if not (np.isnan(size) or 0.02 <= size * unit.metres <= 30.0):
                findings.add("units-implausible", unit=unit.name, what=what, size_m=size * unit.metres)
        return unit
    unit = LengthUnit(*_guess(body_extent, plate_sides), False)
    if not file.layout.points and not file.layout.poses and not plate_sides.size:
        return unit  # nothing has a length
    known = {"plate": plate_sides.max() if plate_sides.size else np.nan, "markers": body_extent}
    witness, size = next(((name, size) for name, size in known.items() if np.isfinite(size)), ("nothing", 0.0))
    findings.add("units-guessed", stated=stated, unit=unit.name, witness=witness, size=float(size))
    return unit


def _guess(body_extent: float, plate_sides: FloatArray) -> tuple[str, float]:
    for size, limits in ((np.median(plate_sides) if plate_sides.size else np.nan, PLATE_SIDE_M), (body_extent, BODY_EXTENT_M)):
        fitting = [(name, METRES[name]) for name in ("mm", "cm", "m") if limits[0] <= size * METRES[name] <= limits[1]]
        if fitting:
            return fitting[0]
    # The unit of nearly every C3D file, when nothing in this one tells.
    return "mm", METRES["mm"]


def moment_unit(label: str, length: LengthUnit) -> float | None:
    """Return newton metres for one unit such as Nmm, N.m or ntmm.

    Parameters
    ----------
    label : str
        The unit as the file writes it.
    length : LengthUnit
        The file's length unit.

    Returns
    -------
    float | None
        None when the label does not tell.
    """
    text = label.lower().replace(".", "").replace("*", "").replace(" ", "").replace("-", "")
    for force in sorted(NEWTONS, key=len, reverse=True):
        rest = text.removeprefix(force)
        if rest != text and rest in METRES:
            return NEWTONS[force] * METRES[rest]
    return None


def force_unit(label: str) -> float | None:
    """Return newtons for one unit such as N, nt or Newtons.

    Parameters
    ----------
    label : str
        The unit as the file writes it.

    Returns
    -------
    float | None
        None when the label does not tell (V, ADC).
    """
    return NEWTONS.get(label.lower().strip(" ."))
