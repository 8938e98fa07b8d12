"""Force plates under the virtual subject: where they lie, and what each of them measures.

A foot presses on a small square around its centre of pressure; every plate takes the share of that square that lies on it. Plates
that tile the floor therefore measure the whole wrench between them, and a foot that stands half on a plate is half measured.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.errors import OptionError
from biomech_id.sample.arrays import FloatArray
from biomech_id.trial import ForcePlate
from biomech_id.values import dataclass

#: Half the side of the square that carries a foot's force.
PATCH_M = 0.015
#: A foot whose centre of pressure is this near to a plate's surface stands on that level.
SAME_LEVEL_M = 0.02


@dataclass(frozen=True)
class PlateSpec:
    """One force plate of the virtual laboratory; its sides run along the laboratory's axes.

    Attributes
    ----------
    kind : int, optional
        C3D type, 1 to 4.
    centre_m : tuple[float, float], optional
        (x, y) of the middle of its surface, m.
    size_m : tuple[float, float], optional
        Extent along x and y, m.
    turned : bool, optional
        Whether it was built in turned by half a turn, as one of a pair often is.
    baseline_N : tuple[float, float, float], optional
        Force offset of the unloaded plate, laboratory axes: added to everything it measures.
    noise_N : float, optional
        Standard deviation of white noise on each force component (moments: times 0.2 m).
    height_m : float, optional
        Of the middle of its surface.
    slope : tuple[float, float], optional
        Rise of its surface along x and along y, metres a metre.
    """

    kind: int = 2
    centre_m: tuple[float, float] = (0.0, 0.0)
    size_m: tuple[float, float] = (0.464, 0.508)
    turned: bool = False
    baseline_N: tuple[float, float, float] = (0.0, 0.0, 0.0)
    noise_N: float = 0.0
    height_m: float = 0.0
    slope: tuple[float, float] = (0.0, 0.0)

    def surface_m(self, point_m: FloatArray) -> FloatArray:
        """Height of its surface, continued beyond its edges.

        Parameters
        ----------
        point_m : FloatArray
            (..., 2 or 3), laboratory axes.

        Returns
        -------
        FloatArray
            (...,), m.
        """
        (x, y), (along, across) = self.centre_m, self.slope
        return self.height_m + (point_m[..., 0] - x) * along + (point_m[..., 1] - y) * across

    @property
    def normal(self) -> FloatArray:
        """Upward unit normal of its surface, (3,)."""
        upwards = np.array([-self.slope[0], -self.slope[1], 1.0])
        return np.asarray(upwards / np.linalg.norm(upwards))

    def corners_m(self) -> FloatArray:
        """Corners in C3D's order: x axis from corner 2 to 1, y from corner 4 to 1 seen from below (z points down).

        Returns
        -------
        FloatArray
            (4, 3), laboratory axes, m.
        """
        x, y = self.centre_m
        a, b = self.size_m[0] / 2, self.size_m[1] / 2
        corners = np.array([(x + a, y - b, 0.0), (x - a, y - b, 0.0), (x - a, y + b, 0.0), (x + a, y + b, 0.0)])
        corners[:, 2] = self.surface_m(corners)
        return np.roll(corners, 2, axis=0) if self.turned else corners


@dataclass(frozen=True, eq=False)
class FootLoad:
    """One foot's action by the floor at the analog rate: force (m, 3), centre of pressure (m, 3), free moment (m,).

    Attributes
    ----------
    force_N : FloatArray
        (m, 3), of the floor on the foot, laboratory axes.
    cop_m : FloatArray
        (m, 3), centre of pressure, laboratory axes.
    free_moment_Nm : FloatArray
        (m,), about the normal of the floor.
    """

    force_N: FloatArray
    cop_m: FloatArray
    free_moment_Nm: FloatArray


def share_on_plate(spec: PlateSpec, cop_m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How much of a foot's force a plate carries, and where.

    Parameters
    ----------
    spec : PlateSpec
        Where the plate lies and how it reads.
    cop_m : FloatArray
        (m, 3), centre of pressure, laboratory axes.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        Share (m,) from 0 to 1, and the point (m, 3) where it acts, laboratory axes, m.
    """
    share, point = np.ones(len(cop_m)), cop_m.copy()
    for axis in (0, 1):
        low, high = spec.centre_m[axis] - spec.size_m[axis] / 2, spec.centre_m[axis] + spec.size_m[axis] / 2
        start = np.clip(cop_m[:, axis] - PATCH_M, low, high)
        end = np.clip(cop_m[:, axis] + PATCH_M, low, high)
        part = (end - start) / (2 * PATCH_M)
        whole = (cop_m[:, axis] - PATCH_M >= low) & (cop_m[:, axis] + PATCH_M <= high)
        # A patch that lies inside entirely is taken as it is: no rounding where nothing is cut.
        share = share * np.where(whole, 1.0, part)
        point[:, axis] = np.where(whole, cop_m[:, axis], (start + end) / 2)
    # A foot on another level presses on another plate, even where one reaches under the other.
    share = np.where(np.abs(cop_m[:, 2] - spec.surface_m(cop_m)) < SAME_LEVEL_M, share, 0.0)
    point[:, 2] = spec.surface_m(point)
    return share, point


def measure(spec: PlateSpec, name: str, feet: Sequence[FootLoad], rate_hz: float, rng: np.random.Generator) -> ForcePlate:
    """What a plate records of the feet on it.

    Parameters
    ----------
    spec : PlateSpec
        Where the plate lies and how it reads.
    name : str
        Name that the plate has in the trial.
    feet : Sequence[FootLoad]
        Actions of the floor on both feet.
    rate_hz : float
        Samples per second of the plate.
    rng : np.random.Generator
        Random numbers for its noise.

    Returns
    -------
    ForcePlate
        Reaction on the feet, N and N m, about the middle of its surface, laboratory axes.
    """
    n = len(feet[0].force_N)
    centre = np.array([*spec.centre_m, spec.height_m])
    force, moment = np.zeros((n, 3)), np.zeros((n, 3))
    for foot in feet:
        share, point = share_on_plate(spec, foot.cop_m)
        part = foot.force_N * share[:, None]
        force += part
        moment += np.cross(point - centre, part)
        moment += (foot.free_moment_Nm * share)[:, None] * spec.normal
    force = force + np.array(spec.baseline_N)
    if spec.noise_N:
        force = force + rng.normal(0.0, spec.noise_N, force.shape)
        moment = moment + rng.normal(0.0, 0.2 * spec.noise_N, moment.shape)
    loaded = bool(np.abs(force).max() > 0)
    return ForcePlate(
        name=name, kind=spec.kind, corners_m=spec.corners_m(), force_lab_N=force, moment_lab_Nm=moment, rate_hz=rate_hz,
        sign="reaction" if loaded else "unknown",
    )  # fmt: skip


def layout(name: str, step_m: float) -> tuple[PlateSpec, ...]:
    """Lay out the plates of a named laboratory.

    ``two``: one foot each; ``shared``: one long plate under both feet; ``split``: two plates that meet under one foot;
    ``types``: types 1 to 4 in a row, one foot each; ``belt``: two long plates side by side under a split belt; ``none``.

    Parameters
    ----------
    name : str
        "two", "shared", "split", "types", "belt" or "none".
    step_m : float
        Step length the plates are laid out for.

    Returns
    -------
    tuple[PlateSpec, ...]
        Without noise and baseline; none for "none".

    Raises
    ------
    OptionError
        For a name that is not known.
    """
    along = min(0.508, 0.94 * step_m)
    layouts: dict[str, tuple[PlateSpec, ...]] = {
        "none": (),
        "two": tuple(PlateSpec(2, ((i - 0.5) * step_m, 0.0), (along, 0.464), turned=i == 1) for i in (0, 1)),
        "shared": (PlateSpec(2, (0.0, 0.0), (1.9 * step_m, 0.60)),),
        "split": tuple(PlateSpec(2, (step_m / 2 + x * along / 2, 0.0), (along, 0.464)) for x in (-1.0, 1.0)),
        "types": tuple(PlateSpec(i + 1, ((i - 1.5) * step_m, 0.0), (along, 0.464)) for i in range(4)),
        "belt": tuple(PlateSpec(2, (0.0, y), (2.0, 0.5)) for y in (0.25, -0.25)),
    }
    if name not in layouts:
        raise OptionError(
            f"There is no plate layout named {name!r}.", value=name, expected=f"one of {', '.join(layouts)}", where="plates"
        )
    return layouts[name]
