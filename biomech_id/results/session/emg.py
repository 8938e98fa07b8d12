"""Muscle signals of a session as values: those of each recording, the cycles they are cut into, what they are scaled by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.emg.doctor import ChannelVerdict
from biomech_id.emg.record import EmgChannel, EmgRecord, cycle_curve, cycle_verdict, skin_microvolts
from biomech_id.emg.sides import side_evidence, tells_side

#: (side, muscle): what a session's amplitudes are scaled by, and compared by.
EmgKey = tuple[str, str]


@dataclass(frozen=True)
class EmgCycle:
    """One gait cycle that muscle signals are cut into.

    Attributes
    ----------
    side : str
        "L" or "R".
    number : int
        As in the session's other tables, counted from 1.
    start_s : float
        Foot strike, on the clock of the events, seconds.
    end_s : float
        The next strike of that foot.
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


@compact_repr
@dataclass(frozen=True, eq=False)
class TrialEmg:
    """Muscle signals of one recording.

    Attributes
    ----------
    trial : str
        Its name.
    record : EmgRecord
        Its channels.
    cycles : tuple[EmgCycle, ...], optional
        None of a recording without gait.
    condition : str, optional
        Of the trial.
    """

    trial: str
    record: EmgRecord
    cycles: tuple[EmgCycle, ...] = ()
    condition: str = ""

    def cut(self, channel: EmgChannel) -> Iterator[tuple[EmgCycle, FloatArray, ChannelVerdict, float, bool]]:
        """Yield each cycle of a channel's own side: cycle, envelope (101,), verdict, RMS, whether it is averaged.

        Parameters
        ----------
        channel : EmgChannel
            One of the record's channels.
        """
        for cycle in self.cycles:
            if cycle.side == channel.input.named.side:
                curve = cycle_curve(self.record, channel, cycle.start_s, cycle.end_s)
                verdict, rms = cycle_verdict(self.record, channel, cycle.start_s, cycle.end_s)
                near = self.record.near_edge(cycle.start_s, cycle.end_s)
                averaged = cycle.steady and verdict is ChannelVerdict.LIVE and not near and bool(np.isfinite(curve).all())
                yield cycle, curve, verdict, rms, averaged

    def side_ratio(self, channel: EmgChannel) -> float:
        """Return how much better a channel fits its own side than the other (see `emg.sides`); NaN where that cannot be told.

        Parameters
        ----------
        channel : EmgChannel
            One of the record's channels.
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


@compact_repr
@dataclass(frozen=True, eq=False)
class SessionEmg:
    """Muscle signals of a session.

    Attributes
    ----------
    trials : tuple[TrialEmg, ...], optional
        Every recording with analog channels that are no plate's, walks first.
    gain : float, optional
        Amplification that the user knows; 0 where nobody does.
    reference : str, optional
        Name of a recording of maximal voluntary contractions, or "" for the session's own peak.
    microvolts_per_volt : float | None, optional
        Microvolts at the skin for one stored volt; None where that is not known.
    peaks : Mapping[EmgKey, float], optional
        (side, muscle) -> largest mean envelope, or largest envelope of the reference, in the channels' stored unit.
    """

    trials: tuple[TrialEmg, ...] = ()
    gain: float = 0.0
    reference: str = ""
    microvolts_per_volt: float | None = None
    peaks: Mapping[EmgKey, float] = field(default_factory=dict)

    @property
    def present(self) -> bool:
        """Whether any recording has a channel that is taken for a muscle's."""
        return any(trial.record.channels for trial in self.trials)

    @property
    def evidence(self) -> dict[EmgKey, list[float]]:
        """(side, muscle) -> log ratio of each trial: own side against the other."""
        found: dict[EmgKey, list[float]] = {}
        for trial in self.trials:
            for channel in trial.record.channels:
                ratio = trial.side_ratio(channel)
                if np.isfinite(ratio):
                    found.setdefault(key_of(channel), []).append(ratio)
        return found


def key_of(channel: EmgChannel) -> EmgKey:
    """Return side and muscle of a channel; its label where nobody says which muscle it is.

    Parameters
    ----------
    channel : EmgChannel
        The channel.
    """
    named = channel.input.named
    return named.side, named.muscle or channel.input.label


def session_emg(trials: tuple[TrialEmg, ...], *, gain: float = 0.0, reference: str = "") -> SessionEmg:
    """Return a session's muscle signals with what their amplitudes are scaled by.

    Parameters
    ----------
    trials : tuple[TrialEmg, ...]
        Of each recording.
    gain : float, optional
        Amplification that the user knows; 0 where nobody does.
    reference : str, optional
        Name of a recording of maximal voluntary contractions; "" takes the session's own peak.
    """
    scale = skin_microvolts([trial.record for trial in trials], gain)
    peaks = _reference_peaks(trials, reference) if reference else _own_peaks(trials)
    return SessionEmg(trials, gain, reference, scale, peaks)


def _own_peaks(trials: tuple[TrialEmg, ...]) -> dict[EmgKey, float]:
    """Largest value of the mean envelope over the averaged cycles of each condition."""
    found: dict[tuple[EmgKey, str], list[FloatArray]] = {}
    for trial in trials:
        for channel in trial.record.channels:
            if channel.live:
                curves = [curve for _, curve, _, _, averaged in trial.cut(channel) if averaged]
                found.setdefault((key_of(channel), trial.condition), []).extend(curves)
    peaks: dict[EmgKey, float] = {}
    for (key, _), curves in found.items():
        if curves:
            peaks[key] = max(peaks.get(key, 0.0), float(np.mean(curves, axis=0).max()))
    return peaks


def _reference_peaks(trials: tuple[TrialEmg, ...], reference: str) -> dict[EmgKey, float]:
    """Largest envelope of each live channel of the reference, its ends left out."""
    peaks: dict[EmgKey, float] = {}
    for trial in trials:
        if trial.trial == reference:
            record = trial.record
            inside = record.span(record.start_s + 0.1, record.start_s + record.n_samples / record.rate_hz - 0.1)
            for channel in record.channels:
                if channel.live:
                    key = key_of(channel)
                    peaks[key] = max(peaks.get(key, 0.0), float(np.nanmax(channel.envelope[inside])))
    return peaks
