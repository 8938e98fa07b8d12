"""Values a clinician looks up: each curve at foot contact, its extrema in stance and in swing, and the named bursts of power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import CYCLE_ROWS, POWER_VARIABLE, UNITS
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.gait.measures.peaks import power_peaks
from biomech_id.movement.cycle import Cycle
from biomech_id.session.tables.cycle_table import Curves, leg_load_curves
from biomech_id.session.tables.session_tables import CURVE_POINTS

#: Variables whose values are tabled: everything with a sign a clinician names.
QUANTITIES = ("angle", "moment", "power", "ground force")
_PERCENT = np.arange(CURVE_POINTS)


def extrema_rows(curves: Curves, cycles: Sequence[Cycle]) -> list[dict[str, object]]:
    """Return rows of ``peaks.csv``: ``value_contact``, ``max_stance``, ``min_stance``, ``max_swing``, ``min_swing`` of every curve.

    Parameters
    ----------
    curves : Curves
        Curves of one trial, over all its cycles.
    cycles : Sequence[Cycle]
        Of the same trial; a cycle without a foot off has a value at contact only.
    """
    cycle_of = {(cycle.side, cycle.number): cycle for cycle in cycles}
    tabled = [i for i, name in enumerate(curves.names) if CYCLE_ROWS[name.variable, name.component].quantity in QUANTITIES]
    names, values = [curves.names[i] for i in tabled], curves.values[tabled]
    owners = [cycle_of[name.side, name.cycle] for name in names]
    off = np.array([foot_off_percent(cycle) for cycle in owners]).reshape(-1, 1)
    masks = {"stance": off >= _PERCENT, "swing": off < _PERCENT}
    places: dict[tuple[str, str], FloatArray] = {("value", "contact"): np.where(np.isfinite(values[:, 0]), 0.0, np.nan)}
    for phase, mask in masks.items():
        places["max", phase] = _place(np.where(mask & np.isfinite(values), values, -np.inf))
        places["min", phase] = _place(np.where(mask & np.isfinite(values), -values, -np.inf))
    rows: list[dict[str, object]] = []
    for i, (name, cycle) in enumerate(zip(names, owners, strict=True)):
        for (statistic, phase), place in places.items():
            if np.isnan(place[i]):
                continue
            percent = float(place[i])
            rows.append({
                "trial": name.trial, "side": name.side, "cycle": name.cycle, "name": f"{statistic}_{phase}",
                "variable": name.variable, "component": name.component, "phase": phase, "percent": percent,
                "time_s": time_at_percent(cycle, percent),
                "value": float(values[i, int(percent)]), "unit": CYCLE_ROWS[name.variable, name.component].unit,
            })  # fmt: skip
    return rows


def burst_rows(curves: Curves, sagittal: Curves, cycles: Sequence[Cycle]) -> list[dict[str, object]]:
    """Return rows of ``peaks.csv`` for the named bursts of joint power (`gait.measures.peaks`).

    Each is followed by ``<name>_sagittal_share``: how much of it (%) is the work of the sagittal moment.

    Parameters
    ----------
    curves : Curves
        Curves of one trial, with the joints' powers among them.
    sagittal : Curves
        The powers of the sagittal moments alone, W/kg (`cycle_table.sagittal_curves`).
    cycles : Sequence[Cycle]
        Of the same trial; one without a foot off has no named bursts.
    """
    powers = {(n.side, n.cycle, n.variable): curves.values[i] for i, n in enumerate(curves.names)}
    alone = {(n.side, n.cycle, n.variable): sagittal.values[i] for i, n in enumerate(sagittal.names)}
    rows = []
    for cycle in cycles:
        key = (cycle.side, cycle.number)
        joints = [joint for joint, variable in POWER_VARIABLE.items() if (*key, variable) in powers and (*key, variable) in alone]
        off = foot_off_percent(cycle)
        if not joints or not 0.0 < off < 100.0:
            continue
        total = {joint: powers[(*key, POWER_VARIABLE[joint])] for joint in joints}
        part = {joint: alone[(*key, POWER_VARIABLE[joint])] for joint in joints}
        for peak in power_peaks(total, off, sagittal=part):
            head = {"trial": cycle.trial, "side": cycle.side, "cycle": cycle.number, "variable": POWER_VARIABLE[peak.joint]}
            place = {"component": "", "phase": "cycle", "percent": peak.percent, "time_s": time_at_percent(cycle, peak.percent)}
            rows.append({**head, **place, "name": peak.name, "value": peak.value, "unit": UNITS["power"]})
            share = 100.0 * peak.sagittal_share
            rows.append({**head, **place, "name": f"{peak.name}_sagittal_share", "value": share, "unit": "%"})
    return rows


def load_rows(motion: BodyMotion, loads: JointLoads, cycles: Sequence[Cycle], *, mass_kg: float) -> list[dict[str, object]]:
    """Return the rows of ``peaks.csv`` that are about the legs' sagittal moments and bursts of power, of any loads.

    Parameters
    ----------
    motion : BodyMotion
        Poses of the tracked body in the whole trial.
    loads : JointLoads
        Of the same trial.
    cycles : Sequence[Cycle]
        Of the same trial.
    mass_kg : float
        Body mass that loads are divided by.
    """
    curves = leg_load_curves(motion, loads, cycles, mass_kg=mass_kg)
    components = np.array([name.component for name in curves.names], dtype=object)
    moments, powers, sagittal = (_only(curves, components == component) for component in ("X", "", "sagittal"))
    return [*extrema_rows(moments, cycles), *burst_rows(powers, sagittal, cycles)]


def _only(curves: Curves, which: BoolArray) -> Curves:
    return Curves(tuple(name for name, chosen in zip(curves.names, which, strict=True) if chosen), curves.values[which])


def time_at_percent(cycle: Cycle, percent: float) -> float:
    """Absolute time (s) at a percent of the cycle.

    Parameters
    ----------
    cycle : Cycle
        The cycle, from strike to next strike.
    percent : float
        Percent of the cycle.
    """
    return cycle.start_s + percent / 100.0 * cycle.duration_s


def foot_off_percent(cycle: Cycle) -> float:
    """Percent of the cycle at which the foot leaves the floor; NaN if that is not known.

    Parameters
    ----------
    cycle : Cycle
        The cycle, from strike to next strike.
    """
    return percent_of(cycle, cycle.foot_off_s)


def percent_of(cycle: Cycle, time_s: float) -> float:
    """Percent of the cycle at an absolute time (s); NaN for a time or a cycle that is not known.

    Parameters
    ----------
    cycle : Cycle
        The cycle, from strike to next strike.
    time_s : float
        The instant that is asked about, absolute seconds.
    """
    return 100.0 * (time_s - cycle.start_s) / cycle.duration_s


def event_percents(cycle: Cycle) -> Mapping[str, float]:
    """Percent of the cycle at foot off, opposite foot off and opposite foot strike, by their names in ``summary.json``.

    Parameters
    ----------
    cycle : Cycle
        The cycle, from strike to next strike.
    """
    times = {"foot_off": cycle.foot_off_s, "opposite_off": cycle.opposite_off_s, "opposite_strike": cycle.opposite_strike_s}
    return {f"{name}_percent": percent_of(cycle, time_s) for name, time_s in times.items()}


def _place(candidates: FloatArray) -> FloatArray:
    """Percent (m,) of the largest candidate of each curve (m, 101), where -inf is no candidate; NaN if there is none."""
    place = candidates.argmax(axis=1)
    return np.where(np.isneginf(candidates.max(axis=1, initial=-np.inf)), np.nan, place)
