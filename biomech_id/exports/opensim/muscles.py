"""Envelopes of muscle signals as an OpenSim table: what tools that track muscle activity read beside motion and forces."""

from __future__ import annotations

import numpy as np

from biomech_id.readers.opensim.storage import StorageTable
from biomech_id.session.values.emg import SessionEmg, key_of


def envelope_table(emg: SessionEmg, trial: str) -> StorageTable | None:
    """Envelopes of a trial's live channels at their own rate, 1 for their peak.

    Columns are named as OpenSim's muscles are sided, ``rectus_femoris_r``. A channel whose side nobody says, or without a peak to
    divide by, is left out: a dead channel never becomes an activity.

    Parameters
    ----------
    emg : SessionEmg
        The session's muscle signals.
    trial : str
        Name of the trial.

    Returns
    -------
    StorageTable | None
        One column a muscle; None where no channel is live.
    """
    for one in emg.trials:
        if one.trial != trial:
            continue
        columns = {}
        for channel in one.record.channels:
            side, muscle = key_of(channel)
            name = f"{muscle}_{side.lower()}"
            if channel.live and side and key_of(channel) in emg.peaks and name not in columns:
                columns[name] = np.nan_to_num(channel.envelope) / emg.peaks[key_of(channel)]
        if columns:
            what = f"the largest envelope in {emg.reference}" if emg.reference else "the session's largest mean envelope"
            notes = (f"envelopes of muscle signals, 1 is {what}",)
            return StorageTable(
                f"{trial} emg", tuple(columns), one.record.time_s, np.stack(list(columns.values()), axis=1), notes=notes
            )
    return None
