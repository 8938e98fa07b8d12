"""What is worth saying about muscle signals: of one recording, and of a session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.emg.doctor import ChannelVerdict
from biomech_id.emg.neighbours import ONE_LEAD
from biomech_id.emg.record import LATE_DEVICES_S, EmgRecord, skin_microvolts
from biomech_id.emg.sides import EXCHANGED_BELOW
from biomech_id.errors import Finding

#: Verdicts of channels that are connected to nothing one could mend, or in order.
_SHOWN = (ChannelVerdict.LIVE, ChannelVerdict.QUIET)


def record_findings(record: EmgRecord, trial: str) -> Iterator[Finding]:
    """Yield what is worth saying of one recording's muscle signals.

    Parameters
    ----------
    record : EmgRecord
        Muscle signals of the recording.
    trial : str
        Name of the trial, for the findings.

    Yields
    ------
    Finding
        Refused channels, names in doubt, channels alike, and a late device.
    """
    refused = [(c.input.shown, str(c.health.verdict)) for c in record.channels if c.health.verdict not in _SHOWN]
    if refused:
        yield Finding("emg-not-shown", {"channels": refused}, trial)
    unrecognised = [channel.input.label for channel in record.channels if channel.live and not channel.input.named.muscle]
    if unrecognised:
        yield Finding("emg-doubtful-names", {"labels": unrecognised}, trial)
    for pair in record.alike:
        first, second = (record.channels[place].input.shown for place in (pair.first, pair.second))
        values = {"first": first, "second": second, "correlation": pair.correlation, "one_lead": abs(pair.correlation) > ONE_LEAD}
        yield Finding("emg-alike", values, trial)
    if record.delayed_device:
        late_ms = 1000.0 * LATE_DEVICES_S[record.delayed_device]
        yield Finding("emg-late", {"device": record.delayed_device.capitalize(), "delay_ms": late_ms}, trial)


def session_findings(
    records: Sequence[EmgRecord], evidence: Mapping[tuple[str, str], Sequence[float]], *, gain: float = 0.0
) -> Iterator[Finding]:
    """Yield what only the recordings of a session show together.

    Parameters
    ----------
    records : Sequence[EmgRecord]
        Muscle signals of its trials.
    evidence : Mapping[tuple[str, str], Sequence[float]]
        (side, muscle) -> the log ratio of `sides.side_evidence` in each trial; NaN where nothing is known.
    gain : float, optional
        Amplification that the user knows; 0 where nobody does.

    Yields
    ------
    Finding
        A unit that cannot be believed, and exchanged leads.
    """
    sizes = [(c.health.features.sd, c.input.unit) for record in records for c in record.channels if c.live]
    if sizes and skin_microvolts(records, gain) is None:
        values = {"unit": sizes[0][1] or "counts", "size": float(np.median([size for size, _ in sizes]))}
        yield Finding("emg-gain", values)
    for muscle in exchanged(evidence):
        muscle_ratios = [
            ratio for (_, name), ratios in evidence.items() if name == muscle for ratio in ratios if np.isfinite(ratio)
        ]
        values = {"muscle": muscle, "ratio": float(np.median(muscle_ratios)), "trials": len(muscle_ratios)}
        yield Finding("emg-exchanged", values | {"channels": _leads_to_exchange(records, evidence, muscle)})


def _leads_to_exchange(
    records: Sequence[EmgRecord], evidence: Mapping[tuple[str, str], Sequence[float]], muscle: str
) -> tuple[str, ...]:
    """Labels of a muscle's left and right lead, where both fit the other foot and another muscle fits its own; else none.

    Where no other muscle fits its own foot it may be the events that are exchanged, and no repair of leads is certain.
    """
    medians = _medians(evidence)
    fits = any(value > -EXCHANGED_BELOW for (_, name), value in medians.items() if name != muscle)
    labels = [
        {
            channel.input.label
            for record in records
            for channel in record.channels
            if channel.live and (channel.input.named.side, channel.input.named.muscle) == (side, muscle)
        }
        for side in SIDES
        if (side, muscle) in medians
    ]
    certain = fits and [len(of_side) for of_side in labels] == [1, 1]
    return tuple(label for of_side in labels for label in of_side) if certain else ()


def _medians(evidence: Mapping[tuple[str, str], Sequence[float]]) -> dict[tuple[str, str], float]:
    known = {key: [ratio for ratio in ratios if np.isfinite(ratio)] for key, ratios in evidence.items()}
    return {key: float(np.median(ratios)) for key, ratios in known.items() if ratios}


def exchanged(evidence: Mapping[tuple[str, str], Sequence[float]]) -> tuple[str, ...]:
    """Return the muscles whose left and right leads seem exchanged.

    Parameters
    ----------
    evidence : Mapping[tuple[str, str], Sequence[float]]
        (side, muscle) -> log ratios, one for each trial; NaN where nothing is known.

    Returns
    -------
    tuple[str, ...]
        Names of muscles of which every side that is known fits the other foot.
    """
    medians = _medians(evidence)
    muscles = dict.fromkeys(muscle for _, muscle in medians)
    return tuple(
        muscle for muscle in muscles if all(value < EXCHANGED_BELOW for (_, name), value in medians.items() if name == muscle)
    )
