"""The channel doctor: is this a muscle, and may it be shown as one?

A channel is judged by its shape and its spectrum (`emg.features`), in the order of ``_RULES``: the first rule that fits decides.
The limits come from 787 hand-labelled channels of a dozen laboratories. Size decides nothing, and no channel is refused because it
resembles its neighbour.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum

from biomech_id.emg.features import Features
from biomech_id.languages import Sentence
from biomech_id.values import dataclass


class ChannelVerdict(StrEnum):
    """What a channel holds."""

    LIVE = "live"
    QUIET = "quiet"
    DEAD = "dead"
    HUM = "hum"
    RAILED = "railed"
    ARTEFACT = "artefact"
    INTERMITTENT = "intermittent"
    NOT_EMG = "not_emg"


#: A line with a larger share is taken out of a live channel, and said.
NOTCH_SHARE = 0.1
#: Slower lines are movement, and no hum.
SLOWEST_LINE_HZ = 40.0
#: With more of its power below 20 Hz a live channel gets a higher high-pass, and it is said.
MOVING_SHARE = 0.4
#: Clipped now and then: on a rail for a larger share of the record.
_CLIPPED_SHARE = 0.001


@dataclass(frozen=True)
class Health:
    """The verdict on one channel.

    Attributes
    ----------
    verdict : ChannelVerdict
        What the channel holds.
    features : Features
        The numbers behind it.
    reason : Sentence
        The number that decided, in words.
    also : tuple[str, ...], optional
        What else was seen: "hum", "artefact", "railed", "rectified", "heart", "crosstalk", "strikes".
    """

    verdict: ChannelVerdict
    features: Features
    reason: Sentence
    also: tuple[str, ...] = ()

    @property
    def live(self) -> bool:
        """Whether it may be shown as a muscle."""
        return self.verdict is ChannelVerdict.LIVE


def _railed(f: Features) -> bool:
    return f.rail_share > 0.008


def _hum_carries(f: Features) -> bool:
    return f.line_share > 0.8 or (f.line_share > 0.6 and f.burst_ratio < 4.0)


def _spikes(f: Features) -> bool:
    return f.kurtosis > 150.0


def _comes_and_goes(f: Features) -> bool:
    # A contact that opens and closes is louder against its silence than muscle is, and its spectrum is flat.
    return f.span_ratio > 300.0 or (f.span_ratio > 150.0 and f.slope < 10.0)


def _bursts(f: Features) -> bool:
    loud = f.burst_ratio >= 4.0 and (f.slope >= 1.6 or f.strong_ratio >= 2.2 or f.one_sided)
    coloured = f.slope >= 6.0 and f.line_share < 0.35
    if math.isnan(f.slope):
        return f.burst_ratio >= 3.0 and f.strong_ratio >= 2.2
    both = f.slope >= 1.6 and f.strong_ratio >= 2.2 and f.kurtosis > 3.2 and f.line_share < 0.2
    return loud or coloured or both or (f.one_sided and f.burst_ratio >= 3.0)


def _moves(f: Features) -> bool:
    # A rectified signal has its power at low frequencies by itself.
    return _bursts(f) and f.low_share > 0.75 and not f.one_sided


def _rests(f: Features) -> bool:
    # A slow recording cannot tell rest from noise, and is not called dead for it.
    return f.line_share < 0.15 and (math.isnan(f.slope) or (f.slope >= 1.45 and f.kurtosis < 6.0) or f.slope >= 2.0)


#: ChannelVerdict, the sentence that gives its number, and when it fits. The first that fits decides; the last fits always.
_RULES: tuple[tuple[ChannelVerdict, str, Callable[[Features], bool]], ...] = (
    (ChannelVerdict.DEAD, "emg-flat", lambda f: f.flat),
    (ChannelVerdict.RAILED, "emg-railed", _railed),
    (ChannelVerdict.HUM, "emg-hum", _hum_carries),
    (ChannelVerdict.INTERMITTENT, "emg-intermittent", _comes_and_goes),
    (ChannelVerdict.ARTEFACT, "emg-spike", _spikes),
    (ChannelVerdict.ARTEFACT, "emg-moving", _moves),
    (ChannelVerdict.LIVE, "emg-live", _bursts),
    (ChannelVerdict.HUM, "emg-hum", lambda f: f.line_share > 0.35),
    (ChannelVerdict.QUIET, "emg-quiet", _rests),
    (ChannelVerdict.DEAD, "emg-dead", lambda f: True),
)


def judge_channel(features: Features) -> Health:
    """Return the verdict on a channel.

    Parameters
    ----------
    features : Features
        What was measured of it.

    Returns
    -------
    Health
        Verdict, the number that decided, and what else was seen.
    """
    verdict, rule = next((verdict, rule) for verdict, rule, fits in _RULES if fits(features))
    also = []
    if hums(features) and verdict is not ChannelVerdict.HUM:
        also.append("hum")
    if features.low_share > MOVING_SHARE and verdict is not ChannelVerdict.ARTEFACT and not features.one_sided:
        also.append("artefact")
    if features.rail_share > _CLIPPED_SHARE and verdict is not ChannelVerdict.RAILED:
        also.append("railed")
    if features.one_sided and verdict is ChannelVerdict.LIVE:
        also.append("rectified")
    return Health(verdict, features, Sentence(rule, _sentence_values(features)), tuple(also))


def hums(features: Features) -> bool:
    """Whether a channel that may be usable all the same holds a line that is to be taken out.

    Parameters
    ----------
    features : Features
        What was measured of it.
    """
    return features.line_share > NOTCH_SHARE and features.line_hz >= SLOWEST_LINE_HZ


def _sentence_values(features: Features) -> dict[str, float]:
    """Values of the sentences: ratios as they are, shares in percent."""
    return {
        "burst": features.burst_ratio, "span": features.span_ratio, "slope": features.slope, "kurtosis": features.kurtosis,
        "line_hz": features.line_hz, "lines_percent": 100.0 * features.line_share, "low_percent": 100.0 * features.low_share,
        "rail_percent": 100.0 * features.rail_share,
    }  # fmt: skip
