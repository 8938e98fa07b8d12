"""Spatiotemporal parameters of each cycle, by the definitions of ``docs/gait-methods.md``.

A foot's place is the position of its heel averaged over foot-flat, 20 to 50 % of its stance. Lengths are taken along, and widths
across, the line that joins two successive places of the same foot. On a belt, places are carried along with it first, so that a
stride includes the belt's travel. Dimensionless forms follow Hof 1996 (Gait Posture 4:222), with leg length l: length / l,
time / sqrt(l / g), speed / sqrt(g l).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import GRAVITY_M_S2, SIDE_SIGN
from biomech_id.feet.floor import Belts, carried_back, find_belts, flat_stances
from biomech_id.feet.landmarks import Landmarks
from biomech_id.feet.travel import Travel
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.plugins import Registry
from biomech_id.trial import Event
from biomech_id.values import dataclass

#: Fewer frames than this do not show a resting heel.
LEAST_FLAT_FRAMES = 2


@dataclass(frozen=True)
class GaitParameter:
    """One spatiotemporal value of one cycle: ``unit`` is "m", "s", "m/s", "1/min", "%" or "1" (dimensionless).

    Attributes
    ----------
    trial : str
        Name of the trial.
    side : str
        Foot whose cycle it is, "L" or "R"; empty for what has no side.
    cycle : int
        Number of the cycle, from 1.
    parameter : str
        Its name in the table.
    value : float
        The number itself, in ``unit``.
    unit : str
        "m", "s", "m/s", "1/min", "%" or "1".
    """

    trial: str
    side: str
    cycle: int
    parameter: str
    value: float
    unit: str


@dataclass(frozen=True)
class FootPlace:
    """Where a foot stood: strike time, and the heel's mean horizontal position (2,), m, in axes that move with the belt.

    Attributes
    ----------
    side : str
        Foot that stood: "L" or "R".
    start_s : float
        Time of the strike.
    heel_m : FloatArray
        (2,), horizontal, m, in axes that move with the belt.
    """

    side: str
    start_s: float
    heel_m: FloatArray


@dataclass(frozen=True)
class AddedMeasure:
    """A time-distance parameter from outside the library.

    Attributes
    ----------
    unit : str
        "m", "s", "m/s", "1/min", "%" or "1".
    value : Callable[[Landmarks, Cycle], float]
        ``value(landmarks, cycle)`` in that unit; NaN where nobody knows it.
    sd : Callable[[float, Cycle, Mapping[str, float]], float] | None, optional
        ``sd(value, cycle, sizes)``: how far it can be off, one standard deviation in that unit, by the sizes of errors
        (`uncertainty.sizes.error_sizes`); None where nobody knows.
    """

    unit: str
    value: Callable[[Landmarks, Cycle], float]
    sd: Callable[[float, Cycle, Mapping[str, float]], float] | None = None


#: Those that have a dimensionless form, and the others that every walk has.
_SCALED = ("speed", "stride_length", "step_length", "step_width", "stride_time", "step_time", "cadence")
_UNSCALED = (
    "stance_time", "swing_time", "foot_off", "opposite_foot_off", "opposite_foot_contact", "single_support", "double_support",
    "single_support_time", "double_support_time",
)  # fmt: skip
#: Measures of every cycle from outside the library, by their names in ``spatiotemporal.csv``.
ADDED_MEASURES: Registry[str, AddedMeasure] = Registry(
    "time-distance parameter", reserved=(*_UNSCALED, *_SCALED, *(f"{name}_dimensionless" for name in _SCALED))
)


def register_measure(name: str, measure: AddedMeasure) -> None:
    """Add a time-distance parameter of every cycle; means, norms, comparisons and pages take it as they take the library's own.

    Parameters
    ----------
    name : str
        What ``spatiotemporal.csv`` calls it; ``parameter.NAME`` is its label (`languages.add_sentences`).
    measure : AddedMeasure
        Value and standard deviation.

    Raises
    ------
    OptionError
        The name is taken.
    """
    ADDED_MEASURES.add(name, measure)


def gait_parameters(
    landmarks: Landmarks,
    events: Sequence[Event],
    cycles: Sequence[Cycle],
    *,
    travel: Travel | None = None,
    leg_length_m: float | None = None,
) -> tuple[GaitParameter, ...]:
    """Compute the parameters of every whole cycle; what an event or a marker is missing for is left out.

    A cycle that begins or ends with an event of a time too uncertain (`Event.timed`) has lengths alone.

    Parameters
    ----------
    landmarks : Landmarks
        Feet and events of the trial.
    events : Sequence[Event]
        Feet and events of the trial.
    cycles : Sequence[Cycle]
        Its cycles; ``stance_only`` ones have no parameters.
    travel : Travel | None, optional
        Gives the belt's velocity; without it the floor is at rest.
    leg_length_m : float | None, optional
        Mean of both legs, for the dimensionless forms; without it they are left out.

    Returns
    -------
    tuple[GaitParameter, ...]
        Rows of ``spatiotemporal.csv``, with their units, cycle by cycle.
    """
    belts = {} if travel is None else find_belts(landmarks, events, travel)
    places = foot_places(landmarks, events, belts)
    loose = {(event.side, event.time_s) for event in events if not event.timed}
    rows = []
    for cycle in cycles:
        if cycle.kinetics_valid is KineticsValid.STANCE_ONLY:
            continue
        values = dict(temporal_values(cycle)) | dict(_spatial(cycle, places, belts))
        if loose & {(cycle.side, cycle.start_s), (cycle.side, cycle.end_s)}:
            values = {name: (value, unit) for name, (value, unit) in values.items() if unit == "m"}
        if leg_length_m is not None:
            values |= dict(_dimensionless(values, leg_length_m))
        values |= {name: (added.value(landmarks, cycle), added.unit) for name, added in ADDED_MEASURES.items()}
        rows += [GaitParameter(cycle.trial, cycle.side, cycle.number, n, v, u) for n, (v, u) in values.items() if np.isfinite(v)]
    return tuple(rows)


def symmetry_index(left: float, right: float) -> float:
    """Difference of the sides as a share of their mean, percent: 100 (L - R) / (0.5 (L + R)).

    Robinson, Herzog and Nigg 1987 (J Manipulative Physiol Ther 10:172). Zero is symmetric, positive means more on the left.

    Parameters
    ----------
    left, right : float
        Of the two sides, in one unit.

    Returns
    -------
    float
        Percent, positive where the left side's value is larger.

    Examples
    --------
    >>> from biomech_id.gait.measures.spatiotemporal import symmetry_index
    >>> round(symmetry_index(1.1, 0.9), 6)
    20.0
    """
    return 100.0 * (left - right) / (0.5 * (left + right))


def foot_places(landmarks: Landmarks, events: Sequence[Event], belts: Belts) -> tuple[FootPlace, ...]:
    """Place of the foot in every stance of both sides, in order of time.

    A stance whose off is missing takes the median stance duration of its side (of both, where its side has none). Where the trial
    ends within foot-flat the frames before it count: the heel rests.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    events : Sequence[Event]
        In order of time.
    belts : Belts
        Side -> belt under that foot; empty over ground.

    Returns
    -------
    tuple[FootPlace, ...]
        Time of the strike and place of the heel, metres.
    """
    places = []
    for side, start_s, flat in flat_stances(landmarks, events):
        heel = carried_back(landmarks.heel_lab_m[side][flat, :2], landmarks.time_s[flat], belts, side)
        seen = heel[np.isfinite(heel).all(axis=1)]
        if len(seen) >= LEAST_FLAT_FRAMES:
            places.append(FootPlace(side, start_s, seen.mean(axis=0)))
    return tuple(sorted(places, key=lambda p: p.start_s))


Values = Iterator[tuple[str, tuple[float, str]]]


def temporal_values(cycle: Cycle) -> Values:
    """Yield name, value and unit of everything that the times of a cycle's events say.

    Parameters
    ----------
    cycle : Cycle
        The cycle, with its own and the other foot's events.

    Yields
    ------
    Values
        Name, value and unit, of what is known.
    """
    stride_s = cycle.duration_s
    percent = 100.0 / stride_s
    yield "stride_time", (stride_s, "s")
    yield "cadence", (120.0 / stride_s, "1/min")
    yield "step_time", (cycle.end_s - cycle.opposite_strike_s, "s")
    yield "stance_time", (cycle.foot_off_s - cycle.start_s, "s")
    yield "swing_time", (cycle.end_s - cycle.foot_off_s, "s")
    yield "foot_off", ((cycle.foot_off_s - cycle.start_s) * percent, "%")
    yield "opposite_foot_off", ((cycle.opposite_off_s - cycle.start_s) * percent, "%")
    yield "opposite_foot_contact", ((cycle.opposite_strike_s - cycle.start_s) * percent, "%")
    first, single = cycle.opposite_off_s - cycle.start_s, cycle.opposite_strike_s - cycle.opposite_off_s
    second = cycle.foot_off_s - cycle.opposite_strike_s
    if first >= 0 and single >= 0 and second >= 0:
        yield "single_support", (single * percent, "%")
        yield "double_support", ((first + second) * percent, "%")
        yield "single_support_time", (single, "s")
        yield "double_support_time", (first + second, "s")


def _spatial(cycle: Cycle, places: Sequence[FootPlace], belts: Belts) -> Values:
    own = {p.start_s: p.heel_m for p in places if p.side == cycle.side}
    between = [p.heel_m for p in places if p.side != cycle.side and cycle.start_s < p.start_s < cycle.end_s]
    if cycle.start_s not in own or cycle.end_s not in own:
        return
    stride = own[cycle.end_s] - own[cycle.start_s]
    length = float(np.linalg.norm(stride))
    yield "stride_length", (length, "m")
    yield "speed", (length / cycle.duration_s, "m/s")
    if between and length > 0:
        forward = stride / length
        left = np.array([-forward[1], forward[0]])
        # As the step ends: on two belts the feet are carried apart or together while both stand.
        now = np.array([cycle.end_s])
        ways = {side: belt.way_lab_m(now)[0] for side, belt in belts.items()}
        ahead = own[cycle.end_s] - between[0] + ways.get(cycle.side, 0.0) - ways.get("R" if cycle.side == "L" else "L", 0.0)
        yield "step_length", (float(ahead @ forward), "m")
        yield "step_width", (SIDE_SIGN[cycle.side] * float(ahead @ left), "m")


def _dimensionless(values: Mapping[str, tuple[float, str]], leg_m: float) -> Values:
    time_s, speed_m_s = float(np.sqrt(leg_m / GRAVITY_M_S2)), float(np.sqrt(GRAVITY_M_S2 * leg_m))
    scales = {
        "speed": speed_m_s, "stride_length": leg_m, "step_length": leg_m, "step_width": leg_m,
        "stride_time": time_s, "step_time": time_s, "cadence": 60.0 / time_s,
    }  # fmt: skip
    for name, scale in scales.items():
        if name in values:
            yield f"{name}_dimensionless", (values[name][0] / scale, "1")
