"""What the first page is drawn from: one condition of a session, judged by the rules once for all parts of the page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from biomech_id.conventions import CYCLE_ROWS, SIDES, Aspect
from biomech_id.errors import Finding
from biomech_id.interpretation.artefacts import Artefact, ArtefactTests
from biomech_id.interpretation.deviations import (
    LEAST_SAID_CYCLES,
    JudgedSide,
    LimbNorm,
    PatternDeviation,
    SagittalClass,
    judge_patterns,
    judged_sides,
    met_of,
    sagittal_classes,
)
from biomech_id.interpretation.hemiplegia import hemiplegia_type
from biomech_id.interpretation.rules import PatternRule, PatternRules, pattern_rules
from biomech_id.movement.feet import TrialKind
from biomech_id.norms.comparable import LEFT_OUT, hangs_on
from biomech_id.report.layout.style import Style
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.norm import Norm
from biomech_id.session.tables.session_tables import Tables
from biomech_id.trial.examination import HEMIPLEGIA, diagnosed_sides
from biomech_id.values import dataclass, replace

#: One of the angles that every body model has.
_AN_ANGLE = "KneeAngles"


@dataclass(frozen=True, eq=False)
class SessionFacts:
    """One condition of a session and the norm, as the parts of the first page ask them.

    Attributes
    ----------
    layer : Layer
        The straight walks of one condition; of a session without any, those of its foremost movement.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        What stands behind curves and numbers.
    """

    layer: Layer
    style: Style
    norm: Norm | None

    def in_style(self, style: Style) -> SessionFacts:
        """Return the same, judged already, for words of another language: what is judged hangs on no style.

        Parameters
        ----------
        style : Style
            Colours, words, scales and units of the report.
        """
        other = replace(self, style=style)
        vars(other).update(vars(self) | {"style": style})
        return other

    @property
    def tables(self) -> Tables:
        """The session."""
        return self.layer.tables

    @property
    def walks(self) -> bool:
        """Whether they are straight walks, which the rules are for."""
        return self.layer.kind == TrialKind.STRAIGHT

    @property
    def people(self) -> int:
        """Number of people in the norm, 0 without one."""
        return 0 if self.norm is None else self.norm.n

    @cached_property
    def rules(self) -> PatternRules:
        """The rules, with those of a laboratory's own file."""
        return pattern_rules((self.norm.patterns if self.norm is not None else "") or None)

    @cached_property
    def judged(self) -> tuple[PatternDeviation, ...]:
        """Every rule on every side of this condition; empty without people in the norm."""
        if self.norm is None or not self.norm.people:
            return ()
        deviations = judge_patterns(self.tables, self.norm.people, self.rules)
        return tuple(each for each in deviations if each.condition == self.layer.condition)

    @cached_property
    def sides(self) -> Mapping[str, JudgedSide]:
        """Side -> its cycles and their mean."""
        of_sides = judged_sides(self.tables, self.rules)
        return {each.side: each for each in of_sides if each.condition == self.layer.condition}

    @cached_property
    def classes(self) -> tuple[SagittalClass, ...]:
        """Knee and ankle of each side in midstance, with the class where one may be named; empty without people in the norm."""
        if self.norm is None or not self.norm.people:
            return ()
        return sagittal_classes(self.tables, self.sides.values(), self.norm.people, self.rules)

    @cached_property
    def hemiplegia(self) -> tuple[str, str, tuple[PatternDeviation, ...]] | None:
        """Side, type and patterns of a gait in hemiplegia; None without that diagnosis."""
        sides = diagnosed_sides(self.tables.diagnosis, HEMIPLEGIA)
        if sides is None or (of_gait := hemiplegia_type(self.judged)) is None:
            return None
        # Patterns on the side that the diagnosis does not name are no type of it.
        return of_gait if not sides or of_gait[0] in sides else None

    @property
    def met(self) -> tuple[PatternDeviation, ...]:
        """Rows of ``deviations.csv`` of this condition: what is met, and the classes that are named, largest first."""
        return met_of(self.judged, self.classes)

    @cached_property
    def groups(self) -> tuple[tuple[PatternRule, tuple[PatternDeviation, ...]], ...]:
        """Patterns said in words, left and right together, the largest first; a covered one stands in another's sentence."""
        alone = [each for each in self.judged if each.marked and not each.covered_by]
        largest = sorted(alone, key=lambda each: -each.size)
        patterns = dict.fromkeys(each.pattern for each in largest)
        in_order = sorted(alone, key=lambda each: each.side)
        return tuple((self.rules[name], tuple(each for each in in_order if each.pattern == name)) for name in patterns)

    @cached_property
    def unsaid(self) -> tuple[PatternDeviation, ...]:
        """Patterns that are met and not said in words, the largest first.

        Those of sides with too few cycles, and of rules without a positive case, are left to ``deviations.csv``.
        """
        met = (each for each in self.judged if each.met and not each.marked and not each.covered_by)
        patterns = [each for each in met if each.cycles >= LEAST_SAID_CYCLES and self.rules[each.pattern].tested]
        return tuple(sorted(patterns, key=lambda each: -np.nan_to_num(each.size)))

    def covered(self, each: PatternDeviation) -> tuple[PatternDeviation, ...]:
        """Return the patterns that stand in a pattern's sentence, the largest first.

        Parameters
        ----------
        each : PatternDeviation
            Said in words.
        """
        in_sentence = [x for x in self.judged if x.covered_by == each.pattern and x.side == each.side and x.marked]
        return tuple(sorted(in_sentence, key=lambda one: -np.nan_to_num(one.size)))

    def tests(self, each: PatternDeviation) -> tuple[Artefact, ...]:
        """Return what the tests found that ask what else could make a pattern.

        Parameters
        ----------
        each : PatternDeviation
            The pattern on one side.
        """
        return self._tested.get((each.pattern, each.side), ())

    @cached_property
    def _tested(self) -> Mapping[tuple[str, str], tuple[Artefact, ...]]:
        people = self.norm.people if self.norm is not None else ()
        norm, means = LimbNorm(people), {side: each.mean for side, each in self.sides.items()}
        tests = ArtefactTests(self.tables, norm.curves, norm.of, means, people, condition=self.layer.condition)
        return {(x.pattern, x.side): tests.of_rule(self.rules[x.pattern], x.side, x.cycles) for x in self.judged}

    @cached_property
    def artefacts(self) -> Mapping[str, frozenset[bool | None]]:
        """Artefact -> what its test said of any pattern: that it warns, does not, or could not run (None)."""
        results: dict[str, set[bool | None]] = {}
        for test in (test for tests in self._tested.values() for test in tests):
            results.setdefault(test.artefact, set()).add(test.warns)
        return {name: frozenset(outcomes) for name, outcomes in results.items()}

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Side -> number of cycles in the means of angles."""
        return {side: self.layer.count(side, Aspect.KINEMATICS) for side in SIDES}

    @cached_property
    def loaded(self) -> Mapping[str, int]:
        """Side -> number of cycles in the means of loads."""
        return {side: self.layer.count(side, Aspect.KINETICS) for side in SIDES}

    @property
    def left_out(self) -> Finding | None:
        """Why a norm that was computed otherwise is behind no angle, or not behind all; of several the one that leaves out most."""
        about = self.norm.note.get("said", ()) if self.norm is not None else ()
        return next((each for each in about if each.rule == LEFT_OUT and hangs_on(_AN_ANGLE, str(each.values["key"]))), None)

    @property
    def angles_compared(self) -> bool:
        """Whether the norm stands behind any angle."""
        return self.norm is not None and any(
            CYCLE_ROWS[name].quantity == "angle" for name in self.norm.curves if name in CYCLE_ROWS
        )

    @cached_property
    def lacks_bands(self) -> bool:
        """Whether no angle has a band, so that nobody knows what markers placed anew would make of it."""
        return bool(self.judged) and all(np.isnan(each.band) for each in self.judged if each.unit == "deg")

    @property
    def silent_sides(self) -> tuple[str, ...]:
        """Sides of too few cycles, of which nothing is said."""
        return tuple(side for side in SIDES if self.counts[side] < LEAST_SAID_CYCLES)
