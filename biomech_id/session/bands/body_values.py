"""How far parameters of trunk, arms and the centre of mass can be off: each taken again from every changed curve of its cycle.

A margin of stability is ``edge - (c + v tau)``, tau = sqrt(l / g): c and v = c' change with the centre of mass, tau with its mean
height, and the edge is a marker of its own, on the wrong spot and on skin. Where a margin is read at a strike, or is the least
between two events, a moved event reads it elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import GRAVITY_M_S2, MM_PER_M, SIDE_SIGN
from biomech_id.feet.stance_intervals import frames_within
from biomech_id.gait.measures.stability import EDGES, Stability
from biomech_id.movement.cycle import Cycle
from biomech_id.session.bands.bands import CycleBand, Name
from biomech_id.session.bands.upper_bands import COM
from biomech_id.session.solved import Solved
from biomech_id.session.tables.session_tables import CURVE_POINTS

#: Edge of a foot -> what its marker's sizes are called.
_EDGE_SIZES = {"ankle": "malleolus", "metatarsal_5": "toe", "toe": "toe"}

#: Draws behind what is not linear in the errors, and their seed: the same recording has the same band.
DRAWS, SEED = 200, 1


class _Cycle(NamedTuple):
    """One cycle with the bands of what is above the pelvis, and what the skin of its leg moves with (101, 2)."""

    cycle: Cycle
    band: CycleBand
    skin: FloatArray
    sizes: Mapping[str, float]

    @property
    def percents_s(self) -> FloatArray:
        """Times (101,) of the percents."""
        return np.linspace(self.cycle.start_s, self.cycle.end_s, CURVE_POINTS)

    def changes(self, name: Name) -> FloatArray:
        """Changes (P, 101) of a curve."""
        return self.band.changes[:, self.band.names.index(name)]

    def rate(self, of: FloatArray) -> FloatArray:
        """Rate of change of curves (..., 101), per second."""
        return np.asarray(np.gradient(of, self.cycle.duration_s / (CURVE_POINTS - 1), axis=-1))

    def of_frames(self, time_s: FloatArray, values: FloatArray) -> FloatArray:
        """A series (n,) at the percents (101,) of the cycle."""
        return _at(self.percents_s, time_s, values)


def _at(times_s: FloatArray, time_s: FloatArray, values: FloatArray) -> FloatArray:
    """A series (n,) at some times, across frames that are missing."""
    seen = np.isfinite(values)
    return np.interp(times_s, time_s[seen], values[seen]) if seen.any() else np.full(np.shape(times_s), np.nan)


def body_sds(
    trial: Solved, cycle: Cycle, band: CycleBand, curve_of: Callable[[Name], FloatArray | None], skin: FloatArray
) -> dict[str, float]:
    """Return how far the parameters of trunk, arms and the whole body of a cycle can be off.

    Parameters
    ----------
    trial : Solved
        The trial, with its whole body where that is tracked.
    cycle : Cycle
        The cycle.
    band : CycleBand
        Of the cycle's angles above the pelvis and its centre of mass, with those of its events.
    curve_of : Callable[[Name], FloatArray | None]
        Variable and component of ``cycles.csv`` -> that curve of the cycle (101,), deg.
    skin : FloatArray
        (n_frames, 2), what the skin of this leg moves with.

    Returns
    -------
    dict[str, float]
        Parameter of ``spatiotemporal.csv`` -> standard deviation, in its unit.
    """
    rows = trial.motion.time_s
    percents = np.linspace(cycle.start_s, cycle.end_s, CURVE_POINTS)
    of_leg = np.stack([np.interp(percents, rows, np.nan_to_num(x)) for x in skin.T], axis=1)
    own = _Cycle(cycle, band, of_leg, trial.errors[cycle.side].sizes)
    sds = dict(_of_angles(own, curve_of))
    if trial.whole_body is not None:
        sds |= dict(_of_excursions(own, trial))
        sds |= dict(_of_leg_work(own, trial))
        if trial.whole_body.stability is not None:
            sds |= dict(_of_margins(own, trial.whole_body.stability, trial))
    return sds


def _drawn_sd(value: Callable[[FloatArray], FloatArray], curve: FloatArray, changes: FloatArray) -> float:
    """Root mean square from a value of a curve over draws of all its errors together, the same draws in every cycle.

    Errors make a range larger on average, and a least value smaller, by more than each does alone.
    """
    draws = np.random.default_rng(SEED).standard_normal((DRAWS, len(changes)))
    taken = value(np.concatenate([curve[None], curve + np.tensordot(draws, changes, axes=1)]))
    return float(np.sqrt(np.mean((taken[1:] - taken[0]) ** 2)))


def _range(curves: FloatArray) -> FloatArray:
    return np.asarray(np.ptp(curves, axis=-1))


def _of_angles(own: _Cycle, curve_of: Callable[[Name], FloatArray | None]) -> Iterator[tuple[str, float]]:
    for name, variable in (("laboratory", "ThoraxAngles"), ("pelvis", "SpineAngles")):
        lean, changes = curve_of((variable, "Y")), own.changes((variable, "Y"))
        if lean is not None:
            yield f"trunk_lean_{name}", float(np.hypot.reduce(changes.mean(axis=-1)))
            yield f"trunk_sway_{name}", _drawn_sd(_range, lean, changes)
    flexion = curve_of(("ShoulderAngles", "X"))
    if flexion is not None:
        yield "arm_swing", _drawn_sd(_range, flexion, own.changes(("ShoulderAngles", "X")))


def _of_excursions(own: _Cycle, trial: Solved) -> Iterator[tuple[str, float]]:
    assert trial.whole_body is not None
    path = trial.whole_body.momentum.com_lab_m @ trial.whole_body.R_progression_lab.T
    for name, axis in (("sideways", 1), ("vertical", 2)):
        curve = own.of_frames(trial.motion.time_s, path[:, axis])
        changes = own.changes(COM[axis]) / MM_PER_M
        yield f"centre_of_mass_{name}", _drawn_sd(_range if axis == 2 else _sway, curve, changes)


def _sway(curves: FloatArray) -> FloatArray:
    """Range beside the line between the ends."""
    ends = curves[..., :1] + np.linspace(0.0, 1.0, CURVE_POINTS) * (curves[..., -1:] - curves[..., :1])
    return _range(curves - ends)


def _of_leg_work(own: _Cycle, trial: Solved) -> Iterator[tuple[str, float]]:
    """Of the leg's work on the centre of mass, J/kg: by the velocity of that centre; the plates' own error is a hundredth of it."""
    assert trial.whole_body is not None
    time_s, cycle, whole = trial.motion.time_s, own.cycle, trial.whole_body
    power, contact = whole.energy.leg_power_W_kg.get(cycle.side), trial.contacts.get(cycle.side)
    if power is None or contact is None:
        return
    force_N_kg = contact.force_lab_N @ whole.R_progression_lab.T / whole.momentum.mass_kg
    rates = [own.of_frames(time_s, force_N_kg[:, i]) * own.rate(own.changes(name)) / MM_PER_M for i, name in enumerate(COM)]
    stance = frames_within(own.percents_s, cycle.start_s, cycle.foot_off_s)
    curve, changes = own.of_frames(time_s, power)[stance], np.sum(rates, axis=0)[:, stance]
    step_s = cycle.duration_s / (CURVE_POINTS - 1)
    yield "leg_work_positive", step_s * _drawn_sd(lambda each: np.maximum(each, 0.0).sum(axis=-1), curve, changes)
    yield "leg_work_negative", step_s * _drawn_sd(lambda each: np.minimum(each, 0.0).sum(axis=-1), curve, changes)


def _of_margins(own: _Cycle, stability: Stability, trial: Solved) -> Iterator[tuple[str, float]]:
    """Margins, metres."""
    assert trial.whole_body is not None
    time_s, side, whole = trial.motion.time_s, own.cycle.side, trial.whole_body
    tau = np.sqrt(stability.pendulum_m / GRAVITY_M_S2)
    ahead = (stability.xcom_lab_m - whole.momentum.com_lab_m[:, :2]) @ whole.R_progression_lab[:2, :2].T
    higher = own.changes(COM[2]).mean(axis=1)[:, None] / MM_PER_M / (2.0 * stability.pendulum_m)
    for edge, sideways in EDGES.items():
        margin = stability.margin_m.get((side, edge))
        if margin is None:
            continue
        sign, axis, way = (SIDE_SIGN[side], 1, "side") if sideways else (1.0, 0, "forward")
        com = own.changes(COM[axis]) / MM_PER_M
        moved = com + tau * own.rate(com) + higher * own.of_frames(time_s, ahead[:, axis])
        stem = _EDGE_SIZES[edge]
        placed = own.sizes[f"{stem}_{way}_mm"] * np.ones((1, CURVE_POINTS))
        skin = own.sizes[f"tissue_{stem}_mm"] / np.sqrt(2.0) * own.skin.T
        changes = np.concatenate([-sign * moved, np.concatenate([placed, skin]) / MM_PER_M])
        name = f"margin_of_stability_{'sideways' if sideways else 'fore_aft'}_{edge}"
        by_start = _moved(partial(_at, time_s=time_s, values=margin), own, "start_s")
        yield f"{name}_strike", float(np.hypot.reduce([*changes[:, 0], by_start]))
        alone = own.cycle.opposite_off_s, own.cycle.opposite_strike_s
        if sideways and frames_within(time_s, *alone).any():
            yield f"{name}_single_support", _least(own, margin, time_s, changes)


def _moved(value: Callable[[float], Any], own: _Cycle, event: str) -> float:
    """Standard deviation of a value that is taken at an event."""
    at, sd_s = getattr(own.cycle, event), own.band.event_sd_s.get(event, 0.0)
    return float(np.sqrt(0.5 * sum((value(at + way * sd_s) - value(at)) ** 2 for way in (-1, 1))))


def _least(own: _Cycle, margin: FloatArray, time_s: FloatArray, changes: FloatArray) -> float:
    """Of the least margin between the other foot's off and its strike."""
    first, last = own.cycle.opposite_off_s, own.cycle.opposite_strike_s
    inside = frames_within(own.percents_s, first, last)

    def from_to(begin: float, end: float) -> float:
        return float(_at(np.linspace(begin, end, CURVE_POINTS), time_s, margin).min())

    variance = _drawn_sd(lambda curves: curves.min(axis=-1), own.of_frames(time_s, margin)[inside], changes[:, inside]) ** 2
    variance += _moved(lambda at: from_to(at, last), own, "opposite_off_s") ** 2
    return float(np.sqrt(variance + _moved(lambda at: from_to(first, at), own, "opposite_strike_s") ** 2))
