"""Muscle signals of one recording with the gait cycles they are cut into, whoever found them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.conventions import SIDES
from biomech_id.emg.doctor import ChannelVerdict
from biomech_id.emg.record import EmgChannel, EmgRecord, cycle_curve, cycle_verdict
from biomech_id.emg.sides import side_evidence, tells_side
from biomech_id.trial import EventKind, Trial
from biomech_id.values import dataclass


@dataclass(frozen=True)
class EmgCycle:
    """One gait cycle that muscle signals are cut into.

    Attributes
    ----------
    side : str
        Which side, "L" or "R".
    number : int
        As in the session's other tables, counted from 1.
    start_s : float
        Foot strike, on the clock of the events, seconds.
    end_s : float
        The next strike of that foot, on the same clock, seconds.
    foot_off_percent : float
        Foot off, percent of the cycle; NaN where not known.
    steady : bool
        Whether it enters means of kinematics.
    """

    side: str
    number: int
    start_s: float
    end_s: float
    foot_off_percent: float
    steady: bool


class ChannelCycle(NamedTuple):
    """What one channel holds in one cycle."""

    #: Of the channel's side.
    cycle: EmgCycle
    #: (101,), in the channel's unit.
    envelope: FloatArray
    #: What the channel holds there.
    verdict: ChannelVerdict
    #: Root mean square of the signal, in the channel's unit.
    rms: float
    #: Whether the cycle enters the channel's mean.
    averaged: bool


@compact_repr
@dataclass(frozen=True, eq=False)
class TrialEmg:
    """Muscle signals of one recording.

    Attributes
    ----------
    trial : str
        Name of the recording.
    record : EmgRecord
        Its channels, judged and processed.
    cycles : tuple[EmgCycle, ...], optional
        None of a recording without gait.
    condition : str, optional
        Condition of the trial, such as "barefoot"; may be empty.
    """

    trial: str
    record: EmgRecord
    cycles: tuple[EmgCycle, ...] = ()
    condition: str = ""

    @cached_property
    def cuts(self) -> Mapping[str, tuple[ChannelCycle, ...]]:
        """Label of each channel -> what it holds in each cycle of its own side."""
        return {channel.input.label: tuple(self._cut(channel)) for channel in self.record.channels}

    def _cut(self, channel: EmgChannel) -> Iterator[ChannelCycle]:
        for cycle in self.cycles:
            if cycle.side == channel.input.named.side:
                curve = cycle_curve(self.record, channel, cycle.start_s, cycle.end_s)
                verdict, rms = cycle_verdict(self.record, channel, cycle.start_s, cycle.end_s)
                near = self.record.near_edge(cycle.start_s, cycle.end_s)
                averaged = cycle.steady and verdict is ChannelVerdict.LIVE and not near and bool(np.isfinite(curve).all())
                yield ChannelCycle(cycle, curve, verdict, rms, averaged)

    def side_ratio(self, channel: EmgChannel) -> float:
        """Return how much better a channel fits its own side than the other (see `emg.sides`).

        Parameters
        ----------
        channel : EmgChannel
            One of the record's channels.

        Returns
        -------
        float
            Log ratio, positive for its own side; NaN where that cannot be told.
        """
        side, muscle = channel.input.named.side, channel.input.named.muscle
        if not (channel.live and side and tells_side(muscle)):
            return float("nan")
        curves: dict[bool, list[FloatArray]] = {True: [], False: []}
        offs: dict[bool, list[float]] = {True: [], False: []}
        for cycle in self.cycles:
            curve = cycle_curve(self.record, channel, cycle.start_s, cycle.end_s)
            if np.isfinite(curve).all():
                curves[cycle.side == side].append(curve)
                offs[cycle.side == side].append(cycle.foot_off_percent)
        if not all(curves.values()):
            return float("nan")
        own_off, other_off = (
            float(np.nanmean(offs[own])) if np.isfinite(offs[own]).any() else float("nan") for own in (True, False)
        )
        own, other = (np.stack(curves[which]) for which in (True, False))
        return side_evidence(muscle, own, other, own_off_percent=own_off, other_off_percent=other_off)

    @property
    def evidence(self) -> dict[tuple[str, str], list[float]]:
        """(side, muscle) -> log ratio of each channel that tells: own side against the other."""
        log_ratios: dict[tuple[str, str], list[float]] = {}
        for channel in self.record.channels:
            ratio = self.side_ratio(channel)
            if np.isfinite(ratio):
                log_ratios.setdefault((channel.input.named.side, channel.input.named.muscle), []).append(ratio)
        return log_ratios


#: Strikes of one foot further apart than this are not of one cycle (s).
_LONGEST_CYCLE_S = 3.0


def stored_cycles(trial: Trial) -> Iterator[EmgCycle]:
    """Yield the cycles between the strikes that a recording holds.

    For recordings whose movement nobody has looked at.

    Parameters
    ----------
    trial : Trial
        Only its events are asked.

    Yields
    ------
    EmgCycle
        Left ones first, numbered from 1 on each side; without those longer than 3 s.
    """
    for side in SIDES:
        times = {kind: [e.time_s for e in trial.events if e.side == side and e.kind is kind] for kind in EventKind}
        for number, (start, end) in enumerate(pairwise(times[EventKind.FOOT_STRIKE]), start=1):
            if end - start < _LONGEST_CYCLE_S:
                off = next((off for off in times[EventKind.FOOT_OFF] if start < off < end), float("nan"))
                yield EmgCycle(side, number, start, end, 100.0 * (off - start) / (end - start), steady=True)
