"""Every stance gets its verdict, and only an accepted one its force."""

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.errors import OptionError, ShapeError
from biomech_id.gait.assignment import assign_plates, parse_overrides
from biomech_id.gait.stance import Verdict
from biomech_id.trial import Markers

RIGHT, LEFT = 3, 3


@pytest.fixture
def walk(walker):
    return walker(first_frame=51)


def _verdicts(assignment, *, plates_only=True):
    return {(s.side, s.verdict): s for s in assignment.stances if s.plates or not plates_only}


def _short(walk):
    """A plate that holds all of the centre of pressure, 22 to 220 mm from the heel, but not the toes."""
    return walk.plate_under("R", RIGHT, length=0.204, shift=0.011)


def test_one_foot_on_each_plate_is_clean(walk):
    trial = walk.trial([walk.plate_under("R", RIGHT), walk.plate_under("L", LEFT)], walk.events())
    assignment = assign_plates(trial)
    assert [(s.side, s.plates, s.verdict) for s in assignment.stances if s.plates] == [
        ("R", ("plate 1",), Verdict.CLEAN),
        ("L", ("plate 2",), Verdict.CLEAN),
    ]
    assert {s.verdict for s in assignment.stances if not s.plates} == {Verdict.NO_PLATE, Verdict.CUT}
    assert [s.start_s for s in assignment.stances if np.isfinite(s.start_s)] == sorted(
        s.start_s for s in assignment.stances if np.isfinite(s.start_s)
    )


def test_the_force_handed_to_the_foot_is_the_whole_wrench_about_the_origin(walk):
    """Textbook kinetics: the walker's own force and centre of pressure, to the noise-free plate's last digit in mid-stance."""
    trial = walk.trial([walk.plate_under("R", RIGHT)], walk.events())
    contact = assign_plates(trial).contacts["R"]
    strike = walk.strikes("R")[RIGHT]
    t = np.arange(trial.n_frames) / walk.rate_hz
    inside = (t > strike + 0.03) & (t < strike + 0.57)
    np.testing.assert_allclose(contact.force_lab_N[inside, 2], walk.load_N("R", t)[inside], atol=1e-9)
    u = (t - strike) / 0.6
    along = walk.place(strike) + 0.22 * (0.1 + 0.9 * u)
    cop = walk.to_lab(along, walk.left_of("R"), 0.0, t)
    np.testing.assert_allclose(contact.moment_lab_Nm[inside], np.cross(cop, contact.force_lab_N)[inside], atol=1e-9)
    swing = (t > strike + 0.63) & (t < strike + 0.97)
    assert not contact.force_lab_N[swing].any()
    assert contact.known[swing].all()


def test_stances_without_a_plate_are_unknown_and_swings_known(walk):
    trial = walk.trial([walk.plate_under("R", RIGHT)], walk.events())
    contact = assign_plates(trial).contacts["R"]
    t = np.arange(trial.n_frames) / walk.rate_hz
    for number, strike in enumerate(walk.strikes("R")):
        standing = (t >= strike + 1e-9) & (t <= strike + 0.6 - 1e-9)
        swinging = (t > strike + 0.61) & (t < strike + 0.99)
        assert contact.known[standing].all() if number == RIGHT else not contact.known[standing].any()
        assert contact.known[swinging].all()


def test_the_other_foot_on_the_same_plate(walk):
    long = walk.plate_under("R", RIGHT, length=2.2, width=0.8)
    found = _verdicts(assign_plates(walk.trial([long], walk.events())))
    assert ("R", Verdict.OTHER_FOOT) in found
    assert ("L", Verdict.OTHER_FOOT) in found
    assert not any(verdict.accepted for _, verdict in found)
    assert "left foot is on plate 1 too" in str(found["R", Verdict.OTHER_FOOT].reason)


def test_a_foot_that_lands_half_beside_the_plate_is_said_to_reach_beyond_it(walk):
    """The centre of pressure enters the plate 0.2 s late; where the foot stands says why."""
    trial = walk.trial([walk.plate_under("R", RIGHT, length=0.4, shift=0.2)], walk.events())
    assert "mm beyond plate 1" in str(_verdicts(assign_plates(trial))["R", Verdict.OUTLINE].reason)


def test_a_foot_that_leaves_the_plate_in_mid_stance(walk):
    trial = walk.trial([walk.plate_under("R", RIGHT, length=0.4, shift=-0.22)], walk.events())
    assert "ends at" in str(_verdicts(assign_plates(trial))["R", Verdict.LEFT_PLATE].reason)


def test_a_force_that_begins_late_under_a_foot_that_is_all_on_the_plate(walk):
    """A strike marked 80 ms early: the foot was still in the air, and the sentence says both that could be."""
    strike = walk.strikes("R")[RIGHT] + (walk.first_frame - 1) / walk.rate_hz
    events = [replace(e, time_s=e.time_s - 0.08) if abs(e.time_s - strike) < 1e-9 else e for e in walk.events()]
    reason = _verdicts(assign_plates(walk.trial([walk.plate_under("R", RIGHT)], events)))["R", Verdict.LEFT_PLATE].reason.text()
    assert "begins 80 ms after the strike" in reason
    assert "marked too early" in reason


@pytest.mark.parametrize("heading_rad", [0.4, 2.2, -1.1])
def test_a_walk_across_plates_at_an_angle(walker, heading_rad):
    """Three square plates along the laboratory's axes, and feet that cross them obliquely."""
    walk = walker(heading_rad=heading_rad, first_frame=51)
    corners = []
    for side, number in (("R", 2), ("L", 2), ("R", 3)):
        middle = walk.plate_under(side, number).mean(axis=0)
        corners.append(middle + 0.22 * np.array([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]]))
    stances = [s for s in assign_plates(walk.trial(corners)).stances if s.plates]
    assert [(s.side, s.plates, s.verdict) for s in stances] == [
        ("R", ("plate 1",), Verdict.CLEAN), ("L", ("plate 2",), Verdict.CLEAN), ("R", ("plate 3",), Verdict.CLEAN),
    ]  # fmt: skip


def test_outline_beyond_the_plate_although_the_force_is_whole(walk):
    found = _verdicts(assign_plates(walk.trial([_short(walk)], walk.events())))
    assert "mm beyond plate 1" in str(found["R", Verdict.OUTLINE].reason)


def test_too_light(walk):
    trial = walk.trial([walk.plate_under("R", RIGHT)], walk.events())
    plate = trial.plates[0]
    light = replace(plate, force_lab_N=0.7 * plate.force_lab_N, moment_lab_Nm=0.7 * plate.moment_lab_Nm)
    found = _verdicts(assign_plates(replace(trial, plates=(light,))))
    assert "77% of body weight" in str(found["R", Verdict.LIGHT].reason)
    # Nobody knows what is light when nobody knows the mass.
    unknown = replace(trial, plates=(light,), subject=replace(trial.subject, mass_kg=None))
    assert ("R", Verdict.CLEAN) in _verdicts(assign_plates(unknown))


def test_a_stance_cut_by_the_trials_end(walker):
    walk = walker(duration_s=3.5)
    trial = walk.trial([walk.plate_under("R", 5)], walk.events())
    assignment = assign_plates(trial)
    cut = _verdicts(assignment)["R", Verdict.CUT]
    assert np.isnan(cut.end_s)
    assert not assignment.contacts["R"].known[-20:].any()


def test_two_plates_under_one_foot_are_added(walk):
    heel = walk.plate_under("R", RIGHT, length=0.4, shift=-0.2)
    toe = walk.plate_under("R", RIGHT, length=0.4, shift=0.2)
    assignment = assign_plates(walk.trial([heel, toe], walk.events()))
    stance = _verdicts(assignment)["R", Verdict.TWO_PLATES]
    assert stance.plates == ("plate 1", "plate 2")
    whole = assign_plates(walk.trial([walk.plate_under("R", RIGHT, length=0.8)], walk.events())).contacts["R"]
    t = np.arange(len(whole.force_lab_N)) / walk.rate_hz
    strike = walk.strikes("R")[RIGHT]
    # The centre of pressure crosses the gap within one sample, where one plate's parabola meets the other's.
    crossing = np.abs(t - (strike + 0.6 * 0.4 / 0.9)) < 0.02
    inside = (t > strike + 0.03) & (t < strike + 0.57) & ~crossing
    both = assignment.contacts["R"]
    np.testing.assert_allclose(both.force_lab_N[inside], whole.force_lab_N[inside], atol=1e-9)
    np.testing.assert_allclose(both.moment_lab_Nm[inside], whole.moment_lab_Nm[inside], atol=1e-9)


def test_vendor_kinetics_use_the_plain_mean_from_five_newtons(walk):
    trial = walk.trial([walk.plate_under("R", RIGHT)], walk.events())
    assignment = assign_plates(trial, kinetics="vicon")
    contact, plate = assignment.contacts["R"], trial.plates[0]
    mean = np.array([plate.force_lab_N[max(0, 10 * i - 5) : 10 * i + 6].sum(axis=0) / 11.0 for i in range(trial.n_frames)])
    expected = np.where(np.linalg.norm(mean, axis=1, keepdims=True) >= 5.0, mean, 0.0)
    np.testing.assert_allclose(contact.force_lab_N, expected, atol=1e-9)
    t = trial.first_time_s + np.arange(trial.n_frames) / walk.rate_hz
    stance = _verdicts(assignment)["R", Verdict.CLEAN]
    forceless = (t > stance.start_s) & (t <= stance.end_s) & ~expected.any(axis=1)
    assert not contact.known[forceless].any()


def test_verdicts_set_by_hand(walk):
    trial = walk.trial([_short(walk), walk.plate_under("L", LEFT)], walk.events())
    before = assign_plates(trial)
    mine = [s for s in before.stances if s.side == "R"]
    number = next(i for i, s in enumerate(mine, 1) if s.plates)
    forced = assign_plates(trial, overrides={("R", number): ("plate 1",)})
    stance = _verdicts(forced)["R", Verdict.OVERRIDE]
    assert "the rules say outline" in str(stance.reason)
    assert forced.contacts["R"].force_lab_N[:, 2].max() > 700.0
    left = next(i for i, s in enumerate([s for s in before.stances if s.side == "L"], 1) if s.plates)
    refused = assign_plates(trial, overrides={("L", left): ()})
    assert not refused.contacts["L"].force_lab_N.any()
    for wrong in ({("R", 99): ("plate 1",)}, {("R", number): ("plate 9",)}):
        with pytest.raises(OptionError):
            assign_plates(trial, overrides=wrong)


def test_overrides_are_read_per_trial():
    texts = ["walk 01 L 2 = plate 1", "walk 01 R 1 = plate 1 + plate 2", "walk 01 R 2 = none", "other L 1 = plate 1"]
    assert parse_overrides(texts, "walk 01") == {("L", 2): ("plate 1",), ("R", 1): ("plate 1", "plate 2"), ("R", 2): ()}
    with pytest.raises(OptionError, match="cannot be read"):
        parse_overrides(["walk01 left = 1"], "walk01")


def test_missing_markers_in_mid_stance_are_never_guessed(walk):
    trial = walk.trial([walk.plate_under("R", RIGHT)], walk.events())
    position = trial.markers.position_m.copy()
    strike = walk.strikes("R")[RIGHT]
    t = np.arange(trial.n_frames) / walk.rate_hz
    gone = (t > strike + 0.05) & (t < strike + 0.40)
    position[np.ix_(gone, [i for i, n in enumerate(trial.markers.names) if n in ("RHEE", "RTOE")])] = np.nan
    holed = replace(trial, markers=Markers(trial.markers.names, position, walk.rate_hz))
    right = [s for s in assign_plates(holed).stances if s.side == "R"]
    assert not any(s.verdict.accepted for s in right)


def test_kinetics_must_be_known(walk):
    with pytest.raises(OptionError, match="planar"):
        assign_plates(walk.trial(), kinetics="planar")


def test_filtered_plates_give_the_wrench_and_recorded_ones_the_verdict(walk):
    trial = walk.trial([walk.plate_under("R", RIGHT)], walk.events())
    plain = assign_plates(trial)
    half = replace(
        trial.plates[0], force_lab_N=0.5 * trial.plates[0].force_lab_N, moment_lab_Nm=0.5 * trial.plates[0].moment_lab_Nm
    )
    filtered = assign_plates(trial, wrench_plates=(half,))
    assert [(s.plates, s.verdict) for s in filtered.stances] == [(s.plates, s.verdict) for s in plain.stances]
    strike = walk.strikes("R")[RIGHT]
    t = np.arange(trial.n_frames) / walk.rate_hz
    inside = (t > strike + 0.03) & (t < strike + 0.57)
    np.testing.assert_allclose(filtered.contacts["R"].force_lab_N[inside], 0.5 * plain.contacts["R"].force_lab_N[inside], atol=1e-9)
    np.testing.assert_allclose(
        filtered.contacts["R"].moment_lab_Nm[inside], 0.5 * plain.contacts["R"].moment_lab_Nm[inside], atol=1e-9
    )
    with pytest.raises(ShapeError):
        assign_plates(trial, wrench_plates=())


def test_beyond_the_annotated_part_nothing_is_known(walk):
    middle = [e for e in walk.events() if 1.6 < e.time_s < 2.9]
    contact = assign_plates(walk.trial(), events=middle).contacts["R"]
    t = 0.5 + np.arange(400) / walk.rate_hz
    first, last = min(e.time_s for e in middle if e.side == "R"), max(e.time_s for e in middle if e.side == "R")
    assert not contact.known[(t < first - 0.45) | (t > last + 0.65)].any()
    assert not assign_plates(walk.trial(), events=[]).contacts["L"].known.any()


def test_where_only_markers_say_when_the_foot_left_it_may_still_be_there(walk):
    by_markers = [replace(e, source="marker") for e in walk.events()]
    plain, doubted = (assign_plates(walk.trial(), events=events).contacts["R"].known for events in (walk.events(), by_markers))
    off = next(e.time_s for e in walk.events() if e.side == "R" and e.kind == "Foot Off")
    t = 0.5 + np.arange(400) / walk.rate_hz
    after = (t > off + 1e-9) & (t < off + 0.03)
    assert plain[after].all()
    assert not doubted[after].any()
    assert doubted[(t > off + 0.035) & (t < off + 0.35)].all()
