"""Muscle signals of a session as values: those of each recording, the cycles they are cut into, what they are scaled by."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import chain, count

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.emg.cycles import TrialEmg
from biomech_id.emg.record import EmgChannel, in_microvolts, skin_microvolts
from biomech_id.values import dataclass, field

#: (side, muscle): what a session's amplitudes are scaled by, and compared by.
EmgKey = tuple[str, str]


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
        Name of a recording of maximal voluntary contractions or of a walk, or "" for the session's own peak.
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
        log_ratios: dict[EmgKey, list[float]] = {}
        for trial in self.trials:
            for key, ratios in trial.evidence.items():
                log_ratios.setdefault(key, []).extend(ratios)
        return log_ratios


def key_of(channel: EmgChannel) -> EmgKey:
    """Return side and muscle of a channel; its label where nobody says which muscle it is.

    Parameters
    ----------
    channel : EmgChannel
        A channel with the muscle that it was named for.
    """
    named = channel.input.named
    return named.side, named.muscle or channel.input.label


def session_emg(trials: tuple[TrialEmg, ...], *, gain: float = 0.0, reference: str = "") -> SessionEmg:
    """Return a session's muscle signals with what their amplitudes are scaled by.

    Parameters
    ----------
    trials : tuple[TrialEmg, ...]
        Muscle signals of each recording, in the order of the files.
    gain : float, optional
        Amplification that the user knows; 0 where nobody does.
    reference : str, optional
        Name of a recording of maximal voluntary contractions or of a walk; "" takes the session's own peak.
    """
    scale = skin_microvolts([trial.record for trial in trials], gain)
    peaks = _reference_peaks(trials, reference) if reference else _own_peaks(trials)
    return SessionEmg(trials, gain, reference, scale, peaks)


def _own_peaks(trials: tuple[TrialEmg, ...]) -> dict[EmgKey, float]:
    """Largest value of the mean envelope over the averaged cycles of each condition."""
    by_condition: dict[tuple[EmgKey, str], list[FloatArray]] = {}
    for trial in trials:
        for channel in trial.record.channels:
            if channel.live:
                curves = [cut.envelope for cut in trial.cuts[channel.input.label] if cut.averaged]
                by_condition.setdefault((key_of(channel), trial.condition), []).extend(curves)
    peaks: dict[EmgKey, float] = {}
    for (key, _), curves in by_condition.items():
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


def envelopes_at(emg: SessionEmg, trial: str, time_s: FloatArray) -> dict[str, FloatArray]:
    """Return the envelopes of a trial's live channels at some times, by names that files of other programs can hold.

    Parameters
    ----------
    emg : SessionEmg
        The session's muscle signals.
    trial : str
        Name of the trial.
    time_s : FloatArray
        (n,), on the clock of the events, seconds.

    Returns
    -------
    dict[str, FloatArray]
        ``RRectusFemorisEnvelope`` -> (n,), in the unit of ``channels.csv``; NaN outside the record.
    """
    envelopes: dict[str, FloatArray] = {}
    for record in (each.record for each in emg.trials if each.trial == trial):
        for channel in record.channels:
            if channel.live:
                factor, _ = in_microvolts(channel, emg.microvolts_per_volt)
                envelope = np.interp(time_s, record.time_s, channel.envelope, left=np.nan, right=np.nan)
                envelopes[_new_name(channel, envelopes)] = factor * envelope
    return envelopes


def _new_name(channel: EmgChannel, taken: Collection[str]) -> str:
    """``RRectusFemorisEnvelope`` of a channel; with 2, 3 ... behind it where another channel has that name."""
    side, muscle = key_of(channel)
    words = re.split(r"[^A-Za-z0-9]+", muscle)
    name = f"{side}{''.join(word[:1].upper() + word[1:] for word in words)}Envelope"
    numbered = (f"{name}{number}" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)
