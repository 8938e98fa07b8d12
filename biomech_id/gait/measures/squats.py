"""Squats and rising from a seat: their phases, peaks and asymmetry, from the body's centre and the plates.

A squat goes from where the centre leaves its standing height by `LEAVES_SHARE` of its depth to the lowest point and back to within
that share. Rising from a seat begins where the centre, at rest on the seat, begins to move, and ends where it is within that share
of standing. In between the body leaves the seat. With F the plates' vertical force, m body mass and z the height of the centre,
the seat carries m (g + z'') - F; the body has left it where that falls below `SEAT_SHARE` of its weight and stays there. Where the
centre of mass is not known it is where the floor first carries the whole weight. A seat that stands on the plates hides it.

Forces are those of all plates together, asymmetry is left less right over the mean of both, of the mean force from start to end.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.gait.measures.jumps import JumpRecord
from biomech_id.gait.measures.spatiotemporal import GaitParameter
from biomech_id.signal.filters import lowpass
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass

#: A movement begins and ends within this share of its depth of standing; half of the deepest is a squat too.
LEAVES_SHARE, COUNTS_SHARE = 0.05, 0.5
#: Below this share of body weight a seat carries nothing; the centre's acceleration through this low-pass (Hz).
SEAT_SHARE, CENTRE_CUTOFF_HZ = 0.05, 8.0
#: Who sits moves slower than this share of the fastest rise.
SITS_STILL_SHARE = 0.05


@dataclass(frozen=True)
class Squat:
    """One squat, or one rise from a seat; NaN where the recording does not show it.

    Attributes
    ----------
    kind : str
        "squat", or "rise" for standing up from a seat.
    start_s, turn_s, end_s : float
        Absolute seconds; the turn is a squat's lowest point, and where a body leaves its seat.
    depth_m : float
        How far the body's centre goes down, or up.
    peak_N_kg : float
        Largest vertical force between turn and end.
    asymmetry_percent : float
        Left less right of the mean forces on both feet, over their mean.
    """

    kind: str
    start_s: float
    turn_s: float
    end_s: float
    depth_m: float
    peak_N_kg: float
    asymmetry_percent: float


def find_squats(record: JumpRecord) -> tuple[Squat, ...]:
    """Return every squat that begins and ends in standing, in order of time.

    Parameters
    ----------
    record : JumpRecord
        Forces, none without plates, and the path of the body's centre.

    Returns
    -------
    tuple[Squat, ...]
        Times in absolute seconds, depths in metres.
    """
    time, height = record.frame_time_s, record.centre_m
    standing, lowest = float(np.nanpercentile(height, 90)), float(np.nanmin(height))
    squats = []
    for start, end in runs(np.asarray(height < standing - COUNTS_SHARE * (standing - lowest))):
        low = start + int(np.nanargmin(height[start:end]))
        depth = standing - float(height[low])
        up = height > standing - LEAVES_SHARE * depth
        before, after = np.flatnonzero(up[:low]), np.flatnonzero(up[low:])
        if len(before) and len(after):
            at = (float(time[before[-1]]), float(time[low]), float(time[low + after[0]]))
            squats.append(_measured(record, "squat", at, depth))
    return tuple(squats)


def find_rises(record: JumpRecord, *, whole_body: bool) -> tuple[Squat, ...]:
    """Return every rise from a seat to standing, in order of time.

    Parameters
    ----------
    record : JumpRecord
        Forces, none without plates, and the path of the body's centre.
    whole_body : bool
        Whether that centre is the body's centre of mass; otherwise it is the pelvis'.

    Returns
    -------
    tuple[Squat, ...]
        Times in absolute seconds, heights in metres.
    """
    time, height = record.frame_time_s, record.centre_m
    standing, lowest = float(np.nanpercentile(height, 90)), float(np.nanmin(height))
    depth = standing - lowest
    speed = np.gradient(height, time)
    rises = []
    for start, end in runs(np.asarray(height < standing - COUNTS_SHARE * depth)):
        top = np.flatnonzero(height[end:] > standing - LEAVES_SHARE * depth)
        still = np.flatnonzero(np.abs(speed[start:end]) < SITS_STILL_SHARE * float(np.nanmax(speed)))
        if len(top) and len(still):
            first, last = start + int(still[-1]), end + int(top[0])
            turn_s = _leaves_seat_s(record, float(time[first]), float(time[last]), whole_body=whole_body)
            at = (float(time[first]), turn_s, float(time[last]))
            rises.append(_measured(record, "rise", at, standing - float(height[first])))
    return tuple(rises)


def squat_parameters(squat: Squat, trial: str, number: int) -> tuple[GaitParameter, ...]:
    """Return what was measured of one squat or rise as rows of ``spatiotemporal.csv``, of no side, its number in a cycle's place.

    Parameters
    ----------
    squat : Squat
        The squat or rise, as `find_squats` and `find_rises` return it.
    trial : str
        Name of the trial.
    number : int
        Of the squat or rise in its trial, from 1.

    Returns
    -------
    tuple[GaitParameter, ...]
        One row for each measure that is known.
    """
    return tuple(GaitParameter(trial, "", number, name, value, unit) for name, value, unit in _rows(squat) if np.isfinite(value))


def _rows(squat: Squat) -> Iterator[tuple[str, float, str]]:
    kind = squat.kind
    turn, first, second = ("lowest", "descent", "ascent") if kind == "squat" else ("seat_off", "seated", "straightening")
    yield f"{kind}_start_at", squat.start_s, "s"
    yield f"{kind}_{turn}_at", squat.turn_s, "s"
    yield f"{kind}_end_at", squat.end_s, "s"
    yield f"{kind}_{first}_time", squat.turn_s - squat.start_s, "s"
    yield f"{kind}_{second}_time", squat.end_s - squat.turn_s, "s"
    yield f"{kind}_depth" if kind == "squat" else f"{kind}_height", squat.depth_m, "m"
    yield f"{kind}_peak", squat.peak_N_kg, "N/kg"
    yield f"{kind}_asymmetry", squat.asymmetry_percent, "%"


def _measured(record: JumpRecord, kind: str, at: tuple[float, float, float], depth_m: float) -> Squat:
    start_s, turn_s, end_s = at
    inside = (record.time_s >= (turn_s if np.isfinite(turn_s) else start_s)) & (record.time_s <= end_s)
    peak = float(record.force_N[inside].max()) / record.mass_kg if inside.any() else float("nan")
    frames = (record.frame_time_s >= start_s) & (record.frame_time_s <= end_s)
    asymmetry = float("nan")
    if set(record.feet_N) == {"L", "R"}:
        left, right = (float(np.mean(record.feet_N[side][frames])) for side in "LR")
        asymmetry = 100.0 * (left - right) / (0.5 * (left + right)) if left + right > 0 else asymmetry
    return Squat(kind, start_s, turn_s, end_s, depth_m, peak, asymmetry)


def _leaves_seat_s(record: JumpRecord, start_s: float, end_s: float, *, whole_body: bool) -> float:
    """When the body leaves its seat; NaN without plates, or where they carry the seat too.

    With the whole body's centre the seat carries F = m (g + a) - F_floor, and the body leaves it when F vanishes for good; with the
    pelvis' alone it leaves when the floor first carries the weight.
    """
    if not len(record.time_s):
        return float("nan")
    time = record.frame_time_s
    floor_N = np.interp(time, record.time_s, record.force_N)
    weight_N = record.mass_kg * GRAVITY_M_S2
    if whole_body:
        rate_hz = 1.0 / float(np.median(np.diff(time)))
        smooth = lowpass(record.centre_m, rate_hz, CENTRE_CUTOFF_HZ)
        rise_m_s2: FloatArray = np.gradient(np.gradient(smooth, time), time)
        seat_N = record.mass_kg * (GRAVITY_M_S2 + rise_m_s2) - floor_N
        free = seat_N < SEAT_SHARE * weight_N
    else:
        free = floor_N >= weight_N
    rising = (time >= start_s) & (time <= end_s)
    time, free = time[rising], free[rising]
    if not free.any() or free[0]:
        return float("nan")
    leaves = np.flatnonzero(~free)[-1] + 1 if whole_body else np.argmax(free)
    return float(time[leaves]) if leaves < len(time) else float("nan")
