"""Faults of the dictionary's own form, put into recordings before the analysis: one kind for each cause that has a size.

A cause changes a session in memory (`biomech_id.judgement.diagnosis.put`); what it changes there is carried over to the trials as
they were read, so that the whole program runs on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.studies.designed_faults import Recording
from biomech_id import Trial
from biomech_id.judgement.diagnosis.causes import CAUSES, Possible, possible
from biomech_id.judgement.diagnosis.recorded import Recorded
from biomech_id.trial import Markers

#: Sizes of every kind, in common sizes of its cause: from hardly to grossly.
SHARES = (0.5, 1.5)
#: Measurements that somebody takes.
MEASURED = ("leg_length_m", "knee_width_m", "inter_asis_distance_m", "ankle_width_m", "height_m")
#: Rows of the dictionary that one trial alone holds, or that speak for the same file as another: no kinds.
LEFT_OUT = ("stored thigh", "stored torsion", "stored foot")


def kinds() -> Iterator[str]:
    """Yield the rows of the dictionary that are put into recordings."""
    yield from (name for name, row in CAUSES.items() if row.put and not any(words in name for words in LEFT_OUT))


def candidates(session: Recorded, keys: set[tuple[str, str]]) -> dict[str, list[Possible]]:
    """Return kind -> the causes of it that can be in a session, one a leg or a plate."""
    at: dict[int, str] = {id(CAUSES[name]): name for name in kinds()}
    causes: dict[str, list[Possible]] = {}
    for one in possible(session, keys):
        if id(one.row) in at:
            causes.setdefault(at[id(one.row)], []).append(one)
    return causes


def put_in(recording: Recording, session: Recorded, one: Possible, size: float) -> Recording:
    """Return a recording with a cause of a size in it.

    Parameters
    ----------
    recording : Recording
        As it was read.
    session : Recorded
        The same recording in memory.
    one : Possible
        The cause.
    size : float
        In the cause's unit.
    """
    changed = one.into(session, size)
    assert changed is not None
    walk = _as_moved(recording.walk, session.markers, changed.markers)
    if changed.plates is not session.plates:
        walk = replace(walk, plates=changed.plates)
    if changed.events is not session.events:
        walk = replace(walk, events=changed.events)
    static = recording.static
    if session.standing is not None and changed.standing is not None:
        static = _as_moved(static, session.standing, changed.standing)
    recording = replace(recording, static=static, walk=walk)
    before, after = session.subject, changed.subject
    other = {name: getattr(after, name) for name in MEASURED if getattr(after, name) != getattr(before, name)}
    recording = recording.with_subject(**other) if other else recording
    return replace(recording, mass_kg=after.mass_kg) if after.mass_kg != before.mass_kg else recording


def _as_moved(trial: Trial, before: Markers, after: Markers) -> Trial:
    """A trial whose markers are moved as the fifteen in memory were."""
    if after is before:
        return trial
    position = trial.markers.position_m.copy()
    for name, moved in zip(before.names, np.moveaxis(after.position_m - before.position_m, 1, 0), strict=True):
        labels = [name] if name in trial.markers.names else ["LPSI", "RPSI"] if name == "SACR" else []
        for label in labels:
            position[:, trial.markers.names.index(label)] += moved
    return replace(trial, markers=trial.markers.with_positions(position))
