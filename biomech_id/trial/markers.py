"""Marker trajectories in the laboratory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, all_finite, keep_array, readonly_mask
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.anatomy import part_words
from biomech_id.arguments import a, a_quantity, a_str, each, holds
from biomech_id.errors import InvalidValueError, MissingInputError, near_miss
from biomech_id.values import dataclass, field, replace

#: Beyond this a position is not a gait laboratory: either millimetres taken for metres, or garbage.
LARGEST_POSITION_M = 100.0
#: Frames or samples per second; an interval in seconds or a rate in kHz lies below.
RATE_HZ = a_quantity(1.0, 1e6, "Hz")


def check_unique(names: Sequence[str], problem: str, expected: str, where: str) -> None:
    """Refuse names that occur more than once.

    Parameters
    ----------
    names : Sequence[str]
        Names of markers, channels or segments.
    problem : str
        How the sentence begins that lists them.
    expected : str
        What would be accepted, for the error.
    where : str
        The value they belong to, for the error.

    Raises
    ------
    InvalidValueError
        Some do.
    """
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise InvalidValueError(f"{problem}: {', '.join(twice)}.", value=twice, expected=expected, where=where)


@holds(names=each(a_str()), rate_hz=RATE_HZ, roles=a(Mapping))
@compact_repr
@dataclass(frozen=True, eq=False)
class Markers:
    """Marker positions over time.

    Attributes
    ----------
    names : tuple[str, ...]
        Marker labels without the subject's prefix, unique.
    position_m : FloatArray
        (n_frames, n_markers, 3), metres, laboratory axes. Missing is NaN in all three components.
    rate_hz : float
        Video frames per second.
    filled : BoolArray | None, optional
        (n_frames, n_markers), True where the position was interpolated and not measured.
    roles : Mapping[tuple[str, str], str], optional
        ("L" | "R" | "", role) -> name of the marker that has it, "heel" or "asis", whether it is there or not; a marker set gives
        them (`MarkerSet.roles`). Empty where no marker set was named.
    first_time_s : float, optional
        Time of the first frame on the recording's clock; a `Trial` says it.

    Raises
    ------
    InvalidValueError
        Duplicate names, a rate below 1 Hz, infinite values, or positions beyond 100 m (most often millimetres passed as
        metres).
    ShapeError
        Arrays that do not fit the names.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.trial.markers import Markers
    >>> markers = Markers(("LHEE", "LTOE"), np.array([[[0.0, 0.1, 0.05], [0.2, 0.1, np.nan]]]), 100.0)
    >>> markers.n_frames, markers.present("LTOE")
    (1, False)
    """

    names: tuple[str, ...]
    position_m: FloatArray
    rate_hz: float
    filled: BoolArray | None = None
    roles: Mapping[tuple[str, str], str] = field(default_factory=dict)
    first_time_s: float = 0.0
    _index: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = tuple(self.names)
        object.__setattr__(self, "names", names)
        position = keep_array(self, "position_m", (None, len(names), 3))
        filled = np.zeros(position.shape[:2], dtype=bool) if self.filled is None else self.filled
        object.__setattr__(self, "filled", readonly_mask(filled, position.shape[:2], name="filled", where="Markers"))
        object.__setattr__(self, "_index", {name: i for i, name in enumerate(names)})
        self._validate()

    def _validate(self) -> None:
        check_unique(self.names, "Marker names occur more than once", "unique marker names", "Markers")
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

    @property
    def time_s(self) -> FloatArray:
        """Time of each frame, (n_frames,), seconds, on the recording's clock (``first_time_s``)."""
        return self.first_time_s + np.arange(self.n_frames, dtype=np.float64) / self.rate_hz

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __getitem__(self, name: str) -> FloatArray:
        """Return the path of one marker, (n_frames, 3), metres, laboratory axes.

        Raises
        ------
        MissingInputError
            If there is no such marker.
        """
        try:
            return self.position_m[:, self._index[name], :]
        except KeyError:
            near = near_miss(name, self.names)
            raise MissingInputError(
                f"There is no marker named {name}.{near}",
                value=name,
                expected=f"one of {', '.join(self.names)}",
                where=name,
            ) from None

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.names)

    def present(self, name: str) -> bool:
        """Whether the marker exists and is seen in at least one frame.

        Parameters
        ----------
        name : str
            Label of a marker, known or not.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.trial.markers import Markers
        >>> markers = Markers(("LHEE", "LTOE"), np.array([[[0.0, 0.1, 0.05], [np.nan, np.nan, np.nan]]]), 100.0)
        >>> markers.present("LHEE"), markers.present("LTOE"), markers.present("RTOE")
        (True, False, False)
        """
        return name in self._seen

    @cached_property
    def _seen(self) -> frozenset[str]:
        seen = np.flatnonzero(all_finite(self.position_m).any(axis=0))
        return frozenset(self.names[i] for i in seen)

    def label(self, side: str, role: str) -> str:
        """Name of the marker with a role.

        Parameters
        ----------
        side : str
            "L", "R" or "" for what is in the middle.
        role : str
            What the marker shows, "heel" or "asis": see the marker set.

        Returns
        -------
        str
            Its label; where the marker set names none the role in words, "left heel".
        """
        return self.roles.get((side, role)) or part_words((side, role.replace("_", " ")))

    def shows(self, side: str, role: str) -> bool:
        """Whether the marker with a role exists and is seen in at least one frame.

        Parameters
        ----------
        side : str
            "L", "R" or "" for what is in the middle.
        role : str
            What the marker shows, "heel" or "asis": see the marker set.
        """
        return self.present(self.roles.get((side, role), ""))

    def on(self, side: str, role: str) -> FloatArray:
        """Path of the marker with a role.

        Parameters
        ----------
        side : str
            "L", "R", or "" for what has no side.
        role : str
            What the marker lies on, one of ``markersets.ROLES``.

        Returns
        -------
        FloatArray
            (n_frames, 3), metres, laboratory axes; NaN where it is not seen.

        Raises
        ------
        MissingInputError
            If no marker has the role, or the one that has is not there.
        """
        return self[self.label(side, role)]

    def with_roles(self, roles: Mapping[tuple[str, str], str], names: Sequence[str | None] | None = None) -> Markers:
        """Give the markers other roles, and other names where they are given.

        Parameters
        ----------
        roles : Mapping[tuple[str, str], str]
            (side, role) -> name of the marker that has it.
        names : Sequence[str | None] | None, optional
            A name for each marker; a marker named None is left out. None keeps all names.

        Returns
        -------
        Markers
            The same one where nothing changes.
        """
        if names is None or tuple(names) == self.names:
            return self if roles == self.roles else replace(self, roles=roles)
        kept = {i: name for i, name in enumerate(names) if name is not None}
        columns = list(kept)
        filled = None if self.filled is None else self.filled[:, columns]
        return Markers(tuple(kept.values()), self.position_m[:, columns], self.rate_hz, filled, roles)

    def with_positions(self, position_m: FloatArray, *, filled: BoolArray | None = None) -> Markers:
        """Put the same markers at other positions (filtered, filled).

        Parameters
        ----------
        position_m : FloatArray
            (n_frames, n_markers, 3), laboratory axes, metres; missing is NaN.
        filled : BoolArray | None, optional
            (n_frames, n_markers), True where a value was filled in; None keeps the mask.

        Returns
        -------
        Markers
            With the same names, roles and rate.
        """
        return replace(self, position_m=position_m, filled=self.filled if filled is None else filled)
