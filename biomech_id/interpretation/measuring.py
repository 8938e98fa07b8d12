"""What rules measure, on many limbs or many cycles at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import SIDES
from biomech_id.interpretation.criteria import RULES_PITCH, Criterion, PhasePoint, RuleLimit, RuleQuantity, RuleTerm
from biomech_id.values import dataclass, field

_PERCENT = np.arange(101.0)
#: Where a foot is flat on the floor in walking, percent of the cycle.
_FLAT_FROM, _FLAT_TO = 15.0, 30.0
#: A foot that stays within this there is flat, and not farther from the static's pitch than a heel that is off the floor (deg).
_FLAT_SPREAD_DEG, HEEL_OFF_DEG = 5.0, 8.0
#: Where a change of the sign of a moment begins to count, percent of the cycle.
AFTER_LOADING = 5.0


@dataclass(frozen=True, eq=False)
class LimbCurves:
    """Curves of n limbs, or of n cycles, beside one another.

    Attributes
    ----------
    curves : Mapping[tuple[str, str], FloatArray]
        (variable, component) -> (n, 101) in the unit of the sign table; NaN where missing.
    events : Mapping[str, FloatArray]
        One of `criteria.PHASE_EVENTS` -> (n,) percent of the cycle.
    numbers : Mapping[str, FloatArray], optional
        Parameter of ``spatiotemporal.csv`` -> (n,).
    asymmetries : Mapping[str, FloatArray], optional
        Parameter -> (n,) difference of left and right over their mean, percent, without a sign.
    flat_deg : FloatArray | None, optional
        (n,) foot pitch of the flat foot in the static trial; None where nobody knows.
    """

    curves: Mapping[tuple[str, str], FloatArray]
    events: Mapping[str, FloatArray]
    numbers: Mapping[str, FloatArray] = field(default_factory=dict)
    asymmetries: Mapping[str, FloatArray] = field(default_factory=dict)
    flat_deg: FloatArray | None = None

    @property
    def count(self) -> int:
        """Number of limbs."""
        return len(next(iter(self.events.values())))

    def place(self, point: PhasePoint) -> FloatArray:
        """Return where a place lies in each limb's cycle, (n,) percent.

        Parameters
        ----------
        point : PhasePoint
            A percent of the cycle, or of the way from or to an event.
        """
        after = self.events[point.event] if point.event else np.zeros(self.count)
        return np.asarray(after + point.percent)

    def curve(self, variable: str, component: str) -> FloatArray:
        """Return one variable's curves, (n, 101); NaN where there is none.

        Parameters
        ----------
        variable, component : str
            Name and axis as in ``cycles.csv``: "KneeAngles", "X".
        """
        curves = self.curves.get((variable, component))
        return np.full((self.count, len(_PERCENT)), np.nan) if curves is None else curves

    def inside(self, quantity: RuleQuantity) -> BoolArray:
        """Return which percents lie in a quantity's phase, (n, 101).

        Parameters
        ----------
        quantity : RuleQuantity
            Its phase is meant.
        """
        start, end = self.place(quantity.start), self.place(quantity.end)
        return (start[:, None] - 1e-9 <= _PERCENT) & (end[:, None] + 1e-9 >= _PERCENT)


#: (variable, component) -> mean and SD of the norm, (101,) each.
NormCurves: TypeAlias = Mapping[tuple[str, str], tuple[FloatArray, FloatArray]]
NO_CURVES: NormCurves = MappingProxyType({})


def measured(limbs: LimbCurves, quantity: RuleQuantity, norm: NormCurves = NO_CURVES, *, k: float = 2.0) -> FloatArray:
    """Return a quantity of every limb, (n,); NaN where it is not known.

    Parameters
    ----------
    limbs : LimbCurves
        n limbs, each with its curves and events.
    quantity : RuleQuantity
        What of the curves is measured, and in which phase.
    norm : NormCurves, optional
        For shares and z-scores.
    k : float, optional
        The rules' common number of SDs, for shares.
    """
    nothing = np.full(limbs.count, np.nan)
    if quantity.stat == "st":
        return limbs.numbers.get(quantity.variable, nothing)
    if quantity.stat == "asym":
        return limbs.asymmetries.get(quantity.variable, nothing)
    curves = limbs.curve(quantity.variable, quantity.component)
    if quantity.stat in ("value", "rise_to_max", "pitch_from_flat"):
        at_place = _at(curves, limbs.place(quantity.start))
        if quantity.stat == "value":
            return at_place
        if quantity.stat == "pitch_from_flat":
            return np.asarray(at_place - _flat_deg(limbs, curves))
        return np.asarray(_known(curves, limbs.inside(quantity), np.max) - at_place)
    inside = limbs.inside(quantity)
    if quantity.stat in ("share", "zmean"):
        return _against_norm(curves, inside, quantity, norm.get((quantity.variable, quantity.component)), k)
    if quantity.stat == "pitch_from_static":
        flat = nothing if limbs.flat_deg is None else limbs.flat_deg
        return np.asarray(_known(curves, inside, np.min) - flat)
    values = _known(curves, inside, _STATS[quantity.stat])
    if quantity.stat == "at_max_in_swing":
        off = limbs.events["foot_off"]
        return np.asarray(100.0 * (values - off) / (100.0 - off))
    return values


def _known(curves: FloatArray, inside: BoolArray, stat: Callable[[FloatArray], float]) -> FloatArray:
    """A measure of the phase of each curve; NaN unless all of it is known.

    A measure of two arguments takes where in the cycle its values stand as well.
    """
    measures = np.full(len(curves), np.nan)
    for row, (curve, phase) in enumerate(zip(curves, inside, strict=True)):
        values = curve[phase]
        if len(values) and np.isfinite(values).all():
            measures[row] = stat(values) if stat in _PLAIN else stat(values, _PERCENT[phase])  # type: ignore[call-arg]
    return measures


def _slope(values: FloatArray, percent: FloatArray) -> float:
    """Rise of a fitted line over the phase."""
    about = percent - percent.mean()
    squares = float(about @ about)
    return float(about @ values) / squares * float(np.ptp(percent)) if squares > 0.0 else float("nan")


def _zero_fall(values: FloatArray, percent: FloatArray) -> float:
    """Where a curve first falls through zero after loading; the end of the phase where it stays above, NaN where it stays below."""
    late = percent >= AFTER_LOADING
    values, percent = values[late], percent[late]
    falls = np.flatnonzero((values[:-1] > 0.0) & (values[1:] <= 0.0))
    if len(falls):
        at = int(falls[0])
        step = values[at] - values[at + 1]
        return float(percent[at] + values[at] / step * (percent[at + 1] - percent[at]))
    return float(percent[-1]) if len(values) and values[-1] > 0.0 else float("nan")


_PLAIN = (np.mean, np.min, np.max, np.ptp)
_STATS: Mapping[str, Callable[..., float]] = {
    "mean": np.mean, "min": np.min, "max": np.max, "range": np.ptp,
    "at_min": lambda values, percent: float(percent[np.argmin(values)]),
    "at_max": lambda values, percent: float(percent[np.argmax(values)]),
    "at_max_in_swing": lambda values, percent: float(percent[np.argmax(values)]),
    "slope": _slope, "zero_fall": _zero_fall,
    "rise": lambda values, _: float(values.max() - values[0]),
    "drop": lambda values, _: float(values[0] - values.min()),
}  # fmt: skip


def _at(curves: FloatArray, places: FloatArray) -> FloatArray:
    """Value of each curve at its place, between percents on a line."""
    low = np.clip(np.nan_to_num(places), 0.0, 99.0).astype(int)
    share = places - low
    rows = np.arange(len(curves))
    first, second = curves[rows, low], curves[rows, low + 1]
    # An end of the curve counts without its neighbour.
    return np.asarray(
        np.where(share <= 0.0, first, np.where(share >= 1.0, second, first + share * (second - first))) + 0.0 * places
    )


def _flat_deg(limbs: LimbCurves, pitch: FloatArray) -> FloatArray:
    """Foot pitch of the flat foot: that of the walk's own flat foot, else of the static trial."""
    phase = pitch[:, int(_FLAT_FROM) : int(_FLAT_TO) + 1]
    own = np.median(phase, axis=1)
    flat = np.ptp(phase, axis=1) <= _FLAT_SPREAD_DEG
    if limbs.flat_deg is None:
        return np.asarray(np.where(flat, own, np.nan))
    static = limbs.flat_deg
    near = flat & ~(np.abs(own - static) > HEEL_OFF_DEG)
    return np.asarray(np.where(near, own, static))


def _against_norm(
    curves: FloatArray, inside: BoolArray, quantity: RuleQuantity, norm: tuple[FloatArray, FloatArray] | None, k: float
) -> FloatArray:
    limit = quantity.limit
    if norm is None and (limit is None or limit.of_norm):
        return np.full(len(curves), np.nan)
    mean, sd = norm if norm is not None else (np.zeros(len(_PERCENT)), np.ones(len(_PERCENT)))
    if limit is None:
        with np.errstate(divide="ignore", invalid="ignore"):
            return _known((curves - mean) / sd, inside, np.mean)
    level = mean + limit.sds(k) * sd if limit.of_norm else np.full(len(_PERCENT), limit.number)
    beyond = curves > level if quantity.above else curves < level
    return _known(np.where(np.isfinite(curves), beyond, np.nan), inside, np.mean)


@dataclass(frozen=True)
class TermNorm:
    """The norm of one quantity: of limbs, each side's mean over its cycles.

    Attributes
    ----------
    mean, sd : float
        In the quantity's unit; NaN where the norm cannot tell.
    n : int
        Number of people that mean and SD are of.
    """

    mean: float
    sd: float
    n: int


def limit_value(limit: RuleLimit, norm: TermNorm | None, *, k: float, w: float) -> float:
    """Return a limit in the unit of what is measured; NaN where the norm cannot tell.

    Parameters
    ----------
    limit : RuleLimit
        A number in the unit of what is measured, or SDs of the norm.
    norm : TermNorm | None
        Of the same quantity; None without one.
    k : float
        The rules' common number of SDs.
    w : float
        How many times the SD of a small norm counts.
    """
    if not limit.of_norm:
        return limit.number
    return float("nan") if norm is None else norm.mean + limit.sds(k) * w * norm.sd


def term_met(term: RuleTerm, values: FloatArray, limit: float) -> FloatArray:
    """Return whether each of some values meets a term: 1, 0, or NaN where it is not known.

    Parameters
    ----------
    term : RuleTerm
        Whether values above or below the limit meet it, and whether the limit itself does.
    values : FloatArray
        (n,), what it measures.
    limit : float
        Its limit, as of `limit_value`.
    """
    apart = values - limit if term.above else limit - values
    met = apart > 0.0 if term.strict else apart >= 0.0
    return np.where(np.isfinite(apart), met, np.nan)


def criterion_met(criterion: Criterion, met: Mapping[RuleTerm, FloatArray]) -> FloatArray:
    """Return whether a criterion is met: 1, 0, or NaN where what is not known could decide.

    Parameters
    ----------
    criterion : Criterion
        Its features, and how many of them have to be met.
    met : Mapping[RuleTerm, FloatArray]
        Every term of it -> (n,) as of `term_met`.
    """
    features = []
    for feature in criterion.features:
        terms = np.stack([met[term] for term in feature])
        anyone = (terms == 1.0).any(axis=0)
        features.append(np.where(anyone, 1.0, np.where(np.isnan(terms).any(axis=0), np.nan, 0.0)))
    of_features = np.stack(features)
    sure = (of_features == 1.0).sum(axis=0)
    possible = sure + np.isnan(of_features).sum(axis=0)
    return np.where(sure >= criterion.least, 1.0, np.where(possible < criterion.least, 0.0, np.nan))


def own_flat_deg(limbs: LimbCurves) -> FloatArray:
    """Return the foot pitch of each walk's own flat foot, (n,); NaN where it is not flat.

    Parameters
    ----------
    limbs : LimbCurves
        n limbs with the curve of foot pitch.
    """
    return _flat_deg(LimbCurves(limbs.curves, limbs.events), limbs.curve(*RULES_PITCH))


def asymmetry_of(by_side: Mapping[str, float]) -> float:
    """Return how far left and right lie apart over their mean, percent, without a sign; NaN where a side is missing.

    Parameters
    ----------
    by_side : Mapping[str, float]
        "L" and "R" -> value.
    """
    left, right = (by_side.get(side, float("nan")) for side in SIDES)
    return 200.0 * abs(left - right) / (left + right) if left + right else float("nan")
