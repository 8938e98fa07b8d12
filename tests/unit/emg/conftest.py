"""Synthetic muscle signals: coloured noise gated by bursts whose edges are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray


@dataclass(frozen=True)
class Bursts:
    """A signal (V) of twenty bursts, and when they really begin and end (s)."""

    signal_V: FloatArray
    on_s: FloatArray
    off_s: FloatArray
    rate_hz: float


def synthetic_bursts(seed: int, rate_hz: float, snr_db: float, rise_s: float = 0.0) -> Bursts:
    """The recipe of the reference numbers, in its order of draws."""
    rng = np.random.default_rng(seed)
    n = round(20 * 1.1 * rate_hz)
    on_s = 1.1 * np.arange(20) + 0.35 + rng.uniform(-0.05, 0.05, 20)
    off_s = on_s + 0.30 + rng.uniform(-0.05, 0.05, 20)
    frequency = np.fft.rfftfreq(n, 1.0 / rate_hz)
    gain = 120.0**2 * frequency / (np.sqrt(frequency**2 + 60.0**2) * (frequency**2 + 120.0**2))
    carrier = np.fft.irfft(np.fft.rfft(rng.standard_normal(n)) * gain, n)
    carrier /= carrier.std()
    noise = rng.standard_normal(n)
    time_s = np.arange(n) / rate_hz
    gate = np.zeros(n)
    for on, off in zip(on_s, off_s, strict=True):
        inside = (time_s >= on) & (time_s < off)
        ramp = np.clip(np.minimum((time_s - on) / rise_s, (off - time_s) / rise_s), 0, 1) if rise_s else inside.astype(float)
        gate = np.maximum(gate, ramp)
    return Bursts(1e-5 * (noise + 10 ** (snr_db / 20) * gate * carrier), on_s, off_s, rate_hz)


@pytest.fixture
def bursts() -> Callable[..., Bursts]:
    """Maker of synthetic bursts."""
    return synthetic_bursts
