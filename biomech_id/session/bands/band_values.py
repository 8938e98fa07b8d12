"""How far values can be off that are picked from curves or measured between events: peaks, time-distance parameters, scores.

The variance is the sum of the squares of what every error alone does to the value: a maximum is looked for again in every changed
curve, a time is taken again between every moved event. A score is the root of a mean of squares, and not linear in the curves: its
95 % band is sampled. Errors make scores larger on average, for a curve that is off in any direction is farther from the norm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import isnan

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.conventions import MM_PER_M, POWER_VARIABLE
from biomech_id.dynamics.power import integral_of_positive_part
from biomech_id.gait.measures.running import running_times
from biomech_id.gait.measures.scores import GAIT_VARIABLES, SCORE_POINTS
from biomech_id.gait.measures.spatiotemporal import ADDED_MEASURES, GaitParameter, temporal_values
from biomech_id.movement.cycle import Cycle
from biomech_id.session.bands.bands import CycleBand, Name
from biomech_id.session.tables.cycle_table import Curves
from biomech_id.session.tables.extrema import foot_off_percent
from biomech_id.session.tables.session_tables import CURVE_POINTS

#: Draws behind the band of a score, and their seed: the same recording has the same band.
DRAWS, SEED = 2000, 1
#: Ends of the 95 % band, percent of the draws.
BAND_PERCENT = (2.5, 97.5)
#: Phase -> what a joint generates in it and what it absorbs, by their names in ``peaks.csv``; and their unit.
WORK_NAMES = {phase: (f"work_positive_{phase}", f"work_negative_{phase}") for phase in ("stance", "swing")}
WORK_UNIT = "J/kg"
#: What a millimetre of a heel is to the length or width of a step, both heels being off.
_BOTH_HEELS = np.sqrt(2.0)


def with_peak_sd(rows: Iterable[dict[str, object]], bands: Iterable[CycleBand], curves: Curves) -> Iterator[dict[str, object]]:
    """Yield rows of ``peaks.csv`` with ``sd`` and ``sd_percent``; NaN where no band is known.

    Of an extremum that is looked for again, also between events that come earlier or later, because a curve that is steep where its
    phase ends has its extremum there; of a burst the curve's own band at its percent, for a maximum does not change with its place.

    Parameters
    ----------
    rows : Iterable[dict[str, object]]
        Rows of one trial, as of `session.tables.extrema`.
    bands : Iterable[CycleBand]
        Of the same trial.
    curves : Curves
        Curves of that trial, from which the rows were picked.
    """
    value_of = {(n.side, n.cycle, n.variable, n.component): curves.values[i] for i, n in enumerate(curves.names)}
    extrema: dict[tuple[object, ...], tuple[float, float]] = {}
    at_percent: dict[tuple[object, ...], FloatArray] = {}
    for band in bands:
        keys = [(band.cycle.side, band.cycle.number, *name) for name in band.names]
        known = [number for number, key in enumerate(keys) if key in value_of]
        if not known:
            continue
        values = np.stack([value_of[keys[number]] for number in known])
        total = np.hypot(band.total[known], np.nan_to_num(band.by_events(values)))
        at_percent |= {keys[number]: total[i] for i, number in enumerate(known)}
        extrema |= {(*keys[known[i]], name): sd for (i, name), sd in _extrema_sd(band, known, values).items()}
    unknown = (float("nan"), float("nan"))
    for row in rows:
        about = (row["side"], row["cycle"], row["variable"], row["component"])
        sd, sd_percent = extrema.get((*about, row["name"]), unknown)
        if isnan(sd) and about in at_percent and not str(row["name"]).endswith("share"):
            sd = float(at_percent[about][round(float(str(row["percent"])))])
        yield {**row, "sd": sd, "sd_percent": sd_percent}


def _extrema_sd(band: CycleBand, known: Sequence[int], curves: FloatArray) -> dict[tuple[int, str], tuple[float, float]]:
    """Standard deviations of value and percent of the curves' (V, 101) largest and smallest values in stance and in swing."""
    number, by_events = np.asarray(known), np.nan_to_num(band.changes_by_events(curves))
    n = len(band.changes) + len(by_events)
    foot_off = foot_off_percent(band.cycle)
    off_percent = 100.0 * band.event_sd_s.get("foot_off_s", 0.0) / band.cycle.duration_s
    # A foot off that is earlier or later by less than the next percent moves the phase's end by so much of it.
    step = max(1, int(np.ceil(off_percent)))
    percent = np.arange(CURVE_POINTS)
    sd_by_extremum: dict[tuple[int, str], tuple[float, float]] = {}
    usable = np.isfinite(curves) & np.isfinite(band.total[known])
    for of_phase in ("stance", "swing"):
        phases = [(percent <= foot_off + moved) == (of_phase == "stance") for moved in (0, -step, step)]
        for inside, rows in _alike(usable & phases[0]):
            if not inside.any():
                continue
            at = _as_slice(np.flatnonzero(inside))
            curve = curves[rows][:, at]
            # Errors both ways: a second place that competes for the maximum does so on one side only.
            every = np.empty((1 + 2 * n, *curve.shape))
            every[0] = curve
            first = 1
            for changes in (band.changes[:, _as_slice(number[rows])], by_events[:, _as_slice(rows)]):
                later = first + len(changes)
                np.add(curve, changes[:, :, at], out=every[first:later])
                np.subtract(curve, changes[:, :, at], out=every[first + n : later + n])
                first = later
            moved_ends = [curves[rows][:, phase & usable[rows[0]]] for phase in phases[1:]] if off_percent > 0.0 else []
            noise = band.noise[number[rows]][:, at]
            for word in ("max", "min"):
                value, place = _vertex(every, word)
                variance = 0.5 * ((value[1:] - value[0]) ** 2).sum(axis=0)
                for ends in moved_ends:
                    if ends.shape[1]:
                        most = ends.max(axis=1) if word == "max" else ends.min(axis=1)
                        variance = variance + 0.5 * ((most - value[0]) * off_percent / step) ** 2
                places = np.sqrt(0.5 * ((place[1:] - place[0]) ** 2).sum(axis=0))
                here = noise[np.arange(len(rows)), np.minimum(np.rint(place[0]).astype(np.intp), curve.shape[1] - 1)]
                both = zip(np.sqrt(variance + here**2).tolist(), places.tolist(), strict=True)
                sd_by_extremum |= {(row, f"{word}_{of_phase}"): sds for row, sds in zip(rows.tolist(), both, strict=True)}
    return sd_by_extremum


def _as_slice(places: IntArray) -> IntArray | slice:
    """Places in a row as a slice, which copies nothing."""
    return slice(places[0], places[-1] + 1) if places[-1] - places[0] == len(places) - 1 else places


def _alike(masks: BoolArray) -> Iterator[tuple[BoolArray, IntArray]]:
    """Masks (V, 101) that are the same, once each, with their rows."""
    rows: dict[bytes, list[int]] = {}
    for row, mask in enumerate(masks):
        rows.setdefault(mask.tobytes(), []).append(row)
    for alike in rows.values():
        yield masks[alike[0]], np.array(alike)


def _vertex(curves: FloatArray, word: str) -> tuple[FloatArray, FloatArray]:
    """Largest ("max") or smallest value of each curve (..., k), and its place, refined by the parabola through its neighbours."""
    shape, flat = curves.shape[:-1], curves.reshape(-1, curves.shape[-1])
    best = flat.argmax(axis=1) if word == "max" else flat.argmin(axis=1)
    place, at = best.astype(np.float64), best + flat.shape[1] * np.arange(len(flat))
    along = flat.reshape(-1)
    top = along[at]
    # Beside the first of the largest, the one before is lower, and the one behind at most as high: the parabola always bends, but
    # where rounding takes the bend of a curve that is level.
    inner = np.flatnonzero((best > 0) & (best < flat.shape[1] - 1))
    left, middle, right = along[at[inner] - 1], top[inner], along[at[inner] + 1]
    bend = left - 2.0 * middle + right
    place[inner] += np.divide(0.5 * (left - right), bend, out=np.zeros_like(bend), where=bend != 0.0)
    return top.reshape(shape), place.reshape(shape)


def joint_work_rows(curves: Curves, bands: Iterable[CycleBand], cycles: Iterable[Cycle]) -> Iterator[dict[str, object]]:
    """Yield rows of ``peaks.csv`` of what each joint generates and absorbs in stance and in swing, J/kg; no SD without a band.

    The power is taken as linear between percents. An error changes the curve and with it both works; an event that comes later
    takes or gives what the joint does meanwhile.

    Parameters
    ----------
    curves : Curves
        Curves of one trial, with the joints' powers among them.
    bands : Iterable[CycleBand]
        Of the same trial.
    cycles : Iterable[Cycle]
        Of the same trial; those without a foot off have no phases.
    """
    value_of = {(n.side, n.cycle, n.variable): curves.values[i] for i, n in enumerate(curves.names)}
    band_of = {(band.cycle.side, band.cycle.number): band for band in bands}
    nothing = float("nan")
    for cycle in cycles:
        off, band = foot_off_percent(cycle), band_of.get((cycle.side, cycle.number))
        for variable in POWER_VARIABLE.values():
            power = value_of.get((cycle.side, cycle.number, variable))
            if power is None or not 0.0 < off < 100.0:
                continue
            changes = np.empty((0, CURVE_POINTS))
            if band is not None and (variable, "") in band.names:
                changes = band.changes[:, band.names.index((variable, ""))].copy()
                # The last percents hang on the next stance's first frame, which may have no plate; a run's frames are two percents.
                for last in (CURVE_POINTS - 2, CURVE_POINTS - 1):
                    changes[:, last] = np.where(np.isnan(changes[:, last]), changes[:, last - 1], changes[:, last])
            every = np.concatenate([power[None], power + changes, power - changes])
            for phase, ends in {"stance": (0.0, off), "swing": (off, 100.0)}.items():
                at, inside = _part(every, *ends)
                if not np.isfinite(inside[0]).all():
                    continue
                time_s = at / 100.0 * cycle.duration_s
                works = (integral_of_positive_part(inside, time_s), 0.0 - integral_of_positive_part(-inside, time_s))
                by_events = _work_by_events(inside[0], phase, band) if band is not None and len(changes) else (nothing, nothing)
                for name, work, variance in zip(WORK_NAMES[phase], works, by_events, strict=True):
                    yield {
                        "trial": cycle.trial, "side": cycle.side, "cycle": cycle.number, "name": name, "variable": variable,
                        "component": "", "phase": phase, "percent": nothing, "time_s": nothing, "value": float(work[0]),
                        "unit": WORK_UNIT, "sd": float(np.sqrt(0.5 * ((work[1:] - work[0]) ** 2).sum() + variance)),
                        "sd_percent": nothing,
                    }  # fmt: skip


def _part(curves: FloatArray, first: float, last: float) -> tuple[FloatArray, FloatArray]:
    """Percents (k,) from first to last, and the curves (..., 101) there (..., k): linear where an end lies between two percents."""
    inner = np.arange(int(np.floor(first)) + 1, int(np.ceil(last)))
    ends = []
    for at in (first, last):
        low = min(int(at), CURVE_POINTS - 2)
        share = at - low
        # Beside a percent that is not known, one on which the end lies is known all the same.
        ends.append(curves[..., low + round(share)] if share in (0.0, 1.0) else
                    (1.0 - share) * curves[..., low] + share * curves[..., low + 1])  # fmt: skip
    at_percent = np.concatenate([[first], inner, [last]])
    return at_percent, np.concatenate([ends[0][..., None], curves[..., inner], ends[1][..., None]], axis=-1)


def _work_by_events(power: FloatArray, phase: str, band: CycleBand) -> tuple[float, float]:
    """Variances of generated and absorbed work, (J/kg)^2, because the phase begins and ends a little earlier or later."""
    ends = ("start_s", "foot_off_s") if phase == "stance" else ("foot_off_s", "end_s")
    variances = [0.0, 0.0]
    for end, at in zip(ends, (power[0], power[-1]), strict=True):
        variances[int(at < 0.0)] += float(at * band.event_sd_s.get(end, 0.0)) ** 2
    return variances[0], variances[1]


def parameter_sd(
    parameter: GaitParameter, plain: GaitParameter, cycle: Cycle, event_sd_s: Mapping[str, float], sizes: Mapping[str, float]
) -> float:
    """Return the standard deviation of a time-distance parameter, in its unit; NaN where nobody knows it.

    A dimensionless form is as sure as what it was made of, at the leg length given: half a centimetre more or less of a leg of
    0.8 m is another 0.6 % of the value (0.3 % where its root divides), the same in every cycle. The speed is as sure as the
    duration of its stride. One heel marker shows both ends of a stride, and where it lies drops out: what is left is skin over the
    heel, taken to lie anew at either end; noise and moved events are a tenth of that.

    Parameters
    ----------
    parameter : GaitParameter
        The parameter as the table has it, of one cycle.
    plain : GaitParameter
        The same in metres and seconds: what a dimensionless form was made of, else the parameter itself.
    cycle : Cycle
        The cycle that the parameter is of.
    event_sd_s : Mapping[str, float]
        Field of `Cycle` -> standard deviation of that event, seconds.
    sizes : Mapping[str, float]
        Name -> standard deviation (see `uncertainty.sizes.error_sizes`).
    """
    scale = 1.0 if parameter == plain else abs(parameter.value / plain.value) if plain.value else float("nan")
    times_sd = _times_sd(cycle, tuple(event_sd_s.items()))
    if plain.parameter == "speed":
        return scale * abs(plain.value) * times_sd["stride_time"] / cycle.duration_s
    added = ADDED_MEASURES.get(plain.parameter)
    if added and added.sd:
        return added.sd(plain.value, cycle, sizes)
    if plain.parameter in times_sd:
        return scale * times_sd[plain.parameter]
    if plain.parameter == "stride_length":
        return float(scale * _BOTH_HEELS * sizes["tissue_heel_mm"] / MM_PER_M)
    direction = {"step_length": "forward", "step_width": "side"}.get(plain.parameter)
    if direction is None:
        return float("nan")
    return float(scale * _BOTH_HEELS * np.hypot(sizes[f"heel_{direction}_mm"], sizes["tissue_heel_mm"]) / MM_PER_M)


@lru_cache(maxsize=8)
def _times_sd(cycle: Cycle, event_sd_s: tuple[tuple[str, float], ...]) -> Mapping[str, float]:
    """Of every value between events, taken again with each of them moved."""
    moved = [
        _times(replace(cycle, **{end: getattr(cycle, end) + sd_s})) for end, sd_s in event_sd_s if np.isfinite(getattr(cycle, end))
    ]
    return {
        name: float(np.sqrt(np.sum(np.square([each.get(name, value) - value for each in moved]))))
        for name, value in _times(cycle).items()
    }


def _times(cycle: Cycle) -> dict[str, float]:
    """Values between events, by their names of walks and of runs."""
    running = {name: value for name, value, _ in running_times(cycle)}
    return running | {name: value for name, (value, _) in temporal_values(cycle)}


def score_bands(
    bands: Sequence[CycleBand], means: Mapping[tuple[str, str, str], FloatArray], norm: Mapping[Name, FloatArray]
) -> Mapping[tuple[str, str, str], tuple[float, float, float]]:
    """Return (side, variable, component) -> low, high, standard deviation of a gait variable score.

    Variable and component are empty for profile scores; the side as well for that of both legs.

    Parameters
    ----------
    bands : Sequence[CycleBand]
        Of the cycles in the means; their errors are the same draws.
    means : Mapping[tuple[str, str, str], FloatArray]
        (side, variable, component) -> mean curve (101,).
    norm : Mapping[Name, FloatArray]
        (variable, component) -> the norm's mean curve (101,).
    """
    squares: dict[tuple[str, str, str], FloatArray] = {}
    rng = np.random.default_rng(SEED)
    pelvis_draws: FloatArray | None = None
    for side in ("L", "R"):
        of_side_bands = [band for band in bands if band.cycle.side == side and np.isfinite(band.changes[:, :3]).all()]
        if not of_side_bands or len({band.drawn or band.sources for band in of_side_bands}) > 1:
            continue
        labels = of_side_bands[0].drawn or of_side_bands[0].sources
        draws = rng.standard_normal((DRAWS, len(labels)))
        of_pelvis = [i for i, label in enumerate(labels) if label == "pelvis"]
        # The pelvis is one body: what is off about it is off for both legs.
        if pelvis_draws is None:
            pelvis_draws = draws[:, of_pelvis]
        elif pelvis_draws.shape[1] == len(of_pelvis):
            draws[:, of_pelvis] = pelvis_draws
        for name in GAIT_VARIABLES:
            mean, normal = means.get((side, *name)), norm.get(name)
            if mean is None or normal is None:
                continue
            number = of_side_bands[0].names.index(name)
            change = np.mean([_of_all_drawn(band, number) for band in of_side_bands], axis=0)
            far = mean[::2] - normal[:: 2 if len(normal) == CURVE_POINTS else 1]
            known = np.isfinite(far) & np.isfinite(change).all(axis=0)
            if known.sum() < 0.9 * SCORE_POINTS:
                continue
            squares[(side, *name)] = _mean_squares(far[known], change[:, known], draws)
    ends = {key: _ends(np.sqrt(square)) for key, square in squares.items()}
    per_side = {side: [squares.get((side, *name)) for name in GAIT_VARIABLES] for side in ("L", "R")}
    for side, of_side in per_side.items():
        if all(square is not None for square in of_side):
            ends[side, "", ""] = _ends(np.sqrt(np.mean([s for s in of_side if s is not None], axis=0)))
    own = [s for (name, _), s in zip(GAIT_VARIABLES, per_side["R"], strict=True) if name != "PelvisAngles"]
    both = [*per_side["L"], *own]
    if all(square is not None for square in both):
        ends["", "", ""] = _ends(np.sqrt(np.mean([s for s in both if s is not None], axis=0)))
    return ends


def _of_all_drawn(band: CycleBand, number: int) -> FloatArray:
    """Changes (drawn, 51) of one curve by every error that is drawn."""
    changes = band.changes[:, number, ::2]
    if not band.drawn:
        return changes
    all_changes = np.zeros((len(band.drawn), changes.shape[1]))
    all_changes[list(band.numbers)] = changes[: len(band.numbers)]
    return all_changes


def _mean_squares(far: FloatArray, change: FloatArray, draws: FloatArray) -> FloatArray:
    """Mean over the points of (far + sum z_p change_p)^2 for each draw z: a quadratic form, without the curves of every draw."""
    n = len(far)
    linear = np.einsum("pk,k->p", change, far) / n
    quadratic = np.einsum("pk,qk->pq", change, change) / n
    return np.asarray(
        far @ far / n + 2.0 * np.einsum("dp,p->d", draws, linear) + np.einsum("dp,pq,dq->d", draws, quadratic, draws, optimize=True)
    )


def _ends(scores: FloatArray) -> tuple[float, float, float]:
    low, high = np.percentile(scores, BAND_PERCENT)
    return float(low), float(high), float(scores.std())
