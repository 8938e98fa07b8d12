"""Force plates: what the floor did to the subject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from biomech_id.algebra.arrays import FloatArray, readonly
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.errors import InvalidValueError
from biomech_id.sentences import Sentence

#: What the recorded force is:
#: the floor on the subject, the subject on the floor, or nobody can tell.
PlateSign = Literal["reaction", "applied", "unknown"]


@compact_repr
@dataclass(frozen=True, eq=False)
class ForcePlate:
    """One force plate's reaction on the subject.

    Attributes
    ----------
    name : str
        As users know it, ``plate 1`` being the file's first.
    kind : int
        The C3D type of the plate, from 1 (which ones are understood is for the readers to say).
    corners_m : FloatArray
        (4, 3), metres, laboratory axes, in the file's order.
    force_lab_N : FloatArray
        (n_samples, 3), force of the plate on the subject, laboratory axes, at the analog rate.
    moment_lab_Nm : FloatArray
        (n_samples, 3), moment of the plate on the subject about ``centre_m``, laboratory axes.
    rate_hz : float
        Analog samples per second.
    sign : PlateSign, optional
        How the file stored it before it was made a reaction: "reaction" (already on the subject), "applied" (on the plate, negated
        by the reader) or "unknown" (never loaded; taken as it is).
    baseline_N : FloatArray | None, optional
        (3,), force removed as measured in samples proven unloaded; zeros if none was removed.
    history : tuple[Sentence | str, ...], optional
        What was done to the raw channels, in words.
    foot : str, optional
        Side of the one foot that the file says this force acts on, "L" or "R"; empty for a real plate, on which feet are found.
    spread_s : float, optional
        How far, in seconds, a filter has spread each load over its beginning and end; such a plate serves the joint loads only.

    Raises
    ------
    InvalidValueError
        Unknown type, or corners that do not span a rectangle-like area.
    ShapeError
        Arrays that do not fit.
    """

    name: str
    kind: int
    corners_m: FloatArray
    force_lab_N: FloatArray
    moment_lab_Nm: FloatArray
    rate_hz: float
    sign: PlateSign = "unknown"
    baseline_N: FloatArray | None = None
    history: tuple[Sentence | str, ...] = ()
    foot: str = ""
    spread_s: float = 0.0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "corners_m", readonly(self.corners_m, (4, 3), name="corners_m", where=self.name))
        set_(self, "force_lab_N", readonly(self.force_lab_N, (None, 3), name="force_lab_N", where=self.name))
        shape = self.force_lab_N.shape
        set_(self, "moment_lab_Nm", readonly(self.moment_lab_Nm, shape, name="moment_lab_Nm", where=self.name))
        baseline = np.zeros(3) if self.baseline_N is None else self.baseline_N
        set_(self, "baseline_N", readonly(baseline, (3,), name="baseline_N", where=self.name))
        if self.kind < 1:
            raise InvalidValueError(
                f"{self.name} is of type {self.kind}.", value=self.kind, expected="a type of plate, counted from 1", where=self.name
            )
        if not (np.isfinite(self.rate_hz) and self.rate_hz > 0):
            raise InvalidValueError(
                f"{self.name} has a sampling rate of {self.rate_hz} Hz.",
                value=self.rate_hz, expected="a positive, finite rate in Hz", where=self.name,
            )  # fmt: skip
        self._check_corners()

    def _check_corners(self) -> None:
        corners = self.corners_m
        finite = bool(np.isfinite(corners).all()) and float(np.abs(corners).max()) < 1e3
        area_m2 = float(np.linalg.norm(np.cross(corners[0] - corners[1], corners[0] - corners[3]))) if finite else 0.0
        if area_m2 < 1e-3:
            raise InvalidValueError(
                f"The corners of {self.name} do not span an area.",
                value=corners.tolist(), expected="four distinct finite corners, in metres", where=self.name,
            )  # fmt: skip

    @property
    def n_samples(self) -> int:
        """Number of analog samples."""
        return int(self.force_lab_N.shape[0])

    @property
    def centre_m(self) -> FloatArray:
        """Mean of the four corners, (3,), metres, laboratory axes:
        the point the moment is about.
        """
        return np.asarray(self.corners_m.mean(axis=0))
