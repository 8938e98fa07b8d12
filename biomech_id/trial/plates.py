"""Force plates: what the floor did to the subject."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray, float_array, keep_array, readonly
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.arguments import a_count, a_str, a_word, holds, takes
from biomech_id.conventions import Side
from biomech_id.errors import InvalidValueError
from biomech_id.languages import Sentence
from biomech_id.trial.markers import LARGEST_POSITION_M, RATE_HZ
from biomech_id.values import dataclass, replace

#: What the recorded force is: the floor on the subject, the subject on the floor, or unknown.
PlateSign = Literal["reaction", "applied", "unknown"]
#: More than any person, five body weights in a jump included, puts on a plate.
LARGEST_FORCE_N = 50_000.0
LARGEST_MOMENT_NM = 100_000.0
#: Metres between the path of a force and the edge of a plate that nobody described.
FORCE_MARGIN_M = 0.1
#: Edge of a plate, metres: sides in millimetres or centimetres lie above it.
LONGEST_EDGE_M = 20.0
#: A moment about the middle of the surface is force times a lever arm within the plate, and a free moment: longer arms, in
#: diagonals of the plate, are moments in N mm. Below the least moment (N m) nothing is said; an unloaded plate shows offsets.
LONGEST_ARM_DIAGONALS = 20.0
LEAST_TOLD_NM = 2000.0
#: What of a plate is mirrored where the centre of pressure stays: its force along an axis, or the vertical moment as well.
PLATE_PARTS = ("force", "force and moment")


@holds(
    name=a_str(), kind=a_count(1), rate_hz=RATE_HZ, foot=a_word(tuple(Side)), sign=a_word(("reaction", "applied", "unknown")),
)  # fmt: skip
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
    first_time_s : float, optional
        Time of the first sample on the recording's clock; a `Trial` says it.

    Raises
    ------
    InvalidValueError
        Unknown type, corners that do not span a rectangle-like area, or numbers that are millimetres, newton millimetres or
        garbage.
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
    first_time_s: float = 0.0

    def __post_init__(self) -> None:
        keep_array(self, "corners_m", (4, 3), where=self.name)
        force = keep_array(self, "force_lab_N", (None, 3), where=self.name)
        keep_array(self, "moment_lab_Nm", force.shape, where=self.name)
        if self.baseline_N is None:
            object.__setattr__(self, "baseline_N", np.zeros(3))
        keep_array(self, "baseline_N", (3,), where=self.name)
        self._check_corners()
        self._check_wrench()

    def _check_corners(self) -> None:
        corners = self.corners_m
        finite = bool(np.isfinite(corners).all())
        edge_m = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).max()
        furthest_m = np.abs(corners).max()
        if finite and (edge_m > LONGEST_EDGE_M or furthest_m > LARGEST_POSITION_M):
            raise InvalidValueError(
                f"The corners_m of {self.name} are {edge_m:.6g} apart, up to {furthest_m:.6g} from the origin: "
                "these look like millimetres, or garbage.",
                value=corners.tolist(), expected=f"corners in metres, edges up to {LONGEST_EDGE_M:g} m", where=self.name,
            )  # fmt: skip
        area_m2 = float(np.linalg.norm(np.cross(corners[0] - corners[1], corners[0] - corners[3]))) if finite else 0.0
        if area_m2 < 1e-3:
            raise InvalidValueError(
                f"The corners of {self.name} do not span an area.",
                value=corners.tolist(), expected="four distinct finite corners, in metres", where=self.name,
            )  # fmt: skip

    def _check_wrench(self) -> None:
        limits = {"force_lab_N": (LARGEST_FORCE_N, "N"), "moment_lab_Nm": (LARGEST_MOMENT_NM, "N m")}
        largest = {name: float(np.nanmax(np.abs(getattr(self, name)), initial=0.0)) for name in limits}
        for name, (limit, unit) in limits.items():
            # Turned to other axes, and without its baseline, a component may be larger than it was read.
            if largest[name] > 2.0 * limit:
                raise InvalidValueError(
                    f"The {name} of {self.name} reaches {largest[name]:.6g} {unit}, which nobody puts on a plate.",
                    value=largest[name], expected=f"at most {limit:g} {unit}; missing is NaN", where=self.name,
                )  # fmt: skip
        force_N, moment_Nm = largest.values()
        diagonal_m = float(np.linalg.norm(self.corners_m[0] - self.corners_m[2]))
        if moment_Nm > max(LEAST_TOLD_NM, LONGEST_ARM_DIAGONALS * diagonal_m * force_N):
            raise InvalidValueError(
                f"The moment_lab_Nm of {self.name} reaches {moment_Nm:.6g} N m under forces of {force_N:.6g} N: "
                "these look like newton millimetres.",
                value=moment_Nm, expected="moments about the middle of the plate's surface, in N m", where=self.name,
            )  # fmt: skip

    @classmethod
    @takes("ForcePlate.from_cop", rate_hz=RATE_HZ, name=a_str())
    def from_cop(
        cls,
        force_lab_N: ArrayLike,
        cop_lab_m: ArrayLike,
        free_moment_Nm: ArrayLike = 0.0,
        *,
        rate_hz: float,
        corners_m: ArrayLike | None = None,
        name: str = "plate 1",
    ) -> ForcePlate:
        """Make a plate from force, centre of pressure and free moment, as many programs export them.

        Parameters
        ----------
        force_lab_N : ArrayLike
            (n, 3), force of the plate on the subject, laboratory axes.
        cop_lab_m : ArrayLike
            (n, 3), metres, laboratory axes; it does not matter (NaN) where the force is zero.
        free_moment_Nm : ArrayLike, optional
            (n,) or one number, moment about the vertical through the centre of pressure; or (n, 3) in laboratory axes.
        rate_hz : float
            Samples of force and centre of pressure per second.
        corners_m : ArrayLike | None, optional
            (4, 3), corners of the plate; None draws a rectangle 0.1 m around the path of the centre of pressure.
        name : str, optional
            Name of the plate.

        Returns
        -------
        ForcePlate
            With the moment about the middle of its corners.

        Raises
        ------
        ShapeError, InvalidValueError
            Arrays that do not fit, or are in another unit.

        Examples
        --------
        >>> import numpy as np
        >>> import biomech_id as bid
        >>> force, cop = np.full((5, 3), [0.0, 0.0, 700.0]), np.full((5, 3), [0.5, 0.2, 0.0])
        >>> plate = bid.ForcePlate.from_cop(force, cop, 3.0, rate_hz=1000.0)
        >>> plate.centre_m.round(3), plate.moment_lab_Nm[0].round(3)
        (array([0.5, 0.2, 0. ]), array([0., 0., 3.]))
        """
        force = readonly(force_lab_N, (None, 3), name="force_lab_N", where="ForcePlate.from_cop")
        cop = readonly(cop_lab_m, force.shape, name="cop_lab_m", where="ForcePlate.from_cop")
        free = float_array(free_moment_Nm, name="free_moment_Nm", where="ForcePlate.from_cop")
        moment = np.zeros_like(force)
        if free.ndim == 2:
            moment[:] = readonly(free, force.shape, name="free_moment_Nm", where="ForcePlate.from_cop")
        else:
            moment[:, 2] = readonly(np.broadcast_to(free, len(force)) if free.ndim == 0 else free, (len(force),),
                                    name="free_moment_Nm", where="ForcePlate.from_cop")  # fmt: skip
        return cls.from_wrench(force, moment, cop, rate_hz=rate_hz, corners_m=corners_m, name=name)

    @classmethod
    @takes("ForcePlate.from_wrench", rate_hz=RATE_HZ, name=a_str())
    def from_wrench(
        cls,
        force_lab_N: ArrayLike,
        moment_lab_Nm: ArrayLike,
        about_lab_m: ArrayLike,
        *,
        rate_hz: float,
        corners_m: ArrayLike | None = None,
        name: str = "plate 1",
    ) -> ForcePlate:
        """Make a plate from a force and its moment about any point.

        Parameters
        ----------
        force_lab_N, moment_lab_Nm : ArrayLike
            (n, 3), of the plate on the subject, laboratory axes.
        about_lab_m : ArrayLike
            (3,) or (n, 3), point that the moment is about, metres, laboratory axes; NaN where the force is zero does
            not matter.
        rate_hz : float
            Samples of force and moment per second.
        corners_m : ArrayLike | None, optional
            (4, 3), corners of the plate; None draws a rectangle 0.1 m around the point.
        name : str, optional
            Name of the plate.

        Returns
        -------
        ForcePlate
            With the moment about the middle of its corners.

        Raises
        ------
        ShapeError, InvalidValueError
            Arrays that do not fit, or are in another unit.

        Examples
        --------
        >>> import numpy as np
        >>> import biomech_id as bid
        >>> up = np.full((5, 3), [0.0, 0.0, 700.0])
        >>> square = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
        >>> bid.ForcePlate.from_wrench(up, 0 * up, np.zeros(3), rate_hz=1000.0, corners_m=square).moment_lab_Nm[0].round(3)
        array([-175.,  175.,    0.])
        """
        force = readonly(force_lab_N, (None, 3), name="force_lab_N", where="ForcePlate.from_wrench")
        moment = readonly(moment_lab_Nm, force.shape, name="moment_lab_Nm", where="ForcePlate.from_wrench")
        about = float_array(about_lab_m, name="about_lab_m", where="ForcePlate.from_wrench")
        about = readonly(np.broadcast_to(about, force.shape) if about.ndim == 1 else about, force.shape,
                         name="about_lab_m", where="ForcePlate.from_wrench")  # fmt: skip
        loaded: BoolArray = np.asarray(force.any(axis=1))
        if corners_m is None:
            known = about[loaded & np.isfinite(about).all(axis=1)]
            if not len(known):
                raise InvalidValueError(
                    f"{name} has no loaded sample with a known point, so that nobody knows where it is.",
                    value=len(force), expected="corners_m, or a force with its point", where="ForcePlate.from_wrench",
                )  # fmt: skip
            (x0, y0, z0), (x1, y1, _) = known.min(axis=0) - FORCE_MARGIN_M, known.max(axis=0) + FORCE_MARGIN_M
            corners_m = [[x, y, z0 + FORCE_MARGIN_M] for x, y in ((x1, y1), (x0, y1), (x0, y0), (x1, y0))]
        corners = float_array(corners_m, name="corners_m", where="ForcePlate.from_wrench")
        arm = np.where(loaded[:, None], about - corners.mean(axis=0), 0.0)
        return cls(name, 2, corners, force, moment + np.cross(arm, force), rate_hz, sign="reaction")

    @property
    def n_samples(self) -> int:
        """Number of analog samples."""
        return int(self.force_lab_N.shape[0])

    @property
    def time_s(self) -> FloatArray:
        """Time of each sample, (n_samples,), seconds, on the recording's clock (``first_time_s``)."""
        return self.first_time_s + np.arange(self.n_samples, dtype=np.float64) / self.rate_hz

    @property
    def centre_m(self) -> FloatArray:
        """Mean of the four corners, (3,), metres, laboratory axes:
        the point the moment is about.
        """
        return np.asarray(self.corners_m.mean(axis=0))

    def moved(self, x_m: float, y_m: float, turn_rad: float) -> ForcePlate:
        """Put the plate elsewhere: it measures in its own axes, and turns about the vertical through its middle.

        Parameters
        ----------
        x_m : float
            Along the laboratory's X, metres.
        y_m : float
            Along its Y, metres.
        turn_rad : float
            Counter-clockwise seen from above, rad.

        Returns
        -------
        ForcePlate
            With corners, forces and moments in the laboratory as they would be there.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.trial import ForcePlate
        >>> corners = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
        >>> plate = ForcePlate("plate 1", 2, corners, np.array([[10.0, 0.0, 300.0]]), np.zeros((1, 3)), 1000.0)
        >>> moved = plate.moved(0.02, 0.0, np.pi / 2)
        >>> moved.centre_m, moved.force_lab_N.round(9) + 0.0
        (array([0.27, 0.25, 0.  ]), array([[  0.,  10., 300.]]))
        """
        c, s = np.cos(turn_rad), np.sin(turn_rad)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        corners_m = (self.corners_m - self.centre_m) @ R.T + self.centre_m + [x_m, y_m, 0.0]
        return replace(self, corners_m=corners_m, force_lab_N=self.force_lab_N @ R.T, moment_lab_Nm=self.moment_lab_Nm @ R.T)


def plate_baseline_N(plates: Iterable[ForcePlate]) -> float:
    """Return the largest force (N) that was removed from any plate as its baseline; NaN without plates.

    Parameters
    ----------
    plates : Iterable[ForcePlate]
        Plates of the trial.

    Returns
    -------
    float
        N, never negative.
    """
    sizes = [float(np.linalg.norm(plate.baseline_N)) for plate in plates if plate.baseline_N is not None]
    return max(sizes, default=float("nan"))


def mirrored_plate(plate: ForcePlate, axis: str, part: str = "") -> ForcePlate:
    """Return a plate whose force and moment are mirrored along an axis of its own.

    Parameters
    ----------
    plate : ForcePlate
        Plate with its forces as they were read.
    axis : str
        "x" or "y", the plate's own.
    part : str, optional
        One of `PLATE_PARTS` where the centre of pressure stays; it goes to the other side of the middle unless given.

    Returns
    -------
    ForcePlate
        The same plate in the same place, with other wrenches.
    """
    along = plate.corners_m[0] - plate.corners_m[1 if axis == "x" else 3]
    along = along / np.linalg.norm(along)
    mirror = np.eye(3) - 2.0 * np.outer(along, along)
    # A mirrored moment turns the other way as well.
    moment = -plate.moment_lab_Nm @ mirror
    if part:
        moment = plate.moment_lab_Nm * [1.0, 1.0, -1.0 if part == PLATE_PARTS[1] else 1.0]
    return replace(plate, force_lab_N=plate.force_lab_N @ mirror, moment_lab_Nm=moment)
