"""The language of a rule: what is measured on a curve, in which part of the cycle, and beyond which limit.

A criterion joins terms by ``&``, or asks for some of several: ``2 of (a; b; c | d)``, where ``|`` makes one feature of two. A term
compares a value with a number or with the norm::

    min(KneeAngles.X, single_support) > norm + k sd
    share(AnkleAngles.X < norm - 1 sd, swing) >= 0.667
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from biomech_id.conventions import CYCLE_ROWS, FOOT_PITCH
from biomech_id.errors import OptionError
from biomech_id.values import dataclass, field

_Part = TypeVar("_Part")
#: Events of a cycle that begin and end phases, as ``summary.json`` calls their percent.
PHASE_EVENTS = ("foot_off", "opposite_off", "opposite_strike")


@dataclass(frozen=True)
class PhasePoint:
    """One place in the cycle.

    Attributes
    ----------
    percent : float
        Of the cycle, counted from the event where there is one.
    event : str, optional
        One of `PHASE_EVENTS`; empty for the foot strike.
    """

    percent: float
    event: str = ""

    def __str__(self) -> str:
        return self.event or f"{self.percent:g}"


_STRIKE, _NEXT = PhasePoint(0.0), PhasePoint(100.0)
#: Name of a phase -> where it begins and ends. The second rocker ends before push-off can begin.
PHASE_WINDOWS: dict[str, tuple[PhasePoint, PhasePoint]] = {
    "cycle": (_STRIKE, _NEXT),
    "stance": (_STRIKE, PhasePoint(0.0, "foot_off")),
    "swing": (PhasePoint(0.0, "foot_off"), _NEXT),
    "loading": (_STRIKE, PhasePoint(0.0, "opposite_off")),
    "single_support": (PhasePoint(0.0, "opposite_off"), PhasePoint(0.0, "opposite_strike")),
    "second_rocker": (PhasePoint(10.0), PhasePoint(-10.0, "opposite_strike")),
}
#: What is measured of a curve in a phase; those in ``RANGES`` take away what is constant, those in ``TIMES`` are percent.
LEVELS = frozenset({"mean", "min", "max", "value", "pitch_from_flat", "pitch_from_static"})
RANGES = frozenset({"range", "slope", "rise", "drop", "rise_to_max"})
TIMES = frozenset({"at_min", "at_max", "at_max_in_swing", "zero_fall"})
_OF_CURVES = LEVELS | RANGES | TIMES | {"zmean"}
_OF_SCALARS = frozenset({"st", "asym"})
#: The curve that rules read foot pitch from. They take it from the walk's own flat foot where there is one, so that a session
#: without a flat static trial can be judged too; pages draw it from the floor (`RuleQuantity.drawn`).
RULES_PITCH, DRAWN_PITCH = ("FootProgressAngles", "X"), (FOOT_PITCH.variable, FOOT_PITCH.component)


@dataclass(frozen=True)
class RuleLimit:
    """Beyond what a value must lie.

    Attributes
    ----------
    number : float
        The limit itself, or how many SDs above the norm's mean it lies; below where negative.
    of_norm : bool
        Whether it hangs on the norm.
    by_k : bool, optional
        Whether ``number`` counts the rules' common k: 1 above, -1 below.
    """

    number: float
    of_norm: bool
    by_k: bool = False

    def sds(self, k: float) -> float:
        """How many SDs above the norm's mean the limit lies.

        Parameters
        ----------
        k : float
            The rules' common number of SDs.
        """
        return self.number * k if self.by_k else self.number


@dataclass(frozen=True)
class RuleQuantity:
    """What a term measures: of a limb's curve in a phase, or a number of the walk.

    Attributes
    ----------
    stat : str
        "min", "at_max", "st" ...
    variable, component : str
        As in ``cycles.csv``; of "st" and "asym" a parameter of ``spatiotemporal.csv``.
    start, end : PhasePoint, optional
        The phase; one place where both are the same.
    above : bool, optional
        Of a share: whether the part above the limit counts.
    limit : RuleLimit | None, optional
        Of a share: its limit at each percent.
    """

    stat: str
    variable: str
    component: str
    start: PhasePoint = _STRIKE
    end: PhasePoint = _NEXT
    above: bool = True
    limit: RuleLimit | None = None

    @property
    def unit(self) -> str:
        """Of its value, as tables write it."""
        if self.stat in TIMES | {"asym", "share"}:
            return "%"
        row = CYCLE_ROWS.get((self.variable, self.component))
        return "1" if row is None or self.stat == "zmean" else row.unit

    @property
    def drawn(self) -> tuple[str, str]:
        """Variable and component of the curve that shows it: of foot pitch the one from the floor."""
        name = self.variable, self.component
        return DRAWN_PITCH if name == RULES_PITCH else name


@dataclass(frozen=True)
class RuleTerm:
    """One comparison.

    Attributes
    ----------
    quantity : RuleQuantity
        What of a limb's curves is measured, and in which phase.
    above : bool
        Whether it must lie above the limit.
    strict : bool
        Whether the limit itself is not enough.
    limit : RuleLimit
        What it is compared with: a number, or SDs of the norm.
    """

    quantity: RuleQuantity
    above: bool
    strict: bool
    limit: RuleLimit


@dataclass(frozen=True)
class Criterion:
    """When a pattern is there: at least some of its features, each any of its terms.

    Attributes
    ----------
    features : tuple[tuple[RuleTerm, ...], ...]
        Terms of which one is enough, for each feature.
    least : int
        How many features it takes.
    """

    features: tuple[tuple[RuleTerm, ...], ...]
    least: int

    @property
    def quantities(self) -> tuple[RuleQuantity, ...]:
        """Everything that is measured, each once."""
        return tuple(dict.fromkeys(term.quantity for feature in self.features for term in feature))


def parse_criterion(text: str, *, where: str) -> Criterion:
    """Read a criterion.

    Parameters
    ----------
    text : str
        In the language of this module.
    where : str
        File, pattern and column, for the sentence about a mistake.

    Raises
    ------
    OptionError
        It is none; says at which word.

    Examples
    --------
    >>> from biomech_id.interpretation.criteria import parse_criterion
    >>> found = parse_criterion("2 of (min(HipAngles.X, stance) > norm + k sd; at_max(KneeAngles.X, swing) > 70)", where="")
    >>> found.least, len(found.features), found.features[1][0].limit.number
    (2, 2, 70.0)
    """
    reader = _Reader(text, where, list(_words(text)))
    criterion = reader.criterion()
    reader.take("")
    return criterion


def parse_term(text: str, *, where: str) -> RuleTerm:
    """Read a single term.

    Parameters
    ----------
    text : str
        In the language of this module.
    where : str
        File, pattern and column, for the sentence about a mistake.

    Raises
    ------
    OptionError
        It is none; says at which word.
    """
    reader = _Reader(text, where, list(_words(text)))
    term = reader.term()
    reader.take("")
    return term


def _words(text: str) -> Iterator[str]:
    """Names, numbers and signs, one after the other."""
    at = 0
    while at < len(text):
        sign = text[at]
        end = at + 1
        if sign.isalpha() or sign == "_":
            while end < len(text) and (text[end].isalnum() or text[end] == "_"):
                end += 1
        elif sign.isdigit():
            while end < len(text) and (text[end].isdigit() or text[end] == "."):
                end += 1
        elif sign in "<>" and text[end : end + 1] == "=":
            end += 1
        if not sign.isspace():
            yield text[at:end]
        at = end


@dataclass
class _Reader:
    """Takes a criterion word by word."""

    text: str
    where: str
    words: list[str]
    at: int = field(default=0)

    @property
    def next(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self, expected: str) -> None:
        if self.next != expected:
            self.refuse(expected or "nothing more")
        self.at += 1

    def refuse(self, expected: str) -> None:
        stands = f"{self.next!r} stands" if self.next else "it ends"
        start = f"{self.where}: " if self.where else ""
        raise OptionError(
            f"{start}{self.text!r} is no rule: {stands} where {expected} belongs (word {self.at + 1}).",
            value=self.text, expected=expected, where=self.where,
        )  # fmt: skip

    def joined(self, by: str, part: Callable[[], _Part]) -> tuple[_Part, ...]:
        parts = [part()]
        while self.next == by:
            self.at += 1
            parts.append(part())
        return tuple(parts)

    def criterion(self) -> Criterion:
        if self.next.isdigit() and self.words[self.at + 1 : self.at + 2] == ["of"]:
            least = int(self.next)
            self.at += 2
            self.take("(")
            features = self.joined(";", lambda: self.joined("|", self.term))
            self.take(")")
            if not 1 <= least <= len(features):
                self.refuse(f"a number of 1 to {len(features)} features")
            return Criterion(features, least)
        features = self.joined("&", lambda: self.joined("|", self.term))
        return Criterion(features, len(features))

    def term(self) -> RuleTerm:
        quantity = self.quantity()
        return RuleTerm(quantity, *self.comparison())

    def comparison(self) -> tuple[bool, bool, RuleLimit]:
        sign = self.next
        if sign not in ("<", ">", "<=", ">="):
            self.refuse("a comparison")
        self.at += 1
        return sign[0] == ">", len(sign) == 1, self.limit()

    def limit(self) -> RuleLimit:
        if self.next != "norm":
            return RuleLimit(self.number(), False)
        self.at += 1
        if self.next not in ("+", "-"):
            self.refuse("+ or -")
        sign = -1.0 if self.next == "-" else 1.0
        self.at += 1
        by_k = self.next == "k"
        if by_k:
            self.at += 1
        size = 1.0 if by_k else self.number()
        self.take("sd")
        return RuleLimit(sign * size, True, by_k)

    def number(self) -> float:
        sign = -1.0 if self.next == "-" else 1.0
        self.at += self.next == "-"
        try:
            value = float(self.next)
        except ValueError:
            self.refuse("a number")
        self.at += 1
        return sign * value

    def quantity(self) -> RuleQuantity:
        stat = self.next
        if stat not in _OF_CURVES | _OF_SCALARS | {"share"}:
            self.refuse("a measure such as min, at_max or share")
        self.at += 1
        self.take("(")
        measure = self.measured(stat)
        self.take(")")
        return measure

    def measured(self, stat: str) -> RuleQuantity:
        if stat in _OF_SCALARS:
            name = self.next
            if not name.isidentifier():
                self.refuse("a parameter of spatiotemporal.csv")
            self.at += 1
            return RuleQuantity(stat, name, "")
        if stat == "pitch_from_static":
            self.take("min")
            self.take(",")
        variable, component = RULES_PITCH if stat.startswith("pitch") else self.variable()
        if stat == "share":
            above, _, limit = self.comparison()
            self.take(",")
            return RuleQuantity(stat, variable, component, *self.window(), above, limit)
        if not stat.startswith("pitch"):
            self.take(",")
        if stat in ("value", "pitch_from_flat", "rise_to_max"):
            place = self.point()
            return RuleQuantity(stat, variable, component, place, _NEXT if stat == "rise_to_max" else place)
        return RuleQuantity(stat, variable, component, *self.window())

    def variable(self) -> tuple[str, str]:
        name = self.next, ""
        if self.words[self.at + 1 : self.at + 2] == ["."]:
            name = self.next, self.words[self.at + 2] if self.at + 2 < len(self.words) else ""
        if name not in CYCLE_ROWS:
            self.refuse("a variable of cycles.csv such as KneeAngles.X")
        self.at += 3 if name[1] else 1
        return name

    def window(self) -> tuple[PhasePoint, PhasePoint]:
        if self.next in PHASE_WINDOWS:
            self.at += 1
            return PHASE_WINDOWS[self.words[self.at - 1]]
        start = self.point()
        self.take("-")
        return start, self.point()

    def point(self) -> PhasePoint:
        if self.next in PHASE_EVENTS:
            self.at += 1
            return PhasePoint(0.0, self.words[self.at - 1])
        percent = self.number()
        if not 0.0 <= percent <= 100.0:
            self.at -= 1
            self.refuse("a percent of the cycle, 0 to 100")
        return PhasePoint(percent)
