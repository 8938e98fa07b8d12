"""Analog channels of a file as values: none is left out, whatever it measures, and those of a force plate say so."""

from __future__ import annotations

from collections.abc import Iterable

from biomech_id.readers.c3d.file import C3DFile
from biomech_id.readers.c3d.labels import numbered
from biomech_id.readers.c3d.plate_setup import PlateSetup
from biomech_id.trial import AnalogChannels, PlateChannel


def read_channels(file: C3DFile, setups: Iterable[PlateSetup]) -> AnalogChannels:
    """Return every analog channel of a file.

    A channel without a label is called by its number, a label's second channel LABEL_2. ``values`` follow the C3D user guide,
    "The ANALOG group": (stored - OFFSET) * SCALE * GEN_SCALE.

    Parameters
    ----------
    file : C3DFile
        The opened file.
    setups : Iterable[PlateSetup]
        Its force plates as described, usable or not.
    """
    n = file.layout.channels if file.layout.samples else 0
    if not n:
        return AnalogChannels()
    labels = [*file.joined_strings("ANALOG", "LABELS"), *[""] * n][:n]
    names, _ = numbered(label or f"channel {number}" for number, label in enumerate(labels, start=1))
    told = (*file.joined_strings("ANALOG", "DESCRIPTIONS"), *[""] * n)[:n]
    units = (*file.joined_strings("ANALOG", "UNITS"), *[""] * n)[:n]
    of_plates: dict[int, PlateChannel] = {}
    for setup in setups:
        for number, channel in enumerate(setup.channels, start=1):
            of_plates.setdefault(channel, PlateChannel(setup.name, number))
    plates = tuple(of_plates.get(channel) for channel in range(n))
    scale, offset = file.calibration
    return AnalogChannels(tuple(names), units, file.layout.analog_rate_hz, file.all_analog_words, scale, offset, plates, told)
