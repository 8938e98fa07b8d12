"""Muscle signals of the virtual subject: bursts whose edges are known to the sample, beside a lead that fell off and one that hums.

A live channel is coloured noise that a gate switches on and off at fixed percents of the foot's own cycles, over a little white
noise, in volts at the skin. Nothing here is shared with what finds, judges or filters muscle signals.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.sample.arrays import FloatArray
from biomech_id.sample.truth import TrueMuscle, TrueStance
from biomech_id.trial import AnalogChannels
from biomech_id.values import dataclass

#: Skin signals: strength of a burst and of the noise under it, volts (standard deviation).
BURST_V, NOISE_V, DEAD_V, HUM_V = 1.0e-4, 2.0e-6, 4.0e-6, 2.0e-4
#: Hum of an electrode without contact, Hz.
HUM_HZ = 50.0
#: Muscle -> how its labels end, and when it is on, percent of its foot's cycle (beyond 100 in the next one).
MUSCLE_PATTERNS: dict[str, tuple[str, tuple[tuple[float, float], ...]]] = {
    "rectus_femoris": ("RF", ((95.0, 112.0),)),
    "hamstrings": ("HAMS", ((85.0, 108.0),)),
    "tibialis_anterior": ("TA", ((60.0, 108.0),)),
    "gastrocnemius": ("GAS", ((15.0, 48.0),)),
}
#: Channels that are not what they should be.
FAULTS: dict[str, str] = {"L HAMS": "dead", "R RF": "hum"}
#: The carrier's spectrum: it rises up to the first frequency, and falls twice as steeply beyond the second (Hz).
_RISES_HZ, _FALLS_HZ = 60.0, 120.0


@dataclass(frozen=True, eq=False)
class MuscleSignals:
    """What electrodes record, and what is behind it.

    Attributes
    ----------
    analog : AnalogChannels
        The channels at the analog rate, V.
    truth : tuple[TrueMuscle, ...]
        One for each channel, in its order.
    """

    analog: AnalogChannels
    truth: tuple[TrueMuscle, ...]


def muscle_signals(times_s: FloatArray, rate_hz: float, stances: Sequence[TrueStance], seed: int) -> MuscleSignals:
    """What electrodes record of a walk.

    Parameters
    ----------
    times_s : FloatArray
        (n,), absolute time of every analog sample.
    rate_hz : float
        Samples per second of every channel.
    stances : Sequence[TrueStance]
        Every stance of the motion on the recording's clock.
    seed : int
        Of every random number.

    Returns
    -------
    MuscleSignals
        Eight channels, one of them dead and one that hums.
    """
    # Recordings of one session are not copies of one another.
    rng = np.random.default_rng([seed, len(times_s), round(abs(times_s[0]) * rate_hz)])
    channels = []
    for muscle, (ending, pattern) in MUSCLE_PATTERNS.items():
        for side in ("L", "R"):
            strikes = sorted(stance.strike_s for stance in stances if stance.side == side)
            cycle_s = float(np.median(np.diff(strikes))) if len(strikes) > 1 else 1.0
            bursts = [
                (strike + on / 100.0 * cycle_s, strike + off / 100.0 * cycle_s) for strike in strikes for on, off in pattern
            ]  # fmt: skip
            label = f"{side} {ending}"
            kind = FAULTS.get(label, "live")
            signal, inside, size = _channel(kind, bursts, times_s, rate_hz, rng)
            channels.append((signal, TrueMuscle(label, muscle, side, kind, inside, size)))
    stored = np.stack([signal for signal, _ in channels], axis=1).astype(np.float32)
    labels = tuple(true.label for _, true in channels)
    return MuscleSignals(AnalogChannels(labels, ("V",) * len(labels), rate_hz, stored), tuple(true for _, true in channels))


def _channel(
    kind: str, bursts: Sequence[tuple[float, float]], times_s: FloatArray, rate_hz: float, rng: np.random.Generator
) -> tuple[FloatArray, tuple[tuple[float, float], ...], FloatArray]:
    """Signal (n,), V, the bursts that the recording shows, s, and the mean absolute signal (n,) that is true."""
    carrier, noise = _coloured(rng.standard_normal(len(times_s)), rate_hz), rng.standard_normal(len(times_s))
    gate = np.zeros(len(times_s))
    inside = tuple((on, off) for on, off in sorted(bursts) if off > times_s[0] and on < times_s[-1])
    for on, off in inside:
        gate[(times_s >= on) & (times_s < off)] = 1.0
    if kind == "dead":
        return DEAD_V * noise, (), _absolute(DEAD_V * np.ones_like(gate))
    if kind == "hum":
        hum = HUM_V * np.sqrt(2.0) * np.sin(2.0 * np.pi * HUM_HZ * times_s)
        return hum + NOISE_V * noise, (), np.full_like(gate, HUM_V * np.sqrt(8.0) / np.pi)
    size = np.sqrt((BURST_V * gate) ** 2 + NOISE_V**2)
    return BURST_V * gate * carrier + NOISE_V * noise, inside, _absolute(size)


def _absolute(size: FloatArray) -> FloatArray:
    """Expected absolute value of zero-mean normal noise of a standard deviation."""
    return np.asarray(np.sqrt(2.0 / np.pi) * size)


def _coloured(white: FloatArray, rate_hz: float) -> FloatArray:
    frequency = np.fft.rfftfreq(len(white), 1.0 / rate_hz)
    gain = _FALLS_HZ**2 * frequency / (np.sqrt(frequency**2 + _RISES_HZ**2) * (frequency**2 + _FALLS_HZ**2))
    coloured = np.fft.irfft(np.fft.rfft(white) * gain, len(white))
    return np.asarray(coloured / coloured.std())
