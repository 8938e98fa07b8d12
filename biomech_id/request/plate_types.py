"""What a recipe says of plates: types that no reader knows (``plate_types``), and where plates stand (``plate_places``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from biomech_id.conventions import MM_PER_M
from biomech_id.files.settings import ListOf, Section, Setting, a_number, a_whole_number, is_number, mistakes
from biomech_id.languages import Sentence
from biomech_id.readers.c3d.plate_setup import DeclaredPlate
from biomech_id.trial import Trial


def _are_numbers(value: object) -> bool:
    return isinstance(value, list | tuple) and all(map(is_number, value))


def _are_channels(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in value)


_TABLE = Section(
    {
        "plate": a_whole_number(1, explained="Which one, counted from 1."),
        "type": a_whole_number(2, 4, "2: forces and moments; 4: with a calibration matrix."),
        "channels": Setting("a list of channel numbers from 1", _are_channels, "Analog channels; the file's unless given."),
        "matrix": Setting(
            "a list of rows of numbers", lambda v: isinstance(v, list | tuple) and all(map(_are_numbers, v)), "Calibration matrix."
        ),
        "origin": Setting("a list of numbers", _are_numbers, "ORIGIN in the file's unit of length; the file's unless given."),
    },
    required=("plate", "type"),
)


_PLACE = Section(
    {
        "plate": a_whole_number(1, explained="Which one, counted from 1."),
        "x_mm": a_number(-200, 200, explained="How much further along X it stands than the files say."),
        "y_mm": a_number(-200, 200, explained="The same along Y."),
        "turn_deg": a_number(-45, 45, explained="How it is turned against the files, counter-clockwise seen from above."),
    },
    required=("plate",),
)


def _flaw(table: Section, name: str, value: object) -> str:
    """The first mistake in the list, in words; empty for none."""
    listed = list(value) if isinstance(value, list | tuple) else value
    return next((sentence for sentence, *_ in mistakes(ListOf(table), listed, "recipe", (name,))), "")


#: What the recipe's ``plate_types`` may say.
PLATE_TYPES = Setting(
    "a list of tables with plate and type",
    lambda value: not _flaw(_TABLE, "plate_types", value),
    "Plates of types that are not known: { plate = 1, type = 4, channels = [...], matrix = [[...], ...], origin = [...] }.",
    said=lambda at: _flaw(_TABLE, "plate_types", at.value),
)
#: What its ``plate_places`` may say.
PLATE_PLACES = Setting(
    "a list of tables with plate and x_mm, y_mm or turn_deg",
    lambda value: not _flaw(_PLACE, "plate_places", value),
    "Plates that stand elsewhere than the files say: { plate = 1, x_mm = 12.0, y_mm = -3.0, turn_deg = 0.5 }, truth less file.",
    said=lambda at: _flaw(_PLACE, "plate_places", at.value),
)


def with_plates_placed(trial: Trial, places: Sequence[Mapping[str, Any]]) -> Trial:
    """Return a recording with its plates where the recipe says they stand, and say so in its history.

    Parameters
    ----------
    trial : Trial
        The recording, with its plates where the file has them.
    places : Sequence[Mapping[str, Any]]
        Tables of the recipe's ``plate_places``.
    """
    plates, placed = list(trial.plates), []
    for place in places:
        number = place["plate"]
        if number > len(plates) or plates[number - 1].foot:
            continue
        by = {name: float(place.get(name, 0.0)) for name in ("x_mm", "y_mm", "turn_deg")}
        plates[number - 1] = plates[number - 1].moved(
            by["x_mm"] / MM_PER_M, by["y_mm"] / MM_PER_M, float(np.radians(by["turn_deg"]))
        )
        placed.append(Sentence("plate-placed", {"plate": plates[number - 1].name, **by}))
    return replace(trial, plates=tuple(plates), history=(*trial.history, *placed)) if placed else trial


def plate_from(table: Mapping[str, Any]) -> DeclaredPlate:
    """Return what one table of ``plate_types`` declares.

    Parameters
    ----------
    table : Mapping[str, Any]
        Keys plate, type, channels, matrix and origin.

    Raises
    ------
    OptionError
        Another type, or a matrix that does not fit the channels.
    """
    rows = tuple(tuple(map(float, row)) for row in table.get("matrix", ()))
    channels, origin = tuple(table.get("channels", ())), tuple(map(float, table.get("origin", ())))
    return DeclaredPlate(table["plate"], table["type"], channels, rows, origin)
