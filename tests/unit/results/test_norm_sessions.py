from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from biomech_id.errors import OptionError
from biomech_id.results.norms.from_sessions import norm_from_sessions
from biomech_id.results.norms.norm import check_norm, norm_band
from biomech_id.results.session.result import SessionResult
from biomech_id.results.tables.means import mean_of_known
from biomech_id.results.tables.session_tables import SessionTables


@pytest.fixture(scope="module")
def tables(session: SessionResult) -> SessionTables:
    return session.tables()


def person(tables: SessionTables, code: str, shift: float, **summary: Any) -> SessionTables:
    """The same session as if another person had walked it, every value shifted."""
    subject = {**tables.summary["subject"], "code": code, "age_years": summary.pop("age_years", None)}
    cycles = tables.cycles.assign(value=tables.cycles["value"] + shift)
    spatiotemporal = tables.spatiotemporal.assign(value=tables.spatiotemporal["value"] + shift)
    return replace(tables, cycles=cycles, spatiotemporal=spatiotemporal, summary={**tables.summary, "subject": subject, **summary})


def test_each_subject_counts_once(tables: SessionTables) -> None:
    sessions = [person(tables, "A", 0.0, age_years=8.0), person(tables, "A", 2.0), person(tables, "B", 3.0, age_years=11.0)]
    norm = norm_from_sessions(iter(sessions), source="three sessions of two people")
    check_norm(norm, where="norm")
    band, alone = norm_band(norm, "HipAngles", "X"), norm_band(norm_from_sessions([tables], source=""), "HipAngles", "X")
    assert band is not None
    assert alone is not None
    assert band.n == 2
    np.testing.assert_allclose(band.mean - alone.mean, 2.0, rtol=1e-9)  # A is at 1, B at 3
    np.testing.assert_allclose(band.sd, np.sqrt(2.0), rtol=1e-9)
    assert norm["speed_min"].iloc[0] == pytest.approx(0.4 + 1.0)
    assert norm["speed_max"].iloc[0] == pytest.approx(0.4 + 3.0)
    assert (norm["age_min_y"].iloc[0], norm["age_max_y"].iloc[0]) == (8.0, 11.0)


def test_scores_of_the_norms_own_people(tables: SessionTables) -> None:
    norm = norm_from_sessions([person(tables, "A", -1.0), person(tables, "B", 1.0)], source="two")
    score = norm_band(norm, "GVS.KneeAngles", "X")
    profile = norm_band(norm, "GPS")
    assert score is not None
    assert profile is not None
    # Both lie 1 deg from their mean in every variable.
    assert score.mean == pytest.approx([1.0])
    assert profile.mean == pytest.approx([1.0])
    assert profile.sd == pytest.approx([0.0], abs=1e-9)


def test_unused_cycles_and_half_curves_stay_out(tables: SessionTables) -> None:
    trials = [{**trial, "cycles": [{**c, "used": c["cycle"] == 1} for c in trial["cycles"]]} for trial in tables.summary["trials"]]
    first = replace(tables, summary={**tables.summary, "trials": trials})
    norm = norm_from_sessions([first], source="")
    knee = norm_band(norm, "KneeAngles", "X")
    moment = norm_band(norm, "KneeMoment", "X")
    assert knee is not None
    assert moment is not None
    np.testing.assert_array_equal(knee.mean, tables.curves("L", "KneeAngles", "X")[0])
    # The right side has the moment in stance only: half a curve is no sample, the left one alone counts.
    np.testing.assert_array_equal(moment.mean, tables.curves("L", "KneeMoment", "X")[0])
    assert norm_band(norm, "FootCentreOfPressure", "X") is None


def test_sessions_that_do_not_belong_together_are_refused(tables: SessionTables) -> None:
    with pytest.raises(OptionError, match="conventional textbook; conventional vicon"):
        norm_from_sessions([tables, person(tables, "B", 0.0, kinetics="vicon")], source="")
    shod = [{**trial, "condition": "shod"} for trial in tables.summary["trials"]]
    mixed = [tables, person(tables, "B", 0.0, trials=shod)]
    with pytest.raises(OptionError, match="'barefoot'; 'shod'"):
        norm_from_sessions(mixed, source="")
    assert norm_from_sessions(mixed, source="", condition="shod")["n"].max() == 1


def test_sessions_without_a_usable_cycle_make_no_norm(tables: SessionTables) -> None:
    with pytest.raises(OptionError, match="usable cycle"):
        norm_from_sessions([replace(tables, summary={**tables.summary, "trials": []})], source="")


def test_a_mean_counts_only_the_curves_that_have_a_value() -> None:
    mean = mean_of_known(np.array([[1.0, 2.0, np.nan], [3.0, np.nan, np.nan]]))
    np.testing.assert_array_equal(mean, [2.0, 2.0, np.nan])
