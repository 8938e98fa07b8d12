"""The diagnosis: its rows, its residuals on the virtual subject, its ranking in numbers that can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from benchmarks.studies.gait_causes import drawn
from biomech_id.errors import MissingInputError, OptionError, OutputError
from biomech_id.judgement.diagnosis import CAUSES, diagnose, put
from biomech_id.judgement.diagnosis.blocks import further
from biomech_id.judgement.diagnosis.causes import possible, where_to_look
from biomech_id.judgement.diagnosis.curves import curves_moved
from biomech_id.judgement.diagnosis.diagnosis import UNHEARD, Search, _without, diagnose_recorded
from biomech_id.judgement.diagnosis.exchanges import exchanges
from biomech_id.judgement.diagnosis.gaits import gaits
from biomech_id.judgement.diagnosis.ranking import Whitening, block, least_sizes, signatures, single
from biomech_id.judgement.diagnosis.recorded import recorded_walk
from biomech_id.judgement.diagnosis.residuals import JudgedWalk, residuals
from biomech_id.judgement.diagnosis.spread import package_spread
from biomech_id.judgement.diagnosis.stances import find_stances
from biomech_id.judgement.diagnosis.typical import typical_table
from biomech_id.languages import table
from biomech_id.models.conventional.leg import place_leg
from biomech_id.models.conventional.pelvis import pelvis_frames
from biomech_id.pipeline.diagnosis import Diagnosed, diagnose_job, write_diagnosis
from biomech_id.request.job import Job
from biomech_id.sample import write_c3d
from biomech_id.trial import ForcePlate, Markers, Trial


@pytest.fixture(scope="module")
def judged() -> JudgedWalk:
    person = bid.virtual_subject()
    return residuals(recorded_walk(person.walk().trial, bid.conventional_model(person.static().trial)))


def test_every_residual_has_its_row_and_its_spread(judged: JudgedWalk) -> None:
    spread = package_spread()
    assert {name for name, _ in judged.values} <= set(spread.names)
    assert len(judged.values) > 140
    assert (spread.between > 0).all()
    assert (spread.within > 0).all()
    for matrix in (spread.together, spread.apart):
        assert np.array_equal(matrix, matrix.T)
        # The reference floors eigenvalues at 0.05; the mean of two such matrices, in three digits, stays above.
        assert np.linalg.eigvalsh(matrix).min() > 0.04
    assert set(spread.units) <= {"1", "%", "% weight", "deg", "frames", "ln", "ln(m/s3)", "mm", "ms"}


def test_a_leg_is_not_mixed_from_numbers_with_and_without_a_way_of_walking(judged: JudgedWalk) -> None:
    """What a way of walking adds was taken off the numbers, not out of the markers: a leg worked out anew has it again."""
    way = next(one for one in gaits(judged.session, judged.values) if one.name == "L toe walking")
    less = _without(judged, way, 1.0)
    assert less is not None
    assert less.legs != judged.legs
    one = next(one for one in possible(judged.session, set(judged.values)) if one.name == "RKNE forward, whole")
    changed = one.into(judged.session, one.row.tau)
    assert changed is not None
    assert residuals(changed, less).values == residuals(changed).values


def test_what_is_taken_over_is_what_would_be_worked_out_anew(judged: JudgedWalk) -> None:
    """Of every kind of cause, in one of the legs or plates that can have it."""
    kinds = {one.kind: one for one in possible(judged.session, set(judged.values)) if one.at is None}
    assert len(kinds) > 60
    for kind, one in kinds.items():
        changed = one.into(judged.session, one.row.tau)
        assert changed is not None
        anew = residuals(changed).values
        # Sums run in the same order over the same numbers: nothing but the order of the residuals differs.
        assert residuals(changed, judged).values == anew, kind


@pytest.mark.parametrize("fault", [False, True])
def test_no_cause_has_more_evidence_than_the_residuals_that_it_changes_leave_room_for(judged: JudgedWalk, fault: bool) -> None:
    if fault:
        shorter = put.mismeasured("leg_length_m", judged.session, "R", -0.03)
        moved = put.plate_moved("1", shorter, "1", 0.060) if shorter else None
        assert moved is not None
        judged = residuals(moved, judged)
    search = Search(judged, package_spread().of_any_body())
    judged = search.judged
    search.signatures.ask(range(len(search.every)))
    evidence, rooms = search._single(search._white).evidence, []
    for place, one in enumerate(search.causes):
        if one.at is not None:
            continue
        units = search.signatures.units(place)
        changed = one.into(judged.session, one.row.tau)
        assert changed is not None
        after = residuals(changed, judged).values
        differ = {unit for (name, unit), value in after.items() if value != judged.values.get((name, unit))}
        assert differ <= units, one.name
        rooms.append(search._most_evidence(units))
        at_full_size = search._evidence(search.scale.misfit(after, judged.values))
        # 1e-6: sums of some hundred numbers, each to fifteen digits.
        assert max(evidence[place], at_full_size) <= rooms[-1] + 1e-6, one.name
    # It is room that says something: without a fault plates have less than what anybody is told.
    assert max(rooms) > 20.0 if fault else sum(room < UNHEARD for room in rooms) > 20


def test_distances_of_markers_alone_leave_no_more_than_all_residuals(judged: JudgedWalk) -> None:
    search = Search(judged, package_spread().of_any_body())
    judged = search.judged
    for each in [each for each in exchanges(judged.session) if each.group == "labels"][::5]:
        every = search.scale.misfit(residuals(each.session, judged).values, judged.values)
        assert 40.0 < search._distances(each.session) <= every, each.name


def test_bending_joints_are_no_step_in_mid_walk_where_people_walk_as_they_like() -> None:
    """Halves of a steppage walk bend their knees differently; a marker that moves in mid-walk steps all the same."""
    session = recorded_walk(*(lambda one: (one.walk().trial, bid.conventional_model(one.static().trial)))(drawn("steppage", 104)))
    step = ("KNE-TIB step in mid-walk", "R")
    apart, beside = (residuals(replace(session, any_gait=any_gait)).values[step] for any_gait in (False, True))
    # mm: 4.5 SDs as the difference of two medians.
    assert abs(apart) > 3.0
    assert abs(beside) < 0.25 * abs(apart)
    moved = put.aside("TIB", "shank:up", "mid", replace(session, any_gait=True), "R", 0.010)
    assert moved is not None
    assert residuals(moved).values[step] - beside == pytest.approx(-10.0, abs=1.5)


def test_a_stance_that_the_recording_cuts_says_nothing_of_heights(judged: JudgedWalk) -> None:
    begun = next(stance for _, stance in find_stances(judged.session))
    markers = judged.session.markers
    late = round((begun.time_s[0] + 0.1) * markers.rate_hz)
    cut = replace(
        judged.session,
        markers=Markers(markers.names, markers.position_m[late:], markers.rate_hz, None, markers.roles),
        plates=tuple(_from(plate, late / markers.rate_hz) for plate in judged.session.plates),
    )
    values = residuals(cut).values
    assert ("CoP medial of foot axis", "1") in values
    assert ("heel above plate", "1") in judged.values
    assert not {("heel above plate", "1"), ("toe above plate", "1")} & values.keys()
    assert ("heel above plate", "2") in values


def _from(plate: ForcePlate, start_s: float) -> ForcePlate:
    first = round(start_s * plate.rate_hz)
    return replace(plate, force_lab_N=plate.force_lab_N[first:], moment_lab_Nm=plate.moment_lab_Nm[first:])


def test_nothing_is_taken_over_where_an_aid_or_a_prosthesis_is_stated_since(judged: JudgedWalk) -> None:
    for stated in (replace(judged.session, aided=True), replace(judged.session, prostheses=("L",))):
        assert residuals(stated, judged).values == residuals(stated).values != judged.values


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_leg_that_has_no_knee_says_nothing_of_its_axis(judged: JudgedWalk, share: float) -> None:
    """Labels that are exchanged on trial may give it a marker that no geometry of a leg fits."""
    markers = judged.session.markers
    position_m = markers.position_m.copy()
    frames = np.arange(len(position_m)) >= share * len(position_m)
    hip_lab_m = place_leg(markers, pelvis_frames(markers), judged.session.geometry["L"]).hip_lab_m
    position_m[frames, markers.names.index("LKNE")] = hip_lab_m[frames] + 0.01
    values = residuals(replace(judged.session, markers=markers.with_positions(position_m)), judged).values
    assert ("knee varus, extended", "L") not in values
    assert ("step of varus in mid-walk", "L") not in values
    assert values["step of varus in mid-walk", "R"] == judged.values["step of varus in mid-walk", "R"]


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_foot_whose_heel_and_toe_are_one_path_has_no_verdict_on_its_plate(judged: JudgedWalk) -> None:
    markers = judged.session.markers
    position_m = markers.position_m.copy()
    position_m[:, markers.names.index("LTOE")] = markers["LHEE"]
    feet = {stance.side for _, stance in find_stances(replace(judged.session, markers=markers.with_positions(position_m)))}
    assert feet == {"R"}


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_plate_that_bears_nothing_in_a_frame_of_single_support_has_no_line_of_force(judged: JudgedWalk) -> None:
    lines = {key for key in judged.values if key[0].startswith("line of force")}
    plates = [
        replace(plate, force_lab_N=np.where(np.arange(len(plate.force_lab_N))[:, None] % 400 == 200, 0.0, plate.force_lab_N))
        for plate in judged.session.plates
    ]
    values = residuals(replace(judged.session, plates=tuple(plates)), judged).values
    assert lines - values.keys()


def test_covariance_is_common_to_units_but_for_what_is_within_one() -> None:
    spread = package_spread()
    at = spread.names.index("hip rotation")
    mean, covariance = spread.expected([("hip rotation", "L"), ("hip rotation", "R")])
    assert mean[0] == mean[1] == spread.mean[at]
    assert covariance[0, 1] == pytest.approx(spread.between[at])
    assert covariance[0, 0] == pytest.approx(spread.between[at] + spread.within[at])
    roomy = spread.of_any_body().expected([("hip rotation", "L")])[1]
    assert roomy[0, 0] - covariance[0, 0] == pytest.approx(12.0**2 + spread.gait_sd[at] ** 2)
    # Ways of walking make all plates less sure, and no plate beside the others; nor weight, which is Newton's.
    plates = [("line of force, along walk", "1"), ("line of force, along walk", "2")]
    strict, wide = spread.expected(plates)[1], spread.of_any_body().expected(plates)[1]
    assert wide[0, 1] > 2.0 * strict[0, 1]
    assert wide[0, 0] - wide[0, 1] == pytest.approx(strict[0, 0] - strict[0, 1])
    assert spread.of_any_body().any_gait
    assert not spread.any_gait
    assert spread.gait_sd[spread.names.index("single support / weight")] == 0.0


def test_a_class_says_what_to_look_at() -> None:
    look = where_to_look()
    assert {row.group for row in CAUSES.values()} <= set(look)
    assert {"labels", "channels", "events", "plate", "static", "offsets", "measurements", "cameras"} <= set(look)
    german = table("de")["likely-cause"]["look"]
    assert set(german) == set(look)


def test_evidence_by_hand() -> None:
    # One cause seen by one residual: signature 2 per unit, residual 6 SDs, common size 3, among 10 causes.
    one = single(np.array([[2.0]]), np.array([6.0]), np.array([3.0]), np.array([0.0]), 10)
    assert (one.size[0], one.sd[0]) == (3.0, 0.5)
    by_hand = (2 * 6) ** 2 * 9 / (2 * (1 + 4 * 9)) - np.log(37) / 2 - np.log(10)
    assert one.evidence[0] == pytest.approx(by_hand)
    evidence, sizes = block(np.array([[2.0]]), np.array([6.0]), np.array([3.0]), 10)
    assert evidence == pytest.approx(by_hand)
    assert sizes[0] == pytest.approx(3.0 * 36 / 37)
    least = least_sizes(one.sd, np.array([3.0]), 10)
    again = single(np.array([[2.0]]), 2.0 * least, np.array([3.0]), np.array([0.0]), 10)
    assert again.evidence[0] == pytest.approx(4.0)
    against = single(np.array([[2.0]]), np.array([-6.0]), np.array([3.0]), np.array([1.0]), 10)
    assert against.evidence[0] == -np.inf


def test_a_cause_put_in_moves_what_it_shall(judged: JudgedWalk) -> None:
    session = judged.session
    causes = {one.name: one for one in possible(session, set(judged.values))}
    late = causes["plate 1 late"].into(session, 20.0)
    assert late is not None
    change = residuals(late, judged).values["force begins - heel", "1"] - judged.values["force begins - heel", "1"]
    assert change == pytest.approx(20.0, abs=1.0)  # samples of a millisecond
    heavy = causes["mass"].into(session, 12.0)
    assert heavy is not None
    weight = residuals(heavy, judged).values["single support / weight", "1"] - judged.values["single support / weight", "1"]
    assert weight == pytest.approx(-100 * np.log(1.12), abs=1e-6)
    knee = causes["LKNE forward, mid"].into(session, 10.0)
    assert knee is not None
    assert residuals(knee, judged).values["step of varus in mid-walk", "R"] == judged.values["step of varus in mid-walk", "R"]
    curves = curves_moved(session, knee)
    assert curves["L knee rotation (deg)"] > 1.0
    assert not any(name.startswith("R") for name in curves)


def test_an_aid_leaves_plates_their_clock_alone(judged: JudgedWalk) -> None:
    aided = residuals(replace(judged.session, aided=True)).values
    at_plate_1 = {name for name, unit in aided if unit == "1"}
    assert {"force begins - heel", "force ends - toe"} <= at_plate_1
    assert not any(name.startswith(("CoP", "line of force", "single support", "shear")) for name in at_plate_1)
    assert {key for key in judged.values if key[1] in ("L", "R", "")} == {key for key in aided if key[1] in ("L", "R", "")}


def test_a_tip_on_a_plate_is_no_load_without_a_foot_where_an_aid_is_stated(judged: JudgedWalk) -> None:
    at_plate_1 = [
        {name for name, unit in residuals(replace(judged.session, aided=aid)).values if unit == "1"} for aid in (True, None)
    ]
    assert "load without a foot" not in at_plate_1[0]
    assert "load without a foot" in at_plate_1[1]
    assert "level unloaded" in at_plate_1[0]
    causes = {one.name for one in possible(replace(judged.session, aided=True), {(name, "1") for name in at_plate_1[0]})}
    assert {"plate 1 late", "plate 1 force breaks off", "plate 1 zero"} <= causes
    assert not {"plate 1 loaded without a foot", "plate 1 dx", "plate 1 gain"} & causes


def test_who_walks_steadily_is_pushed_along_by_little(judged: JudgedWalk) -> None:
    """Braking and drive are as large as one another, but for what the pelvis' speed gains or loses over the stance."""
    pushed = [value for (name, _), value in judged.values.items() if name == "shear along walk, mean / vertical"]
    assert len(pushed) == 2
    assert np.abs(pushed).max() < 10.0


@pytest.mark.parametrize(("offset_N", "judged_level"), [(10.0, True), (-10.0, True), (20.0, False)])
def test_the_level_of_an_empty_plate_is_one_up_to_fifteen_newtons(
    judged: JudgedWalk, offset_N: float, *, judged_level: bool
) -> None:
    plates = tuple(replace(plate, force_lab_N=plate.force_lab_N + [0.0, 0.0, offset_N]) for plate in judged.session.plates)
    values = residuals(replace(judged.session, plates=plates), judged).values
    assert (("level unloaded", "1") in values) == judged_level
    weight_N = judged.session.subject.mass_kg * 9.81
    assert values.get(("level unloaded", "1"), 100.0 * offset_N / weight_N) == pytest.approx(100.0 * offset_N / weight_N, rel=1e-3)


@pytest.mark.parametrize(("aided", "offered"), [(True, True), (None, True), (False, False)])
def test_aids_explain_nothing_where_none_is_stated(judged: JudgedWalk, aided: bool | None, *, offered: bool) -> None:
    names = {one.name for one in gaits(replace(judged.session, aided=aided), judged.values)}
    assert ({"L crutches", "R crutches", "L walker", "R walker"} <= names) == offered
    assert "L toe walking" in names


@pytest.mark.parametrize(("stated", "aided"), [({}, None), ({"aided": True}, True), ({"aided": False}, False)])
def test_an_aid_is_stated_or_none_is_or_nobody_says(
    stated: dict[str, bool], aided: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biomech_id.judgement.diagnosis.diagnosis.diagnose_recorded", lambda session, spread, **_: session.aided)
    person = bid.virtual_subject()
    answer = diagnose(person.walk().trial, bid.conventional_model(person.static().trial), **stated)  # type: ignore[arg-type]
    assert answer is aided


def test_a_prosthesis_is_not_compared_with_grown_legs(judged: JudgedWalk) -> None:
    without = judged.values.keys() - residuals(replace(judged.session, prostheses=("R",))).values.keys()
    assert {unit for _, unit in without} == {"R"}
    assert {"KNE-ANK / leg", "HEE-TOE / leg", "shank by centres / leg length", "knee varus, extended"} <= {
        name for name, _ in without
    }
    # What moves since the static trial or in mid-walk is no matter of how a leg is made.
    assert not any("static" in name or "mid-walk" in name for name, _ in without)


@pytest.mark.parametrize(("stated", "of"), [({}, ("L",)), ({"prostheses": ["R"]}, ("R",)), ({"prostheses": []}, ("L",))])
def test_a_stated_amputation_is_a_prosthesis_unless_somebody_says_which_sides_are(
    stated: dict[str, list[str]], of: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "biomech_id.judgement.diagnosis.diagnosis.diagnose_recorded", lambda session, spread, **_: session.prostheses
    )
    person = bid.virtual_subject()
    static = person.static().trial
    static = replace(static, subject=static.subject.with_values("subject.toml", amputation={"L": "transtibial"}))
    assert diagnose(person.walk().trial, bid.conventional_model(static), **stated) == of  # type: ignore[arg-type, comparison-overlap]


def test_an_amputation_of_the_subject_file_reaches_the_diagnosis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(
        "biomech_id.pipeline.diagnosis.diagnose",
        lambda trial, model, *, prostheses, **_: asked.append((dict(model.subject.amputation), prostheses)),
    )
    person = bid.virtual_subject()
    for trial in (person.static(), person.walk()):
        write_c3d(trial, tmp_path / f"{trial.trial.name}.c3d")
    (tmp_path / "subject.toml").write_text('[amputation]\nleft = "transtibial"\n', encoding="utf-8")
    diagnose_job(Job((tmp_path,)))
    assert asked == [({"L": "transtibial"}, ())]


def test_direct_causes_add_to_their_residual_alone(judged: JudgedWalk) -> None:
    keys = [("straight run", "L"), ("straight run", "R"), ("jerk HEE", "L")]
    (gap,) = (one for one in possible(judged.session, set(judged.values)) if one.name == "L straight-filled gap")
    assert signatures(judged, [gap], keys)[:, 0].tolist() == [1.0, 0.0, 0.0]


def test_feet_that_stood_on_their_toes_keep_their_shape_and_are_told_with_their_size(judged: JudgedWalk) -> None:
    (one,) = (each for each in possible(judged.session, set()) if each.name == "both heels raised in the static trial")
    session = one.into(judged.session, 50.0)
    assert session is not None
    before, after = judged.session.standing, session.standing
    assert before is not None
    assert after is not None
    for side in "LR":
        for first, second in (("HEE", "TOE"), ("ANK", "TOE"), ("ANK", "HEE"), ("KNE", "ANK"), ("TIB", "KNE")):
            was, now = (np.linalg.norm(m[side + first] - m[side + second], axis=1) for m in (before, after))
            # Metres; one turn for all frames keeps distances to rounding.
            assert np.abs(now - was).max() < 1e-12
        # 50 mm of a foot of 0.2 m: an arc and its chord differ by a hundredth.
        assert np.median(after[side + "HEE"][:, 2] - before[side + "HEE"][:, 2]) == pytest.approx(0.050, abs=0.003)
        assert np.abs(after[side + "TOE"] - before[side + "TOE"]).max() < 1e-12
    answer = diagnose_recorded(session, package_spread().of_any_body())
    first = answer.likely[0]
    assert (first.cause, first.group, first.warns) == (one.name, "feet not flat", True)
    assert first.size == pytest.approx(50.0, abs=1.96 * first.sd)


def test_a_fault_whose_cause_nobody_wrote_is_named_by_its_residuals(judged: JudgedWalk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert diagnose_recorded(judged.session, package_spread().of_any_body()).unexplained == {}
    leant = put.not_flat("HEE", judged.session, "", -0.090)
    assert leant is not None
    rows = {name: row for name, row in CAUSES.items() if row.group not in ("feet not flat", "static in shoes", "cameras")}
    monkeypatch.setattr("biomech_id.judgement.diagnosis.causes.CAUSES", rows)
    unexplained = diagnose_recorded(leant, package_spread().of_any_body()).unexplained
    assert [*unexplained][:2] == [("TOE height, static", "L"), ("TOE height, static", "R")] or [*unexplained][:2] == [
        ("TOE height, static", "R"), ("TOE height, static", "L"),
    ]  # fmt: skip
    assert max(unexplained.values()) < -6.0


def test_a_walk_without_a_fault_is_asked_about_few_causes(judged: JudgedWalk) -> None:
    search = Search(judged, package_spread().of_any_body())
    assert search.best() is None
    signatures_ = search.signatures
    put_in = np.array([one.row.put is not None for one in search.every])
    # Those that change every residual, and where people differ most; plates leave no room for evidence.
    assert 2 <= (signatures_.own & put_in).sum() < 30
    assert (~signatures_.own).sum() > 100
    assert len(search.told_from()) > 100
    assert signatures_.own[: len(search.causes)].all()
    n = len(search.causes)
    every = search.scale.white(signatures(search.judged, search.causes, search.scale.keys))
    # SDs per unit of size: the same products, in another number of columns.
    assert np.abs(signatures_.white[:, :n] - every).max() < 1e-9 * np.abs(every).max()


def test_asking_by_typical_signatures_tells_what_asking_for_all_of_them_does(
    judged: JudgedWalk, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = next(one for one in possible(judged.session, set(judged.values)) if one.name == "LTHI forward, since")
    changed = one.into(judged.session, 40.0)
    assert changed is not None
    answer = diagnose_recorded(changed, package_spread().of_any_body(), sizes=False)
    assert answer.likely[0].cause == one.name
    assert answer.told_from == {}
    for limit, value in {"ASKED_SDS": 0.0, "ASKED_EVIDENCE": -np.inf, "LEAST_STRAIGHT": -np.inf}.items():
        monkeypatch.setattr(f"biomech_id.judgement.diagnosis.diagnosis.{limit}", value)
    whole = diagnose_recorded(changed, package_spread().of_any_body())
    assert [(each.cause, each.size) for each in answer.likely] == [(each.cause, each.size) for each in whole.likely]
    assert len(whole.told_from) > 100


def test_every_typical_signature_is_that_of_a_cause(judged: JudgedWalk) -> None:
    residual_names = set(package_spread().names)
    names = {one.format(side) for one in CAUSES for side in "LR"} | {one.name for one in further(judged.session)}
    for (cause, _), adds in typical_table().items():
        assert cause in names
        assert {name for name, _ in adds} <= residual_names
        assert {of for _, of in adds} <= {"", "L", "R", "plate L", "plate R", "plate"}


def test_a_missed_strike_is_not_unexplained(judged: JudgedWalk) -> None:
    judged = residuals(replace(judged.session, any_gait=True))
    halved = {**judged.plates, ("impulse of the foot / half weight", "1"): -69.0, ("toe above plate", "1"): 400.0}
    search = Search(replace(judged, plates=halved), package_spread().of_any_body())
    assert [*search.unexplained()] == [("toe above plate", "1")]


def test_feet_of_one_path_or_without_a_static_trial_cannot_have_been_raised(judged: JudgedWalk) -> None:
    standing = judged.session.standing
    assert standing is not None
    position_m = standing.position_m.copy()
    position_m[:, standing.names.index("LTOE")] = standing["LHEE"]
    merged = replace(judged.session, standing=standing.with_positions(position_m))
    for session in (merged, replace(judged.session, standing=None)):
        assert put.not_flat("TOE", session, "L", 0.03) is None


def test_an_exchange_done_twice_is_none(judged: JudgedWalk) -> None:
    some = (
        "left and right labels exchanged",
        "plate 1 Fx and Fy exchanged",
        "plate 2 My with the other sign",
        "plates 1 and 2 exchanged",
    )
    for each in exchanges(judged.session):
        if each.name not in some:
            continue
        again = next(other.session for other in exchanges(each.session) if other.name == each.name)
        assert np.array_equal(again.markers.position_m, judged.session.markers.position_m, equal_nan=True)
        for plate, old in zip(again.plates, judged.session.plates, strict=True):
            # N, of forces up to a thousand: two rotations in double precision.
            assert np.abs(plate.force_lab_N - old.force_lab_N).max() < 1e-9


def test_misfit_of_what_is_expected_is_nothing(judged: JudgedWalk) -> None:
    scale = Whitening.of(judged.values, package_spread())
    usual = dict(zip(scale.keys, scale.mean, strict=True))
    assert scale.misfit(usual, usual) == 0.0


def test_what_cannot_be_diagnosed_says_why() -> None:
    person = bid.virtual_subject()
    static, walk = person.static().trial, person.walk().trial
    model = bid.conventional_model(static)
    with pytest.raises(MissingInputError, match="only walks can be diagnosed"):
        recorded_walk(static, model)
    with pytest.raises(OptionError, match="conventional model with both legs"):
        recorded_walk(walk, replace(model, calibration=replace(model.calibration, sides=("L",))))
    hidden = walk.markers.position_m.copy()
    hidden[5:-5, walk.markers.names.index("LKNE")] = np.nan
    with pytest.raises(MissingInputError, match="shows all fifteen markers in"):
        recorded_walk(replace(walk, markers=walk.markers.with_positions(hidden)), model)
    short = Markers(walk.markers.names, walk.markers.position_m[: round(0.9 * walk.rate_hz)], walk.rate_hz)
    with pytest.raises(MissingInputError, match="holds no whole stride"):
        diagnose(Trial("short", short), model)


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    written = write_diagnosis(Diagnosed((), (("run", "goes 0.1 m."),)), tmp_path / "out")
    assert sorted(path.name for path in written.iterdir()) == ["diagnosis.csv", "diagnosis.json"]
    write_diagnosis(Diagnosed((), ()), written)
    (written / "report.pdf").touch()
    with pytest.raises(OutputError, match=r"report\.pdf"):
        write_diagnosis(Diagnosed((), ()), written)
    assert (written / "report.pdf").exists()


@pytest.mark.parametrize("when", ["whole", "mid"])
def test_what_a_marker_is_moved_back_from_is_what_it_was_moved_into(judged: JudgedWalk, when: str) -> None:
    one = next(one for one in possible(judged.session, set(judged.values)) if one.name == f"LKNE forward, {when}")
    moved = one.into(judged.session, 30.0)
    assert moved is not None
    without = _without(residuals(moved, judged), one, 30.0, 2)
    assert without is not None
    for back, untouched in ((without.session.markers, judged.session.markers), (without.session.standing, judged.session.standing)):
        assert back is not None
        assert untouched is not None
        # The thigh's axes turn by 20 deg with the knee's marker, for the wand is not far from it: 9 mm without a correction.
        assert 1000.0 * np.nanmax(np.abs(back.position_m - untouched.position_m)) < 1.0


def test_the_size_of_a_cause_lies_between_those_that_were_tried(judged: JudgedWalk) -> None:
    session = put.plate_moved("0", judged.session, "1", 0.080)
    assert session is not None
    search = Search(residuals(session, judged), package_spread())
    place = next(i for i, one in enumerate(search.every) if one.name == "plate 1 dx")
    # Shares of 70 mm are 70 and 91; the residuals of a plate that moves are all but straight.
    sizes = [search._again(place, start_mm, 5.0).size for start_mm in (70.0, 80.0, 90.0)]
    assert sizes == pytest.approx([sizes[1]] * 3, rel=0.01)
