"""What runners are measured by: flight, strike type, loading rate, stiffness, braking.

Of every cycle of a run. The foot's strike is told twice. By geometry: the angle of heel to forefoot over the floor at the strike
less the same at mid-stance (20 to 50 % of contact); above 8 degrees the heel lands first, below -1.6 the forefoot (Altman and Davis
2012, Gait Posture 35:298). By force: where along the foot, from heel to toe marker, the centre of pressure is when the foot first
carries `FIRST_LOAD_N`; the hind third, the middle, the fore third (Cavanagh and Lafortune 1980, J Biomech 13:397).

The loading rate is the steepest rise of the vertical force between 20 and 80 % of the way from strike to the impact peak (Milner et
al. 2006, Med Sci Sports Exerc 38:323); without an impact peak, in the first 13 % of contact (Samaan et al. 2014). The samples
of the plates are taken through the library's low-pass at `LOADING_CUTOFF_HZ`. Vertical stiffness is peak force over the fall of the
body's centre during contact; leg stiffness puts in the arc that a leg of length l sweeps at speed v in half the contact time t,
l - sqrt(l^2 - (v t / 2)^2) (McMahon and Cheng 1990, J Biomech 23 S1:65). The braking impulse is that of the force against the
direction of travel. All per kg of body mass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.dynamics.body import FootContact
from biomech_id.feet.landmarks import Landmarks
from biomech_id.feet.stance_intervals import frames_within
from biomech_id.feet.travel import Travel
from biomech_id.gait.measures.spatiotemporal import GaitParameter
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.signal.filters import lowpass
from biomech_id.values import dataclass

#: Low-pass of the vertical force for the loading rate, Hz: heel impacts lie at 10 to 20 Hz.
LOADING_CUTOFF_HZ = 50.0
#: A foot that carries this much shows where it presses, N.
FIRST_LOAD_N = 50.0
#: Limits of the strike angle (deg) and of the strike index (% of heel to toe marker): fore, mid, rear.
STRIKE_ANGLE_DEG, STRIKE_INDEX_PERCENT = (-1.6, 8.0), (33.3, 66.7)
#: An impact peak comes within this share of contact, and the force falls after it.
IMPACT_SHARE, EARLY_SHARE = 0.30, 0.13
#: Of the way to the impact peak the rise is looked for here.
_FROM, _TO = 0.2, 0.8
#: Mid-stance, shares of contact.
_FLAT = (0.2, 0.5)
#: How parameters of runs are called in ``spatiotemporal.csv``.
RUNNING_PARAMETERS: tuple[str, ...] = (
    "contact_time", "flight_time", "duty_factor", "step_rate", "vertical_oscillation", "strike_angle", "strike_index",
    "peak_vertical_force", "loading_rate", "vertical_stiffness", "leg_stiffness", "braking_impulse", "propulsive_impulse",
)  # fmt: skip

#: The same numbers, as they are called of walks.
WALKING_NAMES: Mapping[str, str] = {"contact_time": "stance_time", "step_rate": "cadence"}


@dataclass(frozen=True, eq=False)
class VerticalForce:
    """Vertical force of all plates together, as recorded.

    Attributes
    ----------
    time_s : FloatArray
        (n,), absolute seconds of the plates' samples.
    force_N : FloatArray
        (n,), on the subject, upward positive.
    rate_hz : float
        Samples of the plates per second.
    """

    time_s: FloatArray
    force_N: FloatArray
    rate_hz: float


@dataclass(frozen=True, eq=False)
class Runner:
    """What the measures of a run are taken from.

    Attributes
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    travel : Travel
        Direction and speed of running, and the belt's.
    centre_lab_m : FloatArray
        (n, 3), centre of mass; of the pelvis where the body's is not known.
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench; empty without plates.
    plates : VerticalForce | None
        As recorded; None without plates.
    mass_kg : float | None
        Mass of the whole body, kg; None leaves forces out.
    leg_length_m : float | None
        Mean of both legs.
    floor_m : float, optional
        Height of the plates' surface.
    """

    landmarks: Landmarks
    travel: Travel
    centre_lab_m: FloatArray
    contacts: Mapping[str, FootContact]
    plates: VerticalForce | None
    mass_kg: float | None
    leg_length_m: float | None
    floor_m: float = 0.0


def running_parameters(runner: Runner, cycles: Sequence[Cycle]) -> tuple[GaitParameter, ...]:
    """Return the measures of every cycle of a run; what is not measured is left out.

    Parameters
    ----------
    runner : Runner
        What they are taken from.
    cycles : Sequence[Cycle]
        All cycles of the trial, of both sides.

    Returns
    -------
    tuple[GaitParameter, ...]
        Rows of ``spatiotemporal.csv``, cycle by cycle.
    """
    rows = []
    for cycle in cycles:
        measures = [*running_times(cycle), *_shape(runner, cycle)]
        if cycle.kinetics_valid is not KineticsValid.FALSE and cycle.side in runner.contacts and runner.mass_kg:
            measures += _forces(runner, cycle, runner.mass_kg)
        rows += [GaitParameter(cycle.trial, cycle.side, cycle.number, n, float(v), u) for n, v, u in measures if np.isfinite(v)]
    return tuple(rows)


def strike_type(angle_deg: float) -> str:
    """Return "rear", "mid" or "fore" for an angle of the foot at strike; "" for NaN.

    Parameters
    ----------
    angle_deg : float
        Over the floor, less that of mid-stance, toes up positive.

    Returns
    -------
    str
        "rear", "mid", "fore", or "" where it is not known.

    Examples
    --------
    >>> from biomech_id.gait.measures.running import strike_type
    >>> [strike_type(angle) for angle in (15.0, 2.0, -6.0, float("nan"))]
    ['rear', 'mid', 'fore', '']
    """
    if not np.isfinite(angle_deg):
        return ""
    low, high = STRIKE_ANGLE_DEG
    return "fore" if angle_deg < low else "rear" if angle_deg > high else "mid"


def strike_type_of_force(index_percent: float) -> str:
    """Return "rear", "mid" or "fore" for where along the foot the force first acts; "" for NaN.

    Parameters
    ----------
    index_percent : float
        From the heel marker (0) to the toe marker (100).

    Returns
    -------
    str
        "rear", "mid", "fore", or "" where it is not known.

    Examples
    --------
    >>> from biomech_id.gait.measures.running import strike_type_of_force
    >>> [strike_type_of_force(index) for index in (10.0, 50.0, 90.0)]
    ['rear', 'mid', 'fore']
    """
    if not np.isfinite(index_percent):
        return ""
    low, high = STRIKE_INDEX_PERCENT
    return "rear" if index_percent < low else "fore" if index_percent > high else "mid"


_Values = Iterator[tuple[str, float, str]]


def running_times(cycle: Cycle) -> Iterator[tuple[str, float, str]]:
    """Yield name, value and unit of everything that the times of a run's events say.

    Parameters
    ----------
    cycle : Cycle
        The cycle, with its own and the other foot's events.
    """
    contact = cycle.foot_off_s - cycle.start_s
    yield "contact_time", contact, "s"
    if cycle.kinetics_valid is KineticsValid.STANCE_ONLY:
        return
    yield "flight_time", cycle.opposite_strike_s - cycle.foot_off_s, "s"
    yield "duty_factor", 100.0 * contact / cycle.duration_s, "%"
    yield "step_rate", 120.0 / cycle.duration_s, "1/min"


def _shape(runner: Runner, cycle: Cycle) -> _Values:
    marks, time = runner.landmarks, runner.landmarks.time_s
    if cycle.kinetics_valid is not KineticsValid.STANCE_ONLY:
        height = runner.centre_lab_m[frames_within(time, cycle.start_s, cycle.end_s), 2]
        if len(height) > 2 and np.isfinite(height).all():
            yield "vertical_oscillation", float(np.ptp(height)), "m"
    along = marks.toe_lab_m[cycle.side] - marks.heel_lab_m[cycle.side]
    pitch = np.degrees(np.arctan2(along[:, 2], np.linalg.norm(along[:, :2], axis=1)))
    contact = cycle.foot_off_s - cycle.start_s
    flat = frames_within(time, cycle.start_s + _FLAT[0] * contact, cycle.start_s + _FLAT[1] * contact)
    # Of runners whose heels stay up the flattest frame is the nearest to a level foot.
    at_strike = float(np.interp(cycle.start_s, time, pitch, left=np.nan, right=np.nan))
    yield "strike_angle", at_strike - float(over_seen(np.nanmedian, pitch[flat])) if flat.any() else np.nan, "deg"


def _forces(runner: Runner, cycle: Cycle, mass_kg: float) -> _Values:
    time = runner.landmarks.time_s
    stance = frames_within(time, cycle.start_s, cycle.foot_off_s)
    contact = runner.contacts[cycle.side]
    force = contact.force_lab_N[stance] / mass_kg
    if stance.sum() < 4 or not contact.known[stance].all() or not np.isfinite(force).all():
        return
    peak = float(force[:, 2].max())
    yield "peak_vertical_force", peak, "N/kg"
    ahead = force[:, :2] @ runner.travel.direction_lab[:2]
    step = 1.0 / runner.landmarks.rate_hz
    yield "braking_impulse", float(np.minimum(ahead, 0.0).sum() * step), "N s/kg"
    yield "propulsive_impulse", float(np.maximum(ahead, 0.0).sum() * step), "N s/kg"
    yield "strike_index", _strike_index(runner, cycle, contact), "%"
    yield "loading_rate", _loading_rate(runner.plates, cycle) / mass_kg, "N/kg/s"
    height = runner.centre_lab_m[stance, 2]
    fall = float(height[0] - height.min())
    if np.isfinite(fall) and fall > 0:
        yield "vertical_stiffness", 1e-3 * peak / fall, "kN/m/kg"
        half = 0.5 * runner.travel.speed_m_s * (cycle.foot_off_s - cycle.start_s)
        leg = runner.leg_length_m
        if leg is not None and half < leg:
            yield "leg_stiffness", 1e-3 * peak / (fall + leg - float(np.sqrt(leg**2 - half**2))), "kN/m/kg"


def _strike_index(runner: Runner, cycle: Cycle, contact: FootContact) -> float:
    """Where from heel (0) to toe marker (100 %) the foot presses when it first carries something; NaN where it never does."""
    time, marks, side = runner.landmarks.time_s, runner.landmarks, cycle.side
    loaded = frames_within(time, cycle.start_s, cycle.foot_off_s) & (contact.force_lab_N[:, 2] > FIRST_LOAD_N)
    if not loaded.any():
        return float("nan")
    first = int(np.argmax(loaded))
    force, moment = contact.force_lab_N[first], contact.moment_lab_Nm[first]
    level = runner.floor_m
    cop = np.array([level * force[0] - moment[1], level * force[1] + moment[0]]) / force[2]
    heel, toe = marks.heel_lab_m[side][first, :2], marks.toe_lab_m[side][first, :2]
    along = toe - heel
    return 100.0 * float((cop - heel) @ along / (along @ along))


def _loading_rate(plates: VerticalForce | None, cycle: Cycle) -> float:
    """Steepest rise of the vertical force before the impact peak, N/s; NaN without the plates' samples."""
    if plates is None:
        return float("nan")
    smooth = lowpass(plates.force_N, plates.rate_hz, LOADING_CUTOFF_HZ)
    contact = cycle.foot_off_s - cycle.start_s
    inside = frames_within(plates.time_s, cycle.start_s, cycle.start_s + IMPACT_SHARE * contact)
    force = smooth[inside]
    if len(force) < 4:
        return float("nan")
    rise = np.diff(force) * plates.rate_hz
    falls = np.flatnonzero((rise[1:] < 0) & (rise[:-1] >= 0)) + 1
    first, last = (0.0, EARLY_SHARE / IMPACT_SHARE) if not len(falls) else (_FROM, _TO)
    end = len(force) - 1 if not len(falls) else int(falls[0])
    window = rise[int(first * end) : max(int(last * end), int(first * end) + 1)]
    return float(window.max()) if len(window) else float("nan")
