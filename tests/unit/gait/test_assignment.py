"""Every stance gets its verdict, and only an accepted one its force."""

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.errors import OptionError, ShapeError
from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.by_hand import StanceVerdict
from biomech_id.movement.stance import Verdict
from biomech_id.trial import Markers, Trial

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


def _lightened(trial, share):
    plate = trial.plates[0]
    return replace(
        trial, plates=(replace(plate, force_lab_N=share * plate.force_lab_N, moment_lab_Nm=share * plate.moment_lab_Nm),)
    )


def test_too_light(walk):
    """Of a foot at the plate's edge some part may stand beside it."""
    trial = _lightened(walk.trial([walk.plate_under("R", RIGHT, length=0.26)], walk.events()), 0.7)
    found = assign_plates(trial)
    assert "77% of body weight" in str(_verdicts(found)["R", Verdict.LIGHT].reason)
    assert found.findings == ()
    # Nobody knows what is light when nobody knows the mass.
    unknown = replace(trial, subject=replace(trial.subject, mass_kg=None))
    assert ("R", Verdict.CLEAN) in _verdicts(assign_plates(unknown))


@pytest.mark.parametrize(("share", "light"), [(0.3, True), (0.7, True), (0.8, True), (0.83, False), (1.0, False)])
def test_who_bears_little_on_a_foot_that_is_wholly_on_the_plate_is_measured_and_said(walk, share, light):
    """Crutches, a rail, a helping hand: that is the patient, and not the measurement (or the plate is wrong: hence the warning)."""
    found = assign_plates(_lightened(walk.trial([walk.plate_under("R", RIGHT)], walk.events()), share))
    assert ("R", Verdict.CLEAN) in _verdicts(found)
    assert [(said.rule, said.severity) for said in found.findings] == [("stance-light", "warning")] * light
    if light:
        assert f"peaks at {110 * share:.0f} % of body weight" in found.findings[0].message


def cropped(trial: Trial, first: int, last: int) -> Trial:
    """Frames [first, last) of a trial, its plates and its events, as a laboratory crops a recording."""
    plates = tuple(
        replace(p, force_lab_N=p.force_lab_N[first * 10 : last * 10], moment_lab_Nm=p.moment_lab_Nm[first * 10 : last * 10])
        for p in trial.plates
    )
    begins_s, ends_s = trial.first_time_s + first / trial.rate_hz, trial.first_time_s + (last - 1) / trial.rate_hz
    events = tuple(e for e in trial.events if begins_s <= e.time_s <= ends_s)
    markers = Markers(trial.markers.names, trial.markers.position_m[first:last], trial.rate_hz)
    return replace(trial, markers=markers, plates=plates, events=events, first_frame=trial.first_frame + first)


# The right foot's stance lasts from frame 120 to 180: the crop takes its strike, its off, or both.
@pytest.mark.parametrize(("first", "last", "missing"), [(0, 150, "off"), (145, 400, "strike"), (125, 170, "both")])
@pytest.mark.parametrize("named", ["", "R"])
def test_a_stance_that_the_trial_cuts_is_solved_in_the_frames_it_shows(walk, first, last, missing, named):
    whole = walk.trial([walk.plate_under("R", RIGHT)], walk.events())
    whole = replace(whole, plates=tuple(replace(plate, foot=named) for plate in whole.plates))
    assignment = assign_plates(cropped(whole, first, last))
    cut = _verdicts(assignment)["R", Verdict.PART]
    assert cut.reason.values["missing"] == missing
    assert (np.isnan(cut.start_s), np.isnan(cut.end_s)) == (missing != "off", missing != "strike")
    # The very wrench of the whole recording, in every frame of the stance, and known.
    true, mine = assign_plates(whole).contacts["R"], assignment.contacts["R"]
    standing = slice(max(122, first), min(179, last))
    there = slice(standing.start - first, standing.stop - first)
    assert mine.known[there].all()
    for ours, theirs in ((mine.force_lab_N, true.force_lab_N), (mine.moment_lab_Nm, true.moment_lab_Nm)):
        np.testing.assert_allclose(ours[there][1:-1], theirs[standing][1:-1], rtol=0, atol=1e-6)
        # In the very first and last frame the parabola through the plate's samples has one side only.
        np.testing.assert_allclose(ours[there][[0, -1]], theirs[standing][[0, -1]], rtol=2e-4, atol=1e-6)
    assert not cut.verdict.accepted, "a cycle that is not whole stays out of means"


def test_a_cut_stance_that_breaks_a_rule_is_not_solved(walk):
    beyond = cropped(walk.trial([walk.plate_under("R", RIGHT, length=0.4, shift=0.16)], walk.events()), 0, 150)
    assignment = assign_plates(beyond)
    assert ("R", Verdict.OUTLINE) in _verdicts(assignment)
    assert not assignment.contacts["R"].known[122:].any()
    both_feet = cropped(walk.trial([walk.plate_under("R", RIGHT, length=3.0, width=1.0)], walk.events()), 0, 150)
    assignment = assign_plates(both_feet)
    assert ("R", Verdict.OTHER_FOOT) in _verdicts(assignment)
    assert not assignment.contacts["R"].known[122:].any()


def test_where_the_load_of_a_cut_stance_has_ended_the_force_is_unknown(walk):
    """The foot steps from the plate onto the floor, and the trial ends before its off: nobody measured what came after."""
    trial = cropped(walk.trial([walk.plate_under("R", RIGHT)], walk.events()), 0, 175)
    (plate,) = trial.plates
    gone = np.where(np.arange(len(plate.force_lab_N)) < 1600, 1.0, 0.0)[:, None]
    trial = replace(trial, plates=(replace(plate, force_lab_N=gone * plate.force_lab_N, moment_lab_Nm=gone * plate.moment_lab_Nm),))
    known = assign_plates(trial).contacts["R"].known
    assert known[122:158].all()
    assert not known[162:].any()


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


def _by_hand(side, *plates, number=None, start_s=None, **more):
    return StanceVerdict("walk", side, plates, number, start_s, **more)


def _number(assignment, side):
    """Which of a side's stances, from 1, is the first that a plate saw."""
    return next(i for i, s in enumerate([s for s in assignment.stances if s.side == side], 1) if s.plates)


def test_verdicts_set_by_hand(walk):
    trial = walk.trial([_short(walk), walk.plate_under("L", LEFT)], walk.events())
    before = assign_plates(trial)
    number, left = _number(before, "R"), _number(before, "L")
    forced = assign_plates(trial, verdicts=[_by_hand("R", "plate 1", number=number, author="AB", reason="seen on video")])
    stance = _verdicts(forced)["R", Verdict.OVERRIDE]
    assert str(stance.reason).startswith("plate set by hand by AB (seen on video); the rules say outline: the foot reaches")
    assert forced.contacts["R"].force_lab_N[:, 2].max() > 700.0
    assert forced.findings == ()
    refused = assign_plates(trial, verdicts=[_by_hand("L", number=left)])
    assert not refused.contacts["L"].force_lab_N.any()
    assert refused.findings == ()
    for wrong in (_by_hand("R", "plate 1", number=99), _by_hand("R", "plate 9", number=number)):
        with pytest.raises(OptionError):
            assign_plates(trial, verdicts=[wrong])
    elsewhere = replace(_by_hand("R", "plate 9", number=99), trial="another walk")
    assert [s.verdict for s in assign_plates(trial, verdicts=[elsewhere]).stances] == [s.verdict for s in before.stances]


def test_a_time_names_the_stance_that_begins_nearest(walk):
    trial = walk.trial([_short(walk)], walk.events())
    start_s = walk.strikes("R")[RIGHT] + (walk.first_frame - 1) / walk.rate_hz
    for near_s in (start_s, start_s - 0.04, start_s + 0.04):
        found = _verdicts(assign_plates(trial, verdicts=[_by_hand("R", "plate 1", start_s=near_s)]))
        assert found["R", Verdict.OVERRIDE].start_s == pytest.approx(start_s)
    with pytest.raises(OptionError, match=rf"the nearest right one begins at {start_s:.3f} s"):
        assign_plates(trial, verdicts=[_by_hand("R", "plate 1", start_s=start_s + 0.041)])
    with pytest.raises(OptionError, match="no left stance whose strike is seen"):
        assign_plates(trial, events=[], verdicts=[_by_hand("L", "plate 1", start_s=1.0)])


def test_a_plate_nobody_stands_on_gives_no_kinetics_whatever_a_hand_says(walk):
    """The other foot's plate is loaded in both double supports of this stance, a third of it, and that is not this foot."""
    empty = walk.plate_under("R", RIGHT) + [0.0, 3.0, 0.0]
    trial = walk.trial([walk.plate_under("R", RIGHT), empty], walk.events())
    plain = assign_plates(trial)
    number = _number(plain, "R")
    for verdict in (_by_hand("R", "plate 2", number=number), _by_hand("L", "plate 1", number=2)):
        found = assign_plates(trial, verdicts=[verdict])
        stance = [s for s in found.stances if s.side == verdict.side][verdict.number - 1]
        assert stance.verdict is Verdict.NO_PLATE
        assert "which this stance does not load" in str(stance.reason)
        standing = np.arange(trial.n_frames) / walk.rate_hz + trial.first_time_s
        standing = (standing > stance.start_s) & (standing < stance.end_s)
        assert not found.contacts[verdict.side].known[standing].any()
        assert not found.contacts[verdict.side].force_lab_N[standing].any()
        (said,) = found.findings
        assert (said.rule, said.severity) == ("verdict-unloaded", "warning")
        assert said.values["percent"] < 50.0


@pytest.mark.parametrize(("share", "light"), [(0.40, True), (0.44, True), (0.47, False), (0.8, False)])
def test_a_plate_that_carries_less_than_half_the_body_is_used_and_said(walk, share, light):
    """The walker's force is 1.1 body weights in mid-stance."""
    trial = walk.trial([walk.plate_under("R", RIGHT)], walk.events())
    plate = trial.plates[0]
    part = replace(plate, force_lab_N=share * plate.force_lab_N, moment_lab_Nm=share * plate.moment_lab_Nm)
    trial = replace(trial, plates=(part,))
    found = assign_plates(trial, verdicts=[_by_hand("R", "plate 1", number=_number(assign_plates(trial), "R"))])
    assert ("R", Verdict.OVERRIDE) in _verdicts(found)
    assert [said.rule for said in found.findings] == ["verdict-light"] * light
    if light:
        assert f"{110 * share:.0f} % of body weight" in found.findings[0].message


def test_what_else_speaks_against_a_verdict_set_by_hand(walk):
    trial = walk.trial([walk.plate_under("R", RIGHT), walk.plate_under("L", LEFT)], walk.events())
    plain = assign_plates(trial)
    right = _number(plain, "R")

    def rules(*verdicts):
        return [said.rule for said in assign_plates(trial, verdicts=verdicts).findings]

    assert rules(_by_hand("R", "plate 1", number=right)) == []
    empty = walk.trial([walk.plate_under("R", RIGHT), walk.plate_under("R", RIGHT) + [0.0, 3.0, 0.0]], walk.events())
    said = assign_plates(empty, verdicts=[_by_hand("R", "plate 1", "plate 2", number=right)]).findings
    assert [finding.rule for finding in said] == ["verdict-plate-idle"]
    # Who stands on both feet loads both plates: the wrong one is far from the foot, and its force is the other foot's already.
    standing = [replace(e, time_s=e.time_s - 0.4) if e.side == "L" else e for e in walk.events()]
    l_start_s = walk.strikes("L")[LEFT] + 0.5 - 0.4
    both = assign_plates(
        trial, events=standing, verdicts=[_by_hand("L", "plate 1", start_s=l_start_s), _by_hand("R", "plate 1", number=right)]
    )
    assert [finding.rule for finding in both.findings] == ["verdict-foot-elsewhere", "verdict-load-twice", "verdict-load-twice"]
    moved = replace(
        trial, plates=(replace(trial.plates[0], corners_m=trial.plates[0].corners_m + [0.0, 0.5, 0.0]), trial.plates[1])
    )
    (said,) = assign_plates(moved, verdicts=[_by_hand("R", "plate 1", number=right)]).findings
    assert (said.rule, round(said.values["apart_mm"])) == ("verdict-foot-elsewhere", 500)
    twice = [_by_hand("R", number=right), _by_hand("R", "plate 1", start_s=walk.strikes("R")[RIGHT] + 0.5)]
    (said,) = assign_plates(trial, verdicts=twice).findings
    assert (said.rule, said.severity) == ("verdict-superseded", "info")


def test_a_load_chosen_by_hand_ends_with_the_stance(walk):
    """The left foot is on the same plate before and after: what it leaves there is not the right foot's in its swing."""
    trial = walk.trial([walk.plate_under("R", RIGHT, length=2.2, width=0.8)], walk.events())
    plain = assign_plates(trial)
    found = assign_plates(trial, verdicts=[_by_hand("R", "plate 1", number=_number(plain, "R"))])
    stance = next(s for s in found.stances if s.verdict is Verdict.OVERRIDE)
    time_s = trial.first_time_s + np.arange(trial.n_frames) / walk.rate_hz
    beyond = (time_s < stance.start_s - 0.07) | (time_s > stance.end_s + 0.07)
    assert trial.plates[0].force_lab_N[:, 2].reshape(len(time_s), -1).mean(axis=1)[beyond].max() > 700.0
    assert not found.contacts["R"].force_lab_N[beyond].any()


def test_a_plate_with_a_name_of_its_own_is_counted(walk):
    trial = walk.trial([_short(walk)], walk.events())
    named = replace(trial, plates=(replace(trial.plates[0], name="north"),))
    number = _number(assign_plates(trial), "R")
    for name in ("north", "plate 1", "1"):
        found = assign_plates(named, verdicts=[_by_hand("R", name, number=number)])
        assert _verdicts(found)["R", Verdict.OVERRIDE].plates == ("north",)
    with pytest.raises(OptionError, match="names plate 2; walk has north"):
        assign_plates(named, verdicts=[_by_hand("R", "plate 2", number=number)])


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
