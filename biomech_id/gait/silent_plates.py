"""Stances that lose their kinetics to a plate: it reads nothing under a foot that stands wholly on it, or no longer.

A stance without a loaded plate under it is an everyday thing: most feet of a walk stand beside the plates. Not so where the whole
outline lies within a plate's edges and the foot rests: that plate has to carry it, from strike to off. Where it does not, its
vertical channel is dead, exchanged for another or cut off, or the plate was not switched on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.errors import Finding
from biomech_id.feet.contacts import CHATTER_S
from biomech_id.feet.stance_intervals import Interval
from biomech_id.gait.by_hand import Judged
from biomech_id.gait.verdict import EDGE_TOLERANCE_S, Scene, flat_frames
from biomech_id.signal.runs import runs

#: A flat foot whose whole outline lies this far (m) within a plate's edges is on that plate and on nothing else: an outline is good
#: to two centimetres, a plate's place to one. Of 96 recorded stances that one plate bears 84 lie so far inside, and none of the
#: feet that are so far inside a plate is without load there.
INSIDE_M = 0.03
#: While it is flat the outline's middle goes no further ahead than this (m): 17 mm at most. A foot that swings over the plate, for
#: its events are wrong, does; one on a belt goes back.
RESTS_M = 0.05
#: Peak of the vertical force over body weight below which a plate does not bear the foot that is wholly on it: 1.0 and more in 182
#: recorded stances; a horizontal force that is on the vertical channel reaches 0.25 in walks.
BEARS_SHARE = 0.4
#: A force that ends by itself falls to nothing from less than this, over body weight, as the mean of so long (s): from 0.13 at most
#: at the offs of 190 recorded stances, and from 0.45 at least where the same force is cut at 30, 50 and 70 % of the stance.
FELL_FROM_SHARE, FELL_OVER_S = 0.3, 0.02
#: Reasons of a stance whose plate does not read a force until its foot is off.
ENDS_EARLY = ("force-ends-early", "force-vanishes")
#: Those of somebody who took the stance out by hand, and knows.
TAKEN_OUT = ("no-plate-by-hand", "unloaded-by-hand")


def silent_stances(scene: Scene, side: str, judged: Sequence[Judged]) -> tuple[Finding, ...]:
    """Stances of one side without kinetics whose foot stands wholly on a plate that reads too little for it, or stops reading.

    Parameters
    ----------
    scene : Scene
        What verdicts are given from.
    side : str
        Foot whose stances these are: "L" or "R".
    judged : Sequence[Judged]
        Its stances with their loads; those set by hand are what somebody wants them to be.

    Returns
    -------
    tuple[Finding, ...]
        ``plate-silent-under-foot`` and ``force-ends-in-stance``, one a stance and plate; empty without a body mass.
    """
    return tuple(
        finding
        for stance_and_loads, interval in zip(judged, scene.intervals[side], strict=True)
        if interval.complete
        and side in scene.landmarks.sides
        and not stance_and_loads[0].verdict.solved
        and stance_and_loads[0].reason.rule not in TAKEN_OUT
        for finding in _silent_under(scene, stance_and_loads, interval)
    )


def _silent_under(scene: Scene, stance_and_loads: Judged, interval: Interval) -> Iterator[Finding]:
    """What speaks against each plate that a foot stands wholly on, and that does not bear it from strike to off."""
    stance, loads = stance_and_loads
    if scene.body_mass_kg is None:
        return
    weight_N = scene.body_mass_kg * GRAVITY_M_S2
    for index, plate in enumerate(scene.trial.plates):
        # Who is on another plate as well stands where the file describes two.
        inside_m = _inside_m(scene, interval, index) if set(stance.plates) <= {plate.name} else 0.0
        force_N = _force_N(scene, interval, index, EDGE_TOLERANCE_S) if inside_m > INSIDE_M else np.empty((0, 3))
        if not len(force_N):
            continue
        peak_N = float(force_N[:, 2].max())
        values = {"side": stance.side, "start_s": stance.start_s, "plate": plate.name, "inside_mm": 1e3 * inside_m}
        values |= {"peak_percent": 100.0 * max(peak_N, 0.0) / weight_N}
        if peak_N < BEARS_SHARE * weight_N:
            shear_N = float(np.hypot(force_N[:, 0], force_N[:, 1]).max())
            values |= {"limit_percent": 100.0 * BEARS_SHARE, "shear_percent": 100.0 * shear_N / weight_N}
            yield Finding("plate-silent-under-foot", values, scene.trial.name)
        elif stance.reason.rule in ENDS_EARLY:
            vertical_N = _force_N(scene, interval, index)[:, 2]
            unloaded = np.asarray(vertical_N <= loads[0].contact.threshold_N)
            lost = [run for run in runs(unloaded) if _falls_to(vertical_N, run, plate.rate_hz) > FELL_FROM_SHARE * weight_N]
            if lost:
                first, stop = max(lost, key=lambda run: run[1] - run[0])
                percent = {name: 100.0 * at / len(vertical_N) for name, at in (("from_percent", first), ("to_percent", stop))}
                yield Finding("force-ends-in-stance", values | percent | {"back": stop < len(vertical_N)}, scene.trial.name)


def _inside_m(scene: Scene, interval: Interval, index: int) -> float:
    """How far within a plate's edges the outmost point of a foot that rests flat on it lies, metres; NaN of any other foot.

    Of a plate whose forces the file puts on a foot by itself nobody knows where it is.
    """
    flat, side = flat_frames(scene, interval), interval.side
    on_level = scene.on_level(side, index)[flat]
    if scene.trial.plates[index].foot or not np.count_nonzero(on_level) > 0.5 * len(on_level):
        return float("nan")
    middle = scene.landmarks.outline_lab_m[side][flat, :, :2].mean(axis=1)
    ahead_m = np.einsum("nj,nj->n", middle, scene.landmarks.facing_lab[flat])
    seen_m = ahead_m[np.isfinite(ahead_m)]
    if not seen_m.size or seen_m.max() - seen_m[0] > RESTS_M:
        return float("nan")
    return float(over_seen(np.nanmedian, scene.outline_depth_m(side, index)[flat].min(axis=1)))


def _force_N(scene: Scene, interval: Interval, index: int, apart_s: float = 0.0) -> FloatArray:
    """Force (m, 3) that a plate reads in a stance, so far from its strike and off, vertical above what it reads at rest, N."""
    plate = scene.trial.plates[index]
    edges_s = (interval.start_s + apart_s - plate.first_time_s, interval.end_s - apart_s - plate.first_time_s)
    first, stop = (max(0, round(edge_s * plate.rate_hz)) for edge_s in edges_s)
    return np.asarray(plate.force_lab_N[first:stop] - [0.0, 0.0, scene.at_rest(index).offset_N])


def _falls_to(vertical_N: FloatArray, unloaded: tuple[int, int], rate_hz: float) -> float:
    """Mean force just before a stretch without any; 0 where the stance begins with it, or where it is no more than chatter."""
    first, stop = unloaded
    if not first or stop - first < CHATTER_S * rate_hz:
        return 0.0
    return float(vertical_N[max(0, first - max(1, round(FELL_OVER_S * rate_hz))) : first].mean())
