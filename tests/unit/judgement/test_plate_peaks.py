"""Peaks that plates as recorded would give elsewhere: said beyond the standard deviation alone."""

from __future__ import annotations

from dataclasses import replace

import biomech_id as bid
from biomech_id.judgement.plate_peaks import peaks_finding
from biomech_id.session.solved import Solved


def solved(gain: float) -> Solved:
    person = bid.virtual_subject()
    walk = person.walk().trial
    plates = tuple(replace(p, force_lab_N=gain * p.force_lab_N, moment_lab_Nm=gain * p.moment_lab_Nm) for p in walk.plates)
    return bid.analyse([person.static().trial, replace(walk, plates=plates)], budget=False).computed.trials[0]


def test_peaks_are_said_where_the_other_plates_move_them_and_only_there() -> None:
    result, other = solved(1.0), solved(1.3)
    assert result.loads is not None
    assert other.loads is not None
    assert peaks_finding(result, result.loads) is None
    said = peaks_finding(result, other.loads)
    assert said is not None
    assert ("L", "AnkleMoment.X max_stance") in {(side, name) for side, name, *_ in said.values["peaks"]}
