"""Heights and landings of jumps, by every method that the recording allows, and why they differ.

Heights are how far the body's centre rises after take-off. With take-off at t0 and landing at t1, g gravity and m body mass::

    flight      g (t1 - t0)^2 / 8                           right where the body lands as long as it took off
    impulse     v^2 / 2g,  v = integral of (F - m g) / m    from quiet standing to t0
    centre      highest minus take-off height of the centre of mass (of the pelvis where the body's is not known)

A body that lands lower than it left the floor flies longer than its height explains: the flight method then finds more, and the
difference is told with how much lower (Linthorne 2001, Am J Phys 69:1198). Take-off and landing are where the plates' sum crosses
`FLIGHT_N`; shorter unloadings than `LEAST_FLIGHT_S` are no flight, and shorter contacts than `BLIP_S` are no landing.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.gait.measures.spatiotemporal import GaitParameter
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass

#: Below this nobody is on the plates (N); flights and contacts that count are longer than these (s).
FLIGHT_N, LEAST_FLIGHT_S, BLIP_S = 20.0, 0.08, 0.03
#: Quiet standing before a jump: so long (s), forces within this share of weight around it.
QUIET_S, QUIET_SHARE = 0.3, 0.03
#: A flight is judged as landed lower than it took off from this difference on (m).
LOWER_M = 0.02
#: The body's centre accelerates with gravity to within this share of it in a flight.
FREE_SHARE = 0.3


@dataclass(frozen=True, eq=False)
class Jump:
    """One flight and what was measured of it; NaN where the recording does not show it.

    Attributes
    ----------
    take_off_s, landing_s : float
        When the plates are left and met again, absolute seconds.
    height_flight_m, height_impulse_m, height_centre_m : float
        Height by time of flight, by the impulse of the push, and by the path of the body's centre, m.
    lower_m : float
        How much lower the body's centre is at landing than at take-off.
    contact_s : float
        On the floor before, since the last flight; NaN for the first.
    landing_peak_N_kg : float
        Largest vertical force after landing.
    landing_asymmetry_percent : float
        Left less right of both legs' peaks, over their mean.
    stiffness_kN_m_kg : float
        Largest force in the contact before over the fall of the centre; NaN for the first flight.
    """

    take_off_s: float
    landing_s: float
    height_flight_m: float
    height_impulse_m: float
    height_centre_m: float
    lower_m: float
    contact_s: float
    landing_peak_N_kg: float
    landing_asymmetry_percent: float
    stiffness_kN_m_kg: float

    @property
    def cause(self) -> str:
        """Why flight time and the body's centre differ: "lower", "higher", "" where they agree or it is not known."""
        if not np.isfinite(self.lower_m) or abs(self.lower_m) < LOWER_M:
            return ""
        return "lower" if self.lower_m > 0 else "higher"


@dataclass(frozen=True, eq=False)
class JumpRecord:
    """What jumps are found in.

    Attributes
    ----------
    time_s : FloatArray
        (n,), of the plates' samples, absolute seconds.
    force_N : FloatArray
        (n,), vertical force of all plates together.
    frame_time_s : FloatArray
        (k,), of the video frames.
    centre_m : FloatArray
        (k,), height of the body's centre.
    mass_kg : float
        Mass of the whole body, kg.
    feet_N : Mapping[str, FloatArray]
        Side -> (k,), vertical force on that foot; empty where the plates do not tell the feet apart.
    """

    time_s: FloatArray
    force_N: FloatArray
    frame_time_s: FloatArray
    centre_m: FloatArray
    mass_kg: float
    feet_N: Mapping[str, FloatArray]


def find_jumps(record: JumpRecord) -> tuple[Jump, ...]:
    """Return every flight of a recording that both begins and ends on the plates, in order of time.

    Parameters
    ----------
    record : JumpRecord
        Forces and the path of the body's centre.

    Returns
    -------
    tuple[Jump, ...]
        Heights in metres, forces in N/kg; NaN where a method cannot measure it.
    """
    flights = _flights(record)
    landed_s = _first_landing_s(record, flights)
    jumps, before_s = [], landed_s
    for start, end in flights:
        off_s, down_s = float(record.time_s[start]), float(record.time_s[end])
        jumps.append(_measured(record, off_s, down_s, before_s, end))
        before_s = down_s
    return tuple(jumps)


def jump_parameters(jump: Jump, trial: str, number: int) -> tuple[GaitParameter, ...]:
    """Return what was measured of one jump as rows of ``spatiotemporal.csv``, of no side, its number in the place of a cycle's.

    Parameters
    ----------
    jump : Jump
        The jump, as `find_jumps` returns it.
    trial : str
        Name of the trial.
    number : int
        Of the jump in its trial, from 1.

    Returns
    -------
    tuple[GaitParameter, ...]
        One row for each measure that is known.
    """
    measures = (
        ("jump_take_off_at", jump.take_off_s, "s"), ("jump_landing_at", jump.landing_s, "s"),
        ("jump_flight_time", jump.landing_s - jump.take_off_s, "s"), ("jump_height_flight", jump.height_flight_m, "m"),
        ("jump_height_impulse", jump.height_impulse_m, "m"), ("jump_height_centre", jump.height_centre_m, "m"),
        ("jump_landing_lower", jump.lower_m, "m"), ("jump_contact_time", jump.contact_s, "s"),
        ("jump_landing_peak", jump.landing_peak_N_kg, "N/kg"), ("jump_landing_asymmetry", jump.landing_asymmetry_percent, "%"),
        ("jump_stiffness", jump.stiffness_kN_m_kg, "kN/m/kg"),
    )  # fmt: skip
    return tuple(GaitParameter(trial, "", number, name, float(v), unit) for name, v, unit in measures if np.isfinite(v))


def _flights(record: JumpRecord) -> list[tuple[int, int]]:
    """First samples without and with force again, of every flight; the body is falling in the middle of it."""
    rate = 1.0 / float(np.median(np.diff(record.time_s)))
    loaded: BoolArray = np.asarray(record.force_N > FLIGHT_N)
    for start, end in runs(loaded):
        if (end - start) / rate < BLIP_S:
            loaded[start:end] = False
    inside = [(start, end) for start, end in runs(~loaded) if start > 0 and end < len(loaded)]
    return [(start, end) for start, end in inside if (end - start) / rate >= LEAST_FLIGHT_S and _falls(record, start, end)]


def _falls(record: JumpRecord, start: int, end: int) -> bool:
    """Whether the body's centre falls freely between two samples: who steps off the plate is not in flight."""
    first_s, last_s = record.time_s[start], record.time_s[end]
    inside = (record.frame_time_s >= first_s) & (record.frame_time_s <= last_s) & np.isfinite(record.centre_m)
    if inside.sum() < 5:
        return False
    curve = np.polyfit(record.frame_time_s[inside] - first_s, record.centre_m[inside], 2)
    return bool(abs(2 * curve[0] + GRAVITY_M_S2) < FREE_SHARE * GRAVITY_M_S2)


def _first_landing_s(record: JumpRecord, flights: list[tuple[int, int]]) -> float:
    """When somebody came down onto empty plates before the first flight; NaN for who stood on them from the beginning."""
    if not flights or record.force_N[0] > FLIGHT_N:
        return float("nan")
    loaded = np.flatnonzero(record.force_N[: flights[0][0]] > FLIGHT_N)
    return float(record.time_s[loaded[0]]) if len(loaded) else float("nan")


def _measured(record: JumpRecord, off_s: float, down_s: float, before_s: float, end: int) -> Jump:
    height = np.interp([off_s, down_s], record.frame_time_s, record.centre_m)
    flying = (record.frame_time_s >= off_s) & (record.frame_time_s <= down_s)
    top = float(record.centre_m[flying].max()) if flying.any() else float("nan")
    after = (record.time_s >= down_s) & (record.time_s <= down_s + 0.5)
    peak = float(record.force_N[after].max()) / record.mass_kg
    contact = off_s - before_s
    stiffness = float("nan")
    on = (record.frame_time_s >= before_s) & (record.frame_time_s <= off_s)
    if np.isfinite(before_s) and on.sum() > 3:
        fall = float(np.interp(before_s, record.frame_time_s, record.centre_m) - record.centre_m[on].min())
        pushed = (record.time_s >= before_s) & (record.time_s <= off_s)
        stiffness = 1e-3 * float(record.force_N[pushed].max()) / record.mass_kg / fall if fall > 0 else stiffness
    return Jump(
        off_s, down_s, GRAVITY_M_S2 * (down_s - off_s) ** 2 / 8, _impulse_height_m(record, off_s), top - float(height[0]),
        float(height[0] - height[1]), contact, peak, _asymmetry_percent(record, down_s), stiffness,
    )  # fmt: skip


def _impulse_height_m(record: JumpRecord, off_s: float) -> float:
    """Height by the impulse since quiet standing on the plates; NaN where nobody stood quietly before."""
    weight = record.mass_kg * GRAVITY_M_S2
    before = record.time_s < off_s
    rate = 1.0 / float(np.median(np.diff(record.time_s)))
    quiet = [run for run in runs(np.asarray(np.abs(record.force_N[before] / weight - 1.0) < QUIET_SHARE)) if
             run[1] - run[0] >= QUIET_S * rate]  # fmt: skip
    if not quiet or not (record.force_N[quiet[-1][0] : before.sum()] > FLIGHT_N).all():
        return float("nan")
    start, stop = quiet[-1]
    # The weight of those who stand quietly is what the plates then say.
    weight = float(record.force_N[start:stop].mean())
    net = (record.force_N[start : int(before.sum())] - weight) / (weight / GRAVITY_M_S2)
    speed = float(net.sum()) / rate
    return speed**2 / (2 * GRAVITY_M_S2) if speed > 0 else float("nan")


def _asymmetry_percent(record: JumpRecord, down_s: float) -> float:
    """Left less right landing peak over the mean of both, percent; NaN where the feet are not told apart."""
    after = (record.frame_time_s >= down_s) & (record.frame_time_s <= down_s + 0.5)
    if set(record.feet_N) != {"L", "R"} or not after.any():
        return float("nan")
    left, right = (float(np.nanmax(record.feet_N[side][after])) for side in "LR")
    return 100.0 * (left - right) / (0.5 * (left + right)) if left + right > 0 else float("nan")
