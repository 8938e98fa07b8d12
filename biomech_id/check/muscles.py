"""What the doctor finds of muscle signals in one file, by its labels alone: no recipe is at hand here."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from biomech_id.conventions import SIDES
from biomech_id.emg.cycles import EmgCycle, TrialEmg
from biomech_id.emg.findings import record_findings, session_findings
from biomech_id.emg.record import read_emg
from biomech_id.errors import Finding
from biomech_id.trial import EventKind, Trial

#: Strikes of one foot further apart than this are not of one cycle (s).
_LONGEST_CYCLE_S = 3.0


def inspect_muscles(trial: Trial) -> Iterator[Finding]:
    """Yield what a recording's muscle signals tell: channels that hold none, alike ones, exchanged sides where strikes are stored.

    Parameters
    ----------
    trial : Trial
        The recording.
    """
    if all(plate is not None for plate in trial.analog.plates):
        return
    muscles = TrialEmg(trial.name, read_emg(trial.analog, first_time_s=trial.first_time_s), tuple(_stored_cycles(trial)))
    yield from record_findings(muscles.record, trial.name)
    yield from session_findings([muscles.record], muscles.evidence)


def _stored_cycles(trial: Trial) -> Iterator[EmgCycle]:
    """Cycles between the strikes that the file holds."""
    for side in SIDES:
        times = {kind: [e.time_s for e in trial.events if e.side == side and e.kind is kind] for kind in EventKind}
        for number, (start, end) in enumerate(pairwise(times[EventKind.FOOT_STRIKE]), start=1):
            if end - start < _LONGEST_CYCLE_S:
                off = next((off for off in times[EventKind.FOOT_OFF] if start < off < end), float("nan"))
                yield EmgCycle(side, number, start, end, 100.0 * (off - start) / (end - start), steady=True)
