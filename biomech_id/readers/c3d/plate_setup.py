"""What the FORCE_PLATFORM group says about each plate: type, corners, origin, channels, calibration.

C3D user guide, "The FORCE_PLATFORM group". A plate that is described wrongly becomes a sentence, never an exception: the
markers of the trial are worth having without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomech_id.algebra.arrays import FloatArray
from biomech_id.readers.c3d.file import C3DFile
from biomech_id.readers.c3d.plate_types import known_types, plate_type
from biomech_id.sentences import Sentence

LARGEST_COORDINATE = 1e6


@dataclass(frozen=True)
class PlateSetup:
    """One plate as described; lengths in POINT:UNITS, file axes.

    Attributes
    ----------
    number : int
        Counted from 1, in the file's order.
    kind : int
        C3D type (see `plate_types`), 0 when the file gives none.
    corners : FloatArray
        (4, 3); NaN when the file gives none.
    origin : FloatArray
        (3,), ORIGIN as stored.
    channels : tuple[int, ...]
        Numbers of its analog channels, counted from 0.
    matrix : FloatArray | None
        (6, 6) calibration of a plate that has one, or None.
    problem : Sentence | None
        Why it cannot be used; None when it can.
    """

    number: int
    kind: int
    corners: FloatArray
    origin: FloatArray
    channels: tuple[int, ...]
    matrix: FloatArray | None
    problem: Sentence | None

    @property
    def name(self) -> str:
        """As users know it."""
        return f"plate {self.number}"

    @property
    def sides(self) -> FloatArray:
        """Lengths
        (2,) along the plate's X and Y axes, in POINT:UNITS.
        """
        return np.array([np.linalg.norm(self.corners[0] - self.corners[k]) for k in (1, 3)])

    @property
    def moment_problem(self) -> Sentence | None:
        """Why its moments cannot be known though its force can; None when they can."""
        kind = plate_type(self.kind)
        if kind and kind.sensor_distances and not self.origin[:2].all():
            return Sentence("plate-sensors-apart")
        return None


def describe_plates(file: C3DFile) -> tuple[PlateSetup, ...]:
    """Return every plate the file describes, usable or not.

    Parameters
    ----------
    file : C3DFile
        The file.
    """
    used = file.parameters.unsigned("FORCE_PLATFORM", "USED")
    kinds = file.parameters.numbers("FORCE_PLATFORM", "TYPE").ravel()
    count = len(kinds) if used is None else used
    # A damaged count must not ask for thousands of plates that nothing describes.
    count = min(count, max(len(kinds), len(_rows(file, "CORNERS", (4, 3))), len(_rows(file, "CHANNEL", ()))))
    return tuple(_describe(file, index, kinds) for index in range(count))


def _describe(file: C3DFile, index: int, kinds: NDArray[Any]) -> PlateSetup:
    kind = int(kinds[index]) if index < len(kinds) and np.isfinite(kinds[index]) else 0
    corners = _row(file, "CORNERS", (4, 3), index)
    origin = _row(file, "ORIGIN", (3,), index)
    rows = _rows(file, "CHANNEL", ())
    known = plate_type(kind)
    wanted = rows[index].ravel()[: known.n_channels] if known and index < len(rows) else np.zeros(0)
    channels = tuple(int(channel) - 1 for channel in wanted)
    matrices = _rows(file, "CAL_MATRIX", (6, 6))
    # The first index of a stored matrix runs fastest, so the rows that arrive are its columns.
    matrix = matrices[index].T.astype(np.float64) if known and known.matrix and index < len(matrices) else None
    problem = _problem(file, kind, corners, origin, channels, matrix)
    return PlateSetup(index + 1, kind, corners, origin, channels, matrix, problem)


def _problem(
    file: C3DFile, kind: int, corners: FloatArray, origin: FloatArray, channels: tuple[int, ...], matrix: FloatArray | None
) -> Sentence | None:
    n_channels = file.layout.channels
    known = plate_type(kind)
    if known is None:
        return Sentence("plate-type-unknown", {"type": kind, "known": known_types()})
    if not np.isfinite(corners).all() or np.abs(corners).max() > LARGEST_COORDINATE:
        return Sentence("plate-corners-missing")
    if not _spans_an_area(corners):
        return Sentence("plate-without-area")
    if len(channels) < known.n_channels:
        return Sentence("plate-channels-few", {"channels": len(channels), "type": kind, "needed": known.n_channels})
    outside = [channel + 1 for channel in channels if not 0 <= channel < n_channels]
    if outside:
        return Sentence("plate-channel-absent", {"channel": outside[0], "channels": n_channels})
    if len(set(channels)) < len(channels):
        return Sentence("plate-channel-twice")
    if known.origin and (not np.isfinite(origin).all() or np.abs(origin).max() > LARGEST_COORDINATE):
        return Sentence("plate-origin-missing")
    if known.matrix and (matrix is None or not np.isfinite(matrix).all() or not matrix.any()):
        return Sentence("plate-matrix-missing")
    return None


def _spans_an_area(corners: FloatArray) -> bool:
    """Whether the corners form a convex quadrilateral with a usable area (relative to its sides)."""
    sides = np.roll(corners, -1, axis=0) - corners
    turns = np.cross(sides, np.roll(sides, -1, axis=0))
    longest = np.linalg.norm(sides, axis=1).max()
    along = turns @ turns[0]
    return bool(longest > 0 and np.linalg.norm(turns, axis=1).min() > 1e-3 * longest**2 and (along > 0).all())


def _rows(file: C3DFile, name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """One row per plate; rows of another shape than asked for are no rows."""
    values = file.parameters.numbers("FORCE_PLATFORM", name)
    if shape:
        size = int(np.prod(shape))
        return values.reshape(-1, *shape) if values.size and values.size % size == 0 else np.zeros((0, *shape))
    return values if values.ndim == 2 else values.reshape(1, -1) if values.size else np.zeros((0, 0))


def _row(file: C3DFile, name: str, shape: tuple[int, ...], index: int) -> FloatArray:
    rows = _rows(file, name, shape)
    return rows[index].astype(np.float64) if index < len(rows) else np.full(shape, np.nan)
