"""Stances on plates: one foot, wholly on one plate, on a straight way."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import lru_cache

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import SIDES
from biomech_id.judgement.diagnosis.recorded import Recorded, smooth
from biomech_id.trial import ForcePlate
from biomech_id.values import dataclass

#: A plate carries somebody above this force (N, filtered at 30 Hz) for this long (s).
LOADED_N, LEAST_STANCE_S, LOAD_HZ = 20.0, 0.3, 30.0
#: Markers may lie this far outside the plate (m).
EDGE_M = 0.02
#: The foot is flat in this part of the stance.
_FLAT = (0.3, 0.5)
#: A stance in a larger turn (deg), or slower (m/s), has no verdict on place, gain or clock.
LARGEST_TURN_DEG, LEAST_SPEED_M_S = 15.0, 0.4
#: Longer stances, and those that the recording cuts, have no verdict on shears, peak and impulse (s).
LONGEST_STANCE_S = 1.1


@dataclass(frozen=True, eq=False)
class PlateStance:
    """One stance: samples a to b of one plate, laboratory axes.

    Attributes
    ----------
    plate : ForcePlate
        That carries it.
    side : str
        Whose foot, "L" or "R".
    time_s : FloatArray
        (n,), from the first frame.
    force_N, cop_m, pelvis_m : FloatArray
        (n, 3): force on the foot, centre of pressure on the surface, middle of the pelvis.
    free_moment_Nm : FloatArray
        (n,), about the vertical through the centre of pressure.
    heel_m, toe_m : FloatArray
        (3,), markers of the flat foot.
    axis, foot_medial, way, medial : FloatArray
        (3,), horizontal: heel to toe, across it towards the other foot; the pelvis' way, across it towards the other foot.
    whole : bool
        Whether the recording holds all of it, in less than 1.1 s.
    cut : bool
        Whether the recording begins or ends in it: nobody knows when its foot is flat.
    comes_down_deg : float
        How far the toes come down from the first force to the flat foot; 0 where the recording begins or ends in the stance.
    """

    plate: ForcePlate
    side: str
    time_s: FloatArray
    force_N: FloatArray
    cop_m: FloatArray
    pelvis_m: FloatArray
    free_moment_Nm: FloatArray
    heel_m: FloatArray
    toe_m: FloatArray
    axis: FloatArray
    foot_medial: FloatArray
    way: FloatArray
    medial: FloatArray
    whole: bool
    cut: bool
    comes_down_deg: float

    @property
    def end_s(self) -> float:
        """Time from the first frame at which the force ends, seconds."""
        return float(self.time_s[-1]) + 1.0 / self.plate.rate_hz

    def part(self, start: float, end: float) -> slice:
        """Return the samples of a part of the stance.

        Parameters
        ----------
        start, end : float
            Shares of its duration, 0 to 1.
        """
        n = len(self.time_s)
        return slice(round(start * n), max(round(end * n), round(start * n) + 1))


@lru_cache(maxsize=64)
def loaded(plate: ForcePlate) -> BoolArray:
    """Return the samples in which a plate carries somebody; causes that leave a plate as it is ask for the same one.

    Parameters
    ----------
    plate : ForcePlate
        As recorded.

    Returns
    -------
    BoolArray
        (n,).
    """
    return np.asarray(smooth(plate.force_lab_N[:, 2], plate.rate_hz, LOAD_HZ) > LOADED_N)


def loaded_stretches(which: BoolArray) -> Iterator[tuple[int, int]]:
    """Yield uninterrupted stretches.

    Parameters
    ----------
    which : BoolArray
        (n,).

    Yields
    ------
    tuple[int, int]
        First, and one behind the last.
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(which, dtype=int), [0]])))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def on_plate(points_m: FloatArray, plate: ForcePlate, margin_m: float = EDGE_M) -> BoolArray:
    """Return which points lie above a plate.

    Parameters
    ----------
    points_m : FloatArray
        (..., 3), laboratory axes, metres.
    plate : ForcePlate
        With its corners.
    margin_m : float, optional
        By how much they may lie beside it, metres.

    Returns
    -------
    BoolArray
        (...,); False where a point is unseen.
    """
    corners, centre = plate.corners_m, plate.centre_m
    inside = np.ones(points_m.shape[:-1], dtype=bool)
    for edge in (corners[0] - corners[1], corners[0] - corners[3]):
        length = float(np.linalg.norm(edge))
        with np.errstate(invalid="ignore"):
            inside &= np.abs((points_m - centre) @ (edge / length)) <= 0.5 * length + margin_m
    return inside


def find_stances(session: Recorded, numbers: Container[int] | None = None) -> Iterator[tuple[int, PlateStance]]:
    """Yield every stance that has a verdict.

    Parameters
    ----------
    session : Recorded
        The session in memory.
    numbers : Container[int] | None, optional
        Plates that are asked, by number from 1; None for all.

    Yields
    ------
    tuple[int, PlateStance]
        Number of the plate from 1, and the stance.
    """
    for number, plate in enumerate(session.plates, start=1):
        for a, b in loaded_stretches(loaded(plate)) if numbers is None or number in numbers else ():
            if b - a < LEAST_STANCE_S * plate.rate_hz:
                continue
            stance = _stance(session, plate, a, b)
            if stance is not None:
                yield number, stance


def at_times(path: FloatArray, rate_hz: float, time_s: FloatArray) -> FloatArray:
    """Return a path at other times.

    Parameters
    ----------
    path : FloatArray
        (n, m), one row a frame, its first at time 0.
    rate_hz : float
        Frames per second.
    time_s : FloatArray
        (k,), seconds from the first frame.

    Returns
    -------
    FloatArray
        (k, m), between frames on straight lines; NaN beside unseen ones.
    """
    place = np.clip(time_s * rate_hz, 0, len(path) - 1)
    low = np.minimum(place.astype(int), max(len(path) - 2, 0))
    share = (place - low)[:, None]
    return np.asarray((1 - share) * path[low] + share * path[np.minimum(low + 1, len(path) - 1)])


def _stance(session: Recorded, plate: ForcePlate, a: int, b: int) -> PlateStance | None:
    rate_hz, time_s = session.markers.rate_hz, np.arange(a, b) / plate.rate_hz
    n = b - a
    low, high = (int((a + part * n) / plate.rate_hz * rate_hz) for part in _FLAT)
    feet = {side: [session.markers[side + label][low : high + 1] for label in ("HEE", "TOE")] for side in SIDES}
    on = [side for side, foot in feet.items() if on_plate(np.stack(foot), plate).all()]
    pelvis = at_times(session.paths.pelvis_m, rate_hz, time_s)
    facing = at_times(session.paths.pelvis_facing_rad[:, None], rate_hz, time_s[[0, -1]])[:, 0]
    travel = (pelvis[-1] - pelvis[0]) * [1.0, 1.0, 0.0]
    distance_m = float(np.linalg.norm(travel))
    turn_deg = np.rad2deg(abs(facing[1] - facing[0]))
    slow = not distance_m > LEAST_SPEED_M_S * n / plate.rate_hz
    if len(on) != 1 or slow or not turn_deg < LARGEST_TURN_DEG:
        return None
    side = on[0]
    heel, toe = (path.mean(axis=0) for path in feet[side])
    axis = (toe - heel) * [1.0, 1.0, 0.0]
    if not axis.any():  # one path under both labels
        return None
    force, centre = plate.force_lab_N[a:b], plate.centre_m
    moment = plate.moment_lab_Nm[a:b]
    up = np.maximum(force[:, 2], 1.0)
    cop = centre + np.stack([-moment[:, 1] / up, moment[:, 0] / up, np.zeros(n)], axis=1)
    arm = cop - centre
    free = moment[:, 2] - (arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0])
    axis, way = axis / np.linalg.norm(axis), travel / distance_m
    outwards = 1.0 if side == "L" else -1.0
    foot_medial, medial = (outwards * np.array([along[1], -along[0], 0.0]) for along in (axis, way))
    seen = a > 0 and b < plate.n_samples
    landing = [at_times(session.markers[side + label], rate_hz, time_s[:1])[0] for label in ("HEE", "TOE")]
    comes_down_deg = _pitch_deg(*landing) - _pitch_deg(heel, toe) if seen else 0.0
    whole = seen and n / plate.rate_hz < LONGEST_STANCE_S
    feet_and_ways = heel, toe, axis, foot_medial, way, medial
    return PlateStance(plate, side, time_s, force, cop, pelvis, free, *feet_and_ways, whole, not seen, comes_down_deg)


def _pitch_deg(heel_m: FloatArray, toe_m: FloatArray) -> float:
    """How far the toes are up, degrees."""
    along = toe_m - heel_m
    return float(np.rad2deg(np.arctan2(along[2], np.linalg.norm(along[:2]))))
