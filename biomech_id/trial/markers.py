"""Marker trajectories in the laboratory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, readonly, readonly_mask
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.errors import InvalidValueError, MissingInputError

#: Beyond this a position is not a gait laboratory: either millimetres taken for metres, or garbage.
LARGEST_POSITION_M = 100.0


@compact_repr
@dataclass(frozen=True, eq=False)
class Markers:
    """Marker positions over time.

    Attributes
    ----------
    names : marker labels without the subject's prefix, unique.
    position_m : (n_frames, n_markers, 3), metres, laboratory axes. Missing is NaN in all three components.
    rate_hz : video frames per second.
    filled : (n_frames, n_markers), True where the position was interpolated and not measured.

    Raises
    ------
    InvalidValueError : duplicate names, a rate that is not positive, infinite values, or positions beyond 100 m
        (most often millimetres passed as metres).
    ShapeError : arrays that do not fit the names.
    """

    names: tuple[str, ...]
    position_m: FloatArray
    rate_hz: float
    filled: BoolArray | None = None
    _index: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = tuple(self.names)
        object.__setattr__(self, "names", names)
        position = readonly(self.position_m, (None, len(names), 3), name="position_m", where="Markers")
        object.__setattr__(self, "position_m", position)
        filled = np.zeros(position.shape[:2], dtype=bool) if self.filled is None else self.filled
        object.__setattr__(self, "filled", readonly_mask(filled, position.shape[:2], name="filled", where="Markers"))
        object.__setattr__(self, "_index", {name: i for i, name in enumerate(names)})
        self._validate()

    def _validate(self) -> None:
        if len(set(self.names)) != len(self.names):
            twice = sorted({n for n in self.names if self.names.count(n) > 1})
            raise InvalidValueError(
                f"Marker names occur more than once: {', '.join(twice)}.",
                value=twice, expected="unique marker names", where="Markers",
            )  # fmt: skip
        if not (np.isfinite(self.rate_hz) and self.rate_hz > 0):
            raise InvalidValueError(
                f"The marker rate is {self.rate_hz} Hz.",
                value=self.rate_hz, expected="a positive, finite rate in Hz", where="Markers",
            )  # fmt: skip
        with np.errstate(invalid="ignore"):
            too_far = np.abs(self.position_m) > LARGEST_POSITION_M
        if too_far.any():
            frame, marker, _ = np.argwhere(too_far)[0]
            value = self.position_m[frame, marker]
            raise InvalidValueError(
                f"Marker {self.names[marker]} is at {value} m in frame {frame}: these look like millimetres, or garbage.",
                value=value.tolist(), expected=f"positions in metres, below {LARGEST_POSITION_M:g} m", where=self.names[marker],
            )  # fmt: skip

    @property
    def n_frames(self) -> int:
        """Number of video frames."""
        return int(self.position_m.shape[0])

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __getitem__(self, name: str) -> FloatArray:
        """Return the path of one marker, (n_frames, 3), metres, laboratory axes.

        Raises
        ------
        MissingInputError : if there is no such marker.
        """
        try:
            return self.position_m[:, self._index[name], :]
        except KeyError:
            raise MissingInputError(
                f"There is no marker named {name}.", value=name, expected=f"one of {', '.join(self.names)}", where=name
            ) from None

    def present(self, name: str) -> bool:
        """Whether the marker exists and is seen in at least one frame."""
        return name in self and bool(np.isfinite(self[name]).all(axis=1).any())

    def with_positions(self, position_m: FloatArray, *, filled: BoolArray | None = None) -> Markers:
        """Return the same markers at other positions (filtered, filled); ``filled`` defaults to the present mask."""
        return replace(self, position_m=position_m, filled=self.filled if filled is None else filled)
