"""Ways of walking in the diagnosis: virtual patients accuse no plate, marker or clock, a moved plate under one is told still."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import biomech_id as bid
from benchmarks.studies.gait_causes import NAMES, drawn, signature_rows
from biomech_id.judgement.diagnosis.diagnosis import Search, _aided, _without, diagnose_recorded
from biomech_id.judgement.diagnosis.gaits import AID, GAIT, gait_changes, gaits
from biomech_id.judgement.diagnosis.put import late, plate_moved, weighed
from biomech_id.judgement.diagnosis.recorded import Recorded, recorded_walk
from biomech_id.judgement.diagnosis.residuals import residuals
from biomech_id.judgement.diagnosis.spread import HERE, package_spread


@cache
def recorded(patient: str, seed: int) -> Recorded:
    person = drawn(patient, seed)
    return recorded_walk(person.walk().trial, bid.conventional_model(person.static().trial))


def test_what_ways_of_walking_add_is_the_virtual_patients() -> None:
    with (HERE / "gaits.csv").open(encoding="utf-8", newline="") as file:
        committed = {(row["gait"], row["residual"], row["of"]): float(row["adds"]) for row in csv.DictReader(file)}
    made = {(gait, name, of): value for gait, name, of, value in signature_rows()}
    assert made.keys() == committed.keys()
    for key, value in made.items():
        assert committed[key] == pytest.approx(value, rel=2e-3), key
    assert set(gait_changes()) == set(NAMES.values())


def test_a_foot_that_lands_flat_has_no_verdict_on_where_it_presses() -> None:
    def along(patient: str) -> list[str]:
        return [name for name, _ in residuals(recorded(patient, 1)).values if name.startswith("CoP along foot")]

    assert along("toe walker") == []
    # One foot drops, the other lands on its heel.
    assert along("drop foot")


def test_ways_of_walking_stand_on_either_leg_and_its_plates() -> None:
    session = recorded("drop foot", 1)
    judged = residuals(session)
    either = {one.name: one.at or {} for one in gaits(session, judged.values)}
    changes = gait_changes()["hemiplegic gait"]
    left, right = (either[f"{side} hemiplegic gait"] for side in "LR")
    assert left["knee flexion, least", "L"] == right["knee flexion, least", "R"] == changes["knee flexion, least", "own"]
    assert left["knee flexion, least", "R"] == right["knee flexion, least", "L"] == changes["knee flexion, least", "other"]
    plates = {unit for _, unit in left if unit.isdigit()}
    assert plates
    # Under the foot that walks so what is its own, under the other one what is the other's: the other way round on the other leg.
    both = [key for key in left.keys() & right.keys() if key[1] in plates]
    assert any(left[key] == changes.get((key[0], "own")) and right[key] == changes.get((key[0], "other")) for key in both)


@pytest.mark.parametrize(("patient", "seed"), [("toe walker", 1), ("hemiplegic", 2)])
def test_a_patient_accuses_nothing(patient: str, seed: int) -> None:
    answer = diagnose_recorded(recorded(patient, seed), package_spread().of_any_body())
    assert [one.cause for one in answer.likely if one.warns] == []
    named = [one for one in answer.likely if one.group == GAIT]
    assert bool(named) == (patient == "hemiplegic")
    assert not any(cause.endswith("gait") for cause in answer.told_from)


@pytest.mark.parametrize("seed", [1, 2])
def test_an_aid_that_nobody_states_is_asked_for_and_accuses_nothing(seed: int) -> None:
    session = recorded("crutches", seed)
    answer = diagnose_recorded(session, package_spread().of_any_body())
    assert [one.cause for one in answer.likely if one.warns] == []
    assert AID in {one.group for one in answer.likely}
    # Where somebody says that there is none, something else has to explain it.
    stated = diagnose_recorded(replace(session, aided=False), package_spread().of_any_body())
    assert AID not in {one.group for one in stated.likely}
    assert any(one.warns for one in stated.likely)


@pytest.mark.parametrize("kg", [1.3, 1.1, 0.75])
def test_a_wrong_mass_is_no_aid(kg: float) -> None:
    person = bid.virtual_subject()
    session = recorded_walk(person.walk().trial, bid.conventional_model(person.static().trial))
    heavier = weighed(session, "", kg - 1.0)
    assert heavier is not None
    first = diagnose_recorded(heavier, package_spread().of_any_body()).likely[0]
    assert (first.group, first.warns) == ("weight", True)


def test_a_plate_that_is_moved_under_a_patient_is_told() -> None:
    moved = plate_moved("0", recorded("hemiplegic", 2), "3", 0.080)
    assert moved is not None
    first = next(one for one in diagnose_recorded(moved, package_spread().of_any_body()).likely if one.warns)
    assert first.cause.startswith("plate 3")


@pytest.mark.parametrize("seed", [5, 6])
def test_tips_beside_the_feet_are_an_aid_that_nobody_states(seed: int) -> None:
    """A walker's tips stand on plates where no foot does: once that is known, the rest is judged as if it were stated."""
    session = recorded("walker", seed)
    answer = diagnose_recorded(session, package_spread().of_any_body())
    assert [one.cause for one in answer.likely if one.warns] == []
    assert sum(one.group == AID for one in answer.likely) == 1


def test_what_was_taken_off_before_an_aid_stays_off() -> None:
    judged = residuals(recorded("walker", 1))
    gap = next(one for one in Search(judged, package_spread().of_any_body()).causes if one.name == "L straight-filled gap")
    less = _without(judged, gap, -50.0)
    assert less is not None
    aided = _aided(less)
    assert aided.session.aided
    assert aided.legs["straight run", "L"] == judged.legs["straight run", "L"] + 50.0
    assert not any(name.startswith("CoP") for name, _ in aided.plates)
    # Signatures are those of the session, whatever was taken off before.
    ours, theirs = (Search(each, package_spread().of_any_body()) for each in (aided, residuals(aided.session)))
    places = [i for i, one in enumerate(ours.causes) if one.name in ("LKNE forward, whole", "LTOE up, mid")]
    for each in (ours, theirs):
        each.signatures.ask(places)
    assert places
    # SDs per mm: the same sums.
    assert np.abs(ours.signatures.white[:, places] - theirs.signatures.white[:, places]).max() < 1e-9


def test_a_plate_that_is_late_under_an_aid_is_told() -> None:
    shifted = late(replace(recorded("walker", 1), aided=True), "3", 0.040)
    assert shifted is not None
    warned = [one for one in diagnose_recorded(shifted, package_spread().of_any_body()).likely if one.warns]
    assert [one.cause for one in warned] == ["plate 3 late"]
    assert warned[0].size == pytest.approx(40.0, abs=warned[0].sd)


@pytest.mark.parametrize("moved_m", [-0.036, 0.038, 0.045])
def test_a_plate_moved_across_a_healthy_walk_warns_where_nobody_says_that_there_is_no_aid(moved_m: float) -> None:
    person = bid.virtual_subject()
    session = recorded_walk(person.walk().trial, bid.conventional_model(person.static().trial))
    moved = plate_moved("1", session, "1", moved_m)
    assert moved is not None
    warned = [one.cause for one in diagnose_recorded(moved, package_spread().of_any_body()).likely if one.warns]
    assert warned == ["plate 1 dy"]
