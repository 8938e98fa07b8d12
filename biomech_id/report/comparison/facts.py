"""What the first page of a comparison is drawn from: two conditions of sessions, judged against one norm."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from biomech_id.conventions import CYCLE_ROWS, SIDES, Aspect
from biomech_id.interpretation.changes import (
    KINETICS,
    KNEE_AXIS,
    WHOLE_REASONS,
    ChangeDirection,
    PatternChange,
    Visit,
    changes_between,
    reasons_apart,
)
from biomech_id.interpretation.deviations import BAND_SDS, LEAST_SAID_CYCLES
from biomech_id.interpretation.rules import PatternRules, shipped_rules
from biomech_id.report.layout.style import Style
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.norm import Norm
from biomech_id.session.bands.uncertainty import TOTAL
from biomech_id.statistics.score_change import ScoreChange, score_changes
from biomech_id.values import dataclass


@dataclass(frozen=True, eq=False)
class Comparison:
    """Straight walks of two sessions, or of two conditions of one.

    Attributes
    ----------
    first, second : Layer
        Layer of the earlier session and of the later one.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        By which both are judged.
    rules : PatternRules
        By which patterns are judged.
    letter : str, optional
        What the second is called among several.
    """

    first: Layer
    second: Layer
    style: Style
    norm: Norm | None
    rules: PatternRules
    letter: str = "B"

    @property
    def layers(self) -> tuple[Layer, Layer]:
        """Both, the first one first."""
        return self.first, self.second

    @cached_property
    def visits(self) -> tuple[Visit, Visit]:
        """Both, as rules ask them."""
        people = self.norm.people if self.norm is not None else ()
        first, second = (Visit(layer.tables, layer.condition, people) for layer in self.layers)
        return first, second

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why not everything may be compared, by the ids of `reasons_apart`."""
        conditions = (self.first.condition, self.second.condition)
        return reasons_apart(self.first.tables, self.second.tables, conditions=conditions)

    @property
    def refused(self) -> tuple[str, ...]:
        """Why nothing may be compared; empty where something may."""
        return tuple(reason for reason in self.reasons if reason in WHOLE_REASONS)

    @cached_property
    def changes(self) -> tuple[PatternChange, ...]:
        """Every pattern that is said of one of the two, with what it changed by; empty without people in the norm."""
        return changes_between(*self.visits, self.rules) if self.visits[0].people else ()

    @cached_property
    def groups(self) -> tuple[tuple[PatternChange, ...], ...]:
        """Changes beyond error, left and right of a pattern together; a covered one stands in another's sentence."""
        alone = [each for each in self.changes if self._beyond(each) and not self.covering(each)]
        names = dict.fromkeys(each.pattern for each in alone)
        # A side within error stands beside the other that is not.
        beside = {name: [x for x in self.changes if x.pattern == name] for name in names}
        return tuple(tuple(sorted(sides, key=lambda each: each.side)) for sides in beside.values())

    @staticmethod
    def _beyond(each: PatternChange) -> bool:
        return each.direction is not ChangeDirection.WITHIN_ERROR

    def covering(self, each: PatternChange) -> str:
        """Return the pattern of the sentence in which a change stands; empty where it has its own.

        Parameters
        ----------
        each : PatternChange
            The change.
        """
        name, known = each.covered_by, {(x.side, x.pattern): x for x in self.changes if self._beyond(x)}
        while (each.side, name) in known and known[each.side, name].covered_by not in ("", name):
            name = known[each.side, name].covered_by
        return name if (each.side, name) in known else ""

    @cached_property
    def covered(self) -> Mapping[str, tuple[str, ...]]:
        """Pattern -> patterns that stand in its sentence."""
        covered: dict[str, dict[str, None]] = {}
        for each in self.changes:
            if self._beyond(each) and self.covering(each):
                covered.setdefault(self.covering(each), {})[each.pattern] = None
        return {name: tuple(patterns) for name, patterns in covered.items()}

    @cached_property
    def unchanged(self) -> tuple[PatternChange, ...]:
        """Patterns that are said of one of the two and changed on no side beyond error, and stand alone."""
        shown = {each.pattern for sides in self.groups for each in sides}
        return tuple(each for each in self.changes if each.pattern not in shown and not self.covering(each) and not each.covered_by)

    @cached_property
    def scores(self) -> Mapping[bool, Mapping[str, ScoreChange]]:
        """With hip rotation, and without: side, or "" -> change of the profile score."""
        if self.norm is None or self.refused or KNEE_AXIS in self.reasons or "static" in self.reasons:
            return {True: {}, False: {}}
        normal = {name: mean for name, (mean, _) in self.norm.curves.items()}
        cycles = (self.first.recording, self.second.recording)
        return {hip: score_changes(*cycles, normal, hip_rotation=hip) for hip in (True, False)}

    def least_change(self, variable: str, component: str) -> float:
        """Return what 95 % of changes of a mean curve stay within where nothing changed, mean over the cycle; NaN where unknown.

        Parameters
        ----------
        variable, component : str
            Name and axis as in ``cycles.csv``: "KneeAngles", "X".
        """
        row = CYCLE_ROWS[variable, component]
        sds = [layer.uncertainty(side, row, self.style).get(TOTAL) for layer in self.layers for side in SIDES]
        known = [np.nanmean(sd**2) for sd in sds if sd is not None and np.isfinite(sd).any()]
        return float(BAND_SDS * np.sqrt(2.0 * np.mean(known))) if known else float("nan")

    @property
    def one_placement(self) -> bool:
        """Whether both have the same markers on the same spots."""
        return self.first.recording.markers_of(self.second.recording)

    def counts(self, layer: Aspect) -> dict[str, tuple[int, int]]:
        """Return side -> cycles in the means of one layer, before and after.

        Parameters
        ----------
        layer : Aspect
            Of angles, of loads ...
        """
        return {side: (self.first.count(side, layer), self.second.count(side, layer)) for side in SIDES}

    def silent(self, layer: Aspect) -> tuple[str, ...]:
        """Return the sides that have too few cycles at one of the two for a sentence.

        Parameters
        ----------
        layer : Aspect
            Of angles, of loads ...
        """
        return tuple(side for side, counts in self.counts(layer).items() if min(counts) < LEAST_SAID_CYCLES)

    @property
    def loads_compared(self) -> bool:
        """Whether joint loads may be compared."""
        return not self.refused and KINETICS not in self.reasons


def comparison_of(
    first: Layer, second: Layer, style: Style, norm: Norm | None, *, letter: str = "B", rules: PatternRules | None = None
) -> Comparison:
    """Return two layers as they are compared.

    Parameters
    ----------
    first, second : Layer
        Layer of the earlier session and of the later one.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        By which both are judged.
    letter : str, optional
        What the second is called among several.
    rules : PatternRules | None, optional
        By which patterns are judged; None for those that are shipped.
    """
    return Comparison(first, second, style, norm, rules or shipped_rules(), letter)
