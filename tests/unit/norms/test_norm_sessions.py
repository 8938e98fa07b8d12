from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from biomech_id.errors import OptionError
from biomech_id.languages import Sentence
from biomech_id.norms.contributors import known_by
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.session.session import Session
from biomech_id.session.tables.means import mean_of_known
from biomech_id.session.tables.omissions import Omission, omissions_of
from biomech_id.session.tables.session_tables import Tables, tidy_table
from biomech_id.session.values.norm import check_norm, norm_band
from biomech_id.trial.examination import Examined
from tests.older_cycles import as_before


@pytest.fixture(scope="module")
def tables(session: Session) -> Tables:
    return session.tables()


def person(tables: Tables, code: str, shift: float, **summary: Any) -> Tables:
    """The same session as if another person had walked it, before other cameras, every value shifted."""
    subject = {**tables.summary["subject"], "code": code, "age_years": summary.pop("age_years", None)}
    cycles = tables.cycles.assign(value=tables.cycles["value"] + shift)
    spatiotemporal = tables.spatiotemporal.assign(value=tables.spatiotemporal["value"] + shift)
    inputs = {path: f"{code} {sha256}" for path, sha256 in tables.manifest["inputs"].items()}
    return replace(
        tables, cycles=cycles, spatiotemporal=spatiotemporal, summary={**tables.summary, "subject": subject, **summary},
        manifest={**tables.manifest, "inputs": inputs},
    )  # fmt: skip


def test_each_subject_counts_once(tables: Tables) -> None:
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


def test_a_norm_for_a_patient_holds_people_of_an_age_and_not_the_patient(tables: Tables) -> None:
    people = {"A": 6.0, "B": 8.0, "C": 11.0, "D": None, "PATIENT": 9.0}
    sessions = [person(tables, code, float(at), age_years=age) for at, (code, age) in enumerate(people.items())]
    told: list[Omission] = []
    norm = norm_from_sessions(sessions, source="", ages=(7.0, 12.0), without=["PATIENT"], tell=told.append)
    band = norm_band(norm, "HipAngles", "X")
    assert band is not None
    assert band.n == 2
    assert (norm["age_min_y"].iloc[0], norm["age_max_y"].iloc[0]) == (8.0, 11.0)
    assert {each.subject: each.why.rule for each in told if not each.trial and not each.side} == {
        "A": "outside-the-ages", "D": "age-not-recorded", "PATIENT": "not-in-this-norm",
    }  # fmt: skip
    assert "6.0 years old: not within 7 to 12 years" in str(next(each for each in told if each.subject == "A").why)
    with pytest.raises(OptionError, match="usable cycle"):
        norm_from_sessions(sessions, source="", ages=(20.0, 30.0))


def with_clinic(tables: Tables, code: str, **clinic: str) -> Tables:
    return person(tables, code, 0.0, clinic={"": clinic})


def test_no_person_with_a_diagnosis_is_in_a_norm(tables: Tables) -> None:
    examined_rows = tidy_table("examination", [vars(Examined(test="diagnosis", raw="CP, hemiplegia"))])
    patients = [replace(person(tables, "A", 5.0), examination=examined_rows), with_clinic(tables, "B", Diagnose="Spina bifida")]
    healthy = [person(tables, "C", 1.0), with_clinic(tables, "D", diagnosis="None"), with_clinic(tables, "E", note="tall")]
    told: list[Omission] = []
    norm = norm_from_sessions([*patients, *healthy], source="", tell=told.append)
    band = norm_band(norm, "HipAngles", "X")
    assert band is not None
    assert band.n == 3
    assert {each.subject: str(each.why) for each in told if each.why.rule == "has-a-diagnosis"} == {
        "A": "has a diagnosis (CP, hemiplegia): no patient is in a norm",
        "B": "has a diagnosis (Spina bifida): no patient is in a norm",
    }
    with pytest.raises(OptionError, match=r"no person with a diagnosis is in one \(A, B\)"):
        norm_from_sessions(patients, source="")


def test_scores_of_the_norms_own_people(tables: Tables) -> None:
    norm = norm_from_sessions([person(tables, "A", -1.0), person(tables, "B", 1.0)], source="two")
    score = norm_band(norm, "GVS.KneeAngles", "X")
    profile = norm_band(norm, "GPS")
    assert score is not None
    assert profile is not None
    # Each lies 2 deg from the other in every variable, and is compared with nobody else.
    assert score.mean == pytest.approx([2.0])
    assert profile.mean == pytest.approx([2.0])
    assert profile.sd == pytest.approx([0.0], abs=1e-9)


def test_unused_cycles_and_half_curves_stay_out(tables: Tables) -> None:
    trials = [
        {**trial, "cycles": [as_before(c, used=c["cycle"] == 1) for c in trial["cycles"]]} for trial in tables.summary["trials"]
    ]
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


def test_sessions_that_do_not_belong_together_are_refused(tables: Tables) -> None:
    with pytest.raises(OptionError, match="textbook, as S1; vicon, as B"):
        norm_from_sessions([tables, person(tables, "B", 0.0, kinetics="vicon")], source="")
    shod = [{**trial, "condition": "shod"} for trial in tables.summary["trials"]]
    mixed = [tables, person(tables, "B", 0.0, trials=shod)]
    with pytest.raises(OptionError, match="'barefoot'; 'shod'"):
        norm_from_sessions(mixed, source="")
    assert norm_from_sessions(mixed, source="", condition="shod")["n"].max() == 1


def test_sessions_without_a_usable_cycle_make_no_norm(tables: Tables) -> None:
    with pytest.raises(OptionError, match="usable cycle"):
        norm_from_sessions([replace(tables, summary={**tables.summary, "trials": []})], source="")


def test_a_mean_counts_only_the_curves_that_have_a_value() -> None:
    mean = mean_of_known(np.array([[1.0, 2.0, np.nan], [3.0, np.nan, np.nan]]))
    np.testing.assert_array_equal(mean, [2.0, 2.0, np.nan])


def missing(tables: Tables, side: str, variable: str, component: str, percents: slice) -> Tables:
    """The session with some points of a curve missing in every cycle of one side."""
    cycles = tables.cycles.copy()
    mine = (cycles["side"] == side) & (cycles["variable"] == variable) & (cycles["component"] == component)
    gone = mine & cycles["percent"].isin(range(101)[percents])
    cycles.loc[gone, "value"] = np.nan
    return replace(tables, cycles=cycles)


def test_one_missing_point_takes_nobody_out_elsewhere(tables: Tables) -> None:
    b = person(tables, "B", 3.0)
    for side in "LR":
        b = missing(b, side, "KneeAngles", "X", slice(40, 41))
    norm = norm_from_sessions([person(tables, "A", 0.0), b], source="")
    check_norm(norm, where="norm")
    knee = norm[(norm["variable"] == "KneeAngles") & (norm["component"] == "X")]
    assert knee["n"].tolist() == [2] * 40 + [1] + [2] * 60
    assert knee["sd"].isna().tolist() == [False] * 40 + [True] + [False] * 60


def test_half_a_curve_and_a_point_nobody_knows_are_named(tables: Tables) -> None:
    told: list[Omission] = []
    one = missing(person(tables, "A", 0.0), "L", "HipAngles", "X", slice(0, 1))
    one = missing(one, "L", "KneeAngles", "X", slice(0, 12))
    norm = norm_from_sessions([one], source="", tell=told.append)
    halves = {each.side: each.why.values["variables"] for each in told if each.why.rule == "half-a-curve"}
    assert halves["L"] == ("KneeAngles",)
    assert "KneeMoment" in halves["R"]  # its stance only was recorded
    assert norm_band(norm, "HipAngles", "X") is None
    (hole,) = [each for each in told if each.why.rule == "no-subject-knows"]
    assert (hole.subject, hole.why.values["points"]) == ("HipAngles X", 1)


def test_every_trial_and_cycle_that_is_left_out_is_named_with_its_reason(tables: Tables) -> None:
    (walk,) = tables.summary["trials"]
    first, *others = walk["cycles"]
    said = Sentence("other-duration", {"duration_s": 1.9, "typical_s": 1.1}).to_dict()
    stumble = as_before(others[0], used=False, reasons=[said])
    bare = as_before(first, kinetics_valid="false", reasons=[Sentence("no-loaded-plate").to_dict()])
    trials = [
        {**walk, "cycles": [bare, stumble]},
        {**walk, "name": "turn1", "kind": "turn", "cycles": [{**stumble, "cycle": 1}]},
        {**walk, "name": "bad1", "verdict": "reject", "reasons": ["CoP inside foot 60 %, below the limit of 70 %"]},
        {**walk, "name": "shod1", "condition": "shod"},
        {**walk, "name": "short1", "cycles": []},
    ]
    failed = [{"file": "torn.c3d", "error": "torn.c3d is cut short."}]
    summary = {**tables.summary, "trials": trials, "failed": failed}
    found = {(each.trial, each.side, each.cycles, each.of, each.why.rule) for each in omissions_of("A", summary, walk["condition"])}
    assert found == {
        ("torn.c3d", "", (), "means", "not-analysed"),
        ("walk", bare["side"], (bare["cycle"],), "kinetics", "no-loaded-plate"),
        ("walk", stumble["side"], (stumble["cycle"],), "means", "other-duration"),
        ("turn1", "", (), "means", "not-straight"),
        ("bad1", "", (), "means", "trial-rejected"),
        ("shod1", "", (), "means", "other-condition"),
        ("short1", "", (), "means", "no-cycle"),
    }
    nothing = omissions_of("A", {**summary, "trials": trials[1:2], "failed": []})
    assert [str(each) for each in nothing] == [
        "A turn1 not in the means: it is no straight walk (turn).",
        "A not in the means: none of its cycles is in the means.",
    ]
    rows = [row for each in omissions_of("A", summary) for row in each.rows()]
    assert {"subject": "A", "trial": "walk", "side": stumble["side"], "cycle": stumble["cycle"], "of": "means"}.items() <= next(
        row for row in rows if row["rule"] == "other-duration"
    ).items()


def test_inputs_without_a_hash_make_nobody_known_again() -> None:
    """Under a code without a key recordings in text have none: two people must not become one for that."""
    both = [
        known_by(code, {"walk.trc": "unverified", "walk.c3d": f"{code}" * 16}, ["walk.trc", "walk.c3d"])
        for code in ("P017", "P018")
    ]
    assert (len(both[0]), len(both[1]), both[0] & both[1]) == (2, 2, frozenset())
