"""Bands above the pelvis: what masses do to the centre of mass, what the static trial takes back, what a long trial looks at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import MM_PER_M
from biomech_id.models import body_response
from biomech_id.session import trial_tables
from biomech_id.session.bands.bands import CycleBand
from biomech_id.session.bands.upper_bands import COM, upper_bands
from biomech_id.session.solved import Solved
from biomech_id.uncertainty.sizes import error_sizes


@pytest.fixture(scope="module")
def walked() -> Solved:
    person = bid.virtual_subject(upper_body=True, plates="steps")
    (trial,) = bid.analyse([person.static().trial, person.walk().trial], budget=False).computed.trials
    return trial


def upper(trial: Solved, **sizes: float) -> CycleBand:
    """Of the first left cycle, by errors of those sizes alone."""
    none = dict.fromkeys(error_sizes(), 0.0)
    errors = replace(trial.errors["L"], sizes={**none, **sizes}, hip_sd_m=0.0)
    assert errors.markers is not None
    errors = replace(errors, markers=replace(errors.markers, sizes=errors.sizes))
    cycle = next(cycle for cycle in trial.cycles if cycle.side == "L")
    (band,) = upper_bands([cycle], trial.motion, errors)
    assert band is not None
    return band


def test_a_heavier_thigh_moves_the_centre_of_mass_by_what_it_does(walked: Solved) -> None:
    """Against the sum of all masses, the thighs 10 % heavier and everything else lighter in proportion."""
    whole = walked.motion.whole
    assert whole is not None
    masses = {part: segment.mass_kg for part, segment in whole.segments.items()}
    thighs = sum(mass for part, mass in masses.items() if part[1] == "thigh")
    others = 1.0 - 0.1 * thighs / (whole.mass_kg - thighs)
    heavier = {part: mass * (1.1 if part[1] == "thigh" else others) for part, mass in masses.items()}
    moved = sum(mass * whole.motions[part].com_lab_m for part, mass in heavier.items()) / whole.mass_kg - whole.com_lab_m
    band = upper(walked, thigh_mass_percent=10.0)
    percents = np.linspace(band.cycle.start_s, band.cycle.end_s, 101)
    forward = walked.motion.progression_R_lab @ moved.T
    for axis, name in enumerate(COM):
        truth = MM_PER_M * np.abs(np.interp(percents, walked.motion.time_s, forward[axis]))
        # It lies 4 mm lower; eight smooth functions of a cycle leave 3 % of that.
        assert np.abs(band.total[band.names.index(name)] - truth).max() < 0.15


def test_the_static_trial_takes_back_what_tips_the_head(walked: Solved) -> None:
    band = upper(walked, head_marker_mm=4.0)
    sd = {name: float(band.total[band.names.index(name)].mean()) for name in (("HeadAngles", "X"), ("HeadAngles", "Y"))}
    assert sd["HeadAngles", "X"] < 0.02
    assert sd["HeadAngles", "Y"] > 1.0
    neck = upper(walked, head_marker_mm=4.0)
    assert float(neck.total[neck.names.index(("NeckAngles", "X"))].mean()) < 0.1


def test_a_long_trial_is_looked_at_cycle_by_cycle(walked: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = upper(walked, trunk_marker_mm=4.0, tissue_arm_mm=5.0)
    monkeypatch.setattr(body_response, "KEPT_FRAMES", 10)
    piecewise = upper(walked, trunk_marker_mm=4.0, tissue_arm_mm=5.0)
    known = at_once.total > 0.1
    assert known.sum() > 1000
    assert np.abs(piecewise.total[known] / at_once.total[known] - 1.0).max() < 0.05


def test_parameters_have_the_same_band_where_bands_are_kept_by_nobody(walked: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {(row["side"], row["cycle"], row["parameter"]): row["sd"] for row in trial_tables.spatiotemporal_rows(walked)}
    errors = {side: replace(of_leg) for side, of_leg in walked.errors.items()}
    monkeypatch.setattr(trial_tables, "KEPT_FRAMES", 10)
    rows = trial_tables.spatiotemporal_rows(replace(walked, errors=errors))
    other = {(row["side"], row["cycle"], row["parameter"]): row["sd"] for row in rows}
    assert other.keys() == kept.keys()
    assert [key for key, sd in kept.items() if not np.isclose(sd, other[key], rtol=1e-9, equal_nan=True)] == []
