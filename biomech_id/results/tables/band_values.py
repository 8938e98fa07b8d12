"""How far values can be off that are picked from curves or measured between events: peaks, time-distance parameters, scores.

The variance is the sum of the squares of what every error alone does to the value: a maximum is looked for again in every changed
curve, a time is taken again between every moved event. A score is the root of a mean of squares, and not linear in the curves: its
95 % band is sampled. Errors make scores larger on average, for a curve that is off in any direction is farther from the norm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import MM_PER_M
from biomech_id.gait.cycle import Cycle
from biomech_id.gait.running import WALKING_NAMES
from biomech_id.gait.scores import GAIT_VARIABLES, SCORE_POINTS
from biomech_id.gait.spatiotemporal import GaitParameter, temporal_values
from biomech_id.results.tables.bands import CycleBand, Name
from biomech_id.results.tables.cycle_table import Curves
from biomech_id.results.tables.extrema import foot_off_percent
from biomech_id.results.tables.session_tables import CURVE_POINTS

#: Draws behind the band of a score, and their seed: the same recording has the same band.
DRAWS, SEED = 2000, 1
#: Ends of the 95 % band, percent of the draws.
BAND_PERCENT = (2.5, 97.5)
#: What a millimetre of a heel is to the length or width of a step, both heels being off.
_BOTH_HEELS = np.sqrt(2.0)


def with_peak_sd(rows: Iterable[dict[str, object]], bands: Iterable[CycleBand], curves: Curves) -> Iterator[dict[str, object]]:
    """Yield rows of ``peaks.csv`` with ``sd`` and ``sd_percent``; NaN where no band is known.

    Of an extremum that is looked for again; of a burst the curve's own band at its percent, for a maximum does not change with its
    place.

    Parameters
    ----------
    rows : Iterable[dict[str, object]]
        Of one trial.
    bands : Iterable[CycleBand]
        Of the same trial.
    curves : Curves
        Its curves.
    """
    value_of = {(n.side, n.cycle, n.variable, n.component): curves.values[i] for i, n in enumerate(curves.names)}
    extrema: dict[tuple[object, ...], tuple[float, float]] = {}
    total: dict[tuple[object, ...], FloatArray] = {}
    for band in bands:
        stance = np.arange(CURVE_POINTS) <= foot_off_percent(band.cycle)
        whole = band.total
        for number, (variable, component) in enumerate(band.names):
            key = (band.cycle.side, band.cycle.number, variable, component)
            if key in value_of:
                total[key] = whole[number]
                found = _extremum_sd(band.changes[:, number], band.noise[number], value_of[key], stance)
                extrema |= {(*key, name): sd for name, sd in found.items()}
    for row in rows:
        about = (row["side"], row["cycle"], row["variable"], row["component"])
        sd, sd_percent = extrema.get((*about, row["name"]), (float("nan"), float("nan")))
        if about in total and np.isnan(sd) and not str(row["name"]).endswith("share"):
            sd = float(total[about][round(float(str(row["percent"])))])
        yield {**row, "sd": sd, "sd_percent": sd_percent}


def _extremum_sd(changes: FloatArray, noise: FloatArray, curve: FloatArray, stance: BoolArray) -> dict[str, tuple[float, float]]:
    """Standard deviations of value and percent of a curve's largest and smallest value in stance and in swing."""
    found: dict[str, tuple[float, float]] = {}
    for phase, mask in (("stance", stance), ("swing", ~stance)):
        inside = mask & np.isfinite(curve) & np.isfinite(changes).all(axis=0)
        if not inside.any():
            continue
        # Errors both ways: a second place that competes for the maximum does so on one side only.
        every = np.concatenate([curve[None, inside], curve[inside] + changes[:, inside], curve[inside] - changes[:, inside]])
        at = np.flatnonzero(inside)
        for word, sign in (("max", 1.0), ("min", -1.0)):
            value, place = _vertex(sign * every)
            off, moved = value[1:] - value[0], place[1:] - place[0]
            here = noise[at[min(round(float(place[0])), len(at) - 1)]]
            found[f"{word}_{phase}"] = (
                float(np.sqrt(0.5 * (off**2).sum() + here**2)), float(np.sqrt(0.5 * (moved**2).sum()))
            )  # fmt: skip
    return found


def _vertex(curves: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Largest value of each curve (m, k), and its place, refined by the parabola through its neighbours."""
    best = curves.argmax(axis=1)
    rows = np.arange(len(curves))
    top = curves[rows, best]
    inner = np.clip(best, 1, max(curves.shape[1] - 2, 1))
    if curves.shape[1] < 3:
        return top, best.astype(np.float64)
    left, middle, right = (curves[rows, inner + k] for k in (-1, 0, 1))
    bend = left - 2.0 * middle + right
    share = np.where(bend < 0.0, 0.5 * (left - right) / np.where(bend < 0.0, bend, 1.0), 0.0)
    return top, np.where(inner == best, best + np.clip(share, -0.5, 0.5), best)


def parameter_sd(
    parameter: GaitParameter, plain: GaitParameter, cycle: Cycle, event_sd_s: Mapping[str, float], sizes: Mapping[str, float]
) -> float:
    """Return the standard deviation of a time-distance parameter, in its unit; NaN where nobody knows it.

    A dimensionless form is as sure as what it was made of, at the leg length given: half a centimetre more or less of a leg of
    0.8 m is another 0.6 % of the value (0.3 % where its root divides), the same in every cycle. The speed is as sure as the
    duration of its stride. Of the length of a stride nothing is said: one heel marker shows both its ends, and where that marker
    lies drops out.

    Parameters
    ----------
    parameter : GaitParameter
        The parameter.
    plain : GaitParameter
        The same in metres and seconds: what a dimensionless form was made of, else the parameter itself.
    cycle : Cycle
        Its cycle.
    event_sd_s : Mapping[str, float]
        Field of `Cycle` -> standard deviation of that event, seconds.
    sizes : Mapping[str, float]
        Name -> standard deviation (see `uncertainty.sizes.error_sizes`).
    """
    scale = 1.0 if parameter == plain else abs(parameter.value / plain.value) if plain.value else float("nan")
    if plain.parameter == "speed":
        return scale * abs(plain.value) * _time_sd("stride_time", cycle, event_sd_s) / cycle.duration_s
    timed = WALKING_NAMES.get(plain.parameter, plain.parameter)
    if timed in dict(temporal_values(cycle)):
        return scale * _time_sd(timed, cycle, event_sd_s)
    direction = {"step_length": "forward", "step_width": "side"}.get(plain.parameter)
    if direction is None:
        return float("nan")
    return float(scale * _BOTH_HEELS * np.hypot(sizes[f"heel_{direction}_mm"], sizes["tissue_heel_mm"]) / MM_PER_M)


def _time_sd(name: str, cycle: Cycle, event_sd_s: Mapping[str, float]) -> float:
    """Of a value between events, taken again with each of them moved."""
    value, _ = dict(temporal_values(cycle))[name]
    changes = [
        dict(temporal_values(replace(cycle, **{end: getattr(cycle, end) + sd_s}))).get(name, (value, ""))[0] - value
        for end, sd_s in event_sd_s.items()
        if np.isfinite(getattr(cycle, end))
    ]
    return float(np.sqrt(np.sum(np.square(changes))))


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
        mine = [band for band in bands if band.cycle.side == side and np.isfinite(band.changes[:, :3]).all()]
        if not mine or len({band.sources for band in mine}) > 1:
            continue
        labels = mine[0].sources
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
            number = mine[0].names.index(name)
            change = np.mean([band.changes[:, number, ::2] for band in mine], axis=0)
            far = mean[::2] - normal[:: 2 if len(normal) == CURVE_POINTS else 1]
            known = np.isfinite(far) & np.isfinite(change).all(axis=0)
            if known.sum() < 0.9 * SCORE_POINTS:
                continue
            squares[(side, *name)] = _mean_squares(far[known], change[:, known], draws)
    found = {key: _ends(np.sqrt(square)) for key, square in squares.items()}
    per_side = {side: [squares.get((side, *name)) for name in GAIT_VARIABLES] for side in ("L", "R")}
    for side, of_side in per_side.items():
        if all(square is not None for square in of_side):
            found[side, "", ""] = _ends(np.sqrt(np.mean([s for s in of_side if s is not None], axis=0)))
    own = [s for (name, _), s in zip(GAIT_VARIABLES, per_side["R"], strict=True) if name != "PelvisAngles"]
    both = [*per_side["L"], *own]
    if all(square is not None for square in both):
        found["", "", ""] = _ends(np.sqrt(np.mean([s for s in both if s is not None], axis=0)))
    return found


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
