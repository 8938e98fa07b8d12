"""A C3D file opened: header, parameters, layout, and its numbers in the file's own units."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain, count, takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.errors import Finding
from biomech_id.readers.c3d.header import BLOCK_BYTES, Header, parse_header
from biomech_id.readers.c3d.layout import Layout, find_layout
from biomech_id.readers.c3d.parameters import Parameters, walk_parameters
from biomech_id.readers.source import FileFindings, Source
from biomech_id.values import dataclass


@dataclass(frozen=True, eq=False)
class C3DFile:
    """One file, its structure understood and its data not yet interpreted.

    Attributes
    ----------
    source : Source
        The file's bytes, with path and hash.
    header : Header
        What the first block says, unchecked.
    parameters : Parameters
        What the parameter section says, unchecked.
    layout : Layout
        Where its numbers lie, after header, parameters and bytes were reconciled.
    findings : tuple[Finding, ...]
        What was noticed on the way.
    """

    source: Source
    header: Header
    parameters: Parameters
    layout: Layout
    findings: tuple[Finding, ...]

    @cached_property
    def _words(self) -> NDArray[Any]:
        """Every number of the data section, (n_frames, words per frame), as stored."""
        layout, processor = self.layout, self.parameters.processor
        n_words = layout.n_frames * layout.words_per_frame
        read = processor.floats if layout.is_float else processor.integers
        return read(self.source.data, offset=layout.start, count=n_words).reshape(layout.n_frames, layout.words_per_frame)

    def points(self) -> tuple[FloatArray, BoolArray]:
        """Return positions and which of them are marked as measured.

        Returns
        -------
        positions : FloatArray
            (n_frames, points, 3), in POINT:UNITS, file axes, unmeasured ones as stored.
        measured : BoolArray
            (n_frames, points), False where the residual is negative.
        """
        layout = self.layout
        stored = self._words[:, : 4 * layout.points].reshape(layout.n_frames, layout.points, 4)
        positions = stored[..., :3].astype(np.float64)
        if not layout.is_float:
            positions *= layout.scale
        with np.errstate(invalid="ignore"):
            measured = ~(stored[..., 3] < 0)
        return positions, measured

    def _joined(self, read: Callable[[str, str], Sequence[Any] | NDArray[Any]], group: str, name: str) -> Iterator[Any]:
        yield read(group, name)
        yield from takewhile(len, (read(group, f"{name}{number}") for number in count(2)))

    def joined_strings(self, group: str, name: str) -> tuple[str, ...]:
        """Return the strings of NAME, NAME2, NAME3...

        A parameter holds at most 255 rows; longer lists go on in the next one.

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter: "LABELS".

        Returns
        -------
        tuple[str, ...]
            Blanks at the ends removed; empty when the parameter is absent or not text.
        """
        return tuple(chain.from_iterable(self._joined(self.parameters.strings, group, name)))

    def joined_numbers(self, group: str, name: str) -> FloatArray:
        """Return the numbers of NAME, NAME2, NAME3...

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter: "LABELS".

        Returns
        -------
        FloatArray
            (n,), first dimension fastest; empty when the parameter is absent or text.
        """
        return np.concatenate([part.ravel() for part in self._joined(self.parameters.numbers, group, name)]).astype(np.float64)

    @cached_property
    def calibration(self) -> tuple[FloatArray, FloatArray]:
        """Factor and offset of every analog channel; NaN where the file gives none."""
        n = self.layout.channels
        general = self.parameters.number("ANALOG", "GEN_SCALE")
        factor, offset = np.full(n, np.nan), np.full(n, np.nan)
        scales, offsets = self.joined_numbers("ANALOG", "SCALE")[:n], self.joined_numbers("ANALOG", "OFFSET")[:n]
        factor[: len(scales)] = scales * (1.0 if general is None else general)
        if self.unsigned:
            # An unsigned word stored in a signed parameter: 32768 appears as -32768.
            offsets = np.where(offsets < 0, offsets + 65536.0, offsets)
        offset[: len(offsets)] = offsets
        return factor, offset

    @property
    def unsigned(self) -> bool:
        """Whether analog integers and their offsets are unsigned."""
        return self.parameters.text("ANALOG", "FORMAT").upper() == "UNSIGNED"

    def analog(self, channels: Sequence[int]) -> FloatArray:
        """Return some analog channels in their physical units.

        Parameters
        ----------
        channels : Sequence[int]
            Numbers counted from 0; each must exist (see ``layout.channels``).

        Returns
        -------
        FloatArray
            (n_frames * samples, len(channels)); (stored - OFFSET) * SCALE * GEN_SCALE, NaN for a channel without calibration.
        """
        factor, offset = (values[list(channels)] for values in self.calibration)
        return np.ascontiguousarray((self.analog_words(channels).astype(np.float64) - offset) * factor)

    def analog_words(self, channels: Sequence[int]) -> NDArray[Any]:
        """Return some analog channels as stored.

        Parameters
        ----------
        channels : Sequence[int]
            Numbers counted from 0; each must exist (see ``layout.channels``).

        Returns
        -------
        NDArray[Any]
            (n_frames * samples, len(channels)), integers or floats, without calibration.
        """
        return self.all_analog_words[:, list(channels)]

    @cached_property
    def all_analog_words(self) -> NDArray[Any]:
        """Every analog channel as stored, (n_frames * samples, channels), read-only."""
        layout = self.layout
        stored = self._words[:, 4 * layout.points :].reshape(layout.n_frames * layout.samples, layout.channels)
        stored = stored.view(np.uint16) if self.unsigned and not layout.is_float else stored
        stored.flags.writeable = False
        return stored


def open_c3d(source: Source) -> C3DFile:
    """Return a file with its structure understood.

    Parameters
    ----------
    source : Source
        The file's bytes and where they come from.

    Returns
    -------
    C3DFile
        Header, parameters and layout reconciled, with what was noticed; no number is interpreted yet.

    Raises
    ------
    FileRefusedError
        See `walk_parameters` and `find_layout`.
    """
    data, findings = source.data, FileFindings(source.name)
    parameters = walk_parameters(data, (data[0] - 1) * BLOCK_BYTES, where=source.name)
    header = parse_header(data, parameters.processor)
    if parameters.damage:
        findings.add("parameters-damaged", damage=parameters.damage, skipped=parameters.skipped)
    if parameters.strays:
        first, *more = parameters.strays
        findings.add("parameters-stray", first=first, more=len(more))
    layout = find_layout(header, parameters, data, findings)
    return C3DFile(source, header, parameters, layout, tuple(findings))
