"""What is drawn together: the cycles of one session that were walked in one way, and their curves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import CYCLE_ROWS, MUSCLE_VARIABLES, SIDES, Aspect, SignRow
from biomech_id.report.layout.reasons import reasons_of
from biomech_id.report.layout.records import records
from biomech_id.report.layout.style import Style
from biomech_id.session.bands.mean_uncertainty import mean_uncertainty
from biomech_id.session.tables.means import counted
from biomech_id.session.tables.muscles import mean_length_sd
from biomech_id.session.tables.session_tables import Table, Tables
from biomech_id.statistics.sessions import ComparedCycles
from biomech_id.values import dataclass

#: (variable, component) -> row, for everything ``cycles.csv`` can hold.
ROWS = CYCLE_ROWS


@dataclass(frozen=True)
class Statistics:
    """Mean and spread over cycles at each percent.

    Attributes
    ----------
    mean : FloatArray
        (101,), in the plotted unit; sd is the sample standard deviation, NaN where fewer than two cycles have a value.
    sd : FloatArray
        (101,), in the plotted unit; sd is the sample standard deviation, NaN where fewer than two cycles have a value.
    n : int
        Number of cycles with any value.
    """

    mean: FloatArray
    sd: FloatArray
    n: int


def statistics(curves: FloatArray) -> Statistics:
    """Mean and sample standard deviation over cycles, (n, 101) -> (101,), at each percent over the cycles that have a value.

    Parameters
    ----------
    curves : FloatArray
        (n, 101), any unit.
    """
    known = np.isfinite(curves)
    count = known.sum(axis=0)
    filled = np.where(known, curves, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, filled.sum(axis=0) / count, np.nan)
        squares = np.where(known, (curves - mean) ** 2, 0.0).sum(axis=0)
        sd = np.where(count > 1, np.sqrt(squares / (count - 1)), np.nan)
    return Statistics(mean=mean, sd=sd, n=int(known.any(axis=1).sum()))


@dataclass(frozen=True, eq=False)
class Layer:
    """Cycles of one session, one kind of movement and one condition.

    Attributes
    ----------
    tables : Tables
        The session's tables.
    kind : str
        Of the trials that the cycles come from.
    condition : str
        Of the trials that the cycles come from.
    name : str, optional
        What a legend calls it when two sessions are compared; empty otherwise.
    """

    tables: Tables
    kind: str
    condition: str
    name: str = ""

    @cached_property
    def cycles(self) -> Table:
        """Rows of `Tables.cycle_list` in this layer (a DataFrame)."""
        every = self.tables.cycle_list
        return every[(every["kind"] == self.kind) & (every["condition"] == self.condition)]

    @cached_property
    def used(self) -> Table:
        """Cycles that enter means of angles or of loads."""
        return counted(self.cycles)

    @property
    def trials(self) -> list[dict[str, Any]]:
        """Entries of ``summary["trials"]`` that the cycles come from."""
        trials = self.tables.summary.get("trials", ())
        return [t for t in trials if t["kind"] == self.kind and t["condition"] == self.condition]

    @property
    def run(self) -> bool:
        """Whether the scales of running apply."""
        return self.kind == "run"

    @cached_property
    def unused(self) -> Table:
        """Cycles that are shown but enter no mean."""
        return self.cycles[~self.cycles.index.isin(self.used.index)]

    def every(self, side: str, row: SignRow, style: Style) -> tuple[FloatArray, FloatArray]:
        """Curves of every cycle in the plotted unit: those in the mean (n, 101), and the others (m, 101).

        Parameters
        ----------
        side : str
            Whose cycles, "L" or "R".
        row : SignRow
            The variable's row of the sign table.
        style : Style
            Colours, words, scales and units of the report.
        """
        return self._curves(side, row, style, self.used), self._curves(side, row, style, self.unused)

    def mean(self, side: str, row: SignRow, style: Style) -> Statistics:
        """Mean and spread over the cycles in the mean, in the plotted unit.

        Parameters
        ----------
        side : str
            Whose cycles, "L" or "R".
        row : SignRow
            The variable's row of the sign table.
        style : Style
            Colours, words, scales and units of the report.
        """
        return statistics(self._curves(side, row, style, self.used))

    def uncertainty(self, side: str, row: SignRow, style: Style) -> Mapping[str, FloatArray]:
        """Source of error -> standard deviation (101,) of the mean, in the plotted unit, and "total"; empty where unknown.

        Parameters
        ----------
        side : str
            Whose mean, "L" or "R".
        row : SignRow
            The variable's row of the sign table.
        style : Style
            Colours, words, scales and units of the report.
        """
        if row.variable in MUSCLE_VARIABLES:
            return mean_length_sd(self.tables, side, row.variable, self.used)
        sd_by_source = mean_uncertainty(self.tables, side, row.variable, row.component, self.used)
        return {source: sd * style.factor(row) for source, sd in sd_by_source.items()}

    def _curves(self, side: str, row: SignRow, style: Style, cycles: Table) -> FloatArray:
        # The same curves are counted, drawn and compared; the cycles are this layer's own tables, which live as long as it does.
        name = id(cycles), side, row.variable, row.component
        if name not in self._known:
            self._known[name] = self.tables.curves(side, row.variable, row.component, cycles=cycles)
        return self._known[name] * style.factor(row)

    @cached_property
    def _known(self) -> dict[tuple[int, str, str, str], FloatArray]:
        return {}

    @cached_property
    def recording(self) -> ComparedCycles:
        """The cycles that enter means, as sessions are compared by."""
        return ComparedCycles(self.tables, self.used)

    def foot_off_percent(self, side: str) -> float:
        """Mean foot off of one side, percent of the cycle; NaN where none is known.

        Parameters
        ----------
        side : str
            Whose foot leaves, "L" or "R".
        """
        return self._foot_off_percent[side]

    @cached_property
    def _foot_off_percent(self) -> dict[str, float]:
        return {side: float(self.used.loc[self.used["side"] == side, "foot_off_percent"].astype(float).mean()) for side in SIDES}

    def count(self, side: str, layer: Aspect | None = None) -> int:
        """Number of cycles in the mean on one side.

        Parameters
        ----------
        side : str
            Whose cycles, "L" or "R".
        layer : Aspect | None, optional
            Of angles, of loads ...; None for cycles that have any of the two.
        """
        return int((counted(self.cycles, layer)["side"] == side).sum())

    def missing(self, side: str, row: SignRow, style: Style, *, brief: bool = False) -> str:
        """Say why a side has no curve of this variable; briefly without the reason.

        Parameters
        ----------
        side : str
            Whose curve is missing, "L" or "R".
        row : SignRow
            The variable's row of the sign table.
        style : Style
            Colours, words, scales and units of the report.
        brief : bool, optional
            Whether the words for a panel are wanted.
        """
        label, reason = self.absence(side, row, style)
        return style.label(label, side=style.label(f"side.{side}"), reason="" if brief else reason).rstrip()

    def absence(self, side: str, row: SignRow, style: Style) -> tuple[str, str]:
        """Why a side has no curve of this variable: the label that says so, and the reason in it.

        Parameters
        ----------
        side : str
            Whose curve is missing, "L" or "R".
        row : SignRow
            The variable's row of the sign table.
        style : Style
            Colours, words, scales and units of the report.
        """
        if self.cycles[self.cycles["side"] == side].empty:
            return f"absent.cycles_{side}", ""
        if not self.count(side, row.aspect) and len(self._curves(side, row, style, self.cycles)):
            return "absent.no_mean", self.reason(side, row.aspect, style)
        if row.kinetic:
            return "absent.kinetics", self.kinetics_reason(side, style)
        return "absent.not_measured", ""

    def kinetics_reason(self, side: str, style: Style) -> str:
        """The commonest reason why cycles of one side have no kinetics.

        Parameters
        ----------
        side : str
            Whose cycles, "L" or "R".
        style : Style
            Colours, words, scales and units of the report.
        """
        if self.trials and not any(trial["plates"] for trial in self.trials):
            return style.label("absent.no_plates")
        if reason := self.reason(side, Aspect.KINETICS, style):
            return reason
        if (self.cycles[self.cycles["side"] == side]["kinetics_valid"] == "false").any():
            return style.label(f"absent.no_contact_{side}")
        return style.label("absent.no_loads")

    def reason(self, side: str, layer: Aspect, style: Style) -> str:
        """The commonest reason why cycles of one side are not in the means of one layer; empty where none is known.

        Parameters
        ----------
        side : str
            Whose cycles, "L" or "R".
        layer : Aspect
            Of angles, of loads ...
        style : Style
            Colours, words, scales and units of the report.
        """
        left_out = self.cycles[(self.cycles["side"] == side) & ~self.cycles[layer].astype(bool)]
        reasons = Counter(why for cycle in records(left_out) for why in reasons_of(cycle, style, layer)[:1])
        return reasons.most_common(1)[0][0] if reasons else ""


def layers_of(tables: Tables, *, name: str = "") -> list[Layer]:
    """Split a session's cycles by movement and condition, straight walks first, then in order of first appearance.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    name : str, optional
        What the layers are called where several sessions are drawn.
    """
    pairs = list(dict.fromkeys((t["kind"], t["condition"]) for t in tables.summary.get("trials", ()) if t["cycles"]))
    pairs.sort(key=lambda pair: pair[0] != "straight")
    return [Layer(tables, kind, condition, name) for kind, condition in pairs]
