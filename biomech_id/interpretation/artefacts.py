"""What could make a pattern without it being there: tests on a session's tables, which warn, say nothing, or could not run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.interpretation.criteria import PhasePoint, RuleQuantity
from biomech_id.interpretation.measuring import LimbCurves, NormCurves, TermNorm
from biomech_id.interpretation.published_speeds import published_means
from biomech_id.interpretation.rules import PatternRule
from biomech_id.models.joint_centres.knee_axis_walk import beyond_healthy
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.norm import NormSample
from biomech_id.trial.events import EventSource
from biomech_id.values import dataclass

#: Range of varus in swing below which a slope shows no axis, deg.
LEAST_VARUS_RANGE_DEG = 8.0
#: A shift of the whole curve: its SD is less than this share of its mean, which is more than so many degrees.
_SHIFT_SHARE, _SHIFT_DEG = 0.35, 3.0
#: Shifts of tilt and hip flexion by markers of the pelvis: each more than this, and no farther apart than that (deg).
_PELVIS_DEG, _PELVIS_APART_DEG = 4.0, 5.0
STATIC_KNEE_DEG, LEG_DIFFERENCE_M, TURN_DEG = 10.0, 0.020, 10.0
#: Ages that do not fit the norm's: years beyond its youngest and oldest, of adults and of children.
_AGE_YEARS, _CHILD_YEARS, _ADULT = 5.0, 3.0, 18.0
_SPEED_SDS = 2.0
#: What a rule shows -> the column of `published_means` that says how speed changes it.
_PUBLISHED = {
    ("max", "KneeAngles"): "knee", ("min", "HipAngles"): "hip", ("max", "AnkleAngles"): "dorsiflexion",
    ("mean", "PelvisAngles"): "tilt", ("max", "AnklePower"): "power",
}  # fmt: skip
_NOT_STATED = "not stated"


@dataclass(frozen=True)
class Artefact:
    """What one test found.

    Attributes
    ----------
    artefact : str
        Id of the test, one of `rules.ARTEFACTS`.
    warns : bool | None
        Whether it warns; None where it could not run. A test without a warning proves nothing.
    """

    artefact: str
    warns: bool | None


class ArtefactTests:
    """The tests of one session under one condition.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    curves : NormCurves
        The norm of limbs at each percent.
    norm_of : Callable[[RuleQuantity], TermNorm | None]
        The norm of a quantity.
    means : Mapping[str, LimbCurves]
        Side -> its mean.
    people : Sequence[NormSample]
        Who is in the norm.
    condition : str | None, optional
        Whose trials and static are asked; None for all trials and the first static.
    """

    def __init__(
        self, tables: Tables, curves: NormCurves, norm_of: Callable[[RuleQuantity], TermNorm | None],
        means: Mapping[str, LimbCurves], people: Sequence[NormSample], *, condition: str | None = None,
    ) -> None:  # fmt: skip
        self._tables, self._curves, self._norm_of, self._means, self._people = tables, curves, norm_of, means, people
        self._condition_asked, self._calibration = condition, tables.calibration_of(condition)

    def of_rule(self, rule: PatternRule, side: str, cycles: int) -> tuple[Artefact, ...]:
        """Return what the tests that a rule names found of a side.

        Parameters
        ----------
        rule : PatternRule
            Names the tests, and the curves that they look at.
        side : str
            "L", "R", or empty for the whole walk.
        cycles : int
            How many cycles were judged.
        """
        few = Artefact("few-cycles", cycles < 3)
        named = [Artefact(name, self._tests[name](rule, side)) for name in rule.artefacts]
        return (*named, few)

    def warnings(self, rule: PatternRule, side: str, cycles: int) -> tuple[str, ...]:
        """Return the ids of the tests that warn (see `of_rule`).

        Parameters
        ----------
        rule : PatternRule
            Names the tests, and the curves that they look at.
        side : str
            "L", "R", or empty for the whole walk.
        cycles : int
            How many cycles were judged.
        """
        return tuple(each.artefact for each in self.of_rule(rule, side, cycles) if each.warns)

    @cached_property
    def _tests(self) -> dict[str, Callable[[PatternRule, str], bool | None]]:
        return {
            "knee-axis": lambda _, side: self._knee_axis(side),
            "constant-shift": self._constant_shift,
            "pelvis-markers": lambda _, side: self._pelvis_markers(side),
            "foot-offset": lambda _rule, _side: self._calibration.get("foot_flat") is not True,
            "speed": lambda rule, _side: self._speed(rule),
            "events": lambda _rule, _side: self._events(),
            "plates": lambda _rule, _side: self._plates(),
            "few-cycles": lambda _rule, _side: None,
            "static-knee": lambda _, side: self._static_knee(side),
            "leg-length": lambda _rule, _side: self._leg_length(),
            "not-straight": lambda _rule, _side: self._not_straight(),
            "aid": lambda _rule, _side: self._condition("aid"),
            "footwear": lambda _rule, _side: self._condition("footwear"),
            "norm-age": lambda _rule, _side: self.norm_age(),
        }

    @property
    def _straight(self) -> list[Mapping[str, Any]]:
        asked, trials = self._condition_asked, self._tables.summary.get("trials", ())
        own = (trial for trial in trials if asked is None or trial["condition"] == asked)
        return [trial for trial in own if any(cycle["used"] for cycle in trial["cycles"])]

    def _knee_axis(self, side: str) -> bool | None:
        judged = self._calibration.get("sides", {}).get(side, {})
        if "knee_varus_slope" not in judged:
            return None
        turned = beyond_healthy(judged["knee_varus_slope"], judged["knee_varus_correlation"])
        return bool(turned and judged["knee_varus_range_deg"] >= LEAST_VARUS_RANGE_DEG)

    def _shift(self, side: str, name: tuple[str, str]) -> tuple[float, float] | None:
        """Mean and SD over the cycle of the difference from the norm's curve."""
        mean = self._means.get(side)
        if mean is None or name not in self._curves or name not in mean.curves:
            return None
        apart = mean.curves[name][0] - self._curves[name][0]
        return (float(apart.mean()), float(apart.std())) if np.isfinite(apart).all() else None

    def _constant_shift(self, rule: PatternRule, side: str) -> bool | None:
        shift = self._shift(side, (rule.shown.quantity.variable, rule.shown.quantity.component))
        return None if shift is None else abs(shift[0]) > _SHIFT_DEG and shift[1] < _SHIFT_SHARE * abs(shift[0])

    def _pelvis_markers(self, side: str) -> bool | None:
        shifts = [self._shift(side, (variable, "X")) for variable in ("PelvisAngles", "HipAngles")]
        known = [shift[0] for shift in shifts if shift is not None]
        if len(known) < 2:
            return None
        tilt, hip = known
        return min(abs(tilt), abs(hip)) > _PELVIS_DEG and abs(tilt - hip) <= _PELVIS_APART_DEG

    def _speed(self, rule: PatternRule) -> bool | None:
        """Whether the speed leaves the norm's, unless published means change the other way than the rule asks at such a speed."""
        start = PhasePoint(0.0)
        norm = self._norm_of(RuleQuantity("st", "speed_dimensionless", "", start, PhasePoint(100.0)))
        walked = [mean.numbers.get("speed_dimensionless", np.array([np.nan]))[0] for mean in self._means.values()]
        if norm is None or not np.isfinite(walked).any():
            return None
        own = float(np.nanmean(walked))
        shown = rule.shown.quantity
        published = _PUBLISHED.get((shown.stat, shown.variable))
        if published is not None:
            change = float(published_means(own)[published]) - float(published_means(norm.mean)[published])
            if change and (change > 0.0) != rule.shown.above:
                return False
        return bool(abs(own - norm.mean) > _SPEED_SDS * norm.sd)

    def _events(self) -> bool | None:
        events = [event for trial in self._straight for event in trial.get("events", ())]
        return any(event.get("source_kind") == EventSource.MARKER for event in events) if events else None

    def _plates(self) -> bool | None:
        trials = [trial for trial in self._straight if trial.get("kinetics")]
        if not trials:
            return None
        return any(finding.get("severity") != "info" for trial in trials for finding in trial.get("findings", ()))

    def _static_knee(self, side: str) -> bool | None:
        flexion = self._calibration.get("sides", {}).get(side, {}).get("static_knee_flexion_deg")
        return None if flexion is None else bool(flexion > STATIC_KNEE_DEG)

    def _leg_length(self) -> bool:
        subject = self._tables.summary.get("subject", {})
        legs = subject.get("leg_length_m") or {}
        known = "leg_length_m" in (subject.get("sources") or {}) and set(SIDES) <= set(legs)
        return not known or bool(abs(legs["L"] - legs["R"]) > LEG_DIFFERENCE_M)

    def _not_straight(self) -> bool | None:
        turns = [trial.get("turn_deg") for trial in self._straight]
        known = [turn for turn in turns if turn is not None]
        return any(abs(turn) > TURN_DEG for turn in known) if known else None

    def _condition(self, name: str) -> bool | None:
        stated = {trial.get(name, _NOT_STATED) for trial in self._straight} - {_NOT_STATED, ""}
        return bool(stated - {"none", "barefoot"}) if stated else None

    def norm_age(self) -> bool | None:
        """Return whether the person's age does not fit those of the norm; None where one of them is not recorded."""
        age = self._tables.summary.get("subject", {}).get("age_years")
        ages = [person.age_years for person in self._people if np.isfinite(person.age_years)]
        return age_does_not_fit(age, min(ages), max(ages)) if ages else None


def age_does_not_fit(age_years: float | None, youngest: float, oldest: float) -> bool | None:
    """Return whether a person's age does not fit those of a norm; None where one of them is not recorded.

    Parameters
    ----------
    age_years : float | None
        Age of the person, years; None where nobody recorded it.
    youngest, oldest : float
        Of the norm's people, years; NaN where it does not say.

    Examples
    --------
    >>> from biomech_id.interpretation.artefacts import age_does_not_fit
    >>> age_does_not_fit(9.0, 11.0, 16.0), age_does_not_fit(7.0, 11.0, 16.0), age_does_not_fit(None, 11.0, 16.0)
    (False, True, None)
    """
    if age_years is None or not np.isfinite([youngest, oldest]).all():
        return None
    margin = _AGE_YEARS if age_years >= _ADULT else _CHILD_YEARS
    return bool(not youngest - margin <= age_years <= oldest + margin)
