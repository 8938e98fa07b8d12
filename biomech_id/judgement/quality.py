"""How good is this trial? Named rules with a number, a unit and a limit, and the verdict that follows from them.

A rule has two limits: beyond the first a person should look (warn), beyond the second what it judges should not be used (reject):
its layers (`conventions.Aspect`) of the side or the cycle it was measured on, and nothing else.
The limits are judgements, not physics; each says in ``why`` what it is based on. They judge the measurement and never the patient:
no rule knows what is normal. A rule without a value is neither passed nor failed, but "not measured"; one without limits is
"not judged".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.conventions import SIDES, Aspect
from biomech_id.errors import InvalidValueError
from biomech_id.gait.measures.residual import LARGEST_CLOCK_LAG_S, LARGEST_PERCENT, LARGEST_WEIGHT_PERCENT, LEAST_SLOPE
from biomech_id.models.conventional.implied_calibration import OTHER_OFFSET_DEG
from biomech_id.movement.grades import Grade, QualityRow, together, worst
from biomech_id.values import dataclass

#: What follows from the markers of a side and the pelvis, from the plates, and from both with the whole body.
BODY = (Aspect.KINEMATICS, Aspect.KINETICS, Aspect.WHOLE_BODY)
LOADS = (Aspect.KINETICS,)
ALL_LOADS = (Aspect.KINETICS, Aspect.WHOLE_BODY)


@dataclass(frozen=True)
class QualityRule:
    """One rule.

    Attributes
    ----------
    name : str
        Stable identifier, lower-case words joined by hyphens.
    unit : str
        Of the value and the limits.
    warn : float
        Values beyond these get that grade; ``inf`` (``-inf`` for a rule where low is bad) never does.
    reject : float
        Values beyond these get that grade; ``inf`` (``-inf`` for a rule where low is bad) never does.
    why : str
        Where the limits come from.
    layers : tuple[Aspect, ...], optional
        Layers of results that it judges.
    low_is_bad : bool, optional
        Whether "beyond" means below.
    by_cycle : bool, optional
        Whether each cycle is judged by itself: a bad one is refused, and the trial goes on with the others.
    """

    name: str
    unit: str
    warn: float
    reject: float
    why: str
    layers: tuple[Aspect, ...] = BODY
    low_is_bad: bool = False
    by_cycle: bool = False

    def grade(self, value: float) -> Grade:
        """Grade one value; a missing value (NaN) was not measured, and what has no limits is not judged.

        Parameters
        ----------
        value : float
            What was measured, in the rule's unit.
        """
        sign = -1.0 if self.low_is_bad else 1.0
        if np.isnan(value):
            return Grade.NOT_MEASURED
        if not np.isfinite(self.warn) and not np.isfinite(self.reject):
            return Grade.NOT_JUDGED
        if sign * value <= sign * self.warn:
            return Grade.ACCEPT
        return Grade.WARN if sign * value <= sign * self.reject else Grade.REJECT

    def limit(self, grade: Grade) -> float:
        """The limit that decided a grade; NaN where no finite limit exists.

        Parameters
        ----------
        grade : Grade
            The verdict that was given.
        """
        limit = self.reject if grade is Grade.REJECT else self.warn
        if grade is Grade.NOT_JUDGED:
            return float("nan")
        return limit if np.isfinite(limit) else float("nan")


#: Every rule by which a trial is graded, in the order they are reported.
RULES: tuple[QualityRule, ...] = (
    QualityRule("gap-largest", "ms", 100.0, 500.0,
                "ten frames at 100 Hz, the longest gap filled by default; half a second is half a gait cycle", by_cycle=True),
    QualityRule("gap-filled", "%", 2.0, 20.0, "share of marker samples that were interpolated and not measured",
                by_cycle=True),
    QualityRule("frames-untracked", "%", 2.0, 50.0,
                "share of frames (of a trial without cycles: between the first and the last tracked one) in which a joint angle "
                "is missing", by_cycle=True),
    QualityRule("marker-rigidity", "mm", 10.0, 25.0,
                "root mean square change of the distances within a segment against the static trial, without the worst tenth of "
                "the frames; skin moves by about 10 mm", by_cycle=True),
    QualityRule("centre-drift", "mm", 10.0, 25.0,
                "change of the distance between neighbouring joint centres against the static trial, median over the frames",
                by_cycle=True),
    QualityRule("plate-baseline", "N", 10.0, 50.0,
                "force of the unloaded plate before it was removed; above 5 % of a child's weight it shifts the contact",
                layers=LOADS),
    QualityRule("cop-inside-foot", "%", 95.0, 80.0,
                "share of the samples from strike to 90 % of a stance, above a fifth of body weight, whose centre of pressure lies "
                "within 20 mm of the foot's outline; 187 recorded stances have 87 at least, a virtual one on a plate moved 60 mm "
                "sideways 75 at most. A stance below 80 has no kinetics; a side is refused if two of it or on one plate are",
                layers=LOADS, low_is_bad=True),
    QualityRule("cop-offset", "mm", 15.0, 17.0,
                "how far the force acts beside where feet press, in what landings, push-offs and both feet share; 35 recordings "
                "with both feet on plates have 11 mm at most, and moved by 40 mm 17 mm or more",
                layers=LOADS),
    QualityRule("plate-place", "", 1.0, float("inf"),
                "where the steps on a plate put it against where the file does, over what this session can tell (13 mm and 5 "
                "degrees at least); feet that press otherwise than typical walkers' show the same: no kinetics are refused",
                layers=LOADS),
    QualityRule("thigh-rotations", "deg", OTHER_OFFSET_DEG, float("inf"),
                "largest difference between the thigh rotations that a walk's stored outputs were computed with and its static "
                "trial's, which are used: hip and knee outside the sagittal plane hang on which are right",
                layers=(Aspect.KINEMATICS, Aspect.KINETICS)),
    QualityRule("event-lag", "ms", 30.0, 100.0,
                "median absolute lag; stored foot offs lie within 14 ms of the force's, detected ones within two frames",
                layers=LOADS),
    QualityRule("residual-single", "%BW", 12.0, float("inf"),
                "root mean square of the force that the whole body's motion leaves unexplained, below 6 Hz, in space; walks of 20 "
                "subjects have 4 to 10",
                layers=ALL_LOADS),
    QualityRule("residual-double", "%BW", float("inf"), float("inf"),
                "the same while both feet stand: few frames, and strikes that no rigid segment follows",
                layers=ALL_LOADS),
    QualityRule("residual-fore-aft", "%BW", LARGEST_PERCENT["fore_aft"], float("inf"),
                "its part along the progression in single support; 5.8 at most in these walks",
                layers=ALL_LOADS),
    QualityRule("residual-sideways", "%BW", LARGEST_PERCENT["sideways"], float("inf"),
                "its part across the progression; 5.1 at most",
                layers=ALL_LOADS),
    QualityRule("residual-vertical", "%BW", LARGEST_PERCENT["vertical"], float("inf"),
                "its vertical part; 9.0 at most, 19 where the mass or the plates' scale is wrong",
                layers=ALL_LOADS),
    QualityRule("residual-weight", "%BW", LARGEST_WEIGHT_PERCENT, float("inf"),
                "mean of the vertical residual in single support; a mass, or a scale of the plates, that is 15 % off moves it by "
                "13 to 18",
                layers=ALL_LOADS),
    QualityRule("residual-moment", "N m/kg", float("inf"), float("inf"),
                "root mean square of the residual moment about the centre of mass in single support, in space",
                layers=ALL_LOADS),
    QualityRule("residual-slope-fore-aft", "", LEAST_SLOPE["fore_aft"], float("-inf"),
                "slope of force on mass times acceleration, 1 in an exact world; negative where a sign is turned",
                layers=ALL_LOADS, low_is_bad=True),
    QualityRule("residual-slope-sideways", "", LEAST_SLOPE["sideways"], float("-inf"),
                "the same sideways, where both are small and a turn has no side",
                layers=ALL_LOADS, low_is_bad=True),
    QualityRule("residual-lag", "ms", 1000.0 * LARGEST_CLOCK_LAG_S, float("inf"),
                "by which forces come after the accelerations they make; soft tissue alone makes 16 ms at most",
                layers=ALL_LOADS),
    QualityRule("plausibility", "", 0.0, float("inf"),
                "findings on plates and loads that the body's own movement speaks against; none in a trial that was recorded well"),
    QualityRule("cycles-used", "", 1.0, float("-inf"), "cycles in the means; a walk without one adds nothing",
                layers=(Aspect.KINEMATICS,), low_is_bad=True),
    QualityRule("cycles-refused", "", float("inf"), float("inf"),
                "those outside the means, counted; the reasons are listed", layers=(Aspect.KINEMATICS,)),
    QualityRule("stances-on-plate", "", float("-inf"), float("-inf"),
                "counted for the reader; kinematics do not need a plate",
                layers=LOADS, low_is_bad=True),
)  # fmt: skip
_RULE = {rule.name: rule for rule in RULES}
#: Those that judge each cycle by itself.
BY_CYCLE: tuple[str, ...] = tuple(rule.name for rule in RULES if rule.by_cycle)
#: Those that a finding says more about than their number.
EXPLAINED_BY_FINDINGS: tuple[str, ...] = (
    *BY_CYCLE, "plausibility", "plate-place", "thigh-rotations", *(rule.name for rule in RULES if rule.name.startswith("residual-"))
)  # fmt: skip


def graded(
    trial: str,
    rule: str,
    value: float,
    verdict: Grade | None = None,
    by: Mapping[tuple[Aspect, str], Grade] | None = None,
) -> QualityRow:
    """Apply one rule of `RULES` to a value measured in one trial.

    Parameters
    ----------
    trial : str
        Name of the trial.
    rule : str
        Name of the rule.
    value : float
        What was measured, in the rule's unit.
    verdict : Grade | None, optional
        Where it does not follow from the value alone: of several cycles, or of a trial that the rule does not judge.
    by : Mapping[tuple[Aspect, str], Grade] | None, optional
        (Layer, side) -> verdict, of a rule that is about a side; None where it says the same of both sides and all its layers.

    Raises
    ------
    InvalidValueError
        There is no such rule, or the value is infinite.
    """
    if rule not in _RULE or np.isinf(value):
        raise InvalidValueError(
            f"{trial}: the quality rule {rule} cannot be applied to {value}.",
            value=value, expected=f"a finite value for one of {', '.join(_RULE)}", where=trial,
        )  # fmt: skip
    row = _RULE[rule]
    grade = row.grade(value) if verdict is None else verdict
    if by is None:
        by = {(layer, side): grade for layer in row.layers for side in SIDES}
    return QualityRow(
        trial, rule, float(value), row.unit, row.limit(grade), grade, row.low_is_bad,
        explained_by_findings=rule in EXPLAINED_BY_FINDINGS, by=by,
    )  # fmt: skip


def graded_sides(trial: str, rule: str, value: float, of_sides: Mapping[str, Grade]) -> QualityRow:
    """Apply a rule that is about a side to a trial: a side that is refused is a warning as long as the other is left.

    Parameters
    ----------
    trial : str
        Name of the trial.
    rule : str
        Name of the rule.
    value : float
        What was measured in the whole trial, in the rule's unit.
    of_sides : Mapping[str, Grade]
        Side -> its verdict.
    """
    by = {(layer, side): grade for layer in _RULE[rule].layers for side, grade in of_sides.items()}
    return graded(trial, rule, value, together(of_sides.values()) if Grade.REJECT in of_sides.values() else None, by)


def graded_cycles(trial: str, rule: str, values: Mapping[str, Sequence[float]]) -> QualityRow:
    """Apply a rule to values measured in the cycles of one trial: refused cycles are a warning as long as others are left.

    Parameters
    ----------
    trial : str
        Name of the trial.
    rule : str
        Name of the rule.
    values : Mapping[str, Sequence[float]]
        Side -> one for each of its cycles; NaN where it could not be measured.
    """
    sign = -1.0 if _RULE[rule].low_is_bad else 1.0
    every = [value for of_side in values.values() for value in of_side]
    known = [value for value in every if not np.isnan(value)]
    verdict = _of_cycles(rule, every)
    by = {(layer, side): _of_cycles(rule, own) for layer in _RULE[rule].layers for side, own in values.items()}
    return graded(trial, rule, max(known, key=lambda value: sign * value, default=float("nan")), verdict, by)


def _of_cycles(rule: str, values: Sequence[float]) -> Grade:
    grades = [_RULE[rule].grade(value) for value in values]
    worst_grade = worst(grades)
    return Grade.WARN if worst_grade is Grade.REJECT and any(grade is not Grade.REJECT for grade in grades) else worst_grade
