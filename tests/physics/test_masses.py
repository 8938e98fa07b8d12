"""People from 3 to 300 kg are analysed as they are, and a mass that was typed wrong is said."""

from __future__ import annotations

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.errors import Severity
from biomech_id.sample import virtual_subject
from biomech_id.session import trial_tables
from biomech_id.trial import Trial

#: kg -> height, m: that of a newborn, children, adults.
HEIGHTS_M = {3.0: 0.52, 6.0: 0.65, 12.0: 0.9, 40.0: 1.5, 90.0: 1.8, 180.0: 1.85, 300.0: 1.9}


def recordings(mass_kg: float, height_m: float) -> list[Trial]:
    person = virtual_subject(body="adult" if height_m > 1.55 else "child", mass_kg=mass_kg, height_m=height_m)
    return [person.static().trial, person.walk().trial]


@pytest.mark.parametrize("mass_kg", HEIGHTS_M)
def test_a_person_of_any_mass_is_accepted(mass_kg: float) -> None:
    session = bid.analyse(recordings(mass_kg, HEIGHTS_M[mass_kg]), uncertainty=False, budget=False)
    assert session.subject["mass_kg"] == mass_kg
    (trial,) = session.computed.trials
    assert str(trial.verdict) == "accept"
    assert [f.rule for f in (*session.computed.findings, *trial.findings) if f.severity is not Severity.INFO] == []
    # The ankle's largest moment, N m/kg, grows with the leg.
    moment = np.asarray(trial_tables.frames(trial)["RAnkleMoment.X"])
    assert 0.2 < np.nanmax(moment) < 2.5


@pytest.mark.parametrize(("mass_kg", "typed_kg"), [(55.0, 81.0), (55.0, 60.5), (55.0, 49.5), (15.0, 16.5), (15.0, 13.5)])
def test_a_mass_that_was_typed_wrong_is_said(mass_kg: float, typed_kg: float) -> None:
    height_m = 1.6 if mass_kg > 20.0 else 1.0
    recorded = recordings(mass_kg, height_m)
    for given_kg, wrong in ((mass_kg, False), (typed_kg, True)):
        session = bid.analyse(recorded, mass_kg=given_kg, uncertainty=False, budget=False)
        said = {finding.rule for finding in session.computed.findings} & {"mass-unlike-weight", "mass-unlike-steps"}
        assert bool(said) == wrong, given_kg
