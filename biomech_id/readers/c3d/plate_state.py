"""What a plate's signals say about themselves: which way they point, in which unit the moments are, what they show unloaded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.readers.c3d.plate_setup import PlateSetup
from biomech_id.readers.c3d.plate_wrench import plate_axes, plate_centre_of_pressure
from biomech_id.trial.plates import PlateSign

#: A vertical force beyond this, up or down, is somebody's weight.
LOADED_N = 50.0
#: So many loaded samples at least:
#: one spike is nobody's weight.
FEWEST_LOADED = 3
#: Nobody is on a plate while every marker is farther than this from the space above it.
REACH_M = 0.20
LOW_M = 0.35
#: An unloaded plate shows less than this, and for at least this long.
UNLOADED_N = 50.0
UNLOADED_S = 0.20
INSIDE_SHARE = 0.9
#: A centre of pressure that never leaves this circle belongs to moments in a unit 1000 times too large.
STILL_M = 0.002


def decide_sign(vertical_N: FloatArray) -> PlateSign:
    """Return what the stored signals are, from the vertical force (up positive): the reaction on the subject points up.

    Parameters
    ----------
    vertical_N : FloatArray
        (n_samples,), up positive.
    """
    with np.errstate(invalid="ignore"):
        up, down = vertical_N > LOADED_N, vertical_N < -LOADED_N
    if max(int(up.sum()), int(down.sum())) < FEWEST_LOADED:
        return "unknown"
    return "reaction" if float(vertical_N[up].sum()) >= -float(vertical_N[down].sum()) else "applied"


def moment_factor(
    setup: PlateSetup, force_N: FloatArray, moment: FloatArray, metres: float, stated: float | None
) -> tuple[float, bool]:
    """Return newton metres per stored moment unit, and whether it contradicts what the file states.

    The stated unit counts unless the centre of pressure then misses the plate, or never moves, and with another unit does not.

    Parameters
    ----------
    setup : PlateSetup
        What the file says of the plate.
    force_N, moment : FloatArray
        (n, 3), file axes; moment in the stored unit, about the surface centre.
    metres : float
        Metres per POINT:UNITS; newton times this is the unit C3D prescribes.
    stated : float | None
        Newton metres per unit by ANALOG:UNITS, or None.
    """
    believed = metres if stated is None else stated
    half_sides_m = 0.5 * setup.sides * metres

    def share_inside(factor: float) -> float:
        cop = plate_centre_of_pressure(setup, force_N, moment * factor)
        cop = cop[np.isfinite(cop).all(axis=1)]
        if len(cop) < FEWEST_LOADED:
            return np.nan
        if np.percentile(np.abs(cop), 95) < STILL_M:
            return 0.0
        return float((np.abs(cop) <= half_sides_m).all(axis=1).mean())

    if not share_inside(believed) < 0.5:
        return believed, False
    for other in (metres, 1.0, 0.001):
        if other != believed and share_inside(other) >= INSIDE_SHARE:
            return other, True
    return believed, False


@dataclass(frozen=True)
class Baseline:
    """What an unloaded plate shows: mean force and moment (about the surface centre), their spread, and from how many samples.

    Attributes
    ----------
    force_N : FloatArray
        (3,), mean.
    moment_Nm : FloatArray
        (3,), mean, about the surface centre.
    noise_N : float
        Standard deviation of the force.
    samples : int
        How many samples.
    """

    force_N: FloatArray
    moment_Nm: FloatArray
    noise_N: float
    samples: int


def measure_baseline(
    setup: PlateSetup, force_N: FloatArray, moment_Nm: FloatArray, rate_hz: float, away: BoolArray
) -> Baseline | None:
    """Return what the plate shows in samples proven unloaded, or None when there are none.

    Proven: the force is small, and all markers are away from the plate (``away``, (n_samples,), see `nobody_near`).
    A plate whose unloaded samples the vendor has already set to zero yields a baseline of zero.

    Parameters
    ----------
    setup : PlateSetup
        What the file says of the plate.
    force_N : FloatArray
        (n, 3), file axes, N.
    moment_Nm : FloatArray
        (n, 3), file axes, N m.
    rate_hz : float
        Frames per second.
    away : BoolArray
        (n_samples,), whether the plate is proven unloaded.
    """
    quiet = away & (np.linalg.norm(force_N, axis=1) < UNLOADED_N)
    if quiet.sum() < max(UNLOADED_S * rate_hz, FEWEST_LOADED):
        return None
    # The median is not moved by the few samples in which a foot out of the cameras' sight touches the plate.
    force = np.median(force_N[quiet], axis=0)
    moment = np.median(moment_Nm[quiet], axis=0)
    noise = float(np.median(np.abs(force_N[quiet] - force), axis=0).max() * 1.4826)
    return Baseline(force, moment, noise, int(quiet.sum()))


def nobody_near(setup: PlateSetup, metres: float, position_file_m: FloatArray, up_file: FloatArray, samples: int) -> BoolArray:
    """Return for each analog sample whether every marker is away from the space above the plate.

    Parameters
    ----------
    setup : PlateSetup
        What the file says of the plate.
    metres : float
        Per unit of the file.
    position_file_m : FloatArray
        (n_frames, n_markers, 3), metres, file axes.
    up_file : FloatArray
        (3,), upward unit vector, file axes.
    samples : int
        Analog samples per frame.

    Returns
    -------
    BoolArray
        (n_frames * samples,).
    """
    axes = plate_axes(setup.corners)
    offset = position_file_m - setup.corners.mean(axis=0) * metres
    height = offset @ up_file
    with np.errstate(invalid="ignore"):
        # Markers that come near the floor are on feet; only frames that show all of those prove anything.
        seen = np.isfinite(height)
        feet = seen.any(axis=0) & (np.where(seen, height, np.inf).min(axis=0) < LOW_M)
        if not feet.any():
            return np.zeros(len(position_file_m) * samples, dtype=bool)
        across = np.abs(offset[:, feet] @ axes[:, :2])
        above = (across < 0.5 * setup.sides * metres + REACH_M).all(axis=2) & (height[:, feet] < LOW_M)
    return np.repeat(seen[:, feet].all(axis=1) & ~above.any(axis=1), samples)
