"""Muscle signals as pages show them: a row for each muscle from proximal to distal, left and right; one scale for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.emg.muscles import MUSCLES
from biomech_id.languages import terms_of
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.records import records
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import shortened
from biomech_id.session.tables.session_tables import Tables
from biomech_id.values import dataclass, field

#: Steps of a scale for raw signals, in whatever unit they have.
_STEPS = (1.0, 2.0, 5.0)
#: Share of the samples of live channels that the common scale holds.
_SHOWN_PERCENT = 99.8
#: Bars that say when a muscle is on, points.
BAR_WIDTH = 2.4


class ChannelLine(Protocol):
    """A row of ``channels.csv``, as far as pages read it."""

    trial: str
    label: str
    muscle: str
    side: str
    unit: str
    verdict: str
    also: str
    threshold: float
    peak: float


@dataclass(frozen=True)
class MuscleRow:
    """One muscle, or one channel that nobody names, with the label of each side.

    Attributes
    ----------
    name : str
        Name of the muscle, or the channel's label.
    labels : dict[str, str]
        Side ("" where nobody says) -> label of its channel.
    """

    name: str
    labels: dict[str, str] = field(default_factory=dict)


def muscle_title(name: str, style: Style) -> str:
    """Return what a report calls a muscle, in its language; a label as it is.

    Parameters
    ----------
    name : str
        Name in `emg.muscles.MUSCLES`, or a label.
    style : Style
        Colours, words, scales and units of the report.
    """
    return str(terms_of(style.language, "muscles").get(name, name))


def muscle_order(name: str) -> int:
    """Return a muscle's place on a page, proximal first; what is no muscle's name comes last.

    Parameters
    ----------
    name : str
        Name in `emg.muscles.MUSCLES`, or a label.
    """
    return MUSCLES[name].order if name in MUSCLES else 1000


@dataclass(frozen=True, eq=False)
class EmgView:
    """The muscle signals of some trials of a session, by muscle.

    Attributes
    ----------
    tables : Tables
        The session; it has muscle signals.
    trials : tuple[str, ...]
        Names of the trials shown.
    """

    tables: Tables
    trials: tuple[str, ...]

    @cached_property
    def rows(self) -> tuple[MuscleRow, ...]:
        """A row for each muscle, proximal first, then channels without a name; two electrodes on one muscle have a row each."""
        rows: list[MuscleRow] = []
        for channel in self._channels.values():
            side, name = channel.side, channel.muscle or channel.label
            row = next((row for row in rows if row.name == name and row.labels.get(side, channel.label) == channel.label), None)
            if row is None:
                row = MuscleRow(name)
                rows.append(row)
            row.labels[side] = channel.label
        return tuple(sorted(rows, key=lambda row: muscle_order(row.name)))

    @cached_property
    def _channels(self) -> dict[tuple[str, str], ChannelLine]:
        """(trial, label) -> row of ``channels.csv``, of muscles' channels."""
        table = self.tables.channels
        rows = [] if table is None else records(table[table["trial"].isin(self.trials) & (table["verdict"] != "not_emg")])
        return {(row.trial, row.label): row for row in rows}

    def channel(self, trial: str, label: str) -> ChannelLine | None:
        """Return the row of ``channels.csv`` of one channel, or None where the trial does not have it.

        Parameters
        ----------
        trial : str
            Name of the trial.
        label : str
            Label of the channel in the recording.
        """
        return self._channels.get((trial, label))

    def refusal(self, label: str, style: Style) -> str:
        """Return in words what a channel holds where it is live in none of the trials; "" where it is in one.

        Parameters
        ----------
        label : str
            Label of the channel in the recording.
        style : Style
            Colours, words, scales and units of the report.
        """
        verdicts = [line.verdict for trial in self.trials if (line := self.channel(trial, label)) is not None]
        if "live" in verdicts:
            return ""
        return ", ".join(style.label(f"emg.verdict_{verdict}") for verdict in dict.fromkeys(verdicts))

    @cached_property
    def _raw(self) -> dict[tuple[str, str], FloatArray]:
        table = self.tables.emg_raw
        if table is None:
            return {}
        of_trials = table[table["trial"].isin(self.trials)]
        return {
            (str(trial), str(label)): rows[["time_s", "lowest", "highest"]].to_numpy(dtype=float)
            for (trial, label), rows in of_trials.groupby(["trial", "label"], sort=False)
        }

    def raw(self, trial: str, label: str) -> FloatArray:
        """Return the raw trace of a channel, (n, 3): time in seconds, lowest and highest value in 5 ms; (0, 3) without one.

        Parameters
        ----------
        trial : str
            Name of the trial.
        label : str
            Label of the channel in the recording.
        """
        return self._raw.get((trial, label), np.empty((0, 3)))

    def active(self, trial: str, label: str, cycle: int = 0) -> FloatArray:
        """Return when a channel is on, (n, 2): seconds of the trial (cycle 0), or percent of one of its cycles.

        Parameters
        ----------
        trial : str
            Name of the trial.
        label : str
            Label of the channel in the recording.
        cycle : int, optional
            Number of the cycle; 0 for the whole trial.
        """
        table = self.tables.emg_activity
        if table is None:
            return np.empty((0, 2))
        intervals = table[(table["trial"] == trial) & (table["label"] == label) & (table["cycle"] == cycle)]
        return intervals[["on_percent", "off_percent"] if cycle else ["on_s", "off_s"]].to_numpy(dtype=float)

    @cached_property
    def scale(self) -> float:
        """Half the height of every raw trace of the session, in the unit of its live channels: one for all."""
        table = self.tables.emg_raw
        channels = self.tables.channels
        if table is None or channels is None or not len(table):
            return 1.0
        live = channels[channels["verdict"] == "live"][["trial", "label"]]
        shown = table.merge(live if len(live) else channels[["trial", "label"]], on=["trial", "label"])
        sizes = np.maximum(np.abs(shown["lowest"]), np.abs(shown["highest"]))
        largest = float(np.percentile(sizes, _SHOWN_PERCENT)) if len(sizes) else 1.0
        power = 10.0 ** np.floor(np.log10(largest)) if largest > 0 else 1.0
        return next((step * power for step in _STEPS if step * power >= largest), 10.0 * power)

    @cached_property
    def unit(self) -> str:
        """Unit of the live channels; the first one's where they differ."""
        table = self.tables.channels
        units = [] if table is None else [row.unit for row in records(table) if row.verdict == "live"]
        return {"uV": "µV"}.get(units[0], units[0]) if units else ""


def draw_trace(
    panel: Panel, trace: FloatArray, half: float, *, colour: str, x: FloatArray | None = None, middle: float = 0.0
) -> None:
    """Draw a raw trace as the area between its lowest and highest values, cut off at the common scale.

    Parameters
    ----------
    panel : Panel
        Axes over time, seconds, or percent of the cycle.
    trace : FloatArray
        (n, 3): time, lowest, highest.
    half : float
        Largest value that is shown, in the trace's unit.
    colour : str
        Name of a colour.
    x : FloatArray | None, optional
        (n,), places along the panel; None takes the time.
    middle : float, optional
        Where zero is, in the panel's coordinates, with 1 for ``half``.
    """
    if not len(trace):
        return
    # Raw signals may stand on an offset of the amplifier.
    rest = float(np.median(0.5 * (trace[:, 1] + trace[:, 2])))
    low, high = (middle + np.clip((trace[:, i] - rest) / half, -1.0, 1.0) for i in (1, 2))
    along = trace[:, 0] if x is None else x
    panel.band(along, low, np.maximum(high, low + 0.01), colour=colour, opacity=1.0, zorder=3.0, gid=None)


def draw_active(panel: Panel, spans: FloatArray, level: float, *, colour: str) -> None:
    """Draw bars where a muscle is on.

    Parameters
    ----------
    panel : Panel
        Axes over time, seconds, or percent of the cycle.
    spans : FloatArray
        (n, 2), on and off, along the panel.
    level : float
        How high, in the panel's coordinates.
    colour : str
        Name of a colour.
    """
    bars = [np.array([[on, level], [off, level]]) for on, off in spans]
    if bars:
        panel.polylines(bars, colour=colour, width=BAR_WIDTH, zorder=5.0)


def row_heading(panel: Panel, text: str, words: Sequence[str] = ()) -> None:
    """Write a row's name above the left corner of a panel, and small words behind it.

    Parameters
    ----------
    panel : Panel
        The panel.
    text : str
        Name of the muscle.
    words : Sequence[str], optional
        What else is said of it.
    """
    width, height = panel.size_mm
    panel.outside(0.0, height + 0.8, shortened(text, width, panel.style.size("small"), weight="bold"), size="small", weight="bold")
    if words:
        panel.outside(width, height + 0.8, "  ".join(words), size="tiny", colour="quiet", ha="right")
