"""Poses of segments as another program measured them, without markers: a markerless system writes nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, all_finite, keep_array
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.rotation import nearest_rotations
from biomech_id.arguments import a_quantity, a_str, each, holds
from biomech_id.errors import InvalidValueError, MissingInputError
from biomech_id.trial.markers import LARGEST_POSITION_M, RATE_HZ, check_unique
from biomech_id.values import dataclass, field, replace

#: Such files hold 32-bit floats.
FLOAT32_TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class SegmentShare:
    """What a recording says of the mass of one segment.

    Attributes
    ----------
    mass_share : float
        Share of body mass, 0 to 1.
    com_m : FloatArray
        (3,), centre of mass in the axes of the segment's pose, from its origin, metres.
    tensor_m2 : FloatArray
        (3, 3), inertia about the centre of mass for each kg of the segment, the same axes, m2.

    Raises
    ------
    InvalidValueError
        A share that is none of a body's.
    """

    mass_share: float
    com_m: FloatArray
    tensor_m2: FloatArray

    def __post_init__(self) -> None:
        keep_array(self, "com_m", (3,))
        keep_array(self, "tensor_m2", (3, 3))
        if not 0.0 < self.mass_share < 1.0:
            raise InvalidValueError(
                f"A segment of {self.mass_share:g} times the body mass is no body's.",
                value=self.mass_share, expected="a share of body mass between 0 and 1", where="SegmentShare",
            )  # fmt: skip


@holds(names=each(a_str()), rate_hz=a_quantity(0.0, 1e6, "Hz"))
@compact_repr
@dataclass(frozen=True, eq=False)
class Rotations:
    """Poses of named segments over time, in laboratory axes.

    Attributes
    ----------
    names : tuple[str, ...], optional
        One for each segment, unique.
    R_lab_seg : FloatArray
        (n, n_segments, 3, 3), segment components to laboratory components; NaN where the pose is missing.
    origin_lab_m : FloatArray
        (n, n_segments, 3), origins of the segments, metres; NaN where the pose is missing.
    rate_hz : float
        Poses per second, of all segments.
    shares : Mapping[str, Mapping[str, SegmentShare]], optional
        Name of a segment -> sex ("female", "male", "" for either) -> what the recording says of its mass.
    points_m : Mapping[tuple[str, str], FloatArray], optional
        (name of a segment, "heel" or "toe") -> (3,) place in the axes of its pose, from its origin, metres.
    cutoff_hz : float, optional
        Of the low-pass filter that the system says it has applied to them; 0 where it says none.

    Raises
    ------
    InvalidValueError
        Names that occur twice, a rate that is not positive, or axes that are no right-handed triad.
    ShapeError
        Arrays that do not fit the names.

    Examples
    --------
    >>> import numpy as np
    >>> upright = Rotations(("pelvis",), np.eye(3)[None, None], np.array([[[0.0, 0.0, 0.9]]]), 100.0)
    >>> upright.of("pelvis")[1]
    array([[0. , 0. , 0.9]])
    """

    names: tuple[str, ...] = ()
    R_lab_seg: FloatArray = field(default_factory=lambda: np.zeros((0, 0, 3, 3)))
    origin_lab_m: FloatArray = field(default_factory=lambda: np.zeros((0, 0, 3)))
    rate_hz: float = 0.0
    shares: Mapping[str, Mapping[str, SegmentShare]] = field(default_factory=dict)
    points_m: Mapping[tuple[str, str], FloatArray] = field(default_factory=dict)
    cutoff_hz: float = 0.0

    def __post_init__(self) -> None:
        n = len(self.names)
        rotation = keep_array(self, "R_lab_seg", (None, n, 3, 3))
        origin = keep_array(self, "origin_lab_m", (len(rotation), n, 3))
        check_unique(self.names, "Segments of one name", "unique names", "Rotations")
        if n:
            RATE_HZ.check(self.rate_hz, "rate_hz", "Rotations")
        furthest_m = float(np.nanmax(np.abs(origin), initial=0.0))
        if furthest_m > LARGEST_POSITION_M:
            raise InvalidValueError(
                f"The origin_lab_m of a segment is {furthest_m:.6g} m from the laboratory's origin: these look like millimetres.",
                value=furthest_m, expected=f"positions in metres, below {LARGEST_POSITION_M:g} m", where="Rotations",
            )  # fmt: skip
        wrong = all_finite(rotation, (2, 3)) & ~are_rotations(rotation)
        if wrong.any():
            frame, segment = np.argwhere(wrong)[0]
            raise InvalidValueError(
                f"The axes of {self.names[segment]} in frame {frame} are not a right-handed orthonormal triad.",
                value=rotation[frame, segment].tolist(), expected="R'R = 1 within 1e-3 and det R = +1", where=self.names[segment],
            )  # fmt: skip

    def __len__(self) -> int:
        return len(self.R_lab_seg)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def smoothed(self, lowpass: Callable[[FloatArray], FloatArray]) -> Rotations:
        """Filter every number of the poses and make the axes rotations again, the nearest ones.

        Parameters
        ----------
        lowpass : Callable[[FloatArray], FloatArray]
            Filters (n, k, 3), NaN where a pose is missing.

        Returns
        -------
        Rotations
            Missing where they are; with the same segments and rate.
        """
        n, k = self.R_lab_seg.shape[:2]
        turned = nearest_rotations(lowpass(self.R_lab_seg.reshape(n, 3 * k, 3)).reshape(n, k, 3, 3))
        return replace(self, R_lab_seg=turned, origin_lab_m=lowpass(self.origin_lab_m))

    def of(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Pose of one segment.

        Parameters
        ----------
        name : str
            One of ``names``, exactly.

        Returns
        -------
        R_lab_seg : FloatArray
            (n, 3, 3), segment components to laboratory components; NaN where the pose is missing.
        origin_lab_m : FloatArray
            (n, 3), metres, laboratory axes.

        Raises
        ------
        MissingInputError
            There is no such segment.
        """
        if name not in self.names:
            raise MissingInputError(
                f"There is no segment {name}.", value=name, expected=f"one of {', '.join(self.names)}", where="Rotations"
            )
        index = self.names.index(name)
        return self.R_lab_seg[:, index], self.origin_lab_m[:, index]


def are_rotations(matrices: FloatArray) -> BoolArray:
    """Which of some matrices are rotations, to the accuracy of 32-bit floats.

    Parameters
    ----------
    matrices : FloatArray
        (..., 3, 3); NaN is none.

    Returns
    -------
    BoolArray
        (...,), False for a matrix with a NaN.
    """
    with np.errstate(invalid="ignore"):
        gram = np.einsum("...ji,...jk->...ik", matrices, matrices) - np.eye(3)
        return np.asarray((np.abs(gram).max(axis=(-2, -1)) < FLOAT32_TOLERANCE) & (np.linalg.det(matrices) > 0))
