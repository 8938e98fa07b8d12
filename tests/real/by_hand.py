"""What page 1 prints, computed from a session's tables and those of the norm's people, and from nothing of the product's.

Rules are read from their file by a few regular expressions of this module's own; curves, events and numbers come from
``cycles.csv``, ``summary.json``, ``spatiotemporal.csv`` and ``uncertainty.csv`` as they stand.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy import stats

from biomech_id.interpretation.rules import SHIPPED_PATTERNS
from biomech_id.session.tables.session_tables import Tables

PERCENT = np.arange(101.0)
SIDES = ("L", "R")
SOURCES = (
    "hip_centre", "knee_centre", "ankle_centre", "segment_axes", "inertia", "force_plates", "marker_noise", "pelvis", "soft_tissue",
)  # fmt: skip
WINDOWS = {
    "cycle": "0-100", "stance": "0-foot_off", "swing": "foot_off-100", "loading": "0-opposite_off",
    "single_support": "opposite_off-opposite_strike", "second_rocker": "10-opposite_strike",
}  # fmt: skip
#: The second rocker ends so long before the other foot strikes; a foot flat on the floor; percent, deg.
ROCKER_ENDS, FLAT, FLAT_SPREAD_DEG, FLAT_APART_DEG, FLAT_STATIC_DEG = 10.0, slice(15, 31), 5.0, 8.0, -90.0
TIMES = ("at_min", "at_max", "at_max_in_swing", "zero_fall")
RANGES = ("range", "slope", "rise", "drop", "rise_to_max")
#: What markers placed anew change of steps, m, and of times, percent of the cycle.
PLACED_M, PLACED_PERCENT = {"step_length": 0.0029, "step_width": 0.0050}, 1.5
SCORED = (
    ("PelvisAngles", "X"), ("PelvisAngles", "Y"), ("PelvisAngles", "Z"), ("HipAngles", "X"), ("HipAngles", "Y"), ("HipAngles", "Z"),
    ("KneeAngles", "X"), ("AnkleAngles", "X"), ("FootProgressAngles", "Z"),
)  # fmt: skip


@dataclass(frozen=True)
class Rule:
    """A row of the file of rules, as text."""

    pattern: str
    joint: str
    plane: str
    criterion: str
    shown: str
    artefacts: tuple[str, ...]
    tested: bool
    status: str

    @property
    def stat(self) -> str:
        return self.shown.split("(")[0]

    @property
    def name(self) -> tuple[str, str]:
        """Variable and component that it shows."""
        found = re.search(r"(?:\w+)\((\w+?)(?:\.([XYZ]))?[,)]", self.shown)
        assert found is not None
        return ("FootProgressAngles", "X") if self.stat.startswith("pitch") else (found[1], found[2] or "")

    @property
    def unit(self) -> str:
        if self.stat in (*TIMES, "asym"):
            return "%"
        variable = self.name[0]
        return "1" if self.stat == "st" else "N m/kg" if "Moment" in variable else "W/kg" if "Power" in variable else "deg"


def rules() -> dict[str, Rule]:
    """Pattern -> its row."""
    with SHIPPED_PATTERNS.open(encoding="utf-8", newline="") as file:
        return {
            row["pattern"]: Rule(*(row[name] for name in ("pattern", "joint", "plane", "criterion", "shown")),
                                 tuple(row["artefacts"].split()), row["tested"] == "yes", row["status"])
            for row in csv.DictReader(file)
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Limb:
    """A limb's mean, or one cycle."""

    curves: Mapping[tuple[str, str], np.ndarray]
    events: Mapping[str, float]
    numbers: Mapping[str, float]
    flat_deg: float = np.nan

    def ends(self, window: str) -> tuple[float, float]:
        """Where a phase begins and ends, percent."""
        start, _, end = WINDOWS.get(window, window).partition("-")
        first, last = (self._at(end) for end in (start, end or start))
        return first, last - ROCKER_ENDS * (window == "second_rocker")

    def _at(self, word: str) -> float:
        return float(word) if re.fullmatch(r"[\d.]+", word) else self.events[word]

    def inside(self, window: str) -> np.ndarray:
        start, end = self.ends(window)
        return (start - 1e-9 <= PERCENT) & (end + 1e-9 >= PERCENT)

    def curve(self, name: tuple[str, str]) -> np.ndarray:
        return self.curves.get(name, np.full(101, np.nan))


def parsed(text: str) -> tuple[str, list[str]]:
    """ "min(KneeAngles.X, swing)": its words."""
    found = re.fullmatch(r"(\w+)\((.*)\)", text.strip())
    assert found is not None, text
    return found[1], [word.strip() for word in found[2].split(",")]


def named(word: str) -> tuple[str, str]:
    variable, _, component = word.partition(".")
    return variable, component


def value_at(curve: np.ndarray, place: float) -> float:
    if place == round(place):
        return float(curve[int(place)])
    low = int(place)
    return float(curve[low] + (place - low) * (curve[low + 1] - curve[low]))


def flat_foot(limb: Limb) -> float:
    """Pitch of the foot that is flat in walking, else in the static."""
    phase = limb.curve(("FootProgressAngles", "X"))[FLAT]
    own, still = float(np.median(phase)), float(np.ptp(phase)) <= FLAT_SPREAD_DEG
    if np.isnan(limb.flat_deg):
        return own if still else np.nan
    return own if still and not abs(own - limb.flat_deg) > FLAT_APART_DEG else limb.flat_deg


def measure(limb: Limb, text: str) -> float:
    """What a term measures of one limb; not shares, z-scores and numbers of the walk."""
    stat, words = parsed(text)
    if stat == "pitch_from_flat":
        return value_at(limb.curve(("FootProgressAngles", "X")), float(words[0])) - flat_foot(limb)
    if stat == "pitch_from_static":
        phase = limb.curve(("FootProgressAngles", "X"))[limb.inside(words[1])]
        return float(phase.min()) - limb.flat_deg if np.isfinite(phase).all() else np.nan
    curve, window = limb.curve(named(words[0])), words[1]
    if stat == "value":
        return value_at(curve, limb.ends(window)[0])
    inside = limb.inside("swing" if stat == "rise_to_max" else window)
    values, percent = curve[inside], PERCENT[inside]
    if not len(values) or not np.isfinite(values).all():
        return np.nan
    if stat == "slope":
        return float(np.polyfit(percent, values, 1)[0] * np.ptp(percent))
    if stat == "zero_fall":
        late = percent >= 5.0
        values, percent = values[late], percent[late]
        for at in range(len(values) - 1):
            if values[at] > 0.0 >= values[at + 1]:
                return float(percent[at] + values[at] / (values[at] - values[at + 1]))
        return float(percent[-1]) if len(values) and values[-1] > 0.0 else np.nan
    peak = float(percent[values.argmax()])
    return float({
        "mean": values.mean(), "min": values.min(), "max": values.max(), "range": np.ptp(values),
        "at_min": percent[values.argmin()], "at_max": peak, "rise": values.max() - values[0], "drop": values[0] - values.min(),
        "at_max_in_swing": 100.0 * (peak - limb.events["foot_off"]) / (100.0 - limb.events["foot_off"]),
        "rise_to_max": values.max() - value_at(curve, limb.events["foot_off"]) if "foot_off" in limb.events else np.nan,
    }[stat])  # fmt: skip


def unequal(left: float, right: float) -> float:
    """How far two sides lie apart over their mean, percent."""
    return 200.0 * abs(left - right) / (left + right)


def known_mean(values: np.ndarray) -> np.ndarray:
    """Mean over the first axis of what is known."""
    known = np.isfinite(values)
    n = known.sum(axis=0)
    return np.where(n > 0, np.where(known, values, 0.0).sum(axis=0) / np.maximum(n, 1), np.nan)


class Person:
    """A session's straight walks of one condition.

    Parameters
    ----------
    tables : Tables
        The session.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        rows = tables.cycle_list
        rows = rows[(rows["kind"] == "straight") & (rows["kinematics"].astype(bool) | rows["kinetics"].astype(bool))]
        self.condition = str(rows["condition"].iloc[0]) if len(rows) else ""
        self.rows = rows[rows["condition"] == self.condition]

    def counted(self, side: str, layer: str = "") -> int:
        """Cycles of a side; of angles, or loads, alone."""
        of_side = self.rows[self.rows["side"] == side]
        return len(of_side[of_side[layer].astype(bool)]) if layer else len(of_side)

    @cached_property
    def cycles(self) -> Mapping[str, list[Limb]]:
        """Side -> each cycle."""
        table = self.tables.cycles
        keys = ["trial", "side", "cycle"]
        table = table[table["variable"].isin({rule.name[0] for rule in rules().values()} | {name for name, _ in SCORED})]
        table = table.merge(self.rows[keys], on=keys)
        wide: dict[tuple[str, str, int], dict[tuple[str, str], np.ndarray]] = {}
        for key, values in table.groupby([*keys, "variable", "component"], sort=False):
            trial, side, cycle, variable, component = key
            curve = values.sort_values("percent")["value"].to_numpy(float)
            wide.setdefault((trial, side, int(cycle)), {})[variable, component or ""] = curve
        numbers: dict[tuple[str, str, int], dict[str, float]] = {}
        for row in self.tables.spatiotemporal.itertuples():
            numbers.setdefault((row.trial, row.side, int(row.cycle)), {})[row.parameter] = float(row.value)
        flat = FLAT_STATIC_DEG if self.tables.calibration.get("foot_flat") is True else np.nan
        limbs: dict[str, list[Limb]] = {side: [] for side in SIDES}
        for row in self.rows.itertuples():
            key = (row.trial, row.side, int(row.cycle))
            events = {name: float(getattr(row, f"{name}_percent")) for name in ("foot_off", "opposite_off", "opposite_strike")}
            limbs[row.side].append(Limb(wide.get(key, {}), events, numbers.get(key, {}), flat))
        return limbs

    @cached_property
    def means(self) -> Mapping[str, Limb]:
        """Side -> the mean over its cycles."""
        return {side: mean_limb(limbs) for side, limbs in self.cycles.items() if limbs}

    def number(self, name: str, side: str = "") -> float:
        """Mean of a number over the cycles of a side, or over all."""
        return float(np.mean(self.numbers(name, side)))

    def numbers(self, name: str, side: str = "") -> np.ndarray:
        """A number of each cycle of a side, or of all."""
        values = [limb.numbers.get(name, np.nan) for each in (side or "LR") for limb in self.cycles[each]]
        return np.array([value for value in values if np.isfinite(value)])

    @cached_property
    def errors(self) -> Mapping[tuple[str, str, str], Mapping[str, np.ndarray]]:
        """Side, variable, component -> source -> SD of the mean curve."""
        table = self.tables.uncertainty
        if table is None or not len(table):
            return {}
        keys = ["trial", "side", "cycle"]
        table = table[table["variable"].isin({rule.name[0] for rule in rules().values()} | {name for name, _ in SCORED})]
        table = table.merge(self.rows[keys], on=keys)
        found = {}
        for name, of_name in table.groupby(["side", "variable", "component"], sort=False):
            by_source = {}
            for source in (source for source in SOURCES if source in of_name):
                sd = of_name[source].to_numpy(float).reshape(-1, 101)
                n = np.isfinite(sd).sum(axis=0)
                squares = np.sqrt(np.nansum(sd**2, axis=0)) if source == "marker_noise" else np.nansum(sd, axis=0)
                if n.any():
                    by_source[source] = np.where(n > 0, squares / np.maximum(n, 1), np.nan)
            found[name] = by_source
        return found

    def total(self, side: str, name: tuple[str, str], sources: Sequence[str] = SOURCES) -> np.ndarray | None:
        """SD of a mean curve because of some sources; None where nobody knows."""
        known = [sd**2 for source, sd in self.errors.get((side, *name), {}).items() if source in sources]
        return np.sqrt(np.sum(known, axis=0)) if known else None

    def plane_error(self, name: tuple[str, str]) -> float:
        """What 95 % of errors stay within over the cycle, of the worse side."""
        sds = [sd for side in SIDES if (sd := self.total(side, name)) is not None]
        return max(1.96 * float(np.sqrt(np.nanmean(sd**2))) for sd in sds)

    @property
    def leg_m(self) -> float:
        return float(np.mean(list(self.tables.summary["subject"]["leg_length_m"].values())))


def mean_limb(limbs: Sequence[Limb]) -> Limb:
    """The mean of some cycles."""
    names = dict.fromkeys(name for limb in limbs for name in limb.curves)
    curves = {name: known_mean(np.array([limb.curve(name) for limb in limbs])) for name in names}
    events = {name: float(np.mean([limb.events[name] for limb in limbs])) for name in limbs[0].events}
    numbers = dict.fromkeys(name for limb in limbs for name in limb.numbers)
    means = {name: float(known_mean(np.array([limb.numbers.get(name, np.nan) for limb in limbs]))) for name in numbers}
    return Limb(curves, events, means, limbs[0].flat_deg)


class NormByHand:
    """Limbs of the norm's people.

    Parameters
    ----------
    people : Sequence[Tables]
        Their sessions.
    """

    def __init__(self, people: Sequence[Tables]) -> None:
        self.people = []
        for person in map(Person, people):
            means = dict(person.means.items())
            # Nobody of a norm tells of a static.
            without = {side: Limb(limb.curves, limb.events, limb.numbers) for side, limb in means.items()}
            self.people.append({s: Limb(x.curves, x.events, x.numbers, flat_foot(x)) for s, x in without.items()})
        self._terms: dict[str, tuple[float, float, int]] = {}

    @property
    def n(self) -> int:
        return len(self.people)

    @property
    def limbs(self) -> list[Limb]:
        return [limb for person in self.people for limb in person.values()]

    def of(self, text: str) -> tuple[float, float, int]:
        """Mean, SD and number of people of a term."""
        if text not in self._terms:
            stat, words = parsed(text)
            if stat == "asym":
                each = [[unequal(*(person[side].numbers[words[0]] for side in SIDES))] for person in self.people]
            elif stat == "st":
                each = [[limb.numbers.get(words[0], np.nan) for limb in person.values()] for person in self.people]
            else:
                each = [[measure(Limb(x.curves, x.events, x.numbers) if stat == "pitch_from_flat" else x, text) for x in p.values()]
                        for p in self.people]  # fmt: skip
            values = np.array([value for of_one in each for value in of_one])
            values = values[np.isfinite(values)]
            people = sum(bool(np.isfinite(of_one).any()) for of_one in each)
            self._terms[text] = (float(values.mean()), float(values.std(ddof=1)), people) if people > 1 else (np.nan, np.nan, 0)
        return self._terms[text]

    def curve(self, name: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
        """Mean and SD of limbs at each percent."""
        curves = np.array([limb.curve(name) for limb in self.limbs])
        return np.nanmean(curves, axis=0), np.nanstd(curves, axis=0, ddof=1)


def widened(n: int) -> float:
    """How many times the SD of a norm of n people counts (Crawford and Howell 1998)."""
    return float(stats.t.ppf(stats.norm.cdf(2.0), n - 1) * np.sqrt(1 + 1 / n) / 2)


def limit_of(text: str, norm: tuple[float, float, int], *, factor: float | None = None) -> float:
    """ "norm + k sd", or a number."""
    found = re.fullmatch(r"norm ([+-]) (k|\d) sd", text.strip())
    if found is None:
        return float(text)
    sds = 2.0 if found[2] == "k" else float(found[2])
    times = widened(norm[2]) if factor is None else factor
    return norm[0] + (1 if found[1] == "+" else -1) * sds * times * norm[1]


_TERM = re.compile(r"(.+?\)) (>=|<=|>|<) ([^<>]+)")


def met(limb: Limb, criterion: str, norm: NormByHand) -> float:
    """Whether a criterion is met: 1, 0, NaN where what is not known could decide."""
    some = re.fullmatch(r"(\d) of \((.*)\)", criterion)
    features = some[2].split(";") if some else criterion.split("&")
    least = int(some[1]) if some else len(features)
    outcomes = []
    for feature in features:
        terms = [_term_met(limb, term.strip(), norm) for term in feature.split("|")]
        outcomes.append(1.0 if 1.0 in terms else np.nan if np.isnan(terms).any() else 0.0)
    sure, open_ = outcomes.count(1.0), int(np.isnan(outcomes).sum())
    return 1.0 if sure >= least else 0.0 if sure + open_ < least else np.nan


def _term_met(limb: Limb, term: str, norm: NormByHand) -> float:
    found = _TERM.fullmatch(term)
    assert found is not None, term
    text, sign, limit = found.groups()
    stat, words = parsed(text)
    if stat == "share":
        inner = re.fullmatch(r"(\S+) ([<>]) (.+)", words[0])
        assert inner is not None, words
        curve = limb.curve(named(inner[1]))[limb.inside(words[1])]
        level = np.zeros(101)
        if inner[3].startswith("norm"):
            mean, sd = norm.curve(named(inner[1]))
            level = np.array([limit_of(inner[3], (m, s, norm.n), factor=1.0) for m, s in zip(mean, sd, strict=True)])
        else:
            level += float(inner[3])
        level = level[limb.inside(words[1])]
        value = float(np.mean(curve > level if inner[2] == ">" else curve < level)) if np.isfinite(curve).all() else np.nan
        bound = float(limit)
    else:
        value = limb.numbers.get(words[0], np.nan) if stat in ("st", "asym") else measure(limb, text)
        bound = limit_of(limit, norm.of(text) if limit.startswith("norm") else (0.0, 0.0, 9))
    if not np.isfinite([value, bound]).all():
        return np.nan
    return float({">": value > bound, "<": value < bound, ">=": value >= bound, "<=": value <= bound}[sign])


@dataclass(frozen=True)
class Judged:
    """A rule on one side of a session, judged."""

    rule: Rule
    side: str
    value: float
    norm: tuple[float, float, int]
    limit: float
    band: float
    shown: int
    cycles: int
    met: bool | None
    turned: bool

    @property
    def size(self) -> float:
        return abs(self.value - self.norm[0]) / self._joint

    @property
    def _joint(self) -> float:
        return float(np.hypot(widened(self.norm[2]) * self.norm[1], self.band / 1.96))

    @property
    def least(self) -> float:
        """How far from the norm's mean it must lie to be said."""
        if self.turned:
            return np.inf
        return float(max(2.0 * widened(self.norm[2]) * self.norm[1], self.band, 2.5 * self._joint))


def judged(person: Person, norm: NormByHand, rule: Rule, side: str, *, anew: bool | None = None) -> Judged:
    """Judge a rule by hand; `anew` for a change between two visits: whether markers were placed anew."""
    stat, words = parsed(re.split(r" [<>]", rule.shown)[0])
    text = re.split(r" [<>]=? ", rule.shown)[0]
    whole = stat in ("st", "asym")
    limbs = [limb for each in SIDES for limb in person.cycles[each]] if whole else person.cycles[side]
    of_sides = [len(person.cycles[each]) for each in SIDES] if stat == "asym" else [len(limbs)]
    if stat == "asym":
        other = {each: person.means[each].numbers[words[0]] for each in SIDES}
        each_value = np.array([
            unequal(limb.numbers[words[0]], other["R" if s == "L" else "L"]) for s in SIDES for limb in person.cycles[s]
        ])  # fmt: skip
        value = unequal(other["L"], other["R"])
        cycles = [Limb({}, {}, {words[0]: one}) for one in each_value]
        mean = Limb({}, {}, {words[0]: value})
    elif stat == "st":
        each_value = np.array([limb.numbers.get(words[0], np.nan) for limb in limbs])
        value = float(known_mean(each_value))
        cycles, mean = limbs, Limb({}, {}, {words[0]: value})
    else:
        mean, cycles = person.means[side], limbs
        value, each_value = measure(mean, text), np.array([measure(limb, text) for limb in limbs])
    known = each_value[np.isfinite(each_value)]
    of_norm = norm.of(text)
    scatter = float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) >= 3 else of_norm[1]
    if anew is not None and len(known) >= 3:
        scatter *= float(stats.t.ppf(0.975, len(known) - 1)) / 1.96
    error = error_of(person, rule, text, mean, side) if anew is not False else 0.0
    outcomes = np.array([met(limb, rule.criterion, norm) for limb in cycles])
    parts = np.split(outcomes, np.cumsum(of_sides)[:-1])
    n, shown = min((int(np.isfinite(part).sum()), int((part == 1.0).sum())) for part in parts)
    of_mean = met(mean, rule.criterion, norm)
    is_met = bool(of_mean == 1.0 and shown >= 2.0 / 3.0 * n) if np.isfinite(of_mean) and n else None
    limit = limit_of(re.split(r" [<>]=? ", rule.shown)[1], of_norm)
    turned = rule.plane not in ("sagittal", "-") and "knee-axis" in rule.artefacts and turned_axis(person, side)
    return Judged(rule, side, value, of_norm, limit, 1.96 * float(np.hypot(error, scatter)), shown, n, is_met, turned)


def turned_axis(person: Person, side: str) -> bool:
    leg = person.tables.calibration.get("sides", {}).get(side, {})
    if "knee_varus_slope" not in leg:
        return False
    close = abs(leg["knee_varus_slope"]) >= 0.35 and abs(leg["knee_varus_correlation"]) >= 0.8
    return bool(close and leg["knee_varus_range_deg"] >= 8.0)


def error_of(person: Person, rule: Rule, text: str, mean: Limb, side: str) -> float:
    """What markers placed anew, skin and noise make of a value, one SD."""
    stat, words = parsed(text)
    if stat == "zero_fall":
        total = person.total(side, rule.name)
        at = measure(mean, text)
        if total is None or not np.isfinite(at):
            return PLACED_PERCENT
        curve = mean.curve(rule.name)
        moved = [Limb({rule.name: curve + sign * 1.96 * np.nan_to_num(total)}, mean.events, {}) for sign in (-1.0, 1.0)]
        falls = [measure(limb, text) for limb in moved]
        far = max(abs((5.0 if np.isnan(fall) else fall) - at) for fall in falls) / 1.96
        return float(np.hypot(PLACED_PERCENT, far))
    if stat in TIMES:
        return PLACED_PERCENT
    if stat in ("st", "asym"):
        name = words[0]
        sd = PLACED_M.get(name, PLACED_M.get(name.removesuffix("_dimensionless"), 0.0) / person.leg_m)
        units = person.tables.spatiotemporal.groupby("parameter")["unit"].first()
        sd = PLACED_PERCENT if units.get(name) == "%" else sd
        # Over the mean over all cycles, whose sides may be of different numbers.
        return sd if stat == "st" else 100.0 * np.sqrt(2.0) * sd / person.number(name)
    ranges = stat in RANGES
    sd = person.total(side, rule.name, ("soft_tissue", "marker_noise") if ranges else SOURCES)
    if sd is None:
        return np.nan
    window = {"pitch_from_flat": words[0], "pitch_from_static": words[-1]}.get(stat, words[-1])
    inside = mean.inside(window)
    if not inside.any():
        inside = round(mean.ends(window)[0]) == PERCENT
    phase = sd[inside]
    phase = phase[np.isfinite(phase)]
    return float(np.sqrt((2.0 if ranges else 1.0) * np.mean(phase**2))) if len(phase) else np.nan


def scores(person: Person, norm: pd.DataFrame, *, without: Sequence[tuple[str, str]] = ()) -> dict[str, float]:
    """Side, or "" for both -> profile score; and (side, variable, component) as one text -> score of a variable."""
    found: dict[str, float] = {}
    for side in SIDES:
        for variable, component in SCORED:
            normal = norm[(norm["variable"] == variable) & (norm["component"] == component)].sort_values("percent")["mean"]
            apart = person.means[side].curve((variable, component)) - normal.to_numpy(float)
            found[f"{side} {variable} {component}"] = float(np.sqrt(np.mean(apart[::2] ** 2)))
    counted = [name for name in SCORED if name not in without]
    for side in SIDES:
        found[side] = float(np.sqrt(np.mean([found[f"{side} {v} {c}"] ** 2 for v, c in counted])))
    both = [f"L {v} {c}" for v, c in counted] + [f"R {v} {c}" for v, c in counted if v != "PelvisAngles"]
    found[""] = float(np.sqrt(np.mean([found[name] ** 2 for name in both])))
    return found


class Printed:
    """A page's text, from which every number that is accounted for is taken away.

    Parameters
    ----------
    text : str
        As read from the PDF.
    language : str
        "en" or "de".
    """

    def __init__(self, text: str, language: str) -> None:
        self.left = " ".join(text.split())
        self.language = language
        self.missing: list[str] = []

    def written(self, value: float, decimals: int) -> str:
        """A number as this language prints it."""
        said = f"{value:.{decimals}f}"
        said = said.lstrip("-") if not said.strip("-0.") else said.replace("-", "−")
        return said.replace(".", ",") if self.language == "de" else said

    def take(self, words: str) -> None:
        """Take words that stand on the page, once; a stretch of ``…`` stands for any letters without digits."""
        pattern = r"\s?".join(re.escape(word).replace("…", r"[^\d]*?") for word in words.split())
        found = re.search(rf"(?<![\d.,−]){pattern}(?!\d)", self.left)
        if found is None:
            self.missing.append(words)
            return
        self.left = self.left[: found.start()] + re.sub(r"\d", "·", found[0]) + self.left[found.end() :]

    def take_near(self, words: str, values: Sequence[float], tolerances: Sequence[float]) -> None:
        """Take words with a ``#`` for each number, of which each may lie so far from a value."""
        number = r"(−?\d+(?:[.,]\d+)?)"
        pattern = r"\s?".join(re.escape(word).replace(r"\#", number) for word in words.split())
        for found in re.finditer(rf"(?<![\d.,−]){pattern}(?!\d)", self.left):
            read = [float(text.replace(",", ".").replace("−", "-")) for text in found.groups()]
            if all(abs(one - value) <= tolerance for one, value, tolerance in zip(read, values, tolerances, strict=True)):
                self.left = self.left[: found.start()] + re.sub(r"\d", "·", found[0]) + self.left[found.end() :]
                return
        self.missing.append(f"{words} {[round(value, 3) for value in values]}")

    def unexplained(self) -> Iterator[str]:
        """Every number that is left, with what stands around it."""
        for found in re.finditer(r"[−±+]?\d+(?:[.,]\d+)?", self.left):
            yield self.left[max(0, found.start() - 40) : found.end() + 25]
