"""Where the poses of the ROTATION group lie in a file.

Layout (c3d.org, "The ROTATION group"): USED poses, RATIO of them for each video frame, from block DATA_START on, always floats.
Each is a 4 x 4 matrix, first column first, that takes a point of the segment to the file's axes, and a reliability, negative where
the pose was not found.
"""

from __future__ import annotations

from math import isfinite

from biomech_id.readers.c3d.parameters import Parameters
from biomech_id.readers.c3d.records import BLOCK_BYTES
from biomech_id.values import dataclass

#: Sixteen of the matrix, and the reliability.
NUMBERS = 17


@dataclass(frozen=True)
class RotationBlock:
    """Where a file's poses lie.

    Attributes
    ----------
    count : int
        Number of segments with poses.
    ratio : int
        Poses of each in a video frame.
    start : int
        Byte of the first one.
    held : int
        Whole video frames of poses that the file has room for.
    """

    count: int
    ratio: int
    start: int
    held: int

    @property
    def frame_bytes(self) -> int:
        """Of the poses of a video frame."""
        return self.count * self.ratio * NUMBERS * 4


def find_rotations(parameters: Parameters, size: int) -> RotationBlock | None:
    """Return where the poses lie.

    Parameters
    ----------
    parameters : Parameters
        Of any file; its ROTATION group is asked.
    size : int
        Bytes of the file.

    Returns
    -------
    RotationBlock | None
        None for a file without poses.
    """
    count, block = parameters.unsigned("ROTATION", "USED"), parameters.unsigned("ROTATION", "DATA_START")
    if not count or not block or block < 2:
        return None
    start = (block - 1) * BLOCK_BYTES
    empty = RotationBlock(count, _ratio(parameters), start, 0)
    return RotationBlock(count, empty.ratio, start, max(0, size - start) // empty.frame_bytes)


def _ratio(parameters: Parameters) -> int:
    """RATIO, or what RATE says; 1 where neither is there."""
    ratio = parameters.unsigned("ROTATION", "RATIO")
    if ratio:
        return ratio
    rate, video = parameters.number("ROTATION", "RATE"), parameters.number("POINT", "RATE")
    return max(1, round(rate / video)) if rate and video and isfinite(rate / video) else 1
