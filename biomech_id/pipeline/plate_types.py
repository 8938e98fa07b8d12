"""What a recipe says of plates whose type no reader knows: ``[plates] plate_types``, a list of tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biomech_id.files.settings import ListOf, Section, Setting, a_whole_number, is_number, mistakes
from biomech_id.readers.c3d.plate_setup import DeclaredPlate


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


def _flaw(value: object) -> str:
    """The first mistake in the list, in words; empty for none."""
    listed = list(value) if isinstance(value, list | tuple) else value
    return next((said for said, *_ in mistakes(ListOf(_TABLE), listed, "recipe", ("plate_types",))), "")


#: What the recipe's ``plate_types`` may say.
PLATE_TYPES = Setting(
    "a list of tables with plate and type",
    lambda value: not _flaw(value),
    "Plates of types that are not known: { plate = 1, type = 4, channels = [...], matrix = [[...], ...], origin = [...] }.",
    said=lambda at: _flaw(at.value),
)


def plate_from(said: Mapping[str, Any]) -> DeclaredPlate:
    """Return what one table of ``plate_types`` declares.

    Parameters
    ----------
    said : Mapping[str, Any]
        Keys plate, type, channels, matrix and origin.

    Raises
    ------
    OptionError
        Another type, or a matrix that does not fit the channels.
    """
    rows = tuple(tuple(map(float, row)) for row in said.get("matrix", ()))
    channels, origin = tuple(said.get("channels", ())), tuple(map(float, said.get("origin", ())))
    return DeclaredPlate(said["plate"], said["type"], channels, rows, origin)
