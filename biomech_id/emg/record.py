"""The muscle signals of one recording: every channel found, judged and processed."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.emg.channels import VOLTS, EmgInput, find_inputs
from biomech_id.emg.doctor import MOVING_SHARE, ChannelVerdict, Health, hums, judge_channel
from biomech_id.emg.features import measure_channel, rail_share, without_padding
from biomech_id.emg.neighbours import Likeness, alike
from biomech_id.emg.onset import ON_NOISE_FACTOR, ON_RELATIVE_SHARE, Activity, activity
from biomech_id.emg.processing import EDGE_S, ENVELOPE_HZ, LOW_HZ, MOVING_LOW_HZ, band_pass, envelope
from biomech_id.emg.spikes import heart_rate_hz, spike_times_s, spikes_at_strikes
from biomech_id.trial import AnalogChannels
from biomech_id.values import dataclass, field, replace

#: Points of a curve over a cycle: 0, 1 ... 100 percent.
CYCLE_POINTS = 101
#: Standard deviation of live skin signals, microvolts: outside, a unit of volts is not to be believed.
_SKIN_UV = (3.0, 500.0)
#: Within a cycle: share on a rail, and share of one value, from which it is not shown as muscle.
_CYCLE_RAILED, _CYCLE_FLAT = 0.02, 0.5
#: A sample so many times the channel's own RMS makes its cycle an artefact.
_CYCLE_SPIKE = 30.0
#: More than this share of a channel's spikes at strikes, and the cable moves.
_STRUCK = 0.6


@dataclass(frozen=True)
class EmgSettings:
    """How muscle signals are processed; the defaults of a recipe.

    Attributes
    ----------
    channels : Mapping[str, str], optional
        Label -> "R rectus_femoris", for labels that say nothing.
    low_hz : float, optional
        Lower design frequency of the band-pass.
    envelope_hz : float, optional
        Design frequency of the envelope's low-pass.
    notch : bool, optional
        Whether narrow lines that are found are taken out.
    delay_s : float, optional
        How late the telemetry's signals are.
    noise_factor : float, optional
        Multiple of the noise from which a muscle may be on.
    relative_share : float, optional
        Share of the strong activity from which it may be on.
    gain : float, optional
        Amplification before recording; 0 where nobody knows.
    """

    channels: Mapping[str, str] = field(default_factory=dict)
    low_hz: float = LOW_HZ
    envelope_hz: float = ENVELOPE_HZ
    notch: bool = True
    delay_s: float = 0.0
    noise_factor: float = ON_NOISE_FACTOR
    relative_share: float = ON_RELATIVE_SHARE
    gain: float = 0.0


@compact_repr
@dataclass(frozen=True, eq=False)
class EmgChannel:
    """One channel that is taken for a muscle's.

    Attributes
    ----------
    input : EmgInput
        Label, muscle and side, as found.
    health : Health
        What it holds, and the number that decided.
    raw : FloatArray
        (n,), as recorded, in its unit; padding is NaN.
    band : FloatArray
        (n,), band-passed, in the same unit; of a channel that came rectified, as recorded.
    envelope : FloatArray
        (n,), in the same unit.
    activity : Activity
        When it was on; never where it is not live.
    low_hz : float
        Lower edge of its band-pass.
    lines_hz : tuple[float, ...]
        Lines that were taken out.
    """

    input: EmgInput
    health: Health
    raw: FloatArray
    band: FloatArray
    envelope: FloatArray
    activity: Activity
    low_hz: float = LOW_HZ
    lines_hz: tuple[float, ...] = ()

    @property
    def live(self) -> bool:
        """Whether it may be shown as a muscle."""
        return self.health.live


@compact_repr
@dataclass(frozen=True, eq=False)
class EmgRecord:
    """The muscle signals of one recording.

    Attributes
    ----------
    channels : tuple[EmgChannel, ...]
        Those taken for muscles', in file order.
    others : tuple[EmgInput, ...]
        Channels that are no plate's and no muscle's, each with the reason.
    rate_hz : float
        Samples per second of the signal.
    start_s : float
        Time of the first sample on the clock of the events, the telemetry's delay taken off, seconds.
    alike : tuple[Likeness, ...]
        Pairs of live channels that look alike, by their places among ``channels``.
    delayed_device : str
        Name of a device that is known to be late, where no delay was given; "" otherwise.
    """

    channels: tuple[EmgChannel, ...]
    others: tuple[EmgInput, ...] = ()
    rate_hz: float = 0.0
    start_s: float = 0.0
    alike: tuple[Likeness, ...] = ()
    delayed_device: str = ""

    @property
    def n_samples(self) -> int:
        """Number of samples of each channel; 0 without channels."""
        return len(self.channels[0].raw) if self.channels else 0

    @property
    def time_s(self) -> FloatArray:
        """(n,), time of each sample on the clock of the events, seconds."""
        return np.asarray(self.start_s + np.arange(self.n_samples) / self.rate_hz)

    def span(self, start_s: float, end_s: float) -> slice:
        """Return the samples between two times.

        Parameters
        ----------
        start_s : float
            First time, on the clock of the events, seconds.
        end_s : float
            Last time, on the same clock; its sample is left out.

        Returns
        -------
        slice
            Rows of each channel's arrays; cut off at the record's start.
        """
        first, last = (round((time - self.start_s) * self.rate_hz) for time in (start_s, end_s))
        return slice(max(0, first), max(0, last))

    def near_edge(self, start_s: float, end_s: float) -> bool:
        """Whether a stretch comes within 0.1 s of an end of the record, where the result depends on how it was continued.

        Parameters
        ----------
        start_s : float
            Start of the stretch, on the clock of the events, seconds.
        end_s : float
            End of the stretch, on the same clock.
        """
        return start_s - self.start_s < EDGE_S or self.start_s + self.n_samples / self.rate_hz - end_s < EDGE_S


#: Devices whose analog outputs are late, seconds, as their makers say.
LATE_DEVICES_S: dict[str, float] = {"trigno": 0.048}
#: Channels of a recording -> settings and first time they were last read with, and their record: a doctor looks before an analysis.
_LATEST: MutableMapping[AnalogChannels, tuple[tuple[EmgSettings, float], EmgRecord]] = WeakKeyDictionary()


def read_emg(analog: AnalogChannels, settings: EmgSettings | None = None, *, first_time_s: float = 0.0) -> EmgRecord:
    """Return the muscle signals of a recording.

    Parameters
    ----------
    analog : AnalogChannels
        All channels of the recording.
    settings : EmgSettings | None, optional
        How they are processed; None for the defaults.
    first_time_s : float, optional
        Time of the first sample on the clock of the events, seconds.

    Returns
    -------
    EmgRecord
        Found, judged, and filtered as a whole; without channels where no muscle's are found.

    Raises
    ------
    OptionError
        The settings name a muscle that nobody knows.
    """
    settings = settings or EmgSettings()
    given, record = _LATEST.get(analog, (None, None))
    if record is None or given != (settings, first_time_s):
        record = _read(analog, settings, first_time_s)
        # Whoever gave the settings may change the names of channels later.
        _LATEST[analog] = (replace(settings, channels=dict(settings.channels)), first_time_s), record
    return record


def _read(analog: AnalogChannels, settings: EmgSettings, first_time_s: float) -> EmgRecord:
    inputs = find_inputs(analog, settings.channels)
    others = tuple(channel for channel in inputs if channel.refusal is not None)
    used = [channel for channel in inputs if channel.refusal is None]
    late = _late_device(analog, used) if settings.delay_s == 0.0 else ""
    start_s = first_time_s - settings.delay_s
    if not used:
        return EmgRecord((), others, analog.rate_hz, start_s)
    raw = without_padding(np.stack([analog[channel.label] for channel in used], axis=1), analog.rate_hz)
    band = band_pass(raw, analog.rate_hz, low_hz=settings.low_hz)
    health = [judge_channel(measure_channel(raw[:, i], band[:, i], analog.rate_hz)) for i in range(len(used))]
    channels = _processed(used, health, raw, band, analog.rate_hz, settings)
    live = [i for i, channel in enumerate(channels) if channel.live]
    pairs = [replace(pair, first=live[pair.first], second=live[pair.second]) for pair in alike([band[:, i] for i in live])]
    marked = _marked(channels, {place for pair in pairs for place in (pair.first, pair.second)}, "crosstalk")
    return EmgRecord(marked, others, analog.rate_hz, start_s, tuple(pairs), late)


def _late_device(analog: AnalogChannels, used: Sequence[EmgInput]) -> str:
    descriptions = " ".join(analog.descriptions[analog.names.index(channel.label)] for channel in used).lower()
    return next((device for device in LATE_DEVICES_S if device in descriptions), "")


def _processed(
    inputs: Sequence[EmgInput], health: Sequence[Health], raw: FloatArray, band: FloatArray, rate_hz: float, settings: EmgSettings
) -> tuple[EmgChannel, ...]:
    lows, lines = [], []
    band = band.copy()
    for i, state in enumerate(health):
        moves = state.live and "artefact" in state.also
        lows.append(max(settings.low_hz, MOVING_LOW_HZ) if moves else settings.low_hz)
        lines.append((state.features.line_hz,) if settings.notch and state.live and hums(state.features) else ())
        if state.live and "rectified" in state.also:
            band[:, i] = raw[:, i] - np.nanmin(raw[:, i])
        elif moves or lines[-1]:
            band[:, i] = band_pass(raw[:, i], rate_hz, low_hz=lows[-1], lines_hz=lines[-1])
    envelopes = envelope(band, rate_hz, cutoff_hz=settings.envelope_hz)
    given = {"noise_factor": settings.noise_factor, "relative_share": settings.relative_share}
    off = Activity((), float("nan"), float("nan"), False)
    return tuple(
        EmgChannel(
            inputs[i], health[i], raw[:, i], band[:, i], envelopes[:, i],
            activity(band[:, i], rate_hz, **given) if health[i].live else off, lows[i], lines[i],
        )
        for i in range(len(inputs))
    )  # fmt: skip


def _marked(channels: Sequence[EmgChannel], places: set[int], what: str) -> tuple[EmgChannel, ...]:
    return tuple(
        replace(channel, health=replace(channel.health, also=(*channel.health.also, what))) if i in places else channel
        for i, channel in enumerate(channels)
    )


def with_strikes(record: EmgRecord, strikes_s: Sequence[float], stride_s: float = float("nan")) -> EmgRecord:
    """Return the record with what only foot strikes can show.

    Parameters
    ----------
    record : EmgRecord
        Muscle signals of one recording.
    strikes_s : Sequence[float]
        Foot strikes of both sides on the clock of the events, seconds; none where nobody walks.
    stride_s : float, optional
        Mean duration of a gait cycle, seconds; NaN where nobody walks.

    Returns
    -------
    EmgRecord
        Channels marked "strikes" (a cable that moves at them) and "heart" (a heart that does not).
    """
    hearts: set[int] = set()
    struck: set[int] = set()
    for i, channel in enumerate(record.channels):
        if channel.health.verdict not in (ChannelVerdict.LIVE, ChannelVerdict.QUIET, ChannelVerdict.ARTEFACT):
            continue
        times = spike_times_s(channel.band, record.rate_hz)
        if np.isfinite(heart_rate_hz(times, stride_s)):
            hearts.add(i)
        low = channel.health.features.low_share > MOVING_SHARE
        if low and len(times) > 1 and spikes_at_strikes(times + record.start_s, strikes_s) > _STRUCK:
            struck.add(i)
    channels = _marked(_marked(record.channels, hearts, "heart"), struck, "strikes")
    return replace(record, channels=channels)


def cycle_curve(record: EmgRecord, channel: EmgChannel, start_s: float, end_s: float) -> FloatArray:
    """Return a channel's envelope over a cycle.

    Parameters
    ----------
    record : EmgRecord
        Muscle signals of one recording.
    channel : EmgChannel
        One of its channels.
    start_s : float
        Start of the cycle, on the clock of the events, seconds.
    end_s : float
        End of the cycle, on the same clock.

    Returns
    -------
    FloatArray
        (101,), in the channel's unit, at 0, 1 ... 100 percent; cut from the whole record, which was filtered as one; NaN where the
        record does not cover the cycle.
    """
    wanted = np.linspace(start_s, end_s, CYCLE_POINTS)
    return np.asarray(np.interp(wanted, record.time_s, channel.envelope, left=np.nan, right=np.nan))


def cycle_verdict(record: EmgRecord, channel: EmgChannel, start_s: float, end_s: float) -> tuple[ChannelVerdict, float]:
    """Return what a channel holds in one cycle.

    A channel that is not live is not live in any cycle; a live one may clip, lose contact or jump in some.

    Parameters
    ----------
    record : EmgRecord
        Muscle signals of one recording.
    channel : EmgChannel
        One of its channels.
    start_s : float
        Start of the cycle, on the clock of the events, seconds.
    end_s : float
        End of the cycle, on the same clock.

    Returns
    -------
    verdict : ChannelVerdict
        What it holds there.
    rms : float
        RMS of the band-passed signal, in the channel's unit; NaN where nothing was recorded.
    """
    span = record.span(start_s, end_s)
    raw, band = channel.raw[span], channel.band[span]
    known = raw[np.isfinite(raw)]
    rms = float(np.sqrt(np.nanmean(band**2))) if np.isfinite(band).any() else float("nan")
    if not channel.live:
        return channel.health.verdict, rms
    if len(known) < _CYCLE_FLAT * len(raw) or not len(known) or np.mean(np.diff(known) == 0.0) > _CYCLE_FLAT:
        return ChannelVerdict.DEAD, rms
    if _at_channel_rails(channel, known, record.rate_hz) > _CYCLE_RAILED:
        return ChannelVerdict.RAILED, rms
    if float(np.nanmax(np.abs(band))) > _CYCLE_SPIKE * channel.health.features.sd:
        return ChannelVerdict.ARTEFACT, rms
    return ChannelVerdict.LIVE, rms


def _at_channel_rails(channel: EmgChannel, known: FloatArray, rate_hz: float) -> float:
    """Share of a cycle on the limits of the whole channel: a quiet cycle's own extremes are no rails."""
    lowest, highest = float(np.nanmin(channel.raw)), float(np.nanmax(channel.raw))
    reaches = known.min() <= lowest + 0.002 * (highest - lowest) or known.max() >= highest - 0.002 * (highest - lowest)
    return rail_share(known, rate_hz) if reaches else 0.0


def skin_microvolts(records: Sequence[EmgRecord], gain: float = 0.0) -> float | None:
    """Return how many microvolts at the skin one volt of these recordings is.

    Parameters
    ----------
    records : Sequence[EmgRecord]
        Of one session: they share an amplifier.
    gain : float, optional
        Amplification that the user knows; 0 to judge_channel by the size of what is live.

    Returns
    -------
    float | None
        None where their unit cannot be believed.
    """
    if gain > 0:
        return 1e6 / gain
    sizes = [
        1e6 * VOLTS[channel.input.unit.strip().lower()] * channel.health.features.sd
        for record in records for channel in record.channels
        if channel.live and channel.input.unit.strip().lower() in VOLTS
    ]  # fmt: skip
    return 1e6 if sizes and _SKIN_UV[0] <= float(np.median(sizes)) <= _SKIN_UV[1] else None


def in_microvolts(channel: EmgChannel, microvolts_per_volt: float | None) -> tuple[float, str]:
    """Return what turns a channel's stored unit into microvolts.

    Parameters
    ----------
    channel : EmgChannel
        Only its unit is asked.
    microvolts_per_volt : float | None
        What `skin_microvolts` returned for the session.

    Returns
    -------
    factor : float
        To multiply with; 1 where nothing is known.
    unit : str
        The unit it then has: "uV", or the stored one.
    """
    unit = channel.input.unit.strip()
    volts = VOLTS.get(unit.lower())
    return (1.0, unit) if volts is None or microvolts_per_volt is None else (volts * microvolts_per_volt, "uV")
