"""What the FORCE_PLATFORM group says about each plate: type, corners, origin, channels, calibration.

C3D user guide, "The FORCE_PLATFORM group". A plate that is described wrongly becomes a sentence, never an exception: the
markers of the trial are worth having without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import OptionError
from biomech_id.languages import Sentence
from biomech_id.readers.c3d.plate_types import known_types, plate_type
from biomech_id.trial.plates import PlateSign
from biomech_id.values import dataclass

if TYPE_CHECKING:  # what has a file read does not load what reads it
    from biomech_id.readers.c3d.file import C3DFile

LARGEST_COORDINATE = 1e6
#: Types that a plate of another type may be declared as.
DECLARABLE = (2, 4)


@dataclass(frozen=True)
class DeclaredPlate:
    """What a laboratory says of a plate that its files describe in a type nobody knows.

    Attributes
    ----------
    number : int
        Counted from 1, in the file's order.
    kind : int
        2: its channels are three forces and three moments; 4: they become these by a calibration matrix.
    channels : tuple[int, ...], optional
        Numbers of its analog channels, counted from 1; empty takes the file's.
    matrix : tuple[tuple[float, ...], ...], optional
        Six rows (Fx Fy Fz Mx My Mz) of one number for each channel; empty takes the file's CAL_MATRIX.
    origin : tuple[float, ...], optional
        ORIGIN of type 2 in the file's unit of length; empty takes the file's.

    Raises
    ------
    OptionError
        Another type, or a matrix that does not fit the channels.
    """

    number: int
    kind: int
    channels: tuple[int, ...] = ()
    matrix: tuple[tuple[float, ...], ...] = ()
    origin: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        problem = next(self._problems(), "")
        if problem:
            raise OptionError(
                f"Plate {self.number} cannot be declared like that: {problem}.",
                value=problem, where="plate_types",
                expected="type 2 with six channels, or type 4 with six rows of a number for each",
            )  # fmt: skip

    def _problems(self) -> Iterator[str]:
        n_channels, widths = len(self.channels), {len(row) for row in self.matrix}
        if self.kind not in DECLARABLE:
            yield f"type {self.kind} is none of {' and '.join(map(str, DECLARABLE))}"
        if self.kind == 2 and (self.matrix or n_channels not in (0, 6)):
            yield f"a type 2 has six channels, not {n_channels}, and no matrix"
        if self.matrix and (len(self.matrix) != 6 or len(widths) != 1 or (n_channels and widths != {n_channels})):
            yield f"its matrix has {len(self.matrix)} rows of {sorted(widths)} numbers for {n_channels or 'all'} channels"
        if len(self.origin) not in (0, 3):
            yield f"its origin has {len(self.origin)} numbers"
        if self.number < 1:
            yield f"plates count from 1, not from {self.number}"


@dataclass(frozen=True)
class PlateFacts:
    """What a file says about one plate, before anything is done to it (``biomech-id check`` prints it).

    ``peak_vertical_N`` and ``lowest_vertical_N`` are the extremes of the stored vertical force, up positive, baseline not
    removed; NaN when no force can be read. ``baseline_N`` is the vertical force of the unloaded plate, NaN when it cannot be
    known. ``problem`` says why the plate cannot be used, None when it can.

    Attributes
    ----------
    kind : int
        Type of the plate.
    peak_vertical_N, lowest_vertical_N : float
        Up positive, baseline not removed.
    sign : PlateSign
        What the stored signals are.
    baseline_N : float
        Vertical force of the unloaded plate.
    corners_m : FloatArray
        (4, 3), laboratory axes.
    problem : Sentence | None
        Why the plate cannot be used; None if it can.
    """

    kind: int
    peak_vertical_N: float
    lowest_vertical_N: float
    sign: PlateSign
    baseline_N: float
    corners_m: FloatArray
    problem: Sentence | None


@dataclass(frozen=True)
class PlateSetup:
    """One plate as described; lengths in POINT:UNITS, file axes.

    Attributes
    ----------
    number : int
        Counted from 1, in the file's order.
    kind : int
        C3D type (see `readers.c3d.plate_types`), 0 when the file gives none.
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


def describe_plates(file: C3DFile, declared: Sequence[DeclaredPlate] = ()) -> tuple[PlateSetup, ...]:
    """Return every plate the file describes, usable or not.

    Parameters
    ----------
    file : C3DFile
        Opened by `open_c3d`; its FORCE_PLATFORM group is asked.
    declared : Sequence[DeclaredPlate], optional
        What a laboratory declares its plates of unknown types to be; a plate of a type that is known is the file's.

    Returns
    -------
    tuple[PlateSetup, ...]
        In the file's order, one for each plate counted, usable or not; empty without plates.
    """
    used = file.parameters.unsigned("FORCE_PLATFORM", "USED")
    kinds = file.parameters.numbers("FORCE_PLATFORM", "TYPE").ravel()
    count = len(kinds) if used is None else used
    # A damaged count must not ask for thousands of plates that nothing describes.
    count = min(count, max(len(kinds), len(_rows(file, "CORNERS", (4, 3))), len(_rows(file, "CHANNEL", ()))))
    by_number = {each.number: each for each in declared}
    return tuple(_describe(file, index, kinds, by_number.get(index + 1)) for index in range(count))


def _describe(file: C3DFile, index: int, kinds: NDArray[Any], declared: DeclaredPlate | None) -> PlateSetup:
    kind = int(kinds[index]) if index < len(kinds) and np.isfinite(kinds[index]) else 0
    known = plate_type(kind)
    corners = _row(file, "CORNERS", (4, 3), index)
    origin = _row(file, "ORIGIN", (3,), index)
    rows, matrices = _rows(file, "CHANNEL", ()), _rows(file, "CAL_MATRIX", (6, 6))
    stored = rows[index].ravel() if index < len(rows) else np.zeros(0)
    # The first index of a stored matrix runs fastest, so the rows that arrive are its columns.
    matrix = matrices[index].T.astype(np.float64) if index < len(matrices) else None
    if known is not None:
        channels = tuple(int(channel) - 1 for channel in stored[: known.n_channels])
        matrix = matrix if known.matrix else None
        problem = _problem(file, kind, corners, origin, channels, matrix)
        return PlateSetup(index + 1, kind, corners, origin, channels, matrix, problem)
    # Rows of shorter plates are filled up with zeros.
    own = [int(channel) for channel in stored if channel > 0]
    if declared is None:
        problem = Sentence("plate-type-unknown", {"type": kind, "known": known_types(), "channels": len(own)})
        return PlateSetup(index + 1, kind, corners, origin, (), None, problem)
    origin = np.array(declared.origin) if declared.origin else origin
    wide = len(declared.matrix[0]) if declared.matrix else 6
    channels = tuple(channel - 1 for channel in declared.channels or own[:wide])
    matrix = np.array(declared.matrix) if declared.matrix else matrix
    matrix = matrix if declared.kind == 4 else None
    problem = _problem(file, declared.kind, corners, origin, channels, matrix)
    if problem is None and len(channels) < wide:
        problem = Sentence("plate-channels-few", {"channels": len(channels), "type": declared.kind, "needed": wide})
    return PlateSetup(index + 1, declared.kind, corners, origin, channels, matrix, problem)


def _problem(
    file: C3DFile, kind: int, corners: FloatArray, origin: FloatArray, channels: tuple[int, ...], matrix: FloatArray | None
) -> Sentence | None:
    n_channels = file.layout.channels
    known = plate_type(kind)
    assert known is not None
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
