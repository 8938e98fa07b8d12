"""Segment masses from an OpenSim model, for users whose model is already scaled to the subject.

An OpenSim body belongs to a segment by the usual names (femur, tibia with patella, talus with calcaneus and toes), with the suffix
``_r`` or ``_l``. Fractions are of the model's whole mass; a table then takes them instead of its own
(`InertialTable.with_mass_fractions`).
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from biomech_id.errors import FileRefusedError
from biomech_id.files.inputs import read_input

#: Bodies of one side that make up each segment; the shank may come in two parts.
SEGMENT_BODIES: dict[str, tuple[str, ...]] = {
    "thigh": ("femur",),
    "shank": ("tibia", "fibula", "patella"),
    "foot": ("talus", "calcn", "toes"),
}
_NEEDED = ("femur", "tibia", "calcn")


def osim_mass_fractions(path: str | Path) -> dict[str, float]:
    """Masses of thigh, shank and foot of an OpenSim model.

    Parameters
    ----------
    path : str | Path
        The ``.osim`` file, scaled to the subject.

    Returns
    -------
    dict[str, float]
        Segment -> fraction of the model's whole mass, averaged over the sides that are there.

    Raises
    ------
    FileRefusedError
        Not an OpenSim model, or one without masses or without legs.
    """
    masses = _body_masses(Path(path))
    total = sum(masses.values())
    sides = [side for side in "lr" if all(f"{name}_{side}" in masses for name in _NEEDED)]
    if not sides or total <= 0:
        raise FileRefusedError(
            f"{path} has no leg with a mass: bodies named femur_r, tibia_r and calcn_r (or _l) are expected.",
            value=sorted(masses), expected="bodies femur, tibia and calcn of at least one side", where=str(path),
        )  # fmt: skip
    fractions = {}
    for segment, names in SEGMENT_BODIES.items():
        of_sides = [sum(masses.get(f"{name}_{side}", 0.0) for name in names) for side in sides]
        fractions[segment] = sum(of_sides) / len(sides) / total
    return fractions


def _body_masses(path: Path) -> dict[str, float]:
    """Body name in lower case -> mass, kg."""
    try:
        root = ElementTree.fromstring(read_input(path))
        bodies = {body.get("name", "").lower(): float(body.findtext("mass", "nan")) for body in root.iter("Body")}
    except (OSError, ElementTree.ParseError, ValueError) as reason:
        raise FileRefusedError(
            f"The OpenSim model {path} cannot be read: {reason}.", value=str(path), expected="an .osim file", where=str(path)
        ) from reason
    return {name: mass for name, mass in bodies.items() if mass == mass and name != "ground"}
