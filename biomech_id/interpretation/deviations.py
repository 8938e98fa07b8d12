"""Which patterns a session shows, how sure that is, and what could not have been said: ``deviations.csv``.

Five questions in this order. Is the rule met, by the mean of a side and by two thirds of its cycles? How far from the norm of limbs
is the value that is shown? Could markers placed anew make it (its band)? How large is it, with u the session's own error and w what
the SD of a small norm counts::

    size = |value - norm_mean| / sqrt((w norm_sd)^2 + u^2)

What else could make it (``artefacts``)? Said in words (`marked`) is what passes all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import FLAT_PITCH_DEG, SIDES
from biomech_id.interpretation.artefacts import ArtefactTests
from biomech_id.interpretation.criteria import (
    DRAWN_PITCH,
    LEVELS,
    PHASE_EVENTS,
    RANGES,
    RULES_PITCH,
    TIMES,
    PhasePoint,
    RuleQuantity,
)
from biomech_id.interpretation.measuring import (
    AFTER_LOADING,
    LimbCurves,
    NormCurves,
    TermNorm,
    asymmetry_of,
    criterion_met,
    limit_value,
    measured,
    own_flat_deg,
    term_met,
)
from biomech_id.interpretation.rules import PatternRule, PatternRules, pattern_rules, shipped_rules
from biomech_id.session.bands.mean_uncertainty import band_rows_of, uncertainty_of_rows
from biomech_id.session.bands.uncertainty import TOTAL
from biomech_id.session.tables.means import averaged_cycles, mean_of_known
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables
from biomech_id.session.values.norm import NormSample
from biomech_id.statistics.sessions import PARAMETER_SD
from biomech_id.trial.examination import BILATERAL_SPASTIC, is_diagnosed
from biomech_id.values import dataclass, replace

#: The rules' common number of SDs, and the size from which a deviation is said in words.
LIMIT_SD, LEAST_SIZE = 2.0, 2.5
#: Of a side's cycles this share must meet a rule, and a side of fewer is listed and never said.
LEAST_CYCLE_SHARE, LEAST_SAID_CYCLES = 2.0 / 3.0, 3
#: At most so many rows are named that could not have been said.
MOST_UNSAID = 5
#: What 95 % of errors stay within, in SDs; and the SD of a time, percent of the cycle.
BAND_SDS, TIME_SD_PERCENT = 1.96, 1.5
#: What markers placed anew do not take with them: skin that moves, and noise.
_WITHOUT_PLACEMENT = ("soft_tissue", "marker_noise")
#: Event of a cycle -> the parameter of ``spatiotemporal.csv`` that says when it is.
_EVENT_PARAMETERS = dict(zip(PHASE_EVENTS, ("foot_off", "opposite_foot_off", "opposite_foot_contact"), strict=True))


@dataclass(frozen=True)
class PatternDeviation:
    """One rule and one side, judged: a row of ``deviations.csv`` where the rule is met.

    Attributes
    ----------
    condition, side : str
        Whose cycles; of numbers of the whole walk the side is empty.
    pattern : str
        Id of the rule.
    met : bool | None
        Whether the rule is met; None where it is not known, which is never taken as normal.
    value : float
        What is shown, in ``unit``.
    unit : str
        As in the sign table.
    norm_mean, norm_sd : float
        Of limbs, in the same unit.
    norm_n : int
        People in the norm who tell.
    band : float
        What 95 % of the session's own errors stay within, in the same unit; NaN where nobody asked for the bands.
    cycles_shown, cycles : int
        Cycles that meet the rule, and cycles that could be judged.
    artefacts : tuple[str, ...]
        What could make it without it being there.
    within_error : bool
        Whether markers placed anew could make it.
    size : float
        Distance from the norm's mean in SDs of the norm and of the error together.
    least_sayable : float
        How far from the norm's mean the value must lie to be said, in ``unit``.
    marked : bool
        Whether it is said in words.
    covered_by : str, optional
        The pattern in whose sentence it stands; empty where it stands alone.
    """

    condition: str
    side: str
    pattern: str
    met: bool | None
    value: float
    unit: str
    norm_mean: float
    norm_sd: float
    norm_n: int
    band: float
    cycles_shown: int
    cycles: int
    artefacts: tuple[str, ...]
    within_error: bool
    size: float
    least_sayable: float
    marked: bool
    covered_by: str = ""

    @property
    def row(self) -> dict[str, object]:
        """As ``deviations.csv`` holds it."""
        names = (
            "condition", "side", "pattern", "value", "unit", "norm_mean", "norm_sd", "norm_n", "band", "cycles_shown", "cycles",
            "size", "least_sayable", "covered_by",
        )  # fmt: skip
        cells = {name: getattr(self, name) for name in names}
        flags = {name: str(getattr(self, name)).lower() for name in ("within_error", "marked")}
        return {**cells, **flags, "artefact": ";".join(self.artefacts)}


def small_norm_factor(people: int) -> float:
    """Return how many times the SD of a norm of n people counts (Crawford and Howell 1998); NaN below two people.

    Parameters
    ----------
    people : int
        Number of people, not of limbs.

    Examples
    --------
    >>> from biomech_id.interpretation.deviations import small_norm_factor
    >>> [round(small_norm_factor(n), 2) for n in (8, 20, 40)]
    [1.29, 1.1, 1.05]
    """
    if people < 2:
        return float("nan")
    from scipy.special import ndtr, stdtrit

    return float(stdtrit(people - 1, ndtr(LIMIT_SD)) * np.sqrt(1.0 + 1.0 / people) / LIMIT_SD)


def deviation_size(value: float, norm: TermNorm, band: float) -> float:
    """Return how far a value lies from the norm's mean, in SDs of the norm and of the error together.

    Parameters
    ----------
    value : float
        What was measured, in the norm's unit.
    norm : TermNorm
        Of the same quantity.
    band : float
        What 95 % of errors stay within, in the same unit.
    """
    return abs(value - norm.mean) / _joint_sd(norm, band)


def _joint_sd(norm: TermNorm, band: float) -> float:
    return float(np.hypot(small_norm_factor(norm.n) * norm.sd, band / BAND_SDS))


def least_sayable(norm: TermNorm, band: float) -> float:
    """Return how far from the norm's mean a value must lie to be said.

    Parameters
    ----------
    norm : TermNorm
        Of the same quantity.
    band : float
        What 95 % of errors stay within, in the same unit; NaN where nobody knows, and nothing can be said.
    """
    return float(np.max([LIMIT_SD * small_norm_factor(norm.n) * norm.sd, band, LEAST_SIZE * _joint_sd(norm, band)]))


class LimbNorm:
    """The norm as rules ask it: of limbs, computed from each one's mean curves.

    Parameters
    ----------
    people : Sequence[NormSample]
        Who is in it.
    """

    def __init__(self, people: Sequence[NormSample]) -> None:
        self.people = tuple(people)
        self._terms: dict[RuleQuantity, TermNorm | None] = {}

    @cached_property
    def limbs(self) -> LimbCurves:
        """Left and right limb of each person, one after the other."""
        limbs = [(person, side) for person in self.people for side in SIDES]
        names = dict.fromkeys(name[1:] for person in self.people for name in person.sides)
        nothing = {False: np.full(1, np.nan), True: np.full(CURVE_POINTS, np.nan)}
        curved = {name: any(len(p.sides.get((s, *name), ())) == CURVE_POINTS for p, s in limbs) for name in names}
        values = {
            name: np.stack([person.sides.get((side, *name), nothing[curved[name]]) for person, side in limbs]) for name in names
        }
        numbers = {name[0]: of_limbs[:, 0] for name, of_limbs in values.items() if not curved[name] and not name[1]}
        missing = np.full(len(limbs), np.nan)
        asymmetries = {name: _asymmetries(of_limbs) for name, of_limbs in numbers.items()}
        limb_curves = LimbCurves(
            {name: curves for name, curves in values.items() if curved[name]},
            {event: numbers.get(parameter, missing) for event, parameter in _EVENT_PARAMETERS.items()},
            numbers, asymmetries,
        )  # fmt: skip
        # Nobody of a norm tells of a static; a healthy foot is flat where a foot is flat in walking.
        if RULES_PITCH not in limb_curves.curves:
            return limb_curves
        flat_deg = own_flat_deg(limb_curves)
        from_floor = {DRAWN_PITCH: limb_curves.curves[RULES_PITCH] - flat_deg[:, None]}
        return replace(limb_curves, curves={**from_floor, **limb_curves.curves}, flat_deg=flat_deg)

    @cached_property
    def curves(self) -> NormCurves:
        """(variable, component) -> mean and SD of limbs at each percent."""
        return {name: (mean_of_known(curves), _sd(curves)) for name, curves in self.limbs.curves.items()}

    def of(self, quantity: RuleQuantity) -> TermNorm | None:
        """Return mean and SD of a quantity; None where fewer than two people tell.

        Parameters
        ----------
        quantity : RuleQuantity
            What of a limb's curves is measured, and in which phase.
        """
        if quantity not in self._terms:
            self._terms[quantity] = self._term(quantity)
        return self._terms[quantity]

    def _term(self, quantity: RuleQuantity) -> TermNorm | None:
        if not self.people:
            return None
        values = measured(self.limbs, quantity, self.curves)
        known = np.isfinite(values)
        n = int(known.reshape(-1, len(SIDES)).any(axis=1).sum())
        if n < 2:
            return None
        return TermNorm(float(values[known].mean()), float(values[known].std(ddof=1)), n)


def _asymmetries(values: FloatArray) -> FloatArray:
    """Asymmetry of each person, in the place of the left limb: a person has one."""
    asymmetries = np.full(len(values), np.nan)
    asymmetries[::2] = [asymmetry_of(dict(zip(SIDES, pair, strict=True))) for pair in values.reshape(-1, len(SIDES))]
    return asymmetries


def _sd(curves: FloatArray) -> FloatArray:
    known = np.isfinite(curves)
    squares = np.where(known, curves - mean_of_known(curves), 0.0) ** 2
    n = known.sum(axis=0)
    return np.asarray(np.where(n > 1, np.sqrt(squares.sum(axis=0) / np.maximum(n - 1, 1)), np.nan))


@dataclass(frozen=True, eq=False)
class JudgedSide:
    """The cycles of one side under one condition, and their mean.

    Attributes
    ----------
    condition, side : str
        Condition of the trials, and "L" or "R".
    cycles : LimbCurves
        One limb for each counted cycle.
    mean : LimbCurves
        Their mean, one limb.
    sd_of_mean : Mapping[tuple[str, str], Mapping[str, FloatArray]]
        (variable, component) -> source of error -> SD of the mean curve (101,); empty without bands.
    number_sd : Mapping[str, float]
        Parameter -> what markers placed anew and times make of it, one SD in its unit.
    parts : tuple[slice, ...], optional
        Which of the cycles are of one side.
    sources : frozenset[str] | None, optional
        Which sources of error count; None for all of them.
    """

    condition: str
    side: str
    cycles: LimbCurves
    mean: LimbCurves
    sd_of_mean: Mapping[tuple[str, str], Mapping[str, FloatArray]]
    number_sd: Mapping[str, float]
    parts: tuple[slice, ...] = (slice(None),)
    sources: frozenset[str] | None = None

    def error_sd(self, quantity: RuleQuantity) -> float:
        """Return what the session's own error makes of a quantity, one SD; NaN where nobody knows.

        Parameters
        ----------
        quantity : RuleQuantity
            What of a limb's curves is measured, and in which phase.
        """
        if quantity.stat in TIMES:
            return float(np.hypot(TIME_SD_PERCENT, self._crossing_sd(quantity)))
        if quantity.stat in ("st", "asym"):
            sd = self.number_sd.get(quantity.variable, 0.0)
            if quantity.stat == "st":
                return sd
            # Of an asymmetry both sides' errors, over the mean of both.
            size = self.mean.numbers.get(quantity.variable)
            return float("nan") if size is None else 100.0 * np.sqrt(2.0) * sd / float(size[0])
        if quantity.stat not in LEVELS | RANGES:
            return float("nan")
        known = self.sd_of_mean.get((quantity.variable, quantity.component), {})
        if TOTAL not in known:
            return float("nan")
        if quantity.stat in LEVELS:
            counted = (TOTAL,) if self.sources is None else sorted(self.sources & known.keys())
            squares = np.sum([known[source] ** 2 for source in counted], axis=0)
        else:
            squares = 2.0 * np.sum([known[source] ** 2 for source in _WITHOUT_PLACEMENT if source in known], axis=0)
        phase = self.mean.inside(quantity)[0]
        phase = phase if phase.any() else np.arange(CURVE_POINTS) == round(float(self.mean.place(quantity.start)[0]))
        within = np.broadcast_to(squares, (CURVE_POINTS,))[phase]
        within = within[np.isfinite(within)]
        return float(np.sqrt(within.mean())) if len(within) else float("nan")

    def _crossing_sd(self, quantity: RuleQuantity) -> float:
        """What a curve's own error makes of where it falls through zero, one SD in percent of the cycle; 0 for other times.

        Where the curve is low for long, or falls twice, a small error moves that far: so both ends of the error are asked.
        """
        name = (quantity.variable, quantity.component)
        at = float(measured(self.mean, quantity)[0]) if quantity.stat == "zero_fall" else float("nan")
        total = self.sd_of_mean.get(name, {}).get(TOTAL)
        if total is None or not np.isfinite(at) or (self.sources is not None and not self.sources):
            return 0.0
        curve, most = self.mean.curves[name], BAND_SDS * np.nan_to_num(total)
        ends = [replace(self.mean, curves={**self.mean.curves, name: curve + sign * most}) for sign in (-1.0, 1.0)]
        # One that is never above zero fell before loading ended.
        falls = np.nan_to_num([measured(end, quantity)[0] for end in ends], nan=AFTER_LOADING)
        return float(np.abs(falls - at).max()) / BAND_SDS


def judged_sides(tables: Tables, rules: PatternRules, *, sources: frozenset[str] | None = None) -> list[JudgedSide]:
    """Return the sides of a session that rules may judge, condition by condition; of each the cycles that its means are of.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    rules : PatternRules
        Whose variables are wanted.
    sources : frozenset[str] | None, optional
        Sources of error that count, as of `JudgedSide`; None for all.
    """
    names = {(q.variable, q.component) for rule in rules.rows for q in (*rule.criterion.quantities, rule.shown.quantity)}
    heads = tables.cycles.iloc[::CURVE_POINTS]
    keys = zip(heads["trial"], heads["side"], heads["cycle"], heads["variable"], heads["component"], strict=True)
    places = {(t, s, int(c), v, x): at for at, (t, s, c, v, x) in enumerate(keys) if (v, x) in names}
    values = tables.cycles["value"].to_numpy(np.float64).reshape(-1, CURVE_POINTS)
    rows = tables.spatiotemporal
    numbers: dict[str, dict[tuple[str, str, int], float]] = {}
    wanted = {name for name, component in names if not component}
    for t, s, c, parameter, value in zip(*(rows[n] for n in ("trial", "side", "cycle", "parameter", "value")), strict=True):
        if parameter in wanted:
            numbers.setdefault(parameter, {})[t, s, int(c)] = value
    judged = []
    for (condition, side), used in averaged_cycles(tables).groupby(["condition", "side"], sort=False):
        of = [(t, s, int(c)) for t, s, c in zip(used["trial"], used["side"], used["cycle"], strict=True)]
        curves = {}
        for name in names:
            at = [places.get((*key, *name), -1) for key in of]
            if max(at) >= 0:
                curves[name] = np.where(np.array(at)[:, None] >= 0, values[at], np.nan)
        # Only a model whose foot has a level of its own says whether the feet stood flat.
        flat = tables.calibration_of(str(condition)).get("foot_flat") is True
        each = LimbCurves(
            curves, {event: used[f"{event}_percent"].to_numpy(np.float64) for event in PHASE_EVENTS},
            {name: np.array([known.get(key, np.nan) for key in of]) for name, known in numbers.items()},
            flat_deg=np.full(len(of), FLAT_PITCH_DEG) if flat else None,
        )  # fmt: skip
        bands = {name[1:]: uncertainty_of_rows(tables, at) for name, at in band_rows_of(tables, used).items() if name[1:] in names}
        mean, number_sd = _mean_limb(each), _number_sd(tables)
        judged.append(JudgedSide(str(condition), str(side), each, mean, bands, number_sd, sources=sources))
    return judged


def _number_sd(tables: Tables) -> dict[str, float]:
    legs = (tables.summary.get("subject", {}).get("leg_length_m") or {}).values()
    leg_m = float(np.mean(list(legs))) if legs else float("nan")
    sd_by_number = dict(PARAMETER_SD) | {f"{name}_dimensionless": sd_m / leg_m for name, sd_m in PARAMETER_SD.items()}
    rows = tables.spatiotemporal
    return sd_by_number | dict.fromkeys(rows["parameter"][rows["unit"] == "%"].unique(), TIME_SD_PERCENT)


def _mean_limb(cycles: LimbCurves) -> LimbCurves:
    def mean(values: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        return {name: np.array([float(mean_of_known(of_cycles[:, None])[0])]) for name, of_cycles in values.items()}

    curves = {name: mean_of_known(of_cycles)[None] for name, of_cycles in cycles.curves.items()}
    flat = None if cycles.flat_deg is None else cycles.flat_deg[:1]
    return LimbCurves(curves, mean(cycles.events), mean(cycles.numbers), mean(cycles.asymmetries), flat)


def _whole_walk(sides: Sequence[JudgedSide]) -> JudgedSide:
    """Both sides' cycles as one: what belongs to the walk and to no side.

    The asymmetry of a cycle is that between it and the mean of the other side.
    """
    other = {one.side: next((each.mean for each in sides if each.side != one.side), None) for one in sides}
    events = {name: np.concatenate([side.cycles.events[name] for side in sides]) for name in PHASE_EVENTS}
    # A number that one side alone has says nothing of both.
    names = [name for name in sides[0].cycles.numbers if all(name in side.cycles.numbers for side in sides)]
    numbers = {name: np.concatenate([side.cycles.numbers[name] for side in sides]) for name in names}
    asymmetries = {
        name: np.array([
            asymmetry_of({side.side: value, **({} if (mean := other[side.side]) is None else _of_other(side.side, mean, name))})
            for side in sides for value in side.cycles.numbers[name]
        ])
        for name in names
    }  # fmt: skip
    cycles = LimbCurves({}, events, numbers, asymmetries)
    means = {name: asymmetry_of({side.side: float(side.mean.numbers[name][0]) for side in sides}) for name in names}
    mean = replace(_mean_limb(cycles), asymmetries={name: np.array([value]) for name, value in means.items()})
    ends = np.cumsum([0, *(side.cycles.count for side in sides)]).tolist()
    parts = tuple(slice(start, end) for start, end in pairwise(ends))
    return JudgedSide(sides[0].condition, "", cycles, mean, {}, sides[0].number_sd, parts, sides[0].sources)


def _of_other(side: str, mean: LimbCurves, name: str) -> dict[str, float]:
    return {SIDES[1 - SIDES.index(side)]: float(mean.numbers[name][0])}


def judge_patterns(tables: Tables, people: Sequence[NormSample], rules: PatternRules | None = None) -> tuple[PatternDeviation, ...]:
    """Return every rule judged on every side: met, not met, or not known.

    Sagittal classes are not among them: `sagittal_classes` says where one may be named.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    people : Sequence[NormSample]
        Who is in the norm, as made for this person (`FittedNorm.people`).
    rules : PatternRules | None, optional
        The rules; None for those that are shipped.
    """
    rules = rules or shipped_rules()
    return tuple(covered(_one_of_mirrored(judge_sides(tables, people, rules), rules), rules))


def judge_sides(
    tables: Tables, people: Sequence[NormSample], rules: PatternRules, *, sources: frozenset[str] | None = None
) -> list[PatternDeviation]:
    """Return every rule judged on both sides, also where these mirror one another.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    people : Sequence[NormSample]
        Who is in the norm, as made for this person.
    rules : PatternRules
        Rules that are judged on each side.
    sources : frozenset[str] | None, optional
        Errors that the bands are made of, beside the scatter of cycles, which then counts by t of their number; None for all.
    """
    norm, judged = LimbNorm(people), judged_sides(tables, rules, sources=sources)
    deviations: list[PatternDeviation] = []
    for condition in dict.fromkeys(side.condition for side in judged):
        sides = [side for side in judged if side.condition == condition]
        means = {side.side: side.mean for side in sides}
        tests = ArtefactTests(tables, norm.curves, norm.of, means, norm.people, condition=condition)
        whole = _whole_walk(sides)
        for rule in rules.rows:
            if not rule.is_class:
                of = [whole] if rule.shown.quantity.stat in ("st", "asym") else sides
                deviations += [_judged(rule, side, norm, tests) for side in of]
    return deviations


def deviations_of(tables: Tables, people: Sequence[NormSample], rules: PatternRules | None = None) -> tuple[PatternDeviation, ...]:
    """Return the rows of ``deviations.csv``: every rule that is met and every class that may be named, largest first.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    people : Sequence[NormSample]
        Who is in the norm, as made for this person (`FittedNorm.people`).
    rules : PatternRules | None, optional
        The rules; None for those that are shipped.
    """
    sides = judged_sides(tables, rules or shipped_rules()) if is_diagnosed(tables.diagnosis, BILATERAL_SPASTIC) else []
    return met_of(judge_patterns(tables, people, rules), sagittal_classes(tables, sides, people, rules))


def met_of(judged: Iterable[PatternDeviation], classes: Iterable[SagittalClass]) -> tuple[PatternDeviation, ...]:
    """Return what of judged rules is met, with the classes that are named, largest first.

    Parameters
    ----------
    judged : Iterable[PatternDeviation]
        Every rule on every side, as of `judge_patterns`.
    classes : Iterable[SagittalClass]
        Sagittal class of each side, as of `sagittal_classes`.
    """
    met = [*(each for each in judged if each.met), *(each.named for each in classes if each.named is not None)]
    return tuple(sorted(met, key=lambda each: (each.condition, -np.nan_to_num(each.size))))


@dataclass(frozen=True)
class SagittalClass:
    """Knee and ankle of one side in midstance, in SDs off the norm, and the sagittal class where one may be named.

    Attributes
    ----------
    condition, side : str
        Condition of the trials, and "L" or "R".
    knee_sd, ankle_sd : float
        Mean over 20 to 45 % of the cycle of how many of its SDs the mean curve lies above the norm.
    beyond : bool
        Whether one of them leaves the norm's two SDs, widened for the number of people.
    named : PatternDeviation | None, optional
        The class; None where none may be named.
    """

    condition: str
    side: str
    knee_sd: float
    ankle_sd: float
    beyond: bool
    named: PatternDeviation | None = None


_MIDSTANCE = PhasePoint(20.0), PhasePoint(45.0)
_KNEE, _ANKLE = (RuleQuantity("zmean", name, "X", *_MIDSTANCE) for name in ("KneeAngles", "AnkleAngles"))


def sagittal_classes(
    tables: Tables, sides: Iterable[JudgedSide], people: Sequence[NormSample], rules: PatternRules | None = None
) -> tuple[SagittalClass, ...]:
    """Return where knee and ankle of each side lie in midstance, and the sagittal class where one may be named.

    It may with the diagnosis bilateral spastic cerebral palsy, three cycles a side, knee and ankle beyond the class's limits by the
    session's own error, and with each person of the norm left out; and where its shown value can be said in words, which no value
    within the norm's two SDs can.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    sides : Iterable[JudgedSide]
        Its sides with their cycles, as of `judged_sides`.
    people : Sequence[NormSample]
        Who is in the norm, as made for this person.
    rules : PatternRules | None, optional
        The rules; None for those that are shipped.

    Returns
    -------
    tuple[SagittalClass, ...]
        Of each side of each condition; sides of which knee or ankle is not known are left out.
    """
    classes, norm, sides = [rule for rule in (rules or shipped_rules()).rows if rule.is_class], LimbNorm(people), tuple(sides)
    names = {(q.variable, q.component) for rule in classes for q in rule.criterion.quantities}
    limbs = [replace(one, sides={name: curve for name, curve in one.sides.items() if name[1:] in names}) for one in people]
    diagnosed, of_sides = is_diagnosed(tables.diagnosis, BILATERAL_SPASTIC), []
    for side in sides:
        knee_sd, ankle_sd = (float(measured(side.mean, axis, norm.curves)[0]) for axis in (_KNEE, _ANKLE))
        if not np.isfinite([knee_sd, ankle_sd]).all():
            continue
        beyond = max(abs(knee_sd), abs(ankle_sd)) > LIMIT_SD * small_norm_factor(len(people))
        one = SagittalClass(side.condition, side.side, knee_sd, ankle_sd, beyond)
        means = {each.side: each.mean for each in sides if each.condition == side.condition}
        counts = [each.cycles.count for each in sides if each.condition == side.condition]
        if diagnosed and len(counts) == len(SIDES) and min(counts) >= LEAST_SAID_CYCLES:
            tests = ArtefactTests(tables, norm.curves, norm.of, means, people, condition=side.condition)
            named = (_judged(rule, side, norm, tests) for rule in classes if _is_stable(rule, side, limbs))
            one = replace(one, named=next((each for each in named if each.marked), None))
        of_sides.append(one)
    return tuple(of_sides)


def _is_stable(rule: PatternRule, side: JudgedSide, people: Sequence[NormSample]) -> bool:
    """Whether a class is met beyond its limits by the session's own error, and with each person of the norm left out."""
    if not _fits_class(rule, side, LimbNorm(people), by_band=True):
        return False
    fewer = (LimbNorm([*people[:left_out], *people[left_out + 1 :]]) for left_out in range(len(people)))
    return all(_fits_class(rule, side, norm) for norm in fewer)


def _fits_class(rule: PatternRule, side: JudgedSide, norm: LimbNorm, *, by_band: bool = False) -> bool:
    terms = [term for feature in rule.criterion.features for term in feature]
    apart = [(float(measured(side.mean, t.quantity, norm.curves)[0]) - t.limit.number) * (1.0 if t.above else -1.0) for t in terms]
    bands = [_band_in_sds(side, term.quantity, norm) if by_band else 0.0 for term in terms]
    return all(distance > band for distance, band in zip(apart, bands, strict=True))


def _band_in_sds(side: JudgedSide, quantity: RuleQuantity, norm: LimbNorm) -> float:
    """What 95 % of a session's own errors of a mean distance stay within, in SDs of the norm; NaN where nobody knows."""
    name = (quantity.variable, quantity.component)
    total = side.sd_of_mean.get(name, {}).get(TOTAL)
    if total is None or name not in norm.curves:
        return float("nan")
    inside = side.mean.inside(quantity)[0]
    error = float(np.sqrt(np.mean(np.square(np.broadcast_to(total, (CURVE_POINTS,)) / norm.curves[name][1])[inside])))
    each = measured(side.cycles, quantity, norm.curves)
    known = each[np.isfinite(each)]
    if len(known) < LEAST_SAID_CYCLES:
        return float("nan")
    return BAND_SDS * float(np.hypot(error, known.std(ddof=1) / np.sqrt(len(known))))


def deviation_rows(tables: Tables, people: Sequence[NormSample], patterns: str = "") -> list[dict[str, object]]:
    """Return the rows of ``deviations.csv`` as a table takes them.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    people : Sequence[NormSample]
        Who is in the norm, as made for this person.
    patterns : str, optional
        File of a laboratory's own rules; empty for those that are shipped.
    """
    return [each.row for each in deviations_of(tables, people, pattern_rules(patterns or None))]


def _judged(rule: PatternRule, side: JudgedSide, norm: LimbNorm, tests: ArtefactTests) -> PatternDeviation:
    def met(limbs: LimbCurves) -> FloatArray:
        terms = {}
        for term in (term for feature in rule.criterion.features for term in feature):
            known = norm.of(term.quantity)
            limit = limit_value(term.limit, known, k=LIMIT_SD, w=small_norm_factor(known.n) if known else float("nan"))
            terms[term] = term_met(term, measured(limbs, term.quantity, norm.curves), limit)
        return criterion_met(rule.criterion, terms)

    of_mean, of_cycles = float(met(side.mean)[0]), met(side.cycles)
    # Of an asymmetry the side with fewer cycles counts.
    parts = side.parts if rule.shown.quantity.stat == "asym" else (slice(None),)
    cycles, shown = min((int(np.isfinite(of_cycles[part]).sum()), int((of_cycles[part] == 1.0).sum())) for part in parts)
    known = np.isfinite(of_mean) and cycles > 0
    is_met = of_mean == 1.0 and shown >= LEAST_CYCLE_SHARE * cycles if known else None
    quantity = rule.shown.quantity
    value = float(measured(side.mean, quantity, norm.curves)[0])
    each = measured(side.cycles, quantity, norm.curves)
    of_norm = norm.of(quantity) or TermNorm(float("nan"), float("nan"), 0)
    scatter = _scatter(each[np.isfinite(each)], of_norm, by_t=side.sources is not None)
    band = BAND_SDS * float(np.hypot(side.error_sd(quantity), scatter))
    artefacts = tests.warnings(rule, side.side, cycles)
    size = deviation_size(value, of_norm, band)
    within = not abs(value - of_norm.mean) > band
    silenced = is_silenced(rule, artefacts)
    marked = bool(is_met) and not within and size >= LEAST_SIZE and cycles >= LEAST_SAID_CYCLES and rule.tested and not silenced
    return PatternDeviation(
        side.condition, side.side, rule.pattern, is_met, value, quantity.unit, of_norm.mean, of_norm.sd, of_norm.n, band, shown,
        cycles, artefacts, within, size, least_sayable(of_norm, band), marked,
    )  # fmt: skip


def _scatter(values: FloatArray, norm: TermNorm, *, by_t: bool = False) -> float:
    """SD of a mean over cycles; of too few cycles the norm's own, which is never zero. By t it counts more, the fewer they are."""
    if len(values) < LEAST_SAID_CYCLES:
        return norm.sd
    from scipy.special import stdtrit

    factor = float(stdtrit(len(values) - 1, 0.975)) / BAND_SDS if by_t else 1.0
    return factor * float(values.std(ddof=1) / np.sqrt(len(values)))


def is_silenced(rule: PatternRule, artefacts: Iterable[str]) -> bool:
    """Return whether a rule is never said in words, however far its value lies: a turned knee axis, outside the sagittal plane.

    Parameters
    ----------
    rule : PatternRule
        The rule.
    artefacts : Iterable[str]
        What could make it.
    """
    return not rule.in_sagittal_plane and "knee-axis" in artefacts


def is_mirrored(rule: PatternRule) -> bool:
    """Return whether what a rule shows of left and right is one thing: ranges of the pelvis outside the sagittal plane.

    Parameters
    ----------
    rule : PatternRule
        The rule.
    """
    return rule.joint == "pelvis" and not rule.in_sagittal_plane and rule.shown.quantity.stat == "range"


def _one_of_mirrored(judged: Iterable[PatternDeviation], rules: PatternRules) -> Iterator[PatternDeviation]:
    """All but the smaller of two sides of a range of the pelvis, which mirror one another."""
    judged = tuple(judged)
    for each in judged:
        rule = rules[each.pattern]
        same = [x for x in judged if (x.condition, x.pattern) == (each.condition, each.pattern)] if is_mirrored(rule) else [each]
        if each is max(same, key=lambda x: (bool(x.marked), bool(x.met), np.nan_to_num(x.size))):
            yield each


def covered(deviations: Iterable[PatternDeviation], rules: PatternRules) -> Iterator[PatternDeviation]:
    """Yield every deviation with the pattern in whose sentence it stands; one that is less sure covers nothing.

    Parameters
    ----------
    deviations : Iterable[PatternDeviation]
        Every rule on every side, as of `judge_sides`.
    rules : PatternRules
        The rules they were judged by.
    """
    deviations = tuple(deviations)
    met = [each for each in deviations if each.met]
    largest: dict[tuple[str, str, str], PatternDeviation] = {}
    for each in met:
        covering = [
            other
            for other in met
            if each.pattern in rules[other.pattern].covers
            and (other.condition, other.side) == (each.condition, each.side)
            and (other.marked or not each.marked)
        ]  # fmt: skip
        if covering:
            largest[each.condition, each.side, each.pattern] = max(covering, key=lambda other: np.nan_to_num(other.size))
    for each in deviations:
        # What covers it may stand in another's sentence itself.
        last, seen = each, {each.pattern}
        while (over := largest.get((last.condition, last.side, last.pattern))) is not None and over.pattern not in seen:
            last, seen = over, seen | {over.pattern}
        yield each if last is each else replace(each, covered_by=last.pattern)


def could_not_have_been_said(
    deviations: Iterable[PatternDeviation], rules: PatternRules | None = None
) -> tuple[PatternDeviation, ...]:
    """Return the rows whose least deviation that could have been said is largest: of each joint one in degrees, hip rotation first.

    A true deviation of just that size is said in half of the sessions. Where a turned knee axis silences a row, its least is
    infinite; a side of fewer than three cycles, of which nothing can be said, has no row.

    Parameters
    ----------
    deviations : Iterable[PatternDeviation]
        Every rule on every side, as of `judge_patterns`.
    rules : PatternRules | None, optional
        The rules; None for those that are shipped.

    Returns
    -------
    tuple[PatternDeviation, ...]
        Five at most: hip rotation, then of pelvis, hip, knee, ankle and foot the row with the largest `least_sayable`.
    """
    rules = rules or shipped_rules()
    asked = [
        replace(each, least_sayable=np.inf) if is_silenced(rules[each.pattern], each.artefacts) else each
        for each in deviations
        if each.unit == "deg" and np.isfinite(each.least_sayable)
        and each.cycles >= LEAST_SAID_CYCLES and rules[each.pattern].tested
    ]  # fmt: skip
    largest: dict[str, PatternDeviation] = {}
    for each in sorted(asked, key=lambda each: -each.least_sayable):
        rule = rules[each.pattern]
        turned = (rule.joint, rule.plane) == ("hip", "transverse")
        largest.setdefault("" if turned else rule.joint, each)
    return tuple(largest[joint] for joint in ("", "pelvis", "hip", "knee", "ankle", "foot") if joint in largest)[:MOST_UNSAID]
