"""What the doctor looks for in muscle signals."""

from __future__ import annotations

from collections.abc import Iterator

from biomech_id.emg.cycles import TrialEmg, stored_cycles
from biomech_id.emg.findings import record_findings, session_findings
from biomech_id.emg.record import read_emg
from biomech_id.errors import Finding
from biomech_id.trial import Trial


def inspect_muscles(trial: Trial) -> Iterator[Finding]:
    """Yield what a recording's muscle signals tell: channels that hold none, alike ones, exchanged sides where strikes are stored.

    Parameters
    ----------
    trial : Trial
        The recording as read, with its analog channels.
    """
    if all(plate is not None for plate in trial.analog.plates):
        return
    muscles = TrialEmg(trial.name, read_emg(trial.analog, first_time_s=trial.first_time_s), tuple(stored_cycles(trial)))
    yield from record_findings(muscles.record, trial.name)
    yield from session_findings([muscles.record], muscles.evidence)
