"""Tables of muscle signals: channels with their verdicts, envelopes over the cycles, when muscles were on, raw traces, pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.emg.cycles import TrialEmg
from biomech_id.emg.muscles import is_part_of, read_rows
from biomech_id.emg.neighbours import co_contraction_percent
from biomech_id.emg.record import CYCLE_POINTS, EmgChannel, in_microvolts
from biomech_id.session.tables.session_tables import block_table, tidy_table
from biomech_id.session.values.emg import SessionEmg, key_of

#: Raw traces are kept as the lowest and highest value of so long a time: what a page can show.
RAW_BIN_S = 0.005
#: Significant digits of raw values: a tenth of a line's width on paper.
_RAW_DIGITS = 4
#: Names of the tables of this module, as in `Tables`.
EMG_TABLES = ("channels", "emg", "emg_activity", "emg_pairs", "emg_raw")


def emg_tables(session: SessionEmg) -> dict[str, pd.DataFrame]:
    """Return the tables of a session's muscle signals by name; none where no recording has any.

    Parameters
    ----------
    session : SessionEmg
        Muscle signals of all recordings of the session.
    """
    if not session.present:
        return {}
    return {
        "channels": tidy_table("channels", [row for trial in session.trials for row in _channel_rows(session, trial)]),
        "emg": _curve_table(session),
        "emg_activity": tidy_table("emg_activity", [row for trial in session.trials for row in _activity_rows(trial)]),
        "emg_pairs": tidy_table("emg_pairs", [row for trial in session.trials for row in _pair_rows(session, trial)]),
        "emg_raw": _raw_table(session),
    }


def _head(trial: TrialEmg, channel: EmgChannel) -> dict[str, object]:
    named = channel.input.named
    return {"trial": trial.trial, "label": channel.input.label, "muscle": named.muscle, "side": named.side}


def _channel_rows(session: SessionEmg, trial: TrialEmg) -> Iterator[Mapping[str, object]]:
    like = _likenesses(trial)
    for place, channel in enumerate(trial.record.channels):
        factor, unit = in_microvolts(channel, session.microvolts_per_volt)
        f, cycles = channel.health.features, trial.cuts[channel.input.label]
        ratio = trial.side_ratio(channel)
        yield {
            **_head(trial, channel), "unit": unit, "verdict": channel.health.verdict, "also": " ".join(channel.health.also),
            "reason": str(channel.health.reason), "rule": channel.health.reason.rule,
            "by_cycle": "; ".join(f"{each.cycle.number} {each.verdict} {factor * each.rms:.4g}" for each in cycles),
            "cycles_averaged": sum(each.averaged for each in cycles),
            "sd": factor * f.sd, "burst_ratio": f.burst_ratio, "span_ratio": f.span_ratio, "slope": f.slope, "kurtosis": f.kurtosis,
            "line_hz": f.line_hz,
            "line_percent": 100.0 * f.line_share, "low_percent": 100.0 * f.low_share, "rail_percent": 100.0 * f.rail_share,
            "noise": factor * channel.activity.noise, "threshold": factor * channel.activity.threshold,
            "highpass_hz": channel.low_hz, "notch_hz": channel.lines_hz[0] if channel.lines_hz else float("nan"),
            "peak": factor * session.peaks.get(key_of(channel), float("nan")), "alike": like.get(place, ""), "side_ratio": ratio,
        }  # fmt: skip
    for other in trial.record.others:
        numbers = dict.fromkeys((
            "sd", "burst_ratio", "span_ratio", "slope", "kurtosis", "line_hz", "line_percent", "low_percent", "rail_percent",
            "noise", "threshold", "highpass_hz", "notch_hz", "peak", "side_ratio",
        ), float("nan"))  # fmt: skip
        refusal = other.refusal
        yield {
            "trial": trial.trial, "label": other.label, "muscle": "", "side": "", "unit": other.unit, "verdict": "not_emg",
            "also": "", "reason": str(refusal), "rule": refusal.rule if refusal else "", "by_cycle": "", "cycles_averaged": 0,
            "alike": "",
            **numbers,
        }  # fmt: skip


def _likenesses(trial: TrialEmg) -> dict[int, str]:
    """Place of a channel -> the others that look like it, with the correlation."""
    alike: dict[int, list[str]] = {}
    for pair in trial.record.alike:
        for place, other in ((pair.first, pair.second), (pair.second, pair.first)):
            alike.setdefault(place, []).append(f"{trial.record.channels[other].input.label} {pair.correlation:.2f}")
    return {place: "; ".join(others) for place, others in alike.items()}


def _curve_table(session: SessionEmg) -> pd.DataFrame:
    heads: list[dict[str, object]] = []
    curves: list[FloatArray] = []
    peaks: list[float] = []
    for trial in session.trials:
        for channel in trial.record.channels:
            if not channel.live:
                continue
            factor, unit = in_microvolts(channel, session.microvolts_per_volt)
            for each in trial.cuts[channel.input.label]:
                what = {"cycle": each.cycle.number, "verdict": str(each.verdict), "used": str(each.averaged).lower(), "unit": unit}
                heads.append({**_head(trial, channel), **what})
                curves.append(factor * each.envelope)
                peaks.append(factor * session.peaks.get(key_of(channel), float("nan")))
    if not heads:
        return tidy_table("emg")
    values = np.stack(curves)
    numbers = {
        "percent": np.tile(np.arange(CYCLE_POINTS), len(heads)), "value": values.ravel(),
        "percent_peak": (100.0 * values / np.asarray(peaks)[:, None]).ravel(),
    }  # fmt: skip
    return block_table("emg", heads, CYCLE_POINTS, numbers)


def _activity_rows(trial: TrialEmg) -> Iterator[Mapping[str, object]]:
    start = trial.record.start_s
    nothing = float("nan")
    for channel in trial.record.channels:
        spans = [(start + on, start + off) for on, off in channel.activity.intervals_s]
        head = _head(trial, channel)
        for on, off in spans:
            yield {**head, "cycle": 0, "on_s": on, "off_s": off, "on_percent": nothing, "off_percent": nothing}
        for cycle in trial.cycles:
            if cycle.side != channel.input.named.side:
                continue
            length = cycle.end_s - cycle.start_s
            for on, off in ((max(on, cycle.start_s), min(off, cycle.end_s)) for on, off in spans):
                if off > on:
                    share = {
                        "on_percent": 100.0 * (on - cycle.start_s) / length,
                        "off_percent": 100.0 * (off - cycle.start_s) / length,
                    }
                    yield {**head, "cycle": cycle.number, "on_s": on, "off_s": off, **share}


#: Muscles that pull a joint opposite ways.
_ANTAGONISTS = tuple((row["joint"], row["first"], row["second"]) for row in read_rows("antagonists"))


def _pair_rows(session: SessionEmg, trial: TrialEmg) -> Iterator[Mapping[str, object]]:
    live = [
        channel
        for channel in trial.record.channels
        if channel.live and channel.input.named.side and key_of(channel) in session.peaks
    ]
    for joint, one, other in _ANTAGONISTS:
        for first in (channel for channel in live if _is(channel, one)):
            for second in (channel for channel in live if _is(channel, other)):
                if first.input.named.side == second.input.named.side:
                    yield from _common(session, trial, joint, first, second)


def _is(channel: EmgChannel, muscle: str) -> bool:
    name = channel.input.named.muscle
    return bool(name) and (name == muscle or is_part_of(name, muscle))


def _common(
    session: SessionEmg, trial: TrialEmg, joint: str, first: EmgChannel, second: EmgChannel
) -> Iterator[Mapping[str, object]]:
    scaled = [
        {cycle.number: curve / session.peaks[key_of(channel)] for cycle, curve, _, _, ok in trial.cuts[channel.input.label] if ok}
        for channel in (first, second)
    ]
    for number in sorted(scaled[0].keys() & scaled[1].keys()):
        yield {
            "trial": trial.trial, "side": first.input.named.side, "cycle": number, "joint": joint,
            "first": first.input.named.muscle, "second": second.input.named.muscle,
            "value": co_contraction_percent(scaled[0][number], scaled[1][number]),
        }  # fmt: skip


def _raw_table(session: SessionEmg) -> pd.DataFrame:
    heads: list[dict[str, object]] = []
    parts: list[tuple[FloatArray, FloatArray, FloatArray]] = []
    for trial in session.trials:
        record = trial.record
        width = max(1, round(RAW_BIN_S * record.rate_hz)) if record.channels else 1
        for channel in record.channels:
            factor, _ = in_microvolts(channel, session.microvolts_per_volt)
            whole = len(channel.raw) // width
            bins = factor * channel.raw[: whole * width].reshape(whole, width)
            known = np.isfinite(bins).all(axis=1)
            lowest, highest = (_rounded(pick(bins[known], axis=1)) for pick in (np.min, np.max))
            time_s = record.start_s + (np.flatnonzero(known) * width) / record.rate_hz
            heads.append({"trial": trial.trial, "label": channel.input.label})
            parts.append((np.round(time_s, 6), lowest, highest))
    counts = np.array([len(time_s) for time_s, _, _ in parts], dtype=np.intp)
    columns = (np.concatenate(column) for column in zip(*parts, strict=True))
    return block_table("emg_raw", heads, counts, dict(zip(("time_s", "lowest", "highest"), columns, strict=True)))


def _rounded(values: FloatArray) -> FloatArray:
    """To a few digits of the largest value: raw traces are there to be looked at."""
    largest = float(np.abs(values).max()) if len(values) else 0.0
    if largest == 0.0:
        return values
    step = 10.0 ** (np.floor(np.log10(largest)) - _RAW_DIGITS)
    return np.asarray(np.round(values / step) * step)
