"""What the recordings of a session say against the calibration in force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from biomech_id.errors import Finding
from biomech_id.models.conventional.implied_calibration import ImpliedLeg, other_thigh_rotations


def other_offsets(implied: Mapping[str, Mapping[str, ImpliedLeg]], static: str, used: str) -> Iterator[Finding]:
    """Say that walks were computed with other thigh rotations than their static trial, as a clinician tunes them afterwards.

    Parameters
    ----------
    implied : Mapping[str, Mapping[str, ImpliedLeg]]
        Recording -> side -> what its stored outputs imply.
    static : str
        The static trial's name.
    used : str
        Whose offsets the session is computed with, "static" or "trial".
    """
    walks = {name: legs for name, legs in implied.items() if name != static}
    legs = other_thigh_rotations(implied.get(static, {}), walks)
    if legs:
        trials = sorted({name for *_, names in legs for name in names})
        rows = [(side, static_deg, trial_deg) for side, static_deg, trial_deg, _ in legs]
        most_deg = max(abs(trial_deg - static_deg) for _, static_deg, trial_deg in rows)
        values = {"trials": trials, "legs": rows, "most_deg": most_deg, "static": static, "used": used}
        yield Finding("offsets-of-trials-differ", values, static)
